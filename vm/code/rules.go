package code

import (
	"fmt"
	"math"
	"slices"

	"ein/internal/lists"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/rel/engine"
	"ein/vm/tensor"
)

// rulesRule requires a well-formed program whose sources are the arguments, and whose
// results are the registers of the instruction.
func rulesRule(x *Site) error {
	p := x.Rules
	if p == nil {
		return fmt.Errorf("no rules")
	}
	if err := rel.Verify(p); err != nil {
		return err
	}
	if n := p.Planned(); n > maxPlanned {
		return fmt.Errorf("rules of %d literals to plan, at most %d", n, maxPlanned)
	}
	for i := range p.Relations {
		r := &p.Relations[i]
		if r.Source == rel.NoSource {
			continue
		}
		if r.Arg >= len(x.Arg) {
			return fmt.Errorf("%s reads argument %d of %d", r.Name, r.Arg, len(x.Arg))
		}
		if err := fitsSource(r, x.Arg[r.Arg]); err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	if len(p.Results) != len(x.Results) {
		return fmt.Errorf("%d registers for %d results", len(x.Results), len(p.Results))
	}
	for i, r := range p.Results {
		if to := x.Results[i]; to.Layout != tensor.Rows || !rel.SameColumns(to.Columns, p.Relations[r].Columns) {
			return fmt.Errorf("gives %s, the register is a %v of other columns", p.Head(&p.Relations[r]), to.Layout)
		}
	}
	plan, _ := planRules(x)
	for i, r := range p.Results {
		if rows := plan.(rulesPlan).Rows(r); uint64(x.Results[i].NNZ) < min(rows, math.MaxInt) {
			return fmt.Errorf("%s has up to %d rows, the register is a table of %d", p.Relations[r].Name, rows, x.Results[i].NNZ)
		}
	}
	return nil
}

// fitsSource requires a register that the relation can read.
func fitsSource(r *rel.Relation, a *Reg) error {
	if (a.Layout == tensor.Rows) != (r.Source == rel.FromTable) {
		return fmt.Errorf("%v of a %v", r.Source, a.Layout)
	}
	if r.Source == rel.FromTable {
		if !rel.SameColumns(a.Columns, r.Columns) {
			return fmt.Errorf("a table of other columns")
		}
		return nil
	}
	n := len(r.Columns)
	if r.Source == rel.FromElements {
		if n--; a.Kind == tensor.Real && r.Columns[n].Kind != tensor.RealColumn {
			return fmt.Errorf("real elements in a column of whole numbers")
		}
	}
	if n != a.Shape.Rank() {
		return fmt.Errorf("%d columns for a %v", n, a.Shape)
	}
	for d, c := range r.Columns[:n] {
		if c.Domain.Size != a.Shape.Dim(d) {
			return fmt.Errorf("the column %s of %d nodes for axis %d of a %v", c.Name, c.Domain.Size, d, a.Shape)
		}
	}
	return nil
}

// rulesPlan is the plan of a program of rules as a Kernel.
type rulesPlan struct{ *engine.Plan }

// Cost returns the operations; the memory is Bytes.
func (p rulesPlan) Cost() kernel.Cost { return kernel.Cost{Ops: p.Ops()} }

// planRules is the plan of an instruction: that of the compiler if it is for these rules and sizes,
// as it sized the registers by it, or a new one, as for a program from a file.
func planRules(x *Site) (Kernel, error) {
	if x.Planned != nil && x.Planned.Of(x.Rules, RuleSizes(x.Rules, x.Arg)) {
		return rulesPlan{x.Planned}, nil
	}
	return rulesPlan{PlanRules(x.Rules, x.Arg)}, nil
}

// PlanRules plans the evaluation of rules whose sources are such registers; a compiler
// sizes the registers of the results by it.
func PlanRules(p *rel.Program, args []*Reg) *engine.Plan { return engine.New(p, RuleSizes(p, args)) }

// RuleSizes bounds what relations read from such registers.
func RuleSizes(p *rel.Program, args []*Reg) []engine.Size {
	size := lists.Map(args, func(r *Reg) engine.Size {
		rows := r.Shape.Elems()
		if r.Layout == tensor.Rows || r.Layout == tensor.Sparse {
			rows = uint64(r.NNZ)
		}
		return engine.Size{Rows: rows, Table: r.Table}
	})
	for i := range p.Relations { // all elements of a sparse matrix, the zeros too
		if r := &p.Relations[i]; r.Source == rel.FromElements && !p.Sparse(i) {
			size[r.Arg].Rows = args[r.Arg].Shape.Elems()
		}
	}
	return size
}

// scatterRule requires a table of nodes, with numbers or without, that fits the result.
func scatterRule(x *Site) error {
	cols := x.Arg[0].Columns
	n := len(cols)
	numbers := n > 0 && !cols[n-1].Kind.Named()
	if numbers {
		n--
	}
	r := x.Result
	if n != r.Shape.Rank() || r.Kind == tensor.Bool && (numbers || x.Arg[1].Kind != tensor.Bool) ||
		numbers && cols[n].Kind == tensor.RealColumn && r.Kind != tensor.Real || x.Arg[1].Kind > r.Kind {
		return fmt.Errorf("a table of %d columns makes no %v %v", len(cols), r.Layout, r.Type)
	}
	for d, c := range cols[:n] {
		if c.Kind != tensor.NodeColumn || c.Domain.Size != r.Shape.Dim(d) {
			return fmt.Errorf("the column %s is not axis %d of a %v", c.Name, d, r.Shape)
		}
	}
	if r.Layout == tensor.Sparse && r.NNZ < min(x.Arg[0].NNZ, int(min(r.Shape.Elems(), math.MaxInt))) {
		return fmt.Errorf("a csr of %d entries for %d rows", r.NNZ, x.Arg[0].NNZ)
	}
	return nil
}

// scatterCost bounds what it takes to fill the result and to put each row in its place.
func scatterCost(x *Site) kernel.Cost {
	fill := x.Result.Shape.Elems()
	switch x.Result.Layout {
	case tensor.Packed:
		fill = x.Result.Words()
	case tensor.Sparse:
		rows, cols := x.Result.Shape.Matrix()
		fill = uint64(rows + cols + 1)
		return kernel.Cost{Ops: tensor.SatAdd(fill, tensor.SatMul(2, uint64(x.Arg[0].NNZ))), I: tensor.SatAdd(uint64(cols)+1, uint64(x.Arg[0].NNZ))}
	}
	return kernel.Cost{Ops: tensor.SatAdd(tensor.SatAdd(fill, 1), tensor.SatMul(2, uint64(x.Arg[0].NNZ)))}
}

// The binary form of relations; see coder.

// ofTables is the first byte of a register of tables: a rank that no tensor has.
const ofTables = 15

// domains names the labels of a domain once: nearly always they are those of the program, which
// come later in the file and are filled in then (shared).
func (c *coder) domains(p *Program) {
	items(c, &p.Domains, 3, "domains", func(d **tensor.Domain) {
		if !c.writes {
			*d = &tensor.Domain{}
		}
		c.string(&(*d).Name, "a domain's name")
		uvarint(c, &(*d).Size, maxDim, "size")
		labels := byte(ownLabels)
		if (*d).Labels == nil {
			labels = noLabels
		} else if slices.Equal((*d).Labels, p.Labels) {
			labels = programLabels
		}
		enum(c, &labels, 3, "labels of a domain")
		if labels == ownLabels {
			c.strings(&(*d).Labels, "labels of a domain")
			if len((*d).Labels) == 0 && !c.writes {
				(*d).Labels = []string{}
			}
		} else if labels == programLabels && !c.writes {
			c.shared = append(c.shared, *d)
		}
	})
	c.domain = p.Domains
}

// A domain has the labels of the program, or its own, or none.
const (
	noLabels = iota
	ownLabels
	programLabels
)

// ofDomain is a domain by its number plus 1, 0 for none.
func (c *coder) ofDomain(d **tensor.Domain) {
	at := slices.Index(c.domain, *d) + 1
	if uvarint(c, &at, len(c.domain), "domain"); at > 0 && !c.writes {
		*d = c.domain[at-1]
	}
}

// columns are those of a register or a relation, with their domains by number.
func (c *coder) columns(cols *[]tensor.Column) {
	items(c, cols, 3, "columns", func(col *tensor.Column) {
		c.string(&col.Name, "a column's name")
		enum(c, &col.Kind, int(tensor.MaxColumnKind), "kind of column")
		c.ofDomain(&col.Domain)
	})
}

// table is the rows of a table whose columns are known, column by column; bits are
// written as the rows they are.
func (c *coder) table(t *tensor.Table) {
	if c.writes && t.Bits != nil {
		cells := &tensor.Table{Columns: t.Columns, Cells: make([]tensor.Cells, len(t.Columns))}
		for row := range t.All() {
			for k, x := range row {
				cells.Cells[k].ID = append(cells.Cells[k].ID, uint32(x))
			}
			cells.Len++
		}
		t = cells
	}
	n := t.Len
	if n = c.length(n, 1, ErrDamaged, math.MaxInt32, "rows"); c.err != nil {
		return
	}
	if !c.writes {
		t.Len, t.Cells = n, make([]tensor.Cells, len(t.Columns))
	}
	for k := range t.Columns {
		if t.Columns[k].Domain == nil {
			c.floats(&t.Cells[k].Num, uint64(n))
			continue
		}
		if !c.room(n, "cells") {
			return
		}
		if !c.writes {
			t.Cells[k].ID = make([]uint32, n)
		}
		for i := range t.Cells[k].ID {
			id := int(t.Cells[k].ID[i])
			uvarint(c, &id, maxDim, "member")
			if !c.writes {
				t.Cells[k].ID[i] = uint32(id)
			}
		}
	}
}

// rules is a program of relations. What it means is left to rel.Verify; only sizes are bounded here.
func (c *coder) rules(p *rel.Program) {
	items(c, &p.Domains, 1, "domains", func(d **tensor.Domain) { c.ofDomain(d) })
	items(c, &p.Relations, 6, "relations", func(r *rel.Relation) {
		c.string(&r.Name, "a relation's name")
		c.columns(&r.Columns)
		enum(c, &r.Fold, 256, "a fold")
		enum(c, &r.Source, 256, "a source")
		uvarint(c, &r.Arg, math.MaxInt32, "argument")
		facts := byte(0)
		if r.Facts != nil {
			facts = 1
		}
		if enum(c, &facts, 2, "facts"); facts == 1 {
			if !c.writes {
				r.Facts = &tensor.Table{Columns: r.Columns}
			}
			c.table(r.Facts)
		}
		c.pos(&r.Pos)
	})
	items(c, &p.Rules, 4, "rules", c.rule)
	c.ints(&p.Results, math.MaxInt32, "result")
	written := byte(0)
	if p.AsWritten {
		written = 1
	}
	if enum(c, &written, 2, "whether rules are as written"); !c.writes {
		p.AsWritten = written == 1
	}
}

// rule is a rule of a program of relations. A Count has no expression, and a literal has only
// what its kind takes.
func (c *coder) rule(r *rel.Rule) {
	uvarint(c, &r.Rel, math.MaxInt32, "relation")
	items(c, &r.Vars, 3, "variables", func(v *rel.Var) {
		c.string(&v.Name, "a variable's name")
		enum(c, &v.Kind, int(tensor.MaxColumnKind), "kind of variable")
		c.ofDomain(&v.Domain)
	})
	items(c, &r.Head, 2, "cells", func(cell *rel.Cell) {
		if enum(c, &cell.Agg, 256, "an aggregate"); cell.Agg != rel.Count {
			c.expr(&cell.Expr, 0)
		}
	})
	items(c, &r.Body, 2, "literals", func(l *rel.Literal) {
		enum(c, &l.Kind, 4, "kind of literal")
		switch l.Kind {
		case rel.Bind:
			uvarint(c, &l.Var, math.MaxInt32, "variable")
			c.expr(&l.Left, 0)
		case rel.Compare:
			enum(c, &l.Fn, 256, "a comparison")
			c.expr(&l.Left, 0)
			c.expr(&l.Right, 0)
		default:
			uvarint(c, &l.Rel, math.MaxInt32, "relation")
			items(c, &l.Terms, 1, "terms", func(t *rel.Term) { c.term(t) })
		}
		c.pos(&l.Pos)
	})
	c.pos(&r.Pos)
}

// term is a variable, a constant or a wildcard.
func (c *coder) term(t *rel.Term) {
	enum(c, &t.Kind, 3, "kind of term")
	switch t.Kind {
	case rel.Variable:
		uvarint(c, &t.Var, math.MaxInt32, "variable")
	case rel.Const:
		one := []float64{t.Value}
		if c.floats(&one, 1); !c.writes && len(one) == 1 {
			t.Value = one[0]
		}
	}
}

// expr is the number of arguments, and the term of an expression that has none.
func (c *coder) expr(e *rel.Expr, depth int) {
	if depth > rel.MaxDepth {
		c.fail(ErrDamaged, c.at, "a deeper expression", fmt.Sprintf("at most %d", rel.MaxDepth))
		return
	}
	n := byte(len(e.Args))
	if enum(c, &n, 4, "arguments"); n == 0 {
		c.term(&e.Term)
		return
	}
	enum(c, &e.Fn, int(op.FnCheck), "a function")
	if !c.writes {
		e.Args = make([]rel.Expr, n)
	}
	for i := range e.Args {
		c.expr(&e.Args[i], depth+1)
	}
}
