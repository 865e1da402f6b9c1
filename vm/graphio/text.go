package graphio

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ein/internal/lists"
)

// columns gives the positions, from 0, of what is read from a row; -1 stands for none.
type columns struct{ src, dst, weight int }

// table turns rows into a graph, a matrix or a vector: rows of text, or of JSON other than a dense
// array. The first row, and what is below it, decides on the header and the columns (layout,
// decide); take reads each row by that. What was seen on the way becomes warnings at the end.
type table struct {
	*reader
	d     dialect
	lines *textRows // of text
	cols  columns
	width int  // cells in every row of text
	names *row // of the columns, nil without a header
	first int  // line of the first row
	third bool // the weights are where they are for being the third of three columns

	passed  int // the third of three columns, from 1, that begins with no number; else 0
	amounts int // numbers in it

	neighbours  int // rows whose weight may be a third node
	least, most int // of these

	values *ids // of the column that becomes columns

	maybe *undecided // the first row, while it may be a header as well as data

	data chunks[float64] // of a vector without nodes
	seen int             // rows of data
	left int             // rows that filters leave out

	placed string // said once: how the columns of a relation were found, where not by name
}

// text reads delimited text: edges, or a vector as one column of values, as nodes and values, or as
// the nodes of a set.
func (r *reader) text(d dialect) {
	src := &textRows{src: newLines(r.in), d: d}
	r.line = &src.src.no
	for line := []byte{}; d.told && line != nil && len(line) == 0; {
		line = src.src.next() // blank ones, and the one that tells
	}
	t := &table{reader: r, d: d, lines: src, data: chunks[float64]{mem: r.mem}}
	t.readRows(src)
}

// readRows reads all rows. The first may hold the names of the columns: where that depends on what
// comes below, it is held until the rows below have decided (undecided).
func (t *table) readRows(src source) {
	if t.opt.Kind == Relation {
		t.relation(src, nil)
		return
	}
	w := src.next(false)
	if w == nil {
		t.end()
		return
	}
	if w.bad != nil {
		t.rep.add(w.bad) // nothing further is known without a first row
		return
	}
	first := w
	if t.lines != nil { // whose rows are in buffers
		first = w.clone(t.mem)
	}
	t.first, t.width = first.line, len(first.cells)
	w = src.next(false)
	second := w
	if w != nil && w.bad != nil {
		second = nil
	}
	header := t.layout(first, second)
	t.findFilters(first, header)
	if r, ok := src.(*tableRows); ok {
		r.only(func(c int) bool { return t.uses(c) || c == t.passed-1 })
	}
	switch {
	case header:
		t.names = first
	case t.open(first):
		t.hold(first)
	default:
		t.take(first)
	}
	if w != nil {
		t.take(w)
		t.takeAll(src)
	}
	t.decide(first)
	t.end()
}

// uses reports whether a column is read.
func (t *table) uses(c int) bool {
	return c == t.cols.src || c == t.cols.dst || c == t.cols.weight || slices.ContainsFunc(t.opt.Where, func(f Filter) bool { return f.at == c })
}

// mayBeMatrix warns of rows that are read as edges and look like those of a matrix: all nodes are
// decimals; or they are 0 and 1, and there are as many rows as columns, before which one without a
// name may have labels.
func (t *table) mayBeMatrix() {
	const instead = "; a matrix is read from JSON, NPY or Matrix Market"
	n, e := t.width, &t.raw.edges
	if t.names != nil && len(t.names.cells[0].val) == 0 {
		n--
	}
	zero := t.cols.weight < 0 || t.zero > 0
	for _, x := range e.w.all() {
		if t.seen > n {
			break
		}
		zero = zero || x == 0
	}
	switch {
	case t.lines == nil || t.raw.form == byNode || e.len() == 0 || t.values != nil:
	case t.ids.labelled():
		list := &t.ids.labels.labels
		for i := range list.len() {
			if l := []byte(*list.at(i)); t.ids.want != IDsAuto || !isQuantity(l) || !bytes.ContainsAny(l, ".eE") || isNonFinite(l) {
				return
			}
		}
		t.warn("square", t.first, "the nodes are numbers such as "+quote([]byte(*list.at(0)))+", read as labels because a node number has digits only"+instead)
	case n > 1 && t.seen == n && t.width > 2 && t.ids.max <= 1 && zero:
		t.warn("square", t.first, fmt.Sprintf("%s of %d numbers are read as edges of the nodes 0 and 1%s", plural(t.seen, "row"), n, instead))
	}
}

