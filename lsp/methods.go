package lsp

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// served is the methods that the server has, with what they are for. docs/lsp.md
// has them in the same order. What cancels a request is dealt with where it is read.
var served = []struct {
	method, about string
	call          handler
}{
	{protocol.MethodInitialize, "capabilities by what the client can do", asked((*server).Initialize)},
	{protocol.MethodInitialized, "asks for the settings", told((*server).Initialized)},
	{protocol.MethodShutdown, "", bare((*server).Shutdown)},
	{protocol.MethodExit, "0 after shutdown, 1 before", bare((*server).Exit)},
	{protocol.MethodSetTrace, "accepted; `--trace` traces", told((*server).SetTrace)},
	{protocol.MethodCancelRequest, "number and string ids", nil},
	{protocol.MethodWindowWorkDoneProgressCancel, "stops a command", told((*server).WorkDoneProgressCancel)},
	{protocol.MethodTextDocumentDidOpen, "", told((*server).DidOpen)},
	{protocol.MethodTextDocumentDidChange, "incremental, or whole texts", told((*server).DidChange)},
	{protocol.MethodTextDocumentDidSave, "checks without a pause", told((*server).DidSave)},
	{protocol.MethodTextDocumentDidClose, "clears the diagnostics", told((*server).DidClose)},
	{protocol.MethodTextDocumentDiagnostic, "for clients that ask; others are sent `publishDiagnostics`", asked((*server).Diagnostic)},
	{protocol.MethodWorkspaceDiagnostic, "of the open files", asked((*server).DiagnosticWorkspace)},
	{protocol.MethodTextDocumentHover, "", asked((*server).Hover)},
	{protocol.MethodTextDocumentCompletion, "snippets if the client has them", asked((*server).Completion)},
	{protocol.MethodTextDocumentSignatureHelp, "", asked((*server).SignatureHelp)},
	{protocol.MethodTextDocumentDefinition, "of functions of the language too, for clients that ask for texts of the server", asked((*server).Definition)},
	{protocol.MethodTextDocumentReferences, "", asked((*server).References)},
	{protocol.MethodTextDocumentDocumentHighlight, "reads and writes", asked((*server).DocumentHighlight)},
	{protocol.MethodTextDocumentDocumentSymbol, "", asked((*server).DocumentSymbol)},
	{protocol.MethodWorkspaceSymbol, "in the open files and the programs of the workspace folders", asked((*server).Symbols)},
	{protocol.MethodTextDocumentPrepareRename, "", asked((*server).PrepareRename)},
	{protocol.MethodTextDocumentRename, "tensors, relations, indices, functions, parameters", asked((*server).Rename)},
	{protocol.MethodTextDocumentSemanticTokensFull, "", asked((*server).SemanticTokensFull)},
	{protocol.MethodTextDocumentSemanticTokensFullDelta, "", asked((*server).SemanticTokensFullDelta)},
	{protocol.MethodTextDocumentSemanticTokensRange, "", asked((*server).SemanticTokensRange)},
	{protocol.MethodTextDocumentInlayHint, "shapes, summed indices, parameters, values of statements that were run", asked((*server).InlayHint)},
	{protocol.MethodTextDocumentFormatting, "what `ein fmt` does", asked((*server).Formatting)},
	{protocol.MethodTextDocumentRangeFormatting, "whole statements", asked((*server).RangeFormatting)},
	{protocol.MethodTextDocumentOnTypeFormatting, "after a line end and a closing bracket", asked((*server).OnTypeFormatting)},
	{protocol.MethodTextDocumentCodeAction, "cures, extract, inline, rewrites, fix all, explain a code, run a statement, bind an input", asked((*server).CodeAction)},
	{protocol.MethodTextDocumentCodeLens, "Run, Cost, Explain", asked((*server).CodeLens)},
	{protocol.MethodTextDocumentFoldingRange, "", asked((*server).FoldingRanges)},
	{protocol.MethodTextDocumentSelectionRange, "", asked((*server).SelectionRange)},
	{protocol.MethodWorkspaceExecuteCommand, "`ein.run`, `ein.cost`, `ein.explain`, `ein.runStatement`, `ein.bind`, `ein.explainCode`", asked((*server).ExecuteCommand)},
	{protocol.MethodWorkspaceTextDocumentContent, "what a command printed, the prelude, the reference", asked((*server).TextDocumentContent)},
	{protocol.MethodWorkspaceDidChangeConfiguration, "", told((*server).DidChangeConfiguration)},
	{protocol.MethodWorkspaceDidChangeWorkspaceFolders, "", told((*server).DidChangeWorkspaceFolders)},
	{protocol.MethodWorkspaceDidChangeWatchedFiles, "data of inputs", told((*server).DidChangeWatchedFiles)},
}

// handler calls a method of the server with its parameters in JSON. The library's
// handler is for all of the protocol: it keeps what no method here needs, a third of
// a megabyte, in the binary.
type handler func(s *server, ctx context.Context, params []byte) (any, error)

func asked[P, R any](f func(*server, context.Context, *P) (R, error)) handler {
	return func(s *server, ctx context.Context, params []byte) (any, error) {
		p := new(P)
		if err := json.Unmarshal(params, p); err != nil {
			return nil, fmt.Errorf("%w: %w", jsonrpc2.ErrParse, err)
		}
		return f(s, ctx, p)
	}
}

func told[P any](f func(*server, context.Context, *P) error) handler {
	return asked(func(s *server, ctx context.Context, p *P) (any, error) { return nil, f(s, ctx, p) })
}

func bare(f func(*server, context.Context) error) handler {
	return func(s *server, ctx context.Context, _ []byte) (any, error) { return nil, f(s, ctx) }
}

// dispatcher calls the method that a message names.
func dispatcher(s *server) jsonrpc2.Handler {
	calls := map[string]handler{}
	for _, m := range served {
		calls[m.method] = m.call
	}
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		call := calls[req.Method()]
		switch {
		case call == nil:
			return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "there is no method %.100q", req.Method())
		case ctx.Err() != nil:
			return nil, protocol.ErrRequestCancelled
		}
		return call(s, ctx, req.Params())
	}
}
