package code

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ein/vm/ir"
	"ein/vm/tensor"
)

func TestVerifyEveryOperation(t *testing.T) {
	cases := opCases()
	for op := range MaxOp {
		i := slices.IndexFunc(cases, func(c opCase) bool { return c.op == op })
		if i < 0 || len(cases[i].good) == 0 || len(cases[i].bad) == 0 {
			t.Errorf("%v has no cases", op)
		}
	}
	for _, c := range cases {
		for _, v := range c.good {
			if err := Verify(single(c.op, v.sig, v.attr)); err != nil {
				t.Errorf("%v %s: %v", c.op, v.sig, err)
			}
		}
		for _, v := range c.bad {
			wantError(t, c.op.String()+" "+v.sig, Verify(single(c.op, v.sig, v.attr)), v.err)
		}
	}
}

// TestVerifyPlanning bounds what the rules of all instructions together take to plan.
func TestVerifyPlanning(t *testing.T) {
	p := single(Rules, "s5,5/7 d5 -> t/25 v/5", farther(tiresome(40)))
	if err := Verify(p); err != nil {
		t.Fatal(err)
	}
	again, n := p.Code[0], len(p.Regs)
	again.Results = []int{n, n + 1}
	p.Regs, p.Code, p.Pos, p.Stmts[0].To = append(p.Regs, p.Regs[n-2:]...), append(p.Code, again), append(p.Pos, p.Pos[0]), 2
	wantError(t, "twice", Verify(p), "instruction 1: the rules so far take 317538 literals to plan")
}

func wantError(t *testing.T, name string, err error, part string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want %q", name, part)
	} else if !strings.Contains(err.Error(), part) {
		t.Errorf("%s: %v; want %q", name, err, part)
	}
}

func TestVerifyRegisters(t *testing.T) {
	negative := tensor.Shape{}.Append(-1)
	for _, c := range []struct {
		name string
		reg  Reg
		err  string
	}{
		{"kind", Reg{Type: tensor.Type{Kind: tensor.Real + 1}}, "malformed type"},
		{"far", Reg{Type: tensor.Type{Kind: tensor.Int, Far: true}}, "malformed type"},
		{"unknown size", Reg{Type: tensor.Type{Shape: negative}}, "size -1"},
		{"large size", parseReg("d1073741825"), "size 1073741825"},
		{"layout", Reg{Layout: tensor.Rows + 1}, "layout 5"},
		{"bits of reals", Reg{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(3)}, Layout: tensor.Packed}, "does not hold real 3"},
		{"bit", parseReg("b"), "does not hold bool scalar"},
		{"bits of rank 3", parseReg("b2,2,2"), "does not hold bool 2x2x2"},
		{"sparse vector", parseReg("s3"), "does not hold bool 3"},
		{"entries", parseReg("s3,3/10"), "does not hold bool 3x3"},
		{"negative entries", parseReg("s3,3/-1"), "does not hold bool 3x3"},
		{"too many entries", parseReg("s65536,65536/2147483647"), "does not hold"},
		{"parts", parseReg("p3,4"), "does not hold bool 3x4"},
		{"parts of a vector", parseReg("p3"), "does not hold bool 3"},
		{"a table that is no relation", Reg{Table: &tensor.Table{}}, "does not hold bool scalar"},
		{"a table of other columns", Reg{Layout: tensor.Rows, Table: &tensor.Table{Columns: make([]tensor.Column, 1)}}, "does not hold bool scalar"},
		{"a table of more rows", Reg{Layout: tensor.Rows, Table: &tensor.Table{Len: 1}}, "does not hold bool scalar"},
		{"bits", parseReg("b3,4"), ""},
		{"large", parseReg("d1073741824,1073741824,1073741824"), ""},
	} {
		err := Verify(&Program{Regs: []Reg{c.reg}})
		if c.err == "" && err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if c.err != "" {
			wantError(t, c.name, err, c.err)
		}
	}
}

