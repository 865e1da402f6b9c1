package syntax

import (
	"errors"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"ein/lang/diag"
)

// failure is why a statement did not parse.
type failure struct {
	diagnostic diag.Diagnostic
	at         int // the token it stopped at; if none is left, more text could cure it
}

// read reads a segment by the grammar.
func (p *parser) read(seg segment, level int) (Stmt, *failure) {
	f := feeder{parser: p, seg: seg, i: seg.lo}
	lex, _ := lexer.Upgrade(&f) // which never fails
	defer p.meter.give(f.took)
	if p.step(f.took/readBytes, p.toks[seg.lo]) {
		return nil, nil
	}
	if p.meter.over() {
		p.stop(errMemory(p.toks[seg.lo].span(), p.lim.Memory))
		return nil, nil
	}
	var err error
	g := new(statement)
	if level == 0 {
		g, err = statements.ParseFromLexer(lex)
	} else {
		var in *inner
		in, err = inners.ParseFromLexer(lex)
		g.Assign, g.Repeat, g.Value = in.Assign, in.Repeat, in.Value
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
		return nil, &failure{*f.wrong, i}
	case err != nil:
		return nil, &failure{p.explain(seg, level, i, g.Value), i}
	}
	p.begin(seg)
	s, why := p.build(seg, level, g)
	if high := p.tooHigh; high != nil {
		p.tooHigh = nil
		return nil, &failure{errHeight(*high, p.lim.Height), seg.lo}
	}
	return s, why
}

// begin puts the cursor before a segment.
func (p *parser) begin(seg segment) {
	p.i, p.end, p.depth, p.tooHigh = seg.lo, seg.hi, 0, nil
	p.exprs, p.args = p.exprs[:0], p.args[:0]
}

// build makes a statement of what the grammar found in a segment. It and the
// builders of expressions go along the tokens as the grammar did.
func (p *parser) build(seg segment, level int, g *statement) (Stmt, *failure) {
	span := p.span(seg.lo, seg.hi)
	switch {
	case g.Print != nil:
		p.i++
		p.buildList(g.Print.Values)
		return &Print{span, append([]Expr(nil), p.exprs...)}, nil
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
	case g.Assign != nil:
		s := &Assign{Span: span, Name: p.ident(p.toks[p.i])}
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
		at := seg.lo
		if isHead(x) || p.word(seg.lo) == "repeat" {
			at = seg.hi // an assignment may follow, or a block
		}
		return nil, &failure{errBareExpr(x), at}
	}
	return &ExprStmt{span, x}, nil
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

func (p *parser) buildUnary(g *unary) (Expr, int) {
	first := p.i
	p.i += len(g.Minus)
	x, height := p.buildProduct(g.Of)
	return p.negated(first, len(g.Minus), x, height)
}

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
	p.push(x)
	for _, f := range factors {
		x, h := p.factor(f)
		p.push(x)
		height = max(height, h)
	}
	return p.beside(mark, height)
}

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

func (p *parser) buildPostfix(x Expr, height int, g []*indices) (Expr, int) {
	for _, ix := range g {
		open, mark := p.toks[p.i], len(p.exprs)
		h := p.buildIndices(ix)
		x, height = p.indexed(open, x, height, mark, h)
	}
	return x, height
}

func (p *parser) buildIndices(g *indices) int {
	p.i++
	height := p.buildList(g.Of)
	p.i++
	return height
}

func (p *parser) buildLiteral(g *list) (Expr, int) {
	open, mark := p.toks[p.i], len(p.exprs)
	if r, ok := p.packs[open.start]; ok {
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

func (p *parser) comma() {
	if p.i < p.end && p.toks[p.i].kind == KindComma {
		p.i++
	}
}
