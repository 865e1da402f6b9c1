package graphio

import (
	"bytes"
	"hash/maphash"
)

// labelTable numbers labels in the order of their first appearance. It is a
// hash table with open addressing over one buffer of text: a file of ten million
// edges looks up twenty million labels, nearly all of which miss the cache, and
// this touches less memory for each than a map of strings.
type labelTable struct {
	seed  maphash.Seed
	slots []uint64 // upper half of the hash, and the number + 1; 0 is free
	text  []byte
	ends  []int // label i is text[ends[i]:ends[i+1]]
}

func newLabelTable() *labelTable {
	return &labelTable{seed: maphash.MakeSeed(), slots: make([]uint64, 1<<8), ends: []int{0}}
}

func (t *labelTable) len() int { return len(t.ends) - 1 }

func (t *labelTable) label(i int32) []byte { return t.text[t.ends[i]:t.ends[i+1]] }

// find is the number of a label that is there, and its hash.
func (t *labelTable) find(b []byte) (id int32, hash uint64, ok bool) {
	hash = maphash.Bytes(t.seed, b)
	mask := uint64(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		s := t.slots[at]
		if s == 0 {
			return 0, hash, false
		}
		if s>>32 == hash>>32 {
			if id := int32(uint32(s)) - 1; bytes.Equal(t.label(id), b) {
				return id, hash, true
			}
		}
	}
}

// add appends a label that find did not find.
func (t *labelTable) add(b []byte, hash uint64) int32 {
	id := int32(t.len())
	t.text = append(t.text, b...)
	t.ends = append(t.ends, len(t.text))
	if 2*t.len() > len(t.slots) {
		t.grow()
	}
	t.place(id, hash)
	return id
}

func (t *labelTable) place(id int32, hash uint64) {
	mask := uint64(len(t.slots) - 1)
	at := hash & mask
	for t.slots[at] != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = hash>>32<<32 | uint64(id+1)
}

func (t *labelTable) grow() {
	t.slots = make([]uint64, 2*len(t.slots))
	for id := range int32(t.len() - 1) {
		t.place(id, maphash.Bytes(t.seed, t.label(id)))
	}
}

// strings is all labels, which share one string.
func (t *labelTable) strings() []string {
	all := string(t.text)
	out := make([]string, t.len())
	for i := range out {
		out[i] = all[t.ends[i]:t.ends[i+1]]
	}
	return out
}
