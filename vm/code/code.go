// Package code defines the bytecode of Ein: a register machine whose registers hold whole
// tensors. Instructions run once, in order, without jumps, so the work of a program is the sum
// over its instructions, which is why it can be bounded before a run.
//
// A [Program] has inputs, constants, registers ([Reg]), instructions ([Instr]) and outputs. The
// type, shape and layout of a register never change, and each is written once, before it is read.
//
// Everything that is particular to an operation is one row of a table (ops.go): its signature,
// which attributes it has, a rule for what the signature cannot say, its kernel's plan or cost,
// and a line of description. The verifier, the disassembler, the binary form and package cost
// all read that table; the machine has one of its own with the kernels. A new operation is a row
// in each, a kernel, and a place in package compile that emits it.
//
// Bytecode may come from anyone. [Unmarshal] bounds what it reads before it allocates, and
// [Verify] accepts only programs that the machine can run without looking at types: registers
// in order, operands with the layouts and shapes of the signature, attributes in range. Relations
// in a program are verified by package rel.
package code

import (
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/rel/engine"
	"ein/vm/tensor"
)

// Reg is what a register holds. NNZ bounds the stored entries of a CSR, and the rows of
// a table, which has Columns; their domains are among those of the program.
type Reg struct {
	tensor.Type
	Layout  tensor.Layout
	NNZ     int
	Columns []tensor.Column
	// What an input is certified for, nil for any; the binary form has none.
	Table   *tensor.Table
	Pattern *tensor.CSR
}

// Words returns the words that hold the register as bits.
func (r *Reg) Words() uint64 {
	rows, cols := r.Shape.Matrix()
	return tensor.SatMul(uint64(rows), uint64(tensor.Words(cols)))
}

// Instr is one instruction. Dst is -1 for an instruction without a result.
type Instr struct {
	Op   Op
	Dst  int
	Args []int
	Attr
}

// Attr is the attributes of an instruction; each Op uses those its row names.
type Attr struct {
	Spec  *op.Spec
	Fn    op.Fn
	Fold  op.Fold
	Logic LogicOp
	Walk  op.WalkMode
	Axes  []int
	Micro *Micro
	Rules *rel.Program
	// Planned is a plan of Rules that the compiler made, which saves making it again; nil is
	// none, and one for other sizes is not used.
	Planned *engine.Plan
	// Results are the registers of tables that Rules gives, in their order. All other
	// operations have Dst.
	Results []int
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
	Kind string // graph, matrix, vector, scalar, relation

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
	Domains []*tensor.Domain // of the columns of tables and relations, each once
}
