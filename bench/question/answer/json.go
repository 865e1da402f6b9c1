package answer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"ein/internal/compact"
	"ein/internal/lists"
)

// maxDepth bounds the nesting of arrays and objects. No answer has more than 3
// levels; with a bound, reading a reply is linear and needs no deep stack.
const maxDepth = 32

// jsonKind is which of the kinds of JSON a value is.
type jsonKind uint8

const (
	jsonNull jsonKind = iota
	jsonBool
	jsonNumber
	jsonString
	jsonArray
	jsonObject
)

// JSON is a value of a strict JSON text.
//
// Package encoding/json takes the last of several members with one name, names
// in any case, and replaces what is not Unicode. A reply that can be read in two
// ways must not be right in one of them, so this reader is our own.
type JSON struct {
	kind jsonKind
	text string // of a string its characters, of everything else what is written
	more *composite
}

// composite holds the elements of an array or the members of an object.
type composite struct {
	keys   []string
	values []JSON
}

// Parse reads a text that is one JSON value and nothing else.
func Parse(text string) (JSON, error) { return parse(reader{s: text}) }

// ParseLine is Parse that leaves text that is not Unicode in strings as it is:
// the line of a file may quote a reply that is wrong in this way.
func ParseLine(text string) (JSON, error) { return parse(reader{s: text, lax: true}) }

// parse reports a flaw, such as a repeated key, only for what is JSON otherwise.
func parse(r reader) (JSON, error) {
	v, err := r.value()
	if err != nil {
		return JSON{}, err
	}
	if r.space(); r.at < len(r.s) {
		return JSON{}, r.expected("nothing more")
	}
	if r.flaw != "" {
		return JSON{}, r.flaw
	}
	return v, nil
}

// Raw returns the value as it was written, strings aside, which have their shortest
// form.
func (v *JSON) Raw() json.RawMessage {
	if v.kind == jsonString {
		return compact.Must(v.text)
	}
	return json.RawMessage(v.text)
}

// Member returns the member of an object with a name.
func (v *JSON) Member(name string) (JSON, bool) {
	if v.kind == jsonObject {
		if i := slices.Index(v.more.keys, name); i >= 0 {
			return v.more.values[i], true
		}
	}
	return JSON{}, false
}

// Text returns the characters of a JSON string.
func (v *JSON) Text() (string, bool) { return v.text, v.kind == jsonString }

// Null reports whether the value is null.
func (v *JSON) Null() bool { return v.kind == jsonNull }

// Object reports whether the value is an object.
func (v *JSON) Object() bool { return v.kind == jsonObject }

// syntaxError is the error of a text that is not JSON.
type syntaxError struct {
	at   int
	want string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("not JSON: expected %s at byte %d", e.want, e.at+1)
}

// reader reads a value from s at a position.
type reader struct {
	s     string
	at    int
	depth int
	lax   bool
	loose bool // strings may have line ends, and backslashes that begin no escape
	// flaw is why a text that has the form of JSON is not to be used. It does not
	// end the reading: what stands inside of a flawed object is not to be taken for
	// an answer of its own.
	flaw Reason
}

func (r *reader) expected(what string) error { return &syntaxError{r.at, what} }

// flawed notes the first flaw; reading goes on, since what is flawed may still be understood.
func (r *reader) flawed(why Reason) {
	if r.flaw == "" {
		r.flaw = why
	}
}

func (r *reader) space() {
	for r.at < len(r.s) && strings.IndexByte(" \t\r\n", r.s[r.at]) >= 0 {
		r.at++
	}
}

// peek returns the next byte, or 0 at the end.
func (r *reader) peek() byte {
	if r.at < len(r.s) {
		return r.s[r.at]
	}
	return 0
}

// next skips a byte if it is c.
func (r *reader) next(c byte) bool {
	if r.at < len(r.s) && r.s[r.at] == c {
		r.at++
		return true
	}
	return false
}

// value reads a value of any kind.
func (r *reader) value() (JSON, error) {
	r.space()
	switch c := r.peek(); {
	case c == '{':
		return r.composite(jsonObject, '}')
	case c == '[':
		return r.composite(jsonArray, ']')
	case c == '"':
		s, err := r.string()
		return JSON{kind: jsonString, text: s}, err
	case c == '-' || isDigit(c):
		return r.number()
	}
	for _, word := range []string{"null", "true", "false"} {
		if strings.HasPrefix(r.s[r.at:], word) {
			r.at += len(word)
			if word == "null" {
				return JSON{kind: jsonNull, text: word}, nil
			}
			return JSON{kind: jsonBool, text: word}, nil
		}
	}
	return JSON{}, r.expected("a value")
}

// composite reads an array or an object up to its end. A repeated key is a flaw, not an error:
// the text is still read to its end.
func (r *reader) composite(kind jsonKind, end byte) (JSON, error) {
	start := r.at
	if r.depth++; r.depth > maxDepth {
		return JSON{}, TooDeep
	}
	r.at++
	room := &struct { // for the first few, taken together
		composite
		keys   [4]string
		values [4]JSON
	}{}
	c := &room.composite
	c.keys, c.values = room.keys[:0], room.values[:0]
	r.space()
	if !r.next(end) {
		for {
			if err := r.element(c, kind); err != nil {
				return JSON{}, err
			}
			r.space()
			if r.next(end) {
				break
			}
			if !r.next(',') {
				return JSON{}, r.expected("a comma or " + string(rune(end)))
			}
		}
	}
	if repeats(c.keys) {
		r.flawed(DuplicateKey)
	}
	r.depth--
	return JSON{kind, r.s[start:r.at], c}, nil
}

