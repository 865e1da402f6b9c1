package code

import (
	"cmp"
	"fmt"
	"slices"

	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/tensor"
)

// Op is an operation of the machine.
type Op uint8

// The operations; what each does is its row in the table.
const (
	Einsum Op = iota
	Exact
	Semiring
	Fused
	Reduce
	Softmax
	Select
	Convert
	Logic
	Transpose
	CountRows
	CountCols
	CountAll
	CountProduct
	CountMatVec
	CountAnd
	BoolProduct
	BoolMatVec
	TripleTrace
	CubeTrace
	MatVec
	VecMat
	Diag
	Symmetric
	Pattern
	Closure
	Walk
	HasPath
	SCC
	Triangles
	Path
	Dist
	OneHot
	CheckInt
	CheckFinite
	CheckSymmetric
	WDist
	WDistSigned
	WPath
	WPathSigned
	Weak
	Groups
	TopoOrder
	Bridges
	CutNodes
	Cores
	PageRank
	SpanningForest
	Betweenness
	Sort
	Rank
	MinCut
	FoldCSR
	Rules
	Scatter
	MapCSR
	ProductCSR
	MatMulCSR
	MaskCSR
	MaxOp
)

// row is everything about an operation but its kernel, which has the same place in the machine's
// table.
type row struct {
	name string
	// sig is the registers, arguments -> result: the layouts that a register may
	// have and its sizes, where a letter is the same size throughout and [..] the
	// same shape. The last argument may be repeated (...); position is that of an
	// element; graph is bits or csr, ones a csr without weights.
	sig   string
	attrs attrs
	does  string // for the listing in the docs, if it says more than what
	// rule is what sig cannot say, nil when there is nothing. That there is a plan goes without it.
	rule func(x *Site) error
	// A kernel that is planned has a plan, every other one a bound of its cost. One that
	// is metered usually takes far less: it may run under a limit below its bound.
	plan func(x *Site) (Kernel, error)
	cost func(x *Site) kernel.Cost

	metered bool
	// The most entries of a csr that is the result. If grows is set they may be far fewer: the result,
	// and the steps that read it, take their memory when they run.
	entries func(x *Site) uint64
	grows   bool
	// what it computes, for people, and how: the layout of its argument, if that is
	// all. In {} stand attributes and the like.
	what, how string
}

