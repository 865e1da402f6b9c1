package code

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"ein/internal/lists"
	tables "ein/internal/table"
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// Disassemble lists a verified program for people. With lines, which turns an
// offset of the source text into a line and a column, instructions show where
// they come from as line:column; without (nil), as a range of bytes.
func Disassemble(p *Program, lines func(offset int) (line, col int)) string {
	l := lister{p: p, lines: lines}
	fmt.Fprintf(&l.Builder, "ein bytecode, version %d\n", Version)
	l.registers()
	l.constants()
	l.inputs()
	l.code()
	l.outputs()
	l.labels()
	return l.String()
}

// lister writes the listing of a program section by section.
type lister struct {
	strings.Builder
	p     *Program
	lines func(offset int) (line, col int)
}

// table writes the rows of a section.
func (l *lister) table(title string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	l.WriteString("\n" + title + "\n")
	l.WriteString(strings.Join(tables.Align("  ", rows), ""))
}

func reg(r int) string { return "r" + strconv.Itoa(r) }

// plain is a name, quoted when it holds what could upset a terminal or be taken
// for another part of the listing: a bytecode file may come from anyone.
func plain(name string) string {
	if q := strconv.Quote(name); q[1:len(q)-1] != name || strings.ContainsAny(name, " ,") || name == "" {
		return q
	}
	return name
}

func (l *lister) pos(p ir.Pos) string {
	if l.lines != nil {
		line, col := l.lines(int(p.Start))
		return fmt.Sprintf("%d:%d", line, col)
	}
	return fmt.Sprintf("%d-%d", p.Start, p.End)
}

// registers lists the registers with what bounds their size.
func (l *lister) registers() {
	var rows [][]string
	for i, r := range l.p.Regs {
		note := ""
		switch r.Layout {
		case tensor.Sparse:
			note = fmt.Sprintf("at most %d entries", r.NNZ)
		case tensor.Rows:
			cols := strings.Join(lists.Map(r.Columns, rel.ColumnText), ", ")
			rows = append(rows, []string{reg(i), "table", "(" + cols + ")", "", fmt.Sprintf("at most %d rows", r.NNZ)})
			continue
		}
		rows = append(rows, []string{reg(i), r.Layout.String(), r.Kind.String(), r.Shape.String(), note})
	}
	l.table("registers", rows)
}

func (l *lister) constants() {
	var rows [][]string
	for i := range l.p.Consts {
		c := &l.p.Consts[i]
		rows = append(rows, []string{reg(c.Reg), showValue(&c.Value)})
	}
	l.table("constants", rows)
}

// What of a constant is shown: so many elements, or bits, or labels.
const (
	shownElems  = 16
	shownBits   = 64
	shownLabels = 16
)

