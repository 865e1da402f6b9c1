package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ein/lang/diag"
	"ein/vm/cost"
	"ein/vm/tensor"
)

func (a *app) costCommand() *cobra.Command {
	f, asJSON := &programFlags{}, false
	cmd := &cobra.Command{
		Use:   "cost FILE",
		Short: "Print the cost certificate of a program",
		Long: `Prints upper bounds of what a run uses: of each statement its operations and the
memory of its largest step, and in total the operations, the memory at its peak
and the elements of the outputs. Operations are scalar multiply-adds and 64-bit
word operations. No run exceeds them, and limits are compared with them. Costs
depend on sizes, so inputs have to be bound.

` + inputHelp,
		Example: `  ein cost program.ein
  ein cost program.ein --input A=graph.csv --json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: programFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			a.json = asJSON
			l, err := a.load(context.Background(), args[0], f)
			if err != nil {
				return a.fail(err)
			}
			return a.wrote(a.cost(l, asJSON))
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// statementCost is a statement of a certificate with its line, 0 when only the
// bytecode is there.
type statementCost struct {
	Line  int    `json:"line"`
	Ops   uint64 `json:"ops"`
	Bytes uint64 `json:"bytes"`
	name  string
	start int32
}

// statementCosts is the certificate by statement, in the order of the source.
// The parts of a statement whose instructions do not lie together are joined.
func (l *loaded) statementCosts(c *cost.Certificate) []statementCost {
	list := []statementCost{}
	for _, s := range c.Statements {
		line := 0
		if l.file != nil {
			line = l.file.Position(int(s.Pos.Start)).Line
		}
		i := slices.IndexFunc(list, func(x statementCost) bool { return x.start == s.Pos.Start && x.name == s.Name })
		if i < 0 {
			list = append(list, statementCost{line, s.Ops, s.Bytes, s.Name, s.Pos.Start})
			continue
		}
		list[i].Ops = tensor.SatAdd(list[i].Ops, s.Ops)
		list[i].Bytes = max(list[i].Bytes, s.Bytes)
	}
	slices.SortStableFunc(list, func(a, b statementCost) int { return int(a.start - b.start) })
	return list
}

func (a *app) cost(l *loaded, asJSON bool) error {
	c := &l.module().Certificate
	list := l.statementCosts(c)
	if asJSON {
		return writeJSON(a.out, struct {
			Version    int             `json:"version"`
			Ops        uint64          `json:"ops"`
			Peak       uint64          `json:"peak_bytes"`
			Elements   uint64          `json:"output_elements"`
			Statements []statementCost `json:"statements"`
		}{1, c.Ops, c.PeakBytes, c.OutputElements, list})
	}
	// Right-aligned columns have a tab after each cell, also the last.
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(line, ops, bytes, name string) {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t  %s\n", line, ops, bytes, name)
	}
	row("line", "operations", "bytes", "statement")
	for _, s := range list {
		line := strconv.Itoa(s.Line)
		if s.Line == 0 {
			line = "-"
		}
		name, _ := diag.Display(s.name)
		row(line, formatCount(s.Ops), formatCount(s.Bytes), shorten(name, 60))
	}
	row("total", formatCount(c.Ops), formatCount(c.PeakBytes), "at most; bytes at the peak, inputs included")
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(a.out, "outputs: "+formatCount(c.OutputElements)+" elements\n")
	return err
}

// shorten cuts text to so many characters.
func shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}
