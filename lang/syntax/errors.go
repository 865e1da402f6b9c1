package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ein/internal/codes"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/stdlib"
)

// Every message of the lexer and the parser is made in this file.

// message is a mistake that is always told alike: text may have verbs, for which say is given the
// values, and note, if there is one, says what to do about it.
type message struct {
	code       diag.Code
	text, note string
}

var (
	errNumberRange = message{codes.E0008, "%s is too large", "The largest number is about 1.8e308."}
	errEmptyIndex  = message{codes.E0113, "an index list needs at least one index", "The whole tensor is written without brackets."}
	errBareInDef   = message{codes.E0107, "only the last statement of a def may be a bare expression", "It is the value of the def; give the others a name, as in `x = ...`."}
	errManyHeads   = message{codes.E0101, "a rule can have only one atom on the left", "Write a rule for each head."}
	errWhy         = message{codes.E0115, "this is not an atom", whyForm}
	errNegatedFact = message{codes.E0115, "`not` is not allowed in a fact", "Whatever no fact or rule states is false."}
	errNoFact      = message{codes.E0115, "%s is not a fact", "A fact is a relation with constants, as in `Parent(\"ann\", \"bob\").`"}
	errBareHead    = message{codes.E0115, "the head %s has no brackets", "A relation without columns has empty ones: `Cyclic() <- Edge(x, x).`"}
	errNoKey       = message{codes.E0115, "the rule gives %s a value without a key", "A value has a key, `T[x] max= e <- Body(x, e).`; one value of all rows is an aggregate: `Most(max(e)) <- Body(_, e).`"}
	errSetHead     = message{codes.E0115, "a rule that gives a value is written with min=, max= or +=", "They say what is taken when a key has several values; an equation ends without `.` and has no `<-`."}
	errManyValues  = message{codes.E0101, "expected the end of the statement, found `,`", "A vector is written [1, 2]."}
	errInDef       = message{codes.E0111, "%s is not allowed in a block", "A block holds assignments; the block of a def ends with its value."}
	errEmptyDef    = message{codes.E0111, "the body of a def needs a value", "The last statement between the braces is the value."}
	errEncoding    = message{codes.E0002, "the text is UTF-16 or UTF-32, not UTF-8", "Save the file as UTF-8, or convert it with iconv."}
	errSourceBytes = message{codes.E0501, "the program has %s bytes; the limit is %s", noteData}
	errTokens      = message{codes.E0502, "the program has more than %s tokens", noteData}
	errMemory      = message{codes.E0507, "reading the program takes more than %s bytes of memory", noteData}
	errDepth       = message{codes.E0503, "nested deeper than %d levels", "Give the inner part a name of its own."}
	errStatements  = message{codes.E0504, "the program has more than %s statements", noteFacts}
	errArguments   = message{codes.E0508, "more than %d %s", "Pass many numbers as one tensor, as in `f([1, 2, 3])`."}
	errHeight      = message{codes.E0505, "the expression is longer than %d operators", "Split it into several statements, or sum a vector."}
)

// What a statement looks like that lacks something; the text says what.
var (
	formDef    = message{code: codes.E0111, note: "A function is written `def name(p, q) = value`."}
	formRepeat = message{code: codes.E0114, note: "Statements are repeated by `repeat 10 { x = f(x) }`."}
	formInput  = message{code: codes.E0112, note: "An input is written `input A: graph`; its kind is graph, matrix, vector or scalar. One of a relation is written `input Pay(from: node, amount: int)`."}
)

const (
	noteData  = "Large data belong in a file that is bound to an input."
	noteFacts = "Many facts belong in a file: an input with columns, as in `input Owns(x: node, y: node)`, reads a row for each."
)

// say returns the diagnostic of m at a place, with args for the verbs of its text.
func say(m message, at source.Span, args ...any) *diag.Diagnostic {
	d := diag.New(m.code, at, m.text, args...)
	if m.note != "" {
		d = d.Noted(m.note)
	}
	return d
}

// excerpt is source text as a message shows it.
func excerpt(s string) string {
	q := strconv.Quote(diag.Middle(s, 80))
	return "`" + strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(q[1:len(q)-1]) + "`"
}

// at is the place of length bytes from start on.
func at(start, length int) source.Span { return source.Span{Start: start, End: start + length} }

// lexicalError says what is wrong with a token whose kind is bad.
func lexicalError(text string, t token) *diag.Diagnostic {
	s := text[t.start:t.end]
	switch t.kind {
	case KindBadNumber:
		return errNumber(t.span(), s)
	case KindBadString:
		return errString(t.span(), s)
	case KindDashComment:
		d := diag.New(codes.E0009, t.span(), "`--` does not start a comment").Noted("A comment starts with // or #; -- is two minus signs.")
		return d.Fixed("use //", at(int(t.start), 2), "//")
	}
	if t.kind == KindBadComment {
		i, _ := firstHidden(s)
		return errRune(int(t.start)+i, s[i:])
	}
	if s[0] == '\'' && len(s) > 1 {
		d := diag.New(codes.E0004, t.span(), "`'` does not quote a string")
		label := strings.NewReplacer(`"`, `\"`, `\'`, `'`, `''`, `'`).Replace(s[1 : len(s)-1])
		return d.Fixed("write `\"`", t.span(), `"`+label+`"`)
	}
	d := errRune(int(t.start), s)
	power := s == "^" && strings.HasPrefix(text[t.end:], "T") && !strings.HasPrefix(text[t.end:], "T(") // A^T
	if (power || s == "'") && transposes(text, int(t.start)) {
		d = diag.New(codes.E0001, t.span(), "%s is not part of the language", excerpt(s)).Noted("The transpose of a matrix is `transpose(A)`.")
	}
	switch rest := strings.TrimLeft(text[t.end:], " "); {
	case s == "!" && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, ",")):
		d.Notes = []string{"There is no cut: all rows are found, in no order."}
	case (s == "!" || s == "~") && strings.HasPrefix(rest, "("):
		d.Notes = append(d.Notes, "In a rule `not` negates one atom; a comparison is turned round.")
	case s == `\` && strings.HasPrefix(rest, "sum"): // in TeX
		d.Notes = []string{stdlib.Summed}
	case s == "%":
		before := strings.TrimSpace(text[strings.LastIndexByte(text[:t.start], '\n')+1 : t.start])
		if before != "" {
			d = d.Noted(restNote)
		}
		if before == "" || strings.HasSuffix(before, ".") {
			d = d.Fixed("use //", t.span(), "//")
		}
	}
	if behind := text[t.end:]; (s == `\` || s == "~") && strings.HasPrefix(behind, "=") { // Prolog has \=, \== and =\=
		from := len(strings.TrimSuffix(text[:t.start], "="))
		d.Notes = nil
		d = d.Fixed("write `!=`", source.Span{Start: from, End: len(text) - len(strings.TrimLeft(behind, "="))}, "!=")
	}
	return d
}

// transposes reports whether the quote at i stands behind a value.
func transposes(text string, i int) bool {
	return i > 0 && (classes[text[i-1]] != 0 || text[i-1] == ']' || text[i-1] == ')')
}

// firstHidden finds the first character that no comment or string may hold.
func firstHidden(text string) (int, bool) {
	for s := (scanner{text: text}); s.pos < len(text); {
		n, hidden := s.textRune()
		if hidden {
			return s.pos, true
		}
		s.pos += n
	}
	return 0, false
}

// errRune explains the run of characters that s starts with, of which the
// first decides the message.
func errRune(offset int, s string) *diag.Diagnostic {
	r, n := utf8.DecodeRuneInString(s)
	one := at(offset, n)
	switch {
	case r == utf8.RuneError && n == 1:
		return diag.New(codes.E0002, one, "the byte 0x%02X is not valid UTF-8", s[0]).Noted("Save the file as UTF-8.")
	case r == '\uFEFF':
		return diag.New(codes.E0003, one, "a byte order mark inside the text").Noted("It is allowed only as the very first character of a file.").
			Fixed("delete it", one, "")
	case r == 0:
		return diag.New(codes.E0003, one, "a NUL byte in the text").Fixed("delete it", one, "")
	case r == '\r':
		return diag.New(codes.E0003, one, "a carriage return alone does not end a line").Fixed("start a new line", one, "\n")
	case hiddenRune(r):
		d := diag.New(codes.E0003, one, "the invisible character U+%04X", r)
		d = d.Noted("Invisible characters, and those that reorder visible text, can make a program look different from what it does.")
		return d.Fixed("delete it", one, "")
	}
	if ascii, ok := lookalike(r); ok {
		d := diag.New(codes.E0004, one, "the character `%c` (U+%04X) is not `%s`", r, r, ascii)
		if ascii == " " {
			d = diag.New(codes.E0004, one, "the blank U+%04X is not an ordinary one", r)
			return d.Fixed("write an ordinary blank", one, ascii)
		}
		if r == '\'' || r == '`' {
			d = diag.New(codes.E0004, one, "`%c` does not quote a string", r)
		}
		return d.Fixed("write `"+ascii+"`", one, ascii)
	}
	d := diag.New(codes.E0001, at(offset, len(s)), "%s is not part of the language", excerpt(s))
	if note := instead[r]; note != "" {
		return d.Noted(note)
	}
	if r >= utf8.RuneSelf {
		return d.Noted("Names consist of the letters a to z and A to Z, digits and _; anything else can be in a string or a comment.")
	}
	return d
}

