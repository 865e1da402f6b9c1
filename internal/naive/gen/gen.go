// Package gen generates random valid Ein programs, on which tests compare two engines.
//
// [Program] writes a program from its beginning to its end: literals and a graph, then
// statements over the names bound so far, then what is printed. Each bound name carries its
// shape, so every use fits, and bounds keep tensors and loops small enough for an engine
// that follows the definition. Layout varies too: comments, semicolons, shadowed names,
// names of functions.
//
// A comparison needs values that do not depend on the order of additions, in which engines
// differ. The generator therefore tracks for each value a bound of its magnitude, how many
// binary digits it has behind the point, and whether it is exact. While sums are exact in a
// float64, any order gives the same answer. Once one may have been rounded, nothing is
// computed from it that could jump, such as a comparison, and the test compares within a
// tolerance.
//
// [Huge] gives up exactness of another kind: its whole numbers lie near 2^53 and often
// cancel, so a program is right only if nothing named or printed reaches 2^53. Engines must
// agree on whether it does.
//
// The same source of randomness gives the same program.
package gen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"ein/internal/lists"
)

// Bounds of what is generated.
const (
	maxExact   = 1 << 44 // of exact values, in units of their last bit
	maxInexact = 1 << 20
	maxElems   = 700   // of one tensor
	maxLoops   = 20000 // of one equation
)

// num is what is known of the numbers of a value.
type num struct {
	max   float64 // bound of the magnitude
	frac  int     // binary digits behind the point
	exact bool    // no rounding has happened
}

// ok reports whether both engines compute such numbers alike: whole ones and fractions of few bits
// are exact, whatever the order of operations, and others must not be large.
func (n num) ok() bool {
	if !n.exact {
		return n.max <= maxInexact
	}
	return n.frac < 30 && n.max*float64(uint64(1)<<n.frac) <= maxExact
}

func (n num) times(m num) num { return num{n.max * m.max, n.frac + m.frac, n.exact && m.exact} }
func (n num) plus(m num) num {
	return num{n.max + m.max, max(n.frac, m.frac), n.exact && m.exact}
}
func (n num) or(m num) num {
	return num{max(n.max, m.max), max(n.frac, m.frac), n.exact && m.exact}
}
func (n num) sum(count int) num { n.max *= float64(count); return n }

var bit = num{max: 1, exact: true}

// tensor is a tensor and the text that denotes it.
type tensor struct {
	text string
	dims []int
	num
}

// generator writes one program.
type generator struct {
	r     *rand.Rand
	out   strings.Builder
	vars  []tensor // the bound names
	sizes []int    // the sizes that tensors of this program have
	fresh int
}

// Program returns the text of a random program.
func Program(r *rand.Rand) string {
	g := &generator{r: r, sizes: []int{2 + r.IntN(4), 1 + r.IntN(4)}}
	for range 2 + r.IntN(3) {
		g.literal()
	}
	g.graph()
	for range 3 + r.IntN(8) {
		g.statement()
	}
	g.prints()
	return g.out.String()
}

// chance is true in so many of 100 cases.
func (g *generator) chance(percent int) bool { return g.r.IntN(100) < percent }

// pick is one of some things; what is listed twice comes twice as often.
func pick[T any](g *generator, xs ...T) T { return xs[g.r.IntN(len(xs))] }

// line writes a statement, with one of the ways to end it: a newline, a semicolon or a comment.
func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.out, format, args...)
	if g.chance(4) {
		g.out.WriteString(" // note")
	} else if g.chance(3) {
		g.out.WriteString("; ")
		return
	}
	g.out.WriteByte('\n')
	if g.chance(4) {
		g.out.WriteString("# a comment\n\n")
	}
}

// name returns a new name, or now and then an old one to shadow.
func (g *generator) name() string {
	if len(g.vars) > 3 && g.chance(12) {
		return pick(g, g.vars...).text
	}
	g.fresh++
	// A few of the names are also names of functions, which is allowed.
	if g.fresh%17 == 0 {
		return pick(g, "max", "tc", "desc", "ones")
	}
	return fmt.Sprintf("%c%d", 'A'+g.r.IntN(26), g.fresh)
}

