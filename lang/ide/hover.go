package ide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/describe"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// Hover describes the name or the smallest expression at offset. A name is described as what it
// stands for there, a word of the language by a text, and the operator of an assignment by the
// statement.
func (d *Document) Hover(offset int) (*Hover, bool) {
	offset = d.clampOffset(offset)
	t, ok := d.tokenAt(offset)
	if !ok || blank(t.Kind) {
		return nil, false
	}
	var m markdown
	if o := d.names().at(offset); o != nil && o.span == t.Span {
		d.hoverName(&m, o)
		return m.hover(o.span)
	}
	switch t.Kind {
	case syntax.KindPrint:
		m.code(":print value, ...")
		m.add("Gives values as outputs of the program, in this order.")
		return m.hover(t.Span)
	case syntax.KindWhy:
		m.code(":why atom")
		m.add("Explains a row of a relation: by a derivation of least height or, if there is none, by how far each rule gets.")
		return m.hover(t.Span)
	case syntax.KindIdent, syntax.KindNot, syntax.KindArrow, syntax.KindAsk, syntax.KindQuestion:
		if d.hoverColumn(&m, t.Span) {
			return m.hover(t.Span)
		}
		if text, ok := keywords[d.text(t.Span)]; ok {
			m.add(text)
			return m.hover(t.Span)
		}
	case syntax.KindAssign, syntax.KindSetMax, syntax.KindSetMin, syntax.KindSetAdd:
		path := d.path(offset)
		for i := len(path) - 1; i >= 0; i-- {
			if s, ok := path[i].(*syntax.Assign); ok && s.OpSpan == t.Span {
				d.hoverAssign(&m, s, d.check().statements[s.Start])
				return m.hover(s.Span)
			}
			if r, ok := path[i].(*syntax.Rule); ok && r.OpSpan == t.Span {
				m.add(folds[r.Op])
				return m.hover(t.Span)
			}
		}
	}
	return d.hoverExpr(offset)
}

// hoverColumn describes a column of an input, or its domain.
func (d *Document) hoverColumn(m *markdown, span source.Span) bool {
	i := d.statementAt(span.Start)
	if i < 0 {
		return false
	}
	in, ok := d.File().Stmts[i].(*syntax.Input)
	for k := 0; ok && k < len(in.Columns); k++ {
		switch column := in.Columns[k]; {
		case column.Name.Span == span:
			m.code(column.Name.Name + ": " + column.Type.Name)
			m.add("A column of " + in.Name.Name + ".")
			return true
		case column.Type.Span == span && keywords[column.Type.Name] == "":
			m.add("A domain: a set of nodes of its own, which joins with no other.")
			return true
		}
	}
	return false
}

const (
	negation = "`not P(x)` is true if P has no such row; x gets its values elsewhere in the body."
	arrow    = "`Head(x) <- Body(x, y), y > 1.` is a rule: the head is true for every x for which all of the body is true."
	query    = "`P(x, y), y > 1?` asks for the values of its variables for which all of it is true."
)

// folds describes what joins the values of a key.
var folds = map[syntax.AssignOp]string{
	syntax.SetMax: "`T[x] max= e <- Body(x, e).` gives T[x] the greatest e of the body.",
	syntax.SetMin: "`T[x] min= e <- Body(x, e).` gives T[x] the least e of the body.",
	syntax.SetAdd: "`T[x] += e <- Body(x, y, e).` gives T[x] the sum of e over all bindings of the body.",
}

// keywords describes the words and marks of the language that are not functions.
var keywords = map[string]string{
	"def":    "`def name(p, q) = value` defines a function, for tensors of all shapes.",
	"input":  "`input name: kind` declares a value that the host gives to the program. The kind is `graph`, `matrix`, `vector` or `scalar`. `input name(column: type, ...)` declares a relation; types are `node`, `int`, `real`, `text` and names of domains.",
	"not":    negation,
	"!":      negation,
	"~":      negation,
	`\+`:     negation,
	"_":      "Any value: each `_` is a variable of its own.",
	"<-":     arrow,
	":-":     arrow,
	"?":      query,
	"?-":     query,
	"node":   "A column of nodes.",
	"int":    "A column of whole numbers.",
	"real":   "A column of numbers.",
	"text":   "A column of strings that are no nodes.",
	"repeat": "`repeat n { ... }` goes through its statements n times; n is known before the program runs.",
	"graph":  "A square 0/1 matrix: the edges of a graph.",
	"matrix": "A matrix with any entries; of edges, their weights.",
	"vector": "A list of numbers.",
	"scalar": "One number.",
	"axis":   "The axis that goes; axes count from 0.",
}

