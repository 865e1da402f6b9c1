package table

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ein/internal/page"
)

func TestText(t *testing.T) {
	got := Of([][]string{
		{"", "asked", "strict %", "interval", "method"},
		{"seen", "1,000", "67.0", "57.3-75.4", "paired"},
		{"frisch über", "-", "", "", ""},
	}).Text()
	want := `             asked  strict %   interval  method
seen         1,000      67.0  57.3-75.4  paired
frisch über      -
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestAlign: rows may be shorter than others, and what such a row ends with widens
// no column.
func TestAlign(t *testing.T) {
	got := strings.Join(Align(" ", [][]string{{"a", "1", "x"}, {"of many words"}, {"bb", "22", "y"}}, 1), "")
	if want := " a    1  x\n of many words\n bb  22  y\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestAlignWide: columns are aligned by what a terminal draws in two cells, or in none.
func TestAlignWide(t *testing.T) {
	got := strings.Join(Align("", [][]string{{"日本", "1"}, {"e\u0301", "2"}, {"abc", "3"}, {"🎉", "4"}}), "")
	if want := "日本  1\ne\u0301     2\nabc   3\n🎉    4\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestMarkup: no format reads a text as its markup.
func TestMarkup(t *testing.T) {
	text := "=a_b*c|d\\ <x> $5 & #1 100% ~ ^ {y}\n[z](u)\u202e --n \"q é😀Đ"
	x := &Table{ID: "x", Title: text, Caption: text, Columns: []Column{{Name: text, Words: true}}, Rows: []Row{{Cells: []Cell{{Text: text}}}}}
	var b bytes.Buffer
	var p page.Page
	x.HTML(&p)
	for _, c := range []struct {
		name, want string
		write      func() error
	}{
		{"LaTeX", `=a\_b*c\textbar{}d\textbackslash{} \textless{}x\textgreater{} \$5 \& \#1 100\% \textasciitilde{} \textasciicircum{} \{y\} [z](u)$\langle$U+202E$\rangle$ -{}-n \symbol{34}q é\ifdefined\Umathcode 😀\else$\langle$U+1F600$\rangle$\fi{}\ifdefined\Umathcode Đ\else$\langle$U+0110$\rangle$\fi{} \\`, func() error { return x.LaTeX(&b) }},
		{"Markdown", `| =a\_b\*c\|d\\ \<x\> \$5 \& \#1 100% \~ ^ {y} \[z\](u)⟨U+202E⟩ --n "q é😀Đ |`, func() error { return x.Markdown(&b) }},
		{"CSV", "\"'=a_b*c|d\\ <x> $5 & #1 100% ~ ^ {y}\n[z](u)\u202e --n \"\"q é😀Đ\"\n", func() error { return x.CSV(&b) }},
		{"HTML", "=a_b*c|d\\ &lt;x&gt; $5 &amp; #1 100% ~ ^ {y}\n[z](u)⟨U+202E⟩ --n &#34;q é😀Đ</th>", func() error { _, err := p.WriteTo(&b); return err }},
	} {
		b.Reset()
		if err := c.write(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("%s has no %s:\n%s", c.name, c.want, b.String())
		}
	}
}

// TestTextWidth: the table that compares levels fits the 345 pt of an article's text without being
// scaled down, and one too wide is scaled down. Widths are those of Computer Modern at 10 pt.
func TestTextWidth(t *testing.T) {
	x := &Table{Columns: []Column{{Name: "model, mode", Words: true}}, Rows: []Row{{Cells: []Cell{{Text: "paper: Ein SFT (Qwen3-4B), ein"}}}}}
	add := func(name, unit, text, interval string) {
		x.Columns = append(x.Columns, Column{Name: name, Unit: unit})
		x.Rows[0].Cells = append(x.Rows[0].Cells, Cell{Text: text, Interval: interval, N: 1000})
	}
	latex := func() string {
		var b bytes.Buffer
		if err := x.LaTeX(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for range 4 {
		add("L1", "%", "100.0", "78.5–100.0")
	}
	add("slope", "pp", "+27.9", "−22.2 to +53.5")
	add("slope, like sensitivity", "pp", "+20.9", "−22.2 to +37.1")
	// The widest lines of the columns: the key 118.5 pt, intervals of percents 33.9, headings and ends of intervals 32.
	const want = "\\shortstack[l]{paper: Ein SFT (Qwen3-4B),\\\\ein} & \\shortstack{100.0\\\\{\\tiny (78.5--100.0)}\\\\{\\tiny $n=1000$}} & "
	if s := latex(); strings.Contains(s, "resizebox") || !strings.Contains(s, want) || !strings.Contains(s, "{\\tiny ($-$22.2 to}\\\\{\\tiny +53.5)}") || !strings.Contains(s, "\\tabcolsep}{2pt}") {
		t.Error(s)
	}
	add("all", "%", "100.0", "78.5–100.0")
	add("all", "%", "100.0", "78.5–100.0")
	if s := latex(); !strings.Contains(s, "resizebox") {
		t.Error("a table of about 400 pt is not scaled down:\n" + s)
	}
}

// TestPages: what does not fit a page goes on in further tables of one number, a rule above the first row of its group.
func TestPages(t *testing.T) {
	x := &Table{ID: "long", Caption: "Long.", Columns: []Column{{Name: "row", Words: true}, {Name: "share", Unit: "%"}}}
	for i := range 90 {
		x.Rows = append(x.Rows, Row{Rule: i%30 == 0, Cells: []Cell{{Text: fmt.Sprintf("row %d.", i)}, {Text: "50.0"}}})
	}
	var b bytes.Buffer
	if err := x.LaTeX(&b); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	for i := range 90 {
		if strings.Count(s, fmt.Sprintf("row %d. & 50.0 ", i)) != 1 {
			t.Errorf("row %d is not there once", i)
		}
	}
	for text, want := range map[string]int{"\\begin{table}": 3, "\\end{table}": 3, "\\addtocounter{table}{-1}\n\\caption[]{(continued)}": 2, "\\label{tab:long}": 1, "row & ": 3} {
		if n := strings.Count(s, text); n != want {
			t.Errorf("%d times %s, want %d:\n%s", n, text, want, s)
		}
	}
}
