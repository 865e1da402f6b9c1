package graphio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds the nesting of JSON that is skipped over.
const maxDepth = 64

// entry is the bytes of a map for a key, at most, besides the key.
const entry = 64

// maxToken is the longest string or number of a JSON file.
const maxToken = 1 << 20

// lexer reads JSON token by token from a stream, keeping the position. An error
// ends the reading.
type lexer struct {
	in       *input
	buf      []byte
	pos, end int
	base     int // offset in the file of buf[0]

	line      int
	lineStart int // offset in the file
	extra     int // bytes of this line that continue a character
	tokLine   int
	tokCol    int
	tok       []byte
}

func newLexer(in *input) *lexer { return &lexer{in: in, buf: make([]byte, 1<<16), line: 1} }

// fill reads more; false is the end of the file.
func (x *lexer) fill() (bool, error) {
	x.base += x.end
	x.pos, x.end = 0, 0
	for {
		n, err := x.in.Read(x.buf)
		if n > 0 {
			x.end = n
			return true, nil
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}

// peek is the next byte after white space, or 0 at the end of the file. The
// token that begins there is where errors point to.
func (x *lexer) peek() (byte, error) {
	for {
		for x.pos < x.end {
			c := x.buf[x.pos]
			switch c {
			case '\n':
				x.line++
				x.lineStart, x.extra = x.base+x.pos+1, 0
			case ' ', '\t', '\r':
			default:
				x.mark()
				if c == 0 {
					return 0, x.unexpected("a value")
				}
				return c, nil
			}
			x.pos++
		}
		if ok, err := x.fill(); !ok {
			x.mark()
			return 0, err
		}
	}
}

func (x *lexer) mark() {
	x.tokLine, x.tokCol = x.line, x.base+x.pos-x.lineStart-x.extra+1
}

// byte is the next byte of a token; ok is false at the end of the file.
func (x *lexer) byte() (c byte, ok bool, err error) {
	if x.pos == x.end {
		if ok, err := x.fill(); !ok {
			return 0, false, err
		}
	}
	return x.buf[x.pos], true, nil
}

func (x *lexer) fail(msg, hint string) *Error {
	return &Error{File: x.in.name, Line: x.tokLine, Column: x.tokCol, Msg: msg, Hint: hint}
}

// limit is fail where a limit is reached.
func (x *lexer) limit(msg string) *Error {
	e := x.fail(msg, "")
	e.Limit = true
	return e
}

// unexpected says what was expected instead of the token just peeked at.
func (x *lexer) unexpected(want string) *Error {
	if x.pos == x.end {
		return x.fail("expected "+want+", found the end of the file", "")
	}
	if inner, ok := bytes.CutPrefix(x.buf[x.pos:x.end], []byte{'"'}); ok {
		if end := bytes.IndexByte(inner, '"'); end >= 0 {
			inner = inner[:end]
		}
		return x.fail("expected "+want+", found the string "+quote(inner), "")
	}
	end := x.pos
	for end < x.end && end < x.pos+20 && !isDelim(x.buf[end]) {
		end++
	}
	return x.fail("expected "+want+", found "+quote(x.buf[x.pos:max(end, x.pos+1)]), "")
}

func isDelim(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', ',', ':', '[', ']', '{', '}', '"':
		return true
	}
	return false
}

// expect consumes the byte c.
func (x *lexer) expect(c byte, want string) error {
	got, err := x.peek()
	if err != nil {
		return err
	}
	if got != c {
		return x.unexpected(want)
	}
	x.pos++
	return nil
}

// more steps to the next item of an array or object whose opening bracket has
// been consumed; false when it was closed.
func (x *lexer) more(first bool, closing byte) (bool, error) {
	c, err := x.peek()
	if err != nil {
		return false, err
	}
	if c == closing {
		x.pos++
		return false, nil
	}
	if first {
		return true, nil
	}
	if c != ',' {
		return false, x.unexpected(fmt.Sprintf(`"," or "%c"`, closing))
	}
	x.pos++
	c, err = x.peek()
	if err != nil {
		return false, err
	}
	if c == closing {
		return false, x.unexpected(`an item after ","`)
	}
	return true, nil
}

// number reads a number token, which the grammar of JSON must accept.
func (x *lexer) number() ([]byte, error) {
	if _, err := x.peek(); err != nil {
		return nil, err
	}
	x.tok = x.tok[:0]
	past := 0
	for {
		// Most numbers lie in the buffer as a whole.
		start := x.pos
		for x.pos < x.end && inNumber(x.buf[x.pos]) {
			x.pos++
		}
		x.tok = append(x.tok, x.buf[start:x.pos]...)
		if x.pos < x.end {
			break
		}
		if ok, err := x.fill(); err != nil {
			return nil, err
		} else if !ok {
			break
		}
		if len(x.tok) > maxToken {
			past, x.tok = past+len(x.tok), x.tok[:0]
		}
	}
	if past += len(x.tok); past > maxToken {
		return nil, x.limit(fmt.Sprintf("the number has %d bytes, the limit is %d", past, maxToken))
	}
	if !validNumber(x.tok) {
		if len(x.tok) == 0 {
			return nil, x.unexpected("a number")
		}
		return nil, x.fail("expected a number, found "+quote(x.tok), "")
	}
	if x.pos < x.end && !isDelim(x.buf[x.pos]) {
		return nil, x.unexpected("the end of the number " + string(x.tok[:min(len(x.tok), 40)]))
	}
	return x.tok, nil
}

func inNumber(c byte) bool {
	return '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

func validNumber(b []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(b) && '0' <= b[n] && b[n] <= '9' {
			n++
		}
		b = b[n:]
		return n > 0
	}
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	if len(b) > 1 && b[0] == '0' && '0' <= b[1] && b[1] <= '9' || !digits() {
		return false
	}
	if len(b) > 0 && b[0] == '.' {
		b = b[1:]
		if !digits() {
			return false
		}
	}
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		b = b[1:]
		if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
			b = b[1:]
		}
		return digits() && len(b) == 0
	}
	return len(b) == 0
}

