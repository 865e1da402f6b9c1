// Package rel represents relations as data: facts, rules and queries, independent of source text
// and of how they are computed.
//
// A [Program] has [Relation]s and [Rule]s. It means the least set of rows that contains the facts
// and is closed under the rules, stratum by stratum ([Program.Strata]): negation and aggregates
// read only relations of earlier strata. A rule has a head and a body of [Literal]s; it stands
// for every binding of its variables that makes the whole body true. Each distinct binding of all
// variables, the nameless ones included, contributes once, to a row or to an aggregate. A query is
// a relation with one rule, named by its text.
//
// Values are numbers everywhere: a node or a text is its place in the domain of its column. Names
// from the source are kept for messages and listings, and have no meaning.
//
// A Program may come from anyone. [Verify] accepts only those whose evaluation is defined and ends:
// every variable has a source, negation and aggregates read what is complete, and no recursion
// makes new values, except by min and max, whose values only improve. Package check makes programs
// from source, and package engine plans and runs them.
package rel

import (
	"slices"

	"ein/vm/op"
	"ein/vm/tensor"
)

// Program is relations and the rules that define them. It is immutable.
type Program struct {
	// Domains are what the columns of the relations range over, each once.
	Domains   []*tensor.Domain
	Relations []Relation
	Rules     []Rule
	// Results are the relations whose rows the program gives, in order.
	Results []int
	// AsWritten keeps to the rules as they stand: nothing is recognised or rewritten.
	AsWritten bool
}

// Relation is a set of rows. It holds its facts, the rows of its source, and what its
// rules derive.
type Relation struct {
	Name    string
	Columns []tensor.Column
	// Fold, when not NoAgg, makes the relation valued: the columns but the last are a
	// key, and each key has one value, in the last column: the Min, Max or Sum of all
	// contributions. Sum has no recursion.
	Fold   Agg
	Source Source
	Arg    int           // of the instruction: what Source reads
	Facts  *tensor.Table // nil for none
	Pos    op.Pos
}

// Valued reports whether the relation has one value for each key.
func (r *Relation) Valued() bool { return r.Fold != NoAgg }

// Source is what an argument of the instruction gives to a relation.
type Source uint8

// FromTable is the rows of a table. FromEntries is the positions of the entries of a
// tensor that are not 0. FromElements is the positions of all elements of a tensor, and
// the element in the last column.
const (
	NoSource Source = iota
	FromTable
	FromEntries
	FromElements
	maxSource
)

func (s Source) String() string { return [...]string{"none", "table", "entries", "elements"}[s] }

// Agg is how contributions become one value.
type Agg uint8

// Count is the number of bindings, Distinct that of different values. Min and Max take
// names, too, by their text. Of no binding at all, Count, Distinct and Sum are 0, and
// the others have no value.
const (
	NoAgg Agg = iota
	Count
	Distinct
	Sum
	Min
	Max
	Mean
	maxAgg
)

func (a Agg) String() string {
	return [...]string{"", "count", "distinct", "sum", "min", "max", "mean"}[a]
}

// Rule derives rows of a relation.
//
// With an aggregate in its head the rule makes one row for each group: for each
// different combination of the cells that are none, or one row in all if every cell is
// an aggregate. That row is there even over no binding at all, if each aggregate has a
// value then.
type Rule struct {
	Rel  int
	Head []Cell // of each column; of a valued relation the last is the contribution
	Body []Literal
	Vars []Var
	Pos  op.Pos
}

// Aggregates reports whether the rule has an aggregate in its head.
func (r *Rule) Aggregates() bool {
	return slices.ContainsFunc(r.Head, func(c Cell) bool { return c.Agg != NoAgg })
}

// Sparse reports whether a relation of elements is only read where these are not 0: each rule that reads
// it has a comparison that is false for 0.
func (p *Program) Sparse(i int) bool {
	if p.Relations[i].Source != FromElements || slices.Contains(p.Results, i) {
		return false
	}
	for k := range p.Rules {
		r := &p.Rules[k]
		for _, l := range r.Body {
			if l.Kind > Not || l.Rel != i {
				continue
			}
			if t := l.Terms[len(l.Terms)-1]; l.Kind == Not || t.Kind != Variable || !slices.ContainsFunc(r.Body, func(c Literal) bool {
				left, a := c.Left.ofZero(t.Var)
				right, b := c.Right.ofZero(t.Var)
				return c.Kind == Compare && a && b && c.Fn.Apply(left, right, 0) == 0
			}) {
				return false
			}
		}
	}
	return true
}

// ofZero is the expression where a variable is 0, if it has no other.
func (e *Expr) ofZero(v int) (x float64, ok bool) {
	if len(e.Args) == 0 {
		return e.Term.Value, e.Term.Kind == Const || e.Term.Kind == Variable && e.Term.Var == v
	}
	var args [3]float64
	for i := range e.Args {
		if args[i], ok = e.Args[i].ofZero(v); !ok {
			return 0, false
		}
	}
	return e.Fn.Apply(args[0], args[1], args[2]), true
}

// Var is a variable of a rule.
type Var struct {
	Name   string // "_" of a nameless one
	Kind   tensor.ColumnKind
	Domain *tensor.Domain
}

// Cell is a cell of a head: an expression, or the aggregate of one. Count has none.
type Cell struct {
	Agg  Agg
	Expr Expr
}

// LiteralKind is the kind of a literal.
type LiteralKind uint8

