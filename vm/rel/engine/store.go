package engine

import (
	"math"
	"math/bits"
	"sync"

	"ein/vm/tensor"
)

// A cell of a row is a code of 32 bits: the number of a member; a whole number from 0
// below 2^31 as it is; any other number as its place in the pool. So equal cells have
// equal codes, and rows are compared without looking at their types.
const (
	pooled = 1 << 31
	noCode = math.MaxUint32     // a member that the domain lacks
	nan    = math.MaxUint32 - 1 // no number; no row has it
	// lacking, and below, are names of a goal that the domain lacks: see Lacks.
	lacking = math.MaxUint32 - 2
)

// pool numbers the numbers that have no code of their own.
type pool struct {
	list  []float64
	table []uint32 // places in list plus 1
}

// encode returns the code of a number, and gives it a place in the pool if it has none of its own.
func (r *run) encode(x float64) uint32 {
	if c := uint32(int64(x)); x >= 0 && x < pooled && float64(c) == x {
		return c
	}
	return r.intern(x)
}

// intern returns the place of a number in the pool as a code, and adds it if need be. The table is
// at most half full, so that open addressing stays quick. A place of the table is paid with 12
// bytes: 4 for itself, and 8 for the list, which has half as many numbers of 8 bytes and may have
// as much room again.
func (r *run) intern(x float64) uint32 {
	if x != x {
		return nan
	}
	p := r.pool
	if 2*len(p.list) >= len(p.table) {
		r.take(12 * uint64(max(64, 2*len(p.table))))
		p.table = make([]uint32, max(64, 2*len(p.table)))
		for i, y := range p.list {
			p.table[p.place(y)] = uint32(i) + 1
		}
	}
	at := p.place(x)
	if p.table[at] == 0 {
		p.list = append(p.list, x)
		p.table[at] = uint32(len(p.list))
	}
	return pooled | p.table[at] - 1
}

// place is where x is in the table, or where it belongs: multiplicative hashing with linear
// probing.
func (p *pool) place(x float64) int {
	mask := len(p.table) - 1
	h := math.Float64bits(x) * 0x9e3779b97f4a7c15
	for at := int(h>>32) & mask; ; at = (at + 1) & mask {
		if k := p.table[at]; k == 0 || p.list[k-1] == x {
			return at
		}
	}
}

// decode is the number that a code stands for.
func (r *run) decode(c uint32) float64 {
	if c < pooled {
		return float64(c)
	}
	if c == nan {
		return math.NaN()
	}
	return r.pool.list[c&^pooled]
}

// store holds the rows of a relation in order of arrival, which is what makes evaluation
// semi-naive: rows before lo were there when the last round began, rows before hi when this one
// did. So the rows between are new, and rows from hi on are not seen yet. A store of values has
// keys as rows, and a value for each.
type store struct {
	width  int // cells of a row, without its value
	n      int
	most   uint64    // a bound on the rows, known before the run
	cells  []uint32  // n rows of width
	val    []float64 // of each row, if valued
	valued bool
	lo, hi int

	// Which rows there are: a bit for each, or for keys a place for each, where the sizes of
	// the columns allow it, else an open hash of places plus 1. None until it is needed.
	size   []int         // of each column, 0 where it is not known
	bits   []uint64      // of two columns in rows of whole words
	unique bool          // rows come once, and none is looked up
	whole  bool          // the bits are all there is; see expand
	given  bool          // the bits are those of a result
	lent   bool          // the bits are taken from bitRows
	table  *tensor.Table // a table that is read where it lies; see apart
	tensor *tensor.Value // sparse, whose elements are rows once they are asked for; see sought
	sorted bool          // rows are in order, and there will be no more
	front  *frontier     // while the stratum is dense
	search *search       // of a closure whose rows are made when they are asked for
	place  []uint32
	hash   []uint32 // see rehash
	index  []*index

	changed, next []uint32 // of values: the rows that improved in the last round, and in this one
	improved      []uint64 // a bit for each that is in next
	from          []uint32 // the row that the value was made of
}

func (s *store) row(i int) []uint32 { return s.cells[i*s.width : (i+1)*s.width] }

// wide is the width of a row in a sorted index, where a key is followed by its number, for its value.
func (s *store) wide() int {
	if s.valued {
		return s.width + 1
	}
	return s.width
}

// cellsOf is the number of combinations of cells, 0 if it is not known or above most.
func (s *store) cellsOf(most int) int {
	n := 1
	for _, k := range s.size {
		if k == 0 || n > most/k {
			return 0
		}
		n *= k
	}
	return n
}

const (
	mostBits   = 64 << 23 // in a store: 64 MiB
	mostPlaces = 1 << 22
)

