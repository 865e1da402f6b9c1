package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"ein/lang/check"
	"ein/vm/graphio"
	"ein/vm/tensor"
)

// section is a table that is not measured yet. Rows are made one at a time, so
// that one graph is in memory and not all.
type section struct {
	title, text string
	rows        []func(e *env) row
	figure      func(float64) string // what is measured, as text; nil is a duration
}

// env is what the rows of a run share.
type env struct {
	maker
	peers   *peers
	workers int     // threads of each side
	scale   float64 // of constants to this machine; 0 until datafrog has run
}

// peer is a contender in peers.py.
func (e *env) peer(name string, m message) contender {
	c := contender{name: name, why: e.peers.absent(name)}
	c.start = func() (sampler, error) {
		m["do"], m["peer"] = "prepare", name
		if _, err := e.peers.ask(m); err != nil {
			return nil, err
		}
		return func() (answer, error) { return e.peers.ask(message{"do": "run", "peer": name}) }, nil
	}
	return c
}

// constant is a contender that was measured elsewhere, and finds whatever we do.
func (e *env) constant(name string, seconds float64) contender {
	return contender{name: name, start: func() (sampler, error) {
		return func() (answer, error) {
			scaled := seconds * cmp.Or(e.scale, 1)
			return answer{Wall: scaled, CPU: scaled, Check: math.NaN()}, nil
		}, nil
	}}
}

// onGraph is a row whose peers all get the same graph. skip says which peers are
// left out, and why.
func (e *env) onGraph(name, what string, g *graph, own []contender, names []string, skip map[string]string) row {
	r := row{name: name, contenders: own}
	for _, peer := range names {
		c := e.peer(peer, message{"case": what, "n": g.n, "directed": g.directed, "edges": g.file})
		c.why = cmp.Or(skip[peer], c.why)
		r.contenders = append(r.contenders, c)
	}
	return r
}

// sections returns the tables in the order of the report.
func sections(quick bool) []section {
	all := []section{tiny(), closures.section(quick), reaches.section(quick), triangleCounts.section(quick), products(quick)}
	if !quick {
		all = append(all, million())
	}
	return append(all, questions(quick), sparse(quick), orders(quick), contractions(quick), elementwise(quick), relations(quick), memory(), loading(quick))
}

const slow = "it would take minutes"

// The tiny programs and what they are in Python.
var tinyPrograms = []struct{ name, ein, python string }{
	{"multi_query", `// multi_query
A = edges([[0,1],[1,2],[3,2],[3,8],[4,0],[4,7],[5,1],[5,4],[6,0],[6,5],[8,4],[8,6]])
TC = tc(A)
Reachable = select(TC, 0, 2)
Degree = select(sum(A, 1), 0, 0)
:print Reachable
:print Degree
`, `import networkx as nx
G = nx.DiGraph([(0,1),(1,2),(3,2),(3,8),(4,0),(4,7),(5,1),(5,4),(6,0),(6,5),(8,4),(8,6)])
Reachable = 2 in nx.descendants(G, 0)
Degree = G.out_degree(0)
answer = Reachable + 1000 * Degree
`},
	{"triangle", `A = edges([[0,1,1],[1,0,1],[1,1,0]], 3)
A2[i,k] = A[i,j] A[j,k]
A3[i,j] = A2[i,k] A[k,j]
Result = trace(A3) / 6.0
`, `import networkx as nx
G = nx.Graph([(0,1),(1,2),(0,2)])
answer = sum(nx.triangles(G).values()) / 3
`},
	{"reach_then_count", `A = edges([[0,1],[1,2],[2,3],[3,4],[1,4],[4,5],[5,2]], 6)
TC = tc(A)
Row[j] = select(TC, 0, j)
Result = sum(Row)
`, `import networkx as nx
G = nx.DiGraph([(0,1),(1,2),(2,3),(3,4),(1,4),(4,5),(5,2)])
answer = len(nx.descendants(G, 0))
`},
}

