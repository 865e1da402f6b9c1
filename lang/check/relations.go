package check

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"ein/internal/lists"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// Facts, rules and queries are elaborated before the statements, since their order means nothing:
// first which relations there are, then what each clause says in the form of package rel, then
// whether every variable has a source and what depends on what (rules.go), and at last the program
// (lower.go). The types of columns and variables are classes of a union-find, joined where one name
// occurs in two places.

// relations is everything that a program says about relations: the relations themselves (list),
// what rules and queries say (clauses), and the types under inference (slots). Constants stand in
// rules by their number in consts until lower makes values of them, since what they are depends on
// the type of their place, which is known last.
type relations struct {
	stmts   []syntax.Stmt // that say it; of the programs before all but queries
	list    []*relation
	byName  map[string]*relation
	clauses []*clause         // rules, base cases with an expression and queries
	byHead  map[int][]*clause // all clauses by their relation, once that is asked for
	slots   []slot
	consts  []constant
	known   map[string]source.Span // the constants of the text that a row could hold, and where they are
	// Data has the first labels of the nodes, and the members of what is given.
	labels int
	given  []*tensor.Domain
	// vague says that an input without data may hold any constant.
	vague   bool
	lost    bool            // a mistake may hide facts, and with them constants
	unread  map[string]bool // the names that statements define which cannot be read
	doubted map[string]bool // the capitals that it may hold, and nothing else has
	// numbered says that numbers in rows became nodes: see numberNodes.
	numbered bool
	lowered  bool // the fix of capital letters was offered
	parts    int  // of rules that have to be planned: literals, operations
	domains  map[string]*tensor.Domain
	tables   map[*relation]*ir.Node // the inputs with columns
	tensors  map[string]*relation   // what rules read of tensors: entries by the name, elements by it with []
	last     map[string]source.Span // where a tensor of the file gets its last value
	stages   []*stage
	pending  []pending

	// A session checks what an entry adds, and not again what was there: see grow.
	whole     bool        // all checks were made
	version   int         // counts the entries that this was extended by
	old       int         // slots of what was there
	turned    bool        // one of these has come to hold something else
	readers   [][]*clause // by the place of the relation
	variables map[string]bool
	alike     map[likeness][]*clause
	forms     map[string]source.Span
}

// likeness is what rules share that may say the same.
type likeness struct {
	of    *relation
	atoms int
}

// stage is rules that run together and read only what existed before the stage. One is enough
// unless rules read tensors: then an equation may read what rules derive from another equation.
type stage struct {
	rules   ir.Rules
	results []int // the relations that it gives, in order
	sources []*relation
	args    []*ir.Node // what each of sources reads
}

// pending is an output whose operation is made last, when everything that its rules read exists.
type pending struct {
	output, place int
}

// relation is a relation that facts, rules or an input define, or a tensor that rules read.
type relation struct {
	name   string
	place  int // in relations.list, and in the program
	first  source.Span
	cols   []column
	input  *syntax.Input
	facts  []fact
	rules  []*clause
	fold   rel.Agg
	source rel.Source // of a tensor, that rules read
	// missing says that nothing defines it yet; source is then that of the brackets.
	missing bool
	node    *ir.Node // its tensor, once an equation reads it
	filled  bool     // it may have rows
	numbers bool     // its columns are nodes because a statement reads it as a tensor
	checked int      // facts that were checked
	rows    map[string]source.Span
}

// column is a column; its slot holds its type while that is inferred.
type column struct {
	name string // "" if nothing declares one
	slot int
	kind tensor.ColumnKind
}

// valued reports whether the relation has a value for each key.
func (r *relation) valued() bool { return r.fold != rel.NoAgg || r.source == rel.FromElements }

// fact is a row of constants, with the value if it is a base case.
type fact struct {
	row  []int
	span source.Span
}

// constant is a constant of the text.
type constant struct {
	text  string // of a name or a string
	num   float64
	isNum bool
	slot  int
	span  source.Span
	// nowhere is set for the number of a node that does not exist, once that is reported.
	nowhere bool
}

// label is a constant as the label of a node.
func (k *constant) label() string {
	if k.isNum {
		return tensor.Number(k.num)
	}
	return k.text
}

// clause is a rule or a query.
type clause struct {
	rel.Rule
	span     source.Span
	query    string // its text, "" of a rule
	head     syntax.Expr
	headArgs []syntax.Expr
	of       *relation // that the rule is one of; of a query, none
	vars     []variable
	src      []syntax.Literal // of each literal of Body
	uses     []*relation      // of each literal of Body
	ids      map[string]int
	bad      bool
	depth    int  // of the expression that is read
	caps     bool // a capital letter was reported
	// numbers are names of a query that stand in columns of numbers, and the literal if there is one only.
	numbers map[string]source.Span
}

// variable is a variable of a rule or a query.
type variable struct {
	name    string
	first   source.Span // where it stands first
	slot    int         // of its type
	count   int
	hidden  bool // the value of an indexed tensor in an expression
	sourced bool // an atom or an equation gives it a value
}

// class is what a column or a variable holds, as far as it is known. The order of the constants
// matters: join looks at two classes with the lower one first.
type class uint8

const (
	anything class = iota
	aLabel         // a node, unless it meets something else that has labels
	numeral        // a number written as one: a number, or a numbered node
	aNumber
	aNode
	aText
	ofDomain
)

// slot is a type that is being inferred, by unification: columns and variables that must be of
// one type are joined, and parent leads to the one that stands for all.
type slot struct {
	parent int
	class  class
	domain string      // of ofDomain
	where  string      // the relation that says so, "" of none
	at     source.Span // and the place
	oldest int         // of those that are joined
}

// slot makes a type of its own, of a class that a relation (where) or a place of the text says.
func (r *relations) slot(c class, where string, at source.Span) int {
	r.slots = append(r.slots, slot{len(r.slots), c, "", where, at, len(r.slots)})
	return len(r.slots) - 1
}

