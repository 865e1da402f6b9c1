// Package ir represents the meaning of a program as a graph of tensor operations, before
// any kernel or layout is chosen.
//
// A [Node] is an operation on the values of other nodes. A [Builder] makes nodes and
// computes the type of each and a bound on its values. The checker builds them from
// source, the planner rewrites them and the compiler turns them into instructions. Nodes
// are immutable once built, and the graph has no cycles, so a program's work is bounded by
// construction.
//
// # Types and bounds
//
// The functions of the Builder are the only type rules. They expect arguments that fit: the
// checker says in the user's terms what does not, so a misfit here is a bug and panics.
//
// Whole numbers are exact below 2^53, and Bound is how that costs little: no element of a
// node is larger in magnitude. Only a node whose bound reaches 2^53 is Checked at run time. A sum with
// terms of both signs could pass 2^53 and come back; such an Einsum NeedsExact arithmetic.
// What a rewrite introduces, and the source does not have, is made Unchecked.
//
// # Einsum
//
// A product of any number of factors is one Einsum, and so is a transpose, a diagonal, a
// sum or a repetition: an Einsum of one argument (View). Its Spec lists the index of each
// axis of each argument. Indices are numbered by first occurrence, so that equal
// contractions have equal Specs, by which the planner finds them.
//
// Nodes and all they refer to lie in an [Arena], which one program leaves to the next.
package ir

