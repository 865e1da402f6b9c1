package tensor

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSort holds Sort against rows sorted by their texts and numbers, of which the first stays.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for range 300 {
		d := &Domain{Name: "node", Labels: []string{"b", "é", "a", "B", "10", "9"}, Size: 6}
		table := &Table{Origin: &Origin{}}
		for range 1 + r.IntN(4) {
			c := Column{Kind: []ColumnKind{NodeColumn, IntColumn, RealColumn}[r.IntN(3)]}
			if c.Kind == NodeColumn {
				c.Domain = d
			}
			table.Columns = append(table.Columns, c)
		}
		table.Cells = make([]Cells, len(table.Columns))
		var want [][]float64 // with the line behind
		for line := range r.IntN(60) {
			var row []float64
			for c, col := range table.Columns {
				x := r.IntN(6)
				if row = append(row, float64(x)); col.Kind == NodeColumn {
					table.Cells[c].ID = append(table.Cells[c].ID, uint32(x))
				} else {
					table.Cells[c].Num = append(table.Cells[c].Num, float64(x))
				}
			}
			want = append(want, append(row, float64(line)))
			table.Origin.Lines = append(table.Origin.Lines, line)
		}
		table.Len = len(want)
		table.Sort()
		slices.SortStableFunc(want, func(x, y []float64) int {
			for c, col := range table.Columns {
				k := cmp.Compare(x[c], y[c])
				if col.Kind == NodeColumn {
					k = strings.Compare(d.Labels[int(x[c])], d.Labels[int(y[c])])
				}
				if k != 0 {
					return k
				}
			}
			return 0
		})
		want = slices.CompactFunc(want, func(x, y []float64) bool { return slices.Equal(x[:len(x)-1], y[:len(y)-1]) })
		var got [][]float64
		for row := range table.All() {
			got = append(got, append(slices.Clone(row), float64(table.Origin.Lines[len(got)])))
		}
		if !slices.EqualFunc(got, want, slices.Equal[[]float64]) {
			t.Fatalf("%v: got %v, want %v", table.Columns, got, want)
		}
	}
}
