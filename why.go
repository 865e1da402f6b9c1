package ein

import (
	"context"
	"errors"

	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/syntax"
)

// Proof is why a row holds, by a derivation of least height, each row once; or why there
// is no such row.
type Proof = describe.Proof

// ErrNoAtom is the error of Why for a program that does not end with a query of one atom
// without variables.
var ErrNoAtom = errors.New(`expected one atom without variables, as in Far("a", "b") or not Far("a", "b")`)

// Why explains the query that a bound program ends with, which is one atom without variables, or its
// negation. It runs the program, and then derives its relations once more.
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
	list, err := m.prove(ctx, last, [][]float64{{}})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// Asked is what the program and its data warn of in its last statement.
func (p *Program) Asked() (list diag.List) {
	last := p.file.Stmts[len(p.file.Stmts)-1].Pos()
	for _, d := range p.Warnings(nil) {
		if d.At == nil && d.Span.Start >= last.Start {
			list = append(list, d)
		}
	}
	return list
}

// prove explains rows of an output of the last run, which is that of a query.
func (m *Machine) prove(ctx context.Context, output int, rows [][]float64) ([]*Proof, error) {
	e, err := m.vm.Why(ctx, output, rows)
	if err != nil {
		return nil, m.program.failedRun(err, m.vm.Stats().Ops)
	}
	return describe.Proofs(m.program.file.Source, m.program.file.Stmts, e), nil
}
