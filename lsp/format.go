package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Formatting gives a file its canonical form. The client's options are not asked:
// there is one form.
func (s *server) Formatting(ctx context.Context, params *protocol.DocumentFormattingParams) ([]protocol.TextEdit, error) {
	f, err := s.file(ctx, params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	edits, ok := f.document().Format()
	if !ok {
		return nil, jsonrpc2.Errorf(requestFailed, "the program has errors of syntax, and what does not parse cannot be formatted")
	}
	return textEdits(f, edits), nil
}

// RangeFormatting formats the statements that a range touches.
func (s *server) RangeFormatting(ctx context.Context, params *protocol.DocumentRangeFormattingParams) ([]protocol.TextEdit, error) {
	f, err := s.file(ctx, params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return textEdits(f, f.document().FormatRange(f.mapper().span(params.Range))), nil
}

// OnTypeFormatting formats what a typed character has ended.
func (s *server) OnTypeFormatting(ctx context.Context, params *protocol.DocumentOnTypeFormattingParams) ([]protocol.TextEdit, error) {
	f, err := s.file(ctx, params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	offset, _ := f.mapper().offset(params.Position)
	return textEdits(f, f.document().FormatOnType(offset, params.Ch)), nil
}