// mayBeNeighbours notes that a third column read as weights may be nodes, as in a list of the
// neighbours of each node: it has other nodes than its row, and no two rows have the same first.
func (t *table) mayBeNeighbours() {
	if t.neighbours < 2 || t.neighbours != t.seen || t.least == t.most || t.most > t.ids.max {
		return
	}
	sources := set{mem: t.mem}
	for _, p := range t.raw.edges.at.all() {
		if !sources.add(int(p[0])) {
			return
		}
	}
	t.raw.Warnings = append(t.raw.Warnings, Warning{File: t.raw.File, Line: t.first, Code: "weights", Note: true,
		Msg: "the third column is read as weights, and could be nodes; " + oneEdge})
}

const oneEdge = "an adjacency list is not read, only one edge in each row"

// noteLeft counts the rows that where= leaves out.
func (t *table) noteLeft() {
	if t.left > 0 {
		t.raw.Warnings = append(t.raw.Warnings, Warning{File: t.raw.File, Code: "where", Note: t.left < t.seen,
			Msg: fmt.Sprintf("where= leaves out %d of %s", t.left, plural(t.seen, "row"))})
	}
}

// end checks and stores the whole.
func (t *table) end() {
	if t.lines != nil {
		t.warnComments(t.lines.late, t.lines.lateLine, "the first row", t.d.comments)
	}
	t.noteUnused()
	t.mayBeMatrix()
	t.mayBeNeighbours()
	t.noteLeft()
	if t.amounts > 0 {
		t.warn("weights", t.first, fmt.Sprintf("the third column has a number in %d of %s, but not in the first, so it is not read as weights; weight=%d reads it, weight=none leaves it out",
			t.amounts, plural(t.seen, "row"), t.passed))
	}
	if t.values != nil && t.values.labels != nil && len(t.rep.list) == 0 {
		t.endOneHot()
	}
	if t.opt.Kind == Graph || t.opt.Kind == Matrix {
		if t.width == 0 && t.d.comments == "" {
			panic(t.fatal(0, 0, "the file has no rows", ""))
		}
		return
	}
	if t.seen == 0 && len(t.rep.list) == 0 {
		panic(t.fatal(0, 0, "the file has no values", ""))
	}
	if t.raw.form == byNode {
		return
	}
	data := t.data.flat()
	switch {
	case t.opt.Kind == Vector:
		t.array(data, len(data))
	case len(data) > 1:
		panic(t.fatal(0, 0, fmt.Sprintf("expected one number, found %d", len(data)), "where= selects rows"))
	default:
		t.array(data)
	}
}

// unusedColumn is a column that is not read: its number, from 0, and its name in messages.
type unusedColumn struct {
	at   int
	name string
}

// maxUnused is how many unused columns are kept for Bind.
const maxUnused = 256

