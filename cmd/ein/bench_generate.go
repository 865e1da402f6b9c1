package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/surface"
	"ein/internal/job"
	"ein/lang/diag"
)

type benchGenerateFlags struct {
	seed, surfaceSeed seed
	split             string
	perCategory       count
	categories        []string
	levels            []string
	n                 nodeRange
	density           densityRange
	phrasing          choice
	encoding          choice
	part              string
	output            string
	disjointFrom      []string
	disjointSurface   bool
	sweep, resume     bool
}

// The sizes of a sweep are sweepFirst, sweepFirst + sweepStep and so on.
const (
	sweepFirst, sweepLast = 4, 20
	sweepStep             = 2
)

func (a *app) benchGenerateCommand() *cobra.Command {
	encodings := make([]string, 0, 3)
	for _, e := range surface.Encodings() {
		encodings = append(encodings, string(e))
	}
	standard := instance.NewID("", "", 0, 0)
	f := &benchGenerateFlags{
		seed:        1,
		perCategory: 50,
		n:           nodeRange(standard.N),
		density:     densityRange(standard.Density),
		phrasing:    choice{"paper", []string{"paper", "explicit"}},
		encoding:    choice{encodings[0], encodings},
	}
	cmd := &cobra.Command{
		Use:   "generate [-o FILE]",
		Short: "Generate instances",
		Long: `Generates instances, one line of JSON each, in the order of the categories. The
same command line gives the same bytes on every machine. FILE appears only when
it is complete; with --resume what was made before an interruption is kept in
FILE.part, and the same command line goes on from there.

With --disjoint-from, instances whose id is in a FILE, or whose graph and query
are isomorphic to those of one in the same category, are passed over, and the
proof that none are left is printed. With --disjoint-surface the labels and
domains come from one of two halves, or, given --disjoint-from, from a part that
those instances do not use; kinship keeps its words.

` + idHelp,
		Example: `  ein bench generate --seed 42 --split heldout -o heldout.jsonl
  ein bench generate --seed 7 --split train --disjoint-surface -o train.jsonl
  ein bench generate --seed 8 --split fresh --disjoint-surface --disjoint-from train.jsonl -o fresh.jsonl
  ein bench generate --seed 42 --split sizes --sweep -o sizes.jsonl
  ein bench generate --seed 1 --categories cousin,reachability --n 20 --per-category 3`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("surface-seed") {
				f.surfaceSeed = f.seed
			}
			if f.sweep && !cmd.Flags().Changed("n") {
				f.n = nodeRange{Min: sweepFirst, Max: sweepLast}
			}
			if err := a.benchGenerate(f); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.Var(&f.seed, "seed", "the seed: another one gives other instances")
	flags.Var(&f.surfaceSeed, "surface-seed", "the seed of labels, domain, style and order of the edges alone (default that of --seed)")
	flags.StringVar(&f.split, "split", "heldout", "`name` of the split: letters, digits and underscores")
	flags.Var(&f.perCategory, "per-category", "instances of each category")
	flags.StringSliceVar(&f.categories, "categories", nil, "`names` of categories, with commas (default all)")
	flags.StringSliceVar(&f.levels, "level", nil, "only categories of these `levels`: L1, L2, L3")
	flags.Var(&f.n, "n", "number of nodes, as in 4..10 or 20")
	flags.Var(&f.density, "density", "density of the edges, as in 0.1..0.5 or 0.3")
	flags.Var(&f.phrasing, "phrasing", "paper, or explicit, which states the conventions in the question")
	flags.Var(&f.encoding, "encoding", "how a question gives its graph: nl, json or matrix")
	flags.StringVar(&f.part, "part", "", "use part I of K of the labels and domains, as in `1.2`")
	flags.StringVarP(&f.output, "output", "o", "-", "`file` to write; - is standard output")
	flags.StringArrayVar(&f.disjointFrom, "disjoint-from", nil, "keep apart from the instances of `FILE`; repeatable")
	flags.BoolVar(&f.disjointSurface, "disjoint-surface", false, "share no label and no domain either")
	flags.BoolVar(&f.sweep, "sweep", false, "as many instances of each size, in steps of two (default --n 4..20)")
	flags.BoolVar(&f.resume, "resume", false, "go on where an interrupted run with --resume has ended")
	complete(cmd, "categories", categoryNames()...)
	complete(cmd, "level", levels...)
	complete(cmd, "phrasing", f.phrasing.values...)
	complete(cmd, "encoding", f.encoding.values...)
	return cmd
}

var levels = []string{"L1", "L2", "L3"}

func categoryNames() []string {
	var names []string
	for i := range category.Table {
		names = append(names, category.Table[i].Name)
	}
	return names
}

// seed is a flag with any 64-bit number.
type seed uint64

func (s *seed) String() string { return strconv.FormatUint(uint64(*s), 10) }

// Type names the value in the help.
func (s *seed) Type() string { return "number" }

// Set implements the flag.
func (s *seed) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("expected a whole number from 0 to %d", uint64(math.MaxUint64))
	}
	*s = seed(n)
	return nil
}

