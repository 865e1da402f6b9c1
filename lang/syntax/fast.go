package syntax

// The fast path reads what nearly every program is made of, and makes the tree
// that the grammar makes of it, without what participle takes. It owns no
// message: where it does not know on, it returns nil, and the grammar reads the
// statement from its beginning. FuzzGrammar holds the two equal.
//
// Each reader of an expression returns it with its height, which the limit on trees
// counts. One that returns nil leaves the cursor, the depth and the stacks as they are
// at that moment: begin sets them back before the grammar reads.

// fast reads a segment, or returns nil.
func (p *parser) fast(seg segment, level int) Stmt {
	p.begin(seg)
	s := p.fastStatement(seg, level)
	if s == nil || p.i < p.end || p.tooHigh != nil {
		p.tooHigh = nil
		return nil
	}
	switch d := s.(type) {
	case *Def:
		if d.Value == nil {
			s, _ = p.body(d, seg)
		}
	case *Repeat:
		s, _ = p.rounds(d, seg)
	}
	return s
}

// fastStatement reads a statement, or returns nil. The bodies of functions and repeats are left
// for fast to read.
func (p *parser) fastStatement(seg segment, level int) Stmt {
	span := p.span(seg.lo, seg.hi)
	switch {
	case level == 0 && p.toks[p.i].kind == KindPrint:
		for p.i == seg.lo || p.peek() == KindComma {
			p.i++
			x, _ := p.expr(0)
			if x == nil {
				return nil
			}
			p.push(x)
		}
		return p.print(span)
	case p.isDef(p.i, p.end):
		open := p.toks[p.i+2].kind
		for p.i += 3; p.peek() == KindIdent; p.i++ {
			p.pushArg(Arg{Name: p.ident(p.toks[p.i])})
			if p.i++; p.peek() != KindComma {
				break
			}
		}
		if level > 0 || open != KindLParen || len(p.args) > p.lim.Arguments || p.peek() != KindRParen || p.toks[p.i+1].kind != KindAssign {
			return nil
		}
		p.i += 2
		d := p.def(seg)
		if seg.block == p.i {
			p.i = seg.close + 1
		} else if d.Value, _ = p.expr(0); d.Value == nil {
			return nil
		}
		return d
	case seg.clause:
		if level > 0 {
			return nil
		}
		return p.fastClause(seg)
	case p.isInput(p.i, p.end):
		if level > 0 || !p.fastInput() {
			return nil
		}
		return p.input(seg)
	case p.isRepeat(p.i, p.end):
		p.i++
		times, _ := p.expr(0)
		if times == nil || seg.block != p.i {
			return nil
		}
		p.i = seg.close + 1
		return &Repeat{Span: span, Times: times}
	case p.headOp(p.i, p.end, false) >= 0:
		s := p.assign(span)
		p.i++
		if s.Indexed = p.peek() == KindLBracket; s.Indexed {
			p.i++
			if _, ok := p.elements(false); !ok {
				return nil
			}
			s.Indices = p.pop(0)
		}
		p.operator(s)
		if s.Value, _ = p.expr(0); s.Value == nil {
			return nil
		}
		return s
	}
	x, _ := p.expr(0)
	if x == nil || p.i < p.end || level == 0 && !p.opt.Repl {
		return nil
	}
	return &ExprStmt{span, x}
}

// fastClause reads a rule, a fact, a query or a question, or returns nil.
func (p *parser) fastClause(seg segment) Stmt {
	var s Stmt
	var why *failure
	if seg.arrow > 0 {
		head, _ := p.postfix()
		if head == nil || !isAtom(head) {
			return nil
		}
		op, value := p.toks[p.i], Expr(nil)
		if p.peek().assign() {
			p.i++
			if value, _ = p.expr(0); value == nil {
				return nil
			}
		}
		if p.peek() != KindArrow {
			return nil
		}
		p.i++
		body := p.fastLiterals()
		if body == nil || p.peek() != KindDot {
			return nil
		}
		s, why = p.rule(seg, head, op, value, body)
	} else {
		begin := p.peek()
		if begin == KindAsk || begin == KindWhy {
			p.i++
		}
		body := p.fastLiterals()
		switch k := p.peek(); {
		case body != nil && begin == KindWhy:
			s, why = p.question(seg, body)
		case body == nil || k != KindDot && k != KindQuestion:
			return nil
		default:
			s, why = p.clause(seg, body)
		}
	}
	if why != nil {
		return nil
	}
	return s
}

