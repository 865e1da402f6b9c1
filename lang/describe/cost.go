package describe

import (
	"cmp"
	"sort"
	"strconv"
	"strings"

	"ein/internal/table"
	"ein/internal/words"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/cost"
	"ein/vm/tensor"
)

// StatementCost is a statement of a certificate with its line, 0 when only the
// bytecode is there.
type StatementCost struct {
	Line  int    `json:"line"`
	Ops   uint64 `json:"ops"`
	Bytes uint64 `json:"bytes"`
	// Metered says that Ops is far above what is usual.
	Metered bool `json:"metered,omitempty"`
	name    string
	start   int32
}

// StatementCosts returns a certificate by statement, in the order of the source. The
// parts of a statement whose instructions do not lie together are joined. The
// file is nil when there is only bytecode.
func StatementCosts(c *cost.Certificate, f *source.File) []StatementCost {
	list := []StatementCost{}
	type key struct {
		start int32
		name  string
	}
	numbers := map[key]int{}
	for _, s := range c.Statements {
		line := 0
		if f != nil {
			line = f.Position(int(s.Pos.Start)).Line
		}
		k := key{s.Pos.Start, s.Name}
		i, again := numbers[k]
		if !again {
			numbers[k] = len(list)
			list = append(list, StatementCost{line, s.Ops, s.Bytes, s.Unmetered < s.Ops, s.Name, s.Pos.Start})
			continue
		}
		list[i].Ops = tensor.SatAdd(list[i].Ops, s.Ops)
		list[i].Bytes = max(list[i].Bytes, s.Bytes)
		list[i].Metered = list[i].Metered || s.Unmetered < s.Ops
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].start < list[j].start })
	return list
}

// Cost returns a certificate as a table, for a limit on operations, 0 when it is not known.
func Cost(c *cost.Certificate, f *source.File, maxOps uint64) string {
	return costTable(c, f, maxOps, "line", func(s StatementCost) (line, text string) {
		if s.Line == 0 {
			return "-", s.name
		}
		return strconv.Itoa(s.Line), s.name
	})
}

// CostByText is Cost for a program whose lines its reader has not seen: each
// statement is shown by its text.
func CostByText(c *cost.Certificate, f *syntax.File, maxOps uint64) string {
	texts := map[int32]string{}
	for _, st := range f.Stmts {
		texts[int32(st.Pos().Start)] = statementText(f, st)
	}
	return costTable(c, nil, maxOps, "", func(s StatementCost) (line, text string) { return "", cmp.Or(texts[s.start], s.name) })
}

// shownCost is how much of a statement is shown with its cost.
const shownCost = 60

// statementText returns a statement as it was entered, on one line and without comments.
func statementText(f *syntax.File, st syntax.Stmt) string {
	at := st.Pos()
	return syntax.OneLine(f.Source.Text[at.Start:at.End])
}

func shown(s string, most int) string {
	s, _ = diag.Display(s)
	return words.Shorten(s, most)
}

// costTable has a row for each statement, and the sums.
func costTable(c *cost.Certificate, f *source.File, maxOps uint64, head string, name func(s StatementCost) (line, text string)) string {
	rows := [][]string{{head, "operations", "bytes", "statement"}}
	for _, s := range StatementCosts(c, f) {
		line, text := name(s)
		text = shown(text, shownCost)
		if s.Metered {
			text += "  (metered)"
		}
		rows = append(rows, []string{line, words.Count(s.Ops), words.Count(s.Bytes), text})
	}
	if c.Reading > 0 {
		rows = append(rows, []string{"", "", words.Count(c.Reading), "reading the program and its data"})
	}
	mode, rule := "certified", ""
	if !c.Certified(maxOps) {
		mode, rule = "metered", "metered: a run stops if it reaches its limit, which may be below this bound\n"
	}
	rows = append(rows, []string{"total", words.Count(c.Ops), words.Count(c.PeakBytes), "at most, " + mode + "; bytes at the peak, inputs included"})
	plural := " elements"
	if c.OutputElements == 1 {
		plural = " element"
	}
	return strings.Join(table.Align("  ", rows, 0, 1, 2), "") + "outputs: " + words.Count(c.OutputElements) + plural + "\n" + rule
}
