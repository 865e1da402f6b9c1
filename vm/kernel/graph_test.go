package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ein/vm/op"
	"ein/vm/simd"
	"ein/vm/tensor"
)

// graphCase is one graph in all forms.
type graphCase struct {
	name string
	n    int
	m    [][]bool
	bits tensor.Bits
	csr  tensor.CSR
}

func newGraphCase(name string, m [][]bool) graphCase {
	g := graphCase{name: name, n: len(m), m: m, bits: tensor.NewBits(len(m), len(m))}
	var src, dst []int32
	for i := range m {
		for j := range m[i] {
			if m[i][j] {
				g.bits.Set(i, j)
				src, dst = append(src, int32(i)), append(dst, int32(j))
			}
		}
	}
	g.csr, _ = tensor.BuildCSR(g.n, g.n, src, dst, nil)
	return g
}

func emptyMatrix(rows, cols int) [][]bool {
	m := make([][]bool, rows)
	for i := range m {
		m[i] = make([]bool, cols)
	}
	return m
}

func randomMatrix(r *rand.Rand, rows, cols int, p float64) [][]bool {
	m := emptyMatrix(rows, cols)
	for i := range m {
		for j := range m[i] {
			m[i][j] = r.Float64() < p
		}
	}
	return m
}

// randomGraph is one of several families, so that every path through the
// kernels is taken: random, acyclic, cycles, several dense components, all with
// or without loops and with nodes in any order.
func randomGraph(r *rand.Rand, n int) graphCase {
	p := []float64{0, 0.5 / float64(n+1), 1 / float64(n+1), 2 / float64(n+1), 5 / float64(n+1), 0.1, 0.5, 0.9, 1}[r.IntN(9)]
	m := emptyMatrix(n, n)
	order := r.Perm(n)
	if r.IntN(3) == 0 {
		slices.Sort(order)
	}
	family := r.IntN(5)
	loops := r.IntN(3) == 0
	clusters := 1 + r.IntN(4)
	for i := range n {
		for j := range n {
			edge := r.Float64() < p
			switch family {
			case 1: // acyclic
				edge = edge && i < j
			case 2: // a cycle with chords
				edge = j == (i+1)%n || r.Float64() < p/4
			case 3: // dense components in a line
				edge = i%clusters == j%clusters && r.Float64() < 0.3 || i%clusters < j%clusters && edge
			case 4: // disconnected
				edge = edge && i%clusters == j%clusters
			}
			if i == j {
				edge = loops && r.IntN(4) == 0
			}
			m[order[i]][order[j]] = edge
		}
	}
	return newGraphCase(fmt.Sprintf("n=%d family=%d p=%.3f", n, family, p), m)
}

var testSizes = []int{0, 1, 2, 3, 5, 8, 17, 63, 64, 65, 66, 100, 127, 128, 129, 130}

// eachGraph runs f on many random graphs.
func eachGraph(t *testing.T, rounds int, f func(t *testing.T, r *rand.Rand, g graphCase)) {
	t.Helper()
	if testing.Short() {
		rounds /= 10
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		n := testSizes[r.IntN(len(testSizes))]
		if r.IntN(2) == 0 {
			n = r.IntN(40)
		}
		g := randomGraph(r, n)
		f(t, r, g)
		if t.Failed() {
			t.Fatalf("on %s: %v", g.name, g.csr)
		}
	}
}

// garbage is scratch of just the size that cost says, full of ones.
func garbage(cost Cost) Scratch {
	s := Scratch{F: make([]float64, cost.F), W: make([]uint64, cost.W), I: make([]int32, cost.I)}
	fill(s.F, 1e300)
	for i := range s.W {
		s.W[i] = 0xdeadbeefdeadbeef
	}
	for i := range s.I {
		s.I[i] = 0x5ead6eef
	}
	return s
}

func dirtyBits(rows, cols int) tensor.Bits {
	b := tensor.NewBits(rows, cols)
	for i := range b.W {
		b.W[i] = 0xdeadbeefdeadbeef
	}
	return b
}

func packMatrix(m [][]bool, rows, cols int) tensor.Bits {
	b := tensor.NewBits(rows, cols)
	for i := range m {
		for j := range m[i] {
			if m[i][j] {
				b.Set(i, j)
			}
		}
	}
	return b
}

