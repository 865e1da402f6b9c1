package graphio

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// source reads a file as rows of cells, whatever its format.
type source interface {
	// next is the next row, which is good until the one after it; nil is the end of
	// the file. With pairs, a row that is two node numbers and nothing else comes as
	// such, without cells: it need not be split, and a file of 1e7 edges loads in half
	// the time.
	next(pairs bool) *row
}

// row is one row of a file.
type row struct {
	line, col int    // where text begins
	text      []byte // that the cells are part of, of formats that are split here
	cells     []cell

	isPair bool
	pair   [2]int

	open  byte   // [ or { for a row that is a JSON array or object, whose cells have keys
	blank int    // the line of a blank one before this row, 0 for none
	bad   *Error // why this row has no cells; others may have some
}

// cell is a value with its place.
type cell struct {
	val []byte
	off int // in the text of its row, where line is 0; else the column
	as  ValueKind
	// line is of the cell when the row has no text.
	line int
	key  []byte
}

// place returns the line and column of a cell, or those of the end of the row if it has no such
// cell.
func (w *row) place(i int) (line, col int) {
	off := len(w.text)
	if i < len(w.cells) {
		c := &w.cells[i]
		if c.line > 0 {
			return c.line, c.off
		}
		off = c.off
	}
	return w.at(off)
}

func (w *row) at(off int) (line, col int) {
	before := w.text[:off]
	start := bytes.LastIndexByte(before, '\n') + 1
	if start > 0 {
		return w.line + bytes.Count(before, []byte{'\n'}), column(w.text[start:], off-start)
	}
	return w.line, w.col - 1 + column(w.text, off)
}

// others names the JSON values that are neither numbers nor strings, by their first byte.
var others = map[string]string{"n": "null", "t": "true", "f": "false", "[": "an array", "{": "an object"}

// shown shows the cell in a message.
func (c *cell) shown() string {
	switch {
	case c.as == Text:
		return "the string " + quote(c.val)
	case c.as == Other && others[string(c.val)] != "":
		return others[string(c.val)]
	case c.as == Other:
		return string(c.val)
	case len(c.val) == 0:
		return "nothing"
	}
	return quote(c.val)
}

// find returns the position of the cell with a key, or -1.
func (w *row) find(key string) int {
	for i := range w.cells {
		if string(w.cells[i].key) == key {
			return i
		}
	}
	return -1
}

// names shows the cells as names of columns, and keys their keys.
func (w *row) names() string { return quoteAll(w.cells, func(c cell) []byte { return c.val }) }
func (w *row) keys() string  { return quoteAll(w.cells, func(c cell) []byte { return c.key }) }

// clone copies a row out of the buffers of its source.
func (w *row) clone(mem *memory) *row {
	cells := newSlice[cell](mem, len(w.cells))
	all := newSlice[byte](mem, 2*len(w.text)) // no value is longer than its text
	c := &row{line: w.line, col: w.col, text: all[:copy(all, w.text)], cells: cells}
	all = all[len(w.text):]
	for i, f := range w.cells {
		n := copy(all, f.val)
		cells[i] = cell{val: all[:n:n], off: f.off}
		all = all[n:]
	}
	return c
}

