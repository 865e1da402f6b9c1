package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ein/internal/version"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/diag"
)

// format is the value of --format.
type format string

var formats = []string{"text", "compact", "json", "sarif"}

func (f *format) String() string { return string(*f) }

// Type names the value in the help.
func (f *format) Type() string { return "name" }

// Set implements the flag.
func (f *format) Set(s string) error {
	if !slices.Contains(formats, s) {
		return fmt.Errorf("expected %s", strings.Join(formats, ", "))
	}
	*f = format(s)
	return nil
}

func (a *app) checkCommand() *cobra.Command {
	form, prof := format("text"), profile(check.Full)
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Print the diagnostics of programs without running them",
		Long: `Prints every error, warning and note of every program. With the format text they
go to standard error, and with the others to standard output. Inputs need not be
bound: their sizes are then not checked. Standard input is -.`,
		Example: `  ein check program.ein
  ein check --format sarif *.ein > report.sarif`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: sources,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.check(args, form, check.Profile(prof))
		},
	}
	cmd.Flags().Var(&form, "format", "how to print: "+strings.Join(formats, ", "))
	complete(cmd, "format", formats...)
	profileFlag(cmd, &prof)
	return cmd
}

func (a *app) check(files []string, form format, prof check.Profile) error {
	ctx, stop := a.context(0)
	defer stop()
	exit := exitOK
	opt := lang.Options{Profile: prof, Context: ctx}
	var reports []diag.Report
	counts := make([]int, 3)
	for _, name := range files {
		if ctx.Err() != nil {
			exit = worse(exit, a.failCode(stopped(ctx)))
			break
		}
		text, shown, err := a.source(ctx, name)
		if err != nil {
			exit = worse(exit, a.failCode(err))
			continue
		}
		p := lang.Check(lang.Parse(shown, text, opt), opt)
		if ctx.Err() != nil {
			exit = worse(exit, a.failCode(stopped(ctx)))
			break
		}
		for i := range p.Diags {
			counts[p.Diags[i].Severity]++
		}
		if p.Diags.HasErrors() {
			exit = worse(exit, programProblem(p.File.Source, p.Diags).exit)
		}
		reports = append(reports, diag.Report{File: p.File.Source, List: p.Diags})
	}
	if err := a.writeReports(reports, form); err != nil {
		return a.wrote(err)
	}
	if form == "text" {
		a.printf("%s: %s, %s, %s\n", plural(len(files), "file"), plural(counts[diag.Error], "error"),
			plural(counts[diag.Warning], "warning"), plural(counts[diag.Note], "note"))
	}
	if exit != exitOK {
		return status(exit)
	}
	return nil
}

func (a *app) writeReports(reports []diag.Report, form format) error {
	switch form {
	case "json":
		return diag.JSON(a.out, reports...)
	case "sarif":
		return diag.SARIF(a.out, version.String(), reports...)
	}
	for _, r := range reports {
		if len(r.List) == 0 {
			continue
		}
		if form == "compact" {
			if err := diag.Compact(a.out, r.List, r.File); err != nil {
				return err
			}
			continue
		}
		a.report(r.File, r.List)
		a.printf("\n")
	}
	return nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
