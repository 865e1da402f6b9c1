package describe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"ein/lang/diag"
	"ein/lang/source"
	"ein/vm/cost"
	"ein/vm/tensor"
)

// StatementCost is a statement of a certificate with its line, 0 when only the
// bytecode is there.
type StatementCost struct {
	Line  int    `json:"line"`
	Ops   uint64 `json:"ops"`
	Bytes uint64 `json:"bytes"`
	name  string
	start int32
}

// StatementCosts is a certificate by statement, in the order of the source. The
// parts of a statement whose instructions do not lie together are joined. The
// file is nil when there is only bytecode.
func StatementCosts(c *cost.Certificate, f *source.File) []StatementCost {
	list := []StatementCost{}
	for _, s := range c.Statements {
		line := 0
		if f != nil {
			line = f.Position(int(s.Pos.Start)).Line
		}
		i := slices.IndexFunc(list, func(x StatementCost) bool { return x.start == s.Pos.Start && x.name == s.Name })
		if i < 0 {
			list = append(list, StatementCost{line, s.Ops, s.Bytes, s.Name, s.Pos.Start})
			continue
		}
		list[i].Ops = tensor.SatAdd(list[i].Ops, s.Ops)
		list[i].Bytes = max(list[i].Bytes, s.Bytes)
	}
	slices.SortStableFunc(list, func(a, b StatementCost) int { return int(a.start - b.start) })
	return list
}

// Cost is a certificate as a table.
func Cost(c *cost.Certificate, f *source.File) string {
	var b strings.Builder
	// Right-aligned columns have a tab after each cell, also the last.
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(line, ops, bytes, name string) {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t  %s\n", line, ops, bytes, name)
	}
	row("line", "operations", "bytes", "statement")
	for _, s := range StatementCosts(c, f) {
		line := strconv.Itoa(s.Line)
		if s.Line == 0 {
			line = "-"
		}
		name, _ := diag.Display(s.name)
		row(line, Count(s.Ops), Count(s.Bytes), Shorten(name, 60))
	}
	row("total", Count(c.Ops), Count(c.PeakBytes), "at most; bytes at the peak, inputs included")
	_ = w.Flush() // to memory
	return b.String() + "outputs: " + Count(c.OutputElements) + " elements\n"
}
