package category

import (
	"fmt"
	"strconv"
	"strings"

	"ein/bench/question/graph"
	"ein/internal/lists"
)

// Fill returns a text with what the query asks about in its places, as questions have them. Other
// braces stay, and places for what is not asked about.
func (q *Query) Fill(text string, name func(node int) string) string {
	places := map[string]int{"X": q.Source, "Y": q.Target, "k": q.Threshold, "a": q.MinIn, "b": q.MinOut, "c": q.MaxOut}
	parts := strings.Split(text, "{")
	for i, part := range parts[1:] {
		place, rest, closed := strings.Cut(part, "}")
		switch value, ok := places[place]; {
		case !ok || !closed || value == None:
			parts[i+1] = "{" + part
		case place == "X" || place == "Y":
			parts[i+1] = name(value) + rest
		default:
			parts[i+1] = strconv.Itoa(value) + rest
		}
	}
	return strings.Join(parts, "")
}

// Ein is the program whose output is the answer, in the form that ein fmt gives it: the name,
// the graph, and the rest, with its last line printing Result if it prints nothing. Node sets
// come out as 0/1 vectors, nodes as positions.
func (cat *Category) Ein(c *Case) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n", cat.Name)
	writeEdges(&b, "A", &c.G)
	if c.G2.N > 0 {
		writeEdges(&b, "B", &c.G2)
	}
	body := cat.ein(c)
	b.WriteString(c.Query.Fill(body, strconv.Itoa))
	if !strings.Contains(body, ":print") {
		b.WriteString(":print Result\n")
	}
	return b.String()
}

// writeEdges writes an adjacency matrix as its list of pairs.
func writeEdges(b *strings.Builder, name string, g *graph.Graph) {
	arcs := g.Arcs()
	items := lists.Map(arcs, func(e graph.Edge) string { return fmt.Sprintf("[%d,%d]", e.From, e.To) })
	wrap(b, name+" = edges([", "]", "  ", ",", items, einWidth)
	fmt.Fprintf(b, ", %d)\n", g.N)
}

// The columns that programs keep within: that of ein fmt, and one that is usual
// in Python.
const (
	einWidth    = 100
	pythonWidth = 88
)

// wrap writes items between two texts: on one line, or on as few as fit.
func wrap(b *strings.Builder, head, end, indent, separator string, items []string, width int) {
	b.WriteString(head)
	if line := strings.Join(items, separator); len(head)+len(line)+len(end) <= width {
		b.WriteString(line + end)
		return
	}
	comma := strings.TrimRight(separator, " ")
	column := width // so that the first item begins a line
	for i, item := range items {
		if column+len(separator)+len(item) > width {
			b.WriteString("\n" + indent)
			column = len(indent)
		} else {
			b.WriteString(separator[len(comma):])
			column += len(separator) - len(comma)
		}
		b.WriteString(item)
		column += len(item)
		if i < len(items)-1 {
			b.WriteString(comma)
			column += len(comma)
		}
	}
	b.WriteString("\n" + end)
}

// Python is a program with networkx that prints the same as one JSON value: node sets as sorted
// lists of indices, nodes as indices, compounds as objects.
func (cat *Category) Python(c *Case) string {
	var b strings.Builder
	b.WriteString("import json\n\nimport networkx as nx\n\n")
	writeNetwork(&b, "G", &c.G)
	if c.G2.N > 0 {
		writeNetwork(&b, "H", &c.G2)
	}
	b.WriteString(c.Query.Fill(cat.python(c), strconv.Itoa))
	return b.String()
}

// writeNetwork writes Python that makes a graph of NetworkX. All nodes are added first, since
// edges alone would leave out nodes without any.
func writeNetwork(b *strings.Builder, name string, g *graph.Graph) {
	kind := "Graph"
	if g.Directed {
		kind = "DiGraph"
	}
	fmt.Fprintf(b, "%s = nx.%s()\n%s.add_nodes_from(range(%d))\n", name, kind, name, g.N)
	items := lists.Map(g.Edges, func(e graph.Edge) string { return fmt.Sprintf("(%d, %d)", e.From, e.To) })
	wrap(b, name+".add_edges_from([", "])", "    ", ", ", items, pythonWidth)
	b.WriteString("\n\n")
}

// worded returns the wording of a question that depends on no case.
func worded(paper, explicit string) func(*Case, bool) string {
	return func(_ *Case, x bool) string {
		if x {
			return explicit
		}
		return paper
	}
}

// nodes returns the noun after a number.
func nodes(k int) string {
	if k == 1 {
		return "{node}"
	}
	return "{nodes}"
}

// says returns a text that depends on no case.
func says(text string) func(*Case) string { return func(*Case) string { return text } }

// What explicit wordings say of reaching.
const (
	reaching  = "One {node} reaches another if following \"{forward one}\" one or more times leads from the first to the second. "
	notItself = "No {node} counts as reaching itself. "
)

// aggregates holds how a question asks for one number out of many.
var aggregates = map[string]string{
	Mean:    "On average, how many {nodes} does each of them {forward} directly, also counting {nodes} that are not among them?",
	Maximum: "Each of them {forward one} some number of {nodes} directly, also counting {nodes} that are not among them. What is the largest of these numbers?",
	Sum:     "How many {nodes} does each of them {forward} directly, added up over all of them, also counting {nodes} that are not among them?",
}

// aggregate returns the line of an Ein program that makes one number of what a set has.
func aggregate(q *Query, set string) string {
	if how := fold(q); how != Mean {
		return "Result = " + how + "(Degree * " + set + ")\n"
	}
	return "Result = sum(Degree * " + set + ") / sum(" + set + ")\n"
}

// gather returns the same in Python, over the nodes v of a set.
func gather(q *Query, set string) string {
	if how := fold(q); how != Mean {
		return "print(json.dumps(" + how + "(G.out_degree(v) for v in " + set + ")))\n"
	}
	return "print(json.dumps(sum(G.out_degree(v) for v in " + set + ") / len(" + set + ")))\n"
}