var table = [MaxOp]row{
	Einsum: {name: "einsum", sig: "dense... -> dense", attrs: hasSpec, does: "sum of products",
		rule: specRule, plan: planEinsum, what: "{product}", how: "{kernel}"},
	Exact: {name: "exact", sig: "dense|csr... -> dense", attrs: hasSpec,
		does: "the same of whole numbers, exact on the way; stops when |x| >= 2^53; a csr only with vectors of its sizes",
		rule: exactRule, plan: planExact, what: "{product}", how: "exact, {layout}"},
	Semiring: {name: "semiring", sig: "dense dense -> dense", attrs: hasSpec | hasFn | hasFold, does: "fold of fn",
		rule: semiringRule, plan: planSemiring, what: "{fold} of {fn} {spec}", how: "loops"},
	Fused: {name: "fused", sig: "dense... -> dense|bits", attrs: hasMicro, does: "elementwise program",
		rule: fusedRule, plan: planFused, what: "{micro}", how: "one pass"},
	Reduce: {name: "reduce", sig: "dense -> dense", attrs: hasFold | hasAxes, does: "fold along axes",
		rule: reduceRule, plan: planReduce, what: "{fold} along {axes}", how: "one pass"},
	Softmax: {name: "softmax", sig: "dense[..] -> dense[..]", attrs: hasAxes, does: "exp(x) / sum of exp(x) along one axis",
		rule: softmaxRule, what: "softmax along {axes}", how: "one pass",
		cost: func(x *Site) kernel.Cost { return kernel.SoftmaxCost(x.Arg[0].Shape.Dims()) }},
	Select: {name: "select", sig: "any position... -> dense|bits", attrs: hasAxes,
		does: "the elements at positions on axes; a row of bits, ones or parts is bits",
		rule: selectRule, cost: selectCost, what: "select on {axes}"},
	Convert: {name: "convert", sig: "any[..] -> dense|bits[..]", does: "same values, other layout",
		rule: convertRule, cost: convertCost, what: "convert to {to}"},
	Logic: {name: "logic", sig: "bits[..]... -> bits[..]", attrs: hasLogic, does: "and or xor andnot not, word by word",
		rule: logicRule, cost: wordsCost, what: "{logic}", how: "64 elements a word"},
	Transpose: {name: "transpose", sig: "bits|csr|far[n,m] -> bits|csr|far[m,n]", rule: sameWeights, entries: sameEntries, what: "transpose",
		cost: func(x *Site) kernel.Cost {
			return x.either(kernel.CSRCost(x.N, x.M, x.NNZ), kernel.BitsTransposeCost(x.N, x.M))
		}},
	CountRows: {name: "count_rows", sig: "bits|csr|parts[n,m] -> dense[n]", does: "sum along each row", what: "sum of each row", cost: countCost},
	CountCols: {name: "count_cols", sig: "bits|csr|parts[n,m] -> dense[m]", does: "sum along each column", what: "sum of each column", cost: countCost},
	CountAll:  {name: "count_all", sig: "bits|csr|parts -> scalar", does: "sum of everything", what: "sum", cost: countCost},
	CountProduct: {name: "count_product", sig: "bits[n,k] bits[m,k] -> dense[n,m]", does: "popcount of each pair of rows",
		what: "product of rows", how: "bits",
		cost: func(x *Site) kernel.Cost { return kernel.CountProductCost(x.N, x.K, x.M, x.Workers) }},
	CountMatVec: {name: "count_matvec", sig: "bits[n,k] bits[k] -> dense[n]", does: "popcount of each row and the vector",
		what: "matrix times vector", how: "AND and popcount", cost: bitsVectorCost},
	CountAnd: {name: "count_and", sig: "bits[..] bits[..] -> scalar", does: "popcount of the conjunction",
		what: "sum of the product", how: "AND and popcount", cost: wordsCost},
	BoolProduct: {name: "bool_product", sig: "bits[n,k] bits[k,m] -> bits[n,m]", does: "OR of ANDs",
		what: "0/1 matrix product", how: "OR of rows",
		cost: func(x *Site) kernel.Cost { return kernel.BoolProductCost(x.N, x.K, x.M, x.Workers) }},
	BoolMatVec: {name: "bool_matvec", sig: "bits[n,k] bits[k] -> bits[n]", does: "OR of ANDs",
		what: "0/1 matrix times vector", how: "AND, first hit", cost: bitsVectorCost},
	TripleTrace: {name: "triple_trace", sig: "bits[n,m] bits[m,k] bits[n,k] -> scalar", does: "sum over a[i,j] b[j,l] c[i,l]",
		what: "trace of the triple product",
		cost: func(x *Site) kernel.Cost { return kernel.TripleTraceCost(x.N, x.M, x.K) }},
	CubeTrace: {name: "cube_trace", sig: "ones[n,n] -> scalar", does: "trace of the third power",
		what: "trace of the triple product",
		cost: func(x *Site) kernel.Cost { return kernel.TraceCubeCSRCost(x.N, x.NNZ, x.Workers) }},
	MatVec: {name: "matvec", sig: "csr[n,m] dense[m] -> dense[n]", what: "matrix times vector", cost: csrCost},
	VecMat: {name: "vecmat", sig: "dense[n] csr[n,m] -> dense[m]", what: "vector times matrix", how: "sparse", cost: csrCost},
	Diag: {name: "diag", sig: "graph[n,n] -> dense[n]", what: "diagonal",
		cost: func(x *Site) kernel.Cost { return x.either(csrCost(x), kernel.Cost{Ops: uint64(x.N)}) }},
	Symmetric: {name: "symmetric", sig: "ones[n,n] -> ones[n,n]", does: "a or its transpose",
		entries: func(x *Site) uint64 { return 2 * uint64(x.NNZ) }, what: "both directions",
		cost: func(x *Site) kernel.Cost { return kernel.CSRSymmetriseCost(x.N, x.NNZ) }},
	Pattern: {name: "pattern", sig: "csr[n,m] -> ones[n,m]", does: "1 where a has an entry", entries: sameEntries, what: "edges", cost: csrCost},
	Closure: {name: "closure", sig: "graph[n,n] -> bits[n,n]", does: "1 where a path leads from row to column", what: "tc",
		cost: graphCost(kernel.ClosureCSRCost, kernel.ClosureBitsCost)},
	Walk: {name: "walk", sig: "graph[n,n] position -> bits[n]", attrs: hasWalk, does: "the nodes that i reaches",
		what: "{walk}", how: "breadth-first, {layout}", cost: graphCost(kernel.WalkCSRCost, kernel.WalkBitsCost)},
	HasPath: {name: "has_path", sig: "graph[n,n] position position -> scalar", does: "whether a path leads from the first to the second",
		what: "has_path", how: "breadth-first, {layout}", cost: graphCost(kernel.HasPathCSRCost, kernel.HasPathBitsCost)},
	SCC: {name: "scc", sig: "graph[n,n] -> parts[n,n]", does: "strongly connected components", what: "scc",
		cost: graphCost(kernel.SCCCSRCost, kernel.SCCBitsCost)},
	Triangles: {name: "triangles", sig: "graph[n,n] -> scalar", what: "triangles",
		cost: func(x *Site) kernel.Cost {
			return x.either(kernel.TrianglesCSRCost(x.N, x.NNZ, x.Workers), kernel.TrianglesBitsCost(x.N))
		}},
	Path: {name: "path", sig: "graph[n,n] position position -> dense[n]", does: "positions on a shortest path, -1 off it",
		what: "path", how: "breadth-first, {layout}", cost: graphCost(kernel.PathCSRCost, kernel.PathBitsCost)},
	Dist: {name: "dist", sig: "graph[n,n] position -> dense[n]", does: "edges on a shortest path, -1 without one",
		what: "dist", how: "breadth-first, {layout}", cost: graphCost(kernel.DistCSRCost, kernel.DistBitsCost)},
	OneHot: {name: "one_hot", sig: "position -> bits[n]", does: "1 at a position", what: "node set", how: "one bit",
		cost: func(x *Site) kernel.Cost { return kernel.Cost{Ops: x.Result.Words()} }},
	CheckInt: {name: "check_int", sig: "dense", does: "stops when |x| >= 2^53", what: "check that counts are exact", cost: elementsCost},
	CheckFinite: {name: "check_finite", sig: "dense|csr", does: "stops at NaN or infinity",
		what: "check that numbers are finite", cost: elementsCost},
	CheckSymmetric: {name: "check_symmetric", sig: "graph[n,n]", does: "warns of one-way edges",
		what: "check that edges go both ways", cost: graphCost(kernel.OneWayEdgesCSRCost, kernel.OneWayEdgesBitsCost)},
	WDist: {name: "wdist", sig: "weights[n,n] position scalar -> dense[n]", does: "least weight of a path, none below 0; the last without one",
		what: "wdist", how: "Dijkstra, {layout}", cost: shortestCost},
	WDistSigned: {name: "wdist_signed", sig: "weights[n,n] position scalar -> dense[n]", does: "the same of weights of any sign",
		what: "wdist", how: "Bellman-Ford, {layout}", cost: shortestCost},
	WPath: {name: "wpath", sig: "weights[n,n] position position -> dense[n]", does: "positions on a path of least weight, none below 0",
		what: "wpath", how: "Dijkstra, {layout}", cost: shortestPathCost},
	WPathSigned: {name: "wpath_signed", sig: "weights[n,n] position position -> dense[n]", does: "the same of weights of any sign",
		what: "wpath", how: "Bellman-Ford, {layout}", cost: shortestPathCost},
	Weak: {name: "weak", sig: "graph[n,n] -> parts[n,n]", does: "weakly connected components", what: "wcc", cost: netCost(kernel.WeakCost)},
	Groups: {name: "groups", sig: "parts[n,n] -> dense[n]", does: "the number of the part of each node", what: "components",
		cost: func(x *Site) kernel.Cost { return kernel.Cost{Ops: uint64(x.N)} }},
	TopoOrder: {name: "topo_order", sig: "graph[n,n] -> dense[n]", does: "positions in an order in which edges lead forward; stops at a cycle",
		what: "topo_order", cost: netCost(kernel.TopoOrderCost)},
	Bridges: {name: "bridges", sig: "graph[n,n] -> ones[n,n]", does: "edges whose removal disconnects a symmetric graph",
		what: "bridges", entries: func(x *Site) uint64 { return 2 * forestEntries(x) }, cost: netCost(kernel.BridgesCost)},
	CutNodes: {name: "cut_nodes", sig: "graph[n,n] -> bits[n]", does: "nodes of a symmetric graph that hold it together",
		what: "cut_nodes", cost: netCost(kernel.CutNodesCost)},
	Cores: {name: "cores", sig: "graph[n,n] -> dense[n]", does: "core number of each node of a symmetric graph",
		what: "core_number", cost: netCost(kernel.CoresCost)},
	PageRank: {name: "pagerank", sig: "weights[n,n] scalar -> dense[n]", does: "shares of a walk after at most 100 steps",
		what: "pagerank", how: "at most 100 steps, {layout}", cost: layoutCost(kernel.PageRankCost)},
	SpanningForest: {name: "spanning_forest", sig: "weights[n,n] -> csr[n,n]", does: "entries of least weight that join all that is joined",
		what: "mst", rule: sameWeights, entries: forestEntries, cost: layoutCost(kernel.SpanningForestCost)},
	Betweenness: {name: "betweenness", sig: "graph[n,n] -> dense[n]", does: "shares of shortest paths that lead through each node",
		what: "betweenness", how: "a search from each node, {layout}", cost: netCost(kernel.BetweennessCost)},
	Sort: {name: "sort", sig: "dense[n] -> dense[n]", does: "the least first", what: "sort", how: "by digits", cost: sortCost},
	MinCut: {name: "min_cut", sig: "weights[n,n] position position -> csr[n,n]", does: "the cut of least weight between two nodes; metered",
		what: "mincut", how: "Dinic, {layout}", rule: sameWeights, entries: cutEntries, metered: true,
		cost: layoutCost(kernel.MinCutCost)},
	FoldCSR: {name: "fold_csr", sig: "csr|far[n,m] dense|csr|far... -> dense", attrs: hasFold | hasAxes | hasMicro, does: "fold along an axis of an elementwise program of matrices, and vectors after them",
		what: "{fold} of {micro} along {axes}", how: "entries", rule: foldCSRRule, plan: planFoldCSR},
	Rules: {name: "rules", sig: "value...", attrs: hasRules, does: "the tables that rules derive from tables and tensors; metered",
		what: "rules", how: "semi-naive", rule: rulesRule, plan: planRules, metered: true},
	Scatter: {name: "scatter", sig: "table scalar -> dense|bits|csr", does: "a table as a tensor: 1, or the last column, where it has a row; elsewhere the scalar, of bits and csr 0; metered",
		what: "tensor of a relation", rule: scatterRule, cost: scatterCost, metered: true},
	MapCSR: {name: "map_csr", sig: "csr|far[n,m] dense|csr|far... -> csr[n,m]", attrs: hasMicro,
		does: "elementwise program of matrices, and vectors after them, that is 0 where no matrix has an entry; stops where it is NaN there",
		what: "{micro}", how: "entries", rule: pointsRule, plan: planMapCSR, entries: mapEntries},
	ProductCSR: {name: "product_csr", sig: "csr[n,k] csr[k,m] -> csr[n,m]", does: "matrix product, of bits where it is not 0; metered",
		what: "product", how: "rows of entries", entries: productEntries, grows: true, metered: true,
		cost: func(x *Site) kernel.Cost {
			c := kernel.CSRProductCost(x.N, x.M, x.Arg[0].NNZ, productEntries(x))
			c.Ops = tensor.SatAdd(c.Ops, kernel.CSRProductEntriesCost(x.N, x.Arg[0].NNZ).Ops)
			return c
		}},
	MatMulCSR: {name: "matmul_csr", sig: "dense|csr[n,k] dense|csr[k,m] -> dense[n,m]", does: "matrix product with one csr", what: "product", how: "entries",
		rule: oneCSR, cost: func(x *Site) kernel.Cost {
			return kernel.MatMulCost(x.N, x.K, x.M, x.NNZ, x.Result.Shape.Dim(1-x.Sparse))
		}},
	MaskCSR: {name: "mask_csr", sig: "csr|far[n,m] bits|parts[n,m] -> ones[n,m]", does: "1 where a has an entry and b is 1",
		what: "mask", how: "entries", entries: sameEntries, cost: csrCost},
	Rank: {name: "rank", sig: "dense[n] -> dense[n]", does: "places when sorted, equal ones in order", what: "rank", how: "by digits", cost: sortCost},
}

