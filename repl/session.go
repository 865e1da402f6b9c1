// Package repl is the interactive session: a program that grows by one entry at a
// time.
//
// A Session takes text and gives results and diagnostics; it knows no terminal
// and no file system. An entry is checked against the whole program, so that it
// means what it would mean in a file, and run against the values that are there,
// so that it costs only its own work. An entry that fails changes nothing. Loop
// puts a session between a reader of lines and two writers.
package repl

import (
	"context"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

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

// Files is how commands reach files. Names are those that the user wrote.
type Files interface {
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Write replaces a file.
	Write(name string, data []byte) error
	// Complete is the names that begin with a prefix; folders end in a separator.
	Complete(prefix string) []string
}

// DefaultMemory is what the values of a session and a statement may take
// together, unless Config says otherwise.
const DefaultMemory = 8 << 30

// Config says what a session may do. The zero value has the default limits and no
// files.
type Config struct {
	Name    string        // of the entries in diagnostics; default <stdin>
	Limits  cost.Limits   // of each entry; the memory includes the values that are kept
	Timeout time.Duration // of each entry; 0 is none
	Workers int           // goroutines one kernel may use; 0 means one for each processor
	Full    bool          // show large values in full
	Numbers bool          // show nodes by number even when they have labels
	Columns func() int    // width of pictures; nil means 80
	Files   Files         // nil: commands that need files say that there are none
}

// Reply is what an entry gave.
type Reply struct {
	Out      string    // results
	Note     string    // what was done, for a person; not a result
	Problems []Problem // in the order they are shown
	Failed   bool      // nothing was changed
	Bug      string    // the stack of a bug in the session; "" when there is none
	Quit     bool

	stats vm.Stats
	bound uint64 // the operations that were certified
}

// Problem is diagnostics with places in one text, or one finding about a file.
type Problem struct {
	File    *source.File
	List    diag.List
	Finding *diag.JSONDiagnostic
}

// Session is a program that grows. It is not safe for concurrent use.
type Session struct {
	cfg Config
	state
	line    int // of the entry in the input, from 1
	history []string
}

// state is what an entry can change. An entry works on a copy, which replaces the
// state when all went well.
type state struct {
	text    string  // the program, each entry ending in a newline
	chunks  []chunk // where the entries stand in it
	program *check.Program
	bound   []binding
	known   []string // the labels that the inputs were bound with
	inputs  map[string]*tensor.Value
	labels  []string
	kept    map[string]*tensor.Value // the value of each name
}

// chunk is an entry: where it begins in the program, and where it was read.
type chunk struct {
	start int
	name  string
	line  int
}

// binding is an input with its data.
type binding struct {
	graphio.Decl
	spec string
}

// New starts a session.
func New(cfg Config) *Session {
	if cfg.Name == "" {
		cfg.Name = "<stdin>"
	}
	if cfg.Limits.MaxBytes == 0 {
		cfg.Limits.MaxBytes = DefaultMemory
	}
	if cfg.Columns == nil {
		cfg.Columns = func() int { return 80 }
	}
	s := &Session{cfg: cfg, line: 1}
	s.reset()
	return s
}

func (s *Session) reset() {
	s.state = state{program: lang.Check(lang.Parse(s.cfg.Name, "", session), session)}
}

// session is the language of a session.
var session = lang.Options{Profile: check.Repl}

// Incomplete reports whether an entry of whole lines has errors that more lines
// could cure, and no other.
func (s *Session) Incomplete(entry string) bool {
	if isCommand(entry) || !lang.Parse("", entry, session).Incomplete {
		return false
	}
	var o openings
	o.add(entry)
	return o.goesOn() // else the line has ended the statement
}

// openings is what lines leave open.
type openings struct {
	depth int
	last  syntax.Kind
}

// add reads whole lines.
func (o *openings) add(lines string) {
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
func (o *openings) goesOn() bool { return o.depth > 0 || continues(o.last) }

// Eval runs one entry: statements, or a command. The context stops it. A panic is
// a bug: it is in the reply, and the session is as before.
func (s *Session) Eval(ctx context.Context, entry string) (r Reply) {
	before, line := s.state, s.line
	defer func() {
		s.line = line + 1 + strings.Count(strings.TrimSuffix(entry, "\n"), "\n")
		if p := recover(); p != nil {
			s.state = before
			r = Reply{Failed: true, Bug: fmt.Sprintf("%v\n\n%s", p, debug.Stack())}
		}
	}()
	if s.cfg.Timeout > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeoutCause(ctx, s.cfg.Timeout, timedOut(s.cfg.Timeout))
		defer cancel()
	}
	if blank(entry) {
		return Reply{}
	}
	s.history = append(s.history, strings.TrimRight(entry, "\n"))
	if isCommand(entry) {
		return s.command(ctx, entry)
	}
	return s.statements(ctx, entry, s.cfg.Name, s.line)
}

// blank reports whether a text has no statement in it.
func blank(text string) bool {
	for _, t := range syntax.Tokens(text) {
		if t.Kind != syntax.KindNewline && t.Kind != syntax.KindComment && t.Kind != syntax.KindSemicolon {
			return false
		}
	}
	return true
}

// statements adds statements to the program and runs them.
func (s *Session) statements(ctx context.Context, text, name string, line int) Reply {
	next := s.clone()
	e, fail := s.extend(&next, text, name, line)
	if fail != nil {
		return *fail
	}
	r, fail := s.run(ctx, &next, e, true)
	if fail != nil {
		return *fail
	}
	s.state = next
	return *r
}

func (s *state) clone() state {
	next := *s
	next.chunks = slices.Clip(s.chunks)
	next.bound = slices.Clip(s.bound)
	next.inputs = maps.Clone(s.inputs)
	next.kept = maps.Clone(s.kept)
	if next.kept == nil {
		next.kept = map[string]*tensor.Value{}
	}
	return next
}

// entry is an entry that checks.
type entry struct {
	start int              // in the text
	stale bool             // the values that are kept are of other sizes than the program has now
	only  *check.Statement // nothing but this statement is asked for
	diags diag.List
	data  []Problem // warnings about data files
}

// extend appends an entry to a program and checks it. The reply is not nil when
// it is refused.
func (s *Session) extend(next *state, text, name string, line int) (*entry, *Reply) {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "\ufeff"), "\n") + "\n"
	alone := lang.Parse(name, text, session)
	next.makeRoom(alone)
	e := &entry{start: len(next.text)}
	next.chunks = append(next.chunks, chunk{e.start, name, line})
	next.text += text
	if alone.Diags.HasErrors() {
		list := slices.Clone(alone.Diags)
		for i := range list {
			list[i] = moved(list[i], e.start)
		}
		return nil, next.refuse(list)
	}
	// The statements that are there keep their trees: only the entry is parsed, at
	// its place in the text.
	f := lang.Parse(s.cfg.Name, strings.Repeat(" ", e.start)+text, session)
	f.Source = source.NewFile(s.cfg.Name, next.text)
	f.Stmts = append(slices.Clip(next.program.File.Stmts), f.Stmts...)
	f.Comments = append(slices.Clip(next.program.File.Comments), f.Comments...)
	if n := statementsOf(f); n > syntax.DefaultStatements {
		f.Diags = append(f.Diags, diag.Diagnostic{Code: "E0504", Span: source.Span{Start: e.start, End: e.start},
			Message: fmt.Sprintf("the session has %d statements, the limit of a program is %d", n, syntax.DefaultStatements),
			Notes:   []string{"`:save` writes the session to a file, `:reset` forgets it."}})
	}
	if f.Diags.HasErrors() { // a limit of the whole program
		return nil, next.refuse(f.Diags)
	}
	if fail := next.bind(f, e); fail != nil {
		return nil, fail
	}
	opt := session
	opt.Inputs, opt.Labels = next.inputs, next.labels
	p := lang.Check(f, opt)
	if !p.Diags.HasErrors() {
		p.Diags = append(p.Diags, unbound(p)...)
	}
	if p.Diags.HasErrors() {
		return nil, next.refuse(p.Diags)
	}
	if !slices.Equal(p.Labels, s.program.Labels) {
		e.stale = true
	}
	next.program = p
	for _, d := range p.Diags {
		if d.Span.Start >= e.start {
			e.diags = append(e.diags, d)
		}
	}
	return e, nil
}

