package kernel

import (
	"ein/vm/op"
	"math"
	"math/bits"
	"slices"
)

// Step is one pair of a product of many factors: the parts A and B become a new
// one. Parts are numbered: first the factors, then the results in their order.
type Step struct {
	A, B int
	Spec op.Spec // of the pair
}

// Order finds the pairs in which a product of two or more factors takes few
// multiplications, whatever the order in which its factors are written. Up to
// maxExhaustive factors the best order is found by trying all. Past that it is the
// best of some that are known to be good: greedy, as in opt_einsum, and summing
// index by index, with an order of indices that keeps the treewidth of the
// product small. The intermediate results may have any number of axes.
func Order(s *op.Spec) []Step {
	c := newContraction(s)
	switch {
	case len(s.In) == 2:
		c.join(c.parts[0], c.parts[1])
	case len(s.In) <= maxExhaustive:
		c.exhaustive()
	default:
		c.joinEqual()
		best := contraction{cost: math.Inf(1)}
		for _, strategy := range strategies {
			if try := c.clone(); strategy(try) && try.cost < best.cost {
				best = *try
			}
		}
		c = &best
	}
	return c.steps(s)
}

const (
	// maxExhaustive is the number of factors up to which every order is tried.
	maxExhaustive = 8
	// maxGreedy is the number of parts up to which all pairs are compared, over and
	// over; the time goes with its third power. At most 64 indices keep summing by
	// index quick for any number of parts.
	maxGreedy = 128
	// hopeless is a cost past which no order is worth looking for: it is refused.
	hopeless = 1 << 62
	// most bounds sizes and costs, so that differences of them are numbers.
	most = 1e300
)

// contraction is a product that is being put in order. Indices of size 1 are
// ignored, as well as those of a single factor that are summed: a pair sums them
// before it multiplies.
type contraction struct {
	size        []int
	out         uint64
	parts       []part   // those that are left
	holders     [64]int  // how many parts have an index
	once, twice uint64   // the indices that one and two parts have
	made        [][2]int // the pairs so far
	results     []uint64 // and the indices of their results
	cost        float64  // multiplications of the pairs so far
	factors     int
}

// part is a tensor that is left: a factor or, numbered after the factors, the result of a pair;
// and the indices that it has.
type part struct {
	number int
	has    uint64
}

// newContraction begins with the factors of a spec, without the indices that contraction ignores.
func newContraction(s *op.Spec) *contraction {
	c := &contraction{size: s.Size, factors: len(s.In)}
	var wide uint64 // the indices that make a tensor larger
	for x, n := range s.Size {
		if n != 1 {
			wide |= 1 << x
		}
	}
	c.out = op.Mask(s.Out) & wide
	for i, in := range s.In {
		c.parts = append(c.parts, part{i, op.Mask(in) & wide})
	}
	c.count()
	for i := range c.parts {
		c.parts[i].has &^= c.once &^ c.out
	}
	c.count()
	return c
}

// count brings holders up to date.
func (c *contraction) count() {
	c.holders = [64]int{}
	for _, p := range c.parts {
		for m := p.has; m != 0; m &= m - 1 {
			c.holders[bits.TrailingZeros64(m)]++
		}
	}
	c.classify()
}

// classify derives once and twice from holders.
func (c *contraction) classify() {
	c.once, c.twice = 0, 0
	for x, n := range c.holders {
		switch n {
		case 1:
			c.once |= 1 << x
		case 2:
			c.twice |= 1 << x
		}
	}
}

func (c *contraction) clone() *contraction {
	d := *c
	d.parts, d.made, d.results = slices.Clone(c.parts), slices.Clone(c.made), slices.Clone(c.results)
	return &d
}

// volume is the number of points of some indices, up to most.
func (c *contraction) volume(m uint64) float64 {
	v := 1.0
	for ; m != 0; m &= m - 1 {
		v *= float64(c.size[bits.TrailingZeros64(m)])
	}
	return min(v, most)
}

// joined returns the indices of the product of two parts: those that another part or
// the result has.
func (c *contraction) joined(a, b uint64) uint64 {
	return (a | b) &^ ((a&b&c.twice | (a^b)&c.once) &^ c.out)
}

// join is the product of two parts, which no longer count.
func (c *contraction) join(a, b part) part {
	has := c.joined(a.has, b.has)
	for m := a.has & b.has; m != 0; m &= m - 1 {
		c.holders[bits.TrailingZeros64(m)]--
	}
	for m := (a.has | b.has) &^ has; m != 0; m &= m - 1 {
		c.holders[bits.TrailingZeros64(m)]--
	}
	c.classify()
	return c.multiply(a, b, has)
}

// joinEqual multiplies the parts that have the same indices.
func (c *contraction) joinEqual() {
	at := make(map[uint64]int, len(c.parts))
	var groups [][]part
	for _, p := range c.parts {
		k, ok := at[p.has]
		if !ok {
			k = len(groups)
			at[p.has] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], p)
	}
	c.parts = c.parts[:0]
	for _, g := range groups {
		for len(g) > 1 {
			// What the last pair of them could sum is left to the next part.
			g = halve(g, func(a, b part) part { return c.multiply(a, b, a.has) })
		}
		c.parts = append(c.parts, g[0])
	}
	c.count()
}

// halve joins neighbours, so that many parts make a tree that is not deep.
func halve(parts []part, join func(a, b part) part) []part {
	n := len(parts) / 2
	for i := range n {
		parts[i] = join(parts[2*i], parts[2*i+1])
	}
	return append(parts[:n], parts[2*n:]...)
}

// multiply notes a pair.
func (c *contraction) multiply(a, b part, has uint64) part {
	c.cost = min(c.cost+c.volume(a.has|b.has), most)
	c.made, c.results = append(c.made, [2]int{a.number, b.number}), append(c.results, has)
	return part{c.factors + len(c.made) - 1, has}
}

