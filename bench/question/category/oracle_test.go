package category_test

import "ein/bench/question/category"

// The oracle answers by the definitions: matrices, loops, and counting in
// triples, whatever it costs. It shares no code with anything that is tested.

type matrix [][]bool

func square(n int) matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = make([]bool, n)
	}
	return m
}

type oracle struct {
	n    int
	a, b matrix // adjacency
	p, q matrix // paths of at least one edge
}

func newOracle(c *category.Case) *oracle {
	o := &oracle{n: c.G.N, a: square(c.G.N), b: square(c.G.N)}
	for _, e := range c.G.Edges {
		o.a[e.From][e.To] = true
		if !c.G.Directed {
			o.a[e.To][e.From] = true
		}
	}
	for _, e := range c.G2.Edges {
		o.b[e.From][e.To] = true
	}
	o.p, o.q = paths(o.a), paths(o.b)
	return o
}

// paths adds up the powers of a matrix.
func paths(a matrix) matrix {
	n := len(a)
	sum, power := square(n), a
	for range n {
		next := square(n)
		for i := range n {
			for j := range n {
				sum[i][j] = sum[i][j] || power[i][j]
				for k := range n {
					next[i][j] = next[i][j] || power[i][k] && a[k][j]
				}
			}
		}
		power = next
	}
	return sum
}

// where returns the nodes with a property, in order, never nil.
func (o *oracle) where(has func(y int) bool) []int {
	list := []int{}
	for y := range o.n {
		if has(y) {
			list = append(list, y)
		}
	}
	return list
}

func (o *oracle) exists(has func(y int) bool) bool { return len(o.where(has)) > 0 }

func (o *oracle) out(x int) int { return len(o.where(func(y int) bool { return o.a[x][y] })) }
func (o *oracle) in(x int) int  { return len(o.where(func(y int) bool { return o.a[y][x] })) }

func (o *oracle) reached(x int) []int {
	return o.where(func(y int) bool { return y != x && o.p[x][y] })
}

func (o *oracle) component(x int) []int {
	return o.where(func(y int) bool { return y == x || o.p[x][y] && o.p[y][x] })
}

func (o *oracle) aggregate(how string, of []int) float64 {
	sum, most := 0, 0
	for _, x := range of {
		sum += o.out(x)
		most = max(most, o.out(x))
	}
	switch how {
	case category.Maximum:
		return float64(most)
	case category.Sum:
		return float64(sum)
	}
	return float64(sum) / float64(len(of))
}

func (o *oracle) triangles(in func(x int) bool) int {
	count := 0
	for i := range o.n {
		for j := range i {
			for k := range j {
				if in(i) && in(j) && in(k) && o.a[i][j] && o.a[j][k] && o.a[k][i] {
					count++
				}
			}
		}
	}
	return count
}

// related reports whether y is the relation of x: a parent of x, say.
func (o *oracle) related(relation string, x, y int) bool {
	switch relation {
	case "parent":
		return o.a[y][x]
	case "child":
		return o.a[x][y]
	case "sibling":
		return x != y && o.exists(func(p int) bool { return o.a[p][x] && o.a[p][y] })
	case "grandparent":
		return o.exists(func(p int) bool { return o.a[y][p] && o.a[p][x] })
	case "grandchild":
		return o.exists(func(c int) bool { return o.a[x][c] && o.a[c][y] })
	case "cousin":
		return x != y && !o.related("sibling", x, y) &&
			o.exists(func(g int) bool { return o.related("grandparent", x, g) && o.related("grandparent", y, g) })
	}
	panic(relation)
}

// chained reports whether steps lead from x to y.
func (o *oracle) chained(steps []string, x, y int) bool {
	if len(steps) == 0 {
		return x == y
	}
	return o.exists(func(z int) bool { return o.related(steps[0], x, z) && o.chained(steps[1:], z, y) })
}

type compound struct {
	Reachable bool
	Degree    int
}

// best returns the unique node of a list with the largest value; it panics when there
// is none, which a question must not allow.
func best(of []int, value func(x int) int) int {
	at, ties := -1, 0
	for _, x := range of {
		switch {
		case at < 0 || value(x) > value(at):
			at, ties = x, 0
		case value(x) == value(at):
			ties++
		}
	}
	if at < 0 || ties > 0 {
		panic("no unique best node")
	}
	return at
}

func inBoth(u, v []int) (both, only []int) {
	both, only = []int{}, []int{}
	for _, x := range u {
		common := false
		for _, y := range v {
			common = common || x == y
		}
		if common {
			both = append(both, x)
		} else {
			only = append(only, x)
		}
	}
	return both, only
}

// answer returns the right answer: a bool, an int, a float64, a []int of nodes in
// order, a node as an int, or a compound.
func (o *oracle) answer(name string, q *category.Query) any {
	x, y := q.Source, q.Target
	all := o.where(func(int) bool { return true })
	switch name {
	case "triangle_count":
		return o.triangles(func(int) bool { return true })
	case "reachability":
		return o.p[x][y]
	case "negative_reach":
		return o.where(func(y int) bool { return y != x && !o.p[x][y] })
	case "degree_count":
		if q.Direction == "in" {
			return o.in(x)
		}
		return o.out(x)
	case "degree_max":
		return best(all, o.out)
	case "scc_same":
		return o.p[x][y] && o.p[y][x]
	case "set_intersect":
		both, _ := inBoth(o.reached(x), o.reached(y))
		return both
	case "set_difference":
		_, only := inBoth(o.reached(x), o.reached(y))
		return only
	case "ancestor":
		return o.where(func(y int) bool { return o.p[y][x] })
	case "sibling", "cousin":
		return o.where(func(y int) bool { return o.related(name, x, y) })
	case "reach_then_count":
		return len(o.reached(x))
	case "reach_then_filter":
		return len(o.where(func(y int) bool { return y != x && o.p[x][y] && o.out(y) >= q.Threshold }))
	case "kinship_chain":
		return len(o.where(func(y int) bool { return o.chained(q.Steps, x, y) }))
	case "triangle_in_subgraph":
		return o.triangles(func(y int) bool { return y == x || o.p[x][y] })
	case "path_and_compare":
		return o.p[x][y] && o.out(x) > o.out(y)
	case "scc_then_count":
		return len(o.component(x))
	case "degree_then_reach":
		candidates := o.where(func(y int) bool { return o.out(y) >= q.Threshold })
		return best(candidates, func(y int) int { return len(o.reached(y)) })
	case "intersect_then_size":
		both, _ := inBoth(o.reached(x), o.reached(y))
		return len(both)
	case "multi_query":
		return compound{o.p[x][y], o.out(x)}
	case "conditional":
		if !o.p[x][y] {
			return -1
		}
		return len(o.reached(x))
	case "aggregate_over_set":
		return o.aggregate(q.Aggregate, o.reached(x))
	case "kinship_complex":
		root := o.where(func(y int) bool { return o.p[y][x] && o.in(y) == 0 })
		if len(root) != 1 {
			panic("no unique root ancestor")
		}
		return len(o.where(func(y int) bool { return y == root[0] || o.p[root[0]][y] }))
	case "graph_comparison":
		return len(o.where(func(y int) bool { return y != x && o.p[x][y] != o.q[x][y] }))
	case "chain_of_filters":
		return len(o.where(func(y int) bool {
			return y != x && o.p[x][y] && o.in(y) >= q.MinIn && o.out(y) >= q.MinOut && (q.MaxOut == 0 || o.out(y) <= q.MaxOut)
		}))
	case "mixed_domain":
		return o.aggregate(q.Aggregate, o.component(x))
	}
	panic("no oracle for " + name)
}
