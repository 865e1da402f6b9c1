package benchmark

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ein/bench/ask/run"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

func repairVerb(a *cli.App) *cobra.Command {
	dryRun := false
	cmd := &cobra.Command{
		Use:   "repair DIR",
		Short: "Find corrupt replies in a run and recover the rest",
		Long: `Checks the replies of a run line by line and lists those that are not as they were
written: damaged by the disk, an editor or an incomplete copy. It moves them to
replies.jsonl.bad and keeps the others byte for byte. A whole reply that follows a
piece of another on one line is recovered.

Resuming the run asks for lost replies again. An unfinished last line needs no repair:
resuming removes it.`,
		Example: "  ein bench repair --dry-run runs/x\n  ein bench repair runs/x",
		Args:    cobra.ExactArgs(1),
		RunE: a.Do(func(_ context.Context, args []string) error {
			found, err := run.Repair(args[0], dryRun)
			if err != nil {
				return cannotRun(a, err)
			}
			return a.Print(repairText(found))
		}),
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "change nothing")
	return cmd
}

// repairText tells what was found in the replies and, if it was repaired, what to do next.
func repairText(r *run.Repaired) string {
	var b strings.Builder
	for _, l := range r.Bad {
		fmt.Fprintf(&b, "line %d, %d bytes at byte %d: %s\n", l.Line, l.Length, l.Offset, shown(l.Reason))
		if l.Tail {
			b.WriteString("  it is the last, and was not written to its end\n")
		} else if l.Salvaged != nil {
			fmt.Fprintf(&b, "  saved from its end: the reply to %s, %s, sample %d\n", shown(l.Salvaged.ID), shown(string(l.Salvaged.Mode)), l.Salvaged.Sample)
		}
	}
	fmt.Fprintf(&b, "%s good, %s damaged, %s missing\n", words.Plural(r.Good, "reply is", "replies are"),
		words.Plural(len(r.Bad), "line is", "lines are"), words.Plural(r.Missing, "reply is", "replies are"))
	switch {
	case len(r.Bad) == 0:
		b.WriteString("There is nothing to repair.\n")
	case r.Done:
		b.WriteString("The damaged lines are in replies.jsonl.bad. Resume the run to ask for what is missing.\n")
	default:
		b.WriteString("Nothing was changed.\n")
	}
	return b.String()
}