// value reads a number as a float64.
func (x *lexer) value() (float64, error) {
	tok, err := x.number()
	if err != nil {
		return 0, err
	}
	v, problem := parseValue(tok)
	if problem != "" {
		return 0, x.fail(problem, "")
	}
	return v, nil
}

// string reads a string; what it returns is valid until the next token.
func (x *lexer) string() ([]byte, error) {
	if err := x.expect('"', "a string"); err != nil {
		return nil, err
	}
	x.tok = x.tok[:0]
	past := 0
	for {
		start := x.pos
		for x.pos < x.end && isPlain(x.buf[x.pos]) {
			x.pos++
		}
		x.tok = append(x.tok, x.buf[start:x.pos]...)
		if len(x.tok) > maxToken { // read on for the length alone
			past, x.tok = past+len(x.tok), x.tok[:0]
		}
		c, ok, err := x.byte()
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, x.fail("the string that begins here has no end", "")
		}
		switch {
		case c == '"':
			x.pos++
			if past += len(x.tok); past > maxToken {
				return nil, x.limit(fmt.Sprintf("the string has %d bytes, the limit is %d", past, maxToken))
			}
			if !utf8.Valid(x.tok) {
				return nil, x.fail("the string is not valid UTF-8", "")
			}
			return x.tok, nil
		case c == '\\':
			if err := x.escape(); err != nil {
				return nil, err
			}
		case c < ' ':
			return nil, x.fail(fmt.Sprintf("a control character (0x%02x) inside the string", c), "write it as an escape")
		default:
			if c&0xc0 == 0x80 {
				x.extra++
			}
			x.tok = append(x.tok, c)
			x.pos++
		}
	}
}

// isPlain reports a byte of a string that is neither special nor outside ASCII.
func isPlain(c byte) bool { return c >= ' ' && c < 0x80 && c != '"' && c != '\\' }

