package naive

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"ein/internal/lists"
	"ein/lang/syntax"
)

// construct evaluates edges, adj and vec, which read a literal.
func (in *interp) construct(sc *scope, name string, args []syntax.Expr) value {
	if len(args) < 1 || len(args) > 2 || name == "adj" && len(args) != 1 {
		fail(Static, "%s does not take %d arguments", name, len(args))
	}
	n := -1
	if len(args) == 2 {
		n = staticInt(in.eval(sc, args[1]), "a size")
	}
	if name == "vec" {
		v := in.eval(sc, args[0])
		if v.rank() != 1 {
			fail(Static, "vec takes a list of numbers")
		}
		if n >= 0 && n != v.Dims[0] {
			fail(Static, "vec has length %d, not %d", v.Dims[0], n)
		}
		return v
	}
	list, ok := args[0].(*syntax.List)
	if !ok {
		fail(Static, "%s takes a literal list", name)
	}
	if name == "adj" {
		return in.matrix(sc, list)
	}
	pairs := true
	for _, e := range list.All() {
		row, ok := e.(*syntax.List)
		pairs = pairs && ok && row.Len() == 2
	}
	if pairs {
		return in.pairs(sc, list, n)
	}
	v := in.matrix(sc, list)
	if n >= 0 && n != v.Dims[0] {
		fail(Static, "edges: the matrix has size %d, not %d", v.Dims[0], n)
	}
	if v.Dims[0] < 3 {
		fail(Static, "edges takes a list of pairs or a square matrix")
	}
	return v
}

// matrix reads a square 0/1 literal.
func (in *interp) matrix(sc *scope, list *syntax.List) value {
	v := in.list(sc, list)
	if v.rank() != 2 || v.Dims[0] != v.Dims[1] {
		fail(Static, "an adjacency matrix is square; this has shape %v", v.Dims)
	}
	for _, x := range v.Data {
		if x != 0 && x != 1 {
			fail(Static, "an entry of an adjacency matrix is 0 or 1, not %g", x)
		}
	}
	return v
}

// pairs reads a list of (source, target).
func (in *interp) pairs(sc *scope, list *syntax.List, n int) value {
	if list.Len() == 0 && n < 0 {
		fail(Static, "edges([]) needs the number of nodes")
	}
	var ids []int
	labelled := 0
	for _, e := range list.All() {
		for _, x := range e.(*syntax.List).All() {
			if _, ok := x.(*syntax.String); ok {
				labelled++
			}
			v := in.eval(sc, x)
			limit := math.MaxInt
			if n >= 0 {
				limit = n
			}
			v.known = true
			ids = append(ids, position(v, limit))
		}
	}
	if labelled > 0 && labelled != len(ids) {
		fail(Static, "edges mixes labels and numbers")
	}
	if n < 0 {
		n = 1 + slices.Max(ids)
		if labelled > 0 {
			n = len(in.labels)
		}
	}
	out := value{Tensor: newTensor(n, n)}
	for i := 0; i < len(ids); i += 2 {
		out.Data[ids[i]*n+ids[i+1]] = 1
	}
	return out
}

// function is a builtin on whole tensors.
type function struct {
	min, max int // number of arguments
	f        func(vs []value) value
}

