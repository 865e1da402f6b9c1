package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ein/internal/codes"
	"ein/internal/lists"
	"ein/lang/diag"
)

// jobs is work in progress for files, at most one job for each.
type jobs struct{ kept[uri.URI, *fileJob] }

// fileJob is the job for one file; its key says what it works on.
type fileJob struct {
	key    string
	cancel func()
}

// start begins a job in place of the one in progress; the job calls done at its end. If both have the
// same key, the one in progress continues instead.
func (j *jobs) start(u uri.URI, key string, begin func(done func()) (cancel func())) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if old := j.of[u]; old != nil {
		if key != "" && old.key == key {
			return
		}
		old.cancel()
	}
	job := &fileJob{key: key}
	lists.Put(&j.of, u, job)
	job.cancel = begin(func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.of[u] == job {
			delete(j.of, u)
		}
	})
}

// stop ends the work on a file, if there is some.
func (j *jobs) stop(u uri.URI) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if job := j.of[u]; job != nil {
		job.cancel()
		delete(j.of, u)
	}
}

// checkSoon checks a file after a pause in typing.
func (s *server) checkSoon(u uri.URI) {
	s.pending.start(u, "", func(done func()) func() {
		return s.opt.after(s.opt.Debounce, func() {
			done()
			s.out.put(func() { s.check(u) })
		})
	})
}

// checkNow checks a file without a pause, in place of a check that waits for one.
func (s *server) checkNow(u uri.URI) {
	s.pending.stop(u)
	s.out.put(func() { s.check(u) })
}

// check reads the data of a file's inputs if that is due, and pushes diagnostics.
// It runs in the outbox, so those of an older text never follow those of a newer.
func (s *server) check(u uri.URI) {
	f := s.session.snapshot().files[u]
	if f == nil {
		return
	}
	reading := s.bindData(f)
	if reading && f.bound != nil {
		return // the data is that of another text; with the right one this is done again
	}
	if !s.client.pull {
		s.publish(f.sent, &f.version, s.diagnostics(f))
	}
}

// publish pushes diagnostics, with the version that they are of if the client knows versions.
func (s *server) publish(u uri.URI, version *int32, list []protocol.Diagnostic) {
	params := &protocol.PublishDiagnosticsParams{URI: u, Diagnostics: list}
	if version != nil && s.client.can("textDocument.publishDiagnostics.versionSupport") {
		params.Version = protocol.NewOptional(*version)
	}
	s.warn("cannot push diagnostics", s.peer.PublishDiagnostics(s.ctx, params))
}

var severities = map[diag.Severity]protocol.DiagnosticSeverity{
	diag.Error:   protocol.DiagnosticSeverityError,
	diag.Warning: protocol.DiagnosticSeverityWarning,
	diag.Note:    protocol.DiagnosticSeverityInformation,
}

// findings returns all diagnostics of a file: those of the text, then those of the data of its inputs.
func (f *file) findings() diag.List {
	list := f.document().Diagnostics()
	if f.bound == nil || len(f.bound.problems) == 0 {
		return list
	}
	list = append(diag.List(nil), list...)
	for _, in := range f.document().Inputs() {
		for _, d := range f.bound.problems[in.Name] {
			d.Span = in.Span
			list = append(list, d)
		}
	}
	return list
}

func (s *server) diagnostics(f *file) []protocol.Diagnostic {
	return lists.Map(f.findings(), func(d diag.Diagnostic) protocol.Diagnostic { return s.diagnostic(f, &d) })
}

// diagnostic returns a diagnostic as the client can show it. Label and notes are part of the
// message, since the protocol has no place for them.
func (s *server) diagnostic(f *file, d *diag.Diagnostic) protocol.Diagnostic {
	m := f.mapper()
	message := d.Message
	if !strings.Contains(message, d.Label) {
		message += " (" + d.Label + ")"
	}
	for _, n := range d.Notes {
		message += "\n" + n
	}
	out := protocol.Diagnostic{
		Range: m.rangeOf(d.Span), Severity: severities[d.Severity],
		Code: protocol.String(d.Code), Source: protocol.NewOptional("ein"),
		Message: protocol.String(message),
	}
	if d.Code == codes.W0214 && s.client.unnecessary { // nothing uses it
		out.Tags = protocol.NewDiagnosticTags(protocol.DiagnosticTagUnnecessary)
	}
	if s.client.related {
		for _, r := range d.Related {
			out.RelatedInformation = append(out.RelatedInformation, protocol.DiagnosticRelatedInformation{
				Location: protocol.Location{URI: f.sent, Range: m.rangeOf(r.Span)}, Message: r.Message,
			})
		}
	}
	return out
}

// Diagnostic answers a client that asks for diagnostics itself, unless it has those with the id that it names.
func (s *server) Diagnostic(_ context.Context, f *file, params *protocol.DocumentDiagnosticParams) (object, error) {
	id := f.resultID()
	if params.PreviousResultID != nil && *params.PreviousResultID == id {
		return object{"kind": "unchanged", "resultId": id}, nil
	}
	return object{"kind": "full", "resultId": id, "items": s.diagnostics(f)}, nil
}
