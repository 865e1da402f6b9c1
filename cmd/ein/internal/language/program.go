// Package language implements the verbs about programs: ein run, check, cost, repl and the rest, one
// file each. They leave the work to package ein and the packages under lang.
//
// programVerb declares what the verbs that compile a program have in common: FILE, --input, --bind,
// --profile and --no-opt. Before such a verb works, settle reads what project files say. What they bind
// and limit holds where no flag says otherwise (programFlags.all, limitFlags.lowered); ein.toml, which
// may come from a stranger, is held back by package project.
//
// load gives a program with its data, from source or from bytecode, and tells the garbage collector
// how much memory its certificate allows. eachSource goes through the files of check and fmt, also
// after one with mistakes. ein run and the session write through a [cli.Output], so that a reader who
// does not read cannot keep a stopped command alive.
//
// A build with the tag lean has no readers of Parquet and SQLite (tables_lean.go) and no profiler
// (profile_lean.go).
package language

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ein"
	"ein/bind"
	"ein/bind/project"
	"ein/internal/codes"
	"ein/internal/words"
	"ein/lang/check"
	"ein/repl"
	"ein/vm/code"

	"ein/cmd/ein/internal/cli"
	"ein/internal/lists"
	"ein/vm/graphio"
)

// Verbs returns the verbs about programs.
func Verbs() cli.Verbs {
	return cli.Verbs{
		"run":        runVerb,
		"check":      checkVerb,
		"fmt":        fmtVerb,
		"cost":       costVerb,
		"explain":    explainVerb,
		"why":        whyVerb,
		"build":      buildVerb,
		"dis":        disVerb,
		"doc":        docVerb,
		"repl":       replVerb,
		"lsp":        lspVerb,
		"version":    versionVerb,
		"completion": completionVerb,
	}
}

// Tables returns the readers of formats that not every build has.
func Tables() bind.Tables { return tables }

// programFlags are the flags of the verbs that compile a program.
type programFlags struct {
	inputs  []string
	bind    string // a file
	profile check.Profile
	noOpt   bool
	fix     bool
	ask     string // a statement behind the program
	proofs  int    // of each query
	listed  bool   // and not run, so that bytecode needs no data

	given func(flag string) bool // whether a flag is on the command line
	said  project.Settings       // by files
}

var inputHelp = `Inputs: --input NAME=FILE binds data to the program's "input NAME: kind".
FILE is CSV, TSV, an edge list, Matrix Market, JSON, JSON lines or NPY, also with gzip,
Parquet or a SQLite database; - is standard input. Options follow a question mark:
  --input 'A=transfers.csv?from=payer&to=payee&weight=amount'
They are format=` + strings.Join(graphio.Formats(), "|") + `, query=@FILE of
a SELECT, header=yes|no, from=COLUMN, to=COLUMN, weight=COLUMN, weight=COLUMN==VALUE,
where=COLUMN==VALUE (or != < <= > >=), onehot=COLUMN, ids=number|label, nodes=N,
dup=min|max|sum|first|error, default=NUMBER and extra=ignore|add.
What --input does not bind is bound by --bind FILE, or by ein.toml beside FILE.`

func oneProgram(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("name a program, or - for standard input")
	case 1:
		return nil
	}
	data := args[1]
	if !strings.Contains(data, "=") {
		data = "A=" + data
	}
	return fmt.Errorf("name one program, not %d; data are bound with --input, as in --input %s", len(args), data)
}

// programVerb makes a verb for a program: FILE, its inputs, its profile.
func programVerb(a *cli.App, cmd *cobra.Command, work func(ctx context.Context, name string, f *programFlags) error) *cobra.Command {
	f := &programFlags{}
	cmd.Long += "\n\n" + inputHelp
	if cmd.Args == nil {
		cmd.Args, cmd.ValidArgsFunction = oneProgram, programFiles
	}
	cmd.Flags().StringArrayVar(&f.inputs, "input", nil, "bind `NAME=FILE` to an input of the program; repeatable")
	cmd.Flags().BoolVar(&f.noOpt, "no-opt", false, "run every operation as written, without rewrites or special kernels")
	profileFlag(cmd, &f.profile)
	bindFlag(cmd, &f.bind)
	f.given = cmd.Flags().Changed
	cmd.RunE = a.Do(func(ctx context.Context, args []string) error {
		name := ""
		if len(args) > 0 {
			name = args[0]
		}
		if err := f.settle(name); err != nil {
			return err
		}
		return work(ctx, name, f)
	})
	return cmd
}