// functions are the builtins on whole tensors, mostly by their definitions and as slow as these
// are: a closure asks for each pair, a bridge is an edge without which its ends are apart. None
// shares code with the kernels.
var functions = map[string]function{
	"ones":  {1, 2, func(vs []value) value { return filled(vs, 1) }},
	"zeros": {1, 2, func(vs []value) value { return filled(vs, 0) }},
	"eye": {1, 1, func(vs []value) value {
		n := staticInt(vs[0], "a size")
		return table(n, n, func(i, j int) float64 { return truth(i == j) })
	}},
	"tc": {1, 1, func(vs []value) value {
		g := graphOf(vs[0])
		return table(g.n, g.n, func(i, j int) float64 { return truth(g.joins(i, j)) })
	}},
	"scc": {1, 1, func(vs []value) value {
		g := graphOf(vs[0])
		return table(g.n, g.n, func(i, j int) float64 {
			return truth(i == j || g.joins(i, j) && g.joins(j, i))
		})
	}},
	"desc": {2, 2, func(vs []value) value {
		return nodes(vs, func(g graph, i, v int) float64 { return truth(v != i && g.joins(i, v)) })
	}},
	"reach": {2, 2, func(vs []value) value {
		return nodes(vs, func(g graph, i, v int) float64 { return truth(v == i || g.joins(i, v)) })
	}},
	"anc": {2, 2, func(vs []value) value {
		return nodes(vs, func(g graph, i, v int) float64 { return truth(v != i && g.joins(v, i)) })
	}},
	"dist": {2, 2, func(vs []value) value {
		return nodes(vs, func(g graph, i, v int) float64 { return float64(g.distances(i)[v]) })
	}},
	"has_path": {3, 3, func(vs []value) value {
		g := graphOf(vs[0])
		return scalar(truth(g.joins(position(vs[1], g.n), position(vs[2], g.n))), false)
	}},
	"node": {2, 2, func(vs []value) value {
		return nodes(vs, func(_ graph, i, v int) float64 { return truth(i == v) })
	}},
	// The trace of the power: of whole numbers without a limit, of others in the order of the
	// definition.
	"closed_walks": {2, 2, func(vs []value) value {
		g, k := graphOf(vs[0]), staticInt(vs[1], "a length")
		if k < 1 || k > 8 {
			fail(Static, "the length of a walk is 1 to 8, not %d", k)
		}
		if !vs[0].real {
			return scalar(walks(vs[0].Data, g.n, k), false)
		}
		power := vs[0]
		for range k - 1 {
			last := power
			power = table(g.n, g.n, func(i, j int) float64 {
				total := 0.0
				for m := range g.n {
					total += last.Data[i*g.n+m] * vs[0].Data[m*g.n+j]
				}
				return total
			})
		}
		return scalar(reduce("sum", diagonal(power), true), true)
	}},
	"path": {3, 3, func(vs []value) value { return path(graphOf(vs[0]), vs) }},
	"wdist": {2, 3, func(vs []value) value {
		d := weighted(vs[0], position(vs[1], graphOf(vs[0]).n))
		if len(vs) == 3 && vs[2].rank() > 0 {
			fail(Static, "the value where there is no path has rank %d", vs[2].rank())
		}
		out := value{Tensor: newTensor(len(d)), real: vs[0].real}
		for v, x := range d {
			if out.Data[v] = x; math.IsInf(x, 1) && len(vs) == 3 {
				out.Data[v], out.real = vs[2].Data[0], out.real || vs[2].real
			}
			out.real = out.real || math.IsInf(out.Data[v], 1)
		}
		return out
	}},
	// A path of least weight goes by edges that are tight: the distance grows by just their weight.
	"wpath": {3, 3, func(vs []value) value {
		g := graphOf(vs[0])
		d, w := weighted(vs[0], position(vs[1], g.n)), vs[0].Data
		return path(graph{g.n, func(i, j int) bool {
			return g.edge(i, j) && !math.IsInf(d[i], 1) && d[i]+w[i*g.n+j] == d[j]
		}}, vs)
	}},
	"triangles": {1, 1, triangles},
	"wcc": {1, 1, func(vs []value) value {
		g := graphOf(vs[0]).both()
		return table(g.n, g.n, func(i, j int) float64 { return truth(g.distances(i)[j] >= 0) })
	}},
	// The number of a component is how many others have a node before all of its own.
	"components": {1, 1, func(vs []value) value {
		g := graphOf(vs[0]).both()
		return each(g.n, func(v int) float64 {
			lowest := 0
			for u := range g.n {
				if g.distances(u)[v] >= 0 {
					break
				}
				if !slices.ContainsFunc(g.distances(u)[:u], func(d int) bool { return d >= 0 }) {
					lowest++
				}
			}
			return float64(lowest)
		})
	}},
	"topo_order": {1, 1, topoOrder},
	"bridges": {1, 1, func(vs []value) value {
		g := graphOf(vs[0]).both()
		return table(g.n, g.n, func(i, j int) float64 {
			without := g.without(func(a, b int) bool { return a == i && b == j || a == j && b == i })
			return truth(g.edge(i, j) && without.distances(i)[j] < 0)
		})
	}},
	"cut_nodes": {1, 1, func(vs []value) value {
		g := graphOf(vs[0]).both()
		return each(g.n, func(v int) float64 {
			rest := g.without(func(a, b int) bool { return a == v || b == v })
			for i := range g.n {
				for j, d := range g.distances(i) {
					if i != v && j != v && d >= 0 && rest.distances(i)[j] < 0 {
						return 1
					}
				}
			}
			return 0
		})
	}},
	"core_number": {1, 1, func(vs []value) value {
		g := graphOf(vs[0]).both()
		return each(g.n, func(v int) float64 {
			k := 0
			for slices.Contains(g.core(k+1), v) {
				k++
			}
			return float64(k)
		})
	}},
	"pagerank":    {1, 2, pageRank},
	"mst":         {1, 1, spanningForest},
	"betweenness": {1, 1, betweenness},
	"mincut":      {3, 3, minCut},
	// It is defined here as the weight of a least cut.
	"maxflow": {3, 3, func(vs []value) value {
		cut := minCut(vs)
		return scalar(reduce("sum", cut.Data, cut.real), cut.real)
	}},
	"trace": {1, 1, func(vs []value) value {
		m := matrixOf(vs[0])
		if m.Dims[0] != m.Dims[1] {
			fail(Static, "trace of a matrix that is not square: %v", m.Dims)
		}
		return scalar(reduce("sum", diagonal(m), m.real), m.real)
	}},
	"diag": {1, 1, func(vs []value) value {
		v := vs[0]
		if v.rank() == 1 {
			out := table(v.Dims[0], v.Dims[0], func(i, j int) float64 {
				if i == j {
					return v.Data[i]
				}
				return 0
			})
			out.real = v.real
			return out
		}
		d := diagonal(matrixOf(v))
		return value{Tensor: Tensor{Dims: []int{len(d)}, Data: d}, real: v.real}
	}},
	"range": {1, 1, func(vs []value) value {
		return each(staticInt(vs[0], "a size"), func(i int) float64 { return float64(i) })
	}},
	"rank": {1, 1, func(vs []value) value {
		v := vectorOf(vs[0]).Data
		return each(len(v), func(i int) float64 {
			below := 0
			for j, x := range v {
				if x < v[i] || x == v[i] && j < i {
					below++
				}
			}
			return float64(below)
		})
	}},
	"sort": {1, 1, func(vs []value) value {
		v := vectorOf(vs[0])
		v.Data = slices.Sorted(slices.Values(v.Data))
		return v
	}},
	"transpose": {1, 3, transpose},
	"softmax":   {2, 2, softmax},
	"size": {2, 2, func(vs []value) value {
		return known(float64(vs[0].Dims[axisOf(vs[1], vs[0].rank())]))
	}},
}

