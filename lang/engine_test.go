package lang_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"ein/internal/corpus"
	"ein/internal/naive"
	"ein/internal/naive/gen"
	"ein/lang"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// run compiles and runs a program and reports the outputs, or the class of
// error and its messages.
func run(t *testing.T, text string, opt lang.Options) (outs []naive.Output, warnings string, class string, message string) {
	t.Helper()
	f := lang.Parse("in.ein", text, opt)
	if f.Diags.HasErrors() {
		return nil, "", classOf(f.Diags, "syntax"), messages(f.Diags)
	}
	p := lang.Check(f, opt)
	p.Diags = append(p.Diags, p.Unbound()...)
	if p.Diags.HasErrors() {
		return nil, "", classOf(p.Diags, "static"), messages(p.Diags)
	}
	warnings = messages(p.Diags)
	c := lang.Code(p, opt)
	if err := code.Verify(c); err != nil {
		t.Fatalf("the compiler made a malformed program: %v\n%s", err, text)
	}
	m, err := lang.Module(c, opt)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	mm, err := lang.Machine(m, cost.Limits{MaxBytes: 1 << 30, MaxOps: 1e10, MaxOutputElements: 1 << 22}, opt)
	if err != nil {
		var limit *cost.LimitError
		if !errors.As(err, &limit) {
			t.Fatal(err)
		}
		return nil, warnings, "limit", err.Error()
	}
	var inputs []tensor.Value
	for _, in := range p.Inputs {
		inputs = append(inputs, *opt.Inputs[in.Name])
	}
	if err := mm.Bind(context.Background(), inputs); err != nil {
		t.Fatal(err)
	}
	r, err := mm.Run(context.Background())
	alone := opt
	alone.Memory = nil
	if again := lang.Parse("in.ein", text, alone); !reflect.DeepEqual(f.Stmts, again.Stmts) {
		t.Errorf("the run wrote into a literal\n%s", text)
	}
	if s := mm.Stats(); s.Ops > m.Certificate.Ops || s.PeakBytes > m.Certificate.PeakBytes {
		t.Errorf("the run used %d operations, the certificate says %d\n%s", s.Ops, m.Certificate.Ops, text)
	}
	if err != nil {
		return nil, warnings, "runtime", err.Error()
	}
	for _, w := range r.Warnings {
		warnings += w.Message + "\n"
	}
	for i, o := range r.Outputs {
		outs = append(outs, naive.Output{Name: o.Name, Tensor: naive.Tensor{Dims: o.Value.Shape.Dims(), Data: o.Value.ToDense()}})
		n := p.Outputs[i].Node
		for _, x := range outs[i].Tensor.Data {
			if n.NonNeg && x < 0 || math.Abs(x) > n.Bound*(1+1e-12) || n.Type.Kind != tensor.Real && x != math.Trunc(x) {
				t.Errorf("%s has the element %v, and its operation is %v of bound %v, not negative: %v\n%s", o.Name, x, n.Type, n.Bound, n.NonNeg, text)
				break
			}
		}
	}
	return outs, warnings, "", ""
}

func messages(l diag.List) string {
	var b strings.Builder
	for _, d := range l {
		fmt.Fprintln(&b, d.Code, d.Message, strings.Join(d.Notes, " "))
		for _, r := range d.Related {
			fmt.Fprintln(&b, r.Message)
		}
	}
	return b.String()
}

// classOf is "limit" when an error is one of a limit.
func classOf(l diag.List, class string) string {
	for _, d := range l {
		if d.Severity == diag.Error && d.Code.Class() == diag.Limit {
			return "limit"
		}
	}
	return class
}

func value(in corpus.Input) *tensor.Value {
	v := &tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(in.Dims...)}, F: in.Data}
	for _, x := range in.Data {
		v.Kind = max(v.Kind, ir.KindOf(x))
	}
	return v
}