import (
	"math"

	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// Op is a tensor operation.
type Op uint8

// The operations. A, B are tensors; i, j are rank-0 integers; G is a square
// matrix read as a graph: an edge from i to j where G[i,j] is not 0.
const (
	Const          Op = iota // Value
	Input                    // the host's value in slot Slot
	Einsum                   // sum over the indices of Spec that its Out lacks of the product of the arguments
	Map                      // Fn of the arguments, element by element; rank-0 arguments are the same everywhere
	Reduce                   // fold over Axes by Fold
	Select                   // A, i, j, ...: A at Axes[0]=i, Axes[1]=j, ...; those axes go
	Softmax                  // along Axes[0]
	Closure                  // G: 1 where a path of at least one edge leads from row to column
	Walk                     // G, i: 0/1 vector of the nodes reached from i (Walk says which); Reverse follows edges backwards
	HasPath                  // G, i, j: the element of Closure
	SCC                      // G: 1 where row and column are the same node or reach each other
	Triangles                // G: number of undirected triangles
	Path                     // G, i, j: positions on a shortest path, -1 off it
	Dist                     // G, i: number of edges on a shortest path, -1 where there is none
	Semiring                 // fold by Fold of Fn(A, B) over the indices of Spec that its Out lacks
	WDist                    // W, i, x: least weight of a path from i to each node, x where there is none
	WPath                    // W, i, j: positions on a path of least weight, -1 off it
	Weak                     // G: 1 where row and column are joined, whatever the direction of edges
	Groups                   // SCC or Weak: the number of the part of each node
	TopoOrder                // G: positions in an order in which all edges lead forward
	Bridges                  // symmetric G: edges without which more parts would be
	CutNodes                 // symmetric G: nodes without which more parts would be
	Cores                    // symmetric G: the largest k for which a node is in the k-core
	PageRank                 // W, d: shares of a walk over edges, by weight
	SpanningForest           // W: the entries of least weight that join what is joined
	MinCut                   // W, i, j: the entries of W in the cut of least weight between i and j
	Betweenness              // G: the shares of shortest paths that lead through a node
	Sort                     // v: its elements, the least first
	Rank                     // v: the place of each element when they are sorted
	OneHot                   // i: 0/1 vector of length Size with a 1 at i
	Relation                 // the rows of result Slot of Rules, whose sources are the arguments
	Scatter                  // R, x: the rows of a Relation as a tensor: 1, or the last column, where it has a row, else x
	BoolEinsum               // 0/1 matrix product: 1 where Einsum of the 0/1 arguments would not be 0
	MaxOp
)

var opNames = [MaxOp]string{
	Const: "const", Input: "input", Einsum: "einsum", Map: "map", Reduce: "reduce", Select: "select",
	Softmax: "softmax", Closure: "tc", Walk: "walk", HasPath: "has_path", SCC: "scc",
	Triangles: "triangles", OneHot: "one_hot", Path: "path", Dist: "dist", WDist: "wdist", WPath: "wpath", Weak: "wcc", Groups: "components",
	TopoOrder: "topo_order", Bridges: "bridges", CutNodes: "cut_nodes", Cores: "core_number", PageRank: "pagerank",
	SpanningForest: "mst", MinCut: "mincut", Relation: "relation", Scatter: "scatter", Betweenness: "betweenness", Sort: "sort", Rank: "rank", Semiring: "semiring", BoolEinsum: "bool_einsum",
}

func (op Op) String() string { return opNames[op] }

// Pos is the byte range of the source text that a node stands for.
type Pos = op.Pos

// Node is one operation. See the Op constants for which fields each uses.
type Node struct {
	ID      int // number of the node in its builder, for tables
	Op      Op
	Fn      op.Fn       // Map, Semiring
	Fold    op.Fold     // Reduce, Semiring
	Walk    op.WalkMode // Walk
	Reverse bool        // Walk
	NonNeg  bool        // no element is below 0
	Type    tensor.Type
	Bound   float64 // no element is larger in magnitude; +Inf when nothing is known
	Args    []*Node
	Spec    *op.Spec      // Einsum, Semiring, BoolEinsum
	Axes    []int         // Reduce, Select, Softmax; increasing
	Value   *tensor.Value // Const
	Slot    int           // Input, Relation
	Rules   *Rules        // Relation
	Size    int           // OneHot
	Pos     Pos

	static float64 // of a Map: its value, when known
	known  bool
	height int32 // operations one on top of the other, down to what is given
}

// Rules is the relations of a program. The checker fills it in when it has seen what
// reads them.
type Rules struct{ *rel.Program }

// Rank returns the number of axes of the node's value.
func (n *Node) Rank() int { return n.Type.Shape.Rank() }

// Scalar reports whether n is a constant of rank 0, and its value.
func (n *Node) Scalar() (float64, bool) {
	if n.Op == Const && n.Rank() == 0 {
		return n.Value.F[0], true
	}
	return 0, false
}

// Checked reports whether the value has to be compared with 2^53 when the program
// runs: it is a whole number, and nothing known before says that it is smaller.
func (n *Node) Checked() bool { return n.Type.Kind == tensor.Int && n.Bound >= tensor.MaxInt }

// Unchecked makes a node that was just built, and is only a part of a value of the
// program, a real number if it would have to be checked.
func (n *Node) Unchecked() *Node {
	if n.Checked() {
		n.Type.Kind = tensor.Real
	}
	return n
}

// maxFinite is what products may reach whose sums, of fewer than 2^60 terms, are to
// stay finite.
const maxFinite = 1e280

// NeedsExact reports whether an Einsum of whole numbers may be wrong in floating
// point although the result is small. Without negative terms it is not: what
// reaches 2^53 on the way either stays in the result or is multiplied by 0, as long
// as it is finite.
func (n *Node) NeedsExact() bool {
	if n.Op != Einsum || n.Type.Kind == tensor.Bool {
		return false
	}
	most := 1.0
	for _, a := range n.Args {
		if a.Type.Kind == tensor.Real {
			return false
		}
		most *= max(1, a.Limit())
	}
	return n.Bound >= tensor.MaxInt && !n.NonNeg || len(n.Args) > 2 && most > maxFinite
}

// Limit bounds the elements once they are checked.
func (n *Node) Limit() float64 {
	if n.Type.Kind == tensor.Int {
		return min(n.Bound, tensor.MaxInt-1)
	}
	return n.Bound
}

// Static returns the value of a scalar that is known from the program text alone:
// constants, and arithmetic on them as long as it is exact. It is how sizes are
// computed.
func (n *Node) Static() (float64, bool) {
	if n.known {
		return n.static, true
	}
	return n.Scalar()
}

// staticMap is the value of a Map of scalars that are all known. It is computed
// when the node is built: n = n * n, over and over, has a short text and
// exponentially many paths.
func staticMap(n *Node) (x float64, known bool) {
	if n.Rank() > 0 {
		return 0, false
	}
	var arg [3]float64
	for i, a := range n.Args {
		if arg[i], known = a.Static(); !known {
			return 0, false
		}
	}
	x = n.Fn.Apply(arg[0], arg[1], arg[2])
	return x, n.Type.Kind != tensor.Int || !(math.Abs(x) >= tensor.MaxInt)
}

// IsArg reports whether n gives a position, not a value.
func (n *Node) IsArg() bool {
	return n.Op == Reduce && (n.Fold == op.FoldArgMax || n.Fold == op.FoldArgMin)
}

// Form says how an output is shown when labels are asked for.
type Form uint8

// The forms; see the outputs of the language.
const (
	Plain Form = iota
	NodeSet
	NodePath
	NodeIndex
)
