package language

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ein"
	"ein/bind"
	"ein/internal/codes"
	"ein/internal/words"
	"ein/lang/describe"
	"ein/lang/show"
	"ein/repl"
	"ein/stdlib"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/tensor"

	"ein/cmd/ein/internal/cli"
)

// defaultMemory is what a program may use unless --max-memory says otherwise.
const defaultMemory = 8 << 30

// defaultOutput is how many elements outputs may have on standard output unless
// --max-output or --full says otherwise. Tables are cut.
const defaultOutput = 10_000_000

// runFlags holds the flags of ein run.
type runFlags struct {
	limitFlags
	json                int // the version of the form, 0 for text
	labels, full, stats bool
	watch, fix, time    bool
	steps               times
	cpuprofile          string
	sort                show.Order
	top, why            int
	precision           *int
	format              show.Format
	output              string // file
	columns             int    // of the terminal
}

// jsonForm is the version of JSON that is printed, 0 for text. Without a value of the
// flag it is 1, for ever.
var jsonForm = cli.Kind[int]{
	Name: "version", Values: []int{1, 2}, Text: func(int) string { return "" },
	Parse: func(s string) (int, error) {
		on, err := strconv.ParseBool(s)
		switch {
		case s == "2":
			return 2, nil
		case err != nil:
			return 0, errors.New("expected version 1 or 2")
		case on:
			return 1, nil
		}
		return 0, nil
	},
}

func runVerb(a *cli.App) *cobra.Command {
	f := &runFlags{limitFlags: limitFlags{memory: defaultMemory}}
	cmd := programVerb(a, &cobra.Command{
		Use:   "run FILE",
		Short: "Run a program and print its outputs",
		Long: `Runs a program and prints its outputs: the values that it prints, or the value of its
last assignment. FILE is a program, bytecode made by ein build, or - for standard
input. A program that needs more than the limits allow is refused before it runs.`,
		Example: `  ein run program.ein
  echo ':print tc(edges([[0, 1], [1, 2]], 3))' | ein run -
  ein run ownership.ein --input A=owners.csv --labels
  ein run payments.ein --labels --top 20 --precision 2
  ein run ownership.ein --input A=owners.csv --labels -o owners.svg
  ein run program.ein --json --max-memory 64MiB --max-ops 1e9 --timeout 2s`,
	}, func(ctx context.Context, name string, p *programFlags) error {
		f.columns = columns(a.Out)
		p.fix, p.proofs = f.fix, f.why
		stdout, stderr := a.Out, a.Err
		once := func() error {
			if err := p.settle(name); err != nil {
				return err
			}
			f := *f
			var err error
			if f.limitFlags, err = f.lowered(&p.said); err != nil {
				return err
			}
			ctx, stop := cli.Within(ctx, f.timeout)
			defer stop()
			out := &cli.Output{W: stdout, Ctx: ctx}
			a.Out, a.Err = &cli.Output{W: stdout, Ctx: ctx, Longer: cli.LastWords}, &cli.Output{W: stderr, Ctx: ctx, Longer: cli.LastWords}
			return a.Fail(run(ctx, a, name, p, &f, out)) // before stop, after which writes have no time
		}
		if !f.watch {
			return once()
		}
		if slices.Contains(reads(name, p), "-") {
			return a.Usage("--watch runs again when files change, so it cannot watch standard input")
		}
		files := func() []string {
			_ = p.settle(name) // a run tells of an error
			return reads(name, p)
		}
		return watch(ctx, files, func() error {
			err := a.Fail(once())
			a.Out, a.Err = stdout, stderr
			if ctx.Err() == nil {
				a.Note("watching %s; Ctrl-C ends", words.Plural(len(reads(name, p)), "file"))
			}
			return err
		})
	})
	cmd.PreRunE = func(*cobra.Command, []string) error { return f.choose(a) }
	jsonForm.Flag(cmd, &f.json, "json", "print one JSON object; version 2 has sparse matrices as entries, and labels once")
	flags := cmd.Flags()
	flags.Lookup("json").NoOptDefVal = "1"
	flags.BoolVar(&f.labels, "labels", false, "print nodes by label, in tables where they have values")
	cli.One(show.ByValue, show.ByName).Flag(cmd, &f.sort, "sort", "list the elements of vectors and matrices by value, the greatest first, or by name")
	cli.Int(1, math.MaxInt).Flag(cmd, &f.top, "top", "list at most this many elements of each vector and matrix, by default the largest")
	flags.Lookup("top").DefValue = ""
	cli.One(show.Formats...).Flag(cmd, &f.format, "format", "write outputs as "+cli.Join(show.Formats, ", "))
	flags.StringVarP(&f.output, "output", "o", "", "`file` to write, in the format of its extension or --format; several outputs go to FILE.NAME.EXT")
	cli.Opt(cli.Int(0, 15)).Flag(cmd, &f.precision, "precision", "digits after the point of real numbers (default: as many as read back the same)")
	flags.BoolVar(&f.full, "full", false, "print large values in full")
	flags.BoolVar(&f.stats, "stats", false, "print resource usage to standard error")
	flags.BoolVar(&f.time, "time", false, "print the time and speed of each step to standard error")
	cpuProfileFlag(cmd, &f.cpuprofile)
	cli.Int(1, math.MaxInt).Flag(cmd, &f.why, "why", "prove the first `N` rows of each query, as ein why does")
	flags.Lookup("why").DefValue = ""
	flags.BoolVar(&f.fix, "fix", false, "fix unambiguous mistakes in memory, and report them")
	flags.BoolVar(&f.watch, "watch", false, "run again whenever the program or its data changes, until interrupted")
	f.add(cmd, "", "all outputs together (default: no limit for tables, files and --full, else 10 million)")
	return cmd
}

