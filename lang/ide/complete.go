package ide

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"ein/lang/check"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/ir"
)

// The ranks of completions, the nearest first. A name that fits the place comes
// before those of its kind.
const (
	rankFit      = iota // fits the place
	rankIndex           // an index or a variable that the statement has
	rankLocal           // a name of the function around it
	rankTensor          // a value of the program
	rankNewIndex        // a name that nothing has yet
	rankFunction        // a function of the program
	rankLibrary         // one of the language
	rankKeyword         // a word, and what is only possible
)

// Complete returns what can stand at offset, best first. The statement around it need not parse:
// its tokens up to the cursor say what is expected, and names come from the statements before it.
// In a string it is labels; in a comment or a number and behind a string, nothing.
func (d *Document) Complete(offset int) []Item {
	offset = d.clampOffset(offset)
	c := &completer{d: d, seen: map[string]bool{}}
	if t, ok := d.inside(offset); ok {
		switch {
		case blank(t.Kind):
			return nil
		case t.Kind == syntax.KindNumber || t.Kind == syntax.KindBadNumber || t.Kind == syntax.KindString && t.Span.End == offset:
			return nil
		case t.Kind == syntax.KindString || t.Kind == syntax.KindBadString:
			c.labels(t, offset)
			return c.sorted()
		}
	}
	c.site = d.siteAt(offset)
	c.prefix = d.text(source.Span{Start: c.site.word.Start, End: offset})
	c.scope = d.scopeAt(&c.site)
	c.collect()
	return c.sorted()
}

// inside is the token that offset cuts, or that ends there and could go on.
func (d *Document) inside(offset int) (syntax.Token, bool) {
	toks := d.tokens()
	i := d.tokenFrom(offset)
	if i < len(toks) && toks[i].Span.Start < offset {
		return toks[i], true
	}
	if i > 0 && toks[i-1].Span.End == offset {
		switch k := toks[i-1].Kind; {
		case k == syntax.KindNewline:
		case blank(k), k == syntax.KindString, k == syntax.KindBadString, k == syntax.KindNumber, k == syntax.KindBadNumber:
			return toks[i-1], true
		}
	}
	return syntax.Token{}, false
}

// completer collects what can stand at one place. Of items of the same name, the first counts.
type completer struct {
	d      *Document
	site   site    // what is around the place
	scope  []known // the names that it may use
	prefix string  // what is typed of the word
	items  []Item
	seen   map[string]bool
}

// known is a name in scope.
type known struct {
	name  string
	kind  Kind
	node  *ir.Node
	local bool
	about string // a relation with its columns
}

// detail is what an item says of a name.
func (k known) detail() string {
	if k.about != "" {
		return k.about
	}
	return detail(k.node)
}

// scopeAt is the names that the statement at a site sees, the last definition of
// each, in the order of their definitions.
func (d *Document) scopeAt(s *site) []known {
	var list []known
	last := map[string]int{} // the place of each name
	add := func(k known) {
		if i, again := last[k.name]; again {
			list[i].name = ""
		}
		last[k.name] = len(list)
		list = append(list, k)
	}
	isRelation := func(name string) bool {
		i, ok := last[name]
		return ok && list[i].about != ""
	}
	start := s.start()
	stmts := flat(d.File().Stmts)
	if toks, inside := d.function(s); inside {
		d.locals(toks, start, add)
		stmts = nil
	}
	for _, st := range stmts {
		if name, ok := syntax.RelationOf(st); ok { // a relation is seen from everywhere
			if !isRelation(name.Name) {
				add(known{name: name.Name, kind: KindTensor, about: d.relationType(name.Name, st)})
			}
			continue
		}
		if st.Pos().Start >= start {
			continue
		}
		k := known{kind: KindTensor}
		switch st := st.(type) {
		case *syntax.Assign:
			k.name, k.node = st.Name.Name, d.check().statements[st.Start]
		case *syntax.Input:
			k.name, k.kind = st.Name.Name, KindInput
			for _, in := range d.check().Inputs {
				if in.Name == k.name {
					k.node = in.Node
				}
			}
		case *syntax.ExprStmt: // the value of the last expression
			k.name, k.node = "_", d.check().statements[st.Start]
		case *syntax.Bad:
			toks := d.tokensIn(st.Span)
			if st.Name == "" || isRelation(st.Name) || d.text(toks[0].Span) == "def" && len(toks) > 1 && toks[1].Kind == syntax.KindIdent {
				continue
			}
			k.name = st.Name
		default:
			continue
		}
		add(k)
	}
	return slices.DeleteFunc(list, func(k known) bool { return k.name == "" })
}

