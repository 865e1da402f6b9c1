package syntax

import (
	"slices"

	"ein/internal/codes"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/stdlib"
)

// statement parses one segment.
func (p *parser) statement(seg segment, level int) Stmt {
	if seg.wrong {
		return p.bad(seg.lo, seg.hi, seg.clause)
	}
	if seg.open < 0 && !p.opt.NoFastPath {
		s := p.fast(seg, level)
		if s == nil && p.errors >= p.lim.Diagnostics && level != openBody {
			p.errors++ // only their number is told
			s = p.bad(seg.lo, seg.hi, seg.clause)
		}
		if s != nil {
			return s
		}
	}
	s, why := p.read(seg, level)
	if why != nil {
		p.reportFailure(why, seg, level)
	}
	if s == nil {
		b := p.bad(seg.lo, seg.hi, seg.clause)
		if why != nil && (seg.open >= 0 || why.diagnostic.Code == codes.E0811 && p.errors <= p.lim.Diagnostics) && p.isAtom(seg.lo, seg.hi) {
			b.Name = p.word(seg.lo) // of a fact or a rule without its end
		}
		return b
	}
	return s
}

// reportFailure reports why a segment did not parse. Text that ends inside a
// bracket is told as the bracket's fault.
func (p *parser) reportFailure(f *failure, seg segment, level int) {
	d, atEnd := f.diagnostic, f.at >= seg.hi
	if atEnd && seg.last && level == openBody {
		return
	}
	if seg.open >= 0 && (atEnd || p.toks[f.at].kind.assign()) {
		var noticed *token
		if seg.noticed >= 0 {
			noticed = &p.toks[seg.noticed]
		}
		d = errUnclosed(p.toks[seg.open], noticed)
		if end := seg.open + slices.IndexFunc(p.toks[seg.open+1:], func(t token) bool { return t.newline || t.kind == KindEOF }); p.divides(seg.lo, end) {
			d = d.Noted(quotientNote)
		}
	}
	if e := f.diagnostic; e != nil && e.Code == codes.E0110 && p.headOp(seg.lo, seg.hi, false) < 0 {
		atEnd = true // an equation of a query, whose end tells it from an assignment
	}
	if atEnd && seg.last && level == 0 && p.toks[seg.hi].kind == KindEOF &&
		(seg.open >= 0 || !p.toks[seg.hi].newline || p.toks[seg.hi-1].kind.Continues()) {
		p.fixable++
	}
	p.report(d)
}

// bad is the statement that stands for toks[lo:hi]. A clause may be a rule whose arrow is wrong.
func (p *parser) bad(lo, hi int, clause bool) *Bad {
	b := &Bad{Span: p.span(lo, hi)}
	switch {
	case p.isDef(lo, hi), p.isInput(lo, hi):
		b.Name = p.word(lo + 1)
	case p.headOp(lo, hi, false) >= 0, p.isClause(lo, hi), clause && p.isAtom(lo, hi):
		b.Name = p.word(lo)
	}
	return b
}

// span is the text of toks[lo:hi].
func (p *parser) span(lo, hi int) source.Span {
	return source.Span{Start: int(p.toks[lo].start), End: int(p.toks[hi-1].end)}
}

// input makes an input of a segment, whose form has been checked, so that its tokens are where
// they are expected.
func (p *parser) input(seg segment) *Input {
	p.i = seg.hi
	in := &Input{Span: p.span(seg.lo, seg.hi), Name: p.ident(p.toks[seg.lo+1])}
	if p.toks[seg.lo+2].kind == KindColon {
		in.Kind = p.ident(p.toks[seg.lo+3])
		return in
	}
	for i := seg.lo + 3; i+2 < seg.hi; i += 4 {
		in.Columns = append(in.Columns, Column{p.ident(p.toks[i]), p.ident(p.toks[i+2])})
	}
	p.meter.take(sizeOf[Column]() * cap(in.Columns))
	return in
}

// addLiteral appends a literal that begins at a token, and whose operator, if it has
// one, is op. Atoms side by side are literals of their own.
func (p *parser) addLiteral(list []Literal, first token, not bool, x Expr, op token, value Expr) []Literal {
	p.meter.take(sizeOf[Literal]() * 5 / 4)
	l := Literal{Span: p.since(first), Not: not, X: x, Value: value}
	if value != nil {
		l.Op, l.OpSpan = AssignOp(op.kind-KindAssign), op.span()
	}
	product, ok := x.(*Product)
	if !ok || value != nil || !isAtom(product.Factors[0]) {
		return append(list, l)
	}
	for i, x := range product.Factors {
		if i > 0 {
			l = Literal{Span: x.Pos()}
		}
		l.X, l.Span.End = x, x.Pos().End
		list = append(list, l)
	}
	p.meter.take(sizeOf[Literal]() * 5 / 4 * len(product.Factors))
	return list
}

