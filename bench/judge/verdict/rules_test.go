package verdict

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
)

// inRules returns an instance as a question, and its program of rules.
func inRules(t *testing.T, version, name string, index int) (*Question, string) {
	t.Helper()
	id, err := instance.Standard(version, "train", name, index, 1)
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := instance.Generate(id)
	if err != nil {
		t.Fatal(err)
	}
	q, err := NewQuestion(in, true)
	if err != nil {
		t.Fatal(err)
	}
	text, err := in.Rules()
	if err != nil {
		t.Fatal(err)
	}
	return q, text
}

func judged(t *testing.T, q *Question, program string) *Verdict {
	t.Helper()
	v, err := New(Options{Why: true}).Reply(t.Context(), q, &Line{Number: 1, ID: q.ID, Reply: "```ein\n" + program + "```\n", Mode: prompt.Rules})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestRules: the program of rules of every instance is right, and all of its graph is found.
func TestRules(t *testing.T) {
	for _, version := range instance.Versions() {
		for i := range category.Table {
			q, program := inRules(t, version, category.Table[i].Name, 3)
			edges := len(q.Case.G.Edges) + len(q.Case.G2.Edges)
			v := judged(t, q, program)
			if v.Outcome != answer.StrictlyRight || v.Constant || v.Reading == nil || v.Reading.Right != edges || v.Reading.Added != 0 {
				t.Errorf("%s: %+v, reading %+v of %d edges\n%s", q.ID, v, v.Reading, edges, program)
			}
			// With numbers for labels it is the same.
			if !strings.Contains(program, "<") || version == instance.Version {
				continue
			}
			for x, label := range q.Labels {
				program = strings.ReplaceAll(program, fmt.Sprintf("%q", label), fmt.Sprint(x))
			}
			if v := judged(t, q, program); v.Outcome != answer.StrictlyRight || v.Reading.Right != edges {
				t.Errorf("%s, in numbers: %+v, reading %+v\n%s", q.ID, v, v.Reading, program)
			}
		}
	}
}

// TestRulesAttribution plants mistakes in programs of rules.
func TestRulesAttribution(t *testing.T) {
	kinds := map[Kind]int{}
	plant := func(name string, change func(q *Question, program string) string, want ...Kind) {
		t.Helper()
		seen := 0
		for index := range 12 {
			q, program := inRules(t, "cb2", name, index)
			v := judged(t, q, change(q, program))
			if v.Outcome != answer.Wrong {
				continue
			}
			seen++
			if v.Attribution == nil || !slices.Contains(want, v.Attribution.Kind) {
				t.Errorf("%s: %+v, want %v\n%s", q.ID, v.Attribution, want, change(q, program))
				continue
			}
			kinds[v.Attribution.Kind]++
		}
		if seen == 0 {
			t.Errorf("%s: no change makes it wrong", name)
		}
	}
	node := func(q *Question, x int) string { return fmt.Sprintf("%q", q.Labels[x]) }
	facts := func(program string, f func(i int, line string) string) string {
		i := 0
		var b strings.Builder
		for line := range strings.Lines(program) {
			if strings.HasSuffix(line, "\").\n") && (strings.HasPrefix(line, "Edge(") || strings.HasPrefix(line, "Parent(")) {
				line = f(i, line)
				i++
			}
			b.WriteString(line)
		}
		return b.String()
	}
	dropped := func(_ *Question, program string) string {
		return facts(program, func(i int, line string) string {
			if i%3 == 0 {
				return ""
			}
			return line
		})
	}
	for _, name := range []string{"reach_then_count", "ancestor", "triangle_count", "negative_reach"} {
		plant(name, dropped, GraphReading)
	}
	plant("reach_then_count", func(_ *Question, program string) string {
		return strings.Replace(program, "count(v)", "sum(2)", 1)
	}, Logic)
	plant("reach_then_count", func(q *Question, program string) string {
		return dropped(q, strings.Replace(program, ", v !=", ", v ==", 1))
	}, Both)
	plant("reach_then_count", func(q *Question, program string) string {
		other := node(q, (q.Case.Query.Source+1)%q.Case.G.N)
		head, rules, _ := strings.Cut(program, "Reach(x, y)")
		return head + "Reach(x, y)" + strings.ReplaceAll(rules, node(q, q.Case.Query.Source), other)
	}, QueryReading)
	plant("kinship_chain", func(q *Question, program string) string {
		return strings.Replace(program, "Start("+node(q, q.Case.Query.Source), "Start("+node(q, (q.Case.Query.Source+1)%q.Case.G.N), 1)
	}, QueryReading)
	plant("reach_then_count", func(*Question, string) string { return "Answer(99).\nAnswer(k)?\n" }, NoGraph)
	for _, k := range Kinds() {
		if kinds[k] == 0 {
			t.Errorf("nothing is %s", k)
		}
	}
}

// TestRulesErrors is what programs of rules get wrong that give no answer.
func TestRulesErrors(t *testing.T) {
	q, program := inRules(t, "cb2", "reach_then_count", 0)
	for text, want := range map[string]answer.Outcome{
		"Edge(\"a\", \"b\")\nEdge(x, y)?\n":                  ParseError,
		"Edge(\"a\", \"b\").\nEgde(x, y)?\n":                 TypeError,
		"Edge(\"a\", \"b\").\nEdge(x, y)?\n":                 BadOutput,
		"input Edge(x: node, y: node)\nEdge(x, y)?\n":        TypeError,
		"def f(x) = x\n" + program:                           TypeError,
		strings.ReplaceAll(program, "Answer(k)?", "") + "\n": TypeError,
	} {
		if v := judged(t, q, text); v.Outcome != want {
			t.Errorf("%s%+v, want %s", text, v, want)
		}
	}
	// A product that is far over the limit.
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "P(%d).\n", i)
	}
	b.WriteString("N(count()) <- P(a), P(b), P(c), P(d), a + b + c + d > 3.\nN(k)?\n")
	l := &Line{Number: 1, ID: q.ID, Reply: b.String(), Mode: prompt.Rules}
	if v, err := New(Options{Limits: Limits{Ops: 1e5}}).Reply(t.Context(), q, l); err != nil || v.Outcome != OverLimit || !strings.Contains(v.Message, "operations") {
		t.Errorf("%+v, %v", v, err)
	}
	if v := judged(t, q, "Size(3, 4).\nA(x) <- Size(x, _).\nA(k)?\n"); v.Constant {
		t.Errorf("it depends on facts: %+v", v)
	}
	if v := judged(t, q, "A(3).\nA(k)?\n"); !v.Constant {
		t.Errorf("it depends on no graph: %+v", v)
	}
}

