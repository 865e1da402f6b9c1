package describe

import (
	"fmt"
	"strings"

	"ein/internal/codes"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/ir"
)

// Refused is the diagnostic of a program that needs more than it may use, and the
// flag that sets the limit. What to do about it is the caller's to add.
func Refused(e *cost.LimitError) (d diag.Diagnostic, flag string) {
	amount := func(n uint64) string { return Count(n) + " " + e.What }
	what := ""
	switch e.What {
	case "bytes":
		d.Code, flag, what = codes.E0530, "--max-memory", " of memory"
		amount = func(n uint64) string {
			s := Count(n) + " bytes"
			if n >= 1<<10 {
				s += " (" + Bytes(n) + ")"
			}
			return s
		}
	case "operations":
		d.Code, flag = codes.E0531, "--max-ops"
	default:
		d.Code, flag = codes.E0532, "--max-output"
	}
	d.Message = fmt.Sprintf("the program needs up to %s%s, the limit is %s", amount(e.Need), what, amount(e.Max))
	d.Span = span(e.Pos)
	if e.Name != "" {
		d.Label = "up to " + amount(e.Part)
		d.Notes = []string{fmt.Sprintf("Most of it is for `%s`.", e.Name)}
	}
	if e.Reading > e.Part {
		d.Label, d.Notes = "", []string{fmt.Sprintf("Reading the program and its data takes %s of it.", amount(e.Reading))}
	}
	return d, flag
}

// runtimeCodes are the codes of vm's kinds of errors, in their order.
var runtimeCodes = [...]codes.Code{codes.E0601, codes.E0602, codes.E0603, codes.E0604}

// RunTime is the diagnostic of a failed run.
func RunTime(e *vm.RuntimeError) diag.Diagnostic {
	d := diag.Diagnostic{Code: runtimeCodes[e.Kind], Span: span(e.Pos), Message: e.Message}
	if e.Hint != "" {
		d.Notes = []string{strings.ToUpper(e.Hint[:1]) + e.Hint[1:] + "."}
	}
	return d
}

func span(p ir.Pos) source.Span { return source.Span{Start: int(p.Start), End: int(p.End)} }
