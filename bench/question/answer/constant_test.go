package answer

import (
	"encoding/json"
	"testing"

	"ein/bench/question/category"
)

// TestConstants has the best constant of each mode.
func TestConstants(t *testing.T) {
	labels := []string{"bear", "kiwi", "lynx"}
	for _, c := range []struct {
		category string
		t        category.Result
		fixed    bool
		answers  []string
		want     map[Mode]string
		right    map[Mode]int
	}{
		{"reach_then_count", category.Integer, false, []string{"1", "1", "3", "3", "5"},
			map[Mode]string{Strict: "1", Relaxed: "1", Lenient: "2"}, map[Mode]int{Strict: 2, Relaxed: 2, Lenient: 4}},
		{"reach_then_count", category.Integer, true, []string{"1", "1", "3", "3", "5"},
			map[Mode]string{Strict: "1", Lenient: "1"}, map[Mode]int{Strict: 2, Lenient: 2}},
		{"negative_reach", category.Set, false, []string{`["bear","kiwi"]`, `[]`, `["bear"]`, `[]`},
			map[Mode]string{Strict: "[]", Lenient: `["2"]`}, map[Mode]int{Strict: 2, Lenient: 2}},
		{"negative_reach", category.Set, false, []string{`["bear","kiwi"]`, `["bear","kiwi"]`, `["bear"]`},
			map[Mode]string{Strict: `["0","1"]`, Lenient: `["0","1"]`}, map[Mode]int{Strict: 2, Lenient: 2}},
		{"negative_reach", category.Set, false, []string{`["bear","kiwi"]`, `["bear","kiwi","lynx"]`, `["kiwi"]`, `["kiwi","bear"]`},
			map[Mode]string{Strict: `["0","1"]`, Lenient: `["0","1"]`}, map[Mode]int{Strict: 2, Lenient: 3}},
		{"set_intersect", category.Set, false, []string{`["lynx"]`, `["bear","kiwi","lynx"]`, `["bear","kiwi","lynx"]`, `["lynx"]`, `["lynx"]`},
			map[Mode]string{Strict: `["2"]`, Lenient: `["2"]`}, map[Mode]int{Strict: 3, Lenient: 3}},
		{"aggregate_over_set", category.Float, false, []string{"1.5", "1.509", "1.491", "2"},
			map[Mode]string{Strict: "1.5", Relaxed: "1.5"}, map[Mode]int{Strict: 3, Relaxed: 3}},
		{"degree_max", category.String, false, []string{`"lynx"`, `"lynx"`, `"bear"`},
			map[Mode]string{Strict: `"2"`}, map[Mode]int{Strict: 2}},
		{"reachability", category.Boolean, false, nil, map[Mode]string{Strict: ""}, map[Mode]int{Strict: 0}},
	} {
		all := NewConstants(c.t, c.category)
		for _, a := range c.answers {
			r, err := NewReference(json.RawMessage(a), c.t, Asked{Source: "lynx", Labels: labels, Fixed: c.fixed})
			if err == nil {
				err = all.Add(&r)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for m, want := range c.want {
			if got := all.Best(m); got.Answer != want || got.Right != c.right[m] {
				t.Errorf("%s %s %v: %+v, want %s, %d times", c.category, m, c.answers, got, want, c.right[m])
			}
		}
	}
}