// isAtom reports whether x may be an atom of a relation.
func isAtom(x Expr) bool {
	_, indexed := x.(*Index)
	_, called := x.(*Call)
	return called || indexed && isHead(x)
}

// meantArrow reports whether a literal is two atoms with <= or = between them, as a rule has in
// other languages.
func meantArrow(l Literal) bool {
	if b, ok := l.X.(*Binary); ok {
		return b.Op == Le && isAtom(b.L) && isAtom(b.R)
	}
	_, called := l.X.(*Call)
	return called && l.Op == Set && l.Value != nil && isAtom(l.Value)
}

// arrowed is what stands before an arrow that was read as a comparison, as in Cyclic <- Q(x, x), if
// that is a name or a value.
func arrowed(x Expr) Expr {
	if b, ok := x.(*Binary); ok && b.Op == Lt {
		if minus, ok := b.R.(*Unary); ok && minus.Start == b.OpSpan.End {
			return b.L
		}
	}
	return nil
}

// rule is the rule of a segment, with the cursor before its end.
func (p *parser) rule(seg segment, head Expr, op token, value Expr, body []Literal) (Stmt, *failure) {
	p.i++
	r := &Rule{Span: p.span(seg.lo, seg.hi), Head: head, Value: value, Body: body}
	ix, indexed := head.(*Index)
	if value == nil && indexed {
		r.Head = p.asAtom(ix)
	} else if value != nil {
		r.Op, r.OpSpan = AssignOp(op.kind-KindAssign), op.span()
		if !indexed {
			return nil, &failure{errValuedAtom(r), seg.lo}
		} else if r.Op == Set {
			return nil, &failure{errSetValue(r), seg.lo}
		}
	}
	if why := p.inBody(seg, body); why != nil {
		return nil, why
	}
	return r, nil
}

// clause is the fact or query of a segment, with the cursor before its end.
func (p *parser) clause(seg segment, body []Literal) (Stmt, *failure) {
	span, end, l := p.span(seg.lo, seg.hi), p.toks[p.i], body[0]
	p.i++
	if p.toks[seg.lo].kind == KindAsk || end.kind == KindQuestion {
		if why := p.inBody(seg, body); why != nil {
			return nil, why
		}
		return &Query{Span: span, Body: body}, nil
	}
	var d *diag.Diagnostic
	ix, indexed := l.X.(*Index)
	_, called := l.X.(*Call)
	indexed = indexed && isHead(l.X)
	bare, _ := arrowed(l.X).(*Name)
	keyless, _ := l.X.(*Name)
	switch {
	case bare != nil:
		d = say(errBareHead, bare.Span, excerpt(bare.Name)).Fixed("write `()`", at(bare.End, 0), "()")
	case keyless != nil && arrowed(l.Value) != nil:
		d = say(errNoKey, keyless.Span, excerpt(keyless.Name))
	case len(body) > 1 && !meantArrow(l):
		d = errManyFacts(p.text, body, end.span())
	case l.Not:
		d = say(errNegatedFact, l.Span)
	case called && l.Value == nil:
		return &Rule{Span: span, Head: l.X}, nil
	case indexed && l.Value == nil:
		return &Rule{Span: span, Head: p.asAtom(ix)}, nil
	case indexed && l.Op != Set:
		return &Rule{Span: span, Head: l.X, Op: l.Op, OpSpan: l.OpSpan, Value: l.Value}, nil
	case called:
		d = errValuedAtom(&Rule{Head: l.X, Op: l.Op, OpSpan: l.OpSpan, Value: l.Value})
	case l.Value != nil:
		d = p.errEndedAssign(l, p.i-1)
	default:
		d = say(errNoFact, l.X.Pos(), excerpt(ExprString(l.X)))
		if first, ok := l.X.(*Product); ok {
			if name, ok := first.Factors[0].(*Name); ok && stdlib.InBody[name.Name].Note != "" { // print P(x).
				d.Notes = []string{stdlib.InBody[name.Name].Note}
			}
		}
		if b, ok := l.X.(*Binary); ok && meantArrow(l) {
			d = d.Noted("A rule is `Head(x) <- Body(x).`").Fixed("write `<-`", b.OpSpan, "<-")
		}
	}
	return nil, &failure{d, seg.lo}
}

// question is the :why of a segment, with the cursor behind its atom. An end is not needed.
func (p *parser) question(seg segment, body []Literal) (Stmt, *failure) {
	if len(body) != 1 || !isAtom(body[0].X) || body[0].Value != nil && body[0].Op != Set {
		return nil, &failure{say(errWhy, p.span(seg.lo, seg.hi)), p.i} // which may go on
	}
	if k := p.peek(); k == KindDot || k == KindQuestion {
		p.i++
	}
	p.rewrite = true
	return &Query{p.span(seg.lo, seg.hi), body, true}, nil
}

