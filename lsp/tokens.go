package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"ein/internal/lists"
	"ein/lang/ide"
	"ein/lang/source"
)

// tokenTypes are the protocol's words for what a token stands for: a kind is the number of its
// word in the legend.
var tokenTypes = [...]protocol.SemanticTokenTypes{
	ide.KindTensor:    protocol.SemanticTokenTypesVariable,
	ide.KindInput:     protocol.SemanticTokenTypesProperty,
	ide.KindIndex:     protocol.SemanticTokenTypesTypeParameter,
	ide.KindFunction:  protocol.SemanticTokenTypesFunction,
	ide.KindBuiltin:   protocol.SemanticTokenTypesMethod,
	ide.KindParameter: protocol.SemanticTokenTypesParameter,
	ide.KindLabel:     protocol.SemanticTokenTypesString,
	ide.KindDirective: protocol.SemanticTokenTypesMacro,
	ide.KindKeyword:   protocol.SemanticTokenTypesKeyword,
	ide.KindNumber:    protocol.SemanticTokenTypesNumber,
	ide.KindOperator:  protocol.SemanticTokenTypesOperator,
	ide.KindComment:   protocol.SemanticTokenTypesComment,
}

// The modifiers as bits, in the order of the legend.
const (
	modDefinition uint32 = 1 << iota
	modLibrary
	modUnused
)

// legend is what the numbers in tokens stand for, as told in the answer to initialize.
func legend() protocol.SemanticTokensLegend {
	return protocol.SemanticTokensLegend{
		TokenTypes:     lists.Map(tokenTypes[:], func(t protocol.SemanticTokenTypes) string { return string(t) }),
		TokenModifiers: []string{string(protocol.SemanticTokenModifiersDefinition), string(protocol.SemanticTokenModifiersDefaultLibrary), "unused"},
	}
}

// SemanticTokensFull classifies every token of a file.
func (s *server) SemanticTokensFull(_ context.Context, f *file, _ *struct{}) (*protocol.SemanticTokens, error) {
	return &protocol.SemanticTokens{Data: tokenData(f, source.Span{End: len(f.text)})}, nil
}

// SemanticTokensRange classifies the tokens on the screen.
func (s *server) SemanticTokensRange(_ context.Context, f *file, params *ranged) (*protocol.SemanticTokens, error) {
	return &protocol.SemanticTokens{Data: tokenData(f, f.mapper().span(params.Range))}, nil
}

// tokenData is tokens as the protocol packs them: for each the line and the column
// after the token before, its length, type and modifiers. Not every client takes a
// token of several lines, so each line is one of its own.
func tokenData(f *file, span source.Span) []uint32 {
	tokens := f.document().Tokens(span)
	data := make([]uint32, 0, 5*len(tokens))
	place := walk{mapper: f.mapper()}
	lastLine, lastColumn := 0, 0
	for i := range tokens {
		t := &tokens[i]
		mods := uint32(0)
		if t.Definition {
			mods |= modDefinition
		}
		if t.Library {
			mods |= modLibrary
		}
		if t.Unused {
			mods |= modUnused
		}
		for start := t.Span.Start; start < t.Span.End; {
			end := t.Span.End
			if k := strings.IndexAny(f.text[start:end], "\r\n"); k >= 0 {
				end = start + k
			}
			line, from := place.to(start)
			if _, to := place.to(end); to > from {
				column := from
				if line == lastLine {
					column -= lastColumn
				}
				data = append(data, uint32(line-lastLine), uint32(column), uint32(to-from), uint32(t.Kind), mods)
				lastLine, lastColumn = line, from
			}
			start = end + 1
		}
	}
	return data
}
