package exec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"testing"
	"time"

	"ein/bench/answer"
	"ein/bench/instance"
	"ein/bench/replies"
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
	x, err := NewIndex(sequence(ins))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func lines(t *testing.T, values ...map[string]any) *bytes.Buffer {
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
func echo() func(context.Context, *Item) (string, error) {
	return func(_ context.Context, it *Item) (string, error) {
		return fmt.Sprintf("%s %d %q %q %q", it.Question.Category, it.Line, it.Reply, it.Mode, it.Error), nil
	}
}

func collect(t *testing.T, x *Index, file *bytes.Buffer, workers int) (string, *replies.Notes, error) {
	t.Helper()
	var b strings.Builder
	notes, err := Each(context.Background(), x, file, workers, echo, func(_ *Item, s string) error {
		b.WriteString(s + "\n")
		return nil
	})
	return b.String(), notes, err
}

func TestEach(t *testing.T) {
	ins, _ := samples(t, 1)
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

func TestBadLines(t *testing.T) {
	ins, _ := samples(t, 1)
	x := index(t, ins)
	good := fmt.Sprintf(`{"id":%q,"reply":""}`, ins[0].ID)
	for text, want := range map[string]string{
		good + "\n{": "line 2: not JSON", "\n" + good: "line 1: ", "[]": "not an object",
		`{"reply":""}`: `"id" is missing`, `{"id":"a"}`: "neither", `{"id":"a","reply":3}`: `"reply" is not a string`, `{"id":"a","id":"b","reply":""}`: "same name",
	} {
		_, _, err := collect(t, x, bytes.NewBufferString(text), 2)
		var bad *replies.Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := NewIndex(sequence([]*instance.Instance{ins[0], ins[1], ins[0]})); err == nil || !strings.Contains(err.Error(), "line 3: the same instance is in line 1") {
		t.Error(err)
	}
}

// TestStops has jobs that end before their file does: no goroutine stays.
func TestStops(t *testing.T) {
	ins, _ := samples(t, 20)
	x := index(t, ins)
	before := runtime.NumGoroutine()
	enough := errors.New("enough")
	emitted := 0
	_, err := Each(context.Background(), x, &bytes.Buffer{}, 4, echo, func(*Item, string) error {
		emitted++
		return enough
	})
	if !errors.Is(err, enough) || emitted != 1 {
		t.Errorf("%v after %d", err, emitted)
	}
	failing := func() func(context.Context, *Item) (string, error) {
		return func(context.Context, *Item) (string, error) { return "", enough }
	}
	if _, err := Each(context.Background(), x, &bytes.Buffer{}, 4, failing, func(*Item, string) error { return nil }); !errors.Is(err, enough) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(enough)
	if _, err := Each(ctx, x, &bytes.Buffer{}, 4, echo, func(*Item, string) error { return nil }); !errors.Is(err, enough) {
		t.Error(err)
	}
	func() {
		defer func() {
			if p := fmt.Sprint(recover()); !strings.Contains(p, "broken") || !strings.Contains(p, ins[0].ID) {
				t.Error(p)
			}
		}()
		panicking := func() func(context.Context, *Item) (string, error) {
			return func(context.Context, *Item) (string, error) { panic("broken") }
		}
		_, _ = Each(context.Background(), x, &bytes.Buffer{}, 1, panicking, func(*Item, string) error { return nil })
	}()
	// One that is done may still be counted for a moment.
	for i := 0; runtime.NumGoroutine() > before && i < 5000; i++ {
		time.Sleep(time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}

func TestReport(t *testing.T) {
	_, qs := samples(t, 1)
	r := NewReport()
	for i, o := range append(Outcomes(), answer.Wrong) {
		rec := &Record{ID: qs[i].ID, Category: qs[i].Category, Level: qs[i].Level, Language: Ein, Outcome: o, Class: Class(o), Constant: o == answer.Wrong, Ops: 3}
		if o == answer.Wrong {
			rec.Attribution = "logic"
		}
		if wantClass := strings.HasSuffix(string(o), "_error") && o != answer.InfraError || o == NoProgram || o == OverLimit || o == BadOutput; (rec.Class != "") != wantClass {
			t.Errorf("%s has the class %q", o, rec.Class)
		}
		r.Add(rec)
	}
	r.Finish(&replies.Notes{})
	if r.All.Instances != 12 || r.All.Scored() != 11 || r.All.Constant != 2 || r.All.Attributions["logic"] != 2 {
		t.Errorf("%+v", r.All)
	}
	text := r.Text()
	for _, want := range []string{"\nall                        12     9.1%    18.2%        2 ", "logic 2 (100.0%)", "depends on no graph: 2\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if Percent(0, 0) != "-" {
		t.Error(Percent(0, 0))
	}
}

// TestManyUnknown keeps the first ids of a file that does not belong to the
// instances, whatever its length.
func TestManyUnknown(t *testing.T) {
	ins, _ := samples(t, 1)
	var list []map[string]any
	for i := range 1000 {
		list = append(list, map[string]any{"id": fmt.Sprint(i), "reply": "x"})
	}
	_, notes, err := collect(t, index(t, ins[:1]), lines(t, list...), 2)
	if err != nil {
		t.Fatal(err)
	}
	if n := notes.Unknown; n.Count != 1000 || len(n.First) != 10 || n.First[9] != (replies.Place{Line: 10, ID: "9"}) || notes.Missing.Count != 1 {
		t.Errorf("%+v", notes)
	}
}
