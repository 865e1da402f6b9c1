package syntax

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"ein/testdata"
)

// shown is all that can be known of a parsed program but how its lists are kept.
func shown(f *File) string {
	var b strings.Builder
	formatted, ok := Format(f)
	fmt.Fprintf(&b, "%s%v %v %v\n%v %s", Dump(f), f.Diags, f.Incomplete, f.Comments, ok, formatted)
	visit := func(n Node) bool {
		fmt.Fprintf(&b, "%T %v ", n, n.Pos())
		switch n := n.(type) {
		case *Number:
			fmt.Fprintln(&b, n.Text, math.Float64bits(n.Value))
		case *List:
			fmt.Fprintln(&b, n.Len(), ExprString(n))
			for i, e := range n.All() {
				if i < 8 && !reflect.DeepEqual(n.At(i), e) {
					fmt.Fprintf(&b, "At(%d) is another", i)
				}
			}
		}
		return true
	}
	for _, s := range f.Stmts {
		WalkAll(s, visit)
	}
	return b.String()
}

// samePacked parses text with every list packed that can be, and with none.
func samePacked(t *testing.T, text string, opt Options) {
	t.Helper()
	opt.Limits.Pack = math.MaxInt
	want := shown(parseText(text, opt))
	opt.Limits.Pack = 1
	if got := shown(parseText(text, opt)); got != want {
		t.Fatalf("%q is, packed,\n%s\nand not\n%s", text, got, want)
	}
}

func FuzzPacked(f *testing.F) {
	for i, s := range seeds(f) {
		f.Add(s, i%2 == 0, i%3 == 0)
	}
	for _, c := range testdata.Cases() {
		f.Add(c.Source, false, false)
	}
	for _, s := range literals {
		f.Add("A = "+s+"\n", false, false)
		f.Add("A = f("+s+", "+s+")["+s+"]\nB = 2", false, true)
	}
	f.Fuzz(func(t *testing.T, text string, repl, small bool) {
		if len(text) > 4000 {
			return
		}
		opt := Options{Repl: repl}
		if small {
			opt.Limits = smallLimits
		}
		samePacked(t, text, opt)
	})
}

// literals are lists that are packed, or only just not.
var literals = []string{
	"[1]", "[[1,2],[3,4]]", "[ 1 ,\t2\r\n, 3,\n\n]", "[[1,2,],[3,4],]", "[-1, - 2, -\n3]", "[-0, 0., .5, 1e3, 1.5E-3, 5.]",
	"[[[1],[2]],[[3],[4]]]", "[[[[[[[[1]]]]]]]]", "[[[[[[[[[1]]]]]]]]]", "[9007199254740993, 12345678901234567890, 1e999]",
	"[1e308, 1e309]", "[" + strings.Repeat("9", 310) + "]", "[0." + strings.Repeat("9", 400) + "]", "[1e-999]",
	"[]", "[[]]", "[[],[]]", "[1,,2]", "[,1]", "[1", "[[1,2],[3]]", "[[1],2]", "[1,[2]]", "[[1],[[2]]]", "[[[1]],[2]]",
	"[1 2]", "[1 -2]", "[--1]", "[- -1]", "[-]", "[.]", "[1..2]", "[1.2.3]", "[0x1]", "[1,a]", "[1,(2)]", "[1/3]", "[1,\"a\"]",
	"[1, # one\n2]", "[1, // one\n2]", "[1\r2]", "[1\u00a0,2]", "[1]]", "[[1]", "[1)", "[1][0]", "[[1,2],[3,4]] A", "[1] [2]", "2 [1]",
	"[[1,2],[a]]", "[[a],[1,2]]", "[[1,2],[3,4]", "[\n1\n,\n2\n]\n[3]", "A[1,2]", "A\n[1,2]", "(A\n[1,2])", "x = [1]", "[1] = x",
	"f(\nx = [1,2],\ny = [" + strings.Repeat("1,", 300) + "])", "[\nB = 1", "[1,\nB = 1", "[1,2\n:print [1]", "-[1,2]", "--[1]", "[1]\n+\n[2]",
	strings.Repeat("[", 12) + "1" + strings.Repeat("]", 12), "((((((((((([-1])))))))))))", "(((((((([[[-1]]]))))))))", "- - - - - - - - - [[[1]]]",
}

func TestPacked(t *testing.T) {
	for _, s := range literals {
		for _, text := range []string{s, "A = " + s, "A = " + s + "\nB = A\n", ":print f(" + s + "), " + s, "A = edges(" + s + ", 3)", "A = f(" + s + "\nB = ["} {
			samePacked(t, text, Options{})
			samePacked(t, text, Options{Repl: true, Limits: smallLimits})
		}
	}
	f := parseText("A = [[1, -2], [0.5, 4]]", Options{Limits: Limits{Pack: 4}})
	l := f.Stmts[0].(*Assign).Value.(*List)
	if want := []float64{1, -2, 0.5, 4}; l.Packed == nil || l.Elems != nil || !reflect.DeepEqual(l.Packed.Values, want) || !reflect.DeepEqual(l.Packed.Dims, []int{2, 2}) {
		t.Errorf("%+v", l.Packed)
	}
	if l := parseText("A = [[1, 2], [3, 4]]", Options{Limits: Limits{Pack: 5}}).Stmts[0].(*Assign).Value.(*List); l.Packed != nil {
		t.Error("a list of 4 numbers is packed where 5 are asked for")
	}
}
