package graphio

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"
)

// randomEdges is a CSV file of m edges over n nodes whose names begin with
// prefix.
func randomEdges(n, m int, prefix string, weights bool) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b []byte
	for range m {
		b = append(b, prefix...)
		b = strconv.AppendInt(b, int64(rng.IntN(n)), 10)
		b = append(b, ',')
		b = append(b, prefix...)
		b = strconv.AppendInt(b, int64(rng.IntN(n)), 10)
		if weights {
			b = append(b, ',')
			b = strconv.AppendInt(b, int64(rng.IntN(1000)), 10)
			b = append(b, ".25"...)
		}
		b = append(b, '\n')
	}
	return b
}

func benchmarkLoad(b *testing.B, data []byte, name string, edges int, opt Options) {
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		runtime.GC()
		raw, err := Read(bytes.NewReader(data), name, opt)
		if err != nil {
			b.Fatal(err)
		}
		vals, _, _, err := Bind([]Decl{{"A", raw}}, nil)
		if err != nil {
			b.Fatal(err)
		}
		if vals[0].CSR.NNZ() == 0 {
			b.Fatal("no edges")
		}
	}
	b.ReportMetric(float64(edges)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Medges/s")
}

const (
	benchNodes = 1_000_000
	benchEdges = 10_000_000
)

func BenchmarkNumbers(b *testing.B) {
	benchmarkLoad(b, randomEdges(benchNodes, benchEdges, "", false), "g.csv", benchEdges, Options{})
}

func BenchmarkLabels(b *testing.B) {
	benchmarkLoad(b, randomEdges(benchNodes, benchEdges, "acct", false), "g.csv", benchEdges, Options{})
}

func BenchmarkWeights(b *testing.B) {
	benchmarkLoad(b, randomEdges(benchNodes, benchEdges, "", true), "g.csv", benchEdges, Options{Kind: Matrix, Dup: DupSum})
}

func BenchmarkJSON(b *testing.B) {
	data := randomEdges(benchNodes, benchEdges, "[", false)
	data = bytes.ReplaceAll(data, []byte(",["), []byte(","))
	data = bytes.ReplaceAll(data, []byte("\n"), []byte("],\n"))
	data = append(append([]byte("["), data[:len(data)-2]...), ']')
	benchmarkLoad(b, data, "g.json", benchEdges, Options{})
}
