package stdlib

import (
	"math"
	"strings"

	"ein/internal/codes"
	"ein/internal/lists"
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/tensor"
)

// Builtins is every function of the language that is not written in Ein. What users read of a
// function, in `ein doc`, in an editor and in messages, comes from its entry; a test runs each
// Example and compares its Output.
var Builtins = []Builtin{
	{
		Name: "edges", Params: []Param{{Name: "L", Doc: "list of pairs, or a square matrix of 3 or more rows"}, {Name: "n", Doc: "number of nodes", Optional: true}}, Form: Literal,
		Result: "0/1 matrix, n x n", Group: "Constructors", Cost: "the length of L",
		Doc:     "adjacency matrix of a graph from its list of [source, target] pairs",
		Example: "A = edges([[0,1],[1,2]], 4)\n:print sum(A, 1)", Output: "sum(A, 1) = [1, 1, 0, 0]",
	},
	{
		Name: "adj", Params: []Param{{Name: "M", Doc: "square matrix of 0 and 1"}}, Form: Literal,
		Result: "0/1 matrix, n x n", Group: "Constructors", Cost: "the size of M",
		Doc:     "adjacency matrix given row by row; never read as a list of pairs",
		Example: "A = adj([[0,1],[0,0]])\n:print A", Output: "A =\n  [0, 1]\n  [0, 0]",
	},
	{
		Name: "vec", Params: []Param{{Name: "L", Doc: "list of numbers"}, {Name: "n", Doc: "its length", Optional: true}}, Form: Literal,
		Result: "vector", Group: "Constructors", Cost: "the length of L",
		Doc:     "vector of the given numbers; the same as the list alone",
		Example: "v = vec([1,0,1], 3)\n:print v", Output: "v = [1, 0, 1]",
	},
	{
		Name: "ones", Params: []Param{{Name: "n", Doc: "size"}, {Name: "m", Doc: "second size", Optional: true}},
		Result: "vector of length n, or n x m matrix", Group: "Constructors", Cost: "n*m",
		Doc:     "tensor of ones",
		Example: ":print ones(3)", Output: "ones(3) = [1, 1, 1]",
		Lower: func(c *Call) *ir.Node { return c.filled(1) },
	},
	{
		Name: "zeros", Params: []Param{{Name: "n", Doc: "size"}, {Name: "m", Doc: "second size", Optional: true}},
		Result: "vector of length n, or n x m matrix", Group: "Constructors", Cost: "n*m",
		Doc:     "tensor of zeros",
		Example: ":print zeros(2, 3)", Output: "zeros(2, 3) =\n  [0, 0, 0]\n  [0, 0, 0]",
		Lower: func(c *Call) *ir.Node { return c.filled(0) },
	},
	{
		Name: "range", Params: []Param{{Name: "n", Doc: "size"}},
		Result: "vector of length n", Group: "Constructors", Cost: "n * log(n)",
		Doc:     "the numbers 0 to n-1",
		Example: ":print range(4)", Output: "range(4) = [0, 1, 2, 3]",
		Instead: "It counts from 0: `range(3) + 1` is 1 to 3, and `2 * range(3)` is 0, 2, 4.",
		Lower:   func(c *Call) *ir.Node { return c.Order(ir.Rank, c.filled(0)) },
	},
	{
		Name: "eye", Params: []Param{{Name: "n", Doc: "size"}},
		Result: "n x n matrix", Group: "Constructors", Cost: "n*n",
		Doc:     "identity matrix",
		Example: ":print eye(2)", Output: "eye(2) =\n  [1, 0]\n  [0, 1]",
		Lower: func(c *Call) *ir.Node { return c.Eye(c.size(0)) },
	},
	{
		Name: "default", Params: []Param{{Name: "T", Doc: "relation defined by min=, max= or +="}, {Name: "x", Doc: "number"}}, Form: Relational,
		Result: "tensor with an axis for each column of nodes", Group: "Constructors", Cost: "the number of elements",
		Doc:     "the values of a relation as a tensor, with x where no rule gives one",
		Example: "Flow(a, b). Flow(b, c). Flow(d, a).\nHops[\"a\"] min= 0.\nHops[y] min= Hops[x] + 1 <- Flow(x, y).\n:print default(Hops, -1)", Output: "default(Hops, -1) = [0, 1, 2, -1]",
	},
	{
		Name: "tc", Params: []Param{{Name: "A", Doc: "graph"}},
		Result: "0/1 matrix", Group: "Graphs", Cost: "n * n * n / 64 at most; one search when only a row or an element is used",
		Doc:     "transitive closure: TC[i,j] = 1 iff a path of at least one edge leads from i to j; TC[i,i] = 1 iff i is on a cycle",
		Example: "A = edges([[0,1],[1,2]], 3)\n:print tc(A)", Output: "tc(A) =\n  [0, 1, 1]\n  [0, 0, 1]\n  [0, 0, 0]",
		Lower: func(c *Call) *ir.Node { return c.onGraph(ir.Closure) },
	},
	{
		Name: "desc", Params: []Param{{Name: "A", Doc: "graph"}, {Name: "i", Doc: "node"}},
		Result: "0/1 vector", Group: "Graphs", Cost: "n + edges",
		Doc:     "the nodes that i reaches, never i itself (not even on a cycle)",
		Example: "A = edges([[0,1],[1,0],[1,2]], 4)\n:print desc(A, 0)", Output: "desc(A, 0) = [0, 1, 1, 0]",
		Lower: func(c *Call) *ir.Node { return c.walk(op.WalkDesc, false) },
	},
	{
		Name: "reach", Params: []Param{{Name: "A", Doc: "graph"}, {Name: "i", Doc: "node"}},
		Result: "0/1 vector", Group: "Graphs", Cost: "n + edges",
		Doc:     "the nodes that i reaches, and always i itself",
		Example: "A = edges([[0,1],[1,2]], 4)\n:print reach(A, 1)", Output: "reach(A, 1) = [0, 1, 1, 0]",
		Lower: func(c *Call) *ir.Node { return c.walk(op.WalkReach, false) },
	},
	{
		Name: "anc", Params: []Param{{Name: "A", Doc: "graph"}, {Name: "i", Doc: "node"}},
		Result: "0/1 vector", Group: "Graphs", Cost: "n + edges",
		Doc:     "the nodes that reach i, never i itself",
		Example: "A = edges([[0,1],[1,2]], 4)\n:print anc(A, 2)", Output: "anc(A, 2) = [1, 1, 0, 0]",
		Lower: func(c *Call) *ir.Node { return c.walk(op.WalkDesc, true) },
	},
	{
		Name: "has_path", Params: []Param{{Name: "A", Doc: "graph"}, {Name: "i", Doc: "node"}, {Name: "j", Doc: "node"}},
		Result: "0 or 1", Group: "Graphs", Cost: "n + edges",
		Doc:     "1 iff a path of at least one edge leads from i to j: tc(A)[i, j]",
		Example: "A = edges([[0,1],[1,2]], 3)\n:print has_path(A, 0, 2)", Output: "has_path(A, 0, 2) = 1",
		Lower: func(c *Call) *ir.Node {
			n := c.onGraph(ir.HasPath)
			if n == nil {
				return nil
			}
			i, j := c.Args[1], c.Args[2]
			x, okx := i.Static()
			y, oky := j.Static()
			if okx && oky && x == y {
				c.Notes = append(c.Notes, Problem{Code: codes.W0305, Arg: -1,
					Message: "has_path from a node to itself is 1 only when the node is on a cycle",
					Hint:    "a path has at least one edge"})
			}
			return n
		},
	},
	{
		Name: "scc", Params: []Param{{Name: "A", Doc: "graph"}},
		Result: "0/1 matrix", Group: "Graphs", Cost: "n + edges",
		Doc:     "strongly connected components: S[i,j] = 1 iff i = j or each reaches the other",
		Example: "A = edges([[0,1],[1,0],[1,2]], 3)\n:print scc(A)", Output: "scc(A) =\n  [1, 1, 0]\n  [1, 1, 0]\n  [0, 0, 1]",
		Lower: func(c *Call) *ir.Node { return c.onGraph(ir.SCC) },
	},
	{
		Name: "triangles", Params: []Param{{Name: "A", Doc: "graph"}},
		Result: "count", Group: "Graphs", Cost: "n * n * n / 64, or edges * sqrt(edges)",
		Doc:     "number of undirected triangles; an edge in either direction joins two nodes, self-loops do not count",
		Example: "A = edges([[0,1],[1,2],[2,0],[2,3]], 4)\n:print triangles(A)", Output: "triangles(A) = 1",
		Lower: func(c *Call) *ir.Node { return c.onGraph(ir.Triangles) },
	},
	{
		Name: "node", Params: []Param{{Name: "A", Doc: "graph"}, {Name: "i", Doc: "node"}},
		Result: "0/1 vector", Group: "Graphs", Cost: "n",
		Doc:     "the set that holds node i alone: a 1 at position i",
		Example: "A = edges([[0,1]], 3)\n:print node(A, 1)", Output: "node(A, 1) = [0, 1, 0]",
		Lower: func(c *Call) *ir.Node {
			return c.ofNode(func(g, i *ir.Node) *ir.Node { return c.OneHot(i, g.Type.Shape.Dim(0)) })
		},
	},
	{
		Name: "closed_walks", Params: []Param{{Name: "A", Doc: "graph, or matrix of weights"}, {Name: "k", Doc: "length, 1 to 8"}},
		Result: "count", Group: "Graphs", Cost: "k-1 matrix products at most",
		Doc:     "trace of the k-th power of A: the number of closed walks of k edges, each counted once for every node it can start from; of a matrix of weights, the sum of their products",
		Example: "A = edges([[0,1],[1,2],[2,0]], 3)\n:print closed_walks(A, 3)", Output: "closed_walks(A, 3) = 3",
		Lower: func(c *Call) *ir.Node {
			g := c.graph(0)
			v, ok := c.Args[1].Static()
			if v != v && c.Unknown {
				v = 1 // not known until the inputs are bound
			}
			if c.Problem == nil && !(ok && v == math.Trunc(v) && v >= 1 && v <= 8) {
				c.fail(codes.E0314, 1, "", "the length of a walk must be a whole number from 1 to 8, known before the program runs")
			}
			if c.Problem != nil {
				return nil
			}
			k, spec := int(v), &op.Spec{}
			args := make([]*ir.Node, k)
			for i := range k {
				args[i] = g
				spec.In = append(spec.In, []uint8{uint8(i), uint8((i + 1) % k)})
				spec.Size = append(spec.Size, g.Type.Shape.Dim(0))
			}
			return c.Einsum(spec, args...)
		},
	},
	{
		Name: "path", Params: []Param{{Name: "A", Doc: "graph"}, {Name: "i", Doc: "node"}, {Name: "j", Doc: "node"}},
		Result: "vector of positions", Group: "Graphs", Cost: "n + edges",
		Doc:     "evidence: the position of each node on one shortest path from i to j (0 at i, lowest nodes first), or -1 for nodes off it; all -1 if there is no path",
		Example: "A = edges([[0,2],[2,1],[0,3]], 4)\n:print path(A, 0, 1)", Output: "path(A, 0, 1) = [0, 2, 1, -1]",
		Lower: func(c *Call) *ir.Node { return c.onGraph(ir.Path) },
	},
	{
		Name: "dist", Params: []Param{{Name: "A", Doc: "graph"}, {Name: "i", Doc: "node"}},
		Result: "vector", Group: "Graphs", Cost: "n + edges",
		Doc:     "number of edges on a shortest path from i to each node, -1 where there is none",
		Example: "A = edges([[0,1],[1,2]], 4)\n:print dist(A, 0)", Output: "dist(A, 0) = [0, 1, 2, -1]",
		Lower: func(c *Call) *ir.Node { return c.onGraph(ir.Dist) },
	},
	{
		Name: "wdist", Params: []Param{{Name: "W", Doc: "matrix of weights"}, {Name: "i", Doc: "node"}, {Name: "x", Doc: "value where there is no path", Optional: true}},
		Result: "vector", Group: "Graphs", Cost: "(n + edges) * log(n); n * edges where weights can be negative",
		Doc:     "least sum of the weights on a path from i to each node, infinity or x where there is none; 0 is no edge; a negative cycle is an error",
		Example: "W = [[0,2,7],[0,0,3],[0,0,0]]\n:print wdist(W, 0), wdist(W, 1, -1)", Output: "wdist(W, 0) = [0, 2, 5]\nwdist(W, 1, -1) = [-1, 0, 3]",
		Lower: func(c *Call) *ir.Node {
			return c.ofNode(func(g, i *ir.Node) *ir.Node {
				far := c.Number(math.Inf(1))
				if len(c.Args) == 3 {
					far = c.Args[2]
				}
				if far.Rank() > 0 {
					c.fail(codes.E0310, 2, "", "the value where there is no path must be a single number, found %s", Describe(far.Type.Shape))
					return nil
				}
				return c.Graph(ir.WDist, g, i, far)
			})
		},
	},
	{
		Name: "wpath", Params: []Param{{Name: "W", Doc: "matrix of weights"}, {Name: "i", Doc: "node"}, {Name: "j", Doc: "node"}},
		Result: "vector of positions", Group: "Graphs", Cost: "(n + edges) * log(n); n * edges where weights can be negative",
		Doc:     "evidence: the position of each node on one path of least weight from i to j (fewest edges, then lowest nodes first), or -1 for nodes off it; all -1 if there is no path",
		Example: "W = [[0,2,7],[0,0,3],[0,0,0]]\n:print wpath(W, 0, 2)", Output: "wpath(W, 0, 2) = [0, 1, 2]",
		Lower: func(c *Call) *ir.Node { return c.onGraph(ir.WPath) },
	},
	{
		Name: "wcc", Params: []Param{{Name: "A", Doc: "graph"}},
		Result: "0/1 matrix", Group: "Graphs", Cost: "(n + edges) * log(n)",
		Doc:     "weakly connected components: S[i,j] = 1 iff edges, taken in either direction, lead from i to j, or i = j",
		Example: "A = edges([[0,1],[2,1]], 4)\n:print wcc(A)", Output: "wcc(A) =\n  [1, 1, 1, 0]\n  [1, 1, 1, 0]\n  [1, 1, 1, 0]\n  [0, 0, 0, 1]",
		Lower: func(c *Call) *ir.Node { return c.onGraph(ir.Weak) },
	},
	{
		Name: "components", Params: []Param{{Name: "A", Doc: "graph"}},
		Result: "vector", Group: "Graphs", Cost: "(n + edges) * log(n)",
		Doc:     "the number of the weakly connected component of each node, counted from 0 in the order of their lowest nodes; components(scc(A)) numbers the strong ones",
		Example: "A = edges([[0,2],[2,0],[1,0]], 4)\n:print components(A), components(scc(A))", Output: "components(A) = [0, 0, 0, 1]\ncomponents(scc(A)) = [0, 1, 0, 2]",
		Lower: func(c *Call) *ir.Node {
			return c.ofGraph(func(g *ir.Node) *ir.Node {
				if g.Op != ir.SCC && g.Op != ir.Weak {
					g = c.Graph(ir.Weak, g)
				}
				return c.Graph(ir.Groups, g)
			})
		},
	},
	{
		Name: "topo_order", Params: []Param{{Name: "A", Doc: "graph"}},
		Result: "vector of positions", Group: "Graphs", Cost: "(n + edges) * log(n)",
		Doc:     "the position of each node in an order in which every edge leads forward, lowest nodes first; a cycle is an error that names its nodes",
		Example: "A = edges([[2,0],[0,1]], 3)\n:print topo_order(A)", Output: "topo_order(A) = [1, 2, 0]",
		Lower: func(c *Call) *ir.Node { return c.onGraph(ir.TopoOrder) },
	},
	{
		Name: "bridges", Params: []Param{{Name: "A", Doc: "graph"}},
		Result: "0/1 matrix", Group: "Graphs", Cost: "n + edges",
		Doc:     "the edges that must not fail: B[i,j] = B[j,i] = 1 iff an edge, in either direction, is all that joins its ends",
		Example: "A = edges([[0,1],[1,2],[2,0],[2,3]], 4)\n:print bridges(A)", Output: "bridges(A) =\n  [0, 0, 0, 0]\n  [0, 0, 0, 0]\n  [0, 0, 0, 1]\n  [0, 0, 1, 0]",
		Lower: func(c *Call) *ir.Node { return c.onUndirected(ir.Bridges) },
	},
	{
		Name: "cut_nodes", Params: []Param{{Name: "A", Doc: "graph"}},
		Result: "0/1 vector", Group: "Graphs", Cost: "n + edges",
		Doc:     "the nodes that must not fail (articulation points): without one its component falls apart; the direction of edges does not count",
		Example: "A = edges([[0,1],[1,2],[2,0],[2,3]], 4)\n:print cut_nodes(A)", Output: "cut_nodes(A) = [0, 0, 1, 0]",
		Lower: func(c *Call) *ir.Node { return c.onUndirected(ir.CutNodes) },
	},
	{
		Name: "core_number", Params: []Param{{Name: "A", Doc: "graph"}},
		Result: "vector", Group: "Graphs", Cost: "n + edges",
		Doc:     "the largest k for which a node is in the k-core, where each has k neighbours: core_number(A) >= k is the k-core; neither direction nor self-loops count",
		Example: "A = edges([[0,1],[1,2],[2,0],[2,3]], 5)\n:print core_number(A)", Output: "core_number(A) = [2, 2, 2, 1, 0]",
		Lower: func(c *Call) *ir.Node { return c.onUndirected(ir.Cores) },
	},
	{
		Name: "pagerank", Params: []Param{{Name: "W", Doc: "graph, or matrix of weights from 0"}, {Name: "d", Doc: "damping, 0.85 if left out", Optional: true}},
		Result: "vector that adds up to 1", Group: "Graphs", Cost: "100 * (n + edges)",
		Doc:     "the share of time that a walk is at each node, after at most 100 steps: with probability d along an edge, by weight, else (and where no edge leads on) to any node",
		Example: "A = edges([[0,1],[1,0]], 2)\n:print pagerank(A)", Output: "pagerank(A) = [0.5, 0.5]",
		Lower: func(c *Call) *ir.Node {
			return c.ofGraph(func(g *ir.Node) *ir.Node {
				damp := c.Number(0.85)
				if len(c.Args) == 2 {
					damp = c.Args[1]
				}
				if x, ok := damp.Static(); damp.Rank() > 0 || ok && !(x >= 0 && x <= 1) {
					c.fail(codes.E0312, 1, "", "the damping must be a single number from 0 to 1")
					return nil
				}
				return c.Graph(ir.PageRank, g, damp)
			})
		},
	},
	{
		Name: "mst", Params: []Param{{Name: "W", Doc: "matrix of weights"}},
		Result: "matrix", Group: "Graphs", Cost: "(n + edges) * log(n)",
		Doc:     "minimum spanning forest: the entries of W, in either direction, of least total weight that connect all nodes that W connects; 0 elsewhere",
		Example: "W = [[0,1,4],[0,0,2],[0,0,0]]\n:print mst(W), sum(mst(W))", Output: "mst(W) =\n  [0, 1, 0]\n  [0, 0, 2]\n  [0, 0, 0]\nsum(mst(W)) = 3",
		Lower: func(c *Call) *ir.Node { return c.onGraph(ir.SpanningForest) },
	},
	{
		Name: "mincut", Params: []Param{{Name: "W", Doc: "matrix of capacities from 0"}, {Name: "i", Doc: "node"}, {Name: "j", Doc: "node"}},
		Result: "matrix", Group: "Graphs", Cost: "n * n * edges at most, usually far less: metered",
		Doc:     "evidence: the entries of W in a cut of the least weight that separates j from i, 0 elsewhere; they add up to maxflow(W, i, j); of several such cuts the one nearest to i",
		Example: "W = [[0,3,2,0],[0,0,1,1],[0,0,0,4],[0,0,0,0]]\n:print mincut(W, 0, 3)", Output: "mincut(W, 0, 3) =\n  [0, 0, 2, 0]\n  [0, 0, 1, 1]\n  [0, 0, 0, 0]\n  [0, 0, 0, 0]",
		Lower: func(c *Call) *ir.Node { return c.onGraph(ir.MinCut) },
	},
	{
		Name: "maxflow", Params: []Param{{Name: "W", Doc: "matrix of capacities from 0"}, {Name: "i", Doc: "node"}, {Name: "j", Doc: "node"}},
		Result: "number", Group: "Graphs", Cost: "n * n * edges at most, usually far less: metered",
		Doc:     "the most that can flow from i to j when each edge carries at most its weight: the weight of mincut(W, i, j); of a graph without weights, how many paths there are that share no edge",
		Example: "W = [[0,3,2,0],[0,0,1,1],[0,0,0,4],[0,0,0,0]]\n:print maxflow(W, 0, 3)", Output: "maxflow(W, 0, 3) = 4",
		Lower: func(c *Call) *ir.Node {
			cut := c.onGraph(ir.MinCut)
			if cut == nil {
				return nil
			}
			return c.Sum(cut, 0, 1)
		},
	},
	{
		Name: "betweenness", Params: []Param{{Name: "A", Doc: "graph"}},
		Result: "vector", Group: "Graphs", Cost: "n * (n + edges)",
		Doc:     "the sum, over all ordered pairs of other nodes, of the share of the shortest paths between them that lead through a node; not divided by the number of pairs",
		Example: "A = edges([[0,1],[1,2],[0,3],[3,2]], 4)\n:print betweenness(A)", Output: "betweenness(A) = [0, 0.5, 0, 0.5]",
		Lower: func(c *Call) *ir.Node { return c.onGraph(ir.Betweenness) },
	},

	reduction("sum", "adds up", ":print sum([[1,2],[3,4]], 1)", "sum([[1,2],[3,4]], 1) = [3, 7]"),
	reduction("mean", "averages", ":print mean([1,2,6])", "mean([1,2,6]) = 3"),
	{
		Name: "max", Params: []Param{{Name: "T", Doc: "tensor"}, {Name: "b", Doc: "second tensor of an elementwise maximum", Optional: true}, {Name: "axis", Doc: "axis to drop", Optional: true, Named: true}}, Form: Reduction, Fn: op.FnMax,
		Result: "scalar, or T without the axis; with two arguments their elementwise maximum", Group: "Reductions", Cost: "the size of T",
		Doc:     "largest element; max(T, axis=1) along an axis; max(a, b) elementwise",
		Example: "M = [[1,5],[7,2]]\n:print max(M), max(M, axis=1), max(M, 3)", Output: "max(M) = 7\nmax(M, axis=1) = [5, 7]\nmax(M, 3) =\n  [3, 5]\n  [7, 3]",
	},
	{
		Name: "min", Params: []Param{{Name: "T", Doc: "tensor"}, {Name: "b", Doc: "second tensor of an elementwise minimum", Optional: true}, {Name: "axis", Doc: "axis to drop", Optional: true, Named: true}}, Form: Reduction, Fn: op.FnMin,
		Result: "scalar, or T without the axis; with two arguments their elementwise minimum", Group: "Reductions", Cost: "the size of T",
		Doc:     "smallest element; min(T, axis=1) along an axis; min(a, b) elementwise",
		Example: "M = [[1,5],[7,2]]\n:print min(M), min(M, axis=0)", Output: "min(M) = 1\nmin(M, axis=0) = [1, 2]",
	},
	reduction("argmax", "gives the index of the largest element (the lowest among equals)", ":print argmax([3,9,9])", "argmax([3,9,9]) = 1"),
	reduction("argmin", "gives the index of the smallest element (the lowest among equals)", ":print argmin([3,1,1])", "argmin([3,1,1]) = 1"),
	reduction("count", "counts the elements that are not 0", ":print count([0,2,0,5])", "count([0,2,0,5]) = 2"),

	{
		Name: "trace", Params: []Param{{Name: "A", Doc: "square matrix"}},
		Result: "scalar", Group: "Structure", Cost: "n; fused with the product below it",
		Doc:     "sum of the diagonal",
		Example: ":print trace([[1,2],[3,4]])", Output: "trace([[1,2],[3,4]]) = 5",
		Lower: func(c *Call) *ir.Node {
			return c.ofGraph(func(a *ir.Node) *ir.Node {
				return c.View(a, []uint8{0, 0}, nil, a.Type.Shape.Dims()[:1])
			})
		},
	},
	{
		Name: "diag", Params: []Param{{Name: "T", Doc: "square matrix or vector"}},
		Result: "the diagonal as a vector, or a diagonal matrix", Group: "Structure", Cost: "n, or n*n",
		Doc:     "the diagonal of a matrix, or the matrix with a vector on its diagonal",
		Example: ":print diag([[1,2],[3,4]]), diag([5,6])", Output: "diag([[1,2],[3,4]]) = [1, 4]\ndiag([5,6]) =\n  [5, 0]\n  [0, 6]",
		Lower: func(c *Call) *ir.Node {
			a := c.Args[0]
			if a.Rank() == 1 {
				return c.View(a, []uint8{0}, []uint8{0, 0}, a.Type.Shape.Dims())
			}
			if a.Rank() != 2 {
				c.fail(codes.E0310, 0, "", "diag takes a matrix or a vector, found %s", Describe(a.Type.Shape))
				return nil
			}
			if rows, cols := a.Type.Shape.Dim(0), a.Type.Shape.Dim(1); !tensor.SizeFits(rows, cols) {
				return c.rectangularDiagonal(a, rows, cols)
			}
			return c.View(a, []uint8{0, 0}, []uint8{0}, a.Type.Shape.Dims()[:1])
		},
	},
	{
		Name: "transpose", Params: []Param{{Name: "A", Doc: "tensor"}, {Name: "a", Doc: "axis", Optional: true}, {Name: "b", Doc: "axis", Optional: true}},
		Result: "tensor", Group: "Structure", Cost: "the size of A, or nothing when the product below can read it that way",
		Doc:     "swaps the two axes of a matrix, or axes a and b of any tensor",
		Example: ":print transpose([[1,2],[3,4]])", Output: "transpose([[1,2],[3,4]]) =\n  [1, 3]\n  [2, 4]",
		Lower: func(c *Call) *ir.Node {
			t, p, q := c.Args[0], 0, 1
			switch len(c.Args) {
			case 1:
				c.matrix(0)
			case 2:
				c.fail(codes.E0313, -1, "write transpose(A), or transpose(A, a, b)", "transpose takes no axes or two")
			case 3:
				p, q = c.CheckAxis(1, c.Args[1], t), c.CheckAxis(2, c.Args[2], t)
			}
			if c.Problem != nil {
				return nil
			}
			perm := append([]uint8(nil), ir.Axes(t.Rank())...)
			perm[p], perm[q] = perm[q], perm[p]
			return c.Transpose(t, perm)
		},
	},
	{
		Name: "select", Params: []Param{{Name: "T", Doc: "tensor"}, {Name: "i", Doc: "position, label or index of the left side"}, {Name: "...", Doc: "one for each axis", Optional: true}}, Form: Indexing,
		Result: "element, row or slice", Group: "Structure", Cost: "the size of what is selected",
		Doc:     "T[i, ...]: one position for each axis; an index of the left side slices",
		Example: "A = edges([[0,1],[1,2]], 3)\nRow[j] = select(A, 1, j)\n:print select(A, 0, 1), Row", Output: "select(A, 0, 1) = 1\nRow = [0, 0, 1]",
	},
	{
		Name: "sort", Params: []Param{{Name: "v", Doc: "vector"}},
		Result: "vector", Group: "Structure", Cost: "n * log(n)",
		Doc:     "the elements of v, the least first; -sort(-v) has the largest first",
		Example: ":print sort([3,1,2])", Output: "sort([3,1,2]) = [1, 2, 3]",
		Lower: func(c *Call) *ir.Node { return c.order(ir.Sort) },
	},
	{
		Name: "rank", Params: []Param{{Name: "v", Doc: "vector"}},
		Result: "vector of positions", Group: "Structure", Cost: "n * log(n)",
		Doc:     "the rank of each element of v, from 0 for the smallest; ties keep their order; rank(-v) ranks from the largest",
		Example: ":print rank([30,10,20,10])", Output: "rank([30,10,20,10]) = [3, 0, 2, 1]",
		Lower: func(c *Call) *ir.Node { return c.order(ir.Rank) },
	},
	{
		Name: "size", Params: []Param{{Name: "T", Doc: "tensor"}, {Name: "axis", Doc: "axis", Named: true}},
		Result: "number", Group: "Structure", Cost: "nothing",
		Doc:     "length of an axis, known before the program runs",
		Example: "A = edges([[0,1]], 5)\n:print size(A, 0)", Output: "size(A, 0) = 5",
		Lower: func(c *Call) *ir.Node {
			d := c.CheckAxis(1, c.Args[1], c.Args[0])
			if c.Problem != nil {
				return nil
			}
			if n := c.Args[0].Type.Shape.Dim(d); n >= 0 {
				return c.Number(float64(n))
			}
			return c.Const(tensor.Scalar(tensor.Int, math.NaN())) // not known until the inputs are bound
		},
	},

	elementwise("gt", op.FnGt, "a > b", ":print gt([1,2,3], 2)", "gt([1,2,3], 2) = [0, 0, 1]", "a", "b"),
	elementwise("ge", op.FnGe, "a >= b", ":print ge([1,2,3], 2)", "ge([1,2,3], 2) = [0, 1, 1]", "a", "b"),
	elementwise("lt", op.FnLt, "a < b", ":print lt([1,2,3], 2)", "lt([1,2,3], 2) = [1, 0, 0]", "a", "b"),
	elementwise("le", op.FnLe, "a <= b", ":print le([1,2,3], 2)", "le([1,2,3], 2) = [1, 1, 0]", "a", "b"),
	elementwise("eq", op.FnEq, "a == b", ":print eq([1,2,3], 2)", "eq([1,2,3], 2) = [0, 1, 0]", "a", "b"),
	elementwise("ne", op.FnNe, "a != b", ":print ne([1,2,3], 2)", "ne([1,2,3], 2) = [1, 0, 1]", "a", "b"),
	elementwise("where", op.FnWhere, "a where p is not 0, else b", ":print where([1,0], [5,6], -1)", "where([1,0], [5,6], -1) = [5, -1]", "p", "a", "b"),
	elementwise("abs", op.FnAbs, "magnitude", ":print abs(-2)", "abs(-2) = 2", "x"),
	elementwise("sqrt", op.FnSqrt, "square root", ":print sqrt(9)", "sqrt(9) = 3", "x"),
	elementwise("exp", op.FnExp, "e to the power x", ":print exp(0)", "exp(0) = 1", "x"),
	elementwise("log", op.FnLog, "natural logarithm", ":print log(1)", "log(1) = 0", "x"),
	elementwise("sigmoid", op.FnSigmoid, "1 / (1 + exp(-x))", ":print sigmoid(0)", "sigmoid(0) = 0.5", "x"),
	elementwise("relu", op.FnRelu, "x where x > 0, else 0", ":print relu([-1,2])", "relu([-1,2]) = [0, 2]", "x"),
	elementwise("tanh", op.FnTanh, "hyperbolic tangent", ":print tanh(0)", "tanh(0) = 0", "x"),
	elementwise("step", op.FnStep, "1 where x > 0, else 0", ":print step([-1,0,2])", "step([-1,0,2]) = [0, 0, 1]", "x"),
	elementwise("round", op.FnRound, "nearest whole number; halves go to the even one", ":print round([0.5,1.5,-2.6])", "round([0.5,1.5,-2.6]) = [0, 2, -3]", "x"),
	elementwise("floor", op.FnFloor, "largest whole number not above x", ":print floor(2.7)", "floor(2.7) = 2", "x"),
	elementwise("clamp", op.FnClamp, "x, but no lower than lo and no higher than hi", ":print clamp([-1,5], 0, 3)", "clamp([-1,5], 0, 3) = [0, 3]", "x", "lo", "hi"),
	{
		Name: "softmax", Params: []Param{{Name: "T", Doc: "tensor"}, {Name: "axis", Doc: "axis", Named: true}},
		Result: "tensor", Group: "Elementwise", Cost: "the size of T",
		Doc:     "exp(T) scaled to add up to 1 along the axis",
		Example: ":print softmax([0,0], 0)", Output: "softmax([0,0], 0) = [0.5, 0.5]",
		Lower: func(c *Call) *ir.Node {
			d := c.CheckAxis(1, c.Args[1], c.Args[0])
			if c.Problem != nil {
				return nil
			}
			return c.Softmax(c.Args[0], d)
		},
	},
}

