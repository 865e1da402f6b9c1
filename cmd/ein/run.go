package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/ir"
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
			late := after(ctx, lastWords)
			a.out, a.err = &output{w: a.out, ctx: late}, &output{w: a.err, ctx: late}
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
	l, err := a.load(ctx, name, &f.programFlags)
	if err != nil {
		return err
	}
	m := l.module()
	limits := cost.Limits{MaxBytes: uint64(f.memory), MaxOps: uint64(f.ops), MaxOutputElements: uint64(f.output)}
	if f.json != 0 && f.output == 0 && !f.full {
		limits.MaxOutputElements = defaultOutput
	}
	if f.json == 2 {
		l.recount(&m.Certificate, func(i int) uint64 {
			if l.maybeSparse(l.code.Outputs[i]) {
				return 0 // until its entries can be counted
			}
			return l.code.Regs[l.code.Outputs[i].Reg].Shape.Elems()
		})
	}
	machine, err := vm.New(m, limits)
	var limit *cost.LimitError
	if errors.As(err, &limit) {
		return a.withWarnings(l, l.refused(limit, "run", f))
	}
	if err != nil {
		return err
	}
	start := time.Now()
	result, err := machine.Run(ctx, l.inputs)
	wall := time.Since(start)
	var wrong *vm.RuntimeError
	var stopped *vm.Stopped
	switch {
	case errors.As(err, &stopped):
		return a.withWarnings(l, l.stoppedRun(ctx, m, stopped.Pos, machine.Stats().Ops))
	case errors.As(err, &wrong):
		d := describe.RunTime(wrong)
		if wrong.Kind == vm.NotFinite {
			d.Related = l.origin(wrong.Pos)
		}
		return a.withWarnings(l, l.problemAt(classRuntime, exitWrong, wrong.Pos, d))
	case err != nil:
		return err
	}
	for _, w := range result.Warnings {
		l.remark(w.Pos, w.Message)
	}
	l.warnings.Sort()
	a.report(l.file, l.warnings, l.data)
	if f.json == 2 {
		l.recount(&m.Certificate, func(i int) uint64 {
			v := result.Outputs[i].Value
			if n, sparse := show.Entries(ctx, v); sparse {
				return n
			}
			return v.Shape.Elems()
		})
		if errors.As(m.Certificate.Check(cost.Limits{MaxOutputElements: limits.MaxOutputElements}), &limit) {
			return l.refused(limit, "written", f)
		}
	}
	opt := show.Options{Nodes: f.labels, Labels: l.code.Labels, Version: int(f.json), Full: f.full, Hint: "--full shows all"}
	w := bufio.NewWriterSize(out, outputBuffer)
	if f.json != 0 {
		err = runJSON(ctx, w, l, result, wall, opt)
	} else {
		for i := range result.Outputs {
			if err = show.Text(ctx, w, &result.Outputs[i], opt); err != nil {
				break
			}
		}
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
		c := &m.Certificate
		a.printf("operations  %s (certified: at most %s)\n", formatCount(result.Stats.Ops), formatCount(c.Ops))
		a.printf("memory      %s\n", formatBytes(result.Stats.PeakBytes))
		a.printf("time        %v\n", wall.Round(time.Microsecond))
	}
	return nil
}

// origin is the statement that defines the tensor which is printed at a place.
func (l *loaded) origin(at ir.Pos) []diag.Related {
	if l.checked == nil {
		return nil
	}
	for _, o := range l.checked.Outputs {
		if o.Span != span(at) {
			continue
		}
		for _, s := range slices.Backward(l.checked.Statements) {
			if s.Name == o.Name && s.Span != o.Span {
				return []diag.Related{{Span: s.Span, Message: "computed here"}}
			}
		}
	}
	return nil
}

// withWarnings adds the warnings to what else is wrong: they may be the reason.
func (a *app) withWarnings(l *loaded, p *problem) *problem {
	p.list = append(p.list, l.warnings...)
	p.list.Sort()
	p.data = append(p.data, l.data...)
	if p.file == nil {
		p.file = l.file
	}
	return p
}

// maybeSparse reports whether version 2 of the JSON may write an output as entries.
func (l *loaded) maybeSparse(o code.Output) bool { return show.MaybeSparse(l.code.Regs[o.Reg].Shape) }

// recount changes what a certificate says of outputs to what is written of them.
func (l *loaded) recount(c *cost.Certificate, elements func(output int) uint64) {
	c.OutputElements, c.Largest = 0, cost.Output{}
	for i, o := range l.code.Outputs {
		n := elements(i)
		c.OutputElements = tensor.SatAdd(c.OutputElements, n)
		if n >= c.Largest.Elements {
			c.Largest = cost.Output{Name: o.Name, Pos: o.Pos, Elements: n}
		}
	}
}

// runJSON writes the result as one object. Outputs are written as they are read:
// they can be large, and so can the labels, which version 2 has once for all.
func runJSON(ctx context.Context, w *bufio.Writer, l *loaded, r *vm.Result, wall time.Duration, opt show.Options) error {
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
		if err := show.JSON(ctx, w, &r.Outputs[i], opt); err != nil {
			return err
		}
	}
	warnings := []finding{}
	if l.file != nil {
		warnings = diag.ToJSON(l.warnings, l.file)
	}
	list, err := compactJSON(append(warnings, l.data...))
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(w, `],"stats":{"ops":%d,"peak_bytes":%d,"wall_ns":%d},"warnings":%s}`+"\n",
		r.Stats.Ops, r.Stats.PeakBytes, wall.Nanoseconds(), list)
	return w.Flush()
}
