package verdict

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
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

// TestMemo asks for few programs many times at once. What a program does is
// remembered, and what the sandbox does is not.
func TestMemo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failures atomic.Int32
		c := &counted{run: func(_ context.Context, program string) (string, error) {
			time.Sleep(time.Second) // of the bubble: it passes when all others wait
			switch program {
			case "bad":
				return "", &ProgramError{Outcome: RuntimeError, Message: "bad"}
			case "slow":
				return "", &ProgramError{Outcome: OverLimit, Message: "timeout"}
			case "unlucky":
				if failures.Add(1) == 1 {
					return "", errors.New("no memory")
				}
			}
			return program + "!", nil
		}}
		o := Memo(c, MostKnown)
		var wg sync.WaitGroup
		for range 3 {
			for _, program := range []string{"a", "b", "bad", "slow"} {
				wg.Go(func() {
					out, err := o.Run(t.Context(), program)
					var wrong *ProgramError
					if failed := program == "bad" || program == "slow"; failed && !errors.As(err, &wrong) || !failed && (err != nil || out != program+"!") {
						t.Errorf("%s: %q, %v", program, out, err)
					}
				})
			}
		}
		wg.Wait()
		if got := fmt.Sprint(c.n); got != "map[a:1 b:1 bad:1 slow:1]" {
			t.Errorf("it ran %s", got)
		}
		if _, err := o.Run(t.Context(), "unlucky"); err == nil {
			t.Error("a failure of the sandbox is lost")
		}
		if out, err := o.Run(t.Context(), "unlucky"); err != nil || out != "unlucky!" {
			t.Errorf("a failure of the sandbox is remembered: %q, %v", out, err)
		}
		o, c.n = Memo(c, 2*entry), nil
		for _, program := range []string{"a", "b", "a", "c", "d", "e", "a"} { // which is forgotten at the end
			_, _ = o.Run(t.Context(), program)
		}
		if got := fmt.Sprint(c.n); got != "map[a:2 b:1 c:1 d:1 e:1]" {
			t.Errorf("with little room it ran %s", got)
		}
	})
}
