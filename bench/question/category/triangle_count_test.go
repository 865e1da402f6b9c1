package category

import (
	"math/bits"
	"slices"
	"testing"

	"ein/bench/question/graph"
)

// TestFewTriangles enumerates the graphs of which the draw of triangle_count says that
// those with the same degrees have at most three different answers: all of up to 6
// nodes, and those of 7 edges. As these have four triangles only as four nodes, all
// joined, and one edge more, 7 nodes are enough.
func TestFewTriangles(t *testing.T) {
	for n, edges := range map[int]int{4: 6, 5: 10, 6: 15, 7: 7} {
		var pairs []graph.Edge
		for i := range n {
			for j := range i {
				pairs = append(pairs, graph.Edge{From: i, To: j})
			}
		}
		answers := map[[7]int]uint64{} // by degrees, as bits
		var w World
		for set := range uint32(1) << len(pairs) {
			if bits.OnesCount32(set) > edges {
				continue
			}
			arcs := w.A.Arcs[:0]
			for rest := set; rest != 0; rest &= rest - 1 {
				arcs = append(arcs, pairs[bits.TrailingZeros32(rest)])
			}
			w.A.Reset(n, false, arcs)
			var degrees [7]int
			for x := range n {
				degrees[x] = w.out(x)
			}
			slices.Sort(degrees[:])
			if k := w.A.Triangles(graph.All(n)); 1 <= k && k <= 6 {
				answers[degrees] |= 1 << k
			}
		}
		for degrees, of := range answers {
			if bits.OnesCount64(of) > 3 {
				t.Errorf("graphs of %d nodes with degrees %v have these numbers of triangles, as bits: %b", n, degrees, of)
			}
		}
	}
}
