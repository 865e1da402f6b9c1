package kernel

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for n := range 220 {
		fraction := 0.0
		if n >= 200 {
			n, fraction = n*byDigits/210, float64(n%2)
		}
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(r.IntN(n)-n/4) + fraction*r.Float64()
			if r.IntN(30) == 0 {
				v[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}[r.IntN(4)]
			}
			if n%3 == 0 { // most differ in their last bits alone
				v[i] = float64(r.IntN(4)-1) + float64(r.IntN(n))*0x1p-50
			}
		}
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			if x, y := v[a] != v[a], v[b] != v[b]; x || y {
				return cmp.Compare(b2i(x), b2i(y))
			}
			return cmp.Compare(v[a], v[b])
		})
		var c Ctl
		rank, sorted := make([]float64, n), make([]float64, n)
		charged(t, "Rank", &c, SortCost(n), Finished(func() { Rank(&c, rank, v, garbage(SortCost(n))) }))
		charged(t, "Sort", &c, SortCost(n), Finished(func() { Sort(&c, sorted, v, garbage(SortCost(n))) }))
		for k, i := range order {
			if rank[i] != float64(k) || sorted[k] != v[i] && v[i] == v[i] {
				t.Fatalf("%v: ranks %v, sorted %v, want %v", v, rank, sorted, order)
			}
		}
	}
}

// TestSortRuns sorts numbers in long, medium and short runs that differ in their last bits alone.
func TestSortRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 6000
	for _, runs := range []int{1, 2, 60, 400, 3000, 100_000} {
		v, got := make([]float64, n), make([]float64, n)
		for i := range v {
			v[i] = float64(r.IntN(runs)-runs/3) + float64(r.IntN(1000))*0x1p-35
		}
		var c Ctl
		charged(t, "Sort", &c, SortCost(n), Finished(func() { Sort(&c, got, v, garbage(SortCost(n))) }))
		if slices.Sort(v); !slices.Equal(got, v) {
			t.Errorf("%d runs are out of order", runs)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestNumbers takes numbers out of the tree of bits, and of a sorted list.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 63, 64, 65, 4096, 4097, 300000} {
		levels, words := numbersCost(n)
		q := newNumbers(n, make([]uint64, words))
		if int(levels) != q.top+1 {
			t.Errorf("n=%d: %d levels, and the cost has %d", n, q.top+1, levels)
		}
		in := map[int]bool{}
		take := func() {
			t.Helper()
			want := slices.Min(slices.Collect(maps.Keys(in)))
			if got := q.least(); got != want {
				t.Fatalf("n=%d: the least is %d, not %d", n, got, want)
			}
			delete(in, want)
		}
		for range min(n, 500) {
			x := r.IntN(n)
			q.add(x)
			in[x] = true
			if r.IntN(3) == 0 {
				take()
			}
		}
		for len(in) > 0 {
			take()
		}
		if !q.empty() {
			t.Errorf("n=%d: not empty", n)
		}
	}
}

func BenchmarkSort(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{100, 10_000, 1_000_000} {
		v, dst := make([]float64, n), make([]float64, n)
		for i := range v {
			v[i] = r.Float64()
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := garbage(SortCost(n))
			for b.Loop() {
				Sort(&Ctl{}, dst, v, s)
			}
		})
	}
}
