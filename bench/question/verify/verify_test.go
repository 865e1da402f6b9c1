package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/surface"
)

func generate(t testing.TB, name string, index int) *instance.Instance {
	t.Helper()
	in, _, err := instance.Generate(instance.NewID("test", name, index, 1))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// line returns the line of an instance as it is, whatever its digest.
func line(t testing.TB, in *instance.Instance) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// seal gives a changed instance the digest of its content, as one would who
// wants the change to pass.
func seal(t testing.TB, in *instance.Instance) {
	t.Helper()
	in.Digest = ""
	body, ok := strings.CutSuffix(line(t, in), `,"digest":""}`+"\n")
	if !ok {
		t.Fatal("the digest is not the last field")
	}
	sum := sha256.Sum256([]byte(body + "}"))
	in.Digest = hex.EncodeToString(sum[:])
}

// verify gives the findings as "LINE PART: MESSAGE".
func verify(t testing.TB, python *Interpreter, text string) (*Summary, []string) {
	t.Helper()
	s, found, err := run(t.Context(), &Job{Python: python}, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s, found
}

func run(ctx context.Context, job *Job, r io.Reader) (s *Summary, found []string, err error) {
	s = NewSummary()
	s.NoPython, err = job.Each(ctx, r, func(it *Record) error {
		for _, f := range s.Add(it) {
			found = append(found, fmt.Sprintf("%d %s: %s", f.Line, f.Part, f.Message))
		}
		return nil
	})
	return s, found, err
}

// rounded returns a number in a form that no answer has.
func rounded(t testing.TB, number json.RawMessage) json.RawMessage {
	var x float64
	if err := json.Unmarshal(number, &x); err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, "%.10f", x)
}

// TestAgrees is instances of every category, of all sizes and encodings.
func TestAgrees(t *testing.T) {
	p := python(t, time.Minute)
	var b strings.Builder
	count := 0
	for i := range category.Table {
		for k := range 4 {
			id := instance.NewID("test", category.Table[i].Name, k, 7)
			id.Explicit = k == 1
			switch k {
			case 2:
				id.Encoding = surface.JSON
			case 3:
				id.N, id.Density = instance.Range{Min: 30, Max: 30}, instance.Range{Min: 60, Max: 60}
			}
			in, _, err := instance.Generate(id)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(line(t, in))
			count++
		}
	}
	s, found := verify(t, p, b.String())
	for _, f := range found {
		t.Error(f)
	}
	if !s.Agrees() || s.Total().Instances != count || s.PythonRuns != count || len(s.Rows()) != len(category.Table) || s.NoPython != nil {
		t.Errorf("%+v", s)
	}
}

// TestPlanted changes one thing in an instance each time and looks whether that
// is found, and found as what it is.
func TestPlanted(t *testing.T) {
	p := python(t, 5*time.Second)
	for _, test := range []struct {
		name, category string
		change         func(*instance.Instance)
		sealed         bool
		want           []string
	}{
		{"edge", "negative_reach", func(in *instance.Instance) { in.Edges = in.Edges[1:] }, true,
			[]string{"generated: regenerated from its id, it differs in edges"}},
		{"edge, not sealed", "negative_reach", func(in *instance.Instance) { in.Edges = in.Edges[1:] }, false,
			[]string{"digest: the digest does not match the content: the line was changed", "generated: it differs in edges"}},
		{"edges", "negative_reach", func(in *instance.Instance) { in.Edges = nil }, true,
			[]string{"generated: it differs in edges", "rules: the rules program gives "}},
		{"query", "reachability", func(in *instance.Instance) { *in.Query.Source = 99 }, true,
			[]string{"generated: query", "rules: it has no rules program: cb1-test-reachability-3-s1: the query is about node 99 of"}},
		{"answer", "reachability", func(in *instance.Instance) {
			in.Answer = json.RawMessage(map[string]string{"true": "false", "false": "true"}[string(in.Answer)])
		}, true,
			[]string{"generated: differs in answer (", "Ein: the Ein program gives ", "rules: the rules program gives ", "Python: the Python program gives "}},
		{"float", "aggregate_over_set", func(in *instance.Instance) { in.Answer = rounded(t, in.Answer) }, true, nil},
		{"set", "negative_reach", func(in *instance.Instance) { in.Answer = json.RawMessage(`["nobody"]`) }, true,
			[]string{"generated: answer", "Ein: cannot be compared: nobody is not a node"}},
		{"type of answer", "reach_then_count", func(in *instance.Instance) { in.Answer = json.RawMessage(`"3"`) }, true,
			[]string{"generated: answer", `Ein: the stored answer "3" cannot be compared: it is not of type integer`}},
		{"Ein program", "reach_then_count", func(in *instance.Instance) { in.EinProgram += ":print 99\n" }, true,
			[]string{"generated: ein_program", "Ein: expected one output, found 2"}},
		{"Ein value", "reach_then_count", func(in *instance.Instance) { in.EinProgram = ":print 99\n" }, true,
			[]string{"generated: ein_program", "Ein: gives 99, but the stored answer is"}},
		{"Ein syntax", "reach_then_count", func(in *instance.Instance) { in.EinProgram = "A = \n" }, true,
			[]string{"generated: ein_program", "Ein: expected a value"}},
		{"Ein too large", "reach_then_count", func(in *instance.Instance) { in.EinProgram = ":print sum(ones(1000000, 1000000) * 2)\n" }, true,
			[]string{"generated: ein_program", "Ein: "}},
		{"Python program", "set_difference", func(in *instance.Instance) { in.PythonProgram = "print([0, 1, 2, 3])" }, true,
			[]string{"generated: python_program", `Python: the Python program gives ["`}},
		{"Python fails", "set_difference", func(in *instance.Instance) { in.PythonProgram = "\nprint(1 / 0)" }, true,
			[]string{"generated: python_program", "Python: ZeroDivisionError: division by zero (line 2)"}},
		{"Python prints", "set_difference", func(in *instance.Instance) { in.PythonProgram = "print('nothing')" }, true,
			[]string{"generated: python_program", `Python: prints "nothing\n": it is not JSON`}},
		{"Python crashes", "set_difference", func(in *instance.Instance) { in.PythonProgram = "import os; os._exit(3)" }, true,
			[]string{"generated: python_program", "Python: the interpreter crashed: exit status 3"}},
		{"Python hangs", "set_difference", func(in *instance.Instance) { in.PythonProgram = "import time; time.sleep(60)" }, true,
			[]string{"generated: python_program", "Python: it exceeded the limit of 5s"}},
		{"digest", "cousin", func(in *instance.Instance) { in.Digest = strings.Repeat("0", 64) }, false,
			[]string{"digest: the digest does not match the content", "generated: differs in digest"}},
		{"question", "cousin", func(in *instance.Instance) { in.Question = "Who?" }, false,
			[]string{"digest: ", "generated: it differs in question"}},
		{"seed", "cousin", func(in *instance.Instance) { in.ID = strings.Replace(in.ID, "-s1", "-s2", 1) }, true,
			[]string{"generated: structural_seed ("}},
		{"version", "cousin", func(in *instance.Instance) { in.Version = "cb0" }, true,
			[]string{`generated: it was made by generator "cb0", but this ein has only cb1`}},
		{"id of a version", "cousin", func(in *instance.Instance) { in.ID = strings.Replace(in.ID, "cb1", "cb0", 1) }, true,
			[]string{"generated: made by generator cb0"}},
		{"id", "cousin", func(in *instance.Instance) { in.ID = "17" }, true,
			[]string{"generated: it cannot be regenerated: id \"17\""}},
		{"category", "cousin", func(in *instance.Instance) { in.Category = "cousins" }, true,
			[]string{"generated: category", "generated: did you mean cousin?"}},
		{"labels", "cousin", func(in *instance.Instance) { in.Nodes = in.Nodes[1:] }, true,
			[]string{"generated: nodes", "Ein: it has 5 nodes but"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in, after := generate(t, test.category, 3), generate(t, test.category, 4)
			test.change(in)
			if test.sealed {
				seal(t, in)
			}
			s, found := verify(t, p, line(t, in)+line(t, after))
			if test.want == nil {
				// A change too small for the programs: only the text is another.
				test.want = []string{"generated: answer"}
			}
			if len(found) != len(test.want) {
				t.Fatalf("found %q, want %q", found, test.want)
			}
			for i, want := range test.want {
				part, text, _ := strings.Cut(want, ": ")
				if !strings.HasPrefix(found[i], "1 "+part+": ") || !strings.Contains(found[i], text) {
					t.Errorf("found %s, want %s", found[i], want)
				}
			}
			if s.Agrees() || s.Total().Instances != 2 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestLines(t *testing.T) {
	good := line(t, generate(t, "cousin", 0))
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"\n" + good, "1 line: it is empty, expected an instance"},
		{good + good[:100] + "\n", "2 line: the object is cut off"},
		{good + "[1]\n", "2 line: it is a JSON array, expected an object"},
		{good + strings.Replace(good, `{"id"`, `{"name":1,"id"`, 1), `2 line: not an instance: unknown field "name"`},
		{good + strings.TrimSuffix(good, "\n") + good, "2 line: there is more after the object"},
		{good + good, "2 line: line 1 has the same id"},
		{strings.Replace(good, `,"version"`, `, "version"`, 1), "1 generated: regenerated from its id, it differs in the form of the line"},
		{strings.Replace(good, "\n", "\r\n", 1), ""},
		{"\ufeff" + good, ""},
		{"\xff\xfe{", "1 line: the text is UTF-16, expected UTF-8"},
	} {
		s, found := verify(t, nil, test.text)
		if test.want == "" {
			if len(found) > 0 || s.Agrees() != (test.text != "") {
				t.Errorf("%.40q: %q, %+v", test.text, found, s)
			}
			continue
		}
		if len(found) != 1 || !strings.HasPrefix(found[0], test.want) || s.Agrees() {
			t.Errorf("%.40q: %q, want %s", test.text, found, test.want)
		}
	}
}

// What cannot be read ends the work with an error, and so does a cancelled
// context.
func TestStops(t *testing.T) {
	good := line(t, generate(t, "cousin", 0))
	broken := errors.New("the disk is gone")
	if _, found, err := run(t.Context(), &Job{}, &failing{good, broken}); len(found) > 0 || !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, found, err := run(ctx, &Job{}, strings.NewReader(good)); len(found) > 0 || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

type failing struct {
	text string
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.text == "" {
		return 0, f.err
	}
	n := copy(p, f.text)
	f.text = f.text[n:]
	return n, nil
}

// A Python that stops working is told from programs that are wrong.
func TestPythonGoesAway(t *testing.T) {
	i := python(t, time.Minute)
	i.python = "no-such-python" // when it is started anew
	var b strings.Builder
	for k := range 4 {
		in := generate(t, "cousin", k)
		if k == 1 {
			in.PythonProgram = "import os; os._exit(1)"
			seal(t, in)
		}
		b.WriteString(line(t, in))
	}
	s, found := verify(t, i, b.String())
	var gone *Unavailable
	if len(found) != 2 || s.PythonRuns != 2 || !errors.As(s.NoPython, &gone) || !gone.Broken || !strings.Contains(gone.Help(), "interpreter works") {
		t.Errorf("%q, %+v", found, s)
	}
}

func TestParse(t *testing.T) {
	labels := []string{"a", "b", "c"}
	for _, test := range []struct {
		t    category.Result
		text string
		want string // the answer, or "error: " and a part of it
	}{
		{category.Boolean, "true", "true"},
		{category.Boolean, "1", "error: not of type boolean"},
		{category.Boolean, "null", "error: not of type boolean"},
		{category.Integer, "-1", "-1"},
		{category.Integer, "3.0", "3"},
		{category.Integer, "3.5", "error: not of type integer"},
		{category.Integer, "true", "error: not of type integer"},
		{category.Integer, `"3"`, "error: not of type integer"},
		{category.Float, "3", "3"},
		{category.Float, "1e999", "error: not of type float"},
		{category.Float, "NaN", "error: not JSON"},
		{category.Float, "1 2", "error: more than one"},
		{category.Set, `["c","a"]`, `["a","c"]`},
		{category.Set, `[]`, `[]`},
		{category.Set, `["a","a"]`, "error: twice"},
		{category.Set, `["d"]`, "error: d is not a node"},
		{category.Set, `"a"`, "error: not a set"},
		{category.String, `"b"`, `"b"`},
		{category.String, `1`, "error: 1 is not a node"},
		{category.Compound, `{"degree":2,"reachable":true}`, `{"reachable":true,"degree":2}`},
		{category.Compound, `{"degree":2,"reachable":true,"x":1}`, "error: not of type compound"},
		{category.Compound, `{"degree":2}`, "error: not of type compound"},
		{category.Compound, `[true,2]`, "error: not of type compound"},
		{"tuple", `1`, "error: not of type tuple"},
	} {
		v, err := parse(test.t, []byte(test.text), byLabel(labels))
		if want, ok := strings.CutPrefix(test.want, "error: "); ok {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %s: %v, want %s", test.t, test.text, err, want)
			}
			continue
		}
		if err != nil || string(v.JSON(labels)) != test.want {
			t.Errorf("%s %s: %+v, %v", test.t, test.text, v, err)
		}
	}
	for text, want := range map[string]bool{"[2, 0]": true, "[3]": false, "[-1]": false, "[1.5]": false, `["a"]`: false} {
		if _, err := parse(category.Set, []byte(text), byNumber(3)); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	f := func(x float64) answer.Value { return answer.Value{Type: category.Float, Float: x} }
	if !same(f(1.0/3), f(1.0/3+1e-12)) || same(f(1.0/3), f(1.0/3+1e-6)) || !same(f(1e12), f(1e12+1)) {
		t.Error("floats")
	}
}

// FuzzInspect checks instances that nobody has generated: a line has a record with findings, or is
// what its id gives.
func FuzzInspect(f *testing.F) {
	for i, name := range []string{"degree_count", "cousin", "path_and_compare"} {
		in := generate(f, name, i)
		f.Add(line(f, in))
		in.Answer, in.EinProgram = json.RawMessage(`["a"]`), ":print desc(edges([[0, 1]], 9), 0)"
		seal(f, in)
		f.Add(line(f, in))
	}
	f.Add(`{"id":"cb2-train-degree_count-99999999999999999999-s7"}`)
	f.Fuzz(func(t *testing.T, text string) {
		it := inspect(1, []byte(text))
		if it.in == nil && len(it.Findings) == 0 || it.ID != "" && it.Category == "" {
			t.Errorf("%+v", it)
		}
		s := NewSummary()
		s.Add(&it)
	})
}
