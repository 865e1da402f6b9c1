// Package describe explains to people what the toolchain knows about a program:
//
//	Compiled.Plan          the steps below each statement, with layouts, kernels and rewrites (plan.go)
//	Cost, StatementCosts   the certificate by statement (cost.go)
//	Refused, Failed        why limits refuse a program, or what went wrong in its run (failure.go)
//	Proofs                 why a row is there, or how far each rule gets (proof.go)
//	Functions, Reference   the functions of the language, for ein doc and the language page (functions.go)
//
// The packages below know no words: cost, vm and engine give numbers, positions and evidence. This one
// puts them into the names and the text that the user wrote, once, for the command, the session, the
// language server and the server for other programs alike. It returns text or a diag.Diagnostic and
// decides no layout and no colour; packages diag and table do.
//
// A program may be hostile: lines of source are cut, a proof shows the first of many bindings, and
// Proofs stops at the memory that it is given.
package describe

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"ein/internal/lists"
	"ein/internal/table"
	"ein/internal/words"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/plan"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// Compiled is a program with what was made of it.
type Compiled struct {
	Name     string // of the program, for the heading
	Checked  *check.Program
	Code     *code.Program
	Module   *cost.Module
	Rewrites []plan.Rewrite
	Plain    bool // it was not optimised
	// Statements that begin before From are left out, and those that begin at or
	// past To, when it is not 0.
	From, To int
	// ByText is for a program whose lines its reader has not seen: statements are
	// shown by their text, and only those that something is computed for.
	ByText bool
}

// Plan shows under each statement of a program the operations that compute it.
func (c *Compiled) Plan() string {
	e := &explainer{c: c, names: map[int]string{}, rewrites: map[int][]string{}}
	e.nameRegisters()
	e.collectRewrites()
	e.head()
	e.statements()
	e.relations()
	e.outputs()
	return e.String()
}

// explainer writes the plan of a program for people.
type explainer struct {
	strings.Builder
	c     *Compiled
	names map[int]string // of registers
	// rewrites by statement, as lines
	rewrites map[int][]string
}

// shownLine is how much of a source line is shown.
const shownLine = 100

// nameRegisters gives inputs, constants and outputs the names that they have in
// the program.
func (e *explainer) nameRegisters() {
	p := e.c.Code
	for _, o := range p.Outputs {
		if identifier(o.Name) {
			e.names[o.Reg] = o.Name
		}
	}
	for _, in := range p.Inputs {
		e.names[in.Reg] = in.Name
	}
	for i := range p.Consts {
		c := &p.Consts[i]
		if e.names[c.Reg] != "" {
			continue
		}
		e.names[c.Reg] = "const " + c.Value.Shape.String()
		if c.Value.Shape.Rank() == 0 {
			e.names[c.Reg] = tensor.Number(c.Value.At())
		}
		for _, s := range e.c.Checked.Statements {
			if s.Node != nil && s.Node.Op == ir.Const && sameData(s.Node.Value, &c.Value) {
				e.names[c.Reg] = s.Name
			}
		}
	}
}

// identifier reports whether an output has a name and not an expression for one.
func identifier(s string) bool { return s != "" && !strings.ContainsAny(s, " ()[]{}+-*/<>=!,.\"") }

// sameData reports whether two constants share their storage, which is how the
// literal of a statement is found again in the code.
func sameData(a, b *tensor.Value) bool {
	same := func(x, y []uint64) bool { return len(x) > 0 && len(y) > 0 && &x[0] == &y[0] }
	switch {
	case a.Layout != b.Layout:
		return false
	case a.Layout == tensor.Packed:
		return same(a.Bits.W, b.Bits.W)
	case a.Layout == tensor.Sparse:
		return &a.CSR.Ptr[0] == &b.CSR.Ptr[0]
	}
	return a.Shape.Rank() > 0 && len(a.F) > 0 && len(b.F) > 0 && &a.F[0] == &b.F[0]
}

// reg is the name of a register, or its number.
func (e *explainer) reg(r int) string {
	if name := e.names[r]; name != "" {
		return name
	}
	return fmt.Sprintf("r%d", r)
}