const aggregate = "An aggregate over the bindings of the body, by the other columns: "

// aggregates describes functions that mean something else as a column in the head of a rule.
var aggregates = map[string]string{
	"count": "`count()` is their number, `count(x)` that of the different values of x.",
	"sum":   "`sum(e)` is the sum of e.",
	"min":   "`min(e)` is the least value of e, of names by their text.",
	"max":   "`max(e)` is the greatest value of e, of names by their text.",
	"mean":  "`mean(e)` is the mean of e.",
}

// hoverExpr describes the smallest expression at offset that has a value.
func (d *Document) hoverExpr(offset int) (*Hover, bool) {
	path := d.path(offset)
	for i := len(path) - 1; i >= 0; i-- {
		x, ok := path[i].(syntax.Expr)
		if !ok {
			break
		}
		if _, ok := x.(*syntax.Number); ok {
			return nil, false // it says itself what it is
		}
		n := d.check().values[x]
		if n == nil {
			continue
		}
		var m markdown
		m.code(short(syntax.ExprString(x)) + ": " + typeText(n.Type))
		if f := termForm(x, path[:i]); f != "" {
			m.add("einsum `" + f + "`")
		}
		m.sizes(n)
		if v, ok := n.Static(); ok && n.Rank() == 0 && v == v {
			m.add("= " + tensor.Number(v))
		}
		return m.hover(x.Pos())
	}
	return nil, false
}

// termForm is the einsum of a product that is summed by itself: a term of the right
// side of the statement at the start of path.
func termForm(x syntax.Expr, path []syntax.Node) string {
	switch x := x.(type) {
	case *syntax.Product:
	case *syntax.Binary:
		if x.Op != syntax.Mul {
			return ""
		}
	default:
		return ""
	}
	for i := len(path) - 1; i >= 0; i-- {
		switch s := path[i].(type) {
		case *syntax.Assign:
			if s.Op == syntax.SetMax || s.Op == syntax.SetMin || !isTerm(path[i+1:]) {
				return ""
			}
			return form(x, leftNames(s))
		case *syntax.Print:
			if !isTerm(path[i+1:]) {
				return ""
			}
			return form(x, nil)
		}
	}
	return ""
}

// hoverName describes what a name stands for.
func (d *Document) hoverName(m *markdown, o *occurrence) {
	b := o.of
	switch b.kind {
	case KindBuiltin, KindFunction:
		rule, ok := d.stmt(o).(*syntax.Rule)
		if what := aggregates[b.name]; ok && what != "" && covers(rule.Head.Pos(), o.span) {
			m.add(aggregate + what)
			return
		}
		fn := lookup(b.name)
		if d.names().functions[b.name] == b {
			fn = d.defined(b.def)
		}
		if fn != nil {
			m.function(fn)
		}
	case KindIndex:
		d.hoverIndex(m, o)
	case KindLabel:
		d.hoverLabel(m, o)
	default:
		if !d.hoverRelation(m, o) {
			d.hoverTensor(m, o)
		}
	}
}

// hoverRelation describes a relation by its columns and by what is said of it.
func (d *Document) hoverRelation(m *markdown, o *occurrence) bool {
	var first syntax.Stmt
	facts, rules, input := 0, 0, false
	for _, s := range d.File().Stmts {
		name, ok := syntax.RelationOf(s)
		if !ok || name.Name != o.of.name {
			continue
		}
		first = cmp.Or(first, s)
		if rule, ok := s.(*syntax.Rule); !ok {
			input = true
		} else if len(rule.Body) > 0 {
			rules++
		} else {
			facts++
		}
	}
	if first == nil {
		return false
	}
	m.code(d.relationType(o.of.name, first))
	m.add(describe.Comment(d.File(), first.Pos().Start))
	if input {
		m.add("A relation whose rows the host gives.")
	} else {
		m.add(fmt.Sprintf("A relation. Facts: %d. Rules: %d.", facts, rules))
	}
	return true
}

// relationType is a relation with its columns and their types.
func (d *Document) relationType(name string, first syntax.Stmt) string {
	if in, ok := first.(*syntax.Input); ok {
		cols := lists.Map(in.Columns, func(c syntax.Column) string { return c.Name.Name + ": " + c.Type.Name })
		return name + "(" + strings.Join(cols, ", ") + ")"
	}
	if p := d.check().Rules; p != nil {
		for i := range p.Relations {
			if r := &p.Relations[i]; r.Name == name {
				return p.Head(r)
			}
		}
	}
	for _, r := range d.check().Relations { // of a program with errors
		if r.Name == name {
			return r.String()
		}
	}
	return syntax.ExprString(first.(*syntax.Rule).Head)
}

