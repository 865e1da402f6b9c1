package graphio

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonFile is a JSON file while it is being read. It reads tokens, never the whole file, and gives
// items of arrays to the same code as rows of text (next makes it a source of rows), so edges mean
// the same in all formats.
type jsonFile struct {
	*table
	*tokens

	row    row // an item of an array, or a member of an object
	text   []byte
	byNode bool // rows are members of an object

	edges    bool // edges were read
	arrays   bool // an edge was an array
	weighted bool // as the first edge was
	pairs    bool // all edges so far are pairs of numbers in an array of their own

	fields    [3]string // of the source, the target and the weight of edges that are objects
	ofEdges   tally     // what is not used
	ofNodes   tally
	ofTheFile tally

	count      int         // "n", or a number under "nodes"; -1 when not given
	nodes      *labelTable // labels under "nodes"
	undirected bool
}

// json reads a file of JSON or of JSON lines, by the kind of the input and by the first token.
// Nodes and edges may come in either order, so what an edge names is compared with the list of
// nodes when the file has been read (resolve).
func (r *reader) json() {
	// A vector may well be an object of a million keys. Bind finds those given twice,
	// and names both lines.
	x := newTokens(r.in, r.opt.Kind == Vector)
	if r.raw.Format == JSONLines {
		x.lines()
	}
	t := &table{reader: r, d: dialect{sep: ','}, cols: columns{src: 0, dst: 1, weight: 2}, data: chunks[float64]{mem: r.mem}}
	f := &jsonFile{table: t, tokens: x, count: -1}
	r.line = &x.line
	read := f.rows
	switch kind := f.peek(); {
	case r.opt.Kind == Relation:
		read = f.relationRows
	case r.opt.Kind == Scalar:
		read = f.scalar
	case r.opt.Kind == Vector && kind == '{':
		read = f.vectorByNode
	case r.opt.Kind == Vector:
		read = f.vector
	case kind == '{':
		read = f.graphObject
	case kind != '[':
		panic(f.unexpected("an array or an object"))
	}
	read()
	if kind := f.peek(); kind != jsontext.KindInvalid {
		panic(f.unexpected(endOfFile))
	} else if _, err := f.tryRead(kind); !errors.Is(err, io.EOF) {
		panic(err)
	}
	f.ofEdges.warn(r, "fields of edges")
	f.ofNodes.warn(r, "fields of nodes")
	f.ofTheFile.warn(r, "keys")
	f.twoByTwo()
	f.resolve()
}

// next returns the next item of an array or, for a vector by node, the next member of an object as
// two cells. With pairs, an item of two short numbers, as most large files have, is read without
// tokens.
func (f *jsonFile) next(pairs bool) *row {
	w := &f.row
	kind := f.peek()
	*w = row{line: f.tokLine, col: f.tokCol, cells: w.cells[:0]}
	if kind == ']' || kind == '}' {
		f.read(kind)
		return nil
	}
	if pairs && kind == '[' {
		if item := f.ahead(); item != nil {
			if w.pair, w.isPair = twoNumbers(item, ','); w.isPair {
				b, err := f.dec.ReadValue()
				if err != nil {
					panic(err)
				}
				f.col += len(b)
				f.at += len(b)
				w.text, w.col = b[1:len(b)-1], w.col+1
				return w
			}
		}
	}
	f.text = f.text[:0]
	start := f.at
	switch {
	case f.byNode:
		f.addCell(kind, nil)
		if w.cells[0].as = Text; f.opt.IDs == IDsAuto {
			w.cells[0].as = Plain // all keys are strings, so only their text can tell
		}
		f.addCell(f.peek(), nil)
	case kind == '{' || kind == '[':
		w.open = byte(kind)
		f.read(kind)
		f.item(start)
	default:
		f.addCell(kind, nil)
	}
	return w
}

// ahead returns the text between the brackets of the next array, if that is short and has been read
// whole.
func (f *jsonFile) ahead() []byte {
	const most = 24 // two numbers of nine digits
	b := f.dec.UnreadBuffer()[f.at-int(f.dec.InputOffset()):]
	if end := bytes.IndexByte(b[:min(len(b), most)], ']'); end > 0 {
		return b[1:end]
	}
	return nil
}