// at is the place of a row among all combinations of cells.
func (s *store) at(row []uint32) int {
	n := 0
	for i, c := range row {
		n = n*s.size[i] + int(c)
	}
	return n
}

// bit is the place of a row of at most two columns among the bits.
func (s *store) bit(row []uint32) int {
	switch len(row) {
	case 0:
		return 0
	case 1:
		return int(row[0])
	}
	return int(row[0])*64*tensor.Words(s.size[1]) + int(row[1])
}

// places is the number of combinations of keys, 0 if they are too many for the rows to expect.
func (s *store) places() int {
	n := s.cellsOf(mostPlaces)
	if !s.valued || uint64(n) > tensor.SatAdd(1<<10, tensor.SatMul(8, s.most)) {
		return 0
	}
	return n
}

// words is how many words the bits take, 0 if they are too many for the rows to expect.
func (s *store) words() int {
	if s.valued || len(s.size) > 2 || s.cellsOf(mostBits) == 0 {
		return 0
	}
	n := 1
	switch len(s.size) {
	case 1:
		n = tensor.Words(s.size[0])
	case 2:
		n = s.size[0] * tensor.Words(s.size[1])
	}
	if n > mostBits/64 || uint64(n) > tensor.SatAdd(1<<8, tensor.SatMul(4, s.most)) {
		return 0
	}
	return n
}

// known reports whether all cells of a row are members of their domains; constants may not be.
func (s *store) known(row []uint32) bool {
	for i, c := range row {
		if int(c) >= s.size[i] {
			return false
		}
	}
	return true
}

// members makes a store ready for find and add: with a place for each key, a bit for each row, or a
// hash.
func (r *run) members(s *store) {
	if s.bits != nil || s.place != nil || s.hash != nil {
		return
	}
	if n := s.places(); n > 0 {
		r.take(4 * uint64(n))
		s.place = make([]uint32, n)
		for i := range s.n {
			s.place[s.at(s.row(i))] = uint32(i) + 1
		}
		return
	}
	if words := s.words(); words > 0 && r.room(8*uint64(words)) {
		r.take(8 * uint64(words))
		s.bits, s.lent = cleared(words), true
		if s.width == 2 {
			stride := 64 * tensor.Words(s.size[1])
			for k := 0; k < 2*s.n; k += 2 {
				at := int(s.cells[k])*stride + int(s.cells[k+1])
				s.bits[at>>6] |= 1 << (at & 63)
			}
			return
		}
		for i := range s.n {
			at := s.bit(s.row(i))
			s.bits[at>>6] |= 1 << (at & 63)
		}
		return
	}
	r.rehash(s, 1<<max(4, bits.Len(uint(2*s.n))))
}

// bitRows keeps the bits of finished runs, all of them 0: clearing the bits of a few rows is
// quicker than clearing new memory, which is most of what a few thousand rows cost in a large
// domain. Keeping cells and indexes as well was tried: it saved 5 to 20 % of runs of milliseconds,
// for memory that stays taken.
var bitRows sync.Pool

func cleared(words int) []uint64 {
	if kept, _ := bitRows.Get().(*[]uint64); kept != nil {
		if cap(*kept) >= words {
			return (*kept)[:words]
		}
		bitRows.Put(kept)
	}
	return make([]uint64, words)
}

// keep gives the bits of a store back to bitRows, if its rows are quickly cleared.
func (s *store) keep() {
	bits := s.bits
	if !s.lent || s.whole || s.given || s.width != 2 || len(bits) < 1<<12 || 8*s.n > len(bits) {
		return
	}
	for i := range s.n {
		bits[s.bit(s.row(i))>>6] = 0
	}
	bitRows.Put(&bits)
}

// rehash makes a table of size places, a power of 2, and enters all rows of a store. What a place needs
// no bits for are those of the hash, so that few rows but the one that is sought are looked at.
func (r *run) rehash(s *store, size int) {
	r.take(4 * uint64(size))
	s.hash = make([]uint32, size)
	mask := uint32(size - 1)
	for i := range s.n {
		h := hashOf(s.row(i))
		at := h & mask
		for s.hash[at] != 0 {
			at = (at + 1) & mask
		}
		s.hash[at] = h&^mask | uint32(i+1)
	}
}

