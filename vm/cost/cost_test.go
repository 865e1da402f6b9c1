package cost

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ein/vm/code"
	"ein/vm/ir"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/tensor"
)

// chainProgram is instructions that write registers of random layouts and read
// random earlier ones: all that the arena planner looks at.
func chainProgram(r *rand.Rand) (*code.Program, []Step) {
	p := &code.Program{}
	reg := func() code.Reg {
		n := r.IntN(9)
		switch r.IntN(4) {
		case 0:
			return code.Reg{Type: tensor.Type{Shape: tensor.ShapeOf(n, 64*r.IntN(4))}, Layout: tensor.Packed}
		case 1:
			return code.Reg{Type: tensor.Type{Kind: tensor.Kind(r.IntN(3)), Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Sparse, NNZ: r.IntN(n*n + 1)}
		case 2:
			return code.Reg{Type: tensor.Type{Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Parts}
		}
		return code.Reg{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(n, r.IntN(9))}}
	}
	for range 1 + r.IntN(3) {
		k := len(p.Regs)
		p.Regs = append(p.Regs, reg())
		if r.IntN(2) == 0 {
			p.Inputs = append(p.Inputs, code.Input{Reg: k})
		} else {
			p.Consts = append(p.Consts, code.Const{Reg: k})
		}
	}
	steps := make([]Step, 1+r.IntN(40))
	for i := range steps {
		in := code.Instr{Dst: len(p.Regs)}
		for range 1 + r.IntN(3) {
			in.Args = append(in.Args, max(0, len(p.Regs)-1-r.IntN(6)))
		}
		if r.IntN(8) == 0 {
			in.Dst = -1
		} else {
			p.Regs = append(p.Regs, reg())
		}
		if r.IntN(8) == 0 {
			in.Results = []int{len(p.Regs)}
			p.Regs = append(p.Regs, code.Reg{Layout: tensor.Rows})
		}
		p.Code = append(p.Code, in)
		steps[i] = Step{Cost: kernel.Cost{F: uint64(r.IntN(20)), W: uint64(r.IntN(20)), I: uint64(r.IntN(20))}}
	}
	for range 1 + r.IntN(3) {
		p.Outputs = append(p.Outputs, code.Output{Reg: r.IntN(len(p.Regs))})
	}
	for i := range steps {
		steps[i].Instr = &p.Code[i]
	}
	return p, steps
}

// lives gives the first and the last instruction during which each register of
// the arena holds a value.
func lives(p *code.Program) (from, to []int) {
	from, to = make([]int, len(p.Regs)), make([]int, len(p.Regs))
	for r := range p.Regs {
		from[r] = -1
	}
	for i, in := range p.Code {
		if in.Dst >= 0 {
			from[in.Dst], to[in.Dst] = i, i
		}
		for _, a := range in.Args {
			to[a] = i
		}
	}
	for _, o := range p.Outputs {
		to[o.Reg] = len(p.Code)
	}
	for _, in := range p.Code { // a proof of an output reads again what its rules read
		if slices.ContainsFunc(in.Results, func(r int) bool { return to[r] == len(p.Code) }) {
			for _, a := range in.Args {
				to[a] = len(p.Code)
			}
		}
	}
	return from, to
}

// TestArena: registers that hold values at the same time have memory of their
// own, all of it lies before the scratch, and the scratch is what the greediest
// instruction asks for.
func TestArena(t *testing.T) {
	shared := 0
	var a Arena // of one program after another
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		p, steps := chainProgram(r)
		a.plan(p, steps, nil)
		from, to := lives(p)
		words := func(pick func(kernel.Cost) uint64, at func(Place) uint64, name string) {
			total, end := uint64(0), at(a.Scratch)
			for x := range p.Regs {
				if from[x] < 0 {
					continue
				}
				n := pick(Need(&p.Regs[x]))
				total += n
				if n > 0 && at(a.Place[x])+n > end {
					t.Fatalf("seed %d: register %d reaches into the scratch of %s", seed, x, name)
				}
				for y := range x {
					if from[y] < 0 || to[y] < from[x] || to[x] < from[y] {
						continue
					}
					m := pick(Need(&p.Regs[y]))
					if n > 0 && m > 0 && at(a.Place[x]) < at(a.Place[y])+m && at(a.Place[y]) < at(a.Place[x])+n {
						t.Fatalf("seed %d: registers %d and %d share %s", seed, x, y, name)
					}
				}
			}
			scratch := uint64(0)
			for i := range steps {
				scratch = max(scratch, pick(steps[i].Cost))
			}
			if pick(a.Size) != end+scratch {
				t.Fatalf("seed %d: %d words of %s, want %d", seed, pick(a.Size), name, end+scratch)
			}
			if total > end {
				shared++
			}
		}
		words(func(c kernel.Cost) uint64 { return c.F }, func(p Place) uint64 { return p.F }, "floats")
		words(func(c kernel.Cost) uint64 { return c.W }, func(p Place) uint64 { return p.W }, "words")
		words(func(c kernel.Cost) uint64 { return c.I }, func(p Place) uint64 { return p.I }, "integers")
	}
	if shared < 1000 {
		t.Errorf("memory was used again in only %d programs", shared)
	}
}