func packVector(v []bool) []uint64 {
	w := make([]uint64, tensor.Words(len(v)))
	for i, x := range v {
		if x {
			setBit(w, i)
		}
	}
	return w
}

// charged checks that a kernel did finish and kept to its bound.
func charged(t *testing.T, what string, c *Ctl, cost Cost, ok bool) {
	t.Helper()
	if !ok {
		t.Errorf("%s: stopped", what)
	}
	if c.Ops > cost.Ops {
		t.Errorf("%s: %d operations, bound %d", what, c.Ops, cost.Ops)
	}
	c.Ops = 0
}

func TestClosure(t *testing.T) {
	eachGraph(t, 1500, func(t *testing.T, _ *rand.Rand, g graphCase) {
		want := packMatrix(NaiveClosure(g.m), g.n, g.n)
		var c Ctl
		got := dirtyBits(g.n, g.n)
		cost := ClosureBitsCost(g.n)
		ok := Finished(func() { ClosureBits(&c, got, g.bits, garbage(cost)) })
		charged(t, "ClosureBits", &c, cost, ok)
		if !slices.Equal(got.W, want.W) {
			t.Errorf("ClosureBits is wrong")
		}
		got = dirtyBits(g.n, g.n)
		cost = ClosureCSRCost(g.n, g.csr.NNZ())
		ok = Finished(func() { ClosureCSR(&c, got, g.csr, garbage(cost)) })
		charged(t, "ClosureCSR", &c, cost, ok)
		if !slices.Equal(got.W, want.W) {
			t.Errorf("ClosureCSR is wrong")
		}
	})
}

func TestWalk(t *testing.T) {
	eachGraph(t, 1500, func(t *testing.T, r *rand.Rand, g graphCase) {
		if g.n == 0 {
			return
		}
		var c Ctl
		src, dst := r.IntN(g.n), r.IntN(g.n)
		for _, mode := range []op.WalkMode{op.WalkDesc, op.WalkReach, op.WalkRow} {
			want := packVector(NaiveWalk(g.m, src, mode))
			got := dirtyBits(1, g.n).W
			cost := WalkBitsCost(g.n)
			ok := Finished(func() { WalkBits(&c, got, g.bits, src, mode, garbage(cost)) })
			charged(t, "WalkBits", &c, cost, ok)
			if !slices.Equal(got, want) {
				t.Errorf("WalkBits from %d mode %d: %x, want %x", src, mode, got, want)
			}
			got = dirtyBits(1, g.n).W
			cost = WalkCSRCost(g.n, g.csr.NNZ())
			ok = Finished(func() { WalkCSR(&c, got, g.csr, src, mode, garbage(cost)) })
			charged(t, "WalkCSR", &c, cost, ok)
			if !slices.Equal(got, want) {
				t.Errorf("WalkCSR from %d mode %d: %x, want %x", src, mode, got, want)
			}
		}
		row := NaiveWalk(g.m, src, op.WalkRow)
		cost := HasPathBitsCost(g.n)
		found, ok := ended(func() bool { return HasPathBits(&c, g.bits, src, dst, garbage(cost)) })
		charged(t, "HasPathBits", &c, cost, ok)
		if found != row[dst] {
			t.Errorf("HasPathBits %d %d: %v", src, dst, found)
		}
		cost = HasPathCSRCost(g.n, g.csr.NNZ())
		found, ok = ended(func() bool { return HasPathCSR(&c, g.csr, src, dst, garbage(cost)) })
		charged(t, "HasPathCSR", &c, cost, ok)
		if found != row[dst] {
			t.Errorf("HasPathCSR %d %d: %v", src, dst, found)
		}
	})
}

func TestWalkLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 50000
	for _, edges := range []int{0, n / 2, n, 2 * n, 5 * n} {
		a := randomCSR(r, n, edges)
		big, small := make([]uint64, tensor.Words(n)), make([]uint64, tensor.Words(n))
		s := garbage(WalkCSRCost(n, a.NNZ()))
		for _, mode := range []op.WalkMode{op.WalkDesc, op.WalkReach, op.WalkRow} {
			var c Ctl
			WalkCSR(&c, big, a, 7, mode, s)
			plainWalk(small, a, 7, mode)
			if !slices.Equal(big, small) {
				t.Errorf("%d edges, mode %d: differs", edges, mode)
			}
		}
	}
}

