package syntax

import (
	"strings"
	"unicode/utf8"
)

// bom is the byte order mark, which some editors put in front of a file.
const bom = "\uFEFF"

// Classes of a byte that starts or continues a token.
const (
	classLetter = 1 << iota
	classDigit
)

// classes has the class of each byte, 0 for those that no name and no number holds. Bytes of
// characters that are not ASCII are among these.
var classes = func() (t [256]uint8) {
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = classLetter, classLetter
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = classDigit
	}
	t['_'] = classLetter
	return t
}()

// scanner cuts a text into tokens. Some depend on what stands before them: max=
// is an operator only after an operand, :word is a directive only at the start
// of a statement, and what rules are written with is read only in rules.
type scanner struct {
	text  string
	pos   int
	prev  Kind // the last token that is neither a comment nor, inside brackets, a newline
	fresh bool // nothing but blanks since the start of the line
	depth int  // open ( and [; inside { } a newline ends a statement as it does outside
	head  head // what the line may be a rule by
	loose bool // its index has a name, which may be an index of an equation
	body  bool // behind the arrow of a rule, or the ?- of a query
}

// head is how far a line is that may be the head of a rule.
type head uint8

const (
	headNone  head = iota
	headName       // Name
	headAtom       // Name( and on
	headIndex      // Name[ and on, constants so far
	headOver       // Name[ and on, with a variable
	headValue      // Name[..] min= and a constant so far, or anything if no name is in the brackets
	headExpr       // Name[..] min= and anything
)

// newScanner returns a scanner at the start of a text, behind its byte order mark.
func newScanner(text string) scanner {
	s := scanner{text: text, prev: KindNewline, fresh: true}
	if strings.HasPrefix(text, bom) {
		s.pos = len(bom)
	}
	return s
}

// next returns the next token. It always advances, except at the end.
func (s *scanner) next() token {
	for s.pos < len(s.text) {
		if c := s.text[s.pos]; c != ' ' && c != '\t' {
			break
		}
		s.pos++
	}
	start := s.pos
	if start == len(s.text) {
		return token{start: int32(start), end: int32(start), kind: KindEOF}
	}
	kind := s.scan(s.text[start])
	switch kind {
	case KindNewline:
		s.fresh = true
		if s.depth == 0 && !s.prev.Continues() {
			s.prev, s.body = kind, false
		}
	case KindComment, KindBadComment, KindDashComment:
	default:
		s.track(kind, s.text[start])
		s.fresh = false
		s.prev = kind
		switch kind {
		case KindLParen, KindLBracket:
			s.depth++
		case KindRParen, KindRBracket:
			s.depth = max(s.depth-1, 0)
		case KindLBrace, KindRBrace, KindPrint, KindWhy, KindDirective, KindArrow:
			// None of these stands inside ( or [, so one that is open was forgotten.
			s.depth = 0
		}
	}
	return token{start: int32(start), end: int32(s.pos), kind: kind}
}

// track follows the head of a rule up to its arrow. The token of kind k begins with c.
func (s *scanner) track(k Kind, c byte) {
	switch {
	case k == KindArrow, k == KindAsk, k == KindWhy:
		s.head, s.body = headNone, true
	case s.prev == KindAsk && k == KindIdent:
		s.head = headName
	case s.begins() && (s.head < headValue || !s.prev.infix()) && (s.depth == 0 || k == KindIdent && s.ruleAhead()):
		s.head, s.depth = headNone, 0
		if k == KindIdent {
			s.head = headName
		}
	case k == KindDot, k == KindQuestion, k == KindSemicolon:
		s.head, s.body = headNone, false
	case s.head == headValue && s.loose && k != KindNumber && k != KindString && !k.infix():
		s.head = headExpr
	case s.head == headIndex && s.depth > 0 && k == KindIdent:
		if s.loose = true; c >= 'a' {
			s.head = headOver
		}
	case s.depth > 0 || s.head >= headValue:
	case s.head == headName && k == KindLParen, s.head == headAtom && (k == KindIdent || k == KindLParen || k == KindComma):
		s.head = headAtom
	case s.head == headName && k == KindLBracket:
		s.head, s.loose = headIndex, false
	case s.head == headIndex && k == KindAssign, s.head == headAtom && k.assign(), s.head == headOver && k.assign():
		s.head = headExpr
	case s.head == headIndex && k.assign():
		s.head = headValue
	default:
		s.head = headNone
	}
}

