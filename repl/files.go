package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// path is the name of a file with the home folder in place of ~.
func (s *Session) path(name string) string { return Path(name, s.cfg.Home) }

// Path is the name of a file with the home folder in place of ~.
func Path(name, home string) string {
	if rest, ok := strings.CutPrefix(name, "~"); ok && home != "" && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		return home + rest
	}
	return name
}

// complete is the names of files that begin with a prefix, and with ~ if that does.
func (s *Session) complete(prefix string) []string {
	list := s.cfg.Files.Complete(s.path(prefix))
	if s.path(prefix) != prefix {
		for i, name := range list {
			list[i] = "~" + strings.TrimPrefix(name, s.cfg.Home)
		}
	}
	return list
}

// writable is nil for a file that the session may write: not the data of an input.
func (s *Session) writable(name string) *Reply {
	var r Reply
	if s.cfg.Files == nil {
		r = failure("this session has no access to files")
		return &r
	}
	for _, b := range s.bound {
		if s.cfg.Files.Same(name, b.path) {
			r = failure("%s has the data of the input `%s`, and would be overwritten", name, b.Name)
			return &r
		}
	}
	return nil
}

func (s *Session) open(ctx context.Context, name string) (io.ReadCloser, *Reply) {
	if s.cfg.Files == nil {
		r := failure("this session has no access to files")
		return nil, &r
	}
	f, err := s.cfg.Files.Open(ctx, name)
	if err != nil && ctx.Err() != nil {
		return nil, notRead(ctx, name)
	}
	if err != nil {
		r := fileFailure(name, "read", err)
		return nil, &r
	}
	return f, nil
}

// fileFailure is a file that cannot be read or written at all.
func fileFailure(name, done string, err error) Reply {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return refusal(codes.E0702, name, fmt.Sprintf("the file cannot be %s: %v", done, err), "")
}

// dataReply is a data file that is not what it should be.
func dataReply(err error) *Reply {
	return (&state{}).refuse(bind.Findings(err))
}

// readData reads the file of an input.
func (s *Session) readData(ctx context.Context, d bind.Declared, spec string) (binding, *Reply) {
	spec = s.path(spec)
	in, err := bind.New(d.Name, spec)
	if err != nil {
		r := failure("%v", err)
		return binding{}, &r
	}
	return s.readInput(ctx, in, d)
}

// said is the data that files give the inputs of a program.
func (s *Session) said(name string, program *syntax.File) ([]bind.Input, *Reply) {
	if s.cfg.Settings == nil {
		return nil, nil
	}
	var names []string
	for _, st := range program.Stmts {
		if in, ok := st.(*syntax.Input); ok {
			names = append(names, in.Name.Name)
		}
	}
	said, err := s.cfg.Settings(name)
	if err != nil {
		return nil, dataReply(err)
	}
	list, err := said.Inputs(names)
	if err != nil {
		return nil, dataReply(err)
	}
	return list, nil
}

func (s *Session) readInput(ctx context.Context, in bind.Input, d bind.Declared) (binding, *Reply) {
	read := bind.Reader{Tables: s.cfg.Tables, Ledger: &cost.Ledger{Max: s.cfg.Limits.MaxBytes}}
	if s.cfg.Files != nil {
		read.Open = s.cfg.Files.Open
	}
	raw, err := read.Read(ctx, in, d)
	if ctx.Err() != nil {
		return binding{}, notRead(ctx, in.Path)
	}
	if err != nil {
		return binding{}, dataReply(err)
	}
	return binding{Decl: graphio.Decl{Name: in.Name, Raw: raw}, spec: in.Options.Spec(in.Path), path: in.Path}, nil
}

// notRead is the reply when the entry was stopped while it read a file.
func notRead(ctx context.Context, name string) *Reply {
	r := failure("%s: nothing was read of %s", describe.Reason(context.Cause(ctx)), name)
	r.Limit = !errors.Is(context.Cause(ctx), context.Canceled)
	return &r
}

var inputPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)(?:\s*:\s*([A-Za-z]+))?\s*=?\s+(\S.*)$`)
})

var relationPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*\s*\([^()]*\))\s*=?\s+(\S.*)$`)
})

// relationInput is input for one with columns, as in Pay(from: node, to: node) pay.csv.
func (s *Session) relationInput(ctx context.Context, declaration, spec string) Reply {
	text := "input " + declaration
	parsed := lang.Parse(s.cfg.Name, text, lang.Options{})
	if parsed.Diags.HasErrors() {
		return *(&state{file: parsed.Source}).refuse(parsed.Diags)
	}
	in := parsed.Stmts[0].(*syntax.Input)
	if fail := s.twice(in); fail != nil {
		return *fail
	}
	b, fail := s.readData(ctx, bind.Declares(in), spec)
	if fail != nil {
		return *fail
	}
	return s.withData(ctx, []binding{b}, text, s.cfg.Name, s.line)
}

// twice refuses an input with columns whose name is that of a relation already.
func (s *Session) twice(in *syntax.Input) *Reply {
	if len(in.Columns) == 0 || !s.relation(&syntax.Name{Name: in.Name.Name}) {
		return nil
	}
	r := failure("the session has a relation `%s` already; `:reset` forgets the session", in.Name.Name)
	return &r
}

