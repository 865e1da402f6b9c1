// Package simd uses the vector instructions of the processor: a [BLAS], and kernels over
// runs of numbers and bits.
//
// A [Tier] is an instruction set; 0 is the best that the processor has, detected once. All
// tiers have all kernels: where a tier has no assembly, Go does the work, and tests compare
// the assembly with it. The generator in gen writes the assembly for amd64; the NEON
// assembly, which covers products, dots and counts, is written by hand.
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