// choice is a flag with a few values.
type choice struct {
	value  string
	values []string
}

func (c *choice) String() string { return c.value }

// Type names the value in the help.
func (c *choice) Type() string { return "name" }

// Set implements the flag.
func (c *choice) Set(s string) error {
	if !slices.Contains(c.values, s) {
		return fmt.Errorf("expected %s", strings.Join(c.values, " or "))
	}
	c.value = s
	return nil
}

// nodeRange is a flag such as 4..10 or 20.
type nodeRange instance.Range

func (r *nodeRange) String() string { return instance.Range(*r).String() }

// Type names the value in the help.
func (r *nodeRange) Type() string { return "range" }

// Set implements the flag.
func (r *nodeRange) Set(s string) error {
	return setRange((*instance.Range)(r), s, func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > instance.MaxNodes {
			return 0, fmt.Errorf("%q is not a number of nodes; possible are 1 to %d, as in 4..10 or 20", s, instance.MaxNodes)
		}
		return n, nil
	})
}

// densityRange is a flag such as 0.1..0.5 or 0.3, in thousandths.
type densityRange instance.Range

func (r *densityRange) String() string {
	one := func(x int) string { return strconv.FormatFloat(float64(x)/1000, 'f', -1, 64) }
	if r.Min == r.Max {
		return one(r.Min)
	}
	return one(r.Min) + ".." + one(r.Max)
}

// Type names the value in the help.
func (r *densityRange) Type() string { return "range" }

// Set implements the flag.
func (r *densityRange) Set(s string) error {
	return setRange((*instance.Range)(r), s, func(s string) (int, error) {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return 0, fmt.Errorf("%q is not a density; possible are 0 to 1, as in 0.1..0.5 or 0.3", s)
		}
		permille := math.Round(x * 1000)
		if math.Abs(x*1000-permille) > 1e-9 {
			return 0, fmt.Errorf("the density %s has more than three decimals", s)
		}
		return int(permille), nil
	})
}

// setRange reads A..B or one number.
func setRange(r *instance.Range, s string, one func(string) (int, error)) error {
	low, high, two := strings.Cut(s, "..")
	if !two {
		high = low
	}
	a, err := one(low)
	if err != nil {
		return err
	}
	b, err := one(high)
	if err != nil {
		return err
	}
	if a > b {
		return fmt.Errorf("the range is empty: it begins after its end; expected %s..%s", high, low)
	}
	*r = instance.Range{Min: a, Max: b}
	return nil
}

