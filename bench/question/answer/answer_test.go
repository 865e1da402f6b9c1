package answer

import (
	"context"
	"math"
	"strings"
	"testing"

	"ein/bench/question/category"
	"ein/lang"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/tensor"
)

// TestFromOutputs runs programs and reads their answers, on a graph of 3 nodes
// named a, b, c.
func TestFromOutputs(t *testing.T) {
	for _, test := range []struct {
		result  category.Result
		program string
		want    string // the answer in JSON, or a part of the error after "error: "
	}{
		{category.Boolean, "x = 1", "true"},
		{category.Boolean, "x = 0", "false"},
		{category.Boolean, "x = 2", "error: x is 2, expected 0 or 1"},
		{category.Boolean, "x = 0.5", "error: 0.5"},
		{category.Boolean, "x = [1]", "error: shape 1, expected a scalar"},
		{category.Boolean, ":print 1, 0", "error: one output, found 2"},
		{category.Integer, "x = 6.0 / 2", "3"},
		{category.Integer, "x = 0 - 1", "-1"},
		{category.Integer, "x = 0 - 0", "0"},
		{category.Integer, "x = 1 / 3", "error: expected an integer"},
		{category.Integer, "x = 1e300", "error: expected an integer"},
		{category.Float, "x = 7 / 2", "3.5"},
		{category.Float, "x = 1 / 3", "0.3333333333333333"},
		{category.Float, "x = 4 / 2", "2"},
		{category.Float, "x = 1e-9", "1e-09"},
		{category.Set, "x = [1, 0, 1]", `["a","c"]`},
		{category.Set, "x = [0, 0, 0]", `[]`},
		{category.Set, "x = desc(edges([[0, 1]], 3), 0)", `["b"]`},
		{category.Set, "x = [1, 0]", "error: vector over the 3 nodes"},
		{category.Set, "x = [1, 0, 2]", "error: element 2 of x is 2"},
		{category.Set, "x = 1", "error: shape scalar"},
		{category.Set, "x = [[1, 0, 1]]", "error: shape 1x3"},
		{category.String, "x = 2", `"c"`},
		{category.String, "x = [0, 1, 0]", `"b"`},
		{category.String, "x = [1, 1, 0]", "error: x has 2 nodes, expected one"},
		{category.String, "x = [0, 0, 0]", "error: x has 0 nodes"},
		{category.String, "x = 3", "error: 0 to 2"},
		{category.String, "x = 0 - 1", "error: 0 to 2"},
		{category.String, "x = 0.5", "error: expected an integer"},
		{category.Compound, "a = 1\nb = 3\n:print a, b", `{"reachable":true,"degree":3}`},
		{category.Compound, "Degree = 1\nreachABLE = 0\n:print Degree, reachABLE", `{"reachable":false,"degree":1}`},
		{category.Compound, "deg = 5\nx = 1\n:print deg, x", `{"reachable":true,"degree":5}`},
		{category.Compound, "x = 7\nreach = 1\n:print x, reach", `{"reachable":true,"degree":7}`},
		{category.Compound, "T = [1, 2]\ndeg = 5\nreach = 0\n:print T, deg, reach", `{"reachable":false,"degree":5}`},
		{category.Compound, "a = 3\nb = 1\n:print a, b", "error: a is 3, expected 0 or 1"},
		{category.Compound, "a = 1\nb = 0.5\n:print a, b", "error: expected an integer"},
		{category.Compound, "a = 1", "error: two outputs, reachable and degree, found 1"},
		{"tuple", "a = 1", "error: no answer of type tuple"},

		{category.Boolean, "P(a, b).\nP(\"a\", \"b\")?", "true"},
		{category.Boolean, "P(a, b).\nP(\"b\", \"a\")?", "false"},
		{category.Boolean, "P(a, b).\nP(\"a\", x)?", "error: relation of 1 column and 1 row, expected one number"},
		{category.Integer, "P(a, b).\nN(count()) <- P(_, _).\nN(k)?", "1"},
		{category.Integer, "P(a, b).\nN(count()) <- P(\"b\", _).\n:print N", "0"},
		{category.Integer, "P(a, b).\nN(x, count()) <- P(x, _).\nN(\"b\", k)?", "0"},
		{category.Integer, "N(1). N(2).\nN(k)?", "error: relation of 1 column and 2 rows, expected one number"},
		{category.Integer, "P(a, b).\nP(x, \"b\")?", "error: relation of 1 column and 1 row, expected one number"},
		{category.Float, "P(a, 1). P(b, 2).\nM(mean(k)) <- P(_, k).\nM(k)?", "1.5"},
		{category.Float, "P(a, 1).\nM(mean(k)) <- P(\"b\", k).\nM(k)?", "error: relation of 1 column and 0 rows, expected one number"},
		{category.Set, "P(c, b). P(a, b).\nP(x, \"b\")?", `["a","c"]`},
		{category.Set, "P(0, 1). P(2, 1).\nP(x, 1)?", `["a","c"]`},
		{category.Set, "P(a, b).\nP(x, y)?", "error: relation of 2 columns and 1 row, expected one column of nodes"},
		{category.Set, "P(a, b). P(d, b).\nP(x, \"b\")?", "error: has d, which is not a node"},
		{category.Set, "P(3, 1).\nP(x, 1)?", "error: has 3, which is not a node"},
		{category.String, "P(c, b).\nP(x, \"b\")?", `"c"`},
		{category.String, "P(c, b). P(a, b).\nP(x, \"b\")?", "error: has 2 nodes, expected one"},
		{category.Compound, "P(a, b).\nN(count()) <- P(\"a\", _).\nP(\"a\", \"b\")?\nN(k)?", `{"reachable":true,"degree":1}`},
	} {
		m, _, err := lang.Load("test", test.program+"\n", lang.Options{})
		if err != nil {
			t.Fatalf("%s: %v", test.program, err)
		}
		machine, err := vm.New(m, cost.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := machine.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		v, err := FromOutputs(test.result, r.Outputs, []string{"a", "b", "c"})
		if want, ok := strings.CutPrefix(test.want, "error: "); ok {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %q: error %v, want %s", test.result, test.program, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %q: %v", test.result, test.program, err)
			continue
		}
		if got := string(v.JSON([]string{"a", "b", "c"})); got != test.want {
			t.Errorf("%s %q: %s, want %s", test.result, test.program, got, test.want)
		}
		if !v.Equal(v) {
			t.Errorf("%s %q is not equal to itself", test.result, test.program)
		}
	}
}

