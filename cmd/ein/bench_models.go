package main

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
	"ein/internal/stats/show"
	"ein/internal/table"
	"ein/lang/diag"
)

func (a *app) benchModelsCommand() *cobra.Command {
	asJSON, file := false, ""
	cmd := &cobra.Command{
		Use:   "models [NAME...]",
		Short: "Say which models are known, and what may be sent to them",
		Long: `Prints the models that have a profile, by the ids of their providers: what each takes
of the parameters of ` + "`ein bench eval`" + `, and the day on which the provider says that it
ends. With names only those whose id has one of them in it. --json prints the built-in
profiles with their sources and dates, as a file.

A file of that form is given with --profiles, here and to ` + "`ein bench eval`" + `. Its profiles go
before the built-in ones, so that it needs only what is new or wrong. The numbers -1 stand
for no limit that is known.`,
		Example: `  ein bench models claude
  ein bench models --json > profiles.json
  ein bench models --profiles profiles.json gpt-7`,
		RunE: func(_ *cobra.Command, names []string) error {
			switch {
			case asJSON && (file != "" || len(names) > 0):
				return a.fail(a.usage("--json prints the built-in profiles, all of them"))
			case asJSON:
				_, err := a.out.Write(model.BuiltIn())
				return a.wrote(err)
			}
			ctx, stop := a.context(0)
			defer stop()
			own, err := a.readProfiles(ctx, file)
			if err != nil {
				return a.fail(err)
			}
			return a.print(modelTable(own, names))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the built-in profiles as a file")
	cmd.Flags().StringVar(&file, "profiles", "", "`file` of profiles that go before the built-in ones")
	return cmd
}

// readProfiles reads a file of profiles; no name is none.
func (a *app) readProfiles(ctx context.Context, name string) ([]model.Profile, error) {
	if name == "" {
		return nil, nil
	}
	in, err := a.open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	own, err := model.ReadProfiles(in)
	if err != nil {
		return nil, inputProblem(newFinding("", diag.Error, in.name, 0, 0, cause(err).Error(), "`ein bench models --json` prints such a file."))
	}
	return own, nil
}

// modelTable is a line for each model whose id has one of the names in it.
func modelTable(own []model.Profile, names []string) string {
	rows := [][]string{{"model", "temperature", "top_p", "seed", "stop", "effort", "thinking", "ends", "profile"}}
	yes := map[bool]string{true: "yes", false: show.None}
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
			stop := show.None
			if p.Stops > 0 {
				stop = most(p.Stops)
			}
			temperature := show.None
			if p.Temperature > 0 {
				temperature = "0 to " + most(int(p.Temperature))
				if p.SampleWith != "" {
					temperature = "with effort " + p.SampleWith
				} else if p.Either {
					temperature += ", or top_p"
				}
			}
			rows = append(rows, []string{full, temperature, yes[p.TopP], yes[p.Seed], stop, cmp.Or(strings.Join(p.Efforts, " "), show.None), thinkingText(p.Thinking), cmp.Or(p.Models[id], show.None), p.Name})
		}
	}
	if len(rows) == 1 {
		return "No model has that in its id; a model without a profile is sent what the format has, and the server decides.\n"
	}
	return table.Of(rows).Text()
}

// most is a limit, which -1 in a file is none of.
func most(n int) string {
	if n >= model.Anything {
		return "any"
	}
	return strconv.Itoa(n)
}

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
	return cmp.Or(strings.Join(s, ", "), show.None)
}
