// Command ein checks, explains and runs programs of the tensor-logic language Ein.
// Results go to standard output, everything else to standard error.
//
// The verbs stand in three packages: language for programs, benchmark for ein bench, and
// serving for servers. Package cli has what they share.
package main

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"ein/internal/version"
	"ein/lang"

	"ein/cmd/ein/internal/benchmark"
	"ein/cmd/ein/internal/cli"
	"ein/cmd/ein/internal/language"
	"ein/cmd/ein/internal/serving"
)

func main() {
	a, args := cli.New(), os.Args[1:]
	if runtime.GOOS == "windows" {
		args = expanded(args)
	}
	os.Exit(a.Execute(root(a, args), args))
}

// expanded replaces *.ein by the files, which the shells of Windows leave to the program. What stands for
// no file stays.
func expanded(args []string) (list []string) {
	for _, arg := range args {
		files := []string{arg}
		if found, err := filepath.Glob(arg); err == nil && len(found) > 0 && strings.Contains(arg, "*") {
			files = found
		}
		list = append(list, files...)
	}
	return list
}

const rootHelp = `Ein is a language for questions about graphs and tensors, in which a logical rule
and an Einstein summation are the same operation. Every program ends, and its cost
is bounded before it runs.

Exit codes: 0 success, 1 the program or its data is wrong, 2 wrong command line,
3 a bug in ein, 4 refused or stopped by a limit, 5 part of the work failed for an
outside reason (a provider, an interrupt, a full disk, no Python with networkx, no
sandbox), and the same command resumes it`

// root returns the command ein with the verbs that args may need. Without a verb it is a session.
func root(a *cli.App, args []string) *cobra.Command {
	// A flag of our own: that of cobra needs text/template to print as we do, whose
	// calls by name make the linker keep every method of the binary, 5 MB of them.
	var asked bool
	root := &cobra.Command{
		Use:   "ein",
		Short: "Run, check and explain tensor-logic programs",
		Long:  rootHelp,
		Example: `  ein run program.ein
  ein run program.ein --input A=transfers.csv --labels
  ein check *.ein
  ein doc tc`,
		Args:          cli.Verb,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asked {
				return a.Fail(a.Print(version.Line(lang.Version) + "\n"))
			}
			session, _, err := cmd.Root().Find([]string{"repl"})
			if err != nil {
				return err
			}
			return session.RunE(session, nil)
		},
	}
	root.Flags().BoolVarP(&asked, "version", "v", false, "version for ein")
	a.ColorFlag(root)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(helpVerb(a))
	verbs := language.Verbs()
	maps.Copy(verbs, serving.Verbs(language.Tables()))
	verbs["bench"] = func(a *cli.App) *cobra.Command { return benchmark.Verb(a, len(args) > 0) }
	// To make them all takes as long as many a run, so a verb that is named first is made alone.
	if len(args) > 0 && verbs[args[0]] != nil {
		verbs = cli.Verbs{args[0]: verbs[args[0]]}
	}
	for _, verb := range verbs {
		root.AddCommand(verb(a))
	}
	return root
}

// helpVerb is cobra's, but what is no verb is a name of the language, or an error.
func helpVerb(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB|NAME]",
		Short: "Show help for a verb, function, diagnostic or topic",
		Example: `  ein help run
  ein help wdist
  ein help E0203
  ein help topics`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			verb, rest, err := cmd.Root().Find(args)
			for _, c := range verb.Commands() {
				if err == nil && len(rest) == 0 && c.IsAvailableCommand() {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			verb, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return a.Fail(language.Page(a, strings.Join(args, " ")))
			}
			return verb.Help()
		},
	}
}