// TestNotFinite is outputs that a machine of another host might give.
func TestNotFinite(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		v := tensor.Scalar(tensor.Real, x)
		if _, err := FromOutputs(category.Float, []vm.Output{{Name: "x", Value: &v}}, nil); err == nil {
			t.Errorf("%v is an answer", x)
		}
	}
	v := tensor.Scalar(tensor.Real, math.Copysign(0, -1))
	got, err := FromOutputs(category.Float, []vm.Output{{Name: "x", Value: &v}}, nil)
	if err != nil || string(got.JSON(nil)) != "0" {
		t.Errorf("negative zero: %s, %v", got.JSON(nil), err)
	}
}

func TestEqual(t *testing.T) {
	all := []Value{
		{Type: category.Boolean, Bool: true}, {Type: category.Boolean},
		{Type: category.Integer, Int: 1}, {Type: category.Integer},
		{Type: category.Float, Float: 1}, {Type: category.Float},
		{Type: category.Set, Nodes: []int{1}}, {Type: category.Set},
		{Type: category.String, Node: 1}, {Type: category.String},
		{Type: category.Compound, Degree: 1}, {Type: category.Compound, Reachable: true},
	}
	for i, v := range all {
		for j, w := range all {
			if v.Equal(w) != (i == j) {
				t.Errorf("%+v equal to %+v: %v", v, w, v.Equal(w))
			}
		}
	}
	if !(Value{Type: category.Set}).Equal(Value{Type: category.Set, Nodes: []int{}}) {
		t.Error("empty sets differ")
	}
}

func TestLabels(t *testing.T) {
	v := Value{Type: category.Set, Nodes: []int{0, 1}}
	if got := string(v.JSON([]string{`a"<b>`, "é"})); got != `["a\"<b>","é"]` {
		t.Error(got)
	}
}
