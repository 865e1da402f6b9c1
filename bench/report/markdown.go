package report

import (
	"fmt"
	"io"
	"strings"

	"ein/internal/chart"
	"ein/internal/page"
)

// Markdown writes a table with its title and caption.
func (t *Table) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n", markdownText(t.Title), markdownText(t.Caption))
	counts := t.counts()
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	var head, rule []string
	for _, k := range t.Keys {
		head, rule = append(head, markdownText(k)), append(rule, "---")
	}
	for i := range t.Columns {
		h := markdownText(t.Columns[i].Heading())
		if counts[i] > 0 {
			h += fmt.Sprintf(", n = %d", counts[i])
		}
		head, rule = append(head, h), append(rule, "---:")
	}
	line(head)
	b.WriteString("|" + strings.Join(rule, "|") + "|\n")
	for _, r := range t.Rows {
		var cells []string
		for _, k := range r.Keys {
			cells = append(cells, markdownText(k))
		}
		for i, v := range r.Cells {
			cells = append(cells, cellText(t.Columns[i].Unit, v, counts[i] == 0))
		}
		line(cells)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cellText is a cell in one line.
func cellText(u Unit, v chart.Value, withN bool) string {
	s := u.Text(v.V)
	if i := u.Interval(v); i != "" {
		s += " (" + i + ")"
	}
	if withN && v.N > 0 && !v.Missing() {
		s += fmt.Sprintf(", n = %d", v.N)
	}
	return s
}

// markdownText keeps a text from being read as markup.
func markdownText(s string) string {
	var b strings.Builder
	for _, r := range page.Visible(s) {
		switch r {
		case '\\', '`', '*', '_', '[', ']', '<', '>', '|', '#', '~', '&', '$':
			b.WriteByte('\\')
		case '\n', '\t':
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}
