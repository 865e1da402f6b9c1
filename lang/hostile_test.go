package lang_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ein/lang"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/steps"
	"ein/lang/syntax"
	"ein/vm/ir"
)

// hostile is texts made to hurt, by class: each is about as long as it is asked
// to be, and of one thing too many.
var hostile = []struct {
	name string
	make func(size int) string
}{
	// Nesting.
	{"parens", nested("A = ", "(", "", "")},
	{"closed parens", nested("A = ", "(", "1", ")")},
	{"brackets", nested("A = ", "[", "", "")},
	{"closed brackets", nested("A = ", "[", "1", "]")},
	{"braces", nested("A = ", "{", "", "")},
	{"calls", nested("A = ", "f(", "", "")},
	{"closed calls", nested("A = ", "relu(", "1", ")")},
	{"index lists", nested("A = ", "A[", "", "")},
	{"closed index lists", nested("A = ", "A[", "i", "]")},
	{"all brackets", nested("A = ", "([{", "1", "}])")},
	{"mismatched brackets", nested("A = ", "(]", "", "")},
	{"closers", nested("A = ", ")", "", "")},
	{"shallow nests", lines(strings.Repeat("(", 190) + strings.Repeat("]", 190))},
	{"nested a little, often", chained("A = ", " + ", strings.Repeat("(", 150)+"1"+strings.Repeat(")", 150), "")},
	{"lists of lists", chained("A = [", ", ", "[1, 2]", "]")},
	{"ragged lists", chained("A = [", ", ", "[[1], 2]", "]")},
	{"lists in calls in lists", chained("A = [", ", ", strings.Repeat("[f(", 90)+"1"+strings.Repeat(")]", 90), "]")},
	{"one list in calls in lists", func(n int) string {
		return "A = " + strings.Repeat("[f(", 90) + repeated("1", ", ", min(n, 700)) + strings.Repeat(")]", 90) + "\n"
	}},
	{"a long list in calls in lists", func(n int) string {
		return "A = " + strings.Repeat("[f(", 90) + "[" + repeated("1", ", ", n) + "]" + strings.Repeat(")]", 90) + "\n"
	}},
	{"index chain", nested("A = B", "[0]", "", "")},
	{"chain of calls", nested("A = f", "(1)", "", "")},
	{"unclosed lines", lines("A = (")},
	{"unclosed heads", lines("A[")},
	{"unclosed calls", lines("A = f(x,")},
	{"unclosed named arguments", lines("A = f(", "x = 1,")},
	{"heads in a call", after("A = f(\n", lines("x = 1,"))},
	{"heads in brackets", after("A = [\n", lines("max= 3,"))},
	{"long heads in brackets", after("A = (\n", lines("B["+strings.Repeat("i, ", 100)+"i] = 3"))},
	{"one long head in brackets", after("A = f(\n", chained("B[", ", ", "i", "] = 3"))},
	{"heads without an end", after("A = f(\n", lines("B[i,"))},
	{"heads behind commas", after("A = f(1,\n", lines("B[i] = 1,"))},
	{"repeats in repeats", nested("x = 1\n", "repeat 2 { ", "x = 2", " }")},
	{"open repeats", nested("", "repeat 2 { ", "", "")},
	{"repeats of brackets", lines("repeat (")},
	{"rounds of nothing", lines("repeat 99999 { x = y }")},
	{"rounds of rounds", nested("", "repeat 99 { ", "", " }")},
	// Functions.
	{"distinct parameters", func(n int) string { return "def f(" + numbered("p%d", ", ", n) + ") = p0\nA = f(1)\n" }},
	{"equal parameters", func(n int) string { return "def f(" + repeated("p", ", ", n) + ") = p\nA = f(1)\n" }},
	{"parameters and arguments", func(n int) string {
		return "def f(" + numbered("p%d", ", ", n/2) + ") = p0\nA = f(" + numbered("%d", ", ", n/2) + ")\n"
	}},
	{"parameters not separated", func(n int) string { return "def f(" + repeated("p", " ", n) + ") = p\n" }},
	{"calls of a wide function", func(n int) string {
		return "def f(" + numbered("p%d", ", ", n/2) + ") = p0\n" + lines("A = f(1)")(n/2)
	}},
	{"arguments of nothing", chained("A = f(", ", ", "1", ")")},
	{"arguments of a builtin", chained("A = sum(", ", ", "1", ")")},
	{"arguments of a tensor", after("B = [1]\n", chained("A = B(", ", ", "1", ")"))},
	{"indexed arguments", after("B = [1]\n", chained("A[i] = tc(", ", ", "B[i]", ")"))},
	{"indexed arguments of a function", func(n int) string {
		return "B = [1]\ndef f(" + numbered("p%d", ", ", n/2) + ") = p0\nA[i] = f(" + repeated("B[i]", ", ", n/2) + ")\n"
	}},
	{"arguments of max", chained("A = max(", ", ", "1", ")")},
	{"named arguments", chained("A = max(", ", ", "max= 1", ")")},
	{"unknown arguments", func(n int) string { return "A = f(" + numbered("x%d", ", ", n) + ")\n" }},
	{"positions", after("B = [1]\n", chained("A = select(B, ", ", ", "0", ")"))},
	{"unknown positions", func(n int) string { return "B = [1]\nA = select(B, " + numbered("x%d", ", ", n) + ")\n" }},
	{"defs", numberedLines("def f%[1]d(x) = x")},
	{"calling defs", numberedLines("def f%[1]d(x) = f%[2]d(x)")},
	{"defs that call the next", numberedLines("def f%[2]d(x) = f%[1]d(x)")},
	{"defs that are called", numberedLines("def f%[1]d(x) = x\nA = f%[1]d(1)")},
	{"equal defs", lines("def f(x) = x")},
	{"defs in defs", nested("", "def f(x) = { ", "x", " }")},
	{"unclosed defs", lines("def f(x) = {")},
	{"unclosed defs in a def", after("def f(x) = {\n", lines("def g(x) = {"))},
	{"unclosed blocks", nested("def f(x) = ", "{\n", "", "")},
	{"a long body", func(n int) string { return "def f(x) = {\n" + numberedLines("x%[1]d = x + 1")(n) + "x }\nA = f(1)\n" }},
	{"a long broken body", after("def f(x) = {\n", lines("y = (", "z = ]"))},
	{"a def that calls itself", func(n int) string { return "def f(x) = " + repeated("f(f(x))", " + ", n) + "\nA = f(1)\n" }},
	{"defs that call all others", func(n int) string {
		k := 1
		for k*k*12 < n {
			k++
		}
		var b strings.Builder
		for i := range k {
			fmt.Fprintf(&b, "def f%d(x) = x", i)
			for j := range i {
				fmt.Fprintf(&b, " + f%d(x)", j)
			}
			b.WriteString("\n")
		}
		return b.String()
	}},
	{"unknown names in a def", func(n int) string { return "def f(x) = " + numbered("x%d", " + ", min(n, 60_000)) + "\n" }},
	{"unknown functions in a def", func(n int) string { return "def f(x) = " + numbered("f%d(x)", " + ", min(n, 90_000)) + "\n" }},
	// Indices.
	{"indices on the left", func(n int) string { return "A[" + numbered("i%d", ",", n) + "] = 1\n" }},
	{"indices on the right", func(n int) string { return "B = [1]\nA = B[" + numbered("i%d", ",", n) + "]\n" }},
	{"indices of nothing", func(n int) string { return "A = B[" + numbered("i%d", ",", n) + "]\n" }},
	{"one index, often", func(n int) string { return "B = [1]\nA[i] = B[" + repeated("i", ",", n) + "]\n" }},
	{"wrong indices", func(n int) string { return "A[" + repeated("1+1", ",", n) + "] = 1\n" }},
	{"many indexed factors", func(n int) string { return "B = [1]\nA = (" + numbered("B[i%d]", " ", n) + ")\n" }},
	{"many indexed terms", func(n int) string { return "B = [1]\nA = " + numbered("B[i%d]", " + ", min(n, 100_000)) + "\n" }},
	{"indexed factors in a list", func(n int) string { return "B = [1]\nA = [" + numbered("B[i%d]", ", ", n) + "]\n" }},
	{"computed indices", after("B = [1]\n", lines("A = B[1 + 1]"))},
	{"long computed indices", after("B = [1]\n", chained("A = B[1 + 1, ", ", ", "i", "]"))},
	// Names.
	{"names", numberedLines("x%[2]d = x%[1]d")},
	{"unknown names", numberedLines("x%[1]d = y%[1]d")},
	{"misspelled names", numberedLines("value%[1]d = vaule%[1]d")},
	{"many names, then misspelled ones", func(n int) string {
		return numberedLines("value%[1]d = 1")(n/2) + numberedLines("B = vaule%[1]d")(n/2)
	}},
	{"misspelled names that are alike", func(n int) string {
		long := strings.Repeat("x", 50)
		return numberedLines(long+"%[1]d = 1")(n/2) + numberedLines("B = "+long+"y%[1]dy")(n/2)
	}},
	{"names used before", func(n int) string {
		return numberedLines("A = value%[1]d")(n/2) + numberedLines("value%[1]d = 1")(n/2)
	}},
	{"unknown functions", numberedLines("A = f%[1]d(1)")},
	{"functions used before", func(n int) string {
		return numberedLines("A = f%[1]d(1)")(n/2) + numberedLines("def f%[1]d(x) = x")(n/2)
	}},
	{"misspelled functions", numberedLines("def value%[1]d(x) = x\nA = vaule%[1]d(x)")},
	{"names in a list", func(n int) string { return "A = [" + numbered("x%d", ", ", n) + "]\n" }},
	{"names in a sum", func(n int) string { return "A = (" + numbered("x%d", " + ", min(n, 60_000)) + ")\n" }},
	{"names in a product", func(n int) string { return "A = (" + numbered("x%d", " ", n) + ")\n" }},
	{"tensors called", after("A = 1\n", lines("B = A(1)"))},
	{"names of functions", lines("tc = 1")},
	{"names never used", after("A = 1\n:print A\n", numberedLines("x%[1]d = 1"))},
	{"inputs", numberedLines("input x%[1]d: graph")},
	{"equal inputs", lines("input x: graph")},
	{"wrong inputs", numberedLines("input x%[1]d: grpah%[1]d")},
	{"one long name", func(n int) string { return "A = " + strings.Repeat("x", n) + "\n" }},
	{"one long name, misspelled", func(n int) string {
		long := strings.Repeat("x", n/2)
		return long + " = 1\nA = " + long + "y\n"
	}},
	{"a long name, often", func(n int) string {
		long := strings.Repeat("x", n/100)
		return long + " = 1\n" + strings.Repeat("A = "+long+"\n", 49) + strings.Repeat("B = "+long+"y()\n", 49)
	}},
	{"a long name of a function", func(n int) string {
		long := strings.Repeat("f", n/4)
		return "def " + long + "(" + long + ") = " + long + "\nA = " + long + "()\n"
	}},
	{"long names of parameters", func(n int) string {
		long := strings.Repeat("p", n/20)
		return "def f(" + numbered(long+"%d", ", ", n) + ") = 1\nA = f()\n"
	}},
	{"an input of a long name", func(n int) string {
		return "input " + strings.Repeat("x", n/2) + ": " + strings.Repeat("y", n/2) + "\n"
	}},
	// Operators and operands.
	{"operators", chained("A = ", " ", "+ * -", "")},
	{"comparisons", chained("A = 1", "", "==", "")},
	{"minus signs", nested("A = ", "-", "1", "")},
	{"minus signs apart", nested("A = [", "- ", "1]", "")},
	{"sum", chained("A = ", "+", "1", "")},
	{"sum in parens", chained("A = (", "+", "1", ")")},
	{"sums", lines("A = " + repeated("1", " + ", 30_000))},
	{"sum of tensors", after("B = [1, 2]\n", chained("A = (", " + ", "B", ")"))},
	{"factors", chained("A = ", " ", "B", "")},
	{"factors in parens", chained("A = (", " ", "B", ")")},
	{"known factors in parens", after("B = [1, 2]\n", chained("A = (", " ", "B[i]", ")"))},
	{"factors up to the limit", func(n int) string { return "B = [1, 2]\nA = " + chainOf(n, "B[%si]", " * ") + "\n" }},
	{"products up to the limit", func(n int) string {
		return "B = [1, 2]\n" + lines("A = "+repeated("B[i]", " ", 2_000))(n)
	}},
	{"sum up to the limit", func(n int) string { return "B = [1, 2]\nA[i] = " + chainOf(n, "B[%si]", " + ") + "\n" }},
	{"bare factors in parens", after("B = [1, 2]\n", chained("A = (", " ", "B", ")"))},
	{"numbers side by side", chained("A = ", " ", "1", "")},
	{"strings side by side", chained("A = ", " ", `"a"`, "")},
	{"functions in a term", after("B = [1, 2]\n", chained("A[i] = (", " ", "relu(B[i])", ")"))},
	{"nested terms", after("B = [1, 2]\n", lines("A[i] = "+strings.Repeat("relu(B[i] ", 150)+"B[i]"+strings.Repeat(")", 150)))},
	{"reductions", after("B = [1, 2]\n", lines("A = "+repeated("max(B[i])", " + ", 3_000)))},
	{"known reductions", after("B = [1, 2]\n", lines("A[i] = "+repeated("max(B[i])", " + ", 3_000)))},
	{"shapes that do not fit", after("B = [1]\nC = [1, 2]\n", lines("A = B + C"))},
	{"assignments", chained("A", " = ", "B", "")},
	{"updates", after("A = 1\n", lines("A max= 3"))},
	{"powers", chained("A = ", " ** ", "2", "")},
	// Literals.
	{"numbers", chained("A = [", ", ", "1", "]")},
	{"long numbers", chained("A = [", ", ", "0."+strings.Repeat("1", 300), "]")},
	{"one long number", func(n int) string { return "A = 0." + strings.Repeat("1", n) + "\n" }},
	{"one huge number", func(n int) string { return "A = " + strings.Repeat("1", n) + "\n" }},
	{"huge numbers", lines("A = 1" + strings.Repeat("0", 20))},
	{"one wrong number", func(n int) string { return "A = 0x" + strings.Repeat("1", n) + "\n" }},
	{"wrong numbers", lines("A = 0x1z")},
	{"strings", func(n int) string { return "A = [" + numbered(`"a%d"`, ", ", n) + "]\n" }},
	{"one long string", func(n int) string { return `A = "` + strings.Repeat("x", n) + "\"\n" }},
	{"one long wide string", func(n int) string { return `A = "` + strings.Repeat("😀", n/4) + "\"\n" }},
	{"one long string of marks", func(n int) string { return `A = "e` + strings.Repeat("\u0301", n/2) + "\" )\n" }},
	{"one long string of escapes", func(n int) string { return `A = "` + strings.Repeat(`\n`, n/2) + "\"\n" }},
	{"wrong escapes", func(n int) string { return `A = "` + strings.Repeat(`\q`, n/2) + "\"\n" }},
	{"an unclosed string", func(n int) string { return `A = "` + strings.Repeat("x", n) }},
	{"unclosed strings", lines(`A = "x`)},
	{"quotes", nested("A = ", `"`, "", "")},
	{"labels", func(n int) string { return "A = edges([" + numbered(`["a%[1]d", "b%[1]d"]`, ", ", n) + "])\n" }},
	{"unknown labels", func(n int) string {
		return "A = edges([" + numbered(`["value%[1]d", "b%[1]d"]`, ", ", n/2) + "])\n" + numberedLines(`B = A["vaule%[1]d", 0]`)(n/2)
	}},
	{"unknown labels that are alike", func(n int) string {
		long := strings.Repeat("x", 50)
		return "A = edges([" + numbered(`["`+long+`%[1]d", "b"]`, ", ", n/2) + "])\n" + numberedLines(`B = A["`+long+`y%[1]dy", 0]`)(n/2)
	}},
	{"a long unknown label", func(n int) string {
		long := strings.Repeat("x", n/20)
		return "A = edges([[\"" + long + "\", \"b\"]])\n" + strings.Repeat("B = A[\""+long+"y\", 0]\n", 9)
	}},
	{"labels of long names", func(n int) string {
		long := strings.Repeat("x", n/20)
		return "A = edges([[\"" + long + "1\", \"" + long + "2\"], [\"" + long + "3\", \"" + long + "4\"]])\nB = A[\"a\", 0]\n"
	}},
	{"edges", chained("A = edges([", ", ", "[0, 1]", "])")},
	{"wrong edges", chained("A = edges([[a, b], ", ", ", "[x, y]", "])")},
	{"edges of a sum", func(n int) string {
		return "A = edges([[" + repeated("1", " + ", 30_000) + ", 2]])\n" + lines("B = 1")(n)
	}},
	// Statements and what stands between them.
	{"statements", lines("A = 1")},
	{"statements in a line", chained("", "; ", "A = 1", "")},
	{"statements up to the limit", func(n int) string { return strings.Repeat("A = 1\n", min(n/6, syntax.DefaultStatements)) }},
	{"long statements up to the limit", func(n int) string {
		k := min(n/100, syntax.DefaultStatements)
		return "B = [1, 2]\n" + strings.Repeat("A = "+repeated("B", " + ", max(n/max(k, 1), 1))+"\n", k)
	}},
	{"printing", chained(":print ", ", ", "A", "")},
	{"printing a list", func(n int) string { return ":print [" + repeated("1", ", ", n) + "]\n" }},
	{"printing a sum", func(n int) string { return ":print " + repeated("1", " + ", 30_000) + ", 2\n" + lines("A = 1")(n) }},
	{"prints", after("A = 1\n", lines(":print A"))},
	{"directives", lines(":load x")},
	{"relations", lines("P(a).")},
	{"rules", lines("P(x) <- Q(x, y), R(y, x)")},
	{"rules that read the next", after("E(a, b).\nP0(a, y)?\n", numberedLines("P%[1]d(x, y) <- P%[2]d(x, z), E(z, y)."))},
	{"rules that read the one before", after("E(a, b). P0(a, b).\nP9(a, y)?\n", numberedLines("P%[2]d(x, y) <- P%[1]d(x, z), E(z, y)."))},
	{"a query", chained("P(", ", ", "a", ")?")},
	{"bare expressions", lines("x + 1")},
	{"a bare call", chained("f(", ", ", "1", ")")},
	{"a call that is assigned to", chained("f(", ", ", "1", ") = 1")},
	{"missing values", lines("A =")},
	{"values on the next line", lines("A = ", "1")},
	{"newlines", lines("")},
	{"continued lines", after("A = 1 +\n", chained("", "+\n", "1", ""))},
	{"semicolons", nested("", ";", "", "")},
	{"comments", lines("// x")},
	{"one long comment", func(n int) string { return "A = 1 // " + strings.Repeat("x", n) }},
	{"comments in a list", after("A = [\n", lines("1, // one"))},
	{"dashes", lines("-- x")},
	{"a long line, wrong at its end", func(n int) string { return "A = [" + repeated("1", ", ", n) + " )\n" }},
	{"blanks", nested("A = ", " ", "1", "")},
	{"a body of comments", func(n int) string { return "def f(x) = { x\n" + lines("// x")(n) + "}\nA = f(1)\n" }},
	// What is not text.
	{"bytes that are not UTF-8", nested("", "\xff", "", "")},
	{"bytes that are not UTF-8, in lines", lines("\xff")},
	{"NUL", nested("A = ", "\x00", "", "")},
	{"control characters in a string", func(n int) string { return `A = "` + strings.Repeat("\x01", n) + "\"\n" }},
	{"rubbish", lines("@")},
	{"rubbish on one line", nested("", "@ ", "", "")},
	{"wide characters", nested("A = ", "é", "", "")},
	{"tabs", nested("A = ", "\t", ")", "")},
}

