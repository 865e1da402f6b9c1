// Package compile turns planned tensor operations into bytecode: [Compile] chooses the
// layout of every value and the kernel of every operation. The planner has already decided
// what is computed; package cost bounds the result.
//
// # Layouts
//
// Code is made from the outputs down, on demand: value emits a node the first time that
// something reads it, and in gives a register that holds it in a layout, with a conversion
// if no earlier reader wanted one. So a value is computed once, and converted at most once
// to each layout. It has a natural layout, the one that its kernel makes. 0/1 matrices stay
// packed or sparse as long as their readers can work on bits; every value that is not a
// table has a dense form, so some kernel always fits. Conversions and transposes of small
// constants are done here.
//
// # Kernels
//
// Most operations are one instruction (direct). Four have choices:
//
//	contraction    a special kernel, such as bits or one sparse factor, else the general one;
//	               Exact if a sum could pass 2^53 and come back (einsum.go)
//	elementwise    bit operations, or one loop for a whole expression: fuse takes in up to 10
//	               operations that nothing else reads, and a fold above them (map.go)
//	semiring       max or min over pairs of elements, in one kernel
//	relations      one instruction for all rules that are read together
//
// With Options.Plain there is one dense kernel for each operation wherever there is one. It
// is what tests compare the special kernels with.
//
// # Invariants
//
// Compile cannot fail: everything that can be wrong was found by package check. What may
// stop a run is part of a kernel or an instruction of its own (CheckInt, CheckFinite), emitted
// beside the value it checks; CheckSymmetric only warns. A program that relies on inputs without
// negative numbers says so in its inputs (unsigned), and the machine refuses others.
package compile

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"ein/internal/slab"
	"ein/lang/check"
	"ein/lang/plan"
	"ein/vm/code"
	"ein/vm/ir"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/tensor"
)

// Options are the options of Compile.
type Options struct {
	// Plain uses one dense kernel for each operation wherever there is one: the
	// reference that the specialised code is compared with.
	Plain bool
	// Into is a program that is in use no more, whose memory the result takes; nil is
	// none.
	Into *code.Program
}

// Compile generates code. It cannot fail on a program that was checked.
func Compile(p *plan.Program, opt Options) *code.Program {
	g := gens.Get().(*gen)
	g.plain, g.unsigned, g.sparser, g.b = opt.Plain, false, false, ir.Builder{Count: p.Nodes, Arena: p.Arena}
	for _, o := range p.Outputs {
		g.count(o.Node)
	}
	for _, in := range p.Inputs {
		r := g.reg(in.Node.Type, in.Layout)
		g.out.Regs[r].NNZ, g.out.Regs[r].Columns, g.out.Regs[r].Table = in.NNZ, in.Columns, in.Table
		bind := code.Input{Reg: r, Name: in.Name, Kind: in.Kind}
		if in.Node.Type.Kind == tensor.Int {
			bind.Bytes, bind.NonNeg = tensor.BytesOf(in.Node.Bound), in.Node.NonNeg
		}
		g.out.Inputs = append(g.out.Inputs, bind)
		g.vals.Set(in.Node, g.newValue(in.Layout, r))
		g.sparser = g.sparser || in.Layout == tensor.Sparse
	}
	for _, o := range p.Outputs {
		v := g.value(o.Node)
		r := v.reg[v.natural]
		g.pos = o.Pos
		if o.Node.Type.Far && !o.Kept {
			r = g.dense(o.Node) // what it does not list is an element, too
		}
		made := g.out.Regs[r].Layout == tensor.Sparse && (o.Node.Op == ir.Map || o.Node.Op == ir.Einsum)
		if !o.Kept && o.Node.Type.Kind == tensor.Real && (made || g.out.Regs[r].Layout == tensor.Dense) {
			g.emit(code.CheckFinite, -1, code.Attr{}, r)
		}
		g.out.Outputs = append(g.out.Outputs, code.Output{Reg: r, Name: o.Name, Form: o.Form, Pos: o.Pos})
	}
	if g.unsigned {
		for i, in := range p.Inputs {
			g.out.Inputs[i].NonNeg = in.Node.NonNeg && in.Node.Type.Kind != tensor.Bool
		}
	}
	if slices.ContainsFunc(g.out.Code, func(in code.Instr) bool { return in.Op.Grows() }) {
		for i, in := range p.Inputs {
			g.out.Regs[g.out.Inputs[i].Reg].Pattern = in.Pattern
		}
	}
	g.statements(p.Stmts)
	out := opt.Into
	if out == nil {
		out = new(code.Program)
	}
	*out = code.Program{Labels: p.Labels, Domains: p.Domains, Regs: out.Regs[:0], Consts: out.Consts[:0], Inputs: out.Inputs[:0],
		Code: out.Code[:0], Pos: out.Pos[:0], Outputs: out.Outputs[:0], Stmts: out.Stmts[:0]}
	g.hand(out)
	return out
}

