package benchmark

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"ein/bench/judge/sandbox"
	"ein/bench/judge/verdict"
	"ein/internal/compact"
	"ein/internal/job"
	"ein/internal/lists"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

// boxFlags holds the flags that choose a Python and a sandbox for it.
type boxFlags struct{ python, backend string }

func (f *boxFlags) add(cmd *cobra.Command) {
	f.backend = "any"
	pythonFlag(cmd, &f.python)
	cli.One("any", sandbox.Bubblewrap, sandbox.Landlock).Flag(cmd, &f.backend, "sandbox", "`sandbox` for Python programs: bubblewrap, landlock, or any for the first that holds")
}

// python is how an interpreter is called: on Windows that comes as python.exe, where python3.exe may only open the store.
func python() string {
	if runtime.GOOS == "windows" {
		return "python"
	}
	return "python3"
}

func pythonFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "python", python(), "`command` of a Python with networkx, for Python programs")
}

// lazy returns the sandbox that the flags choose. wall is the time limit of a program; 0 is the
// default.
func (f *boxFlags) lazy(ctx context.Context, wall time.Duration) *lazySandbox {
	p := sandbox.Policy{Python: f.python, Wall: wall}
	if f.backend != "any" {
		p.Backend = f.backend
	}
	return &lazySandbox{verdict.SandboxRunner{Ctx: ctx, Policy: p}}
}

// lazySandbox is a sandbox for Python programs, whose proof is part of the result.
type lazySandbox struct{ verdict.SandboxRunner }

// proof records the versions that a sandbox was probed on, and the attacks that it stopped.
type proof struct {
	sandbox.Versions
	Checks []string `json:"checks"`
}

// proof returns nil if no program needed the sandbox.
func (l *lazySandbox) proof() *proof {
	box, _ := l.Opened()
	if box == nil {
		return nil
	}
	return &proof{
		Versions: box.Versions(),
		Checks:   lists.Map(box.Checks(), func(c sandbox.Check) string { return c.Name }),
	}
}

// notes returns the proof in the form in which a shard records it.
func (l *lazySandbox) notes() []job.Field {
	p := l.proof()
	if p == nil {
		return nil
	}
	return []job.Field{{Name: "sandbox", Value: string(compact.Must(p))}}
}

// proofs returns the proofs of the shards or, when nothing is merged, that of this sandbox, which
// may be nil.
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

// proofsText says below a table where its Python programs ran.
func proofsText(list []*proof) string {
	text := ""
	for _, p := range list {
		if p == nil {
			continue
		}
		backend := p.Backend
		if p.Bubblewrap != "" {
			backend += " " + p.Bubblewrap
		} else if p.Landlock > 0 {
			backend += fmt.Sprintf(" %d", p.Landlock)
		}
		text += fmt.Sprintf("\nPython %s with networkx %s, in a sandbox of %s on Linux %s that passed %s.\n",
			p.Python, p.NetworkX, backend, p.Kernel, words.Plural(len(p.Checks), "probe"))
	}
	return text
}

// noSandbox ends a job whose Python programs cannot be run.
func noSandbox(ctx context.Context, a *cli.App, err error) error {
	if ctx.Err() != nil {
		return cli.Stopped(ctx)
	}
	return a.Outside("no Python program was run: %v", err)
}
