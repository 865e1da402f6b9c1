package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"ein/bench/question/answer"
	"ein/bench/question/category"
)

// parse reads one JSON value as an answer. node returns the node that a value stands for.
func parse(t category.Result, text []byte, node func(any) (int, error)) (answer.Value, error) {
	v := answer.Value{Type: t}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var x any
	if err := d.Decode(&x); err != nil {
		return v, errors.New("it is not JSON")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return v, errors.New("it is more than one JSON value")
	}
	var err error
	ok := true
	switch t {
	case category.Boolean:
		v.Bool, ok = x.(bool)
	case category.Integer:
		v.Int, ok = integer(x)
	case category.Float:
		var n json.Number
		if n, ok = x.(json.Number); ok {
			v.Float, err = n.Float64()
			ok = err == nil
		}
	case category.Set:
		v.Nodes, err = nodes(x, node)
	case category.String:
		v.Node, err = node(x)
	case category.Compound:
		m, _ := x.(map[string]any)
		var okReach, okDegree bool
		v.Reachable, okReach = m["reachable"].(bool)
		v.Degree, okDegree = integer(m["degree"])
		ok = okReach && okDegree && len(m) == 2
	default:
		ok = false
	}
	if !ok {
		return v, fmt.Errorf("it is not of type %s", t)
	}
	return v, err
}

// integer returns a number of JSON that is whole, also when Python wrote it as a float, such as
// 3.0.
func integer(x any) (int64, bool) {
	n, ok := x.(json.Number)
	if !ok {
		return 0, false
	}
	if i, err := n.Int64(); err == nil {
		return i, true
	}
	f, err := n.Float64()
	return int64(f), err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53
}

// nodes returns a set of nodes in order, whatever the order in which Python lists it.
func nodes(x any, node func(any) (int, error)) ([]int, error) {
	list, ok := x.([]any)
	if !ok {
		return nil, errors.New("it is not a set")
	}
	out := make([]int, 0, len(list))
	for _, e := range list {
		i, err := node(e)
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	slices.Sort(out)
	if len(slices.Compact(slices.Clone(out))) < len(out) {
		return nil, errors.New("it lists a node twice")
	}
	return out, nil
}

// byLabel reads nodes as stored answers name them.
func byLabel(labels []string) func(any) (int, error) {
	return func(x any) (int, error) {
		s, ok := x.(string)
		i := slices.Index(labels, s)
		if !ok || i < 0 {
			return 0, fmt.Errorf("%v is not a node", x)
		}
		return i, nil
	}
}

// byNumber reads nodes as Python programs name them.
func byNumber(n int) func(any) (int, error) {
	return func(x any) (int, error) {
		i, ok := integer(x)
		if !ok || i < 0 || i >= int64(n) {
			return 0, fmt.Errorf("%v is not a node: expected 0 to %d", x, n-1)
		}
		return int(i), nil
	}
}

// closeEnough is the tolerated difference between programs that add the same numbers in different
// orders.
const closeEnough = 1e-9

// same reports whether two answers agree; two means may differ by rounding, as they were added up
// in another order.
func same(a, b answer.Value) bool {
	if a.Type == category.Float && b.Type == category.Float {
		return math.Abs(a.Float-b.Float) <= closeEnough*max(1, math.Abs(a.Float), math.Abs(b.Float))
	}
	return a.Equal(b)
}
