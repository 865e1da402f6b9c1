package category

import (
	"fmt"
	"iter"
	"slices"
)

// Decoy is a simple solver that skips what a question tests, and may be right all the same.
type Decoy struct {
	Name string
	Out  func(w *World) Out
}

// number returns a decoy that gives a number.
func number(name string, f func(w *World) int) Decoy {
	return Decoy{name, func(w *World) Out { return Out{Num: f(w)} }}
}

// The decoys of every category that asks about a node, or about two.
var (
	sourceDecoys = []Decoy{
		number("out-degree of X", func(w *World) int { return w.out(w.Query.Source) }),
		number("in-degree of X", func(w *World) int { return w.in(w.Query.Source) }),
	}
	targetDecoys = []Decoy{
		number("out-degree of Y", func(w *World) int { return w.out(w.Query.Target) }),
		number("in-degree of Y", func(w *World) int { return w.in(w.Query.Target) }),
		number("Y has an incoming edge", func(w *World) int { return min(1, w.in(w.Query.Target)) }),
		number("edge from X to Y", func(w *World) int { return is(w.A.Out[w.Query.Source].Has(w.Query.Target)).Num }),
		number("edge from Y to X", func(w *World) int { return is(w.A.Out[w.Query.Target].Has(w.Query.Source)).Num }),
	}
	graphDecoys = []Decoy{
		number("edges", func(w *World) int { return len(w.A.Arcs) + len(w.B.Arcs) }),
		number("nodes", func(w *World) int { return w.A.N }),
	}
)

// Guess is what a decoy says about a case.
type Guess struct {
	Decoy string
	Out
}

// Solve returns the answer by the solver of the category, the number of operations that it
// composes, and the hops that its searches need.
func (cat *Category) Solve(w *World) (out Out, operations, depth int) {
	out = w.run(cat.Solver, Cut{Op: None})
	operations, depth = len(w.ops), w.Depth
	if !cat.Hops {
		depth = 0
	}
	return out, operations, depth
}

// Guesses returns the answers of all decoys: the declared ones, and the solver with each possible cut.
func (cat *Category) Guesses(w *World) []Guess {
	decoys := slices.Clone(graphDecoys)
	if w.Query.Source != None {
		decoys = append(decoys, sourceDecoys...)
	}
	if w.Query.Target != None {
		decoys = append(decoys, targetDecoys...)
	}
	var out []Guess
	for _, d := range append(decoys, cat.Decoys...) {
		out = append(out, Guess{d.Name, d.Out(w)})
	}
	w.run(cat.Solver, Cut{Op: None})
	ops := slices.Clone(w.ops)
	for c := range cuts(ops, w.A.Directed) {
		out = append(out, Guess{cutName(ops, c), w.run(cat.Solver, c)})
	}
	return out
}

// cuts returns every possible cut of a list of operations, with its operation.
func cuts(ops []kind, directed bool) iter.Seq2[Cut, kind] {
	return func(yield func(Cut, kind) bool) {
		for i, k := range ops {
			for _, how := range kinds[k].hows {
				if (directed || how != Reversed) && !yield(Cut{i, how}, k) {
					return
				}
			}
		}
	}
}

// cutName returns a name such as "reach 2, one hop", without the number if there is only one such
// operation.
func cutName(ops []kind, c Cut) string {
	k, at, all := ops[c.Op], 0, 0
	for i, other := range ops {
		if other == k {
			all++
			if i <= c.Op {
				at++
			}
		}
	}
	if all == 1 {
		return fmt.Sprintf("%s, %s", kinds[k].name, c.How)
	}
	return fmt.Sprintf("%s %d, %s", kinds[k].name, at, c.How)
}
