package report

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"testing"

	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
)

// skill is how good a made-up model is in a mode.
type skill struct {
	base, perLevel, perNode       float64
	input, visible, reasoning     int64
	format, empty, infra, missing float64
}

var skills = map[string]map[prompt.Mode]skill{
	"made:small":    {prompt.Direct: {base: 0.72, perLevel: 0.16, perNode: 0.03, input: 150, visible: 14, format: 0.05}, prompt.Ein: {base: 0.97, perLevel: 0.01, perNode: 0.006, input: 700, visible: 130}},
	"made:large":    {prompt.Direct: {base: 0.95, perLevel: 0.08, perNode: 0.015, input: 150, visible: 9, format: 0.02}, prompt.CoT: {base: 0.97, perLevel: 0.04, perNode: 0.01, input: 170, visible: 430, empty: 0.02}},
	"made:thinking": {prompt.Direct: {base: 0.985, perLevel: 0.05, perNode: 0.004, input: 150, visible: 20, reasoning: 1100, infra: 0.01, missing: 0.02}},
}

// madeRun returns a run of a made-up model over generated instances.
func madeRun(t testing.TB, name string, perCategory int, encodings ...surface.Encoding) *run.Run {
	t.Helper()
	r := &run.Run{Dir: "runs/" + name[5:], Config: run.Config{
		Format: run.Format, Ein: "test", Model: name, Encodings: encodings, Samples: 1,
		Instances: run.Source{File: "heldout.jsonl", SHA256: "0123456789abcdef", Count: perCategory * len(category.Table)},
		Price:     &run.Price{Input: 2, Output: 8},
	}}
	for _, m := range prompt.Modes() {
		if _, ok := skills[name][m]; ok {
			r.Config.Modes = append(r.Config.Modes, m)
		}
	}
	for c := range category.Table {
		for i := range perCategory {
			for _, e := range encodings {
				id := instance.NewID("heldout", category.Table[c].Name, i, 11)
				id.Encoding = e
				in, _, err := instance.Generate(id)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range r.Config.Modes {
					row := run.Row{Instance: in, Key: run.Key{ID: in.ID, Mode: m}, Encoding: e}
					answerMade(&row, skills[name][m], rand.New(rand.NewPCG(uint64(len(name)), uint64(crc32.ChecksumIEEE([]byte(row.ID+string(m)))))))
					r.Rows = append(r.Rows, row)
				}
			}
		}
	}
	return r
}

// answerMade gives a row its reply and score.
func answerMade(row *run.Row, s skill, rnd *rand.Rand) {
	if rnd.Float64() < s.missing {
		return
	}
	in := row.Instance
	more := func(n int64) int64 { return int64(float64(n) * (0.5 + rnd.Float64()) * (0.6 + 0.2*float64(in.Depth))) }
	reply := &run.Reply{Key: row.Key, Model: "made", Finish: model.Stop}
	reply.Usage = model.Usage{Input: more(s.input), Reasoning: more(s.reasoning)}
	reply.Usage.Output = more(s.visible) + reply.Usage.Reasoning
	reply.Cost = (2*float64(reply.Usage.Input) + 8*float64(reply.Usage.Output)) / 1e6
	score := &run.Score{Key: row.Key, Verdict: verdict.Verdict{Topic: verdict.Topic{Category: in.Category, Level: in.Level}}}
	score.Answer = json.RawMessage("null")
	row.Reply, row.Score = reply, score
	program := row.Mode == prompt.Ein || row.Mode == prompt.Python
	right := s.base - s.perLevel*float64(in.Depth-1) - s.perNode*float64(in.N-4)
	if row.Encoding == surface.Matrix {
		right -= 0.15
	}
	switch x := rnd.Float64(); {
	case x < s.infra:
		score.Outcome, reply.Reply = answer.InfraError, ""
	case x < s.infra+s.empty:
		score.Outcome, score.Reason = answer.NoAnswer, answer.NoReply
	case x < s.infra+s.empty+s.format:
		score.Outcome, score.Reason, reply.Reply = answer.FormatError, answer.NoObject, "It is clear from the graph."
	case rnd.Float64() < right:
		score.Outcome, score.Strict, score.Lenient, score.Answer = answer.StrictlyRight, true, true, in.Answer
		reply.Reply = fmt.Sprintf(`{"answer": %s}`, in.Answer)
	case rnd.Float64() < 0.1:
		score.Outcome, score.Lenient = answer.LenientOnly, true
		reply.Reply = `{"answer": 1}`
	case program && rnd.Float64() < 0.2:
		score.Outcome, score.Class, score.Message = verdict.ParseError, verdict.ParseError, "expected an expression"
		reply.Reply = "```ein\nA = \n```"
	default:
		score.Outcome, score.Answer = answer.Wrong, json.RawMessage("99")
		reply.Reply = `The answer is {"answer": 99}`
		if program {
			kinds := verdict.Kinds()
			score.Attribution = &verdict.Attribution{Kind: kinds[rnd.IntN(3)]}
			if score.Attribution.Kind != verdict.Logic {
				score.Attribution.Graphs = []verdict.Diff{{Dropped: []verdict.Edge{{0, 1}}}}
			}
			break
		}
		score.Finding = &verdict.Finding{Tried: 40 + rnd.IntN(40), Answers: 4}
		if errors := verdict.Errors(); rnd.Float64() < 0.7 {
			score.Finding.Matches = []verdict.Match{{Error: errors[rnd.IntN(len(errors))], Misreading: "edges reversed", Variants: 3, Matches: 1}}
		}
	}
	if program && reply.Reply != "" && score.Outcome != verdict.ParseError {
		score.Program = in.EinProgram
		reply.Reply = "```ein\n" + in.EinProgram + "\n```"
	}
}

// madeRuns are three runs of a few instances of every category.
func madeRuns(t testing.TB, perCategory int) []*run.Run {
	return []*run.Run{
		madeRun(t, "made:small", perCategory, surface.NL, surface.JSON, surface.Matrix),
		madeRun(t, "made:large", perCategory, surface.NL),
		madeRun(t, "made:thinking", perCategory, surface.NL),
	}
}