// hoverTensor describes the tensor that an occurrence sees: its type there, and the comment and
// form of its definition. In a function, the type is that of the last call.
func (d *Document) hoverTensor(m *markdown, o *occurrence) {
	n := d.value(o)
	what := "unknown"
	if n != nil {
		what = typeText(n.Type)
	}
	m.code(o.of.name + ": " + what)
	definition := o
	if !o.write {
		definition = o.sees
	}
	switch {
	case o.of.kind == KindParameter && n != nil:
		m.add("A parameter; this is its type in the last call.")
	case o.of.kind == KindParameter:
		m.add("A parameter; its type is that of the argument.")
	case definition == nil && n != nil:
		m.add("The value of the last expression.")
	case definition == nil:
		m.add("Nothing defines it.")
	}
	if definition == nil {
		return
	}
	if _, ok := d.stmt(definition).(*syntax.Def); ok {
		if o.of.kind != KindParameter && n != nil {
			m.add("This is its type in the last call of the function.")
		}
		m.sizes(n)
		return
	}
	m.add(describe.Comment(d.File(), d.statementOf(definition).Pos().Start))
	switch s := d.statementOf(definition).(type) {
	case *syntax.Input:
		m.add("Input of kind `" + s.Kind.Name + "`.")
		if n != nil && n.Type.Shape.Known() && n.Type.Shape.Rank() > 0 && d.check().Bound {
			m.add("Its value is bound.")
		}
	case *syntax.Assign:
		d.hoverAssign(m, s, n)
		return
	}
	m.sizes(n)
}

// hoverAssign adds what is known of the value of a statement.
func (d *Document) hoverAssign(m *markdown, s *syntax.Assign, n *ir.Node) {
	if n == nil {
		if !m.empty() {
			m.add("It has no value: this statement, or one that it needs, has an error.")
		}
		return
	}
	if m.empty() {
		m.code(s.Name.Name + ": " + typeText(n.Type))
	}
	left := leftNames(s)
	if f := form(s.Value, left); f != "" && s.Op != syntax.SetMax && s.Op != syntax.SetMin {
		m.add("einsum `" + f + "`")
	}
	parts := lists.Map(foldedIndices(s.Value, left, s.Op), func(f folded) string { return f.by + " over `" + f.name + "`" })
	if len(parts) > 0 {
		m.add(strings.Join(parts, ", "))
	}
	m.sizes(n)
	m.constant(n)
	m.labels(n, d.check().Labels)
	m.add(d.cost(s.Start))
}

// typeOf is ": " and the type of the first column with a type where a statement has a term, or nothing.
func (d *Document) typeOf(s syntax.Stmt, term func(syntax.Expr) bool) string {
	kind := ""
	syntax.WalkAll(s, func(n syntax.Node) bool {
		call, ok := n.(*syntax.Call)
		for i := 0; ok && i < len(call.Args) && kind == ""; i++ {
			if !term(call.Args[i].Value) {
				continue
			}
			if k := d.columnType(call.Fun.Name, i); k != "" {
				kind = ": " + k
			}
		}
		return kind == ""
	})
	return kind
}

// hoverIndex describes an index: its range, whether the statement keeps, sums or folds it, and
// the axes that it runs over. In a rule it is a variable.
func (d *Document) hoverIndex(m *markdown, o *occurrence) {
	switch s := d.stmt(o).(type) {
	case *syntax.Rule, *syntax.Query:
		m.code(o.of.name + d.typeOf(s, func(x syntax.Expr) bool {
			v, ok := x.(*syntax.Name)
			return ok && v.Name == o.of.name
		}))
		m.add("A variable of this statement.")
		return
	}
	list := d.axes(o)
	size := "size not known"
	for _, a := range list {
		if a.size >= 0 {
			size = fmt.Sprintf("0..%d", a.size-1)
			if a.size == 0 {
				size = "no value"
			}
			break
		}
	}
	m.code(o.of.name + ": " + size)
	what := "Index of this statement; it is an axis of the result."
	if !slices.ContainsFunc(o.of.occurrences, writes) {
		by := "summed"
		if s, ok := d.statementOf(o).(*syntax.Assign); ok {
			for _, f := range foldedIndices(s.Value, leftNames(s), s.Op) {
				if f.name == o.of.name && f.by != "sum" {
					by = "folded by `" + f.by + "`"
				}
			}
		}
		what = "Index of this statement; it is " + by + ", as the left side lacks it."
	}
	m.add(what)
	var where []string
	for i, a := range list {
		if i == 4 {
			where = append(where, "...")
			break
		}
		where = append(where, fmt.Sprintf("axis %d of `%s`", a.number, short(a.tensor)))
	}
	if len(where) > 0 {
		m.add("It runs over " + strings.Join(where, ", ") + ".")
	}
}

