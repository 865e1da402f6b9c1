package repl

import (
	"strings"

	"ein/lang/check"
	"ein/lang/syntax"
	"ein/stdlib"
)

// The colours of a line.
const (
	styleCommand  = "\x1b[35m"
	styleKeyword  = "\x1b[35m"
	styleFunction = "\x1b[36m"
	styleNumber   = "\x1b[33m"
	styleString   = "\x1b[32m"
	styleComment  = "\x1b[90m"
	styleWrong    = "\x1b[31m"
	styleNone     = "\x1b[0m"
)

// Paint colours a line of input by the lexer of the language. It adds escape
// sequences and nothing else, in one pass.
func Paint(line string) string {
	var b strings.Builder
	at := 0
	put := func(end int, style string) {
		if style == "" {
			b.WriteString(line[at:end])
		} else {
			b.WriteString(style + line[at:end] + styleNone)
		}
		at = end
	}
	if name, _, ok := splitCommand(line); ok {
		start := strings.IndexByte(line, ':')
		put(start, "")
		put(start+1+len(name), styleCommand)
		if !takesStatement(name) {
			put(len(line), "")
			return b.String()
		}
	}
	tokens := syntax.Tokens(line[at:])
	base := at
	for i, t := range tokens {
		put(base+t.Span.Start, "")
		put(base+t.Span.End, style(line[base:], tokens, i))
	}
	put(len(line), "")
	return b.String()
}

// takesStatement reports whether what follows a command is Ein.
func takesStatement(name string) bool {
	c := named(name)
	return c != nil && c.takes == statementArg || name == "print"
}

// style returns the style of token i. A name is a keyword or a function only where the grammar
// takes it for one, which the next token tells.
func style(text string, tokens []syntax.Token, i int) string {
	t := tokens[i]
	switch k := t.Kind; {
	case k == syntax.KindComment:
		return styleComment
	case k == syntax.KindNumber:
		return styleNumber
	case k == syntax.KindString:
		return styleString
	case k == syntax.KindPrint, k == syntax.KindWhy:
		return styleKeyword
	case k >= syntax.KindInvalid && k <= syntax.KindDashComment:
		return styleWrong
	case k != syntax.KindIdent:
		return ""
	}
	word := text[t.Span.Start:t.Span.End]
	next := syntax.KindEOF
	if i+1 < len(tokens) {
		next = tokens[i+1].Kind
	}
	switch {
	case (word == "def" || word == "input" || word == "repeat") && next == syntax.KindIdent,
		word == "repeat" && (next == syntax.KindNumber || next == syntax.KindLParen || next == syntax.KindLBrace):
		return styleKeyword
	case next == syntax.KindLParen && (stdlib.Lookup(word) != nil || check.PreludeDefs()[word] != nil):
		return styleFunction
	}
	return ""
}
