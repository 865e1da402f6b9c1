package ide

import (
	"fmt"
	"slices"
	"strings"

	"ein/internal/words"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/describe"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// computation is what is known of the statement that starts at a place beyond its
// type: its operation as it is without memory of earlier versions, whose constants are
// those of this one, and the kernels and the cost as Markdown. Both are of a program
// that computes this statement and nothing else: a long program is neither checked
// nor planned for one line of it, and errors elsewhere do no harm.
type computation struct {
	value *ir.Node
	cost  string // empty when an input has no value
}

func (d *Document) computed(offset int) computation {
	part := d.part(d.statementAt(offset))
	d.mu.Lock()
	defer d.mu.Unlock()
	if c, ok := d.computations[offset]; ok {
		return c
	}
	var c computation
	if part != nil {
		c.value = part.statements[offset]
		c.cost = d.planned(part, offset)
	} else {
		c.cost = tooMuch
	}
	if d.computations == nil {
		d.computations = map[int]computation{}
	}
	d.computations[offset] = c
	return c
}

// plannedNodes bounds the statements that are checked for a hover, and the operations
// that are planned.
const plannedNodes = 200

var tooMuch = fmt.Sprintf("Its cost is not shown: more than %d operations go into it.", plannedNodes)

// part is slice, kept.
func (d *Document) part(stmt int) *checked {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.parts[stmt]
	if !ok {
		if d.parts == nil {
			d.parts = map[int]*checked{}
		}
		p = d.slice(stmt)
		d.parts[stmt] = p
	}
	return p
}

// slice is the part of the program that a statement needs, checked, with all inputs and
// functions. It is nil if that is too much to be checked while somebody waits.
func (d *Document) slice(stmt int) *checked {
	stmts := d.File().Stmts
	if d.opt.Lang.Profile == check.Repl { // any statement may be what the name _ stands for
		return d.full()
	}
	needed, ok := d.needs(stmt, plannedNodes)
	if !ok {
		return nil
	}
	part := *d.File()
	part.Stmts, part.Diags = nil, nil
	for i, s := range stmts {
		switch s.(type) {
		case *syntax.Def, *syntax.Input:
			part.Stmts = append(part.Stmts, s)
		default:
			if needed[i] {
				part.Stmts = append(part.Stmts, s)
			}
		}
	}
	l := d.opt.Lang
	return checkFile(&part, check.Config{Profile: l.Profile, Limits: l.Check, Inputs: l.Inputs, Labels: d.check().Labels, Values: map[syntax.Expr]*ir.Node{}})
}

// needs is a statement, the definitions that it sees and those that they see, by their
// numbers. It is false if they are more than most.
func (d *Document) needs(stmt, most int) (map[int]bool, bool) {
	stmts, n := d.File().Stmts, d.names()
	needed := map[int]bool{stmt: true}
	for todo := []int{stmt}; len(todo) > 0; {
		at := stmts[todo[len(todo)-1]].Pos()
		todo = todo[:len(todo)-1]
		for _, o := range n.in(at) {
			if o.sees == nil || needed[o.sees.stmt] {
				continue
			}
			if len(needed) >= most {
				return nil, false
			}
			needed[o.sees.stmt] = true
			todo = append(todo, o.sees.stmt)
		}
	}
	return needed, true
}

// planned is the cost of the statement at offset of a checked program.
func (d *Document) planned(c *checked, offset int) string {
	n := c.statements[offset]
	if n == nil || !c.Bound {
		return ""
	}
	if n.Op == ir.Const {
		return ""
	}
	seen := map[*ir.Node]bool{}
	if !reachable(n, seen) {
		return tooMuch
	}
	var own source.Span
	p := *c.Program
	p.Statements = nil
	for _, s := range c.Statements {
		if s.Span.Start == offset {
			own = s.Span
		}
		if seen[s.Node] {
			p.Statements = append(p.Statements, s)
		}
	}
	p.Outputs = []check.Output{{Name: "value", Node: n, Span: own}}
	m, err := lang.Module(lang.Code(&p, d.opt.Lang), d.opt.Lang)
	if err != nil {
		return "" // past a limit: the diagnostics of running it say more
	}
	var kernels []string
	var ops uint64
	for i := range m.Steps {
		at := m.Program.Pos[i]
		if int(at.Start) < own.Start || int(at.End) > own.End {
			continue
		}
		ops = tensor.SatAdd(ops, m.Steps[i].Cost.Ops)
		if k := describe.Step(m.Program, &m.Steps[i]); !slices.Contains(kernels, k) {
			kernels = append(kernels, k)
		}
	}
	var parts []string
	if len(kernels) > 0 {
		parts = append(parts, fmt.Sprintf("kernel: %s; at most %s operations", strings.Join(kernels, "; "), words.Count(ops)))
	}
	if m.Certificate.Ops > ops {
		parts = append(parts, fmt.Sprintf("with all that goes into it: at most %s operations", words.Count(m.Certificate.Ops)))
	}
	return strings.Join(append(parts, fmt.Sprintf("memory: at most %s bytes", words.Count(m.Certificate.PeakBytes))), "\n\n")
}

// reachable adds n and what it is computed from, and reports whether that is
// little enough to be planned while somebody waits.
func reachable(n *ir.Node, seen map[*ir.Node]bool) bool {
	if seen[n] {
		return true
	}
	if len(seen) >= plannedNodes {
		return false
	}
	seen[n] = true
	for _, a := range n.Args {
		if !reachable(a, seen) {
			return false
		}
	}
	return true
}
