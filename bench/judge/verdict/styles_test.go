package verdict

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ein/bench/question/answer"
)

// style is a way in which models write a graph in Python, other than that of the
// benchmark's own programs. The program has names, the nodes in order, and adj, from
// a node to those it has an edge to.
type style struct {
	name    string
	byLabel bool
	write   func(list []Edge, n int, node func(int) string) string
}

// each writes something for each edge.
func each(list []Edge, between string, node func(int) string, format string) string {
	var parts []string
	for _, e := range list {
		parts = append(parts, fmt.Sprintf(format, node(e[0]), node(e[1])))
	}
	return strings.Join(parts, between)
}

// neighbours writes what each node has edges to.
func neighbours(list []Edge, n int, node func(int) string, row func(v int, to []string) string) string {
	var rows []string
	for v := range n {
		var to []string
		for _, e := range list {
			if e[0] == v {
				to = append(to, node(e[1]))
			}
		}
		rows = append(rows, row(v, to))
	}
	return strings.Join(rows, "\n")
}

// bareNode returns a node in a text.
func bareNode(node func(int) string) func(int) string {
	return func(v int) string { return strings.Trim(node(v), `"`) }
}

const fromPairs = "adj = {x: [] for x in names}\nfor u, v in edges:\n    adj[u].append(v)\n"

