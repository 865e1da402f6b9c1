package graphio

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
)

// jsonFile is a JSON file while it is being read.
type jsonFile struct {
	*reader
	*lexer

	edges    bool // edges were read
	weighted bool // as the first edge was
	pairs    bool // all edges so far are pairs of numbers in an array of their own

	obj       jsonObject
	fields    edgeFields
	ofEdges   tally // what is not used
	ofNodes   tally
	ofTheFile tally

	count      int         // "n", or a number under "nodes"; -1 when not given
	nodes      *labelTable // labels under "nodes"
	undirected bool
}

func (r *reader) json() error {
	f := &jsonFile{reader: r, lexer: newLexer(r.in), count: -1}
	r.line = &f.lexer.line
	c, err := f.peek()
	if err != nil {
		return err
	}
	if c == 0 {
		return f.fail("the file has no JSON value", "")
	}
	switch {
	case r.opt.Kind == Scalar:
		list := chunks[float64]{mem: r.mem}
		x, err := f.value()
		if err == nil {
			err = list.add(x)
		}
		if err != nil {
			return err
		}
		r.array(list.tail)
	case r.opt.Kind == Vector && c == '{':
		err = f.vectorByNode()
	case r.opt.Kind == Vector:
		err = f.vector()
	case c == '{':
		err = f.graphObject()
	case c == '[':
		err = f.rows()
	default:
		return f.unexpected("an array or an object")
	}
	if err != nil {
		return err
	}
	if c, err = f.peek(); err != nil {
		return err
	}
	if c != 0 {
		return f.unexpected("the end of the file")
	}
	f.ofEdges.warn(r, "fields of edges")
	f.ofNodes.warn(r, "fields of nodes")
	f.ofTheFile.warn(r, "keys")
	f.twoByTwo()
	return f.resolve()
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
	f.warn("two-by-two", edges.lines.at(0), fmt.Sprintf("two pairs are read as the edges %d -> %d and %d -> %d, but would be another graph as a 2x2 matrix; "+
		`write {"edges": [[%[1]d, %[2]d], [%[3]d, %[4]d]]} for the edges, {"n": 2, "edges": [%[5]s]} for the matrix`,
		m[0][0], m[0][1], m[1][0], m[1][1], strings.Join(ones, ", ")))
}

// badToken records an error at the current token.
func (f *jsonFile) badToken(e *Error) {
	e.Line, e.Column = f.tokLine, f.tokCol
	f.rep.add(e)
}

func (f *jsonFile) vector() error {
	if err := f.plainOptions("an array of values"); err != nil {
		return err
	}
	list := chunks[float64]{mem: f.mem}
	err := f.lexer.array(func(int) error {
		x, err := f.value()
		if err != nil {
			return err
		}
		return f.element(&list, x, f.tokLine)
	})
	if err != nil {
		return err
	}
	if list.len() == 0 {
		return f.fail("a vector without values", "")
	}
	data, err := list.flat()
	f.reader.array(data, len(data))
	return err
}

// vectorByNode reads {"label": value, ...}.
func (f *jsonFile) vectorByNode() error {
	if f.opt.Source+f.opt.Weight != "" {
		return f.fail("an object from node to value has no columns", "source and weight are for tables")
	}
	if err := f.expect('{', "an object"); err != nil {
		return err
	}
	f.raw.form = byNode
	as := text
	if f.opt.IDs == IDsAuto {
		as = plain // all keys are strings, so only their text can tell
	}
	for first := true; ; first = false {
		ok, err := f.more(first, '}')
		if err != nil || !ok {
			return err
		}
		key, err := f.string()
		if err != nil {
			return err
		}
		node, problem, err := f.ids.node(key, as)
		if err != nil {
			return err
		}
		if problem != nil {
			f.badToken(problem)
		}
		if err := f.expect(':', `":"`); err != nil {
			return err
		}
		x, err := f.value()
		if err != nil {
			return err
		}
		if problem == nil {
			if err := f.entry(node, x, f.tokLine); err != nil {
				return err
			}
		}
	}
}

