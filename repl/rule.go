package repl

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/tensor"
)

// made is the assignment that gave a name its value, or nil for inputs and functions. It panics
// with a refusal if a name that the assignment reads has another value now: an explanation
// evaluates parts of the assignment again, and would speak of other numbers.
func (s *Session) made(name string) *syntax.Assign {
	st := s.definition(name)
	if st == nil {
		return nil
	}
	i := slices.IndexFunc(s.program.File.Stmts, func(x syntax.Stmt) bool { return x.Pos() == st.Span })
	if i < 0 { // inside a repeat
		return nil
	}
	a, ok := s.program.File.Stmts[i].(*syntax.Assign)
	if !ok {
		return nil
	}
	for _, read := range readBy(a.Value) {
		d, f := s.definition(read), s.function(read)
		if d != nil && d.Span.Start >= st.Span.Start || f != nil && f.Start > st.Span.Start || s.relation(&syntax.Name{Name: read}) && s.restated(read, st.Span.Start) {
			panic(refused(refusal("", "", fmt.Sprintf("`%s` was made of `%s`, which has another value now", name, read), "A value is explained while what it was made of is as it was.")))
		}
	}
	return a
}

// restated reports whether a relation may have other rows than it had at a place in the program: a
// fact or a rule after it, of the relation or of one that its rules read, or one that was taken
// back since.
func (s *state) restated(name string, at int) bool {
	needs := map[string]bool{name: true}
	for n := 0; n < len(needs); {
		n = len(needs)
		for _, f := range s.entries {
			if s.again[f] != "" && len(f.Source.Text) > at {
				return true
			}
			for _, st := range f.Stmts {
				r, rule := st.(*syntax.Rule)
				if head, _ := syntax.RelationOf(st); !rule || !needs[head.Name] {
					continue
				}
				if r.Start >= at {
					return true
				}
				for _, read := range readBy(r) {
					needs[read] = true
				}
			}
		}
	}
	return false
}

// readBy returns the names of tensors, relations and functions in an expression or a rule, each once.
func readBy(x syntax.Node) (names []string) {
	indices := freeIn(x)
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Name:
			if !slices.Contains(indices[n.Name], n.Span) {
				names = lists.Add(names, n.Name)
			}
		case *syntax.Call:
			names = lists.Add(names, n.Fun.Name)
		}
		return true
	})
	return names
}

// named replaces the names in a question by the calls that gave them their values: T by tc(A), and
// T[i, j] by tc(A)[i, j]. The result may be an element of an equation. It ends, as an assignment
// reads only what was made before it.
func (s *Session) named(x syntax.Expr) (syntax.Expr, *syntax.Assign) {
	var at []syntax.Expr
	for {
		if i, ok := x.(*syntax.Index); ok && at == nil {
			x, at = i.X, i.Indices
		}
		whole := x
		if at != nil {
			whole = &syntax.Index{Span: x.Pos(), X: x, Indices: at}
		}
		if p, ok := x.(*syntax.Paren); ok {
			x = p.X
			continue
		}
		name, ok := x.(*syntax.Name)
		if !ok {
			return whole, nil
		}
		a := s.made(name.Name)
		if a == nil || a.Op != syntax.Set || indexed(a.Value) {
			return whole, a
		}
		x = a.Value
		if at != nil {
			x = &syntax.Index{Span: x.Pos(), X: x, Indices: at}
		}
		_, known := ask(x)
		_, again := a.Value.(*syntax.Name)
		if !known && !again {
			return whole, a
		}
		x = a.Value
	}
}

// indexed reports whether an expression has indices.
func indexed(x syntax.Expr) bool { return len(freeIn(x)) > 0 }

