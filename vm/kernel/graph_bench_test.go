package kernel

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"ein/vm/op"
	"ein/vm/tensor"
)

// benchGraph is a random or acyclic graph to measure closures and walks on.
type benchGraph struct {
	n       int
	p       float64
	acyclic bool
}

func (g benchGraph) String() string {
	if g.acyclic {
		return fmt.Sprintf("n=%d/dag=%g", g.n, g.p)
	}
	return fmt.Sprintf("n=%d/p=%g", g.n, g.p)
}

func (g benchGraph) make() tensor.Bits {
	return randomBitGraph(rand.New(rand.NewPCG(42, uint64(g.n))), g.n, g.p, g.acyclic)
}

var closureGraphs = []benchGraph{
	{10, .1, false}, {10, .3, false},
	{100, .01, false}, {100, .02, false}, {100, .1, false}, {100, .1, true},
	{1000, .001, false}, {1000, .002, false}, {1000, .01, false}, {1000, .1, false},
	{1000, .005, true}, {1000, .1, true},
	{5000, .0002, false}, {5000, .001, false}, {5000, .01, false}, {5000, .1, false},
	{5000, .001, true}, {5000, .01, true}, {5000, .1, true},
}

func BenchmarkClosureBits(b *testing.B) {
	for _, g := range closureGraphs {
		b.Run(g.String(), func(b *testing.B) {
			a := g.make()
			dst, s := tensor.NewBits(g.n, g.n), garbage(ClosureBitsCost(g.n))
			var c Ctl
			for b.Loop() {
				ClosureBits(&c, dst, a, s)
			}
		})
	}
}

func BenchmarkClosureCSR(b *testing.B) {
	for _, g := range closureGraphs {
		b.Run(g.String(), func(b *testing.B) {
			a := bitsToCSR(g.make())
			dst, s := tensor.NewBits(g.n, g.n), garbage(ClosureCSRCost(g.n, a.NNZ()))
			var c Ctl
			for b.Loop() {
				ClosureCSR(&c, dst, a, s)
			}
		})
	}
}

// BenchmarkClosureShuffled has acyclic graphs whose numbering says nothing of
// their order, and ones numbered against it.
func BenchmarkClosureShuffled(b *testing.B) {
	const n = 5000
	for _, p := range []float64{.01, .1} {
		r := rand.New(rand.NewPCG(1, 1))
		order := r.Perm(n)
		shuffled, turned := tensor.NewBits(n, n), tensor.NewBits(n, n)
		for i := range n {
			for j := range i {
				if r.Float64() < p {
					shuffled.Set(order[j], order[i])
					turned.Set(i, j)
				}
			}
		}
		for what, a := range map[string]tensor.Bits{"shuffled": shuffled, "turned": turned} {
			b.Run(fmt.Sprintf("%s/dag=%g", what, p), func(b *testing.B) {
				dst, s := tensor.NewBits(n, n), garbage(ClosureBitsCost(n))
				var c Ctl
				for b.Loop() {
					ClosureBits(&c, dst, a, s)
				}
			})
		}
	}
}

func BenchmarkWalk(b *testing.B) {
	for _, g := range []benchGraph{
		{6, .3, false}, {60, .1, false},
		{1000, .01, false}, {1000, .1, false},
		{5000, .001, false}, {5000, .01, false}, {5000, .1, false}, {5000, .01, true}, {5000, .1, true},
	} {
		a := g.make()
		sparse := bitsToCSR(a)
		dst := make([]uint64, tensor.Words(g.n))
		s := garbage(WalkBitsCost(g.n))
		s.I = garbage(WalkCSRCost(g.n, sparse.NNZ())).I
		b.Run("bits/"+g.String(), func(b *testing.B) {
			var c Ctl
			for b.Loop() {
				WalkBits(&c, dst, a, 1, op.WalkReach, s)
			}
		})
		b.Run("csr/"+g.String(), func(b *testing.B) {
			var c Ctl
			for b.Loop() {
				WalkCSR(&c, dst, sparse, 1, op.WalkReach, s)
			}
		})
	}
}

