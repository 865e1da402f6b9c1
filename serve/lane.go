package serve

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"ein/bench/judge/verdict"
)

// lane is a queue of items for a number of workers. It counts items, not requests, and has a limit.
// A request is worked on in slices; after each it goes to the back of the queue, so that a long one
// does not hold up others. It has fewer items than the lane has room for (maxItems), so the first
// that waits gets in once enough have left.
type lane struct {
	name    string
	most    int // items
	slice   int // items that a worker takes at once
	judge   func() *verdict.Judge
	workers chan *verdict.Judge // those that are free; who waits longest gets the next
	long    chan struct{}       // work that takes long, as much at once as there are workers

	mu      sync.Mutex
	items   int // waiting, or being worked on
	waiting []*entry
	pace    time.Duration // of an item, lately
}

// entry is a request that waits for room.
type entry struct {
	items int
	taken chan struct{}
}

// newLane returns a lane with workers that judge makes.
func newLane(name string, most, slice, workers int, judge func() *verdict.Judge) *lane {
	l := &lane{name: name, most: most, slice: slice, judge: judge, workers: make(chan *verdict.Judge, workers), long: make(chan struct{}, workers)}
	for range workers {
		l.workers <- judge()
	}
	return l
}

// The lanes take four bursts of a step of training, and two minutes of Python. A slice
// takes a few milliseconds of a worker.
//
// Items that take long, such as questions about 1,000 nodes, end their slice early.
const (
	sliceTime = 20 * time.Millisecond

	einItems, einSlice       = 4 * 16384, 64
	pythonItems, pythonSlice = 2048, 1
)

// busyError says that a lane is full.
type busyError struct {
	lane  string
	items int
	after time.Duration // when there may be room
}

// Error says how full the lane is and when to come again.
func (e *busyError) Error() string {
	return fmt.Sprintf("the queue for %s has %d items and takes no more; it may in %v", e.lane, e.items, e.after)
}

// enter takes items into the queue. If there is no room, it fails with a busyError at once, or,
// with hold, when the context ends. Who comes while others wait waits behind them, even if it would
// fit: a large request would else never get in.
func (l *lane) enter(ctx context.Context, items int, hold bool) error {
	l.mu.Lock()
	if len(l.waiting) == 0 && l.items+items <= l.most {
		l.items += items
		l.mu.Unlock()
		return nil
	}
	if !hold || len(l.waiting) >= l.most {
		defer l.mu.Unlock()
		return l.busy()
	}
	e := &entry{items, make(chan struct{})}
	l.waiting = append(l.waiting, e)
	l.mu.Unlock()
	select {
	case <-e.taken:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiting, e); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
		return l.busy()
	}
	return nil // it was taken at the same moment
}

// busy says when to come again. The caller holds the lock.
func (l *lane) busy() error {
	after := time.Duration(l.items) * l.pace / time.Duration(cap(l.workers))
	return &busyError{l.name, l.items, min(max(after.Round(time.Second), time.Second), time.Minute)}
}

// leave gives the room of items to waiting requests, in their order. The pace is an average in
// which the last sixteen slices or so count.
func (l *lane) leave(items int, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items -= items
	if took > 0 {
		l.pace += (took/time.Duration(items) - l.pace) / 16
	}
	for len(l.waiting) > 0 && l.items+l.waiting[0].items <= l.most {
		l.items += l.waiting[0].items
		close(l.waiting[0].taken)
		l.waiting = l.waiting[1:]
	}
}

// length returns the number of items in the queue.
func (l *lane) length() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.items
}

// each works on items from 0 on, several slices at once. The error comes from the context, or is
// the first one of work; then some items are not done.
func (l *lane) each(ctx context.Context, items int, hold bool, waited func(time.Duration), work func(ctx context.Context, j *verdict.Judge, i int) error) error {
	if items == 0 {
		return nil
	}
	if err := l.enter(ctx, items, hold); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(context.WithValue(ctx, inLaneOf{}, l))
	defer stop(nil)
	var mu sync.Mutex
	next := 0
	take := func() (from, to int) {
		mu.Lock()
		defer mu.Unlock()
		from = next
		next = min(next+l.slice, items)
		return from, next
	}
	loop := func() {
		for from, to := take(); from < to; from, to = take() {
			took := time.Duration(0)
			for at := from; at < to && ctx.Err() == nil; {
				took += l.work(ctx, &at, to, waited, func(ctx context.Context, j *verdict.Judge, i int) {
					if err := caught(func() error { return work(ctx, j, i) }); err != nil {
						stop(err)
					}
				})
			}
			l.leave(to-from, took)
		}
	}
	var others sync.WaitGroup
	for range min(cap(l.workers), (items+l.slice-1)/l.slice) - 1 {
		others.Go(loop)
	}
	loop()
	others.Wait()
	return context.Cause(ctx)
}

// caught works on an item, and turns a panic into a *verdict.BugError, so that it does not end the
// process.
func caught(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("bug", "panic", p, "stack", string(debug.Stack()))
			err = &verdict.BugError{What: fmt.Sprint(p)}
		}
	}()
	return work()
}

// work does a slice, or what sliceTime allows of it, as soon as a worker is free, and reports how long
// it waited.
func (l *lane) work(ctx context.Context, at *int, to int, waited func(time.Duration), work func(context.Context, *verdict.Judge, int)) time.Duration {
	asked := time.Now()
	select {
	case j := <-l.workers:
		defer func() { l.workers <- j }()
		start := time.Now()
		waited(start.Sub(asked))
		for ; *at < to && ctx.Err() == nil && time.Since(start) < sliceTime; *at++ {
			work(ctx, j, *at)
		}
		return time.Since(start)
	case <-ctx.Done():
		return 0
	}
}

// quick is how many operations a program may take, as its certificate says, to keep others waiting for
// their worker: those of about a sliceTime.
const quick = 1 << 24

// inLaneOf is the key of the lane whose worker the work of a context has to itself.
type inLaneOf struct{}

// aside leaves the worker of work that is to take so many operations to others, until back is called, if
// they are many. It returns when the work may begin, or when the context has ended.
func aside(ctx context.Context, ops uint64) (back func()) {
	l, ok := ctx.Value(inLaneOf{}).(*lane)
	if !ok || ops <= quick {
		return func() {}
	}
	l.workers <- l.judge() // the caller puts back its own
	select {
	case l.long <- struct{}{}:
		return func() { <-l.long; <-l.workers }
	case <-ctx.Done():
		return func() { <-l.workers }
	}
}

// processors returns how many workers compute at once.
func processors() int { return runtime.GOMAXPROCS(0) }
