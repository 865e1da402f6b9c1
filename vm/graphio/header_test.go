package graphio

import (
	"strings"
	"testing"
)

// TestHeaderAboveAmounts reads a table whose ids are labels and whose header
// shows only in the column of amounts.
func TestHeaderAboveAmounts(t *testing.T) {
	for text, rows := range map[string]int{
		"payer,payee,amount\nacme,shell,10\nshell,zenith,2.5\n": 2,
		"acme,shell,10\nshell,zenith,2.5\n":                     2,
		"payer,payee,note\nacme,shell,x\n":                      2, // no sign of a header: a warning
	} {
		raw, err := Read(strings.NewReader(text), "t.csv", Options{Kind: Graph})
		if err != nil {
			t.Fatal(err)
		}
		if len(raw.Src) != rows {
			t.Errorf("%q: %d edges, want %d", text, len(raw.Src), rows)
		}
	}
}