// item reads the cells of an array or an object that is open.
func (f *jsonFile) item(start int) {
	w := &f.row
	for {
		kind := f.peek()
		if kind == ']' || kind == '}' {
			f.read(kind)
			return
		}
		var key []byte
		if w.open == '{' {
			b := f.read(kind)
			key, kind = f.keep(f.unquote(b)), f.peek()
		}
		f.addCell(kind, key)
		if f.at-start > maxItem {
			f.tokLine, f.tokCol = w.line, w.col
			panic(f.fail(fmt.Sprintf("the item is longer than %d bytes", maxItem), "").limit())
		}
	}
}

// addCell reads a value that has been peeked at as the next cell of the row. Of a value that is
// neither a number nor a string, only the first byte is kept.
func (f *jsonFile) addCell(kind jsontext.Kind, key []byte) {
	w := &f.row
	c := cell{key: key, line: f.tokLine, off: f.tokCol}
	if n := cap(w.cells); len(w.cells) == n {
		n = max(n, 8)
		f.mem.take(n * (sizeOf[cell]() + entry))
		w.cells = slices.Grow(w.cells, n)
	}
	var val []byte
	switch kind {
	case '"', '0':
		val = f.read(kind)
		if c.as = Number; kind == '"' {
			c.as, val = Text, f.unquote(val)
		}
	default:
		c.as, val = Other, []byte{byte(kind)}
		f.skip()
	}
	c.val = f.keep(val)
	w.cells = append(w.cells, c)
}

// keep copies a text into the room of the row, which the next row takes: the decoder reuses its own
// sooner.
func (f *jsonFile) keep(b []byte) []byte {
	from := len(f.text)
	f.text = append(f.text, b...)
	return f.text[from:len(f.text):len(f.text)]
}

// scalar reads a number.
func (f *jsonFile) scalar() {
	list := chunks[float64]{mem: f.mem}
	list.add(f.value())
	f.reader.array(list.tail)
}

// vector reads an array of numbers.
func (f *jsonFile) vector() {
	f.plainOptions("an array of values")
	list := chunks[float64]{mem: f.mem}
	f.array("an array", func() {
		x := f.value()
		f.element(&list, x, f.tokLine)
	})
	if list.len() == 0 {
		panic(f.fail("the vector has no values", ""))
	}
	data := list.flat()
	f.reader.array(data, len(data))
}

// vectorByNode reads {"label": value, ...}.
func (f *jsonFile) vectorByNode() {
	if f.opt.Source+f.opt.Weight != "" {
		panic(f.fail("an object that maps nodes to values has no columns", "from and weight are for tables"))
	}
	f.raw.form, f.byNode = byNode, true
	f.cols = columns{src: 0, dst: -1, weight: 1}
	f.read('{')
	f.takeAll(f)
}

// plainOptions refuses the options that only a list of edges or nodes has.
func (f *jsonFile) plainOptions(what string) {
	o := f.opt
	if o.Source+o.Target+o.Weight+string(o.IDs)+string(o.Dup) != "" || o.Nodes != 0 || o.Default != nil {
		panic(f.fail(what+" takes no options", "source, target, weight, ids, nodes, dup and default are for lists of edges or nodes"))
	}
}

// rows reads an array of arrays: edges, or a dense array. For a graph rows of
// two are edges and everything else must be square; a matrix is dense unless
// its rows hold labels.
func (f *jsonFile) rows() {
	f.read('[')
	switch f.peek() {
	case ']':
		if f.opt.Kind == Graph && f.opt.Nodes > 0 {
			f.read(']')
			return
		}
		panic(f.fail("an empty array does not say how many nodes there are", `write {"n": 5, "edges": []}, or add nodes=5`))
	case '{':
		f.takeEdges(nil)
		return
	case '[':
	default:
		panic(f.unexpected(aRow))
	}
	f.pairs = true
	// What the first row is decides on the others.
	w := &f.row
	w.line, w.col, w.open = f.tokLine, f.tokCol, '['
	f.read('[')
	switch f.peek() {
	case ']':
		panic(f.fail("the row is empty", ""))
	case '"':
		f.item(f.at)
		f.takeEdges(w)
		return
	}
	f.numericRows(w)
}