// plainOptions refuses the options that only a list of edges or nodes has.
func (f *jsonFile) plainOptions(what string) error {
	o := f.opt
	if o.Source+o.Target+o.Weight+string(o.IDs)+string(o.Dup) != "" || o.Nodes != 0 || o.Default != nil {
		return f.fail(what+" takes no options", "source, target, weight, ids, nodes, dup and default are for lists of edges or nodes")
	}
	return nil
}

// rows reads an array of arrays: edges, or a dense array. For a graph rows of
// two are edges and everything else must be square; a matrix is dense unless
// its rows hold labels.
func (f *jsonFile) rows() error {
	if err := f.expect('[', "an array"); err != nil {
		return err
	}
	ok, err := f.more(true, ']')
	if err != nil {
		return err
	}
	if !ok {
		if f.opt.Kind == Graph && f.opt.Nodes > 0 {
			return nil
		}
		return f.fail("an empty array does not say how many nodes there are", `write {"n": 5, "edges": []}`)
	}
	c, err := f.peek()
	if err != nil {
		return err
	}
	if c == '{' {
		return f.edgeItems()
	}
	if c != '[' {
		return f.unexpected("a row")
	}
	f.pairs = true
	// What the first row is decides on the others.
	line, col := f.tokLine, f.tokCol
	f.pos++
	if ok, err = f.more(true, ']'); err != nil {
		return err
	}
	if !ok {
		return f.fail("an empty row", "")
	}
	if c, err = f.peek(); err != nil {
		return err
	}
	if c == '"' {
		if err := f.edgeRow(line, col); err != nil {
			return err
		}
		return f.moreEdges()
	}
	return f.numericRows(line, col)
}

// numericRows goes on after the first bracket of the first row.
func (f *jsonFile) numericRows(line, col int) error {
	first := chunks[float64]{mem: f.mem}
	var pair [2][]byte // as written, should they be node numbers
	for i := 0; ; i++ {
		if i > 0 {
			if ok, err := f.more(false, ']'); err != nil {
				return err
			} else if !ok {
				break
			}
		}
		x, err := f.value()
		if err != nil {
			return err
		}
		if i < len(pair) {
			pair[i] = bytes.Clone(f.tok)
		}
		if err := f.element(&first, x, f.tokLine); err != nil {
			return err
		}
	}
	if f.opt.Kind == Graph && first.len() == 2 {
		first.drop()
		if err := f.numericEdge(pair, line, col); err != nil {
			return err
		}
		return f.moreEdges()
	}
	if err := f.plainOptions("a dense array"); err != nil {
		return err
	}
	if f.opt.Kind == Graph {
		return f.denseGraph(&first, line, col)
	}
	width := first.len()
	height, err := f.denseRows(width, func(_, _ int, x float64) error { return f.element(&first, x, f.tokLine) })
	if err != nil {
		return err
	}
	data, err := first.flat()
	f.reader.array(data, height, width)
	return err
}

// numericEdge takes the first pair, which was read before it was known to be
// one.
func (f *jsonFile) numericEdge(pair [2][]byte, line, col int) error {
	if err := f.checkArrayEdge(line, col); err != nil {
		return err
	}
	var at [2]int32
	for i, tok := range pair {
		id, problem, err := f.ids.node(tok, number)
		if err != nil {
			return err
		}
		if problem != nil {
			problem.Line, problem.Column = line, col
			f.rep.add(problem)
			return nil
		}
		at[i] = id
	}
	return f.addEdge(at[0], at[1], 1, false, line, col)
}

