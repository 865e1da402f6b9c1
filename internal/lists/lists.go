// Package lists makes lists of lists.
package lists

// Map applies f to each element of a list, in order.
func Map[T, R any](list []T, f func(T) R) []R {
	out := make([]R, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}