// statementsOf is the number of statements of a session as a program, in which a
// bare expression takes two.
func statementsOf(f *syntax.File) int {
	n := len(f.Stmts)
	for _, st := range f.Stmts {
		if _, ok := st.(*syntax.ExprStmt); ok {
			n++
		}
	}
	return n
}

// bind gives the inputs their values. Which nodes there are depends on the labels
// of the whole program, so a new one changes the inputs too.
func (s *state) bind(f *syntax.File, e *entry) *Reply {
	if len(s.bound) == 0 {
		return nil
	}
	known := check.ProgramLabels(f)
	if len(s.inputs) == len(s.bound) && slices.Equal(known, s.known) {
		return nil
	}
	decls := make([]graphio.Decl, len(s.bound))
	for i, b := range s.bound {
		decls[i] = b.Decl
	}
	values, labels, warnings, err := graphio.Bind(decls, known)
	if err != nil {
		return dataReply(err)
	}
	for _, w := range warnings {
		if w.Code == "label" || len(s.inputs) != len(s.bound) {
			e.data = append(e.data, finding("W0706", diag.Warning, w.File, w.Line, 0, w.Msg, ""))
		}
	}
	s.inputs = make(map[string]*tensor.Value, len(values))
	for i := range values {
		s.inputs[decls[i].Name] = &values[i]
	}
	lang.Normalise(s.inputs)
	s.known, s.labels, e.stale = known, labels, true
	return nil
}

