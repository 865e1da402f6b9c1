package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ein"
	"ein/internal/codes"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/tensor"
)

// defaultMemory is what a program may use unless --max-memory says otherwise.
const defaultMemory = 8 << 30

// defaultOutput is how many elements outputs may have in JSON unless --max-output
// or --full says otherwise. Text is cut.
const defaultOutput = 10_000_000

// outputBuffer is how much of the results is written at a time.
const outputBuffer = 1 << 16

type runFlags struct {
	programFlags
	json                jsonForm
	labels, full, stats bool
	memory              byteSize
	ops, output         count
	timeout             duration
}

func (a *app) runCommand() *cobra.Command {
	f := &runFlags{memory: defaultMemory}
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Check, compile and run a program, and print its outputs",
		Long: `Runs a program and prints its outputs: the values that it prints, or the value
of its last assignment. FILE is a program, bytecode made by ein build, or - for
standard input. A program that needs more than the limits is refused before
anything runs.

` + inputHelp,
		Example: `  ein run program.ein
  echo ':print tc(edges([[0, 1], [1, 2]], 3))' | ein run -
  ein run ownership.ein --input A=owners.csv --labels
  ein run program.ein --json --max-memory 64MiB --max-ops 1e9 --timeout 2s`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: programFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			a.json, a.version = f.json != 0, int(f.json)
			ctx, stop := a.context(f.timeout)
			defer stop()
			out := &output{w: a.out, ctx: ctx}
			a.out, a.err = &output{w: a.out, ctx: ctx, longer: lastWords}, &output{w: a.err, ctx: ctx, longer: lastWords}
			if err := a.run(ctx, args[0], f, out); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.Var(&f.json, "json", "print one JSON object; version 2 has sparse matrices as entries, and labels once")
	flags.Lookup("json").NoOptDefVal = "1"
	complete(cmd, "json", "1", "2")
	flags.BoolVar(&f.labels, "labels", false, "print sets of nodes, paths and nodes by their labels")
	flags.BoolVar(&f.full, "full", false, "print large values in full")
	flags.BoolVar(&f.stats, "stats", false, "print what the run used to standard error")
	flags.Var(&f.memory, "max-memory", "most memory, in bytes or with KiB, MiB, GiB")
	flags.Var(&f.ops, "max-ops", "most operations, such as 1e9 (default: no limit)")
	flags.Var(&f.output, "max-output", "most elements of all outputs together (default: 10 million in JSON without --full)")
	flags.Var(&f.timeout, "timeout", "most time, such as 2s (default: no limit)")
	flags.Lookup("max-ops").DefValue, flags.Lookup("max-output").DefValue = "", ""
	return cmd
}

// run runs a program and writes its outputs to out.
func (a *app) run(ctx context.Context, name string, f *runFlags, out *output) error {
	most := uint64(f.output)
	if f.json != 0 && f.output == 0 && !f.full {
		most = defaultOutput
	}
	limits := ein.Limits{MaxBytes: uint64(f.memory), MaxOps: uint64(f.ops), MaxOutputElements: most}
	if f.json == 2 {
		limits.MaxOutputElements = 0 // how many entries there are is known after the run
	}
	p, err := a.load(ctx, name, &f.programFlags, limits)
	if err != nil {
		return err
	}
	regs, outputs := p.Code().Regs, p.Code().Outputs
	if f.json == 2 {
		if err := written(p, most, func(i int) uint64 {
			if show.MaybeSparse(regs[outputs[i].Reg].Shape) {
				return 0
			}
			return regs[outputs[i].Reg].Shape.Elems()
		}); err != nil {
			return f.refused(ctx, p, err, "run")
		}
	}
	result, err := p.Run(ctx)
	if err != nil {
		return f.refused(ctx, p, err, "run")
	}
	a.warn(p, result)
	if f.json == 2 {
		if err := written(p, most, func(i int) uint64 {
			v := result.Outputs[i].Value
			if n, sparse := show.Entries(ctx, v); sparse {
				return n
			}
			return v.Shape.Elems()
		}); err != nil {
			return f.refused(ctx, p, err, "written")
		}
	}
	opt := show.Options{Nodes: f.labels, Labels: result.Labels, Version: int(f.json), Full: f.full, Hint: "--full shows all"}
	w := bufio.NewWriterSize(out, outputBuffer)
	if f.json != 0 {
		err = runJSON(ctx, w, p, result, opt)
	} else {
		err = result.Text(ctx, w, opt)
	}
	if err != nil && ctx.Err() != nil {
		if !out.begun {
			return stoppedWhile(ctx, "the output was about to be written; there is none")
		}
		a.json = false // one torn object is enough
		return stoppedWhile(ctx, "the output was being written: it is incomplete, and ends after about "+formatBytes(out.written))
	}
	if err != nil {
		return a.wrote(err)
	}
	if f.stats {
		a.printf("operations  %s (certified: at most %s)\n", formatCount(result.Stats.Ops), formatCount(p.Certificate().Ops))
		a.printf("memory      %s\n", formatBytes(result.Stats.PeakBytes))
		a.printf("time        %v\n", result.Wall.Round(time.Microsecond))
	}
	return nil
}