// denseGraph reads the rows after the first of a graph that comes as an array.
func (f *jsonFile) denseGraph(first *chunks[float64], line, col int) error {
	width := first.len()
	if width > f.opt.MaxNodes {
		return f.limit("more than the limit of " + plural(f.opt.MaxNodes, "node"))
	}
	c := f.newCells(width)
	if err := c.next(); err != nil {
		return err
	}
	for j, x := range first.all() {
		if err := f.cell(c, j, 0, j, x, line, col); err != nil {
			return err
		}
	}
	first.drop()
	height, err := f.denseRows(width, func(i, j int, x float64) error {
		if i >= width {
			return nil
		}
		if j == 0 {
			if err := c.next(); err != nil {
				return err
			}
		}
		return f.cell(c, j, i, j, x, f.tokLine, f.tokCol)
	})
	switch {
	case err != nil || len(f.rep.list) > 0:
		return err
	case height != width:
		return f.fatal(line, col, fmt.Sprintf("expected a graph as pairs or as a square array, found %d rows of %d", height, width),
			`edges with weights are written {"edges": [[0, 1, 2.5]]}`)
	}
	return f.square(c, false, false)
}

// denseRows reads the rows of an array after the first, and is how many there
// are with it.
func (f *jsonFile) denseRows(width int, element func(i, j int, x float64) error) (height int, err error) {
	for height = 1; ; height++ {
		ok, err := f.more(false, ']')
		if !ok || err != nil {
			return height, err
		}
		if _, err := f.peek(); err != nil {
			return 0, err
		}
		line, col := f.tokLine, f.tokCol
		n := 0
		err = f.lexer.array(func(j int) error {
			n++
			x, err := f.value()
			if err != nil || n > width {
				return err
			}
			return element(height, j, x)
		})
		if err != nil {
			return 0, err
		}
		if n != width {
			f.bad(line, col, fmt.Sprintf("row %d has %s, the first has %d", height, plural(n, "element"), width), "")
		}
	}
}

// graphObject reads {"nodes": ..., "edges": ...}.
func (f *jsonFile) graphObject() error {
	keys := []string{"n", "nodes", "edges", "links", "directed", "multigraph", "graph"}
	err := f.object(func(key string) error {
		switch key {
		case "n":
			return f.size()
		case "nodes":
			return f.nodeList()
		case "edges", "links":
			if f.edges {
				return f.fail("edges and links are both given", "")
			}
			if err := f.expect('[', "an array of edges"); err != nil {
				return err
			}
			f.edges = true
			ok, err := f.more(true, ']')
			if !ok || err != nil {
				return err
			}
			return f.edgeItems()
		case "directed":
			w, err := f.word()
			if err == nil && w == "null" {
				return f.fail("expected true or false, found null", "")
			}
			f.undirected = w == "false"
			return err
		case "multigraph":
			w, err := f.word()
			if w == "true" {
				f.ofTheFile.add([]byte(key), f.tokLine)
			}
			return err
		case "graph":
			c, err := f.peek()
			if err != nil {
				return err
			}
			n := 0
			if c != '{' {
				n, err = 1, f.skip(0)
			} else {
				err = f.object(func(string) error { n++; return f.skip(0) })
			}
			if n > 0 {
				f.ofTheFile.add([]byte(key), f.tokLine)
			}
			return err
		}
		return f.fail("unknown key "+quote([]byte(key)), "the keys are "+strings.Join(keys, ", "))
	})
	if err != nil {
		return err
	}
	if !f.edges {
		return f.fail(`the object has no "edges"`, "")
	}
	return nil
}

// size reads a number of nodes.
func (f *jsonFile) size() error {
	tok, err := f.number()
	if err != nil {
		return err
	}
	n, ok := parseSize(tok)
	if !ok {
		return f.fail("expected a number of nodes, found "+quote(tok), "")
	}
	if n > f.opt.MaxNodes {
		return f.limit(fmt.Sprintf("%s nodes are past the limit of %d", asWritten(tok), f.opt.MaxNodes))
	}
	return f.setSize(n)
}

// setSize takes a number of nodes, which may come from several places that must
// agree.
func (f *jsonFile) setSize(n int) error {
	if f.count >= 0 && f.count != n || f.opt.Nodes > 0 && f.opt.Nodes != n {
		return f.fail(fmt.Sprintf("%s here, but another number of nodes is given as well", plural(n, "node")), "")
	}
	f.count = n
	return nil
}