// bindFlag declares --bind. A second file would silently take the place of the first.
func bindFlag(cmd *cobra.Command, to *string) {
	cli.Kind[string]{Name: "FILE", Text: func(s string) string { return s }, Parse: func(s string) (string, error) {
		switch {
		case s == "":
			return "", errors.New("expected a file")
		case *to != "":
			return "", errors.New("only one file is read, and others bind with --input")
		}
		return s, nil
	}}.Flag(cmd, to, "bind", "`FILE` that binds inputs and sets limits; takes precedence over ein.toml")
}

// settle reads what project files say about a program.
func (f *programFlags) settle(name string) error {
	said, err := settings(f.bind, name)
	if err == nil { // else those before stay, whose files are watched
		f.said = said
	}
	return err
}

// settings returns what project files say about a program: the named one, and ein.toml beside the
// program. Standard input has nothing beside it, and bytecode belongs to no project.
func settings(named, program string) (said project.Settings, err error) {
	var file, beside *project.File
	if named != "" {
		home, _ := os.UserHomeDir() // without one, ~ is a name like others
		if file, err = project.Named(repl.Path(named, home)); err != nil {
			return said, findings(err)
		}
	}
	if program != "-" && !isBytecode(program) {
		if beside, err = project.Beside(program); err != nil {
			return said, findings(err)
		}
	}
	return file.For(program).Over(beside.For(program)), nil
}

func findings(err error) error { return &ein.Error{Diags: bind.Findings(err), Err: err} }

// isBytecode reports whether a file begins like bytecode. Whether it can be read turns out later.
func isBytecode(name string) bool {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // nothing was written
	head := make([]byte, len(code.Magic))
	_, err = io.ReadFull(f, head)
	return err == nil && ein.IsBytecode(string(head))
}

func profileFlag(cmd *cobra.Command, p *check.Profile) {
	cli.One(check.Profiles...).Flag(cmd, p, "profile", "what a program may contain: full, core (no def, input or labels) or logic (core with facts, rules and inputs)")
}

// limitFlags are the flags of the verbs that run programs.
type limitFlags struct {
	memory, ops, output uint64
	strict              bool
	timeout             time.Duration

	given func(flag string) bool // whether a flag is on the command line
}

func (f *limitFlags) add(cmd *cobra.Command, of, output string) {
	cli.MemoryFlag(cmd, &f.memory, "")
	cli.Count.Flag(cmd, &f.ops, "max-ops", "maximum operations"+of+", such as 1e9 (default: no limit)")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "with --max-ops, refuse a metered program that may reach the limit, rather than stop it there")
	cli.Count.Flag(cmd, &f.output, "max-output", "maximum elements of "+output)
	cli.Duration.Flag(cmd, &f.timeout, "timeout", "maximum time"+of+", such as 2s (default: no limit)")
	f.given = cmd.Flags().Changed
}

// lowered returns the limits, with those of project files where no flag sets one.
func (f limitFlags) lowered(said *project.Settings) (limitFlags, error) {
	timeout, output := uint64(f.timeout), cmp.Or(f.output, defaultOutput)
	for _, l := range []struct {
		flag string
		said project.Limit
		to   *uint64
		show func(uint64) string
	}{
		{"max-memory", said.Memory, &f.memory, words.Bytes},
		{"max-ops", said.Ops, &f.ops, words.Count[uint64]},
		{"max-output", said.Output, &output, words.Count[uint64]},
		{"timeout", said.Timeout, &timeout, func(n uint64) string { return time.Duration(n).String() }},
	} {
		if f.given(l.flag) {
			continue
		}
		if err := l.said.Lower(l.to, l.show); err != nil {
			return f, findings(err)
		}
	}
	if said.Output.Value != 0 {
		f.output = output
	}
	f.timeout = time.Duration(timeout)
	return f, nil
}

