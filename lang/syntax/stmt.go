package syntax

import (
	"sort"

	"github.com/alecthomas/participle/v2/lexer"

	"ein/lang/diag"
	"ein/lang/source"
)

// statement parses one segment.
func (p *parser) statement(seg segment, level int) Stmt {
	if seg.wrong {
		return p.bad(seg.lo, seg.hi)
	}
	errorsBefore := p.errors
	p.failure = nil
	p.depth = 0
	p.i, p.end = seg.lo, seg.hi
	p.exprs, p.args = p.exprs[:0], p.args[:0] // a failure leaves some behind
	s := p.parse(seg, level)
	if f := p.failure; f != nil {
		p.failure = nil
		p.reportFailure(f, seg, level)
	}
	if s == nil || p.errors > errorsBefore && !isDefNode(s) {
		return p.bad(seg.lo, seg.hi)
	}
	return s
}

func isDefNode(s Stmt) bool {
	_, ok := s.(*Def)
	return ok
}

// reportFailure reports why a segment did not parse. Text that ends inside a
// bracket is told as the bracket's fault.
func (p *parser) reportFailure(f *failure, seg segment, level int) {
	if f.atEnd && seg.last && level == openBody {
		return
	}
	d := f.diagnostic
	if seg.open >= 0 && (f.atEnd || p.toks[f.at].kind.assign()) {
		var noticed *token
		if seg.noticed >= 0 {
			noticed = &p.toks[seg.noticed]
		}
		d = errUnclosed(p.toks[seg.open], noticed)
	}
	if f.atEnd && seg.last && level == 0 && p.toks[seg.hi].kind == KindEOF &&
		(seg.open >= 0 || !p.toks[seg.hi].newline || p.toks[seg.hi-1].kind.continues()) {
		p.curable++
	}
	p.report(d)
}

// bad is the statement that stands for toks[lo:hi].
func (p *parser) bad(lo, hi int) *Bad {
	b := &Bad{Span: p.toks[lo].span().Join(p.toks[hi-1].span())}
	switch {
	case p.isDef(lo, hi), p.isInput(lo, hi):
		b.Name = p.word(lo + 1)
	case p.headOp(lo, hi, false) >= 0:
		b.Name = p.word(lo)
	}
	return b
}

// parse reads a segment by the production that its first tokens call for. A nil
// result leaves the reason in p.failure.
func (p *parser) parse(seg segment, level int) Stmt {
	lo, hi := seg.lo, seg.hi
	switch {
	case p.toks[lo].kind == KindPrint:
		if level > 0 {
			return p.fail(lo, errInDef("`:print`", p.toks[lo].span()))
		}
		return p.print(seg)
	case p.toks[lo].kind == KindDirective:
		return p.fail(lo, errDirective(p.word(lo), p.toks[lo].span()))
	case p.isDef(lo, hi):
		if level > 0 {
			return p.fail(lo, errInDef("another `def`", p.toks[lo].span()))
		}
		return p.def(seg)
	case p.isInput(lo, hi):
		if level > 0 {
			return p.fail(lo, errInDef("`input`", p.toks[lo].span()))
		}
		return p.input(seg)
	case p.headOp(lo, hi, false) >= 0:
		return p.assign(seg)
	}
	return p.bare(seg, level)
}

// fail records the first failure of a statement, at token i.
func (p *parser) fail(i int, d diag.Diagnostic) Stmt {
	p.failAt(i, p.end, d)
	return nil
}

func (p *parser) failAt(i, end int, d diag.Diagnostic) {
	if p.failure == nil {
		p.failure = &failure{diagnostic: d, at: i, atEnd: i >= end}
	}
}

// at is the first token of toks[lo:hi] that starts at offset or later.
func (p *parser) at(offset, lo, hi int) int {
	return lo + sort.Search(hi-lo, func(k int) bool { return int(p.toks[lo+k].start) >= offset })
}

// span is the text of toks[lo:hi].
func (p *parser) span(lo, hi int) source.Span {
	return source.Span{Start: int(p.toks[lo].start), End: int(p.toks[hi-1].end)}
}

func (p *parser) ident(t lexer.Token) Ident {
	return Ident{t.Value, source.Span{Start: t.Pos.Offset, End: t.Pos.Offset + len(t.Value)}}
}

func (p *parser) assign(seg segment) Stmt {
	g, err := grammar.assignment.ParseFromLexer(p.window(seg.lo, seg.hi))
	if err != nil {
		return p.explain(seg, err, stmtAssign)
	}
	s := &Assign{Span: p.span(seg.lo, seg.hi), Name: p.ident(g.Tokens[0])}
	op := seg.lo + 1
	if g.Tokens[1].Type == typeBrackets {
		op = p.match(op, seg.hi)
		p.i, p.end = seg.lo+2, op
		s.Indexed = true
		if s.Indices = p.indices(seg.lo + 1); s.Indices == nil {
			return nil
		}
	}
	s.Op = AssignOp(p.toks[op].kind - KindAssign)
	s.OpSpan = p.toks[op].span()
	if s.Value = p.whole(g.Value, seg); s.Value == nil {
		return nil
	}
	return s
}

// whole parses the expression at the extent that participle found.
func (p *parser) whole(e expression, seg segment) Expr {
	p.i = p.at(e.Start, seg.lo, seg.hi)
	p.end = p.at(e.End, p.i, seg.hi)
	x, _ := p.expr(0)
	if x == nil {
		p.clip(seg)
		return nil
	}
	if p.i < p.end {
		p.unexpected("the end of the statement")
		return nil
	}
	return x
}