// numericRows goes on after the first bracket of the first row. How long that is decides what the
// rows are, so it is read as numbers and kept as the cells of an edge at the same time.
func (f *jsonFile) numericRows(w *row) {
	first := chunks[float64]{mem: f.mem}
	for f.peek() != ']' {
		tok := f.number()
		if len(w.cells) < 3 { // should they be nodes
			w.cells = append(w.cells, cell{val: f.keep(tok), as: Number, line: f.tokLine, off: f.tokCol})
		}
		f.element(&first, f.parsed(tok), f.tokLine)
	}
	f.read(']')
	if f.opt.Kind == Graph && first.len() == 2 {
		first.drop()
		f.takeEdges(w)
		return
	}
	f.plainOptions("a dense array")
	if f.opt.Kind == Graph {
		f.denseGraph(&first, w.line, w.col)
		return
	}
	width := first.len()
	height := f.denseRows(width, func(_, _ int, x float64) { f.element(&first, x, f.tokLine) })
	data := first.flat()
	f.mayBeEdges(data, height, width)
	f.reader.array(data, height, width)
}

// mayBeEdges notes that the rows of a matrix could be edges with weights: three numbers each, the
// first two of which could be nodes, not all of them 0 or 1.
func (f *jsonFile) mayBeEdges(data []float64, height, width int) {
	most := 0.0
	for i, x := range data {
		if width != 3 || height == 3 || i%3 < 2 && (x < 0 || x != math.Trunc(x)) {
			return
		}
		if i%3 < 2 {
			most = max(most, x)
		}
	}
	if most > 1 {
		f.raw.Warnings = append(f.raw.Warnings, Warning{File: f.raw.File, Code: "weights", Note: true,
			Msg: fmt.Sprintf("rows of three numbers are read as a %dx3 matrix; %s", height, threeEdges)})
	}
}

const threeEdges = `write weighted edges as {"edges": [[0, 1, 2.5]]}`

// denseGraph reads the rows after the first of a graph that comes as an array.
func (f *jsonFile) denseGraph(first *chunks[float64], line, col int) {
	width := first.len()
	if width > f.opt.MaxNodes {
		panic(f.fail("more than the limit of "+plural(f.opt.MaxNodes, "node"), "").limit())
	}
	d := f.newDense(width, width, false)
	for j, x := range first.all() {
		d.put(0, j, x, line, col)
	}
	first.drop()
	height := f.denseRows(width, func(i, j int, x float64) {
		if i >= width {
			return
		}
		d.put(i, j, x, f.tokLine, f.tokCol)
	})
	switch {
	case len(f.rep.list) > 0:
		return
	case height != width:
		panic(f.fatal(line, col, fmt.Sprintf("expected a graph as pairs or as a square array, found %d rows of %d", height, width), threeEdges))
	}
	d.end()
}

// denseRows reads the rows of an array after the first, and returns the number of all rows.
func (f *jsonFile) denseRows(width int, element func(i, j int, x float64)) (height int) {
	for height = 1; f.peek() != ']'; height++ {
		line, col := f.tokLine, f.tokCol
		n := 0
		f.array("an array", func() {
			x := f.value()
			if n++; n <= width {
				element(height, n-1, x)
			}
		})
		if n != width {
			f.bad(line, col, fmt.Sprintf("row %d has %s, but the first has %d", height, plural(n, "element"), width), "")
		}
	}
	f.read(']')
	return height
}

// graphObject reads {"nodes": ..., "edges": ...}.
func (f *jsonFile) graphObject() {
	keys := []string{"n", "nodes", "edges", "links", "directed", "multigraph", "graph"}
	f.members(func(key string) {
		line := f.tokLine
		switch key {
		case "n":
			f.size()
		case "nodes":
			f.nodeList()
		case "edges", "links":
			if f.edges {
				panic(f.fail(`the object has both "edges" and "links"`, "give one of them"))
			}
			f.expect('[', "an array of edges")
			f.edges = true
			f.takeEdges(nil)
		case "directed", "multigraph":
			kind := f.peek()
			if kind != 't' && kind != 'f' {
				panic(f.unexpected("true or false"))
			}
			if key == "directed" {
				f.undirected = kind == 'f'
			} else if kind == 't' {
				f.ofTheFile.add([]byte(key), line)
			}
			f.read(kind)
		case "graph":
			n := 0
			if f.peek() == '{' {
				f.members(func(string) { n++; f.skip() })
			} else {
				n++
				f.skip()
			}
			if n > 0 {
				f.ofTheFile.add([]byte(key), line)
			}
		default:
			panic(f.fail("unknown key "+quote([]byte(key)), "the keys are "+strings.Join(keys, ", ")+", as node_link_data of NetworkX writes them; "+linesHint+", and jq makes rows of nested objects"))
		}
	})
	if !f.edges {
		panic(f.fail(`the object has no "edges"`, `"edges" or "links" is a list of edges`))
	}
}

