package plan

import (
	"ein/vm/ir"
	"ein/vm/tensor"
)

// Known is an operation whose value the host has from an earlier run.
type Known struct {
	Name  string
	Node  *ir.Node
	Value *tensor.Value
}

// Use makes inputs of the operations whose values are known, so that nothing is
// computed twice, and drops the inputs that nothing uses any more. It returns the
// values of the inputs that are left, in their order. It comes before Optimise.
func (p *Program) Use(known []Known) []tensor.Value {
	u := user{known: map[*ir.Node]Known{}, done: map[*ir.Node]*ir.Node{}}
	for _, k := range known {
		u.known[k.Node] = k
	}
	for i := range p.Outputs {
		p.Outputs[i].Node = u.node(p.Outputs[i].Node)
	}
	p.Inputs = u.inputs
	return u.values
}

type user struct {
	known  map[*ir.Node]Known
	done   map[*ir.Node]*ir.Node
	inputs []Input
	values []tensor.Value
}

func (u *user) node(n *ir.Node) *ir.Node {
	if out := u.done[n]; out != nil {
		return out
	}
	out := n
	if k, ok := u.known[n]; ok && n.Op != ir.Const {
		// What is known of the value stays, and so does the number in the tables.
		out = &ir.Node{ID: n.ID, Op: ir.Input, Slot: len(u.inputs), NonNeg: n.NonNeg, Type: n.Type, Bound: n.Bound, Pos: n.Pos}
		u.inputs = append(u.inputs, Input{Name: k.Name, Kind: kindOf(n.Type), Node: out, Layout: k.Value.Layout, NNZ: k.Value.CSR.NNZ()})
		u.values = append(u.values, *k.Value)
	} else if len(n.Args) > 0 {
		copied := *n
		copied.Args = make([]*ir.Node, len(n.Args))
		for i, a := range n.Args {
			copied.Args[i] = u.node(a)
		}
		out = &copied
	}
	u.done[n] = out
	return out
}

// kindOf is the word for a value in a declaration.
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
