package code

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"ein/vm/ir"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/tensor"
)

// Limits of a well-formed program, so that no number in it overflows.
const (
	maxRegs = 1 << 24
	maxDim  = 1 << 30
)

// rule computes what an instruction's result register has to be, or says what
// is wrong with its arguments. Kind is not part of the comparison: it decides
// how a value is shown, never how it is computed.
type rule func(in *Instr, a []Reg) (Reg, error)

// info is one row for each operation.
type info struct {
	name   string
	args   int // -1: any number from 1
	result bool
	rule   rule
}

var table = [MaxOp]info{
	Einsum:         {"einsum", -1, true, einsumRule},
	Exact:          {"exact", -1, true, exactRule},
	Semiring:       {"semiring", 2, true, einsumRule},
	Fused:          {"fused", -1, true, fusedRule},
	Reduce:         {"reduce", 1, true, reduceRule},
	Softmax:        {"softmax", 1, true, softmaxRule},
	Select:         {"select", -1, true, selectRule},
	Convert:        {"convert", 1, true, nil}, // the result register says into what
	Logic:          {"logic", -1, true, logicRule},
	Transpose:      {"transpose", 1, true, transposeRule},
	CountRows:      {"count_rows", 1, true, countRule(0)},
	CountCols:      {"count_cols", 1, true, countRule(1)},
	CountAll:       {"count_all", 1, true, countRule(-1)},
	CountProduct:   {"count_product", 2, true, countProductRule},
	CountMatVec:    {"count_matvec", 2, true, matVecRule(tensor.Dense)},
	CountAnd:       {"count_and", 2, true, countAndRule},
	BoolProduct:    {"bool_product", 2, true, boolProductRule},
	BoolMatVec:     {"bool_matvec", 2, true, matVecRule(tensor.Packed)},
	TripleTrace:    {"triple_trace", 3, true, tripleRule},
	CubeTrace:      {"cube_trace", 1, true, cubeRule},
	MatVec:         {"matvec", 2, true, sparseMatVecRule},
	VecMat:         {"vecmat", 2, true, sparseVecMatRule},
	Diag:           {"diag", 1, true, diagRule},
	Symmetric:      {"symmetric", 1, true, symmetricRule},
	Pattern:        {"pattern", 1, true, patternRule},
	Closure:        {"closure", 1, true, closureRule},
	Walk:           {"walk", 2, true, walkRule},
	HasPath:        {"has_path", 3, true, hasPathRule},
	SCC:            {"scc", 1, true, sccRule},
	Triangles:      {"triangles", 1, true, scalarOfGraph},
	Path:           {"path", 3, true, pathRule},
	Dist:           {"dist", 2, true, pathRule},
	OneHot:         {"one_hot", 1, true, nil}, // the result register says how long
	CheckInt:       {"check_int", 1, false, checkRule},
	CheckFinite:    {"check_finite", 1, false, checkRule},
	CheckSymmetric: {"check_symmetric", 1, false, checkGraphRule},
}

func (op Op) String() string {
	if op < MaxOp {
		return table[op].name
	}
	return fmt.Sprintf("op(%d)", uint8(op))
}

