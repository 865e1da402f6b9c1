package show

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"ein/vm"
	"ein/vm/tensor"
)

func TestList(t *testing.T) {
	two := 2
	abc := []string{"a", "bear", "c"}
	named := Options{Nodes: true, Labels: abc}
	with := func(change func(*Options)) Options {
		o := named
		change(&o)
		return o
	}
	many := make([]string, 60)
	for i := range many {
		many[i] = fmt.Sprintf("node%d", i)
	}
	weights := []float64{0, 2.25, 0, -1, 0, 0.5, 1e-9, 0, 0}
	for _, test := range []struct {
		name  string
		value *tensor.Value
		opt   Options
		want  string
	}{
		{"points below each other", dense(tensor.Real, []float64{10.25, -1, 1e-9}, 3), named, "  a     10.25\n  bear  -1\n  c      1e-09\n"},
		{"precision", dense(tensor.Real, []float64{10.258, -1, 1e-9}, 3), with(func(o *Options) { o.Precision = &two }), "  a     10.26\n  bear  -1.00\n  c      1.00e-09\n"},
		{"counts have none", dense(tensor.Int, []float64{10, 2, 3}, 3), with(func(o *Options) { o.Precision = &two }), "  a     10\n  bear   2\n  c      3\n"},
		{"by value", dense(tensor.Int, []float64{1, 3, 1}, 3), with(func(o *Options) { o.Sort = ByValue }), "  bear  3\n  a     1\n  c     1\n"},
		{"the first by name", dense(tensor.Int, []float64{1, 3, 1}, 3), with(func(o *Options) { o.Sort, o.Top = ByName, 1 }), "  a  1\n  (1 of 3 elements shown)\n"},
		{"top", dense(tensor.Int, []float64{1, 3, 2}, 3), with(func(o *Options) { o.Top = 2 }), "  bear  3\n  c     2\n  (2 of 3 elements shown)\n"},
		{"top of numbers", dense(tensor.Int, []float64{1, 3, 2}, 3), Options{Top: 1, Hint: "more"}, "  1  3\n  (1 of 3 elements shown)\n"},
		{"grid", dense(tensor.Real, weights, 3, 3), named, "             a  bear    c\n  a      0      2.25  0\n  bear  -1      0     0.5\n  c      1e-09  0     0\n"},
		{"no room for a grid", dense(tensor.Real, weights, 3, 3), with(func(o *Options) { o.Columns = 12 }), "X = 4 entries (3x3)\n  a -> bear   2.25\n  bear -> a  -1\n  bear -> c   0.5\n  c -> a      1e-09\n"},
		{"the heaviest edges", dense(tensor.Real, weights, 3, 3), with(func(o *Options) { o.Top = 2 }), "X = 4 entries (3x3)\n  a -> bear  2.25\n  bear -> c  0.5\n  (2 of 4 entries shown)\n"},
		{"edges", packed(3, 3, [2]int{0, 2}, [2]int{1, 0}), with(func(o *Options) { o.Sort = ByName }), "X = 2 edges (3x3)\n  a -> c\n  bear -> a\n"},
		{"not square", packed(2, 3, [2]int{0, 2}), with(func(o *Options) { o.Sort = ByName }), "X = 1 entry (2x3)\n  [0, c]  1\n"},
		{"three axes", dense(tensor.Int, []float64{0, 0, 0, 5, 0, 0}, 2, 1, 3), named, "X = 1 entry (2x1x3)\n  [1, 0, a]  5\n"},
		{"bits", bitVector(3, 1), with(func(o *Options) { o.Nodes, o.Sort = false, ByValue }), "  1  1\n  0  0\n  2  0\n"},
		{"long", dense(tensor.Int, iota(60), 60), Options{Nodes: true, Labels: many, Hint: "more"}, "  node49  49\n  ...\n  (50 of 60 elements shown; more)\n"},
		{"in full", dense(tensor.Int, iota(60), 60), Options{Nodes: true, Labels: many, Full: true}, "  node58  58\n  node59  59\n"},
		{"not of the nodes", dense(tensor.Int, iota(4), 2, 2), named, "X =\n  [0, 1]\n  [2, 3]\n"},
	} {
		var b strings.Builder
		if err := Text(context.Background(), &b, &vm.Output{Name: "X", Value: test.value}, test.opt); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(b.String(), test.want) {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, b.String(), test.want)
		}
	}
}
