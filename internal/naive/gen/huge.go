package gen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Huge returns the text of a random program of whole numbers near 2^53, many of
// which cancel. It is right but for numbers that may reach 2^53: then every engine
// has to find that.
func Huge(r *rand.Rand) string {
	g := &huge{generator: &generator{r: r}, n: 1 + r.IntN(3)}
	for k := range 4 {
		g.literal(k % 3)
	}
	for range 2 + r.IntN(5) {
		g.statement()
	}
	for range 1 + r.IntN(3) {
		fmt.Fprintf(&g.out, ":print %s\n", pick(g.generator, g.vars...).text)
	}
	return g.out.String()
}

// huge makes tensors whose axes all have the size n.
type huge struct {
	*generator
	n int
}

// literal binds a name to numbers of some range.
func (g *huge) literal(rank int) {
	pool := pick(g.generator, []string{"0", "1"}, []string{"0", "0", "1", "-2", "3"}, []string{"0", "9007199254740991", "-9007199254740991"},
		[]string{"4503599627370496", "-4503599627370496", "0", "1", "-1"}, []string{"3000000000000000", "6000000000000000", "-6000000000000000"},
		[]string{"94906265", "94906266", "-94906267", "0"}, []string{"0"})
	var list func(rank int) string
	list = func(rank int) string {
		if rank == 0 {
			return pick(g.generator, pool...)
		}
		rows := make([]string, g.n)
		for i := range rows {
			rows[i] = list(rank - 1)
		}
		return "[" + strings.Join(rows, ", ") + "]"
	}
	g.define(rank, list(rank))
}

// define writes an assignment and makes its name known.
func (g *huge) define(rank int, text string) {
	g.fresh++
	name := fmt.Sprintf("%c%d", 'A'+g.r.IntN(26), g.fresh)
	fmt.Fprintf(&g.out, "%s = %s\n", name, text)
	g.vars = append(g.vars, tensor{text: name, dims: make([]int, rank)})
}

// of returns a name of a tensor of the given rank.
func (g *huge) of(rank int) string {
	t, _ := g.find(func(t tensor) bool { return len(t.dims) == rank }) // there is one from the start
	return t.text
}

// statement binds a name to an operation on tensors that there are.
func (g *huge) statement() {
	rank := g.r.IntN(3)
	a, b := g.of(rank), g.of(rank)
	m, v, s := g.of(2), g.of(1), g.of(0)
	at := fmt.Sprint(g.r.IntN(g.n))
	switch g.r.IntN(16) {
	case 0:
		g.literal(rank)
	case 1:
		g.define(rank, fmt.Sprintf("%s %s %s", a, pick(g.generator, "+", "-", "*"), b))
	case 2:
		g.define(rank, fmt.Sprintf("%s(%s, %s)", pick(g.generator, "max", "min"), a, b))
	case 3:
		g.define(rank, fmt.Sprintf("where(%s, %s, %s)", pick(g.generator, a+" > "+b, "0", "1", "5 > 3"), a, b))
	case 4:
		g.define(0, fmt.Sprintf("%s(%s)", pick(g.generator, "sum", "max", "count"), g.of(1+g.r.IntN(2))))
	case 5:
		g.define(1, fmt.Sprintf("sum(%s, %d)", m, g.r.IntN(2)))
	case 6:
		g.define(0, pick(g.generator, "trace("+m+")", fmt.Sprintf("closed_walks(%s, %d)", m, 1+g.r.IntN(6)), "sum(transpose("+m+"))"))
	case 7:
		g.define(0, pick(g.generator, m+"["+at+",0]", v+"["+at+"]", fmt.Sprintf("%s * %s - %s", s, g.of(0), s)))
	case 8:
		g.define(rank, fmt.Sprintf("%s %s", pick(g.generator, "2", s), a))
	case 9:
		g.define(0, fmt.Sprintf("(mean(%s) > %s) + (%s / 4 == %s)", m, s, s, s))
	default:
		g.equation()
	}
}

// equation is a sum of products over indices of which the left side has some.
func (g *huge) equation() {
	names := []string{"i", "j", "k", "l"}[:1+g.r.IntN(4)]
	var used []string
	ref := func() string {
		rank := 1 + g.r.IntN(2)
		at := make([]string, rank)
		for d := range at {
			if at[d] = pick(g.generator, names...); g.chance(6) {
				at[d] = fmt.Sprint(g.r.IntN(g.n))
				continue
			}
			if !strings.Contains(strings.Join(used, ""), at[d]) {
				used = append(used, at[d])
			}
		}
		return g.of(rank) + "[" + strings.Join(at, ",") + "]"
	}
	term := func() string {
		factors := []string{ref()}
		for range pick(g.generator, 0, 1, 1, 2, 2, 3, 9) {
			switch g.r.IntN(12) {
			case 0:
				factors = append(factors, "("+ref()+" "+pick(g.generator, "+", "-", ">")+" "+ref()+")")
			case 1:
				factors = append(factors, pick(g.generator, "abs(", "relu(", "max(3, ")+ref()+")")
			case 2:
				factors = append(factors, g.of(0))
			default:
				factors = append(factors, ref())
			}
		}
		return strings.Join(factors, " * ")
	}
	text := term()
	for range g.r.IntN(3) {
		text += pick(g.generator, " + ", " - ") + term()
	}
	left := used[:g.r.IntN(min(len(used), 2)+1)]
	if g.chance(10) {
		text = pick(g.generator, "max(", "sum(") + text + ")"
	}
	op := pick(g.generator, "=", "=", "=", "max=", "min=", "+=")
	g.fresh++
	name := fmt.Sprintf("T%d", g.fresh)
	if old := g.of(len(left)); op != "=" && g.chance(50) {
		name = old
	}
	if len(left) > 0 {
		fmt.Fprintf(&g.out, "%s[%s] %s %s\n", name, strings.Join(left, ","), op, text)
	} else {
		fmt.Fprintf(&g.out, "%s %s %s\n", name, op, text)
	}
	g.bind(name, make([]int, len(left)), num{})
}
