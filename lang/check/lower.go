package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ein/internal/codes"
	"ein/lang/syntax"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// kinds finds the kind of each column and variable. A column of numbers holds whole numbers unless
// a fact or a rule puts others into it. So all begin whole, and real ones spread along the rules
// until nothing changes; no column becomes whole again, which ends it.
func (c *checker) kinds(clauses []*clause, list []*relation) {
	for _, r := range list {
		for i := range r.cols {
			k := &r.cols[i]
			if r.input == nil && r.source == rel.NoSource {
				k.kind = tensor.IntColumn
			}
			switch c.rel.class(k.slot) {
			case aText:
				k.kind = tensor.TextColumn
			case aNumber, numeral:
				if r.source != rel.NoSource && k.kind != tensor.RealColumn {
					k.kind = tensor.IntColumn
				}
				for _, f := range r.facts {
					if !whole(c.rel.consts[f.row[i]].num) {
						k.kind = tensor.RealColumn
					}
				}
			default:
				k.kind = tensor.NodeColumn
			}
		}
	}
	c.settle(slices.Clone(clauses), func(cl *clause) (changed bool) {
		if cl.bad || c.step(len(cl.Body)) {
			return false
		}
		c.varKinds(cl)
		if cl.of == nil {
			return false
		}
		for i := range cl.Head {
			k := &cl.of.cols[i]
			if k.kind == tensor.IntColumn && c.cellKind(cl, &cl.Head[i]) == tensor.RealColumn {
				if cl.of.input != nil {
					cl.bad = true
					c.say(realInInt, cl.span, i+1, cl.of.name)
					continue
				}
				k.kind, changed = tensor.RealColumn, true
			}
		}
		return changed
	})
}

// settle works on some clauses, and on those that read a relation that has changed. It ends because
// a relation can change only so often: kinds only become real, and what may have rows stays so.
func (c *checker) settle(queue []*clause, work func(*clause) (changed bool)) {
	for ; len(queue) > 0; queue = queue[1:] {
		if cl := queue[0]; work(cl) {
			queue = append(queue, c.rel.readers[cl.of.place]...)
		}
	}
}

// index notes what new clauses read.
func (r *relations) index(clauses []*clause) {
	r.readers = append(r.readers, make([][]*clause, len(r.list)-len(r.readers))...)
	for _, cl := range clauses {
		for i, x := range cl.uses {
			if x != nil && !slices.Contains(cl.uses[:i], x) {
				r.readers[x.place] = append(r.readers[x.place], cl)
			}
		}
	}
}

// whole reports whether a number is whole and small enough to be exact.
func whole(x float64) bool { return x == float64(int64(x)) && -tensor.MaxInt < x && x < tensor.MaxInt }

// varKinds determines the kinds of the variables of a clause, to a fixed point: a variable is a
// whole number if something whole gives it its value.
func (c *checker) varKinds(cl *clause) {
	for v := range cl.vars {
		x, kind := &cl.vars[v], tensor.RealColumn
		switch c.rel.class(x.slot) {
		case aText:
			kind = tensor.TextColumn
		case aNode, aLabel, ofDomain, anything:
			kind = tensor.NodeColumn
		}
		cl.Vars[v] = rel.Var{Name: x.name, Kind: kind}
	}
	for changed := true; changed; {
		changed = false
		for i := range cl.Body {
			l := &cl.Body[i]
			makeWhole := func(v int) {
				if cl.Vars[v].Kind == tensor.RealColumn {
					cl.Vars[v].Kind, changed = tensor.IntColumn, true
				}
			}
			if l.Kind == rel.Atom {
				for k, t := range l.Terms {
					if t.Kind == rel.Variable && cl.uses[i].cols[k].kind == tensor.IntColumn {
						makeWhole(t.Var)
					}
				}
			} else if l.Kind == rel.Bind && c.exprKind(cl, &l.Left) == tensor.IntColumn {
				makeWhole(l.Var)
			}
		}
	}
}

// cellKind is the kind of a cell of a head.
func (c *checker) cellKind(cl *clause, h *rel.Cell) tensor.ColumnKind {
	switch h.Agg {
	case rel.Count, rel.Distinct:
		return tensor.IntColumn
	case rel.Mean:
		return tensor.RealColumn
	}
	return c.exprKind(cl, &h.Expr)
}

