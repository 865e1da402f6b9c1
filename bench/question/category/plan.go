package category

import (
	"math/bits"
	"slices"

	"ein/bench/question/graph"
	"ein/bench/question/random"
)

// The plans of the questions that search. What two hops find, how much is reached in all, and the
// answer are drawn independently, and then laid out in blocks of nodes. No search is needed: every
// graph that follows the plan has these properties by construction.

// layers divides a nodes among the hops of a search. From a = 3 on, what one hop and two find does
// not depend on a: 1 or 2 nodes each, drawn by the form. The others are spread over the later hops,
// as many of them as the goal asks for.
func (w *World) layers(form *random.Stream, a int) []int {
	first := [][2]int{{1, 1}, {1, 2}, {2, 1}}[form.IntN(3)]
	hops := w.Goal
	switch two := first[0] + first[1]; {
	case a == 0:
		return nil
	case hops == 1 || a == 1:
		return []int{a}
	case hops == 2 || a <= two:
		one := min(first[0], a-1)
		return []int{one, a - one}
	default:
		sizes := append(first[:], parts(form, a-two, min(hops-2, a-two))...)
		if !w.Exact {
			sizes = fertile(sizes, 2, 2)
		}
		return sizes
	}
}

// parts divides a total at random into that many parts, none of them 0; a small total into fewer.
func parts(form *random.Stream, total, into int) []int {
	into = min(max(1, into), total)
	p := make([]int, into)
	for i := range p {
		p[i] = 1
	}
	for range total - into {
		p[form.IntN(into)]++
	}
	return p
}

// least returns the least number of nodes to reach: low, or enough for the hops if their number is
// fixed, but no more than the graph has room for.
func (w *World) least(low int) int {
	if w.Exact {
		low = max(low, w.Goal+1)
	}
	return max(1, min(low, w.N-4))
}

// window draws a part of the answer, from low to high. Lead is the stream of answers.
func (w *World) window(low, high int) int { return low + w.Lead.IntN(max(0, high-low)+1) }

// searched returns the plan of a search from X: block 0 is X, block i the nodes i hops away, and
// the last block those that are not reached. A node may lead to any block up to the next one, so
// none is nearer than its block says; and each has an edge from the block before, so none is
// farther.
func (w *World) searched(layers []int) plan {
	p := w.blocks()
	p.Block(1)
	p.zone(layers...)
	rest := p.Block(p.left(w.N))
	for b := range rest {
		p.To[b] = span(1, min(b+2, rest))
		if b > 0 {
			p.Need[b] = []uint64{graph.Mask(b - 1)}
		}
	}
	p.To[0] = graph.Mask(1)
	p.others(rest)
	return p
}

// plan is a plan being made.
type plan struct{ *graph.Blocks }

// blocks returns an empty plan, in the memory of the last one.
func (w *World) blocks() plan {
	w.plan.Reset()
	return plan{&w.plan}
}

// zone adds a block of each size, and returns the first of them and their set.
func (p plan) zone(sizes ...int) (from int, set uint64) {
	from = len(p.Size)
	for _, size := range sizes {
		p.Block(size)
	}
	return from, span(from, len(p.Size))
}

// left returns how many of n nodes are in no block yet.
func (p plan) left(n int) int {
	for _, size := range p.Size {
		n -= size
	}
	return n
}

// span returns the set of the blocks from, from+1, ..., to-1.
func span(from, to int) uint64 { return (1<<to - 1) &^ (1<<from - 1) }

// first returns the first block of a set.
func first(blocks uint64) int { return bits.TrailingZeros64(blocks) }

// others plans the block of nodes that the question is not about: their edges may lead anywhere,
// and each of them has an edge from another.
func (p plan) others(rest int) {
	p.To[rest], p.Near[rest] = span(0, rest+1), graph.Mask(rest)
	if p.Size[rest] > 1 {
		p.Need[rest] = []uint64{graph.Mask(rest)}
	}
}

// lay lays out the first graph by the plan; X is the first node of block 0.
func (w *World) lay(s *random.Stream, p plan) bool {
	if slices.ContainsFunc(p.Size, func(n int) bool { return n < 0 }) || !w.A.Lay(s, p.Blocks, w.A.Directed, w.Edges) {
		return false
	}
	w.Query.Source = p.Nodes(1).First()
	return true
}

