package verdict

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ein/bench/judge/sandbox"
	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/verify"
)

// trusted runs programs of the benchmark itself, and mutations of them, without
// a sandbox, which is a hundred times as fast.
type trusted struct{ *verify.Interpreter }

func (r trusted) Run(ctx context.Context, program string) (string, error) {
	out, err := r.Interpreter.Run(ctx, program)
	var wrong *verify.ProgramError
	if errors.As(err, &wrong) {
		err = &ProgramError{Outcome: RuntimeError, Message: wrong.Error()}
	}
	return out, err
}

func interpreter(t *testing.T) Runner {
	t.Helper()
	i, err := verify.NewInterpreter(t.Context(), "python3", time.Minute)
	if err != nil {
		t.Skip("needs a python3 with networkx: ", err)
	}
	t.Cleanup(i.Close)
	return trusted{i}
}

func boxed(t *testing.T) Runner {
	t.Helper()
	if testing.Short() {
		t.Skip("the sandbox proves itself first, which takes seconds")
	}
	box, err := sandbox.Open(t.Context(), sandbox.Policy{Pool: 2})
	var unavailable *sandbox.Unavailable
	if errors.As(err, &unavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = box.Close() })
	return &SandboxRunner{box: box}
}

// explainPython says why a Python program is wrong.
func explainPython(ctx context.Context, q *Question, run Runner, program string) (Attribution, error) {
	v, err := inside(run)(ctx, program, q)
	if err != nil {
		return Attribution{}, err
	}
	w, err := pythonGraphs(ctx, run, program, v.printed, q)
	if err != nil {
		return Attribution{}, err
	}
	return attribution(ctx, q, &w, inside(run))
}

// TestConstantPython finds programs that print the same whatever the graph, right and wrong ones, where
// that is asked for.
func TestConstantPython(t *testing.T) {
	run := interpreter(t)
	in, _, err := instance.Generate(instance.NewID("train", "degree_count", 0, 7))
	if err != nil {
		t.Fatal(err)
	}
	q, err := NewQuestion(in, true)
	if err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]bool{in.PythonProgram: false, "print(" + string(in.Answer) + ")": true, "print(1000)": true} {
		for _, asked := range []bool{false, true} {
			v, err := New(Options{Python: run, Constant: asked}).Reply(t.Context(), q, &Line{Reply: program, Mode: prompt.Python})
			if err != nil || v.Constant != (want && asked) || v.Reading != nil || v.Attribution != nil {
				t.Errorf("%s\n%+v, %v, want %t", program, v, err, want && asked)
			}
		}
	}
}

// TestCompressedRows holds that the offsets of compressed rows are not read as bit masks.
func TestCompressedRows(t *testing.T) {
	run := interpreter(t)
	in, _, err := instance.Generate(instance.NewID("try", "reach_then_count", 8, 77))
	if err != nil {
		t.Fatal(err)
	}
	q, err := NewQuestion(in, true)
	if err != nil {
		t.Fatal(err)
	}
	got, err := explainPython(t.Context(), q, run, `offsets = [0, 0, 2, 5, 9, 13, 17, 17, 19, 21]
heads = [3, 6, 3, 5, 6, 0, 5, 6, 8, 0, 1, 5, 6, 2, 3, 4, 8, 5, 8, 0, 6]
seen, todo = set(), [7]
while todo:
    u = todo.pop()
    for v in heads[offsets[u]:offsets[u + 1]]:
        if v not in seen:
            seen.add(v)
            todo.append(v)
print(len(seen) + 3)
`)
	if err != nil || got.Kind != NoGraph {
		t.Errorf("%+v, %v, want no graph", got, err)
	}
}

// pyLogic is wrong turns in the Python programs of the benchmark: of each the first
// place where it is possible.
var pyLogic = [][2]string{
	{"nx.descendants(", "nx.ancestors("}, {"nx.ancestors(", "nx.descendants("}, {"G.out_degree", "G.in_degree"}, {"G.in_degree", "G.out_degree"},
	{"// 3", "// 2"}, {" & ", " | "}, {" - ", " | "}, {" ^ ", " | "}, {">= ", "> "}, {"max(", "min("}, {"== 0", "!= 0"},
	{"nx.strongly_", "nx.weakly_"}, {"successors(", "predecessors("}, {"predecessors(", "successors("}, {"else -1", "else -2"},
	{"1 + len(", "4 + len("}, {"(nx.has_path(", "(not nx.has_path("}, {"(len(", "(3 + len("}, {"(sum(", "(3 + sum("},
}

