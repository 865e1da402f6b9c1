package ide

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"ein/lang"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/tensor"
)

// TestConcurrent asks one document, and the edits of it, from several goroutines.
func TestConcurrent(t *testing.T) {
	text := longProgram(60)
	d := New("in.ein", text, lang.Options{})
	want := make([]string, 8)
	for i := range want {
		want[i] = answers(New("in.ein", text, lang.Options{}), i*97, i*131)
	}
	var wg sync.WaitGroup
	for i := range want {
		wg.Go(func() {
			if got := answers(d, i*97, i*131); got != want[i] {
				t.Error(firstDifference(got, want[i]))
			}
			next := d.withText(text[:i*97] + "x" + text[i*97:])
			next.Complete(i * 97)
			next.Hover(i*97 + 1)
		})
	}
	wg.Wait()
}

// TestManyLabels completes nodes where there are more than an editor can take: the first that fit are
// offered, and what is typed finds the others.
func TestManyLabels(t *testing.T) {
	var b strings.Builder
	for i := range 3 * MaxLabels {
		fmt.Fprintf(&b, "P(n%d).", i)
	}
	for _, c := range []struct {
		typed, last string
		n           int
	}{{`P(`, `"n199"`, MaxLabels}, {`P("`, "n199", MaxLabels}, {`P(n59`, `"n599"`, 11}, {`P("n59`, "n599", 11}} {
		text := b.String() + "\n" + c.typed
		var labels []string
		for _, item := range New("in.ein", text, lang.Options{}).Complete(len(text)) {
			if item.Kind == KindLabel {
				labels = append(labels, item.Label)
			}
		}
		if len(labels) != c.n || labels[len(labels)-1] != c.last {
			t.Errorf("%s: %d labels, the last of %q", c.typed, len(labels), labels[max(len(labels)-1, 0):])
		}
	}
}

// TestBoundInputs gives an input a value: its sizes and the cost of what uses it
// become known.
func TestBoundInputs(t *testing.T) {
	bits := tensor.NewBits(4, 4)
	value := &tensor.Value{Type: tensor.Type{Kind: tensor.Bool, Shape: tensor.ShapeOf(4, 4)}, Layout: tensor.Packed, Bits: bits}
	const text = "input A: graph\nB[i,k] = A[i,j] A[j,k]\n"
	for _, c := range []struct {
		inputs map[string]*tensor.Value
		want   string
		cost   bool
	}{{nil, "Tensor[?,?] int", false}, {map[string]*tensor.Value{"A": value}, "Tensor[4,4] int", true}} {
		d := New("in.ein", text, lang.Options{Inputs: c.inputs, Workers: 1})
		if got := d.Symbols(true)[1].Detail; got != c.want {
			t.Errorf("B is %s, wanted %s", got, c.want)
		}
		if got := d.cost(15) != ""; got != c.cost {
			t.Errorf("the cost of B is known: %v, wanted %v", got, c.cost)
		}
	}
}

// TestLongSlice leaves out the plan of a statement that very much goes into, and
// says so.
func TestLongSlice(t *testing.T) {
	text := "A = edges([[0,1]], 3)\n"
	for range plannedNodes {
		text += "A = A + 1\n"
	}
	d := New("in.ein", text, lang.Options{})
	if got := d.cost(len(text) - len("A = A + 1\n")); got != tooMuch || got == d.cost(22) {
		t.Errorf("the cost is %q", got)
	}
}

// TestLastValue is what a session calls the value of its last expression.
func TestLastValue(t *testing.T) {
	const text = "[1, 2, 3]\nsum(_)\n"
	d := New("in.ein", text, lang.Options{Profile: check.Repl})
	h, ok := d.Hover(len("[1, 2, 3]\nsum("))
	if !ok || !strings.Contains(h.Markdown, "_: Tensor[3] int") || !strings.Contains(h.Markdown, "last expression") {
		t.Errorf("the hover is %+v", h)
	}
	if items := d.Complete(len("[1, 2, 3]\nsum(_")); len(items) != 1 || items[0].Detail != "Tensor[3] int" {
		t.Errorf("the completions are %+v", items)
	}
}

