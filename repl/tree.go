package repl

import (
	"ein/lang/source"
	"ein/lang/syntax"
)

// shift moves a tree that was parsed on its own to its place in a program, so that
// what stands before it need not be read again.
func shift(f *syntax.File, by int) {
	move := func(spans ...*source.Span) {
		for _, s := range spans {
			s.Start += by
			s.End += by
		}
	}
	for i := range f.Comments {
		move(&f.Comments[i].Span)
	}
	for i := range f.Diags {
		f.Diags[i] = moved(f.Diags[i], by)
	}
	for _, st := range f.Stmts {
		syntax.Walk(st, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				move(&n.Span, &n.Name.Span, &n.OpSpan)
			case *syntax.Print:
				move(&n.Span)
			case *syntax.Def:
				move(&n.Span, &n.Name.Span)
				for i := range n.Params {
					move(&n.Params[i].Span)
				}
			case *syntax.ExprStmt:
				move(&n.Span)
			case *syntax.Input:
				move(&n.Span, &n.Name.Span, &n.Kind.Span)
			case *syntax.Bad:
				move(&n.Span)
			case *syntax.Name:
				move(&n.Span)
			case *syntax.Number:
				move(&n.Span)
			case *syntax.String:
				move(&n.Span)
			case *syntax.List:
				move(&n.Span)
			case *syntax.Call:
				move(&n.Span, &n.Fun.Span)
				for i := range n.Args {
					if n.Args[i].Name.Name != "" {
						move(&n.Args[i].Name.Span)
					}
				}
			case *syntax.Index:
				move(&n.Span)
			case *syntax.Product:
				move(&n.Span)
			case *syntax.Unary:
				move(&n.Span)
			case *syntax.Binary:
				move(&n.Span, &n.OpSpan)
			case *syntax.Paren:
				move(&n.Span)
			case *syntax.BadExpr:
				move(&n.Span)
			}
			return true
		})
	}
}
