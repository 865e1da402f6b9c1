package ide

import (
	"fmt"
	"slices"
	"strings"

	"ein/internal/lists"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
)

// PrepareRename returns the name at offset that can be renamed. The error says why there
// is none.
func (d *Document) PrepareRename(offset int) (source.Span, string, error) {
	o, err := d.renamed(d.clampOffset(offset))
	if err != nil {
		return source.Span{}, "", err
	}
	return o.span, o.of.name, nil
}

// renamed returns the occurrence at offset if all occurrences of its name are known and the
// program defines it.
func (d *Document) renamed(offset int) (*occurrence, error) {
	o := d.names().at(offset)
	if o == nil {
		return nil, fmt.Errorf("there is no name here")
	}
	b := o.of
	switch {
	case b.kind == KindLabel:
		for _, s := range d.File().Stmts {
			if in, ok := s.(*syntax.Input); ok {
				return nil, fmt.Errorf("%q may be a node of the data of `%s` too, which a rename does not change; replace it in both by hand", b.name, in.Name.Name)
			}
			if _, ok := s.(*syntax.Bad); ok && strings.Contains(d.text(s.Pos()), b.name) {
				return nil, fmt.Errorf("%q occurs in a statement that does not parse", b.name)
			}
		}
		return o, nil
	case (b.kind == KindFunction || b.kind == KindBuiltin) && d.names().functions[b.name] != b:
		return nil, fmt.Errorf("`%s` is a function of the language", b.name)
	case b.guessed:
		return nil, fmt.Errorf("`%s` occurs in a statement that does not parse", b.name)
	}
	if b.kind != KindIndex && !slices.ContainsFunc(b.occurrences, writes) {
		return nil, fmt.Errorf("nothing defines `%s`", b.name)
	}
	return o, nil
}

// Rename gives the tensor, index, parameter, function or node at offset another name
// everywhere. It fails if the name is none, or if with it some name of the program
// would mean something else.
func (d *Document) Rename(offset int, name string) ([]diag.Edit, error) {
	o, err := d.renamed(d.clampOffset(offset))
	if err != nil {
		return nil, err
	}
	b := o.of
	switch {
	case b.kind == KindLabel:
		if name == "" || name[0] == '"' {
			return nil, fmt.Errorf("the name of a node is written without quotes here, and is not empty")
		}
	case !isName(name):
		return nil, fmt.Errorf("`%s` is not a name: letters, digits and _, not beginning with a digit", name)
	case name == b.name:
		return nil, nil
	case b.kind != KindIndex && lookup(name) != nil:
		return nil, fmt.Errorf("`%s` is a function of the language", name)
	}
	edits := lists.Map(b.occurrences, func(other *occurrence) diag.Edit {
		edit := diag.Edit{Span: other.span, NewText: name}
		if b.kind == KindLabel && !d.bare(other, name) {
			edit.NewText = syntax.ExprString(&syntax.String{Value: name})
		}
		return edit
	})
	if err := d.sameMeaning(edits, b, name); err != nil {
		return nil, err
	}
	return edits, nil
}

// bare reports whether a node can stand without quotes where it does so by its present name.
func (d *Document) bare(o *occurrence, name string) bool {
	rule, ok := d.stmt(o).(*syntax.Rule)
	return d.src.Text[o.span.Start] != '"' && isName(name) && (!ok || rule.Value == nil && len(rule.Body) == 0 || name[0] >= 'A' && name[0] <= 'Z')
}

// isName reports whether a text is one name to the lexer, and so may be a new name.
func isName(s string) bool {
	toks := syntax.Tokens(s)
	return len(toks) == 1 && toks[0].Kind == syntax.KindIdent && toks[0].Span.Len() == len(s)
}

// sameMeaning requires that after the edits, which rename b, every name stands for
// what it did. This one rule covers clashes and captures of every sort.
func (d *Document) sameMeaning(edits []diag.Edit, b *binding, name string) error {
	after := d.withText(diag.Apply(d.src.Text, edits))
	was, is := d.names().occurrences, after.names().occurrences
	n := min(len(was), len(is))
	pairs := make(map[*binding]*binding, n)
	back := make(map[*binding]*binding, n)
	for i := range n {
		x, y := was[i], is[i]
		want := x.of.name
		if x.of == b {
			want = name
		}
		seen := (x.sees == nil) == (y.sees == nil)
		if pairs[x.of] == nil && back[y.of] == nil {
			pairs[x.of], back[y.of] = y.of, x.of
		}
		if pairs[x.of] != y.of || back[y.of] != x.of || y.of.name != want || x.of.kind != y.of.kind || !seen || x.write != y.write {
			at := d.src.Position(x.span.Start)
			return fmt.Errorf("with the name `%s`, `%s` on line %d would mean something else", name, x.of.name, at.Line)
		}
	}
	// The name may be that of something unknown, which is no occurrence. A node may come to need quotes, which
	// some warnings and notes are about.
	said := func(list diag.List) diag.List {
		return slices.DeleteFunc(slices.Clone(list), func(x diag.Diagnostic) bool { return b.kind == KindLabel && x.Severity != diag.Error })
	}
	if len(was) != len(is) || !slices.EqualFunc(said(d.Diagnostics()), said(after.Diagnostics()), func(x, y diag.Diagnostic) bool { return x.Code == y.Code }) {
		return fmt.Errorf("with the name `%s` the program would read differently", name)
	}
	return nil
}
