// Package compact is JSON on one line with < and > as they are: programs, prompts and
// the names of outputs are full of them.
package compact

import (
	"bytes"
	"encoding/json"
)

// JSON is a value on one line, without its end.
func JSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Must is JSON of what always has a form, such as a string.
func Must(v any) json.RawMessage {
	b, err := JSON(v)
	if err != nil {
		panic("BUG: compact: " + err.Error())
	}
	return b
}
