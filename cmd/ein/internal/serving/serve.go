// Package serving is the verbs that serve other programs: ein serve.
package serving

import (
	"context"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"ein/serve"

	"ein/cmd/ein/internal/cli"
)

// Verbs are those that serve.
func Verbs(a *cli.App) []*cobra.Command { return []*cobra.Command{serveVerb(a)} }

// defaultMemory is what one program may use.
const defaultMemory = 8 << 30

func serveVerb(a *cli.App) *cobra.Command {
	opt, stdio := serve.Options{}, false
	opt.Limits.MaxBytes = defaultMemory
	cmd := &cobra.Command{
		Use:   "serve --stdio",
		Short: "Answer programs that run, check and score Ein programs",
		Long: `Serves other programs on standard input and output. The form of the messages is on
the page on serving: ein help serving. A request may lower the limits, never raise
them.`,
		Example:           `  ein serve --stdio`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			if !stdio {
				return a.Usage("give --stdio")
			}
			// An interrupt at the terminal is for the program that asks: it cancels what it
			// no longer wants.
			signal.Ignore(syscall.SIGINT)
			return a.Fail(serve.New(opt).Stdio(context.Background(), a.In, a.Out))
		},
	}
	cmd.Flags().BoolVar(&stdio, "stdio", false, "serve one program on standard input and output")
	cli.MemoryFlag(cmd, &opt.Limits.MaxBytes, " of a run")
	cli.Count.Flag(cmd, &opt.Limits.MaxOps, "max-ops", "most operations of a run, such as 1e9 (default: no limit)")
	cli.Count.Flag(cmd, &opt.Limits.MaxOutputElements, "max-output", "most elements of all outputs of a run (default: no limit)")
	cli.Duration.Flag(cmd, &opt.Timeout, "timeout", "most time of a run (default: no limit)")
	cli.One(serve.Strict, serve.Relaxed, serve.Lenient, serve.Shaped).Flag(cmd, &opt.Reward, "reward", "what a reply is worth: 1 for right in a mode of scoring, or shaped")
	cli.Opt(cli.Real("a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 })).Flag(cmd, &opt.Constant, "constant-output-reward", "most `reward` of a program whose output depends on no graph (default: no limit)")
	cmd.Flags().StringSliceVar(&opt.Splits, "allow-split", nil, "held-out `split` that may be asked for; * is all")
	cmd.Flags().BoolVar(&opt.ShowAnswers, "show-answers", false, "give instances with their answers and programs")
	cmd.Flags().StringVar(&opt.Sandbox.Python, "python", "python3", "`command` of a Python with networkx, for Python programs")
	return cmd
}
