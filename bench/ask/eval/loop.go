package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/prompt"
	"ein/internal/words"
)

// loop is a run in progress. One goroutine owns all of its state; each request is a goroutine that
// hands its result back.
//
// The limit on the cost holds as long as spent + lost + reserved never exceeds it: spent is what
// replies have cost, lost what requests without a reply may have, and reserved what those on their
// way may. A result moves its task's reserve from reserved to one of the others.
type loop struct {
	o     *Options
	w     *run.Writer
	cache *cache
	pace  *pace
	start time.Time

	todo    []*task
	later   []*task // to be tried again, the first that is due first
	flying  int
	results chan result

	sum      Summary
	now      int           // replies of this session
	spent    float64       // dollars, of the run
	reserved float64       // dollars, that requests on their way may cost
	longest  int64         // output of any reply so far, in tokens
	hidden   int64         // tokens of input beyond the bytes of the request: what a server adds
	lost     float64       // dollars, that requests without a reply or a count of tokens may have cost
	begun    float64       // dollars, that turns of replies to come have cost
	billed   float64       // what run.BilledFile has of the last three
	line     int64         // bytes that a reply has taken at most, in all files
	took     time.Duration // by all replies of the model
	refused  int           // connections
	answered bool          // a reply has come, so there is a server
	ended    *StopError
	failed   bool // the disk failed: replies in flight cannot be kept
	cacheBad int  // failures of the cache, of which the first is told at once

	price   *run.Price    // of this session
	group   model.Grouper // asks Options.Batch at once, if it is not nil
	batched               // used with Options.Batch

	judges        sync.Pool // of *verdict.Judge
	judged, right atomic.Int64
}

// task is a row that still needs a reply.
type task struct {
	row     *run.Row
	at      int // its place in the run
	tries   int // that have failed
	due     time.Time
	bytes   int     // of the request
	reserve float64 // dollars

	turns []model.Turn // so far
	said  []run.Turn   // the same, as it is kept
}

// result is the outcome of a request.
type result struct {
	*task
	reply  *run.Reply
	more   *model.Turn // in place of a reply: the model has called tools
	turn   run.Turn    // what was said, with what it took
	limits model.Limits
	name   string // of the cache's file
	cached bool
	id     string // of the provider
	took   time.Duration
	err    error // of the model
	disk   error // of the run
	cache  error // of the cache, which ends nothing
}

// newLoop makes the missing rows the work. Replies of earlier sessions count against MaxCost, and
// show how many tokens the server adds to a request.
func newLoop(o *Options, w *run.Writer) *loop {
	l := &loop{o: o, w: w, pace: newPace(o.Schedule), results: make(chan result), price: o.price()}
	rows := w.Run().Rows
	l.sum.Questions = len(rows)
	for i := range rows {
		if r := rows[i].Reply; r != nil {
			l.sum.Before++
			l.count(r.Usage, r.Cost)
			if o.MaxCost > 0 && len(r.Turns) == 0 {
				l.hidden = max(l.hidden, r.Usage.Input-int64(o.bytes(&rows[i])))
			}
			continue
		}
		l.todo = append(l.todo, &task{row: &rows[i], at: i})
	}
	return l
}

// count adds the tokens and the cost of a request.
func (l *loop) count(u model.Usage, cost float64) {
	l.sum.Usage = l.sum.Usage.Plus(u)
	l.spent += cost
	l.longest = max(l.longest, u.Output)
}

// summary is what the run has done so far. What is neither on disk nor newly answered is missing.
func (l *loop) summary() Summary {
	s := l.sum
	s.Cost, s.Unanswered = l.spent, l.lost
	s.Missing = s.Questions - s.Before - s.Asked - s.Cached
	s.Elapsed = time.Since(l.start).Seconds()
	return s
}

// tick is the interval between progress reports when nothing else happens.
const tick = time.Second

