package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"ein"
	"ein/bind"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/repl"
)

// WhyRequest is a program, and an expression over its names that is to be explained.
type WhyRequest struct {
	Program
	Expression string `json:"expression"`
}

// WhyResult is the explanation, and what it took.
type WhyResult struct {
	Version int           `json:"version"`
	Text    string        `json:"text"`
	Stats   ein.JSONStats `json:"stats"`
	Bound   Bound         `json:"bound"`
}

// why answers with an explanation, or with what is wrong in terms of the texts of the request.
func why(ctx context.Context, s *Server, c *Call, q *WhyRequest) (any, error) {
	out, err := explained(ctx, s, c, q)
	wrong, ok := errors.AsType[*ein.Error](err)
	if !ok {
		return out, err
	}
	j := wrong.JSON(1)
	for i := range j.Error.Diagnostics {
		q.place(&j.Error.Diagnostics[i], wrong.File)
	}
	return &Answer{Status: http.StatusUnprocessableEntity, Body: encode(j)}, nil
}

// place gives a diagnostic the name and the positions of a text of the request. It has the names and the
// advice of a session, in which the expression follows the program.
func (q *WhyRequest) place(d *diag.JSONDiagnostic, session *source.File) {
	for i := range d.Notes {
		d.Notes[i] = strings.TrimSpace(ofRequest.Replace(d.Notes[i]))
	}
	d.Notes = slices.DeleteFunc(d.Notes, func(note string) bool { return strings.Contains(note, "he session is as it was before.") })
	input, ok := strings.CutPrefix(d.File, inputFiles)
	if ok {
		d.File = input
	} else if d.File == q.file() {
		d.File = cmp.Or(q.Name, "program")
	}
	if d.File != expressionFile {
		return
	}
	asked, f := q.asked(), source.NewFile(expressionFile, q.Expression)
	back := strings.LastIndex(session.Text, asked) - strings.LastIndex(q.Expression, asked)
	at := func(p *diag.JSONPosition) {
		if p.Offset >= back {
			to := f.Position(p.Offset - back)
			*p = diag.JSONPosition{Line: to.Line, Column: to.Column, Offset: to.Offset}
		}
	}
	at(&d.Start)
	at(&d.End)
	for i := range d.Related {
		at(&d.Related[i].Start)
		at(&d.Related[i].End)
	}
	for i := range d.Fixes {
		for k := range d.Fixes[i].Edits {
			at(&d.Fixes[i].Edits[k].Start)
			at(&d.Fixes[i].Edits[k].End)
		}
	}
}

// ofRequest gives what a session or the command advises to enter as the expression of a request.
var ofRequest = strings.NewReplacer("`:why ", "`", "`ein run --why N` explains the first rows of each query.", "")

// file is what a session calls the program: by its name, unless that means something else there.
func (q *WhyRequest) file() string {
	if strings.ContainsAny(q.Name, "\"\r\n") || q.Name == expressionFile || strings.HasPrefix(q.Name, inputFiles) {
		return programFile
	}
	return cmp.Or(q.Name, programFile)
}

// asked is the expression without the lines and comments above it, "" if nothing else is there.
func (q *WhyRequest) asked() string {
	for _, t := range syntax.Tokens(q.Expression) {
		if t.Kind != syntax.KindNewline && t.Kind != syntax.KindComment {
			return strings.TrimSpace(q.Expression[t.Span.Start:])
		}
	}
	return ""
}

// explained asks a session, which ends with the answer.
func explained(ctx context.Context, s *Server, c *Call, q *WhyRequest) (*WhyResult, error) {
	start := time.Now()
	ctx, begin, stop := s.within(ctx, q.Limits)
	defer stop()
	prof, err := profile(q.Profile)
	if err != nil {
		return nil, err
	}
	expression := q.asked()
	if expression == "" {
		return nil, bad("/expression: it is empty, expected what to explain, such as tc(A)[0,3]")
	}
	// What is wrong with the program is said as by any other call. It need print nothing.
	p, err := s.compile(ctx, key{cmp.Or(q.Name, "program"), q.Source + "\n:print 0", prof, s.limits(q.Limits)})
	if err != nil {
		return nil, err
	}
	if q.Nodes != nil {
		return nil, errNodes
	}
	files, load := memory{s, map[string]string{q.file(): q.Source}}, `:load "`+q.file()+`"`
	odd := len(q.Inputs) // data without an input, and inputs without data
	for _, in := range p.Inputs() {
		spec, ok := s.opt.Data[in.Name]
		if data := q.Inputs[in.Name]; data != nil {
			odd--
			f := File{bind.Items(data), "format=json"} // a proof names rows by their lines
			switch firstMember(data) {
			case "array":
				return nil, bad("/inputs/%s: an explanation takes data as JSON or text", in.Name)
			case "text", "options":
				if f, _, err = c.file(data, in.Name); err != nil {
					return nil, err
				}
			}
			spec, ok = inputFiles+in.Name, true
			files.text[spec] = f.Text
			if f.Options != "" {
				spec += "?" + f.Options
			}
		}
		switch {
		case !ok:
			odd++
		case strings.Contains(spec, `"`): // which a session has for names with blanks
			return nil, bad("/inputs/%s: an explanation takes no options with a quotation mark", in.Name)
		default:
			load += " " + in.Name + `="` + spec + `"`
		}
	}
	if odd > 0 {
		_, err := s.bind(ctx, c, p, &q.Program)
		return nil, err
	}
	limits := s.limits(q.Limits)
	limits.MaxOutputElements = 0 // of values, of which an explanation shows none
	session := repl.New(repl.Config{Name: expressionFile, Limits: limits, Files: files, Begin: begin})
	for _, entry := range []string{load, ":why " + expression} {
		r := session.Eval(ctx, entry)
		switch {
		case r.Bug != "":
			panic(r.Bug)
		case r.Failed && len(r.Diags) > 0:
			return nil, &ein.Error{File: r.File, Diags: r.Diags}
		case r.Failed:
			return nil, bad("%s", strings.TrimSpace(r.Out+r.Note))
		case entry != load:
			var b bytes.Buffer
			if err := r.Print(ctx, &b); err != nil {
				return nil, err
			}
			spent := session.Spent()
			return &WhyResult{1, b.String(), ein.JSONStats{Ops: spent.Ops, Bytes: spent.PeakBytes, Nanos: time.Since(start).Nanoseconds()}, Bound{spent.Bound, spent.PeakBytes}}, nil
		}
	}
	return nil, errors.New("a session without an answer")
}

// The names of texts of a session.
const (
	programFile    = "program.ein"
	expressionFile = "expression"
	inputFiles     = "inputs/"
)

// memory is the files of such a session: the data of the request, and the server's own.
type memory struct {
	s    *Server
	text map[string]string
}

// Open implements repl.Files.
func (m memory) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if text, ok := m.text[name]; ok {
		return io.NopCloser(strings.NewReader(text)), nil
	}
	for _, spec := range slices.Sorted(maps.Values(m.s.opt.Data)) {
		if path, _, _ := strings.Cut(spec, "?"); path == name {
			return m.s.opt.Open(ctx, name)
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Write implements repl.Files.
func (memory) Write(name string, _ []byte) error {
	return fmt.Errorf("%s: nothing is written here", name)
}

// Same implements repl.Files.
func (memory) Same(a, b string) bool { return a == b }

// Complete implements repl.Files.
func (memory) Complete(string) []string { return nil }
