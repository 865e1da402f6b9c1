package report

import (
	"bytes"
	"fmt"
	"io"

	"ein/internal/chart"
	"ein/internal/lists"
	"ein/internal/table"
)

// Format is a format in which a report is written.
type Format string

// The formats. HTML is one page; the others are one file for each table or figure.
const (
	HTML     Format = "html"
	Markdown Format = "md"
	LaTeX    Format = "latex"
	CSV      Format = "csv"
	SVG      Format = "svg"
)

// Formats lists the formats.
func Formats() []Format { return []Format{HTML, Markdown, LaTeX, CSV, SVG} }

// File is a file of a report.
type File struct {
	Name string
	Data []byte
}

// Files writes a report in a format.
func (r *Report) Files(f Format) ([]File, error) {
	switch f {
	case HTML:
		var b bytes.Buffer
		err := r.HTML(&b)
		return []File{{"report.html", b.Bytes()}}, err
	case Markdown:
		return r.tables("md", (*table.Table).Markdown)
	case LaTeX:
		return r.tables("tex", (*table.Table).LaTeX)
	case CSV:
		return r.tables("csv", (*table.Table).CSV)
	case SVG:
		return lists.Map(r.Figures(), func(f *chart.Figure) File { return File{f.ID + ".svg", chart.SVG(f)} }), nil
	}
	return nil, fmt.Errorf("unknown format %q", f)
}

// tables returns each table as a file of its own.
func (r *Report) tables(ext string, write func(*table.Table, io.Writer) error) ([]File, error) {
	var list []File
	for _, t := range r.Tables() {
		var b bytes.Buffer
		if err := write(t.shown(), &b); err != nil {
			return nil, err
		}
		list = append(list, File{t.ID + "." + ext, b.Bytes()})
	}
	return list, nil
}