// Verify reports the first thing that makes p malformed. A verified program can
// be planned, costed and run without further checks of types.
func Verify(p *Program) error {
	if len(p.Regs) > maxRegs {
		return fmt.Errorf("code: %d registers, at most %d", len(p.Regs), maxRegs)
	}
	if len(p.Pos) != len(p.Code) {
		return fmt.Errorf("code: %d positions for %d instructions", len(p.Pos), len(p.Code))
	}
	for i := range p.Regs {
		if err := checkReg(&p.Regs[i]); err != nil {
			return fmt.Errorf("code: register %d: %w", i, err)
		}
	}
	v := verifier{p: p, defined: make([]bool, len(p.Regs))}
	for i := range p.Consts {
		c := &p.Consts[i]
		if err := v.define(c.Reg); err != nil {
			return fmt.Errorf("code: constant %d: %w", i, err)
		}
		if err := CheckValue(&c.Value, &p.Regs[c.Reg]); err != nil {
			return fmt.Errorf("code: constant %d: %w", i, err)
		}
	}
	for i, in := range p.Inputs {
		if err := v.define(in.Reg); err != nil {
			return fmt.Errorf("code: input %d: %w", i, err)
		}
		if in.Bytes < 0 || in.Bytes > 7 {
			return fmt.Errorf("code: input %d: numbers of %d bytes", i, in.Bytes)
		}
	}
	for i := range p.Code {
		if err := firstError(checkPos(p.Pos[i]), v.instr(&p.Code[i])); err != nil {
			return fmt.Errorf("code: instruction %d: %w", i, err)
		}
	}
	for i, o := range p.Outputs {
		if o.Reg < 0 || o.Reg >= len(p.Regs) || !v.defined[o.Reg] {
			return fmt.Errorf("code: output %d: register %d has no value", i, o.Reg)
		}
		if o.Form > ir.NodeIndex {
			return fmt.Errorf("code: output %d: unknown form %d", i, o.Form)
		}
		if err := checkPos(o.Pos); err != nil {
			return fmt.Errorf("code: output %d: %w", i, err)
		}
	}
	at := 0
	for i, s := range p.Stmts {
		if s.From != at || s.To < s.From || s.To > len(p.Code) {
			return fmt.Errorf("code: statement %d covers instructions %d to %d", i, s.From, s.To)
		}
		if err := checkPos(s.Pos); err != nil {
			return fmt.Errorf("code: statement %d: %w", i, err)
		}
		at = s.To
	}
	return nil
}

// checkPos makes sure that a source text can be sliced by a range, once its
// end is known to be within the text.
func checkPos(p ir.Pos) error {
	if p.Start < 0 || p.End < p.Start {
		return fmt.Errorf("source range %d to %d", p.Start, p.End)
	}
	return nil
}

func checkReg(r *Reg) error {
	s := r.Shape
	if r.Kind > tensor.Real || s.Rank() < 0 || s.Rank() > tensor.MaxRank {
		return fmt.Errorf("malformed type")
	}
	for d := range s.Rank() {
		if s.Dim(d) < 0 || s.Dim(d) > maxDim {
			return fmt.Errorf("size %d", s.Dim(d))
		}
	}
	ok := true
	switch r.Layout {
	case tensor.Dense:
	case tensor.Packed:
		ok = r.Kind == tensor.Bool && (s.Rank() == 1 || s.Rank() == 2)
	case tensor.Sparse:
		ok = s.Rank() == 2 && r.NNZ >= 0 && uint64(r.NNZ) <= s.Elems() && r.NNZ < math.MaxInt32
	case tensor.Parts:
		ok = r.Kind == tensor.Bool && s.Rank() == 2 && s.Dim(0) == s.Dim(1)
	default:
		ok = false
	}
	if !ok {
		return fmt.Errorf("layout %d does not hold %v", r.Layout, r.Type)
	}
	return nil
}

// CheckValue reports why a value cannot be the content of a register: its type,
// its layout, and every element, because code relies on a 0/1 value being one.
func CheckValue(v *tensor.Value, r *Reg) error { return CheckInput(v, r, nil) }

// ErrStopped is the error of CheckInput when it was told to stop.
var ErrStopped = errors.New("code: stopped")

// CheckInput is CheckValue that asks stopped, when it is not nil, now and then
// whether to give up; a large input takes a while.
func CheckInput(v *tensor.Value, r *Reg, stopped func() bool) error {
	if v.Kind > r.Kind || v.Shape != r.Shape || v.Layout != r.Layout {
		return fmt.Errorf("a %v %v where a %v %v is expected", v.Layout, v.Type, r.Layout, r.Type)
	}
	switch v.Layout {
	case tensor.Dense:
		if uint64(len(v.F)) != v.Shape.Elems() {
			return fmt.Errorf("%d elements for %v", len(v.F), v.Shape)
		}
		return checkElements(v.F, r.Kind, stopped)
	case tensor.Packed:
		return checkBits(v)
	case tensor.Sparse:
		if v.CSR.NNZ() > r.NNZ {
			return fmt.Errorf("%d entries, at most %d", v.CSR.NNZ(), r.NNZ)
		}
		return checkCSR(&v.CSR, v.Shape, r.Kind, stopped)
	}
	n := v.Shape.Dim(0)
	if len(v.Part) != n {
		return fmt.Errorf("%d parts for %d nodes", len(v.Part), n)
	}
	for _, p := range v.Part {
		if p < 0 || int(p) >= n {
			return fmt.Errorf("part %d", p)
		}
	}
	return nil
}