// bind makes a name known, with its sizes and what its elements can be.
func (g *generator) bind(name string, dims []int, n num) {
	g.vars = slices.DeleteFunc(g.vars, func(t tensor) bool { return t.text == name })
	g.vars = append(g.vars, tensor{name, dims, n})
}

// elems is how many elements a tensor of these sizes has.
func elems(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// number returns the text of a literal.
func (g *generator) number() (string, num) {
	switch g.r.IntN(6) {
	case 0:
		n := g.r.IntN(40)
		return fmt.Sprintf("%g", float64(n)/4), num{10, 2, true}
	case 1:
		return pick(g, "0.5", ".25", "1.", "2.0", "1e1"), num{10, 2, true}
	default:
		return fmt.Sprint(g.r.IntN(4)), num{3, 0, true}
	}
}

// literal binds a name to a list of numbers.
func (g *generator) literal() {
	rank := pick(g, 1, 1, 2, 2, 2, 3)
	dims := make([]int, rank)
	for a := range dims {
		dims[a] = pick(g, g.sizes...)
	}
	kind := g.r.IntN(3)
	n := []num{bit, {5, 0, true}, {4, 2, true}}[kind]
	var list func(dims []int) string
	list = func(dims []int) string {
		if len(dims) == 0 {
			switch kind {
			case 0:
				return fmt.Sprint(g.r.IntN(2))
			case 1:
				return fmt.Sprint(g.r.IntN(10) - 4)
			}
			return fmt.Sprintf("%g", float64(g.r.IntN(32)-16)/4)
		}
		rows := make([]string, dims[0])
		for i := range rows {
			rows[i] = list(dims[1:])
		}
		return "[" + strings.Join(rows, pick(g, ", ", ",", ",\n  ")) + "]"
	}
	text := list(dims)
	if rank == 1 && g.chance(30) {
		text = fmt.Sprintf("vec(%s, %d)", text, dims[0])
	}
	name := g.name()
	g.line("%s = %s", name, text)
	g.bind(name, dims, n)
}

// graph binds a name to an adjacency matrix of the first size.
func (g *generator) graph() {
	n := g.sizes[0]
	name := g.name()
	if g.chance(30) {
		rows := make([]string, n)
		for i := range rows {
			row := make([]string, n)
			for j := range row {
				row[j] = map[bool]string{true: "1", false: "0"}[g.chance(30)]
			}
			rows[i] = "[" + strings.Join(row, ",") + "]"
		}
		g.line("%s = %s([%s])", name, pick(g, "adj", map[bool]string{true: "edges", false: "adj"}[n >= 3]), strings.Join(rows, ",\n   "))
	} else {
		var pairs []string
		for range g.r.IntN(2 * n) {
			pairs = append(pairs, fmt.Sprintf("[%d,%d]", g.r.IntN(n), g.r.IntN(n)))
		}
		g.line("%s = edges([%s], %d)", name, strings.Join(pairs, ", "), n)
	}
	g.bind(name, []int{n, n}, bit)
}

// statement writes one of the forms of statements, most often an equation.
func (g *generator) statement() {
	switch g.r.IntN(20) {
	case 0:
		g.literal()
	case 1:
		g.graph()
	case 2, 3, 4:
		g.whole()
	case 5:
		g.function()
	case 6:
		if t := g.tensor(func(t tensor) bool { return len(t.dims) > 0 }); len(t.dims) <= 4 { // whole, under indices
			name := g.name()
			g.line("%s[%s] = %s", name, strings.Join(strings.Split("ijkl"[:len(t.dims)], ""), ", "), t.text)
			g.bind(name, t.dims, t.num)
		}
	default:
		g.equation()
	}
}

// whole binds a name to an expression without indices.
func (g *generator) whole() {
	t := g.tensor(func(tensor) bool { return true })
	if g.chance(70) {
		t = g.elementwise(t.dims, 2)
	}
	name := g.name()
	g.line("%s = %s", name, t.text)
	g.bind(name, t.dims, t.num)
}

// function defines a function and binds a name to a call of it.
func (g *generator) function() {
	g.fresh++
	f := fmt.Sprintf("f%d", g.fresh)
	square := func(t tensor) bool { return len(t.dims) == 2 && t.dims[0] == t.dims[1] && t.exact }
	t, ok := g.find(square)
	if !ok {
		return
	}
	name := g.name()
	n := t.dims[0]
	v := tensor{dims: t.dims}
	switch g.r.IntN(4) {
	case 0:
		g.line("def %s(x, y) = max(x - y, y)", f)
		v.text, v.num = fmt.Sprintf("%s(%s, 1)", f, t.text), t.plus(bit)
	case 1:
		g.line("def %s(M) = {\n  S[i, k] = M[i, j] M[k, j]\n  S\n}", f)
		v.text, v.num = fmt.Sprintf("%s(%s)", f, t.text), t.times(t.num).sum(n)
	case 2:
		g.line("def %s(M, x) = {\n  r[j] = select(M, x, j)\n  r + M[x, x]\n}", f)
		v.text, v.num, v.dims = fmt.Sprintf("%s(%s, %d)", f, t.text, g.r.IntN(n)), t.plus(t.num), t.dims[:1]
	default:
		g.line("def %s(M) = M[i, j] M[j, i]", f)
		v.text, v.num, v.dims = fmt.Sprintf("%s(%s)", f, t.text), t.times(t.num).sum(n*n), nil
	}
	if !v.ok() {
		return
	}
	g.line("%s = %s", name, v.text)
	g.bind(name, v.dims, v.num)
}

// find returns a bound name that fits.
func (g *generator) find(fits func(tensor) bool) (tensor, bool) {
	start := g.r.IntN(len(g.vars))
	for i := range g.vars {
		if t := g.vars[(start+i)%len(g.vars)]; fits(t) {
			return t, true
		}
	}
	return tensor{}, false
}

// tensor returns a primary that fits: mostly a name, otherwise a call.
func (g *generator) tensor(fits func(tensor) bool) tensor {
	for range 20 {
		t := g.primary()
		if fits(t) && t.ok() && elems(t.dims) <= maxElems {
			return t
		}
	}
	t, ok := g.find(fits)
	if !ok {
		n := g.sizes[0]
		t = tensor{fmt.Sprintf("eye(%d)", n), []int{n, n}, bit}
		if !fits(t) {
			t = tensor{"3", nil, num{3, 0, true}}
		}
	}
	return t
}

// primary returns a whole tensor: a name or a call. Its num bounds what the call can give.
func (g *generator) primary() tensor {
	v := pick(g, g.vars...)
	if g.chance(60) {
		return v
	}
	n := g.sizes[0]
	graph, ok := g.find(func(t tensor) bool { return len(t.dims) == 2 && t.dims[0] == t.dims[1] && t.exact })
	node := func() string { return fmt.Sprint(g.r.IntN(graph.dims[0])) }
	call := func(dims []int, n num, format string, args ...any) tensor {
		return tensor{fmt.Sprintf(format, args...), dims, n}
	}
	axis := 0
	if len(v.dims) > 0 {
		axis = g.r.IntN(len(v.dims))
	}
	switch c := g.r.IntN(16); {
	case c == 0:
		return call([]int{n}, bit, "%s(%d)", pick(g, "ones", "zeros"), n)
	case c == 1:
		return call([]int{n, n}, bit, "eye(%d)", n)
	case c <= 3 && ok:
		return call(graph.dims, bit, "%s(%s)", pick(g, "tc", "tc", "scc", "wcc", "bridges"), graph.text)
	case c <= 5 && ok:
		if g.chance(30) {
			f := pick(g, "components", "core_number", "cut_nodes")
			return call(graph.dims[:1], num{float64(graph.dims[0]), 0, true}, "%s(%s)", f, graph.text)
		}
		f := pick(g, "desc", "reach", "anc", "dist", "node")
		return call(graph.dims[:1], num{float64(graph.dims[0]), 0, true}, "%s(%s, %s)", f, graph.text, node())
	case c == 6 && ok:
		return call(graph.dims[:1], num{float64(graph.dims[0]), 0, true}, "path(%s, %s, %s)", graph.text, node(), node())
	case c == 7 && ok:
		return call(nil, bit, "has_path(%s, %s, %s)", graph.text, node(), node())
	case c == 8 && ok:
		f, m := "triangles", num{100, 0, true}
		if g.chance(50) {
			f, m = "trace", graph.sum(graph.dims[0])
		}
		return call(nil, m, "%s(%s)", f, graph.text)
	case c == 9 && len(v.dims) == 2:
		return call([]int{v.dims[1], v.dims[0]}, v.num, "transpose(%s)", v.text)
	case c == 10 && ok:
		return call(graph.dims[:1], graph.num, "diag(%s)", graph.text)
	case c == 11 && len(v.dims) > 0:
		dims := slices.Delete(slices.Clone(v.dims), axis, axis+1)
		how := pick(g, "sum(%s, %d)", "sum(%s, axis=%d)", "max(%s, axis=%d)", "min(%s, axis=%d)")
		return call(dims, v.sum(v.dims[axis]), how, v.text, axis)
	case c == 12 && len(v.dims) > 0 && v.exact:
		dims := slices.Delete(slices.Clone(v.dims), axis, axis+1)
		return call(dims, num{5, 0, true}, pick(g, "argmax(%s, %d)", "argmin(%s, axis=%d)"), v.text, axis)
	case c == 13 && v.exact:
		if len(v.dims) == 1 && g.chance(50) {
			return call(nil, num{5, 0, true}, "%s(%s)", pick(g, "argmax", "argmin"), v.text)
		}
		return call(nil, num{1000, 0, true}, "count(%s)", v.text)
	case c == 14:
		m := v.sum(elems(v.dims))
		f := pick(g, "sum", "max", "min", "mean")
		m.exact = m.exact && f != "mean"
		return call(nil, m, "%s(%s)", f, v.text)
	case c == 15 && len(v.dims) > 0:
		at := lists.Map(v.dims, func(d int) string { return fmt.Sprint(g.r.IntN(d)) })
		return call(nil, v.num, pick(g, "%[1]s[%[2]s]", "select(%[1]s, %[2]s)"), v.text, strings.Join(at, ", "))
	}
	return v
}

// elementwise returns an expression of whole tensors of the given shape.
func (g *generator) elementwise(dims []int, depth int) tensor {
	leaf := func() tensor {
		if g.chance(25) {
			text, n := g.number()
			return tensor{text, nil, n}
		}
		return g.tensor(func(t tensor) bool { return slices.Equal(t.dims, dims) || len(t.dims) == 0 })
	}
	// One operand has the shape; the rest may be scalars.
	base := g.tensor(func(t tensor) bool { return slices.Equal(t.dims, dims) })
	if !slices.Equal(base.dims, dims) {
		return leaf()
	}
	for range depth {
		other := leaf()
		next := tensor{dims: dims}
		next.text, next.num = g.combine(base.text, base.num, other.text, other.num, 0)
		if next.ok() {
			base = next
		}
	}
	return base
}

// combine applies an operator or a function to two operands. In an equation a
// product of them is summed over as much as loops elements; loops is 0 for whole
// tensors.
func (g *generator) combine(a string, n num, b string, m num, loops int) (string, num) {
	if n.exact && m.exact && g.chance(30) {
		if g.chance(50) {
			return fmt.Sprintf("(%s %s %s)", a, pick(g, ">", ">=", "<", "<=", "==", "!="), b), bit
		}
		return fmt.Sprintf("%s(%s, %s)", pick(g, "gt", "ge", "lt", "le", "eq", "ne"), a, b), bit
	}
	switch g.r.IntN(11) {
	case 0:
		return fmt.Sprintf("(%s - %s)", a, b), n.plus(m)
	case 1:
		return fmt.Sprintf("(%s * %s)", a, b), n.times(m).sum(max(1, loops))
	case 2:
		return fmt.Sprintf("%s(%s, %s)", pick(g, "max", "min"), a, b), n.or(m)
	case 3:
		return g.unary(a, n)
	case 4:
		if n.exact {
			return fmt.Sprintf("where(%s > 0, %s, 2)", a, b), m.or(num{2, 0, true})
		}
		return fmt.Sprintf("clamp(%s, -2, 2)", a), num{2, n.frac, false}
	case 5:
		return fmt.Sprintf("(%s / %s)", a, pick(g, "2", "4", "0.5")), num{2 * n.max, n.frac + 2, n.exact}.sum(max(1, loops))
	case 6:
		if m.exact && loops == 0 {
			// The quotient is computed everywhere and masked where it is not finite.
			return fmt.Sprintf("where(%s != 0, %s / %s, 0)", b, a, b), num{n.max * float64(uint64(1)<<m.frac), 0, false}
		}
		return "-" + a, n
	case 7:
		return "(-" + a + ")", n
	}
	return fmt.Sprintf("(%s + %s)", a, b), n.plus(m)
}

// unary applies a function to a. What could jump at a rounding, such as floor, takes exact
// numbers only; what grows too fast is clamped first.
func (g *generator) unary(a string, n num) (string, num) {
	switch g.r.IntN(9) {
	case 0:
		return fmt.Sprintf("relu(%s)", a), n
	case 1:
		return fmt.Sprintf("clamp(%s, -1, 2)", a), n.or(num{2, 0, true})
	case 2:
		return fmt.Sprintf("sigmoid(%s)", a), num{1, 0, false}
	case 3:
		return fmt.Sprintf("tanh(%s)", a), num{1, 0, false}
	case 4:
		return fmt.Sprintf("sqrt(abs(%s))", a), num{n.max + 1, 0, false}
	case 5:
		return fmt.Sprintf("exp(clamp(%s, -3, 2))", a), num{8, 0, false}
	case 6, 7:
		if n.exact {
			if g.chance(50) {
				return fmt.Sprintf("step(%s)", a), bit
			}
			return fmt.Sprintf("floor(%s)", a), num{n.max + 1, 0, true}
		}
	}
	return fmt.Sprintf("abs(%s)", a), n
}

// equation is one equation being written.
type equation struct {
	*generator
	names   []string // the indices so far
	sizes   []int
	loops   int
	forced  []string // those that the left side has to have
	private int
}

// equation writes an equation, or nothing if its values or its result could be too large.
func (g *generator) equation() {
	e := &equation{generator: g, loops: 1}
	text, n := e.terms()
	if !n.ok() {
		return
	}
	// The left side: any of the indices in any order, the forced ones included.
	// Some may have gone with a part that was thrown away.
	var lhs []string
	for _, i := range g.r.Perm(len(e.names)) {
		name := e.names[i]
		if !mentions(text, name) {
			continue
		}
		if slices.Contains(e.forced, name) || len(lhs) < 4 && g.chance(50) {
			lhs = append(lhs, name)
		}
	}
	if len(lhs) > 0 && len(lhs) < 4 && g.chance(6) {
		lhs = append(lhs, pick(g, lhs...)) // a diagonal
	}
	dims := make([]int, len(lhs))
	distinct := true
	for a, name := range lhs {
		dims[a] = e.sizes[slices.Index(e.names, name)]
		distinct = distinct && !slices.Contains(lhs[:a], name)
	}
	if elems(dims) > maxElems || len(dims) > 8 {
		return
	}
	name, op := g.name(), "="
	if g.chance(25) {
		op = pick(g, "max=", "min=", "+=")
		if !distinct {
			op = "+="
		}
		if old, ok := g.find(func(t tensor) bool { return slices.Equal(t.dims, dims) }); ok && g.chance(60) {
			name = old.text
		}
	}
	for _, old := range g.vars {
		if old.text != name || op == "=" {
			continue
		}
		if !slices.Equal(old.dims, dims) {
			return
		}
		if n = n.plus(old.num); !n.ok() {
			return
		}
	}
	left := name
	if len(lhs) > 0 {
		left += "[" + strings.Join(lhs, pick(g, ", ", ",")) + "]"
	}
	g.line("%s %s %s", left, op, text)
	g.bind(name, dims, n)
}

// mentions reports whether a name stands by itself in a text.
func mentions(text, name string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), name)
}

