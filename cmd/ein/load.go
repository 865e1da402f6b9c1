package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ein/lang"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/graphio"
	"ein/vm/ir"
	"ein/vm/tensor"
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

// binding is one --input.
type binding struct {
	name, path string
	opt        graphio.Options
}

// bindings reads the --input flags. Its errors are those of the command line.
func (a *app) bindings(flags []string) ([]binding, error) {
	var list []binding
	for _, s := range flags {
		name, spec, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, a.usage("--input %q: expected NAME=FILE, as in --input A=graph.csv", s)
		}
		path, opt, err := graphio.ParseSpec(spec)
		if err != nil {
			return nil, a.usage("--input %s: %v", name, err)
		}
		if slices.ContainsFunc(list, func(b binding) bool { return b.name == name }) {
			return nil, a.usage("--input: %s is bound twice", name)
		}
		list = append(list, binding{name, path, opt})
	}
	return list, nil
}

// loaded is a program ready to be planned and run.
type loaded struct {
	name     string
	file     *source.File   // nil for bytecode
	checked  *check.Program // nil for bytecode
	opt      lang.Options
	code     *code.Program
	inputs   []tensor.Value
	warnings diag.List // there are no errors
	data     []finding // warnings about the data
}

// load reads a program, or its bytecode, and binds its inputs.
func (a *app) load(ctx context.Context, name string, flags *programFlags) (*loaded, error) {
	given, err := a.bindings(flags.inputs)
	if err != nil {
		return nil, err
	}
	text, shown, err := a.read(ctx, name)
	if err != nil {
		return nil, err
	}
	l := &loaded{name: shown, opt: lang.Options{Profile: check.Profile(flags.profile), NoOpt: flags.noOpt}}
	if isBytecode(text) {
		if flags.noOpt {
			return nil, a.usage("--no-opt has no effect on %s, which is compiled already", shown)
		}
		return l, a.bytecode(ctx, l, text, given)
	}
	f := lang.Parse(shown, text, l.opt)
	l.file = f.Source
	// Without the data nothing is known of sizes and labels, so this finds only
	// which inputs there are and what is wrong whatever they hold.
	p := lang.Check(f, l.opt)
	if p.Diags.HasErrors() {
		return nil, programProblem(f.Source, serious(p.Diags))
	}
	if err := l.matchInputs(p, given); err != nil {
		return nil, err
	}
	if len(p.Inputs) > 0 {
		if p, err = a.bind(ctx, l, f, p, given); err != nil {
			return nil, err
		}
	}
	l.checked = p
	l.warnings = serious(p.Diags)
	l.code = lang.Code(p, l.opt)
	return l, nil
}

func isBytecode(text string) bool { return strings.HasPrefix(text, code.Magic) }

// matchInputs compares the inputs of a program with the flags.
func (l *loaded) matchInputs(p *check.Program, given []binding) error {
	names := make([]string, len(p.Inputs))
	for i, in := range p.Inputs {
		names[i] = in.Name
	}
	if err := unknownInput(l.name, names, given); err != nil {
		return err
	}
	var missing diag.List
	for _, in := range p.Inputs {
		if !slices.ContainsFunc(given, func(b binding) bool { return b.name == in.Name }) {
			missing = append(missing, diag.Diagnostic{Code: "E0703", Span: in.Span,
				Message: fmt.Sprintf("the input `%s` is not bound to any data", in.Name),
				Notes:   []string{fmt.Sprintf("Bind it on the command line: `--input %s=FILE`, a %s.", in.Name, in.Kind)}})
		}
	}
	if missing != nil {
		return &problem{class: classInput, exit: exitWrong, file: l.file, list: missing}
	}
	return nil
}

// unknownInput finds a flag for an input that the program does not have.
func unknownInput(program string, names []string, given []binding) error {
	for _, b := range given {
		if slices.Contains(names, b.name) {
			continue
		}
		hint := "The program declares no inputs."
		if near, ok := diag.Suggest(b.name, names); ok {
			hint = fmt.Sprintf("Did you mean `--input %s=%s`?", near, b.path)
		} else if len(names) > 0 {
			hint = "Its inputs are " + strings.Join(names, ", ") + "."
		}
		p := inputProblem(newFinding("E0705", diag.Error, program, 0, 0, fmt.Sprintf("the program has no input `%s`", b.name), hint))
		p.exit = exitUsage
		return p
	}
	return nil
}

// bind reads the data and checks the program again with it.
func (a *app) bind(ctx context.Context, l *loaded, f *syntax.File, p *check.Program, given []binding) (*check.Program, error) {
	var decls []declaration
	for _, in := range p.Inputs {
		decls = append(decls, declaration{in.Name, in.Kind})
	}
	values, labels, err := a.data(ctx, l, decls, given, check.ProgramLabels(f))
	if err != nil {
		return nil, err
	}
	l.opt.Inputs, l.opt.Labels = make(map[string]*tensor.Value, len(values)), labels
	for i := range values {
		l.opt.Inputs[decls[i].name] = &values[i]
	}
	lang.Normalise(l.opt.Inputs)
	p = lang.Check(f, l.opt)
	if p.Diags.HasErrors() {
		return nil, programProblem(f.Source, serious(p.Diags))
	}
	for _, in := range p.Inputs {
		l.inputs = append(l.inputs, *l.opt.Inputs[in.Name])
	}
	return p, nil
}

// declaration is an input of a program, by source or by bytecode.
type declaration struct{ name, kind string }

