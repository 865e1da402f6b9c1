package answer

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ein/bench/question/category"
	"ein/internal/lists"
)

// Printed scores what a Python program prints: one JSON value, read as FromOutputs reads
// the outputs of a program in Ein.
//
//	boolean   true, false, 0 or 1
//	integer   an integral number
//	float     a number
//	set       the numbers of its nodes; or a 0 or 1 for each of three nodes or more
//	string    the number of a node, or a 0 or 1 for each with a single 1
//	compound  an object with reachable and degree (or reach and deg, in any case);
//	          without these names, or in an array, two values in that order
//
// In relaxed mode it is a value in any container that ParseRelaxed knows, with labels
// or numbers for nodes.
func Printed(out string, reference *Reference, t category.Result, categoryName string) (Result, error) {
	labels := reference.asked.Labels
	v, err := Parse(strings.TrimSpace(out))
	if err == nil {
		if v, err = v.named(t, labels); err == nil && conforms(&v, t) {
			return judged(&v, reference, t, categoryName), nil
		}
	}
	if x, relaxed := ParseRelaxed(out); relaxed == nil && strings.TrimSpace(out) != pythonNone {
		if n, numbers := x.named(t, labels); numbers == nil {
			x = n
		}
		if r := judged(&x, reference, t, categoryName); r.Relaxed {
			return only(r), nil
		}
	}
	if err == nil {
		err = fmt.Errorf("which is no %s", t)
	}
	return Result{}, fmt.Errorf("it prints %.100q: %w", strings.TrimSpace(out), err)
}

// named returns an answer in numbers of nodes with the labels in their place.
func (v *JSON) named(t category.Result, labels []string) (JSON, error) {
	word := map[string]string{"0": "false", "1": "true"}
	switch {
	case t == category.Boolean && v.kind == jsonNumber && word[v.text] != "":
		return JSON{kind: jsonBool, text: word[v.text]}, nil
	case t == category.Set && v.kind == jsonArray:
		nodes, err := v.nodes(len(labels), 2)
		if err != nil {
			return *v, err
		}
		return list(quoted(nodes, labels)), nil
	case t == category.String && v.kind == jsonArray:
		nodes, err := v.nodes(len(labels), 0)
		if err == nil && len(nodes) != 1 {
			err = fmt.Errorf("%d nodes, expected one", len(nodes))
		}
		if err != nil {
			return *v, err
		}
		return quoted(nodes, labels)[0], nil
	case t == category.String && v.kind == jsonNumber:
		node, err := v.node(len(labels))
		if err != nil {
			return *v, err
		}
		return quoted([]int{node}, labels)[0], nil
	case t == category.Compound && (v.kind == jsonObject || v.kind == jsonArray):
		return v.record(labels)
	case t == category.Boolean || t == category.Integer || t == category.Float:
		return *v, nil
	}
	return *v, fmt.Errorf("expected the numbers of nodes, 0 to %d", len(labels)-1)
}

func quoted(nodes []int, labels []string) []JSON {
	return lists.Map(nodes, func(x int) JSON { return JSON{kind: jsonString, text: labels[x]} })
}

// node returns the number of a node.
func (v *JSON) node(n int) (int, error) {
	if x, err := strconv.Atoi(v.text); v.kind == jsonNumber && err == nil && 0 <= x && x < n {
		return x, nil
	}
	return 0, fmt.Errorf("%.20s is not a node, expected 0 to %d", v.Raw(), n-1)
}

// nodes returns the nodes of an array: a vector over more nodes than few, or a list.
func (v *JSON) nodes(n, few int) ([]int, error) {
	bit := func(x JSON) bool { return x.text == "0" || x.text == "1" }
	vector := n > few && len(v.more.values) == n && !slices.ContainsFunc(v.more.values, func(x JSON) bool { return !bit(x) })
	list := []int{}
	for i := range v.more.values {
		switch x := &v.more.values[i]; {
		case vector && x.text == "0":
		case vector:
			list = append(list, i)
		default:
			node, err := x.node(n)
			if err != nil {
				return nil, err
			}
			list = append(list, node)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// record returns the two values of a compound.
func (v *JSON) record(labels []string) (JSON, error) {
	at := func(names ...string) int {
		return slices.IndexFunc(v.more.keys, func(k string) bool { return slices.Contains(names, strings.ToLower(k)) })
	}
	reach, degree := at("reachable", "reach"), at("degree", "deg")
	if reach < 0 || degree < 0 {
		if len(v.more.values) != 2 {
			return *v, fmt.Errorf("%d values, expected reachable and degree", len(v.more.values))
		}
		reach, degree = ordered(reach, degree)
	}
	values := []JSON{v.more.values[reach], v.more.values[degree]}
	yes, err := values[0].named(category.Boolean, labels)
	if err == nil && (!conforms(&yes, category.Boolean) || !conforms(&values[1], category.Integer)) {
		err = errors.New("expected a boolean and an integer")
	}
	values[0] = yes
	return object(&composite{[]string{"reachable", "degree"}, values}), err
}
