package benchmark

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ein/bench/question/instance"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

func showVerb(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Regenerate an instance from its id and print it",
		Long: `Regenerates an instance from its id and prints its question, its graph, its answer,
and its programs in Ein and Python. --json prints the line that ein bench generate
writes, byte for byte.

` + idHelp,
		Example: `  ein bench show cb1-heldout-reachability-17-s42
  ein bench show cb1-heldout-cousin-3-s42-x7-explicit --json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              a.Do(func(_ context.Context, args []string) error { return show(a, args[0]) }),
	}
	a.JSONFlag(cmd, "print the line of the instance")
	return cmd
}

const idHelp = `An id is cb1-SPLIT-CATEGORY-INDEX-sSEED, or the same with cb2, followed by the settings
that differ from the defaults, in this order: -xSEED of the surface, -nMIN..MAX nodes,
-dMIN..MAX density in thousandths, -hMIN..MAX hops (cb2), -explicit (cb1) or -implicit (cb2)
phrasing, -json or -matrix encoding, -pI.K part of the labels and domains.`

func show(a *cli.App, text string) error {
	id, err := instance.ParseID(text)
	if err != nil {
		return a.Usage("%v", err)
	}
	in, redraws, err := instance.Generate(id)
	switch {
	case err != nil:
		return err
	case a.JSON:
		return a.Write("-", func(w io.Writer) error { return instance.Write(w, in) })
	}
	return a.Print(showInstance(in, redraws))
}

// showInstance describes an instance in text.
func showInstance(in *instance.Instance, redraws int) string {
	var b strings.Builder
	directed, arrow := "undirected", " - "
	if in.Directed {
		directed, arrow = "directed", " -> "
	}
	fmt.Fprintf(&b, "%s\n", in.ID)
	fmt.Fprintf(&b, "%s, %s, depth %d, answer: %s\n", in.Category, in.Level, in.Depth, in.ResultType)
	fmt.Fprintf(&b, "%s, density %s, %s, %s\n", words.Plural(in.N, "node"), in.Density, directed, words.Plural(redraws, "redraw"))
	fmt.Fprintf(&b, "domain %s, style %s, labels %s\n", in.Domain, in.Style, in.Labels)
	fmt.Fprintf(&b, "digest %s\n", in.Digest)
	section := func(title, text string) {
		fmt.Fprintf(&b, "\n%s\n", title)
		for line := range strings.Lines(strings.TrimRight(text, "\n")) {
			if strings.TrimSpace(line) != "" {
				b.WriteString("  ")
			}
			b.WriteString(line)
		}
		b.WriteString("\n")
	}
	section("Question", in.Question)
	nodes := ""
	for i, label := range in.Nodes {
		nodes += fmt.Sprintf("%d  %s\n", i, label)
	}
	section("Nodes", nodes)
	edges := func(title string, list [][2]int) {
		text := ""
		for _, e := range list {
			text += in.Nodes[e[0]] + arrow + in.Nodes[e[1]] + "\n"
		}
		section(title, cmp.Or(text, "none\n"))
	}
	edges("Edges", in.Edges)
	if in.Category == "graph_comparison" {
		edges("Edges of the second graph", in.Edges2)
	}
	section("Answer", string(in.Answer))
	section("Ein", in.EinProgram)
	section("Python", in.PythonProgram)
	return b.String()
}
