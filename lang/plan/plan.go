// Package plan rewrites the operations of a checked program into cheaper ones with the
// same meaning.
//
// [New] takes the operations over from package check, and [Program.Optimise] applies the
// [Rewrites]. It goes over the operations in four passes, from the outputs down, and each pass
// decides with what the one before has left:
//
//	simplify  constants; 0/1 products that are only compared with 0 become bits
//	demand    an element or a row of a result replaces the result that nobody else needs
//	fuse      sums join the products below them; max and min over products are one contraction
//	order     products of several factors become pairs, the cheapest order first
//
// Every pass shares equal operations: a node is looked up by a key of its operation and its
// operands, so a value that two statements spell alike is computed once. What no output reaches
// is never visited, and so is gone.
//
// Three rules hold for every rewrite. An intermediate that two operations read is computed once
// and joined into neither. Whole numbers stay exact: what must be compared with 2^53 is not
// hidden inside another operation. And an operation that an output needs and that can stop the
// run is not dropped (canFail), so a mistake in the data is found with and without rewrites.
//
// Each rewrite notes what it did, which `ein explain` shows. Tests run every program with and
// without Optimise. A session first calls [Program.Use], which makes inputs of the values that it
// already has. Package compile then chooses layouts and kernels.
package plan

import (
	"slices"

	"ein/lang/check"
	"ein/lang/source"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// Program is a planned program: what the compiler turns into code.
type Program struct {
	Outputs []Output
	Inputs  []Input
	Stmts   []Stmt // in source order
	Labels  []string
	Domains []*tensor.Domain // of the relations

	Nodes    int       // all node IDs are below
	Rewrites []Rewrite // what Optimise did

	Arena *ir.Arena // for the operations of Optimise and of code; nil for one of its own
}

// Output is a value that the program gives to its host.
type Output struct {
	Name string
	Form ir.Form
	Node *ir.Node
	Pos  ir.Pos
	// Kept says that the value is for the host to give back later, not to be
	// shown: it may hold what is not finite, as any value inside a program may.
	Kept bool
}

// Input is a bound input: the layout it comes in decides the code.
type Input struct {
	Name, Kind string
	Node       *ir.Node
	Layout     tensor.Layout
	NNZ        int             // of a relation its rows
	Columns    []tensor.Column // of a relation
	Table      *tensor.Table   // likewise; nil for any
	Pattern    *tensor.CSR     // of a sparse matrix; nil for any
}

// Stmt is a statement of the source.
type Stmt struct {
	Name string
	Pos  ir.Pos
}

// New takes over a checked program whose inputs are bound.
func New(c *check.Program, inputs map[string]*tensor.Value) *Program {
	p := new(Program)
	p.Take(c, inputs)
	return p
}

// Take is New in the memory of a program that is no longer used.
func (p *Program) Take(c *check.Program, inputs map[string]*tensor.Value) {
	*p = Program{Labels: c.Labels, Nodes: c.Nodes, Arena: p.Arena, Rewrites: p.Rewrites[:0],
		Outputs: slices.Grow(p.Outputs[:0], len(c.Outputs)), Inputs: slices.Grow(p.Inputs[:0], len(c.Inputs)),
		Stmts: slices.Grow(p.Stmts[:0], len(c.Statements)+len(c.Outputs))}
	if c.Rules != nil {
		p.Domains = c.Rules.Domains
	}
	for _, o := range c.Outputs {
		p.Outputs = append(p.Outputs, Output{Name: o.Name, Form: o.Form, Node: o.Node, Pos: Pos(o.Span)})
	}
	for _, in := range c.Inputs {
		p.Inputs = append(p.Inputs, bound(in.Name, in.Kind, in.Node, inputs[in.Name]))
	}
	// What is done to a value because it is printed belongs to the printing.
	next := 0
	for _, s := range c.Statements {
		for ; next < len(p.Outputs) && p.Outputs[next].Pos.Start < int32(s.Span.Start); next++ {
			p.Stmts = append(p.Stmts, Stmt{Name: p.Outputs[next].Name, Pos: p.Outputs[next].Pos})
		}
		p.Stmts = append(p.Stmts, Stmt{Name: s.Name, Pos: Pos(s.Span)})
	}
	for _, o := range p.Outputs[next:] {
		p.Stmts = append(p.Stmts, Stmt{Name: o.Name, Pos: o.Pos})
	}
	p.Stmts = slices.CompactFunc(p.Stmts, func(a, b Stmt) bool { return a.Pos == b.Pos })
}

// bound returns an input with a value.
func bound(name, kind string, n *ir.Node, v *tensor.Value) Input {
	in := Input{Name: name, Kind: kind, Node: n, Layout: v.Layout, NNZ: v.CSR.NNZ()}
	if v.Layout == tensor.Sparse {
		in.Pattern = &v.CSR
	}
	if v.Layout == tensor.Rows {
		in.Kind, in.NNZ, in.Columns, in.Table = "relation", v.Table.Len, v.Table.Columns, v.Table
	}
	return in
}

// Pos is a place in the text as that of an operation.
func Pos(s source.Span) ir.Pos { return ir.Pos{Start: int32(s.Start), End: int32(s.End)} }
