package eval

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ein/bench/ask/model"
	"ein/bench/ask/model/fake"
	"ein/bench/ask/run"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
)

// batchServer returns a provider that is none, and its address.
func batchServer(t *testing.T, o fake.Options) (*fake.Server, string) {
	t.Helper()
	o.Instances, o.Behaviour, o.Wait = instances(t, batchRows), "noisy-ein@0.1", time.Millisecond
	s, err := fake.New(o)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return s, h.URL
}

const batchRows = 11

// direct is a server that is asked without a network.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w, got := httptest.NewRecorder(), httptest.NewRequest(r.Method, r.URL.String(), r.Body)
	got.Header = r.Header
	d.ServeHTTP(w, got)
	return w.Result(), nil
}

// batchOptions asks one of the providers at an address in batches, by a client of its own or another.
func batchOptions(t *testing.T, provider, url string, by ...*http.Client) Options {
	t.Helper()
	name := map[string]string{"openai": "gpt-4.1", "anthropic": "claude-haiku-4-5", "gemini": "gemini-2.5-flash"}[provider]
	base := fake.BaseURL(provider, url)
	with := model.Options{BaseURL: base, Env: func(string) string { return fake.DefaultKey }}
	if len(by) > 0 {
		with.HTTP = by[0]
	}
	m, err := model.Open(provider+":"+name, with)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, m, batchRows)
	o.BaseURL = base
	o.Batch, o.poll, o.settle = batchRows, time.Millisecond, time.Microsecond
	o.Schedule = hasty(1)
	return o
}

// TestBatches asks each provider in batches, with all that can become of one, and gets
// what it gets when it asks one by one, for half the price.
func TestBatches(t *testing.T) {
	for _, provider := range []string{"openai", "anthropic", "gemini"} {
		_, url := batchServer(t, fake.Options{})
		one := batchOptions(t, provider, url)
		one.Batch = 0
		one.Price = &run.Price{Input: 2, Output: 8}
		whole, err := Run(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			fault  string
			rate   float64
			size   int
			missed int // replies at the end of a run
		}{
			{"", 0, batchRows, 0}, {"", 0, 4, 0}, {"", 0.3, 4, 0}, {"batch-expired", 0.7, 5, 0}, {"batch-errored", 0.7, 5, 0},
			{"batch-lost", 0.5, 3, 0}, {"batch-too-large", 1, batchRows, 0}, {"batch-cancelled", 1, batchRows, 6},
		} {
			t.Run(fmt.Sprint(provider, " ", c.fault, c.rate, " ", c.size), func(t *testing.T) {
				f := fake.Options{FaultRate: c.rate, Latency: 3 * time.Millisecond}
				if c.fault != "" {
					f.Faults = []string{c.fault}
				}
				server, url := batchServer(t, f)
				o := batchOptions(t, provider, url)
				o.BaseURL, o.Batch, o.Price, o.Accuracy = one.BaseURL, c.size, one.Price, true
				sum, err := Run(t.Context(), o)
				var stop *StopError
				if c.missed > 0 {
					if !errors.As(err, &stop) || stop.Reason != Refused || sum.Missing != c.missed || !strings.Contains(stop.Hint, "cancelled") {
						t.Fatalf("%+v, %v", sum, err)
					}
					return
				}
				if err != nil || sum.Missing != 0 {
					t.Fatalf("%+v, %v", sum, err)
				}
				if math.Abs(sum.Cost-whole.Cost/2) > 1e-9 {
					t.Errorf("the run costs %g, one by one %g", sum.Cost, whole.Cost)
				}
				n := server.Stats()
				if n.Batched != batchRows || n.Batches < (batchRows+c.size-1)/c.size {
					t.Errorf("%+v", n)
				}
				if c.fault != "" && n.Faults[c.fault] == 0 {
					t.Errorf("there was no fault: %+v", n)
				}
				if _, err := os.Stat(filepath.Join(o.Dir, run.BatchesFile)); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("batches are left: %v", err)
				}
				a, err := run.Read(one.Dir)
				if err != nil {
					t.Fatal(err)
				}
				b, err := run.Read(o.Dir)
				if err != nil {
					t.Fatal(err)
				}
				for i := range a.Rows {
					if x, y := a.Rows[i].Reply, b.Rows[i].Reply; x.Reply != y.Reply || x.Usage != y.Usage {
						t.Errorf("%s: %+v, one by one %+v", a.Rows[i].ID, y, x)
					}
				}
			})
		}
	}
}