// nested is open again and again, what is in the middle, and as many times close.
func nested(before, open, middle, closing string) func(int) string {
	return func(size int) string {
		n := size / (len(open) + len(closing))
		return before + strings.Repeat(open, n) + middle + strings.Repeat(closing, n) + "\n"
	}
}

// chained is one thing again and again.
func chained(before, between, one, end string) func(int) string {
	return func(size int) string { return before + repeated(one, between, size) + end + "\n" }
}

// lines is the same lines again and again.
func lines(list ...string) func(int) string {
	text := strings.Join(list, "\n") + "\n"
	return func(size int) string { return strings.Repeat(text, max(size/len(text), 1)) }
}

func after(before string, then func(int) string) func(int) string {
	return func(size int) string { return before + then(size) }
}

// chainOf is as many as there may be of one thing, with blanks in it.
func chainOf(size int, one, between string) string {
	const most = syntax.DefaultHeight
	blanks := max(size/most-len(one)-len(between), 0)
	one = fmt.Sprintf(one, strings.Repeat(" ", blanks))
	return repeated(one, between, min(size, most*(len(one)+len(between)))-2*len(one+between))
}

func repeated(one, between string, size int) string {
	return strings.Repeat(one+between, max(size/(len(one)+len(between)), 1)) + one
}

