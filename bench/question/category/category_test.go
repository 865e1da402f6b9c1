package category_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/bench/question/random"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/syntax"
	"ein/vm"
	"ein/vm/cost"
)

// drawCase draws graphs and queries until there is a good question.
func drawCase(t testing.TB, s *random.Stream, cat *category.Category, n, permille int) (c *category.Case, redraws int) {
	t.Helper()
	for redraws := range 100_000 {
		c := &category.Case{}
		switch cat.Family {
		case category.Kinship:
			c.G = graph.Kinship(s, n, permille)
		case category.Undirected:
			c.G = graph.Bernoulli(s, n, false, permille)
		case category.TwoGraphs:
			c.G2 = graph.Bernoulli(s, n, true, permille)
			fallthrough
		default:
			c.G = graph.Bernoulli(s, n, true, permille)
		}
		if cat.Draw(s, c) {
			return c, redraws
		}
	}
	t.Fatalf("%s: no question about %d nodes with density %d/1000", cat.Name, n, permille)
	return nil, 0
}

// usual draws a case of the default sizes.
func usual(t testing.TB, s *random.Stream, cat *category.Category) (*category.Case, int) {
	t.Helper()
	n := s.Between(max(4, cat.Least), 10)
	return drawCase(t, s, cat, n, s.Between(100, 500))
}

// each runs a test for every category with a stream of its own.
func each(t *testing.T, test func(t *testing.T, cat *category.Category, s *random.Stream)) {
	t.Helper()
	name := t.Name()
	for i := range category.Table {
		cat := &category.Table[i]
		t.Run(cat.Name, func(t *testing.T) { test(t, cat, random.New(random.Key(name, cat.Name))) })
	}
}

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for i, cat := range category.Table {
		if seen[cat.Name] {
			t.Errorf("%s twice", cat.Name)
		}
		seen[cat.Name] = true
		if i > 0 && cat.Level < category.Table[i-1].Level {
			t.Errorf("%s stands behind a category of a higher level", cat.Name)
		}
		if got, ok := category.Lookup(cat.Name); !ok || got.Name != cat.Name {
			t.Errorf("Lookup(%q) finds %q", cat.Name, got.Name)
		}
		if cat.Level < 1 || cat.Level > 3 || cat.Doc == "" || cat.Least < 2 || cat.Draw == nil || cat.Question == nil {
			t.Errorf("%s is not complete", cat.Name)
		}
		if _, err := os.Stat(cat.Name + ".go"); err != nil {
			t.Errorf("%s has no file of its own: %v", cat.Name, err)
		}
	}
	if _, ok := category.Lookup("has_path"); ok {
		t.Error("Lookup finds what is not there")
	}
}

// limits are a few times what a program on a dozen nodes needs.
var limits = cost.Limits{MaxOps: 20_000, MaxBytes: 256 << 10, MaxOutputElements: 16}

