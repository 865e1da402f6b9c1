package check

import (
	"errors"
	"math"
	"slices"

	"ein/internal/codes"
	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// answer makes the output of a query.
func (c *checker) answer(p *Program, s *syntax.Query) Output {
	for _, cl := range c.rel.clauses {
		if cl.span == s.Span && cl.of == nil {
			return c.rows(p, cl.query, cl.Rel, s.Span)
		}
	}
	return Output{Name: syntax.QueryString(s), Span: s.Span} // the check was stopped
}

// relationNamed is the relation that an expression names.
func (c *checker) relationNamed(x syntax.Expr) *relation {
	name, ok := syntax.Unparen(x).(*syntax.Name)
	if !ok {
		return nil
	}
	return c.rel.byName[name.Name]
}

// rows makes an output of all rows of a relation or a query.
func (c *checker) rows(p *Program, name string, place int, at source.Span) Output {
	c.readsEarly(name, place, at, true)
	c.rel.pending = append(c.rel.pending, pending{len(p.Outputs), place})
	return Output{Name: name, Span: at}
}

// needs returns the relations, queries included, that the given ones depend on, and these themselves.
func (c *checker) needs(places ...int) map[int]bool {
	needed := map[int]bool{}
	if c.rel.byHead == nil {
		c.rel.byHead = map[int][]*clause{}
		for _, cl := range c.rel.clauses {
			c.rel.byHead[cl.Rel] = append(c.rel.byHead[cl.Rel], cl)
		}
	}
	for places = slices.Clone(places); len(places) > 0; {
		i := places[len(places)-1]
		if places = places[:len(places)-1]; needed[i] || c.step(1) {
			continue
		}
		needed[i] = true
		for _, cl := range c.rel.byHead[i] {
			for _, r := range cl.uses {
				if r != nil {
					places = append(places, r.place)
				}
			}
		}
	}
	return needed
}

// source is what a relation reads, if it reads anything.
func (c *checker) source(r *relation) *ir.Node {
	if r.source == rel.NoSource {
		return c.rel.tables[r]
	}
	if sym := c.scope.lookup(r.name); sym != nil {
		return sym.node
	}
	return nil
}

// readsEarly reports what reads a relation above the last value of a tensor that its rules read, which
// is the one that a rule means. An output may stand above all its values.
func (c *checker) readsEarly(name string, place int, at source.Span, output bool) bool {
	needed := c.needs(place)
	for _, s := range c.rel.list {
		if !needed[s.place] || s.source == rel.NoSource && s.input == nil {
			continue
		}
		sym := c.scope.lookup(s.name)
		switch known, last := c.source(s) != nil, c.rel.last[s.name]; {
		case sym != nil && sym.bad:
			return true
		case known && last.End > at.Start:
			c.say(otherValue, at, name, s.name, c.line(last))
			return true
		case !known && !output:
			c.readEarly(name, s, at)
			return true
		}
	}
	return false
}

// stageOf is the stage that gives some relations: the last one, if everything that they read
// existed when it began; else a new one. Fewer stages are better, as each is evaluated by itself.
func (c *checker) stageOf(needed map[int]bool) *stage {
	s := &stage{}
	for _, r := range c.rel.list {
		if node := c.source(r); node != nil && (needed[r.place] || r.input != nil) {
			if r.source == rel.FromEntries && node.Type.Far { // its edges
				node = c.b.Map(op.FnLe, node, c.b.Number(math.MaxFloat64))
			}
			s.sources, s.args = append(s.sources, r), append(s.args, node)
		}
	}
	if n := len(c.rel.stages); n > 0 {
		last := c.rel.stages[n-1]
		if !slices.ContainsFunc(s.sources, func(r *relation) bool {
			return needed[r.place] && !slices.Contains(last.sources, r)
		}) {
			return last
		}
	}
	c.rel.stages = append(c.rel.stages, s)
	return s
}

// result returns the rows of a relation of the program as an operation.
func (c *checker) result(s *stage, place int) *ir.Node {
	s.results = append(s.results, place)
	return c.b.Relation(&s.rules, len(s.results)-1, s.args...)
}

// tensorOf is a relation in an equation: a tensor whose axes are the columns, of 0 and 1, or of the
// sums of its keys. It is made once, for all equations that read it.
func (c *checker) tensorOf(r *relation, x *syntax.Name) *ir.Node {
	if r.node != nil {
		return r.node
	}
	if r.fold == rel.Min || r.fold == rel.Max {
		c.tell(codes.E0816, x.Span, "", []string{"Give keys without a value one, as in `default(" + r.name + ", -1)`, or ask for those with one: `" + c.shown(r) + "?`."},
			"`%s` has no value for every key, so it is not a tensor", r.name)
		return nil
	}
	r.node = c.scatter(r, x, c.b.Number(0))
	return r.node
}

// numberNodes makes nodes of the numbers in the relations that statements read as tensors. Where
// nodes have labels, or data may give them some, a number would have to be one.
func (c *checker) numberNodes() {
	isInput := func(s syntax.Stmt) bool { _, is := s.(*syntax.Input); return is }
	if len(c.rel.byName) == 0 || c.labels != nil || slices.ContainsFunc(c.file.Stmts, isInput) || c.cfg.After != nil && len(c.cfg.After.Inputs) > 0 {
		return
	}
	// All axes of a tensor must be nodes, so one column of names keeps the numbers beside it what
	// they are.
	read := func(n syntax.Node) bool {
		name, _ := n.(*syntax.Name)
		if name == nil || c.rel.byName[name.Name] == nil {
			return true
		}
		r := c.rel.byName[name.Name]
		axes := r.cols
		if r.keyed() {
			axes = axes[:len(axes)-1]
		}
		isNode := func(k column) bool { return slices.Contains([]class{numeral, aNode, anything}, c.rel.class(k.slot)) }
		if len(axes) == 0 || slices.ContainsFunc(axes, func(k column) bool { return !isNode(k) }) {
			return true
		}
		for _, k := range axes {
			if s := &c.rel.slots[c.rel.find(k.slot)]; s.class != anything { // nodes already, if a rule joins them with a tensor
				s.class, r.numbers, c.rel.numbered = aNode, true, true
			}
		}
		return true
	}
	for _, s := range c.file.Stmts {
		switch s := s.(type) {
		case *syntax.Assign, *syntax.Repeat, *syntax.ExprStmt:
			syntax.Walk(s, read)
		case *syntax.Print:
			for _, x := range s.Values {
				if c.relationNamed(x) == nil { // which prints its rows
					syntax.Walk(x, read)
				}
			}
		}
	}
}

// defaultCall is default(T, x): the values of a relation, and x for keys without one.
func (c *checker) defaultCall(x *syntax.Call) val {
	rest := c.expr(x.Args[1].Value, ctx{base: ^uint64(0)})
	name, _ := x.Args[0].Value.(*syntax.Name)
	var r *relation
	if name != nil {
		r = c.rel.byName[name.Name]
	}
	switch {
	case rest.n == nil:
		return val{}
	case r == nil || !r.keyed():
		return c.tell(codes.E0816, x.Args[0].Value.Pos(), "", []string{"default(T, x) takes a relation that rules define by `min=`, `max=` or `+=`."},
			"`%s` is no relation with values", syntax.ExprString(x.Args[0].Value))
	case rest.n.Rank() > 0 || rest.indexed || rest.label:
		return c.tell(codes.E0816, x.Args[1].Value.Pos(), "", []string{"The same number stands wherever there is no value."}, "the default of `%s` is no number", r.name)
	}
	return val{n: c.scatter(r, name, rest.n)}
}

// keyed reports whether rules give values to the keys of the relation.
func (r *relation) keyed() bool { return r.fold == rel.Min || r.fold == rel.Max || r.fold == rel.Sum }

// placeless reports whether there are numbers that only a rule makes nodes, as it joins them with a tensor
// that is made of them. Nothing says how many nodes there are.
func (c *checker) placeless() bool {
	sized := func(r *relation) bool { return r.source != rel.NoSource && c.source(r) != nil }
	return !c.rel.numbered && !slices.ContainsFunc(c.rel.list, sized) && slices.ContainsFunc(c.rel.consts, func(k constant) bool { return c.rel.isPlace(&k) })
}

// scatter is a relation as a tensor whose axes are the columns, with rest where it has no row.
func (c *checker) scatter(r *relation, x *syntax.Name, rest *ir.Node) *ir.Node {
	axes, t := r.cols, tensor.Type{}
	if r.keyed() {
		axes, t.Kind = axes[:len(axes)-1], tensor.Real
	}
	if c.readsMissing(r.name, r.place, x.Span) || c.readsEarly(r.name, r.place, x.Span, false) {
		return nil
	}
	dims := make([]int, len(axes))
	for i, k := range axes {
		d := c.domain(k.slot)
		if d == nil || c.rel.class(k.slot) == aText || d.Labels == nil && c.placeless() {
			c.noAxis(r, i, x.Span)
			return nil
		}
		if dims[i] = d.Size; c.b.Unknown {
			dims[i] = unknownNodes
		}
	}
	t.Shape = tensor.ShapeOf(dims...)
	if r.numbers && dims[0] > c.cfg.Numbered {
		r.numbers = false // it is said once
		c.say(numberedNodes, x.Span, r.name, words.Plural(dims[0], "node"))
	}
	bound := 1.0
	if t.Kind == tensor.Real {
		bound = inf
	}
	c.at(x.Span)
	return c.b.Scatter(c.result(c.stageOf(c.needs(r.place)), r.place), rest, t, bound)
}

// InputColumns returns the columns of an input of a relation. Their domains have a name but no members.
func InputColumns(s *syntax.Input) []tensor.Column {
	var list []tensor.Column
	for _, col := range s.Columns {
		k := tensor.Column{Name: col.Name.Name, Kind: columnTypes[col.Type.Name].kind} // that of a named domain is a node
		if k.Kind.Named() {
			k.Domain = &tensor.Domain{Name: col.Type.Name}
		}
		list = append(list, k)
	}
	return list
}

// tableInput is an input with columns.
func (c *checker) tableInput(p *Program, s *syntax.Input) {
	in := Input{Name: s.Name.Name, Kind: "relation", Slot: len(p.Inputs), Span: s.Span}
	in.Node = c.b.Input(in.Slot, tensor.Type{}, 1, true)
	in.Columns = InputColumns(s)
	if v := c.cfg.Inputs[in.Name]; v != nil && v.Layout != tensor.Rows {
		c.inputMisfit(s, stdlib.Describe(v.Shape))
		return
	} else if v != nil {
		in.bound = true
	} else {
		p.Bound = false
	}
	p.Inputs = append(p.Inputs, in)
	c.rel.tables[c.rel.byName[in.Name]] = in.Node
}

// finishRelations checks all clauses together, and makes their program. Each check relies on those
// before it: types mean something once every variable has a source, and warnings about habits once
// there is no error; domains are complete when the last clause has been read.
func (c *checker) finishRelations(p *Program) {
	if len(c.rel.list) == 0 && len(c.rel.clauses) == 0 || c.cfg.Profile == Core || c.stopped {
		return
	}
	defer func() {
		for _, r := range c.rel.list {
			if r.source == rel.NoSource {
				p.Relations = append(p.Relations, c.described(r, p))
			}
		}
	}()
	for _, cl := range c.rel.clauses {
		c.ground(cl)
	}
	c.rel.index(c.rel.clauses)
	skeleton := c.skeleton(c.rel.clauses)
	c.stratify(skeleton, c.rel.clauses)
	for _, r := range c.rel.list {
		if t := c.scope.lookup(r.name); t != nil && t.node != nil && c.rel.byName[r.name] == r { // else what is wrong with it is told
			c.tensorAndRelation(r.name, t.span, r.first)
		}
	}
	for _, x := range c.rel.pending {
		out := p.Outputs[x.output]
		c.readsMissing(out.Name, x.place, out.Span)
	}
	c.tensorsRead()
	if c.diags.HasErrors() {
		return
	}
	c.kinds(c.rel.clauses, c.rel.list)
	c.outside(c.rel.clauses, c.rel.list, 0)
	c.habits(c.rel.clauses, c.rel.list)
	if c.diags.HasErrors() {
		return
	}
	for _, cl := range c.rel.clauses {
		for v := range cl.vars {
			cl.Vars[v].Domain = c.domain(cl.vars[v].slot)
		}
	}
	places := lists.Map(c.rel.pending, func(x pending) int { return x.place })
	last := c.stageOf(c.needs(places...))
	for _, x := range c.rel.pending {
		out := &p.Outputs[x.output]
		c.at(out.Span)
		out.Node = c.result(last, x.place)
	}
	for i, s := range c.rel.stages {
		lowered := c.lower(skeleton, s, i == len(c.rel.stages)-1)
		if err := rel.Verify(lowered); err != nil {
			// The verifier refuses what is too large for one rule, or meaningless and missed by
			// the checker.
			at, in := pointOf(c.file), (*rel.InRule)(nil)
			if errors.As(err, &in) {
				pos := lowered.Rules[in.Rule].Pos
				at, err = source.Span{Start: int(pos.Start), End: int(pos.End)}, in.Err
			}
			c.tell(codes.E0818, at, "", nil, "this cannot be run: %s", err)
			return
		}
		s.rules.Program, p.Rules = lowered, lowered
	}
	c.rel.whole = true
}

// described is a relation for tools that fix a program.
func (c *checker) described(r *relation, p *Program) diag.Relation {
	x := diag.Relation{File: p.File.Source.Name, Name: r.name, Valued: r.valued()}
	names := r.columnNames()
	for i, k := range r.cols {
		name := k.name
		if name == "" && names != nil {
			name = names[i]
		}
		x.Columns = append(x.Columns, name)
		s := c.rel.slots[c.rel.find(k.slot)]
		is := map[class]string{aLabel: "node", aNode: "node", aText: "text", ofDomain: s.domain, aNumber: "number", numeral: "number"}[s.class]
		if is == "number" && (p.Rules != nil || r.input != nil) {
			is = k.kind.String()
		}
		x.Types = append(x.Types, is)
	}
	return x
}

// tensorsRead checks that the axes of the tensors that rules read are nodes, and sets the kind of their
// values.
func (c *checker) tensorsRead() {
	for _, r := range c.rel.list {
		sym := c.scope.lookup(r.name)
		if r.source == rel.NoSource || sym == nil || sym.node == nil {
			continue
		}
		axes := r.cols
		if r.valued() {
			last := len(axes) - 1
			if axes = axes[:last]; sym.node.Type.Kind == tensor.Real {
				r.cols[last].kind = tensor.RealColumn
			}
		}
		if sym.node.Rank() != len(axes) {
			c.say(otherAxes, r.first, r.name, words.Plural(sym.node.Rank(), "axis", "axes"), len(axes))
			continue
		}
		nodes := c.domainNamed("node").Size
		for i := range axes {
			if n := sym.node.Type.Shape.Dim(i); n != nodes && n >= 0 && !c.b.Unknown {
				c.say(otherNodes, r.first, i+1, r.name, words.Plural(n, "place"), words.Plural(nodes, "node"))
				break
			}
		}
	}
}

// pointOf is where a program begins.
func pointOf(f *syntax.File) source.Span {
	if len(f.Stmts) == 0 {
		return source.Span{}
	}
	return f.Stmts[0].Pos()
}
