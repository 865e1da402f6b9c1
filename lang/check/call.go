package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// prelude is the parsed prelude: the functions written in Ein.
var prelude = sync.OnceValue(func() map[string]*syntax.Def {
	f := syntax.Parse(source.NewFile("prelude.ein", stdlib.Prelude), syntax.Options{})
	if f.Diags.HasErrors() {
		panic(fmt.Sprint("BUG: prelude: ", f.Diags))
	}
	m := make(map[string]*syntax.Def, len(f.Stmts))
	for _, s := range f.Stmts {
		d := s.(*syntax.Def)
		m[d.Name.Name] = d
	}
	return m
})

// PreludeDefs returns the functions written in Ein by name.
func PreludeDefs() map[string]*syntax.Def { return prelude() }

// inProfile reports whether the profile has a function of the language. The prelude may use
// all of them.
func (c *checker) inProfile(name string) bool {
	return !c.cfg.Profile.frozen() || c.prelude || stdlib.Core(name)
}

// call elaborates a call: of a function of the program, else of the language. The arguments of one
// that nothing defines are elaborated too, so that what is wrong in them is reported at once. A
// function of the program goes before one of the language with its name, except in the prelude.
func (c *checker) call(x *syntax.Call, cx ctx) val {
	if c.overLimit(x.Span) {
		return val{}
	}
	if f := c.def(x.Fun.Name); f.Def != nil && !c.prelude { // the prelude sees the language alone
		return c.expand(x, f, false)
	}
	b, d := stdlib.Lookup(x.Fun.Name), prelude()[x.Fun.Name]
	switch {
	case b == nil && d == nil:
		c.unknownFunction(x)
	case !c.inProfile(x.Fun.Name):
		c.notInProfile(x.Span, "`"+x.Fun.Name+"`")
	case b != nil:
		return c.builtin(x, b, cx)
	default:
		return c.expand(x, function{Def: d}, true)
	}
	if c.likeAtom(x) {
		return val{}
	}
	tensor := c.scope.lookup(x.Fun.Name) != nil || c.rel.byName[x.Fun.Name] != nil
	for _, a := range x.Args {
		if name, ok := a.Value.(*syntax.Name); ok && tensor && c.scope.lookup(name.Name) == nil {
			continue // most likely an index
		}
		if _, text := a.Value.(*syntax.String); text {
			continue // a node or not, as the function would have it
		}
		c.expr(a.Value, ctx{base: ^uint64(0)})
	}
	return val{}
}

// builtin elaborates a call of a builtin by its form. The arguments of elementwise functions and
// reductions may have indices; those of the form Whole take tensors without. What the types of the
// arguments allow is decided by Lower, the rule of the builtin, which builds the operation or
// leaves a Problem.
func (c *checker) builtin(x *syntax.Call, b *stdlib.Builtin, cx ctx) val {
	least, most := b.Arity()
	if b.Form == stdlib.Reduction && b.Fn != 0 {
		most = 2 // the axis is named
	}
	if len(x.Args) < least || len(x.Args) > most {
		c.arity(x, b.Signature(), least, most)
		for _, a := range x.Args {
			c.expr(a.Value, ctx{base: ^uint64(0)})
		}
		return val{}
	}
	for i, a := range x.Args {
		switch {
		case a.Name.Name == "":
		case !takesNamed(b, a.Name.Name):
			return c.namedArgument(x, a, b.Signature(), b.Params[min(i, len(b.Params)-1)].Name == a.Name.Name, i > 0 && takesNamed(b, "axis"))
		case i == 0:
			return c.say(namedFirst, a.Name.Span, a.Name.Name, b.Signature())
		}
	}
	switch b.Form {
	case stdlib.Literal:
		return c.literalCall(x)
	case stdlib.Indexing:
		return c.selectCall(x)
	case stdlib.Relational:
		return c.defaultCall(x)
	case stdlib.Elementwise:
		return c.elementwise(x, b, cx)
	case stdlib.Reduction:
		return c.reduction(x, b, cx)
	}
	args := c.b.List(len(x.Args))
	ok := true
	for i, a := range x.Args {
		v := c.expr(a.Value, ctx{base: ^uint64(0)})
		args[i] = v.n
		switch {
		case v.n == nil:
			ok = false
		case v.indexed:
			c.indexedArgument(x, a.Value)
			ok = false
		case v.label && b.Params[min(i, len(b.Params)-1)].Doc != "node":
			c.say(labelAsValue, a.Value.Pos())
			ok = false
		}
	}
	if !ok {
		return val{}
	}
	c.at(x.Span)
	call := c.calls(b.Name, args...)
	n := b.Lower(call)
	if !c.problems(x, call) {
		return val{}
	}
	for i, a := range x.Args {
		if e, ok := a.Value.(*syntax.Number); ok && i < len(b.Params) && b.Params[i].Doc == "node" && args[0].Rank() > 0 && args[0].Type.Shape.Dim(0) == len(c.labels) {
			c.numberAndLabel(e)
		}
	}
	v := val{n: n}
	switch n.Op {
	case ir.Walk, ir.CutNodes:
		v.form = ir.NodeSet
	case ir.Path, ir.WPath, ir.TopoOrder:
		v.form = ir.NodePath
	}
	return v
}

