package graphio

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ein/vm/kernel"
	"ein/vm/tensor"
)

// Decl is an input of a program and what was read for it. The kind of input is
// the one the Raw was read as.
type Decl struct {
	Name string
	Raw  *Raw
}

// Bind makes the values of the inputs over one set of nodes. known are the labels that the program
// itself uses; they come first, then those of the inputs in the order of first appearance. labels
// is nil when nodes are numbers. Labels of relations that [Tables] has read are among the known ones. The inputs are not changed. The nodes of all inputs are settled
// first (universe), since the size of every value depends on them; then each input is made a value
// over them.
func Bind(decls []Decl, known []string, relations ...*Raw) (vals []tensor.Value, labels []string, warnings []Warning, err error) {
	b := &binder{}
	if len(decls) > 0 {
		b.mem.ledger = decls[0].Raw.opt.Ledger
		b.Decl = decls[0]
	}
	defer func() {
		kept := 0
		if err == nil {
			kept = len(labels) * sizeOf[string]()
		}
		b.mem.give(int(b.mem.held) - kept)
	}()
	err = caught(func() {
		b.universe(decls, known, relations)
		for i, d := range decls {
			for _, w := range d.Raw.Warnings {
				w.Input = d.Name
				if w.Code == "unused" && w.Msg == "" {
					if w.Msg = unused(decls, i); w.Msg == "" {
						continue
					}
				}
				b.warnings = append(b.warnings, w)
			}
			b.Decl = d
			b.rep = report{file: d.Raw.File}
			vals = append(vals, b.value(b.to[i]))
		}
	})
	if err != nil {
		return nil, nil, nil, refused(err, b.Raw.File, 0)
	}
	return vals, b.labels, b.warnings, nil
}