// function returns the tokens of the def around a site, from the word def to the cursor.
func (d *Document) function(s *site) ([]syntax.Token, bool) {
	head := s.header
	if head == nil {
		head = s.before
	}
	if len(head) < 3 || d.text(head[0].Span) != "def" || head[1].Kind != syntax.KindIdent {
		return nil, false
	}
	return d.tokensIn(source.Span{Start: head[0].Span.Start, End: s.offset}), true
}

// locals adds the parameters of a def and the names that its block defines before start. It goes by
// tokens: the body of a def that is being written seldom parses.
func (d *Document) locals(toks []syntax.Token, start int, add func(known)) {
	i := 3
	for ; i < len(toks) && toks[i].Kind != syntax.KindRParen; i++ {
		if toks[i].Kind == syntax.KindIdent {
			add(known{name: d.text(toks[i].Span), kind: KindParameter, local: true})
		}
	}
	depth := 0
	i++ // past the )
	for head := -1; i < len(toks) && toks[i].Span.Start < start; i++ {
		switch t := toks[i]; t.Kind {
		case syntax.KindLParen, syntax.KindLBracket:
			depth++
		case syntax.KindRParen, syntax.KindRBracket:
			depth--
		case syntax.KindIdent:
			if depth == 0 {
				head = i
			}
		case syntax.KindAssign, syntax.KindSetMax, syntax.KindSetMin, syntax.KindSetAdd:
			if depth == 0 && head >= 0 {
				add(known{name: d.text(toks[head].Span), kind: KindTensor, local: true})
			}
		}
	}
}

// collect decides by the tokens before the cursor what can follow, and offers nothing where a new
// name is being made up. The statement itself rarely parses while it is typed.
func (c *completer) collect() {
	s := &c.site
	in := s.inner()
	if (s.last() == syntax.KindDot || len(s.before) == 2 && s.last() == syntax.KindColon) && c.d.text(s.before[0].Span) == "input" {
		return
	}
	if n := len(s.before); n > 0 && s.header == nil {
		switch first := c.d.text(s.before[0].Span); {
		case first == "input" && n == 3 && s.last() == syntax.KindColon:
			for _, k := range []string{"graph", "matrix", "vector", "scalar"} {
				c.add(Item{Label: k, Kind: KindKeyword, Doc: keywords[k], Rank: rankFit})
			}
			return
		case first == "input" && in != nil && s.last() == syntax.KindColon:
			c.types()
			return
		case first == "input" && (n == 1 || n == 2 || in != nil), first == "def" && (n == 1 || in != nil && !s.op):
			return // a new name
		case first == ":print" && in == nil:
			c.printed()
			return
		}
	}
	cl := c.clauseAt(in)
	switch {
	case len(s.before) == 0:
		c.statementStart()
	case c.inAtom(in, cl):
		c.terms(in, cl)
	case cl.rules:
		c.literal(in, cl)
	case in != nil && in.index:
		c.indices(in)
	default:
		c.expression(in)
	}
}

// columnTypes are the types of columns, and what an int and a real are in a relation of facts alone.
var columnTypes = []string{"node", "int", "real", "text", "number"}

// types offers the types of columns, and the domains that the program has.
func (c *completer) types() {
	names := slices.Clone(columnTypes[:4])
	for _, s := range c.d.File().Stmts {
		if in, ok := s.(*syntax.Input); ok {
			for _, column := range in.Columns {
				names = append(names, column.Type.Name)
			}
		}
	}
	for _, name := range names {
		c.add(Item{Label: name, Kind: KindKeyword, Doc: keywords[name], Rank: rankFit})
	}
}

