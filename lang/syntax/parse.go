// Package syntax parses and formats Ein programs. It knows nothing of their meaning.
//
// [Parse] gives a [File], a list of statements that keeps comments and mistakes ([Bad]); [Format]
// prints it in canonical form, and [Walk] visits its nodes.
//
// # Tokens and statements
//
// The lexer makes tokens of 12 bytes and never fails; tokens and the blanks between them cover
// the text. Two depend on what precedes them: max= is an operator only after an operand, and
// :word a directive only at the start of a statement. A statement ends at a newline or semicolon
// outside brackets, and before a token that can only begin another statement, so that an open
// bracket does not swallow the rest of the file (split.go). Each statement is parsed by itself:
// one mistake costs one statement and one message. Every recursion has a limit that is checked
// before it starts; see [Limits].
//
// # The grammar and the fast path
//
// The structs of grammar.go define the syntax; [Grammar] prints them for the language page.
// Change the syntax there first. Participle reads a statement into those structs, from which
// build.go makes the tree, or stops at a token, and errors.go says what was expected there. One
// token always decides.
//
// Participle takes 25 times as long as code by hand, so fast.go (precedence climbing) makes the
// same nodes for statements that are right. It has no messages: where it cannot continue, the
// grammar reads the statement again, without the items of a list that were read already.
// FuzzGrammar requires the same tree, places and diagnostics without the fast path
// (Options.NoFastPath), and TestSentences generates right and wrong programs from the printed
// grammar.
//
// A list of 8 or more numbers of one shape is packed into one slice, 8 bytes a number rather than
// 100, which the checker then uses as its constant (packed.go; Limits.Pack).
package syntax

import (
	"context"
	"slices"
	"strings"
	"sync"

	"ein/internal/words"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/steps"
)

// Options say how to parse.
type Options struct {
	// Repl accepts a bare expression as a statement.
	Repl   bool
	Limits Limits
	// From is where to begin: what stands before it has been read.
	From int
	// Context stops the parser soon after it ends; nil never does.
	Context context.Context
	// Into is a File that is in use no more, whose memory the result takes; nil is
	// none.
	Into *File
	// NoFastPath leaves all reading to the grammar. It gives the same File but for
	// its Footprint, and takes about 25 times as long.
	NoFastPath bool
}

// Parse parses a program. It never fails: what is wrong is in File.Diags.
func Parse(f *source.File, opt Options) *File {
	p := newParser(f, opt)
	file := p.program()
	p.release()
	return file
}

// program reads the whole file, each statement on its own, so that an error in one leaves the
// others readable.
func (p *parser) program() *File {
	p.lex()
	if !p.stopped {
		p.file.Stmts = p.statements(0, len(p.toks)-1, 0)
		if p.rewrite {
			p.rewriteAtoms()
		}
	}
	return p.finish()
}

// parser is the state of one Parse.
type parser struct {
	buffers
	file *File
	mem  *nodes // of the file
	text string
	opt  Options
	lim  Limits

	steps    steps.Counter
	stopped  bool // a limit was hit: the rest of the file is left alone
	errors   int  // errors found, shown or not
	fixable  int  // of them, those that more input at the end could fix
	nstmts   int
	i, end   int          // the cursor in toks, and where its statement ends
	depth    int          // brackets and minus signs around the cursor
	inClause bool         // the cursor is in a fact, a rule or a query
	orElse   bool         // the last statement is a rule that goes on behind a ; as if that were or
	rewrite  bool         // an atom may be written like a tensor
	blocks   int          // that the statement at the cursor is in
	tooHigh  *source.Span // where an expression first was
	meter    meter
	full     [][]token // of keepTokens each, before those in toks
	counted  int       // tokens that the meter knows of
	// The most elements and arguments that were in the buffers.
	highExprs, highArgs int
}

// buffers are the parts of a parser that the next one uses, too.
type buffers struct {
	stmts  []Stmt // of the blocks being read
	toks   []token
	stack  []int       // open brackets
	widths []int       // tokens since the last comma, outside and in each of them
	exprs  []Expr      // elements of the lists being read
	args   []Arg       // arguments of the calls being read
	packs  []rectangle // the packed lists, in order
	known  map[int]int // see elements
}

// keepTokens bounds what the pool holds on to between programs, and is how many
// tokens there is room made for at a time.
const keepTokens = 1 << 14

var pool = sync.Pool{New: func() any { return new(parser) }}

// newParser takes a parser from the pool, and memory for the nodes from opt.Into if it is given.
func newParser(f *source.File, opt Options) *parser {
	p := pool.Get().(*parser)
	p.file, p.text, p.opt = opt.Into, f.Text, opt
	if p.file == nil {
		own := new(struct {
			file File
			mem  nodes
		})
		p.file, own.file.mem = &own.file, &own.mem
	}
	if p.mem = p.file.mem; p.mem == nil {
		p.mem = new(nodes)
	}
	p.mem.reset()
	*p.file = File{Source: f, Comments: p.file.Comments[:0], mem: p.mem}
	p.lim, p.meter.max, p.steps = opt.Limits.withDefaults(), opt.Limits.Memory, steps.New(opt.Context)
	return p
}

