package ide

import (
	"slices"
	"sort"

	"ein/internal/lists"
	"ein/lang/source"
	"ein/lang/syntax"
)

// names is what every name of a text stands for. Names that have nothing to do with each other
// never share a binding, so to rename one is to edit the occurrences of its binding.
type names struct {
	occurrences []*occurrence // in the order of the text
	functions   map[string]*binding
}

// binding is one thing that has a name: a tensor of the program with all its
// values, an index of one statement, a function, a parameter, a label.
type binding struct {
	name        string
	kind        Kind
	def         *syntax.Def   // of a function of the program
	occurrences []*occurrence // in the order of the text
	count       int           // of them
	// guessed says that it also occurs in a statement that does not parse.
	guessed bool
	given   bool // a label that a fact or a graph has
}

// occurrence is one place where a name stands.
type occurrence struct {
	span    source.Span
	of      *binding
	write   bool
	sees    *occurrence // the definition that a use refers to; nil when there is none
	uses    int         // of a definition: how many occurrences see it
	stmt    int         // number of the statement in the file
	printed bool        // it is what a :print prints
}

func writes(o *occurrence) bool { return o.write }

// scope is the names known at a place and the definition each refers to.
type scope struct {
	names   map[string]*occurrence
	indices map[string]*binding // of the statement
	left    map[string]bool     // indices of the left side
	params  map[string]bool
	fn      *syntax.Def
}

// newScope is a scope without names: of the program, or of a function.
func newScope(fn *syntax.Def) *scope {
	return &scope{names: map[string]*occurrence{}, indices: map[string]*binding{}, left: map[string]bool{}, fn: fn}
}

// statement begins another statement, which has indices of its own.
func (s *scope) statement() {
	clear(s.indices)
	clear(s.left)
}

// resolver goes through the statements in their order and finds what each name stands for. It
// needs the tree only, so that names are found in programs that do not check.
type resolver struct {
	d       *Document
	n       *names
	scope   *scope
	labels  map[string]*binding
	library map[string]*binding
	known   map[string]int // functions of the program: number of the statement that defines it
	// relations are the relations of the program, wherever it speaks of them.
	relations map[string]*binding
	stmt      int
	asks      bool         // the statement is a query, where a label that is given is no variable
	room      []occurrence // for the next ones: thousands are made at a time
}

// resolve finds out what names stand for, by the rules of the checker. It goes by the tree alone,
// so it also works where the program is wrong. Functions and relations come first, as they are seen
// from statements above them; then every statement in its order.
func (d *Document) resolve() *names {
	r := &resolver{
		d: d, scope: newScope(nil), labels: map[string]*binding{}, library: map[string]*binding{}, known: map[string]int{},
		n: &names{functions: map[string]*binding{}},
	}
	stmts := d.File().Stmts
	r.relations = relationNames(stmts)
	r.n.occurrences = make([]*occurrence, 0, 5*len(stmts)) // as in usual programs
	r.room = make([]occurrence, 5*len(stmts))
	for i, s := range stmts {
		if def, ok := s.(*syntax.Def); ok {
			if _, again := r.known[def.Name.Name]; !again {
				r.known[def.Name.Name] = i
				r.n.functions[def.Name.Name] = &binding{name: def.Name.Name, kind: KindFunction, def: def}
			}
		}
	}
	for i, s := range stmts {
		r.stmt = i
		n := len(r.n.occurrences)
		r.statement(s)
		slices.SortStableFunc(r.n.occurrences[n:], func(a, b *occurrence) int { return a.span.Start - b.span.Start })
	}
	all := make([]*occurrence, 0, len(r.n.occurrences))
	for _, o := range r.n.occurrences {
		b := o.of
		if b.occurrences == nil { // the place of all of them
			b.occurrences = all[len(all) : len(all) : len(all)+b.count]
			all = all[:len(all)+b.count]
		}
		b.occurrences = append(b.occurrences, o)
	}
	for _, b := range r.relations {
		i := slices.IndexFunc(b.occurrences, writes)
		for _, o := range b.occurrences {
			if i >= 0 && !o.write {
				o.sees = b.occurrences[i]
				o.sees.uses++
			}
		}
	}
	return r.n
}

