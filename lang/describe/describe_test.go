package describe_test

import (
	"strings"
	"testing"

	"ein/lang/describe"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/op"
)

func TestFunctions(t *testing.T) {
	list := describe.Functions()
	for i := range list {
		f := &list[i]
		if f.Doc == "" || f.Group == "" || f.Signature == "" {
			t.Errorf("%s lacks documentation: %+v", f.Name, f)
		}
		if !strings.HasPrefix(f.Text(), f.Signature+"\n") || !strings.Contains(f.Markdown(), "### `"+f.Signature+"`") {
			t.Errorf("%s: its page is\n%s", f.Name, f.Text())
		}
	}
}

// TestOperations: the words of every operation of the machine can be filled in.
func TestOperations(t *testing.T) {
	p := &code.Program{Regs: make([]code.Reg, 1)}
	for o := range code.MaxOp {
		in := code.Instr{Op: o, Args: []int{0, 0}, Attr: code.Attr{Spec: &op.Spec{}, Micro: &code.Micro{}, Axes: []int{1, 2}}}
		if got := describe.Step(p, &cost.Step{Instr: &in}); strings.ContainsAny(got, "{}") || strings.HasPrefix(got, " ") {
			t.Errorf("%v: %q", o, got)
		}
	}
}
