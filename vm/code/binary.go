package code

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strconv"

	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// The binary form of a program is
//
//	Magic  version  domains  registers  constants  inputs  instructions
//	outputs  statements  labels  checksum
//
// Numbers are uvarints of the shortest length, strings and lists have their
// length in front, and float64s and words of bits lie in 8 bytes, little end
// first. What verification makes certain is not written: a constant has the
// shape and layout of its register, a statement starts where the last one
// ended, and an instruction has only the attributes that its operation uses. So
// a program has one binary form, and no form is of two programs.

// Magic is the start of every bytecode file. Its first byte is not text, so no program starts with it.
const Magic = "\x7fEIN"

// Version is the version of the binary form, the only one that Unmarshal reads.
// It must be incremented whenever the form changes, or the numbering of anything
// stored by number: operations, scalar functions, folds, walks, kinds, layouts.
const Version = 6

// Limits of a file, which bound what it makes Unmarshal do: that uses at most about a hundred bytes of
// memory for each byte of the file, mostly far fewer.
const (
	MaxBytes        = 64 << 20
	maxRegisters    = 1 << 20
	maxInstructions = 1 << 20
)

// What the errors of Unmarshal wrap.
var (
	ErrMagic   = errors.New("not an Ein bytecode file")
	ErrVersion = errors.New("bytecode of another version")
	ErrLimit   = errors.New("bytecode past a limit")
	ErrDamaged = errors.New("damaged bytecode")
)

// inputKinds are the kinds of inputs in the order of their numbers.
var inputKinds = []string{"graph", "matrix", "vector", "scalar", "relation"}

// castagnoli is the checksum of the form: CRC-32C, for which processors have an instruction.
func castagnoli(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// MarshalBinary returns the binary form of a well-formed program. Equal programs
// have equal forms.
func (p *Program) MarshalBinary() ([]byte, error) {
	if err := Verify(p); err != nil {
		return nil, err
	}
	c := coder{writes: true, data: append([]byte(Magic), Version)}
	c.program(p)
	return binary.LittleEndian.AppendUint32(c.data, castagnoli(c.data)), c.err
}

// Unmarshal reads a program and verifies it. The bytes may come from anyone:
// they are never trusted, not even to say how much memory they need. Errors
// wrap ErrMagic, ErrVersion, ErrLimit or ErrDamaged.
func Unmarshal(data []byte) (*Program, error) {
	c := coder{data: data}
	if c.frame(); c.err != nil {
		return nil, c.err
	}
	p := &Program{}
	c.program(p)
	if c.err == nil && c.at != len(c.data) {
		c.fail(ErrDamaged, c.at, count(c.left(), "more byte"), "the checksum")
	}
	if c.err != nil {
		return nil, c.err
	}
	if err := Verify(p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return p, nil
}

// coder goes through a program and either writes or reads it. Each method does both, so that the two
// cannot differ. A program that is written has been verified and is not changed. When it reads, coder
// keeps the first error, after which everything it reads is 0 or empty, so that callers need not check
// every number.
type coder struct {
	writes bool
	data   []byte
	at     int   // where it reads
	regs   []Reg // of the program, once they are known
	domain []*tensor.Domain
	shared []*tensor.Domain // that have the labels of the program
	err    error
}

// fail notes the error unless there is one. It leaves nothing to read, so that whatever is read
// next fails too, and is 0.
func (c *coder) fail(class error, at int, found, expected string) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: byte %d: found %s, expected %s", class, at, found, expected)
	}
	c.data, c.at = nil, 0
}

// frame checks everything around the program: magic, version and checksum.
func (c *coder) frame() {
	if len(c.data) > MaxBytes {
		c.fail(ErrLimit, MaxBytes, "a file of "+count(len(c.data), "byte"), "at most "+strconv.Itoa(MaxBytes))
		return
	}
	if start := c.data[:min(len(c.data), len(Magic))]; string(start) != Magic {
		c.fail(ErrMagic, 0, strconv.Quote(string(start)), strconv.Quote(Magic))
		return
	}
	c.at = len(Magic)
	// The version comes before the checksum, which another version may not have.
	if v := c.uint(math.MaxUint64, "version"); c.err == nil && v != Version {
		c.fail(ErrVersion, len(Magic), "version "+strconv.FormatUint(v, 10),
			fmt.Sprintf("version %d, the one that this program reads", Version))
	}
	end := len(c.data) - crc32.Size
	if c.err == nil && end < c.at {
		c.fail(ErrDamaged, len(c.data), "the end of the file", "a program and its checksum")
	}
	if c.err != nil {
		return
	}
	sum, want := binary.LittleEndian.Uint32(c.data[end:]), castagnoli(c.data[:end])
	if sum != want {
		c.fail(ErrDamaged, end, fmt.Sprintf("checksum %08x", sum), fmt.Sprintf("%08x", want))
		return
	}
	c.data = c.data[:end]
}

