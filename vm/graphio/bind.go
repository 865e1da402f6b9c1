package graphio

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ein/vm/tensor"
)

// Decl is an input of a program and what was read for it. The kind of input is
// the one the Raw was read as.
type Decl struct {
	Name string
	Raw  *Raw
}

// Bind makes the values of the inputs over one set of nodes. known are the
// labels that the program itself uses; they come first, then those of the
// inputs in the order of first appearance. labels is nil when nodes are
// numbers. The inputs are not changed.
func Bind(decls []Decl, known []string) (vals []tensor.Value, labels []string, warnings []Warning, err error) {
	b := &binder{}
	if err := b.universe(decls, known); err != nil {
		return nil, nil, nil, err
	}
	for i, d := range decls {
		for _, w := range d.Raw.Warnings {
			w.Input = d.Name
			b.warnings = append(b.warnings, w)
		}
		b.Decl = d
		b.rep = report{file: d.Raw.File}
		v, err := b.value(b.to[i])
		if err != nil {
			return nil, nil, nil, err
		}
		vals = append(vals, v)
	}
	return vals, b.labels, b.warnings, nil
}

// binder is one call of Bind.
type binder struct {
	n        int
	labelled bool
	labels   []string
	to       [][]int32 // of each input: from its own label numbers to the common ones
	warnings []Warning

	Decl // the input at hand
	rep  report
}

// overNodes reports whether an axis of the input is the nodes of the program.
func (r *Raw) overNodes() bool { return r.Form != Array && r.Rows == 0 }

// defines reports whether the input brings nodes with it. A vector only names
// those that others have.
func (r *Raw) defines() bool { return r.overNodes() && r.Form == EdgeList }

// numbered and labelled say how the nodes of the input are written; an input
// without any edge may be neither.
func (r *Raw) numbered() bool { return r.overNodes() && (r.MaxID >= 0 || r.Nodes > 0) }
func (r *Raw) labelled() bool { return r.overNodes() && r.Labels != nil }

// universe settles the nodes.
func (b *binder) universe(decls []Decl, known []string) error {
	b.to = make([][]int32, len(decls))
	var num, lab *Raw
	definers := 0
	for _, d := range decls {
		switch {
		case d.Raw.numbered() && num == nil:
			num = d.Raw
		case d.Raw.labelled() && lab == nil:
			lab = d.Raw
		}
		if d.Raw.defines() {
			definers++
		}
	}
	const hint = "ids=label reads numbers as labels; all inputs of a program share one set of nodes"
	switch {
	case num != nil && lab != nil:
		return &Error{File: num.File, Msg: "the nodes are numbers here, but labels in " + lab.File, Hint: hint}
	case num != nil && len(known) > 0:
		return &Error{File: num.File, Msg: fmt.Sprintf("the nodes are numbers here, but the program uses the label %q", known[0]), Hint: hint}
	case num != nil:
		return b.numbers(decls, definers)
	case lab != nil || len(known) > 0:
		return b.labelNodes(decls, known)
	case definers > 0:
		for _, d := range decls {
			if d.Raw.defines() {
				return &Error{File: d.Raw.File, Msg: "no input of the program has any node", Hint: "nodes=N makes a graph of N nodes without edges"}
			}
		}
	}
	return nil
}

// numbers settles nodes that are numbers: as many as a file says, else one more
// than the largest.
func (b *binder) numbers(decls []Decl, definers int) error {
	var declared *Raw
	most := -1
	for _, d := range decls {
		r := d.Raw
		if !r.overNodes() {
			continue
		}
		if definers == 0 || r.defines() {
			most = max(most, r.MaxID)
		}
		if r.Nodes == 0 {
			continue
		}
		if declared != nil && declared.Nodes != r.Nodes {
			return &Error{File: r.File, Msg: fmt.Sprintf("%s here, but %d in %s", plural(r.Nodes, "node"), declared.Nodes, declared.File),
				Hint: "all graphs of a program share one set of nodes"}
		}
		declared = r
	}
	b.n = most + 1
	if declared != nil {
		b.n = declared.Nodes
	}
	for _, d := range decls {
		r := d.Raw
		if !r.overNodes() {
			continue
		}
		if r.MaxID >= b.n {
			msg := fmt.Sprintf("node %d is not one of the %s of the program", r.MaxID, plural(b.n, "node"))
			if declared != nil {
				msg = fmt.Sprintf("node %d is not one of the %s of %s", r.MaxID, plural(b.n, "node"), declared.File)
			}
			return &Error{File: r.File, Line: r.lineOf(int32(r.MaxID)), Msg: msg}
		}
		// Far more numbers than nodes that occur: account numbers, say. They
		// may well be node numbers, so the answer is not guessed.
		if limit := 10*len(r.Src) + 1000; declared == nil && r.opt.IDs == IDsAuto && r.MaxID > limit {
			return &Error{File: r.File, Line: r.lineOf(int32(r.MaxID)),
				Msg:  fmt.Sprintf("node numbers go up to %d in a file of %s: are they node numbers or labels?", r.MaxID, plural(len(r.Src), "row")),
				Hint: "give ids=number or ids=label"}
		}
	}
	return nil
}