// walks returns the trace of the k-th power of an n x n matrix of integers.
func walks(data []float64, n, k int) float64 {
	power := make([]*big.Int, n*n)
	for i := range power {
		power[i] = integer(data[i])
	}
	for range k - 1 {
		next := make([]*big.Int, n*n)
		for i := range next {
			next[i] = new(big.Int)
			for m := range n {
				next[i].Add(next[i], new(big.Int).Mul(power[i/n*n+m], integer(data[m*n+i%n])))
			}
		}
		power = next
	}
	total := new(big.Int)
	for i := range n {
		total.Add(total, power[i*n+i])
	}
	return nearest(total)
}

// integer returns an integral float64, 0 if it is out of the range of one that is exact.
func integer(x float64) *big.Int {
	if !whole(x) {
		return new(big.Int)
	}
	return big.NewInt(int64(x))
}

// nearest returns the float64 nearest to x.
func nearest(x *big.Int) float64 {
	f, _ := new(big.Float).SetInt(x).Float64()
	return f
}

// filled is a tensor of one number, of sizes that are known before the run.
func filled(vs []value, x float64) value {
	dims := lists.Map(vs, func(v value) int { return staticInt(v, "a size") })
	out := value{Tensor: newTensor(dims...)}
	out.Data = slices.Repeat([]float64{x}, len(out.Data))
	return out
}