// instead is what to write in place of characters that other languages have.
var instead = map[rune]string{
	'@':  "A matrix product is written with indices: `C[i,k] = A[i,j] B[j,k]`.",
	'^':  "There is no power operator; write the product, or exp(y * log(x)).",
	'&':  "On 0/1 values `*` is and; in a rule a comma is.",
	'|':  "On 0/1 values max(a, b) is or; of rules, write a second one with the same head.",
	'!':  "On 0/1 values `1 - a` is not.",
	'~':  "On 0/1 values `1 - a` is not.",
	'%':  "A comment starts with // or #.",
	'∧':  "On 0/1 values `*` is and; in a rule a comma is.",
	'∨':  "On 0/1 values max(a, b) is or; of rules, write a second one with the same head.",
	'¬':  "`not` negates an atom; on 0/1 values `1 - a` is not.",
	'√':  "The square root is `sqrt(x)`.",
	'Σ':  stdlib.Summed,
	'∑':  stdlib.Summed,
	'\\': "`not` negates an atom; for unequal, write `!=`.",
}

// errNumber reports digits that are no number, with the number that another notation means.
func errNumber(span source.Span, s string) *diag.Diagnostic {
	d := diag.New(codes.E0007, span, "%s is not a number", excerpt(s))
	lower := strings.ToLower(s)
	switch {
	case strings.HasPrefix(lower, "0x"), strings.HasPrefix(lower, "0b"), strings.HasPrefix(lower, "0o"):
		if v, err := strconv.ParseUint(lower, 0, 53); err == nil {
			return d.Noted("Numbers are decimal.").Fixed("write it in decimal", span, strconv.FormatUint(v, 10))
		}
		return d.Noted("Numbers are decimal.")
	case strings.Contains(s, "_") && strings.Trim(s, "0123456789_.") == "":
		return d.Noted("Digits are not grouped.").Fixed("delete the underscores", span, strings.ReplaceAll(s, "_", ""))
	case strings.Count(s, ".") > 1:
		return d.Noted("It has more than one decimal point.")
	case strings.HasSuffix(lower, "e"):
		return d.Noted("The exponent has no digits.")
	}
	digits := strings.TrimLeft(s, "0123456789.")
	split := len(s) - len(digits)
	if strings.ContainsRune(digits, '.') {
		return d.Noted("An exponent is a whole number, as in `1e5`.")
	}
	return d.Noted("A name cannot start with a digit, and a factor needs a blank before it.").Fixed("put a blank between the number and the name", at(span.Start+split, 0), " ")
}

// errString reports a string that the lexer could not read; s is its text with the opening quote.
func errString(span source.Span, s string) *diag.Diagnostic {
	if i, hidden := firstHidden(s); hidden {
		return errRune(span.Start+i, s[i:])
	}
	body := s[1:]
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		i++
		if i == len(body) {
			break
		}
		if strings.IndexByte(`"\nt`, body[i]) < 0 {
			_, n := utf8.DecodeRuneInString(body[i:])
			d := diag.New(codes.E0006, at(span.Start+i, 1+n), "%s is not an escape", "`"+body[i-1:i+n]+"`").Noted("In a string the escapes are \\\", \\\\, \\n and \\t.")
			return d.Fixed("write a backslash", at(span.Start+i, 1), `\\`)
		}
	}
	return diag.New(codes.E0005, span, "the string is not closed").Labelled("opened here").Noted("A string ends with \" on the line on which it starts.")
}

// bracketName is a bracket as messages show it.
func bracketName(k Kind) string {
	return "`" + string("([{)]}"[k-KindLParen]) + "`"
}

// errUnclosed reports a bracket that nothing closes. noticed, if it is known, is the token that
// shows it: the first of another statement.
func errUnclosed(open token, noticed *token) *diag.Diagnostic {
	d := diag.New(codes.E0102, open.span(), "%s opened here is never closed", bracketName(open.kind)).Labelled("needs a " + bracketName(open.kind.closer()))
	if noticed != nil {
		d.Related = []diag.Related{{Span: noticed.span(), Message: "another statement starts here"}}
	}
	return d
}

// errMismatched reports a bracket that closes one of another form. It shows both.
func errMismatched(open, closing token) *diag.Diagnostic {
	d := diag.New(codes.E0103, closing.span(), "%s cannot close %s", bracketName(closing.kind), bracketName(open.kind)).
		Labelled("expected " + bracketName(open.kind.closer()))
	return d.Beside(open.span(), bracketName(open.kind)+" opened here").Fixed("write "+bracketName(open.kind.closer()), closing.span(), string(")]}"[open.kind-KindLParen]))
}

// errNothingToClose reports that token i closes no bracket. One more behind another at the end of
// its statement, up to hi, is too many; elsewhere the opener may be missing.
func (p *parser) errNothingToClose(i, hi int) *diag.Diagnostic {
	t := p.toks[i]
	next, blank := p.toks[i+1].kind, ""
	if i > 0 && p.toks[i-1].kind.ends() && p.toks[i-1].end == t.start && next.starts() && p.toks[i+1].start == t.end {
		blank = " " // between what would be one word
	}
	d := diag.New(codes.E0104, t.span(), "unmatched %s", bracketName(t.kind)).Fixed("delete it", t.span(), blank)
	d.Fixes[0].Guess = i == 0 || !p.toks[i-1].kind.closes() || i+1 < hi && next != KindDot && next != KindQuestion
	return d
}

// found names token i for a message; the token at end stands for what follows
// the statement or the bracket.
func (p *parser) found(i, end int) string {
	t := p.toks[i]
	switch {
	case i >= end && t.kind == KindEOF:
		return "the end of the program"
	case i >= end && t.newline:
		return "the end of the line"
	}
	what := map[Kind]string{KindNumber: "the number ", KindIdent: "the name ", KindString: "the string "}[t.kind]
	return what + excerpt(p.word(i))
}

