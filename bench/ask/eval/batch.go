package eval

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/internal/words"
)

// batched is the state of a loop that asks in batches. A batch may outlive the session that
// submitted it, so open is on disk (run.WriteBatches) before and after each step: what is submitted
// has a tag of ours, by which it is found again if the session ends before it knows the id.
type batched struct {
	open  []*run.Batch
	tasks map[int]*task // of the rows in batches, those that are answered aside
	most  int           // requests of a batch
	fails int           // of calls in a row
	hold  time.Time     // no call before it
	maybe string        // a batch that was told of
}

const (
	firstPoll = time.Second // then half as long again each time
	lastPoll  = time.Minute
	// settle is how long a batch is looked for that may have been submitted: lists of a
	// provider may be late.
	settle = 2 * time.Minute
	// beside is what a batch has around the body of a request, in bytes.
	beside = 256
)

// known counts what is known of batches: that they were begun, their ids, and replies. Whenever it
// changes, the provider is asked soon again.
func (l *loop) known() int {
	n := len(l.open) + l.now
	for _, x := range l.open {
		if x.ID != "" {
			n++
		}
	}
	return n
}

// askBatches asks in batches, and collects those that an earlier session has left. It does one
// thing after another, since the work is the provider's.
func (l *loop) askBatches(ctx context.Context, b *model.Batcher) error {
	if err := l.reopen(); err != nil {
		return err
	}
	first := cmp.Or(l.o.poll, firstPoll)
	poll := first
	for {
		before := l.known()
		l.collect(ctx, b)
		l.submit(ctx, b)
		l.tell()
		switch {
		case l.ended != nil || len(l.open)+len(l.todo)+len(l.later) == 0:
			return nil
		case l.o.Leave && len(l.open) > 0 && !time.Now().Before(l.hold) && !slices.ContainsFunc(l.open, func(x *run.Batch) bool { return x.ID == "" && l.maybe == "" }):
			l.leave(errors.New("not waited for"))
			return nil
		}
		if poll = min(poll*3/2, max(first, lastPoll)); l.known() != before {
			poll = first
		}
		at := time.Now().Add(poll)
		if l.hold.After(at) {
			at = l.hold
		}
		for wait := true; wait && l.ended == nil; l.tell() {
			select {
			case <-time.After(min(tick, time.Until(at))):
				wait = time.Now().Before(at)
			case <-l.o.Stop:
				l.leave(errors.New("interrupted"))
			case <-ctx.Done():
				l.leave(context.Cause(ctx))
			}
		}
	}
}

// leave ends the session. Its batches go on at the provider.
func (l *loop) leave(why error) {
	reason := Interrupted
	if l.o.Leave {
		reason = Batched
	}
	e := &StopError{Reason: reason, Err: why}
	if len(l.open) > 0 {
		e.Err = fmt.Errorf("%w: the provider is still working on %s of %s", why, words.Plural(len(l.open), "batch", "batches"), words.Plural(len(l.tasks), "request", "requests"))
		e.Hint = "The same command collects the answers, for as long as the provider keeps them."
	}
	l.end(e)
}

// reopen removes the rows of existing batches from the work. What they may cost is reserved again,
// in place of what the last session left on the bill.
func (l *loop) reopen() (err error) {
	rows := l.w.Run().Rows
	if l.open, err = run.ReadBatches(l.o.Dir, len(rows)); err != nil {
		return err
	}
	l.most, l.tasks = l.o.Batch, map[int]*task{}
	there := map[int]float64{}
	for _, x := range l.open {
		if l.o.MaxCost > 0 { // what is billed has it as well
			l.lost = max(0, l.lost-x.Reserved)
		}
		for _, at := range x.Rows {
			there[at] = x.Reserved / float64(len(x.Rows))
		}
	}
	l.todo = slices.DeleteFunc(l.todo, func(t *task) bool {
		reserve, ok := there[t.at]
		if ok {
			t.reserve = reserve
			l.take(t)
		}
		return ok
	})
	return nil
}

// take counts a request as in flight.
func (l *loop) take(t *task) {
	l.tasks[t.at] = t
	l.flying++
	l.reserved += t.reserve
}

// back counts a request as no longer in flight.
func (l *loop) back(t *task) {
	delete(l.tasks, t.at)
	l.flying--
	l.reserved -= t.reserve
}

// save writes the list of batches. If it cannot, the run ends.
func (l *loop) save() bool {
	err := run.WriteBatches(l.o.Dir, l.open)
	if err != nil {
		l.end(&StopError{Reason: Disk, Err: err})
	}
	return err == nil
}

// drop forgets a batch, and gives those of its requests that have no answer.
func (l *loop) drop(x *run.Batch) (left []*task) {
	l.open = slices.DeleteFunc(l.open, func(y *run.Batch) bool { return x == y })
	for _, at := range x.Rows {
		if t := l.tasks[at]; t != nil {
			l.back(t)
			left = append(left, t)
		}
	}
	l.save()
	return left
}

// trouble handles the error of a call to the provider, and reports whether there was one. A call
// that may pass is tried again after a while, and so is everything else until then; others end the
// session, and the batches go on.
func (l *loop) trouble(err error) bool {
	var e *model.Error
	switch {
	case err == nil:
		l.fails = 0
		return false
	case !errors.As(err, &e):
		if l.ended == nil {
			l.leave(err)
		}
	case e.Passes() && l.fails < l.pace.Retries:
		l.fails++
		l.sum.Retries++
		wait := l.pace.wait(l.fails, e, l.o.Rand)
		l.hold = time.Now().Add(wait)
		l.w.Log(run.Event{Time: time.Now(), Event: "retry", Attempt: l.fails, Class: string(e.Class), Status: e.Status, Code: e.Code, Message: e.Error(), WaitMS: wait.Milliseconds()})
	case e.Passes():
		l.end(&StopError{Reason: Unreachable, Err: e, Hint: cmp.Or(e.Hint, "Run the same command later: the batches continue at the provider.")})
	default:
		l.end(&StopError{Reason: Refused, Err: e, Hint: e.Hint})
	}
	return true
}