// begins reports whether the next token begins a line or a statement.
func (s *scanner) begins() bool {
	return s.statementStart() || s.depth == 0 && (s.prev == KindDot || s.prev == KindQuestion)
}

// ruleAhead reports whether the line, behind the name that it begins with, goes on
// as only a rule does: a bracket that is open before it was forgotten.
func (s *scanner) ruleAhead() bool {
	if s.at(0) != '(' && s.at(0) != '[' {
		return false
	}
	for i, depth, quoted := s.pos, 0, false; i < len(s.text) && s.text[i] != '\n'; i++ {
		switch c := s.text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			if depth--; depth == 0 {
				rest := strings.TrimLeft(s.text[i+1:], " ")
				if i := strings.IndexAny(rest, " \r\n"); i >= 0 {
					rest = rest[:i]
				}
				return rest == "<-" || rest == ":-" || c == ']' && (rest == "min=" || rest == "max=" || rest == "+=")
			}
		}
	}
	return false
}

// arrow reports whether the <- or :- at the cursor is that of a rule, not a
// comparison with what has a minus sign: it stands behind a head, and before a
// blank, an atom or a negated one.
func (s *scanner) arrow() bool {
	if s.depth > 0 || s.head < headAtom || s.head < headValue && s.prev != KindRParen && s.prev != KindRBracket {
		return false
	}
	n := 2
	switch c := s.at(n); {
	case c == '!' || c == '~' || c == '\\':
		return true
	case classes[c] != classLetter:
		return c != '.' && c != '(' && classes[c] == 0
	}
	for classes[s.at(n)] != 0 {
		n++
	}
	return s.at(n) == '(' || s.at(n) == '[' || s.text[s.pos+2:s.pos+n] == "not"
}

// negation reports whether the sign at the cursor, of the given width, may negate
// the atom behind it.
func (s *scanner) negation(width int) bool {
	for s.at(width) == ' ' {
		width++
	}
	return s.depth == 0 && (classes[s.at(width)] == classLetter || s.at(width) == 0)
}

// dotEnds reports whether the dot behind the digits at the cursor ends a rule or
// a base case, D["a"] min= 0.: there 5. is 5 and the end. With a variable in the
// index it is no base case but an equation, where 1. S[i] is a product.
func (s *scanner) dotEnds() bool {
	if s.depth > 0 || classes[s.at(1)] == classDigit {
		return false
	}
	if s.body || s.head != headValue {
		return s.body
	}
	rest := strings.TrimLeft(s.text[s.pos+1:], " \t")
	return rest == "" || classes[rest[0]] == classLetter || strings.IndexByte("\r\n;#:", rest[0]) >= 0 || strings.HasPrefix(rest, "//")
}

// single is the kind of a character that is a token wherever it stands.
var single = [256]Kind{',': KindComma, ';': KindSemicolon, '*': KindMul, '(': KindLParen, '[': KindLBracket, '{': KindLBrace, ')': KindRParen, ']': KindRBracket, '}': KindRBrace}

