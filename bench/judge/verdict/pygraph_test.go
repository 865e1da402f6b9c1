package verdict

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestReadPython reads graphs in the ways that models write them.
func TestReadPython(t *testing.T) {
	labels := []string{"cat", "owl", "wren", "Puma X"}
	for name, c := range map[string]struct {
		program string
		want    string // edges and nodes of each graph
		same    string // the program with edges 0->1 and 3->2 in each
	}{
		"add_edges_from": {"G.add_edges_from([(0, 1), (2, 3)])", "0-1 2-3 | -", "G.add_edges_from([(0, 1), (3, 2)])"},
		"brackets":       {"G.add_edges_from(([0, 1],\n  [2, 3],))", "0-1 2-3 | -", "G.add_edges_from(([0, 1], [3, 2]))"},
		"a set":          {"G.add_edges_from({(0, 1)})", "0-1 | -", "G.add_edges_from({(0, 1), (3, 2)})"},
		"constructor":    {"G = nx.DiGraph([(0,1)])", "0-1 | -", "G = nx.DiGraph([(0, 1), (3, 2)])"},
		"edge list":      {"G = nx.from_edgelist([(0,1)], create_using=nx.DiGraph())", "0-1 | -", "G = nx.from_edgelist([(0, 1), (3, 2)], create_using=nx.DiGraph())"},
		"variable":       {"edges = [(0,1)]\nG = nx.Graph()\nG.add_edges_from(edges)", "0-1 | -", "edges = [(0, 1), (3, 2)]\nG = nx.Graph()\nG.add_edges_from(edges)"},
		"typed variable": {"edges: list[tuple[int, int]] = [(0,1)]\nG.add_edges_from(edges)", "0-1 | -", "edges: list[tuple[int, int]] = [(0, 1), (3, 2)]\nG.add_edges_from(edges)"},
		"keyword":        {"edges = [(0,1)]\nf(edges=edges)\nG.add_edges_from(edges)", "0-1 | -", "edges = [(0, 1), (3, 2)]\nf(edges=edges)\nG.add_edges_from(edges)"},
		"labels":         {`G.add_edges_from([('cat', "owl"), ('wren', 'puma x')])`, "0-1 2-3 | -", `G.add_edges_from([('cat', "owl"), ('puma x', 'wren')])`},
		"other labels":   {`G.add_edges_from([('cat', "owl")])`, "0-1 | -", `G.add_edges_from([('cat', "owl"), ("Puma X", "wren")])`},
		"names":          {"cat, owl, wren = 0, 1, 2\npuma = 3\nG.add_edges_from([(cat, puma)])", "0-3 | -", "cat, owl, wren = 0, 1, 2\npuma = 3\nG.add_edges_from([(cat, 1), (puma, 2)])"},
		"range of names": {"a, b, c, d = range(4)\nG.add_edges_from([(a, d)])", "0-3 | -", "a, b, c, d = range(4)\nG.add_edges_from([(a, 1), (d, 2)])"},
		"tuple of names": {"a, b = ('cat', 'owl')\nG.add_edge(a, b)", "0-1 | -", "a, b = ('cat', 'owl')\n[G.add_edge(u, v) for u, v in [(a, b), (\"Puma X\", \"wren\")]]"},
		"from one":       {"G.add_edges_from([(1, 2), (2, 4)])", "0-1 1-3 | -", "G.add_edges_from([(1, 2), (4, 3)])"},
		"quoted numbers": {"G.add_edges_from([('0', '1'), ('2', '1')])", "0-1 2-1 | -", "G.add_edges_from([('0', '1'), (\"3\", '2')])"},
		"attributes":     {"G.add_edges_from([(0, 1, {'w': 2}), (2, 3, {'w': 2})])", "0-1 2-3 | -", "G.add_edges_from([(0, 1, {'w': 2}), (3, 2, {'w': 2})])"},
		"weights":        {"G.add_weighted_edges_from([(0, 1, 1)])", "0-1 | -", "G.add_weighted_edges_from([(0, 1, 1), (3, 2, 1)])"},
		"several pieces": {"G.add_edges_from([(0, 1)])\nG.add_edges_from([(1, 2)])", "0-1 1-2 | -", "G.add_edges_from([(0, 1), (3, 2)])\nG.add_edges_from([])"},
		"single edges":   {"G.add_edge(0, 1)  # one\nself.G.add_edge(1, 2, weight=max(1, 2))\n", "0-1 1-2 | -", "[G.add_edge(u, v) for u, v in [(0, 1), (3, 2)]]  # one\nNone\n"},
		"adjacency":      {"G = nx.DiGraph({0: [1, 2], 1: [], 2: [], 3: [0]})", "0-1 0-2 3-0 | -", "G = nx.DiGraph({0: [1], 1: [], 2: [], 3: [2]})"},
		"sets":           {"adj = {'cat': {'owl'}, 'owl': {'wren'}}\nG = nx.from_dict_of_lists(adj)", "0-1 1-2 | -", "adj = {'cat': {'owl'}, 'owl': set(), 'wren': set(), \"Puma X\": {'wren'}}\nG = nx.from_dict_of_lists(adj)"},
		"matrix":         {"A = np.array([[0,1,0,0],[0,0,0,0],[0,0,0,1],[0,0,0,0]])\nG = nx.from_numpy_array(A)", "0-1 2-3 | 4", "A = np.array([[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]])\nG = nx.from_numpy_array(A)"},
		"a row too few":  {"A = [[0,1,0],[0,0,0],[0,0,0.0]]\nprint(A)", "0-1 | 3", "A = [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]]\nprint(A)"},
		"truth values":   {"A = [[False,True,False],[False,False,False],[False,False,False]]", "0-1 | 3", "A = [[False, True, False, False], [False, False, False, False], [False, False, False, False], [False, False, True, False]]"},
		"nodes":          {"G.add_nodes_from(range(3))\nG.add_edges_from([(0, 1)])", "0-1 | 3", "G.add_nodes_from(range(4))\nG.add_edges_from([(0, 1), (3, 2)])"},
		"nodes by edges": {"G.add_nodes_from(range(3))\nG.add_edges_from([(0, 3)])", "0-3 | 4", "G.add_nodes_from(range(4))\nG.add_edges_from([(0, 1), (3, 2)])"},
		"node labels":    {"G.add_nodes_from(['cat', 'owl', 'lynx'])\nG.add_edges_from([('cat', 'lynx')])", "0-4 | 3", "G.add_nodes_from(['cat', 'owl', \"wren\", \"Puma X\"])\nG.add_edges_from([('cat', 'owl'), (\"Puma X\", \"wren\")])"},
		"nodes one more": {"G.add_nodes_from(range(3))\nG.add_node(3)\nG.add_edges_from([(0, 1)])", "0-1 | -", ""},
		"loop":           {"for u, v in [(0, 1), (1, 2)]:\n    adj[u].append(v)", "0-1 1-2 | -", "for u, v in [(0, 1), (3, 2)]:\n    adj[u].append(v)"},
		"function":       {"def f(edges):\n  G.add_edges_from(edges)\nf([(0, 1)])", "0-1 | -", "def f(edges):\n  G.add_edges_from(edges)\nf([(0, 1), (3, 2)])"},
		"comments":       {"G.add_edges_from([ # (9, 9),\n  (0, 1),  # ], a comment\n])", "0-1 | -", "G.add_edges_from([(0, 1), (3, 2)])"},
		"rows":           {"adj = [[1, 2], [], [3], []]", "0-1 0-2 2-3 | -", "adj = [[1], [], [], [2]]"},
		"dictionaries":   {"G = nx.DiGraph({0: {1: {'w': 2}}, 1: {}})", "0-1 | -", "G = nx.DiGraph({0: {1: {'w': 2}}, 1: {}, 2: {}, 3: {2: {'w': 2}}})"},
		"a text":         {"for line in \"\"\"\ncat owl\nwren cat\n\"\"\".split('\\n'): pass", "0-1 2-0 | -", "for line in \"cat owl\\nPuma X wren\".split('\\n'): pass"},
		"arrows":         {"e = '0->1, 1->3'.split(', ')", "0-1 1-3 | -", "e = \"0->1, 3->2\".split(', ')"},
		"appended":       {"adj[0].append(1)\nadj[2].append(3)\n", "0-1 2-3 | -", "[adj[u].append(v) for u, v in [(0, 1), (3, 2)]]\nNone\n"},
		"own function":   {"def add_edge(u, v):\n  adj[u].append(v)\nadd_edge(0, 1)\n", "0-1 | -", "def add_edge(u, v):\n  adj[u].append(v)\n[add_edge(u, v) for u, v in [(0, 1), (3, 2)]]\n"},
		"in a string":    {"'''G.add_edges_from([(0, 1)])'''\nprint(\"[(0, 1)]\")", "", ""},
		"no edges":       {"G = nx.DiGraph([])", "| -", "G = nx.DiGraph([(0, 1), (3, 2)])"},
		"two graphs":     {"G = nx.DiGraph()\nG.add_edges_from([(0,1)])\nH = nx.DiGraph()\nH.add_edges_from([(1,2)])", "0-1 | -; 1-2 | -", "G = nx.DiGraph()\nG.add_edges_from([(0, 1), (3, 2)])\nH = nx.DiGraph()\nH.add_edges_from([(0, 1), (3, 2)])"},
		"a name twice":   {"G = nx.DiGraph()\nG.add_edges_from([(0,1)])\nG = nx.DiGraph()\nG.add_edges_from([(1,2)])", "0-1 | -; 1-2 | -", ""},
		"computed":       {"G.add_edges_from([(i, i + 1) for i in range(3)])", "", ""},
		"an operator":    {"G.add_edges_from([(0, 1)] + more)", "", ""},
		"a call":         {"G.add_edges_from([(0, int('1'))])", "", ""},
		"grown":          {"edges = []\nfor i in range(3):\n  edges.append((i, i + 1))\nG.add_edges_from(edges)", "", ""},
		"f-strings":      {"G.add_edges_from([(f'cat', 'owl')])", "", ""},
		"not a list":     {"x = [1, 2, 3]\ny = {'a': 1}\nz = [(1, 2, 3, 4)]", "", ""},
		"unfinished":     {"G.add_edges_from([(0, 1)", "", ""},
		"hexadecimal":    {"G.add_edges_from([(0x0, 1)])", "", ""},
		"the largest":    {"q = [(0, 3)]\ne = [(0, 1), (1, 2)]\nf = [(0, 2), (1, 2), (2, 3)]", "0-1 1-2 | -; 0-2 1-2 2-3 | -", "q = [(0, 3)]\ne = [(0, 1), (3, 2)]\nf = [(0, 1), (3, 2)]"},
		"nested":         {"G.add_edge(0, 1, w=G.add_edge(1, 2))", "0-1 1-2 | -", "[G.add_edge(u, v) for u, v in [(0, 1), (3, 2)]]"},
		"empty":          {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := readPython(c.program, labels, 2)
			var got []string
			for _, l := range p.literals {
				text := ""
				for _, e := range l.edges.sorted() {
					text += fmt.Sprintf("%d-%d ", e[0], e[1])
				}
				nodes := "-"
				if l.nodes != computed {
					nodes = fmt.Sprint(l.nodes)
				}
				got = append(got, text+"| "+nodes)
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("%s, want %s", s, c.want)
			}
			if c.same == "" {
				return
			}
			other := arcs{{0, 1}: true, {3, 2}: true}
			if s := p.substitute([]arcs{other, other}[:len(p.graphs)]); s != c.same {
				t.Errorf("%s\nwant\n%s", s, c.same)
			}
		})
	}
}

