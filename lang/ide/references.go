package ide

import "ein/lang/source"

// Definition is the place where the name at offset gets the value that it has
// there. A function of the language has none in the text.
func (d *Document) Definition(offset int) (source.Span, bool) {
	o := d.names().at(d.clampOffset(offset))
	if o == nil {
		return source.Span{}, false
	}
	if o.write && o.of.kind != KindIndex && o.of.kind != KindLabel {
		return o.span, true
	}
	if o.sees != nil {
		return o.sees.span, true
	}
	for _, other := range o.of.occurrences {
		if other.write {
			return other.span, true
		}
	}
	if o.of.kind == KindIndex {
		return o.of.occurrences[0].span, true
	}
	return source.Span{}, false
}

// References is every place of the name at offset, with those that define it if
// declaration is set.
func (d *Document) References(offset int, declaration bool) []source.Span {
	var out []source.Span
	if o := d.names().at(d.clampOffset(offset)); o != nil {
		for _, other := range o.of.occurrences {
			if declaration || !other.write {
				out = append(out, other.span)
			}
		}
	}
	return out
}

// Highlights is every place of the name at offset, with those that give it a value
// marked.
func (d *Document) Highlights(offset int) []Highlight {
	var out []Highlight
	if o := d.names().at(d.clampOffset(offset)); o != nil {
		for _, other := range o.of.occurrences {
			out = append(out, Highlight{Span: other.span, Write: other.write})
		}
	}
	return out
}