// find is the slot that stands for all that slot i is joined with. It halves the path on its way,
// so that long chains stay cheap.
func (r *relations) find(i int) int {
	for r.slots[i].parent != i {
		r.slots[i].parent = r.slots[r.slots[i].parent].parent
		i = r.slots[i].parent
	}
	return i
}

// class is what a slot holds, as far as it is known by now.
func (r *relations) class(i int) class { return r.slots[r.find(i)].class }

// join is the class of something that has both classes, if there is one: anything gives way to
// every class, a label to each class with labels, and a numeral to all but text.
func join(a, b slot) (class, bool) {
	if a.class > b.class {
		a, b = b, a
	}
	switch {
	case a.class == b.class:
		return a.class, a.domain == b.domain
	case a.class == anything, a.class == aLabel && b.class >= aNode, a.class == numeral && b.class != aText:
		return b.class, true
	}
	return 0, false
}

// sameType says that two slots hold the same, which an expression stands for.
func (c *checker) sameType(a, b int, of syntax.Expr) bool {
	r := c.rel
	a, b = r.find(a), r.find(b)
	if a == b {
		return true
	}
	x, y := r.slots[a], r.slots[b]
	class, ok := join(x, y)
	if !ok {
		c.mixedTypes(text(of), of.Pos(), x, y)
		return false
	}
	if y.class == class && x.class != class { // y says it
		x, y = y, x
	}
	for _, old := range []*slot{&r.slots[a], &r.slots[b]} {
		known := old.oldest < r.old && old.class != class
		widened := old.class == aLabel && class == aNode || old.class == numeral && class == aNumber
		r.turned = r.turned || known && !widened
	}
	x.where = cmp.Or(x.where, y.where)
	x.class, x.parent, x.oldest = class, a, min(x.oldest, y.oldest)
	r.slots[a] = x
	r.slots[b].parent = a
	return true
}

// relate elaborates all facts, rules and queries. ProgramLabels calls it too, and ignores what it
// reports. Heads come first, so that a rule may read a relation whose facts stand below it; then
// the constants, as a capital in a rule is a constant only if a row may hold it (ruleName); clauses
// last.
func (c *checker) relate() {
	var own []syntax.Stmt
	for i, s := range c.file.Stmts {
		switch s := s.(type) {
		case *syntax.Rule, *syntax.Query:
			own = append(own, s)
		case *syntax.Input:
			if len(s.Columns) > 0 {
				own = append(own, s)
			}
		case *syntax.ExprStmt: // an atom alone asks in a session
			if call, ok := s.X.(*syntax.Call); ok && c.before(call.Fun.Name) {
				f := *c.file
				f.Stmts = slices.Clone(f.Stmts)
				f.Stmts[i] = &syntax.Query{Span: s.Span, Body: []syntax.Literal{{Span: s.Span, X: call}}}
				c.file = &f
				own = append(own, f.Stmts[i])
			}
		}
	}
	c.rel.stmts = append(c.rel.stmts, own...)
	if len(c.rel.stmts) == 0 {
		return
	}
	c.rel.last = map[string]source.Span{}
	for _, s := range c.file.Stmts {
		switch s := s.(type) {
		case *syntax.Assign:
			c.rel.last[s.Name.Name] = s.Span
		case *syntax.Repeat: // in its last round
			syntax.Walk(s, func(n syntax.Node) bool {
				if a, ok := n.(*syntax.Assign); ok {
					c.rel.last[a.Name.Name] = source.Span{Start: a.Start, End: s.End}
				}
				return true
			})
		case *syntax.Input:
			c.b.Unknown = c.b.Unknown || c.cfg.Inputs[s.Name.Name] == nil
			if len(s.Columns) == 0 {
				c.rel.last[s.Name.Name] = s.Span
			}
		case *syntax.Bad:
			c.rel.lost = true
			lists.Put(&c.rel.unread, s.Name, true)
		}
	}
	c.rel.slots = slices.Grow(c.rel.slots, 8*len(c.rel.stmts))
	c.rel.byName, c.rel.domains = map[string]*relation{}, map[string]*tensor.Domain{}
	c.rel.tables, c.rel.tensors = map[*relation]*ir.Node{}, map[string]*relation{}
	for _, s := range c.rel.stmts {
		switch s := s.(type) {
		case *syntax.Input:
			if len(s.Columns) > 0 {
				c.declare(s)
			}
		case *syntax.Rule:
			c.headOf(s)
		}
	}
	if c.cfg.After != nil {
		for _, in := range c.cfg.After.Inputs {
			if r := c.rel.byName[in.Name]; r != nil && len(in.Columns) > 0 {
				c.rel.tables[r] = in.Node
			}
		}
	}
	c.gatherConstants(c.rel.stmts)
	c.gatherDomains()
	for _, queries := range []bool{false, true} { // whose names depend on what columns hold, which rules below may say
		for _, s := range c.rel.stmts {
			if c.step(1) {
				return
			}
			clauses := len(c.rel.clauses)
			switch s := s.(type) {
			case *syntax.Rule:
				if !queries {
					c.rule(s)
				}
			case *syntax.Query:
				if queries {
					c.query(s)
				}
			}
			for _, cl := range c.rel.clauses[clauses:] {
				if c.rel.parts += len(cl.Body); c.overLimit(cl.span) {
					return
				}
			}
		}
	}
	n := len(c.rel.list)
	for _, cl := range c.rel.clauses {
		if cl.of == nil { // queries are behind the relations
			cl.Rel = n
			n++
		}
	}
}

// before reports whether a program before this one has a relation.
func (c *checker) before(name string) bool {
	return slices.ContainsFunc(c.rel.stmts, func(s syntax.Stmt) bool {
		switch s := s.(type) {
		case *syntax.Rule:
			of, _ := headParts(s)
			return of.Name == name
		case *syntax.Input:
			return s.Name.Name == name
		}
		return false
	})
}

// relation makes the relation of a name that the program defines.
func (c *checker) relation(name syntax.Ident, columns int) *relation {
	if columns > tensor.MaxColumns {
		c.say(manyColumns, name.Span, name.Name, columns, tensor.MaxColumns)
	}
	r := c.newRelation(name.Name, name.Span, min(columns, tensor.MaxColumns), anything)
	c.rel.byName[name.Name] = r
	return r
}