func plainWalk(reached []uint64, a tensor.CSR, src int, mode op.WalkMode) {
	clear(reached)
	queue := []int32{int32(src)}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, w := range a.Row(int(v)) {
			if bitOf(reached, int(w)) == 0 {
				setBit(reached, int(w))
				queue = append(queue, w)
			}
		}
	}
	switch mode {
	case op.WalkDesc:
		clearBit(reached, src)
	case op.WalkReach:
		setBit(reached, src)
	}
}

func TestSCC(t *testing.T) {
	eachGraph(t, 1500, func(t *testing.T, r *rand.Rand, g graphCase) {
		want, parts := NaiveSCC(g.m)
		var c Ctl
		got := make([]int32, g.n)
		cost := SCCBitsCost(g.n)
		count, ok := ended(func() int { return SCCBits(&c, got, g.bits, garbage(cost)) })
		charged(t, "SCCBits", &c, cost, ok)
		if count != parts || !slices.Equal(got, want) {
			t.Errorf("SCCBits: %d %v, want %d %v", count, got, parts, want)
		}
		got = make([]int32, g.n)
		cost = SCCCSRCost(g.n, g.csr.NNZ())
		count, ok = ended(func() int { return SCCCSR(&c, got, g.csr, garbage(cost)) })
		charged(t, "SCCCSR", &c, cost, ok)
		if count != parts || !slices.Equal(got, want) {
			t.Errorf("SCCCSR: %d %v, want %d %v", count, got, parts, want)
		}
		count, ok = ended(func() int { return CondenseCSR(&c, got, g.csr, garbage(cost)) })
		charged(t, "CondenseCSR", &c, cost, ok)
		number := make([]int32, parts)
		for v, k := range got {
			number[want[v]] = k
			for _, to := range g.csr.Row(v) {
				if got[to] > k {
					t.Errorf("CondenseCSR: %d of %d leads to %d of %d", v, k, to, got[to])
				}
			}
		}
		for v, k := range got {
			if count != parts || number[want[v]] != k || slices.Index(number, k) != int(want[v]) {
				t.Errorf("CondenseCSR: %d %v, want %v in other numbers", count, got, want)
				break
			}
		}
		testParts(t, r, want, parts)
	})
}

func testParts(t *testing.T, r *rand.Rand, part []int32, count int) {
	var c Ctl
	n := len(part)
	same := emptyMatrix(n, n)
	sizes := make([]float64, count)
	for i := range n {
		sizes[part[i]]++
		for j := range n {
			same[i][j] = part[i] == part[j]
		}
	}
	got := dirtyBits(n, n)
	cost := PartsToBitsCost(n)
	ok := Finished(func() { PartsToBits(&c, got, part, garbage(cost)) })
	charged(t, "PartsToBits", &c, cost, ok)
	if !slices.Equal(got.W, packMatrix(same, n, n).W) {
		t.Errorf("PartsToBits is wrong")
	}
	out := garbage(Cost{F: uint64(count)}).F
	ok = Finished(func() { PartSizes(&c, out, part) })
	charged(t, "PartSizes", &c, Cost{Ops: uint64(n)}, ok)
	if !slices.Equal(out, sizes) {
		t.Errorf("PartSizes: %v, want %v", out, sizes)
	}
	if n > 0 {
		i := r.IntN(n)
		row := dirtyBits(1, n).W
		ok = Finished(func() { PartRow(&c, row, part, i) })
		charged(t, "PartRow", &c, Cost{Ops: uint64(n)}, ok)
		if !slices.Equal(row, packVector(same[i])) {
			t.Errorf("PartRow %d is wrong", i)
		}
	}
}