// collectRewrites assigns each rewrite to its statement. One that happens several times in a
// statement is listed once.
func (e *explainer) collectRewrites() {
	for _, r := range e.c.Rewrites {
		k := e.statementAt(r.Pos)
		line := r.Name + ": " + r.What()
		if !slices.Contains(e.rewrites[k], line) {
			e.rewrites[k] = append(e.rewrites[k], line)
		}
	}
}

// statementAt returns the last statement that begins at or before a position.
func (e *explainer) statementAt(p ir.Pos) int {
	stmts := e.c.Checked.File.Stmts
	return max(sort.Search(len(stmts), func(i int) bool { return stmts[i].Pos().Start > int(p.Start) })-1, 0)
}

// head lists the totals of the certificate and the inputs with their layouts.
func (e *explainer) head() {
	c := &e.c.Module.Certificate
	name, _ := diag.Display(e.c.Name)
	fmt.Fprintf(&e.Builder, "%s: %s, at most %s and %s\n", name, words.Plural(len(e.c.Module.Steps), "step"),
		words.Plural(c.Ops, "operation"), words.Bytes(c.PeakBytes))
	if e.c.Plain {
		e.WriteString("not optimised: every operation as written\n")
	}
	for _, in := range e.c.Code.Inputs {
		r := &e.c.Code.Regs[in.Reg]
		entries := ""
		if r.Layout == tensor.Sparse {
			entries = ", " + words.Plural(r.NNZ, "entry", "entries")
		}
		fmt.Fprintf(&e.Builder, "input %s: %s%s\n", in.Name, e.result(in.Reg), entries)
	}
}

// statements lists each statement with its steps and rewrites. A step belongs to the last
// statement that begins before it, and all columns are aligned over the whole program.
func (e *explainer) statements() {
	statements := e.c.Checked.File.Stmts
	rows := make([][]string, len(e.c.Module.Steps))
	for i := range e.c.Module.Steps {
		rows[i] = e.step(&e.c.Module.Steps[i])
	}
	steps := make([][]string, len(statements)) // of each
	for i, line := range table.Align(indent, rows) {
		k := e.statementAt(e.c.Code.Pos[i])
		steps[k] = append(steps[k], line)
	}
	values := map[source.Span]*ir.Node{}
	for _, s := range e.c.Checked.Statements {
		values[s.Span] = s.Node
	}
	needed := e.needed()
	for k, s := range statements {
		switch s.(type) {
		case *syntax.Input: // listed above
			continue
		case *syntax.Rule, *syntax.Query: // listed below
			if len(steps[k]) == 0 {
				continue
			}
		}
		if at := s.Pos().Start; at < e.c.From || e.c.To > 0 && at >= e.c.To {
			continue
		}
		if e.c.ByText && len(steps[k]) == 0 && !needed[values[s.Pos()]] {
			continue
		}
		e.WriteString("\n" + e.heading(s) + "\n")
		for _, line := range steps[k] {
			e.WriteString(line)
		}
		if n := values[s.Pos()]; n != nil && len(steps[k]) == 0 {
			e.WriteString(indent + e.stepless(n, needed) + "\n")
		}
		for _, r := range e.rewrites[k] {
			e.WriteString(indent + "* " + r + "\n")
		}
	}
}

// heading returns the line above the steps of a statement.
func (e *explainer) heading(s syntax.Stmt) string {
	f := e.c.Checked.File
	if e.c.ByText {
		return shown(statementText(f, s), shownLine)
	}
	start := s.Pos().Start
	at := f.Source.LineAt(start)
	return fmt.Sprintf("%4d | %s", f.Source.Position(start).Line, shown(strings.TrimSpace(f.Source.Text[at.Start:at.End]), shownLine))
}

// stepless says why no step belongs to a statement.
func (e *explainer) stepless(n *ir.Node, needed map[*ir.Node]bool) string {
	switch {
	case !needed[n]:
		return "not computed: no output needs it"
	case n.Op == ir.Const:
		return "constant, " + typeText(n.Type, n.Value.Layout)
	}
	return "computed as part of other steps"
}

