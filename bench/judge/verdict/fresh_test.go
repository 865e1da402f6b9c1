package verdict

import (
	"fmt"
	"strconv"
	"strings"
)

// adjacent returns the neighbours of each node, in order, as Python writes lists.
func adjacent(list []Edge, n int, node func(int) string) string {
	return "[" + strings.ReplaceAll(neighbours(list, n, node, func(_ int, to []string) string { return "[" + strings.Join(to, ", ") + "]" }), "\n", ", ") + "]"
}

// fresh is styles that were written before anything was looked at of how graphs are found,
// to measure it a second time. Of 1,196 wrong programs in them 1,191 got the right class, none
// had no graph that was found, and 5 got a wrong class, all with numbers that are offsets into
// another list.
var fresh = []style{
	{"a counter", true, func(list []Edge, _ int, node func(int) string) string {
		return "from collections import Counter\nlinks = Counter([" + each(list, ", ", node, "(%s, %s)") + "])\nadj = {x: [y for y in names if links[x, y]] for x in names}\n"
	}},
	{"named tuples", true, func(list []Edge, _ int, node func(int) string) string {
		return "from collections import namedtuple\nEdge = namedtuple('Edge', 'src dst')\nedges = [\n" + each(list, "\n", node, "    Edge(%s, %s),") + "\n]\nadj = {x: [e.dst for e in filter(lambda e: e.src == x, edges)] for x in names}\n"
	}},
	{"frozen sets", false, func(list []Edge, n int, node func(int) string) string {
		return "succ = tuple(map(frozenset, " + adjacent(list, n, node) + "))\nadj = dict(enumerate(succ))\n"
	}},
	{"groupby", true, func(list []Edge, _ int, node func(int) string) string {
		return "from itertools import groupby\nfrom operator import itemgetter\npairs = sorted([" + each(list, ", ", node, "(%s, %s)") + "])\nadj = {x: [] for x in names}\nadj.update((k, [b for _, b in g]) for k, g in groupby(pairs, key=itemgetter(0)))\n"
	}},
	{"a matrix by index", true, func(list []Edge, _ int, node func(int) string) string {
		return "index = {name: i for i, name in enumerate(names)}\nM = [[0] * len(names) for _ in names]\nfor a, b in [" + each(list, ", ", node, "(%s, %s)") + "]:\n    M[index[a]][index[b]] = 1\nadj = {x: [y for y in names if M[index[x]][index[y]]] for x in names}\n"
	}},
	{"a regular expression", true, func(list []Edge, _ int, node func(int) string) string {
		return "import re\ntext = '''\n" + each(list, "\n", node, "%s has an edge to %s.") + "\n'''\nadj = {x: [] for x in names}\nfor m in re.finditer(r'\"([^\"]+)\" has an edge to \"([^\"]+)\"', text):\n    adj[m.group(1)].append(m.group(2))\n"
	}},
	{"indented text", true, func(list []Edge, n int, node func(int) string) string {
		bare := bareNode(node)
		return "text = '''" + neighbours(list, n, bare, func(v int, to []string) string {
			return strings.TrimSuffix(bare(v)+"\n  "+strings.Join(to, "\n  "), "\n  ")
		}) + "'''\nadj = {}\nfor line in text.splitlines():\n    if line.startswith('  '):\n        adj[current].append(line.strip())\n    else:\n        current = line\n        adj[current] = []\n"
	}},
	{"lines with a colon", true, func(list []Edge, n int, node func(int) string) string {
		bare := bareNode(node)
		return "adj = {}\nfor line in '''" + neighbours(list, n, bare, func(v int, to []string) string { return bare(v) + ": " + strings.Join(to, "; ") }) +
			"'''.split('\\n'):\n    head, _, tail = line.partition(': ')\n    adj[head] = [t for t in tail.split('; ') if t]\n"
	}},
	{"products", true, func(list []Edge, n int, node func(int) string) string {
		return "import networkx as nx\nfrom itertools import product\nG = nx.DiGraph()\nG.add_nodes_from(names)\n" + neighbours(list, n, node, func(v int, to []string) string {
			return "G.add_edges_from(product([" + node(v) + "], [" + strings.Join(to, ", ") + "]))"
		}) + "\nadj = {x: list(G.neighbors(x)) for x in G.nodes}\n"
	}},
	{"a graph of a dictionary", false, func(list []Edge, n int, node func(int) string) string {
		return "import networkx as nx\ng = nx.DiGraph({" + neighbours(list, n, node, func(v int, to []string) string { return node(v) + ": [" + strings.Join(to, ", ") + "]," }) + "})\nadj = {v: sorted(g.adj[v]) for v in g}\n"
	}},
	{"a class of edges", true, func(list []Edge, _ int, node func(int) string) string {
		return "class Graph:\n    def __init__(self, vertices, edges):\n        self._next = {v: [] for v in vertices}\n        for a, b in edges:\n            self._next[a].append(b)\n    def __getitem__(self, v):\n        return self._next[v]\n    def __iter__(self):\n        return iter(self._next)\n" +
			"graph = Graph(names, [" + each(list, ", ", node, "(%s, %s)") + "])\nadj = {v: graph[v] for v in graph}\n"
	}},
	{"merged dictionaries", true, func(list []Edge, n int, node func(int) string) string {
		return "adj = {\n" + neighbours(list, n, node, func(v int, to []string) string { return "    **{" + node(v) + ": [" + strings.Join(to, ", ") + "]}," }) + "\n}\n"
	}},
	{"a queue of edges", false, func(list []Edge, _ int, node func(int) string) string {
		return "from collections import defaultdict, deque\npending = deque([" + each(list, ", ", node, "(%s, %s)") + "])\nout = defaultdict(list)\nwhile pending:\n    u, v = pending.popleft()\n    out[u].append(v)\nadj = {v: out[v] for v in names}\n"
	}},
	{"two texts", true, func(list []Edge, _ int, node func(int) string) string {
		var from, to []string
		bare := bareNode(node)
		for _, e := range list {
			from, to = append(from, bare(e[0])), append(to, bare(e[1]))
		}
		return "sources = '" + strings.Join(from, "|") + "'\ntargets = '" + strings.Join(to, "|") + "'\nadj = {x: [] for x in names}\nfor a, b in zip(sources.split('|'), targets.split('|')):\n    adj[a].append(b)\n"
	}},
	{"a matrix in a text", false, func(list []Edge, n int, _ func(int) string) string {
		m := make([][]string, n)
		for v := range m {
			m[v] = strings.Split(strings.Repeat("0", n), "")
		}
		for _, e := range list {
			m[e[0]][e[1]] = "1"
		}
		var rows []string
		for _, row := range m {
			rows = append(rows, strings.Join(row, " "))
		}
		return "text = '''\n" + strings.Join(rows, "\n") + "\n'''\nmatrix = [[int(c) for c in row.split()] for row in text.strip().splitlines()]\nadj = [[j for j, bit in enumerate(row) if bit] for row in matrix]\n"
	}},
	{"slices", true, func(list []Edge, _ int, node func(int) string) string {
		return "flat = [" + each(list, ", ", node, "%s, %s") + "]\nadj = {x: set() for x in names}\nfor a, b in zip(flat[::2], flat[1::2]):\n    adj[a].add(b)\n"
	}},
	{"type hints", true, func(list []Edge, _ int, node func(int) string) string {
		return "from typing import Dict, List\n\ndef add_edge(graph: Dict[str, List[str]], source: str, target: str) -> None:\n    graph.setdefault(source, [])\n    graph.setdefault(target, [])\n    graph[source].append(target)\n\nadj: Dict[str, List[str]] = {x: [] for x in names}\n" +
			each(list, "\n", node, "add_edge(adj, %s, %s)") + "\n"
	}},
	{"partial", false, func(list []Edge, _ int, node func(int) string) string {
		return "from functools import partial\nadj = {x: set() for x in names}\nlink = partial(lambda d, a, b: d[a].add(b), adj)\n" + each(list, "\n", node, "link(%s, %s)") + "\n"
	}},
	{"node-link data", true, func(list []Edge, _ int, node func(int) string) string {
		return "import networkx as nx\ndata = {'directed': True, 'multigraph': False, 'graph': {}, 'nodes': [{'id': x} for x in names], 'edges': [" + each(list, ", ", node, "{'source': %s, 'target': %s}") + "]}\nG = nx.node_link_graph(data, edges='edges')\nadj = {x: list(G.successors(x)) for x in names}\n"
	}},
	{"bisect", false, func(list []Edge, n int, node func(int) string) string {
		return fmt.Sprintf("from bisect import insort\nadj = [[] for _ in range(%d)]\n%s\n", n, each(list, "\n", node, "insort(adj[%s], %s)"))
	}},
	{"get of a literal", true, func(list []Edge, n int, node func(int) string) string {
		return "succ = {" + neighbours(list, n, node, func(v int, to []string) string {
			if len(to) == 0 {
				return ""
			}
			return node(v) + ": (" + strings.Join(append(to, ""), ", ") + "),"
		}) + "}.get\nadj = {x: list(succ(x, ())) for x in names}\n"
	}},
	{"zip with names", true, func(list []Edge, n int, node func(int) string) string {
		return "adj = dict(zip(names, " + adjacent(list, n, node) + "))\n"
	}},
	{"a flat matrix", false, func(list []Edge, n int, node func(int) string) string {
		return fmt.Sprintf("n = %d\nM = bytearray(n * n)\n%s\nadj = {i: [j for j in range(n) if M[i * n + j]] for i in range(n)}\n", n, each(list, "\n", node, "M[%s * n + %s] = 1"))
	}},
	{"offsets and targets", false, func(list []Edge, n int, _ func(int) string) string {
		var targets []string
		offsets := []string{"0"}
		for v := range n {
			for _, e := range list {
				if e[0] == v {
					targets = append(targets, strconv.Itoa(e[1]))
				}
			}
			offsets = append(offsets, strconv.Itoa(len(targets)))
		}
		return "indptr = [" + strings.Join(offsets, ", ") + "]\nindices = [" + strings.Join(targets, ", ") + "]\nadj = [indices[indptr[i]:indptr[i + 1]] for i in names]\n"
	}},
	{"heads and links", false, func(list []Edge, n int, node func(int) string) string {
		return fmt.Sprintf("head, link, to = [-1] * %d, [], []\ndef add(u, v):\n    link.append(head[u])\n    head[u] = len(to)\n    to.append(v)\n%s\ndef out(u):\n    e = head[u]\n    while e != -1:\n        yield to[e]\n        e = link[e]\nadj = {u: list(out(u)) for u in names}\n", n, each(list, "\n", node, "add(%s, %s)"))
	}},
	{"a tuple and a function", true, func(list []Edge, _ int, node func(int) string) string {
		return "EDGES = (" + each(list, " ", node, "(%s, %s),") + ")\ndef neighbors(v):\n    return tuple(b for a, b in EDGES if a == v)\nadj = {v: neighbors(v) for v in names}\n"
	}},
}
