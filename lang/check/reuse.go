package check

import (
	"math"
	"slices"
	"strings"

	"ein/lang/syntax"
	"ein/vm/ir"
)

// outcome is one elaborated assignment, with everything that it depends on and everything that it
// did. A later version of the program reuses it for a statement with the same text that sees the
// same, wherever that now is.
type outcome struct {
	reads   []read
	unknown bool     // sizes were not known
	calls   bool     // it calls something, and sees functions
	defs    [32]byte // a digest of these

	v     val
	count int // operations built
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

// same reports whether elaboration cannot tell k from l. It sees the type of an operation, its
// bounds, and the value of a scalar if that is known, but never how a tensor is computed: so an
// edit that keeps the type of a statement affects no other.
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

// remembered is how many outcomes of one text are kept. What one edit changes, the next often
// changes back: a name is retyped, an edit undone.
const remembered = 4

// assignment is assign, unless the last version has an outcome that still applies.
func (c *checker) assignment(s *syntax.Assign) val {
	if !c.cfg.Keep {
		return c.assign(s)
	}
	text := c.file.Source.Text[s.Start:s.End]
	earlier := c.reuse[text]
	for i, o := range earlier {
		if !c.applies(o) {
			continue
		}
		c.replay(o)
		if i == 0 && c.outcomes[text] == nil {
			c.outcomes[text] = slices.Clip(earlier) // nothing changes
		} else {
			c.keep(text, o)
			c.keep(text, earlier...)
		}
		return o.v
	}
	v := c.elaborateAnew(s, text)
	c.keep(text, earlier...)
	return v
}

// keep remembers outcomes of a text. The first is tried first.
func (c *checker) keep(text string, list ...*outcome) {
	kept := c.outcomes[text]
	for _, o := range list {
		if len(kept) < remembered && !slices.Contains(kept, o) {
			kept = append(kept, o)
		}
	}
	if len(kept) > 0 {
		c.outcomes[text] = kept
	}
}

// applies reports whether elaborating the statement of o now would do the same.
func (c *checker) applies(o *outcome) bool {
	if o.unknown != c.b.Unknown || o.calls && o.defs != c.seenDefs {
		return false
	}
	// Near a limit it might not.
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

// replay does what elaborating did.
func (c *checker) replay(o *outcome) {
	c.b.Count += o.count
	c.work += o.work
	c.elements += o.words
	for _, r := range o.reads {
		if r.used {
			c.scope.lookup(r.name).used = true
		}
	}
}

// elaborateAnew elaborates a statement and remembers the outcome, unless a message was reported,
// which may depend on the rest of the program, or was suppressed as a repetition.
func (c *checker) elaborateAnew(s *syntax.Assign, text string) val {
	o := &outcome{reads: c.reads(s), unknown: c.b.Unknown, calls: callsFunctions(s), defs: c.seenDefs}
	before := make([]bool, len(o.reads))
	for i, r := range o.reads {
		if sym := c.scope.lookup(r.name); sym != nil {
			before[i], sym.used = sym.used, false
		}
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
	if !c.partial && !c.limit && !c.stopped && len(c.diags) == diags {
		c.keep(text, o)
	}
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
		// A copy, so as not to keep the text alive.
		list[i] = read{name: strings.Clone(name), known: knownOf(c.scope.lookup(name))}
	}
	return list
}

// callsFunctions reports whether a statement calls anything: even the name of a builtin may stand
// for a function of the program.
func callsFunctions(s *syntax.Assign) bool {
	calls := false
	syntax.Walk(s, func(n syntax.Node) bool {
		_, ok := n.(*syntax.Call)
		calls = calls || ok
		return !calls
	})
	return calls
}
