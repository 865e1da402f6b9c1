package verdict

import (
	"strings"
	"testing"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/lang/check"
)

// TestLabels: programs that name nodes by label are those of the instances again with
// numbers in their place, and are right when labels are allowed.
func TestLabels(t *testing.T) {
	j, plain := New(Options{Labels: true, Why: true}), New(Options{})
	for _, version := range instance.Versions() {
		for _, c := range category.Table {
			id, err := instance.Standard(version, "train", c.Name, 3, 1)
			if err != nil {
				t.Fatal(err)
			}
			in, _, err := instance.Generate(id)
			if err != nil {
				t.Fatal(err)
			}
			reply, err := prompt.Reply(in, prompt.TargetLabels)
			if err != nil {
				t.Fatal(err)
			}
			program, _ := Extract(reply, prompt.Ein)
			if got := numbered(program, in.Nodes); got != strings.TrimSuffix(in.EinProgram, "\n") && got != in.EinProgram {
				t.Errorf("%s: %s\nexpected\n%s", id, got, in.EinProgram)
			}
			q, err := NewQuestion(in, true)
			if err != nil {
				t.Fatal(err)
			}
			l := &Line{Number: 1, ID: in.ID, Reply: reply, Mode: prompt.Ein}
			if v, err := j.Reply(t.Context(), q, l); err != nil || v.Outcome != answer.StrictlyRight {
				t.Errorf("%s: %+v, %v", id, v, err)
			}
			if v, err := plain.Reply(t.Context(), q, l); err != nil || in.Edges != nil && v.Outcome != TypeError {
				t.Errorf("%s, without labels: %+v, %v", id, v, err)
			}
		}
	}
}

// TestQueryReading plants other nodes than a question asks about: the program is right
// with those.
func TestQueryReading(t *testing.T) {
	e := newExecutor(check.Core, Limits{})
	found := map[Kind]int{}
	for _, name := range []string{"reachability", "reach_then_count", "conditional", "set_intersect", "degree_count"} {
		for index := range 12 {
			in, _, err := instance.Generate(instance.NewID("test", name, index, 7))
			if err != nil {
				t.Fatal(err)
			}
			q, err := NewQuestion(in, true)
			if err != nil {
				t.Fatal(err)
			}
			var edits []edit
			for _, a := range prompt.Anchors(parse(in.EinProgram)) {
				edits = append(edits, edit{a.Span, []string{"0", "1", "2", "3"}[(int(a.Value)+1)%4]})
			}
			program := rewrite(in.EinProgram, edits)
			v, err := e.run(t.Context(), program, q)
			if err != nil {
				t.Fatal(err)
			}
			if v.Outcome != answer.Wrong || v.Any() {
				continue
			}
			w := einGraphs(parse(program), q.Case.G.N)
			a, err := attribution(t.Context(), q, &w, e.run)
			if err != nil {
				t.Fatal(err)
			}
			found[a.Kind]++
		}
	}
	if found[QueryReading] < 10 || len(found) != 1 {
		t.Errorf("%v", found)
	}
}
