package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ein/internal/page"
)

// CSV writes the texts of the cells for programs.
func (t *Table) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	var head []string
	for i := range t.Columns {
		head = append(head, t.Columns[i].heading())
	}
	_ = c.Write(head) // Error has it
	for _, r := range t.Rows {
		var line []string
		for i := range r.Cells {
			text := r.Cells[i].Text
			if t.Columns[i].Words && text != "" && strings.Contains("=+-@\t\r", text[:1]) {
				text = "'" + text // which a spreadsheet would run as a formula
			}
			line = append(line, text)
		}
		_ = c.Write(line)
	}
	c.Flush()
	return c.Error()
}

// Markdown writes the table under its title and caption.
func (t *Table) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n", markdownText(t.Title), markdownText(t.Caption))
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
			cells = append(cells, markdownText(r.Cells[i].line()))
		}
		line(cells)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// line is a cell in one line.
func (c *Cell) line() string {
	s := c.Text
	if c.Interval != "" {
		s += " (" + c.Interval + ")"
	}
	if c.N > 0 {
		s += fmt.Sprintf(", n = %d", c.N)
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

// HTML writes the table as a region that scrolls by itself. The script of the page
// sorts it; what a cell is sorted by is its Value, or the text of one of words.
func (t *Table) HTML(p *page.Page) {
	p.Element("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", t.Title, "\"><table class=\"sortable\"><thead><tr>")
	for i, c := range t.Columns {
		class := ""
		if c.Words {
			class = " class=\"key" + first(i) + "\""
		}
		p.Element("<th scope=\"col\""+class+">", c.heading(), "")
		if c.N > 0 {
			p.Tag("<small>n = %d</small>", c.N)
		}
		p.Tag("</th>")
	}
	p.Tag("</tr></thead><tbody>\n")
	for _, r := range t.Rows {
		class := ""
		if r.Soft {
			class = " class=\"paper\""
		}
		p.Tag("<tr" + class + ">")
		for i := range r.Cells {
			r.Cells[i].html(p, t.Columns[i].Words, i)
		}
		p.Tag("</tr>\n")
	}
	p.Tag("</tbody></table></div>\n")
}

// first is the class of the first column, which stays when a table is scrolled.
func first(i int) string {
	if i == 0 {
		return " first"
	}
	return ""
}

func (c *Cell) html(p *page.Page, words bool, i int) {
	if words {
		p.Element("<th scope=\"row\" class=\"key"+first(i)+"\">", c.Text, "</th>")
		return
	}
	value := ""
	if c.Value != "" {
		value = " data-v=\"" + c.Value + "\""
	}
	p.Element("<td"+value+">", c.Text, "")
	var small []string
	if c.Interval != "" {
		small = append(small, c.Interval)
	}
	if c.N > 0 {
		small = append(small, "n = "+strconv.Itoa(c.N))
	}
	if len(small) > 0 {
		p.Element("<small>", strings.Join(small, ", "), "</small>")
	}
	p.Tag("</td>")
}
