package engine

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
