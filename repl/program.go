package repl

import (
	"fmt"
	"regexp"
	"strings"

	"ein/lang"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
)

const firstLine = "// ein run "

// Program returns the session as a program for ein run, which prints what the session showed. name
// is the name of the file, for the command line in the first comment.
func (s *Session) Program(name string) string {
	var b strings.Builder
	b.WriteString(firstLine + shellWord(name))
	for _, in := range s.bound {
		b.WriteString(" --input " + shellWord(in.Name+"="+in.spec))
	}
	if len(s.program.Labels) > 0 && s.view.Nodes {
		b.WriteString(" --labels")
	}
	text := diag.Apply(s.file.Text, s.edits())
	if strings.HasPrefix(text, firstLine) { // of a program that was saved before
		_, text, _ = strings.Cut(text, "\n")
	}
	b.WriteString("\n\n" + text)
	f := lang.Parse(name, b.String(), lang.Options{})
	text, ok := syntax.Format(f)
	if !ok {
		panic("BUG: repl: the session does not parse as a program")
	}
	if len(text) > syntax.DefaultSourceBytes {
		return b.String() // too long with the blanks that formatting adds
	}
	return text
}

// shellWord quotes a word of a command line where it has to be. It is part of a
// comment, so line ends go.
func shellWord(s string) string {
	plain := regexp.MustCompile(`^[A-Za-z0-9_./=:,+-]+$`)
	s, _ = diag.Display(s)
	if plain.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// fresh is a new name derived from another, which no text uses.
func fresh(name string, texts ...string) string {
	used := map[string]bool{}
	for _, text := range texts {
		for _, t := range syntax.Tokens(text) {
			used[text[t.Span.Start:t.Span.End]] = true
		}
	}
	for k := 1; ; k++ {
		if n := fmt.Sprintf("%s_%d", name, k); !used[n] {
			return n
		}
	}
}

// isQuery reports whether a statement asks for rows.
func (s *state) isQuery(st syntax.Stmt) bool {
	_, query := st.(*syntax.Query)
	x, bare := st.(*syntax.ExprStmt)
	return query || bare && s.asks(x)
}

// asks reports whether an expression is an atom alone, which is a query in a session.
func (s *state) asks(x *syntax.ExprStmt) bool {
	_, called := x.X.(*syntax.Call)
	return called && s.relation(x.X)
}

// gone takes the statements that are not current out of the text.
func (s *state) gone(current [][]syntax.Stmt) (edits []diag.Edit) {
	for i, f := range s.entries {
		kept := 0
		for _, st := range f.Stmts {
			if kept < len(current[i]) && st == current[i][kept] {
				kept++
			} else {
				edits = append(edits, diag.Edit{Span: st.Pos()})
			}
		}
	}
	return edits
}

// edits turns the session into a program. A bare expression is assigned and printed. Functions that
// were defined again get new names: in a session each entry sees the latest before it, but in a
// program a name is one function.
func (s *state) edits() []diag.Edit {
	current := s.current()
	edits := s.gone(current)
	replace := func(at source.Span, text string) { edits = append(edits, diag.Edit{Span: at, NewText: text}) }
	now := map[string]string{}     // the name of a function in the program
	texts := []string{s.file.Text} // and the names that were made
	language := map[string]bool{}  // functions of the language that others call
	for i := range s.entries {
		defined := map[string]int{} // in this entry: where
		for _, st := range current[i] {
			if d, ok := st.(*syntax.Def); ok {
				name := d.Name.Name
				defined[name] = d.Start
				if now[name] != "" || language[name] {
					now[name] = fresh(name, texts...)
					texts = append(texts, now[name])
				} else {
					now[name] = name
				}
			}
		}
		for _, st := range current[i] {
			d, body := st.(*syntax.Def)
			if body {
				replace(d.Name.Span, now[d.Name.Name])
			}
			x, bare := st.(*syntax.ExprStmt)
			if bare && s.asks(x) {
				bare = false
				replace(source.Span{Start: x.End, End: x.End}, "?")
			}
			if bare {
				replace(source.Span{Start: x.Start, End: x.Start}, "_ = ")
			}
			syntax.Walk(st, func(n syntax.Node) bool {
				if c, ok := n.(*syntax.Call); ok {
					name := c.Fun.Name
					at, here := defined[name]
					if now[name] == "" {
						language[name] = language[name] || body
					} else if body || !here || at < c.Start { // else it is the language's
						replace(c.Fun.Span, now[name])
					}
				}
				return true
			})
			if bare {
				replace(source.Span{Start: x.End, End: x.End}, "; :print _")
			}
		}
	}
	return edits
}
