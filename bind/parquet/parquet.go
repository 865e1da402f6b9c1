// Package parquet reads Parquet files: columns that are not lists, with plain, split or dictionary
// encoding, compressed with snappy, gzip, zstd or not at all.
//
// [Open] gives a [graphio.Table], whose columns are the leaves of the schema, nested names
// joined by dots. Each call of Next gives a row, decoding only the columns wanted; the next
// row overwrites its texts. What a column means, as nodes, weights or numbers, is left to
// package graphio. A stream is refused: the description of a file is at its end.
//
// The library that decodes pages trusts the sizes that a file states, and may panic at
// damage. So nothing reaches it unchecked:
//
//   - The footer and each page header are skimmed first, in Thrift's compact protocol,
//     without making anything of them; a list or text longer than what is there is damage.
//   - The footer, the number of columns, and a page's sizes and number of values have
//     limits.
//   - The decompressed size of a page is compared with what its header states.
//   - Memory for footer, dictionary and page is taken from the [cost.Ledger] of the options
//     before it is allocated, and given back when the page, row group or file is done.
//   - A panic of the library is an error of the file.
//
// Memory is therefore bounded by the ledger, not by what a file claims.
package parquet

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"ein/bind"
	"ein/vm/cost"
	"ein/vm/graphio"
	"ein/vm/tensor"
)

const (
	magic      = "PAR1"
	maxFooter  = 64 << 20
	maxColumns = 10_000
)

// table reads a file row by row. All columns are at the same row.
type table struct {
	file   *parquet.File
	at     io.ReaderAt
	size   int64
	ledger *cost.Ledger
	footer uint64 // bytes taken for it

	names   []string
	columns []column
	group   int   // row groups that were begun
	left    int64 // rows of this one
	row     int64
	out     []graphio.Value
	text    []byte
}

// Open returns the reader of the format Parquet.
func Open(_ context.Context, f *bind.File, opt graphio.Options) (graphio.Table, error) {
	if f.At == nil {
		return nil, errors.New("a Parquet file cannot be read from a stream; save it first")
	}
	t := &table{at: f.At, size: f.Size, ledger: opt.Ledger}
	if err := t.open(); err != nil {
		_ = t.Close()
		return nil, err
	}
	return t, nil
}

var errDamaged = errors.New("the file is damaged or not a Parquet file")

// open reads the footer, once it is known to state no more than it has.
func (t *table) open() error {
	const tail = len(magic) + 4
	end := make([]byte, tail)
	if t.size < int64(len(magic)+tail) {
		return errDamaged
	}
	if _, err := t.at.ReadAt(end, t.size-int64(tail)); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(end))
	switch {
	case string(end[4:]) == "PARE":
		return errors.New("the file is encrypted")
	case string(end[4:]) != magic || n > t.size-int64(len(magic)+tail):
		return errDamaged
	case n > maxFooter:
		return limit(fmt.Sprintf("the description of the columns has %d bytes, more than the limit of %d", n, maxFooter))
	}
	footer, err := t.bytes(t.size-int64(tail)-n, n)
	if err != nil {
		return err
	}
	s := skim(footer)
	if s.bad {
		return errDamaged
	}
	if s.numbers[2] > maxColumns {
		return limit(fmt.Sprintf("more than the limit of %d columns", maxColumns))
	}
	// This bounds what the library makes of the footer, from what was counted in it.
	takes := uint64(3*n) + 1<<10*uint64(s.structs) + 16*uint64(s.items)
	if err := t.ledger.Take(takes); err != nil {
		return err
	}
	t.footer = takes
	return safely(func() (err error) {
		t.file, err = parquet.OpenFile(t.at, t.size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		var leaves []format.SchemaElement
		for _, e := range t.file.Metadata().Schema {
			if e.Type.Valid {
				leaves = append(leaves, e)
			}
		}
		schema := t.file.Schema()
		for i, path := range schema.Columns() {
			leaf, _ := schema.Lookup(path...)
			t.names = append(t.names, strings.Join(path, "."))
			c := column{table: t, index: i, name: t.names[i], logical: leaves[i].LogicalType.Value, list: leaf.MaxRepetitionLevel > 0}
			if known := leaf.Node.Type().LogicalType(); known != nil { // also for types of old
				c.logical = known.Value
			}
			t.columns = append(t.columns, c)
		}
		t.out = make([]graphio.Value, len(t.names))
		return nil
	})
}

