package ein

import (
	"cmp"
	"context"
	"math"
	"slices"

	"ein/internal/words"
	"ein/lang/describe"
	"ein/lang/syntax"
	"ein/vm"
)

// Proof is why a row holds, by a derivation of least height, each row once; or why there
// is no such row.
type Proof = describe.Proof

// asked is the query that an output answers, nil of another output.
func (p *Program) asked(output int) *syntax.Query {
	if p.file == nil {
		return nil
	}
	for _, s := range p.file.Stmts {
		if q, ok := s.(*syntax.Query); ok && q.Span == p.checked.Outputs[output].Span {
			return q
		}
	}
	return nil
}

// proves reports whether runs prove anything.
func (p *Program) proves() bool {
	return p.opt.Proofs > 0 || p.file != nil && slices.ContainsFunc(p.file.Stmts, func(s syntax.Stmt) bool {
		q, ok := s.(*syntax.Query)
		return ok && q.Why
	})
}

// weighs reports whether rules multiply values that improve: a row that has a factor below 0 (E0633) is
// shown with its place.
func (p *Program) weighs() (does bool) {
	if p.file == nil {
		return false
	}
	for _, s := range p.file.Stmts {
		if r, ok := s.(*syntax.Rule); ok && r.Value != nil {
			syntax.Walk(r.Value, func(n syntax.Node) bool {
				b, ok := n.(*syntax.Binary)
				does = does || ok && b.Op == syntax.Mul
				return true
			})
		}
	}
	return does
}

// prove gives the outputs of a run their proofs: of each :why, and of the first rows of
// each query if they are wanted.
func (m *Machine) prove(ctx context.Context, r *Result) error {
	limit, held := cmp.Or(m.program.opt.Limits.MaxBytes, math.MaxUint64), m.vm.Stats().PeakBytes
	for i := range r.Outputs {
		o, q := &r.Outputs[i], m.program.asked(i)
		if q == nil || !q.Why && m.program.opt.Proofs == 0 {
			continue
		}
		var rows [][]float64
		if o.why = q.Why; len(o.Value.Table.Columns) == 0 {
			rows = [][]float64{{}}
		} else {
			for row := range o.Value.Table.All() {
				if len(rows) == m.program.opt.Proofs {
					break
				}
				rows = append(rows, slices.Clone(row))
			}
		}
		e, err := m.vm.Why(ctx, i, rows)
		if err != nil {
			return m.program.failedRun(err, m.vm.Stats().Ops)
		}
		proofs, size := describe.Proofs(m.program.file.Source, m.program.file.Stmts, e, limit-min(limit, held))
		if held += size; held > limit {
			err := &vm.Exceeded{What: "bytes", Pos: m.program.code.Outputs[i].Pos, Max: limit,
				Sofar: words.Plural(len(proofs), "proof")}
			return m.program.failedRun(err, m.vm.Stats().Ops)
		}
		o.Proofs = proofs
	}
	return nil
}
