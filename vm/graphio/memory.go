package graphio

import (
	"errors"
	"iter"
	"math/bits"
	"reflect"
	"runtime"

	"ein/vm/cost"
)

// memory counts what one file, or one call of Bind, has taken from the ledger.
type memory struct {
	ledger *cost.Ledger
	held   uint64
}

// caught calls a function that may panic with an error, which is how reading and binding
// end where they cannot go on: a file has thousands of places where it can be wrong or
// memory be refused, and none of the functions on the way could do anything about it.
func caught(f func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			panic(p)
		case error:
			err = p
		default:
			panic(p)
		}
	}()
	f()
	return nil
}

// take counts bytes that are about to be allocated. Its error becomes one with
// a file and a line in finish. Sixty copies of it would be 4 KB.
//
//go:noinline
func (m *memory) take(n int) {
	if err := m.ledger.Take(uint64(n)); err != nil {
		panic(err)
	}
	m.held += uint64(n)
}

// give returns bytes that nothing refers to any longer.
func (m *memory) give(n int) {
	m.ledger.Give(uint64(n))
	m.held -= uint64(n)
}

// refused makes the ledger's error one of this package.
func refused(err error, file string, line int) error {
	var e *cost.MemoryError
	if !errors.As(err, &e) {
		return err
	}
	return &Error{File: file, Line: line, Msg: e.Error(), Hint: "--max-memory sets the limit", Limit: true, Err: err}
}

func sizeOf[T any]() int { return int(reflect.TypeFor[T]().Size()) }

// newSlice is make on the account of the ledger.
func newSlice[T any](m *memory, n int) []T {
	m.take(n * sizeOf[T]())
	return make([]T, n)
}

// chunks is a list that grows without moving: a slice that doubles holds up to
// three times its content while it does.
type chunks[T any] struct {
	mem    *memory
	list   [][]T // the last one is in tail
	tail   []T
	before int // elements in all but the last
}

// The first chunks double the list, the later ones are of one length.
const (
	firstChunk = 1 << chunkBits0
	fullChunk  = 1 << chunkBits
	chunkBits0 = 6
	chunkBits  = 16
)

func (c *chunks[T]) len() int { return c.before + len(c.tail) }

func (c *chunks[T]) add(x T) {
	if len(c.tail) == cap(c.tail) {
		c.grow()
	}
	c.tail = append(c.tail, x)
}

// last returns the last element.
func (c *chunks[T]) last() *T { return &c.tail[len(c.tail)-1] }

func (c *chunks[T]) grow() {
	n := min(max(c.len(), firstChunk), fullChunk)
	c.mem.take(n * sizeOf[T]())
	c.before += len(c.tail)
	c.tail = make([]T, 0, n)
	c.list = append(c.list, c.tail[:n])
}

// chunk returns the elements of list[k] that are there.
func (c *chunks[T]) chunk(k int) []T {
	if k == len(c.list)-1 {
		return c.tail
	}
	return c.list[k]
}

// at returns element i.
func (c *chunks[T]) at(i int) *T {
	switch {
	case i < firstChunk:
		return &c.list[0][i]
	case i < fullChunk:
		top := bits.Len(uint(i)) - 1
		return &c.list[top-chunkBits0+1][i-1<<top]
	}
	return &c.list[chunkBits-chunkBits0+i>>chunkBits][i&(fullChunk-1)]
}

// all returns the elements with their positions.
func (c *chunks[T]) all() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		i := 0
		for k := range c.list {
			for _, x := range c.chunk(k) {
				if !yield(i, x) {
					return
				}
				i++
			}
		}
	}
}

// replace sets each element to what a function makes of it.
func (c *chunks[T]) replace(with func(T) T) {
	for k := range c.list {
		chunk := c.chunk(k)
		for i, x := range chunk {
			chunk[i] = with(x)
		}
	}
}

// held returns the size of the list in bytes.
func (c *chunks[T]) held() int { return (c.before + cap(c.tail)) * sizeOf[T]() }

// drop empties the list.
func (c *chunks[T]) drop() {
	if c.mem != nil {
		c.mem.give(c.held())
	}
	*c = chunks[T]{mem: c.mem}
}

// shift removes the first n elements. It does not return their memory.
func (c *chunks[T]) shift(n int) {
	for i := n; i < c.len(); i++ {
		*c.at(i - n) = *c.at(i)
	}
	for ; n > 0; n-- {
		if len(c.tail) == 0 {
			c.list = c.list[:len(c.list)-1]
			c.tail = c.list[len(c.list)-1]
			c.before -= len(c.tail)
		}
		c.tail = c.tail[:len(c.tail)-1]
	}
}

// flat moves the elements to one slice and empties the list.
func (c *chunks[T]) flat() []T {
	if len(c.list) == 1 {
		all := c.tail
		*c = chunks[T]{mem: c.mem}
		return all
	}
	all := newSlice[T](c.mem, c.len())
	at := 0
	for k := range c.list {
		at += copy(all[at:], c.chunk(k))
	}
	c.drop()
	return all
}

// arrival is an array whose length is announced. It never holds more than eight
// times what has arrived, so that no header can make it larger than its file,
// and takes an eighth more than the array while it grows the last time.
type arrival[T any] struct {
	mem  *memory
	data []T
	room int // the announced length, or more
}

func (a *arrival[T]) add(x T) {
	if len(a.data) == cap(a.data) {
		a.grow()
	}
	a.data = append(a.data, x)
}

// grow makes room: the smallest of the announced length divided by powers of factor that is
// larger than what has arrived.
func (a *arrival[T]) grow() {
	const least, factor = 1 << 12, 8
	n := a.room
	for n/factor > max(len(a.data), least) {
		n /= factor
	}
	old := a.data
	data := newSlice[T](a.mem, n)
	a.data = data[:copy(data, old)]
	a.mem.give(cap(old) * sizeOf[T]())
}

// set is a set of numbers from 0 up, as bits.
type set struct {
	mem  *memory
	bits []uint64
}

// add adds a number and reports whether it is new.
func (s *set) add(i int) (fresh bool) {
	if n := len(s.bits); i>>6 >= n {
		bits := newSlice[uint64](s.mem, max(i>>6+1, 2*n))
		copy(bits, s.bits)
		s.bits = bits
		s.mem.give(n * sizeOf[uint64]())
	}
	fresh = s.bits[i>>6]>>(i&63)&1 == 0
	s.bits[i>>6] |= 1 << (i & 63)
	return fresh
}

// has reports whether a number is there.
func (s *set) has(i int) bool { return i>>6 < len(s.bits) && s.bits[i>>6]>>(i&63)&1 == 1 }
