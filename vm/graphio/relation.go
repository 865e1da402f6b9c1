package graphio

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"ein/internal/lists"
	"ein/vm/tensor"
)

// Relation is rows of typed columns, which are found by their names in the header, or by
// position where it lacks one of them.
const Relation Kind = "relation"

// Nodes is the domain that graphs share with relations.
const Nodes = "node"

// relationRows holds the rows of a relation column by column: the numbers of labels, or numbers.
// Cells are float64 in either case, as in package rel; names are numbered in the order in which
// they come.
type relationRows struct {
	cols   []tensor.Column
	labels *labelTable
	cells  []chunks[float64]
	header int          // rows at the beginning that turned out to name the columns
	lines  *chunks[int] // of the rows, if they are kept
	value  bool         // see Options

	once  sync.Once     // for what the first call of Tables makes of them
	table *tensor.Table // over the labels of the file alone
	err   error
}

// relation reads all rows. at gives the positions of the columns; with nil the first row decides.
func (t *table) relation(src source, at []int) {
	if len(t.opt.Columns) == 0 {
		panic(t.fatal(0, 0, "a relation cannot be bound here", "`ein run` binds relations; in a session, write the rows as facts"))
	}
	raw := &relationRows{cols: t.opt.Columns, labels: newLabelTable(t.mem)}
	for range raw.cols {
		raw.cells = append(raw.cells, chunks[float64]{mem: t.mem})
	}
	if t.opt.Lines {
		raw.lines, raw.value = &chunks[int]{mem: t.mem}, t.opt.Value
	}
	t.raw.relation = raw
	w, header := src.next(false), false
	t.width = len(at)
	var first *row // what the rows below decide on
	if at == nil {
		if w == nil {
			panic(t.fatal(0, 0, "the file has no rows", ""))
		}
		if w.bad != nil {
			t.rep.add(w.bad)
			return
		}
		t.first, t.width = w.line, len(w.cells)
		at, header = t.columnsOf(w)
		t.findFilters(w, header)
		switch {
		case header && t.lines != nil: // whose rows are in buffers
			t.names = w.clone(t.mem)
		case header:
			t.names = w
		}
		if !header && t.opt.Header == HeaderAuto {
			first = w.clone(t.mem)
		}
	}
	for skip := header; w != nil; skip, w = false, src.next(false) {
		if w.bad != nil {
			t.rep.add(w.bad)
		} else if !skip {
			t.tuple(w, at)
		}
	}
	t.lookUp()
	t.decideRelation(first)
	t.noteLeft()
	raw.labels.close()
}

// relationItems reads the items of a JSON array as rows with the cells in the order of the columns:
// an array has them in that order, an object by name.
type relationItems struct {
	*jsonFile
	byName []cell
}

// relationRows reads an array of rows.
func (f *jsonFile) relationRows() {
	f.expect('[', arrayOfRows)
	at := lists.Upto(len(f.opt.Columns))
	f.relation(&relationItems{jsonFile: f}, at)
}

// next returns the next row, with a mistake in its form in bad, so that reading goes on behind
// it.
func (r *relationItems) next(bool) *row {
	w := r.jsonFile.next(false)
	if w == nil {
		return nil
	}
	bad := func(msg, hint string) *row {
		w.bad = &Error{File: r.raw.File, Line: w.line, Column: w.col, Msg: msg, Hint: hint}
		return w
	}
	switch w.open {
	case 0:
		return bad(fmt.Sprintf("expected a row, as [...] or {...}, found %s", w.cells[0].shown()), "")
	case '{':
		cells := r.byName[:0]
		for _, c := range r.opt.Columns {
			named := func(x cell) bool { return strings.EqualFold(string(x.key), c.Name) }
			i := slices.IndexFunc(w.cells, named)
			if i < 0 {
				return bad(fmt.Sprintf("the row has no %q", c.Name), "it has "+w.keys())
			}
			if slices.ContainsFunc(w.cells[i+1:], named) {
				return bad(c.Name+": two fields have this name", "rename one")
			}
			cells = append(cells, w.cells[i])
		}
		w.cells, r.byName = cells, w.cells
	}
	for i, c := range r.opt.Columns[:min(len(w.cells), len(r.opt.Columns))] {
		x := &w.cells[i]
		if what := string(x.val); x.as == Other && !c.Kind.Named() && (what == "t" || what == "f") { // as in a table of Parquet
			x.as, x.val = Number, r.keep(fmt.Append(nil, strings.IndexByte("ft", what[0])))
		} else if x.as == Other && c.Kind == tensor.TextColumn && what == "n" {
			x.as, x.val = Text, nil
		}
		if c.Kind.Named() {
			x.val = asName(x.val, x.as)
		}
	}
	return w
}

