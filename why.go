package ein

import (
	"context"
	"errors"

	"ein/lang/describe"
	"ein/lang/syntax"
	"ein/vm/rel/engine"
)

// Proof is why a query without variables holds: a derivation of least height, each row
// once, or, without steps, that there is none.
type Proof = describe.Proof

// ErrNoAtom is the error of Why for a program that does not end with a query of one atom
// without variables.
var ErrNoAtom = errors.New(`expected one atom without variables, as in Far("a", "b")`)

// Why proves the query that a bound program ends with, which is one atom without variables.
// It runs the program, and then derives its relations once more.
func (p *Program) Why(ctx context.Context) (*Proof, error) {
	m, err := p.Machine()
	if err != nil {
		return nil, err
	}
	last, outputs := len(p.code.Outputs)-1, p.code.Outputs
	if p.file == nil || len(p.file.Stmts) == 0 || last < 0 {
		return nil, ErrNoAtom
	}
	q, ok := p.file.Stmts[len(p.file.Stmts)-1].(*syntax.Query)
	if !ok || !describe.Atom(q) || len(p.code.Regs[outputs[last].Reg].Columns) > 0 {
		return nil, ErrNoAtom
	}
	if _, err := m.Run(ctx); err != nil {
		return nil, err
	}
	program, query, proof, err := m.vm.Proof(ctx, last, []float64{})
	switch {
	case errors.Is(err, engine.ErrNoProof):
		return nil, err
	case err != nil:
		return nil, p.failedRun(err, m.vm.Stats().Ops)
	}
	return describe.Prove(p.file.Source, p.file.Stmts, program, query, proof), nil
}