func BenchmarkSCC(b *testing.B) {
	for _, g := range []benchGraph{{1000, .01, false}, {5000, .001, false}, {5000, .1, false}, {5000, .1, true}} {
		a := g.make()
		part := make([]int32, g.n)
		b.Run("bits/"+g.String(), func(b *testing.B) {
			s := garbage(SCCBitsCost(g.n))
			var c Ctl
			for b.Loop() {
				SCCBits(&c, part, a, s)
			}
		})
		sparse := bitsToCSR(a)
		b.Run("csr/"+g.String(), func(b *testing.B) {
			s := garbage(SCCCSRCost(g.n, sparse.NNZ()))
			var c Ctl
			for b.Loop() {
				SCCCSR(&c, part, sparse, s)
			}
		})
	}
}

func BenchmarkTriangles(b *testing.B) {
	for _, n := range []int{1000, 5000} {
		a := benchGraph{n, .1, true}.make() // an edge one way is an edge
		s := garbage(TrianglesBitsCost(n))
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("bits/n=%d/workers=%d", n, workers), func(b *testing.B) {
				c := Ctl{Workers: workers}
				for b.Loop() {
					TrianglesBits(&c, a, s)
				}
			})
		}
		sparse := bitsToCSR(a)
		b.Run(fmt.Sprintf("csr/n=%d", n), func(b *testing.B) {
			s := garbage(TrianglesCSRCost(n, sparse.NNZ(), 1))
			var c Ctl
			for b.Loop() {
				TrianglesCSR(&c, sparse, s)
			}
		})
	}
}

func BenchmarkProducts(b *testing.B) {
	for _, n := range []int{1000, 5000} {
		x := benchGraph{n, .1, false}.make()
		sparse := benchGraph{n, .001, false}.make()
		dst := tensor.NewBits(n, n)
		f := make([]float64, n*n)
		s, own := garbage(BoolProductCost(n, n, n, 1)), garbage(CountProductCost(n, n, n, 1))
		run := func(what string, kernel func(c *Ctl)) {
			b.Run(fmt.Sprintf("%s/n=%d", what, n), func(b *testing.B) {
				c := Ctl{Workers: 1}
				for b.Loop() {
					kernel(&c)
				}
			})
		}
		run("Count", func(c *Ctl) { CountProduct(c, f, x, x, own) })
		run("Bool", func(c *Ctl) { BoolProduct(c, dst, x, x, s) })
		run("BoolSparse", func(c *Ctl) { BoolProduct(c, dst, sparse, x, s) })
		run("TripleTrace", func(c *Ctl) { TripleTrace(c, x, x, x) })
		run("Transpose", func(c *Ctl) { BitsTranspose(c, dst, x) })
		run("OneWayEdges", func(c *Ctl) { OneWayEdgesBits(c, x) })
		run("PopAll", func(c *Ctl) { PopAll(c, x) })
		run("PopRows", func(c *Ctl) { PopRows(c, f, x) })
		run("PopCols", func(c *Ctl) { PopCols(c, f, x) })
		run("Expand", func(c *Ctl) { BitsExpand(c, f, x) })
		run("Pack", func(c *Ctl) { BitsPack(c, dst, f) })
		run("Or", func(c *Ctl) { BitsOr(c, dst.W, x.W, sparse.W) })
	}
}