func (x *lexer) escape() error {
	x.pos++
	c, ok, err := x.byte()
	if err != nil {
		return err
	}
	plain := map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
	if b, found := plain[c]; ok && found {
		x.tok = append(x.tok, b)
		x.pos++
		return nil
	}
	if !ok || c != 'u' {
		return x.fail(`a bad escape in the string`, `expected \" \\ \/ \b \f \n \r \t or \uXXXX`)
	}
	r, err := x.hex4()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		second := rune(-1)
		if c, ok, err := x.byte(); err != nil {
			return err
		} else if ok && c == '\\' {
			x.pos++
			if c, ok, err := x.byte(); err != nil {
				return err
			} else if ok && c == 'u' {
				if second, err = x.hex4(); err != nil {
					return err
				}
			}
		}
		if r = utf16.DecodeRune(r, second); r == utf8.RuneError {
			return x.fail(`half of a surrogate pair in the string`, "")
		}
	}
	x.tok = utf8.AppendRune(x.tok, r)
	return nil
}

// hex4 reads the four digits after the u of an escape.
func (x *lexer) hex4() (rune, error) {
	x.pos++
	var h [4]byte
	for i := range h {
		c, ok, err := x.byte()
		if err != nil {
			return 0, err
		}
		if ok {
			h[i] = c
			x.pos++
		}
	}
	v, err := strconv.ParseUint(string(h[:]), 16, 16)
	if err != nil {
		return 0, x.fail(`expected four hexadecimal digits after \u`, "")
	}
	return rune(v), nil
}

// word reads true, false or null.
func (x *lexer) word() (string, error) {
	if _, err := x.peek(); err != nil {
		return "", err
	}
	x.tok = x.tok[:0]
	for len(x.tok) < 6 {
		c, ok, err := x.byte()
		if err != nil {
			return "", err
		}
		if !ok || c < 'a' || c > 'z' {
			break
		}
		x.tok = append(x.tok, c)
		x.pos++
	}
	switch s := string(x.tok); s {
	case "true", "false", "null":
		return s, nil
	case "":
		return "", x.unexpected("a value")
	}
	return "", x.fail("expected a value, found "+quote(x.tok), "")
}

// object calls member for each key of an object, the colon consumed. A key
// given twice is an error.
func (x *lexer) object(member func(key string) error) error {
	seen := map[string]bool{}
	last, held := "", 0
	defer func() { x.in.mem.give(held) }()
	return x.members(func(key []byte) (bool, error) {
		last = string(key)
		if seen[last] {
			return false, nil
		}
		seen[last] = true
		if err := x.in.mem.take(len(key) + entry); err != nil {
			return false, err
		}
		held += len(key) + entry
		return true, nil
	}, func() error { return member(last) })
}

// members calls key for each key of an object and then value, the colon consumed.
// A key that was there before is an error.
func (x *lexer) members(key func([]byte) (bool, error), value func() error) error {
	if err := x.expect('{', "an object"); err != nil {
		return err
	}
	for first := true; ; first = false {
		ok, err := x.more(first, '}')
		if !ok || err != nil {
			return err
		}
		tok, err := x.string()
		if err != nil {
			return err
		}
		if fresh, err := key(tok); err != nil {
			return err
		} else if !fresh {
			return x.fail("the key "+quote(tok)+" is given twice", "")
		}
		line, col := x.tokLine, x.tokCol
		if err := x.expect(':', `":"`); err != nil {
			return err
		}
		x.tokLine, x.tokCol = line, col // an error about the key points to it
		if err := value(); err != nil {
			return err
		}
	}
}

// array calls item before each item of an array.
func (x *lexer) array(item func(i int) error) error {
	if err := x.expect('[', "an array"); err != nil {
		return err
	}
	for i := 0; ; i++ {
		ok, err := x.more(i == 0, ']')
		if !ok || err != nil {
			return err
		}
		if err := item(i); err != nil {
			return err
		}
	}
}

// skip reads over a value.
func (x *lexer) skip(depth int) error {
	c, err := x.peek()
	if err != nil {
		return err
	}
	if depth > maxDepth {
		return x.limit(fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	switch {
	case c == '"':
		_, err = x.string()
	case c == '{':
		err = x.object(func(string) error { return x.skip(depth + 1) })
	case c == '[':
		err = x.array(func(int) error { return x.skip(depth + 1) })
	case c == '-' || '0' <= c && c <= '9':
		_, err = x.number()
	default:
		_, err = x.word()
	}
	return err
}