// exprKind is the kind of an expression, as the verifier of rel sees it.
func (c *checker) exprKind(cl *clause, e *rel.Expr) tensor.ColumnKind {
	if len(e.Args) == 0 {
		if e.Term.Kind == rel.Variable {
			return cl.Vars[e.Term.Var].Kind
		}
		k := &c.rel.consts[int(e.Term.Value)]
		switch {
		case !k.isNum:
			return tensor.NodeColumn
		case whole(k.num):
			return tensor.IntColumn
		}
		return tensor.RealColumn
	}
	all := true
	for i := range e.Args {
		all = c.exprKind(cl, &e.Args[i]) == tensor.IntColumn && all
	}
	if e.Fn.Whole(all) {
		return tensor.IntColumn
	}
	return tensor.RealColumn
}

// domain is the domain of a slot, or nil if it holds numbers. If no data gives the labels of a
// domain, they are the constants of the text, in their order.
func (c *checker) domain(slot int) *tensor.Domain {
	s := c.rel.slots[c.rel.find(slot)]
	name := "node"
	switch s.class {
	case aText:
		name = "text"
	case ofDomain:
		name = s.domain
	case aNumber, numeral:
		return nil
	}
	return c.domainNamed(name)
}

// domainNamed makes a domain once, so that two columns of one domain have the same pointer, by
// which package rel compares domains.
func (c *checker) domainNamed(name string) *tensor.Domain {
	d := c.rel.domains[name]
	if d == nil {
		d = &tensor.Domain{Name: name}
		if name == "node" {
			d.Labels = c.labels
			d.Size, _ = c.numbered()
		} else {
			d.Labels = c.rel.labelsOf(name)
		}
		d.Size = max(d.Size, len(d.Labels))
		c.rel.domains[name] = d
	}
	return d
}

// numbered is the number of nodes when they have no labels: the size of the tensors that rules
// read. If they read none, it is one more than the largest number of a row; while one of these or a
// table has no data, it is at least as many as the program names.
func (c *checker) numbered() (n int, known bool) {
	if c.labels != nil {
		return 0, false
	}
	known = !c.rel.vague
	sized := false
	for _, r := range c.rel.list {
		if sym := c.scope.lookup(r.name); r.source != rel.NoSource && sym != nil && sym.node != nil {
			sized = true
			for i := range sym.node.Rank() {
				n = max(n, sym.node.Type.Shape.Dim(i))
				known = known && sym.node.Type.Shape.Dim(i) >= 0
			}
		}
	}
	see := func(i int) {
		if k := &c.rel.consts[i]; c.rel.isPlace(k) {
			n = max(n, int(min(k.num, rel.MaxSize-1))+1)
		}
	}
	if !known {
		for i := range c.rel.consts {
			see(i)
		}
	} else if c.rel.numbered && !sized {
		n = c.cfg.Numbered
		inRows(c.rel.clauses, c.rel.list, see)
	}
	return n, known
}

// inRows passes the constants that are cells of rows: those of facts that are new, of heads, and of
// variables that nothing else gives a value.
func inRows(clauses []*clause, list []*relation, see func(k int)) {
	for _, r := range list {
		for _, f := range r.facts[r.checked:] {
			for _, k := range f.row {
				see(k)
			}
		}
	}
	for _, cl := range clauses {
		if cl.of != nil {
			cl.constants(see)
		}
	}
}

// isPlace reports whether a constant is a node by its number.
func (r *relations) isPlace(k *constant) bool {
	class := r.class(k.slot)
	return k.isNum && (class == aNode || class == aLabel)
}

// outside reports numbers of nodes that do not exist: nothing matches them, unless they are a bound,
// and where nodes have no labels they may not be in a fact or a head. Clauses, relations and
// constants are those that are new.
func (c *checker) outside(clauses []*clause, list []*relation, consts int) {
	places := func(k constant) bool { return c.rel.isPlace(&k) }
	if !slices.ContainsFunc(c.rel.consts[consts:], places) {
		return
	}
	n, known := c.numbered()
	given, bound := map[int]bool{}, map[int]bool{}
	inRows(clauses, list, func(k int) { given[k] = true })
	for _, cl := range clauses {
		for i := range cl.Body {
			l := &cl.Body[i]
			for _, e := range [...]*rel.Expr{&l.Left, &l.Right} {
				if l.Kind == rel.Compare && l.Fn != op.FnEq && l.Fn != op.FnNe && isConst(e) {
					bound[int(e.Term.Value)] = true
				}
			}
		}
	}
	for i := consts; i < len(c.rel.consts); i++ {
		switch k := &c.rel.consts[i]; {
		case !c.rel.isPlace(k), bound[i]:
		case c.labels != nil:
			if _, ok := c.node(tensor.Number(k.num)); !ok && !given[i] && !c.rel.vague {
				k.nowhere = true
				c.tell(codes.W0826, k.span, "", nil, "no fact has %s, so nothing matches it", tensor.Number(k.num))
			}
		case k.num < float64(n):
		case given[i]:
			c.noPlace(k, n)
		case known:
			k.nowhere = true
			c.tell(codes.W0826, k.span, "", nil, "there is no node %s, as there are %d, counted from 0: nothing matches it", tensor.Number(k.num), n)
		}
	}
}

