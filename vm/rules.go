package vm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ein/internal/words"
	"ein/vm/code"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/rel/engine"
	"ein/vm/tensor"
)

// rules evaluates relations, and puts the tables of the results into their registers. Unlike other
// kernels it allocates as it goes: rows are charged to m.budget, what the limit of memory has left.
func rules(m *Machine) {
	args := make([]*tensor.Value, len(m.Args))
	for i, r := range m.Args {
		args[i] = &m.regs[r]
	}
	run := m.Plan.(interface {
		Run(c *kernel.Ctl, args []*tensor.Value, b *engine.Budget) ([]*tensor.Table, error)
	})
	tables, err := run.Run(&m.ctl, args, &m.budget)
	if e, ok := errors.AsType[*engine.Error](err); ok {
		m.derived(e)
	}
	for i, r := range m.Results {
		m.regs[r].Table = tables[i]
	}
}

// Evidence is what there is to say of rows of a query: of each goal the answer. Tables are
// what the relations of the program read, nil for nothing.
type Evidence struct {
	Program *rel.Program
	Query   int // its relation
	Tables  []*tensor.Table
	Goals   []engine.Goal
	Answers []engine.Answer
}

// Why explains rows of an output that a query gave, after a run; of a query of one atom the rows
// are those of its relation. It derives what leads to them once more, under the limits of a run.
// What rules with an output read is kept for that until the next run (cost.Arena).
func (m *Machine) Why(ctx context.Context, output int, rows [][]float64) (*Evidence, error) {
	reg := m.mod.Program.Outputs[output].Reg
	for i := range m.steps {
		s := &m.steps[i]
		k := slices.Index(s.Results, reg)
		if s.Op != code.Rules || k < 0 {
			continue
		}
		args, regs := make([]*tensor.Value, len(s.Args)), make([]*code.Reg, len(s.Args))
		for k, r := range s.Args {
			args[k], regs[k] = &m.regs[r], &m.mod.Program.Regs[r]
		}
		query := s.Rules.Results[k]
		out := &Evidence{Program: s.Rules, Query: query, Goals: goals(s.Rules, query, rows)}
		for i := range s.Rules.Relations {
			var t *tensor.Table
			if r := &s.Rules.Relations[i]; r.Source == rel.FromTable {
				t = args[r.Arg].Table
			}
			out.Tables = append(out.Tables, t)
		}
		ctl := kernel.Ctl{Done: ctx.Done(), Limit: m.ops}
		budget := m.budget // what it derives again is held beside the rows of the run
		var err error
		out.Answers, err = engine.Why(s.Rules, code.RuleSizes(s.Rules, regs), &ctl, args, &budget, out.Goals)
		var e *engine.Error
		switch m.step = s; {
		case err == nil:
			return out, nil
		case !errors.As(err, &e):
			return nil, err
		case e.Kind == engine.Cancelled:
			return nil, &Stopped{Pos: m.pos, Cause: context.Cause(ctx)}
		case e.Kind == engine.OverOps:
			return nil, &Exceeded{What: "operations", Pos: m.pos, Max: m.ops, Most: m.mod.Certificate.Ops}
		}
		m.over, m.err = nil, nil
		if kernel.Finished(func() { m.derived(e) }); m.over != nil {
			m.over.Pos = m.pos
			return nil, m.over
		}
		m.err.Pos = cmp.Or(m.err.Pos, m.pos)
		return nil, m.err
	}
	return nil, fmt.Errorf("vm: output %d is not derived by rules", output)
}

