// Package random provides the benchmark's random numbers: streams that are the same on
// every machine and with every version of Go.
//
// A [Stream] is ChaCha8 (as in math/rand/v2 and its published specification) under a
// [Key]: the SHA-256 of everything that identifies the stream. Bounded integers, shuffles
// and chances are defined here, using integers only, because libraries have changed such
// functions between versions.
package random

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// Key names a stream: SHA-256 over the parts, each with its length before it, so
// that no two lists of parts run together.
func Key(parts ...string) [32]byte {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	var k [32]byte
	h.Sum(k[:0])
	return k
}

// Seed returns the first 8 bytes of a key, as the seed an instance is known by.
func Seed(key [32]byte) uint64 { return binary.BigEndian.Uint64(key[:8]) }

// Stream is a sequence of random numbers. It is not safe for concurrent use.
type Stream struct{ src rand.ChaCha8 }

// New starts the stream of a key.
func New(key [32]byte) *Stream {
	s := &Stream{}
	s.src.Seed(key)
	return s
}

// Uint64 returns the next number.
func (s *Stream) Uint64() uint64 { return s.src.Uint64() }

// IntN is uniform in 0..n-1, by Lemire's multiplication with rejection: the
// high word of a random word times n, drawn again while the low word is below
// 2^64 mod n. It panics when n is not positive.
func (s *Stream) IntN(n int) int {
	if n <= 0 {
		panic("draw: IntN of no numbers")
	}
	m := uint64(n)
	hi, lo := bits.Mul64(s.Uint64(), m)
	if lo < m { // else it is not below the remainder either, which takes a division
		for least := -m % m; lo < least; {
			hi, lo = bits.Mul64(s.Uint64(), m)
		}
	}
	return int(hi)
}

// Between is uniform in lo..hi, both included.
func (s *Stream) Between(lo, hi int) int { return lo + s.IntN(hi-lo+1) }

// Chance is true with probability num/den.
func (s *Stream) Chance(num, den int) bool { return s.IntN(den) < num }

// Shuffle permutes n elements by Fisher and Yates, from the last down.
func (s *Stream) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, s.IntN(i+1))
	}
}

// Perm returns a random order of 0..n-1.
func (s *Stream) Perm(n int) []int { return s.PermOf(make([]int, n)) }

// PermOf fills p with a random order of its indices.
func (s *Stream) PermOf(p []int) []int {
	for i := range p {
		p[i] = i
	}
	for i := len(p) - 1; i > 0; i-- { // as Shuffle does
		j := s.IntN(i + 1)
		p[i], p[j] = p[j], p[i]
	}
	return p
}
