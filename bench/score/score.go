// Package score scores files of replies against files of instances.
//
// Memory is that of the index, some hundred bytes and the answer for each
// instance, and of one line: any number of replies can be scored.
package score

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"ein/bench/answer"
	"ein/bench/category"
	"ein/bench/instance"
)

// Index is what is kept of the instances. It does not change, so that several
// files may be scored at once.
type Index struct {
	entries []entry
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

// LineError is a line that is no reply.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// maxLine bounds a line: the longest reply, all of it in escapes, and more.
const maxLine = 8 * answer.MaxReply

// Score scores a file of replies. record is given one record for each instance:
// those with replies in the order of the file, then those without in the order
// of the instances. An id counts once, with its first reply; replies to what is
// no instance do not count. The report tells of both.
func (x *Index) Score(replies io.Reader, record func(*Record) error) (*Report, error) {
	r := newReport()
	seen := make([]bool, len(x.entries))
	lines := bufio.NewScanner(replies)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for lines.Scan() {
		r.Replies++
		reply, err := decode(lines.Text())
		if err != nil {
			return nil, &LineError{r.Replies, err}
		}
		at, ok := x.byID[reply.id]
		switch {
		case !ok:
			r.Unknown.add(r.Replies, reply.id)
			continue
		case seen[at]:
			r.Duplicates.add(r.Replies, reply.id)
			continue
		}
		seen[at] = true
		if err := record(r.add(&x.entries[at], x.entries[at].score(&reply))); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("it is longer than %d bytes", maxLine)
		}
		return nil, &LineError{r.Replies + 1, err}
	}
	for at, found := range seen {
		if found {
			continue
		}
		r.Missing.add(0, x.entries[at].id)
		if err := record(r.add(&x.entries[at], answer.Result{Outcome: answer.NoAnswer, Reason: Missing})); err != nil {
			return nil, err
		}
	}
	r.finish()
	return r, nil
}

// reply is a line of a file of replies.
type reply struct {
	id     string
	text   string
	finish string // why the model stopped, as the provider says; may be missing
	failed bool   // a provider or a sandbox, not the model
}

// decode reads {"id": ..., "reply": ..., "finish": ..., "error": ...}. Whatever
// else a line has is not about scores.
func decode(line string) (reply, error) {
	v, err := answer.ParseLine(line)
	if err != nil {
		return reply{}, err
	}
	if !v.Object() {
		return reply{}, errors.New(`it is not an object, expected {"id": ..., "reply": ...}`)
	}
	id, _ := v.Member("id")
	r := reply{}
	if r.id, err = text(&id, "id"); err != nil {
		return reply{}, err
	}
	failure, _ := v.Member("error")
	if !failure.Null() {
		message, err := text(&failure, "error")
		if err != nil {
			return reply{}, err
		}
		r.failed = message != ""
	}
	finish, has := v.Member("finish")
	if has && !finish.Null() {
		if r.finish, err = text(&finish, "finish"); err != nil {
			return reply{}, err
		}
	}
	t, has := v.Member("reply")
	switch {
	case !has && !r.failed:
		return reply{}, errors.New(`there is neither "reply" nor "error"`)
	case !t.Null():
		if r.text, err = text(&t, "reply"); err != nil {
			return reply{}, err
		}
	}
	if r.failed && r.text != "" {
		return reply{}, errors.New(`there is both a "reply" and an "error"`)
	}
	return r, nil
}

func text(v *answer.JSON, name string) (string, error) {
	s, ok := v.Text()
	if !ok {
		return "", fmt.Errorf("%q is missing or is not a string", name)
	}
	return s, nil
}

func (e *entry) score(r *reply) answer.Result {
	if r.failed {
		return answer.Result{Outcome: answer.InfraError}
	}
	c := &category.Table[e.category]
	return answer.Score(r.text, &e.reference, c.Result, c.Name).Finished(r.finish)
}
