package repl

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ein/bind"
	"ein/internal/codes"
	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/graphio"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// entry is an entry that checks without errors.
type entry struct {
	start int                      // in the text
	part  *check.Program           // the entry, or the whole program that it ends
	reads map[string]*ir.Node      // what it takes from the program before, by name
	made  map[string]*tensor.Value // the values to keep, once it has run
	stale bool                     // the values that are kept are of other sizes than the program has now
	only  *check.Output            // nothing but this statement is asked for
	diags diag.List
}

// extend appends an entry to a program and checks it. There are three ways, the cheapest first:
//   - facts and rules alone extend what is known of relations (grow);
//   - any other entry is checked as a continuation of the program before it;
//   - if it brings nodes or data that change the sizes of earlier values (stale), everything is
//     checked once more, and computed again with it.
func (s *Session) extend(next *state, text, name string, line int) *entry {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "\ufeff"), "\n") + "\n"
	e := &entry{start: len(next.file.Text)}
	next.file = next.file.Append(name, line, text)
	f := syntax.Parse(next.file, syntax.Options{Repl: true, From: e.start})
	f.Diags = append(f.Diags, next.count(f, text, e.start)...)
	before := next.program
	var part *check.Program
	if len(next.inputs) == len(next.bound) && !f.Diags.HasErrors() { // else there is other data, or more to find
		part = next.grow(f)
	}
	if part == nil {
		next.bind(f, e)
		if e.stale {
			before = next.check(next.entries)
		}
		part = check.Check(f, next.config(before))
		if part.Numbered > next.numbered {
			e.stale = e.stale || next.numbered > 0
			if next.numbered = part.Numbered; e.stale {
				before = next.check(next.entries)
				part = check.Check(f, next.config(before))
			}
		}
	}
	next.entries = append(next.entries, f)
	e.diags = slices.Concat(before.Diags, part.Diags, e.diags)
	if !e.diags.HasErrors() {
		e.diags = append(e.diags, unbound(part)...)
	}
	if e.diags.HasErrors() {
		panic(refused(next.refuse(e.diags)))
	}
	next.program = joined(before, part)
	if e.part = part; e.stale {
		e.part = next.program
	} else {
		e.reads = reads(before, f)
	}
	return e
}

// grow checks an entry of facts and rules alone, if that finds all there is to find; else it
// returns nil. New nodes are only added where no value and no data has them.
func (s *state) grow(f *syntax.File) *check.Program {
	p, added := check.Grow(f, s.config(s.program), len(s.known))
	if p == nil || len(added) > 0 && (len(s.bound) > 0 || len(s.program.Statements) > 0) {
		return nil
	}
	if len(added) > 0 {
		s.known, s.labels = p.Labels, p.Labels
	}
	return p
}

// config is how an entry that follows a program is checked.
func (s *state) config(before *check.Program) check.Config {
	return check.Config{Profile: check.Repl, Inputs: s.inputs, Labels: s.labels, Numbered: s.numbered, After: before}
}

// check checks entries again, in as few parts as keep their meaning: each part goes over all facts
// and rules so far. An entry needs a check of its own if it could mean something else together with
// those before: a tensor keeps the rows that a relation had, and a call the function of its time.
// Rules read the last value of a tensor. Queries have been answered and are left out.
func (s *state) check(entries []*syntax.File) *check.Program {
	p := check.Check(&syntax.File{Source: s.file}, s.config(nil))
	var all []syntax.Stmt
	computes := false            // something in all
	inRules := map[string]bool{} // the names there
	flush := func() {
		if len(all) > 0 {
			p = joined(p, check.Check(&syntax.File{Source: s.file, Stmts: all}, s.config(p)))
		}
		all, computes = nil, false
	}
	for _, f := range entries {
		if name := s.again[f]; name != "" {
			flush()
			p = s.without(p, name)
		}
		stmts := slices.DeleteFunc(slices.Clone(f.Stmts), s.isQuery)
		changes := slices.ContainsFunc(stmts, changesMeaning)
		for _, st := range stmts {
			syntax.Walk(st, func(n syntax.Node) bool {
				switch n := n.(type) {
				case *syntax.Assign:
					changes = changes || inRules[n.Name.Name]
				case *syntax.Name:
					inRules[n.Name] = inRules[n.Name] || !notRule(st)
				case *syntax.Call:
					inRules[n.Fun.Name] = inRules[n.Fun.Name] || !notRule(st)
				}
				return true
			})
		}
		if computes && changes {
			flush()
		}
		all = append(all, stmts...)
		computes = computes || slices.ContainsFunc(stmts, notRule)
	}
	flush()
	return p
}

