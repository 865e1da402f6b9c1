package syntax

import (
	"iter"
	"sort"
	"strconv"

	"ein/lang/source"
)

// maxPackedRank is how deep the lists may be nested that are packed.
const maxPackedRank = 8

// Packed is the elements of a list that holds nothing but numbers, or lists of
// one shape that do. A literal of millions of numbers would take twenty times
// as much as nodes. The values are in the order of the text and must not be
// changed: whoever works with the list may keep them.
type Packed struct {
	Dims   []int // of the list itself first; none is 0
	Values []float64
	text   string // of the list: the numbers as written
}

// Len returns the number of elements.
func (x *List) Len() int {
	if x.Packed != nil {
		return x.Packed.Dims[0]
	}
	return len(x.Elems)
}

// All returns the elements. Those of a packed list are made one by one.
func (x *List) All() iter.Seq2[int, Expr] {
	return func(yield func(int, Expr) bool) {
		if x.Packed != nil {
			x.unpack(yield)
			return
		}
		for i, e := range x.Elems {
			if !yield(i, e) {
				return
			}
		}
	}
}

// At is element i. In a packed list it is found by reading the text before it.
func (x *List) At(i int) Expr {
	for k, e := range x.All() {
		if k == i {
			return e
		}
	}
	panic("BUG: syntax: a list has no such element")
}

// unpack makes the elements of a packed list. Their places and spelling are read from the text
// again, which is what packing saved the memory of; the values are those that were kept.
func (x *List) unpack(yield func(int, Expr) bool) {
	p := x.Packed
	size := len(p.Values) / p.Dims[0]
	span := func(start, end int) source.Span {
		return source.Span{Start: x.Start + start, End: x.Start + end}
	}
	end := len("[")
	for i := range p.Dims[0] {
		start := end
		for !numeric(p.text[start]) && p.text[start] != '[' {
			start++
		}
		values := p.Values[i*size : (i+1)*size : (i+1)*size]
		var e Expr
		if len(p.Dims) > 1 {
			end = start + listLen(p.text[start:])
			e = &List{span(start, end), nil, &Packed{p.Dims[1:], values, p.text[start:end]}}
		} else {
			from, negative := start, p.text[start] == '-'
			if negative {
				for from++; !numeric(p.text[from]); from++ {
				}
			}
			end = from + numberLen(p.text[from:])
			n := &Number{span(from, end), p.text[from:end], values[0]}
			e = n
			if negative {
				n.Value = -n.Value // the sign is the node around it
				e = &Unary{span(start, end), n}
			}
		}
		if !yield(i, e) {
			return
		}
	}
}

// flat is the pieces of the list on one line: the text without blanks, and
// without commas at the end of a list.
func (p *Packed) flat(yield func(string) bool) {
	comma := false
	for i := 0; i < len(p.text); {
		start := i
		i++
		switch p.text[start] {
		case ' ', '\t', '\r', '\n':
			continue
		case ',':
			comma = true
			continue
		case '[', ']', '-':
		default:
			i = start + numberLen(p.text[start:])
		}
		if comma && p.text[start] != ']' && !yield(",") || !yield(p.text[start:i]) {
			return
		}
		comma = false
	}
}

// numeric reports whether a number of a packed list may begin with c.
func numeric(c byte) bool { return classes[c] == classDigit || c == '.' || c == '-' }

// numberLen is the length of the number that a part of a packed list starts
// with.
func numberLen(text string) int {
	for i := range len(text) {
		switch text[i] {
		case ',', ']', ' ', '\t', '\r', '\n':
			return i
		}
	}
	panic("BUG: syntax: a packed list has no end")
}

// listLen is the length of the list that a part of a packed list starts with.
func listLen(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	panic("BUG: syntax: a packed list has no end")
}

// fill reads the values. The lexer has seen that every number is one and is in
// range.
func (p *Packed) fill() {
	i := 0
	for k := range p.Values {
		negative := false
		for ; classes[p.text[i]] != classDigit && p.text[i] != '.'; i++ {
			negative = negative || p.text[i] == '-'
		}
		start, n := i, 0
		for ; classes[p.text[i]] == classDigit; i++ {
			n = 10*n + int(p.text[i]-'0')
		}
		v := float64(n) // exact up to 15 digits
		if size := i - start + numberLen(p.text[i:]); size > i-start || size > 15 {
			i = start + size
			v, _ = strconv.ParseFloat(p.text[start:i], 64)
		}
		if negative {
			v = -v
		}
		p.Values[k] = v
	}
}

// pack hands on a packed list as its first and its last brackets, so that what
// counts and matches brackets sees how deep it is.
func (p *parser) pack(open token, r rectangle) {
	p.packs = append(p.packs, r)
	p.meter.take(sizeOf[rectangle]() * 5 / 4)
	for i := range r.rank {
		p.emit(token{start: r.opens[i], end: r.opens[i] + 1, kind: KindLBracket, newline: i == 0 && open.newline})
	}
	for i := range r.rank {
		at := r.closes[r.rank-1-i]
		p.emit(token{start: at, end: at + 1, kind: KindRBracket})
	}
}

