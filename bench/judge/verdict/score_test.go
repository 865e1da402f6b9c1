package verdict

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
)

// instances returns one or more of each category.
func instances(t testing.TB, each int) []*instance.Instance {
	t.Helper()
	var plan instance.Cells
	for i := range category.Table {
		plan = append(plan, instance.Cell{ID: instance.NewID("test", category.Table[i].Name, 0, 3), Count: each})
	}
	var all []*instance.Instance
	for made, err := range (&instance.Generator{}).Run(context.Background(), plan) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, made.Instance)
	}
	return all
}

func newIndex(t testing.TB, all []*instance.Instance) *Index {
	t.Helper()
	x, err := NewIndex(sequence(all), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// line returns a line of replies.
func line(t testing.TB, id, reply string) string {
	t.Helper()
	b, err := json.Marshal(map[string]string{"id": id, "reply": reply})
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

func right(in *instance.Instance) string { return fmt.Sprintf(`{"answer": %s}`, in.Answer) }

// score scores a file of replies as ein bench score does.
func score(x *Index, file io.Reader, record func(*Item, *Verdict) error) (*Summary, error) {
	sum := NewSummary()
	n, err := x.Each(context.Background(), file, 1, &sum.Notes, func() Work[*Item] { return New(Options{}).Answer }, func(it *Item, v *Verdict) error {
		sum.Add(it.Mode, v)
		return record(it, v)
	})
	sum.Replies = n
	return sum, err
}

func none(*Item, *Verdict) error { return nil }

func scored(t testing.TB, x *Index, replies string) (*Summary, []string, []Verdict) {
	t.Helper()
	var records []string
	var verdicts []Verdict
	r, err := score(x, strings.NewReader(replies), func(it *Item, v *Verdict) error {
		b, err := json.Marshal(ScoreRecord(it, v))
		records, verdicts = append(records, string(b)), append(verdicts, *v)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, records, verdicts
}

func TestScores(t *testing.T) {
	all := instances(t, 2)
	x := newIndex(t, all)
	if x.n != len(all) {
		t.Fatal(x.n)
	}
	var b strings.Builder
	for i, in := range slices.Backward(all) {
		switch i {
		case 0: // missing
		case 1:
			b.WriteString(line(t, in.ID, ""))
		case 2:
			b.WriteString(`{"id":"` + in.ID + `","reply":null}` + "\n")
		case 3:
			b.WriteString(`{"id":"` + in.ID + `","error":"HTTP 503","usage":{"tokens":[1,2]}}` + "\r\n")
		case 4:
			b.WriteString(`{"id":"` + in.ID + `","reply":"","error":"HTTP 503"}` + "\n")
		case 5:
			b.WriteString(line(t, in.ID, "no idea"))
		default:
			b.WriteString(`{"model":"x","error":null,` + line(t, in.ID, right(in))[1:])
		}
	}
	b.WriteString(line(t, "cb1-no-such", `{"answer": 1}`))
	b.WriteString(line(t, all[7].ID, `{"answer": "wrong"}`))
	b.WriteString(line(t, all[7].ID, right(all[7])))
	r, records, _ := scored(t, x, b.String())

	want := map[answer.Outcome]int{answer.StrictlyRight: len(all) - 6, answer.LenientOnly: 0, answer.Wrong: 0,
		answer.FormatError: 1, answer.NoAnswer: 3, answer.InfraError: 2}
	for o, n := range want {
		if r.All.Outcomes[o] != n {
			t.Errorf("%s: %d, want %d", o, r.All.Outcomes[o], n)
		}
	}
	if r.All.Verdicts != len(all) || r.All.Scored() != len(all)-2 || r.All.Rate(answer.Strict).Right != len(all)-6 {
		t.Errorf("%+v", r.All)
	}
	if r.Replies != len(all)+2 || r.Missing.Count != 1 || r.Missing.First[0].ID != all[0].ID {
		t.Errorf("%d replies, missing: %+v", r.Replies, r.Missing)
	}
	if r.Unknown.Count != 1 || r.Unknown.First[0] != (Place{Line: len(all), ID: "cb1-no-such"}) {
		t.Errorf("unknown: %+v", r.Unknown)
	}
	if r.Duplicates.Count != 2 || r.Duplicates.First[0] != (Place{Line: len(all) + 1, ID: all[7].ID}) {
		t.Errorf("duplicates: %+v", r.Duplicates)
	}
	if len(r.Categories) != len(category.Table) || len(r.Levels) != 3 {
		t.Errorf("%d categories, %d levels", len(r.Categories), len(r.Levels))
	}

	// One record for each instance: in the order of the replies, then the rest.
	if len(records) != len(all) {
		t.Fatalf("%d records", len(records))
	}
	for i, text := range records {
		in := all[(2*len(all)-1-i)%len(all)]
		var rec Verdict
		if err := json.Unmarshal([]byte(text), &rec); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(text, `{"id":"`+in.ID+`",`) || rec.Category != in.Category || rec.Level != in.Level || rec.Strict && string(rec.Answer) != string(in.Answer) {
			t.Errorf("record %d is %s", i, text)
		}
	}
	if want := `{"id":"` + all[0].ID + `","category":"triangle_count","level":"L1","outcome":"no_answer","strict":false,"relaxed":false,"lenient":false,"answer":null,"reason":"missing"}`; records[len(all)-1] != want {
		t.Errorf("%s", records[len(all)-1])
	}
	text := r.ScoresText() + r.NotesText()
	for _, s := range []string{"triangle_count", "\nL1 ", "\nall ", "infra errors are left out", "1 instance has no reply", "2 replies are to instances that have one already", fmt.Sprintf("  line %d: \"cb1-no-such\"\n", len(all))} {
		if !strings.Contains(text, s) {
			t.Errorf("no %q in\n%s", s, text)
		}
	}
}

// TestSource checks that the source of a question is what is left open.
func TestSource(t *testing.T) {
	all := instances(t, 3)
	x := newIndex(t, all)
	var b strings.Builder
	want := 0
	for _, in := range all {
		switch in.Category {
		case "ancestor", "negative_reach", "set_intersect", "set_difference", "sibling", "cousin":
			var set []string
			if err := json.Unmarshal(in.Answer, &set); err != nil {
				t.Fatal(err)
			}
			if source := in.Nodes[*in.Query.Source]; slices.Contains(set, source) {
				set = slices.DeleteFunc(set, func(s string) bool { return s == source })
			} else {
				set = append(set, source)
			}
			if len(set) == 0 || len(set) == len(in.Nodes) {
				continue // said without a look at the graph
			}
			text, err := json.Marshal(map[string]any{"answer": set})
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(line(t, in.ID, string(text)))
			want++
		case "reach_then_count":
			b.WriteString(line(t, in.ID, fmt.Sprintf(`{"answer": %s1e0}`, strings.Repeat(" ", 3))))
		}
	}
	r, _, _ := scored(t, x, b.String())
	for _, g := range r.Categories {
		if c, _ := category.Lookup(g.Name); c.Result == category.Set {
			want -= g.Outcomes[answer.LenientOnly]
		}
	}
	if want != 0 {
		t.Errorf("%d sets are not right in lenient mode alone", want)
	}
}

// TestFree has answers that need no look at the graph: leniently they are right where
// they are strictly right, and every label never is.
func TestFree(t *testing.T) {
	all := instances(t, 20)
	x := newIndex(t, all)
	for name, set := range map[string]func(*instance.Instance) []string{
		"every label": func(in *instance.Instance) []string { return in.Nodes },
		"no label":    func(*instance.Instance) []string { return []string{} },
	} {
		var b strings.Builder
		for _, in := range all {
			text, err := json.Marshal(map[string]any{"answer": set(in)})
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(line(t, in.ID, string(text)))
		}
		r, _, _ := scored(t, x, b.String())
		for _, m := range answer.Modes() {
			if r.All.Right[m] != r.All.Right[answer.Strict] || name == "every label" && r.All.Right[m] > 0 {
				t.Errorf("%s is right %d times in %s mode, %d in strict", name, r.All.Right[m], m, r.All.Right[answer.Strict])
			}
		}
	}
}

// TestQuestions has questions as replies to themselves, which are right in no mode,
// whatever they say.
func TestQuestions(t *testing.T) {
	for i := range category.Table {
		for _, form := range []string{"cb1-train-%s-%d-s4", "cb1-train-%s-%d-s4-explicit", "cb1-train-%s-%d-s4-json", "cb2-train-%s-%d-s4", "cb2-train-%s-%d-s4-implicit", "cb2-train-%s-%d-s4-json"} {
			for k := range 8 {
				id, err := instance.ParseID(fmt.Sprintf(form, category.Table[i].Name, k))
				if err != nil {
					t.Fatal(err)
				}
				in, _, err := instance.Generate(id)
				if err != nil {
					t.Fatal(err)
				}
				x := newIndex(t, []*instance.Instance{in})
				if r, _, _ := scored(t, x, line(t, in.ID, in.Question)); r.All.Right[answer.Strict]+r.All.Right[answer.Relaxed]+r.All.Right[answer.Lenient] > 0 {
					t.Errorf("%s: the question is right: %s", in.ID, in.Question)
				}
			}
		}
	}
}

// TestOpen is whether lenient mode has anything to accept, by the version of the
// generator and the phrasing.
func TestOpen(t *testing.T) {
	in := *one(t, "reach_then_count", 3).in
	var n int
	if err := json.Unmarshal(in.Answer, &n); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]answer.Outcome{
		"cb1-train-reach_then_count-3-s21":             answer.LenientOnly,
		"cb1-train-reach_then_count-3-s21-explicit":    answer.LenientOnly,
		"cb2-implicit-reach_then_count-3-s21":          answer.Wrong,
		"cb2-train-reach_then_count-3-s21-n8":          answer.Wrong,
		"cb2-train-reach_then_count-3-s21-n8-implicit": answer.LenientOnly,
	} {
		in.ID, in.Version = id, id[:3]
		q, err := NewQuestion(&in, false)
		if err != nil {
			t.Fatal(err)
		}
		v, err := New(Options{}).Reply(t.Context(), q, &Line{Reply: fmt.Sprintf(`{"answer": %d}`, n+1), Mode: "direct"})
		if err != nil || v.Outcome != want {
			t.Errorf("%s: %+v, %v", id, v, err)
		}
	}
}

func TestNothing(t *testing.T) {
	all := instances(t, 1)
	x := newIndex(t, all)
	r, records, _ := scored(t, x, "")
	if r.Missing.Count != len(category.Table) || len(records) != len(category.Table) || r.All.Rate(answer.Strict).Rate != 0 || !strings.Contains(r.ScoresText()+r.NotesText(), fmt.Sprintf("and %d more", len(category.Table)-10)) {
		t.Error(r.ScoresText() + r.NotesText())
	}
	var b strings.Builder
	for _, in := range all {
		b.WriteString(`{"id":"` + in.ID + `","error":"quota"}` + "\n")
	}
	r, _, _ = scored(t, x, b.String())
	text, err := json.Marshal(r.Scores())
	if r.All.Rate(answer.Strict) != nil || err != nil || !strings.Contains(string(text), `"scored":0,`) || !strings.Contains(string(text), `"strict":null`) {
		t.Errorf("%s", text)
	}
	if !strings.Contains(r.ScoresText()+r.NotesText(), " -  ") {
		t.Error(r.ScoresText() + r.NotesText())
	}
}

func TestMalformed(t *testing.T) {
	all := instances(t, 1)
	x := newIndex(t, all)
	good := line(t, all[0].ID, right(all[0]))
	for text, want := range map[string]string{
		"":                                   "it is empty",
		"{":                                  "expected",
		`[]`:                                 "not an object",
		`{"reply": "x"}`:                     `"id" is missing`,
		`{"id": 1, "reply": "x"}`:            `"id" is not a string`,
		`{"id": "x"}`:                        `neither "reply" nor "error"`,
		`{"id": "x", "Reply": "x"}`:          `neither "reply" nor "error"`,
		`{"id": "x", "reply": 3}`:            `"reply" is not a string`,
		`{"id": "x", "error": 3}`:            `"error" is not a string`,
		`{"id":"x","reply":"x","error":"x"}`: `both`,
		`{"id":"x","reply":"x","id":"y"}`:    "two members of the same name",
		`{"id":"x","reply":"x"} {}`:          "nothing more",
		"\ufeff" + good:                      "expected a value at byte 1",
		`{"id":"x","reply":"` + strings.Repeat("x", MaxLine) + `"}`: "longer than",
	} {
		_, err := score(x, strings.NewReader(good+text+"\n"+good), none)
		var at *LineError
		if !errors.As(err, &at) || at.Line != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	// A reply may hold what is not Unicode; it is the model that has failed then.
	r, _, verdicts := scored(t, x, `{"id":"`+all[0].ID+`","reply":"{\"answer\": 0, \"x\": \"\ud800\"}"}`)
	if r.All.Outcomes[answer.FormatError] != 1 || verdicts[0].Reason != answer.BadText {
		t.Errorf("%+v", verdicts[0])
	}
	broken := errors.New("no space")
	if _, err := score(x, strings.NewReader(good), func(*Item, *Verdict) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := score(x, strings.NewReader(""), func(*Item, *Verdict) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := score(x, io.MultiReader(strings.NewReader(good), failing{broken}), none); !errors.Is(err, broken) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestNewIndex(t *testing.T) {
	all := instances(t, 1)
	change := func(f func(*instance.Instance)) []*instance.Instance {
		in := *all[1]
		f(&in)
		return []*instance.Instance{all[0], &in}
	}
	for want, list := range map[string][]*instance.Instance{
		"line 2: the same instance is in line 1":   {all[0], all[0]},
		"there is no category \"x\"":               change(func(in *instance.Instance) { in.Category = "x" }),
		"has the level L1 and the type boolean":    change(func(in *instance.Instance) { in.Level = "L2" }),
		"the type boolean, not \"L1\" and \"set\"": change(func(in *instance.Instance) { in.ResultType = "set" }),
		"the answer is not of type boolean":        change(func(in *instance.Instance) { in.Answer = json.RawMessage("1") }),
	} {
		if _, err := NewIndex(sequence(list), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// endless gives the same lines again and again, up to a number of them.
type endless struct {
	lines string
	left  int
	at    int
}

func (e *endless) Read(b []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := copy(b, e.lines[e.at:])
	if e.at += n; e.at == len(e.lines) {
		e.at = 0
		e.left--
	}
	return n, nil
}

// TestMemory reads replies of unknown ids for a hundred megabytes.
func TestMemory(t *testing.T) {
	x := newIndex(t, instances(t, 1))
	var b strings.Builder
	for i := range 1000 {
		b.WriteString(line(t, fmt.Sprintf("unknown-%d", i), strings.Repeat("words ", 20)))
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	r, err := score(x, &endless{lines: b.String(), left: 500}, none)
	if err != nil || r.Unknown.Count != 500_000 || len(r.Unknown.First) != 10 {
		t.Fatal(err)
	}
	if after := heap(); after > before+1<<20 {
		t.Errorf("%d bytes before, %d after", before, after)
	}
	runtime.KeepAlive(r)
}

// onDisk keeps only so much of an index in memory.
func onDisk(t *testing.T, most int64) {
	was := inMemory
	t.Cleanup(func() { inMemory = was })
	inMemory = most
}

// TestIndexMemory has an index of many instances.
func TestIndexMemory(t *testing.T) {
	onDisk(t, 1<<16)
	in := *one(t, "reachability", 0).in
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	const many = 20_000
	x, err := NewIndex(func(yield func(*instance.Instance, error) bool) {
		for i := range many {
			in.ID = fmt.Sprintf("cb1-test-reachability-%d-s3", i)
			if !yield(&in, nil) {
				return
			}
		}
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	r, err := score(x, strings.NewReader(line(t, in.ID, right(&in))), none)
	if err != nil || x.n != many || r.All.Outcomes[answer.StrictlyRight] != 1 || r.Missing.Count != many-1 {
		t.Fatalf("%v, %+v", err, r)
	}
	if after := heap(); after > before+1<<18 {
		t.Errorf("%d bytes before, %d after", before, after)
	}
}

func BenchmarkScore(b *testing.B) {
	all := instances(b, 10)
	x := newIndex(b, all)
	var text strings.Builder
	for _, in := range all {
		text.WriteString(line(b, in.ID, "So the answer is\n```json\n"+right(in)+"\n```\n"))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := score(x, strings.NewReader(text.String()), none); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "replies/s")
}

// TestTooLongReply shows replies over the limit apart from other format errors.
func TestTooLongReply(t *testing.T) {
	all := instances(t, 1)
	x := newIndex(t, all)
	line, err := json.Marshal(map[string]string{"id": all[0].ID, "reply": strings.Repeat(" ", answer.MaxReply) + `{"answer": 1}`})
	if err != nil {
		t.Fatal(err)
	}
	r, err := score(x, strings.NewReader(string(line)), none)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []*Tally{r.Categories[0], r.Levels[0], r.All} {
		if g.Reasons[answer.TooLong] != 1 || g.Outcomes[answer.FormatError] != 1 {
			t.Errorf("%s: %v %v", g.Name, g.Outcomes, g.Reasons)
		}
	}
	if text := r.ScoresText() + r.NotesText(); !strings.Contains(text, "(too_long): 1\n") {
		t.Error(text)
	}
}
