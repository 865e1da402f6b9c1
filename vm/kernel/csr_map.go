package kernel

import (
	"errors"
	"math"
	"slices"

	"ein/vm/op"
	"ein/vm/tensor"
)

var errCSRMap = errors.New("kernel: an expression of sparse matrices is not 0 where they have no entry")

// CSRMap is a planned elementwise expression of sparse matrices, vectors along their rows or columns,
// and numbers, that is 0 wherever no matrix has an entry. It is evaluated at the entries of all
// matrices, or of one without whose entry it is 0. A division by 0 would make it NaN elsewhere, which
// a run finds and reports. It is immutable and may run in several goroutines.
type CSRMap struct {
	csrPoints
	driver  int    // the matrix whose entries are the only ones that count, or -1
	needed  []bool // of each matrix, if there is a driver: the result is 0 without its entry, whatever drives it
	entries int    // of the result, at most
	poles   uint8
}

// PlanCSRMap plans the expression, see PlanCSRFold. nnz is the entries of each matrix.
func PlanCSRMap(rows, cols int, nnz []int, none []float64, strides [][]int, code []op.Micro, consts []float64) (*CSRMap, error) {
	total := uint64(0)
	for _, n := range nnz {
		total += uint64(n)
	}
	points, err := planCSRPoints(rows, cols, int(min(total, math.MaxInt32)), none, strides, code, consts)
	if err != nil {
		return nil, err
	}
	p := &CSRMap{csrPoints: points, driver: -1}
	p.entries = int(min(uint64(p.nnz), satMul(uint64(rows), uint64(cols))))
	if len(nnz) == 1 {
		p.driver = 0
	}
	all := p.absence(everywhere)
	p.poles = all.poles
	products := func(m op.Micro) bool {
		return m.Fn == op.FnMul || m.Fn == op.FnDiv || m.Fn == op.FnNeg || m.Fn == op.FnAbs || m.Fn == op.FnSqrt
	}
	// A product is NaN by what it depends on along rows, or by what it depends on along columns.
	if !all.zero || p.poles&3 == 3 && slices.ContainsFunc(code, func(m op.Micro) bool { return !products(m) }) {
		return nil, errCSRMap
	}
	checks := slices.ContainsFunc(code, func(m op.Micro) bool { return m.Fn == op.FnCheck })
	for q, n := range nnz {
		if p.needed = append(p.needed, !checks && p.Needs(q)); p.needed[q] && (p.driver < 0 || n < nnz[p.driver]) {
			p.driver, p.entries, p.poles = q, n, 0
		}
	}
	return p, nil
}

// Entries bounds the entries of the result.
func (p *CSRMap) Entries() int { return p.entries }

// Poles reports whether the expression may be NaN where no matrix has an entry.
func (p *CSRMap) Poles() bool { return p.poles != 0 }

// Driver is the matrix without whose entry the result is 0, or -1.
func (p *CSRMap) Driver() int { return p.driver }

// Cost bounds the map.
func (p *CSRMap) Cost() Cost {
	e, r, c, m := uint64(p.nnz), uint64(p.rows), uint64(p.cols), uint64(len(p.none))
	cost := Cost{
		Ops: tensor.SatAdd(satMul(e, uint64(len(p.code)+len(p.along)+2)+2*m), satMul(r+c+1, uint64(len(p.code)+len(p.along)+4)+m)),
		F:   uint64(p.regs) * (fusedBlock + 1), I: c + m,
	}
	if p.driver < 0 && p.poles != 0 {
		cost.Ops = tensor.SatAdd(cost.Ops, satMul(e+r, m+1))
		cost.I += r + 1 + e
	}
	return cost
}

