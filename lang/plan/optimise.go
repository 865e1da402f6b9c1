package plan

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
	"sync"

	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/tensor"
)

// Rewrite records that a rewrite changed an operation, for `ein explain`.
type Rewrite struct {
	Name   string // one of Rewrites
	Pos    ir.Pos
	format string
	a      [2]any
	n      int // of a
}

// What the operation turned into. Few runs ask.
func (r *Rewrite) What() string { return fmt.Sprintf(r.format, r.a[:r.n]...) }

// Rewrites names every rewrite with what it does.
var Rewrites = []struct{ Name, Doc string }{
	{"common", "equal operations on equal operands are computed once"},
	{"constant", "arithmetic on constants is done while compiling; x*1, max(0/1, 0) and the like are x"},
	{"demand", "an element or a row of a result is computed alone: one search for tc(A)[i, j], one row of a product"},
	{"fuse-sum", "a sum over a product, such as trace(A3), joins the product and the intermediate is never formed"},
	{"pre-sum", "an index that only one factor has is summed before the product"},
	{"order", "a product of several factors is done in the order with the fewest multiplications"},
	{"boolean", "a 0/1 product that is only compared with 0 is done on bits"},
	{"semiring", "max or min over a pair of matrices is one contraction"},
	{"dead", "what no output needs is not computed"},
}

// Optimise applies the rewrites to every output. Each pass visits the whole program, operands
// first, with one kind of rewrite, and sees what the one before has made: arithmetic on constants
// first, then what is asked for in part, then products that can be joined, and at last the order of
// the joined ones. Counts of uses are made anew for each pass, since they say whether a result is
// needed as a whole.
func (p *Program) Optimise() {
	o := optimisers.Get().(*optimiser)
	o.b = ir.Builder{Count: p.Nodes, Arena: p.Arena}
	for o.pass = range passes {
		clear(o.uses)
		clear(o.whole)
		clear(o.memo)
		for i := range p.Outputs {
			o.countUses(p.Outputs[i].Node, false)
		}
		for i := range p.Outputs {
			p.Outputs[i].Node = o.visit(p.Outputs[i].Node)
		}
	}
	p.Rewrites, p.Nodes = append(p.Rewrites, o.done...), o.b.Count
	if p.Nodes <= keepNodes {
		o.b = ir.Builder{}
		clear(o.memo)
		clear(o.first)
		clear(o.fails)
		clear(o.known)
		clear(o.done)
		clear(o.rules)
		o.keys, o.done, o.rules = o.keys[:0], o.done[:0], o.rules[:0]
		optimisers.Put(o)
	}
}

// keepNodes bounds the programs after which an optimiser is kept for reuse.
const keepNodes = 1 << 12

var optimisers = sync.Pool{New: func() any { return &optimiser{known: make(map[uint64]shared)} }}

const passes = 4

// rewrite runs the current pass on an operation. A table of the methods would be filled at each call.
func (o *optimiser) rewrite(n *ir.Node) *ir.Node {
	switch o.pass {
	case 0:
		return o.simplify(n)
	case 1:
		return o.demand(n)
	case 2:
		return o.fuse(n)
	}
	return o.order(n)
}

// optimiser is the state of the rewrites of one program; optimisers are kept for the next.
type optimiser struct {
	b     ir.Builder
	pass  int
	memo  ir.Table[*ir.Node]
	uses  ir.Table[int]  // how many operations and outputs read a node
	whole ir.Table[int]  // of those, how many are not a Select
	first ir.Table[bool] // the node is the one that others equal to it become
	fails ir.Table[int8] // what canFail found: 1 it can, -1 it cannot
	known map[uint64]shared
	keys  []byte // of known
	rules []*ir.Rules
	done  []Rewrite
}

// shared is the operation that all equal ones are replaced by, and where its key is.
type shared struct {
	n        *ir.Node
	from, to int
}

var seed = maphash.MakeSeed()

// note records a rewrite. The text is made when somebody asks for it.
func (o *optimiser) note(name string, n *ir.Node, format string, a ...any) {
	r := Rewrite{Name: name, Pos: n.Pos, format: format}
	r.n = copy(r.a[:], a)
	o.done = append(o.done, r)
}

