package table

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ein/internal/page"
)

// CSV writes the table for programs: the source of a row and its words, then, for each column with
// an ID, the exact number, the ends of the interval, and n.
func (t *Table) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	head := []string{"source"}
	for _, col := range t.Columns {
		if col.Words {
			head = append(head, col.Name)
		} else {
			head = append(head, col.ID, col.ID+"_low", col.ID+"_high", col.ID+"_n")
		}
	}
	_ = c.Write(head) // Error has it
	for _, r := range t.Rows {
		line := []string{r.Source}
		for i, cell := range r.Cells {
			switch {
			case t.Columns[i].Words && cell.Text != "" && strings.Contains("=+-@\t\r", cell.Text[:1]):
				line = append(line, "'"+cell.Text) // which a spreadsheet would run as a formula
			case t.Columns[i].Words:
				line = append(line, cell.Text)
			case cell.N == 0:
				line = append(append(line, cell.Exact[:]...), "")
			default:
				line = append(append(line, cell.Exact[:]...), strconv.Itoa(cell.N))
			}
		}
		_ = c.Write(line)
	}
	c.Flush()
	return c.Error()
}

// Markdown writes the table under its title and caption, if it has them.
func (t *Table) Markdown(w io.Writer) error {
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", markdownText(t.Title), markdownText(t.Caption))
	}
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	var head, rule []string
	for _, c := range t.Columns {
		name, align := markdownText(c.heading()), "---:"
		if c.Words {
			align = "---"
		}
		if c.N > 0 {
			name += fmt.Sprintf(", n = %d", c.N)
		}
		head, rule = append(head, name), append(rule, align)
	}
	line(head)
	b.WriteString("|" + strings.Join(rule, "|") + "|\n")
	for _, r := range t.Rows {
		var cells []string
		for i := range r.Cells {
			cell := markdownText(t.Columns[i].line(&r.Cells[i]))
			if r.Cells[i].Strong {
				cell = "**" + cell + "**"
			}
			cells = append(cells, cell)
		}
		line(cells)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// line shows a cell in one line.
func (col *Column) line(c *Cell) string {
	s := c.Text
	if c.Interval != "" {
		s += " (" + c.Interval + ")"
	}
	if col.N == 0 && c.N > 0 {
		s += fmt.Sprintf(", n = %d", c.N)
	}
	return s
}

// markdownText escapes a text for Markdown.
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

// HTML writes the table as a region with its own scrolling. The script of the page sorts by the
// exact number of a cell, or by its text.
func (t *Table) HTML(p *page.Page) {
	p.Element("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", t.Title, "\"><table class=\"sortable\"><thead><tr>")
	for i, c := range t.Columns {
		p.Tag("<th scope=\"col\"")
		if c.Words {
			p.Tag(" class=\"key" + first(i) + "\"")
		}
		if c.ID != "" {
			p.Element(" data-id=\"", c.ID, "\"")
		}
		p.Element(">", c.heading(), "")
		if c.N > 0 {
			p.Tag("<small>n = %d</small>", c.N)
		}
		p.Tag("</th>")
	}
	p.Tag("</tr></thead><tbody>\n")
	for _, r := range t.Rows {
		p.Element("<tr class=\"", r.Source, "\">")
		for i := range r.Cells {
			t.Columns[i].html(p, &r.Cells[i], first(i))
		}
		p.Tag("</tr>\n")
	}
	p.Tag("</tbody></table></div>\n")
}

// first returns the class of the first column, which stays in view when a table is scrolled.
func first(i int) string {
	if i == 0 {
		return " first"
	}
	return ""
}

// html writes a cell. Its exact values are in attributes: the script sorts by them, and they show
// when the mouse rests on it.
func (col *Column) html(p *page.Page, c *Cell, class string) {
	if col.Words {
		p.Element("<th scope=\"row\" class=\"key"+class+"\">", c.Text, "</th>")
		return
	}
	p.Tag("<td")
	if c.Exact[0] != "" {
		title := c.Exact[0]
		p.Tag(" data-v=\"" + c.Exact[0] + "\"")
		if c.Exact[1] != "" {
			p.Tag(" data-low=\"" + c.Exact[1] + "\" data-high=\"" + c.Exact[2] + "\"")
			title += " (" + c.Exact[1] + " to " + cmp.Or(c.Exact[2], "∞") + ")"
		}
		if c.N > 0 {
			p.Tag(" data-n=\"%d\"", c.N)
			title += ", n = " + strconv.Itoa(c.N)
		}
		p.Tag(" title=\"" + title + "\"")
	}
	p.Element(">", c.Text, "")
	var small []string
	if c.Interval != "" {
		small = append(small, c.Interval)
	}
	if col.N == 0 && c.N > 0 {
		small = append(small, "n = "+strconv.Itoa(c.N))
	}
	if len(small) > 0 {
		p.Element("<small>", strings.Join(small, ", "), "</small>")
	}
	p.Tag("</td>")
}
