package tensor

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"sync"

	"ein/internal/lists"
)

// Domain is a set of things that rows name: nodes, or texts. Two columns hold the
// same things if their domains are the same pointer. It is immutable once made.
type Domain struct {
	Name   string
	Size   int
	Labels []string // of each member; nil where members are numbers

	once        sync.Once
	order, rank []uint32
}

// Label returns the name of a member, as people read it.
func (d *Domain) Label(id uint32) string {
	if d.Labels == nil {
		return strconv.Itoa(int(id))
	}
	return d.Labels[id]
}

// Order returns the members sorted by their labels, and Rank the place of each in it; both
// are nil where the order is that of the numbers.
func (d *Domain) Order() (order, rank []uint32) {
	if d.Labels == nil {
		return nil, nil
	}
	d.once.Do(func() {
		if slices.IsSorted(d.Labels) {
			return
		}
		d.order, d.rank = make([]uint32, d.Size), make([]uint32, d.Size)
		for i := range d.order {
			d.order[i] = uint32(i)
		}
		slices.SortFunc(d.order, func(a, b uint32) int { return cmp.Compare(d.Labels[a], d.Labels[b]) })
		for at, id := range d.order {
			d.rank[id] = uint32(at)
		}
	})
	return d.order, d.rank
}

// Find returns the member with a label, if there is one.
func (d *Domain) Find(label string) (id int, ok bool) {
	at, ok := d.place(label)
	if !ok {
		return 0, false
	}
	return d.member(at), true
}

// Before returns the last member whose label comes before one, if there is one.
func (d *Domain) Before(label string) (id int, ok bool) {
	at, _ := d.place(label)
	if at == 0 {
		return 0, false
	}
	return d.member(at - 1), true
}

// place is how many labels come before one, and whether a member has that.
func (d *Domain) place(label string) (at int, ok bool) {
	order, _ := d.Order()
	if order == nil {
		return slices.BinarySearch(d.Labels, label)
	}
	return slices.BinarySearchFunc(order, label, func(id uint32, label string) int { return cmp.Compare(d.Labels[id], label) })
}

// member is the one at a place in the order of the labels.
func (d *Domain) member(at int) int {
	if order, _ := d.Order(); order != nil {
		return int(order[at])
	}
	return at
}

// Behind returns the domain whose first labels are others, and the place there of each member; the
// domain itself, and nil, if these are its first labels already.
func (d *Domain) Behind(first []string) (*Domain, []uint32) {
	if len(first) <= len(d.Labels) && slices.Equal(first, d.Labels[:len(first)]) {
		return d, nil
	}
	wide := &Domain{Name: d.Name, Labels: slices.Clip(first)}
	at := make(map[string]int, len(first))
	for i, label := range first {
		at[label] = i
	}
	to := make([]uint32, len(d.Labels))
	for i, label := range d.Labels {
		n, is := at[label]
		if !is {
			n = len(wide.Labels)
			wide.Labels = append(wide.Labels, label)
		} else {
			delete(at, label)
		}
		to[i] = uint32(n)
	}
	wide.Size = len(wide.Labels)
	// The order is known but for what is new.
	added := slices.Sorted(maps.Keys(at))
	order, _ := d.Order()
	wide.once.Do(func() {
		wide.order, wide.rank = make([]uint32, 0, wide.Size), make([]uint32, wide.Size)
		for i := range d.Labels {
			if order != nil {
				i = int(order[i])
			}
			for len(added) > 0 && added[0] < d.Labels[i] {
				wide.order, added = append(wide.order, uint32(at[added[0]])), added[1:]
			}
			wide.order = append(wide.order, to[i])
		}
		for _, label := range added {
			wide.order = append(wide.order, uint32(at[label]))
		}
		if slices.IsSorted(wide.order) {
			wide.order, wide.rank = nil, nil
			return
		}
		for place, id := range wide.order {
			wide.rank[id] = uint32(place)
		}
	})
	return wide, to
}

// ColumnKind is what the cells of a column are.
type ColumnKind uint8

// NodeColumn holds members of a domain that can be the axis of a tensor, TextColumn
// members of one that cannot; IntColumn whole numbers of magnitude below 2^53,
// RealColumn finite numbers.
const (
	NodeColumn ColumnKind = iota
	IntColumn
	RealColumn
	TextColumn
	MaxColumnKind
)

