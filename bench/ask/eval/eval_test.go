package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
)

// instances returns n instances, of the categories in turn.
func instances(t testing.TB, n int) []*instance.Instance {
	t.Helper()
	var list []*instance.Instance
	for i := range n {
		in, _, err := instance.Generate(instance.NewID("test", category.Table[i%len(category.Table)].Name, i/len(category.Table), 3))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, in)
	}
	return list
}

// options asks a model n instances in one mode.
func options(t testing.TB, m model.Model, n int) Options {
	t.Helper()
	return Options{Dir: filepath.Join(t.TempDir(), "run"), Model: m, Instances: instances(t, n),
		Source: run.Source{File: "in.jsonl", SHA256: "00", Count: n}, Modes: []prompt.Mode{prompt.Direct},
		Encodings: []surface.Encoding{surface.NL}, Samples: 1, Prompts: prompt.DefaultPrompts(),
		Rand: func() float64 { return 0 }}
}

// scripted is a model whose replies a function gives. It counts what it is asked.
type scripted struct {
	reply func(ctx context.Context, r *model.Request, try int) (*model.Response, error)

	mu           sync.Mutex
	tries        map[string]int // by id, mode and sample
	flying, most int
}

func (s *scripted) Name() string { return "test:scripted" }

func (s *scripted) Body(r *model.Request) (json.RawMessage, error) {
	body := map[string]any{"system": r.System, "user": r.User, "params": r.Params}
	if len(r.Turns) > 0 {
		body["turns"] = r.Turns
	}
	return json.Marshal(body)
}

func (s *scripted) Ask(ctx context.Context, r *model.Request) (*model.Response, error) {
	s.mu.Lock()
	if s.tries == nil {
		s.tries = map[string]int{}
	}
	k := fmt.Sprint(r.ID, r.Mode, r.Sample)
	s.tries[k]++
	try := s.tries[k]
	s.flying++
	s.most = max(s.most, s.flying)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.flying--
		s.mu.Unlock()
	}()
	return s.reply(ctx, r, try)
}

func (s *scripted) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, k := range s.tries {
		n += k
	}
	return n
}

// said returns the reply of a model that depends on the request alone.
func said(r *model.Request) *model.Response {
	return &model.Response{Text: fmt.Sprintf(`{"answer": %d} %s %d`, len(r.User), r.Mode, r.Sample), Finish: model.Stop, Model: "scripted-1",
		Usage: model.Usage{Input: 100, Output: int64(10 + len(r.User)%7)}}
}

func patient(context.Context, *model.Request, int) (*model.Response, error) {
	panic("a model was asked that must not be")
}

// sorted returns the lines of the replies of a run, in order.
func sorted(t testing.TB, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, run.RepliesFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(b), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// bubble is a test in which time is virtual.
func bubble(t *testing.T, f func(t *testing.T)) { synctest.Test(t, f) }

func TestRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := &scripted{reply: func(_ context.Context, r *model.Request, _ int) (*model.Response, error) {
			time.Sleep(time.Second)
			return said(r), nil
		}}
		o := options(t, m, 30)
		o.Modes = []prompt.Mode{prompt.Direct, prompt.CoT}
		o.Samples = 2
		var last Progress
		o.Progress = func(p Progress) { last = p }
		sum, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if sum.Questions != 120 || sum.Asked != 120 || sum.Missing != 0 || m.asked() != 120 {
			t.Errorf("got %+v", sum)
		}
		if m.most < DefaultStart || m.most > DefaultMax {
			t.Errorf("%d requests at a time", m.most)
		}
		if last.Asked != 120 || last.Left != 0 || last.Rate == 0 {
			t.Errorf("progress at the end: %+v", last)
		}
		// Once complete, nothing is asked.
		m.reply = patient
		sum, err = Run(t.Context(), o)
		if err != nil || sum.Before != 120 || sum.Asked != 0 {
			t.Errorf("again: %+v, %v", sum, err)
		}
	})
}

// TestAccuracy tells how many replies are right while others are on their way.
func TestAccuracy(t *testing.T) {
	for behaviour, share := range map[string]int{"oracle": 1, "majority": 0} {
		m, err := model.Open("baseline:"+behaviour, model.Options{Instances: instances(t, 60)})
		if err != nil {
			t.Fatal(err)
		}
		o := options(t, m, 60)
		o.Modes = []prompt.Mode{prompt.Direct, prompt.Ein, prompt.Python}
		o.Schedule = Schedule{Start: 1, Max: 1}
		o.Accuracy = true
		var last Progress
		o.Progress = func(p Progress) { last = p }
		if _, err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if last.Judged < 60 || last.Judged > 120 || last.Right < share*last.Judged || share == 0 && last.Right == last.Judged {
			t.Errorf("%s: %d of %d are right", behaviour, last.Right, last.Judged)
		}
	}
}

// TestBackoff holds the waits of a request that fails again and again to the
// definition, on a clock of its own.
func TestBackoff(t *testing.T) {
	for name, c := range map[string]struct {
		err     model.Error
		retries int
		random  float64
		want    []time.Duration // waits before the tries after the first
	}{
		"doubles to the cap": {model.Error{Class: model.Overloaded, Status: 503}, 9, 0,
			[]time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second, time.Minute, time.Minute}},
		"jitter takes a quarter": {model.Error{Class: model.Transport}, 2, 1,
			[]time.Duration{375 * time.Millisecond, 750 * time.Millisecond}},
		"as the provider wants": {model.Error{Class: model.RateLimit, RetryAfter: 40 * time.Second}, 2, 0,
			[]time.Duration{40 * time.Second, 40 * time.Second}},
		"no retries": {model.Error{Class: model.Protocol}, -1, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var at []time.Time
				m := &scripted{reply: func(context.Context, *model.Request, int) (*model.Response, error) {
					at = append(at, time.Now())
					return nil, &c.err
				}}
				o := options(t, m, 1)
				o.Schedule.Retries = c.retries
				o.Rand = func() float64 { return c.random }
				sum, err := Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				if sum.GaveUp != 1 || sum.Missing != 1 || sum.FirstFailure == "" || sum.Retries != len(c.want) {
					t.Errorf("got %+v", sum)
				}
				var got []time.Duration
				for i := 1; i < len(at); i++ {
					got = append(got, at[i].Sub(at[i-1]))
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("waits %v, want %v", got, c.want)
				}
			})
		})
	}
}

