package graphio

import (
	"encoding/binary"
	"hash/maphash"
	"strings"
)

// labelTable numbers labels in the order of their first appearance. It is a
// hash table with open addressing that holds short labels in its slots: a file
// of ten million edges looks up twenty million labels, nearly all of which miss
// the cache, and here a short one does so once, in a map of strings three times.
type labelTable struct {
	mem    *memory
	seed   maphash.Seed
	slots  []slot
	labels chunks[string] // parts of texts that do not move
	text   *strings.Builder
	texts  int // bytes of all texts

	waiting []waiting // see later
	line    int       // of the label that flush looks up
	queue   []byte    // their texts
	touched uint32    // keeps the reads of flush, and has no meaning
}

// waiting is a label to be looked up, and where its number goes.
type waiting struct {
	key  slot
	hash uint64
	end  int // in queue
	line int
	cell *float64
}

// slot holds a label of at most inSlot bytes, padded with zeros, or else the hash of
// a longer one, or of one that ends in a zero, and the mark that it is one.
type slot struct {
	a  uint64
	b  uint32
	id uint32 // number + 1; 0 is free
}

const (
	inSlot = 12
	isLong = 1 // as b; of a short label that is a control character, and it is compared in full
)

// key returns the slot of a label, without its number, and the hash.
func (t *labelTable) key(label []byte) (s slot, hash uint64) {
	hash = maphash.Bytes(t.seed, label)
	if n := len(label); n > inSlot || n > 0 && label[n-1] == 0 {
		return slot{a: hash, b: isLong}, hash
	}
	var pad [16]byte
	copy(pad[:], label)
	return slot{a: binary.LittleEndian.Uint64(pad[:]), b: binary.LittleEndian.Uint32(pad[8:])}, hash
}

func newLabelTable(mem *memory) *labelTable {
	slots := newSlice[slot](mem, 1<<4)
	return &labelTable{mem: mem, seed: maphash.MakeSeed(), slots: slots, labels: chunks[string]{mem: mem}, text: new(strings.Builder)}
}

func (t *labelTable) len() int { return t.labels.len() }

// find returns the number of a label if the table has it.
func (t *labelTable) find(label []byte) (id int32, ok bool) {
	k, hash := t.key(label)
	return t.seek(k, hash, label)
}

func (t *labelTable) seek(k slot, hash uint64, label []byte) (id int32, ok bool) {
	mask := uint64(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		s := &t.slots[at]
		if s.id == 0 {
			return 0, false
		}
		if s.a == k.a && s.b == k.b && (k.b != isLong || *t.labels.at(int(s.id - 1)) == string(label)) {
			return int32(s.id - 1), true
		}
	}
}

// number returns the number of a label, and adds it if it is new.
func (t *labelTable) number(k slot, hash uint64, label []byte) int32 {
	if id, ok := t.seek(k, hash, label); ok {
		return id
	}
	return t.add(label)
}

// waits reports whether a label can wait for the next flush: there is room, and it is not so long that a
// copy would have to be paid for.
func (t *labelTable) waits(label []byte) bool { return len(t.waiting) < 32 && len(label) <= 1<<7 }

// later has the number of a label entered into a cell by the next flush, which adds the label if it
// is new; one that cannot wait comes after a flush, and is looked up at once. Labels wait until there
// are many: a look-up waits for memory, and flush reads the slots of all of them first, so that the
// processor fetches them together.
func (t *labelTable) later(label []byte, line int, cell *float64) {
	key, hash := t.key(label)
	if !t.waits(label) {
		*cell = float64(t.number(key, hash, label))
		return
	}
	t.queue = append(t.queue, label...)
	t.waiting = append(t.waiting, waiting{key, hash, len(t.queue), line, cell})
}

// flush looks up the labels that wait.
func (t *labelTable) flush() {
	mask := uint64(len(t.slots) - 1)
	for i := range t.waiting {
		t.touched += t.slots[t.waiting[i].hash&mask].id
	}
	from := 0
	for i := range t.waiting {
		w := &t.waiting[i]
		t.line = w.line
		*w.cell = float64(t.number(w.key, w.hash, t.queue[from:w.end]))
		from = w.end
	}
	t.waiting, t.queue = t.waiting[:0], t.queue[:0]
}

// add appends a new label, as part of a longer text that it shares with others.
func (t *labelTable) add(label []byte) int32 {
	const least, most = 1 << 6, 1 << 20
	if t.text.Cap()-t.text.Len() < len(label) {
		n := max(len(label), min(max(t.texts, least), most))
		t.mem.take(n)
		t.texts += n
		t.text = new(strings.Builder)
		t.text.Grow(n)
	}
	from := t.text.Len()
	t.text.Write(label)
	return t.share(t.text.String()[from:])
}

// share appends a new label without copying it.
func (t *labelTable) share(label string) int32 {
	id := uint32(t.len())
	t.labels.add(label)
	if n := len(t.slots); 3*t.len() > 2*n {
		t.close()
		t.slots = newSlice[slot](t.mem, 2*n)
		for i := range id {
			t.place(i)
		}
	}
	t.place(id)
	return int32(id)
}

// place enters a label into the slots, of which one must be free.
func (t *labelTable) place(id uint32) {
	s, hash := t.key([]byte(*t.labels.at(int(id))))
	s.id = id + 1
	mask := uint64(len(t.slots) - 1)
	at := hash & mask
	for t.slots[at].id != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = s
}

// close frees the slots: the labels remain, but can no longer be looked up.
func (t *labelTable) close() {
	t.mem.give(len(t.slots) * sizeOf[slot]())
	t.slots = nil
}
