package engine

import (
	"fmt"
	"slices"
	"strings"

	"ein/internal/lists"
	"ein/vm/rel"
)

// Explain says how each stratum is evaluated, a line for each.
func (pl *Plan) Explain() []string {
	var lines []string
	for i := range pl.strata {
		s := &pl.strata[i]
		names := lists.Map(s.Relations, func(r int) string { return rel.Plain(pl.p.Relations[r].Name) })
		line := strings.Join(slices.Compact(names), ", ") + ": "
		switch {
		case s.closure != nil:
			line += pl.closes(s.closure)
		case s.best:
			line += "each key once, the best value first"
		case s.dense:
			line += "rounds, of what is new in each, in rows of bits"
		case s.Recursive:
			line += "rounds, of what is new in each"
		default:
			line += "once"
		}
		lines = append(lines, line)
		for _, n := range slices.Concat(s.once, s.each) {
			if s.closure != nil && n.delta >= 0 {
				continue
			}
			var order []string
			for k := range n.steps {
				order = append(order, pl.p.Literal(n.rule, n.steps[k].lit, nil))
			}
			if len(order) > 1 {
				lines = append(lines, "  "+strings.Join(order, ", "))
			}
		}
	}
	if pl.against != "" {
		lines = append(lines, "all rows are made: to ask for some, "+rel.Plain(pl.against)+" would depend on itself through a negation, an aggregate or a value")
	}
	return lines
}

// closes says how a closure is evaluated: by which searches, or on bits.
func (pl *Plan) closes(c *closure) string {
	of := rel.Plain(pl.p.Relations[c.step].Name)
	if c.step == c.rel {
		of = "its steps"
	}
	how := "a search from each node"
	switch {
	case c.loops:
		how = "the nodes on cycles alone"
	case c.by == 0 && pl.keys(c) == 1:
		how = "one search"
	case c.by == 0:
		how = "a search from each node that is asked for"
	case c.by == 1 && pl.keys(c) == 1:
		how = "one search backwards"
	case c.by == 1:
		how = "a search backwards from each node that is asked for"
	case c.bits:
		how = "bits"
	}
	if c.tells {
		how += ", unless components tell"
	}
	return fmt.Sprintf("closure of %s, %s", of, how)
}
