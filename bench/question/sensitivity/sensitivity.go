// Package sensitivity measures how much the answer of a question depends on reading its
// graph correctly: the share of single edge drops, additions and reversals that change it.
//
// A question with low sensitivity can be answered correctly from a misread graph; one
// with high sensitivity turns misreading into a wrong answer. Accuracies of questions
// that differ in sensitivity are therefore not directly comparable.
package sensitivity

import (
	"fmt"
	"slices"
	"strconv"

	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/bench/question/instance"
	"ein/bench/question/random"
	"ein/internal/lists"
)

// Up to exhaustive nodes all edits are tried; beyond, a sample of that many, or all
// where there are no more.
const (
	exhaustive = 10
	sample     = 200
)

// MaxNodes is the most nodes of an instance whose sensitivity can be told.
const MaxNodes = graph.MaxNet

// Edits counts single edits of one kind, and those that change the answer.
type Edits struct {
	Tried   int `json:"tried"`
	Changed int `json:"changed"`
}

// Result is the sensitivity of an instance.
type Result struct {
	ID        string  `json:"id"`
	Share     float64 `json:"sensitivity"`
	Drops     Edits   `json:"drops"`
	Additions Edits   `json:"additions"`
	Reversals Edits   `json:"reversals"`
	Sampled   bool    `json:"sampled"`
}

// edit is a drop, an addition, or, as both, a reversal, in one of the graphs. A loop is
// no edge.
type edit struct {
	second    bool
	drop, add graph.Edge
}

// none stands for no edge.
var none graph.Edge

// Of tries the edits of an instance. An edit after which the question has no answer,
// or several, changes it. A reversal whose result is there already is a drop, and is
// not counted twice. The sample depends on the structure of the instance alone.
func Of(in *instance.Instance) (*Result, error) {
	cat, err := instance.Category(in.Category)
	if err != nil {
		return nil, err
	}
	if in.N > MaxNodes {
		return nil, fmt.Errorf("%s has %d nodes; the sensitivity is only known up to %d", in.ID, in.N, MaxNodes)
	}
	c, err := in.Case()
	if err != nil {
		return nil, err
	}
	r := &Result{ID: in.ID}
	all := edits(&c)
	if in.N > exhaustive && len(all) > sample {
		s := random.New(random.Key("sensitivity", in.Version, in.Category, strconv.FormatUint(in.StructuralSeed, 10)))
		s.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all, r.Sampled = all[:sample], true
	}
	w := &category.World{}
	w.Load(&c)
	right, _, _ := cat.Solve(w)
	for _, e := range all {
		edited := c
		if e.second {
			edited.G2 = e.of(&c.G2)
		} else {
			edited.G = e.of(&c.G)
		}
		w.Load(&edited)
		out, _, _ := cat.Solve(w)
		kind := &r.Reversals
		if e.add == none {
			kind = &r.Drops
		} else if e.drop == none {
			kind = &r.Additions
		}
		kind.Tried++
		if out != right || w.Bad {
			kind.Changed++
		}
	}
	if len(all) > 0 {
		r.Share = float64(r.Drops.Changed+r.Additions.Changed+r.Reversals.Changed) / float64(len(all))
	}
	return r, nil
}

// edits lists all edits of one edge, in order.
func edits(c *category.Case) []edit {
	var list []edit
	for i, g := range []*graph.Graph{&c.G, &c.G2} {
		there := lists.Set(g.Edges)
		for x := range g.N {
			for y := range g.N {
				if x == y || !g.Directed && x > y {
					continue
				}
				e, back := graph.Edge{From: x, To: y}, graph.Edge{From: y, To: x}
				if !there[e] {
					list = append(list, edit{i > 0, none, e})
					continue
				}
				list = append(list, edit{i > 0, e, none})
				if g.Directed && !there[back] {
					list = append(list, edit{i > 0, e, back})
				}
			}
		}
	}
	return list
}

// of returns a graph after the edit.
func (e edit) of(g *graph.Graph) graph.Graph {
	edges := slices.DeleteFunc(slices.Clone(g.Edges), func(x graph.Edge) bool { return x == e.drop })
	if e.add != none {
		edges = append(edges, e.add)
	}
	return graph.Graph{N: g.N, Directed: g.Directed, Edges: edges}
}
