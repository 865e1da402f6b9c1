// Package naive is a second engine for Ein: a simple, slow interpreter of the syntax tree, written
// from the definition of the language alone.
//
// Tests compare it with the real engine, so it shares nothing with the checker, the planner, the
// machine or the kernels, only the parser. Every tensor is a dense row-major array, every equation is
// nested loops over its indices, and every graph function follows its definition. Where the real
// engine is fast, this one is obvious, and is to stay so.
//
// [Run] walks over the statements of a file, in order (naive.go). Bare expressions are evaluated to
// whole tensors (eval.go, builtins.go). Those with indices become an equation (equation.go): build makes a tree
// of nodes in which bare parts already have values, resolve settles which indices each reduction folds,
// and evaluate goes over all positions of the left side. term is the rule of summation: each product is
// summed over the indices that it has and nobody above has bound.
//
// A value knows what the language says of it: whether it is real, and whether a whole number reached
// 2^53 in it or in what it was computed from (huge). Products and sums of whole numbers are computed
// by package big, so only the result decides. huge is an error when such a value is put out, as in the
// language, where what no output needs is not checked.
//
// Errors are panics that Run returns as an [*Error]. Tests compare its [Class], not its words: this
// engine checks as it runs, so it may find another error first.
package naive

import (
	"fmt"
	"math"
	"slices"

	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
)

// Tensor is a dense row-major array. No Dims is a scalar. In a matrix that is Far,
// infinite elements are no edges, and those that are 0 are edges.
type Tensor struct {
	Dims []int
	Data []float64
	Far  bool
}

// Output is one value that a program puts out.
type Output struct {
	Name   string
	Tensor Tensor
}

// Options is what the host gives a program.
type Options struct {
	Inputs  map[string]Tensor // by the names of the input statements
	Labels  []string          // labels of the nodes 0, 1, ...
	Prelude string            // Ein source whose functions every program may call
}

// Class says when an error shows.
type Class uint8

// A Syntax error is found by the parser, a Static one is known without running,
// a Limit is a static refusal because of a size, and a Runtime one depends on
// values. The naive engine checks while it runs, so a Static error may come
// after work was done.
const (
	Syntax Class = iota
	Static
	Limit
	Runtime
)

func (c Class) String() string { return [...]string{"syntax", "static", "limit", "runtime"}[c] }

// Error is why a program has no value.
type Error struct {
	Class   Class
	Message string
	Span    source.Span
}

func (e *Error) Error() string { return e.Class.String() + ": " + e.Message }

// maxElems bounds one tensor, and maxSteps the loops of one equation, so that
// a generated program cannot make a test hang.
const (
	maxElems = 1 << 24
	maxSteps = 1 << 30
	maxRank  = 8
)

// maxExact is where integers stop being exact in a float64.
const maxExact = 1 << 53

// value is a tensor and what the language tracks about it.
type value struct {
	Tensor
	real  bool // may hold a value that is not an integer
	huge  bool // an integer reached 2^53, here or in what it was computed from
	known bool // a scalar that the text alone determines
}

func (v value) rank() int { return len(v.Dims) }

func scalar(x float64, real bool) value { return value{Tensor: Tensor{Data: []float64{x}}, real: real} }

func known(x float64) value {
	v := scalar(x, !whole(x))
	v.known = true
	return v
}

// whole reports whether x is an integer that a float64 holds exactly.
func whole(x float64) bool { return x == math.Trunc(x) && math.Abs(x) < maxExact }

// newTensor makes a tensor of zeros, within the limits of this implementation.
func newTensor(dims ...int) Tensor {
	n := 1
	for _, d := range dims {
		if d < 0 {
			fail(Static, "a size is negative: %d", d)
		}
		if n *= d; n > maxElems {
			fail(Limit, "too many elements: %v", dims)
		}
	}
	if len(dims) > maxRank {
		fail(Static, "rank %d: a tensor has at most %d axes", len(dims), maxRank)
	}
	return Tensor{Dims: slices.Clone(dims), Data: make([]float64, n)}
}

// fail leaves the evaluation; Run turns it into its error.
func fail(class Class, format string, args ...any) {
	panic(&Error{Class: class, Message: fmt.Sprintf(format, args...)})
}

