package plan_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ein/internal/corpus"
	"ein/lang"
	"ein/lang/plan"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/ir"
	"ein/vm/kernel"
	"ein/vm/tensor"
)

// show writes the operations of a node as an expression.
func show(n *ir.Node, inputs []plan.Input) string {
	name := n.Op.String()
	switch n.Op {
	case ir.Const:
		if x, ok := n.Scalar(); ok {
			return fmt.Sprint(x)
		}
		return "const " + n.Type.Shape.String()
	case ir.Input:
		return inputs[n.Slot].Name
	case ir.Einsum, ir.BoolEinsum:
		name = n.Spec.Key()
		if n.Op == ir.BoolEinsum {
			name = "bool " + name
		}
	case ir.Semiring:
		name = fmt.Sprintf("%v of %v", n.Fold, n.Fn)
	case ir.Map:
		name = n.Fn.String()
	case ir.Reduce:
		name = fmt.Sprintf("%v%v", n.Fold, n.Axes)
	case ir.Select:
		name = fmt.Sprintf("select%v", n.Axes)
	case ir.Walk:
		if n.Reverse {
			name = "walk back"
		}
	}
	args := make([]string, len(n.Args))
	for i, a := range n.Args {
		args[i] = show(a, inputs)
	}
	return name + "(" + strings.Join(args, "; ") + ")"
}

// bind makes random inputs for a program that says "input A: graph" and the
// like; every axis has 3 nodes.
func bind(text string, r *rand.Rand) map[string]*tensor.Value {
	const n = 3
	inputs := make(map[string]*tensor.Value)
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "input ")
		if !ok {
			continue
		}
		name, kind, _ := strings.Cut(rest, ": ")
		v := &tensor.Value{}
		switch kind {
		case "graph", "matrix":
			v.Shape = tensor.ShapeOf(n, n)
		case "vector":
			v.Shape = tensor.ShapeOf(n)
		}
		v.F = make([]float64, v.Shape.Elems())
		for i := range v.F {
			v.F[i] = float64(r.IntN(2))
			if kind != "graph" {
				v.Kind = tensor.Int
				v.F[i] = float64(r.IntN(7) - 2)
			}
		}
		if kind == "scalar" {
			v.F[0] = float64(r.IntN(n))
		}
		inputs[name] = v
	}
	return inputs
}

func planned(t *testing.T, text string, inputs map[string]*tensor.Value, noOpt bool) *plan.Program {
	t.Helper()
	opt := lang.Options{Inputs: inputs, NoOpt: noOpt}
	c := lang.Check(lang.Parse("t.ein", text, opt), opt)
	if c.Diags.HasErrors() {
		t.Fatalf("%v\n%s", c.Diags, text)
	}
	return lang.Plan(c, opt)
}

