package ein_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// layers draws rules in layers, each of a shape that the engine knows a way for: closures,
// recursion on rows of bits, searches, the best of values, groups, cliques. Layers read
// each other, and few are shown, so that what one way leaves is what another one finds.
type layers struct {
	r            *rand.Rand
	b            strings.Builder
	n            int      // nodes
	pairs, nodes []string // relations of two columns and of one
	triples      []string
	values       []string // of one key
	made         int
	named        string // a node that a fact has
}

// layered draws such a program. Its facts name up to a few dozen nodes.
func layered(r *rand.Rand) string {
	g := &layers{r: r, n: 2 + r.IntN([]int{6, 30, 90}[r.IntN(3)])}
	for _, name := range []string{"E", "F"} {
		g.pairs = append(g.pairs, name)
		for range 1 + r.IntN(2*g.n) {
			g.line("%s(%s, %s).", name, g.node(), g.node())
		}
	}
	for range 1 + r.IntN(2*g.n) {
		g.line("P(%s, %s, %d).", g.node(), g.node(), r.IntN(5))
	}
	g.named = g.node()
	g.line("S(%s).", g.named)
	g.nodes = []string{"S"}
	for range 1 + r.IntN(4) {
		g.line("S(%s).", g.node())
	}
	for range 1 + r.IntN(5) {
		g.layer()
	}
	for range 1 + r.IntN(3) {
		g.query()
	}
	return g.b.String()
}