// relationNames returns a binding for each relation; nil without any, as in most programs.
func relationNames(stmts []syntax.Stmt) map[string]*binding {
	var out map[string]*binding
	for _, s := range stmts {
		if name, ok := syntax.RelationOf(s); ok && out[name.Name] == nil {
			lists.Put(&out, name.Name, &binding{name: name.Name, kind: KindTensor})
		}
	}
	return out
}

// bound is the binding that a map has for a key, which is made if there is none.
func bound(in map[string]*binding, key, name string, kind Kind) *binding {
	b := in[key]
	if b == nil {
		b = &binding{name: name, kind: kind}
		in[key] = b
	}
	return b
}

// add records an occurrence of b in the current statement.
func (r *resolver) add(b *binding, span source.Span) *occurrence {
	if len(r.room) == 0 {
		r.room = make([]occurrence, 256)
	}
	o := &r.room[0]
	r.room = r.room[1:]
	*o = occurrence{span: span, of: b, stmt: r.stmt}
	b.count++
	r.n.occurrences = append(r.n.occurrences, o)
	return o
}

// use records a use of what sees is the definition of.
func (r *resolver) use(sees *occurrence, span source.Span) *occurrence {
	o := r.add(sees.of, span)
	o.sees = sees
	sees.uses++
	return o
}

// define records a definition. Another one of the same name belongs to the same
// binding: a name that is assigned twice is one name.
func (r *resolver) define(name syntax.Ident, kind Kind) *occurrence {
	old := r.scope.names[name.Name]
	var b *binding
	if old != nil {
		b = old.of
	} else {
		b = &binding{name: name.Name, kind: kind}
	}
	o := r.add(b, name.Span)
	o.write = true
	r.scope.names[name.Name] = o
	return o
}

// statement records the names of a statement. Each fact or rule counts as a definition of its
// relation; a :print marks those of its values that are names.
func (r *resolver) statement(s syntax.Stmt) {
	r.scope.statement()
	switch s := s.(type) {
	case *syntax.Assign:
		r.assign(s)
	case *syntax.Print:
		for _, x := range s.Values {
			r.scope.statement()
			n := len(r.n.occurrences)
			r.expr(x)
			if _, ok := x.(*syntax.Name); ok && len(r.n.occurrences) > n {
				r.n.occurrences[n].printed = true
			}
		}
	case *syntax.ExprStmt:
		r.expr(s.X)
	case *syntax.Input:
		if b := r.relations[s.Name.Name]; b != nil {
			r.add(b, s.Name.Span).write = true
			return
		}
		r.define(s.Name, KindInput)
	case *syntax.Rule:
		fact := s.Value == nil && len(s.Body) == 0
		n := len(r.n.occurrences)
		r.atom(s.Head, fact)
		if len(r.n.occurrences) > n {
			r.n.occurrences[n].write = true
		}
		if s.Value != nil {
			r.atom(s.Value, false)
		}
		r.literals(s.Body)
	case *syntax.Query:
		r.asks = true
		r.literals(s.Body)
		r.asks = false
	case *syntax.Def:
		r.def(s)
	case *syntax.Repeat:
		r.expr(s.Times)
		for _, b := range s.Body {
			r.statement(b)
		}
	case *syntax.Bad:
		r.guess(s)
	}
}

// literals records the names of a body.
func (r *resolver) literals(list []syntax.Literal) {
	for _, l := range list {
		r.atom(l.X, false)
		if l.Value != nil {
			r.atom(l.Value, false)
		}
	}
}

