package repl

import (
	"context"
	"slices"
	"testing"

	"ein/stdlib"
)

func TestComplete(t *testing.T) {
	s := New(Config{Files: folder{"all.csv": "", "my data/": "", "my data/a b.csv": "", "plain.ein": ""}})
	for _, e := range []string{`A = edges([["ann", "bob"], ["bob", "cy"]])`, "def twice(x) = x + x", "alpha = 1"} {
		if r := s.Eval(context.Background(), e); r.Failed {
			t.Fatal(r)
		}
	}
	for _, test := range []struct {
		entry string
		start int
		want  []string // some of what is offered
		not   string
	}{
		{"de", 0, []string{"desc(", "def "}, "tc("},
		{"desc(A, \"b", 9, []string{`bob"`}, `ann"`},
		{"x = al", 4, []string{"alpha"}, "A"},
		{"tw", 0, []string{"twice("}, "A"},
		{":pl", 0, []string{":plot "}, ":time "},
		{":p", 0, []string{":plot ", ":print "}, ":time "},
		{":print al", 7, []string{"alpha"}, "A"},
		{":type al", 6, []string{"alpha"}, "A"},
		{":help pl", 6, []string{"plot"}, "time"},
		{":doc has", 5, []string{"has_path"}, "tc"},
		{"B[i, j] = A[", 12, []string{"i", "j"}, "A"},
		{":load pl", 6, []string{"plain.ein"}, "all.csv"},
		{":load m", 6, nil, "my data/"}, // would be two words
		{":load \"my", 6, []string{"\"my data/"}, "\"all.csv"},
		{":load plain.ein A=\"my data/a b", 18, []string{"\"my data/a b.csv"}, "\"all.csv"},
		{":save \"my data/", 6, []string{"\"my data/a b.csv"}, "\"all.csv"},
		{":output A al", 10, []string{"alpha", "all.csv"}, "A"},
		{":output A all.", 10, []string{"all.csv"}, "alpha"},
		{":output A + sum(al", 16, []string{"alpha"}, "all.csv"},
	} {
		start, words := s.Complete(test.entry, len(test.entry))
		if start != test.start || slices.Contains(words, test.not) {
			t.Errorf("%q: at %d %q", test.entry, start, words)
		}
		for _, w := range test.want {
			if !slices.Contains(words, w) {
				t.Errorf("%q offers %q, without %s", test.entry, words, w)
			}
		}
	}
	for _, nothing := range []string{"", "  ", "// de", "1", ":reset ", ":nothing x"} {
		if _, words := s.Complete(nothing, len(nothing)); len(words) > 0 {
			t.Errorf("%q offers %q", nothing, words)
		}
	}
}

// TestCompleteAgain: what a file no longer says, when it is loaded again, is not offered.
func TestCompleteAgain(t *testing.T) {
	files := folder{"pays.ein": "Paid(ann, bob).\n"}
	s := New(Config{Files: files})
	for _, text := range []string{"Paid(ann, bob).\n", "Owed(ann, bob).\n"} {
		files["pays.ein"] = text
		if r := s.Eval(context.Background(), ":load pays.ein"); r.Failed {
			t.Fatal(r)
		}
	}
	for typed, want := range map[string][]string{"Pa": nil, "Ow": {"Owed"}} {
		if _, words := s.Complete(typed, len(typed)); !slices.Equal(words, want) {
			t.Errorf("%q offers %q, expected %q", typed, words, want)
		}
	}
}

// TestPages: every name that is offered as a topic has a page.
func TestPages(t *testing.T) {
	if page, err := Page("rules"); page != stdlib.RulesCard {
		t.Error(page, err)
	}
	for _, name := range Pages() {
		if _, err := Page(name); err != nil {
			t.Error(err)
		}
	}
}
