package parquet

import "encoding/binary"

// skimmer goes over a structure of Thrift's compact protocol without making anything of
// it. The library makes lists and texts of the lengths that a file states before it has
// seen them; what has been skimmed states none that it does not have.
type skimmer struct {
	b       []byte
	at      int
	bad     bool
	structs int // in lists
	items   int // in lists, of other kinds
	// numbers is the numbers and the lengths of lists in the structure, by field, and,
	// 100 times the field further, those of the structures in its fields.
	numbers map[int]int64
}

// The types of the protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// skim goes over one structure at the beginning of b.
func skim(b []byte) *skimmer {
	s := &skimmer{b: b, numbers: map[int]int64{}}
	s.fields(0, 0)
	return s
}

// skip steps over bytes. Whatever goes past the end sets bad, and is looked at once, in the end.
func (s *skimmer) skip(n uint64) {
	if n > uint64(len(s.b)-s.at) {
		s.bad = true
		return
	}
	s.at += int(n)
}

// byte is the next byte, 0 past the end.
func (s *skimmer) byte() byte {
	if s.at >= len(s.b) {
		s.bad = true
		return 0
	}
	s.at++
	return s.b[s.at-1]
}

// uvarint is a number from 0 on, seven bits to a byte.
func (s *skimmer) uvarint() uint64 {
	v, n := binary.Uvarint(s.b[s.at:])
	if n <= 0 {
		s.bad = true
		return 0
	}
	s.at += n
	return v
}

// varint is a number of either sign, in zigzag form.
func (s *skimmer) varint() int64 {
	v := s.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// fields goes over the fields of a structure. Those of deeper structures are not recorded;
// numbers of fields are relative to the one before.
func (s *skimmer) fields(depth, base int) {
	const deepest = 16
	if depth > deepest {
		s.bad = true
		return
	}
	for id := 0; !s.bad; {
		head := s.byte()
		if head == 0 {
			return
		}
		if delta := int(head >> 4); delta != 0 {
			id += delta
		} else {
			id = int(int16(s.varint()))
		}
		n := s.value(head&15, false, depth, base+100*id)
		if depth < 2 && id > 0 && id < 100 {
			s.numbers[base+id] = n
		}
	}
}

// value goes over a value and returns it if it is a number, or its length if it is a list or a
// map. In a list, a truth value takes a byte; in a field, it is the type.
func (s *skimmer) value(kind byte, inList bool, depth, base int) int64 {
	switch kind {
	case thriftTrue, thriftFalse:
		if inList {
			return int64(s.byte())
		}
		return int64(thriftFalse - kind)
	case thriftByte:
		return int64(s.byte())
	case thriftDouble:
		s.skip(8)
	case thriftBinary:
		s.skip(s.uvarint())
	case thriftList, thriftSet:
		head := s.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = s.uvarint()
		}
		s.many(n, depth, head&15)
		return int64(n)
	case thriftMap:
		n := s.uvarint()
		if n > 0 {
			kinds := s.byte()
			s.many(n, depth, kinds>>4, kinds&15)
		}
		return int64(n)
	case thriftStruct:
		s.fields(depth+1, base)
	// The numbers of 16, 32 and 64 bits, which all have the same form.
	default:
		if kind < thriftI16 || kind > thriftI64 {
			s.bad = true
			return 0
		}
		return s.varint()
	}
	return 0
}

// many goes over the items of a list, or over the keys and values of a map. Each takes
// a byte or more.
func (s *skimmer) many(n uint64, depth int, kinds ...byte) {
	if n > uint64(len(s.b)-s.at) {
		s.bad = true
		return
	}
	for ; n > 0 && !s.bad; n-- {
		for _, kind := range kinds {
			if kind == thriftStruct {
				s.structs++
				s.fields(depth+2, 0)
			} else {
				s.items++
				s.value(kind, true, depth+2, 0)
			}
		}
	}
}
