package repl

import (
	"context"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ein/internal/table"
	"ein/internal/words"
	"ein/lang/check"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/tensor"
)

// The commands that show values and how they are computed.

var identifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

var kindWords = [...]string{tensor.Bool: "0/1", tensor.Int: "integer", tensor.Real: "real"}

func typeWords(t tensor.Type) string {
	return t.Shape.String() + " " + kindWords[t.Kind]
}

// describeValue is a value in a few words.
func describeValue(v *tensor.Value) string {
	t := v.Type
	if v.Table != nil {
		return "relation of " + words.Plural(len(v.Table.Columns), "column") + ", " + words.Plural(v.Table.Len, "row")
	}
	if t.Shape.Rank() == 0 {
		return typeWords(t)
	}
	ones := -1
	switch v.Layout {
	case tensor.Packed:
		ones = 0
		for _, w := range v.Bits.W {
			ones += bits.OnesCount64(w)
		}
	case tensor.Sparse:
		ones = v.CSR.NNZ()
	}
	switch {
	case ones < 0:
		return typeWords(t)
	case t.Kind == tensor.Bool && t.Shape.Rank() == 2 && t.Shape.Dim(0) == t.Shape.Dim(1):
		return typeWords(t) + ", " + words.Plural(ones, "edge")
	case t.Kind == tensor.Bool:
		return fmt.Sprintf("%s, %s of %s are 1", typeWords(t), words.Count(uint64(ones)), words.Count(t.Shape.Elems()))
	}
	return fmt.Sprintf("%s, %s entries", typeWords(t), words.Count(uint64(ones)))
}

// tensorList lists tensors, with their types and where they come from, and functions.
func (s *Session) tensorList(context.Context, string) Reply {
	var rows [][]string
	for _, name := range s.tensors() {
		row := []string{name, typeWords(s.value(name).Type), ""}
		if st := s.definition(name); st != nil {
			row[2] = s.oneLine(st.Span)
		} else {
			i := slices.IndexFunc(s.bound, func(b binding) bool { return b.Name == name })
			row[2] = "from " + s.bound[i].spec
		}
		rows = append(rows, row)
	}
	for _, st := range s.program.File.Stmts {
		if d, ok := st.(*syntax.Def); ok && s.function(d.Name.Name) == d {
			rows = append(rows, []string{d.Name.Name, "function", s.oneLine(d.Span)})
		}
	}
	return Reply{Out: strings.Join(table.Align("", rows), "")}
}

// relationList lists relations with the number of their facts or rows of data, and of their
// rules.
func (s *Session) relationList(context.Context, string) Reply {
	facts, rules := map[string]int{}, map[string]int{}
	said := map[string]bool{}
	for _, st := range s.program.File.Stmts {
		name, _ := syntax.RelationOf(st)
		if r, ok := st.(*syntax.Rule); ok && len(r.Body) > 0 {
			rules[name.Name]++
		} else if ok {
			row := name.Name // however its constants are written
			syntax.Walk(r.Head, func(n syntax.Node) bool {
				switch n := n.(type) {
				case *syntax.Name:
					row += strconv.Quote(n.Name)
				case *syntax.String:
					row += strconv.Quote(n.Value)
				case *syntax.Number:
					row += " " + tensor.Number(n.Value)
				case *syntax.Unary:
					row += " -"
				}
				return true
			})
			if !said[row] || r.Value != nil { // values are summed
				facts[name.Name]++
			}
			said[row] = true
		}
	}
	var rows [][]string
	for _, r := range s.program.Relations {
		row := []string{r.String(), ""}
		if n := facts[r.Name]; n > 0 {
			row[1] = words.Plural(n, "fact")
		}
		if v := s.inputs[r.Name]; v != nil {
			row[1] = words.Plural(v.Table.Len, "row") + " of data"
		}
		if n := rules[r.Name]; n > 0 {
			row[1] = strings.TrimPrefix(row[1]+", "+words.Plural(n, "rule"), ", ")
		}
		rows = append(rows, row)
	}
	return Reply{Out: strings.Join(table.Align("", rows), "")}
}

// oneLine is a part of the program on one line, shortened.
func (s *state) oneLine(at source.Span) string {
	shown, _ := diag.Display(syntax.OneLine(s.file.Text[at.Start:at.End]))
	return words.Shorten(shown, 60)
}

// function is the function of the session that a name stands for now, or nil.
func (s *state) function(name string) *syntax.Def {
	for _, st := range slices.Backward(s.program.File.Stmts) {
		if d, ok := st.(*syntax.Def); ok && d.Name.Name == name {
			return d
		}
	}
	return nil
}

// try checks a text as if it were entered, without keeping it.
func (s *Session) try(text string) (state, *entry) {
	next := s.state
	e := s.extend(&next, text, s.cfg.Name, s.line)
	return next, e
}

