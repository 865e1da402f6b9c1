package check

import (
	"math"
	"slices"
	"strings"

	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/ir"
)

// Memo is what the assignments of a program came to. Given to the check of a later
// version of the program, with the same Config, it saves elaborating those whose
// text and whose operands are the same, wherever they now stand.
type Memo struct {
	entries map[string][]*outcome // by the text of the statement
	labels  []string
	defs    map[functions]*functions
}

// functions is the functions of a program up to one of them, each by its text. Every
// such list has one address, in a program and in the later versions of it.
type functions struct {
	before *functions
	text   string
}

// outcome is one assignment that was elaborated, with everything that it depends on
// and everything that it did.
type outcome struct {
	reads   []read
	unknown bool       // sizes were not known
	defs    *functions // those it could see, when it calls any

	v     val
	diags diag.List // warnings, from the start of the statement
	count int       // operations built
	work  int
	words uint64 // of literals
}

// read is a name that the statement mentions and what it stood for.
type read struct {
	name string
	known
	used bool // the statement used its value
}

// known is what elaboration can see of a symbol.
type known struct {
	defined, bad, label, param, unknown bool
	node                                *ir.Node
	form                                ir.Form
}

func knownOf(s *symbol) known {
	if s == nil {
		return known{}
	}
	return known{true, s.bad, s.label, s.param, s.unknown, s.node, s.form}
}

// same reports whether elaboration cannot tell k from l. Of an operation it sees the
// type, the bounds, and the number that a scalar is known to be, but never how a
// tensor came about: so a change that keeps the type of a statement ends there.
func (k known) same(l known) bool {
	a, b := k.node, l.node
	k.node, l.node = nil, nil
	switch {
	case k != l || (a == nil) != (b == nil):
		return false
	case a == b:
		return true
	}
	x, static := a.Static()
	y, ok := b.Static()
	return a.Op == b.Op && a.Fold == b.Fold && a.Type == b.Type && a.Bound == b.Bound && a.NonNeg == b.NonNeg &&
		static == ok && math.Float64bits(x) == math.Float64bits(y)
}

// beginMemo decides whether the earlier program is of use: another universe of
// labels changes the size of every labelled graph.
func (c *checker) beginMemo() {
	if c.cfg.Reuse != nil && !slices.Equal(c.cfg.Reuse.labels, c.labels) {
		c.cfg.Reuse = nil
	}
	if c.cfg.Record != nil {
		*c.cfg.Record = Memo{entries: make(map[string][]*outcome, len(c.file.Stmts)), labels: c.labels, defs: make(map[functions]*functions)}
	}
}

// memoDef gives the functions defined so far one address, the same as in the
// earlier program if they were the same.
func (c *checker) memoDef(d *syntax.Def) {
	if c.cfg.Record == nil {
		return
	}
	all := functions{c.seenDefs, strings.Clone(c.file.Source.Text[d.Span.Start:d.Span.End])}
	c.seenDefs = &all
	if c.cfg.Reuse != nil && c.cfg.Reuse.defs[all] != nil {
		c.seenDefs = c.cfg.Reuse.defs[all]
	}
	c.cfg.Record.defs[all] = c.seenDefs
}

// remembered is how many outcomes of one text are kept. What is not so after an edit
// is often so again after the next: a name is retyped, a change undone.
const remembered = 4

// assignment is assign, from memory where that is the same.
func (c *checker) assignment(s *syntax.Assign) val {
	if c.cfg.Record == nil {
		return c.assign(s)
	}
	text := c.file.Source.Text[s.Span.Start:s.Span.End]
	if c.cfg.Reuse == nil {
		return c.elaborateAnew(s, text)
	}
	earlier := c.cfg.Reuse.entries[text]
	if c.cfg.Anew == nil || c.cfg.Anew.Pos() != s.Span {
		for i, o := range earlier {
			if !c.applies(o) {
				continue
			}
			c.replay(o, s.Span.Start)
			if i == 0 && c.cfg.Record.entries[text] == nil {
				c.cfg.Record.entries[text] = slices.Clip(earlier) // nothing changes
			} else {
				c.keep(text, o)
				c.keep(text, earlier...)
			}
			return o.v
		}
	}
	v := c.elaborateAnew(s, text)
	c.keep(text, earlier...)
	return v
}

// keep remembers outcomes of a text, the one to try first before the others.
func (c *checker) keep(text string, list ...*outcome) {
	kept := c.cfg.Record.entries[text]
	for _, o := range list {
		if len(kept) < remembered && !slices.Contains(kept, o) {
			kept = append(kept, o)
		}
	}
	if len(kept) > 0 {
		c.cfg.Record.entries[text] = kept
	}
}

