package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ein/vm/op"
	"ein/vm/tensor"
)

// weigh gives the edges of a graph weights, some of them equal; with signed some
// are negative, in half of the cases without a negative cycle.
func (g *graphCase) weigh(r *rand.Rand, signed bool) (w [][]float64) {
	w = make([][]float64, g.n)
	height := make([]float64, g.n)
	for i := range height {
		height[i] = float64(r.IntN(4))
	}
	raise := r.IntN(2) == 0
	for i := range w {
		w[i] = make([]float64, g.n)
		for j, edge := range g.m[i] {
			if !edge {
				continue
			}
			w[i][j] = float64(1 + r.IntN(5))
			switch {
			case signed && raise:
				if w[i][j] += height[i] - height[j]; w[i][j] == 0 {
					w[i][j] = 1
				}
			case signed:
				w[i][j] -= 1.5
			}
		}
	}
	return w
}

// layouts is a matrix in each layout that can hold it.
func layouts(w [][]float64) (list []tensor.Value) {
	n := len(w)
	v := tensor.Value{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(n, n)}}
	csr := tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1)}
	packed := tensor.NewBits(n, n)
	ones := true
	for i := range w {
		v.F = append(v.F, w[i]...)
		for j, x := range w[i] {
			if x != 0 {
				csr.Idx, csr.Val = append(csr.Idx, int32(j)), append(csr.Val, x)
				packed.Set(i, j)
			}
			ones = ones && (x == 0 || x == 1)
		}
		csr.Ptr[i+1] = int32(len(csr.Idx))
	}
	sparse := v
	sparse.Layout, sparse.CSR, sparse.F = tensor.Sparse, csr, nil
	list = append(list, v, sparse)
	if !slices.Contains(csr.Val, math.Inf(1)) {
		far, farSparse := v, sparse
		far.Far, farSparse.Far = true, true
		far.F = farSparse.ToDense()
		list = append(list, far, farSparse)
	}
	if ones {
		bits, plain := v, sparse
		bits.Layout, bits.Bits, bits.F = tensor.Packed, packed, nil
		plain.CSR.Val = nil
		list = append(list, bits, plain)
	}
	return list
}

// layoutCost bounds a kernel on a graph with weights.
type layoutCost func(l tensor.Layout, n, nnz int) Cost

func byWork(cost func(n int, work uint64) Cost) layoutCost {
	return func(l tensor.Layout, n, nnz int) Cost { return cost(n, NetWork(l, n, nnz)) }
}

// onNets runs a kernel on a graph in each layout, with the scratch that its cost
// says and no more.
func onNets(t *testing.T, what string, w [][]float64, cost layoutCost, run func(c *Ctl, g Net) bool) {
	t.Helper()
	for _, v := range layouts(w) {
		nnz := v.CSR.NNZ()
		bound := cost(v.Layout, len(w), nnz)
		s := garbage(bound)
		var c Ctl
		ok := Finished(func() { run(&c, NewNet(&v, s)) })
		charged(t, what+" "+v.Layout.String(), &c, bound, ok)
	}
}

func TestShortest(t *testing.T) {
	cycles := 0
	eachGraph(t, 1500, func(t *testing.T, r *rand.Rand, g graphCase) {
		if g.n == 0 {
			return
		}
		signed := r.IntN(2) == 0
		w := g.weigh(r, signed)
		if r.IntN(4) == 0 {
			for i := range w {
				for j := range w[i] {
					w[i][j] = math.Min(w[i][j]*w[i][j]*8, 1)
				}
			}
		}
		src, dst := r.IntN(g.n), r.IntN(g.n)
		want, ok := NaiveShortest(w, src)
		got := make([]float64, g.n)
		verdict := func(f Flaw) bool {
			if (f.Cycle == nil) != ok || f.NaN {
				t.Errorf("%v, want a cycle: %v", f, !ok)
			}
			if f.Cycle == nil {
				return true
			}
			cycles++
			sum := 0.0
			for k, v := range f.Cycle {
				x := w[v][f.Cycle[(k+1)%len(f.Cycle)]]
				if sum += x; x == 0 {
					t.Errorf("%v is no cycle", f.Cycle)
				}
			}
			if sum != f.Sum || sum >= 0 {
				t.Errorf("the cycle %v weighs %v, not %v", f.Cycle, sum, f.Sum)
			}
			return false
		}
		onNets(t, "Shortest", w, byWork(func(n int, work uint64) Cost { return ShortestCost(n, work, signed) }), func(c *Ctl, g Net) bool {
			flaw, ok := ended(func() Flaw { return Shortest(c, got, g, src, math.Inf(1), signed) })
			if verdict(flaw) && !slices.Equal(got, want) {
				t.Errorf("Shortest from %d: %v, want %v", src, got, want)
			}
			return ok
		})
		onNets(t, "ShortestPath", w, byWork(func(n int, work uint64) Cost { return ShortestPathCost(n, work, signed) }), func(c *Ctl, g Net) bool {
			flaw, ok := ended(func() Flaw { return ShortestPath(c, got, g, src, dst, signed) })
			if verdict(flaw) {
				if want := NaiveShortestPath(w, want, src, dst); !slices.Equal(got, want) {
					t.Errorf("ShortestPath from %d to %d: %v, want %v", src, dst, got, want)
				}
			}
			return ok
		})
	})
	if cycles < 20 {
		t.Errorf("only %d negative cycles", cycles)
	}
}

