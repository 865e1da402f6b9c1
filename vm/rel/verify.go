package rel

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ein/vm/op"
	"ein/vm/tensor"
)

// Limits of a well-formed program.
const (
	maxDomains = 1 << 10
	maxRules   = 1 << 16 // and relations
	maxVars    = 1 << 8  // of a rule
	maxBody    = 1 << 6
	MaxSize    = 1 << 30 // of a domain
)

// InRule is what is wrong with one rule.
type InRule struct {
	Rule int
	Err  error
}

// Error implements error.
func (e *InRule) Error() string { return fmt.Sprintf("rel: rule %d: %v", e.Rule, e.Err) }

// MaxDepth is the most that expressions lie in each other.
const MaxDepth = 64

// NoMember is a constant where a name stands that the domain lacks. It equals nothing.
const NoMember = -1

// Verify reports the first thing that makes p malformed. The evaluation of a verified program is
// defined, and ends but for values that keep improving, which it finds.
//
// It trusts nothing, since a program may come from a file: places are checked before they are used,
// and whatever the checker guarantees is found out again. It looks at each part by itself first,
// relations and then rules, and at recursion last, when it is certain that strata can be computed.
func Verify(p *Program) error {
	if len(p.Domains) > maxDomains || len(p.Relations) > maxRules || len(p.Rules) > maxRules {
		return fmt.Errorf("rel: %d domains, %d relations and %d rules, at most %d, %d and %d", len(p.Domains), len(p.Relations), len(p.Rules), maxDomains, maxRules, maxRules)
	}
	for i, d := range p.Domains {
		if CheckDomain(d) != nil || slices.Contains(p.Domains[:i], d) {
			return fmt.Errorf("rel: malformed domain %d", i)
		}
	}
	for i := range p.Relations {
		if err := p.relation(&p.Relations[i]); err != nil {
			return fmt.Errorf("rel: relation %d, %s: %w", i, p.Relations[i].Name, err)
		}
	}
	for i, r := range p.Results {
		if r < 0 || r >= len(p.Relations) {
			return fmt.Errorf("rel: result %d: there is no relation %d", i, r)
		}
	}
	for i := range p.Rules {
		v := verifier{p: p, r: &p.Rules[i]}
		if err := v.rule(); err != nil {
			return &InRule{i, err}
		}
	}
	for _, s := range p.Strata() {
		for _, i := range s.Rules {
			if err := p.Stratified(i, &s); err != nil {
				return &InRule{i, err}
			}
		}
	}
	return nil
}

// CheckDomain reports why d is no domain.
func CheckDomain(d *tensor.Domain) error {
	if d == nil || d.Size < 0 || d.Size > MaxSize || d.Labels != nil && len(d.Labels) != d.Size {
		return fmt.Errorf("malformed domain")
	}
	return nil
}

