package plan_test

import (
	"context"
	"slices"
	"testing"

	"ein/lang"
	"ein/lang/check"
	"ein/lang/compile"
	"ein/lang/plan"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// TestUse gives a program the values of some of its statements: the rest comes out
// as before, and what the values stand for is not computed.
func TestUse(t *testing.T) {
	const text = `A = edges([[0, 1], [1, 2], [2, 3]], 4)
T = tc(A)
d = sum(T, 1)
B[i, k] = A[i, j] T[j, k]
x = 1 / 0
:print sum(B), d, T, where(d > 0, x, 0) > 1
`
	want, _ := values(t, text, nil)
	for _, names := range [][]string{{}, {"T"}, {"d", "B"}, {"A", "T", "d", "B"}} {
		known := map[string]*tensor.Value{}
		for _, name := range names {
			out, _ := values(t, text+":print "+name+"\n", nil)
			known[name] = out[len(out)-1]
		}
		got, _ := values(t, text, known)
		for i := range want {
			if !slices.Equal(want[i].ToDense(), got[i].ToDense()) {
				t.Errorf("with %v output %d is %v, want %v", names, i, got[i].ToDense(), want[i].ToDense())
			}
		}
	}
}

// values runs a program in which some names have values already.
func values(t *testing.T, text string, known map[string]*tensor.Value) ([]*tensor.Value, *check.Program) {
	t.Helper()
	p := lang.Check(lang.Parse("test.ein", text, lang.Options{}), lang.Options{})
	if p.Diags.HasErrors() {
		t.Fatal(p.Diags)
	}
	pl := plan.New(p, nil)
	list := map[*ir.Node]plan.Known{}
	for _, s := range p.Statements {
		if v := known[s.Name]; v != nil {
			list[s.Node] = plan.Known{Name: s.Name, Value: v}
		}
	}
	inputs := pl.Use(list)
	pl.Optimise()
	for _, in := range pl.Inputs {
		if known[in.Name] == nil {
			t.Errorf("an input %s", in.Name)
		}
	}
	m, err := cost.New(compile.Compile(pl, compile.Options{}), cost.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	machine, err := vm.New(m, cost.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := machine.Bind(context.Background(), inputs); err != nil {
		t.Fatal(err)
	}
	r, err := machine.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var out []*tensor.Value
	for _, o := range r.Outputs {
		out = append(out, o.Value)
	}
	return out, p
}