// count is a number of things, in words.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// left is how many bytes have not been read.
func (c *coder) left() int { return len(c.data) - c.at }

// uint reads a number of at most limit. It rejects all but the shortest form, as a number that had
// two would give a program two.
func (c *coder) uint(limit uint64, what string) uint64 {
	start := c.at
	x, n := binary.Uvarint(c.data[start:])
	switch {
	case n == 0:
		c.fail(ErrDamaged, start, "the end of the file", what)
	case n < 0:
		c.fail(ErrDamaged, start, "a number of more than 64 bits", what)
	case n > 1 && c.data[start+n-1] == 0:
		c.fail(ErrDamaged, start, "a number with needless bytes", what)
	case x > limit:
		c.fail(ErrDamaged, start, what+" "+strconv.FormatUint(x, 10), "at most "+strconv.FormatUint(limit, 10))
	default:
		c.at += n
		return x
	}
	return 0
}

// uvarint is a whole number from 0 to most.
func uvarint[T ~int | ~int32](c *coder, x *T, most int, what string) {
	if c.writes {
		c.data = binary.AppendUvarint(c.data, uint64(*x))
		return
	}
	if c.at < len(c.data) && c.data[c.at] < 0x80 && int(c.data[c.at]) <= most { // as most numbers are
		*x = T(c.data[c.at])
		c.at++
		return
	}
	*x = T(c.uint(uint64(most), what))
}

// enum is a byte below n.
func enum[T ~uint8](c *coder, x *T, n int, what string) {
	switch {
	case c.writes:
		c.data = append(c.data, byte(*x))
		return
	case c.left() < 1:
		c.fail(ErrDamaged, c.at, "the end of the file", what)
	case int(c.data[c.at]) >= n:
		c.fail(ErrDamaged, c.at, what+" "+strconv.Itoa(int(c.data[c.at])), "at most "+strconv.Itoa(n-1))
	default:
		*x = T(c.data[c.at])
		c.at++
		return
	}
	*x = 0
}

// length is the number of items that follow (n when writing), each of at least size bytes, and at most
// most of them. A number that the remaining bytes cannot hold is an error here, before anything is
// allocated for it. class is the error of exceeding most.
func (c *coder) length(n, size int, class error, most int, what string) int {
	if c.writes {
		uvarint(c, &n, 0, what)
		return n
	}
	start := c.at
	read := c.uint(math.MaxUint64, "the number of "+what)
	if room := uint64(c.left() / size); read > room {
		c.fail(ErrDamaged, start, strconv.FormatUint(read, 10)+" "+what, "at most "+strconv.FormatUint(room, 10)+" in the bytes left")
		return 0
	}
	if int(read) > most {
		c.fail(class, start, strconv.FormatUint(read, 10)+" "+what, "at most "+strconv.Itoa(most))
		return 0
	}
	return int(read)
}

// items is a list of any length, each of at least size bytes. An empty list is nil, as in a program that was
// never in a file.
func items[T any](c *coder, list *[]T, size int, what string, each func(x *T)) {
	bounded(c, list, size, ErrDamaged, math.MaxInt, what, each)
}

// bounded is items of a list of at most most; class is the error of a longer one.
func bounded[T any](c *coder, list *[]T, size int, class error, most int, what string, each func(x *T)) {
	fixed(c, list, c.length(len(*list), size, class, most, what))
	for i := range *list {
		each(&(*list)[i])
	}
}

// fixed makes room for a list whose length is known.
func fixed[T any](c *coder, list *[]T, n int) {
	if !c.writes && n > 0 {
		*list = make([]T, n)
	}
}

// ints is a list of numbers from 0 to most.
func (c *coder) ints(list *[]int, most int, what string) {
	items(c, list, 1, what, func(x *int) { uvarint(c, x, most, what) })
}

// room reports whether the bytes left can hold n items.
func (c *coder) room(n int, what string) bool {
	if !c.writes && n > c.left() {
		c.fail(ErrDamaged, c.at, count(c.left(), "byte"), fmt.Sprintf("%d %s", n, what))
	}
	return c.err == nil
}