// noteUnused keeps the columns that are not read, and asks for a warning unless all columns that
// are read were chosen by name. Bind writes the warning, since it knows what other inputs read from
// the same file.
func (t *table) noteUnused() {
	for c := range t.width {
		if t.uses(c) {
			continue
		}
		if len(t.raw.unused) == maxUnused {
			t.raw.more++
			continue
		}
		name := strconv.Itoa(c + 1)
		if t.names != nil && len(t.names.cells[c].val) > 0 {
			name = quote(t.names.cells[c].val)
		}
		t.raw.unused = append(t.raw.unused, unusedColumn{c, name})
	}
	o := &t.opt
	chosen := (t.cols.src < 0 || o.Source != "") && (t.cols.dst < 0 || o.Target != "" || o.OneHot != "") && (t.cols.weight < 0 || o.Weight != "")
	if t.names != nil && t.cols.dst >= 0 && t.opt.OneHot+t.opt.Source+t.opt.Target == "" {
		if _, known := knownPair(t.names); !known {
			t.raw.between = fmt.Sprintf("; edges lead from %s to %s: from= and to= name other columns", quote(t.names.cells[t.cols.src].val), quote(t.names.cells[t.cols.dst].val))
		}
	}
	if t.raw.seen = t.seen; len(t.raw.unused) > 0 && t.seen > 0 && !chosen {
		t.warn("unused", t.first, "")
	}
}

// layout decides on the header and the columns. Names of columns that options give come first, then
// the usual ones, then positions. The second row only tells whether words of the first stand above
// numbers.
func (t *table) layout(first, second *row) (header bool) {
	named := false
	for _, s := range []string{t.opt.Source, t.opt.Target, t.opt.Weight, t.opt.OneHot} {
		named = named || s != "" && s != NoWeight && !isPosition(s)
	}
	for _, f := range t.opt.Where {
		named = named || !isPosition(f.Column)
	}
	if named && t.opt.Header == HeaderNo {
		panic(t.fatal(0, 0, "columns are given by name, but header=no says that they have no names", "give positions, counted from 1"))
	}
	header = named || t.opt.Header == HeaderYes
	if t.opt.Kind == Vector || t.opt.Kind == Scalar {
		return t.vectorLayout(first, header)
	}
	if t.opt.OneHot != "" {
		t.oneHotLayout(first, header)
		return header
	}
	if t.opt.Source == "" && t.opt.Target == "" && t.width > 2 && slices.Contains([]string{"->", "--", "=>", "<-"}, string(first.cells[1].val)) {
		panic(t.fatal(first.line, 0, fmt.Sprintf("the second column is an arrow, %q, not a node", first.cells[1].val), "from=1&to=3&weight=none reads the nodes around it"))
	}
	var pair bool
	t.cols, pair = knownPair(first)
	if !pair {
		t.cols = columns{src: 0, dst: 1}
		// No node is empty: this is the header of a table with an index, as pandas
		// writes it, and the nodes stand beside that.
		if t.width > 2 && len(first.cells[0].val) == 0 && t.opt.Header != HeaderNo {
			t.cols, pair = columns{src: 1, dst: 2}, true
			if t.opt.Header == HeaderAuto && !header {
				t.noteHeader(first)
			}
		}
	}
	if t.opt.Header == HeaderAuto {
		header = header || pair
	}
	if !header {
		t.cols = columns{src: 0, dst: 1}
	}
	t.cols.src = t.pick(first, header, t.opt.Source, t.opt.called("from", "source"), t.cols.src)
	t.cols.dst = t.pick(first, header, t.opt.Target, t.opt.called("to", "target"), t.cols.dst)
	for _, c := range []int{t.cols.src, t.cols.dst} {
		if c >= t.width {
			panic(t.fatal(first.line, 0, fmt.Sprintf("expected at least 2 columns, found %d", t.width), t.separatorHint(first)))
		}
	}
	if t.cols.src == t.cols.dst {
		panic(t.fatal(first.line, 0, fmt.Sprintf("from and to are both column %d", t.cols.src+1), "give from= and to=; a shell ends a command at an & outside quotes"))
	}
	if t.opt.Header == HeaderAuto && !header {
		if header = t.numbersBelow(first, second); header {
			t.noteHeader(first)
		}
	}
	// Where the first row may yet be either, its cells are names unless one of
	// them is a number: as data it would lack its weight, which decide says.
	names := header || t.open(first) && !slices.ContainsFunc(first.cells, func(c cell) bool { return isQuantity(c.val) })
	t.cols.weight = t.weightColumn(first, second, names)
	if third := 3 - t.cols.src - t.cols.dst; t.cols.weight < 0 && t.width == 3 && t.opt.Weight == "" && !isIndex(first.cells[third].val) {
		t.passed = third + 1
	}
	return header
}

