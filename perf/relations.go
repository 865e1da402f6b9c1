package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"ein/vm/tensor"
)

// facts are the rows of the relations of a case, by columns.
type facts map[string][][]int32

// tableOf is a relation whose first columns are nodes, and the others whole numbers.
func tableOf(d *tensor.Domain, columns [][]int32, nodes int) *tensor.Value {
	t := &tensor.Table{Len: len(columns[0]), Cells: make([]tensor.Cells, len(columns))}
	for c, list := range columns {
		col := tensor.Column{Name: string(rune('a' + c)), Kind: tensor.NodeColumn, Domain: d}
		if c >= nodes {
			col.Kind, col.Domain = tensor.IntColumn, nil
		}
		t.Columns = append(t.Columns, col)
		for _, x := range list {
			if c < nodes {
				t.Cells[c].ID = append(t.Cells[c].ID, uint32(x))
			} else {
				t.Cells[c].Num = append(t.Cells[c].Num, float64(x))
			}
		}
	}
	return &tensor.Value{Layout: tensor.Rows, Table: t}
}

// rowsOf is how many rows an answer has.
func rowsOf(v *tensor.Value) float64 { return float64(v.Table.Len) }

// logic is a case of relations: a program, and what it is in SQL and for clingo where
// they have it and do not take tens of seconds.
type logic struct {
	name       string
	n          int
	make       func(e *env) facts
	ein        string
	sql, asp   string
	goal       string             // of clingo: the relation that is counted
	rust, frog string             // the case of ascent and of datafrog
	once       map[string]float64 // seconds, measured once
	text, long bool               // from its text; not in a quick run
	nemo       bool               // Nemo has it, and takes less than half a minute
}

const closureSQL = "with recursive far(a, b) as (select a, b from E union select far.a, E.b from far join E on far.b = E.a) select count(*) from far"

// pairs is a relation E of m random pairs.
func pairs(n, m int) func(e *env) facts { return several(n, map[string]int{"E": m}) }

// several are relations of random pairs, each of so many.
func several(n int, sizes map[string]int) func(e *env) facts {
	return func(e *env) facts {
		f := facts{}
		for _, name := range slices.Sorted(maps.Keys(sizes)) {
			g := e.uniform(n, sizes[name], directed)
			f[name] = [][]int32{g.src, g.dst}
		}
		return f
	}
}

// forward is a relation E of m random pairs, each from a lower node to a higher one.
func forward(n, m int) func(e *env) facts {
	return func(e *env) facts {
		g := e.uniform(n, m, undirected) // pairs in one order
		return facts{"E": {g.src, g.dst}}
	}
}

// statements are those of a program with 10,000 variables: addresses taken, loads, stores
// and so many assignments. With fewer than 7,600 of them next to nothing points anywhere.
func statements(assigned int) func(e *env) facts {
	return several(10000, map[string]int{"Addr": 2000, "Assign": assigned, "Load": 500, "Store": 501})
}

// skewed is a relation E of about m pairs by a power law: a few nodes have most of them.
func skewed(n, m int) func(e *env) facts {
	return func(*env) facts {
		r := source("skewed")
		pick := func() int32 { return int32(float64(n) * math.Pow(r.Float64(), 2.5)) }
		seen := map[[2]int32]bool{}
		cols := [][]int32{nil, nil}
		for range m {
			if i, j := pick(), pick(); i != j && !seen[[2]int32{i, j}] {
				seen[[2]int32{i, j}] = true
				cols[0], cols[1] = append(cols[0], i), append(cols[1], j)
			}
		}
		return facts{"E": cols}
	}
}

// roads is a random directed graph with weights from 1 to 100 that depend on the ends of an edge.
func roads(n, m int) func(e *env) facts {
	return func(e *env) facts {
		g := e.uniform(n, m, directed)
		w := make([]int32, len(g.src))
		for k, i := range g.src {
			w[k] = 1 + (i*7+g.dst[k]*13)%100
		}
		return facts{"Road": {g.src, g.dst, w}}
	}
}

// labelled is a random directed graph in which every node is its own label.
func labelled(n, m int) func(e *env) facts {
	return func(e *env) facts {
		g := e.uniform(n, m, directed)
		all := make([]int32, n)
		for i := range all {
			all[i] = int32(i)
		}
		return facts{"E": {g.src, g.dst}, "Start": {all, all}}
	}
}