// hand passes the code to out and keeps the memory for the next Compile.
func (g *gen) hand(out *code.Program) {
	o := &g.out
	out.Regs, out.Consts, out.Inputs = append(out.Regs, o.Regs...), append(out.Consts, o.Consts...), append(out.Inputs, o.Inputs...)
	out.Code, out.Pos = append(out.Code, o.Code...), append(out.Pos, o.Pos...)
	out.Outputs, out.Stmts = append(out.Outputs, o.Outputs...), append(out.Stmts, o.Stmts...)
	if len(o.Code) > keepCode || len(g.uses) > keepCode {
		return
	}
	clear(o.Regs)
	clear(o.Consts)
	clear(o.Inputs)
	clear(o.Code)
	clear(o.Outputs)
	clear(o.Stmts)
	*o = code.Program{Regs: o.Regs[:0], Consts: o.Consts[:0], Inputs: o.Inputs[:0], Code: o.Code[:0], Pos: o.Pos[:0], Outputs: o.Outputs[:0], Stmts: o.Stmts[:0]}
	clear(g.vals)
	clear(g.uses)
	clear(g.turns)
	clear(g.masks)
	clear(g.guess)
	clear(g.rules)
	g.made.Reset()
	g.b = ir.Builder{}
	gens.Put(g)
}

// keepCode bounds the programs after which a generator is kept for reuse.
const keepCode = 1 << 12

var gens = sync.Pool{New: func() any {
	return &gen{turns: map[int]int{}, masks: map[[2]int]int{}, guess: map[int]float64{}, rules: map[*ir.Rules][]int{}}
}}

// statements records which instructions belong to which statement: the last
// one that begins at or before their position.
func (g *gen) statements(stmts []plan.Stmt) {
	if len(stmts) == 0 {
		return
	}
	for i, p := range g.out.Pos {
		s := stmts[max(sort.Search(len(stmts), func(i int) bool { return stmts[i].Pos.Start > p.Start })-1, 0)]
		last := len(g.out.Stmts) - 1
		if last >= 0 && g.out.Stmts[last].Pos == s.Pos {
			g.out.Stmts[last].To = i + 1
			continue
		}
		g.out.Stmts = append(g.out.Stmts, code.Stmt{Name: s.Name, Pos: s.Pos, From: i, To: i + 1})
	}
}

// value holds the registers of a node, one for each layout in which it exists.
type value struct {
	reg     [5]int
	natural tensor.Layout // the one it was computed in
}

// newValue is a value that is in one register, of one layout, so far.
func (g *gen) newValue(l tensor.Layout, reg int) *value {
	v := g.made.New()
	*v = value{reg: [5]int{-1, -1, -1, -1, -1}, natural: l}
	v.reg[l] = reg
	return v
}

func (v *value) has(l tensor.Layout) bool { return v.reg[l] >= 0 }

// gen makes the bytecode of one plan. The registers of each node are found in vals.
type gen struct {
	out   code.Program
	plain bool
	made  slab.Of[value]
	vals  ir.Table[*value]
	uses  ir.Table[int]       // how many nodes and outputs read a node
	turns map[int]int         // register -> its transpose
	masks map[[2]int]int      // see masked
	guess map[int]float64     // register -> its entries, see entries
	rules map[*ir.Rules][]int // their results
	pos   ir.Pos
	b     ir.Builder
	// sparser says that some value is sparse.
	sparser bool
	// unsigned says that code relies on real inputs without negative numbers.
	unsigned bool
}

// count counts uses; it walks each node once.
func (g *gen) count(n *ir.Node) {
	g.uses.Set(n, g.uses.At(n)+1)
	if g.uses.At(n) > 1 {
		return
	}
	g.sparser = g.sparser || n.Op == ir.Const && n.Value.Layout == tensor.Sparse || n.Op == ir.Scatter || direct[n.Op] != code.Einsum && direct[n.Op].Gives() == tensor.Sparse
	for _, a := range n.Args {
		g.count(a)
	}
}