// TestBatchFails ends a run whose batches fail as a whole.
func TestBatchFails(t *testing.T) {
	for provider, want := range map[string]string{"openai": "rate_limit", "gemini": "The batch has failed."} {
		_, url := batchServer(t, fake.Options{FaultRate: 1, Faults: []string{"batch-failed"}})
		o := batchOptions(t, provider, url)
		o.Schedule.Retries = 2
		sum, err := Run(t.Context(), o)
		if got := fmt.Sprint(err, sum.FirstFailure); !strings.Contains(got, want) || sum.Missing != batchRows {
			t.Errorf("%s: %+v, %v", provider, sum, err)
		}
	}
	o := batchOptions(t, "openai", "http://127.0.0.1:1")
	o.Schedule.Retries = 3
	var stop *StopError
	if _, err := Run(t.Context(), o); !errors.As(err, &stop) || stop.Reason != Unreachable {
		t.Errorf("nobody is there: %v", err)
	}
}

// TestBatchCut cuts off the results one line later each time: a call that brought replies starts
// the count of failures anew.
func TestBatchCut(t *testing.T) {
	for _, provider := range []string{"openai", "anthropic", "gemini"} {
		server, _ := batchServer(t, fake.Options{})
		var calls atomic.Int64
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/content") && !strings.HasSuffix(r.URL.Path, "/results") && !strings.HasSuffix(r.URL.Path, ":download") {
				server.ServeHTTP(w, r)
				return
			}
			whole := httptest.NewRecorder()
			server.ServeHTTP(whole, r)
			lines := calls.Add(1)
			if lines > batchRows {
				_, _ = w.Write(whole.Body.Bytes())
				return
			}
			for range lines {
				line, _ := whole.Body.ReadBytes('\n')
				_, _ = w.Write(line)
			}
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}))
		o := batchOptions(t, provider, h.URL)
		o.Schedule.Retries = 2
		sum, err := Run(t.Context(), o)
		if err != nil || sum.Missing != 0 || calls.Load() != batchRows+1 {
			t.Errorf("%s: %+v, %v after %d calls", provider, sum, err, calls.Load())
		}
		h.Close()
	}
}

// TestLeave leaves a batch and comes back for it.
func TestLeave(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, provider := range []string{"openai", "anthropic", "gemini"} {
			server, err := fake.New(fake.Options{Instances: instances(t, batchRows), Latency: 200 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			o := batchOptions(t, provider, "http://localhost", &http.Client{Transport: direct{server}})
			o.Leave = true
			o.Price, o.Params.MaxTokens, o.MaxCost = &run.Price{Input: 1, Output: 1}, 500, 1
			sum, err := Run(t.Context(), o)
			var stop *StopError
			if !errors.As(err, &stop) || stop.Reason != Batched || sum.Missing != batchRows || !strings.Contains(err.Error(), "is still working on 1 batch of 11 requests") {
				t.Fatalf("%+v, %v", sum, err)
			}
			// It is not asked for twice, in whatever way.
			now := o
			now.Batch = 0
			if _, err := Run(t.Context(), now); !errors.As(err, &stop) || stop.Reason != Batched {
				t.Fatal(err)
			}
			other := o
			other.AcceptVersion, other.Prompts = true, prompt.Prompts{prompt.Direct: "Say it."}
			var differs *ConfigError
			if _, err := Run(t.Context(), other); !errors.As(err, &differs) {
				t.Fatal(err)
			}
			o.Leave = false
			sum, err = Run(t.Context(), o)
			if err != nil || sum.Missing != 0 || server.Stats().Batched != batchRows || server.Stats().Batches != 1 {
				t.Fatalf("%+v, %v, %+v", sum, err, server.Stats())
			}
			if sum.Unanswered > 1e-9 {
				t.Errorf("all was answered, and %g dollars may have been paid besides", sum.Unanswered)
			}
		}
	})
}

// TestKilledBatch kills a run after the provider has taken a batch and before the run
// knows: it finds it when it goes on, and nothing is paid for twice.
func TestKilledBatch(t *testing.T) {
	if dir := os.Getenv("EVAL_TEST_BATCH"); dir != "" {
		provider, url, _ := strings.Cut(os.Getenv("EVAL_TEST_URL"), " ")
		o := batchOptions(t, provider, url)
		o.Dir = dir
		_, err := Run(context.Background(), o)
		fmt.Println("not killed:", err)
		return
	}
	for _, provider := range []string{"openai", "anthropic", "gemini"} {
		for _, latency := range []time.Duration{0, 500 * time.Millisecond} { // it has ended by then, or not
			server, err := fake.New(fake.Options{Instances: instances(t, batchRows), Latency: latency})
			if err != nil {
				t.Fatal(err)
			}
			var victim atomic.Pointer[exec.Cmd]
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				cmd := victim.Load()
				if cmd == nil || r.Method != http.MethodPost || strings.HasSuffix(r.URL.Path, "/files") {
					server.ServeHTTP(w, r)
					return
				}
				server.ServeHTTP(httptest.NewRecorder(), r) // it is taken
				_ = cmd.Process.Kill()
				<-r.Context().Done()
			}))
			o := batchOptions(t, provider, h.URL)
			cmd := exec.Command(os.Args[0], "-test.run=^TestKilledBatch$")
			cmd.Env = append(os.Environ(), "EVAL_TEST_BATCH="+o.Dir, "EVAL_TEST_URL="+provider+" "+h.URL, "TMPDIR="+t.TempDir())
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			victim.Store(cmd)
			for in := bufio.NewScanner(out); in.Scan(); {
				if strings.HasPrefix(in.Text(), "not killed") {
					t.Error(in.Text())
				}
			}
			_ = cmd.Wait()
			victim.Store(nil)
			list, err := run.ReadBatches(o.Dir, batchRows)
			if err != nil || len(list) != 1 || list[0].ID != "" || len(list[0].Rows) != batchRows {
				t.Fatalf("%+v, %v", list, err)
			}
			sum, err := Run(t.Context(), o)
			if err != nil || sum.Missing != 0 {
				t.Fatalf("%s: %+v, %v", provider, sum, err)
			}
			if n := server.Stats(); n.Batches != 1 || n.Batched != batchRows {
				t.Errorf("%s: %+v", provider, n)
			}
			h.Close()
		}
	}
}