// countUses counts a reader of n, and n as a reader of its operands when it is first met.
// selected says that the reader selects elements: demand may then compute those alone.
func (o *optimiser) countUses(n *ir.Node, selected bool) {
	o.uses.Set(n, o.uses.At(n)+1)
	if !selected {
		o.whole.Set(n, o.whole.At(n)+1)
	}
	if o.uses.At(n) > 1 {
		return
	}
	for i, a := range n.Args {
		o.countUses(a, n.Op == ir.Select && i == 0)
	}
}

// visit rewrites the operands of n, then n, and shares the result with an equal operation seen
// before. Nodes are never changed: a node whose operands have changed is made again, and others may
// still read the old one.
func (o *optimiser) visit(n *ir.Node) *ir.Node {
	if m := o.memo.At(n); m != nil {
		return m
	}
	was, changed := n, false
	for _, a := range was.Args {
		changed = o.visit(a) != a || changed
	}
	if changed {
		n = o.b.With(was, was.Args)
		for i, a := range was.Args {
			n.Args[i] = o.memo.At(a)
		}
		o.inherit(n, was)
	}
	o.b.Pos = n.Pos
	m := o.rewrite(n)
	if m != n {
		o.inherit(m, was)
	}
	m = o.share(m)
	o.memo.Set(was, m)
	return m
}

// inherit gives a rewritten node the use counts of the one it stands for.
func (o *optimiser) inherit(m, n *ir.Node) {
	if o.uses.At(m) == 0 {
		o.uses.Set(m, o.uses.At(n))
		o.whole.Set(m, o.whole.At(n))
	}
}

// share returns the first operation equal to n: of the same kind, with the same attributes and the
// same operands, which are shared already, so their numbers tell (hash consing). Constants of more
// than one element are never compared.
func (o *optimiser) share(n *ir.Node) *ir.Node {
	if o.first.At(n) {
		return n
	}
	args := make([]int, 0, maxFactors)
	for _, a := range n.Args {
		args = append(args, o.share(a).ID)
	}
	from := len(o.keys)
	k := append(o.keys, byte(n.Op), byte(n.Fn), byte(n.Fold), byte(n.Walk), byte(n.Type.Kind), byte(n.Type.Shape.Rank()))
	if n.Reverse {
		k = append(k, 1)
	}
	for d := range n.Rank() {
		k = binary.AppendUvarint(k, uint64(n.Type.Shape.Dim(d)))
	}
	k = binary.AppendUvarint(k, uint64(n.Slot))
	k = binary.AppendUvarint(k, uint64(n.Size))
	if x, ok := n.Scalar(); ok {
		k = binary.BigEndian.AppendUint64(k, math.Float64bits(x))
	} else if n.Op == ir.Const {
		o.first.Set(n, true)
		return n
	}
	for _, d := range n.Axes {
		k = append(k, byte(d), ';')
	}
	if n.Rules != nil { // a session has those of before a fact, and those with it
		at := slices.Index(o.rules, n.Rules)
		if at < 0 {
			at, o.rules = len(o.rules), append(o.rules, n.Rules)
		}
		k = binary.AppendUvarint(k, uint64(at))
	}
	if n.Spec != nil {
		for _, in := range n.Spec.In {
			k = append(append(k, in...), ',')
		}
		k = append(append(k, '>'), n.Spec.Out...)
	}
	k = append(k, '|')
	for _, id := range args {
		k = binary.AppendUvarint(k, uint64(id))
	}
	hash := maphash.Bytes(seed, k[from:])
	s, taken := o.known[hash]
	if m := s.n; taken && string(o.keys[s.from:s.to]) == string(k[from:]) {
		if m.Pos != n.Pos && len(n.Args) > 0 {
			o.note("common", n, "%v is the same as an earlier one", n.Op)
		}
		o.uses.Set(m, o.uses.At(m)+o.uses.At(n))
		o.whole.Set(m, o.whole.At(m)+o.whole.At(n))
		return m
	}
	if o.keys = k; !taken { // else two keys have one hash: the second is not found again
		o.known[hash] = shared{n, from, len(k)}
	}
	o.first.Set(n, true)
	return n
}

// simplify does arithmetic on constants and drops operations that change
// nothing. It keeps the kind: an output is shown by it.
func (o *optimiser) simplify(n *ir.Node) *ir.Node {
	switch n.Op {
	case ir.Map:
		if m := o.simpleMap(n); m != nil && m.Type == n.Type {
			o.note("constant", n, "%v goes", n.Fn)
			return m
		}
	case ir.Einsum:
		if isIdentity(n) {
			return n.Args[0]
		}
	case ir.Closure:
		if n.Args[0].Op == ir.Closure {
			o.note("constant", n, "%v goes", n.Op)
			return n.Args[0]
		}
	}
	return n
}