// pollEvery is how many elements are checked between two looks at stopped.
const pollEvery = 1 << 16

// checkElements requires every number to be of the kind.
func checkElements(data []float64, k tensor.Kind, stopped func() bool) error {
	for i, x := range data {
		if i%pollEvery == pollEvery-1 && stopped != nil && stopped() {
			return ErrStopped
		}
		ok := true
		switch k {
		case tensor.Bool:
			ok = x == 0 || x == 1
		case tensor.Int:
			ok = x == math.Trunc(x) && math.Abs(x) < tensor.MaxInt
		}
		if !ok {
			return fmt.Errorf("element %d is %v, which is no %v", i, x, k)
		}
	}
	return nil
}

// CheckRange reports why the numbers of a value are not those that the code of an
// input relies on. It may give up as CheckInput does.
func (in *Input) CheckRange(v *tensor.Value, stopped func() bool) error {
	if in.Bytes == 0 && !in.NonNeg {
		return nil
	}
	most := tensor.MaxOf(in.Bytes)
	for i, x := range tensor.Numbers(v) {
		if i%pollEvery == pollEvery-1 && stopped != nil && stopped() {
			return ErrStopped
		}
		switch {
		case math.Abs(x) > most:
			return fmt.Errorf("the program was compiled for numbers up to %.0f, found %v", most, x)
		case in.NonNeg && x < 0:
			return fmt.Errorf("the program was compiled for numbers from 0, found %v", x)
		}
	}
	return nil
}

func checkBits(v *tensor.Value) error {
	rows, cols := 1, v.Shape.Dim(0)
	if v.Shape.Rank() == 2 {
		rows, cols = cols, v.Shape.Dim(1)
	}
	b := &v.Bits
	if b.Rows != rows || b.Cols != cols || b.Stride != tensor.Words(cols) ||
		uint64(len(b.W)) != tensor.SatMul(uint64(rows), uint64(b.Stride)) {
		return fmt.Errorf("bits of another size than %v", v.Shape)
	}
	if tail := cols & 63; tail != 0 {
		for i := range rows {
			if bits.LeadingZeros64(b.W[(i+1)*b.Stride-1]) < 64-tail {
				return fmt.Errorf("bits past the end of row %d", i)
			}
		}
	}
	return nil
}

// checkCSR takes the kind of the register: it says whether the results of
// instructions on the value have room for weights.
func checkCSR(c *tensor.CSR, s tensor.Shape, k tensor.Kind, stopped func() bool) error {
	n, m := s.Dim(0), s.Dim(1)
	if c.Rows != n || c.Cols != m || len(c.Ptr) != n+1 || c.Ptr[0] != 0 || int(c.Ptr[n]) != len(c.Idx) {
		return fmt.Errorf("rows of another size than %v", s)
	}
	if (c.Val == nil) != (k == tensor.Bool) {
		return fmt.Errorf("weights of a %v matrix: %t", k, c.Val != nil)
	}
	if c.Val != nil && len(c.Val) != len(c.Idx) {
		return fmt.Errorf("%d values for %d entries", len(c.Val), len(c.Idx))
	}
	for k, x := range c.Val {
		if x == 0 {
			// An edge is a stored entry to the graph kernels.
			return fmt.Errorf("entry %d is a stored zero", k)
		}
	}
	for i := range n {
		if c.Ptr[i] > c.Ptr[i+1] {
			return fmt.Errorf("row %d has a negative length", i)
		}
	}
	if err := checkElements(c.Val, k, stopped); err != nil {
		return err
	}
	next := pollEvery
	for i := range n {
		if done := int(c.Ptr[i]) + i; done >= next {
			next = done + pollEvery
			if stopped != nil && stopped() {
				return ErrStopped
			}
		}
		last := int32(-1)
		for _, j := range c.Row(i) {
			if j <= last || int(j) >= m {
				return fmt.Errorf("row %d is not increasing within 0..%d", i, m-1)
			}
			last = j
		}
	}
	return nil
}