// clip takes back atEnd from a failure at the end of an expression that is not
// the end of its statement.
func (p *parser) clip(seg segment) {
	if p.end < seg.hi && p.failure != nil {
		p.failure.atEnd = false
	}
}

func (p *parser) print(seg segment) Stmt {
	g, err := grammar.printing.ParseFromLexer(p.window(seg.lo, seg.hi))
	if err != nil {
		return p.explain(seg, err, stmtPrint)
	}
	s := &Print{Span: p.span(seg.lo, seg.hi), Values: make([]Expr, len(g.Values))}
	for i, e := range g.Values {
		if s.Values[i] = p.whole(e, seg); s.Values[i] == nil {
			return nil
		}
	}
	return s
}

func (p *parser) input(seg segment) Stmt {
	g, err := grammar.input.ParseFromLexer(p.window(seg.lo, seg.hi))
	if err != nil {
		return p.explain(seg, err, stmtInput)
	}
	return &Input{Span: p.span(seg.lo, seg.hi), Name: p.ident(g.Name), Kind: p.ident(g.Kind)}
}

func (p *parser) def(seg segment) Stmt {
	g, err := grammar.definition.ParseFromLexer(p.window(seg.lo, seg.hi))
	if err != nil {
		return p.explain(seg, err, stmtDef)
	}
	s := &Def{Span: p.span(seg.lo, seg.hi), Name: p.ident(g.Name)}
	closing := p.match(seg.lo+2, seg.hi)
	var ok bool
	if s.Params, ok = p.params(seg.lo+3, closing); !ok {
		return nil
	}
	if g.Body.Value == "" {
		if s.Value = p.whole(g.Value, seg); s.Value == nil {
			return nil
		}
		return s
	}
	lo, hi := closing+2, seg.hi-1
	if seg.open >= 0 {
		hi = seg.hi
	}
	s.Body = p.body(lo, hi, seg.open >= 0)
	p.end = seg.hi
	switch {
	case seg.open >= 0:
		p.failAt(seg.hi, seg.hi, diag.Diagnostic{})
	case len(s.Body) == 0:
		return p.fail(seg.lo, errEmptyDef(p.span(closing+1, seg.hi)))
	}
	return s
}

// body parses the statements of a def block. A body whose brace is missing may
// stop anywhere, and then the missing brace is the error, not how it stopped.
func (p *parser) body(lo, hi int, open bool) []Stmt {
	level := 1
	if open {
		level = openBody
	}
	saved := p.failure
	out := p.statements(lo, hi, level)
	p.failure = saved
	for i, s := range out {
		x, bare := s.(*ExprStmt)
		if bare && i < len(out)-1 {
			p.report(errBareInDef(x.Span))
			out[i] = &Bad{Span: x.Span}
		}
	}
	return out
}

// openBody is the level of a def body that lacks its closing brace.
const openBody = 2

// params reads the names between the parentheses of a def, from i to the token
// after the closing one.
func (p *parser) params(i, end int) ([]Ident, bool) {
	var out []Ident
	for p.toks[i].kind != KindRParen {
		p.i, p.end = i, end
		if len(out) == p.lim.Arguments {
			p.failAt(i, end+1, errArguments(p.toks[i].span(), "parameters", p.lim.Arguments))
			return nil, false
		}
		if p.toks[i].kind != KindIdent {
			p.unexpected("the name of a parameter")
			return nil, false
		}
		out = append(out, Ident{p.word(i), p.toks[i].span()})
		p.meter.take(sizeOf[Ident]() * 5 / 4)
		switch i++; p.toks[i].kind {
		case KindComma:
			i++
		case KindRParen:
		default:
			p.i = i
			p.unexpected("`,` or `)`")
			return nil, false
		}
	}
	return out, true
}

// bare reads a statement that is only an expression, and finds out what it was
// meant to be where that is not allowed.
func (p *parser) bare(seg segment, level int) Stmt {
	if i := p.relation(seg); i >= 0 {
		return p.fail(i, errRelation(p.span(seg.lo, seg.hi)))
	}
	p.i, p.end = seg.lo, seg.hi
	x, _ := p.expr(0)
	switch {
	case x == nil:
		return nil
	case p.i < p.end && p.toks[p.i].kind.assign():
		return p.fail(p.i, errLeftSide(x, p.toks[p.i], p.text))
	case p.i < p.end:
		p.unexpected("the end of the statement")
		return nil
	case p.opt.Repl || level > 0:
		return &ExprStmt{p.span(seg.lo, seg.hi), x}
	}
	at := seg.lo
	if isHead(x) {
		at = seg.hi // an assignment may follow
	}
	return p.fail(at, errBareExpr(x))
}

// isHead reports whether x can be the left side of an assignment.
func isHead(x Expr) bool {
	if ix, ok := x.(*Index); ok {
		x = ix.X
	}
	_, ok := x.(*Name)
	return ok
}

// relation is the first token that only a fact, a rule or a query has, or -1.
func (p *parser) relation(seg segment) int {
	for i := seg.lo; i < seg.hi; i++ {
		t := p.toks[i]
		switch k := t.kind; {
		case k == KindArrow && i > seg.lo && p.toks[i-1].kind == KindRParen,
			k == KindDot, k == KindQuestion:
			return i
		case k.opens():
			next := p.match(i, seg.hi)
			p.step(next-i, t)
			i = next - 1
		}
	}
	return -1
}
