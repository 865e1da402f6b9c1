package check

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// packedNodes is the number of nodes up to which a graph is stored as a bit
// matrix whatever its density: half a megabyte.
const packedNodes = 2048

// Packs reports whether a 0/1 matrix is better stored as bits than as lists: a
// small one, or one that is so dense that the bits take no more space. On such
// graphs the bit kernels are many times as fast.
func Packs(rows, cols, entries int) bool {
	if rows <= packedNodes && cols <= packedNodes {
		return true
	}
	return uint64(rows)*uint64(tensor.Words(cols)) <= 2*uint64(entries)
}

// ProgramLabels returns the node labels in the text of a program, in order of first appearance. A
// capitalised name that only the data may have is left out: as a label, it would seem to come
// from the data.
func ProgramLabels(f *syntax.File) []string {
	c := newChecker(f, Config{Profile: Repl}, new(Program)) // a relation that nothing defines may follow
	c.collectLabels()
	return c.rel.sure(c.labels)
}

// ProgramDomains returns the labels in the text of each domain but that of the nodes.
func ProgramDomains(f *syntax.File) map[string][]string {
	c := newChecker(f, Config{}, new(Program))
	c.collectLabels()
	list := map[string][]string{}
	for _, s := range c.rel.slots {
		switch s.class {
		case aText:
			list["text"] = nil
		case ofDomain:
			list[s.domain] = nil
		}
	}
	for name := range list {
		list[name] = c.rel.sure(c.rel.labelsOf(name))
	}
	return list
}

// sure returns labels without the doubtful ones.
func (r *relations) sure(labels []string) []string {
	return slices.DeleteFunc(labels, func(s string) bool { return r.doubted[s] })
}

// collectLabels gathers all nodes: the host's labels, then those of the program's own graphs and
// relations in order of appearance. It comes first because every labelled graph has all nodes.
func (c *checker) collectLabels() {
	add := func(s string) {
		if _, ok := c.ids[s]; !ok {
			lists.Put(&c.ids, s, len(c.labels))
			c.labels = append(c.labels, s)
		}
	}
	for _, s := range c.cfg.Labels {
		add(s)
	}
	list := c.graphLabels()
	c.relate()
	if nodes := c.rel.nodes(len(c.labels)+len(list) > 0); len(nodes) > 0 {
		list = append(list, nodes...)
		slices.SortStableFunc(list, func(a, b *syntax.String) int { return cmp.Compare(a.Start, b.Start) })
	}
	for _, l := range list {
		add(l.Value)
	}
}

// graphLabels returns the labels of the graphs in the text, and notes them.
func (c *checker) graphLabels() (found []*syntax.String) {
	if strings.IndexByte(c.file.Source.Text, '"') < 0 {
		return nil
	}
	for _, s := range c.file.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if c.step(1) {
				return false
			}
			call, ok := n.(*syntax.Call)
			if !ok || call.Fun.Name != "edges" || len(call.Args) == 0 {
				return true
			}
			list, ok := call.Args[0].Value.(*syntax.List)
			if !ok {
				return true
			}
			for _, row := range list.Elems { // none when packed, so without labels
				if pair, ok := row.(*syntax.List); ok {
					for _, e := range pair.Elems {
						if s, ok := e.(*syntax.String); ok {
							found = append(found, s)
							c.note(s.Value, s.Span)
							if c.cfg.Profile == Repl { // a program that follows has them too
								lists.Put(&c.graphs, s.Value, &s.Span)
							}
						}
					}
				}
			}
			return false
		})
	}
	return found
}

// node is the node with a label. The map may have more: it is shared with programs that follow.
func (c *checker) node(label string) (id int, ok bool) {
	id, ok = c.ids[label]
	return id, ok && id < len(c.labels) && c.labels[id] == label
}

