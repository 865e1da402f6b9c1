package code

import (
	"strings"
	"testing"

	"ein/internal/golden"
	"ein/vm/tensor"
)

func TestDisassemble(t *testing.T) {
	golden.File(t, "testdata/layouts.txt", Disassemble(everyLayout(), nil))
	golden.File(t, "testdata/lines.txt", Disassemble(everyLayout(), func(offset int) (line, col int) { return offset/10 + 1, offset%10 + 1 }))
	golden.File(t, "testdata/empty.txt", Disassemble(&Program{}, nil))
}

// TestDisassembleInstructions lists all instructions of the test cases.
func TestDisassembleInstructions(t *testing.T) {
	var b strings.Builder
	for _, c := range opCases() {
		for _, v := range c.good {
			p := single(c.op, v.sig, v.attr)
			l := lister{p: p}
			l.code()
			_, line, _ := strings.Cut(l.String(), ";")
			_, line, _ = strings.Cut(line, "\n")
			b.WriteString(line)
		}
	}
	golden.File(t, "testdata/instructions.txt", b.String())
}

// Names come from files that anyone may have written: they stay on one line and
// send nothing to the terminal.
func TestDisassembleNames(t *testing.T) {
	p := single(CountAll, "b3,4 -> d", Attr{})
	p.Stmts[0].Name = "a\nb"
	p.Inputs[0].Name = "\x1b[31m"
	p.Outputs[0].Name = "a, b"
	p.Labels = make([]string, shownLabels+2)
	got := Disassemble(p, nil)
	for _, want := range []string{`"a\nb"`, `"\x1b[31m"`, `"a, b"`, "and 2 more"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestShowValue(t *testing.T) {
	for _, c := range []struct {
		value tensor.Value
		want  string
	}{
		{tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(17)}, F: make([]float64, 17)}, "17 numbers"},
		{tensor.Value{Layout: tensor.Packed, Bits: tensor.NewBits(9, 9)}, "81 bits"},
		{tensor.Value{Layout: tensor.Packed, Bits: tensor.NewBits(2, 3)}, "000 000"},
		{tensor.Value{Layout: tensor.Packed, Bits: tensor.NewBits(1<<20, 0)}, "0 bits"},
		{tensor.Value{Layout: tensor.Sparse, CSR: tensor.CSR{Idx: make([]int32, 17)}}, "17 entries"},
		{tensor.Value{Layout: tensor.Parts, Part: make([]int32, 17)}, "parts of 17 nodes"},
	} {
		if got := showValue(&c.value); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestIndexNames(t *testing.T) {
	var b strings.Builder
	for x := range uint8(28) {
		b.WriteString(index(x))
	}
	if got, want := b.String(), "ijklmnopqrstuvwxyzabcdefgh{26}{27}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