// newRelation makes a relation whose columns all hold a class. A tensor that rules read has one,
// too, which is not found by its name.
func (c *checker) newRelation(name string, first source.Span, columns int, holds class) *relation {
	r := &relation{name: name, place: len(c.rel.list), first: first, cols: make([]column, columns)}
	for i := range r.cols {
		r.cols[i].slot = c.rel.slot(holds, name, first)
	}
	c.rel.list = append(c.rel.list, r)
	return r
}

// named is what an atom of a rule reads: a relation; or of a tensor its entries, or, with
// values, its elements. It is nil where nothing has the name, but for a rule of a session
// it is what may come to have it.
func (c *checker) named(cl *clause, name syntax.Ident, axes int, values bool) *relation {
	if r := c.rel.byName[name.Name]; r != nil {
		return r
	}
	is, holds := c.isTensor(name.Name), aNode
	if !is {
		holds = anything
	}
	most := tensor.MaxColumns
	if is || values {
		most--
	}
	if !is && !c.mayFollow(cl, name) || is && axes == 0 || axes > most {
		return nil
	}
	key, from := name.Name, rel.FromEntries
	if values {
		key, from = key+"[]", rel.FromElements
	}
	r := c.rel.tensors[key]
	if r == nil {
		r = c.newRelation(name.Name, name.Span, axes, holds)
		r.source, r.missing = from, !is
		if r.missing {
			c.notYet(name)
		}
		if values {
			r.cols = append(r.cols, column{slot: c.rel.slot(aNumber, name.Name, name.Span)})
		}
		c.rel.tensors[key] = r
	}
	return r
}

// mayFollow reports whether what a rule names may be defined after it: in a session, if it
// is not much like what was there, as short names often are. A rule with a slip would stay, as nothing takes one back.
func (c *checker) mayFollow(cl *clause, name syntax.Ident) bool {
	if c.cfg.Profile != Repl || cl.of == nil {
		return false
	}
	_, scalar := scalars[name.Name]
	_, aggregate := aggregates[name.Name]
	like, near := c.nearest(name.Name, name.Span.Start)
	return !scalar && !aggregate && (!near || len(name.Name) < 3 && !strings.EqualFold(like, name.Name))
}

// isTensor reports whether statements give a tensor that name.
func (c *checker) isTensor(name string) bool {
	return c.scope.lookup(name) != nil || c.rel.last[name] != (source.Span{})
}

// columnTypes are the types of columns other than named domains.
var columnTypes = map[string]struct {
	class class
	kind  tensor.ColumnKind
}{"node": {aNode, tensor.NodeColumn}, "int": {aNumber, tensor.IntColumn}, "real": {aNumber, tensor.RealColumn}, "text": {aText, tensor.TextColumn}}

// foreignTypes are what other languages, or with other letters this one, call types of columns.
var foreignTypes = map[string]string{"int": "int", "integer": "int", "bigint": "int", "long": "int", "unsigned": "int",
	"number": "real", // holds whole ones too
	"real":   "real", "float": "real", "double": "real", "decimal": "real", "numeric": "real",
	"text": "text", "string": "text", "str": "text", "varchar": "text", "char": "text", "bool": "text", "boolean": "text",
	"date": "text", "datetime": "text", "timestamp": "text", "node": "node"}

// declare is an input with columns.
func (c *checker) declare(s *syntax.Input) {
	r := c.rel.byName[s.Name.Name]
	switch {
	case r == nil:
		r = c.relation(s.Name, len(s.Columns))
	case r.input != nil || r.valued():
		c.duplicate(s.Name, r.first, "input")
		return
	case !c.rightColumns(r, len(s.Columns), s.Name.Span): // of facts and rules before it
		return
	}
	r.input = s
	for i := range r.cols {
		col, at := s.Columns[i], &c.rel.slots[r.cols[i].slot]
		same := func(k syntax.Column) bool { return strings.EqualFold(k.Name.Name, col.Name.Name) } // as headers are read
		if first := slices.IndexFunc(s.Columns, same); first < i {
			c.duplicate(col.Name, s.Columns[first].Name.Span, "column")
		}
		r.cols[i].name = col.Name.Name
		*at = slot{at.parent, ofDomain, col.Type.Name, r.name, col.Type.Span, at.oldest}
		t, ok := columnTypes[col.Type.Name]
		if right := foreignTypes[strings.ToLower(col.Type.Name)]; !ok && right != "" {
			c.foreignType(col, right)
			t, ok = columnTypes[right], right == "int" || right == "real" // what is meant
		}
		if ok {
			at.class, at.domain, r.cols[i].kind = t.class, "", t.kind
		} else if col.Type.Name == "prob" {
			c.say(reserved, col.Type.Span, "a column of type `prob`")
		}
	}
	if c.cfg.Inputs[r.name] == nil {
		c.rel.vague = true
	}
}

// headOf declares the relation of a fact or a rule by its head.
func (c *checker) headOf(s *syntax.Rule) {
	name, args := headParts(s)
	r := c.rel.byName[name.Name]
	if r == nil {
		r = c.relation(name, width(s, args))
		r.fold = folds[s.Op]
		if s.Value != nil {
			r.cols[len(r.cols)-1].slot = c.rel.slot(aNumber, r.name, s.OpSpan)
		} else if _, is := aggregates[name.Name]; is {
			c.say(aggregateName, name.Span, name.Name)
		}
	}
}

var folds = map[syntax.AssignOp]rel.Agg{syntax.SetMin: rel.Min, syntax.SetMax: rel.Max, syntax.SetAdd: rel.Sum}

// headParts is the name and the arguments on the left of a rule.
func headParts(s *syntax.Rule) (syntax.Ident, []syntax.Expr) {
	if call, ok := s.Head.(*syntax.Call); ok {
		return call.Fun, values(call.Args)
	}
	ix := s.Head.(*syntax.Index)
	name := ix.X.(*syntax.Name)
	return syntax.Ident{Name: name.Name, Span: name.Span}, ix.Indices
}