// TestExtractRules finds programs of rules among prose, and tells them from others.
func TestExtractRules(t *testing.T) {
	const program = "Edge(\"a\", \"b\").\nFar(x, y) <- Edge(x, y).\nFar(x, z) <- Far(x, y),\n  Edge(y, z).\nnot Far(\"a\", v), Edge(v, _)?\n"
	for _, reply := range []string{
		program,
		"```ein\n" + program + "```",
		"```prolog\n" + program + "```\nIt gives b.",
		"Here it is (in rules).\n\n" + program + "\nThis prints the nodes (all of them).",
	} {
		if got, ok := Extract(reply, prompt.Rules); !ok || strings.TrimSpace(got) != strings.TrimSpace(program) {
			t.Errorf("%q gives %q", reply, got)
		}
		if mode, ok := Detect(reply); !ok || mode != prompt.Rules {
			t.Errorf("%q is in %q", reply, mode)
		}
	}
	for reply, want := range map[string]prompt.Mode{
		"A = edges([[0,1]], 2)\n:print has_path(A, 0, 1)\n":                   prompt.Ein,
		"```ein\nA = edges([[0,1]], 2)\n:print has_path(A, 0, 1)\n```":        prompt.Ein,
		"```\nG = {0: [1]}\nprint(len(G[0]))\n```":                            prompt.Python,
		"import networkx as nx\nG = nx.DiGraph()\nG.add_edge(0, 1)\nprint(1)": prompt.Python,
	} {
		if mode, _ := Detect(reply); mode != want {
			t.Errorf("%q is in %q, want %s", reply, mode, want)
		}
	}
}
