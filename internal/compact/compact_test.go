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

// TestWrong says what is wrong with a file in the words of JSON.
func TestWrong(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:              "odd: expected a JSON object, found an array",
		`{"a":{"b":"c"}}`: `odd: "b" has the wrong type, a JSON string`,
		`{"a":1}`:         "odd: expected a JSON object, found a number",
		`x`:               "odd: invalid character 'x' looking for beginning of value",
	} {
		var v map[string]struct {
			B int `json:"b"`
		}
		if err := Strict([]byte(text), &v, "odd"); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestText has what a text may begin with.
func TestText(t *testing.T) {
	for text, want := range map[string]string{"a": "a", "\ufeffa": "a", "": ""} {
		if got, err := Text([]byte(text)); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"\xff\xfea\x00", "\xfe\xff\x00a", "\x1f\x8b\x08"} {
		if _, err := Text([]byte(text)); err == nil {
			t.Errorf("%q passes", text)
		}
	}
}