// place is where to point for token i: at the end of a line, just behind what
// is there, because the next token may be pages away.
func (p *parser) place(i, end int) source.Span {
	if i >= end && i > 0 && (p.toks[i].newline || p.toks[i].kind == KindEOF) {
		return at(int(p.toks[i-1].end), 0)
	}
	return p.toks[i].span()
}

// errExpected says that want was expected where token i is, and adds what helps somebody who wrote
// it as another language has it. The cases are tried in their order, and only the first that fits
// adds something, so one for a particular want stands before those for any. The caller chooses want
// from a few fixed texts, which the cases compare.
func (p *parser) errExpected(want string, i, end int) *diag.Diagnostic {
	found := p.found(i, end)
	code := codes.E0101
	if want == "a value" {
		code = codes.E0105
	}
	d := diag.New(code, p.place(i, end), "expected %s, found %s", want, found)
	if i > 0 && i < len(p.toks)-1 && want == "a value" && p.toks[i-1].kind.infix() {
		d.Label = fmt.Sprintf("`%s` needs a value on its right", p.word(i-1))
	}
	if i >= end {
		if i > 0 && p.inClause && strings.HasPrefix(strings.TrimLeft(p.text[p.toks[i-1].end:], " "), "#") { // #count { .. } of clingo
			return d.Noted("`#` begins a comment. " + aggregateForm)
		}
		if p.inClause && i > 1 && p.toks[i-1].kind == KindComma { // a list went on, or another clause follows
			d = d.Fixed("write `.`", p.toks[i-1].span(), ".")
			d.Fixes[0].Guess = true
		}
		return d
	}
	if want == "a value" {
		if told, ok := p.noValue(d, i, end); ok {
			return told
		}
	}
	switch kind := p.toks[i].kind; {
	case want == "`(`" && i > 2 && p.isWord(i-3, i, "is"):
		return d.Fixed("write `!=`", p.span(i-3, i-1), "!=")
	case want == "`(`" && (kind.infix() || kind == KindAssign) && i > 1 && p.isNot(i-2, i):
		return d.Noted("`not` negates one atom; a comparison is turned round.")
	case kind == KindSemicolon && want == "`,` or `]`":
		return d.Fixed("write `,`", p.toks[i].span(), ",")
	case kind == KindIdent && want == "`:` or `(`" && !p.toks[i].newline && slices.Contains([]string{"graph", "matrix", "vector", "scalar"}, p.word(i)):
		return d.Fixed("write `:`", at(int(p.toks[i-1].end), 0), ":")
	case kind == KindComma && want == "`:` or `(`":
		return d.Noted("Each input is a statement of its own.")
	case kind == KindSemicolon && p.inClause:
		return d.Noted(notOr)
	case kind == KindGt && (p.before(i, KindSub) || p.before(i, KindAssign) && p.inClause && p.toks[i-2].kind == KindRParen && p.toks[i+1].kind == KindIdent && p.toks[i+2].kind == KindLParen):
		return d.Noted("A rule is `Head(x) <- Body(x).`")
	case kind == KindMul && i > 0 && p.toks[i-1].kind == KindMul:
		return d.Noted("There is no power operator; write the product, or exp(y * log(x)).")
	case kind == KindGt && p.before(i, KindLt) || (kind == KindLt || kind == KindGt) && p.before(i, KindAssign):
		op := map[string]string{"<>": "!=", "=<": "<=", "=>": ">="}[p.word(i-1)+p.word(i)]
		return d.Fixed("write `"+op+"`", p.span(i-1, i+1), op)
	case kind == KindAssign && (p.before(i, KindSub) || p.before(i, KindMul) || p.before(i, KindDiv)):
		return d.Noted("Only `+=`, `max=` and `min=` update a tensor; else write `x = x - 1`.")
	case kind == KindAssign && want == "`:` or `(`":
		return d.Noted("Data is bound from outside, as with `--input A=FILE`.")
	case kind == KindAssign && i > 0 && !p.toks[i].newline:
		return d.Noted("To compare, write `==`.")
	case kind == KindSetMax || kind == KindSetMin || kind == KindSetAdd:
		return d.Noted(fmt.Sprintf("`%s` updates a tensor: `D[i,j] %s ...`.", p.word(i), p.word(i)))
	case i > 0 && p.inClause && (kind == KindLBrace && p.toks[i-1].kind == KindIdent || kind == KindColon && (p.toks[i+1].kind == KindLBrace || slices.Contains([]string{"count", "sum", "min", "max", "mean"}, p.word(i-1)))):
		return d.Noted(aggregateForm)
	case kind == KindLBrace && p.before(i, KindIdent) && p.word(i-1) == "sum_":
		return d.Noted(stdlib.Summed)
	case kind == KindLBrace && want == "`=`":
		return d.Fixed("write `=`", at(int(p.toks[i-1].end), 0), " =")
	case kind == KindLBrace:
		return d.Noted("Braces only hold the block of a def or a repeat; a list is written [ ].")
	case kind == KindColon && p.toks[i+1].kind == KindAssign && p.next(i, KindAssign):
		return d.Fixed("write `=`", p.span(i, i+2), "=")
	case kind == KindColon && p.next(i, KindIdent) && i > 0 && p.toks[i-1].kind.ends() && (p.word(i+1) == "print" || p.word(i+1) == "why"):
		return p.withEnd(d, i-1)
	case kind == KindColon && p.next(i, KindSub) && i > 0 && p.toks[i-1].kind == KindIdent && (i == 1 || p.toks[i-1].newline):
		return d.Fixed("write `"+p.word(i-1)+"()`", p.toks[i-1].span(), p.word(i-1)+"()")
	case kind == KindColon && p.next(i, KindSub):
		return d.Noted("A rule is `Head(x) <- Body(x).`")
	case kind == KindColon && p.next(i, KindColon) && i > 0 && p.toks[i-1].kind == KindNumber:
		return d.Noted("A fact that is not sure, as in `0.7 :: P(\"a\").`, is reserved for a later version.")
	case kind == KindColon && want == "the end of the statement" && i > 0 && p.toks[i-1].kind == KindNumber:
		return d.Noted("`range(10)` is 0 to 9, and `range(10) + 1` is 1 to 10.")
	case kind == KindMul && p.inClause && p.before(i, KindLParen) && p.next(i, KindRParen):
		d = d.Noted("`count()` counts the bindings of the body, `count(x)` the different values of x.")
		if i > 1 && strings.EqualFold(p.word(i-2), "count") {
			d = d.Fixed("delete it", p.toks[i].span(), "")
		}
		return d
	case kind == KindDot && want == "the end of the statement":
		return d.Fixed("delete it", p.toks[i].span(), "")
	case kind == KindQuestion && !p.inClause:
		return d.Noted("In Ein, write `where(p, a, b)`.")
	case kind == KindComma && want == "`)`":
		return d.Noted("A list is written [1, 2]; a call has its arguments one by one, as in `zeros(2, 3)`.")
	case kind == KindColon && (want == "`,` or `]`" || want == "a value" && i > 0 && (p.toks[i-1].kind == KindLBracket || p.toks[i-1].kind == KindComma)):
		return d.Noted("There are no slices: an index that stays free is a name, as in `Row[j] = A[2,j]`.")
	}
	return d
}

const aggregateForm = "An aggregate belongs in the head of a rule: `Total(x, count(), sum(a)) <- Pay(x, a).`"

