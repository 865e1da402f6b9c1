package engine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// TestJoined counts the bindings of random bodies by going through all combinations of rows. Atoms that
// share one variable with those before are counted exactly; others, and those that have a variable twice,
// are bounded.
func TestJoined(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	counted, exact, met, filtered := 0, 0, 0, 0
	for range 4000 {
		d := &tensor.Domain{Name: "node", Size: 1 + rng.IntN(6)}
		node, number := tensor.Column{Kind: tensor.NodeColumn, Domain: d}, tensor.Column{Kind: tensor.IntColumn}
		p := &rel.Program{Domains: []*tensor.Domain{d}}
		b := bounds{rowsKnown: newRowsKnown(0)}
		for range 3 {
			columns := []tensor.Column{node, node, number}[:2+rng.IntN(2)]
			table := &tensor.Table{Columns: columns, Len: rng.IntN(8), Cells: make([]tensor.Cells, len(columns))}
			for range table.Len {
				for c := range columns {
					if x := rng.IntN(d.Size); columns[c].Domain != nil {
						table.Cells[c].ID = append(table.Cells[c].ID, uint32(x))
					} else {
						table.Cells[c].Num = append(table.Cells[c].Num, float64(x))
					}
				}
			}
			p.Relations = append(p.Relations, rel.Relation{Columns: columns})
			b.known, b.rows = append(b.known, table), append(b.rows, uint64(table.Len))
			b.degrees = append(b.degrees, slices.Repeat([]uint64{uint64(table.Len)}, 3))
		}
		const names, vars = 4, 6 // the first are names, the rest numbers
		rule := &rel.Rule{}
		for v := range vars {
			if x := (rel.Var{Kind: tensor.NodeColumn, Domain: d}); v < names {
				rule.Vars = append(rule.Vars, x)
			} else {
				rule.Vars = append(rule.Vars, rel.Var{Kind: tensor.IntColumn})
			}
		}
		for range 1 + rng.IntN(4) {
			l := rel.Literal{Rel: rng.IntN(3)}
			for _, column := range p.Relations[l.Rel].Columns {
				switch k := rng.IntN(8); {
				case k == 0:
					l.Terms = append(l.Terms, rel.Term{Kind: rel.Any})
				case k == 1:
					l.Terms = append(l.Terms, rel.Term{Kind: rel.Const, Value: float64(rng.IntN(d.Size))})
				case column.Domain != nil:
					l.Terms = append(l.Terms, rel.Term{Var: rng.IntN(names)})
				default:
					l.Terms = append(l.Terms, rel.Term{Var: names + rng.IntN(vars-names)})
				}
			}
			rule.Body = append(rule.Body, l)
		}
		if v := rng.IntN(vars); rng.IntN(2) == 0 {
			rule.Body = append(rule.Body, rel.Literal{Kind: rel.Compare, Fn: []op.Fn{op.FnLt, op.FnNe}[rng.IntN(2)], Left: rel.V(v), Right: rel.C(float64(rng.IntN(d.Size)))})
		}
		j := joined{bounds: &b, p: p, rule: rule}
		// The bindings so far: those that pass what one atom has to pass by itself.
		bindings := [][]float64{slices.Repeat([]float64{math.NaN()}, vars)}
		tree := true
		for k := range rule.Body {
			l := &rule.Body[k]
			if l.Kind != rel.Atom {
				continue
			}
			shared, of := map[int]bool{}, map[int]bool{}
			for _, t := range l.Terms {
				if t.Kind == rel.Variable {
					tree = tree && !of[t.Var]
					of[t.Var] = true
					if slices.ContainsFunc(rule.Body[:k], func(o rel.Literal) bool { return slices.Contains(o.Terms, t) }) {
						shared[t.Var] = true
					}
				}
			}
			meets := uint64(0)
			var next [][]float64
			for _, x := range bindings {
				for row := range b.known[l.Rel].All() {
					y, keyed, passes := slices.Clone(x), true, true
					for c, t := range l.Terms {
						switch {
						case t.Kind == rel.Const:
							keyed = keyed && row[c] == t.Value
						case t.Kind == rel.Variable && shared[t.Var]:
							keyed = keyed && row[c] == y[t.Var]
						case t.Kind == rel.Variable && math.IsNaN(y[t.Var]):
							y[t.Var] = row[c]
						case t.Kind == rel.Variable:
							passes = passes && y[t.Var] == row[c]
						}
					}
					if !keyed {
						continue
					}
					meets++
					for i := range rule.Body {
						if test := &rule.Body[i]; test.Kind == rel.Compare && of[test.Left.Term.Var] {
							passes = passes && test.Fn.Apply(y[test.Left.Term.Var], test.Right.Term.Value, 0) != 0
							filtered++
						}
					}
					if passes {
						next = append(next, y)
					}
				}
			}
			gotMet, gotLeft := j.add(l)
			if bindings = next; gotMet == math.MaxUint64 {
				break
			}
			counted++
			tree = tree && len(shared) <= 1
			switch {
			case gotMet < meets || gotLeft < uint64(len(bindings)):
				t.Fatalf("%d rows are met, %d bindings left; counted %d and %d\n%v", meets, len(bindings), gotMet, gotLeft, rule.Body)
			case tree && (gotMet != meets || gotLeft != uint64(len(bindings))):
				t.Fatalf("%d rows are met, %d bindings left; counted %d and %d, though one variable is shared\n%v", meets, len(bindings), gotMet, gotLeft, rule.Body)
			case tree:
				exact++
			}
			met += int(meets)
		}
	}
	if counted < 5000 || exact < 4000 || met < 10000 || filtered < 1000 {
		t.Errorf("%d counted, %d of them exactly, with %d rows met, %d filtered", counted, exact, met, filtered)
	}
}