// reg makes a register. Bits and parts hold 0 and 1 alone, whatever the kind of the value.
func (g *gen) reg(t tensor.Type, l tensor.Layout) int {
	if l == tensor.Packed || l == tensor.Parts {
		t.Kind, t.Far = tensor.Bool, false
	}
	g.out.Regs = append(g.out.Regs, code.Reg{Type: t, Layout: l})
	return len(g.out.Regs) - 1
}

// few is how many operands a list on the stack has room for.
const few = 8

// emit appends an instruction, at the place in the source that is compiled.
func (g *gen) emit(op code.Op, dst int, attr code.Attr, args ...int) {
	g.out.Code = append(g.out.Code, code.Instr{Op: op, Dst: dst, Args: g.b.Ints(args...), Attr: attr})
	g.out.Pos = append(g.out.Pos, g.pos)
}

// to emits an instruction with a new register for its result.
func (g *gen) to(t tensor.Type, l tensor.Layout, op code.Op, attr code.Attr, args ...int) int {
	r := g.reg(t, l)
	g.emit(op, r, attr, args...)
	return r
}

// constant makes a register that holds a value before the first instruction.
func (g *gen) constant(v tensor.Value) int {
	r := g.reg(v.Type, v.Layout)
	if v.Layout == tensor.Sparse {
		g.out.Regs[r].NNZ = v.CSR.NNZ()
	}
	g.out.Consts = append(g.out.Consts, code.Const{Reg: r, Value: v})
	return r
}

// value computes a node and returns where it is.
func (g *gen) value(n *ir.Node) *value {
	if v := g.vals.At(n); v != nil {
		return v
	}
	v := g.lower(n)
	g.vals.Set(n, v)
	return v
}

// in returns a register that holds n in the given layout.
func (g *gen) in(n *ir.Node, l tensor.Layout) int {
	v := g.value(n)
	if v.has(l) {
		return v.reg[l]
	}
	// A small constant is converted here and now; the space of a large one is the
	// run's to account for.
	if n.Op == ir.Const && n.Rank() > 0 && n.Type.Shape.Elems() <= smallConst {
		v.reg[l] = g.constant(convertConst(n.Value, l))
		return v.reg[l]
	}
	from := v.reg[v.natural]
	if v.natural == tensor.Parts && l == tensor.Dense {
		from = g.in(n, tensor.Packed)
	}
	v.reg[l] = g.to(n.Type, l, code.Convert, code.Attr{}, from)
	return v.reg[l]
}

// smallConst is the number of elements up to which constants are converted and
// transposed while compiling.
const smallConst = 1 << 16

// convertConst changes the layout of a constant while compiling.
func convertConst(v *tensor.Value, l tensor.Layout) tensor.Value {
	out := tensor.Value{Type: v.Type, Layout: l}
	var c kernel.Ctl
	switch {
	case l == tensor.Dense:
		out.F = v.ToDense()
	case l == tensor.Packed && v.Layout == tensor.Dense:
		out.Bits = tensor.NewBits(v.Shape.Matrix())
		kernel.BitsPack(&c, out.Bits, v.F)
	case l == tensor.Packed:
		out.Bits = tensor.NewBits(v.CSR.Rows, v.CSR.Cols)
		kernel.CSRToBits(&c, out.Bits, v.CSR)
	default:
		panic(fmt.Sprintf("BUG: compile: constant from %v to %v", v.Layout, l))
	}
	return out
}

// graph returns a register that holds n as a graph: with weights or, without, with an edge wherever n is
// not 0 or, if n is far, not infinite.
func (g *gen) graph(n *ir.Node, weights bool) int {
	switch v := g.value(n); {
	case v.has(tensor.Sparse):
		return v.reg[tensor.Sparse]
	case n.Type.Kind == tensor.Bool:
		return g.in(n, tensor.Packed)
	case weights:
		return g.dense(n)
	}
	edge := g.b.Map(op.FnNe, n, g.b.Number(n.Type.Absent()))
	edge.Pos = n.Pos
	return g.in(edge, tensor.Packed)
}

