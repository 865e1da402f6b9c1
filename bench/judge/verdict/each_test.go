package verdict

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"ein/bench/question/answer"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
)

func sequence(ins []*instance.Instance) iter.Seq2[*instance.Instance, error] {
	return func(yield func(*instance.Instance, error) bool) {
		for _, in := range ins {
			if !yield(in, nil) {
				return
			}
		}
	}
}

func index(t *testing.T, ins []*instance.Instance) *Index {
	t.Helper()
	x, err := NewIndex(sequence(ins), true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func lines(t testing.TB, values ...map[string]any) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	for _, v := range values {
		if err := json.NewEncoder(&b).Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	return &b
}

// echo gives the reply of an item and its line.
func echo() Work[*Item] {
	return func(_ context.Context, it *Item) (*Verdict, error) {
		return &Verdict{Program: fmt.Sprintf("%s %d %q %q %q", it.Category, it.Number, it.Reply, it.Mode, it.Error)}, nil
	}
}

func collect(t *testing.T, x *Index, file *bytes.Buffer, workers int) (string, *Notes, error) {
	t.Helper()
	var b strings.Builder
	notes := NewNotes()
	_, err := x.Each(context.Background(), file, workers, notes, echo, func(_ *Item, v *Verdict) error {
		b.WriteString(v.Program + "\n")
		return nil
	})
	return b.String(), notes, err
}

func TestEach(t *testing.T) {
	for _, most := range []int64{0, 1000, inMemory} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			onDisk(t, most)
			testEach(t)
		})
	}
}