// fastLiterals reads the literals of a body; nil if it cannot. Before a not the comma may be
// missing.
func (p *parser) fastLiterals() (out []Literal) {
	for {
		first := p.i
		not := p.i < p.end && p.isNot(p.i, p.end)
		var x, a Expr // a is the atom of what is negated
		if not {
			p.i++
			x, _ = p.product()
			a = x
			if product, ok := x.(*Product); ok {
				a = product.Factors[0]
			}
		} else {
			x, _ = p.expr(0)
		}
		if x == nil || not && !isAtom(a) {
			return nil
		}
		op, value := p.toks[p.i], Expr(nil)
		if (!not || a == x) && p.peek().assign() {
			p.i++
			if value, _ = p.expr(0); value == nil {
				return nil
			}
		}
		out = p.addLiteral(out, p.toks[first], not, x, op, value)
		if p.peek() == KindComma {
			p.i++
		} else if p.i == p.end || !p.isNot(p.i, p.end) {
			return out
		}
	}
}

// fastInput reports whether the cursor is before the declaration of an input.
func (p *parser) fastInput() bool {
	if p.toks[p.i+2].kind != KindLParen {
		return p.end-p.i == 4 && p.toks[p.i+2].kind == KindColon && p.toks[p.i+3].kind == KindIdent
	}
	for i := p.i + 3; i+3 < p.end; i += 4 {
		t := p.toks[i : i+4]
		if t[0].kind != KindIdent || t[1].kind != KindColon || t[2].kind != KindIdent {
			return false
		}
		if t[3].kind == KindRParen {
			return i+4 == p.end
		} else if t[3].kind != KindComma {
			return false
		}
		if p.toks[i+4].kind == KindRParen {
			return i+5 == p.end
		}
	}
	return false
}

// peek is the kind of the token at the cursor, KindEOF at the end.
func (p *parser) peek() Kind {
	if p.i < p.end {
		return p.toks[p.i].kind
	}
	return KindEOF
}

// tight is peek for what has to stand on the same line as the operand before
// it: juxtaposition, calls and index lists never cross a newline.
func (p *parser) tight() Kind {
	if p.i < p.end && !p.toks[p.i].newline {
		return p.toks[p.i].kind
	}
	return KindEOF
}

// expr reads operators that bind tighter than floor (precedence climbing). A right operand is read
// with the floor of its operator, so that operators of one precedence group to the left; a loop and
// no recursion makes the left side of a long chain.
func (p *parser) expr(floor uint8) (Expr, int) {
	left, height := p.unary()
	for left != nil {
		prec := precedence[p.peek()]
		if prec <= floor {
			break
		}
		op := p.toks[p.i]
		p.i++
		right, h := p.expr(prec)
		if right == nil {
			return nil, 0
		}
		left, height = p.binary(op, left, height, right, h)
	}
	return left, height
}

// unary reads any number of minus signs and a product. Each sign counts as a level of depth. Minus
// binds looser than a product: -a b is -(a b).
func (p *parser) unary() (Expr, int) {
	first := p.i
	for p.peek() == KindSub {
		p.i++
	}
	n := p.i - first
	if n == 0 {
		return p.product()
	}
	if p.depth += n; p.depth > p.lim.Depth {
		return nil, 0
	}
	x, height := p.product()
	if x == nil {
		return nil, 0
	}
	p.depth -= n
	return p.negated(first, n, x, height)
}

// product reads factors side by side. Only a name or a parenthesis can follow a factor; what else
// would be wrong, such as a number behind a name, is left to the grammar, which says so.
func (p *parser) product() (Expr, int) {
	x, height := p.postfix()
	if x == nil || !p.tight().starts() || p.negates() {
		return x, height
	}
	switch x.(type) {
	case *String, *List:
		return nil, 0
	}
	mark := len(p.exprs)
	for p.push(x); p.tight().starts() && !p.negates(); p.push(x) {
		if k := p.peek(); k != KindIdent && k != KindLParen {
			return nil, 0
		}
		var h int
		if x, h = p.postfix(); x == nil {
			return nil, 0
		}
		height = max(height, h)
	}
	return p.beside(mark, height)
}