// transposed returns a register with the transpose of a packed or sparse one.
func (g *gen) transposed(r int) int {
	if t, ok := g.turns[r]; ok {
		return t
	}
	if t, ok := g.constTransposed(r); ok {
		g.turns[r], g.turns[t] = t, r
		return t
	}
	from := g.out.Regs[r]
	typ := from.Type
	typ.Shape = tensor.ShapeOf(typ.Shape.Dim(1), typ.Shape.Dim(0))
	var t int
	if from.Layout == tensor.Sparse {
		t = g.csr(typ, code.Transpose, code.Attr{}, r)
		g.guessed(t, g.entries(r))
	} else {
		t = g.to(typ, from.Layout, code.Transpose, code.Attr{}, r)
	}
	g.turns[r], g.turns[t] = t, r
	return t
}

// constTransposed returns the transpose of a packed constant, which is the constant itself if it is
// symmetric.
func (g *gen) constTransposed(r int) (int, bool) {
	v := g.constValue(r)
	if v == nil || v.Layout != tensor.Packed || g.plain || v.Shape.Elems() > smallConst {
		return 0, false
	}
	t := tensor.Value{Type: v.Type, Layout: tensor.Packed, Bits: tensor.NewBits(v.Bits.Cols, v.Bits.Rows)}
	t.Shape = tensor.ShapeOf(v.Bits.Cols, v.Bits.Rows)
	kernel.BitsTranspose(&kernel.Ctl{}, t.Bits, v.Bits)
	if t.Shape == v.Shape && slices.Equal(t.Bits.W, v.Bits.W) {
		return r, true
	}
	return g.constant(t), true
}

// constValue is the constant in a register, nil if it holds none.
func (g *gen) constValue(r int) *tensor.Value {
	for i := range g.out.Consts {
		if g.out.Consts[i].Reg == r {
			return &g.out.Consts[i].Value
		}
	}
	return nil
}

func (g *gen) dense(n *ir.Node) int { return g.in(n, tensor.Dense) }

// lower emits the code of one node.
func (g *gen) lower(n *ir.Node) *value {
	for _, a := range n.Args {
		if n.Op != ir.Map && n.Op != ir.Reduce && n.Op != ir.Einsum {
			g.value(a)
		}
	}
	saved := g.pos
	g.pos = n.Pos
	defer func() { g.pos = saved }()
	switch n.Op {
	case ir.Const:
		return g.newValue(n.Value.Layout, g.constant(*n.Value))
	case ir.Einsum:
		return g.checked(n, g.einsum(n))
	case ir.BoolEinsum:
		return g.boolEinsum(n)
	case ir.Map:
		return g.mapped(n)
	case ir.Reduce:
		return g.reduce(n)
	case ir.Semiring:
		return g.semiring(n)
	case ir.Select:
		return g.selects(n)
	case ir.Scatter:
		return g.scatter(n)
	case ir.Relation:
		return g.newValue(tensor.Rows, g.results(n)[n.Slot])
	}
	return g.direct(n)
}

// direct maps the operations that are a single instruction.
var direct = [ir.MaxOp]code.Op{
	ir.Semiring: code.Semiring, ir.Softmax: code.Softmax, ir.Closure: code.Closure, ir.Walk: code.Walk, ir.HasPath: code.HasPath,
	ir.SCC: code.SCC, ir.Triangles: code.Triangles, ir.Path: code.Path, ir.Dist: code.Dist, ir.WDist: code.WDist, ir.WPath: code.WPath,
	ir.Weak: code.Weak, ir.Groups: code.Groups, ir.TopoOrder: code.TopoOrder, ir.Bridges: code.Bridges, ir.CutNodes: code.CutNodes,
	ir.Cores: code.Cores, ir.PageRank: code.PageRank, ir.SpanningForest: code.SpanningForest, ir.Betweenness: code.Betweenness,
	ir.MinCut: code.MinCut, ir.Sort: code.Sort, ir.Rank: code.Rank, ir.OneHot: code.OneHot,
}

// signed are the operations for weights that may be negative, by those for others.
var signed = map[code.Op]code.Op{code.WDist: code.WDistSigned, code.WPath: code.WPathSigned}