// width is how many columns a rule gives its relation: a value is one of them.
func width(s *syntax.Rule, args []syntax.Expr) int {
	if s.Value != nil {
		return len(args) + 1
	}
	return len(args)
}

func values(args []syntax.Arg) []syntax.Expr {
	return lists.Map(args, func(a syntax.Arg) syntax.Expr { return a.Value })
}

// note notes a constant of the text that a row may hold.
func (c *checker) note(name string, at source.Span) {
	if _, ok := c.rel.known[name]; !ok {
		lists.Put(&c.rel.known, name, at)
	}
}

// known reports whether a row may hold a constant, and where the text has it: nowhere if only data
// does. The labels of data are looked up and never listed, as there may be millions.
func (c *checker) known(name string) (at source.Span, ok bool) {
	if at, ok = c.rel.known[name]; ok {
		return at, true
	}
	if graph := c.written.lookup(name); graph != nil {
		return *graph, true
	}
	id, label := c.node(name)
	return at, label && id < c.rel.labels || slices.ContainsFunc(c.rel.given, func(d *tensor.Domain) bool { _, ok := d.Find(name); return ok })
}

// nowhere reports that no row holds a constant, whatever data the inputs without any get.
func (c *checker) nowhere(name string) bool {
	_, ok := c.known(name)
	return !ok && !c.rel.vague && !c.b.Unknown
}

// members passes the constants that are members of their domain: those of facts, of heads and of
// variables that nothing else gives a value.
func (r *relations) members(see func(k int)) {
	for _, x := range r.list {
		for _, f := range x.facts {
			for _, k := range f.row {
				see(k)
			}
		}
	}
	for _, cl := range r.clauses {
		cl.constants(see)
	}
}

// nodes returns the constants that are nodes. Where nodes have labels, numbers in columns of nodes
// are labels too.
func (r *relations) nodes(labels bool) (list []*syntax.String) {
	tables, tensors := false, false
	for _, x := range r.list {
		tables = tables || x.input != nil
		tensors = tensors || x.source != rel.NoSource && !x.missing
	}
	var numbers []*syntax.String
	r.members(func(i int) {
		k := &r.consts[i]
		if class := r.class(k.slot); class == aLabel || class == aNode {
			if k.isNum {
				numbers = append(numbers, &syntax.String{Span: k.span, Value: tensor.Number(k.num)})
			} else {
				list = append(list, &syntax.String{Span: k.span, Value: k.text})
			}
		}
	})
	if labels || len(list) > 0 || tables && !tensors {
		list = append(list, numbers...)
	}
	return list
}

// constants passes those that may be nodes: not what a cell of a row is compared with.
func (cl *clause) constants(see func(k int)) {
	constant := func(e *rel.Expr) {
		if isConst(e) {
			see(int(e.Term.Value))
		}
	}
	for i := range cl.Head {
		constant(&cl.Head[i].Expr)
	}
	for i := range cl.Body {
		if l := &cl.Body[i]; l.Kind == rel.Bind && !cl.inAtom(l.Var) {
			constant(&l.Left)
		}
	}
}

// inAtom reports whether a variable is that of a cell of a row.
func (cl *clause) inAtom(v int) bool {
	return slices.ContainsFunc(cl.Body, func(l rel.Literal) bool {
		return l.Kind == rel.Atom && slices.Contains(l.Terms, rel.Term{Var: v})
	})
}

// given is the string that an equation gives a variable of a body, nil if it gives none.
func given(body []syntax.Literal, l *syntax.Literal) *syntax.String {
	left, right := l.X, l.Value
	if b, ok := l.X.(*syntax.Binary); ok && b.Op == syntax.Eq {
		left, right = b.L, b.R
	}
	for range 2 {
		v, isName := left.(*syntax.Name)
		s, isString := right.(*syntax.String)
		if isName && isString && !slices.ContainsFunc(body, func(l syntax.Literal) bool {
			_, in := occurs(&l, v.Name)
			_, call := l.X.(*syntax.Call)
			_, index := l.X.(*syntax.Index)
			return in && (call || index) && !l.Not
		}) {
			return s
		}
		left, right = right, left
	}
	return nil
}

// gatherConstants notes which constants rows may hold: those of facts and heads, those that a rule
// gives a variable, and the labels of graphs and of bound data.
func (c *checker) gatherConstants(stmts []syntax.Stmt) {
	c.rel.labels = len(c.labels)
	for _, s := range stmts {
		r, ok := s.(*syntax.Rule)
		if !ok {
			continue
		}
		_, args := headParts(r)
		for _, x := range args {
			switch x := x.(type) {
			case *syntax.String:
				c.note(x.Value, x.Span)
			case *syntax.Name:
				if len(r.Body) == 0 && x.Name != "_" {
					c.note(x.Name, x.Span)
				}
			}
		}
		for i := range r.Body {
			if x := given(r.Body, &r.Body[i]); x != nil {
				c.note(x.Value, x.Span)
			}
		}
	}
}

// gatherDomains notes the domains of bound data.
func (c *checker) gatherDomains() {
	for _, in := range c.rel.list {
		if v := c.cfg.Inputs[in.name]; v != nil && v.Table != nil {
			for _, col := range v.Table.Columns {
				if d := col.Domain; d != nil && c.rel.domains[d.Name] == nil {
					c.rel.domains[d.Name] = d
					if d.Name != "node" || c.rel.labels == 0 {
						c.rel.given = append(c.rel.given, d)
					}
				}
			}
		}
	}
}

// isVariable reports whether a name is spelled like a variable: with a small first letter or _.
func isVariable(name string) bool { return unicode.IsLower(rune(name[0])) || name[0] == '_' }

// rightColumns reports whether an atom has as many terms as its relation has columns.
func (c *checker) rightColumns(r *relation, n int, at source.Span) bool {
	want := len(r.cols)
	if r.valued() {
		want--
	}
	if n != want {
		c.wrongColumns(r, want, n, at)
	}
	return n == want
}