// bridge makes the plan of "does X reach Y?": the nodes that X reaches, the nodes that reach Y,
// and, if yes, one edge from the first to the second. A second edge then leads back. If no, the two
// edges exchange their targets. So every degree is the same either way, and so is what a search of
// two hops from either end finds, if more than two hops are needed.
func (w *World) bridge(form, s *random.Stream, yes bool) bool {
	hops := w.Goal
	if hops > 2 && w.N < 6 {
		hops = 2
	}
	if hops <= 2 {
		return w.short(s, hops)
	}
	// The bridge begins fore hops from X and ends aft hops before Y.
	fore := form.Between(1, hops-2)
	aft := hops - 1 - fore
	more := is(aft == 1 && w.N > 7).Num // so that at least two nodes lead to Y
	left := w.N - 2 - hops - aft - more // X's side has as many layers as hops are needed
	if left < 0 {
		return false
	}
	p := w.blocks()
	x := p.Block(1)
	for range hops {
		p.Block(1)
	}
	y := p.Block(1)
	for range aft {
		p.Block(1)
	}
	p.Size[y+1] += more
	rest := p.Block(0)
	for i := range left {
		switch k := form.IntN(4); {
		case k == 0 || i == 0:
			p.Size[rest]++
		case k < 3:
			p.Size[x+form.Between(1, hops)]++
		default:
			p.Size[y+form.Between(1, aft)]++
		}
	}
	from, to := span(0, y), span(y, rest)
	for b := x; b < y; b++ {
		p.To[b] = from & span(0, b+2)
		if b > x {
			p.Need[b] = []uint64{graph.Mask(b - 1)}
		}
	}
	// In small graphs few other nodes lead to Y, so Y must lead to one of those.
	p.To[y] = from | graph.Mask(rest)
	if w.N <= 7 {
		p.To[y] = to &^ graph.Mask(y)
	}
	for b := y + 1; b < rest; b++ {
		p.Near[b] = span(b-1, rest)
		p.To[b] = p.Near[b] | from | graph.Mask(rest)
		p.Give[b] = []uint64{graph.Mask(b - 1)}
		p.Need[b] = []uint64{to &^ graph.Mask(y)}
		if w.N <= 7 {
			p.Need[b] = []uint64{to}
		}
	}
	p.To[rest] = from | graph.Mask(rest)
	w.Edges -= 2
	ok := w.lay(s, p)
	w.Edges += 2
	if !ok {
		return false
	}
	w.Query.Target = p.Nodes(graph.Mask(y)).First()
	// The bridge is from a to d and back from c to b, or else from a to b and c to d.
	as, ds := p.Nodes(graph.Mask(x+fore)), p.Nodes(graph.Mask(y+aft))
	bs, cs := p.Nodes(p.To[x+fore]&^1|graph.Mask(rest)), p.Nodes(to&span(y+is(w.N > 7).Num, y+aft+2))
	for range 2 * w.N {
		a, d, b, c := as.One(s), ds.One(s), bs.One(s), cs.One(s)
		if out := w.A.Out[a].Or(w.A.Out[c]); a == b || c == d || out.Has(b) || out.Has(d) {
			continue
		}
		if yes {
			b, d = d, b
		}
		w.A.Add(graph.Edge{From: a, To: b})
		w.A.Add(graph.Edge{From: c, To: d})
		return true
	}
	return false
}

// short is "does X reach Y?" with a Y that one hop or two find, so the answer is yes. It exists so
// that a short search that finds nothing says nothing.
func (w *World) short(s *random.Stream, hops int) bool {
	w.A.Reset(w.N, true, graph.Sparse(s, w.N, true, 1000*w.Edges/pairs(w.N), w.N))
	x := s.IntN(w.N)
	seen, depth := w.A.Reach(graph.Bit(x), -1, hops, false)
	near, _ := w.A.Reach(graph.Bit(x), -1, hops-1, false)
	w.Query.Source = x
	far := seen.Minus(near)
	if depth != hops || far == (graph.Bits{}) {
		return false
	}
	w.Query.Target = far.One(s)
	return true
}