type verifier struct {
	p       *Program
	defined []bool
	args    []Reg
}

func (v *verifier) define(r int) error {
	if r < 0 || r >= len(v.p.Regs) {
		return fmt.Errorf("there is no register %d", r)
	}
	if v.defined[r] {
		return fmt.Errorf("register %d is written twice", r)
	}
	v.defined[r] = true
	return nil
}

func (v *verifier) instr(in *Instr) error {
	if in.Op >= MaxOp {
		return fmt.Errorf("unknown operation %d", in.Op)
	}
	row := &table[in.Op]
	if row.args >= 0 && len(in.Args) != row.args || len(in.Args) == 0 {
		return fmt.Errorf("%v with %d arguments", in.Op, len(in.Args))
	}
	v.args = v.args[:0]
	for _, a := range in.Args {
		if a < 0 || a >= len(v.p.Regs) || !v.defined[a] {
			return fmt.Errorf("%v reads register %d, which has no value", in.Op, a)
		}
		v.args = append(v.args, v.p.Regs[a])
	}
	var want Reg
	var err error
	if row.rule != nil {
		if want, err = row.rule(in, v.args); err != nil {
			return fmt.Errorf("%v: %w", in.Op, err)
		}
	}
	if !row.result {
		if in.Dst != -1 {
			return fmt.Errorf("%v has no result", in.Op)
		}
		return nil
	}
	if err := v.define(in.Dst); err != nil {
		return fmt.Errorf("%v: %w", in.Op, err)
	}
	got := v.p.Regs[in.Dst]
	switch in.Op {
	case Convert:
		return checkConvert(v.args[0], got)
	case OneHot:
		return checkOneHot(v.args[0], got)
	}
	if got.Layout != want.Layout || got.Shape != want.Shape || got.NNZ < want.NNZ ||
		want.Layout == tensor.Sparse && got.Kind == tensor.Bool != (want.Kind == tensor.Bool) {
		return fmt.Errorf("%v gives a %v %v, the register is a %v %v", in.Op, want.Layout, want.Shape, got.Layout, got.Shape)
	}
	return nil
}

func dense(dims ...int) Reg {
	return Reg{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(dims...)}}
}

func packed(dims ...int) Reg {
	return Reg{Type: tensor.Type{Shape: tensor.ShapeOf(dims...)}, Layout: tensor.Packed}
}

func allDense(a []Reg) error {
	for i := range a {
		if a[i].Layout != tensor.Dense {
			return fmt.Errorf("argument %d is %v, not dense", i, a[i].Layout)
		}
	}
	return nil
}

// want requires a layout and a rank of an argument.
func want(a []Reg, k int, l tensor.Layout, rank int) error {
	if a[k].Layout != l || a[k].Shape.Rank() != rank {
		return fmt.Errorf("argument %d is a %v %v", k, a[k].Layout, a[k].Shape)
	}
	return nil
}

func graph(a []Reg) (int, error) {
	n := a[0].Shape
	if a[0].Layout != tensor.Packed && a[0].Layout != tensor.Sparse || n.Rank() != 2 || n.Dim(0) != n.Dim(1) {
		return 0, fmt.Errorf("argument 0 is a %v %v, not a graph", a[0].Layout, n)
	}
	return n.Dim(0), nil
}

func scalars(a []Reg) error {
	for i := range a {
		if a[i].Layout != tensor.Dense || a[i].Shape.Rank() != 0 {
			return fmt.Errorf("a position is a %v %v", a[i].Layout, a[i].Shape)
		}
	}
	return nil
}

func einsumRule(in *Instr, a []Reg) (Reg, error) {
	if err := allDense(a); err != nil {
		return Reg{}, err
	}
	return specRule(in, a)
}

