// Package check turns a syntax tree into tensor operations: it resolves names, decides which
// indices are summed, and reports everything that can be known before the program runs.
//
// # One pass
//
// The checker is also the lowering. [Check] goes through the statements once, in order, and
// elaborates each expression to a node of package ir: building the node computes its type, its
// shape and a bound on the magnitude of its elements, or finds that it has none. An accepted
// program therefore has a meaning by construction, and errors are in the terms of the source. A
// name stands for its node (symbol), a call of a function for the expansion of its body (expand),
// whether the function is in the prelude or in the program.
//
// Sizes that are not known yet, because an input has no data, are negative; equal negative
// numbers are the same unknown size. Such a program can be checked but not planned.
//
// # Indices
//
// A value under construction (val) is a node and, inside an equation, the index of each of its
// axes. The context of an expression (ctx) says which indices stay. At the top of an equation a
// term is summed over those that the left side lacks; inside a product nothing is summed, except
// that the argument of a function keeps only what the left side or the rest of the product uses.
// An equation has at most 64 indices, each with its size and the tensor that gave it. See term.go
// for products and call.go for functions.
//
// # Rules
//
// Facts, rules and queries have no order, so they are collected before the first statement
// (relate): which relations there are, what each clause says in the form of package rel, whether
// every variable has a source, and what depends on what. Types of columns and variables are
// classes of a union-find, joined where one name stands in two places. The relations become a
// program of package rel (lower.go) as soon as an equation or an output reads one.
//
// # Mistakes
//
// One mistake is one diagnostic. A statement with an error gives its name a bad symbol, whose
// uses are not reported. No place gets two messages, and an error inside the prelude is reported
// at the call. errors.go and errors_rules.go hold the messages. The [Program] that results has
// operations for outputs and inputs and a [diag.List]; it is complete only if the list has no
// errors.
//
// # Limits
//
// Expansion and rules can multiply work, so [Limits] bound the operations, the depth of calls and
// the literals. Every loop counts its steps (step), which also notices a Context that has ended.
//
// A session checks an entry as a continuation of the program before it (Config.After, after.go),
// and an entry of facts and rules by itself (grow.go).
//
// Packages plan, compile and vm/cost decide how values are stored and what a program costs.
package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ein/internal/codes"
	"ein/internal/lists"
	"ein/internal/slab"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/steps"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/ir"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// Profile says which constructs a program may use.
type Profile uint8

// Core is what models emit: no def, no input, no labels. Logic is core with facts,
// rules, queries, inputs and labels. Full has everything. Repl adds bare expressions,
// whose value is called _ in the next statements; such a program is one that is still
// being written, so it needs no output.
const (
	Full Profile = iota
	Core
	Repl
	Logic
)

// Profiles are the profiles that a program can ask for; Repl is the session's own.
var Profiles = []Profile{Full, Core, Logic}

func (p Profile) String() string { return [...]string{"full", "core", "repl", "logic"}[p] }

// frozen reports whether the functions and statements of a profile stay those of core,
// apart from those about relations.
func (p Profile) frozen() bool { return p == Core || p == Logic }

// Limits bound the size of a checked program. Zero means the default.
type Limits struct {
	Nodes    int    // tensor operations after functions are expanded, and parts of rules; default 200,000
	Calls    int    // how deep functions call one another; default 100
	Elements uint64 // elements of all literals together; default 1<<26
}

// Config is what the checker needs besides the text.
type Config struct {
	Profile Profile
	Limits  Limits
	// ErrorsOnly leaves out warnings and notes.
	ErrorsOnly bool
	// Arena is the memory of the operations; nil allocates one. Into is a Program that is no
	// longer used, whose memory the result reuses; nil is none.
	Arena *ir.Arena
	Into  *Program
	// Context stops the check soon after it ends; nil never does.
	Context context.Context
	// Inputs holds the bound values by name. An input that is missing here has
	// unknown sizes; the program can be checked but not compiled.
	Inputs map[string]*tensor.Value
	// Labels is the node universe that the inputs were bound in. It begins with
	// the labels of the program text, in the order that ProgramLabels gives.
	Labels []string
	// Numbered is how many nodes there are at least, if rows name them by numbers alone.
	Numbered int
	// After, if not nil, is the program that this one continues, as an entry of a session does:
	// it sees what is defined at the end of After. Both have the same labels and Config. A
	// function may be defined again; earlier ones keep calling the one that they knew.
	After *Program
	// Values, if not nil, receives the operation of every expression, for editors.
	Values map[syntax.Expr]*ir.Node
}