func (k ColumnKind) String() string { return [...]string{"node", "int", "real", "text"}[k] }

// Named reports whether cells are members of a domain.
func (k ColumnKind) Named() bool { return k == NodeColumn || k == TextColumn }

// MaxColumns is the most columns that a table has.
const MaxColumns = 8

// Column is the head of a column: what the user calls it, and what it holds.
type Column struct {
	Name   string
	Kind   ColumnKind
	Domain *Domain // of a column that is Named, else nil
}

// Cells are the cells of a column: ID where it is Named, Num where it holds numbers.
type Cells struct {
	ID  []uint32
	Num []float64
}

// Table is a relation as a value: so many rows, no two of them alike. Rows are kept as
// cells, in the order that All gives them in; or, where all columns are Named and there
// are one or two of them, as bits, with one row of bits for a single column.
//
// A table without columns has one row, the empty one, where it says yes, and none where it says no.
type Table struct {
	Columns []Column
	Len     int
	Cells   []Cells
	Bits    *Bits // instead of Cells
	Origin  *Origin
}

// Origin is where the rows of a table were read, if that was kept.
type Origin struct {
	File  string
	Lines []int // of each row, in the order of All
	Value bool  // it is no file: Lines are numbers of rows, from 1
}

// Place is where row k of All is, for people.
func (o *Origin) Place(k int) string {
	if o.Value {
		return fmt.Sprintf("%s row %d", o.File, o.Lines[k])
	}
	return fmt.Sprintf("%s:%d", o.File, o.Lines[k])
}

// All returns the rows sorted column by column, numbers by value and names by their bytes. A
// cell is a number or the number of a member. The slice is the caller's until the next row.
func (t *Table) All() iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		row := make([]float64, len(t.Columns))
		if t.Bits != nil {
			t.bits(row, yield)
			return
		}
		for i := range t.Len {
			for c := range row {
				if id := t.Cells[c].ID; id != nil {
					row[c] = float64(id[i])
				} else {
					row[c] = t.Cells[c].Num[i]
				}
			}
			if !yield(row) {
				return
			}
		}
	}
}

// bits gives the rows of a table that is stored as bits to yield, in the order of All, until
// yield ends it.
func (t *Table) bits(row []float64, yield func([]float64) bool) {
	last := len(row) - 1
	order, rank := t.Columns[last].Domain.Order()
	var first []uint32
	if last > 0 {
		first, _ = t.Columns[0].Domain.Order()
	}
	var sorted []uint64 // a row in the order of the labels
	if rank != nil {
		sorted = make([]uint64, t.Bits.Stride)
	}
	for i := range t.Bits.Rows {
		from := i
		if first != nil {
			from = int(first[i])
		}
		words := t.Bits.Row(from)
		if rank != nil {
			clear(sorted)
			for j := range Ones(words) {
				r := rank[j]
				sorted[r>>6] |= 1 << (r & 63)
			}
			words = sorted
		}
		row[0] = float64(from)
		for j := range Ones(words) {
			if order != nil {
				j = int(order[j])
			}
			if row[last] = float64(j); !yield(row) {
				return
			}
		}
	}
}

