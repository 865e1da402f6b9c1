package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"ein/bind"
	"ein/internal/codes"
	"ein/internal/words"
	"ein/lang"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/syntax"
	"ein/vm/cost"
	"ein/vm/graphio"
)

// The commands that read and write files.

// maxProgram bounds what is read of a program; the parser's limit is lower.
const maxProgram = 64 << 20

// path is the name of a file, with ~ replaced by the home folder.
func (s *Session) path(name string) string { return Path(name, s.cfg.Home) }

// Path returns the name of a file, with ~ replaced by the home folder.
func Path(name, home string) string {
	if rest, ok := strings.CutPrefix(name, "~"); ok && home != "" && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		return home + rest
	}
	return name
}

// mayWrite refuses to write the data of an input.
func (s *Session) mayWrite(name string) {
	s.needsFiles()
	for _, b := range s.bound {
		if s.cfg.Files.Same(name, b.path) {
			panic(refused(failure("%s has the data of the input `%s`, and would be overwritten", name, b.Name)))
		}
	}
}

func (s *Session) needsFiles() {
	if s.cfg.Files == nil {
		panic(refused(failure("this session has no access to files")))
	}
}

// open opens a program for reading. It panics with the reply to a failure, which ends the entry.
func (s *Session) open(ctx context.Context, name string) io.ReadCloser {
	s.needsFiles()
	f, err := s.cfg.Files.Open(ctx, name)
	if err != nil && ctx.Err() != nil {
		panic(notRead(ctx, name))
	}
	if err != nil {
		r := fileFailure(name, "read", err)
		if whole := name + ".ein"; s.cfg.Files.Same(whole, whole) {
			r.Diags[0].Notes = []string{"Did you mean `" + whole + "`?"}
		}
		panic(refused(r))
	}
	return f
}

// fileFailure is the reply about a file that cannot be read or written.
func fileFailure(name, done string, err error) Reply {
	return refusal(codes.E0702, name, fmt.Sprintf("the file cannot be %s: %v", done, bind.Cause(err)), "")
}

// wrongData is the reply about mistakes in a data file.
func wrongData(err error) refused { return refused((&state{}).refuse(bind.Findings(err))) }

// readData reads the file of an input.
func (s *Session) readData(ctx context.Context, d bind.Declared, spec string) binding {
	spec = s.path(spec)
	in, err := bind.New(d.Name, spec)
	if err != nil {
		panic(refused(failure("%v", err)))
	}
	return s.readInput(ctx, in, d)
}

// said is the data of inputs in ein.toml.
func (s *Session) said(name string, program *syntax.File) []bind.Input {
	if s.cfg.Settings == nil {
		return nil
	}
	var names []string
	for _, st := range program.Stmts {
		if in, ok := st.(*syntax.Input); ok {
			names = append(names, in.Name.Name)
		}
	}
	said, err := s.cfg.Settings(name)
	if err != nil {
		panic(wrongData(err))
	}
	list, err := said.Inputs(names)
	if err != nil {
		panic(wrongData(err))
	}
	return list
}

// readInput reads the data of an input that settings name. It panics with the reply to a failure.
func (s *Session) readInput(ctx context.Context, in bind.Input, d bind.Declared) binding {
	read := bind.Reader{Tables: s.cfg.Tables, Ledger: &cost.Ledger{Max: s.cfg.Limits.MaxBytes}, Lines: true}
	if s.cfg.Files != nil {
		read.Open = s.cfg.Files.Open
	}
	raw, err := read.Read(ctx, in, d)
	if ctx.Err() != nil {
		panic(notRead(ctx, in.Path))
	}
	if err != nil {
		panic(wrongData(err))
	}
	return binding{Decl: graphio.Decl{Name: in.Name, Raw: raw}, spec: in.Options.Spec(in.Path), path: in.Path}
}

// notRead is the reply when the entry was stopped while it read a file.
func notRead(ctx context.Context, name string) refused {
	r := failure("%s: nothing was read of %s", describe.Reason(context.Cause(ctx)), name)
	r.Limit = !errors.Is(context.Cause(ctx), context.Canceled)
	return refused(r)
}

var inputPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)(?:\s*:\s*([A-Za-z]+))?\s*=?\s+(\S.*)$`)
})

var relationPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*\s*\([^()]*\))\s*=?\s+(\S.*)$`)
})

// relationInput declares a relation and binds it, as in Pay(from: node, to: node) pay.csv.
func (s *Session) relationInput(ctx context.Context, declaration, spec string) Reply {
	text := "input " + declaration
	parsed := lang.Parse(s.cfg.Name, text, lang.Options{})
	if parsed.Diags.HasErrors() {
		return (&state{file: parsed.Source}).refuse(parsed.Diags)
	}
	in := parsed.Stmts[0].(*syntax.Input)
	if s.twice(in) {
		text = ""
	}
	b := s.readData(ctx, bind.Declares(in), spec)
	return s.statements(ctx, text, s.cfg.Name, s.line, b)
}

