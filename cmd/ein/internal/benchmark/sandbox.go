package benchmark

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ein/bench/judge/sandbox"
	"ein/bench/judge/verdict"
	"ein/internal/job"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

// boxFlags say what Python programs are run by and in.
type boxFlags struct{ python, backend string }

func (f *boxFlags) add(cmd *cobra.Command) {
	f.backend = "any"
	pythonFlag(cmd, &f.python)
	cli.One("any", sandbox.Bubblewrap, sandbox.Landlock).Flag(cmd, &f.backend, "sandbox", "`sandbox` for Python programs: bubblewrap, landlock, or any for the first that holds")
}

func pythonFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "python", "python3", "`command` of a Python with networkx, for Python programs")
}

// lazy is the sandbox of the flags; wall bounds a program, 0 is the default.
func (f *boxFlags) lazy(ctx context.Context, wall time.Duration) *lazySandbox {
	p := sandbox.Policy{Python: f.python, Wall: wall}
	if f.backend != "any" {
		p.Backend = f.backend
	}
	return &lazySandbox{ctx: ctx, policy: p}
}

// lazySandbox is opened when the first program needs it: to prove a sandbox takes
// seconds. It implements verdict.Runner.
type lazySandbox struct {
	ctx    context.Context
	policy sandbox.Policy
	lock   sync.Mutex
	box    *sandbox.Sandbox
	runner verdict.Runner // of the box
	err    error          // of opening it
}

func (l *lazySandbox) open() (verdict.Runner, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.box == nil && l.err == nil {
		if l.box, l.err = sandbox.Open(l.ctx, l.policy); l.err == nil {
			l.runner = verdict.SandboxRunner(l.box)
		}
	}
	return l.runner, l.err
}

// Run implements verdict.Runner.
func (l *lazySandbox) Run(ctx context.Context, program string) (string, error) {
	runner, err := l.open()
	if err != nil {
		return "", err
	}
	return runner.Run(ctx, program)
}

// proof is what a sandbox was proven on, and which attacks it stopped.
type proof struct {
	sandbox.Versions
	Checks []string `json:"checks"`
}

// proof is nil when no program needed the sandbox.
func (l *lazySandbox) proof() *proof {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.box == nil {
		return nil
	}
	p := &proof{Versions: l.box.Versions()}
	for _, c := range l.box.Checks() {
		p.Checks = append(p.Checks, c.Name)
	}
	return p
}

// notes is the proof as a shard keeps it.
func (l *lazySandbox) notes() []job.Field {
	p := l.proof()
	if p == nil {
		return nil
	}
	b, err := json.Marshal(p)
	if err != nil {
		panic("BUG: ein: " + err.Error()) // texts and numbers
	}
	return []job.Field{{Name: "sandbox", Value: string(b)}}
}

// proofs is the proof, or nil; or those of the sandboxes that shards were run in.
func (l *lazySandbox) proofs(m *merged) (list []*proof) {
	if m != nil {
		for _, text := range m.notes("sandbox") {
			p := &proof{}
			if json.Unmarshal([]byte(text), p) == nil {
				list = append(list, p)
			}
		}
	}
	if len(list) == 0 {
		list = append(list, l.proof())
	}
	return list
}

// proofsText returns lines under a table.
func proofsText(list []*proof) string {
	text := ""
	for _, p := range list {
		if p == nil {
			continue
		}
		backend := p.Backend
		switch {
		case p.Bubblewrap != "":
			backend += " " + p.Bubblewrap
		case p.Landlock > 0:
			backend += fmt.Sprintf(" %d", p.Landlock)
		}
		text += fmt.Sprintf("\nPython %s with networkx %s, in a sandbox of %s on Linux %s that passed %s.\n",
			p.Python, p.NetworkX, backend, p.Kernel, words.Plural(len(p.Checks), "probe"))
	}
	return text
}

// missing is a *noSandboxError when a program has found that there is none.
func (l *lazySandbox) missing() error {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.err != nil {
		return &noSandboxError{l.err}
	}
	return nil
}

func (l *lazySandbox) close() {
	if l.box != nil {
		_ = l.box.Close()
	}
}

// noSandboxError ends a job whose Python programs cannot be run.
type noSandboxError struct{ err error }

func (e *noSandboxError) Error() string { return e.err.Error() }

func noSandbox(ctx context.Context, a *cli.App, err error) error {
	if ctx.Err() != nil {
		return cli.Stopped(ctx)
	}
	return a.Outside("no Python program was run: %v", err)
}
