package category

import (
	"slices"

	"ein/bench/question/graph"
	"ein/bench/question/random"
)

// samples is how many possible questions about a graph are considered; for small graphs that is
// all of them.
const samples = 128

// patience bounds the search for a graph with a good question, in pairs of nodes drawn: now and
// then a poor question is accepted. That is ten thousand graphs of ten nodes, which are never
// needed, and one graph of a thousand, since large dense graphs are all strongly connected and
// nothing better would come.
const patience = 1_000_000

// poor decides by chance whether to accept a poor question about a graph of n nodes.
func poor(s *random.Stream, n int) bool { return s.Chance(max(n*(n-1), 1), patience) }

// ask returns the query about one node or two, or none.
func ask(source, target int) Query {
	return Query{Source: source, Target: target, Threshold: None, MinIn: None, MinOut: None}
}

// plant gives sparse graphs triangles too, up to one for every three nodes.
func plant(s *random.Stream, c *Case) { graph.PlantTriangles(s, &c.G, s.IntN(1+max(1, c.G.N/3))) }

// some returns the numbers 0..m-1 in random order, or many of them.
func some(s *random.Stream, m int) []int {
	if m <= samples {
		return s.Perm(m)
	}
	c := make([]int, samples)
	for i := range c {
		c[i] = s.IntN(m)
	}
	return c
}

// vary chooses one of m questions about a graph of n nodes, with more even answers than random
// questions would have: it draws one of the values that occur, then a question with that value.
// The dull value would be right too often (no nodes, none of them); it is drawn one time in six,
// and a graph with no other value is rejected. So are questions that are not ok.
func vary(s *random.Stream, n, m, dull int, value func(i int) (v int, ok bool)) (int, bool) {
	byValue := map[int][]int{}
	var values []int // in order of appearance: a map has no order
	for _, i := range some(s, m) {
		v, ok := value(i)
		if !ok {
			continue
		}
		if byValue[v] == nil {
			values = append(values, v)
		}
		byValue[v] = append(byValue[v], i)
	}
	at := slices.Index(values, dull)
	if at >= 0 {
		if len(values) == 1 {
			return byValue[dull][0], poor(s, n)
		}
		if s.Chance(1, 6) {
			return byValue[dull][0], true
		}
		values = slices.Delete(values, at, at+1)
	}
	if len(values) == 0 {
		return 0, false
	}
	return byValue[values[s.IntN(len(values))]][0], true
}

// pair returns the i-th ordered pair of different nodes.
func pair(n, i int) (x, y int) {
	x, y = i/(n-1), i%(n-1)
	if y >= x {
		y++
	}
	return x, y
}

// pairs returns the number of ordered pairs of different nodes.
func pairs(n int) int { return n * (n - 1) }

// drawNode asks about a node, as vary chooses it.
func drawNode(dull int, value func(f *graph.Facts, x int) (v int, ok bool)) func(*random.Stream, *Case) bool {
	return func(s *random.Stream, c *Case) bool {
		f := c.G.Facts()
		x, ok := vary(s, c.G.N, c.G.N, dull, func(x int) (int, bool) { return value(f, x) })
		c.Query = ask(x, None)
		return ok
	}
}

// drawSize asks about a node, by the size of a set that it has.
func drawSize(dull int, of func(f *graph.Facts, x int) graph.Set) func(*random.Stream, *Case) bool {
	return drawNode(dull, func(f *graph.Facts, x int) (int, bool) { return of(f, x).Len(), true })
}

// drawSets asks about two nodes, by how much is kept of what the first reaches.
func drawSets(kept func(fromY graph.Set, y, z int) bool) func(*random.Stream, *Case) bool {
	return func(s *random.Stream, c *Case) bool {
		n, reach := c.G.N, reacher(c.G.Facts())
		i, ok := vary(s, n, pairs(n), 0, func(i int) (int, bool) {
			x, y := pair(n, i)
			fromY := reach(y)
			return count(reach(x), func(z int) bool { return kept(fromY, y, z) }), true
		})
		if ok {
			c.Query = ask(pair(n, i))
		}
		return ok
	}
}

// drawPath asks about two nodes, of which the first reaches the second with chance num/den.
func drawPath(num, den int) func(*random.Stream, *Case) bool {
	return either(num, den, (*graph.Facts).Reach)
}

// either asks a yes-or-no question about two nodes: first it chooses a node for which both answers
// are possible, so that neither it nor the graph gives the answer away and redraws favour none;
// then the answer, yes with chance num/den; then the second node. Inlined it would be in the binary once
// for each category.
//
//go:noinline
func either(num, den int, yes func(f *graph.Facts, x int) graph.Set) func(*random.Stream, *Case) bool {
	return func(s *random.Stream, c *Case) bool {
		f, n := c.G.Facts(), c.G.N
		for _, x := range some(s, n) {
			var answer [2][]int
			for y, is := range yes(f, x) {
				switch {
				case y == x:
				case is:
					answer[1] = append(answer[1], y)
				default:
					answer[0] = append(answer[0], y)
				}
			}
			if len(answer[0]) > 0 && len(answer[1]) > 0 {
				ys := answer[0]
				if s.Chance(num, den) {
					ys = answer[1]
				}
				c.Query = ask(x, ys[s.IntN(len(ys))])
				return true
			}
		}
		if n < 2 || !poor(s, n) {
			return false
		}
		c.Query = ask(pair(n, s.IntN(pairs(n))))
		return true
	}
}

// reacher remembers what nodes reach.
func reacher(f *graph.Facts) func(x int) graph.Set {
	known := map[int]graph.Set{}
	return func(x int) graph.Set {
		if known[x] == nil {
			known[x] = f.Reach(x)
		}
		return known[x]
	}
}

// count returns the number of nodes of a set with a property.
func count(set graph.Set, has func(y int) bool) int {
	n := 0
	for y, in := range set {
		if in && has(y) {
			n++
		}
	}
	return n
}

// mean returns the mean out-degree over a set, in millionths, which is enough to tell means apart.
func mean(f *graph.Facts, set graph.Set) int {
	sum := 0
	for y, in := range set {
		if in {
			sum += f.OutDegree(y)
		}
	}
	return sum * 1_000_000 / set.Len()
}

// largest returns the largest degree of n nodes.
func largest(n int, degree func(x int) int) int {
	most := 0
	for x := range n {
		most = max(most, degree(x))
	}
	return most
}
