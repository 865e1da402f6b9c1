package show

import (
	"cmp"
	"iter"
	"strconv"
	"strings"

	"ein/internal/compact"
	"ein/internal/lists"
	tables "ein/internal/table"
	"ein/vm"
	"ein/vm/tensor"
)

// A relation is a set of rows, which are shown sorted as the table gives them. One
// without columns says yes or no.

// cell shows a cell of a row.
func (w *writer) cell(t *tensor.Table, c int, x float64) string {
	if t.Columns[c].Kind.Named() {
		return w.opt.plain(t.Text(c, x))
	}
	if t.Columns[c].Kind == tensor.RealColumn {
		return w.format(x)
	}
	return tensor.Number(x)
}

// tuples returns the rows of a relation as text, no more than most of them.
func (w *writer) tuples(t *tensor.Table, most int) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		cells := make([]string, len(t.Columns))
		for row := range first(t.All(), most) {
			for c, x := range row {
				cells[c] = w.cell(t, c, x)
			}
			if w.ended() || !yield(cells) {
				return
			}
		}
	}
}

// columnNames returns the names of the columns, or their numbers if they have none.
func columnNames(t *tensor.Table) []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		if names[i] = c.Name; c.Name == "" {
			names[i] = strconv.Itoa(i + 1)
		}
	}
	return names
}

// relation writes yes or no, a set, or a table with a line for each row.
func (t *text) relation(out *vm.Output, name string) {
	table, most := out.Value.Table, cmp.Or(t.opt.Top, t.lines)
	t.digits = t.opt.Precision
	switch len(table.Columns) {
	case 0:
		t.put(name, " ", map[bool]string{true: "yes", false: "no"}[table.Len > 0], "\n")
		return
	case 1:
		t.put(strings.TrimSuffix(name, "?"), " = {")
		n := 0
		for row := range t.tuples(table, most) {
			if n++; n > 1 {
				t.put(", ")
			}
			t.put(row[0])
		}
		if n < table.Len {
			t.put(", ...")
		}
		t.put("}\n")
		t.cut(n, table.Len, "rows")
		return
	}
	if !strings.HasSuffix(name, "?") {
		name += ":"
	}
	t.put(name, " ", strconv.Itoa(table.Len), map[bool]string{true: " row", false: " rows"}[table.Len == 1], "\n")
	if table.Len == 0 {
		return
	}
	var right []int
	for c, col := range table.Columns {
		if !col.Kind.Named() {
			right = append(right, c)
		}
	}
	n := -1 // the names are no row
	for line := range tables.Lines("  ", func(yield func([]string) bool) {
		if yield(columnNames(table)) {
			t.tuples(table, most)(yield)
		}
	}, right...) {
		t.put(line)
		n++
	}
	if n < table.Len {
		t.put("  ...\n")
	}
	t.cut(n, table.Len, "rows")
}

// relation writes the columns, their types and the rows; yes and no as a Boolean.
func (j *jsonWriter) relation(t *tensor.Table) {
	if len(t.Columns) == 0 {
		j.put(`,"kind":"bool","value":`, strconv.FormatBool(t.Len > 0))
		return
	}
	types := lists.Map(t.Columns, func(c tensor.Column) string {
		if c.Kind == tensor.NodeColumn {
			return c.Domain.Name
		}
		return c.Kind.String()
	})
	j.put(`,"kind":"relation","columns":`, string(compact.Must(columnNames(t))), `,"types":`, string(compact.Must(types)), `,"rows":[`)
	n := 0
	for row := range t.All() {
		if n++; n > 1 {
			j.put(",")
		}
		j.tuple(t, row)
		if j.ended() {
			break
		}
	}
	j.put("]")
}

// tuple writes a row as an array: names are strings; numbers and nodes without labels are numbers.
func (j *jsonWriter) tuple(t *tensor.Table, row []float64) {
	j.put("[")
	for c, x := range row {
		if c > 0 {
			j.put(",")
		}
		if d := t.Columns[c].Domain; d != nil && d.Labels != nil {
			j.string(d.Label(uint32(x)))
		} else {
			j.put(j.cell(t, c, x))
		}
	}
	j.put("]")
}