// isQuantity reports whether a field is a number of any form, not only an id.
func isQuantity(b []byte) bool {
	_, err := strconv.ParseFloat(string(b), 64)
	return err == nil
}

// weightColumn finds the column of the weights in a table.
func (t *table) weightColumn(first, second *row, header bool) int {
	switch {
	case t.opt.Weight == NoWeight:
		return -1
	case t.opt.Weight != "":
		return t.pick(first, header, t.opt.Weight, "weight", -1)
	}
	var name func(int) []byte
	if header {
		name = func(c int) []byte { return first.cells[c].val }
	}
	number := func(c int) bool { return second == nil || c >= len(second.cells) || isQuantity(second.cells[c].val) }
	c, ok := t.weightAmong(t.width, t.cols, name, number)
	if !ok {
		hint := "give weight=, or weight=none to make every row weigh 1"
		if bytes.HasPrefix(first.cells[2].val, []byte("{")) {
			hint = "write_weighted_edgelist of NetworkX writes them as numbers; weight=none makes every row weigh 1"
		}
		panic(t.fatal(first.line, 0, fmt.Sprintf("which of the %d columns holds the weights?", t.width), hint))
	}
	t.third = c >= 0 && (!header || !isWeight(first.cells[c].val))
	return c
}

// weightAmong finds the weights if no option names them: in the column called weight or w, else in
// the third of three columns, unless that has another name and does not begin with a number; in a
// graph it is then not a weight. The index of a table is never the weight. ok is false where a matrix has to ask.
func (r *reader) weightAmong(n int, cols columns, name func(int) []byte, number func(int) bool) (at int, ok bool) {
	graph := r.opt.Kind == Graph
	at = -1
	for c := range n {
		if name != nil && c != cols.src && c != cols.dst && isWeight(name(c)) && (at < 0 || len(name(c)) > len(name(at))) {
			at = c
		}
	}
	switch {
	case at >= 0 || n == 2:
	case n == 3:
		at = 3 - cols.src - cols.dst
		if name != nil && isIndex(name(at)) {
			return -1, graph
		}
		if graph && name != nil && !number(at) {
			at = -1
		}
	default:
		return -1, graph
	}
	return at, true
}

// isIndex reports whether a name is that of the index of a table of pandas, in CSV or in Parquet.
func isIndex(name []byte) bool {
	return len(name) == 0 || bytes.HasPrefix(name, []byte("__index_level_"))
}

// isWeight reports whether a name is one of weights. If a row has two, the longer counts.
func isWeight(name []byte) bool {
	return strings.EqualFold(string(name), "weight") || strings.EqualFold(string(name), "w")
}

// oneHotLayout is layout for a matrix with one column for each value of a column of a table.
func (t *table) oneHotLayout(first *row, header bool) {
	t.values = &ids{want: IDsLabel, limit: t.opt.MaxNodes, mem: t.mem}
	t.cols = columns{src: -1, dst: -1, weight: -1}
	t.cols.dst = t.pick(first, header, t.opt.OneHot, "onehot", -1)
	t.cols.src = t.pick(first, header, t.opt.Source, t.opt.called("from", "source"), 0)
	if t.cols.src == t.cols.dst {
		panic(t.fatal(first.line, 0, fmt.Sprintf("from and onehot are both column %d", t.cols.src+1), "give from=, the column of the nodes"))
	}
}