// decideRelation decides whether a first row that may be a header is one, by the rule of
// [undecided]; if it cannot, the error asks. Only rows of names come here: words above numbers have
// been taken for a header before.
func (t *table) decideRelation(first *row) {
	if first == nil || len(t.rep.list) > 0 {
		return
	}
	r := t.raw.relation
	var ids []int
	recurs, below := t.sharing(r.cells[0].len(), func(i int) []int {
		ids = ids[:0]
		for c := range r.cells {
			if id := int(*r.cells[c].at(i)); r.cols[c].Kind.Named() && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		return ids
	})
	if recurs {
		return
	}
	for c := range r.cells {
		if !r.cols[c].Kind.Named() || isQuantity([]byte(*r.labels.labels.at(int(*r.cells[c].at(0))))) {
			return // a number names no column
		}
	}
	if !below {
		panic(&Error{File: t.raw.File, Line: first.line, Header: true, Hint: headerHint + ", or declare the columns by its names",
			Msg: fmt.Sprintf("is the first row a header or data? None of its cells occurs below: %s", first.names())})
	}
	r.header = 1
	t.noteHeader(first)
}

// columnsOf returns the positions of the columns, by a first row that may hold their names.
func (t *table) columnsOf(w *row) (at []int, header bool) {
	cols := t.opt.Columns
	var missing, elsewhere []string
	twice := ""
	for place, c := range cols {
		named := func(x cell) bool { return strings.EqualFold(string(x.val), c.Name) }
		i := slices.IndexFunc(w.cells, named)
		if at = append(at, i); i < 0 {
			missing = append(missing, c.Name)
		} else if i != place {
			elsewhere = append(elsewhere, c.Name)
		}
		if i >= 0 && slices.ContainsFunc(w.cells[i+1:], named) {
			twice = c.Name
		}
	}
	if len(missing) == 0 && t.opt.Header != HeaderNo {
		if twice != "" {
			panic(t.fatal(w.line, 0, twice+": two columns have this name", "rename one"))
		}
		return at, true
	}
	if len(w.cells) < len(cols) {
		panic(t.fatal(w.line, 0, fmt.Sprintf("expected the columns %s, found %s: %s", strings.Join(t.columnNames(), ", "), plural(len(w.cells), "column"), w.names()), t.separatorHint(w)))
	}
	header = t.opt.Header == HeaderYes
	for i, c := range cols {
		at[i] = i
		if _, bad := parseCell(w.cells[i].val, c.Kind); bad != "" && t.opt.Header != HeaderNo {
			header = true // a word where numbers are
		}
	}
	left := ""
	if len(elsewhere) > 0 {
		left = ", but " + strings.Join(elsewhere, ", ") + " in another place"
	}
	if n := len(w.cells) - len(cols); n > 0 {
		left += "; " + plural(n, "column") + " not used"
	}
	t.placed = fmt.Sprintf("columns are taken by position as %s: the first row has no %s%s", strings.Join(t.columnNames(), ", "), strings.Join(missing, ", "), left)
	t.raw.Warnings = append(t.raw.Warnings, Warning{File: t.raw.File, Line: w.line, Code: "header", Note: len(missing) == len(cols), Msg: t.placed})
	if header {
		t.placed += "; the first row is " + w.names()
	}
	if header && t.opt.Header == HeaderAuto {
		t.noteHeader(w)
	}
	return at, header
}

// columnNames is the names of the columns as they are declared.
func (t *table) columnNames() []string {
	return lists.Map(t.opt.Columns, func(c tensor.Column) string { return c.Name })
}

// lookUp looks up the labels that wait, each of which has its own line if there is no memory for it.
func (t *table) lookUp() {
	labels, line := t.raw.relation.labels, t.line
	t.line = &labels.line
	labels.flush()
	t.line = line
}

// tuple adds a row.
func (t *table) tuple(w *row, at []int) {
	r := t.raw.relation
	if t.seen++; t.seen > t.opt.MaxEdges {
		panic(t.atLimit(w.line, "more than the limit of "+plural(t.opt.MaxEdges, "row")))
	}
	if t.ragged(w) || !t.keeps(w) {
		return
	}
	for i, c := range r.cols {
		x := &w.cells[at[i]]
		v, bad := parseCell(x.val, c.Kind)
		if x.as == Other && bad == "" { // its text only shows what it is
			bad = "a string or a number"
		}
		if bad != "" {
			line, col := w.place(at[i])
			hint := notUTF8(x.val)
			if _, no := parseCell(x.val, tensor.RealColumn); x.as == Other && (string(x.val) == "t" || string(x.val) == "f") {
				hint = "a column of type int takes true for 1 and false for 0"
			} else if len(bytes.TrimSpace(x.val)) == 0 || x.as == Other && string(x.val) == "n" {
				hint = "fill in the cell or remove the row; only a column of type text may have empty cells"
				if x.as == Plain {
					hint += "; " + t.without(at[i], nil)
				}
			} else if missing(x.val) && x.as == Plain || t.names != nil && x.as == Other && isNonFinite(x.val) {
				hint = t.without(at[i], x.val)
			} else if what := strings.ToLower(string(x.val)); x.as == Plain && (what == "true" || what == "false") {
				hint = "write 1 for true and 0 for false"
			} else if hasCommas(x.val) && x.as == Plain && !c.Kind.Named() {
				hint = noCommas
			} else if _, whole := parseSize(x.val); whole {
				hint = "numbers that name things, such as account numbers, have type node"
			} else if c.Kind == tensor.IntColumn && no == "" {
				hint = "a column of type real may have decimals"
			} else if hint == "" {
				hint, t.placed = t.placed, ""
			}
			t.bad(line, col, fmt.Sprintf("expected %s in the column `%s`, found %s", bad, c.Name, x.shown()), hint)
			return
		}
		r.cells[i].add(v)
		if c.Kind.Named() {
			if !r.labels.waits(x.val) {
				t.lookUp()
			}
			r.labels.later(x.val, w.line, r.cells[i].last())
		}
	}
	if r.lines != nil {
		r.lines.add(w.line)
	}
}

// parseCell parses a cell as a number, or says what was expected.
func parseCell(val []byte, k tensor.ColumnKind) (x float64, expected string) {
	text := strings.TrimSpace(string(val))
	switch k {
	case tensor.NodeColumn, tensor.TextColumn:
		if len(val) == 0 && k == tensor.NodeColumn {
			return 0, "a node"
		}
		if !utf8.ValidString(text) {
			return 0, "UTF-8"
		}
		return 0, ""
	}
	x, problem := parseValue([]byte(text))
	if _, whole := parseSize([]byte(strings.TrimPrefix(text, "-"))); problem != "" && whole ||
		k == tensor.IntColumn && (problem != "" || x != math.Trunc(x) || math.Abs(x) >= tensor.MaxInt) {
		return 0, "a whole number below 2^53"
	}
	if problem != "" {
		return 0, "a number"
	}
	return x + 0, "" // one zero
}

// Tables returns the values of relations over domains, each shared by all relations. labels holds
// the names of each domain that are known before, and gets the new ones. Each relation was read over
// labels of its own, which are put behind those of the relations before it.
func Tables(raws []*Raw, labels map[string][]string) ([]*tensor.Table, error) {
	domains := map[string]*tensor.Domain{}
	var tables []*tensor.Table
	for _, raw := range raws {
		r := raw.relation
		r.once.Do(func() { r.err = caught(raw.settle) })
		if r.err != nil {
			return nil, refused(r.err, raw.File, 0)
		}
		t := *r.table
		t.Columns, t.Cells = slices.Clone(t.Columns), slices.Clone(t.Cells)
		behind := map[*tensor.Domain][]uint32{}
		for c, col := range t.Columns {
			d := col.Domain
			if d == nil {
				continue
			}
			to, known := behind[d]
			if !known {
				domains[d.Name], to = d.Behind(labels[d.Name])
				labels[d.Name], behind[d] = domains[d.Name].Labels, to
			}
			if to != nil {
				t.Cells[c].ID = lists.Map(t.Cells[c].ID, func(id uint32) uint32 { return to[id] })
			}
		}
		tables = append(tables, &t)
	}
	for _, t := range tables {
		t.Over(domains)
	}
	return tables, nil
}

// nodeNames are the nodes of a relation whose table was made.
func (r *Raw) nodeNames() []string {
	for _, c := range r.relation.table.Columns {
		if c.Domain != nil && c.Domain.Name == Nodes {
			return c.Domain.Labels
		}
	}
	return nil
}

// settle makes the table of what was read, over domains that have only its labels, in the order of
// their first appearance in a column of the domain.
func (r *Raw) settle() {
	rel, t := r.relation, &tensor.Table{}
	n := rel.cells[0].len() - rel.header
	type domain struct {
		*tensor.Domain
		to []uint32 // from the labels of the file, counted from 1
	}
	domains := map[string]*domain{}
	over := make([]*domain, len(rel.cols))
	for c, col := range rel.cols {
		if col.Kind.Named() {
			name := col.Domain.Name
			if domains[name] == nil {
				domains[name] = &domain{&tensor.Domain{Name: name}, newSlice[uint32](&r.mem, rel.labels.len())}
			}
			over[c] = domains[name]
			col.Domain = over[c].Domain
		}
		t.Columns = append(t.Columns, col)
	}
	for i := range n {
		for c, d := range over {
			if d == nil {
				continue
			}
			if label := int(*rel.cells[c].at(i + rel.header)); d.to[label] == 0 {
				d.Labels = append(d.Labels, *rel.labels.labels.at(label))
				d.to[label] = uint32(len(d.Labels))
			}
		}
	}
	for _, d := range domains {
		d.Size, d.Labels = len(d.Labels), slices.Clip(d.Labels)
		r.mem.take(d.Size * sizeOf[string]())
	}
	rel.labels.labels.drop()
	for c, d := range over {
		var cells tensor.Cells
		if d != nil {
			cells.ID = newSlice[uint32](&r.mem, n)
		} else {
			cells.Num = newSlice[float64](&r.mem, n)
		}
		for i, x := range rel.cells[c].all() {
			if i -= rel.header; i < 0 {
				continue
			}
			if d != nil {
				cells.ID[i] = d.to[int(x)] - 1
			} else {
				cells.Num[i] = x
			}
		}
		rel.cells[c].drop() // so that rows never take twice their memory
		t.Cells = append(t.Cells, cells)
	}
	if rel.lines != nil {
		t.Origin = &tensor.Origin{File: r.File, Lines: rel.lines.flat()[rel.header:], Value: rel.value}
	}
	for _, d := range domains {
		r.mem.give(len(d.to) * sizeOf[uint32]())
	}
	r.mem.take(n * tensor.SortBytes)
	t.Len = n
	t.Sort()
	r.mem.give(n * tensor.SortBytes)
	if n -= t.Len; n > 0 {
		r.Warnings = append(r.Warnings, Warning{File: r.File, Code: "repeated", Note: true, Msg: plural(n, "row") + " repeated; a repeated row adds nothing"})
	}
	rel.table = t
}
