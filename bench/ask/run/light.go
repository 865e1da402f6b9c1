package run

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"unique"

	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/instance"
	"ein/internal/job"
)

// one is a text that all who have it share.
func one[S ~string](s S) S { return S(unique.Make(string(s)).Value()) }

// lighten is an instance without its texts and its graph.
func lighten(in *instance.Instance) *instance.Instance {
	return &instance.Instance{ID: in.ID, Version: one(in.Version), Split: one(in.Split), Category: one(in.Category), Level: one(in.Level), ResultType: one(in.ResultType),
		N: in.N, Density: one(in.Density), Depth: in.Depth, Directed: in.Directed, StructuralSeed: in.StructuralSeed, SurfaceSeed: in.SurfaceSeed}
}

func (r *Reply) lighten() {
	*r = Reply{Model: one(r.Model), Finish: one(r.Finish), Usage: r.Usage, Cost: r.Cost, sum: r.sum}
}

// lighten leaves of a score what tables are made of. The first match of a finding is
// the one that counts.
func (s *Score) lighten() {
	v := &s.Verdict
	light := verdict.Verdict{Topic: v.Topic, Result: answer.Result{Outcome: v.Outcome, Judgements: v.Judgements, Reason: v.Reason},
		Failure: verdict.Failure{Class: v.Class}, Constant: v.Constant, Reading: v.Reading, Attribution: v.Attribution}
	if f := v.Finding; f != nil {
		light.Finding = &verdict.Finding{Tried: f.Tried, Answers: f.Answers}
		if len(f.Matches) > 0 {
			light.Finding.Matches = []verdict.Match{{Error: f.Matches[0].Error}}
		}
	}
	*s = Score{Verdict: light}
}

// share is a score without its texts, the same one for all that are equal then.
func (s *Score) share(all map[string]*Score) (*Score, error) {
	light := *s
	light.lighten()
	text, err := marshal(&light)
	if err != nil {
		return nil, err
	}
	if all[string(text)] == nil {
		all[string(text)] = &light
	}
	return all[string(text)], nil
}

// Load is a row with its texts. Of a run that was read with them it is the row itself.
func (r *Run) Load(row *Row) (*Row, error) {
	if !r.light {
		return row, nil
	}
	full := *row
	for _, part := range []struct {
		file string
		at   int64
		none bool
		read func(line []byte) error
	}{
		{InstancesFile, row.instance, false, func(line []byte) (err error) { full.Instance, err = instance.Parse(line); return err }},
		{RepliesFile, row.reply, row.Reply == nil, func(line []byte) error { full.Reply = &Reply{}; _, err := unseal(line, full.Reply); return err }},
		{ScoresFile, row.score, row.Score == nil, func(line []byte) (err error) { full.Score, err = parseScore(&job.Line{Text: line}); return err }},
	} {
		if part.none {
			continue
		}
		f, err := os.Open(filepath.Join(r.Dir, part.file))
		if err != nil {
			return nil, err
		}
		line, err := lineAt(f, part.at)
		if err = cmp.Or(err, f.Close()); err == nil {
			err = part.read(line)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: at byte %d: %w", f.Name(), part.at, err)
		}
	}
	return &full, nil
}

// lineAt reads a line from its place, without the newline.
func lineAt(f io.ReaderAt, offset int64) ([]byte, error) {
	line, err := bufio.NewReader(io.NewSectionReader(f, offset, math.MaxInt64-offset)).ReadBytes('\n')
	return bytes.TrimSuffix(line, []byte("\n")), err
}
