package ide

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ein/lang"
	"ein/lang/diag"
	"ein/lang/source"
)

// longProgram is a program of n lines as people write them: graphs, products,
// reductions, closures, functions and comments, each line using earlier ones.
func longProgram(n int) string {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	var b strings.Builder
	b.WriteString("A = edges([[0,1],[1,2],[2,3],[3,0]], 6)\ndef hop(G, v) = {\n  Next[j] = v[i] G[i,j]\n  Next > 0\n}\n")
	matrices, vectors := []string{"A"}, []string{"ones(6)"}
	any := func(list []string) string { return list[r.IntN(len(list))] }
	for i := 5; i < n-1; i++ {
		name, m := fmt.Sprintf("X%d", i), any(matrices)
		switch r.IntN(9) {
		case 0:
			fmt.Fprintf(&b, "# step %d counts what the last one found\n", i)
			continue
		case 1:
			fmt.Fprintf(&b, "%s[i,k] = %s[i,j] %s[j,k] > 0\n", name, m, any(matrices))
		case 2:
			fmt.Fprintf(&b, "%s = min(%s, 1) // at most one\n", name, m)
		case 3:
			fmt.Fprintf(&b, "%s[i,j] = max(%s[i,j], %s[j,i])\n", name, m, any(matrices))
		case 4:
			fmt.Fprintf(&b, "%s = tc(%s)\n", name, m)
		case 5:
			fmt.Fprintf(&b, "%s = sum(%s) / 36\n", name, m)
			continue
		case 6:
			fmt.Fprintf(&b, "%s[i] = %s[i,j] / 6\n", name, m)
			vectors = append(vectors, name)
			continue
		case 7:
			fmt.Fprintf(&b, "%s = hop(%s, %s)\n", name, m, any(vectors))
			vectors = append(vectors, name)
			continue
		case 8:
			fmt.Fprintf(&b, "%s = out_degree(%s)\n", name, m)
			vectors = append(vectors, name)
			continue
		}
		matrices = append(matrices, name)
	}
	fmt.Fprintf(&b, ":print %s\n", matrices[len(matrices)-1])
	return b.String()
}

// BenchmarkEdit types something somewhere in 2,000 lines and asks what a client asks
// next; the one called opened does not edit but opens the text that comes of it, for
// comparison. It reports the median and the 99th percentile of the time from the edit
// to the answer, in milliseconds.
func BenchmarkEdit(b *testing.B) {
	text := longProgram(2000)
	for _, ask := range []struct {
		name string
		of   func(d *Document, offset int)
	}{
		{"opened", func(d *Document, offset int) { New(d.src.Name, d.src.Text, d.opt).Complete(offset) }},
		{"complete", func(d *Document, offset int) { d.Complete(offset) }},
		{"hover", func(d *Document, offset int) { d.Hover(offset) }},
		{"diagnostics", func(d *Document, _ int) { d.Diagnostics() }},
		{"tokens", func(d *Document, _ int) { d.Tokens(d.all()) }},
		{"hints", func(d *Document, _ int) { d.Hints(d.all()) }},
	} {
		b.Run(ask.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(2, 2))
			d := New("long.ein", text, lang.Options{})
			d.Diagnostics()
			var took []time.Duration
			for b.Loop() {
				at := r.IntN(len(text) + 1)
				e := diag.Edit{Span: source.Span{Start: at, End: at}, NewText: fragments[r.IntN(len(fragments))]}
				start := time.Now()
				next := d.withText(diag.Apply(text, []diag.Edit{e}))
				ask.of(next, at+len(e.NewText))
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			ms := func(q float64) float64 { return took[int(q*float64(len(took)-1))].Seconds() * 1000 }
			b.ReportMetric(ms(0.5), "ms/p50")
			b.ReportMetric(ms(0.99), "ms/p99")
		})
	}
}