// Run evaluates a program and returns what it puts out. Its error is an *Error.
func Run(f *syntax.File, opt Options) (outs []Output, err error) {
	if err := syntaxError(f); err != nil {
		return nil, err
	}
	in := &interp{
		file:   f,
		inputs: opt.Inputs,
		defs:   map[string]*syntax.Def{},
		labels: map[string]int{},
		listed: map[string]bool{},
	}
	if opt.Prelude != "" {
		p := syntax.Parse(source.NewFile("prelude", opt.Prelude), syntax.Options{})
		if err := syntaxError(p); err != nil {
			return nil, err
		}
		for _, s := range p.Stmts {
			if d, ok := s.(*syntax.Def); ok {
				in.defs[d.Name.Name] = d
			}
		}
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			r.Span = in.at
			outs, err = nil, r
		default:
			panic(r)
		}
	}()
	for _, l := range opt.Labels {
		in.addLabel(l)
		in.listed[l] = true
	}
	for _, s := range f.Stmts {
		in.findLabels(s)
	}
	return in.run(f.Stmts), nil
}

// syntaxError returns the first error of a file, or nil.
func syntaxError(f *syntax.File) error {
	for _, d := range f.Diags {
		if d.Severity != diag.Error {
			continue
		}
		class := Syntax
		if d.Code.Class() == diag.Limit {
			class = Limit
		}
		return &Error{Class: class, Message: d.Message, Span: d.Span}
	}
	return nil
}

// interp is one run.
type interp struct {
	file   *syntax.File
	inputs map[string]Tensor
	defs   map[string]*syntax.Def
	labels map[string]int
	listed map[string]bool // labels that stand in a list or came from the host
	calls  []string        // functions being expanded
	at     source.Span     // the statement being evaluated
}

// scope is the names of a program or of one call of a function.
type scope struct {
	vars   map[string]value
	params map[string]bool // inside a function: its parameters
}

func (in *interp) addLabel(l string) {
	if _, ok := in.labels[l]; !ok {
		in.labels[l] = len(in.labels)
	}
}

// run evaluates a program's statements from the top.
func (in *interp) run(stmts []syntax.Stmt) []Output {
	sc := &scope{vars: map[string]value{}}
	var outs []Output
	var last string
	printed := false
	for _, s := range stmts {
		in.at = s.Pos()
		switch s := s.(type) {
		case *syntax.Assign:
			in.assign(sc, s)
			last = s.Name.Name
		case *syntax.Repeat:
			in.repeat(sc, s, func(s *syntax.Assign) { last = s.Name.Name })
		case *syntax.Print:
			printed = true
			for _, x := range s.Values {
				if name, ok := syntax.Unparen(x).(*syntax.Name); ok {
					x = name
				}
				v := in.equation(sc, nil, false, syntax.Set, x)
				outs = append(outs, output(in.textOf(x), v))
			}
		case *syntax.Input:
			sc.vars[s.Name.Name] = in.input(s)
		case *syntax.Def:
			in.defs[s.Name.Name] = s // visible from here on
		default:
			fail(Static, "a statement that a program cannot have")
		}
	}
	if !printed {
		if last == "" {
			fail(Static, "the program has no output")
		}
		outs = append(outs, output(last, sc.vars[last]))
	}
	return outs
}

// textOf returns the text that names x in a message or an output. The text of a function may be
// in the prelude, which is not available here.
func (in *interp) textOf(x syntax.Expr) string {
	if len(in.calls) > 0 {
		return "a tensor in " + in.calls[len(in.calls)-1]
	}
	s := x.Pos()
	return in.file.Source.Text[s.Start:s.End]
}

// output checks what leaves the program: inexact whole numbers and infinite ones may arise on the
// way but not be answers.
func output(name string, v value) Output {
	if v.huge {
		fail(Runtime, "an integer of output %s reached 2^53 and is no longer exact", name)
	}
	for _, x := range v.Data {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			fail(Runtime, "output %s is not finite", name)
		}
	}
	return Output{Name: name, Tensor: v.Tensor}
}

// input checks a given tensor against its declaration. It is real if some number is not whole.
func (in *interp) input(s *syntax.Input) value {
	rank, ok := map[string]int{"graph": 2, "matrix": 2, "vector": 1, "scalar": 0}[s.Kind.Name]
	if !ok {
		fail(Static, "unknown input kind %s", s.Kind.Name)
	}
	t, ok := in.inputs[s.Name.Name]
	if !ok {
		fail(Static, "input %s is not bound", s.Name.Name)
	}
	if len(t.Dims) != rank {
		fail(Static, "input %s is a %s but has rank %d", s.Name.Name, s.Kind.Name, len(t.Dims))
	}
	v := value{Tensor: t}
	for _, x := range t.Data {
		if !whole(x) {
			v.real = true
		}
		if s.Kind.Name == "graph" && x != 0 && x != 1 {
			fail(Static, "graph %s has an entry that is not 0 or 1", s.Name.Name)
		}
	}
	if s.Kind.Name == "graph" && t.Dims[0] != t.Dims[1] {
		fail(Static, "graph %s is not square", s.Name.Name)
	}
	return v
}

