package stats

import (
	"cmp"
	"slices"

	"ein/internal/lists"
)

// Holm adjusts the p values of a family of tests so that the probability of any
// false finding is at most the level at which the adjusted values are read (Holm
// 1979, A simple sequentially rejective multiple test procedure). The order is
// that of the argument.
func Holm(p []float64) []float64 {
	order, out := ascending(p), make([]float64, len(p))
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, min(1, float64(len(p)-rank)*p[i]))
		out[i] = highest
	}
	return out
}

// BenjaminiHochberg adjusts p values so that of the findings read at a level, at
// most that share is expected to be false (Benjamini and Hochberg 1995,
// Controlling the false discovery rate).
func BenjaminiHochberg(p []float64) []float64 {
	order, out := ascending(p), make([]float64, len(p))
	lowest := 1.0
	for rank := len(p); rank > 0; rank-- {
		i := order[rank-1]
		lowest = min(lowest, float64(len(p))/float64(rank)*p[i])
		out[i] = lowest
	}
	return out
}

func ascending(p []float64) []int {
	order := lists.Upto(len(p))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	return order
}