// run does the work. In the end the bill holds only what requests without a reply may have cost:
// what was reserved for others is released.
func (l *loop) run(ctx context.Context, batcher *model.Batcher) error {
	l.start = time.Now()
	var err error
	if l.cache, err = newCache(l.o); err != nil {
		return &StopError{Reason: Disk, Err: fmt.Errorf("cannot use the cache: %w", err)}
	}
	if l.o.MaxCost > 0 {
		if l.lost, err = run.ReadBilled(l.o.Dir); err != nil {
			return err
		}
		l.billed = l.lost
	}
	l.w.Log(run.Event{Time: l.start, Event: "begin", Limit: l.pace.slots()})
	if batcher != nil {
		err = l.askBatches(ctx, batcher)
	} else {
		l.askEach(ctx)
	}
	if err != nil {
		return err
	}
	if l.o.MaxCost > 0 {
		if l.flying == 0 {
			l.reserved = 0 // but for what sums are off by
		}
		l.bill(l.lost + l.begun + l.reserved)
	}
	if more := l.cacheBad - 1; more > 0 {
		l.o.Warn(fmt.Sprintf("the cache failed for %s more", words.Plural(more, "reply", "replies")))
	}
	event := run.Event{Time: time.Now(), Event: "end", Limit: l.pace.slots(), TookMS: time.Since(l.start).Milliseconds()}
	if l.ended != nil {
		event.Class, event.Message = string(l.ended.Reason), l.ended.Error()
	}
	l.w.Log(event)
	if l.ended != nil {
		return l.ended
	}
	return nil
}

// askEach sends requests one by one, with several in flight. Once the run is to end, nothing more
// is sent, and replies on their way are waited for as long as Drain says; then, or when the disk
// fails, they are cancelled.
func (l *loop) askEach(ctx context.Context) {
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	stop, done := l.o.Stop, ctx.Done()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var drained <-chan time.Time
	for {
		if l.ended == nil {
			l.fill(asking)
		}
		if l.ended != nil && drained == nil {
			drained = time.After(l.o.Drain)
		}
		if l.failed {
			cancel()
		}
		if l.flying == 0 && (l.ended != nil || len(l.todo)+len(l.later) == 0) {
			return
		}
		select {
		case r := <-l.results:
			l.flying--
			l.reserved -= r.reserve
			var e *model.Error
			if r.disk != nil || r.err != nil && (!errors.As(r.err, &e) || !e.Unbilled()) {
				l.lost += r.reserve
			}
			l.handle(&r)
		case <-l.nextStart():
		case <-ticker.C:
		case <-stop:
			stop = nil
			l.end(&StopError{Reason: Interrupted, Err: errors.New("interrupted")})
		case <-drained:
			cancel()
		case <-done:
			done = nil
			l.end(&StopError{Reason: Interrupted, Err: context.Cause(ctx)})
		}
		l.tell()
	}
}

// end stops the run. The first reason counts.
func (l *loop) end(e *StopError) {
	if l.ended == nil {
		l.ended = e
	}
}

// fill starts as many requests as pace and budget allow.
func (l *loop) fill(ctx context.Context) {
	l.pace.grow(time.Since(l.start))
	var group []*task
	for slots := l.slots(); l.flying < slots; {
		t := l.next()
		if t == nil {
			break
		}
		l.flying++
		l.reserved += t.reserve
		if l.group == nil {
			go func() { l.give(ctx, t.row, l.ask(ctx, t)) }()
		} else if group = append(group, t); len(group) == l.o.Batch {
			go l.askAll(ctx, group)
			group = nil
		}
	}
	if len(group) > 0 {
		go l.askAll(ctx, group)
	}
}

// slots returns how many requests may be in flight. A group starts when there is room for all of
// it.
func (l *loop) slots() int {
	n := l.limit()
	if l.group != nil && n-l.flying < min(l.o.Batch, len(l.todo)+len(l.later)) {
		return 0
	}
	return n
}

// limit returns how many requests may be in flight at once.
func (l *loop) limit() int {
	if l.group != nil {
		return l.o.Batch * l.group.Groups()
	}
	return l.pace.slots()
}