// takeBack forgets the facts and rules of a file, but for what was made of them.
func (s *state) takeBack(name string) {
	at := &syntax.File{Source: s.file}
	s.entries, s.again = append(slices.Clip(s.entries), at), maps.Clone(s.again)
	if s.again == nil {
		s.again = map[*syntax.File]string{}
	}
	s.again[at] = name
	s.program = s.without(s.program, name)
}

// without is a program that goes on without the facts and rules of a file.
func (s *state) without(p *check.Program, name string) *check.Program {
	rest := check.Forget(p, s.config(nil), s.ruleOf(name))
	rest.Diags = nil // a constant may come back
	p = joined(p, rest)
	p.File.Stmts = slices.DeleteFunc(slices.Clone(p.File.Stmts), s.ruleOf(name))
	return p
}

// ruleOf reports whether a statement is a fact or a rule of a file.
func (s *state) ruleOf(name string) func(syntax.Stmt) bool {
	return func(st syntax.Stmt) bool { return !notRule(st) && s.file.Position(st.Pos().Start).File == name }
}

// current is the statements of each entry, without those taken back later.
func (s *state) current() [][]syntax.Stmt {
	var list [][]syntax.Stmt
	for _, f := range s.entries {
		if name := s.again[f]; name != "" {
			for i := range list {
				list[i] = slices.DeleteFunc(list[i], s.ruleOf(name))
			}
		}
		list = append(list, slices.Clone(f.Stmts))
	}
	return list
}

// notRule reports whether a statement is neither a fact nor a rule.
func notRule(s syntax.Stmt) bool {
	_, ok := s.(*syntax.Rule)
	return !ok
}

// changesMeaning reports whether a statement can change what those before it mean.
func changesMeaning(s syntax.Stmt) bool {
	switch s.(type) {
	case *syntax.Assign, *syntax.Repeat, *syntax.ExprStmt, *syntax.Print:
		return false
	}
	return true
}

// joined is a program with the entry that follows it. Warnings about the entry are not repeated
// later.
func joined(before, part *check.Program) *check.Program {
	p, f := *part, *part.File
	f.Stmts = append(before.File.Stmts, f.Stmts...)
	p.File, p.Diags = &f, before.Diags
	if part.Diags.HasErrors() {
		p.Diags = append(p.Diags, part.Diags...)
	}
	p.Outputs = append(before.Outputs, part.Outputs...)
	p.Statements = append(before.Statements, part.Statements...)
	return &p
}

// reads is what the names in some statements stand for in the program before them.
func reads(before *check.Program, f *syntax.File) map[string]*ir.Node {
	found := map[string]*ir.Node{}
	see := func(name string) {
		if n := before.Defined(name); n != nil {
			found[name] = n
		}
	}
	for _, st := range f.Stmts {
		syntax.Walk(st, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				see(n.Name.Name)
			case *syntax.Name:
				see(n.Name)
			}
			return true
		})
	}
	return found
}