// twice reports whether an input with columns is declared already, and gets new data. It refuses one whose
// name is another relation.
func (s *Session) twice(in *syntax.Input) bool {
	another := false
	for _, st := range s.program.File.Stmts { // though rules may read it
		name, ok := syntax.RelationOf(st)
		if len(in.Columns) == 0 || !ok || name.Name != in.Name.Name {
			continue
		}
		old, ok := st.(*syntax.Input)
		if ok && slices.EqualFunc(old.Columns, in.Columns, func(x, y syntax.Column) bool {
			return x.Name.Name == y.Name.Name && x.Type.Name == y.Type.Name
		}) {
			return true
		}
		another = true
	}
	if another {
		panic(refused(failure("the session has another relation `%s` already; `:reset` forgets the session", in.Name.Name)))
	}
	return false
}

// input declares an input and binds it. If the name is taken, the input gets a fresh name, and its
// value is assigned to the old one, so that what used the old value keeps it.
func (s *Session) input(ctx context.Context, arg string) Reply {
	if m := relationPattern().FindStringSubmatch(arg); m != nil {
		return s.relationInput(ctx, m[1], unquote(m[2]))
	}
	m := inputPattern().FindStringSubmatch(arg)
	if m == nil {
		return failure("expected a name and a file, as in `:input A: matrix weights.csv` or `:input Pay(from: node, to: node) pay.csv`, found `%s`", words.Shorten(arg, 40))
	}
	name, kind, spec := m[1], cmp.Or(m[2], string(graphio.Graph)), unquote(m[3])
	kinds := []string{"graph", "matrix", "vector", "scalar"}
	if !slices.Contains(kinds, kind) {
		hint := ""
		if near, ok := diag.Suggest(kind, kinds); ok {
			hint = "Did you mean `" + near + "`? "
		}
		return refusal(codes.E0209, "", fmt.Sprintf("`%s` is not a kind of input", kind),
			hint+"The kinds are graph (0/1 and square), matrix, vector and scalar.")
	}
	declared := name
	if s.value(name) != nil {
		declared = fresh(name, s.file.Text)
	}
	b := s.readData(ctx, bind.Declared{Name: declared, Kind: graphio.Kind(kind)}, spec)
	b.alias = declared != name
	text := "input " + declared + ": " + kind
	if b.alias {
		text += "\n" + name + " = " + declared
	}
	return s.statements(ctx, text, s.cfg.Name, s.line, b)
}

// unquote removes the quotes around a file name. The last one may be missing, as after a Tab.
func unquote(s string) string {
	if rest, quoted := strings.CutPrefix(s, `"`); quoted {
		return strings.TrimSuffix(rest, `"`)
	}
	return s
}

// fields splits an argument at blanks outside quotes.
func fields(s string) []string {
	var out []string
	var b strings.Builder
	quoted, some := false, false
	for _, r := range s {
		switch {
		case r == '"':
			quoted, some = !quoted, true
		case (r == ' ' || r == '\t') && !quoted:
			if some {
				out = append(out, b.String())
			}
			b.Reset()
			some = false
		default:
			b.WriteRune(r)
			some = true
		}
	}
	if some {
		out = append(out, b.String())
	}
	return out
}

