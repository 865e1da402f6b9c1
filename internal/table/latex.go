package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ein/internal/lists"
	"ein/internal/page"
)

// Lengths in tenths of a point: the text of an article, the mean letter of \small, \scriptsize and
// \tiny, and the space between columns, beside and below.
const (
	textWidth           = 3450
	small, script, tiny = 46, 40, 34
	apart, apartStacked = 120, 40
)

// LaTeX writes the table for the packages booktabs and graphicx. Intervals stand beside their
// numbers, in a table that would be wider than a line below them, with narrower columns; if that is
// still too wide, the table is scaled down. What does not fit a page goes on in a table of the same
// number.
func (t *Table) LaTeX(w io.Writer) error {
	stack := t.width(false) > textWidth
	if stack && t.width(true) > textWidth {
		t = t.numbered()
	}
	wide := stack && t.width(true) > textWidth
	var b strings.Builder
	b.WriteString("% \\usepackage{booktabs,graphicx}\n")
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
	heading := strings.Join(head, " & ") + " \\\\\n"
	if strings.Join(below, "") != "" {
		heading += strings.Join(below, " & ") + " \\\\\n"
	}
	end := " \\\\\n"
	if stack {
		end = " \\\\[3pt]\n"
	}
	for i, rows := range t.pages(stack) {
		b.WriteString("\\begin{table}[t]\n\\centering\n")
		if i == 0 {
			fmt.Fprintf(&b, "\\caption{%s}\n\\label{tab:%s}\n\\small\n", latexText(t.Caption), t.ID)
		} else {
			b.WriteString("\\addtocounter{table}{-1}\n\\caption[]{(continued)}\n\\small\n")
		}
		if stack {
			b.WriteString("\\setlength{\\tabcolsep}{2pt}\n")
		}
		if wide {
			b.WriteString("\\resizebox{\\linewidth}{!}{%\n")
		}
		fmt.Fprintf(&b, "\\begin{tabular}{@{}%s@{}}\n\\toprule\n%s\\midrule\n", letters, heading)
		for k := range rows {
			if rows[k].Rule && i+k > 0 {
				b.WriteString("\\midrule\n")
			}
			var cells []string
			for c := range rows[k].Cells {
				cells = append(cells, t.Columns[c].latex(&rows[k].Cells[c], stack))
			}
			b.WriteString(strings.Join(cells, " & ") + end)
		}
		b.WriteString("\\bottomrule\n\\end{tabular}")
		if wide {
			b.WriteString("%\n}")
		}
		b.WriteString("\n\\end{table}\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// pages are the rows in parts that fit the 550 points of a page below the head and, on the first, the caption with
// about 70 letters in a line of 12. A row of one line takes 13, each further line 7.5.
func (t *Table) pages(stack bool) (pages [][]Row) {
	room, scale := 4700-120*(utf8.RuneCountInString(t.Caption)/70+1), 1.0
	if stack {
		scale = float64(textWidth) / float64(max(t.width(stack), textWidth))
	}
	from, sum := 0, 0
	for k := range t.Rows {
		further := 0
		for i := range t.Columns {
			further = max(further, strings.Count(t.Columns[i].latex(&t.Rows[k].Cells[i], stack), `\\`))
		}
		height := int(scale * float64(130+75*further))
		if sum += height; sum > room {
			pages, from, sum, room = append(pages, t.Rows[from:k]), k, height, 4500
		}
	}
	return append(pages, t.Rows[from:])
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
	switch {
	case !stack || col.Words:
		return []string{col.heading()}
	case col.Unit == "":
		return strings.SplitAfter(col.Name, ", ")
	}
	return append(strings.SplitAfter(col.Name, ", "), "("+col.Unit+")")
}

// width estimates the width of the table, with intervals beside or below.
func (t *Table) width(stack bool) int {
	gap := apart
	if stack {
		gap = apartStacked
	}
	sum := -gap
	for i, c := range t.Columns {
		most := length(small, c.parts(stack)...)
		if c.N > 0 {
			most = max(most, length(script, fmt.Sprintf("n=%d", c.N)))
		}
		for k := range t.Rows {
			cell := &t.Rows[k].Cells[i]
			text, below := c.lines(cell, stack)
			if n := length(small, text...); stack {
				most = max(most, n, length(tiny, below...))
			} else {
				most = max(most, n+length(script, strings.Join(below, "  ")))
			}
		}
		sum += most + gap
	}
	return sum
}

// length estimates the width of the longest line in letters of a mean width.
func length(mean int, lines ...string) (most int) {
	for _, s := range lines {
		tenths := 0
		for _, r := range strings.TrimSpace(s) {
			switch {
			case strings.ContainsRune(" .,:;()[]|/'!fijlrtI-", r):
				tenths += 6
			case unicode.IsUpper(r) || strings.ContainsRune("+−=%@&mw", r):
				tenths += 15
			default:
				tenths += 10 * Cells(r)
			}
		}
		most = max(most, tenths*mean/10)
	}
	return most
}

// lines returns the lines of a cell, and those of its interval and number, which are smaller.
func (col *Column) lines(c *Cell, stack bool) (text, below []string) {
	text = []string{c.Text}
	if stack && col.Words {
		text = strings.SplitAfterN(c.Text, ", ", 2) // the model, and how it was asked
	}
	if c.Interval != "" {
		below = []string{"(" + c.Interval + ")"}
		if stack {
			below = strings.SplitAfter(below[0], " to ")
		}
	}
	if col.N == 0 && c.N > 0 {
		below = append(below, fmt.Sprintf("n=%d", c.N))
	}
	return text, below
}

// latexLines returns a text in one line, or in several.
func latexLines(parts []string) string {
	list := lists.Map(parts, func(p string) string { return latexText(strings.TrimSpace(p)) })
	if len(list) == 1 {
		return list[0]
	}
	return "\\shortstack{" + strings.Join(list, "\\\\") + "}"
}

// latex returns a cell. The interval and the number follow the text in small type, below it if
// stack is set.
func (col *Column) latex(c *Cell, stack bool) string {
	text, below := col.lines(c, stack)
	size := "{\\scriptsize "
	if stack {
		size = "{\\tiny "
	}
	trimmed := func(s string) string { return latexText(strings.TrimSpace(s)) }
	text, below = lists.Map(text, trimmed), lists.Map(below, func(s string) string {
		if s = trimmed(s); strings.HasPrefix(s, "n=") {
			s = "$" + s + "$"
		}
		return s
	})
	switch {
	case stack && col.Words && len(text) > 1:
		return "\\shortstack[l]{" + strings.Join(text, "\\\\") + "}"
	case len(below) == 0:
		return text[0]
	case stack:
		return "\\shortstack{" + text[0] + "\\\\" + size + strings.Join(below, "}\\\\"+size) + "}}"
	}
	return text[0] + " " + size + strings.Join(below, " ") + "}"
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
