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

func TestWords(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1.0 KiB", 3 << 29: "1.5 GiB"} {
		if got := describe.Bytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := describe.Count(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if got := describe.Shorten("äöüäöü", 5); got != "äö..." {
		t.Error(got)
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
