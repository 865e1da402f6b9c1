package graphio

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// labelTable numbers labels in the order of their first appearance. It is a
// hash table with open addressing that holds short labels in its slots: a file
// of ten million edges looks up twenty million labels, nearly all of which miss
// the cache, and here a short one does so once, in a map of strings three times.
type labelTable struct {
	seed  maphash.Seed
	slots []slot
	text  []byte
	ends  []int // label i is text[ends[i]:ends[i+1]]
}

// slot holds a label of at most inSlot bytes, padded with zeros that no label
// ends in, or else the hash of a longer one and the mark that it is one.
type slot struct {
	a  uint64
	b  uint32
	id uint32 // number + 1; 0 is free
}

const (
	inSlot = 12
	isLong = 1 // as b; a short label has a control character there otherwise
)

// key is the slot of a label but for the number, and its hash.
func (t *labelTable) key(label []byte) (s slot, hash uint64) {
	hash = maphash.Bytes(t.seed, label)
	if len(label) > inSlot {
		return slot{a: hash, b: isLong}, hash
	}
	var pad [16]byte
	copy(pad[:], label)
	return slot{a: binary.LittleEndian.Uint64(pad[:]), b: binary.LittleEndian.Uint32(pad[8:])}, hash
}

func newLabelTable() *labelTable {
	return &labelTable{seed: maphash.MakeSeed(), slots: make([]slot, 1<<8), ends: []int{0}}
}

func (t *labelTable) len() int { return len(t.ends) - 1 }

func (t *labelTable) label(i uint32) []byte { return t.text[t.ends[i]:t.ends[i+1]] }

// find is the number of a label that is there.
func (t *labelTable) find(label []byte) (id int32, ok bool) {
	k, hash := t.key(label)
	// What is no label, but could look like one in its slot, is compared in full.
	full := k.b == isLong || len(label) > 0 && label[len(label)-1] == 0
	mask := uint64(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		s := &t.slots[at]
		if s.id == 0 {
			return 0, false
		}
		if s.a == k.a && s.b == k.b && (!full || bytes.Equal(t.label(s.id-1), label)) {
			return int32(s.id - 1), true
		}
	}
}

// add appends a label that is not there.
func (t *labelTable) add(label []byte) int32 {
	id := uint32(t.len())
	t.text = append(t.text, label...)
	t.ends = append(t.ends, len(t.text))
	if 2*t.len() > len(t.slots) {
		t.slots = make([]slot, 2*len(t.slots))
		for i := range id {
			t.place(i)
		}
	}
	t.place(id)
	return int32(id)
}

func (t *labelTable) place(id uint32) {
	s, hash := t.key(t.label(id))
	s.id = id + 1
	mask := uint64(len(t.slots) - 1)
	at := hash & mask
	for t.slots[at].id != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = s
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
