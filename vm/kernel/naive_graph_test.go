package kernel

import (
	"math"

	"ein/vm/op"
)

// The graph kernels once more, each from its definition, on plain matrices and
// sharing nothing with the fast ones: what those are tested against.

// NaiveClosure is the sum of the powers 1..n over (OR, AND).
func NaiveClosure(a [][]bool) [][]bool {
	n := len(a)
	sum := naiveCopy(a)
	power := naiveCopy(a)
	for p := 2; p <= n; p++ {
		power = NaiveBoolProduct(power, a)
		changed := false
		for i := range n {
			for j := range n {
				if power[i][j] && !sum[i][j] {
					sum[i][j] = true
					changed = true
				}
			}
		}
		// A path to a node first reached in p edges has a node first reached in
		// p-1: a power that adds nothing is the last that could.
		if !changed {
			break
		}
	}
	return sum
}

func naiveCopy(a [][]bool) [][]bool {
	b := make([][]bool, len(a))
	for i := range a {
		b[i] = append([]bool(nil), a[i]...)
	}
	return b
}

// NaiveBoolProduct is c[i][j] = OR over k of a[i][k] AND b[k][j].
func NaiveBoolProduct(a, b [][]bool) [][]bool {
	cols := 0
	if len(b) > 0 {
		cols = len(b[0])
	}
	c := make([][]bool, len(a))
	for i := range a {
		c[i] = make([]bool, cols)
		for k := range b {
			if a[i][k] {
				for j := range cols {
					if b[k][j] {
						c[i][j] = true
					}
				}
			}
		}
	}
	return c
}

// NaiveTriangles tries all sets of three nodes.
func NaiveTriangles(a [][]bool) int {
	n := len(a)
	edge := func(i, j int) bool { return a[i][j] || a[j][i] }
	count := 0
	for i := range n {
		for j := i + 1; j < n; j++ {
			for k := j + 1; k < n; k++ {
				if edge(i, j) && edge(j, k) && edge(i, k) {
					count++
				}
			}
		}
	}
	return count
}

// NaiveTraceCube is the sum over all i, j, k of a[i][j]·a[j][k]·a[k][i].
func NaiveTraceCube(a [][]bool) int {
	n := len(a)
	count := 0
	for i := range n {
		for j := range n {
			for k := range n {
				if a[i][j] && a[j][k] && a[k][i] {
					count++
				}
			}
		}
	}
	return count
}

// NaiveWalk marks the nodes that some number of edges, at least one, leads to
// from src: it goes on adding successors until none is new.
func NaiveWalk(a [][]bool, src int, mode op.WalkMode) []bool {
	n := len(a)
	reached := append([]bool(nil), a[src]...)
	for changed := true; changed; {
		changed = false
		for i := range n {
			for j := range n {
				if reached[i] && a[i][j] && !reached[j] {
					reached[j] = true
					changed = true
				}
			}
		}
	}
	switch mode {
	case op.WalkDesc:
		reached[src] = false
	case op.WalkReach:
		reached[src] = true
	}
	return reached
}

// NaiveDist relaxes all edges n times (Bellman and Ford).
func NaiveDist(a [][]bool, src int) []float64 {
	n := len(a)
	dist := make([]float64, n)
	for i := range dist {
		dist[i] = -1
	}
	dist[src] = 0
	for range n {
		for i := range n {
			for j := range n {
				if a[i][j] && dist[i] >= 0 && (dist[j] < 0 || dist[j] > dist[i]+1) {
					dist[j] = dist[i] + 1
				}
			}
		}
	}
	return dist
}

// NaivePath walks from i, each time to the lowest node that is one nearer to j,
// by the distances of the reversed graph.
func NaivePath(a [][]bool, i, j int) []float64 {
	n := len(a)
	reversed := make([][]bool, n)
	for v := range reversed {
		reversed[v] = make([]bool, n)
		for w := range n {
			reversed[v][w] = a[w][v]
		}
	}
	togo := NaiveDist(reversed, j)
	position := make([]float64, n)
	for v := range position {
		position[v] = -1
	}
	if togo[i] < 0 {
		return position
	}
	v := i
	for k := 0.0; ; k++ {
		position[v] = k
		if v == j {
			return position
		}
		for w := range n {
			if a[v][w] && togo[w] == togo[v]-1 {
				v = w
				break
			}
		}
	}
}

// NaiveSCC numbers the components by their lowest nodes: two nodes are in one
// when they are the same or each leads to the other.
func NaiveSCC(a [][]bool) (part []int32, count int) {
	n := len(a)
	tc := NaiveClosure(a)
	part = make([]int32, n)
	for i := range n {
		part[i] = -1
		for j := range i {
			if tc[i][j] && tc[j][i] {
				part[i] = part[j]
				break
			}
		}
		if part[i] < 0 {
			part[i] = int32(count)
			count++
		}
	}
	return part, count
}

// NaiveShortest is the least weight of a path from src to each node, and whether
// there is one: after n rounds over all edges nothing changes any more.
func NaiveShortest(w [][]float64, src int) (dist []float64, ok bool) {
	n := len(w)
	dist = make([]float64, n)
	for v := range dist {
		dist[v] = math.Inf(1)
	}
	dist[src] = 0
	for range n + 1 {
		ok = true
		for i := range n {
			for j := range n {
				if x := dist[i] + w[i][j]; w[i][j] != 0 && x < dist[j] {
					dist[j], ok = x, false
				}
			}
		}
	}
	return dist, ok
}

