package code

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"

	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/tensor"
)

// The binary form of a program is
//
//	Magic  version  registers  constants  inputs  instructions
//	outputs  statements  labels  checksum
//
// Numbers are uvarints of the shortest length, strings and lists have their
// length in front, and float64s and words of bits lie in 8 bytes, little end
// first. What verification makes certain is not written: a constant has the
// shape and layout of its register, a statement starts where the last one
// ended, and an instruction has only the attributes that its operation uses. So
// a program has one binary form, and no form is of two programs.

// Magic is how every bytecode file starts. Its first byte is no text, so that no
// program starts like it.
const Magic = "\x7fEIN"

// Version is the version of the binary form, the only one that Unmarshal reads.
// It must be incremented whenever the form changes, or the numbering of anything
// stored by number: operations, scalar functions, folds, walks, kinds, layouts.
const Version = 2

// Limits bound what a file may make Unmarshal do; it uses at most about a
// hundred bytes of memory for each byte of the file, mostly far fewer. A zero (or negative) value means
// the default; nothing is ever unlimited.
type Limits struct {
	Bytes        int // of the file; default 64 MiB
	Registers    int // default 1 million
	Instructions int // default 1 million
}

// The default limits.
const (
	DefaultBytes        = 64 << 20
	DefaultRegisters    = 1 << 20
	DefaultInstructions = 1 << 20
)

func (l Limits) withDefaults() Limits {
	set := func(p *int, value int) {
		if *p <= 0 {
			*p = value
		}
	}
	set(&l.Bytes, DefaultBytes)
	set(&l.Registers, DefaultRegisters)
	set(&l.Instructions, DefaultInstructions)
	return l
}

// What the errors of Unmarshal wrap.
var (
	ErrMagic   = errors.New("not an Ein bytecode file")
	ErrVersion = errors.New("bytecode of another version")
	ErrLimit   = errors.New("bytecode past a limit")
	ErrDamaged = errors.New("damaged bytecode")
)

// FormatError is the first place where bytes are not those of a program.
type FormatError struct {
	Err             error // ErrMagic, ErrVersion, ErrLimit or ErrDamaged
	Offset          int   // in bytes, from the start of the file
	Found, Expected string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%v: byte %d: found %s, expected %s", e.Err, e.Offset, e.Found, e.Expected)
}

// Unwrap is the class of the error.
func (e *FormatError) Unwrap() error { return e.Err }

// inputKinds are the kinds of inputs in the order of their numbers.
var inputKinds = [...]string{"graph", "matrix", "vector", "scalar"}

func castagnoli(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// MarshalBinary is the binary form of a well-formed program. Equal programs
// have equal forms.
func (p *Program) MarshalBinary() ([]byte, error) {
	if err := Verify(p); err != nil {
		return nil, err
	}
	var e encoder
	e.b = append(e.b, Magic...)
	e.int(Version)
	e.int(len(p.Regs))
	for i := range p.Regs {
		e.reg(&p.Regs[i])
	}
	e.int(len(p.Consts))
	for i := range p.Consts {
		e.int(p.Consts[i].Reg)
		e.value(&p.Consts[i].Value)
	}
	e.int(len(p.Inputs))
	for _, in := range p.Inputs {
		if err := e.input(in); err != nil {
			return nil, err
		}
	}
	e.int(len(p.Code))
	for i := range p.Code {
		e.instr(&p.Code[i])
		e.pos(p.Pos[i])
	}
	e.int(len(p.Outputs))
	for _, o := range p.Outputs {
		e.int(o.Reg)
		e.byte(byte(o.Form))
		e.string(o.Name)
		e.pos(o.Pos)
	}
	e.int(len(p.Stmts))
	for _, s := range p.Stmts {
		e.string(s.Name)
		e.pos(s.Pos)
		e.int(s.To - s.From)
	}
	e.strings(p.Labels)
	return binary.LittleEndian.AppendUint32(e.b, castagnoli(e.b)), nil
}

// encoder writes what Verify has accepted, so no number is negative.
type encoder struct{ b []byte }

func (e *encoder) byte(x byte)  { e.b = append(e.b, x) }
func (e *encoder) int(x int)    { e.b = binary.AppendUvarint(e.b, uint64(x)) }
func (e *encoder) pos(p ir.Pos) { e.int(int(p.Start)); e.int(int(p.End - p.Start)) }

func (e *encoder) string(s string) {
	e.int(len(s))
	e.b = append(e.b, s...)
}

// strings writes the lengths first, so that a reader can make one string of
// the text and cut it.
func (e *encoder) strings(list []string) {
	e.int(len(list))
	for _, s := range list {
		e.int(len(s))
	}
	for _, s := range list {
		e.b = append(e.b, s...)
	}
}

func (e *encoder) ints(list []int) {
	e.int(len(list))
	for _, x := range list {
		e.int(x)
	}
}

func (e *encoder) indexes(list []uint8) {
	e.int(len(list))
	e.b = append(e.b, list...)
}

func (e *encoder) floats(list []float64) {
	for _, x := range list {
		e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(x))
	}
}

