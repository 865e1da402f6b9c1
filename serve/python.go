package serve

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"ein/bench/judge/sandbox"
	"ein/bench/judge/verdict"
)

// pythons runs Python programs in a sandbox. It is opened, and proven, when the first program
// comes, because that takes seconds. Equal programs run once while they are remembered, since the
// samples of a question are often equal. It implements verdict.Runner.
type pythons struct {
	policy sandbox.Policy
	ran    recent[[sha256.Size]byte, printed]

	mu  sync.Mutex
	box *sandbox.Sandbox
	err error // of opening it
}

// printed is the outcome of a program.
type printed struct {
	text string
	err  error
}

func newPythons(p sandbox.Policy) *pythons {
	const entry = 256
	return &pythons{policy: p, ran: recent[[sha256.Size]byte, printed]{most: 16 << 20, weigh: func(_ [sha256.Size]byte, p printed) int { return len(p.text) + entry }}}
}

// open returns the sandbox. A failure is remembered for a minute: the machine may have been too
// busy to prove one.
func (p *pythons) open() (*sandbox.Sandbox, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.box == nil && p.err == nil {
		if p.box, p.err = sandbox.Open(context.Background(), p.policy); p.err != nil {
			time.AfterFunc(time.Minute, func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.err = nil
			})
		}
	}
	return p.box, p.err
}

// Run implements verdict.Runner.
func (p *pythons) Run(ctx context.Context, program string) (string, error) {
	sum := sha256.Sum256([]byte(program))
	if out, ok := p.ran.get(sum); ok {
		return out.text, out.err
	}
	box, err := p.open()
	if err != nil {
		return "", err
	}
	text, err := verdict.SandboxRunner{Box: box}.Run(ctx, program)
	var wrong *verdict.ProgramError
	if err == nil || errors.As(err, &wrong) {
		p.ran.put(sum, printed{text, err})
	}
	return text, err
}

// name returns the kind of the sandbox.
func (p *pythons) name() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.box == nil {
		return ""
	}
	return p.box.Versions().Backend
}

// close ends the sandbox, if one was opened.
func (p *pythons) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.box != nil {
		_ = p.box.Close()
	}
}
