package report

import (
	"math"
	"strconv"
	"strings"

	"ein/internal/chart"
	"ein/internal/lists"
	"ein/internal/stats/show"
	"ein/internal/table"
)

// Unit is what a number counts.
type Unit string

// The units.
const (
	Percent Unit = "%"
	Points  Unit = "pp" // of percent, with a sign
	Tokens  Unit = "tokens"
	Dollars Unit = "$"
	Number  Unit = ""

	Probability Unit = "p"
)

// Table is data in rows.
type Table struct {
	ID      string
	Title   string
	Caption string
	Keys    []string // names of what tells rows apart
	Columns []Column
	Rows    []Row
	Paper   string // the table of the paper that it corresponds to, if any
}

// Column is a column of numbers.
type Column struct {
	ID   string // short, in files
	Name string
	Unit Unit
}

// Row is a row. The cells are as many as the columns.
type Row struct {
	Keys  []string
	Cells []chart.Value
	Paper bool // from the paper, not from runs
}

// Text shows a number without its unit.
func (u Unit) Text(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	}
	switch u {
	case Probability:
		return show.P(v)
	case Percent:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case Points:
		if s := strconv.FormatFloat(math.Abs(v), 'f', 1, 64); s == "0.0" {
			return s
		} else if v < 0 {
			return "−" + s
		} else {
			return "+" + s
		}
	case Dollars:
		if v == 0 || v >= 1 {
			return strconv.FormatFloat(v, 'f', 2, 64)
		}
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	if v == math.Trunc(v) || u == Tokens && v >= 100 {
		return table.Grouped(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}

// Interval shows an interval, "" for none.
func (u Unit) Interval(v chart.Value) string {
	if v.Missing() || math.IsNaN(v.Low) || math.IsNaN(v.High) {
		return ""
	}
	between := "–"
	if u == Points {
		between = " to "
	}
	return u.Text(v.Low) + between + u.Text(v.High)
}

// counts returns, for each column, the number of answers behind its cells if that is the same in
// all rows of our own, otherwise 0.
func (t *Table) counts() []int {
	list := make([]int, len(t.Columns))
	for c := range t.Columns {
		for _, r := range t.Rows {
			v := r.Cells[c]
			switch {
			case r.Paper || v.Missing():
			case v.N == 0 || list[c] > 0 && list[c] != v.N:
				list[c] = -1
			case list[c] == 0:
				list[c] = v.N
			}
		}
		list[c] = max(0, list[c])
	}
	return list
}

// shown returns the table in the form in which it is printed.
func (t *Table) shown() *table.Table {
	out := &table.Table{ID: t.ID, Title: t.Title, Caption: t.Caption}
	counts := t.counts()
	out.Columns = lists.Map(t.Keys, func(k string) table.Column { return table.Column{Name: k, Words: true} })
	for i, c := range t.Columns {
		shown := table.Column{ID: c.ID, Name: c.Name, N: counts[i]}
		if c.Unit != Tokens && c.Unit != Probability {
			shown.Unit = string(c.Unit)
		}
		out.Columns = append(out.Columns, shown)
	}
	for i, r := range t.Rows {
		row := table.Row{Source: "run"}
		if r.Paper {
			row.Source = "paper"
		}
		row.Rule = i > 0 && (r.Paper && !t.Rows[i-1].Paper || len(t.Keys) > 1 && r.Keys[0] != t.Rows[i-1].Keys[0] && t.Keys[0] == "level")
		row.Cells = lists.Map(r.Keys, func(k string) table.Cell { return table.Cell{Text: k} })
		for c, v := range r.Cells {
			u := t.Columns[c].Unit
			cell := table.Cell{Text: u.Text(v.V), Interval: u.Interval(v)}
			if !v.Missing() {
				cell.N, cell.Exact = v.N, [3]string{exact(v.V), exact(v.Low), exact(v.High)}
			}
			row.Cells = append(row.Cells, cell)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// exact shows a number in full, for programs; "" for none.
func exact(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 8, 64)
}

// armTable has a row for each arm.
func armTable(id, title, caption string, arms []*Arm, columns []Column, cells func(*Arm) []chart.Value) *Table {
	rows := lists.Map(arms, func(a *Arm) Row { return Row{Keys: []string{a.Name}, Cells: cells(a)} })
	return &Table{ID: id, Title: title, Caption: caption, Keys: []string{"model, mode"}, Columns: columns, Rows: rows}
}

// figure draws the first columns of the table, which must be shares in percent.
func (t *Table) figure(kind chart.Kind, columns int, unit, caption string) *chart.Figure {
	f := &chart.Figure{ID: t.ID, Title: t.Title, Caption: caption, Kind: kind, X: chart.Axis{Label: unit, Max: 100}, Panels: []chart.Panel{{}}}
	series := make([]chart.Series, columns)
	for _, r := range t.Rows {
		f.Rows = append(f.Rows, strings.Join(r.Keys, "  "))
		for i := range series {
			series[i].Name = t.Columns[i].Name
			series[i].Points = append(series[i].Points, chart.Point{X: r.Cells[i]})
		}
	}
	f.Panels[0].Series = series
	return f
}