// terms returns a right-hand side.
func (e *equation) terms() (string, num) {
	text, n := e.term(2)
	for range e.r.IntN(3) {
		t, m := e.term(2)
		switch e.r.IntN(5) {
		case 0:
			text, n = text+" - "+t, n.plus(m)
		case 1:
			if n.exact && m.exact && n.ok() && m.ok() {
				text, n = fmt.Sprintf("(%s) %s %s", text, pick(e.generator, ">", "<=", "=="), t), bit
				continue
			}
			fallthrough
		case 2:
			if n.ok() && m.ok() {
				text, n = e.combine("("+text+")", n, "("+t+")", m, e.loops)
			}
		default:
			text, n = text+" + "+t, n.plus(m)
		}
	}
	return text, n
}

// term returns a product of one to four factors.
func (e *equation) term(depth int) (string, num) {
	n := bit
	var b strings.Builder
	bare := false
	if e.chance(15) {
		text, m := e.number()
		b.WriteString(text + pick(e.generator, " ", " * "))
		n = m
	} else if e.chance(8) {
		b.WriteString("-")
	}
	count := pick(e.generator, 1, 1, 2, 2, 2, 3, 3, 4)
	for k := range count {
		text, m := e.factor(depth)
		// A name before parentheses would be a call, and a number may be a
		// factor by juxtaposition only in front.
		if k > 0 {
			if bare || strings.HasPrefix(text, "-") || text[0] <= '9' && text[0] != '(' || e.chance(25) {
				b.WriteString(" * ")
			} else {
				b.WriteByte(' ')
			}
		}
		bare = !strings.ContainsAny(text, "[(") && text[0] > '9'
		b.WriteString(text)
		n = n.times(m)
	}
	if e.chance(10) {
		b.WriteString(" / " + pick(e.generator, "2", "4.0", "8"))
		n.max, n.frac = n.max/2, n.frac+3
	}
	// Whatever the left side will be, the term is summed over no more than all
	// the indices of the equation so far.
	return b.String(), n.sum(e.loops)
}