// numbered is a pattern with the numbers from 0.
func numbered(pattern, between string, size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteString(between)
		}
		fmt.Fprintf(&b, pattern, i)
	}
	return b.String()
}

// numberedLines is a line with the numbers i and i+1, from 0.
func numberedLines(pattern string) func(int) string {
	return func(size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, pattern+"%[3]s", i, i+1, "\n")
		}
		return b.String()
	}
}

// counting is a context that counts how often it is asked whether it has ended, and
// ends at the last time, if that is not 0.
type counting struct {
	context.Context
	asked, last int
}

func (c *counting) Err() error {
	if c.asked++; c.last > 0 && c.asked >= c.last {
		return context.Canceled
	}
	return nil
}

// What the parser and the checker may do: so many steps for each byte, most of which
// look for the end of a call that is not closed, and what functions may expand to.
const (
	stepsPerByte = 100
	stepsAtLeast = 1 << 22
)

// TestHostile holds the work on each text to its length, and what is said of it to
// what people read.
func TestHostile(t *testing.T) {
	for i, h := range hostile {
		t.Run(strings.ReplaceAll(h.name, " ", "_"), func(t *testing.T) {
			size := 50_000
			switch {
			case testing.Short():
				size = 10_000
			case i%16 == 0:
				size = 1_000_000
			}
			holdsUp(t, h.make(size), check.Profile(i%3))
		})
	}
}

