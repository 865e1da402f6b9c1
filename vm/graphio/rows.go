package graphio

import (
	"bytes"
	"fmt"
	"strings"
)

// dialect is a kind of delimited text.
type dialect struct {
	sep      byte   // 0 is runs of blanks
	comments string // the bytes that make a line a comment
}

// row is one record: its text, and its fields as slices of it.
type row struct {
	line   int    // number of its first line
	text   []byte // without the last line end; a quoted field may span lines
	fields []field
}

type field struct {
	val []byte
	off int // in text
}

// pos is the line and column of a field; of the end of the row when there is no
// such field.
func (w *row) pos(i int) (line, col int) {
	off := len(w.text)
	if i < len(w.fields) {
		off = w.fields[i].off
	}
	return w.at(off)
}

func (w *row) at(off int) (line, col int) {
	before := w.text[:off]
	start := bytes.LastIndexByte(before, '\n') + 1
	return w.line + bytes.Count(before, []byte{'\n'}), column(w.text[start:], off-start)
}

// names shows the fields as names of columns.
func (w *row) names() string {
	var shown []string
	for _, f := range w.fields[:min(len(w.fields), maxShown)] {
		shown = append(shown, quote(f.val))
	}
	return some(shown, len(w.fields))
}

// clone copies a row out of the line buffer.
func (w *row) clone(mem *memory) (*row, error) {
	fields, err := newSlice[field](mem, len(w.fields))
	if err != nil {
		return nil, err
	}
	all, err := newSlice[byte](mem, 2*len(w.text)) // no value is longer than its text
	if err != nil {
		return nil, err
	}
	c := &row{line: w.line, text: all[:copy(all, w.text)], fields: fields}
	all = all[len(w.text):]
	for i, f := range w.fields {
		n := copy(all, f.val)
		c.fields[i] = field{all[:n:n], f.off}
		all = all[n:]
	}
	return c, nil
}

// rows splits a text file into records.
type rows struct {
	src *lines
	d   dialect
	row

	// pairs says that rows are expected to be two node numbers and nothing else.
	// Those that are come as pair, without fields: they need not be split, and a
	// file of 1e7 edges loads in half the time.
	pairs  bool
	isPair bool
	pair   [2]int

	started   bool // a row has been returned
	blank     int  // line of a blank line before the current row, 0 for none
	late      int  // comment lines after the first row
	lateLine  int
	long      []byte // a record of several lines
	unescaped []byte // fields with doubled quotes
}

