package graphio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ein/vm/tensor"
)

const (
	npyMagic     = "\x93NUMPY"
	npyMaxHeader = 1 << 16
)

// npyHeader is the header of an .npy file.
type npyHeader struct {
	descr   string
	fortran bool
	shape   []int
	written string // the shape
}

// npy reads a file of NumPy: an array of the rank of the input.
func (r *reader) npy() {
	h := r.npyHeader()
	dec, problem := decoder(h.descr)
	if problem != "" {
		panic(r.fatal(0, 0, problem, "expected f2, f4, f8, i1 to i8, u1 to u8 or b1; astype(float) makes such an array of numbers, CSV and JSON hold names"))
	}
	rank := map[Kind]int{Graph: 2, Matrix: 2, Vector: 1, Scalar: 0}[r.opt.Kind]
	shape := "shape " + h.written
	if len(h.shape) != rank {
		panic(r.fatal(0, 0, fmt.Sprintf("expected an array of rank %d for a %s, found %s", rank, r.opt.Kind, shape), "reshape gives an array another rank"))
	}
	elems := uint64(1)
	for _, d := range h.shape {
		elems = tensor.SatMul(elems, uint64(d))
	}
	switch graph := r.opt.Kind == Graph; {
	case elems == 0:
		panic(r.fatal(0, 0, "an array of "+shape+" has no elements", ""))
	case graph && h.shape[0] != h.shape[1]:
		hint := ""
		if h.shape[1] == 2 || h.shape[1] == 3 {
			hint = "an array of edges is read as text, as savetxt writes it with fmt=\"%d\""
		}
		panic(r.fatal(0, 0, "a graph must be square, found "+shape, hint))
	case graph && h.shape[0] > r.opt.MaxNodes:
		panic(r.atLimit(0, shape+" exceeds the limit of "+plural(r.opt.MaxNodes, "node")))
	case !graph && elems > uint64(r.opt.MaxElems):
		panic(r.atLimit(0, shape+" exceeds the limit of "+plural(r.opt.MaxElems, "element")))
	}
	r.npyData(h, dec, elems)
}

// full fills a slice. short gives the message if the file ends after n bytes.
func (r *reader) full(b []byte, short func(n int) string) {
	n, err := io.ReadFull(r.in, b)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && !r.in.gzip:
		panic(r.fatal(0, 0, short(n), ""))
	case err != nil:
		panic(err)
	}
}

// npyHeader reads the file up to its data.
func (r *reader) npyHeader() npyHeader {
	next := func(n int) []byte {
		b := make([]byte, n)
		r.full(b, func(int) string { return "the file ends inside the .npy header" })
		return b
	}
	start := next(8)
	if string(start[:6]) != npyMagic {
		panic(r.fatal(0, 0, "expected an .npy file, found other data", ""))
	}
	n := uint32(0)
	switch start[6] {
	case 1:
		n = uint32(binary.LittleEndian.Uint16(next(2)))
	case 2, 3:
		n = binary.LittleEndian.Uint32(next(4))
	default:
		panic(r.fatal(0, 0, fmt.Sprintf("version %d.%d of the .npy format is not supported", start[6], start[7]), "expected 1, 2 or 3"))
	}
	if n > npyMaxHeader {
		panic(r.atLimit(0, fmt.Sprintf("the header of %d bytes exceeds the limit of %d", n, npyMaxHeader)))
	}
	text := next(int(n))
	if start[6] < 3 { // which is in Latin-1
		wide := make([]rune, n)
		for i, c := range text {
			wide[i] = rune(c)
		}
		text = []byte(string(wide))
	}
	h, problem := parseNPYHeader(string(text))
	if strings.HasPrefix(problem, "structured") {
		panic(r.fatal(0, 0, problem, "save one field of it, or a table as CSV"))
	}
	if problem != "" {
		panic(r.fatal(0, 0, problem, "expected {'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }"))
	}
	return h
}

// What a header holds is written in Python as in JSON but for these, and but for a
// comma after the last item.
var (
	npyLiteral = strings.NewReplacer("'", `"`, "(", "[", ")", "]", "True", "true", "False", "false")
	npyComma   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`,\s*([}\]])`) })
)

// parseNPYHeader reads the header, which is a literal of Python, as JSON. So nothing in it is
// evaluated. A quote inside a string would be misread, and no type that is supported has one.
func parseNPYHeader(s string) (h npyHeader, problem string) {
	var got struct {
		Descr   jsontext.Value `json:"descr"`
		Fortran *bool          `json:"fortran_order"`
		Shape   []uint64       `json:"shape"`
	}
	err := json.Unmarshal(npyComma().ReplaceAll([]byte(npyLiteral.Replace(s)), []byte("$1")), &got, json.RejectUnknownMembers(true))
	switch {
	case err != nil:
		return h, "cannot read the .npy header"
	case got.Descr == nil || got.Fortran == nil || got.Shape == nil:
		return h, `the .npy header lacks "descr", "fortran_order" or "shape"`
	case got.Descr.Kind() == '[':
		return h, "structured arrays are not supported"
	}
	h.descr, h.fortran = strings.Trim(string(got.Descr), `"`), *got.Fortran
	var dims []string
	for _, n := range got.Shape {
		h.shape = append(h.shape, int(min(n, math.MaxInt)))
		dims = append(dims, strconv.FormatUint(n, 10))
	}
	if len(dims) == 1 {
		dims = append(dims, "")
	}
	h.written = "(" + asWritten([]byte(strings.TrimSuffix(strings.Join(dims, ", "), " "))) + ")"
	return h, ""
}