// Output is one printed value, or what one assignment means.
type Output struct {
	Name string
	Node *ir.Node
	Form ir.Form
	Span source.Span
}

// Input is a declared input.
type Input struct {
	Name    string
	Kind    string
	Slot    int
	Node    *ir.Node
	Span    source.Span
	Columns []tensor.Column // of a relation; their domains have a name and no members

	bound bool
}

// Program is a checked program.
type Program struct {
	File    *syntax.File
	Outputs []Output
	Inputs  []Input
	// Statements are for the cost of each and for editors. One inside a repeat is there once, with
	// the value of the last round.
	Statements []Output
	Labels     []string // label of each node, when the program has labelled nodes
	Numbered   int      // how many nodes rows name by numbers alone, 0 if none are read as tensors
	Diags      diag.List
	Bound      bool            // every input is bound
	Nodes      int             // the IDs of all nodes are below
	Work       int             // the operations, parts of rules and stack that the phases behind take memory for, in operations
	Relations  []diag.Relation // what there is in spite of errors
	Rules      *rel.Program    // what the program says of relations, nil for nothing

	end     end
	symbols symbols
}

// symbols is the memory of the symbols of a program.
type symbols struct {
	list  slab.Of[symbol]
	names map[string]*symbol
	layer layers[symbol] // of them, where no program is before
}

// Unbound returns an error for each input without a value: what a correct program still lacks
// before it can run.
func (p *Program) Unbound() diag.List {
	var l diag.List
	for _, in := range p.Inputs {
		if !in.bound {
			l = append(l, *diag.New(codes.E0217, in.Span, "the input `%s` has no value", in.Name).
				Noted("The host gives inputs their values; on the command line `--input " + in.Name + "=FILE` does."))
		}
	}
	return l
}

// lastValue is the name of the value of the last bare expression in a session.
const lastValue = "_"

// symbol is what a name stands for at a place of the program. An assignment makes a new one and
// leaves what read the old one as it was.
type symbol struct {
	node  *ir.Node // its value, nil if bad
	form  ir.Form
	span  source.Span
	used  bool // read somewhere, or need not be
	bad   bool // its definition is wrong; uses are not reported again
	label bool // a parameter bound to a node label
	param bool
	// unknown marks a name that nothing defines, so that it is reported once.
	unknown bool
}

// place reports whether the name stands for a position inside brackets: a
// parameter bound to a node or a number. Any other name there is an index.
func (s *symbol) place() bool {
	return s != nil && s.param && s.node != nil && s.node.Rank() == 0
}

// scope is the names that are known: those of the program, or those of a function, which sees no
// others.
type scope struct {
	names  map[string]*symbol
	before *layers[symbol] // of the program before
	fn     *syntax.Def     // the function whose body this is, nil for the program
}

func (s *scope) lookup(name string) *symbol {
	if sym := s.names[name]; sym != nil || s.before == nil {
		return sym
	}
	return s.before.lookup(name)
}

// checker elaborates one program; see the package comment.
type checker struct {
	cfg     Config
	file    *syntax.File
	b       ir.Builder
	diags   diag.List
	scope   *scope
	symbols *symbols // of the program
	eq      *equation
	*state
	now  stdlib.Call // the current call of a builtin
	defs map[string]*function
	// earlier is the functions of the program before. sees is those that one of them sees, while
	// its body is elaborated.
	earlier, sees *layers[function]
	labels        []string
	ids           map[string]int // label -> node
	// graphs is where the labels of graphs are, written those of the program before.
	graphs  map[string]*source.Span
	written *layers[source.Span]
	active  []*syntax.Def // functions being expanded, outermost first
	// site is the call in the program text that is being expanded. prelude says that the
	// function is not in the program text, so that mistakes in it are reported at the call.
	site        source.Span
	prelude     bool
	preludeCall source.Span // the outermost call of the prelude, in the program text
	limit       bool        // the limit on nodes was reported
	compared    int         // see suggest
	steps       steps.Counter
	stopped     bool // nothing is elaborated or reported any more
	// errors and warnings count what was reported, more what was not.
	errors, warnings, more int
	work                   int // expressions elaborated inside functions

	rel       *relations
	rounds    map[*syntax.Assign]int // the statements inside repeats: their number in Program.Statements
	behind    bool                   // the last :print
	entry     syntax.Expr            // the last statement that is an expression alone
	unprinted []unprinted
	// elements is the size of the literals so far, in words of memory.
	elements uint64
	recursed map[*syntax.Def]bool // functions reported to call themselves
	seen     map[place]bool       // what was reported where
}