// nodeList reads "nodes": a number, labels, the numbers 0 to n-1 in any order,
// or objects with an "id".
func (f *jsonFile) nodeList() error {
	c, err := f.peek()
	if err != nil {
		return err
	}
	if c != '[' {
		return f.size()
	}
	list := ids{want: f.opt.IDs, max: -1, limit: f.opt.MaxNodes, mem: f.mem}
	n := 0
	seen := set{mem: f.mem}
	node := func(id int32, name []byte, err error) error {
		if id < 0 || err != nil {
			return err
		}
		fresh, err := seen.add(int(id))
		if !fresh && err == nil {
			f.badToken(&Error{Msg: "the node " + quote(name) + " is listed twice"})
		}
		n++
		return err
	}
	err = f.lexer.array(func(int) error {
		c, err := f.peek()
		if err != nil {
			return err
		}
		if c != '{' {
			id, err := f.id(&list)
			return node(id, f.tok, err)
		}
		line, col := f.tokLine, f.tokCol
		if err := f.obj.read(f.lexer); err != nil {
			return err
		}
		id := f.obj.find("id")
		if id == nil {
			f.bad(line, col, `the node has no "id"`, "")
			return nil
		}
		f.ofNodes.others(&f.obj, id)
		at, err := f.memberID(&list, id)
		return node(at, id.val, err)
	})
	if err != nil || len(f.rep.list) > 0 {
		return err
	}
	if !list.labelled() {
		if list.max >= n {
			return f.fail(fmt.Sprintf("the list has %s, but their numbers go to %d", plural(n, "node"), list.max), labelHint)
		}
		return f.setSize(n)
	}
	f.nodes = list.labels
	return nil
}

// id reads a node id: a number or a string. It is -1 after a problem.
func (f *jsonFile) id(t *ids) (int32, error) {
	c, err := f.peek()
	if err != nil {
		return -1, err
	}
	var tok []byte
	as := number
	if c == '"' {
		as = text
		tok, err = f.string()
	} else {
		tok, err = f.number()
	}
	if err != nil {
		return -1, err
	}
	id, problem, err := t.node(tok, as)
	if problem != nil {
		f.badToken(problem)
		return -1, nil
	}
	return id, err
}

// edgeItems reads the items of an array of edges, the first of which is next.
func (f *jsonFile) edgeItems() error {
	if err := f.edgeItem(); err != nil {
		return err
	}
	return f.moreEdges()
}

// moreEdges reads the items after the first.
func (f *jsonFile) moreEdges() error {
	for {
		ok, err := f.more(false, ']')
		if !ok || err != nil {
			return err
		}
		if err := f.edgeItem(); err != nil {
			return err
		}
	}
}

func (f *jsonFile) edgeItem() error {
	c, err := f.peek()
	if err != nil {
		return err
	}
	line, col := f.tokLine, f.tokCol
	switch c {
	case '[':
		f.pos++
		ok, err := f.more(true, ']')
		if err != nil {
			return err
		}
		if !ok {
			f.bad(line, col, "expected an edge of 2 or 3 items, found none", "")
			return nil
		}
		return f.edgeRow(line, col)
	case '{':
		f.pairs = false
		return f.edgeObject(line, col)
	}
	return f.unexpected("an edge")
}

// checkArrayEdge refuses options that an edge which is an array has no use for.
func (f *jsonFile) checkArrayEdge(line, col int) error {
	if o := &f.opt; o.Source != "" || o.Target != "" || o.Weight != "" && o.Weight != NoWeight {
		return f.fatal(line, col, "the options source, target and weight name fields, but this edge is an array", "")
	}
	return nil
}

