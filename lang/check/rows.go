package check

import (
	"ein/internal/codes"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/ir"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// answer is the output of a query.
func (c *checker) answer(s *syntax.Query) Output {
	for _, cl := range c.rel.clauses {
		if cl.span == s.Span && cl.of == nil {
			c.at(s.Span)
			return Output{Name: cl.query, Node: c.result(len(c.rel.list) + c.queryNumber(cl)), Span: s.Span}
		}
	}
	return Output{Name: syntax.QueryString(s), Span: s.Span} // the check was stopped
}

// queryNumber is how many queries there are before one.
func (c *checker) queryNumber(of *clause) (n int) {
	for _, cl := range c.rel.clauses {
		if cl == of {
			break
		} else if cl.of == nil {
			n++
		}
	}
	return n
}

// relationNamed is the relation that an expression is the name of.
func (c *checker) relationNamed(x syntax.Expr) *relation {
	name, ok := x.(*syntax.Name)
	if !ok {
		return nil
	}
	return c.rel.byName[name.Name]
}

// rows is the output of all rows of a relation.
func (c *checker) rows(r *relation, at source.Span) Output {
	r.used, r.wanted = true, true
	c.at(at)
	return Output{Name: r.name, Node: c.result(r.place), Span: at}
}

// result is the rows of a relation of the program as an operation.
func (c *checker) result(place int) *ir.Node {
	c.rel.results = append(c.rel.results, place)
	return c.b.Relation(c.rel.rules, len(c.rel.results)-1, c.rel.tables...)
}

// tensorOf is a relation in an equation: a tensor whose axes are the columns, of 0 and
// 1, or of the sums of its keys.
func (c *checker) tensorOf(r *relation, x *syntax.Name) *ir.Node {
	if r.node != nil {
		return r.node
	}
	axes, t := r.cols, tensor.Type{}
	switch r.fold {
	case rel.Min, rel.Max:
		c.err(codes.E0816, x.Span, "", []string{"A key that no rule gives a value has none: ask with a rule, `P(x, v) <- " + r.name + "[x] = v.`."},
			"`%s` has no value for every key, so it is no tensor", r.name)
		return nil
	case rel.Sum:
		axes, t.Kind = axes[:len(axes)-1], tensor.Real
	}
	dims := make([]int, len(axes))
	for i, k := range axes {
		d := c.domain(k.slot)
		if d == nil || c.rel.class(k.slot) == aText {
			c.err(codes.E0816, x.Span, "", []string{"The axes of a tensor are nodes."}, "column %d of `%s` holds no nodes, so it is no tensor", i+1, r.name)
			return nil
		}
		if dims[i] = d.Size; c.rel.vague {
			dims[i], c.b.Unknown = unknownNodes, true
		}
	}
	t.Shape = tensor.ShapeOf(dims...)
	bound := 1.0
	if t.Kind == tensor.Real {
		bound = inf
	}
	r.used, r.wanted = true, true
	c.at(x.Span)
	r.node = c.b.Scatter(c.result(r.place), t, bound)
	return r.node
}

// tableInput is an input with columns.
func (c *checker) tableInput(p *Program, s *syntax.Input) {
	in := Input{Name: s.Name.Name, Kind: "relation", Slot: len(p.Inputs), Span: s.Span}
	in.Node = c.b.Input(in.Slot, tensor.Type{}, 1, true)
	for _, col := range s.Columns {
		k := tensor.Column{Name: col.Name.Name, Kind: columnTypes[col.Type.Name].kind} // that of a named domain is a node
		if k.Kind.Named() {
			k.Domain = &tensor.Domain{Name: col.Type.Name}
		}
		in.Columns = append(in.Columns, k)
	}
	if v := c.cfg.Inputs[in.Name]; v != nil && v.Layout != tensor.Rows {
		c.inputMisfit(s, stdlib.Describe(v.Shape))
		return
	} else if v != nil {
		in.bound = true
	} else {
		p.Bound = false
	}
	p.Inputs = append(p.Inputs, in)
	c.rel.tables = append(c.rel.tables, in.Node)
}

// finishRelations checks the clauses, all together, and makes the program of them.
func (c *checker) finishRelations(p *Program) {
	if len(c.rel.list) == 0 && len(c.rel.clauses) == 0 || c.cfg.Profile == Core || c.stopped {
		return
	}
	for _, cl := range c.rel.clauses {
		c.ground(cl)
	}
	skeleton := c.skeleton()
	c.stratify(skeleton)
	for _, s := range p.Statements {
		if r := c.rel.byName[s.Name]; r != nil {
			c.tensorAndRelation(s.Name, s.Span, r.first)
		}
	}
	if c.diags.HasErrors() {
		return
	}
	c.kinds()
	c.habits()
	if c.diags.HasErrors() {
		return
	}
	skeleton.Results = c.rel.results
	p.Rules = c.lower(skeleton)
	p.Rules.Results = c.rel.results
	c.rel.rules.Program = p.Rules
	if err := rel.Verify(p.Rules); err != nil {
		// The verifier refuses what has no meaning, and the checker has missed it.
		c.err(codes.E0818, pointOf(c.file), "", nil, "the rules of the program cannot be run together: %s", err)
		p.Rules = nil
	}
}

// pointOf is where a program begins.
func pointOf(f *syntax.File) source.Span {
	if len(f.Stmts) == 0 {
		return source.Span{}
	}
	return f.Stmts[0].Pos()
}