func TestDistAndPath(t *testing.T) {
	eachGraph(t, 1500, func(t *testing.T, r *rand.Rand, g graphCase) {
		if g.n == 0 {
			return
		}
		var c Ctl
		i, j := r.IntN(g.n), r.IntN(g.n)
		nnz := g.csr.NNZ()
		check := func(what string, cost Cost, want []float64, kernel func(dst []float64, s Scratch)) {
			got := garbage(Cost{F: uint64(g.n)}).F
			ok := Finished(func() { kernel(got, garbage(cost)) })
			charged(t, what, &c, cost, ok)
			if !slices.Equal(got, want) {
				t.Errorf("%s %d %d: %v, want %v", what, i, j, got, want)
			}
		}
		dist, path := NaiveDist(g.m, i), NaivePath(g.m, i, j)
		check("DistBits", DistBitsCost(g.n), dist, func(dst []float64, s Scratch) {
			DistBits(&c, dst, g.bits, i, s)
		})
		check("DistCSR", DistCSRCost(g.n, nnz), dist, func(dst []float64, s Scratch) {
			DistCSR(&c, dst, g.csr, i, s)
		})
		check("PathBits", PathBitsCost(g.n), path, func(dst []float64, s Scratch) {
			PathBits(&c, dst, g.bits, i, j, s)
		})
		check("PathCSR", PathCSRCost(g.n, nnz), path, func(dst []float64, s Scratch) {
			PathCSR(&c, dst, g.csr, i, j, s)
		})
	})
}

// TestTrianglesInStrips has rows of one strip, of some, and of ones that end within a
// strip.
func TestTrianglesInStrips(t *testing.T) {
	for _, n := range []int{256, 257, 900, 1024, 1100, 2100} {
		a := benchGraph{n, .02, false}.make()
		sparse := bitsToCSR(a)
		want := TrianglesCSR(&Ctl{}, sparse, garbage(TrianglesCSRCost(n, sparse.NNZ(), 1)))
		for _, tier := range simd.Tiers() {
			c := Ctl{Tier: tier}
			got, ok := ended(func() uint64 { return TrianglesBits(&c, a, garbage(TrianglesBitsCost(n))) })
			charged(t, "TrianglesBits", &c, TrianglesBitsCost(n), ok)
			if got != want {
				t.Errorf("%d nodes, %v: %d triangles, not %d", n, tier, got, want)
			}
		}
	}
}

func TestTriangles(t *testing.T) {
	eachGraph(t, 800, func(t *testing.T, _ *rand.Rand, g graphCase) {
		var c Ctl
		check := func(what string, cost Cost, want int, kernel func(s Scratch) uint64) {
			got, ok := ended(func() uint64 { return kernel(garbage(cost)) })
			charged(t, what, &c, cost, ok)
			if got != uint64(want) {
				t.Errorf("%s: %d, want %d", what, got, want)
			}
		}
		nnz := g.csr.NNZ()
		triangles, walks := NaiveTriangles(g.m), NaiveTraceCube(g.m)
		oneWay := 0
		for i := range g.n {
			for j := range g.n {
				if i != j && g.m[i][j] && !g.m[j][i] {
					oneWay++
				}
			}
		}
		check("TrianglesBits", TrianglesBitsCost(g.n), triangles, func(s Scratch) uint64 {
			return TrianglesBits(&c, g.bits, s)
		})
		check("TrianglesCSR", TrianglesCSRCost(g.n, nnz, 1), triangles, func(s Scratch) uint64 {
			return TrianglesCSR(&c, g.csr, s)
		})
		check("TraceCubeCSR", TraceCubeCSRCost(g.n, nnz, 1), walks, func(s Scratch) uint64 {
			return TraceCubeCSR(&c, g.csr, s)
		})
		turned := tensor.NewBits(g.n, g.n)
		BitsTranspose(&c, turned, g.bits)
		c.Ops = 0
		check("TripleTrace", TripleTraceCost(g.n, g.n, g.n), walks, func(Scratch) uint64 {
			return TripleTrace(&c, g.bits, g.bits, turned)
		})
		check("OneWayEdgesBits", OneWayEdgesBitsCost(g.n), oneWay, func(Scratch) uint64 {
			return OneWayEdgesBits(&c, g.bits)
		})
		check("OneWayEdgesCSR", OneWayEdgesCSRCost(g.n, nnz), oneWay, func(s Scratch) uint64 {
			return OneWayEdgesCSR(&c, g.csr, s)
		})
	})
}

// randomCSR has that many edges at random, without weights.
func randomCSR(r *rand.Rand, n, edges int) tensor.CSR {
	src, dst := randomEdges(r, n, edges)
	a, _ := tensor.BuildCSR(n, n, src, dst, nil)
	return a
}

func randomEdges(r *rand.Rand, n, edges int) (src, dst []int32) {
	src, dst = make([]int32, edges), make([]int32, edges)
	for e := range src {
		src[e], dst[e] = r.Int32N(int32(n)), r.Int32N(int32(n))
	}
	return src, dst
}

