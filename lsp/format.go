package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Formatting gives a file its canonical form. It ignores the client's options: there is only one form.
func (s *server) Formatting(_ context.Context, f *file, _ *struct{}) ([]protocol.TextEdit, error) {
	edits, ok := f.document().Format()
	if !ok {
		return nil, jsonrpc2.Errorf(requestFailed, "the program has errors of syntax, and what does not parse cannot be formatted")
	}
	return textEdits(f, edits), nil
}

// RangeFormatting formats the statements that a range touches.
func (s *server) RangeFormatting(_ context.Context, f *file, params *ranged) ([]protocol.TextEdit, error) {
	return textEdits(f, f.document().FormatRange(f.mapper().span(params.Range))), nil
}

// typed is the parameters of OnTypeFormatting.
type typed struct {
	Ch string `json:"ch"`
}

// OnTypeFormatting formats the statement that a typed character ends.
func (s *server) OnTypeFormatting(_ context.Context, f *file, offset int, params *typed) ([]protocol.TextEdit, error) {
	return textEdits(f, f.document().FormatOnType(offset, params.Ch)), nil
}