// TestHeap: ranges that are given back come together again, whatever the order.
func TestHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var h heap
		type piece struct{ at, size uint64 }
		var taken []piece
		for range 60 {
			if len(taken) > 0 && r.IntN(2) == 0 {
				k := r.IntN(len(taken))
				h.give(taken[k].at, taken[k].size)
				taken = append(taken[:k], taken[k+1:]...)
				continue
			}
			n := uint64(r.IntN(9))
			taken = append(taken, piece{h.take(n), n})
		}
		for _, x := range taken {
			h.give(x.at, x.size)
		}
		if end := h.end; end > 0 && (len(h.holes) != 1 || h.holes[0] != hole{0, end}) {
			t.Fatalf("holes %v of %d words", h.holes, end)
		}
	}
}

// huge is a program whose sizes are products of up to 8 sizes of up to 2^30.
func huge(r *rand.Rand) *code.Program {
	size := func() int { return 1 << r.IntN(31) >> r.IntN(3) }
	dims := func(rank int) []int {
		d := make([]int, rank)
		for i := range d {
			d[i] = size()
		}
		return d
	}
	p := &code.Program{}
	real := func(d ...int) int {
		p.Regs = append(p.Regs, code.Reg{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(d...)}})
		return len(p.Regs) - 1
	}
	emit := func(op code.Op, attr code.Attr, dst int, args ...int) {
		p.Code = append(p.Code, code.Instr{Op: op, Attr: attr, Dst: dst, Args: args})
		p.Pos = append(p.Pos, ir.Pos{})
		p.Stmts = append(p.Stmts, code.Stmt{Name: fmt.Sprint(len(p.Code)), From: len(p.Code) - 1, To: len(p.Code)})
		if dst >= 0 {
			p.Outputs = append(p.Outputs, code.Output{Reg: dst})
		}
	}
	for range 1 + r.IntN(6) {
		d := dims(1 + r.IntN(8))
		a := real(d...)
		p.Inputs = append(p.Inputs, code.Input{Reg: a})
		switch r.IntN(3) {
		case 0:
			emit(code.CheckFinite, code.Attr{}, -1, a)
		case 1:
			emit(code.Softmax, code.Attr{Axes: []int{0}}, real(d...), a)
		case 2:
			emit(code.CheckInt, code.Attr{}, -1, a)
		}
	}
	return p
}