func TestVerifyProgram(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *Program)
		err    string
	}{
		{"positions", func(p *Program) { p.Pos = p.Pos[:1] }, "1 positions for 2 instructions"},
		{"position", func(p *Program) { p.Pos[1] = ir.Pos{Start: 5, End: 4} }, "instruction 1: source range 5 to 4"},
		{"negative position", func(p *Program) { p.Pos[0].Start = -1 }, "instruction 0: source range"},
		{"registers", func(p *Program) { p.Regs = make([]Reg, maxRegs+1) }, "16777217 registers"},
		{"operation", func(p *Program) { p.Code[0].Op = MaxOp }, fmt.Sprintf("unknown operation %d", MaxOp)},
		{"constant of no register", func(p *Program) { p.Consts[0].Reg = -1 }, "constant 0: there is no register -1"},
		{"constant twice", func(p *Program) { p.Consts[1].Reg = 0 }, "constant 1: register 0 is written twice"},
		{"constant of another shape", func(p *Program) { p.Consts[0].Value.Shape = tensor.ShapeOf(1) }, "constant 0: a dense int 1"},
		{"input twice", func(p *Program) { p.Inputs[0].Reg = 0 }, "input 0: register 0 is written twice"},
		{"input of no register", func(p *Program) { p.Inputs[0].Reg = 99 }, "input 0: there is no register 99"},
		{"argument of no register", func(p *Program) { p.Code[0].Args[0] = -1 }, "reads register -1"},
		{"argument past the last", func(p *Program) { p.Code[0].Args[0] = 99 }, "reads register 99"},
		{"own result", func(p *Program) { p.Code[0].Args[0] = p.Code[0].Dst }, "which has no value"},
		{"result twice", func(p *Program) { p.Code[0].Dst = 0 }, "count_all: register 0 is written twice"},
		{"result of no register", func(p *Program) { p.Code[0].Dst = 99 }, "there is no register 99"},
		{"output", func(p *Program) { p.Outputs[1].Reg = 99 }, "output 1: register 99 has no value"},
		{"output of nothing", func(p *Program) { p.Regs = append(p.Regs, Reg{}); p.Outputs[1].Reg = len(p.Regs) - 1 }, "output 1: register 16 has no value"},
		{"negative output", func(p *Program) { p.Outputs[1].Reg = -1 }, "output 1"},
		{"form", func(p *Program) { p.Outputs[1].Form = ir.NodeIndex + 1 }, "unknown form 4"},
		{"output position", func(p *Program) { p.Outputs[1].Pos.End = 0 }, "output 1: source range"},
		{"gap between statements", func(p *Program) { p.Stmts[1].From = 1 }, "statement 1 covers"},
		{"backwards statement", func(p *Program) { p.Stmts[0].To = -1 }, "statement 0 covers"},
		{"long statement", func(p *Program) { p.Stmts[1].To = 3 }, "statement 1 covers"},
		{"statement position", func(p *Program) { p.Stmts[1].Pos.Start = -5 }, "statement 1: source range"},
	} {
		p := everyLayout()
		c.change(p)
		wantError(t, c.name, Verify(p), c.err)
	}
}

