package diag

import (
	"cmp"
	"slices"
	"strings"

	"ein/lang/source"
)

// Certain returns the diagnostics that have one fix, which is no guess. Of two whose edits
// overlap the first is taken: the text that Apply gives may bring out the other again. As long as a
// statement cannot be read, what is said of the meaning of others may come of that, and is not certain.
func (l List) Certain() (certain List) {
	var taken []Edit
	unread := func(d Diagnostic) bool { return d.Severity == Error && d.Code.Class() == Syntax }
	torn := slices.ContainsFunc(l, unread)
	overlaps := func(e Edit) bool {
		return slices.ContainsFunc(taken, func(o Edit) bool {
			return e.Span == o.Span || e.Span.Start < o.Span.End && o.Span.Start < e.Span.End
		})
	}
	for _, d := range l {
		if torn && !unread(d) {
			continue
		}
		if len(d.Fixes) == 1 && !d.Fixes[0].Guess && !slices.ContainsFunc(d.Fixes[0].Edits, overlaps) {
			taken = append(taken, d.Fixes[0].Edits...)
			certain = append(certain, d)
		}
	}
	return certain
}

// Edits returns the edits of the first fix of each diagnostic.
func (l List) Edits() (edits []Edit) {
	for _, d := range l {
		edits = append(edits, d.Fixes[0].Edits...)
	}
	return edits
}

// Apply carries out edits that all refer to the same text, and do not overlap. What is inserted
// where another edit begins comes before it.
func Apply(text string, edits []Edit) string {
	var b strings.Builder
	at := 0
	order := make([]*Edit, len(edits)) // all pointers share one sort, edits would have their own
	for i := range edits {
		order[i] = &edits[i]
	}
	slices.SortStableFunc(order, func(a, b *Edit) int { return cmp.Or(a.Span.Start-b.Span.Start, a.Span.End-b.Span.End) })
	for _, e := range order {
		b.WriteString(text[at:e.Span.Start])
		b.WriteString(e.NewText)
		at = e.Span.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// Moved returns where a span is after Apply; for a span that edits touch, roughly.
func Moved(s source.Span, edits []Edit) source.Span {
	to := func(at int) int {
		n := at
		for _, e := range edits {
			if e.Span.Start < at {
				n += len(e.NewText) - (min(e.Span.End, at) - e.Span.Start)
			}
		}
		return n
	}
	start := to(s.Start)
	return source.Span{Start: start, End: max(start, to(s.End))}
}
