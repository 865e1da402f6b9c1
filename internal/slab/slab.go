// Package slab allocates many small values from a few large blocks.
//
// An [Of] hands out values and slices of one type. Reset makes the memory available again,
// so nothing handed out before may be in use then.
package slab

import "unsafe"

// Of hands out values of one type. The zero value is ready.
type Of[T any] struct{ free []T }

// What one allocation holds grows from about first to most elements, so that little
// is held for what is small, and one value that lives on does not hold much more.
const (
	first = 128 // bytes
	least = 2
	most  = 1023
)

// room makes sure that n more elements fit.
func (s *Of[T]) room(n int) {
	if n > cap(s.free)-len(s.free) {
		s.free = make([]T, 0, max(n, least, first/int(unsafe.Sizeof(*new(T))), min(2*cap(s.free), most)))
	}
}

// New returns a new zero value.
func (s *Of[T]) New() *T {
	s.room(1)
	at := len(s.free)
	s.free = s.free[:at+1]
	return &s.free[at]
}

// Make is n zero values that cannot grow into their neighbour.
func (s *Of[T]) Make(n int) []T {
	if n == 0 {
		return nil
	}
	s.room(n)
	at := len(s.free)
	s.free = s.free[:at+n]
	return s.free[at : at+n : at+n]
}

// Copy returns a copy of list that cannot grow into its neighbour.
func (s *Of[T]) Copy(list ...T) []T {
	to := s.Make(len(list))
	copy(to, list)
	return to
}

// Reset takes back everything that was handed out. It keeps the last allocation,
// which is the largest, for what comes next.
func (s *Of[T]) Reset() {
	clear(s.free)
	s.free = s.free[:0]
}
