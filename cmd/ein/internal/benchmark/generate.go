package benchmark

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/sensitivity"
	"ein/bench/question/surface"
	"ein/bind"
	"ein/internal/codes"
	"ein/internal/job"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

// generateFlags holds the flags of ein bench generate. id is the part that all instances have in
// common: all of an id but the category and the index.
type generateFlags struct {
	*sharding
	id                             instance.ID
	perCategory                    uint64
	categories, levels             []string
	phrasing, output               string
	generator, preset, set         string
	disjointFrom                   []string
	part                           [2]int
	disjointSurface, sweep, resume bool
	sensitivity                    bool
	minSensitivity                 float64
}

// set is a named split of the paper: total instances, spread evenly over the categories or, with
// evenByLevels, over the levels and then over the categories of each.
type set struct {
	split        string
	part, total  int // of the halves of labels and domains
	evenByLevels bool
}

var sets = map[string]set{
	"paper-train":     {"train", 1, 1300, false},
	"paper-extra":     {"train_extra", 1, 2500, false},
	"paper-heldout":   {"heldout", 2, 1300, false},
	"paper-encodings": {"heldout", 2, 200, true},
}

// counts returns the number of instances of each category.
func (s set) counts(names []string) map[string]int {
	if s.evenByLevels {
		return category.Evenly(names, func(string) int { return s.total }, s.total)
	}
	counts := map[string]int{}
	for i := range s.total {
		counts[names[i%len(names)]]++
	}
	return counts
}

// --sweep goes through these sizes, in steps of sweepStep.
var sweep = instance.Range{Min: 4, Max: 20}

const sweepStep = 2