// Ones returns the places of the bits that are set.
func Ones(words []uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k, w := range words {
			for ; w != 0; w &= w - 1 {
				if !yield(k<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// Text is cell c of a row as people read it.
func (t *Table) Text(c int, x float64) string {
	if d := t.Columns[c].Domain; d != nil {
		return d.Label(uint32(x))
	}
	return Number(x)
}

// Number returns a number as people write it, see AppendNumber.
func Number(x float64) string {
	var buf [32]byte
	return string(AppendNumber(buf[:0], x))
}

// AppendNumber appends the shortest text that is read as the same number, with an exponent
// only for what is near 0 and for whole numbers that may not be exact. So 4000000 and
// 1234567.5 are labels that a person or a file writes the same way, and 4e+06 is none.
func AppendNumber(b []byte, x float64) []byte {
	switch {
	case x == 0:
		return append(b, '0') // the sign of a negative zero says nothing here
	case x == math.Trunc(x) && math.Abs(x) < MaxInt:
		return strconv.AppendInt(b, int64(x), 10)
	case 1 <= math.Abs(x) && math.Abs(x) < MaxInt:
		return strconv.AppendFloat(b, x, 'f', -1, 64)
	}
	return strconv.AppendFloat(b, x, 'g', -1, 64)
}

// Half returns the number that the bits of an IEEE 754 half stand for.
func Half(bits uint16) float64 {
	exp, frac := int(bits>>10&31), float64(bits&(1<<10-1))
	x := math.Ldexp(frac+1024, exp-25)
	switch {
	case exp == 0:
		x = math.Ldexp(frac, -24)
	case exp == 31 && frac > 0:
		x = math.NaN()
	case exp == 31:
		x = math.Inf(1)
	}
	return math.Copysign(x, 1-float64(bits>>15)*2)
}

// Fill gives a table its rows, as [Table.Sort] leaves them.
func (t *Table) Fill(rows [][]float64) {
	t.Len, t.Cells = len(rows), make([]Cells, len(t.Columns))
	for c, col := range t.Columns {
		if col.Kind.Named() {
			t.Cells[c].ID = lists.Map(rows, func(row []float64) uint32 { return uint32(row[c]) })
		} else {
			t.Cells[c].Num = lists.Map(rows, func(row []float64) float64 { return row[c] })
		}
	}
	t.Sort()
}

// Over makes domains those of the columns with domains of their names.
func (t *Table) Over(domains map[string]*Domain) {
	for c, col := range t.Columns {
		if col.Domain != nil && domains[col.Domain.Name] != nil {
			t.Columns[c].Domain = domains[col.Domain.Name]
		}
	}
}

// SortBytes is what Sort takes for each row while it runs, at most.
const SortBytes = 24

// Sort sorts the rows of a table that has cells in any order, and keeps each once, the first of those
// that are alike. It replaces the slices of cells, and lines.
func (t *Table) Sort() {
	type place struct {
		key float64 // of the row in the column at hand
		at  uint32
	}
	places := make([]place, t.Len)
	for i := range places {
		places[i].at = uint32(i)
	}
	kept, room := places[:0], make([]uint32, t.Len)
	var sort func(rows []place, c int)
	sort = func(rows []place, c int) {
		if len(rows) == 1 || c == len(t.Columns) {
			kept = append(kept, rows[0])
			return
		}
		cells, rank, names := t.Cells[c], []uint32(nil), math.MaxInt
		if d := t.Columns[c].Domain; d != nil {
			_, rank = d.Order()
			names = d.Size
		}
		key := func(at uint32) float64 {
			switch {
			case rank != nil:
				return float64(rank[cells.ID[at]])
			case cells.ID != nil:
				return float64(cells.ID[at])
			}
			return cells.Num[at]
		}
		if names <= len(rows) { // by counting, which keeps rows of one name in their order
			next := make([]uint32, names+1)
			for i, p := range rows {
				room[i] = p.at
				next[int(key(p.at))+1]++
			}
			SumUp(next)
			for _, at := range room[:len(rows)] {
				x := key(at)
				rows[next[int(x)]] = place{x, at}
				next[int(x)]++
			}
		} else {
			for i, p := range rows {
				rows[i].key = key(p.at)
			}
			slices.SortFunc(rows, func(a, b place) int {
				switch {
				case a.key < b.key:
					return -1
				case a.key > b.key:
					return 1
				}
				return int(a.at) - int(b.at)
			})
		}
		for from, i := 0, 1; i <= len(rows); i++ {
			if i == len(rows) || rows[i].key != rows[from].key {
				sort(rows[from:i], c+1)
				from = i
			}
		}
	}
	if t.Len > 0 {
		sort(places, 0)
	}
	t.Len = len(kept)
	for c, cells := range t.Cells {
		if cells.ID != nil {
			t.Cells[c].ID = lists.Map(kept, func(p place) uint32 { return cells.ID[p.at] })
		} else {
			t.Cells[c].Num = lists.Map(kept, func(p place) float64 { return cells.Num[p.at] })
		}
	}
	if o := t.Origin; o != nil {
		o.Lines = lists.Map(kept, func(p place) int { return o.Lines[p.at] })
	}
}