// calls is a call of a builtin. The next one reuses its memory.
func (c *checker) calls(name string, args ...*ir.Node) *stdlib.Call {
	c.now = stdlib.Call{Builder: &c.b, Name: name, Args: args}
	return &c.now
}

func takesNamed(b *stdlib.Builtin, name string) bool {
	return slices.ContainsFunc(b.Params, func(p stdlib.Param) bool { return p.Named && p.Name == name })
}

// problems reports what the rule of a builtin found wrong. It is false if the call has no value.
func (c *checker) problems(x *syntax.Call, call *stdlib.Call) bool {
	for _, p := range call.Notes {
		c.problem(x, p)
	}
	if call.Problem != nil {
		c.problem(x, *call.Problem)
	}
	return call.Problem == nil
}

// callContext is the context of the arguments of an elementwise function: inside a term, the
// indices stay that the rest of the term uses.
func (c *checker) callContext(x *syntax.Call, cx ctx) ctx {
	if cx.uses == nil {
		return cx
	}
	all := *cx.uses
	var inside [maxIndices]int
	c.uses(x, &inside)
	for i := range all {
		all[i] -= inside[i]
	}
	return ctx{base: cx.base | maskOf(&all)}
}

// elementwise elaborates a function of elements, whose arguments may have indices.
func (c *checker) elementwise(x *syntax.Call, b *stdlib.Builtin, cx ctx) val {
	cx = c.callContext(x, cx)
	vals, ok := make([]val, 0, few), true
	for _, a := range x.Args {
		v := c.expr(a.Value, cx)
		vals, ok = append(vals, v), ok && v.n != nil
	}
	if !ok {
		return val{}
	}
	return c.mapped(x, b.Fn, vals...)
}

// reduction elaborates sum, mean, max, min, argmax, argmin and count in their
// four forms: T; T, axis; an indexed expression; and two tensors.
func (c *checker) reduction(x *syntax.Call, b *stdlib.Builtin, cx ctx) val {
	arg := x.Args[0].Value
	var axis syntax.Expr
	if len(x.Args) == 2 {
		axis = x.Args[1].Value
		if b.Fn != 0 && x.Args[1].Name.Name == "" {
			v := c.elementwise(x, b, cx)
			if n, ok := axis.(*syntax.Number); ok && v.n != nil && !v.indexed && n.Value < float64(v.n.Rank()) && n.Value == math.Trunc(n.Value) {
				c.say(axisHint, x.Span, b.Name, syntax.ExprString(arg), n.Text)
			}
			return v
		}
	}
	v := c.unlabelled(arg, ctx{base: ^uint64(0)})
	if v.n == nil {
		return val{}
	}
	c.at(x.Span)
	if v.indexed {
		if axis != nil {
			return c.say(axisOfIndexed, axis.Pos(), x.Fun.Name)
		}
		return c.reduceIndices(x, b, v)
	}
	axes := make([]int, 0, tensor.MaxRank)
	if axis == nil {
		for d := range v.n.Rank() {
			axes = append(axes, d)
		}
		if v.n.Rank() == 0 && (b.Name == "argmax" || b.Name == "argmin") {
			return c.say(scalarArg, x.Span, b.Name)
		}
	} else {
		at := c.unlabelled(axis, ctx{base: ^uint64(0)}).n
		if at == nil {
			return val{}
		}
		call := c.calls(b.Name)
		axes = append(axes, call.CheckAxis(1, at, v.n))
		if !c.problems(x, call) {
			return val{}
		}
	}
	call := c.calls(b.Name)
	n := stdlib.Fold(call, v.n, axes)
	if !c.problems(x, call) {
		return val{}
	}
	out := val{n: n}
	if n.IsArg() && n.Rank() == 0 {
		out.form = ir.NodeIndex
	}
	return out
}