// inBody is what is wrong with the literals of a body.
func (p *parser) inBody(seg segment, body []Literal) *failure {
	for _, l := range body {
		if l.Op != Set {
			return &failure{errInBody(l), seg.lo}
		}
		_, indexed := l.X.(*Index)
		p.rewrite = p.rewrite || indexed && isHead(l.X) && l.Value == nil
	}
	return nil
}

// asAtom is P(x, y) for P[x, y].
func (p *parser) asAtom(ix *Index) *Call {
	name := ix.X.(*Name)
	call := &Call{Span: ix.Span, Fun: Ident{name.Name, name.Span}}
	for _, x := range ix.Indices {
		call.Args = append(call.Args, Arg{Value: x})
	}
	p.meter.take(sizeOf[Call]() + cap(call.Args)*sizeOf[Arg]())
	return call
}

// rewriteAtoms makes atoms of what is indexed like a tensor in bodies, but is a
// relation of this program.
func (p *parser) rewriteAtoms() {
	relations := make(map[string]bool)
	for _, s := range p.file.Stmts {
		switch s := s.(type) {
		case *Rule:
			if c, ok := s.Head.(*Call); ok {
				relations[c.Fun.Name] = true
			}
		case *Input:
			relations[s.Name.Name] = len(s.Columns) > 0
		}
	}
	for _, s := range p.file.Stmts {
		var body []Literal
		switch s := s.(type) {
		case *Rule:
			body = s.Body
		case *Query:
			body = s.Body
		}
		for i, l := range body {
			if ix, ok := l.X.(*Index); ok && isHead(ix) && l.Value == nil && relations[ix.X.(*Name).Name] {
				body[i].X = p.asAtom(ix)
			}
		}
	}
}

// print is the :print of what was pushed.
func (p *parser) print(span source.Span) *Print {
	s := p.mem.prints.New()
	*s = Print{span, p.pop(0)}
	return s
}

// assign is an assignment to the name at the cursor.
func (p *parser) assign(span source.Span) *Assign {
	s := p.mem.assigns.New()
	s.Span, s.Name = span, p.ident(p.toks[p.i])
	return s
}

// operator reads the operator of an assignment.
func (p *parser) operator(s *Assign) {
	s.Op = AssignOp(p.toks[p.i].kind - KindAssign)
	s.OpSpan = p.toks[p.i].span()
	p.i++
}

// def is a def whose parameters are the names of the arguments pushed.
func (p *parser) def(seg segment) *Def {
	d := &Def{Span: p.span(seg.lo, seg.hi), Name: p.ident(p.toks[seg.lo+1])}
	for _, a := range p.args {
		d.Params = append(d.Params, a.Name)
	}
	p.meter.take(sizeOf[Ident]() * 5 / 4 * len(p.args))
	p.args = p.args[:0]
	return d
}

// openBody is the level of a def body that lacks its closing brace.
const openBody = 2

// body parses the statements of a def block. A body whose brace is missing may
// stop anywhere, and then the missing brace is the error, not how it stopped.
func (p *parser) body(d *Def, seg segment) (Stmt, *failure) {
	d.Body = p.within(seg)
	for i, s := range d.Body {
		x, bare := s.(*ExprStmt)
		if bare && i < len(d.Body)-1 {
			p.report(say(errBareInDef, x.Span))
			d.Body[i] = &Bad{Span: x.Span}
		}
	}
	switch {
	case seg.open >= 0:
		return d, &failure{at: seg.hi}
	case len(d.Body) == 0:
		return nil, &failure{say(errEmptyDef, p.span(seg.block, seg.hi)), seg.lo}
	}
	return d, nil
}

// within returns the statements between the braces of a segment.
func (p *parser) within(seg segment) []Stmt {
	level := 1
	if seg.open >= 0 {
		level = openBody
	}
	if p.blocks++; p.blocks > p.lim.Depth {
		p.stop(say(errDepth, p.toks[seg.block].span(), p.lim.Depth))
	}
	defer func() { p.blocks-- }()
	return p.statements(seg.block+1, seg.close, level)
}

// rounds parses the statements of a repeat.
func (p *parser) rounds(r *Repeat, seg segment) (Stmt, *failure) {
	r.Body = p.within(seg)
	for i, s := range r.Body {
		if x, bare := s.(*ExprStmt); bare {
			if seg.open < 0 || i < len(r.Body)-1 { // else it may go on
				p.report(p.errBareExpr(x.X))
			}
			r.Body[i] = &Bad{Span: x.Span}
		}
	}
	if seg.open >= 0 {
		return r, &failure{at: seg.hi}
	}
	return r, nil
}

// isHead reports whether x can be the left side of an assignment.
func isHead(x Expr) bool {
	if ix, ok := x.(*Index); ok {
		x = ix.X
	}
	_, ok := x.(*Name)
	return ok
}