// needed returns the operations that the outputs use, before any rewrite. Those of a statement that
// no output uses never get to the code.
func (e *explainer) needed() map[*ir.Node]bool {
	seen := map[*ir.Node]bool{}
	var visit func(n *ir.Node)
	visit = func(n *ir.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, a := range n.Args {
			visit(a)
		}
	}
	for _, o := range e.c.Checked.Outputs {
		visit(o.Node)
	}
	return seen
}

// relations lists what rules derive, stratum by stratum, with the most rows that each
// relation can have.
func (e *explainer) relations() {
	for i := range e.c.Module.Steps {
		p := e.c.Module.Steps[i].Rules
		if p == nil {
			continue
		}
		bound := e.c.Module.Steps[i].Plan.(planned)
		e.WriteString("\nrelations\n")
		e.table(e.derivations(p, bound))
		if len(p.Strata()) > 0 {
			e.WriteString("\nevaluation\n")
		}
		for _, line := range bound.Explain() {
			e.WriteString(indent + words.Shorten(line, shownLine) + "\n")
		}
	}
}

// planned is what a plan says of rules.
type planned interface {
	Rows(relation int) uint64
	Explain() []string
}

// derivations is a table of the relations that have rows: first those that are given.
func (e *explainer) derivations(p *rel.Program, bound planned) (rows [][]string) {
	derived := map[int]bool{}
	head := func(k int, notes ...string) {
		r := &p.Relations[k]
		if r.Facts != nil {
			notes = append(notes, words.Plural(r.Facts.Len, "fact"))
		}
		switch n := bound.Rows(k); {
		case r.Source == rel.NoSource && !derived[k]:
		case n == 1:
			notes = append(notes, "at most 1 row")
		default:
			notes = append(notes, "at most "+words.Count(n)+" rows")
		}
		rows = append(rows, []string{p.Head(r), strings.Join(notes, ", ")})
	}
	strata := p.Strata()
	for _, s := range strata {
		for _, k := range s.Relations {
			derived[k] = true
		}
	}
	for k, r := range p.Relations {
		if !derived[k] && (r.Facts != nil || r.Source != rel.NoSource) {
			head(k)
		}
	}
	for _, s := range strata {
		for _, k := range s.Relations {
			if s.Recursive {
				head(k, "recursive")
			} else {
				head(k)
			}
			for _, i := range s.Rules {
				if r := &p.Rules[i]; r.Rel == k && p.Relations[k].Name != e.queryOf(r) {
					rows = append(rows, []string{"  " + words.Shorten(p.Rule(r), shownLine)})
				}
			}
		}
	}
	return rows
}

// queryOf returns the text of the query that a rule stands for, "" for any other rule.
func (e *explainer) queryOf(r *rel.Rule) string {
	stmts := e.c.Checked.File.Stmts
	k := e.statementAt(r.Pos)
	if q, ok := stmts[k].(*syntax.Query); ok {
		return syntax.QueryString(q)
	}
	return ""
}

// outputs lists the outputs, and explains the rewrites that the listing names.
func (e *explainer) outputs() {
	e.WriteString("\noutputs\n")
	var rows [][]string
	for _, o := range e.c.Code.Outputs {
		from := ""
		if reg := e.reg(o.Reg); reg != o.Name {
			from = "= " + reg
		}
		rows = append(rows, []string{shown(o.Name, 40), from, e.result(o.Reg)})
	}
	e.table(rows)
	used := map[string]bool{}
	for _, list := range e.rewrites {
		for _, r := range list {
			name, _, _ := strings.Cut(r, ":")
			used[name] = true
		}
	}
	if len(used) == 0 {
		return
	}
	e.WriteString("\nrewrites\n")
	rows = nil
	for _, r := range plan.Rewrites {
		if used[r.Name] {
			rows = append(rows, []string{r.Name, r.Doc})
		}
	}
	e.table(rows)
}

// indent is the indentation of everything below a source line.
const indent = "       "

func (e *explainer) table(rows [][]string) {
	e.WriteString(strings.Join(table.Align(indent, rows), ""))
}

func (e *explainer) result(r int) string {
	return Reg(&e.c.Code.Regs[r])
}

// Reg returns what a register holds, in words.
func Reg(r *code.Reg) string {
	if r.Layout == tensor.Rows {
		return fmt.Sprintf("relation of %s", words.Plural(len(r.Columns), "column"))
	}
	return typeText(r.Type, r.Layout)
}