// generateVerb declares ein bench generate. Defaults of --n, --density and --phrasing depend on the
// generator, the preset and the set, so they are found when the command runs.
func generateVerb(a *cli.App, s *sharding) *cobra.Command {
	f := &generateFlags{sharding: s, id: instance.ID{Seed: 1, Encoding: surface.NL}, perCategory: 50, generator: instance.Default}
	cmd := &cobra.Command{
		Use:   "generate [-o FILE]",
		Short: "Generate instances",
		Long: `Generates instances, one line of JSON each, in the order of the categories. The same
command line gives the same bytes on every machine. FILE appears once it is complete;
with --resume, an interrupted command keeps its work in FILE.part, and the same command
line resumes it.

With --disjoint-from, generate skips an instance if its id is in a FILE, or if its
graph and query are isomorphic to one there in the same category, and prints a proof
that none is left. With --disjoint-surface, labels and domains come from one of two
halves or, given --disjoint-from, from the part that those instances do not use;
kinship keeps its words.

The sensitivity of an instance is the share of single edge drops, additions and
reversals that change its answer: all of them up to 10 nodes, a seeded sample of 200
beyond. --sensitivity writes it to a file beside FILE (heldout.sensitivity.jsonl for
heldout.jsonl); --min-sensitivity skips instances below a minimum.

` + shardHelp + `

` + idHelp,
		Example: `  ein bench generate --seed 42 --split heldout -o heldout.jsonl
  ein bench generate --seed 7 --split train --disjoint-surface -o train.jsonl
  ein bench generate --seed 8 --split fresh --disjoint-surface --disjoint-from train.jsonl -o fresh.jsonl
  ein bench generate --set paper-train --seed 42 -o train.jsonl
  ein bench generate --seed 42 --split sizes --sweep -o sizes.jsonl
  ein bench generate --seed 1 --categories cousin,reachability --n 20 --per-category 3`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	cmd.RunE = a.Do(func(ctx context.Context, _ []string) error {
		if !flags.Changed("surface-seed") {
			f.id.SurfaceSeed = f.id.Seed
		}
		if f.set != "" {
			s := sets[f.set]
			f.generator, f.id.Split, f.part = instance.Version, s.split, [2]int{s.part, 2}
		}
		standard, err := instance.Standard(f.generator, "", "", 0, 0)
		switch {
		case err != nil:
			return a.Usage("%v", err)
		case f.preset != "" && f.generator != instance.Default:
			return a.Usage("--preset is of %s; %s has the sizes of the paper", instance.Default, f.generator)
		case f.preset != "":
			standard = instance.PresetID(f.preset, "", "", 0, 0)
		}
		f.id.Version, f.id.Explicit = standard.Version, standard.Explicit
		if !flags.Changed("n") {
			f.id.N = standard.N
			if f.sweep {
				f.id.N = sweep
			}
		}
		if !flags.Changed("density") {
			f.id.Density = standard.Density
		}
		if f.phrasing != "" {
			f.id.Explicit = f.phrasing == "explicit"
		}
		f.id.Part, f.id.Parts = f.part[0], f.part[1]
		return f.stopped(ctx, a, generate(ctx, a, f))
	})
	cli.Seed.Flag(cmd, &f.id.Seed, "seed", "seed; each gives different instances")
	cli.Seed.Flag(cmd, &f.id.SurfaceSeed, "surface-seed", "seed for labels, domain, style and edge order only (default: that of --seed)")
	flags.StringVar(&f.id.Split, "split", "heldout", "`name` of the split: letters, digits and underscores")
	cli.Count.Flag(cmd, &f.perCategory, "per-category", "instances of each category")
	cli.Some(cmd, &f.categories, "categories", category.Names(), "`names` of categories, with commas (default all)")
	cli.Some(cmd, &f.levels, "level", []string{"L1", "L2", "L3"}, "only categories of these `levels`: L1, L2, L3")
	cli.One(instance.Versions()...).Flag(cmd, &f.generator, "generator", "cb2, or cb1 for the paper's sizes and wordings")
	cli.One(instance.PresetNames()...).Flag(cmd, &f.preset, "preset", "sizes: demo, paper, standard or hard (default standard; not with cb1)")
	cli.One(slices.Sorted(maps.Keys(sets))...).Flag(cmd, &f.set, "set", "a split of the paper, with cb1: paper-train (1,300), paper-extra (2,500), paper-heldout (1,300), or paper-encodings (200 of the last, evenly by level)")
	for _, other := range []string{"split", "per-category", "categories", "level", "generator", "preset", "sweep", "part", "disjoint-surface"} {
		defer cmd.MarkFlagsMutuallyExclusive("set", other)
	}
	nodes.Flag(cmd, &f.id.N, "n", "number of nodes, as in 4..10 or 20 (default 8..24, or 4..10 with cb1)")
	density.Flag(cmd, &f.id.Density, "density", "density of the edges, as in 0.1..0.5 or 0.3 (default sparse, or 0.1..0.5 with cb1)")
	hops.Flag(cmd, &f.id.Depth, "depth", "hops the search needs, as in 3..5 or 4 (default: spread by size; not with cb1)")
	cli.One("paper", "explicit").Flag(cmd, &f.phrasing, "phrasing", "explicit, where the question states its conventions, or paper (default explicit, or paper with cb1)")
	cli.One(surface.Encodings()...).Flag(cmd, &f.id.Encoding, "encoding", "how a question gives its graph: nl, json or matrix")
	partOf.Flag(cmd, &f.part, "part", "use part I of K of the labels and domains, as in `1.2`")
	outputFlag(cmd, &f.output)
	flags.StringArrayVar(&f.disjointFrom, "disjoint-from", nil, "skip instances that clash with those of `FILE`; repeatable")
	flags.BoolVar(&f.disjointSurface, "disjoint-surface", false, "also share no label and no domain")
	flags.BoolVar(&f.sensitivity, "sensitivity", false, "write the sensitivity of each instance to a file beside FILE")
	cli.Share.Flag(cmd, &f.minSensitivity, "min-sensitivity", "skip instances with lower sensitivity")
	flags.BoolVar(&f.sweep, "sweep", false, "equally many instances of each size, in steps of two (default --n 4..20)")
	f.flag(cmd)
	flags.BoolVar(&f.resume, "resume", false, "continue an interrupted run that had --resume")
	return cmd
}

// ranges parses A..B, or one number, which is also how a range of one number is printed.
func ranges(text func(int) string, one func(string) (int, error)) cli.Kind[instance.Range] {
	return cli.Kind[instance.Range]{
		Name: "range",
		Text: func(r instance.Range) string {
			if r == (instance.Range{}) {
				return "" // the default depends on other flags
			}
			return r.Text(text)
		},
		Parse: func(s string) (r instance.Range, err error) {
			low, high, two := strings.Cut(s, "..")
			if !two {
				high = low
			}
			if r.Min, err = one(low); err == nil {
				r.Max, err = one(high)
			}
			if err == nil && r.Min > r.Max {
				err = fmt.Errorf("the range is empty: it begins after its end; expected %s..%s", high, low)
			}
			return r, err
		},
	}
}

var nodes = ranges(strconv.Itoa, func(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > instance.MaxNodes {
		return 0, fmt.Errorf("%q is not a number of nodes: expected 1 to %d, as in 4..10 or 20", s, instance.MaxNodes)
	}
	return n, nil
})

var hops = ranges(strconv.Itoa, func(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not a number of hops: expected 1 or more, as in 3..5 or 4", s)
	}
	return n, nil
})