// next takes a request that may be sent now; nil if there is none.
func (l *loop) next() *task {
	now := time.Now()
	if l.ended != nil || now.Before(l.pace.pause) {
		return nil
	}
	// What is tried again goes first: it has waited.
	again := len(l.later) > 0 && !l.later[0].due.After(now)
	var t *task
	switch {
	case again:
		t = l.later[0]
	case len(l.todo) > 0 && (l.answered || len(l.later) < enough): // or the rest would fail as well
		t = l.todo[0]
	default:
		return nil
	}
	if !l.afford(t) || !l.fits() {
		return nil
	}
	if again {
		l.later = l.later[1:]
	} else {
		l.todo = l.todo[1:]
	}
	return t
}

// give hands a result to the loop.
func (l *loop) give(ctx context.Context, row *run.Row, r result) {
	reply := r.reply
	l.results <- r
	if l.o.Accuracy && reply != nil {
		l.judge(ctx, row, reply)
	}
}

// askAll does for a group what ask does for one request.
func (l *loop) askAll(ctx context.Context, group []*task) {
	began := time.Now()
	results := make([]result, len(group))
	var asked []int
	var requests []*model.Request
	for i, t := range group {
		if !l.cached(t, &results[i]) {
			asked, requests = append(asked, i), append(requests, l.o.request(t.row))
		}
	}
	if len(asked) > 0 {
		responses, failed := l.group.AskAll(ctx, requests)
		for k, i := range asked {
			r := &results[i]
			r.took = time.Since(began)
			if r.err = failed[k]; r.err == nil {
				l.keep(r, responses[k])
			}
		}
	}
	for i, t := range group {
		l.give(ctx, t.row, results[i])
	}
}

// nextStart fires when something may start that has to wait now, unless a result comes first.
func (l *loop) nextStart() <-chan time.Time {
	if l.ended != nil || l.flying >= l.slots() {
		return nil
	}
	var at time.Time
	if len(l.later) > 0 {
		at = l.later[0].due
	}
	now := time.Now()
	if now.Before(l.pace.pause) && (len(l.todo) > 0 || at.Before(l.pace.pause)) {
		at = l.pace.pause
	}
	if at.IsZero() || !at.After(now) {
		return nil // it waits for money, which a result may set free
	}
	return time.After(at.Sub(now))
}

// afford reports whether a request fits the limit on the cost, if it and all requests in flight
// cost as much as they can. No tokenizer makes more tokens of a text than it has bytes; what a
// server puts around it shows in its earlier counts.
func (l *loop) afford(t *task) bool {
	if l.o.MaxCost <= 0 {
		return true
	}
	t.bytes = l.o.bytes(t.row, t.turns...)
	t.reserve = most(l.price, int64(t.bytes)+l.hidden, max(int64(l.o.Params.MaxTokens), l.longest))
	used := l.spent + l.lost + l.reserved + t.reserve
	if used <= l.o.MaxCost {
		// Who goes on after a kill has to know what was on its way. Steps keep writes rare.
		const step = 1.25
		if need := l.lost + l.begun + l.reserved + t.reserve; need > l.billed {
			l.bill(min(need*step, need+l.o.MaxCost-used))
		}
		return l.ended == nil
	}
	if l.flying == 0 {
		lost := ""
		if l.lost > 0 {
			lost = fmt.Sprintf(", requests without a reply or a count of tokens may have cost $%.4f", l.lost)
		}
		l.end(&StopError{Reason: Budget,
			Err:  fmt.Errorf("the run has cost $%.4f%s, and the next request could cost up to $%.4f: more than --max-cost %g", l.spent, lost, t.reserve, l.o.MaxCost),
			Hint: "Give the same command a higher --max-cost to go on."})
	}
	return false
}