// labelsOf returns the constants that are members of a domain, in the order of the text.
func (r *relations) labelsOf(domain string) []string {
	labels := []string{}
	seen := map[string]bool{}
	members := make([]bool, len(r.consts))
	r.members(func(k int) { members[k] = true })
	for i := range r.consts {
		k := &r.consts[i]
		s := r.slots[r.find(k.slot)]
		name := map[class]string{aText: "text", ofDomain: s.domain, aNode: "node", aLabel: "node"}[s.class]
		if members[i] && name == domain && !k.isNum && !seen[k.text] {
			seen[k.text] = true
			labels = append(labels, k.text)
		}
	}
	return labels
}

// lower is the program of a stage: the relations that it gives, and those that they need; the last
// one has all relations, to be told of.
func (c *checker) lower(p *rel.Program, s *stage, last bool) *rel.Program {
	// Relations keep their order and get new places, as those that no result needs are left out.
	needed := c.needs(s.results...)
	out := &rel.Program{}
	at := map[int]int{} // where a relation is in out
	for i, r := range c.rel.list {
		if !needed[i] && !last {
			continue
		}
		at[i] = len(out.Relations)
		x := p.Relations[i]
		x.Pos = op.Pos{Start: int32(r.first.Start), End: int32(r.first.End)}
		for k, name := range r.columnNames() {
			r.cols[k].name = name
		}
		for _, k := range r.cols {
			x.Columns = append(x.Columns, tensor.Column{Name: k.name, Kind: k.kind, Domain: c.domain(k.slot)})
		}
		if needed[i] {
			x.Facts = c.table(r, x.Columns)
		}
		if arg := slices.Index(s.sources, r); arg >= 0 {
			x.Arg, x.Source = arg, r.source
			if r.input != nil {
				x.Source = rel.FromTable
			}
		}
		out.Relations = append(out.Relations, x)
	}
	for _, cl := range c.rel.clauses {
		if cl.of != nil || !needed[cl.Rel] && !last {
			continue
		}
		at[cl.Rel] = len(out.Relations)
		x := p.Relations[cl.Rel]
		x.Pos = cl.Pos
		for _, h := range cl.Head {
			v := cl.Vars[h.Expr.Term.Var]
			x.Columns = append(x.Columns, tensor.Column{Name: v.Name, Kind: v.Kind, Domain: v.Domain})
		}
		out.Relations = append(out.Relations, x)
	}
	for _, cl := range c.rel.clauses {
		if needed[cl.Rel] {
			out.Rules = append(out.Rules, c.resolve(cl, out, at))
		}
	}
	for _, place := range s.results {
		out.Results = append(out.Results, at[place])
	}
	out.Domains = slices.SortedFunc(maps.Values(c.rel.domains), func(a, b *tensor.Domain) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// columnNames returns the names of the columns: as declared, or else those in the head of the first
// rule in which all columns have names.
func (r *relation) columnNames() []string {
	if r.input != nil || len(r.rules) == 0 {
		return nil
	}
	var names []string
	args := r.rules[0].headArgs
	for i := range r.cols {
		name := "value"
		if i < len(args) {
			if _, constant := args[i].(*syntax.String); constant {
				return nil
			}
			name = syntax.ExprString(args[i])
		}
		if slices.Contains(names, name) {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// table returns the facts of a relation, sorted and each once. In a valued relation, the values of a
// key are folded into one.
func (c *checker) table(r *relation, cols []tensor.Column) *tensor.Table {
	if len(r.facts) == 0 {
		return nil
	}
	rows := make([][]float64, 0, len(r.facts))
	for _, f := range r.facts {
		row := make([]float64, len(f.row))
		for i, k := range f.row {
			row[i] = c.value(k, cols[i].Domain)
		}
		rows = append(rows, row)
	}
	t := &tensor.Table{Columns: cols}
	if last := len(cols) - 1; r.fold != rel.NoAgg {
		at := map[string]int{} // of each key
		kept := rows[:0]
		for _, row := range rows {
			key := fmt.Sprint(row[:last])
			n, again := at[key]
			switch {
			case !again:
				at[key] = len(kept)
				kept = append(kept, row)
			case r.fold == rel.Sum:
				kept[n][last] += row[last]
			case r.fold == rel.Max:
				kept[n][last] = max(kept[n][last], row[last])
			default:
				kept[n][last] = min(kept[n][last], row[last])
			}
		}
		rows = kept
	}
	t.Fill(rows)
	return t
}

// value is a constant as a number: itself, or its place in a domain.
func (c *checker) value(k int, d *tensor.Domain) float64 {
	x := &c.rel.consts[k]
	switch {
	case d == nil:
		return x.num
	case x.isNum && d.Labels == nil:
		if x.num < float64(d.Size) {
			return x.num
		}
		return rel.NoMember
	}
	find := d.Find
	if d.Name == "node" {
		find = c.node
	}
	if id, ok := find(x.label()); ok {
		return float64(id)
	}
	return rel.NoMember
}

// constIn is a constant where such a domain is.
func (c *checker) constIn(t rel.Term, d *tensor.Domain) rel.Term {
	k := int(t.Value)
	t.Value = c.value(k, d)
	if x := &c.rel.consts[k]; d != nil && t.Value == rel.NoMember {
		if t.Name = tensor.Number(x.num); !x.isNum {
			t.Name = strconv.Quote(x.text)
		}
	}
	return t
}

// resolve is a rule with the constants as values, and with the places of relations in p. It copies
// what it changes: in a session, the clause is lowered again with the next entry.
func (c *checker) resolve(cl *clause, p *rel.Program, at map[int]int) rel.Rule {
	out := cl.Rule
	out.Rel = at[cl.Rel]
	var expr func(e rel.Expr, d *tensor.Domain) rel.Expr
	expr = func(e rel.Expr, d *tensor.Domain) rel.Expr {
		if len(e.Args) == 0 {
			if e.Term.Kind == rel.Const {
				e.Term = c.constIn(e.Term, d)
			}
			return e
		}
		args := e.Args
		e.Args = nil
		for _, a := range args {
			e.Args = append(e.Args, expr(a, nil))
		}
		return e
	}
	out.Vars = slices.Clone(cl.Vars) // which an entry of a session finds again
	out.Head = slices.Clone(cl.Head)
	for i := range out.Head {
		d := p.Relations[out.Rel].Columns[i].Domain
		out.Head[i].Expr = expr(out.Head[i].Expr, d)
	}
	out.Body = slices.Clone(cl.Body)
	for i := range out.Body {
		l := &out.Body[i]
		l.Terms = slices.Clone(l.Terms)
		for k := range l.Terms {
			if t := &l.Terms[k]; t.Kind == rel.Const {
				*t = c.constIn(*t, p.Relations[at[l.Rel]].Columns[k].Domain)
			}
		}
		if l.Kind <= rel.Not {
			l.Rel = at[l.Rel]
		}
		switch l.Kind {
		case rel.Bind:
			l.Left = expr(l.Left, cl.Vars[l.Var].Domain)
		case rel.Compare:
			a, b := c.rel.constantIn(&l.Left), c.rel.constantIn(&l.Right)
			if a != nil && b != nil && !a.isNum && !b.isNum { // no variable says which names are meant
				l.Left, l.Right = rel.C(float64(strings.Compare(a.text, b.text))), rel.C(0)
				break
			}
			var d *tensor.Domain // of the names on both sides: only a variable tells
			for _, e := range [...]*rel.Expr{&l.Right, &l.Left} {
				if isVar(e) {
					d = cmp.Or(cl.Vars[e.Term.Var].Domain, d)
				}
			}
			l.Left, l.Right = expr(l.Left, d), expr(l.Right, d)
			if left, right := beyond(&l.Left, d), beyond(&l.Right, d); left != right && l.Fn != op.FnEq && l.Fn != op.FnNe {
				less := l.Fn == op.FnLt || l.Fn == op.FnLe
				if d.Labels != nil {
					if right {
						a = b
					}
					if id, ok := d.Before(a.label()); ok { // no other is between
						fns, side := [2]op.Fn{op.FnGt, op.FnLe}, &l.Right
						if left {
							fns, side = [2]op.Fn{op.FnGe, op.FnLt}, &l.Left
						}
						side.Term.Value = float64(id)
						if l.Fn = fns[0]; less {
							l.Fn = fns[1]
						}
						break
					}
					less = !less // it comes before all
				}
				l.Fn, l.Left, l.Right = op.FnGt, rel.C(0), rel.C(0)
				if less == right {
					l.Left = rel.C(1)
				}
			}
		}
	}
	return out
}

// beyond reports whether an expression is no node: by its number, if there are fewer, so it is above all, or by its label.
func beyond(e *rel.Expr, d *tensor.Domain) bool {
	return d != nil && isConst(e) && e.Term.Value == rel.NoMember
}