// label is the node that a string names.
func (c *checker) label(x *syntax.String) val {
	c.at(x.Span)
	k, ok := c.node(x.Value)
	if !ok && c.b.Unknown {
		// Data that is not bound yet may have it.
		return val{n: c.b.Const(tensor.Scalar(tensor.Int, math.NaN())), label: true, form: ir.NodeIndex}
	}
	if !ok {
		return c.unknownLabel(x)
	}
	return val{n: c.b.Number(float64(k)), label: true, form: ir.NodeIndex}
}

// number reads a literal number, negative ones included.
func number(x syntax.Expr) (float64, bool) {
	switch x := x.(type) {
	case *syntax.Number:
		return x.Value, true
	case *syntax.Unary:
		v, ok := number(x.X)
		return -v, ok
	case *syntax.Paren:
		return number(x.X)
	}
	return 0, false
}

// static evaluates an entry of a literal that is not just a number but arithmetic known before
// the program runs, such as 1/3.
func (c *checker) static(e syntax.Expr) (float64, bool) {
	v := c.expr(e, ctx{base: ^uint64(0)})
	if v.n == nil {
		return 0, false
	}
	x, ok := v.n.Static()
	if !ok || v.label || v.indexed || v.n.Rank() > 0 {
		c.say(entry, e.Pos(), text(e))
		return 0, false
	}
	return x, true
}

// elements returns the elements of a list. Those of a packed one are made for it.
func elements(l *syntax.List) []syntax.Expr {
	if l.Packed == nil {
		return l.Elems
	}
	list := make([]syntax.Expr, 0, l.Len())
	for _, e := range l.All() {
		list = append(list, e)
	}
	return list
}

// rows returns the elements of a list; of a packed one only the first, as the others have the same
// form.
func rows(l *syntax.List) []syntax.Expr {
	if l.Packed == nil {
		return l.Elems
	}
	return []syntax.Expr{l.At(0)}
}

// list elaborates [..] and [[..]]: a tensor of numbers. The first element of each level gives the
// shape, and all others must agree with it.
func (c *checker) list(x *syntax.List) val {
	var dims []int
	// The shape, by the first element of each level.
	for l := x; ; {
		if l.Packed != nil {
			dims = append(dims, l.Packed.Dims...)
			break
		}
		dims = append(dims, len(l.Elems))
		if len(l.Elems) == 0 {
			break
		}
		next, ok := l.Elems[0].(*syntax.List)
		if !ok {
			break
		}
		l = next
	}
	if len(dims) > tensor.MaxRank {
		return c.say(tooManyAxes, x.Span, tensor.MaxRank, len(dims))
	}
	shape := tensor.ShapeOf(dims...)
	if !c.fits(x.Span, shape.Elems()) {
		return val{}
	}
	c.thousands(x.Span)
	kind := tensor.Bool
	if x.Packed != nil {
		if !c.packed(x, &kind) {
			return val{}
		}
		c.at(x.Span)
		return val{n: c.b.Const(dense(kind, shape, x.Packed.Values))}
	}
	// A ragged literal can have far fewer elements than its first row promises.
	data := make([]float64, 0, min(shape.Elems(), uint64(x.Span.Len())))
	var fill func(l *syntax.List, depth int) bool
	fill = func(l *syntax.List, depth int) bool {
		if l.Packed != nil && slices.Equal(l.Packed.Dims, dims[depth:]) {
			data = append(data, l.Packed.Values...)
			return c.packed(l, &kind)
		}
		if l.Len() != dims[depth] {
			c.say(ragged, l.Span, dims[depth], l.Len())
			return false
		}
		for _, e := range elements(l) {
			sub, isList := e.(*syntax.List)
			if isList != (depth+1 < len(dims)) {
				c.say(raggedDepth, e.Pos())
				return false
			}
			if isList {
				if !fill(sub, depth+1) {
					return false
				}
				continue
			}
			v, ok := number(e)
			if !ok {
				if v, ok = c.static(e); !ok {
					return false
				}
				c.difference(e)
			}
			if abs(v) >= tensor.MaxInt && c.inexact(e) {
				return false
			}
			kind = max(kind, ir.KindOf(v))
			data = append(data, v)
		}
		return true
	}
	if !fill(x, 0) {
		return val{}
	}
	c.at(x.Span)
	return val{n: c.b.Const(dense(kind, shape, data))}
}

