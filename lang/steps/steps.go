// Package steps counts the work of the phases that read a program: tokens read,
// expressions visited, names compared. A [Counter] uses the count to decide when to poll
// for cancellation, and tests compare the count with the length of the text. Work that nobody can
// count is done [Within] the context.
package steps

import (
	"context"
	"fmt"
	"runtime/debug"
)

// Poll is how many steps are taken between two looks at the context: less than a
// millisecond.
const Poll = 1 << 12

// Counter counts steps. The zero value is never stopped.
type Counter struct {
	ctx   context.Context
	left  int // steps to the next look
	ended bool
}

// New returns a counter that looks at ctx, which may be nil.
func New(ctx context.Context) Counter { return Counter{ctx: ctx} }

// Add counts n steps and reports whether the context has ended.
func (c *Counter) Add(n int) bool {
	if c.left -= n; c.left <= 0 {
		c.look()
	}
	return c.ended
}

// look asks the context, and counts on from there.
func (c *Counter) look() {
	for ; c.left <= 0; c.left += Poll {
		c.ended = c.ended || c.ctx != nil && c.ctx.Err() != nil
	}
}

// Within returns what work does. If the context ends first, ok is false, and the work is left behind.
func Within[T any](ctx context.Context, work func() T) (result T, ok bool) {
	if ctx.Done() == nil {
		return work(), true
	}
	done, bug := make(chan T, 1), make(chan string, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				bug <- fmt.Sprintf("%v\n%s", r, debug.Stack())
			}
		}()
		done <- work()
	}()
	select {
	case result = <-done:
		return result, true
	case r := <-bug:
		panic(r)
	case <-ctx.Done():
		return result, false
	}
}

// Within is the function of that name for the context of a counter.
func (c *Counter) Within(work func()) bool {
	if c.ctx == nil {
		work()
		return true
	}
	_, ok := Within(c.ctx, func() struct{} { work(); return struct{}{} })
	return ok
}
