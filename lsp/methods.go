package lsp

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// served is the methods of the server, with what docs/lsp.md says about them, in the same order.
// Cancellations are handled where they are read.
var served = []struct {
	method, about string
	call          handler
}{
	{protocol.MethodInitialize, "", asked((*server).Initialize)},
	{protocol.MethodInitialized, "", told((*server).Initialized)},
	{protocol.MethodShutdown, "", bare((*server).Shutdown)},
	{protocol.MethodExit, "", bare((*server).Exit)},
	{protocol.MethodSetTrace, "accepted; `--trace` traces", told((*server).SetTrace)},
	{protocol.MethodCancelRequest, "", nil},
	{protocol.MethodWindowWorkDoneProgressCancel, "stops a command", told((*server).WorkDoneProgressCancel)},
	{protocol.MethodTextDocumentDidOpen, "", told((*server).DidOpen)},
	{protocol.MethodTextDocumentDidChange, "incremental, or whole texts", told((*server).DidChange)},
	{protocol.MethodTextDocumentDidSave, "checks without a pause", told((*server).DidSave)},
	{protocol.MethodTextDocumentDidClose, "", told((*server).DidClose)},
	{protocol.MethodTextDocumentDiagnostic, "for clients that ask, and can be told to ask again; others are sent `publishDiagnostics`", inFile((*server).Diagnostic)},
	{protocol.MethodTextDocumentHover, "", atPlace((*server).Hover)},
	{protocol.MethodTextDocumentCompletion, "snippets if the client has them", atPlace((*server).Completion)},
	{protocol.MethodTextDocumentSignatureHelp, "", atPlace((*server).SignatureHelp)},
	{protocol.MethodTextDocumentDefinition, "of functions of the language too, for clients that ask for texts of the server", atPlace((*server).Definition)},
	{protocol.MethodTextDocumentReferences, "", atPlace((*server).References)},
	{protocol.MethodTextDocumentDocumentHighlight, "reads and writes", atPlace((*server).DocumentHighlight)},
	{protocol.MethodTextDocumentDocumentSymbol, "", inFile((*server).DocumentSymbol)},
	{protocol.MethodWorkspaceSymbol, "in the open files and the programs of the workspace folders", asked((*server).Symbols)},
	{protocol.MethodTextDocumentPrepareRename, "", atPlace((*server).PrepareRename)},
	{protocol.MethodTextDocumentRename, "tensors, relations, indices, functions, parameters, nodes in programs without inputs; of an input with data a message says where else its name stands", atPlace((*server).Rename)},
	{protocol.MethodTextDocumentSemanticTokensFull, "", inFile((*server).SemanticTokensFull)},
	{protocol.MethodTextDocumentSemanticTokensRange, "", inFile((*server).SemanticTokensRange)},
	{protocol.MethodTextDocumentInlayHint, "shapes, summed indices, parameters, values of statements that were run", inFile((*server).InlayHint)},
	{protocol.MethodTextDocumentFormatting, "what `ein fmt` does", inFile((*server).Formatting)},
	{protocol.MethodTextDocumentRangeFormatting, "whole statements", inFile((*server).RangeFormatting)},
	{protocol.MethodTextDocumentOnTypeFormatting, "after a line end, `;` and `}`", atPlace((*server).OnTypeFormatting)},
	{protocol.MethodTextDocumentCodeAction, "fixes, extract, inline, rewrites, fix all, explain a code, run a statement, bind an input", inFile((*server).CodeAction)},
	{protocol.MethodTextDocumentCodeLens, "Run, Cost, Explain", inFile((*server).CodeLens)},
	{protocol.MethodTextDocumentFoldingRange, "", inFile((*server).FoldingRanges)},
	{protocol.MethodTextDocumentSelectionRange, "", inFile((*server).SelectionRange)},
	{protocol.MethodWorkspaceExecuteCommand, "`ein.run`, `ein.cost`, `ein.explain`, `ein.runStatement`, `ein.bind`, `ein.explainCode`", asked((*server).ExecuteCommand)},
	{protocol.MethodWorkspaceTextDocumentContent, "what a command printed, the prelude, the reference", asked((*server).TextDocumentContent)},
	{protocol.MethodWorkspaceDidChangeConfiguration, "", told((*server).DidChangeConfiguration)},
	{protocol.MethodWorkspaceDidChangeWorkspaceFolders, "", told((*server).DidChangeWorkspaceFolders)},
	{protocol.MethodWorkspaceDidChangeWatchedFiles, "data of inputs", told((*server).DidChangeWatchedFiles)},
}

// handler calls a method of the server with its parameters in JSON. The library's handler covers the
// whole protocol, and would add a third of a megabyte to the binary.
type handler func(s *server, ctx context.Context, params []byte) (any, error)

// asked is the handler of a request.
func asked[P, R any](f func(*server, context.Context, *P) (R, error)) handler {
	return func(s *server, ctx context.Context, params []byte) (any, error) {
		p := new(P)
		if err := json.Unmarshal(params, p); err != nil {
			return nil, fmt.Errorf("%w: %w", jsonrpc2.ErrParse, err)
		}
		return f(s, ctx, p)
	}
}

// ranged is the parameters of a request about a range. Like those of the other requests about a file it has no
// more than what is read: the types that the library has for them would add to the binary.
type ranged struct {
	Range protocol.Range `json:"range"`
}

// inFile is a handler about an open file.
func inFile[P, R any](f func(*server, context.Context, *file, *P) (R, error)) handler {
	return atPlace(func(s *server, ctx context.Context, file *file, _ int, p *P) (R, error) { return f(s, ctx, file, p) })
}

// atPlace is a handler about a place in an open file, which it turns into a byte offset.
func atPlace[P, R any](f func(*server, context.Context, *file, int, *P) (R, error)) handler {
	return func(s *server, ctx context.Context, params []byte) (any, error) {
		return asked(func(s *server, ctx context.Context, p *P) (any, error) {
			var place protocol.TextDocumentPositionParams
			if err := json.Unmarshal(params, &place); err != nil {
				return nil, fmt.Errorf("%w: %w", jsonrpc2.ErrParse, err)
			}
			file, err := s.file(ctx, place.TextDocument.URI)
			if err != nil {
				return nil, err
			}
			offset, _ := file.mapper().offset(place.Position)
			return f(s, ctx, file, offset, p)
		})(s, ctx, params)
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
		if call == nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "there is no method %.100q", req.Method())
		}
		return call(s, ctx, req.Params())
	}
}
