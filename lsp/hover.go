package lsp

import (
	"context"
	"slices"
	"strings"
	"unicode/utf16"

	"go.lsp.dev/protocol"
)

// Hover describes the thing at a place.
func (s *server) Hover(_ context.Context, f *file, offset int, _ *struct{}) (*protocol.Hover, error) {
	h, ok := f.document().Hover(offset)
	if !ok {
		return nil, nil
	}
	r := f.mapper().rangeOf(h.Span)
	return &protocol.Hover{Contents: markup(h.Markdown, s.client.markdown), Range: &r}, nil
}

// markup is Markdown, without the fences of code as plain text for clients that show nothing else.
func markup(text string, markdown bool) *protocol.MarkupContent {
	if markdown {
		return &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: text}
	}
	fence := func(line string) bool { return strings.HasPrefix(line, "```") }
	return &protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), fence), "\n")}
}

// SignatureHelp shows the call around a place and which argument it is in.
func (s *server) SignatureHelp(_ context.Context, f *file, offset int, _ *struct{}) (*protocol.SignatureHelp, error) {
	sig, ok := f.document().Signature(offset)
	if !ok {
		return nil, nil
	}
	info := protocol.SignatureInformation{Label: sig.Label}
	if sig.Doc != "" {
		info.Documentation = markup(sig.Doc, s.client.markdownHelp)
	}
	for _, p := range sig.Params {
		param := protocol.ParameterInformation{Label: protocol.String(sig.Label[p.Span.Start:p.Span.End])}
		if s.client.can("textDocument.signatureHelp.signatureInformation.parameterInformation.labelOffsetSupport") { // in UTF-16 whatever the positions are in
			param.Label = protocol.ParameterInformationLabelTuple{utf16Length(sig.Label[:p.Span.Start]), utf16Length(sig.Label[:p.Span.End])}
		}
		if p.Doc != "" {
			param.Documentation = markup(p.Doc, s.client.markdownHelp)
		}
		info.Parameters = append(info.Parameters, param)
	}
	out := &protocol.SignatureHelp{Signatures: []protocol.SignatureInformation{info}, ActiveSignature: new(uint32)}
	// Past the last parameter the protocol wants a number past theirs.
	active := uint32(len(sig.Params))
	if sig.Active >= 0 {
		active = uint32(sig.Active)
	}
	out.ActiveParameter = protocol.NewNullable(active)
	return out, nil
}

// utf16Length is the length of a text as the protocol counts it by default.
func utf16Length(s string) uint32 {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return uint32(n)
}