// tree is a binary tree, as pairs of a node and the one above it.
func tree(n int) func(e *env) facts {
	return func(*env) facts {
		child, parent := make([]int32, n-1), make([]int32, n-1)
		for i := range child {
			child[i], parent[i] = int32(i+1), int32(i/2)
		}
		return facts{"Up": {child, parent}}
	}
}

// payments are rows of payer, payee and a number of its own, so that no two are equal.
func payments(rows int) func(e *env) facts {
	return func(*env) facts {
		r := source("payments")
		cols := [][]int32{make([]int32, rows), make([]int32, rows), make([]int32, rows)}
		for i := range rows {
			cols[0][i], cols[1][i], cols[2][i] = r.Int32N(1000), r.Int32N(1000), int32(i)
		}
		return facts{"Pay": cols}
	}
}

const (
	input = "input E(a: node, b: node)\nFar(x, y) <- E(x, y).\n"
	left  = input + "Far(x, z) <- Far(x, y), E(y, z).\n"
	right = input + "Far(x, z) <- E(x, y), Far(y, z).\n"
	twice = input + "Far(x, z) <- Far(x, y), Far(y, z).\n"

	closureASP = "far(X,Y) :- e(X,Y). far(X,Z) :- far(X,Y), e(Y,Z)."
	pointsTo   = `input Addr(a: node, b: node)
input Assign(a: node, b: node)
input Load(a: node, b: node)
input Store(a: node, b: node)
Points(v, o) <- Addr(v, o).
Points(v, o) <- Assign(v, w), Points(w, o).
Points(v, o) <- Load(v, w), Points(w, p), Points(p, o).
Points(p, o) <- Store(v, w), Points(v, p), Points(w, o).
Points(v, o)?
`
	cspa = `input Assign(a: node, b: node)
input Deref(a: node, b: node)
Flow(y, x) <- Assign(y, x).
Flow(x, x) <- Assign(x, _).
Flow(x, x) <- Assign(_, x).
Flow(x, y) <- Assign(x, z), Memory(z, y).
Flow(x, y) <- Flow(x, z), Flow(z, y).
Memory(x, x) <- Assign(_, x).
Memory(x, x) <- Assign(x, _).
Memory(x, w) <- Deref(y, x), Alias(y, z), Deref(z, w).
Alias(x, y) <- Flow(z, x), Flow(z, y).
Alias(x, y) <- Flow(z, x), Memory(z, w), Flow(w, y).
Flow(x, y)?
Memory(x, y)?
Alias(x, y)?
`
	trianglesRule = "input E(a: node, b: node)\nT(x, y, z) <- E(x, y), E(y, z), E(x, z).\nT(x, y, z)?\n"
	trianglesSQL  = "select count(*) from E a join E b on a.b = b.a join E c on c.a = a.a and c.b = b.b"
	cliquesRule   = "input E(a: node, b: node)\nC(w, x, y, z) <- E(w, x), E(w, y), E(w, z), E(x, y), E(x, z), E(y, z).\nC(w, x, y, z)?\n"
	cliquesSQL    = trianglesSQL + " join E d on d.a = a.a join E f on f.a = a.b and f.b = d.b join E g on g.a = b.b and g.b = d.b"

	tinyFacts = "E(0, 1). E(1, 2). E(2, 3). E(3, 4). E(4, 5). E(1, 4).\n"
	tinySQL   = "create or replace table E as select * from (values (0,1),(1,2),(2,3),(3,4),(4,5),(1,4)) t(a, b); "
)

