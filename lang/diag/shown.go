package diag

import (
	"fmt"
	"strings"
)

// Whatever a program holds, what is said of it stays short: as text a diagnostic
// takes at most maxLines lines and maxBytes bytes.
const (
	maxLines   = 20
	maxBytes   = 2000
	maxMessage = 400 // bytes of the message, and of each note
	maxWords   = 900 // bytes of all words together, as JSON writes them
	maxParts   = 4   // notes, and other places
	maxCode    = 80  // characters of a name, a literal or an expression
)

// Shown returns the diagnostic as every renderer shows it: safe for a terminal, and its
// words cut to a bounded length, in the middle. The edits of fixes stay whole.
func (d *Diagnostic) Shown() Diagnostic {
	out, room := *d, maxWords
	words := func(s string) string {
		s, _ = Display(Middle(cutCode(s), maxMessage))
		s = cutBytes(s, min(maxMessage, room))
		room -= len(s) + strings.Count(s, `"`) + strings.Count(s, `\`)
		return s
	}
	out.Message, out.Label = words(d.Message), words(d.Label)
	out.Notes, out.Related, out.Fixes = nil, nil, nil
	more := 0
	for i, n := range d.Notes {
		if i == maxParts {
			more = len(d.Notes) - i
			break
		}
		out.Notes = append(out.Notes, words(n))
	}
	for i, r := range d.Related {
		if i == maxParts {
			more += len(d.Related) - i
			break
		}
		out.Related = append(out.Related, Related{r.Span, words(r.Message)})
	}
	if more > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d more notes and places are not shown.", more))
	}
	for _, f := range d.Fixes {
		f.Title = words(f.Title)
		out.Fixes = append(out.Fixes, f)
	}
	return out
}

// cutBytes is Middle for a number of bytes.
func cutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	half := max(most-len("..."), 0) / 2
	return strings.ToValidUTF8(s[:half], "") + "..." + strings.ToValidUTF8(s[len(s)-half:], "")
}

// cutCode cuts what stands in backquotes or quotes: names, literals, expressions.
func cutCode(s string) string {
	var b strings.Builder
	for {
		open := strings.IndexAny(s, "`\"")
		if open < 0 {
			break
		}
		n := strings.IndexByte(s[open+1:], s[open])
		if n < 0 {
			break
		}
		b.WriteString(s[:open+1])
		b.WriteString(Middle(s[open+1:open+1+n], maxCode))
		b.WriteByte(s[open])
		s = s[open+n+2:]
	}
	b.WriteString(s)
	return b.String()
}

// Join is names with commas between them. Of many, the first are followed by how
// many more there are.
func Join(names []string) string {
	const most = 8
	if len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, ... and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