// packed raises kind to that of the numbers in a packed list.
func (c *checker) packed(l *syntax.List, kind *tensor.Kind) bool {
	huge := false
	for _, v := range l.Packed.Values {
		*kind = max(*kind, ir.KindOf(v))
		huge = huge || abs(v) >= tensor.MaxInt
	}
	return !huge || !c.anyInexact(l)
}

// anyInexact calls inexact for the numbers of a packed list, up to the first that it reports.
func (c *checker) anyInexact(l *syntax.List) bool {
	for _, e := range l.All() {
		sub, ok := e.(*syntax.List)
		if ok && c.anyInexact(sub) {
			return true
		}
		if v, ok := number(e); ok && abs(v) >= tensor.MaxInt && c.inexact(e) {
			return true
		}
	}
	return false
}

// inexact reports a whole number, perhaps with a sign, that is too large.
func (c *checker) inexact(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.Unary:
		return c.inexact(x.X)
	case *syntax.Paren:
		return c.inexact(x.X)
	case *syntax.Number:
		if isInteger(x.Text) {
			c.say(hugeInteger, x.Span, x.Text)
			return true
		}
	}
	return false
}

// fits counts a literal of the given number of words against the limit.
func (c *checker) fits(s source.Span, size uint64) bool {
	if size > c.cfg.Limits.Elements || c.elements > c.cfg.Limits.Elements-size {
		c.say(literalTooLarge, s, words.Count(c.cfg.Limits.Elements))
		return false
	}
	c.elements += size
	return true
}

// dense is a value in row-major order.
func dense(kind tensor.Kind, shape tensor.Shape, data []float64) tensor.Value {
	return tensor.Value{Type: tensor.Type{Kind: kind, Shape: shape}, F: data}
}

// literalCall elaborates vec, adj and edges, which take a literal and, after it, a size.
func (c *checker) literalCall(x *syntax.Call) val {
	list, ok := x.Args[0].Value.(*syntax.List)
	if !ok {
		c.wantList(x)
		c.expr(x.Args[0].Value, ctx{base: ^uint64(0)})
		return val{}
	}
	n, unbound := -1, false
	if len(x.Args) == 2 {
		v := c.expr(x.Args[1].Value, ctx{base: ^uint64(0)})
		if v.n == nil {
			return val{}
		}
		s, ok := v.n.Static()
		switch {
		case ok && math.IsNaN(s): // the size of an input that is not bound yet
			n = unknownNodes
			unbound = true
		case !ok || v.n.Rank() != 0 || s < 0 || s != math.Trunc(s) || v.label:
			return c.say(badSize, x.Args[1].Value.Pos(), text(x.Args[1].Value))
		case s > stdlib.MaxSize:
			return c.say(sizeTooLarge, x.Args[1].Value.Pos(), syntax.ExprString(x.Args[1].Value), stdlib.MaxSize)
		default:
			n = int(s)
		}
	}
	switch x.Fun.Name {
	case "vec":
		v := c.list(list)
		switch {
		case v.n == nil:
		case v.n.Rank() != 1:
			return c.say(vecRank, list.Pos(), shapeOf(v.n))
		case n >= 0 && v.n.Type.Shape.Dim(0) != n:
			return c.say(lengthMismatch, x.Args[1].Value.Pos(), words.Plural(v.n.Type.Shape.Dim(0), "number"), n)
		}
		return v
	case "adj":
		return c.matrixGraph(x, list, -1)
	}
	if unbound {
		c.at(x.Span)
		return val{n: c.b.Fill(c.b.Number(1), unknownNodes, unknownNodes)}
	}
	return c.edges(x, list, n)
}

