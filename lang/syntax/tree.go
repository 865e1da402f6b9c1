package syntax

import (
	"ein/lang/diag"
	"ein/lang/source"
)

// File is a parsed program. Stmts holds every statement, the broken ones as
// *Bad, in source order; Comments holds every comment in source order.
type File struct {
	Source   *source.File
	Stmts    []Stmt
	Comments []Comment
	Diags    diag.List // lexical and syntax diagnostics, sorted
	// Incomplete is set when more input at the end could fix every error: an
	// open bracket, or an operator or comma at the end. The REPL's continuation
	// rule.
	Incomplete bool
	// Cut is set when a limit or the end of a context left text unread.
	Cut bool
	// Footprint is the bytes of memory that parsing took at its peak, with the
	// text and the tree.
	Footprint uint64

	mem *nodes
}

// Comment is one // or # comment without its line ending.
type Comment struct{ Span source.Span }

// Node is a statement or an expression.
type Node interface{ Pos() source.Span }

// Stmt is one of *Assign, *Print, *Def, *Input, *Repeat, *Rule, *Query, *Bad.
type Stmt interface {
	Node
	stmt()
}

// Expr is one of *Name, *Number, *String, *List, *Call, *Index, *Product,
// *Unary, *Binary, *Paren, *BadExpr.
type Expr interface {
	Node
	expr()
}

// AssignOp is the operator of an assignment.
type AssignOp uint8

// =, max=, min= and +=.
const (
	Set AssignOp = iota
	SetMax
	SetMin
	SetAdd
)

func (op AssignOp) String() string { return [...]string{"=", "max=", "min=", "+="}[op] }

// Ident is a name with its place.
type Ident struct {
	Name string
	Span source.Span
}

type (
	// Assign is Name = Value or Name[Indices] = Value.
	Assign struct {
		source.Span
		Name    Ident
		Indexed bool   // the left side has brackets
		Indices []Expr // *Name for an index; anything else is the checker's to reject
		Op      AssignOp
		OpSpan  source.Span
		Value   Expr
	}
	// Print is :print Value, Value, ...
	Print struct {
		source.Span
		Values []Expr
	}
	// Def is def Name(Params) = Value, or def Name(Params) = { Body }. Exactly
	// one of Value and Body is set; a Body holds *Assign, *Repeat (and *Bad) only, and
	// its last statement may be an *ExprStmt.
	Def struct {
		source.Span
		Name   Ident
		Params []Ident
		Value  Expr
		Body   []Stmt
	}
	// ExprStmt is a bare expression: the value of a def block, or a REPL line.
	ExprStmt struct {
		source.Span
		X Expr
	}
	// Input is input Name: Kind, or of a relation input Name(Columns).
	Input struct {
		source.Span
		Name    Ident
		Kind    Ident // graph, matrix, vector, scalar; the checker judges it
		Columns []Column
	}
	// Column is Name: Type.
	Column struct{ Name, Type Ident }
	// Rule is Head <- Body. where Head is a *Call, or Head Op Value <- Body. where
	// it is an *Index. One without a body is a fact, or a base case.
	Rule struct {
		source.Span
		Head   Expr
		Op     AssignOp // Set when there is no Value
		OpSpan source.Span
		Value  Expr
		Body   []Literal
	}
	// Query is Body?, or :why Body, which is one atom, perhaps with a not.
	Query struct {
		source.Span
		Body []Literal
		Why  bool
	}
	// Literal is X, not X, or X = Value.
	Literal struct {
		Span   source.Span
		Not    bool
		X      Expr // a *Call or an *Index of a relation, or a comparison
		Op     AssignOp
		OpSpan source.Span // when there is a Value
		Value  Expr
	}
	// Repeat is repeat Times { Body }; the Body holds *Assign, *Repeat and *Bad.
	Repeat struct {
		source.Span
		Times Expr
		Body  []Stmt
	}
	// Bad is a statement that did not parse; its diagnostic is in File.Diags.
	// Name is the name it would have defined, if that much was readable, so that
	// later uses do not cascade.
	Bad struct {
		source.Span
		Name string
	}
)

type (
	// Name is an identifier: a tensor, an index, or a parameter.
	Name struct {
		source.Span
		Name string
	}
	// Number is an unsigned literal. Text is as written.
	Number struct {
		source.Span
		Text  string
		Value float64
	}
	// String is a node label. Value has no quotes and no escapes left.
	String struct {
		source.Span
		Value string
	}
	// List is [a, b, ...]. A long one of numbers is Packed and has no Elems; Len,
	// All and At know of both.
	List struct {
		source.Span
		Elems  []Expr
		Packed *Packed
	}
	// Call is Fun(Args). Fun is always a name in Ein.
	Call struct {
		source.Span
		Fun  Ident
		Args []Arg
	}
	// Arg is an argument, named as in axis=1 when Name.Name is not empty.
	Arg struct {
		Name  Ident
		Value Expr
	}
	// Index is X[Indices].
	Index struct {
		source.Span
		X       Expr
		Indices []Expr
	}
	// Product is two or more factors side by side.
	Product struct {
		source.Span
		Factors []Expr
	}
	// Unary is -X.
	Unary struct {
		source.Span
		X Expr
	}
	// Binary is L Op R.
	Binary struct {
		source.Span
		Op     BinaryOp
		OpSpan source.Span
		L, R   Expr
	}
	// Paren is (X); kept because a parenthesised sum inside a product is scoped
	// differently and because the formatter prints what was written.
	Paren struct {
		source.Span
		X Expr
	}
	// BadExpr stands where an expression could not be read.
	BadExpr struct{ source.Span }
)

// Unparen is an expression without the parentheses around it.
func Unparen(x Expr) Expr {
	for {
		p, ok := x.(*Paren)
		if !ok {
			return x
		}
		x = p.X
	}
}

// BinaryOp is an infix operator.
type BinaryOp uint8

// The infix operators, in the order of binaryOps.
const (
	Mul BinaryOp = iota
	Div
	Add
	Sub
	Gt
	Ge
	Lt
	Le
	Eq
	Ne
)

var binaryOps = [...]string{"*", "/", "+", "-", ">", ">=", "<", "<=", "==", "!="}

func (op BinaryOp) String() string { return binaryOps[op] }

// Compares reports whether op is one of > >= < <= == !=.
func (op BinaryOp) Compares() bool { return op >= Gt }

func (*Assign) stmt()   {}
func (*Print) stmt()    {}
func (*Def) stmt()      {}
func (*ExprStmt) stmt() {}
func (*Input) stmt()    {}
func (*Repeat) stmt()   {}
func (*Rule) stmt()     {}
func (*Query) stmt()    {}
func (*Bad) stmt()      {}

func (*Name) expr()    {}
func (*Number) expr()  {}
func (*String) expr()  {}
func (*List) expr()    {}
func (*Call) expr()    {}
func (*Index) expr()   {}
func (*Product) expr() {}
func (*Unary) expr()   {}
func (*Binary) expr()  {}
func (*Paren) expr()   {}
func (*BadExpr) expr() {}
