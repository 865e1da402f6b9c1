package syntax

import (
	"errors"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"ein/internal/words"
	"ein/lang/diag"
)

// failure is why a statement did not parse. A session reads another line if more text could fix it.
type failure struct {
	diagnostic *diag.Diagnostic
	at         int // the token it stopped at; if none is left, more text could fix it
}

// fewTokens is how many participle reads without watching the context: it takes a few milliseconds.
const fewTokens = 1 << 9

// read reads a segment by the grammar. Participle wants a tree of its structs, so the tokens are
// read twice, by it and by build; the position of its error is all that is taken from its message.
//
// Participle does not see the parts of lists that the fast path found right (known). If it then
// stops nowhere, or at an assignment, whose message shows the tree, it reads the segment once more in
// full.
func (p *parser) read(seg segment, level int) (Stmt, *failure) {
	f := feeder{parser: p, seg: seg, i: seg.lo}
	lex, _ := lexer.Upgrade(&f) // which never fails
	defer p.meter.give(f.took)
	if p.stopped {
		return nil, nil
	}
	if p.meter.over() {
		p.stop(say(errMemory, p.toks[seg.lo].span(), words.Count(p.lim.Memory)))
		return nil, nil
	}
	var err error
	g := new(statement)
	parse := func() {
		if level == 0 {
			g, err = statements().ParseFromLexer(lex)
			return
		}
		var in *inner
		in, err = inners().ParseFromLexer(lex)
		g.Assign, g.Repeat, g.Value = in.Assign, in.Repeat, in.Value
	}
	if f.took <= fewTokens*readBytes {
		parse()
	} else if !p.steps.Within(parse) { // it takes seconds and does not look at the context
		p.stop(errStopped(p.toks[seg.lo].span()))
		return nil, nil
	}
	i := seg.hi
	if err != nil {
		var stop participle.Error
		if !errors.As(err, &stop) {
			panic("BUG: " + err.Error())
		}
		i = stop.Position().Offset
	}
	switch {
	case len(p.known) > 0 && (err == nil || p.toks[i].kind.assign()): // a tree is needed
		clear(p.known)
		return p.read(seg, level)
	case err != nil && f.wrong != nil && i == f.i-1:
		return nil, &failure{f.wrong, i}
	case err != nil:
		return nil, &failure{p.explain(seg, level, i, g.Value), i}
	}
	p.begin(seg)
	s, why := p.build(seg, level, g)
	if high := p.tooHigh; high != nil {
		p.tooHigh = nil
		return nil, &failure{say(errHeight, *high, p.lim.Height), seg.lo}
	}
	return s, why
}

// begin puts the cursor before a segment.
func (p *parser) begin(seg segment) {
	p.i, p.end, p.depth, p.tooHigh, p.inClause = seg.lo, seg.hi, 0, nil, seg.clause
	p.exprs, p.args = p.exprs[:0], p.args[:0]
}

// build makes a statement of what the grammar found in a segment. The structs have no places, so it
// and the builders of expressions go along the tokens (p.i) as the grammar did, one step for each
// token: a builder that leaves p.i one off gives all that follows wrong places.
func (p *parser) build(seg segment, level int, g *statement) (Stmt, *failure) {
	span := p.span(seg.lo, seg.hi)
	switch {
	case g.Print != nil:
		p.i++
		p.buildList(g.Print.Values)
		return p.print(span), nil
	case g.Input != nil:
		return p.input(seg), nil
	case g.Def != nil:
		for p.i += 3; len(p.args) < len(g.Def.Params); p.i++ {
			if t := p.toks[p.i]; t.kind == KindIdent {
				p.pushArg(Arg{Name: p.ident(t)})
			}
		}
		d := p.def(seg)
		if g.Def.Value == nil {
			return p.body(d, seg)
		}
		for p.toks[p.i-1].kind != KindAssign {
			p.i++
		}
		d.Value, _ = p.expression(g.Def.Value)
		return d, nil
	case g.Repeat != nil:
		p.i++
		times, _ := p.expression(g.Repeat.Times)
		return p.rounds(&Repeat{Span: span, Times: times}, seg)
	case g.Rule != nil:
		head, _ := p.atom(g.Rule.Atom)
		op, value := p.buildValue(g.Rule.Value)
		p.i++
		return p.rule(seg, head, op, value, p.buildLiterals(g.Rule.Body))
	case g.Clause != nil:
		if g.Clause.Ask {
			p.i++
		}
		return p.clause(seg, p.buildLiterals(g.Clause.Body))
	case g.Why != nil:
		p.i++
		return p.question(seg, p.buildLiterals([]*literal{g.Why.Of}))
	case g.Assign != nil:
		s := p.assign(span)
		p.i++
		if ix := g.Assign.Target.Indices; ix != nil {
			s.Indexed = true
			p.buildIndices(ix)
			s.Indices = p.pop(0)
		}
		p.operator(s)
		s.Value, _ = p.expression(g.Assign.Value)
		return s, nil
	}
	x, _ := p.expression(g.Value)
	if level == 0 && !p.opt.Repl {
		// An assignment may follow, a block, or the end of a query.
		return nil, &failure{p.foreign(p.errBareExpr(x), seg), seg.hi}
	}
	return &ExprStmt{span, x}, nil
}