// noValue adds to errExpected what helps where token i should begin a value, if anything does.
func (p *parser) noValue(d *diag.Diagnostic, i, end int) (told *diag.Diagnostic, ok bool) {
	switch kind := p.toks[i].kind; {
	case kind == KindDiv && p.next(i, KindMul) || kind == KindMul && p.before(i, KindDiv):
		return d.Noted("A comment starts with // or #."), true
	case kind == KindQuestion && p.inClause && i > 0 && !p.toks[i-1].kind.ends() && p.next(i, KindIdent): // of SPARQL
		var edits []diag.Edit
		for k := i; k < end; k++ {
			if p.toks[k].kind == KindQuestion && !p.toks[k-1].kind.ends() && p.next(k, KindIdent) {
				edits = append(edits, diag.Edit{Span: p.toks[k].span()})
			}
		}
		d.Fixes = []diag.Fix{{Title: "delete `?`", Edits: edits}}
		return d.Noted("A variable is a name that begins with a lower-case letter."), true
	case kind == KindDot && p.before(i, KindQuestion):
		return d.Fixed("delete it", p.toks[i].span(), ""), true
	case kind == KindQuestion && p.inClause:
		return d.Noted("A query ends with `?`, as in `Path(\"a\", x)?`."), true
	case kind == KindDot && p.next(i, KindIdent): // of Soufflé
		return d.Noted("Relations need no declaration: data is `input Edge(x: node, y: node)`, and a query such as `Path(x, y)?` prints rows."), true
	case kind == KindColon && p.next(i, KindSub) && slices.Contains([]string{"discontiguous", "dynamic", "initialization", "table", "use_module"}, p.word(i+2)):
		return d.Noted("Relations need no declaration: a fact or a rule is enough, and a query such as `Path(x, y)?` prints rows."), true
	case kind == KindColon && p.next(i, KindSub): // a goal of Prolog
		return d.Fixed("write `?-`", p.span(i, i+2), "?-"), true
	case i > 0 && kind == KindDot && p.inClause && p.toks[i-1].kind == KindComma:
		return d.Fixed("delete the comma", p.toks[i-1].span(), ""), true
	case i > 0 && kind == KindDot && p.inClause && p.toks[i-1].kind == KindArrow:
		return d.Noted("A rule needs a body; a fact is `Parent(\"ann\", \"bob\").`"), true
	case kind == KindDiv && p.before(i, KindAssign) && p.next(i, KindAssign):
		return d.Fixed("write `!=`", p.span(i-1, i+2), "!="), true
	case kind.infix() && i > 0 && p.toks[i].newline:
		return d.Noted("A statement ends with its line, unless the line ends with an operator or inside brackets."), true
	case kind == KindAdd && p.before(i, KindAdd):
		return d.Noted("To add to a tensor, write `x += 1`."), true
	default:
		return d, false
	}
}

// before and next report whether the token before i, or behind it, is of a kind, with no blank between.
func (p *parser) before(i int, kind Kind) bool {
	return i > 0 && p.toks[i-1].end == p.toks[i].start && p.toks[i-1].kind == kind
}

func (p *parser) next(i int, kind Kind) bool {
	return p.toks[i+1].start == p.toks[i].end && p.toks[i+1].kind == kind
}

// errMissingComma reports a value on a line of its own behind another, inside brackets; on one line
// the two would be a product.
func errMissingComma(before, next source.Span, text string) *diag.Diagnostic {
	d := diag.New(codes.E0106, next, "expected a comma before %s", excerpt(text[next.Start:next.End])).Noted("A product never crosses a newline.")
	return d.Fixed("insert a comma", at(before.End, 0), ",")
}

// errSideBySide and errNumberFactor offer a comma only inside brackets, where
// one can be missing.
func errSideBySide(before, next source.Span, text string, str, inBrackets bool) *diag.Diagnostic {
	d := diag.New(codes.E0106, next, "%s cannot be a factor of the value before it", excerpt(text[next.Start:next.End]))
	d.Related = []diag.Related{{Span: before, Message: "the value before it"}}
	d = d.Noted("A literal is multiplied with `*`; elements of a list are separated by commas.")
	if inBrackets {
		return d.Fixed("insert a comma", at(before.End, 0), ",")
	} else if str {
		return d
	}
	return d.Fixed("write `*`", at(before.End, 0), " *")
}

const quotientNote = "`//` begins a comment; the whole part of a division is `floor(a / b)`."

const restNote = "The rest of a division is `a - b * floor(a / b)`."

// errNumberFactor reports a number behind a factor. numbers says that the factor is one too,
// inBrackets that a comma could be missing.
func errNumberFactor(before, next source.Span, text string, numbers, inBrackets bool) *diag.Diagnostic {
	what := excerpt(text[next.Start:next.End])
	if numbers {
		d := diag.New(codes.E0106, next, "two numbers side by side: %s %s", excerpt(text[before.Start:before.End]), what)
		if !inBrackets {
			return d.Noted("A vector is written [1, 2].")
		}
		return d.Noted("Is a comma missing?").Fixed("insert a comma", at(before.End, 0), ",")
	}
	d := diag.New(codes.E0106, next, "%s cannot follow %s without an operator", what, excerpt(text[before.Start:before.End]))
	if words := strings.Fields(text[before.Start:before.End]); strings.ToLower(words[len(words)-1]) == "mod" {
		return d.Noted(restNote)
	}
	d = d.Noted("A number can be a factor only in first place, as in `2 A[i,j]`.")
	return d.Fixed("write `*`", at(before.End, 0), " *")
}

// errNoAxes reports an index list behind what has no axes. It is taken for a list that was meant as
// a factor.
func errNoAxes(x, open source.Span, text string) *diag.Diagnostic {
	d := diag.New(codes.E0113, x, "%s has no axes to index", excerpt(text[x.Start:x.End])).Labelled("a `[` behind a value is an index list")
	return d.Noted("A product with a list is written with `*`.").Fixed("write `*`", at(x.End, open.Start-x.End), " * ")
}

// states reports whether a name seems to be that of a relation: it begins a fact or a rule, or is
// called in a body.
func (p *parser) states(name string) bool {
	body := false
	for i, t := range p.toks[:len(p.toks)-1] {
		body = body && t.kind != KindDot && t.kind != KindQuestion || t.kind == KindArrow || t.kind == KindAsk
		if body && p.isAtom(i, len(p.toks)) && p.word(i) == name && stdlib.Lookup(name) == nil {
			return true
		}
		begins := i == 0 || p.toks[i].newline || p.toks[i-1].kind == KindDot
		if !begins || p.toks[i].kind != KindIdent || p.toks[i+1].kind != KindLParen || p.word(i) != name {
			continue
		}
		if next := p.toks[p.behindAtom(i, len(p.toks)-1)].kind; next == KindDot || next == KindArrow {
			return true
		}
	}
	return false
}

// errBareExpr reports an expression that is a whole statement: an equation of another language, a
// fact without its end, or a value that nothing uses.
func (p *parser) errBareExpr(x Expr) *diag.Diagnostic {
	if c, ok := x.(*Call); ok && (c.Fun.Name[0] < 'a' || p.states(c.Fun.Name)) {
		return p.errClauseEnd(segment{hi: p.i}, ".", "?")
	}
	d := diag.New(codes.E0107, x.Pos(), "an expression alone is not a statement")
	if y, ok := x.(*Product); ok && len(y.Factors) == 2 && isAtom(y.Factors[1]) && p.text[y.Start:y.Factors[0].Pos().End] == "not" {
		return d.Fixed("write `?`", at(y.End, 0), "?")
	}
	if b, ok := x.(*Binary); ok && b.Op == Le && isAtom(b.L) {
		return d.Noted("A rule is `Head(x) <- Body(x).`").Fixed("write `<-`", b.OpSpan, "<-")
	} else if ok && isHead(b.L) {
		minus, ok := b.R.(*Unary)
		switch arrow := ok && b.Op == Lt && minus.Start == b.OpSpan.End; { // x <- 3 in R
		case arrow:
			return d.Noted("To assign, write `=`.").Fixed("write `=`", b.OpSpan.Join(at(minus.Start, 1)), "=")
		case b.Op == Eq:
			return d.Noted("To assign, write `=`.").Fixed("write `=`", b.OpSpan, "=")
		}
	}
	return d.Noted("Give it a name with `Name = ...`, or show it with `:print ...`.")
}