// both makes the plan of two searches, from X in block 0 and from Y in block 1: some nodes that X
// reaches alone, some that Y reaches alone, and some that both reach. No edge leads out of what
// both reach, and none from one's own part into the other's, so the three sizes are exact.
func (w *World) both(form, s *random.Stream, onlyX, onlyY, common int) bool {
	p := w.blocks()
	p.Block(1)
	p.Block(1)
	one := min(form.Between(1, 2), onlyX, onlyY, 1+w.N/10)
	if one < 1 {
		return false
	}
	zone := func(first, total, layers int) uint64 {
		_, set := p.zone(append([]int{first}, parts(form, total-first, min(total-first, layers))...)...)
		return set
	}
	own := [2]uint64{zone(one, onlyX, w.Goal-1), zone(one, onlyY, w.Goal-1)}
	shared := zone(1, common, w.Goal-2)
	rest := p.Block(p.left(w.N))
	entrance := first(shared)
	for k, zone := range own {
		from := first(zone)
		p.To[k] = graph.Mask(from)
		for b := from; zone>>b&1 == 1; b++ {
			// What is j hops away leads to what is one hop further, at most.
			p.To[b] = zone & span(0, b+2)
			p.Near[b], p.Need[b] = zone, []uint64{graph.Mask(b - 1)}
		}
		p.Need[from] = []uint64{graph.Mask(k)}
		p.Need[entrance] = append(p.Need[entrance], graph.Mask(from))
	}
	for b := entrance; b < rest; b++ {
		p.To[b] = shared & span(0, b+2)
		if b > entrance {
			p.Need[b] = []uint64{graph.Mask(b - 1)}
		}
	}
	p.others(rest)
	p.To[rest] &^= graph.Mask(0, 1)
	if !w.lay(s, p) {
		return false
	}
	w.Query.Target = p.Nodes(2).First()
	return true
}

// ring returns the plan of X's strongly connected component, of size nodes, and beside it as many
// nodes that X only reaches as nodes that only reach X. In a component of three or more, two hops
// forwards and two hops back find two of its nodes each.
func (w *World) ring(form *random.Stream, size, besides int) plan {
	p := w.blocks()
	p.Block(1)
	var layers []int
	if size <= 5 {
		layers = parts(form, size-1, size-1)
	} else {
		mid := size - 5
		hops := min(max(w.Goal-4, 1), mid)
		if !w.Exact {
			hops = max(hops, (mid+1)/2)
		}
		layers = slices.Concat([]int{1, 1}, fair(mid, hops), []int{1, 1})
	}
	p.zone(layers...)
	last := len(layers)
	deep := max(2, (besides+1)/2)
	if w.Exact {
		deep = 2
	}
	beside := fair(besides, deep)
	slices.Reverse(beside)
	down, below := p.zone(beside...)
	up, above := p.zone(beside...)
	rest := p.Block(w.N - size - 2*besides)
	for b := 1; b <= last; b++ {
		p.To[b] = span(1, min(b+2, last+1)) | below
		p.Need[b] = []uint64{graph.Mask(b - 1)}
		p.Give[b] = []uint64{graph.Mask((b + 1) % (last + 1))}
	}
	p.To[0] = graph.Mask(1)
	p.To[last] |= 1
	// All nodes beside the component have edges in both directions, as its own do.
	for i := range beside {
		d, u := down+i, up+i
		p.To[d], p.To[u] = below, above|below|graph.Mask(rest)
		p.Need[d], p.Give[u] = []uint64{graph.Mask(d - 1)}, []uint64{graph.Mask(u - 1)}
		if besides > 1 {
			p.Give[d], p.Need[u] = []uint64{below}, []uint64{above}
		}
	}
	p.Need[down][0], p.Give[up][0] = span(min(3, last), max(last-1, min(3, last)+1)), span(1, last+1)
	p.To[up] = span(1, rest+1)
	p.To[rest], p.Near[rest] = below|graph.Mask(rest), graph.Mask(rest)
	if p.Size[rest] > 1 {
		p.Give[rest], p.Need[rest] = []uint64{graph.Mask(rest)}, []uint64{graph.Mask(rest)}
	}
	return p
}