// Atom is true if the relation has the row. Not is true if it has no such row. Compare
// is true if Fn, one of the comparisons, holds between Left and Right: of names, between
// their texts. Bind is true if the variable Var is Left; it gives the variable a value
// if nothing else does.
const (
	Atom LiteralKind = iota
	Not
	Compare
	Bind
	maxLiteral
)

// Literal is a part of a body.
type Literal struct {
	Kind        LiteralKind
	Rel         int    // Atom, Not
	Terms       []Term // Atom, Not: a term for each column
	Var         int    // Bind
	Fn          op.Fn  // Compare
	Left, Right Expr   // Compare; Left of Bind
	Pos         op.Pos
}

// TermKind is the kind of a term.
type TermKind uint8

// Variable is the value of a variable. Const is Value, which has the type of its place:
// of a column, or of the other side of a comparison. Any stands for every value; in an
// Atom it is a variable that occurs nowhere else, in a Not it says that there is no row
// whatever stands there. It is no expression.
const (
	Variable TermKind = iota
	Const
	Any
	maxTerm
)

// Term is a cell of an atom.
type Term struct {
	Kind  TermKind
	Var   int
	Value float64 // a number, or the number of a member of the domain
	Name  string  // of NoMember, as the user wrote it; "" if that is not known
}

// Expr is a term, or a scalar function of numbers.
type Expr struct {
	Term Term // when there are no Args
	Fn   op.Fn
	Args []Expr
}

// V returns the variable v as an expression, C a constant.
func V(v int) Expr { return Expr{Term: Term{Var: v}} }

// C returns a constant as an expression.
func C(x float64) Expr { return Expr{Term: Term{Kind: Const, Value: x}} }

// Vars calls f with each variable of a literal, as often as it stands there.
func (l *Literal) Vars(f func(v int)) {
	for _, t := range l.Terms {
		if t.Kind == Variable {
			f(t.Var)
		}
	}
	switch l.Kind {
	case Bind:
		f(l.Var)
		l.Left.Vars(f)
	case Compare:
		l.Left.Vars(f)
		l.Right.Vars(f)
	}
}

// Vars calls f with each variable of the expression, as often as it occurs.
func (e *Expr) Vars(f func(v int)) {
	if len(e.Args) == 0 && e.Term.Kind == Variable {
		f(e.Term.Var)
	}
	for i := range e.Args {
		e.Args[i].Vars(f)
	}
}

// Stratum is relations that depend on each other, or one that does not, and the rules
// that define them. All that it uses otherwise is complete before it begins.
type Stratum struct {
	Relations []int // in the order of their numbers
	Rules     []int // likewise
	Recursive bool
}

// Planned is how many literals the loops of a rule of the stratum go through: in a recursion, a rule has
// loops of its own for each atom that the recursion leads back to.
func (s *Stratum) Planned(r *Rule) int {
	loops := 1
	for i := range r.Body {
		if _, own := slices.BinarySearch(s.Relations, r.Body[i].Rel); s.Recursive && own && r.Body[i].Kind == Atom {
			loops++
		}
	}
	return loops * len(r.Body)
}

// Planned is the sum of that over all rules.
func (p *Program) Planned() (n int) {
	for _, s := range p.Strata() {
		for _, i := range s.Rules {
			n += s.Planned(&p.Rules[i])
		}
	}
	return n
}

// Strata are the strata in an order in which each uses only those before it. Relations
// without rules are in none.
func (p *Program) Strata() []Stratum {
	n := len(p.Relations)
	rules := make([][]int, n)
	for i := range p.Rules {
		rules[p.Rules[i].Rel] = append(rules[p.Rules[i].Rel], i)
	}
	// Tarjan's algorithm with a stack of its own: chains of rules may be long.
	type frame struct{ rel, rule, lit int }
	var (
		list  []Stratum
		stack []frame
		open  []int
		low   = make([]int, n)
		place = make([]int, n) // 0 not seen, -1 in a stratum, else when it was seen
		own   = make([]bool, n)
		clock int
	)
	enter := func(r int) {
		clock++
		place[r], low[r] = clock, clock
		open = append(open, r)
		stack = append(stack, frame{rel: r})
	}
	for root := range n {
		if place[root] != 0 {
			continue
		}
		enter(root)
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			r := f.rel
			if f.rule < len(rules[r]) {
				body := p.Rules[rules[r][f.rule]].Body
				if f.lit == len(body) {
					f.rule, f.lit = f.rule+1, 0
					continue
				}
				l := &body[f.lit]
				f.lit++
				if l.Kind != Atom && l.Kind != Not {
					continue
				}
				switch to := l.Rel; {
				case to == r:
					own[r] = true
				case place[to] == 0:
					enter(to)
				case place[to] > 0:
					low[r] = min(low[r], place[to])
				}
				continue
			}
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				up := stack[len(stack)-1].rel
				low[up] = min(low[up], low[r])
			}
			if low[r] == place[r] {
				list = append(list, p.close(&open, r, place, rules, own))
			}
		}
	}
	return slices.DeleteFunc(list, func(s Stratum) bool { return len(s.Rules) == 0 })
}

// close takes the relations down to r off those that are open: they are a stratum.
func (p *Program) close(open *[]int, r int, place []int, rules [][]int, own []bool) (s Stratum) {
	at := len(*open) - 1
	for (*open)[at] != r {
		at--
	}
	s.Relations = slices.Clone((*open)[at:])
	slices.Sort(s.Relations)
	*open = (*open)[:at]
	s.Recursive = len(s.Relations) > 1 || own[r]
	for _, x := range s.Relations {
		place[x] = -1
		s.Rules = append(s.Rules, rules[x]...)
	}
	slices.Sort(s.Rules)
	return s
}
