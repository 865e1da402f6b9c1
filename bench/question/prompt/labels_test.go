package prompt

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/surface"
)

// TestLabelsCopyJSON: a program with labels has the edges in the order in which the JSON
// object of the question lists them.
func TestLabelsCopyJSON(t *testing.T) {
	pair := regexp.MustCompile(`\["([^"]+)", ?"([^"]+)"\]`)
	for _, c := range category.Table {
		id, err := instance.Standard("cb2", "train", c.Name, 3, 1)
		if err != nil {
			t.Fatal(err)
		}
		id.Encoding = surface.JSON
		in, _, err := instance.Generate(id)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := Reply(in, TargetLabels)
		if err != nil {
			t.Fatal(err)
		}
		var graph struct{ Edges, Edges2 [][2]string }
		if err := json.NewDecoder(strings.NewReader(in.Question[strings.IndexByte(in.Question, '{'):])).Decode(&graph); err != nil {
			t.Fatal(err)
		}
		want := slices.Concat(graph.Edges, graph.Edges2)
		var got [][2]string
		for _, m := range pair.FindAllStringSubmatch(reply, -1) {
			if e := [2]string{m[1], m[2]}; in.Directed || !slices.Contains(got, [2]string{m[2], m[1]}) {
				got = append(got, e)
			}
		}
		if !in.Directed {
			for i, e := range got {
				if e != want[i] {
					got[i] = [2]string{e[1], e[0]}
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the program has %q, the question %q", in.ID, got, want)
		}
	}
}

// TestLabelsKeepMatrices: where the question has a matrix, the edges of a program with
// labels are numbers, and what it asks of are labels.
func TestLabelsKeepMatrices(t *testing.T) {
	id, err := instance.Standard("cb2", "train", "reachability", 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	id.Encoding = surface.Matrix
	in, _, err := instance.Generate(id)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := Reply(in, TargetLabels)
	if err != nil {
		t.Fatal(err)
	}
	graph, asked, _ := strings.Cut(reply, "has_path(")
	if strings.Contains(graph, `"`) || !strings.HasPrefix(asked, `A, "`+in.Nodes[*in.Query.Source]+`", "`+in.Nodes[*in.Query.Target]+`")`) {
		t.Error(reply)
	}
}
