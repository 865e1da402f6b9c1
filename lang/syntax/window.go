package syntax

import "github.com/alecthomas/participle/v2/lexer"

// window shows toks[lo:hi] to participle, brackets folded. The PeekingLexer is
// used again and again: its tokens are overwritten in place.
func (p *parser) window(lo, hi int) *lexer.PeekingLexer {
	n := 0
	for i := lo; i < hi; n++ {
		if n+1 >= p.room {
			p.grow()
		}
		t := p.toks[i]
		w := &p.peeker.Range(lexer.RawCursor(n), lexer.RawCursor(n+1))[0]
		w.Type = grammarType(t.kind)
		next := i + 1
		if t.kind.opens() {
			next = p.match(i, hi)
			w.Type = foldedType(t.kind)
		}
		w.Value = p.text[t.start:p.toks[next-1].end]
		w.Pos.Offset = int(t.start)
		p.step(next-i, t)
		i = next
	}
	if n+1 >= p.room {
		p.grow()
	}
	w := &p.peeker.Range(lexer.RawCursor(n), lexer.RawCursor(n+1))[0]
	*w = lexer.EOFToken(lexer.Position{Offset: int(p.toks[hi].start)})
	p.peeker.LoadCheckpoint(lexer.Checkpoint{})
	if n > p.widest {
		p.meter.take(2 * (n - p.widest) * sizeOf[lexer.Token]())
		p.widest = n
	}
	return p.peeker
}

// blanks is a lexer.Lexer of n tokens to be overwritten.
type blanks struct{ n int }

func (b *blanks) Next() (lexer.Token, error) {
	if b.n--; b.n <= 0 {
		return lexer.EOFToken(lexer.Position{}), nil
	}
	return lexer.Token{}, nil
}

// grow doubles the window and keeps what is in it.
func (p *parser) grow() {
	room := max(2*p.room, 32)
	peeker, err := lexer.Upgrade(&blanks{room})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	if p.room > 0 {
		copy(peeker.Range(0, lexer.RawCursor(room)), p.peeker.Range(0, lexer.RawCursor(p.room)))
	}
	p.peeker, p.room = peeker, room
}