// endOneHot numbers the values in their order, and notes the number of each.
func (t *table) endOneHot() {
	list, raw := &t.values.labels.labels, t.raw
	order := newSlice[int32](t.mem, list.len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return strings.Compare(*list.at(int(a)), *list.at(int(b))) })
	place := newSlice[int32](t.mem, len(order))
	raw.values = chunks[string]{mem: t.mem}
	for i, v := range order {
		place[v] = int32(i)
		raw.values.add(*list.at(int(v)))
	}
	raw.edges.at.replace(func(p pair) pair { return pair{p[0], place[p[1]]} })
	var shown []string
	for i := range min(raw.values.len(), maxShown) {
		shown = append(shown, fmt.Sprintf("%d is %s", i, quote([]byte(*raw.values.at(i)))))
	}
	raw.valueTexts = t.values.labels.texts
	raw.Warnings = append(raw.Warnings, Warning{File: raw.File, Code: "columns", Note: true,
		Msg: fmt.Sprintf("the columns are the values of %s: %s", t.opt.OneHot, some(shown, raw.values.len()))})
}

// vectorLayout is layout for vectors and scalars.
func (t *table) vectorLayout(first *row, header bool) (_ bool) {
	t.cols = columns{src: -1, dst: -1, weight: -1}
	vector, named := t.opt.Kind == Vector, strings.EqualFold(string(first.cells[0].val), "node")
	switch {
	case vector && (t.opt.Weight == NoWeight || t.width == 1 && t.opt.Weight == "" && (t.opt.Source != "" || named && t.opt.Header != HeaderNo)):
		t.cols.src = t.pick(first, header, t.opt.Source, t.opt.called("from", "source"), 0)
		if t.raw.form = byNode; t.opt.Default == nil {
			t.raw.opt.Default = new(float64)
		}
		return header || named && t.opt.Header == HeaderAuto
	case t.opt.Source == "" && t.opt.Weight == "" && (t.width == 1 || t.width == 2 && vector):
		if t.cols.src, t.cols.weight = t.width-2, t.width-1; t.width == 2 && isIndex(first.cells[1].val) && t.lines == nil {
			t.cols.src, t.cols.weight = 1, 0
		}
	case t.opt.Weight == "" && (t.width != 2 || !vector):
		hint := "give weight="
		if vector {
			hint += ", and from= for the column of the nodes"
		}
		panic(t.fatal(first.line, 0, fmt.Sprintf("which of the %s holds the values?", plural(t.width, "column")), hint))
	}
	// Without a header there are no names to find, so the values decide on it
	// after the columns are known by position.
	t.cols.src = t.pick(first, header, t.opt.Source, t.opt.called("from", "source"), t.cols.src)
	if t.opt.Weight == "" && t.opt.Source != "" {
		t.cols.weight = 1 - t.cols.src
	}
	t.cols.weight = t.pick(first, header, t.opt.Weight, "weight", t.cols.weight)
	if t.cols.src == t.cols.weight {
		panic(t.fatal(first.line, 0, fmt.Sprintf("from and weight are both column %d", t.cols.src+1), ""))
	}
	if t.cols.src >= 0 {
		t.raw.form = byNode
	} else if t.opt.IDs != "" || t.opt.Nodes != 0 || t.opt.Default != nil || t.opt.Extra != "" {
		panic(t.fatal(0, 0, "the options default, extra, ids and nodes are for a vector with a column of nodes", "this one has values only; from= names that column"))
	} else {
		t.raw.byRow = t.width > 1
	}
	if t.opt.Header == HeaderAuto && t.opt.Test == nil && isName(first.cells[t.cols.weight].val) {
		header = true
	}
	return header
}

