// Package rules evaluates relations directly from their definition: [Eval] tries every rule on every
// combination of rows until nothing new appears, stratum by stratum.
//
// Tests compare it with the engine, with which it shares only the form of programs (package rel): no
// plan, no index, no order of joins, no difference between old rows and new ones. A row that a value
// improves is replaced in place, and more rounds than there are rows mean that it improves for ever
// (ErrImproves). What takes more than maxSteps is given up (ErrSteps): tests pass over it.
//
// [Random] draws programs that the verifier accepts, [Closure] one of the spellings of a closure,
// which the engine rewrites, and [Table] the rows of an input.
package rules

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// The reasons why a program has no answer.
var (
	ErrImproves = errors.New("a value improves for ever")
	ErrWeight   = errors.New("a factor below 0 of a value that improves")
	ErrNumber   = errors.New("a number that no column holds")
	ErrSteps    = errors.New("too much work for this evaluator")
)

const maxSteps = 4 << 20

// Row is a row: numbers, and numbers of members of domains.
type Row = []float64

// relation is the rows that have been found.
type relation struct {
	rows []Row
	has  map[string]int // the place of a row; of a valued relation by its key
}

// eval is one evaluation.
type eval struct {
	p     *rel.Program
	rels  []relation
	in    []bool // in the stratum
	steps int
	err   error

	weight bool // of this binding a value that improves has a factor below 0
}

// Eval returns the rows of each result, sorted as rows are shown. The program has all its facts itself.
func Eval(p *rel.Program) ([][]Row, error) {
	e := &eval{p: p, rels: make([]relation, len(p.Relations))}
	for i := range p.Relations {
		e.rels[i].has = map[string]int{}
		if facts := p.Relations[i].Facts; facts != nil {
			for row := range facts.All() {
				e.add(i, slices.Clone(row))
			}
		}
	}
	for _, s := range p.Strata() {
		e.in = make([]bool, len(p.Relations))
		for _, r := range s.Relations {
			e.in[r] = s.Recursive
		}
		for round := 0; e.round(s); round++ {
			size := 1
			for _, r := range s.Relations {
				size += len(e.rels[r].rows)
			}
			if !s.Recursive || e.err != nil {
				break
			}
			if round > size {
				e.err = ErrImproves
			}
		}
		if e.err != nil {
			return nil, e.err
		}
	}
	out := make([][]Row, len(p.Results))
	for i, r := range p.Results {
		out[i] = slices.Clone(e.rels[r].rows)
		slices.SortFunc(out[i], func(a, b Row) int { return Compare(p.Relations[r].Columns, a, b) })
	}
	return out, nil
}

// Compare orders two rows.
func Compare(cols []tensor.Column, a, b Row) int {
	for i, c := range cols {
		if d := less(c.Domain, a[i], b[i]); d != 0 {
			return d
		}
	}
	return 0
}

// less compares cells as they are shown: by number, or by label.
func less(d *tensor.Domain, a, b float64) int {
	if d == nil || d.Labels == nil {
		return cmp.Compare(a, b)
	}
	return cmp.Compare(d.Labels[int(a)], d.Labels[int(b)])
}

// add puts a row in, or a contribution to a value, and reports whether anything changed.
func (e *eval) add(i int, row Row) bool {
	r, fold := &e.rels[i], e.p.Relations[i].Fold
	last := len(row) - 1
	if fold == rel.NoAgg {
		last++
	}
	for k, c := range e.p.Relations[i].Columns {
		if c.Domain == nil && (row[k]-row[k] != 0 || c.Kind == tensor.IntColumn && math.Abs(row[k]) >= tensor.MaxInt) {
			e.err = ErrNumber
			return false
		}
		row[k] += 0 // one zero
	}
	key := fmt.Sprint(row[:last])
	at, found := r.has[key]
	if !found {
		r.has[key] = len(r.rows)
		r.rows = append(r.rows, row)
		return true
	}
	if fold == rel.NoAgg {
		return false
	}
	old := r.rows[at][last]
	best := map[rel.Agg]func() float64{
		rel.Min: func() float64 { return min(old, row[last]) },
		rel.Max: func() float64 { return max(old, row[last]) },
		rel.Sum: func() float64 { return old + row[last] },
	}[fold]()
	r.rows[at] = append(slices.Clone(row[:last]), best)
	return best != old
}

