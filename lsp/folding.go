package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"
)

// FoldingRanges returns the ranges of lines that can be closed.
func (s *server) FoldingRanges(_ context.Context, f *file, _ *struct{}) ([]protocol.FoldingRange, error) {
	list, m := []protocol.FoldingRange{}, f.mapper()
	for _, fold := range f.document().Folds() {
		r := m.rangeOf(fold.Span)
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
		var around *protocol.SelectionRange
		for _, span := range slices.Backward(f.document().Selection(offset)) {
			around = &protocol.SelectionRange{Range: m.rangeOf(span), Parent: around}
		}
		list = append(list, *around)
	}
	return list, nil
}
