package main

import (
	"context"
	"fmt"
	"io"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"ein/lang"
	"ein/lang/diag"
	"ein/lang/syntax"
)

type fmtFlags struct{ write, diff, check bool }

func (a *app) fmtCommand() *cobra.Command {
	f := &fmtFlags{}
	cmd := &cobra.Command{
		Use:   "fmt [FILE...]",
		Short: "Print programs in their one canonical form",
		Long: `Prints programs in the one canonical form, comments included. Without a file, or
for -, it reads standard input. A file with syntax errors is left alone.`,
		Example: `  ein fmt program.ein
  ein fmt -w *.ein
  ein fmt --check *.ein`,
		ValidArgsFunction: sources,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"-"}
			}
			if f.write && f.check {
				return a.usage("--write and --check exclude each other")
			}
			return a.format(args, f)
		},
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "write the result back to the file")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "print what would change")
	cmd.Flags().BoolVar(&f.check, "check", false, "print the files that would change and exit with 1")
	return cmd
}

// format formats every file, even after one that it could not.
func (a *app) format(files []string, f *fmtFlags) error {
	ctx, stop := a.context(0)
	defer stop()
	exit := exitOK
	for _, name := range files {
		if ctx.Err() != nil {
			exit = worse(exit, a.failCode(stopped(ctx)))
			break
		}
		if f.write && name == "-" {
			return a.usage("--write needs a file: standard input cannot be written back")
		}
		changed, err := a.formatFile(ctx, name, f)
		switch {
		case err != nil:
			exit = worse(exit, a.failCode(err))
		case changed && f.check:
			exit = exitWrong
		}
	}
	if exit != exitOK {
		return status(exit)
	}
	return nil
}

func (a *app) formatFile(ctx context.Context, name string, f *fmtFlags) (changed bool, err error) {
	text, shown, err := a.source(ctx, name)
	if err != nil {
		return false, err
	}
	file := lang.Parse(shown, text, lang.Options{Context: ctx})
	out, ok := syntax.Format(file)
	if ctx.Err() != nil {
		return false, stopped(ctx)
	}
	if !ok {
		var errors diag.List
		for i := range file.Diags {
			if file.Diags[i].Severity == diag.Error {
				errors = append(errors, file.Diags[i])
			}
		}
		return false, programProblem(file.Source, errors)
	}
	changed = out != text
	if f.check && changed {
		err = a.print(shown + "\n")
	}
	if err == nil && f.diff && changed {
		err = a.print(string(diff.Diff(shown, []byte(text), shown+" (formatted)", []byte(out))))
	}
	if err == nil && f.write && changed {
		if err := replaceFile(name, []byte(out)); err != nil {
			return changed, fmt.Errorf("cannot write %s: %w", name, cause(err))
		}
	}
	if err == nil && *f == (fmtFlags{}) {
		err = a.print(out)
	}
	return changed, err
}

// print writes a result; what goes wrong is an error to fail with.
func (a *app) print(s string) error {
	if _, err := io.WriteString(a.out, s); err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	return nil
}
