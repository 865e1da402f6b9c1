package code

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ein/internal/golden"
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/tensor"
)

func TestRoundTrip(t *testing.T) {
	for i, p := range corpus() {
		data := mustMarshal(t, p)
		q, err := Unmarshal(data)
		if err != nil {
			t.Errorf("program %d: %v\n%s", i, err, Disassemble(p, nil))
			continue
		}
		normal(p)
		normal(q)
		if !reflect.DeepEqual(p, q) {
			t.Errorf("program %d:\n%s\ncame back as\n%s", i, Disassemble(p, nil), Disassemble(q, nil))
		}
		if again := mustMarshal(t, q); !bytes.Equal(data, again) {
			t.Errorf("program %d has two forms:\n%x\n%x", i, data, again)
		}
	}
}

// normal makes empty slices within instructions nil, because DeepEqual tells
// them apart.
func normal(p *Program) {
	for i := range p.Code {
		in := &p.Code[i]
		if in.Spec != nil {
			for k, ids := range in.Spec.In {
				in.Spec.In[k] = append([]uint8(nil), ids...)
			}
			in.Spec.Out = append([]uint8(nil), in.Spec.Out...)
		}
		if in.Micro != nil {
			in.Micro.Shape = append([]int(nil), in.Micro.Shape...)
		}
	}
}

