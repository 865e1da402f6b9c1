// Package stdlib defines the library of the language: the table of builtin functions, and
// the prelude, which is written in Ein.
//
// A [Builtin] is one entry of [Builtins]. Its [Form] says how a call reads its arguments:
// as bare tensors, element by element, as a reduction, or in a way that the checker knows
// by name. For the form Whole, Lower is both type rule and lowering: given a [Call], it
// builds the operations of package ir, and building them computes their types. After a
// [Problem], whose argument and code the checker turns into a diagnostic, they do not count.
// The compiler sees only the operations and knows no builtin.
//
// Lower runs before there is data. Of an argument it can use the shape and, if it is
// Static, the value, such as a size or an axis; before inputs are bound (Unknown), sizes
// may be missing, and it must not report what they could still mend.
//
// The rest of an entry is for people: a line of text, parameters ([Param]), result, cost,
// an example with its output. The editor, the session, the command line and the generated
// reference show it, and tests run the example. So adding a builtin touches one entry.
//
// [Prelude] is the source of the functions that Ein can express itself, checked like a
// program and visible to all programs. [Core] tells which functions the frozen profile core
// has. [Keyword] and the synonyms know what other languages call these things, for hints.
package stdlib

import (
	_ "embed"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"sync"

	"ein/internal/codes"
	"ein/internal/lists"
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/tensor"
)

// Form says how a call reads its arguments.
type Form uint8

const (
	// Whole takes bare tensors: Lower builds its operations.
	Whole Form = iota
	// Elementwise applies Fn element by element; its arguments may be indexed.
	Elementwise
	// Reduction folds a tensor: all of it, one axis, or with an indexed argument
	// the indices that the left-hand side lacks. With Fn set, two positional
	// arguments are the elementwise form.
	Reduction
	// Literal reads a list literal; the checker knows these by name.
	Literal
	// Indexing is select: its arguments may be indices.
	Indexing
	// Relational takes a relation with values, which the checker knows by name.
	Relational
)

// Builtin is one function of the language.
type Builtin struct {
	Name    string
	Params  []Param
	Result  string // what comes back, for people
	Group   string // heading in the reference
	Doc     string // one line
	Example string // a program
	Output  string // what the example prints
	Cost    string // how its work grows, for people
	Instead string // of other arguments, which it takes in other languages
	Form    Form
	Fn      op.Fn // Elementwise
	Lower   func(c *Call) *ir.Node
}

// Param is a parameter. Optional ones may be left out from the right.
type Param struct {
	Name     string
	Doc      string // "graph", "node" (where alone a label may stand), "size", ...
	Optional bool
	Named    bool // may be written name=value
}

// Arity returns the least and the largest number of arguments.
func (b *Builtin) Arity() (least, most int) {
	for _, p := range b.Params {
		if !p.Optional {
			least++
		}
		if p.Name == "..." {
			return least, tensor.MaxRank + 1
		}
	}
	return least, len(b.Params)
}

// Signature is name(param, param) as a person writes it; optional parameters
// stand in brackets.
func (b *Builtin) Signature() string {
	s := b.Name + "("
	for i, p := range b.Params {
		sep := ""
		if i > 0 {
			sep = ", "
		}
		if p.Optional && p.Name != "..." {
			s += "[" + sep + p.Name + "]"
		} else {
			s += sep + p.Name
		}
	}
	return s + ")"
}

// Problem is why a call is wrong. Arg is the position of the argument at fault,
// or -1 for the call as a whole.
type Problem struct {
	Code    codes.Code
	Arg     int
	Message string
	Hint    string
}

// Call is a call of a Whole builtin being lowered.
type Call struct {
	*ir.Builder
	Name    string
	Args    []*ir.Node
	Problem *Problem  // set by the helpers below when an argument does not fit
	Notes   []Problem // warnings
}

func (c *Call) fail(code codes.Code, arg int, hint, format string, a ...any) {
	if c.Problem == nil {
		c.Problem = &Problem{Code: code, Arg: arg, Message: fmt.Sprintf(format, a...), Hint: hint}
	}
}

// matrix requires argument i to have two axes.
func (c *Call) matrix(i int) *ir.Node {
	if a := c.Args[i]; a.Rank() != 2 {
		c.fail(codes.E0310, i, "", "`%s` takes a matrix, found %s", c.Name, Describe(a.Type.Shape))
	}
	return c.Args[i]
}

// graph requires argument i to be a square matrix.
func (c *Call) graph(i int) *ir.Node {
	a := c.matrix(i)
	if c.Problem == nil && !tensor.SizeFits(a.Type.Shape.Dim(0), a.Type.Shape.Dim(1)) {
		c.fail(codes.E0311, i, "the same nodes label the rows and the columns of a graph", "`%s` takes a square matrix, found %s", c.Name, Describe(a.Type.Shape))
	}
	return a
}

// node requires argument i to be a rank-0 integer that is a node of g.
func (c *Call) node(i int, g *ir.Node) *ir.Node {
	c.CheckIndex(i, c.Args[i], g.Type.Shape.Dim(0), "node")
	return c.Args[i]
}

