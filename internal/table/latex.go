package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"ein/internal/page"
)

// textWidth is about how many characters fit a line of a paper.
const textWidth = 96

// LaTeX writes the table for the packages booktabs and graphicx. Intervals stand beside their
// numbers, in a table that would be wider than a line below them; if that is still too wide, the
// table is scaled down.
func (t *Table) LaTeX(w io.Writer) error {
	stack := t.width(false) > textWidth
	if stack && t.width(true) > textWidth {
		t = t.numbered()
	}
	wide := stack && t.width(true) > textWidth
	var b strings.Builder
	fmt.Fprintf(&b, "%% \\usepackage{booktabs,graphicx}\n\\begin{table}[t]\n\\centering\n\\caption{%s}\n\\label{tab:%s}\n\\small\n", latexText(t.Caption), t.ID)
	if wide {
		b.WriteString("\\resizebox{\\linewidth}{!}{%\n")
	}
	letters := ""
	var head, below []string
	for _, c := range t.Columns {
		n := ""
		if c.Words {
			letters += "l"
		} else {
			letters += "c"
		}
		if c.N > 0 {
			n = fmt.Sprintf("{\\scriptsize $n=%d$}", c.N)
		}
		head, below = append(head, latexLines(c.parts(stack))), append(below, n)
	}
	end := " \\\\\n"
	fmt.Fprintf(&b, "\\begin{tabular}{@{}%s@{}}\n\\toprule\n%s%s", letters, strings.Join(head, " & "), end)
	if strings.Join(below, "") != "" {
		b.WriteString(strings.Join(below, " & ") + end)
	}
	b.WriteString("\\midrule\n")
	if stack {
		end = " \\\\[3pt]\n"
	}
	for _, r := range t.Rows {
		if r.Rule {
			b.WriteString("\\midrule\n")
		}
		var cells []string
		for i := range r.Cells {
			cells = append(cells, t.Columns[i].latex(&r.Cells[i], stack))
		}
		b.WriteString(strings.Join(cells, " & ") + end)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}")
	if wide {
		b.WriteString("%\n}")
	}
	b.WriteString("\n\\end{table}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// numbered returns the table with numbers in place of its long headings, which the caption
// explains.
func (t *Table) numbered() *Table {
	const long = 16
	out := *t
	out.Columns = slices.Clone(t.Columns)
	var list []string
	n := 0
	for i := range out.Columns {
		c := &out.Columns[i]
		if c.Words {
			continue
		}
		if n++; utf8.RuneCountInString(c.Name) > long {
			list = append(list, fmt.Sprintf("(%d) %s", n, c.Name))
			c.Name = fmt.Sprintf("(%d)", n)
		}
	}
	if len(list) > 0 {
		out.Caption += " " + strings.Join(list, "; ") + "."
	}
	return &out
}

// parts returns a heading in one line or in several.
func (col *Column) parts(stack bool) []string {
	if stack && !col.Words {
		return strings.SplitAfter(col.heading(), ", ")
	}
	return []string{col.heading()}
}

// width estimates how many characters a line of the table has, with intervals, which are smaller,
// beside or below.
func (t *Table) width(stack bool) int {
	sum := 0
	for i, c := range t.Columns {
		most := 0
		if !c.Words {
			for _, p := range c.parts(stack) {
				most = max(most, utf8.RuneCountInString(p))
			}
		}
		for k := range t.Rows {
			cell := &t.Rows[k].Cells[i]
			value := utf8.RuneCountInString(cell.Text)
			if stack {
				most = max(most, value, utf8.RuneCountInString(cell.Interval)*2/3)
			} else {
				most = max(most, value+(utf8.RuneCountInString(c.line(cell))-value)*2/3)
			}
		}
		sum += most + 2
	}
	return sum
}

// latexLines returns a text in one line, or in several.
func latexLines(parts []string) string {
	var list []string
	for _, p := range parts {
		if p != "" {
			list = append(list, latexText(p))
		}
	}
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return "\\shortstack{" + strings.Join(list, "\\\\") + "}"
}

// latex returns a cell. The interval and the number follow the text in small type, below it if
// stack is set.
func (col *Column) latex(c *Cell, stack bool) string {
	s := latexText(c.Text)
	var small []string
	if c.Interval != "" {
		small = append(small, "("+latexText(c.Interval)+")")
	}
	if col.N == 0 && c.N > 0 {
		small = append(small, fmt.Sprintf("$n=%d$", c.N))
	}
	switch {
	case len(small) == 0:
		return s
	case stack:
		return "\\shortstack{" + s + "\\\\{\\tiny " + strings.Join(small, "}\\\\{\\tiny ") + "}}"
	}
	return s + " {\\scriptsize " + strings.Join(small, " ") + "}"
}

var latexEscapes = map[rune]string{
	'\\': "\\textbackslash{}", '{': "\\{", '}': "\\}", '$': "\\$", '&': "\\&", '#': "\\#", '%': "\\%", '_': "\\_",
	'^': "\\textasciicircum{}", '~': "\\textasciitilde{}", '<': "\\textless{}", '>': "\\textgreater{}", '|': "\\textbar{}", '"': "\\symbol{34}",
	'–': "--", '—': "---", '−': "$-$", '∞': "$\\infty$", '⟨': "$\\langle$", '⟩': "$\\rangle$", '\n': " ", '\t': " ",
}

// unset are the letters of Latin-1 and Latin Extended-A that pdflatex does not set without further
// packages, and alike the characters beyond these that it does.
const unset, alike = "«»ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ", "ȘșȚțẞ‘’“”†‡•…‰€™←↑→↓"

// latexText escapes a text for LaTeX. A character that would stop pdflatex is written as its number
// there, and as it is for engines that read Unicode.
func latexText(s string) string {
	var b strings.Builder
	var last rune
	for _, r := range page.Visible(s) {
		if r == '-' && last == '-' {
			b.WriteString("{}") // or the two would be a dash
		}
		last = r
		switch e, ok := latexEscapes[r]; {
		case ok:
			b.WriteString(e)
		case r < 0x20:
			b.WriteByte('?')
		case r > 0x17f && !strings.ContainsRune(alike, r) || strings.ContainsRune(unset, r):
			fmt.Fprintf(&b, "\\ifdefined\\Umathcode %c\\else$\\langle$U+%04X$\\rangle$\\fi{}", r, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