// fits reports whether the disk has room for one more reply besides those in flight: every request
// is paid for, so its reply must be kept. A reply is expected to be at most twice as long as the
// longest so far.
func (l *loop) fits() bool {
	const first, files = 32 << 10, 2 * 4096 // before any reply; what a block of the two files may leave unused
	each := int64(first)
	if l.line > 0 {
		each = 2 * l.line
	}
	room, known := l.o.room(l.o.Dir)
	if !known || room >= files+each*int64(l.flying+1) {
		return true
	}
	if l.flying == 0 {
		l.end(&StopError{Reason: Disk, Err: fmt.Errorf("the disk is full: %d bytes are free, and a reply may take %d", room, files+each),
			Hint: "Free some space, then run the same command. No reply is lost."})
	}
	return false
}

// bill records what requests without a reply may have cost.
func (l *loop) bill(most float64) {
	if most == l.billed {
		return
	}
	if err := run.WriteBilled(l.o.Dir, most); err != nil {
		l.end(&StopError{Reason: Disk, Err: err})
		return
	}
	l.billed = most
}

// ask gets a reply and keeps it. It runs beside the loop and touches none of its
// state.
func (l *loop) ask(ctx context.Context, t *task) (r result) {
	r.task = t
	began := time.Now()
	defer func() {
		r.took = time.Since(began)
		if r.more != nil {
			l.call(ctx, &r)
		}
	}()
	if l.cached(t, &r) {
		return r
	}
	response, err := l.o.Model.Ask(ctx, l.o.request(t.row, t.turns...))
	if err != nil {
		r.err = err
		return r
	}
	l.keep(&r, response)
	return r
}

// cached takes a reply from the cache, if it is there, and keeps it.
func (l *loop) cached(t *task, r *result) bool {
	r.task = t
	if l.cache == nil {
		return false
	}
	var response *model.Response
	if r.name, r.cache = l.cacheName(t); r.cache == nil {
		response, r.cache = l.cache.get(r.name)
	}
	if r.cached = response != nil; r.cached {
		l.keep(r, response)
	}
	return r.cached
}

// cacheName returns the file of a reply in the cache, "" without one.
func (l *loop) cacheName(t *task) (string, error) {
	if l.cache == nil {
		return "", nil
	}
	body, err := l.o.body(t.row, t.turns...)
	if err != nil {
		return "", err
	}
	return l.cache.name(body, t.row.Sample)
}

// keep writes a reply to the run and the cache. A turn is only in the cache until its reply comes.
// The goroutines of requests call it, so it changes nothing but its result, the writer and the cache,
// which many may use at once.
func (l *loop) keep(r *result, response *model.Response) {
	r.limits, r.id = response.Limits, response.RequestID
	r.turn = run.Turn{Text: response.Text, Reasoning: response.Reasoning, Usage: response.Usage, Cost: cost(l.price, response.Usage)}
	calls := r.row.Mode == prompt.Tool && response.Finish == model.ToolCalls && len(r.turns)+1 < l.o.Turns
	if !calls {
		reply := run.Reply{Key: r.row.Key, Model: response.Model, Reply: response.Text, Finish: response.Finish,
			Reasoning: response.Reasoning, Turns: r.said, Usage: r.turn.Usage, Cost: r.turn.Cost}
		for i := range r.said {
			reply.Usage, reply.Cost = reply.Usage.Plus(r.said[i].Usage), reply.Cost+r.said[i].Cost
		}
		r.reply, r.disk = &reply, l.w.Append(reply)
	}
	if r.disk == nil && r.name != "" && !r.cached && (calls || l.o.Cache != "") {
		r.cache = errors.Join(r.cache, l.cache.put(r.name, response))
	}
	if calls {
		r.more = &model.Turn{Said: response.Said, Calls: response.Calls}
	}
}

// call calls the tools that a model wants.
func (l *loop) call(ctx context.Context, r *result) {
	for _, c := range r.more.Calls {
		text, failed, err := l.o.Tools.Call(ctx, c.Name, c.Args)
		if err != nil {
			r.err = err
			return
		}
		r.more.Results = append(r.more.Results, model.Result{Text: text, Failed: failed})
		r.turn.Calls = append(r.turn.Calls, run.ToolCall{Tool: c.Name, Args: c.Args, Result: text, Failed: failed})
	}
}

