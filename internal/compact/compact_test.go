package compact

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestString compares strings with encoding/json.
func TestString(t *testing.T) {
	for _, s := range []string{"", "koala", "srv-01", "a b", "<&>", "\x7f", "\"", `\`, "\n", "\x00", "ö", "\u2028", "\xff", "a\xc3"} {
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(s); err != nil {
			t.Fatal(err)
		}
		if got := Must(s); string(got)+"\n" != want.String() {
			t.Errorf("%q: %s, want %s", s, got, want.String())
		}
	}
}
