package category

import (
	"ein/bench/question/random"
)

var chainOfFilters = Category{
	Name: "chain_of_filters", Level: 3, Result: Integer, Family: Directed, Least: 2,
	Doc: "number of nodes of R(X) with in-degree at least a and out-degree at least b",
	Draw: func(s *random.Stream, c *Case) bool {
		f := c.G.Facts()
		n, reach := c.G.N, reacher(f)
		most, mostIn := largest(n, f.OutDegree), largest(n, f.InDegree)
		// What is reached has an edge to it, so a first filter that filters asks
		// for two.
		least := min(2, mostIn)
		span := mostIn - least + 1
		query := func(i int) (x, a, b int) {
			return i % n, least + i/n%span, 1 + i/n/span
		}
		i, ok := vary(s, n, n*span*most, 0, func(i int) (int, bool) {
			x, a, b := query(i)
			return count(reach(x), func(y int) bool { return f.InDegree(y) >= a && f.OutDegree(y) >= b }), true
		})
		if ok {
			x, a, b := query(i)
			c.Query = ask(x, None)
			c.Query.MinIn, c.Query.MinOut = a, b
		}
		return ok
	},
	ein: func(c *Case) string {
		filters, kept := "Popular = sum(A, 0) >= {a}\n", "Popular"
		if c.Query.MinOut > 0 {
			filters, kept = filters+"Active = sum(A, 1) >= {b}\n", kept+" * Active"
		}
		if c.Query.MaxOut > 0 {
			filters, kept = filters+"Limited = sum(A, 1) <= {c}\n", kept+" * Limited"
		}
		return "Reached = desc(A, {X})\n" + filters + "Result = sum(Reached * " + kept + ")\n"
	},
	python: func(c *Case) string {
		filters := "G.in_degree(v) >= {a}"
		if c.Query.MinOut > 0 {
			filters += " and G.out_degree(v) >= {b}"
		}
		if c.Query.MaxOut > 0 {
			filters += " and G.out_degree(v) <= {c}"
		}
		return "kept = [\n    v for v in nx.descendants(G, {X})\n    if " + filters + "\n]\nprint(json.dumps(len(kept)))\n"
	},
	rules: func(c *Case) string {
		q := &c.Query
		rules, filters := reachRules, ""
		if q.MinIn > 0 {
			rules, filters = rules+"In(x, count()) <- Edge(_, x).\n", ", In(v, a), a >= {a}"
		}
		if q.MinOut > 0 {
			rules, filters = rules+"Out(x, count()) <- Edge(x, _).\n", filters+", Out(v, b), b >= {b}"
		}
		if q.MaxOut > 0 { // only with a least number, so b is there
			filters += ", b <= {c}"
		}
		return rules + "Answer(count(v)) <- Reach({X}, v), v != {X}" + filters + ".\nAnswer(k)?\n"
	},
	Question: func(c *Case, explicit bool) string {
		clause := ""
		if explicit {
			clause = " not counting {X} itself,"
		}
		return "Of the {nodes} that {X} can reach," + clause + " how many " + conditions(&c.Query) + "?"
	},

	Plan: func(form, s *random.Stream, w *World) (Goal, bool) {
		q := &w.Query
		q.Source, q.MinIn = 0, 2
		conditions := 1 + w.Turn%3
		if conditions > 1 {
			q.MinOut = form.Between(1, 2)
		}
		if conditions > 2 {
			q.MaxOut = q.MinOut + form.IntN(2)
		}
		return Goal{Least: 3, Only: between(1, 3), All: 3 + is(w.N >= 12).Num}, w.reached(form, s, 9)
	},
	Solver: func(w *World) Out {
		q := &w.Query
		set := w.Keep(w.Reach(q.Source), func(y int) bool { return w.in(y) >= q.MinIn })
		if q.MinOut > 0 {
			set = w.Keep(set, func(y int) bool { return w.out(y) >= q.MinOut })
		}
		if q.MaxOut > 0 {
			set = w.Keep(set, func(y int) bool { return w.out(y) <= q.MaxOut })
		}
		return Out{Num: w.Count(set)}
	},
	Hops: true,
	Explicit: func(c *Case) string {
		return reaching + "Of the {nodes} that {X} reaches, not counting {X} itself, how many " + conditions(&c.Query) + "? Count direct links only."
	},
}

// conditions words the properties of the nodes that are counted.
func conditions(q *Query) string {
	text := "{reverse} at least {a} " + nodes(q.MinIn)
	if q.MinOut > 0 && q.MinOut == q.MaxOut {
		return text + " and {forward} exactly {b} " + nodes(q.MinOut)
	}
	if q.MinOut > 0 {
		text += " and {forward} at least {b} " + nodes(q.MinOut)
	}
	if q.MaxOut > 0 {
		text += " and at most {c} " + nodes(q.MaxOut)
	}
	return text
}