// goals returns the rows of a query, or, if it is one atom, those of the relation of the atom.
func goals(p *rel.Program, query int, rows [][]float64) (list []engine.Goal) {
	at := slices.IndexFunc(p.Rules, func(r rel.Rule) bool { return r.Rel == query })
	body := p.Rules[at].Body
	for _, row := range rows {
		if len(body) > 1 || body[0].Kind > rel.Not {
			list = append(list, engine.Goal{Relation: query, Row: row})
			continue
		}
		g := engine.Goal{Relation: body[0].Rel}
		for _, t := range body[0].Terms {
			x := t.Value
			if t.Name != "" {
				if !slices.Contains(g.Names, t.Name) {
					g.Names = append(g.Names, t.Name)
				}
				x = engine.Lacks(slices.Index(g.Names, t.Name))
			}
			switch t.Kind {
			case rel.Variable:
				x = row[slices.IndexFunc(p.Rules[at].Head, func(c rel.Cell) bool { return c.Expr.Term.Var == t.Var })]
			case rel.Any:
				x = math.NaN()
			}
			g.Row = append(g.Row, x)
		}
		list = append(list, g)
	}
	return list
}

// derived takes over why rules have no answer: it turns an error of the engine into one of the
// machine, and stops. A limit or a cancelled context is reported by whoever runs the step, as
// for all kernels.
func (m *Machine) derived(e *engine.Error) {
	name := "the facts"
	if e.Relation != nil {
		name = rel.Plain(written(e.Relation.Name))
	}
	m.sofar = words.Plural(e.Rows, "row") + " of " + name
	var pos op.Pos
	if e.Rule != nil {
		pos = e.Rule.Pos
	}
	switch e.Kind {
	case engine.OverBytes:
		m.over = &Exceeded{What: "bytes", Max: m.bytes, Most: m.mod.Certificate.PeakBytes, Sofar: m.sofar}
	case engine.NotFinite:
		what := "it is NaN, from 0/0 or the like"
		if math.IsInf(e.Value, 0) {
			what = "it is infinite"
		}
		m.fail(&RuntimeError{Kind: NotFinite, Pos: pos, Message: fmt.Sprintf("a cell of %s is not a number: %s", name, what),
			Hint: "leave such bindings out by a comparison, as in `d > 0, r = x / d`"})
	case engine.Inexact:
		m.fail(&RuntimeError{Kind: Inexact, Pos: pos, Message: fmt.Sprintf("a whole number in %s reaches 2^53, past which numbers are not exact", name),
			Hint: inexactHint})
	case engine.Improves:
		around := ""
		if len(e.Cycle) > 0 {
			around = " around " + m.chain(e)
			if e.Value != 0 {
				around += fmt.Sprintf(" (sum %s)", tensor.Number(e.Value))
			}
		}
		m.fail(&RuntimeError{Kind: Improving, Pos: pos, Message: fmt.Sprintf("%s keeps improving%s", name, around),
			Hint: "a value is final after at most as many rounds as there are rows; weights around a cycle must not improve it, even if `min` or `max` ends that later"})
	case engine.Weight:
		m.fail(&RuntimeError{Kind: Worsening, Pos: pos, Message: fmt.Sprintf("a value of %s is multiplied by %v%s, which turns better into worse", name, e.Value, e.Reading),
			Hint: "in a recursion with `min=` or `max=` factors start at 0"})
	}
	kernel.Stop() // over a limit, or cancelled
}

// written is the relation that a name of the engine stands for: what it makes of one for itself has a
// number or a question mark behind the name.
func written(name string) string {
	if at := strings.LastIndexByte(name, '\''); at > 0 && strings.Trim(name[at+1:], "0123456789") == "" {
		name = name[:at]
	}
	if one, asked := strings.CutSuffix(name, "?"); asked && !strings.ContainsAny(one, "([ ") { // no query
		return one
	}
	return name
}

// chain returns the keys of a cycle, as people read them.
func (m *Machine) chain(e *engine.Error) string {
	const most = 20
	keys := make([]string, 0, most)
	for i, row := range append(e.Cycle, e.Cycle[0]) {
		if i == most {
			keys = append(keys, fmt.Sprintf("... %d more", len(e.Cycle)+1-most))
			break
		}
		cells := make([]string, len(row))
		for c, x := range row {
			cells[c] = rel.Constant(x, e.Relation.Columns[c].Domain)
		}
		keys = append(keys, strings.Join(cells, ", "))
	}
	return strings.Join(keys, " -> ")
}