// errQualified says that the name at i has a member, as a module, an object or a row has elsewhere.
func (p *parser) errQualified(i, hi int, clause bool) *diag.Diagnostic {
	owner, last := p.word(i), i+2
	module := slices.Contains([]string{"np", "numpy", "nx", "networkx", "math", "scipy", "torch", "pd"}, owner)
	for module && last+2 < hi && p.toks[last+1].kind == KindDot && p.toks[last+2].kind == KindIdent {
		last += 2
	}
	d := diag.New(codes.E0101, p.span(i, last+1), "a name cannot contain a dot")
	called := last+1 < hi && p.toks[last+1].kind == KindLParen
	if clause && !called {
		return d.Noted("The columns of a relation are told apart by their order: `Pay(from, to, amount, day)` has a variable for each.")
	}
	member := p.word(last)
	if member == "ein" {
		return d.Noted("This is the name of a file; a program is its text.")
	}
	name := cmp.Or(stdlib.Synonyms[member], member)
	if why := stdlib.Without[member]; why != "" {
		return d.Noted("Ein has no `" + member + "`: " + why + ".")
	}
	fix := func(note, title string, end int, text string) *diag.Diagnostic {
		d = d.Noted(note).Fixed(title, p.span(i, end), text)
		d.Fixes[0].Guess = true
		return d
	}
	const method = "There are no methods: a function is called with its tensor."
	switch {
	case stdlib.Constants[member] != "" && module:
		return fix("There are no modules.", "write the number", last+1, stdlib.Constants[member])
	case stdlib.Lookup(name) == nil && name != member:
		return d.Noted("In Ein, write `" + name + "`.")
	case stdlib.Lookup(name) == nil:
		return d.Noted("There are no modules and no methods: a function is called with its tensors, as in `sum(A, 1)`.")
	case module:
		return fix("There are no modules.", "leave out the module", last+1, name)
	case !called:
		return fix(method, "call `"+name+"`", last+1, name+"("+owner+")")
	case p.toks[last+2].kind == KindRParen:
		return fix(method, "call `"+name+"`", last+2, name+"("+owner)
	}
	return fix(method, "call `"+name+"`", last+2, name+"("+owner+", ")
}

// foreign says what there is instead of a keyword of another language in a statement that cannot be
// read. A fix would take the word for a tensor.
func (p *parser) foreign(d *diag.Diagnostic, seg segment) *diag.Diagnostic {
	general := []diag.Code{codes.E0101, codes.E0105, codes.E0106, codes.E0107, codes.E0110}
	if lo := seg.lo; seg.clause && p.toks[lo].kind == KindIdent && p.toks[lo+1].kind == KindIdent && !p.isNot(lo, seg.hi) { // of SQL
		if note := stdlib.Keyword(p.word(lo), true); note != "" {
			return diag.New(codes.E0101, p.toks[lo].span(), "%s is not part of the language", excerpt(p.word(lo))).Noted(note)
		}
	}
	quantified := strings.HasPrefix(p.text[d.Span.Start:], ":") // as in forall y: P(x, y)
	if !slices.Contains(general, d.Code) || seg.clause && d.Code != codes.E0106 && d.Code != codes.E0110 && !quantified {
		return d
	}
	for i := seg.lo; i < seg.hi; i++ {
		p.step(1, p.toks[i])
		first := i == seg.lo && (p.toks[i+1].kind == KindMul || p.toks[i+1].kind == KindQuestion) // SELECT *, SELECT ?x
		if p.toks[i].kind != KindIdent && p.toks[i].kind != KindNot || !first && !p.toks[i+1].kind.starts() && p.toks[i+1].kind != KindLParen {
			continue
		}
		note, fix := stdlib.Keyword(p.word(i), i == seg.lo), ""
		if seg.clause {
			w := stdlib.InBody[strings.ToLower(p.word(i))]
			note, fix = w.Note, w.Fix
		}
		if note == "" || p.isNot(i, seg.hi) && d.Code == codes.E0107 && len(d.Fixes) > 0 { // a query
			continue
		}
		switch d.Notes, d.Fixes = []string{note}, nil; {
		case fix == "=":
			d = d.Fixed("write `=`", p.toks[i].span(), fix)
		case seg.clause && i > seg.lo && p.isNot(i-1, seg.hi):
			d = d.Fixed("delete `"+p.word(i)+"`", p.toks[i].span(), "")
		}
		return d
	}
	return d
}

// errDirective reports a command of the session in a program.
func errDirective(text string, span source.Span) *diag.Diagnostic {
	word := text
	if i := strings.IndexFunc(text[1:], func(r rune) bool { return r >= utf8.RuneSelf || classes[r] == 0 }); i >= 0 {
		word = text[:1+i]
	}
	span.End = span.Start + len(word)
	d := diag.New(codes.E0108, span, "%s is not part of a program", excerpt(word))
	d = d.Noted("`:print` and `:why` are the only directives: a program file never executes commands.")
	shows := []string{"print", "show", "output", "display"}
	if _, ok := diag.Suggest(word[1:], shows); ok || slices.Contains(shows, word[1:]) {
		d = d.Fixed("write `:print`", span, ":print")
	}
	return d
}

// errClauseEnd says that a clause lacks its end, of which there may be one for each
// thing that it could be.
func (p *parser) errClauseEnd(seg segment, ends ...string) *diag.Diagnostic {
	hi := seg.hi
	what := map[string]string{".": "a fact or a rule ends with `.`", "?": "a query ends with `?`"}
	d := diag.New(codes.E0811, at(int(p.toks[hi-1].end), 0), "%s", what[ends[0]])
	if len(ends) > 1 {
		d.Message += ", " + what[ends[1]]
	}
	place, or := d.Span, false
	if p.toks[hi].kind == KindSemicolon {
		place = p.toks[hi].span()
		next := p.toks[hi+1]
		or = next.kind != KindEOF && !next.newline
	}
	if or {
		d = d.Noted(notOr)
	}
	if or && seg.arrow > 0 {
		p.orElse = true
		return d.Fixed("write a second rule", place, ". "+p.text[p.toks[seg.lo].start:p.toks[seg.arrow].end])
	}
	divides := p.divides(seg.lo, hi-1)
	if divides {
		d = d.Noted(quotientNote)
	}
	for _, end := range ends {
		d = d.Fixed("write `"+end+"`", place, end)
		d.Fixes[len(d.Fixes)-1].Guess = or || divides || len(ends) > 1
	}
	return d
}

