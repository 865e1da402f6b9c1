package table

import (
	"bytes"
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