// judge scores a reply for the progress that is shown. Scoring the run has the last word.
func (l *loop) judge(ctx context.Context, row *run.Row, reply *run.Reply) {
	q, err := verdict.NewQuestion(row.Instance, false)
	if err != nil || row.Mode == prompt.Python { // which needs a sandbox
		return
	}
	j, ok := l.judges.Get().(*verdict.Judge)
	if !ok {
		j = verdict.New(verdict.Options{})
	}
	defer l.judges.Put(j)
	v, err := j.Reply(ctx, q, &verdict.Line{Reply: reply.Reply, Mode: row.Mode, Finish: string(reply.Finish)})
	if err != nil || v.Outcome == answer.InfraError {
		return
	}
	if v.Strict {
		l.right.Add(1)
	}
	l.judged.Add(1)
}

// handle takes in the result of a request.
func (l *loop) handle(r *result) {
	now := time.Now()
	if r.cache != nil {
		if l.cacheBad++; l.cacheBad == 1 {
			l.o.Warn(fmt.Sprintf("the cache: %v", r.cache))
		}
	}
	event := run.Event{Time: now, Key: &r.row.Key, Attempt: r.tries + 1, TookMS: r.took.Milliseconds(), ID: r.id}
	defer func() { l.w.Log(event) }()
	if r.disk != nil {
		event.Event, event.Message = "stopped", r.disk.Error()
		l.failed = true
		l.end(&StopError{Reason: Disk, Err: r.disk, Hint: "The replies that were reported done are safe. Make room, or see to the disk, then give the same command."})
		return
	}
	if r.err == nil {
		event.Event = "reply"
		if r.more != nil {
			event.Event = "turn"
		}
		before := l.pace.slots()
		l.replied(r, now)
		if now := l.pace.slots(); now != before {
			event.Limit = now
		}
		return
	}
	var e *model.Error
	if !errors.As(r.err, &e) {
		event.Event, event.Message = "stopped", r.err.Error()
		if l.ended != nil {
			return // cancelled with the run
		}
		e = &model.Error{Class: model.Transport, Err: r.err}
	}
	event.Class, event.Status, event.Code, event.Message = string(e.Class), e.Status, e.Code, e.Error()
	switch {
	case e.Ends():
		event.Event = "stopped"
		l.end(&StopError{Reason: Refused, Err: e, Hint: e.Hint})
	case !e.Passes():
		event.Event = "rejected"
		l.sum.Rejected++
		l.fail(r, e)
	default:
		event.Event = "retry"
		l.again(r, e, &event)
	}
}

// replied counts a turn. The cost of turns whose reply is still to come is in begun, so that it
// stays on the bill if the run stops; the reply, which records it, takes it out.
func (l *loop) replied(r *result, now time.Time) {
	l.count(r.turn.Usage, r.turn.Cost)
	l.hidden = max(l.hidden, r.turn.Usage.Input-int64(r.bytes))
	if !r.cached && !r.turn.Usage.Counts(r.turn.Text) {
		l.lost += r.reserve // the server does not say what it used
	}
	if r.more != nil {
		l.begun += r.turn.Cost
		// The run that asked it had it on the bill of requests without a reply.
		if r.cached {
			if l.lost -= r.turn.Cost; l.lost < 1e-9 { // sums are off by that
				l.lost = 0
			}
		}
		r.turns, r.said, r.tries = append(r.turns, *r.more), append(r.said, r.turn), 0
		l.delay(r.task, now)
		if !r.cached {
			l.answered = true
			l.pace.replied(now, r.limits)
		}
		return
	}
	for i := range r.said {
		l.begun -= r.said[i].Cost
	}
	l.now++
	const beside = 512               // names, numbers, and the line of the log
	turns, _ := json.Marshal(r.said) // of texts and numbers
	l.line = max(l.line, beside+int64(len(r.reply.Reply)+len(r.reply.Reasoning)+len(turns)))
	if r.cached {
		l.sum.Cached++
		return
	}
	l.answered = true
	l.sum.Asked++
	l.took += r.took
	l.pace.replied(now, r.limits)
}

