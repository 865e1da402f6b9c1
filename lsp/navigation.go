package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ein/lang/ide"
)

// Definition returns where the name at a place gets its value.
func (s *server) Definition(_ context.Context, f *file, offset int, _ *struct{}) (protocol.DefinitionResult, error) {
	if span, ok := f.document().Definition(offset); ok {
		return protocol.LocationSlice{{URI: f.sent, Range: f.mapper().rangeOf(span)}}, nil
	}
	if page, span, ok := f.document().LibraryDefinition(offset); ok && s.client.content {
		at := protocol.Location{URI: libraryURI(page), Range: newMapper(page.Text, f.encoding).rangeOf(span)}
		return protocol.LocationSlice{at}, nil
	}
	return protocol.LocationSlice{}, nil
}

// libraryURI is the URI of a text that only the server has.
func libraryURI(page ide.LibraryPage) uri.URI {
	return uri.URI(contentScheme + ":/library/" + page.Name)
}

// References returns every place of the name at a place.
func (s *server) References(_ context.Context, f *file, offset int, params *protocol.ReferenceParams) ([]protocol.Location, error) {
	list, m := []protocol.Location{}, f.mapper()
	for _, h := range f.document().Highlights(offset) {
		if !h.Write || params.Context.IncludeDeclaration {
			list = append(list, protocol.Location{URI: f.sent, Range: m.rangeOf(h.Span)})
		}
	}
	return list, nil
}

// DocumentHighlight is References within the file, with reads and writes apart.
func (s *server) DocumentHighlight(_ context.Context, f *file, offset int, _ *struct{}) ([]protocol.DocumentHighlight, error) {
	list, m := []protocol.DocumentHighlight{}, f.mapper()
	for _, h := range f.document().Highlights(offset) {
		kind := protocol.DocumentHighlightKindRead
		if h.Write {
			kind = protocol.DocumentHighlightKindWrite
		}
		list = append(list, protocol.DocumentHighlight{Range: m.rangeOf(h.Span), Kind: kind})
	}
	return list, nil
}