// FuzzReadPython reads any text, and reads what it has put in place back: the
// rewritten program has the edges that it was to get.
func FuzzReadPython(f *testing.F) {
	for _, s := range samples(f, 1) {
		f.Add(s.in.PythonProgram)
	}
	for _, s := range []string{"G.add_edge(0,1)\nG.add_edge('a','b')", "A = [[0,1,0],[0,0,1],[1,0,0]]", "d = {'a': {'b'}, 'b': ()}", "a, b = range(2)\nx.y.add_edge(a, b)",
		"e = [(1, 3), (3, 2)]\nnx.Graph(list(e))", "'''", "\\\n", "f'{x'", "G.add_edges_from((((((((((", "0_0.0"} {
		f.Add(s)
	}
	labels := []string{"a", "b", "c"}
	const all = 1 << 20
	f.Fuzz(func(t *testing.T, text string) {
		p := readPython(text, labels, all)
		if len(p.graphs) == 0 {
			return
		}
		want := make([]arcs, len(p.graphs))
		for i := range want {
			want[i] = arcs{{0, 1}: true, {2, 1}: true}
		}
		same := p.substitute(want)
		for _, s := range p.spelled {
			if s[0] == '_' || s[0] >= 'A' {
				return // a variable, which may be written anew itself
			}
		}
		q := readPython(same, labels, all)
		if len(q.graphs) != len(p.graphs) {
			t.Fatalf("%d graphs, %d before\n%s", len(q.graphs), len(p.graphs), same)
		}
		if q.base != p.base || q.quoted != p.quoted {
			return // numbers from 1 can be told by the last node only, which may be gone
		}
		for i := range p.graphs {
			if !slices.Equal(q.literals[i].edges.sorted(), want[i].sorted()) {
				t.Errorf("graph %d has %v in\n%s", i, q.literals[i].edges.sorted(), same)
			}
		}
	})
}