func (op Op) String() string {
	if op < MaxOp {
		return table[op].name
	}
	return fmt.Sprintf("op(%d)", uint8(op))
}

// Picture returns the signature and attributes of an operation, and what it does.
func (op Op) Picture() string {
	s := table[op].sig
	for k, name := range attrNames {
		if table[op].attrs>>k&1 != 0 {
			s += " {" + name + "}"
		}
	}
	return fmt.Sprintf("%-48s %s", s, cmp.Or(table[op].does, table[op].what))
}

// Words describes what an operation computes, and how. Parts in {} depend on the instruction.
func (op Op) Words() (what, how string) { return table[op].what, table[op].how }

// Metered reports whether the cost of op is bounded by far more than it usually takes.
func (op Op) Metered() bool { return table[op].metered }

// attrs is the set of attributes that an operation has.
type attrs uint8

const (
	hasSpec attrs = 1 << iota
	hasFn
	hasFold
	hasLogic
	hasWalk
	hasAxes
	hasMicro
	hasRules
)

// attrNames are the attributes in the order of their bits.
var attrNames = [...]string{"spec", "fn", "fold", "logic", "walk", "axes", "micro", "rules"}

// Site is an instruction with its registers: everything that its rule and its cost depend on.
type Site struct {
	*Instr
	Arg     []*Reg
	Result  *Reg // nil when there is none
	Results []*Reg
	N, M, K int    // the sizes of the signature; rows and columns where it has none
	Sparse  int    // the first argument that is a csr, or -1
	NNZ     int    // its entries
	Workers int    // goroutines that the kernel may use
	Work    uint64 // multiplications of a product of matrices, 0 if they are not known

	shape *tensor.Shape // the [..] of the signature
	few   [4]*Reg       // room for Arg
}