// fail counts a reply that will be missing.
func (l *loop) fail(r *result, e *model.Error) {
	if l.sum.FirstFailure == "" {
		l.sum.FirstFailure, l.sum.FirstHint = fmt.Sprintf("%s, %s: %v", r.row.ID, r.row.Mode, e), e.Hint
	}
}

// Before the first reply there may be nobody to give one. Refused connections say so
// early. A wait, an HTML page or a program that ends at once may pass, but not as
// often for one request.
const (
	enough  = 3 // refused connections; requests that wait, and no more are asked
	hopeful = 5 // failures of one request that is neither limited nor overloaded
)

// again schedules another try of a request, if that can help.
func (l *loop) again(r *result, e *model.Error, event *run.Event) {
	now := event.Time
	if e.Class == model.RateLimit && l.pace.limited(now, e.RetryAfter) {
		event.Limit = l.pace.slots()
	}
	if !l.answered && unreachable(e) {
		l.refused++
		if l.refused >= min(enough, l.sum.Questions-l.sum.Before) {
			l.end(&StopError{Reason: Unreachable, Err: fmt.Errorf("nothing can be reached: %w", e),
				Hint: "Check the address and that the server runs, then give the same command."})
		}
	}
	if e.RetryAfter > l.pace.MaxWait {
		l.end(&StopError{Reason: Wait, Err: fmt.Errorf("the provider asks to wait %v: %w", e.RetryAfter.Round(time.Second), e),
			Hint: "Run the same command then."})
	}
	r.tries++
	l.pace.failed = true
	if !l.answered && r.tries >= hopeful && (e.Class == model.Transport || e.Class == model.Protocol) {
		l.end(&StopError{Reason: Unreachable, Err: fmt.Errorf("nothing answers: %w", e),
			Hint: cmp.Or(e.Hint, "See to the model, then give the same command.")})
	}
	switch {
	case l.ended != nil:
		event.Event = "stopped"
	case r.tries > l.pace.Retries:
		event.Event = "gave_up"
		l.sum.GaveUp++
		l.fail(r, e)
	default:
		wait := l.pace.wait(r.tries, e, l.o.Rand)
		event.WaitMS = wait.Milliseconds()
		l.sum.Retries++
		l.delay(r.task, now.Add(wait))
	}
}

// wsaRefused is the error of Windows for a refused connection.
const wsaRefused = syscall.Errno(10061)

// unreachable reports whether an error means that nobody listens, or that the host does not exist.
func unreachable(err error) bool {
	var dns *net.DNSError
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, wsaRefused) || errors.As(err, &dns) && dns.IsNotFound
}

// tell reports the progress. There is no rate while batches of a provider are under way.
func (l *loop) tell() {
	if l.o.Progress == nil {
		return
	}
	p := Progress{Summary: l.summary(), Flying: l.flying, Limit: l.limit(), Paused: max(0, time.Until(l.pace.pause)), Judged: int(l.judged.Load()), Batches: len(l.open)}
	p.Right = min(int(l.right.Load()), p.Judged) // one may have been counted since
	if p.Elapsed > 0 && l.now > 0 && (l.o.Batch == 0 || l.group != nil) {
		p.Rate = float64(l.now) / p.Elapsed
		// Until the requests at a time have been answered twice, the rate is that of the
		// fastest of them, and says nothing: how long one takes says more.
		if n := l.sum.Asked; n > 0 && n < 2*p.Limit {
			p.Rate = float64(min(p.Limit, n+p.Missing)) / (l.took.Seconds() / float64(n))
		}
		p.Left = time.Duration(float64(p.Missing) / p.Rate * float64(time.Second))
	}
	l.o.Progress(p)
}

// delay has a request asked again at a time, after those that are due by then.
func (l *loop) delay(t *task, due time.Time) {
	t.due = due
	at := sort.Search(len(l.later), func(i int) bool { return l.later[i].due.After(due) })
	l.later = slices.Insert(l.later, at, t)
}
