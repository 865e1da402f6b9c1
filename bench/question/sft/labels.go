package sft

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ein/bench/question/instance"
	"ein/lang"
	"ein/lang/syntax"
)

// ofNodes is the functions whose arguments, behind the first, are nodes.
var ofNodes = []string{"desc", "reach", "anc", "has_path", "dist", "path", "parents", "children", "siblings", "cousins", "node", "select", "wdist", "wpath"}

// Anchors is the numbers in an Ein program that stand for nodes, those of its graphs
// aside: arguments of functions, and positions in brackets.
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

// labelled is the Ein program of an instance with the labels of nodes in place of their
// numbers, so that nothing has to be looked up to write it. The graph has the edges in the
// order of the program.
func labelled(in *instance.Instance) (string, error) {
	f := lang.Parse(in.ID, in.EinProgram, lang.Options{})
	if f.Diags.HasErrors() {
		return "", fmt.Errorf("%s: the Ein program: %s", in.ID, f.Diags.First().Message)
	}
	type edit struct {
		start, end int
		text       string
	}
	var edits []edit
	label := func(n *syntax.Number) error {
		i := int(n.Value)
		if float64(i) != n.Value || i >= len(in.Nodes) {
			return fmt.Errorf("%s: %s in the Ein program is no node", in.ID, n.Text)
		}
		edits = append(edits, edit{n.Span.Start, n.Span.End, strconv.Quote(in.Nodes[i])})
		return nil
	}
	for _, n := range Anchors(f) {
		if err := label(n); err != nil {
			return "", err
		}
	}
	for _, s := range f.Stmts {
		var failed error
		syntax.WalkAll(s, func(node syntax.Node) bool {
			x, ok := node.(*syntax.Call)
			if !ok || x.Fun.Name != "edges" {
				return true
			}
			pairs, _ := x.Args[0].Value.(*syntax.List)
			for _, pair := range pairs.All() {
				ends, _ := pair.(*syntax.List)
				for _, e := range ends.All() {
					if n, ok := e.(*syntax.Number); ok && failed == nil {
						failed = label(n)
					}
				}
			}
			return false
		})
		if failed != nil {
			return "", failed
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(in.EinProgram[at:e.start] + e.text)
		at = e.end
	}
	return b.String() + in.EinProgram[at:], nil
}
