package code

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ein/vm/ir"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// parseReg reads a register as the tests write it: a letter for the layout, the
// sizes, and for a CSR a bound on its entries. d is dense, b bits, s a CSR of
// ones, w a CSR of weights, p parts, B and i dense of kind bool and int, c a CSR of
// kind int, t a table of two columns of nodes, v one of a node and a number: "d3,4",
// "s5,5/7", "t/7".
func parseReg(text string) Reg {
	head, bound, _ := strings.Cut(text, "/")
	r := Reg{Type: tensor.Type{Kind: tensor.Bool}}
	switch head[0] {
	case 'd':
		r.Kind = tensor.Real
	case 'i':
		r.Kind = tensor.Int
	case 'B':
	case 'b':
		r.Layout = tensor.Packed
	case 's':
		r.Layout = tensor.Sparse
	case 'w':
		r.Layout, r.Kind = tensor.Sparse, tensor.Real
	case 'c':
		r.Layout, r.Kind = tensor.Sparse, tensor.Int
	case 'p':
		r.Layout = tensor.Parts
	case 't':
		r.Layout, r.Columns = tensor.Rows, []tensor.Column{{Name: "from", Domain: five}, {Name: "to", Domain: five}}
	case 'v':
		r.Layout, r.Columns = tensor.Rows, []tensor.Column{{Domain: five}, {Kind: tensor.RealColumn}}
	default:
		panic("register " + text)
	}
	atoi := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			panic(err)
		}
		return n
	}
	if bound != "" {
		r.NNZ = atoi(bound)
	}
	if len(head) > 1 {
		for s := range strings.SplitSeq(head[1:], ",") {
			r.Shape = r.Shape.Append(atoi(s))
		}
	}
	return r
}

// single is the program of one instruction whose arguments are inputs. sig is
// its registers, "d3,4 d4,5 -> d3,5"; without "->" it has no result. An
// argument "=k" is the same register as argument k.
func single(op Op, sig string, a Attr) *Program {
	args, result, hasResult := strings.Cut(sig, "->")
	p := &Program{Pos: []ir.Pos{{Start: 4, End: 9}}}
	in := Instr{Op: op, Dst: -1, Attr: a}
	for _, text := range strings.Fields(args) {
		if k, same := strings.CutPrefix(text, "="); same {
			n, _ := strconv.Atoi(k)
			in.Args = append(in.Args, in.Args[n])
			continue
		}
		in.Args = append(in.Args, len(p.Regs))
		p.Inputs = append(p.Inputs, Input{Reg: len(p.Regs), Name: fmt.Sprintf("in%d", len(p.Regs)), Kind: "matrix"})
		p.Regs = append(p.Regs, parseReg(text))
	}
	if op == Rules {
		for text := range strings.FieldsSeq(result) {
			in.Results = append(in.Results, len(p.Regs))
			p.Regs = append(p.Regs, parseReg(text))
		}
	} else if hasResult {
		in.Dst = len(p.Regs)
		p.Regs = append(p.Regs, parseReg(strings.TrimSpace(result)))
		p.Outputs = []Output{{Reg: in.Dst, Name: "Result", Pos: ir.Pos{Start: 0, End: 6}}}
	}
	p.Code = []Instr{in}
	for i := range p.Regs {
		if p.Regs[i].Columns != nil {
			p.Domains = []*tensor.Domain{five}
		}
	}
	if a.Rules != nil {
		p.Domains = a.Rules.Domains
	}
	p.Stmts = []Stmt{{Name: "Result", Pos: ir.Pos{Start: 0, End: 20}, To: 1}}
	return p
}

// spec reads an einsum such as "ij,jk->ik", index i being number 0.
func spec(text string, size ...int) *op.Spec {
	ids := func(s string) []uint8 {
		var list []uint8
		for _, c := range s {
			list = append(list, uint8(c-'i'))
		}
		return list
	}
	in, out, _ := strings.Cut(text, "->")
	s := &op.Spec{Out: ids(out), Size: size}
	for part := range strings.SplitSeq(in, ",") {
		s.In = append(s.In, ids(part))
	}
	return s
}

// opCase is the tests of one operation: instructions that are well formed, and
// ones that are not with a part of what Verify says of them.
type opCase struct {
	op   Op
	good []variant
	bad  []variant
}

type variant struct {
	sig  string
	attr Attr
	err  string
}

// five is the nodes of tables.
var five = &tensor.Domain{Name: "node", Size: 5, Labels: []string{"e", "d", "c", "b", "a"}}

// farther is the closure of argument 0, and how often the numbers of argument 1 are above 2.
func farther(change func(p *rel.Program)) Attr {
	node, number := tensor.Column{Name: "x", Domain: five}, tensor.Column{Name: "n", Kind: tensor.RealColumn}
	x, y, z := rel.Term{}, rel.Term{Var: 1}, rel.Term{Var: 2}
	v := func(name string) rel.Var { return rel.Var{Name: name, Domain: five} }
	cells := []rel.Cell{{Expr: rel.V(0)}, {Expr: rel.V(1)}}
	p := &rel.Program{
		Domains: []*tensor.Domain{five},
		Relations: []rel.Relation{
			{Name: "Edge", Columns: []tensor.Column{node, node}, Source: rel.FromEntries},
			{Name: "Score", Columns: []tensor.Column{node, number}, Source: rel.FromElements, Arg: 1},
			{Name: "Far", Columns: []tensor.Column{node, node}, Facts: &tensor.Table{Columns: []tensor.Column{node, node}, Len: 1, Cells: []tensor.Cells{{ID: []uint32{4}}, {ID: []uint32{4}}}}},
			{Name: "High", Columns: []tensor.Column{node, {Name: "n", Kind: tensor.RealColumn}}},
		},
		Rules: []rel.Rule{
			{Rel: 2, Head: cells, Vars: []rel.Var{v("x"), v("y")}, Body: []rel.Literal{{Rel: 0, Terms: []rel.Term{x, y}}}},
			{Rel: 2, Head: cells, Vars: []rel.Var{v("x"), v("z"), v("y")}, Body: []rel.Literal{{Rel: 2, Terms: []rel.Term{x, z}}, {Rel: 0, Terms: []rel.Term{z, y}}}},
			{Rel: 3, Head: []rel.Cell{{Expr: rel.V(0)}, {Agg: rel.Count}}, Vars: []rel.Var{v("x"), {Name: "n", Kind: tensor.RealColumn}, {Name: "m", Kind: tensor.RealColumn}},
				Body: []rel.Literal{
					{Rel: 1, Terms: []rel.Term{x, y}},
					{Kind: rel.Compare, Fn: op.FnGt, Left: rel.V(1), Right: rel.C(2)},
					{Kind: rel.Bind, Var: 2, Left: rel.Expr{Fn: op.FnMul, Args: []rel.Expr{rel.V(1), rel.C(0.5)}}},
					{Kind: rel.Not, Rel: 0, Terms: []rel.Term{x, {Kind: rel.Any}}},
				}},
		},
		Results: []int{2, 3},
	}
	if change != nil {
		change(p)
	}
	return Attr{Rules: p}
}

