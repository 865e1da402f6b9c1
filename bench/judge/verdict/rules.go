package verdict

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"ein/bench/question/category"
	"ein/internal/lists"
	"ein/lang/source"
	"ein/lang/syntax"
)

// rows holds the facts of one relation, as nodes.
type rows struct {
	name  string
	width int
	spans []source.Span
	nodes [][]int // of the facts that name nodes only
}

// ruled is a program of rules about the graphs of a question.
type ruled struct {
	text     string
	file     *syntax.File
	labels   []string
	numbered bool    // it has numbers for labels
	graphs   []*rows // the edges of each graph
	all      []*rows // the nodes, in one relation, if any
}

// rulesGraphs finds the graphs in a program of rules: of the relations of two columns
// whose facts name nodes, as many as the question has graphs, those with the most facts.
// One column of three facts or more lists the nodes.
func rulesGraphs(program string, q *Question) wrote {
	p := &ruled{text: program, file: parse(program), labels: q.Labels}
	relations := p.facts()
	p.graphs, p.all = richest(relations, 2, len(truths(&q.Case)), 1), richest(relations, 1, 1, 3)
	w := wrote{with: p.with, asking: p.asking}
	stated := computed
	for _, r := range p.all {
		stated = len(lists.Set(lists.Map(r.nodes, func(row []int) int { return row[0] })))
	}
	for _, r := range p.graphs {
		edges := arcsOf(lists.Map(r.nodes, func(row []int) Edge { return Edge(row) }))
		line := 1 + strings.Count(program[:r.spans[0].Start], "\n")
		w.graphs = append(w.graphs, literal{span: r.spans[0], name: r.name, nodes: stated, line: line, edges: edges})
	}
	return w
}

// richest returns at most count relations of a width with the most facts, of which least or more name
// nodes only, in the order of the program.
func richest(relations []*rows, width, count, least int) []*rows {
	list := slices.DeleteFunc(slices.Clone(relations), func(r *rows) bool { return r.width != width || len(r.nodes) < least })
	slices.SortStableFunc(list, func(a, b *rows) int { return cmp.Compare(len(b.spans), len(a.spans)) })
	list = list[:min(len(list), count)]
	slices.SortFunc(list, func(a, b *rows) int { return a.spans[0].Start - b.spans[0].Start })
	return list
}

// node is the node that an expression names, or -1.
func (p *ruled) node(x syntax.Expr) int {
	name := ""
	switch x := x.(type) {
	case *syntax.String:
		name = x.Value
	case *syntax.Name:
		name = x.Name
	case *syntax.Number:
		if i := int(x.Value); float64(i) == x.Value && i < len(p.labels) && !slices.Contains(p.labels, x.Text) {
			return i
		}
		name = x.Text
	}
	return slices.Index(p.labels, name)
}

// named writes a node as the program does.
func (p *ruled) named(x int) string {
	if p.numbered {
		return strconv.Itoa(x)
	}
	return strconv.Quote(p.labels[x])
}

// with returns the program with other edges, and all nodes.
func (p *ruled) with(with []arcs) string {
	var edits []edit
	put := func(r *rows, text string) {
		for _, span := range r.spans {
			edits = append(edits, edit{span, text})
			text = ""
		}
	}
	for k, r := range p.graphs {
		// It is a relation of nodes, also if there are no edges.
		text := fmt.Sprintf("%s(%s, %[2]s) <- 0 > 1.", r.name, p.named(0))
		for _, e := range with[k] {
			text += fmt.Sprintf(" %s(%s, %s).", r.name, p.named(e[0]), p.named(e[1]))
		}
		put(r, text)
	}
	for _, r := range p.all {
		text := ""
		for x := range p.labels {
			text += fmt.Sprintf("%s(%s). ", r.name, p.named(x))
		}
		put(r, text)
	}
	return rewrite(p.text, edits)
}

// asking returns the program with the nodes that a question asks about.
func (p *ruled) asking(query *category.Query) iter.Seq[string] {
	at := map[int]int{} // a node is the same wherever it is named
	var places []anchor
	see := func(n syntax.Node) bool {
		x, _ := n.(syntax.Expr)
		if _, number := x.(*syntax.Number); number {
			return false // it may be a threshold
		}
		if k := p.node(x); k >= 0 {
			if _, there := at[k]; !there {
				at[k] = len(places)
				places = append(places, anchor{node: k})
			}
			places[at[k]].spans = append(places[at[k]].spans, x.Pos())
		}
		return true
	}
	read := slices.Concat(p.graphs, p.all)
	for _, s := range p.file.Stmts {
		if head, ok := fact(s); !ok || !slices.ContainsFunc(read, func(r *rows) bool { return r.name == head.Fun.Name }) {
			syntax.Walk(s, see)
		}
	}
	return asking(p.text, places, p.named, query)
}

// fact returns the head of a statement that is a fact.
func fact(s syntax.Stmt) (*syntax.Call, bool) {
	if r, ok := s.(*syntax.Rule); ok && r.Value == nil && len(r.Body) == 0 {
		head, ok := r.Head.(*syntax.Call)
		return head, ok
	}
	return nil, false
}

// facts returns the facts of each relation, in the order of the program, and finds whether it is numbered.
func (p *ruled) facts() (list []*rows) {
	for _, s := range p.file.Stmts {
		head, ok := fact(s)
		if !ok {
			continue
		}
		if len(head.Args) > 0 {
			_, number := head.Args[0].Value.(*syntax.Number)
			p.numbered = p.numbered || number
		}
		at := slices.IndexFunc(list, func(r *rows) bool { return r.name == head.Fun.Name })
		if at < 0 {
			at = len(list)
			list = append(list, &rows{name: head.Fun.Name, width: len(head.Args)})
		}
		var row []int
		for _, a := range head.Args {
			if x := p.node(a.Value); x >= 0 {
				row = append(row, x)
			}
		}
		if r := list[at]; len(head.Args) == r.width {
			r.spans = append(r.spans, s.Pos())
			if len(row) == r.width {
				r.nodes = append(r.nodes, row)
			}
		}
	}
	return list
}
