package run

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"unique"

	"ein/bench/ask/model"
	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/instance"
	"ein/internal/compact"
	"ein/internal/job"
)

// one interns a text.
func one[S ~string](s S) S { return S(unique.Make(string(s)).Value()) }

// shape holds the fields that light instances keep.
type shape struct {
	version, split, category, level, result string
	n, depth, operations                    int
	density                                 json.Number
	directed                                bool
}

// lighten returns an instance without its id, seeds, texts and graph. Instances that are then equal
// are one.
func lighten(in *instance.Instance, all map[shape]*instance.Instance) *instance.Instance {
	k := shape{one(in.Version), one(in.Split), one(in.Category), one(in.Level), one(in.ResultType), in.N, in.Depth, in.Operations, one(in.Density), in.Directed}
	if all[k] == nil {
		all[k] = &instance.Instance{Version: k.version, Split: k.split, Category: k.category, Level: k.level, ResultType: k.result,
			N: k.n, Depth: k.depth, Operations: k.operations, Density: k.density, Directed: k.directed}
	}
	return all[k]
}

// said holds the fields that light replies keep.
type said struct {
	model  string
	finish model.Finish
}

// share returns a reply without its texts and usage. Replies that are then equal are one.
func (r *Reply) share(all map[said]*Reply) *Reply {
	k := said{r.Model, r.Finish}
	if all[k] == nil {
		k = said{one(r.Model), one(r.Finish)}
		all[k] = &Reply{Model: k.model, Finish: k.finish}
	}
	return all[k]
}

// share returns a score with the fields that tables need. Only the first match of a finding counts. Scores
// that are then equal are one.
func (s *Score) share(all map[string]*Score) *Score {
	v := &s.Verdict
	light := verdict.Verdict{Topic: v.Topic, Result: answer.Result{Outcome: v.Outcome, Judgements: v.Judgements, Reason: v.Reason},
		Failure: verdict.Failure{Class: v.Class}, Constant: v.Constant, Reading: v.Reading, Attribution: v.Attribution}
	if f := v.Finding; f != nil {
		light.Finding = &verdict.Finding{Tried: f.Tried, Answers: f.Answers}
		if len(f.Matches) > 0 {
			light.Finding.Matches = []verdict.Match{{Error: f.Matches[0].Error}}
		}
	}
	text := string(compact.Must(&light))
	if all[text] == nil {
		all[text] = &Score{Verdict: light}
	}
	return all[text]
}

// Load returns a row with its texts: the row itself if the run was read with them.
func (r *Run) Load(row *Row) (full *Row, err error) {
	if !r.light {
		return row, nil
	}
	t := texts{dir: r.Dir}
	defer func() { err = cmp.Or(err, t.close()) }()
	return t.load(row)
}

// Each yields the wanted rows in order, each also with its texts. Only one is in memory at a time.
func (r *Run) Each(want func(*Row) bool, yield func(row, full *Row) error) (err error) {
	t := texts{dir: r.Dir}
	defer func() { err = cmp.Or(err, t.close()) }()
	for i := range r.Rows {
		row := &r.Rows[i]
		if !want(row) {
			continue
		}
		full := row
		if r.light {
			if full, err = t.load(row); err != nil {
				return err
			}
		}
		if err := yield(row, full); err != nil {
			return err
		}
	}
	return nil
}

// Instances yields the instances of a run with their texts, one in memory at a time.
func (r *Run) Instances(yield func(*instance.Instance) error) error {
	if r.light {
		return eachInstance(r.Dir, func(_ int64, in *instance.Instance) error { return yield(in) })
	}
	var last *instance.Instance // rows of one instance follow each other
	for i := range r.Rows {
		if in := r.Rows[i].Instance; in != last {
			last = in
			if err := yield(in); err != nil {
				return err
			}
		}
	}
	return nil
}

// texts reads the texts of rows. Adjacent rows of an instance share one read.
type texts struct {
	dir      string
	files    map[string]*os.File
	at       int64
	instance *instance.Instance
}

func (t *texts) close() (err error) {
	for _, f := range t.files {
		err = cmp.Or(err, f.Close())
	}
	return err
}

// load fills a copy; the row of a light run stays without texts.
func (t *texts) load(row *Row) (_ *Row, err error) {
	full := *row
	if t.instance == nil || t.at != row.instance {
		err = t.read(InstancesFile, row.instance, func(line []byte) (err error) { t.instance, err = instance.Parse(line); return err })
		t.at = row.instance
	}
	full.Instance = t.instance
	if err == nil && row.Reply != nil {
		full.Reply = &Reply{}
		err = t.read(RepliesFile, row.reply, func(line []byte) error { _, err := unseal(line, full.Reply); return err })
	}
	if err == nil && row.Score != nil {
		err = t.read(ScoresFile, row.score, func(line []byte) (err error) { full.Score, err = parseScore(&job.Line{Text: line}); return err })
	}
	return &full, err
}

// read reads a line from its place.
func (t *texts) read(name string, at int64, parse func(line []byte) error) (err error) {
	f := t.files[name]
	if f == nil {
		if f, err = os.Open(filepath.Join(t.dir, name)); err != nil {
			return err
		}
		if t.files == nil {
			t.files = map[string]*os.File{}
		}
		t.files[name] = f
	}
	line, err := bufio.NewReader(io.NewSectionReader(f, at, math.MaxInt64-at)).ReadBytes('\n')
	if err == nil {
		err = parse(bytes.TrimSuffix(line, []byte("\n")))
	}
	if err != nil {
		return fmt.Errorf("%s: at byte %d: %w", f.Name(), at, err)
	}
	return nil
}