// next reads the next record; ok is false at the end. The problem of a record
// that does not split is its own, and the next call goes on after it.
func (r *rows) next() (ok bool, problem *Error, err error) {
	r.blank = 0
	for {
		line, err := r.src.next()
		if line == nil || err != nil {
			return false, nil, err
		}
		if r.pairs {
			if r.pair, r.isPair = twoNumbers(line, r.d.sep); r.isPair {
				r.line, r.text = r.src.no, line
				return true, nil, nil
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
		r.line, r.text = r.src.no, line
		quotes := bytes.IndexByte(line, '"') >= 0
		if quotes {
			if err := r.join(); err != nil {
				return false, nil, err
			}
		}
		if err := r.room(); err != nil {
			return false, nil, err
		}
		if quotes {
			return true, r.quoted(), nil
		}
		r.split()
		return true, nil, nil
	}
}

// twoNumbers reads a line that is two node numbers as they are printed, with one
// separator between them, and no number too long for an int32.
func twoNumbers(line []byte, sep byte) (pair [2]int, ok bool) {
	a, i := leadingNumber(line)
	if i == 0 || i == len(line) || line[i] != sep {
		return pair, false
	}
	b, j := leadingNumber(line[i+1:])
	return [2]int{a, b}, j > 0 && i+1+j == len(line)
}

// leadingNumber is the number that a line begins with, of at most nine digits,
// and its length, which is 0 when there is none or it begins with a 0 too many.
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

// isEmpty reports a line without any field. Tabs alone are empty fields where
// they separate.
func (r *rows) isEmpty(line []byte) bool {
	for _, c := range line {
		if !isBlank(c) || c == r.d.sep {
			return false
		}
	}
	return true
}

// join appends lines to a record for as long as a quote is open in it, which
// shows in an odd number of quotes. It stops early where no quote can close;
// the split then says which one was left open.
func (r *rows) join() error {
	odd := bytes.Count(r.text, []byte{'"'})%2 == 1
	if !odd {
		return nil
	}
	r.long = append(r.long[:0], r.text...)
	size := len(r.long)
	for odd {
		line, err := r.src.next()
		if err != nil {
			return err
		}
		if line == nil {
			break
		}
		if size += 1 + len(line); size <= maxLine {
			r.long = append(append(r.long, '\n'), line...)
		}
		odd = odd != (bytes.Count(line, []byte{'"'})%2 == 1)
	}
	if size > maxLine && !odd {
		return &Error{File: r.src.in.name, Line: r.line, Limit: true, Msg: fmt.Sprintf("the record has %d bytes, the limit is %d", size, maxLine),
			Hint: "a quote that is not closed makes one record of many lines"}
	}
	r.text = r.long
	return nil
}

// room makes room for the fields of a record, which can take far more memory
// than its text.
func (r *rows) room() error {
	if r.fields == nil {
		r.fields = make([]field, 0, 64)
	}
	r.fields = r.fields[:0]
	n := len(r.text)/2 + 1
	if n > cap(r.fields) && r.d.sep != 0 {
		n = bytes.Count(r.text, []byte{r.d.sep}) + 1
	}
	if n <= cap(r.fields) {
		return nil
	}
	fields, err := newSlice[field](r.src.in.mem, n)
	r.fields = fields[:0]
	return err
}

// split splits a record that has no quotes.
func (r *rows) split() {
	text, start := r.text, 0
	if r.d.sep == 0 {
		for {
			for start < len(text) && isBlank(text[start]) {
				start++
			}
			if start == len(text) {
				return
			}
			end := start
			for end < len(text) && !isBlank(text[end]) {
				end++
			}
			r.fields = append(r.fields, field{text[start:end], start})
			start = end
		}
	}
	for i, c := range text {
		if c == r.d.sep {
			r.plain(start, i)
			start = i + 1
		}
	}
	r.plain(start, len(text))
}

// plain adds the unquoted field text[start:end] without the blanks around it.
func (r *rows) plain(start, end int) {
	for start < end && isBlank(r.text[start]) {
		start++
	}
	for start < end && isBlank(r.text[end-1]) {
		end--
	}
	r.fields = append(r.fields, field{r.text[start:end], start})
}

// quoted splits a record that has quotes in it.
func (r *rows) quoted() *Error {
	r.unescaped = r.unescaped[:0]
	for at := 0; ; at++ {
		if r.d.sep == 0 {
			for at < len(r.text) && isBlank(r.text[at]) {
				at++
			}
			if at == len(r.text) {
				return nil
			}
		}
		var problem *Error
		if at < len(r.text) && r.text[at] == '"' {
			at, problem = r.quotedField(at)
		} else {
			at, problem = r.bareField(at)
		}
		if problem != nil {
			return problem
		}
		if at == len(r.text) {
			return nil
		}
	}
}

// bareField reads the field without quotes at text[start] and returns its end.
func (r *rows) bareField(start int) (int, *Error) {
	end := start
	for end < len(r.text) && !r.separates(r.text[end]) {
		if r.text[end] == '"' {
			return 0, r.problem(end, "a quote inside a field that does not begin with one",
				"quote the whole field and write the quote inside it twice")
		}
		end++
	}
	r.plain(start, end)
	return end, nil
}

// quotedField reads the field whose quote opens at text[open] and returns the
// offset after its closing quote.
func (r *rows) quotedField(open int) (int, *Error) {
	end, doubled := open+1, false
	for {
		i := bytes.IndexByte(r.text[end:], '"')
		if i < 0 {
			return 0, r.problem(open, "the quote that opens here is not closed", "")
		}
		end += i + 1
		if end == len(r.text) || r.text[end] != '"' {
			break
		}
		doubled = true
		end++
	}
	val := r.text[open+1 : end-1]
	if doubled {
		from := len(r.unescaped)
		r.unescaped = append(r.unescaped, bytes.ReplaceAll(val, []byte(`""`), []byte(`"`))...)
		val = r.unescaped[from:]
	}
	r.fields = append(r.fields, field{val, open})
	if end < len(r.text) && !r.separates(r.text[end]) {
		return 0, r.problem(end, "expected a separator after the closing quote, found "+quote(r.text[end:end+1]),
			"a quote inside a quoted field is written twice")
	}
	return end, nil
}

func (r *rows) problem(off int, msg, hint string) *Error {
	line, col := r.at(off)
	return &Error{Line: line, Column: col, Msg: msg, Hint: hint}
}

func (r *rows) separates(c byte) bool {
	if r.d.sep == 0 {
		return isBlank(c)
	}
	return c == r.d.sep
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