// TestPace follows the number of requests at a time through two episodes.
func TestPace(t *testing.T) {
	now := time.Unix(0, 0)
	p := newPace(Schedule{}.withDefaults())
	said := func(n int) {
		for range n {
			p.replied(now, model.Limits{})
		}
	}
	want := func(slots int) {
		t.Helper()
		if p.slots() != slots {
			t.Fatalf("%d at a time, want %d", p.slots(), slots)
		}
	}
	want(20)
	said(19)
	want(20)
	said(1)
	want(21) // a step is one at least
	if !p.limited(now, 0) {
		t.Error("no episode begins")
	}
	want(16)
	if p.limited(now.Add(time.Second), 0) {
		t.Error("an episode begins within one")
	}
	want(16)
	said(100) // no growth while it cools down
	want(16)
	now = now.Add(DefaultCooldown)
	if !p.limited(now, time.Minute) {
		t.Error("no second episode")
	}
	want(13)
	now = now.Add(DefaultCooldown)
	if p.limited(now, 0) {
		t.Error("the provider's wait does not extend the cooldown")
	}
	if !p.pause.Equal(now.Add(time.Minute - DefaultCooldown)) {
		t.Errorf("paused until %v", p.pause)
	}
	now = now.Add(time.Minute)
	for range 1000 {
		said(100)
	}
	want(100)
	said(1000)
	want(100)
	for range 100 {
		now = now.Add(time.Hour)
		p.limited(now, 0)
	}
	want(1)
}

// TestRateLimitPauses shows that nothing is asked before a provider wants it.
func TestRateLimitPauses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		start := time.Now()
		var limited time.Time
		m := &scripted{}
		m.reply = func(_ context.Context, r *model.Request, _ int) (*model.Response, error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			if limited.IsZero() {
				limited = time.Now()
				return nil, &model.Error{Class: model.RateLimit, RetryAfter: 30 * time.Second}
			}
			if d := time.Since(limited); d > 0 && d < 30*time.Second {
				t.Errorf("asked %v after a rate limit that wants 30 s", d)
			}
			return said(r), nil
		}
		o := options(t, m, 60)
		sum, err := Run(t.Context(), o)
		if err != nil || sum.Asked != 60 || sum.Retries != 1 {
			t.Errorf("got %+v, %v", sum, err)
		}
		if d := time.Since(start); d != 30*time.Second {
			t.Errorf("it took %v", d)
		}
	})
}

func TestStops(t *testing.T) {
	ok := func(_ context.Context, r *model.Request, _ int) (*model.Response, error) { return said(r), nil }
	for name, c := range map[string]struct {
		reply  func(context.Context, *model.Request, int) (*model.Response, error)
		adjust func(*Options)
		reason Reason
		text   string
		most   int // requests
	}{
		"quota": {func(context.Context, *model.Request, int) (*model.Response, error) {
			return nil, &model.Error{Class: model.Quota, Status: 429, Message: "insufficient_quota"}
		}, nil, Refused, "insufficient_quota", 20},
		"key": {func(context.Context, *model.Request, int) (*model.Response, error) {
			return nil, &model.Error{Class: model.Denied, Status: 401, Message: "wrong key", Hint: "Set a key."}
		}, nil, Refused, "wrong key", 20},
		"refused": {func(context.Context, *model.Request, int) (*model.Response, error) {
			return nil, &model.Error{Class: model.Transport, Err: fmt.Errorf("dial: %w", syscall.ECONNREFUSED)}
		}, nil, Unreachable, "nothing can be reached", 22},
		"another server": {func(context.Context, *model.Request, int) (*model.Response, error) {
			return nil, &model.Error{Class: model.Protocol, Status: 200, Message: "an HTML page", Hint: "Check the base URL."}
		}, nil, Unreachable, "nothing answers: protocol: HTTP 200: an HTML page", 24 * 5},
		"a wait of a day": {func(context.Context, *model.Request, int) (*model.Response, error) {
			return nil, &model.Error{Class: model.RateLimit, RetryAfter: 24 * time.Hour}
		}, nil, Wait, "24h", 20},
		"budget": {ok, func(o *Options) {
			o.Price = &run.Price{Input: 10, Output: 100}
			o.Params.MaxTokens = 50
			o.MaxCost = 0.05
		}, Budget, "--max-cost 0.05", 25},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				m := &scripted{reply: c.reply}
				o := options(t, m, 60)
				if c.adjust != nil {
					c.adjust(&o)
				}
				sum, err := Run(t.Context(), o)
				var stop *StopError
				if !errors.As(err, &stop) || stop.Reason != c.reason || !strings.Contains(stop.Error(), c.text) {
					t.Fatalf("got %v", err)
				}
				if n := m.asked(); n > c.most {
					t.Errorf("%d requests", n)
				}
				if c.reason == Budget && (sum.Asked == 0 || sum.Cost > o.MaxCost) {
					t.Errorf("got %+v", sum)
				}
				// It can go on.
				m.reply, o.MaxCost = ok, 0
				if sum, err = Run(t.Context(), o); err != nil || sum.Missing != 0 {
					t.Errorf("resumed: %+v, %v", sum, err)
				}
			})
		})
	}
}

