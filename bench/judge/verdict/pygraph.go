package verdict

import (
	"slices"
	"strconv"
	"strings"

	"ein/bench/judge/verdict/pysource"
	"ein/lang/source"
)

// form is how a piece of a Python program has edges.
type form uint8

const (
	pairList   form = iota // [(0, 1), (1, 2)]
	adjacency              // {0: [1], 1: [2], 2: []}
	zeroOne                // [[0, 1], [0, 0]]
	singleEdge             // G.add_edge(0, 1)
	appendEdge             // adj[0].append(1)
	rowList                // [[1], [2], []], what each node has an edge to
	textList               // "0 1\n1 2"
	nodeList               // range(3) or [0, 1, 2], where nodes are added
)

// piece is a part of a program that has edges of a graph, or its nodes.
type piece struct {
	span    source.Span
	form    form
	call    string // of singleEdge and appendEdge, with nodes u and v
	nested  string // what an adjacency of dictionaries has for each edge
	between string // of textList: what stands between edges
	arrow   string // and between the nodes of one
	open    byte   // bracket of the whole
	inner   byte   // and of the pairs, or of the lists of an adjacency
	rest    string // what stands behind the two nodes of each pair, attributes
	boolean bool   // a matrix of True and False
	stated  int    // of nodeList, the number of nodes
	ranged  bool   // of nodeList, range(n)
	edges   []pysource.Literal
}

// pyGraph is a graph of a Python program, by the variable it is in.
type pyGraph struct {
	name   string
	pieces []piece
}

// pyProgram is a Python program with the graphs that are written in it.
type pyProgram struct {
	text   string
	tokens []pysource.Token
	n      int
	labels []string

	names  pysource.Names // variables that are a number or a string
	values map[string]int // variables that are a literal of another form: its token
	graphs []*pyGraph

	literals []literal // the graphs, in order
	spelled  map[int]string
	strange  map[string]int // what is no node of the question, numbered
	base     int            // number of the first node
	byLabel  bool
	quoted   bool // numbers in quotes
}

// The functions of networkx, or methods of its graphs, that take edges, by the
// forms they take. Those of the second table make a graph.
var (
	takesEdges = map[string]bool{"add_edges_from": true, "add_weighted_edges_from": true}
	makesGraph = map[string]bool{"Graph": true, "DiGraph": true, "MultiGraph": true, "MultiDiGraph": true,
		"from_edgelist": true, "from_dict_of_lists": true, "to_networkx_graph": true,
		"from_numpy_array": true, "from_numpy_matrix": true, "from_adjacency_matrix": true}
	// wrapper is functions that have the elements of their argument.
	wrapper = map[string]bool{"list": true, "tuple": true, "set": true, "sorted": true, "array": true, "asarray": true, "matrix": true, "dict": true}
	// changes is methods after which a variable is no longer what was written.
	changes = map[string]bool{"append": true, "extend": true, "add": true, "insert": true, "remove": true, "update": true, "pop": true,
		"discard": true, "clear": true, "setdefault": true}
)

// readPython finds the graphs in a Python program: what is given to networkx as
// edges, as an adjacency or as a matrix, directly or by the name of a variable;
// where there is no such thing, lists of pairs, dictionaries of lists and 0/1
// matrices wherever they stand, as many as there are graphs in the question.
func readPython(text string, labels []string, graphs int) *pyProgram {
	p := &pyProgram{text: text, tokens: pysource.Scan(text), n: len(labels), labels: labels,
		names: pysource.Names{}, values: map[string]int{}, spelled: map[int]string{}, strange: map[string]int{}}
	p.variables()
	p.calls()
	if p.prune(); len(p.graphs) == 0 {
		p.anywhere(graphs)
	}
	p.numbering()
	for _, g := range p.graphs {
		p.literals = append(p.literals, p.literal(g))
	}
	return p
}

func (p *pyProgram) op(i int, text string) bool {
	return i >= 0 && i < len(p.tokens) && p.tokens[i].Kind == pysource.Op && p.tokens[i].Text == text
}

func (p *pyProgram) name(i int) string {
	if i >= 0 && i < len(p.tokens) && p.tokens[i].Kind == pysource.Name {
		return p.tokens[i].Text
	}
	return ""
}

// starts reports whether a statement can begin at a token.
func (p *pyProgram) starts(i int) bool {
	return i == 0 || p.tokens[i-1].Kind == pysource.Newline || p.op(i-1, ":")
}