// TestFormatMinimal: where only blanks are wrong, formatting a long program changes
// nothing else; otherwise it changes what is near.
func TestFormatMinimal(t *testing.T) {
	good := longProgram(2000)
	spaced := strings.NewReplacer(" = ", "  =", ", ", ",\n ", ">", " > ").Replace(good)
	d := New("long.ein", spaced, lang.Options{})
	edits, ok := d.Format()
	if !ok || diag.Apply(spaced, edits) != formatted(t, d) {
		t.Fatal("not formatted")
	}
	for _, e := range edits {
		if strings.TrimSpace(d.text(e.Span)+e.NewText) != "" {
			t.Fatalf("%q becomes %q", d.text(e.Span), e.NewText)
		}
	}
	d = New("short.ein", "A = 1; # é\nB=((A + 2)) ;\n\n\n\nC = B // end", lang.Options{})
	edits, _ = d.Format()
	if got, want := diag.Apply(d.src.Text, edits), formatted(t, d); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if first, last := edits[0], edits[len(edits)-1]; first.Span.Start < len("A = 1") || last.Span.Start < strings.Index(d.src.Text, "end") {
		t.Errorf("got %v", edits)
	}
	many := New("many.ein", "A = [1"+strings.Repeat(", 1", maxEdits+1)+"]\n", lang.Options{})
	if edits, _ := many.Format(); len(edits) != 1 || diag.Apply(many.src.Text, edits) != formatted(t, many) {
		t.Errorf("%d edits", len(edits))
	}
}

func formatted(t *testing.T, d *Document) string {
	t.Helper()
	text, ok := syntax.Format(d.File())
	if !ok {
		t.Fatal(d.Diagnostics())
	}
	return text
}

// Line ends are kept. An edit never ends within one, where the protocol has no position.
func TestFormatKeepsLineEndingsWhole(t *testing.T) {
	const text = "x=1 // one\r\n\r\n\r\n\r\ny = [1,\r\n 2]\r\n"
	edits, ok := New("in.ein", text, lang.Options{}).Format()
	if want := "x = 1 // one\r\n\r\ny = [1,2]\r\n"; !ok || diag.Apply(text, edits) != want {
		t.Errorf("formatted: %q, want %q", diag.Apply(text, edits), want)
	}
	for _, e := range edits {
		for _, at := range []int{e.Span.Start, e.Span.End} {
			if strings.HasSuffix(text[:at], "\r") {
				t.Errorf("%q at %v: an end is between \\r and \\n", e.NewText, e.Span)
			}
		}
	}
}

// TestLineEndings: lines that an edit adds to part of a text end as its others do.
func TestLineEndings(t *testing.T) {
	const text = "A = [1,\r\n  2]\r\ndef f(x)={y=x;y}\r\nB = f(A) * 3\r\n"
	d := New("in.ein", text, lang.Options{})
	at := strings.Index(text, "f(A)")
	edits := d.FormatRange(source.Span{Start: 0, End: at - 5})
	for _, a := range d.Actions(source.Span{Start: at, End: at + 4}) {
		edits = append(edits, a.Edits...)
	}
	slices.SortFunc(edits, func(a, b diag.Edit) int { return a.Span.Start - b.Span.Start })
	const want = "A = [1,2]\r\ndef f(x) = {\r\n  y = x\r\n  y\r\n}\r\nT1 = f(A)\r\nB = T1 * 3\r\n"
	if got := diag.Apply(text, edits); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	const twice = "def twice(x) = {\r\n  x + x\r\n}\r\n"
	if h, ok := New("in.ein", twice, lang.Options{}).Hover(5); !ok || strings.Contains(h.Markdown, "\r") {
		t.Errorf("got %+v", h)
	}
}