// TestNoKey begins no run that cannot be asked.
func TestNoKey(t *testing.T) {
	key := ""
	open := model.Options{Env: func(string) string { return key }}
	m, err := model.Open("openai:gpt-4o", open)
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := model.Record(m, filepath.Join(t.TempDir(), "traffic"), open)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []model.Model{m, recorded} {
		o := options(t, m, 1)
		var stop *StopError
		if _, err := Run(t.Context(), o); !errors.As(err, &stop) || stop.Reason != Refused || !strings.Contains(stop.Hint, "OPENAI_API_KEY") {
			t.Errorf("got %v", err)
		}
		if _, err := os.Stat(o.Dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("something is left behind: %v", err)
		}
	}
	key = "a-key"
	if err := model.Ready(m); err != nil {
		t.Errorf("with a key: %v", err)
	}
}

func TestUnreachableLater(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := &scripted{reply: func(_ context.Context, r *model.Request, try int) (*model.Response, error) {
			if r.Sample == 0 || try > 4 {
				return said(r), nil
			}
			return nil, &model.Error{Class: model.Transport, Err: syscall.ECONNREFUSED}
		}}
		o := options(t, m, 10)
		o.Samples = 2
		o.Schedule.Start = 1 // so that a reply comes first
		if sum, err := Run(t.Context(), o); err != nil || sum.Missing != 0 {
			t.Errorf("a server that restarts ends the run: %+v, %v", sum, err)
		}
	})
}

// TestOneThatFails asks the others when one request never succeeds, one at a time
// too.
func TestOneThatFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := &scripted{}
		o := options(t, m, 10)
		first := o.Instances[0].ID
		m.reply = func(_ context.Context, r *model.Request, _ int) (*model.Response, error) {
			if r.ID == first {
				return nil, &model.Error{Class: model.Transport, Message: "reset"}
			}
			return said(r), nil
		}
		o.Schedule.Start, o.Schedule.Max = 1, 1
		if sum, err := Run(t.Context(), o); err != nil || sum.Asked != 9 || sum.GaveUp != 1 {
			t.Errorf("%+v, %v", sum, err)
		}
	})
}

func TestRejected(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := &scripted{reply: func(_ context.Context, r *model.Request, _ int) (*model.Response, error) {
			if strings.Contains(r.ID, "cousin") {
				return nil, &model.Error{Class: model.Rejected, Status: 400, Message: "too long", Hint: "Ask less."}
			}
			return said(r), nil
		}}
		o := options(t, m, 26)
		sum, err := Run(t.Context(), o)
		if err != nil || sum.Rejected != 1 || sum.Missing != 1 || !strings.Contains(sum.FirstFailure, "too long") || sum.FirstHint != "Ask less." {
			t.Errorf("got %+v, %v", sum, err)
		}
		log, err := os.ReadFile(filepath.Join(o.Dir, run.LogFile))
		if err != nil || !strings.Contains(string(log), `"event":"rejected"`) {
			t.Errorf("the log lacks it: %v", err)
		}
		// It failed for reasons outside of the model: a resumed run asks again.
		before := m.asked()
		if sum, err = Run(t.Context(), o); err != nil || sum.Rejected != 1 || m.asked() != before+1 {
			t.Errorf("got %+v, %v", sum, err)
		}
	})
}

// TestInterrupt stops a run: what is on its way is kept, and nothing else asked.
func TestInterrupt(t *testing.T) {
	for name, drains := range map[string]bool{"in time": true, "too late": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				stop := make(chan struct{})
				var once sync.Once
				slow := time.Minute
				if !drains {
					slow = time.Hour
				}
				m := &scripted{reply: func(ctx context.Context, r *model.Request, _ int) (*model.Response, error) {
					once.Do(func() { time.AfterFunc(time.Second, func() { close(stop) }) })
					select {
					case <-time.After(slow):
						return said(r), nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}}
				o := options(t, m, 60)
				o.Schedule.Max = DefaultStart
				o.Stop = stop
				start := time.Now()
				sum, err := Run(t.Context(), o)
				var e *StopError
				if !errors.As(err, &e) || e.Reason != Interrupted {
					t.Fatalf("got %v", err)
				}
				want, took := DefaultStart, slow
				if !drains {
					want, took = 0, time.Second+DefaultDrain
				}
				if sum.Asked != want || m.asked() != DefaultStart || time.Since(start) != took {
					t.Errorf("after %v: %+v", time.Since(start), sum)
				}
				m.reply = func(_ context.Context, r *model.Request, _ int) (*model.Response, error) { return said(r), nil }
				o.Stop = nil
				if sum, err = Run(t.Context(), o); err != nil || sum.Before != want || sum.Missing != 0 {
					t.Errorf("resumed: %+v, %v", sum, err)
				}
			})
		})
	}
}