func (a *app) benchGenerate(f *benchGenerateFlags) error {
	names, err := a.chooseCategories(f)
	if err != nil {
		return err
	}
	if f.resume && f.output == "-" {
		return a.usage("--resume needs a file to go on with: add -o FILE")
	}
	for _, name := range f.disjointFrom {
		if sameFile(name, f.output) {
			return a.usage("%s would be overwritten, and the new instances are to be kept apart from it", name)
		}
	}
	ctx, stop := a.context(0)
	defer stop()
	var seen *instance.Seen
	if len(f.disjointFrom) > 0 {
		seen = instance.NewSeen(f.disjointSurface)
		for _, name := range f.disjointFrom {
			err := a.instances(ctx, name, io.Discard, func(all iter.Seq2[*instance.Instance, error]) error {
				for in, err := range all {
					if err == nil {
						err = seen.Add(in)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	base := instance.NewID(f.split, "", 0, uint64(f.seed))
	base.SurfaceSeed = uint64(f.surfaceSeed)
	base.N, base.Density = instance.Range(f.n), instance.Range(f.density)
	base.Explicit = f.phrasing.value == "explicit"
	base.Encoding = surface.Encoding(f.encoding.value)
	if err := a.choosePart(f, seen, &base); err != nil {
		return err
	}
	plan, err := a.plan(f, names, base)
	if err != nil {
		return err
	}
	g := &generation{app: a, f: f, plan: plan, seen: seen, sum: sha256.New(), categories: len(names), start: time.Now()}
	if seen != nil {
		g.proof = instance.NewProof(seen)
	}
	return g.run(ctx)
}

// chooseCategories is those of --categories, in that order, or all, that are of a
// level asked for.
func (a *app) chooseCategories(f *benchGenerateFlags) ([]string, error) {
	for _, l := range f.levels {
		if !slices.Contains(levels, l) {
			return nil, a.usage("--level: there is no level %q; there are %s", l, strings.Join(levels, ", "))
		}
	}
	names := f.categories
	if names == nil {
		names = categoryNames()
	}
	var out []string
	for _, name := range names {
		c, err := instance.Category(name)
		if err != nil {
			return nil, a.usage("--categories: %v", err)
		}
		if slices.Contains(out, name) {
			return nil, a.usage("--categories: %s is there twice", name)
		}
		if len(f.levels) == 0 || slices.Contains(f.levels, fmt.Sprintf("L%d", c.Level)) {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return nil, a.usage("none of the categories %s is of level %s", strings.Join(names, ", "), strings.Join(f.levels, " or "))
	}
	return out, nil
}

// choosePart sets the part of the labels and domains.
func (a *app) choosePart(f *benchGenerateFlags, seen *instance.Seen, id *instance.ID) error {
	if f.part != "" {
		i, k, ok := strings.Cut(f.part, ".")
		part, err1 := strconv.Atoi(i)
		parts, err2 := strconv.Atoi(k)
		if !ok || cmp.Or(err1, err2) != nil || part < 1 || part > parts || parts > instance.MaxParts {
			return a.usage("--part %q: expected I.K, part I of K, as in 1.2; K is up to %d", f.part, instance.MaxParts)
		}
		id.Part, id.Parts = part, parts
		return nil
	}
	if !f.disjointSurface {
		return nil
	}
	if seen == nil {
		seen = instance.NewSeen(true)
	}
	var err error
	id.Part, id.Parts, err = seen.FreePart()
	if err != nil {
		return a.usage("--disjoint-surface: %v", err)
	}
	return nil
}

// plan is the cells of a command line. A sweep goes through the sizes, and
// through all categories at each.
func (a *app) plan(f *benchGenerateFlags, names []string, base instance.ID) (instance.Plan, error) {
	sizes := []instance.Range{base.N}
	if f.sweep {
		sizes = nil
		for n := base.N.Min; n <= base.N.Max; n += sweepStep {
			sizes = append(sizes, instance.Range{Min: n, Max: n})
		}
	}
	var plan instance.Plan
	for _, n := range sizes {
		for _, name := range names {
			id := base
			id.Category, id.N = name, n
			c, _ := instance.Category(name)
			if f.sweep && n.Max < c.Least {
				a.printf("ein: %s is left out of the sweep at %d nodes: it needs %d\n", name, n.Max, c.Least)
				continue
			}
			if err := id.Check(); err != nil {
				if n.Max < c.Least {
					err = fmt.Errorf("%w; --categories chooses others", err)
				}
				return nil, a.usage("%v", err)
			}
			plan = append(plan, instance.Cell{ID: id, Count: int(f.perCategory)})
		}
	}
	return plan, nil
}

// badLines is a file of instances that is not one. The error names the line.
func badLines(name string, err error) *problem {
	return inputProblem(newFinding("E0701", diag.Error, name, 0, 0, err.Error(), "The file has to be one that `ein bench generate` has written."))
}

// generation is one run of the verb.
type generation struct {
	*app
	f          *benchGenerateFlags
	plan       instance.Plan
	seen       *instance.Seen
	proof      *instance.Proof
	categories int
	start      time.Time

	sum                     hash.Hash // of all lines
	given, redraws, skipped int
	kept                    int // of given, those of an earlier run
}

func (g *generation) run(ctx context.Context) error {
	var err, inside error // of the output, and of what is written to it
	write := func(w io.Writer) error { inside = g.write(ctx, w); return inside }
	info, statErr := os.Stat(g.f.output)
	switch name := g.f.output; {
	case name == "-":
		err = write(g.out)
	case statErr == nil && info.IsDir():
		err = errors.New("it is a folder")
	case !g.f.resume:
		err = job.Replace(name, write)
	case statErr == nil && !info.Mode().IsRegular():
		return g.usage("--resume: %s is not a file", name)
	default:
		err = g.goOn(ctx, write)
	}
	switch {
	case err == nil:
		g.summary()
	case inside == nil || !errors.Is(err, inside):
		err = g.unwritten(err)
	}
	return err
}

// goOn writes to a part, behind what an earlier run has left.
func (g *generation) goOn(ctx context.Context, write func(io.Writer) error) error {
	p, err := job.Open(g.f.output, nil, false)
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	if err := g.takeIn(ctx, p); err != nil {
		return err
	}
	if err := write(p); err != nil {
		return cmp.Or(p.Close(), err)
	}
	return p.Commit()
}

// write writes what the plan still has.
func (g *generation) write(ctx context.Context, out io.Writer) error {
	all := g.kept + g.plan.Total()
	bar := &instanceBar{progress: g.progress("generating", 0), before: g.kept}
	generator := instance.Generator{Avoid: g.seen, Progress: func(done, _ int) { bar.show(g.kept+done, all) }}
	w := bufio.NewWriterSize(out, 1<<20)
	for made, err := range generator.Run(ctx, g.plan) {
		if err != nil {
			bar.done()
			return g.ended(ctx, w, err)
		}
		if _, err := w.Write(made.Line); err != nil {
			bar.done()
			return g.unwritten(err)
		}
		g.redraws += made.Info.Redraws
		g.skipped += made.Skipped
		if err := g.take(made.Instance, made.Line); err != nil {
			return err
		}
	}
	bar.done()
	if err := w.Flush(); err != nil {
		return g.unwritten(err)
	}
	// The proof comes before the file: a file that is there is proved.
	if g.proof != nil {
		if err := g.proof.Finish(); err != nil {
			panic("BUG: ein: " + err.Error())
		}
	}
	return nil
}

// take counts an instance that is in the output.
func (g *generation) take(in *instance.Instance, line []byte) error {
	g.given++
	g.sum.Write(line)
	if g.proof != nil {
		return g.proof.Add(in)
	}
	return nil
}

// ended is a generation that did not come to its end.
func (g *generation) ended(ctx context.Context, w *bufio.Writer, err error) error {
	hint, exit := "", exitLimit
	switch {
	case g.f.resume:
		if err := w.Flush(); err != nil {
			return g.unwritten(err)
		}
		hint = fmt.Sprintf("What is done is in %s.part; the same command line goes on from there.", g.f.output)
		exit = exitOutside
	case g.f.output != "-":
		hint = fmt.Sprintf("%s was not written; with --resume what is done would be kept.", g.f.output)
	}
	if ctx.Err() == nil {
		if hint != "" {
			err = fmt.Errorf("%w\n%s", err, hint)
		}
		return err
	}
	p := inputProblem(newFinding("E0533", diag.Error, "", 0, 0,
		fmt.Sprintf("interrupted after %s of %s instances", formatCount(uint64(g.given)), formatCount(uint64(g.kept+g.plan.Total()))), hint))
	p.exit = exit
	return p
}

func (g *generation) target() string {
	if g.f.output == "-" {
		return "standard output"
	}
	return g.f.output
}

func (g *generation) unwritten(err error) error {
	if g.f.output == "-" {
		return g.wrote(cause(err))
	}
	return g.app.unwritten(g.f.output, err)
}

// summary says on standard error what was made.
func (g *generation) summary() {
	took := time.Since(g.start)
	rate := float64(g.given-g.kept) / max(took.Seconds(), 1e-3)
	g.printf("%s of %s in %s, in %v (%s a second)\n", plural(g.given, "instance"), categoriesOf(g.categories), g.target(),
		took.Round(time.Millisecond), formatCount(uint64(rate)))
	if g.kept > 0 {
		g.printf("%s were there already\n", formatCount(uint64(g.kept)))
	}
	g.printf("%s for want of a good question", plural(g.redraws, "redraw"))
	if g.seen != nil {
		g.printf(", %d passed over for clashes", g.skipped)
	}
	g.printf("\nsha256 %s\n", hex.EncodeToString(g.sum.Sum(nil)))
	if g.proof != nil {
		g.printf("\n%s", g.proof)
	}
}

func categoriesOf(n int) string {
	if n == 1 {
		return "1 category"
	}
	return strconv.Itoa(n) + " categories"
}

// takeIn takes in what an earlier run has left, and shortens the plan to what is still
// to be done. What does not belong to this command line is not touched.
func (g *generation) takeIn(ctx context.Context, p *job.Part) error {
	name := g.f.output + ".part"
	progress := g.progress("reading "+name, 0)
	other := func(format string, args ...any) error {
		return inputProblem(newFinding("E0701", diag.Error, name, 0, 0, fmt.Sprintf(format, args...),
			"Remove it to begin anew, or give the command line that it was made with."))
	}
	lines := io.TeeReader(reader{p.There(), ctx}, g.sum)
	for in, err := range instance.Read(progress.reader(lines)) {
		switch {
		case ctx.Err() != nil:
			return stopped(ctx)
		case err != nil:
			return badLines(name, err)
		case len(g.plan) == 0:
			return other("it has more instances than the command line asks for")
		}
		id, err := instance.ParseID(in.ID)
		if err != nil {
			return badLines(name, err)
		}
		skipped, err := g.follows(id)
		if err != nil {
			return other("it was made by another command line: %v", err)
		}
		g.skipped += skipped
		g.given++
		g.kept++
		if g.proof != nil {
			if err := g.proof.Add(in); err != nil {
				return err
			}
		}
	}
	progress.done()
	return nil
}

// follows takes the next instance off the plan. Those that were passed over have
// to be ones that clash.
func (g *generation) follows(id instance.ID) (skipped int, err error) {
	c := &g.plan[0]
	for want := c.ID; want != id; want.Index++ {
		in, _, err := instance.Generate(want)
		if err != nil || g.seen == nil || want.Index >= id.Index || g.seen.Clash(in) == "" {
			return 0, fmt.Errorf("it has %s where %s belongs", id, c.ID)
		}
		skipped++
	}
	c.ID.Index = id.Index + 1
	c.Count--
	if c.Count == 0 {
		g.plan = g.plan[1:]
	}
	return skipped, nil
}

// instanceBar is the line that says how many instances there are.
type instanceBar struct {
	*progress
	before int // made by an earlier run
}

const barWidth = 20

func (b *instanceBar) show(done, all int) {
	if b.w == nil {
		return
	}
	now := b.now()
	elapsed := now.Sub(b.start)
	if elapsed < progressAfter || now.Sub(b.last) < progressEvery {
		return
	}
	b.last = now
	rate := float64(done-b.before) / elapsed.Seconds()
	left := time.Duration(float64(all-done) / rate * float64(time.Second)).Round(time.Second)
	full := barWidth * done / all
	b.put(fmt.Sprintf("generating [%s%s] %3d%%, %s of %s, %s a second, %v left", strings.Repeat("#", full), strings.Repeat(" ", barWidth-full),
		100*done/all, formatCount(uint64(done)), formatCount(uint64(all)), formatCount(uint64(rate)), left))
}
