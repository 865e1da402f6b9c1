package vm

import (
	"testing"

	"ein/vm/code"
	"ein/vm/tensor"
)

// TestKernels: every row of the table of operations has its kernel.
func TestKernels(t *testing.T) {
	for op, k := range kernels {
		if k == nil {
			t.Errorf("%v has no kernel", code.Op(op))
		}
	}
}

// Soil overwrites the memory of a machine with what an earlier run could have
// left there. Constants and inputs are not the machine's to write.
func Soil(m *Machine, f float64, w uint64, x int32) {
	for i := range m.scratch.F {
		m.scratch.F[i] = f
	}
	for i := range m.scratch.W {
		m.scratch.W[i] = w
	}
	for i := range m.scratch.I {
		m.scratch.I[i] = x
	}
	fixed := make([]bool, len(m.regs))
	for _, c := range m.mod.Program.Consts {
		fixed[c.Reg] = true
	}
	for _, in := range m.mod.Program.Inputs {
		fixed[in.Reg] = true
	}
	for i := range m.regs {
		if !fixed[i] {
			soil(&m.regs[i], f, w, x)
		}
	}
}

func soil(v *tensor.Value, f float64, w uint64, x int32) {
	for _, list := range [][]float64{v.F, v.CSR.Val} {
		for i := range list {
			list[i] = f
		}
	}
	for i := range v.Bits.W {
		v.Bits.W[i] = w
	}
	for _, list := range [][]int32{v.CSR.Ptr, v.CSR.Idx, v.Part} {
		for i := range list {
			list[i] = x
		}
	}
}