// run returns the answer of an Ein program, read as the contract says. The program
// has to check without warnings and to run without.
func run(t *testing.T, cat *category.Category, text string, limits cost.Limits) any {
	t.Helper()
	m, p, err := lang.Load("p.ein", text, lang.Options{Profile: check.Core, Workers: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(p.Diags) > 0 {
		t.Fatalf("%v\n%s", p.Diags, text)
	}
	machine, err := vm.New(m, limits)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	r, err := machine.Run(context.Background())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(r.Warnings) > 0 {
		t.Fatalf("%v\n%s", r.Warnings, text)
	}
	scalar := func(i int) float64 {
		if len(r.Outputs[i].Value.Shape.Dims()) != 0 {
			t.Fatalf("output %d is not a scalar\n%s", i, text)
		}
		return r.Outputs[i].Value.At()
	}
	integer := func(i int) int {
		x := scalar(i)
		if x != float64(int(x)) {
			t.Fatalf("%v is not an integer\n%s", x, text)
		}
		return int(x)
	}
	boolean := func(i int) bool {
		x := integer(i)
		if x != 0 && x != 1 {
			t.Fatalf("%d is not 0 or 1\n%s", x, text)
		}
		return x == 1
	}
	if want := map[bool]int{true: 2, false: 1}[cat.Result == category.Compound]; len(r.Outputs) != want {
		t.Fatalf("%d outputs\n%s", len(r.Outputs), text)
	}
	switch cat.Result {
	case category.Boolean:
		return boolean(0)
	case category.Integer, category.String:
		return integer(0)
	case category.Float:
		return scalar(0)
	case category.Compound:
		if r.Outputs[0].Name != "Reachable" || r.Outputs[1].Name != "Degree" {
			t.Fatalf("outputs %s, %s\n%s", r.Outputs[0].Name, r.Outputs[1].Name, text)
		}
		return compound{boolean(0), integer(1)}
	}
	set := []int{}
	for i, x := range r.Outputs[0].Value.ToDense() {
		if x == 1 {
			set = append(set, i)
		} else if x != 0 {
			t.Fatalf("the set has %v\n%s", x, text)
		}
	}
	return set
}

// TestEin compares the Ein programs with the oracle.
func TestEin(t *testing.T) {
	cases, large := 1000, 40
	if testing.Short() {
		cases, large = 200, 5
	}
	each(t, func(t *testing.T, cat *category.Category, s *random.Stream) {
		compare := func(n, permille int, limits cost.Limits) {
			c, _ := drawCase(t, s, cat, n, permille)
			text := cat.Ein(c)
			if formatted, _ := syntax.Format(lang.Parse("p.ein", text, lang.Options{})); formatted != text {
				t.Fatalf("ein fmt changes\n%s\nto\n%s", text, formatted)
			}
			got, want := run(t, cat, text, limits), newOracle(c).answer(cat.Name, &c.Query)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("Ein says %v, the oracle %v\n%s", got, want, text)
			}
		}
		for range cases {
			compare(s.Between(cat.Least, 12), s.Between(80, 600), limits)
		}
		for range large {
			// Of these, dense ones are all strongly connected.
			n := s.Between(13, 40)
			compare(n, s.Between(1000/n, 4000/n), cost.Limits{MaxOps: 1e7, MaxBytes: 1 << 20, MaxOutputElements: 64})
		}
	})
}

// interpret runs Python programs in one interpreter, each in a name space of its
// own, and gives what they print.
const interpret = `
import contextlib, io, json, sys
for program in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "program", "exec"), {"__name__": "__main__"})
    print(json.dumps(out.getvalue()))
`

// TestPython compares the Python programs with the oracle.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err == nil {
		err = exec.Command(python, "-c", "import networkx").Run()
	}
	if err != nil {
		t.Skipf("needs python3 with networkx (python3 -m pip install networkx): %v", err)
	}
	type asked struct {
		cat     *category.Category
		program string
		want    any
	}
	var all []asked
	var programs []string
	s := random.New(random.Key(t.Name()))
	for i := range category.Table {
		cat := &category.Table[i]
		for k := range 40 {
			n := s.Between(cat.Least, 12)
			permille := s.Between(80, 600)
			if k >= 35 {
				n = s.Between(13, 30)
				permille = s.Between(1000/n, 4000/n)
			}
			c, _ := drawCase(t, s, cat, n, permille)
			p := cat.Python(c)
			all = append(all, asked{cat, p, newOracle(c).answer(cat.Name, &c.Query)})
			programs = append(programs, p)
		}
	}
	input, err := json.Marshal(programs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", interpret)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(all) {
		t.Fatalf("%d answers to %d programs", len(lines), len(all))
	}
	for i, a := range all {
		var printed string
		if err := json.Unmarshal([]byte(lines[i]), &printed); err != nil {
			t.Fatal(err)
		}
		if text := strings.TrimSuffix(printed, "\n"); text != jsonOf(a.want) {
			t.Errorf("%s: Python says %s, the oracle %s\n%s", a.cat.Name, text, jsonOf(a.want), a.program)
		}
	}
}

// jsonOf returns an answer as Python writes it.
func jsonOf(answer any) string {
	switch a := answer.(type) {
	case []int:
		return strings.ReplaceAll(fmt.Sprint(a), " ", ", ")
	case float64:
		text, _ := json.Marshal(a)
		if !bytes.ContainsAny(text, ".e") {
			text = append(text, ".0"...)
		}
		return string(text)
	case compound:
		return fmt.Sprintf(`{"reachable": %v, "degree": %d}`, a.Reachable, a.Degree)
	}
	return fmt.Sprint(answer)
}

// TestAnswers reports how often the commonest answer of each category is right,
// and holds it down: an answer that needs no reading must not pay.
func TestAnswers(t *testing.T) {
	cases := 3000
	if testing.Short() {
		cases = 600
	}
	each(t, func(t *testing.T, cat *category.Category, s *random.Stream) {
		counts := map[string]int{}
		sum, most := 0, 0
		for range cases {
			c, redraws := usual(t, s, cat)
			counts[fmt.Sprint(newOracle(c).answer(cat.Name, &c.Query))]++
			sum, most = sum+redraws, max(most, redraws)
		}
		commonest := ""
		for a, n := range counts {
			if n > counts[commonest] || n == counts[commonest] && a < commonest {
				commonest = a
			}
		}
		share := float64(counts[commonest]) / float64(cases)
		t.Logf("%5.1f%% %-8s of %3d answers; redraws: mean %.2f, most %d",
			100*share, commonest, len(counts), float64(sum)/float64(cases), most)
		limit := 0.4
		if cat.Result == category.Boolean {
			limit = 0.55
		}
		if share > limit {
			t.Errorf("%s is right %.0f%% of the time", commonest, 100*share)
		}
	})
}