// tiny has each program twice: with all that happens before it runs, and without.
func tiny() section {
	s := section{
		title: "Tiny programs",
		text: "A program of three to six lines on a graph of 3 to 9 nodes. From text: parsing, checking, planning and running a\n" +
			"program that has not been seen before, against `exec` of the Python source, networkx being imported already.\n" +
			"Compiled: `Machine.Run` against a call of the same lines as a function.",
	}
	for _, p := range tinyPrograms {
		s.rows = append(s.rows,
			func(e *env) row {
				return row{name: p.name + ", from text", contenders: []contender{
					e.fromText(p.ein, func() values { return nil }, total),
					e.peer("networkx", message{"case": "text", "python": p.python}),
				}}
			},
			func(e *env) row {
				return row{name: p.name + ", compiled", contenders: []contender{
					e.compiled(p.ein, func() values { return nil }, total),
					e.peer("networkx", message{"case": "compiled", "python": p.python}),
				}}
			})
	}
	return s
}

// random is a dense case: the graph, and the peers it is too much for.
type random struct {
	n    int
	p    float64
	kind string
	skip map[string]string
	long bool // not in a quick run
}

// name is the graph as the table names it.
func (c random) name() string {
	if c.kind == acyclic {
		return fmt.Sprintf("n=%d, acyclic, p=%g", c.n, c.p)
	}
	return fmt.Sprintf("n=%d, p=%g", c.n, c.p)
}

// dense is a section of one program on dense graphs in both layouts.
type dense struct {
	title, text   string
	what, program string
	check         func(*tensor.Value) float64
	peers         []string
	cases         []random
}

// section returns a row for each graph, whose main contender is in the layout that a graph of that
// size is bound as. A quick run leaves out those that take long.
func (d dense) section(quick bool) section {
	s := section{title: d.title, text: d.text}
	for _, c := range d.cases {
		if quick && c.long {
			continue
		}
		s.rows = append(s.rows, func(e *env) row {
			g := e.random(c.n, c.p, c.kind)
			packed := e.compiled(d.program, func() values { return values{"A": g.packed()} }, d.check)
			lists := e.compiled(d.program, func() values { return values{"A": g.lists()} }, d.check)
			packed.name, lists.name = "Ein, packed", "Ein, lists"
			r := e.onGraph(c.name(), d.what, g, []contender{packed, lists}, d.peers, c.skip)
			entries := len(g.src)
			if !g.directed {
				entries *= 2
			}
			if !check.Packs(g.n, g.n, entries) {
				r.main = 1
			}
			return r
		})
	}
	return s
}

var (
	nx   = map[string]string{"networkx": slow}
	np   = map[string]string{"networkx": slow, "numpy": "a float32 product of this size takes seconds, and several are needed"}
	huge = map[string]string{"networkx": "a graph of that many edges as dictionaries takes gigabytes"}
)

var closures = dense{
	title: "Transitive closure",
	text: "`T = tc(A)`, the whole matrix, the graph being in memory on both sides: as packed bits and as lists of edges for Ein\n" +
		"(bold is what a graph of that size is bound as), as the library's own graph or matrix for a peer. igraph: `subcomponent`\n" +
		"from each node or `neighborhood`, whichever is faster; scipy: `breadth_first_order` from each node or `shortest_path`;\n" +
		"numpy: repeated float32 squaring; networkx: `transitive_closure`.",
	what: "closure", program: "input A: graph\nT = tc(A)\n", check: reflexive,
	peers: []string{"igraph", "scipy", "numpy", "networkx"},
	cases: []random{
		{10, .1, directed, nil, false}, {10, .3, directed, nil, false},
		{100, .01, directed, nil, false}, {100, .1, directed, nil, false}, {100, .1, acyclic, nil, false},
		{1000, .001, directed, nil, false},
		{1000, .01, directed, nx, false}, {1000, .1, directed, nx, false},
		{1000, .005, acyclic, nil, false}, {1000, .1, acyclic, nx, false},
		{5000, .0002, directed, np, true}, {5000, .001, directed, np, true},
		{5000, .01, directed, np, true}, {5000, .1, directed, np, true},
		{5000, .001, acyclic, np, true}, {5000, .1, acyclic, np, true},
	},
}

