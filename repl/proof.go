package repl

import (
	"context"
	"slices"
	"strings"

	"ein/lang"
	"ein/lang/describe"
	"ein/lang/syntax"
	"ein/vm/rel"
)

// proof explains an atom of a relation; it is nil for anything else.
func (s *Session) proof(ctx context.Context, arg string) *Reply {
	text := strings.TrimRight(strings.TrimSpace(arg), ".?") + "?"
	f := lang.Parse(s.cfg.Name, text, session)
	if f.Diags.HasErrors() || len(f.Stmts) != 1 {
		return nil
	}
	q, ok := f.Stmts[0].(*syntax.Query)
	if !ok || !describe.Atom(q) || !s.relation(q.Body[0].X) {
		return nil
	}
	next, e, fail := s.try(text)
	if fail != nil {
		return fail
	}
	c, _, fail := s.execute(ctx, &next, e)
	if fail != nil {
		return fail
	}
	last := len(c.code.Outputs) - 1
	if len(c.code.Regs[c.code.Outputs[last].Reg].Columns) > 0 {
		r := refusal("", "", "`:why` proves an atom without variables", "It is about one row, as in `:why Far(\"a\", \"b\")`.")
		return &r
	}
	found, err := c.machine.Why(ctx, last, [][]float64{{}})
	if fail := s.failed(&next, e, c, err); fail != nil {
		return fail
	}
	var stmts []syntax.Stmt
	for _, f := range next.entries {
		stmts = append(stmts, f.Stmts...)
	}
	return &Reply{Diags: e.diags, File: next.file, Out: describe.Proofs(next.file, stmts, found)[0].Text()}
}

// relation reports whether an atom is one of a relation of the session.
func (s *Session) relation(x syntax.Expr) bool {
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
	return s.program != nil && s.program.Rules != nil &&
		slices.ContainsFunc(s.program.Rules.Relations, func(r rel.Relation) bool { return r.Name == name })
}
