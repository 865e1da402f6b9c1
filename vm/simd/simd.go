// Package simd is what the machine does with vector instructions: a BLAS, and the
// kernels over runs of numbers and of bits.
//
// A Tier is a set of instructions, 0 the best that the processor has, which is
// found out once. All tiers have all kernels: what has no assembly for a tier is done
// in Go, which is also what the tests hold the assembly to. The assembly for
// amd64 is written by the generator in gen.
package simd

import "golang.org/x/sys/cpu"

// Tier is a set of vector instructions.
type Tier uint8

// The tiers: 0 is the best one of the processor, and the others are each better
// than those before.
const (
	Best   Tier = iota
	Plain       // Go
	AVX2        // with FMA
	AVX512      // F, DQ, BW, VL, and VPOPCNTDQ
)

func (t Tier) String() string { return [...]string{"best", "plain", "avx2", "avx512"}[t] }

// best is found out when the program starts. GODEBUG=cpu.avx512f=off and its like
// take features away.
var best = func() Tier {
	x := &cpu.X86
	switch {
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512VPOPCNTDQ:
		return AVX512
	case x.HasAVX2 && x.HasFMA:
		return AVX2
	}
	return Plain
}()

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
func Tiers() []Tier {
	var out []Tier
	for t := Plain; t <= best; t++ {
		out = append(out, t)
	}
	return out
}
