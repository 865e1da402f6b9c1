package main

import (
	"slices"

	"github.com/spf13/cobra"

	"ein/lang/describe"
	"ein/lang/diag"
)

func (a *app) docCommand() *cobra.Command {
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
		RunE: func(_ *cobra.Command, args []string) error {
			list := describe.Functions()
			var text string
			switch {
			case len(args) == 1:
				i := slices.IndexFunc(list, func(f describe.Function) bool { return f.Name == args[0] })
				if i < 0 {
					return a.unknownFunction(args[0], list)
				}
				if text = list[i].Text(); markdown {
					text = list[i].Markdown()
				}
			case markdown:
				text = describe.Reference(list)
			default:
				text = describe.Contents(list)
			}
			if err := a.print(text); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown; without a name, the whole reference")
	return cmd
}

func (a *app) unknownFunction(name string, list []describe.Function) error {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.Name
	}
	if near, ok := diag.Suggest(name, names); ok {
		return a.usage("there is no function %s; did you mean %s?", name, near)
	}
	return a.usage("there is no function %s; `ein doc` lists all", name)
}
