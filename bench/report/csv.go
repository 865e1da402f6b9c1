package report

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"ein/internal/chart"
)

// CSV writes a table for programs: for each column its value in full, the ends of
// the interval, and n; empty where they are missing.
func (t *Table) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	head := append([]string{"source"}, t.Keys...)
	for _, col := range t.Columns {
		head = append(head, col.ID, col.ID+"_low", col.ID+"_high", col.ID+"_n")
	}
	if err := c.Write(head); err != nil {
		return err
	}
	for _, r := range t.Rows {
		line := []string{"run"}
		if r.Paper {
			line[0] = "paper"
		}
		for _, k := range r.Keys {
			line = append(line, spreadsheet(k))
		}
		for _, v := range r.Cells {
			line = append(line, csvCells(v)...)
		}
		if err := c.Write(line); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func csvCells(v chart.Value) []string {
	text := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', 8, 64)
	}
	n := ""
	if v.N > 0 && !v.Missing() {
		n = strconv.Itoa(v.N)
	}
	if v.Missing() {
		return []string{"", "", "", ""}
	}
	return []string{text(v.V), text(v.Low), text(v.High), n}
}

// spreadsheet keeps a name from being run as a formula.
func spreadsheet(s string) string {
	if s != "" && (s[0] == '=' || s[0] == '+' || s[0] == '-' || s[0] == '@' || s[0] == '\t' || s[0] == '\r') {
		return "'" + s
	}
	return s
}