// elementwise is a function of numbers that is taken element by element. Its documentation says all
// that differs.
func elementwise(name string, fn op.Fn, doc, example, output string, args ...string) Builtin {
	b := Builtin{Name: name, Form: Elementwise, Fn: fn, Group: "Elementwise", Doc: doc, Example: example, Output: output,
		Result: "tensor of the arguments' shape", Cost: "the size of the result"}
	if fn >= op.FnGt && fn <= op.FnNe {
		b.Group, b.Result = "Comparisons", "0/1 tensor of the arguments' shape"
	}
	b.Params = lists.Map(args, func(a string) Param { return Param{Name: a, Doc: "tensor or number"} })
	return b
}

// reduction is a function of all elements of a tensor, or of those along an axis.
func reduction(name, does, example, output string) Builtin {
	of := "all of T"
	if strings.HasPrefix(name, "arg") {
		of = "of a vector"
	}
	return Builtin{Name: name, Params: []Param{{Name: "T", Doc: "tensor"}, {Name: "axis", Doc: "axis to drop", Optional: true, Named: true}}, Form: Reduction, Group: "Reductions",
		Result: "scalar, or T without the axis", Cost: "the size of T",
		Doc: does + ": " + of + ", or along one axis; of an indexed expression, over the indices that the left side lacks", Example: example, Output: output}
}