// freeIn returns the names of the indices in an expression, with their places.
func freeIn(x syntax.Node) map[string][]source.Span {
	found := map[string][]source.Span{}
	syntax.Walk(x, func(n syntax.Node) bool {
		if i, ok := n.(*syntax.Index); ok {
			for _, index := range i.Indices {
				if name, ok := index.(*syntax.Name); ok {
					found[name.Name] = append(found[name.Name], name.Span)
				}
			}
		}
		return true
	})
	return found
}

// summands splits a sum into its terms, which are summed one by one.
func summands(x syntax.Expr) []syntax.Expr {
	switch y := x.(type) {
	case *syntax.Paren:
		return summands(y.X)
	case *syntax.Binary:
		if y.Op == syntax.Add || y.Op == syntax.Sub {
			return append(summands(y.L), summands(y.R)...)
		}
	}
	return []syntax.Expr{x}
}

// lifted reports whether a term is a sum over all its indices, so that its elements can be computed
// one by one by an equation that has these on the left. Those in the argument of a function or in a
// comparison are summed inside it.
func lifted(term syntax.Expr) bool {
	b, ok := term.(*syntax.Binary)
	good := !ok || b.Op == syntax.Mul || b.Op == syntax.Div
	syntax.Walk(term, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Call); ok {
			for _, a := range c.Args {
				good = good && !indexed(a.Value)
			}
		}
		return good
	})
	return good
}