var reaches = dense{
	title: "Reach from one node",
	text: "`R = reach(A, 0)`. igraph: `subcomponent`; scipy: `breadth_first_order`; networkx: `descendants`.\n" +
		"On a dense graph in packed form the search ends when every node is reached, after a few rows.",
	what: "reach", program: "input A: graph\nR = reach(A, 0)\n", check: total,
	peers: []string{"igraph", "scipy", "networkx"},
	cases: []random{
		{1000, .01, directed, nil, false}, {1000, .1, directed, nil, false},
		{5000, .001, directed, nil, true}, {5000, .01, directed, nil, true}, {5000, .1, directed, huge, true},
		{5000, .1, acyclic, huge, true},
	},
}

var triangleCounts = dense{
	title: "Triangles",
	text: "`T = triangles(A)` of an undirected graph. igraph: `transitivity_undirected`, which counts them (it has no count of its\n" +
		"own); scipy: `(L @ L).multiply(L).sum()` of the lower triangle; numpy: `((A @ A) * A).sum()` in float64; networkx:\n" +
		"`triangles`.",
	what: "triangles", program: "input A: graph\nT = triangles(A)\n", check: total,
	peers: []string{"igraph", "scipy", "numpy", "networkx"},
	cases: []random{{1000, .1, undirected, nil, false}, {5000, .1, undirected, nx, true}},
}

// products squares a matrix of 0 and 1, as counts and as whether there is any.
func products(quick bool) section {
	s := section{
		title: "Products of 0/1 matrices",
		text: "Counts: `C[i,k] = A[i,j] A[j,k]`. Boolean: the same, compared with 0. numpy: `A @ A` in float32, which is exact for\n" +
			"counts below 2^24; scipy: the product of sparse matrices.",
	}
	for _, n := range []int{1000, 5000} {
		if quick && n > 1000 {
			continue
		}
		for _, what := range []struct{ name, text string }{
			{"count product", "input A: graph\nC[i,k] = A[i,j] A[j,k]\n"},
			{"boolean product", "input A: graph\nC[i,k] = A[i,j] A[j,k]\nB = C > 0\n"},
		} {
			s.rows = append(s.rows, func(e *env) row {
				g := e.random(n, .1, directed)
				own := e.compiled(what.text, func() values { return values{"A": g.packed()} }, total)
				own.name = "Ein, packed"
				skip := map[string]string{}
				if n > 1000 {
					skip["scipy"] = "it would take half a minute; the product is full"
				}
				return e.onGraph(fmt.Sprintf("%s, n=%d, p=0.1", what.name, n), what.name, g, []contender{own}, []string{"numpy", "scipy"}, skip)
			})
		}
	}
	return s
}

// million is the sparse graph of a million nodes and ten million edges.
func million() section {
	s := section{
		title: "A million nodes, ten million edges",
		text: "Edges uniform at random, in no order. Build: from two arrays of node numbers to sorted lists without repeated edges\n" +
			"(scipy: `csr_matrix`; igraph: `Graph`, which keeps repeated edges). The other rows start from the built graph, except for\n" +
			"the last, which starts from the arrays. igraph: `subcomponent`, `distances`, `connected_components`,\n" +
			"`transitivity_undirected`; scipy: `breadth_first_order`, `dijkstra(unweighted=True)`, `connected_components`, and the product\n" +
			"of lower triangles.",
	}
	const n, edges = 1_000_000, 10_000_000
	names := []string{"igraph", "scipy"}
	var g *graph // made once for the rows that share it
	shared := func(e *env) {
		if g == nil {
			g = e.uniform(n, edges, directed)
		}
	}
	s.rows = append(s.rows, func(e *env) row {
		shared(e)
		var a tensor.CSR
		own := []contender{{name: "Ein", start: func() (sampler, error) {
			return ours(func() error {
				a, _ = tensor.BuildCSR(g.n, g.n, g.src, g.dst, nil)
				return nil
			}, func() float64 { return float64(a.NNZ()) })
		}}}
		return e.onGraph("build", "build", g, own, names, nil)
	})
	for _, c := range []struct {
		name, what, text string
		check            func(*tensor.Value) float64
	}{
		{"reach of one node", "reach", "input A: graph\nR = reach(A, 0)\n", total},
		{"distances from one node", "distances", "input A: graph\nD = dist(A, 0)\n", positive},
		{"strong components", "components", "input A: graph\nS = scc(A)\n", parts},
	} {
		s.rows = append(s.rows, func(e *env) row {
			shared(e)
			own := e.compiled(c.text, func() values { return values{"A": g.lists()} }, c.check)
			return e.onGraph(c.name, c.what, g, []contender{own}, names, nil)
		})
	}
	// An undirected graph is bound with each edge once: triangles does not ask
	// which way an edge goes.
	for _, c := range []struct{ name, what string }{{"triangles", "triangles"}, {"triangles, from the edges", "edges to triangles"}} {
		s.rows = append(s.rows, func(e *env) row {
			g = nil
			u := e.uniform(n, edges, undirected)
			once := *u
			once.directed = true
			ours := e.compiled
			if c.what != "triangles" {
				ours = e.fromText
			}
			own := ours("input A: graph\nT = triangles(A)\n", func() values { return values{"A": once.lists()} }, total)
			return e.onGraph(c.name, c.what, u, []contender{own}, names, nil)
		})
	}
	return s
}

