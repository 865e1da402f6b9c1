package check

import (
	"strings"
	"testing"

	"ein/internal/corpus"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// FuzzCheck checks programs from mutations of the corpus, and mixtures of two.
// Nothing may panic; diagnostics lie in the text; without errors every output
// has a value whose shape is known, unless an input is not bound.
func FuzzCheck(f *testing.F) {
	var seeds []string
	for _, path := range archives(f) {
		_, cases := readArchive(f, path)
		for _, c := range cases {
			seeds = append(seeds, c.in)
		}
	}
	for _, c := range corpus.Cases() {
		seeds = append(seeds, c.Source)
	}
	for i, s := range seeds {
		f.Add(s, uint8(i))
		f.Add(s+"\n"+seeds[(7*i+1)%len(seeds)], uint8(i>>1|8))
	}
	limits := Limits{Nodes: 300, Calls: 20, Elements: 1 << 12}
	f.Fuzz(func(t *testing.T, text string, mode uint8) {
		// mode: two bits of profile, one to bind the inputs, one to try the fixes
		cfg := Config{Profile: Profile(mode & 3 % 3), Limits: limits}
		file := syntax.Parse(source.NewFile("in.ein", text), syntax.Options{
			Repl:   cfg.Profile == Repl,
			Limits: syntax.Limits{SourceBytes: 4096, Tokens: 1000, Depth: 20, Height: 60, Statements: 50},
		})
		if mode&4 != 0 {
			cfg.Inputs = bindAll(file, 3)
			cfg.Labels = []string{"ann", "bob", "cyd"}
		}
		if mode&8 != 0 && len(text) < 1000 {
			checkFixes(t, text, cfg, checkText(text, cfg))
		}
		cfg.Values = map[syntax.Expr]*ir.Node{}
		p := Check(file, cfg)
		checkPlaces(t, p)
		if p.Diags.HasErrors() {
			return
		}
		if len(p.Outputs) == 0 && cfg.Profile != Repl { // an entry of a session need not give anything
			t.Fatal("no output and no error")
		}
		for _, o := range p.Outputs {
			switch {
			case o.Node == nil:
				t.Fatalf("%s has no value", o.Name)
			case p.Bound && !o.Node.Type.Shape.Known():
				t.Fatalf("the shape of %s is %s", o.Name, o.Node.Type.Shape)
			}
			if p.Bound {
				checkNode(t, o.Node, make(map[*ir.Node]bool))
			}
		}
		for _, s := range p.Statements {
			if s.Node == nil {
				t.Fatalf("the statement of %s has no value", s.Name)
			}
		}
		checkBound(t, p, cfg)
	})
}

// bindAll gives each input of a program a value of its kind.
func bindAll(f *syntax.File, n int) map[string]*tensor.Value {
	inputs := make(map[string]*tensor.Value)
	for _, s := range f.Stmts {
		in, ok := s.(*syntax.Input)
		if !ok {
			continue
		}
		kind, dims := tensor.Real, []int{}
		switch in.Kind.Name {
		case "graph":
			kind, dims = tensor.Bool, []int{n, n}
		case "matrix":
			dims = []int{n, n}
		case "vector":
			dims = []int{n}
		}
		shape := tensor.ShapeOf(dims...)
		inputs[in.Name.Name] = new(dense(kind, shape, make([]float64, shape.Elems())))
	}
	return inputs
}

// checkNode looks for types that no operation can have.
func checkNode(t *testing.T, n *ir.Node, seen map[*ir.Node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	for i := range n.Rank() {
		if d := n.Type.Shape.Dim(i); d < 0 || d > 1<<30 {
			t.Fatalf("%s has an axis of size %d", n.Op, d)
		}
	}
	if n.Bound < 0 || n.Bound != n.Bound {
		t.Fatalf("%s has the bound %v", n.Op, n.Bound)
	}
	for _, a := range n.Args {
		checkNode(t, a, seen)
	}
}

// checkBound requires that kinds and shapes do not change when the inputs are
// bound, except that unknown sizes become known.
func checkBound(t *testing.T, p *Program, cfg Config) {
	t.Helper()
	if p.Bound {
		return
	}
	cfg.Inputs, cfg.Values = bindAll(p.File, 3), nil
	q := Check(p.File, cfg)
	if q.Diags.HasErrors() {
		return // a conflict of sizes
	}
	for i, o := range p.Outputs {
		if a, b := o.Node.Type, q.Outputs[i].Node.Type; a.Kind < b.Kind || !a.Shape.Fits(b.Shape) {
			t.Fatalf("%s is %s %s, and once bound %s %s", o.Name, a.Kind, a.Shape, b.Kind, b.Shape)
		}
	}
}

// TestLineMutations runs the same checks on each program of the corpus with each
// of its lines left out, and with each pair of neighbours exchanged.
func TestLineMutations(t *testing.T) {
	for _, path := range archives(t) {
		_, cases := readArchive(t, path)
		for _, c := range cases {
			lines := strings.SplitAfter(c.in, "\n")
			cfg := c.settings(t)
			for i := range lines {
				without := strings.Join(lines[:i], "") + strings.Join(lines[i+1:], "")
				p := checkText(without, cfg)
				checkPlaces(t, p)
				checkFixes(t, without, cfg, p)
				if i > 0 {
					swapped := strings.Join(lines[:i-1], "") + lines[i] + lines[i-1] + strings.Join(lines[i+1:], "")
					checkPlaces(t, checkText(swapped, cfg))
				}
			}
		}
	}
}