// result runs a program one way.
func result(t *testing.T, text string, inputs map[string]*tensor.Value, noOpt bool) (string, error) {
	t.Helper()
	mod, c, err := lang.Load("t.ein", text, lang.Options{Inputs: inputs, NoOpt: noOpt, Workers: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	m, err := vm.New(mod, cost.Limits{MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	var values []tensor.Value
	for _, in := range c.Inputs {
		values = append(values, *inputs[in.Name])
	}
	if err := m.Bind(context.Background(), values); err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(context.Background())
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, o := range r.Outputs {
		data := o.Value.ToDense()
		for i := range data {
			data[i] += 0 // -0 and 0 are the same
		}
		fmt.Fprintln(&b, o.Name, o.Value.Shape, data)
	}
	return b.String(), nil
}

// layouts are the ways to hold a matrix that a host may choose.
var layouts = []struct {
	name   string
	of     func(*tensor.Value) *tensor.Value
	noOpts []bool
}{
	{"dense", func(v *tensor.Value) *tensor.Value { return v }, []bool{false}},
	{"bits", inBits, []bool{false, true}},
	{"csr", inCSR, []bool{false, true}},
}

func inCSR(v *tensor.Value) *tensor.Value {
	if v.Shape.Rank() != 2 {
		return v
	}
	rows, cols := v.Shape.Dim(0), v.Shape.Dim(1)
	var src, dst []int32
	var w []float64
	for i, x := range v.F {
		if x != 0 {
			src, dst, w = append(src, int32(i/cols)), append(dst, int32(i%cols)), append(w, x)
		}
	}
	if v.Kind == tensor.Bool {
		w = nil
	} else if w == nil {
		w = []float64{}
	}
	out := &tensor.Value{Type: v.Type, Layout: tensor.Sparse}
	out.CSR, _ = tensor.BuildCSR(rows, cols, src, dst, w)
	return out
}

func inBits(v *tensor.Value) *tensor.Value {
	if v.Kind != tensor.Bool || v.Shape.Rank() != 2 {
		return v
	}
	out := &tensor.Value{Type: v.Type, Layout: tensor.Packed, Bits: tensor.NewBits(v.Shape.Dim(0), v.Shape.Dim(1))}
	kernel.BitsPack(&kernel.Ctl{}, out.Bits, v.F)
	return out
}

// neutral compares the plain program on dense inputs with the optimised one,
// and both with what inputs in other layouts give.
func neutral(t *testing.T, text string) {
	t.Helper()
	for seed := range uint64(3) {
		dense := bind(text, rand.New(rand.NewPCG(seed, 1)))
		want, err := result(t, text, dense, true)
		for _, l := range layouts {
			inputs := make(map[string]*tensor.Value)
			for name, v := range dense {
				inputs[name] = l.of(v)
			}
			for _, noOpt := range l.noOpts {
				got, err2 := result(t, text, inputs, noOpt)
				if (err == nil) != (err2 == nil) || got != want {
					t.Fatalf("%s, plain %v: %v %s\nplain and dense: %v %s\n%s", l.name, noOpt, err2, got, err, want, text)
				}
			}
		}
	}
}

const (
	a  = "input A: graph\n"
	m  = "input M: matrix\n"
	ij = a + m + "input i: scalar\ninput j: scalar\n"
)

// rewriteCases are programs, with the optimised form of each output, one line
// each.
var rewriteCases = []struct {
	rewrite string // "" where none applies
	text    string
	want    string
}{
	{"common", a + "x = tc(A)\ny = sum(tc(A), 1)\n:print x, y", `tc(A)
ab->a(tc(A))`},
	{"common", a + "B[i,k] = A[i,j] A[j,k]\nC[a,c] = A[a,b] A[b,c]\nx = B + C", `add(ab,bc->ac(A; A); ab,bc->ac(A; A))`},
	{"constant", "x = 2 * 3 + 1", `7`},
	{"constant", m + "x = M * 1", `M`},
	{"constant", a + "x = max(A, 0)", `A`},
	{"constant", a + "x = A > 0", `A`},
	{"constant", a + "x = 0 == A", `not(A)`},
	{"constant", a + "x = abs(step(A))", `A`},
	{"constant", a + "x = where(1 > 2, A, 1 - A)", `sub(1; A)`},
	{"", m + "x = M > 0", `gt(M; 0)`},
	{"", a + "x = 0 > A", `gt(0; A)`},
	{"", "x = (9007199254740991 + 2) - 9007199254740991", `sub(add(9.007199254740991e+15; 2); 9.007199254740991e+15)`},
	{"demand", ij + "x = select(tc(A), i, j)", `has_path(A; i; j)`},
	{"demand", ij + "x[k] = select(tc(A), i, k)", `walk(A; i)`},
	{"demand", ij + "x[k] = select(tc(A), k, j)", `walk back(A; j)`},
	{"demand", ij + "B[i,k] = M[i,j] M[j,k]\nx[k] = select(B, i, k)", `a,ab->b(select[0](M; i); M)`},
	{"demand", ij + "B = M * 2 + A\nx = select(B, i, j)", `add(mul(select[0 1](M; i; j); 2); select[0 1](A; i; j))`},
	{"", ij + "T = tc(A)\nx = select(T, i, j)\n:print x, T", `select[0 1](tc(A); i; j)
tc(A)`},
	{"", ij + "x = select(ones(3), i + 1)", `select[0](->a(1); add(i; 1))`},
	{"fuse-sum", a + "A2[i,k] = A[i,j] A[j,k]\nA3[i,k] = A2[i,j] A[j,k]\nx = trace(A3) / 6", `div(ab,bc,ca->(A; A; A); 6)`},
	{"fuse-sum", m + "B[i,k] = M[i,j] M[j,k]\nx = sum(B)", `a,a->(ab->b(M); ab->a(M))`},
	{"", m + "B[i,k] = M[i,j] M[j,k]\nx = sum(B)\n:print x, B", `ab->(ab,bc->ac(M; M))
ab,bc->ac(M; M)`},
	{"pre-sum", m + "x[i] = M[i,j] M[i,k]", `a,a->a(ab->a(M); ab->a(M))`},
	{"order", m + "input v: vector\nx[i] = M[i,j] M[j,k] v[k]", `ab,b->a(M; ab,b->a(M; v))`},
	{"order", a + "x = A[a,b] A[b,c] A[c,d] A[d,e] A[e,f] A[f,g] A[g,h] A[h,i] A[i,a]", `ab,ba->(ab,bc->ac(ab,bc->ac(ab,bc->ac(ab,bc->ac(ab,bc->ac(ab,bc->ac(ab,bc->ac(A; A); A); A); A); A); A); A); A)`},
	{"boolean", a + "B[i,k] = A[i,j] A[j,k]\nx = B > 0", `bool ab,bc->ac(A; A)`},
	{"boolean", a + "v[j] = A[0,j]\nB[i] = A[i,j] v[j]\nx = step(B)", `bool ab,b->a(A; select[0](A; 0))`},
	{"", a + "B[i,k] = A[i,j] A[j,k]\nx = B > 1", `gt(ab,bc->ac(A; A); 1)`},
	{"semiring", m + "x[i,k] min= M[i,j] + M[j,k]", `min of add(M; M)`},
	{"semiring", m + "x[k,i] max= max(M[i,j], M[k,j])", `max of max(M; M)`},
	{"constant", a + "x = tc(tc(A))", `tc(A)`},
	{"dead", a + "y = tc(A)\nx = sum(A)", `ab->(A)`},
	{"", m + "x[i,k] min= M[i,j] - M[j,k]", `min[2](sub(ab->acb(M); ab->cba(M)))`},
}

// TestRewrites has the graphs before and after each rewrite.
func TestRewrites(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range rewriteCases {
		inputs := bind(c.text, rand.New(rand.NewPCG(1, 1)))
		p := planned(t, c.text, inputs, false)
		var lines []string
		for _, o := range p.Outputs {
			lines = append(lines, show(o.Node, p.Inputs))
		}
		if got := strings.Join(lines, "\n"); got != c.want {
			t.Errorf("\n%s\nis now\n%s\nwant\n%s", c.text, got, c.want)
		}
		var names []string
		for _, r := range p.Rewrites {
			names = append(names, r.Name)
			if r.What() == "" || !slices.ContainsFunc(plan.Rewrites, func(x struct{ Name, Doc string }) bool { return x.Name == r.Name }) {
				t.Errorf("rewrite %+v", r)
			}
		}
		if c.rewrite == "dead" { // it is done to no operation
			names = append(names, c.rewrite)
		}
		if c.rewrite != "" && !slices.Contains(names, c.rewrite) {
			t.Errorf("%s\nrewrites %v, want %s", c.text, names, c.rewrite)
		}
		if c.rewrite == "" && len(names) > 0 {
			t.Errorf("%s\nrewrites %v, want none", c.text, names)
		}
		seen[c.rewrite] = true
		neutral(t, c.text)
	}
	for _, r := range plan.Rewrites {
		if !seen[r.Name] {
			t.Errorf("no case for %s", r.Name)
		}
	}
}

// TestStatements: they are in the order of the text, the outputs among them.
func TestStatements(t *testing.T) {
	for _, c := range corpus.Cases() {
		p := lang.Check(lang.Parse("in.ein", c.Source, lang.Options{}), lang.Options{})
		if p.Diags.HasErrors() || !p.Bound {
			continue
		}
		pl := plan.New(p, nil)
		if !slices.IsSortedFunc(pl.Stmts, func(a, b plan.Stmt) int { return int(a.Pos.Start - b.Pos.Start) }) {
			t.Errorf("%s: %v", c.Name, pl.Stmts)
		}
	}
}
