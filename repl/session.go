// Package repl is the interactive session: a program that grows one entry at a time.
//
// A [Session] takes an entry, one or more statements or a command such as :why, and gives a
// [Reply] with results and diagnostics. A [Loop] connects a session to a source of lines (a
// [Terminal], or [Plain] text from a pipe) and two writers, and assembles entries from lines.
//
// # What an entry does
//
// The program is one source.File, to which the entry is appended and parsed in place. It is
// checked as a continuation of the program before it (check.Config.After; facts and rules alone
// by check.Grow), so it means the same as in a file, and the time does not grow with the session.
// It is then planned alone, with the values of earlier names as inputs (plan.Program.Use), and
// run, so it costs only its own work.
//
// All of that happens on a copy of the state, which replaces the state only if everything went
// well: an entry that fails changes nothing. If an entry brings new nodes, every graph of the
// program has more of them, and all entries are checked and run again (extend.go). A relation
// always has the rows that the facts and rules of all entries give it.
//
// # Commands
//
// Each command is a row of a table (command.go): its words, its help and its function. :why
// explains values (why.go, rule.go, evidence.go), :plot draws (plot.go), :save writes a program
// that means what the session means, even if names were used twice (program.go).
//
// A session has no terminal, and reaches files only through [Files]; it can therefore run in a
// test, a browser or a server.
package repl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"ein/bind"
	"ein/bind/project"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/graphio"
	"ein/vm/tensor"
)

// Files gives commands access to files, by the names that the user wrote.
type Files interface {
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Write replaces a file.
	Write(name string, data []byte) error
	// Same reports whether two names are those of one file, which is there.
	Same(a, b string) bool
	// Complete is the names that begin with a prefix; folders end in a separator.
	Complete(prefix string) []string
}

// DefaultMemory is what the values of a session and a statement may take
// together, unless Config says otherwise.
const DefaultMemory = 8 << 30

// Config says what a session may do. The zero value has the default limits and no
// files.
type Config struct {
	Name    string      // of the entries in diagnostics; default <stdin>
	Limits  cost.Limits // of each entry; the memory includes the values that are kept
	Workers int         // goroutines one kernel may use; 0 means one for each processor
	Full    bool        // show large values in full
	Numbers bool        // show nodes by number even when they have labels
	Columns func() int  // of the terminal; nil if there is none: pictures are then 80 wide
	Tables  bind.Tables // of formats that not every build reads
	// Settings is what ein.toml says of a program that is loaded; nil: nothing.
	Settings func(program string) (project.Settings, error)
	Files    Files // nil: commands that need files fail
	// Watch is asked, as an entry begins to run, for what is told how far it is, and for
	// what is called when it has ended; nil: nobody watches.
	Watch func() (tell func(doing func() string, done, all uint64), end func())
	// Begin is called before so many operations, which are within the limits, and may wait; nil: they begin at once.
	Begin func(ops uint64)
	Home  string // the folder that ~ stands for in names of files
}

// Reply is the result of an entry. Its values lie in the memory of the machine that ran it.
type Reply struct {
	values  []vm.Output    // results, which Print writes
	proofs  map[int]string // of a :why, before the value of that number
	showing show.Options
	mode    show.Format
	Out     string       // results of commands, after them
	Note    string       // what was done, for a person; not a result
	Diags   diag.List    // about File, or with places of their own
	File    *source.File // the session
	Failed  bool         // nothing was changed
	Limit   bool         // it failed at a limit of the session, and may be right
	Bug     string       // the stack of a bug in the session; "" when there is none
	Quit    bool

	// A reply that fails can be a question instead, to a person who is there to answer
	// it: after a yes, then is done.
	ask  string
	then func(context.Context) Reply

	wide  []byte // what is to be shown in a pager
	stats vm.Stats
	bound uint64 // the operations that were certified
}

// Print writes the results. Values are formatted as they are written, since they can be large.
func (r *Reply) Print(ctx context.Context, w io.Writer) error {
	for i := range r.values {
		if _, err := io.WriteString(w, r.proofs[i]); err != nil {
			return err
		}
		if err := show.Write(ctx, w, &r.values[i], r.mode, r.showing); err != nil {
			return err
		}
	}
	rest := r.proofs[len(r.values)] + r.Out
	if rest == "" { // what was interrupted has nothing to show
		return nil
	}
	_, err := io.WriteString(w, rest)
	return err
}