// factor returns a factor; depth bounds the nesting.
func (e *equation) factor(depth int) (string, num) {
	if depth > 0 {
		switch e.r.IntN(14) {
		case 0, 1: // a parenthesised sum or comparison
			a, n := e.ref()
			b, m := e.ref()
			op := pick(e.generator, "+", "-")
			if n.exact && m.exact && e.chance(30) {
				return fmt.Sprintf("(%s %s %s)", a, pick(e.generator, ">", ">=", "=="), b), bit
			}
			return fmt.Sprintf("(%s %s %s)", a, op, b), n.plus(m)
		case 2:
			a, n := e.ref()
			return fmt.Sprintf("(1 - %s)", a), n.plus(bit)
		case 3, 4: // a function of a term
			a, n := e.term(depth - 1)
			if n.ok() {
				return e.unary(a, n)
			}
		case 5: // a function of two terms
			a, n := e.term(depth - 1)
			b, m := e.term(depth - 1)
			if n.ok() && m.ok() {
				return fmt.Sprintf("%s(%s, %s)", pick(e.generator, "max", "min"), a, b), n.or(m)
			}
		case 6:
			return e.reduction()
		case 7:
			if t := e.tensor(func(t tensor) bool { return len(t.dims) == 0 }); t.text[0] > '9' {
				return t.text, t.num
			}
		}
	}
	return e.ref()
}

