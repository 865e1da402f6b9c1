package ide

import (
	"sort"

	"ein/lang/source"
	"ein/lang/syntax"
)

// tokenFrom is the number of the first token that ends after offset.
func (d *Document) tokenFrom(offset int) int {
	toks := d.tokens()
	return sort.Search(len(toks), func(i int) bool { return toks[i].Span.End > offset })
}

// tokensIn returns the tokens in span, without newlines and comments.
func (d *Document) tokensIn(span source.Span) []syntax.Token {
	toks := d.tokens()
	var out []syntax.Token
	for i := d.tokenFrom(span.Start); i < len(toks) && toks[i].Span.Start < span.End; i++ {
		if !blank(toks[i].Kind) {
			out = append(out, toks[i])
		}
	}
	return out
}

func blank(k syntax.Kind) bool {
	return k == syntax.KindNewline || k == syntax.KindComment || k == syntax.KindBadComment || k == syntax.KindDashComment
}

// endsOperand reports whether a [ after a token of kind k takes indices.
func endsOperand(k syntax.Kind) bool {
	return k == syntax.KindIdent || k == syntax.KindRParen || k == syntax.KindRBracket
}

// tokenAt is the token that the cursor touches; of two, the word, and else the one
// after the cursor.
func (d *Document) tokenAt(offset int) (syntax.Token, bool) {
	toks := d.tokens()
	i := sort.Search(len(toks), func(i int) bool { return toks[i].Span.End >= offset })
	if i == len(toks) || toks[i].Span.Start > offset {
		return syntax.Token{}, false
	}
	if i+1 < len(toks) && toks[i+1].Span.Start == offset && (!isWord(toks[i].Kind) || isWord(toks[i+1].Kind)) && !blank(toks[i+1].Kind) {
		i++
	}
	return toks[i], true
}

func isWord(k syntax.Kind) bool {
	return k == syntax.KindIdent || k == syntax.KindNumber || k == syntax.KindString || k == syntax.KindPrint || k == syntax.KindWhy
}

// statementAt is the number of the last statement that starts at or before offset,
// -1 when there is none.
func (d *Document) statementAt(offset int) int {
	stmts := d.File().Stmts
	return sort.Search(len(stmts), func(i int) bool { return stmts[i].Pos().Start > offset }) - 1
}

// path returns the nodes around offset, from the outside in: the statement, its
// statement if it is in a block, and the expressions.
func (d *Document) path(offset int) []syntax.Node {
	i := d.statementAt(offset)
	if i < 0 {
		return nil
	}
	var out []syntax.Node
	syntax.WalkAll(d.File().Stmts[i], func(n syntax.Node) bool {
		if !n.Pos().Contains(offset) {
			return false
		}
		// Of two that touch at offset, the later wins.
		for len(out) > 0 && !covers(out[len(out)-1].Pos(), n.Pos()) {
			out = out[:len(out)-1]
		}
		out = append(out, n)
		return true
	})
	return out
}

func covers(outer, inner source.Span) bool {
	return outer.Start <= inner.Start && inner.End <= outer.End
}

// site is the place in a statement where the cursor is, read from tokens so that
// the statement need not parse.
type site struct {
	before []syntax.Token // of the statement, up to the word that is being typed
	word   source.Span    // that word, empty when there is none
	offset int
	open   []bracket // around the cursor, the innermost last; a block of a def is one
	op     bool      // an assignment operator stands before the cursor
	header []syntax.Token
}

// bracket is an open bracket before the cursor.
type bracket struct {
	kind  syntax.Kind
	token int // its number in before
	args  int // commas since
	arg   int // where in before the argument of the cursor begins
	index bool
	call  bool
}

// siteAt reads the statement around offset.
func (d *Document) siteAt(offset int) site {
	s := site{word: source.Span{Start: offset, End: offset}, offset: offset}
	toks := d.tokens()
	start := 0
	if i := d.statementAt(max(offset-1, 0)); i >= 0 {
		start = d.File().Stmts[i].Pos().Start
	}
	prev := syntax.KindNewline
	for i := d.tokenFrom(start); i < len(toks) && toks[i].Span.Start < offset; i++ {
		t := toks[i]
		top := len(s.open) - 1
		outside := top < 0 || s.open[top].kind == syntax.KindLBrace
		if t.Span.End >= offset && (t.Kind == syntax.KindIdent || t.Kind == syntax.KindDirective || t.Kind == syntax.KindPrint || t.Kind == syntax.KindWhy ||
			t.Kind == syntax.KindColon && len(s.before) == 0) {
			s.word = t.Span
			if t.Kind == syntax.KindDirective { // to the end of the line
				s.word.End = offset
			}
			break
		}
		switch {
		case t.Kind == syntax.KindNewline && outside && !prev.Continues(), t.Kind == syntax.KindSemicolon && outside:
			s.before, s.op = nil, false
			prev = syntax.KindNewline
			continue
		case blank(t.Kind):
			continue
		}
		s.before = append(s.before, t)
		if t.Kind == syntax.KindLBrace {
			// No block stands inside ( or [, so one that is open was forgotten.
			for s.inner() != nil {
				s.open = s.open[:len(s.open)-1]
			}
		}
		switch t.Kind {
		case syntax.KindLParen, syntax.KindLBracket, syntax.KindLBrace:
			s.open = append(s.open, bracket{
				kind: t.Kind, token: len(s.before) - 1, arg: len(s.before),
				index: t.Kind == syntax.KindLBracket && endsOperand(prev),
				call:  t.Kind == syntax.KindLParen && prev == syntax.KindIdent,
			})
			if t.Kind == syntax.KindLBrace {
				s.header, s.before, s.op = s.before, nil, false
				prev = syntax.KindNewline
				continue
			}
		case syntax.KindRParen, syntax.KindRBracket, syntax.KindRBrace:
			if top >= 0 {
				if s.open[top].kind == syntax.KindLBrace {
					s.header = nil
				}
				s.open = s.open[:top]
			}
		case syntax.KindComma:
			if top >= 0 {
				s.open[top].args++
				s.open[top].arg = len(s.before)
			}
		case syntax.KindAssign, syntax.KindSetMax, syntax.KindSetMin, syntax.KindSetAdd:
			s.op = s.op || outside
		}
		prev = t.Kind
	}
	return s
}

// start is where the statement begins, be it the word that is being typed.
func (s *site) start() int {
	if len(s.before) > 0 {
		return s.before[0].Span.Start
	}
	return s.word.Start
}

// inner is the innermost bracket around the cursor that is not a block.
func (s *site) inner() *bracket {
	if n := len(s.open); n > 0 && s.open[n-1].kind != syntax.KindLBrace {
		return &s.open[n-1]
	}
	return nil
}

// last is the kind of the token before the word being typed.
func (s *site) last() syntax.Kind {
	if len(s.before) == 0 {
		return syntax.KindNewline
	}
	return s.before[len(s.before)-1].Kind
}
