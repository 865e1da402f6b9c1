package syntax

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/ebnf"
	"github.com/alecthomas/participle/v2/lexer"

	"ein/internal/codes"
	"ein/internal/corpus"
	"ein/lang/diag"
	"ein/lang/source"
)

// sameSlowly parses text with the fast path and without, and requires the same
// tree, places and diagnostics, as it does with the memory of another file; and that the grammar of whole programs accepts
// what is parsed without a syntax error, and nothing else.
func sameSlowly(t *testing.T, text string, opt Options) *File {
	t.Helper()
	src := source.NewFile("in.ein", text)
	got := Parse(src, opt)
	opt.Into = Parse(source.NewFile("before.ein", "A = [1, 2, x] # y\n"+text), opt)
	if into := Parse(src, opt); !reflect.DeepEqual(got.Stmts, into.Stmts) || !reflect.DeepEqual(got.Diags, into.Diags) || got.Footprint != into.Footprint {
		t.Fatalf("%q is\n%s%v\nand in the memory of another\n%s%v", text, Dump(got), got.Diags, Dump(into), into.Diags)
	}
	opt.Into, opt.NoFastPath = nil, true
	want := Parse(src, opt)
	got.Footprint, got.mem = want.Footprint, want.mem // of two readers
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q is\n%s%v\nand by the grammar alone\n%s%v", text, Dump(got), got.Diags, Dump(want), want.Diags)
	}
	if opt.Limits == (Limits{}) {
		_, err := programs().ParseFromLexer(wholeProgram(src))
		if (err == nil) != grammatical(got) {
			t.Fatalf("%q: %v\n%v", text, err, got.Diags)
		}
	}
	return got
}

// grammatical reports whether nothing is wrong with a program but what is said of
// its tree, a bare expression and a def without a value, or of a comment.
func grammatical(f *File) bool {
	return !slices.ContainsFunc(f.Diags, func(d diag.Diagnostic) bool {
		inComment := slices.ContainsFunc(f.Comments, func(c Comment) bool {
			return d.Span.Len() > 0 && c.Span.Start <= d.Span.Start && d.Span.End <= c.Span.End
		})
		return !inComment && d.Code != codes.E0107 && d.Code != codes.E0115 && (d.Code != codes.E0811 || len(d.Fixes) == 1) && d.Message != "an assignment ends with its line, not with `.`" && !strings.Contains(d.Message, "the body of a def needs a value")
	})
}

// wholeProgram is the tokens of a program with the bodies of its functions.
func wholeProgram(src *source.File) *lexer.PeekingLexer {
	p := newParser(src, Options{})
	defer p.release()
	p.lex()
	var out tape
	var statements func(lo, hi int)
	statements = func(lo, hi int) {
		for i := lo; i < hi; {
			if p.toks[i].kind == KindSemicolon {
				i++
				continue
			}
			seg := p.cut(i, hi)
			if i = seg.hi; seg.wrong {
				out = append(out, lexer.Token{Type: typeWrong})
				continue
			}
			rest := seg
			if seg.block >= 0 {
				head := seg
				head.hi, head.block = seg.block+1, -1
				out.feed(feeder{parser: p, seg: head, i: head.lo})
				statements(seg.block+1, seg.close)
				rest.lo, rest.block = seg.close, -1
			}
			out.feed(feeder{parser: p, seg: rest, i: rest.lo})
			out = append(out, lexer.Token{Type: typeEOL})
		}
	}
	statements(0, len(p.toks)-1)
	lex, err := lexer.Upgrade(&out)
	if err != nil {
		panic(err)
	}
	return lex
}

// tape is a lexer of given tokens.
type tape []lexer.Token

func (t *tape) feed(f feeder) {
	for {
		tok, err := f.Next()
		if err != nil {
			panic(err)
		}
		if tok.EOF() {
			return
		}
		*t = append(*t, tok)
	}
}

func (t *tape) Next() (lexer.Token, error) {
	if len(*t) == 0 {
		return lexer.EOFToken(lexer.Position{}), nil
	}
	out := (*t)[0]
	*t = (*t)[1:]
	return out, nil
}

// everyText is the corpus, and what the tests of this package parse.
func everyText(t testing.TB) []string {
	texts := append([]string{multiQuery, triangle}, literals...)
	for _, c := range corpus.Cases() {
		texts = append(texts, c.Source)
	}
	names := "[" + strings.Repeat("x, ", longList) + "x]"
	texts = append(texts, // of what the fast path tells the grammar of a list
		"A = "+names+" = 3", "A = f("+strings.Repeat("1, ", DefaultArguments)+names+")", "A = f("+names+" 3)",
		"f("+names+") = 3", names+" = 3", "A["+strings.Repeat("x, ", longList)+"] = 3", "A = [("+names+", 1 2)]",
		strings.Repeat("A = 1 2\n", DefaultDiagnostics)+"def f(x) = {\n y = 1 +",
	)
	return append(texts, seeds(t)...)
}