// fair divides a total into that many parts of about the same size, the smaller ones first.
func fair(total, into int) []int {
	p := make([]int, into)
	for i := range p {
		p[i] = (total + i) / into
	}
	return p
}

// line plans a family in which X has no children and one ancestor without parents, whose line has
// size people. The first two generations after that ancestor are small, whatever the size. The
// lowest-numbered ancestor of X is X's parent, and the lowest-numbered person without parents is
// somebody else, so that the order of the nodes says little.
func (w *World) line(form, s *random.Stream, size int) bool {
	two := [][2]int{{1, 2}, {2, 2}}[form.IntN(1+is(w.N >= 10).Num)]
	rest := size - 1 - two[0] - two[1] // in the third generation and later ones
	if rest < 1 || size >= w.N {
		return false
	}
	back := form.Between(3, max(3, min(w.Goal, rest+2)))
	p := w.blocks()
	p.Family = true
	// From the ancestor to X, and the others of each generation.
	chain := []int{p.Block(1)}
	for i := range back {
		b := p.Block(1)
		p.To[chain[i]], p.Need[b] = graph.Mask(b), []uint64{graph.Mask(chain[i])}
		chain = append(chain, b)
	}
	rest -= back - 2
	others := append([]int{two[0] - 1, two[1] - 1}, parts(form, rest, min(rest, max(1, w.Goal-2)))...)
	others = fertile(others, 2, graph.MaxChildren)
	late := uint64(0)
	for i, size := range others {
		b := p.Block(size)
		from := uint64(0)
		if i > 0 {
			from = graph.Mask(b - 1)
			p.To[b-1] |= graph.Mask(b)
		}
		if i < 2 {
			from |= graph.Mask(chain[i])
			p.To[chain[i]] |= graph.Mask(b)
		} else {
			late |= graph.Mask(b)
		}
		p.Need[b] = []uint64{from}
	}
	// Somebody else without parents, those who marry into the line, and the others.
	left := w.N - size - 1
	founder := p.Block(1)
	spouses := p.Block(min(left, form.IntN(3)))
	strangers := p.Block(left - p.Size[spouses])
	p.To[founder], p.To[strangers], p.To[spouses] = graph.Mask(strangers), graph.Mask(strangers), late
	p.Order = s.Perm(w.N)
	p.least(chain[back-1], chain[:back]...)
	p.least(founder, 0, spouses)
	if !w.lay(s, p) || abs(len(w.A.Arcs)-w.Edges) > 1 {
		return false
	}
	w.Query.Source = p.Nodes(graph.Mask(chain[back])).First()
	return true
}

func abs(x int) int { return max(x, -x) }

// fertile moves people to later generations, from one on, where the one before
// has too few parents for them.
func fertile(sizes []int, from, each int) []int {
	for i := from; i < len(sizes); i++ {
		over := sizes[i] - each*sizes[i-1]
		if over <= 0 {
			continue
		}
		sizes[i] -= over
		if i+1 == len(sizes) {
			sizes = append(sizes, 0)
		}
		sizes[i+1] += over
	}
	return sizes
}

// least gives the first node of a block a lower number than some other blocks have.
func (p plan) least(block int, others ...int) {
	at := func(block int) (i int) {
		for _, size := range p.Size[:block] {
			i += size
		}
		return i
	}
	i := at(block)
	for _, b := range others {
		for j := at(b); j < at(b)+p.Size[b]; j++ {
			if p.Order[j] < p.Order[i] {
				p.Order[i], p.Order[j] = p.Order[j], p.Order[i]
			}
		}
	}
}