// density is counted in thousandths.
var density = ranges(func(x int) string { return strconv.FormatFloat(float64(x)/1000, 'f', -1, 64) }, func(s string) (int, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, fmt.Errorf("%q is not a density: expected 0 to 1, as in 0.1..0.5 or 0.3", s)
	}
	permille := math.Round(x * 1000)
	if math.Abs(x*1000-permille) > 1e-9 {
		return 0, fmt.Errorf("the density %s has more than three decimals", s)
	}
	return int(permille), nil
})

// partOf parses I.K, part I of K.
var partOf = cli.Kind[[2]int]{
	Name: "part", Text: func([2]int) string { return "" },
	Parse: func(s string) (p [2]int, err error) {
		one, all, ok := strings.Cut(s, ".")
		i, err1 := strconv.Atoi(one)
		k, err2 := strconv.Atoi(all)
		if !ok || cmp.Or(err1, err2) != nil || i < 1 || i > k || k > instance.MaxParts {
			return p, fmt.Errorf("expected I.K, part I of K, as in 1.2; K is up to %d", instance.MaxParts)
		}
		return [2]int{i, k}, nil
	},
}

// generate makes a file of instances, or one shard of it. It reads the files of --disjoint-from
// before it plans, since with --disjoint-surface they decide which part of the labels is free.
func generate(ctx context.Context, a *cli.App, f *generateFlags) error {
	names := f.categories
	if names == nil {
		names = category.Names()
	}
	given := strings.Join(names, ", ")
	if names = slices.DeleteFunc(names, func(name string) bool {
		c, _ := instance.Category(name)
		return f.levels != nil && !slices.Contains(f.levels, fmt.Sprintf("L%d", c.Level))
	}); len(names) == 0 {
		return a.Usage("none of the categories %s is of level %s", given, strings.Join(f.levels, " or "))
	}
	if f.resume && f.output == "-" {
		return a.Usage("--resume needs a file to go on with: add -o FILE")
	}
	if f.sensitivity && f.output == "-" {
		return a.Usage("--sensitivity writes a file beside FILE: add -o FILE")
	}
	if (f.sensitivity || f.minSensitivity > 0) && f.id.N.Max > sensitivity.MaxNodes {
		return a.Usage("the sensitivity is only known up to %d nodes; --n asks for %s", sensitivity.MaxNodes, f.id.N)
	}
	for _, name := range f.disjointFrom {
		if cli.SameFile(name, f.output) {
			return a.Usage("%s would be overwritten, and the new instances are to be kept apart from it", name)
		}
	}
	var err error
	var seen *instance.Seen
	if len(f.disjointFrom) > 0 {
		seen = instance.NewSeen(f.disjointSurface)
	}
	for _, name := range f.disjointFrom {
		// What is in nothing is apart from everything.
		if err := eachInstance(ctx, a, name, seen.Add); err != nil && !errors.Is(err, errNoInstances) {
			return err
		}
	}
	if f.disjointSurface && f.id.Parts == 0 {
		if f.id.Part, f.id.Parts, err = cmp.Or(seen, instance.NewSeen(true)).FreePart(f.id); err != nil {
			return a.Usage("--disjoint-surface: %v", err)
		}
	}
	plan, err := makePlan(a, f, names)
	if err != nil {
		return err
	}
	g := &generation{App: a, f: f, plan: plan, seen: seen, sum: sha256.New(), categories: len(names), start: time.Now()}
	if err := f.plan(ctx, a, f.output, plan.Total(), f.disjointFrom); err != nil {
		return err
	}
	if f.on() {
		return f.make(ctx, a, f.output, g.shard(ctx))
	}
	if seen != nil {
		g.proof = instance.NewProof(seen)
	}
	return g.run(ctx)
}

