package vm_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"ein/vm"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/tensor"
)

// dense is a real tensor; the last dimension of shape runs fastest.
func dense(shape []int, data ...float64) tensor.Value {
	return tensor.Value{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(shape...)}, F: data}
}

func scalar(x float64) tensor.Value { return dense(nil, x) }

func vec(data ...float64) tensor.Value { return dense([]int{len(data)}, data...) }

func mat(cols int, data ...float64) tensor.Value {
	return dense([]int{len(data) / cols, cols}, data...)
}

// packed is a 0/1 vector or matrix in bits.
func packed(v tensor.Value) tensor.Value {
	rows, cols := 1, v.Shape.Dim(0)
	if v.Shape.Rank() == 2 {
		rows, cols = cols, v.Shape.Dim(1)
	}
	p := tensor.Value{Type: tensor.Type{Shape: v.Shape}, Layout: tensor.Packed, Bits: tensor.NewBits(rows, cols)}
	for i, x := range v.F {
		if x != 0 {
			p.Bits.Set(i/cols, i%cols)
		}
	}
	return p
}

// sparse is a matrix as CSR: of ones when every entry is 0 or 1 and weights are
// not asked for.
func sparse(v tensor.Value, weights bool) tensor.Value {
	rows, cols := v.Shape.Dim(0), v.Shape.Dim(1)
	s := tensor.Value{Type: tensor.Type{Shape: v.Shape}, Layout: tensor.Sparse, CSR: tensor.CSR{Rows: rows, Cols: cols, Ptr: make([]int32, rows+1)}}
	if weights {
		s.Kind, s.CSR.Val = tensor.Real, []float64{}
	}
	for i := range rows {
		for j := range cols {
			if x := v.F[i*cols+j]; x != 0 {
				s.CSR.Idx = append(s.CSR.Idx, int32(j))
				if weights {
					s.CSR.Val = append(s.CSR.Val, x)
				}
			}
		}
		s.CSR.Ptr[i+1] = int32(len(s.CSR.Idx))
	}
	return s
}

func parts(ids ...int32) tensor.Value {
	n := len(ids)
	return tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Parts, Part: ids}
}

// register is the smallest register that holds v.
func register(v *tensor.Value) code.Reg {
	return code.Reg{Type: v.Type, Layout: v.Layout, NNZ: v.CSR.NNZ()}
}

// csrReg is a register for a matrix with weights and at most so many entries.
func csrReg(rows, cols, entries int) code.Reg {
	return code.Reg{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(rows, cols)}, Layout: tensor.Sparse, NNZ: entries}
}

func denseReg(dims ...int) code.Reg {
	return code.Reg{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(dims...)}}
}

func bitsReg(dims ...int) code.Reg {
	return code.Reg{Type: tensor.Type{Shape: tensor.ShapeOf(dims...)}, Layout: tensor.Packed}
}

// single is the program of one instruction whose arguments are inputs; dst nil
// stands for an instruction without a result.
func single(op code.Op, attr code.Attr, dst *code.Reg, args []tensor.Value) *code.Program {
	p := &code.Program{Pos: []ir.Pos{{Start: 3, End: 7}}, Stmts: []code.Stmt{{Name: "Result", To: 1}}}
	in := code.Instr{Op: op, Dst: -1, Attr: attr}
	for i := range args {
		p.Regs = append(p.Regs, register(&args[i]))
		p.Inputs = append(p.Inputs, code.Input{Reg: i, Name: fmt.Sprintf("in%d", i), Kind: "matrix"})
		in.Args = append(in.Args, i)
	}
	if dst != nil {
		in.Dst = len(p.Regs)
		p.Regs = append(p.Regs, *dst)
		p.Outputs = []code.Output{{Reg: in.Dst, Name: "Result"}}
	}
	p.Code = []code.Instr{in}
	return p
}

// newMachine verifies, plans and allocates.
func newMachine(t testing.TB, p *code.Program, workers int) (*vm.Machine, *cost.Module) {
	t.Helper()
	if err := code.Verify(p); err != nil {
		t.Fatal(err)
	}
	mod, err := cost.New(p, cost.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	m, err := vm.New(mod, cost.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return m, mod
}

// mustRun runs and holds the run against its certificate and its outputs
// against their registers.
func mustRun(t testing.TB, m *vm.Machine, mod *cost.Module, inputs []tensor.Value) *vm.Result {
	t.Helper()
	r, err := bindAndRun(context.Background(), m, inputs)
	if err != nil {
		t.Fatal(err)
	}
	if err := sound(mod, m, r); err != nil {
		t.Fatal(err)
	}
	return r
}

func sound(mod *cost.Module, m *vm.Machine, r *vm.Result) error {
	if s := m.Stats(); s.Ops > mod.Certificate.Ops || s.PeakBytes > mod.Certificate.PeakBytes {
		return fmt.Errorf("the run used %+v, the certificate is %+v", s, mod.Certificate)
	}
	if r == nil {
		return nil
	}
	for i, o := range r.Outputs {
		if err := code.CheckValue(o.Value, &mod.Program.Regs[mod.Program.Outputs[i].Reg], nil); err != nil {
			return fmt.Errorf("output %s: %w", o.Name, err)
		}
	}
	return nil
}

func equal(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) && !(math.Abs(a[i]-b[i]) <= 1e-12*math.Abs(b[i])) {
			return false
		}
	}
	return true
}

// spec reads "ij,jk->ik", index i being number 0.
func spec(text string, size ...int) *op.Spec {
	s := &op.Spec{Size: size, In: [][]uint8{nil}}
	list, out := &s.In[0], false
	for _, c := range text {
		switch c {
		case ',':
			s.In = append(s.In, nil)
			list = &s.In[len(s.In)-1]
		case '-':
			list, out = &s.Out, true
		case '>':
		default:
			*list = append(*list, uint8(c-'i'))
		}
	}
	if !out {
		panic("spec " + text)
	}
	return s
}