// size reads a number of nodes.
func (f *jsonFile) size() {
	tok := f.number()
	n, ok := parseSize(tok)
	if !ok {
		panic(f.fail("expected a number of nodes, found "+quote(tok), ""))
	}
	if n > f.opt.MaxNodes {
		panic(f.fail(fmt.Sprintf("%s nodes exceed the limit of %d", asWritten(tok), f.opt.MaxNodes), "").limit())
	}
	f.setSize(n)
}

// setSize records a number of nodes. Several places may give one, and they must agree.
func (f *jsonFile) setSize(n int) {
	if f.count >= 0 && f.count != n || f.opt.Nodes > 0 && f.opt.Nodes != n {
		panic(f.fail(fmt.Sprintf("%s here, but a different number is given elsewhere", plural(n, "node")), ""))
	}
	f.count = n
}

// nodeList reads "nodes": a number, labels, the numbers 0 to n-1 in any order,
// or objects with an "id".
func (f *jsonFile) nodeList() {
	if f.peek() != '[' {
		f.size()
		return
	}
	f.read('[')
	list := ids{want: f.opt.IDs, max: -1, limit: f.opt.MaxNodes, mem: f.mem}
	n := 0
	seen := set{mem: f.mem}
	for w := f.next(false); w != nil; w = f.next(false) {
		at := 0
		if w.open == '{' {
			at = w.find("id")
			f.ofNodes.others(w, at)
		}
		if at < 0 || w.open == '[' {
			f.bad(w.line, w.col, `the node has no "id"`, "")
			continue
		}
		id, ok := f.nodeOf(&list, w, at)
		if !ok {
			continue
		}
		if !seen.add(int(id)) {
			f.badCell(w, at, &Error{Msg: "the node " + quote(w.cells[at].val) + " is listed twice"})
		}
		n++
	}
	switch {
	case len(f.rep.list) > 0:
		return
	case list.labelled():
		f.nodes = list.labels
		return
	case list.max >= n:
		panic(f.fail(fmt.Sprintf("the list has %s, but their numbers go up to %d", plural(n, "node"), list.max), labelHint))
	}
	f.setSize(n)
}

// edgeRows reads a list of edges: items of two or three cells, for the source, the target and the
// weight.
type edgeRows struct{ *jsonFile }

// takeEdges reads the items of a list of edges, after first where there is one.
func (f *jsonFile) takeEdges(first *row) {
	edges := edgeRows{f}
	if first != nil {
		edges.settle(first)
		f.take(first)
	}
	f.takeAll(edges)
}

// next is the next edge; a pair of numbers needs no settling.
func (f edgeRows) next(pairs bool) *row {
	w := f.jsonFile.next(pairs && f.arrays)
	if w != nil && !w.isPair {
		f.settle(w)
	}
	return w
}

// settle reduces an item to its source, its target and its weight.
func (f edgeRows) settle(w *row) {
	f.pairs = f.pairs && w.open == '[' && len(w.cells) == 2
	none := f.opt.Weight == NoWeight
	switch n := len(w.cells); {
	case w.open == '{':
		if f.byField(w); w.bad != nil {
			return
		}
	case w.open != '[':
		panic(f.fatal(w.line, w.col, "expected an edge, found "+w.cells[0].shown(), ""))
	case f.opt.Source != "" || f.opt.Target != "" || f.opt.Weight != "" && !none:
		panic(f.fatal(w.line, w.col, "the options from, to and weight name fields, but this edge is an array", ""))
	case n != 2 && n != 3:
		found := "none"
		if n > 0 {
			found = plural(n, "item")
		}
		w.bad = &Error{Line: w.line, Column: w.col, Msg: "expected an edge of 2 or 3 items, found " + found}
		return
	case n == 3 && none:
		f.ofEdges.add([]byte("weight"), w.line)
		w.cells = w.cells[:2]
	}
	weighted := len(w.cells) == 3
	f.arrays = f.arrays || w.open == '['
	if f.raw.edges.len()+f.zero == 0 {
		f.weighted, f.third, f.cols.weight = weighted, f.opt.Weight == "", -1
		if weighted {
			f.cols.weight = 2
		}
	}
	if f.edges = true; weighted != f.weighted {
		has := map[bool]string{true: "a weight", false: "no weight"}
		w.bad = &Error{Line: w.line, Column: w.col, Msg: fmt.Sprintf("the edge has %s, but those before it have %s", has[weighted], has[f.weighted]), Hint: "weight=none ignores the weights"}
	}
}

