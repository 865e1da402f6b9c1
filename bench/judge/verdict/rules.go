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

// rulesGraphs finds the graphs in a program of rules: of the relations of two columns
// whose facts name nodes, as many as the question has graphs, those with the most facts.
// One column of three facts or more lists the nodes.
func rulesGraphs(program string, q *Question) wrote {
	f := parse(program)
	node := func(x syntax.Expr) int {
		name := ""
		switch x := x.(type) {
		case *syntax.String:
			name = x.Value
		case *syntax.Name:
			name = x.Name
		case *syntax.Number:
			if i := int(x.Value); float64(i) == x.Value && i < len(q.Labels) && !slices.Contains(q.Labels, x.Text) {
				return i
			}
			name = x.Text
		}
		return slices.Index(q.Labels, name)
	}
	relations := facts(f, node)
	most := func(width, count, least int) (list []*rows) {
		for _, r := range relations {
			if r.width == width && len(r.nodes) >= least {
				list = append(list, r)
			}
		}
		slices.SortStableFunc(list, func(a, b *rows) int { return cmp.Compare(len(b.spans), len(a.spans)) })
		list = list[:min(len(list), count)]
		slices.SortFunc(list, func(a, b *rows) int { return a.spans[0].Start - b.spans[0].Start })
		return list
	}
	graphs, all := most(2, len(truths(&q.Case)), 1), most(1, 1, 3)
	w := wrote{}
	stated := computed
	for _, r := range all {
		stated = len(lists.Set(lists.Map(r.nodes, func(row []int) int { return row[0] })))
	}
	for _, r := range graphs {
		l := literal{span: r.spans[0], name: r.name, nodes: stated, line: 1 + strings.Count(program[:r.spans[0].Start], "\n")}
		for _, row := range r.nodes {
			l.edges = append(l.edges, Edge(row))
		}
		l.edges = arcsOf(l.edges)
		w.graphs = append(w.graphs, l)
	}
	numbered := false // the program has numbers for labels
	for _, s := range f.Stmts {
		if head, ok := fact(s); ok && len(head.Args) > 0 {
			_, number := head.Args[0].Value.(*syntax.Number)
			numbered = numbered || number
		}
	}
	named := func(x int) string {
		if numbered {
			return strconv.Itoa(x)
		}
		return strconv.Quote(q.Labels[x])
	}
	w.with = func(with []arcs) string {
		var edits []edit
		put := func(r *rows, text string) {
			for i, span := range r.spans {
				if i > 0 {
					text = ""
				}
				edits = append(edits, edit{span, text})
			}
		}
		for k, r := range graphs {
			// It is a relation of nodes, also if there are no edges.
			text := fmt.Sprintf("%s(%s, %[2]s) <- 0 > 1.", r.name, named(0))
			for _, e := range with[k] {
				text += fmt.Sprintf(" %s(%s, %s).", r.name, named(e[0]), named(e[1]))
			}
			put(r, text)
		}
		for _, r := range all {
			text := ""
			for x := range q.Labels {
				text += fmt.Sprintf("%s(%s). ", r.name, named(x))
			}
			put(r, text)
		}
		return rewrite(program, edits)
	}
	w.asking = func(query *category.Query) iter.Seq[string] {
		at := map[int]int{} // a node is the same wherever it is named
		var places []anchor
		for _, s := range f.Stmts {
			if name, ok := fact(s); ok && slices.ContainsFunc(append(graphs, all...), func(r *rows) bool { return r.name == name.Fun.Name }) {
				continue
			}
			syntax.Walk(s, func(n syntax.Node) bool {
				x, _ := n.(syntax.Expr)
				if _, number := x.(*syntax.Number); number {
					return false // it may be a threshold
				}
				if k := node(x); k >= 0 {
					if _, there := at[k]; !there {
						at[k] = len(places)
						places = append(places, anchor{node: k})
					}
					places[at[k]].spans = append(places[at[k]].spans, x.Pos())
				}
				return true
			})
		}
		return asking(program, places, named, query)
	}
	return w
}

// fact returns the head of a statement that is a fact.
func fact(s syntax.Stmt) (*syntax.Call, bool) {
	if r, ok := s.(*syntax.Rule); ok && r.Value == nil && len(r.Body) == 0 {
		head, ok := r.Head.(*syntax.Call)
		return head, ok
	}
	return nil, false
}

// facts returns the facts of each relation, in the order of the program.
func facts(f *syntax.File, node func(syntax.Expr) int) (list []*rows) {
	for _, s := range f.Stmts {
		head, ok := fact(s)
		if !ok {
			continue
		}
		at := slices.IndexFunc(list, func(r *rows) bool { return r.name == head.Fun.Name })
		if at < 0 {
			at = len(list)
			list = append(list, &rows{name: head.Fun.Name, width: len(head.Args)})
		}
		var row []int
		for _, a := range head.Args {
			if x := node(a.Value); x >= 0 {
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