// exactRule allows one sparse matrix, which is all that has indices then.
func exactRule(in *Instr, a []Reg) (Reg, error) {
	r, err := specRule(in, a)
	if err != nil {
		return r, err
	}
	for k := range a {
		if a[k].Kind == tensor.Real {
			return r, fmt.Errorf("argument %d is real", k)
		}
	}
	sparse := SparseArg(a)
	if sparse < 0 {
		return r, allDense(a)
	}
	ids := in.Spec.In[sparse]
	others := slices.Concat(slices.Concat(slices.Delete(slices.Clone(in.Spec.In), sparse, sparse+1)...), in.Spec.Out)
	if len(a) > 2 || len(ids) != 2 || ids[0] == ids[1] || slices.ContainsFunc(others, func(x uint8) bool { return x != ids[0] && x != ids[1] }) {
		return r, fmt.Errorf("argument %d is a csr", sparse)
	}
	return r, allDense(slices.Delete(slices.Clone(a), sparse, sparse+1))
}

// SparseArg is the first argument that is sparse, or -1.
func SparseArg(a []Reg) int {
	return slices.IndexFunc(a, func(r Reg) bool { return r.Layout == tensor.Sparse })
}

// specRule requires a spec that fits the shapes of the arguments.
func specRule(in *Instr, a []Reg) (Reg, error) {
	s := in.Spec
	if s == nil || len(s.In) != len(a) || len(s.Size) > 64 || len(s.Out) > tensor.MaxRank {
		return Reg{}, fmt.Errorf("malformed spec")
	}
	for k, ids := range s.In {
		if len(ids) != a[k].Shape.Rank() {
			return Reg{}, fmt.Errorf("operand %d has rank %d", k, a[k].Shape.Rank())
		}
		for d, x := range ids {
			if int(x) >= len(s.Size) || s.Size[x] != a[k].Shape.Dim(d) {
				return Reg{}, fmt.Errorf("operand %d: axis %d does not fit", k, d)
			}
		}
	}
	for _, n := range s.Size {
		if n < 0 || n > maxDim {
			return Reg{}, fmt.Errorf("index of size %d", n)
		}
	}
	r := dense()
	for _, x := range s.Out {
		if int(x) >= len(s.Size) {
			return Reg{}, fmt.Errorf("unknown index %d", x)
		}
		r.Shape = r.Shape.Append(s.Size[x])
	}
	if in.Op == Semiring {
		if in.Fn > op.FnCheck || in.Fn.Arity() != 2 || in.Fold > op.FoldMin {
			return Reg{}, fmt.Errorf("no semiring of %d and %d", in.Fn, in.Fold)
		}
		if err := semiringPlan(in); err != nil {
			return Reg{}, err
		}
	}
	return r, nil
}

func semiringPlan(in *Instr) error {
	_, err := kernel.PlanSemiring(*in.Spec, in.Fn, in.Fold)
	return err
}

func fusedRule(in *Instr, a []Reg) (Reg, error) {
	m := in.Micro
	if err := allDense(a); err != nil {
		return Reg{}, err
	}
	if m == nil || len(m.Strides) != len(a) || m.Folds < 0 || m.Folds > len(m.Shape) ||
		len(m.Shape)-m.Folds > tensor.MaxRank || len(m.Shape) > 64 || m.Fold > op.FoldMin {
		return Reg{}, fmt.Errorf("malformed micro program")
	}
	points := uint64(1)
	for _, n := range m.Shape {
		if n < 0 || n > maxDim {
			return Reg{}, fmt.Errorf("size %d", n)
		}
		points = tensor.SatMul(points, uint64(n))
	}
	for k, strides := range m.Strides {
		if len(strides) != len(m.Shape) {
			return Reg{}, fmt.Errorf("operand %d has %d strides", k, len(strides))
		}
		last := uint64(0)
		for d, s := range strides {
			if s < 0 {
				return Reg{}, fmt.Errorf("operand %d has a negative stride", k)
			}
			last = tensor.SatAdd(last, tensor.SatMul(uint64(s), uint64(max(m.Shape[d]-1, 0))))
		}
		if points > 0 && last >= a[k].Shape.Elems() {
			return Reg{}, fmt.Errorf("operand %d is read past its end", k)
		}
	}
	if err := checkMicro(m); err != nil {
		return Reg{}, err
	}
	if _, err := PlanMicro(m); err != nil {
		return Reg{}, err
	}
	return dense(m.Shape[:len(m.Shape)-m.Folds]...), nil
}

