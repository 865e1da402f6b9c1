package verdict

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
)

// Item is a question with its reply.
type Item struct {
	*Question
	Line
	At int // place among the results, from 0
}

// BugError is a reply that ein itself fails on.
type BugError struct{ What string }

func (e *BugError) Error() string { return e.What }

// Work gives the verdict on an item. A nil one is for emit to know.
type Work[T any] func(context.Context, T) (*Verdict, error)

// String names an item.
func (it *Item) String() string { return it.Question.ID }

// Each works on the replies of a file, as InOrder does, in the order of Join. It
// returns the number of lines.
func (x *Index) Each(ctx context.Context, file io.Reader, workers int, notes *Notes, newWorker func() Work[*Item], emit func(*Item, *Verdict) error) (lines int, err error) {
	err = InOrder(ctx, workers, func(yield func(*Item) bool) error {
		enough, at := errors.New("enough"), 0
		var err error
		lines, err = x.Join(file, notes, func(q *Question, l Line) error {
			if !yield(&Item{q, l, at}) {
				return enough
			}
			at++
			return nil
		})
		if errors.Is(err, enough) {
			return nil
		}
		return err
	}, newWorker, emit)
	return lines, err
}

// ahead is how many items for each worker are read ahead of the one that is due.
const ahead = 16

// InOrder works on items on several goroutines, and gives the verdicts to emit in the
// order of the items. newWorker is called once for each goroutine. A panic of a worker
// is a *BugError and does not end the process.
func InOrder[T fmt.Stringer](ctx context.Context, workers int, items func(yield func(T) bool) error, newWorker func() Work[T], emit func(T, *Verdict) error) error {
	type job struct {
		item T
		out  *Verdict
		err  error
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
							j.err = &BugError{fmt.Sprintf("%v: %v\n%s", j.item, p, debug.Stack())}
						}
					}()
					j.out, j.err = work(working, j.item)
				}()
			}
		})
	}
	var readErr error // read once due is closed
	wait.Go(func() {
		defer close(due)
		defer close(todo)
		readErr = items(func(item T) bool {
			j := &job{item: item, done: make(chan struct{})}
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
		err := j.err
		if err == nil {
			err = emit(j.item, j.out)
		}
		if err != nil {
			return err
		}
	}
	if readErr == nil {
		readErr = context.Cause(ctx)
	}
	return readErr
}