// tiresome adds n recursive rules, each of as many atoms as there may be.
func tiresome(n int) func(p *rel.Program) {
	return func(p *rel.Program) {
		for range n {
			r := p.Rules[1]
			r.Body = slices.Repeat(r.Body[:1], 63)
			r.Body[62] = p.Rules[1].Body[1]
			p.Rules = append(p.Rules, r)
		}
	}
}

func axesOf(ax ...int) Attr { return Attr{Axes: ax} }

// plus is t = a0 + a1; t = t * 2.5.
func plus() []op.Micro {
	return []op.Micro{
		{Fn: op.FnAdd, Dst: 3, A: 0, B: 1},
		{Fn: op.FnCheck, A: 3},
		{Fn: op.FnClamp, Dst: 4, A: 3, B: 2, C: 0},
	}
}

// mapCSRAttr is the program of the tests of maps: a matrix times a vector along its columns.
func mapCSRAttr(change func(*Attr)) Attr {
	return foldCSRAttr(func(a *Attr) {
		a.Axes, a.Fold, a.Micro.Code[0].Fn = nil, 0, op.FnMul
		if change != nil {
			change(a)
		}
	})
}

func foldCSRAttr(change func(a *Attr)) Attr {
	a := Attr{Fold: op.FoldMin, Axes: []int{1}, Micro: &Micro{Shape: []int{3, 4}, Strides: [][]int{{4, 1}, {0, 1}}, Code: []op.Micro{{Fn: op.FnAdd, Dst: 2, A: 0, B: 1}}}}
	if change != nil {
		change(&a)
	}
	return a
}

func fusedAttr(change func(m *Micro)) Attr {
	m := &Micro{Shape: []int{3, 4}, Strides: [][]int{{4, 1}, {0, 1}}, Code: plus(), Consts: []float64{2.5}}
	if change != nil {
		change(m)
	}
	return Attr{Micro: m}
}

func specAttr(s *op.Spec) Attr { return Attr{Spec: s} }

func semiring(fn op.Fn, fold op.Fold) Attr {
	return Attr{Spec: spec("ij,jk->ik", 3, 4, 5), Fn: fn, Fold: fold}
}

// graphBad is what no operation on a graph accepts; rest is further arguments
// and the result.
func graphBad(rest string) []variant {
	return []variant{
		{sig: "d5,5" + rest, err: "not graph[n,n]"},
		{sig: "b5,4" + rest, err: "not graph[n,n]"},
		{sig: "b5" + rest, err: "not graph[n,n]"},
		{sig: "p5,5" + rest, err: "not graph[n,n]"},
		{sig: "s4,5/2" + rest, err: "not graph[n,n]"},
	}
}

func weightsBad(rest string) []variant {
	return []variant{
		{sig: "d5,4" + rest, err: "not weights[n,n]"},
		{sig: "d5" + rest, err: "not weights[n,n]"},
		{sig: "p5,5" + rest, err: "not weights[n,n]"},
	}
}

func withAttr(list []variant, a Attr) []variant {
	for i := range list {
		list[i].attr = a
	}
	return list
}