// isIdentity reports whether an Einsum gives its one argument as it is.
func isIdentity(n *ir.Node) bool {
	return len(n.Args) == 1 && slices.Equal(n.Spec.In[0], n.Spec.Out) && distinct(n.Spec.Out)
}

// distinct reports whether no index comes twice.
func distinct(ids []uint8) bool { return bits.OnesCount64(op.Mask(ids)) == len(ids) }

// simpleMap returns what an elementwise operation gives without being computed: a constant, one of
// its operands or the negation of one; else nil.
func (o *optimiser) simpleMap(n *ir.Node) *ir.Node {
	if n.Rank() == 0 {
		if x, ok := n.Static(); ok {
			return o.b.Const(tensor.Scalar(n.Type.Kind, x))
		}
	}
	a := n.Args[0]
	bit := a.Type.Kind == tensor.Bool
	switch n.Fn {
	case op.FnStep, op.FnAbs, op.FnFloor, op.FnRound, op.FnRelu:
		if bit || n.Fn == op.FnAbs && a.NonNeg {
			return a
		}
		return nil
	case op.FnWhere:
		if p, ok := a.Scalar(); ok {
			taken, other := n.Args[1], n.Args[2]
			if p == 0 {
				taken, other = other, taken
			}
			if o.canFail(other) {
				return nil
			}
			return taken
		}
		// where(p, max(p, x), x) is max(p, x): it is how sym reads on a 0/1 graph.
		if m, x := n.Args[1], n.Args[2]; bit && m.Op == ir.Map && m.Fn == op.FnMax && m.Type.Kind == tensor.Bool &&
			(m.Args[0] == a && m.Args[1] == x || m.Args[0] == x && m.Args[1] == a) {
			return m
		}
		return nil
	}
	if len(n.Args) != 2 {
		return nil
	}
	b, fn := n.Args[1], n.Fn
	x, ok := b.Scalar()
	if !ok {
		if x, ok = a.Scalar(); !ok {
			return nil
		}
		a, b, fn = b, a, fn.Mirror()
		bit = a.Type.Kind == tensor.Bool
	}
	if a.Rank() == 0 && n.Rank() != 0 {
		return nil
	}
	if fn == op.FnMul && x == 1 {
		return a
	}
	if !bit {
		return nil
	}
	switch {
	case fn == op.FnMax && x == 0, fn == op.FnMin && x == 1,
		fn == op.FnGt && x >= 0 && x < 1, fn == op.FnGe && x > 0 && x <= 1,
		fn == op.FnEq && x == 1, fn == op.FnNe && x == 0:
		return a
	case fn == op.FnEq && x == 0, fn == op.FnNe && x == 1,
		fn == op.FnLt && x > 0 && x <= 1, fn == op.FnLe && x >= 0 && x < 1:
		return o.b.Map(op.FnNot, a)
	}
	return nil
}

// canFail reports whether computing n can stop the run. What can must not be dropped: a program
// fails the same with and without rewrites.
func (o *optimiser) canFail(n *ir.Node) bool {
	if known := o.fails.At(n); known != 0 {
		return known > 0
	}
	fails := n.Checked()
	switch n.Op {
	case ir.WDist, ir.WPath, ir.TopoOrder, ir.SpanningForest, ir.PageRank, ir.MinCut: // of what has a cycle, is NaN or below 0
		fails = true
	case ir.Select, ir.Walk, ir.HasPath, ir.Path, ir.Dist, ir.OneHot: // at positions
		fails = fails || slices.ContainsFunc(n.Args, func(a *ir.Node) bool { return a.Rank() == 0 && a.Op != ir.Const })
	}
	fails = fails || slices.ContainsFunc(n.Args, o.canFail)
	o.fails.Set(n, -1)
	if fails {
		o.fails.Set(n, 1)
	}
	return fails
}

// maxSearches is how many rows of one closure are searched one by one; for more
// the closure itself is cheaper.
const maxSearches = 16

