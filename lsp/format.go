package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// Formatting gives a file its canonical form. It ignores the client's options: there is only one form. What does
// not parse stays as it is: diagnostics say why, and an error would be shown at each save by those who format then.
func (s *server) Formatting(_ context.Context, f *file, _ *struct{}) ([]protocol.TextEdit, error) {
	edits, _ := f.document().Format()
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