// plain is a graph as a matrix of ones.
func plain(a [][]bool) (w [][]float64) {
	w = make([][]float64, len(a))
	for i := range a {
		w[i] = make([]float64, len(a))
		for j, edge := range a[i] {
			w[i][j] = op.Truth(edge)
		}
	}
	return w
}

func near(a, b []float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-9*max(1, math.Abs(b[i])) {
			return false
		}
	}
	return len(a) == len(b)
}

func denseOf(a *tensor.CSR) [][]float64 {
	w := make([][]float64, a.Rows)
	for i := range w {
		w[i] = make([]float64, a.Cols)
		for k, j := range a.Row(i) {
			w[i][j] = csrValue(a, a.Ptr[i]+int32(k))
		}
	}
	return w
}

// TestNetStops: these kernels too give up soon when the run is cancelled, and
// allocate nothing.
func TestNetStops(t *testing.T) {
	done := make(chan struct{})
	close(done)
	r := rand.New(rand.NewPCG(23, 24))
	large, small := randomCSR(r, 200000, 1000000), randomCSR(r, 100, 400)
	dst, part, words := make([]float64, 200000), make([]int32, 200000), make([]uint64, tensor.Words(200000))
	forest := tensor.CSR{Ptr: make([]int32, 200001), Idx: make([]int32, 400000)}
	numbers := make([]float64, 1<<20)
	for i := range numbers {
		numbers[i] = r.Float64()
	}
	room, flaw := garbage(Cost{F: 1 << 21, W: 1 << 22, I: 1 << 23}), Flaw{}
	for what, kernel := range map[string]func(c *Ctl, g Net){
		"Shortest":        func(c *Ctl, g Net) { Shortest(c, dst, g, 0, -1, false) },
		"Shortest signed": func(c *Ctl, g Net) { Shortest(c, dst, g, 0, -1, true) },
		"ShortestPath":    func(c *Ctl, g Net) { ShortestPath(c, dst, g, 0, 1, false) },
		"Weak":            func(c *Ctl, g Net) { Weak(c, part[:g.n], g) },
		"TopoOrder":       func(c *Ctl, g Net) { TopoOrder(c, dst, g) },
		"CutNodes":        func(c *Ctl, g Net) { CutNodes(c, words, g) },
		"Bridges": func(c *Ctl, g Net) {
			forest.Rows, forest.Ptr = g.n, forest.Ptr[:g.n+1]
			Bridges(c, &forest, g)
		},
		"Cores":    func(c *Ctl, g Net) { Cores(c, dst, g) },
		"PageRank": func(c *Ctl, g Net) { PageRank(c, dst, g, .85) },
		"SpanningForest": func(c *Ctl, g Net) {
			forest.Rows, forest.Ptr = g.n, forest.Ptr[:g.n+1]
			SpanningForest(c, &forest, g)
		},
		"Betweenness": func(c *Ctl, g Net) { Betweenness(c, dst, g) },
		"MinCut": func(c *Ctl, g Net) {
			forest.Rows, forest.Ptr = g.n, forest.Ptr[:g.n+1]
			MinCut(c, &forest, g, 0, 1, &flaw)
		},
		"Sort": func(c *Ctl, g Net) { n := 5 * g.n; Sort(c, numbers[:n], numbers[:n], room) },
	} {
		net := func(a tensor.CSR) Net {
			v := tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(a.Rows, a.Cols)}, Layout: tensor.Sparse, CSR: a}
			forest.Ptr = forest.Ptr[:200001]
			return NewNet(&v, room)
		}
		c := Ctl{Done: done}
		if Finished(func() { kernel(&c, net(large)) }) {
			t.Errorf("%s: finished though cancelled", what)
		}
		if c.Ops > 3*PollOps+5*200000 {
			t.Errorf("%s: %d operations after it was cancelled", what, c.Ops)
		}
		g, free := net(small), new(Ctl)
		if got := testing.AllocsPerRun(5, func() { kernel(free, g) }); got != 0 {
			t.Errorf("%s: %v allocations", what, got)
		}
	}
}

