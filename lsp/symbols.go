package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"ein/lang/ide"
)

var symbolKinds = map[ide.Kind]protocol.SymbolKind{
	ide.KindTensor:    protocol.SymbolKindVariable,
	ide.KindInput:     protocol.SymbolKindField,
	ide.KindFunction:  protocol.SymbolKindFunction,
	ide.KindParameter: protocol.SymbolKindTypeParameter,
	ide.KindDirective: protocol.SymbolKindEvent,
}

func symbolKind(k ide.Kind) protocol.SymbolKind {
	if kind, ok := symbolKinds[k]; ok {
		return kind
	}
	return protocol.SymbolKindVariable
}

// DocumentSymbol is the outline of a file: its definitions, with their shapes where
// the client has room for them.
func (s *server) DocumentSymbol(ctx context.Context, params *protocol.DocumentSymbolParams) (protocol.DocumentSymbolResult, error) {
	f, err := s.file(ctx, params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	symbols := f.document().Symbols()
	if !s.client.hierarchy {
		return protocol.SymbolInformationSlice(flat(f, symbols, "")), nil
	}
	list, m := protocol.DocumentSymbolSlice{}, f.mapper()
	for _, sym := range symbols {
		out := protocol.DocumentSymbol{
			Name: sym.Text, Kind: symbolKind(sym.Kind), Range: m.rangeOf(sym.Span), SelectionRange: m.rangeOf(sym.Name),
		}
		if sym.Detail != "" {
			out.Detail = &sym.Detail
		}
		list = append(list, out)
	}
	return list, nil
}

// flat is symbols as a list, those whose name has query in it.
func flat(f *file, symbols []ide.Symbol, query string) []protocol.SymbolInformation {
	list, m := []protocol.SymbolInformation{}, f.mapper()
	for _, sym := range symbols {
		if !strings.Contains(strings.ToLower(sym.Text), strings.ToLower(query)) {
			continue
		}
		list = append(list, protocol.SymbolInformation{
			BaseSymbolInformation: protocol.BaseSymbolInformation{Name: sym.Text, Kind: symbolKind(sym.Kind)},
			Location:              protocol.Location{URI: f.uri, Range: m.rangeOf(sym.Name)},
		})
	}
	return list
}

// Symbols looks for a definition in all open files.
func (s *server) Symbols(ctx context.Context, params *protocol.WorkspaceSymbolParams) (protocol.WorkspaceSymbolResult, error) {
	list := protocol.SymbolInformationSlice{}
	for _, f := range s.files(ctx) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list = append(list, flat(f, f.document().Symbols(), params.Query)...)
	}
	return list, nil
}
