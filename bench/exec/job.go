package exec

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"strings"
	"sync"

	"ein/bench/answer"
	"ein/bench/category"
	"ein/bench/instance"
)

// Instance is what is kept of an instance.
type Instance struct {
	Question *Question
	Case     category.Case
	Program  string // its own
}

// Index is the instances of a file, by id. It does not change.
type Index struct {
	list []Instance
	byID map[string]int
}

// NewIndex reads the instances.
func NewIndex(instances iter.Seq2[*instance.Instance, error]) (*Index, error) {
	x := &Index{byID: map[string]int{}}
	for in, err := range instances {
		if err != nil {
			return nil, err
		}
		at := len(x.list) + 1
		if first, twice := x.byID[in.ID]; twice {
			return nil, fmt.Errorf("line %d: the same instance is in line %d", at, first+1)
		}
		q, err := NewQuestion(in)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", at, err)
		}
		c, err := in.Case()
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", at, err)
		}
		x.byID[in.ID] = len(x.list)
		x.list = append(x.list, Instance{q, c, in.EinProgram})
	}
	return x, nil
}

// Len is the number of instances.
func (x *Index) Len() int { return len(x.list) }

// Item is a reply and the instance it is to.
type Item struct {
	*Instance
	At     int    // place among the results, from 0
	Line   int    // 0: the file has no reply to the instance
	Reply  string // as the model gave it
	Mode   string // direct, cot, ein or python; "" when the file does not say
	Finish string // why the model stopped, as the provider says: "stop", "length", ...
	Error  string // why there is no reply, when a provider failed
}

// Place is an id of a file of replies.
type Place struct {
	Line int    `json:"line,omitempty"` // 0 when the file lacks it
	ID   string `json:"id"`
}

// Noticed is ids that are not as they should be.
type Noticed struct {
	Count int     `json:"count"`
	First []Place `json:"first"`
}

// mostNoticed is how many ids are told; the rest is counted.
const mostNoticed = 10

func (n *Noticed) add(line int, id string) {
	n.Count++
	if len(n.First) < mostNoticed {
		n.First = append(n.First, Place{line, strings.Clone(id)}) // not the whole line with it
	}
}

// Notes is the ids of a file of replies that do not fit the instances.
type Notes struct {
	Missing    Noticed `json:"missing"`
	Duplicates Noticed `json:"duplicates"`
	Unknown    Noticed `json:"unknown"`
}

// NewNotes is those of a file in which everything fits.
func NewNotes() *Notes {
	return &Notes{Noticed{First: []Place{}}, Noticed{First: []Place{}}, Noticed{First: []Place{}}}
}

// LineError is a line that is no reply.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// maxLine bounds a line: the longest reply, all of it in escapes, and more.
const maxLine = 8 * answer.MaxReply

// ahead is how many replies for each worker are read ahead of the one that is
// due.
const ahead = 16

// Each works on the replies of a file on several goroutines, and gives the
// results to emit in the order of the file; then the instances without a reply, in
// their order. newWorker is called once for each goroutine. Of several replies to
// an instance the first counts; those to no instance do not.
func Each[T any](ctx context.Context, x *Index, replies io.Reader, workers int, newWorker func() func(context.Context, *Item) (T, error), emit func(*Item, T) error) (*Notes, error) {
	type job struct {
		item Item
		out  T
		err  error
		bug  string // of a panic, which is to end the caller and not the process
		done chan struct{}
	}
	working, cancel := context.WithCancel(ctx)
	todo, due := make(chan *job), make(chan *job, workers*ahead)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	for range workers {
		wait.Go(func() {
			work := newWorker()
			for j := range todo {
				func() {
					defer close(j.done)
					defer func() {
						if p := recover(); p != nil {
							j.bug = fmt.Sprintf("%s: %v\n%s", j.item.Question.ID, p, debug.Stack())
						}
					}()
					j.out, j.err = work(working, &j.item)
				}()
			}
		})
	}
	notes := NewNotes()
	var readErr error // read once due is closed
	wait.Go(func() {
		defer close(due)
		defer close(todo)
		readErr = x.read(replies, notes, func(it Item) bool {
			j := &job{item: it, done: make(chan struct{})}
			select {
			case due <- j:
			case <-working.Done():
				return false
			}
			select {
			case todo <- j:
			case <-working.Done():
				j.err = context.Cause(working)
				close(j.done)
				return false
			}
			return true
		})
	})
	for j := range due {
		<-j.done
		if j.bug != "" {
			panic(j.bug)
		}
		err := j.err
		if err == nil {
			err = emit(&j.item, j.out)
		}
		if err != nil {
			cancel()
			return nil, err
		}
	}
	if readErr == nil {
		readErr = context.Cause(ctx)
	}
	return notes, readErr
}

// read joins the lines with the instances.
func (x *Index) read(replies io.Reader, notes *Notes, yield func(Item) bool) error {
	seen := make([]bool, len(x.list))
	count := 0
	lines := bufio.NewScanner(replies)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	n := 0
	for lines.Scan() {
		n++
		id, it, err := decode(lines.Text())
		if err != nil {
			return &LineError{n, err}
		}
		at, ok := x.byID[id]
		switch {
		case !ok:
			notes.Unknown.add(n, id)
			continue
		case seen[at]:
			notes.Duplicates.add(n, id)
			continue
		}
		seen[at] = true
		it.Instance, it.Line, it.At = &x.list[at], n, count
		if !yield(it) {
			return nil
		}
		count++
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("it is longer than %d bytes", maxLine)
		}
		return &LineError{n + 1, err}
	}
	for at, found := range seen {
		if found {
			continue
		}
		notes.Missing.add(0, x.list[at].Question.ID)
		if !yield(Item{Instance: &x.list[at], At: count}) {
			return nil
		}
		count++
	}
	return nil
}

// decode reads {"id": ..., "reply": ...}, or an "error" in place of the reply.
func decode(line string) (string, Item, error) {
	v, err := answer.ParseLine(line)
	if err != nil {
		return "", Item{}, err
	}
	if !v.Object() {
		return "", Item{}, errors.New(`it is not an object, expected {"id": ..., "reply": ...}`)
	}
	var id string
	var it Item
	for _, f := range []struct {
		name string
		to   *string
	}{{"id", &id}, {"reply", &it.Reply}, {"mode", &it.Mode}, {"finish", &it.Finish}, {"error", &it.Error}} {
		m, ok := v.Member(f.name)
		if !ok || m.Null() {
			continue
		}
		if *f.to, ok = m.Text(); !ok {
			return "", Item{}, fmt.Errorf("%q is not a string", f.name)
		}
	}
	_, replied := v.Member("reply")
	switch {
	case id == "":
		return "", Item{}, errors.New(`"id" is missing`)
	case !replied && it.Error == "":
		return "", Item{}, errors.New(`there is neither "reply" nor "error"`)
	}
	return id, it, nil
}