// applies reports whether elaborating the statement of o now would do the same.
func (c *checker) applies(o *outcome) bool {
	if o.unknown != c.b.Unknown || o.defs != nil && o.defs != c.callable() {
		return false
	}
	// Close to a limit it may not.
	if c.limit || c.b.Count+o.count > c.cfg.Limits.Nodes || (c.work+o.work)/5 > c.cfg.Limits.Nodes ||
		o.words > c.cfg.Limits.Elements || c.elements > c.cfg.Limits.Elements-o.words {
		return false
	}
	for i := range o.reads {
		r := &o.reads[i]
		if !knownOf(c.scope.lookup(r.name)).same(r.known) {
			return false
		}
	}
	return true
}

// noDefs is the address of no functions.
var noDefs = new(functions)

func (c *checker) callable() *functions {
	if c.seenDefs == nil {
		return noDefs
	}
	return c.seenDefs
}

// replay does what elaborating did.
func (c *checker) replay(o *outcome, start int) {
	c.b.Count += o.count
	c.work += o.work
	c.elements += o.words
	for _, r := range o.reads {
		if r.used {
			c.scope.lookup(r.name).used = true
		}
	}
	for _, d := range o.diags {
		c.report(moved(d, start))
	}
}

// elaborateAnew elaborates a statement and remembers it, unless what it did depends
// on more than what outcome holds: errors may speak of the rest of the program, and
// something may have been left out because it was reported before.
func (c *checker) elaborateAnew(s *syntax.Assign, text string) val {
	o := &outcome{reads: c.reads(s), unknown: c.b.Unknown}
	before := make([]bool, len(o.reads))
	for i, r := range o.reads {
		if sym := c.scope.lookup(r.name); sym != nil {
			before[i], sym.used = sym.used, false
		}
	}
	if callsFunctions(s) {
		o.defs = c.callable()
	}
	count, work, words, diags := c.b.Count, c.work, c.elements, len(c.diags)
	c.partial = false
	o.v = c.assign(s)
	for i := range o.reads {
		if sym := c.scope.lookup(o.reads[i].name); sym != nil {
			o.reads[i].used = sym.used
			sym.used = sym.used || before[i]
		}
	}
	o.count, o.work, o.words = c.b.Count-count, c.work-work, c.elements-words
	if c.partial || c.limit || c.stopped {
		return o.v
	}
	for _, d := range c.diags[diags:] {
		if d.Severity == diag.Error || !local(d, s.Span) {
			return o.v
		}
		o.diags = append(o.diags, moved(d, -s.Span.Start))
	}
	c.keep(text, o)
	return o.v
}

// reads is the names in a statement, each once, and what they stand for.
func (c *checker) reads(s *syntax.Assign) []read {
	names := []string{s.Name.Name}
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Name:
			names = append(names, n.Name)
		case *syntax.Call:
			names = append(names, n.Fun.Name)
		}
		return !c.step(1)
	})
	slices.Sort(names)
	names = slices.Compact(names)
	list := make([]read, len(names))
	for i, name := range names {
		// A copy, which does not keep the text alive.
		list[i] = read{name: strings.Clone(name), known: knownOf(c.scope.lookup(name))}
	}
	return list
}

// callsFunctions reports whether a statement calls anything: a function of the
// program may be what even the name of a builtin stands for.
func callsFunctions(s *syntax.Assign) bool {
	calls := false
	syntax.Walk(s, func(n syntax.Node) bool {
		_, ok := n.(*syntax.Call)
		calls = calls || ok
		return !calls
	})
	return calls
}

// local reports whether a diagnostic speaks of one statement only.
func local(d diag.Diagnostic, s source.Span) bool {
	in := func(t source.Span) bool { return s.Start <= t.Start && t.End <= s.End }
	for _, r := range d.Related {
		if !in(r.Span) {
			return false
		}
	}
	for _, f := range d.Fixes {
		for _, e := range f.Edits {
			if !in(e.Span) {
				return false
			}
		}
	}
	return in(d.Span)
}

// moved is a diagnostic about the same text elsewhere.
func moved(d diag.Diagnostic, by int) diag.Diagnostic {
	move := func(s source.Span) source.Span { return source.Span{Start: s.Start + by, End: s.End + by} }
	d.Span = move(d.Span)
	d.Related = slices.Clone(d.Related)
	for i := range d.Related {
		d.Related[i].Span = move(d.Related[i].Span)
	}
	d.Fixes = slices.Clone(d.Fixes)
	for i := range d.Fixes {
		f := &d.Fixes[i]
		f.Edits = slices.Clone(f.Edits)
		for k := range f.Edits {
			f.Edits[k].Span = move(f.Edits[k].Span)
		}
	}
	return d
}
