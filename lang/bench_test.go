package lang_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"ein/lang"
	"ein/vm"
	"ein/vm/cost"
)

const multiQuery = `// multi_query
A = edges([[0,1],[1,2],[3,2],[3,8],[4,0],[4,7],[5,1],[5,4],[6,0],[6,5],[8,4],[8,6]])
TC = tc(A)
Reachable = select(TC, 0, 2)
Degree = select(sum(A, 1), 0, 0)
:print Reachable
:print Degree
`

const triangle = `A = edges([[0,1,1],[1,0,1],[1,1,0]], 3)
A2[i,k] = A[i,j] A[j,k]
A3[i,j] = A2[i,k] A[k,j]
Result = trace(A3) / 6.0
`

var programs = map[string]string{"multi_query": multiQuery, "triangle": triangle}

// answer goes the whole way from source text to outputs, as a host does that
// compiles one program after another.
func answer(tb testing.TB, text string, mem *lang.Memory) *vm.Result {
	opt := lang.Options{Workers: 1, ErrorsOnly: true, Memory: mem}
	m, _, err := lang.Load("p.ein", text, opt)
	if err != nil {
		tb.Fatal(err)
	}
	mm, err := lang.Machine(m, cost.Limits{}, opt)
	if err != nil {
		tb.Fatal(err)
	}
	r, err := mm.Run(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// TestAllocations pins what a tiny program takes from the heap, text to answer. The best
// of many runs counts: under the race detector pools forget some of what they are given.
func TestAllocations(t *testing.T) {
	for name, most := range map[string]float64{"multi_query": 4, "triangle": 14} {
		var mem lang.Memory
		got := math.Inf(1)
		for range 100 {
			got = min(got, testing.AllocsPerRun(1, func() { answer(t, programs[name], &mem) }))
		}
		if got > most {
			t.Errorf("%s: %v allocations, at most %v", name, got, most)
		}
	}
}

// TestMemory: programs that are compiled one after another in the same memory give what
// they give alone.
func TestMemory(t *testing.T) {
	var mem lang.Memory
	for range 3 {
		for name, text := range programs {
			got, want := answer(t, text, &mem), answer(t, text, nil)
			for i := range want.Outputs {
				if g, w := got.Outputs[i].Value.ToDense(), want.Outputs[i].Value.ToDense(); !slices.Equal(g, w) {
					t.Errorf("%s: output %d is %v, want %v", name, i, g, w)
				}
			}
		}
	}
}

// BenchmarkText measures the whole way from source text to outputs, a new
// program each time.
func BenchmarkText(b *testing.B) {
	for name, text := range programs {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var mem lang.Memory
			for b.Loop() {
				answer(b, text, &mem)
			}
		})
	}
}

// BenchmarkPhases splits BenchmarkText.
func BenchmarkPhases(b *testing.B) {
	for name, text := range programs {
		opt := lang.Options{Workers: 1}
		b.Run(name+"/parse", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				lang.Parse("p.ein", text, opt)
			}
		})
		f := lang.Parse("p.ein", text, opt)
		b.Run(name+"/check", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				lang.Check(f, opt)
			}
		})
		p := lang.Check(f, opt)
		b.Run(name+"/plan", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				lang.Plan(p, opt)
			}
		})
		b.Run(name+"/compile", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				lang.Code(p, opt)
			}
		})
		c := lang.Code(p, opt)
		b.Run(name+"/module", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := lang.Module(c, opt); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRun measures a compiled program alone.
func BenchmarkRun(b *testing.B) {
	for name, text := range programs {
		b.Run(name, func(b *testing.B) {
			m, _, err := lang.Load("p.ein", text, lang.Options{Workers: 1})
			if err != nil {
				b.Fatal(err)
			}
			mm, err := vm.New(m, cost.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := mm.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