// scan moves past the token that starts with c and says what it is. First come the kinds that c
// alone decides, which most tokens are; then those that depend on what is around; and last the rest
// of the punctuation.
func (s *scanner) scan(c byte) Kind {
	if k := single[c]; k != KindEOF {
		s.pos++
		return k
	}
	switch {
	case classes[c] == classLetter:
		return s.word()
	case classes[c] == classDigit, c == '.' && classes[s.at(1)] == classDigit:
		return s.number()
	}
	switch c {
	case '\n':
		s.pos++
		return KindNewline
	case '\r':
		if s.at(1) == '\n' {
			s.pos += 2
			return KindNewline
		}
	case '"':
		return s.str()
	case '#':
		return s.comment(KindComment)
	case '/':
		if s.at(1) == '/' {
			return s.comment(KindComment)
		}
	case '-':
		if s.at(1) == '-' && s.dashComment() {
			return s.comment(KindDashComment)
		}
	case ':', '<':
		if c == ':' && s.begins() && classes[s.at(1)] == classLetter {
			return s.directive()
		}
		if s.at(1) == '-' && s.arrow() {
			s.pos += 2
			return KindArrow
		}
	case '?':
		if s.at(1) == '-' && s.begins() {
			s.pos += 2
			return KindAsk
		}
	case '!', '~':
		if s.negation(1) {
			s.pos++
			return KindNot
		}
	case '\\':
		if s.at(1) == '+' && s.negation(2) {
			s.pos += 2
			return KindNot
		}
	}
	for _, op := range operators[c] {
		if strings.HasPrefix(s.text[s.pos:], op.text) {
			s.pos += len(op.text)
			return op.kind
		}
	}
	return s.invalid()
}

// operator is a piece of punctuation and its kind.
type operator struct {
	text string
	kind Kind
}

// operators lists, by first byte, the rest of the punctuation, longest first.
var operators = [256][]operator{
	'=': {{"==", KindEq}, {"=", KindAssign}},
	'+': {{"+=", KindSetAdd}, {"+", KindAdd}},
	'-': {{"-", KindSub}},
	'/': {{"/", KindDiv}},
	'>': {{">=", KindGe}, {">", KindGt}},
	'<': {{"<=", KindLe}, {"<", KindLt}},
	'!': {{"!=", KindNe}},
	':': {{":", KindColon}},
	'.': {{".", KindDot}},
	'?': {{"?", KindQuestion}},
}

// at is the byte n places ahead, 0 past the end.
func (s *scanner) at(n int) byte {
	if s.pos+n < len(s.text) {
		return s.text[s.pos+n]
	}
	return 0
}

// statementStart reports whether what comes next begins a statement.
func (s *scanner) statementStart() bool {
	return s.fresh || s.prev == KindSemicolon || s.prev == KindLBrace
}

// word reads a name. `max=` and `min=` are operators straight after an operand,
// as in `D[i,k] max= e`; at the start of a statement or of an argument `max= 3`
// gives a value to something called max.
func (s *scanner) word() Kind {
	start := s.pos
	for s.pos < len(s.text) && classes[s.text[s.pos]] != 0 {
		s.pos++
	}
	if s.prev.ends() && s.pos-start == 3 && s.at(0) == '=' && s.at(1) != '=' {
		switch s.text[start:s.pos] {
		case "max":
			s.pos++
			return KindSetMax
		case "min":
			s.pos++
			return KindSetMin
		}
	}
	return KindIdent
}

// number reads digits, a fraction and an exponent. Anything glued to them makes
// one malformed number, so that 0x10 is one mistake and not the product 0 x10.
func (s *scanner) number() Kind {
	s.digits()
	if s.at(0) == '.' && !s.dotEnds() {
		s.pos++
		s.digits()
	}
	if c := s.at(0); c == 'e' || c == 'E' {
		n := 1
		if c := s.at(1); c == '+' || c == '-' {
			n = 2
		}
		if classes[s.at(n)] == classDigit {
			s.pos += n
			s.digits()
		}
	}
	kind := KindNumber
	for classes[s.at(0)] != 0 || s.at(0) == '.' && classes[s.at(1)] == classDigit {
		kind = KindBadNumber
		s.pos++
	}
	return kind
}

