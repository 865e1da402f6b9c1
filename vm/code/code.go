// Package code is the bytecode of Ein: a register machine whose registers are
// tensors. Instructions run once, in order; there are no jumps, so a program's
// work is the sum over its instructions.
//
// Every register has a type and a layout that never change, so a program is
// verified completely before it runs: Verify accepts only programs that the
// machine can run without looking at types again.
package code

import (
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/tensor"
)

// Op is an operation of the machine.
type Op uint8

// The operations. In the pictures d, a, b, c are registers, "d:bits[n,m]" says
// layout and shape, {..} are attributes; i, j are rank-0 registers holding
// positions.
const (
	Einsum         Op = iota // d:dense <- a:dense... {spec}                  sum of products
	Exact                    // d:dense <- a:dense... {spec}                  the same of whole numbers, exact on the way; stops when |x| >= 2^53; a or b: also csr
	Semiring                 // d:dense <- a:dense, b:dense {spec, fn, fold}  fold of fn
	Fused                    // d:dense <- a:dense... {micro}                 elementwise program
	Reduce                   // d:dense <- a:dense {fold, axes}
	Softmax                  // d:dense <- a:dense {axis}
	Select                   // d <- a, i... {axes}                           d: dense, or bits for a row of bits, csr, parts
	Convert                  // d <- a                                        same values, other layout
	Logic                    // d:bits <- a:bits, [b:bits] {fn}               and or xor andnot not, word by word
	Transpose                // d[m,n] <- a[n,m]                              bits or csr
	CountRows                // d:dense[n] <- a[n,m]                          sum along each row: bits, csr, parts
	CountCols                // d:dense[m] <- a[n,m]                          sum along each column: bits, csr
	CountAll                 // d:dense <- a                                  sum of everything: bits, csr, parts
	CountProduct             // d:dense[n,m] <- a:bits[n,k], b:bits[m,k]      popcount of each pair of rows
	CountMatVec              // d:dense[n] <- a:bits[n,k], b:bits[k]
	CountAnd                 // d:dense <- a:bits, b:bits                     popcount of the conjunction
	BoolProduct              // d:bits[n,m] <- a:bits[n,k], b:bits[k,m]       OR of ANDs
	BoolMatVec               // d:bits[n] <- a:bits[n,k], b:bits[k]
	TripleTrace              // d:dense <- a:bits[n,m], b:bits[m,k], c:bits[n,k]  sum over a[i,j] b[j,l] c[i,l]
	CubeTrace                // d:dense <- a:csr[n,n]                         trace of the third power
	MatVec                   // d:dense[n] <- a:csr[n,m], b:dense[m]
	VecMat                   // d:dense[m] <- a:dense[n], b:csr[n,m]
	Diag                     // d:dense[n] <- a:csr[n,n]|bits[n,n]
	Symmetric                // d:csr <- a:csr                                a or its transpose
	Pattern                  // d:csr <- a:csr                                1 where a has an entry
	Closure                  // d:bits[n,n] <- a:graph                        graph: bits[n,n] or csr[n,n]
	Walk                     // d:bits[n] <- a:graph, i {walk}
	HasPath                  // d:dense <- a:graph, i, j
	SCC                      // d:parts[n,n] <- a:graph
	Triangles                // d:dense <- a:graph
	Path                     // d:dense[n] <- a:graph, i, j
	Dist                     // d:dense[n] <- a:graph, i
	OneHot                   // d:bits[n] <- i
	CheckInt                 // a:dense                                       stops when |x| >= 2^53
	CheckFinite              // a:dense                                       stops at NaN or infinity
	CheckSymmetric           // a:graph                                       warns of one-way edges
	MaxOp
)

// Reg is what a register holds. NNZ bounds the stored entries of a CSR.
type Reg struct {
	tensor.Type
	Layout tensor.Layout
	NNZ    int
}

// Instr is one instruction. Dst is -1 for an instruction without a result.
type Instr struct {
	Op   Op
	Dst  int
	Args []int
	Attr
}

// Attr is the attributes of an instruction; each Op uses those its picture
// names.
type Attr struct {
	Spec  *op.Spec
	Fn    op.Fn
	Fold  op.Fold
	Logic LogicOp
	Walk  op.WalkMode
	Axes  []int
	Micro *Micro
}

// LogicOp is a word-by-word operation on bits.
type LogicOp uint8

// The logic operations; AndNot is a and not b.
const (
	And LogicOp = iota
	Or
	Xor
	AndNot
	Not
	maxLogic
)

func (o LogicOp) String() string { return [...]string{"and", "or", "xor", "andnot", "not"}[o] }

// Micro is an elementwise program: for each element of the result's shape (or,
// when Folds > 0, of Shape, whose last Folds axes are folded) it runs Code over
// block registers. Strides[k] is how operand k moves along each axis of Shape.
type Micro struct {
	Shape   []int
	Strides [][]int
	Code    []op.Micro
	Consts  []float64
	Folds   int
	Fold    op.Fold
}

// Const is a register that holds a value of the program.
type Const struct {
	Reg   int
	Value tensor.Value
}

// Input is a register that the host binds before a run.
type Input struct {
	Reg  int
	Name string
	Kind string // graph, matrix, vector, scalar

	// Of whole numbers, what the code relies on: their magnitudes take so many
	// bytes at most (0: any number), and none is negative.
	Bytes  int
	NonNeg bool
}

// Output is a register whose value the program gives.
type Output struct {
	Reg  int
	Name string
	Form ir.Form
	Pos  ir.Pos
}

// Stmt is the range of instructions [From, To) that compute one statement, for
// the cost of each; the instructions of shared values belong to the first.
type Stmt struct {
	Name     string
	Pos      ir.Pos
	From, To int
}

// Program is compiled code. It is immutable and may run on many machines at
// once.
type Program struct {
	Regs    []Reg
	Consts  []Const
	Inputs  []Input
	Code    []Instr
	Pos     []ir.Pos // source of each instruction
	Outputs []Output
	Stmts   []Stmt
	Labels  []string
}