func (g *layers) line(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

func (g *layers) node() string { return fmt.Sprintf("%q", fmt.Sprint("n", g.r.IntN(g.n))) }

// of draws a relation, rather a late one.
func (g *layers) of(list []string) string {
	return list[max(g.r.IntN(len(list)), g.r.IntN(len(list)))]
}

// pair returns an atom of a relation of two columns, either way around.
func (g *layers) pair(x, y string) string {
	if g.r.IntN(3) == 0 {
		x, y = y, x
	}
	switch k := g.r.IntN(12); {
	case k == 0:
		return fmt.Sprintf("P(%s, %s, _)", x, y)
	case k == 1 && len(g.triples) > 0:
		return fmt.Sprintf("%s(%s)", g.of(g.triples), []string{x + ", " + y + ", _", "_, " + x + ", " + y, x + ", _, " + y}[g.r.IntN(3)])
	}
	return fmt.Sprintf("%s(%s, %s)", g.of(g.pairs), x, y)
}

func (g *layers) set(x string) string { return fmt.Sprintf("%s(%s)", g.of(g.nodes), x) }

func (g *layers) layer() {
	g.made++
	name := fmt.Sprint("R", g.made)
	switch g.r.IntN(9) {
	case 7, 8:
		g.tensorLayer(name)
	case 6:
		g.line("%s(x, y, z) <- %s, %s%s.", name, g.pair("x", "y"), g.pair("y", "z"), []string{"", ", " + g.pair("x", "z")}[g.r.IntN(2)])
		if len(g.triples) > 0 && g.r.IntN(2) == 0 {
			g.line("%s(x, y, w) <- %s(x, y, z), %s, %s.", name, g.of(g.triples), g.pair("z", "w"), g.set("x"))
		}
		g.triples = append(g.triples, name)
	case 0, 1, 2:
		g.pairsLayer(name)
		g.pairs = append(g.pairs, name)
	case 3:
		g.nodesLayer(name)
		g.nodes = append(g.nodes, name)
	case 4:
		g.valuesLayer(name)
		g.values = append(g.values, name)
	default:
		g.countsLayer(name)
	}
}

func (g *layers) pairsLayer(r string) {
	switch g.r.IntN(10) {
	case 0, 1, 2: // a closure
		step := g.of(g.pairs)
		first := fmt.Sprintf("%s(x, y)", step)
		if g.r.IntN(2) == 0 {
			first = g.pair("x", "y")
		}
		g.line("%s(x, y) <- %s.", r, first)
		switch g.r.IntN(3) {
		case 0:
			g.line("%s(x, z) <- %s(x, y), %s(y, z).", r, r, step)
		case 1:
			g.line("%s(x, z) <- %s(x, y), %s(y, z).", r, step, r)
		default:
			g.line("%s(x, z) <- %s(x, y), %s(y, z).", r, r, r)
		}
	case 3: // same generation
		up := g.of(g.pairs)
		g.line("%s(x, y) <- %s(z, x), %s(z, y), x != y.", r, up, up)
		g.line("%s(x, y) <- %s(u, x), %s(u, v), %s(v, y).", r, up, r, up)
	case 4: // any recursion
		g.line("%s(x, y) <- %s.", r, g.pair("x", "y"))
		own := slices.Clone(g.pairs)
		g.pairs = append(g.pairs, r)
		for range 1 + g.r.IntN(2) {
			head := []string{"x, z", "z, x", "x, y"}[g.r.IntN(3)]
			g.line("%s(%s) <- %s, %s.", r, head, g.pair("x", "y"), g.pair("y", "z"))
		}
		g.pairs = own
	case 5: // a triangle, or what is next to one
		g.line("%s(x, y) <- %s, %s, %s.", r, g.pair("x", "y"), g.pair("y", "z"), g.pair([]string{"x", "w"}[g.r.IntN(2)], "z"))
	case 6:
		g.line("%s(x, y) <- %s, not %s.", r, g.pair("x", "y"), g.pair("x", "y"))
	case 7:
		g.line("%s(x, y) <- P(x, y, a), a %s %d.", r, []string{"<", ">=", "=", "!="}[g.r.IntN(4)], g.r.IntN(5))
		g.line("%s(x, y) <- %s, %s.", r, g.pair("x", "y"), []string{g.set("x"), g.set("y"), "x != y", "x = " + g.node(), "not " + g.set("y")}[g.r.IntN(5)])
	default: // several rules
		for range 1 + g.r.IntN(3) {
			if g.r.IntN(2) == 0 {
				g.line("%s(x, y) <- %s.", r, g.pair("x", "y"))
			} else {
				g.line("%s(x, z) <- %s, %s.", r, g.pair("x", "y"), g.pair("y", "z"))
			}
		}
	}
}

// tensorLayer goes from relations to tensors and back.
func (g *layers) tensorLayer(r string) {
	t := "T" + r[1:]
	switch a, b := g.of(g.pairs), g.of(g.pairs); g.r.IntN(6) {
	case 0:
		g.line("%s = tc(%s)", r, a)
		g.pairs = append(g.pairs, r)
	case 1:
		g.line("%s[x, z] = %s[x, y] %s[y, z]", t, a, b)
		g.line("%s(x, z) <- %s[x, z] >= %d.", r, t, 1+g.r.IntN(2))
		g.pairs = append(g.pairs, r)
	case 2:
		g.line("%s[x, y] = %s[x, y] > %s[y, x]", r, a, b)
		g.pairs = append(g.pairs, r)
	case 3:
		g.line("%s = reach(%s, %s)", r, a, g.named)
		g.nodes = append(g.nodes, r)
	case 4:
		g.line("%s[x] = %s[x, y] %s[y, x]", t, a, b)
		g.line("%s(x) <- %s[x] = v, %s, v > 0.", r, t, g.set("x"))
		g.nodes = append(g.nodes, r)
	default:
		g.line("%s = dist(%s, %s)", t, a, g.named)
		g.line("%s(x) <- %s[x] = %d.", r, t, g.r.IntN(3))
		g.nodes = append(g.nodes, r)
	}
}

func (g *layers) nodesLayer(r string) {
	switch g.r.IntN(5) {
	case 0: // what can be reached
		g.line("%s(%s).", r, g.node())
		g.line("%s(y) <- %s(x), %s.", r, r, g.pair("x", "y"))
	case 1:
		g.line("%s(x) <- %s, not %s.", r, g.pair("x", "_"), g.pair("x", "_"))
	case 2:
		g.line("%s(x) <- %s.", r, g.pair("x", "x"))
	case 3:
		g.line("%s(x) <- %s.", r, g.pair(g.node(), "x"))
		g.line("%s(y) <- %s, %s.", r, g.set("x"), g.pair("x", "y"))
	default:
		g.line("%s(x) <- %s, %s, %s.", r, g.pair("x", "y"), g.pair("y", "z"), g.pair("z", "x"))
	}
}

func (g *layers) valuesLayer(r string) {
	fold := []string{"min", "max"}[g.r.IntN(2)]
	step := g.pair("x", "y")
	switch k := g.r.IntN(6); {
	case k == 0:
		g.line("%s[x] += %s.", r, []string{"1 <- " + g.pair("x", "y"), "a <- P(x, y, a), " + g.set("y")}[g.r.IntN(2)])
	case k == 4: // shortest paths
		g.line("%s[%s] min= 0.", r, g.node())
		g.line("%s[y] min= %s[x] + a <- P(x, y, a).", r, r)
	case k == 5: // widest paths
		g.line("%s[x] max= 9 <- %s.", r, g.set("x"))
		g.line("%s[y] max= min(%s[x], a) <- P(x, y, a), %s.", r, r, g.pair("x", "_"))
	case k == 1 && len(g.values) > 0: // the best value next to a node
		from := g.of(g.values)
		g.line("%s[x] %s= %s[x] <- %s.", r, fold, from, g.set("x"))
		g.line("%s[y] %s= %s[x] <- %s.", r, fold, r, step)
	case k == 2: // hops
		g.line("%s[%s] min= 0.", r, g.node())
		g.line("%s[y] min= %s[x] + 1 <- %s.", r, r, step)
	default: // hops from many
		g.line("%s[x] min= 0 <- %s.", r, g.set("x"))
		g.line("%s[y] min= %s[x] + 1 <- %s.", r, r, step)
		if g.r.IntN(2) == 0 {
			g.line("%s[x] min= %s[y] + 2 <- %s.", r, r, g.pair("x", "y"))
		}
	}
}

func (g *layers) countsLayer(r string) {
	body := g.pair("x", "y")
	if g.r.IntN(2) == 0 {
		body += ", " + []string{g.pair("y", "z"), g.set("x"), "not " + g.set("y")}[g.r.IntN(3)]
	}
	if g.r.IntN(3) == 0 {
		agg := []string{"sum(a)", "min(a)", "max(a)", "mean(a)", "count(a)", "count()"}
		g.line("%s(x, %s, %s) <- P(x, y, a)%s.", r, agg[g.r.IntN(6)], agg[g.r.IntN(6)], []string{"", ", " + g.set("y"), ", not " + g.pair("x", "y")}[g.r.IntN(3)])
		g.line("%s(x, v, w)?", r)
		return
	}
	key, query := "x, ", "x, v"
	switch g.r.IntN(3) {
	case 0:
		key, query = "", "v"
	case 1:
		query = g.node() + ", v"
	}
	g.line("%s(%scount(%s)) <- %s.", r, key, []string{"", "y"}[g.r.IntN(2)], body)
	if g.r.IntN(2) == 0 {
		g.line("%s(%s)?", r, query)
	}
}

func (g *layers) query() {
	switch at := g.of(g.pairs); g.r.IntN(9) {
	case 8:
		g.line("%s(%s)?", g.of(append([]string{"P"}, g.triples...)), []string{"x, y, z", g.node() + ", y, z", "x, " + g.node() + ", z", "x, x, z"}[g.r.IntN(4)])
	case 0:
		g.line("%s(x, y)?", at)
	case 1:
		g.line("%s(%s, y)?", at, g.node())
	case 2:
		g.line("%s(x, %s)?", at, g.node())
	case 3:
		g.line("%s(%s, %s)?", at, g.node(), g.node())
	case 4:
		g.line("%s, %s?", g.pair("x", "y"), g.set("y"))
	case 5:
		g.line("%s, not %s?", g.set("x"), g.pair(g.node(), "x"))
	case 6:
		g.line("%s?", g.set("x"))
	default:
		if len(g.values) > 0 {
			g.line("%s[x] = v?", g.of(g.values))
		} else {
			g.line("%s, %s?", g.pair(g.node(), "x"), g.pair("x", "y"))
		}
	}
}
