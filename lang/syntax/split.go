package syntax

import (
	"slices"

	"ein/internal/words"
)

// statements parses toks[lo:hi], the whole file or the body of the def that is
// at level 1. toks[hi] exists and is not part of them.
func (p *parser) statements(lo, hi, level int) []Stmt {
	mark := len(p.stmts)
	p.segments(lo, hi, level)
	read := p.stmts[mark:]
	p.stmts = p.stmts[:mark]
	defer clear(read)
	if len(read) > alone {
		return slices.Clone(read)
	}
	return p.mem.stmts.Copy(read...)
}

// segments appends the statements of toks[lo:hi] to p.stmts.
func (p *parser) segments(lo, hi, level int) {
	for i := lo; i < hi && !p.stopped; {
		if p.toks[i].kind == KindSemicolon {
			i++
			continue
		}
		if p.nstmts++; p.nstmts > p.lim.Statements {
			p.stop(say(errStatements, p.toks[i].span(), words.Count(p.lim.Statements)))
			p.stmts = append(p.stmts, p.bad(i, hi, false))
			return
		}
		p.meter.take(statementSize)
		seg := p.cut(i, hi)
		p.step(seg.hi-i, p.toks[i])
		seg.wrong = seg.wrong || p.orElse // it belongs to the mistake before it
		s := p.statement(seg, level)
		p.stmts = append(p.stmts, s)
		i = seg.hi
		p.orElse = p.orElse && p.toks[i].kind == KindSemicolon
	}
}

// segment is the tokens of one statement.
type segment struct {
	lo, hi  int
	last    bool // it ends where its container ends
	open    int  // the innermost bracket left open, or -1
	noticed int  // the token that proves it was left open, or -1
	wrong   bool // not to be parsed; the reason is reported
	clause  bool // a fact, a rule or a query
	arrow   int  // of the rule that it is, or 0
	// Where the body of a def has its { and its }, or -1; where no } is, close is hi.
	block, close int
}

// cutter finds the end of a statement. What it holds is true of the tokens before the one at hand.
// The brackets that are open there are on the stack of the parser, outermost first, by their
// tokens.
type cutter struct {
	*parser
	seg    segment
	end    int  // of the container
	ruled  bool // it can only be a clause
	commas bool // there was one outside brackets
	choice bool // there was a ternary operator outside brackets
}

// cut finds the end of the statement that starts at lo: a newline or ; outside brackets, or the
// start of what can only be another statement. That last is looked for inside brackets too, since
// one that was forgotten would else take all statements after it. For each depth of brackets,
// widths counts the tokens since the last comma there, so that an expression of far too many is not
// given to the grammar at all.
func (p *parser) cut(lo, hi int) segment {
	begin := p.toks[lo].kind
	c := cutter{
		parser: p, seg: segment{lo: lo, open: -1, noticed: -1, block: -1, close: -1}, end: hi,
		ruled: begin == KindAsk || begin == KindNot || begin == KindWhy,
	}
	p.stack = p.stack[:0]
	if p.isDotted(lo) {
		i := lo + 1 // the line is one mistake
		for i < hi && !p.toks[i].newline {
			i++
		}
		return c.until(i)
	}
	block, wide, i := p.isDef(lo, hi) || p.isRepeat(lo, hi), false, lo
	p.widths = append(p.widths[:0], 0)
	for ; i < hi; i++ {
		t, depth := p.toks[i], len(p.stack)
		p.widths[depth]++
		wide = wide || p.widths[depth] > 4*p.lim.Height
		if (t.newline || t.kind == KindSemicolon) && c.endsBefore(i) {
			break
		}
		if (t.kind == KindDot || t.kind == KindQuestion) && c.endsWith(i) {
			c.seg.clause = true
			i++
			break
		}
		var over bool
		if i, over = c.take(i, block); over {
			return c.until(i)
		}
	}
	c.seg.clause = (c.seg.clause || c.ruled || c.commas) && begin != KindPrint && begin != KindDirective && !block && !p.isInput(lo, hi)
	// The grammar takes half a kilobyte for each of these tokens.
	if wide && !c.seg.wrong {
		p.report(say(errHeight, p.span(lo, i), p.lim.Height))
		c.seg.wrong = true
	}
	return c.until(i)
}

