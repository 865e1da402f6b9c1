package repl

import (
	"fmt"
	"slices"
	"strings"

	"ein/bind"
	"ein/internal/codes"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/graphio"
	"ein/vm/ir"
	"ein/vm/tensor"
)

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
		// Most entries say all that there is to say of them.
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
		{codes.E0501, "bytes", len(s.text) + s.added, syntax.DefaultSourceBytes},
		{codes.E0502, "tokens", s.tokens, syntax.DefaultTokens},
		{codes.E0504, "statements", s.statements, syntax.DefaultStatements},
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
	data, err := bind.Bind(decls, known)
	if err != nil {
		return dataReply(err)
	}
	for _, w := range data.Warnings {
		if w.Code == "label" || len(s.inputs) != len(s.bound) {
			e.data = append(e.data, Problem{List: bind.Warnings([]graphio.Warning{w})})
		}
	}
	s.inputs, s.labels = data.Values, data.Labels
	s.known, e.stale = known, true
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
