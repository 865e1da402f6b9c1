package instance

import (
	"context"
	"testing"

	"ein/bench/question/category"
)

// all returns the plan of a benchmark: so many of each category.
func all(perCategory int) Cells {
	var plan Cells
	for i := range category.Table {
		plan = append(plan, Cell{ID: NewID("test", category.Table[i].Name, 0, 1), Count: perCategory})
	}
	return plan
}

// BenchmarkGenerate makes instances of all categories in turn, on one core; a
// second of it should be 5,000 of cb1 at least, and 1,000 of cb2.
func BenchmarkGenerate(b *testing.B) {
	for _, version := range Versions() {
		b.Run(version, func(b *testing.B) {
			b.ReportAllocs()
			redraws, i := 0, 0
			for b.Loop() {
				id, err := Standard(version, "bench", category.Table[i%len(category.Table)].Name, i/len(category.Table), 1)
				if err != nil {
					b.Fatal(err)
				}
				i++
				_, drawn, err := Generate(id)
				if err != nil {
					b.Fatal(err)
				}
				redraws += drawn
			}
			b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "instances/s")
			b.ReportMetric(float64(redraws)/float64(i), "redraws/op")
		})
	}
}

// BenchmarkCategory is BenchmarkGenerate by category.
func BenchmarkCategory(b *testing.B) {
	for k := range category.Table {
		c := &category.Table[k]
		b.Run(c.Name, func(b *testing.B) {
			i, redraws := 0, 0
			for b.Loop() {
				_, drawn, err := Generate(NewID("bench", c.Name, i, 1))
				if err != nil {
					b.Fatal(err)
				}
				i++
				redraws += drawn
			}
			b.ReportMetric(float64(redraws)/float64(i), "redraws/op")
		})
	}
}

// BenchmarkSplit is the default split, 50 of each category, on all cores.
func BenchmarkSplit(b *testing.B) {
	for b.Loop() {
		g := Generator{}
		for _, err := range g.Run(context.Background(), all(50)) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
