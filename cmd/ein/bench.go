package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"ein/bench/question/category"
)

func (a *app) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Make questions about graphs, ask models, score and compare",
		Long: fmt.Sprintf(`ClosureBench is questions about graphs whose answers are computed: %d categories
on three levels of composition. An instance is a line of JSON with the question,
the graph, the answer and the programs that compute it. Its id is enough to make
it again, byte for byte.`, len(category.Table)),
		Example: `  ein bench generate --seed 42 --split heldout -o heldout.jsonl
  ein bench show cb1-heldout-reachability-17-s42
  ein bench eval --model baseline:noisy-ein@0.1 --mode ein --instances heldout.jsonl --out runs/noisy
  ein bench report runs/noisy -o report`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for i, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Instances:", []*cobra.Command{a.benchGenerateCommand(), a.benchShowCommand(), a.benchVerifyCommand(), a.benchStatsCommand(), a.benchSFTCommand()}},
		{"Models, and the folders of their runs:", []*cobra.Command{a.benchEvalCommand(), a.benchRepairCommand(), a.benchExportCommand(), a.benchFakeProviderCommand()}},
		{"Scores:", []*cobra.Command{a.benchScoreCommand(), a.benchExecCommand(), a.benchDiagnoseCommand()}},
		{"Results:", []*cobra.Command{a.benchReportCommand(), a.benchCompareCommand(), a.benchMemorizationCommand()}},
	} {
		id := strconv.Itoa(i)
		cmd.AddGroup(&cobra.Group{ID: id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = id
			cmd.AddCommand(c)
		}
	}
	return cmd
}