// The attributes that an operation does not use are no part of the program.
func TestUnusedAttributes(t *testing.T) {
	p := single(CountAll, "b3,4 -> d", Attr{})
	want := mustMarshal(t, p)
	p.Code[0].Attr = Attr{Spec: spec("i->i", 3), Fn: 9, Fold: 9, Logic: 9, Walk: 9, Axes: []int{-1}, Micro: &Micro{}}
	p.Regs[0].NNZ = 77
	if got := mustMarshal(t, p); !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

func TestMarshalRefuses(t *testing.T) {
	p := everyLayout()
	p.Outputs[0].Reg = -1
	if _, err := p.MarshalBinary(); err == nil {
		t.Error("a malformed program was written")
	}
	p = everyLayout()
	p.Inputs[2].Kind = "table"
	_, err := p.MarshalBinary()
	wantError(t, "kind", err, `input "in2" has the unknown kind "table"`)
}

// seal gives the body of a file its frame.
func seal(body []byte) []byte {
	data := append([]byte(Magic), Version)
	data = append(data, body...)
	return binary.LittleEndian.AppendUint32(data, castagnoli(data))
}

// body is a file without its frame.
func body(data []byte) []byte { return data[len(Magic)+1 : len(data)-4] }

func TestFrame(t *testing.T) {
	good := mustMarshal(t, everyLayout())
	for _, c := range []struct {
		name   string
		data   []byte
		class  error
		offset int
		msg    string
	}{
		{"nothing", nil, ErrMagic, 0, `not an Ein bytecode file: byte 0: found "", expected "\x7fEIN"`},
		{"short", []byte("EIN"), ErrMagic, 0, `not an Ein bytecode file: byte 0: found "EIN", expected "\x7fEIN"`},
		{"source", []byte("Result = 1\n"), ErrMagic, 0, `not an Ein bytecode file: byte 0: found "Resu", expected "\x7fEIN"`},
		{"no version", []byte(Magic), ErrDamaged, 4, "damaged bytecode: byte 4: found the end of the file, expected version"},
		{"version", []byte(Magic + "\x7f and so on"), ErrVersion, 4,
			fmt.Sprintf("bytecode of another version: byte 4: found version 127, expected version %d, the one that this program reads", Version)},
		{"long version", []byte(Magic + "\x81\x00 and so on"), ErrDamaged, 4, "damaged bytecode: byte 4: found a number with needless bytes, expected version"},
		{"no checksum", good[:8], ErrDamaged, 8, "damaged bytecode: byte 8: found the end of the file, expected a program and its checksum"},
		{"checksum", append(slices.Clone(good[:len(good)-1]), good[len(good)-1]^1), ErrDamaged, len(good) - 4, "expected"},
		{"cut", good[:len(good)-9], ErrDamaged, len(good) - 13, "found checksum"},
	} {
		_, err := Unmarshal(c.data)
		if !errors.Is(err, c.class) || !strings.Contains(err.Error(), fmt.Sprintf(": byte %d: ", c.offset)) || !strings.Contains(err.Error(), c.msg) {
			t.Errorf("%s: %v; want %v at %d: %s", c.name, err, c.class, c.offset, c.msg)
		}
	}
}

func TestLimits(t *testing.T) {
	file := func(sections string, n, size int) []byte {
		return seal(append(binary.AppendUvarint([]byte(sections), uint64(n)), make([]byte, size*n)...))
	}
	for _, c := range []struct {
		data []byte
		msg  string // "" for none of ErrLimit
	}{
		{make([]byte, MaxBytes+1), "found a file of 67108865 bytes, expected at most 67108864"},
		{make([]byte, MaxBytes), ""},
		{file("\x00", maxRegisters+1, 1), "found 1048577 registers, expected at most 1048576"},
		{file("\x00", maxRegisters, 1), ""},
		{file("\x00\x00\x00\x00", maxInstructions+1, 4), "found 1048577 instructions, expected at most 1048576"},
		{file("\x00\x00\x00\x00", maxInstructions, 4), ""},
	} {
		_, err := Unmarshal(c.data)
		if err == nil || errors.Is(err, ErrLimit) != (c.msg != "") {
			t.Errorf("%.80s: %v", c.msg, err)
		}
		wantError(t, "limit", err, c.msg)
	}
}

// Each of these is the body of a file behind its domains: what is before the place in question is
// as short as can be.
func TestMalformed(t *testing.T) {
	const (
		dense   = 2 << 4                                 // real
		bits    = 1 << 6                                 // bool
		csr     = 2 << 6                                 // bool
		weights = csr | 2<<4                             // real
		parts   = 3 << 6                                 // bool
		huge    = "\x80\x80\x80\x80\x80\x80\x80\x80\x40" // 2^62
	)
	b := func(parts ...any) string {
		var s strings.Builder
		for _, x := range parts {
			switch x := x.(type) {
			case int:
				s.Write(binary.AppendUvarint(nil, uint64(x)))
			case string:
				s.WriteString(x)
			}
		}
		return s.String()
	}
	raw := func(x ...byte) string { return string(x) }
	// A program of one dense scalar, and none of the things before.
	scalar := b(1, raw(dense))
	input := b(scalar, 0, 1, 0, 1, "x", 3, 0)
	instr := func(x ...any) string { return input + b(1) + b(x...) + strings.Repeat("\x00", 40) }
	for _, c := range []struct{ name, body, msg string }{
		{"empty", "", "byte 6: found the end of the file, expected the number of registers"},
		{"overflowing number", strings.Repeat("\xff", 11), "byte 6: found a number of more than 64 bits"},
		{"unfinished number", "\xff\xff", "found the end of the file, expected the number of registers"},
		{"needless bytes", "\x80\x00", "found a number with needless bytes"},
		{"registers", b(huge), "byte 6: found 4611686018427387904 registers, expected at most 0 in the bytes left"},
		{"rank", b(1, raw(dense|9), "xxxxxxxxxxx"), "byte 7: found rank 9, expected at most 8"},
		{"size", b(1, raw(dense|1), maxDim+1), "byte 8: found size 1073741825, expected at most 1073741824"},
		{"far bits", b(1, raw(1|3<<4|1<<6), 3), "byte 7: found layout 1 does not hold real 3"},
		{"layout", b(1, raw(bits)), "layout 1 does not hold bool scalar, expected a register"},
		{"entries of a register", b(1, raw(csr|2), 2, 2, 5), "layout 2 does not hold bool 2x2"},
		{"constants", b(scalar, 2, "xxxxxxxxx"), "found 2 constants, expected at most 1"},
		{"constant's register", b(scalar, 1, 1, 0), "found register 1, expected at most 0"},
		{"constant's kind", b(scalar, 1, 0, 3, "xxxxxxxx"), "found kind 3, expected at most 2"},
		{"dense constant", b(1, raw(dense|8), strings.Repeat(b(maxDim), 8), 1, 0, 2, "xxxxxxxx"),
			"found 8 bytes, expected 18446744073709551615 numbers of 8 bytes"},
		{"bits", b(1, raw(bits|2), maxDim, 64, 1, 0, 0, "xxxxxxxxx"), "found 9 bytes, expected 1073741824 words of bits of 8 bytes"},
		{"csr rows", b(1, raw(csr|2), maxDim, 64, 0, 1, 0, 0, 0, "x"), "found 1 byte, expected 1073741824 rows"},
		{"csr entries", b(1, raw(csr|2), 2, 2, 3, 1, 0, 0, 4, "xxxxxxx"), "found 4 entries, expected at most 3"},
		{"csr entries left", b(1, raw(csr|2), maxDim, maxDim, 1<<30, 1, 0, 0, 1<<30, "xxxxxxx"), "found 1073741824 entries, expected at most 7 in the bytes left"},
		{"csr row", b(1, raw(csr|2), 2, 2, 3, 1, 0, 0, 2, 3, 0, 0, 0), "found entries of a row 3, expected at most 2"},
		{"csr gap", b(1, raw(csr|2), 2, 2, 3, 1, 0, 0, 1, 1, 2, 0, 0), "found gap 2, expected at most 1"},
		{"csr row too long", b(1, raw(csr|2), 1, 2, 2, 1, 0, 0, 2, 2, 1, 0, 0), "found a column past the last"},
		{"csr rows too short", b(1, raw(csr|2), 2, 2, 3, 1, 0, 0, 2, 1, 0, 0, 0), "found 1 entries in the rows, expected 2"},
		{"csr weights", b(1, raw(weights|2), 1, 2, 2, 1, 0, 0, 1, 1, 0, 0, 0), "found 2 bytes, expected 1 numbers of 8 bytes"},
		{"parts", b(1, raw(parts|2), maxDim, maxDim, 1, 0, 0, "x"), "found 1 byte, expected 1073741824 parts"},
		{"part", b(1, raw(parts|2), 2, 2, 1, 0, 0, 0, 2), "found part 2, expected at most 1"},
		{"inputs", b(scalar, 0, 2, "xxxxxxxxx"), "found 2 inputs, expected at most 1"},
		{"kind of input", b(scalar, 0, 1, 0, 1, "x", 5), "found kind of input 5, expected at most 4"},
		{"limits of an input", b(scalar, 0, 1, 0, 1, "x", 3, 16), "found limits of an input 16, expected at most 15"},
		{"name", b(scalar, 0, 1, 0, huge, "xxxxxxxxx"), "4611686018427387904 bytes of an input's name, expected at most 9"},
		{"operation", instr(int(MaxOp)), fmt.Sprintf("found operation %d, expected at most %d", MaxOp, MaxOp-1)},
		{"arguments", instr(int(Einsum), 0, huge), "found 4611686018427387904 arguments"},
		{"argument", instr(int(CountAll), 0, 7), "found register 7, expected at most 0"},
		{"indexes", instr(int(Einsum), 0, 1, 0, huge), "found 4611686018427387904 indexes"},
		{"sizes", instr(int(Einsum), 0, 1, 0, 0, 0, huge), "found 4611686018427387904 size"},
		{"axes", instr(int(Reduce), 0, 0, 0, 1, 8), "found axis 8, expected at most 7"},
		{"shape", instr(int(Fused), 0, 1, 0, huge), "found 4611686018427387904 size"},
		{"strides", instr(int(Fused), 0, 40, strings.Repeat("\x00", 40), 30, strings.Repeat("\x01", 30)), "expected 1200 strides"},
		{"stride", instr(int(Fused), 0, 1, 0, 1, 1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "found stride 18446744073709551615"},
		{"steps", instr(int(Fused), 0, 1, 0, 0, 9), "found 9 steps, expected at most 8"},
		{"numbers", instr(int(Fused), 0, 1, 0, 0, 0, 6), "found 6 numbers, expected at most 5"},
		{"folded axes", instr(int(Fused), 0, 1, 0, 0, 0, 0, 1), "found folded axes 1, expected at most 0"},
		{"position", input + b(1, int(CheckInt), 0, math.MaxInt32+1, "xxxx"), "found source position 2147483648"},
		{"end of position", input + b(1, int(CheckInt), 0, math.MaxInt32, 1, "xxxx"), "found source length 1, expected at most 0"},
		{"form", b(scalar, 0, 0, 0, 1, 0, 4, 0, 0, 0), "found form 4, expected at most 3"},
		{"statement", b(scalar, 0, 0, 0, 0, 1, 0, 0, 0, 1), "found instructions of a statement 1, expected at most 0"},
		{"labels", b(scalar, 0, 0, 0, 0, 0, 9, "xxx"), "found 9 labels, expected at most 3 in the bytes left"},
		{"label", b(scalar, 0, 0, 0, 0, 0, 2, 2, 9, "xxx"), "found length 9"},
		{"text of labels", b(scalar, 0, 0, 0, 0, 0, 2, 2, 2, "xxx"), "found 3 bytes, expected 4 labels of 1 byte"},
		{"more", b(scalar, 0, 0, 0, 0, 0, 0, "xx"), "found 2 more bytes, expected the checksum"},
		{"no registers", b(0, 0, 0, 0, 1, 0, 0, 0, 0, 0), "found a register, expected none"},
		{"not verified", b(scalar, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0), "damaged bytecode: code: output 0: register 0 has no value"},
	} {
		p, err := Unmarshal(seal([]byte("\x00" + c.body)))
		if p != nil || !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, %v", c.name, p, err)
		}
		wantError(t, c.name, err, c.msg)
	}
}

// Whatever the bytes, Unmarshal gives an error, or a program that is well
// formed and has those bytes as its form; and it takes little memory.
func check(t *testing.T, data []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := Unmarshal(data)
	runtime.ReadMemStats(&after)
	// Generous, because other goroutines and the planning of instructions count.
	if used, most := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+1000*len(data)); used > most {
		t.Fatalf("%d bytes allocated for a file of %d", used, len(data))
	}
	if err != nil {
		return
	}
	if err := Verify(p); err != nil {
		t.Fatalf("not verified: %v", err)
	}
	if again := mustMarshal(t, p); !bytes.Equal(again, data) {
		t.Fatalf("%x has the form\n%x", data, again)
	}
	if Disassemble(p, nil) == "" {
		t.Fatal("no listing")
	}
}