// take is the next n items of size bytes.
func (c *coder) take(n uint64, size int, what string) []byte {
	if n > uint64(c.left()/size) {
		c.fail(ErrDamaged, c.at, count(c.left(), "byte"), fmt.Sprintf("%d %s of %s", n, what, count(size, "byte")))
		return nil
	}
	b := c.data[c.at : c.at+int(n)*size]
	c.at += len(b)
	return b
}

// text is a list of bytes or a text.
func text[T ~string | ~[]byte](c *coder, x *T, what string) {
	n := c.length(len(*x), 1, ErrDamaged, math.MaxInt, what)
	if c.writes {
		c.data = append(c.data, *x...)
	} else if n > 0 {
		*x = T(append([]byte(nil), c.take(uint64(n), 1, what)...))
	}
}

// string is a text; what says of what, for an error.
func (c *coder) string(s *string, what string) { text(c, s, "bytes of "+what) }

// strings has all lengths first, so that a reader can make one string of the text and cut it.
func (c *coder) strings(list *[]string, what string) {
	total := 0
	size := make([]int, c.length(len(*list), 1, ErrDamaged, math.MaxInt, what))
	for i := range size {
		if c.writes {
			size[i] = len((*list)[i])
		}
		uvarint(c, &size[i], max(c.left()-total, 0), "length")
		total += size[i]
	}
	if c.writes {
		for _, s := range *list {
			c.data = append(c.data, s...)
		}
		return
	}
	all := string(c.take(uint64(total), 1, what))
	if c.err != nil {
		return
	}
	fixed(c, list, len(size))
	for i, k := range size {
		(*list)[i], all = all[:k], all[k:]
	}
}

// words are n words of 8 bytes.
func words[T any](c *coder, list *[]T, n uint64, what string, to func(T) uint64, from func(uint64) T) {
	if c.writes {
		for _, x := range *list {
			c.data = binary.LittleEndian.AppendUint64(c.data, to(x))
		}
		return
	}
	raw := c.take(n, 8, what)
	*list = make([]T, len(raw)/8)
	for i := range *list {
		(*list)[i] = from(binary.LittleEndian.Uint64(raw[8*i:]))
	}
}

func (c *coder) floats(list *[]float64, n uint64) {
	words(c, list, n, "numbers", math.Float64bits, math.Float64frombits)
}

func (c *coder) pos(p *ir.Pos) {
	uvarint(c, &p.Start, math.MaxInt32, "source position")
	length := p.End - p.Start
	uvarint(c, &length, int(math.MaxInt32-p.Start), "source length")
	if !c.writes {
		p.End = p.Start + length
	}
}

// register is the number of a register.
func (c *coder) register(r *int) {
	if len(c.regs) == 0 {
		c.fail(ErrDamaged, c.at, "a register", "none: the program has no registers")
		return
	}
	uvarint(c, r, len(c.regs)-1, "register")
}

// program is the whole of the binary form after its header. Registers come before what names
// them, so that each number of one can be checked when it is read.
func (c *coder) program(p *Program) {
	c.domains(p)
	bounded(c, &p.Regs, 1, ErrLimit, maxRegisters, "registers", c.reg)
	c.regs = p.Regs
	// Every register is written once.
	bounded(c, &p.Consts, 2, ErrDamaged, len(p.Regs), "constants", c.constant)
	bounded(c, &p.Inputs, 4, ErrDamaged, len(p.Regs), "inputs", c.input)
	n := c.length(len(p.Code), 4, ErrLimit, maxInstructions, "instructions")
	fixed(c, &p.Code, n)
	fixed(c, &p.Pos, n)
	for i := range p.Code {
		c.instr(&p.Code[i])
		c.pos(&p.Pos[i])
	}
	items(c, &p.Outputs, 5, "outputs", func(o *Output) {
		c.register(&o.Reg)
		enum(c, &o.Form, int(ir.NodeIndex)+1, "form")
		c.string(&o.Name, "an output's name")
		c.pos(&o.Pos)
	})
	at := 0
	items(c, &p.Stmts, 4, "statements", func(s *Stmt) {
		c.string(&s.Name, "a statement's name")
		c.pos(&s.Pos)
		n := s.To - s.From
		uvarint(c, &n, len(p.Code)-at, "instructions of a statement")
		if !c.writes {
			s.From, s.To = at, at+n
		}
		at += n
	})
	c.strings(&p.Labels, "labels")
	for _, d := range c.shared {
		if d.Labels = p.Labels; d.Labels == nil {
			d.Labels = []string{}
		}
	}
}

