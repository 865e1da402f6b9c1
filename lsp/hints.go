package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// InlayHint shows inferred shapes, indices and values between the words of the text.
func (s *server) InlayHint(_ context.Context, f *file, params *ranged) ([]protocol.InlayHint, error) {
	list, m := []protocol.InlayHint{}, f.mapper()
	span := m.span(params.Range)
	pad := true
	for _, h := range f.document().Hints(span) {
		out := protocol.InlayHint{Position: m.position(h.Offset), Label: protocol.String(h.Text), Kind: protocol.InlayHintKindParameter}
		if h.Type {
			out.Kind = protocol.InlayHintKindType
		}
		if h.Doc != "" {
			out.Tooltip = markup(h.Doc, s.client.markdown)
		}
		if h.Before {
			out.PaddingLeft = &pad
		} else {
			out.PaddingRight = &pad
		}
		list = append(list, out)
	}
	return append(list, s.valueHints(f, span)...), nil
}
