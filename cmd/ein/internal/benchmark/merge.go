package benchmark

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ein/bench/ask/run"
	"ein/internal/job"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

// sharded maps the name of each verb that has --shard to its constructor.
var sharded = map[string]func(*cli.App, *sharding) *cobra.Command{
	"generate": generateVerb, "verify": verifyVerb, "audit": auditVerb, "eval": evalVerb, "score": scoreVerb, "exec": execVerb,
}

type mergeFlags struct {
	output string
	check  bool
}

func mergeVerb(a *cli.App) *cobra.Command {
	f := &mergeFlags{}
	cmd := &cobra.Command{
		Use:   "merge DIR... -o FILE",
		Short: "Merge shards into one result",
		Long: `Merges the shards in one or more folders into the file that one command would have
made, byte for byte; shards of ein bench eval become the folder of one run. The table
goes to standard output, as with that command.

The shards are checked against their records first: each must be there, follow the
one before, and be unchanged since it was complete. If any is not, merge writes
nothing, lists them in the form that sbatch --array takes, and exits with 5. Otherwise
it also writes FILE.manifest, with the SHA-256 of FILE and of each shard.

For generate, merge also replaces the instances that had to be dropped because an
earlier shard has their structure, or because they clash with --disjoint-from.`,
		Example: `  ein bench generate --split train --per-category 1000 --shard 3/64 -o shards
  ein bench merge shards -o train.jsonl
  ein bench merge shards --check-only`,
		Args: cobra.MinimumNArgs(1),
		RunE: a.Do(func(ctx context.Context, args []string) error { return merge(ctx, a, f, args) }),
	}
	outputFlag(cmd, &f.output)
	cmd.Flags().BoolVar(&f.check, "check-only", false, "check that all shards are complete and intact, and write nothing")
	a.JSONFlag(cmd, "print the table as one JSON object")
	return cmd
}

// merge checks the shards in dirs and has their verb, called with the command line of the plan
// and a sharding that holds them, write what one command would have. Beside a file, a manifest
// names the shards, even if the verb found something wrong with the data.
func merge(ctx context.Context, a *cli.App, f *mergeFlags, dirs []string) error {
	m, err := complete(ctx, a, dirs)
	if err != nil || f.check {
		return err
	}
	verb := m.plan.Command[0]
	verbOf, ok := sharded[verb]
	if !ok {
		return a.Usage("%s is of ein bench %s, which this version of ein cannot merge", filepath.Join(dirs[0], job.PlanFile), verb)
	}
	if verb == "eval" && f.output == "-" {
		return a.Usage("these shards are runs: add -o DIR, a folder for the merged run")
	}
	asJSON := a.JSON // the flag of the verb takes its place
	cmd := verbOf(a, &sharding{merged: m})
	to := "--output=" + f.output
	if verb == "eval" {
		to = "--out=" + f.output
	} else if f.output == "-" && (verb == "score" || verb == "exec") {
		to = "--output="
	}
	line := append(m.plan.Command[1:len(m.plan.Command):len(m.plan.Command)], to)
	if asJSON && cmd.Flags().Lookup("json") != nil {
		line = append(line, "--json")
	}
	cmd.SetArgs(line)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(a.Out)
	cmd.SetErr(a.Err)
	before, _ := os.Stat(f.output)
	err = cmd.ExecuteContext(ctx)
	after, _ := os.Stat(f.output)
	if f.output == "-" || verb == "eval" || err != nil && (after == nil || os.SameFile(before, after)) { // files are replaced
		return err
	}
	if failed := m.manifest(a, f.output); failed != nil {
		return failed
	}
	return err
}

// complete finds the shards in some folders and checks them against their records. It is an error
// if one is missing, unfinished or changed.
func complete(ctx context.Context, a *cli.App, dirs []string) (*merged, error) {
	m := &merged{dirs: dirs}
	for _, dir := range dirs {
		p, err := job.ReadPlan(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, a.Usage("%s has no shards: expected %s, which a command with --shard writes", dir, job.PlanFile)
		case err != nil:
			return nil, err
		case m.plan == nil:
			m.plan = p
		}
		if other, differs := errors.AsType[*job.Other](m.plan.Same(dir, p)); differs {
			return nil, begunOtherwise(a, other, "or put the folders together one by one")
		}
	}
	if len(m.plan.Command) == 0 || m.plan.Shards < 1 || m.plan.Shards > job.MaxShards {
		return nil, a.Usage("%s has no command, or no number of shards", filepath.Join(dirs[0], job.PlanFile))
	}
	bar := a.Progress("checking")
	defer bar.Done()
	show := bar.Counter(0)
	var missing []int
	last := int64(0)
	for i := 1; i <= m.plan.Shards; i++ {
		if ctx.Err() != nil {
			return nil, a.Outside("interrupted; nothing was written")
		}
		file, d, err := m.find(i)
		if err == nil && len(missing) == 0 && d.From != last {
			err = fmt.Errorf("%s begins at %d of %d, and the shard before it ends at %d", file, d.From, m.plan.Total, last)
		} else if err == nil && i == m.plan.Shards && len(missing) == 0 && d.To != m.plan.Total {
			err = fmt.Errorf("%s ends at %d of %d", file, d.To, m.plan.Total)
		}
		if err != nil {
			missing = append(missing, i)
			if !errors.Is(err, fs.ErrNotExist) {
				bar.Done()
				a.Printf("ein: %v\n", err)
			}
			continue
		}
		last = d.To
		m.files, m.done = append(m.files, file), append(m.done, d)
		show(i, m.plan.Shards)
	}
	if n := len(missing); n > 0 {
		are := "are"
		if n == 1 {
			are = "is"
		}
		return nil, a.Outside("%d of %s %s missing or unfinished; the command makes them with\n  --array=%s", n,
			words.Plural(m.plan.Shards, "shard"), are, job.Lists(missing))
	}
	return m, nil
}

// find finds a shard in one of the folders. If it is in none, the error is that of the last folder.
func (m *merged) find(i int) (file string, d *job.Done, err error) {
	for _, dir := range m.dirs {
		file = job.ShardFile(dir, i) + job.ShardLines
		if m.plan.Command[0] == "eval" {
			file = filepath.Join(job.ShardFile(dir, i), run.RepliesFile)
		}
		if d, err = job.Finished(dir, i, file); err == nil {
			break
		}
	}
	return file, d, err
}

// manifest writes which shards a file was merged from, with their hashes.
func (m *merged) manifest(a *cli.App, name string) error {
	size, sum, err := job.SumFile(name)
	if err != nil {
		return cli.Unreadable(name, err)
	}
	type shard struct {
		Items  int    `json:"items"`
		SHA256 string `json:"sha256"`
	}
	list := []shard{}
	root := sha256.New()
	for _, d := range m.done {
		list = append(list, shard{d.Items, d.SHA256})
		root.Write([]byte(d.SHA256 + "\n"))
	}
	b, _ := json.MarshalIndent(struct { // texts and numbers
		Bytes  int64     `json:"bytes"`
		SHA256 string    `json:"sha256"`
		Root   string    `json:"root"` // SHA-256 of the hashes of the shards, one a line
		Plan   *job.Plan `json:"plan"`
		Shards []shard   `json:"shards"`
	}{size, sum, hex.EncodeToString(root.Sum(nil)), m.plan, list}, "", "  ")
	return a.WriteFile(name+".manifest", append(b, '\n'))
}
