package syntax

// slab hands out the nodes of one file from a few large allocations.
type slab[T any] struct{ free []T }

// slabSize bounds one allocation, so that one node that lives on does not hold
// much more than itself.
const slabSize = 1024

// expect makes room for n nodes at the first call of new.
func (s *slab[T]) expect(n int) {
	if n > 0 {
		s.free = make([]T, 0, min(n, slabSize))
	}
}

func (s *slab[T]) new() *T {
	if len(s.free) == cap(s.free) {
		s.free = make([]T, 0, min(max(2*cap(s.free), 8), slabSize))
	}
	s.free = s.free[:len(s.free)+1]
	return &s.free[len(s.free)-1]
}

// exprArena hands out the element slices of lists, calls and products.
type exprArena struct{ free []Expr }

// copy returns a copy of xs that cannot grow into its neighbour.
func (a *exprArena) copy(xs []Expr) []Expr {
	n := len(xs)
	if n == 0 {
		return nil
	}
	if n > cap(a.free)-len(a.free) {
		if n > 256 {
			return append([]Expr(nil), xs...)
		}
		a.free = make([]Expr, 0, max(min(2*cap(a.free), slabSize), 32, n))
	}
	at := len(a.free)
	a.free = append(a.free, xs...)
	return a.free[at : at+n : at+n]
}
