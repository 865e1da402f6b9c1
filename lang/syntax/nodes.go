package syntax

import (
	"strconv"

	"ein/lang/source"
)

// The nodes of expressions, made alike by the grammar and by the fast path. A
// node that ends with a bracket is made with the cursor behind that. What returns
// a node returns the height of its tree with it; one that is too high is
// remembered in tooHigh.

// push appends to the elements being read.
func (p *parser) push(x Expr) { p.exprs = push(&p.meter, p.exprs, &p.highExprs, x) }

// pop is what was pushed since mark.
func (p *parser) pop(mark int) []Expr {
	xs := room(&p.meter, &p.mem.exprs, len(p.exprs)-mark)
	copy(xs, p.exprs[mark:])
	p.exprs = p.exprs[:mark]
	return xs
}

// taller is height+1.
func (p *parser) taller(height int, left Expr, at source.Span) int {
	if height >= p.lim.Height && p.tooHigh == nil {
		p.tooHigh = new(left.Pos().Join(at))
	}
	return height + 1
}

// since is the span from a token to the cursor.
func (p *parser) since(first token) source.Span {
	return source.Span{Start: int(first.start), End: int(p.toks[p.i-1].end)}
}

func (p *parser) ident(t token) Ident { return Ident{p.text[t.start:t.end], t.span()} }

func (p *parser) name(t token) *Name {
	return node(&p.meter, &p.mem.names, Name{t.span(), p.text[t.start:t.end]})
}

func (p *parser) str(t token) *String {
	inner := p.text[t.start+1 : t.end-1]
	value := unquote(inner)
	if len(value) < len(inner) { // a copy
		p.meter.take(len(inner))
	}
	return node(&p.meter, &p.mem.strings, String{t.span(), value})
}

// number is nil if the number is too large.
func (p *parser) number(t token) Expr {
	text := p.text[t.start:t.end]
	value, ok := numberValue(text)
	if !ok {
		return nil
	}
	return node(&p.meter, &p.mem.numbers, Number{t.span(), text, value})
}

// numberValue is the value of a number, if there is one so large. Nearly every
// number in a program is up to 15 digits and nothing else.
func numberValue(text string) (float64, bool) {
	n := 0
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' || i == 15 {
			v, err := strconv.ParseFloat(text, 64)
			return v, err == nil
		}
		n = 10*n + int(c-'0')
	}
	return float64(n), true
}

func (p *parser) binary(op token, left Expr, height int, right Expr, h int) (Expr, int) {
	b := Binary{left.Pos().Join(right.Pos()), BinaryOp(op.kind - KindMul), op.span(), left, right}
	return node(&p.meter, &p.mem.binaries, b), p.taller(max(height, h), left, op.span())
}

// negated puts the n minus signs from token first on before x.
func (p *parser) negated(first, n int, x Expr, height int) (Expr, int) {
	end := x.Pos().End
	for i := first + n - 1; i >= first; i-- {
		height = p.taller(height, x, p.toks[i].span())
		x = node(&p.meter, &p.mem.unaries, Unary{source.Span{Start: int(p.toks[i].start), End: end}, x})
	}
	return x, height
}

// beside is the product of what was pushed since mark, the highest of it given.
func (p *parser) beside(mark, height int) (Expr, int) {
	first, last := p.exprs[mark], p.exprs[len(p.exprs)-1]
	height = p.taller(max(height, len(p.exprs)-mark-1), first, last.Pos())
	return node(&p.meter, &p.mem.products, Product{first.Pos().Join(last.Pos()), p.pop(mark)}), height
}

// indexed is x with the indices that were pushed since mark.
func (p *parser) indexed(open token, x Expr, height, mark, h int) (Expr, int) {
	ix := Index{source.Span{Start: x.Pos().Start, End: int(p.toks[p.i-1].end)}, x, p.pop(mark)}
	return node(&p.meter, &p.mem.indexes, ix), p.taller(max(height, h), x, open.span())
}

func (p *parser) paren(open token, x Expr, height int) (Expr, int) {
	return node(&p.meter, &p.mem.parens, Paren{p.since(open), x}), height + 1
}

// list holds what was pushed since mark.
func (p *parser) list(open token, mark, height int) (Expr, int) {
	return node(&p.meter, &p.mem.lists, List{Span: p.since(open), Elems: p.pop(mark)}), height + 1
}

func (p *parser) pushArg(a Arg) { p.args = push(&p.meter, p.args, &p.highArgs, a) }

// call has the arguments that were pushed since mark.
func (p *parser) call(fun token, mark, height int) (Expr, int) {
	args := room(&p.meter, &p.mem.args, len(p.args)-mark)
	copy(args, p.args[mark:])
	p.args = p.args[:mark]
	return node(&p.meter, &p.mem.calls, Call{Span: p.since(fun), Fun: p.ident(fun), Args: args}), height + 1
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
