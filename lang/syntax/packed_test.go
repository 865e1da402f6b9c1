package syntax

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"ein/internal/codes"
	"ein/internal/corpus"
	"ein/lang/source"
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
	for _, c := range corpus.Cases() {
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

// longPrograms are programs of a kind each, about a megabyte of it.
func longPrograms() map[string]string {
	rep := strings.Repeat
	list := func(n int, element string) string { return "[" + rep(element+", ", n) + element + "]" }
	return map[string]string{
		"integers":    "A = " + list(500, list(500, "12")),
		"fractions":   "A = " + list(100_000, "-0.125"),
		"pairs":       "A = edges(" + list(75_000, "[12345, 6789]") + ")",
		"labels":      "A = edges(" + list(40_000, `["node17", "node4711"]`) + ")",
		"expressions": "A = " + list(75_000, "1/3"),
		"names":       "A = " + list(120_000, "x"),
		"small lists": "A = " + list(50_000, "[1, x]"),
		"statements":  rep("Result[i, k] = A[i, j] B[j, k] + max(C[i, j], -1)\n", 5_000),
		"sums":        rep("A = x"+rep(" + 1", 5_000)+"\n", 25),
		"products":    "A = (" + rep("B[i] ", 75_000) + ")",
		"calls":       "A = " + list(50_000, "f(x, axis=1)"),
		"arguments":   "A = f(" + rep("x, ", 100_000) + "x)",
		"nested":      "A = " + list(1_000, rep("(", 190)+"x"+rep(")", 190)),
		"negative":    "A = " + list(75_000, "-x"),
		"parameters":  "def f(" + rep("x, ", 100_000) + "x) = x",
		"comments":    rep("// a comment\n", 100_000),
		"escapes":     "A = " + list(50_000, `"a\n"`),
		"newlines":    rep("\n", 500_000),
	}
}

// TestFootprint holds what parsing says it takes against what the collector
// finds at its end: nothing is let go of before.
func TestFootprint(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for name, text := range longPrograms() {
		before := heap()
		p := newParser(source.NewFile("in.ein", text), Options{Limits: Limits{Arguments: len(text), Height: len(text)}})
		f := p.program()
		f.Source.Position(0)
		took := heap() - before + uint64(len(text))
		runtime.KeepAlive(p)
		if len(f.Diags) > 0 {
			t.Fatal(name, f.Diags)
		}
		t.Logf("%-11s %10d bytes of text, %5.2f of it, counted %4.2f of that", name, len(text), float64(took)/float64(len(text)), float64(f.Footprint)/float64(took))
		// Under the race detector the smallest strings take more: they share no blocks.
		if float64(took) > 1.15*float64(f.Footprint)+50_000 || float64(f.Footprint) > 1.2*float64(took)+50_000 {
			t.Errorf("%s takes %d bytes, Footprint is %d", name, took, f.Footprint)
		}
	}
}

// TestMemory parses programs with all the memory that they need, with a byte
// less, and with a third.
func TestMemory(t *testing.T) {
	for name, text := range longPrograms() {
		with := func(memory uint64) (f *File, allocated uint64) {
			src := source.NewFile("in.ein", text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f = Parse(src, Options{Limits: Limits{Memory: memory, Arguments: len(text), Height: len(text)}})
			runtime.ReadMemStats(&after)
			return f, after.TotalAlloc - before.TotalAlloc
		}
		f, _ := with(0)
		if g, _ := with(f.Footprint); len(g.Diags) > 0 || g.Footprint != f.Footprint {
			t.Errorf("%s: %d bytes are not enough, it needs %d: %v", name, f.Footprint, g.Footprint, g.Diags)
		}
		for _, memory := range []uint64{f.Footprint - 1, f.Footprint / 3} {
			g, allocated := with(memory)
			if len(g.Diags) != 1 || g.Diags[0].Code != codes.E0507 || g.Footprint <= memory {
				t.Errorf("%s: %v with %d bytes, which needs %d", name, g.Diags, memory, f.Footprint)
			}
			// Buffers that were outgrown count too, which the collector can have back. Under
			// the race detector it is 4.1 times the memory: small strings share no blocks.
			if allocated > 5*memory+1e6 {
				t.Errorf("%s: %d bytes were allocated with %d allowed", name, allocated, memory)
			}
		}
	}
}