// ofGraph and ofNode check the arguments (a graph, and its node) and build on
// them.
func (c *Call) ofGraph(build func(g *ir.Node) *ir.Node) *ir.Node {
	g := c.graph(0)
	if c.Problem != nil {
		return nil
	}
	return build(g)
}

func (c *Call) ofNode(build func(g, i *ir.Node) *ir.Node) *ir.Node {
	return c.ofGraph(func(g *ir.Node) *ir.Node {
		i := c.node(1, g)
		if c.Problem != nil {
			return nil
		}
		return build(g, i)
	})
}

// onGraph is an operation on a graph and as many of its nodes as there are.
func (c *Call) onGraph(op ir.Op) *ir.Node {
	return c.ofGraph(func(g *ir.Node) *ir.Node {
		at := make([]*ir.Node, len(c.Args)-1)
		for k := range at {
			at[k] = c.node(k+1, g)
		}
		if c.Problem != nil {
			return nil
		}
		return c.Graph(op, g, at...)
	})
}

// order is an operation on a vector that depends on the order of its elements.
func (c *Call) order(which ir.Op) *ir.Node {
	if a := c.Args[0]; a.Rank() != 1 {
		c.fail(codes.E0310, 0, "", "`%s` takes a vector, found %s", c.Name, Describe(a.Type.Shape))
		return nil
	}
	return c.Order(which, c.Args[0])
}