// reg packs rank, kind and layout, which need 4, 2 and 2 bits, into a byte. The kind
// after the last is a real that is far, and, alone, the fifth layout, that of tables.
// What is read is checked, because constants are read by it.
func (c *coder) reg(r *Reg) {
	start, s, kind := c.at, r.Shape, r.Kind
	if r.Far {
		kind++
	}
	b := byte(s.Rank()) | byte(kind)<<4 | byte(r.Layout)<<6
	if r.Layout == tensor.Rows {
		b = ofTables
	}
	enum(c, &b, 256, "a register")
	if b == ofTables {
		c.columns(&r.Columns)
		uvarint(c, &r.NNZ, math.MaxInt, "rows")
		if !c.writes {
			r.Layout = tensor.Rows
		}
		return
	}
	rank := int(b & 15)
	if rank > tensor.MaxRank {
		c.fail(ErrDamaged, start, "rank "+strconv.Itoa(rank), "at most "+strconv.Itoa(tensor.MaxRank))
		return
	}
	var dims [tensor.MaxRank]int
	for d := range rank {
		dims[d] = s.Dim(d)
		uvarint(c, &dims[d], maxDim, "size")
	}
	if tensor.Layout(b>>6) == tensor.Sparse {
		uvarint(c, &r.NNZ, math.MaxInt32, "entries")
	}
	if c.writes || c.err != nil {
		return
	}
	kind = tensor.Kind(b >> 4 & 3)
	r.Type, r.Layout = tensor.Type{Kind: min(kind, tensor.Real), Far: kind > tensor.Real, Shape: tensor.ShapeOf(dims[:rank]...)}, tensor.Layout(b>>6)
	if err := checkReg(r); err != nil {
		c.fail(ErrDamaged, start, err.Error(), "a register")
	}
}

// constant is the value of a register, whose shape and layout have been read already, so only the
// contents follow.
func (c *coder) constant(k *Const) {
	c.register(&k.Reg)
	v := &k.Value
	enum(c, &v.Kind, int(tensor.Real)+1, "kind")
	if c.err != nil {
		return
	}
	r := &c.regs[k.Reg]
	if !c.writes {
		v.Shape, v.Far, v.Layout = r.Shape, r.Far, r.Layout
	}
	switch r.Layout {
	case tensor.Dense:
		c.floats(&v.F, r.Shape.Elems())
	case tensor.Packed:
		if rows, cols := r.Shape.Matrix(); !c.writes {
			v.Bits = tensor.Bits{Rows: rows, Cols: cols, Stride: tensor.Words(cols)}
		}
		same := func(x uint64) uint64 { return x }
		words(c, &v.Bits.W, r.Words(), "words of bits", same, same)
	case tensor.Sparse:
		c.csr(&v.CSR, r)
	case tensor.Parts:
		n := r.Shape.Dim(0)
		if !c.room(n, "parts") {
			return
		}
		if !c.writes {
			v.Part = make([]int32, n)
		}
		for i := range v.Part {
			uvarint(c, &v.Part[i], n-1, "part")
		}
	case tensor.Rows:
		if !c.writes {
			v.Table = &tensor.Table{Columns: r.Columns}
		}
		c.table(v.Table)
	}
}

// csr is each row as its length and the gaps between its columns, most of which
// fit in a byte.
func (c *coder) csr(a *tensor.CSR, r *Reg) {
	nnz := c.length(a.NNZ(), 1, ErrDamaged, r.NNZ, "entries")
	if !c.writes {
		a.Rows, a.Cols = r.Shape.Dim(0), r.Shape.Dim(1)
		if !c.room(a.Rows, "rows") {
			return
		}
		a.Ptr, a.Idx = make([]int32, a.Rows+1), make([]int32, nnz)
	}
	at := 0
	for i := range a.Rows {
		n := int(a.Ptr[i+1]) - at
		uvarint(c, &n, nnz-at, "entries of a row")
		row := a.Idx[at : at+n]
		at += n
		if !c.writes {
			a.Ptr[i+1] = int32(at)
		}
		next := 0
		for k := range row {
			if next == a.Cols {
				c.fail(ErrDamaged, c.at, "a column past the last", "the end of the row")
				return
			}
			gap := int(row[k]) - next
			uvarint(c, &gap, a.Cols-next-1, "gap")
			next += gap + 1
			if !c.writes {
				row[k] = int32(next - 1)
			}
		}
	}
	if at != nnz {
		c.fail(ErrDamaged, c.at, fmt.Sprintf("%d entries in the rows", at), strconv.Itoa(nnz))
	}
	if r.Kind != tensor.Bool {
		c.floats(&a.Val, uint64(nnz))
	}
}