// checkMicro makes sure that no temporary is read before it is written: it
// lies in scratch memory, which holds what other instructions left there.
func checkMicro(m *Micro) error {
	fixed := len(m.Strides) + len(m.Consts)
	var written [256]bool
	for _, c := range m.Code {
		if c.Fn > op.FnCheck {
			return fmt.Errorf("unknown function %d", c.Fn)
		}
		read := [...]uint8{c.A, c.B, c.C}
		for _, r := range read[:c.Fn.Arity()] {
			if int(r) >= fixed && !written[r] {
				return fmt.Errorf("register %d of a micro program is read before it is written", r)
			}
		}
		if c.Fn != op.FnCheck {
			written[c.Dst] = true
		}
	}
	return nil
}

// PlanMicro plans an elementwise program.
func PlanMicro(m *Micro) (*kernel.Fused, error) {
	ops := make([]kernel.FusedOperand, len(m.Strides))
	for i, s := range m.Strides {
		ops[i].Stride = s
	}
	if m.Folds > 0 {
		return kernel.PlanFusedFold(m.Shape, m.Folds, m.Fold, ops, m.Code, m.Consts)
	}
	return kernel.PlanFused(m.Shape, ops, m.Code, m.Consts)
}

// axes requires increasing axes of a tensor.
func axes(ax []int, s tensor.Shape) error {
	last := -1
	for _, d := range ax {
		if d <= last || d >= s.Rank() {
			return fmt.Errorf("axes %v of %v", ax, s)
		}
		last = d
	}
	return nil
}

func without(s tensor.Shape, ax []int) tensor.Shape {
	for i := len(ax) - 1; i >= 0; i-- {
		s = s.Drop(ax[i])
	}
	return s
}

func reduceRule(in *Instr, a []Reg) (Reg, error) {
	if err := allDense(a); err != nil {
		return Reg{}, err
	}
	if err := axes(in.Axes, a[0].Shape); err != nil {
		return Reg{}, err
	}
	if in.Fold > op.FoldArgMin {
		return Reg{}, fmt.Errorf("unknown fold %d", in.Fold)
	}
	r := dense()
	r.Shape = without(a[0].Shape, in.Axes)
	_, err := kernel.PlanReduce(in.Fold, a[0].Shape.Dims(), in.Axes)
	return r, err
}

func softmaxRule(in *Instr, a []Reg) (Reg, error) {
	if err := allDense(a); err != nil {
		return Reg{}, err
	}
	if len(in.Axes) != 1 {
		return Reg{}, fmt.Errorf("%d axes", len(in.Axes))
	}
	r := dense()
	r.Shape = a[0].Shape
	return r, axes(in.Axes, a[0].Shape)
}

func selectRule(in *Instr, a []Reg) (Reg, error) {
	if len(in.Axes) != len(a)-1 {
		return Reg{}, fmt.Errorf("%d axes for %d positions", len(in.Axes), len(a)-1)
	}
	if err := axes(in.Axes, a[0].Shape); err != nil {
		return Reg{}, err
	}
	if err := scalars(a[1:]); err != nil {
		return Reg{}, err
	}
	if a[0].Layout != tensor.Dense && len(in.Axes) == 0 {
		return Reg{}, fmt.Errorf("nothing is selected")
	}
	r := dense()
	r.Shape = without(a[0].Shape, in.Axes)
	// A row or a column of 0/1 entries stays packed.
	if a[0].Layout != tensor.Dense && r.Shape.Rank() == 1 && a[0].Kind == tensor.Bool {
		r.Layout, r.Kind = tensor.Packed, tensor.Bool
	}
	return r, nil
}

func checkConvert(a, d Reg) error {
	if a.Shape != d.Shape {
		return fmt.Errorf("convert: %v to %v", a.Shape, d.Shape)
	}
	type pair [2]tensor.Layout
	switch (pair{a.Layout, d.Layout}) {
	case pair{tensor.Packed, tensor.Dense}, pair{tensor.Dense, tensor.Packed}, pair{tensor.Sparse, tensor.Packed},
		pair{tensor.Sparse, tensor.Dense}, pair{tensor.Parts, tensor.Packed}:
		if d.Layout == tensor.Packed && a.Kind != tensor.Bool {
			break
		}
		return nil
	}
	return fmt.Errorf("convert: no way from %v %v to %v", a.Layout, a.Kind, d.Layout)
}

