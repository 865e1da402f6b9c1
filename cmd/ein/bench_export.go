package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ein/bench/result/export"
	"ein/internal/job"
)

func (a *app) benchExportCommand() *cobra.Command {
	format := choice{"jsonl", []string{"jsonl", "inspect", "lm-eval"}}
	out := ""
	cmd := &cobra.Command{
		Use:   "export DIR -o PATH",
		Short: "Write a run in the format of another tool",
		Long: `Writes the run of ein bench eval in DIR for other tools.

  jsonl    a file with a line for each reply, with its question and score
  inspect  a folder of logs that inspect_ai reads and shows, one for each mode and
           encoding: inspect view --log-dir PATH
  lm-eval  a folder with, for each mode and encoding, the samples as
           lm-evaluation-harness has them, a task for it, and the task's data

The scores are those of the run; nothing is scored by another tool's rules. A run is
exported as it is, complete or not.`,
		Example: `  ein bench export runs/x -o x.jsonl
  ein bench export --format inspect runs/x -o logs`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.benchExport(args[0], format.value, out); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	cmd.Flags().Var(&format, "format", "format: jsonl, inspect or lm-eval")
	cmd.Flags().StringVarP(&out, "output", "o", "", "`file` of jsonl (- is standard output), or folder of the others")
	if err := cmd.MarkFlagRequired("output"); err != nil {
		panic("BUG: ein: " + err.Error())
	}
	complete(cmd, "format", format.values...)
	return cmd
}

func (a *app) benchExport(dir, format, out string) error {
	r, err := a.readRun(dir)
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
		a.printf("ein: note: %s not scored; `ein bench score %s` scores them\n", pluralVerb(unscored, "reply is", "replies are"), dir)
	}
	if format == "jsonl" {
		write := func(w io.Writer) error { return export.WriteLines(w, r) }
		if out == "-" {
			return a.wrote(buffered(a.out, write))
		}
		return exportFile(out, write)
	}
	if out == "-" {
		return a.usage("%s is a folder of files: give -o a name", format)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("cannot make the folder %s: %w", out, cause(err))
	}
	times, err := export.ReadTimes(dir)
	if err != nil {
		return err
	}
	for _, p := range export.Parts(r) {
		if format == "inspect" {
			name, err := p.InspectName(times)
			if err == nil {
				err = exportFile(filepath.Join(out, name), func(w io.Writer) error { return p.WriteInspect(w, times) })
			}
			if err != nil {
				return err
			}
			continue
		}
		left := 0
		samples := func(w io.Writer) (err error) { left, err = p.WriteHarnessSamples(w); return err }
		for _, f := range []struct {
			name  string
			write func(io.Writer) error
		}{
			{"samples_" + p.Task() + ".jsonl", samples},
			{p.HarnessData(), p.WriteHarnessData},
			{p.Task() + ".yaml", p.WriteHarnessTask},
		} {
			if err := exportFile(filepath.Join(out, f.name), f.write); err != nil {
				return err
			}
		}
		if left > 0 {
			a.printf("ein: note: %s: %s without a reply left out of the samples\n", p.Task(), pluralVerb(left, "instance is", "instances are"))
		}
	}
	return nil
}

func exportFile(name string, write func(io.Writer) error) error {
	if err := job.Replace(name, write); err != nil {
		return fmt.Errorf("cannot write %s: %w", name, cause(err))
	}
	return nil
}

func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}
