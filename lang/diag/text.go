package diag

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ein/lang/source"
)

// Text renders diagnostics for a person at a terminal.
type Text struct {
	Color bool
	// Columns is how much of a source line is shown, at most 120; 0 means 100. A
	// longer line is cut around the place that matters.
	Columns int
}

const maxColumns = 120

const (
	styleBold  = "\x1b[1m"
	styleRed   = "\x1b[1;31m"
	styleWarn  = "\x1b[1;33m"
	styleBlue  = "\x1b[1;34m"
	styleGreen = "\x1b[1;32m"
	styleCyan  = "\x1b[1;36m"
	styleReset = "\x1b[0m"
)

// Render writes the list with excerpts of the file.
func (t Text) Render(w io.Writer, list List, f *source.File) error {
	out := &textWriter{Text: t, w: bufio.NewWriter(w), f: f}
	if out.Columns <= 0 {
		out.Columns = 100
	}
	out.Columns = min(out.Columns, maxColumns)
	for i := range list {
		if i > 0 {
			_ = out.w.WriteByte('\n') // Flush reports the error
		}
		d := list[i].Shown()
		out.diagnostic(&d)
		out.finish()
	}
	return out.w.Flush()
}

// textWriter writes the diagnostics of one file; gutter is the width of its line numbers.
type textWriter struct {
	Text
	w      *bufio.Writer
	f      *source.File
	lines  []string // of the diagnostic being written
	gutter int
}

func (t *textWriter) line(s string) { t.lines = append(t.lines, strings.TrimRight(s, " ")+"\n") }

// finish writes the lines of a diagnostic as far as they may go.
func (t *textWriter) finish() {
	room := maxBytes - len("... 99 more lines\n")
	for i, s := range t.lines {
		if room -= len(s); room < 0 || i == maxLines-1 && i < len(t.lines)-1 {
			_, _ = fmt.Fprintf(t.w, "... %d more lines\n", len(t.lines)-i)
			break
		}
		_, _ = t.w.WriteString(s) // Flush reports the error
	}
	t.lines = t.lines[:0]
}

func (t *textWriter) style(style, s string) string {
	if !t.Color || s == "" {
		return s
	}
	return style + s + styleReset
}

var severityStyles = [...]string{styleRed, styleWarn, styleGreen}

// diagnostic writes a diagnostic with the lines that it is about. One of a file of data has a
// place but no text, so that its notes follow at once.
func (t *textWriter) diagnostic(d *Diagnostic) {
	title := d.Severity.String()
	if d.Code != "" {
		title += "[" + string(d.Code) + "]"
	}
	t.line(t.style(severityStyles[d.Severity], title) + t.style(styleBold, ": "+d.Message))
	if d.At != nil {
		if t.gutter = 1; *d.At != (source.Position{}) {
			t.place("-->", *d.At)
		}
		for _, n := range d.Notes {
			t.remark("help", n)
		}
		return
	}
	last := t.f.Position(d.Span.End).Line
	for _, r := range d.Related {
		last = max(last, t.f.Position(r.Span.End).Line)
	}
	t.gutter = len(strconv.Itoa(last))

	t.place("-->", d.Place(t.f))
	t.margin("", "")
	t.excerpt(d.Span, d.Label, '^', severityStyles[d.Severity])
	for _, r := range d.Related {
		t.place(":::", t.f.Position(r.Span.Start))
		t.margin("", "")
		t.excerpt(r.Span, r.Message, '-', styleBlue)
	}
	if len(d.Notes)+len(d.Fixes) > 0 {
		t.margin("", "")
	}
	for _, n := range d.Notes {
		t.remark("note", n)
	}
	for _, fix := range d.Fixes {
		t.remark("help", fix.Title)
		t.fix(fix)
	}
}

func (t *textWriter) place(arrow string, p source.Position) {
	p.File = shownName(p.File)
	t.line(fmt.Sprintf("%*s%s %s", t.gutter, "", t.style(styleBlue, arrow), p))
}

// shownName is the name of a file as it is shown.
func shownName(name string) string {
	name, _ = Display(Middle(name, 2*maxCode))
	return name
}

// margin writes one line behind the gutter.
func (t *textWriter) margin(number, text string) {
	t.line(t.style(styleBlue, fmt.Sprintf("%*s |", t.gutter, number)) + " " + text)
}

func (t *textWriter) remark(kind, text string) {
	t.line(fmt.Sprintf("%*s %s %s", t.gutter, "", t.style(styleBlue, "="), t.style(styleCyan, kind)+": "+text))
}