// load reads a program, or its bytecode, and binds its inputs.
func load(ctx context.Context, a *cli.App, name string, flags *programFlags, limits ein.Limits) (*ein.Program, error) {
	var given []ein.Input
	for _, s := range flags.inputs {
		in, err := bind.Parse(s)
		if err != nil {
			return nil, a.Usage("--input %v", err)
		}
		if slices.ContainsFunc(given, func(x ein.Input) bool { return x.Name == in.Name }) {
			return nil, a.Usage("--input: %s is bound twice", in.Name)
		}
		given = append(given, in)
	}
	profile := flags.profile
	if flags.said.Profile != nil && !flags.given("profile") {
		profile = *flags.said.Profile
	}
	text, shown, err := read(ctx, a, name)
	if err != nil {
		return nil, err
	}
	if (flags.ask != "" || flags.proofs > 0) && ein.IsBytecode(text) {
		return nil, a.Usage("%s is bytecode; a proof needs its source", shown)
	}
	text += flags.ask
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
	opt := ein.Options{Profile: profile, NoOpt: flags.noOpt, Fix: flags.fix, Proofs: flags.proofs, Limits: limits, Grown: expect, Tables: tables, Open: func(ctx context.Context, name string) (io.ReadCloser, error) { return openData(ctx, a, name) }}
	var p *ein.Program
	if ein.IsBytecode(text) {
		if flags.noOpt {
			return nil, a.Usage("--no-opt has no effect on %s, which is compiled already", shown)
		}
		if flags.fix {
			return nil, a.Usage("--fix has no effect on %s, which is compiled already", shown)
		}
		if profile != check.Full {
			return nil, a.Usage("--profile %s has no effect on %s, which is compiled already", profile, shown)
		}
		if p, err = ein.Load(shown, []byte(text), opt); err == nil && flags.listed && given == nil {
			return p, nil
		}
	} else {
		p, err = ein.CompileContext(ctx, shown, text, opt)
	}
	var declared []string
	if err == nil {
		declared = lists.Map(p.Inputs(), func(in bind.Declared) string { return in.Name })
		given, err = flags.all(declared, given)
	}
	if err == nil {
		p, err = p.Bind(ctx, given...)
	}
	switch {
	case ctx.Err() != nil:
		return nil, cli.Stopped(ctx)
	case err != nil:
		flags.blame(err, declared)
		return nil, err
	}
	expect(p.Certificate().PeakBytes)
	return p, nil
}

// blame adds to an error what project files have to do with it: which names a file that cannot be
// read, whatever the error advises for the command line; and what they bind in vain if an input has
// no data.
func (f *programFlags) blame(err error, declared []string) {
	wrong, ok := errors.AsType[*ein.Error](err)
	if !ok {
		return
	}
	for i := range wrong.Diags {
		if d := &wrong.Diags[i]; d.Code == codes.E0703 {
			d.Notes = append(d.Notes, f.said.Idle(declared)...)
		} else if d.Code == codes.E0702 && d.At != nil && !strings.Contains(d.At.File, "://") {
			if at := f.said.Where(d.At.File); at != "" {
				d.Notes = []string{at + " names it, as a path from there."}
			}
		}
	}
}

// all returns the inputs of the command line, and those of project files for the others that the
// program declares.
func (f *programFlags) all(declared []string, given []ein.Input) ([]ein.Input, error) {
	said, err := f.said.Inputs(declared)
	if err != nil {
		return nil, findings(err)
	}
	for _, in := range said {
		if !slices.ContainsFunc(given, func(x ein.Input) bool { return x.Name == in.Name }) {
			given = append(given, in)
		}
	}
	return given, nil
}

// openData opens a data file. Its caller names the file in errors.
func openData(ctx context.Context, a *cli.App, name string) (io.ReadCloser, error) {
	f, err := a.Open(ctx, "reading", name)
	if wrong, ok := errors.AsType[*ein.Error](err); ok && wrong.Err != nil {
		return nil, wrong.Err
	}
	return f, err
}

// maxProgram bounds how much of a program is read, source or bytecode; the parser's own limit is
// lower.
const maxProgram = code.MaxBytes

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
	if _, data := graphio.FormatOf(shown); data && err == nil {
		err = cli.Input(codes.E0701, shown, 0, "the file is data, expected a program", "a program declares an input, and `ein run --input NAME="+shown+" PROGRAM` binds it")
	}
	return text, shown, err
}

// source returns the text of a program, for verbs that cannot use bytecode.
func source(ctx context.Context, a *cli.App, name string) (text, shown string, err error) {
	text, shown, err = read(ctx, a, name)
	if err == nil && ein.IsBytecode(text) {
		err = cli.Input(codes.E0704, shown, 0, "the file is bytecode, expected the source of a program", "")
	}
	return text, shown, err
}

// warn reports the warnings about a program and its data, and those of its run.
func warn(a *cli.App, p *ein.Program, r *ein.Result) {
	a.Report(p.Source(), p.Warnings(r))
}

// eachSource works on the text of every file, also after one with mistakes, which it gives to tell.
func eachSource(ctx context.Context, a *cli.App, files []string, work func(name, text string) error, tell func(error) error) (outcome error) {
	for _, name := range files {
		text, shown, err := source(ctx, a, name)
		if err == nil {
			err = work(shown, text)
		}
		if ctx.Err() != nil {
			return cli.Worse(outcome, a.Fail(cli.Stopped(ctx)))
		}
		outcome = cli.Worse(outcome, tell(err))
	}
	return outcome
}