// collect takes in the results of batches. A reply is kept when it is read, so results that break
// off are read on in the next session.
func (l *loop) collect(ctx context.Context, b *model.Batcher) {
	for _, x := range slices.Clone(l.open) {
		if l.ended != nil || time.Now().Before(l.hold) {
			return
		}
		if x.ID == "" && !l.find(ctx, b, x) {
			continue
		}
		var failed []*result
		before := l.now
		state, err := b.Collect(ctx, x.ID, x.Tag, len(x.Rows), func(at int, response *model.Response, e *model.Error) error {
			t := l.tasks[x.Rows[at]]
			switch {
			case t == nil: // it was kept before
			case e != nil:
				failed = append(failed, &result{task: t, err: e})
			default:
				r := &result{task: t}
				r.name, r.cache = l.cacheName(t)
				if l.keep(r, response); r.disk == nil {
					l.back(t)
				}
				l.handle(r)
				if l.o.Accuracy {
					l.judge(ctx, t.row, r.reply)
				}
				return r.disk
			}
			return nil
		})
		if e, ok := errors.AsType[*model.Error](err); ok && e.Status == http.StatusNotFound {
			l.o.Warn(fmt.Sprintf("the provider no longer has the batch %s; its unanswered requests are sent again", x.ID))
			l.todo = append(l.todo, l.drop(x)...)
			continue
		}
		if l.now > before { // each try brings the end nearer
			l.fails = 0
		}
		if l.trouble(err) || !state.Ended {
			continue
		}
		l.w.Log(run.Event{Time: time.Now(), Event: "batch", ID: x.ID, Message: state.Status})
		for _, r := range failed {
			l.back(r.task)
			l.handle(r)
		}
		for _, t := range l.drop(x) {
			l.handle(&result{task: t, err: state.Failed})
		}
	}
}

// find looks for a batch that may have been submitted: a session ended, or a call failed, before
// its id was known.
func (l *loop) find(ctx context.Context, b *model.Batcher, x *run.Batch) bool {
	id, err := b.Find(ctx, x.Tag, len(x.Rows), x.Time)
	var maybe *model.UndecidedError
	switch {
	case errors.As(err, &maybe):
		if l.maybe != maybe.ID {
			l.o.Warn(maybe.Error())
		}
		l.maybe = maybe.ID
	case l.trouble(err):
	case id != "":
		x.ID = id
		return l.save()
	case time.Since(x.Time) > cmp.Or(l.o.settle, settle):
		l.todo = append(l.todo, l.drop(x)...)
	}
	return false
}

// submit sends a batch of what is still to be asked. The batch is on disk before it is sent. If the
// call fails so that the provider may have it, it stays there without an id, and find looks for it.
func (l *loop) submit(ctx context.Context, b *model.Batcher) {
	for l.ended == nil && !time.Now().Before(l.hold) {
		select {
		case <-l.o.Stop:
			return // which the wait sees
		default:
		}
		list := l.gather(b)
		if len(list) == 0 {
			return
		}
		var tag [12]byte
		_, _ = rand.Read(tag[:]) // it does not fail
		x := &run.Batch{Tag: "ein-" + hex.EncodeToString(tag[:]), Time: time.Now().UTC().Truncate(time.Second)}
		requests := make([]*model.Request, len(list))
		for i, t := range list {
			requests[i] = l.o.request(t.row)
			x.Rows = append(x.Rows, t.at)
			x.Reserved += t.reserve
		}
		l.open = append(l.open, x)
		if !l.save() {
			return
		}
		id, err := b.Submit(ctx, x.Tag, requests)
		var e *model.Error
		if err == nil {
			x.ID = id
			if !l.save() {
				return
			}
			l.w.Log(run.Event{Time: time.Now(), Event: "batch", ID: id, Message: fmt.Sprintf("submitted, %s", words.Plural(len(list), "request", "requests"))})
		} else if errors.As(err, &e) && e.Unbilled() { // it was not accepted
			left := l.drop(x)
			if e.Status == http.StatusRequestEntityTooLarge && len(left) > 1 {
				l.most = len(left) / 2
				l.o.Warn(fmt.Sprintf("the provider does not take a batch of %d requests: %s; asking in batches of %d", len(left), e.Message, l.most))
				err = nil
			} else if e.Class == model.Rejected {
				l.handle(&result{task: left[0], err: e})
				left, err = left[1:], nil
			}
			l.todo = append(left, l.todo...)
		}
		if l.trouble(err) {
			return
		}
	}
}

// gather takes the requests of a batch from the work, except those whose reply is in the cache. It
// is filled up to what the provider takes in requests and in bytes, and to what can be afforded.
func (l *loop) gather(b *model.Batcher) (list []*task) {
	now := time.Now()
	for len(l.later) > 0 && !l.later[0].due.After(now) {
		l.todo, l.later = append(l.todo, l.later[0]), l.later[1:]
	}
	requests, bytes := b.Most()
	for len(l.todo) > 0 && len(list) < min(requests, l.most) {
		t := l.todo[0]
		if r := (&result{}); l.cached(t, r) {
			l.todo = l.todo[1:]
			l.handle(r)
			continue
		}
		bytes -= l.o.bytes(t.row) + beside
		if bytes < 0 && len(list) > 0 || !l.afford(t) || !l.fits() {
			break
		}
		l.todo = l.todo[1:]
		l.take(t)
		list = append(list, t)
	}
	return list
}