// demand computes only what a Select asks for: it moves the Select down, through what nobody needs
// as a whole, until it meets a closure, of which it takes a search, or something that has to be
// computed anyway.
func (o *optimiser) demand(n *ir.Node) *ir.Node {
	if n.Op != ir.Select {
		return n
	}
	a, at := n.Args[0], n.Args[1:]
	switch {
	case a.Checked(): // every element has to be looked at
	case a.Op == ir.Closure && o.whole.At(a) == 0 && o.uses.At(a) <= maxSearches:
		g := a.Args[0]
		switch {
		case len(n.Axes) == 2:
			o.note("demand", n, "an element of tc is one search")
			return o.b.Graph(ir.HasPath, g, at[0], at[1])
		case n.Axes[0] == 0:
			o.note("demand", n, "a row of tc is one search")
			return o.b.Walk(op.WalkRow, false, g, at[0])
		default:
			o.note("demand", n, "a column of tc is one backward search")
			return o.b.Walk(op.WalkRow, true, g, at[0])
		}
	case a.Op == ir.Einsum && o.uses.At(a) == 1 && distinct(a.Spec.Out):
		return o.selectProduct(n, a, at)
	case a.Op == ir.Map && o.uses.At(a) == 1:
		var args [3]*ir.Node
		for i, x := range a.Args {
			args[i] = x
			if x.Rank() > 0 {
				args[i] = o.selected(x, n.Axes, at)
			}
		}
		o.note("demand", n, "%v is done on the selected elements only", a.Fn)
		return o.b.Map(a.Fn, args[:len(a.Args)]...)
	}
	return n
}

// selected returns a Select of x, pushed further down if possible. It stands for x, so it inherits
// how often x is used.
func (o *optimiser) selected(x *ir.Node, axes []int, at []*ir.Node) *ir.Node {
	s := o.b.Select(x, axes, at...)
	s.Pos = x.Pos
	if o.uses.At(x) == 1 || o.whole.At(x) == 1 && x.Op == ir.Closure {
		o.whole.Set(x, o.uses.At(x)-1) // the only whole use was the one replaced
	}
	o.uses.Set(s, 1)
	o.whole.Set(s, 1)
	return o.share(o.demand(s))
}

// selectProduct fixes indices of a product in its factors.
func (o *optimiser) selectProduct(n, a *ir.Node, at []*ir.Node) *ir.Node {
	var fixed [64]*ir.Node
	spec := op.Spec{In: make([][]uint8, 0, maxFactors), Out: o.b.IDs(len(a.Spec.Out))[:0], Size: a.Spec.Size}
	for d, x := range a.Spec.Out {
		if k := slices.Index(n.Axes, d); k >= 0 {
			fixed[x] = at[k]
		} else {
			spec.Out = append(spec.Out, x)
		}
	}
	var read uint64
	for _, in := range a.Spec.In {
		read |= op.Mask(in)
	}
	for x, i := range fixed {
		if i != nil && i.Op != ir.Const && read>>x&1 == 0 {
			return n // no factor would look whether the position exists
		}
	}
	args := make([]*ir.Node, 0, maxFactors)
	for i, arg := range a.Args {
		axes, places := make([]int, 0, tensor.MaxRank), make([]*ir.Node, 0, tensor.MaxRank)
		ids := o.b.IDs(len(a.Spec.In[i]))[:0]
		for d, x := range a.Spec.In[i] {
			if fixed[x] != nil {
				axes = append(axes, d)
				places = append(places, fixed[x])
			} else {
				ids = append(ids, x)
			}
		}
		if len(axes) > 0 {
			arg = o.selected(arg, axes, places)
		}
		args, spec.In = append(args, arg), append(spec.In, ids)
	}
	o.note("demand", n, "the product is done for the selected position only")
	m := o.b.Einsum(&spec, args...)
	m.Type.Kind = n.Type.Kind
	if len(m.Args) == 1 && isIdentity(m) {
		return m.Args[0]
	}
	return m
}

// maxFactors bounds the factors of a joined product: kernel.Order tries all orders of so many.
const maxFactors = 8