// shard makes the instances of a shard: those at its indices that do not clash. How many more the
// file needs to replace the skipped ones is only known once all shards are there; gather makes
// those.
func (g *generation) shard(ctx context.Context) func(*job.Part) (*job.Done, error) {
	return func(p *job.Part) (*job.Done, error) {
		d := &job.Done{}
		g.plan, d.From, d.To = g.plan.Shard(g.f.Shard)
		g.f.output, g.f.resume = job.ShardFile(g.f.output, g.f.I)+job.ShardLines, true
		for {
			line, there, err := p.Again()
			if err != nil {
				return nil, cli.Unwritten(g.f.output, err)
			}
			if !there {
				break
			}
			in, id, err := parsed(line)
			if err != nil {
				return nil, badLines(g.f.output+".part", err)
			}
			for len(g.plan) > 0 && !g.plan[0].Holds(id) {
				g.plan = g.plan[1:]
			}
			if len(g.plan) == 0 {
				return nil, notOurs(g.App, g.f.output, "nothing")
			}
			c := &g.plan[0]
			repeats(c, in)
			c.Count -= id.Index + 1 - c.ID.Index
			c.ID.Index = id.Index + 1
			g.given++
			g.kept++
		}
		w := bufio.NewWriterSize(part{p, g.f.output}, 1<<16)
		err := g.write(ctx, w)
		err = cmp.Or(err, w.Flush())
		d.Items = g.given
		return d, err
	}
}

// parsed parses the line of an instance, and its id.
func parsed(line []byte) (*instance.Instance, instance.ID, error) {
	in, err := instance.Parse(line)
	if err != nil {
		return nil, instance.ID{}, err
	}
	id, err := instance.ParseID(in.ID)
	return in, id, err
}