// atom is what stands in a fact, where every name is a constant, or in a rule, where a
// name with a small letter is a variable.
func (r *resolver) atom(x syntax.Expr, fact bool) {
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Name:
			switch {
			case n.Name == "_": // each is a variable of its own
			case fact || n.Name[0] >= 'A' && n.Name[0] <= 'Z', r.asks && r.labels[n.Name] != nil && r.labels[n.Name].given:
				r.label(&syntax.String{Span: n.Span, Value: n.Name}, fact)
			default:
				r.index(n)
			}
		case *syntax.String:
			r.label(n, fact)
		case *syntax.Index:
			if name, ok := n.X.(*syntax.Name); ok {
				r.name(syntax.Ident{Name: name.Name, Span: name.Span})
			} else {
				r.atom(n.X, fact)
			}
			for _, e := range n.Indices {
				r.atom(e, fact)
			}
			return false
		case *syntax.Call:
			if r.relations[n.Fun.Name] != nil {
				r.name(n.Fun)
			} else {
				r.call(n.Fun)
			}
			for _, a := range n.Args {
				r.atom(a.Value, fact)
			}
			return false
		}
		return true
	})
}

// assign records an equation. The right side sees the definition before it. One that adds to an
// old value, as += does, uses that too.
func (r *resolver) assign(s *syntax.Assign) {
	for _, x := range s.Indices {
		if name, ok := x.(*syntax.Name); ok {
			r.scope.left[name.Name] = true
			r.index(name).write = true
		}
	}
	r.expr(s.Value)
	if old := r.scope.names[s.Name.Name]; old != nil && s.Op != syntax.Set {
		old.uses++
		o := r.define(s.Name, KindTensor)
		o.sees = old
		return
	}
	r.define(s.Name, KindTensor)
}

// def records a function. Its body sees its parameters, and the functions and relations of the
// program, but none of its tensors.
func (r *resolver) def(s *syntax.Def) {
	outer := r.scope
	o := r.add(r.n.functions[s.Name.Name], s.Name.Span)
	o.write = true
	r.scope = newScope(s)
	r.scope.params = map[string]bool{}
	for _, p := range s.Params {
		r.define(p, KindParameter)
		r.scope.params[p.Name] = true
	}
	r.scope.statement()
	if s.Value != nil {
		r.expr(s.Value)
	}
	for _, b := range s.Body {
		r.statement(b)
	}
	r.scope = outer
}

// index records an index of the statement. In a function a parameter in brackets
// is a position.
func (r *resolver) index(x *syntax.Name) *occurrence {
	if r.scope.params[x.Name] {
		return r.use(r.scope.names[x.Name], x.Span)
	}
	return r.add(bound(r.scope.indices, x.Name, x.Name, KindIndex), x.Span)
}

// name records the use of a tensor or a relation.
func (r *resolver) name(x syntax.Ident) {
	if o := r.scope.names[x.Name]; o != nil {
		r.use(o, x.Span)
		return
	}
	if b := r.relations[x.Name]; b != nil {
		r.add(b, x.Span)
		return
	}
	// Not defined: something of its own, so that its occurrences are still found.
	r.add(bound(r.library, "\x00"+x.Name, x.Name, KindTensor), x.Span)
}

// call records the function that is called. One of the program hides that of the library in the
// statements after its definition and in every function.
func (r *resolver) call(fun syntax.Ident) {
	at, mine := r.known[fun.Name]
	library := lookup(fun.Name)
	switch {
	case mine && (r.scope.fn != nil || at < r.stmt || library == nil):
		r.add(r.n.functions[fun.Name], fun.Span)
	case library != nil:
		r.add(bound(r.library, fun.Name, fun.Name, library.kind), fun.Span)
	default:
		r.name(fun)
	}
}

// label records a label of a node. It defines the node in a fact or a graph; elsewhere it uses one.
func (r *resolver) label(x *syntax.String, defines bool) {
	b := bound(r.labels, x.Value, x.Value, KindLabel)
	b.given = b.given || defines
	r.add(b, x.Span).write = defines
}