// scatter makes a tensor of a table: rest everywhere, then 1 or the last column where there is a
// row. Its cost counts the largest table there may be; the rows that came are charged, before the
// work.
func scatter(m *Machine) {
	t, d, rest := m.a.Table, m.d, m.b.F[0]
	rank := d.Shape.Rank()
	numbers := len(t.Columns) > rank
	work := m.Cost.Ops - 2*uint64(m.mod.Program.Regs[m.Args[0]].NNZ) + 2*uint64(t.Len)
	if m.ctl.Limit > 0 && tensor.SatAdd(m.ctl.Ops, work) > m.ctl.Limit {
		m.ctl.Over, m.sofar = true, fmt.Sprintf("%d rows", t.Len)
		kernel.Stop()
	}
	m.ctl.Ops += work
	switch d.Layout {
	case tensor.Dense:
		for i := range d.F {
			d.F[i] = rest
		}
	case tensor.Packed:
		clear(d.Bits.W)
	case tensor.Sparse:
		m.csr(t, numbers)
		return
	}
	strides := d.Shape.Strides()
	n := 0
	for row := range t.All() {
		if n++; n%chunkLen == 0 {
			m.ctl.Poll()
		}
		at, x := 0, 1.0
		for k := range rank {
			at += int(row[k]) * strides[k]
		}
		if numbers {
			x = row[rank]
		}
		if d.Layout == tensor.Dense {
			d.F[at] = x
		} else {
			rows, cols := 0, at
			if rank == 2 {
				rows, cols = int(row[0]), int(row[1])
			}
			d.Bits.Set(rows, cols)
		}
	}
}

// csr makes a sparse matrix of the rows of a table, which are in the order of labels: sorted by
// column and then by row. Zeros are no entries. The two sorts are those of a radix sort: by
// counting, the second one leaving in their order what it does not tell apart.
func (m *Machine) csr(t *tensor.Table, numbers bool) {
	d := &m.d.CSR
	d.Idx = d.Idx[:cap(d.Idx)]
	d.Ptr[0] = 0
	if t.Bits != nil {
		n := 0
		for i := range d.Rows {
			for j := range tensor.Ones(t.Bits.Row(i)) {
				d.Idx[n] = int32(j)
				n++
			}
			d.Ptr[i+1] = int32(n)
		}
		d.Idx = d.Idx[:n]
		return
	}
	row, col := t.Cells[0].ID, t.Cells[1].ID
	has := func(k int) bool { return !numbers || t.Cells[2].Num[k] != 0 }
	starts, order := m.scratch.I[:d.Cols+1], m.scratch.I[d.Cols+1:]
	clear(starts)
	clear(d.Ptr)
	for k := range t.Len {
		if has(k) {
			starts[col[k]+1]++
			d.Ptr[row[k]+1]++
		}
	}
	tensor.SumUp(starts)
	tensor.SumUp(d.Ptr)
	for k := range t.Len {
		if has(k) {
			order[starts[col[k]]] = int32(k)
			starts[col[k]]++
		}
	}
	n := int(d.Ptr[d.Rows])
	if d.Idx = d.Idx[:n]; numbers {
		d.Val = d.Val[:cap(d.Val)][:n]
	}
	for _, k := range order[:n] {
		at := &d.Ptr[row[k]]
		if d.Idx[*at] = int32(col[k]); numbers {
			d.Val[*at] = t.Cells[2].Num[k]
		}
		*at++
	}
	// The start of each row went along with what was put there, up to the start of the next.
	copy(d.Ptr[1:], d.Ptr[:d.Rows])
	d.Ptr[0] = 0
}
