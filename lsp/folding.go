package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"ein/lang/source"
)

// FoldingRanges returns the ranges of lines that can be closed.
func (s *server) FoldingRanges(_ context.Context, f *file, _ *struct{}) ([]protocol.FoldingRange, error) {
	list, m := []protocol.FoldingRange{}, f.mapper()
	for _, fold := range f.document().Folds() {
		r := m.rangeOf(fold.Span)
		if r.Start.Line == r.End.Line {
			continue
		}
		out := protocol.FoldingRange{StartLine: r.Start.Line, EndLine: r.End.Line}
		if fold.Comment {
			out.Kind = protocol.FoldingRangeKindComment
		}
		if !s.client.can("textDocument.foldingRange.lineFoldingOnly") {
			out.StartCharacter, out.EndCharacter = &r.Start.Character, &r.End.Character
		}
		list = append(list, out)
	}
	return list, nil
}

// SelectionRange is, for each place, the ranges around it from the inside out.
func (s *server) SelectionRange(ctx context.Context, f *file, params *protocol.SelectionRangeParams) ([]protocol.SelectionRange, error) {
	list, m := []protocol.SelectionRange{}, f.mapper()
	for _, p := range params.Positions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		offset, _ := m.offset(p)
		spans := f.document().Selection(offset)
		if len(spans) == 0 { // the protocol wants one for every place
			spans = []source.Span{{Start: offset, End: offset}}
		}
		var around *protocol.SelectionRange
		for i := len(spans) - 1; i >= 0; i-- {
			around = &protocol.SelectionRange{Range: m.rangeOf(spans[i]), Parent: around}
		}
		list = append(list, *around)
	}
	return list, nil
}