// hashOf mixes the cells of a row. A table takes the lowest bits, so the upper half, which a
// product mixes best, is folded down after each cell.
func hashOf(row []uint32) uint32 {
	h := uint64(len(row))
	for _, c := range row {
		h = (h ^ uint64(c)) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return uint32(h)
}

// same reports whether a begins with b.
func same(a, b []uint32) bool {
	for i, c := range b {
		if a[i] != c {
			return false
		}
	}
	return true
}

// find is the number of a row, or -1 if there is none; a store of bits has no numbers, and gives 0.
func (s *store) find(row []uint32) int {
	if s.bits != nil {
		if !s.known(row) {
			return -1
		}
		at := s.bit(row)
		return int(s.bits[at>>6]>>(at&63)&1) - 1
	}
	if s.place != nil {
		if !s.known(row) {
			return -1
		}
		return int(s.place[s.at(row)]) - 1
	}
	mask, h := uint32(len(s.hash)-1), hashOf(row)
	for at := h & mask; s.hash[at] != 0; at = (at + 1) & mask {
		if k := s.hash[at]; (k^h)&^mask == 0 && same(s.row(int(k&mask-1)), row) {
			return int(k&mask - 1)
		}
	}
	return -1
}

// add puts a row in, unless it is there already. It gives its number, and whether it is new.
//
// Looking at the places of 32 rows before adding any was tried: a million rows in 900,000 groups took as
// long. Looking ahead of a probe by three columns took a fifth off that query, for 60 lines; so did
// tallying rows in parts of the table that the caches hold, for 45.
func (r *run) add(s *store, row []uint32) (int, bool) {
	if s.bits != nil {
		at := s.bit(row)
		w := &s.bits[at>>6]
		if *w>>(at&63)&1 != 0 {
			return 0, false
		}
		*w |= 1 << (at & 63)
		return r.push(s, row), true
	}
	if s.place != nil {
		at := s.at(row)
		if k := s.place[at]; k != 0 {
			return int(k - 1), false
		}
		s.place[at] = uint32(s.n) + 1
		return r.push(s, row), true
	}
	mask, h := uint32(len(s.hash)-1), hashOf(row)
	at := h & mask
	for ; s.hash[at] != 0; at = (at + 1) & mask {
		if k := s.hash[at]; (k^h)&^mask == 0 && same(s.row(int(k&mask-1)), row) {
			return int(k&mask - 1), false
		}
	}
	s.hash[at] = h&^mask | uint32(s.n+1)
	i := r.push(s, row)
	if 2*s.n > len(s.hash) {
		r.rehash(s, 2*len(s.hash))
	}
	return i, true
}

// push appends a row.
func (r *run) push(s *store, row []uint32) int {
	if len(s.cells)+s.width > cap(s.cells) {
		s.cells = grow(r, s.cells, s.width)
	}
	s.cells = append(s.cells, row...)
	s.n++
	return s.n - 1
}

// grow makes room for n more, and pays for the new piece. The old one is not given back: the
// collector may not have freed it yet.
func grow[T uint32 | float64](r *run, list []T, n int) []T {
	size := max(64, 2*cap(list), len(list)+n)
	if cap(list) > 1<<20 {
		size = max(cap(list)+cap(list)/2, len(list)+n)
	}
	bytes := uint64(4)
	if _, wide := any(list).([]float64); wide {
		bytes = 8
	}
	r.take(bytes * uint64(size))
	return append(make([]T, 0, size), list...)
}

// spare makes room for one more.
func spare[T uint32 | float64](r *run, list []T) []T {
	if len(list) == cap(list) {
		return grow(r, list, 1)
	}
	return list
}

// index finds the rows that have certain cells in some columns. Those of a store that is complete are
// sorted, by the cell of one column or by a hash of several (see sorts); otherwise in chains, the latest
// row first. A step in a chain waits for memory, so of many pairs, those that were there two rounds
// ago are sorted as well.
type index struct {
	spec
	done int // rows that it has

	ptr   []uint32 // sorted: where the rows of each cell or hash start
	rows  []uint32
	mask  uint32     // of hashes
	lines [][]uint64 // see line
	place []uint32   // in lines, plus 1, of each cell

	first []uint32 // chains: the last row plus 1, by cell or by hash of the cells
	next  []uint32
	exact bool // by cell

	past    []uint32 // as ptr, of the first settled rows, which are in no chain
	old     []uint32 // as rows
	settled int
}

// leastSettled is how many pairs are worth sorting while more come.
const leastSettled = 1 << 12

// sorts reports whether an index sorts the rows of a store that is complete: not by a cell of which there
// are far more than rows, nor by a hash for which only some rows may be looked up.
func (s *store) sorts(x *index) bool {
	size := s.size[x.cols[0]]
	return x.along && len(x.cols) > 1 || len(x.cols) == 1 && size > 0 && size <= 4*s.hi+1024
}

// sync brings an index up to the rows that are seen; complete says that no more will come.
func (r *run) sync(s *store, x *index, complete bool) {
	if x.done >= s.hi {
		return
	}
	size := 0
	if len(x.cols) == 1 {
		size = s.size[x.cols[0]]
	}
	r.work(uint64(s.hi - x.done))
	if complete && x.done == 0 && s.sorts(x) {
		if len(x.cols) > 1 {
			r.hashed(s, x)
		} else {
			x.ptr, x.rows = r.sorted(s, s.cells[x.cols[0]:], s.width, size, s.hi)
		}
		x.done = s.hi
		return
	}
	if x.ptr != nil { // more rows than there were
		x.ptr, x.rows, x.lines, x.place, x.done = nil, nil, nil, nil, 0
	}
	if x.first == nil {
		x.exact = size > 0 && size <= 1<<22
		if !x.exact {
			size = 1 << max(4, bits.Len(uint(2*s.hi)))
		}
		r.take(4 * uint64(size))
		x.first, x.mask = make([]uint32, size), uint32(size-1)
	}
	// The chains are getting long: they are made again, from the first row.
	if !x.exact && 2*s.hi > len(x.first) {
		size = 1 << bits.Len(uint(2*s.hi))
		r.take(4 * uint64(size))
		x.first, x.mask, x.done = make([]uint32, size), uint32(size-1), 0
	}
	// Rows before lo are no longer new to any step, and can be sorted. That is done again when they
	// have doubled, so that all sorting together takes linear time.
	if n := s.lo; x.exact && s.width == 2 && !s.valued && n > max(leastSettled, size, 2*x.settled) && !r.p.AsWritten && r.room(4*uint64(size+1+2*n)) {
		r.work(uint64(n))
		x.past, x.old = r.sorted(s, s.cells[x.cols[0]:], s.width, size, n)
		x.settled, x.done = n, n
		clear(x.first)
	}
	if cap(x.next) < s.hi {
		x.next = grow(r, x.next, s.hi-len(x.next))
	}
	x.next = x.next[:s.hi]
	for i := x.done; i < s.hi; i++ {
		h := &x.first[x.slot(s.row(i))]
		x.next[i], *h = *h, uint32(i)+1
	}
	x.done = s.hi
}

// hashed sorts the rows by a hash of the columns, and so next to those of the same cells. It is also
// the order of rows whose cells are looked up in such an index, one after the other: see Plan.along.
func (r *run) hashed(s *store, x *index) {
	size := 1 << max(4, bits.Len(uint(s.hi)))
	x.mask = uint32(size - 1)
	r.take(4 * uint64(s.hi))
	slots := make([]uint32, s.hi)
	for i := range slots {
		slots[i] = x.slot(s.row(i))
	}
	x.ptr, x.rows = r.sorted(s, slots, 1, size, s.hi)
}

// slot is where a row belongs. For the key of the row, hashOf finds the same.
func (x *index) slot(row []uint32) uint32 {
	if x.exact {
		return row[x.cols[0]]
	}
	h := uint64(len(x.cols))
	for _, c := range x.cols {
		h = (h ^ uint64(row[c])) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return uint32(h) & x.mask
}

// chain is the last row plus 1 of the chain that holds the rows of a key, and maybe of others.
func (x *index) chain(key []uint32) uint32 {
	if x.exact {
		if int(key[0]) >= len(x.first) {
			return 0
		}
		return x.first[key[0]]
	}
	return x.first[hashOf(key)&x.mask]
}

// sorted sorts the first n rows by keys below size, which are stride apart: a counting sort, which keeps
// the order of rows with the same key. The rows of key k are rows[ptr[k]:ptr[k+1]], in units of a row.
func (r *run) sorted(s *store, keys []uint32, stride, size, n int) (ptr, rows []uint32) {
	w, wide := s.width, s.wide()
	r.take(4 * uint64(size+1+n*wide))
	r.work(uint64(size))
	ptr = make([]uint32, size+1)
	for i := 0; i < n*stride; i += stride {
		ptr[keys[i]+1]++
	}
	tensor.SumUp(ptr)
	rows = make([]uint32, n*wide)
	for i := range n {
		at := &ptr[keys[i*stride]]
		if w == 2 && wide == 2 { // most are pairs
			*(*[2]uint32)(rows[2*int(*at):]) = *(*[2]uint32)(s.cells[2*i:])
			*at++
			continue
		}
		row := s.row(i)
		to := rows[int(*at)*wide:][:wide]
		*at++
		to[0] = row[0]
		for k := 1; k < len(row); k++ { // a call of copy would take as long again
			to[k] = row[k]
		}
		if s.valued {
			to[w] = uint32(i)
		}
	}
	// Each start has moved to the end of its rows, where those of the next cell start.
	copy(ptr[1:], ptr)
	ptr[0] = 0
	return ptr, rows
}