// statementStart offers what a statement begins with.
func (c *completer) statementStart() {
	block := c.site.header != nil
	for _, k := range c.scope {
		if k.kind == KindTensor && k.name != "_" {
			c.add(Item{Label: k.name, Kind: k.kind, Detail: k.detail(), Rank: rankTensor})
		}
	}
	profile := c.d.opt.Profile
	if profile != check.Core {
		c.add(Item{Label: "repeat", Kind: KindKeyword, Doc: keywords["repeat"], Insert: "repeat ", Snippet: "repeat ${1:n} {\n  $0\n}", Rank: rankKeyword})
	}
	if block {
		c.expression(nil)
		return
	}
	c.add(Item{Label: ":print", Kind: KindDirective, Doc: "Gives values as outputs of the program.", Insert: ":print ", Rank: rankKeyword})
	if profile != check.Core {
		c.add(Item{Label: ":why", Kind: KindDirective, Doc: "Explains a row of a relation.", Insert: ":why ", Rank: rankKeyword})
		c.add(Item{Label: "def", Kind: KindKeyword, Doc: keywords["def"], Insert: "def ", Snippet: "def ${1:name}(${2:A}) = $0", Rank: rankKeyword})
		c.add(Item{Label: "input", Kind: KindKeyword, Doc: keywords["input"], Insert: "input ", Snippet: "input ${1:A}: ${2:graph}", Rank: rankKeyword})
	}
	if profile == check.Repl {
		c.expression(nil)
	}
}

// printed offers the values of the program to a :print, those that are not printed
// yet first.
func (c *completer) printed() {
	done := map[string]bool{}
	for _, o := range c.d.names().occurrences {
		if o.printed {
			done[o.of.name] = true
		}
	}
	for i := len(c.scope) - 1; i >= 0; i-- {
		k := c.scope[i]
		rank := rankFit
		if done[k.name] {
			rank = rankTensor
		}
		c.add(Item{Label: k.name, Kind: k.kind, Detail: k.detail(), Rank: rank})
	}
	c.functions()
}

// indices offers what can stand in brackets after a tensor: the indices of the
// statement, those of the left side first, then new ones, and parameters that are
// positions.
func (c *completer) indices(in *bracket) {
	s := &c.site
	if n, ok := c.rank(in); ok && in.args >= n {
		return // the tensor has no such axis
	}
	left, right, here := c.statementIndices(in)
	c.named(left, here, "index of the left side", rankFit)
	c.named(right, here, "index", rankIndex)
	fresh := 0
	for _, name := range []string{"i", "j", "k", "l", "m", "n"} {
		if fresh < 2 && !slices.Contains(left, name) && !slices.Contains(right, name) {
			c.add(Item{Label: name, Kind: KindIndex, Detail: "new index", Rank: rankNewIndex})
			fresh++
		}
	}
	for _, k := range c.scope {
		if k.kind == KindParameter && s.op {
			c.add(Item{Label: k.name, Kind: k.kind, Detail: "position", Rank: rankLocal})
		}
	}
	if s.op {
		c.nodes(rankKeyword)
	}
}

// clause is what the statement at the cursor has, if it is a fact, a rule or a query.
type clause struct {
	rules       bool // it can be nothing else
	arrow, ends bool // it has an arrow, before the cursor or behind; and the end of a fact or a query
	fact        bool
	here, names []string // the variables in the brackets of the cursor, and the others
}

// clauseAt reads the statement at the cursor, inside the brackets in. What stands behind the cursor
// counts too: an arrow or a final dot there tells a rule or a fact from an equation.
func (c *completer) clauseAt(in *bracket) clause {
	d, s := c.d, &c.site
	var cl clause
	if len(s.before) == 0 {
		return cl
	}
	stmt := source.Span{Start: s.before[0].Span.Start, End: s.offset}
	if i := d.statementAt(max(s.offset-1, 0)); i >= 0 {
		stmt.End = max(stmt.End, d.File().Stmts[i].Pos().End)
	}
	open, closed, depth := -1, false, 0
	if in != nil {
		open = s.before[in.token].Span.Start
	}
	toks := d.tokensIn(stmt)
	atom := len(toks) > 1 && toks[0].Kind == syntax.KindIdent && (toks[1].Kind == syntax.KindLParen || toks[1].Kind == syntax.KindLBracket)
	for i, t := range toks {
		name := d.text(t.Span)
		switch t.Kind {
		case syntax.KindLParen, syntax.KindLBracket:
			depth++
		case syntax.KindRParen, syntax.KindRBracket:
			depth--
			closed = closed || t.Span.Start > open
		case syntax.KindArrow:
			cl.arrow = true
		case syntax.KindAsk, syntax.KindNot, syntax.KindWhy:
			cl.rules = true
		case syntax.KindComma:
			cl.rules = cl.rules || atom && depth == 0
		case syntax.KindDot, syntax.KindQuestion:
			if depth == 0 {
				cl.rules, cl.ends, cl.fact = true, true, t.Kind == syntax.KindDot
			}
		case syntax.KindIdent:
			followed := i+1 < len(toks) && (toks[i+1].Kind == syntax.KindLParen || toks[i+1].Kind == syntax.KindLBracket)
			switch {
			case t.Span == s.word || followed || name == "_" || name[0] < 'a' || depth == 0 && (i == 0 || name == "not"):
			case open >= 0 && t.Span.Start > open && !closed:
				cl.here = append(cl.here, name)
			case !slices.Contains(cl.names, name):
				cl.names = append(cl.names, name)
			}
		}
	}
	cl.rules = cl.rules || cl.arrow
	cl.ends, cl.fact = cl.ends && !cl.arrow, cl.fact && !cl.arrow
	return cl
}