// TestCancel ends a run at once.
func TestCancel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		m := &scripted{reply: func(ctx context.Context, _ *model.Request, _ int) (*model.Response, error) {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		start := time.Now()
		var e *StopError
		if _, err := Run(ctx, options(t, m, 60)); !errors.As(err, &e) || e.Reason != Interrupted || time.Since(start) != 0 {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

func TestAnotherConfiguration(t *testing.T) {
	m := &scripted{reply: func(_ context.Context, r *model.Request, _ int) (*model.Response, error) { return said(r), nil }}
	o := options(t, m, 5)
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	m.reply = patient
	// How it is asked is no part of it.
	o.Schedule = Schedule{Start: 1, Max: 2, Retries: 3}
	o.Version = "another"
	if _, err := Run(t.Context(), o); err != nil {
		t.Error(err)
	}
	x := 0.3
	o.Params.Temperature = &x
	var other *ConfigError
	if _, err := Run(t.Context(), o); !errors.As(err, &other) || !strings.Contains(err.Error(), "params.temperature: not set, now 0.3") {
		t.Errorf("got %v", err)
	}
	if _, err := Missing(&o); !errors.As(err, &other) || other.Empty {
		t.Errorf("got %v", err)
	}
	// A run that has failed before its first reply has nothing to lose.
	o.Dir = filepath.Join(t.TempDir(), "empty")
	m.reply = func(context.Context, *model.Request, int) (*model.Response, error) {
		return nil, &model.Error{Class: model.Denied}
	}
	var stop *StopError
	if _, err := Run(t.Context(), o); !errors.As(err, &stop) {
		t.Fatalf("got %v", err)
	}
	o.Params.Temperature = nil
	if _, err := Run(t.Context(), o); !errors.As(err, &other) || !other.Empty {
		t.Errorf("got %v", err)
	}
}

// TestResumeIsTheSame stops runs after every number of replies: resumed, they are
// byte for byte what a run without a stop is, order aside.
func TestResumeIsTheSame(t *testing.T) {
	const n = 12
	reply := func(_ context.Context, r *model.Request, _ int) (*model.Response, error) { return said(r), nil }
	price := &run.Price{Input: 1.1, Output: 3.3}
	whole := options(t, &scripted{reply: reply}, n)
	whole.Price = price
	if _, err := Run(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	want := sorted(t, whole.Dir)
	for after := range n {
		asked := 0
		m := &scripted{reply: func(ctx context.Context, r *model.Request, try int) (*model.Response, error) {
			if asked++; asked > after {
				return nil, &model.Error{Class: model.Quota}
			}
			return reply(ctx, r, try)
		}}
		o := options(t, m, n)
		o.Price = price
		o.Schedule = Schedule{Start: 1, Max: 1}
		sum, err := Run(t.Context(), o)
		if err == nil || sum.Asked != after {
			t.Fatalf("after %d: %+v, %v", after, sum, err)
		}
		m.reply = reply
		if sum, err = Run(t.Context(), o); err != nil || sum.Asked != n-after {
			t.Fatalf("after %d: %+v, %v", after, sum, err)
		}
		if got := sorted(t, o.Dir); got != want {
			t.Fatalf("resumed after %d replies, the run differs:\n%s\nwant\n%s", after, got, want)
		}
	}
}

func TestCache(t *testing.T) {
	m := &scripted{reply: func(_ context.Context, r *model.Request, _ int) (*model.Response, error) {
		out := said(r)
		if strings.Contains(r.ID, "cousin") {
			out.Text = "" // not worth keeping
		}
		return out, nil
	}}
	o := options(t, m, 26)
	o.Samples = 2
	o.Cache = filepath.Join(t.TempDir(), "cache")
	if sum, err := Run(t.Context(), o); err != nil || sum.Asked != 52 || sum.Cached != 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
	want := sorted(t, o.Dir)
	again := o
	again.Dir = filepath.Join(t.TempDir(), "again")
	if sum, err := Run(t.Context(), again); err != nil || sum.Asked != 2 || sum.Cached != 50 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if got := sorted(t, again.Dir); got != want {
		t.Error("the run from the cache differs")
	}
	// Files that are damaged are told of and asked for again.
	files, err := filepath.Glob(filepath.Join(o.Cache, "*", "*.json"))
	if err != nil || len(files) != 50 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], bytes.Replace(b, []byte("answer"), []byte("anwser"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	told := ""
	again.Dir = filepath.Join(t.TempDir(), "third")
	again.Warn = func(s string) { told += s }
	if sum, err := Run(t.Context(), again); err != nil || sum.Asked != 3 || !strings.Contains(told, "checksum") {
		t.Fatalf("%+v, %v, told %q", sum, err, told)
	}
	if after, _ := os.ReadFile(files[0]); !bytes.Equal(after, b) {
		t.Error("the damaged file is not replaced")
	}
	// Of several, the first is told at once and the number of the others at the end.
	for _, name := range files[:3] {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	told, again.Dir = "", filepath.Join(t.TempDir(), "damaged")
	if sum, err := Run(t.Context(), again); err != nil || sum.Asked != 5 || !strings.HasSuffix(told, "the cache failed for 2 replies more") {
		t.Fatalf("%+v, %v, told %q", sum, err, told)
	}
	// Another temperature is another request.
	x := 1.0
	again.Dir, again.Params.Temperature = filepath.Join(t.TempDir(), "fourth"), &x
	if sum, err := Run(t.Context(), again); err != nil || sum.Cached != 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
}

func TestSelect(t *testing.T) {
	all := instances(t, 80)
	got, err := Select(all, nil, 30)
	if err != nil || len(got) != 30 {
		t.Fatalf("%d, %v", len(got), err)
	}
	count := map[string]int{}
	for _, in := range got {
		count[in.Category]++
		count[in.Level]++
	}
	for _, c := range category.Table {
		if level := fmt.Sprint("L", c.Level); count[level] != 10 || count[c.Name] > 2 {
			t.Errorf("%d of %s, %d of %s", count[c.Name], c.Name, count[level], level)
		}
	}
	if !slices.IsSortedFunc(got, func(a, b *instance.Instance) int { return slices.Index(all, a) - slices.Index(all, b) }) {
		t.Error("the order is another")
	}
	if got, err = Select(all, []string{"cousin", "reachability"}, 0); err != nil || len(got) < 6 {
		t.Errorf("%d, %v", len(got), err)
	}
	for _, in := range got {
		if in.Category != "cousin" && in.Category != "reachability" {
			t.Errorf("got one of %s", in.Category)
		}
	}
	if _, err := Select(all, []string{"cousins"}, 0); err == nil {
		t.Error("a category that does not exist is taken")
	}
	if _, err := Select(all[:1], []string{"cousin", "reachability"}, 0); err == nil {
		t.Error("a category without instances is taken")
	}
}

func TestSurfaces(t *testing.T) {
	all := instances(t, 26)
	got, err := Surfaces(all, 3)
	if err != nil || len(got) != 78 {
		t.Fatalf("%d, %v", len(got), err)
	}
	for i, in := range got {
		of := all[i/3]
		switch {
		case in.StructuralSeed != of.StructuralSeed || in.EinProgram != of.EinProgram:
			t.Errorf("%s is of another structure than %s", in.ID, of.ID)
		case (in.ID == of.ID) != (i%3 == 0), (in.Question == of.Question) != (i%3 == 0):
			t.Errorf("%s has the surface of %s", in.ID, of.ID)
		}
	}
	other := *all[0]
	other.EinProgram += "\n"
	if _, err := Surfaces([]*instance.Instance{&other}, 2); err == nil {
		t.Error("an instance that was changed is taken")
	}
	if same, err := Surfaces(all, 1); err != nil || len(same) != len(all) {
		t.Errorf("%d, %v", len(same), err)
	}
}

func TestEncode(t *testing.T) {
	all := instances(t, 26)
	got, encodings, err := Encode(all, surface.Encodings())
	if err != nil || len(got) != 78 || len(encodings) != 3 {
		t.Fatalf("%d, %v", len(got), err)
	}
	for i, in := range got {
		id, err := instance.ParseID(in.ID)
		if err != nil || id.Encoding != surface.Encodings()[i%3] || in.EinProgram != all[i/3].EinProgram {
			t.Errorf("%d is %s", i, in.ID)
		}
	}
	// Without encodings it is that of the file, if it has one.
	if _, encodings, err = Encode(all, nil); err != nil || len(encodings) != 1 || encodings[0] != surface.NL {
		t.Errorf("%v, %v", encodings, err)
	}
	if _, _, err = Encode(got[:2], nil); err == nil {
		t.Error("a file of two encodings is taken")
	}
	if _, _, err = Encode(got[:2], surface.Encodings()); err == nil {
		t.Error("one instance in two encodings is asked twice")
	}
	other := *all[0]
	other.EinProgram += "\n"
	if _, _, err = Encode([]*instance.Instance{&other}, []surface.Encoding{surface.JSON}); err == nil {
		t.Error("an instance that was changed is taken")
	}
}

func TestPrices(t *testing.T) {
	p, err := ReadPrices(strings.NewReader(`{"openai:*": {"input": 1, "output": 2}, "openai:gpt-*-mini": {"input": 0.1, "cached_input": 0, "output": 0.2}, "*": {"input": 9, "output": 9}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, input := range map[string]float64{"openai:gpt-9": 1, "openai:gpt-9-mini": 0.1, "openai:org/gpt": 1, "gemini:x": 9} {
		if got := p.For(name); got == nil || got.Input != input {
			t.Errorf("%s costs %+v", name, got)
		}
	}
	u := model.Usage{Input: 1_000_000, CachedInput: 500_000, Output: 1_000_000}
	if got := cost(p.For("openai:gpt-9-mini"), u); got != 0.05+0.2 {
		t.Errorf("it costs %v", got)
	}
	if got := cost(p.For("openai:gpt-9"), u); got != 3 {
		t.Errorf("it costs %v", got)
	}
	if (Prices{"a": {}}).For("b") != nil {
		t.Error("a price from nowhere")
	}
	for _, bad := range []string{``, `{"a":{"input":1}}`, `{"a":{"input":-1,"output":1}}`, `{"a":{"input":1,"output":1e7}}`, `{"a":{"inputs":1,"output":1}}`, `{} {}`, `[]`} {
		if _, err := ReadPrices(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestMatches holds patterns to a definition that tries everything.
func TestMatches(t *testing.T) {
	var slow func(pattern, name string) bool
	slow = func(pattern, name string) bool {
		if pattern == "" {
			return name == ""
		}
		if pattern[0] == '*' {
			return slow(pattern[1:], name) || name != "" && slow(pattern, name[1:])
		}
		return name != "" && pattern[0] == name[0] && slow(pattern[1:], name[1:])
	}
	words := func(alphabet string, n int) []string {
		out := []string{""}
		for from := 0; len(out[from]) < n; from++ {
			for _, r := range alphabet {
				out = append(out, out[from]+string(r))
			}
		}
		return out
	}
	for _, pattern := range words("ab*", 5) {
		for _, name := range words("ab", 5) {
			if matches(pattern, name) != slow(pattern, name) {
				t.Fatalf("%q and %q: %v", pattern, name, matches(pattern, name))
			}
		}
	}
}

// TestScore scores baselines of which the right shares are known, with any number
// of workers, and never asks.
func TestScore(t *testing.T) {
	list := instances(t, 52)
	m, err := model.Open("baseline:oracle-ein", model.Options{Instances: list})
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, m, len(list))
	o.Modes, o.Turns, o.Tools = prompt.Modes(), 2, echo{}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	var first []byte
	for workers := range 3 {
		got, err := run.Judge(t.Context(), o.Dir, run.JudgeOptions{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if got.Scored != (len(prompt.Modes())-1)*len(list) || got.Unscored != len(list) {
			t.Errorf("%d scored and %d not", got.Scored, got.Unscored)
		}
		b, err := os.ReadFile(filepath.Join(o.Dir, run.ScoresFile))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b
		} else if !bytes.Equal(b, first) {
			t.Error("the scores depend on the workers")
		}
		for _, l := range Lines(got.Run) {
			switch {
			case l.Mode == prompt.Python && (l.Scored != 0 || l.Strict != nil || l.Unscored != l.Asked):
				t.Errorf("Python without a sandbox: %+v", l)
			case l.Mode != prompt.Python && (l.Strict == nil || l.Strict.Rate != 1 || l.Infra != 0):
				t.Errorf("the oracle: %+v", l)
			}
		}
	}
	r, err := run.Read(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Rows {
		if (r.Rows[i].Score == nil) != (r.Rows[i].Mode == prompt.Python) {
			t.Errorf("row %d: %+v", i, r.Rows[i].Score)
		}
	}
}

// noPython is a sandbox that fails.
type noPython struct{}

func (noPython) Run(context.Context, string) (string, error) { return "", errors.New("no namespaces") }

func TestScorePythonFails(t *testing.T) {
	list := instances(t, 4)
	m, err := model.Open("baseline:oracle", model.Options{Instances: list})
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, m, len(list))
	o.Modes = []prompt.Mode{prompt.Python}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	got, err := run.Judge(t.Context(), o.Dir, run.JudgeOptions{Python: noPython{}})
	if err != nil || got.Failed != 4 || !strings.Contains(got.First, "no namespaces") {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, l := range Lines(got.Run) {
		if l.Scored != 0 || l.Infra != l.Asked || l.Strict != nil {
			t.Errorf("a failure of the sandbox is an answer of the model: %+v", l)
		}
	}
}

// TestHalfCounted: dollars that leave tokens out are said to be too low.
func TestHalfCounted(t *testing.T) {
	m := &scripted{reply: func(_ context.Context, r *model.Request, _ int) (*model.Response, error) {
		out := said(r)
		out.Usage.Output = 0
		return out, nil
	}}
	o := options(t, m, 4)
	o.Price = &run.Price{Input: 1, Output: 1}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	r, err := run.Read(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if text := Text(r); !strings.Contains(text, "\n4 replies were not counted by the provider in full: tokens and dollars are too low.\n") {
		t.Error(text)
	}
}

// counted is a sandbox in which programs fail, and which counts them.
type counted struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *counted) Run(_ context.Context, program string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[program]++
	return "", &verdict.ProgramError{Outcome: verdict.RuntimeError}
}

// TestScoreOnce scores equal programs with one run each.
func TestScoreOnce(t *testing.T) {
	list := instances(t, 26)
	encodings := surface.Encodings()
	all, _, err := Encode(list, encodings)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open("baseline:oracle-ein", model.Options{Instances: all})
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, m, len(list))
	o.Instances, o.Encodings, o.Modes, o.Samples = all, encodings, []prompt.Mode{prompt.Python}, 2
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	c := &counted{n: map[string]int{}}
	got, err := run.Judge(t.Context(), o.Dir, run.JudgeOptions{Python: c})
	if err != nil || got.Scored != 2*len(all) || got.Failed > 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	for program, n := range c.n {
		if n > 1 {
			t.Errorf("%d runs of\n%s", n, program)
		}
	}
	if len(c.n) > len(list) {
		t.Errorf("%d programs for %d graphs", len(c.n), len(list))
	}
	// Without a sandbox the scores that are there stay: their replies are the same.
	got, err = run.Judge(t.Context(), o.Dir, run.JudgeOptions{})
	if err != nil || got.Scored != 2*len(all) || got.Unscored > 0 {
		t.Fatalf("%+v, %v", got, err)
	}
}

// TestFinish passes on why a model stopped: a reply that was cut off is no format
// error.
func TestFinish(t *testing.T) {
	m := &scripted{reply: func(context.Context, *model.Request, int) (*model.Response, error) {
		return &model.Response{Text: "Let me see. First", Finish: model.Length}, nil
	}}
	o := options(t, m, 3)
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	got, err := run.Judge(t.Context(), o.Dir, run.JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range got.Run.Rows {
		if row.Score.Outcome != answer.NoAnswer {
			t.Errorf("got %s", row.Score.Outcome)
		}
	}
}

func TestEstimate(t *testing.T) {
	m := &scripted{reply: patient}
	o := options(t, m, 10)
	o.Params.MaxTokens = 5
	o.Price = &run.Price{Input: 1e6, Output: 2e6} // dollars for a token
	rows, err := Missing(&o)
	if err != nil || len(rows) != 10 {
		t.Fatalf("%d, %v", len(rows), err)
	}
	e := EstimateRun(&o, rows)
	input, bytes := int64(0), 0
	for i, in := range o.Instances {
		bytes += o.bytes(&rows[i])
		input += prompt.Tokens(o.Prompts[prompt.Direct]) + prompt.Tokens(in.Question) + 2*perMessage
	}
	if e.Requests != 10 || e.Input != input || e.Output > 50 || e.MostOutput != 50 || e.Cost != float64(e.Input+2*e.Output) || e.MostCost != float64(bytes+100) {
		t.Errorf("got %+v", e)
	}
	if _, err := os.Stat(o.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("an estimate leaves something behind")
	}
}

// FuzzPrices reads files of prices: what is taken is prices, for whatever name.
func FuzzPrices(f *testing.F) {
	f.Add([]byte(`{"a*": {"input": 1, "cached_input": 0.5, "output": 2}}`), "abc")
	f.Add([]byte(`{"": {"input": 1e308, "output": 0}}`), "")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		p, err := ReadPrices(bytes.NewReader(data))
		if err != nil {
			return
		}
		if price := p.For(name); price != nil {
			if c := cost(price, model.Usage{Input: 2, CachedInput: 1, Output: 1}); c < 0 || c != c {
				t.Errorf("%s costs %v", name, c)
			}
		}
	})
}

// FuzzCache reads files of a cache that nobody has written: what is taken is what
// putting it back writes.
func FuzzCache(f *testing.F) {
	c := &cache{dir: f.TempDir(), model: "m"}
	name, err := c.name(json.RawMessage(`{"a": 1}`), 0)
	if err != nil {
		f.Fatal(err)
	}
	if err := c.put(name, said(&model.Request{User: "u"})); err != nil {
		f.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)-3])
	f.Add([]byte(`{"sha256":"","response":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := entryOf(name, data)
		if err != nil {
			return
		}
		if got == nil {
			t.Fatal("neither a response nor an error")
		}
	})
}

// TestAcceptVersion goes on with other prompts only when it is told to, and keeps both.
func TestAcceptVersion(t *testing.T) {
	m := &scripted{reply: func(_ context.Context, r *model.Request, _ int) (*model.Response, error) {
		if strings.Contains(r.ID, "cousin") && !strings.Contains(r.System, "new") {
			return nil, &model.Error{Class: model.Rejected, Status: 400}
		}
		return said(r), nil
	}}
	o := options(t, m, 26)
	if sum, err := Run(t.Context(), o); err != nil || sum.Missing != 1 {
		t.Fatal(sum, err)
	}
	o.Prompts = prompt.Prompts{prompt.Direct: "A new prompt."}
	var other *ConfigError
	if _, err := Run(t.Context(), o); !errors.As(err, &other) || !other.Version || len(other.Differences) != 2 {
		t.Fatalf("got %v", err)
	}
	o.AcceptVersion = true
	o.Samples = 2
	if _, err := Run(t.Context(), o); !errors.As(err, &other) || other.Version {
		t.Errorf("other samples are no other version: %v", err)
	}
	o.Samples = 1
	if rows, err := Missing(&o); err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
	if sum, err := Run(t.Context(), o); err != nil || sum.Missing != 0 {
		t.Fatal(sum, err)
	}
	o.AcceptVersion = false // it is the version of the run now
	if sum, err := Run(t.Context(), o); err != nil || sum.Before != 26 {
		t.Error(sum, err)
	}
	r, err := run.Read(o.Dir)
	if err != nil || len(r.Config.Accepted) != 1 || r.Config.Prompts[prompt.Direct] == r.Config.Accepted[0].Prompts[prompt.Direct] {
		t.Fatalf("%+v, %v", r, err)
	}
	runs := map[string]int{}
	for _, row := range r.Rows {
		runs[row.Reply.Run]++
	}
	if len(runs) != 2 {
		t.Errorf("the replies do not say what they are of: %v", runs)
	}
}

// TestGrows reaches the most requests at a time in seconds, although a reply takes
// minutes, and is right about the time that is left from the first reply on.
func TestGrows(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const took = 100 * time.Second
		m := &scripted{reply: func(_ context.Context, r *model.Request, _ int) (*model.Response, error) {
			time.Sleep(took)
			return said(r), nil
		}}
		o := options(t, m, 1000)
		start := time.Now()
		var reached, first time.Duration
		o.Progress = func(p Progress) {
			if p.Flying == DefaultMax && reached == 0 {
				reached = time.Since(start)
			}
			if p.Asked > 0 && first == 0 {
				first = p.Left
			}
		}
		if sum, err := Run(t.Context(), o); err != nil || sum.Missing != 0 {
			t.Fatal(sum, err)
		}
		if reached == 0 || reached > ramp+time.Second {
			t.Errorf("%d requests at a time after %v", DefaultMax, reached)
		}
		if left := time.Since(start) - took; first < left*8/10 || first > left*12/10 {
			t.Errorf("after the first reply %v are said to be left, and it was %v", first, left)
		}
	})
}

// TestRoom uses all that a disk can hold, and asks for nothing that does not fit.
func TestRoom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const all = 256 << 10
		m := &scripted{reply: func(_ context.Context, r *model.Request, _ int) (*model.Response, error) {
			time.Sleep(time.Second)
			reply := said(r)
			reply.Reasoning = strings.Repeat("so ", 200+len(r.User)%100)
			return reply, nil
		}}
		o := options(t, m, 400)
		used := func() (n int64) {
			for _, name := range []string{run.RepliesFile, run.LogFile} {
				if info, err := os.Stat(filepath.Join(o.Dir, name)); err == nil {
					n += info.Size()
				}
			}
			return n
		}
		o.room = func(string) (int64, bool) { return all - used(), true }
		sum, err := Run(t.Context(), o)
		var stop *StopError
		if !errors.As(err, &stop) || stop.Reason != Disk || !strings.Contains(stop.Error(), "the disk is full") {
			t.Fatalf("%+v, %v", sum, err)
		}
		if n := used(); n > all || n < all*94/100 || m.asked() != sum.Asked {
			t.Errorf("%d of %d bytes are used, and %d replies of %d kept", n, all, sum.Asked, m.asked())
		}
		o.room = nil
		if sum, err = Run(t.Context(), o); err != nil || sum.Missing != 0 {
			t.Error(sum, err)
		}
	})
}

// TestRoomForTurns counts what a model said before its reply, which is longer than the reply.
func TestRoomForTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const all = 64 << 10
		m := &scripted{reply: func(_ context.Context, r *model.Request, _ int) (*model.Response, error) {
			if len(r.Turns) > 0 {
				return said(r), nil
			}
			long := `{"program":"` + strings.Repeat("so ", 3000) + `"}`
			return &model.Response{Finish: model.ToolCalls, Model: "scripted-1", Calls: []model.Call{{ID: "a", Name: "run", Args: long}}, Said: json.RawMessage(`"said"`)}, nil
		}}
		o := options(t, m, 400)
		o.Modes, o.Turns, o.Tools = []prompt.Mode{prompt.Tool}, 3, echo{}
		o.room = func(string) (int64, bool) {
			info, err := os.Stat(filepath.Join(o.Dir, run.RepliesFile))
			if err != nil {
				return all, true
			}
			return all - info.Size(), true
		}
		_, err := Run(t.Context(), o)
		var stop *StopError
		if !errors.As(err, &stop) || stop.Reason != Disk {
			t.Fatal(err)
		}
		if room, _ := o.room(""); room < 0 {
			t.Errorf("%d bytes more were written than there are", -room)
		}
	})
}