// table returns the matrix of f.
func table(n, m int, f func(i, j int) float64) value {
	out := value{Tensor: newTensor(n, m)}
	for i := range n {
		for j := range m {
			out.Data[i*m+j] = f(i, j)
		}
	}
	return out
}

// vectorOf and matrixOf require a rank.
func vectorOf(v value) value {
	if v.rank() != 1 {
		fail(Static, "a vector is needed; this has rank %d", v.rank())
	}
	return v
}

func matrixOf(v value) value {
	if v.rank() != 2 {
		fail(Static, "a matrix is needed; this has rank %d", v.rank())
	}
	return v
}

// diagonal is the elements at equal places, as far as both axes go.
func diagonal(m value) []float64 {
	var d []float64
	for i := range min(m.Dims[0], m.Dims[1]) {
		d = append(d, m.Data[i*m.Dims[1]+i])
	}
	return d
}

// graph is the edges of a square matrix: every nonzero entry is one.
type graph struct {
	n    int
	edge func(i, j int) bool
}

// graphOf returns a matrix as a graph: an edge is where it is not 0 or, if it is far, not
// infinite.
func graphOf(v value) graph {
	m := matrixOf(v)
	if m.Dims[0] != m.Dims[1] {
		fail(Static, "a graph is a square matrix; this has shape %v", m.Dims)
	}
	n := m.Dims[0]
	none := 0.0
	if v.Far {
		none = math.Inf(1)
	}
	return graph{n, func(i, j int) bool { return m.Data[i*n+j] != none }}
}

// shares returns the weights of edges, 0 where there is none.
func shares(v value) []float64 {
	w := slices.Clone(v.Data)
	for k, x := range w {
		if v.Far && math.IsInf(x, 1) {
			w[k] = 0
		}
	}
	return w
}

// nodes returns the vector of f over the nodes, for a function of a graph and a node.
func nodes(vs []value, f func(g graph, i, v int) float64) value {
	g := graphOf(vs[0])
	i := position(vs[1], g.n)
	return each(g.n, func(v int) float64 { return f(g, i, v) })
}

// joins reports whether a path of at least one edge leads from i to j.
func (g graph) joins(i, j int) bool {
	for m := range g.n {
		if g.edge(i, m) && g.distances(m)[j] >= 0 {
			return true
		}
	}
	return false
}

// distances returns the number of edges from i to each node, -1 if none leads there.
func (g graph) distances(i int) []int {
	d := slices.Repeat([]int{-1}, g.n)
	d[i] = 0
	for queue := []int{i}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for w := range g.n {
			if g.edge(v, w) && d[w] < 0 {
				d[w] = d[v] + 1
				queue = append(queue, w)
			}
		}
	}
	return d
}

// weighted returns the least weight of a path of at most n edges from i to each node.
func weighted(v value, i int) []float64 {
	g := graphOf(v)
	d := slices.Repeat([]float64{math.Inf(1)}, g.n)
	d[i] = 0
	for round := range g.n + 1 {
		changed := false
		for a := range g.n {
			for b := range g.n {
				if x := d[a] + v.Data[a*g.n+b]; g.edge(a, b) && x < d[b] {
					d[b], changed = x, true
				}
			}
		}
		if changed && round == g.n {
			fail(Runtime, "a cycle of negative weight")
		}
	}
	return d
}

// path marks the first in the order of node ids among the shortest paths.
func path(g graph, vs []value) value {
	i, j := position(vs[1], g.n), position(vs[2], g.n)
	out := each(g.n, func(int) float64 { return -1 })
	left := g.distances(i)[j]
	if left < 0 {
		return out
	}
	out.Data[i] = 0
	for at := i; at != j; {
		for w := range g.n {
			if g.edge(at, w) && g.distances(w)[j] == left-1 {
				out.Data[w] = out.Data[at] + 1
				at, left = w, left-1
				break
			}
		}
	}
	return out
}

