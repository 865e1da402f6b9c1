package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ein/internal/chart"
)

//go:embed paper.json
var paperJSON []byte

// Published is the tables of the paper. The file has other numbers as well, for the tests.
type Published struct {
	Tables []PaperTable `json:"tables"`
}

// PaperTable is a table of the paper.
type PaperTable struct {
	ID      string     `json:"id"`
	Number  int        `json:"table"`
	Title   string     `json:"title"`
	Scoring string     `json:"scoring"` // strict, lenient or both
	Columns []string   `json:"columns"` // ids of columns of our tables
	Rows    []PaperRow `json:"rows"`
}

// PaperRow is a row of a PaperTable.
type PaperRow struct {
	Name   string     `json:"name"`
	Group  string     `json:"group"`
	Mode   string     `json:"mode"`
	Values []*float64 `json:"values"` // nil: not in the paper
}

// Paper is the tables printed in the paper.
var Paper = sync.OnceValue(func() *Published {
	p := new(Published)
	if err := json.Unmarshal(paperJSON, p); err != nil {
		panic("BUG: bench/result/report: " + err.Error())
	}
	return p
})

// Table finds a table by its id, nil if there is none.
func (p *Published) Table(id string) *PaperTable {
	i := slices.IndexFunc(p.Tables, func(t PaperTable) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return &p.Tables[i]
}

// Get returns the number of a row in a column, false if the paper leaves it blank or has no such
// column.
func (t *PaperTable) Get(row *PaperRow, column string) (float64, bool) {
	i := slices.Index(t.Columns, column)
	if i < 0 || row.Values[i] == nil {
		return 0, false
	}
	return *row.Values[i], true
}

// beside adds the rows of the paper to one of our tables if the paper has such a table. If the rows
// are the same, as categories are, the paper's numbers become columns.
func beside(t *Table, opt *Options) {
	p := Paper().Table(t.Paper)
	if p == nil {
		return
	}
	t.Caption += fmt.Sprintf(" Numbers of the paper: its table %d", p.Number)
	if p.Scoring != "both" {
		t.Caption += ", " + p.Scoring + " scoring"
		if p.Scoring != opt.Scoring() {
			t.Caption += ", unlike ours"
		}
	}
	t.Caption += ", of other instances, and without intervals."
	if t.ID == "categories" {
		besideRows(t, p)
		return
	}
	for i := range p.Rows {
		row := Row{Keys: []string{fmt.Sprintf("paper: %s, %s", p.Rows[i].Name, p.Rows[i].Mode)}, Paper: true}
		for _, c := range t.Columns {
			v := chart.Missing()
			if x, ok := p.Get(&p.Rows[i], c.ID); ok {
				v = chart.Exact(x)
			}
			row.Cells = append(row.Cells, v)
		}
		t.Rows = append(t.Rows, row)
	}
}

// besideRows adds columns of the paper to rows of the same name.
func besideRows(t *Table, p *PaperTable) {
	for c, name := range p.Columns {
		t.Columns = append(t.Columns, Column{"paper_" + strings.ToLower(strings.Fields(name)[0]), "paper: " + name, Percent})
		for i := range t.Rows {
			v := chart.Missing()
			for k := range p.Rows {
				if p.Rows[k].Name == t.Rows[i].Keys[len(t.Rows[i].Keys)-1] && p.Rows[k].Values[c] != nil {
					v = chart.Exact(*p.Rows[k].Values[c])
				}
			}
			t.Rows[i].Cells = append(t.Rows[i].Cells, v)
		}
	}
}
