package repl

import (
	"cmp"
	"slices"
	"strings"

	"ein/internal/lists"
	"ein/lang/diag"
	"ein/lang/ide"
	"ein/lang/show"
)

// Complete returns what can stand at pos in an entry that is being typed: texts for
// entry[start:pos], the best first.
func (s *Session) Complete(entry string, pos int) (start int, words []string) {
	typed := entry[:pos]
	if strings.TrimSpace(typed) == "" {
		return pos, nil // a Tab that indents, or a pasted one
	}
	if name, _, ok := splitCommand(entry); ok && name != "print" {
		return s.completeCommand(typed, name)
	}
	return s.completeStatement(entry, pos)
}

// completeCommand completes the name of a command or, behind it, what that command takes.
func (s *Session) completeCommand(typed, name string) (start int, words []string) {
	colon := strings.IndexByte(typed, ':')
	if rest := typed[colon+1:]; rest == "" || identifier().MatchString(rest) {
		for _, c := range commands() {
			word := ":" + c.name
			if c.takes != none {
				word += " "
			}
			words = append(words, word)
		}
		return withPrefix(append(words, ":print "), typed[colon:], colon)
	}
	c := named(name)
	if c == nil {
		return len(typed), nil
	}
	arg := colon + 1 + len(name)
	for arg < len(typed) && (typed[arg] == ' ' || typed[arg] == '\t') {
		arg++
	}
	word, quoted := arg, false
	for i := arg; i < len(typed); i++ {
		if quoted = quoted != (typed[i] == '"'); !quoted && (typed[i] == ' ' || typed[i] == '\t') {
			word = i + 1
		}
	}
	switch c.takes {
	case fileArg:
		if name == "input" && word == arg || s.cfg.Files == nil {
			return len(typed), nil
		}
		if name == "load" && word > arg { // NAME=DATA
			word += strings.IndexByte(typed[word:], '=') + 1
		}
		return s.completeFile(typed, word)
	case functionArg:
		return withPrefix(Pages(), typed[arg:], arg)
	case commandArg:
		words = lists.Map(commands(), func(c command) string { return c.name })
		return withPrefix(append(words, Pages()...), typed[arg:], arg)
	case modeArg:
		words = lists.Map(modes, func(f show.Format) string { return string(f) })
		return withPrefix(append(words, "sort=value", "sort=name", "sort=place", "top=", "precision=", "labels=no", "labels=yes"), typed[word:], word)
	case statementArg:
		start, words := s.completeStatement(typed[arg:], len(typed)-arg)
		start += arg
		if (name == "plot" || name == "output") && word > arg && s.cfg.Files != nil && (word < len(typed) || len(words) == 0) {
			if _, files := s.completeFile(typed, word); start == word {
				words = append(words, files...)
			} else if len(files) > 0 {
				return word, files
			}
		}
		return start, words
	}
	return len(typed), nil
}

// completeFile completes the name of a file that begins at from. One with a blank needs quotes.
func (s *Session) completeFile(typed string, from int) (int, []string) {
	prefix, quoted := strings.CutPrefix(typed[from:], `"`)
	head, home := typed[from:len(typed)-len(prefix)], ""
	if s.path(prefix) != prefix {
		head, home = head+"~", s.cfg.Home
	}
	words := s.cfg.Files.Complete(s.path(prefix))
	if !quoted {
		words = slices.DeleteFunc(words, func(w string) bool { return strings.ContainsAny(strings.TrimPrefix(w, home), " \t") })
	}
	for i, name := range words {
		words[i] = head + strings.TrimPrefix(name, home)
	}
	return from, words
}

// withPrefix returns the words that begin with what is typed.
func withPrefix(words []string, typed string, start int) (int, []string) {
	words = slices.DeleteFunc(words, func(w string) bool { return !strings.HasPrefix(w, typed) })
	return start, words
}

// completeStatement asks the editor's view of the program with the entry at its
// end.
func (s *Session) completeStatement(entry string, pos int) (start int, words []string) {
	opt := session
	opt.Inputs, opt.Labels = s.inputs, s.labels
	text := diag.Apply(s.file.Text, s.gone(s.current()))
	base := len(text)
	d := ide.New(s.cfg.Name, text+entry, opt)
	start = -1
	for _, item := range d.Complete(base + pos) {
		from := item.Span.Start - base
		if from < 0 || from > pos || start >= 0 && from != start {
			continue
		}
		text := cmp.Or(item.Insert, item.Label)
		if typed := entry[from:pos]; strings.HasPrefix(text, typed) && text != typed {
			start = from
			words = append(words, text)
		}
	}
	if start < 0 {
		return pos, nil
	}
	return start, words
}