// input packs the limits of whole numbers into one byte: twice the bytes of the magnitude, plus 1
// if none is negative.
func (c *coder) input(in *Input) {
	c.register(&in.Reg)
	c.string(&in.Name, "an input's name")
	kind, limits := uint8(slices.Index(inputKinds, in.Kind)), uint8(2*in.Bytes)
	if in.NonNeg {
		limits++
	}
	if c.writes && int(kind) >= len(inputKinds) {
		c.err = fmt.Errorf("code: input %q has the unknown kind %q", in.Name, in.Kind)
	}
	enum(c, &kind, len(inputKinds), "kind of input")
	enum(c, &limits, 16, "limits of an input")
	if !c.writes {
		in.Kind, in.Bytes, in.NonNeg = inputKinds[kind], int(limits/2), limits%2 == 1
	}
}

// instr is an instruction with the attributes that its operation has. The signature says how many
// registers there are and whether one is a result, so their number is written only where it
// varies.
func (c *coder) instr(in *Instr) {
	enum(c, &in.Op, int(MaxOp), "operation")
	if c.err != nil {
		return
	}
	s, has := &sigs()[in.Op], table[in.Op].attrs
	if s.result != nil {
		c.register(&in.Dst)
	} else if !c.writes {
		in.Dst = -1
	}
	n := len(s.args)
	if s.more {
		n = c.length(len(in.Args), 1, ErrDamaged, math.MaxInt, "arguments")
	}
	fixed(c, &in.Args, n)
	for i := range in.Args {
		c.register(&in.Args[i])
	}
	if has&hasSpec != 0 {
		if !c.writes {
			in.Spec = &op.Spec{In: make([][]uint8, n)}
		}
		for i := range in.Spec.In {
			text(c, &in.Spec.In[i], "indexes")
		}
		text(c, &in.Spec.Out, "indexes")
		c.ints(&in.Spec.Size, maxDim, "size")
	}
	// Whether these numbers mean anything is for Verify to say.
	if has&hasFn != 0 {
		enum(c, &in.Fn, 256, "a function")
	}
	if has&hasFold != 0 {
		enum(c, &in.Fold, 256, "a fold")
	}
	if has&hasLogic != 0 {
		enum(c, &in.Logic, 256, "a logic operation")
	}
	if has&hasWalk != 0 {
		enum(c, &in.Walk, 256, "a walk")
	}
	if has&hasAxes != 0 {
		c.ints(&in.Axes, tensor.MaxRank-1, "axis")
	}
	if has&hasMicro != 0 {
		if !c.writes {
			in.Micro = &Micro{}
		}
		c.micro(in.Micro, n)
	}
	if has&hasRules != 0 {
		if !c.writes {
			in.Rules = &rel.Program{}
		}
		c.rules(in.Rules)
		fixed(c, &in.Results, len(in.Rules.Results))
		for i := range in.Results {
			c.register(&in.Results[i])
		}
	}
}

// micro is an elementwise program of some operands, each with a stride for each axis. The room
// for all strides is checked at once, as two small numbers could ask for much memory.
func (c *coder) micro(m *Micro, operands int) {
	c.ints(&m.Shape, maxDim, "size")
	if !c.room(operands*len(m.Shape), "strides") {
		return
	}
	fixed(c, &m.Strides, operands)
	for k := range m.Strides {
		if !c.writes {
			m.Strides[k] = make([]int, len(m.Shape))
		}
		for i := range m.Strides[k] {
			uvarint(c, &m.Strides[k][i], math.MaxInt, "stride")
		}
	}
	items(c, &m.Code, 5, "steps", func(x *op.Micro) {
		enum(c, &x.Fn, 256, "step")
		for _, r := range [...]*uint8{&x.Dst, &x.A, &x.B, &x.C} {
			enum(c, r, 256, "step")
		}
	})
	if n := c.length(len(m.Consts), 8, ErrDamaged, math.MaxInt, "numbers"); n > 0 {
		c.floats(&m.Consts, uint64(n))
	}
	uvarint(c, &m.Folds, len(m.Shape), "folded axes")
	enum(c, &m.Fold, 256, "a fold")
}