// reduceIndices folds those indices of an indexed argument that the left side lacks. An index that
// is folded here must not occur elsewhere on the right side, where it would still be there.
func (c *checker) reduceIndices(x *syntax.Call, b *stdlib.Builtin, v val) val {
	if c.eq.uses == nil {
		c.eq.uses = new([maxIndices]int)
		c.uses(c.eq.value, c.eq.uses)
	}
	var inside [maxIndices]int
	if c.eq.value != nil {
		c.uses(x, &inside)
	}
	out := val{indexed: true}
	var axes []int
	for axis, id := range v.idx {
		if c.eq.lhsMask>>id&1 != 0 {
			out.idx = append(out.idx, id)
			continue
		}
		if c.eq.uses[id] > inside[id] {
			return c.say(reducedElsewhere, x.Span, c.eq.idx[id].name, x.Fun.Name)
		}
		axes = append(axes, axis)
	}
	if arg := b.Name == "argmax" || b.Name == "argmin"; arg && len(axes) != 1 {
		return c.say(argIndices, x.Span, b.Name, pluralIndex(len(axes)))
	}
	if len(axes) == 0 {
		c.reducesNothing(x)
	}
	call := c.calls(b.Name)
	out.n = stdlib.Fold(call, v.n, axes)
	if !c.problems(x, call) {
		return val{}
	}
	return out
}

// selectCall elaborates select(T, e1, ..., ek).
func (c *checker) selectCall(x *syntax.Call) val {
	t := c.expr(x.Args[0].Value, ctx{base: ^uint64(0)})
	if t.n == nil {
		return val{}
	}
	if t.indexed {
		return c.indexedArgument(x, x.Args[0].Value)
	}
	at := make([]position, 0, tensor.MaxRank)
	ok := true
	for _, a := range x.Args[1:] {
		e := a.Value
		if name, isName := e.(*syntax.Name); isName {
			if id, left := c.leftID(name.Name); left {
				at = append(at, position{id: id, span: e.Pos()})
				continue
			}
			if c.scope.lookup(name.Name) == nil {
				c.say(selectIndex, name.Span, name.Name)
				ok = false
				continue
			}
		}
		v := c.expr(e, ctx{base: ^uint64(0)})
		switch {
		case v.n == nil:
			ok = false
			continue
		case len(v.idx) > 0:
			c.say(selectPosition, e.Pos(), text(e))
			ok = false
			continue
		}
		at = append(at, position{node: v.n, span: e.Pos()})
	}
	if !ok {
		return val{}
	}
	if t.n.Rank() == 1 && len(at) == 2 {
		if at = c.selectOfVector(x, at); at == nil {
			return val{}
		}
	}
	if len(at) != t.n.Rank() {
		return c.say(selectRank, x.Span, text(x.Args[0].Value), shapeOf(t.n), words.Plural(t.n.Rank(), "position"), len(at))
	}
	call := c.calls("select")
	for axis, p := range at {
		if p.node != nil {
			call.CheckIndex(axis+1, p.node, t.n.Type.Shape.Dim(axis), "position")
		}
	}
	if !c.problems(x, call) {
		return val{}
	}
	return c.take(x.Args[0].Value, x.Span, t.n, at)
}

// selectOfVector accepts select(v, a, 0) and select(v, 0, a): models write both for element a,
// as if v were a row or a column. Of others it reports that v takes one position, and returns none.
func (c *checker) selectOfVector(x *syntax.Call, at []position) []position {
	zero := func(p position) bool {
		if p.node == nil {
			return false
		}
		v, ok := p.node.Static()
		return ok && v == 0
	}
	switch {
	case zero(at[1]):
		return at[:1]
	case zero(at[0]):
		return at[1:]
	}
	c.say(vectorSelect, x.Span, text(x.Args[0].Value))
	return nil
}

// def is the function of the program with that name, if there is one.
func (c *checker) def(name string) function {
	f := c.defs[name]
	if c.sees != nil {
		f = c.sees.lookup(name)
	} else if f == nil {
		f = c.earlier.lookup(name)
	}
	if f == nil {
		return function{}
	}
	return *f
}

// define records a function.
func (c *checker) define(d *syntax.Def) {
	if c.cfg.Profile.frozen() {
		c.notInProfile(d.Span, "`def`")
	}
	if old := c.defs[d.Name.Name]; old != nil {
		c.duplicate(d.Name, old.Name.Span, "function")
		return
	}
	if stdlib.Lookup(d.Name.Name) != nil || prelude()[d.Name.Name] != nil {
		c.say(shadowsFunction, d.Name.Span, d.Name.Name)
	}
	params := make(map[string]source.Span, len(d.Params))
	for _, p := range d.Params {
		if first, ok := params[p.Name]; ok {
			c.duplicate(p, first, "parameter")
		}
		params[p.Name] = p.Span
	}
	lists.Put(&c.defs, d.Name.Name, &function{Def: d})
}