// showValue shows a constant, or how large it is if it has more than shownElems elements.
func showValue(v *tensor.Value) string {
	switch v.Layout {
	case tensor.Packed:
		return showBits(&v.Bits)
	case tensor.Sparse:
		return showCSR(&v.CSR)
	case tensor.Parts:
		if len(v.Part) > shownElems {
			return fmt.Sprintf("parts of %d nodes", len(v.Part))
		}
		return "parts " + join(v.Part, ", ")
	case tensor.Rows:
		return fmt.Sprintf("%d rows", v.Table.Len)
	}
	switch {
	case v.Shape.Rank() == 0:
		return number(v.F[0])
	case len(v.F) > shownElems:
		return fmt.Sprintf("%d numbers", len(v.F))
	}
	return "[" + strings.Join(lists.Map(v.F, number), ", ") + "]"
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// showBits writes one word of 0s and 1s for each row.
func showBits(m *tensor.Bits) string {
	if m.Rows > shownBits || m.Rows*m.Cols > shownBits {
		return fmt.Sprintf("%d bits", m.Rows*m.Cols)
	}
	rows := make([]string, m.Rows)
	for i := range rows {
		row := bytes.Repeat([]byte{'0'}, m.Cols)
		for j := range tensor.Ones(m.Row(i)) {
			row[j] = '1'
		}
		rows[i] = string(row)
	}
	return strings.Join(rows, " ")
}

// showCSR shows the entries as row,column, with =weight if they have weights.
func showCSR(m *tensor.CSR) string {
	if m.NNZ() == 0 || m.NNZ() > shownElems {
		return fmt.Sprintf("%d entries", m.NNZ())
	}
	var list []string
	for i := range m.Rows {
		for k, j := range m.Row(i) {
			s := fmt.Sprintf("%d,%d", i, j)
			if m.Val != nil {
				s += "=" + number(m.Val[int(m.Ptr[i])+k])
			}
			list = append(list, s)
		}
	}
	return strings.Join(list, " ")
}

// inputs lists the inputs, with what the code relies on of their numbers.
func (l *lister) inputs() {
	var rows [][]string
	for _, in := range l.p.Inputs {
		limits := ""
		if in.Bytes > 0 {
			limits = fmt.Sprintf("at most %.0f", tensor.MaxOf(in.Bytes))
		}
		if in.NonNeg {
			limits += " from 0"
		}
		rows = append(rows, []string{reg(in.Reg), in.Kind, plain(in.Name), strings.TrimSpace(limits)})
	}
	l.table("inputs", rows)
}

// code lists the instructions under the statements that they belong to.
func (l *lister) code() {
	if len(l.p.Code) == 0 {
		return
	}
	rows := make([][]string, len(l.p.Code))
	for i := range rows {
		in := &l.p.Code[i]
		rows[i] = []string{fmt.Sprintf("%*d", len(strconv.Itoa(len(rows)-1)), i), l.pos(l.p.Pos[i]),
			in.Op.String(), operands(in), attributes(in)}
	}
	lines := tables.Align("  ", rows)
	l.WriteString("\ncode\n")
	at := 0
	for _, s := range l.p.Stmts {
		fmt.Fprintf(&l.Builder, "; %s, %s\n", plain(s.Name), l.pos(s.Pos))
		l.WriteString(strings.Join(lines[s.From:s.To], ""))
		at = s.To
	}
	l.WriteString(strings.Join(lines[at:], ""))
	for i := range l.p.Code {
		if p := l.p.Code[i].Rules; l.p.Code[i].Op == Rules {
			fmt.Fprintf(&l.Builder, "\nrules of instruction %d\n  %s\n", i, strings.ReplaceAll(strings.TrimSpace(p.String()), "\n", "\n  "))
		}
	}
}

// operands shows the registers of an instruction, as in "r3 <- r1, r2".
func operands(in *Instr) string {
	args := lists.Map(in.Args, reg)
	s := strings.Join(args, ", ")
	results := lists.Map(in.Results, reg)
	if in.Dst >= 0 {
		results = append(results, reg(in.Dst))
	}
	if len(results) > 0 {
		s = strings.Join(results, ", ") + " <- " + s
	}
	return s
}

// attributes shows the attributes that the operation has, but for rules, which take lines of
// their own.
func attributes(in *Instr) string {
	var list []string
	add := func(s string) { list = append(list, s) }
	has := table[in.Op].attrs
	if has&hasSpec != 0 {
		add(einsum(in.Spec))
	}
	if has&hasFn != 0 {
		add(in.Fold.String() + " of " + in.Fn.String())
	} else if has&hasFold != 0 {
		add(in.Fold.String())
	}
	if has&hasLogic != 0 {
		add(in.Logic.String())
	}
	if has&hasWalk != 0 {
		add([...]string{op.WalkDesc: "descendants", op.WalkReach: "reach", op.WalkRow: "row"}[in.Walk])
	}
	if has&hasAxes != 0 && len(in.Axes) > 0 {
		add("axes " + join(in.Axes, ","))
	}
	if has&hasMicro != 0 {
		add(micro(in.Micro))
	}
	return strings.Join(list, " ")
}

// join writes numbers with a separator.
func join[T int | int32](list []T, sep string) string {
	return strings.Join(lists.Map(list, func(x T) string { return strconv.Itoa(int(x)) }), sep)
}

// einsum is "ij,jk->ik".
func einsum(s *op.Spec) string {
	var b strings.Builder
	for _, c := range []byte(s.Key()) {
		if c < 'a' {
			b.WriteByte(c)
		} else {
			b.WriteString(index(c - 'a'))
		}
	}
	return b.String()
}

// index names the indices of an einsum i, j, k, ..., z, a, ..., h, and then by
// their numbers.
func index(x uint8) string {
	if x < 26 {
		return string('a' + ('i'-'a'+rune(x))%26)
	}
	return "{" + strconv.Itoa(int(x)) + "}"
}

// micro spells an elementwise program out: the points it runs over, how each
// argument moves along their axes, and its steps. Arguments are a0, a1, ...,
// temporaries t0, t1, ..., and constants show their values.
func micro(m *Micro) string {
	var list []string
	add := func(s string) { list = append(list, s) }
	if len(m.Shape) == 0 {
		add("scalar")
	} else {
		add(join(m.Shape, "x"))
	}
	for k, s := range m.Strides {
		add(fmt.Sprintf("a%d[%s]", k, join(s, ",")))
	}
	head := strings.Join(list, " ") + ":"
	name := func(r uint8) string {
		k := int(r) - len(m.Strides)
		switch {
		case k < 0:
			return fmt.Sprintf("a%d", r)
		case k < len(m.Consts):
			return number(m.Consts[k])
		}
		return fmt.Sprintf("t%d", k-len(m.Consts))
	}
	list = nil
	for _, c := range m.Code {
		s := name(c.A)
		if n := c.Fn.Arity(); n > 1 {
			s += ", " + name(c.B)
			if n > 2 {
				s += ", " + name(c.C)
			}
		}
		s = c.Fn.String() + "(" + s + ")"
		if c.Fn != op.FnCheck {
			s = name(c.Dst) + " = " + s
		}
		add(s)
	}
	if len(m.Code) == 0 {
		add("a0")
	}
	if m.Folds > 0 {
		first := len(m.Shape) - m.Folds
		axes := make([]int, m.Folds)
		for i := range axes {
			axes[i] = first + i
		}
		add(m.Fold.String() + " along " + join(axes, ","))
	}
	return head + " " + strings.Join(list, "; ")
}

func (l *lister) outputs() {
	forms := [...]string{ir.Plain: "", ir.NodeSet: "node set", ir.NodePath: "node path", ir.NodeIndex: "node"}
	l.table("outputs", lists.Map(l.p.Outputs, func(o Output) []string { return []string{reg(o.Reg), l.pos(o.Pos), plain(o.Name), forms[o.Form]} }))
}

func (l *lister) labels() {
	if len(l.p.Labels) == 0 {
		return
	}
	list := lists.Map(l.p.Labels[:min(len(l.p.Labels), shownLabels)], strconv.Quote)
	if more := len(l.p.Labels) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	fmt.Fprintf(&l.Builder, "\nlabels\n  %s\n", strings.Join(list, ", "))
}