// lineOf is the line where a node first occurs.
func (r *Raw) lineOf(node int32) int {
	for e := range r.Src {
		if r.Src[e] == node || r.Dst != nil && r.Dst[e] == node {
			return r.lines.at(e)
		}
	}
	return 0
}

// labelNodes settles nodes that have labels.
func (b *binder) labelNodes(decls []Decl, known []string) error {
	b.labelled = true
	size := len(known)
	for _, d := range decls {
		size += len(d.Raw.Labels)
	}
	index := make(map[string]int32, size)
	add := func(s string) int32 {
		id, ok := index[s]
		if !ok {
			id = int32(len(b.labels))
			index[s] = id
			b.labels = append(b.labels, s)
		}
		return id
	}
	for _, s := range known {
		add(s)
	}
	nKnown := len(b.labels)
	used := make([]bool, nKnown)
	any := false
	for i, d := range decls {
		if !d.Raw.defines() || d.Raw.Labels == nil {
			continue
		}
		any = true
		b.to[i] = make([]int32, len(d.Raw.Labels))
		for k, s := range d.Raw.Labels {
			id := add(s)
			b.to[i][k] = id
			if int(id) < nKnown {
				used[id] = true
			}
		}
		if len(b.labels) > d.Raw.opt.MaxNodes {
			return &Error{File: d.Raw.File, Limit: true, Msg: fmt.Sprintf("more than the limit of %s in all inputs together", plural(d.Raw.opt.MaxNodes, "node"))}
		}
	}
	b.n = len(b.labels)
	for i, d := range decls {
		r := d.Raw
		if r.defines() || !r.labelled() {
			continue
		}
		b.to[i] = make([]int32, len(r.Labels))
		for k, s := range r.Labels {
			id, ok := index[s]
			if !ok {
				return &Error{File: r.File, Line: r.lineOf(int32(k)), Msg: fmt.Sprintf("%q is not a node of any graph of the program", s)}
			}
			b.to[i][k] = id
		}
	}
	var unused []string
	for id, u := range used {
		if any && !u {
			unused = append(unused, b.labels[id])
		}
	}
	if len(unused) > 0 {
		b.warnings = append(b.warnings, Warning{Code: "label",
			Msg: "labels of the program that no input has: " + quoteAll(unused)})
	}
	return nil
}

func (b *binder) value(to []int32) (tensor.Value, error) {
	switch r := b.Raw; {
	case r.Form == Array:
		k := kindOf(r.Data)
		return tensor.Value{Type: tensor.Type{Kind: k, Shape: r.Shape}, F: unsigned(r.Data, k)}, nil
	case r.Form == ByNode:
		return b.byNode(to)
	case r.Kind == Graph:
		return b.graph(to)
	}
	return b.matrix(to)
}

// unsigned is data of kind k with every negative zero, which integers do not
// have, made a plain one.
func unsigned(data []float64, k tensor.Kind) []float64 {
	isNegative := func(x float64) bool { return x == 0 && math.Signbit(x) }
	if k == tensor.Real || !slices.ContainsFunc(data, isNegative) {
		return data
	}
	data = slices.Clone(data)
	for i, x := range data {
		if x == 0 {
			data[i] = 0
		}
	}
	return data
}

func (b *binder) edges(to []int32) edgeSet {
	r := b.Raw
	s := edgeSet{rows: b.n, cols: b.n, src: r.Src, dst: r.Dst, w: r.W, to: to}
	if !r.overNodes() {
		s.rows, s.cols = r.Rows, r.Cols
	}
	if r.W == nil && r.opt.Dup == DupSum { // ones count when they are summed
		s.w = slices.Repeat([]float64{1}, len(r.Src))
	}
	return s
}

func (b *binder) graph(to []int32) (tensor.Value, error) {
	r := b.Raw
	m, repeated, twice := b.edges(to).build(nil)
	if repeated > 0 {
		if r.mirrored {
			repeated = b.repeatedPairs(&m)
		}
		example := b.duplicates(twice, to)[0]
		b.warnings = append(b.warnings, Warning{Input: b.Name, File: r.File, Line: example.Line, Code: "duplicates",
			Msg: fmt.Sprintf("%s merged into equal edges before them: %s", plural(repeated, "edge"), example.Msg)})
	}
	return tensor.Value{Type: tensor.Type{Kind: tensor.Bool, Shape: tensor.ShapeOf(b.n, b.n)}, Layout: tensor.Sparse, CSR: m}, nil
}

// repeatedPairs is the number of rows of a mirrored list that an earlier one
// repeats: rows less pairs.
func (b *binder) repeatedPairs(m *tensor.CSR) int {
	loops := 0
	for i := range m.Rows {
		for _, j := range m.Row(i) {
			if int(j) == i {
				loops++
			}
		}
	}
	return b.Raw.listed - (m.NNZ()+loops)/2
}

