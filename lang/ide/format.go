package ide

import (
	"strings"
	"unicode/utf8"

	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
)

// Format returns the edits that bring the text into its canonical form, none where it
// is. It is false when the program has errors of syntax: what did not parse cannot
// be printed without loss.
func (d *Document) Format() ([]diag.Edit, bool) {
	text, ok := syntax.Format(d.File())
	if !ok {
		return nil, false
	}
	return minimalEdits(d.src.Text, text), true
}

// FormatRange formats the statements that span touches, those of them that parse
// and stand on lines of their own.
func (d *Document) FormatRange(span source.Span) []diag.Edit {
	span = d.clamp(span)
	var edits []diag.Edit
	for _, s := range d.File().Stmts {
		if touches(s.Pos(), span) {
			edits = append(edits, d.formatStatement(s)...)
		}
	}
	return edits
}

// FormatOnType formats the statement that the character ch, typed just before
// offset, ends.
func (d *Document) FormatOnType(offset int, ch string) []diag.Edit {
	offset = d.clampOffset(offset)
	at := offset - len(ch)
	if at < 0 || d.src.Text[at:offset] != ch || !strings.Contains("\n;}", ch) || ch == "" {
		return nil
	}
	i := d.statementAt(at)
	if i < 0 {
		return nil
	}
	s := d.File().Stmts[i]
	if between := d.src.Text[min(s.Pos().End, at):at]; strings.Contains(between, "\n") || s.Pos().End > offset {
		return nil // it ended before, or goes on
	}
	return d.formatStatement(s)
}

// formatStatement formats one statement that parses and stands on lines of its own.
func (d *Document) formatStatement(s syntax.Stmt) []diag.Edit {
	at := s.Pos()
	if line := d.src.LineAt(at.Start); strings.TrimSpace(d.text(source.Span{Start: line.Start, End: at.Start})) != "" {
		return nil
	}
	f := syntax.Parse(source.NewFile(d.src.Name, d.text(at)+d.src.EOL()), d.syntaxOptions())
	text, ok := syntax.Format(f)
	if !ok {
		return nil
	}
	edits := minimalEdits(d.text(at), strings.TrimSuffix(text, f.Source.EOL()))
	for i := range edits {
		edits[i].Span.Start += at.Start
		edits[i].Span.End += at.Start
	}
	return edits
}

// minimalEdits turns a into b, which has the same pieces with other blanks between
// them, but for a few: what stays is not touched, so that cursors, marks and the
// history of lines do. Beyond maxEdits one edit is better: a list of a million numbers has as many blanks.
func minimalEdits(a, b string) []diag.Edit {
	x, y := pieces(a), pieces(b)
	var edits []diag.Edit
	offset := 0
	for len(x) > 0 || len(y) > 0 {
		n, m := unlike(x, y)
		old, now := strings.Join(x[:n], ""), strings.Join(y[:m], "")
		shared := min(len(old), len(now))
		head := 0
		for head < shared && old[head] == now[head] && old[head] < utf8.RuneSelf {
			head++
		}
		tail := 0
		for tail < shared-head && old[len(old)-1-tail] == now[len(now)-1-tail] && old[len(old)-1-tail] < utf8.RuneSelf {
			tail++
		}
		if tail > 0 && strings.HasSuffix(old[:len(old)-tail], "\r") {
			tail-- // the protocol has no position within a line ending
		}
		if old != now {
			span := source.Span{Start: offset + head, End: offset + len(old) - tail}
			edits = append(edits, diag.Edit{Span: span, NewText: now[head : len(now)-tail]})
		}
		x, y, offset = x[n:], y[m:], offset+len(old)
		if len(x) > 0 && len(y) > 0 {
			x, y, offset = x[1:], y[1:], offset+len(x[0])
		}
	}
	if len(edits) > maxEdits {
		return []diag.Edit{{Span: source.Span{End: len(a)}, NewText: b}}
	}
	return edits
}

const maxEdits = 10_000

// reach is how many pieces further one is looked for that both texts have.
const reach = 40

// unlike is the number of pieces before the first that x and y both have, the one with
// the fewest before it. Blanks count only where they come at once: they are everywhere.
func unlike(x, y []string) (n, m int) {
	if len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		return 0, 0
	}
	for skipped := 1; skipped <= reach; skipped++ {
		for n := max(0, skipped-len(y)+1); n <= skipped && n < len(x); n++ {
			if m := skipped - n; x[n] == y[m] && strings.TrimSpace(x[n]) != "" {
				return n, m
			}
		}
	}
	return len(x), len(y)
}

// pieces is a text as runs of blanks, words, and single characters.
func pieces(text string) (list []string) {
	class := func(c byte) int {
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			return 0
		case c == '_' || c == '.' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf:
			return 1
		}
		return -1
	}
	for start := 0; start < len(text); {
		end := start + 1
		for k := class(text[start]); k >= 0 && end < len(text) && class(text[end]) == k; {
			end++
		}
		list = append(list, text[start:end])
		start = end
	}
	return list
}
