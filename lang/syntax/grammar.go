package syntax

import (
	"errors"
	"io"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"ein/lang/source"
)

// The statements of Ein, as participle reads them. A bracket with all that is
// in it reaches the grammar as one token (Parens, Brackets, Braces), so a
// statement costs participle a handful of tokens however large its literals
// are; what is inside is read by the expression parser from the compact tokens.
// Tokens is filled in by participle; for the commonest statement it replaces the
// captures, each of which costs an allocation.
type (
	program struct {
		Statements []statement `parser:"EOL* ( @@ ( EOL+ @@ )* EOL* )?"`
	}
	statement struct {
		Print  *printing   `parser:"@@"`
		Def    *definition `parser:"| @@"`
		Input  *input      `parser:"| @@"`
		Assign *assignment `parser:"| @@"`
	}
	assignment struct {
		Tokens []lexer.Token
		Value  expression `parser:"Ident Brackets? Assign @@"`
	}
	printing struct {
		Values []expression `parser:"Print @@ ( Comma @@ )*"`
	}
	definition struct {
		Name   lexer.Token `parser:"'def' @Ident"`
		Params lexer.Token `parser:"@Parens '='"`
		Body   lexer.Token `parser:"( @Braces"`
		Value  expression  `parser:"| @@ )"`
	}
	input struct {
		Name lexer.Token `parser:"'input' @Ident Colon"`
		Kind lexer.Token `parser:"@Ident"`
	}
)

// expression is the extent of one expression. The tree is built from it after
// participle has accepted the statement: a Parseable is given a bare
// PeekingLexer and so could reach neither the compact tokens nor the node slabs.
type expression source.Span

// Parse implements participle.Parseable: an expression goes on to the next
// token that can only belong to the statement.
func (e *expression) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	if endsExpression(t.Type) {
		return participle.NextMatch
	}
	e.Start = t.Pos.Offset
	for ; !endsExpression(t.Type); t = lex.Peek() {
		e.End = t.Pos.Offset + len(t.Value)
		lex.Next()
	}
	return nil
}

// The token types of the grammar: kinds of token, of which the assignment
// operators share one type, and the folded brackets.
const (
	typeParens   = lexer.TokenType(numKinds) + iota // ( ... )
	typeBrackets                                    // [ ... ]
	typeBraces                                      // { ... }
	typeEOL                                         // newline or ;
)

func endsExpression(t lexer.TokenType) bool {
	switch t {
	case lexer.EOF, typeEOL, typeBraces, lexer.TokenType(KindComma), lexer.TokenType(KindAssign),
		lexer.TokenType(KindPrint), lexer.TokenType(KindDirective):
		return true
	}
	return false
}

// grammarType is the token type of kind, which is not a bracket.
func grammarType(kind Kind) lexer.TokenType {
	switch kind {
	case KindEOF:
		return lexer.EOF
	case KindSetMax, KindSetMin, KindSetAdd:
		return lexer.TokenType(KindAssign)
	case KindNewline, KindSemicolon:
		return typeEOL
	}
	return lexer.TokenType(kind)
}

// Definition is the lexer of Ein as participle wants it. Tokens carry their
// byte offset; lines and columns are left to source.File.
type Definition struct{}

var (
	_ lexer.Definition       = Definition{}
	_ lexer.StringDefinition = Definition{}
)

// Symbols implements lexer.Definition.
func (Definition) Symbols() map[string]lexer.TokenType {
	symbols := map[string]lexer.TokenType{
		"EOF": lexer.EOF, "Parens": typeParens, "Brackets": typeBrackets, "Braces": typeBraces, "EOL": typeEOL,
	}
	for k := KindEOF; k < numKinds; k++ {
		if t := grammarType(k); t == lexer.TokenType(k) && k != KindEOF {
			symbols[k.String()] = t
		}
	}
	return symbols
}

// Lex implements lexer.Definition.
func (d Definition) Lex(filename string, r io.Reader) (lexer.Lexer, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return d.LexString(filename, string(text))
}

// LexString implements lexer.StringDefinition.
func (Definition) LexString(filename, text string) (lexer.Lexer, error) {
	return &folder{name: filename, scanner: newScanner(text)}, nil
}

// folder is a scanner that drops comments and folds brackets.
type folder struct {
	scanner
	name string
	last Kind
}

// Next implements lexer.Lexer.
func (f *folder) Next() (lexer.Token, error) {
	for {
		t := f.next()
		switch {
		case t.kind == KindComment:
			continue
		case t.kind == KindNewline && f.last.continues():
			continue
		}
		f.last = t.kind
		if !t.kind.opens() {
			return f.token(t, grammarType(t.kind)), nil
		}
		open := t.kind
		for depth := 1; depth > 0 && t.kind != KindEOF; {
			in := f.next()
			if in.kind.opens() {
				depth++
			} else if in.kind.closes() {
				depth--
			}
			t.end, t.kind = in.end, in.kind
		}
		f.last = t.kind
		return f.token(t, foldedType(open)), nil
	}
}

func (f *folder) token(t token, typ lexer.TokenType) lexer.Token {
	return lexer.Token{
		Type:  typ,
		Value: f.text[t.start:t.end],
		Pos:   lexer.Position{Filename: f.name, Offset: int(t.start)},
	}
}

func foldedType(open Kind) lexer.TokenType {
	return typeParens + lexer.TokenType(open-KindLParen)
}

// productions are the parsers of the single statements. The first tokens of a
// statement choose the one to use: trying the alternatives in turn, as the
// statement production would, costs a copy of the parser's state each.
type productions struct {
	program    *participle.Parser[program]
	assignment *participle.Parser[assignment]
	printing   *participle.Parser[printing]
	definition *participle.Parser[definition]
	input      *participle.Parser[input]
}

var grammar = buildGrammar()

func buildGrammar() productions {
	p := participle.MustBuild[program](participle.Lexer(Definition{}), participle.UseLookahead(2))
	return productions{
		program:    p,
		assignment: production[assignment](p),
		printing:   production[printing](p),
		definition: production[definition](p),
		input:      production[input](p),
	}
}

func production[P any](p *participle.Parser[program]) *participle.Parser[P] {
	out, err := participle.ParserForProduction[P](p)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return out
}

// Grammar is the statement grammar in EBNF.
func Grammar() string { return grammar.program.String() }

// errorOffset is where participle stopped.
func errorOffset(err error) int {
	var perr participle.Error
	if errors.As(err, &perr) {
		return perr.Position().Offset
	}
	return 0
}