// split splits a text without quotes into cells. Blanks around a value are not part of it; without
// a separator, any number of blanks is one.
func (w *row) split(sep byte) {
	text, start := w.text, 0
	w.cells = w.cells[:0]
	for i := 0; i <= len(text); i++ {
		if i < len(text) && (sep != 0 && text[i] != sep || sep == 0 && !isBlank(text[i])) {
			continue
		}
		from, to := start, i
		for from < to && isBlank(text[from]) {
			from++
		}
		for from < to && isBlank(text[to-1]) {
			to--
		}
		if from < to || sep != 0 {
			w.cells = append(w.cells, cell{val: text[from:to], off: from})
		}
		start = i + 1
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// twoNumbers parses a text that consists of two node numbers with one separator between them, none
// of them too long for an int32.
func twoNumbers(text []byte, sep byte) (pair [2]int, ok bool) {
	a, i := leadingNumber(text)
	if i == 0 || i == len(text) || text[i] != sep {
		return pair, false
	}
	if i++; i < len(text) && text[i] == ' ' {
		i++
	}
	b, j := leadingNumber(text[i:])
	return [2]int{a, b}, j > 0 && i+j == len(text)
}

// leadingNumber parses the number of at most nine digits at the start of a text. length is 0 if
// there is none, or one with a leading zero.
func leadingNumber(b []byte) (v, length int) {
	for length < len(b) && length < 9 && b[length]-'0' <= 9 {
		v = v*10 + int(b[length]-'0')
		length++
	}
	if length > 1 && b[0] == '0' {
		return 0, 0
	}
	return v, length
}

// dialect is a kind of delimited text.
type dialect struct {
	sep      byte   // 0 is runs of blanks
	comments string // the bytes that make a line a comment
	unquoted bool   // a quote is a character like any other
	told     bool   // the first line says sep=
}

// textRows reads delimited text. Rows with a quote go through encoding/csv; all others are split
// here, several times as fast.
type textRows struct {
	src *lines
	d   dialect
	row

	started  bool // a row has been returned
	late     int  // comment lines after the first row
	lateLine int

	quotes *csv.Reader
	given  int    // lines that it was given before this record
	record []byte // what it was given of this record, in lines that end in LF
	read   int    // of record
	fields int    // of record, at most
	ended  bool   // inside this record
	inside bool   // quotes, at the end of what it was given
	vals   []byte // the values of this record
	most   int    // how many fields there is room for
}

// next returns the next line that is neither empty nor a comment, split into cells; nil at the
// end. pairs says that a row of two numbers may be returned as such, without cells.
func (r *textRows) next(pairs bool) *row {
	r.blank, r.bad, r.isPair, r.col = 0, nil, false, 1
	for {
		line := r.src.next()
		if line == nil {
			return nil
		}
		r.line, r.text = r.src.no, line
		if pairs {
			if r.pair, r.isPair = twoNumbers(line, r.sep()); r.isPair {
				return &r.row
			}
		}
		if r.isEmpty(line) {
			r.blank = r.src.no
			continue
		}
		if strings.IndexByte(r.d.comments, line[0]) >= 0 {
			if r.started {
				if r.late == 0 {
					r.lateLine = r.src.no
				}
				r.late++
			}
			continue
		}
		r.started = true
		if !r.d.unquoted && bytes.IndexByte(line, '"') >= 0 {
			r.quoted()
			return &r.row
		}
		r.room(bytes.Count(line, []byte{r.sep()}) + 1)
		r.split(r.d.sep)
		return &r.row
	}
}

func (r *textRows) sep() byte {
	if r.d.sep == 0 {
		return ' '
	}
	return r.d.sep
}

// isEmpty reports whether a line has no fields. Where tabs separate, tabs alone are empty fields.
func (r *textRows) isEmpty(line []byte) bool {
	for _, c := range line {
		if !isBlank(c) || c == r.d.sep {
			return false
		}
	}
	return true
}

// room makes room for the fields of a record, which can take far more memory than
// its text.
func (r *textRows) room(fields int) {
	if r.most == 0 {
		r.most = 64 // as small as the other buffers
		r.cells = make([]cell, 0, r.most)
	}
	if fields <= r.most {
		return
	}
	r.cells, r.most = append(newSlice[cell](r.src.in.mem, fields)[:0], r.cells...), fields
}

// quoted splits the record that begins with the current line.
func (r *textRows) quoted() {
	if r.quotes == nil {
		r.quotes = csv.NewReader(r)
		r.quotes.Comma, r.quotes.FieldsPerRecord, r.quotes.ReuseRecord = rune(r.sep()), -1, true
	}
	r.record, r.read, r.fields, r.ended, r.inside = r.record[:0], 0, 0, false, false
	line, start := r.given+1, 0 // the lines of the record, as encoding/csv counts them
	offset := func(l, col int) int {
		for ; line < l; line++ {
			start += bytes.IndexByte(r.record[start:], '\n') + 1
		}
		return start + col - 1
	}
	vals, err := r.quotes.Read()
	r.given += bytes.Count(r.record, []byte{'\n'})
	r.text = bytes.TrimSuffix(r.record, []byte{'\n'})
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		at := min(offset(wrong.Line, wrong.Column), len(r.text))
		r.bad = &Error{Msg: "a quote inside a field that does not begin with one", Hint: "put the whole field in quotes and double the quote inside it"}
		if errors.Is(err, csv.ErrQuote) && r.ended {
			at = 0 // the field after those that it has read
			if n := len(vals); n > 0 {
				last := vals[n-1]
				line, start = r.given+1-bytes.Count(r.record, []byte{'\n'}), 0
				if at = offset(r.quotes.FieldPos(n - 1)); r.text[at] == '"' {
					at += 2 + strings.Count(last, `"`)
				}
				at += len(last) + 1
			}
			r.bad = &Error{Msg: "the quote that opens here is not closed"}
		} else if errors.Is(err, csv.ErrQuote) {
			at++
			r.bad = &Error{Msg: "expected a separator after the closing quote, found " + quote(r.text[at:at+1]), Hint: "a quote inside a quoted field is written twice"}
		}
		r.bad.Line, r.bad.Column = r.at(at)
		return
	}
	if err != nil {
		panic(err)
	}
	r.cells, r.vals = r.cells[:0], r.vals[:0]
	for i, val := range vals {
		off := offset(r.quotes.FieldPos(i))
		if off == len(r.text) || r.text[off] != '"' {
			for len(val) > 0 && isBlank(val[0]) {
				val, off = val[1:], off+1
			}
			if val = strings.TrimRight(val, " \t"); val == "" && r.d.sep == 0 {
				continue
			}
		}
		from := len(r.vals)
		r.vals = append(r.vals, val...)
		r.cells = append(r.cells, cell{val: r.vals[from:len(r.vals):len(r.vals)], off: off})
	}
}

// Read feeds encoding/csv one line at a time, so that it reads no further than the end of its
// record.
func (r *textRows) Read(p []byte) (int, error) {
	if r.read == len(r.record) {
		line := r.text
		if r.read > 0 {
			if line = r.src.next(); line == nil {
				r.ended = true
				return 0, io.EOF
			}
		}
		// The record, its text in the reader and the values; a position for each field.
		const times, field = 3, 40
		size := len(r.record) + len(line) + 2
		if size > maxLine {
			panic(&Error{File: r.src.in.name, Line: r.line, Limit: true, Msg: fmt.Sprintf("the record is longer than %d bytes", maxLine),
				Hint: "an unclosed quote joins many lines into one record"})
		}
		if size > cap(r.record) {
			r.src.in.mem.take(times * 2 * size)
			r.record = append(make([]byte, 0, 2*size), r.record...)
		}
		if r.fields += bytes.Count(line, []byte{r.sep()}) + 1; r.fields > r.most {
			r.src.in.mem.take(field * 2 * r.fields)
			r.room(2 * r.fields)
		}
		end := "\n"
		if r.inside = r.inside != (bytes.Count(line, []byte{'"'})%2 == 1); r.inside && r.src.cr {
			end = "\r\r\n" // of which encoding/csv takes a CR away
		}
		r.record = append(append(r.record, line...), end...)
	}
	n := copy(p, r.record[r.read:])
	r.read += n
	return n, nil
}
