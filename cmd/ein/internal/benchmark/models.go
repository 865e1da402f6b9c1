package benchmark

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ein/bench/ask/model"

	"ein/bind"
	"ein/internal/table"

	"ein/cmd/ein/internal/cli"
)

// none stands for a missing value in a table.
const none = "-"

func modelsVerb(a *cli.App) *cobra.Command {
	file := ""
	cmd := &cobra.Command{
		Use:   "models [NAME...]",
		Short: "List known models and the parameters they accept",
		Long: `Lists the models that have a profile, by provider id: the parameters of
` + "`ein bench eval`" + ` that each accepts, and its retirement date if the provider has
announced one. With names, it lists only models whose id contains one of them. --json
prints the built-in profiles with their sources and dates.

That output is also the format of --profiles, here and in ` + "`ein bench eval`" + `. Its profiles
take precedence, so the file needs only what is new or wrong. The number -1 means that no
limit is known.`,
		Example: `  ein bench models claude
  ein bench models --json > profiles.json
  ein bench models --profiles profiles.json gpt-7`,
		RunE: a.Do(func(ctx context.Context, names []string) error {
			switch {
			case a.JSON && (file != "" || len(names) > 0):
				return a.Usage("--json prints the built-in profiles, all of them")
			case a.JSON:
				return a.Print(model.BuiltIn)
			}
			own, err := readProfiles(ctx, a, file)
			if err != nil {
				return err
			}
			return a.Print(modelTable(own, names))
		}),
	}
	cmd.Flags().StringVar(&file, "profiles", "", "`file` of profiles that take precedence over the built-in ones")
	a.JSONFlag(cmd, "print the built-in profiles as a file")
	return cmd
}

// readProfiles reads a file of profiles. An empty name means none.
func readProfiles(ctx context.Context, a *cli.App, name string) (own []model.Profile, err error) {
	if name == "" {
		return nil, nil
	}
	err = a.Through(ctx, "reading", name, func(f *cli.File) error {
		if own, err = model.ReadProfiles(f); err != nil {
			return cli.Input("", f.Name(), 0, bind.Cause(err).Error(), "`ein bench models --json` prints such a file.")
		}
		return nil
	})
	return own, err
}

// modelTable has a line for each model whose id contains one of the names.
func modelTable(own []model.Profile, names []string) string {
	rows := [][]string{{"model", "temperature", "top_p", "seed", "stop", "effort", "thinking", "ends", "profile"}}
	yes := map[bool]string{true: "yes", false: none}
	seen := map[string]bool{}
	for _, p := range model.Profiles(own) {
		ids := slices.Sorted(maps.Keys(p.Models))
		if len(ids) == 0 && len(names) == 0 {
			ids = []string{"*"}
		}
		for _, id := range ids {
			full := p.Provider + ":" + id
			if seen[full] && id != "*" || len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(full, n) }) {
				continue
			}
			seen[full] = true
			stop := none
			if p.Stops > 0 {
				stop = most(p.Stops)
			}
			temperature := none
			if p.Temperature > 0 {
				temperature = "0 to " + most(int(p.Temperature))
				if p.SampleWith != "" {
					temperature = "with effort " + p.SampleWith
				} else if p.Either {
					temperature += ", or top_p"
				}
			}
			rows = append(rows, []string{full, temperature, yes[p.TopP], yes[p.Seed], stop, cmp.Or(strings.Join(p.Efforts, " "), none), thinkingText(p.Thinking), cmp.Or(p.Models[id], none), p.Name})
		}
	}
	if len(rows) == 1 {
		return "No model has that in its id; a model without a profile is sent what the format has, and the server decides.\n"
	}
	return table.Of(rows).Text()
}

// most formats a limit. It is "any" for -1, which means no limit in profile files.
func most(n int) string {
	if n >= model.Anything {
		return "any"
	}
	return strconv.Itoa(n)
}

// thinkingText lists the reasoning budgets that a model takes, as --thinking has them.
func thinkingText(t model.Thinking) string {
	var s []string
	if t.Max > 0 {
		s = append(s, fmt.Sprintf("%d to %s", t.Min, most(t.Max)))
	}
	if t.Off {
		s = append(s, "0")
	}
	if t.Auto {
		s = append(s, "-1")
	}
	return cmp.Or(strings.Join(s, ", "), none)
}