// bytes returns a part of the file.
func (t *table) bytes(at, n int64) ([]byte, error) {
	b := make([]byte, n)
	_, err := t.at.ReadAt(b, at)
	if errors.Is(err, io.EOF) {
		err = errDamaged
	}
	return b, err
}

// limit is the error of a file that is past a limit.
func limit(msg string) error { return &graphio.Error{Msg: msg, Limit: true} }

// safely calls the library, which panics at some files that are damaged, with texts that say nothing
// about them.
func safely(call func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errDamaged
		}
	}()
	return call()
}

// Columns implements graphio.Table.
func (t *table) Columns() []string { return t.names }

// Next implements graphio.Table. The texts of a row share one buffer, which the next row
// overwrites.
func (t *table) Next(want []bool) ([]graphio.Value, error) {
	for t.left == 0 {
		groups := t.file.RowGroups()
		if t.group == len(groups) {
			return nil, nil
		}
		t.left = groups[t.group].NumRows()
		for i := range t.columns {
			t.columns[i].end()
			t.columns[i].group = t.group
		}
		t.group++
	}
	t.left--
	t.row++
	t.text = t.text[:0]
	for i := range t.columns {
		c := &t.columns[i]
		t.out[i] = graphio.Value{}
		if want != nil && !want[i] {
			continue
		}
		from := len(t.text)
		is, err := c.next()
		if err != nil {
			return nil, c.wrong(err)
		}
		t.out[i] = graphio.Value{Text: t.text[from:len(t.text):len(t.text)], Is: is}
	}
	return t.out, nil
}

// Close implements graphio.Table. Who opened the file closes it.
func (t *table) Close() error {
	for i := range t.columns {
		t.columns[i].end()
	}
	t.ledger.Give(t.footer)
	return nil
}

// column reads the values of a column, one for each row.
type column struct {
	*table
	index   int
	name    string
	logical format.LogicalTypeValue // nil where the file has none
	list    bool
	group   int

	pages  parquet.Pages
	values parquet.ValueReader // of this page
	page   parquet.Page
	buf    []parquet.Value
	at, n  int // in buf
	check  *checker
}

// wrong gives an error of a column its place.
func (c *column) wrong(err error) error {
	e := &graphio.Error{Line: int(c.row), Column: c.index + 1, Msg: fmt.Sprintf("the column %q: %v", c.name, err), Err: err}
	if _, ok := errors.AsType[*cost.MemoryError](err); ok {
		return err
	}
	if known, ok := errors.AsType[*graphio.Error](err); ok {
		e.Limit, e.Hint = known.Limit, known.Hint
		e.Msg = fmt.Sprintf("the column %q: %s", c.name, known.Msg)
	}
	return e
}

// end lets go of a row group.
func (c *column) end() {
	if c.pages == nil {
		return
	}
	_ = safely(func() error { c.release(); return c.pages.Close() })
	c.check.end()
	c.pages, c.values, c.at, c.n = nil, nil, 0, 0
}

// release gives the page back to the library, which uses its memory for the next.
func (c *column) release() {
	if c.page != nil {
		parquet.Release(c.page)
		c.page = nil
	}
}

// next appends the next value to the text of the row.
func (c *column) next() (graphio.ValueKind, error) {
	if c.list {
		c.text = append(c.text, "a list"...)
		return graphio.Other, nil
	}
	for c.at == c.n {
		if err := safely(c.fill); err != nil {
			return 0, err
		}
	}
	c.at++
	return c.append(c.buf[c.at-1])
}

// fill reads more values: of this page, or the first of the next. When it has opened a page it
// returns without any, and is called again.
func (c *column) fill() (err error) {
	const some = 256
	if c.buf == nil {
		c.buf = make([]parquet.Value, some)
	}
	if c.pages == nil {
		chunk := c.file.RowGroups()[c.group].ColumnChunks()[c.index]
		if c.check, err = newChecker(c.table, c.group, c.index); err != nil {
			return err
		}
		c.pages = chunk.Pages()
	}
	if c.values != nil {
		c.at = 0
		c.n, err = c.values.ReadValues(c.buf)
		if c.n > 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		c.values = nil
	}
	c.release()
	if err := c.check.next(); err != nil {
		return err
	}
	if c.page, err = c.pages.ReadPage(); err != nil {
		if errors.Is(err, io.EOF) {
			return errors.New("it has fewer values than there are rows")
		}
		return err
	}
	c.values = c.page.Values()
	return nil
}