// data reads the bound files, in the order of the declarations.
func (a *app) data(ctx context.Context, l *loaded, decls []declaration, given []binding, known []string) ([]tensor.Value, []string, error) {
	raws := make([]graphio.Decl, len(decls))
	for i, d := range decls {
		b := given[slices.IndexFunc(given, func(b binding) bool { return b.name == d.name })]
		b.opt.Kind = graphio.Kind(d.kind)
		raw, err := a.readData(ctx, b)
		if err != nil {
			return nil, nil, err
		}
		raws[i] = graphio.Decl{Name: d.name, Raw: raw}
	}
	values, labels, warnings, err := graphio.Bind(raws, known)
	if err != nil {
		return nil, nil, dataProblem(err)
	}
	for _, w := range warnings {
		l.data = append(l.data, newFinding("W0706", diag.Warning, w.File, w.Line, 0, w.Msg, ""))
	}
	return values, labels, nil
}

func (a *app) readData(ctx context.Context, b binding) (*graphio.Raw, error) {
	f, err := a.open(ctx, b.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	progress := a.progress("reading "+f.name, f.size)
	raw, err := graphio.Read(progress.reader(f), f.name, b.opt)
	progress.done()
	if ctx.Err() != nil {
		return nil, stopped(ctx)
	}
	if err != nil {
		return nil, dataProblem(err)
	}
	return raw, nil
}

// dataProblem is a file that is not what it should be.
func dataProblem(err error) *problem {
	var list *graphio.ErrorList
	var one *graphio.Error
	switch {
	case errors.As(err, &list):
		p := inputProblem()
		for _, e := range list.List {
			p.data = append(p.data, newFinding("E0701", diag.Error, e.File, e.Line, e.Column, e.Msg, e.Hint))
		}
		if list.More > 0 {
			p.data = append(p.data, newFinding("E0701", diag.Error, list.List[0].File, 0, 0, fmt.Sprintf("and %d more errors", list.More), ""))
		}
		return p
	case errors.As(err, &one):
		return inputProblem(newFinding("E0701", diag.Error, one.File, one.Line, one.Column, one.Msg, one.Hint))
	}
	return inputProblem(newFinding("E0701", diag.Error, "", 0, 0, err.Error(), ""))
}

// bytecode loads a compiled program. Its nodes have the labels, and its inputs
// the sizes, that they had when it was built.
func (a *app) bytecode(ctx context.Context, l *loaded, text string, given []binding) error {
	p, err := code.Unmarshal([]byte(text), code.Limits{})
	if err != nil {
		problem := inputProblem(newFinding("E0704", diag.Error, l.name, 0, 0, err.Error(), "Build it again from its source with `ein build`."))
		if errors.Is(err, code.ErrLimit) {
			problem.class, problem.exit = classLimit, exitLimit
		}
		return problem
	}
	l.code = p
	names := make([]string, len(p.Inputs))
	decls := make([]declaration, len(p.Inputs))
	for i, in := range p.Inputs {
		names[i], decls[i] = in.Name, declaration{in.Name, in.Kind}
	}
	if err := unknownInput(l.name, names, given); err != nil {
		return err
	}
	missing := inputProblem()
	for _, in := range p.Inputs {
		if !slices.ContainsFunc(given, func(b binding) bool { return b.name == in.Name }) {
			missing.data = append(missing.data, newFinding("E0703", diag.Error, l.name, 0, 0, fmt.Sprintf("the input `%s` is not bound to any data", in.Name),
				fmt.Sprintf("Bind it on the command line: `--input %s=FILE`, a %s.", in.Name, in.Kind)))
		}
	}
	if len(missing.data) > 0 {
		return missing
	}
	if len(decls) == 0 {
		return nil
	}
	values, labels, err := a.data(ctx, l, decls, given, p.Labels)
	if err != nil {
		return err
	}
	if !slices.Equal(labels, p.Labels) {
		return inputProblem(newFinding("E0704", diag.Error, l.name, 0, 0, "the data has other nodes than the program was built for",
			"A compiled program is made for inputs of one size; run its source instead."))
	}
	bound := make(map[string]*tensor.Value, len(values))
	for i := range values {
		bound[names[i]] = &values[i]
	}
	lang.Normalise(bound)
	for _, name := range names {
		l.inputs = append(l.inputs, *bound[name])
	}
	return nil
}

// module plans the code of a program. It cannot fail on code that the compiler
// made or the verifier let pass.
func (l *loaded) module() *cost.Module {
	m, err := lang.Module(l.code, l.opt)
	if err != nil {
		panic("BUG: ein: " + err.Error())
	}
	return m
}

// problemAt is a problem with a place in the program: in its text, or, of
// bytecode, in the statement by name.
func (l *loaded) problemAt(class string, exit int, pos ir.Pos, d diag.Diagnostic) *problem {
	p := &problem{class: class, exit: exit}
	if l.file != nil {
		d.Span = span(pos)
		p.file, p.list = l.file, diag.List{d}
		return p
	}
	p.data = []finding{l.inBytecode(pos, d)}
	return p
}

func (l *loaded) inBytecode(pos ir.Pos, d diag.Diagnostic) finding {
	message := d.Message
	for _, s := range l.code.Stmts {
		if s.Pos.Start <= pos.Start && pos.End <= s.Pos.End {
			message = fmt.Sprintf("in the statement `%s`: %s", s.Name, message)
			break
		}
	}
	return newFinding(d.Code, d.Severity, l.name, 0, 0, message, strings.Join(d.Notes, " "))
}

func span(p ir.Pos) source.Span { return source.Span{Start: int(p.Start), End: int(p.End)} }
