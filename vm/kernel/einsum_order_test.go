package kernel

import (
	"ein/vm/op"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

func checkMany(t *testing.T, s op.Spec, ops [][]float64) {
	t.Helper()
	p := PlanMany(s)
	want := NaiveEinsum(s, ops...)
	got, c := denseGarbage(len(want)), Ctl{}
	if !Finished(func() { p.RunAll(&c, got, ops, Scratch{F: denseGarbage(int(p.Cost().F))}) }) {
		t.Fatalf("%v: stopped", s)
	}
	if !denseSame(got, want) {
		t.Fatalf("%v\n got %v\nwant %v", s, got, want)
	}
	checkCost(t, s, c, p.Cost())
}

func TestManyRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for i := range 3000 {
		s := randomSpec(r, 3+r.IntN(10), 3, 1+i%4, 20_000)
		checkMany(t, s, specOperands(r, s))
	}
}

// edgeSpec is the product of a matrix for each edge of a
// graph whose nodes are n indices.
func edgeSpec(n, size int, edge func(i, j int) bool) op.Spec {
	var s op.Spec
	for i := range n {
		s.Size = append(s.Size, size)
		for j := range i {
			if edge(j, i) {
				s.In = append(s.In, []uint8{uint8(j), uint8(i)})
			}
		}
	}
	return s
}

func grid(cols int) func(i, j int) bool {
	return func(i, j int) bool { return j == i+cols || j == i+1 && j%cols > 0 }
}

// shuffled is the same product with its factors written, and its indices
// numbered, in another order.
func shuffled(r *rand.Rand, s op.Spec) op.Spec {
	number := r.Perm(len(s.Size))
	list := func(ids []uint8) (to []uint8) {
		for _, x := range ids {
			to = append(to, uint8(number[x]))
		}
		return to
	}
	t := op.Spec{Size: make([]int, len(s.Size)), Out: list(s.Out)}
	for x, n := range s.Size {
		t.Size[number[x]] = n
	}
	for _, k := range r.Perm(len(s.In)) {
		t.In = append(t.In, list(s.In[k]))
	}
	return t
}

// TestOrderWritten: the work hardly depends on how a product is written. width is
// the treewidth, so that size to the power width+1 is the work of an index.
func TestOrderWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	parent := make([]int, 64)
	for i := range parent {
		parent[i] = r.IntN(max(i, 1))
	}
	chords := edgeSpec(40, 2, func(i, j int) bool { return j == i+1 || i%8 == 0 && j == i+6 })
	for _, c := range []struct {
		name        string
		spec        op.Spec
		width, axes int
	}{
		{"chain", edgeSpec(64, 9, func(i, j int) bool { return j == i+1 }), 1, 1},
		{"cycle", edgeSpec(64, 9, func(i, j int) bool { return j == i+1 || i == 0 && j == 63 }), 2, 2},
		{"tree", edgeSpec(64, 9, func(i, j int) bool { return i == parent[j] }), 1, 1},
		{"grid 4 x 5", edgeSpec(20, 3, grid(4)), 4, 4},
		{"grid 4 x 8", edgeSpec(32, 3, grid(4)), 4, 4},
		{"grid 7 x 7", edgeSpec(49, 2, grid(7)), 7, 8},
		{"cycle with chords", chords, 3, 3},
		{"complete", edgeSpec(11, 2, func(int, int) bool { return true }), 10, 10},
	} {
		least, worst := uint64(1<<63), uint64(0)
		for range 30 {
			s := shuffled(r, c.spec)
			for _, step := range Order(&s) {
				if n := bits.OnesCount64(op.Mask(step.Spec.Out)); n > c.axes {
					t.Errorf("%s: an intermediate result of %d axes", c.name, n)
				}
			}
			n := PlanMany(s).Cost().Ops
			least, worst = min(least, n), max(worst, n)
		}
		bound := uint64(len(c.spec.In))
		for range c.width + 1 {
			bound *= uint64(c.spec.Size[0])
		}
		t.Logf("%s: %d to %d operations", c.name, least, worst)
		if worst > 2*least || worst > 2*bound {
			t.Errorf("%s: %d to %d operations, a good order takes %d", c.name, least, worst, bound)
		}
	}
}

// TestOrderMany: a product of very many factors is ordered as well; that it takes
// no longer than it may is what BenchmarkOrder shows.
func TestOrderMany(t *testing.T) {
	s := manyFactors(10_000)
	if steps := Order(&s); len(steps) != len(s.In)-1 {
		t.Errorf("%d pairs of %d factors", len(steps), len(s.In))
	}
}

func manyFactors(n int) op.Spec {
	r := rand.New(rand.NewPCG(35, 36))
	s := op.Spec{Size: make([]int, 64)}
	for i := range s.Size {
		s.Size[i] = 2
	}
	for range n {
		s.In = append(s.In, []uint8{uint8(r.IntN(64)), uint8(r.IntN(64)), uint8(r.IntN(64))})
	}
	return s
}

// TestManyLoops: a nest may have as many loops as a Spec has indices.
func TestManyLoops(t *testing.T) {
	axes := make([]loopAxis, 64)
	for i := range axes {
		axes[i] = loopAxis{n: 1}
	}
	for k, i := range []int{0, 30, 63} {
		axes[i] = loopAxis{2, [slots]int{slotD: 1 << k}}
	}
	var o odometer
	var seen []int
	for {
		seen = append(seen, o.off[slotD])
		if !o.next(axes) {
			break
		}
	}
	if want := []int{0, 4, 2, 6, 1, 5, 3, 7}; !slices.Equal(seen, want) {
		t.Errorf("offsets %v, want %v", seen, want)
	}
}

func BenchmarkOrder(b *testing.B) {
	for name, s := range map[string]op.Spec{
		"chain-9": edgeSpec(10, 9, func(i, j int) bool { return j == i+1 }), "grid-4x8": edgeSpec(32, 2, grid(4)),
		"grid-8x8": edgeSpec(64, 2, grid(8)), "complete-64": edgeSpec(64, 2, func(int, int) bool { return true }),
		"random-10000": manyFactors(10_000),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Order(&s)
			}
		})
	}
}