// variables notes what variables stand for that are assigned once and not changed.
func (p *pyProgram) variables() {
	times := map[string]int{}
	for i := range p.tokens {
		name := p.name(i)
		switch {
		case name == "":
		case name == "for":
			for k := i + 1; k < len(p.tokens) && p.name(k) != "in" && p.name(k) != "for" && p.tokens[k].Kind != pysource.Newline; k++ {
				times[p.name(k)] += 2
			}
		case p.op(i+1, ".") && changes[p.name(i+2)] && p.op(i+3, "("):
			times[name] += 2
		case p.op(i+1, "+=") || p.op(i+1, "|=") || p.op(i+1, "-=") || p.op(i+1, ":="):
			times[name] += 2
		case p.op(i+1, "=") && !p.op(i-1, "(") && !p.op(i-1, ","): // not the name of an argument
			times[name]++
		case p.starts(i):
			list := p.targets(i)
			for k := range list[:max(0, len(list)-1)] {
				times[p.name(list[k])]++
			}
		}
	}
	for i := range p.tokens {
		if !p.starts(i) || p.name(i) == "" {
			continue
		}
		if list := p.targets(i); list != nil {
			p.unpack(list, times)
			continue
		}
		name, at := p.name(i), p.assigned(i)
		if at < 0 || times[name] != 1 {
			continue
		}
		if l, _, ok := pysource.Read(p.tokens, at, p.names); ok && l.Open == 0 {
			p.names[name] = l
			continue
		}
		p.values[name] = at
	}
}

// assigned is the token behind the equals sign of an assignment to one variable,
// with or without a type, or -1.
func (p *pyProgram) assigned(i int) int {
	if p.op(i+1, "=") {
		return i + 2
	}
	if p.op(i+1, ":") && p.name(i) != "else" && p.name(i) != "try" {
		const most = 40 // tokens of a type
		for k := i + 2; k < min(i+most, len(p.tokens)) && p.tokens[k].Kind != pysource.Newline; k++ {
			if p.op(k, "=") {
				return k + 1
			}
		}
	}
	return -1
}

// targets is the tokens of an assignment to several names, a, b = ..., of which
// token i begins the statement: the names, then the first one of the value.
func (p *pyProgram) targets(i int) []int {
	var list []int
	for p.name(i) != "" {
		list = append(list, i)
		switch {
		case p.op(i+1, ","):
			i += 2
		case p.op(i+1, "=") && len(list) > 1:
			return append(list, i+2)
		default:
			return nil
		}
	}
	return nil
}

func (p *pyProgram) unpack(list []int, times map[string]int) {
	names, at := list[:len(list)-1], list[len(list)-1]
	var items []pysource.Literal
	if n, _, ok := p.ranged(at); ok && n == len(names) {
		for k := range n {
			items = append(items, pysource.Literal{Number: true, Int: k})
		}
	} else {
		for range names {
			l, next, ok := pysource.Read(p.tokens, at, p.names)
			if !ok {
				return
			}
			if l.Open != 0 && len(items) == 0 && !l.Dict {
				items = l.Items
				break
			}
			items = append(items, l)
			at = next + 1
		}
	}
	if len(items) != len(names) {
		return
	}
	for k, i := range names {
		if name := p.name(i); times[name] == 1 && items[k].Open == 0 {
			p.names[name] = items[k]
		}
	}
}

// ranged reads range(n), and gives its end in the text.
func (p *pyProgram) ranged(i int) (n, end int, ok bool) {
	if p.name(i) != "range" || !p.op(i+1, "(") {
		return 0, 0, false
	}
	l, next, ok := pysource.Read(p.tokens, i+2, p.names)
	if !ok || !l.Number || !p.op(next, ")") {
		return 0, 0, false
	}
	return l.Int, p.tokens[next].End, true
}

// value reads an expression: a literal, a variable that is one, or either in a
// function that keeps its elements.
func (p *pyProgram) value(i int) (pysource.Literal, bool) {
	for range len(wrapper) {
		if at, ok := p.values[p.name(i)]; ok && !p.op(i+1, "(") && !p.op(i+1, ".") && !p.op(i+1, "[") {
			i = at
		}
		k := i
		for p.name(k) != "" && p.op(k+1, ".") {
			k += 2
		}
		if !wrapper[p.name(k)] || !p.op(k+1, "(") {
			break
		}
		i = k + 2
	}
	l, _, ok := pysource.Read(p.tokens, i, p.names)
	return l, ok && l.Open != 0
}