// count adds an entry to the size of the program, which has limits. In the saved program a bare
// expression is an assignment and a print.
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
		case *syntax.Repeat:
			s.statements += len(st.Body)
		}
	}
	for _, l := range []struct {
		code        diag.Code
		what        string
		have, limit int
	}{
		{codes.E0501, "bytes", len(s.file.Text) + s.added, syntax.DefaultSourceBytes},
		{codes.E0502, "tokens", s.tokens, syntax.DefaultTokens},
		{codes.E0504, "statements", s.statements, syntax.DefaultStatements},
	} {
		if l.have > l.limit {
			return diag.List{{Code: l.code, Span: source.Span{Start: at, End: at},
				Message: fmt.Sprintf("the session has %s %s, the limit of a program is %s", words.Count(uint64(l.have)), l.what, words.Count(uint64(l.limit))),
				Notes:   []string{"`:save` writes the session to a file, `:reset` forgets it."}}}
		}
	}
	return nil
}

// bind gives the inputs their values. The nodes depend on the labels of the whole program, so a new
// label changes the inputs too. If only relations are bound, and the new labels come behind the
// others, the rows keep their numbers, and the data need not be put together again (bind.Behind).
func (s *state) bind(f *syntax.File, e *entry) {
	known, domains, fresh := s.known, s.domains, len(s.inputs) != len(s.bound)
	all := &syntax.File{Source: f.Source, Stmts: append(slices.Clip(s.program.File.Stmts), f.Stmts...)}
	mayName := func(st syntax.Stmt) bool { // a constant of a domain
		_, assigns := st.(*syntax.Assign)
		_, prints := st.(*syntax.Print)
		return !assigns && !prints
	}
	if slices.ContainsFunc(f.Stmts, mayName) && slices.ContainsFunc(s.bound, func(b binding) bool { return b.Raw.Kind == graphio.Relation }) {
		// A name may come to be no node, or be none only as long as a query is asked.
		domains, known = check.ProgramDomains(all), check.ProgramLabels(all)
		rules := slices.Clip(slices.DeleteFunc(slices.Clone(s.program.File.Stmts), s.isQuery))
		for _, stmts := range [][]syntax.Stmt{append(rules, f.Stmts...), slices.DeleteFunc(append(rules, f.Stmts...), s.isQuery)} {
			known = union(known, check.ProgramLabels(&syntax.File{Source: f.Source, Stmts: stmts}))
		}
	} else if isRule := func(st syntax.Stmt) bool { return !notRule(st) }; len(check.ProgramLabels(f)) > 0 || len(known) > 0 && slices.ContainsFunc(f.Stmts, isRule) {
		known = check.ProgramLabels(all) // beside labels a number may be one
	}
	if len(s.again) > 0 { // tensors have the nodes that facts had
		known = union(s.known, known)
		domains = maps.Clone(domains)
		for name := range domains {
			domains[name] = union(s.domains[name], domains[name])
		}
	}
	if slices.Equal(known, s.known) && !fresh && maps.EqualFunc(domains, s.domains, slices.Equal) {
		return // as in most entries
	}
	s.known, s.labels, s.domains, e.stale = known, known, domains, true
	if len(s.bound) == 0 {
		return
	}
	decls := lists.Map(s.bound, func(b binding) graphio.Decl { return b.Decl })
	data, err := bind.Bind(decls, known, domains)
	if err != nil {
		panic(wrongData(err))
	}
	for _, w := range data.Warnings {
		isNew := func(b binding) bool { return b.Raw.File == w.File && s.inputs[b.Name] == nil }
		if w.Code == "label" || slices.ContainsFunc(s.bound, isNew) {
			e.diags = append(e.diags, bind.Warnings([]graphio.Warning{w})...)
		}
	}
	s.inputs, s.labels = data.Values, data.Labels
}

// union is a list with what it lacks of another.
func union(list, other []string) []string {
	has := lists.Set(list)
	return append(slices.Clip(list), slices.DeleteFunc(slices.Clone(other), func(s string) bool { return has[s] })...)
}

// howToBind is the note about inputs without data.
const howToBind = "`:input NAME FILE` declares an input and binds it to a file; `:load FILE NAME=DATA` binds one of a program."

// unbound is the error for inputs without data, in the terms of a session.
func unbound(p *check.Program) diag.List {
	list := p.Unbound()
	for i := range list {
		list[i].Notes = []string{howToBind}
	}
	return list
}
