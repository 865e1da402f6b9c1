package syntax

import (
	"errors"
	"io"
	"math"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"ein/lang/diag"
)

// The syntax of Ein: this is its one definition. participle reads a statement by
// it, build.go makes the tree of what participle gives, and Grammar prints it.
//
// One token decides everywhere, so nothing is read twice and an error is found
// at the token that is wrong. Where two would be needed, a lookahead says so.
//
// The structs hold what was chosen and how often, not the tokens: the tree is
// built by walking along the tokens with them.
type (
	program struct {
		Statements []*statement `parser:"EOL* ( @@ ( EOL+ @@? )* )?"`
	}
	statement struct {
		Print  *printing   `parser:"@@"`
		Def    *definition `parser:"| @@"`
		Input  *input      `parser:"| @@"`
		Repeat *repetition `parser:"| @@"`
		Rule   *rule       `parser:"| @@"`
		Clause *clause     `parser:"| @@"`
		Why    *question   `parser:"| @@"`
		Assign *assignment `parser:"| @@"`
		Value  *expression `parser:"| @@"` // in a session only; see parser.bare
	}
	// The first token of a rule and of a clause, a fact or a query, has no text: the
	// feeder puts it there by the way that the statement was cut.
	rule struct {
		Atom  *atom       `parser:"Rule @@"`
		Value *expression `parser:"( Assign @@ )?"`
		Body  []*literal  `parser:"Arrow @@ ( ',' @@ )* '.'"`
	}
	clause struct {
		Ask  bool       `parser:"Clause @Ask?"`
		Body []*literal `parser:"@@ ( ',' @@ )* ( '.' | '?' )"`
	}
	question struct {
		Of *literal `parser:"':why' @@ ( '.' | '?' )?"`
	}
	literal struct { // with the negated ones behind it
		Left  *expression `parser:"( @@"`
		Right *expression `parser:"  ( Assign @@ )?"`
		Not   []*negated  `parser:"  @@*"`
		First []*negated  `parser:"| @@+ )"`
	}
	negated struct { // an atom, of a value if it has one, or those side by side
		Atom   *atom       `parser:"Not @@"`
		Value  *expression `parser:"( Assign @@"`
		Beside []*factor   `parser:"| @@+ )?"`
	}
	atom struct {
		Name    bool       `parser:"@Ident"`
		Call    *arguments `parser:"( @@"`
		Indices *indices   `parser:"| @@ )"`
	}
	printing struct {
		Values []*expression `parser:"':print' @@ ( ',' @@ )*"`
	}
	definition struct {
		Params []bool      `parser:"'def':Word Ident '(' ( @Ident ( (?! ',' ')' ) ',' @Ident )* ','? )? ')' '='"`
		Body   *block      `parser:"( @@"`
		Value  *expression `parser:"| @@ )"`
	}
	block struct {
		Statements []*inner `parser:"'{' EOL* ( @@ ( EOL+ @@? )* )? '}'"`
	}
	inner struct {
		Assign *assignment `parser:"@@"`
		Repeat *repetition `parser:"| @@"`
		Value  *expression `parser:"| @@"`
	}
	repetition struct {
		Times *expression `parser:"'repeat':Word @@"`
		Body  *block      `parser:"@@"`
	}
	input struct {
		Kind    bool   `parser:"'input':Word Ident ( ':' @Ident"`
		Columns []bool `parser:"| '(' @Ident ':' Ident ( (?! ',' ')' ) ',' @Ident ':' Ident )* ','? ')' )"`
	}
	assignment struct {
		Target target      `parser:"(?= @@ Assign ) @@ Assign"`
		Value  *expression `parser:"@@"`
	}
	target struct {
		Name    bool     `parser:"@Ident"`
		Indices *indices `parser:"@@?"`
	}
	expression struct {
		Sums []*sum `parser:"@@ ( Compare @@ )*"`
	}
	sum struct {
		Terms []*term `parser:"@@ ( Add @@ )*"`
	}
	term struct {
		Factors []*unary `parser:"@@ ( Mul @@ )*"`
	}
	unary struct {
		Minus []bool   `parser:"@'-'*"`
		Of    *product `parser:"@@"`
	}
	product struct { // of what stands side by side
		Number  bool       `parser:"( @Number"`
		First   *factor    `parser:"| @@ )"`
		Factors []*factor  `parser:"@@*"`
		String  bool       `parser:"| @String"`
		List    *list      `parser:"| @@"`
		Indices []*indices `parser:"( @@+"`
		Behind  []*factor  `parser:"@@* )?"`
	}
	factor struct {
		Name    bool        `parser:"( @Ident"`
		Call    *arguments  `parser:"  @@?"`
		Paren   *expression `parser:"| '(' @@ ')' )"`
		Indices []*indices  `parser:"@@*"`
	}
	indices struct {
		Of []*expression `parser:"'[' @@ ( ',' @@ )* ']'"`
	}
	list struct {
		Elems []*expression `parser:"'[' ( @@ ( (?! ',' ']' ) ',' @@ )* ','? )? ']'"`
	}
	arguments struct {
		Args []*argument `parser:"'(' ( @@ ( (?! ',' ')' ) ',' @@ )* ','? )? ')'"`
	}
	argument struct {
		Named bool        `parser:"( (?= Ident '=' ) @Ident '=' )?"`
		Value *expression `parser:"@@"`
	}
)

