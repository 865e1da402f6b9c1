package language

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"ein"
	"ein/lang/diag"

	"ein/cmd/ein/internal/cli"
)

func explainVerb(a *cli.App) *cobra.Command {
	list := false
	cmd := programVerb(a, &cobra.Command{
		Use:   "explain FILE|CODE",
		Short: "Show the plan of a program, or explain a diagnostic",
		Long: `For a program, shows the operations that compute each statement: the kernel, the
shape and layout of the result, an upper bound on operations, and the rewrites that
were applied. For a diagnostic code such as E0203, says what it means and how to fix
it, with an example.`,
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
	}, func(ctx context.Context, name string, f *programFlags) error {
		p, err := load(ctx, a, name, f, ein.Limits{})
		if err != nil {
			return err
		}
		plan := p.Plan()
		if plan == nil {
			return a.Usage("%s is bytecode; `ein dis` lists it", name)
		}
		warn(a, p, nil)
		return a.Print(plan.Plan())
	})
	cmd.Flags().BoolVar(&list, "list", false, "list all diagnostic codes")
	plan := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error { // a page has no ein.toml, which it may be about
		switch {
		case list:
			return a.Fail(listCodes(a))
		case isCode(args[0]):
			return a.Fail(explainCode(a, args[0]))
		}
		return plan(cmd, args)
	}
	return cmd
}

var codePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[EWNewn][0-9]{1,6}$`) })

// isCode reports whether an argument is the code of a diagnostic. A file of that name is ./E0101.
func isCode(s string) bool {
	if codePattern().MatchString(s) {
		return true
	}
	_, err := os.Stat(s)
	_, known := diag.Nearest(s)
	return err != nil && known && !strings.ContainsAny(s, "./-")
}

func listCodes(a *cli.App) error {
	var b strings.Builder
	for _, c := range diag.Codes() {
		fmt.Fprintf(&b, "%s  %s\n", c, c.Title())
	}
	return a.Print(b.String())
}

// explainCode prints the page of a diagnostic, or suggests a code near one that does not exist.
func explainCode(a *cli.App, s string) error {
	page, ok := diag.Explain(diag.Code(s))
	if ok {
		return a.Print(page)
	}
	if near, ok := diag.Nearest(strings.ToUpper(s)); ok {
		return a.Usage("there is no diagnostic %s; did you mean %s (%s)? `ein explain --list` lists all", s, near, near.Title())
	}
	return a.Usage("there is no diagnostic %s; `ein explain --list` lists all", s)
}