// above plans a family in which X has size ancestors. The others form a similar line of
// somebody else.
func (w *World) above(form, s *random.Stream, size int) bool {
	p := w.blocks()
	p.Family = true
	line := func(size int) (all uint64) {
		first := p.Block(1)
		for i, size := range fertile(w.layers(form, size), 1, 2) {
			b := p.Block(size)
			p.To[b], p.Near[b], p.Give[b] = graph.Mask(first+i), graph.Mask(first+i), []uint64{graph.Mask(first + i)}
		}
		return span(first, len(p.Size))
	}
	line(size)
	own := len(p.Size)
	rest := line(w.N - 2 - size)
	for b := range own {
		p.To[b] |= rest
	}
	for b := own; b < len(p.Size); b++ {
		p.To[b] |= rest & span(0, b)
	}
	return w.lay(s, p)
}

// part plans an undirected graph in which X reaches size nodes. Edges join blocks that are the same
// or next to each other, so block i is i hops away.
func (w *World) part(form *random.Stream, size int) plan {
	p := w.blocks()
	p.Block(1)
	p.zone(w.layers(form, size)...)
	rest := p.Block(w.N - 1 - size)
	for b := range rest {
		p.To[b] = span(max(0, b-1), min(b+2, rest))
		if b > 0 {
			p.Need[b] = []uint64{graph.Mask(b - 1)}
		}
	}
	p.To[0] &^= 1
	p.To[rest] = graph.Mask(rest)
	return p
}

// twice makes the plan of two searches from X in two graphs, each of size nodes, of which so many
// are not found by the other. Of the two that two hops find, one is. Both graphs follow plans of
// one form with other nodes in their places, so a search looks alike in each.
func (w *World) twice(form, s *random.Stream, size, apart int) bool {
	common := size - apart
	if common < 1 || 1+size+apart > w.N {
		return false
	}
	order := s.Perm(w.N)
	x, first, rest := order[:1], order[1:1+size], order[1+size:]
	shared := append([]int{first[s.IntN(2)]}, first[2:1+common]...)
	shuffle(s, shared)
	near, far := []int{shared[0], rest[0]}, slices.Concat(shared[1:], rest[1:apart])
	shuffle(s, near)
	shuffle(s, far)
	second := slices.Concat(x, near, far, rest[apart:])
	for _, v := range first {
		if !slices.Contains(shared, v) {
			second = append(second, v)
		}
	}
	shuffle(s, first[2:])
	lay := func(g *graph.Net, order []int) bool {
		p := w.searched(append([]int{1, 1}, parts(form, size-2, min(size-2, max(1, w.Goal-2)))...))
		p.Order = order
		return g.Lay(s, p.Blocks, true, w.Edges)
	}
	w.Query.Source = x[0]
	return lay(&w.A, order) && lay(&w.B, second)
}

// shuffle puts a list into a random order.
func shuffle(s *random.Stream, x []int) {
	s.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
}

// candidates draws a graph in which about a third of the nodes have k edges: one that
// reaches all the others, which nodes with fewer edges lead to, as they do to it. So
// what leads to it reaches even more, and of each of them the same is seen.
func (w *World) candidates(form, s *random.Stream, k int) bool {
	many, before := max(3, 2*w.N/5)-1, 2+is(w.N > 9).Num
	if w.N > 11 {
		before = 2 + form.IntN(3)
	}
	few := w.N - 1 - many - before
	if w.Never = few < 2; w.Never {
		return false
	}
	g, order := &w.A, s.Perm(w.N)
	g.Reset(w.N, true, g.Arcs[:0])
	first := order[0]
	for _, x := range order[2 : 1+before] {
		g.Add(graph.Edge{From: x, To: order[1]})
	}
	g.Add(graph.Edge{From: order[1], To: first})
	// All the others are put on, one by one: each is led to by one that is there and
	// has an edge left, by one of the last ones mostly.
	left := make([]int, w.N) // edges that a node is still to have
	left[first] = 1 + is(form.Chance(1, 3)).Num
	high, low := order[1+before:1+before+many], order[1+before+many:]
	there := []int{first}
	chosen := graph.Bit(first)
	for len(high)+len(low) > 0 {
		var from, slow []int
		for _, x := range there {
			if left[x] > 0 {
				from = append(from, x)
				if !chosen.Has(x) {
					slow = append(slow, x)
				}
			}
		}
		to := low
		if len(low) == 0 || len(slow) > 0 && s.IntN(len(high)+len(low)) < len(high) {
			from, to = slow, high
		}
		if len(from) == 0 {
			return false
		}
		x, y := from[len(from)-1-s.IntN(min(max(2, w.N/6), len(from)))], to[0]
		g.Add(graph.Edge{From: x, To: y})
		left[x]--
		there = append(there, y)
		if len(high) > 0 && y == high[0] {
			high, chosen, left[y] = high[1:], chosen.With(y), k
		} else {
			low, left[y] = low[1:], 1
		}
	}
	left[first] = k - g.Out[first].Len()
	all := graph.All(w.N).Less(first)
	for _, x := range order[1 : 1+before] {
		all = all.Less(x)
	}
	for _, x := range there {
		for ; left[x] > 0; left[x]-- {
			free := all.Minus(g.Out[x]).Less(x)
			if chosen.Has(x) || s.Chance(3, 4) {
				free = free.Minus(chosen)
			}
			if free == (graph.Bits{}) {
				return false
			}
			g.Add(graph.Edge{From: x, To: free.One(s)})
		}
	}
	return true
}

