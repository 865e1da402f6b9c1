package ide

import (
	"fmt"
	"slices"
	"strings"

	"ein/lang"
	"ein/lang/check"
	"ein/lang/plan"
	"ein/lang/source"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// costOf is the kernels and the cost of the statement that starts at offset, as
// Markdown. The plan is that of a program which computes this statement and
// nothing else: a long program is not planned for one line of it, and errors
// elsewhere do no harm. It is empty when an input has no value.
func (d *Document) costOf(offset int) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if text, ok := d.costs[offset]; ok {
		return text
	}
	text := d.planned(offset)
	if d.costs == nil {
		d.costs = map[int]string{}
	}
	d.costs[offset] = text
	return text
}

// plannedNodes bounds the operations that are planned for a hover.
const plannedNodes = 200

func (d *Document) planned(offset int) string {
	c := d.full()
	n := c.statements[offset]
	if n == nil || !c.Bound {
		return ""
	}
	if n.Op == ir.Const {
		return ""
	}
	seen := map[*ir.Node]bool{}
	if !reachable(n, seen) {
		return fmt.Sprintf("Its cost is not shown: more than %d operations go into it.", plannedNodes)
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
		if k := kernelText(&m.Steps[i]); !slices.Contains(kernels, k) {
			kernels = append(kernels, k)
		}
	}
	var parts []string
	if len(kernels) > 0 {
		parts = append(parts, fmt.Sprintf("kernel: %s; at most %d operations", strings.Join(kernels, ", "), ops))
	}
	if m.Certificate.Ops > ops {
		parts = append(parts, fmt.Sprintf("with all that goes into it: at most %d operations", m.Certificate.Ops))
	}
	return strings.Join(append(parts, fmt.Sprintf("memory: at most %d bytes", m.Certificate.PeakBytes)), "\n\n")
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

func kernelText(s *cost.Step) string {
	var buf [32]byte
	switch {
	case s.Op == code.Einsum && s.Pair != nil:
		return s.Pair.Kernel() + " `" + plan.Key(s.Spec, &buf) + "`"
	case s.Op == code.Einsum:
		return "loops `" + plan.Key(s.Spec, &buf) + "`"
	case s.Op == code.Reduce:
		return s.Fold.String()
	case s.Op == code.Semiring:
		return fmt.Sprintf("%v of %v `%s`", s.Fold, s.Fn, plan.Key(s.Spec, &buf))
	}
	return s.Op.String()
}