// The tokens of the grammar are kinds of token, of which operators of a class
// share one, and these.
const (
	typeWord   = lexer.TokenType(numKinds) + iota // def, input or repeat, where it begins a statement
	typeEOL                                       // newline or ;
	typeRule                                      // before a rule
	typeClause                                    // before a fact or a query
	typeWrong                                     // what fits nowhere
	typeInfix                                     // and the precedence
)

// precedence of the infix operators, by kind; 0 for any other token.
var precedence = [numKinds]uint8{
	KindMul: 3, KindDiv: 3,
	KindAdd: 2, KindSub: 2,
	KindGt: 1, KindGe: 1, KindLt: 1, KindLe: 1, KindEq: 1, KindNe: 1,
}

func tokenType(k Kind) lexer.TokenType {
	if k.assign() {
		k = KindAssign
	} else if prec := precedence[k]; prec > 0 {
		return typeInfix + lexer.TokenType(prec)
	}
	return lexer.TokenType(k)
}

// tokenTypes are the tokens that the grammar calls by name.
var tokenTypes = map[string]lexer.TokenType{
	"EOF": lexer.EOF, "EOL": typeEOL, "Word": typeWord, "Rule": typeRule, "Clause": typeClause,
	"Ask": tokenType(KindAsk), "Not": tokenType(KindNot), "Arrow": tokenType(KindArrow), "Compare": typeInfix + 1, "Add": typeInfix + 2, "Mul": typeInfix + 3,
	"Ident": tokenType(KindIdent), "Number": tokenType(KindNumber), "String": tokenType(KindString), "Assign": tokenType(KindAssign),
}

// vocabulary is what participle wants to know of a lexer.
type vocabulary struct{}

func (vocabulary) Symbols() map[string]lexer.TokenType { return tokenTypes }

func (vocabulary) Lex(string, io.Reader) (lexer.Lexer, error) {
	return nil, errors.New("BUG: syntax: tokens come from a feeder")
}

// Most programs never need them: the fast path reads what is right. To build them takes
// as long as to start a command.
var (
	programs   = sync.OnceValue(buildGrammar)
	statements = sync.OnceValue(production[statement])
	inners     = sync.OnceValue(production[inner])
)

func buildGrammar() *participle.Parser[program] {
	// Its default of a million iterations is less than a list may have.
	participle.MaxIterations = math.MaxInt
	return participle.MustBuild[program](participle.Lexer(vocabulary{}), participle.UseLookahead(0))
}

func production[P any]() *participle.Parser[P] {
	out, err := participle.ParserForProduction[P](programs())
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return out
}

// Grammar returns the grammar in EBNF.
func Grammar() string { return programs().String() }

// feeder hands the tokens of a segment to participle. The place of a token is
// its number. The body of a def or a repeat is left out, since its statements are read one
// by one, and so is what p.known says. A packed list is here what the parser
// has of it: its brackets, which are a list too.
type feeder struct {
	*parser
	seg   segment
	i     int
	open  []bracket
	depth int              // brackets and minus signs around i
	run   int              // minus signs right before the operand
	wrong *diag.Diagnostic // why the token before i fits nowhere
	took  int
	begun bool // the first token was given, or that before a clause
}

