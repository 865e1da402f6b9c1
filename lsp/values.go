package lsp

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ein/lang/source"
)

// value is the value of a statement that was run by itself. It is shown behind the statement
// until something that it depends on changes.
type value struct {
	statement, key string // of the data of the inputs too
	text           string
}

// maxValues is how many are kept for a program.
const maxValues = 100

// runStatement runs the statement at a place with what it needs, and has its value
// shown behind it.
func (s *server) runStatement(ctx context.Context, args []protocol.LSPAny) (string, error) {
	var at protocol.Position
	f, err := s.named(ctx, args, &at)
	if err != nil {
		return "", err
	}
	offset, _ := f.mapper().offset(at)
	alone, ok := f.document().Alone(offset)
	if !ok {
		return "", jsonrpc2.Errorf(requestFailed, "there is no statement here that has a value")
	}
	text, err := s.report(ctx, f, alone.Program, s.run)
	if err != nil {
		return "", err
	}
	now := value{f.text[alone.Span.Start:alone.Span.End], alone.Key + f.boundKey(), text}
	s.values.change(f.uri, func(list []value) []value {
		list = slices.DeleteFunc(slices.Clone(list), func(old value) bool { return old.key == now.key && old.statement == now.statement })
		return append(list, now)[max(0, len(list)+1-maxValues):]
	})
	s.refreshClient()
	return text, nil
}

// valueHints shows the values in a range behind their statements.
func (s *server) valueHints(f *file, span source.Span) (list []protocol.InlayHint) {
	kept, _ := s.values.get(f.uri)
	m, pad := f.mapper(), true
	for _, stmt := range f.document().File().Stmts {
		at := stmt.Pos()
		if at.End < span.Start || at.End > span.End {
			continue
		}
		text := f.text[at.Start:at.End]
		for _, v := range kept {
			if v.statement != text {
				continue
			}
			if alone, ok := f.document().Alone(at.Start); ok && alone.Key+f.boundKey() == v.key {
				list = append(list, protocol.InlayHint{
					Position: m.position(at.End), Label: protocol.String(inOneLine(v.text)), PaddingLeft: &pad,
					Tooltip: markup("```text\n"+v.text+"```\n", s.client.markdown),
				})
			}
		}
	}
	return list
}

// behindLine is how many characters of a value are shown behind its statement.
const behindLine = 80

// inOneLine is the output of a statement on one line: the value of one, without its
// name, or the names and values of several.
func inOneLine(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), " ")
	}
	line := strings.Join(lines, "; ")
	if _, value, _ := strings.Cut(line, " ="); len(lines) == 1 || strings.HasSuffix(lines[0], " =") {
		line = "=" + strings.TrimPrefix(value, ";")
	}
	if runes := []rune(line); len(runes) > behindLine {
		return string(runes[:behindLine]) + "…"
	}
	return line
}
