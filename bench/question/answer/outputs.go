package answer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ein/bench/question/category"
	"ein/internal/words"
	"ein/vm"
	"ein/vm/tensor"
)

// FromOutputs reads the answer off the outputs of a program on a graph whose nodes
// have the labels:
//
//	boolean   a scalar 0 or 1
//	integer   an integral scalar
//	float     a scalar
//	set       a 0/1 vector over the nodes
//	string    the position of a node, or a 0/1 vector with a single 1
//	compound  two scalars, a boolean and an integer, named reachable and degree
//	          (or reach and deg, in any case); without these names, in that order
//
// A relation is read as follows, with labels, or numbers, for nodes:
//
//	boolean   a query without variables
//	integer   one number; no number in a column of whole numbers is a count of nothing, 0
//	float     one number
//	set       one column of nodes
//	string    one column with one node
//
// Every type but compound is one output: of several there is no telling which
// one is meant.
func FromOutputs(t category.Result, outs []vm.Output, labels []string) (Value, error) {
	v := Value{Type: t}
	if t == category.Compound {
		return v, v.compound(outs)
	}
	if len(outs) != 1 {
		return v, fmt.Errorf("expected one output, found %d", len(outs))
	}
	var err error
	out := &outs[0]
	switch t {
	case category.Boolean:
		v.Bool, err = boolean(out)
	case category.Integer:
		v.Int, err = integer(out)
	case category.Float:
		v.Float, err = scalar(out)
	case category.Set:
		v.Nodes, err = nodes(out, labels)
	case category.String:
		v.Node, err = node(out, labels)
	default:
		err = fmt.Errorf("there is no answer of type %s", t)
	}
	return v, err
}

// compound takes outputs by name. Names that say nothing leave the order of two outputs.
func (v *Value) compound(outs []vm.Output) (err error) {
	reach, degree := find(outs, "reachable", "reach"), find(outs, "degree", "deg")
	if reach < 0 || degree < 0 {
		if len(outs) != 2 {
			return fmt.Errorf("expected two outputs, reachable and degree, found %d", len(outs))
		}
		reach, degree = ordered(reach, degree)
	}
	if v.Reachable, err = boolean(&outs[reach]); err != nil {
		return err
	}
	v.Degree, err = integer(&outs[degree])
	return err
}

// ordered gives a place to each of two parts of which at most one was found by its name.
func ordered(reach, degree int) (int, int) {
	switch {
	case reach >= 0:
		return reach, 1 - reach
	case degree >= 0:
		return 1 - degree, degree
	}
	return 0, 1
}

// find returns the last output with one of the names: a program that prints a value
// again means the later one.
func find(outs []vm.Output, names ...string) int {
	at := -1
	for i := range outs {
		for _, name := range names {
			if strings.EqualFold(outs[i].Name, name) {
				at = i
			}
		}
	}
	return at
}

// rows returns an output as a relation; nil if it is a tensor.
func rows(out *vm.Output) *tensor.Table {
	if out.Value.Layout == tensor.Rows {
		return out.Value.Table
	}
	return nil
}

// notOne returns a relation that is not what was expected.
func notOne(out *vm.Output, expected string) error {
	t := rows(out)
	return fmt.Errorf("%s is a relation of %s and %s, expected %s", out.Name, words.Plural(len(t.Columns), "column"), words.Plural(t.Len, "row"), expected)
}

// scalar returns the number in an output: a scalar, or a relation of one row and one column.
func scalar(out *vm.Output) (float64, error) {
	if t := rows(out); t != nil {
		if len(t.Columns) != 1 || t.Columns[0].Kind.Named() || t.Len != 1 {
			return 0, notOne(out, "one number")
		}
		return t.Cells[0].Num[0] + 0, nil
	}
	if out.Value.Shape.Rank() != 0 {
		return 0, fmt.Errorf("%s is a tensor of shape %s, expected a scalar", out.Name, out.Value.Shape)
	}
	x := out.Value.At()
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%s is %v, expected a finite number", out.Name, x)
	}
	return x + 0, nil // no negative zero
}

// boolean returns the truth of an output: a scalar that is 0 or 1, or a relation without columns,
// which is true if it has its row.
func boolean(out *vm.Output) (bool, error) {
	if t := rows(out); t != nil && len(t.Columns) == 0 {
		return t.Len > 0, nil
	}
	x, err := scalar(out)
	if err == nil && x != 0 && x != 1 {
		err = fmt.Errorf("%s is %v, expected 0 or 1", out.Name, x)
	}
	return x == 1, err
}

// integer returns the number in an output. An output without rows is 0, because a count over
// nothing derives no row.
func integer(out *vm.Output) (int64, error) {
	if t := rows(out); t != nil && len(t.Columns) == 1 && t.Columns[0].Kind == tensor.IntColumn && t.Len == 0 {
		return 0, nil
	}
	x, err := scalar(out)
	if err == nil && (x != math.Trunc(x) || math.Abs(x) >= tensor.MaxInt) {
		err = fmt.Errorf("%s is %v, expected an integer", out.Name, x)
	}
	if err != nil {
		return 0, err
	}
	return int64(x), nil
}

// nodes returns the positions of the nodes in an output, in order: a vector of 0 and 1 over all
// nodes, or a relation of one column.
func nodes(out *vm.Output, labels []string) ([]int, error) {
	n := len(labels)
	if t := rows(out); t != nil {
		return members(out, t, labels)
	}
	s := out.Value.Shape
	if s.Rank() != 1 || s.Dim(0) != n {
		return nil, fmt.Errorf("%s is of shape %s, expected a vector over the %d nodes", out.Name, s, n)
	}
	list := []int{}
	for i := range n {
		switch x := out.Value.At(i); x {
		case 0:
		case 1:
			list = append(list, i)
		default:
			return nil, fmt.Errorf("element %d of %s is %v, expected 0 or 1", i, out.Name, x)
		}
	}
	return list, nil
}

// members returns the nodes of a relation.
func members(out *vm.Output, t *tensor.Table, labels []string) ([]int, error) {
	if len(t.Columns) != 1 {
		return nil, notOne(out, "one column of nodes")
	}
	list := []int{}
	for row := range t.All() {
		text := t.Text(0, row[0])
		i := slices.Index(labels, text)
		if number, err := strconv.Atoi(text); i < 0 && err == nil && number < len(labels) {
			i = number
		}
		if i < 0 {
			return nil, fmt.Errorf("%s has %s, which is not a node", out.Name, text)
		}
		list = append(list, i)
	}
	slices.Sort(list)
	return list, nil
}

// node returns the position of the one node in an output, which may also be a scalar.
func node(out *vm.Output, labels []string) (int, error) {
	if out.Value.Shape.Rank() != 0 || rows(out) != nil {
		list, err := nodes(out, labels)
		if err == nil && len(list) != 1 {
			err = fmt.Errorf("%s has %d nodes, expected one", out.Name, len(list))
		}
		if err != nil {
			return 0, err
		}
		return list[0], nil
	}
	i, err := integer(out)
	if err == nil && (i < 0 || i >= int64(len(labels))) {
		err = fmt.Errorf("%s is %d, expected the position of a node, 0 to %d", out.Name, i, len(labels)-1)
	}
	return int(i), err
}