// run runs a program and writes its outputs to out. The limit on the elements of outputs is checked
// before the run as far as shapes tell, and where the form lists entries, whose number they do not
// tell, once more before the first byte is written.
func run(ctx context.Context, a *cli.App, name string, program *programFlags, f *runFlags, out *cli.Output) error {
	most := f.limitFlags.output
	if f.format != show.Table && most == 0 && !f.full && f.output == "-" {
		most = defaultOutput
	}
	limits := ein.Limits{MaxBytes: f.memory, MaxOps: f.ops, MaxOutputElements: most, Strict: f.strict}
	lists := f.json == 2 || f.format != show.Table && f.format != show.Object
	if lists {
		limits.MaxOutputElements = 0 // how many elements there are is known after the run
	}
	p, err := load(ctx, a, name, program, limits)
	if err != nil {
		return err
	}
	files, err := f.targets(a, p, name, program)
	if err != nil {
		return err
	}
	regs, outputs := p.Code().Regs, p.Code().Outputs
	if lists {
		if err := written(p, most, func(i int) uint64 {
			s := regs[outputs[i].Reg].Shape
			if f.json == 2 && show.MaybeSparse(s) || f.json != 2 && !f.format.Counted(s) {
				return 0
			}
			return s.Elems()
		}); err != nil {
			return f.refused(ctx, p, err, "run")
		}
	}
	var result *ein.Result
	if err := profiled(a, f.cpuprofile, func() (err error) {
		result, err = watched(ctx, a, p, &f.steps)
		return err
	}); err != nil {
		if f.time {
			f.steps.tell(a, p)
		}
		return f.refused(ctx, p, err, "run")
	}
	warn(a, p, result)
	if lists {
		if err := written(p, most, func(i int) uint64 {
			v := result.Outputs[i].Value
			if f.json != 2 || v.Layout == tensor.Rows {
				return f.format.Elements(ctx, v)
			}
			if n, sparse := show.Entries(ctx, v); sparse {
				return n
			}
			return v.Shape.Elems()
		}); err != nil {
			return f.refused(ctx, p, err, "written")
		}
	}
	opt := show.Options{Nodes: f.labels, Labels: result.Labels, Version: f.json, Full: f.full || f.output != "-",
		Sort: f.sort, Top: f.top, Precision: f.precision, Columns: f.columns, Hint: "--full shows all"}
	if f.output != "-" {
		return f.save(ctx, a, p, result, files, opt)
	}
	w := bufio.NewWriterSize(out, 1<<16)
	err = f.write(ctx, w, p, result, opt)
	if err == nil {
		err = w.Flush()
	}
	if err != nil && ctx.Err() != nil {
		if !out.Begun {
			return cli.StoppedWhile(ctx, "the output was about to be written; nothing was written")
		}
		a.JSON = false // one torn object is enough
		return cli.StoppedWhile(ctx, "the output was being written: it is incomplete, and ends after about "+words.Bytes(out.Written))
	}
	if err != nil {
		return cli.Unwritten("-", err)
	}
	f.tell(a, p, result)
	return nil
}

// watched runs a program, and shows its progress on a terminal.
func watched(ctx context.Context, a *cli.App, p *ein.Program, steps *times) (*ein.Result, error) {
	m, err := p.Machine()
	if err != nil {
		return nil, err
	}
	line := a.Progress("")
	defer line.Done()
	m.Watch(func(at vm.Progress) {
		steps.see(at)
		line.Share(func() string { return describe.Doing(p.Source(), p.Code(), at) }, at.Done, at.All)
	})
	result, err := m.Run(ctx)
	steps.end(result)
	return result, err
}