// release gives the parser to the pool, unless its buffers have become large.
func (p *parser) release() {
	b := p.buffers
	if cap(b.toks) > keepTokens || cap(b.exprs) > keepTokens || cap(b.args) > keepTokens || cap(b.stmts) > keepTokens || cap(b.packs) > keepTokens/8 {
		return
	}
	// Nodes and source text must not live on in the pool.
	clear(b.exprs[:p.highExprs])
	clear(b.args[:p.highArgs])
	clear(b.known)
	b.toks, b.stack, b.exprs, b.args, b.packs = b.toks[:0], b.stack[:0], b.exprs[:0], b.args[:0], b.packs[:0]
	*p = parser{buffers: b}
	pool.Put(p)
}

// lex fills toks with everything the grammar cares for. Newlines become a flag,
// comments go to the file, text that is not Ein becomes a diagnostic, and a
// packed list becomes its first and its last brackets.
func (p *parser) lex() {
	size := len(p.text) - p.opt.From
	if size > p.lim.SourceBytes {
		p.stop(say(errSourceBytes, source.Span{}, words.Count(size), words.Count(p.lim.SourceBytes)))
		return
	}
	if strings.HasPrefix(p.text, "\xff\xfe") || strings.HasPrefix(p.text, "\xfe\xff") { // a byte order mark
		p.stop(say(errEncoding, at(0, 2)))
		return
	}
	// The text, and the index of its lines, which the first message makes.
	p.meter.take(size + 8*strings.Count(p.text[p.opt.From:], "\n"))
	// Few programs are longer than three bytes for each token.
	guess := min(size/3, keepTokens)
	if cap(p.toks) < guess {
		p.toks = make([]token, 0, guess)
	}
	p.countTokens(guess)
	newline := false
	var last Kind // of toks
	tokens := 0   // with those in packed lists
	tried := 0    // no list that starts before can be packed
	s := newScanner(p.text)
	for s.pos = max(s.pos, p.opt.From); ; {
		t := s.next()
		if p.step(1, t) {
			return
		}
		if t.kind.bad() {
			p.badToken(t)
		}
		if p.meter.over() {
			p.stop(say(errMemory, t.span(), words.Count(p.lim.Memory)))
			return
		}
		switch t.kind {
		case KindNewline:
			newline = true
			continue
		case KindComment, KindBadComment, KindDashComment:
			p.file.Comments = append(p.file.Comments, Comment{t.span()})
			p.meter.take(sizeOf[Comment]() * 5 / 4)
			continue
		}
		t.newline, newline = newline, false
		if t.kind == KindLBracket && int(t.start) >= tried && (t.newline || !last.ends()) {
			r, end, ok := s.rectangle(p.lim.Pack, p.lim.Tokens-tokens)
			if tried = end; ok {
				p.pack(t, r)
				tokens += r.hidden + 2*r.rank
				last = KindRBracket
				continue
			}
		}
		p.emit(t)
		last = t.kind
		if t.kind == KindEOF {
			if p.joinTokens(); p.meter.over() {
				p.stop(say(errMemory, t.span(), words.Count(p.lim.Memory)))
			}
			return
		}
		if tokens++; tokens > p.lim.Tokens {
			p.stop(say(errTokens, t.span(), words.Count(p.lim.Tokens)))
			return
		}
	}
}

// emit hands a token on.
func (p *parser) emit(t token) {
	if len(p.toks) == keepTokens {
		p.nextChunk()
	}
	p.toks = append(p.toks, t)
}

func (p *parser) nextChunk() {
	p.full = append(p.full, p.toks)
	p.countTokens((len(p.full) + 1) * keepTokens)
	p.toks = make([]token, 0, keepTokens)
}

// countTokens counts room for n tokens.
func (p *parser) countTokens(n int) {
	if n > p.counted {
		p.meter.take((n - p.counted) * tokenSize)
		p.counted = n
	}
}

// joinTokens makes one slice of the chunks. Growing one slice instead would take
// as much at its end, and leave what it outgrew to the collector.
func (p *parser) joinTokens() {
	p.countTokens(len(p.full)*keepTokens + len(p.toks))
	if len(p.full) == 0 {
		return
	}
	p.meter.take((len(p.full)*keepTokens + len(p.toks)) * tokenSize)
	if p.meter.over() {
		return
	}
	p.toks = slices.Concat(append(p.full, p.toks)...)
	p.full = nil
	p.meter.give(p.counted * tokenSize)
}

func (p *parser) badToken(t token) {
	p.errors++
	if p.errors <= p.lim.Diagnostics {
		p.file.Diags = append(p.file.Diags, *lexicalError(p.text, t))
	}
}

// report records an error that more input cannot fix.
func (p *parser) report(d *diag.Diagnostic) {
	p.errors++
	if p.errors <= p.lim.Diagnostics {
		p.file.Diags = append(p.file.Diags, *d)
	}
}

// step counts the work done at a token and reports whether to give up.
func (p *parser) step(n int, at token) bool {
	if p.steps.Add(n) && !p.stopped {
		p.stop(errStopped(at.span()))
	}
	return p.stopped
}

// stop reports a limit and gives up on the rest of the file.
func (p *parser) stop(d *diag.Diagnostic) {
	p.stopped, p.file.Cut = true, true
	p.report(d)
}

// finish sorts the diagnostics and says how many there are more.
func (p *parser) finish() *File {
	if p.meter.over() && !p.stopped {
		p.stop(say(errMemory, at(len(p.text), 0), words.Count(p.lim.Memory)))
	}
	f := p.file
	f.Incomplete = p.errors > 0 && p.errors == p.fixable
	f.Footprint = p.meter.peak
	f.Diags.Sort()
	if more := p.errors - p.lim.Diagnostics; more > 0 {
		f.Diags = append(f.Diags, *noteMore(len(p.text), more))
	}
	return f
}
