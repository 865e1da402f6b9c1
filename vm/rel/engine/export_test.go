package engine

import (
	"ein/vm/kernel"
	"ein/vm/tensor"
)

// Joins is how many rules are of the form of join.go.
func (pl *Plan) Joins() (n int) {
	for i := range pl.strata {
		for _, rule := range pl.strata[i].each {
			if rule.joins != nil {
				n++
			}
		}
	}
	return n
}

// Kept is bits that a run left for the next.
func Kept() []uint64 {
	if kept, _ := bitRows.Get().(*[]uint64); kept != nil {
		return (*kept)[:cap(*kept)]
	}
	return nil
}

// Settled is how many indexes have sorted rows beside their chains after a run.
func (pl *Plan) Settled(args []*tensor.Value) (n int) {
	r := newRun(pl, &kernel.Ctl{}, &Budget{})
	r.evaluate(args)
	for i := range r.stores {
		for _, x := range r.stores[i].index {
			if x.settled > 0 {
				n++
			}
		}
	}
	return n
}
