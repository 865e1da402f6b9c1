// Package compact is JSON on one line with < and > as they are: programs, prompts and
// the names of outputs are full of them.
package compact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Write writes a value as a line.
func Write(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// JSON returns a value on one line, without its end.
func JSON(v any) (json.RawMessage, error) {
	if s, ok := v.(string); ok && plain(s) {
		return append(append(append(make([]byte, 0, len(s)+2), '"'), s...), '"'), nil
	}
	var b bytes.Buffer
	err := Write(&b, v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Depth returns the nesting of a JSON text.
func Depth(text []byte) int {
	now, most, inside := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '[' || c == '{':
			now++
			most = max(most, now)
		case c == ']' || c == '}':
			now--
		}
	}
	return most
}

// plain reports whether a string is its own JSON, as labels are.
func plain(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Must is JSON for a value that can always be encoded, such as a string.
func Must(v any) json.RawMessage {
	b, err := JSON(v)
	if err != nil {
		panic("BUG: compact: " + err.Error())
	}
	return b
}

// Text returns a text, or its first line, without the byte order mark that some editors put at
// its head. UTF-16 and gzip are errors.
func Text(b []byte) ([]byte, error) {
	if bytes.HasPrefix(b, []byte{0xff, 0xfe}) || bytes.HasPrefix(b, []byte{0xfe, 0xff}) {
		return nil, errors.New("the text is UTF-16, expected UTF-8")
	}
	if bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		return nil, errors.New("the text is compressed with gzip: unpack it first, as with gunzip")
	}
	return bytes.TrimPrefix(b, []byte("\ufeff")), nil
}

// Wrong takes the names of Go's types out of an error of encoding/json about an object.
func Wrong(err error) error {
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &other) && other.Field == "":
		return fmt.Errorf("expected a JSON object, found %s", strings.Replace("a "+other.Value, "a a", "an a", 1))
	case errors.As(err, &other):
		return fmt.Errorf("%q has the wrong type, a JSON %s", other.Field, other.Value)
	}
	return err
}

// Strict reads one value, which has no other members than v, and nothing behind it. wrong
// is what cannot be read.
func Strict(b []byte, v any, wrong string) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%s: %w", wrong, Wrong(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the object")
	}
	return nil
}

// StrictFile is Strict for a file of at most so many bytes.
func StrictFile(r io.Reader, most int64, v any, wrong string) error {
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return err
	case int64(len(b)) > most:
		return fmt.Errorf("it is longer than %d bytes", most)
	}
	if b, err = Text(b); err != nil {
		return err
	}
	return Strict(b, v, wrong)
}