// TestConformance runs the corpus on the machine, optimised and not, with lists of
// numbers packed and not, and one program after another in the same memory.
func TestConformance(t *testing.T) {
	var memory lang.Memory
	for _, c := range corpus.Cases() {
		for i := range 5 {
			plain, pack := i&1 != 0, 1+i&2*100
			t.Run(fmt.Sprintf("%s/plain=%v/pack=%d/%d", c.Name, plain, pack, i), func(t *testing.T) {
				opt := lang.Options{NoOpt: plain, Labels: c.Labels, Inputs: map[string]*tensor.Value{}}
				if i == 4 {
					opt.Memory = &memory
				}
				opt.Syntax.Pack = pack
				for name, in := range c.Inputs {
					opt.Inputs[name] = value(in)
				}
				outs, warnings, class, message := run(t, c.Source, opt)
				if c.Error != "" || c.Class != "" {
					switch {
					case class == "":
						t.Fatalf("no error, but\n%s\nwanted class %s, %s", naive.Format(outs), c.Class, c.Error)
					case !c.HasClass(class):
						t.Errorf("class %s, want %s: %s", class, c.Class, message)
					case !regexp.MustCompile("(?is)" + c.Error).MatchString(message):
						t.Errorf("message %q does not match %q", message, c.Error)
					}
					return
				}
				if class != "" {
					t.Fatalf("%s: %s", class, message)
				}
				if got := naive.Format(outs); corpus.Match(c.Want, got) != nil {
					t.Errorf("got\n%s\nwant\n%s", got, c.Want)
				}
				if c.Warning != "" && !regexp.MustCompile("(?is)"+c.Warning).MatchString(warnings) {
					t.Errorf("warnings %q do not match %q", warnings, c.Warning)
				}
			})
		}
	}
}

// same compares outputs: exactly where both are whole numbers, else to 1e-9.
func same(a, b []naive.Output) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d outputs and %d", len(a), len(b))
	}
	for i := range a {
		x, y := a[i].Tensor, b[i].Tensor
		if fmt.Sprint(x.Dims) != fmt.Sprint(y.Dims) {
			return fmt.Errorf("%s: shapes %v and %v", a[i].Name, x.Dims, y.Dims)
		}
		for k := range x.Data {
			p, q := x.Data[k], y.Data[k]
			if p != q && !(math.Abs(p-q) <= 1e-9*max(1, math.Abs(p), math.Abs(q))) {
				return fmt.Errorf("%s: element %d is %v and %v", a[i].Name, k, p, q)
			}
		}
	}
	return nil
}

func differ(t *testing.T, text string) {
	t.Helper()
	ref, err := naive.Run(syntax.Parse(source.NewFile("in.ein", text), syntax.Options{}), naive.Options{Prelude: stdlib.Prelude})
	for _, plain := range []bool{false, true} {
		outs, _, class, message := run(t, text, lang.Options{NoOpt: plain})
		if err != nil {
			if class == "" {
				t.Errorf("plain=%v: the definition gives an error (%v), the machine does not\n%s", plain, err, text)
			}
			continue
		}
		if class != "" {
			t.Errorf("plain=%v: %s: %s\n%s", plain, class, message, text)
			continue
		}
		if err := same(outs, ref); err != nil {
			t.Errorf("plain=%v: machine and definition differ: %v\n%s", plain, err, text)
		}
	}
}

// TestRandomHuge compares the engines on whole numbers near 2^53: they give the
// same numbers, or each says that one reaches 2^53.
func TestRandomHuge(t *testing.T) {
	n := 5000
	if testing.Short() {
		n = 1000
	}
	exact := 0
	for seed := range n {
		text := gen.Huge(rand.New(rand.NewPCG(uint64(seed), 8)))
		ref, err := naive.Run(syntax.Parse(source.NewFile("in.ein", text), syntax.Options{}), naive.Options{Prelude: stdlib.Prelude})
		if err == nil {
			exact++
		} else if !strings.Contains(err.Error(), "2^53") {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for _, plain := range []bool{false, true} {
			outs, _, class, message := run(t, text, lang.Options{NoOpt: plain})
			switch {
			case (class == "") != (err == nil), class != "" && !strings.Contains(message, "2^53"):
				t.Fatalf("seed %d, plain %v: %s %s; the definition: %v\n%s", seed, plain, class, message, err, text)
			case err == nil && naive.Format(outs) != naive.Format(ref):
				t.Fatalf("seed %d, plain %v:\n%s\nwant\n%s\n%s", seed, plain, naive.Format(outs), naive.Format(ref), text)
			}
		}
	}
	t.Logf("%d of %d programs stay below 2^53", exact, n)
	if exact < n/4 || exact > n*9/10 {
		t.Errorf("%d of %d programs stay below 2^53", exact, n)
	}
}

// TestRandomPrograms compares the machine, optimised and not, with the
// evaluator that follows the definition.
func TestRandomPrograms(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 300
	}
	for seed := range n {
		differ(t, gen.Program(rand.New(rand.NewPCG(uint64(seed), 7))))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
