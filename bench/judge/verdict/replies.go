package verdict

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"ein/bench/question/answer"
	"ein/bench/question/prompt"
	"ein/internal/compact"
)

// MaxLine bounds a line in bytes: the longest reply, all of it in escapes, and
// more.
const MaxLine = 8 * answer.MaxReply

// Line is a line of a file of replies, which is JSONL of
//
//	{"id": ..., "reply": ..., "mode": ..., "finish": ..., "error": ...}
//
// where id names an instance, and a line has either a reply or, if the provider failed, an error.
// Other members do not affect scores.
type Line struct {
	Number int // from 1; 0: the file has no reply to the question
	ID     string
	Reply  string      // as the model gave it
	Mode   prompt.Mode // "" when the file does not say
	Finish string      // why the model stopped, as the provider says; may be missing
	Error  string      // why there is no reply: of a provider or a sandbox, not the model
}

// LineError is the error of a line that is not a reply.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// Place is an id of a file.
type Place struct {
	Line int    `json:"line,omitempty"` // 0 when the file lacks it
	ID   string `json:"id"`
}

// Noticed counts ids that are not as they should be, and lists the first.
type Noticed struct {
	Count int     `json:"count"`
	First []Place `json:"first"`
}

// most is the largest number of ids listed.
const most = 10

// add counts a line, and keeps the first few.
func (n *Noticed) add(line int, id string) {
	n.Count++
	if len(n.First) < most {
		n.First = append(n.First, Place{line, strings.Clone(id)}) // not the whole line with it
	}
}

// Notes are the ids in a file of replies that do not fit the instances.
type Notes struct {
	Missing    Noticed `json:"missing"`
	Duplicates Noticed `json:"duplicates"`
	Unknown    Noticed `json:"unknown"`
}

// NewNotes returns the notes on a file in which everything fits.
func NewNotes() *Notes {
	return &Notes{Noticed{First: []Place{}}, Noticed{First: []Place{}}, Noticed{First: []Place{}}}
}

// NotesText lists what does not fit, for people; it is empty if everything does.
func (n *Notes) NotesText() string {
	var b strings.Builder
	for _, x := range []struct {
		ids       *Noticed
		one, many string
	}{
		{&n.Missing, "instance has no reply and counts as no answer", "instances have no reply and count as no answer"},
		{&n.Duplicates, "reply is to an instance that has one already, and does not count", "replies are to instances that have one already, and do not count"},
		{&n.Unknown, "reply is to no instance of the file, and does not count", "replies are to no instance of the file, and do not count"},
	} {
		if x.ids.Count == 0 {
			continue
		}
		what := x.many
		if x.ids.Count == 1 {
			what = x.one
		}
		fmt.Fprintf(&b, "\n%d %s:\n", x.ids.Count, what)
		for _, p := range x.ids.First {
			b.WriteString("  ")
			if p.Line > 0 {
				fmt.Fprintf(&b, "line %d: ", p.Line)
			}
			fmt.Fprintf(&b, "%s\n", quoted(p.ID))
		}
		if rest := x.ids.Count - len(x.ids.First); rest > 0 {
			fmt.Fprintf(&b, "  and %d more\n", rest)
		}
	}
	return b.String()
}

// quoted returns an id of a file, which may be anything, for a message.
func quoted(s string) string {
	const most = 100
	if len(s) > most {
		return fmt.Sprintf("%.*q...", most, s)
	}
	return fmt.Sprintf("%q", s)
}

// Join gives each question its reply, in the order of the file; then the questions
// without one, in their order, with an empty Line. Of several replies with one id the
// first counts; those to no question do not. Notes tell of both. The error is a
// *LineError or that of yield, which ends the reading. It returns the number of lines. With
// Part the file is a part of one, and questions without a reply are left out.
func (x *Index) Join(file io.Reader, notes *Notes, yield func(*Question, Line) error) (int, error) {
	x.seen, x.left = make([]uint64, x.n/64+1), x.n
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 0, 64<<10), MaxLine)
	n := 0
	for lines.Scan() {
		n++
		text := lines.Bytes()
		if n == 1 {
			var err error
			if text, err = compact.Text(text); err != nil {
				return n, &LineError{n, err}
			}
		}
		l, err := decode(string(text))
		if err != nil {
			return n, &LineError{n, err}
		}
		l.Number = n
		q, again, err := x.reply(l.ID)
		switch {
		case err != nil:
			return n, err
		case again:
			notes.Duplicates.add(n, l.ID)
			continue
		case q == nil:
			notes.Unknown.add(n, l.ID)
			continue
		}
		if err := yield(q, *l); err != nil {
			return n, err
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("it is longer than %d bytes", MaxLine)
		}
		return n, &LineError{n + 1, err}
	}
	if x.Part {
		return n, nil
	}
	return n, x.missing(func(q *Question) error {
		notes.Missing.add(0, q.ID)
		return yield(q, Line{})
	})
}

// decode takes null as absent, which is how tables with empty cells are exported.
func decode(text string) (*Line, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("it is empty")
	}
	v, err := answer.ParseLine(text)
	if err != nil {
		return nil, err
	}
	if !v.Object() {
		return nil, errors.New(`it is not an object, expected {"id": ..., "reply": ...}`)
	}
	l := &Line{}
	for _, f := range []struct {
		name string
		to   *string
	}{{"id", &l.ID}, {"reply", &l.Reply}, {"mode", (*string)(&l.Mode)}, {"finish", &l.Finish}, {"error", &l.Error}} {
		m, ok := v.Member(f.name)
		if !ok || m.Null() {
			continue
		}
		if *f.to, ok = m.Text(); !ok {
			return nil, fmt.Errorf("%q is not a string", f.name)
		}
	}
	_, replied := v.Member("reply")
	switch {
	case l.ID == "":
		return nil, errors.New(`"id" is missing`)
	case !replied && l.Error == "":
		return nil, errors.New(`there is neither "reply" nor "error"`)
	case l.Reply != "" && l.Error != "":
		return nil, errors.New(`there is both a "reply" and an "error"`)
	}
	return l, nil
}
