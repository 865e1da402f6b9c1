package syntax

import "ein/lang/source"

// statement parses one segment.
func (p *parser) statement(seg segment, level int) Stmt {
	if seg.wrong {
		return p.bad(seg.lo, seg.hi)
	}
	if seg.open < 0 && !p.opt.NoFastPath {
		s := p.fast(seg, level)
		if s == nil && p.errors >= p.lim.Diagnostics && level != openBody {
			p.errors++ // only their number is told
			s = p.bad(seg.lo, seg.hi)
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
		return p.bad(seg.lo, seg.hi)
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
	}
	if atEnd && seg.last && level == 0 && p.toks[seg.hi].kind == KindEOF &&
		(seg.open >= 0 || !p.toks[seg.hi].newline || p.toks[seg.hi-1].kind.continues()) {
		p.curable++
	}
	p.report(d)
}

// bad is the statement that stands for toks[lo:hi].
func (p *parser) bad(lo, hi int) *Bad {
	b := &Bad{Span: p.span(lo, hi)}
	switch {
	case p.isDef(lo, hi), p.isInput(lo, hi):
		b.Name = p.word(lo + 1)
	case p.headOp(lo, hi, false) >= 0:
		b.Name = p.word(lo)
	}
	return b
}

// span is the text of toks[lo:hi].
func (p *parser) span(lo, hi int) source.Span {
	return source.Span{Start: int(p.toks[lo].start), End: int(p.toks[hi-1].end)}
}

func (p *parser) input(seg segment) *Input {
	p.i = seg.hi
	return &Input{p.span(seg.lo, seg.hi), p.ident(p.toks[seg.lo+1]), p.ident(p.toks[seg.lo+3])}
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
			p.report(errBareInDef(x.Span))
			d.Body[i] = &Bad{Span: x.Span}
		}
	}
	switch {
	case seg.open >= 0:
		return d, &failure{at: seg.hi}
	case len(d.Body) == 0:
		return nil, &failure{errEmptyDef(p.span(seg.block, seg.hi)), seg.lo}
	}
	return d, nil
}

// within is the statements between the braces of a segment.
func (p *parser) within(seg segment) []Stmt {
	level := 1
	if seg.open >= 0 {
		level = openBody
	}
	if p.blocks++; p.blocks > p.lim.Depth {
		p.stop(errDepth(p.toks[seg.block].span(), p.lim.Depth))
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
				p.report(errBareExpr(x.X))
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
