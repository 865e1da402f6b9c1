package main

import (
	"github.com/spf13/cobra"
)

func (a *app) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Make questions about graphs, ask models, score and compare",
		Long: `ClosureBench is questions about graphs whose answers are computed: 26 categories
on three levels of composition. An instance is a line of JSON with the question,
the graph, the answer and the programs that compute it. Its id is enough to make
it again, byte for byte.

Instances: generate makes them, show makes one again, verify checks and stats
describes them, sft makes training data of them.
Models: eval asks one and scores what it says, into a folder that is called a run.
score scores replies again, or those of a file; exec runs and scores programs;
diagnose says why wrong replies are wrong. repair mends a damaged run, export
writes one for other tools. fake-provider is for trying this offline.
Results: report makes tables, figures and a page to browse, compare tests two runs
against each other, memorization compares what was seen with what is fresh.`,
		Example: `  ein bench generate --seed 42 --split heldout -o heldout.jsonl
  ein bench show cb1-heldout-reachability-17-s42
  ein bench eval --model baseline:noisy-ein@0.1 --mode ein --instances heldout.jsonl --out runs/noisy
  ein bench report runs/noisy -o report`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.benchGenerateCommand(), a.benchShowCommand(), a.benchVerifyCommand(), a.benchStatsCommand(), a.benchSFTCommand(), a.benchEvalCommand(), a.benchRepairCommand(), a.benchExportCommand(), a.benchScoreCommand(), a.benchExecCommand(), a.benchDiagnoseCommand(), a.benchFakeProviderCommand(), a.benchCompareCommand(), a.benchMemorizationCommand(), a.benchReportCommand())
	return cmd
}
