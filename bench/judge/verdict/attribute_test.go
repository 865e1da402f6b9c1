package verdict

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/bench/question/instance"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/syntax"
)

type sample struct {
	in *instance.Instance
	q  *Question
}

// explain says why an Ein program is wrong.
func explain(ctx context.Context, q *Question, e *executor, program string) (Attribution, error) {
	w := einGraphs(parse(program), q.Case.G.N)
	return attribution(ctx, q, &w, e.run)
}

func samples(t testing.TB, each int) []sample {
	t.Helper()
	var list []sample
	for i := range category.Table {
		for k := range each {
			list = append(list, one(t, category.Table[i].Name, k))
		}
	}
	return list
}

func one(t testing.TB, name string, k int) sample {
	t.Helper()
	in, _, err := instance.Generate(instance.NewID("train", name, k, 21))
	if err != nil {
		t.Fatal(err)
	}
	s := sample{in: in}
	if s.q, err = NewQuestion(in, true); err != nil {
		t.Fatal(err)
	}
	return s
}

// logicPlants are wrong turns in a program: of each the first that is possible.
var logicPlants = [][2]string{
	{"desc(A, ", "anc(A, "}, {"reach(A, ", "anc(A, "}, {"anc(A, ", "desc(A, "}, {"desc(A, ", "children(A, "},
	{"sum(A, 1)", "sum(A, 0)"}, {"tc(A)", "transpose(A)"}, {"tc(A)", "A"}, {"scc(A)", "tc(A)"}, {">= ", "> "},
	{"both(", "either("}, {"only(", "both("}, {"cousins(", "siblings("}, {"siblings(", "cousins("},
	{"argmax(", "argmin("}, {" / 6", " / 3"}, {"complement(", "abs("}, {"-1\n", "-2\n"},
	{"!=", "=="}, {"Result = sum(", "Result = 2 + sum("}, {"A[i,j] ", "A[j,i] "}, {"= has_path(", "= 1 - has_path("},
}

// graphPlants are programs with one edge misread, in the ways to write a graph.
func graphPlants(s *sample) []string {
	w := &rewriter{program: s.in.EinProgram, file: parse(s.in.EinProgram), n: s.q.Case.G.N}
	w.graphs = literals(w.file, w.n)
	w.edges(s.q.Case.G.Directed)
	var list []string
	for i := range w.list {
		p := w.list[i].program
		if i%3 == 1 {
			p = asMatrices(p, w.n)
		}
		list = append(list, p)
	}
	return list
}

// asMatrices writes the graphs of a program row by row.
func asMatrices(program string, n int) string {
	var edits []edit
	for _, l := range literals(parse(program), n) {
		var rows []string
		for i := range n {
			var row []string
			for j := range n {
				x := "0"
				if l.edges.has(Edge{i, j}) {
					x = "1"
				}
				row = append(row, x)
			}
			rows = append(rows, "["+strings.Join(row, ", ")+"]")
		}
		edits = append(edits, edit{l.span, "[" + strings.Join(rows, ",\n  ") + "]"})
	}
	return rewrite(program, edits)
}

