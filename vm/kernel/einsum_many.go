package kernel

import (
	"ein/vm/op"
	"fmt"
)

// Product is a planned einsum of any number of operands.
type Product interface {
	Cost() Cost
	RunAll(c *Ctl, dst []float64, args [][]float64, s Scratch)
}

// PlanProduct plans a Spec by the number of its operands, since three or more need an order.
func PlanProduct(s op.Spec) Product {
	switch len(s.In) {
	case 1:
		return PlanUnary(s)
	case 2:
		return PlanPair(s)
	}
	return PlanMany(s)
}

// RunAll is Run.
func (u *Unary) RunAll(c *Ctl, dst []float64, args [][]float64, s Scratch) { u.Run(c, dst, args[0], s) }

// RunAll is Run.
func (p *Pair) RunAll(c *Ctl, dst []float64, args [][]float64, s Scratch) {
	p.Run(c, dst, args[0], args[1], s)
}

// Many is a planned einsum of three or more operands: pairs, in the order that
// Order finds, whose results lie in scratch and so may have any number of axes. It
// is immutable and may run in several goroutines.
type Many struct {
	pairs []*Pair
	steps []placedStep
	held  uint64 // scratch for the results of pairs; their own lies behind it
	cost  Cost
}

// PlanMany plans a Spec of three or more operands.
func PlanMany(s op.Spec) *Many {
	order := Order(&s)
	p := &Many{pairs: make([]*Pair, len(order))}
	for k := range order {
		p.pairs[k] = PlanPair(order[k].Spec)
		p.cost.Ops = satSum(p.cost.Ops, p.pairs[k].cost.Ops)
		p.cost.F = max(p.cost.F, p.pairs[k].cost.F)
	}
	p.steps, p.held = placeSteps(order, len(s.In), func(k int) uint64 { return s.Elems(order[k].Spec.Out) })
	p.cost.F = satSum(p.cost.F, p.held)
	return p
}

// Cost is exact: that of the pairs.
func (p *Many) Cost() Cost { return p.cost }

// Kernel says what does the work.
func (p *Many) Kernel() string { return fmt.Sprintf("%d pairs", len(p.pairs)) }

// RunAll evaluates the einsum of args into dst, which overlaps none of them.
func (p *Many) RunAll(c *Ctl, dst []float64, args [][]float64, s Scratch) {
	own := Scratch{F: s.F[p.held:]}
	for _, step := range p.steps {
		var in [2][]float64
		for i, from := range step.from {
			if from.where == inScratch {
				in[i] = s.F[from.at : from.at+from.size]
			} else {
				in[i] = args[from.where]
			}
		}
		out := dst
		if step.to.where == inScratch {
			out = s.F[step.to.at : step.to.at+step.to.size]
		}
		p.pairs[step.pair].Run(c, out, in[0], in[1], own)
	}
}

// operand is the factor of the number where, or one of these.
type operand struct {
	where    int
	at, size uint64
	odd      bool // which of two stacks it is on
}

const (
	inScratch = -1 // at the place at, of the given size
	inResult  = -2
)

// placedStep is a pair of an order with its operands and its result.
type placedStep struct {
	pair int
	from [2]operand
	to   operand
}

// placeSteps lists the pairs of an order as they are to be done, with the places
// of their results in scratch; size is that of a result. Going depth first, the
// results at even depths of the tree of pairs are a stack, and those at odd depths
// another: the operands of a pair are the top of the one, and its result goes on
// top of the other.
func placeSteps(order []Step, factors int, size func(pair int) uint64) (steps []placedStep, scratch uint64) {
	var top, peak [2]uint64
	var visit func(pair, depth int) operand
	visit = func(pair, depth int) operand {
		mine, theirs := depth%2, 1-depth%2
		mark := top[theirs]
		var from [2]operand
		for i, part := range []int{order[pair].A, order[pair].B} {
			from[i] = operand{where: part}
			if part >= factors {
				from[i] = visit(part-factors, depth+1)
			}
		}
		to := operand{where: inResult}
		if depth > 0 {
			to = operand{inScratch, top[mine], size(pair), mine == 1}
		}
		top[mine] = satSum(top[mine], to.size)
		peak[mine] = max(peak[mine], top[mine])
		top[theirs] = mark
		steps = append(steps, placedStep{pair, from, to})
		return to
	}
	visit(len(order)-1, 0)
	behind := func(o *operand) {
		if o.odd {
			o.at = satSum(o.at, peak[0])
		}
	}
	for i := range steps {
		behind(&steps[i].from[0])
		behind(&steps[i].from[1])
		behind(&steps[i].to)
	}
	return steps, satSum(peak[0], peak[1])
}
