package ide

import (
	"slices"
	"strings"

	"ein/lang/describe"
	"ein/lang/source"
	"ein/stdlib"
)

// LibraryPage is a text about the functions of the language.
type LibraryPage struct {
	Name string // of its file
	Text string
}

// LibraryPages are the prelude, and the reference that says what is not written in Ein.
func LibraryPages() (prelude, reference LibraryPage) {
	return LibraryPage{"prelude.ein", stdlib.Prelude}, LibraryPage{"functions.md", describe.Reference(describe.Functions())}
}

// LibraryDefinition returns the place about the function of the language at offset.
func (d *Document) LibraryDefinition(offset int) (LibraryPage, source.Span, bool) {
	o := d.names().at(d.clampOffset(offset))
	if o == nil || o.of == d.names().functions[o.of.name] || o.of.kind != KindBuiltin && o.of.kind != KindFunction {
		return LibraryPage{}, source.Span{}, false
	}
	prelude, reference := LibraryPages()
	fn := lookup(o.of.name)
	if fn.def != nil {
		return prelude, fn.def.Name.Span, true
	}
	at := strings.Index(reference.Text, "### `"+fn.Signature+"`") + len("### `")
	return reference, source.Span{Start: at, End: at + len(fn.Name)}, true
}

// Definition returns the place where the name at offset gets the value that it has
// there. A function of the language has none in the text: see LibraryDefinition.
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
	if i := slices.IndexFunc(o.of.occurrences, writes); i >= 0 {
		return o.of.occurrences[i].span, true
	}
	if o.of.kind == KindIndex {
		return o.of.occurrences[0].span, true
	}
	return source.Span{}, false
}

// Highlights returns every place of the name at offset, with those that give it a value
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
