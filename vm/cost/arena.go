package cost

import (
	"ein/vm/code"
	"ein/vm/kernel"
	"ein/vm/tensor"
	"slices"
	"sync"
)

// Place is where a register lives: an offset in the arena of each word type.
type Place struct{ F, W, I uint64 }

// Arena is the memory plan of a program: registers share space when their lives
// do not overlap, and one scratch area serves all instructions.
type Arena struct {
	Place   []Place     // of each register; constants and inputs have none
	Size    kernel.Cost // words of each type, scratch included
	Scratch Place       // where the scratch area starts
}

// Need returns how many words a register takes.
func Need(r *code.Reg) (w kernel.Cost) {
	switch r.Layout {
	case tensor.Dense:
		w.F = r.Shape.Elems()
	case tensor.Packed:
		w.W = r.Words()
	case tensor.Sparse:
		w.I = uint64(r.Shape.Dim(0)) + 1 + uint64(r.NNZ)
		if r.Kind != tensor.Bool {
			w.F = uint64(r.NNZ)
		}
	case tensor.Parts:
		w.I = uint64(r.Shape.Dim(0))
	} // a table pays for its own memory, see Module.Rows
	return w
}

// Bytes returns the size of so many words of each type.
func Bytes(c kernel.Cost) uint64 {
	return tensor.SatAdd(tensor.SatMul(8, tensor.SatAdd(c.F, c.W)), tensor.SatMul(4, c.I))
}

// hole is a free range of an arena.
type hole struct{ at, size uint64 }

// heap hands out ranges of one arena, first fit.
type heap struct {
	holes []hole
	end   uint64
}

// take returns the place of a range of some size: in the first hole that is large enough, or at
// the end.
func (h *heap) take(size uint64) uint64 {
	if size == 0 {
		return 0
	}
	for i := range h.holes {
		if h.holes[i].size < size {
			continue
		}
		at := h.holes[i].at
		h.holes[i].at += size
		h.holes[i].size -= size
		if h.holes[i].size == 0 {
			h.holes = append(h.holes[:i], h.holes[i+1:]...)
		}
		return at
	}
	at := h.end
	h.end = tensor.SatAdd(h.end, size)
	return at
}

// give frees a range and joins it with its neighbours.
func (h *heap) give(at, size uint64) {
	if size == 0 {
		return
	}
	i := 0
	for i < len(h.holes) && h.holes[i].at < at {
		i++
	}
	h.holes = slices.Insert(h.holes, i, hole{at, size})
	if i+1 < len(h.holes) && at+size == h.holes[i+1].at {
		h.holes[i].size += h.holes[i+1].size
		h.holes = append(h.holes[:i+1], h.holes[i+2:]...)
	}
	if i > 0 && h.holes[i-1].at+h.holes[i-1].size == at {
		h.holes[i-1].size += h.holes[i].size
		h.holes = append(h.holes[:i], h.holes[i+1:]...)
	}
}

// layout is what plan needs besides its result.
type layout struct {
	last    []int // the instruction that reads a register last
	f, w, x heap
}

var planners = sync.Pool{New: func() any { return new(layout) }}

// keepRegs bounds what is held on to between programs.
const keepRegs = 1 << 12

// plan lays the registers out, but for those that are loose. A register is live from the instruction that
// writes it to the last one that reads it; outputs live to the end, and so do constants
// and inputs, which have no place, and what rules with an output read, which proofs read again.
func (arena *Arena) plan(p *code.Program, steps []Step, loose []bool) {
	const forever = int(^uint(0) >> 1)
	l := planners.Get().(*layout)
	if len(p.Regs) <= keepRegs {
		defer planners.Put(l)
	}
	clear(l.last)
	last := slices.Grow(l.last[:0], len(p.Regs))[:len(p.Regs)]
	f, w, x := &l.f, &l.w, &l.x
	*l = layout{last, heap{f.holes[:0], 0}, heap{w.holes[:0], 0}, heap{x.holes[:0], 0}}
	for i := range p.Code {
		for _, a := range p.Code[i].Args {
			last[a] = i
		}
	}
	for _, o := range p.Outputs {
		last[o.Reg] = forever
	}
	for i := range p.Consts {
		last[p.Consts[i].Reg] = forever
	}
	for _, in := range p.Inputs {
		last[in.Reg] = forever
	}
	for i := range p.Code {
		if slices.ContainsFunc(p.Code[i].Results, func(r int) bool { return last[r] == forever }) {
			for _, a := range p.Code[i].Args {
				last[a] = forever
			}
		}
	}
	clear(arena.Place[:cap(arena.Place)])
	arena.Place = slices.Grow(arena.Place, len(p.Regs))[:len(p.Regs)]
	var scratch kernel.Cost
	free := func(i, r int) {
		if loose != nil && loose[r] {
			steps[i].Drops = append(steps[i].Drops, r)
			return
		}
		n, at := Need(&p.Regs[r]), arena.Place[r]
		f.give(at.F, n.F)
		w.give(at.W, n.W)
		x.give(at.I, n.I)
	}
	for i := range p.Code {
		in := &p.Code[i]
		if in.Dst >= 0 && !steps[i].GivesLoose(p) {
			n := Need(&p.Regs[in.Dst])
			arena.Place[in.Dst] = Place{f.take(n.F), w.take(n.W), x.take(n.I)}
		}
		for k, a := range in.Args {
			if last[a] == i && !slices.Contains(in.Args[:k], a) {
				free(i, a)
			}
		}
		if in.Dst >= 0 && last[in.Dst] == 0 {
			free(i, in.Dst) // never read
		}
		if steps[i].Loose {
			continue
		}
		c := steps[i].Cost
		scratch.F, scratch.W, scratch.I = max(scratch.F, c.F), max(scratch.W, c.W), max(scratch.I, c.I)
	}
	arena.Scratch = Place{f.end, w.end, x.end}
	arena.Size = kernel.Cost{F: tensor.SatAdd(f.end, scratch.F), W: tensor.SatAdd(w.end, scratch.W), I: tensor.SatAdd(x.end, scratch.I)}
}
