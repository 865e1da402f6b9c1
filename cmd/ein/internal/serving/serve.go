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
	return cmd
}