// rule is a fact, a base case or a rule. A fact is only noted, by its constants. All else becomes a
// clause, in which each variable has a slot for its type.
func (c *checker) rule(s *syntax.Rule) {
	if !c.byPosition(s) {
		return
	}
	name, args := headParts(s)
	r := c.rel.byName[name.Name]
	if width(s, args) > tensor.MaxColumns {
		if r.first != name.Span { // else it was said there
			c.rightColumns(r, len(args), s.Head.Pos())
		}
		return
	}
	if (s.Value != nil) != (r.fold != rel.NoAgg) || folds[s.Op] != r.fold {
		c.otherHead(r, s, name)
		return
	}
	ok := c.rightColumns(r, len(args), s.Head.Pos())
	if len(s.Body) == 0 && c.isRow(args, s.Value) {
		row := make([]int, len(args))
		for i, x := range args {
			row[i] = c.constantOf(x, true)
			ok = ok && c.sameType(r.cols[i].slot, row[i], x)
		}
		if s.Value != nil {
			row = append(row, c.constantOf(s.Value, true))
		}
		if ok {
			for i, k := range row {
				row[i] = c.constAt(k)
			}
			r.facts = append(r.facts, fact{row, s.Span})
		}
		return
	}
	cl := c.begin(s.Span)
	cl.of, cl.head, cl.headArgs = r, s.Head, args
	cl.Rel = r.place
	for i := range s.Body {
		c.literal(cl, &s.Body[i])
	}
	if !ok {
		cl.bad = true
		return
	}
	for i, x := range args {
		cl.Head = append(cl.Head, c.headCell(cl, r, i, x, len(s.Body) == 0))
	}
	if s.Value != nil {
		e, k := c.ruleExpr(cl, s.Value)
		c.number(k, s.Value)
		cl.Head = append(cl.Head, rel.Cell{Expr: e})
	}
	for _, x := range args {
		if n, ok := x.(*syntax.Name); ok && len(s.Body) == 0 {
			if _, variable := cl.ids[n.Name]; variable {
				cl.bad = true
				c.say(constantKey, n.Span, n.Name)
			}
		}
	}
	r.rules = append(r.rules, cl)
}

// begin makes the clause of a rule or a query.
func (c *checker) begin(span source.Span) *clause {
	cl := &clause{span: span, ids: map[string]int{}}
	cl.Pos = op.Pos{Start: int32(span.Start), End: int32(span.End)}
	c.rel.clauses = append(c.rel.clauses, cl)
	return cl
}

// query is a query; its relation has a column for each variable, in the order of the
// names.
func (c *checker) query(s *syntax.Query) {
	cl := c.begin(s.Span)
	cl.query = syntax.QueryString(s)
	if !c.byPosition(s) {
		cl.bad = true
		return
	}
	body := slices.Clone(s.Body)
	if s.Why { // a row is explained, there or not, whatever its value
		if _, indexed := body[0].X.(*syntax.Index); indexed && body[0].Value == nil {
			body[0].Value = &syntax.Name{Name: "_", Span: body[0].X.Pos()}
		}
		body[0].Not = false
	}
	c.numbers(cl, body)
	for i := range body {
		c.literal(cl, &body[i])
	}
	for v := range cl.vars {
		if x := &cl.vars[v]; !x.hidden {
			cl.Head = append(cl.Head, rel.Cell{Expr: rel.V(v)})
		}
	}
	if s.Why && len(cl.Head) > 0 && !cl.bad {
		c.whyVariable(cl)
	} else if len(cl.Head) > tensor.MaxColumns {
		cl.bad = true
		c.say(manyAnswers, cl.span, len(cl.Head), tensor.MaxColumns)
	}
}

// byPosition reports whether no argument of a rule or a query is given by name.
func (c *checker) byPosition(s syntax.Stmt) bool {
	ok := true
	syntax.Walk(s, func(n syntax.Node) bool {
		call, is := n.(*syntax.Call)
		if is && ok && slices.ContainsFunc(call.Args, func(a syntax.Arg) bool { return a.Name.Name != "" }) {
			c.namedColumn(call)
			ok = false
		}
		return ok
	})
	return ok
}

// isRow reports whether a head without a body is a row of constants.
func (c *checker) isRow(args []syntax.Expr, value syntax.Expr) bool {
	for _, x := range args {
		name, isName := x.(*syntax.Name)
		_, isString := x.(*syntax.String)
		_, isNumber := literalNumber(x)
		if isName && name.Name == "_" || !isName && !isString && !isNumber {
			return false
		}
	}
	_, isNumber := literalNumber(value)
	return value == nil || isNumber
}

// literalNumber is the value of a number with or without a minus sign.
func literalNumber(x syntax.Expr) (float64, bool) {
	switch x := x.(type) {
	case *syntax.Number:
		return x.Value, true
	case *syntax.Unary:
		v, ok := literalNumber(x.X)
		return 0 - v, ok
	}
	return 0, false
}

// constantOf makes a constant of a name, a string or a number, and returns its slot. Constants are
// in the order of their slots, by which constAt finds them.
func (c *checker) constantOf(x syntax.Expr, fact bool) int {
	k := constant{span: x.Pos()}
	class := aLabel
	switch x := x.(type) {
	case *syntax.Name:
		k.text = x.Name
	case *syntax.String:
		k.text = x.Value
		if !fact && c.nowhere(x.Value) {
			c.unknownConstant(x)
		}
	default:
		k.num, k.isNum = literalNumber(x)
		if abs(k.num) >= tensor.MaxInt && c.inexact(x) {
			k.num = 0
		}
		class = numeral
		if k.num != math.Trunc(k.num) || k.num < 0 {
			class = aNumber
		}
	}
	k.slot = c.rel.slot(class, "", x.Pos())
	c.rel.consts = append(c.rel.consts, k)
	return k.slot
}

// constAt is the constant that a slot was made for.
func (c *checker) constAt(slot int) int {
	i, _ := slices.BinarySearchFunc(c.rel.consts, slot, func(k constant, slot int) int { return k.slot - slot })
	return i
}

