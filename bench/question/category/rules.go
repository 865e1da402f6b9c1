package category

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"ein/bench/question/graph"
)

// Facts returns a case as facts, and the rules of its category below: a program whose queries
// give the answer, by labels, in the form that ein fmt gives it.
func (cat *Category) Facts(c *Case, labels []string) string {
	name := func(x int) string { return strconv.Quote(labels[x]) }
	rules := c.Query.Fill(cat.rules(c), name)
	edges := func(relation string, g *graph.Graph) (text string) {
		for _, e := range g.Edges {
			text += fmt.Sprintf("%s(%s, %s).\n", relation, name(e.From), name(e.To))
		}
		if len(g.Edges) == 0 { // it is a relation nevertheless
			text = fmt.Sprintf("%s(x, x) <- Node(x), x != x.\n", relation)
		} else if !g.Directed {
			text += fmt.Sprintf("%[1]s(x, y) <- %[1]s(y, x).\n", relation)
		}
		return text
	}
	switch cat.Family {
	case Kinship:
		rules = edges("Parent", &c.G) + rules
	case TwoGraphs:
		rules = edges("First", &c.G) + edges("Second", &c.G2) + rules
	default:
		rules = edges("Edge", &c.G) + rules
	}
	nodes := ""
	if strings.Contains(rules, "Node(") {
		for x := range c.G.N {
			nodes += fmt.Sprintf("Node(%s).\n", name(x))
		}
	}
	return "// " + cat.Name + "\n" + nodes + rules
}

// Rules that programs have in common.
const (
	reachRules = `Reach(x, y) <- Edge(x, y).
Reach(x, z) <- Reach(x, y), Edge(y, z).
`
	ancestorRules = `Ancestor(x, y) <- Parent(x, y).
Ancestor(x, z) <- Ancestor(x, y), Parent(y, z).
`
	componentRules = reachRules + `Same({X}).
Same(v) <- Reach({X}, v), Reach(v, {X}).
`
	// The nodes without an edge have a degree, too.
	degreeRules = `Degree[x] += 0 <- Node(x).
Degree[x] += 1 <- Edge(x, _).
`
	triangleRules = "Triangle(x, y, z) <- Edge(x, y), Edge(y, z), Edge(z, x), x < y, y < z.\n"
)

// fold returns the name that programs have for the way to make one number of many.
func fold(q *Query) string {
	return cmp.Or(map[string]string{Maximum: "max"}[q.Aggregate], q.Aggregate, Mean)
}