// round does each rule once. Rows are added when all rules have been tried, so no rule sees what
// another made in the same round.
func (e *eval) round(s rel.Stratum) (changed bool) {
	type made struct {
		rel int
		row Row
	}
	var all []made
	for _, i := range s.Rules {
		r := &e.p.Rules[i]
		groups := map[string][]Row{} // the cells that each binding of a group gives
		var keys []string
		e.bindings(r, func(b Row, rising []bool) {
			row := make(Row, len(r.Head))
			for k := range r.Head {
				if r.Head[k].Agg != rel.Count {
					x, _ := e.value(&r.Head[k].Expr, b, rising)
					row[k] = x + 0 // there is one zero
				}
			}
			if !r.Aggregates() {
				all = append(all, made{r.Rel, row})
				return
			}
			var key strings.Builder
			for k := range r.Head {
				if r.Head[k].Agg == rel.NoAgg {
					fmt.Fprint(&key, row[k], " ")
				}
			}
			if groups[key.String()] == nil {
				keys = append(keys, key.String())
			}
			groups[key.String()] = append(groups[key.String()], row)
		})
		if r.Aggregates() && len(keys) == 0 && !slices.ContainsFunc(r.Head, func(c rel.Cell) bool { return c.Agg == rel.NoAgg }) {
			keys = []string{""} // the one group has nothing in it
		}
		for _, key := range keys {
			if row, ok := e.aggregate(r, groups[key]); ok {
				all = append(all, made{r.Rel, row})
			}
		}
	}
	for _, m := range all {
		if e.add(m.rel, m.row) {
			changed = true
		}
	}
	return changed && e.err == nil
}

// aggregate returns the head of a rule for the bindings of one group, false if there is none:
// only counts and sums of nothing exist.
func (e *eval) aggregate(r *rel.Rule, rows []Row) (Row, bool) {
	out := make(Row, len(r.Head))
	for k := range r.Head {
		d := e.p.Relations[r.Rel].Columns[k].Domain
		agg := r.Head[k].Agg
		if len(rows) == 0 && agg != rel.Count && agg != rel.Distinct && agg != rel.Sum {
			return nil, false
		}
		different := map[string]bool{}
		for n, row := range rows {
			x := row[k]
			different[fmt.Sprint(x+0)] = true
			switch agg {
			case rel.NoAgg:
				out[k] = x
			case rel.Sum, rel.Mean:
				out[k] += x
			case rel.Min, rel.Max:
				if c := less(d, x, out[k]); n == 0 || x != x || out[k] == out[k] && (c < 0 && agg == rel.Min || c > 0 && agg == rel.Max) {
					out[k] = x
				}
			}
		}
		switch agg {
		case rel.Count:
			out[k] = float64(len(rows))
		case rel.Distinct:
			out[k] = float64(len(different))
		case rel.Mean:
			out[k] /= float64(len(rows))
		}
	}
	return out, true
}

