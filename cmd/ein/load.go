package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"ein"
	"ein/bind"
	"ein/lang/check"
)

// programFlags are those of the verbs that compile a program.
type programFlags struct {
	inputs  []string
	profile profile
	noOpt   bool
}

const inputHelp = `Inputs: --input NAME=FILE binds data to the program's "input NAME: kind".
FILE is CSV, TSV, an edge list, Matrix Market, JSON or NPY, each also with gzip;
- is standard input. Options follow a question mark:
  --input 'A=transfers.csv?source=payer&target=payee&weight=amount'
They are format=csv|tsv|edges|mtx|json|npy, header=yes|no, source=COLUMN,
target=COLUMN, weight=COLUMN, ids=number|label, nodes=N, dup=sum|max|first and
default=NUMBER.`

func (f *programFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.inputs, "input", nil, "bind `NAME=FILE` to an input of the program; repeatable")
	cmd.Flags().BoolVar(&f.noOpt, "no-opt", false, "run every operation as written, without rewrites or special kernels")
	profileFlag(cmd, &f.profile)
}

// bindings reads the --input flags. Its errors are those of the command line.
func (a *app) bindings(flags []string) ([]ein.Input, error) {
	var list []ein.Input
	for _, s := range flags {
		in, err := bind.Parse(s)
		if err != nil {
			return nil, a.usage("--input %v", err)
		}
		for _, x := range list {
			if x.Name == in.Name {
				return nil, a.usage("--input: %s is bound twice", in.Name)
			}
		}
		list = append(list, in)
	}
	return list, nil
}

// load reads a program, or its bytecode, and binds its inputs.
func (a *app) load(ctx context.Context, name string, flags *programFlags, limits ein.Limits) (*ein.Program, error) {
	given, err := a.bindings(flags.inputs)
	if err != nil {
		return nil, err
	}
	text, shown, err := a.read(ctx, name)
	if err != nil {
		return nil, err
	}
	opt := ein.Options{Profile: check.Profile(flags.profile), NoOpt: flags.noOpt, Limits: limits, Open: a.openData, Grown: a.expect}
	var p *ein.Program
	if ein.IsBytecode(text) {
		if flags.noOpt {
			return nil, a.usage("--no-opt has no effect on %s, which is compiled already", shown)
		}
		p, err = ein.Load(shown, []byte(text), opt)
	} else {
		p, err = ein.CompileContext(ctx, shown, text, opt)
	}
	if err == nil {
		p, err = p.Bind(ctx, given...)
	}
	switch {
	case ctx.Err() != nil:
		return nil, stopped(ctx)
	case err != nil:
		return nil, err
	}
	a.expect(p.Certificate().PeakBytes)
	return p, nil
}

// openData opens a data file, and shows how far reading it has come.
func (a *app) openData(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := a.open(ctx, path)
	var p *problem
	if errors.As(err, &p) && p.Err != nil {
		return nil, p.Err
	}
	if err != nil {
		return nil, err
	}
	f.progress = a.progress("reading "+f.name, f.size)
	f.Reader = f.progress.reader(f.Reader)
	return f, nil
}

// expect tells the collector how much memory the process will come to hold: it
// lets garbage pile up only so far.
func (a *app) expect(bytes uint64) {
	const slack = 24 << 20
	if a.setMemoryLimit == nil || bytes <= a.expected+a.expected/16 && a.expected > 0 {
		return
	}
	a.expected = bytes
	a.setMemoryLimit(int64(min(bytes, 1<<50)/5*6 + slack))
}
