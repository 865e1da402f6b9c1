package graphio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxDepth = 64      // of JSON that is skipped over
	maxToken = 1 << 20 // bytes of a string, a number or white space
	maxItem  = maxLine // bytes of an item of an array that is a row
	entry    = 64      // bytes of a map for a key, at most, besides the key
)

// tokens reads JSON token by token. encoding/json/jsontext enforces the standard; tokens adds line
// and column numbers, and limits.
type tokens struct {
	dec *jsontext.Decoder
	in  *input
	by  io.Reader // what the file is read by: itself, or jsonLines
	fed int       // bytes that the decoder was given
	err error     // of reading

	at        int // offset in the file up to which lines are counted
	line, col int // there
	tokLine   int // of the token that is next or was last
	tokCol    int
	added     int // characters before those of each line
	held      int
	unquoted  []byte
}

// newTokens returns a reader. With keysTwice it does not detect duplicate keys, for which it would
// have to keep all of them.
func newTokens(in *input, keysTwice bool) *tokens {
	x := &tokens{in: in, by: in, line: 1, col: 1, tokLine: 1, tokCol: 1}
	x.dec = jsontext.NewDecoder(x, jsontext.AllowDuplicateNames(keysTwice))
	return x
}

// lines makes the rest be read as JSON lines: as the items of one array.
func (x *tokens) lines() {
	x.by, x.added, x.col = &jsonLines{in: x.in, before: '['}, 1, 0
}

// jsonLines turns lines that each hold a value into an array: it puts a character before the first
// byte of each line that is not blank, and a bracket at the end.
type jsonLines struct {
	in     io.Reader
	before byte // the next value
	within bool // a line that is not blank so far
	buf    [8 << 10]byte
	out    [2*8<<10 + 2]byte
	rest   []byte // of out
	err    error
}

// Read gives the text with the added characters. The line breaks stay, so that lines are counted
// as in the file.
func (l *jsonLines) Read(p []byte) (n int, err error) {
	for len(l.rest) == 0 && l.err == nil {
		n, l.err = l.in.Read(l.buf[:])
		l.rest = l.out[:0]
		for _, c := range l.buf[:n] {
			if c == '\n' {
				l.within = false
			} else if !l.within && c != ' ' && c != '\t' && c != '\r' {
				l.rest = append(l.rest, l.before)
				l.before, l.within = ',', true
			}
			l.rest = append(l.rest, c)
		}
		if errors.Is(l.err, io.EOF) {
			if l.before == '[' {
				l.rest = append(l.rest, '[')
			}
			l.rest = append(l.rest, ']')
		}
	}
	if len(l.rest) == 0 {
		return 0, l.err
	}
	n = copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

var errLongToken = errors.New("a token over the limit")

// Read feeds the decoder. The decoder buffers what is not yet a token, so this is where the limit
// on the length of tokens applies.
func (x *tokens) Read(p []byte) (n int, err error) {
	const double, free = 2, 1 << 14 // its buffer is up to twice as large
	held := x.fed - int(x.dec.InputOffset())
	if held > maxToken {
		err = errLongToken
	} else if held > free && double*held > x.held {
		x.in.mem.take(double*double*held - x.held)
		x.held = double * double * held
	}
	if err == nil {
		n, err = x.by.Read(p)
	}
	if x.fed += n; err != nil && !errors.Is(err, io.EOF) {
		x.err = err
	}
	return n, err
}

// peek returns the kind of the next token and moves the position to it. It returns 0 at the end of
// the file and where there is no token; read then says why.
func (x *tokens) peek() jsontext.Kind {
	kind := x.dec.PeekKind()
	if kind != jsontext.KindInvalid { // else the error knows its place
		x.blanks()
	}
	return kind
}

// blanks counts the characters between tokens.
func (x *tokens) blanks() {
	for _, c := range x.dec.UnreadBuffer()[x.at-int(x.dec.InputOffset()):] {
		switch c {
		case '\n':
			x.line, x.col = x.line+1, -x.added
		case ' ', '\t', '\r', ',', ':':
		default:
			x.tokLine, x.tokCol = x.line, x.col
			return
		}
		x.col++
		x.at++
	}
	x.tokLine, x.tokCol = x.line, x.col
}

// read returns the text of the token that was peeked at; of a bracket it only records that it was
// read.
func (x *tokens) read(kind jsontext.Kind) []byte {
	text, err := x.tryRead(kind)
	if err != nil {
		panic(err)
	}
	return text
}

// tryRead is read that returns the error. The text is good until the next token.
func (x *tokens) tryRead(kind jsontext.Kind) (text []byte, err error) {
	switch kind {
	case '[', ']', '{', '}':
		_, err = x.dec.ReadToken()
		x.col++
	default:
		text, err = x.dec.ReadValue()
		x.col += utf8.RuneCount(text)
	}
	if err != nil {
		return nil, x.refusal(err)
	}
	x.at = int(x.dec.InputOffset())
	return text, nil
}

// refusal gives an error of the decoder a position.
func (x *tokens) refusal(err error) error {
	if errors.Is(x.err, errLongToken) {
		line, col := x.line, x.col
		x.blanks()
		what := "number"
		if rest := x.dec.UnreadBuffer()[x.at-int(x.dec.InputOffset()):]; len(rest) == 0 {
			what, x.tokLine, x.tokCol = "white space", line, col
		} else if rest[0] == '"' {
			what = "string"
		}
		return x.fail(fmt.Sprintf("the %s is longer than %d bytes", what, maxToken), "").limit()
	}
	if x.err != nil {
		return x.err
	}
	var wrong *jsontext.SyntacticError
	if !errors.As(err, &wrong) { // io.EOF
		x.blanks()
		return err
	}
	rest := x.dec.UnreadBuffer()[x.at-int(x.dec.InputOffset()):]
	good := min(max(int(wrong.ByteOffset)-x.at, 0), len(rest))
	for _, c := range rest[:good] {
		if x.col++; c == '\n' {
			x.line, x.col = x.line+1, 1-x.added
		} else if !utf8.RuneStart(c) {
			x.col--
		}
	}
	x.tokLine, x.tokCol = x.line, max(x.col, 1)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return x.fail("the file ends inside a value", "")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return x.fail("the key "+quote([]byte(wrong.JSONPointer.LastToken()))+" is given twice", "")
	}
	hint := ""
	if x.added > 0 {
		hint = "in JSON Lines, each line is a complete value"
	}
	for _, h := range [][2]string{
		{"NaN", "JSON has no NaN; leave out what has no value"}, {"Infinity", "JSON has no infinity"}, {"-Infinity", "JSON has no infinity"},
		{"'", "JSON has double quotes, as json.dump of Python writes them"}, {"/", "JSON has no comments"}, {"#", "JSON has no comments"},
	} {
		if bytes.HasPrefix(rest[good:], []byte(h[0])) {
			hint = h[1]
		}
	}
	if strings.Contains(wrong.Err.Error(), "UTF-8") {
		hint = utf8Hint
	}
	return x.fail(wrong.Err.Error(), hint)
}