// inAtom reports whether the cursor stands in an atom: in the brackets of a relation or, in a clause,
// of any name that is no function, or of a name that begins a statement and is no function.
func (c *completer) inAtom(in *bracket, cl clause) bool {
	if in == nil || !in.call && !in.index || in.call && c.d.functionNamed(c.callee(in)) != nil {
		return false
	}
	return in.call && in.token == 1 || in.index && cl.rules ||
		slices.ContainsFunc(c.scope, func(k known) bool { return k.about != "" && k.name == c.callee(in) })
}

// variables offers those of a clause.
func (c *completer) variables(cl clause, rank int) {
	if cl.fact {
		return // which has constants
	}
	c.named(slices.Concat(cl.names, cl.here), cl.here, "variable", rank)
}

// named offers indices or variables; those in the brackets of the cursor come behind others.
func (c *completer) named(names, here []string, detail string, rank int) {
	for _, name := range names {
		at := rank
		if slices.Contains(here, name) {
			at = rankTensor
		}
		c.add(Item{Label: name, Kind: KindIndex, Detail: detail, Rank: at})
	}
}

// terms offers what can stand in an atom: the variables of its statement, those that the atom does not
// have yet first, then constants. The head of a rule may aggregate.
func (c *completer) terms(in *bracket, cl clause) {
	c.variables(cl, rankFit)
	if !cl.fact {
		c.add(Item{Label: "_", Kind: KindIndex, Detail: "any value", Rank: rankNewIndex})
	}
	if !slices.Contains(columnTypes[1:], c.d.columnType(c.callee(in), in.args)) {
		c.nodes(rankKeyword)
	}
	if in.call && in.token == 1 && !c.site.op && !cl.ends {
		for _, name := range []string{"count", "sum", "min", "max", "mean"} {
			c.function(c.d.functionNamed(name), rankFunction, c.called())
		}
	}
}

// literal offers what can stand in a clause outside of its atoms: where a literal begins relations and
// not, elsewhere and in the arguments of functions what has a value.
func (c *completer) literal(in *bracket, cl clause) {
	s := &c.site
	negated := s.last() == syntax.KindNot || c.d.text(s.before[len(s.before)-1].Span) == "not"
	why := s.before[0].Kind == syntax.KindWhy
	begins := in == nil && (negated || slices.Contains([]syntax.Kind{syntax.KindArrow, syntax.KindComma, syntax.KindAsk, syntax.KindWhy}, s.last()))
	rank := rankFit
	if begins {
		rank = rankIndex
		if !negated {
			c.add(Item{Label: "not", Kind: KindKeyword, Doc: keywords["not"], Insert: "not ", Rank: rankTensor})
		}
	}
	if !why && !negated {
		c.variables(clause{names: slices.Concat(cl.names, cl.here)}, rank)
	}
	for _, k := range c.scope {
		rank := rankTensor
		if k.about != "" && !strings.HasPrefix(k.about, k.name+"[") {
			if !begins {
				continue
			}
			rank = rankFit
		}
		c.add(Item{Label: k.name, Kind: k.kind, Detail: k.detail(), Rank: rank})
	}
	if why || negated {
		return
	}
	m, order := library()
	for _, name := range order {
		if b := stdlib.Lookup(name); b != nil && b.Form == stdlib.Elementwise || name == "min" || name == "max" {
			c.function(m[name], rankLibrary, c.called())
		}
	}
}

