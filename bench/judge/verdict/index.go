package verdict

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"iter"
	"os"

	"ein/bench/question/instance"
)

// Index is the questions of a file, by id. The needed part of each instance is a record, in a
// file if there are many; in memory, an instance then takes about 30 bytes. An index serves one
// file of replies at a time.
type Index struct {
	Part bool // see Join

	why  bool
	seed maphash.Seed
	line map[uint64]uint32 // of an instance, from 1, by the hash of its id
	ends []int64           // of the records of the lines; that of line 0 is empty
	seen []uint64          // a bit for each line that has a reply in this file of them
	left int               // lines that have none
	head []byte            // the first records
	file *os.File          // the others; unlinked
}

// inMemory is how many bytes of records are kept in memory: those of some 10,000 questions.
var inMemory = 16 << 20

// NewIndex reads the questions of instances; see NewQuestion for why. An error names
// the line, as those of instance.Read do. Close frees the disk.
func NewIndex(instances iter.Seq2[*instance.Instance, error], why bool) (x *Index, err error) {
	x = &Index{why: why, seed: maphash.MakeSeed(), line: map[uint64]uint32{}, ends: []int64{0}}
	defer func() {
		if err != nil {
			_ = x.Close()
			x = nil
		}
	}()
	var r record
	for in, err := range instances {
		if err != nil {
			return x, err
		}
		line := len(x.ends)
		if _, err := NewQuestion(in, false); err != nil { // its case has been read
			return x, fmt.Errorf("line %d: %w", line, err)
		}
		hash, first, _, err := x.find(in.ID)
		switch {
		case err != nil:
			return x, err
		case first > 0:
			return x, fmt.Errorf("line %d: the same instance is in line %d", line, first)
		}
		r = record{b: r.b[:0]}
		r.instance(in, why)
		x.line[hash] = uint32(line)
		x.ends = append(x.ends, x.ends[line-1]+int64(len(r.b)))
		if err := x.write(r.b); err != nil {
			return x, err
		}
	}
	return x, nil
}

// find returns the line of an instance and the instance itself, or line 0, with the key in x.line
// that is its own or free for it.
func (x *Index) find(id string) (key uint64, line int, in *instance.Instance, err error) {
	for key = maphash.String(x.seed, id); ; key++ {
		line := int(x.line[key])
		if line == 0 {
			return key, 0, nil, nil
		}
		if in, err := x.read(line); err != nil || in.ID == id {
			return key, line, in, err
		}
	}
}

// write appends a record, to the file once there is one.
func (x *Index) write(b []byte) (err error) {
	if x.file == nil && len(x.head)+len(b) <= inMemory {
		x.head = append(x.head, b...)
		return nil
	}
	if x.file == nil {
		if x.file, err = os.CreateTemp("", "ein-index-"); err != nil {
			return err
		}
		_ = os.Remove(x.file.Name()) // where that cannot be, the system clears its temporary files
	}
	_, err = x.file.Write(b)
	return err
}

// read returns what is kept of the instance in a line.
func (x *Index) read(line int) (*instance.Instance, error) {
	from, to := x.ends[line-1], x.ends[line]
	if to <= int64(len(x.head)) {
		return unpack(x.head[from:to], x.why), nil
	}
	b := make([]byte, to-from)
	if _, err := x.file.ReadAt(b, from-int64(len(x.head))); err != nil {
		return nil, err
	}
	return unpack(b, x.why), nil
}

// reply returns the question of an id, or nil, and notes that it has a reply; true if it already
// had one.
func (x *Index) reply(id string) (*Question, bool, error) {
	_, line, in, err := x.find(id)
	if err != nil || line == 0 {
		return nil, false, err
	}
	word, bit := &x.seen[line/64], uint64(1)<<(line%64)
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
	for line := 1; x.left > 0; line++ {
		if x.seen[line/64]>>(line%64)&1 != 0 {
			continue
		}
		x.left--
		in, err := x.read(line)
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
func (x *Index) Close() error {
	if x.file == nil {
		return nil
	}
	return x.file.Close()
}

// record writes values one after another, or reads them in the same order.
type record struct {
	b    []byte
	text string // of b, when it is read
}

func unpack(b []byte, why bool) *instance.Instance {
	in := &instance.Instance{}
	r := &record{b, string(b)}
	r.instance(in, why)
	in.N = len(in.Nodes)
	return in
}

// instance fills the record with what an index keeps of an instance.
func (r *record) instance(in *instance.Instance, why bool) {
	answer, q := string(in.Answer), &in.Query
	for _, s := range []*string{&in.ID, &in.Version, &in.Category, &in.Level, &in.ResultType, &answer, &q.Aggregate, &q.Direction} {
		r.string(s)
	}
	in.Answer = json.RawMessage(answer)
	every(r, &in.Nodes, r.string)
	every(r, &q.Steps, r.string)
	for _, p := range []**int{&q.Source, &q.Target, &q.Threshold, &q.MinInDegree, &q.MinOutDegree} {
		var one []int // or none
		if *p != nil {
			one = []int{**p}
		}
		if every(r, &one, r.int); len(one) > 0 {
			*p = &one[0]
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

func (r *record) int(x *int) {
	if !r.reads() {
		r.b = binary.AppendVarint(r.b, int64(*x))
		return
	}
	v, n := binary.Varint(r.b)
	*x, r.b = int(v), r.b[n:]
}

func (r *record) string(s *string) {
	n := len(*s)
	if r.int(&n); !r.reads() {
		r.b = append(r.b, *s...)
		return
	}
	at := len(r.text) - len(r.b)
	*s, r.b = r.text[at:at+n], r.b[n:]
}

func (r *record) pair(e *[2]int) {
	r.int(&e[0])
	r.int(&e[1])
}

func every[T any](r *record, list *[]T, element func(*T)) {
	n := len(*list)
	if r.int(&n); r.reads() && n > 0 {
		*list = make([]T, n)
	}
	for i := range *list {
		element(&(*list)[i])
	}
}
