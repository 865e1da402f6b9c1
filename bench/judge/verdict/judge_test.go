package verdict

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ein/bench/question/answer"
	"ein/bench/question/prompt"
)

// scripted is a sandbox in which a program prints what the script says.
type scripted func(program string) (string, error)

func (s scripted) Run(_ context.Context, program string) (string, error) { return s(program) }

// pairsJSON is edges as the watcher is told of them.
func pairsJSON(a arcs) string {
	return strings.ReplaceAll(fmt.Sprint(a), " ", ",")
}

// TestJudgePython has every verdict on a Python program, without Python.
func TestJudgePython(t *testing.T) {
	s := one(t, "reach_then_count", 3)
	right := string(s.in.Answer)
	const program = "G.add_edges_from([(0, 1)])\n"
	judge := func(script scripted, finish string) *Verdict {
		t.Helper()
		it := &Line{Reply: "```python\n" + program + "```", Finish: finish}
		v, err := New(Options{Python: script, Why: true}).Reply(context.Background(), s.q, it)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	prints := func(first, then string) scripted {
		return func(p string) (string, error) {
			if p == program {
				return first, nil
			}
			switch true := pairsJSON(trueArcs(&s.q.Case.G)); {
			case !strings.HasPrefix(p, watcher):
				t.Errorf("runs %q", p)
			case !strings.Contains(p, `\"put\":[`):
				return fmt.Sprintf(`{"out": %q, "graphs": [{"place": 3, "path": "", "form": "pairs", "old": [], "edges": [[0, 1]], "nodes": null, "line": 1}], "constant": false}`, first), nil
			case !strings.Contains(p, `\"new\":`+true):
				t.Errorf("runs %q, want the edges %s", p[len(watcher):], true)
			}
			return then, nil
		}
	}
	for name, c := range map[string]struct {
		script  scripted
		outcome answer.Outcome
		kind    Kind
	}{
		"right":   {prints(right, ""), answer.StrictlyRight, ""},
		"reading": {prints("77", right), answer.Wrong, GraphReading},
		"both":    {prints("77", "78"), answer.Wrong, Both},
		"broken with the true edges": {func(p string) (string, error) {
			if strings.Contains(p, `\"put\":[`) {
				return "", &ProgramError{Outcome: RuntimeError, Message: "no"}
			}
			return prints("77", "")(p)
		}, answer.Wrong, Both},
		"failed": {func(string) (string, error) { return "", &ProgramError{Outcome: ParseError, Message: "no"} }, ParseError, ""},
		"no box": {func(string) (string, error) { return "", errors.New("no box") }, answer.InfraError, ""},
		"box lost": {func(p string) (string, error) {
			if p == program {
				return "77", nil
			}
			return "", errors.New("lost")
		}, answer.InfraError, ""},
	} {
		v := judge(c.script, "stop")
		kind := Kind("")
		if v.Attribution != nil {
			kind = v.Attribution.Kind
		}
		if v.Outcome != c.outcome || kind != c.kind || v.Class != Class(c.outcome) {
			t.Errorf("%s: %+v, %+v", name, v, v.Attribution)
		}
	}
	if v := judge(prints(right, ""), "length"); v.Outcome != answer.StrictlyRight {
		t.Errorf("a whole program of a reply that was cut off: %+v", v)
	}
	none := &Line{Reply: program, Mode: prompt.Python}
	if v, err := New(Options{}).Reply(context.Background(), s.q, none); err != nil || v.Outcome != answer.InfraError || !strings.Contains(v.Message, "no sandbox") {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestReasoning strips reasoning in all modes alike.
func TestReasoning(t *testing.T) {
	s := one(t, "reach_then_count", 3)
	direct, program := fmt.Sprintf(`{"answer": %s}`, s.in.Answer), "```ein\n"+s.in.EinProgram+"```"
	python := "```python\nprint()\n```"
	for text, want := range map[string]answer.Outcome{
		"<think>%</think>\n%":       answer.StrictlyRight,
		"{\"answer\": 99}</think>%": answer.StrictlyRight,
		"<thinking>x</thinking>%":   answer.StrictlyRight,
		"<think>%</think> \n":       answer.NoAnswer,
		"<think>%":                  answer.NoAnswer,
	} {
		for mode, right := range map[prompt.Mode]string{prompt.Direct: direct, prompt.CoT: direct, prompt.Ein: program, prompt.Python: python} {
			said := strings.ReplaceAll(text, "%", right)
			v, err := New(Options{Python: scripted(func(string) (string, error) { return string(s.in.Answer), nil })}).Reply(t.Context(), s.q, &Line{Reply: said, Mode: mode})
			if err != nil || v.Outcome != want {
				t.Errorf("%s %q: %+v, %v", mode, said, v, err)
			}
		}
	}
}

// TestFinish has replies without an answer, for the reasons that providers give.
func TestFinish(t *testing.T) {
	s := one(t, "reach_then_count", 3)
	never := scripted(func(string) (string, error) {
		return "", &ProgramError{Outcome: ParseError, Message: "that is English"}
	})
	for _, c := range []struct {
		mode          prompt.Mode
		reply, finish string
		outcome       answer.Outcome
		reason        answer.Reason
	}{
		{"direct", "Let me", "length", answer.NoAnswer, answer.Truncated},
		{"direct", "Let me", "stop", answer.FormatError, answer.NoObject},
		{"cot", "", "content_filter", answer.NoAnswer, answer.Filtered},
		{"cot", "{}", "refusal", answer.NoAnswer, answer.Refused},
		{"cot", `{"answer": "x"}`, "length", answer.FormatError, answer.WrongType},
		{"cot", `{"answer": 1, "answer": 2}`, "length", answer.FormatError, answer.DuplicateKey},
		{"direct", fmt.Sprintf(`{"answer": %s} and`, s.in.Answer), "length", answer.StrictlyRight, ""},
		{"ein", "Let me", "length", answer.NoAnswer, answer.Truncated},
		{"ein", "```ein\nA = edges([[0,", "length", answer.NoAnswer, answer.Truncated},
		{"ein", "```ein\nA = edges([[0,\n```", "length", ParseError, ""},
		{"ein", "```ein\nA = edges([[0,", "stop", ParseError, ""},
		{"ein", "```ein\n:print B\n", "length", TypeError, ""},
		{"python", "I cannot", "refusal", answer.NoAnswer, answer.Refused},
		{"python", "I cannot", "", ParseError, ""},
		{"", "Let me", "length", answer.NoAnswer, answer.Truncated},
	} {
		it := &Line{Reply: c.reply, Mode: c.mode, Finish: c.finish}
		v, err := New(Options{Python: never, Why: true}).Reply(context.Background(), s.q, it)
		if err != nil || v.Outcome != c.outcome || v.Reason != c.reason || v.Attribution != nil || v.Finding != nil {
			t.Errorf("%s %q %s: %+v, %v", c.mode, c.reply, c.finish, v, err)
		}
	}
}