// byField is settle for {"source": ..., "target": ..., "weight": ...}.
func (f edgeRows) byField(w *row) {
	if f.fields[0] == "" {
		f.chooseFields(w)
	}
	var at [3]int
	for i, key := range f.fields {
		if at[i] = w.find(key); at[i] < 0 && w.bad == nil && (i < 2 || f.opt.Weight != "" && f.opt.Weight != NoWeight) {
			options := [...]string{"from= and to= name the fields", "from= and to= name the fields", "weight= names a field"}
			w.bad = &Error{Line: w.line, Column: w.col, Msg: "the edge has no " + quote([]byte(key)), Hint: options[i] + " of an edge; this one has " + w.keys()}
		}
	}
	if f.opt.Weight == NoWeight {
		at[2] = -1
	}
	f.ofEdges.others(w, at[:]...)
	if w.bad != nil {
		return
	}
	// The three may stand in any order.
	var edge [3]cell
	n := 0
	for _, i := range at {
		if i >= 0 {
			edge[n] = w.cells[i]
			n++
		}
	}
	w.cells = append(w.cells[:0], edge[:n]...)
}

// chooseFields decides on the first edge which fields all edges are read from.
func (f edgeRows) chooseFields(w *row) {
	opt := f.opt
	f.fields = [3]string{cmp.Or(opt.Source, "source"), cmp.Or(opt.Target, "target"), opt.Weight}
	if opt.Weight != "" {
		return
	}
	f.fields[2] = "weight"
	cols := columns{src: w.find(f.fields[0]), dst: w.find(f.fields[1])}
	if cols.src < 0 || cols.dst < 0 {
		return
	}
	n := len(w.cells)
	name := func(c int) []byte {
		if key := w.cells[c].key; string(key) != "key" || !slices.Contains(f.ofTheFile.names, "multigraph") {
			return key
		}
		return nil // it tells the edges of a multigraph between two nodes apart
	}
	c, ok := f.weightAmong(n, cols, name, func(c int) bool { return w.cells[c].as == Number })
	if !ok {
		panic(f.fatal(w.line, w.col, fmt.Sprintf("which of the %d fields holds the weights?", n), "give weight=, or weight=none to make every edge weigh 1"))
	}
	if c >= 0 {
		f.fields[2] = string(w.cells[c].key)
	}
}

// resolve matches the edges with the list of nodes, whichever came first in the file.
func (f *jsonFile) resolve() {
	if len(f.rep.list) > 0 || f.raw.form != edgeList || f.raw.cells != nil {
		return
	}
	if f.nodes != nil {
		f.resolveLabels()
	} else if f.count >= 0 {
		if f.ids.labelled() {
			panic(f.fatal(0, 0, "a number of nodes is given, but the edges have labels", `list the labels under "nodes"`))
		}
		if f.ids.max >= f.count {
			f.outside(func(id int32) bool { return int(id) >= f.count }, func(id int32) string {
				return fmt.Sprintf("node %d is out of range: the %s are 0 to %d", id, plural(f.count, "node"), f.count-1)
			})
			return
		}
		f.raw.nodes, f.raw.none = f.count, f.count == 0
	}
	if f.undirected && len(f.rep.list) == 0 {
		f.mirror(1)
	}
}