// edges decides between the two readings of edges(L): rows all of length 2 are
// pairs; a square literal of 3 or more rows is the matrix.
func (c *checker) edges(x *syntax.Call, list *syntax.List, n int) val {
	var odd *syntax.List // the first row that is no pair
	square := list.Len() >= 3
	if m := list.Packed; m != nil && len(m.Dims) == 2 && (m.Dims[1] == 2 || square && m.Dims[0] == m.Dims[1]) {
		if m.Dims[1] == 2 {
			return c.pairs(x, list, n)
		}
		return c.matrixGraph(x, list, n)
	}
	for _, e := range rows(list) {
		row, ok := e.(*syntax.List)
		if !ok {
			return c.say(edgeNoList, e.Pos(), text(e))
		}
		if odd == nil && row.Len() != 2 {
			odd = row
		}
		square = square && row.Len() == list.Len()
	}
	switch {
	case odd == nil:
		return c.pairs(x, list, n)
	case square:
		return c.matrixGraph(x, list, n)
	}
	return c.edgeRow(odd)
}

// matrixOf returns the values of a packed list of lists of numbers, or nil.
func matrixOf(list *syntax.List) []float64 {
	if list.Packed == nil || len(list.Packed.Dims) != 2 {
		return nil
	}
	return list.Packed.Values
}

// pairs makes the graph of a list of edges with n nodes; -1 stands for as many as the edges need.
// A packed list is read where it lies, without a tree of its elements.
func (c *checker) pairs(x *syntax.Call, list *syntax.List, n int) val {
	c.drawn = slices.Grow(c.drawn[:0], list.Len())
	labelled, largest := 0, -1
	var largestAt syntax.Expr
	if ends := matrixOf(list); ends != nil {
		// One end of an edge, as a node of the tree.
		end := func(k int) syntax.Expr { return list.At(k / 2).(*syntax.List).At(k % 2) }
		at := 0
		for k, v := range ends {
			if v != math.Trunc(v) || v >= stdlib.MaxSize || math.Signbit(v) {
				return c.edgeID(end(k), list)
			}
			if int(v) > largest {
				largest, at = int(v), k
			}
			if k%2 == 1 {
				c.drawn = append(c.drawn, [2]int32{int32(ends[k-1]), int32(v)})
			}
		}
		if n >= 0 && largest >= n {
			largestAt = end(at)
		}
	} else {
		for _, e := range rows(list) {
			var ends [2]int32
			for k, id := range elements(e.(*syntax.List)) {
				switch id := id.(type) {
				case *syntax.Number:
					if id.Value != math.Trunc(id.Value) || id.Value >= stdlib.MaxSize {
						return c.edgeID(id, list)
					}
					ends[k] = int32(id.Value)
					if int(ends[k]) > largest {
						largest, largestAt = int(ends[k]), id
					}
				case *syntax.String:
					ends[k] = int32(c.ids[id.Value])
					labelled++
				default:
					return c.edgeID(id, list)
				}
			}
			c.drawn = append(c.drawn, ends)
		}
	}
	switch edges := len(c.drawn); {
	case labelled > 0 && labelled < 2*edges:
		c.mixedEdges(list, labelled < edges)
		return val{}
	case labelled > 0 && c.cfg.Profile == Core:
		return c.notInProfile(list.Span, "node labels")
	case labelled > 0 && n < 0:
		n = len(c.labels)
	case labelled > 0 && n < len(c.labels):
		return c.say(fewerThanLabels, x.Args[1].Value.Pos(), words.Plural(len(c.labels), "labelled node"), n)
	case edges == 0 && n < 0:
		return c.say(emptyEdges, x.Span)
	case labelled == 0 && n < 0:
		n = largest + 1
		c.inferredSize(x, n)
	case labelled == 0 && largest >= n:
		return c.edgeRange(largestAt.Pos(), largest, n)
	}
	if len(c.drawn) == 2 && labelled == 0 && (len(x.Args) == 1 || n == 2) {
		c.twoByTwo(x, list)
	}
	v := c.adjacency(x, n)
	if labelled > 0 && len(x.Args) == 1 && c.b.Unknown && v.n != nil { // data may add nodes
		v.n = c.b.Fill(c.b.Number(1), unknownNodes, unknownNodes)
	}
	return v
}