// bindings calls f with each binding that makes the body true. Atoms are tried in the order of the
// rule, each row after the other; the rest is tested once all have values.
func (e *eval) bindings(r *rel.Rule, f func(b Row, rising []bool)) {
	binding := make(Row, len(r.Vars))
	bound, rising := make([]bool, len(r.Vars)), make([]bool, len(r.Vars))
	var atoms, rest []*rel.Literal
	for i := range r.Body {
		if l := &r.Body[i]; l.Kind == rel.Atom {
			atoms = append(atoms, l)
		} else {
			rest = append(rest, l)
		}
	}
	var try func(k int)
	try = func(k int) {
		if e.steps++; e.err != nil || e.steps > maxSteps {
			e.err = cmp.Or(e.err, ErrSteps)
			return
		}
		if k == len(atoms) {
			b, up, ok := slices.Clone(binding), slices.Clone(rising), slices.Clone(bound)
			if e.weight = false; e.holds(r, rest, b, ok, up) {
				if f(b, up); e.weight {
					e.err = cmp.Or(e.err, ErrWeight)
				}
			}
			return
		}
		l := atoms[k]
		for _, row := range e.rels[l.Rel].rows {
			was, wasRising := slices.Clone(bound), slices.Clone(rising)
			ok := true
			for i, t := range l.Terms {
				switch {
				case t.Kind == rel.Any:
				case t.Kind == rel.Const:
					ok = ok && t.Value == row[i]
				case bound[t.Var]:
					ok = ok && binding[t.Var] == row[i]
				default:
					bound[t.Var], binding[t.Var] = true, row[i]
					rising[t.Var] = e.in[l.Rel] && e.p.Relations[l.Rel].Valued() && i == len(l.Terms)-1
				}
			}
			if ok {
				try(k + 1)
			}
			copy(bound, was)
			copy(rising, wasRising)
			if e.err != nil {
				return
			}
		}
	}
	try(0)
}

// holds tests what is no atom, as soon as its variables have values.
func (e *eval) holds(r *rel.Rule, list []*rel.Literal, b Row, bound, rising []bool) bool {
	for len(list) > 0 {
		var later []*rel.Literal
		for _, l := range list {
			ready := true
			see := func(v int) { ready = ready && bound[v] }
			if l.Kind == rel.Bind {
				l.Left.Vars(see)
			} else {
				l.Vars(see)
			}
			if !ready {
				later = append(later, l)
				continue
			}
			switch l.Kind {
			case rel.Not:
				for _, row := range e.rels[l.Rel].rows {
					same := true
					for i, t := range l.Terms {
						same = same && (t.Kind == rel.Any || t.Kind == rel.Const && t.Value == row[i] || t.Kind == rel.Variable && b[t.Var] == row[i])
					}
					if same {
						return false
					}
				}
			case rel.Bind:
				x, up := e.value(&l.Left, b, rising)
				if bound[l.Var] && b[l.Var] != x || r.Vars[l.Var].Domain != nil && x == rel.NoMember {
					return false
				}
				b[l.Var], bound[l.Var], rising[l.Var] = x+0, true, rising[l.Var] || up
			case rel.Compare:
				if !e.compare(r, l, b, rising) {
					return false
				}
			}
		}
		list = later
	}
	return true
}

// compare evaluates a comparison. Members are compared as they are shown, whatever their numbers.
func (e *eval) compare(r *rel.Rule, l *rel.Literal, b Row, rising []bool) bool {
	x, _ := e.value(&l.Left, b, rising)
	y, _ := e.value(&l.Right, b, rising)
	for _, t := range [...]rel.Expr{l.Left, l.Right} {
		if len(t.Args) == 0 && t.Term.Kind == rel.Variable && r.Vars[t.Term.Var].Domain != nil && x >= 0 && y >= 0 {
			x, y = float64(less(r.Vars[t.Term.Var].Domain, x, y)), 0
			break
		}
	}
	return l.Fn.Apply(x, y, 0) != 0
}

// value returns an expression, and whether it is made of a value that still improves.
func (e *eval) value(x *rel.Expr, b Row, rising []bool) (float64, bool) {
	if len(x.Args) == 0 {
		if x.Term.Kind == rel.Const {
			return x.Term.Value, false
		}
		return b[x.Term.Var], rising[x.Term.Var]
	}
	var a [3]float64
	up := [3]bool{}
	for i := range x.Args {
		a[i], up[i] = e.value(&x.Args[i], b, rising)
	}
	if x.Fn == op.FnMul && (up[0] && a[1] < 0 || up[1] && a[0] < 0) {
		e.weight = true
	}
	return x.Fn.Apply(a[0], a[1], a[2]), up[0] || up[1] || up[2]
}