// Kernel is a kernel that was planned for one instruction.
type Kernel interface{ Cost() kernel.Cost }

// Plan plans one instruction of a verified program: its kernel, nil if it needs no plan, and a bound
// on its cost.
func (x *Site) Plan(p *Program, in *Instr) (plan Kernel, c kernel.Cost, err error) {
	if err = x.enter(p, in); err != nil {
		return nil, c, err
	}
	r := &table[in.Op]
	if r.plan == nil {
		return nil, r.cost(x), nil
	}
	if plan, err = r.plan(x); err != nil {
		return nil, c, err
	}
	return plan, plan.Cost(), nil
}

// either is the first cost of a sparse argument, the second of another.
func (x *Site) either(csr, other kernel.Cost) kernel.Cost {
	if x.Sparse == 0 {
		return csr
	}
	return other
}

// graphCost is the cost of a kernel that goes by the entries of a list of edges, or by the words of
// bits.
func graphCost(csr func(n, nnz int) kernel.Cost, bits func(n int) kernel.Cost) func(x *Site) kernel.Cost {
	return func(x *Site) kernel.Cost {
		if x.Sparse == 0 {
			return csr(x.N, x.NNZ)
		}
		return bits(x.N)
	}
}

// netWork bounds the operations of going over all rows of the first argument.
func (x *Site) netWork() uint64 { return kernel.NetWork(x.Arg[0].Layout, x.N, x.NNZ) }