// TestPlanted plants errors in correct programs and looks for them. A plant that
// leaves the answer right is no error and does not count.
func TestPlanted(t *testing.T) {
	each := 20
	if testing.Short() {
		each = 3
	}
	ctx := context.Background()
	e := newExecutor(check.Core, Limits{})
	type cell struct {
		category string
		planted  Kind
	}
	matrix := map[cell]map[Kind]int{}
	right, all := map[Kind]int{}, map[Kind]int{}
	try := func(s *sample, planted Kind, program string) bool {
		r, err := e.run(ctx, program, s.q)
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome != answer.Wrong {
			return false
		}
		a, err := explain(ctx, s.q, e, program)
		if err != nil {
			t.Fatal(err)
		}
		at := cell{s.q.Category, planted}
		if matrix[at] == nil {
			matrix[at] = map[Kind]int{}
		}
		matrix[at][a.Kind]++
		all[planted]++
		if a.Kind == planted {
			right[planted]++
		}
		return true
	}
	for _, s := range samples(t, each) {
		var logic []string
		for _, m := range logicPlants {
			if p := strings.Replace(s.in.EinProgram, m[0], m[1], 1); p != s.in.EinProgram && try(&s, Logic, p) {
				logic = append(logic, p)
			}
		}
		plants := graphPlants(&s)
		for i := 0; i < len(plants); i += 1 + len(plants)/12 {
			if try(&s, GraphReading, plants[i]) && len(logic) > 0 {
				p := logic[i%len(logic)]
				mutated := literals(parse(p), s.q.Case.G.N)
				misread := literals(parse(plants[i]), s.q.Case.G.N)
				if len(mutated) == len(misread) {
					var edits []edit
					for k := range mutated {
						edits = append(edits, edit{mutated[k].span, misread[k].edges.text(s.q.Case.G.N)})
					}
					try(&s, Both, rewrite(p, edits))
				}
			}
		}
	}
	var lines []string
	for at, found := range matrix {
		lines = append(lines, fmt.Sprintf("%-22s planted %-14s found %v", at.category, at.planted, found))
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
		if testing.Short() {
			break // of a few instances, not every category has an error that shows
		}
		if matrix[cell{c.Name, GraphReading}] == nil || matrix[cell{c.Name, Logic}] == nil {
			t.Errorf("%s: nothing planted", c.Name)
		}
	}
}

// TestDiff names what was misread.
func TestDiff(t *testing.T) {
	s := one(t, "reach_then_count", 0)
	s.q.Case.G.N = 4
	s.q.Case.G.Edges = s.q.Case.G.Edges[:0]
	for _, e := range []Edge{{0, 1}, {1, 2}, {2, 3}} {
		s.q.Case.G.Edges = append(s.q.Case.G.Edges, graph.Edge{From: e[0], To: e[1]})
	}
	s.q.Case.G.Directed = true
	for program, want := range map[string]string{
		"A = edges([[0,1],[1,2],[2,3]], 4)":                  "[{[] [] [] -}]",
		"A = edges([[0,1],[1,2]], 4)":                        "[{[[2 3]] [] [] -}]",
		"A = edges([[0,1],[1,2],[2,3],[3,0]], 4)":            "[{[] [[3 0]] [] -}]",
		"A = edges([[0,1],[2,1],[2,3]], 4)":                  "[{[] [] [[1 2]] -}]",
		"A = edges([[0,1],[1,2],[2,1],[2,3]], 4)":            "[{[] [[2 1]] [] -}]",
		"A = edges([[0,1],[1,2],[2,3]], 5)":                  "[{[] [] [] 5}]",
		"A = edges([[0,1],[1,2]])":                           "[{[[2 3]] [] [] 3}]",
		"n = 4\nA = edges([[0,1],[1,2],[2,3]], n)":           "[{[] [] [] -}]",
		"A = [[0,1,0,0],[0,0,1,0],[0,0,0,0],[0,0,0,0]]":      "[{[[2 3]] [] [] -}]",
		"A = adj([[0,1,0,0],[0,0,1,0],[0,0,0,1],[1,0,0,0]])": "[{[] [[3 0]] [] -}]",
		"x = 1": "[]",
	} {
		found := literals(parse(program+"\n:print 1"), 4)
		r := match(4, "", truths(&s.q.Case), found)
		var got []string
		for _, d := range r.diffs {
			nodes := "-"
			if d.Nodes != nil {
				nodes = fmt.Sprint(*d.Nodes)
			}
			got = append(got, fmt.Sprintf("{%v %v %v %s}", d.Dropped, d.Added, d.Reversed, nodes))
		}
		if text := "[" + strings.Join(got, " ") + "]"; text != want {
			t.Errorf("%s: %s, want %s", program, text, want)
		}
	}
}

