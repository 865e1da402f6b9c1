package graphio

import "testing"

// TestHeaderAboveAmounts reads a table whose ids are labels and whose header
// shows only in the column of amounts.
func TestHeaderAboveAmounts(t *testing.T) {
	for text, want := range map[string]string{
		"payer,payee,amount\nacme,shell,10\nshell,zenith,2.5\n": `bool 3x3: 0>1 1>2 ["acme" "shell" "zenith"]`,
		"acme,shell,10\nshell,zenith,2.5\n":                     `bool 3x3: 0>1 1>2 ["acme" "shell" "zenith"]`,
		// No sign of a header, so the third column holds the weights.
		"payer,payee,note\nacme,shell,x\n": "error: t.csv:1:13: expected a number, found \"note\" (weight=none reads no weights; header=yes takes the first row for names)\n" +
			"t.csv:2:12: expected a number, found \"x\" (weight=none reads no weights)",
	} {
		if got := outcome(t, Graph, "t.csv", text); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}
