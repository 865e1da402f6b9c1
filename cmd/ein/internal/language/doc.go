package language

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"ein/lang/describe"
	"ein/repl"

	"ein/cmd/ein/internal/cli"
)

func docVerb(a *cli.App) *cobra.Command {
	markdown, card := false, false
	cmd := &cobra.Command{
		Use:   "doc [NAME]",
		Short: "Show documentation for a function, diagnostic or topic",
		Long: `Lists all functions, or describes one name: a function, with an example and its
output; a diagnostic code; a keyword such as def; or a topic. ein doc topics lists
the topics.`,
		Example: `  ein doc
  ein doc tc
  ein doc limits
  ein doc rules --card
  ein doc --markdown > reference.md`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: functionNames,
		RunE: a.Do(func(_ context.Context, args []string) error {
			list := describe.Functions()
			switch {
			case card && (len(args) == 0 || args[0] != "rules"):
				return a.Usage("--card is for `ein doc rules`; there is no other card")
			case len(args) == 1:
				i := slices.IndexFunc(list, func(f describe.Function) bool { return f.Name == args[0] })
				if i < 0 || !markdown {
					return Page(a, args[0])
				}
				return a.Print(list[i].Markdown())
			case markdown:
				return a.Print(describe.Reference(list))
			}
			return a.Print(describe.Contents(list))
		}),
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown; without a name, the whole reference")
	cmd.Flags().BoolVar(&card, "card", false, "print a twelve-line summary of rules for language models")
	return cmd
}

// Page prints the page about a name.
func Page(a *cli.App, name string) error {
	page, err := repl.Page(name)
	if err != nil {
		return a.Usage("%v", err)
	}
	return a.Print(page)
}
