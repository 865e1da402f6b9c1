package check

import (
	"maps"
	"math"

	"ein/internal/codes"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/tensor"
)

// repeat elaborates the statements of s once for each round. A statement must give the same shape
// in every round. What the first round reports is not reported again. So a repeat is unrolled: the
// number of rounds is known, and the operations of all rounds count against the limit.
func (c *checker) repeat(s *syntax.Repeat, assign func(*syntax.Assign) val) {
	times, ok := c.times(s)
	if !ok {
		times = 1 // what is wrong in it is reported all the same
	}
	before := c.scope.names
	if times == 0 { // it is checked, and nothing comes of it
		c.scope.names = maps.Clone(before)
		defer func() { c.scope.names = before }()
		assign = c.local
	}
	shapes := make(map[*syntax.Assign]tensor.Shape, len(s.Body))
	for round := range max(times, 1) {
		diags, errors, warnings := len(c.diags), c.errors, c.warnings
		c.b.Count++ // rounds of nothing end as well
		for _, st := range s.Body {
			if c.b.Count++; c.step(1) {
				return
			}
			switch st := st.(type) {
			case *syntax.Assign:
				v := assign(st)
				if v.n == nil {
					break
				}
				shape, again := shapes[st]
				if shapes[st] = v.n.Type.Shape; again && shape != v.n.Type.Shape {
					c.tell(codes.E0329, st.Name.Span, "", []string{"Inside `repeat` a statement gives the same shape in every round."},
						"`%s` is %s in one round and %s in the next", st.Name.Name, stdlib.Describe(shape), stdlib.Describe(v.n.Type.Shape))
				}
			case *syntax.Repeat:
				c.repeat(st, assign)
			case *syntax.Bad:
				c.stands(st.Name, symbol{bad: true, used: true, span: st.Span})
			}
		}
		if c.overLimit(s.Span) || c.errors > errors {
			return
		}
		if round > 0 {
			c.diags, c.warnings = c.diags[:diags], warnings
		}
	}
}

// times is the number of rounds of s.
func (c *checker) times(s *syntax.Repeat) (n int, ok bool) {
	v := c.printed(s.Times)
	if v.n == nil {
		return 0, false
	}
	x, known := v.n.Static()
	if x != x && c.b.Unknown {
		return 1, true // not known until the inputs are bound
	}
	if !known || x < 0 || x != math.Trunc(x) || x > float64(c.cfg.Limits.Nodes) {
		found := "a value that is not known before the program runs"
		if v.n.Rank() > 0 {
			found = shapeOf(v.n)
		} else if known {
			found = text(s.Times)
		}
		c.tell(codes.E0314, s.Times.Pos(), "", []string{"It is known before the program runs, such as 10 or `size(A, 0)`."},
			"the number of rounds of a `repeat` must be a whole number from 0 to %d, found %s", c.cfg.Limits.Nodes, found)
		return 0, false
	}
	return int(x), true
}
