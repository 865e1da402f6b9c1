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
	"ein/vm/ir"
	"ein/vm/tensor"
)

// cost is the kernels and the cost of the statement that starts at a place, as Markdown: of a
// program that computes this statement and nothing else, since a long program is not planned for
// one line of it. It is empty when an input has no value.
func (d *Document) cost(offset int) string {
	c := d.check()
	n := c.statements[offset]
	if n == nil || !c.Bound || n.Op == ir.Const {
		return ""
	}
	seen := map[*ir.Node]bool{}
	if !reachable(n, seen) {
		return tooMuch
	}
	for n := range seen {
		if n.Op == ir.Relation && n.Rules.Program == nil {
			return "" // some rule is wrong, and so none is planned
		}
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
	m, err := lang.Module(lang.Code(&p, d.opt), d.opt)
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
		parts = append(parts, fmt.Sprintf("kernel: %s; at most %s", strings.Join(kernels, "; "), words.Plural(ops, "operation")))
	}
	if m.Certificate.Ops > ops {
		parts = append(parts, fmt.Sprintf("with all that goes into it: at most %s", words.Plural(m.Certificate.Ops, "operation")))
	}
	return strings.Join(append(parts, fmt.Sprintf("memory: at most %s bytes", words.Count(m.Certificate.PeakBytes))), "\n\n")
}

// plannedNodes bounds the operations that are planned for a hover.
const plannedNodes = 200

var tooMuch = fmt.Sprintf("Its cost is not shown: more than %d operations go into it.", plannedNodes)

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
	return !slices.ContainsFunc(n.Args, func(a *ir.Node) bool { return !reachable(a, seen) })
}
