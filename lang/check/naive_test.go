package check

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ein/lang/diag"
	"ein/lang/naive"
	"ein/lang/naive/gen"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/tensor"
)

// agrees runs a program in the naive engine, which finds out about shapes as it
// goes, and compares: what checks has the shapes that come out, and what does not
// check does not run.
func agrees(t *testing.T, text string) {
	t.Helper()
	f := syntax.Parse(source.NewFile("in.ein", text), syntax.Options{})
	if f.Diags.HasErrors() {
		return
	}
	p := Check(f, Config{})
	if !p.Bound {
		return
	}
	outs, err := naive.Run(f, naive.Options{Prelude: stdlib.Prelude()})
	if failed := new(naive.Error); errors.As(err, &failed) {
		if failed.Class == naive.Static && !p.Diags.HasErrors() {
			t.Errorf("it checks, but: %s\n%s", failed.Message, text)
		}
		return
	}
	if p.Diags.HasErrors() {
		if i := slices.IndexFunc(p.Diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error && d.Code != "E0401" }); i >= 0 {
			t.Errorf("it runs, but: %s %s\n%s", p.Diags[i].Code, p.Diags[i].Message, text)
		}
		return
	}
	if len(outs) != len(p.Outputs) {
		t.Fatalf("%d outputs, want %d", len(p.Outputs), len(outs))
	}
	for i, o := range p.Outputs {
		ty, want := o.Node.Type, outs[i].Tensor
		if o.Name != outs[i].Name || !slices.Equal(ty.Shape.Dims(), want.Dims) {
			t.Errorf("%s is %s, want %s %v\n%s", o.Name, ty.Shape, outs[i].Name, want.Dims, text)
		}
		for _, x := range want.Data {
			switch {
			case ty.Kind == tensor.Bool && x != 0 && x != 1, ty.Kind == tensor.Int && x != float64(int64(x)):
				t.Errorf("%s is %s, but has the element %v\n%s", o.Name, ty.Kind, x, text)
			case x > o.Node.Bound || -x > o.Node.Bound:
				t.Errorf("%s is bounded by %v, but has the element %v\n%s", o.Name, o.Node.Bound, x, text)
			case x < 0 && o.Node.NonNeg:
				t.Errorf("%s is not negative, but has the element %v\n%s", o.Name, x, text)
			}
		}
	}
}

func TestAgreesWithNaive(t *testing.T) {
	for _, path := range archives(t) {
		_, cases := readArchive(t, path)
		for _, c := range cases {
			if c.config != "" {
				continue
			}
			agrees(t, c.in)
			lines := strings.SplitAfter(c.in, "\n")
			for i := range min(len(lines), 20) {
				agrees(t, strings.Join(lines[:i], "")+strings.Join(lines[i+1:], ""))
			}
		}
	}
	for seed := range uint64(300) {
		agrees(t, gen.Program(rand.New(rand.NewPCG(seed, 1))))
	}
}
