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
	"ein/vm/cost"
	"ein/vm/ir"
)

// defaultMemory is what a program may use unless --max-memory says otherwise.
const defaultMemory = 8 << 30

type runFlags struct {
	programFlags
	json, labels, full, stats bool
	memory                    byteSize
	ops, output               count
	timeout                   duration
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
			a.json = f.json
			if err := a.run(args[0], f); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.labels, "labels", false, "print sets of nodes, paths and nodes by their labels")
	flags.BoolVar(&f.full, "full", false, "print large values in full")
	flags.BoolVar(&f.stats, "stats", false, "print what the run used to standard error")
	flags.Var(&f.memory, "max-memory", "most memory, in bytes or with KiB, MiB, GiB")
	flags.Var(&f.ops, "max-ops", "most operations, such as 1e9 (default: no limit)")
	flags.Var(&f.output, "max-output", "most elements of all outputs together (default: no limit)")
	flags.Var(&f.timeout, "timeout", "most time, such as 2s (default: no limit)")
	flags.Lookup("max-ops").DefValue, flags.Lookup("max-output").DefValue = "", ""
	return cmd
}

func (a *app) run(name string, f *runFlags) error {
	ctx, stop := a.context(f.timeout)
	defer stop()
	l, err := a.load(ctx, name, &f.programFlags)
	if err != nil {
		return err
	}
	m := l.module()
	machine, err := vm.New(m, cost.Limits{MaxBytes: uint64(f.memory), MaxOps: uint64(f.ops), MaxOutputElements: uint64(f.output)})
	var limit *cost.LimitError
	if errors.As(err, &limit) {
		return a.withWarnings(l, l.refused(limit))
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
	opt := show.Options{Nodes: f.labels, Labels: l.code.Labels, Full: f.full, Hint: "--full shows all"}
	if f.json {
		err = a.runJSON(ctx, l, result, wall, opt)
	} else {
		for i := range result.Outputs {
			if err = show.Text(ctx, a.out, &result.Outputs[i], opt); err != nil {
				break
			}
		}
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

// runJSON writes the result as one object. Outputs are written as they are read:
// they can be large.
func (a *app) runJSON(ctx context.Context, l *loaded, r *vm.Result, wall time.Duration, opt show.Options) error {
	w := bufio.NewWriter(a.out)
	_, _ = w.WriteString(`{"version":1,"outputs":[`)
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