// CheckColumns reports why a table cannot have such columns.
func CheckColumns(cols []tensor.Column) error {
	if len(cols) > tensor.MaxColumns {
		return fmt.Errorf("%d columns, at most %d", len(cols), tensor.MaxColumns)
	}
	for i, c := range cols {
		if err := checkType(c.Kind, c.Domain); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

// checkType requires a domain of a kind whose cells are names, and none of numbers.
func checkType(kind tensor.ColumnKind, d *tensor.Domain) error {
	switch {
	case kind >= tensor.MaxColumnKind:
		return fmt.Errorf("unknown kind %d", kind)
	case kind.Named() != (d != nil):
		return fmt.Errorf("a %v with a domain: %t", kind, d != nil)
	}
	return nil
}

// typed is checkType for a domain of the program.
func (p *Program) typed(kind tensor.ColumnKind, d *tensor.Domain) error {
	if err := checkType(kind, d); err != nil || d == nil || slices.Contains(p.Domains, d) {
		return err
	}
	return fmt.Errorf("the domain %s is not one of the program's", d.Name)
}

// relation checks columns, source and facts of a relation, and that they agree.
func (p *Program) relation(r *Relation) error {
	n := len(r.Columns)
	if err := CheckColumns(r.Columns); err != nil {
		return err
	}
	for i, c := range r.Columns {
		if err := p.typed(c.Kind, c.Domain); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	number := n > 0 && !r.Columns[n-1].Kind.Named()
	switch {
	case r.Valued() && (r.Fold < Sum || r.Fold > Max):
		return fmt.Errorf("no value is a %v", r.Fold)
	case r.Valued() && !number:
		return fmt.Errorf("no value of numbers")
	case r.Source >= maxSource:
		return fmt.Errorf("unknown source %d", r.Source)
	case r.Source != NoSource && (r.Valued() || r.Arg < 0):
		return fmt.Errorf("no argument can be its source")
	}
	if r.Source > FromTable {
		axes := r.Columns
		if r.Source == FromElements {
			if !number || r.Facts != nil {
				return fmt.Errorf("no column for elements, or facts beside them")
			}
			axes = axes[:n-1]
		}
		for _, c := range axes {
			if c.Kind != tensor.NodeColumn {
				return fmt.Errorf("the column %s is not an axis of a tensor", c.Name)
			}
		}
	}
	if r.Facts == nil {
		return nil
	}
	if !SameColumns(r.Facts.Columns, r.Columns) {
		return fmt.Errorf("facts of other columns")
	}
	return CheckTable(r.Facts, nil)
}

// SameColumns reports whether two tables hold the same things; what columns are called
// does not matter.
func SameColumns(a, b []tensor.Column) bool {
	return slices.EqualFunc(a, b, func(x, y tensor.Column) bool { return x.Kind == y.Kind && x.Domain == y.Domain })
}

// CheckTable reports why t is no table. It gives up when stopped, unless that is nil,
// says so; a large table takes a while.
func CheckTable(t *tensor.Table, stopped func() bool) error {
	n := len(t.Columns)
	if t.Bits != nil {
		rows, cols := 1, 0
		if n == 1 || n == 2 {
			cols = size(t.Columns[n-1])
		}
		if n == 2 {
			rows = size(t.Columns[0])
		}
		if n < 1 || n > 2 || rows < 0 || cols < 0 {
			return fmt.Errorf("bits of %d columns", n)
		}
		return checkBits(t, rows, cols)
	}
	if len(t.Cells) != n || t.Len < 0 || n == 0 && t.Len > 1 {
		return fmt.Errorf("malformed table of %d rows", t.Len)
	}
	for c := range t.Columns {
		k, d := t.Columns[c].Kind, t.Columns[c].Domain
		id, num := t.Cells[c].ID, t.Cells[c].Num
		if k.Named() && (len(id) != t.Len || num != nil) || !k.Named() && (len(num) != t.Len || id != nil) {
			return fmt.Errorf("column %d: no %d cells of %v", c, t.Len, k)
		}
		for i, x := range id {
			if i&0xffff == 0xffff && stopped != nil && stopped() {
				return ErrStopped
			}
			if uint64(x) >= uint64(d.Size) {
				return fmt.Errorf("column %d, row %d: member %d of %d", c, i, x, d.Size)
			}
		}
		for i, x := range num {
			if i&0xffff == 0xffff && stopped != nil && stopped() {
				return ErrStopped
			}
			if !fits(x, k) {
				return fmt.Errorf("column %d, row %d: %v is no %v", c, i, x, k)
			}
		}
	}
	return nil
}

// ErrStopped is the error of CheckTable when it was told to stop.
var ErrStopped = errors.New("rel: stopped")

// size is the number of members of a column's domain, -1 if it holds numbers.
func size(c tensor.Column) int {
	if c.Domain == nil {
		return -1
	}
	return c.Domain.Size
}

// checkBits requires a table of pairs as bits with as many ones as it has rows, and zeros past
// the end of each.
func checkBits(t *tensor.Table, rows, cols int) error {
	b := t.Bits
	if t.Cells != nil || b.Rows != rows || b.Cols != cols || b.Stride != tensor.Words(cols) ||
		uint64(len(b.W)) != tensor.SatMul(uint64(rows), uint64(b.Stride)) {
		return fmt.Errorf("malformed bits of a table")
	}
	n := 0
	for i := range rows {
		for j := range tensor.Ones(b.Row(i)) {
			if n++; j >= cols {
				return fmt.Errorf("bits past the end of row %d", i)
			}
		}
	}
	if n != t.Len {
		return fmt.Errorf("%d bits for %d rows", n, t.Len)
	}
	return nil
}

// fits reports whether a number can be a cell of such a column. -0 cannot: there is one zero.
func fits(x float64, k tensor.ColumnKind) bool {
	if k == tensor.IntColumn && (float64(int64(x)) != x || math.Abs(x) >= tensor.MaxInt) {
		return false
	}
	return x-x == 0 && math.Float64bits(x) != 1<<63
}

// verifier checks a rule. sourced says which variables have a value.
type verifier struct {
	p *Program
	r *Rule
	s *Stratum // nil before the strata are known

	sourced []bool

	// Of a rule in a recursive stratum: whether it reads the stratum, and which variables take their
	// values from complete relations, from rows that there are, or from values that still improve
	// (Min or Max).
	recursive     bool
	below, passed []bool
	rising        []Agg
}

// rule requires that every variable gets a value, by an atom or by an expression of variables
// that have one, and that what is declared whole cannot be anything else.
func (v *verifier) rule() error {
	p, r := v.p, v.r
	if r.Rel < 0 || r.Rel >= len(p.Relations) {
		return fmt.Errorf("there is no relation %d", r.Rel)
	}
	if head := &p.Relations[r.Rel]; head.Source == FromElements {
		return fmt.Errorf("%s has the elements of a tensor, and no other rows", head.Name)
	}
	if len(r.Vars) > maxVars || len(r.Body) > maxBody {
		return fmt.Errorf("%d variables and %d literals, at most %d and %d", len(r.Vars), len(r.Body), maxVars, maxBody)
	}
	for i := range r.Vars {
		if err := p.typed(r.Vars[i].Kind, r.Vars[i].Domain); err != nil {
			return fmt.Errorf("variable %s: %w", r.Vars[i].Name, err)
		}
	}
	whole := make([]bool, len(r.Vars)) // something gives it whole numbers only
	v.sourced = make([]bool, len(r.Vars))
	for i := range r.Body {
		if err := v.literal(&r.Body[i], whole); err != nil {
			return fmt.Errorf("literal %d: %w", i, err)
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range r.Body {
			if l := &r.Body[i]; l.Kind == Bind && !v.sourced[l.Var] && l.Left.In(v.sourced) {
				v.sourced[l.Var], changed = true, true
			}
		}
	}
	for i, ok := range v.sourced {
		if !ok {
			return fmt.Errorf("nothing gives %s a value", r.Vars[i].Name)
		}
		if r.Vars[i].Kind == tensor.IntColumn && !whole[i] {
			return fmt.Errorf("nothing makes %s a whole number", r.Vars[i].Name)
		}
	}
	return v.head()
}

// literal checks one literal, and notes which variables get their values from an atom (sourced)
// and which of them are whole numbers (whole). In a comparison a variable decides the domain of
// both sides, since a constant is only a number.
func (v *verifier) literal(l *Literal, whole []bool) error {
	switch l.Kind {
	case Atom, Not:
		if l.Rel < 0 || l.Rel >= len(v.p.Relations) {
			return fmt.Errorf("there is no relation %d", l.Rel)
		}
		rel := &v.p.Relations[l.Rel]
		if len(l.Terms) != len(rel.Columns) {
			return fmt.Errorf("%d terms for the %d columns of %s", len(l.Terms), len(rel.Columns), rel.Name)
		}
		for i, t := range l.Terms {
			c := rel.Columns[i]
			if err := v.term(t, c.Kind, c.Domain, true); err != nil {
				return fmt.Errorf("term %d: %w", i, err)
			}
			if t.Kind == Variable && l.Kind == Atom {
				v.sourced[t.Var] = true
				whole[t.Var] = whole[t.Var] || c.Kind == tensor.IntColumn
			}
		}
		return nil
	case Bind:
		if l.Var < 0 || l.Var >= len(v.r.Vars) {
			return fmt.Errorf("there is no variable %d", l.Var)
		}
		x := v.r.Vars[l.Var]
		kind, err := v.expr(&l.Left, x.Kind, x.Domain, 0)
		whole[l.Var] = whole[l.Var] || kind == tensor.IntColumn
		return err
	case Compare:
		if l.Fn < op.FnGt || l.Fn > op.FnNe {
			return fmt.Errorf("%d is not a comparison", l.Fn)
		}
		kind, d := tensor.RealColumn, (*tensor.Domain)(nil)
		for _, e := range [...]*Expr{&l.Left, &l.Right} {
			if t := e.Term; len(e.Args) == 0 && t.Kind == Variable && t.Var >= 0 && t.Var < len(v.r.Vars) && v.r.Vars[t.Var].Domain != nil {
				kind, d = v.r.Vars[t.Var].Kind, v.r.Vars[t.Var].Domain
			}
		}
		for _, e := range [...]*Expr{&l.Left, &l.Right} {
			if _, err := v.expr(e, kind, d, 0); err != nil {
				return err
			}
			if d != nil && e.Term.Kind == Const && e.Term.Value == NoMember && l.Fn != op.FnEq && l.Fn != op.FnNe {
				return fmt.Errorf("%v with no member", l.Fn)
			}
		}
		return nil
	}
	return fmt.Errorf("unknown kind %d", l.Kind)
}

// term checks a term in a place of the given type. A number may be whole where it need
// not be, and the other way round: they are equal or not.
func (v *verifier) term(t Term, kind tensor.ColumnKind, d *tensor.Domain, atom bool) error {
	switch {
	case t.Kind == Variable:
		if t.Var < 0 || t.Var >= len(v.r.Vars) {
			return fmt.Errorf("there is no variable %d", t.Var)
		}
		if x := v.r.Vars[t.Var]; x.Domain != d || x.Kind.Named() && x.Kind != kind {
			return fmt.Errorf("the variable %s is a %v, the place takes a %v", x.Name, x.Kind, kind)
		}
		return nil
	case t.Kind == Any && atom:
		return nil
	case t.Kind != Const:
		return fmt.Errorf("malformed term")
	}
	ok := fits(t.Value, tensor.RealColumn)
	if d != nil {
		ok = fits(t.Value, tensor.IntColumn) && t.Value >= NoMember && t.Value < float64(d.Size)
	}
	if !ok {
		return fmt.Errorf("%v is no %v", t.Value, kind)
	}
	return nil
}

// expr checks an expression in a place of the given type, and gives its kind.
func (v *verifier) expr(e *Expr, kind tensor.ColumnKind, d *tensor.Domain, depth int) (tensor.ColumnKind, error) {
	if len(e.Args) == 0 {
		err := v.term(e.Term, kind, d, false)
		switch {
		case err != nil || d != nil:
			return kind, err
		case e.Term.Kind == Variable:
			return v.r.Vars[e.Term.Var].Kind, nil
		case fits(e.Term.Value, tensor.IntColumn):
			return tensor.IntColumn, nil
		}
		return tensor.RealColumn, nil
	}
	if d != nil || e.Fn >= op.FnCheck || len(e.Args) != e.Fn.Arity() || depth > MaxDepth {
		return 0, fmt.Errorf("malformed expression")
	}
	whole := true
	for i := range e.Args {
		k, err := v.expr(&e.Args[i], tensor.RealColumn, nil, depth+1)
		if err != nil {
			return 0, err
		}
		whole = whole && k == tensor.IntColumn
	}
	if e.Fn.Whole(whole) {
		return tensor.IntColumn, nil
	}
	return tensor.RealColumn, nil
}

// head checks that the cells fit the columns of the relation. A relation that folds its value has
// no aggregates: it would fold twice.
func (v *verifier) head() error {
	rel := &v.p.Relations[v.r.Rel]
	if len(v.r.Head) != len(rel.Columns) {
		return fmt.Errorf("%d cells for the %d columns of %s", len(v.r.Head), len(rel.Columns), rel.Name)
	}
	for i := range v.r.Head {
		cell, c := &v.r.Head[i], rel.Columns[i]
		if err := v.cell(cell, c); err != nil {
			return fmt.Errorf("cell %d of %s: %w", i, rel.Name, err)
		}
		if cell.Agg != NoAgg && rel.Valued() {
			return fmt.Errorf("%v in the head of a %v", cell.Agg, rel.Fold)
		}
	}
	return nil
}

// cell checks that what an aggregate gives fits its column: counts and sums are numbers, a mean is not
// whole, and min and max give what they are given.
func (v *verifier) cell(cell *Cell, c tensor.Column) error {
	kind, d := c.Kind, c.Domain
	switch cell.Agg {
	case NoAgg, Min, Max:
	case Count, Distinct:
		if kind.Named() {
			return fmt.Errorf("a number of bindings is not a %v", kind)
		}
		if cell.Agg == Count {
			return nil
		}
		if t := cell.Expr.Term; len(cell.Expr.Args) == 0 && t.Kind == Variable && t.Var >= 0 && t.Var < len(v.r.Vars) {
			d, kind = v.r.Vars[t.Var].Domain, v.r.Vars[t.Var].Kind
		}
		_, err := v.expr(&cell.Expr, kind, d, 0)
		return err
	case Sum, Mean:
		if kind.Named() || cell.Agg == Mean && kind != tensor.RealColumn {
			return fmt.Errorf("a %v is not a %v", cell.Agg, kind)
		}
	default:
		return fmt.Errorf("unknown aggregate %d", cell.Agg)
	}
	k, err := v.expr(&cell.Expr, kind, d, 0)
	if err == nil && kind == tensor.IntColumn && k != tensor.IntColumn {
		err = fmt.Errorf("the column takes whole numbers")
	}
	if err == nil && d != nil && cell.Expr.Term.Kind == Const && cell.Expr.Term.Value == NoMember {
		err = fmt.Errorf("no member of the domain")
	}
	return err
}

// inside reports whether a literal reads a relation of the stratum.
func (v *verifier) inside(l *Literal) bool {
	_, in := slices.BinarySearch(v.s.Relations, l.Rel)
	return in && (l.Kind == Atom || l.Kind == Not)
}

// What a recursive rule does that it may not, of which a front end says more.
var (
	ErrNegation  = errors.New("depends on its own negation")
	ErrAggregate = errors.New("depends on its own aggregate")
	ErrInvents   = errors.New("makes new values in its own recursion")
)

// Stratified reports what a rule does that it may not in its stratum.
func (p *Program) Stratified(rule int, s *Stratum) error {
	v := verifier{p: p, r: &p.Rules[rule], s: s}
	return v.stratified()
}

// stratified checks what a rule may do in its stratum. Only a recursive one is restricted: it may
// not read what is not complete by a negation or an aggregate, and what it computes may not lead
// back into a column, so that there are finitely many rows. A value that still improves may be
// passed on, and only in ways in which better leads to better.
func (v *verifier) stratified() error {
	if !v.s.Recursive {
		return nil
	}
	n := len(v.r.Vars)
	v.below, v.passed, v.sourced, v.rising = make([]bool, n), make([]bool, n), make([]bool, n), make([]Agg, n)
	for _, check := range []func() error{v.atoms, v.binds, v.tests, v.heads} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// atoms says where the variables of atoms take their values from. The value of a key in the same
// stratum may still improve, so the atoms of a rule neither match it with a constant or another
// value nor let it join a column. What else may be done with it, binds, tests and heads say.
func (v *verifier) atoms() error {
	r, head := v.r, &v.p.Relations[v.r.Rel]
	for i := range r.Body {
		l := &r.Body[i]
		in := v.inside(l)
		v.recursive = v.recursive || in
		if in && l.Kind == Not {
			return fmt.Errorf("%s %w", head.Name, ErrNegation)
		}
		if l.Kind != Atom {
			continue
		}
		for k, t := range l.Terms {
			value := in && v.p.Relations[l.Rel].Fold != NoAgg && k == len(l.Terms)-1
			switch {
			case value && t.Kind == Const:
				return fmt.Errorf("a value of %s is compared before it is final", v.p.Relations[l.Rel].Name)
			case t.Kind != Variable:
			case value && v.rising[t.Var] != NoAgg:
				return fmt.Errorf("`%s` is the value of two keys before it is final", r.Vars[t.Var].Name)
			case value:
				v.rising[t.Var] = v.p.Relations[l.Rel].Fold
			default:
				v.passed[t.Var] = true
				v.below[t.Var] = v.below[t.Var] || !in
			}
		}
	}
	if v.recursive && (r.Aggregates() || head.Fold == Sum) {
		return fmt.Errorf("%s %w", head.Name, ErrAggregate)
	}
	for i := range r.Vars {
		if v.rising[i] != NoAgg && v.passed[i] {
			return fmt.Errorf("`%s` stands in a column before it is final", r.Vars[i].Name)
		}
	}
	return nil
}

// binds goes through the variables that a Bind defines, in an order in which their
// expressions are known: where do their values come from?
func (v *verifier) binds() error {
	known := func(x int) bool { return v.passed[x] || v.below[x] || v.rising[x] != NoAgg || v.sourced[x] }
	ready := func(e *Expr) bool {
		ok := true
		e.Vars(func(x int) { ok = ok && known(x) })
		return ok
	}
	done := make([]bool, len(v.r.Body))
	for changed := true; changed; {
		changed = false
		for i := range v.r.Body {
			l := &v.r.Body[i]
			if l.Kind != Bind || done[i] || !ready(&l.Left) {
				continue
			}
			done[i], changed = true, true
			x := l.Var
			up := improving(&l.Left, v.rising)
			if known(x) && (up != NoAgg || v.rising[x] != NoAgg) || up == maxAgg { // one that has a source is only tested
				return fmt.Errorf("`%s` is used before it is final", v.r.Vars[x].Name)
			}
			if known(x) {
				continue
			}
			v.sourced[x], v.rising[x] = true, up
			v.below[x] = l.Left.In(v.below)
			v.passed[x] = finite(&l.Left, v.below, v.passed)
		}
	}
	return nil
}

// tests checks what is negated and compared.
func (v *verifier) tests() error {
	for i := range v.r.Body {
		l := &v.r.Body[i]
		for _, t := range l.Terms {
			if l.Kind == Not && t.Kind == Variable && v.rising[t.Var] != NoAgg {
				return fmt.Errorf("`%s` is used before it is final", v.r.Vars[t.Var].Name)
			}
		}
		if l.Kind != Compare {
			continue
		}
		left, right, fn := improving(&l.Left, v.rising), improving(&l.Right, v.rising), l.Fn
		if left == NoAgg {
			left, right, fn = right, left, fn.Mirror()
		}
		less, more := fn == op.FnLt || fn == op.FnLe, fn == op.FnGt || fn == op.FnGe
		if left != NoAgg && (right != NoAgg || left == maxAgg || left == Min && !less || left == Max && !more) {
			return fmt.Errorf("a value is compared before it is final")
		}
	}
	return nil
}

// heads checks the cells of the head.
func (v *verifier) heads() error {
	head := &v.p.Relations[v.r.Rel]
	for i := range v.r.Head {
		cell := &v.r.Head[i]
		if cell.Agg != NoAgg {
			continue // of what is complete: it is not recursive
		}
		switch up := improving(&cell.Expr, v.rising); {
		case i == len(v.r.Head)-1 && head.Valued():
			if up != NoAgg && up != head.Fold {
				return fmt.Errorf("the value of %s may get worse when the values it is made of improve", head.Name)
			}
		case up != NoAgg:
			return fmt.Errorf("a key of %s is made of a value before it is final", head.Name)
		case v.recursive && !finite(&cell.Expr, v.below, v.passed):
			return fmt.Errorf("%s %w", head.Name, ErrInvents)
		}
	}
	return nil
}

// In reports whether all variables of an expression are in a set.
func (e *Expr) In(in []bool) bool {
	ok := true
	e.Vars(func(x int) { ok = ok && in[x] })
	return ok
}

// finite reports whether an expression has no more values than there are rows below
// the stratum, whatever the stratum derives.
func finite(e *Expr, below, passed []bool) bool {
	if len(e.Args) == 0 {
		return e.Term.Kind != Variable || passed[e.Term.Var]
	}
	return e.In(below)
}

// improving is the fold of the values that still improve in an expression that improves
// with them, NoAgg if there are none, and maxAgg if they may make it worse, or if they
// are of two folds. A product improves as long as its other factor is not below 0, which
// the run looks after.
func improving(e *Expr, rising []Agg) Agg {
	if len(e.Args) == 0 {
		if e.Term.Kind == Variable {
			return rising[e.Term.Var]
		}
		return NoAgg
	}
	found := NoAgg
	for i := range e.Args {
		switch a := improving(&e.Args[i], rising); {
		case a == NoAgg:
		case found != NoAgg && (a != found || e.Fn == op.FnMul), i > 0 && e.Fn == op.FnSub:
			return maxAgg
		default:
			found = a
		}
	}
	switch e.Fn {
	case op.FnAdd, op.FnSub, op.FnMul, op.FnMax, op.FnMin:
		return found
	}
	if found != NoAgg {
		return maxAgg
	}
	return NoAgg
}
