package code

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"ein/vm/ir"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/simd"
	"ein/vm/tensor"
)

// Limits of a well-formed program, so that no number in it overflows.
const (
	maxRegs = 1 << 24
	maxDim  = 1 << 30

	maxPlanned = 1 << 18 // literals of the loops of all rules, each of which takes half a KiB to plan
)

// Verify reports the first thing that makes p malformed. A verified program can be planned, costed
// and run without further checks of types.
//
// It goes from parts to what refers to them: domains and registers first, then constants and
// inputs, which define registers, then instructions in their order, outputs and statements. A
// register is defined once, before it is read, so a program needs no check for cycles.
func Verify(p *Program) error {
	if len(p.Regs) > maxRegs {
		return fmt.Errorf("code: %d registers, at most %d", len(p.Regs), maxRegs)
	}
	if len(p.Pos) != len(p.Code) {
		return fmt.Errorf("code: %d positions for %d instructions", len(p.Pos), len(p.Code))
	}
	for i, d := range p.Domains {
		if err := rel.CheckDomain(d); err != nil || slices.Contains(p.Domains[:i], d) {
			return fmt.Errorf("code: malformed domain %d", i)
		}
	}
	for i := range p.Regs {
		err := checkReg(&p.Regs[i])
		for _, c := range p.Regs[i].Columns {
			if err == nil && c.Domain != nil && !slices.Contains(p.Domains, c.Domain) {
				err = fmt.Errorf("the domain of the column %s is not one of the program's", c.Name)
			}
		}
		if err != nil {
			return fmt.Errorf("code: register %d: %w", i, err)
		}
	}
	v := verifier{p: p, defined: make([]bool, len(p.Regs))}
	for i := range p.Consts {
		c := &p.Consts[i]
		if err := v.define(c.Reg); err != nil {
			return fmt.Errorf("code: constant %d: %w", i, err)
		}
		if err := CheckValue(&c.Value, &p.Regs[c.Reg], nil); err != nil {
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
	planned := 0
	for i := range p.Code {
		err := checkPos(p.Pos[i])
		if err == nil {
			err = v.instr(&p.Code[i])
		}
		if r := p.Code[i].Rules; err == nil && r != nil {
			if planned += r.Planned(); planned > maxPlanned {
				err = fmt.Errorf("the rules so far take %d literals to plan, at most %d", planned, maxPlanned)
			}
		}
		if err != nil {
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

// checkPos makes sure that a range can slice a source text that is long enough.
func checkPos(p ir.Pos) error {
	if p.Start < 0 || p.End < p.Start {
		return fmt.Errorf("source range %d to %d", p.Start, p.End)
	}
	return nil
}

// checkReg refuses types that no kernel expects, such as bits of whole numbers, and sizes that
// overflow.
func checkReg(r *Reg) error {
	s := r.Shape
	if r.Kind > tensor.Real || r.Far && (r.Kind != tensor.Real || s.Rank() == 0) || s.Rank() < 0 || s.Rank() > tensor.MaxRank {
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
		ok = s.Rank() == 2 && r.NNZ >= 0 && uint64(r.NNZ) <= s.Elems() && r.NNZ < math.MaxInt32 &&
			(r.Pattern == nil || r.Pattern.NNZ() <= r.NNZ && s == tensor.ShapeOf(r.Pattern.Rows, r.Pattern.Cols))
	case tensor.Parts:
		ok = r.Kind == tensor.Bool && s.Rank() == 2 && s.Dim(0) == s.Dim(1)
	case tensor.Rows:
		if err := rel.CheckColumns(r.Columns); err != nil {
			return err
		}
		ok = r.Kind == tensor.Bool && s.Rank() == 0 && r.NNZ >= 0 && (r.Table == nil || r.Table.Len <= r.NNZ && rel.SameColumns(r.Table.Columns, r.Columns))
	default:
		ok = false
	}
	ok = ok && (r.Layout == tensor.Rows || r.Columns == nil && r.Table == nil)
	if !ok {
		return fmt.Errorf("layout %d does not hold %v", r.Layout, r.Type)
	}
	return nil
}

// CheckValue reports why a value cannot be the content of a register: its type,
// its layout, and every element, because code relies on a 0/1 value being one.
// It calls stopped, unless it is nil, now and then to ask whether to give up, with
// [rel.ErrStopped]; a large input takes a while.
func CheckValue(v *tensor.Value, r *Reg, stopped func() bool) error {
	if v.Kind > r.Kind || v.Far != r.Far || v.Shape != r.Shape || v.Layout != r.Layout {
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
		if p := r.Pattern; p != nil && (len(p.Idx) != v.CSR.NNZ() || len(p.Idx) > 0 && (&p.Idx[0] != &v.CSR.Idx[0] || len(v.CSR.Ptr) == 0 || &p.Ptr[0] != &v.CSR.Ptr[0])) {
			return errors.New("another matrix than the program was certified for")
		}
		return checkCSR(&v.CSR, r.Type, stopped)
	case tensor.Rows:
		switch t := v.Table; {
		case t == nil || !rel.SameColumns(t.Columns, r.Columns):
			return fmt.Errorf("a table of other columns")
		case r.Table != nil && t != r.Table:
			return errors.New("another table than the program was certified for")
		case t.Len > r.NNZ:
			return fmt.Errorf("%d rows, at most %d", t.Len, r.NNZ)
		}
		return rel.CheckTable(v.Table, stopped)
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
const pollEvery = 1 << 14

// checkElements requires every number to be of the kind.
func checkElements(data []float64, k tensor.Kind, stopped func() bool) error {
	if k == tensor.Real {
		return nil
	}
	for at := 0; at < len(data); at += pollEvery {
		if stopped != nil && stopped() {
			return rel.ErrStopped
		}
		part := data[at:min(at+pollEvery, len(data))]
		if k == tensor.Int && whole(part) {
			continue
		}
		for i, x := range part {
			if x != 0 && x != 1 && (k == tensor.Bool || x != math.Trunc(x) || math.Abs(x) >= tensor.MaxInt) {
				return fmt.Errorf("element %d is %v, which is no %v", at+i, x, k)
			}
		}
	}
	return nil
}

// whole reports whether all numbers are exact counts.
func whole(x []float64) bool {
	fraction := uint64(0)
	for _, x := range x {
		fraction |= math.Float64bits(x-float64(int64(x))) << 1 // without the sign, of -0
	}
	return fraction == 0 && kernel.Extreme(op.FoldMin, x) > -tensor.MaxInt && kernel.Extreme(op.FoldMax, x) < tensor.MaxInt
}

// CheckRange reports why the numbers of a value are outside the range that the code relies on. It may
// give up as CheckValue does.
func (in *Input) CheckRange(v *tensor.Value, stopped func() bool) error {
	if in.Bytes == 0 && !in.NonNeg {
		return nil
	}
	most, least := math.Inf(1), math.Inf(-1)
	if in.Bytes > 0 {
		most = tensor.MaxOf(in.Bytes)
		least = -most
	}
	if in.NonNeg {
		least = 0
	}
	for numbers := range slices.Chunk(tensor.Numbers(v), pollEvery) {
		if stopped != nil && stopped() {
			return rel.ErrStopped
		}
		if kernel.Extreme(op.FoldMin, numbers) >= least && (in.Bytes == 0 || kernel.Extreme(op.FoldMax, numbers) <= most) {
			continue
		}
		for _, x := range numbers { // one is outside, or is no number
			switch {
			case math.Abs(x) > most:
				return fmt.Errorf("the program was compiled for numbers up to %.0f, found %v", most, x)
			case in.NonNeg && x < 0:
				return fmt.Errorf("the program was compiled for numbers from 0, found %v", x)
			}
		}
	}
	return nil
}

// checkBits requires bits of the shape, with zeros past the end of each row: kernels count and
// compare whole words.
func checkBits(v *tensor.Value) error {
	rows, cols := v.Shape.Matrix()
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
func checkCSR(c *tensor.CSR, t tensor.Type, stopped func() bool) error {
	s, k := t.Shape, t.Kind
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
	if !t.Far && !(kernel.Extreme(op.FoldMin, c.Val) > 0) {
		// An edge is a stored entry to the graph kernels.
		if k := slices.Index(c.Val, 0); k >= 0 {
			return fmt.Errorf("entry %d is a stored zero", k)
		}
	}
	if falls, inside := simd.Best.Falls(c.Ptr, 0, c.Ptr[n]); falls > 0 || !inside {
		i := 0
		for c.Ptr[i] <= c.Ptr[i+1] {
			i++
		}
		return fmt.Errorf("row %d has a negative length", i)
	}
	if err := checkElements(c.Val, k, stopped); err != nil {
		return err
	}
	for at := 0; at < n; {
		// Rows of about as many entries as are looked at between two polls.
		end := at + 1 + sort.Search(n-at-1, func(i int) bool { return int(c.Ptr[at+i+2]-c.Ptr[at])+i+2 > pollEvery })
		if stopped != nil && stopped() {
			return rel.ErrStopped
		}
		if !increasing(c, at, end) {
			return increasingRows(c, at, end)
		}
		at = end
	}
	return nil
}

// increasing is increasingRows without a branch for each entry: one that is not above its predecessor
// must begin a row.
func increasing(c *tensor.CSR, at, end int) bool {
	falls, inside := simd.Best.Falls(c.Idx[c.Ptr[at]:c.Ptr[end]], 1, int32(c.Cols-1))
	first, p := c.Ptr[at], c.Ptr[at+1]
	for _, q := range c.Ptr[at+2 : end+1] {
		if p < q && p > first {
			pair := c.Idx[p-1 : p+1]
			falls -= int(uint32(pair[1]-pair[0]-1) >> 31)
		}
		p = q
	}
	return inside && falls == 0
}

// increasingRows reports a row whose entries are not increasing or outside.
func increasingRows(c *tensor.CSR, at, end int) error {
	for i := at; i < end; i++ {
		last := int32(-1)
		for _, j := range c.Row(i) {
			if j <= last || int(j) >= c.Cols {
				return fmt.Errorf("row %d is not increasing within 0..%d", i, c.Cols-1)
			}
			last = j
		}
	}
	return nil
}

// verifier goes through a program in its order; defined says which registers have a value by
// then.
type verifier struct {
	p       *Program
	defined []bool
	site    Site
}

// define records that a register is written, which happens once.
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

// instr checks an instruction in the order in which each check relies on the one before: its registers
// exist and have values, then their types fit the signature, then the rule of the operation.
func (v *verifier) instr(in *Instr) error {
	if in.Op >= MaxOp {
		return fmt.Errorf("unknown operation %d", in.Op)
	}
	s, n := &sigs()[in.Op], len(in.Args)
	if n == 0 && in.Op != Rules || !s.more && n != len(s.args) {
		return fmt.Errorf("%v with %d arguments", in.Op, n)
	}
	for _, a := range in.Args {
		if a < 0 || a >= len(v.p.Regs) || !v.defined[a] {
			return fmt.Errorf("%v reads register %d, which has no value", in.Op, a)
		}
	}
	if s.result == nil && in.Dst != -1 || in.Op != Rules && len(in.Results) > 0 {
		return fmt.Errorf("%v has no result", in.Op)
	}
	for _, r := range in.Results {
		if err := v.define(r); err != nil {
			return fmt.Errorf("%v: %w", in.Op, err)
		}
		if v.p.Regs[r].Table != nil {
			return fmt.Errorf("%v does not know its results", in.Op)
		}
	}
	if s.result != nil {
		if err := v.define(in.Dst); err != nil {
			return fmt.Errorf("%v: %w", in.Op, err)
		}
	}
	err := v.site.enter(v.p, in)
	if err == nil {
		err = v.site.attributes()
	}
	row := &table[in.Op]
	if err == nil && row.rule != nil {
		err = row.rule(&v.site)
	}
	if err == nil && row.plan != nil && in.Op != Rules { // whose rule plans them
		_, err = row.plan(&v.site)
	}
	if r := v.site.Result; err == nil && r != nil && r.Layout == tensor.Sparse && r.NNZ < v.site.entries() {
		err = fmt.Errorf("gives up to %d entries, the register has %d", v.site.entries(), r.NNZ)
	}
	if err != nil {
		return fmt.Errorf("%v: %w", in.Op, err)
	}
	return nil
}
