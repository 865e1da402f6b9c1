package verdict

import (
	"cmp"
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

// BugError is the error of a reply on which ein itself fails.
type BugError struct{ What string }

func (e *BugError) Error() string { return e.What }

// Work returns the verdict on an item. It may be nil, which emit has to handle.
type Work[T any] func(context.Context, T) (*Verdict, error)

// String names an item.
func (it *Item) String() string { return it.Question.ID }

// Each is InOrder for the replies of a file, in the order of Join. It returns the number of lines.
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

// ahead is how many items are read ahead for each worker.
const ahead = 16

// try does the work and turns a panic into a *BugError.
func try[T fmt.Stringer](ctx context.Context, work Work[T], item T) (v *Verdict, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &BugError{fmt.Sprintf("%v: %v\n%s", item, p, debug.Stack())}
		}
	}()
	return work(ctx, item)
}

// InOrder works on items on several goroutines, and gives the verdicts to emit in the order of
// the items. newWorker is called once for each goroutine. With one worker everything runs on the
// caller's: handing an item over takes as long as reading an answer.
func InOrder[T fmt.Stringer](ctx context.Context, workers int, items func(yield func(T) bool) error, newWorker func() Work[T], emit func(T, *Verdict) error) error {
	if workers == 1 {
		work := newWorker()
		var err error
		readErr := items(func(item T) bool {
			if ctx.Err() != nil {
				return false
			}
			var v *Verdict
			if v, err = try(ctx, work, item); err == nil {
				err = emit(item, v)
			}
			return err == nil
		})
		return cmp.Or(err, readErr, context.Cause(ctx))
	}
	type result struct {
		v   *Verdict
		err error
	}
	type task struct {
		item T
		out  chan result
	}
	working, cancel := context.WithCancel(ctx)
	todo, due := make(chan task), make(chan task, workers*ahead)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	for range workers {
		work := newWorker()
		wait.Go(func() {
			for t := range todo {
				v, err := try(working, work, t.item)
				t.out <- result{v, err}
			}
		})
	}
	var readErr error // read once due is closed
	wait.Go(func() {
		defer close(due)
		defer close(todo)
		readErr = items(func(item T) bool {
			t := task{item, make(chan result, 1)}
			select {
			case due <- t:
			case <-working.Done():
				return false
			}
			todo <- t // what is due is worked on
			return true
		})
	})
	for t := range due {
		r := <-t.out
		if r.err == nil {
			r.err = emit(t.item, r.v)
		}
		if r.err != nil {
			return r.err
		}
	}
	return cmp.Or(readErr, context.Cause(ctx))
}
