package repl

import (
	"strings"

	"ein/lang"
	"ein/lang/syntax"
)

// OneLine is an entry as one line that means the same: its line ends become
// blanks where they end nothing, and semicolons where they end a statement.
// Comments go. A command is one line already, and so is what does not parse: its
// line ends become blanks.
func OneLine(entry string) string {
	entry = strings.TrimSpace(entry)
	if !strings.Contains(entry, "\n") {
		return entry
	}
	one := join(entry)
	a, b := lang.Parse("", entry, session), lang.Parse("", one, session)
	if a.Diags.HasErrors() || b.Diags.HasErrors() || !syntax.Equal(a, b) {
		return strings.Join(strings.Fields(entry), " ")
	}
	return one
}

func join(entry string) string {
	var b strings.Builder
	var open []syntax.Kind
	pending := false // a line has ended since the last token
	last := syntax.KindEOF
	end := 0
	for _, t := range syntax.Tokens(entry) {
		inside := len(open) > 0 && open[len(open)-1] != syntax.KindLBrace
		switch t.Kind {
		case syntax.KindNewline:
			pending = true
			continue
		case syntax.KindComment:
			continue
		case syntax.KindRBrace:
			pending = false // the blank before it is enough
		}
		switch {
		case pending && (inside || continues(last) || last == syntax.KindLBrace || last == syntax.KindEOF):
			b.WriteByte(' ')
		case pending:
			b.WriteString("; ")
		case t.Span.Start > end:
			b.WriteByte(' ')
		}
		pending = false
		b.WriteString(entry[t.Span.Start:t.Span.End])
		last, end = t.Kind, t.Span.End
		switch t.Kind {
		case syntax.KindLParen, syntax.KindLBracket, syntax.KindLBrace:
			open = append(open, t.Kind)
		case syntax.KindRParen, syntax.KindRBracket, syntax.KindRBrace:
			open = open[:max(0, len(open)-1)]
		}
	}
	return strings.TrimSpace(b.String())
}

// continues reports whether a line that ends in a token goes on.
func continues(k syntax.Kind) bool {
	return k >= syntax.KindMul && k <= syntax.KindComma
}
