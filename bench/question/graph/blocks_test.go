package graph

import (
	"fmt"
	"testing"

	"ein/bench/question/random"
)

// TestLay lays out the layers of a search, and finds each of them as many hops away
// as the plan says.
func TestLay(t *testing.T) {
	var g Net
	for i := range 200 {
		s := random.New(random.Key("lay", fmt.Sprint(i)))
		p := &Blocks{}
		layers := 2 + s.IntN(5)
		for b := range layers {
			p.Block(1 + min(b, s.IntN(3)))
			p.To[b] = Mask(min(b+2, layers)) - 1
			if b > 0 {
				p.Need[b] = []uint64{Mask(b - 1)}
			}
		}
		rest := p.Block(2 + s.IntN(6))
		p.To[rest], p.Need[rest], p.Give[rest] = Mask(rest+1)-1, []uint64{Mask(rest)}, []uint64{Mask(rest)}
		n := 0
		for _, size := range p.Size {
			n += size
		}
		if !g.Lay(s, p, true, 2*n) {
			t.Fatalf("plan %d cannot be laid out", i)
		}
		for b := range layers {
			if seen, _ := g.Reach(p.Nodes(1), -1, b, false); seen != p.Nodes(Mask(b+1)-1) {
				t.Fatalf("plan %d: %d hops find %v, not %v", i, b, seen, p.Nodes(Mask(b+1)-1))
			}
		}
		all, _ := g.Reach(p.Nodes(1), -1, n, false)
		for x := range n {
			if p.Of(x) == rest && (all.Has(x) || g.Out[x].And(p.Nodes(Mask(rest))) == (Bits{}) || g.In[x] == (Bits{})) {
				t.Fatalf("plan %d: node %d of the rest is reached, or alone", i, x)
			}
		}
	}
}
