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
	Part bool // see Join

	why   bool
	seed  maphash.Seed
	n     int
	mask  uint64 // slots of the table less one
	round uint64 // of replies
	lines *os.File
	end   int64 // of lines
	table *os.File
}

// slot is an entry of the table: the hash of an id, which is never 0, the place and the
// length of what is kept, and the last round in which there was a reply.
type slot struct{ hash, at, size, seen uint64 }

const slotSize = 32

// kept is what an index keeps of an instance.
type kept struct {
	Line                               int
	ID, Version, Category, Level, Type string
	Nodes                              []string
	Query                              instance.Query
	Answer                             json.RawMessage
	Directed                           bool     `json:",omitempty"` // from here on for attribution
	Edges, Edges2                      [][2]int `json:",omitempty"`
	Program                            string   `json:",omitempty"`
}

func (x *Index) kept(in *instance.Instance) *kept {
	k := &kept{Line: x.n, ID: in.ID, Version: in.Version, Category: in.Category, Level: in.Level, Type: in.ResultType, Nodes: in.Nodes, Query: in.Query, Answer: in.Answer}
	if x.why {
		k.Directed, k.Edges, k.Edges2, k.Program = in.Directed, in.Edges, in.Edges2, in.EinProgram
	}
	return k
}

func (x *Index) question(k *kept) (*Question, error) {
	return NewQuestion(&instance.Instance{ID: k.ID, Version: k.Version, Category: k.Category, Level: k.Level, ResultType: k.Type, N: len(k.Nodes),
		Nodes: k.Nodes, Query: k.Query, Answer: k.Answer, Directed: k.Directed, Edges: k.Edges, Edges2: k.Edges2, EinProgram: k.Program}, x.why)
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
	_, at, first, err := x.find(in.ID, lines)
	switch {
	case err != nil:
		return err
	case first != nil:
		return fmt.Errorf("line %d: the same instance is in line %d", x.n, first.Line)
	}
	line, err := json.Marshal(x.kept(in))
	if err != nil {
		return err
	}
	if err := x.put(at, slot{x.hash(in.ID), uint64(x.end), uint64(len(line)), 0}); err != nil {
		return err
	}
	x.end += int64(len(line))
	_, err = lines.Write(line)
	return err
}

func (x *Index) hash(id string) uint64 { return cmp.Or(maphash.String(x.seed, id), 1) }

// find gives the slot of an id, or the empty one for it, with its place, and what is
// kept. Lines that are still to be written are.
func (x *Index) find(id string, lines *bufio.Writer) (slot, uint64, *kept, error) {
	h := x.hash(id)
	for at := h & x.mask; ; at = (at + 1) & x.mask {
		s, err := x.get(at)
		if err != nil || s.hash == 0 {
			return s, at, nil, err
		}
		if s.hash != h {
			continue
		}
		if lines != nil {
			if err := lines.Flush(); err != nil {
				return s, at, nil, err
			}
		}
		if k, err := x.read(s); err != nil || k.ID == id {
			return s, at, k, err
		}
	}
}

func (x *Index) get(at uint64) (s slot, err error) {
	var b [slotSize]byte
	if _, err = x.table.ReadAt(b[:], int64(at*slotSize)); errors.Is(err, io.EOF) {
		err = nil // beyond the end there are zeros
	}
	for i, to := range []*uint64{&s.hash, &s.at, &s.size, &s.seen} {
		*to = binary.LittleEndian.Uint64(b[8*i:])
	}
	return s, err
}

func (x *Index) put(at uint64, s slot) error {
	b := make([]byte, 0, slotSize)
	for _, v := range []uint64{s.hash, s.at, s.size, s.seen} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
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

// read reads what is kept.
func (x *Index) read(s slot) (*kept, error) {
	b := make([]byte, s.size)
	if _, err := x.lines.ReadAt(b, int64(s.at)); err != nil {
		return nil, err
	}
	k := &kept{}
	return k, json.Unmarshal(b, k)
}

// reply gives the question of an id, and notes that there is a reply: nil when there is
// no such question, and true when there was a reply before.
func (x *Index) reply(id string) (*Question, bool, error) {
	s, at, k, err := x.find(id, nil)
	if err != nil || k == nil || s.seen == x.round {
		return nil, k != nil, err
	}
	s.seen = x.round
	if err := x.put(at, s); err != nil {
		return nil, false, err
	}
	q, err := x.question(k)
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
		s, _, _, err := x.find(k.ID, nil)
		if err != nil {
			return err
		}
		if s.seen == x.round {
			continue
		}
		q, err := x.question(&k)
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
func (x *Index) Close() error {
	var err error
	for _, f := range []*os.File{x.lines, x.table} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}
