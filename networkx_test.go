package ein_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"testing"

	"ein"
)

// networkx holds, for each function on graphs that NetworkX has as well, the same
// question in both. In Python g is the directed graph, u the undirected one, w
// its weights, and n the number of nodes; infinity stands for none.
var networkx = []struct{ name, ein, python string }{
	{"wdist", "wdist(W, 0, -1)", "d = nx.single_source_dijkstra_path_length(g, 0); r = [d.get(v, -1) for v in range(n)]"},
	{"wdist signed", "wdist(D, 0, -99)", "d = nx.single_source_bellman_ford_path_length(debts, 0); r = [d.get(v, -99) for v in range(n)]"},
	{"components", "max(components(W)) + 1", "r = [nx.number_weakly_connected_components(g)]"},
	{"wcc", "sum(wcc(W), 1)", "r = [len(nx.node_connected_component(u, v)) for v in range(n)]"},
	{"topo_order", "topo_order(Up)", "up = g.edge_subgraph([e for e in g.edges if e[0] < e[1]]).copy(); up.add_nodes_from(g); o = list(nx.lexicographical_topological_sort(up)); r = [o.index(v) for v in range(n)]"},
	{"bridges", "bridges(W)", "b = set(nx.bridges(u)); r = [int((i, j) in b or (j, i) in b) for i in range(n) for j in range(n)]"},
	{"cut_nodes", "cut_nodes(W)", "b = set(nx.articulation_points(u)); r = [int(v in b) for v in range(n)]"},
	{"core_number", "core_number(W)", "c = nx.core_number(u); r = [c[v] for v in range(n)]"},
	{"pagerank", "pagerank(W)", "p = nx.pagerank(g, tol=1e-9, max_iter=1000); r = [p[v] for v in range(n)]"},
	{"mst", "sum(mst(W))", "r = [sum(d['weight'] for _, _, d in nx.minimum_spanning_edges(u))]"},
	{"betweenness", "betweenness(W)", "b = nx.betweenness_centrality(g, normalized=False); r = [b[v] for v in range(n)]"},
	{"maxflow", "maxflow(W, 0, 1)", "r = [nx.maximum_flow_value(g, 0, 1, capacity='weight')]"},
	{"mincut", "sum(mincut(W, 0, 1))", "r = [nx.minimum_cut_value(g, 0, 1, capacity='weight')]"},
	{"wpath", "sum(where(wpath(W, 0, 1) >= 0, 1, 0)) > 0", "r = [int(nx.has_path(g, 0, 1))]"},
}

const askNetworkX = `
import json, sys
import networkx as nx
questions, graphs = json.load(sys.stdin)
for w in graphs:
    n = len(w)
    g = nx.DiGraph()
    g.add_nodes_from(range(n))
    g.add_weighted_edges_from((i, j, w[i][j]) for i in range(n) for j in range(n) if w[i][j])
    debts = nx.DiGraph(g)
    for i, j in g.edges: debts[i][j]["weight"] = w[i][j] + i - j
    u = nx.Graph()
    u.add_nodes_from(range(n))
    for i, j in sorted(g.edges):
        x = min(a for a in (w[i][j], w[j][i]) if a)
        u.add_edge(i, j, weight=x)
    for q in questions:
        scope = dict(nx=nx, g=g, u=u, w=w, n=n, debts=debts)
        exec(q, scope)
        print(json.dumps(scope["r"]))
`

// TestNetworkX asks both about random graphs.
func TestNetworkX(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err == nil {
		err = exec.Command(python, "-c", "import networkx, numpy, scipy").Run()
	}
	if err != nil {
		t.Skipf("needs python3 with networkx, numpy and scipy: %v", err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	var graphs [][][]float64
	var answers [][]float64
	text := "input W: matrix\ninput D: matrix\ninput Up: matrix\n"
	var questions []string
	for _, q := range networkx {
		text += ":print " + q.ein + "\n"
		questions = append(questions, q.python)
	}
	p, err := ein.Compile("networkx.ein", text, ein.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		n := 2 + r.IntN(14)
		density := r.Float64() * r.Float64()
		w, debts, up := make([][]float64, n), make([][]float64, n), make([][]float64, n)
		for i := range w {
			w[i], debts[i], up[i] = make([]float64, n), make([]float64, n), make([]float64, n)
			for j := range w[i] {
				if i != j && r.Float64() < density {
					w[i][j] = float64(16 + r.IntN(6))
					debts[i][j] = w[i][j] + float64(i-j)
					if i < j {
						up[i][j] = 1
					}
				}
			}
		}
		graphs = append(graphs, w)
		result, err := p.Run(context.Background(), ein.Data("W", w), ein.Data("D", debts), ein.Data("Up", up))
		if err != nil {
			t.Fatal(err, w)
		}
		for _, o := range result.Outputs {
			x, err := o.Floats()
			if err != nil {
				x = make([]float64, 1)
				x[0], err = o.Float()
			}
			if err != nil {
				t.Fatal(err)
			}
			answers = append(answers, x)
		}
	}
	input, err := json.Marshal([]any{questions, graphs})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", askNetworkX)
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	d := json.NewDecoder(bytes.NewReader(out))
	for k, got := range answers {
		var want []float64
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		same := len(got) == len(want)
		for i := range want {
			same = same && math.Abs(got[i]-want[i]) <= 1e-6*max(1, math.Abs(want[i]))
		}
		if !same {
			t.Errorf("%s of %v: %v, NetworkX says %v", networkx[k%len(networkx)].name, fmt.Sprint(graphs[k/len(networkx)]), got, want)
		}
	}
}