var styles = []style{
	{"dictionary of lists", true, func(list []Edge, n int, node func(int) string) string {
		return "adj = {\n" + neighbours(list, n, node, func(v int, to []string) string {
			return fmt.Sprintf("    %s: [%s],  # %d of them", node(v), strings.Join(to, ", "), len(to))
		}) + "\n}\n"
	}},
	{"dictionary of sets", false, func(list []Edge, n int, node func(int) string) string {
		return "graph = {" + neighbours(list, n, node, func(v int, to []string) string {
			return node(v) + ": set([" + strings.Join(to, ", ") + "]),"
		}) + "}\nadj = {x: sorted(graph.get(x, set())) for x in names}\n"
	}},
	{"dictionary of dictionaries", true, func(list []Edge, n int, node func(int) string) string {
		return "graph = {" + neighbours(list, n, node, func(v int, to []string) string {
			for i := range to {
				to[i] += `: {"weight": 1}`
			}
			return node(v) + ": {" + strings.Join(to, ", ") + "},"
		}) + "}\nadj = {u: list(graph[u]) for u in graph}\n"
	}},
	{"list of lists", false, func(list []Edge, n int, node func(int) string) string {
		return "graph = [\n" + neighbours(list, n, node, func(v int, to []string) string {
			return "    [" + strings.Join(to, ", ") + "],  # " + node(v)
		}) + "\n]\nadj = dict(enumerate(graph))\n"
	}},
	{"matrix", false, func(list []Edge, n int, _ func(int) string) string {
		var rows []string
		for v := range n {
			row := make([]string, n)
			for w := range row {
				row[w] = "0"
			}
			for _, e := range list {
				if e[0] == v {
					row[e[1]] = "1"
				}
			}
			rows = append(rows, "["+strings.Join(row, ", ")+"]")
		}
		return "M = [\n  " + strings.Join(rows, ",\n  ") + "\n]\nadj = {u: [v for v in names if M[u][v]] for u in names}\n"
	}},
	{"lines of a text", true, func(list []Edge, _ int, node func(int) string) string {
		return "text = \"\"\"\n" + each(list, "\n", bareNode(node), "%s %s") + "\n\"\"\"\nedges = [tuple(line.split()) for line in text.strip().split('\\n')]\n" + fromPairs
	}},
	{"numbers in a text", false, func(list []Edge, _ int, node func(int) string) string {
		return "edges = [tuple(map(int, e.split('-'))) for e in \"" + each(list, ", ", node, "%s-%s") + "\".split(', ')]\n" + fromPairs
	}},
	{"arrows in a text", true, func(list []Edge, _ int, node func(int) string) string {
		return "edges = [e.split(' -> ') for e in '" + each(list, ";", bareNode(node), "%s -> %s") + "'.split(';')]\n" + fromPairs
	}},
	{"a loop over pairs", true, func(list []Edge, _ int, node func(int) string) string {
		return "from collections import defaultdict\nadj = defaultdict(list)\nfor child, parent in [\n" + each(list, "\n", node, "    (%s, %s),") + "\n]:\n    adj[child].append(parent)\n"
	}},
	{"a comprehension over pairs", false, func(list []Edge, _ int, node func(int) string) string {
		return "edges = {(a, b) for a, b in [" + each(list, ", ", node, "[%s, %s]") + "]}\n" + fromPairs
	}},
	{"comments between", true, func(list []Edge, _ int, node func(int) string) string {
		return "edges = (\n    # the first sentence: (1, 2)\n" + each(list, "\n    # then\n", node, "    (%s, %s),") + "\n)\n" + fromPairs
	}},
	{"append", false, func(list []Edge, n int, node func(int) string) string {
		return "adj = [[] for _ in range(" + strconv.Itoa(n) + ")]\n" + each(list, "\n", node, "adj[%s].append(%s)") + "\n"
	}},
	{"sets that grow", true, func(list []Edge, _ int, node func(int) string) string {
		return "adj = {x: set() for x in names}\n" + each(list, "\n", node, "adj[%s].add(%s)  # said so") + "\n"
	}},
	{"a class of its own", false, func(list []Edge, _ int, node func(int) string) string {
		return "class Graph:\n    def __init__(self):\n        self.adj = {x: [] for x in names}\n    def add_edge(self, u, v):\n        self.adj[u].append(v)\ng = Graph()\n" +
			each(list, "\n", node, "g.add_edge(%s, %s)") + "\nadj = g.adj\n"
	}},
	{"a function of its own", true, func(list []Edge, _ int, node func(int) string) string {
		return "adj = {x: [] for x in names}\ndef add_edge(u, v):\n    adj[u].append(v)\n" + each(list, "\n", node, "add_edge(%s, %s)") + "\n"
	}},
	{"networkx from an adjacency", true, func(list []Edge, n int, node func(int) string) string {
		return "import networkx as nx\nG = nx.DiGraph({" + neighbours(list, n, node, func(v int, to []string) string {
			return node(v) + ": (" + strings.Join(append(to, ""), ", ") + "),"
		}) + "})\nadj = {x: list(G[x]) for x in names}\n"
	}},
	{"a function", true, func(list []Edge, _ int, node func(int) string) string {
		return "def load():\n    edges = [" + each(list, ", ", node, "(%s, %s)") + "]\n    found = {}\n    for u, v in edges:\n        found.setdefault(u, set()).add(v)\n    return {x: found.get(x, set()) for x in names}\nadj = load()\n"
	}},
	{"bit masks", false, func(list []Edge, n int, _ func(int) string) string {
		masks := make([]string, n)
		for v := range masks {
			m := 0
			for _, e := range list {
				if e[0] == v {
					m |= 1 << e[1]
				}
			}
			masks[v] = fmt.Sprintf("0b%b", m)
		}
		return "masks = [" + strings.Join(masks, ", ") + "]\nadj = {u: [v for v in names if masks[u] >> v & 1] for u in names}\n"
	}},
	{"objects that know their neighbours", true, func(list []Edge, _ int, node func(int) string) string {
		return "class Node:\n    def __init__(self, name):\n        self.name = name\n        self.next = []\nnodes = {x: Node(x) for x in names}\n" +
			each(list, "\n", node, "nodes[%s].next.append(nodes[%s])") + "\nadj = {x: [y.name for y in nodes[x].next] for x in names}\n"
	}},
	{"a matrix that is closed in place", false, func(list []Edge, n int, node func(int) string) string {
		return fmt.Sprintf("M = [[0] * %d for _ in range(%d)]\n", n, n) + each(list, "\n", node, "M[%s][%s] = 1") +
			"\nfor k in names:\n    for i in names:\n        for j in names:\n            M[i][j] |= M[i][k] & M[k][j]\nadj = {u: [v for v in names if M[u][v]] for u in names}\n"
	}},
	{"two dictionaries", true, func(list []Edge, n int, node func(int) string) string {
		var back []Edge
		for _, e := range list {
			back = append(back, reverse(e))
		}
		dict := func(list []Edge) string {
			return "{" + neighbours(list, n, node, func(v int, to []string) string { return node(v) + ": [" + strings.Join(to, ", ") + "]," }) + "}"
		}
		return "succ = " + dict(list) + "\npred = " + dict(back) + "\nadj = {x: [y for y in names if y in succ[x] or x in pred[y]] for x in names}\n"
	}},
	{"pieces", true, func(list []Edge, n int, node func(int) string) string {
		return "import networkx as nx\nG = nx.DiGraph()\nG.add_nodes_from(names)\n" + neighbours(list, n, node, func(v int, to []string) string {
			for i := range to {
				to[i] = "(" + node(v) + ", " + to[i] + ")"
			}
			return "G.add_edges_from([" + strings.Join(to, ", ") + "])"
		}) + "\nadj = {x: list(G.successors(x)) for x in names}\n"
	}},
	{"sentences", true, func(list []Edge, _ int, node func(int) string) string {
		return "import re\ntext = '" + each(list, ". ", bareNode(node), "%s sends goods to %s") + "'\nadj = {x: [] for x in names}\nfor m in re.finditer(r'([\\w-]+) sends goods to ([\\w-]+)', text):\n    adj[m.group(1)].append(m.group(2))\n"
	}},
	{"a function of conditions", true, func(list []Edge, n int, node func(int) string) string {
		return "def next_of(x):\n" + neighbours(list, n, node, func(v int, to []string) string {
			return "    if x == " + node(v) + ":\n        return [" + strings.Join(to, ", ") + "]"
		}) + "\nadj = {x: next_of(x) for x in names}\n"
	}},
	{"a data class", true, func(list []Edge, _ int, node func(int) string) string {
		return "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Link:\n    start: str\n    end: str\nlinks = [" + each(list, ", ", node, "Link(%s, %s)") + "]\nadj = {x: [l.end for l in links if l.start == x] for x in names}\n"
	}},
	{"a dictionary of pairs", false, func(list []Edge, _ int, node func(int) string) string {
		return "weight = {" + each(list, ", ", node, "(%s, %s): 1") + "}\nadj = {u: [v for v in names if weight.get((u, v), 0)] for u in names}\n"
	}},
	{"words", true, func(list []Edge, n int, node func(int) string) string {
		return "to = {" + neighbours(list, n, node, func(v int, to []string) string {
			return node(v) + ": \"" + strings.ReplaceAll(strings.Join(to, " "), `"`, "") + "\","
		}) + "}\nadj = {x: to[x].split() for x in names}\n"
	}},
}

