package verdict

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"os"
	"slices"

	"ein/bench/question/instance"
)

// Index is the questions of a file, by id: the needed part of each instance, in order, and a
// table of their places. Those of a long file are on disk, and each takes little memory. An index
// serves one file of replies at a time.
type Index struct {
	Part bool // see Join

	why   bool
	seed  maphash.Seed
	n     int
	mask  uint64   // slots of the table less one
	seen  []uint64 // a bit for each line that has a reply in this file of them
	left  int      // lines that have none
	lines *store
	end   int64 // of lines
	table *store
	last  record            // that was read
	in    instance.Instance // of it
}

// slot is an entry of the table: the hash of an id, which is never 0, the line of the instance,
// and the place of its record.
type slot struct{ hash, line, at, size uint64 }

const slotSize = 32

// NewIndex reads the questions of instances; see NewQuestion for why. An error names
// the line, as those of instance.Read do. Close frees the disk.
func NewIndex(instances iter.Seq2[*instance.Instance, error], why bool) (x *Index, err error) {
	x = &Index{why: why, seed: maphash.MakeSeed(), mask: 1<<10 - 1}
	x.lines, x.table = newStore(inMemory), newStore(int64(x.mask+1)*slotSize)
	defer func() {
		if err != nil {
			_ = x.Close()
			x = nil
		}
	}()
	var r record
	var q Question
	for in, err := range instances {
		if err != nil {
			return x, err
		}
		x.n++
		if err := q.fill(in, false); err != nil { // its case has been read
			return x, fmt.Errorf("line %d: %w", x.n, err)
		}
		if err := x.add(in, &r); err != nil {
			return x, err
		}
	}
	return x, nil
}

// add keeps at least half of the slots free, so that find soon reaches an empty one.
func (x *Index) add(in *instance.Instance, r *record) error {
	const most = 2 // slots for each entry
	if uint64(x.n*most) > x.mask {
		if err := x.grow(); err != nil {
			return err
		}
	}
	s, at, first, err := x.find(in.ID)
	switch {
	case err != nil:
		return err
	case first != nil:
		return fmt.Errorf("line %d: the same instance is in line %d", x.n, s.line)
	}
	r.b = append(r.b[:0], 0, 0, 0, 0)
	r.instance(in, x.why)
	binary.LittleEndian.PutUint32(r.b, uint32(len(r.b)-prefix))
	if err := x.put(at, slot{x.hash(in.ID), uint64(x.n), uint64(x.end + prefix), uint64(len(r.b) - prefix)}); err != nil {
		return err
	}
	err = x.lines.WriteAt(r.b, x.end)
	x.end += int64(len(r.b))
	return err
}

// prefix is the number of bytes before a record that hold its length.
const prefix = 4

func (x *Index) hash(id string) uint64 { return cmp.Or(maphash.String(x.seed, id), 1) }

// find returns the slot of an id, or an empty one for it, with its place, and the record of the
// instance.
func (x *Index) find(id string) (slot, uint64, *instance.Instance, error) {
	h := x.hash(id)
	for at := h & x.mask; ; at = (at + 1) & x.mask {
		s, err := x.get(at)
		if err != nil || s.hash == 0 {
			return s, at, nil, err
		}
		if s.hash != h {
			continue
		}
		in, err := x.read(int64(s.at), s.size)
		if err != nil || in.ID == id {
			return s, at, in, err
		}
	}
}

// read returns the instance of a record, until it is called again. Its texts are those of the record.
func (x *Index) read(at int64, size uint64) (*instance.Instance, error) {
	b, err := x.lines.view(at, int(size))
	if err != nil {
		return nil, err
	}
	x.last.unpack(b, &x.in, x.why)
	return &x.in, nil
}

