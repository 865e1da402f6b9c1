package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"ein"
	"ein/lang/diag"
)

func (a *app) explainCommand() *cobra.Command {
	f, list := &programFlags{}, false
	cmd := &cobra.Command{
		Use:   "explain FILE|CODE",
		Short: "Show the plan of a program, or explain a diagnostic",
		Long: `For a program, shows under each statement the operations that compute it: the
kernel that does the work, the shape and layout of the result, an upper bound of
the operations, and the rewrites that were applied. For the code of a diagnostic,
such as E0203, shows what it means, with an example and its cure.

` + inputHelp,
		Example: `  ein explain program.ein
  ein explain E0101
  ein explain --list`,
		Args: func(cmd *cobra.Command, args []string) error {
			if list {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		ValidArgsFunction: codesOrFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			var err error
			switch {
			case list:
				err = a.listCodes()
			case isCode(args[0]):
				err = a.explainCode(args[0])
			default:
				err = a.explainProgram(args[0], f)
			}
			if err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&list, "list", false, "list the codes of all diagnostics")
	return cmd
}

var codePattern = regexp.MustCompile(`^[EWNewn][0-9]{1,6}$`)

// isCode reports whether an argument is the code of a diagnostic. A file of that
// name, should there be one, is ./E0101.
func isCode(s string) bool {
	if codePattern.MatchString(s) {
		return true
	}
	_, err := os.Stat(s)
	_, known := diag.Nearest(s)
	return err != nil && known && !strings.ContainsAny(s, "./-")
}

func (a *app) listCodes() error {
	var b strings.Builder
	for _, c := range diag.Codes() {
		title := c.Title()
		fmt.Fprintf(&b, "%s  %s\n", c, title)
	}
	return a.print(b.String())
}

func (a *app) explainCode(s string) error {
	page, ok := diag.Explain(diag.Code(s))
	if ok {
		return a.print(page)
	}
	if near, ok := diag.Nearest(strings.ToUpper(s)); ok {
		title := near.Title()
		return a.usage("there is no diagnostic %s; did you mean %s (%s)? `ein explain --list` lists all", s, near, title)
	}
	return a.usage("there is no diagnostic %s; `ein explain --list` lists all", s)
}

func (a *app) explainProgram(name string, f *programFlags) error {
	ctx, stop := a.context(0)
	defer stop()
	p, err := a.load(ctx, name, f, ein.Limits{})
	if err != nil {
		return err
	}
	plan := p.Plan()
	if plan == nil {
		return a.usage("%s is bytecode; `ein dis` lists it", name)
	}
	a.warn(p, nil)
	return a.print(plan.Plan())
}