// isDotted reports whether a statement begins with a dot and a word, as .decl of Soufflé.
func (p *parser) isDotted(lo int) bool {
	dot, word := p.toks[lo], p.toks[min(lo+1, len(p.toks)-1)]
	return dot.kind == KindDot && (lo == 0 || dot.newline) && word.kind == KindIdent && word.start == dot.end
}

// take notes what token i is in the statement. It gives the last token that was taken, or, if the
// statement is over, the one before which it ends.
func (c *cutter) take(i int, block bool) (last int, over bool) {
	t, depth := c.toks[i], len(c.stack)
	switch {
	case t.kind == KindArrow:
		c.ruled = true
		if c.seg.arrow == 0 && c.toks[c.seg.lo].kind != KindAsk {
			c.seg.arrow = i
		}
	case t.kind == KindComma && depth == 0:
		c.commas = true
	case t.kind == KindComma:
		c.widths[depth] = 0
	case t.kind.bad():
		c.seg.wrong = true
	case t.kind == KindLBrace && block && depth == 0:
		end, closed := c.blockEnd(i, c.end)
		c.seg.block, c.seg.close = i, end
		if !closed {
			if c.seg.open = i; end < c.end {
				c.seg.noticed = end
			}
		}
		return end, !closed
	case t.kind.opens():
		if depth >= c.lim.Depth { // the grammar says so
			return c.resync(i, c.end), true
		}
		c.stack = append(c.stack, i)
		c.widths = append(c.widths[:depth+1], 0)
	case t.kind.closes():
		c.closeBracket(t)
	}
	return i, false
}

// endsBefore reports whether the statement ends before token i, the first of a line or a semicolon.
func (c *cutter) endsBefore(i int) bool {
	t, outside := c.toks[i], len(c.stack) == 0
	if i > c.seg.lo && t.newline {
		goesOn := c.toks[i-1].kind.Continues()
		if outside && !goesOn && t.kind != KindDot && t.kind != KindQuestion {
			return true
		}
		literal := outside && goesOn && (c.ruled || c.commas && (c.isAtom(c.seg.lo, c.end) || c.asked(i, c.end))) && c.isEquation(i, c.end)
		if !literal && c.startsStatement(i, c.end) || (!outside || c.seg.arrow > 0) && c.isQuery(i, c.end) {
			if !outside {
				c.seg.noticed = i
			}
			return true
		}
	}
	return outside && t.kind == KindSemicolon
}

// endsWith reports whether the dot or question mark at i ends a clause.
func (c *cutter) endsWith(i int) bool {
	k := c.toks[i].kind
	if len(c.stack) > 0 {
		return false
	}
	c.choice = c.choice || k == KindQuestion && c.ternary(c.seg.lo, i, c.end)
	return (k == KindDot || !c.choice) && !c.qualifies(i, c.end)
}

// until returns the segment that ends before token i, with the brackets on the stack left open.
func (c *cutter) until(i int) segment {
	c.seg.hi, c.seg.last = i, i == c.end
	if n := len(c.stack); n > 0 {
		c.seg.open = c.stack[n-1]
	}
	return c.seg
}

// closeBracket pops what t closes. A wrong bracket closes the innermost one that
// it fits, and if there is none, the last.
func (p *parser) closeBracket(t token) {
	n := len(p.stack)
	for k := n - 1; k >= 0; k-- {
		p.step(1, t)
		if p.toks[p.stack[k]].kind.closer() == t.kind {
			p.stack = p.stack[:k]
			return
		}
	}
	p.stack = p.stack[:max(n-1, 0)]
}

// startsStatement reports whether the line that starts at token i can only be a new statement,
// whatever is open before it.
func (p *parser) startsStatement(i, hi int) bool {
	t := p.toks[i]
	switch {
	case t.kind.directs():
		return true
	case t.kind != KindIdent:
		return false
	case p.isDef(i, hi), p.isRepeat(i, hi), p.isClause(i, hi):
		return true
	case p.isInput(i, hi) && i+4 < hi: // input A: kind or input P(column: type
		k := p.toks[i+2].kind
		return k == KindColon || k == KindLParen && p.toks[i+4].kind == KindColon
	}
	op := p.headOp(i, hi, true)
	if op < 0 {
		return false
	}
	if op > i+1 || p.toks[op].kind != KindAssign {
		return true
	}
	// name= after ( or a comma is a named argument, if a call is what is open.
	before, n := p.toks[i-1].kind, len(p.stack)
	named := before == KindLParen || before == KindComma
	if !named || n == 0 {
		return true
	}
	open := p.stack[n-1]
	call := p.toks[open].kind == KindLParen && open > 0 && p.toks[open-1].kind == KindIdent
	return !call || p.neverClosed(i, hi)
}

