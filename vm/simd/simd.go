// Package simd is what the machine does with vector instructions: a BLAS, and the
// kernels over runs of numbers and of bits.
//
// A Tier is a set of instructions, 0 the best that the processor has, which is
// found out once. All tiers have all kernels: what has no assembly for a tier is done
// in Go, which is also what the tests hold the assembly to. The assembly for
// amd64 is written by the generator in gen; NEON, by hand, has products, dots and counts.
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

// Tiers are those of this processor, for tests.
func Tiers() []Tier { return supported() }