// resolveLabels numbers the ends of the edges by the list of labels.
func (f *jsonFile) resolveLabels() {
	n := f.nodes.len()
	if f.count >= 0 && f.count != n {
		panic(f.fatal(0, 0, fmt.Sprintf("the list has %s, but %d are announced", plural(n, "node"), f.count), ""))
	}
	f.raw.labels, f.raw.texts = f.nodes.labels, f.nodes.texts
	if !f.ids.labelled() { // numbers are positions in the list
		f.outside(func(id int32) bool { return int(id) >= n }, func(id int32) string {
			return fmt.Sprintf("node %d is not in the list: its %s are 0 to %d", id, plural(n, "node"), n-1)
		})
		if f.ids.max >= n && len(f.rep.list) == 0 { // only a row of weight 0 named it
			panic(f.fatal(0, 0, fmt.Sprintf("node %d is not in the list of %s", f.ids.max, plural(n, "node")), ""))
		}
		f.ids.max = -1
		return
	}
	used := &f.ids.labels.labels
	to := newSlice[int32](f.mem, used.len())
	missing := -1
	for i, s := range used.all() {
		id, ok := f.nodes.find([]byte(s))
		if !ok {
			id, missing = -1, i
		}
		to[i] = id
	}
	if missing >= 0 {
		name := func(id int32) string {
			return "node " + quote([]byte(*used.at(int(id)))) + " is not in the list of nodes"
		}
		f.outside(func(id int32) bool { return to[id] < 0 }, name)
		if len(f.rep.list) == 0 { // only a row of weight 0 named it
			panic(f.fatal(0, 0, name(int32(missing)), ""))
		}
		return
	}
	f.raw.edges.at.replace(func(p pair) pair { return pair{to[p[0]], to[p[1]]} })
}

// outside reports the edges of which an end is not a node.
func (f *jsonFile) outside(bad func(int32) bool, msg func(int32) string) {
	for e, p := range f.raw.edges.at.all() {
		for _, id := range p {
			if !bad(id) {
				continue
			}
			if f.rep.counted() {
				continue
			}
			f.bad(f.raw.edges.lines.at(e), 0, fmt.Sprintf("edge %d of the list: %s", e+1, msg(id)), "")
		}
	}
}

// tally counts, by name, the members that are not used.
type tally struct {
	names []string
	count []int
	line  int // of the first
	rest  int // times that names past maxTally were met
}

// maxTally is how many names a tally counts separately.
const maxTally = 10

// add counts a member of a name.
func (t *tally) add(name []byte, line int) {
	t.line = cmp.Or(t.line, line)
	i := slices.Index(t.names, string(name))
	if i < 0 && len(t.names) == maxTally {
		t.rest++
		return
	}
	if i < 0 {
		i = len(t.names)
		t.names, t.count = append(t.names, string(name)), append(t.count, 0)
	}
	t.count[i]++
}

// others adds the fields of an object that are not used.
func (t *tally) others(w *row, used ...int) {
	for i := range w.cells {
		if !slices.Contains(used, i) {
			t.add(w.cells[i].key, w.cells[i].line)
		}
	}
}

// warn reports what was counted.
func (t *tally) warn(r *reader, what string) {
	if t.names == nil {
		return
	}
	var list []string
	for i, n := range t.names {
		list = append(list, fmt.Sprintf("%s (%s)", quote([]byte(n)), plural(t.count[i], "time")))
	}
	if t.rest > 0 {
		list = append(list, fmt.Sprintf("others (%s)", plural(t.rest, "time")))
	}
	r.warn("unused", t.line, what+" not used: "+strings.Join(list, ", "))
}

// twoByTwo warns when a list of two pairs would be another graph as a matrix.
func (f *jsonFile) twoByTwo() {
	edges := &f.raw.edges
	if !f.pairs || edges.len() != 2 || f.ids.mode != IDsNumber || f.ids.max > 1 || f.opt.Nodes > 2 {
		return
	}
	m := [2]pair{*edges.at.at(0), *edges.at.at(1)}
	var asPairs [2]pair
	var ones []string // of the matrix, as edges
	for i, row := range m {
		asPairs[row[0]][row[1]] = 1
		for j, x := range row {
			if x == 1 {
				ones = append(ones, fmt.Sprintf("[%d, %d]", i, j))
			}
		}
	}
	if m == asPairs {
		return
	}
	f.warn("two-by-two", edges.lines.at(0), fmt.Sprintf("two pairs are read as the edges %d -> %d and %d -> %d, but as a 2x2 matrix they would be a different graph; "+
		`write {"edges": [[%[1]d, %[2]d], [%[3]d, %[4]d]]} for the edges, {"n": 2, "edges": [%[5]s]} for the matrix`,
		m[0][0], m[0][1], m[1][0], m[1][1], strings.Join(ones, ", ")))
}