// onUndirected is an operation on a graph whose edges go both ways.
func (c *Call) onUndirected(which ir.Op) *ir.Node {
	return c.ofGraph(func(g *ir.Node) *ir.Node {
		switch {
		case g.Type.Far:
			g = c.Map(op.FnLe, g, c.Number(math.MaxFloat64))
		case g.Type.Kind != tensor.Bool:
			g = c.Map(op.FnNe, g, c.Number(0))
		}
		return c.Graph(which, c.Map(op.FnMax, g, c.Transpose(g, []uint8{1, 0})))
	})
}

// rectangularDiagonal keeps the diagonal of a and adds up the longer axis.
func (c *Call) rectangularDiagonal(a *ir.Node, rows, cols int) *ir.Node {
	const most = 1 << 20
	if rows < 0 || cols < 0 {
		rows, cols = 1, 1 // not known until the inputs are bound
	}
	if rows > most/max(cols, 1) {
		c.fail(codes.E0520, 0, "", "the diagonal of a %dx%d matrix that is not square is over the limit of %d elements", rows, cols, most)
		return nil
	}
	data := make([]float64, rows*cols)
	for i := range min(rows, cols) {
		data[i*cols+i] = 1
	}
	one := c.Const(tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(rows, cols)}, F: data})
	kept := uint8(0)
	if rows > cols {
		kept = 1
	}
	return c.Einsum(&op.Spec{In: [][]uint8{{0, 1}, {0, 1}}, Out: []uint8{kept}, Size: []int{rows, cols}}, a, one)
}