// TestMutations changes and removes every byte of valid files, and mends the
// checksum, so that what is behind it is reached.
func TestMutations(t *testing.T) {
	for _, p := range corpus() {
		good := mustMarshal(t, p)
		for i := range good {
			data := slices.Clone(good)
			data[i] ^= 0x10
			if _, err := Unmarshal(data); err == nil {
				t.Fatalf("byte %d of %x may be changed", i, good)
			}
		}
		inner := body(good)
		for i := range inner {
			for _, mask := range []byte{1, 2, 4, 8, 16, 32, 64, 128, 255} {
				data := slices.Clone(inner)
				data[i] ^= mask
				check(t, seal(data))
			}
			check(t, seal(slices.Delete(slices.Clone(inner), i, i+1)))
			check(t, seal(slices.Insert(slices.Clone(inner), i, 0)))
			check(t, seal(inner[:i]))
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, p := range corpus() {
		f.Add(body(mustMarshal(f, p)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Unmarshal(data); err == nil && !bytes.HasPrefix(data, []byte(Magic)) {
			t.Fatal("accepted without magic")
		}
		check(t, seal(data))
	})
}

// TestNumbering fails when something that is stored by its number gets another
// one, or the form of a program changes: then Version must be incremented and
// the file rewritten with -update.
func TestNumbering(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "version %d\n", Version)
	list := func(what string, n int, name func(i int) any) {
		for i := range n {
			fmt.Fprintf(&b, "%s %d %v\n", what, i, name(i))
		}
	}
	list("op", int(MaxOp), func(i int) any { return Op(i) })
	list("fn", int(op.FnCheck)+1, func(i int) any { return op.Fn(i) })
	list("fold", int(op.FoldArgMin)+1, func(i int) any { return op.Fold(i) })
	list("logic", int(maxLogic), func(i int) any { return LogicOp(i) })
	list("kind", int(tensor.Real)+1, func(i int) any { return tensor.Kind(i) })
	list("layout", int(tensor.Parts)+1, func(i int) any { return tensor.Layout(i) })
	list("input", len(inputKinds), func(i int) any { return inputKinds[i] })
	fmt.Fprintf(&b, "walk %d %d %d\n", op.WalkDesc, op.WalkReach, op.WalkRow)
	fmt.Fprintf(&b, "form %d %d %d %d\n", ir.Plain, ir.NodeSet, ir.NodePath, ir.NodeIndex)
	for _, p := range corpus() {
		fmt.Fprintf(&b, "%x\n", mustMarshal(t, p))
	}
	golden.File(t, "testdata/numbering.txt", b.String())
}

// big is a program with a graph of n nodes, about 8 edges each, and as many
// instructions.
func big(n int) *Program {
	p := &Program{Regs: []Reg{{Type: tensor.Type{Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Sparse, NNZ: 8 * n}}}
	v := tensor.Value{Type: p.Regs[0].Type, Layout: tensor.Sparse, CSR: tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, 1, n+1)}}
	for i := range n {
		for k := range 8 {
			v.CSR.Idx = append(v.CSR.Idx, int32(k*(n/8)+i%(n/8)))
		}
		v.CSR.Ptr = append(v.CSR.Ptr, int32(len(v.CSR.Idx)))
		p.Labels = append(p.Labels, fmt.Sprintf("node %d", i))
	}
	p.Consts = []Const{{Value: v}}
	for i := range n {
		p.Code = append(p.Code, Instr{Op: CountAll, Dst: i + 1, Args: []int{0}})
		p.Regs = append(p.Regs, parseReg("d"))
	}
	p.Pos = make([]ir.Pos, n)
	return p
}

func BenchmarkMarshal(b *testing.B) {
	p := big(100_000)
	for b.Loop() {
		b.SetBytes(int64(len(mustMarshal(b, p))))
	}
}

func BenchmarkUnmarshal(b *testing.B) {
	data := mustMarshal(b, big(100_000))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Unmarshal(data); err != nil {
			b.Fatal(err)
		}
	}
}
