package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ein/internal/chart"
	"ein/internal/page"
)

// textWidth is about how many characters a line of a paper has.
const textWidth = 96

// LaTeX writes a table for the packages booktabs and graphicx. Intervals are
// beside their numbers; in a table that is wider than a line they are below, and
// one that is still too wide is scaled down.
func (t *Table) LaTeX(w io.Writer) error {
	var b strings.Builder
	stack := t.width(false) > textWidth
	if stack && t.width(true) > textWidth {
		t = t.numbered()
	}
	wide := stack && t.width(true) > textWidth
	counts := t.counts()
	fmt.Fprintf(&b, "%% \\usepackage{booktabs,graphicx}\n\\begin{table}[t]\n\\centering\n\\caption{%s}\n\\label{tab:%s}\n\\small\n", latexText(t.Caption), t.ID)
	if wide {
		b.WriteString("\\resizebox{\\linewidth}{!}{%\n")
	}
	fmt.Fprintf(&b, "\\begin{tabular}{@{}%s%s@{}}\n\\toprule\n", strings.Repeat("l", len(t.Keys)), strings.Repeat("c", len(t.Columns)))
	var head, below []string
	some := false
	for _, k := range t.Keys {
		head, below = append(head, latexText(k)), append(below, "")
	}
	for i := range t.Columns {
		head = append(head, latexLines(strings.SplitAfter(t.Columns[i].Heading(), ", "), stack))
		n := ""
		if counts[i] > 0 {
			n, some = fmt.Sprintf("{\\scriptsize $n=%d$}", counts[i]), true
		}
		below = append(below, n)
	}
	b.WriteString(strings.Join(head, " & ") + " \\\\\n")
	if some {
		b.WriteString(strings.Join(below, " & ") + " \\\\\n")
	}
	b.WriteString("\\midrule\n")
	for i, r := range t.Rows {
		if i > 0 && (r.Paper && !t.Rows[i-1].Paper || len(t.Keys) > 1 && r.Keys[0] != t.Rows[i-1].Keys[0] && t.Keys[0] == "level") {
			b.WriteString("\\midrule\n")
		}
		var cells []string
		for _, k := range r.Keys {
			cells = append(cells, latexText(k))
		}
		for c, v := range r.Cells {
			cells = append(cells, latexCell(t.Columns[c].Unit, v, counts[c] == 0, stack))
		}
		b.WriteString(strings.Join(cells, " & ") + " \\\\")
		if stack {
			b.WriteString("[3pt]")
		}
		b.WriteString("\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}")
	if wide {
		b.WriteString("%\n}")
	}
	b.WriteString("\n\\end{table}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// numbered is the table with numbers for its long headings, which the caption
// explains.
func (t *Table) numbered() *Table {
	const long = 16
	out := *t
	out.Columns = slices.Clone(t.Columns)
	var list []string
	for i := range out.Columns {
		if c := &out.Columns[i]; len([]rune(c.Name)) > long {
			short := fmt.Sprintf("(%d)", i+1)
			list = append(list, short+" "+c.Name)
			c.Name = short
		}
	}
	if len(list) > 0 {
		out.Caption += " " + strings.Join(list, "; ") + "."
	}
	return &out
}

// width is about how many characters a line of the table has, with intervals
// beside or below; those are of a smaller size.
func (t *Table) width(stack bool) int {
	length := func(s string) int { return len([]rune(s)) }
	counts := t.counts()
	sum := 0
	for k := range t.Keys {
		most := 0
		for _, r := range t.Rows {
			most = max(most, length(r.Keys[k]))
		}
		sum += most + 2
	}
	for c := range t.Columns {
		u, most := t.Columns[c].Unit, 0
		head := []string{t.Columns[c].Heading()}
		if stack {
			head = strings.SplitAfter(head[0], ", ")
		}
		for _, p := range head {
			most = max(most, length(p))
		}
		for _, r := range t.Rows {
			value := length(u.Text(r.Cells[c].V))
			small := (length(cellText(u, r.Cells[c], counts[c] == 0)) - value) * 2 / 3
			if stack {
				most = max(most, value, length(u.Interval(r.Cells[c]))*2/3)
			} else {
				most = max(most, value+small)
			}
		}
		sum += most + 2
	}
	return sum
}

// latexLines is a text in one line, or in several.
func latexLines(parts []string, stack bool) string {
	var list []string
	for _, p := range parts {
		if p != "" {
			list = append(list, latexText(p))
		}
	}
	if !stack || len(list) < 2 {
		return strings.Join(list, "")
	}
	return "\\shortstack{" + strings.Join(list, "\\\\") + "}"
}

func latexCell(u Unit, v chart.Value, withN, stack bool) string {
	s := latexText(u.Text(v.V))
	var small []string
	if i := u.Interval(v); i != "" {
		small = append(small, "("+latexText(i)+")")
	}
	if withN && v.N > 0 && !v.Missing() {
		small = append(small, fmt.Sprintf("$n=%d$", v.N))
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
	'^': "\\textasciicircum{}", '~': "\\textasciitilde{}", '<': "\\textless{}", '>': "\\textgreater{}", '|': "\\textbar{}", '"': "\\textquotedbl{}",
	'–': "--", '—': "---", '−': "$-$", '∞': "$\\infty$", '\n': " ", '\t': " ",
}

// latexText keeps a text from being read as commands.
func latexText(s string) string {
	var b strings.Builder
	for _, r := range page.Visible(s) {
		switch e, ok := latexEscapes[r]; {
		case ok:
			b.WriteString(e)
		case r < 0x20:
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
