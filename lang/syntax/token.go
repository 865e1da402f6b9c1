package syntax

import (
	"strings"
	"unsafe"

	"ein/lang/source"
)

// Kind is what a token is.
type Kind uint8

// The kinds of token. Those from KindInvalid to KindDashComment are text that
// is not Ein: the lexer never fails and never skips, so it has to name them.
const (
	KindEOF Kind = iota
	KindNewline
	KindSemicolon
	KindComment
	KindInvalid     // characters that begin no token
	KindBadNumber   // 0x10, 1_000, 1e, 2A
	KindBadString   // unclosed, or with an unknown escape or a hidden character
	KindBadComment  // a comment with a hidden character
	KindDashComment // -- used as a comment
	KindIdent
	KindNumber
	KindString
	KindPrint     // :print
	KindWhy       // :why
	KindDirective // any other :word at the start of a statement, to the end of its line
	KindAssign    // =
	KindSetMax    // max=
	KindSetMin    // min=
	KindSetAdd    // +=
	KindMul
	KindDiv
	KindAdd
	KindSub
	KindGt
	KindGe
	KindLt
	KindLe
	KindEq
	KindNe
	KindNot   // ! or ~ or \+ before an atom
	KindArrow // <- or :- behind the head of a rule
	KindAsk   // ?- before a query
	KindComma
	KindColon
	KindDot
	KindQuestion
	KindLParen
	KindLBracket
	KindLBrace
	KindRParen
	KindRBracket
	KindRBrace
	numKinds
)

// Token is one token of a program. Between two tokens of a program there is
// nothing but blanks.
type Token struct {
	Kind Kind
	Span source.Span
}

// Tokens lexes text without parsing it, comments and newlines included and the
// final KindEOF left out: what a highlighter needs.
func Tokens(text string) []Token {
	out := make([]Token, 0, len(text)/3) // see parser.lex
	for s := newScanner(text); ; {
		t := s.next()
		if t.kind == KindEOF {
			return out
		}
		out = append(out, Token{t.kind, t.span()})
	}
}

// OneLine returns a part of a program on one line, without its comments.
func OneLine(text string) string {
	var b strings.Builder
	end := 0 // of the token before
	for s := newScanner(text); ; {
		switch t := s.next(); t.kind {
		case KindEOF:
			return b.String()
		case KindNewline, KindComment, KindBadComment, KindDashComment:
		default:
			if int(t.start) > end && b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(text[t.start:t.end])
			end = int(t.end)
		}
	}
}

// token is a Token in 12 bytes: a graph of half a million labelled edges has three
// million of them. A fifth field would keep it out of registers.
type token struct {
	start, end int32
	kind       Kind
	newline    bool // a newline stands somewhere between this token and the one before
}

const tokenSize = int(unsafe.Sizeof(token{}))

func (t token) span() source.Span { return source.Span{Start: int(t.start), End: int(t.end)} }

func (k Kind) directs() bool { return k >= KindPrint && k <= KindDirective } // :word
func (k Kind) bad() bool     { return k >= KindInvalid && k <= KindDashComment }
func (k Kind) assign() bool  { return k >= KindAssign && k <= KindSetAdd }
func (k Kind) opens() bool   { return k >= KindLParen && k <= KindLBrace }
func (k Kind) closes() bool  { return k >= KindRParen && k <= KindRBrace }
func (k Kind) infix() bool   { return k >= KindMul && k <= KindNe }

// closer is the bracket that closes k.
func (k Kind) closer() Kind { return k + (KindRParen - KindLParen) }

// Continues reports whether a newline straight after k does not end a statement.
func (k Kind) Continues() bool { return k >= KindMul && k <= KindComma }

// ends reports whether k can be the last token of an operand.
func (k Kind) ends() bool {
	return k == KindIdent || k == KindNumber || k == KindString || k == KindRParen || k == KindRBracket
}

// starts reports whether k can be the first token of an operand.
func (k Kind) starts() bool {
	return k == KindIdent || k == KindNumber || k == KindString || k == KindLParen || k == KindLBracket
}
