package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	tables "ein/internal/table"
)

// table is measured rows under one heading.
type table struct {
	title, text string
	rows        []row
	results     [][]result
	figure      func(float64) string
}

// print writes the table in Markdown. A column is the name of a contender that ran in some
// row, or has its reasons; who is not installed is named above all tables. Notes on what was
// not run follow.
func (t *table) print(w *bytes.Buffer) {
	fmt.Fprintf(w, "### %s\n\n%s\n\n", t.title, t.text)
	var columns []string
	for _, results := range t.results {
		for _, r := range results {
			if r.why != notInstalled && !slices.Contains(columns, r.name) {
				columns = append(columns, r.name)
			}
		}
	}
	shown := tables.Table{Columns: []tables.Column{{Words: true}}}
	for _, name := range append(columns, "best peer") {
		shown.Columns = append(shown.Columns, tables.Column{Name: name})
	}
	var notes []string
	without := make(map[string][]string) // rows, by note
	for i, results := range t.results {
		r := &t.rows[i]
		cells := make([]tables.Cell, len(shown.Columns))
		cells[0].Text = r.name
		base := results[r.main]
		best := math.Inf(1)
		for j, x := range results {
			if !slices.Contains(columns, x.name) {
				continue
			}
			cell := tables.Cell{Text: t.figure(x.seconds), Strong: j == r.main}
			if x.why != "" {
				cell = tables.Cell{Text: "-"}
				note := x.name + ": " + x.why
				if !slices.Contains(notes, note) {
					notes = append(notes, note)
				}
				without[note] = append(without[note], r.name)
			} else if j != r.main && !isOurs(x.name) {
				best = min(best, x.seconds/base.seconds)
				cell.Interval = ratio(x.seconds / base.seconds)
			}
			cells[1+slices.Index(columns, x.name)] = cell
		}
		if !math.IsInf(best, 1) {
			cells[len(cells)-1].Text = ratio(best)
		}
		shown.Rows = append(shown.Rows, tables.Row{Cells: cells})
	}
	_ = shown.Markdown(w) // to memory
	fmt.Fprintln(w)
	if len(notes) > 0 {
		fmt.Fprint(w, "| not run | on |\n|---|---|\n")
		for _, n := range notes {
			fmt.Fprintf(w, "| %s | %s |\n", n, strings.Join(without[n], "; "))
		}
		fmt.Fprintln(w)
	}
}

func isOurs(name string) bool { return strings.HasPrefix(name, "Ein") }

// duration has three digits.
func duration(s float64) string {
	for _, unit := range []struct {
		name string
		per  float64
	}{{"s", 1}, {"ms", 1e3}, {"µs", 1e6}} {
		if s*unit.per >= 0.9995 {
			return digits(s*unit.per) + " " + unit.name
		}
	}
	return digits(s*1e9) + " ns"
}

func digits(x float64) string {
	switch {
	case x >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// ratio is how many times as long a peer takes: below 1 it is the faster.
func ratio(x float64) string {
	switch {
	case x >= 9.95:
		return fmt.Sprintf("%.0fx", x)
	case x >= 0.0995:
		return fmt.Sprintf("%.1fx", x)
	}
	return fmt.Sprintf("%.2fx", x)
}