// pick returns the column that an option names, or def.
func (t *table) pick(first *row, header bool, opt, key string, def int) int {
	if opt == "" {
		return def
	}
	if isPosition(opt) {
		n, err := strconv.Atoi(opt)
		if err != nil || n < 1 || n > t.width {
			panic(t.fatal(first.line, 0, fmt.Sprintf("%s=%s: expected a column from 1 to %d", key, opt, t.width), t.separatorHint(first)))
		}
		return n - 1
	}
	named := func(f cell) bool { return string(f.val) == opt }
	c := slices.IndexFunc(first.cells, named)
	if c < 0 || !header {
		panic(t.fatal(first.line, 0, fmt.Sprintf("%s=%s: no such column", key, opt),
			"the columns are "+first.names()))
	}
	if slices.ContainsFunc(first.cells[c+1:], named) {
		panic(t.fatal(first.line, 0, fmt.Sprintf("%s=%s: two columns have this name", key, opt), "give the position"))
	}
	return c
}

// takeAll reads the rows of a source.
func (t *table) takeAll(src source) {
	for w := src.next(t.takesPairs()); w != nil; w = src.next(t.takesPairs()) {
		t.take(w)
	}
}

// takesPairs reports whether a row of two node numbers is an edge without further checks.
func (t *table) takesPairs() bool {
	return t.ids.mode == IDsNumber && t.cols == columns{src: 0, dst: 1, weight: -1} && (t.width == 2 || t.width == 0) && len(t.opt.Where) == 0 && t.values == nil
}

// ragged reports whether a row has the wrong number of cells, which is an error.
func (t *table) ragged(w *row) bool {
	if t.width == 0 || len(w.cells) == t.width {
		return false
	}
	why, hint := "", ""
	if t.first > 0 {
		why = " as in the first row"
	}
	if t.isComment(w) {
		hint = noComments
	} else if t.lines != nil && t.d.sep == 0 && t.opt.Kind != Relation {
		hint = oneEdge
	}
	t.badCell(w, min(len(w.cells), t.width), &Error{Msg: fmt.Sprintf("expected %s%s, found %d", plural(t.width, "field"), why, len(w.cells)), Hint: hint})
	return true
}

// take reads one row. A row with a mistake is reported and left out, so that up to 20 are found at
// once.
func (t *table) take(w *row) {
	if w.bad != nil {
		t.rep.add(w.bad)
		return
	}
	t.seen++
	if t.maybe != nil && !t.maybe.recurs {
		t.maybe.below(w, t.cols.weight)
	}
	if w.isPair {
		if p := w.pair; t.ids.fits(p[0]) && t.ids.fits(p[1]) {
			t.edge(int32(p[0]), int32(p[1]), 1, false, w.line)
			return
		}
		w.split(t.d.sep) // to say which is wrong
	}
	if t.ragged(w) || !t.keeps(w) {
		return
	}
	if t.cols.src < 0 {
		if w.blank > 0 {
			t.bad(w.blank, 1, "a blank line among the values", "")
			return
		}
		x, ok := t.weight(w)
		if !ok {
			return
		}
		t.element(&t.data, x, w.line)
		return
	}
	src, ok := t.nodeOf(&t.ids, w, t.cols.src)
	if !ok {
		return
	}
	if t.raw.form == byNode {
		x, ok := t.weight(w)
		if !ok {
			return
		}
		t.element(&t.raw.edges.w, x, w.line)
		t.raw.edges.add(pair{src}, w.line)
		return
	}
	to := &t.ids
	if t.values != nil {
		to = t.values
		if len(w.cells[t.cols.dst].val) == 0 {
			t.badCell(w, t.cols.dst, &Error{Msg: "the value is empty", Hint: fmt.Sprintf("where=%s!= leaves out such rows", t.opt.OneHot)})
			return
		}
	}
	dst, ok := t.nodeOf(to, w, t.cols.dst)
	if !ok {
		return
	}
	if t.maybe != nil && (src < t.maybe.labels || dst < t.maybe.labels) {
		t.maybe.recurs = true
	}
	if t.passed > 0 && isQuantity(w.cells[t.passed-1].val) {
		t.amounts++
	}
	x, ok := t.weight(w)
	if !ok {
		return
	}
	if t.lines != nil && t.third && t.names == nil && t.neighbours == t.seen-1 && t.ids.mode == IDsNumber && isNumber(w.cells[t.cols.weight].val) && x != float64(src) && x != float64(dst) {
		if t.neighbours++; t.neighbours == 1 {
			t.least, t.most = int(x), int(x)
		}
		t.least, t.most = min(t.least, int(x)), max(t.most, int(x))
	}
	t.edge(src, dst, x, t.cols.weight >= 0 && t.cols.weight < len(w.cells), w.line)
}

