// Package language is the verbs about programs: ein run, check, cost, repl and the rest.
package language

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ein"
	"ein/bind"
	"ein/internal/codes"
	"ein/lang/check"
	"ein/vm/code"

	"ein/cmd/ein/internal/cli"
)

// Verbs are those about programs.
func Verbs(a *cli.App) []*cobra.Command {
	return []*cobra.Command{runVerb(a), checkVerb(a), fmtVerb(a), costVerb(a), explainVerb(a), buildVerb(a), disVerb(a), docVerb(a), replVerb(a), lspVerb(a), versionVerb(a), completionVerb(a)}
}

// programFlags are those of the verbs that compile a program.
type programFlags struct {
	inputs  []string
	profile check.Profile
	noOpt   bool
}

const inputHelp = `Inputs: --input NAME=FILE binds data to the program's "input NAME: kind".
FILE is CSV, TSV, an edge list, Matrix Market, JSON or NPY, each also with gzip;
- is standard input. Options follow a question mark:
  --input 'A=transfers.csv?from=payer&to=payee&weight=amount'
They are format=csv|tsv|edges|mtx|json|npy, header=yes|no, from=COLUMN,
to=COLUMN, weight=COLUMN, where=COLUMN==VALUE (or != < <= > >=),
ids=number|label, nodes=N, dup=min|max|sum|first|error and default=NUMBER.`

// programVerb makes a command one about a program: FILE, its inputs, its profile.
func programVerb(a *cli.App, cmd *cobra.Command, work func(ctx context.Context, name string, f *programFlags) error) *cobra.Command {
	f := &programFlags{}
	cmd.Long += "\n\n" + inputHelp
	if cmd.Args == nil {
		cmd.Args, cmd.ValidArgsFunction = cobra.ExactArgs(1), programFiles
	}
	cmd.Flags().StringArrayVar(&f.inputs, "input", nil, "bind `NAME=FILE` to an input of the program; repeatable")
	cmd.Flags().BoolVar(&f.noOpt, "no-opt", false, "run every operation as written, without rewrites or special kernels")
	profileFlag(cmd, &f.profile)
	cmd.RunE = a.Do(func(ctx context.Context, args []string) error { return work(ctx, strings.Join(args, ""), f) })
	return cmd
}

func profileFlag(cmd *cobra.Command, p *check.Profile) {
	cli.One(check.Full, check.Core).Flag(cmd, p, "profile", "what a program may contain: full, or core without def, input and labels")
}

// limitFlags are those of what runs programs.
type limitFlags struct{ memory, ops, output uint64 }

func (f *limitFlags) add(cmd *cobra.Command, of, output string) {
	cli.MemoryFlag(cmd, &f.memory, "")
	cli.Count.Flag(cmd, &f.ops, "max-ops", "most operations"+of+", such as 1e9 (default: no limit)")
	cli.Count.Flag(cmd, &f.output, "max-output", "most elements of "+output)
}

// load reads a program, or its bytecode, and binds its inputs.
func load(ctx context.Context, a *cli.App, name string, flags *programFlags, limits ein.Limits) (*ein.Program, error) {
	var given []ein.Input
	for _, s := range flags.inputs {
		in, err := bind.Parse(s)
		if err != nil {
			return nil, a.Usage("--input %v", err)
		}
		for _, x := range given {
			if x.Name == in.Name {
				return nil, a.Usage("--input: %s is bound twice", in.Name)
			}
		}
		given = append(given, in)
	}
	text, shown, err := read(ctx, a, name)
	if err != nil {
		return nil, err
	}
	expected := uint64(0)
	// expect tells the collector how much memory the process will come to hold: it lets
	// garbage pile up only so far.
	expect := func(bytes uint64) {
		const slack = 24 << 20
		if a.SetMemoryLimit != nil && (bytes > expected+expected/16 || expected == 0) {
			expected = bytes
			a.SetMemoryLimit(int64(min(bytes, 1<<50)/5*6 + slack))
		}
	}
	opt := ein.Options{Profile: flags.profile, NoOpt: flags.noOpt, Limits: limits, Grown: expect, Open: func(ctx context.Context, name string) (io.ReadCloser, error) { return openData(ctx, a, name) }}
	var p *ein.Program
	if ein.IsBytecode(text) {
		if flags.noOpt {
			return nil, a.Usage("--no-opt has no effect on %s, which is compiled already", shown)
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
		return nil, cli.Stopped(ctx)
	case err != nil:
		return nil, err
	}
	expect(p.Certificate().PeakBytes)
	return p, nil
}

// openData opens a file of data. Who asks for it says which file it is.
func openData(ctx context.Context, a *cli.App, name string) (io.ReadCloser, error) {
	f, err := a.Open(ctx, "reading", name)
	var wrong *ein.Error
	if errors.As(err, &wrong) && wrong.Err != nil {
		return nil, wrong.Err
	}
	return f, err
}

// maxProgram bounds what is read of a program, source or bytecode; a longer
// text is then refused by the parser, whose limit is lower.
const maxProgram = code.DefaultBytes

// read is the text of a program.
func read(ctx context.Context, a *cli.App, name string) (text, shown string, err error) {
	err = a.Through(ctx, "reading", name, func(f *cli.File) error {
		shown = f.Name()
		var b strings.Builder // whose text is not copied
		b.Grow(int(min(f.Size, maxProgram) + 1))
		if _, err := io.Copy(&b, io.LimitReader(f, maxProgram+1)); err != nil {
			return cli.Unreadable(shown, err)
		}
		text = b.String()
		return nil
	})
	return text, shown, err
}

// source is the text of a program for the verbs that have no use for bytecode.
func source(ctx context.Context, a *cli.App, name string) (text, shown string, err error) {
	text, shown, err = read(ctx, a, name)
	if err == nil && ein.IsBytecode(text) {
		err = cli.Input(codes.E0704, shown, 0, "the file is bytecode, expected the source of a program", "")
	}
	return text, shown, err
}

// warn reports the warnings about a program and its data, and those of its run.
func warn(a *cli.App, p *ein.Program, r *ein.Result) {
	a.Report(p.Source(), cli.Warnings(p, r))
}

// eachSource does work with the text of every file, even after one that was wrong.
func eachSource(ctx context.Context, a *cli.App, files []string, work func(name, text string) error) (outcome error) {
	for _, name := range files {
		text, shown, err := source(ctx, a, name)
		if err == nil {
			err = work(shown, text)
		}
		if ctx.Err() != nil {
			return cli.Worse(outcome, a.Fail(cli.Stopped(ctx)))
		}
		outcome = cli.Worse(outcome, a.Fail(err))
	}
	return outcome
}