// spellings write the edges of G.add_edges_from(...) in other ways.
var spellings = []func(receiver string, a arcs, labels []string) string{
	func(g string, a arcs, _ []string) string { return g + ".add_edges_from(" + pairsText(a, nil) + ")" },
	func(g string, a arcs, _ []string) string {
		var b strings.Builder
		for _, e := range a {
			fmt.Fprintf(&b, "%s.add_edge(%d, %d)\n", g, e[0], e[1])
		}
		return b.String()
	},
	func(g string, a arcs, labels []string) string {
		return fmt.Sprintf("names_%s = %s\nedges_%s = %s\n%s.add_edges_from((names_%s.index(u), names_%s.index(v)) for u, v in edges_%s)",
			g, listText(labels), g, pairsText(a, labels), g, g, g, g)
	},
	func(g string, a arcs, labels []string) string {
		rows := make([]string, len(labels))
		for i := range rows {
			row := make([]string, len(labels))
			for j := range row {
				row[j] = "0"
				if a.has(Edge{i, j}) {
					row[j] = "1"
				}
			}
			rows[i] = "[" + strings.Join(row, ",") + "]"
		}
		return fmt.Sprintf("%s.add_edges_from((i, j) for i, row in enumerate([%s]) for j, x in enumerate(row) if x)", g, strings.Join(rows, ",\n  "))
	},
	func(g string, a arcs, labels []string) string {
		var b strings.Builder
		for i := range labels {
			fmt.Fprintf(&b, "%d: [", i)
			for j := range labels {
				if a.has(Edge{i, j}) {
					fmt.Fprintf(&b, "%d,", j)
				}
			}
			b.WriteString("], ")
		}
		return fmt.Sprintf("for u, vs in {%s}.items():\n    for v in vs:\n        %s.add_edge(u, v)", b.String(), g)
	},
}

func listText(labels []string) string {
	var b strings.Builder
	for _, l := range labels {
		fmt.Fprintf(&b, "%q, ", l)
	}
	return "[" + b.String() + "]"
}

func pairsText(a arcs, labels []string) string {
	var b strings.Builder
	for _, e := range a {
		if labels == nil {
			fmt.Fprintf(&b, "(%d, %d), ", e[0], e[1])
		} else {
			fmt.Fprintf(&b, "(%q, %q), ", labels[e[0]], labels[e[1]])
		}
	}
	return "[" + b.String() + "]"
}

// respelled returns a program with other graphs in it, in a spelling.
func respelled(t *testing.T, program string, labels []string, graphs []arcs, spelling int) string {
	t.Helper()
	for k, g := range []string{"G", "H"}[:len(graphs)] {
		head, tail, ok := strings.Cut(program, g+".add_edges_from(")
		_, tail, ends := strings.Cut(tail, "])\n")
		if !ok || !ends {
			t.Fatalf("no edges of %s in\n%s", g, program)
		}
		program = head + spellings[spelling](g, graphs[k], labels) + "\n" + tail
	}
	return program
}

// onceEach returns the edges of a case as its Python program has them.
func onceEach(c *category.Case) []arcs {
	list := []arcs{}
	for _, g := range truths(c) {
		if !c.G.Directed {
			g = slices.DeleteFunc(g, func(e Edge) bool { return e[0] > e[1] })
		}
		list = append(list, g)
	}
	return list
}

// misread drops, adds or turns around one edge of one graph.
func misread(r *rand.Rand, c *category.Case, graphs []arcs) []arcs {
	list := slices.Clone(graphs)
	a := &list[r.IntN(len(list))]
	sort := r.IntN(3)
	if sort == 1 || len(*a) == 0 {
		for {
			e := Edge{r.IntN(c.G.N), r.IntN(c.G.N)}
			if e[0] < e[1] || e[0] != e[1] && c.G.Directed {
				if !a.has(e) || len(*a) >= c.G.N*(c.G.N-1)/2 {
					*a = a.with(e, true)
					return list
				}
			}
		}
	}
	e := (*a)[r.IntN(len(*a))]
	*a = a.with(e, false)
	if sort == 2 && c.G.Directed {
		*a = a.with(reverse(e), true)
	}
	return list
}

// plantPython plants errors in the Python programs of the benchmark and looks for
// them. A plant that leaves the answer right is no error and does not count.
func plantPython(t *testing.T, run Runner, each, reads int, strict bool) {
	ctx := context.Background()
	matrix := map[string]map[Kind]int{}
	right, all := map[Kind]int{}, map[Kind]int{}
	try := func(s *sample, planted Kind, program string) bool {
		r, err := inside(run)(ctx, program, s.q)
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome != answer.Wrong {
			return false
		}
		a, err := explainPython(ctx, s.q, run, program)
		if err != nil {
			t.Fatal(err)
		}
		at := fmt.Sprintf("%-22s planted %-13s", s.q.Category, planted)
		if matrix[at] == nil {
			matrix[at] = map[Kind]int{}
		}
		matrix[at][a.Kind]++
		all[planted]++
		if a.Kind == planted {
			right[planted]++
		} else if testing.Verbose() {
			t.Logf("%s planted, found %+v in\n%s", planted, a, program)
		}
		if dropped, added, reversed := a.Edges(); planted == GraphReading && a.Kind == planted && (dropped+added+reversed != 1 || len(a.Graphs) != len(truths(&s.q.Case))) {
			t.Errorf("one edge planted, found %+v in\n%s", a, program)
		}
		return true
	}
	for i, s := range samples(t, each) {
		r := rand.New(rand.NewPCG(7, uint64(i)))
		truth := onceEach(&s.q.Case)
		spelling := func() int { return r.IntN(len(spellings)) }
		var logic []string
		for _, m := range pyLogic {
			if p := strings.Replace(s.in.PythonProgram, m[0], m[1], 1); p != s.in.PythonProgram {
				if try(&s, Logic, respelled(t, p, s.q.Labels, truth, spelling())) {
					logic = append(logic, p)
				}
			}
		}
		for range reads {
			graphs := misread(r, &s.q.Case, truth)
			if try(&s, GraphReading, respelled(t, s.in.PythonProgram, s.q.Labels, graphs, spelling())) && len(logic) > 0 {
				try(&s, Both, respelled(t, logic[r.IntN(len(logic))], s.q.Labels, graphs, spelling()))
			}
		}
	}
	lines := []string{}
	for at, found := range matrix {
		lines = append(lines, fmt.Sprintf("%s found %v", at, found))
	}
	slices.Sort(lines)
	t.Log("\n" + strings.Join(lines, "\n"))
	for _, k := range slices.Sorted(maps.Keys(all)) {
		share := float64(right[k]) / float64(all[k])
		t.Logf("%s: %d of %d found, %.1f%%", k, right[k], all[k], 100*share)
		if share < 0.95 {
			t.Errorf("%s: only %.1f%% found", k, 100*share)
		}
	}
	for _, c := range category.Table {
		for _, k := range []Kind{GraphReading, Logic} {
			if strict && matrix[fmt.Sprintf("%-22s planted %-13s", c.Name, k)] == nil {
				t.Errorf("%s: no %s planted", c.Name, k)
			}
		}
	}
}