// Session is a program that grows. It is not safe for concurrent use.
type Session struct {
	cfg Config
	state
	line     int // of the entry in the input, from 1
	history  []string
	mode     show.Format  // of results
	view     show.Options // of results: Full, Nodes, Sort, Top and Precision
	assigned []vm.Output  // by the statement that the last entry ended in
	spent    Spent
}

// Spent is what the entries of a session have used together, and the operations that were certified.
type Spent struct{ Ops, Bound, PeakBytes uint64 }

// Spent returns what the entries so far have used.
func (s *Session) Spent() Spent { return s.spent }

// state is what an entry can change. An entry works on a copy, which replaces the state if all goes
// well.
type state struct {
	file    *source.File   // the program, each entry ending in a newline
	entries []*syntax.File // the statements of each
	program *check.Program // of all entries
	bound   []binding
	known   []string // the labels of the program's own graphs
	loaded  []string // files that were loaded
	// again has the entries, empty ones, at which a file is loaded again: what it said of relations
	// before counts no more, but for what was made of it.
	again   map[*syntax.File]string
	inputs  map[string]*tensor.Value
	labels  []string            // of all nodes, those first
	domains map[string][]string // labels in the entries of the other domains
	// numbered is how many nodes there are where rows name them by numbers alone.
	numbered int
	// kept is the value of each name. All copies of a state share it: it is changed
	// when an entry is accepted, and not before.
	kept  map[string]*tensor.Value
	bytes uint64 // of what is kept

	// What the program counts against the limits of a program.
	tokens, statements, added int
}

// binding is an input with its data.
type binding struct {
	graphio.Decl
	spec  string
	path  string // of its file
	alias bool   // it is known by another name, which an assignment gives it
}

// New starts a session.
func New(cfg Config) *Session {
	cfg.Name = cmp.Or(cfg.Name, "<stdin>")
	cfg.Limits.MaxBytes = cmp.Or(cfg.Limits.MaxBytes, DefaultMemory)
	s := &Session{cfg: cfg, line: 1, mode: show.Table, view: show.Options{Full: cfg.Full, Nodes: !cfg.Numbers}}
	s.reset()
	return s
}

func (s *Session) reset() {
	s.state = state{file: source.NewFile(s.cfg.Name, ""), kept: map[string]*tensor.Value{}}
	s.program = s.check(nil)
}

// session is the language of a session.
var session = lang.Options{Profile: check.Repl}

// Incomplete reports whether an entry of whole lines has errors that more lines
// could fix, and no other.
func (s *Session) Incomplete(entry string) bool {
	folder := false // behind it a slash may end a folder
	if name, arg, _ := splitCommand(entry); isCommand(entry) {
		if !takesStatement(name) {
			return false
		}
		entry, folder = arg, name == "plot" || name == "output"
	}
	if !lang.Parse("", entry, session).Incomplete {
		return false
	}
	var o openings
	o.add(entry)
	return o.depth > 0 || !folder && o.goesOn() // else the line has ended the statement
}

// openings is what the lines so far leave open.
type openings struct {
	depth int
	last  syntax.Kind
}

// add reads whole lines. The argument of a command counts, which is no token of a program.
func (o *openings) add(lines string) {
	if _, arg, _ := splitCommand(lines); isCommand(lines) {
		lines = arg
	}
	for _, t := range syntax.Tokens(lines) {
		switch t.Kind {
		case syntax.KindNewline, syntax.KindComment:
			continue
		case syntax.KindLParen, syntax.KindLBracket, syntax.KindLBrace:
			o.depth++
		case syntax.KindRParen, syntax.KindRBracket, syntax.KindRBrace:
			o.depth--
		}
		o.last = t.Kind
	}
}

// goesOn reports whether a statement does not end with the line.
func (o *openings) goesOn() bool {
	return o.depth > 0 || o.last.Continues()
}

// Eval runs one entry: statements, or a command. The context stops it.
func (s *Session) Eval(ctx context.Context, entry string) Reply {
	line := s.line
	defer func() { s.line = line + 1 + strings.Count(strings.TrimSuffix(entry, "\n"), "\n") }()
	if blank(entry) {
		return Reply{}
	}
	s.history, s.assigned = append(s.history, strings.TrimRight(entry, "\n")), nil
	r := s.attempt(func() Reply {
		if isCommand(entry) {
			return s.command(ctx, entry)
		}
		return s.statements(ctx, entry, s.cfg.Name, line)
	})
	if name := meantCommand(entry); r.Failed && len(r.Diags) > 0 && name != "" {
		r.Diags[0].Notes, r.Diags[0].Fixes = []string{"Commands begin with a colon: `:" + name + "`."}, nil
	}
	return r
}

