// Package benchmark implements the verbs of ein bench, one file each.
//
// # A verb
//
// A verb is two functions. The first, such as evalVerb, declares a command: its help, its flags
// in a struct of their own, and RunE, which is [cli.App.Do]. The second, such as evaluate, checks
// the flags, turns them into the options of a package under bench, calls it, and prints what it
// returns as a table or, with --json, as an object. Nothing is computed here: packages of bench
// give the numbers, package table their layout. [Verb] lists the verbs in the groups of the help.
//
// Verbs share these files:
//
//	bench.go    flags that several verbs have; refusing an output that is also an input
//	run.go      opening runs and files of instances; errors of the packages as messages
//	judge.go    judging a file of replies: score and exec, and diagnose without a run
//	sandbox.go  the sandbox for Python programs, opened only when the first one comes
//	shard.go    one part of N of a verb's work
//
// # What a stopped command leaves
//
// A verb that writes records writes them through records (judge.go): a part, which a later
// command resumes, a file that appears once it is complete, or nothing. A part records what it is
// made from, and a command with other inputs is refused. A verb stopped for a reason outside its
// data exits with [cli.ExitOutside]; the same command then does the rest. Items are judged out of
// order but written in order, so a resumed file has the bytes of one written at once.
//
// # Shards
//
// Verbs with --shard have a sharding, which says what they do: all of the work, one shard, or, in
// ein bench merge, what remains when all shards are there. sharding.begin writes or checks the
// plan, sharding.make writes a shard and its record, and ofLines divides a file of lines by its
// bytes. Merge (merge.go) calls the verb with the finished shards in sharding.merged, and the
// verb writes what one command would have written, byte for byte. Submit starts the shards by an
// engine: processes on this machine, Slurm or Kubernetes.
package benchmark

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"ein/bench/ask/run"
	"ein/bench/question/category"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/bind"
	"ein/lang/diag"

	"ein/cmd/ein/internal/cli"
)

// Verb returns the command "ein bench", with its verbs if named.
func Verb(a *cli.App, named bool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Generate questions about graphs, ask models, score and compare",
		Long: fmt.Sprintf(`ClosureBench asks questions about graphs and computes the answers: %d categories
on three levels of composition. An instance is one line of JSON with the question,
the graph, the answer and the programs that compute it. Its id alone regenerates it,
byte for byte.`, len(category.Table)),
		Example: `  ein bench generate --seed 42 --split heldout -o heldout.jsonl
  ein bench show cb1-heldout-reachability-17-s42
  ein bench eval --model baseline:noisy-ein@0.1 --mode ein --instances heldout.jsonl --out runs/noisy
  ein bench report runs/noisy -o report`,
		Args: cli.Verb,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	if !named {
		return cmd
	}
	for i, g := range []struct {
		title string
		verbs []*cobra.Command
	}{
		{"Instances:", []*cobra.Command{generateVerb(a, &sharding{}), showVerb(a), verifyVerb(a, &sharding{}), statsVerb(a), auditVerb(a, &sharding{}), sftVerb(a), releaseVerb(a)}},
		{"Models and runs:", []*cobra.Command{evalVerb(a, &sharding{}), repairVerb(a), exportVerb(a), modelsVerb(a), fakeProviderVerb(a)}},
		{"Scores:", []*cobra.Command{scoreVerb(a, &sharding{}), execVerb(a, &sharding{}), diagnoseVerb(a)}},
		{"Results:", []*cobra.Command{reportVerb(a), compareVerb(a), leaderboardVerb(a), watchVerb(a), memorizationVerb(a)}},
		{"Many machines:", []*cobra.Command{mergeVerb(a), submitVerb(a)}},
	} {
		id := strconv.Itoa(i)
		cmd.AddGroup(&cobra.Group{ID: id, Title: g.title})
		for _, c := range g.verbs {
			c.GroupID = id
			cmd.AddCommand(c)
		}
	}
	return cmd
}

func instancesFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "instances", "", "`file` of instances (- is standard input)")
}

func outputFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVarP(to, "output", "o", "-", "`file` to write; - is standard output")
}

func plotFlag(cmd *cobra.Command, to *string, what string) {
	cmd.Flags().StringVar(to, "plot", "", "write "+what+" as a figure in SVG to this `file`")
}

// pickFlags declares the flags that choose answers of a run; suffix tells runs apart.
func pickFlags(cmd *cobra.Command, mode *prompt.Mode, encoding *surface.Encoding, suffix, of string) {
	cli.One(prompt.Modes()...).Flag(cmd, mode, "mode"+suffix, "only answers"+of+" in this `mode`: direct, cot, ein, python, rules, ein-tool")
	cli.One(surface.Encodings()...).Flag(cmd, encoding, "encoding"+suffix, "only answers"+of+" to this `encoding`: nl, json, matrix")
}

// paperPrompts is the value of --prompts that selects the prompts of the paper.
const paperPrompts = "builtin:paper"

// promptsFlag declares the flag for a folder that replaces prompts of the benchmark.
func promptsFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "prompts", "", "`folder` of other prompts, or "+paperPrompts+" for those of the paper")
}

// prompts returns the prompts that --prompts selects. The paper has none for some modes.
func prompts(a *cli.App, dir string, modes []prompt.Mode) (prompt.Prompts, error) {
	p := prompt.DefaultPrompts()
	switch dir {
	case "":
	case paperPrompts:
		p = prompt.PaperPrompts()
		for _, m := range modes {
			if p[m] == "" {
				return p, a.Usage("the paper prints no prompt for the mode %s: leave it out, or give a folder with %s.md", m, m)
			}
		}
	default:
		if err := p.Override(os.DirFS(dir)); err != nil {
			return p, cli.Input("", dir, 0, fmt.Sprintf("the folder of prompts cannot be used: %v", bind.Cause(err)), "")
		}
	}
	return p, nil
}

// shown makes text from a provider or a file safe for a terminal.
func shown(s string) string {
	s, _ = diag.Display(s)
	return s
}

// kept returns an error if the output would overwrite an input: a file, or one in the folder of a run.
func kept(a *cli.App, output string, inputs ...string) error {
	if slices.ContainsFunc(inputs, func(in string) bool {
		return cli.SameFile(in, output) || slices.ContainsFunc(run.Files, func(name string) bool { return cli.SameFile(filepath.Join(in, name), output) })
	}) {
		return a.Usage("%s is also an input and would be overwritten", output)
	}
	return nil
}

// twice returns the first folder that is given twice, or "".
func twice(dirs []string) string {
	for i, dir := range dirs {
		if slices.ContainsFunc(dirs[:i], func(other string) bool { return cli.SameFile(dir, other) }) {
			return dir
		}
	}
	return ""
}