// ref returns an indexed tensor.
func (e *equation) ref() (string, num) {
	t := e.tensor(func(t tensor) bool { return len(t.dims) > 0 })
	at := lists.Map(t.dims, e.index)
	sliced := slices.ContainsFunc(at, func(s string) bool { return s[0] >= 'a' })
	if sliced && e.chance(6) {
		for _, s := range at {
			if s[0] >= 'a' && !slices.Contains(e.forced, s) {
				e.forced = append(e.forced, s)
			}
		}
		return fmt.Sprintf("select(%s, %s)", t.text, strings.Join(at, ", ")), t.num
	}
	return t.text + "[" + strings.Join(at, pick(e.generator, ",", ", ")) + "]", t.num
}

// index returns an index of the given size, old or new, or a number.
func (e *equation) index(size int) string {
	if e.chance(8) {
		return fmt.Sprint(e.r.IntN(size))
	}
	var old []string
	for i, s := range e.sizes {
		if s == size {
			old = append(old, e.names[i])
		}
	}
	// An engine may have to hold a sum under max= with an axis for each index, so
	// there are no more of them than a tensor can have axes.
	const letters = "ijklmnop"
	full := e.loops*size > maxLoops || len(e.names) == len(letters)
	if len(old) > 0 && (full || e.chance(65)) {
		return pick(e.generator, old...)
	}
	if full {
		return fmt.Sprint(e.r.IntN(size))
	}
	name := letters[len(e.names) : len(e.names)+1]
	e.names = append(e.names, name)
	e.sizes = append(e.sizes, size)
	e.loops *= size
	return name
}