// calls finds the graphs that are given to networkx.
func (p *pyProgram) calls() {
	current := map[string]*pyGraph{}
	graph := func(name string, anew bool) *pyGraph {
		g := current[name]
		if g == nil || anew && name != "" {
			g = &pyGraph{name: name}
			current[name] = g
			p.graphs = append(p.graphs, g)
		}
		return g
	}
	for i := range p.tokens {
		name := p.name(i)
		if name == "" || !p.op(i+1, "(") {
			continue
		}
		receiver := ""
		if p.op(i-1, ".") {
			receiver = p.name(i - 2)
		}
		switch {
		case makesGraph[name]:
			target := p.target(i)
			g := graph(target, true)
			if target == "" { // a graph of its own, without a name
				g = &pyGraph{}
				p.graphs = append(p.graphs, g)
			}
			p.take(g, i+2)
		case takesEdges[name] && receiver != "":
			p.take(graph(receiver, false), i+2)
		case (name == "append" || name == "add") && p.op(i-1, ".") && p.op(i-2, "]"):
			p.appended(graph, i)
		case name == "add_edge":
			p.edge(func() *pyGraph { return graph(receiver, false) }, i)
		case name == "add_nodes_from" && receiver != "":
			p.nodes(graph(receiver, false), i+2)
		}
	}
}

// target is the variable that the value of a statement is assigned to.
func (p *pyProgram) target(i int) string {
	for i >= 2 && p.op(i-1, ".") {
		i -= 2
	}
	if p.op(i-1, "=") {
		return p.name(i - 2)
	}
	return ""
}

func (p *pyProgram) take(g *pyGraph, i int) {
	l, ok := p.value(i)
	if !ok {
		return
	}
	for _, read := range []func(*pysource.Literal) (piece, bool){p.matrix, p.pairs, p.adjacency} {
		if x, ok := read(&l); ok {
			g.pieces = append(g.pieces, x)
			return
		}
	}
}

func span(l *pysource.Literal) source.Span { return source.Span{Start: l.Start, End: l.End} }

// pairs reads pairs of nodes, which may have attributes.
func (p *pyProgram) pairs(l *pysource.Literal) (piece, bool) {
	x := piece{span: span(l), form: pairList, open: l.Open, inner: '('}
	if l.Dict && len(l.Items) > 0 {
		return x, false
	}
	for k := range l.Items {
		e := &l.Items[k]
		if (e.Open != '(' && e.Open != '[') || len(e.Items) < 2 || len(e.Items) > 3 || e.Items[0].Open != 0 || e.Items[1].Open != 0 {
			return x, false
		}
		if k == 0 {
			x.inner = e.Open
			if len(e.Items) == 3 {
				x.rest = ", " + p.text[e.Items[2].Start:e.Items[2].End]
			}
		}
		x.edges = append(x.edges, pysource.Literal{Items: e.Items[:2]})
	}
	return x, true
}

// adjacency reads a dictionary from nodes to lists of nodes.
func (p *pyProgram) adjacency(l *pysource.Literal) (piece, bool) {
	x := piece{span: span(l), form: adjacency, inner: '['}
	if !l.Dict || len(l.Items) == 0 {
		return x, false
	}
	for k := range l.Items {
		from, to := &l.Items[k], &l.Values[k]
		if from.Open != 0 || to.Open == 0 {
			return x, false
		}
		if to.Dict && len(to.Items) > 0 {
			x.nested = p.text[to.Values[0].Start:to.Values[0].End]
		}
		if len(to.Items) > 0 || k == 0 && !to.Dict {
			x.inner = to.Open
		}
		for m := range to.Items {
			if to.Items[m].Open != 0 {
				return x, false
			}
			x.edges = append(x.edges, pysource.Literal{Items: []pysource.Literal{*from, to.Items[m]}})
		}
	}
	return x, true
}