func holdsUp(t *testing.T, text string, profile check.Profile) {
	t.Helper()
	ctx := &counting{Context: context.Background()}
	opt := lang.Options{Profile: profile, Context: ctx}
	f := lang.Parse("h.ein", text, opt)
	p := lang.Check(f, opt)
	check.Check(f, check.Config{Profile: profile, Context: ctx, Values: map[syntax.Expr]*ir.Node{}}) // as an editor does
	took := ctx.asked * steps.Poll
	t.Logf("%d bytes take %d steps, %.1f each", len(text), took, float64(took)/float64(len(text)))
	if took > stepsPerByte*len(text)+stepsAtLeast {
		t.Errorf("%d bytes take %d steps: %.80q", len(text), took, text)
	}
	for i := range p.Diags {
		isShort(t, p.Diags[i:i+1], f.Source)
	}
	if ctx.asked < 8 {
		return
	}
	// Stopped in the middle of its work, it ends soon.
	short := &counting{Context: context.Background(), last: ctx.asked / 8}
	opt.Context = short
	p = lang.Check(lang.Parse("h.ein", text, opt), opt)
	if !slices.ContainsFunc(p.Diags, func(d diag.Diagnostic) bool { return d.Code == "E0533" }) && len(p.Diags) < syntax.DefaultDiagnostics {
		t.Errorf("it was stopped, and says %v", p.Diags)
	}
	if late := short.asked - short.last; late > 2+len(text)/steps.Poll {
		t.Errorf("it went on for %d steps", late*steps.Poll)
	}
}

