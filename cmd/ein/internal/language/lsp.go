package language

import (
	"errors"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"ein/internal/version"
	"ein/lsp"

	"ein/cmd/ein/internal/cli"
)

func lspVerb(a *cli.App) *cobra.Command {
	log, trace := "", false
	opt := lsp.Options{Debounce: lsp.DefaultDebounce, Timeout: lsp.DefaultTimeout, MaxMemory: lsp.DefaultMaxMemory, MaxOps: lsp.DefaultMaxOps, Tables: tables}
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Run the language server for editors",
		Long: `Speaks the Language Server Protocol on standard input and output: diagnostics, hover,
completion, rename, formatting and more. Editors start it; you need not type
anything. Errors are logged to standard error. The limits apply to programs that the
editor runs. The exit code is 0 after an orderly shutdown, and 1 if the editor
disconnects without one.`,
		Example: `  ein lsp
  ein lsp --log ein-lsp.log --trace`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(*cobra.Command, []string) error { return a.Fail(serve(a, log, trace, opt)) },
	}
	flags := cmd.Flags()
	flags.StringVar(&log, "log", "", "append the log to `FILE` instead of standard error")
	flags.BoolVar(&trace, "trace", false, "log every message, including program text")
	flags.Bool("stdio", true, "accepted because editors pass it; there is no other way")
	cli.Duration.Flag(cmd, &opt.Debounce, "debounce", "the pause after an edit before diagnostics are sent")
	cli.Duration.Flag(cmd, &opt.Timeout, "timeout", "maximum time for a run")
	cli.MemoryFlag(cmd, &opt.MaxMemory, " of a run")
	cli.Count.Flag(cmd, &opt.MaxOps, "max-ops", "maximum operations of a run, such as 1e9")
	return cmd
}

// serve runs the language server until its client or the user ends it. A client that leaves
// without the request shutdown gets the exit code that the protocol asks for.
func serve(a *cli.App, log string, trace bool, opt lsp.Options) error {
	ctx, stop := a.Context(0)
	defer stop()
	out := a.Err
	if log != "" {
		file, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return a.Usage("--log: %v", err)
		}
		defer func() { _ = file.Close() }() // the last line is written already
		out = file
	}
	level := slog.LevelInfo
	if trace {
		level = slog.LevelDebug
	}
	opt.Version = version.String() // it reads all of the executable: not before it is asked for
	opt.Log = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level}))
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(lsp.GCPercent)
	}
	err := lsp.Serve(ctx, cli.Streams{Reader: a.In, Writer: a.Out}, opt)
	if ctx.Err() != nil {
		return nil // the user stopped it
	}
	if errors.Is(err, lsp.ErrNoShutdown) {
		opt.Log.Warn("end", "reason", err)
		return cli.Status(cli.ExitWrong)
	}
	return err
}