func opCases() []opCase {
	huge := make([]int, 65)
	return []opCase{
		{Einsum, []variant{
			{sig: "d3,4 d4,5 -> d3,5", attr: specAttr(spec("ij,jk->ik", 3, 4, 5))},
			{sig: "d3,4 -> d4,3", attr: specAttr(spec("ij->ji", 3, 4))},
			{sig: "d3,3 -> d", attr: specAttr(spec("ii->", 3))},
			{sig: "d3 -> d3,3,7", attr: specAttr(spec("i->iij", 3, 7))},
			{sig: "d3,4 =0 -> d3,3", attr: specAttr(spec("ij,kj->ik", 3, 4, 3))},
			{sig: "d0,4 d4,5 -> d0,5", attr: specAttr(spec("ij,jk->ik", 0, 4, 5))},
			{sig: "d3,4 d4,5 d5 -> d3", attr: specAttr(spec("ij,jk,k->i", 3, 4, 5))},
		}, []variant{
			{sig: "d3,4 d4,5 -> d3,5", err: "malformed spec"},
			{sig: "d3,4 d4,5 -> d3,5", attr: specAttr(spec("ij->ik", 3, 4, 5)), err: "malformed spec"},
			{sig: "d3 -> d3", attr: specAttr(spec("i->i", huge...)), err: "malformed spec"},
			{sig: "d3 -> d3", attr: specAttr(&op.Spec{In: [][]uint8{{0}}, Out: make([]uint8, 9), Size: []int{3}}), err: "malformed spec"},
			{sig: "d3 d3 d4 -> d3", attr: specAttr(spec("i,i,i->i", 3)), err: "operand 2: axis 0 does not fit"},
			{sig: "d3,4 b4,5 -> d3,5", attr: specAttr(spec("ij,jk->ik", 3, 4, 5)), err: "argument 1 is a bits bool 4x5, not dense"},
			{sig: "d3,4 d4 -> d3,5", attr: specAttr(spec("ij,jk->ik", 3, 4, 5)), err: "operand 1 has rank 1"},
			{sig: "d3,4 d5,5 -> d3,5", attr: specAttr(spec("ij,jk->ik", 3, 4, 5)), err: "operand 1: axis 0"},
			{sig: "d3,4 -> d3", attr: specAttr(spec("ij->i", 3)), err: "operand 0: axis 1"},
			{sig: "d3 -> d3", attr: specAttr(spec("i->i", 3, -1)), err: "index of size -1"},
			{sig: "d3 -> d3", attr: specAttr(spec("i->i", 3, maxDim+1)), err: "index of size"},
			{sig: "d3 -> d3", attr: specAttr(spec("i->j", 3)), err: "unknown index 1"},
			{sig: "d3,4 -> d3,4", attr: specAttr(spec("ij->ji", 3, 4)), err: "the register is a dense 3x4"},
			{sig: "d3,4 -> b4,3", attr: specAttr(spec("ij->ji", 3, 4)), err: "gives dense, the register is a bits bool 4x3"},
			{sig: "d3,4", attr: specAttr(spec("ij->ji", 3, 4)), err: "no register -1"},
			{sig: "-> d", attr: specAttr(spec("->")), err: "with 0 arguments"},
		}},
		{Semiring, []variant{
			{sig: "d3,4 d4,5 -> d3,5", attr: semiring(op.FnAdd, op.FoldMin)},
			{sig: "d3,4 d4,5 -> d3,5", attr: semiring(op.FnSub, op.FoldSum)},
		}, []variant{
			{sig: "d3,4 d4,5 -> d3,5", attr: semiring(op.FnNeg, op.FoldMin), err: "no semiring of neg and min"},
			{sig: "d3,4 d4,5 -> d3,5", attr: semiring(op.FnCheck+1, op.FoldMin), err: fmt.Sprintf("unknown function %d", op.FnCheck+1)},
			{sig: "d3,4 d4,5 -> d3,5", attr: semiring(op.FnAdd, op.FoldArgMax), err: "no semiring of add and argmax"},
			{sig: "d3,4 -> d3,5", attr: semiring(op.FnAdd, op.FoldMin), err: "with 1 arguments"},
			{sig: "d3,0 d0,5 -> d3,5", err: "maximum or minimum of nothing",
				attr: Attr{Spec: spec("ij,jk->ik", 3, 0, 5), Fn: op.FnAdd, Fold: op.FoldMax}},
		}},
		{Fused, []variant{
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(nil)},
			{sig: "d3,4 d4 -> d3", attr: fusedAttr(func(m *Micro) { m.Folds, m.Fold = 1, op.FoldMax })},
			{sig: "d3,4 d4 -> d", attr: fusedAttr(func(m *Micro) { m.Folds = 2 })},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Code = nil })},
			{sig: "d3,0 d0 -> d3,0", attr: fusedAttr(func(m *Micro) { m.Shape[1] = 0 })},
			{sig: "d -> d", attr: Attr{Micro: &Micro{Strides: [][]int{{}}}}},
		}, []variant{
			{sig: "d3,4 d4 -> d3,4", err: "malformed micro program"},
			{sig: "d3,4 b4 -> d3,4", attr: fusedAttr(nil), err: "argument 1 is a bits bool 4, not dense"},
			{sig: "d3,4 -> d3,4", attr: fusedAttr(nil), err: "malformed micro program"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Folds = -1 }), err: "malformed micro program"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Folds = 3 }), err: "malformed micro program"},
			{sig: "d3,4 d4 -> d", attr: fusedAttr(func(m *Micro) { m.Folds, m.Fold = 2, op.FoldArgMin }), err: "malformed micro program"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Shape = make([]int, 9) }), err: "malformed micro program"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Shape, m.Folds = make([]int, 65), 10 }), err: "malformed micro program"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Shape[0] = -1 }), err: "size -1"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Strides[1] = []int{1} }), err: "operand 1 has 1 strides"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Strides[1][1] = -1 }), err: "operand 1 has a negative stride"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Strides[1][0] = 1 }), err: "operand 1 is read past its end"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Strides[0][0] = 1 << 62 }), err: "operand 0 is read past its end"},
			{sig: "d3,4 d0 -> d3,4", attr: fusedAttr(nil), err: "operand 1 is read past its end"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Code[0].Fn = op.FnCheck + 1 }), err: "unknown function"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Code[2].Dst = 2 }), err: "writes to an operand"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Code[2].Dst = kernel.MaxRegs }), err: "too many registers"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Code[0].B = 3 }), err: "register 3 of a micro program is read before"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Code[2].C = 4 }), err: "register 4 of a micro program is read before"},
			{sig: "d3,4 d4 -> d3,4", attr: fusedAttr(func(m *Micro) { m.Code[1].A = 9 }), err: "register 9 of a micro program is read before"},
			{sig: "d3,0 d4 -> d3", attr: fusedAttr(func(m *Micro) { m.Shape[1], m.Folds, m.Fold = 0, 1, op.FoldMin }), err: "maximum or minimum of nothing"},
			{sig: "d3,4 d4 -> d4,3", attr: fusedAttr(nil), err: "the register is a dense 4x3"},
		}},
		{FoldCSR, []variant{
			{sig: "w3,4/5 d4 -> d3", attr: foldCSRAttr(nil)},
			{sig: "s3,4/5 d3 -> d4", attr: foldCSRAttr(func(a *Attr) { a.Micro.Strides[1], a.Axes = []int{1, 0}, []int{0} })},
			{sig: "w3,4/5 -> d3", attr: foldCSRAttr(func(a *Attr) { a.Micro.Strides, a.Micro.Code = a.Micro.Strides[:1], nil })},
		}, []variant{
			{sig: "d3,4 d4 -> d3", attr: foldCSRAttr(nil), err: "argument 0 is a dense"},
			{sig: "w3,4/5 d4 -> d4", attr: foldCSRAttr(nil), err: "gives a dense 3"},
			{sig: "w4,4/5 d4 -> d4", attr: foldCSRAttr(nil), err: "malformed program of a csr"},
			{sig: "w3,4/5 d4 -> d3", attr: foldCSRAttr(func(a *Attr) { a.Axes = nil }), err: "malformed fold of a csr"},
			{sig: "w3,4/5 d4 -> d3", attr: foldCSRAttr(func(a *Attr) { a.Micro.Folds = 1 }), err: "malformed program of a csr"},
			{sig: "w3,4/5 d4 -> d3", attr: foldCSRAttr(func(a *Attr) { a.Micro.Code[0].Fn = op.FnCheck }), err: "malformed fold of a csr"},
			{sig: "w3,4/5 d4 -> d3", attr: foldCSRAttr(func(a *Attr) { a.Fold = op.FoldSum }), err: "maximum or minimum of nothing"},
			{sig: "w3,4/5 d12 -> d3", attr: foldCSRAttr(func(a *Attr) { a.Micro.Strides[1] = []int{4, 1} }), err: "argument 1 is not along an axis"},
			{sig: "w3,4/5 d4 d3 -> d3", attr: foldCSRAttr(func(a *Attr) {
				a.Micro.Strides = append(a.Micro.Strides, []int{1, 0})
				a.Micro.Code[0] = op.Micro{Fn: op.FnAdd, Dst: 3, A: 1, B: 2}
			}), err: "depends on row and column"},
			{sig: "w3,4/5 d4 -> d3", err: "malformed micro program"},
		}},
		{MapCSR, []variant{
			{sig: "w3,4/5 d4 -> w3,4/5", attr: mapCSRAttr(nil)},
			{sig: "s3,4/5 d3 -> w3,4/5", attr: mapCSRAttr(func(a *Attr) { a.Micro.Strides[1] = []int{1, 0} })},
			{sig: "w3,4/5 w3,4/2 -> w3,4/2", attr: mapCSRAttr(func(a *Attr) { a.Micro.Strides[1] = []int{4, 1} })},
			{sig: "w3,4/5 -> w3,4/5", attr: mapCSRAttr(func(a *Attr) { a.Micro.Strides, a.Micro.Code = a.Micro.Strides[:1], nil })},
		}, []variant{
			{sig: "d3,4 d4 -> w3,4/5", attr: mapCSRAttr(nil), err: "argument 0 is a dense"},
			{sig: "w3,4/5 d4 -> d3,4", attr: mapCSRAttr(nil), err: "gives csr[3,4]"},
			{sig: "w3,4/5 d4 -> w3,4/4", attr: mapCSRAttr(nil), err: "gives up to 5 entries"},
			{sig: "w3,4/5 d4 -> w3,4/5", attr: mapCSRAttr(func(a *Attr) { a.Micro.Code[0].Fn = op.FnAdd }), err: "is not 0 where they have no entry"},
			{sig: "w3,4/5 d12 -> w3,4/5", attr: mapCSRAttr(func(a *Attr) { a.Micro.Strides[1] = []int{4, 1} }), err: "argument 1 is not along an axis"},
			{sig: "w3,4/5 d4 -> w3,4/5", err: "malformed micro program"},
		}},
		{ProductCSR, []variant{
			{sig: "w3,4/5 s4,6/2 -> w3,6/10"},
			{sig: "s3,4/5 s4,6/20 -> s3,6/18"},
		}, []variant{
			{sig: "w3,4/5 w3,4/5 -> w3,4/12", err: "argument 1 is a csr real 3x4, not csr[4"},
			{sig: "w3,4/5 d4,6 -> w3,6/10", err: "argument 1 is a dense"},
			{sig: "w3,4/5 w4,6/2 -> w3,6/9", err: "gives up to 10 entries"},
		}},
		{MaskCSR, []variant{
			{sig: "w3,4/5 b3,4 -> s3,4/5"},
			{sig: "s3,3/5 p3,3 -> s3,3/5"},
		}, []variant{
			{sig: "w3,4/5 b4,3 -> s3,4/5", err: "argument 1 is a bits bool 4x3, not bits|parts[3"},
			{sig: "w3,4/5 b3,4 -> w3,4/5", err: "gives ones"},
			{sig: "w3,4/5 b3,4 -> s3,4/4", err: "gives up to 5 entries"},
		}},
		{MatMulCSR, []variant{
			{sig: "w3,4/5 d4,6 -> d3,6"},
			{sig: "d3,4 s4,6/5 -> d3,6"},
		}, []variant{
			{sig: "w3,4/5 d3,6 -> d3,6", err: "argument 1 is a dense real 3x6, not dense|csr[4"},
			{sig: "d3,4 d4,6 -> d3,6", err: "a product of two dense matrices"},
			{sig: "w3,4/5 w4,6/5 -> d3,6", err: "a product of two csr matrices"},
		}},
		{Reduce, []variant{
			{sig: "d3,4,5 -> d4", attr: Attr{Axes: []int{0, 2}, Fold: op.FoldMax}},
			{sig: "d3,4 -> d3", attr: Attr{Axes: []int{1}, Fold: op.FoldArgMin}},
			{sig: "d3,4 -> d3,4"},
		}, []variant{
			{sig: "b3,4 -> d3", attr: axesOf(1), err: "argument 0 is a bits bool 3x4, not dense"},
			{sig: "d3,4 -> d3", attr: axesOf(2), err: "axes [2]"},
			{sig: "d3,4 -> d3", attr: axesOf(-1), err: "axes [-1]"},
			{sig: "d3,4 -> d", attr: axesOf(1, 0), err: "axes [1 0]"},
			{sig: "d3,4 -> d", attr: axesOf(1, 1), err: "axes [1 1]"},
			{sig: "d3,4 -> d3", attr: Attr{Axes: []int{1}, Fold: op.FoldArgMin + 1}, err: "unknown fold"},
			{sig: "d3,4 -> d", attr: Attr{Axes: []int{0, 1}, Fold: op.FoldArgMax}, err: "take one axis"},
			{sig: "d3,0 -> d3", attr: Attr{Axes: []int{1}, Fold: op.FoldMax}, err: "maximum or minimum of nothing"},
			{sig: "d3,4 -> d4", attr: axesOf(1), err: "gives a dense 3"},
		}},
		{Softmax, []variant{{sig: "d3,4 -> d3,4", attr: axesOf(1)}}, []variant{
			{sig: "d3,4 -> d3,4", err: "0 axes"},
			{sig: "d3,4 -> d3,4", attr: axesOf(0, 1), err: "2 axes"},
			{sig: "d3,4 -> d3,4", attr: axesOf(2), err: "axes [2]"},
			{sig: "b3,4 -> d3,4", attr: axesOf(1), err: "argument 0 is a bits bool 3x4, not dense[3,4]"},
			{sig: "d3,4 -> d3", attr: axesOf(1), err: "gives dense[3,4], the register is a dense real 3"},
		}},
		{Select, []variant{
			{sig: "d3,4,5 d d -> d4", attr: axesOf(0, 2)},
			{sig: "d3,4 -> d3,4"},
			{sig: "b3,4 d -> b4", attr: axesOf(0)},
			{sig: "b3,4 d -> b3", attr: axesOf(1)},
			{sig: "b3,4 d =1 -> d", attr: axesOf(0, 1)},
			{sig: "b3 d -> d", attr: axesOf(0)},
			{sig: "s3,4/5 d -> b4", attr: axesOf(0)},
			{sig: "w3,4/5 d -> d3", attr: axesOf(1)},
			{sig: "p4,4 d -> b4", attr: axesOf(1)},
		}, []variant{
			{sig: "d3,4 d -> d3", err: "0 axes for 1 positions"},
			{sig: "d3,4 d -> d3", attr: axesOf(2), err: "axes [2]"},
			{sig: "d3,4 d1 -> d3", attr: axesOf(1), err: "argument 1 is a dense real 1, not position"},
			{sig: "d3,4 b1 -> d3", attr: axesOf(1), err: "argument 1 is a bits bool 1, not position"},
			{sig: "b3,4 -> b3,4", err: "nothing is selected"},
			{sig: "b3 -> b3", err: "nothing is selected"},
			{sig: "b3,4 d -> d4", attr: axesOf(0), err: "gives a bits 4"},
			{sig: "w3,4/5 d -> b4", attr: axesOf(0), err: "gives a dense 4"},
		}},
		{Convert, []variant{
			{sig: "b3,4 -> d3,4"}, {sig: "b3 -> d3"}, {sig: "B3,4 -> b3,4"}, {sig: "s3,4/5 -> b3,4"},
			{sig: "w3,4/5 -> d3,4"}, {sig: "p4,4 -> b4,4"},
		}, []variant{
			{sig: "b3,4 -> d4,3", err: "gives dense|bits[3,4], the register is a dense real 4x3"},
			{sig: "d3,4 -> b3,4", err: "no way from dense real to bits"},
			{sig: "w3,4/5 -> b3,4", err: "no way from csr real to bits"},
			{sig: "b3,4 -> b3,4", err: "no way"},
			{sig: "p4,4 -> d4,4", err: "no way"},
			{sig: "b3,4 -> s3,4/5", err: "gives dense|bits[3,4], the register is a csr bool 3x4"},
			{sig: "b3,4", err: "no register -1"},
		}},
		{Logic, []variant{
			{sig: "b3,4 b3,4 -> b3,4", attr: Attr{Logic: AndNot}},
			{sig: "b3 =0 -> b3", attr: Attr{Logic: Xor}},
			{sig: "b3 -> b3", attr: Attr{Logic: Not}},
		}, []variant{
			{sig: "b3 -> b3", attr: Attr{Logic: And}, err: "and of 1 arguments"},
			{sig: "b3 b3 -> b3", attr: Attr{Logic: Not}, err: "not of 2 arguments"},
			{sig: "b3 b3 -> b3", attr: Attr{Logic: maxLogic}, err: "unknown logic operation 5"},
			{sig: "b3 b4 -> b3", attr: Attr{Logic: Or}, err: "argument 1 is a bits bool 4, not bits[3]"},
			{sig: "b3 B3 -> b3", attr: Attr{Logic: Or}, err: "argument 1 is a dense bool 3, not bits[3]"},
			{sig: "b3 b3 -> b4", attr: Attr{Logic: Or}, err: "gives bits[3], the register is a bits bool 4"},
		}},
		{Transpose, []variant{{sig: "b3,4 -> b4,3"}, {sig: "s3,4/5 -> s4,3/5"}, {sig: "w3,4/5 -> w4,3/6"}}, []variant{
			{sig: "b3 -> b3", err: "argument 0 is a bits bool 3, not bits|csr|far[n,m]"},
			{sig: "d3,4 -> d4,3", err: "argument 0 is a dense"},
			{sig: "p3,3 -> p3,3", err: "argument 0 is a parts"},
			{sig: "s3,4/5 -> s4,3/4", err: "gives up to 5 entries, the register has 4"},
			{sig: "s3,4/5 -> w4,3/5", err: "gives a csr"},
			{sig: "w3,4/5 -> s4,3/5", err: "gives a csr"},
			{sig: "b3,4 -> b3,4", err: "gives bits|csr|far[4,3], the register is a bits bool 3x4"},
		}},
		{CountRows, []variant{{sig: "b3,4 -> d3"}, {sig: "w3,4/5 -> d3"}, {sig: "p4,4 -> d4"}}, []variant{
			{sig: "d3,4 -> d3", err: "argument 0 is a dense real 3x4, not bits|csr|parts[n,m]"},
			{sig: "b3 -> d3", err: "argument 0 is a bits bool 3, not bits|csr|parts[n,m]"},
			{sig: "b3,4 -> d4", err: "gives dense[3], the register is a dense real 4"},
		}},
		{CountCols, []variant{{sig: "b3,4 -> d4"}, {sig: "s3,4/5 -> d4"}}, []variant{
			{sig: "d3,4 -> d4", err: "argument 0 is a dense real 3x4, not bits|csr|parts[n,m]"},
			{sig: "b3 -> d3", err: "argument 0 is a bits bool 3, not bits|csr|parts[n,m]"},
		}},
		{CountAll, []variant{{sig: "b3,4 -> d"}, {sig: "b3 -> d"}, {sig: "s3,4/5 -> d"}, {sig: "p4,4 -> d"}}, []variant{
			{sig: "d3,4 -> d", err: "argument 0 is a dense real 3x4, not bits|csr|parts"},
			{sig: "b3,4 -> d1", err: "gives scalar, the register is a dense real 1"},
		}},
		{CountProduct, []variant{{sig: "b3,4 b5,4 -> d3,5"}, {sig: "b3,4 =0 -> d3,3"}}, []variant{
			{sig: "b3,4 b4,5 -> d3,5", err: "argument 1 is a bits bool 4x5, not bits[m,4]"},
			{sig: "b4 b5,4 -> d5", err: "argument 0 is a bits bool 4, not bits[n,k]"},
			{sig: "b3,4 d5,4 -> d3,5", err: "argument 1 is a dense real 5x4, not bits[m,4]"},
		}},
		{CountMatVec, []variant{{sig: "b3,4 b4 -> d3"}}, []variant{
			{sig: "b3,4 b3 -> d3", err: "argument 1 is a bits bool 3, not bits[4]"},
			{sig: "b3,4 d4 -> d3", err: "argument 1 is a dense"},
			{sig: "b3,4 b4 -> b3", err: "gives dense[3], the register is a bits bool 3"},
		}},
		{CountAnd, []variant{{sig: "b3,4 b3,4 -> d"}, {sig: "b3 b3 -> d"}}, []variant{
			{sig: "b3 b4 -> d", err: "argument 1 is a bits bool 4, not bits[3]"},
			{sig: "b3 d3 -> d", err: "argument 1 is a dense real 3, not bits[3]"},
		}},
		{BoolProduct, []variant{{sig: "b3,4 b4,5 -> b3,5"}}, []variant{
			{sig: "b3,4 b5,4 -> b3,5", err: "argument 1 is a bits bool 5x4, not bits[4,m]"},
			{sig: "s3,4/2 b4,5 -> b3,5", err: "argument 0 is a csr"},
			{sig: "b3,4 b4,5 -> d3,5", err: "gives bits[3,5], the register is a dense real 3x5"},
		}},
		{BoolMatVec, []variant{{sig: "b3,4 b4 -> b3"}}, []variant{
			{sig: "b3,4 b3 -> b3", err: "argument 1 is a bits bool 3, not bits[4]"},
			{sig: "b4 b4 -> b3", err: "argument 0 is a bits bool 4, not bits[n,k]"},
			{sig: "b3,4 b4 -> d3", err: "gives bits[3], the register is a dense real 3"},
		}},
		{TripleTrace, []variant{{sig: "b3,4 b4,5 b3,5 -> d"}, {sig: "b3,3 =0 =0 -> d"}}, []variant{
			{sig: "b3,4 b5,5 b3,5 -> d", err: "argument 1 is a bits bool 5x5, not bits[4,k]"},
			{sig: "b3,4 b4,5 b3,4 -> d", err: "argument 2 is a bits bool 3x4, not bits[3,5]"},
			{sig: "b3,4 b4,5 b4,5 -> d", err: "argument 2 is a bits bool 4x5, not bits[3,5]"},
			{sig: "b3,4 b4,5 d3,5 -> d", err: "argument 2 is a dense"},
		}},
		{CubeTrace, []variant{{sig: "s5,5/7 -> d"}}, []variant{
			{sig: "b5,5 -> d", err: "argument 0 is a bits"},
			{sig: "w5,5/7 -> d", err: "argument 0 is a csr real"},
			{sig: "s5,4/7 -> d", err: "argument 0 is a csr"},
		}},
		{MatVec, []variant{{sig: "s3,4/5 d4 -> d3"}, {sig: "w3,4/5 d4 -> d3"}}, []variant{
			{sig: "b3,4 d4 -> d3", err: "argument 0 is a bits"},
			{sig: "s3,4/5 b4 -> d3", err: "argument 1 is a bits"},
			{sig: "s3,4/5 d3 -> d3", err: "argument 1 is a dense real 3, not dense[4]"},
		}},
		{VecMat, []variant{{sig: "d3 s3,4/5 -> d4"}}, []variant{
			{sig: "d3 b3,4 -> d4", err: "argument 1 is a bits"},
			{sig: "d4 s3,4/5 -> d4", err: "argument 1 is a csr bool 3x4, not csr[4,m]"},
		}},
		{Diag, []variant{{sig: "b5,5 -> d5"}, {sig: "w5,5/7 -> d5"}}, graphBad(" -> d5")},
		{Exact, []variant{
			{sig: "i3,4 B4,5 -> i3,5", attr: specAttr(spec("ij,jk->ik", 3, 4, 5))},
			{sig: "i3 -> d", attr: specAttr(spec("i->", 3))},
			{sig: "i i3,4 i4,5 i5 -> i3", attr: specAttr(spec(",ij,jk,k->i", 3, 4, 5))},
			{sig: "c3,4/5 i4 -> i3", attr: specAttr(spec("ij,j->i", 3, 4))},
			{sig: "i3,4 s4,3/5 -> i3,3", attr: specAttr(spec("ij,ji->ii", 3, 4))},
			{sig: "c3,4/5 -> i", attr: specAttr(spec("ij->", 3, 4))},
		}, []variant{
			{sig: "i3,4 -> i3", err: "malformed spec"},
			{sig: "i3,4 d4,5 -> i3,5", attr: specAttr(spec("ij,jk->ik", 3, 4, 5)), err: "argument 1 is real"},
			{sig: "w3,4/5 -> i3", attr: specAttr(spec("ij->i", 3, 4)), err: "argument 0 is real"},
			{sig: "b3,4 -> i3", attr: specAttr(spec("ij->i", 3, 4)), err: "argument 0 is a bits bool 3x4, not dense|csr"},
			{sig: "c3,4/5 c4,3/5 -> i3,3", attr: specAttr(spec("ij,ji->ii", 3, 4)), err: "argument 0 is a csr"},
			{sig: "c3,4/5 i4,5 -> i3,5", attr: specAttr(spec("ij,jk->ik", 3, 4, 5)), err: "argument 0 is a csr"},
			{sig: "c3,4/5 i3 i4 -> i", attr: specAttr(spec("ij,i,j->", 3, 4)), err: "argument 0 is a csr"},
			{sig: "c3,3/5 -> i3", attr: specAttr(spec("ii->i", 3)), err: "argument 0 is a csr"},
			{sig: "i3,4 -> i4", attr: specAttr(spec("ij->i", 3, 4)), err: "gives a dense 3, the register is a dense 4"},
		}},
		{Pattern, []variant{{sig: "c5,6/7 -> s5,6/7"}, {sig: "s5,6/7 -> s5,6/9"}, {sig: "w5,6/7 -> s5,6/7"}}, []variant{
			{sig: "d5,5 -> s5,5/25", err: "argument 0 is a dense"},
			{sig: "c5,5/7 -> s5,5/6", err: "gives up to 7 entries"},
			{sig: "c5,5/7 -> c5,5/7", err: "gives ones[5,5], the register is a csr int 5x5"},
		}},
		{Symmetric, []variant{{sig: "s5,5/7 -> s5,5/14"}, {sig: "s3,3/7 -> s3,3/9"}}, []variant{
			{sig: "b5,5 -> s5,5/14", err: "argument 0 is a bits"},
			{sig: "w5,5/7 -> w5,5/14", err: "argument 0 is a csr real"},
			{sig: "s5,5/7 -> s5,5/13", err: "gives up to 14 entries"},
			{sig: "s5,5/7 -> w5,5/14", err: "gives ones[5,5], the register is a csr real 5x5"},
		}},
		{Closure, []variant{{sig: "b5,5 -> b5,5"}, {sig: "w5,5/7 -> b5,5"}},
			append(graphBad(" -> b5,5"), variant{sig: "b5,5 -> d5,5", err: "gives bits[5,5], the register is a dense real 5x5"})},
		{Walk, []variant{{sig: "b5,5 d -> b5"}, {sig: "s5,5/7 d -> b5", attr: Attr{Walk: op.WalkRow}}},
			append(graphBad(" d -> b5"),
				variant{sig: "b5,5 d -> b5", attr: Attr{Walk: op.WalkRow + 1}, err: "unknown walk"},
				variant{sig: "b5,5 b5 -> b5", err: "argument 1 is a bits bool 5, not position"},
				variant{sig: "b5,5 -> b5", err: "with 1 arguments"})},
		{HasPath, []variant{{sig: "b5,5 d d -> d"}}, append(graphBad(" d d -> d"),
			variant{sig: "b5,5 d d5 -> d", err: "argument 2 is a dense real 5, not position"})},
		{SCC, []variant{{sig: "b5,5 -> p5,5"}}, append(graphBad(" -> p5,5"),
			variant{sig: "b5,5 -> b5,5", err: "gives parts[5,5], the register is a bits bool 5x5"})},
		{Triangles, []variant{{sig: "b5,5 -> d"}, {sig: "s5,5/7 -> d"}}, graphBad(" -> d")},
		{Path, []variant{{sig: "b5,5 d =1 -> d5"}}, append(graphBad(" d d -> d5"),
			variant{sig: "b5,5 d2 d -> d5", err: "argument 1 is a dense real 2, not position"})},
		{Dist, []variant{{sig: "s5,5/7 d -> d5"}}, graphBad(" d -> d5")},
		{WDist, []variant{{sig: "d5,5 d d -> d5"}, {sig: "w5,5/7 d =1 -> d5"}}, weightsBad(" d d -> d5")},
		{WDistSigned, []variant{{sig: "d5,5 d d -> d5"}}, weightsBad(" d d -> d5")},
		{WPath, []variant{{sig: "b5,5 d d -> d5"}}, weightsBad(" d d -> d5")},
		{WPathSigned, []variant{{sig: "w5,5/7 d d -> d5"}}, weightsBad(" d d -> d5")},
		{Weak, []variant{{sig: "b5,5 -> p5,5"}}, graphBad(" -> p5,5")},
		{Groups, []variant{{sig: "p5,5 -> d5"}}, []variant{{sig: "b5,5 -> d5", err: "argument 0 is a bits"}}},
		{TopoOrder, []variant{{sig: "w5,5/7 -> d5"}}, graphBad(" -> d5")},
		{Bridges, []variant{{sig: "b5,5 -> s5,5/8"}}, append(graphBad(" -> s5,5/8"), variant{sig: "b5,5 -> s5,5/7", err: "gives up to 8 entries"})},
		{CutNodes, []variant{{sig: "s5,5/7 -> b5"}}, graphBad(" -> b5")},
		{Cores, []variant{{sig: "s5,5/7 -> d5"}}, graphBad(" -> d5")},
		{PageRank, []variant{{sig: "d5,5 d -> d5"}}, weightsBad(" d -> d5")},
		{SpanningForest, []variant{{sig: "d5,5 -> w5,5/4"}, {sig: "b5,5 -> s5,5/5"}}, append(weightsBad(" -> w5,5/4"),
			variant{sig: "d5,5 -> w5,5/3", err: "gives up to 4 entries"}, variant{sig: "d5,5 -> s5,5/5", err: "gives a dense real, the register is a csr bool"})},
		{MinCut, []variant{{sig: "d5,5 d d -> w5,5/25"}, {sig: "w5,5/7 d d -> w5,5/7"}, {sig: "b5,5 d d -> s5,5/25"}}, append(weightsBad(" d d -> w5,5/25"),
			variant{sig: "w5,5/7 d d -> w5,5/6", err: "gives up to 7 entries"}, variant{sig: "d5,5 d d -> s5,5/25", err: "gives a dense real, the register is a csr bool"})},
		{Betweenness, []variant{{sig: "s5,5/7 -> d5"}}, graphBad(" -> d5")},
		{Sort, []variant{{sig: "d5 -> d5"}}, []variant{{sig: "d5 -> d4", err: "gives dense[5]"}, {sig: "b5 -> d5", err: "argument 0 is a bits"}}},
		{Rank, []variant{{sig: "d5 -> d5"}}, []variant{{sig: "d5,5 -> d5", err: "argument 0 is a dense"}}},
		{Rules, []variant{
			{sig: "s5,5/7 d5 -> t/25 v/5", attr: farther(nil)},
			{sig: "b5,5 i5 -> t/99 v/99", attr: farther(nil)},
			{sig: "w5,5/7 d5 -> t/25", attr: farther(func(p *rel.Program) { p.Results = p.Results[:1] })},
			{sig: "t/7 d5 -> t/25 v/5", attr: farther(func(p *rel.Program) { p.Relations[0].Source = rel.FromTable })},
			{sig: "-> t/0 v/0", attr: farther(func(p *rel.Program) { p.Relations[0].Source, p.Relations[1].Source, p.Relations[2].Facts = 0, 0, nil })},
		}, []variant{
			{sig: "s5,5/7 d5 -> t/25 v/5", err: "no rules"},
			{sig: "s5,5/7 d5 -> t/25 v/5", attr: farther(func(p *rel.Program) { p.Rules[0].Rel = 9 }), err: "there is no relation 9"},
			{sig: "s5,5/7 d5 -> t/25 v/5", attr: farther(tiresome(70)), err: "rules of 277839 literals to plan, at most 262144"},
			{sig: "s5,5/7 -> t/25 v/5", attr: farther(nil), err: "Score reads argument 1 of 1"},
			{sig: "s6,6/7 d5 -> t/25 v/5", attr: farther(nil), err: "Edge: the column x of 5 nodes for axis 0 of a 6x6"},
			{sig: "s5,5/7 d5,5 -> t/25 v/5", attr: farther(nil), err: "Score: 1 columns for a 5x5"},
			{sig: "t/7 d5 -> t/25 v/5", attr: farther(nil), err: "Edge: entries of a table"},
			{sig: "v/7 d5 -> t/25 v/5", attr: farther(func(p *rel.Program) { p.Relations[0].Source = rel.FromTable }), err: "Edge: a table of other columns"},
			{sig: "s5,5/7 d5 -> t/25", attr: farther(nil), err: "1 registers for 2 results"},
			{sig: "s5,5/7 d5 -> t/25 t/25", attr: farther(nil), err: "gives High(x: node, n: real), the register is a table of other columns"},
			{sig: "s5,5/7 d5 -> t/24 v/5", attr: farther(nil), err: "Far has up to 25 rows, the register is a table of 24"},
		}},
		{Scatter, []variant{{sig: "t/7 B -> b5,5"}, {sig: "t/7 B -> s5,5/7"}, {sig: "t/7 i -> i5,5"}, {sig: "v/5 d -> d5"}}, []variant{
			{sig: "b5,5 B -> b5,5", err: "argument 0 is a bits bool 5x5, not table"},
			{sig: "t/7 B -> b5", err: "a table of 2 columns makes no bits bool 5"},
			{sig: "t/7 d -> i5,5", err: "makes no dense int"},
			{sig: "v/5 d -> i5", err: "makes no dense int"},
			{sig: "t/7 B -> b6,5", err: "the column from is not axis 0 of a 6x5"},
			{sig: "t/7 B -> s5,5/6", err: "a csr of 6 entries for 7 rows"},
		}},
		{OneHot, []variant{{sig: "d -> b7"}}, []variant{
			{sig: "d -> d7", err: "gives bits[n], the register is a dense real 7"},
			{sig: "d -> b7,7", err: "gives bits[n], the register is a bits bool 7x7"},
			{sig: "d1 -> b7", err: "argument 0 is a dense real 1, not position"},
		}},
		{CheckInt, []variant{{sig: "d3,4"}}, []variant{
			{sig: "b3,4", err: "argument 0 is a bits bool 3x4, not dense"}, {sig: "d3 -> d3", err: "has no result"},
		}},
		{CheckFinite, []variant{{sig: "d"}}, []variant{{sig: "p3,3", err: "argument 0 is a parts bool 3x3, not dense"}}},
		{CheckSymmetric, []variant{{sig: "b3,3"}, {sig: "w3,3/2"}}, withAttr(graphBad(""), Attr{})},
	}
}

