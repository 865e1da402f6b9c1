// Package simd uses the vector instructions of the processor: a [BLAS], and kernels over runs of
// numbers and bits.
//
// A [Tier] is an instruction set; 0 is the best that the processor has, detected once. Every kernel is
// a method of a tier, and tests compare all tiers of a processor with Go. Where a tier has no assembly, a
// method does the work in Go, or reports that it did nothing, and its caller does it; HasPlanes and
// HasCounts say beforehand what pays.
//
//	blas.go     products: Dgemm, Dgemv and Ddot over gonum's, for the shapes that the language makes.
//	            A product is cut into panels of B (cut), which are packed where rows lie too far apart;
//	            no rounding depends on that.
//	runs.go     elementwise functions, folds, counts and transposes of bits
//	planes.go   adding many 0/1 rows in bit-sliced counters, with AVX-512
//
// The assembly for amd64 (kernels_amd64.s) is written by the generator in gen, a module of its own; the
// NEON assembly, which covers products, dots and counts, is written by hand. Assembly knows the fields
// of panel by their order and checks no bounds, so lengths are checked before it is called (fits).
package simd

import "slices"

// Tier is a set of vector instructions.
type Tier uint8

// The tiers: 0 is the best one of the processor, and of the others that it has each is
// better than those before.
const (
	Best   Tier = iota
	Plain       // Go
	NEON        // of arm64
	AVX2        // with FMA
	AVX512      // F, DQ, BW, VL, and VPOPCNTDQ
)

func (t Tier) String() string { return [...]string{"best", "plain", "neon", "avx2", "avx512"}[t] }

// best is found out when the program starts.
var best = slices.Max(supported())

// set is the tier itself, no better than the processor.
func (t Tier) set() Tier {
	if t == Best {
		return best
	}
	return min(t, best)
}

// Vectors reports whether the tier is better than Go.
func (t Tier) Vectors() bool { return t.set() > Plain }

// Tiers returns the tiers of this processor, for tests.
func Tiers() []Tier { return supported() }
