package model

import (
	"math"
	"slices"
	"sort"

	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/bench/question/instance"
	"ein/bench/question/random"
	"ein/lang/check"
)

// misreading returns the answer of a reader that misreads edges and then computes correctly: the
// category's programs on the graph as it was read, and the output of the Ein program. A program
// that does not run there gives no answer.
func misreading(in *instance.Instance, rate float64, s *random.Stream) (said, error) {
	c, err := in.Case()
	if err != nil {
		return said{}, err
	}
	cat, err := instance.Category(in.Category)
	if err != nil {
		return said{}, err
	}
	misread(&c.G, rate, s)
	misread(&c.G2, rate, s)
	out := said{ein: cat.Ein(&c), python: cat.Python(&c), rules: cat.Facts(&c, in.Nodes)}
	if v, err := instance.Run(check.Core, out.ein, category.Result(in.ResultType), in.Nodes); err == nil {
		out.answer = v.JSON(in.Nodes)
	}
	return out, nil
}

// misread changes each edge with a probability: it drops or reverses the edge, or moves its end to
// another node. Undirected edges are not reversed.
func misread(g *graph.Graph, rate float64, s *random.Stream) {
	limit := uint64(math.Round(rate * (1 << 53)))
	was := g.Edges
	g.Edges = make([]graph.Edge, 0, len(was))
	for _, e := range was {
		if s.Uint64()>>11 < limit {
			kinds := 3
			if !g.Directed {
				kinds = 2
			}
			switch s.IntN(kinds) {
			case 0:
				continue
			case 1:
				to := s.IntN(g.N)
				if to == e.From || to == e.To {
					continue // there is no edge to move it to, so it is dropped
				}
				e.To = to
			case 2:
				e.From, e.To = e.To, e.From
			}
			if !g.Directed && e.From > e.To {
				e.From, e.To = e.To, e.From
			}
		}
		g.Edges = append(g.Edges, e)
	}
	sort.Sort(graph.Edges(g.Edges))
	g.Edges = slices.Compact(g.Edges)
}