// matrix reads a square of 0 and 1. Two rows are pairs of nodes.
func (p *pyProgram) matrix(l *pysource.Literal) (piece, bool) {
	x := piece{span: span(l), form: zeroOne, open: l.Open, inner: '[', stated: len(l.Items)}
	if l.Dict || len(l.Items) < 3 {
		return x, false
	}
	for i := range l.Items {
		row := &l.Items[i]
		if row.Open == 0 || row.Open == '{' || len(row.Items) != len(l.Items) {
			return x, false
		}
		x.inner = row.Open
		for j := range row.Items {
			e := &row.Items[j]
			if !e.Number || e.Int != 0 && e.Int != 1 {
				return x, false
			}
			x.boolean = p.text[e.Start] == 'T' || p.text[e.Start] == 'F'
			if e.Int == 1 {
				x.edges = append(x.edges, pysource.Literal{Items: []pysource.Literal{{Number: true, Int: i}, {Number: true, Int: j}}})
			}
		}
	}
	return x, true
}

// rows reads a list with the neighbours of each node.
func (p *pyProgram) rows(l *pysource.Literal) (piece, bool) {
	x := piece{span: span(l), form: rowList, open: l.Open, inner: '['}
	if l.Dict || l.Open == '{' || len(l.Items) != p.n {
		return x, false
	}
	for i := range l.Items {
		row := &l.Items[i]
		if row.Open == 0 || row.Dict && len(row.Items) > 0 {
			return x, false
		}
		if len(row.Items) > 0 || i == 0 && !row.Dict {
			x.inner = row.Open
		}
		for j := range row.Items {
			if row.Items[j].Open != 0 {
				return x, false
			}
			x.edges = append(x.edges, pysource.Literal{Items: []pysource.Literal{{Number: true, Int: i}, row.Items[j]}})
		}
	}
	return x, true
}

// lines reads edges from a text that a program splits: two nodes and what stands
// between them, again and again.
func (p *pyProgram) lines(t *pysource.Token) (piece, bool) {
	x := piece{span: source.Span{Start: t.Start, End: t.End}, form: textList}
	for _, x.between = range []string{"\n", ";", ", ", ",", " "} {
		items := strings.FieldsFunc(t.Value, func(r rune) bool { return r == '\n' })
		if x.between != "\n" {
			items = strings.Split(strings.TrimSpace(t.Value), x.between)
		}
		for _, x.arrow = range []string{" -> ", "->", ", ", ",", " ", "-", ":", ">"} {
			if x.edges = p.split(items, x.arrow); len(x.edges) > 1 {
				return x, true
			}
		}
	}
	return x, false
}

func (p *pyProgram) split(items []string, arrow string) []pysource.Literal {
	var edges []pysource.Literal
	for _, item := range items {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		from, to, ok := strings.Cut(item, arrow)
		if !ok {
			return nil
		}
		pair := []pysource.Literal{p.word(from), p.word(to)}
		if pair[0].Open != 0 || pair[1].Open != 0 {
			return nil
		}
		edges = append(edges, pysource.Literal{Items: pair})
	}
	return edges
}

// word is a node in a text; Open is not 0 when there is none.
func (p *pyProgram) word(s string) pysource.Literal {
	s = strings.TrimSpace(s)
	if p.label(s) >= 0 {
		return pysource.Literal{String: s}
	}
	if n, err := strconv.Atoi(s); err == nil && 0 <= n && n <= p.n {
		return pysource.Literal{Number: true, Int: n}
	}
	return pysource.Literal{Open: '('}
}

// appended reads adj[u].append(v), of which token i is the name of the method.
func (p *pyProgram) appended(graph func(string, bool) *pyGraph, i int) {
	const front = 5 // tokens before the name of the method
	if i < front {
		return
	}
	name := p.name(i - front)
	u, next, ok := pysource.Read(p.tokens, i-front+2, p.names)
	if name == "" || !p.starts(i-front) || !p.op(i-front+1, "[") || !ok || next != i-2 || u.Open != 0 {
		return
	}
	v, next, ok := pysource.Read(p.tokens, i+2, p.names)
	if !ok || v.Open != 0 || !p.op(next, ")") {
		return
	}
	x := piece{span: source.Span{Start: p.tokens[i-front].Start, End: p.tokens[next].End}, form: appendEdge,
		call: name + "[u]." + p.name(i) + "(v)", edges: []pysource.Literal{{Items: []pysource.Literal{u, v}}}}
	if p.plausible(&x) {
		g := graph(name, false)
		g.pieces = append(g.pieces, x)
	}
}