// reduction folds indices of its own; the others it has go to the left side.
func (e *equation) reduction() (string, num) {
	t := e.tensor(func(t tensor) bool { return len(t.dims) > 0 })
	at := make([]string, len(t.dims))
	own := e.r.IntN(len(at)) // at least this axis is folded
	folded, count := 0, 1
	for a, d := range t.dims {
		if a != own && e.chance(60) {
			at[a] = e.index(d)
			if at[a][0] >= 'a' && !slices.Contains(e.forced, at[a]) {
				e.forced = append(e.forced, at[a])
			}
			continue
		}
		e.private++
		at[a] = fmt.Sprintf("z%d", e.private)
		folded++
		count *= d
	}
	text := t.text + "[" + strings.Join(at, ",") + "]"
	n := t.num
	if e.chance(25) {
		text, n = e.unary(text, n)
	}
	if e.chance(25) {
		number, m := e.number()
		text, n = text+" - "+number, n.plus(m)
	}
	switch f := pick(e.generator, "max", "min", "sum", "mean", "count", "argmax"); {
	case f == "count" && n.exact:
		return fmt.Sprintf("count(%s)", text), num{float64(count), 0, true}
	case f == "argmax" && folded == 1 && n.exact:
		return fmt.Sprintf("%s(%s)", pick(e.generator, "argmax", "argmin"), text), num{float64(count), 0, true}
	case f == "sum":
		return fmt.Sprintf("sum(%s)", text), n.sum(count)
	case f == "mean":
		n.exact = false
		return fmt.Sprintf("mean(%s)", text), n
	case f == "min":
		return fmt.Sprintf("min(%s)", text), n
	}
	return fmt.Sprintf("max(%s)", text), n
}

// prints ends the program with what it puts out: several names, one, or none at
// all, which means the last assignment.
func (g *generator) prints() {
	if g.chance(15) {
		return
	}
	names := lists.Map(g.r.Perm(len(g.vars))[:1+g.r.IntN(len(g.vars))], func(i int) string { return g.vars[i].text })
	if g.chance(50) {
		g.line(":print %s", strings.Join(names, ", "))
		return
	}
	for _, n := range names {
		g.line(":print %s", n)
	}
}
