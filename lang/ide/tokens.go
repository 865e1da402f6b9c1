package ide

import (
	"slices"

	"ein/lang/source"
	"ein/lang/syntax"
)

// Tokens classifies the text in span. A token that span cuts is in it.
func (d *Document) Tokens(span source.Span) []Token {
	span = d.clamp(span)
	n := d.names()
	dead := d.unused()
	toks := d.tokens()
	out := make([]Token, 0, len(toks)*span.Len()/max(len(d.src.Text), 1)+1)
	next := 0 // the occurrence to come; both lists are in the order of the text
	prev := syntax.KindNewline
	for i := 0; i < len(toks) && toks[i].Span.Start < span.End; i++ {
		t := toks[i]
		before := prev
		if !blank(t.Kind) || t.Kind == syntax.KindNewline {
			prev = t.Kind
		}
		if t.Span.End <= span.Start {
			continue
		}
		kind := tokenKinds[t.Kind]
		if kind == hidden {
			continue
		}
		for next < len(n.occurrences) && n.occurrences[next].span.Start < t.Span.Start {
			next++
		}
		token := Token{Span: t.Span, Kind: kind}
		if next < len(n.occurrences) && n.occurrences[next].span == t.Span {
			o := n.occurrences[next]
			token.Kind = o.of.kind
			token.Library = o.of.kind == KindBuiltin || o.of.kind == KindFunction && o.of != n.functions[o.of.name]
			token.Definition = o.write && o.of.kind != KindLabel && o.of.kind != KindIndex
			token.Unused = dead[o]
		} else if t.Kind == syntax.KindIdent {
			token.Kind = d.wordKind(i, before)
		}
		out = append(out, token)
	}
	return out
}

// hidden is the kind of a token that is not shown.
const hidden Kind = 255

// tokenKinds maps kinds of tokens to the kinds that editors colour.
var tokenKinds = func() (kinds [256]Kind) {
	for k := range kinds {
		kinds[k] = hidden
	}
	for k, kind := range map[syntax.Kind]Kind{
		syntax.KindComment: KindComment, syntax.KindBadComment: KindComment, syntax.KindDashComment: KindComment,
		syntax.KindIdent: KindKeyword, syntax.KindNumber: KindNumber, syntax.KindBadNumber: KindNumber,
		syntax.KindString: KindLabel, syntax.KindBadString: KindLabel,
		syntax.KindPrint: KindDirective, syntax.KindWhy: KindDirective, syntax.KindDirective: KindDirective, syntax.KindArrow: KindOperator,
		syntax.KindNot: KindOperator, syntax.KindAsk: KindOperator,
	} {
		kinds[k] = kind
	}
	for k := syntax.KindAssign; k <= syntax.KindNe; k++ {
		kinds[k] = KindOperator
	}
	return kinds
}()

// wordKind is what a word is that names nothing: a word of the language, or the
// name of an argument.
func (d *Document) wordKind(i int, before syntax.Kind) Kind {
	switch d.text(d.tokens()[i].Span) {
	case "not":
		return KindKeyword
	case "_":
		return KindIndex
	}
	switch before {
	case syntax.KindComma, syntax.KindLParen:
		return KindParameter
	case syntax.KindColon: // a type, or a domain
		return KindKeyword
	}
	switch word := d.text(d.tokens()[i].Span); word {
	case "node", "int", "real", "text", "def", "input", "repeat", "graph", "matrix", "vector", "scalar":
		return KindKeyword
	}
	return KindTensor
}

// findUnused returns the definitions that nothing uses and that are not the result of the
// program.
func (d *Document) findUnused() map[*occurrence]bool {
	n := d.names()
	stmts := d.File().Stmts
	printed := slices.ContainsFunc(stmts, func(s syntax.Stmt) bool { _, ok := s.(*syntax.Print); return ok })
	dead := map[*occurrence]bool{}
	var last *occurrence
	for _, o := range n.occurrences {
		a, assigns := stmts[o.stmt].(*syntax.Assign)
		assigns = assigns && o.write && a.Name.Span == o.span
		if assigns && !printed {
			last = o
		}
		if !o.write || o.uses > 0 || o.of.guessed {
			continue
		}
		switch s := stmts[o.stmt].(type) {
		case *syntax.Input:
			dead[o] = true
		case *syntax.Assign:
			if assigns {
				dead[o] = true
			}
		case *syntax.Def:
			// The last statement of a block is its value, and the next round of a repeat may use what this one defines.
			a, ok := d.statementOf(o).(*syntax.Assign)
			if k := slices.Index(s.Body, syntax.Stmt(a)); ok && o.of.kind == KindTensor && k >= 0 && k+1 < len(s.Body) {
				dead[o] = true
			}
		}
	}
	delete(dead, last)
	return dead
}
