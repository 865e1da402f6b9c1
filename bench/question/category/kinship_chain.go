package category

import (
	"fmt"
	"slices"
	"strings"

	"ein/bench/question/graph"
	"ein/bench/question/random"
)

// kinshipChain follows kinship steps from X: to all parents of X, say, then to
// all siblings of those, then to all children of those. The answer is how many
// people the last step leads to. Nobody is their own sibling, but a later step
// may lead back to an earlier person. Whether X counts when the last step leads
// back to X would be open, so such questions are not asked.
var kinshipChain = Category{
	Name: "kinship_chain", Level: 2, Result: Integer, Family: Kinship, Least: 3,
	Doc: "number of distinct people found by following two or three kinship steps from X",
	Draw: func(s *random.Stream, c *Case) bool {
		f := c.G.Facts()
		length, n := s.Between(2, 3), c.G.N
		chains := 1
		for range length {
			chains *= len(kinshipSteps)
		}
		// The chain is a number, its digits the steps.
		steps := func(i int) []string {
			var names []string
			for range length {
				names = append(names, kinshipSteps[i%len(kinshipSteps)].name)
				i /= len(kinshipSteps)
			}
			return names
		}
		i, ok := vary(s, n, n*chains, 0, func(i int) (int, bool) {
			found := follow(f, n, i%n, steps(i/n))
			return found.Len(), !found[i%n]
		})
		if ok {
			c.Query = ask(i%n, None)
			c.Query.Steps = steps(i / n)
		}
		return ok
	},
	ein: func(c *Case) string {
		lines := ""
		if slices.Contains(c.Query.Steps, "sibling") {
			lines = fmt.Sprintf("Shared[i,j] = A[p,i] A[p,j]\nSibling = (Shared > 0) * (1 - eye(%d))\n", c.G.N)
		}
		lines += "Start = node(A, {X})\n"
		from := "Start"
		for i, name := range c.Query.Steps {
			to := [...]string{"First", "Second", "Third", "Fourth", "Fifth"}[i]
			lines += fmt.Sprintf("%s[i] = %s\n", to, fmt.Sprintf(named(name).ein, from))
			from = to
		}
		return lines + "Result = sum(" + from + " > 0)\n"
	},
	python: func(c *Case) string {
		// Grandparents are parents of parents, so that three functions will do.
		defs, call := map[string]bool{}, "{{X}}"
		for _, name := range c.Query.Steps {
			for _, f := range named(name).python {
				defs[f] = true
				call = fmt.Sprintf("%s(%s)", f, call)
			}
		}
		text := ""
		for _, d := range pythonSteps {
			if defs[d.name] {
				text += fmt.Sprintf("\ndef %s(people):\n    return %s\n\n", d.name, d.body)
			}
		}
		return text + "\nprint(json.dumps(len(" + call + ")))\n"
	},
	rules: func(c *Case) string {
		text, from := "Start({X}).\n", "Start"
		for i, name := range c.Query.Steps {
			to := [...]string{"First", "Second", "Third", "Fourth", "Fifth"}[i]
			text += fmt.Sprintf("%s(v) <- %s(u), %s.\n", to, from, named(name).rules)
			from = to
		}
		return fmt.Sprintf("%sAnswer(count()) <- %s(_).\nAnswer(k)?\n", text, from)
	},
	Question: func(c *Case, explicit bool) string {
		parts := slices.Clone(c.Query.Steps)
		slices.Reverse(parts)
		q := "How many people are a " + strings.Join(parts, " of a ") + " of {X}"
		if explicit && slices.Contains(parts, "sibling") {
			q += ", counting each person once (siblings are two people who share at least one parent)"
		} else if explicit {
			q += ", counting each person once"
		}
		return q + "?"
	},

	Pose: func(form, s *random.Stream, w *World) (Goal, bool) {
		var room [5]step
		steps := room[:2+w.Turn%4]
		w.Query.Steps = make([]string, len(steps))
		for i := range steps {
			k := &kinshipSteps[form.IntN(len(kinshipSteps))]
			w.Query.Steps[i], steps[i] = k.name, k.step
		}
		aim, before := w.window(1, 3), form.Between(1, 3)
		for _, x := range s.Perm(w.N) {
			w.Query.Source = x
			at, from := graph.Bit(x), graph.Bits{}
			for _, step := range steps {
				at, from = step(w, at, false), at
			}
			if at.Len() == aim && !at.Has(x) && from.Len() == before {
				return Goal{Aim: aim, Aimed: true}, true
			}
		}
		return Goal{}, false
	},
	Solver: (*World).chain,
	Explicit: func(c *Case) string {
		q := "Go from {X} to all " + plurals[c.Query.Steps[0]] + " of {X}"
		for _, name := range c.Query.Steps[1:] {
			q += ", from each of those to all " + plurals[name] + " of that person"
		}
		if slices.Contains(c.Query.Steps, "sibling") {
			q += " (siblings share at least one parent)"
		}
		return q + ". How many different people does the last step lead to?"
	},
}