// reached makes the plan of a search from X that finds about half of the nodes, but no more
// than most where that is enough for the hops.
func (w *World) reached(form, s *random.Stream, most int) bool {
	size := max(2, min(w.N/2+1, w.N-2, max(most, w.Goal+2)))
	if w.Exact {
		size = min(max(size, w.Goal+1), w.N-1)
	}
	return w.lay(s, w.searched(w.layers(form, size)))
}

// ringSizes returns the least and the largest number of nodes of a component.
func (w *World) ringSizes() (low, high int) {
	low = min(3, w.N)
	high = max(low, min((w.N+3)/2, max(5, (w.N+6)/3)))
	w.Edges = max(w.Edges, 4*(high-low)+4)
	if w.Exact {
		low = min(max(low, w.Goal+1), w.N)
		high = max(low, high)
		if w.Goal < 5 {
			high = low
		}
	}
	return low, high
}

// triangles asks how many there are in the part of X, of size nodes besides. How many there are
// within two hops and in all does not depend on it. A graph that avoids
// triangles is laid out first, with fewer edges; then edges are planted that make one each.
func (w *World) triangles(form, s *random.Stream) (goal Goal, ok bool) {
	size := max(w.least(4), w.N/2)
	if w.Never = w.N < 10; w.Never { // there are hardly any such graphs
		return goal, false
	}
	most := max(1, min(4, w.N/4))
	goal.aim(w.window(1, most))
	all, near := most+form.IntN(2), form.IntN(2)
	p := w.part(form, size)
	p.Plain = true
	edges := w.Edges
	w.Edges -= all + w.N/6
	ok = w.lay(s, p)
	w.Edges = edges
	rest := len(p.Size) - 1
	part, two, other := p.Nodes(span(0, rest)), p.Nodes(span(0, min(3, rest))), p.Nodes(span(rest, rest+1))
	if w.N < 12 {
		near, all, two = goal.Aim, min(all, goal.Aim+is(w.N > 8 && form.Chance(1, 2)).Num), part
	}
	ok = ok && w.plant(s, p, two, two, near) && w.plant(s, p, part, part.Minus(two), goal.Aim-near) && w.plant(s, p, other, other, all-goal.Aim)
	if ok {
		w.A.Fill(s, p.Blocks, edges)
	}
	return goal, ok
}

// plant adds edges within a set, each of which makes one triangle, with a corner in
// another set.
func (w *World) plant(s *random.Stream, p plan, within, corner graph.Bits, count int) bool {
	g := &w.A
	for tries := 0; count > 0; tries++ {
		if tries == 20*w.N || within == (graph.Bits{}) {
			return false
		}
		x := within.One(s)
		free := p.Nodes(p.To[p.Of(x)]).And(within).Minus(g.Out[x]).Less(x)
		if free == (graph.Bits{}) {
			continue
		}
		y := free.One(s)
		third := g.Out[x].And(g.Out[y])
		if third.Len() != 1 || !corner.Has(x) && !corner.Has(y) && !corner.Has(third.First()) {
			continue
		}
		g.Add(graph.Edge{From: x, To: y})
		count--
	}
	return true
}