// questions are those that people bring to a graph.
func questions(quick bool) section {
	n, edges, few, some := 100_000, 1_000_000, 2_000, 20_000
	if quick {
		n, edges, few, some = 10_000, 100_000, 200, 2_000
	}
	s := section{
		title: "Questions about graphs",
		text: fmt.Sprintf("%d nodes and %d edges, uniform at random; betweenness and maximum flow: %d and %d. Weights are whole numbers\n", n, edges, few, some) +
			"from 1 to 997. PageRank takes as many steps as its precision needs, in Ein at most 100. Peers use the function of the same\n" +
			"name; a maximum flow is Dinic's in scipy and Ein, a preflow in the others.",
	}
	all, graphs := []string{"igraph", "scipy", "networkx"}, []string{"igraph", "networkx"}
	for _, c := range []struct {
		name, text string
		kind       string
		n, edges   int
		peers      []string
		check      func(*tensor.Value) float64
		tolerance  float64
	}{
		{"wdist", "input W: matrix\nD = wdist(W, 0, -1)\n", directed, n, edges, all, positive, 0},
		{"wpath", "input W: matrix\nP = wpath(W, 0, 1)\n", directed, n, edges, all, largest, 0},
		{"wcc", "input W: matrix\nS = wcc(W)\n", directed, n, edges, all, parts, 0},
		{"topo_order", "input W: matrix\nO = topo_order(W)\n", acyclic, n, edges, graphs, total, 0},
		{"bridges", "input W: matrix\nB = bridges(W)\n", undirected, n, 2 * n, graphs, total, 0},
		{"cut_nodes", "input W: matrix\nC = cut_nodes(W)\n", undirected, n, 2 * n, graphs, total, 0},
		{"bridges", "input W: matrix\nB = bridges(W)\n", undirected, n, edges, graphs, total, 0},
		{"cut_nodes", "input W: matrix\nC = cut_nodes(W)\n", undirected, n, edges, graphs, total, 0},
		{"core_number", "input W: matrix\nC = core_number(W)\n", undirected, n, edges, graphs, total, 0},
		{"pagerank", "input W: matrix\nP = pagerank(W)\n", directed, n, edges, graphs, largest, 1e-3},
		{"mst", "input W: matrix\nF = mst(W)\n", undirected, n, edges, all, total, 0},
		{"betweenness", "input W: matrix\nB = betweenness(W)\n", directed, few, some, graphs, total, 1e-9},
		{"maxflow", "input W: matrix\nF = maxflow(W, 0, 1)\n", directed, few, some, all, total, 0},
	} {
		s.rows = append(s.rows, func(e *env) row {
			kind := c.kind
			if kind == acyclic {
				kind = undirected // pairs in one order
			}
			g := e.uniform(c.n, c.edges, kind)
			g.directed = c.kind != undirected
			own := e.compiled(c.text, func() values { return values{"W": g.weighted()} }, c.check)
			name := c.name
			if c.edges == 2*n {
				name = fmt.Sprintf("%s, %d edges", name, c.edges)
			}
			r := e.onGraph(name, c.name, g, []contender{own}, c.peers, nil)
			r.tolerance = c.tolerance
			return r
		})
	}
	return s
}

