package repl

import (
	"context"
	"math"
	"slices"
	"strings"

	"ein/lang"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/rel"
)

// proof explains an atom of a relation, by a statement that the session keeps; it is nil for anything else.
func (s *Session) proof(ctx context.Context, arg string) *Reply {
	text := ":why " + arg
	f := lang.Parse(s.cfg.Name, text, session)
	if f.Diags.HasErrors() || len(f.Stmts) != 1 {
		return nil
	}
	q, ok := f.Stmts[0].(*syntax.Query)
	if !ok || !s.relation(q.Body[0].X) && !s.unknown(q.Body[0].X) {
		return nil
	}
	r := s.statements(ctx, text, s.cfg.Name, s.line)
	_, r.Out, _ = strings.Cut(r.proofs[0], ": ")
	r.proofs = nil
	return &r
}

// prove explains the row of a :why that an entry has run.
func (s *Session) prove(ctx context.Context, next *state, e *entry, c *compiled, output int) string {
	found, err := c.machine.Why(ctx, output, [][]float64{{}})
	s.failed(next, e, c, err)
	proofs, _ := describe.Proofs(next.file, slices.Concat(next.current()...), found, math.MaxUint64) // of one row
	return c.wants[output].Name + ": " + proofs[0].Text()
}

// unknown reports whether an expression calls what is no function, of no tensor, where there are relations.
func (s *state) unknown(x syntax.Expr) bool {
	c, ok := x.(*syntax.Call)
	return ok && len(s.program.Relations) > 0 && stdlib.Lookup(c.Fun.Name) == nil && s.function(c.Fun.Name) == nil &&
		!slices.ContainsFunc(c.Args, func(a syntax.Arg) bool {
			n, named := a.Value.(*syntax.Name)
			return named && s.value(n.Name) != nil
		})
}

// relation reports whether an atom is one of a relation of the session.
func (s *state) relation(x syntax.Expr) bool {
	if i, ok := x.(*syntax.Index); ok {
		x = i.X
	}
	var name string
	switch x := x.(type) {
	case *syntax.Call:
		name = x.Fun.Name
	case *syntax.Name:
		name = x.Name
	}
	p := s.program
	return p != nil && (slices.ContainsFunc(p.Relations, func(r diag.Relation) bool { return r.Name == name }) ||
		p.Rules != nil && slices.ContainsFunc(p.Rules.Relations, func(r rel.Relation) bool { return r.Name == name }))
}
