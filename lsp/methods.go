package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// served is the methods that the server has, with what they are for. docs/lsp.md
// has them in the same order.
var served = []struct{ method, about string }{
	{protocol.MethodInitialize, "capabilities by what the client can do"},
	{protocol.MethodInitialized, "asks for the settings"},
	{protocol.MethodShutdown, ""},
	{protocol.MethodExit, "0 after shutdown, 1 before"},
	{protocol.MethodSetTrace, "accepted; `--trace` traces"},
	{protocol.MethodCancelRequest, "number and string ids"},
	{protocol.MethodWindowWorkDoneProgressCancel, "stops a command"},
	{protocol.MethodTextDocumentDidOpen, ""},
	{protocol.MethodTextDocumentDidChange, "incremental, or whole texts"},
	{protocol.MethodTextDocumentDidSave, "checks without a pause"},
	{protocol.MethodTextDocumentDidClose, "clears the diagnostics"},
	{protocol.MethodTextDocumentDiagnostic, "for clients that ask; others are sent `publishDiagnostics`"},
	{protocol.MethodWorkspaceDiagnostic, "of the open files"},
	{protocol.MethodTextDocumentHover, ""},
	{protocol.MethodTextDocumentCompletion, "snippets if the client has them"},
	{protocol.MethodTextDocumentSignatureHelp, ""},
	{protocol.MethodTextDocumentDefinition, ""},
	{protocol.MethodTextDocumentReferences, ""},
	{protocol.MethodTextDocumentDocumentHighlight, "reads and writes"},
	{protocol.MethodTextDocumentDocumentSymbol, ""},
	{protocol.MethodWorkspaceSymbol, "in the open files"},
	{protocol.MethodTextDocumentPrepareRename, ""},
	{protocol.MethodTextDocumentRename, "tensors, indices, functions, parameters"},
	{protocol.MethodTextDocumentSemanticTokensFull, ""},
	{protocol.MethodTextDocumentSemanticTokensFullDelta, ""},
	{protocol.MethodTextDocumentSemanticTokensRange, ""},
	{protocol.MethodTextDocumentInlayHint, "shapes, summed indices, parameters"},
	{protocol.MethodTextDocumentFormatting, "what `ein fmt` does"},
	{protocol.MethodTextDocumentRangeFormatting, "whole statements"},
	{protocol.MethodTextDocumentOnTypeFormatting, "after a line end and a closing bracket"},
	{protocol.MethodTextDocumentCodeAction, "cures, extract, inline, rewrites, fix all, explain a code"},
	{protocol.MethodTextDocumentCodeLens, "Run, Cost, Explain"},
	{protocol.MethodTextDocumentFoldingRange, ""},
	{protocol.MethodTextDocumentSelectionRange, ""},
	{protocol.MethodWorkspaceExecuteCommand, "`ein.run`, `ein.cost`, `ein.explain`, `ein.explainCode`"},
	{protocol.MethodWorkspaceTextDocumentContent, "what a command printed"},
	{protocol.MethodWorkspaceDidChangeConfiguration, ""},
	{protocol.MethodWorkspaceDidChangeWorkspaceFolders, ""},
	{protocol.MethodWorkspaceDidChangeWatchedFiles, "data of inputs"},
}

// dispatcher calls the method that a message names. What is not served is sorted
// out here: the library would first decode its parameters, and fail if it has none.
func dispatcher(s *server) jsonrpc2.Handler {
	known := map[string]bool{}
	for _, m := range served {
		known[m.method] = true
	}
	call := protocol.ServerHandler(s, nil)
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if !known[req.Method()] {
			return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "there is no method %.100q", req.Method())
		}
		return call(ctx, req)
	}
}