// sparse has expressions and products of matrices with few entries, which stay sparse.
func sparse(quick bool) section {
	n, edges := 100_000, 1_000_000
	if quick {
		n, edges = 10_000, 100_000
	}
	s := section{
		title: "Sparse matrices",
		text:  fmt.Sprintf("%d nodes and %d weighted edges, uniform at random. scipy: the same operations of `csr_matrix`; the second is a product\nwith a diagonal matrix.", n, edges),
	}
	for _, c := range []struct{ name, what, text string }{
		{"W > 500", "compare", "B = W > 500\n"},
		{"W[i,j] / max(S[i], 1)", "shares", "S[i] = W[i,j]\nP[i,j] = W[i,j] / max(S[i], 1)\n"},
		{"max(W, transpose(W))", "symmetric", "M = max(W, transpose(W))\n"},
		{"W[i,j] W[j,k]", "square", "P[i,k] = W[i,j] W[j,k]\n"},
	} {
		s.rows = append(s.rows, func(e *env) row {
			g := e.uniform(n, edges, directed)
			own := e.compiled("input W: matrix\n"+c.text, func() values { return values{"W": g.weighted()} }, total)
			r := e.onGraph(c.name, c.what, g, []contender{own}, []string{"scipy"}, nil)
			r.tolerance = 1e-9
			return r
		})
	}
	return s
}

// orders sorts and ranks a vector.
func orders(quick bool) section {
	s := section{title: "Sorting and ranking", text: "Vectors of random numbers. numpy: `sort`, and for ranks the inverse of a stable `argsort`."}
	for _, side := range []int{10, 100, 1000} {
		if quick && side > 100 {
			continue
		}
		for _, what := range []string{"sort", "rank"} {
			s.rows = append(s.rows, func(e *env) row {
				v, file := e.real("v", side)
				v.Shape = tensor.ShapeOf(side * side)
				own := e.compiled("input v: vector\nR = "+what+"(v)\n", func() values { return values{"v": v} }, ordered)
				return row{name: fmt.Sprintf("%s, n=%d", what, side*side), tolerance: 1e-9,
					contenders: []contender{own, e.peer("numpy", message{"case": what, "operands": []string{file}})}}
			})
		}
	}
	return s
}

// onMatrices is a program of one equation on random matrices A, B, ... of n by n.
func (e *env) onMatrices(name, ein string, n, operands int) (r row, files []string) {
	text, inputs := "", values{}
	for i := range operands {
		operand := string(rune('A' + i))
		v, file := e.real(operand, n)
		text += "input " + operand + ": matrix\n"
		inputs[operand], files = v, append(files, file)
	}
	own := e.compiled(text+ein+"\n", func() values { return inputs }, total)
	return row{name: fmt.Sprintf("%s, n=%d", name, n), tolerance: 1e-9, contenders: []contender{own}}, files
}

// contractions has products of dense matrices and sums of them, at sizes from where the call is
// what costs to where memory is.
func contractions(quick bool) section {
	s := section{
		title: "Contractions of float64 matrices",
		text: "Compiled programs of one equation, run by the machine, against `np.einsum` with and without `optimize=True`, opt_einsum, and\n" +
			"`A @ B` where that is the same: numpy's, torch's and that of BLIS.",
	}
	list := []struct {
		spec, ein string
		sizes     []int
	}{
		{"ij,jk->ik", "C[i,k] = A[i,j] B[j,k]", []int{6, 64, 128, 256, 384, 500, 1024, 2048}},
		{"ij,kj->ik", "C[i,k] = A[i,j] B[k,j]", []int{6, 64, 500}},
		{"ij,ij->", "s = A[i,j] B[i,j]", []int{6, 64, 500}},
		{"ij->i", "v[i] = A[i,j]", []int{6, 64, 500}},
		{"ij,jk,ki->", "s = A[i,j] B[j,k] C[k,i]", []int{6, 64, 500}},
	}
	for _, c := range list {
		for _, n := range c.sizes {
			if quick && n > 256 {
				continue
			}
			s.rows = append(s.rows, func(e *env) row {
				r, files := e.onMatrices(c.spec, c.ein, n, 1+strings.Count(c.spec, ","))
				peers := []string{"np.einsum", "np.einsum optimize", "opt_einsum"}
				if c.spec == "ij,jk->ik" {
					peers = append([]string{"numpy", "torch", "BLIS"}, peers...)
				}
				for _, peer := range peers {
					p := e.peer(peer, message{"case": "einsum", "spec": c.spec, "operands": files})
					if peer == "np.einsum" && (n > 1024 || c.spec == "ij,jk,ki->" && n > 64) {
						p.why = "it runs over all i, j and k"
					}
					r.contenders = append(r.contenders, p)
				}
				return r
			})
		}
	}
	return s
}