// readBytes is the memory that participle takes for a token with what it makes
// of it.
const readBytes = 1 << 9

// bracket is an open bracket of the feeder; args counts the arguments of a call.
type bracket struct {
	call bool
	args int
	run  int // of the feeder, outside
}

// Next implements lexer.Lexer. It stops at the first token that breaks a limit.
func (f *feeder) Next() (lexer.Token, error) {
	f.took += readBytes
	if f.meter.take(readBytes); f.wrong != nil || f.meter.over() || f.step(1, f.toks[f.seg.lo]) {
		return lexer.EOFToken(lexer.Position{Offset: f.i}), nil
	}
	if to, ok := f.known[f.i]; ok {
		f.i = to
	}
	i, t := f.i, f.toks[f.i]
	out := lexer.Token{Type: lexer.EOF, Pos: lexer.Position{Offset: i}}
	if f.seg.clause && !f.begun && t.kind != KindWhy {
		f.begun = true
		if out.Type = typeClause; f.seg.arrow > i {
			out.Type = typeRule
		}
		return out, nil
	}
	f.begun = true
	f.i++
	switch {
	case i == f.seg.hi && f.seg.block >= 0 && f.seg.close == i: // a body that is not closed
		f.seg.close--
		out.Type, out.Value = lexer.TokenType(KindRBrace), "}"
		f.i--
		return out, nil
	case i >= f.seg.hi:
		f.i--
		return out, nil
	case i == f.seg.block:
		f.i = f.seg.close
	}
	f.wrong = f.limit(i, t)
	if out.Type = typeWrong; f.wrong != nil || t.newline && i > f.seg.lo && f.toks[i-1].kind.ends() && t.kind.starts() {
		return out, nil // a product never crosses a newline
	}
	out.Type, out.Value = tokenType(t.kind), f.text[t.start:t.end]
	if i == f.seg.lo && (f.isDef(i, f.seg.hi) || f.isInput(i, f.seg.hi) || f.isRepeat(i, f.seg.hi)) {
		out.Type = typeWord
	} else if f.seg.clause && f.depth == 0 && f.isNot(i, f.seg.hi) {
		out.Type = tokenType(KindNot)
	}
	return out, nil
}

// limit is the limit that token i breaks. Brackets and the minus signs before an operand each put
// the tree one level deeper, for which the grammar calls itself, so both count. Minus signs end
// with their operand; those before a bracket last until it is closed.
func (f *feeder) limit(i int, t token) *diag.Diagnostic {
	before := KindEOF
	if i > f.seg.lo {
		before = f.toks[i-1].kind
	}
	if n := len(f.open); n > 0 && f.open[n-1].call && t.kind != KindRParen && (before == KindLParen || before == KindComma) {
		if f.open[n-1].args++; f.open[n-1].args > f.lim.Arguments {
			what := "arguments"
			if n == 1 && f.isDef(f.seg.lo, f.seg.hi) {
				what = "parameters"
			}
			return say(errArguments, t.span(), f.lim.Arguments, what)
		}
	}
	switch k := t.kind; {
	case k == KindSub && !before.ends():
		f.run++
		f.depth++
	case k == KindNumber:
		if _, ok := numberValue(f.text[t.start:t.end]); !ok {
			return say(errNumberRange, t.span(), excerpt(f.text[t.start:t.end]))
		}
	case k.opens():
		f.open = append(f.open, bracket{call: k == KindLParen && before == KindIdent && !t.newline, run: f.run})
		f.run = 0
		f.depth++
		if r := f.packed(t.start); r != nil && r.minus >= 0 && f.depth+r.rank == f.lim.Depth+1 {
			return say(errDepth, at(int(r.minus), 1), f.lim.Depth)
		}
	case k.closes():
		if n := len(f.open); n > 0 {
			f.depth -= f.run + 1
			f.run = f.open[n-1].run
			f.open = f.open[:n-1]
		}
	case !k.ends():
		f.depth -= f.run
		f.run = 0
	}
	if f.depth > f.lim.Depth {
		return say(errDepth, f.toks[i+1-max(f.run, 1)].span(), f.lim.Depth)
	}
	return nil
}