// sortCost bounds a sort of the argument.
func sortCost(x *Site) kernel.Cost { return kernel.SortCost(x.N) }

// netCost is the cost of a kernel whose bound follows from the work of going over all rows once, in
// any layout.
func netCost(cost func(n int, work uint64) kernel.Cost) func(x *Site) kernel.Cost {
	return func(x *Site) kernel.Cost { return cost(x.N, x.netWork()) }
}

// layoutCost is the cost of a kernel whose bound depends on the layout in a way of its own.
func layoutCost(cost func(l tensor.Layout, n, nnz int) kernel.Cost) func(x *Site) kernel.Cost {
	return func(x *Site) kernel.Cost { return cost(x.Arg[0].Layout, x.N, x.NNZ) }
}

// shortestCost bounds a search by weights from one node: far more if these may be below 0.
func shortestCost(x *Site) kernel.Cost {
	return kernel.ShortestCost(x.N, x.netWork(), x.Op == WDistSigned)
}

// shortestPathCost bounds the same with the way back from the end of the path.
func shortestPathCost(x *Site) kernel.Cost {
	return kernel.ShortestPathCost(x.N, x.netWork(), x.Op == WPathSigned)
}

// csrCost, wordsCost and elementsCost bound one pass of the first argument: of its entries, its
// words and its elements.
func csrCost(x *Site) kernel.Cost   { return kernel.CSRCost(x.N, x.M, x.NNZ) }
func wordsCost(x *Site) kernel.Cost { return kernel.Cost{Ops: x.Arg[0].Words()} }
func elementsCost(x *Site) kernel.Cost {
	return x.either(kernel.Cost{Ops: uint64(x.NNZ)}, kernel.Cost{Ops: x.Arg[0].Shape.Elems()})
}

// bitsVectorCost bounds a pass of a matrix of bits beside a vector.
func bitsVectorCost(x *Site) kernel.Cost {
	return kernel.Cost{Ops: tensor.SatAdd(x.Arg[0].Words(), uint64(x.N+tensor.Words(x.K)))}
}

// countCost bounds the sums of a matrix in any of its layouts.
func countCost(x *Site) kernel.Cost {
	switch {
	case x.Sparse == 0:
		return csrCost(x)
	case x.Arg[0].Layout == tensor.Parts:
		return kernel.Cost{Ops: 3 * uint64(x.N), F: uint64(x.N)}
	case x.Op == CountCols:
		return kernel.PopColsCost(x.N, x.M)
	}
	return kernel.Cost{Ops: tensor.SatAdd(x.Arg[0].Words(), uint64(x.N))}
}