func TestStructure(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	rounds := 400
	if testing.Short() {
		rounds = 80
	}
	cycles := 0
	for range rounds {
		g := randomGraph(r, r.IntN(14))
		if r.IntN(20) == 0 {
			g = randomGraph(r, 70)
		}
		w, sym := plain(g.m), plain(naiveBoth(g.m))
		got := make([]float64, g.n)
		same := func(what string, want []float64) {
			t.Helper()
			if !near(got, want) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		parts, _ := NaiveSCC(naiveBoth(g.m))
		onNets(t, "Weak", w, byWork(WeakCost), func(c *Ctl, net Net) bool {
			part := make([]int32, g.n)
			ok := Finished(func() { Weak(c, part, net) })
			if !slices.Equal(part, parts) {
				t.Errorf("Weak: %v, want %v", part, parts)
			}
			return ok
		})
		order, has := NaiveTopoOrder(g.m)
		onNets(t, "TopoOrder", w, byWork(TopoOrderCost), func(c *Ctl, net Net) bool {
			flaw, ok := ended(func() Flaw { return TopoOrder(c, got, net) })
			if has != (flaw.Cycle == nil) {
				t.Errorf("TopoOrder: %v", flaw)
			} else if has {
				same("TopoOrder", order)
			} else {
				cycles++
			}
			for k, v := range flaw.Cycle {
				if !g.m[v][flaw.Cycle[(k+1)%len(flaw.Cycle)]] {
					t.Errorf("%v is no cycle", flaw.Cycle)
				}
			}
			return ok
		})
		onNets(t, "PageRank", w, PageRankCost, func(c *Ctl, net Net) bool {
			_, ok := ended(func() Flaw { return PageRank(c, got, net, .85) })
			same("PageRank", NaivePageRank(w, .85))
			return ok
		})
		onNets(t, "Betweenness", w, byWork(BetweennessCost), func(c *Ctl, net Net) bool {
			ok := Finished(func() { Betweenness(c, got, net) })
			same("Betweenness", NaiveBetweenness(g.m))
			return ok
		})
		weights := g.weigh(r, r.IntN(2) == 0)
		if g.n > 20 {
			continue // what follows is slow by definition
		}
		for _, w := range [][][]float64{w, weights} {
			forest := NaiveSpanningForest(w)
			onNets(t, "SpanningForest", w, SpanningForestCost, func(c *Ctl, net Net) bool {
				dst := tensor.CSR{Rows: g.n, Cols: g.n, Ptr: make([]int32, g.n+1), Idx: make([]int32, 0, g.n), Val: make([]float64, 0, g.n)}
				_, ok := ended(func() Flaw { return SpanningForest(c, &dst, net) })
				for i, row := range denseOf(&dst) {
					if !slices.Equal(row, forest[i]) {
						t.Errorf("SpanningForest of %v: %v, want %v", w, denseOf(&dst), forest)
						break
					}
				}
				return ok
			})
		}
		for _, v := range layouts(sym) {
			if v.Layout == tensor.Dense || v.Layout == tensor.Sparse && v.CSR.Val != nil {
				continue
			}
			both := naiveBoth(g.m)
			run := func(what string, cost func(n int, work uint64) Cost, f func(c *Ctl, net Net) bool) {
				bound := cost(g.n, NetWork(v.Layout, g.n, v.CSR.NNZ()))
				s := garbage(bound)
				var c Ctl
				charged(t, what, &c, bound, f(&c, NewNet(&v, s)))
			}
			run("Cores", CoresCost, func(c *Ctl, net Net) bool {
				ok := Finished(func() { Cores(c, got, net) })
				same("Cores", NaiveCores(both))
				return ok
			})
			run("CutNodes", CutNodesCost, func(c *Ctl, net Net) bool {
				cut := dirtyBits(1, g.n).W
				ok := Finished(func() { CutNodes(c, cut, net) })
				if want := packVector(NaiveCutNodes(both)); !slices.Equal(cut, want) {
					t.Errorf("CutNodes: %x, want %x", cut, want)
				}
				return ok
			})
			run("Bridges", BridgesCost, func(c *Ctl, net Net) bool {
				dst := tensor.CSR{Rows: g.n, Cols: g.n, Ptr: make([]int32, g.n+1), Idx: make([]int32, 0, 2*g.n)}
				ok := Finished(func() { Bridges(c, &dst, net) })
				want := plain(NaiveBridges(both))
				for i, row := range denseOf(&dst) {
					if !slices.Equal(row, want[i]) {
						t.Errorf("Bridges: %v, want %v", denseOf(&dst), want)
						break
					}
				}
				return ok
			})
		}
		if t.Failed() {
			t.Fatalf("on %s: %v", g.name, g.csr)
		}
	}
	if cycles == 0 || cycles == rounds {
		t.Errorf("%d cycles", cycles)
	}
}

// TestForestStops: a run that is stopped says so, in whichever part of the forest it is, also where
// the edges have no values.
func TestForestStops(t *testing.T) {
	done := make(chan struct{})
	close(done)
	for n := 100; n < 6000; n += 50 {
		v := &tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Sparse, CSR: tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1)}}
		for i := range n - 1 {
			v.CSR.Idx, v.CSR.Ptr[i+1] = append(v.CSR.Idx, int32(i+1)), int32(i+1)
		}
		v.CSR.Ptr[n] = int32(n - 1)
		cost := SpanningForestCost(v.Layout, n, n-1)
		s := Scratch{F: make([]float64, cost.F), I: make([]int32, cost.I), W: make([]uint64, cost.W)}
		c, dst := Ctl{Done: done}, tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1), Idx: make([]int32, n)}
		if _, ok := ended(func() Flaw { return SpanningForest(&c, &dst, NewNet(v, s)) }); ok && c.Ops >= PollOps {
			t.Fatalf("%d nodes: no stop after %d operations", n, c.Ops)
		}
	}
}