// place is a code and where it was reported. A function is elaborated anew in each call, and its
// mistakes are reported once.
type place struct {
	code diag.Code
	span source.Span
}

// Check resolves and types a parsed program. Its Diags include those of the file. If they have
// errors, the program has no meaning, and the other fields hold what could be found out.
func Check(f *syntax.File, cfg Config) *Program {
	apart := cfg.After != nil && isApart(f, cfg.After)
	p := check(f, cfg, apart)
	if apart && p.Diags.HasErrors() { // a message may know more of the names there are
		p = check(f, cfg, false)
	}
	return p
}

// check checks a program; apart from the relations that there were, if it says nothing of them.
func check(f *syntax.File, cfg Config, apart bool) *Program {
	p := cfg.Into
	if p == nil {
		p = new(Program)
	}
	p.renew(f)
	if f.Cut { // what seems to be missing may be in the rest
		p.Diags = slices.Clone(f.Diags)
		return p
	}
	c := newChecker(f, cfg, p)
	c.b.Arena = cfg.Arena
	if cfg.After != nil {
		p.Bound, p.Inputs = cfg.After.Bound, cfg.After.Inputs
		c.follow(cfg.After)
		c.rel.stmts = slices.Clip(cfg.After.end.relations)
		if apart {
			p.Rules, p.Relations = cfg.After.Rules, cfg.After.Relations
		} else {
			c.relate()
		}
		p.File = c.file
	} else {
		c.collectLabels()
	}
	c.numberNodes()
	c.program(p)
	c.finish(p)
	c.release()
	return p
}

// renew empties the program, keeping its memory.
func (p *Program) renew(f *syntax.File) {
	clear(p.Outputs)
	clear(p.Inputs)
	clear(p.Statements)
	p.symbols.list.Reset()
	*p = Program{File: f, Bound: true, symbols: p.symbols, Outputs: p.Outputs[:0], Inputs: p.Inputs[:0], Statements: p.Statements[:0]}
	if names := p.symbols.names; names == nil || len(names) > keepNames {
		p.symbols.names = make(map[string]*symbol, 8)
	}
	clear(p.symbols.names)
}

// state is a checker with the memory that the next one reuses. No program refers to it.
type state struct {
	checker   checker
	main      scope
	relations relations

	equations slab.Of[equation]
	indices   slab.Of[index]
	axes      slab.Of[uint8]
	size      []int      // see sizes
	drawn     [][2]int32 // the edges of the graph being read
	last      []Output   // the value of the last statement that has one, if any
}

// keepNames bounds the maps that are reused: emptying a map takes as long as it is large.
const keepNames = 1 << 8

// keepEdges bounds the edges whose memory is kept between programs.
const keepEdges = 1 << 12

var states = sync.Pool{New: func() any { return new(state) }}

// release gives the state to the next program, without what refers to this one.
func (s *state) release() {
	s.checker, s.main, s.relations = checker{}, scope{}, relations{}
	clear(s.last)
	s.equations.Reset()
	s.indices.Reset()
	s.axes.Reset()
	if cap(s.drawn) > keepEdges {
		s.drawn = nil
	}
	states.Put(s)
}

// newChecker is a checker for p with nothing in scope.
func newChecker(f *syntax.File, cfg Config, p *Program) *checker {
	l := cfg.Limits
	cfg.Limits = Limits{cmp.Or(l.Nodes, 200_000), cmp.Or(l.Calls, 100), cmp.Or(l.Elements, 1<<26)}
	s := states.Get().(*state)
	s.main.names = p.symbols.names
	s.checker = checker{cfg: cfg, file: f, symbols: &p.symbols, diags: slices.Clone(f.Diags), steps: steps.New(cfg.Context), state: s, scope: &s.main, rel: &s.relations}
	if cfg.Profile == Repl { // a program that follows has them too
		s.checker.rel = new(relations)
	}
	return &s.checker
}

// stands makes a name stand for a symbol.
func (c *checker) stands(name string, s symbol) *symbol {
	sym := c.symbols.list.New()
	*sym = s
	c.scope.names[name] = sym
	return sym
}

// step counts work and reports whether to give up.
func (c *checker) step(n int) bool {
	c.stopped = c.steps.Add(n) || c.stopped
	return c.stopped
}