// expand elaborates the body of a function with its parameters bound to the arguments. Of the
// program, the body sees only functions. Arguments are elaborated once, by the caller, and
// parameters stand for their nodes: nothing is substituted, so a name in an argument cannot be
// caught by one of the body. A recursion has no expansion, so a function that is already being
// expanded is an error.
func (c *checker) expand(x *syntax.Call, f function, fromPrelude bool) val {
	d := f.Def
	if len(x.Args) != len(d.Params) {
		return c.arity(x, defSignature(d), len(d.Params), len(d.Params))
	}
	names := make(map[string]*symbol, len(d.Params)+2)
	ok := true
	for i, a := range x.Args {
		if a.Name.Name != "" {
			return c.namedArgument(x, a, defSignature(d), d.Params[i].Name == a.Name.Name, false)
		}
		v := c.expr(a.Value, ctx{base: ^uint64(0)})
		if v.indexed {
			c.indexedArgument(x, a.Value)
			v = val{}
		}
		ok = ok && v.n != nil
		names[d.Params[i].Name] = &symbol{node: v.n, span: d.Params[i].Span, bad: v.n == nil, used: true, label: v.label, form: v.form, param: true}
	}
	if i := slices.Index(c.active, d); i >= 0 {
		if !c.recursed[d] {
			c.recursive(x, d, c.active[i:])
		}
		return val{}
	}
	if len(c.active) >= c.cfg.Limits.Calls {
		return c.say(tooDeep, x.Span, c.cfg.Limits.Calls)
	}
	if !ok {
		return val{}
	}
	// The body knows nothing of where it is called; what the caller had comes back behind it.
	outer, eq, site, inPrelude, sees := c.scope, c.eq, c.site, c.prelude, c.sees
	if len(c.active) == 0 {
		c.site = x.Span
	}
	if fromPrelude && !c.prelude {
		c.prelude, c.preludeCall = true, x.Span
	}
	c.scope, c.sees = &scope{names: names, fn: d}, f.sees
	c.active = append(c.active, d)
	v := c.body(d)
	c.active = c.active[:len(c.active)-1]
	c.scope, c.eq, c.site, c.prelude, c.sees = outer, eq, site, inPrelude, sees
	if v.n != nil && v.label {
		return c.say(labelAsValue, x.Pos())
	}
	return v
}

// body is the value of the last statement of a function. It comes out bare: the caller's indices
// are not those of the function.
func (c *checker) body(d *syntax.Def) val {
	if d.Value != nil {
		return c.printed(d.Value)
	}
	var last val
	for _, s := range d.Body {
		switch s := s.(type) {
		case *syntax.Assign:
			last = c.local(s)
		case *syntax.ExprStmt:
			last = c.printed(s.X)
		case *syntax.Repeat:
			c.repeat(s, func(s *syntax.Assign) val {
				last = c.local(s)
				return last
			})
		default:
			return val{}
		}
	}
	last.indexed, last.idx = false, nil
	return last
}

// local is an assignment inside a function, whose name need not be used.
func (c *checker) local(s *syntax.Assign) val {
	v := c.assign(s)
	c.stands(s.Name.Name, symbol{node: v.n, span: s.Name.Span, bad: v.n == nil, form: v.form, used: true})
	return v
}

// defSignature is a function as messages show it, cut where it is long.
func defSignature(d *syntax.Def) string {
	names := lists.Map(d.Params, func(p syntax.Ident) string { return diag.Middle(p.Name, 80) })
	return diag.Middle(d.Name.Name, 80) + "(" + diag.Join(names) + ")"
}

// functions checks what is known of a function without a call, so that one that is never called is
// checked too: its names, and that it does not call itself. A depth-first walk over the calls finds
// a circle as a call to what stands on the path.
func (c *checker) functions() {
	if c.stopped || len(c.defs) == 0 {
		return
	}
	calls := make(map[*syntax.Def][]*syntax.Call, len(c.defs))
	for _, s := range c.file.Stmts {
		if d, ok := s.(*syntax.Def); ok && c.defs[d.Name.Name].Def == d {
			calls[d] = c.inBody(d)
		}
	}
	var path []*syntax.Def
	place := make(map[*syntax.Def]int, len(c.defs)) // in path, from 1; -1 of one that has been visited
	var visit func(d *syntax.Def)
	visit = func(d *syntax.Def) {
		if place[d] < 0 || c.recursed[d] {
			return
		}
		path = append(path, d)
		place[d] = len(path)
		for _, x := range calls[d] {
			c.step(1)
			to := c.def(x.Fun.Name).Def
			if i := place[to]; i > 0 {
				if !c.recursed[to] {
					c.recursive(x, to, path[i-1:])
				}
			} else {
				visit(to)
			}
		}
		path = path[:len(path)-1]
		place[d] = -1
	}
	for _, s := range c.file.Stmts {
		if d, ok := s.(*syntax.Def); ok {
			visit(d)
		}
	}
}