// fail is an error at the current token.
//
//go:noinline
func (x *tokens) fail(msg, hint string) *Error {
	return &Error{File: x.in.name, Line: x.tokLine, Column: x.tokCol, Msg: msg, Hint: hint}
}

// unexpected says what was expected instead of the token that was peeked at.
func (x *tokens) unexpected(want string) error {
	kind := x.peek()
	line, col := x.tokLine, x.tokCol
	val, err := x.tryRead(kind)
	if err != nil {
		var wrong *Error
		switch {
		case errors.Is(err, io.EOF):
			return x.fail("expected "+want+", found the end of the file", "")
		case errors.As(err, &wrong):
			if found, ok := strings.CutSuffix(wrong.Msg, " at start of value"); ok {
				wrong.Msg = "expected " + want + ", found " + strings.TrimPrefix(found, "invalid character ")
			}
		}
		return err
	}
	x.tokLine, x.tokCol = line, col
	hint := ""
	if x.added == 0 && strings.ContainsRune(map[string]string{endOfFile: "[{", arrayOfRows: "{", aRow: `"0`}[want], rune(kind)) {
		if hint = linesHint; want == arrayOfRows {
			hint += "; pandas writes an array of rows with orient=\"records\""
		}
	}
	if x.added > 0 && kind == '[' {
		hint = "format=json reads an array of rows"
	}
	return x.fail("expected "+want+", found "+shown(kind, val), hint)
}

// Some values instead of these are those of JSON lines.
const (
	endOfFile   = "the end of the file"
	arrayOfRows = "an array of rows"
	aRow        = "a row"
	linesHint   = "format=jsonl reads a row in each line"
)

// shown shows a token in a message.
func shown(kind jsontext.Kind, val []byte) string {
	switch what := others[string(byte(kind))]; {
	case kind == '"':
		return "the string " + quote(val[1:len(val)-1])
	case what != "":
		return what
	case kind == ']' || kind == '}':
		return quote([]byte{byte(kind)})
	}
	return quote(val)
}

// expect reads a token that has to be of a kind.
func (x *tokens) expect(kind jsontext.Kind, want string) []byte {
	if x.peek() != kind {
		panic(x.unexpected(want))
	}
	return x.read(kind)
}

// unquote returns the value of a string. It is valid until the next call.
func (x *tokens) unquote(b []byte) []byte {
	if bytes.IndexByte(b, '\\') < 0 {
		return b[1 : len(b)-1]
	}
	x.unquoted, _ = jsontext.AppendUnquote(x.unquoted[:0], b) // the decoder has checked it
	return x.unquoted
}

// number reads a number. The text is valid until the next token.
func (x *tokens) number() []byte { return x.expect('0', "a number") }

// value reads a number as a float64.
func (x *tokens) value() float64 { return x.parsed(x.number()) }

func (x *tokens) parsed(tok []byte) float64 {
	v, problem := parseValue(tok)
	if problem != "" {
		panic(x.fail(problem, ""))
	}
	return v
}

// members calls member for each key of an object.
func (x *tokens) members(member func(key string)) {
	x.expect('{', "an object")
	for x.peek() != '}' {
		member(string(x.unquote(x.read(x.peek()))))
	}
	x.read('}')
}

// array calls item before each item of an array.
func (x *tokens) array(what string, item func()) {
	x.expect('[', what)
	for x.peek() != ']' {
		item()
	}
	x.read(']')
}

// skip reads over a value. It counts the keys in it, which the decoder keeps.
func (x *tokens) skip() {
	depth, held := x.dec.StackDepth(), 0
	defer func() { x.in.mem.give(held) }()
	for {
		kind := x.peek()
		at := x.dec.StackDepth()
		if at-depth > maxDepth {
			panic(x.fail(fmt.Sprintf("nested more than %d levels deep", maxDepth), "").limit())
		}
		in, n := x.dec.StackIndex(at)
		tok := x.read(kind)
		if in == '{' && n%2 == 0 && kind == '"' {
			x.in.mem.take(len(tok) + entry)
			held += len(tok) + entry
		}
		if x.dec.StackDepth() <= depth {
			return
		}
	}
}
