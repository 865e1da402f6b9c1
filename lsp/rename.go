package lsp

import (
	"context"
	"fmt"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ein/bind"
	"ein/bind/project"
	"ein/internal/lists"
	"ein/lang/diag"
	"ein/lang/ide"
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
	s.tellBound(f, edits, params.NewName)
	return s.workspaceEdit(f, edits), nil
}

// tellBound tells the user that the data of a renamed input has its old name. That may be the name of
// inputs of other programs as well, so it is not renamed with it.
func (s *server) tellBound(f *file, edits []diag.Edit, now string) {
	snap, inputs := s.session.snapshot(), f.document().Inputs()
	said, _ := snap.said(f)
	beside, _ := said.Inputs(lists.Map(inputs, func(in ide.Input) string { return in.Name }))
	for _, in := range inputs {
		if !slices.ContainsFunc(edits, func(e diag.Edit) bool {
			return in.Span.Start <= e.Span.Start && e.Span.End <= in.Span.End && f.text[e.Span.Start:e.Span.End] == in.Name
		}) {
			continue
		}
		where := ""
		if _, ok := snap.settings.Inputs[in.Name]; ok {
			where = "the setting ein.inputs"
		} else if slices.ContainsFunc(beside, func(x bind.Input) bool { return x.Name == in.Name }) {
			where = project.Name
		}
		if where != "" {
			s.complain(fmt.Errorf("%s binds data to the input `%s`, which the program now calls `%s`; rename it there as well", where, in.Name, now))
		}
	}
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
	if !s.client.can("workspace.workspaceEdit.documentChanges") {
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