var logics = []logic{
	{name: "closure, n=1000 m=2000, left", nemo: true, n: 1000, make: pairs(1000, 2000), ein: left + "Far(x, y)?\n", sql: closureSQL, asp: closureASP, goal: "far",
		rust: "left", frog: "left", once: map[string]float64{"Soufflé": 0.60, "Mangle": 15.6}},
	{name: "right", nemo: true, n: 1000, make: pairs(1000, 2000), ein: right + "Far(x, y)?\n", sql: closureSQL, rust: "right"},
	{name: "double", n: 1000, make: pairs(1000, 2000), ein: twice + "Far(x, y)?\n", sql: closureSQL, rust: "double"},
	{name: "closure, n=5000 m=10000", n: 5000, make: pairs(5000, 10000), ein: left + "Far(x, y)?\n", sql: closureSQL, long: true,
		rust: "left", frog: "left", once: map[string]float64{"Soufflé": 16.4}},
	{name: "closure, n=10000 m=12000", n: 10000, make: pairs(10000, 12000), ein: left + "Far(x, y)?\n", sql: closureSQL, long: true,
		rust: "left", frog: "left", once: map[string]float64{"Soufflé": 12.0}},
	{name: "closure, acyclic, n=2000 m=6000", nemo: true, n: 2000, make: forward(2000, 6000), ein: left + "Far(x, y)?\n", sql: closureSQL,
		rust: "left", frog: "left", once: map[string]float64{"Soufflé": 0.06}},
	{name: "Far(0, y)?, n=200000 m=600000, right", n: 200000, make: pairs(200000, 600000), ein: right + "Far(0, y)?\n",
		sql:  "with recursive r(b) as (select b from E where a = 0 union select E.b from r join E on r.b = E.a) select count(*) from r",
		once: map[string]float64{"Soufflé": 0.28}},
	{name: "same generation, n=3000", nemo: true, n: 3000, make: tree(3000), ein: "input Up(a: node, b: node)\nSame(x, y) <- Up(x, p), Up(y, p).\nSame(x, y) <- Up(x, p), Same(p, q), Up(y, q).\nSame(x, y)?\n",
		sql:  "with recursive s(a, b) as (select u.a, v.a from Up u join Up v on u.b = v.b union select u.a, v.a from s join Up u on u.b = s.a join Up v on v.b = s.b) select count(*) from s",
		rust: "generation", once: map[string]float64{"Soufflé": 0.77}},
	{name: "points-to, n=10000", n: 10000, make: statements(7800), ein: pointsTo, rust: "points", frog: "points",
		once: map[string]float64{"Soufflé": 0.72}},
	{name: "points-to, dense", n: 10000, make: statements(9000), ein: pointsTo, long: true, rust: "points", frog: "points",
		once: map[string]float64{"Soufflé": 3.96}},
	{name: "CSPA, n=10000", nemo: true, n: 10000, make: several(10000, map[string]int{"Assign": 4700, "Deref": 1600}), ein: cspa, rust: "cspa",
		once: map[string]float64{"Soufflé": 0.36}},
	{name: "triangles, n=3000 m=75000", nemo: true, n: 3000, make: pairs(3000, 75000), ein: trianglesRule, sql: trianglesSQL,
		rust: "triangles", once: map[string]float64{"Soufflé": 0.11}},
	{name: "4-cliques, n=3000 m=75000", nemo: true, n: 3000, make: pairs(3000, 75000), ein: cliquesRule, sql: cliquesSQL,
		rust: "cliques", once: map[string]float64{"Soufflé": 0.10}},
	{name: "triangles, power law, n=50000 m=200000", nemo: true, n: 50000, make: skewed(50000, 200000), ein: trianglesRule, sql: trianglesSQL,
		rust: "triangles", once: map[string]float64{"Soufflé": 0.24}},
	{name: "4-cliques, power law, n=50000 m=200000", n: 50000, make: skewed(50000, 200000), ein: cliquesRule, // for DuckDB it takes more than a minute
		rust: "cliques", once: map[string]float64{"Soufflé": 0.43}},
	{name: "least label, n=100000 m=220000", n: 100000, make: labelled(100000, 220000), ein: "input E(a: node, b: node)\ninput Start(a: node, v: int)\nBoth(x, y) <- E(x, y).\nBoth(y, x) <- E(x, y).\nL[x] min= v <- Start(x, v).\nL[y] min= v <- L[x] = v, Both(x, y).\nL[x] = v?\n",
		sql:  "with recursive l(a, v) using key (a) as (select a, b from Start union select e.b, min(l.v) from l join (select a, b from E union all select b, a from E) e on l.a = e.a join recurring.l r on r.a = e.b where l.v < r.v group by e.b) select count(*) from l",
		rust: "labels", once: map[string]float64{"Soufflé": 2.3}},
	{name: "shortest paths, n=20000 m=100000", n: 20000, make: roads(20000, 100000), ein: "input Road(a: node, b: node, w: int)\nD[0] min= 0.\nD[y] min= D[x] + w <- Road(x, y, w).\nD[x] = v?\n",
		sql:  "with recursive d(a, v) using key (a) as (select 0, 0 union select e.b, min(d.v + e.c) from d join Road e on d.a = e.a left join recurring.d r on r.a = e.b where r.v is null or d.v + e.c < r.v group by e.b) select count(*) from d",
		rust: "roads", once: map[string]float64{"Soufflé": 0.24}},
	{name: "groups by two keys, 1000000 rows", n: 1000, make: payments(1000000), ein: "input Pay(a: node, b: node, v: int)\nTotal(x, y, count(), sum(v)) <- Pay(x, y, v).\nTotal(x, y, n, s)?\n",
		sql:  "select count(*) + 0 * sum(n) + 0 * sum(s) from (select a, b, count(*) as n, sum(c) as s from Pay group by a, b)",
		rust: "groups", once: map[string]float64{"Soufflé": 0.4}},
	{name: "six facts, one closure, from text", nemo: true, ein: tinyFacts + "Far(x, y) <- E(x, y).\nFar(x, z) <- Far(x, y), E(y, z).\nFar(x, y)?\n", text: true,
		sql: tinySQL + closureSQL, asp: "e(0,1). e(1,2). e(2,3). e(3,4). e(4,5). e(1,4). " + closureASP, goal: "far",
		once: map[string]float64{"Mangle": 332e-6}},
}