// typeText shows a shape, and the kind and the layout where these say something.
func typeText(t tensor.Type, l tensor.Layout) string {
	s := t.Shape.String() + " " + t.Kind.String()
	switch l {
	case tensor.Packed:
		s = t.Shape.String() + " bits"
	case tensor.Sparse:
		s += ", sparse"
	case tensor.Parts:
		s = t.Shape.String() + " components"
	}
	return s
}

// step returns a row: result, operation, kernel, type, bound.
func (e *explainer) step(s *cost.Step) []string {
	args := lists.Map(s.Args, e.reg)
	what, how := operation(e.c.Code, s)
	if len(args) > 0 {
		what += " (" + strings.Join(args, ", ") + ")"
	}
	row := []string{"", what, how, "", "<= " + words.Count(s.Cost.Ops) + " ops"}
	if s.Dst >= 0 {
		row[0], row[3] = e.reg(s.Dst)+" =", e.result(s.Dst)
	}
	return row
}

// Step returns what a step of a plan computes and the kernel that does it, for a sentence.
func Step(p *code.Program, s *cost.Step) string {
	what, how := operation(p, s)
	return what + " (" + how + ")"
}

// Doing says what a run is at, for a line on a terminal: the statement, unless the source
// is not there, and the step.
func Doing(f *source.File, p *code.Program, at vm.Progress) string {
	step := Step(p, at.Step)
	if f == nil || at.Pos.Start == at.Pos.End {
		return step
	}
	text, _ := diag.Display(syntax.OneLine(f.Text[at.Pos.Start:at.Pos.End]))
	return words.Shorten(text, 40) + ": " + step
}

// layouts names the layouts for people.
var layouts = [...]string{tensor.Dense: "dense", tensor.Packed: "bits", tensor.Sparse: "sparse", tensor.Parts: "components", tensor.Rows: "rows"}

// operation returns what a step computes and the kernel that does it: the words for the operation,
// filled in from its instruction.
func operation(p *code.Program, s *cost.Step) (what, how string) {
	what, how = s.Op.Words()
	fill := func(text string) string {
		head, rest, found := strings.Cut(text, "{")
		for found {
			name, tail, _ := strings.Cut(rest, "}")
			head += word(name, p, s)
			text, rest, found = strings.Cut(tail, "{")
			head += text
		}
		return head
	}
	return fill(what), fill(cmp.Or(how, "{layout}"))
}

// word returns the text for a {name} in the words for an operation.
func word(name string, p *code.Program, s *cost.Step) string {
	switch name {
	case "layout":
		return layouts[p.Regs[s.Args[0]].Layout]
	case "to":
		return layouts[p.Regs[s.Dst].Layout]
	case "product":
		if len(s.Args) > 2 {
			return fmt.Sprintf("product of %d factors", len(s.Args))
		}
		return "einsum " + s.Spec.Key()
	case "kernel":
		if k, ok := s.Plan.(interface{ Kernel() string }); ok {
			return k.Kernel()
		}
		return "loops"
	case "spec":
		return s.Spec.Key()
	case "fn":
		return s.Fn.String()
	case "fold":
		return s.Fold.String()
	case "logic":
		return s.Logic.String()
	case "walk":
		return [...]string{op.WalkDesc: "descendants", op.WalkReach: "nodes reached", op.WalkRow: "row of tc"}[s.Walk]
	case "axes":
		return axes(s.Axes)
	case "micro":
		return fused(s.Micro)
	}
	panic("BUG: describe: no word for " + name)
}

func axes(list []int) string {
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
	if len(list) == 1 {
		return "axis " + text
	}
	return "axes " + text
}

// fused names the functions of an elementwise program, and the fold over them.
func fused(m *code.Micro) string {
	var names []string
	for _, c := range m.Code {
		if c.Fn != op.FnCheck {
			names = append(names, c.Fn.String())
		}
	}
	s := cmp.Or(words.Shorten(strings.Join(names, ", "), 40), "copy")
	if m.Folds > 0 {
		s = fmt.Sprintf("%v of %s", m.Fold, s)
	}
	return s
}
