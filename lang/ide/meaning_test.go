package ide

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"ein/internal/corpus"
	"ein/internal/naive/gen"
	"ein/lang"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm"
	"ein/vm/cost"
)

// outputs runs a program without inputs and gives the values of its outputs without
// their names, or why there are none.
func outputs(text string) string {
	m, _, err := lang.Load("in.ein", text, lang.Options{Workers: 1})
	if err != nil {
		return "error: does not check"
	}
	machine, err := vm.New(m, cost.Limits{MaxBytes: 1 << 26, MaxOps: 1e8, MaxOutputElements: 1 << 20})
	if err != nil {
		return "error: " + err.Error()
	}
	result, err := machine.Run(context.Background())
	if err != nil {
		return "error: does not run"
	}
	var b strings.Builder
	for i := range result.Outputs {
		out := result.Outputs[i]
		out.Name = ""
		if err := show.JSON(context.Background(), &b, &out, show.Options{}); err != nil {
			return "error: " + err.Error()
		}
	}
	return b.String()
}

// TestRewritesKeepValues makes every rewrite that is offered anywhere in the
// conformance programs and in random ones, renames every name of them, and formats
// them, and requires that their outputs stay the same.
func TestRewritesKeepValues(t *testing.T) {
	var programs []string
	for _, c := range corpus.Cases() {
		if c.Error == "" && len(c.Inputs) == 0 && len(c.Labels) == 0 && len(c.Source) <= 1000 {
			programs = append(programs, c.Source)
		}
	}
	for seed := range 6 {
		programs = append(programs, gen.Program(rand.New(rand.NewPCG(uint64(seed), 3))))
	}
	made := map[string]int{}
	for _, program := range programs {
		want := outputs(program)
		if strings.HasPrefix(want, "error") {
			continue
		}
		d := New("in.ein", program, lang.Options{})
		try := func(what string, edits []diag.Edit) {
			t.Helper()
			made[what]++
			if text := diag.Apply(program, edits); outputs(text) != want {
				t.Errorf("%s changes\n%s\nto\n%s\nand %s to %s", what, program, text, want, outputs(text))
			}
		}
		for _, span := range placesIn(d) {
			for _, a := range d.Actions(span) {
				if a.Fixes == nil {
					try(a.Kind, a.Edits)
				}
			}
		}
		for _, o := range d.names().occurrences {
			if o != o.of.occurrences[0] {
				continue
			}
			for _, name := range []string{"fresh", "A"} {
				if edits, err := d.Rename(o.span.Start, name); err == nil && len(edits) > 0 {
					try("rename", edits)
				}
			}
		}
		if edits, ok := d.Format(); ok && len(edits) > 0 {
			try("format", edits)
		}
	}
	t.Log(made)
	for _, what := range []string{"refactor.extract", "refactor.inline", "refactor.rewrite", "quickfix", "rename", "format"} {
		if made[what] == 0 {
			t.Errorf("nothing tried %s", what)
		}
	}
}

// placesIn is the span of every statement and expression.
func placesIn(d *Document) []source.Span {
	seen := map[source.Span]bool{}
	var list []source.Span
	for _, s := range d.File().Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if at := n.Pos(); !seen[at] {
				seen[at] = true
				list = append(list, at)
			}
			return true
		})
	}
	return list
}