// exhaustive finds the order with the fewest multiplications by dynamic
// programming over subsets of the factors.
func (c *contraction) exhaustive() {
	k := len(c.parts)
	full := 1<<k - 1
	has := make([]uint64, full+1) // of the factors of a subset
	for s := 1; s <= full; s++ {
		has[s] = has[s&(s-1)] | c.parts[bits.TrailingZeros(uint(s))].has
	}
	kept := func(s int) uint64 { return has[s] & (has[full&^s] | c.out) }
	cost := make([]float64, full+1)
	split := make([]int, full+1)
	for s := 1; s <= full; s++ {
		if s&(s-1) == 0 {
			continue
		}
		cost[s] = math.Inf(1)
		for l := (s - 1) & s; l > 0; l = (l - 1) & s {
			r := s &^ l
			if l < r {
				continue // the other half of a split already seen
			}
			left, right := kept(l), kept(r)
			if l&(l-1) == 0 {
				left = has[l]
			}
			if r&(r-1) == 0 {
				right = has[r]
			}
			// The size of the result breaks ties between orders of equal work.
			t := cost[l] + cost[r] + c.volume(left|right) + 1e-3*c.volume(kept(s))
			if t < cost[s] {
				cost[s], split[s] = t, l
			}
		}
	}
	var build func(s int) int
	build = func(s int) int {
		if s&(s-1) == 0 {
			return bits.TrailingZeros(uint(s))
		}
		// The half with the first factor goes left, as it was written.
		l, r := split[s], s&^split[s]
		if bits.TrailingZeros(uint(r)) < bits.TrailingZeros(uint(l)) {
			l, r = r, l
		}
		a, b := build(l), build(r)
		c.made, c.results = append(c.made, [2]int{a, b}), append(c.results, kept(s))
		return c.factors + len(c.made) - 1
	}
	build(full)
}

// strategies leave one part, or report that they are not made for so many.
var strategies = []func(*contraction) bool{
	func(c *contraction) bool { return c.greedy(1) },
	func(c *contraction) bool { return c.greedy(0) },
	func(c *contraction) bool { return c.eliminate(fillIn) },
	func(c *contraction) bool { return c.eliminate(span) },
}

// greedy joins the pair with the smallest result, less weight times the size of
// its factors, over and over.
func (c *contraction) greedy(weight float64) bool {
	if len(c.parts) > maxGreedy {
		return false
	}
	c.joinAll(c.parts, weight)
	return true
}

// joinAll joins parts until one is left, and returns that.
func (c *contraction) joinAll(parts []part, weight float64) part {
	for len(parts) > 1 {
		if len(parts) > maxGreedy || c.cost >= hopeless {
			parts = halve(parts, c.join)
			continue
		}
		bi, bj, best := 0, 1, math.Inf(1)
		for i := range parts {
			for j := i + 1; j < len(parts); j++ {
				a, b := parts[i].has, parts[j].has
				if a&b == 0 {
					continue // an outer product is for when nothing else is left
				}
				if x := c.volume(c.joined(a, b)) - weight*(c.volume(a)+c.volume(b)); x < best {
					bi, bj, best = i, j, x
				}
			}
		}
		parts[bi] = c.join(parts[bi], parts[bj])
		parts = slices.Delete(parts, bj, bj+1)
	}
	return parts[0]
}

// eliminate sums one index after the other: it joins all parts that have the one
// with the lowest score. near[x] is the indices of the parts that have x.
func (c *contraction) eliminate(score func(c *contraction, x int, near *[64]uint64) float64) bool {
	for {
		var near [64]uint64
		for _, p := range c.parts {
			for m := p.has; m != 0; m &= m - 1 {
				near[bits.TrailingZeros64(m)] |= p.has
			}
		}
		at, least := -1, math.Inf(1)
		for x, n := range c.holders {
			if n > 1 && c.out>>x&1 == 0 {
				if s := score(c, x, &near); s < least {
					at, least = x, s
				}
			}
		}
		if at < 0 {
			c.joinAll(c.parts, 0)
			return true
		}
		var with, without []part
		for _, p := range c.parts {
			if p.has>>at&1 != 0 {
				with = append(with, p)
			} else {
				without = append(without, p)
			}
		}
		c.parts = append(without, c.joinAll(with, 0))
	}
}

// fillIn is how many pairs of indices share a part only once x is summed; of equal
// ones the index that makes the smaller part goes first.
func fillIn(c *contraction, x int, near *[64]uint64) float64 {
	others, n := near[x]&^(1<<x), 0
	for m := others; m != 0; m &= m - 1 {
		n += bits.OnesCount64(others &^ near[bits.TrailingZeros64(m)])
	}
	return float64(n) + 1 - 1/(1+span(c, x, near))
}

// span is the size of the part that summing x makes.
func span(c *contraction, x int, near *[64]uint64) float64 { return c.volume(near[x] &^ (1 << x)) }

// steps makes the pairs that were found those of s. Indices of size 1 that the
// result has are brought back by the last pair.
func (c *contraction) steps(s *op.Spec) []Step {
	ids := slices.Clone(s.In)
	list := make([]Step, len(c.made))
	for k, ab := range c.made {
		out := s.Out
		if k < len(c.made)-1 {
			out = nil
			for m := c.results[k]; m != 0; m &= m - 1 {
				out = append(out, uint8(bits.TrailingZeros64(m)))
			}
		}
		list[k] = Step{ab[0], ab[1], op.Spec{In: [][]uint8{ids[ab[0]], ids[ab[1]]}, Out: out, Size: s.Size}}
		ids = append(ids, out)
	}
	return list
}