// each returns the vector of f.
func each(n int, f func(v int) float64) value {
	out := value{Tensor: newTensor(n)}
	for v := range out.Data {
		out.Data[v] = f(v)
	}
	return out
}

// both returns g with its edges in both directions.
func (g graph) both() graph {
	return graph{g.n, func(i, j int) bool { return g.edge(i, j) || g.edge(j, i) }}
}

// without is g with some edges left out.
func (g graph) without(leave func(i, j int) bool) graph {
	return graph{g.n, func(i, j int) bool { return g.edge(i, j) && !leave(i, j) }}
}

// core returns the nodes of the k-core.
func (g graph) core(k int) []int {
	nodes := lists.Upto(g.n)
	for {
		left := slices.DeleteFunc(slices.Clone(nodes), func(v int) bool {
			degree := 0
			for _, u := range nodes {
				if u != v && g.edge(v, u) {
					degree++
				}
			}
			return degree < k
		})
		if len(left) == len(nodes) {
			return nodes
		}
		nodes = left
	}
}

// topoOrder takes the lowest node that no other one left has an edge to.
func topoOrder(vs []value) value {
	g := graphOf(vs[0])
	out := each(g.n, func(int) float64 { return -1 })
	for k := range g.n {
		next := slices.IndexFunc(out.Data, func(x float64) bool { return x < 0 })
		for ; next < g.n; next++ {
			free := out.Data[next] < 0
			for u := range g.n {
				free = free && !(out.Data[u] < 0 && g.edge(u, next))
			}
			if free {
				break
			}
		}
		if next == g.n {
			fail(Runtime, "the graph has a cycle")
		}
		out.Data[next] = float64(k)
	}
	return out
}

// pageRank is the power iteration by its definition, in 100 rounds. From a node without edges the
// walk goes anywhere.
func pageRank(vs []value) value {
	g, w, d := graphOf(vs[0]), shares(vs[0]), 0.85
	if len(vs) == 2 {
		if d = vs[1].Data[0]; vs[1].rank() > 0 || vs[1].known && (d < 0 || d > 1) {
			fail(Static, "the damping is a number from 0 to 1")
		}
	}
	capacities(w)
	n := float64(g.n)
	x := each(g.n, func(int) float64 { return 1 / n })
	for range 100 {
		last := x
		x = each(g.n, func(v int) float64 {
			total := 0.0
			for u := range g.n {
				out, along := 0.0, 1/n
				for k := range g.n {
					out += w[u*g.n+k]
				}
				if out != 0 {
					along = w[u*g.n+v] / out
				}
				total += last.Data[u] * (d*along + (1-d)/n)
			}
			return total
		})
	}
	x.real = true
	return x
}

// spanningForest takes edges, the lightest first, that join what is apart.
func spanningForest(vs []value) value {
	g, w := graphOf(vs[0]), vs[0].Data
	var edges [][2]int
	for i := range g.n {
		for j := range g.n {
			if g.edge(i, j) {
				edges = append(edges, [2]int{i, j})
			}
		}
	}
	slices.SortFunc(edges, func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(w[a[0]*g.n+a[1]], w[b[0]*g.n+b[1]]), cmp.Compare(min(a[0], a[1]), min(b[0], b[1])),
			cmp.Compare(max(a[0], a[1]), max(b[0], b[1])), cmp.Compare(a[0], b[0]))
	})
	out := value{Tensor: newTensor(g.n, g.n), real: vs[0].real}
	for _, e := range edges {
		if tree := graphOf(out).both(); tree.distances(e[0])[e[1]] < 0 {
			x := w[e[0]*g.n+e[1]]
			if x == 0 {
				fail(Runtime, "a weight of 0 is no edge of the result")
			}
			out.Data[e[0]*g.n+e[1]] = x
		}
	}
	return out
}

