package surface

import (
	"strings"

	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/internal/lists"
)

// Encoding is how a prompt shows the graph.
type Encoding string

// The encodings.
const (
	NL     Encoding = "nl"
	JSON   Encoding = "json"
	Matrix Encoding = "matrix"
)

// Encodings returns all encodings.
func Encodings() []Encoding { return []Encoding{NL, JSON, Matrix} }

// Prompt returns the graph in an encoding, then the question, which is the same in all.
func (l *Look) Prompt(e Encoding, c *category.Case, template string) string {
	q := l.Question(c, template)
	switch e {
	case NL:
		return l.Text(c) + " " + q
	case JSON:
		return l.JSON(c) + "\n" + q
	case Matrix:
		return l.Matrix(c) + "\n" + q
	}
	panic("BUG: surface: no encoding " + string(e))
}

// JSON returns a sentence that says what an edge means, and an object with nodes and
// edges (and edges2 for the second network) by label. The edges are in the
// order of Text's.
func (l *Look) JSON(c *category.Case) string {
	w, d := l.writer(c), l.Domain
	forward, _ := d.verbs(&c.G)
	w.say("Here is a JSON object with ", d.Nodes, " and edges. ")
	if c.G2.N > 0 {
		w.say("The edges of the first network are in edges, those of the second network in edges2. ")
	}
	if c.G.Directed {
		w.say("In each edge, the first ", d.Node, " ", forward.One, " the second.\n")
	} else {
		w.say("The two ", d.Nodes, " of each edge ", forward.Many, " each other.\n")
	}
	w.say(`{"nodes": ["`, strings.Join(w.Labels[:len(w.ids)], `", "`), `"], `)
	w.pairs("edges", &c.G)
	if c.G2.N > 0 {
		w.say(", ")
		w.pairs("edges2", &c.G2)
	}
	w.say("}")
	return w.String()
}

// pairs writes a member of the object. Labels need no escapes.
func (w *writer) pairs(name string, g *graph.Graph) {
	edge := func(e graph.Edge) string { return `["` + w.Labels[e.From] + `", "` + w.Labels[e.To] + `"]` }
	w.say(`"`, name, `": [`, strings.Join(lists.Map(w.edges(g), edge), ", "), "]")
}

// Matrix returns a sentence that says what an entry means, and the adjacency matrix
// (or two) with a label before each row and above each column, in aligned
// columns.
func (l *Look) Matrix(c *category.Case) string {
	w, d := l.writer(c), l.Domain
	forward, _ := d.verbs(&c.G)
	if c.G2.N > 0 {
		w.say("Here are two adjacency matrices of the same ", d.Nodes, ". ")
	} else {
		w.say("Here is an adjacency matrix of ", d.Nodes, ". ")
	}
	w.say("An entry is 1 where the ", d.Node, " of the row ", forward.One, " the ", d.Node, " of the column, and 0 elsewhere.\n")
	if c.G2.N == 0 {
		w.grid(&c.G)
		return strings.TrimSuffix(w.String(), "\n")
	}
	w.say("First network:\n")
	w.grid(&c.G)
	w.say("Second network:\n")
	w.grid(&c.G2)
	return strings.TrimSuffix(w.String(), "\n")
}

// grid writes the adjacency matrix with labels, its columns aligned under their names.
func (w *writer) grid(g *graph.Graph) {
	labels := w.Labels[:len(w.ids)]
	margin := 0
	for _, s := range labels {
		margin = max(margin, len(s))
	}
	blank := strings.Repeat(" ", margin)
	w.say(blank)
	for _, s := range labels {
		w.say(" ", s)
	}
	w.say("\n")
	es := g.Arcs() // sorted, so that one pass over them fills the rows
	for i, row := range labels {
		w.say(row, blank[len(row):])
		for j, column := range labels {
			w.say(" ", blank[:len(column)-1])
			if len(es) > 0 && es[0] == (graph.Edge{From: i, To: j}) {
				w.say("1")
				es = es[1:]
			} else {
				w.say("0")
			}
		}
		w.say("\n")
	}
}