// TestFastPathIsTaken holds that the fast path reads all that is right.
func TestFastPathIsTaken(t *testing.T) {
	for _, text := range everyText(t) {
		src := source.NewFile("in.ein", text)
		if len(Parse(src, Options{Repl: true}).Diags) > 0 {
			continue
		}
		p := newParser(src, Options{Repl: true})
		p.lex()
		for i, hi := 0, len(p.toks)-1; i < hi; i++ {
			if p.toks[i].kind != KindSemicolon {
				seg := p.cut(i, hi)
				if i = seg.hi - 1; p.fast(seg, 0) == nil {
					t.Errorf("%q is left to the grammar", text[p.toks[seg.lo].start:p.toks[i].end])
				}
			}
		}
		p.release()
	}
}

func FuzzGrammar(f *testing.F) {
	for _, s := range everyText(f) {
		f.Add(s, false, false)
		f.Add(s, true, true)
	}
	f.Fuzz(func(t *testing.T, text string, repl, small bool) {
		if len(text) > 4000 {
			return
		}
		opt := Options{Repl: repl}
		if small {
			opt.Limits = smallLimits
		}
		sameSlowly(t, text, opt)
	})
}

// TestSentences makes programs from the grammar as it is printed. They parse. With
// a token deleted, doubled or swapped with the next they may not, but then both
// readers stop at the same place.
func TestSentences(t *testing.T) {
	printed, err := ebnf.ParseString(Grammar())
	if err != nil {
		t.Fatal(err)
	}
	s := sentences{rand: rand.New(rand.NewPCG(1, 2)), productions: map[string]*ebnf.Expression{}, used: map[string]bool{}}
	for _, p := range printed.Productions {
		s.productions[p.Production] = p.Expression
	}
	n := 300
	if testing.Short() {
		n = 100
	}
	for range n {
		s.words, s.room = nil, 40
		s.term(&ebnf.Term{Name: "Program"})
		words := s.words
		text := strings.Join(words, " ")
		if f := sameSlowly(t, text, Options{Repl: true}); !grammatical(f) {
			t.Fatalf("%q is made from the grammar: %v", text, f.Diags)
		}
		for range 5 {
			if len(words) < 2 {
				break
			}
			i := s.rand.IntN(len(words) - 1)
			mutated := slices.Clone(words)
			switch s.rand.IntN(3) {
			case 0:
				mutated = slices.Delete(mutated, i, i+1)
			case 1:
				mutated = slices.Insert(mutated, i, mutated[i])
			default:
				mutated[i], mutated[i+1] = mutated[i+1], mutated[i]
			}
			sameSlowly(t, strings.Join(mutated, " "), Options{Repl: s.rand.IntN(2) == 0})
		}
	}
	for name := range s.productions {
		if !s.used[name] {
			t.Errorf("no sentence has a %s", name)
		}
	}
}

// sentences makes sentences of a grammar.
type sentences struct {
	rand        *rand.Rand
	productions map[string]*ebnf.Expression
	used        map[string]bool
	words       []string
	room        int // words until it chooses what is short
}

func (s *sentences) expression(e *ebnf.Expression) {
	alternatives := e.Alternatives
	if len(s.words) > s.room {
		alternatives = alternatives[:1] // none of which leads to itself
	}
	for _, term := range alternatives[s.rand.IntN(len(alternatives))].Terms {
		if term.Group != nil && term.Group.Lookahead != ebnf.LookaheadAssertionNone {
			continue // it says again what follows
		}
		n := 1
		more := len(s.words) <= s.room
		switch term.Repetition {
		case "?":
			n = 0
			if more {
				n = s.rand.IntN(2)
			}
		case "*", "+":
			n = 0
			if more {
				n = s.rand.IntN(4) / 2
			}
			if term.Repetition == "+" {
				n = max(n, 1)
			}
		}
		for range n {
			s.term(term)
		}
	}
}

func (s *sentences) term(t *ebnf.Term) {
	switch {
	case t.Group != nil:
		s.expression(t.Group.Expr)
	case t.Name != "":
		s.used[t.Name] = true
		s.expression(s.productions[t.Name])
	case t.Literal != "":
		word, err := strconv.Unquote(t.Literal)
		if err != nil {
			panic(err)
		}
		s.words = append(s.words, word)
	default:
		words := terminals[t.Token]
		s.words = append(s.words, words[s.rand.IntN(len(words))])
	}
}

var terminals = map[string][]string{
	"clause":  {""},
	"rule":    {""},
	"ask":     {"?-"},
	"not":     {"not", "!", "~", "\\+"},
	"arrow":   {"<-"},
	"eol":     {"\n", ";", "\n\n"},
	"ident":   {"A", "B_1", "x", "max", "definition"},
	"number":  {"0", "2.5", ".5", "1e3"},
	"string":  {`"a"`, `"\n\""`},
	"assign":  {"=", "max=", "min=", "+="},
	"compare": {">", ">=", "<", "<=", "==", "!="},
	"add":     {"+", "-"},
	"mul":     {"*", "/"},
}