// everyLayout has a constant of every layout and no instructions but a few.
func everyLayout() *Program {
	bits := tensor.NewBits(3, 70)
	bits.Set(0, 0)
	bits.Set(1, 63)
	bits.Set(2, 69)
	row := tensor.NewBits(1, 5)
	row.Set(0, 2)
	sparse := tensor.CSR{Rows: 4, Cols: 300, Ptr: []int32{0, 2, 2, 3, 5}, Idx: []int32{0, 299, 7, 150, 151}}
	weighted := sparse
	weighted.Val = []float64{1.5, -2, 3, 4, 1e300}
	value := func(r string, v tensor.Value) (Reg, tensor.Value) {
		reg := parseReg(r)
		v.Type, v.Layout = reg.Type, reg.Layout
		return reg, v
	}
	p := &Program{Labels: []string{"bear", "", "kiwi \x00\xff"}}
	add := func(r string, v tensor.Value) {
		reg, v := value(r, v)
		p.Consts = append(p.Consts, Const{Reg: len(p.Regs), Value: v})
		p.Regs = append(p.Regs, reg)
	}
	add("d", tensor.Value{F: []float64{0.1}})
	add("d2,3", tensor.Value{F: []float64{1, 2, 3, 4, 5, 6}})
	add("d3,0", tensor.Value{F: []float64{}})
	add("b3,70", tensor.Value{Bits: bits})
	add("b5", tensor.Value{Bits: row})
	add("s4,300/5", tensor.Value{CSR: sparse})
	add("w4,300/9", tensor.Value{CSR: weighted})
	add("s2,2/0", tensor.Value{CSR: tensor.CSR{Rows: 2, Cols: 2, Ptr: make([]int32, 3), Idx: []int32{}}})
	add("p4,4", tensor.Value{Part: []int32{0, 3, 0, 1}})
	table := parseReg("v/3")
	add("v/3", tensor.Value{Table: &tensor.Table{Columns: table.Columns, Len: 3, Cells: []tensor.Cells{{ID: []uint32{4, 0, 0}}, {Num: []float64{1, -2, 0.5}}}}})
	p.Domains = []*tensor.Domain{{Name: "number", Size: 3}, five, {Name: "label", Size: 3, Labels: p.Labels}}
	p.Consts[0].Value.Kind = tensor.Int // a kind below the register's
	for i, kind := range inputKinds {
		p.Inputs = append(p.Inputs, Input{Reg: len(p.Regs), Name: fmt.Sprintf("in%d", i), Kind: kind})
		p.Regs = append(p.Regs, parseReg([]string{"s9,9/20", "d2,3", "d7", "d", "t/4"}[i]))
	}
	p.Code = []Instr{{Op: CountAll, Dst: len(p.Regs), Args: []int{5}}, {Op: CheckFinite, Dst: -1, Args: []int{len(p.Regs)}}}
	p.Pos = []ir.Pos{{Start: 30, End: 40}, {Start: 30, End: 30}}
	p.Regs = append(p.Regs, parseReg("d"))
	for form := range ir.NodeIndex + 1 {
		p.Outputs = append(p.Outputs, Output{Reg: 4, Name: fmt.Sprintf("Out%d", form), Form: form, Pos: ir.Pos{Start: 1, End: 300}})
	}
	p.Stmts = []Stmt{
		{Name: "A", Pos: ir.Pos{Start: 10, End: 20}},
		{Name: "B", Pos: ir.Pos{Start: 20, End: 40}, To: 2},
	}
	return p
}

// corpus is well-formed programs that between them have everything.
func corpus() []*Program {
	list := []*Program{{}, everyLayout()}
	for _, c := range opCases() {
		for _, v := range c.good {
			list = append(list, single(c.op, v.sig, v.attr))
		}
	}
	return list
}

func mustMarshal(t testing.TB, p *Program) []byte {
	t.Helper()
	data, err := p.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}
