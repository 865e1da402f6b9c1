package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"

	"ein"
	"ein/internal/codes"
	"ein/lang/steps"
)

// timedOut is the cause of a context that --timeout ends.
type timedOut time.Duration

func (d timedOut) Error() string {
	return fmt.Sprintf("the time limit of %v is over", time.Duration(d))
}

// Context ends after the timeout, if there is one, and when the user interrupts the command. A
// second interrupt kills the command, in case it does not end.
func (a *App) Context(timeout time.Duration) (context.Context, func()) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	ctx, cancel := Within(ctx, timeout)
	return ctx, func() { cancel(); stop() }
}

// Within returns a context that also ends after the timeout, if there is one.
func Within(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, timeout, timedOut(timeout))
}

// StopMessage says why a context has ended, and what to do about it.
func StopMessage(ctx context.Context) (message, hint string) {
	if limit, ok := errors.AsType[timedOut](context.Cause(ctx)); ok {
		return limit.Error(), fmt.Sprintf("Give it longer, as in `--timeout %v`.", 10*time.Duration(limit))
	}
	return "interrupted", ""
}

// Stopped returns the error of a command that was stopped while it read.
func Stopped(ctx context.Context) *ein.Error {
	return StoppedWhile(ctx, "the program or its data was being read")
}

// StoppedWhile returns the error of a command that was stopped while it did something other than
// computing.
func StoppedWhile(ctx context.Context, what string) *ein.Error {
	message, hint := StopMessage(ctx)
	return Input(codes.E0533, "", 0, message+", while "+what, hint)
}

// await returns the result of f, or the cause of the context if that ends first; then f is left
// behind.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	r, ok := steps.Within(ctx, func() result {
		v, err := f()
		return result{v, err}
	})
	if !ok {
		r.err = context.Cause(ctx)
	}
	return r.value, r.err
}

// Output is a writer whose writes fail when the context ends, even while they wait for a reader.
type Output struct {
	W       io.Writer
	Ctx     context.Context
	Longer  time.Duration // how much later a write has to end
	Begun   bool
	Written uint64 // bytes, for certain
	buf     []byte // what is being written: the caller's is its own again
	left    bool   // a write was left behind, or the context has ended in one
}

// LastWords is how long a stopped command waits for somebody to read its last message.
const LastWords = 200 * time.Millisecond

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	if o.left || o.Longer == 0 && o.Ctx.Err() != nil {
		return 0, context.Cause(o.Ctx)
	}
	ctx, stop := after(o.Ctx, o.Longer)
	defer stop()
	o.Begun = true
	o.buf = append(o.buf[:0], p...)
	n, err := await(ctx, func() (int, error) { return o.W.Write(o.buf) })
	o.left = ctx.Err() != nil
	o.Written += uint64(n)
	return n, err
}

// after returns a context that ends some time after another one, but not before that time from now.
func after(ctx context.Context, d time.Duration) (context.Context, func()) {
	if d == 0 {
		return ctx, func() {}
	}
	late, cancel := context.WithCancelCause(context.Background())
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(d, func() { cancel(context.Cause(ctx)) }) })
	return late, func() {
		stop()
		cancel(nil)
	}
}