// BenchmarkMillion is the sparse graph of a million nodes and ten million edges.
func BenchmarkMillion(b *testing.B) {
	const n, edges = 1_000_000, 10_000_000
	src, dst := randomEdges(rand.New(rand.NewPCG(13, 14)), n, edges)
	b.Run("Build", func(b *testing.B) {
		for b.Loop() {
			tensor.BuildCSR(n, n, src, dst, nil)
		}
	})
	a, _ := tensor.BuildCSR(n, n, src, dst, nil)
	nnz := a.NNZ()
	src, dst = nil, nil
	runtime.GC()
	reached, part, f := make([]uint64, tensor.Words(n)), make([]int32, n), make([]float64, n)
	run := func(what string, cost Cost, workers int, kernel func(c *Ctl, s Scratch)) {
		b.Run(what, func(b *testing.B) {
			s := garbage(cost)
			c := Ctl{Workers: workers}
			for b.Loop() {
				kernel(&c, s)
			}
		})
	}
	run("Walk", WalkCSRCost(n, nnz), 1, func(c *Ctl, s Scratch) { WalkCSR(c, reached, a, 0, op.WalkReach, s) })
	run("Dist", DistCSRCost(n, nnz), 1, func(c *Ctl, s Scratch) { DistCSR(c, f, a, 0, s) })
	run("SCC", SCCCSRCost(n, nnz), 1, func(c *Ctl, s Scratch) { SCCCSR(c, part, a, s) })
	for _, workers := range []int{1, 2} {
		run(fmt.Sprintf("Triangles/workers=%d", workers), TrianglesCSRCost(n, nnz, workers), workers,
			func(c *Ctl, s Scratch) { TrianglesCSR(c, a, s) })
	}
	run("TraceCube", TraceCubeCSRCost(n, nnz, 1), 1, func(c *Ctl, s Scratch) { TraceCubeCSR(c, a, s) })
	run("OneWayEdges", OneWayEdgesCSRCost(n, nnz), 1, func(c *Ctl, s Scratch) { OneWayEdgesCSR(c, a, s) })
	turned := tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1), Idx: make([]int32, 2*nnz)}
	run("Transpose", Cost{}, 1, func(c *Ctl, _ Scratch) { CSRTranspose(c, turned, a) })
	run("Symmetrise", CSRSymmetriseCost(n, nnz), 1, func(c *Ctl, s Scratch) { CSRSymmetrise(c, turned, a, s) })
	x := make([]float64, n)
	for _, workers := range []int{1, 2} {
		run(fmt.Sprintf("MatVec/workers=%d", workers), Cost{}, workers, func(c *Ctl, _ Scratch) { CSRMatVec(c, f, a, x) })
	}
}

// BenchmarkQuestions is those that people bring to a graph of 100,000 nodes and a
// million edges.
func BenchmarkQuestions(b *testing.B) {
	const n, edges = 100_000, 1_000_000
	src, to := randomEdges(rand.New(rand.NewPCG(15, 16)), n, edges)
	weighted := func(a tensor.CSR) tensor.Value {
		v := tensor.Value{Type: tensor.Type{Kind: tensor.Int, Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Sparse, CSR: a}
		for i := range n {
			for _, j := range a.Row(i) {
				far := max(i-int(j), int(j)-i)
				v.CSR.Val = append(v.CSR.Val, float64(((i+int(j))*7919+far*104729)%997+1))
			}
		}
		return v
	}
	one, _ := tensor.BuildCSR(n, n, src, to, nil)
	two, _ := tensor.BuildCSR(n, n, append(src[:edges:edges], to...), append(to[:edges:edges], src...), nil)
	oneWay, bothWays := weighted(one), weighted(two)
	f, part := make([]float64, n), make([]int32, n)
	forest := tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1), Idx: make([]int32, n), Val: make([]float64, n)}
	run := func(what string, v *tensor.Value, cost layoutCost, kernel func(c *Ctl, g Net)) {
		b.Run(what, func(b *testing.B) {
			s := garbage(cost(v.Layout, n, v.CSR.NNZ()))
			var c Ctl
			for b.Loop() {
				kernel(&c, NewNet(v, s))
			}
		})
	}
	run("WDist", &oneWay, byWork(func(n int, work uint64) Cost { return ShortestCost(n, work, false) }),
		func(c *Ctl, g Net) { Shortest(c, f, g, 0, -1, false) })
	run("Weak", &oneWay, byWork(WeakCost), func(c *Ctl, g Net) { Weak(c, part, g) })
	run("Cores", &bothWays, byWork(CoresCost), func(c *Ctl, g Net) { Cores(c, f, g) })
	run("PageRank", &oneWay, PageRankCost, func(c *Ctl, g Net) { PageRank(c, f, g, .85) })
	run("MST", &bothWays, SpanningForestCost, func(c *Ctl, g Net) { SpanningForest(c, &forest, g) })
}
