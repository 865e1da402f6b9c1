package ein

import (
	"context"
	"fmt"
	"io"

	"ein/internal/compact"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/show"
)

// The JSON forms of the command, which servers use too.

// Warnings returns the warnings of a program and of its run, which may be nil.
func (p *Program) Warnings(r *Result) diag.List {
	list := p.diags.Told()
	if r != nil {
		list = append(list, r.Warnings...)
	}
	list.Sort()
	return list
}

// WriteJSON writes the result of a run as one object. Outputs can be large, and so can the labels,
// which version 2 writes only once, so they are written as they are read. The error is that of w, or
// the cause of the context.
func (p *Program) WriteJSON(ctx context.Context, w io.Writer, r *Result, opt show.Options) error {
	if ctx == nil {
		return errNoContext
	}
	var failed error
	put := func(s string) {
		if failed == nil {
			_, failed = io.WriteString(w, s)
		}
	}
	opt.Labels = r.Labels
	if opt.Version != 2 {
		opt.Version = 1
	}
	put(fmt.Sprintf(`{"version":%d,`, opt.Version))
	if opt.Version == 2 && opt.Nodes && len(opt.Labels) > 0 {
		sep := `"labels":[`
		for _, label := range opt.Labels {
			put(sep + string(compact.Must(label)))
			sep = ","
		}
		put("],")
	}
	put(`"outputs":[`)
	for i := range r.Outputs {
		if i > 0 {
			put(",")
		}
		o := &r.Outputs[i]
		if opt.Proofs = nil; o.Proofs != nil {
			opt.Proofs = compact.Must(o.Proofs)
		}
		if failed == nil {
			failed = show.JSON(ctx, w, &o.Output, opt)
		}
	}
	put(fmt.Sprintf(`],"stats":%s,"warnings":%s}`+"\n", compact.Must(r.JSONStats()), compact.Must(diag.ToJSON(p.Warnings(r), p.Source()))))
	return failed
}

// JSONStats is what a run used, in its machine-readable form.
type JSONStats struct {
	Ops   uint64 `json:"ops"`
	Bytes uint64 `json:"peak_bytes"`
	Nanos int64  `json:"wall_ns"`
}

// JSONStats returns what the run used.
func (r *Result) JSONStats() JSONStats {
	return JSONStats{r.Stats.Ops, r.Stats.PeakBytes, r.Wall.Nanoseconds()}
}

// JSONCost is a certificate in its machine-readable form.
type JSONCost struct {
	Version    int                      `json:"version"`
	Ops        uint64                   `json:"ops"`
	Peak       uint64                   `json:"peak_bytes"`
	Reading    uint64                   `json:"reading_bytes"`
	Elements   uint64                   `json:"output_elements"`
	Certified  bool                     `json:"certified"`
	Statements []describe.StatementCost `json:"statements"`
}

// JSONCost returns the certificate of a program that is to run under a limit of operations, 0 if that
// is unknown. It is nil while an input has no data.
func (p *Program) JSONCost(maxOps uint64) *JSONCost {
	c := p.Certificate()
	if c == nil {
		return nil
	}
	return &JSONCost{1, c.Ops, c.PeakBytes, c.Reading, c.OutputElements, c.Certified(maxOps), describe.StatementCosts(c, p.Source())}
}

// JSONError is an Error in its machine-readable form.
type JSONError struct {
	Version int `json:"version"`
	Error   struct {
		Class       string                `json:"class"`
		Diagnostics []diag.JSONDiagnostic `json:"diagnostics"`
	} `json:"error"`
}

// JSON returns the error as the command prints it.
func (e *Error) JSON(version int) *JSONError {
	j := &JSONError{Version: version}
	j.Error.Class, j.Error.Diagnostics = e.Class().String(), diag.ToJSON(e.Diags.Told(), e.File)
	return j
}