// append writes a value as text.
func (c *column) append(v parquet.Value) (graphio.ValueKind, error) {
	if v.IsNull() {
		return graphio.Plain, nil
	}
	t := c.table
	switch v.Kind() {
	case parquet.Boolean:
		t.text = append(t.text, '0')
		if v.Boolean() {
			t.text[len(t.text)-1] = '1'
		}
	case parquet.Int32, parquet.Int64:
		n := v.Int64()
		if v.Kind() == parquet.Int32 {
			n = int64(v.Int32())
		}
		switch l := c.logical.(type) {
		case *format.DateType:
			t.text = time.Unix(n*24*60*60, 0).UTC().AppendFormat(t.text, time.DateOnly)
			return graphio.Text, nil
		case *format.TimestampType:
			return t.time(instant(l.Unit, n)), nil
		case *format.DecimalType:
			t.text = appendDecimal(t.text, big.NewInt(n), l.Scale)
			return graphio.Number, nil
		case *format.IntType:
			if !l.IsSigned {
				u := uint64(n)
				if v.Kind() == parquet.Int32 {
					u = uint64(uint32(n))
				}
				t.text = strconv.AppendUint(t.text, u, 10)
				return graphio.Number, nil
			}
		case *format.TimeType:
			t.text = instant(l.Unit, n).AppendFormat(t.text, "15:04:05.999999999")
			return graphio.Text, nil
		}
		t.text = strconv.AppendInt(t.text, n, 10)
	case parquet.Float, parquet.Double:
		x := 0.0
		if v.Kind() == parquet.Double {
			x = v.Double()
		} else if x = float64(v.Float()); x != math.Trunc(x) { // the digits that 32 bits have
			x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', -1, 32), 64)
		}
		return t.real(x), nil
	case parquet.ByteArray, parquet.FixedLenByteArray:
		b := v.ByteArray()
		switch l := c.logical.(type) {
		case *format.DecimalType:
			n := new(big.Int).SetBytes(b)
			if len(b) > 0 && b[0]&0x80 != 0 {
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
			t.text = appendDecimal(t.text, n, l.Scale)
			return graphio.Number, nil
		case *format.StringType, *format.EnumType, *format.JsonType:
		case *format.UUIDType:
			if len(b) == 16 {
				t.text = fmt.Appendf(t.text, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
				return graphio.Text, nil
			}
		case *format.Float16Type:
			if len(b) == 2 {
				return t.real(tensor.Half(binary.LittleEndian.Uint16(b))), nil
			}
		default:
			if l == nil && v.Kind() == parquet.ByteArray { // of writers that say nothing of texts
				break
			}
			t.text = fmt.Appendf(t.text, "the bytes %.20x", b)
			return graphio.Other, nil
		}
		t.text = append(t.text, b...)
		return graphio.Text, nil
	case parquet.Int96: // nanoseconds of a Julian day; some write nothing else for times
		const epoch = 2440588
		n := v.Int96()
		return t.time(time.Unix((int64(n[2])-epoch)*24*60*60, int64(n[1])<<32|int64(n[0])).UTC()), nil
	default:
		t.text = fmt.Appendf(t.text, "%v", v)
		return graphio.Other, nil
	}
	return graphio.Number, nil
}

// real writes a number, or what is none and the name of no node.
func (t *table) real(x float64) graphio.ValueKind {
	if t.text = tensor.AppendNumber(t.text, x); math.IsNaN(x) || math.IsInf(x, 0) {
		return graphio.Other
	}
	return graphio.Number
}

func (t *table) time(at time.Time) graphio.ValueKind {
	t.text = at.AppendFormat(t.text, "2006-01-02T15:04:05.999999999")
	return graphio.Text
}

// instant is a time by the unit that its column counts in.
func instant(unit format.TimeUnit, n int64) time.Time {
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		return time.UnixMilli(n).UTC()
	case *format.MicroSeconds:
		return time.UnixMicro(n).UTC()
	}
	return time.Unix(0, n).UTC()
}

// maxScale bounds the scale of decimals; those of Parquet have less.
const maxScale = 100

// appendDecimal writes a number with at most so many digits after its point, as people write it: a
// decimal and a float of one value are one label.
func appendDecimal(to []byte, n *big.Int, scale int32) []byte {
	digits := new(big.Int).Abs(n).String()
	if n.Sign() < 0 {
		to = append(to, '-')
	}
	if scale <= 0 || scale > maxScale {
		return append(to, digits...)
	}
	if missing := int(scale) + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - int(scale)
	return append(append(to, digits[:point]...), strings.TrimRight("."+strings.TrimRight(digits[point:], "0"), ".")...)
}