// input declares an input and binds it. A name that is taken is given the value
// of an input with a fresh name, so that what used the old one keeps it.
func (s *Session) input(ctx context.Context, arg string) Reply {
	if m := relationPattern().FindStringSubmatch(arg); m != nil {
		return s.relationInput(ctx, m[1], unquote(m[2]))
	}
	m := inputPattern().FindStringSubmatch(arg)
	if m == nil {
		return failure("expected a name and a file, as in `:input A: matrix weights.csv` or `:input Pay(from: node, to: node) pay.csv`, found `%s`", words.Shorten(arg, 40))
	}
	name, kind, spec := m[1], m[2], unquote(m[3])
	if kind == "" {
		kind = string(graphio.Graph)
	}
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
		declared = fresh(name, nil, s.file.Text)
	}
	b, fail := s.readData(ctx, bind.Declared{Name: declared, Kind: graphio.Kind(kind)}, spec)
	if fail != nil {
		return *fail
	}
	b.alias = declared != name
	text := "input " + declared + ": " + kind
	if b.alias {
		text += "\n" + name + " = " + declared
	}
	return s.withData(ctx, []binding{b}, text, s.cfg.Name, s.line)
}

// withData adds statements together with the data of their inputs.
func (s *Session) withData(ctx context.Context, bound []binding, text, name string, line int) Reply {
	next := s.state
	next.bound = append(slices.Clip(next.bound), bound...)
	e, fail := s.extend(&next, text, name, line)
	if fail != nil {
		return *fail
	}
	r, fail := s.run(ctx, &next, e)
	if fail != nil {
		return *fail
	}
	for _, w := range bound {
		if v := next.inputs[w.Name]; v != nil && !w.alias {
			r.Note = w.Name + ": " + describeValue(v) + "\n" + r.Note
		}
	}
	s.accept(&next, e)
	return *r
}

// unquote takes the quotes off a file name.
func unquote(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
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

func (s *Session) load(ctx context.Context, arg string) Reply {
	args := fields(arg)
	if len(args) == 0 {
		return failure("`:load` needs a file")
	}
	args[0] = s.path(args[0])
	f, fail := s.open(ctx, args[0])
	if fail != nil {
		return *fail
	}
	b, err := io.ReadAll(io.LimitReader(f, maxProgram))
	_ = f.Close()
	if ctx.Err() != nil {
		return *notRead(ctx, args[0])
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
	for _, a := range args[1:] {
		name, spec, ok := strings.Cut(a, "=")
		if !ok {
			return failure("expected NAME=DATA after the program, found `%s`", words.Shorten(a, 40))
		}
		i := slices.IndexFunc(parsed.Stmts, func(st syntax.Stmt) bool { in, ok := st.(*syntax.Input); return ok && in.Name.Name == name })
		if i < 0 {
			return failure("%s has no input `%s`", args[0], name)
		}
		if slices.ContainsFunc(bound, func(b binding) bool { return b.Name == name }) {
			return failure("%s is bound twice", name)
		}
		one, fail := s.readData(ctx, bind.Declares(parsed.Stmts[i].(*syntax.Input)), spec)
		if fail != nil {
			return *fail
		}
		bound = append(bound, one)
	}
	said, fail := s.said(args[0], parsed)
	if fail != nil {
		return *fail
	}
	for _, in := range said {
		if slices.ContainsFunc(bound, func(b binding) bool { return b.Name == in.Name }) {
			continue
		}
		one, fail := s.readInput(ctx, in, bind.Declares(parsed.Stmts[declared(parsed, in.Name)].(*syntax.Input)))
		if fail != nil {
			return *fail
		}
		bound = append(bound, one)
	}
	if blank(text) {
		return Reply{Note: args[0] + " has no statements\n"}
	}
	for _, st := range parsed.Stmts {
		if in, ok := st.(*syntax.Input); ok {
			if fail := s.twice(in); fail != nil {
				return *fail
			}
		}
	}
	// The data is bound in the order of the declarations, as ein run does.
	sort.SliceStable(bound, func(i, j int) bool { return declared(parsed, bound[i].Name) < declared(parsed, bound[j].Name) })
	return s.withData(ctx, bound, s.freeInputs(parsed, bound), args[0], 1)
}

// freeInputs is the text of a program in which inputs have names that are free in
// the session. The name that was taken is given the value, as by another assignment.
func (s *Session) freeInputs(f *syntax.File, bound []binding) string {
	text := f.Source.Text
	for _, st := range slices.Backward(f.Stmts) {
		in, ok := st.(*syntax.Input)
		if !ok || s.value(in.Name.Name) == nil {
			continue
		}
		name := in.Name.Name
		free := fresh(name, nil, s.file.Text, text)
		text = text[:in.Name.Span.Start] + free + text[in.Name.Span.End:in.End] + "; " + name + " = " + free + text[in.End:]
		for i := range bound {
			if bound[i].Name == name {
				bound[i].Name, bound[i].alias = free, true
			}
		}
	}
	return text
}

func declared(f *syntax.File, name string) int {
	return slices.IndexFunc(f.Stmts, func(st syntax.Stmt) bool { in, ok := st.(*syntax.Input); return ok && in.Name.Name == name })
}

func (s *Session) save(ctx context.Context, arg string) Reply {
	name := s.path(unquote(arg))
	if fail := s.writable(name); fail != nil {
		return *fail
	}
	save := func(context.Context) Reply {
		if err := s.cfg.Files.Write(name, []byte(s.Program(name))); err != nil {
			return fileFailure(name, "written", err)
		}
		return Reply{Note: fmt.Sprintf("%s written to %s\n", words.Plural(len(s.program.File.Stmts), "statement"), name)}
	}
	if !s.cfg.Files.Same(name, name) {
		return save(ctx)
	}
	r := refusal("", "", name+" is there already", "Remove it first, or name another file.")
	r.ask, r.then = name+" is there already. Overwrite it? [y/N] ", save
	return r
}
