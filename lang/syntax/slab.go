package syntax

import (
	"unsafe"

	"ein/internal/slab"
)

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

// sizeOf returns the bytes that a value of type T takes on the heap, which has room
// for multiples of 16.
func sizeOf[T any]() int {
	var v T
	return (int(unsafe.Sizeof(v)) + 15) &^ 15
}

// statementSize is the most that a statement takes besides its expressions: the
// slice of them doubles as it grows.
var statementSize = sizeOf[Assign]() + 2*sizeOf[Stmt]()

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

// nodes is the memory of a tree: most of it lies in a few large allocations. A block of
// them is small enough that one node that lives on does not hold much more than itself.
type nodes struct {
	assigns  slab.Of[Assign]
	prints   slab.Of[Print]
	stmts    slab.Of[Stmt]
	names    slab.Of[Name]
	numbers  slab.Of[Number]
	strings  slab.Of[String]
	lists    slab.Of[List]
	packed   slab.Of[Packed]
	values   slab.Of[float64] // of packed lists
	dims     slab.Of[int]     // likewise
	calls    slab.Of[Call]
	args     slab.Of[Arg]
	indexes  slab.Of[Index]
	products slab.Of[Product]
	unaries  slab.Of[Unary]
	binaries slab.Of[Binary]
	parens   slab.Of[Paren]
	exprs    slab.Of[Expr] // of lists, products and indices
}

// reset takes all nodes back.
func (n *nodes) reset() {
	for _, s := range []interface{ Reset() }{
		&n.assigns, &n.prints, &n.stmts, &n.names, &n.numbers, &n.strings, &n.lists, &n.packed, &n.values, &n.dims,
		&n.calls, &n.args, &n.indexes, &n.products, &n.unaries, &n.binaries, &n.parens, &n.exprs,
	} {
		s.Reset()
	}
}

// node is v in the memory of its tree.
func node[T any](m *meter, s *slab.Of[T], v T) *T {
	m.take(int(unsafe.Sizeof(v)))
	n := s.New()
	*n = v
	return n
}

// Lists of more than alone elements get memory of their own.
const alone = 256

// room returns n elements of a tree.
func room[T any](m *meter, s *slab.Of[T], n int) []T {
	m.take(n * int(unsafe.Sizeof(*new(T))))
	if n > alone {
		return make([]T, n)
	}
	return s.Make(n)
}