// bodies are what programs do with the graph: rightly and, in the second, not.
var bodies = map[string][2]string{
	"reachability":        {"print('true' if T in reach(S) else 'false')", "print('true' if T in adj[S] else 'false')"},
	"reach_then_count":    {"print(len(reach(S)))", "print(len(reach(S)) + 1)"},
	"ancestor":            {"print([i for i, x in enumerate(names) if x != S and S in reach(x)])", "print([names.index(x) for x in reach(S)])"},
	"negative_reach":      {"print([i for i, x in enumerate(names) if x != S and x not in reach(S)])", "print([names.index(x) for x in adj[S]])"},
	"scc_same":            {"print('true' if S == T or T in reach(S) and S in reach(T) else 'false')", "print('true' if T in reach(S) or S in reach(T) else 'false')"},
	"set_intersect":       {"print([names.index(x) for x in reach(S) & reach(T)])", "print([names.index(x) for x in reach(S) | reach(T)])"},
	"set_difference":      {"print([names.index(x) for x in reach(S) - reach(T)])", "print([names.index(x) for x in reach(T) - reach(S)])"},
	"intersect_then_size": {"print(len(reach(S) & reach(T)))", "print(len(reach(S)))"},
}

// walk is the closure without the start.
const walk = `
def reach(start):
    seen, todo = set(), list(adj[start])
    while todo:
        x = todo.pop()
        if x not in seen:
            seen.add(x)
            todo.extend(adj[x])
    return seen - {start}
`