func checkOneHot(a, d Reg) error {
	if d.Layout != tensor.Packed || d.Shape.Rank() != 1 {
		return fmt.Errorf("one_hot: the register is a %v %v", d.Layout, d.Shape)
	}
	return scalars([]Reg{a})
}

func logicRule(in *Instr, a []Reg) (Reg, error) {
	operands := 2
	if in.Logic == Not {
		operands = 1
	}
	if in.Logic >= maxLogic || len(a) != operands {
		return Reg{}, fmt.Errorf("malformed")
	}
	for k := range a {
		if a[k].Layout != tensor.Packed || a[k].Shape != a[0].Shape {
			return Reg{}, fmt.Errorf("argument %d is a %v %v", k, a[k].Layout, a[k].Shape)
		}
	}
	return Reg{Type: a[0].Type, Layout: tensor.Packed}, nil
}

func transposeRule(_ *Instr, a []Reg) (Reg, error) {
	r := a[0]
	if r.Layout != tensor.Packed && r.Layout != tensor.Sparse || r.Shape.Rank() != 2 {
		return Reg{}, fmt.Errorf("argument 0 is a %v %v", r.Layout, r.Shape)
	}
	r.Shape = tensor.ShapeOf(r.Shape.Dim(1), r.Shape.Dim(0))
	return r, nil
}

func countRule(keep int) rule {
	return func(_ *Instr, a []Reg) (Reg, error) {
		s := a[0].Shape
		switch {
		case a[0].Layout == tensor.Dense:
			return Reg{}, fmt.Errorf("argument 0 is dense")
		case keep < 0:
			return dense(), nil
		case s.Rank() != 2:
			return Reg{}, fmt.Errorf("argument 0 is a vector")
		}
		return dense(s.Dim(keep)), nil
	}
}

