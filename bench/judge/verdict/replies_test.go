package verdict

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"ein/bench/question/instance"
)

// bareIndex returns an index of questions of which the ids alone matter.
func bareIndex(t *testing.T, ids ...string) *Index {
	t.Helper()
	var all []*instance.Instance
	for _, id := range ids {
		in := *one(t, "reachability", 0).in
		in.ID = id
		all = append(all, &in)
	}
	return newIndex(t, all)
}

func TestJoin(t *testing.T) {
	file := "\ufeff" + `{"id":"c","reply":"1","mode":"ein","finish":"length","model":7}
{"id":"x","reply":""}
{"id":"c","reply":"2"}
{"id":"a","reply":null,"error":"429"}
`
	notes := NewNotes()
	var got []string
	n, err := bareIndex(t, "a", "b", "c").Join(strings.NewReader(file), notes, func(q *Question, l Line) error {
		if l.Number == 0 {
			got = append(got, q.ID+" none")
			return nil
		}
		got = append(got, fmt.Sprintf("%d %s %q %q %q %q", l.Number, l.ID, l.Reply, l.Mode, l.Finish, l.Error))
		return nil
	})
	if err != nil || n != 4 {
		t.Fatal(n, err)
	}
	if want := []string{`1 c "1" "ein" "length" ""`, `4 a "" "" "" "429"`, "b none"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	want := `
1 instance has no reply and counts as no answer:
  "b"

1 reply is to an instance that has one already, and does not count:
  line 3: "c"

1 reply is to no instance of the file, and does not count:
  line 2: "x"
`
	if notes.NotesText() != want {
		t.Errorf("%s, want %s", notes.NotesText(), want)
	}
	if s := NewNotes().NotesText(); s != "" {
		t.Errorf("of nothing: %q", s)
	}
}

// TestErrors has what is no line, and a reader and a user that fail.
func TestErrors(t *testing.T) {
	good := `{"id":"a","reply":""}` + "\n"
	for text, want := range map[string]string{
		"{":                                  "not JSON",
		"\n":                                 "it is empty",
		"[]":                                 "it is not an object",
		`{"reply":""}`:                       `"id" is missing`,
		`{"id":"a"}`:                         `neither "reply" nor "error"`,
		`{"id":"a","Reply":""}`:              `neither "reply" nor "error"`,
		`{"id":"a","reply":3}`:               `"reply" is not a string`,
		`{"id":"a","error":3}`:               `"error" is not a string`,
		`{"id":"a","reply":"x","error":"x"}`: `both a "reply" and an "error"`,
		`{"id":"a","id":"b","reply":""}`:     "same name",
		`{"id":"a","reply":"` + strings.Repeat("x", MaxLine) + `"}`: "longer than",
	} {
		_, err := bareIndex(t, "a").Join(strings.NewReader(good+text), NewNotes(), func(*Question, Line) error { return nil })
		var bad *LineError
		if !errors.As(err, &bad) || bad.Line != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v", text, err)
		}
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		file  io.Reader
		yield error
	}{
		{strings.NewReader(good), broken},
		{strings.NewReader(""), broken},
		{io.MultiReader(strings.NewReader(good), iotest.ErrReader(broken)), nil},
	} {
		if _, err := bareIndex(t, "a").Join(c.file, NewNotes(), func(*Question, Line) error { return c.yield }); !errors.Is(err, broken) {
			t.Error(err)
		}
	}
}

// TestManyStrangers counts ids that are not there, and keeps ten.
func TestManyStrangers(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, `{"id":"s%d","reply":""}`+"\n", i)
	}
	notes := NewNotes()
	if _, err := bareIndex(t).Join(strings.NewReader(b.String()), notes, nil); err != nil {
		t.Fatal(err)
	}
	if notes.Unknown.Count != 1000 || len(notes.Unknown.First) != most || notes.Unknown.First[9] != (Place{10, "s9"}) {
		t.Errorf("%+v", notes.Unknown)
	}
	if !strings.Contains(notes.NotesText(), "and 990 more") {
		t.Error(notes.NotesText())
	}
}

func FuzzLine(f *testing.F) {
	f.Add(`{"id":"a","reply":"x"}`)
	f.Add(`{"id":"a","error":"x","reply":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		l, err := decode(text)
		if (l == nil) == (err == nil) {
			t.Fatalf("%+v, %v", l, err)
		}
		if l != nil && (l.ID == "" || l.Reply != "" && l.Error != "") {
			t.Errorf("%+v", l)
		}
	})
}
