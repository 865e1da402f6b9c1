// Package steps counts the work of the phases that read a program: tokens read,
// expressions visited, names compared. A [Counter] uses the count to decide when to poll
// for cancellation, and tests compare the count with the length of the text.
package steps

import "context"

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