// assign evaluates one assignment or equation and binds its name.
func (in *interp) assign(sc *scope, s *syntax.Assign) {
	var lhs []string
	for _, x := range s.Indices {
		n, ok := x.(*syntax.Name)
		if !ok {
			fail(Static, "an index on the left must be a name")
		}
		lhs = append(lhs, n.Name)
	}
	v := in.equation(sc, lhs, s.Indexed, s.Op, s.Value)
	if old, ok := sc.vars[s.Name.Name]; ok && s.Op != syntax.Set {
		static := old.known && v.known
		v = in.combine(s.Name.Name, old, v, lhs, s.Op)
		v.known = static
	}
	sc.vars[s.Name.Name] = v
}

// repeat runs the statements of a repeat, and tells done of each.
func (in *interp) repeat(sc *scope, s *syntax.Repeat, done func(*syntax.Assign)) {
	times := staticInt(in.equation(sc, nil, false, syntax.Set, s.Times), "a number of rounds")
	if times < 0 {
		fail(Static, "%d rounds", times)
	}
	dims := map[*syntax.Assign][]int{}
	for range times {
		for _, st := range s.Body {
			switch st := st.(type) {
			case *syntax.Assign:
				in.assign(sc, st)
				now := sc.vars[st.Name.Name].Dims
				if last, again := dims[st]; again && !slices.Equal(last, now) {
					fail(Static, "%s changes its shape from round to round", st.Name.Name)
				}
				dims[st] = now
				done(st)
			case *syntax.Repeat:
				in.repeat(sc, st, done)
			}
		}
	}
}

// combine combines a value with the earlier one, for max=, min= and +=.
func (in *interp) combine(name string, old, v value, lhs []string, op syntax.AssignOp) value {
	if !slices.Equal(old.Dims, v.Dims) {
		fail(Static, "%s was %v and cannot be combined with %v", name, old.Dims, v.Dims)
	}
	out := value{Tensor: newTensor(v.Dims...), real: old.real || v.real, huge: old.huge || v.huge}
	pos := make([]int, len(v.Dims))
	for k := range v.Data {
		unflatten(k, v.Dims, pos)
		switch {
		case !agrees(lhs, pos): // a cell that the equation does not define
			out.Data[k] = old.Data[k]
		case op == syntax.SetAdd:
			out.Data[k] = old.Data[k] + v.Data[k]
		case op == syntax.SetMax:
			out.Data[k] = math.Max(old.Data[k], v.Data[k])
		case op == syntax.SetMin:
			out.Data[k] = math.Min(old.Data[k], v.Data[k])
		}
	}
	out.check()
	return out
}

// agrees reports whether a cell is one that the left side names: with D[i,i]
// only the diagonal is.
func agrees(lhs []string, pos []int) bool {
	for a := range lhs {
		for b := range a {
			if lhs[a] == lhs[b] && pos[a] != pos[b] {
				return false
			}
		}
	}
	return true
}

// check notes whether an integer has reached 2^53.
func (v *value) check() {
	for _, x := range v.Data {
		v.huge = v.huge || !v.real && !whole(x)
	}
}

// unflatten turns an offset into a position.
func unflatten(k int, dims, pos []int) {
	for a := len(dims) - 1; a >= 0; a-- {
		pos[a] = k % dims[a]
		k /= dims[a]
	}
}

// flatten turns a position into an offset.
func flatten(dims, pos []int) int {
	k := 0
	for a, d := range dims {
		k = k*d + pos[a]
	}
	return k
}

// findLabels numbers the strings of a statement in the order of the text.
func (in *interp) findLabels(s syntax.Stmt) {
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.String:
			in.addLabel(n.Value)
		case *syntax.List:
			for _, x := range n.Elems {
				if s, ok := x.(*syntax.String); ok {
					in.listed[s.Value] = true
				}
			}
		}
		return true
	})
}