func testEach(t *testing.T) {
	ins, _ := questions(t, 1)
	x := index(t, ins)
	var values []map[string]any
	for i := len(ins) - 1; i >= 2; i-- {
		values = append(values, map[string]any{"id": ins[i].ID, "reply": fmt.Sprint(i), "model": 7})
	}
	values = append(values, map[string]any{"id": ins[5].ID, "reply": "again"}, map[string]any{"id": "other", "reply": ""},
		map[string]any{"id": ins[1].ID, "mode": "ein", "error": "429"})
	one, _, err := collect(t, x, lines(t, values...), 1)
	if err != nil {
		t.Fatal(err)
	}
	many, notes, err := collect(t, x, lines(t, values...), 8)
	if err != nil || one != many {
		t.Errorf("%v\n%s\n%s", err, one, many)
	}
	n := len(ins)
	for _, want := range []string{
		ins[n-1].Category + fmt.Sprintf(" 1 %q", fmt.Sprint(n-1)),
		ins[1].Category + fmt.Sprintf(` %d "" "ein" "429"`, n+1),
		ins[0].Category + ` 0 "" "" ""`,
	} {
		if !strings.Contains(one, want) {
			t.Errorf("no %s in\n%s", want, one)
		}
	}
	want := fmt.Sprintf("&{{1 [{0 %s}]} {1 [{%d %s}]} {1 [{%d other}]}}", ins[0].ID, n-1, ins[5].ID, n)
	if got := fmt.Sprint(notes); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestStore compares a store with bytes in memory.
func TestStore(t *testing.T) {
	for _, most := range []int64{0, 100, 1 << 20} {
		onDisk(t, most)
		r := rand.New(rand.NewPCG(3, 4))
		s := newStore(1 << 20)
		want := make([]byte, 1000)
		for range 500 {
			at := r.IntN(len(want))
			b := make([]byte, r.IntN(min(80, len(want)-at)+1))
			if r.IntN(2) == 0 {
				for i := range b {
					b[i] = byte(r.IntN(256))
				}
				copy(want[at:], b)
				if err := s.WriteAt(b, int64(at)); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if got, err := s.view(int64(at), len(b)); err != nil || !bytes.Equal(got, want[at:at+len(b)]) {
				t.Fatalf("%d bytes at %d are %x, want %x, %v", len(b), at, got, want[at:at+len(b)], err)
			}
		}
		if err := s.Close(); err != nil || (s.file == nil) != (most > 1000) {
			t.Error(err, s.file)
		}
	}
}

// TestRecord: an index gives back what it has been given.
func TestRecord(t *testing.T) {
	ins, _ := questions(t, 3)
	negative := -3
	ins[0].Query.Threshold = &negative
	var got instance.Instance
	for _, in := range ins {
		for _, why := range []bool{false, true} {
			var r record
			r.instance(in, why)
			want := instance.Instance{ID: in.ID, Version: in.Version, Category: in.Category, Level: in.Level, ResultType: in.ResultType, N: in.N, Nodes: in.Nodes, Query: in.Query, Answer: in.Answer}
			if why {
				want.Directed, want.Edges, want.Edges2, want.EinProgram = in.Directed, in.Edges, in.Edges2, in.EinProgram
			}
			r.unpack(r.b, &got, why)
			for _, list := range []*[][2]int{&want.Edges, &want.Edges2, &got.Edges, &got.Edges2} {
				*list = append([][2]int{}, *list...)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%+v\nwant\n%+v", got, want)
			}
		}
	}
}

func TestBadLines(t *testing.T) {
	ins, _ := questions(t, 1)
	x := index(t, ins)
	good := fmt.Sprintf(`{"id":%q,"reply":""}`, ins[0].ID)
	for text, want := range map[string]string{
		good + "\n{": "line 2: not JSON", "\n" + good: "line 1: ", "[]": "not an object",
		`{"reply":""}`: `"id" is missing`, `{"id":"a"}`: "neither", `{"id":"a","reply":3}`: `"reply" is not a string`, `{"id":"a","id":"b","reply":""}`: "same name",
	} {
		_, _, err := collect(t, x, bytes.NewBufferString(text), 2)
		var bad *LineError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := NewIndex(sequence([]*instance.Instance{ins[0], ins[1], ins[0]}), true); err == nil || !strings.Contains(err.Error(), "line 3: the same instance is in line 1") {
		t.Error(err)
	}
}

// TestStops has jobs that end before their file does: no goroutine stays.
func TestStops(t *testing.T) {
	ins, _ := questions(t, 20)
	x := index(t, ins)
	before := runtime.NumGoroutine()
	enough := errors.New("enough")
	for _, workers := range []int{1, 4} {
		emitted := 0
		_, err := x.Each(context.Background(), &bytes.Buffer{}, workers, NewNotes(), echo, func(*Item, *Verdict) error {
			emitted++
			return enough
		})
		if !errors.Is(err, enough) || emitted != 1 {
			t.Errorf("%v after %d", err, emitted)
		}
		failing := func() Work[*Item] {
			return func(context.Context, *Item) (*Verdict, error) { return nil, enough }
		}
		if _, err := x.Each(context.Background(), &bytes.Buffer{}, workers, NewNotes(), failing, func(*Item, *Verdict) error { return nil }); !errors.Is(err, enough) {
			t.Error(err)
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(enough)
		if _, err := x.Each(ctx, &bytes.Buffer{}, workers, NewNotes(), echo, func(*Item, *Verdict) error { return nil }); !errors.Is(err, enough) {
			t.Error(err)
		}
		panicking := func() Work[*Item] {
			return func(context.Context, *Item) (*Verdict, error) { panic("broken") }
		}
		_, err = x.Each(context.Background(), &bytes.Buffer{}, workers, NewNotes(), panicking, func(*Item, *Verdict) error { return nil })
		var bug *BugError
		if !errors.As(err, &bug) || !strings.Contains(bug.What, "broken") || !strings.Contains(bug.What, ins[0].ID) {
			t.Error(err)
		}
	}
	// One that is done may still be counted for a moment.
	for i := 0; runtime.NumGoroutine() > before && i < 5000; i++ {
		time.Sleep(time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}

func TestPrograms(t *testing.T) {
	_, qs := questions(t, 1)
	r := NewSummary()
	for i, o := range append(Outcomes(), answer.Wrong) {
		v := Verdict{Constant: o == answer.Wrong, Ops: 3}.fail(o, "")
		v.Topic, v.Judgements = qs[i].Topic, o.Judgements()
		if o == answer.Wrong {
			v.Attribution = &Attribution{Kind: Logic}
		}
		if wantClass := strings.HasSuffix(string(o), "_error") && o != answer.InfraError || o == NoProgram || o == OverLimit || o == BadOutput; (v.Class != "") != wantClass {
			t.Errorf("%s has the class %q", o, v.Class)
		}
		r.Add(prompt.Ein, &v)
	}
	if r.All.Verdicts != 13 || r.All.Scored() != 12 || r.All.Constant != 2 || r.All.Attributions["logic"] != 2 {
		t.Errorf("%+v", r.All)
	}
	text := r.ProgramsText()
	for _, want := range []string{`\nall +13 +8\.3% +16\.7% +16\.7% +2 `, `logic 2 \(100\.0%\)`, `depends on no graph: 2\n`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if percent(0, 0) != "-" {
		t.Error(percent(0, 0))
	}
}

// TestAgain has a record of a program read back, and those that are not for it refused.
func TestAgain(t *testing.T) {
	_, qs := questions(t, 1)
	it := &Item{Question: qs[0], Line: Line{Mode: prompt.Python}}
	v := Verdict{Topic: qs[0].Topic, Ops: 7, Constant: true, Result: qs[0].match([]byte("1e9"))}
	v.Attribution = &Attribution{Kind: Both}
	line, err := json.Marshal(ProgramRecord(it, &v))
	if err != nil {
		t.Fatal(err)
	}
	it.Mode = ""
	if got, ok := it.Again(line); !ok || !reflect.DeepEqual(*got, v) || it.Mode != prompt.Python {
		t.Errorf("%+v, want %+v", got, v)
	}
	for _, text := range []string{`{"id":`, `{"id":"other"}`, ""} {
		if got, ok := it.Again([]byte(text)); ok {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// TestManyUnknown keeps the first ids of a file that does not belong to the
// instances, whatever its length.
func TestManyUnknown(t *testing.T) {
	ins, _ := questions(t, 1)
	var list []map[string]any
	for i := range 1000 {
		list = append(list, map[string]any{"id": fmt.Sprint(i), "reply": "x"})
	}
	_, notes, err := collect(t, index(t, ins[:1]), lines(t, list...), 2)
	if err != nil {
		t.Fatal(err)
	}
	if n := notes.Unknown; n.Count != 1000 || len(n.First) != 10 || n.First[9] != (Place{Line: 10, ID: "9"}) || notes.Missing.Count != 1 {
		t.Errorf("%+v", notes)
	}
}
