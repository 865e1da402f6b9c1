package language

import (
	"context"
	"slices"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"ein"
	"ein/lang"
	"ein/lang/diag"
	"ein/lang/syntax"

	"ein/cmd/ein/internal/cli"
)

type fmtFlags struct{ write, diff, check bool }

func fmtVerb(a *cli.App) *cobra.Command {
	f := &fmtFlags{}
	cmd := &cobra.Command{
		Use:   "fmt [FILE...]",
		Short: "Format programs",
		Long: `Prints programs in canonical form, comments included. Without a file, or for -, it
reads standard input. It leaves a file with syntax errors alone.`,
		Example: `  ein fmt program.ein
  ein fmt -w *.ein
  ein fmt --check *.ein`,
		ValidArgsFunction: sources,
		RunE: a.Do(func(ctx context.Context, args []string) error {
			if len(args) == 0 {
				args = []string{"-"}
			}
			switch {
			case f.write && f.check:
				return a.Usage("--write and --check exclude each other")
			case f.write && slices.Contains(args, "-"):
				return a.Usage("--write needs a file: standard input cannot be written back")
			}
			return eachSource(ctx, a, args, func(name, text string) error { return format(ctx, a, name, text, f) }, a.Fail)
		}),
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "write the result back to the file")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "print what would change")
	cmd.Flags().BoolVar(&f.check, "check", false, "list the files that would change, and exit with 1 if there are any")
	return cmd
}

// format prints a formatted program or, with flags, writes it, shows the difference or reports
// that there is one. A program with syntax errors is left alone.
func format(ctx context.Context, a *cli.App, name, text string, f *fmtFlags) error {
	file := lang.Parse(name, text, lang.Options{Context: ctx})
	out, ok := syntax.Format(file)
	switch {
	case ctx.Err() != nil:
		return nil
	case !ok:
		return &ein.Error{File: file.Source, Diags: slices.DeleteFunc(file.Diags, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })}
	case *f == (fmtFlags{}):
		return a.Print(out)
	case out == text:
		return nil
	}
	if f.check {
		if err := a.Print(name + "\n"); err != nil {
			return err
		}
	}
	if f.diff {
		if err := a.Print(string(diff.Diff(name, []byte(text), name+" (formatted)", []byte(out)))); err != nil {
			return err
		}
	}
	switch {
	case f.write:
		return a.WriteFile(name, []byte(out))
	case f.check:
		return cli.Status(cli.ExitWrong)
	}
	return nil
}