// convertCost bounds a change of layout, by the layouts it is from and to.
func convertCost(x *Site) kernel.Cost {
	switch {
	case x.Arg[0].Layout == tensor.Parts:
		return kernel.PartsToBitsCost(x.N)
	case x.Sparse < 0:
		return kernel.BitsDenseCost(x.N, x.M)
	case x.Result.Layout == tensor.Packed:
		return kernel.CSRToBitsCost(x.N, x.M, x.NNZ)
	}
	return kernel.CSRToDenseCost(x.N, x.M, x.NNZ)
}

// selectCost counts the copied words and, for a column of a CSR, the search in each row.
func selectCost(x *Site) kernel.Cost {
	ops := tensor.SatAdd(tensor.SatAdd(x.Result.Shape.Elems(), 1), x.Result.Words())
	if x.Sparse == 0 {
		ops = tensor.SatAdd(ops, uint64(x.NNZ)+uint64(x.N))
	}
	return kernel.Cost{Ops: ops}
}

// planEinsum plans a product of floats.
func planEinsum(x *Site) (Kernel, error) { return kernel.PlanProduct(*x.Spec), nil }

// planExact plans a product of whole numbers: with its sparse factor, and rounded if the register
// is for any numbers rather than for whole ones.
func planExact(x *Site) (Kernel, error) {
	return kernel.PlanExact(*x.Spec, x.Sparse, x.NNZ, x.Result.Kind == tensor.Real), nil
}

// planSemiring plans a fold, such as a minimum, of a function of two factors, such as their sum.
func planSemiring(x *Site) (Kernel, error) { return kernel.PlanSemiring(*x.Spec, x.Fn, x.Fold) }

// planReduce plans a fold of one tensor.
func planReduce(x *Site) (Kernel, error) {
	return kernel.PlanReduce(x.Fold, x.Arg[0].Shape.Dims(), x.Axes)
}

// planFoldCSR plans a fold of matrices. The kernel needs the number that each has where it has no
// entry, and all their entries for the cost.
func planFoldCSR(x *Site) (Kernel, error) {
	m := x.Micro
	none, entries := x.matrices()
	nnz := 0
	for _, n := range entries {
		nnz += n
	}
	return kernel.PlanCSRFold(x.N, x.M, nnz, x.Axes[0], none, x.Fold, m.Strides, m.Code, m.Consts)
}

// planFused plans an elementwise program as one that folds, one that writes bits, or one that
// writes numbers.
func planFused(x *Site) (Kernel, error) {
	m := x.Micro
	if m.Folds > 0 {
		return kernel.PlanFusedFold(m.Shape, m.Folds, m.Fold, m.Strides, m.Code, m.Consts)
	}
	if x.Result.Layout == tensor.Packed {
		return kernel.PlanFusedBits(m.Shape, m.Strides, m.Code, m.Consts)
	}
	return kernel.PlanFused(m.Shape, m.Strides, m.Code, m.Consts)
}

// gives requires the shape of the result.
func (x *Site) gives(l tensor.Layout, s tensor.Shape) error {
	if x.Result.Layout != l || x.Result.Shape != s {
		return fmt.Errorf("gives a %v %v, the register is a %v %v", l, s, x.Result.Layout, x.Result.Shape)
	}
	return nil
}

// specRule requires a spec that fits the shapes of the arguments.
func specRule(x *Site) error {
	s := x.Spec
	if s == nil || len(s.In) != len(x.Arg) || len(s.Size) > 64 || len(s.Out) > tensor.MaxRank {
		return fmt.Errorf("malformed spec")
	}
	for k, ids := range s.In {
		shape := x.Arg[k].Shape
		if len(ids) != shape.Rank() {
			return fmt.Errorf("operand %d has rank %d", k, shape.Rank())
		}
		for d, id := range ids {
			if int(id) >= len(s.Size) || s.Size[id] != shape.Dim(d) {
				return fmt.Errorf("operand %d: axis %d does not fit", k, d)
			}
		}
	}
	for _, n := range s.Size {
		if n < 0 || n > maxDim {
			return fmt.Errorf("index of size %d", n)
		}
	}
	var out tensor.Shape
	for _, id := range s.Out {
		if int(id) >= len(s.Size) {
			return fmt.Errorf("unknown index %d", id)
		}
		out = out.Append(s.Size[id])
	}
	return x.gives(tensor.Dense, out)
}