// rank is the number of axes of what the brackets index, when it is a name.
func (c *completer) rank(in *bracket) (int, bool) {
	if !c.site.op || in.token == 0 {
		return 0, false
	}
	t := c.site.before[in.token-1]
	for _, k := range c.scope {
		if t.Kind == syntax.KindIdent && k.name == c.d.text(t.Span) && k.node != nil {
			return k.node.Rank(), true
		}
	}
	return 0, false
}

// statementIndices returns the indices of the left and of the right side of the statement, and
// those in the brackets around the cursor. It reads on to the end of the line, as an index may
// first occur behind the cursor.
func (c *completer) statementIndices(in *bracket) (left, right, here []string) {
	d, s := c.d, &c.site
	end := len(d.src.Text)
	toks := d.tokens()
	for i := d.tokenFrom(s.offset); i < len(toks); i++ {
		if toks[i].Kind == syntax.KindNewline || toks[i].Kind == syntax.KindSemicolon {
			end = toks[i].Span.Start
			break
		}
	}
	open := -1
	if in != nil {
		open = s.before[in.token].Span.Start
	}
	var stack []int // where each open bracket stands, -1 for one without indices
	op := false
	prev := syntax.KindNewline
	for _, t := range d.tokensIn(source.Span{Start: s.start(), End: end}) {
		switch k := t.Kind; {
		case k == syntax.KindLBracket && endsOperand(prev):
			stack = append(stack, t.Span.Start)
		case k == syntax.KindLBracket || k == syntax.KindLParen || k == syntax.KindLBrace:
			stack = append(stack, -1)
		case k == syntax.KindRBracket || k == syntax.KindRParen || k == syntax.KindRBrace:
			stack = stack[:max(len(stack)-1, 0)]
		case k >= syntax.KindAssign && k <= syntax.KindSetAdd && len(stack) == 0:
			op = true
		case k == syntax.KindIdent && len(stack) > 0 && stack[len(stack)-1] >= 0 && t.Span != s.word:
			name := d.text(t.Span)
			if stack[len(stack)-1] == open {
				here = append(here, name)
			}
			switch {
			case slices.Contains(left, name) || slices.Contains(right, name):
			case op:
				right = append(right, name)
			default:
				left = append(left, name)
			}
		}
		prev = t.Kind
	}
	return left, right, here
}

// expression offers values and functions, those that fit the parameter first.
func (c *completer) expression(in *bracket) {
	p := c.parameter(in)
	for _, k := range c.scope {
		rank := rankTensor
		if k.local {
			rank = rankLocal
		}
		if fits(p, k.node) {
			rank = rankFit
		}
		c.add(Item{Label: k.name, Kind: k.kind, Detail: k.detail(), Rank: rank})
	}
	if in != nil && in.call && c.callee(in) == "select" && in.args > 0 {
		left, _, _ := c.statementIndices(nil)
		c.named(left, nil, "index of the left side", rankFit)
	}
	if p != nil {
		if p.Doc == "node" {
			c.nodes(rankLocal)
		}
		if fn := c.d.functionNamed(c.callee(in)); in.args > 0 {
			for _, q := range fn.Params {
				if q.Named {
					c.add(Item{Label: q.Name + "=", Kind: KindParameter, Detail: q.Doc, Rank: rankLocal})
				}
			}
		}
	}
	c.functions()
}

// callee is the word before an open bracket.
func (c *completer) callee(in *bracket) string {
	return c.d.text(c.site.before[in.token-1].Span)
}

// parameter is the one that the cursor stands for in a call.
func (c *completer) parameter(in *bracket) *stdlib.Param {
	if in == nil || !in.call {
		return nil
	}
	if fn := c.d.functionNamed(c.callee(in)); fn != nil {
		if k := c.d.active(fn, &c.site, in); k >= 0 {
			return &fn.Params[k]
		}
	}
	return nil
}

// fits reports whether a value is what a parameter is made for.
func fits(p *stdlib.Param, n *ir.Node) bool {
	if p == nil || n == nil {
		return false
	}
	switch p.Doc {
	case "graph":
		s := n.Type.Shape
		return n.Rank() == 2 && s.Dim(0) == s.Dim(1)
	case "node", "size":
		return n.Rank() == 0
	}
	return false
}

