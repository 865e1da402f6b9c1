// Package lists makes lists, and sets and maps.
package lists

import "slices"

// Map applies f to each element of a list, in order.
func Map[T, R any](list []T, f func(T) R) []R {
	out := make([]R, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// Upto returns the numbers from 0 to n-1.
func Upto(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Set returns what is in a list.
func Set[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, x := range list {
		set[x] = true
	}
	return set
}

// Add appends what a list does not have.
func Add[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

// Put sets a key of a map, which it makes where there is none.
func Put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}