// digits moves past the digits at the cursor, of which there may be none.
func (s *scanner) digits() {
	for s.pos < len(s.text) && classes[s.text[s.pos]] == classDigit {
		s.pos++
	}
}

// str reads a string. A newline ends it, closed or not, so that one missing
// quote spoils one line.
func (s *scanner) str() Kind {
	kind := KindString
	s.pos++
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == '"':
			s.pos++
			return kind
		case c == '\n', c == '\r' && s.at(1) == '\n':
			return KindBadString
		case c == '\\':
			switch s.at(1) {
			case '"', '\\', 'n', 't':
			default:
				kind = KindBadString
			}
			s.pos++
			if n := s.at(0); s.pos < len(s.text) && n != '\n' && n != '\r' && n < utf8.RuneSelf {
				s.pos++
			}
		default:
			n, hidden := s.textRune()
			if s.pos += n; hidden {
				kind = KindBadString
			}
		}
	}
	return KindBadString
}

// comment reads to the end of the line.
func (s *scanner) comment(kind Kind) Kind {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		if c == '\n' || c == '\r' && s.at(1) == '\n' {
			break
		}
		n, hidden := s.textRune()
		if hidden && kind == KindComment {
			kind = KindBadComment
		}
		s.pos += n
	}
	return kind
}

// textRune is the size of the character at the cursor and whether it may not
// stand even in a comment or a string.
func (s *scanner) textRune() (size int, hidden bool) {
	if c := s.text[s.pos]; c >= ' ' && c < 0x7F || c == '\t' {
		return 1, false
	}
	r, n := utf8.DecodeRuneInString(s.text[s.pos:])
	return n, r == utf8.RuneError && n == 1 || hiddenRune(r) && !joiner(r)
}

// dashComment decides whether the -- at the cursor is meant as a comment:
// `a --b` subtracts, but nobody writes an operator at the start of a statement,
// or two of them with a blank behind.
func (s *scanner) dashComment() bool {
	if s.fresh && s.depth == 0 && s.prev == KindNewline {
		return s.pos+2 < len(s.text)
	}
	switch s.at(2) {
	case ' ', '\t', '\n', '\r', '-':
		return true
	}
	return false
}

// directive reads :print, :why, or any other :word with the rest of its line: what
// follows an unknown word is not Ein and not worth more errors.
func (s *scanner) directive() Kind {
	end := s.pos + 1
	for end < len(s.text) && classes[s.text[end]] != 0 {
		end++
	}
	switch kind := map[string]Kind{":print": KindPrint, ":why": KindWhy}[s.text[s.pos:end]]; kind {
	case KindPrint, KindWhy:
		s.pos = end
		return kind
	}
	s.comment(KindDirective)
	return KindDirective
}

// invalid reads a run of characters that begin no token.
func (s *scanner) invalid() Kind {
	start := s.pos
	if s.text[start] == '\'' && !transposes(s.text, start) {
		for i := start + 1; i < len(s.text) && s.text[i] != '\n'; i++ { // a string elsewhere
			if s.text[i] != '\'' || s.text[i-1] == '\\' {
				continue
			}
			s.pos = i + 1
			if c := s.at(0); c == '\'' && i > start+1 { // 'O''Neil'
				i++
			} else if classes[c] == 0 && c < utf8.RuneSelf { // but not 'O'Neil'
				return KindInvalid
			}
		}
		if s.pos > start {
			return KindInvalid
		}
	}
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		known := c == ' ' || c == '\t' || c == '\n' || c == '"' || c == '#' || classes[c] != 0 || single[c] != KindEOF ||
			c == '\r' && s.at(1) == '\n' || c != '!' && operators[c] != nil || c == '!' && s.at(1) == '='
		// The cap keeps a megabyte of rubbish from becoming one message.
		if known && s.pos > start || s.pos-start >= 64 {
			break
		}
		_, n := utf8.DecodeRuneInString(s.text[s.pos:])
		s.pos += n
	}
	return KindInvalid
}