// program elaborates the statements in order and fills in p. Without a :print or a query the
// output is the value of the last statement that has one, but not in a session.
func (c *checker) program(p *Program) {
	c.last = c.last[:0]
	p.Statements = slices.Grow(p.Statements, len(c.file.Stmts))
	lastPrint := len(c.file.Stmts)
	for i, s := range c.file.Stmts {
		switch s := s.(type) {
		case *syntax.Print:
			lastPrint = i
		case *syntax.Input: // its data may add nodes, even to what is above it
			c.b.Unknown = c.b.Unknown || c.cfg.Inputs[s.Name.Name] == nil
		case *syntax.Bad:
			c.b.Unknown = c.b.Unknown || strings.HasPrefix(c.file.Source.Text[s.Start:s.End], "input ")
		}
	}
	for i, s := range c.file.Stmts {
		if c.step(1) {
			break
		}
		c.behind = i > lastPrint
		c.statement(p, s)
	}
	for _, x := range c.unprinted {
		if c.cfg.Profile != Repl && !x.used && !x.bad {
			c.say(unusedAfterPrint, x.span, x.name)
		}
	}
	c.functions()
	c.finishRelations(p)
	switch {
	case len(p.Outputs) > 0 || c.cfg.Profile == Repl:
	case len(c.last) > 0:
		p.Outputs = append(p.Outputs, c.last...)
	case !c.diags.HasErrors():
		c.noOutput()
	}
}

// unprinted is a tensor that is defined behind the last :print. If nothing uses it, it was most likely
// meant to be printed too.
type unprinted struct {
	*symbol
	name string
}

// statement elaborates a statement.
func (c *checker) statement(p *Program, s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.Assign:
		c.assigned(p, s)
	case *syntax.Repeat:
		if c.cfg.Profile.frozen() {
			c.notInProfile(s.Span, "`repeat`")
		}
		c.repeat(s, func(s *syntax.Assign) val {
			v := c.assigned(p, s)
			if _, again := c.rounds[s]; !again {
				lists.Put(&c.rounds, s, len(p.Statements)-1)
			}
			return v
		})
	case *syntax.Print:
		for _, x := range s.Values {
			c.print(p, x)
		}
	case *syntax.ExprStmt:
		c.entry = s.X
		v := c.printed(s.X)
		c.comment(s.End)
		c.stands(lastValue, symbol{node: v.n, form: v.form, span: s.Span, bad: v.n == nil, used: true})
		p.Statements = append(p.Statements, Output{lastValue, v.n, v.form, s.Span})
		c.last = append(c.last[:0], Output{lastValue, v.n, v.form, s.Span})
	case *syntax.Def:
		c.define(s)
		c.comment(s.End)
	case *syntax.Rule:
		if c.cfg.Profile == Core {
			c.notInProfile(s.Span, "facts and rules")
		}
	case *syntax.Query:
		if c.cfg.Profile == Core {
			c.notInProfile(s.Span, "queries")
			break
		}
		p.Outputs = append(p.Outputs, c.answer(p, s))
	case *syntax.Input:
		c.input(p, s)
	case *syntax.Bad:
		if s.Name != "" {
			c.stands(s.Name, symbol{bad: true, used: true, span: s.Span})
		}
	}
}

// assigned elaborates an assignment. One in a repeat is elaborated once a round, and is one statement
// with its last value.
func (c *checker) assigned(p *Program, s *syntax.Assign) val {
	v := c.assign(s)
	if old := c.scope.lookup(s.Name.Name); old != nil {
		old.used = old.used || s.Op != syntax.Set
	} else if c.function(s.Name.Name) != "" {
		c.say(functionName, s.Name.Span, s.Name.Name)
	}
	sym := c.stands(s.Name.Name, symbol{node: v.n, form: v.form, span: s.Name.Span, bad: v.n == nil})
	sym.used = len(c.rel.tensors) > 0 && (c.rel.tensors[s.Name.Name] != nil || c.rel.tensors[s.Name.Name+"[]"] != nil)
	statement := Output{s.Name.Name, v.n, v.form, s.Span}
	c.last = append(c.last[:0], statement)
	if k, again := c.rounds[s]; again {
		p.Statements[k] = statement
		return v
	}
	p.Statements = append(p.Statements, statement)
	c.comment(s.Value.Pos().End)
	if c.behind {
		c.unprinted = append(c.unprinted, unprinted{sym, s.Name.Name})
	}
	return v
}