// number is the number of a line as text.
func (t *textWriter) number(line source.Span) string {
	return strconv.Itoa(t.f.Position(line.Start).Line)
}

// excerpt shows the lines of a span with marks under them. Of a span of many
// lines the first and the last are shown.
func (t *textWriter) excerpt(span source.Span, label string, mark byte, style string) {
	first, line := t.f.LineAt(span.Start), t.f.LineAt(max(span.Start, span.End))
	if line.Start == span.End && span.Start < span.End { // the span ends with a newline
		line = t.f.LineAt(span.End - 1)
	}
	if first == line {
		t.marked(span, label, mark, style)
		return
	}
	t.marked(source.Span{Start: span.Start, End: first.End}, "", mark, style)
	if t.f.Position(line.Start).Line > t.f.Position(span.Start).Line+1 {
		t.line(t.style(styleBlue, strings.Repeat(".", t.gutter)))
	}
	text := t.f.Text[line.Start:line.End]
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	t.marked(source.Span{Start: min(line.Start+indent, span.End), End: span.End}, label, mark, style)
}

// marked shows one line and marks the part of it that span covers.
func (t *textWriter) marked(span source.Span, label string, mark byte, style string) {
	line := t.f.LineAt(span.Start)
	span.Start = min(max(span.Start, line.Start), line.End)
	span.End = min(max(span.End, span.Start), line.End)
	text, from, to := t.clip(t.f.Text[line.Start:line.End], span.Start-line.Start, span.End-line.Start)
	t.margin(t.number(line), text)
	marks := strings.Repeat(string(mark), max(to-from, 1))
	if label != "" {
		marks += " " + label
	}
	t.margin("", strings.Repeat(" ", from)+t.style(style, marks))
}

// clip renders a line, cut to the columns around the bytes from..to, and maps
// these to columns of what is shown.
func (t *textWriter) clip(text string, from, to int) (shown string, left, right int) {
	const ellipsis = "..."
	begin, head := 0, ""
	// Start shortly before the mark if the line up to the mark's end is too long.
	// Bytes bound cells from above here, which is near enough to choose a cut.
	if context := t.Columns / 4; to > t.Columns-len(ellipsis) && from > context {
		begin = from - context
		for begin < from && text[begin]&0xC0 == 0x80 {
			begin++
		}
		head = ellipsis
	}
	var b strings.Builder
	b.WriteString(head)
	column := len(head)
	left, right = -1, -1
	for i := begin; ; {
		if i >= from && left < 0 {
			left = column
		}
		if i >= to && right < 0 {
			right = column
		}
		if i == len(text) {
			break
		}
		s, width, size := cell(text[i:], column)
		// Marks that combine with a letter take no column: the bytes count as well.
		if (column+width > t.Columns-len(ellipsis) || b.Len() > 2*t.Columns) && len(text)-i > len(ellipsis) {
			b.WriteString(ellipsis)
			column += len(ellipsis)
			break
		}
		b.WriteString(s)
		column += width
		i += size
	}
	if left < 0 {
		left = column
	}
	if right < 0 {
		right = column
	}
	return b.String(), left, right
}

// fix shows the first line that a fix changes as it would become. A fix of
// more than one line is told by its title alone.
func (t *textWriter) fix(fix Fix) {
	if len(fix.Edits) == 0 {
		return
	}
	line := t.f.LineAt(fix.Edits[0].Span.Start)
	at := fix.Edits[0].Span.Start - line.Start
	var text strings.Builder
	end := line.Start
	for _, e := range fix.Edits {
		if e.Span.Start < end || e.Span.End > line.End || strings.Contains(e.NewText, "\n") {
			return
		}
		text.WriteString(t.f.Text[end:e.Span.Start])
		text.WriteString(e.NewText)
		end = e.Span.End
	}
	text.WriteString(t.f.Text[end:line.End])
	shown, _, _ := t.clip(text.String(), at, at)
	t.margin(t.number(line), t.style(styleGreen, shown))
}

// Compact writes one line for each diagnostic: file:line:col: severity[code]: message.
func Compact(w io.Writer, list List, f *source.File) error {
	out := bufio.NewWriter(w)
	for i := range list {
		d := list[i].Shown()
		p := d.Place(f)
		p.File = shownName(p.File)
		_, _ = fmt.Fprintf(out, "%s: %s[%s]: %s\n", p, d.Severity, d.Code, d.Message)
	}
	return out.Flush()
}