// buildLiterals makes the literals of a body from what the grammar has read.
func (p *parser) buildLiterals(gs []*literal) (out []Literal) {
	for _, g := range gs {
		p.comma()
		if first := p.toks[p.i]; g.Left != nil {
			x, _ := p.expression(g.Left)
			op, value := p.buildValue(g.Right)
			out = p.addLiteral(out, first, false, x, op, value)
		}
		for _, n := range append(g.First, g.Not...) {
			first, mark := p.toks[p.i], len(p.exprs)
			p.i++
			x, height := p.atom(n.Atom)
			op, value := p.buildValue(n.Value)
			if value == nil && len(n.Beside) > 0 {
				x, _ = p.buildBeside(mark, x, height, n.Beside)
			}
			out = p.addLiteral(out, first, true, x, op, value)
		}
	}
	return out
}

// buildValue makes the value behind an assignment operator, if there is one.
func (p *parser) buildValue(g *expression) (op token, value Expr) {
	op = p.toks[p.i]
	if g != nil {
		p.i++
		value, _ = p.expression(g)
	}
	return op, value
}

// infix reads operands with operators between them.
func infix[T any](p *parser, operands []*T, build func(*T) (Expr, int)) (Expr, int) {
	x, height := build(operands[0])
	for _, g := range operands[1:] {
		op := p.toks[p.i]
		p.i++
		right, h := build(g)
		x, height = p.binary(op, x, height, right, h)
	}
	return x, height
}

func (p *parser) expression(g *expression) (Expr, int) { return infix(p, g.Sums, p.sum) }
func (p *parser) sum(g *sum) (Expr, int)               { return infix(p, g.Terms, p.term) }
func (p *parser) term(g *term) (Expr, int)             { return infix(p, g.Factors, p.buildUnary) }

// buildUnary makes an operand with its minus signs.
func (p *parser) buildUnary(g *unary) (Expr, int) {
	first := p.i
	p.i += len(g.Minus)
	x, height := p.buildProduct(g.Of)
	return p.negated(first, len(g.Minus), x, height)
}

// buildProduct makes a product, or the only factor of one.
func (p *parser) buildProduct(g *product) (x Expr, height int) {
	t, mark := p.toks[p.i], len(p.exprs)
	switch {
	case g.First != nil:
		x, height = p.factor(g.First)
	case g.List != nil:
		x, height = p.buildLiteral(g.List)
		x, height = p.buildPostfix(x, height, g.Indices)
	case g.String:
		p.i++
		return p.str(t), 1
	default:
		p.i++
		x, height = p.number(t), 1
	}
	factors := append(g.Factors, g.Behind...)
	if len(factors) == 0 {
		return x, height
	}
	return p.buildBeside(mark, x, height, factors)
}

// buildBeside makes a product of x and the factors behind it. mark is where its factors begin on
// the stack.
func (p *parser) buildBeside(mark int, x Expr, height int, factors []*factor) (Expr, int) {
	p.push(x)
	for _, f := range factors {
		x, h := p.factor(f)
		p.push(x)
		height = max(height, h)
	}
	return p.beside(mark, height)
}

// atom makes the head of a rule or what is negated: a factor that has a name.
func (p *parser) atom(g *atom) (Expr, int) {
	f := factor{Name: g.Name, Call: g.Call}
	if g.Indices != nil {
		f.Indices = []*indices{g.Indices}
	}
	return p.factor(&f)
}

// factor makes a call, an expression in parentheses or a name, with its indices.
func (p *parser) factor(g *factor) (x Expr, height int) {
	t := p.toks[p.i]
	p.i++
	switch {
	case g.Call != nil:
		p.i++
		mark := len(p.args)
		for _, a := range g.Call.Args {
			var arg Arg
			if a.Named {
				arg.Name = p.ident(p.toks[p.i])
				p.i += 2
			}
			var h int
			arg.Value, h = p.expression(a.Value)
			p.pushArg(arg)
			height = max(height, h)
			p.comma()
		}
		p.i++
		x, height = p.call(t, mark, height)
	case g.Paren != nil:
		x, height = p.expression(g.Paren)
		p.i++
		x, height = p.paren(t, x, height)
	default:
		x, height = p.name(t), 1
	}
	return p.buildPostfix(x, height, g.Indices)
}

// buildPostfix makes the index lists behind an operand.
func (p *parser) buildPostfix(x Expr, height int, g []*indices) (Expr, int) {
	for _, ix := range g {
		open, mark := p.toks[p.i], len(p.exprs)
		h := p.buildIndices(ix)
		x, height = p.indexed(open, x, height, mark, h)
	}
	return x, height
}

// buildIndices pushes an index list, and gives the height of its highest entry.
func (p *parser) buildIndices(g *indices) int {
	p.i++
	height := p.buildList(g.Of)
	p.i++
	return height
}

// buildLiteral makes a list. A packed one is taken as the lexer has read it.
func (p *parser) buildLiteral(g *list) (Expr, int) {
	open, mark := p.toks[p.i], len(p.exprs)
	if r := p.packed(open.start); r != nil {
		p.i++
		return p.packedList(open, r)
	}
	p.i++
	height := p.buildList(g.Elems)
	p.i++
	return p.list(open, mark, height)
}

// buildList pushes what stands between commas.
func (p *parser) buildList(g []*expression) (height int) {
	for _, e := range g {
		x, h := p.expression(e)
		p.push(x)
		height = max(height, h)
		p.comma()
	}
	return height
}

// comma steps over a comma, if there is one.
func (p *parser) comma() {
	if p.i < p.end && p.toks[p.i].kind == KindComma {
		p.i++
	}
}