// twoByTwo warns when a literal of two pairs would be another graph if read as a matrix.
func (c *checker) twoByTwo(x *syntax.Call, list *syntax.List) {
	m := [2][2]int32(c.drawn)
	var asPairs [2][2]int32
	for _, row := range m {
		for _, v := range row {
			if v > 1 {
				return // cannot be a 0/1 matrix
			}
		}
		asPairs[row[0]][row[1]] = 1
	}
	if m != asPairs {
		c.ambiguousEdges(x, list)
	}
}

// matrixGraph reads a 0/1 matrix as a graph. The rows of a packed list lie one behind the other.
func (c *checker) matrixGraph(x *syntax.Call, list *syntax.List, n int) val {
	k := list.Len()
	if n >= 0 && n != k {
		return c.say(matrixSize, x.Args[1].Value.Pos(), words.Plural(k, "row"), n)
	}
	c.drawn = c.drawn[:0]
	if values := matrixOf(list); values != nil && list.Packed.Dims[1] == k {
		for at, v := range values {
			switch i, j := at/k, at%k; v {
			case 0:
			case 1:
				c.drawn = append(c.drawn, [2]int32{int32(i), int32(j)})
			default:
				wrong := list.At(i).(*syntax.List).At(j)
				return c.say(adjEntry, wrong.Pos(), i, j, text(wrong))
			}
		}
		return c.adjacency(x, k)
	}
	for i, e := range rows(list) {
		row, ok := e.(*syntax.List)
		if !ok {
			return c.say(adjNoList, e.Pos(), text(e))
		}
		if row.Len() != k {
			return c.say(adjRow, row.Pos(), row.Len(), words.Plural(k, "row"), words.Plural(k, "entry", "entries"))
		}
		for j, id := range elements(row) {
			v, ok := number(id)
			if !ok || v != 0 && v != 1 {
				return c.say(adjEntry, id.Pos(), i, j, text(id))
			}
			if v == 1 {
				c.drawn = append(c.drawn, [2]int32{int32(i), int32(j)})
			}
		}
	}
	return c.adjacency(x, k)
}

// adjacency stores the edges that were drawn as a bit matrix or, when that would be mostly zeros,
// as CSR.
func (c *checker) adjacency(x *syntax.Call, n int) val {
	c.at(x.Span)
	v := tensor.Value{Type: tensor.Type{Kind: tensor.Bool, Shape: tensor.ShapeOf(n, n)}}
	duplicates := 0
	packed := Packs(n, n, len(c.drawn))
	size := uint64(n)/2 + uint64(len(c.drawn))
	if packed {
		size = uint64(n) * uint64(tensor.Words(n))
	}
	if !c.fits(x.Span, size) {
		return val{}
	}
	if packed {
		v.Layout, v.Bits = tensor.Packed, c.b.Bits(n, n)
		for _, e := range c.drawn {
			from, to := int(e[0]), int(e[1])
			if v.Bits.Get(from, to) {
				duplicates++
			}
			v.Bits.Set(from, to)
		}
	} else {
		edges := tensor.Entries{Rows: n, Cols: n, Len: len(c.drawn), Take: func(int) {}, Each: func(yield func([][2]int32, []float64)) { yield(c.drawn, nil) }}
		v.Layout = tensor.Sparse
		v.CSR, duplicates, _ = edges.Build()
	}
	if duplicates > 0 {
		c.say(duplicateEdges, x.Span, words.Plural(duplicates, "edge"))
	}
	return val{n: c.b.Const(v)}
}
