package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ein/internal/lists"
	"ein/lang/diag"
)

// requestFailed is the protocol's code for a valid request that cannot be fulfilled.
const requestFailed jsonrpc2.Code = -32803

// PrepareRename says what a rename would rename, or why it cannot.
func (s *server) PrepareRename(_ context.Context, f *file, offset int, _ *struct{}) (protocol.PrepareRenameResult, error) {
	span, name, err := f.document().PrepareRename(offset)
	if err != nil {
		return nil, jsonrpc2.Errorf(requestFailed, "%v", err)
	}
	return &protocol.PrepareRenamePlaceholder{Range: f.mapper().rangeOf(span), Placeholder: name}, nil
}

// Rename renames the thing at a place, everywhere.
func (s *server) Rename(_ context.Context, f *file, offset int, params *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	edits, err := f.document().Rename(offset, params.NewName)
	if err != nil {
		return nil, jsonrpc2.Errorf(requestFailed, "%v", err)
	}
	return s.workspaceEdit(f, edits), nil
}

// textEdits is edits of bytes in the positions of the protocol.
func textEdits(f *file, edits []diag.Edit) []protocol.TextEdit {
	m := f.mapper()
	return lists.Map(edits, func(e diag.Edit) protocol.TextEdit {
		return protocol.TextEdit{Range: m.rangeOf(e.Span), NewText: e.NewText}
	})
}

// workspaceEdit returns edits of one file, tied to its version if the client can refuse them for another.
func (s *server) workspaceEdit(f *file, edits []diag.Edit) *protocol.WorkspaceEdit {
	if !s.client.documentChanges {
		return &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{f.sent: textEdits(f, edits)}}
	}
	version := f.version
	change := &protocol.TextDocumentEdit{TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
		TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: f.sent}, Version: &version,
	}}
	for _, e := range textEdits(f, edits) {
		change.Edits = append(change.Edits, &e)
	}
	return &protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{change}}
}
