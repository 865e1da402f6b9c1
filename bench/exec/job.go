package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"sync"

	"ein/bench/category"
	"ein/bench/instance"
	"ein/bench/replies"
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
	ids  []string
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
		x.ids = append(x.ids, in.ID)
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

// ahead is how many replies for each worker are read ahead of the one that is
// due.
const ahead = 16

// Each works on the replies of a file on several goroutines, and gives the
// results to emit in the order of the file; then the instances without a reply, in
// their order. newWorker is called once for each goroutine. Of several replies to
// an instance the first counts; those to no instance do not.
func Each[T any](ctx context.Context, x *Index, file io.Reader, workers int, newWorker func() func(context.Context, *Item) (T, error), emit func(*Item, T) error) (*replies.Notes, error) {
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
	notes := replies.NewNotes()
	var readErr error // read once due is closed
	wait.Go(func() {
		defer close(due)
		defer close(todo)
		readErr = x.read(file, notes, func(it Item) bool {
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

// errEnough ends a reading whose results nobody waits for.
var errEnough = errors.New("enough")

// read joins the lines with the instances, until yield has enough.
func (x *Index) read(file io.Reader, notes *replies.Notes, yield func(Item) bool) error {
	count := 0
	_, err := replies.Join(file, x.ids, x.byID, notes, func(at int, l *replies.Line) error {
		it := Item{Instance: &x.list[at], At: count}
		if l != nil {
			it.Line, it.Reply, it.Mode, it.Finish, it.Error = l.Number, l.Reply, l.Mode, l.Finish, l.Error
		}
		count++
		if !yield(it) {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
