package cost

import (
	"math"

	"ein/vm/code"
	"ein/vm/kernel"
	"ein/vm/tensor"
)

// degrees bounds the entries of each row and each column of a csr. Within, if it is known, has all of its
// entries, or, if it is turned, those of its transpose.
type degrees struct {
	rows, cols []float64
	within     *tensor.CSR
	turned     bool
}

// maxDegrees bounds the numbers that a certificate of products keeps: 128 MiB.
const maxDegrees = 1 << 24

// fitting knows how far the entries of loose registers can be below their bounds, from the matrices that a
// program is certified for. program has these entries.
type fitting struct {
	program *code.Program
	known   []*degrees // of registers, nil for those that are not known
	left    int        // numbers
}

// fit prepares p, or returns nil if nothing of it is loose.
func fit(p *code.Program, loose []bool) *fitting {
	if loose == nil {
		return nil
	}
	own := *p
	own.Regs = append([]code.Reg(nil), p.Regs...)
	f := &fitting{&own, make([]*degrees, len(p.Regs)), maxDegrees}
	for _, in := range p.Inputs {
		if m := p.Regs[in.Reg].Pattern; m != nil {
			if d := f.room(m.Rows, m.Cols); d != nil {
				d.within = m
				for i := range m.Rows {
					d.rows[i] = float64(len(m.Row(i)))
				}
				for _, j := range m.Idx {
					d.cols[j]++
				}
				f.known[in.Reg] = d
			}
		}
	}
	return f
}

// room is degrees of a matrix, nil if there is no room for them.
func (f *fitting) room(rows, cols int) *degrees {
	if f.left -= rows + cols; f.left < 0 {
		return nil
	}
	return &degrees{rows: make([]float64, rows), cols: make([]float64, cols)}
}

// step fits the result of an instruction with so few entries, and returns the multiplications of a product, 0
// if they are not known.
func (f *fitting) step(site *code.Site, in *code.Instr) (work uint64) {
	if in.Dst < 0 || f.program.Regs[in.Dst].Layout != tensor.Sparse {
		return 0
	}
	site.Work = 0 // of the product before
	r := &f.program.Regs[in.Dst]
	r.NNZ = min(r.NNZ, site.Entries(f.program, in))
	a := f.known[in.Args[0]]
	rows, cols := r.Shape.Matrix()
	switch in.Op {
	case code.Transpose:
		if a != nil {
			f.known[in.Dst] = &degrees{a.cols, a.rows, a.within, !a.turned}
		}
	case code.Pattern, code.MaskCSR:
		f.known[in.Dst] = a
	case code.MapCSR:
		plan, _, err := site.Plan(f.program, in)
		if err != nil {
			return 0
		}
		if k := plan.(*kernel.CSRMap).Driver(); k >= 0 {
			f.known[in.Dst] = f.known[in.Args[k]]
			return 0
		}
		sum := f.room(rows, cols)
		for _, k := range in.Args {
			if f.program.Regs[k].Layout != tensor.Sparse {
				continue
			}
			if sum == nil || f.known[k] == nil {
				return 0
			}
			add(sum.rows, f.known[k].rows, cols)
			add(sum.cols, f.known[k].cols, rows)
		}
		f.known[in.Dst] = sum
		r.NNZ = min(r.NNZ, int(total(sum.rows)))
	case code.ProductCSR:
		b := f.known[in.Args[1]]
		d := f.room(rows, cols)
		if a == nil || b == nil || d == nil {
			return 0
		}
		all := 0.0
		for k := range a.cols {
			all += a.cols[k] * b.rows[k]
		}
		a.times(d.rows, b.rows, a.rows, false)
		b.times(d.cols, a.cols, b.cols, true)
		add(d.rows, nil, cols)
		add(d.cols, nil, rows)
		f.known[in.Dst] = d
		r.NNZ = min(r.NNZ, int(total(d.rows)))
		return uint64(max(all, 1))
	}
	return 0
}

// times bounds the sums of what a matrix has in each row, or in each column if it is seen turned, where x is
// what each entry stands for; own is how many it has.
func (d *degrees) times(dst, x, own []float64, turned bool) {
	if d.within == nil {
		most := 0.0
		for _, n := range x {
			most = max(most, n)
		}
		for i, n := range own {
			dst[i] = n * most
		}
		return
	}
	for i := range d.within.Rows {
		for _, j := range d.within.Row(i) {
			if d.turned != turned {
				dst[j] += x[i]
			} else {
				dst[i] += x[j]
			}
		}
	}
}

// add adds x to dst, where no sum is over most.
func add(dst, x []float64, most int) {
	for i := range dst {
		if x != nil {
			dst[i] += x[i]
		}
		dst[i] = min(dst[i], float64(most))
	}
}

func total(x []float64) (sum float64) {
	for _, n := range x {
		sum += n
	}
	return min(sum, math.MaxInt32)
}
