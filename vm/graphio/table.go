package graphio

import "fmt"

// Table is a table that comes as values rather than text: a Parquet file, or the result of a query.
type Table interface {
	// Columns are the names of the columns.
	Columns() []string
	// Next is the next row, nil at the end; it is good until the call after it. Where
	// want is not nil, only the cells of the columns it has are read.
	Next(want []bool) ([]Value, error)
	Close() error
}

// Value is a cell of a Table.
type Value struct {
	Text []byte // as it is in messages, in filters and as a label
	Is   ValueKind
}

// ValueKind is what a format says of the type of a value.
type ValueKind uint8

// The types of values. What is Plain is a number if it looks like one, as in a file of text, or a value
// that is missing and has no text; Other is neither a number nor text.
const (
	Plain ValueKind = iota
	Number
	Text
	Other
)

// IsTable reports whether files of a format are read as a Table.
func (f Format) IsTable() bool { return f == Parquet || f == SQLite }

// ReadTable is Read for a Table. In errors, lines are rows, from 1, and columns those of the table.
func ReadTable(from Table, name string, format Format, opt Options) (*Raw, error) {
	opt = opt.withDefaults()
	if err := opt.usable(name, format); err != nil {
		return nil, err
	}
	rd := newReader(&input{name: name, max: opt.MaxBytes}, format, opt)
	return rd.finish(func() {
		rd.opt.Header = HeaderYes
		src := &tableRows{from: from, names: from.Columns()}
		rd.line = &src.line
		t := &table{reader: rd, d: dialect{sep: ','}, data: chunks[float64]{mem: rd.mem}}
		t.readRows(src)
	})
}

// tableRows reads a Table as rows, the first of which holds the names.
type tableRows struct {
	from  Table
	names []string // of the columns
	row
	begun bool   // the names were read
	want  []bool // the columns that are needed
}

// only says which columns are needed.
func (r *tableRows) only(need func(c int) bool) {
	r.want = make([]bool, len(r.names))
	for c := range r.want {
		r.want[c] = need(c)
	}
}

// next returns the names first, then the rows.
func (r *tableRows) next(bool) *row {
	if !r.begun {
		r.begun = true
		first := &row{}
		for _, name := range r.names {
			first.cells = append(first.cells, cell{val: []byte(name)})
		}
		return first
	}
	values, err := r.from.Next(r.want)
	switch {
	case err != nil:
		panic(err)
	case values == nil:
		return nil
	case len(values) != len(r.names):
		panic(fmt.Errorf("expected %s, found %d", plural(len(r.names), "column"), len(values)))
	}
	r.line++
	r.cells = r.cells[:0]
	for c, v := range values {
		r.cells = append(r.cells, cell{val: v.Text, off: c + 1, line: r.line, as: v.Is})
	}
	return &r.row
}