func countProductRule(_ *Instr, a []Reg) (Reg, error) {
	if err := firstError(want(a, 0, tensor.Packed, 2), want(a, 1, tensor.Packed, 2)); err != nil {
		return Reg{}, err
	}
	if a[0].Shape.Dim(1) != a[1].Shape.Dim(1) {
		return Reg{}, fmt.Errorf("%v and %v", a[0].Shape, a[1].Shape)
	}
	return dense(a[0].Shape.Dim(0), a[1].Shape.Dim(0)), nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func matVecRule(l tensor.Layout) rule {
	return func(_ *Instr, a []Reg) (Reg, error) {
		if err := firstError(want(a, 0, tensor.Packed, 2), want(a, 1, tensor.Packed, 1)); err != nil {
			return Reg{}, err
		}
		if a[0].Shape.Dim(1) != a[1].Shape.Dim(0) {
			return Reg{}, fmt.Errorf("%v and %v", a[0].Shape, a[1].Shape)
		}
		r := dense(a[0].Shape.Dim(0))
		r.Layout = l
		return r, nil
	}
}

func countAndRule(_ *Instr, a []Reg) (Reg, error) {
	if a[0].Layout != tensor.Packed || a[1].Layout != tensor.Packed || a[0].Shape != a[1].Shape {
		return Reg{}, fmt.Errorf("%v %v and %v %v", a[0].Layout, a[0].Shape, a[1].Layout, a[1].Shape)
	}
	return dense(), nil
}

func boolProductRule(_ *Instr, a []Reg) (Reg, error) {
	if err := firstError(want(a, 0, tensor.Packed, 2), want(a, 1, tensor.Packed, 2)); err != nil {
		return Reg{}, err
	}
	if a[0].Shape.Dim(1) != a[1].Shape.Dim(0) {
		return Reg{}, fmt.Errorf("%v and %v", a[0].Shape, a[1].Shape)
	}
	return packed(a[0].Shape.Dim(0), a[1].Shape.Dim(1)), nil
}

func tripleRule(_ *Instr, a []Reg) (Reg, error) {
	if err := firstError(want(a, 0, tensor.Packed, 2), want(a, 1, tensor.Packed, 2), want(a, 2, tensor.Packed, 2)); err != nil {
		return Reg{}, err
	}
	if a[0].Shape.Dim(1) != a[1].Shape.Dim(0) || a[1].Shape.Dim(1) != a[2].Shape.Dim(1) || a[0].Shape.Dim(0) != a[2].Shape.Dim(0) {
		return Reg{}, fmt.Errorf("%v, %v and %v", a[0].Shape, a[1].Shape, a[2].Shape)
	}
	return dense(), nil
}

func cubeRule(_ *Instr, a []Reg) (Reg, error) {
	// The kernel counts walks: it does not look at weights.
	if _, err := graph(a); err != nil || a[0].Layout != tensor.Sparse || a[0].Kind != tensor.Bool {
		return Reg{}, fmt.Errorf("argument 0 is a %v %v", a[0].Layout, a[0].Type)
	}
	return dense(), nil
}

func sparseMatVecRule(_ *Instr, a []Reg) (Reg, error) {
	if err := firstError(want(a, 0, tensor.Sparse, 2), want(a, 1, tensor.Dense, 1)); err != nil {
		return Reg{}, err
	}
	if a[0].Shape.Dim(1) != a[1].Shape.Dim(0) {
		return Reg{}, fmt.Errorf("%v and %v", a[0].Shape, a[1].Shape)
	}
	return dense(a[0].Shape.Dim(0)), nil
}

func sparseVecMatRule(_ *Instr, a []Reg) (Reg, error) {
	if err := firstError(want(a, 0, tensor.Dense, 1), want(a, 1, tensor.Sparse, 2)); err != nil {
		return Reg{}, err
	}
	if a[0].Shape.Dim(0) != a[1].Shape.Dim(0) {
		return Reg{}, fmt.Errorf("%v and %v", a[0].Shape, a[1].Shape)
	}
	return dense(a[1].Shape.Dim(1)), nil
}

func diagRule(_ *Instr, a []Reg) (Reg, error) {
	n, err := graph(a)
	return dense(n), err
}

func symmetricRule(_ *Instr, a []Reg) (Reg, error) {
	if _, err := graph(a); err != nil || a[0].Layout != tensor.Sparse || a[0].Kind != tensor.Bool {
		return Reg{}, fmt.Errorf("argument 0 is a %v %v", a[0].Layout, a[0].Type)
	}
	r := a[0]
	r.NNZ = SymmetricNNZ(r.NNZ, r.Shape)
	return r, nil
}

func patternRule(_ *Instr, a []Reg) (Reg, error) {
	r := a[0]
	r.Kind = tensor.Bool
	return r, want(a, 0, tensor.Sparse, 2)
}

// SymmetricNNZ bounds the entries of a matrix or its transpose.
func SymmetricNNZ(nnz int, s tensor.Shape) int { return int(min(uint64(2*nnz), s.Elems())) }

func closureRule(_ *Instr, a []Reg) (Reg, error) {
	n, err := graph(a)
	return packed(n, n), err
}

func walkRule(in *Instr, a []Reg) (Reg, error) {
	n, err := graph(a)
	if in.Walk > op.WalkRow {
		err = fmt.Errorf("unknown walk %d", in.Walk)
	}
	return packed(n), firstError(err, scalars(a[1:]))
}

func hasPathRule(_ *Instr, a []Reg) (Reg, error) {
	_, err := graph(a)
	return dense(), firstError(err, scalars(a[1:]))
}

func sccRule(_ *Instr, a []Reg) (Reg, error) {
	n, err := graph(a)
	r := packed(n, n)
	r.Layout = tensor.Parts
	return r, err
}

func scalarOfGraph(_ *Instr, a []Reg) (Reg, error) {
	_, err := graph(a)
	return dense(), err
}

func pathRule(_ *Instr, a []Reg) (Reg, error) {
	n, err := graph(a)
	return dense(n), firstError(err, scalars(a[1:]))
}

func checkRule(_ *Instr, a []Reg) (Reg, error) { return Reg{}, allDense(a) }

func checkGraphRule(_ *Instr, a []Reg) (Reg, error) {
	_, err := graph(a)
	return Reg{}, err
}