func (s *style) program(w *sample, list []Edge, body string) string {
	node := strconv.Itoa
	if s.byLabel {
		node = func(v int) string { return strconv.Quote(w.q.Labels[v]) }
	}
	var names []string
	for v := range w.q.Case.G.N {
		names = append(names, node(v))
	}
	text := "names = [" + strings.Join(names, ", ") + "]\n" + s.write(list, w.q.Case.G.N, node) + walk
	if w.in.Query.Source != nil {
		text += "S = " + node(*w.in.Query.Source) + "\n"
	}
	if w.in.Query.Target != nil {
		text += "T = " + node(*w.in.Query.Target) + "\n"
	}
	return text + body + "\n"
}

// plantStyles plants one cause in programs of many styles, and gives how many are
// found, and how many have no graph. The rest got another class than that of the cause.
func plantStyles(t *testing.T, styles []style, each int) (right, none, all int) {
	run := interpreter(t)
	r := rand.New(rand.NewPCG(5, 6))
	outcome := func(w *sample, program string) answer.Outcome {
		got, err := inside(run)(t.Context(), program, w.q)
		if err != nil {
			t.Fatal(err)
		}
		if got.Outcome != answer.Wrong && !got.Lenient {
			t.Fatalf("%s: %s\n%s", got.Outcome, got.Message, program)
		}
		return got.Outcome
	}
	for i := range styles {
		s := &styles[i]
		found, planted := 0, 0
		for _, name := range slices.Sorted(maps.Keys(bodies)) {
			body := bodies[name]
			for k := range each {
				w := one(t, name, k)
				truth := trueArcs(&w.q.Case.G)
				if len(truth) < 2 {
					continue // one pair in a text may be anything
				}
				plant := func(want Kind, program string) {
					if outcome(&w, program) != answer.Wrong {
						return
					}
					planted++
					a, err := explainPython(t.Context(), w.q, run, program)
					switch {
					case err != nil:
						t.Fatal(err)
					case a.Kind == want:
						found++
					case a.Kind == NoGraph:
						none++
					default:
						t.Logf("%s, %s: %s, not %s\n%s", name, s.name, a.Kind, want, program)
					}
				}
				if o := outcome(&w, s.program(&w, truth, body[0])); !o.Judgements().Lenient {
					t.Fatalf("%s, %s: %s\n%s", name, s.name, o, s.program(&w, truth, body[0]))
				}
				logic := s.program(&w, truth, body[1])
				plant(Logic, logic)
				for range 2 {
					list := misread(r, &w.q.Case, []arcs{truth})[0]
					if len(list) < 2 || slices.Equal(list, truth) {
						continue
					}
					plant(GraphReading, s.program(&w, list, body[0]))
					if outcome(&w, logic) == answer.Wrong {
						plant(Both, s.program(&w, list, body[1]))
					}
				}
			}
		}
		t.Logf("%s: %d of %d", s.name, found, planted)
		right, all = right+found, all+planted
	}
	return right, none, all
}

// TestStyles has the styles that the watcher was made with.
func TestStyles(t *testing.T) {
	each := 2
	if testing.Short() {
		each = 1
	}
	if right, _, all := plantStyles(t, styles, each); right < all {
		t.Errorf("%d of %d found", right, all)
	}
}