// constTerm is a constant as a term: its number in consts until the program is lowered.
func (c *checker) constTerm(x syntax.Expr) (rel.Term, int) {
	slot := c.constantOf(x, false)
	return rel.Term{Kind: rel.Const, Value: float64(c.constAt(slot))}, slot
}

// variable is the variable of a name, and counts the occurrence.
func (cl *clause) variable(c *checker, name string, at source.Span) int {
	v, ok := cl.ids[name]
	if !ok {
		v = len(cl.vars)
		cl.ids[name] = v
		cl.vars = append(cl.vars, variable{name: name, first: at, slot: c.rel.slot(anything, "", at)})
	}
	cl.vars[v].count++
	return v
}

// hidden is a new variable without a name in the text.
func (cl *clause) hidden(c *checker, name string, class class, at source.Span) int {
	cl.vars = append(cl.vars, variable{name: name, first: at, slot: c.rel.slot(class, "", at), hidden: true, count: 2})
	return len(cl.vars) - 1
}

// ruleName is what a name in a rule or a query stands for, given what its place holds: a variable or
// a constant.
func (c *checker) ruleName(cl *clause, x *syntax.Name, place class) (rel.Term, int) {
	at, known := c.known(x.Name)
	known = known && place != aNumber && place != numeral
	if at, ok := cl.numbers[x.Name]; ok && !at.Contains(x.Start) {
		known = false // so the order of the atoms makes no difference
	}
	written := known && at != (source.Span{}) // what a program means does not depend on data
	_, again := cl.ids[x.Name]
	switch variable := isVariable(x.Name); {
	case x.Name == "_":
		return rel.Term{Kind: rel.Any}, c.rel.slot(anything, "", x.Span)
	case variable && written && !again && cl.query != "": // a query takes the constant, but not of a variable for numbers
		c.say(queryConstant, x.Span, x.Name)
	case variable:
		if known && !again && len(x.Name) > 1 {
			c.variableConstant(x)
		}
		v := cl.variable(c, x.Name, x.Span)
		return rel.Term{Var: v}, cl.vars[v].slot
	case !known && c.rel.byName[x.Name] != nil: // a relation where a value belongs
		cl.bad = true
		c.relationAsTerm(x)
		v := cl.hidden(c, x.Name, anything, x.Span)
		return rel.Term{Var: v}, cl.vars[v].slot
	case !known:
		if c.capital(cl, x); cl.bad { // for more mistakes it is what it was meant for
			v := cl.variable(c, x.Name, x.Span)
			return rel.Term{Var: v}, cl.vars[v].slot
		}
	}
	return c.constTerm(x)
}

// numbers notes the names of constants that stand in columns of numbers.
func (c *checker) numbers(cl *clause, body []syntax.Literal) {
	for _, l := range body {
		call, _ := l.X.(*syntax.Call)
		if call == nil || c.rel.byName[call.Fun.Name] == nil {
			continue
		}
		for i, k := range c.rel.byName[call.Fun.Name].cols {
			if i >= len(call.Args) {
				break
			}
			name, _ := call.Args[i].Value.(*syntax.Name)
			if place := c.rel.class(k.slot); name == nil || place != aNumber && place != numeral {
				continue
			} else if _, known := c.known(name.Name); !known {
				continue
			}
			at := call.Span
			if first, again := cl.numbers[name.Name]; again && first != at {
				at = source.Span{}
			}
			lists.Put(&cl.numbers, name.Name, at)
		}
	}
}

// add adds a literal to a body, with the literal of the text that it comes from: one in the text
// may make several, such as an atom for each value of a tensor in a comparison.
func (cl *clause) add(l rel.Literal, src *syntax.Literal, uses *relation) {
	l.Pos = op.Pos{Start: int32(src.Span.Start), End: int32(src.Span.End)}
	cl.Body, cl.src, cl.uses = append(cl.Body, l), append(cl.src, *src), append(cl.uses, uses)
}

// literal sorts literals by their form alone, since names may be defined later: a call is an atom, an
// indexed name a value of a tensor, and an operator a comparison.
func (c *checker) literal(cl *clause, l *syntax.Literal) {
	switch x := l.X.(type) {
	case *syntax.Call:
		if l.Value == nil {
			c.atom(cl, l, x.Fun, values(x.Args), nil)
			return
		}
	case *syntax.Index:
		name, ok := x.X.(*syntax.Name)
		if ok && (l.Value != nil || l.Not) {
			c.atom(cl, l, syntax.Ident{Name: name.Name, Span: name.Span}, x.Indices, l.Value)
			return
		} else if ok {
			c.valueAlone(cl, l, x, name)
			return
		}
	case *syntax.Binary:
		if l.Value == nil && x.Op.Compares() {
			c.compare(cl, l, x.Op, x.L, x.R)
			return
		}
	}
	if l.Value == nil || l.Not {
		if !cl.bad {
			c.notLiteral(l)
		}
		cl.bad = true
		return
	}
	c.compare(cl, l, syntax.Eq, l.X, l.Value)
}

// atom is an atom of a relation; value is that of T[..] = value.
func (c *checker) atom(cl *clause, l *syntax.Literal, name syntax.Ident, args []syntax.Expr, value syntax.Expr) {
	lit, r := c.reads(cl, l, name, args, value != nil)
	if r == nil {
		return
	}
	if value != nil {
		lit.Terms = append(lit.Terms, c.atomTerm(cl, l, r.cols[len(args)].slot, value))
	} else if r.valued() {
		lit.Terms = append(lit.Terms, rel.Term{Kind: rel.Any})
	}
	cl.add(lit, l, r)
}

// reads is what an atom reads, which may have a value behind its args; no relation if that is wrong.
func (c *checker) reads(cl *clause, l *syntax.Literal, name syntax.Ident, args []syntax.Expr, value bool) (lit rel.Literal, r *relation) {
	r = c.named(cl, name, len(args), value)
	switch {
	case r == nil:
		c.unknownRelation(name, l)
	case !value && r.valued() && (!l.Not || len(args) == len(r.cols)) || value && !r.valued():
		c.otherBrackets(r, l)
	case c.rightColumns(r, len(args), l.X.Pos()):
		lit = rel.Literal{Kind: rel.Atom, Rel: r.place}
		if l.Not {
			lit.Kind = rel.Not
		}
		for i, x := range args {
			lit.Terms = append(lit.Terms, c.atomTerm(cl, l, r.cols[i].slot, x))
		}
		return lit, r
	}
	cl.bad = true
	return lit, nil
}

