package ide

import (
	"slices"
	"strings"

	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
)

// Alone is a statement as a program of its own.
type Alone struct {
	Span source.Span
	// Program is the text that shows its value. What is in it stands where it did: of
	// the rest, what is wrong or shows other values is blank.
	Program string
	// Key is the text of all that its value depends on, but for the data of inputs.
	Key string
}

// Alone returns the statement at offset; false is for one that has no value. Statements that are
// left out are overwritten with blanks and not deleted, so that places in messages about the
// program are those of the document.
func (d *Document) Alone(offset int) (Alone, bool) {
	stmts := d.File().Stmts
	at := d.statementAt(d.clampOffset(offset))
	if at < 0 {
		return Alone{}, false
	}
	name := ""
	switch s := stmts[at].(type) {
	case *syntax.Assign:
		name = s.Name.Name
	case *syntax.Input:
		name = s.Name.Name
	case *syntax.Print, *syntax.Query:
	default:
		return Alone{}, false
	}
	needed := d.needs(at)
	values := d.check().statements
	alone := Alone{Span: stmts[at].Pos()}
	var key strings.Builder
	var spans []source.Span
	for i, s := range stmts {
		out := false
		switch s.(type) {
		case *syntax.Def:
			key.WriteString(d.text(s.Pos()) + "\n")
			out = d.wrong(s.Pos())
		case *syntax.Repeat, *syntax.Rule:
			out = d.wrong(s.Pos())
		case *syntax.Assign:
			out = values[s.Pos().Start] == nil
		case *syntax.Print, *syntax.Query, *syntax.Bad:
			out = true
		}
		if needed[i] {
			key.WriteString(d.text(s.Pos()) + "\n")
		} else if out {
			spans = append(spans, s.Pos())
		}
	}
	for _, label := range check.ProgramLabels(d.File()) { // their numbers depend on all of the text
		key.WriteString(label + "\n")
	}
	text := []byte(d.src.Text)
	for _, s := range spans {
		for i := s.Start; i < s.End; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	end := alone.Span.End
	if alone.Program = string(text); name != "" {
		alone.Program = alone.Program[:end] + "; :print " + name + alone.Program[end:]
	}
	alone.Key = key.String()
	return alone, true
}

// wrong reports whether an error touches a span.
func (d *Document) wrong(s source.Span) bool {
	return slices.ContainsFunc(d.Diagnostics(), func(g diag.Diagnostic) bool {
		return g.Severity == diag.Error && touches(g.Span, s)
	})
}

// needs is a statement, the definitions that it sees and those that they see, by their numbers. Of a
// relation it sees every fact and rule.
func (d *Document) needs(stmt int) map[int]bool {
	stmts, n := d.File().Stmts, d.names()
	needed := map[int]bool{stmt: true}
	seen := map[*occurrence]bool{}
	for todo := []int{stmt}; len(todo) > 0; {
		at := stmts[todo[len(todo)-1]].Pos()
		todo = todo[:len(todo)-1]
		for _, o := range n.in(at) {
			if o.sees == nil || seen[o.sees] {
				continue
			}
			seen[o.sees] = true
			definitions := []*occurrence{o.sees}
			if _, ok := syntax.RelationOf(stmts[o.sees.stmt]); ok {
				definitions = o.of.occurrences
			}
			for _, def := range definitions {
				if def.write && !needed[def.stmt] {
					needed[def.stmt] = true
					todo = append(todo, def.stmt)
				}
			}
		}
	}
	return needed
}
