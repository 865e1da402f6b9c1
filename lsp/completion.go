package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"ein/lang/ide"
)

var completionKinds = map[ide.Kind]protocol.CompletionItemKind{
	ide.KindTensor:    protocol.CompletionItemKindVariable,
	ide.KindInput:     protocol.CompletionItemKindField,
	ide.KindIndex:     protocol.CompletionItemKindProperty,
	ide.KindFunction:  protocol.CompletionItemKindFunction,
	ide.KindBuiltin:   protocol.CompletionItemKindFunction,
	ide.KindParameter: protocol.CompletionItemKindTypeParameter,
	ide.KindLabel:     protocol.CompletionItemKindEnumMember,
	ide.KindDirective: protocol.CompletionItemKindKeyword,
	ide.KindKeyword:   protocol.CompletionItemKindKeyword,
}

// Completion offers what can be written at a place.
func (s *server) Completion(_ context.Context, f *file, offset int, _ *struct{}) (protocol.CompletionResult, error) {
	list := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	m := f.mapper()
	allKinds := s.client.at("textDocument.completion.completionItemKind.valueSet") != nil // not only those that the protocol began with
	snippets := s.client.can("textDocument.completion.completionItem.snippetSupport")
	details := s.client.can("textDocument.completion.completionItem.labelDetailsSupport")
	markdown := s.client.takesMarkdown("textDocument.completion.completionItem.documentationFormat")
	labels := 0
	for i, item := range f.document().Complete(offset) {
		out := protocol.CompletionItem{
			Label: item.Label, Kind: completionKinds[item.Kind],
			// The list is in order already; editors sort by this text.
			SortText: protocol.NewOptional(fmt.Sprintf("%03d %04d", item.Rank, i)),
		}
		if out.Kind > protocol.CompletionItemKindReference && !allKinds {
			out.Kind = 0
		}
		if item.Kind == ide.KindLabel { // found by its letters, with or without its quotes
			labels++
			out.FilterText = protocol.NewOptional(strings.Trim(item.Label, `"`))
		}
		edit := &protocol.TextEdit{Range: m.rangeOf(item.Span), NewText: item.Insert}
		if snippets && item.Snippet != "" {
			edit.NewText, out.InsertTextFormat = item.Snippet, protocol.InsertTextFormatSnippet
		}
		out.TextEdit = edit
		if item.Detail != "" {
			if details {
				out.LabelDetails = &protocol.CompletionItemLabelDetails{Description: &item.Detail}
			} else {
				out.Detail = protocol.NewOptional(item.Detail)
			}
		}
		if item.Doc != "" {
			out.Documentation = markup(item.Doc, markdown)
		}
		list.Items = append(list.Items, out)
	}
	list.IsIncomplete = labels >= ide.MaxLabels // others are found by what is typed next
	return list, nil
}