// TestSaturation compares the totals with arithmetic that has no largest
// number.
func TestSaturation(t *testing.T) {
	most := new(big.Int).SetUint64(^uint64(0))
	saturated := 0
	for seed := range uint64(2000) {
		p := huge(rand.New(rand.NewPCG(seed, 3)))
		if err := code.Verify(p); err != nil {
			t.Fatal(err)
		}
		m, err := New(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		elems := func(reg int) *big.Int {
			n := big.NewInt(1)
			for _, d := range p.Regs[reg].Shape.Dims() {
				n.Mul(n, big.NewInt(int64(d)))
			}
			return n
		}
		ops, bytes, out := new(big.Int), new(big.Int), new(big.Int)
		for _, in := range p.Inputs {
			bytes.Add(bytes, new(big.Int).Mul(big.NewInt(8), elems(in.Reg)))
		}
		for _, in := range p.Code {
			factor := int64(1)
			if in.Op == code.Softmax {
				factor = 3
			}
			ops.Add(ops, new(big.Int).Mul(big.NewInt(factor), elems(in.Args[0])))
		}
		for _, o := range p.Outputs { // all of them live to the end
			out.Add(out, elems(o.Reg))
			bytes.Add(bytes, new(big.Int).Mul(big.NewInt(8), elems(o.Reg)))
		}
		c := &m.Certificate
		for _, x := range []struct {
			name string
			got  uint64
			want *big.Int
		}{{"operations", c.Ops, ops}, {"bytes", c.PeakBytes, bytes}, {"output elements", c.OutputElements, out}} {
			if x.want.Cmp(most) >= 0 {
				saturated++
				x.want = most
			}
			if new(big.Int).SetUint64(x.got).Cmp(x.want) != 0 {
				t.Fatalf("seed %d: %d %s, want %v", seed, x.got, x.name, x.want)
			}
		}
	}
	if saturated < 100 {
		t.Errorf("only %d numbers saturate", saturated)
	}
}

// TestCheck: no limit, the limit itself, and one below.
func TestCheck(t *testing.T) {
	c := Certificate{Ops: 10, Unmetered: 10, PeakBytes: 20, OutputElements: 30, Statements: []Statement{
		{Name: "a", Ops: 1, Unmetered: 1, Bytes: 15}, {Name: "b", Ops: 9, Unmetered: 9, Bytes: 5}}}
	for _, x := range []struct {
		limits Limits
		what   string
	}{
		{Limits{}, ""},
		{Limits{MaxOps: 10, MaxBytes: 20, MaxOutputElements: 30}, ""},
		{Limits{MaxOps: 9}, "operations"},
		{Limits{MaxBytes: 19}, "bytes"},
		{Limits{MaxOutputElements: 29}, "output elements"},
		{Limits{MaxOps: 9, MaxBytes: 19}, "bytes"},
	} {
		err := c.Check(x.limits)
		var e *LimitError
		switch {
		case x.what == "" && err != nil, x.what != "" && !errors.As(err, &e):
			t.Errorf("%+v: %v", x.limits, err)
		case x.what != "":
			if e.What != x.what || e.Need != e.Max+1 || !strings.Contains(err.Error(), x.what) {
				t.Errorf("%+v: %v", x.limits, err)
			}
			if want := map[string]string{"operations": "b", "bytes": "a"}[e.What]; want != "" && e.Name != want {
				t.Errorf("%s: statement %s, want %s", e.What, e.Name, want)
			}
		}
	}
}

// TestNoKernel: an instruction that no kernel can run is an error, not a panic.
func TestNoKernel(t *testing.T) {
	r := code.Reg{Type: tensor.Type{Kind: tensor.Real}}
	for _, in := range []code.Instr{
		{Op: code.Semiring, Args: []int{0, 0}, Attr: code.Attr{Spec: &op.Spec{In: [][]uint8{{}, {}}}, Fn: op.FnWhere}},
		{Op: code.Fused, Args: []int{0}, Attr: code.Attr{Micro: &code.Micro{Strides: [][]int{{}}, Code: []op.Micro{{Fn: op.FnNeg, Dst: 255}}}}},
		{Op: code.Reduce, Args: []int{0}, Attr: code.Attr{Fold: op.FoldArgMax}},
	} {
		in.Dst = 1
		if _, err := New(&code.Program{Regs: []code.Reg{r, r}, Inputs: []code.Input{{}}, Code: []code.Instr{in}}, Options{}); err == nil || !strings.HasPrefix(err.Error(), "cost: ") {
			t.Errorf("%v: %v", in.Op, err)
		}
	}
}
