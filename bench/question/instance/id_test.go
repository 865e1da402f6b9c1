package instance

import (
	"math"
	"strings"
	"testing"

	"ein/bench/question/category"
	"ein/bench/question/surface"
)

func TestID(t *testing.T) {
	id := func(change func(*ID)) ID {
		id := NewID("heldout", "reachability", 17, 42)
		change(&id)
		return id
	}
	for text, want := range map[string]ID{
		"cb1-heldout-reachability-17-s42":                       id(func(*ID) {}),
		"cb1-heldout-reachability-0-s0":                         id(func(id *ID) { id.Index, id.Seed, id.SurfaceSeed = 0, 0, 0 }),
		"cb1-heldout-reachability-17-s42-x0":                    id(func(id *ID) { id.SurfaceSeed = 0 }),
		"cb1-heldout-reachability-17-s42-x18446744073709551615": id(func(id *ID) { id.SurfaceSeed = math.MaxUint64 }),
		"cb1-heldout-reachability-17-s42-n20":                   id(func(id *ID) { id.N = Range{20, 20} }),
		"cb1-heldout-reachability-17-s42-n4..1000":              id(func(id *ID) { id.N = Range{4, 1000} }),
		"cb1-heldout-reachability-17-s42-d300":                  id(func(id *ID) { id.Density = Range{300, 300} }),
		"cb1-heldout-reachability-17-s42-d0..1000":              id(func(id *ID) { id.Density = Range{0, 1000} }),
		"cb1-heldout-reachability-17-s42-explicit":              id(func(id *ID) { id.Explicit = true }),
		"cb1-heldout-reachability-17-s42-matrix":                id(func(id *ID) { id.Encoding = surface.Matrix }),
		"cb1-heldout-reachability-17-s42-p2.2":                  id(func(id *ID) { id.Part, id.Parts = 2, 2 }),
		"cb2-heldout-reachability-17-s42-n9-d150-h3..4-implicit-json": func() ID {
			id, _ := Standard(Default, "heldout", "reachability", 17, 42)
			id.N, id.Density, id.Depth, id.Explicit, id.Encoding = Range{9, 9}, Range{150, 150}, Range{3, 4}, false, surface.JSON
			return id
		}(),
		"cb1-A_1-reachability-17-s42-x7-n4..20-d50-explicit-json-p1.3": id(func(id *ID) {
			*id = ID{"cb1", "A_1", "reachability", 17, 42, 7, Range{4, 20}, Range{50, 50}, Range{}, true, surface.JSON, 1, 3}
		}),
	} {
		got, err := ParseID(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if s := want.String(); s != text {
			t.Errorf("%+v: %s, want %s", want, s, text)
		}
	}
}

func TestIDErrors(t *testing.T) {
	long := strings.Repeat("a", 10_000)
	for text, want := range map[string]string{
		"":                                     "an id is cb1-SPLIT-CATEGORY-INDEX-sSEED",
		"cb1":                                  "it ends after 1 of 5 parts",
		"cb1-heldout-reachability-17":          "it ends after 4 of 5 parts",
		"cb0-heldout-reachability-17-s42":      "made by generator cb0; this program has cb1 and cb2",
		"cb12":                                 "made by generator cb12; this program has cb1 and cb2",
		"CB1-heldout-reachability-17-s42":      "an id is cb1-",
		"cb1-held.out-reachability-17-s42":     "letters, digits and underscores",
		"cb1--reachability-17-s42":             "the split has no name",
		"cb1-" + long + "-reachability-17-s42": "too long",
		"cb1-heldout-reachabilty-17-s42":       "did you mean reachability?",
		"cb1-heldout-sudoku-17-s42":            "there are ",
		"cb1-heldout-reachability--1-s42":      "the index \"\": there is no number",
		"cb1-heldout-reachability-017-s42":     "the index \"017\": it begins with 0",
		"cb1-heldout-reachability-1.5-s42":     "not a number of digits",
		"cb1-heldout-reachability-99999999999999999999-s42": "the most is 9223372036854775807",
		"cb1-heldout-reachability-17-42":                    "\"42\" where the seed belongs",
		"cb1-heldout-reachability-17-s":                     "the seed \"\"",
		"cb1-heldout-reachability-17-s18446744073709551616": "the most is 18446744073709551615",
		"cb1-heldout-reachability-17-s+1":                   "not a number of digits",
		"cb1-heldout-reachability-17-s42-":                  "it is empty",
		"cb1-heldout-reachability-17-s42-x42":               "the id is cb1-heldout-reachability-17-s42",
		"cb1-heldout-reachability-17-s42-n4..10":            "it states a default",
		"cb1-heldout-reachability-17-s42-d100..500":         "it states a default",
		"cb1-heldout-reachability-17-s42-n5..5":             "a range of one number is written 5",
		"cb1-heldout-reachability-17-s42-n9..5":             "the range of nodes 9..5 is empty",
		"cb1-heldout-reachability-17-s42-n0..5":             "expected 1 to 1000",
		"cb1-heldout-reachability-17-s42-n5..1001":          "expected 1 to 1000",
		"cb1-heldout-reachability-17-s42-n1":                "reachability needs at least",
		"cb1-heldout-reachability-17-s42-d500..1001":        "expected 0 to 1",
		"cb1-heldout-reachability-17-s42-d500..100":         "the range of densities 0.5..0.1 is empty",
		"cb1-heldout-reachability-17-s42-explicit-n5":       "the order is x, n, d, h",
		"cb1-heldout-reachability-17-s42-n5-n6":             "is twice or out of order",
		"cb1-heldout-reachability-17-s42-json-matrix":       "is twice or out of order",
		"cb1-heldout-reachability-17-s42-nl":                "the part \"nl\"",
		"cb1-heldout-reachability-17-s42-Explicit":          "after the seed there can be",
		"cb1-heldout-reachability-17-s42-p1":                "pI.K",
		"cb1-heldout-reachability-17-s42-p0.2":              "there is no part 0 of 2",
		"cb1-heldout-reachability-17-s42-p3.2":              "there is no part 3 of 2",
		"cb1-heldout-reachability-17-s42-p0.0":              "the parts are 1 to",
		"cb1-heldout-reachability-17-s42-p1.99":             "the most is 15",
		"cb1-heldout-reachability-17-s42-n1000-p1.15":       "part 1 of 15 has labels for",
		"cb1-heldout-reachability-17-s42-h3":                "no setting for hops; only cb2 has",
		"cb1-heldout-reachability-17-s42-implicit":          "it states a default",
		"cb2-heldout-reachability-17-s42-explicit":          "it states a default",
		"cb2-heldout-reachability-17-s42-n8..24":            "it states a default",
		"cb2-heldout-reachability-17-s42-n8..129":           "expected 1 to 128",
		"cb2-heldout-reachability-17-s42-h30":               "expected 1 to 23",
		"cb2-heldout-sibling-17-s42-h3":                     "sibling needs no search, so no hops can be asked for; those that do are reachability,negative_reach,scc_same,",
	} {
		_, err := ParseID(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: error %v, want %s", text, err, want)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%.100s: an error of %d bytes", text, len(err.Error()))
		}
	}
	for _, id := range []ID{
		{}, {Split: "a", Category: "reachability", N: editions[0].n, Density: editions[0].density},
		{Split: "a", Category: "reachability", N: editions[0].n, Density: editions[0].density, Encoding: surface.NL, Index: -1},
		{Split: "a", Category: "reachability", N: editions[0].n, Density: Range{-1, 5}, Encoding: surface.NL},
		{Split: "a", Category: "reachability", N: editions[0].n, Density: editions[0].density, Encoding: surface.NL, Parts: -1},
	} {
		if id.Check() == nil {
			t.Errorf("%+v passes", id)
		}
	}
}

// FuzzParseID holds text and id to be inverse to one another.
func FuzzParseID(f *testing.F) {
	for i := range category.Table {
		f.Add(NewID("heldout", category.Table[i].Name, i, uint64(i)).String())
	}
	f.Add("cb1-A_1-reachability-17-s42-x7-n4..20-d50-explicit-json-p1.3")
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseID(s)
		if err != nil {
			return
		}
		if id.String() != s {
			t.Fatalf("%q is read as %q", s, id.String())
		}
		if err := id.Check(); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
	})
}

// A long id is not cut in the middle of a letter.
func TestLongID(t *testing.T) {
	if _, err := ParseID("x" + strings.Repeat("é", 150)); err == nil || strings.Contains(err.Error(), `\x`) {
		t.Error(err)
	}
}