// echo is tools of which run fails on the program bad.
type echo struct{}

func (echo) List() []model.Tool { return []model.Tool{{Name: "run"}} }

func (echo) Call(_ context.Context, _, args string) (string, bool, error) {
	return "said " + args, strings.Contains(args, "bad"), nil
}

// TestUnaskedCalls: a model that calls tools where it has none has given its reply.
func TestUnaskedCalls(t *testing.T) {
	m := &scripted{reply: func(context.Context, *model.Request, int) (*model.Response, error) {
		return &model.Response{Finish: model.ToolCalls, Model: "scripted-1", Calls: []model.Call{{ID: "a", Name: "run", Args: "{}"}}, Said: json.RawMessage(`"said"`)}, nil
	}}
	for _, tools := range []Tools{nil, echo{}} {
		o := options(t, m, 1)
		o.Modes, o.Turns, o.Tools = []prompt.Mode{prompt.Direct}, 3, tools
		if sum, err := Run(t.Context(), o); err != nil || sum.Missing != 0 {
			t.Fatalf("%v: %+v", err, sum)
		}
		r, err := run.Read(o.Dir)
		if err != nil || len(r.Rows[0].Reply.Turns) > 0 || r.Rows[0].Reply.Finish != model.ToolCalls {
			t.Errorf("%v: %+v", err, r.Rows[0].Reply)
		}
	}
}

