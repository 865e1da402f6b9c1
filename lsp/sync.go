package lsp

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ein/lang/diag"
	"ein/lang/source"
)

// didOpenParams is protocol.DidOpenTextDocumentParams with the URI as the client wrote it.
type didOpenParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int32  `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
}

// DidOpen takes over a file from the disk.
func (s *server) DidOpen(_ context.Context, params *didOpenParams) error {
	doc := &params.TextDocument
	u, err := uri.Parse(doc.URI)
	if err != nil || doc.URI == "" {
		return fmt.Errorf("textDocument.uri is %.40q, expected a URI", doc.URI)
	}
	s.session.update(func(next *snapshot) {
		if err = s.fits(next, u, len(doc.Text)); err != nil {
			return
		}
		if next.files[u] != nil {
			s.log.Warn("opened again without being closed", "uri", u)
		}
		f := &file{
			uri: u, sent: uri.URI(doc.URI), version: doc.Version, rev: s.session.revs.Add(1), text: doc.Text,
			profile: next.settings.profile(), encoding: next.encoding,
		}
		next.files[u] = f.finish()
	})
	if err != nil {
		s.complain(err)
		return nil
	}
	s.checkSoon(u)
	return nil
}

// fits reports whether a text of n bytes can be held beside the other open files.
func (s *server) fits(snap *snapshot, u uri.URI, n int) error {
	for _, f := range snap.files {
		if f.uri != u {
			n += len(f.text)
		}
	}
	if n > s.opt.MaxText {
		return fmt.Errorf("%s is not looked at: the open files would hold %d bytes, the limit is %d", u, n, s.opt.MaxText)
	}
	return nil
}

// didChangeParams is protocol.DidChangeTextDocumentParams with a version that may be null, as it could before 3.16.
type didChangeParams struct {
	TextDocument struct {
		URI     uri.URI `json:"uri"`
		Version *int32  `json:"version"`
	} `json:"textDocument"`
	ContentChanges []change `json:"contentChanges"`
}

// change is a change of a range, or of the whole text.
type change struct {
	Range *protocol.Range `json:"range"`
	Text  *string         `json:"text"`
}

// DidChange applies edits. They are taken in the order they arrive: that is the
// order the client made them in, whatever the version says.
func (s *server) DidChange(_ context.Context, params *didChangeParams) (err error) {
	u := params.TextDocument.URI
	s.session.update(func(next *snapshot) {
		f := next.files[u]
		if f == nil {
			err = fmt.Errorf("%s is not open", u)
			return
		}
		version := f.version
		if v := params.TextDocument.Version; v != nil {
			if version = *v; version <= f.version {
				s.log.Warn("a version that does not grow", "uri", u, "before", f.version, "version", version)
			}
		}
		text := f.text
		m := f.mapper()
		for i, change := range params.ContentChanges {
			if i > 0 {
				m = newMapper(text, f.encoding)
			}
			e, inside, wrong := contentChange(m, change)
			if wrong != nil {
				// Half of a change would be worse than none, and either way the
				// texts differ until the client opens the file again.
				err = fmt.Errorf("%s, version %d: %w", u, version, wrong)
				return
			}
			if !inside { // as the protocol allows
				s.log.Debug("a place outside the text was moved to its nearest end", "uri", u, "version", version)
			}
			text = text[:e.Span.Start] + e.NewText + text[e.Span.End:]
		}
		if err = s.fits(next, u, len(text)); err != nil {
			return
		}
		next.files[u] = f.edited(version, s.session.revs.Add(1), text)
	})
	if err == nil {
		s.checkSoon(u)
	}
	return err
}

// contentChange is a change in bytes; inside reports whether its places are in the
// text.
func contentChange(m *mapper, c change) (e diag.Edit, inside bool, err error) {
	if c.Text == nil {
		return diag.Edit{}, false, errors.New("a change without a text")
	}
	if c.Range == nil {
		return diag.Edit{Span: source.Span{End: len(m.text)}, NewText: *c.Text}, true, nil
	}
	start, startInside := m.offset(c.Range.Start)
	end, endInside := m.offset(c.Range.End)
	if start > end {
		return diag.Edit{}, false, fmt.Errorf("a range that ends at %d:%d, before its start %d:%d",
			c.Range.End.Line, c.Range.End.Character, c.Range.Start.Line, c.Range.Start.Character)
	}
	return diag.Edit{Span: source.Span{Start: start, End: end}, NewText: *c.Text}, startInside && endInside, nil
}

// DidSave checks at once what would have been checked after the pause.
func (s *server) DidSave(_ context.Context, params *protocol.DidSaveTextDocumentParams) error {
	s.checkNow(params.TextDocument.URI)
	return nil
}

// DidClose forgets the editor's text, so that the file on disk counts again, and its diagnostics.
func (s *server) DidClose(_ context.Context, params *protocol.DidCloseTextDocumentParams) error {
	u := params.TextDocument.URI
	var f *file
	s.session.update(func(next *snapshot) {
		f = next.files[u]
		delete(next.files, u)
	})
	if f == nil {
		return fmt.Errorf("%s is not open", u)
	}
	s.forget(f)
	return nil
}

// forget drops what is kept beside the snapshots.
func (s *server) forget(f *file) {
	u := f.uri
	s.pending.stop(u)
	s.data.stop(u)
	s.watch(u, nil)
	s.watched.drop(u)
	s.values.drop(u)
	if !s.client.pull {
		s.out.put(func() { s.publish(f.sent, nil, []protocol.Diagnostic{}) })
	}
}
