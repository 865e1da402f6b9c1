package ide

import (
	"sync"

	"ein/lang/check"
	"ein/lang/describe"
	"ein/lang/syntax"
)

// function is a function, for people and for what its name stands for.
type function struct {
	describe.Function
	def  *syntax.Def // of one that is written in Ein
	kind Kind
}

// library is every function of the language by name, and their names in the order
// of the reference.
var library = sync.OnceValues(func() (map[string]*function, []string) {
	m := map[string]*function{}
	var order []string
	defs := check.PreludeDefs()
	for _, f := range describe.Functions() {
		fn := &function{f, defs[f.Name], KindBuiltin}
		if fn.def != nil {
			fn.kind = KindFunction
		}
		m[f.Name] = fn
		order = append(order, f.Name)
	}
	return m, order
})

// lookup is a function of the language, nil when there is none of that name.
func lookup(name string) *function {
	m, _ := library()
	return m[name]
}

// defined is a function that the program defines.
func (d *Document) defined(def *syntax.Def) *function {
	return &function{describe.Definition(d.File(), def), def, KindFunction}
}

// functionNamed is the function that a call of name means at the end of the text.
func (d *Document) functionNamed(name string) *function {
	if fn := d.described()[name]; fn != nil {
		return fn
	}
	return lookup(name)
}

// describeAll returns the functions of the program by name.
func (d *Document) describeAll() map[string]*function {
	m := map[string]*function{}
	for _, s := range d.File().Stmts {
		if def, ok := s.(*syntax.Def); ok && m[def.Name.Name] == nil {
			m[def.Name.Name] = d.defined(def)
		}
	}
	return m
}