// divides reports whether the comment behind the value that ends with token i reads as the divisor
// of that value: it begins with a number, or with a name of its statement.
func (p *parser) divides(lo, i int) bool {
	rest, comment := strings.CutPrefix(strings.TrimLeft(p.text[p.toks[i].end:], " "), "//")
	rest = strings.TrimLeft(rest, " ")
	switch t := p.toks[i]; {
	case !comment || rest == "" || !t.kind.ends(), t.kind == KindRParen && p.attached(p.around(lo, i)): // behind an atom
		return false
	case rest[0] >= '0' && rest[0] <= '9':
		return true
	}
	word := rest[:len(rest)-len(strings.TrimLeftFunc(rest, func(r rune) bool { return r < utf8.RuneSelf && classes[r] != 0 }))]
	return word != "" && slices.ContainsFunc(p.toks[lo:i+1], func(t token) bool { return t.kind == KindIdent && p.text[t.start:t.end] == word })
}

const notOr = "`;` is not or: for another way to the same rows, write a second rule with the same head."

// errManyFacts reports a clause of several atoms that ends with a dot: facts with commas between,
// or a rule without its arrow.
func errManyFacts(text string, body []Literal, end source.Span) *diag.Diagnostic {
	d := diag.New(codes.E0115, body[1].Span, "a fact is one atom")
	if n, ok := body[1].X.(*Name); ok && strings.EqualFold(n.Name, "if") && len(body) > 2 {
		return d.Noted("A rule is `Head(x) <- Body(x).`").Fixed("write `<-`", n.Span, "<-")
	}
	d = d.Noted("Each fact ends with its own `.`; a query of several atoms ends with `?`.")
	between := source.Span{Start: body[0].Span.End, End: body[1].Span.Start}
	noAtom := func(l Literal) bool { _, ok := l.X.(*Call); return !ok || l.Not || l.Value != nil }
	variable := func(a Arg) bool { x, ok := a.Value.(*Name); return ok && len(x.Name) == 1 && x.Name >= "u" }
	mayBeRule := !noAtom(body[0]) && !strings.Contains(text[between.Start:between.End], ",")
	if !slices.ContainsFunc(body, noAtom) && (!mayBeRule || !slices.ContainsFunc(body[0].X.(*Call).Args, variable)) {
		d = d.Fixed("write `.`", between, ". ")
	} else if !mayBeRule && !noAtom(body[0]) {
		d = d.Fixed("write `?`", end, "?")
		d.Fixes[0].Guess = true // or it is a rule without its head
	}
	if mayBeRule { // without its arrow it looks the same
		d = d.Fixed("write `<-`", between, " <- ")
		d.Fixes[len(d.Fixes)-1].Guess = true
	}
	return d
}

// errInBody reports an operator of a head in a body.
func errInBody(l Literal) *diag.Diagnostic {
	d := diag.New(codes.E0115, l.OpSpan, "`%s` is not allowed in the body of a rule", l.Op)
	return d.Noted("In a body `v = e` gives v a value; `" + l.Op.String() + "` belongs to the head: `T[x] " + l.Op.String() + " e <- Body(x, e).`")
}

const whyForm = "`:why` explains one atom: `:why Far(\"a\", \"b\")` or `:why not Far(\"a\", \"b\")`."

func errValuedAtom(r *Rule) *diag.Diagnostic {
	d := diag.New(codes.E0115, r.OpSpan, "round brackets hold what is true, square brackets what has a value")
	if head := r.Head.(*Call); len(r.Body) > 0 && r.Op == Set && len(head.Args) > 0 {
		return d.Noted("A column of the head may be computed: `Total(x, sum(a)) <- Pay(x, a).`").
			Fixed("make it a column", source.Span{Start: head.End - 1, End: r.Value.Pos().End}, ", "+ExprString(r.Value)+")")
	}
	if isAtom(r.Value) && r.Op == Set {
		return d.Noted("A rule is `Head(x) <- Body(x).`").Fixed("write `<-`", r.OpSpan, "<-")
	}
	return d.Noted(fmt.Sprintf("A value by key is written `%s[x] min= e <- Body(x, e).`, also with max= and +=.", r.Head.(*Call).Fun.Name))
}

// errSetValue reports T[x] = e <- body. What aggregates e is the operator's work.
func errSetValue(r *Rule) *diag.Diagnostic {
	d := say(errSetHead, r.OpSpan)
	call, ok := r.Value.(*Call)
	if !ok || len(call.Args) > 1 {
		return d
	}
	op, of := map[string]string{"sum": "+=", "count": "+=", "min": "min=", "max": "max="}[call.Fun.Name], "1"
	if len(call.Args) == 1 {
		of = ExprString(call.Args[0].Value)
	}
	if op == "" || (call.Fun.Name == "count") != (len(call.Args) == 0) {
		return d
	}
	return d.Fixed("write `"+op+" "+of+"`", r.OpSpan.Join(call.Span), op+" "+of)
}

// errEndedAssign says that an assignment needs no end. Before a value on its line the dot at i is
// the operator of other languages. T[x] sum= e has an operator that there is not.
func (p *parser) errEndedAssign(l Literal, i int) *diag.Diagnostic {
	if x, ok := l.X.(*Product); ok && x.Factors[len(x.Factors)-1].Pos().End == l.OpSpan.Start {
		d, last := say(errSetHead, l.OpSpan), x.Factors[len(x.Factors)-1].Pos()
		if p.text[last.Start:last.End] == "sum" {
			d = d.Fixed("write `+=`", last.Join(l.OpSpan), "+=")
		}
		return d
	}
	end, next := p.toks[i].span(), p.toks[i+1]
	d := diag.New(codes.E0101, end, "an assignment ends with its line, not with `.`")
	if !next.newline && next.kind.starts() {
		return d.Noted("A product of matrices is `C[i,k] = A[i,j] B[j,k]`, one of vectors `s = u[i] v[i]`.")
	}
	return d.Fixed("delete it", end, "")
}

// errLeftSide reports what cannot be assigned to.
func errLeftSide(x Expr, op token, text string) *diag.Diagnostic {
	d := diag.New(codes.E0110, x.Pos(), "%s cannot be assigned to", excerpt(text[x.Pos().Start:x.Pos().End])).Labelled("expected a name, or a name with indices")
	switch x := x.(type) {
	case *Call:
		d = d.Noted(fmt.Sprintf("A function is defined with `def %s(...) = ...`; an equation has brackets: `%s[...] = ...`.", x.Fun.Name, x.Fun.Name))
	case *Index:
		if _, twice := x.X.(*Index); twice {
			d = d.Noted("All indices stand in one pair of brackets, as in `B[i,k]`.")
		}
	case *Product:
		if first, ok := x.Factors[0].(*Name); ok && len(x.Factors) == 2 {
			name := text[x.Factors[1].Pos().Start:x.Factors[1].Pos().End]
			switch first.Name {
			case "graph", "matrix", "vector", "scalar":
				return d.Noted(fmt.Sprintf("Data are declared, with `input %s: %s`, and bound from outside, as with `--input %s=FILE`.", name, first.Name, name))
			case "int", "float", "double", "real", "bool":
				return d.Noted("A tensor has no declared type.").Fixed("delete `"+first.Name+"`", source.Span{Start: first.Start, End: x.Factors[1].Pos().Start}, "")
			}
		}
		if n, ok := x.Factors[len(x.Factors)-1].(*Name); ok && (n.Name == "max" || n.Name == "min") && op.kind == KindAssign {
			both := n.Join(op.span())
			d = d.Noted("The operator is written without a blank.").Fixed("write `"+n.Name+"=`", both, n.Name+"=")
		}
	}
	return d
}

