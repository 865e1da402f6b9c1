package eval

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ein/bench/ask/model"
	"ein/bench/ask/model/fake"
	"ein/bench/ask/run"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
)

// serve returns a provider that is none, and a model of it.
func serve(t testing.TB, list []*instance.Instance, rate float64) (model.Model, string) {
	t.Helper()
	server, err := fake.New(fake.Options{Instances: list, Behaviour: "noisy-ein@0.1", FaultRate: rate, Seed: 1, Wait: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(server)
	t.Cleanup(h.Close)
	url := fake.BaseURL("openai", h.URL)
	return client(t, url), url
}

func client(t testing.TB, url string) model.Model {
	t.Helper()
	m, err := model.Open("openai:fake-model", model.Options{BaseURL: url, Env: func(string) string { return fake.DefaultKey }})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// hasty returns a schedule that does not wait long.
func hasty(most int) Schedule {
	return Schedule{Start: most, Max: most, Base: time.Microsecond, Cap: time.Millisecond, Cooldown: time.Millisecond, Retries: 50}
}

// TestFaultsOverHTTP asks a server that fails one time in ten, in all the ways there
// are, and gets what it gets from one that does not fail.
func TestFaultsOverHTTP(t *testing.T) {
	n := 1300
	if testing.Short() {
		n = 130
	}
	list := instances(t, n)
	var dirs []string
	for _, rate := range []float64{0, 0.1} {
		m, url := serve(t, list, rate)
		o := options(t, m, 1)
		o.Instances, o.Source.Count = list, n
		o.Schedule = hasty(64)
		sum, err := Run(t.Context(), o)
		if err != nil || sum.Missing != 0 || sum.Asked != n {
			t.Fatalf("%+v, %v", sum, err)
		}
		if (sum.Retries > n/20) != (rate > 0) {
			t.Errorf("at rate %g there are %d retries", rate, sum.Retries)
		}
		if _, err := run.Judge(t.Context(), o.Dir, run.JudgeOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{run.ConfigFile, run.RepliesFile, run.LogFile, run.ScoresFile} {
			b, err := os.ReadFile(filepath.Join(o.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(b, []byte(fake.DefaultKey)) {
				t.Errorf("%s has the key in it, of %s", file, url)
			}
		}
		dirs = append(dirs, o.Dir)
	}
	if sorted(t, dirs[0]) != sorted(t, dirs[1]) {
		t.Error("the faults show in the replies")
	}
	var scores [2][]byte
	for i, dir := range dirs {
		b, err := os.ReadFile(filepath.Join(dir, run.ScoresFile))
		if err != nil {
			t.Fatal(err)
		}
		scores[i] = b
	}
	if !bytes.Equal(scores[0], scores[1]) {
		t.Error("the faults show in the scores")
	}
}

// TestRefusedConnection says so when nobody is there.
func TestRefusedConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	o := options(t, client(t, "http://"+address), 10)
	var stop *StopError
	if _, err := Run(t.Context(), o); !errors.As(err, &stop) || stop.Reason != Unreachable || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

const victims = 40 // instances of a run that is killed

// TestKilled kills runs at moments of their own choosing and resumes them. No reply
// that was reported done is lost, and in the end the replies are those of a run that
// nobody has killed.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("EVAL_TEST_RUN"); dir != "" {
		victim(t, dir)
		return
	}
	kills := 100
	if testing.Short() {
		kills = 10
	}
	list := instances(t, victims)
	m, url := serve(t, list, 0.1)
	whole := options(t, m, victims)
	whole.Instances, whole.Schedule = list, hasty(8)
	if _, err := Run(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	want := sorted(t, whole.Dir)
	dir := filepath.Join(t.TempDir(), "run")
	var promised []string // by runs that were killed since the last complete one
	for kill := 0; kill < kills; {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "EVAL_TEST_RUN="+dir, "EVAL_TEST_URL="+url)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// It is killed once it has reported some replies, from none on: what it does
		// then is up to the machine.
		after, lines := kill%5, 0
		complete := false
		in := bufio.NewScanner(out)
		for lines < after && in.Scan() {
			switch key, done := strings.CutPrefix(in.Text(), "done "); {
			case done:
				promised = append(promised, key)
				lines++
			case in.Text() == "complete":
				complete = true
			}
		}
		if after == 0 {
			in.Scan() // "open"
		}
		_ = cmd.Process.Kill()
		for in.Scan() { // what it had said before it was killed
			if key, done := strings.CutPrefix(in.Text(), "done "); done {
				promised = append(promised, key)
			}
			complete = complete || in.Text() == "complete"
		}
		_ = cmd.Wait()
		kill++
		if _, err := os.Stat(filepath.Join(dir, run.ConfigFile)); err != nil {
			continue // killed before there was a run
		}
		r, err := run.Read(dir)
		if err != nil {
			t.Fatalf("after kill %d: %v", kill, err)
		}
		var there []string
		for i := range r.Rows {
			if r.Rows[i].Reply != nil {
				there = append(there, name(r.Rows[i].Key))
			}
		}
		for _, key := range promised {
			if !slices.Contains(there, key) {
				t.Fatalf("after kill %d: the reply %s was done and is lost", kill, key)
			}
		}
		if complete {
			if got := sorted(t, dir); got != want {
				t.Fatalf("after kill %d: the replies differ", kill)
			}
			dir, promised = filepath.Join(t.TempDir(), "run"), nil
		}
	}
	o := whole
	o.Dir = dir
	sum, err := Run(t.Context(), o)
	if err != nil || sum.Missing != 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if sorted(t, dir) != want {
		t.Error("the replies of the resumed run differ")
	}
}

func name(k run.Key) string { return k.ID + " " + string(k.Mode) + " " + strconv.Itoa(k.Sample) }

// victim is a run that says which replies are done.
func victim(t *testing.T, dir string) {
	o := Options{Dir: dir, Model: client(t, os.Getenv("EVAL_TEST_URL")), Instances: instances(t, victims),
		Source: run.Source{File: "in.jsonl", SHA256: "00", Count: victims}, Modes: []prompt.Mode{prompt.Direct},
		Encodings: []surface.Encoding{surface.NL}, Samples: 1, Prompts: prompt.DefaultPrompts(), Schedule: hasty(8)}
	fmt.Println("open")
	told := map[string]bool{}
	o.Progress = func(p Progress) {
		// Who sees the count of a Progress may rely on it: as many replies are there.
		r, err := run.Read(dir)
		if err != nil {
			fmt.Println(err)
			return
		}
		n := 0
		for i := range r.Rows {
			if r.Rows[i].Reply == nil {
				continue
			}
			n++
			if k := name(r.Rows[i].Key); !told[k] && len(told) < p.Questions-p.Missing {
				told[k] = true
				fmt.Println("done", k)
			}
		}
		if n < p.Questions-p.Missing {
			fmt.Println("done", "a reply that is not there")
		}
	}
	if _, err := Run(context.Background(), o); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("complete")
}

// TestMaxCost drives the bound with a server that bills a token for each byte of the
// prompt, all that was asked for as output, and requests that it never answers as well.
func TestMaxCost(t *testing.T) {
	const most = 40
	list := instances(t, 40)
	var mu sync.Mutex
	billed, n := 0.0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b struct {
			Messages []struct{ Content string } `json:"messages"`
			Most     int                        `json:"max_tokens"`
		}
		if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
			t.Error(err)
		}
		in := 0
		for _, m := range b.Messages {
			in += len(m.Content)
		}
		mu.Lock()
		billed += (float64(in)*1 + float64(b.Most)*10) / 1e6
		n++
		k := n
		mu.Unlock()
		usage := fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d}`, in, b.Most)
		switch k % 5 {
		case 2: // not all servers say it
			usage = "null"
		case 0: // all of it is done, and the connection breaks
			panic(http.ErrAbortHandler)
		case 1:
			http.Error(w, "a gateway gave up", http.StatusGatewayTimeout)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"content":"{\"answer\": 1}"},"finish_reason":"stop"}],"usage":%s}`, usage)
	}))
	defer server.Close()
	o := options(t, client(t, server.URL), 1)
	o.Instances, o.Source.Count = list, len(list)
	o.Schedule = hasty(8)
	o.Price, o.Params.MaxTokens = &run.Price{Input: 1, Output: 10}, most
	for _, bound := range []float64{0.02, 0.04} { // the second goes on where the first ended
		o.MaxCost = bound
		sum, err := Run(t.Context(), o)
		var stop *StopError
		if !errors.As(err, &stop) || stop.Reason != Budget || sum.Asked == 0 {
			t.Fatalf("%+v, %v", sum, err)
		}
		mu.Lock()
		bill := billed
		mu.Unlock()
		if bill > bound || bill < bound*0.8 {
			t.Errorf("with --max-cost %g the server bills %g", bound, bill)
		}
		if got := sum.Cost + sum.Unanswered; got < bill-1e-9 {
			t.Errorf("the run has counted %g of the %g that were billed", got, bill)
		}
	}
	// A run that was killed has sent what it had reserved.
	b, err := os.ReadFile(filepath.Join(o.Dir, run.BilledFile))
	if err != nil || !strings.HasPrefix(string(b), `{"most":0.0`) {
		t.Errorf("%s, %v", b, err)
	}
	o.Params.MaxTokens = 0
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "--max-tokens") {
		t.Errorf("a bound on the cost without one on the output: %v", err)
	}
}
