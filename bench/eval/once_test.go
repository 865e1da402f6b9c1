package eval

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ein/bench/exec"
	"ein/bench/model"
	"ein/bench/sft"
	"ein/bench/surface"
)

// counted is a sandbox that counts what it runs, program by program.
type counted struct {
	run func(ctx context.Context, program string) (string, error)

	mu sync.Mutex
	n  map[string]int
}

func (c *counted) Run(ctx context.Context, program string) (string, error) {
	c.mu.Lock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[program]++
	c.mu.Unlock()
	return c.run(ctx, program)
}

// TestOnce asks for few programs many times at once. What a program does is
// remembered, and what the sandbox does is not.
func TestOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failures atomic.Int32
		c := &counted{run: func(_ context.Context, program string) (string, error) {
			time.Sleep(time.Second) // of the bubble: it passes when all others wait
			switch program {
			case "bad":
				return "", &exec.ProgramError{Outcome: exec.RuntimeError, Message: "bad"}
			case "unlucky":
				if failures.Add(1) == 1 {
					return "", errors.New("no memory")
				}
			}
			return program + "!", nil
		}}
		o := newOnce(c)
		var wg sync.WaitGroup
		for range 3 {
			for _, program := range []string{"a", "b", "bad"} {
				wg.Go(func() {
					out, err := o.Run(t.Context(), program)
					var wrong *exec.ProgramError
					if program == "bad" && !errors.As(err, &wrong) || program != "bad" && (err != nil || out != program+"!") {
						t.Errorf("%s: %q, %v", program, out, err)
					}
				})
			}
		}
		wg.Wait()
		if got := fmt.Sprint(c.n); got != "map[a:1 b:1 bad:1]" {
			t.Errorf("it ran %s", got)
		}
		if _, err := o.Run(t.Context(), "unlucky"); err == nil {
			t.Error("a failure of the sandbox is lost")
		}
		if out, err := o.Run(t.Context(), "unlucky"); err != nil || out != "unlucky!" {
			t.Errorf("a failure of the sandbox is remembered: %q, %v", out, err)
		}
	})
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
	o.Instances, o.Encodings, o.Modes, o.Samples = all, encodings, []sft.Mode{sft.Python}, 2
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	c := &counted{run: func(context.Context, string) (string, error) {
		return "", &exec.ProgramError{Outcome: exec.RuntimeError}
	}}
	got, err := Score(t.Context(), o.Dir, ScoreOptions{Python: c})
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
	got, err = Score(t.Context(), o.Dir, ScoreOptions{})
	if err != nil || got.Scored != 2*len(all) || got.Unscored > 0 {
		t.Fatalf("%+v, %v", got, err)
	}
}