// valueAlone is T[..] in a query, which asks for the value of each key.
func (c *checker) valueAlone(cl *clause, l *syntax.Literal, x *syntax.Index, name *syntax.Name) {
	r := c.named(cl, syntax.Ident{Name: name.Name, Span: name.Span}, len(x.Indices), true)
	if cl.query == "" || r == nil || !r.valued() {
		cl.bad = true
		c.noValueAlone(l, r, name)
		return
	}
	e, _ := c.valueOf(cl, x, name)
	cl.vars[e.Term.Var].hidden = false
}

// atomTerm is a term of an atom, given the slot of its column. An expression gets a variable of its
// own.
func (c *checker) atomTerm(cl *clause, l *syntax.Literal, place int, x syntax.Expr) rel.Term {
	var t rel.Term
	var slot int
	n, isName := x.(*syntax.Name)
	_, isString := x.(*syntax.String)
	_, isNumber := literalNumber(x)
	switch {
	case isName:
		t, slot = c.ruleName(cl, n, c.rel.class(place))
	case isString || isNumber:
		t, slot = c.constTerm(x)
	default:
		e, k := c.ruleExpr(cl, x)
		v := cl.hidden(c, syntax.ExprString(x), aNumber, x.Pos())
		c.number(k, x)
		cl.add(rel.Literal{Kind: rel.Bind, Var: v, Left: e}, l, nil)
		t, slot = rel.Term{Var: v}, cl.vars[v].slot
	}
	c.sameType(slot, place, x)
	return t
}

var comparisons = map[syntax.BinaryOp]op.Fn{syntax.Gt: op.FnGt, syntax.Ge: op.FnGe, syntax.Lt: op.FnLt, syntax.Le: op.FnLe, syntax.Eq: op.FnEq, syntax.Ne: op.FnNe}

// compare is a comparison. An equation with nothing but a variable on one side may give it its
// value.
func (c *checker) compare(cl *clause, l *syntax.Literal, by syntax.BinaryOp, left, right syntax.Expr) {
	a, x := c.ruleExpr(cl, left)
	b, y := c.ruleExpr(cl, right)
	c.sameType(x, y, right)
	lit := rel.Literal{Kind: rel.Compare, Fn: comparisons[by], Left: a, Right: b}
	if by == syntax.Eq {
		if !isVar(&a) {
			a, b = b, a
		}
		if isVar(&a) {
			lit = rel.Literal{Kind: rel.Bind, Var: a.Term.Var, Left: b}
		}
	}
	cl.add(lit, l, nil)
}

// isVar reports whether an expression is a variable alone, isConst whether it is a constant.
func isVar(e *rel.Expr) bool   { return len(e.Args) == 0 && e.Term.Kind == rel.Variable }
func isConst(e *rel.Expr) bool { return len(e.Args) == 0 && e.Term.Kind == rel.Const }

// constantIn is the constant that an expression consists of, nil if it is none.
func (r *relations) constantIn(e *rel.Expr) *constant {
	if !isConst(e) {
		return nil
	}
	return &r.consts[int(e.Term.Value)]
}

var arithmetic = map[syntax.BinaryOp]op.Fn{syntax.Add: op.FnAdd, syntax.Sub: op.FnSub, syntax.Mul: op.FnMul, syntax.Div: op.FnDiv}

// scalars are the functions of numbers by name.
var scalars = func() map[string]op.Fn {
	m := map[string]op.Fn{}
	for f := op.FnMax; f < op.FnCheck; f++ {
		if f != op.FnNeg && f != op.FnNot {
			m[f.String()] = f
		}
	}
	return m
}()

// ruleExpr is an expression of a rule, and the slot of its value.
func (c *checker) ruleExpr(cl *clause, x syntax.Expr) (rel.Expr, int) {
	if _, ok := literalNumber(x); ok {
		t, slot := c.constTerm(x)
		return rel.Expr{Term: t}, slot
	}
	apply := func(f op.Fn, args ...syntax.Expr) (rel.Expr, int) {
		if cl.depth > rel.MaxDepth {
			if !cl.bad {
				c.say(deepExpr, x.Pos(), rel.MaxDepth)
			}
			cl.bad = true
			return nothing, c.rel.slot(anything, "", x.Pos())
		}
		cl.depth++
		c.rel.parts++
		defer func() { cl.depth-- }()
		e := rel.Expr{Fn: f}
		for _, a := range args {
			y, k := c.ruleExpr(cl, a)
			c.number(k, a)
			e.Args = append(e.Args, y)
		}
		return e, c.rel.slot(aNumber, "", x.Pos())
	}
	switch x := x.(type) {
	case *syntax.Name:
		t, slot := c.ruleName(cl, x, anything)
		if t.Kind == rel.Any {
			cl.bad = true
			c.say(anyInExpr, x.Span)
		}
		return rel.Expr{Term: t}, slot
	case *syntax.String: // of a row only if an equation tests it: see impossible
		slot := c.constantOf(x, true)
		return rel.Expr{Term: rel.Term{Kind: rel.Const, Value: float64(c.constAt(slot))}}, slot
	case *syntax.Paren:
		return c.ruleExpr(cl, x.X)
	case *syntax.Unary:
		return apply(op.FnNeg, x.X)
	case *syntax.Binary:
		if f, ok := arithmetic[x.Op]; ok {
			c.date(x)
			return apply(f, x.L, x.R)
		}
	case *syntax.Product:
		if len(x.Factors) == 2 {
			return apply(op.FnMul, x.Factors...)
		}
	case *syntax.Call:
		if f, ok := scalars[x.Fun.Name]; ok && f.Arity() == len(x.Args) {
			return apply(f, values(x.Args)...)
		}
	case *syntax.Index:
		if name, ok := x.X.(*syntax.Name); ok {
			return c.valueOf(cl, x, name)
		}
	}
	if !cl.bad {
		c.noRuleExpr(cl, x)
	}
	cl.bad = true
	return nothing, c.rel.slot(anything, "", x.Pos())
}

