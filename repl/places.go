package repl

import (
	"fmt"
	"slices"
	"strings"

	"ein/lang/diag"
	"ein/lang/source"
)

// refuse is the reply to an entry with errors. Warnings of earlier entries have
// been told.
func (s *state) refuse(list diag.List) *Reply {
	start := s.chunks[len(s.chunks)-1].start
	var own diag.List
	for _, d := range list {
		if d.Severity == diag.Error || d.Span.Start >= start {
			own = append(own, d)
		}
	}
	return &Reply{Failed: true, Limit: own.Class() == diag.Limit, Problems: s.places(own)}
}

// places finds the entry of each diagnostic, and shows its place there.
func (s *state) places(list diag.List) []Problem {
	var out []Problem
	last := -1
	for _, d := range list {
		k := s.chunkAt(d.Span.Start)
		if k != last {
			out = append(out, Problem{File: s.view(k)})
			last = k
		}
		at := s.chunks[k]
		shift := len(out[len(out)-1].File.Text) - len(s.chunkText(k)) - at.start
		var related []diag.Related
		for _, r := range d.Related {
			if s.chunkAt(r.Span.Start) == k {
				related = append(related, r)
			} else {
				d.Notes = append(slices.Clip(d.Notes), "See "+s.where(r)+".")
			}
		}
		d.Related = related
		p := &out[len(out)-1]
		p.List = append(p.List, moved(d, shift))
	}
	return out
}

// where is a place in an earlier entry in words.
func (s *state) where(r diag.Related) string {
	f := s.view(s.chunkAt(r.Span.Start))
	line := s.position(r.Span.Start).Line
	at := f.LineSpan(line)
	text, _ := diag.Display(strings.TrimSpace(f.Text[at.Start:at.End]))
	return fmt.Sprintf("%s:%d, %s: `%s`", f.Name, line, r.Message, shorten(text, 60))
}

// position is a place in the program as one in what was read.
func (s *state) position(offset int) source.Position {
	k := s.chunkAt(offset)
	f := s.view(k)
	return f.Position(offset - s.chunks[k].start + len(f.Text) - len(s.chunkText(k)))
}

// chunkAt is the entry that a place is in.
func (s *state) chunkAt(offset int) int {
	k := len(s.chunks) - 1
	for k > 0 && s.chunks[k].start > offset {
		k--
	}
	return k
}

func (s *state) chunkText(k int) string {
	end := len(s.text)
	if k+1 < len(s.chunks) {
		end = s.chunks[k+1].start
	}
	return s.text[s.chunks[k].start:end]
}

// view is an entry as a text of its own, at the line where it was read.
func (s *state) view(k int) *source.File {
	c := s.chunks[k]
	return source.NewFile(c.name, strings.Repeat("\n", c.line-1)+s.chunkText(k))
}

// moved is a diagnostic of a text that stands elsewhere.
func moved(d diag.Diagnostic, by int) diag.Diagnostic {
	move := func(sp source.Span) source.Span {
		return source.Span{Start: max(0, sp.Start+by), End: max(0, sp.End+by)}
	}
	d.Span = move(d.Span)
	d.Related = slices.Clone(d.Related)
	for i := range d.Related {
		d.Related[i].Span = move(d.Related[i].Span)
	}
	d.Fixes = slices.Clone(d.Fixes)
	for i := range d.Fixes {
		d.Fixes[i].Edits = slices.Clone(d.Fixes[i].Edits)
		for j := range d.Fixes[i].Edits {
			d.Fixes[i].Edits[j].Span = move(d.Fixes[i].Edits[j].Span)
		}
	}
	return d
}