func TestPlantedPython(t *testing.T) {
	if testing.Short() {
		plantPython(t, interpreter(t), 1, 2, false)
		return
	}
	plantPython(t, interpreter(t), 12, 8, true)
}

// TestPlantedSandbox is the same where such programs are really run.
func TestPlantedSandbox(t *testing.T) { plantPython(t, boxed(t), 1, 1, false) }

// TestPythonConventions has programs with every edge turned around, or with an
// undirected edge both ways: what is wrong with them is found all the same.
func TestPythonConventions(t *testing.T) {
	run := interpreter(t)
	ctx := context.Background()
	found := map[Convention]int{}
	try := func(s *sample, convention Convention, edges arcs, program string) {
		t.Helper()
		for _, drop := range edges {
			some := edges.with(drop, false)
			p := fmt.Sprintf(program, pairsText(some, nil))
			if r, err := inside(run)(ctx, p, s.q); err != nil || r.Outcome != answer.Wrong {
				continue
			}
			a, err := explainPython(ctx, s.q, run, p)
			if err != nil {
				t.Fatal(err)
			}
			found[convention]++
			if a.Kind != GraphReading || a.Convention != convention || len(a.Graphs[0].Dropped) != 1 {
				t.Errorf("%q: %+v in\n%s", convention, a, p)
			}
		}
	}
	for k := range 10 {
		s := one(t, "ancestor", k)
		if edges := trueArcs(&s.q.Case.G).reversed(); len(edges) > 1 {
			try(&s, Backward, edges, fmt.Sprintf("import networkx as nx\nG = nx.DiGraph()\nG.add_nodes_from(range(%d))\nG.add_edges_from(%%s)\nprint(sorted(nx.descendants(G, %d)))\n", s.q.Case.G.N, s.q.Case.Query.Source))
		}
		s = one(t, "triangle_count", k)
		try(&s, Once, onceEach(&s.q.Case)[0], "import networkx as nx\nG = nx.Graph(%s)\nprint(sum(nx.triangles(G).values()) // 3)\n")
	}
	if found[Backward] == 0 || found[Once] == 0 {
		t.Error(found)
	}
}

// FuzzReport reads what a program that observes itself may report: graphs of any nodes.
func FuzzReport(f *testing.F) {
	var list []*Question
	for _, name := range []string{"degree_count", "cousin"} {
		in, _, err := instance.Generate(instance.NewID("train", name, 0, 7))
		if err != nil {
			f.Fatal(err)
		}
		q, err := NewQuestion(in, true)
		if err != nil {
			f.Fatal(err)
		}
		list = append(list, q)
	}
	f.Add(`{"out":"3","graphs":[{"place":1,"path":"G","form":"pairs","old":[[0,1]],"edges":[[0,1],[1,2]],"nodes":3,"line":1}]}`)
	f.Add(`{"out":"3","graphs":[{"edges":[[-1,9223372036854775807],[-9223372036854775808,0]],"nodes":-7},{"edges":null}],"constant":true}`)
	f.Fuzz(func(t *testing.T, report string) {
		run := runner(func(program string) (string, error) {
			if strings.HasPrefix(program, watcher) {
				return report, nil
			}
			return "3", nil
		})
		for _, q := range list {
			w, err := pythonGraphs(t.Context(), run, "print(3)", "3", q)
			if err != nil {
				t.Fatal(err)
			}
			if r := read(&q.Case, w.graphs); r != nil && (r.Right < 0 || r.Right > r.Edges || r.Added < 0) {
				t.Errorf("%+v", r)
			}
			if _, err := attribution(t.Context(), q, &w, inside(run)); err != nil {
				t.Error(err)
			}
		}
	})
}
