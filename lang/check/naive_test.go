package check

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ein/internal/naive"
	"ein/internal/naive/gen"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/tensor"
)

// stricter is the errors that the naive engine does not know: of functions that
// nobody calls, of what a literal is made of, and of labels and large numbers,
// which it takes as they are.
var stricter = []diag.Code{
	"E0201", "E0202", "E0206", "E0207", "E0208", "E0210", "E0314", "E0318", "E0319", "E0401", "E0403", "E0404", "E0408", "E0411", "E0415",
}

// laxer is what the naive engine alone refuses.
var laxer = []string{"an empty list", "only takes 1 arguments, not 2", "softmax has no form with axis"}

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
	if !p.Bound || p.Rules != nil { // internal/naive/rules has a twin for these
		return
	}
	outs, err := naive.Run(f, naive.Options{Prelude: stdlib.Prelude})
	if failed := new(naive.Error); errors.As(err, &failed) {
		if failed.Class == naive.Static && !p.Diags.HasErrors() && !slices.Contains(laxer, failed.Message) {
			t.Errorf("it checks, but: %s\n%s", failed.Message, text)
		}
		return
	}
	if p.Diags.HasErrors() {
		i := slices.IndexFunc(p.Diags, func(d diag.Diagnostic) bool {
			return d.Severity == diag.Error && !slices.Contains(stricter, d.Code)
		})
		if i >= 0 {
			t.Errorf("it runs, but: %s %s\n%s", p.Diags[i].Code, p.Diags[i].Message, text)
		}
		return
	}
	if len(outs) != len(p.Outputs) {
		t.Fatalf("%d outputs, want %d", len(p.Outputs), len(outs))
	}
	for i, o := range p.Outputs {
		ty, want := o.Node.Type, outs[i].Tensor
		if !slices.Equal(ty.Shape.Dims(), want.Dims) {
			t.Errorf("%s is %s, want %v\n%s", o.Name, ty.Shape, want.Dims, text)
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

// small reports whether a program is one for a slow engine.
func small(text string) bool {
	return len(text) < 1500 && !strings.Contains(text, "[i9]") && !strings.Contains(text, ", g, h") && !largeNumber.MatchString(text)
}

var largeNumber = regexp.MustCompile(`\d{4,}|[5-9]\d\d`)

// smallPrograms is the golden programs that the naive engine can run.
func smallPrograms(t *testing.T) (out []string) {
	t.Helper()
	for _, path := range archives(t) {
		_, cases := readArchive(t, path)
		for _, c := range cases {
			if c.config == "" && small(c.in) {
				out = append(out, c.in)
			}
		}
	}
	return out
}

func TestAgreesWithNaive(t *testing.T) {
	for _, text := range smallPrograms(t) {
		agrees(t, text)
		lines := strings.SplitAfter(text, "\n")
		for i := range min(len(lines), 20) {
			agrees(t, strings.Join(lines[:i], "")+strings.Join(lines[i+1:], ""))
		}
	}
	for seed := range uint64(300) {
		agrees(t, gen.Program(rand.New(rand.NewPCG(seed, 1))))
	}
}

// TestMutationsAgreeWithNaive replaces words of programs by words of others.
func TestMutationsAgreeWithNaive(t *testing.T) {
	word := regexp.MustCompile(`[A-Za-z_]+|\d+|[-+*/<>=!,;()\[\]]+`)
	programs := smallPrograms(t)
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 3000
	if testing.Short() {
		rounds = 500
	}
	for range rounds {
		text := programs[r.IntN(len(programs))]
		if r.IntN(2) == 0 {
			text = gen.Program(r)
		}
		words := word.FindAllString(programs[r.IntN(len(programs))]+text, -1)
		for range 1 + r.IntN(3) {
			if at := word.FindAllStringIndex(text, -1); len(at) > 0 {
				from := at[r.IntN(len(at))]
				text = text[:from[0]] + words[r.IntN(len(words))] + text[from[1]:]
			}
		}
		if small(text) && !strings.Contains(text, "def") {
			agrees(t, text)
		}
	}
}