// betweenness counts the shortest paths of all pairs, and those through a node.
func betweenness(vs []value) value {
	g := graphOf(vs[0])
	var ways func(i, j int) float64
	ways = func(i, j int) (sum float64) {
		if i == j {
			return 1
		}
		for k := range g.n {
			if d := g.distances(k)[j]; g.edge(i, k) && d >= 0 && d == g.distances(i)[j]-1 {
				sum += ways(k, j)
			}
		}
		return sum
	}
	out := each(g.n, func(v int) (sum float64) {
		for i := range g.n {
			for j, d := range g.distances(i) {
				from, to := g.distances(i)[v], g.distances(v)[j]
				if i != v && j != v && i != j && d >= 0 && from >= 0 && to >= 0 && from+to == d {
					sum += ways(i, v) * ways(v, j) / ways(i, j)
				}
			}
		}
		return sum
	})
	out.real = true
	return out
}

// capacities fails unless all weights are at least 0; NaN is not.
func capacities(w []float64) {
	if slices.ContainsFunc(w, func(x float64) bool { return !(x >= 0) }) {
		fail(Runtime, "a weight is below 0")
	}
}

// minCut tries every set that has the first node and not the second, the smallest
// first.
func minCut(vs []value) value {
	g, w := graphOf(vs[0]), shares(vs[0])
	i, j := position(vs[1], g.n), position(vs[2], g.n)
	capacities(w)
	if i == j || g.n > 16 {
		fail(Runtime, "a cut of %d nodes between %d and %d", g.n, i, j)
	}
	out, best, most := value{Tensor: newTensor(g.n, g.n), real: vs[0].real}, math.Inf(1), 0
	for side := range 1 << g.n {
		if side>>i&1 == 0 || side>>j&1 == 1 {
			continue
		}
		cut := table(g.n, g.n, func(a, b int) float64 {
			if side>>a&1 == 1 && side>>b&1 == 0 {
				return w[a*g.n+b]
			}
			return 0
		})
		sum := reduce("sum", cut.Data, vs[0].real)
		if size := bits.OnesCount(uint(side)); sum < best || sum == best && size < most {
			out.Data, best, most = cut.Data, sum, size
		}
	}
	if math.IsInf(best, 1) {
		fail(Runtime, "the flow has no bound")
	}
	return out
}

// triangles counts the sets of three nodes of which each two are linked, in either direction.
func triangles(vs []value) value {
	g := graphOf(vs[0]).both()
	count := 0.0
	for i := range g.n {
		for j := range i {
			for k := range j {
				if g.edge(i, j) && g.edge(j, k) && g.edge(i, k) {
					count++
				}
			}
		}
	}
	return scalar(count, false)
}

// transpose reverses the axes of a matrix, or swaps two axes of a tensor.
func transpose(vs []value) value {
	t := vs[0]
	order := lists.Upto(t.rank())
	switch len(vs) {
	case 1:
		matrixOf(t)
		slices.Reverse(order)
	case 2:
		fail(Static, "transpose takes one tensor, or a tensor and two axes")
	case 3:
		a, b := axisOf(vs[1], t.rank()), axisOf(vs[2], t.rank())
		order[a], order[b] = b, a
	}
	dims := lists.Map(order, func(from int) int { return t.Dims[from] })
	out := value{Tensor: newTensor(dims...), real: t.real}
	to, from := make([]int, t.rank()), make([]int, t.rank())
	for k := range out.Data {
		unflatten(k, dims, to)
		for a, f := range order {
			from[f] = to[a]
		}
		out.Data[k] = t.Data[flatten(t.Dims, from)]
	}
	return out
}

// softmax divides by the sum along an axis. The maximum is taken off first, as otherwise large
// numbers overflow.
func softmax(vs []value) value {
	t := vs[0]
	d := axisOf(vs[1], t.rank())
	out := value{Tensor: newTensor(t.Dims...), real: true}
	pos := make([]int, t.rank())
	for k := range out.Data {
		unflatten(k, t.Dims, pos)
		xs := lane(t, slices.Delete(slices.Clone(pos), d, d+1), d)
		top, total := slices.Max(xs), 0.0
		for _, x := range xs {
			total += math.Exp(x - top)
		}
		out.Data[k] = math.Exp(t.Data[k]-top) / total
	}
	return out
}