// rule explains an element by the assignment that made it: by the terms that are not 0 or, for max=
// and min=, those that have the value.
func (s *Session) rule(ctx context.Context, x syntax.Expr, a *syntax.Assign) Reply {
	out, _ := s.compute(ctx, syntax.ExprString(x))
	element, isElement := x.(*syntax.Index)
	if over := slices.Sorted(maps.Keys(freeIn(x))); out.Value.Shape.Rank() > 0 || isElement && len(element.Indices) != len(a.Indices) || over != nil {
		what, at := stdlib.Describe(out.Value.Shape), slices.Repeat([]string{"0"}, s.value(a.Name.Name).Shape.Rank())
		if over != nil {
			what = "a sum over " + strings.Join(over, " and ")
		}
		for k := 0; isElement && len(element.Indices) == len(at) && k < len(at); k++ {
			if at[k] = syntax.ExprString(element.Indices[k]); slices.Contains(s.program.Labels, at[k]) {
				at[k] = strconv.Quote(at[k])
			} else if slices.Contains(over, at[k]) {
				at[k] = "0"
			}
		}
		return refusal("", "", fmt.Sprintf("`%s` is %s, and `:why` explains one element", syntax.ExprString(x), what),
			fmt.Sprintf("Ask as in `:why %s[%s]`.", a.Name.Name, strings.Join(at, ", ")))
	}
	value := out.Value.At()
	fixed := map[string]int{}
	for k, index := range a.Indices {
		node := s.node(ctx, element.Indices[k], s.value(a.Name.Name).Shape.Dim(k))
		name := index.(*syntax.Name).Name
		if before, twice := fixed[name]; twice && before != node {
			return Reply{Out: fmt.Sprintf("%s = %s: `%s` sets elements on the diagonal only\n", syntax.ExprString(x), tensor.Number(value), s.oneLine(a.Span))}
		}
		fixed[name] = node
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s = %s, by %s\n", syntax.ExprString(x), tensor.Number(value), s.oneLine(a.Span))
	extreme := a.Op == syntax.SetMax || a.Op == syntax.SetMin
	parts := []syntax.Expr{a.Value}
	if !extreme {
		parts = summands(a.Value)
	}
	for _, part := range parts {
		lift, sought := lifted(part), "not 0"
		matters := func(x float64) bool { return x != 0 }
		if extreme {
			lift, sought = true, tensor.Number(value)
			matters = func(x float64) bool { return x == value }
		}
		s.term(ctx, &b, part, fixed, lift, sought, matters)
	}
	if a.Op != syntax.Set {
		fmt.Fprintf(&b, "  combined by %s with the value from before, if there was one\n", a.Op)
	}
	return Reply{Out: b.String()}
}

// term lists the elements of a part of a rule that matter, by the indices that are summed, or gives
// its value when there are none. The part is evaluated as an entry of its own, in which the indices
// of the element are replaced by numbers in the text, and those that are summed stand on the left.
func (s *Session) term(ctx context.Context, b *strings.Builder, part syntax.Expr, fixed map[string]int, lift bool, sought string, matters func(float64) bool) {
	at := part.Pos()
	text, from := "", at.Start
	var summed []string
	var places []source.Span
	number := map[source.Span]int{}
	for name, spans := range freeIn(part) {
		if node, ok := fixed[name]; ok {
			for _, span := range spans {
				number[span] = node
			}
			places = append(places, spans...)
		} else if lift {
			summed = append(summed, name)
		}
	}
	sort.Slice(places, func(i, j int) bool { return places[i].Start < places[j].Start })
	for _, span := range places {
		text += s.file.Text[from:span.Start] + fmt.Sprint(number[span])
		from = span.End
	}
	text += s.file.Text[from:at.End]
	slices.Sort(summed)
	left := fresh("why", s.file.Text)
	if len(summed) > 0 {
		left += "[" + strings.Join(summed, ",") + "]"
	}
	out, _ := s.evaluate(ctx, left+" = "+text)
	if len(summed) == 0 {
		fmt.Fprintf(b, "  %s is %s\n", s.oneLine(part.Pos()), tensor.Number(out.Value.At()))
		return
	}
	var found []string
	n := 0
	for k, x := range out.Value.ToDense() {
		if !matters(x) {
			continue
		}
		if n++; n <= mostShown {
			names := make([]string, len(summed))
			for d := len(summed) - 1; d >= 0; d-- {
				size := out.Value.Shape.Dim(d)
				names[d] = summed[d] + " = " + s.label(k%size, size)
				k /= size
			}
			found = append(found, fmt.Sprintf("    %s at %s\n", tensor.Number(x), strings.Join(names, ", ")))
		}
	}
	count, end := words.Count(uint64(n)), ":"
	if n == 0 {
		count, end = "none", ""
	}
	fmt.Fprintf(b, "  %s is %s at %s of %s%s\n%s", s.oneLine(part.Pos()), sought, count, words.Count(out.Value.Shape.Elems()), end, strings.Join(found, ""))
	if n > mostShown {
		fmt.Fprintf(b, "    ... and %s more\n", words.Count(uint64(n-mostShown)))
	}
}

// origin explains any other value: by its definition, and what that reads.
func (s *Session) origin(ctx context.Context, x syntax.Expr, a *syntax.Assign) Reply {
	out, _ := s.compute(ctx, syntax.ExprString(x))
	var b strings.Builder
	if out.Value.Shape.Rank() == 0 {
		fmt.Fprintf(&b, "%s = %s, by %s\n", syntax.ExprString(x), tensor.Number(out.Value.At()), s.oneLine(a.Span))
	} else {
		fmt.Fprintf(&b, "%s: %s, by %s\n", syntax.ExprString(x), describeValue(out.Value), s.oneLine(a.Span))
	}
	for _, name := range readBy(a.Value) {
		if v := s.value(name); v != nil {
			b.WriteString("  " + s.from(name, v) + "\n")
		}
	}
	return Reply{Out: b.String()}
}

// from is a name with its value in a few words, and where that comes from.
func (s *Session) from(name string, v *tensor.Value) string {
	text := describeValue(v)
	if v.Table == nil && v.Shape.Rank() == 0 && !math.IsNaN(v.At()) {
		text = tensor.Number(v.At())
	}
	if st := s.definition(name); st != nil {
		return name + ": " + text + ", by " + s.oneLine(st.Span)
	}
	i := slices.IndexFunc(s.bound, func(b binding) bool { return b.Name == name })
	return name + ": " + text + ", from " + s.bound[i].spec
}