// elementwise has expressions of several operations, where one pass saves matrices in between.
func elementwise(quick bool) section {
	s := section{
		title: "Elementwise expressions and sums",
		text:  "Float64 matrices of n by n. The same expression in Python: numpy and torch make a matrix of each operation, Ein one pass of all.",
	}
	for _, c := range []struct {
		ein, python string
		operands    int
	}{
		{"C = A + B", "A + B", 2},
		{"C = A * B", "A * B", 2},
		{"C = A > B", "A > B", 2},
		{"C = exp(A)", "exp(A)", 1},
		{"C = sqrt(A * A + B * B) / 2.0 - 1.0", "sqrt(A * A + B * B) / 2.0 - 1.0", 2},
		{"C = exp(0.0 - A * A) * B", "exp(-A * A) * B", 2},
		{"s = sum(A)", "A.sum()", 1},
		{"v[i] = A[i,j]", "A.sum(1)", 1},
		{"v[j] = A[i,j]", "A.sum(0)", 1},
		{"v[i] max= A[i,j]", "amax(A, 1)", 1},
	} {
		for _, n := range []int{8, 64, 500, 2000} {
			if quick && n > 64 {
				continue
			}
			s.rows = append(s.rows, func(e *env) row {
				r, files := e.onMatrices(c.ein, c.ein, n, c.operands)
				for _, peer := range []string{"numpy", "torch"} {
					r.contenders = append(r.contenders, e.peer(peer, message{"case": "elementwise", "python": c.python, "operands": files}))
				}
				return r
			})
		}
	}
	return s
}

// loading reads a graph from text.
func loading(quick bool) section {
	s := section{
		title: "Loading a file of edges",
		text: "From a file in the page cache to the built graph. numpy + scipy: `loadtxt` and `csr_matrix`; igraph: `Read_Edgelist`, of a\n" +
			"file with blanks instead of commas, as it reads no other.",
	}
	n, edges := 1_000_000, 10_000_000
	if quick {
		n, edges = 10_000, 100_000
	}
	s.rows = append(s.rows, func(e *env) row {
		g := e.uniform(n, edges, directed)
		csv := e.text(g, "edges.csv", ",")
		blanks := e.text(g, "edges.txt", " ")
		var last tensor.Value
		m := func() message { return message{"case": "load", "csv": csv, "blanks": blanks, "n": n} }
		return row{name: fmt.Sprintf("%d edges", len(g.src)), contenders: []contender{
			{name: "Ein", start: func() (sampler, error) {
				return ours(func() (err error) {
					last, err = readGraph(csv)
					return err
				}, func() float64 { return float64(last.CSR.NNZ()) })
			}},
			e.peer("numpy + scipy", m()),
			e.peer("igraph", m()),
		}}
	})
	return s
}

// readGraph does what ein does with a file of edges, from opening it to the bound value.
func readGraph(path string) (tensor.Value, error) {
	f, err := os.Open(path)
	if err != nil {
		return tensor.Value{}, err
	}
	raw, err := graphio.Read(f, path, graphio.Options{})
	if err := errors.Join(err, f.Close()); err != nil {
		return tensor.Value{}, err
	}
	vals, _, _, err := graphio.Bind([]graphio.Decl{{Name: "A", Raw: raw}}, nil)
	if err != nil {
		return tensor.Value{}, err
	}
	return vals[0], nil
}
