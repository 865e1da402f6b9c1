package summary

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"iter"
	"math"
	"strings"
	"testing"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
)

// made is instances of all categories.
func made(t testing.TB, each int) []*instance.Instance {
	t.Helper()
	var list []*instance.Instance
	for i := range category.Table {
		for k := range each {
			in, _, err := instance.Generate(instance.NewID("test", category.Table[i].Name, k, 3))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, in)
		}
	}
	return list
}

func of(list ...*instance.Instance) iter.Seq2[*instance.Instance, error] {
	return func(yield func(*instance.Instance, error) bool) {
		for _, in := range list {
			if !yield(in, nil) {
				return
			}
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestCollect works out the same numbers in the plainest way.
func TestCollect(t *testing.T) {
	const each = 12
	list := made(t, each)
	r, err := Collect(of(list...))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Categories) != len(category.Table) || len(r.Levels) != 3 || r.All.Instances != len(list) {
		t.Fatalf("%d categories, %d levels, %d instances", len(r.Categories), len(r.Levels), r.All.Instances)
	}
	right := 0
	for i, g := range r.Categories {
		var n, chars, redraws, redrawn float64
		answers, densities := map[string]int{}, 0
		for _, in := range list[i*each : (i+1)*each] {
			n += float64(in.N)
			chars += float64(len([]rune(in.Question)))
			text, _, err := unlabelled(in)
			if err != nil {
				t.Fatal(err)
			}
			answers[text]++
			id, err := instance.ParseID(in.ID)
			if err != nil {
				t.Fatal(err)
			}
			_, drawn, err := instance.Generate(id)
			if err != nil {
				t.Fatal(err)
			}
			redraws += float64(drawn)
			if drawn > 0 {
				redrawn++
			}
		}
		most := 0
		for _, k := range answers {
			most = max(most, k)
		}
		right += most
		for _, k := range g.Densities {
			densities += k
		}
		if g.Name != category.Table[i].Name || g.Instances != each || densities != each || g.Distinct != len(answers) || len(g.Top) != min(len(answers), topAnswers) ||
			!near(g.N.Mean, n/each) || !near(g.Question.Characters.Mean, chars/each) || !near(g.Majority, float64(most)/each) ||
			g.Top[0].Count != most || g.Constants[answer.Strict].Right < most || g.Constants[answer.Lenient].Right < g.Constants[answer.Strict].Right || !near(g.Redraws, redraws/each) || !near(g.Redrawn, redrawn/each) {
			t.Errorf("%+v", g)
		}
		boolean := g.Result == string(category.Boolean) || g.Result == string(category.Compound)
		if boolean != (g.True != nil) {
			t.Errorf("%s: true %v", g.Name, g.True)
		}
	}
	if !near(r.All.Majority, float64(right)/float64(len(list))) {
		t.Errorf("majority of all %v", r.All.Majority)
	}
	if n := r.Levels[0].Instances + r.Levels[1].Instances + r.Levels[2].Instances; n != len(list) {
		t.Errorf("%d instances on the levels", n)
	}

	text := r.Text()
	for _, g := range r.Categories {
		if strings.Count(text, "\n"+g.Name+" ") != 5 {
			t.Errorf("%s is not in each table of\n%s", g.Name, text)
		}
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(r); err != nil {
		t.Fatal(err)
	}
}

// The same structure with other labels counts as the same answers.
func TestUpToLabels(t *testing.T) {
	id := instance.NewID("test", "negative_reach", 5, 3)
	var want string
	for surface := range uint64(5) {
		id.SurfaceSeed = surface
		in, _, err := instance.Generate(id)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := unlabelled(in)
		if err != nil || want != "" && got != want {
			t.Errorf("%s, want %s, %v", got, want, err)
		}
		want = got
	}
}

func TestUnlabelled(t *testing.T) {
	for text, want := range map[string]string{
		`true`: "true", `-1`: "-1", `0.25`: "0.25", `"b"`: "node 1", `["c","a"]`: "{0, 2}", `[]`: "{}",
		`{"reachable":false,"degree":3}`: "false, 3",
	} {
		got, truth, err := unlabelled(&instance.Instance{Nodes: []string{"a", "b", "c"}, Answer: json.RawMessage(text)})
		if err != nil || got != want || (truth != nil) != (text == "true" || text[0] == '{') {
			t.Errorf("%s: %s, %v, %v", text, got, truth, err)
		}
	}
}

// Ids of another generator say nothing about redraws.
func TestOtherVersion(t *testing.T) {
	in := made(t, 1)[0]
	in.ID = strings.Replace(in.ID, instance.Version, "cb0", 1)
	r, err := Collect(of(in))
	if err != nil || r.All.Unknown != 1 || !strings.Contains(r.Text(), "1 of them are of another generator version") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	_, err := Collect(func(yield func(*instance.Instance, error) bool) { yield(nil, broken) })
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	for _, change := range []func(*instance.Instance){
		func(in *instance.Instance) { in.Density = "x" },
		func(in *instance.Instance) { in.Answer = json.RawMessage("x") },
	} {
		in := made(t, 1)[0]
		change(in)
		if _, err := Collect(of(in)); err == nil || !strings.HasPrefix(err.Error(), in.ID) {
			t.Error(err)
		}
	}
}

func TestBins(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      int
		last      string
	}{{4, 10, 7, "10"}, {20, 20, 1, "20"}, {4, 100, 11, "94..100"}, {1, 1000, 12, "925..1000"}} {
		bins := nodeBins(&Group{N: Spread{Min: test.low, Max: test.high}})
		if len(bins) != test.want || bins[len(bins)-1].String() != test.last {
			t.Errorf("%v to %v: %v", test.low, test.high, bins)
		}
	}
}

// The highest density has no bin of its own.
func TestDensityBins(t *testing.T) {
	g := newGroup("x")
	g.permille = map[int]int{100: 1, 149: 1, 150: 1, 499: 1, 500: 1}
	g.bin(Spread{Min: 0.1, Max: 0.5})
	if len(g.Densities) != 3 || g.Densities["0.10"] != 2 || g.Densities["0.15"] != 1 || g.Densities["0.45"] != 2 {
		t.Error(g.Densities)
	}
	g = newGroup("x")
	g.permille = map[int]int{300: 4}
	g.bin(Spread{Min: 0.3, Max: 0.3})
	if len(g.Densities) != 1 || g.Densities["0.30"] != 4 {
		t.Error(g.Densities)
	}
}

func TestPlot(t *testing.T) {
	for _, list := range [][]*instance.Instance{made(t, 3), made(t, 1)[:1]} {
		r, err := Collect(of(list...))
		if err != nil {
			t.Fatal(err)
		}
		var a, b bytes.Buffer
		if err := errors.Join(r.Plot(&a), r.Plot(&b)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Error("the figure changes")
		}
		d := xml.NewDecoder(&a)
		text := ""
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if c, ok := token.(xml.CharData); ok {
				text += string(c) + "\n"
			}
		}
		for _, g := range r.Categories {
			if strings.Count(text, g.Name+"\n") != 2 {
				t.Errorf("%s is not in both panels", g.Name)
			}
		}
	}
}