// inBody looks for unknown names in a function and returns its calls of others. A body is
// elaborated only where it is called, with the shapes of the arguments; this finds mistakes in
// functions that nothing calls.
func (c *checker) inBody(d *syntax.Def) (calls []*syntax.Call) {
	known := make(map[string]bool)
	for _, p := range d.Params {
		known[p.Name] = true
	}
	var visit func(x syntax.Expr)
	visit = func(x syntax.Expr) {
		syntax.Walk(x, func(n syntax.Node) bool {
			if c.step(1) {
				return false
			}
			switch x := n.(type) {
			case *syntax.Name:
				if !known[x.Name] {
					m := unknownInFunction
					m.note = cmp.Or(stdlib.Keyword(x.Name, true), m.note)
					c.say(m, x.Span, x.Name, d.Name.Name)
				}
			case *syntax.Index:
				visit(x.X)
				return false
			case *syntax.Call:
				switch name := x.Fun.Name; {
				case c.def(name).Def != nil:
					calls = append(calls, x)
				case stdlib.Lookup(name) != nil || prelude()[name] != nil:
				case known[name]:
					c.say(localCalled, x.Fun.Span, x.Fun.Name)
				default:
					c.unknownFunction(x)
				}
				for i, a := range x.Args {
					if _, isName := a.Value.(*syntax.Name); isName && i > 0 && x.Fun.Name == "select" {
						continue // an index or a position: known when called
					}
					visit(a.Value)
				}
				return false
			}
			return true
		})
	}
	visit(d.Value)
	var body func(list []syntax.Stmt)
	body = func(list []syntax.Stmt) {
		for _, s := range list {
			switch s := s.(type) {
			case *syntax.Assign:
				visit(s.Value)
				known[s.Name.Name] = true
			case *syntax.ExprStmt:
				visit(s.X)
			case *syntax.Repeat:
				visit(s.Times)
				body(s.Body)
			}
		}
	}
	body(d.Body)
	return calls
}

// maxDiagnostics is the most errors, and the most warnings, that are reported; others are only
// counted.
const maxDiagnostics = 50

// full reports whether there are enough errors, in which case it counts this one.
func (c *checker) full() bool {
	if c.errors < maxDiagnostics {
		return false
	}
	c.more++
	return true
}

// report adds a diagnostic, unless it was reported before. One in the text of the prelude is
// moved to the call.
func (c *checker) report(d *diag.Diagnostic) (none val) {
	if c.stopped || c.cfg.ErrorsOnly && d.Severity != diag.Error {
		return none
	}
	if c.prelude && len(c.active) > 0 {
		fn, called := c.active[len(c.active)-1], ""
		if i := slices.IndexFunc(c.active, func(e *syntax.Def) bool { return prelude()[e.Name.Name] == e }); c.active[i] != fn {
			called = fmt.Sprintf(", which `%s` calls", c.active[i].Name.Name)
		}
		d.Notes = append(d.Notes, fmt.Sprintf("This was found inside `%s`%s. It is written in Ein; `ein doc %s` shows it.", defSignature(fn), called, fn.Name.Name))
		d.Span, d.Label, d.Fixes, d.Related = c.preludeCall, "", nil, nil
		if c.site != c.preludeCall {
			d.Related = []diag.Related{{Span: c.site, Message: "called here"}}
		}
		if inside := (place{"", d.Span}); c.seen[inside] {
			return none // one wrong call, one error
		} else {
			lists.Put(&c.seen, inside, true)
		}
	} else if len(c.active) > 0 {
		d.Related = append(d.Related, diag.Related{Span: c.site, Message: "called here"})
	}
	if d.Severity != diag.Error && c.cfg.After != nil && len(c.file.Stmts) > 0 && d.Span.Start < c.file.Stmts[0].Pos().Start {
		return none // what is not wrong with what was said before has been told
	}
	at := place{d.Code, d.Span}
	if c.seen[at] {
		return none
	}
	lists.Put(&c.seen, at, true)
	count := &c.warnings
	if d.Severity == diag.Error {
		count = &c.errors
	}
	if *count >= maxDiagnostics {
		c.more++
		return none
	}
	*count++
	c.diags = append(c.diags, *d)
	return none
}
