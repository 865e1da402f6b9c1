package syntax

import "ein/lang/source"

// scannerAt is a scanner for a statement that starts at offset.
func scannerAt(text string, offset int) scanner {
	s := newScanner(text)
	s.pos = max(s.pos, offset)
	return s
}

// layout prints a statement that has comments inside it token by token: its
// lines stay, so every comment stays where it was, and only blanks and
// indentation become canonical.
func (p *printer) layout(span source.Span) {
	base := p.indent
	fresh := true
	var open []Kind
	var prev, before token // the last two tokens, comments aside
	for s := scannerAt(p.text[:span.End], span.Start); ; {
		t := s.next()
		switch t.kind {
		case KindEOF:
			p.indent = base
			return
		case KindNewline:
			fresh = true
			continue
		}
		first := int(t.start) == span.Start
		closes := t.kind.closes()
		if closes && len(open) > 0 {
			open = open[:len(open)-1]
		}
		depth := len(open)
		switch {
		case first:
		case fresh:
			p.indent = base + indentWidth*depth
			if depth == 0 && !closes {
				p.indent += indentWidth // after an operator or a comma
			}
			p.newline()
		case t.kind == KindComment || spaced(open, before, prev, t):
			p.put(" ")
		}
		fresh = false
		if t.kind.opens() {
			open = append(open, t.kind)
		}
		if t.kind == KindComment {
			p.comment(t.span())
			p.next++
			continue
		}
		text := p.text[t.start:t.end]
		switch t.kind {
		case KindArrow:
			text = "<-"
		case KindNot:
			text = "not"
		}
		if t.kind == KindString {
			text = quote(unquote(text[1 : len(text)-1]))
		}
		p.put(text)
		before, prev = prev, t
	}
}

// spaced reports whether a blank stands between prev and t on one line, inside
// the open brackets; before is the token before prev.
func spaced(open []Kind, before, prev, t token) bool {
	in := KindEOF
	if len(open) > 0 {
		in = open[len(open)-1]
	}
	switch {
	case in == KindLParen && (t.kind == KindAssign || prev.kind == KindAssign): // a named argument
		return false
	case in == KindLBracket && prev.kind == KindComma:
		return false
	case prev.kind == KindLParen, prev.kind == KindLBracket, t.kind == KindRParen, t.kind == KindRBracket,
		t.kind == KindComma, t.kind == KindSemicolon, t.kind == KindColon, t.kind == KindDot, t.kind == KindQuestion:
		return false
	case prev.kind == KindComma, prev.kind == KindSemicolon:
		return true
	case t.kind == KindLParen:
		return prev.kind != KindIdent
	case t.kind == KindLBracket:
		return !prev.kind.ends()
	case prev.kind == KindSub && !before.kind.ends():
		return t.kind == KindSub // unary; two of them stay apart
	}
	return true
}
