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
		s := p.statement(seg, level)
		p.stmts = append(p.stmts, s)
		i = seg.hi
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

// cut finds the end of the statement that starts at lo: a newline or ; outside
// brackets, or the start of what can only be another statement.
func (p *parser) cut(lo, hi int) segment {
	seg := segment{lo: lo, open: -1, noticed: -1, block: -1, close: -1}
	p.stack = p.stack[:0]
	if dot := p.toks[lo]; dot.kind == KindDot && (lo == 0 || dot.newline) && p.toks[lo+1].kind == KindIdent && p.toks[lo+1].start == dot.end {
		i := lo + 1 // .decl of Soufflé: the line is one mistake
		for i < hi && !p.toks[i].newline {
			i++
		}
		return seg.until(i, hi, nil)
	}
	block := p.isDef(lo, hi) || p.isRepeat(lo, hi)
	i, wide, commas, choice, begin := lo, false, false, false, p.toks[lo].kind
	ruled := begin == KindAsk || begin == KindNot || begin == KindWhy // can only be a clause
	p.widths = append(p.widths[:0], 0)
	for ; i < hi; i++ {
		t := p.toks[i]
		depth := len(p.stack)
		p.widths[depth]++
		wide = wide || p.widths[depth] > 4*p.lim.Height
		if i > lo && t.newline {
			outside := depth == 0
			ends := t.kind == KindDot || t.kind == KindQuestion
			goesOn := p.toks[i-1].kind.continues()
			literal := outside && goesOn && (ruled || commas && p.isAtom(lo, hi)) && p.isEquation(i, hi)
			if outside && !goesOn && !ends || !literal && p.startsStatement(i, hi) {
				if !outside {
					seg.noticed = i
				}
				break
			}
		}
		if t.kind == KindSemicolon && depth == 0 {
			break
		}
		choice = choice || t.kind == KindQuestion && depth == 0 && p.ternary(lo, i, hi)
		if (t.kind == KindDot || t.kind == KindQuestion && !choice) && depth == 0 && !p.qualifies(i, hi) {
			seg.clause = true
			i++
			break
		}
		switch {
		case t.kind == KindArrow:
			ruled = true
			if seg.arrow == 0 && begin != KindAsk {
				seg.arrow = i
			}
		case t.kind == KindComma && depth == 0:
			commas = true
		case t.kind.bad():
			seg.wrong = true
		case t.kind == KindComma && depth > 0:
			p.widths[depth] = 0
		case t.kind == KindLBrace && block && depth == 0:
			end, noticed := p.blockEnd(i, hi)
			seg.block, seg.close = i, end
			if end < 0 {
				seg.noticed = noticed
				seg.hi, seg.open, seg.last = hi, i, noticed < 0
				if noticed >= 0 {
					seg.hi = noticed
				}
				seg.close = seg.hi
				return seg
			}
			i = end
		case t.kind.opens():
			if depth >= p.lim.Depth { // the grammar says so
				return seg.until(p.resync(i, hi), hi, nil)
			}
			p.stack = append(p.stack, i)
			p.widths = append(p.widths[:depth+1], 0)
		case t.kind.closes():
			p.closeBracket(t)
		}
	}
	seg.clause = (seg.clause || ruled || commas) && begin != KindPrint && begin != KindDirective && !block && !p.isInput(lo, hi)
	// The grammar takes half a kilobyte for each of these tokens.
	if wide && !seg.wrong {
		p.report(say(errHeight, p.span(lo, i), p.lim.Height))
		seg.wrong = true
	}
	return seg.until(i, hi, p.stack)
}

func (s segment) until(i, hi int, stack []int) segment {
	s.hi, s.last = i, i == hi
	if len(stack) > 0 {
		s.open = stack[len(stack)-1]
	}
	return s
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

// startsStatement reports whether the line that starts at token i can only be a
// new statement, whatever is open before it.
func (p *parser) startsStatement(i, hi int) bool {
	t := p.toks[i]
	switch {
	case t.kind.directs():
		return true
	case t.kind != KindIdent:
		return false
	case p.isDef(i, hi), p.isRepeat(i, hi), p.isClause(i, hi):
		return true
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
	depth, j := 0, i+1
	for ; j < hi && !p.toks[j].newline; j++ {
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
	if j++; j >= hi {
		return false
	}
	k := p.toks[j].kind
	return k == KindArrow || len(p.stack) > 0 && (k == KindDot || k == KindQuestion)
}

// isAtom reports whether token i begins P(...).
func (p *parser) isAtom(i, hi int) bool {
	return i+1 < hi && p.toks[i].kind == KindIdent && p.toks[i+1].kind == KindLParen
}

// isEquation reports whether token i begins v = or T[...] =, which in a body is a literal.
func (p *parser) isEquation(i, hi int) bool {
	op := p.headOp(i, hi, true)
	return op >= 0 && p.toks[op].kind == KindAssign
}

// isNot reports whether token i negates the atom behind it.
func (p *parser) isNot(i, hi int) bool {
	return p.toks[i].kind == KindNot || p.isWord(i, hi, "not")
}

// qualifies reports whether the dot at i stands between two names, as in P.x.
func (p *parser) qualifies(i, hi int) bool {
	return i > 0 && i+1 < hi && p.toks[i-1].kind == KindIdent && p.toks[i+1].kind == KindIdent && p.toks[i+1].start == p.toks[i].end
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

// resync finds the next line that starts a statement.
func (p *parser) resync(i, hi int) int {
	p.stack = p.stack[:0]
	for i++; i < hi; i++ {
		if p.toks[i].newline && p.startsStatement(i, hi) {
			return i
		}
	}
	return hi
}

// blockEnd is the token that closes the { at i, or -1 and, if there is one, the
// token that proves it is missing. Other brackets are the body's own affair.
func (p *parser) blockEnd(i, hi int) (end, noticed int) {
	depth := 0
	for j := i; j < hi; j++ {
		switch t := p.toks[j]; {
		case t.kind == KindLBrace:
			depth++
		case t.kind == KindRBrace:
			if depth--; depth == 0 {
				return j, -1
			}
		case t.newline && (t.kind.directs() || p.isDef(j, hi)):
			return -1, j
		}
	}
	return -1, -1
}

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
		case t.newline && (depth == 0 && !p.toks[j-1].kind.continues() || p.leaves(j, hi)), t.kind == KindSemicolon, depth == 0 && t.kind.assign():
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

func (p *parser) word(i int) string { return p.text[p.toks[i].start:p.toks[i].end] }

// headOp is the assignment operator of a statement that starts like
// `name op` or `name[...] op`, or -1.
func (p *parser) headOp(i, hi int, oneLine bool) int {
	if i >= hi || p.toks[i].kind != KindIdent {
		return -1
	}
	j := i + 1
	if j < hi && p.toks[j].kind == KindLBracket {
		for depth := 0; j < hi; j++ {
			t := p.toks[j]
			if oneLine && t.newline {
				p.step(j-i, p.toks[i])
				return -1
			}
			if t.kind.opens() {
				depth++
			} else if t.kind.closes() {
				depth--
			}
			if depth == 0 {
				break
			}
		}
		p.step(j-i, p.toks[i])
		j++
	}
	if j >= hi || !p.toks[j].kind.assign() || oneLine && p.toks[j].newline {
		return -1
	}
	return j
}