// errSecondAssign reports another assignment in a statement that has one: two statements in a line,
// or a comparison.
func (p *parser) errSecondAssign(seg segment, i int) *diag.Diagnostic {
	t := p.toks[i]
	d := diag.New(codes.E0110, t.span(), "a second %s in one statement", excerpt(p.word(i)))
	if seg.clause {
		return d.Noted(stdlib.InBody["and"].Note)
	}
	if before := i - 2; before > seg.lo+1 && p.toks[before].kind.ends() && p.toks[i-1].kind == KindIdent && !p.toks[seg.lo].kind.directs() { // x = 1 y = 2
		return p.withEnd(d, before)
	} else if t.kind == KindAssign {
		d = d.Noted("To compare, write `==`; each assignment is a statement of its own.").Fixed("write `==`", t.span(), "==")
		d.Fixes[0].Guess = true // or it is two assignments
	}
	return d
}

// withEnd offers to end a statement behind token i, where another begins in its line.
func (p *parser) withEnd(d *diag.Diagnostic, i int) *diag.Diagnostic {
	d = d.Noted("Statements in one line are separated by `;`.")
	return d.Fixed("insert `;`", at(int(p.toks[i].end), 0), ";")
}

func errStopped(span source.Span) *diag.Diagnostic {
	return diag.New(codes.E0533, span, "reading the program was stopped").Labelled("it was here")
}

// noteMore says how many errors the limit left out.
func noteMore(end, n int) *diag.Diagnostic {
	s := "s are"
	if n == 1 {
		s = " is"
	}
	return diag.New(codes.N0506, source.Span{Start: end, End: end}, "%d more error%s not shown", n, s)
}

// explain says why the grammar stopped at token i of a segment, with a whole
// expression on the left if there was one. Only the place is taken from
// participle, whose messages speak of the grammar; what was expected follows from
// the tokens before.
func (p *parser) explain(seg segment, level, i int, left *expression) *diag.Diagnostic {
	return p.foreign(p.reason(seg, level, i, left), seg)
}

// stop is the place where the grammar stopped: at token t, number i.
type stop struct {
	*parser
	seg                segment
	level, i           int
	open               int // the innermost bracket that is open before t, or -1
	left               *expression
	first, before, t   token
	next               Kind // of t, or KindEOF where the line or the segment ends before it
	def, input, repeat bool // what the segment is
}

// reason is explain without what is foreign. It goes from what is certain to what is likely.
func (p *parser) reason(seg segment, level, i int, left *expression) *diag.Diagnostic {
	lo, hi := seg.lo, seg.hi
	s := &stop{
		parser: p, seg: seg, level: level, i: i, open: -1, left: left, first: p.toks[lo], t: p.toks[i], next: KindEOF,
		def: p.isDef(lo, hi), input: p.isInput(lo, hi), repeat: p.isRepeat(lo, hi),
	}
	if i <= seg.block || seg.block < 0 {
		s.open = p.around(lo, i)
	}
	if i > lo {
		s.before = p.toks[i-1]
	}
	if i < hi && !s.t.newline {
		s.next = s.t.kind
	}
	p.inClause = seg.clause
	for _, look := range [...]func() *diag.Diagnostic{s.misplaced, s.unmatched, s.statement, s.head, s.operand} {
		if d := look(); d != nil {
			return d
		}
	}
	return s.end()
}

// expected says that want was expected where the parser stopped.
func (s *stop) expected(want string) *diag.Diagnostic { return s.errExpected(want, s.i, s.seg.hi) }

// lacks says so of a statement whose form it shows.
func (s *stop) lacks(form message, want string) *diag.Diagnostic {
	d := s.expected(want)
	d.Code = form.code
	return d.Noted(form.note)
}

// misplaced reports a word that cannot be here. This and the four that follow are asked in turn,
// and the first that knows what is wrong is believed; none of them parses again.
func (s *stop) misplaced() (none *diag.Diagnostic) {
	lo, hi := s.seg.lo, s.seg.hi
	switch {
	case s.i > lo && s.before.kind == KindDot && s.qualifies(s.i-1, hi):
		return s.errQualified(s.i-2, hi, s.seg.clause)
	case s.t.kind == KindDot && s.qualifies(s.i, hi):
		return s.errQualified(s.i-1, hi, s.seg.clause)
	case s.first.kind == KindDirective:
		return errDirective(s.word(lo), s.first.span())
	case s.level > 0 && s.first.kind.directs():
		return say(errInDef, s.first.span(), "`"+s.word(lo)+"`")
	case s.level > 0 && s.def:
		return say(errInDef, s.first.span(), "another `def`")
	case s.level > 0 && s.input:
		return say(errInDef, s.first.span(), "`input`")
	case s.level > 0 && s.seg.clause:
		return say(errInDef, s.span(lo, hi), "a fact, a rule or a query")
	}
	return none
}

// unmatched reports a bracket that closes nothing, and a not that is none.
func (s *stop) unmatched() (none *diag.Diagnostic) {
	switch closes := s.i < s.seg.hi && s.t.kind.closes(); {
	case closes && s.open < 0:
		return s.errNothingToClose(s.i, s.seg.hi)
	case closes && s.toks[s.open].kind.closer() != s.t.kind:
		return errMismatched(s.toks[s.open], s.t)
	case s.t.kind == KindNot && !s.seg.clause:
		return errRune(int(s.t.start), s.word(s.i))
	}
	return none
}

// statement reports what an input or a repeat lacks.
func (s *stop) statement() (none *diag.Diagnostic) {
	at := s.i - s.seg.lo
	switch {
	case s.input && s.open >= 0:
		return s.lacks(formInput, []string{"`,` or `)`", "the name of a column", "`:`", "the type of the column"}[(at-2)%4])
	case s.input && at > 3 && s.toks[s.seg.lo+2].kind == KindLParen:
		return s.lacks(formInput, "the end of the statement")
	case s.input:
		return s.lacks(formInput, []string{"`:` or `(`", "the kind of the input", "the end of the statement"}[min(at-2, 2)])
	case at == 0:
		return s.expected("a value")
	case s.repeat && at == 1:
		return s.lacks(formRepeat, "the number of rounds")
	case s.repeat && s.open < 0 && s.before.kind == KindRBrace:
		return s.lacks(formRepeat, "the end of the statement")
	case s.repeat && s.open < 0 && s.before.kind.ends():
		return s.lacks(formRepeat, "`{` and the statements")
	}
	return none
}

// head reports what a def lacks before its value.
func (s *stop) head() (none *diag.Diagnostic) {
	params := s.seg.lo + 2
	switch {
	case !s.def:
	case s.i == params:
		return s.lacks(formDef, "`(` and the parameters")
	case s.open == params && s.before.kind == KindIdent:
		d := s.expected("`,` or `)`")
		if s.next == KindAssign || s.next == KindColon {
			d.Notes = []string{"A parameter is a name alone, without a type or a default."}
		}
		return d
	case s.open == params:
		return s.expected("the name of a parameter")
	case s.before.kind == KindRParen && s.around(s.seg.lo, s.i-1) == params:
		return s.lacks(formDef, "`=`")
	case s.open < 0 && s.before.kind == KindAssign:
		return s.lacks(formDef, "a value")
	}
	return none
}