// TestTurns: a dialogue is one reply with all that was said and what it took. One that was
// stopped between two turns goes on where it was, and none is asked twice; the bound on
// the cost counts every turn.
func TestTurns(t *testing.T) {
	stop := make(chan struct{})
	asked := 0
	m := &scripted{reply: func(_ context.Context, r *model.Request, _ int) (*model.Response, error) {
		asked++
		out := &model.Response{Finish: model.ToolCalls, Model: "scripted-1", Usage: model.Usage{Input: 100, Output: 10}, Said: json.RawMessage(`{"a":"x > 0"}`)}
		for _, turn := range r.Turns {
			if string(turn.Said) != string(out.Said) {
				t.Errorf("after %d requests the model is told it said %s", asked, turn.Said)
			}
		}
		switch n := len(r.Turns); {
		case r.Final:
			out.Finish, out.Text = model.Stop, `{"answer": 1}`
		case n == 0:
			out.Calls = []model.Call{{ID: "a", Name: "run", Args: "bad"}}
		default:
			out.Calls = []model.Call{{ID: "b", Name: "run", Args: "good"}}
			if r.Turns[0].Results[0] != (model.Result{Text: "said bad", Failed: true}) {
				t.Errorf("the second turn is told %+v", r.Turns[0].Results)
			}
		}
		if asked == 2 {
			close(stop)
		}
		return out, nil
	}}
	o := options(t, m, 1)
	o.Modes, o.Turns, o.Tools, o.Stop = []prompt.Mode{prompt.Tool}, 3, echo{}, stop
	o.Price, o.Params.MaxTokens, o.MaxCost = &run.Price{Input: 1000, Output: 1000}, 20, 100
	var e *StopError
	sum, err := Run(t.Context(), o)
	if !errors.As(err, &e) || e.Reason != Interrupted || sum.Missing != 1 || asked != 2 {
		t.Fatalf("%v after %d requests: %+v", err, asked, sum)
	}
	o.Stop = nil
	if sum, err = Run(t.Context(), o); err != nil || sum.Missing != 0 || asked != 3 {
		t.Fatalf("%v after %d requests: %+v", err, asked, sum)
	}
	// Its first turns were on the bill of requests without a reply, until they had one.
	if billed, err := run.ReadBilled(o.Dir); err != nil || billed != 0 || sum.Unanswered != 0 {
		t.Errorf("%v are billed, $%v without a reply: %v", billed, sum.Unanswered, err)
	}
	r, err := run.Read(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	reply := r.Rows[0].Reply
	if len(reply.Turns) != 2 || reply.Turns[0].Calls[0] != (run.ToolCall{Tool: "run", Args: "bad", Result: "said bad", Failed: true}) ||
		reply.Usage != (model.Usage{Input: 300, Output: 30}) || reply.Reply != `{"answer": 1}` || reply.Cost != 0.33 {
		t.Errorf("the reply is %+v", reply)
	}
	if _, err := run.Judge(t.Context(), o.Dir, run.JudgeOptions{}); err != nil {
		t.Fatal(err)
	}
	light, err := run.ReadLight(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*run.Run{r, light} {
		if d := r.Rows[0].Dialogue(); d != (run.Dialogue{Turns: 2, First: true, Mended: true}) {
			t.Errorf("the dialogue is %+v", d)
		}
	}
	if said := light.Rows[0].Said(); said == 0 {
		t.Error("a light row does not know its answer")
	}

	o.Dir, o.MaxCost, asked = filepath.Join(t.TempDir(), "dear"), 3.4, 2
	if sum, err = Run(t.Context(), o); !errors.As(err, &e) || e.Reason != Budget || asked == 2 || asked == 5 {
		t.Errorf("%v after %d requests: %+v", err, asked-2, sum)
	}
}