// get and put read and write a place of the table, as four words of 8 bytes.
func (x *Index) get(at uint64) (slot, error) {
	b, err := x.table.view(int64(at*slotSize), slotSize)
	if err != nil {
		return slot{}, err
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	return slot{word(0), word(1), word(2), word(3)}, nil
}

func (x *Index) put(at uint64, s slot) error {
	b := make([]byte, 0, slotSize)
	for _, v := range []uint64{s.hash, s.line, s.at, s.size} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return x.table.WriteAt(b, int64(at*slotSize))
}

// grow makes a table of four times the size.
func (x *Index) grow() error {
	old := *x
	defer func() { _ = old.table.Close() }()
	x.mask = x.mask<<2 | 3
	x.table = newStore(int64(x.mask+1) * slotSize)
	for at := range old.mask + 1 {
		s, err := old.get(at)
		if err != nil {
			return err
		}
		if s.hash == 0 {
			continue
		}
		to := s.hash & x.mask
		for {
			there, err := x.get(to)
			if err != nil {
				return err
			}
			if there.hash == 0 {
				break
			}
			to = (to + 1) & x.mask
		}
		if err := x.put(to, s); err != nil {
			return err
		}
	}
	return nil
}

// reply returns the question of an id, or nil, and notes that it has a reply; true if it already
// had one.
func (x *Index) reply(id string) (*Question, bool, error) {
	s, _, in, err := x.find(id)
	if err != nil || in == nil {
		return nil, false, err
	}
	word, bit := &x.seen[s.line/64], uint64(1)<<(s.line%64)
	if *word&bit != 0 {
		return nil, true, nil
	}
	*word |= bit
	x.left--
	q, err := NewQuestion(in, x.why)
	return q, false, err
}

// missing returns the questions without a reply, in their order.
func (x *Index) missing(yield func(*Question) error) error {
	at := int64(0)
	for line := 1; x.left > 0; line++ {
		b, err := x.lines.view(at, prefix)
		if err != nil {
			return err
		}
		size := binary.LittleEndian.Uint32(b)
		from := at + prefix
		at = from + int64(size)
		if x.seen[line/64]>>(line%64)&1 != 0 {
			continue
		}
		x.left--
		in, err := x.read(from, uint64(size))
		if err != nil {
			return err
		}
		q, err := NewQuestion(in, x.why)
		if err == nil {
			err = yield(q)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Close frees what the index has on disk.
func (x *Index) Close() error { return errors.Join(x.lines.Close(), x.table.Close()) }

// store is a sequence of bytes, the first part in memory, the rest in an unlinked file. Bytes
// that were never written are 0.
type store struct {
	head []byte
	file *os.File
	last []byte // that was viewed outside of the head
}

// inMemory is how many bytes of a store are kept in memory: the index of some 10,000 questions.
var inMemory int64 = 16 << 20

// newStore makes a store of at most so many bytes, or more in a file. Memory that nothing is
// written to is not taken from the system.
func newStore(size int64) *store { return &store{head: make([]byte, min(size, inMemory))} }

// view returns n bytes, which are good until it is called again.
func (s *store) view(at int64, n int) ([]byte, error) {
	if end := at + int64(n); end <= int64(len(s.head)) {
		return s.head[at:end], nil
	}
	s.last = slices.Grow(s.last[:0], n)[:n]
	from := 0
	if at < int64(len(s.head)) {
		from = copy(s.last, s.head[at:])
	}
	clear(s.last[from:])
	if s.file != nil {
		if _, err := s.file.ReadAt(s.last[from:], at+int64(from)); !errors.Is(err, io.EOF) {
			return s.last, err
		}
	}
	return s.last, nil
}

// WriteAt writes b. What is past the head goes to a temporary file, which is removed as soon as
// it is open so that nothing is left behind.
func (s *store) WriteAt(b []byte, at int64) error {
	if at < int64(len(s.head)) {
		n := copy(s.head[at:], b)
		b, at = b[n:], at+int64(n)
	}
	if len(b) == 0 {
		return nil
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "ein-index-")
		if err != nil {
			return err
		}
		_ = os.Remove(f.Name()) // where that cannot be, the system clears its temporary files
		s.file = f
	}
	_, err := s.file.WriteAt(b, at)
	return err
}

func (s *store) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// record writes values one after another, or reads them in the same order.
type record struct {
	b    []byte
	text string // of b, when it is read
	at   int    // where
}

// unpack replaces an instance, whose edges nobody else has, by that of the record; with why, also
// what an attribution needs of it.
func (r *record) unpack(b []byte, in *instance.Instance, why bool) {
	*in = instance.Instance{Edges: in.Edges[:0], Edges2: in.Edges2[:0]}
	r.text, r.at = string(b), 0
	r.instance(in, why)
	in.N = len(in.Nodes)
}

// instance fills the record with what an index keeps of an instance.
func (r *record) instance(in *instance.Instance, why bool) {
	q := &in.Query
	for _, s := range []*string{&in.ID, &in.Version, &in.Category, &in.Level, &in.ResultType, &q.Aggregate, &q.Direction} {
		r.string(s)
	}
	r.raw(&in.Answer)
	every(r, &in.Nodes, r.string)
	every(r, &q.Steps, r.string)
	for _, p := range []**int{&q.Source, &q.Target, &q.Threshold, &q.MinInDegree, &q.MinOutDegree} {
		n := 0
		if *p != nil {
			n = 1
		}
		if r.int(&n); n > 0 {
			if r.reads() {
				*p = new(int)
			}
			r.int(*p)
		}
	}
	r.int(&q.MaxOutDegree)
	if why {
		directed := 0
		if in.Directed {
			directed = 1
		}
		r.int(&directed)
		in.Directed = directed != 0
		every(r, &in.Edges, r.pair)
		every(r, &in.Edges2, r.pair)
		r.string(&in.EinProgram)
	}
}

func (r *record) reads() bool { return r.text != "" }

// int reads or writes a number; which one it does depends on the record, so that one walk over an
// instance describes its form for both ways.
func (r *record) int(x *int) {
	if !r.reads() {
		r.b = binary.AppendVarint(r.b, int64(*x))
		return
	}
	if c := r.text[r.at]; c < 0x80 { // most are of one byte
		*x = int(c>>1) ^ -int(c&1)
		r.at++
		return
	}
	v, n := binary.Varint([]byte(r.text[r.at:min(len(r.text), r.at+binary.MaxVarintLen64)]))
	*x = int(v)
	r.at += n
}

// string reads or writes a text. One that is read shares the memory of the record.
func (r *record) string(s *string) {
	n := len(*s)
	if r.int(&n); !r.reads() {
		r.b = append(r.b, *s...)
		return
	}
	*s = r.text[r.at : r.at+n]
	r.at += n
}

// raw is string for bytes, which it copies.
func (r *record) raw(b *json.RawMessage) {
	n := len(*b)
	if r.int(&n); !r.reads() {
		r.b = append(r.b, *b...)
		return
	}
	*b = json.RawMessage(r.text[r.at : r.at+n])
	r.at += n
}

func (r *record) pair(e *[2]int) {
	r.int(&e[0])
	r.int(&e[1])
}

// every reads or writes a list, element by element, after its length.
func every[T any](r *record, list *[]T, element func(*T)) {
	n := len(*list)
	if r.int(&n); r.reads() && n > 0 {
		*list = slices.Grow(*list, n)[:n]
	}
	for i := range *list {
		element(&(*list)[i])
	}
}
