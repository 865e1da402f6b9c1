package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ein/internal/version"
	"ein/lsp"
)

type lspFlags struct {
	log      string
	trace    bool
	debounce duration
	timeout  duration
	memory   byteSize
	ops      count
}

func (a *app) lspCommand() *cobra.Command {
	f := &lspFlags{
		debounce: duration(lsp.DefaultDebounce), timeout: duration(lsp.DefaultTimeout),
		memory: lsp.DefaultMaxMemory, ops: lsp.DefaultMaxOps,
	}
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve editors over the Language Server Protocol",
		Long: `Speaks the Language Server Protocol with an editor, on standard input and output:
diagnostics, hover, completion, rename, formatting and the rest. Editors start
it; there is nothing to type. What goes wrong is logged to standard error. The
limits are those of programs that the editor runs. It exits with 0 when the
editor has shut it down, with 1 when the editor left without doing so.`,
		Example: `  ein lsp
  ein lsp --log ein-lsp.log --trace`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(*cobra.Command, []string) error { return a.lsp(f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.log, "log", "", "append the log to `FILE` instead of standard error")
	flags.BoolVar(&f.trace, "trace", false, "log every message, with the texts of programs")
	flags.Bool("stdio", true, "accepted because editors pass it; there is no other way")
	flags.Var(&f.debounce, "debounce", "the pause after an edit before diagnostics are sent")
	flags.Var(&f.timeout, "timeout", "most time of a run")
	flags.Var(&f.memory, "max-memory", "most memory of a run, in bytes or with KiB, MiB, GiB")
	flags.Var(&f.ops, "max-ops", "most operations of a run, such as 1e9")
	return cmd
}

// stdio is standard input and output as one connection.
type stdio struct {
	io.Reader
	io.Writer
}

// Close leaves the streams open: they are those of the process, and a read that
// waits on a terminal or pipe would not end for it.
func (stdio) Close() error { return nil }

func (a *app) lsp(f *lspFlags) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	opt := lsp.Options{
		Version: version.String(), Debounce: time.Duration(f.debounce), Timeout: time.Duration(f.timeout),
		MaxMemory: uint64(f.memory), MaxOps: uint64(f.ops),
	}
	out := a.err
	if f.log != "" {
		file, err := os.OpenFile(f.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return a.usage("--log: %v", err)
		}
		defer func() { _ = file.Close() }() // the last line is written already
		out = file
	}
	level := slog.LevelInfo
	if f.trace {
		level = slog.LevelDebug
	}
	opt.Log = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level}))
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(lsp.GCPercent)
	}
	err := lsp.Serve(ctx, stdio{a.in, a.out}, opt)
	if ctx.Err() != nil {
		return nil // the user stopped it
	}
	if errors.Is(err, lsp.ErrNoShutdown) {
		opt.Log.Warn("end", "reason", err)
		return status(exitWrong)
	}
	return err
}
