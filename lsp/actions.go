package lsp

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"ein/lang/diag"
	"ein/lang/source"
)

// codeActionParams is the part of protocol.CodeActionParams that the server reads. The rest, diagnostics
// that came from here, would add to the binary.
type codeActionParams struct {
	ranged
	Context struct {
		Only        []protocol.CodeActionKind      `json:"only"`
		TriggerKind protocol.CodeActionTriggerKind `json:"triggerKind"`
	} `json:"context"`
}

// CodeAction offers fixes and rewrites for a range.
func (s *server) CodeAction(_ context.Context, f *file, params *codeActionParams) ([]protocol.CommandOrCodeAction, error) {
	list := []protocol.CommandOrCodeAction{}
	if !s.client.literalActions {
		return list, nil // it takes commands only, and an edit is none
	}
	wanted := func(kind string) bool {
		return len(params.Context.Only) == 0 || slices.ContainsFunc(params.Context.Only, func(o protocol.CodeActionKind) bool {
			return o == "" || kind == string(o) || strings.HasPrefix(kind, string(o)+".")
		})
	}
	span := f.mapper().span(params.Range)
	for _, a := range f.document().Actions(span) {
		if !wanted(a.Kind) {
			continue
		}
		kind := protocol.CodeActionKind(a.Kind)
		out := &protocol.CodeAction{Title: a.Title, Kind: &kind, Edit: s.workspaceEdit(f, a.Edits)}
		if a.Fixes != nil {
			out.Diagnostics = []protocol.Diagnostic{s.diagnostic(f, a.Fixes)}
		}
		if a.Best {
			out.IsPreferred = &a.Best
		}
		list = append(list, out)
	}
	if wanted(string(protocol.CodeActionKindQuickFix)) {
		list = append(list, s.explanations(f, span)...)
	}
	if len(params.Context.Only) == 0 {
		list = append(list, s.bindings(f, span)...)
	}
	// Only for those who ask: there is a statement nearly everywhere.
	if len(params.Context.Only) == 0 && params.Context.TriggerKind != protocol.CodeActionTriggerKindAutomatic {
		if alone, ok := f.document().Alone(span.Start); ok && alone.Span.Contains(span.Start) {
			title := "run this statement and show its value behind it"
			list = append(list, &protocol.CodeAction{Title: title, Command: protocol.Command{
				Title: title, Command: commandRunStatement, Arguments: []protocol.LSPAny{encoded(f.sent), encoded(&params.Range.Start)},
			}})
		}
	}
	if kind := protocol.CodeActionKindSourceFixAll; wanted(string(kind)) {
		if edits := f.document().Diagnostics().Certain().Edits(); len(edits) > 0 {
			list = append(list, &protocol.CodeAction{Title: "fix all that has one fix", Kind: &kind, Edit: s.workspaceEdit(f, edits)})
		}
	}
	return list, nil
}

// explanations offers, for every diagnostic in a range, the page about its code.
func (s *server) explanations(f *file, span source.Span) []protocol.CommandOrCodeAction {
	var list []protocol.CommandOrCodeAction
	var seen []diag.Code
	kind := protocol.CodeActionKindQuickFix
	for _, d := range f.findings() {
		title := d.Code.Title()
		if title == "" || slices.Contains(seen, d.Code) || d.Span.Start > span.End || d.Span.End < span.Start {
			continue
		}
		seen = append(seen, d.Code)
		title = "explain " + string(d.Code) + ": " + title
		list = append(list, &protocol.CodeAction{
			Title: title, Kind: &kind, Diagnostics: []protocol.Diagnostic{s.diagnostic(f, &d)},
			Command: protocol.Command{Title: title, Command: commandExplainCode, Arguments: []protocol.LSPAny{encoded(d.Code)}},
		})
	}
	return list
}