// direct emits the one instruction of a node, with each operand in the layout that the signature
// asks for. Weights that are known to have no negative number get the faster algorithm.
func (g *gen) direct(n *ir.Node) *value {
	op := direct[n.Op]
	if op == code.Einsum { // which no operation is alone
		panic("BUG: compile: no case for " + n.Op.String())
	}
	if signed, ok := signed[op]; ok {
		if n.Args[0].NonNeg {
			g.unsigned = true
		} else {
			op = signed
		}
	}
	args := make([]int, 0, few)
	for i, a := range n.Args {
		var r int
		switch {
		case op == code.Groups:
			r = g.value(a).reg[tensor.Parts]
		case i > 0 || !op.OnGraph() && !op.OnWeights():
			r = g.dense(a)
		case n.Reverse:
			r = g.transposed(g.graph(a, false))
		default:
			r = g.graph(a, op.OnWeights())
		}
		args = append(args, r)
	}
	l := op.Gives()
	attr := code.Attr{Spec: n.Spec, Fn: n.Fn, Fold: n.Fold, Walk: n.Walk, Axes: n.Axes}
	if l == tensor.Sparse {
		return g.newValue(l, g.csr(n.Type, op, attr, args...))
	}
	return g.checked(n, g.newValue(l, g.to(n.Type, l, op, attr, args...)))
}

// scatter makes a tensor of a relation: a set or a graph as bits, or sparse where that
// takes less.
func (g *gen) scatter(n *ir.Node) *value {
	table := g.value(n.Args[0]).reg[tensor.Rows]
	rows, cols := n.Type.Shape.Matrix()
	nnz := int(min(uint64(g.out.Regs[table].NNZ), n.Type.Shape.Elems()))
	l := tensor.Dense
	rest, known := n.Args[1].Scalar()
	switch {
	case !known || rest != 0:
	case n.Type.Kind == tensor.Bool && n.Rank() == 1, n.Type.Kind == tensor.Bool && n.Rank() == 2 && check.Packs(rows, cols, nnz):
		l = tensor.Packed
	case n.Rank() == 2 && !check.Packs(rows, cols, nnz):
		l = tensor.Sparse
	}
	v := g.newValue(l, g.to(n.Type, l, code.Scatter, code.Attr{}, table, g.dense(n.Args[1])))
	if l == tensor.Sparse {
		g.out.Regs[v.reg[l]].NNZ = nnz
	}
	return g.checked(n, v)
}

// results returns the registers of the tables that the rules of a relation give, all from one
// instruction.
func (g *gen) results(n *ir.Node) []int {
	if regs, ok := g.rules[n.Rules]; ok {
		return regs
	}
	args := make([]int, len(n.Args))
	sources := make([]*code.Reg, len(n.Args))
	for i, a := range n.Args {
		v := g.value(a)
		if args[i] = v.reg[v.natural]; a.Type.Far {
			args[i] = g.dense(a) // what it does not list is an element, too
		}
	}
	for i, r := range args {
		sources[i] = &g.out.Regs[r]
	}
	p := n.Rules.Program
	if g.plain {
		written := *p
		written.AsWritten = true
		p = &written
	}
	plan := code.PlanRules(p, sources)
	regs := make([]int, len(p.Results))
	for i, r := range p.Results {
		regs[i] = len(g.out.Regs)
		g.out.Regs = append(g.out.Regs, code.Reg{Layout: tensor.Rows, Columns: p.Relations[r].Columns, NNZ: int(min(plan.Rows(r), math.MaxInt))})
	}
	g.emit(code.Rules, -1, code.Attr{Rules: p, Planned: plan, Results: regs}, args...)
	g.rules[n.Rules] = regs
	return regs
}

func (g *gen) denseResult(n *ir.Node, op code.Op, attr code.Attr, args ...int) *value {
	return g.newValue(tensor.Dense, g.to(n.Type, tensor.Dense, op, attr, args...))
}

// checked adds the run-time check of a count that may pass 2^53.
func (g *gen) checked(n *ir.Node, v *value) *value {
	if n.Checked() && !n.NeedsExact() && v.natural == tensor.Dense {
		g.emit(code.CheckInt, -1, code.Attr{}, v.reg[tensor.Dense])
	}
	return v
}

// selects reads elements from the layout that a value was computed in: to convert all of it for a
// few would cost more.
func (g *gen) selects(n *ir.Node) *value {
	a := n.Args[0]
	v := g.value(a)
	from, l := v.natural, tensor.Dense
	if n.Rank() == 1 && a.Type.Kind == tensor.Bool && from != tensor.Dense {
		l = tensor.Packed
	}
	args := append(make([]int, 0, few), v.reg[from])
	for _, i := range n.Args[1:] {
		args = append(args, g.dense(i))
	}
	return g.newValue(l, g.to(n.Type, l, code.Select, code.Attr{Axes: n.Axes}, args...))
}