// negates reports whether another literal begins at the cursor.
func (p *parser) negates() bool { return p.inClause && p.depth == 0 && p.isNot(p.i, p.end) }

// postfix reads an operand and the index lists behind it.
func (p *parser) postfix() (Expr, int) {
	x, height := p.primary()
	for x != nil && p.tight() == KindLBracket {
		switch x.(type) {
		case *Number, *String:
			return nil, 0
		}
		open, mark := p.toks[p.i], len(p.exprs)
		p.i++
		h, ok := p.elements(false)
		if !ok {
			return nil, 0
		}
		x, height = p.indexed(open, x, height, mark, h)
	}
	return x, height
}

// primary reads an operand, or returns nil.
func (p *parser) primary() (Expr, int) {
	if p.i >= p.end || p.meter.over() || p.step(1, p.toks[p.i]) {
		return nil, 0
	}
	t := p.toks[p.i]
	p.i++
	switch t.kind {
	case KindNumber:
		return p.number(t), 1
	case KindString:
		return p.str(t), 1
	case KindIdent:
		if p.tight() == KindLParen {
			return p.fastCall(t)
		}
		return p.name(t), 1
	case KindLParen:
		if p.depth++; p.depth > p.lim.Depth {
			return nil, 0
		}
		x, height := p.expr(0)
		if x == nil || p.peek() != KindRParen {
			return nil, 0
		}
		p.i++
		p.depth--
		return p.paren(t, x, height)
	case KindLBracket:
		if r := p.packed(t.start); r != nil {
			if p.depth+r.rank > p.lim.Depth || r.minus >= 0 && p.depth+r.rank == p.lim.Depth {
				return nil, 0
			}
			return p.packedList(t, r)
		}
		mark := len(p.exprs)
		height, ok := p.elements(true)
		if !ok {
			return nil, 0
		}
		return p.list(t, mark, height)
	}
	return nil, 0
}

// longList is how many tokens there are in a list that is remembered in known.
const longList = 64

// elements reads what is behind a [ up to and with the ], and pushes it. A list
// may be empty and end with a comma; indices may not.
//
// It remembers in known, which has one place in the tokens for another to go on
// from, what the grammar need not see to find an error elsewhere: all of a list,
// and the elements before one that is wrong. So one mistake in a literal of
// megabytes is not paid for in participle's tokens.
func (p *parser) elements(list bool) (height int, ok bool) {
	if p.depth++; p.depth > p.lim.Depth {
		return 0, false
	}
	first := p.i
	for more := !list; more || p.peek() != KindRBracket; {
		from := p.i
		x, h := p.expr(0)
		next := p.peek()
		if x == nil || next != KindComma && next != KindRBracket {
			p.knows(first, from)
			return 0, false
		}
		p.push(x)
		height = max(height, h)
		if more = false; next == KindComma {
			p.i++
			more = !list
		}
	}
	if list {
		p.knows(first, p.i)
	}
	p.i++
	p.depth--
	return height, true
}

// knows remembers that the tokens first to to-1 are right; see elements.
func (p *parser) knows(first, to int) {
	if to-first < longList {
		return
	}
	if p.known == nil {
		p.known = make(map[int]int)
	}
	p.known[first] = to
	p.meter.take(2 * sizeOf[[2]int]()) // maps are up to half empty
}

// fastCall reads the arguments of the function named by fun.
func (p *parser) fastCall(fun token) (Expr, int) {
	if p.depth++; p.depth > p.lim.Depth {
		return nil, 0
	}
	p.i++
	mark, height := len(p.args), 0
	for p.peek() != KindRParen {
		var arg Arg
		if p.peek() == KindIdent && p.i+1 < p.end && p.toks[p.i+1].kind == KindAssign {
			arg.Name = p.ident(p.toks[p.i])
			p.i += 2
		}
		var h int
		if arg.Value, h = p.expr(0); arg.Value == nil || len(p.args)-mark == p.lim.Arguments {
			return nil, 0
		}
		p.pushArg(arg)
		height = max(height, h)
		if next := p.peek(); next == KindComma {
			p.i++
		} else if next != KindRParen {
			return nil, 0
		}
	}
	p.i++
	p.depth--
	return p.call(fun, mark, height)
}