// reg packs rank, kind and layout, which need 4, 2 and 2 bits, into a byte.
func (e *encoder) reg(r *Reg) {
	e.byte(byte(r.Shape.Rank()) | byte(r.Kind)<<4 | byte(r.Layout)<<6)
	for d := range r.Shape.Rank() {
		e.int(r.Shape.Dim(d))
	}
	if r.Layout == tensor.Sparse {
		e.int(r.NNZ)
	}
}

func (e *encoder) value(v *tensor.Value) {
	e.byte(byte(v.Kind))
	switch v.Layout {
	case tensor.Dense:
		e.floats(v.F)
	case tensor.Packed:
		for _, w := range v.Bits.W {
			e.b = binary.LittleEndian.AppendUint64(e.b, w)
		}
	case tensor.Sparse:
		e.csr(&v.CSR)
	case tensor.Parts:
		for _, x := range v.Part {
			e.int(int(x))
		}
	}
}

// csr writes each row as its length and the gaps between its columns, most of
// which fit in a byte.
func (e *encoder) csr(c *tensor.CSR) {
	e.int(c.NNZ())
	for i := range c.Rows {
		row := c.Row(i)
		e.int(len(row))
		next := 0
		for _, j := range row {
			e.int(int(j) - next)
			next = int(j) + 1
		}
	}
	e.floats(c.Val)
}

func (e *encoder) input(in Input) error {
	e.int(in.Reg)
	e.string(in.Name)
	for k, kind := range inputKinds {
		if in.Kind == kind {
			e.byte(byte(k))
			e.byte(byte(2 * in.Bytes))
			if in.NonNeg {
				e.b[len(e.b)-1]++
			}
			return nil
		}
	}
	return fmt.Errorf("code: input %q has the unknown kind %q", in.Name, in.Kind)
}

func (e *encoder) instr(in *Instr) {
	row := &sigs[in.Op]
	e.byte(byte(in.Op))
	if row.result != nil {
		e.int(in.Dst)
	}
	if row.more {
		e.int(len(in.Args))
	}
	for _, a := range in.Args {
		e.int(a)
	}
	has := table[in.Op].attrs
	if has&hasSpec != 0 {
		for _, ids := range in.Spec.In {
			e.indexes(ids)
		}
		e.indexes(in.Spec.Out)
		e.ints(in.Spec.Size)
	}
	if has&hasFn != 0 {
		e.byte(byte(in.Fn))
	}
	if has&hasFold != 0 {
		e.byte(byte(in.Fold))
	}
	if has&hasLogic != 0 {
		e.byte(byte(in.Logic))
	}
	if has&hasWalk != 0 {
		e.byte(byte(in.Walk))
	}
	if has&hasAxes != 0 {
		e.ints(in.Axes)
	}
	if has&hasMicro != 0 {
		e.micro(in.Micro)
	}
}