// print elaborates what is printed: all rows of a relation, or the value of an expression.
func (c *checker) print(p *Program, x syntax.Expr) {
	if name, ok := syntax.Unparen(x).(*syntax.Name); ok { // as in :print(x), which is no call
		x = name
	}
	if r := c.relationNamed(x); r != nil {
		p.Outputs = append(p.Outputs, c.rows(p, r.name, r.place, x.Pos()))
		return
	}
	v := c.printed(x)
	c.comment(x.Pos().End)
	name := syntax.ExprString(x)
	p.Outputs = append(p.Outputs, Output{name, v.n, v.form, x.Pos()})
	if _, ok := x.(*syntax.Name); !ok && v.n != nil {
		p.Statements = append(p.Statements, Output{name, v.n, v.form, x.Pos()})
	}
}

// printed elaborates an expression without a left side: all of its indices are summed.
func (c *checker) printed(x syntax.Expr) val {
	c.equate(equation{value: x})
	defer func() { c.eq = nil }()
	return c.unlabelled(x, ctx{})
}

var inputKinds = map[string]int{"graph": 2, "matrix": 2, "vector": 1, "scalar": 0}

// The unknown sizes of unbound inputs: all graphs share one set of nodes; any other axis may
// have any size.
const (
	unknownNodes = -1
	unknownSize  = -2
)

// input declares an input. If it has its value already, the operations are made for that type and
// bound; if not, sizes are unknown and everything that depends on them is checked when the data
// is there.
func (c *checker) input(p *Program, s *syntax.Input) {
	if c.cfg.Profile == Core {
		c.notInProfile(s.Span, "`input`")
	}
	if old := c.scope.lookup(s.Name.Name); old != nil {
		c.duplicate(s.Name, old.span, "input")
	} else if r := c.rel.byName[s.Name.Name]; r != nil && r.input != nil && r.input != s {
		c.duplicate(s.Name, r.first, "input")
		return
	}
	rank, ok := inputKinds[s.Kind.Name]
	if !ok && len(s.Columns) == 0 {
		c.unknownInputKind(s.Kind)
		c.stands(s.Name.Name, symbol{bad: true, span: s.Name.Span})
		return
	}
	c.at(s.Span)
	if len(s.Columns) > 0 {
		c.tableInput(p, s)
		return
	}
	in := Input{Name: s.Name.Name, Kind: s.Kind.Name, Slot: len(p.Inputs), Span: s.Span}
	if v := c.cfg.Inputs[s.Name.Name]; v != nil {
		if what := misfit(s.Kind.Name, rank, v); what != "" {
			c.inputMisfit(s, what)
			c.stands(s.Name.Name, symbol{bad: true, span: s.Name.Span})
			return
		}
		// Compiled code may run again on other data of the same type and layout, and of
		// whole numbers that take as many bytes.
		bytes, nonNeg := tensor.Magnitude(v)
		bound := inf
		if v.Kind == tensor.Int {
			bound = tensor.MaxOf(bytes)
		}
		in.Node, in.bound = c.b.Input(in.Slot, v.Type, bound, nonNeg), true
	} else {
		p.Bound = false
		t := tensor.Type{Kind: tensor.Real}
		if s.Kind.Name == "graph" {
			t = tensor.Type{Kind: tensor.Bool, Shape: tensor.ShapeOf(unknownNodes, unknownNodes)}
		} else {
			t.Shape = tensor.ShapeOf(slices.Repeat([]int{unknownSize}, rank)...)
		}
		in.Node = c.b.Input(in.Slot, t, inf, false)
	}
	p.Inputs = append(p.Inputs, in)
	c.stands(s.Name.Name, symbol{node: in.Node, span: s.Name.Span})
}

// misfit describes v if it does not fit an input of that kind.
func misfit(kind string, rank int, v *tensor.Value) string {
	switch {
	case v.Shape.Rank() != rank, kind == "graph" && v.Shape.Dim(0) != v.Shape.Dim(1):
		return stdlib.Describe(v.Shape)
	case kind != "graph" || v.Kind == tensor.Bool:
		return ""
	}
	stored := v.F // of a value that is not of 0 and 1
	if v.Layout == tensor.Sparse {
		stored = v.CSR.Val
	}
	for _, x := range stored {
		if x != 0 && x != 1 {
			return fmt.Sprintf("a matrix with the entry %v", x)
		}
	}
	return ""
}
