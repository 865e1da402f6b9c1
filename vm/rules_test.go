package vm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ein/internal/naive/rules"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// tables is the program of one instruction that runs p, whose arguments are given, and
// gives all its results.
func tables(p *rel.Program, args ...tensor.Value) *code.Program {
	in := code.Instr{Op: code.Rules, Dst: -1, Attr: code.Attr{Rules: p}}
	out := &code.Program{Domains: p.Domains, Pos: []op.Pos{{}}, Stmts: []code.Stmt{{Name: "rules", To: 1}}}
	var regs []*code.Reg
	for i, v := range args {
		r := code.Reg{Type: v.Type, Layout: v.Layout, NNZ: v.CSR.NNZ()}
		if v.Table != nil {
			r.Columns, r.NNZ, r.Table = v.Table.Columns, v.Table.Len, v.Table
		}
		in.Args = append(in.Args, i)
		out.Inputs = append(out.Inputs, code.Input{Reg: i, Name: fmt.Sprint("in", i), Kind: "relation"})
		out.Regs = append(out.Regs, r)
		regs = append(regs, &r)
	}
	plan := code.PlanRules(p, regs)
	for _, r := range p.Results {
		in.Results = append(in.Results, len(out.Regs))
		out.Outputs = append(out.Outputs, code.Output{Reg: len(out.Regs), Name: p.Relations[r].Name})
		out.Regs = append(out.Regs, code.Reg{Layout: tensor.Rows, NNZ: int(min(plan.Rows(r), math.MaxInt)), Columns: p.Relations[r].Columns})
	}
	out.Code = []code.Instr{in}
	return out
}

func plan(t *testing.T, p *code.Program) *cost.Module {
	t.Helper()
	if err := code.Verify(p); err != nil {
		t.Fatal(err)
	}
	mod, err := cost.New(p, cost.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

// TestRandomRules: what programs of random rules use never exceeds their certificate, nor limits
// far below it; within those they give what they mean.
func TestRandomRules(t *testing.T) {
	stopped := map[string]int{}
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 7))
		p := rules.Random(r)
		want, wrong := rules.Eval(p)
		data, err := tables(p).MarshalBinary()
		if err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, p)
		}
		back, err := code.Unmarshal(data)
		if err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, p)
		}
		mod := plan(t, back)
		c := mod.Certificate
		fixed := c.PeakBytes - c.Rows
		for _, limits := range []cost.Limits{{}, {MaxOps: 1 + r.Uint64N(200), MaxBytes: fixed + 1 + r.Uint64N(20000), MaxOutputElements: 1 + r.Uint64N(20)}} {
			m, err := vm.New(mod, limits)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			got, err := m.Run(context.Background())
			used := m.Stats()
			if limits.MaxOps == 0 {
				limits = cost.Limits{MaxOps: c.Ops, MaxBytes: c.PeakBytes, MaxOutputElements: c.OutputElements}
			}
			if used.Ops > min(c.Ops, limits.MaxOps) || used.PeakBytes > min(c.PeakBytes, limits.MaxBytes) {
				t.Fatalf("seed %d: %+v, certified %d and %d, limits %+v\n%v", seed, used, c.Ops, c.PeakBytes, limits, p)
			}
			var over *vm.Exceeded
			var failed *vm.RuntimeError
			switch {
			case errors.As(err, &over):
				stopped[over.What]++
			case errors.As(err, &failed):
				if wrong == nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			case err != nil:
				t.Fatalf("seed %d: %v", seed, err)
			case wrong == nil:
				cells := 0
				for i, o := range got.Outputs {
					k := 0
					for row := range o.Value.Table.All() {
						if fmt.Sprint(row) != fmt.Sprint(want[i][k]) {
							t.Fatalf("seed %d: %s: %v, want %v\n%v", seed, o.Name, row, want[i][k], p)
						}
						k++
					}
					cells += k * max(1, len(o.Value.Table.Columns))
					if k != len(want[i]) {
						t.Fatalf("seed %d: %s: %d rows, want %d", seed, o.Name, k, len(want[i]))
					}
				}
				if uint64(cells) > limits.MaxOutputElements {
					t.Fatalf("seed %d: %d cells", seed, cells)
				}
			}
		}
	}
	for _, what := range []string{"operations", "bytes", "output elements"} {
		if stopped[what] == 0 {
			t.Errorf("no limit on %s was reached", what)
		}
	}
}

// TestStrict: strict limits refuse what is metered.
func TestStrict(t *testing.T) {
	var mod *cost.Module
	for seed := uint64(0); mod == nil || mod.Certificate.OutputElements < 20; seed++ {
		mod = plan(t, tables(rules.Random(rand.New(rand.NewPCG(seed, 7)))))
	}
	for _, limits := range []cost.Limits{{MaxOps: 10}, {MaxBytes: mod.Certificate.PeakBytes - 1}, {MaxOutputElements: mod.Certificate.OutputElements - 1}} {
		if _, err := vm.New(mod, limits); err != nil {
			t.Errorf("%+v: %v", limits, err)
		}
		limits.Strict = true
		_, err := vm.New(mod, limits)
		var refused *cost.LimitError
		if !errors.As(err, &refused) || !refused.Metered {
			t.Errorf("%+v: %v", limits, err)
		}
	}
}