func TestCheckValue(t *testing.T) {
	for _, c := range []struct {
		name   string
		konst  int // of everyLayout
		change func(v *tensor.Value)
		err    string
	}{
		{"kind", 5, func(v *tensor.Value) { v.Kind = tensor.Int }, "a csr int 4x300 where a csr bool 4x300"},
		{"layout", 1, func(v *tensor.Value) { v.Layout = tensor.Packed }, "a bits real 2x3 where a dense"},
		{"elements", 1, func(v *tensor.Value) { v.F = v.F[1:] }, "5 elements for 2x3"},
		{"rows", 3, func(v *tensor.Value) { v.Bits.Rows = 2 }, "bits of another size"},
		{"columns", 3, func(v *tensor.Value) { v.Bits.Cols = 71 }, "bits of another size"},
		{"stride", 3, func(v *tensor.Value) { v.Bits.Stride = 3 }, "bits of another size"},
		{"words", 3, func(v *tensor.Value) { v.Bits.W = v.Bits.W[:5] }, "bits of another size"},
		{"tail", 3, func(v *tensor.Value) { v.Bits.W[3] |= 1 << 6 }, "bits past the end of row 1"},
		{"tail of a vector", 4, func(v *tensor.Value) { v.Bits.W[0] = 1 << 5 }, "bits past the end of row 0"},
		{"entries", 5, func(v *tensor.Value) { v.CSR.Idx = append(v.CSR.Idx, 9) }, "6 entries, at most 5"},
		{"csr rows", 5, func(v *tensor.Value) { v.CSR.Rows = 5 }, "rows of another size"},
		{"csr columns", 5, func(v *tensor.Value) { v.CSR.Cols = 5 }, "rows of another size"},
		{"csr pointers", 5, func(v *tensor.Value) { v.CSR.Ptr = v.CSR.Ptr[:4] }, "rows of another size"},
		{"csr start", 5, func(v *tensor.Value) { v.CSR.Ptr = []int32{1, 2, 2, 3, 5} }, "rows of another size"},
		{"csr end", 5, func(v *tensor.Value) { v.CSR.Ptr = []int32{0, 2, 2, 3, 4} }, "rows of another size"},
		{"csr order of rows", 5, func(v *tensor.Value) { v.CSR.Ptr = []int32{0, 9, 2, 3, 5} }, "row 1 has a negative length"},
		{"repeated column", 5, func(v *tensor.Value) { v.CSR.Idx = []int32{0, 0, 7, 150, 151} }, "row 0 is not increasing"},
		{"negative column", 5, func(v *tensor.Value) { v.CSR.Idx = []int32{-1, 0, 7, 150, 151} }, "row 0 is not increasing"},
		{"column past the end", 5, func(v *tensor.Value) { v.CSR.Idx = []int32{0, 300, 7, 150, 151} }, "row 0 is not increasing"},
		{"weights where there are none", 5, func(v *tensor.Value) { v.CSR.Val = make([]float64, 5) }, "weights of a bool matrix: true"},
		{"no weights", 6, func(v *tensor.Value) { v.CSR.Val = nil }, "weights of a real matrix: false"},
		{"no weights of a lower kind", 6, func(v *tensor.Value) { v.Kind, v.CSR.Val = tensor.Bool, nil }, "weights of a real matrix: false"},
		{"few weights", 6, func(v *tensor.Value) { v.CSR.Val = v.CSR.Val[1:] }, "4 values for 5 entries"},
		{"nodes", 8, func(v *tensor.Value) { v.Part = v.Part[1:] }, "3 parts for 4 nodes"},
		{"part", 8, func(v *tensor.Value) { v.Part[2] = 4 }, "part 4"},
		{"negative part", 8, func(v *tensor.Value) { v.Part[2] = -1 }, "part -1"},
	} {
		p := everyLayout()
		k := &p.Consts[c.konst]
		if err := CheckValue(&k.Value, &p.Regs[k.Reg], nil); err != nil {
			t.Fatal(err)
		}
		c.change(&k.Value)
		wantError(t, c.name, CheckValue(&k.Value, &p.Regs[k.Reg], nil), c.err)
	}
}

func TestOpNames(t *testing.T) {
	seen := map[string]bool{}
	for op := range MaxOp {
		if name := op.String(); name == "" || seen[name] {
			t.Errorf("operation %d is called %q", op, name)
		} else {
			seen[name] = true
		}
	}
	if got := MaxOp.String(); got != fmt.Sprintf("op(%d)", int(MaxOp)) {
		t.Errorf("past the last: %s", got)
	}
}