// edgeRow reads [source, target] or [source, target, weight] after its opening
// bracket.
func (f *jsonFile) edgeRow(line, col int) error {
	if err := f.checkArrayEdge(line, col); err != nil {
		return err
	}
	var at [2]int32
	w, n := 1.0, 0
	for ; ; n++ {
		if n > 0 {
			if ok, err := f.more(false, ']'); err != nil {
				return err
			} else if !ok {
				break
			}
		}
		var err error
		switch {
		case n < 2:
			at[n], err = f.id(&f.ids)
		case n == 2 && f.opt.Weight != NoWeight:
			w, err = f.weight()
		default:
			err = f.skip(0)
		}
		if err != nil {
			return err
		}
	}
	f.pairs = f.pairs && n == 2
	if n == 3 && f.opt.Weight == NoWeight {
		f.ofEdges.add([]byte("weight"), line)
		n = 2
	}
	if n != 2 && n != 3 {
		f.bad(line, col, "expected an edge of 2 or 3 items, found "+plural(n, "item"), "")
		return nil
	}
	return f.addEdge(at[0], at[1], w, n == 3, line, col)
}

// weight reads the third item of an edge.
func (f *jsonFile) weight() (float64, error) {
	c, err := f.peek()
	if err != nil {
		return 0, err
	}
	if !inNumber(c) {
		e := f.unexpected("a number")
		e.Hint = noWeightHint
		return 0, e
	}
	return f.value()
}

// edgeFields are the fields that edges which are objects are read from. The
// first such edge says which one weighs.
type edgeFields struct{ source, target, weight string }

// edgeObject reads {"source": ..., "target": ..., "weight": ...}.
func (f *jsonFile) edgeObject(line, col int) error {
	o := &f.obj
	if err := o.read(f.lexer); err != nil {
		return err
	}
	if f.fields.source == "" {
		if err := f.chooseFields(line, col); err != nil {
			return err
		}
	}
	src, dst := o.find(f.fields.source), o.find(f.fields.target)
	var weight *member
	if f.opt.Weight != NoWeight {
		weight = o.find(f.fields.weight)
	}
	f.ofEdges.others(o, src, dst, weight)
	for _, c := range []struct {
		found  *member
		key    string
		needed bool
	}{{src, f.fields.source, true}, {dst, f.fields.target, true}, {weight, f.opt.Weight, f.opt.Weight != "" && f.opt.Weight != NoWeight}} {
		if c.needed && c.found == nil {
			f.bad(line, col, "the edge has no "+quote([]byte(c.key)), "")
			return nil
		}
	}
	var at [2]int32
	for i, m := range []*member{src, dst} {
		var err error
		if at[i], err = f.memberID(&f.ids, m); err != nil {
			return err
		}
	}
	w := 1.0
	if weight != nil {
		var problem string
		switch weight.as {
		case number:
			w, problem = parseValue(weight.val)
		case text:
			problem = "expected a number, found the string " + quote(weight.val)
		default:
			problem = "expected a number, found " + quote(weight.val)
		}
		if problem != "" {
			e := &Error{Line: weight.line, Column: weight.col, Msg: problem}
			if f.opt.Weight == "" {
				e.Hint = noWeightHint
			}
			f.rep.add(e)
			return nil
		}
	}
	return f.addEdge(at[0], at[1], w, weight != nil, line, col)
}

// chooseFields settles what edges are read from, by the first: as weightColumn
// does for tables.
func (f *jsonFile) chooseFields(line, col int) error {
	o, opt := &f.obj, f.opt
	f.fields = edgeFields{cmp.Or(opt.Source, "source"), cmp.Or(opt.Target, "target"), opt.Weight}
	if opt.Weight != "" {
		return nil
	}
	f.fields.weight = "weight"
	src, dst := o.find(f.fields.source), o.find(f.fields.target)
	if src == nil || dst == nil || o.find("weight") != nil {
		return nil
	}
	if o.find("w") != nil {
		f.fields.weight = "w"
		return nil
	}
	graph := opt.Kind == Graph
	switch n := len(o.list); {
	case n == 3:
		for i := range o.list {
			if m := &o.list[i]; m != src && m != dst && (!graph || m.as == number) {
				f.fields.weight = string(m.key)
			}
		}
	case n > 3 && !graph:
		return f.fatal(line, col, fmt.Sprintf("which of the %d fields holds the weights?", n), "give weight=, or weight=none to make every edge weigh 1")
	}
	return nil
}