// tell says what a run used, if the user asked.
func (f *runFlags) tell(a *cli.App, p *ein.Program, result *ein.Result) {
	if f.time {
		f.steps.tell(a, p)
	}
	if f.stats {
		mode := "certified"
		if !p.Certificate().Certified(f.ops) {
			mode = "metered"
		}
		a.Printf("operations  %s (%s: at most %s)\n", words.Count(result.Stats.Ops), mode, words.Count(p.Certificate().Ops))
		a.Printf("memory      %s\n", words.Bytes(result.Stats.PeakBytes))
		a.Printf("time        %v\n", result.Wall.Round(time.Microsecond))
	}
}

// choose settles the format, in which errors are told as well: by --json, by --format, or by the
// ending of the file.
func (f *runFlags) choose(a *cli.App) error {
	if f.json != 0 {
		if f.format != "" && f.format != show.Object {
			return a.Usage("--json and --format %s are two formats", f.format)
		}
		f.format = show.Object
	}
	f.output = cmp.Or(f.output, "-")
	if f.format == "" && f.output != "-" {
		var ok bool
		if f.format, ok = show.FormatOf(filepath.Ext(f.output)); !ok {
			return a.Usage("-o %s: no format has this ending; choose one with --format: %s", f.output, cli.Join(show.Formats, ", "))
		}
	}
	f.format = cmp.Or(f.format, show.Table)
	if f.format == show.Object {
		f.json = max(f.json, 1)
	} else if f.why > 0 && f.format != show.Table {
		return a.Usage("--why is about table and json; %s has no place for proofs", f.format)
	}
	if (f.format == show.Object || f.format == show.NPY) && (f.sort != show.ByPlace || f.top > 0 || f.precision != nil) {
		return a.Usage("--sort, --top and --precision apply to text and rows; %s always has every element", f.format)
	}
	a.JSON, a.Form = f.format == show.Object && f.output == "-", f.json
	return nil
}