// relations has the rules of the cases.
func relations(quick bool) section {
	s := section{
		title: "Relations",
		text: "Rules beside engines of Datalog and SQL, from rows in memory to the rows of the answer; in the last row, from text.\n" +
			"DuckDB counts the rows of a recursive query, with `using key` for values; for `Far(0, y)?` it is a search. Its 4-cliques of a\n" +
			"power law were stopped after a minute. The time of clingo includes reading facts as text, that of Nemo a file of CSV, those of\n" +
			"ascent and datafrog (with 32-bit numbers for nodes) building indexes. Soufflé (compiled) and Mangle were measured once, in\n" +
			"November 2026, on such a machine with other data of the same kind; their figures are multiplied by the time that datafrog\n" +
			"takes for the first row, and divided by the 148 ms of processor time that it took then.",
	}
	for _, c := range logics {
		if quick && c.long {
			continue
		}
		s.rows = append(s.rows, c.row)
	}
	return s
}

// data returns the facts of a case, as files and as tables.
func (c logic) data(e *env) (files map[string]string, inputs values) {
	files, inputs = map[string]string{}, values{}
	if c.make != nil {
		f := c.make(e)
		d := &tensor.Domain{Name: "node", Size: c.n}
		for name, columns := range f {
			nodes := min(len(columns), 2)
			if name == "Start" {
				nodes = 1
			}
			inputs[name] = tableOf(d, columns, nodes)
			files[name] = e.columns(fmt.Sprintf("%s-%d-%d", name, c.n, len(columns[0])), columns)
		}
	}
	return files, inputs
}

// row is the case with its facts.
func (c logic) row(e *env) row {
	files, inputs := c.data(e)
	ours := e.compiled
	if c.text {
		ours = e.fromText
	}
	r := row{name: c.name, contenders: []contender{ours(c.ein, func() values { return inputs }, rowsOf)}}
	if c.sql != "" {
		r.contenders = append(r.contenders, e.peer("DuckDB", message{"case": "sql", "tables": files, "sql": c.sql}))
	}
	if c.asp != "" {
		r.contenders = append(r.contenders, e.peer("clingo", message{"case": "asp", "tables": files, "program": c.asp, "goal": c.goal}))
	}
	if c.nemo {
		r.contenders = append(r.contenders, e.peer("Nemo", message{"case": "rules", "tables": files, "program": c.ein}))
	}
	if c.rust != "" {
		r.contenders = append(r.contenders, e.rust("ascent", c.rust, files))
	}
	if c.frog != "" {
		r.contenders = append(r.contenders, e.rust("datafrog", c.frog, files))
	}
	for _, name := range slices.Sorted(maps.Keys(c.once)) {
		r.contenders = append(r.contenders, e.constant(name, c.once[name]))
	}
	return r
}