// randomBitGraph is a random graph, or when acyclic only its edges upward.
func randomBitGraph(r *rand.Rand, n int, p float64, acyclic bool) tensor.Bits {
	a := tensor.NewBits(n, n)
	for i := range n {
		from := 0
		if acyclic {
			from = i + 1
		}
		for j := from; j < n; j++ {
			if r.Float64() < p {
				a.Set(i, j)
			}
		}
	}
	return a
}

func bitsToCSR(a tensor.Bits) tensor.CSR {
	var c Ctl
	nnz := PopAll(&c, a)
	s := tensor.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int32, a.Rows+1), Idx: make([]int32, nnz)}
	BitsToCSR(&c, s, a)
	return s
}

func TestClosureLarge(t *testing.T) {
	// Both layouts, whose searches share little, must agree, also where the
	// naive closure is too slow.
	r := rand.New(rand.NewPCG(5, 6))
	const n = 700
	for _, p := range []float64{.0005, .0015, .003, .01, .1, .7} {
		for _, acyclic := range []bool{false, true} {
			a := randomBitGraph(r, n, p, acyclic)
			var c Ctl
			x, y := dirtyBits(n, n), dirtyBits(n, n)
			ClosureBits(&c, x, a, garbage(ClosureBitsCost(n)))
			s := bitsToCSR(a)
			ClosureCSR(&c, y, s, garbage(ClosureCSRCost(n, s.NNZ())))
			if !slices.Equal(x.W, y.W) {
				t.Fatalf("p=%g acyclic=%v: layouts differ", p, acyclic)
			}
			for v := range n {
				row := make([]uint64, tensor.Words(n))
				WalkBits(&c, row, a, v, op.WalkRow, garbage(WalkBitsCost(n)))
				if !slices.Equal(row, x.Row(v)) {
					t.Fatalf("p=%g acyclic=%v: row %d differs", p, acyclic, v)
				}
			}
		}
	}
}

func TestParallelAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const n = 500
	a, b := randomBitGraph(r, n, .3, false), randomBitGraph(r, n, .2, false)
	wide := randomBitGraph(r, 2000, .02, false) // few ones: by rows, in parallel
	sparse := randomCSR(r, 50000, 1500000)
	for _, workers := range []int{2, 3, 8} {
		one, many := Ctl{Workers: 1}, Ctl{Workers: workers}
		same := func(what string, f func(c *Ctl) any) {
			x, y := f(&one), f(&many)
			if fmt.Sprint(x) != fmt.Sprint(y) {
				t.Errorf("%s: %d workers differ from one", what, workers)
			}
			if one.Ops != many.Ops {
				t.Errorf("%s: %d workers charged %d, one %d", what, workers, many.Ops, one.Ops)
			}
		}
		same("CountProduct", func(c *Ctl) any {
			dst := make([]float64, n*n)
			CountProduct(c, dst, a, b, garbage(CountProductCost(n, n, n, c.Workers)))
			return dst
		})
		same("BoolProduct", func(c *Ctl) any {
			dst := tensor.NewBits(wide.Rows, wide.Cols)
			BoolProduct(c, dst, wide, wide, garbage(BoolProductCost(wide.Rows, wide.Rows, wide.Cols, c.Workers)))
			return dst.W
		})
		same("TripleTrace", func(c *Ctl) any {
			return TripleTrace(c, a, b, b)
		})
		same("TrianglesBits", func(c *Ctl) any {
			return TrianglesBits(c, a, garbage(TrianglesBitsCost(n)))
		})
		same("TrianglesCSR", func(c *Ctl) any {
			return TrianglesCSR(c, sparse, garbage(TrianglesCSRCost(sparse.Rows, sparse.NNZ(), c.Workers)))
		})
		same("TraceCubeCSR", func(c *Ctl) any {
			return TraceCubeCSR(c, sparse, garbage(TraceCubeCSRCost(sparse.Rows, sparse.NNZ(), c.Workers)))
		})
		same("CSRMatVec", func(c *Ctl) any {
			dst, x := make([]float64, sparse.Rows), make([]float64, sparse.Cols)
			for j := range x {
				x[j] = 1 / float64(j+1)
			}
			CSRMatVec(c, dst, sparse, x)
			return dst
		})
	}
}