// gather writes the instances of the shards and makes those that are still missing. The shards have
// covered Count indices of each cell; every index that they skipped leaves one instance to be made
// at a later index.
func (g *generation) gather(ctx context.Context, w io.Writer) error {
	next := 0 // index of the cell
	end := func() error {
		cell := g.plan[0]
		g.skipped += cell.ID.Index - next
		next, g.plan = 0, g.plan[1:]
		return g.generate(ctx, w, instance.Cells{cell})
	}
	for i := range g.plan {
		g.plan[i].ID.Index = g.plan[i].Count
	}
	bar := g.Progress("merging")
	defer bar.Done()
	show := bar.Counter(0)
	all := g.plan.Total()
	err := job.Lines(g.f.merged.open(ctx), func(l *job.Line) error {
		in, id, err := parsed(l.Text)
		if err != nil {
			return err
		}
		for len(g.plan) > 0 && !g.plan[0].Holds(id) {
			if err := end(); err != nil {
				return err
			}
		}
		if len(g.plan) == 0 {
			return fmt.Errorf("%s has %s, which the command of the plan does not make: it is a shard of another one", g.f.merged.of(l.Number), id)
		}
		c := &g.plan[0]
		if repeats(c, in) {
			return nil
		}
		c.Count--
		g.skipped += id.Index - next
		next = id.Index + 1
		g.kept++
		show(g.kept, all)
		line := append(l.Text, '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
		return g.take(in, line)
	})
	for err == nil && len(g.plan) > 0 {
		err = end()
	}
	return err
}

// makePlan returns the cells that a command line asks for. A sweep goes through the sizes and, for
// each, through all categories.
func makePlan(a *cli.App, f *generateFlags, names []string) (instance.Cells, error) {
	sizes := []instance.Range{f.id.N}
	if f.sweep {
		sizes = nil
		for n := f.id.N.Min; n <= f.id.N.Max; n += sweepStep {
			sizes = append(sizes, instance.Range{Min: n, Max: n})
		}
	}
	var counts map[string]int
	if f.set != "" {
		counts = sets[f.set].counts(names)
	}
	var plan instance.Cells
	for _, n := range sizes {
		for _, name := range names {
			id := f.id
			id.Category, id.N = name, n
			c, _ := instance.Category(name)
			if f.sweep && n.Max < c.Least {
				a.Printf("ein: %s is left out of the sweep at %d nodes: it needs %d\n", name, n.Max, c.Least)
				continue
			}
			if err := id.Check(); err != nil {
				if n.Max < c.Least {
					err = fmt.Errorf("%w; --categories chooses others", err)
				}
				return nil, a.Usage("%v", err)
			}
			count := int(f.perCategory)
			if counts != nil {
				count = counts[name]
			}
			plan = append(plan, instance.Cell{ID: id, Count: count})
		}
	}
	return plan, nil
}

// generation is one run of the verb. The plan holds what is still to be made: each instance that is
// there, from an earlier run or from a shard, is taken off it.
type generation struct {
	*cli.App
	f          *generateFlags
	plan       instance.Cells
	seen       *instance.Seen  // what no instance may be like
	proof      *instance.Proof // that none is; may be nil
	categories int
	start      time.Time

	sum                     hash.Hash // of all lines
	all                     int       // instances, when all are there
	given, redraws, skipped int
	kept                    int // of given, those of an earlier run
}

// run makes the file, or resumes its part. Without --resume the file appears once it is complete,
// and nothing can be resumed.
func (g *generation) run(ctx context.Context) error {
	info, statErr := os.Stat(g.f.output)
	var err error
	switch {
	case !g.f.resume:
		err = g.Write(g.f.output, func(w io.Writer) error { return g.write(ctx, w) })
	case statErr == nil && !info.Mode().IsRegular():
		return g.Usage("--resume: %s is not a file", g.f.output)
	default:
		err = noRoom(g.App, g.f.output, g.goOn(ctx))
	}
	if err == nil && g.f.sensitivity {
		err = g.beside(ctx)
	}
	if err == nil {
		g.summary()
	}
	return err
}

// beside writes the sensitivities of the finished file to a file beside it.
func (g *generation) beside(ctx context.Context) error {
	name := strings.TrimSuffix(g.f.output, ".jsonl") + ".sensitivity.jsonl"
	return g.Write(name, func(w io.Writer) error {
		e := json.NewEncoder(w)
		err := eachInstance(ctx, g.App, g.f.output, func(in *instance.Instance) error {
			r, err := sensitivity.Of(in)
			if err == nil {
				err = e.Encode(r)
			}
			return err
		})
		if errors.Is(err, errNoInstances) {
			err = nil
		}
		return err
	})
}

// keep reports whether an instance is sensitive enough.
func (g *generation) keep(in *instance.Instance) (bool, error) {
	if g.f.minSensitivity == 0 {
		return true, nil
	}
	r, err := sensitivity.Of(in)
	return err == nil && r.Share >= g.f.minSensitivity, err
}

// goOn resumes a part: it appends to what an earlier run has left.
func (g *generation) goOn(ctx context.Context) error {
	p, err := job.Open(g.f.output, nil, false)
	switch {
	case errors.Is(err, job.ErrInUse):
		return g.Outside("%v", err)
	case err != nil:
		return cli.Unwritten(g.f.output, err)
	}
	defer func() { _ = p.Close() }()
	if err := g.takeIn(ctx, p); err != nil {
		return err
	}
	w := bufio.NewWriterSize(part{p, g.f.output}, 1<<20)
	err = g.write(ctx, w)
	if err := w.Flush(); err != nil {
		return err
	}
	if err != nil {
		return cmp.Or(cli.Unwritten(g.f.output, p.Close()), err)
	}
	return cli.Unwritten(g.f.output, p.Commit())
}

// write makes the rest of the plan.
func (g *generation) write(ctx context.Context, w io.Writer) (err error) {
	g.all = g.kept + g.plan.Total()
	if g.f.merged != nil {
		err = g.gather(ctx, w)
	} else {
		err = g.generate(ctx, w, g.plan)
	}
	// The proof comes before the file: a file that is there is proved.
	if err == nil && g.proof != nil {
		if err := g.proof.Finish(); err != nil {
			panic("BUG: ein: " + err.Error())
		}
	}
	return err
}

// generate writes the instances of a plan.
func (g *generation) generate(ctx context.Context, w io.Writer, plan instance.Cells) error {
	bar := g.Progress("generating")
	defer bar.Done()
	generator := instance.Generator{Avoid: g.seen, Keep: g.keep, Progress: bar.Counter(g.kept)}
	for made, err := range generator.Run(ctx, plan) {
		if err != nil {
			bar.Done()
			return g.ended(ctx, err)
		}
		if _, err := w.Write(made.Line); err != nil {
			return err
		}
		g.redraws += made.Redraws
		g.skipped += made.Skipped
		if err := g.take(made.Instance, made.Line); err != nil {
			return err
		}
	}
	return nil
}

// take counts an instance that has been written and adds it to the hash and the proof.
func (g *generation) take(in *instance.Instance, line []byte) error {
	g.given++
	g.sum.Write(line)
	if g.proof != nil {
		return g.proof.Add(in)
	}
	return nil
}

// ended returns the error of a generation that stopped early, with what to do next.
func (g *generation) ended(ctx context.Context, err error) error {
	hint := ""
	switch {
	case g.f.merged != nil:
		hint = "The shards are kept: the same command begins again."
	case g.f.resume:
		hint = fmt.Sprintf("What is done is in %s.part; run the same command line to resume.", g.f.output)
	case g.f.output != "-":
		hint = fmt.Sprintf("%s was not written; with --resume what is done would be kept.", g.f.output)
	}
	if g.f.minSensitivity > 0 && ctx.Err() == nil {
		hint += "\nA lower --min-sensitivity passes over fewer."
	}
	if ctx.Err() == nil {
		if hint != "" {
			err = fmt.Errorf("%w\n%s", err, hint)
		}
		return err
	}
	e := cli.Input(codes.E0533, "", 0, fmt.Sprintf("interrupted after %s of %s instances", words.Count(g.given), words.Count(g.all)), hint)
	if g.f.resume {
		return cli.Resumable(e)
	}
	return e
}

// summary prints on standard error what was made.
func (g *generation) summary() {
	took, target := time.Since(g.start), g.f.output
	if target == "-" {
		target = "standard output"
	}
	rate := float64(g.given-g.kept) / max(took.Seconds(), 1e-3)
	g.Printf("%s of %s in %s, in %v (%s a second)\n", words.Plural(g.given, "instance"), words.Plural(g.categories, "category", "categories"), target,
		took.Round(time.Millisecond), words.Count(int(rate)))
	if g.kept > 0 {
		g.Printf("%s were there already\n", words.Count(g.kept))
	}
	g.Printf("%s of unsuitable questions", words.Plural(g.redraws, "redraw"))
	if g.f.minSensitivity > 0 {
		g.Printf(", %d skipped for clashes or low sensitivity", g.skipped)
	} else if g.seen != nil || g.skipped > 0 {
		g.Printf(", %d skipped for clashes", g.skipped)
	}
	g.Printf("\nsha256 %s\n", hex.EncodeToString(g.sum.Sum(nil)))
	if g.proof != nil {
		g.Printf("\n%s", g.proof)
	}
}

// takeIn reads what an earlier run has left and takes it off the plan. A part that another command
// line has made is an error and stays as it is.
func (g *generation) takeIn(ctx context.Context, p *job.Part) error {
	name := g.f.output + ".part"
	bar := g.Progress("reading " + name)
	defer bar.Done()
	other := func(format string, args ...any) error {
		return cli.Input(codes.E0701, name, 0, fmt.Sprintf(format, args...), "Delete it to start again, or use the command line that made it.")
	}
	for in, err := range instance.Read(bar.Reader(io.TeeReader(bind.Stopping{Reader: p.There(), Context: ctx}, g.sum), 0)) {
		switch {
		case ctx.Err() != nil:
			return cli.Stopped(ctx)
		case err != nil:
			return badLines(name, err)
		case len(g.plan) == 0:
			return other("it has more instances than the command line asks for")
		}
		id, err := instance.ParseID(in.ID)
		if err != nil {
			return badLines(name, err)
		}
		skipped, err := g.follows(id, in)
		if err != nil {
			return other("it was made by another command line: %v", err)
		}
		if keep, err := g.keep(in); err != nil || !keep {
			return other("it was made by another command line: the sensitivity of %s is lower", id)
		}
		g.skipped += skipped
		g.kept++
		if err := g.take(in, nil); err != nil { // the line is in the sum
			return err
		}
	}
	return nil
}

// repeats reports whether a cell already has an instance of the same structure, and adds the
// structure if not.
func repeats(c *instance.Cell, in *instance.Instance) bool {
	structure, err := instance.Structure(in)
	return err == nil && c.Repeats(structure)
}

// follows takes the next instance off the plan. The indices skipped before it must be those that
// the generator would have skipped; otherwise another command line has made the part.
func (g *generation) follows(id instance.ID, in *instance.Instance) (skipped int, err error) {
	c := &g.plan[0]
	for want := c.ID; want != id; want.Index++ {
		in, _, err := instance.Generate(want)
		keep := err != nil || want.Index >= id.Index || g.seen == nil || g.seen.Clash(in) == ""
		if keep && err == nil && want.Index < id.Index {
			keep, err = g.keep(in)
		}
		if err != nil || keep && (want.Index >= id.Index || !repeats(c, in)) {
			return 0, fmt.Errorf("it has %s where %s belongs", id, c.ID)
		}
		skipped++
	}
	repeats(c, in)
	c.ID.Index = id.Index + 1
	c.Count--
	if c.Count == 0 {
		g.plan = g.plan[1:]
	}
	return skipped, nil
}
