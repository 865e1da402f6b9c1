package main

import (
	"github.com/spf13/cobra"
)

func (a *app) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Make and check the questions of ClosureBench",
		Long: `ClosureBench is questions about graphs whose answers are computed: 26 categories
on three levels of composition. An instance is a line of JSON with the question,
the graph, the answer and the programs that compute it. Its id is enough to make
it again, byte for byte.`,
		Example: `  ein bench generate --seed 42 --split heldout -o heldout.jsonl
  ein bench show cb1-heldout-reachability-17-s42`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.benchGenerateCommand(), a.benchShowCommand(), a.benchVerifyCommand(), a.benchStatsCommand(), a.benchSFTCommand(), a.benchEvalCommand(), a.benchRepairCommand(), a.benchExportCommand(), a.benchScoreCommand(), a.benchExecCommand(), a.benchDiagnoseCommand(), a.benchFakeProviderCommand(), a.benchCompareCommand(), a.benchMemorizationCommand(), a.benchReportCommand())
	return cmd
}