// nodeOf returns the node that a cell names.
func (t *table) nodeOf(list *ids, w *row, c int) (id int32, ok bool) {
	v := &w.cells[c]
	if v.as == Other {
		t.badCell(w, c, &Error{Msg: "expected a node as a number or a string, found " + v.shown()})
		return 0, false
	}
	id, problem := list.node(v.val, v.as)
	if problem != nil {
		if len(v.val) == 0 && t.names != nil {
			problem.Hint = t.without(c, nil)
		}
		t.badCell(w, c, problem)
	}
	return id, problem == nil
}

// weight returns the weight of a row, 1 if no column holds it.
func (t *table) weight(w *row) (float64, bool) {
	c := t.cols.weight
	if c < 0 || c >= len(w.cells) {
		return 1, true
	}
	if t.opt.Test != nil {
		pass, ok := t.holds(w, t.opt.Test, "weight")
		if pass {
			return 1, ok
		}
		return 0, ok
	}
	v := &w.cells[c]
	x, problem := 0.0, ""
	if v.as == Text || v.as == Other {
		problem = "expected a number, found " + v.shown()
	} else if x, problem = parseValue(v.val); problem == "" {
		return x, true
	}
	e := &Error{Msg: problem}
	if v.as == Text && t.names != nil && isQuantity(v.val) {
		e.Hint = "a text is no weight, whatever it looks like; a query makes a number of it with CAST"
	} else if (missing(v.val) || isNonFinite(v.val)) && t.names != nil {
		e.Hint = t.without(c, v.val)
	} else if v.as == Text || v.as == Other {
		e = t.noNumber(e)
	} else if _, whole := parseSize(bytes.TrimLeft(v.val, "+-")); whole && isQuantity(v.val) {
		e.Hint = fmt.Sprintf("as a real number, %s.0, it is rounded", asWritten(v.val))
	} else if !isQuantity(v.val) {
		e = t.noNumber(e)
		if w.line == t.first && t.opt.Header == HeaderAuto {
			e.Hint = strings.TrimPrefix(e.Hint+"; header=yes reads the first row as names", "; ")
		}
		if t.otherSeparator(w) != "" {
			e.Hint = t.separatorHint(w)
		} else if hasCommas(v.val) {
			e.Hint = noCommas
		} else if t.opt.Kind == Vector && t.width == 1 {
			e.Hint = "from=1 reads the nodes of a set, and header=yes their name above"
		}
	}
	t.badCell(w, c, e)
	return 0, false
}

// without is the hint of the filter that leaves out rows with a cell such as this.
func (t *table) without(c int, val []byte) string {
	if t.names == nil {
		return fmt.Sprintf("where=%d!=%s&header=no leaves out such rows", c+1, escapes.Replace(string(val)))
	}
	return fmt.Sprintf("where=%s!=%s leaves out such rows", escapes.Replace(string(t.names.cells[c].val)), escapes.Replace(string(val)))
}

const noCommas = "a number is written as 1234.5, without commas"

// hasCommas reports whether a cell is a number with commas in it, for its point or between thousands.
func hasCommas(b []byte) bool {
	return bytes.IndexByte(b, ',') > 0 && isQuantity(bytes.ReplaceAll(b, []byte(","), nil))
}

// missing reports whether a cell says that there is no value.
func missing(b []byte) bool {
	return slices.Contains([]string{"", "na", "n/a", "nan", "null", "none", "nil", "-", "?"}, strings.ToLower(string(b)))
}