// TestUndirected counts an undirected edge once, whether a program lacks it both
// ways or one way.
func TestUndirected(t *testing.T) {
	c := &category.Case{G: graph.Graph{N: 4, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}}}}
	for edges, want := range map[string]string{
		"[0,1],[1,0],[1,2],[2,1],[2,3],[3,2]":             "[] []",
		"[0,1],[1,0],[1,2],[2,1]":                         "[[2 3]] []",
		"[0,1],[1,0],[1,2],[2,1],[2,3]":                   "[[3 2]] []",
		"[0,1],[1,0],[0,2],[2,0],[0,3],[3,0],[1,2],[2,1]": "[[2 3]] [[0 2] [0 3]]",
	} {
		found := literals(parse("A = edges(["+edges+"], 4)\n:print 1"), 4)
		d := readings(c, found)[0].diffs[0]
		if got := fmt.Sprint(d.Dropped, d.Added); got != want {
			t.Errorf("%s: %s, want %s", edges, got, want)
		}
		if r := read(c, found); *r != (Reading{3, 3 - len(d.Dropped), len(d.Added)}) {
			t.Errorf("%s: %+v", edges, *r)
		}
	}
}

// TestConventions has programs that are consistent in another way than the
// question's: what is wrong with them is found all the same.
func TestConventions(t *testing.T) {
	ctx, e := context.Background(), newExecutor(check.Core, Limits{})
	wrong := func(s *sample, program string) Attribution {
		t.Helper()
		if r, err := e.run(ctx, program, s.q); err != nil || r.Outcome != answer.Wrong {
			t.Fatalf("%s is not wrong: %v %v", program, r.Outcome, err)
		}
		a, err := explain(ctx, s.q, e, program)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	found := 0
	for k := range 20 {
		// Edges from child to parent, one of them left out, and descendants asked for.
		s := one(t, "ancestor", k)
		all := trueArcs(&s.q.Case.G).reversed()
		if len(all) < 2 {
			continue // without edges no program is closer to one convention
		}
		for _, drop := range all {
			some := all.with(drop, false)
			program := fmt.Sprintf("A = %s\n:print desc(A, %d)\n", some.text(s.q.Case.G.N), s.q.Case.Query.Source)
			if r, err := e.run(ctx, program, s.q); err != nil || r.Outcome != answer.Wrong {
				continue
			}
			found++
			if a := wrong(&s, program); a.Kind != GraphReading || a.Convention != Backward || len(a.Graphs[0].Dropped) != 1 {
				t.Errorf("backward: %+v", a)
			}
		}
	}
	if found == 0 {
		t.Error("nothing was wrong")
	}
	for k := range 20 {
		s := one(t, "triangle_count", k)
		once := arcs{}
		for _, g := range s.q.Case.G.Edges {
			once = append(once, Edge{g.From, g.To})
		}
		for _, drop := range once {
			some := once.with(drop, false)
			program := fmt.Sprintf("H = %s\nA = H + transpose(H)\nA3[i,l] = A[i,j] A[j,k] A[k,l]\n:print trace(A3) / 6\n", some.text(s.q.Case.G.N))
			if r, err := e.run(ctx, program, s.q); err != nil || r.Outcome != answer.Wrong {
				continue
			}
			if a := wrong(&s, program); a.Kind != GraphReading || a.Convention != Once || len(a.Graphs[0].Dropped) != 1 {
				t.Errorf("once: %+v", a)
			}
		}
	}
	s := one(t, "reach_then_count", 1)
	if a := wrong(&s, "x = 99"); a.Kind != NoGraph {
		t.Errorf("without a graph: %+v", a)
	}
}

// TestDirect plants misreadings and looks for them; and it asks how often a wrong
// answer that has nothing to do with the question, that of another instance, is
// explained all the same.
func TestDirect(t *testing.T) {
	each := 12
	if testing.Short() {
		each = 2
	}
	ctx := context.Background()
	planted, first, found := map[Error]int{}, map[Error]int{}, map[Error]int{}
	chance, chanceNoEdge, strangers, tried, answers, findings := 0, 0, 0, 0, 0, 0
	diagnose := func(s *sample, text string) Finding {
		t.Helper()
		x, err := answer.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f, err := misreadings(ctx, s.q, &x)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	list := samples(t, each)
	for i := range list {
		s := &list[i]
		count := map[string]int{}
		for _, m := range mistakes(s.q) {
			if count[m.name]++; count[m.name] > 2 {
				continue
			}
			got, err := own(ctx, s.q, m.program)
			if err != nil || s.q.match(got).Outcome == answer.StrictlyRight {
				continue
			}
			f := diagnose(s, string(got))
			planted[m.err]++
			if len(f.Matches) > 0 && f.Matches[0].Error == m.err {
				first[m.err]++
			}
			if slices.ContainsFunc(f.Matches, func(x Match) bool { return x.Misreading == m.name }) {
				found[m.err]++
			}
		}
		other := &list[i/each*each+(i+1)%each]
		if s.q.Type == category.Set || s.q.Type == category.String || s.q.match(other.in.Answer).Outcome != answer.Wrong {
			continue // another's labels
		}
		f := diagnose(s, string(other.in.Answer))
		strangers++
		tried, answers, findings = tried+f.Tried, answers+f.Answers, findings+1
		if len(f.Matches) > 0 {
			chance++
			if f.Matches[0].Error != SingleEdge {
				chanceNoEdge++
			}
		}
	}
	for _, k := range Errors() {
		t.Logf("%s: %d planted, %d found, %d first", k, planted[k], found[k], first[k])
		if planted[k] == 0 || found[k] != planted[k] {
			t.Errorf("%s: %d of %d found", k, found[k], planted[k])
		}
	}
	t.Logf("chance: %d of %d unrelated wrong answers explained, %d of them by more than a single edge; %d misreadings tried and %d answers on average",
		chance, strangers, chanceNoEdge, tried/max(1, findings), answers/max(1, findings))
}

// TestMistakes runs every misreading: all but those that leave no answer run.
func TestMistakes(t *testing.T) {
	for _, s := range samples(t, 2) {
		for _, m := range mistakes(s.q) {
			if f := parse(m.program); f.Diags.HasErrors() {
				t.Errorf("%s, %s:\n%s\n%v", s.q.Category, m.name, m.program, f.Diags)
			}
			if _, err := own(context.Background(), s.q, m.program); err != nil && strings.Contains(err.Error(), "program:") {
				t.Errorf("%s, %s: %v\n%s", s.q.Category, m.name, err, m.program)
			}
		}
	}
}

// TestPackedLiterals: graphs are the same whether the parser packs the numbers of a list or
// not.
func TestPackedLiterals(t *testing.T) {
	for program, graphs := range map[string]int{
		"A = edges([[0,1], [1,2], [1,0], [0,1]], 3)":           1,
		"A = edges([[0,1], [1,2.0], [2,0]])":                   1,
		"A = edges([[0,1], [1,-2]], 3)":                        0,
		"A = edges([[0,1], [1,-0]], 3)":                        0,
		"A = edges([[0,1,1], [1,0,1], [1,1,0]], 3)":            1,
		"A = adj([[0,1,1], [1,0,1], [1,1,-0]])":                0,
		"A = [[0,1,1], [1,0,0], [0,0,0]]":                      1,
		"A = [[0,2,1], [1,0,0], [0,0,0]]":                      0,
		"A = edges([[0,1,1], [1,0]], 3)":                       0,
		"A = edges([0,1,1], 3)\nB = edges([[[0,1]], [[1,0]]])": 0,
	} {
		var found [2][]literal
		for i, pack := range []int{1, 1 << 20} {
			f := lang.Parse("p", program, lang.Options{Syntax: syntax.Limits{Pack: pack}})
			found[i] = literals(f, 3)
		}
		if len(found[0]) != graphs || !reflect.DeepEqual(found[0], found[1]) {
			t.Errorf("%s\n%+v\n%+v", program, found[0], found[1])
		}
	}
}