// CheckIndex requires x, argument i, to be a rank-0 integer below size. What is
// not known until the program runs is checked then.
func (c *Call) CheckIndex(i int, x *ir.Node, size int, what string) {
	if x.Rank() != 0 {
		c.fail(codes.E0310, i, "", "a %s must be a single number, found %s", what, Describe(x.Type.Shape))
		return
	}
	v, ok := x.Static()
	switch {
	case !ok, v != v && c.Unknown:
	case v != math.Trunc(v):
		c.fail(codes.E0312, i, "", "a %s must be a whole number, found %s", what, number(v))
	case v < 0:
		c.fail(codes.E0312, i, "counting starts at 0; there are no negative positions", "%s %s does not exist", what, number(v))
	case size >= 0 && v >= float64(size):
		c.fail(codes.E0312, i, fmt.Sprintf("the last %s is %d", what, size-1), "%s %s does not exist: there are %d, counted from 0", what, number(v), size)
	}
}

// CheckAxis returns the axis of a that x, argument i, names, which must be known before the program
// runs.
func (c *Call) CheckAxis(i int, x, a *ir.Node) int {
	v, ok := x.Static()
	switch {
	case !ok, v != v && !c.Unknown:
		c.fail(codes.E0314, i, "", "an axis must be known before the program runs")
	case v != v && a.Rank() > 0:
		return 0 // not known until the inputs are bound
	case v != math.Trunc(v) || v < 0 || v >= float64(a.Rank()):
		hint := "axes count from 0"
		if a.Rank() == 0 {
			hint = "a scalar has no axes"
		}
		c.fail(codes.E0313, i, hint, "there is no axis %s: the tensor is %s", number(v), Describe(a.Type.Shape))
	default:
		return int(v)
	}
	return 0
}

// number writes a number in full.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// MaxSize is the largest size of an axis.
const MaxSize = 1 << 30

// size requires argument i to be a size known before the program runs. It is -1
// when it depends on an input that is not bound yet.
func (c *Call) size(i int) int {
	v, ok := c.Args[i].Static()
	switch {
	case c.Args[i].Rank() != 0 || !ok:
		c.fail(codes.E0314, i, "use a number, or size(T, d)", "a size must be known before the program runs")
	case v != v && c.Unknown:
		return -1
	case v > MaxSize:
		c.fail(codes.E0520, i, "", "a size of %s is over the limit of %d", number(v), MaxSize)
	case v < 0 || v != math.Trunc(v):
		c.fail(codes.E0312, i, "", "a size must be a whole number, 0 or more, found %s", number(v))
	default:
		return int(v)
	}
	return 0
}

// article is "an " before a number that is spoken with a vowel: 8, 80, 800, 11,
// 18 and thousands of them.
func article(s tensor.Shape) string {
	d := strconv.Itoa(s.Dim(0))
	if d[0] == '8' || (strings.HasPrefix(d, "11") || strings.HasPrefix(d, "18")) && len(d)%3 == 2 {
		return "an "
	}
	return "a "
}

// Describe names a shape for people, as in "a vector of length 3", or "a vector" while no
// size is known.
func Describe(s tensor.Shape) string {
	unknown := s.Rank() > 0
	for d := range s.Rank() {
		unknown = unknown && s.Dim(d) < 0
	}
	if unknown {
		return [...]string{"a vector", "a matrix", "a tensor"}[min(s.Rank(), 3)-1]
	}
	switch s.Rank() {
	case 0:
		return "a single number"
	case 1:
		return "a vector of length " + s.String()
	case 2:
		return article(s) + s.String() + " matrix"
	}
	return article(s) + s.String() + " tensor"
}

var byName = sync.OnceValue(func() map[string]*Builtin {
	m := make(map[string]*Builtin, len(Builtins))
	for i := range Builtins {
		m[Builtins[i].Name] = &Builtins[i]
	}
	return m
})

// Lookup finds a builtin by name, nil if there is none. The prelude is not in it.
func Lookup(name string) *Builtin { return byName()[name] }

// Names returns the names of all builtins, sorted.
func Names() []string {
	names := lists.Map(Builtins, func(x Builtin) string { return x.Name })
	sort.Strings(names)
	return names
}

// RulesCard is what facts, rules and queries look like, all that a model has to be told:
// a program of twelve lines.
//
//go:embed rules.txt
var RulesCard string

//go:embed core.txt
var coreText string

// core is the functions of the core profile. Programs are stored and models are
// prompted in that vocabulary, so it stays as it is: a function that comes later
// is not in the list, and in the full profile only.
var core = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for signature := range strings.Lines(coreText) {
		name, _, _ := strings.Cut(signature, "(")
		m[name] = true
	}
	return m
})

// Core reports whether a function of the language is in the core profile.
func Core(name string) bool { return core()[name] }

// Prelude is the source text of the functions that are written in Ein.
//
//go:embed prelude.ein
var Prelude string