// TestStops checks that every kernel with enough work gives up when the run is
// cancelled, soon.
func TestStops(t *testing.T) {
	done := make(chan struct{})
	close(done)
	r := rand.New(rand.NewPCG(9, 10))
	const n = 3000
	a := randomBitGraph(r, n, .05, true)
	s := bitsToCSR(a)
	dst := tensor.NewBits(n, n)
	f := make([]float64, n*n)
	nnz := s.NNZ()
	turned := tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1), Idx: make([]int32, 2*nnz)}
	big := randomCSR(r, 200000, 1000000)
	bigNodes, bigNNZ := big.Rows, big.NNZ()
	vec := make([]float64, bigNodes)
	bigTurned := tensor.CSR{Rows: bigNodes, Cols: bigNodes, Ptr: make([]int32, bigNodes+1), Idx: make([]int32, 2*bigNNZ)}
	words := make([]uint64, 1<<20)
	part := make([]int32, 1<<20)
	for what, kernel := range map[string]func(c *Ctl){
		"BitsAnd":       func(c *Ctl) { BitsAnd(c, words, words, words) },
		"BitsTranspose": func(c *Ctl) { BitsTranspose(c, dst, a) },
		"BitsExpand":    func(c *Ctl) { BitsExpand(c, f, a) },
		"BitsPack":      func(c *Ctl) { BitsPack(c, dst, f) },
		"PopCols":       func(c *Ctl) { PopCols(c, f, a) },
		"PopAnd":        func(c *Ctl) { PopAnd(c, words, words) },
		"CountProduct":  func(c *Ctl) { CountProduct(c, f, a, a, garbage(CountProductCost(n, n, n, 2))) },
		"BoolProduct":   func(c *Ctl) { BoolProduct(c, dst, a, a, garbage(BoolProductCost(n, n, n, 2))) },
		"TripleTrace":   func(c *Ctl) { TripleTrace(c, a, a, a) },
		"OneWayEdges":   func(c *Ctl) { OneWayEdgesBits(c, a) },
		"ClosureBits":   func(c *Ctl) { ClosureBits(c, dst, a, garbage(ClosureBitsCost(n))) },
		"ClosureCSR":    func(c *Ctl) { ClosureCSR(c, dst, s, garbage(ClosureCSRCost(n, nnz))) },
		"SCCCSR": func(c *Ctl) {
			SCCCSR(c, part, big, garbage(SCCCSRCost(bigNodes, bigNNZ)))
		},
		"CondenseCSR": func(c *Ctl) {
			CondenseCSR(c, part, big, garbage(SCCCSRCost(bigNodes, bigNNZ)))
		},
		"PartSizes":   func(c *Ctl) { PartSizes(c, f, part) },
		"PartsToBits": func(c *Ctl) { PartsToBits(c, dst, part[:n], garbage(PartsToBitsCost(n))) },
		"WalkCSR": func(c *Ctl) {
			WalkCSR(c, words, big, 0, op.WalkRow, garbage(WalkCSRCost(bigNodes, bigNNZ)))
		},
		"DistCSR": func(c *Ctl) { DistCSR(c, vec, big, 0, garbage(DistCSRCost(bigNodes, bigNNZ))) },
		"PathCSR": func(c *Ctl) {
			PathCSR(c, vec, big, 0, bigNodes-1, garbage(PathCSRCost(bigNodes, bigNNZ)))
		},
		"TrianglesBits": func(c *Ctl) {
			TrianglesBits(c, a, garbage(TrianglesBitsCost(n)))
		},
		"TrianglesCSR": func(c *Ctl) {
			TrianglesCSR(c, big, garbage(TrianglesCSRCost(bigNodes, bigNNZ, 2)))
		},
		"TraceCubeCSR": func(c *Ctl) {
			TraceCubeCSR(c, big, garbage(TraceCubeCSRCost(bigNodes, bigNNZ, 2)))
		},
		"CSRTranspose": func(c *Ctl) { CSRTranspose(c, bigTurned, big) },
		"CSRSymmetrise": func(c *Ctl) {
			CSRSymmetrise(c, bigTurned, big, garbage(CSRSymmetriseCost(bigNodes, bigNNZ)))
		},
		"CSRToBits":   func(c *Ctl) { CSRToBits(c, dst, s) },
		"CSRToDense":  func(c *Ctl) { CSRToDense(c, f, s, 0) },
		"BitsToCSR":   func(c *Ctl) { BitsToCSR(c, turned, a) },
		"CSRColCount": func(c *Ctl) { CSRColCount(c, vec, big) },
		"CSRMatVec":   func(c *Ctl) { CSRMatVec(c, vec, big, make([]float64, bigNodes)) },
		"CSRVecMat":   func(c *Ctl) { CSRVecMat(c, vec, make([]float64, bigNodes), big) },
	} {
		for _, workers := range []int{1, 2} {
			c := Ctl{Done: done, Workers: workers}
			if Finished(func() { kernel(&c) }) {
				t.Errorf("%s, %d workers: finished though cancelled", what, workers)
			}
			// Clearing the result at the start is one step, at memory speed.
			if c.Ops > uint64(3*PollOps+2*bigNodes) {
				t.Errorf("%s, %d workers: %d operations after it was cancelled", what, workers, c.Ops)
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	const n = 200
	a := randomBitGraph(r, n, .02, false)
	s := bitsToCSR(a)
	dst := tensor.NewBits(n, n)
	f := make([]float64, n*n)
	part := make([]int32, n)
	vec := make([]uint64, tensor.Words(n))
	nnz := s.NNZ()
	scratch := garbage(Cost{F: 1 << 16, W: 1 << 18, I: 1 << 16})
	c := &Ctl{Workers: 1}
	turned := tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1), Idx: make([]int32, 2*nnz)}
	if got := testing.AllocsPerRun(10, func() {
		ClosureBits(c, dst, a, scratch)
		ClosureCSR(c, dst, s, scratch)
		SCCBits(c, part, a, scratch)
		SCCCSR(c, part, s, scratch)
		PartsToBits(c, dst, part, scratch)
		WalkBits(c, vec, a, 1, op.WalkRow, scratch)
		WalkCSR(c, vec, s, 1, op.WalkRow, scratch)
		HasPathBits(c, a, 1, 2, scratch)
		HasPathCSR(c, s, 1, 2, scratch)
		DistBits(c, f, a, 1, scratch)
		DistCSR(c, f, s, 1, scratch)
		PathBits(c, f, a, 1, 2, scratch)
		PathCSR(c, f, s, 1, 2, scratch)
		TrianglesBits(c, a, scratch)
		TrianglesCSR(c, s, scratch)
		TraceCubeCSR(c, s, scratch)
		CountProduct(c, f, a, a, scratch)
		BoolProduct(c, dst, a, a, scratch)
		TripleTrace(c, a, a, a)
		BitsTranspose(c, dst, a)
		PopCols(c, f, a)
		BitsExpand(c, f, a)
		BitsPack(c, dst, f)
		CSRTranspose(c, turned, s)
		CSRSymmetrise(c, turned, s, scratch)
		OneWayEdgesCSR(c, s, scratch)
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func FuzzClosure(f *testing.F) {
	f.Add(uint8(3), []byte{0, 1, 1, 2, 2, 0})
	f.Add(uint8(100), []byte{0, 99, 99, 5, 5, 0, 7, 7})
	f.Fuzz(func(t *testing.T, size uint8, edges []byte) {
		n := int(size)%130 + 1
		m := emptyMatrix(n, n)
		for k := 0; k+1 < len(edges); k += 2 {
			m[int(edges[k])%n][int(edges[k+1])%n] = true
		}
		g := newGraphCase("fuzz", m)
		want := packMatrix(NaiveClosure(m), n, n)
		var c Ctl
		got := dirtyBits(n, n)
		ClosureBits(&c, got, g.bits, garbage(ClosureBitsCost(n)))
		if !slices.Equal(got.W, want.W) {
			t.Errorf("ClosureBits is wrong on %v", g.csr)
		}
		got = dirtyBits(n, n)
		ClosureCSR(&c, got, g.csr, garbage(ClosureCSRCost(n, g.csr.NNZ())))
		if !slices.Equal(got.W, want.W) {
			t.Errorf("ClosureCSR is wrong on %v", g.csr)
		}
	})
}

// ended runs a kernel that has a result, and reports whether it came to an end by itself.
func ended[T any](run func() T) (result T, ok bool) {
	ok = Finished(func() { result = run() })
	return result, ok
}