// noNumber adds the hint of weight=none to an error in a column that is only taken for the weight.
func (t *table) noNumber(e *Error) *Error {
	if t.third {
		e.Hint = "weight=none ignores the weights"
	}
	return e
}

// badCell records what is wrong with a cell.
func (r *reader) badCell(w *row, c int, e *Error) {
	if !r.rep.full() {
		e.Line, e.Column = w.place(c)
	}
	r.rep.add(e)
}

// knownPair finds the columns of the source and the target by the usual names.
func knownPair(w *row) (columns, bool) {
	at := map[string]int{}
	for i, f := range w.cells {
		name := strings.ToLower(string(f.val))
		name = strings.TrimSuffix(strings.TrimSuffix(name, "id"), "_")
		if _, twice := at[name]; !twice {
			at[name] = i
		}
	}
	for _, p := range [][2]string{
		{"source", "target"}, {"source", "destination"}, {"src", "dst"}, {"src", "dest"}, {"src", "tgt"},
		{"from", "to"}, {"fromnode", "tonode"}, {"from_node", "to_node"},
	} {
		s, okS := at[p[0]]
		d, okD := at[p[1]]
		if okS && okD {
			return columns{src: s, dst: d}, true
		}
	}
	return columns{}, false
}

// isName reports whether a field can be the name of a column: it begins with a letter and does not
// spell infinity or not-a-number.
func isName(b []byte) bool {
	return len(b) > 0 && (b[0]|0x20 >= 'a' && b[0]|0x20 <= 'z' || b[0] == '_' || b[0] >= 0x80) && !isNonFinite(b)
}

// isPosition reports whether an option gives a column by its place: it has digits alone.
func isPosition(s string) bool {
	_, ok := parseSize([]byte(s))
	return ok
}

// separatorHint says what separates fields, and how a file is read whose first row has another
// separator.
func (t *table) separatorHint(first *row) string {
	if t.lines == nil {
		return ""
	}
	if t.isComment(first) {
		return noComments
	}
	name := map[byte]string{0: "blanks", '\t': "tabs", ',': "commas", ';': "semicolons", '|': "bars"}
	return "fields are separated by " + name[t.d.sep] + " here" + t.otherSeparator(first)
}

const noComments = "CSV has no comments; format=edges skips lines that begin with #"

// isComment reports whether a row is a comment in other formats than CSV.
func (t *table) isComment(w *row) bool {
	return t.lines != nil && t.d.comments == "" && len(w.cells) > 0 && bytes.HasPrefix(w.cells[0].val, []byte("#"))
}

// otherSeparator says how fields are read that one cell holds with another separator between them,
// "" if it does not.
func (t *table) otherSeparator(w *row) string {
	other := func(sep byte) bool {
		return len(w.cells) == 1 && t.d.sep != sep && bytes.IndexByte(w.cells[0].val, sep) >= 0
	}
	switch {
	case other(';') && t.d.sep == ',':
		return ", by semicolons only if the first row has no comma"
	case other(';'):
		return "; format=csv reads semicolons"
	case other('\t'):
		return "; format=tsv reads tabs"
	case other(','):
		return "; format=csv reads commas"
	case t.d.sep == ',' && other('|'):
		return "; sep=| as the first line makes it bars"
	case t.d.sep != 0 && other(' '):
		return "; format=edges reads blanks"
	}
	return ""
}

// quoteAll shows the first of some names, and counts the rest.
func quoteAll[T any](list []T, name func(T) []byte) string {
	return some(lists.Map(list[:min(len(list), maxShown)], func(x T) string { return quote(name(x)) }), len(list))
}

func bytesOf(s string) []byte { return []byte(s) }

const maxShown = 10

// some joins the first of n things and counts the rest.
func some(shown []string, n int) string {
	s := strings.Join(shown, ", ")
	if more := n - len(shown); more > 0 {
		s += fmt.Sprintf(", and %d more", more)
	}
	return s
}
