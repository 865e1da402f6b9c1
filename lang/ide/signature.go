package ide

import (
	"slices"
	"strings"

	"ein/lang/source"
	"ein/lang/syntax"
)

// Signature returns the innermost call around offset whose function is known, with the
// parameter that the cursor stands for, or the atom of a relation with its columns. Neither need be
// closed.
func (d *Document) Signature(offset int) (*Signature, bool) {
	offset = d.clampOffset(offset)
	if t, ok := d.inside(offset); ok && blank(t.Kind) && t.Kind != syntax.KindNewline {
		return nil, false
	}
	s := d.siteAt(offset)
	for i := len(s.open) - 1; i >= 0 && s.open[i].kind != syntax.KindLBrace; i-- {
		in := &s.open[i]
		if !in.call {
			continue
		}
		name := d.text(s.before[in.token-1].Span)
		fn := d.functionNamed(name)
		if what := aggregates[name]; what != "" && i > 0 && d.isHead(&s, i-1) {
			sig := &Signature{Label: name + "(e)", Doc: aggregate + what, Active: -1}
			sig.Params = []Param{{Span: source.Span{Start: len(name) + 1, End: len(name) + 2}}}
			if in.args == 0 {
				sig.Active = 0
			}
			return sig, true
		}
		if fn == nil {
			if sig := d.columns(name, in.args); sig != nil {
				return sig, true
			}
			continue
		}
		sig := &Signature{Label: fn.Signature, Doc: fn.Doc, Active: -1}
		at := len(fn.Name) + 1
		for _, p := range fn.Params {
			at += strings.Index(fn.Signature[at:], p.Name)
			sig.Params = append(sig.Params, Param{Span: source.Span{Start: at, End: at + len(p.Name)}, Doc: p.Doc})
			at += len(p.Name)
		}
		sig.Active = d.active(fn, &s, in)
		return sig, true
	}
	return nil, false
}

// isHead reports whether the open bracket i is that of the head of a rule.
func (d *Document) isHead(s *site, i int) bool {
	return s.open[i].call && s.open[i].token == 1 && d.functionNamed(d.text(s.before[0].Span)) == nil &&
		!slices.ContainsFunc(s.before, func(t syntax.Token) bool { return t.Kind == syntax.KindArrow })
}

// columns is the signature of a relation, nil if there is none of that name.
func (d *Document) columns(name string, active int) *Signature {
	for _, st := range flat(d.File().Stmts) {
		of, ok := syntax.RelationOf(st)
		if !ok || of.Name != name {
			continue
		}
		sig := &Signature{Label: d.relationType(name, st), Active: -1}
		list, ok := strings.CutPrefix(strings.TrimSuffix(sig.Label, ")"), name+"(")
		if !ok { // it has a value for each key
			return nil
		}
		at := len(name) + 1
		for _, column := range strings.Split(list, ", ") {
			sig.Params = append(sig.Params, Param{Span: source.Span{Start: at, End: at + len(column)}})
			at += len(column) + 2
		}
		if active < len(sig.Params) {
			sig.Active = active
		}
		return sig
	}
	return nil
}

// columnType is the type of a column of a relation as its signature has it, or "" if that has none.
func (d *Document) columnType(name string, column int) string {
	sig := d.columns(name, column)
	if sig == nil || sig.Active < 0 {
		return ""
	}
	p := sig.Params[column].Span
	text := sig.Label[p.Start:p.End]
	_, kind, typed := strings.Cut(text, ": ")
	if !typed && slices.Contains(columnTypes, text) { // of facts alone
		return text
	}
	return kind
}

// active is the parameter that the cursor stands for in an open bracket: the one
// that is named, or else the one in that position.
func (d *Document) active(fn *function, s *site, in *bracket) int {
	if in.arg+1 < len(s.before) && s.before[in.arg+1].Kind == syntax.KindAssign {
		name := d.text(s.before[in.arg].Span)
		for k, p := range fn.Params {
			if p.Named && p.Name == name {
				return k
			}
		}
	}
	switch n := len(fn.Params); {
	case in.args < n:
		return in.args
	case n > 0 && fn.Params[n-1].Name == "...":
		return n - 1
	}
	return -1
}