// Run evaluates the map of the matrices into dst, which has slices of the right sizes for Entries. Of
// args only those after as many are looked at. exact is false where an FnCheck met a value that is not
// an exact count, and pole is not 0 but a place without an entry where the expression is NaN: the
// number of a row, or of a column after those, from 1 on.
func (p *CSRMap) Run(c *Ctl, dst *tensor.CSR, matrices []tensor.CSR, args [][]float64, s Scratch) (exact bool, pole int) {
	m := newMeter(c)
	first := len(p.none)
	next := s.takeI(first)
	if pole = p.pole(&m, matrices, args, next, s); pole != 0 {
		return true, pole
	}
	var reg fusedRegs
	f := s.takeF(p.regs * fusedBlock)
	for r := range p.regs {
		reg[r] = f[r*fusedBlock : (r+1)*fusedBlock]
	}
	for k, d := range p.along {
		if d < 0 {
			fillRun(reg[first+k], args[first+k][0])
		}
	}
	for i, x := range p.consts {
		fillRun(reg[first+len(p.along)+i], x)
	}
	clear(dst.Ptr)
	clear(next)
	var b csrBlock
	var fused Fused
	n, exact := int32(0), true
	for {
		if p.driver >= 0 {
			p.drive(&b, &reg, matrices, next)
		} else {
			p.merge(&m, &b, &reg, matrices, next)
		}
		cols, rows := b.cols, b.rows[:len(b.cols)]
		if len(cols) == 0 {
			break
		}
		for k, d := range p.along {
			if to, from := reg[first+k], args[first+k]; d == 0 {
				for t := range cols {
					to[t] = from[rows[t]]
				}
			} else if d == 1 {
				for t, j := range cols {
					to[t] = from[j]
				}
			}
		}
		right, _ := fused.eval(c.Tier, &reg, p.code, len(cols))
		exact = exact && right
		for t, x := range reg[p.result][:len(cols)] { // without a branch that depends on the values
			keep := int32(0)
			if math.Float64bits(x)<<1 != 0 {
				keep = 1
			}
			if b.gone[t] {
				keep = 0
			}
			if dst.Idx[n] = cols[t]; dst.Val != nil {
				dst.Val[n] = x
			}
			n += keep
			dst.Ptr[rows[t]+1] += keep
		}
		m.spend(len(cols) * (len(p.code) + first + len(p.along) + 2))
	}
	tensor.SumUp(dst.Ptr)
	m.spend(p.rows)
	dst.Idx = dst.Idx[:n]
	if dst.Val != nil {
		dst.Val = dst.Val[:n]
	}
	return exact, 0
}

// csrBlock is places in order, as many as are evaluated at a time.
type csrBlock struct {
	cols []int32
	rows [fusedBlock]int32
	gone [fusedBlock]bool // the result is 0 there
	row  int32            // of the next place
	room [fusedBlock]int32
}

// drive takes the next entries of the driver, and the elements of all matrices there.
func (p *CSRMap) drive(b *csrBlock, reg *fusedRegs, matrices []tensor.CSR, next []int32) {
	a, lo := &matrices[p.driver], next[p.driver]
	hi := min(lo+fusedBlock, int32(len(a.Idx)))
	next[p.driver], b.cols = hi, a.Idx[lo:hi]
	for t := range b.cols {
		for a.Ptr[b.row+1] <= lo+int32(t) {
			b.row++
		}
		b.rows[t] = b.row
	}
	clear(b.gone[:])
	for q := range matrices {
		switch {
		case q != p.driver:
			p.entriesAt(b, reg[q], q, &matrices[q], &next[q])
		case a.Val != nil:
			reg[q] = a.Val[lo:hi]
		default:
			fillRun(reg[q][:len(b.cols)], 1)
		}
	}
}

// entriesAt sets to to the elements of matrix q, a, at the places of b, which are not before next, and notes those
// that are gone because it has no entry there.
func (p *CSRMap) entriesAt(b *csrBlock, to []float64, q int, a *tensor.CSR, next *int32) {
	k, none, needed := *next, p.none[q], p.needed[q]
	row, end := int32(-1), int32(0)
	for t, j := range b.cols {
		if i := b.rows[t]; i != row {
			row, k, end = i, max(k, a.Ptr[i]), a.Ptr[i+1]
		}
		for ; k < end && a.Idx[k] < j; k++ {
		}
		if to[t] = none; k < end && a.Idx[k] == j {
			to[t] = csrValue(a, k)
		} else if needed {
			b.gone[t] = true
		}
	}
	*next = k
}