// chain follows the steps of the query.
func (w *World) chain() Out {
	at := graph.Bit(w.Query.Source)
	for _, name := range w.Query.Steps {
		at = w.Step(at, named(name).step)
	}
	w.Odd = at.Has(w.Query.Source)
	return Out{Num: w.Count(at)}
}

// kinshipStep is a relation that a chain may follow.
type kinshipStep struct {
	name   string
	ein    string   // the vector after the step, of the one before
	python []string // functions that follow it, in order
	rules  string   // a body that leads from u to v
	follow func(f *graph.Facts, x int) graph.Set
	step   step // or, back, with the generations turned round
}

var kinshipSteps = []kinshipStep{
	{"parent", "A[i,j] %s[j]", []string{"parents"}, "Parent(v, u)", (*graph.Facts).Parents, (*World).parents},
	{"child", "A[j,i] %s[j]", []string{"children"}, "Parent(u, v)", (*graph.Facts).Children, (*World).children},
	{"sibling", "Sibling[i,j] %s[j]", []string{"siblings"}, "Parent(p, u), Parent(p, v), u != v", (*graph.Facts).Siblings, (*World).siblings},
	{"grandparent", "A[i,j] A[j,k] %s[k]", []string{"parents", "parents"}, "Parent(v, p), Parent(p, u)", (*graph.Facts).Grandparents, twice((*World).parents)},
	{"grandchild", "A[j,i] A[k,j] %s[k]", []string{"children", "children"}, "Parent(u, p), Parent(p, v)", (*graph.Facts).Grandchildren, twice((*World).children)},
}

var pythonSteps = []struct{ name, body string }{
	{"parents", "{p for x in people for p in G.predecessors(x)}"},
	{"children", "{c for x in people for c in G.successors(x)}"},
	{"siblings", "{s for x in people for p in G.predecessors(x) for s in G.successors(p) if s != x}"},
}

func named(name string) *kinshipStep {
	if i := slices.IndexFunc(kinshipSteps, func(s kinshipStep) bool { return s.name == name }); i >= 0 {
		return &kinshipSteps[i]
	}
	panic("category: no kinship step " + name)
}

// follow returns the nodes that a chain of steps leads to from x.
func follow(f *graph.Facts, n, x int, steps []string) graph.Set {
	at := f.SetOf([]int{x})
	for _, name := range steps {
		next := make(graph.Set, n)
		for y, in := range at {
			if in {
				for z, to := range named(name).follow(f, y) {
					next[z] = next[z] || to
				}
			}
		}
		at = next
	}
	return at
}

var plurals = map[string]string{"parent": "parents", "child": "children", "sibling": "siblings", "grandparent": "grandparents", "grandchild": "grandchildren"}

func (w *World) parents(set graph.Bits, back bool) graph.Bits  { return w.A.Step(set, !back) }
func (w *World) children(set graph.Bits, back bool) graph.Bits { return w.A.Step(set, back) }

// twice returns a step after itself.
func twice(step step) step {
	return func(w *World, set graph.Bits, back bool) graph.Bits { return step(w, step(w, set, back), back) }
}

// siblings returns children of the same parents, or, back, parents of the same children.
func (w *World) siblings(set graph.Bits, back bool) (to graph.Bits) {
	for ; set != (graph.Bits{}); set = set.Less(set.First()) {
		x := set.First()
		to = to.Or(w.children(w.parents(graph.Bit(x), back), back).Less(x))
	}
	return to
}