// element reads an element of an array, or a member of an object with its name.
func (r *reader) element(c *composite, kind jsonKind) error {
	if kind == jsonObject {
		if r.space(); r.peek() != '"' {
			return r.expected("the name of a member in quotes")
		}
		key, err := r.string()
		if err != nil {
			return err
		}
		if r.space(); !r.next(':') {
			return r.expected("a colon")
		}
		c.keys = append(c.keys, key)
	}
	v, err := r.value()
	c.values = append(c.values, v)
	return err
}

// few is the largest number of names that are compared one by one.
const few = 8

// repeats reports whether a name is there twice. Objects of answers are small, and a few names
// are compared faster than put into a set.
func repeats(keys []string) bool {
	if len(keys) <= few {
		for i, k := range keys {
			if slices.Contains(keys[:i], k) {
				return true
			}
		}
		return false
	}
	return len(lists.Set(keys)) < len(keys)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (r *reader) digits() bool {
	start := r.at
	for isDigit(r.peek()) {
		r.at++
	}
	return r.at > start
}

// number reads a number as it is written, in the grammar of JSON: no plus sign, no leading zero,
// and a digit on either side of the point.
func (r *reader) number() (JSON, error) {
	start := r.at
	r.next('-')
	if !r.next('0') && !r.digits() {
		return JSON{}, r.expected("a digit")
	}
	if r.next('.') && !r.digits() {
		return JSON{}, r.expected("a digit")
	}
	if r.next('e') || r.next('E') {
		if !r.next('+') {
			r.next('-')
		}
		if !r.digits() {
			return JSON{}, r.expected("a digit")
		}
	}
	return JSON{kind: jsonNumber, text: r.s[start:r.at]}, nil
}

// string reads a string. One without escapes is a part of the text and takes no memory.
func (r *reader) string() (string, error) {
	r.at++
	start := r.at
	for r.at < len(r.s) {
		switch c := r.s[r.at]; {
		case c == '"':
			s := r.s[start:r.at]
			r.at++
			r.unicode(s)
			return s, nil
		case c == '\\':
			return r.escaped(start)
		case c < ' ' && (!r.loose || c != '\n' && c != '\r'):
			return "", r.expected("no control character")
		}
		r.at++
	}
	return "", r.expected("the end of a string")
}

// unicode records whether a string is not valid Unicode.
func (r *reader) unicode(s string) {
	if !r.lax && !utf8.ValidString(s) {
		r.flawed(BadText)
	}
}

// escaped returns the rest of string when there are escapes.
func (r *reader) escaped(start int) (string, error) {
	quote := max(0, strings.IndexByte(r.s[r.at:], '"'))
	var b strings.Builder
	b.Grow(r.at - start + quote)
	b.WriteString(r.s[start:r.at])
	for r.at < len(r.s) {
		from := r.at
		for r.at < len(r.s) && r.s[r.at] >= ' ' && r.s[r.at] != '"' && r.s[r.at] != '\\' {
			r.at++
		}
		b.WriteString(r.s[from:r.at])
		c := r.peek()
		switch {
		case r.at == len(r.s):
			continue
		case c == '"':
			r.at++
			s := b.String()
			r.unicode(s)
			return s, nil
		case r.loose && (c == '\n' || c == '\r'):
			b.WriteByte(c)
			r.at++
			continue
		case c < ' ':
			return "", r.expected("no control character")
		}
		r.at++
		x, ok := r.unit()
		i := strings.IndexByte(`"\/bfnrt`, r.peek())
		switch {
		case ok:
			r.character(&b, x)
			continue
		case i >= 0:
		case r.loose:
			b.WriteByte(c)
			continue
		case r.peek() == 'u':
			return "", r.expected("four hexadecimal digits")
		default:
			return "", r.expected("an escape")
		}
		b.WriteByte("\"\\/\b\f\n\r\t"[i])
		r.at++
	}
	return "", r.expected("the end of a string")
}

// unit reads uXXXX.
func (r *reader) unit() (rune, bool) {
	if r.at+5 > len(r.s) || r.s[r.at] != 'u' {
		return 0, false
	}
	var x rune
	for _, c := range []byte(r.s[r.at+1 : r.at+5]) {
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c|' ' && c|' ' <= 'f':
			c = c | ' ' - 'a' + 10
		default:
			return 0, false
		}
		x = x<<4 | rune(c)
	}
	r.at += 5
	return x, true
}

// character writes the character x, or the surrogate pair that x begins. Half of a pair is not a
// character: it becomes the three bytes that would encode it, which are invalid UTF-8 and are
// therefore noticed, here or by the next reader.
func (r *reader) character(b *strings.Builder, x rune) {
	if !utf16.IsSurrogate(x) {
		b.WriteRune(x)
		return
	}
	if back := r.at; r.next('\\') {
		if y, ok := r.unit(); ok {
			if c := utf16.DecodeRune(x, y); c != utf8.RuneError {
				b.WriteRune(c)
				return
			}
		}
		r.at = back
	}
	b.Write([]byte{0xE0 | byte(x>>12), 0x80 | byte(x>>6)&0xBF, 0x80 | byte(x)&0xBF})
}
