package language

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"ein/lang/describe"
	"ein/lang/diag"

	"ein/cmd/ein/internal/cli"
)

func docVerb(a *cli.App) *cobra.Command {
	markdown := false
	cmd := &cobra.Command{
		Use:   "doc [NAME]",
		Short: "Describe the functions of the language",
		Long:  "Lists all functions, or describes one with an example and what it prints.",
		Example: `  ein doc
  ein doc tc
  ein doc --markdown > reference.md`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: functionNames,
		RunE: a.Do(func(_ context.Context, args []string) error {
			list := describe.Functions()
			switch {
			case len(args) == 1:
				i := slices.IndexFunc(list, func(f describe.Function) bool { return f.Name == args[0] })
				switch {
				case i < 0:
					return unknownFunction(a, args[0], list)
				case markdown:
					return a.Print(list[i].Markdown())
				}
				return a.Print(list[i].Text())
			case markdown:
				return a.Print(describe.Reference(list))
			}
			return a.Print(describe.Contents(list))
		}),
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown; without a name, the whole reference")
	return cmd
}

func unknownFunction(a *cli.App, name string, list []describe.Function) error {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.Name
	}
	if near, ok := diag.Suggest(name, names); ok {
		return a.Usage("there is no function %s; did you mean %s?", name, near)
	}
	return a.Usage("there is no function %s; `ein doc` lists all", name)
}
