package run

import "testing"

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
