package kernel

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"ein/vm/op"
	"ein/vm/tensor"
)

// naiveExact is NaiveEinsum in integers of any size; ok is false when an element
// reaches 2^53.
func naiveExact(s op.Spec, ops [][]float64) (out []float64, ok bool) {
	sums := make([]big.Int, s.Elems(s.Out))
	naiveEach(s, func(at func(ids []uint8) int) {
		p, x := big.NewInt(1), new(big.Int)
		for k, op := range ops {
			p.Mul(p, x.SetInt64(int64(op[at(s.In[k])])))
		}
		sums[at(s.Out)].Add(&sums[at(s.Out)], p)
	})
	limit := big.NewInt(tensor.MaxInt)
	for i := range sums {
		if sums[i].CmpAbs(limit) >= 0 {
			return nil, false
		}
		out = append(out, float64(sums[i].Int64()))
	}
	return out, true
}

// hugeOperands hold whole numbers up to 2^53 of which many cancel.
func hugeOperands(r *rand.Rand, s op.Spec) [][]float64 {
	values := [][]float64{
		{0, 1, -1, 2}, {tensor.MaxInt - 1, 1 - tensor.MaxInt, 0}, {1 << 52, -1 << 52, 3, 0, 0},
		{0, 0, 0, tensor.MaxInt - 1}, {1 << 30, -1 << 30, 94906267, 0},
	}
	var ops [][]float64
	for _, ids := range s.In {
		from := values[r.IntN(len(values))]
		op := make([]float64, s.Elems(ids))
		for i := range op {
			op[i] = from[r.IntN(len(from))]
		}
		ops = append(ops, op)
	}
	return ops
}

func checkExactRun(t *testing.T, s op.Spec, p *Exact, ops [][]float64, csr *tensor.CSR, dense [][]float64) (exact bool) {
	t.Helper()
	want, wantExact := naiveExact(s, dense)
	got, c := denseGarbage(int(s.Elems(s.Out))), Ctl{}
	w := make([]uint64, p.Cost().W)
	for i := range w {
		w[i] = ^uint64(0)
	}
	exact, ok := ended(func() bool { return p.Run(&c, got, ops, csr, Scratch{F: denseGarbage(int(p.Cost().F)), W: w}) })
	if !ok || exact != wantExact || exact && !denseSame(got, want) {
		t.Fatalf("%v of %v\n got %v %v\nwant %v %v", s, dense, got, exact, want, wantExact)
	}
	if c.Ops > p.Cost().Ops {
		t.Fatalf("%v: %d operations, cost says at most %d", s, c.Ops, p.Cost().Ops)
	}
	return exact
}

func TestExactRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	count := [2]int{}
	for i := range 6000 {
		s := randomSpec(r, 1+r.IntN(5), 3, 1+i%4, 2000)
		ops := hugeOperands(r, s)
		if checkExactRun(t, s, PlanExact(s, -1, 0, false), ops, nil, ops) {
			count[1]++
		}
		count[0]++
	}
	if count[1] < count[0]/4 || count[1] > count[0]*9/10 {
		t.Errorf("%d of %d are exact", count[1], count[0])
	}
}

func TestExactSparse(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	ij, x := []uint8{0, 1}, []uint8{0}
	for i := range 3000 {
		s := op.Spec{Size: []int{r.IntN(6), r.IntN(6)}}
		sparse := 0
		s.In = [][]uint8{[][]uint8{ij, {1, 0}}[i%2]}
		s.Out = [][]uint8{{}, {0}, {1}, {0, 1}}[i/2%4]
		switch i / 8 % 3 {
		case 1:
			s.In = append(s.In, [][]uint8{x, {1}, {0, 1}}[r.IntN(3)])
		case 2:
			s.In = [][]uint8{x, s.In[0]}
			sparse = 1
		}
		dense := hugeOperands(r, s)
		ops := append([][]float64(nil), dense...)
		rows, cols := s.Size[s.In[sparse][0]], s.Size[s.In[sparse][1]]
		csr := tensor.CSR{Rows: rows, Cols: cols, Ptr: make([]int32, rows+1)}
		for k, v := range dense[sparse] {
			if v != 0 {
				csr.Idx, csr.Val = append(csr.Idx, int32(k%cols)), append(csr.Val, v)
			}
			csr.Ptr[k/cols+1] = int32(len(csr.Idx))
		}
		ops[sparse] = nil
		checkExactRun(t, s, PlanExact(s, sparse, csr.NNZ(), false), ops, &csr, dense)
	}
}

func TestExactCancelAllocs(t *testing.T) {
	s := op.Spec{In: [][]uint8{{0, 1}, {1, 2}}, Out: []uint8{0, 2}, Size: []int{100, 100, 100}}
	p := PlanExact(s, -1, 0, false)
	ops := [][]float64{make([]float64, 10_000), make([]float64, 10_000)}
	for i := range ops[0] {
		ops[0][i], ops[1][i] = 1<<52, float64(i%2)
	}
	dst, scratch := make([]float64, 10_000), Scratch{F: make([]float64, p.Cost().F), W: make([]uint64, p.Cost().W)}
	c := denseStopped()
	if _, ok := ended(func() bool { return p.Run(c, dst, ops, nil, scratch) }); ok || c.Ops > 3*PollOps {
		t.Errorf("ran on for %d operations", c.Ops)
	}
	c = &Ctl{}
	if allocs := testing.AllocsPerRun(3, func() { p.Run(c, dst, ops, nil, scratch) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkExact(b *testing.B) {
	s := op.Spec{In: [][]uint8{{0, 1}, {1, 2}}, Out: []uint8{0, 2}, Size: []int{100, 100, 100}}
	for name, most := range map[string]float64{"small": 1000, "large": 1 << 52} {
		p := PlanExact(s, -1, 0, false)
		ops := [][]float64{make([]float64, 10_000), make([]float64, 10_000)}
		for i := range ops[0] {
			ops[0][i], ops[1][i] = most, float64(i%2)
		}
		dst, scratch, c := make([]float64, 10_000), Scratch{F: make([]float64, p.Cost().F), W: make([]uint64, p.Cost().W)}, &Ctl{}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p.Run(c, dst, ops, nil, scratch)
			}
		})
	}
}
