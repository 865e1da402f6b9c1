package random

import (
	"fmt"
	"slices"
	"testing"
)

// TestGolden pins the streams: instances are regenerated from them for ever, so
// a failure here is a new generator version and never a new golden.
func TestGolden(t *testing.T) {
	key := Key("cb1", "train", "reachability", "0")
	if got, want := fmt.Sprintf("%x", key), "70071e845f49e8f537d2111c3a18f9592c77ba24736bfdcd02886ba6622d3f0c"; got != want {
		t.Errorf("key %s, want %s", got, want)
	}
	s := New(key)
	var words []uint64
	for range 4 {
		words = append(words, s.Uint64())
	}
	if want := []uint64{0x38d54152fa2b1d9f, 0xceac9ffa85c394bc, 0x3ac8317858b2238f, 0x744aac7d75b5e12f}; !slices.Equal(words, want) {
		t.Errorf("words %#x, want %#x", words, want)
	}
	var ints []int
	for _, n := range []int{1, 2, 3, 10, 1000, 1 << 40, 1<<63 - 1} {
		ints = append(ints, s.IntN(n))
	}
	if want := []int{0, 1, 2, 9, 698, 66113353327, 2306403271614752539}; !slices.Equal(ints, want) {
		t.Errorf("integers %#v, want %v", ints, want)
	}
	if got, want := s.Perm(10), []int{9, 8, 1, 6, 2, 4, 7, 3, 5, 0}; !slices.Equal(got, want) {
		t.Errorf("order %#v, want %v", got, want)
	}
	if got, want := Seed(key), uint64(0x70071e845f49e8f5); got != want {
		t.Errorf("seed %#x, want %#x", got, want)
	}
}

func TestKeySeparatesParts(t *testing.T) {
	lists := [][]string{
		{}, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"b", "a"}, {"ab", ""}, {"", "ab"}, {"a", "", "b"},
		{"a\x00b"}, {"a\x00", "b"}, {"\x00\x00\x00\x00\x00\x00\x00\x01a"},
	}
	seen := map[[32]byte][]string{}
	for _, parts := range lists {
		k := Key(parts...)
		if other, ok := seen[k]; ok {
			t.Errorf("%q and %q have the same key", parts, other)
		}
		seen[k] = parts
		if k != Key(parts...) {
			t.Errorf("%q has two keys", parts)
		}
	}
}

// TestUniform compares counts with their expectation by chi squared; the bound
// is five standard deviations, and the stream is fixed, so it fails only when
// the code changes.
func TestUniform(t *testing.T) {
	s := New(Key("uniform"))
	const draws = 120_000
	check := func(name string, counts []int) {
		t.Helper()
		expect, x2 := float64(draws)/float64(len(counts)), 0.0
		for _, c := range counts {
			x2 += (float64(c) - expect) * (float64(c) - expect) / expect
		}
		if df := float64(len(counts) - 1); (x2-df)*(x2-df) > 25*2*df {
			t.Errorf("%s: chi squared %.1f for %.0f degrees of freedom", name, x2, df)
		}
	}
	for _, n := range []int{2, 3, 7, 10, 64, 100} {
		counts := make([]int, n)
		for range draws {
			counts[s.IntN(n)]++
		}
		check(fmt.Sprintf("IntN(%d)", n), counts)
	}
	counts := make([]int, 6)
	for range draws {
		counts[s.Between(-2, 3)+2]++
	}
	check("Between(-2, 3)", counts)

	orders := map[string]int{}
	for range draws {
		orders[fmt.Sprint(s.Perm(4))]++
	}
	counts = counts[:0]
	for _, c := range orders {
		counts = append(counts, c)
	}
	if len(counts) != 24 {
		t.Errorf("%d orders of 4, want 24", len(counts))
	}
	check("Perm(4)", counts)

	yes := 0
	for range draws {
		if s.Chance(3, 10) {
			yes++
		}
	}
	check("Chance(3, 10)", spread(yes, draws))
}

// spread turns a count with chance 3 in 10 into one that should be even.
func spread(yes, draws int) []int {
	counts := make([]int, 10)
	for i := range 3 {
		counts[i] = yes / 3
	}
	for i := 3; i < 10; i++ {
		counts[i] = (draws - yes) / 7
	}
	return counts
}

// TestIntNRejects shows that a range that does not divide 2^64 is not biased. A
// number of 0..n-1 is the image of 8/3 words for this n; without rejection, two
// of every three neighbours would have 3 words and the third only 2.
func TestIntNRejects(t *testing.T) {
	s := New(Key("rejection"))
	const n, draws = 3 << 61, 30_000
	count := [3]int{}
	for range draws {
		count[s.IntN(n)%3]++
	}
	for i, c := range count {
		if c < draws/3-500 || c > draws/3+500 {
			t.Errorf("remainder %d: %d of %d", i, c, draws)
		}
	}
}

func TestIntNPanics(t *testing.T) {
	for _, n := range []int{0, -1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("IntN(%d) did not panic", n)
				}
			}()
			New(Key()).IntN(n)
		}()
	}
}

func BenchmarkIntN(b *testing.B) {
	s := New(Key("benchmark"))
	for b.Loop() {
		s.IntN(1000)
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New(Key("cb1", "train", "reachability", "0"))
	}
}