// npyDecoder turns the bytes of an element into a float64.
type npyDecoder struct {
	size  int
	class byte // the letter of the type: f, i, u or b
	order binary.ByteOrder
}

// decoder returns the decoder of a type as NumPy describes it, such as <f8.
func decoder(descr string) (d npyDecoder, problem string) {
	if strings.Contains(descr, "O") {
		return d, "arrays of Python objects are not supported"
	}
	if len(descr) == 3 {
		orders := map[byte]binary.ByteOrder{'<': binary.LittleEndian, '>': binary.BigEndian, '|': binary.LittleEndian}
		d = npyDecoder{size: int(descr[2] - '0'), class: descr[1], order: orders[descr[0]]}
	}
	known := []string{"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"}
	if d.order == nil || !slices.Contains(known, descr[1:]) || descr[0] == '|' && d.size != 1 {
		return d, "arrays of type " + strconv.Quote(descr) + " are not supported"
	}
	return d, ""
}

// bits returns an element as an unsigned integer.
func (d npyDecoder) bits(b []byte) uint64 {
	switch d.size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(d.order.Uint16(b))
	case 4:
		return uint64(d.order.Uint32(b))
	}
	return d.order.Uint64(b)
}

// value decodes an element, or says what is wrong with it.
func (d npyDecoder) value(b []byte) (float64, string) {
	u := d.bits(b)
	switch d.class {
	case 'f':
		x := math.Float64frombits(u)
		switch d.size {
		case 2:
			x = tensor.Half(uint16(u))
		case 4:
			x = float64(math.Float32frombits(uint32(u)))
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return 0, fmt.Sprintf("expected a finite number, found %v", x)
		}
		return x, ""
	case 'i':
		shift := 64 - 8*d.size
		v := int64(u<<shift) >> shift
		if v >= tensor.MaxInt || v <= -tensor.MaxInt {
			return 0, fmt.Sprintf("the integer %d is at or past 2^53, where integers stop being exact", v)
		}
		return float64(v), ""
	case 'b':
		if u > 1 {
			return 0, fmt.Sprintf("expected a boolean as 0 or 1, found %d", u)
		}
	}
	if u >= tensor.MaxInt {
		return 0, fmt.Sprintf("the integer %d is at or past 2^53, where integers stop being exact", u)
	}
	return float64(u), ""
}

// npyData reads the elements. Those of a graph become edges at once, so that a large 0/1 array
// never stands in memory as numbers. slow and fast are the place of an element as it lies in the
// file; a file in Fortran order has columns where others have rows, which dense turns.
func (r *reader) npyData(h npyHeader, dec npyDecoder, elems uint64) {
	rows, inner := 1, 1 // inner is the length of the axis that varies fastest
	for _, n := range h.shape {
		rows, inner = rows*inner, n
	}
	turned := h.fortran && len(h.shape) == 2
	d := r.newDense(rows, inner, turned)
	if turned {
		inner = rows
	}
	buf := make([]byte, 1<<15)
	slow, fast := 0, 0
	for left := elems; left > 0; {
		n := int(min(left, uint64(len(buf)/dec.size)))
		r.full(buf[:n*dec.size], func(got int) string {
			return fmt.Sprintf("the file ends after %d of %d elements", elems-left+uint64(got/dec.size), elems)
		})
		left -= uint64(n)
		for b := buf[:n*dec.size]; len(b) > 0; b = b[dec.size:] {
			x, problem := dec.value(b)
			if problem == "" {
				d.put(slow, fast, x, 0, 0)
			} else {
				r.badElement(h, slow, fast, problem)
			}
			if fast++; fast == inner {
				slow, fast = slow+1, 0
			}
		}
	}
	var extra [1]byte
	if n, err := io.ReadFull(r.in, extra[:]); n > 0 {
		panic(r.fatal(0, 0, fmt.Sprintf("the file continues after its %d elements", elems), ""))
	} else if err != io.EOF {
		panic(err)
	}
	d.end(h.shape...)
}

// badElement reports an element, with its place as NumPy counts it.
func (r *reader) badElement(h npyHeader, i, j int, problem string) {
	at := ""
	switch len(h.shape) {
	case 1:
		at = fmt.Sprintf("element %d: ", j)
	case 2:
		if h.fortran {
			i, j = j, i
		}
		at = fmt.Sprintf("row %d, column %d: ", i, j)
	}
	r.bad(0, 0, at+problem, "")
}