func (e *encoder) micro(m *Micro) {
	e.ints(m.Shape)
	for _, strides := range m.Strides {
		for _, s := range strides {
			e.int(s)
		}
	}
	e.int(len(m.Code))
	for _, c := range m.Code {
		e.b = append(e.b, byte(c.Fn), c.Dst, c.A, c.B, c.C)
	}
	e.int(len(m.Consts))
	e.floats(m.Consts)
	e.int(m.Folds)
	e.byte(byte(m.Fold))
}

// Unmarshal reads a program and verifies it. The bytes may come from anyone:
// they are never trusted, not even to say how much memory they need. Errors
// wrap ErrMagic, ErrVersion, ErrLimit or ErrDamaged.
func Unmarshal(data []byte, limit Limits) (*Program, error) {
	limit = limit.withDefaults()
	d := decoder{data: data, limit: limit}
	if d.frame(); d.err != nil {
		return nil, d.err
	}
	p := d.program()
	if d.err == nil && d.at != len(d.data) {
		d.fail(ErrDamaged, d.at, count(len(d.data)-d.at, "more byte"), "the checksum")
	}
	if d.err != nil {
		return nil, d.err
	}
	if err := Verify(p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return p, nil
}

// decoder keeps the first error; from then on all it reads is 0 or empty, so
// that its callers need not look after every number.
type decoder struct {
	data  []byte
	at    int
	limit Limits
	regs  []Reg
	err   error
}

func (d *decoder) fail(class error, at int, found, expected string) {
	if d.err == nil {
		d.err = &FormatError{Err: class, Offset: at, Found: found, Expected: expected}
	}
	d.data, d.at = nil, 0
}

// frame checks everything around the program: magic, version and checksum.
func (d *decoder) frame() {
	if len(d.data) > d.limit.Bytes {
		d.fail(ErrLimit, d.limit.Bytes, "a file of "+count(len(d.data), "byte"), "at most "+strconv.Itoa(d.limit.Bytes))
		return
	}
	if start := d.data[:min(len(d.data), len(Magic))]; string(start) != Magic {
		d.fail(ErrMagic, 0, strconv.Quote(string(start)), strconv.Quote(Magic))
		return
	}
	d.at = len(Magic)
	// The version comes before the checksum, which another version may not have.
	if v := d.uint(math.MaxUint64, "version"); d.err == nil && v != Version {
		d.fail(ErrVersion, len(Magic), "version "+strconv.FormatUint(v, 10),
			fmt.Sprintf("version %d, the one that this program reads", Version))
	}
	end := len(d.data) - crc32.Size
	if d.err == nil && end < d.at {
		d.fail(ErrDamaged, len(d.data), "the end of the file", "a program and its checksum")
	}
	if d.err != nil {
		return
	}
	sum, want := binary.LittleEndian.Uint32(d.data[end:]), castagnoli(d.data[:end])
	if sum != want {
		d.fail(ErrDamaged, end, fmt.Sprintf("checksum %08x", sum), fmt.Sprintf("%08x", want))
		return
	}
	d.data = d.data[:end]
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func (d *decoder) left() int { return len(d.data) - d.at }

func (d *decoder) byte(what string) byte {
	if d.left() < 1 {
		d.fail(ErrDamaged, d.at, "the end of the file", what)
		return 0
	}
	d.at++
	return d.data[d.at-1]
}

// uint reads a number of at most limit.
func (d *decoder) uint(limit uint64, what string) uint64 {
	start := d.at
	x, n := binary.Uvarint(d.data[start:])
	switch {
	case n == 0:
		d.fail(ErrDamaged, start, "the end of the file", what)
	case n < 0:
		d.fail(ErrDamaged, start, "a number of more than 64 bits", what)
	case n > 1 && d.data[start+n-1] == 0:
		d.fail(ErrDamaged, start, "a number with needless bytes", what)
	case x > limit:
		d.fail(ErrDamaged, start, what+" "+strconv.FormatUint(x, 10), "at most "+strconv.FormatUint(limit, 10))
	default:
		d.at += n
		return x
	}
	return 0
}

func (d *decoder) int(limit int, what string) int { return int(d.uint(uint64(limit), what)) }

// count reads how many items follow, each of at least size bytes. A number that
// the bytes left cannot hold is an error here, before anyone allocates for it.
func (d *decoder) count(size int, what string) int {
	start := d.at
	n := d.uint(math.MaxUint64, "the number of "+what)
	if most := uint64(d.left() / size); n > most {
		d.fail(ErrDamaged, start, strconv.FormatUint(n, 10)+" "+what,
			"at most "+strconv.FormatUint(most, 10)+" in the bytes left")
		return 0
	}
	return int(n)
}

// limited is count with a limit; class is the error of passing it.
func (d *decoder) limited(class error, size, limit int, what string) int {
	start := d.at
	n := d.count(size, what)
	if n > limit {
		d.fail(class, start, strconv.Itoa(n)+" "+what, "at most "+strconv.Itoa(limit))
		return 0
	}
	return n
}

// room reports whether the bytes left can hold n items.
func (d *decoder) room(n int, what string) bool {
	if n > d.left() {
		d.fail(ErrDamaged, d.at, count(d.left(), "byte"), fmt.Sprintf("%d %s", n, what))
	}
	return d.err == nil
}

// take is the next n items of size bytes.
func (d *decoder) take(n uint64, size int, what string) []byte {
	if n > uint64(d.left()/size) {
		d.fail(ErrDamaged, d.at, count(d.left(), "byte"), fmt.Sprintf("%d %s of %s", n, what, count(size, "byte")))
		return nil
	}
	b := d.data[d.at : d.at+int(n)*size]
	d.at += len(b)
	return b
}

func (d *decoder) string(what string) string {
	n := d.count(1, "bytes of "+what)
	return string(d.take(uint64(n), 1, what))
}

func (d *decoder) strings(what string) []string {
	n := d.count(1, what)
	if n == 0 {
		return nil
	}
	size := make([]int, n)
	total := 0
	for i := range size {
		size[i] = d.int(max(d.left()-total, 0), "length")
		total += size[i]
	}
	text := string(d.take(uint64(total), 1, what))
	if d.err != nil {
		return nil
	}
	list := make([]string, n)
	for i, k := range size {
		list[i], text = text[:k], text[k:]
	}
	return list
}

func (d *decoder) ints(limit int, what string) []int {
	n := d.count(1, what)
	if n == 0 {
		return nil
	}
	list := make([]int, n)
	for i := range list {
		list[i] = d.int(limit, what)
	}
	return list
}

func (d *decoder) indexes() []uint8 {
	n := d.count(1, "indexes")
	return append([]uint8(nil), d.take(uint64(n), 1, "indexes")...)
}

func (d *decoder) floats(n uint64) []float64 {
	b := d.take(n, 8, "numbers")
	list := make([]float64, len(b)/8)
	for i := range list {
		list[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return list
}

func (d *decoder) pos() ir.Pos {
	start := d.int(math.MaxInt32, "source position")
	end := start + d.int(math.MaxInt32-start, "source length")
	return ir.Pos{Start: int32(start), End: int32(end)}
}

// register reads the number of a register.
func (d *decoder) register() int {
	if len(d.regs) == 0 {
		d.fail(ErrDamaged, d.at, "a register", "none: the program has no registers")
		return 0
	}
	return d.int(len(d.regs)-1, "register")
}

// The least bytes that each thing takes.
const (
	regBytes    = 1
	constBytes  = 2
	inputBytes  = 4
	instrBytes  = 4
	outputBytes = 5
	stmtBytes   = 4
)

func (d *decoder) program() *Program {
	p := &Program{}
	p.Regs = list[Reg](d.limited(ErrLimit, regBytes, d.limit.Registers, "registers"))
	for i := range p.Regs {
		p.Regs[i] = d.reg()
	}
	d.regs = p.Regs
	// Every register is written once.
	p.Consts = list[Const](d.limited(ErrDamaged, constBytes, len(p.Regs), "constants"))
	for i := range p.Consts {
		p.Consts[i] = d.constant()
	}
	p.Inputs = list[Input](d.limited(ErrDamaged, inputBytes, len(p.Regs), "inputs"))
	for i := range p.Inputs {
		in := Input{Reg: d.register(), Name: d.string("an input's name")}
		in.Kind = inputKinds[d.enum(len(inputKinds), "kind of input")]
		limits := d.enum(16, "limits of an input")
		in.Bytes, in.NonNeg = int(limits/2), limits%2 == 1
		p.Inputs[i] = in
	}
	n := d.limited(ErrLimit, instrBytes, d.limit.Instructions, "instructions")
	p.Code, p.Pos = list[Instr](n), list[ir.Pos](n)
	for i := range p.Code {
		p.Code[i] = d.instr()
		p.Pos[i] = d.pos()
	}
	p.Outputs = list[Output](d.count(outputBytes, "outputs"))
	for i := range p.Outputs {
		o := Output{Reg: d.register(), Form: ir.Form(d.enum(int(ir.NodeIndex)+1, "form"))}
		o.Name, o.Pos = d.string("an output's name"), d.pos()
		p.Outputs[i] = o
	}
	p.Stmts = list[Stmt](d.count(stmtBytes, "statements"))
	at := 0
	for i := range p.Stmts {
		s := Stmt{Name: d.string("a statement's name"), Pos: d.pos(), From: at}
		at += d.int(len(p.Code)-at, "instructions of a statement")
		s.To = at
		p.Stmts[i] = s
	}
	p.Labels = d.strings("labels")
	return p
}

// list makes a slice, nil when it is empty: as a program has it that never
// was in a file.
func list[T any](n int) []T {
	if n == 0 {
		return nil
	}
	return make([]T, n)
}

// enum reads a byte below n.
func (d *decoder) enum(n int, what string) byte {
	start := d.at
	x := d.byte(what)
	if int(x) >= n {
		d.fail(ErrDamaged, start, what+" "+strconv.Itoa(int(x)), "at most "+strconv.Itoa(n-1))
		return 0
	}
	return x
}

// reg reads a register and checks it, because constants are read by it.
func (d *decoder) reg() Reg {
	start := d.at
	b := d.byte("a register")
	r := Reg{Type: tensor.Type{Kind: tensor.Kind(b >> 4 & 3)}, Layout: tensor.Layout(b >> 6)}
	rank := int(b & 15)
	if rank > tensor.MaxRank {
		d.fail(ErrDamaged, start, "rank "+strconv.Itoa(rank), "at most "+strconv.Itoa(tensor.MaxRank))
		return r
	}
	for range rank {
		r.Shape = r.Shape.Append(d.int(maxDim, "size"))
	}
	if r.Layout == tensor.Sparse {
		r.NNZ = d.int(math.MaxInt32, "entries")
	}
	if d.err == nil {
		if err := checkReg(&r); err != nil {
			d.fail(ErrDamaged, start, err.Error(), "a register")
		}
	}
	return r
}

func (d *decoder) constant() Const {
	c := Const{Reg: d.register()}
	kind := tensor.Kind(d.enum(int(tensor.Real)+1, "kind"))
	if d.err != nil {
		return c
	}
	r := &d.regs[c.Reg]
	v := tensor.Value{Type: tensor.Type{Kind: kind, Shape: r.Shape}, Layout: r.Layout}
	switch r.Layout {
	case tensor.Dense:
		v.F = d.floats(r.Shape.Elems())
	case tensor.Packed:
		v.Bits = d.bits(r.Shape)
	case tensor.Sparse:
		v.CSR = d.csr(r)
	case tensor.Parts:
		v.Part = d.parts(r.Shape.Dim(0))
	}
	c.Value = v
	return c
}

func (d *decoder) bits(s tensor.Shape) tensor.Bits {
	rows, cols := 1, s.Dim(0)
	if s.Rank() == 2 {
		rows, cols = cols, s.Dim(1)
	}
	b := tensor.Bits{Rows: rows, Cols: cols, Stride: tensor.Words(cols)}
	raw := d.take(tensor.SatMul(uint64(rows), uint64(b.Stride)), 8, "words of bits")
	b.W = make([]uint64, len(raw)/8)
	for i := range b.W {
		b.W[i] = binary.LittleEndian.Uint64(raw[8*i:])
	}
	return b
}

func (d *decoder) csr(r *Reg) tensor.CSR {
	c := tensor.CSR{Rows: r.Shape.Dim(0), Cols: r.Shape.Dim(1)}
	nnz := d.limited(ErrDamaged, 1, r.NNZ, "entries")
	if !d.room(c.Rows, "rows") {
		return c
	}
	c.Ptr, c.Idx = make([]int32, c.Rows+1), make([]int32, nnz)
	at := 0
	for i := range c.Rows {
		row := c.Idx[at : at+d.int(nnz-at, "entries of a row")]
		at += len(row)
		c.Ptr[i+1] = int32(at)
		next := 0
		for k := range row {
			if next == c.Cols {
				d.fail(ErrDamaged, d.at, "a column past the last", "the end of the row")
				return c
			}
			next += d.int(c.Cols-next-1, "gap")
			row[k] = int32(next)
			next++
		}
	}
	if at != nnz {
		d.fail(ErrDamaged, d.at, fmt.Sprintf("%d entries in the rows", at), strconv.Itoa(nnz))
	}
	if r.Kind != tensor.Bool {
		c.Val = d.floats(uint64(nnz))
	}
	return c
}

func (d *decoder) parts(n int) []int32 {
	if !d.room(n, "parts") {
		return nil
	}
	part := make([]int32, n)
	for i := range part {
		part[i] = int32(d.int(n-1, "part"))
	}
	return part
}

func (d *decoder) instr() Instr {
	in := Instr{Op: Op(d.enum(int(MaxOp), "operation")), Dst: -1}
	if d.err != nil {
		return in
	}
	row := &sigs[in.Op]
	if row.result != nil {
		in.Dst = d.register()
	}
	n := len(row.args)
	if row.more {
		n = d.count(1, "arguments")
	}
	in.Args = make([]int, n)
	for i := range in.Args {
		in.Args[i] = d.register()
	}
	has := table[in.Op].attrs
	if has&hasSpec != 0 {
		in.Spec = &op.Spec{In: make([][]uint8, n)}
		for i := range in.Spec.In {
			in.Spec.In[i] = d.indexes()
		}
		in.Spec.Out = d.indexes()
		in.Spec.Size = d.ints(maxDim, "size")
	}
	// Whether these numbers mean anything is for Verify to say.
	if has&hasFn != 0 {
		in.Fn = op.Fn(d.byte("a function"))
	}
	if has&hasFold != 0 {
		in.Fold = op.Fold(d.byte("a fold"))
	}
	if has&hasLogic != 0 {
		in.Logic = LogicOp(d.byte("a logic operation"))
	}
	if has&hasWalk != 0 {
		in.Walk = op.WalkMode(d.byte("a walk"))
	}
	if has&hasAxes != 0 {
		in.Axes = d.ints(tensor.MaxRank-1, "axis")
	}
	if has&hasMicro != 0 {
		in.Micro = d.micro(n)
	}
	return in
}

func (d *decoder) micro(operands int) *Micro {
	const instr = 5 // bytes
	m := &Micro{Shape: d.ints(maxDim, "size")}
	if !d.room(operands*len(m.Shape), "strides") {
		return m
	}
	m.Strides = make([][]int, operands)
	for k := range m.Strides {
		m.Strides[k] = make([]int, len(m.Shape))
		for i := range m.Strides[k] {
			m.Strides[k][i] = d.int(math.MaxInt, "stride")
		}
	}
	m.Code = list[op.Micro](d.count(instr, "steps"))
	for i := range m.Code {
		if b := d.take(1, instr, "step"); d.err == nil {
			m.Code[i] = op.Micro{Fn: op.Fn(b[0]), Dst: b[1], A: b[2], B: b[3], C: b[4]}
		}
	}
	if n := d.count(8, "numbers"); n > 0 {
		m.Consts = d.floats(uint64(n))
	}
	m.Folds = d.int(len(m.Shape), "folded axes")
	m.Fold = op.Fold(d.byte("a fold"))
	return m
}
