package check

import (
	"slices"

	"ein/lang/diag"
	"ein/lang/syntax"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// grown is what a program says of relations, checked, for the facts and rules that follow it. One
// program may extend it; for others, which see a later version, it is elaborated anew.
type grown struct {
	*relations
	version   int
	described []diag.Relation // without what a query since then says of their columns
}

// Grow checks facts and rules that follow a program, and nothing that was there. It returns nil if
// that might not find what a check of all finds, which the caller then makes. text is how many of
// the labels the text of the program has; added are those that it gets.
func Grow(f *syntax.File, cfg Config, text int) (p *Program, added []string) {
	before := cfg.After
	g := before.end.grown
	if g.relations == nil || g.version != g.relations.version || f.Diags.HasErrors() ||
		slices.ContainsFunc(f.Stmts, func(s syntax.Stmt) bool { _, is := s.(*syntax.Rule); return !is }) {
		return nil, nil
	}
	p = new(Program)
	p.renew(f)
	c := newChecker(f, cfg, p)
	defer c.release()
	p.Bound, p.Inputs, p.Rules, p.Relations = before.Bound, before.Inputs, before.Rules, g.described
	c.follow(before)
	c.rel = g.relations
	c.rel.version++
	added, ok := c.grow(p, text)
	if !ok || c.diags.HasErrors() || c.stopped {
		return nil, nil
	}
	for _, label := range added {
		c.ids[label] = len(c.labels)
		c.labels = append(c.labels, label)
	}
	c.finish(p)
	return p, added
}

// grow extends the relations by the facts and rules of the file. It is not ok where something that
// was there would have to be checked again: a type has turned into another, a tensor is read for
// the first time, a name has become a constant. relations are then spoiled, and the caller
// elaborates all anew.
func (c *checker) grow(p *Program, text int) (added []string, ok bool) {
	r := c.rel
	clauses, consts, relations, tensors := len(r.clauses), len(r.consts), len(r.list), len(r.tensors)
	r.old, r.turned = len(r.slots), false
	var touched []*relation
	for _, s := range c.file.Stmts {
		rule := s.(*syntax.Rule)
		name, args := headParts(rule)
		x := r.byName[name.Name]
		if x == nil && (width(rule, args) > tensor.MaxColumns || c.scope.lookup(name.Name) != nil || r.tensors[name.Name] != nil || r.tensors[name.Name+"[]"] != nil) || x != nil && x.input != nil {
			return nil, false
		}
		c.headOf(rule)
		if x = r.byName[name.Name]; !slices.Contains(touched, x) {
			touched = append(touched, x)
		}
	}
	r.stmts = append(r.stmts, c.file.Stmts...)
	known := len(r.known)
	c.gatherConstants(c.file.Stmts)
	if len(r.known) > known && c.asked() {
		return nil, false
	}
	for _, s := range c.file.Stmts {
		c.rule(s.(*syntax.Rule))
	}
	fresh := r.clauses[clauses:]
	for _, cl := range fresh {
		c.ground(cl)
	}
	if c.diags.HasErrors() || r.turned || len(r.tensors) > tensors {
		return nil, false
	}
	r.index(fresh)
	for _, cl := range fresh {
		if around := c.around(cl); around != nil {
			c.stratify(c.skeleton(around), around)
		}
	}
	for _, cl := range fresh {
		cl.Vars = make([]rel.Var, len(cl.vars))
	}
	if !c.keepsKinds(fresh, touched, relations) {
		return nil, false
	}
	added, ok = c.addedNodes(fresh, touched, text)
	c.outside(fresh, touched, consts)
	c.habits(fresh, touched)
	for _, x := range touched {
		at := slices.IndexFunc(p.Relations, func(d diag.Relation) bool { return d.Name == x.name })
		if at < 0 {
			p.Relations = append(p.Relations, c.described(x, p))
		} else if len(x.rules) > 0 && slices.Contains(fresh, x.rules[0]) { // which names its columns
			p.Relations = slices.Clone(p.Relations)
			p.Relations[at] = c.described(x, p)
		}
	}
	return added, ok
}

// asked reports whether a query so far has a name that the facts make a constant.
func (c *checker) asked() (is bool) {
	for name := range c.cfg.After.end.asked {
		is = is || c.rel.known[name].Start >= c.file.Stmts[0].Pos().Start
	}
	return is
}

// around returns the rules of all that depends on what a rule derives, if the rule itself does.
func (c *checker) around(cl *clause) (list []*clause) {
	circular := false
	seen := map[*relation]bool{cl.of: true}
	queue := []*relation{cl.of}
	for ; len(queue) > 0 && !c.step(1); queue = queue[1:] {
		list = append(list, queue[0].rules...)
		for _, reader := range c.rel.readers[queue[0].place] {
			circular = circular || reader == cl
			if !seen[reader.of] {
				seen[reader.of] = true
				queue = append(queue, reader.of)
			}
		}
	}
	if !circular {
		return nil
	}
	return list
}

// keepsKinds finds the kinds of what new clauses use, and reports whether the columns of the
// relations that were there keep theirs.
func (c *checker) keepsKinds(fresh []*clause, touched []*relation, relations int) bool {
	before := map[*column]tensor.ColumnKind{}
	for _, x := range touched {
		if x.place >= relations {
			continue
		}
		for i := range x.cols {
			before[&x.cols[i]] = x.cols[i].kind
		}
		for _, f := range x.facts[x.checked:] {
			for i, k := range f.row {
				if x.cols[i].kind == tensor.IntColumn && !whole(c.rel.consts[k].num) {
					return false
				}
			}
		}
	}
	c.kinds(fresh, c.rel.list[relations:])
	keeps := true
	for k, kind := range before {
		keeps = keeps && k.kind == kind
	}
	return keeps
}

// addedNodes returns the labels that new facts and clauses add to the nodes, in the order of the
// text. It gives up where they may be something else.
func (c *checker) addedNodes(fresh []*clause, touched []*relation, text int) (added []string, ok bool) {
	ok = true
	var found []*constant
	inRows(fresh, touched, func(k int) {
		x := &c.rel.consts[k]
		switch class := c.rel.class(x.slot); {
		case x.isNum && (class == numeral || class == aNumber):
		case x.isNum, class != aLabel && class != aNode:
			ok = false
		default:
			if id, is := c.node(x.text); !is || id >= text {
				found = append(found, x)
			}
		}
	})
	slices.SortFunc(found, func(a, b *constant) int { return a.span.Start - b.span.Start })
	for _, x := range found {
		if _, is := c.node(x.text); is {
			ok = false // a node of the data becomes one of the text
		} else if !slices.Contains(added, x.text) {
			added = append(added, x.text)
		}
	}
	return added, ok && (len(added) == 0 || c.labels != nil)
}
