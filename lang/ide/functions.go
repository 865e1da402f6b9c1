package ide

import (
	"strings"
	"sync"

	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
)

// library is every function of the language by name, and their names in the order
// of the reference.
var library = sync.OnceValues(func() (map[string]*function, []string) {
	m := map[string]*function{}
	var order []string
	for i := range stdlib.Builtins {
		b := &stdlib.Builtins[i]
		m[b.Name] = &function{
			name: b.Name, signature: b.Signature(), doc: b.Doc, params: b.Params, result: b.Result, cost: b.Cost,
			example: b.Example, output: b.Output, group: b.Group, kind: KindBuiltin,
		}
		order = append(order, b.Name)
	}
	f := syntax.Parse(source.NewFile("prelude.ein", stdlib.Prelude()), syntax.Options{})
	for _, s := range f.Stmts {
		if def, ok := s.(*syntax.Def); ok {
			fn := describe(def, f)
			fn.group = "Prelude"
			m[fn.name] = fn
			order = append(order, fn.name)
		}
	}
	return m, order
})

// lookup is a function of the language, nil when there is none of that name.
func lookup(name string) *function {
	m, _ := library()
	return m[name]
}

// describe is what is known of a function written in Ein. The comment lines over it
// are its documentation; one that begins with the signature loses it.
func describe(def *syntax.Def, f *syntax.File) *function {
	fn := &function{name: def.Name.Name, def: def, kind: KindFunction, source: f.Source.Text[def.Span.Start:def.Span.End]}
	names := make([]string, len(def.Params))
	for i, p := range def.Params {
		names[i] = p.Name
		fn.params = append(fn.params, stdlib.Param{Name: p.Name})
	}
	fn.signature = fn.name + "(" + strings.Join(names, ", ") + ")"
	fn.doc = strings.TrimSpace(strings.TrimPrefix(commentOver(f, def.Span.Start), fn.signature+":"))
	return fn
}

// commentOver is the text of the comment lines that end on the line before offset.
func commentOver(f *syntax.File, offset int) string {
	line := f.Source.Position(offset).Line
	var lines []string
	for i := commentsBefore(f, offset); i > 0; i-- {
		c := f.Comments[i-1].Span
		at := f.Source.Position(c.Start)
		whole := f.Source.LineSpan(at.Line)
		if at.Line != line-1 || strings.TrimSpace(f.Source.Text[whole.Start:c.Start]) != "" {
			break
		}
		line = at.Line
		lines = append([]string{strings.TrimSpace(strings.TrimLeft(f.Source.Text[c.Start:c.End], "/#"))}, lines...)
	}
	return strings.Join(lines, "\n")
}

// functionNamed is the function that a call of name means at the end of the text.
func (d *Document) functionNamed(name string) *function {
	if fn := d.described()[name]; fn != nil {
		return fn
	}
	return lookup(name)
}

// describeAll is the functions of the program by name.
func (d *Document) describeAll() map[string]*function {
	m := map[string]*function{}
	for _, s := range d.File().Stmts {
		if def, ok := s.(*syntax.Def); ok && m[def.Name.Name] == nil {
			m[def.Name.Name] = describe(def, d.File())
		}
	}
	return m
}
