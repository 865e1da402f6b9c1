package lang_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"ein/lang"
	"ein/lang/diag"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/cost"
)

func TestScratch(t *testing.T) {
	b, err := os.ReadFile("/tmp/t/a.ein")
	if err != nil {
		t.Skip()
	}
	for _, noopt := range []bool{false, true} {
		opt := lang.Options{NoOpt: noopt}
		m, p, err := lang.Load("a.ein", string(b), opt)
		_ = diag.Compact(os.Stdout, p.Diags, p.File.Source)
		if err != nil {
			t.Fatal(err)
		}
		if err := code.Verify(m.Program); err != nil {
			t.Fatal(err)
		}
		for i, in := range m.Program.Code {
			fmt.Println(i, in.Op, in.Dst, in.Args, m.Steps[i].Cost.Ops)
		}
		mm, err := vm.New(m, cost.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := mm.Run(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range r.Outputs {
			fmt.Println(o.Name, o.Value.Type, o.Value.Layout, o.Value.ToDense())
		}
		fmt.Println(r.Stats, m.Certificate.Ops, r.Warnings)
	}
}