// hoverLabel tells the number of a node, or that a string is none.
func (d *Document) hoverLabel(m *markdown, o *occurrence) {
	if kind := d.typeOf(d.stmt(o), func(x syntax.Expr) bool { return x.Pos() == o.span }); kind == ": text" {
		m.code(d.text(o.span) + kind)
		return
	}
	for i, l := range d.check().Labels {
		if l == o.of.name {
			m.code(d.text(o.span) + ": node " + fmt.Sprint(i))
			m.add(fmt.Sprintf("A node label, one of %d.", len(d.check().Labels)))
			return
		}
	}
	m.code(d.text(o.span) + ": node label")
}

// markdown is the parts of a hover, which become paragraphs.
type markdown struct{ parts []string }

func (m *markdown) empty() bool { return len(m.parts) == 0 }

// add adds a paragraph, unless it is empty.
func (m *markdown) add(s string) {
	if s != "" {
		m.parts = append(m.parts, s)
	}
}

// code adds a text as a program.
func (m *markdown) code(s string) { m.add("```ein\n" + s + "\n```") }

func (m *markdown) String() string { return strings.Join(m.parts, "\n\n") }

// hover is the parts as the answer about a place; there is none without parts.
func (m *markdown) hover(s source.Span) (*Hover, bool) {
	if m.empty() {
		return nil, false
	}
	return &Hover{Span: s, Markdown: m.String()}, true
}

// sizes says why a size is a question mark.
func (m *markdown) sizes(n *ir.Node) {
	if n != nil && !n.Type.Shape.Known() {
		m.add("A size `?` is known when the inputs have values.")
	}
}

// shownConstant is the elements up to which a constant is shown.
const shownConstant = 16

// constant shows a small value that the text alone gives.
func (m *markdown) constant(n *ir.Node) {
	if v, ok := n.Static(); ok && n.Rank() == 0 && v == v && n.Op != ir.Const {
		m.add("= " + tensor.Number(v))
		return
	}
	if n.Op != ir.Const || n.Value == nil || n.Value.Layout != tensor.Packed || n.Type.Shape.Elems() > shownConstant {
		return
	}
	b := &n.Value.Bits
	rows := make([]string, b.Rows)
	for i := range rows {
		row := make([]string, b.Cols)
		for j := range row {
			if row[j] = "0"; b.Get(i, j) {
				row[j] = "1"
			}
		}
		rows[i] = strings.Join(row, " ")
	}
	m.add("```\n" + strings.Join(rows, "\n") + "\n```")
}

// labels names the nodes of a tensor that has one entry for each.
func (m *markdown) labels(n *ir.Node, labels []string) {
	if len(labels) == 0 || n.Rank() == 0 || n.Type.Shape.Dim(n.Rank()-1) != len(labels) {
		return
	}
	shown := make([]string, 0, 8)
	for i, l := range labels {
		if i == 8 {
			shown = append(shown, "...")
			break
		}
		shown = append(shown, fmt.Sprintf("%d %s", i, l))
	}
	m.add("nodes: " + strings.Join(shown, ", "))
}

// function describes a function as the reference does, with its source if it is written in Ein.
func (m *markdown) function(f *function) {
	m.code(f.Signature)
	m.add(f.Doc)
	var list []string
	for _, p := range f.Params {
		if p.Doc != "" && p.Name != "..." {
			list = append(list, "- `"+p.Name+"`: "+p.Doc)
		}
	}
	if f.Result != "" {
		list = append(list, "- value: "+f.Result)
	}
	if f.Cost != "" {
		list = append(list, "- cost: "+f.Cost)
	}
	m.add(strings.Join(list, "\n"))
	if f.Example != "" {
		m.code(f.Example)
		m.add("prints\n\n```\n" + f.Output + "\n```")
	}
	if f.Source != "" {
		m.code(strings.ReplaceAll(f.Source, "\r\n", "\n"))
	}
}

// short is text on one line that is not too long.
func short(s string) string {
	return words.Shorten(strings.Join(strings.Fields(s), " "), 60)
}