// merge takes the next places where a matrix has an entry, and the elements of all matrices there: a row is
// merged by the least columns.
func (p *CSRMap) merge(m *meter, b *csrBlock, reg *fusedRegs, matrices []tensor.CSR, next []int32) {
	n, from := 0, b.row
	for ; int(b.row) < p.rows; b.row++ {
		start := n
		if len(matrices) == 2 {
			n = p.mergeTwo(b, n, reg, &matrices[0], &matrices[1], next)
		}
		for n < fusedBlock {
			least := int32(p.cols)
			for q := range matrices {
				if a := &matrices[q]; next[q] < a.Ptr[b.row+1] {
					least = min(least, a.Idx[next[q]])
				}
			}
			if int(least) == p.cols {
				break
			}
			for q := range matrices {
				reg[q][n] = p.none[q]
				if a := &matrices[q]; next[q] < a.Ptr[b.row+1] && a.Idx[next[q]] == least {
					reg[q][n] = csrValue(a, next[q])
					next[q]++
				}
			}
			b.room[n] = least
			n++
		}
		for t := start; t < n; t++ {
			b.rows[t] = b.row
		}
		if n == fusedBlock {
			break
		}
	}
	b.cols = b.room[:n]
	m.spend((int(b.row-from) + n) * len(matrices))
}

// mergeTwo merges the row b.row of two matrices until one ends, without a branch that depends on the columns.
func (p *CSRMap) mergeTwo(b *csrBlock, n int, reg *fusedRegs, x, y *tensor.CSR, next []int32) int {
	ones := [1]float64{1}
	value := func(a *tensor.CSR) ([]float64, int32) {
		if a.Val == nil {
			return ones[:], 0
		}
		return a.Val, -1
	}
	xs, xMask := value(x)
	ys, yMask := value(y)
	xNone, yNone := math.Float64bits(p.none[0]), math.Float64bits(p.none[1])
	toX, toY := reg[0][:fusedBlock], reg[1][:fusedBlock]
	i, j, xEnd, yEnd := next[0], next[1], x.Ptr[b.row+1], y.Ptr[b.row+1]
	for n < fusedBlock && i < xEnd && j < yEnd {
		u, v := x.Idx[i], y.Idx[j]
		b.room[n] = min(u, v)
		inX, inY := int32(0), int32(0)
		if u <= v {
			inX = 1
		}
		if v <= u {
			inY = 1
		}
		toX[n] = choose(xs[i&xMask], xNone, inX)
		toY[n] = choose(ys[j&yMask], yNone, inY)
		i, j = i+inX, j+inY
		n++
	}
	next[0], next[1] = i, j
	return n
}

// choose is x if which is 1, and the number with the bits of other if it is 0.
func choose(x float64, other uint64, which int32) float64 {
	mask := -uint64(which)
	return math.Float64frombits(math.Float64bits(x)&mask | other&^mask)
}

// signs sets the operands along an axis to 1 or -1, as they are at its first place where none is 0.
func (p *CSRMap) signs(m *meter, reg []float64, args [][]float64, axis, n int) {
	first := len(p.none)
	for i := range n {
		met := false
		for k, d := range p.along {
			met = met || d == axis && args[first+k][i] == 0
		}
		m.spend(len(p.along))
		if met {
			continue
		}
		for k, d := range p.along {
			if d == axis {
				reg[first+k] = math.Copysign(1, args[first+k][i])
			}
		}
		return
	}
}

// pole finds a row or a column with a place without an entry where the expression is not 0, see Run.
func (p *CSRMap) pole(m *meter, matrices []tensor.CSR, args [][]float64, next []int32, s Scratch) int {
	size := [2]int{p.rows, p.cols}
	var all tensor.CSR // made if it is needed
	for axis, n := range size {
		if p.poles>>axis&1 == 0 && (axis == 1 || p.poles != onNumbers) {
			continue
		}
		reg := p.registers(args, &s)
		var gap func(i int) bool
		for k, d := range p.along {
			if d == 1-axis {
				reg[len(p.none)+k] = 1
			}
		}
		if p.poles&3 == 3 { // roots depend on signs: those of the other axis, of which one that differs is found along that
			p.signs(m, reg, args, 1-axis, size[1-axis])
		}
		for i := range n {
			if p.at(reg, args, axis, i); p.point(reg) == 0 {
				continue
			}
			if all.Ptr == nil && len(matrices) > 1 {
				p.union(m, &all, matrices, next, &s)
			} else if all.Ptr == nil {
				all = matrices[0]
			}
			if gap == nil {
				gap = p.gaps(m, &all, axis, &s)
			}
			if gap(i) {
				return 1 + i + axis*p.rows
			}
		}
		m.spend(n * (len(p.code) + 1))
	}
	return 0
}