// typeOf tells the type of each value of a text without computing it.
func (s *Session) typeOf(_ context.Context, arg string) Reply {
	next, e := s.try(arg)
	r := Reply{Diags: e.diags, File: next.file}
	for _, st := range e.part.Statements {
		if st.Span.Start < e.start {
			continue
		}
		name := st.Name
		if name == "_" {
			name = words.Shorten(syntax.OneLine(next.file.Text[st.Span.Start:st.Span.End]), 60)
		}
		r.Out += name + ": " + typeWords(st.Node.Type) + "\n"
	}
	if r.Out == "" {
		return failure("`%s` has no value of its own", words.Shorten(arg, 40))
	}
	return r
}

// doc explains a name: what the session defines before what the language has.
func (s *Session) doc(ctx context.Context, arg string) Reply {
	if arg == "" {
		text := describe.Contents(describe.Functions())
		return Reply{Out: strings.Replace(text, "`ein doc NAME`", "`:doc NAME`", 1)}
	}
	if d := s.function(arg); d != nil {
		return Reply{Out: s.file.Text[d.Start:d.End] + "\n"}
	}
	if s.value(arg) != nil {
		return s.typeOf(ctx, arg)
	}
	page, err := Page(arg)
	if err != nil {
		return failure("%v", err)
	}
	return Reply{Out: page}
}

// compileArgument compiles a statement, given the existing values. For a name, it compiles everything
// that computes it from the inputs.
func (s *Session) compileArgument(arg string) (*compiled, *describe.Compiled) {
	name, next := arg, s.state
	e := &entry{part: next.program, only: s.definition(arg), stale: true}
	if e.only == nil || !identifier().MatchString(arg) {
		name = "this statement"
		next, e = s.try(arg)
	}
	c, err := s.compile(&next, e)
	if err != nil {
		panic("BUG: repl: " + err.Error())
	}
	p := *e.part
	p.Outputs = nil
	for _, w := range c.wants {
		p.Outputs = append(p.Outputs, check.Output{Name: w.Name, Form: w.Form, Node: w.Node, Span: describe.Span(w.Pos)})
	}
	d := &describe.Compiled{Name: name, Checked: &p, Code: c.code, Module: c.module, Rewrites: c.plan.Rewrites, From: e.start, ByText: true}
	if e.only != nil {
		d.To = e.only.Span.End
	}
	return c, d
}

func (s *Session) cost(_ context.Context, arg string) Reply {
	c, d := s.compileArgument(arg)
	return Reply{Out: describe.CostByText(&c.module.Certificate, d.Checked.File, s.cfg.Limits.MaxOps)}
}

func (s *Session) explain(ctx context.Context, arg string) Reply {
	if codePattern().MatchString(arg) && s.definition(arg) == nil {
		return s.doc(ctx, arg)
	}
	_, d := s.compileArgument(arg)
	return Reply{Out: d.Plan()}
}

func (s *Session) dis(_ context.Context, arg string) Reply {
	c, _ := s.compileArgument(arg)
	return Reply{Out: code.Disassemble(c.code, func(offset int) (int, int) {
		p := c.of.file.Position(offset)
		return p.Line, p.Column
	})}
}

func (s *Session) time(ctx context.Context, arg string) Reply {
	start := time.Now()
	r := s.statements(ctx, arg, s.cfg.Name, s.line)
	wall := time.Since(start)
	r.Out += fmt.Sprintf("%v, %s (at most %s), %s\n", wall.Round(time.Microsecond),
		words.Plural(r.stats.Ops, "operation"), words.Count(r.bound), words.Bytes(r.stats.PeakBytes))
	return r
}

func (s *Session) full(ctx context.Context, arg string) Reply {
	cut := s.view
	s.view.Full, s.view.Top = true, 0
	defer func() { s.view = cut }()
	next, e := s.try(arg)
	return s.run(ctx, &next, e)
}

// compute is the value of an expression or a query, and the labels of its nodes. The value is not kept.
func (s *Session) compute(ctx context.Context, expression string) (*vm.Output, []string) {
	f := syntax.Parse(source.NewFile("", expression), syntax.Options{Repl: true})
	if len(f.Stmts) == 1 {
		q, asks := f.Stmts[0].(*syntax.Query)
		if _, ok := f.Stmts[0].(*syntax.ExprStmt); ok || asks && !q.Why {
			return s.evaluate(ctx, expression)
		}
	}
	s.try(expression)
	panic(refused(failure("expected one expression, found `%s`", words.Shorten(expression, 40))))
}

// evaluate is compute for a statement.
func (s *Session) evaluate(ctx context.Context, statement string) (*vm.Output, []string) {
	next, e := s.try(statement)
	_, result := s.execute(ctx, &next, e)
	// First what has to be computed again because the nodes changed.
	return &result.Outputs[len(result.Outputs)-1], next.program.Labels
}