// load adds the statements of a program to the session. Inputs get data from the arguments, else
// from the settings beside the program; all of it is read before anything changes.
func (s *Session) load(ctx context.Context, arg string) Reply {
	args := fields(arg)
	args[0] = s.path(args[0])
	if _, data := graphio.FormatOf(args[0]); data {
		return failure("%s is data, expected a program; `:input NAME %s` binds it to an input", args[0], args[0])
	}
	i := slices.IndexFunc(s.loaded, func(name string) bool { return s.cfg.Files != nil && s.cfg.Files.Same(name, args[0]) })
	if i >= 0 {
		args[0] = s.loaded[i]
	}
	f := s.open(ctx, args[0])
	b, err := io.ReadAll(io.LimitReader(f, maxProgram))
	_ = f.Close()
	if ctx.Err() != nil {
		panic(notRead(ctx, args[0]))
	}
	if err != nil {
		return fileFailure(args[0], "read", err)
	}
	text := string(b)
	if strings.HasPrefix(text, "\x7fEIN") {
		return failure("%s is bytecode, expected the source of a program", args[0])
	}
	parsed := lang.Parse(args[0], text, lang.Options{})
	var bound []binding
	has := func(name string) bool {
		return slices.ContainsFunc(bound, func(b binding) bool { return b.Name == name })
	}
	as := func(name string) bind.Declared {
		return bind.Declares(parsed.Stmts[declared(parsed, name)].(*syntax.Input))
	}
	for _, a := range args[1:] {
		name, spec, ok := strings.Cut(a, "=")
		switch {
		case !ok:
			return failure("expected NAME=DATA after the program, found `%s`", words.Shorten(a, 40))
		case declared(parsed, name) < 0:
			return failure("%s has no input `%s`", args[0], name)
		case has(name):
			return failure("%s is bound twice", name)
		}
		bound = append(bound, s.readData(ctx, as(name), spec))
	}
	for _, in := range s.said(args[0], parsed) {
		if !has(in.Name) {
			bound = append(bound, s.readInput(ctx, in, as(in.Name)))
		}
	}
	if i < 0 {
		s.loaded = append(slices.Clip(s.loaded), args[0])
	} else if !parsed.Diags.HasErrors() {
		s.takeBack(args[0])
	}
	if blank(text) {
		return Reply{Note: args[0] + " has no statements\n"}
	}
	for _, st := range parsed.Stmts {
		if in, ok := st.(*syntax.Input); ok {
			s.twice(in)
		}
	}
	// The data is bound in the order of the declarations, as ein run does.
	sort.SliceStable(bound, func(i, j int) bool { return declared(parsed, bound[i].Name) < declared(parsed, bound[j].Name) })
	return s.statements(ctx, s.freeInputs(parsed, bound), args[0], 1, bound...)
}

// freeInputs is the text of a program with inputs renamed that the session already has. Their values
// are then assigned to the names, as in input. Relations are left out, as they get new data.
func (s *Session) freeInputs(f *syntax.File, bound []binding) string {
	text := f.Source.Text
	for _, st := range slices.Backward(f.Stmts) {
		in, ok := st.(*syntax.Input)
		if !ok || s.value(in.Name.Name) == nil {
			continue
		}
		name := in.Name.Name
		if !f.Diags.HasErrors() && !slices.ContainsFunc(bound, func(b binding) bool { return b.Name == name }) { // the text is still what the user wrote
			none := diag.New(codes.E0217, in.Span, "the input `%s` has no value", name).Noted(howToBind)
			panic(refused((&state{file: f.Source}).refuse(diag.List{*none})))
		}
		if len(in.Columns) > 0 { // it gets other data
			text = text[:in.Start] + blanked(text[in.Start:in.End]) + text[in.End:]
			continue
		}
		free := fresh(name, s.file.Text, text)
		text = text[:in.Name.Span.Start] + free + text[in.Name.Span.End:in.End] + "; " + name + " = " + free + text[in.End:]
		for i := range bound {
			if bound[i].Name == name {
				bound[i].Name, bound[i].alias = free, true
			}
		}
	}
	return text
}

// blanked is a text of as many lines with nothing in them.
func blanked(text string) string { return strings.Repeat("\n", strings.Count(text, "\n")) }

func declared(f *syntax.File, name string) int {
	return slices.IndexFunc(f.Stmts, func(st syntax.Stmt) bool { in, ok := st.(*syntax.Input); return ok && in.Name.Name == name })
}

// save writes the statements of the session as a program. It asks before it overwrites a file,
// never overwrites data of an input, and warns of a program that does not run on its own.
func (s *Session) save(ctx context.Context, arg string) Reply {
	name := s.path(unquote(arg))
	s.mayWrite(name)
	save := func(context.Context) Reply {
		text := s.Program(name)
		if err := s.cfg.Files.Write(name, []byte(text)); err != nil {
			return fileFailure(name, "written", err)
		}
		n := len(slices.Concat(s.current()...))
		r := Reply{Note: fmt.Sprintf("%s written to %s\n", words.Plural(n, "statement"), name)}
		p := lang.Check(lang.Parse(name, text, lang.Options{}), lang.Options{Inputs: s.inputs, Labels: s.labels, ErrorsOnly: true})
		if i := slices.IndexFunc(p.Diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }); i >= 0 { // as of a relation that is still missing
			at := p.File.Source.Position(p.Diags[i].Span.Start)
			r.Diags = diag.List{diag.Finding(p.Diags[i].Code, diag.Warning, name, at.Line, 0, "the program does not run yet: "+p.Diags[i].Message, "")}
		}
		return r
	}
	if !s.cfg.Files.Same(name, name) {
		return save(ctx)
	}
	r := refusal("", "", name+" already exists", "Remove it first, or name another file.")
	r.ask, r.then = name+" already exists. Overwrite it? [y/N] ", save
	return r
}
