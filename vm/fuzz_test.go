package vm_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"testing"

	"ein/internal/naive/gen"
	"ein/internal/naive/rules"
	"ein/lang"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/tensor"
)

// randomValue is a value that r can hold.
func randomValue(rnd *rand.Rand, r *code.Reg) tensor.Value {
	number := func() float64 {
		switch {
		case r.Kind == tensor.Bool:
			return float64(rnd.IntN(2))
		case r.Kind == tensor.Int && rnd.IntN(8) == 0:
			return []float64{tensor.MaxInt - 1, 1 - tensor.MaxInt, 1 << 40}[rnd.IntN(3)]
		case r.Kind == tensor.Int:
		case rnd.IntN(40) == 0:
			return []float64{nan, inf, -inf, tensor.MaxInt}[rnd.IntN(4)]
		}
		return float64(rnd.IntN(5) - 1)
	}
	v := tensor.Value{Type: r.Type, Layout: tensor.Dense}
	n := r.Shape.Dim(0)
	if r.Layout == tensor.Parts {
		v.Layout, v.Part = tensor.Parts, make([]int32, n)
		for i := range v.Part {
			v.Part[i] = int32(rnd.IntN(n))
		}
		return v
	}
	v.F = make([]float64, r.Shape.Elems())
	room := len(v.F)
	if r.Layout == tensor.Sparse {
		room = r.NNZ
	}
	for i := range v.F {
		if v.F[i] = number(); v.F[i] != 0 && r.Layout == tensor.Sparse {
			if room--; room < 0 {
				v.F[i] = 0
			}
		}
	}
	switch r.Layout {
	case tensor.Packed:
		return packed(v)
	case tensor.Sparse:
		s := sparse(v, r.Kind != tensor.Bool)
		s.Kind = r.Kind
		return s
	}
	return v
}

// runAnything takes bytecode that may be anything as far as it goes, under
// small limits, and reports what must not happen.
func runAnything(p *code.Program, seed uint64) error {
	for i := range p.Inputs { // the values are any
		p.Inputs[i].Bytes, p.Inputs[i].NonNeg = 0, false
	}
	mod, err := cost.New(p, cost.Options{Workers: 1 + int(seed%3)})
	if err != nil {
		return nil //nolint:nilerr // some shapes have no kernel
	}
	limits := cost.Limits{MaxOps: 1 << 22, MaxBytes: 1 << 24, MaxOutputElements: 1 << 20}
	// Rows and tables are metered.
	if c := &mod.Certificate; c.PeakBytes-c.Rows > limits.MaxBytes || c.Unmetered > limits.MaxOps || c.OutputElements-c.TableElements > limits.MaxOutputElements {
		m, err := vm.New(mod, limits)
		var e *cost.LimitError
		if m != nil || !errors.As(err, &e) {
			return errors.New("not refused")
		}
		return nil
	}
	m, err := vm.New(mod, limits)
	if err != nil {
		return err
	}
	rnd := rand.New(rand.NewPCG(seed, 1))
	inputs := make([]tensor.Value, len(p.Inputs))
	for round := range 2 {
		for i, in := range p.Inputs {
			inputs[i] = randomValue(rnd, &p.Regs[in.Reg])
		}
		if round > 0 {
			vm.Soil(m, nan, ^uint64(0), -1)
		}
		r, err := bindAndRun(context.Background(), m, inputs)
		var e *vm.RuntimeError
		var over *vm.Exceeded
		if err != nil && (!errors.As(err, &e) || e.Kind == vm.BadInput) && !errors.As(err, &over) {
			return err
		}
		if m.Stats().Ops > limits.MaxOps {
			return fmt.Errorf("%d operations, the limit is %d", m.Stats().Ops, limits.MaxOps)
		}
		if err := sound(mod, m, r); err != nil {
			return err
		}
	}
	return nil
}

// body is the binary form of p without its checksum: the fuzzer would never
// find a right one.
func body(t testing.TB, p *code.Program) []byte {
	t.Helper()
	b, err := p.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b[:len(b)-crc32.Size]
}

// FuzzBytecode runs what Unmarshal accepts.
func FuzzBytecode(f *testing.F) {
	for _, list := range [][]stepCase{graphCases(), bitCases(), sparseCases(), denseCases()} {
		for _, c := range list {
			f.Add(body(f, single(c.op, c.attr, &c.dst, c.args)), uint64(1))
		}
	}
	for seed := range uint64(20) {
		mod, _, err := lang.Load("t.ein", gen.Program(rand.New(rand.NewPCG(seed, 7))), lang.Options{})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body(f, mod.Program), seed)
		f.Add(body(f, tables(rules.Random(rand.New(rand.NewPCG(seed, 7))))), seed)
		f.Add(body(f, tables(rules.Closure(rand.New(rand.NewPCG(seed, 7))))), seed)
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		data = binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
		p, err := code.Unmarshal(data)
		if err != nil {
			return
		}
		if err := runAnything(p, seed); err != nil {
			t.Fatalf("%v\n%s", err, code.Disassemble(p, nil))
		}
	})
}

// TestMutatedInstructions changes registers, attributes and shapes of well
// formed instructions at random; far more of these verify than of changed
// bytes.
func TestMutatedInstructions(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	rnd := rand.New(rand.NewPCG(8, 9))
	ran := 0
	for _, list := range [][]stepCase{graphCases(), bitCases(), sparseCases(), denseCases()} {
		for _, c := range list {
			for range rounds {
				p := single(c.op, c.attr, &c.dst, c.args)
				mutate(rnd, p)
				if code.Verify(p) != nil {
					continue
				}
				ran++
				if err := runAnything(p, rnd.Uint64()); err != nil {
					t.Fatalf("%s: %v\n%s", c.name, err, code.Disassemble(p, nil))
				}
			}
		}
	}
	t.Logf("%d programs ran", ran)
}

// mutate changes sizes all over the program, so that they still fit, and then
// some other things.
func mutate(rnd *rand.Rand, p *code.Program) {
	sizes := make([]int, 9)
	for i := range sizes {
		sizes[i] = []int{0, 1, 2, 3, 5, 63, 64, 65, 130}[rnd.IntN(9)]
	}
	for i := range p.Regs {
		r := &p.Regs[i]
		full := uint64(r.NNZ) == r.Shape.Elems()
		dims := r.Shape.Dims()
		for d, n := range dims {
			if n < len(sizes) {
				dims[d] = sizes[n]
			}
		}
		r.Shape = tensor.ShapeOf(dims...)
		r.NNZ = int(min(uint64(rnd.IntN(60)), r.Shape.Elems()))
		if full || i == len(p.Regs)-1 {
			r.NNZ = int(r.Shape.Elems())
		}
	}
	in := &p.Code[0]
	if in.Spec != nil {
		s := *in.Spec
		s.Size = append([]int(nil), s.Size...)
		for i, n := range s.Size {
			if n < len(sizes) {
				s.Size[i] = sizes[n]
			}
		}
		in.Spec = &s
	}
	if in.Micro != nil {
		m := *in.Micro
		m.Shape = append([]int(nil), m.Shape...)
		for i, n := range m.Shape {
			if n < len(sizes) {
				m.Shape[i] = sizes[n]
			}
		}
		m.Strides = [][]int{{m.Shape[1], 1}, {0, 1}}
		in.Micro = &m
	}
	switch rnd.IntN(4) {
	case 0:
		in.Fn, in.Fold = 0, 0
	case 1:
		in.Fold++
	case 2:
		in.Args[rnd.IntN(len(in.Args))] = rnd.IntN(len(p.Regs))
	}
}