// isClause reports whether the line that starts at token i can only be a rule
// or, with a bracket open before it, a fact or a query.
func (p *parser) isClause(i, hi int) bool {
	if i+1 >= hi || p.toks[i+1].kind != KindLParen {
		return false
	}
	j := p.match(i+1, hi, true)
	if j++; j >= hi {
		return false
	}
	k := p.toks[j].kind
	return k == KindArrow || len(p.stack) > 0 && (k == KindDot || k == KindQuestion)
}

// isQuery reports whether the line that starts at token i begins with an atom, not indented as
// those of a body are, and ends with a question mark, which no rule does.
func (p *parser) isQuery(i, hi int) bool {
	return i+1 < hi && p.toks[i].kind == KindIdent && p.toks[i+1].kind.opens() && p.isFlush(i) && p.asked(i, hi)
}

// isFlush reports whether token i begins its line without a blank.
func (p *parser) isFlush(i int) bool {
	at := p.toks[i].start
	return at == 0 || p.text[at-1] == '\n'
}

// asked reports whether the literals from token i on end with a question mark.
func (p *parser) asked(i, hi int) bool {
	depth := 0
	for j := i; j < min(hi, i+closeWithin); j++ {
		p.step(1, p.toks[j])
		switch t := p.toks[j]; {
		case t.kind == KindQuestion && depth == 0:
			return true
		case j > i && t.newline && !p.toks[j-1].kind.Continues(), depth == 0 && (t.kind == KindDot || t.kind == KindSemicolon || t.kind == KindArrow):
			return false
		case t.kind.opens():
			depth++
		case t.kind.closes():
			depth--
		}
	}
	return false
}

// isAtom reports whether token i begins P(...).
func (p *parser) isAtom(i, hi int) bool {
	return i+1 < hi && p.toks[i].kind == KindIdent && p.toks[i+1].kind == KindLParen
}

// isEquation reports whether token i begins v = or T[...] =, which in a body is a literal. A capital
// that is not indented as a body is defines a tensor.
func (p *parser) isEquation(i, hi int) bool {
	op := p.headOp(i, hi, true)
	return op >= 0 && p.toks[op].kind == KindAssign && (op > i+1 || p.word(i)[0] >= 'a' || !p.isFlush(i))
}

// isNot reports whether token i negates the atom behind it.
func (p *parser) isNot(i, hi int) bool {
	return p.toks[i].kind == KindNot || p.isWord(i, hi, "not")
}

// qualifies reports whether the dot at i stands between two names, as in P.x.
func (p *parser) qualifies(i, hi int) bool {
	return i > 0 && i+1 < hi && p.toks[i-1].kind == KindIdent && p.toks[i+1].kind == KindIdent && p.toks[i+1].start == p.toks[i].end && !p.toks[i].newline
}

// ternary reports whether the question mark at i is that of p ? a : b in an assignment or a :print.
func (p *parser) ternary(lo, i, hi int) bool {
	if p.toks[lo].kind != KindPrint && p.headOp(lo, hi, true) < 0 || p.isInput(i+1, hi) {
		return false
	}
	j := i + 1
	for j < hi && !p.toks[j].newline && p.toks[j].kind != KindColon && p.toks[j].kind != KindQuestion && p.toks[j].kind != KindDot {
		j++
	}
	p.step(j-i, p.toks[i])
	return j < hi && !p.toks[j].newline && p.toks[j].kind == KindColon
}

// closeWithin is how many tokens are looked at for the end of a call.
const closeWithin = 256

// neverClosed reports whether another statement begins after token i before the
// bracket around it is closed.
func (p *parser) neverClosed(i, hi int) bool {
	depth := 1
	last := i + closeWithin
	for j := i + 1; j < min(hi, last); j++ {
		p.step(1, p.toks[j])
		switch t := p.toks[j]; {
		case t.kind.opens():
			if r := p.packed(t.start); r != nil {
				last -= r.hidden
			}
			depth++
		case t.kind.closes():
			if depth--; depth == 0 {
				return false
			}
		case !t.newline:
		case t.kind.directs(), p.isDef(j, hi):
			return true
		case p.toks[j-1].kind != KindLParen && p.toks[j-1].kind != KindComma && p.headOp(j, hi, true) >= 0:
			return true
		}
	}
	return false
}

