package describe_test

import (
	"strings"
	"testing"

	"ein/lang/describe"
	"ein/vm"
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

// TestLimitOfOne counts one operation and one byte as one.
func TestLimitOfOne(t *testing.T) {
	for what, want := range map[string]string{
		"operations":      "the program needs up to 2,000 operations, the limit is 1 operation",
		"bytes":           "the program needs up to 2,000 bytes (2.0 KiB) of memory, the limit is 1 byte",
		"output elements": "the program needs up to 2,000 output elements, the limit is 1 output element",
	} {
		if d, _ := describe.Refused(&cost.LimitError{What: what, Need: 2000, Max: 1}); d.Message != want {
			t.Errorf("%s, want %s", d.Message, want)
		}
	}
	if d, _ := describe.Failed(&vm.Exceeded{What: "operations", Max: 1}, 0, 0); !strings.Contains(d.Message, "the limit of 1 operation;") {
		t.Error(d.Message)
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