// functions offers the functions of the program, then those of the library that the profile has.
func (c *completer) functions() {
	m, order := library()
	called := c.called()
	for _, s := range c.d.File().Stmts {
		if def, ok := s.(*syntax.Def); ok {
			c.function(c.d.described()[def.Name.Name], rankFunction, called)
		}
	}
	for _, name := range order {
		if c.d.opt.Profile != check.Core || stdlib.Core(name) {
			c.function(m[name], rankLibrary, called)
		}
	}
}

// called reports whether a parenthesis follows the word being typed.
func (c *completer) called() bool {
	toks := c.d.tokens()
	i := c.d.tokenFrom(c.site.word.End)
	return i < len(toks) && toks[i].Kind == syntax.KindLParen && toks[i].Span.Start == c.site.word.End
}

// function offers a function, with places for the parameters that have to be given. If a
// parenthesis follows already, it inserts the name alone.
func (c *completer) function(f *function, rank int, called bool) {
	var m markdown
	m.add(f.Doc)
	if f.Example != "" {
		m.code(f.Example)
	}
	item := Item{Label: f.Name, Kind: f.kind, Detail: f.Signature, Doc: m.String(), Rank: rank}
	if !called {
		item.Insert = f.Name + "("
		var stops []string
		for _, p := range f.Params {
			if !p.Optional {
				stops = append(stops, fmt.Sprintf("${%d:%s}", len(stops)+1, p.Name))
			}
		}
		item.Snippet = f.Name + "(" + strings.Join(stops, ", ") + ")$0"
	}
	c.add(item)
}

// labels offers node labels inside the quotes of a string.
func (c *completer) labels(t syntax.Token, offset int) {
	span := source.Span{Start: t.Span.Start + 1, End: t.Span.End - 1}
	closing := ""
	if t.Kind == syntax.KindBadString {
		span.End, closing = offset, `"`
	}
	c.site.word = span
	c.prefix = c.d.text(source.Span{Start: span.Start, End: offset})
	for i, l := range c.d.check().Labels {
		if l == "" || !c.begins(l) || len(c.items) == MaxLabels {
			continue // an empty one is most likely the one being typed
		}
		inner := strings.TrimSuffix(strings.TrimPrefix(quote(l), `"`), `"`)
		c.add(Item{Label: l, Kind: KindLabel, Detail: fmt.Sprintf("node %d", i), Insert: inner + closing, Rank: rankFit})
	}
}

// MaxLabels bounds the labels of nodes among the items, of which data may have very many.
const MaxLabels = 200

// nodes offers the first labels that begin with what is typed.
func (c *completer) nodes(rank int) {
	n := 0
	for _, l := range c.d.check().Labels {
		if n < MaxLabels && c.begins(l) {
			n++
			c.add(Item{Label: quote(l), Kind: KindLabel, Detail: "node", Rank: rank})
		}
	}
}

// quote is a label as the text of a program writes it.
//
//go:noinline
func quote(label string) string { return syntax.ExprString(&syntax.String{Value: label}) }

// begins reports whether a text begins with what is typed, in any case.
func (c *completer) begins(text string) bool {
	return len(text) >= len(c.prefix) && strings.EqualFold(text[:len(c.prefix)], c.prefix)
}

// add takes an item that begins with what is typed, in a string behind its quote, the first of each label.
func (c *completer) add(i Item) {
	if !c.begins(strings.TrimPrefix(i.Label, `"`)) || c.seen[i.Label] {
		return
	}
	c.seen[i.Label] = true
	i.Span = c.site.word
	i.Insert = cmp.Or(i.Insert, i.Label)
	c.items = append(c.items, i)
}

// sorted returns the items, the best first; of equals, those in the right case, then
// in the order in which they were found.
func (c *completer) sorted() []Item {
	exact := func(i Item) bool { return strings.HasPrefix(i.Label, c.prefix) }
	sort.SliceStable(c.items, func(i, j int) bool {
		a, b := c.items[i], c.items[j]
		if a.Rank != b.Rank {
			return a.Rank < b.Rank
		}
		return exact(a) && !exact(b)
	})
	return c.items
}
