// Package pysource reads the literals in the text of Python programs: numbers,
// strings, and lists, tuples, sets and dictionaries of them. Everything else in a
// program is opaque. Any text can be read; none is run.
package pysource

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is a kind of tokens.
type Kind uint8

// The kinds.
const (
	Name    Kind = iota // also a keyword
	Number              // Token.Text as it is written
	String              // Token.Value is its characters
	Op                  // one operator or bracket, Token.Text
	Newline             // the end of a logical line, or a semicolon
	Opaque              // what has no fixed value here: f-strings, bytes, what is no Python
)

// Token is a token and its place in the text, in bytes.
type Token struct {
	Kind       Kind
	Start, End int
	Text       string
	Value      string
}

// operators of more than one character, the longest first.
var operators = []string{"**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", ":=",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@="}

// Scan is the tokens of a program (The Python Language Reference, chapter 2).
// Comments, white space, and line ends inside brackets are left out. A string that
// does not end is opaque up to the end of its line. The time is linear.
func Scan(src string) []Token {
	s := scanner{src: src}
	for s.at < len(src) {
		s.next()
	}
	return s.list
}

type scanner struct {
	src   string
	at    int
	depth int // of brackets
	list  []Token
}

func (s *scanner) add(k Kind, end int, value string) {
	s.list = append(s.list, Token{k, s.at, end, s.src[s.at:end], value})
	s.at = end
}

func (s *scanner) next() {
	rest := s.src[s.at:]
	switch c := rest[0]; {
	case c == '\n' || c == '\r' || c == ';':
		if c != ';' && s.depth > 0 {
			s.at++
			return
		}
		s.add(Newline, s.at+1, "")
	case c == ' ' || c == '\t' || c == '\f':
		s.at++
	case c == '\\' && (strings.HasPrefix(rest, "\\\n") || strings.HasPrefix(rest, "\\\r\n")):
		s.at += strings.IndexByte(rest, '\n') + 1
	case c == '#':
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			s.at += i
		} else {
			s.at = len(s.src)
		}
	case c == '"' || c == '\'':
		s.str("")
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		s.number()
	default:
		s.word(rest)
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(r rune) bool { return r == '_' || unicode.IsLetter(r) }

func (s *scanner) word(rest string) {
	n := 0
	for n < len(rest) {
		r, size := utf8.DecodeRuneInString(rest[n:])
		if !isLetter(r) && (n == 0 || !unicode.IsDigit(r)) {
			break
		}
		n += size
	}
	if n > 0 {
		if n < len(rest) && n <= 2 && (rest[n] == '"' || rest[n] == '\'') && isPrefix(rest[:n]) {
			s.str(rest[:n])
			return
		}
		s.add(Name, s.at+n, "")
		return
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			s.add(Op, s.at+len(op), "")
			return
		}
	}
	switch rest[0] {
	case '(', '[', '{':
		s.depth++
	case ')', ']', '}':
		s.depth = max(0, s.depth-1)
	}
	_, size := utf8.DecodeRuneInString(rest)
	kind := Op
	if size > 1 || rest[0] < ' ' || rest[0] >= utf8.RuneSelf || rest[0] == '?' || rest[0] == '$' || rest[0] == '!' || rest[0] == '`' || rest[0] == '\\' {
		kind = Opaque
	}
	s.add(kind, s.at+size, "")
}

// number takes what could be part of a number, so that 0x1f or 1e5 is not read as
// a smaller one.
func (s *scanner) number() {
	end := s.at
	for end < len(s.src) {
		c := s.src[end]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		exponent := (c == '+' || c == '-') && end > s.at && s.src[end-1]|0x20 == 'e' && s.src[s.at] != '0'
		if !isDigit(c) && c != '.' && c != '_' && !letter && !exponent {
			break
		}
		end++
	}
	s.add(Number, end, "")
}

func isPrefix(p string) bool {
	switch strings.ToLower(p) {
	case "r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt":
		return true
	}
	return false
}

func (s *scanner) str(prefix string) {
	prefix = strings.ToLower(prefix)
	body := s.at + len(prefix)
	quote := s.src[body : body+1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(s.src[body:], long) {
		quote = long
	}
	start := body + len(quote)
	at := start
	for at < len(s.src) && !strings.HasPrefix(s.src[at:], quote) {
		if s.src[at] == '\n' && len(quote) == 1 {
			break
		}
		if s.src[at] == '\\' && at+1 < len(s.src) {
			at++
		}
		at++
	}
	if at >= len(s.src) || !strings.HasPrefix(s.src[at:], quote) {
		s.add(Opaque, min(at, len(s.src)), "")
		return
	}
	text, ok := s.src[start:at], true
	if !strings.Contains(prefix, "r") {
		text, ok = unescape(text)
	}
	if !ok || strings.ContainsAny(prefix, "bft") {
		s.add(Opaque, at+len(quote), "")
		return
	}
	s.add(String, at+len(quote), text)
}

// unescape decodes the escapes that labels are written with; it is false for
// others, such as \N.
func unescape(s string) (string, bool) {
	if !strings.Contains(s, `\`) {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i >= len(s) {
			return "", false
		}
		width := 0
		switch s[i] {
		case '\\', '\'', '"':
			b.WriteByte(s[i])
			continue
		case 'n':
			b.WriteByte('\n')
			continue
		case 't':
			b.WriteByte('\t')
			continue
		case '\n':
			continue
		case 'x':
			width = 2
		case 'u':
			width = 4
		case 'U':
			width = 8
		default:
			return "", false
		}
		if i+width >= len(s) {
			return "", false
		}
		x, err := strconv.ParseUint(s[i+1:i+1+width], 16, 32)
		if err != nil || !utf8.ValidRune(rune(x)) {
			return "", false
		}
		b.WriteRune(rune(x))
		i += width
	}
	return b.String(), true
}
