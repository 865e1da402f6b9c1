package repl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ein/internal/codes"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
)

// Program is the session as a program for ein run: what was shown is printed.
// name is that of the file, for the command line in its first comment.
func (s *Session) Program(name string) string {
	var b strings.Builder
	b.WriteString("// ein run " + shellWord(name))
	for _, in := range s.bound {
		b.WriteString(" --input " + shellWord(in.Name+"="+in.spec))
	}
	if len(s.program.Labels) > 0 && !s.cfg.Numbers {
		b.WriteString(" --labels")
	}
	b.WriteString("\n\n")
	last := 0
	for _, st := range s.program.File.Stmts {
		if x, ok := st.(*syntax.ExprStmt); ok {
			b.WriteString(s.text[last:x.Span.Start] + "_ = " + s.text[x.Span.Start:x.Span.End] + "; :print _")
			last = x.Span.End
		}
	}
	b.WriteString(s.text[last:])
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

// fresh is a name made of another that neither the program nor text uses.
func (s *state) fresh(name, text string) string {
	used := map[string]bool{}
	for _, part := range []string{s.text, text} {
		for _, t := range syntax.Tokens(part) {
			used[part[t.Span.Start:t.Span.End]] = true
		}
	}
	for k := 1; ; k++ {
		if n := fmt.Sprintf("%s_%d", name, k); !used[n] {
			return n
		}
	}
}

// makeRoom renames the functions of the session that an entry defines again, and
// their calls, so that what used one keeps it. It refuses a name of the language
// that an earlier function calls: there is no other name for that, so the function
// would change.
func (s *state) makeRoom(entry *syntax.File) (clash diag.List) {
	for _, st := range entry.Stmts {
		d, ok := st.(*syntax.Def)
		if !ok {
			continue
		}
		name := d.Name.Name
		var old *syntax.Def
		for _, st := range s.program.File.Stmts {
			o, ok := st.(*syntax.Def)
			switch {
			case !ok:
			case o.Name.Name == name:
				old = o
			case old == nil && ofLanguage(name) && calls(o, name):
				clash = append(clash, diag.Diagnostic{Code: codes.E0210, Span: d.Name.Span, Label: "taken",
					Message: fmt.Sprintf("the function `%s` calls the `%s` of the language, and would change if it were defined now", o.Name.Name, name),
					Notes:   []string{"Take another name, or `:reset` and define it before `" + o.Name.Name + "`."}})
				return clash
			}
		}
		if old != nil {
			s.rename(old, s.fresh(name, entry.Source.Text))
			p := *s.program
			p.File = lang.Parse("", s.text, session)
			s.program = &p
		}
	}
	return nil
}

func ofLanguage(name string) bool {
	return stdlib.Lookup(name) != nil || check.PreludeDefs()[name] != nil
}

// calls reports whether a function calls another.
func calls(d *syntax.Def, name string) bool {
	found := false
	syntax.Walk(d, func(n syntax.Node) bool {
		c, ok := n.(*syntax.Call)
		found = found || ok && c.Fun.Name == name
		return !found
	})
	return found
}

// rename gives a function of the program another name.
func (s *state) rename(d *syntax.Def, to string) {
	edits := []source.Span{d.Name.Span}
	language := ofLanguage(d.Name.Name)
	for _, st := range s.program.File.Stmts {
		_, body := st.(*syntax.Def)
		syntax.Walk(st, func(n syntax.Node) bool {
			c, ok := n.(*syntax.Call)
			// Before the definition the name is that of a function of the language, or of
			// one that a body may call before it is defined.
			if ok && c.Fun.Name == d.Name.Name && (c.Span.Start > d.Span.Start || body && !language) {
				edits = append(edits, c.Fun.Span)
			}
			return true
		})
	}
	slices.SortFunc(edits, func(a, b source.Span) int { return b.Start - a.Start })
	chunks := slices.Clone(s.chunks)
	for _, e := range edits {
		s.text = s.text[:e.Start] + to + s.text[e.End:]
		for i := range chunks {
			if chunks[i].start > e.Start {
				chunks[i].start += len(to) - e.Len()
			}
		}
	}
	s.chunks = chunks
}