// TestScatter makes tensors of tables, and relations of tensors.
func TestScatter(t *testing.T) {
	d := &tensor.Domain{Name: "node", Size: 3, Labels: []string{"c", "b", "a"}}
	node, number := tensor.Column{Name: "x", Domain: d}, tensor.Column{Name: "n", Kind: tensor.RealColumn}
	pairs := tensor.Value{Layout: tensor.Rows, Table: &tensor.Table{Columns: []tensor.Column{node, node}, Len: 3,
		Cells: []tensor.Cells{{ID: []uint32{2, 2, 0}}, {ID: []uint32{1, 0, 2}}}}}
	weights := tensor.Value{Layout: tensor.Rows, Table: &tensor.Table{Columns: []tensor.Column{node, node, number}, Len: 3,
		Cells: []tensor.Cells{{ID: []uint32{2, 2, 0}}, {ID: []uint32{1, 0, 2}}, {Num: []float64{5, 6, 0}}}}}
	for _, c := range []struct {
		name string
		arg  tensor.Value
		rest float64
		to   code.Reg
		want string
	}{
		{"bits", pairs, 0, code.Reg{Type: tensor.Type{Shape: tensor.ShapeOf(3, 3)}, Layout: tensor.Packed}, "[0 0 1 0 0 0 1 1 0]"},
		{"csr", pairs, 0, code.Reg{Type: tensor.Type{Shape: tensor.ShapeOf(3, 3)}, Layout: tensor.Sparse, NNZ: 3}, "[0 0 1 0 0 0 1 1 0]"},
		{"weights", weights, 0, code.Reg{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(3, 3)}, Layout: tensor.Sparse, NNZ: 3}, "[0 0 0 0 0 0 6 5 0]"},
		{"dense", weights, -1, code.Reg{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(3, 3)}}, "[-1 -1 0 -1 -1 -1 6 5 -1]"},
	} {
		p := single(code.Scatter, code.Attr{}, &c.to, []tensor.Value{c.arg, tensor.Scalar(tensor.Int, c.rest)})
		if c.to.Kind == tensor.Bool {
			p.Regs[1].Kind = tensor.Bool
		}
		p.Regs[0].Columns, p.Regs[0].NNZ, p.Domains = c.arg.Table.Columns, 3, []*tensor.Domain{d}
		rest := tensor.Scalar(p.Regs[1].Kind, c.rest)
		m, err := vm.New(plan(t, p), cost.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		vm.Soil(m, 7, ^uint64(0), -1)
		r, err := bindAndRun(context.Background(), m, []tensor.Value{c.arg, rest})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(r.Outputs[0].Value.ToDense()); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestForgedTable: a program cannot claim to know what rules make.
func TestForgedTable(t *testing.T) {
	d := &tensor.Domain{Name: "node", Size: 3}
	cols := []tensor.Column{{Name: "x", Domain: d}}
	p := &rel.Program{Domains: []*tensor.Domain{d}, Relations: []rel.Relation{{Name: "A", Columns: cols}}, Results: []int{0}}
	forged := tables(p)
	forged.Regs[0].Table = &tensor.Table{Columns: cols}
	if err := code.Verify(forged); err == nil || !strings.Contains(err.Error(), "does not know its results") {
		t.Error(err)
	}
}

// TestSources reads every layout of a tensor as a relation.
func TestSources(t *testing.T) {
	d := &tensor.Domain{Name: "node", Size: 3}
	node := tensor.Column{Name: "x", Domain: d}
	ones := []float64{0, 1, 1, 0, 0, 0, 0, 0, 1}
	square := tensor.Type{Shape: tensor.ShapeOf(3, 3)}
	bits := tensor.NewBits(3, 3)
	bits.Set(0, 1)
	bits.Set(0, 2)
	bits.Set(2, 2)
	csr := tensor.CSR{Rows: 3, Cols: 3, Ptr: []int32{0, 2, 2, 3}, Idx: []int32{1, 2, 2}}
	for _, v := range []tensor.Value{
		{Type: square, F: ones},
		{Type: square, Layout: tensor.Packed, Bits: bits},
		{Type: square, Layout: tensor.Sparse, CSR: csr},
	} {
		for _, source := range []rel.Source{rel.FromEntries, rel.FromElements} {
			cols, want := []tensor.Column{node, node}, "[0 1][0 2][2 2]"
			if source == rel.FromElements {
				cols = append(cols, tensor.Column{Name: "v", Kind: tensor.IntColumn})
				want = "[0 0 0][0 1 1][0 2 1][1 0 0][1 1 0][1 2 0][2 0 0][2 1 0][2 2 1]"
			}
			p := &rel.Program{Domains: []*tensor.Domain{d}, Relations: []rel.Relation{{Name: "A", Columns: cols, Source: source}}, Results: []int{0}}
			m, err := vm.New(plan(t, tables(p, v)), cost.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := bindAndRun(context.Background(), m, []tensor.Value{v})
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for row := range r.Outputs[0].Value.Table.All() {
				fmt.Fprint(&got, row)
			}
			if got.String() != want {
				t.Errorf("%v of %v: %s, want %s", source, v.Layout, got.String(), want)
			}
		}
	}
}