// unbound is the error for inputs without data, in the terms of a session.
func unbound(p *check.Program) diag.List {
	list := p.Unbound()
	for i := range list {
		list[i].Notes = []string{"`:input NAME FILE` declares an input and binds it to a file; `:load FILE NAME=DATA` binds one of a program."}
	}
	return list
}

// refuse is the reply to an entry with errors. Warnings of earlier entries have
// been told.
func (s *state) refuse(list diag.List) *Reply {
	start := s.chunks[len(s.chunks)-1].start
	var own diag.List
	for _, d := range list {
		if d.Severity == diag.Error || d.Span.Start >= start {
			own = append(own, d)
		}
	}
	return &Reply{Failed: true, Problems: s.places(own)}
}

// places finds the entry of each diagnostic, and shows its place there.
func (s *state) places(list diag.List) []Problem {
	var out []Problem
	last := -1
	for _, d := range list {
		k := s.chunkAt(d.Span.Start)
		if k != last {
			out = append(out, Problem{File: s.view(k)})
			last = k
		}
		at := s.chunks[k]
		shift := len(out[len(out)-1].File.Text) - len(s.chunkText(k)) - at.start
		var related []diag.Related
		for _, r := range d.Related {
			if s.chunkAt(r.Span.Start) == k {
				related = append(related, r)
			} else {
				d.Notes = append(slices.Clip(d.Notes), "See "+s.where(r)+".")
			}
		}
		d.Related = related
		p := &out[len(out)-1]
		p.List = append(p.List, moved(d, shift))
	}
	return out
}

// where is a place in an earlier entry in words.
func (s *state) where(r diag.Related) string {
	k := s.chunkAt(r.Span.Start)
	f := s.view(k)
	shift := len(f.Text) - len(s.chunkText(k)) - s.chunks[k].start
	line := f.Position(r.Span.Start + shift).Line
	at := f.LineSpan(line)
	text, _ := diag.Display(strings.TrimSpace(f.Text[at.Start:at.End]))
	return fmt.Sprintf("%s:%d, %s: `%s`", f.Name, line, r.Message, shorten(text, 60))
}

// chunkAt is the entry that a place is in.
func (s *state) chunkAt(offset int) int {
	k := len(s.chunks) - 1
	for k > 0 && s.chunks[k].start > offset {
		k--
	}
	return k
}

func (s *state) chunkText(k int) string {
	end := len(s.text)
	if k+1 < len(s.chunks) {
		end = s.chunks[k+1].start
	}
	return s.text[s.chunks[k].start:end]
}

// view is an entry as a text of its own, at the line where it was read.
func (s *state) view(k int) *source.File {
	c := s.chunks[k]
	return source.NewFile(c.name, strings.Repeat("\n", c.line-1)+s.chunkText(k))
}

// moved is a diagnostic of a text that stands elsewhere.
func moved(d diag.Diagnostic, by int) diag.Diagnostic {
	move := func(sp source.Span) source.Span {
		return source.Span{Start: max(0, sp.Start+by), End: max(0, sp.End+by)}
	}
	d.Span = move(d.Span)
	d.Related = slices.Clone(d.Related)
	for i := range d.Related {
		d.Related[i].Span = move(d.Related[i].Span)
	}
	d.Fixes = slices.Clone(d.Fixes)
	for i := range d.Fixes {
		d.Fixes[i].Edits = slices.Clone(d.Fixes[i].Edits)
		for j := range d.Fixes[i].Edits {
			d.Fixes[i].Edits[j].Span = move(d.Fixes[i].Edits[j].Span)
		}
	}
	return d
}

// definition is the statement that gives a name the value it has now, or nil.
// A printed expression is a statement too, but its text is never a bare name.
func (s *state) definition(name string) *check.Statement {
	for i := len(s.program.Statements) - 1; i >= 0; i-- {
		if st := &s.program.Statements[i]; st.Name == name {
			return st
		}
	}
	return nil
}

// tensors is the names of the session in the order of their definition.
func (s *state) tensors() []string {
	var out []string
	seen := map[string]bool{}
	for _, in := range s.program.Inputs {
		out = append(out, in.Name)
		seen[in.Name] = true
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
func (s *state) value(name string) *tensor.Value {
	if v := s.kept[name]; v != nil {
		return v
	}
	return s.inputs[name]
}

func (s *Session) showing(of *state) show.Options {
	labels := of.program.Labels
	return show.Options{Nodes: len(labels) > 0 && !s.cfg.Numbers, Labels: labels, Full: s.cfg.Full, Hint: ":full shows all"}
}

func shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}

// timedOut is the cause of a context that the time limit ends.
type timedOut time.Duration

func (d timedOut) Error() string {
	return fmt.Sprintf("the time limit of %v is over", time.Duration(d))
}