// TestGoodQuestions checks what a draw promises beside a right answer; that the
// argmax is unique and the root ancestor too, the oracle checks.
func TestGoodQuestions(t *testing.T) {
	each(t, func(t *testing.T, cat *category.Category, s *random.Stream) {
		for range 300 {
			c, _ := usual(t, s, cat)
			q, o := &c.Query, newOracle(c)
			for name, x := range map[string]int{"source": q.Source, "target": q.Target} {
				if x != category.None && (x < 0 || x >= c.G.N) {
					t.Fatalf("%s is %d of %d nodes", name, x, c.G.N)
				}
			}
			if q.Source == q.Target && q.Source != category.None {
				t.Fatalf("source and target are both %d", q.Source)
			}
			switch cat.Name {
			case "kinship_chain":
				if o.chained(q.Steps, q.Source, q.Source) {
					t.Fatalf("%v lead from %d back to it", q.Steps, q.Source)
				}
				if len(q.Steps) < 2 || len(q.Steps) > 3 {
					t.Fatalf("steps %v", q.Steps)
				}
			case "aggregate_over_set":
				if len(o.reached(q.Source)) == 0 {
					t.Fatalf("the mean of no nodes")
				}
			case "degree_then_reach":
				if len(o.where(func(x int) bool { return o.out(x) >= q.Threshold })) < 2 {
					t.Fatalf("only one candidate")
				}
			}
		}
	})
}

// TestExtremes asks about graphs that are hardly likely to have a good question,
// and about large ones: there must be an end.
func TestExtremes(t *testing.T) {
	each(t, func(t *testing.T, cat *category.Category, s *random.Stream) {
		_, least := drawCase(t, s, cat, cat.Least, 300)
		_, sparse := drawCase(t, s, cat, max(4, cat.Least), 100)
		_, dense := drawCase(t, s, cat, 20, 500)
		t.Logf("redraws: %d for %d nodes, %d for sparse, %d for dense graphs", least, cat.Least, sparse, dense)
		if testing.Short() {
			return
		}
		for _, permille := range []int{1, 500} {
			c, redraws := drawCase(t, s, cat, 1000, permille)
			t.Logf("%d redraws for 1000 nodes, %d edges", redraws, len(c.G.Edges))
			// No limits: that it ends is enough.
			run(t, cat, cat.Ein(c), cost.Limits{})
		}
	})
}

// TestDeterministic draws twice from one stream.
func TestDeterministic(t *testing.T) {
	each(t, func(t *testing.T, cat *category.Category, _ *random.Stream) {
		for i := range 50 {
			key := random.Key(cat.Name, fmt.Sprint(i))
			a, _ := usual(t, random.New(key), cat)
			b, _ := usual(t, random.New(key), cat)
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("case %d: %v and %v", i, a, b)
			}
		}
	})
}

var placeholder = regexp.MustCompile(`\{[^}]*\}`)

// TestQuestions fills in the wordings and holds them to the placeholders there
// are values for.
func TestQuestions(t *testing.T) {
	each(t, func(t *testing.T, cat *category.Category, s *random.Stream) {
		shown := map[string]bool{}
		for range 200 {
			c, _ := usual(t, s, cat)
			values := map[string]string{
				"{nodes}": "suppliers", "{node}": "supplier", "{path}": "a supply path",
				"{forward}": "ship to", "{forward one}": "ships to",
				"{reverse}": "buy from", "{reverse one}": "buys from",
				"{mutual}": "trade with", "{mutual one}": "trades with",
			}
			if cat.Family == category.Kinship {
				clear(values)
			}
			for name, x := range map[string]int{"{X}": c.Query.Source, "{Y}": c.Query.Target,
				"{k}": c.Query.Threshold, "{a}": c.Query.MinIn, "{b}": c.Query.MinOut} {
				if x != category.None {
					values[name] = fmt.Sprint("v", x)
					if len(name) == 3 && strings.Contains("kab", name[1:2]) {
						values[name] = fmt.Sprint(x)
					}
				}
			}
			paper, explicit := cat.Question(c, false), cat.Question(c, true)
			if paper == explicit {
				t.Fatalf("the explicit wording is that of the paper: %s", paper)
			}
			for _, q := range []string{paper, explicit} {
				for name := range values {
					must := slices.Contains([]string{"{X}", "{Y}", "{k}", "{a}", "{b}"}, name)
					if must && !strings.Contains(q, name) {
						t.Fatalf("%s does not say %s", q, name)
					}
				}
				text := placeholder.ReplaceAllStringFunc(q, func(name string) string {
					value, ok := values[name]
					if !ok {
						t.Fatalf("%s: %s has no value", q, name)
					}
					return value
				})
				if strings.ContainsAny(text, "{}") || !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, ".") {
					t.Fatalf("bad question %q", text)
				}
				// Anchors aside, to show each wording once.
				if shape := regexp.MustCompile(`v?\d`).ReplaceAllString(text, "#"); !shown[shape] && len(shown) < 8 {
					shown[shape] = true
					t.Log(text)
				}
			}
		}
	})
}

func BenchmarkDraw(b *testing.B) {
	for i := range category.Table {
		cat := &category.Table[i]
		b.Run(cat.Name, func(b *testing.B) {
			s := random.New(random.Key(b.Name()))
			b.ReportAllocs()
			for b.Loop() {
				usual(b, s, cat)
			}
		})
	}
}
