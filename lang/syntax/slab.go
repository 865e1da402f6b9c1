package syntax

import "unsafe"

// meter counts the bytes that parsing takes. What buffers it takes from the
// pool is counted by use, so that the same text always takes the same.
type meter struct {
	now, peak uint64
	max       uint64 // 0: no limit
}

func (m *meter) take(n int) {
	m.now += uint64(n)
	m.peak = max(m.peak, m.now)
}

func (m *meter) give(n int) { m.now -= uint64(n) }

// over reports whether more was taken than is allowed.
func (m *meter) over() bool { return m.max > 0 && m.peak > m.max }

// sizeOf is the bytes that a value of type T takes on the heap, which has room
// for multiples of 16.
func sizeOf[T any]() int {
	var v T
	return (int(unsafe.Sizeof(v)) + 15) &^ 15
}

// statementSize is the most that a statement takes besides its expressions: the
// slice of them doubles as it grows.
var statementSize = sizeOf[Assign]() + 2*sizeOf[Stmt]()

// node is v on the heap.
func node[T any](m *meter, v T) *T {
	m.take(sizeOf[T]())
	return &v
}

// push appends v to a buffer that shrinks again, and high is the most that was in
// it.
func push[T any](m *meter, stack []T, high *int, v T) []T {
	stack = append(stack, v)
	if n := len(stack); n > *high {
		*high = n
		m.take(sizeOf[T]() * 5 / 4) // append makes room for a quarter more
	}
	return stack
}

// slab hands out the nodes of one file from a few large allocations.
type slab[T any] struct{ free []T }

// slabSize bounds one allocation, so that one node that lives on does not hold
// much more than itself. With the word that the runtime adds, one more element
// would take the next size of block, an eighth larger.
const slabSize = 1023

// expect makes room for n nodes at the first call of new.
func (s *slab[T]) expect(m *meter, n int) {
	if n > 0 {
		s.grow(m, min(n, slabSize))
	}
}

func (s *slab[T]) grow(m *meter, n int) {
	s.free = make([]T, 0, n)
	m.take(n * int(unsafe.Sizeof(*new(T))))
}

func (s *slab[T]) new(m *meter) *T {
	if len(s.free) == cap(s.free) {
		s.grow(m, min(max(2*cap(s.free), 8), slabSize))
	}
	s.free = s.free[:len(s.free)+1]
	return &s.free[len(s.free)-1]
}

// exprArena hands out the element slices of lists, calls and products.
type exprArena struct{ free []Expr }

// copy returns a copy of xs that cannot grow into its neighbour.
func (a *exprArena) copy(m *meter, xs []Expr) []Expr {
	n := len(xs)
	if n == 0 {
		return nil
	}
	if n > cap(a.free)-len(a.free) {
		if n > 256 {
			m.take(n * sizeOf[Expr]())
			return append([]Expr(nil), xs...)
		}
		a.free = make([]Expr, 0, max(min(2*cap(a.free), slabSize), 32, n))
		m.take(cap(a.free) * sizeOf[Expr]())
	}
	at := len(a.free)
	a.free = append(a.free, xs...)
	return a.free[at : at+n : at+n]
}