// TestFind looks into each batch of others once, also when it has to be repeated: of many batches
// some look fails each time.
func TestFind(t *testing.T) {
	server, err := fake.New(fake.Options{Instances: instances(t, batchRows)})
	if err != nil {
		t.Fatal(err)
	}
	looks := 0
	o := batchOptions(t, "anthropic", "http://fake", &http.Client{Transport: direct{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/results") {
			if looks++; looks == 2 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
		}
		server.ServeHTTP(w, r)
	})}})
	b, err := model.Batches(o.Model)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if _, err := b.Submit(t.Context(), fmt.Sprint("other", i), []*model.Request{{User: o.Instances[0].Question}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Find(t.Context(), "mine", 1, time.Now()); err == nil {
		t.Error("a look failed, and there was no error")
	}
	if id, err := b.Find(t.Context(), "mine", 1, time.Now()); id != "" || err != nil || looks != 4 {
		t.Errorf("%q, %v, after %d looks", id, err, looks)
	}
}

// TestBatchMaxCost holds the bound on the cost, at half the price.
func TestBatchMaxCost(t *testing.T) {
	server, url := batchServer(t, fake.Options{})
	o := batchOptions(t, "openai", url)
	o.Params.MaxTokens, o.Price = 1000, &run.Price{Input: 1, Output: 10}
	each := 0.0
	for _, in := range o.Instances {
		row := &run.Row{Instance: in, Key: run.Key{ID: in.ID, Mode: prompt.Direct}, Encoding: surface.NL}
		each = max(each, most(o.price(), int64(o.bytes(row)), 1000))
	}
	o.MaxCost = each
	sum, err := Run(t.Context(), o)
	var stop *StopError
	if !errors.As(err, &stop) || stop.Reason != Budget || sum.Asked == 0 || sum.Cost > o.MaxCost || server.Stats().Batches != sum.Asked {
		t.Errorf("%+v, %v", sum, err)
	}
}

// grouped is a scripted model that is asked many at once. It counts how often.
type grouped struct {
	*scripted
	calls atomic.Int64
}

func (g *grouped) Groups() int { return 2 }

func (g *grouped) AskAll(ctx context.Context, list []*model.Request) (out []*model.Response, failed []error) {
	g.calls.Add(1)
	time.Sleep(time.Second)
	for _, r := range list {
		response, err := g.Ask(ctx, r)
		out, failed = append(out, response), append(failed, err)
	}
	return out, failed
}

// TestGroups asks a program many things at once, and again what has failed.
func TestGroups(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := &grouped{scripted: &scripted{reply: func(_ context.Context, r *model.Request, try int) (*model.Response, error) {
			if try == 1 && len(r.User)%5 == 0 {
				return nil, &model.Error{Class: model.Overloaded}
			}
			return said(r), nil
		}}}
		o := options(t, g, 95)
		o.Batch = 10
		o.Price = &run.Price{Input: 1, Output: 1}
		start := time.Now()
		sum, err := Run(t.Context(), o)
		if err != nil || sum.Missing != 0 || sum.Retries == 0 {
			t.Fatalf("%+v, %v", sum, err)
		}
		// Nine groups of ten and one of five, two at a time, then what has failed.
		if n := g.calls.Load(); n < 11 || n > 14 || time.Since(start) > 10*time.Second {
			t.Errorf("%d groups in %v", n, time.Since(start))
		}
		if full := float64(sum.Usage.Input+sum.Usage.Output) / 1e6; math.Abs(sum.Cost-full) > 1e-12 {
			t.Errorf("a program costs %g, and not half of it: %g", full, sum.Cost)
		}
	})
}
