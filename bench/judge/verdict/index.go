package verdict

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"os"

	"ein/bench/question/instance"
)

// Index is the questions of a file, by id, on disk: its memory does not grow with
// their number. Two files that have no name any more are all it has: the instances in
// their order, as far as they are needed, and a table of where each is. One file of
// replies is judged after another.
type Index struct {
	why   bool
	seed  maphash.Seed
	n     int
	mask  uint64 // slots of the table less one
	round uint64 // of replies
	lines *os.File
	end   int64 // of lines
	table *os.File
}

// slot is an entry of the table: the hash of an id, which is never 0, the place of its
// line, and the last round in which there was a reply.
type slot struct{ hash, at, seen uint64 }

const slotSize = 24

// kept is a line of an index.
type kept struct {
	Line     int
	Instance *instance.Instance
}

// NewIndex reads the questions of instances; see NewQuestion for why. An error names
// the line, as those of instance.Read do. Close frees the disk.
func NewIndex(instances iter.Seq2[*instance.Instance, error], why bool) (x *Index, err error) {
	x = &Index{why: why, seed: maphash.MakeSeed(), mask: 1<<10 - 1}
	defer func() {
		if err != nil {
			_ = x.Close()
			x = nil
		}
	}()
	if x.lines, err = unnamed(); err != nil {
		return x, err
	}
	if x.table, err = unnamed(); err != nil {
		return x, err
	}
	lines := bufio.NewWriter(x.lines)
	for in, err := range instances {
		if err != nil {
			return x, err
		}
		x.n++
		if _, err := NewQuestion(in, why); err != nil {
			return x, fmt.Errorf("line %d: %w", x.n, err)
		}
		if err := x.add(in, lines); err != nil {
			return x, err
		}
	}
	return x, lines.Flush()
}

// unnamed is a file that is gone when it is closed, or where that cannot be, when the
// system clears its temporary files.
func unnamed() (*os.File, error) {
	f, err := os.CreateTemp("", "ein-index-")
	if err == nil {
		_ = os.Remove(f.Name())
	}
	return f, err
}

func (x *Index) add(in *instance.Instance, lines *bufio.Writer) error {
	const most = 2 // slots for each entry
	if uint64(x.n*most) > x.mask {
		if err := x.grow(); err != nil {
			return err
		}
	}
	s, at, err := x.find(in.ID, lines)
	if err != nil {
		return err
	}
	if s.hash != 0 {
		first, err := x.read(int64(s.at))
		if err != nil {
			return err
		}
		return fmt.Errorf("line %d: the same instance is in line %d", x.n, first.Line)
	}
	least := *in
	least.Question, least.PythonProgram, least.Digest = "", "", ""
	if !x.why {
		least.EinProgram, least.Edges, least.Edges2 = "", nil, nil
	}
	line, err := json.Marshal(kept{x.n, &least})
	if err != nil {
		return err
	}
	if err := x.put(at, slot{x.hash(in.ID), uint64(x.end), 0}); err != nil {
		return err
	}
	x.end += int64(len(line)) + 1
	_, err = lines.Write(append(line, '\n'))
	return err
}

func (x *Index) hash(id string) uint64 { return cmp.Or(maphash.String(x.seed, id), 1) }

// find gives the slot of an id, or the empty one for it, with its place. Lines that
// are still to be written are.
func (x *Index) find(id string, lines *bufio.Writer) (slot, uint64, error) {
	h := x.hash(id)
	for at := h & x.mask; ; at = (at + 1) & x.mask {
		s, err := x.get(at)
		if err != nil || s.hash == 0 {
			return s, at, err
		}
		if s.hash != h {
			continue
		}
		if lines != nil {
			if err := lines.Flush(); err != nil {
				return s, at, err
			}
		}
		if k, err := x.read(int64(s.at)); err != nil || k.Instance.ID == id {
			return s, at, err
		}
	}
}

func (x *Index) get(at uint64) (s slot, err error) {
	var b [slotSize]byte
	if _, err = x.table.ReadAt(b[:], int64(at*slotSize)); errors.Is(err, io.EOF) {
		err = nil // beyond the end there are zeros
	}
	s.hash, s.at, s.seen = binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	return s, err
}

func (x *Index) put(at uint64, s slot) error {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, slotSize), s.hash)
	b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, s.at), s.seen)
	_, err := x.table.WriteAt(b, int64(at*slotSize))
	return err
}

// grow makes a table of four times the size.
func (x *Index) grow() error {
	old := *x
	var err error
	if x.table, err = unnamed(); err != nil {
		x.table = old.table
		return err
	}
	defer func() { _ = old.table.Close() }()
	x.mask = x.mask<<2 | 3
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

// read reads a line.
func (x *Index) read(at int64) (*kept, error) {
	k := &kept{}
	return k, json.NewDecoder(io.NewSectionReader(x.lines, at, 1<<62-at)).Decode(k)
}

// reply gives the question of an id, and notes that there is a reply: nil when there is
// no such question, and true when there was a reply before.
func (x *Index) reply(id string) (*Question, bool, error) {
	s, at, err := x.find(id, nil)
	if err != nil || s.hash == 0 || s.seen == x.round {
		return nil, s.hash != 0, err
	}
	s.seen = x.round
	if err := x.put(at, s); err != nil {
		return nil, false, err
	}
	k, err := x.read(int64(s.at))
	if err != nil {
		return nil, false, err
	}
	q, err := NewQuestion(k.Instance, x.why)
	return q, false, err
}

// missing gives the questions without a reply, in their order.
func (x *Index) missing(yield func(*Question) error) error {
	d := json.NewDecoder(io.NewSectionReader(x.lines, 0, x.end))
	for range x.n {
		var k kept
		if err := d.Decode(&k); err != nil {
			return err
		}
		s, _, err := x.find(k.Instance.ID, nil)
		if err != nil {
			return err
		}
		if s.seen == x.round {
			continue
		}
		q, err := NewQuestion(k.Instance, x.why)
		if err == nil {
			err = yield(q)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Len is the number of questions.
func (x *Index) Len() int { return x.n }

// Close frees what the index has on disk.
func (x *Index) Close() error {
	var err error
	for _, f := range []*os.File{x.lines, x.table} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}