// memberID is the node that a member of an object names, -1 after a problem.
func (f *jsonFile) memberID(t *ids, m *member) (int32, error) {
	if m.as == plain {
		f.bad(m.line, m.col, "expected a node as a number or a string, found "+quote(m.val), "")
		return -1, nil
	}
	id, problem, err := t.node(m.val, m.as)
	if problem != nil {
		problem.Line, problem.Column = m.line, m.col
		f.rep.add(problem)
		return -1, nil
	}
	return id, err
}

// addEdge adds an edge unless one of its ends was bad. Either all edges have a
// weight or none has: a missing one is not taken for 1.
func (f *jsonFile) addEdge(src, dst int32, w float64, weighted bool, line, col int) error {
	if src < 0 || dst < 0 {
		return nil
	}
	f.edges = true
	if f.raw.edges.len()+f.zero == 0 {
		f.weighted = weighted
	}
	if weighted != f.weighted {
		has := map[bool]string{true: "a weight", false: "no weight"}
		f.bad(line, col, fmt.Sprintf("the edge has %s, those before it have %s", has[weighted], has[f.weighted]), "weight=none reads none")
		return nil
	}
	return f.edge(src, dst, w, weighted, line)
}

// resolve brings the list of nodes and the edges together, whichever came first
// in the file.
func (f *jsonFile) resolve() error {
	if len(f.rep.list) > 0 || f.raw.form != edgeList || f.raw.cells != nil {
		return nil
	}
	if f.nodes != nil {
		if err := f.resolveLabels(); err != nil {
			return err
		}
	} else if f.count >= 0 {
		if f.ids.labelled() {
			return f.fatal(0, 0, "a number of nodes is given, but the edges have labels", `list the labels under "nodes"`)
		}
		if f.ids.max >= f.count {
			f.outside(func(id int32) bool { return int(id) >= f.count }, func(id int32) string {
				return fmt.Sprintf("node %d is not one of the %s, which are 0 to %d", id, plural(f.count, "node"), f.count-1)
			})
			return nil
		}
		f.raw.nodes = f.count
	}
	if f.undirected && len(f.rep.list) == 0 {
		return f.mirror(1)
	}
	return nil
}

// resolveLabels numbers the ends of the edges by the list of labels.
func (f *jsonFile) resolveLabels() error {
	n := f.nodes.len()
	if f.count >= 0 && f.count != n {
		return f.fatal(0, 0, fmt.Sprintf("the list has %s, but %d are announced", plural(n, "node"), f.count), "")
	}
	f.raw.labels, f.raw.texts = f.nodes.labels, f.nodes.texts
	if !f.ids.labelled() { // numbers are positions in the list
		f.outside(func(id int32) bool { return int(id) >= n }, func(id int32) string {
			return fmt.Sprintf("node %d is not in the list of %s, which are 0 to %d", id, plural(n, "node"), n-1)
		})
		if f.ids.max >= n && len(f.rep.list) == 0 { // only a row of weight 0 named it
			return f.fatal(0, 0, fmt.Sprintf("node %d is not in the list of %s", f.ids.max, plural(n, "node")), "")
		}
		f.ids.max = -1
		return nil
	}
	used := &f.ids.labels.labels
	to, err := newSlice[int32](f.mem, used.len())
	if err != nil {
		return err
	}
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
			return f.fatal(0, 0, name(int32(missing)), "")
		}
		return nil
	}
	for k := range f.raw.edges.at.list {
		at := f.raw.edges.at.chunk(k)
		for e, p := range at {
			at[e] = pair{to[p[0]], to[p[1]]}
		}
	}
	return nil
}

// outside reports the edges with an end that is no node.
func (f *jsonFile) outside(bad func(int32) bool, msg func(int32) string) {
	for e, p := range f.raw.edges.at.all() {
		for _, id := range p {
			if !bad(id) {
				continue
			}
			if f.rep.full() {
				f.rep.more++
				continue
			}
			f.bad(f.raw.edges.lines.at(e), 0, fmt.Sprintf("edge %d of the list: %s", e+1, msg(id)), "")
		}
	}
}
