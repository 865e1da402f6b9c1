package ide

import (
	"strings"

	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
)

// Format is the edits that bring the text into its canonical form, none where it
// is. It is false when the program has errors of syntax: what did not parse cannot
// be printed without loss.
func (d *Document) Format() ([]diag.Edit, bool) {
	text, ok := syntax.Format(d.File())
	if !ok {
		return nil, false
	}
	return lineEdits(d.src.Text, text), true
}

// FormatRange formats the statements that span touches, those of them that parse
// and stand on lines of their own.
func (d *Document) FormatRange(span source.Span) []diag.Edit {
	span = d.within(span)
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
	f := syntax.Parse(source.NewFile(d.src.Name, d.text(at)), d.syntaxOptions())
	text, ok := syntax.Format(f)
	if !ok {
		return nil
	}
	edits := lineEdits(d.text(at)+"\n", text)
	for i := range edits {
		e := &edits[i]
		if e.Span.End > at.Len() { // the line ending is not part of the statement
			e.Span.End = at.Len()
			e.NewText = strings.TrimSuffix(e.NewText, "\n")
		}
		e.Span.Start += at.Start
		e.Span.End += at.Start
	}
	return edits
}

// lineEdits turns a into b by replacing runs of lines.
func lineEdits(a, b string) []diag.Edit {
	if a == b {
		return nil
	}
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	var edits []diag.Edit
	offset := 0
	i, j := 0, 0
	flush := func(i2, j2 int) { // x[i:i2] becomes y[j:j2]
		if i2 == i && j2 == j {
			return
		}
		old := strings.Join(x[i:i2], "")
		if now := strings.Join(y[j:j2], ""); now != old {
			edits = append(edits, diag.Edit{Span: source.Span{Start: offset, End: offset + len(old)}, NewText: now})
		}
		offset += len(old)
	}
	for _, m := range matches(x, y) {
		flush(m[0], m[1])
		offset += len(x[m[0]])
		i, j = m[0]+1, m[1]+1
	}
	flush(len(x), len(y))
	return edits
}

// diffCells bounds the table of matches; past it the text between the first and
// the last difference is one edit.
const diffCells = 1 << 22

// matches is the longest common subsequence of two lists of lines, as pairs of
// positions.
func matches(x, y []string) [][2]int {
	var out [][2]int
	lo := 0
	for lo < len(x) && lo < len(y) && x[lo] == y[lo] {
		out = append(out, [2]int{lo, lo})
		lo++
	}
	n, m := len(x), len(y)
	for n > lo && m > lo && x[n-1] == y[m-1] {
		n--
		m--
	}
	if rows, cols := n-lo+1, m-lo+1; rows*cols <= diffCells {
		length := make([]int32, rows*cols) // of the rest from each pair
		for i := n - 1; i >= lo; i-- {
			for j := m - 1; j >= lo; j-- {
				at := (i-lo)*cols + j - lo
				if x[i] == y[j] {
					length[at] = length[at+cols+1] + 1
				} else {
					length[at] = max(length[at+cols], length[at+1])
				}
			}
		}
		for i, j := lo, lo; i < n && j < m; {
			at := (i-lo)*cols + j - lo
			switch {
			case x[i] == y[j]:
				out = append(out, [2]int{i, j})
				i++
				j++
			case length[at+cols] >= length[at+1]:
				i++
			default:
				j++
			}
		}
	}
	for k := 0; n+k < len(x); k++ {
		out = append(out, [2]int{n + k, m + k})
	}
	return out
}
