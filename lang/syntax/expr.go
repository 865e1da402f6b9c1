package syntax

import (
	"strconv"

	"ein/lang/source"
)

// The expression parser: precedence climbing over the compact tokens. Every
// method that returns an expression also returns the height of its tree; a nil
// expression means that p.failure says why.

// precedence of the infix operators, by kind; 0 for any other token.
var precedence = [numKinds]uint8{
	KindMul: 3, KindDiv: 3,
	KindAdd: 2, KindSub: 2,
	KindGt: 1, KindGe: 1, KindLt: 1, KindLe: 1, KindEq: 1, KindNe: 1,
}

// push appends to the elements being read.
func (p *parser) push(x Expr) { p.exprs = push(&p.meter, p.exprs, &p.highExprs, x) }

// overMemory fails because more memory was taken than is allowed. That is looked
// at before every operand, so no expression goes on much longer.
func (p *parser) overMemory() (Expr, int) {
	p.stopped = true
	p.failAt(p.i, p.end+1, errMemory(p.toks[p.i].span(), p.lim.Memory))
	return nil, 0
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

// expr parses operators that bind tighter than floor.
func (p *parser) expr(floor uint8) (Expr, int) {
	left, height := p.unary()
	for left != nil {
		op := p.peek()
		prec := precedence[op]
		if prec <= floor {
			break
		}
		opSpan := p.toks[p.i].span()
		p.i++
		right, h := p.expr(prec)
		if right == nil {
			return nil, 0
		}
		if height = p.taller(max(height, h), left, opSpan); height == 0 {
			return nil, 0
		}
		b := p.binaries.new(&p.meter)
		*b = Binary{left.Pos().Join(right.Pos()), BinaryOp(op - KindMul), opSpan, left, right}
		left = b
	}
	return left, height
}

// taller is height+1, or 0 when that is too much.
func (p *parser) taller(height int, left Expr, at source.Span) int {
	if height >= p.lim.Height {
		p.failAt(p.i, p.end+1, errHeight(left.Pos().Join(at), p.lim.Height))
		return 0
	}
	return height + 1
}

// deeper enters n levels of nesting, unless that is too much.
func (p *parser) deeper(n int, at source.Span) bool {
	if p.depth+n > p.lim.Depth {
		p.failAt(p.i, p.end+1, errDepth(at, p.lim.Depth))
		return false
	}
	p.depth += n
	return true
}

func (p *parser) unary() (Expr, int) {
	first := p.i
	for p.peek() == KindSub {
		p.i++
	}
	n := p.i - first
	if n == 0 {
		return p.product()
	}
	if !p.deeper(n, p.toks[first].span()) {
		return nil, 0
	}
	x, height := p.product()
	if x == nil {
		return nil, 0
	}
	p.depth -= n
	end := x.Pos().End
	for i := first + n - 1; i >= first; i-- {
		if height = p.taller(height, x, p.toks[i].span()); height == 0 {
			return nil, 0
		}
		x = node(&p.meter, Unary{source.Span{Start: int(p.toks[i].start), End: end}, x})
	}
	return x, height
}

// product parses factors side by side.
func (p *parser) product() (Expr, int) {
	first, height := p.postfix()
	if first == nil {
		return nil, 0
	}
	if next := p.tight(); !next.starts() {
		return first, height
	} else if !p.factor(first, next) {
		return nil, 0
	}
	mark := len(p.exprs)
	p.push(first)
	last := first
	for p.tight().starts() {
		if !p.factor(last, p.tight()) {
			return nil, 0
		}
		x, h := p.postfix()
		if x == nil {
			return nil, 0
		}
		p.push(x)
		last, height = x, max(height, h)
		if n := len(p.exprs) - mark; p.taller(n-1, first, last.Pos()) == 0 {
			return nil, 0
		}
	}
	if height = p.taller(height, first, last.Pos()); height == 0 {
		return nil, 0
	}
	factors := p.arena.copy(&p.meter, p.exprs[mark:])
	p.exprs = p.exprs[:mark]
	return node(&p.meter, Product{first.Pos().Join(last.Pos()), factors}), height
}

// factor reports whether the operand at the cursor may stand beside the one
// before it.
func (p *parser) factor(before Expr, next Kind) bool {
	at := p.toks[p.i].span()
	_, number := before.(*Number)
	switch before.(type) {
	case *String, *List:
		p.fail(p.i, errSideBySide(before, at, p.text, next == KindString, p.depth > 0))
		return false
	}
	if next == KindNumber || next == KindString || next == KindLBracket {
		p.fail(p.i, errNumberFactor(before.Pos(), at, p.text, number && next == KindNumber, p.depth > 0))
		return false
	}
	return true
}

// postfix parses an operand and the index lists behind it.
func (p *parser) postfix() (Expr, int) {
	x, height := p.primary()
	for x != nil && p.tight() == KindLBracket {
		open := p.i
		switch x.(type) {
		case *Number, *String:
			p.fail(p.i, errNoAxes(x.Pos(), p.toks[open].span(), p.text))
			return nil, 0
		}
		if !p.deeper(1, p.toks[open].span()) {
			return nil, 0
		}
		p.i++
		indices, h := p.indexList(open)
		if indices == nil {
			return nil, 0
		}
		p.depth--
		if height = p.taller(max(height, h), x, p.toks[open].span()); height == 0 {
			return nil, 0
		}
		ix := p.indexes.new(&p.meter)
		*ix = Index{source.Span{Start: x.Pos().Start, End: int(p.toks[p.i-1].end)}, x, indices}
		x = ix
	}
	return x, height
}

func (p *parser) primary() (Expr, int) {
	if p.i >= p.end {
		p.unexpected("a value")
		return nil, 0
	}
	if p.meter.over() {
		return p.overMemory()
	}
	t := p.toks[p.i]
	if p.step(1, t) {
		return nil, 0
	}
	switch t.kind {
	case KindNumber:
		return p.number(t), 1
	case KindIdent:
		p.i++
		if p.tight() == KindLParen {
			return p.call(t)
		}
		return p.name(t), 1
	case KindString:
		p.i++
		return p.str(t), 1
	case KindLParen:
		return p.paren(t)
	case KindLBracket:
		return p.list(t)
	}
	p.unexpected("a value")
	return nil, 0
}

func (p *parser) name(t token) *Name {
	n := p.names.new(&p.meter)
	*n = Name{t.span(), p.text[t.start:t.end]}
	return n
}

func (p *parser) str(t token) *String {
	inner := p.text[t.start+1 : t.end-1]
	value := unquote(inner)
	if len(value) < len(inner) { // a copy
		p.meter.take(len(inner))
	}
	return node(&p.meter, String{t.span(), value})
}

func (p *parser) number(t token) Expr {
	text := p.text[t.start:t.end]
	value, ok := smallInteger(text)
	if !ok {
		var err error
		if value, err = strconv.ParseFloat(text, 64); err != nil {
			p.failAt(p.i, p.end+1, errNumberRange(t.span(), text))
			return nil
		}
	}
	p.i++
	n := p.numbers.new(&p.meter)
	*n = Number{t.span(), text, value}
	return n
}

// smallInteger is the value of a number of up to 15 digits and nothing else:
// nearly every number in a program, and exact.
func smallInteger(text string) (float64, bool) {
	if len(text) > 15 {
		return 0, false
	}
	n := 0
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return float64(n), true
}

func (p *parser) paren(open token) (Expr, int) {
	if !p.deeper(1, open.span()) {
		return nil, 0
	}
	p.i++
	x, height := p.expr(0)
	if x == nil {
		return nil, 0
	}
	if p.peek() != KindRParen {
		p.expectedCloser(open, "`)`")
		return nil, 0
	}
	p.i++
	p.depth--
	return node(&p.meter, Paren{source.Span{Start: int(open.start), End: int(p.toks[p.i-1].end)}, x}), height + 1
}

func (p *parser) list(open token) (Expr, int) {
	if len(p.packs) > 0 {
		if r, ok := p.packs[open.start]; ok {
			return p.packedList(open, r)
		}
	}
	if !p.deeper(1, open.span()) {
		return nil, 0
	}
	p.i++
	mark, height := len(p.exprs), 0
	for p.peek() != KindRBracket {
		x, h := p.element()
		if x == nil {
			return nil, 0
		}
		p.push(x)
		height = max(height, h)
		switch p.peek() {
		case KindComma:
			p.i++
		case KindRBracket:
		default:
			p.expectedCloser(open, "`,` or `]`")
			return nil, 0
		}
	}
	p.i++
	p.depth--
	l := p.lists.new(&p.meter)
	*l = List{Span: source.Span{Start: int(open.start), End: int(p.toks[p.i-1].end)}, Elems: p.arena.copy(&p.meter, p.exprs[mark:])}
	p.exprs = p.exprs[:mark]
	return l, height + 1
}

// element is expr(0) with a short cut for the atoms that fill most brackets.
func (p *parser) element() (Expr, int) {
	if p.step(1, p.toks[p.i]) {
		return nil, 0
	}
	if p.i+1 < p.end && !p.meter.over() {
		if next := p.toks[p.i+1].kind; next == KindComma || next == KindRBracket {
			switch t := p.toks[p.i]; t.kind {
			case KindNumber:
				if x := p.number(t); x != nil {
					return x, 1
				}
				return nil, 0
			case KindIdent:
				p.i++
				return p.name(t), 1
			}
		}
	}
	return p.expr(0)
}

// indices parses the index list of a left side, whose [ is at open.
func (p *parser) indices(open int) []Expr {
	p.depth++
	xs, _ := p.indexList(open)
	p.depth--
	return xs
}

// indexList parses index lists up to and with the ], the cursor being behind
// the [ at open.
func (p *parser) indexList(open int) ([]Expr, int) {
	mark, height := len(p.exprs), 0
	if p.peek() == KindRBracket {
		p.failAt(p.i, p.end+1, errEmptyIndex(p.toks[open].span().Join(p.toks[p.i].span())))
		return nil, 0
	}
	for {
		x, h := p.element()
		if x == nil {
			return nil, 0
		}
		p.push(x)
		height = max(height, h)
		kind := p.peek()
		if kind != KindComma && kind != KindRBracket {
			p.expectedCloser(p.toks[open], "`,` or `]`")
			return nil, 0
		}
		p.i++
		if kind == KindRBracket {
			xs := p.arena.copy(&p.meter, p.exprs[mark:])
			p.exprs = p.exprs[:mark]
			return xs, height
		}
	}
}

// call parses the arguments of the function named by fun.
func (p *parser) call(fun token) (Expr, int) {
	open := p.toks[p.i]
	if !p.deeper(1, open.span()) {
		return nil, 0
	}
	p.i++
	mark, height := len(p.args), 0
	for p.peek() != KindRParen {
		if len(p.args)-mark == p.lim.Arguments {
			p.failAt(p.i, p.end+1, errArguments(p.toks[p.i].span(), "arguments", p.lim.Arguments))
			return nil, 0
		}
		arg, h := p.arg()
		if arg.Value == nil {
			return nil, 0
		}
		p.args = push(&p.meter, p.args, &p.highArgs, arg)
		height = max(height, h)
		switch p.peek() {
		case KindComma:
			p.i++
		case KindRParen:
		default:
			p.expectedCloser(open, "`,` or `)`")
			return nil, 0
		}
	}
	p.i++
	p.depth--
	args := append([]Arg(nil), p.args[mark:]...)
	p.meter.take(cap(args) * sizeOf[Arg]())
	p.args = p.args[:mark]
	return node(&p.meter, Call{
		Span: source.Span{Start: int(fun.start), End: int(p.toks[p.i-1].end)},
		Fun:  Ident{p.text[fun.start:fun.end], fun.span()},
		Args: args,
	}), height + 1
}

func (p *parser) arg() (Arg, int) {
	var arg Arg
	if p.i+1 < p.end && p.toks[p.i].kind == KindIdent && p.toks[p.i+1].kind == KindAssign {
		arg.Name = Ident{p.word(p.i), p.toks[p.i].span()}
		p.i += 2
	}
	x, h := p.expr(0)
	arg.Value = x
	return arg, h
}

// expectedCloser fails where a bracketed list neither goes on nor ends.
func (p *parser) expectedCloser(open token, want string) {
	if p.i < p.end && p.toks[p.i].kind.starts() {
		p.fail(p.i, errMissingComma(p.toks[p.i-1].span(), p.toks[p.i].span(), p.text))
		return
	}
	p.unexpected(want)
	if p.failure != nil && p.failure.diagnostic.Related == nil {
		p.failure.diagnostic.Related = relatedOpener(open)
	}
}

// unexpected fails at the cursor: want was expected there.
func (p *parser) unexpected(want string) {
	p.fail(p.i, p.errExpected(want, p.i, p.end))
}

// unquote resolves the escapes of a string that the lexer has accepted.
func unquote(s string) string {
	for i := range len(s) {
		if s[i] != '\\' {
			continue
		}
		out := []byte(s[:i])
		for ; i < len(s); i++ {
			c := s[i]
			if c == '\\' {
				i++
				switch c = s[i]; c {
				case 'n':
					c = '\n'
				case 't':
					c = '\t'
				}
			}
			out = append(out, c)
		}
		return string(out)
	}
	return s
}