// targets returns the files to write: one, or one for each output. A file that cannot be written,
// or that the run reads, is refused before anything runs.
func (f *runFlags) targets(a *cli.App, p *ein.Program, name string, program *programFlags) ([]string, error) {
	outputs := p.Code().Outputs
	for _, o := range outputs {
		of := p.Code().Regs[o.Reg]
		if what, ok := f.format.Holds(of.Shape, of.Layout); !ok {
			is := stdlib.Describe(of.Shape)
			if of.Layout == tensor.Rows {
				is = "a " + describe.Reg(&of)
			}
			return nil, a.Usage("--format %s is for %s, and `%s` is %s", f.format, what, o.Name, is)
		}
		if of.Layout == tensor.Rows && f.sort != show.ByPlace {
			return nil, a.Usage("--sort is for tensors; the rows of `%s` come by their text", o.Name)
		}
		if takes := tensor.SatMul(8, of.Shape.Elems()); f.format == show.SVG && f.top == 0 && takes > f.memory {
			return nil, a.Usage("to draw all of `%s` takes %s, and --max-memory is %s; --top N draws the greatest elements", o.Name, words.Bytes(takes), words.Bytes(f.memory))
		}
	}
	files := []string{f.output}
	switch {
	case len(outputs) == 1 || f.format.Many():
	case f.output == "-":
		return nil, a.Usage("--format %s holds one output, and the program has %d; -o FILE writes a file for each", f.format, len(outputs))
	default:
		files = nil
		ending := filepath.Ext(f.output)
		for _, o := range outputs {
			part := words.Cut(strings.Trim(notInNames().ReplaceAllString(o.Name, "-"), "-"), maxPart)
			file := strings.TrimSuffix(f.output, ending) + "." + part
			for n := 2; slices.ContainsFunc(files, func(other string) bool { return strings.EqualFold(other, file+ending) }); n++ {
				file = fmt.Sprintf("%s.%s-%d", strings.TrimSuffix(f.output, ending), part, n)
			}
			files = append(files, file+ending)
		}
	}
	for _, file := range files {
		if err := spared(a, file, name, program); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// spared refuses to write a file that a command reads.
func spared(a *cli.App, file, name string, program *programFlags) error {
	if slices.ContainsFunc(reads(name, program), func(read string) bool { return cli.SameFile(file, read) }) {
		return a.Usage("-o: %s is read by this run, and would be overwritten", file)
	}
	return nil
}

// reads returns the files that a run reads.
func reads(name string, program *programFlags) []string {
	list := []string{name}
	for _, s := range program.inputs {
		if in, err := bind.Parse(s); err == nil { // load tells of an error
			list = append(list, in.Files()...)
		}
	}
	return append(list, program.said.Files()...)
}

// watch does work now, and again whenever files have changed and then stayed the same for a moment,
// since some programs write a file in steps. Changes during the work are not lost. It ends with the
// context, with the error of the work that was under way.
func watch(ctx context.Context, files func() []string, work func() error) error {
	const moment = 200 * time.Millisecond
	stamps := func() string {
		var b strings.Builder
		for _, file := range files() {
			if info, err := os.Stat(file); err == nil {
				fmt.Fprintln(&b, info.ModTime().UnixNano(), info.Size())
			} else {
				fmt.Fprintln(&b, err)
			}
		}
		return b.String()
	}
	for done, before := "", stamps(); ; {
		now := stamps()
		if now != done && now == before {
			done = now
			if err := work(); ctx.Err() != nil {
				return err
			}
		}
		before = now
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(moment):
		}
	}
}

// maxPart is how many bytes of an output's name go into a file name, which most systems end at 255.
const maxPart = 80

// notInNames matches characters of an output's name that a file name should not contain.
var notInNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\p{L}\p{N}_]+`) })

// save writes the outputs to files, each whole or not at all.
func (f *runFlags) save(ctx context.Context, a *cli.App, p *ein.Program, result *ein.Result, files []string, opt show.Options) error {
	for i, file := range files {
		part := *result
		if len(files) > 1 {
			part.Outputs = result.Outputs[i : i+1]
		}
		err := a.Write(file, func(w io.Writer) error { return f.write(ctx, w, p, &part, opt) })
		if ctx.Err() != nil {
			return cli.StoppedWhile(ctx, file+" was being written: it is as it was before")
		}
		if err != nil {
			return err
		}
	}
	f.tell(a, p, result)
	return nil
}

// write writes outputs in the format.
func (f *runFlags) write(ctx context.Context, w io.Writer, p *ein.Program, r *ein.Result, opt show.Options) error {
	if f.format == show.Object {
		return p.WriteJSON(ctx, w, r, opt)
	}
	if f.format == show.Table {
		return r.Text(ctx, w, opt)
	}
	opt.Labels = r.Labels
	for i := range r.Outputs {
		if _, err := repl.Write(ctx, w, &r.Outputs[i].Output, f.format, opt); err != nil {
			return err
		}
	}
	return nil
}

// written compares the number of elements to be written with a limit.
func written(p *ein.Program, most uint64, elements func(output int) uint64) error {
	var c cost.Certificate
	for i, o := range p.Code().Outputs {
		n := elements(i)
		c.OutputElements = tensor.SatAdd(c.OutputElements, n)
		if n >= c.Largest.Elements {
			c.Largest = cost.Output{Name: o.Name, Pos: o.Pos, Elements: n}
		}
	}
	if limit, ok := errors.AsType[*cost.LimitError](c.Check(cost.Limits{MaxOutputElements: most})); ok {
		return p.Refuse(limit)
	}
	return nil
}

// refused adds to the error of a run that was refused or stopped what to do about it, and to a
// refusal what was not done.
func (f *runFlags) refused(ctx context.Context, p *ein.Program, err error, done string) error {
	var e *ein.Error
	if !errors.As(err, &e) {
		return err
	}
	if _, hint := cli.StopMessage(ctx); hint != "" && ctx.Err() != nil {
		e.Note(codes.E0533, hint)
	}
	if over, ok := errors.AsType[*vm.Exceeded](err); ok {
		_, flag := describe.Refused(&cost.LimitError{What: over.What})
		e.Note(codes.E0534, "`"+flag+"` sets the limit; `--strict` refuses what may reach it before it runs.")
	}
	var limit *cost.LimitError
	if !errors.As(err, &limit) {
		return err
	}
	d, flag := describe.Refused(limit)
	notes := []string{fmt.Sprintf("Nothing was %s. `%s` sets the limit; `ein cost` shows every statement.", done, flag)}
	if d.Code == codes.E0532 && f.limitFlags.output == 0 {
		notes = append(notes, "`--full` lifts the limit.")
	}
	sparse := func(o code.Output) bool { return show.MaybeSparse(p.Code().Regs[o.Reg].Shape) }
	if d.Code == codes.E0532 && f.json == 1 && slices.ContainsFunc(p.Code().Outputs, sparse) {
		notes = append(notes, "`--json=2` writes a sparse matrix as the entries that it has.")
	}
	e.Note(d.Code, notes...)
	return err
}