// refused is a reply that ends an entry by a panic: an entry can be wrong in dozens of places, and
// no function on the way could do anything about it.
type refused Reply

// attempt evaluates an entry and returns the reply. If the entry is refused, or fails by a bug, the
// session stays as before.
func (s *Session) attempt(entry func() Reply) (r Reply) {
	before := s.state
	defer func() {
		switch p := recover().(type) {
		case nil:
		case refused:
			s.state, r = before, Reply(p)
		default:
			s.state, r = before, Reply{Failed: true, Bug: fmt.Sprintf("%v\n\n%s", p, debug.Stack())}
		}
	}()
	return entry()
}

// last is the value of the assignment that ended the session, which a program without :print prints
// too.
func (s *Session) last(context.Context) Reply {
	return Reply{values: s.assigned, showing: s.showing(&s.state), mode: s.mode}
}

// blank reports whether a text has no statement in it.
func blank(text string) bool {
	return !slices.ContainsFunc(syntax.Tokens(text), func(t syntax.Token) bool {
		return t.Kind != syntax.KindNewline && t.Kind != syntax.KindComment && t.Kind != syntax.KindSemicolon
	})
}

// refuse is the reply to an entry with errors.
func (s *state) refuse(list diag.List) Reply {
	return Reply{Failed: true, Limit: list.Class() == diag.Limit, Diags: list, File: s.file}
}

// statements adds statements to the program, with the data of their inputs, and runs them.
func (s *Session) statements(ctx context.Context, text, name string, line int, bound ...binding) Reply {
	next := s.state
	next.bound = slices.Clone(next.bound)
	for _, b := range bound {
		i := slices.IndexFunc(next.bound, func(old binding) bool { return old.Name == b.Name })
		if i < 0 {
			next.bound = append(next.bound, b)
			continue
		}
		next.bound[i], next.inputs = b, maps.Clone(next.inputs)
		delete(next.inputs, b.Name)
	}
	e := s.extend(&next, text, name, line)
	r := s.run(ctx, &next, e)
	for _, w := range bound {
		if v := next.inputs[w.Name]; v != nil && !w.alias {
			r.Note = w.Name + ": " + describeValue(v) + "\n" + r.Note
		}
	}
	s.accept(&next, e)
	return r
}

// accept makes an entry part of the session.
func (s *Session) accept(next *state, e *entry) {
	for name, v := range e.made {
		if old := next.kept[name]; old != nil {
			next.bytes -= size(old)
		}
		next.bytes += size(v)
		next.kept[name] = v
	}
	s.state = *next
}

// definition is the statement that gave a name its present value, or nil. A printed expression is a
// statement too, but its text is never a bare name.
func (s *state) definition(name string) *check.Output {
	for i := len(s.program.Statements) - 1; i >= 0; i-- {
		if st := &s.program.Statements[i]; st.Name == name {
			return st
		}
	}
	return nil
}

// tensors returns the names of the session in the order of their definition.
func (s *state) tensors() []string {
	var out []string
	seen := map[string]bool{}
	for _, in := range s.program.Inputs {
		if len(in.Columns) == 0 { // else a relation
			out = append(out, in.Name)
			seen[in.Name] = true
		}
	}
	for _, st := range s.program.Statements {
		if s.kept[st.Name] != nil && !seen[st.Name] {
			out = append(out, st.Name)
			seen[st.Name] = true
		}
	}
	return out
}

// value is what a name stands for now.
func (s *state) value(name string) *tensor.Value { return cmp.Or(s.kept[name], s.inputs[name]) }

// width returns the width of the terminal, 0 without one.
func (s *Session) width() int {
	if s.cfg.Columns == nil {
		return 0
	}
	return s.cfg.Columns()
}

func (s *Session) showing(of *state) show.Options {
	opt := s.view
	opt.Labels, opt.Version, opt.Columns, opt.Hint = of.program.Labels, 2, s.width(), ":full shows all"
	opt.Nodes = opt.Nodes && len(opt.Labels) > 0
	return opt
}
