package repl

import (
	"cmp"
	"slices"
	"strings"

	"ein/internal/lists"
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
	word := strings.LastIndexAny(typed, " \t") + 1
	switch c.takes {
	case fileArg:
		if name == "input" && word == arg || s.cfg.Files == nil {
			return len(typed), nil
		}
		if name == "load" && word > arg { // NAME=DATA
			word += strings.IndexByte(typed[word:], '=') + 1
		}
		return withPrefix(s.complete(typed[word:]), typed[word:], word)
	case functionArg:
		return withPrefix(Pages(), typed[arg:], arg)
	case commandArg:
		words = lists.Map(commands(), func(c command) string { return c.name })
		return withPrefix(append(words, Pages()...), typed[arg:], arg)
	case modeArg:
		words = lists.Map(modes, func(f show.Format) string { return string(f) })
		return withPrefix(append(words, "sort=value", "sort=name", "sort=place", "top=", "precision=", "labels=no", "labels=yes"), typed[word:], word)
	case statementArg:
		if (name == "plot" || name == "output") && word > arg && s.cfg.Files != nil {
			if start, words := s.completeStatement(typed[arg:], len(typed)-arg); len(words) > 0 {
				return start + arg, words
			}
			return withPrefix(s.complete(typed[word:]), typed[word:], word)
		}
		start, words := s.completeStatement(typed[arg:], len(typed)-arg)
		return start + arg, words
	}
	return len(typed), nil
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
	base := len(s.file.Text)
	d := ide.New(s.cfg.Name, s.file.Text+entry, ide.Options{Lang: opt})
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