// duplicates says, in the order of the file, on which two lines each of some
// pairs of nodes is first given. It looks for them in the list again rather
// than have the sort carry line numbers: it runs only where something is wrong.
func (b *binder) duplicates(twice []pair, to []int32) []*Error {
	r := b.Raw
	n := len(r.Src)
	if r.mirrored {
		n = r.listed
	}
	key := func(p pair) pair {
		if r.mirrored && p[0] > p[1] {
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
	for e := range n {
		p := pair{r.Src[e], r.Dst[e]}
		if to != nil {
			p = pair{to[p[0]], to[p[1]]}
		}
		p = key(p)
		if !possible[slot(p)] {
			continue
		}
		before, ok := first[p]
		line := r.lines.at(e)
		switch {
		case !ok || before < 0:
		case before == 0:
			first[p] = line
		default:
			first[p] = -1
			out = append(out, &Error{File: r.File, Line: line, Msg: fmt.Sprintf("%s -> %s is on line %d and again on line %d",
				r.nodeName(r.Src[e]), r.nodeName(r.Dst[e]), before, line)})
		}
	}
	return out
}

func (r *Raw) nodeName(id int32) string {
	switch {
	case r.Labels != nil:
		return quote([]byte(r.Labels[id]))
	case r.Format == MatrixMarket:
		return fmt.Sprint(id + 1)
	}
	return fmt.Sprint(id)
}

func (b *binder) matrix(to []int32) (tensor.Value, error) {
	r := b.Raw
	s := b.edges(to)
	m, repeated, twice := s.build(map[Dup]func(a, b float64) float64{
		DupError: func(a, _ float64) float64 { return a },
		DupFirst: func(a, _ float64) float64 { return a },
		DupSum:   func(a, b float64) float64 { return a + b },
		DupMax:   func(a, b float64) float64 { return max(a, b) },
	}[r.opt.Dup])
	if repeated > 0 && r.opt.Dup == DupError {
		if r.mirrored {
			repeated = b.repeatedPairs(&m)
		}
		for _, e := range b.duplicates(twice, to) {
			e.Msg = "a second weight: " + e.Msg
			e.Hint = "dup=sum, dup=max or dup=first combines them"
			b.rep.add(e)
		}
		b.rep.more = repeated - len(b.rep.list)
		return tensor.Value{}, b.rep.err()
	}
	kind := tensor.Bool
	if m.Val != nil {
		for _, x := range m.Val {
			if math.IsInf(x, 0) {
				return tensor.Value{}, &Error{File: r.File, Msg: "the sum of the weights of one edge is too large"}
			}
		}
		kind = kindOf(m.Val)
		if kind == tensor.Real && kindOf(s.w) != tensor.Real && r.opt.Dup == DupSum {
			return tensor.Value{}, &Error{File: r.File, Msg: "the sum of the weights of one edge is at or past 2^53, where integers stop being exact"}
		}
		dropZeros(&m)
		if kind == tensor.Bool {
			m.Val = nil
		}
	}
	return tensor.Value{Type: tensor.Type{Kind: kind, Shape: tensor.ShapeOf(s.rows, s.cols)}, Layout: tensor.Sparse, CSR: m}, nil
}

// byNode makes a vector of the values of nodes.
func (b *binder) byNode(to []int32) (tensor.Value, error) {
	r := b.Raw
	data := make([]float64, b.n)
	line := make(map[int32]int, len(r.Src))
	for e, id := range r.Src {
		at := r.lines.at(e)
		if before, twice := line[id]; twice {
			b.rep.add(&Error{Line: at, Msg: fmt.Sprintf("a second value for %s, which is on line %d and again on line %d", r.nodeName(id), before, at)})
			continue
		}
		line[id] = at
		if to != nil {
			id = to[id]
		}
		data[id] = r.W[e]
	}
	if err := b.rep.err(); err != nil {
		return tensor.Value{}, err
	}
	if len(line) < b.n {
		if err := b.missing(data, to); err != nil {
			return tensor.Value{}, err
		}
	}
	kind := kindOf(data)
	return tensor.Value{Type: tensor.Type{Kind: kind, Shape: tensor.ShapeOf(b.n)}, F: unsigned(data, kind)}, nil
}

// missing gives the nodes that a vector does not list their default.
func (b *binder) missing(data []float64, to []int32) error {
	r := b.Raw
	listed := make([]bool, b.n)
	for _, id := range r.Src {
		if to != nil {
			id = to[id]
		}
		listed[id] = true
	}
	var names []string
	for id, ok := range listed {
		if ok {
			continue
		}
		if r.opt.Default != nil {
			data[id] = *r.opt.Default
			continue
		}
		if b.labelled {
			names = append(names, quote([]byte(b.labels[id])))
		} else {
			names = append(names, fmt.Sprint(id))
		}
	}
	if names == nil {
		return nil
	}
	msg := "no value for " + strings.Join(names[:min(len(names), 5)], ", ")
	if len(names) > 5 {
		msg += fmt.Sprintf(" and %d more", len(names)-5)
	}
	return &Error{File: r.File, Msg: msg, Hint: "default=0 gives 0 to nodes that are not listed"}
}
