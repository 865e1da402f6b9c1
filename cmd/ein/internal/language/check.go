package language

import (
	"cmp"
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ein"
	"ein/internal/lists"
	"ein/internal/version"
	"ein/internal/words"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/diag"

	"ein/cmd/ein/internal/cli"
)

var formats = []string{"text", "compact", "json", "sarif"}

func checkVerb(a *cli.App) *cobra.Command {
	form, prof := "text", check.Full
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Report errors and warnings without running",
		Long: `Prints every error, warning and note of every program; - is standard input. The text
format goes to standard error, the others to standard output. No data is read:
ein cost --input also checks sizes and nodes.`,
		Example: `  ein check program.ein
  ein check --format sarif *.ein > report.sarif`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: sources,
	}
	cmd.RunE = a.Do(func(ctx context.Context, args []string) error {
		return checkFiles(ctx, a, args, form, cmd.Flags().Changed("profile"), lang.Options{Profile: prof, Context: ctx})
	})
	cli.One(formats...).Flag(cmd, &form, "format", "how to print: "+strings.Join(formats, ", "))
	profileFlag(cmd, &prof)
	return cmd
}

// checkFiles checks files as programs of their own, with what project files say about them, and writes
// one report of all. Unless the command line has chosen a profile, that of a project file applies.
func checkFiles(ctx context.Context, a *cli.App, files []string, form string, chosen bool, opt lang.Options) error {
	var reports []diag.Report
	counts := make([]int, 3)
	report := func(r diag.Report) error {
		for i := range r.List {
			counts[r.List[i].Severity]++
		}
		reports = append(reports, r)
		if r.List.HasErrors() {
			return cli.Status(cli.ExitOf(&ein.Error{Diags: r.List}))
		}
		return nil
	}
	outcome := eachSource(ctx, a, files, func(name, text string) error {
		opt := opt
		said, err := settings("", name)
		if said.Profile != nil && !chosen {
			opt.Profile = *said.Profile
		}
		p := lang.Check(lang.Parse(name, text, opt), opt)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil && !p.Diags.HasErrors() { // else inputs may be missing
			if _, wrong := said.Inputs(lists.Map(p.Inputs, func(in check.Input) string { return in.Name })); wrong != nil {
				err = findings(wrong)
			}
		}
		outcome := report(diag.Report{File: p.File.Source, List: p.Diags, Relations: p.Relations})
		return cmp.Or(err, outcome)
	}, func(err error) error {
		if wrong, ok := errors.AsType[*ein.Error](err); ok {
			if slices.ContainsFunc(reports, func(r diag.Report) bool { return reflect.DeepEqual(r.List, wrong.Diags) }) {
				return nil // of an ein.toml, which another program has as well
			}
			return report(diag.Report{File: wrong.File, List: wrong.Diags})
		}
		return a.Fail(err)
	})
	if err := writeReports(a, reports, form); err != nil {
		return err
	}
	if form == "text" {
		a.Printf("%s: %s, %s, %s\n", words.Plural(len(files), "file"), words.Plural(counts[diag.Error], "error"),
			words.Plural(counts[diag.Warning], "warning"), words.Plural(counts[diag.Note], "note"))
	}
	return outcome
}

// writeReports writes what was found in a form of --format. The text form goes to standard error,
// as compilers do, the others, which programs read, to standard output.
func writeReports(a *cli.App, reports []diag.Report, form string) error {
	return a.Write("-", func(w io.Writer) error {
		switch form {
		case "json":
			return diag.JSON(w, reports...)
		case "sarif":
			return diag.SARIF(w, version.String(), reports...)
		}
		for _, r := range reports {
			switch {
			case len(r.List) == 0:
			case form == "compact":
				if err := diag.Compact(w, r.List, r.File); err != nil {
					return err
				}
			default:
				a.Report(r.File, r.List)
				a.Printf("\n")
			}
		}
		return nil
	})
}