// resync finds the next line that starts a statement, or hi. It takes all brackets for closed.
func (p *parser) resync(i, hi int) int {
	p.stack = p.stack[:0]
	for i++; i < hi; i++ {
		if p.toks[i].newline && p.startsStatement(i, hi) {
			return i
		}
	}
	return hi
}

// blockEnd is the token that closes the { at i, or where it proves to be missing: at a statement
// that cannot be in a block, or at hi. Other brackets are the body's own affair.
func (p *parser) blockEnd(i, hi int) (end int, closed bool) {
	depth := 0
	for j := i; j < hi; j++ {
		switch t := p.toks[j]; {
		case t.kind == KindLBrace:
			depth++
		case t.kind == KindRBrace:
			if depth--; depth == 0 {
				return j, true
			}
		case t.newline && (t.kind.directs() || p.isDef(j, hi)):
			return j, false
		}
	}
	return hi, false
}

// isDef and isInput report whether the definition of a function, or an input, begins at i.
func (p *parser) isDef(i, hi int) bool   { return p.isWord(i, hi, "def") }
func (p *parser) isInput(i, hi int) bool { return p.isWord(i, hi, "input") }

// isRepeat reports whether a repeat begins at i: the word before another operand,
// which a name cannot stand before, or before a { that no line but one that goes on ends before.
func (p *parser) isRepeat(i, hi int) bool {
	if i+1 >= hi || p.toks[i].kind != KindIdent || p.word(i) != "repeat" {
		return false
	}
	for j, depth := i+1, 0; j < hi; j++ {
		switch t := p.toks[j]; {
		case t.newline && (depth == 0 && !p.toks[j-1].kind.Continues() || p.leaves(j, hi)), t.kind == KindSemicolon, depth == 0 && t.kind.assign():
			p.step(j-i, p.toks[i])
			return false
		case t.kind == KindLBrace || j == i+1 && (t.kind == KindNumber || t.kind == KindIdent):
			p.step(j-i, p.toks[i])
			return true
		case t.kind.opens():
			depth++
		case t.kind.closes():
			depth--
		}
	}
	p.step(hi-i, p.toks[i])
	return false
}

// leaves reports whether the line that begins at token j is a statement, not the rest of a bracket.
// Another repeat is taken for one, or each would be looked for the end of all that follow.
func (p *parser) leaves(j, hi int) bool {
	if p.toks[j].kind == KindIdent && p.word(j) == "repeat" {
		return true
	}
	op, before := p.headOp(j, hi, true), p.toks[j-1].kind
	named := op == j+1 && (before == KindLParen || before == KindComma)
	return p.toks[j].kind.directs() || p.isDef(j, hi) || op >= 0 && !named
}

// isWord reports whether a statement word followed by a name is at i. Before
// anything else def and input are ordinary names.
func (p *parser) isWord(i, hi int, word string) bool {
	return i+1 < hi && p.toks[i+1].kind == KindIdent && !p.toks[i+1].newline &&
		p.toks[i].kind == KindIdent && p.word(i) == word
}

// word is the text of token i.
func (p *parser) word(i int) string { return p.text[p.toks[i].start:p.toks[i].end] }

// headOp is the assignment operator of a statement that starts like
// `name op` or `name[...] op`, or -1.
func (p *parser) headOp(i, hi int, oneLine bool) int {
	if i >= hi || p.toks[i].kind != KindIdent {
		return -1
	}
	j := i + 1
	if j < hi && p.toks[j].kind == KindLBracket {
		if j = p.match(j, hi, oneLine); oneLine && j < hi && p.toks[j].newline {
			return -1
		}
		j++
	}
	if j >= hi || !p.toks[j].kind.assign() || oneLine && p.toks[j].newline {
		return -1
	}
	return j
}

// match is the token that closes the bracket at i, or where it is given up: at hi or, with oneLine,
// at the first token of another line.
func (p *parser) match(i, hi int, oneLine bool) int {
	j := i
	for depth := 0; j < hi && (!oneLine || !p.toks[j].newline); j++ {
		if k := p.toks[j].kind; k.opens() {
			depth++
		} else if k.closes() {
			depth--
		}
		if depth == 0 {
			break
		}
	}
	p.step(j-i, p.toks[i])
	return j
}