// unused names the columns of an input that no input of the same file reads. It returns "" if there
// are none, or if an earlier input of the file has been told.
func unused(decls []Decl, input int) string {
	r := decls[input].Raw
	var shown []string
	n := r.more
	for _, c := range r.unused {
		read := false
		for k, d := range decls {
			o := d.Raw
			if o.File != r.File || o.seen == 0 {
				continue
			}
			if k < input && slices.ContainsFunc(o.Warnings, func(w Warning) bool { return w.Code == "unused" }) {
				return ""
			}
			read = read || !slices.Contains(o.unused, c)
		}
		if read {
			continue
		}
		if n++; len(shown) < maxShown {
			shown = append(shown, c.name)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("columns not used (%s): %s%s", plural(r.seen, "row"), some(shown, n), r.between)
}

// binder is the state of one call of Bind.
type binder struct {
	mem      memory
	n        int
	labels   []string
	to       [][]int32 // of each input: from its own label numbers to the common ones, nil when they are the same
	warnings []Warning

	Decl // the input at hand
	rep  report
}

// OverNodes reports whether the nodes of the program are an axis of the input.
func (r *Raw) OverNodes() bool { return r.form != array && r.rows == 0 }

// defines reports whether the input brings nodes with it. A table with one row for each node only
// refers to the nodes of graphs, unless it adds its own.
func (r *Raw) defines() bool {
	return r.OverNodes() && (r.form == edgeList && r.opt.OneHot == "" || r.adds())
}

// adds reports whether nodes that are in no graph become nodes.
func (r *Raw) adds() bool { return r.opt.Extra == ExtraAdd }

// numbered and labelled say how the nodes of the input are written; an input
// without any edge may be neither.
func (r *Raw) numbered() bool { return r.OverNodes() && (r.maxID >= 0 || r.nodes > 0) }
func (r *Raw) labelled() bool { return r.OverNodes() && r.labels.len() > 0 }

// universe settles the nodes: numbers (numbers) or labels (labelNodes). Numbers in one input and
// labels in another cannot be brought together, so that is an error.
func (b *binder) universe(decls []Decl, known []string, relations []*Raw) {
	b.to = make([][]int32, len(decls))
	var num, lab *Raw
	definers := 0
	for _, d := range decls {
		if d.Raw.numbered() && num == nil {
			num = d.Raw
		} else if d.Raw.labelled() && lab == nil {
			lab = d.Raw
		}
		if d.Raw.defines() {
			definers++
		}
	}
	const shared = "all inputs of a program share one set of nodes"
	switch {
	case num != nil && (lab != nil || len(known) > 0):
		e := &Error{File: num.File, Msg: "the nodes are numbers here, but ", Hint: "ids=label reads numbers as labels; " + shared}
		if num.Format == MatrixMarket || num.cells != nil {
			e.Hint = "a list of edges may have labels; " + shared
		}
		if lab != nil {
			e.Msg += "labels in " + lab.File
		} else if i := slices.IndexFunc(relations, func(r *Raw) bool { return slices.Contains(r.nodeNames(), known[0]) }); i >= 0 {
			e.Msg += fmt.Sprintf("labels, such as %q, in %s", known[0], relations[i].File)
		} else {
			e.Msg += fmt.Sprintf("the program uses the label %q", known[0])
		}
		panic(e)
	case num != nil:
		b.numbers(decls, definers)
		return
	case lab != nil || len(known) > 0:
		b.labelNodes(decls, known, relations)
		return
	case definers > 0:
		for _, d := range decls {
			if d.Raw.defines() && !d.Raw.none {
				e := &Error{File: d.Raw.File, Msg: "the program's inputs have no nodes", Hint: "nodes=N makes a graph of N nodes without edges"}
				if i := slices.IndexFunc(d.Raw.Warnings, func(w Warning) bool { return w.Code == "where" }); i >= 0 {
					e.Msg += ", since " + d.Raw.Warnings[i].Msg
					e.Hint = "a value is compared as it is written, capitals and quotes too"
				}
				panic(e)
			}
		}
	}
}

// numbers settles nodes that are numbers: as many as a file says, else one more
// than the largest.
func (b *binder) numbers(decls []Decl, definers int) {
	var declared *Raw
	most, added := -1, -1
	for _, d := range decls {
		r := d.Raw
		if !r.OverNodes() {
			continue
		}
		if r.adds() {
			added = max(added, r.maxID)
		} else if definers == 0 || r.defines() {
			most = max(most, r.maxID)
		}
		if r.nodes == 0 {
			continue
		}
		if declared != nil && declared.nodes != r.nodes {
			panic(&Error{File: r.File, Msg: fmt.Sprintf("%s here, but %d in %s", plural(r.nodes, "node"), declared.nodes, declared.File),
				Hint: "all graphs of a program share one set of nodes"})
		}
		declared = r
	}
	for _, d := range decls {
		if d.Raw.adds() && added > most && most >= 0 && d.Raw.maxID == added {
			b.added(d, added-most)
		}
	}
	b.n = max(most, added) + 1
	if declared != nil {
		b.n = declared.nodes
	} else {
		b.fromOne(decls)
	}
	for _, d := range decls {
		r := d.Raw
		if !r.OverNodes() {
			continue
		}
		if r.maxID >= b.n && !r.defines() {
			b.strange(d, func(id int32) bool { return int(id) >= b.n }, func(id int32) string { return fmt.Sprintf("node %d", id) },
				fmt.Sprintf("not one of the program's %s", plural(b.n, "node")))
			continue
		}
		if r.maxID >= b.n {
			msg := fmt.Sprintf("node %d is not one of the program's %s", r.maxID, plural(b.n, "node"))
			if declared != nil {
				msg = fmt.Sprintf("node %d is not one of the %s of %s", r.maxID, plural(b.n, "node"), declared.File)
			}
			panic(&Error{File: r.File, Line: r.lineOf(int32(r.maxID)), Msg: msg})
		}
		// Far more numbers than nodes that occur: account numbers, say. They
		// may well be node numbers, so the answer is not guessed.
		if limit := 10*r.edges.len() + 1000; declared == nil && r.opt.IDs == IDsAuto && r.maxID > limit {
			panic(&Error{File: r.File, Line: r.lineOf(int32(r.maxID)),
				Msg:  fmt.Sprintf("node numbers go up to %d in a file of %s: are they node numbers or labels?", r.maxID, plural(r.edges.len(), "row")),
				Hint: "give ids=number or ids=label"})
		}
	}
}

// fromOne notes that no row of the graphs has node 0, which is then a node that nobody meant: most
// files that count from 1 have no other.
func (b *binder) fromOne(decls []Decl) {
	first := -1
	for i, d := range decls {
		if r := d.Raw; r.defines() && r.edges.len() > 0 {
			if r.form != edgeList || r.opt.IDs != IDsAuto || len(r.opt.Where) > 0 || r.lineOf(0) > 0 {
				return
			}
			if first < 0 {
				first = i
			}
		}
	}
	if first >= 0 {
		b.warnings = append(b.warnings, Warning{Input: decls[first].Name, File: decls[first].Raw.File, Code: "zero", Note: true,
			Msg: fmt.Sprintf("no row has node 0, but it is one of the %s, which count from 0; with ids=label only the numbers in rows are nodes", plural(b.n, "node"))})
	}
}

// strange reports the rows of a table for nodes that the program does not have: as errors or, with
// extra=ignore, as a count.
func (b *binder) strange(d Decl, is func(id int32) bool, name func(id int32) string, what string) {
	r := d.Raw
	rep, seen := report{file: r.File}, set{mem: &b.mem}
	var shown []string
	rows, nodes := 0, 0
	for e, p := range r.edges.at.all() {
		if !is(p[0]) {
			continue
		}
		rows++
		fresh := seen.add(int(p[0]))
		if !fresh {
			continue
		}
		if nodes++; nodes <= maxShown {
			shown = append(shown, name(p[0]))
		}
		if rep.counted() {
			continue
		}
		rep.add(&Error{Line: r.edges.lines.at(e), Msg: name(p[0]) + " is " + what,
			Hint: "extra=ignore skips the rows of such nodes; extra=add adds the nodes"})
	}
	if r.opt.Extra == ExtraIgnore {
		b.warnings = append(b.warnings, Warning{Input: d.Name, File: r.File, Code: "extra", Note: true,
			Msg: fmt.Sprintf("extra=ignore skips %s for %s not in any graph: %s", plural(rows, "row"), plural(nodes, "node"), some(shown, nodes))})
		return
	}
	rep.end()
}

// lineOf returns the line where a node first occurs.
func (r *Raw) lineOf(node int32) int {
	for e, p := range r.edges.at.all() {
		if p[0] == node || r.form == edgeList && r.opt.OneHot == "" && p[1] == node {
			return r.edges.lines.at(e)
		}
	}
	return 0
}

// labelNodes settles nodes that have labels. Each file has numbered its own as they came
// (Raw.labels); here they get common numbers, in three rounds: inputs that define nodes, in their
// order, after the labels of the program; tables that add some; and tables that may only use what
// is there. One file alone keeps its numbers.
func (b *binder) labelNodes(decls []Decl, known []string, relations []*Raw) {
	var with []*Raw
	for _, d := range decls {
		if d.Raw.labelled() {
			with = append(with, d.Raw)
		}
	}
	if len(known) == 0 && len(with) == 1 && with[0].defines() {
		b.setLabels(&with[0].labels)
		return
	}
	table := newLabelTable(&b.mem)
	add := func(s string) int32 {
		if id, ok := table.find([]byte(s)); ok {
			return id
		}
		return table.share(s)
	}
	for _, s := range known {
		add(s)
	}
	nKnown := table.len()
	used := make([]bool, nKnown)
	for _, r := range relations {
		for _, s := range r.nodeNames() {
			used[add(s)] = true
		}
	}
	any := false
	number := func(i int, d Decl) {
		if !d.Raw.defines() || d.Raw.labels.len() == 0 {
			return
		}
		any = true
		b.renumber(i, d.Raw, func(s string) int32 {
			id := add(s)
			if int(id) < nKnown {
				used[id] = true
			}
			return id
		})
		if table.len() > d.Raw.opt.MaxNodes {
			panic(&Error{File: d.Raw.File, Limit: true, Msg: fmt.Sprintf("all inputs together exceed the limit of %s", plural(d.Raw.opt.MaxNodes, "node"))})
		}
	}
	for i, d := range decls {
		if d.Raw.adds() {
			continue
		}
		number(i, d)
	}
	for i, d := range decls { // what a table adds comes after the nodes of the graphs
		if !d.Raw.adds() {
			continue
		}
		before := table.len()
		number(i, d)
		if before > 0 {
			b.added(d, table.len()-before)
		}
	}
	for i, d := range decls {
		r := d.Raw
		if r.defines() || !r.labelled() {
			continue
		}
		strange := false
		b.renumber(i, r, func(s string) int32 {
			id, ok := table.find([]byte(s))
			if !ok {
				id, strange = -1, true
			}
			return id
		})
		if !strange {
			continue
		}
		b.strange(d, func(id int32) bool { return b.to[i][id] < 0 }, func(id int32) string { return quote([]byte(*r.labels.at(int(id)))) },
			"not a node of any graph in the program")
	}
	table.close()
	b.setLabels(&table.labels)
	table.labels.drop()
	var unused []string
	for id, u := range used {
		if any && !u {
			unused = append(unused, b.labels[id])
		}
	}
	if len(unused) > 0 {
		b.warnings = append(b.warnings, Warning{Code: "label",
			Msg: "labels in the program that no input has: " + quoteAll(unused, bytesOf)})
	}
}

// added notes the nodes that only a table has.
func (b *binder) added(d Decl, nodes int) {
	if nodes > 0 {
		b.warnings = append(b.warnings, Warning{Input: d.Name, File: d.Raw.File, Code: "extra", Note: true,
			Msg: fmt.Sprintf("extra=add adds %s not in any graph", plural(nodes, "node"))})
	}
}

// setLabels makes a list of labels those of the program.
func (b *binder) setLabels(list *chunks[string]) {
	b.labels = newSlice[string](&b.mem, list.len())
	for i, s := range list.all() {
		b.labels[i] = s
	}
	b.n = len(b.labels)
}

// renumber gives the labels of an input their common numbers.
func (b *binder) renumber(input int, r *Raw, number func(string) int32) {
	to := newSlice[int32](&b.mem, r.labels.len())
	same := true
	for k, s := range r.labels.all() {
		to[k] = number(s)
		same = same && int(to[k]) == k
	}
	if same {
		b.mem.give(len(to) * sizeOf[int32]())
		return
	}
	b.to[input] = to
}

// value makes the value of an input. to has the common number of each label, nil if they are
// those of the file.
func (b *binder) value(to []int32) tensor.Value {
	switch r := b.Raw; {
	case r.form == freed:
		panic("graphio: Bind of a file after Free")
	case r.form == array:
		b.byPlace(r)
		return tensor.Value{Type: tensor.Type{Kind: r.kind, Shape: r.shape}, F: r.data}
	case r.form == byNode:
		return b.byNode(to)
	case r.cells != nil:
		return b.cells(*r.cells)
	}
	return b.matrix(to)
}

// byPlace tells which nodes the values of an array belong to, if its size leads to think that they do:
// nothing in it says so.
func (b *binder) byPlace(r *Raw) {
	rank := r.shape.Rank()
	switch {
	case rank == 0 || r.shape.Dim(rank-1) != b.n && r.shape.Dim(0) != b.n:
	case r.byRow && r.shape.Dim(0) == b.n:
		b.warnings = append(b.warnings, Warning{Input: b.Name, File: r.File, Code: "rows",
			Msg: fmt.Sprintf("the values belong to the %s in the order of the rows, whatever other columns hold; from= names the column of the nodes", plural(b.n, "node"))})
	case b.n > 1 && len(b.labels) == b.n:
		b.warnings = append(b.warnings, Warning{Input: b.Name, File: r.File, Code: "rows", Note: true,
			Msg: "the file names no nodes; by their places the values belong to " + quoteAll(b.labels, bytesOf)})
	}
}

// cells makes the value of a graph that came as an array: bits, unless the sparse form is smaller.
func (b *binder) cells(a tensor.Bits) tensor.Value {
	v := tensor.Value{Type: tensor.Type{Kind: tensor.Bool, Shape: tensor.ShapeOf(a.Rows, a.Cols)}, Layout: tensor.Packed, Bits: a}
	ctl := &kernel.Ctl{}
	ones := kernel.PopAll(ctl, a)
	if 2*len(a.W) <= int(ones)+a.Rows+1 {
		return v
	}
	m := tensor.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: newSlice[int32](&b.mem, a.Rows+1), Idx: newSlice[int32](&b.mem, int(ones))}
	kernel.BitsToCSR(ctl, m, a)
	v.Layout, v.Bits, v.CSR = tensor.Sparse, tensor.Bits{}, m
	return v
}

// edges prepares the edges for building: over the common nodes or, for a matrix with axes of its
// own, over those of the file.
func (b *binder) edges(to []int32) *edgeSet {
	r := b.Raw
	s := &edgeSet{edges: &r.edges, rows: b.n, cols: b.n, to: to, ones: r.edges.w.len() == 0 && (r.opt.Dup == DupSum || r.Kind == Matrix && r.opt.Default != nil), mem: &b.mem}
	if !r.OverNodes() {
		s.rows, s.cols = r.rows, r.cols
	}
	if r.opt.OneHot != "" {
		s.cols, s.own = r.values.len(), true
	}
	return s
}

// repeatedPairs counts the rows of a mirrored list that repeat an earlier one.
func (b *binder) repeatedPairs(m *tensor.CSR) int {
	loops := 0
	for i := range m.Rows {
		for _, j := range m.Row(i) {
			if int(j) == i {
				loops++
			}
		}
	}
	return b.Raw.edges.len() - (m.NNZ()+loops)/2
}

// duplicates says, in the order of the file, on which two lines each of some pairs of nodes first
// occurs. It searches the list again rather than have the sort carry line numbers, since it only
// runs when there is an error to report.
func (b *binder) duplicates(twice []pair, to []int32) []*Error {
	r := b.Raw
	key := func(p pair) pair {
		if r.edges.mirror != 0 && p[0] > p[1] {
			p[0], p[1] = p[1], p[0]
		}
		return p
	}
	first := make(map[pair]int, len(twice)) // to the line, 0 while it is unknown and -1 when done
	// Most edges are none of them, and a table of their low bits tells sooner
	// than the map.
	var possible [1 << 12]bool
	slot := func(p pair) uint32 { return (uint32(p[0])<<6 ^ uint32(p[1])) % uint32(len(possible)) }
	for _, p := range twice {
		first[key(p)] = 0
		possible[slot(key(p))] = true
	}
	var out []*Error
	for e, ends := range r.edges.at.all() {
		p := key(moved(ends, to, r.opt.OneHot != ""))
		if !possible[slot(p)] {
			continue
		}
		before, ok := first[p]
		if !ok || before < 0 {
			continue
		}
		line := r.edges.lines.at(e)
		if before == 0 {
			first[p] = line
			continue
		}
		first[p] = -1
		out = append(out, &Error{File: r.File, Line: line, Msg: fmt.Sprintf("%s -> %s is %s",
			r.nodeName(ends[0]), r.otherName(ends[1]), bothLines(before, line))})
	}
	return out
}

// bothLines says where something is that is there twice.
func bothLines(first, again int) string {
	if first == again {
		return fmt.Sprintf("on line %d twice", again)
	}
	return fmt.Sprintf("on line %d and again on line %d", first, again)
}

// otherName names a target, or a column of onehot=.
func (r *Raw) otherName(id int32) string {
	if r.opt.OneHot != "" {
		return quote([]byte(*r.values.at(int(id))))
	}
	return r.nodeName(id)
}

// nodeName names a node of the file, as the file counts.
func (r *Raw) nodeName(id int32) string {
	switch {
	case r.labels.len() > 0:
		return quote([]byte(*r.labels.at(int(id))))
	case r.Format == MatrixMarket:
		return fmt.Sprint(id + 1)
	}
	return fmt.Sprint(id)
}

// matrix makes a matrix of edges. In a graph, which has no weights, a repeated edge is merged with a
// warning: it is there or not. Two weights are combined as dup= says, and are an error without it, as
// any could be meant.
func (b *binder) matrix(to []int32) tensor.Value {
	r := b.Raw
	s := b.edges(to)
	if s.cols == 0 && r.opt.OneHot != "" {
		panic(&Error{File: r.File, Msg: "the table has no rows, so the matrix has no columns"})
	}
	// The two that refuse repeated edges keep the first weight until all of them are reported.
	m, repeated, twice := s.build(map[Dup]func(a, b float64) float64{
		DupAuto:  func(a, _ float64) float64 { return a },
		DupError: func(a, _ float64) float64 { return a },
		DupMin:   func(a, b float64) float64 { return min(a, b) },
		DupFirst: func(a, _ float64) float64 { return a },
		DupSum:   func(a, b float64) float64 { return a + b },
		DupMax:   func(a, b float64) float64 { return max(a, b) },
	}[r.opt.Dup])
	if repeated > 0 && (r.opt.Dup == DupAuto || r.opt.Dup == DupError) {
		if r.edges.mirror != 0 {
			repeated = b.repeatedPairs(&m)
		}
		same := b.duplicates(twice, to)
		if r.Kind == Graph {
			b.warnings = append(b.warnings, Warning{Input: b.Name, File: r.File, Line: same[0].Line, Code: "duplicates",
				Msg: fmt.Sprintf("%s merged: %s", plural(repeated, "repeated edge"), same[0].Msg)})
		} else {
			for _, e := range same {
				e.Msg = "two weights for one edge: " + e.Msg
				e.Hint = "dup=min, dup=max, dup=sum or dup=first combines them"
				b.rep.add(e)
			}
			b.rep.more = repeated - len(b.rep.list)
			b.rep.end()
		}
	}
	kind, far := tensor.Bool, r.opt.Default != nil
	if m.Val != nil {
		for _, x := range m.Val {
			if math.IsInf(x, 0) {
				panic(&Error{File: r.File, Msg: "the sum of the weights of one edge is too large"})
			}
		}
		kind = kindOf(m.Val)
		if kind == tensor.Real && r.opt.Dup == DupSum && !s.real() {
			panic(&Error{File: r.File, Msg: "the sum of the weights of one edge is at or past 2^53, where integers stop being exact"})
		}
		before := m.NNZ()
		if far {
			kind = tensor.Real
		} else {
			dropZeros(&m)
		}
		if zeros := before - m.NNZ(); zeros > 0 {
			b.warnings = append(b.warnings, Warning{Input: b.Name, File: r.File, Code: "zero-weight",
				Msg: plural(zeros, "edge") + " of weight 0 left out: in a matrix, 0 means no edge; default=inf keeps weight 0 and makes a missing edge infinite"})
		}
		if kind == tensor.Bool {
			b.mem.give(cap(m.Val) * sizeOf[float64]())
			m.Val = nil
		}
	}
	if s.own {
		b.noteEmpty(&m)
	}
	m.Idx = fit(&b.mem, m.Idx)
	if m.Val != nil {
		m.Val = fit(&b.mem, m.Val)
	}
	return tensor.Value{Type: tensor.Type{Kind: kind, Far: far, Shape: tensor.ShapeOf(s.rows, s.cols)}, Layout: tensor.Sparse, CSR: m}
}

// byNode makes a vector of the values of nodes.
func (b *binder) byNode(to []int32) tensor.Value {
	r := b.Raw
	data := newSlice[float64](&b.mem, b.n)
	listed := newSlice[bool](&b.mem, b.n)
	for e, p := range r.edges.at.all() {
		id := p[0]
		if to != nil {
			id = to[id]
		}
		if id < 0 || int(id) >= b.n {
			continue // extra=ignore
		}
		if !listed[id] {
			listed[id] = true
			data[id] = *r.edges.w.at(e)
			continue
		}
		if b.rep.counted() {
			continue
		}
		line := r.edges.lines.at(e)
		b.rep.add(&Error{Line: line, Msg: fmt.Sprintf("a second value for %s: it is %s", r.nodeName(p[0]), bothLines(r.lineOf(p[0]), line))})
	}
	b.rep.end()
	b.missing(data, listed)
	b.mem.give(len(listed))
	kind := kindOf(data)
	unsigned(data, kind)
	return tensor.Value{Type: tensor.Type{Kind: kind, Shape: tensor.ShapeOf(b.n)}, F: data}
}

// noteEmpty counts the nodes for which a table has no row.
func (b *binder) noteEmpty(m *tensor.CSR) {
	var shown []string
	empty := 0
	for i := range m.Rows {
		if m.Ptr[i] < m.Ptr[i+1] {
			continue
		}
		if empty++; empty <= maxShown {
			shown = append(shown, b.name(i))
		}
	}
	if empty > 0 {
		b.warnings = append(b.warnings, Warning{Input: b.Name, File: b.Raw.File, Code: "columns", Note: true,
			Msg: fmt.Sprintf("no row for %s, so 0 in every column: %s", plural(empty, "node"), some(shown, empty))})
	}
}

// name shows a node in a message.
func (b *binder) name(id int) string {
	if len(b.labels) > 0 {
		return quote([]byte(b.labels[id]))
	}
	return fmt.Sprint(id)
}

// missing sets the elements of the nodes that a vector does not list to the default.
func (b *binder) missing(data []float64, listed []bool) {
	r := b.Raw
	var names []string
	count := 0
	for id, ok := range listed {
		switch {
		case ok:
		case r.opt.Default != nil:
			data[id] = *r.opt.Default
		default:
			if count++; count > 5 {
				continue
			}
			names = append(names, b.name(id))
		}
	}
	if count == 0 {
		return
	}
	msg := "no value for " + strings.Join(names, ", ")
	if count > len(names) {
		msg += fmt.Sprintf(" and %d more", count-len(names))
	}
	panic(&Error{File: r.File, Msg: msg, Hint: "default=0 sets the missing values to 0"})
}
