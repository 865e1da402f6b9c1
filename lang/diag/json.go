package diag

import (
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"ein/internal/lists"
	"ein/lang/source"
)

// Report is a file and what is said about it.
type Report struct {
	File *source.File
	List List
	// Relations are the relations of the program, which help to fix a wrong atom.
	Relations []Relation
}

// Relation is a relation of a program with its columns, "" where nothing names one, or
// says its type. Whether numbers are whole is known of a program without errors; else they
// are "number".
type Relation struct {
	File    string   `json:"file"`
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	Types   []string `json:"types"`
	Valued  bool     `json:"valued,omitempty"` // the last column is the value in T[..] = value
}

// String returns P(x: node, n: int), or T[x: node] = n: int where the last column is a value.
func (r Relation) String() string {
	var columns []string
	for i, name := range r.Columns {
		columns = append(columns, strings.Trim(name+": "+r.Types[i], ": "))
	}
	if last := len(columns) - 1; r.Valued {
		return r.Name + "[" + strings.Join(columns[:last], ", ") + "] = " + columns[last]
	}
	return r.Name + "(" + strings.Join(columns, ", ") + ")"
}

type (
	// jsonReport is what JSON writes.
	jsonReport struct {
		Version     int              `json:"version"`
		Diagnostics []JSONDiagnostic `json:"diagnostics"`
		Relations   []Relation       `json:"relations,omitempty"`
	}
	// JSONDiagnostic is a Diagnostic in its public machine-readable form.
	JSONDiagnostic struct {
		File     string        `json:"file"`
		Code     Code          `json:"code"`
		Severity string        `json:"severity"`
		Message  string        `json:"message"`
		Start    JSONPosition  `json:"start"`
		End      JSONPosition  `json:"end"`
		Label    string        `json:"label,omitempty"`
		Related  []JSONRelated `json:"related,omitempty"`
		Notes    []string      `json:"notes"`
		Fixes    []JSONFix     `json:"fixes"`
	}
	// JSONPosition counts lines and columns from 1, bytes from 0; -1 is not known.
	JSONPosition struct {
		Line   int `json:"line"`
		Column int `json:"column"`
		Offset int `json:"offset"`
	}
	// JSONRelated is a Related.
	JSONRelated struct {
		Message string       `json:"message"`
		Start   JSONPosition `json:"start"`
		End     JSONPosition `json:"end"`
	}
	// JSONFix is a Fix.
	JSONFix struct {
		Title string     `json:"title"`
		Edits []JSONEdit `json:"edits"`
	}
	// JSONEdit is an Edit.
	JSONEdit struct {
		Start   JSONPosition `json:"start"`
		End     JSONPosition `json:"end"`
		NewText string       `json:"newText"`
	}
)

func jsonPosition(f *source.File, offset int) JSONPosition {
	p := f.Position(offset)
	return JSONPosition{p.Line, p.Column, p.Offset}
}

// ToJSON makes the machine-readable form of a list. It is never nil.
func ToJSON(list List, f *source.File) []JSONDiagnostic {
	out := make([]JSONDiagnostic, 0, len(list))
	for i := range list {
		d := list[i].Shown()
		j := JSONDiagnostic{
			Code: d.Code, Severity: d.Severity.String(), Message: d.Message, Label: d.Label, Notes: append([]string{}, d.Notes...), Fixes: []JSONFix{},
		}
		if d.At == nil {
			j.File, j.Start, j.End = d.Place(f).File, jsonPosition(f, d.Span.Start), jsonPosition(f, d.Span.End)
		} else {
			j.File, j.Start = d.At.File, JSONPosition{cmp.Or(d.At.Line, -1), cmp.Or(d.At.Column, -1), -1}
			j.End = j.Start
		}
		j.Related = lists.Map(d.Related, func(r Related) JSONRelated {
			return JSONRelated{r.Message, jsonPosition(f, r.Span.Start), jsonPosition(f, r.Span.End)}
		})
		for _, fix := range d.Fixes {
			edits := lists.Map(fix.Edits, func(e Edit) JSONEdit {
				return JSONEdit{jsonPosition(f, e.Span.Start), jsonPosition(f, e.Span.End), e.NewText}
			})
			j.Fixes = append(j.Fixes, JSONFix{fix.Title, edits})
		}
		out = append(out, j)
	}
	return out
}

// JSON writes {"version":1,"diagnostics":[...]} for any number of files.
func JSON(w io.Writer, reports ...Report) error {
	out := jsonReport{Version: 1, Diagnostics: []JSONDiagnostic{}}
	for _, r := range reports {
		out.Diagnostics = append(out.Diagnostics, ToJSON(r.List, r.File)...)
		out.Relations = append(out.Relations, r.Relations...)
	}
	return encode(w, out)
}

// encode writes JSON for people and programs: indented, and with < and > as they are.
func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
