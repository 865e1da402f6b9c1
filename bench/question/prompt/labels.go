package prompt

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ein/bench/question/instance"
	"ein/bench/question/surface"
	"ein/lang"
	"ein/lang/diag"
	"ein/lang/syntax"
)

// ofNodes lists the functions whose arguments after the first are nodes.
var ofNodes = []string{"desc", "reach", "anc", "has_path", "dist", "path", "parents", "children", "siblings", "cousins", "node", "select", "wdist", "wpath"}

// Anchors returns the numbers in an Ein program that stand for nodes, except those in its graphs:
// arguments of functions, and positions in brackets.
func Anchors(f *syntax.File) (list []*syntax.Number) {
	take := func(x syntax.Expr) {
		if n, ok := x.(*syntax.Number); ok {
			list = append(list, n)
		}
	}
	for _, s := range f.Stmts {
		syntax.WalkAll(s, func(node syntax.Node) bool {
			switch x := node.(type) {
			case *syntax.Call:
				if slices.Contains(ofNodes, x.Fun.Name) {
					for _, a := range x.Args[min(1, len(x.Args)):] {
						take(a.Value)
					}
				}
			case *syntax.Index:
				for _, i := range x.Indices {
					take(i)
				}
			}
			return true
		})
	}
	return list
}

// labelled returns the Ein program of an instance with the labels of nodes in place of their
// numbers, so that nothing has to be looked up to write it. Where the question lists its
// edges as JSON, the program has them in that order, so that its graph is a copy; where it
// has a matrix, whose edges are places, the graph keeps its numbers.
func labelled(in *instance.Instance) (string, error) {
	id, err := instance.ParseID(in.ID)
	if err != nil {
		return "", err
	}
	f := lang.Parse(in.ID, in.EinProgram, lang.Options{})
	if f.Diags.HasErrors() {
		return "", fmt.Errorf("%s: the Ein program: %s", in.ID, f.Diags.First().Message)
	}
	var edits []diag.Edit
	put := func(at, node *syntax.Number) error {
		i := int(node.Value)
		if float64(i) != node.Value || i >= len(in.Nodes) {
			return fmt.Errorf("%s: %s in the Ein program is not a node", in.ID, node.Text)
		}
		edits = append(edits, diag.Edit{Span: at.Span, NewText: strconv.Quote(in.Nodes[i])})
		return nil
	}
	for _, n := range Anchors(f) {
		if err := put(n, n); err != nil {
			return "", err
		}
	}
	graphs := 0
	for _, s := range f.Stmts {
		var failed error
		syntax.WalkAll(s, func(node syntax.Node) bool {
			x, ok := node.(*syntax.Call)
			if !ok || x.Fun.Name != "edges" || failed != nil || id.Encoding == surface.Matrix {
				return failed == nil
			}
			graphs++
			var told []*[2]*syntax.Number
			pairs, _ := x.Args[0].Value.(*syntax.List)
			for _, pair := range pairs.All() {
				both, _ := pair.(*syntax.List)
				edge := new([2]*syntax.Number)
				for i, e := range both.All() {
					edge[i], _ = e.(*syntax.Number)
				}
				told = append(told, edge)
			}
			place := listed(in, graphs)
			for i, edge := range slices.SortedStableFunc(slices.Values(told), func(a, b *[2]*syntax.Number) int { return place(a) - place(b) }) {
				if failed = errors.Join(put(told[i][0], edge[0]), put(told[i][1], edge[1])); failed != nil {
					break
				}
			}
			return false
		})
		if failed != nil {
			return "", failed
		}
	}
	return diag.Apply(in.EinProgram, edits), nil
}

// listed returns the position of an edge in the JSON object of a question, or 0 if it has none:
// that has each undirected edge in one direction. Graphs count from 1.
func listed(in *instance.Instance, graph int) func(edge *[2]*syntax.Number) int {
	var object struct{ Edges, Edges2 [][2]string }
	at := strings.IndexByte(in.Question, '{')
	if at < 0 || json.NewDecoder(strings.NewReader(in.Question[at:])).Decode(&object) != nil {
		return func(*[2]*syntax.Number) int { return 0 }
	}
	list := object.Edges
	if graph == 2 {
		list = object.Edges2
	}
	place := map[[2]int]int{}
	for i, e := range list {
		place[[2]int{slices.Index(in.Nodes, e[0]), slices.Index(in.Nodes, e[1])}] = i
	}
	return func(edge *[2]*syntax.Number) int {
		from, to := int(edge[0].Value), int(edge[1].Value)
		if i, ok := place[[2]int{from, to}]; ok {
			return i
		}
		return place[[2]int{to, from}]
	}
}
