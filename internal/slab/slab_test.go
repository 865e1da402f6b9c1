package slab_test

import (
	"slices"
	"testing"

	"ein/internal/slab"
)

func TestSlab(t *testing.T) {
	var s slab.Of[int]
	var lists [][]int
	for round := range 3 {
		lists = lists[:0]
		for n := range 100 {
			list := s.Make(n % 7)
			if slices.ContainsFunc(list, func(x int) bool { return x != 0 }) {
				t.Fatalf("round %d: %v is not zero", round, list)
			}
			for i := range list {
				list[i] = n
			}
			lists = append(lists, append(list, -1)[:len(list)]) // -1 goes elsewhere
			*s.New() = -2
		}
		for n, list := range lists {
			for _, x := range list {
				if x != n {
					t.Fatalf("round %d: list %d is %v", round, n, list)
				}
			}
		}
		s.Reset()
	}
	if n := testing.AllocsPerRun(10, func() {
		for range 100 {
			s.Copy(1, 2, 3)
		}
		s.Reset()
	}); n != 0 {
		t.Errorf("%v allocations after a reset", n)
	}
	big := s.Make(5000)
	s.New()
	if len(big) != 5000 || cap(big) != 5000 {
		t.Errorf("%d of %d", len(big), cap(big))
	}
}