// exactRule allows one sparse matrix, whose indices are then the only ones.
func exactRule(x *Site) error {
	if err := specRule(x); err != nil {
		return err
	}
	for k := range x.Arg {
		if x.Arg[k].Kind == tensor.Real {
			return fmt.Errorf("argument %d is real", k)
		}
	}
	if x.Sparse < 0 {
		return nil
	}
	ids := x.Spec.In[x.Sparse]
	foreign := func(id uint8) bool { return id != ids[0] && id != ids[1] }
	bad := len(x.Arg) > 2 || ids[0] == ids[1] || slices.ContainsFunc(x.Spec.Out, foreign)
	for k, in := range x.Spec.In {
		bad = bad || k != x.Sparse && (x.Arg[k].Layout == tensor.Sparse || slices.ContainsFunc(in, foreign))
	}
	if bad {
		return fmt.Errorf("argument %d is a csr", x.Sparse)
	}
	return nil
}

// semiringRule requires a function of two arguments, and a fold other than argmax and argmin.
func semiringRule(x *Site) error {
	if x.Fn.Arity() != 2 || x.Fold > op.FoldMin {
		return fmt.Errorf("no semiring of %v and %v", x.Fn, x.Fold)
	}
	return specRule(x)
}

// fusedRule requires that a program gives dense or bits as its register says, but a fold dense.
func fusedRule(x *Site) error {
	if err := microRule(x); err != nil {
		return err
	}
	m, l := x.Micro, tensor.Dense
	if m.Folds == 0 {
		l = x.Result.Layout
	}
	return x.gives(l, tensor.ShapeOf(m.Shape[:len(m.Shape)-m.Folds]...))
}

// microRule requires an elementwise program that reads only values that exist. Everything here
// comes from a file that anybody may have written, and the kernels check nothing again.
func microRule(x *Site) error {
	m := x.Micro
	if m == nil || len(m.Strides) != len(x.Arg) || m.Folds < 0 || m.Folds > len(m.Shape) ||
		len(m.Shape)-m.Folds > tensor.MaxRank || len(m.Shape) > 64 || m.Fold > op.FoldMin {
		return fmt.Errorf("malformed micro program")
	}
	points := uint64(1)
	for _, n := range m.Shape {
		if n < 0 || n > maxDim {
			return fmt.Errorf("size %d", n)
		}
		points = tensor.SatMul(points, uint64(n))
	}
	for k, strides := range m.Strides {
		if len(strides) != len(m.Shape) {
			return fmt.Errorf("operand %d has %d strides", k, len(strides))
		}
		last := uint64(0)
		for d, s := range strides {
			if s < 0 {
				return fmt.Errorf("operand %d has a negative stride", k)
			}
			last = tensor.SatAdd(last, tensor.SatMul(uint64(s), uint64(max(m.Shape[d]-1, 0))))
		}
		if points > 0 && last >= x.Arg[k].Shape.Elems() {
			return fmt.Errorf("operand %d is read past its end", k)
		}
	}
	// No temporary is read before it is written: it lies in scratch memory, which
	// holds what other instructions left there.
	fixed := len(m.Strides) + len(m.Consts)
	var written [256]bool
	for _, c := range m.Code {
		if c.Fn > op.FnCheck {
			return fmt.Errorf("unknown function %d", c.Fn)
		}
		read := [...]uint8{c.A, c.B, c.C}
		for _, r := range read[:c.Fn.Arity()] {
			if int(r) >= fixed && !written[r] {
				return fmt.Errorf("register %d of a micro program is read before it is written", r)
			}
		}
		if c.Fn != op.FnCheck {
			written[c.Dst] = true
		}
	}
	return nil
}

// matrices is of each csr among the arguments what it is where it has no entry, and its entries.
func (x *Site) matrices() (none []float64, nnz []int) {
	for _, a := range x.Arg {
		if a.Layout == tensor.Sparse {
			none, nnz = append(none, a.Absent()), append(nnz, a.NNZ)
		}
	}
	return none, nnz
}

// planMapCSR plans a map of matrices.
func planMapCSR(x *Site) (Kernel, error) {
	m := x.Micro
	none, nnz := x.matrices()
	return kernel.PlanCSRMap(x.N, x.M, nnz, none, m.Strides, m.Code, m.Consts)
}

// mapEntries is as many as the plan says, none if there is no plan.
func mapEntries(x *Site) uint64 {
	p, err := planMapCSR(x)
	if err != nil {
		return 0
	}
	return uint64(p.(*kernel.CSRMap).Entries())
}

// oneCSR requires one argument that is a csr.
func oneCSR(x *Site) error {
	if (x.Arg[0].Layout == tensor.Sparse) == (x.Arg[1].Layout == tensor.Sparse) {
		return fmt.Errorf("a product of two %v matrices", x.Arg[0].Layout)
	}
	return nil
}

// foldCSRRule requires a program of matrices that is folded along one axis.
func foldCSRRule(x *Site) error {
	if err := pointsRule(x); err != nil {
		return err
	}
	if len(x.Axes) != 1 || slices.ContainsFunc(x.Micro.Code, func(c op.Micro) bool { return c.Fn == op.FnCheck }) {
		return fmt.Errorf("malformed fold of a csr")
	}
	return x.gives(tensor.Dense, x.without())
}

