package run

import (
	"encoding/json"
	"testing"

	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
)

func TestCorrects(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                       false,
		"The answer is 3.":                       false,
		"Wait, let me recount.":                  true,
		"... 4 nodes. Let me double-check that.": true,
		"Let me re-trace the edges":              true,
		"Let me reach for the first node.":       false,
		"Actually, b has two parents":            true,
		"they actually depend on c":              false,
		"The waiter waits.":                      false,
		"I missed the edge from a to b":          true,
		"hold on: 5":                             true,
	} {
		row := &Row{Reply: &Reply{Reply: text}}
		if got := row.Corrects(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
		row.Reply = &Reply{Reasoning: text, Reply: "3"}
		if got := row.Corrects(); got != want {
			t.Errorf("%q as reasoning: %v, want %v", text, got, want)
		}
	}
}

// TestSaid: one answer is one vote, however it is written.
func TestSaid(t *testing.T) {
	row := func(o answer.Outcome, text string) *Row {
		return &Row{Score: &Score{Verdict: verdict.Verdict{Result: answer.Result{Outcome: o, Judgements: o.Judgements(), Answer: json.RawMessage(text)}}}}
	}
	said := func(text string) uint64 { return row(answer.Wrong, text).Said() }
	for _, same := range [][2]string{{"1.5", "1.50"}, {"3", "30e-1"}, {`["a","b"]`, `["b", "a"]`}, {`{"reachable":true,"degree":2}`, `{"degree": 2, "reachable": true}`}} {
		if said(same[0]) == 0 || said(same[0]) != said(same[1]) {
			t.Errorf("%s and %s are two votes", same[0], same[1])
		}
	}
	for _, other := range []string{"2", `"3"`, `["3"]`, "null", ""} {
		if said("3") == said(other) {
			t.Errorf("3 and %s are one vote", other)
		}
	}
	if said("null") != 0 || said("") != 0 {
		t.Error("no answer votes")
	}
	// The right answer, rounded by one and in other words by another.
	if a := row(answer.StrictlyRight, "0.333").Said(); a == 0 || a != row(answer.StrictlyRight, "0.33").Said() || a != row(answer.RelaxedOnly, "0.33").Said() || a == row(answer.LenientOnly, "0.33").Said() {
		t.Error("the right answer is several votes")
	}
}