// warn reports the warnings about a program and its data, and those of its run.
func (a *app) warn(p *ein.Program, r *ein.Result) {
	a.report(p.Source(), warnings(p, r))
}

func warnings(p *ein.Program, r *ein.Result) diag.List {
	list := serious(p.Diagnostics())
	if r != nil {
		list = append(list, r.Warnings...)
	}
	list.Sort()
	return list
}

// written compares the elements that are written of the outputs with a limit.
func written(p *ein.Program, most uint64, elements func(output int) uint64) error {
	var c cost.Certificate
	for i, o := range p.Code().Outputs {
		n := elements(i)
		c.OutputElements = tensor.SatAdd(c.OutputElements, n)
		if n >= c.Largest.Elements {
			c.Largest = cost.Output{Name: o.Name, Pos: o.Pos, Elements: n}
		}
	}
	var limit *cost.LimitError
	if errors.As(c.Check(cost.Limits{MaxOutputElements: most}), &limit) {
		return p.Refuse(limit)
	}
	return nil
}

// refused adds to a run that was refused or stopped what can be done about it, and to
// a refusal what was not done.
func (f *runFlags) refused(ctx context.Context, p *ein.Program, err error, done string) error {
	var e *ein.Error
	if !errors.As(err, &e) {
		return err
	}
	if _, hint := stopMessage(ctx); hint != "" && ctx.Err() != nil {
		e.Note(codes.E0533, hint)
	}
	var limit *cost.LimitError
	if !errors.As(err, &limit) {
		return err
	}
	d, flag := describe.Refused(limit)
	notes := []string{fmt.Sprintf("Nothing was %s. `%s` sets the limit; `ein cost` shows every statement.", done, flag)}
	if d.Code == codes.E0532 && f.output == 0 {
		notes = append(notes, "`--full` lifts the limit.")
	}
	sparse := func(o code.Output) bool { return show.MaybeSparse(p.Code().Regs[o.Reg].Shape) }
	if d.Code == codes.E0532 && f.json == 1 && slices.ContainsFunc(p.Code().Outputs, sparse) {
		notes = append(notes, "`--json=2` writes a sparse matrix as the entries that it has.")
	}
	e.Note(d.Code, notes...)
	return err
}

// runJSON writes the result as one object. Outputs are written as they are read:
// they can be large, and so can the labels, which version 2 has once for all.
func runJSON(ctx context.Context, w *bufio.Writer, p *ein.Program, r *ein.Result, opt show.Options) error {
	_, _ = fmt.Fprintf(w, `{"version":%d,`, opt.Version)
	if opt.Version == 2 && opt.Nodes && len(opt.Labels) > 0 {
		sep := `"labels":[`
		for _, label := range opt.Labels {
			text, err := compactJSON(label)
			if err != nil {
				return err
			}
			if _, err := w.WriteString(sep + string(text)); err != nil {
				return err
			}
			sep = ","
		}
		_, _ = w.WriteString("],")
	}
	_, _ = w.WriteString(`"outputs":[`)
	for i := range r.Outputs {
		if i > 0 {
			_ = w.WriteByte(',')
		}
		if err := show.JSON(ctx, w, &r.Outputs[i].Output, opt); err != nil {
			return err
		}
	}
	told, err := compactJSON(diag.ToJSON(warnings(p, r), p.Source()))
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(w, `],"stats":{"ops":%d,"peak_bytes":%d,"wall_ns":%d},"warnings":%s}`+"\n",
		r.Stats.Ops, r.Stats.PeakBytes, r.Wall.Nanoseconds(), told)
	return w.Flush()
}
