// Package repl is the interactive session: a program that grows by one entry at a
// time.
//
// A Session takes text and gives results and diagnostics; it knows no terminal
// and no file system. An entry is checked as what follows the program, so that it
// means what it would mean in a file, and run on the values that are there, so that
// it costs only its own work. An entry that fails changes nothing. Loop puts a
// session between a reader of lines and two writers.
package repl

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"ein/lang"
	"ein/lang/check"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/graphio"
	"ein/vm/ir"
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
	Limit    bool      // it failed at a limit of the session, and may be right
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
	// kept is the value of each name. All copies of a state share it: it is changed
	// when an entry is accepted, and not before.
	kept  map[string]*tensor.Value
	bytes uint64 // of what is kept

	// What the program counts against the limits of a program.
	tokens, statements, added int
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
	spec  string
	alias bool // it is known by another name, which an assignment gives it
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
	s.state = state{program: lang.Check(lang.Parse(s.cfg.Name, "", session), session), kept: map[string]*tensor.Value{}}
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
	next := s.state
	e, fail := s.extend(&next, text, name, line)
	if fail != nil {
		return *fail
	}
	r, fail := s.run(ctx, &next, e)
	if fail != nil {
		return *fail
	}
	s.accept(&next, e)
	return *r
}

// accept makes an entry that was run a part of the session.
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

// entry is an entry that checks.
type entry struct {
	start int                      // in the text
	part  *check.Program           // the entry, or the whole program that it ends
	reads map[string]*ir.Node      // what it takes from the program before, by name
	made  map[string]*tensor.Value // the values to keep, once it has run
	stale bool                     // the values that are kept are of other sizes than the program has now
	only  *check.Statement         // nothing but this statement is asked for
	diags diag.List
	data  []Problem // warnings about data files
}

// extend appends an entry to a program and checks it. The reply is not nil when
// it is refused.
func (s *Session) extend(next *state, text, name string, line int) (*entry, *Reply) {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "\ufeff"), "\n") + "\n"
	f := lang.Parse(name, text, session)
	clash := next.makeRoom(f)
	e := &entry{start: len(next.text)}
	next.chunks = append(next.chunks, chunk{e.start, name, line})
	next.text += text
	shift(f, e.start)
	f.Source = source.NewFile(s.cfg.Name, next.text)
	for _, d := range clash {
		f.Diags = append(f.Diags, moved(d, e.start))
	}
	f.Diags = append(f.Diags, next.count(f, text, e.start)...)
	if f.Diags.HasErrors() {
		return nil, next.refuse(f.Diags)
	}
	before := next.program
	whole := *f
	whole.Stmts = append(before.File.Stmts, f.Stmts...)
	if fail := next.bind(f, &whole, e); fail != nil {
		return nil, fail
	}
	cfg := check.Config{Profile: check.Repl, Inputs: next.inputs, Labels: next.labels}
	if !e.stale {
		e.part = check.Continue(before, f, cfg)
	}
	if e.part != nil {
		next.program = joined(before, e.part, &whole)
		e.reads = reads(before, f)
	} else {
		p := check.Check(&whole, cfg)
		if !p.Diags.HasErrors() {
			p.Diags = append(p.Diags, unbound(p)...)
		}
		if p.Diags.HasErrors() {
			return nil, next.refuse(p.Diags)
		}
		e.stale = e.stale || !slices.Equal(p.Labels, before.Labels)
		e.part, next.program = p, p
		e.reads = definedBefore(p, e.start)
	}
	for _, d := range e.part.Diags {
		if d.Span.Start >= e.start {
			e.diags = append(e.diags, d)
		}
	}
	return e, nil
}

// joined is a program with the entry that continues it. Its outputs are of no use:
// an entry asks for its own.
func joined(before, part *check.Program, f *syntax.File) *check.Program {
	p := *part
	p.File, p.Outputs = f, nil
	p.Statements = append(before.Statements, part.Statements...)
	return &p
}

// reads is what the names in statements stand for in the program before them.
func reads(before *check.Program, f *syntax.File) map[string]*ir.Node {
	found := map[string]*ir.Node{}
	see := func(name string) {
		if n := before.Defined(name); n != nil {
			found[name] = n
		}
	}
	for _, st := range f.Stmts {
		if a, ok := st.(*syntax.Assign); ok {
			see(a.Name.Name)
		}
		syntax.Walk(st, func(n syntax.Node) bool {
			if name, ok := n.(*syntax.Name); ok {
				see(name.Name)
			}
			return true
		})
	}
	return found
}

// definedBefore is what the names of a program stand for at a place in it.
func definedBefore(p *check.Program, at int) map[string]*ir.Node {
	found := map[string]*ir.Node{}
	for _, st := range p.Statements {
		if st.Span.Start < at {
			found[st.Name] = st.Node
		}
	}
	return found
}

// count adds an entry to what the program counts against its limits. In the saved
// program a bare expression is an assignment and a print.
func (s *state) count(f *syntax.File, text string, at int) diag.List {
	for _, t := range syntax.Tokens(text) {
		if t.Kind != syntax.KindNewline && t.Kind != syntax.KindComment {
			s.tokens++
		}
	}
	s.statements += len(f.Stmts)
	for _, st := range f.Stmts {
		switch st := st.(type) {
		case *syntax.ExprStmt:
			s.statements++
			s.tokens += 5
			s.added += len("_ = ; :print _")
		case *syntax.Def:
			s.statements += len(st.Body)
		}
	}
	for _, l := range []struct {
		code        diag.Code
		what        string
		have, limit int
	}{
		{"E0501", "bytes", len(s.text) + s.added, syntax.DefaultSourceBytes},
		{"E0502", "tokens", s.tokens, syntax.DefaultTokens},
		{"E0504", "statements", s.statements, syntax.DefaultStatements},
	} {
		if l.have > l.limit {
			return diag.List{{Code: l.code, Span: source.Span{Start: at, End: at},
				Message: fmt.Sprintf("the session has %s %s, the limit of a program is %s", describe.Count(uint64(l.have)), l.what, describe.Count(uint64(l.limit))),
				Notes:   []string{"`:save` writes the session to a file, `:reset` forgets it."}}}
		}
	}
	return nil
}

// bind gives the inputs their values. Which nodes there are depends on the labels
// of the whole program, so a new one changes the inputs too.
func (s *state) bind(f, whole *syntax.File, e *entry) *Reply {
	switch {
	case len(s.bound) == 0:
		return nil
	case len(s.inputs) == len(s.bound) && len(check.ProgramLabels(f)) == 0:
		return nil // as in most entries
	}
	known := check.ProgramLabels(whole)
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