// isShort reports whether a diagnostic is short in every form.
func isShort(t *testing.T, d diag.List, f *source.File) {
	t.Helper()
	var b bytes.Buffer
	short := func(form string, lines int, err error) {
		t.Helper()
		if s := b.String(); err != nil || len(s) > 2048 || strings.Count(s, "\n") > lines || !utf8.ValidString(s) {
			t.Errorf("%s as %s has %d bytes and %d lines (%v): %.3000q", d[0].Code, form, len(s), strings.Count(s, "\n"), err, s)
		}
		b.Reset()
	}
	short("text", 20, diag.Text{}.Render(&b, d, f))
	short("text for a wide terminal", 20, diag.Text{Columns: 1000, Color: true}.Render(&b, d, f))
	short("a line", 1, diag.Compact(&b, d, f))
	j := diag.ToJSON(d, f)
	for i := range j[0].Fixes {
		j[0].Fixes[i].Edits = nil
	}
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	short("JSON", 1, e.Encode(j))
	for _, code := range regexp.MustCompile("`[^`]*`").FindAllString(j[0].Message, -1) {
		if n := utf8.RuneCountInString(code); n > 80+len("``") {
			t.Errorf("%s has %d characters between quotes: %s", d[0].Code, n, j[0].Message)
		}
	}
}

// FuzzHostile mixes what is hostile: two classes, with anything at all again and
// again between them.
func FuzzHostile(f *testing.F) {
	for i := range hostile {
		f.Add(uint8(i), uint8((7*i+3)%len(hostile)), uint32(2_000), "", uint8(i))
	}
	f.Fuzz(func(t *testing.T, first, second uint8, size uint32, part string, profile uint8) {
		n := int(size%1_000_000)/3 + 1
		text := hostile[int(first)%len(hostile)].make(n)
		if part != "" {
			text += strings.Repeat(part, max(n/len(part), 1))
		}
		text += hostile[int(second)%len(hostile)].make(n)
		holdsUp(t, text, check.Profile(profile%3))
	})
}

// BenchmarkHostile times each hostile text, and one that is eight times as long.
func BenchmarkHostile(b *testing.B) {
	for _, h := range hostile {
		for _, size := range []int{125_000, 1_000_000} {
			text := h.make(size)
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(h.name, " ", "_"), size), func(b *testing.B) {
				for b.Loop() {
					lang.Check(lang.Parse("h.ein", text, lang.Options{}), lang.Options{})
				}
			})
		}
	}
}