// operand reports what is wrong between two tokens of an expression, or in its brackets.
func (s *stop) operand() (none *diag.Diagnostic) {
	before, t, next := s.before, s.t, s.next
	switch {
	case before.kind == KindLBracket && next == KindRBracket:
		d := say(errEmptyIndex, before.span().Join(t.span()))
		if s.seg.clause {
			d.Notes = []string{errNoKey.note}
		}
		return d
	case !before.kind.ends() && before.kind != KindRBrace:
		return s.expected("a value")
	case next == KindLBracket && before.kind != KindRBrace:
		return errNoAxes(before.span(), t.span(), s.text)
	case next.starts() && before.kind != KindRBrace:
		if from := s.literal(s.seg.lo, s.i); from >= 0 {
			return errSideBySide(s.span(from, s.i), t.span(), s.text, before.kind == KindString || next == KindString, s.open >= 0)
		}
		return errNumberFactor(before.span(), t.span(), s.text, before.kind == KindNumber && next == KindNumber, s.open >= 0)
	case s.open >= 0 && s.i < s.seg.hi && t.kind.starts():
		return errMissingComma(before.span(), t.span(), s.text)
	case s.open >= 0:
		open := s.toks[s.open]
		want := bracketName(open.kind.closer())
		if open.kind == KindLBracket || s.attached(s.open) && s.toks[s.open-1].kind == KindIdent {
			want = "`,` or " + want
		}
		return s.expected(want).Beside(open.span(), bracketName(open.kind)+" opened here")
	}
	return none
}

// end reports what follows a statement that could end here, or what a clause lacks.
func (s *stop) end() *diag.Diagnostic {
	seg, t, next, lo, hi := s.seg, s.t, s.next, s.seg.lo, s.seg.hi
	bare := !s.def && !s.first.kind.directs() && s.headOp(lo, hi, false) < 0
	switch {
	case s.def:
		return s.lacks(formDef, "the end of the statement")
	case seg.arrow > s.i && next == KindComma:
		return say(errManyHeads, t.span())
	case seg.arrow > 0 && next == KindQuestion:
		return diag.New(codes.E0811, t.span(), "a rule ends with `.`, not with `?`").Fixed("write `.`", t.span(), ".")
	case seg.clause && next == KindArrow:
		return s.expected("`?`").Noted("A rule is written `Head(x) <- Body(x).`, a query `Body(x)?`.")
	case seg.clause && s.before.kind == KindIdent && s.i-2 >= lo && s.isNot(s.i-2, hi):
		return s.expected("`(`")
	case seg.clause && s.i >= hi && s.before.kind.ends():
		return s.endless(seg)
	case next.assign() && bare && !seg.clause:
		s.begin(seg)
		x, _ := s.expression(s.left)
		return errLeftSide(x, t, s.text)
	case next.assign():
		if after := s.toks[s.i+1]; after.start == t.end && (after.kind == KindLt || after.kind == KindGt) { // =< or =>
			op := map[Kind]string{KindLt: "<=", KindGt: ">="}[after.kind]
			d := diag.New(codes.E0101, s.span(s.i, s.i+2), "%s is not part of the language", excerpt(s.text[t.start:after.end]))
			d = d.Fixed("write `"+op+"`", s.span(s.i, s.i+2), op)
			d.Fixes[0].Guess = after.kind == KindGt // x => x + 1 is a function elsewhere
			return d
		}
		return s.errSecondAssign(seg, s.i)
	case next == KindQuestion && s.i+1 == hi && s.first.kind == KindPrint && s.behindAtom(lo+1, hi) == s.i:
		d := diag.New(codes.E0101, t.span(), "expected the end of the statement, found `?`")
		return d.Noted("A query is an output by itself.").Fixed("delete `:print`", source.Span{Start: int(s.first.start), End: int(s.toks[lo+1].start)}, "")
	case seg.arrow > 0:
		return s.expected("`,` or `.`")
	case s.first.kind == KindWhy:
		return s.expected("the end of the statement").Noted(whyForm)
	case seg.clause:
		return s.expected("`,`, `.` or `?`")
	}
	return s.expected("the end of the statement")
}

// errManyValues reports the comma at i behind the value of a statement. It may group digits.
func (p *parser) errManyValues(i int) *diag.Diagnostic {
	d := say(errManyValues, p.toks[i].span())
	var edits []diag.Edit
	for ; p.toks[i].kind == KindComma; i += 2 {
		a, b := p.toks[i-1], p.toks[i+1]
		if a.kind != KindNumber || b.kind != KindNumber || b.end-b.start != 3 || a.end+1 != b.start {
			break
		}
		edits = append(edits, diag.Edit{Span: p.toks[i].span()})
	}
	if edits != nil {
		d.Notes = []string{"Digits are not grouped."}
		d.Fixes = []diag.Fix{{Title: "write the digits together", Edits: edits, Guess: true}}
	}
	return d
}

// endless says what a clause lacks that is whole but for its end.
func (p *parser) endless(seg segment) *diag.Diagnostic {
	if seg.arrow > 0 {
		return p.errClauseEnd(seg, ".")
	}
	if i := p.behindAtom(seg.lo, seg.hi); i < seg.hi && p.text[p.toks[seg.hi-1].end-1] == '.' {
		if t := p.toks[i]; t.kind == KindAssign || t.kind == KindLe || p.isWord(i, seg.hi, "if") {
			return p.errArrow(t.span()) // P(x) = Q(x, y), y > 3.
		}
	}
	comma, depth := -1, 0
	for i := seg.lo; i < seg.hi; i++ {
		switch k := p.toks[i].kind; {
		case k.opens():
			depth++
		case k.closes():
			depth--
		case depth > 0:
		case k == KindLt && p.next(i, KindSub) && p.toks[seg.lo].kind == KindIdent && p.toks[seg.lo+1].kind.assign(): // M max= T[x] <- Q(x, y), y > 3.
			d := say(errNoKey, p.toks[seg.lo].span(), excerpt(p.word(seg.lo)))
			d.Code = codes.E0101 // it has no end
			return d
		case k == KindAsk, k == KindIdent && p.toks[i+1].kind == KindLParen && stdlib.Lookup(p.word(i)) == nil:
			return p.errClauseEnd(seg, "?")
		case k == KindComma && comma < 0:
			comma = i
		}
	}
	if comma < 0 {
		return p.errClauseEnd(seg, ".", "?")
	}
	return p.foreign(p.errManyValues(comma), segment{lo: seg.lo, hi: seg.hi})
}

// behindAtom is the token behind the atom P(...) that begins at i, or hi.
func (p *parser) behindAtom(i, hi int) int {
	if !p.isAtom(i, hi) {
		return hi
	}
	return min(p.match(i+1, hi, false)+1, hi)
}

// errArrow says that a rule has another sign where its arrow belongs.
func (p *parser) errArrow(at source.Span) *diag.Diagnostic {
	return diag.New(codes.E0101, at, "expected `<-`, found %s", excerpt(p.text[at.Start:at.End])).Noted("A rule is `Head(x) <- Body(x).`").Fixed("write `<-`", at, "<-")
}

// around is the innermost bracket that is open before token i, or -1.
func (p *parser) around(lo, i int) int {
	p.stack = p.stack[:0]
	for j := lo; j < i; j++ {
		if k := p.toks[j].kind; k.opens() {
			p.stack = append(p.stack, j)
		} else if k.closes() && len(p.stack) > 0 {
			p.stack = p.stack[:len(p.stack)-1]
		}
	}
	p.step(i-lo, p.toks[lo])
	if len(p.stack) == 0 {
		return -1
	}
	return p.stack[len(p.stack)-1]
}

// literal is where the string or the list that ends before token i begins, -1 if
// neither stands there.
func (p *parser) literal(lo, i int) int {
	switch p.toks[i-1].kind {
	case KindString:
		return i - 1
	case KindRBracket:
		if open := p.around(lo, i-1); !p.attached(open) {
			return open
		}
	}
	return -1
}

// attached reports whether the bracket at i belongs to what stands before it: to
// a call or an index list.
func (p *parser) attached(i int) bool {
	return i > 0 && p.toks[i-1].kind.ends() && !p.toks[i].newline
}