// packed is the packed list whose [ is at an offset, nil when there is none.
func (p *parser) packed(start int32) *rectangle {
	i := sort.Search(len(p.packs), func(i int) bool { return p.packs[i].opens[0] >= start })
	if i == len(p.packs) || p.packs[i].opens[0] != start {
		return nil
	}
	return &p.packs[i]
}

// packedList is list for a packed one, with the cursor behind its first [.
func (p *parser) packedList(open token, r *rectangle) (Expr, int) {
	p.i += 2*r.rank - 1
	height := 1 + r.rank
	if r.minus >= 0 {
		height++
	}
	span := p.since(open)
	if p.meter.take(8 * r.count); p.meter.over() {
		return nil, 0
	}
	p.meter.give(8 * r.count)
	dims := room(&p.meter, &p.mem.dims, r.rank)
	copy(dims, r.dims[:])
	packed := node(&p.meter, &p.mem.packed, Packed{dims, room(&p.meter, &p.mem.values, r.count), p.text[span.Start:span.End]})
	packed.fill()
	return node(&p.meter, &p.mem.lists, List{Span: span, Packed: packed}), height
}

// rectangle is what the lexer knows of a list that can be packed.
type rectangle struct {
	rank   int
	dims   [maxPackedRank]int
	count  int                  // numbers
	minus  int32                // where the first minus sign stands, or -1
	hidden int                  // tokens in it that the parser is not given
	opens  [maxPackedRank]int32 // the brackets of the first row, from outside in
	closes [maxPackedRank]int32 // and of the last
}

// inPacked has the characters that packed lists are made of.
var inPacked = func() (t [256]bool) {
	for _, c := range []byte("0123456789.+-eE,[] \t\r\n") {
		t[c] = true
	}
	return t
}()

// rectangle moves from behind a [ to the end of the list, if that holds nothing
// but numbers, or lists of one shape that do, at least least of them and in no
// more than most tokens. Otherwise it stays where it is; end is how far it looked.
func (s *scanner) rectangle(least, most int) (r rectangle, end int, ok bool) {
	begin := s.pos
	// Every number has a bracket or a comma before it. Most lists in a program are
	// short, and are seen not to be packed here.
	for end = begin; end < begin+2*least-1; end++ {
		if end == len(s.text) || !inPacked[s.text[end]] {
			return r, end, false
		}
	}
	r.minus = -1
	r.opens[0] = int32(begin - 1)
	dims := &r.dims               // of the closed lists of each depth
	var have [maxPackedRank]int   // of the open one
	rank, depth := 0, 0           // rank is known from the first number on
	value := true                 // behind a [ or a comma
	for tokens := 2; ; tokens++ { // with the one that is read next
		s.gap()
		at := s.pos
		c := s.at(0)
		s.pos++
		switch {
		case c == ',' && !value:
			value = true
			continue
		case c == '[' && value && depth+1 != rank && depth+1 < maxPackedRank:
			depth++
			have[depth] = 0
			if rank == 0 {
				r.opens[depth] = int32(at)
			}
			continue
		case c == ']' && have[depth] > 0 && (dims[depth] == 0 || dims[depth] == have[depth]):
			dims[depth] = have[depth]
			r.closes[depth] = int32(at)
			if depth == 0 {
				if r.count < least || tokens > most {
					break
				}
				r.rank, r.hidden = rank, tokens-2*rank
				s.depth--
				s.prev = KindRBracket
				return r, s.pos, true
			}
			depth--
			have[depth]++
			value = false
			continue
		case numeric(c) && value && (rank == 0 || depth+1 == rank):
			if c == '-' {
				tokens++
				if r.minus < 0 {
					r.minus = int32(at)
				}
				s.gap()
				at = s.pos
			}
			if s.pos = at; s.packable() {
				rank = depth + 1
				have[depth]++
				r.count++
				value = false
				continue
			}
		}
		end, s.pos = s.pos, begin
		return r, end, false
	}
}

// gap moves over what may stand between the tokens of a list.
func (s *scanner) gap() {
	for {
		switch c := s.at(0); {
		case c == ' ', c == '\t', c == '\n':
			s.pos++
		case c == '\r' && s.at(1) == '\n':
			s.pos += 2
		default:
			return
		}
	}
}

// packable moves over a number, if there is one and it is in range.
func (s *scanner) packable() bool {
	start := s.pos
	s.digits()
	if s.at(0) == '.' {
		s.pos++
		s.digits()
	}
	if next := s.at(0); classes[next] == 0 && next != '.' && classes[s.text[s.pos-1]] == classDigit && s.pos-start < 300 {
		return true
	}
	s.pos = start
	if s.number() != KindNumber {
		return false
	}
	_, err := strconv.ParseFloat(s.text[start:s.pos], 64)
	return err == nil
}