// pointsRule requires matrices of one size, and then vectors along their axes.
func pointsRule(x *Site) error {
	if err := microRule(x); err != nil {
		return err
	}
	m := x.Micro
	if m.Folds != 0 || !slices.Equal(m.Shape, x.Arg[0].Shape.Dims()) {
		return fmt.Errorf("malformed program of a csr")
	}
	for k, s := range m.Strides {
		switch a := x.Arg[k]; {
		case a.Layout == tensor.Sparse && (a.Shape != x.Arg[0].Shape || x.Arg[max(k-1, 0)].Layout != tensor.Sparse):
			return fmt.Errorf("argument %d is not a matrix of the shape of the first", k)
		case a.Layout != tensor.Sparse && (s[0]|s[1] > 1 || s[0]&s[1] != 0):
			return fmt.Errorf("argument %d is not along an axis", k)
		}
	}
	return nil
}

// without is the shape of argument 0 less the axes of the instruction.
func (x *Site) without() tensor.Shape { return x.Arg[0].Type.Drop(x.Axes...).Shape }

// reduceRule requires a result without the axes.
func reduceRule(x *Site) error { return x.gives(tensor.Dense, x.without()) }

// softmaxRule requires the one axis along which numbers are scaled.
func softmaxRule(x *Site) error {
	if len(x.Axes) != 1 {
		return fmt.Errorf("%d axes", len(x.Axes))
	}
	return nil
}

// selectRule requires an axis for each position. Without any it is a copy, which is for dense
// values only. A row of a 0/1 matrix that is not dense is bits.
func selectRule(x *Site) error {
	a := x.Arg[0]
	if len(x.Axes) != len(x.Arg)-1 {
		return fmt.Errorf("%d axes for %d positions", len(x.Axes), len(x.Arg)-1)
	}
	if a.Layout != tensor.Dense && len(x.Axes) == 0 {
		return fmt.Errorf("nothing is selected")
	}
	s, l := x.without(), tensor.Dense
	if a.Layout != tensor.Dense && s.Rank() == 1 && a.Kind == tensor.Bool {
		l = tensor.Packed
	}
	return x.gives(l, s)
}

// convertRule requires a pair of layouts that a kernel changes between. Only 0/1 values can become
// bits, and an entry that is missing means the same on both sides.
func convertRule(x *Site) error {
	from, to := x.Arg[0].Layout, x.Result.Layout
	if from == to || x.Arg[0].Far != x.Result.Far || from == tensor.Parts && to == tensor.Dense || to == tensor.Packed && x.Arg[0].Kind != tensor.Bool {
		return fmt.Errorf("no way from %v %v to %v", from, x.Arg[0].Kind, to)
	}
	return nil
}

// logicRule requires one argument for not and two for the others.
func logicRule(x *Site) error {
	if (len(x.Arg) == 1) != (x.Logic == Not) || len(x.Arg) > 2 {
		return fmt.Errorf("%v of %d arguments", x.Logic, len(x.Arg))
	}
	return nil
}

// sameWeights requires a result in the layout of the argument, with weights where that has them.
func sameWeights(x *Site) error {
	a, r := x.Arg[0], x.Result
	if x.Op == Transpose && (a.Layout != r.Layout || a.Far != r.Far) || (a.Kind == tensor.Bool) != (r.Kind == tensor.Bool) {
		return fmt.Errorf("gives a %v %v, the register is a %v %v", a.Layout, a.Kind, r.Layout, r.Kind)
	}
	return nil
}

// Grows reports whether the result of op may be far smaller than the most that it can be.
func (op Op) Grows() bool { return table[op].grows }

// sameEntries is the entries of the argument.
func sameEntries(x *Site) uint64 { return uint64(x.NNZ) }

// forestEntries is the edges of a forest.
func forestEntries(x *Site) uint64 { return uint64(max(x.N-1, 0)) }

// cutEntries is the edges of a graph.
func cutEntries(x *Site) uint64 {
	if x.Sparse == 0 {
		return uint64(x.NNZ)
	}
	return x.Result.Shape.Elems()
}

// productEntries bounds the multiplications of a product, and so its entries, by the rows of the second
// factor that the entries of the first name.
func productEntries(x *Site) uint64 {
	if x.Work > 0 {
		return x.Work
	}
	return tensor.SatMul(uint64(x.Arg[0].NNZ), min(uint64(x.Arg[1].NNZ), uint64(x.M)))
}
