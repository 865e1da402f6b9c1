// Package score scores files of replies against files of instances.
//
// Memory is that of the index, some hundred bytes and the answer for each
// instance, and of one line: any number of replies can be scored.
package score

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"

	"ein/bench/answer"
	"ein/bench/category"
	"ein/bench/instance"
	"ein/bench/replies"
)

// Index is what is kept of the instances. It does not change, so that several
// files may be scored at once.
type Index struct {
	entries []entry
	ids     []string
	byID    map[string]int
}

type entry struct {
	id        string
	category  int // in category.Table
	reference answer.Reference
}

// NewIndex reads the instances. An error names the line, as those of
// instance.Read do.
func NewIndex(instances iter.Seq2[*instance.Instance, error]) (*Index, error) {
	x := &Index{byID: map[string]int{}}
	line := 0
	for in, err := range instances {
		if err != nil {
			return nil, err
		}
		line++
		if err := x.add(in); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	return x, nil
}

func (x *Index) add(in *instance.Instance) error {
	if _, twice := x.byID[in.ID]; twice {
		return fmt.Errorf("the instance %s is in the file already", clip(in.ID))
	}
	at := slices.IndexFunc(category.Table, func(c category.Category) bool { return c.Name == in.Category })
	if at < 0 {
		return fmt.Errorf("%s: there is no category %s", clip(in.ID), clip(in.Category))
	}
	c := &category.Table[at]
	if in.ResultType != string(c.Result) || in.Level != level(c) {
		return fmt.Errorf("%s: an instance of %s has the level %s and the type %s, not %s and %s",
			clip(in.ID), c.Name, level(c), c.Result, clip(in.Level), clip(in.ResultType))
	}
	source := ""
	if s := in.Query.Source; s != nil {
		source = in.Nodes[*s]
	}
	reference, err := answer.NewReference(in.Answer, c.Result, source)
	if err != nil {
		return fmt.Errorf("%s: %w", clip(in.ID), err)
	}
	x.byID[in.ID] = len(x.entries)
	x.ids = append(x.ids, in.ID)
	x.entries = append(x.entries, entry{in.ID, at, reference})
	return nil
}

// Len is the number of instances.
func (x *Index) Len() int { return len(x.entries) }

func level(c *category.Category) string { return fmt.Sprintf("L%d", c.Level) }

// clip quotes text of a file for a message.
func clip(s string) string {
	const most = 100
	if len(s) > most {
		return fmt.Sprintf("%.*q...", most, s)
	}
	return fmt.Sprintf("%q", s)
}

// Record is the score of an instance.
type Record struct {
	ID       string          `json:"id"`
	Category string          `json:"category"`
	Level    string          `json:"level"`
	Outcome  answer.Outcome  `json:"outcome"`
	Strict   bool            `json:"strict"`
	Lenient  bool            `json:"lenient"`
	Answer   json.RawMessage `json:"answer"` // what was understood, or null
	Reason   answer.Reason   `json:"reason,omitempty"`
}

// Missing is the reason of an instance that the file of replies lacks. It counts
// as a question without an answer: leaving one out must not be better than
// answering it wrong.
const Missing answer.Reason = "missing"

// Score scores a file of replies. record is given one record for each instance:
// those with replies in the order of the file, then those without in the order
// of the instances. An id counts once, with its first reply; replies to what is
// no instance do not count. The report tells of both.
func (x *Index) Score(file io.Reader, record func(*Record) error) (*Report, error) {
	r := newReport()
	lines, err := replies.Join(file, x.ids, x.byID, &r.Notes, func(at int, l *replies.Line) error {
		e := &x.entries[at]
		return record(r.add(e, e.score(l)))
	})
	if err != nil {
		return nil, err
	}
	r.Replies = lines
	r.finish()
	return r, nil
}

func (e *entry) score(l *replies.Line) answer.Result {
	switch {
	case l == nil:
		return answer.Result{Outcome: answer.NoAnswer, Reason: Missing}
	case l.Error != "":
		return answer.Result{Outcome: answer.InfraError}
	}
	c := &category.Table[e.category]
	return answer.Score(l.Reply, &e.reference, c.Result, c.Name).Finished(l.Finish)
}