// nothing stands for an expression that is wrong. The zero value would be a variable.
var nothing = rel.Expr{Term: rel.Term{Kind: rel.Any}}

// valueOf is T[..] in an expression: a hidden variable that an atom of T gives its value.
func (c *checker) valueOf(cl *clause, x *syntax.Index, name *syntax.Name) (rel.Expr, int) {
	shown := syntax.ExprString(x)
	v, again := cl.ids[shown]
	syntax.Walk(x, func(n syntax.Node) bool {
		if n, ok := n.(*syntax.Name); ok {
			again = again && n.Name != "_" // which is a new variable each time
			if k, ok := cl.ids[n.Name]; ok && again {
				cl.vars[k].count++
			}
		}
		return true
	})
	if again {
		return rel.V(v), cl.vars[v].slot
	}
	l := &syntax.Literal{Span: x.Span, X: x, Value: &syntax.Name{Name: shown, Span: x.Span}}
	lit, r := c.reads(cl, l, syntax.Ident{Name: name.Name, Span: name.Span}, x.Indices, true)
	v = cl.hidden(c, shown, aNumber, x.Span)
	cl.ids[shown] = v
	if r != nil {
		lit.Terms = append(lit.Terms, rel.Term{Var: v})
		cl.add(lit, l, r)
	}
	return rel.V(v), cl.vars[v].slot
}

// number says that an expression is a number.
func (c *checker) number(slot int, x syntax.Expr) {
	c.sameType(slot, c.rel.slot(aNumber, "", x.Pos()), x)
}

var aggregates = map[string]rel.Agg{"count": rel.Count, "sum": rel.Sum, "min": rel.Min, "max": rel.Max, "mean": rel.Mean}

// headCell is a cell of a head. In one without a body every name is a constant.
func (c *checker) headCell(cl *clause, r *relation, i int, x syntax.Expr, constant bool) rel.Cell {
	if call, ok := x.(*syntax.Call); ok && len(call.Args) < 2 {
		if agg, ok := aggregates[call.Fun.Name]; ok && (agg == rel.Count || len(call.Args) == 1) {
			return c.aggregate(cl, r, i, agg, call)
		}
	}
	if n, ok := x.(*syntax.Name); ok && n.Name == "_" {
		cl.bad = true
		c.say(anyInExpr, n.Span)
		return rel.Cell{}
	} else if ok && constant {
		t, slot := c.constTerm(x)
		c.sameType(r.cols[i].slot, slot, x)
		return rel.Cell{Expr: rel.Expr{Term: t}}
	} else if constant && c.unquoted(x) {
		cl.bad = true
		return rel.Cell{}
	}
	e, slot := c.ruleExpr(cl, x)
	c.sameType(r.cols[i].slot, slot, x)
	return rel.Cell{Expr: e}
}

// aggregate elaborates an aggregate in cell i of a head. Counting an expression counts its
// different values.
func (c *checker) aggregate(cl *clause, r *relation, i int, agg rel.Agg, call *syntax.Call) rel.Cell {
	cell := rel.Cell{Agg: agg}
	if r.fold != rel.NoAgg {
		cl.bad = true
		c.say(aggregateKey, call.Span)
		return cell
	}
	if len(call.Args) == 0 {
		c.number(r.cols[i].slot, call)
		return cell
	}
	if agg == rel.Count {
		cell.Agg = rel.Distinct
	}
	e, slot := c.ruleExpr(cl, call.Args[0].Value)
	cell.Expr = e
	switch agg {
	case rel.Min, rel.Max:
		c.sameType(r.cols[i].slot, slot, call)
	case rel.Count:
		c.number(r.cols[i].slot, call)
	default:
		c.number(slot, call.Args[0].Value)
		c.number(r.cols[i].slot, call)
	}
	return cell
}

// capitals is the fix that turns all capitalised names that no fact has into variables, in the
// whole program.
func (c *checker) capitals() diag.Fix {
	fix := diag.Fix{Title: "begin variables with a lower-case letter", Guess: true}
	for _, s := range c.rel.stmts {
		var names []*syntax.Name
		taken := map[string]bool{}
		visit := func(n syntax.Node) bool {
			x, ok := n.(*syntax.Name)
			if !ok {
				return true
			}
			if _, known := c.known(x.Name); !known && !isVariable(x.Name) {
				names = append(names, x)
			}
			taken[x.Name] = true
			return true
		}
		if r, ok := s.(*syntax.Rule); ok && len(r.Body) == 0 {
			continue
		}
		walkTerms(s, visit)
		lowered := map[string]string{}
		for _, x := range names {
			lower, seen := lowered[x.Name]
			if !seen {
				lower = strings.ToLower(x.Name[:1]) + x.Name[1:]
				for _, constant := c.known(lower); constant || taken[lower]; _, constant = c.known(lower) {
					lower += "_" // no other name of the statement, and no constant
				}
				lowered[x.Name], taken[lower] = lower, true
			}
			fix.Edits = append(fix.Edits, diag.Edit{Span: x.Span, NewText: lower})
			// A longer name that stands once may be a constant that is misspelt, or missing.
			fix.Guess = fix.Guess && !seen && len(x.Name) > 1
		}
	}
	return fix
}

// walkTerms visits what may be a variable: not the names of indexed tensors.
func walkTerms(s syntax.Stmt, visit func(syntax.Node) bool) {
	tensors := map[*syntax.Name]bool{}
	syntax.Walk(s, func(n syntax.Node) bool {
		if ix, ok := n.(*syntax.Index); ok {
			if name, ok := ix.X.(*syntax.Name); ok {
				tensors[name] = true
			}
		}
		if name, ok := n.(*syntax.Name); ok && tensors[name] {
			return true
		}
		return visit(n)
	})
}