// NaiveShortestPath is the path that NaivePath finds among the edges of shortest
// paths.
func NaiveShortestPath(w [][]float64, dist []float64, i, j int) []float64 {
	tight := make([][]bool, len(w))
	for a := range w {
		tight[a] = make([]bool, len(w))
		for b, x := range w[a] {
			tight[a][b] = x != 0 && !math.IsInf(dist[a], 1) && dist[a]+x == dist[b]
		}
	}
	return NaivePath(tight, i, j)
}

// naiveBoth is a with every edge in both directions.
func naiveBoth(a [][]bool) [][]bool {
	b := naiveCopy(a)
	for i := range a {
		for j := range a {
			b[i][j] = a[i][j] || a[j][i]
		}
	}
	return b
}

// naiveWithout is a without the edges that leave says.
func naiveWithout(a [][]bool, leave func(i, j int) bool) [][]bool {
	b := naiveCopy(a)
	for i := range b {
		for j := range b {
			b[i][j] = b[i][j] && !leave(i, j)
		}
	}
	return b
}

// NaiveTopoOrder takes the lowest node that no other one left has an edge to.
func NaiveTopoOrder(a [][]bool) (place []float64, ok bool) {
	place = make([]float64, len(a))
	for v := range place {
		place[v] = -1
	}
	for k := range a {
		next := -1
		for v := len(a) - 1; v >= 0; v-- {
			free := place[v] < 0
			for u := range a {
				free = free && (place[u] >= 0 || !a[u][v])
			}
			if free {
				next = v
			}
		}
		if next < 0 {
			return place, false
		}
		place[next] = float64(k)
	}
	return place, true
}

// NaiveBridges and NaiveCutNodes count the components without each edge and node
// of a symmetric graph.
func NaiveBridges(a [][]bool) [][]bool {
	_, parts := NaiveSCC(a)
	b := naiveCopy(a)
	for i := range a {
		for j := range a {
			_, without := NaiveSCC(naiveWithout(a, func(x, y int) bool { return x == i && y == j || x == j && y == i }))
			b[i][j] = a[i][j] && without > parts
		}
	}
	return b
}

func NaiveCutNodes(a [][]bool) []bool {
	_, parts := NaiveSCC(a)
	cut := make([]bool, len(a))
	for v := range a {
		_, without := NaiveSCC(naiveWithout(a, func(x, y int) bool { return x == v || y == v }))
		cut[v] = without-1 > parts // v is one by itself
	}
	return cut
}

// NaiveCores peels nodes of fewer than k neighbours off, for every k.
func NaiveCores(a [][]bool) []float64 {
	core := make([]float64, len(a))
	left := make([]bool, len(a))
	for v := range left {
		left[v] = true
	}
	for k := 1; k <= len(a); k++ {
		for changed := true; changed; {
			changed = false
			for v := range a {
				degree := 0
				for u := range a {
					if a[v][u] && left[u] && u != v {
						degree++
					}
				}
				if left[v] && degree < k {
					left[v], changed = false, true
				}
			}
		}
		for v := range a {
			if left[v] {
				core[v] = float64(k)
			}
		}
	}
	return core
}

// NaivePageRank multiplies by the matrix of the walk.
func NaivePageRank(w [][]float64, damp float64) []float64 {
	n := float64(len(w))
	x := make([]float64, len(w))
	for v := range x {
		x[v] = 1 / n
	}
	for range 100 {
		y := make([]float64, len(w))
		for i := range w {
			out := 0.0
			for j := range w {
				out += w[i][j]
			}
			for j := range w {
				p := 1 / n
				if out > 0 {
					p = w[i][j] / out
				}
				y[j] += x[i] * (damp*p + (1-damp)/n)
			}
		}
		x = y
	}
	return x
}

// NaiveSpanningForest takes the edges in order, but for those that close a cycle.
func NaiveSpanningForest(w [][]float64) [][]float64 {
	n := len(w)
	forest, joined := make([][]float64, n), make([][]bool, n)
	for i := range w {
		forest[i], joined[i] = make([]float64, n), make([]bool, n)
	}
	for {
		a, b := -1, -1
		for i := range n {
			for j := range n {
				if w[i][j] == 0 || i == j || NaiveClosure(joined)[i][j] {
					continue
				}
				if a < 0 || w[i][j] < w[a][b] || w[i][j] == w[a][b] && before(int32(i), int32(j), int32(a), int32(b)) {
					a, b = i, j
				}
			}
		}
		if a < 0 {
			return forest
		}
		forest[a][b], joined[a][b], joined[b][a] = w[a][b], true, true
	}
}

// NaiveBetweenness counts the paths between all pairs.
func NaiveBetweenness(a [][]bool) []float64 {
	n := len(a)
	dist, ways := make([][]float64, n), make([][]float64, n)
	for s := range n {
		dist[s], ways[s] = NaiveDist(a, s), make([]float64, n)
		ways[s][s] = 1
		for d := 1.0; d < float64(n); d++ {
			for v := range n {
				for u := range n {
					if a[u][v] && dist[s][v] == d && dist[s][u] == d-1 {
						ways[s][v] += ways[s][u]
					}
				}
			}
		}
	}
	sum := make([]float64, n)
	for v := range n {
		for s := range n {
			for t := range n {
				if s != v && t != v && s != t && dist[s][v] >= 0 && dist[v][t] >= 0 && dist[s][v]+dist[v][t] == dist[s][t] {
					sum[v] += ways[s][v] * ways[v][t] / ways[s][t]
				}
			}
		}
	}
	return sum
}

// before is the order of equal edges.
func before(a, b, c, d int32) bool {
	if x, y := min(a, b), min(c, d); x != y {
		return x < y
	}
	if x, y := max(a, b), max(c, d); x != y {
		return x < y
	}
	return a < c
}