// edge reads G.add_edge(u, v), or add_edge(u, v), of which token i is the name. The
// graph may be one of the program's own.
func (p *pyProgram) edge(graph func() *pyGraph, i int) {
	u, next, ok := pysource.Read(p.tokens, i+2, p.names)
	if !ok || u.Open != 0 || !p.op(next, ",") {
		return
	}
	v, next, ok := pysource.Read(p.tokens, next+1, p.names)
	if !ok || v.Open != 0 {
		return
	}
	from := i
	for p.op(from-1, ".") && p.name(from-2) != "" {
		from -= 2
	}
	start := p.tokens[from].Start
	if p.op(from-1, ".") {
		return
	}
	depth := 0
	for ; next < len(p.tokens); next++ {
		switch {
		case p.op(next, "(") || p.op(next, "[") || p.op(next, "{"):
			depth++
		case depth > 0 && (p.op(next, ")") || p.op(next, "]") || p.op(next, "}")):
			depth--
		case p.op(next, ")"):
			g := graph()
			g.pieces = append(g.pieces, piece{span: source.Span{Start: start, End: p.tokens[next].End},
				form: singleEdge, call: p.text[start:p.tokens[i].End] + "(u, v)", edges: []pysource.Literal{{Items: []pysource.Literal{u, v}}}})
			return
		}
	}
}

// nodes reads what is given to add_nodes_from.
func (p *pyProgram) nodes(g *pyGraph, i int) {
	if n, end, ok := p.ranged(i); ok {
		g.pieces = append(g.pieces, piece{span: source.Span{Start: p.tokens[i].Start, End: end}, form: nodeList, stated: n, ranged: true})
		return
	}
	l, ok := p.value(i)
	if !ok || l.Dict {
		return
	}
	x := piece{span: span(&l), form: nodeList, open: l.Open, stated: len(l.Items)}
	for k := range l.Items {
		if l.Items[k].Open != 0 {
			return
		}
		x.edges = append(x.edges, pysource.Literal{Items: l.Items[k : k+1]})
	}
	g.pieces = append(g.pieces, x)
}

// prune leaves graphs without edges out, and pieces that another graph has too.
func (p *pyProgram) prune() {
	taken := map[int]bool{}
	for _, g := range p.graphs {
		g.pieces = slices.DeleteFunc(g.pieces, func(x piece) bool {
			twice := taken[x.span.Start]
			taken[x.span.Start] = true
			return twice
		})
	}
	p.graphs = slices.DeleteFunc(p.graphs, func(g *pyGraph) bool {
		return !slices.ContainsFunc(g.pieces, func(x piece) bool { return x.form != nodeList })
	})
}

// anywhere takes literals that have the form of a graph, wherever they stand. Of
// more than the question has graphs those with the most edges are taken.
func (p *pyProgram) anywhere(most int) {
	behind := 0
	for i := range p.tokens {
		if p.tokens[i].Start < behind || p.tokens[i].Kind != pysource.Op {
			continue
		}
		l, _, ok := pysource.Read(p.tokens, i, p.names)
		if !ok || l.Open == 0 {
			continue
		}
		behind = l.End
		g := &pyGraph{}
		for _, read := range []func(*pysource.Literal) (piece, bool){p.matrix, p.pairs, p.adjacency, p.rows} {
			if x, ok := read(&l); ok && len(x.edges) > 0 && p.plausible(&x) {
				g.pieces = append(g.pieces, x)
				p.graphs = append(p.graphs, g)
				break
			}
		}
	}
	// A text with edges may also be a comment on a graph that is there.
	for i := range p.tokens {
		if len(p.graphs) >= most || p.tokens[i].Kind != pysource.String {
			continue
		}
		if x, ok := p.lines(&p.tokens[i]); ok && p.plausible(&x) {
			p.graphs = append(p.graphs, &pyGraph{pieces: []piece{x}})
		}
	}
	if len(p.graphs) <= most {
		return
	}
	edges := func(g *pyGraph) int { return len(g.pieces[0].edges) }
	bySize := slices.Clone(p.graphs)
	slices.SortStableFunc(bySize, func(a, b *pyGraph) int { return edges(b) - edges(a) })
	p.graphs = slices.DeleteFunc(p.graphs, func(g *pyGraph) bool { return !slices.Contains(bySize[:most], g) })
}

// plausible reports whether all that would be nodes are.
func (p *pyProgram) plausible(x *piece) bool {
	for _, e := range x.edges {
		for k := range e.Items {
			if l := &e.Items[k]; l.Number && (l.Int < 0 || l.Int > p.n) || !l.Number && p.label(l.String) < 0 {
				return false
			}
		}
	}
	return true
}