// fuse joins an Einsum with the Einsums below it that only it reads, and turns comparisons of 0/1
// products into products on bits. The joined product has all factors at once; order decides later
// which of them to multiply first, so the way in which the program was cut into statements does not
// matter.
func (o *optimiser) fuse(n *ir.Node) *ir.Node {
	switch n.Op {
	case ir.Map:
		return o.boolProduct(n)
	case ir.Einsum:
	default:
		return n
	}
	spec := op.Spec{In: append(make([][]uint8, 0, maxFactors), n.Spec.In...), Out: n.Spec.Out, Size: append(make([]int, 0, 64), n.Spec.Size...)}
	args := append(make([]*ir.Node, 0, maxFactors), n.Args...)
	joined := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a.Op != ir.Einsum || !o.canJoin(a, &spec, i, len(args)) {
			continue
		}
		joined = joined || !isView(a)
		// In the joined product, the indices of the result of a are those with which it was read,
		// and the others, which a sums, are new.
		var to [64]uint8
		var mapped uint64
		for d, x := range a.Spec.Out {
			to[x] = spec.In[i][d]
			mapped |= 1 << x
		}
		for x, size := range a.Spec.Size {
			if mapped>>x&1 == 0 {
				to[x] = uint8(len(spec.Size))
				spec.Size = append(spec.Size, size)
			}
		}
		in := make([][]uint8, 0, maxFactors)
		for _, ids := range a.Spec.In {
			mapped := o.b.IDs(len(ids))
			for d, x := range ids {
				mapped[d] = to[x]
			}
			in = append(in, mapped)
		}
		args = slices.Replace(args, i, i+1, a.Args...)
		spec.In = slices.Replace(spec.In, i, i+1, in...)
		i-- // what took its place may join as well
	}
	if len(args) == len(n.Args) && slices.Equal(args, n.Args) {
		return n
	}
	if joined {
		o.note("fuse-sum", n, "one product of %d factors", len(args))
	}
	m := o.b.Einsum(&spec, args...)
	m.Type.Kind = n.Type.Kind
	if isIdentity(m) && m.Args[0].Type == m.Type {
		return m.Args[0]
	}
	return m
}

// isView reports whether n only rearranges its one argument.
func isView(n *ir.Node) bool {
	return len(n.Args) == 1 && op.Mask(n.Spec.In[0])&^op.Mask(n.Spec.Out) == 0
}

// canJoin reports whether the product a can become part of the product with the
// given spec, whose i-th argument it is: nobody else reads it (or it costs
// nothing), it writes no diagonal, and what it repeats along an index is not
// summed.
func (o *optimiser) canJoin(a *ir.Node, spec *op.Spec, i, factors int) bool {
	if !distinct(a.Spec.Out) || factors-1+len(a.Args) > maxFactors || len(spec.Size)+len(a.Spec.Size) > 64 {
		return false
	}
	if o.uses.At(a) > 1 && !isView(a) || a.Checked() {
		return false
	}
	if a.Args[0].Rank() == 0 {
		return false // a filled tensor
	}
	if factors == 1 && op.Mask(spec.Out)&^op.Mask(spec.In[i]) != 0 && !isView(a) {
		return false // it would be added up anew for each repetition
	}
	var has uint64
	for _, in := range a.Spec.In {
		has |= op.Mask(in)
	}
	for d, x := range a.Spec.Out {
		if has>>x&1 != 0 {
			continue
		}
		outer := spec.In[i][d] // a repeats along this index
		elsewhere := slices.Contains(spec.Out, outer)
		for k, in := range spec.In {
			elsewhere = elsewhere || k != i && slices.Contains(in, outer)
		}
		if !elsewhere || count(spec.In[i], outer) > 1 {
			return false
		}
	}
	return true
}

// count is how often an index comes.
func count(ids []uint8, x uint8) (n int) {
	for _, y := range ids {
		if x == y {
			n++
		}
	}
	return n
}

// boolProduct recognises gt(P, 0) and its like for a product P of two 0/1
// tensors that nothing else reads.
func (o *optimiser) boolProduct(n *ir.Node) *ir.Node {
	p, fn := n.Args[0], n.Fn
	x := 0.0
	switch len(n.Args) {
	case 1:
		if fn != op.FnStep {
			return n
		}
		fn = op.FnGt
	case 2:
		var ok bool
		if x, ok = n.Args[1].Scalar(); !ok {
			return n
		}
	default:
		return n
	}
	if p.Op != ir.Einsum || o.uses.At(p) > 1 || len(p.Args) != 2 || !HasBoolForm(p.Spec) ||
		p.Args[0].Type.Kind != tensor.Bool || p.Args[1].Type.Kind != tensor.Bool {
		return n
	}
	if fn == op.FnGt && x >= 0 && x < 1 || fn == op.FnGe && x > 0 && x <= 1 || fn == op.FnNe && x == 0 {
		o.note("boolean", n, "only whether the product is 0 is computed")
		return o.b.BoolEinsum(p.Spec, p.Args...)
	}
	return n
}