// expr records the names in an expression. Names in brackets are indices, as are those of the
// left side among the positions of select; strings in the list of edges define labels.
func (r *resolver) expr(x syntax.Expr) {
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Name:
			r.name(syntax.Ident{Name: n.Name, Span: n.Span})
		case *syntax.String:
			r.label(n, false)
		case *syntax.Index:
			r.expr(n.X)
			for _, e := range n.Indices {
				if name, ok := e.(*syntax.Name); ok {
					r.index(name)
				} else {
					r.expr(e)
				}
			}
			return false
		case *syntax.Call:
			r.call(n.Fun)
			for i, a := range n.Args {
				name, bare := a.Value.(*syntax.Name)
				switch {
				case bare && i > 0 && n.Fun.Name == "select" && r.scope.left[name.Name]:
					r.index(name)
				case i == 0 && n.Fun.Name == "edges":
					syntax.Walk(a.Value, func(e syntax.Node) bool {
						switch e := e.(type) {
						case *syntax.String:
							r.label(e, true)
						case *syntax.List:
							return true
						case syntax.Expr:
							r.expr(e)
						}
						return false
					})
				default:
					r.expr(a.Value)
				}
			}
			return false
		}
		return true
	})
}

// guess reads the names of a statement that does not parse from its tokens.
func (r *resolver) guess(s *syntax.Bad) {
	d := r.d
	toks := d.tokensIn(s.Span)
	named := syntax.Ident{}
	kind := KindTensor
	var open []bool // for each open bracket: it holds indices
	for i, t := range toks {
		word := d.text(t.Span)
		next := syntax.KindEOF
		if i+1 < len(toks) {
			next = toks[i+1].Kind
		}
		switch t.Kind {
		case syntax.KindLBracket:
			open = append(open, i > 0 && endsOperand(toks[i-1].Kind))
		case syntax.KindLParen, syntax.KindLBrace:
			open = append(open, false)
		case syntax.KindRBracket, syntax.KindRParen, syntax.KindRBrace:
			open = open[:max(len(open)-1, 0)]
		case syntax.KindIdent:
			id := syntax.Ident{Name: word, Span: t.Span}
			n := len(r.n.occurrences)
			switch {
			case i == 0 && (word == "def" || word == "input") && next == syntax.KindIdent:
				if kind = KindInput; word == "def" {
					kind = KindFunction
				}
				continue
			case named.Name == "" && word == s.Name:
				named = id
				continue
			case next == syntax.KindLParen:
				r.call(id)
			case len(open) > 0 && open[len(open)-1]:
				r.index(&syntax.Name{Span: id.Span, Name: word})
			default:
				r.name(id)
			}
			for _, o := range r.n.occurrences[n:] {
				o.of.guessed = true
			}
		}
	}
	if named.Name != "" {
		r.define(named, kind).of.guessed = true
	}
}

// at is the occurrence that the cursor touches.
func (n *names) at(offset int) *occurrence {
	i := sort.Search(len(n.occurrences), func(i int) bool { return n.occurrences[i].span.End >= offset })
	for ; i < len(n.occurrences) && n.occurrences[i].span.Start <= offset; i++ {
		if i+1 < len(n.occurrences) && n.occurrences[i+1].span.Start == offset {
			continue // of two that touch, the one after the cursor
		}
		return n.occurrences[i]
	}
	return nil
}

// in returns the occurrences that lie in span.
func (n *names) in(span source.Span) []*occurrence {
	from := sort.Search(len(n.occurrences), func(i int) bool { return n.occurrences[i].span.Start >= span.Start })
	to := sort.Search(len(n.occurrences), func(i int) bool { return n.occurrences[i].span.Start >= span.End })
	return n.occurrences[from:to]
}
