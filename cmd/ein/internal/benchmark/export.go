package benchmark

import (
	"context"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"ein/bench/ask/run"
	"ein/bench/result/export"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

func exportVerb(a *cli.App) *cobra.Command {
	format, out := "jsonl", ""
	cmd := &cobra.Command{
		Use:   "export DIR -o PATH",
		Short: "Export a run for another tool",
		Long: `Exports the run that ein bench eval wrote to DIR, complete or not.

  jsonl    a file with a line for each reply, with its question and score
  inspect  a folder of inspect_ai logs as JSON, one for each mode and encoding:
           inspect view --log-dir PATH
           (inspect log convert makes .eval files of them)
  lm-eval  a folder with results_TIME.json as lm-evaluation-harness writes it and, for
           each mode and encoding, the samples, a task for the harness, and its data

The scores are those of the run, not those of the other tool's rules.`,
		Example: `  ein bench export runs/x -o x.jsonl
  ein bench export --format inspect runs/x -o logs`,
		Args: cobra.ExactArgs(1),
		RunE: a.Do(func(_ context.Context, args []string) error { return exportRun(a, args[0], format, out) }),
	}
	cli.One("jsonl", "inspect", "lm-eval").Flag(cmd, &format, "format", "format: jsonl, inspect or lm-eval")
	cmd.Flags().StringVarP(&out, "output", "o", "", "`file` for jsonl (- is standard output), or folder for the other formats")
	cli.Required(cmd, "output")
	return cmd
}

// exportRun writes a run for another tool: one file for jsonl, otherwise a folder with the files
// of each of [export.Parts].
func exportRun(a *cli.App, dir, format, out string) error {
	r, err := readRun(a, dir, run.ReadLight)
	if err != nil {
		return err
	}
	unscored := 0
	for i := range r.Rows {
		if r.Rows[i].Reply != nil && r.Rows[i].Score == nil {
			unscored++
		}
	}
	if unscored > 0 {
		a.Note("%s not scored; `ein bench score %s` scores them", words.Plural(unscored, "reply is", "replies are"), dir)
	}
	if format == "jsonl" {
		if err := kept(a, out, dir); err != nil {
			return err
		}
		return a.Write(out, func(w io.Writer) error { return export.WriteLines(w, r) })
	}
	if out == "-" {
		return a.Usage("%s is a folder of files: give -o a name", format)
	}
	if err := cli.Folder(out); err != nil {
		return err
	}
	times, err := export.ReadTimes(r)
	if err != nil {
		return err
	}
	defer func() { _ = times.Close() }()
	parts := export.Parts(r)
	if format == "lm-eval" {
		err := a.Write(filepath.Join(out, export.HarnessResults(times)), func(w io.Writer) error { return export.WriteHarnessResults(w, parts, times) })
		if err != nil {
			return err
		}
	}
	for _, p := range parts {
		left := 0
		type file struct {
			name  string
			write func(io.Writer) error
		}
		files := []file{{p.InspectName(times), func(w io.Writer) error { return p.WriteInspect(w, times) }}}
		if format == "lm-eval" {
			samples := func(w io.Writer) (err error) { left, err = p.WriteHarnessSamples(w); return err }
			files = []file{{"samples_" + p.Task() + ".jsonl", samples}, {p.HarnessData(), p.WriteHarnessData}, {p.Task() + ".yaml", p.WriteHarnessTask}}
		}
		for _, f := range files {
			if err := a.Write(filepath.Join(out, f.name), f.write); err != nil {
				return err
			}
		}
		if left > 0 {
			a.Note("%s: %s without a reply, and left out of the samples", p.Task(), words.Plural(left, "instance is", "instances are"))
		}
	}
	return nil
}
