package plan

import (
	"ein/vm/ir"
	"ein/vm/tensor"
)

// Known is the value of an operation that the host has from an earlier run, with a name for
// listings.
type Known struct {
	Name  string
	Value *tensor.Value
}

// Use turns the operations whose values are known into inputs, so that nothing is computed twice,
// and drops the inputs that are no longer used. It returns the values of the remaining inputs, in
// order. It must come before Optimise. It renumbers the remaining operations, so that tables of
// them are as small as what is left of the program.
func (p *Program) Use(known map[*ir.Node]Known) []tensor.Value {
	u := user{known: known, done: map[*ir.Node]*ir.Node{}}
	for i := range p.Outputs {
		p.Outputs[i].Node = u.node(p.Outputs[i].Node)
	}
	p.Inputs, p.Nodes = u.inputs, len(u.done)
	return u.values
}

// user copies the operations that are left, under new numbers.
type user struct {
	known  map[*ir.Node]Known
	done   map[*ir.Node]*ir.Node
	inputs []Input
	values []tensor.Value
}

// node returns the copy of an operation, which is an input if its value is known. A constant
// stays one, so that rewrites can compute with it.
func (u *user) node(n *ir.Node) *ir.Node {
	if out := u.done[n]; out != nil {
		return out
	}
	var out *ir.Node
	if k, ok := u.known[n]; ok && n.Op != ir.Const {
		// What is known of the value stays, and so does the place. It has been checked.
		out = &ir.Node{Op: ir.Input, Slot: len(u.inputs), NonNeg: n.NonNeg, Type: n.Type, Bound: n.Limit(), Pos: n.Pos}
		u.inputs = append(u.inputs, bound(k.Name, kindOf(n.Type), out, k.Value))
		u.values = append(u.values, *k.Value)
	} else {
		copied := *n
		copied.Args = make([]*ir.Node, len(n.Args))
		for i, a := range n.Args {
			copied.Args[i] = u.node(a)
		}
		out = &copied
	}
	out.ID = len(u.done) // after its operands
	u.done[n] = out
	return out
}

// kindOf returns the word for a value in a declaration.
func kindOf(t tensor.Type) string {
	switch rank := t.Shape.Rank(); {
	case rank == 0:
		return "scalar"
	case rank == 1:
		return "vector"
	case rank == 2 && t.Kind == tensor.Bool && t.Shape.Dim(0) == t.Shape.Dim(1):
		return "graph"
	case rank == 2:
		return "matrix"
	}
	return "tensor"
}
