package syntax

import (
	"sort"

	"ein/lang/source"
)

// reuse is an earlier version of the program, whose statements are taken over where
// the text is the same: before the first change, after the last, and, as there may be
// several changes, those between them that read the same.
//
// A statement that parsed says the same wherever it stands: what the lexer knows at
// its start could only tell whether a `max=` there is an operator, and then it would
// not have parsed.
type reuse struct {
	old    *File
	prefix int // up to here the texts are the same
	suffix int // and from here on, delta bytes later than in the old text
	delta  int
	middle map[string]int // numbers of the statements between, by their text
}

func newReuse(old *File, text string) *reuse {
	if old == nil {
		return nil
	}
	a, b := old.Source.Text, text
	n := min(len(a), len(b))
	p := 0
	for p < n && a[p] == b[p] {
		p++
	}
	s := 0
	for s < n-p && a[len(a)-1-s] == b[len(b)-1-s] {
		s++
	}
	r := &reuse{old: old, prefix: p, suffix: len(b) - s, delta: len(b) - len(a)}
	first := sort.Search(len(old.Stmts), func(i int) bool { return old.Stmts[i].Pos().End > p })
	for i := first; i < len(old.Stmts); i++ {
		at := old.Stmts[i].Pos()
		if at.Start >= len(a)-s {
			break
		}
		if r.middle == nil {
			r.middle = make(map[string]int)
		}
		r.middle[a[at.Start:at.End]] = i
	}
	return r
}

// find is the number of the statement of the earlier version that reads as the text
// at span does, and how far that has moved.
func (r *reuse) find(span source.Span, text string) (number, delta int, ok bool) {
	stmts := r.old.Stmts
	switch {
	case span.End <= r.prefix:
	case span.Start >= r.suffix:
		delta = r.delta
	default:
		if number, ok = r.middle[text[span.Start:span.End]]; ok {
			delta = span.Start - stmts[number].Pos().Start
		}
		return number, delta, ok
	}
	was := source.Span{Start: span.Start - delta, End: span.End - delta}
	number = sort.Search(len(stmts), func(i int) bool { return stmts[i].Pos().Start >= was.Start })
	return number, delta, number < len(stmts) && stmts[number].Pos() == was
}

// reused is the statement of a segment as the earlier version has it, nil when it
// has none that was read without errors.
func (p *parser) reused(seg segment) Stmt {
	r := p.reuse
	if r == nil || seg.wrong || seg.open >= 0 {
		return nil
	}
	i, delta, ok := r.find(p.span(seg.lo, seg.hi), p.text)
	if !ok {
		return nil
	}
	stmts := r.old.Stmts
	was := stmts[i].Pos()
	for k := range r.old.Diags {
		if d := r.old.Diags[k].Span; d.Start <= was.End && was.Start <= d.End {
			return nil
		}
	}
	first := KindIdent
	switch s := stmts[i].(type) {
	case *Print:
		first = KindPrint
	case *Def:
		if p.nstmts+len(s.Body) > p.lim.Statements {
			return nil
		}
		p.nstmts += len(s.Body)
	case *Assign, *Input:
	default:
		return nil
	}
	if p.toks[seg.lo].kind != first {
		return nil
	}
	m := mover{text: p.text, by: delta}
	return m.stmt(stmts[i])
}

// mover copies trees to another place of another text that reads the same there.
// Names become parts of that text, so that nothing of the old one is kept alive.
type mover struct {
	text string
	by   int
}

func (m *mover) span(s source.Span) source.Span {
	return source.Span{Start: s.Start + m.by, End: s.End + m.by}
}

func (m *mover) ident(i Ident) Ident {
	at := m.span(i.Span)
	return Ident{m.text[at.Start:at.End], at}
}

func (m *mover) stmt(s Stmt) Stmt {
	switch s := s.(type) {
	case *Assign:
		return &Assign{
			Span: m.span(s.Span), Name: m.ident(s.Name), Indexed: s.Indexed, Indices: m.exprs(s.Indices),
			Op: s.Op, OpSpan: m.span(s.OpSpan), Value: m.expr(s.Value),
		}
	case *Print:
		return &Print{m.span(s.Span), m.exprs(s.Values)}
	case *Def:
		d := &Def{Span: m.span(s.Span), Name: m.ident(s.Name)}
		for _, p := range s.Params {
			d.Params = append(d.Params, m.ident(p))
		}
		if s.Value != nil {
			d.Value = m.expr(s.Value)
		}
		for _, b := range s.Body {
			d.Body = append(d.Body, m.stmt(b))
		}
		return d
	case *ExprStmt:
		return &ExprStmt{m.span(s.Span), m.expr(s.X)}
	case *Input:
		return &Input{m.span(s.Span), m.ident(s.Name), m.ident(s.Kind)}
	}
	panic("BUG: syntax: a broken statement is not reused")
}

func (m *mover) exprs(xs []Expr) []Expr {
	if xs == nil {
		return nil
	}
	out := make([]Expr, len(xs))
	for i, x := range xs {
		out[i] = m.expr(x)
	}
	return out
}

func (m *mover) expr(x Expr) Expr {
	switch x := x.(type) {
	case *Name:
		at := m.span(x.Span)
		return &Name{at, m.text[at.Start:at.End]}
	case *Number:
		at := m.span(x.Span)
		return &Number{at, m.text[at.Start:at.End], x.Value}
	case *String:
		at := m.span(x.Span)
		value := x.Value
		if inner := m.text[at.Start+1 : at.End-1]; inner == value {
			value = inner
		}
		return &String{at, value}
	case *List:
		l := &List{Span: m.span(x.Span), Elems: m.exprs(x.Elems)}
		if x.Packed != nil {
			l.Packed = &Packed{x.Packed.Dims, x.Packed.Values, m.text[l.Span.Start:l.Span.End]}
		}
		return l
	case *Call:
		c := &Call{Span: m.span(x.Span), Fun: m.ident(x.Fun)}
		if x.Args != nil {
			c.Args = make([]Arg, len(x.Args))
		}
		for i, a := range x.Args {
			if a.Name.Name != "" {
				c.Args[i].Name = m.ident(a.Name)
			}
			c.Args[i].Value = m.expr(a.Value)
		}
		return c
	case *Index:
		return &Index{m.span(x.Span), m.expr(x.X), m.exprs(x.Indices)}
	case *Product:
		return &Product{m.span(x.Span), m.exprs(x.Factors)}
	case *Unary:
		return &Unary{m.span(x.Span), m.expr(x.X)}
	case *Binary:
		return &Binary{m.span(x.Span), x.Op, m.span(x.OpSpan), m.expr(x.L), m.expr(x.R)}
	case *Paren:
		return &Paren{m.span(x.Span), m.expr(x.X)}
	}
	panic("BUG: syntax: a broken expression is not reused")
}