// filled is a constant tensor whose sizes are the arguments.
func (c *Call) filled(x float64) *ir.Node {
	dims := make([]int, len(c.Args))
	for i := range dims {
		dims[i] = c.size(i)
	}
	return c.Fill(c.Number(x), dims...)
}

// walk is the nodes that one reaches or, with reverse, is reached from.
func (c *Call) walk(mode op.WalkMode, reverse bool) *ir.Node {
	return c.ofNode(func(g, i *ir.Node) *ir.Node { return c.Walk(mode, reverse, g, i) })
}

// Fold lowers the reduction of the given axes of t. It is the rule of every
// builtin of Form Reduction, in its whole, its axis and its indexed form.
func Fold(c *Call, t *ir.Node, axes []int) *ir.Node {
	size := 1.0
	for _, d := range axes {
		if n := t.Type.Shape.Dim(d); n >= 0 {
			size *= float64(n)
		} else {
			size = math.NaN()
		}
	}
	empty := func() bool {
		if size == 0 {
			c.fail(codes.E0315, 0, "", "the %s of no elements is not defined", c.Name)
		}
		return size == 0
	}
	switch c.Name {
	case "sum":
		return c.Sum(t, axes...)
	case "count":
		if t.Type.Far {
			c.Notes = append(c.Notes, Problem{Code: codes.W0330,
				Message: "an absent edge is infinite, not 0, so every pair is counted",
				Hint:    "give it the edges alone, as in `W < 1e300`"})
		}
		if t.Type.Kind != tensor.Bool {
			t = c.Map(op.FnNe, t, c.Number(0))
		}
		return c.Sum(t, axes...)
	case "mean":
		if empty() {
			return nil
		}
		return c.Map(op.FnDiv, c.Sum(t, axes...).Unchecked(), c.Const(tensor.Scalar(ir.KindOf(size), size)))
	}
	if empty() || len(axes) == 0 {
		return t
	}
	fold := map[string]op.Fold{"max": op.FoldMax, "min": op.FoldMin, "argmax": op.FoldArgMax, "argmin": op.FoldArgMin}[c.Name]
	if fold >= op.FoldArgMax && len(axes) != 1 {
		c.fail(codes.E0310, 0, "give the axis, as in `"+c.Name+"(T, axis=1)`", "`%s` of %s needs one axis", c.Name, Describe(t.Type.Shape))
		return nil
	}
	return c.Reduce(fold, t, axes...)
}
