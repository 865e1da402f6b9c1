package check

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"ein/internal/codes"
	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// Every message of this phase. Each says what was found and what was expected
// in the terms of the source; notes carry the sizes and the hint.

// message is a mistake that is always reported alike: a text with verbs for the arguments of say,
// and perhaps a label and a note, whose verbs have the number of an argument, as in %[2]s.
type message struct {
	code              diag.Code
	text, label, note string
}

var (
	unknownInFunction = message{codes.E0201, "there is no tensor `%s` in the function `%s`", "not defined", "A function sees its parameters and the names it defines itself, nothing else of the program."}
	localCalled       = message{codes.E0204, "`%s` is a tensor, and a tensor cannot be called", "a tensor", ""}
	tooDeep           = message{codes.E0510, "functions call one another more than %d deep", "", ""}
	functionName      = message{codes.W0212, "the tensor `%s` has the name of a function", "", "Followed by `(` it is still the function."}
	shadowsFunction   = message{codes.W0213, "`%s` replaces the function of the language with that name", "", ""}
	unusedAfterPrint  = message{codes.W0214, "`%s` is defined after the last `:print` and nothing uses it", "never used", "The outputs of a program with `:print` are the printed values."}
	combinesNothing   = message{codes.W0221, "`%s` has no earlier value that `%s` could combine with", "", "The value becomes its first one, as with `=`."}
	labelAsValue      = message{codes.E0318, "a node label is not a number", "", "A label goes where a node is expected: in brackets, or as an argument such as the second of `reach`."}
	tooManyIndices    = message{codes.E0512, "a statement can have at most %d different indices", "", ""}
	tooManyAxes       = message{codes.E0319, "a tensor can have at most %d axes, this one would have %d", "", ""}
	indexedTwice      = message{codes.E0308, "%s already has indices and cannot be indexed again", "", "Define it as a tensor of its own first."}
	reducedElsewhere  = message{codes.E0320, "index `%s` is reduced by `%s` and used outside it as well", "", "Rename one of the two."}
	argIndices        = message{codes.E0321, "`%s` gives a position along one index, here it would reduce %s", "", "It reduces the indices that the left side lacks."}
	scalarArg         = message{codes.E0321, "`%s` of a single number has no position to give", "", ""}
	axisOfIndexed     = message{codes.E0323, "an indexed argument of `%s` takes no axis", "", "An indexed expression is reduced over the indices that the left side lacks; another reduction has an equation of its own, as in `S[i] = sum(A[i,j])`."}
	emptyFold         = message{codes.E0315, "index `%s` has size 0, and there is no largest or smallest of nothing", "", ""}
	selectIndex       = message{codes.E0203, "`%s` is neither a tensor nor an index of the left side", "", "To slice along an axis, use an index of the left side, as in `Row[j] = select(T, 2, j)`."}
	selectPosition    = message{codes.E0307, "a position of `select` must be a single number, a label or an index, found %s", "indexed", "Each position stands for one element, row or column; it cannot change along an index."}
	selectRank        = message{codes.E0302, "%s is %s: `select` takes %s after it, found %d", "", ""}
	vectorSelect      = message{codes.E0325, "%s is a vector and takes one position", "", "Write `select(v, a)`. With two positions one of them has to be 0: `select(v, a, 0)` and `select(v, 0, a)` are element a."}
	hugeInteger       = message{codes.E0401, "%s is too large to be exact", "", "Whole numbers are exact below 2^53 = 9007199254740992. Written with a point or an exponent it is real, and in quotes a label."}
	raggedDepth       = message{codes.E0402, "a literal must be nested to one depth: either all entries are lists or none is", "", ""}
	entry             = message{codes.E0403, "the entries of a literal must be numbers known before the program runs, found %s", "", ""}
	literalTooLarge   = message{codes.E0521, "the literals of the program take more than %s words of memory", "", "Large data belong in a file that is bound to an input."}
	sizeTooLarge      = message{codes.E0520, "a size of %s is over the limit of %d", "", ""}
	badSize           = message{codes.E0314, "the number of nodes or elements must be a whole number, 0 or more, known before the program runs, found %s", "", "Use a number, or `size(T, d)`."}
	vecRank           = message{codes.E0405, "`vec` takes a flat list of numbers, found %s", "", ""}
	lengthMismatch    = message{codes.E0406, "the list has %s, but the length given is %d", "", ""}
	fewerThanLabels   = message{codes.E0411, "the program has %s, more than the %d given", "", "All labelled graphs of a program have the same nodes."}
	emptyEdges        = message{codes.E0412, "a graph without edges needs its number of nodes", "", "Give it, as in `edges([], 5)`."}
	edgeNoList        = message{codes.E0407, "a row of `edges` must be a list, found %s", "", bothForms}
	matrixSize        = message{codes.E0413, "the matrix has %s, but the number of nodes given is %d", "", ""}
	adjNoList         = message{codes.E0414, "the rows of an adjacency matrix must be lists, found %s", "", ""}
	adjRow            = message{codes.E0414, "an adjacency matrix must be square: with %[2]s, each needs %[3]s", "%[1]d here", ""}
	adjEntry          = message{codes.E0415, "entry [%d, %d] of an adjacency matrix must be 0 or 1, found %s", "", "For weights write the matrix alone, without `edges` or `adj`."}
	namedFirst        = message{codes.E0207, "`%[1]s=` comes after the tensor", "", "The call is `%[2]s`."}
	bareInIndexed     = message{codes.E0304, "%[1]s is %[2]s and has no indices, but other parts of this expression have", "without indices", "In an equation every tensor needs an index for each axis, as in %[3]s."}
	axisHint          = message{codes.N0324, "`%[1]s` of two arguments compares them element by element", "", "To reduce along an axis write `%[1]s(%[2]s, axis=%[3]s)`."}
	ragged            = message{codes.E0402, "the rows of a literal must have the same length: the first has %[1]d, this one %[2]d", "%[2]d here", ""}
	duplicateEdges    = message{codes.N0417, "%s given more than once", "", "An edge is there or not: repeating it changes nothing."}
)

// say reports a mistake, and gives the value that has no meaning.
func (c *checker) say(m message, at source.Span, a ...any) val {
	for _, s := range []*string{&m.label, &m.note} {
		if strings.Contains(*s, "%[") {
			*s = fmt.Sprintf(*s, a...)
		}
	}
	var notes []string
	if m.note != "" {
		notes = []string{m.note}
	}
	return c.tell(m.code, at, m.label, notes, m.text, a...)
}

// tell reports a mistake or, if the code begins with W or N, a warning or a note. There is none of these
// about the prelude, which the user has not written.
func (c *checker) tell(code diag.Code, s source.Span, label string, notes []string, format string, a ...any) val {
	if code[0] != 'E' && (c.prelude || c.cfg.ErrorsOnly) {
		return val{}
	}
	return c.report(diag.New(code, s, format, a...).Labelled(label).Noted(notes...))
}

// andMore says how many diagnostics are not shown.
func (c *checker) andMore() *diag.Diagnostic {
	end := len(c.file.Source.Text)
	return diag.New(codes.N0506, source.Span{Start: end, End: end}, "%s not shown", words.Plural(c.more, "more problem"))
}

// wasStopped says that the rest of the program was not checked.
func (c *checker) wasStopped() *diag.Diagnostic {
	return diag.New(codes.E0533, source.Span{Start: int(c.b.Pos.Start), End: int(c.b.Pos.End)}, "checking the program was stopped").Labelled("it was here")
}

//go:noinline
func fix(title string, s source.Span, text string) []diag.Fix {
	return []diag.Fix{{Title: title, Edits: []diag.Edit{{Span: s, NewText: text}}}}
}

// inQuotes is the fix that makes a number a label.
//
//go:noinline
func inQuotes(n float64, s source.Span) []diag.Fix {
	return fix("write the label in quotes", s, strconv.Quote(tensor.Number(n)))
}

// guess is the fix that takes another word for one that nothing has.
func guess(shown string, s source.Span, text string) []diag.Fix {
	list := fix("did you mean "+shown+"?", s, text)
	list[0].Guess = true
	return list
}

// guessLabel is guess for a label, which takes quotes. It is none beside another factor.
func (c *checker) guessLabel(what string, s source.Span, label string) []diag.Fix {
	if c.isFactor(s) {
		return nil
	}
	quoted := strconv.Quote(label)
	return guess(what+quoted, s, quoted)
}

// text is an expression as a message shows it: short.
func text(x syntax.Expr) string {
	return "`" + diag.Middle(syntax.ExprString(x), 80) + "`"
}

func shapeOf(n *ir.Node) string { return stdlib.Describe(n.Type.Shape) }

// maxCompared is how many letters of wrong names are compared with other names, all
// names together; each takes up to 64 steps.
const maxCompared = 1 << 21

// suggest is diag.Suggest within the limit of maxCompared.
func (c *checker) suggest(name string, others []string) (string, bool) {
	if !c.maySuggest(name, len(others)) {
		return "", false
	}
	n := len(name) * len(others)
	c.compared += n
	c.step(n)
	return diag.Suggest(name, others)
}

// maySuggest reports whether a name can still be compared with so many others.
func (c *checker) maySuggest(name string, others int) bool {
	return c.compared+len(name)*others <= maxCompared
}

// names is what an unknown name could have meant.
func (c *checker) names() []string {
	var out []string
	for n, s := range c.scope.before.with(c.scope.names).all() {
		if !s.unknown {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// unknownName reports a name that nothing defines, with the likeliest reason.
func (c *checker) unknownName(x *syntax.Name) {
	if c.full() {
		return
	}
	d := diag.New(codes.E0201, x.Span, "there is no tensor `%s`", x.Name).Labelled("not defined")
	near, ok := c.suggest(x.Name, c.names())
	if !ok {
		near, ok = c.nearest(x.Name, math.MaxInt)
	}
	// What return begins is the value of a function, and what SELECT begins an entry of a session.
	first := c.scope.fn != nil || c.cfg.Profile == Repl && c.eq != nil && c.eq.value.Pos().Start == x.Start
	switch {
	case c.isIndex(x.Name):
		d.Code, d.Label = codes.E0203, "an index"
		d.Message = fmt.Sprintf("`%s` is an index of this statement, not a tensor", x.Name)
		d.Notes = []string{"An index belongs in brackets after a tensor, as in `v[" + x.Name + "]`; its positions are `range(n)[" + x.Name + "]`."}
	case ok && strings.EqualFold(near, x.Name) && (c.isFactor(x.Span) || !c.isLabel(x.Name)):
		d.Fixes = guess("`"+near+"`", x.Span, near)
	case strings.HasPrefix(x.Name, "sum_") && c.isFactor(x.Span):
		d.Notes = []string{stdlib.Summed}
	case x.Name == "not" && len(c.rel.byName) > 0:
		d.Notes = []string{"A query ends with `?`, as in `not P(\"a\")?`."}
	case stdlib.Keyword(x.Name, first) != "":
		d.Notes = []string{stdlib.Keyword(x.Name, first)}
	case c.isLabel(x.Name):
		d.Notes, d.Fixes = []string{"A node is written in quotes."}, c.guessLabel("", x.Span, x.Name)
	case stdlib.Constants[strings.ToLower(x.Name)] != "":
		value := stdlib.Constants[strings.ToLower(x.Name)]
		d.Notes = []string{fmt.Sprintf("`%s` is written `%s`.", x.Name, value)}
		if !c.isFactor(x.Span) {
			d.Notes, d.Fixes = nil, fix("write `"+value+"`", x.Span, value)
			d.Fixes[0].Guess = true
		}
	case ok:
		d.Fixes = guess("`"+near+"`", x.Span, near)
	case c.function(x.Name) != "":
		d.Notes = []string{"`" + x.Name + "` is a function: call it, as in `" + c.function(x.Name) + "`."}
	case c.function(strings.ToLower(x.Name)) != "": // Sqrt[2]
		d.Notes = []string{"A function is called with round brackets, as in `" + c.function(strings.ToLower(x.Name)) + "`."}
	case c.scope.fn != nil:
		d.Notes = []string{"A function sees its parameters and the names it defines itself, nothing else of the program."}
	case c.later(d, x.Name, false):
		d.Notes = []string{"Statements run from top to bottom; a tensor is defined before it is used."}
	case slices.ContainsFunc(c.file.Stmts, func(s syntax.Stmt) bool { _, ok := s.(*syntax.Input); return ok }):
		d.Notes = []string{fmt.Sprintf("A node of the data is written in quotes: `%q`.", x.Name)}
	}
	c.report(d)
}

// isFactor reports whether a value stands beside another one, where no literal can.
func (c *checker) isFactor(s source.Span) bool {
	const blanks, before, after = " \t", ")]}\"'", "([\""
	name := func(b byte) bool {
		return b == '_' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80
	}
	text := c.file.Source.Text
	left, right := strings.TrimRight(text[:s.Start], blanks), strings.TrimLeft(text[s.End:], blanks)
	return left != "" && (name(left[len(left)-1]) || strings.IndexByte(before, left[len(left)-1]) >= 0) ||
		right != "" && (name(right[0]) || strings.IndexByte(after, right[0]) >= 0)
}

// isLabel reports whether a node has the name.
func (c *checker) isLabel(name string) bool {
	_, ok := c.node(name)
	return ok
}

func (c *checker) isIndex(name string) bool {
	return c.eq != nil && slices.ContainsFunc(c.eq.idx, func(x index) bool { return x.name == name })
}

// function returns the signature of the function of a name, "" if there is none.
func (c *checker) function(name string) string {
	if d := c.def(name).Def; d != nil {
		return defSignature(d)
	}
	if !c.inProfile(name) {
		return ""
	}
	if b := stdlib.Lookup(name); b != nil {
		return b.Signature()
	}
	if d := prelude()[name]; d != nil {
		return defSignature(d)
	}
	return ""
}

// later reports whether what d says is not there is defined behind its use, and shows where.
func (c *checker) later(d *diag.Diagnostic, name string, function bool) bool {
	c.step(len(c.file.Stmts))
	for _, s := range c.file.Stmts {
		var id syntax.Ident
		if def, ok := s.(*syntax.Def); ok && function {
			id = def.Name
		} else if a, ok := s.(*syntax.Assign); ok && !function {
			id = a.Name
		}
		if id.Name == name && id.Span.Start > d.Span.Start {
			d.Beside(id.Span, "defined here, after its use")
			return true
		}
	}
	return false
}

// unknownFunction reports a call of something that is no function: a tensor, a relation, a
// function that is defined later, or nothing at all.
func (c *checker) unknownFunction(x *syntax.Call) {
	if c.full() {
		return
	}
	d := diag.New(codes.E0202, x.Fun.Span, "there is no function `%s`", x.Fun.Name).Labelled("not a function")
	if sym := c.scope.lookup(x.Fun.Name); sym != nil {
		sym.used = true
		if sym.bad {
			return
		}
		d.Code, d.Label = codes.E0204, "a tensor"
		d.Message = fmt.Sprintf("`%s` is a tensor, and a tensor cannot be called", x.Fun.Name)
		d.Notes = []string{"To multiply, write `" + x.Fun.Name + " * (...)`; to index, write `" + x.Fun.Name + "[...]`."}
		d.Fixes = c.calledTensor(x, sym)
		c.report(d)
		return
	}
	if r := c.rel.byName[x.Fun.Name]; r != nil && c.scope.fn == nil {
		d.Label = "a relation"
		d.Notes = []string{"Its rows are asked for by a query, `" + c.shown(r) + "?`; in an equation its columns are indices in square brackets."}
		isName := func(a syntax.Arg) bool { _, ok := a.Value.(*syntax.Name); return ok }
		asked := c.eq != nil && c.eq.value == x && len(c.eq.lhs) == 0 && slices.ContainsFunc(x.Args, isName)
		if !asked && len(x.Args) > 0 && len(r.cols) == len(x.Args) && c.positions(x) {
			d.Fixes = inBrackets(x)
		}
		c.report(d)
		return
	}
	if c.likeAtom(x) {
		d.Notes = []string{"A fact ends with `.`, a query with `?`."}
		if x.Fun.Name[0] <= 'Z' { // no function
			d.Fixes = fix("for a fact, write `.`", source.Span{Start: x.End, End: x.End}, ".")
			c.report(d)
			return
		}
	}
	if c.later(d, x.Fun.Name, true) {
		d.Label = "not defined yet"
		d.Notes = []string{"A function is defined before it is called."}
	} else if note := stdlib.Keyword(x.Fun.Name, true); note != "" { // print(A)
		d.Notes = []string{note}
	} else if !c.synonym(d, x.Fun) {
		if near, ok := c.suggest(x.Fun.Name, c.functionNames()); ok {
			d.Fixes = guess("`"+near+"`", x.Fun.Span, near)
		}
	}
	c.report(d)
}

// likeAtom reports whether an entry of a session is a call that may be a fact or a query without its
// end: of names that nothing has, or labels.
func (c *checker) likeAtom(x *syntax.Call) bool {
	return c.cfg.Profile == Repl && c.entry == x && slices.ContainsFunc(x.Args, func(a syntax.Arg) bool {
		name, named := a.Value.(*syntax.Name)
		_, quoted := a.Value.(*syntax.String)
		return quoted || named && c.scope.lookup(name.Name) == nil
	})
}

// synonym says how Ein writes what other languages call name. It goes before names that only look
// alike.
func (c *checker) synonym(d *diag.Diagnostic, name syntax.Ident) bool {
	if why := stdlib.Without[name.Name]; why != "" {
		d.Notes = append(d.Notes, "Ein has no `"+name.Name+"`: "+why+".")
		return true
	}
	ours := stdlib.Synonyms[name.Name]
	of, call, _ := strings.Cut(ours, "(")
	switch known := stdlib.Lookup(of) != nil || prelude()[of] != nil; {
	case ours == "", known && !c.inProfile(of):
		return false
	case known && call == "":
		d.Fixes = guess("`"+ours+"`", name.Span, ours)
	default:
		d.Notes = append(d.Notes, "In Ein, write `"+ours+"`.")
	}
	return true
}

// calledTensor offers what a call of a tensor most likely means: an element if there is a position
// for each axis, else a product.
func (c *checker) calledTensor(x *syntax.Call, sym *symbol) []diag.Fix {
	switch after := x.Fun.Span.End; {
	case len(x.Args) == 0:
	case sym.node != nil && sym.node.Rank() == len(x.Args) && c.positions(x):
		return inBrackets(x)
	case len(x.Args) == 1 && x.Args[0].Name.Name == "" && x.End == x.Args[0].Value.Pos().End+1: // no comma after it
		return fix("multiply", source.Span{Start: after, End: after}, " * ")
	}
	return nil
}

// positions reports whether all arguments of a call may be indices.
func (c *checker) positions(x *syntax.Call) bool {
	return !slices.ContainsFunc(x.Args, func(a syntax.Arg) bool {
		switch e := a.Value.(type) {
		case *syntax.Name:
			return c.scope.lookup(e.Name) != nil
		case *syntax.Number, *syntax.String:
			return false
		}
		return true
	})
}

// inBrackets is the fix that makes a call an element.
func inBrackets(x *syntax.Call) []diag.Fix {
	first, last := x.Args[0].Value.Pos(), x.Args[len(x.Args)-1].Value.Pos()
	return []diag.Fix{{Title: "index it", Edits: []diag.Edit{
		{Span: source.Span{Start: x.Fun.Span.End, End: first.Start}, NewText: "["},
		{Span: source.Span{Start: last.End, End: x.End}, NewText: "]"},
	}}}
}

// functionNames returns the names of all functions.
func (c *checker) functionNames() []string {
	all := slices.AppendSeq(stdlib.Names(), maps.Keys(prelude()))
	all = slices.DeleteFunc(all, func(n string) bool { return !c.inProfile(n) })
	all = slices.AppendSeq(all, maps.Keys(c.earlier.with(c.defs).all()))
	slices.Sort(all)
	return all
}

// arity reports a call with too few arguments or too many; it may have from least to most of them.
func (c *checker) arity(x *syntax.Call, signature string, least, most int) val {
	want := words.Plural(least, "argument")
	switch {
	case most == 0:
		want = "no arguments"
	case most > least && most > tensor.MaxRank:
		want = "at least " + want
	case most == least+1:
		want = fmt.Sprintf("%d or %s", least, words.Plural(most, "argument"))
	case most > least:
		want = fmt.Sprintf("%d to %s", least, words.Plural(most, "argument"))
	}
	notes := []string{"The call is `" + signature + "`."}
	if b := stdlib.Lookup(x.Fun.Name); b != nil && b.Instead != "" {
		notes = append(notes, b.Instead)
	} else if b != nil && b.Form == stdlib.Reduction {
		notes = append(notes, "Several numbers are one vector: `"+x.Fun.Name+"([1, 2, 3])`.")
	}
	return c.tell(codes.E0205, x.Span, "", notes,
		"`%s` takes %s, found %d", x.Fun.Name, want, len(x.Args))
}

// namedArgument reports an argument that is given by a name that cannot be used;
// position says that the parameter of that name stands there.
func (c *checker) namedArgument(x *syntax.Call, a syntax.Arg, signature string, position, axis bool) val {
	d := diag.New(codes.E0207, a.Name.Span, "`%s` has no argument named `%s`", x.Fun.Name, a.Name.Name).Noted("The call is `" + signature + "`.")
	if position {
		d.Message = fmt.Sprintf("`%s` takes `%s` by position, not by name", x.Fun.Name, a.Name.Name)
		d.Fixes = fix("leave out the name", source.Span{Start: a.Name.Span.Start, End: a.Value.Pos().Start}, "")
	} else if axis {
		d.Fixes = fix("write `axis=`", a.Name.Span, "axis")
	}
	return c.report(d)
}

// recursive reports a call of d in its own definition; cycle is the functions
// that call one another.
func (c *checker) recursive(x *syntax.Call, d *syntax.Def, cycle []*syntax.Def) {
	for _, e := range cycle {
		lists.Put(&c.recursed, e, true)
	}
	c.tell(codes.E0206, x.Span, "calls itself", []string{"Every Ein program ends, so functions cannot be recursive; `tc`, `reach` and `dist` repeat a step as often as it is needed."},
		"the function `%s` is used in its own definition", d.Name.Name)
}

// overLimit reports, once, that functions expand to too many operations.
func (c *checker) overLimit(s source.Span) bool {
	// Inside functions expressions count too: one that only passes its parameter on
	// makes no operations.
	if c.b.Count+c.rel.parts <= c.cfg.Limits.Nodes && c.work/5 <= c.cfg.Limits.Nodes {
		return false
	}
	if !c.limit {
		c.limit = true
		var notes []string
		if len(c.active) > 0 {
			notes = []string{"Functions are expanded where they are called; calls inside calls multiply."}
		} else if c.rel.parts > c.b.Count {
			notes = []string{"Each literal and each operation of a rule counts, in a recursive rule once more for each atom that the recursion leads back to."}
		}
		c.tell(codes.E0511, s, "", notes,
			"the program expands to more than %s operations", words.Count(c.cfg.Limits.Nodes))
	}
	return true
}

func (c *checker) duplicate(id syntax.Ident, first source.Span, what string) {
	c.report(diag.New(codes.E0210, id.Span, "the %s `%s` is defined twice", what, id.Name).Labelled("again").Beside(first, "first here"))
}

// unknownInputKind reports an input of no kind. The name of a type of numbers in another language
// means a scalar.
func (c *checker) unknownInputKind(k syntax.Ident) {
	d := diag.New(codes.E0209, k.Span, "`%s` is not a kind of input", k.Name).
		Noted("The kinds are graph (0/1 and square), matrix, vector and scalar; a relation has columns, as in `input Pay(from: node, amount: int)`.")
	number := foreignTypes[strings.ToLower(k.Name)]
	if near, ok := diag.Suggest(k.Name, []string{"graph", "matrix", "scalar", "vector"}); number == "int" || number == "real" {
		d.Fixes = guess("`scalar`", k.Span, "scalar")
	} else if ok {
		d.Fixes = guess("`"+near+"`", k.Span, near)
	}
	c.report(d)
}

// inputMisfit reports data of another kind than the input they are bound to.
func (c *checker) inputMisfit(s *syntax.Input, found string) {
	kind := cmp.Or(s.Kind.Name, "relation")
	notes := map[string][]string{"graph": {"A graph is a square matrix of 0 and 1; for weights declare a matrix."}}[s.Kind.Name]
	c.tell(codes.E0707, s.Span, "", notes, "the input `%s` is declared as a %s, but it is bound to %s", s.Name.Name, kind, found)
}

func (c *checker) notInProfile(s source.Span, what string) val {
	has := "The core profile has assignments, equations, literals, functions of the language and `:print`."
	if c.cfg.Profile == Logic {
		has = "The logic profile has what core has, and facts, rules, queries, inputs and labels."
	}
	return c.tell(codes.E0211, s, "", []string{has}, "the %s profile has no %s", c.cfg.Profile, what)
}

const computedPositions = "For the elements of `v` at the positions `k` write `sum(where(range(n)[j] == k[i], v[j], 0))`, with n = size(v, 0)."

// indexLabel warns of an index that is summed alone and has the name of a node.
func (c *checker) indexLabel(x *syntax.Name) {
	c.report(diag.New(codes.W0215, x.Span, "`%s` in brackets is an index, not the node %q", x.Name, x.Name).Labelled("an index").
		Offered(c.guessLabel("", x.Span, x.Name)...))
}

// indexNamesake warns of an index of owner with the name of a tensor that may have been meant: a
// number, or numbers.
func (c *checker) indexNamesake(x *syntax.Name, owner syntax.Expr, n *ir.Node) {
	holds, note := "the number", "To take the element at that position write `select(T, "+x.Name+", ...)`."
	if n.Rank() == 1 && n.Type.Kind == tensor.Bool {
		holds, note = "the mask", "`where("+x.Name+", "+syntax.ExprString(owner)+", 0)` has 0 in the other places."
	} else if n.Rank() == 1 {
		holds, note = "the positions", computedPositions
	}
	c.tell(codes.W0215, x.Span, "an index", []string{note}, "`%s` in brackets is an index, not %s that `%s` holds", x.Name, holds, x.Name)
}

// difference warns of an element [1 -2], which in other languages is two.
func (c *checker) difference(x syntax.Expr) {
	b, ok := x.(*syntax.Binary)
	if !ok || b.Op != syntax.Sub {
		return
	}
	_, left := number(b.L)
	right, alone := b.R.(*syntax.Number)
	text := c.file.Source.Text
	if left && alone && text[b.OpSpan.Start-1] == ' ' && right.Start == b.OpSpan.End {
		c.tell(codes.W0219, x.Pos(), "one element", []string{"Elements are separated by commas."}, "`%s` is a difference", text[x.Pos().Start:x.Pos().End])
	}
}

// thousands warns of two elements of a list that may be one number, as 1,000. Only a 0 after the
// comma tells: [1,500] is how a list of two is written as well.
func (c *checker) thousands(list source.Span) {
	if c.cfg.ErrorsOnly {
		return
	}
	text := c.file.Source.Text[:list.End]
	const digits = "0123456789"
	comment, seen := false, list.Start // whether one begins in the line before what was seen
	for i, next := list.Start, 0; ; i++ {
		if next = strings.Index(text[i:], ",0"); next < 0 {
			return
		}
		i += next
		start, end := len(strings.TrimRight(text[:i], digits)), i+1
		for end < len(text) && strings.IndexByte(digits, text[end]) >= 0 {
			end++
		}
		part := text[seen:max(seen, start)]
		if line := strings.LastIndexByte(part, '\n'); line >= 0 {
			comment, part = false, part[line+1:]
		}
		comment, seen = comment || strings.ContainsAny(part, "#/"), max(seen, start)
		if end == i+4 && start < i && text[start] != '0' && text[start-1] != '.' && !comment {
			at, number := source.Span{Start: start, End: end}, text[start:i]+text[i+1:end]
			c.report(diag.New(codes.W0220, at, "`%s` is two numbers", text[start:end]).Labelled("two elements").Offered(guess("`"+number+"`", at, number)...).
				Noted("A number has no commas between its digits."))
		}
	}
}

// comment warns of a comment behind a value that is a number or the name of a tensor: elsewhere //
// divides.
func (c *checker) comment(end int) {
	line, _, _ := strings.Cut(c.file.Source.Text[end:min(len(c.file.Source.Text), end+100)], "\n")
	divisor, ok := strings.CutPrefix(strings.TrimSpace(line), "//")
	if !ok {
		return
	}
	divisor = strings.TrimSpace(divisor)
	if _, err := strconv.ParseFloat(divisor, 64); err != nil && c.scope.lookup(divisor) == nil {
		return
	}
	at := end + strings.Index(line, "//")
	c.tell(codes.W0218, source.Span{Start: at, End: end + len(strings.TrimRight(line, " \t\r"))}, "a comment",
		[]string{"A quotient without its fraction is `floor(a / b)`."}, "`//` starts a comment and does not divide")
}

func (c *checker) noOutput() {
	end := len(c.file.Source.Text)
	note := "A program's outputs are what it prints, or else its last assignment."
	if len(c.rel.list) > 0 {
		note = fmt.Sprintf("A query, such as `%s?`, is an output; so is what a program prints, or else its last assignment.", c.shown(c.rel.list[0]))
	}
	c.tell(codes.E0216, source.Span{Start: end, End: end}, "", []string{note}, "the program has no output")
}

// unknownLabel reports a string that is no node, with a similar label or, if they are few, all of
// them.
func (c *checker) unknownLabel(x *syntax.String) val {
	if c.full() {
		return val{}
	}
	d := diag.New(codes.E0208, x.Span, "this program has no node %q", x.Value).Labelled("not a node")
	if near, ok := c.suggest(x.Value, c.labels); ok {
		quoted := syntax.ExprString(&syntax.String{Value: near})
		d.Fixes = guess(quoted, x.Span, quoted)
	} else if 0 < len(c.labels) && len(c.labels) <= 8 {
		all := lists.Map(c.labels, func(l string) string { return syntax.ExprString(&syntax.String{Value: l}) })
		d.Notes = []string{"The nodes are " + strings.Join(all, ", ") + "."}
	} else if other := func(d diag.Diagnostic) bool { return d.Severity == diag.Error && d.Code != codes.E0208 }; len(c.labels) == 0 &&
		x.Value != "" && isInteger(x.Value) && !slices.ContainsFunc(c.diags, other) { // else what is wrong may be what has the labels
		d.Fixes = fix("a node without a label is a number", x.Span, x.Value)
	} else if len(c.labels) == 0 {
		d.Notes = []string{"In an equation a string is a node. Nodes have labels when facts name them, when `edges` is given pairs of strings, or when an input is bound to a file with names."}
	}
	return c.report(d)
}

// indexSizes reports an index that runs over axes of two sizes; ix has the first of them.
func (c *checker) indexSizes(ix *index, size int, owner syntax.Expr, s source.Span) {
	message := fmt.Sprintf("index `%s` has size %d in %s but size %d in %s", ix.name, ix.size, text(ix.owner), size, text(owner))
	if text(ix.owner) == text(owner) {
		message = fmt.Sprintf("index `%s` runs along two axes of %s, one of size %d and one of size %d", ix.name, text(owner), ix.size, size)
	}
	c.report(diag.New(codes.E0301, s, "%s", message).Labelled(fmt.Sprintf("%d here", size)).Beside(ix.span, fmt.Sprintf("%d here", ix.size)).
		Noted("One index has one size in a statement; nothing is stretched to fit."))
}

// leftIndex reports what is in brackets on the left and is no name.
func (c *checker) leftIndex(s *syntax.Assign, x syntax.Expr) {
	notes := []string{"An equation defines a whole tensor: its left side has an index for each axis."}
	switch x.(type) {
	case *syntax.Number:
		notes = append(notes, "To change one element, write `B[i] = where(range(n)[i] == 0, 5, A[i])`.")
	case *syntax.String:
		notes = append(notes, "A value of rules is given by `T[\"a\"] min= 0.`, also with max= and +=.")
	}
	d := diag.New(codes.E0317, x.Pos(), "the left side of an equation takes index names, found %s", text(x)).Noted(notes...)
	if s.Op != syntax.Set && !strings.HasSuffix(c.file.Source.Text[:s.End], ".") {
		d.Fixes = fix("write `.`", source.Span{Start: s.End, End: s.End}, ".")
	}
	c.report(d)
}

// leftIndexMissing reports an index on the left that no tensor on the right has.
func (c *checker) leftIndexMissing(s *syntax.Assign, id uint8) val {
	name := c.eq.idx[id].name
	at := s.Name.Span
	for _, x := range s.Indices {
		if n, ok := x.(*syntax.Name); ok && n.Name == name {
			at = n.Span
			break
		}
	}
	_, known := c.rel.known[name]
	before := c.scope.lookup(s.Name.Name)
	if _, number := literalNumber(c.eq.value); c.eq.align && (known || number) && (before == nil || before.bad) { // D[ann] min= 0.
		return c.report(diag.New(codes.E0303, at, "index `%s` is on the left but not on the right", name).
			Noted("A constant in brackets is quoted; a variable gets its values in a body, as in `D[x] min= 0 <- Road(x, _).`").Offered(c.guessLabel("", at, name)...))
	}
	return c.tell(codes.E0303, at, "its size is not known", []string{"An index gets its size from a tensor on the right. To repeat a value along it, multiply by `ones(n)[" + name + "]`."},
		"index `%s` is on the left but not on the right", name)
}

// leftRank reports a value without indices that does not have the axes of the left side.
func (c *checker) leftRank(s *syntax.Assign, n *ir.Node) {
	span := s.Name.Span.Join(s.Value.Pos())
	ids := c.eq.lhs
	if n.Rank() == bits.OnesCount64(c.eq.lhsMask) {
		ids = c.order(c.eq.lhsMask)
	}
	if bits.OnesCount64(c.eq.lhsMask) < len(s.Indices) && n.Rank() == len(ids) {
		names := lists.Map(ids, func(id uint8) string { return c.eq.idx[id].name })
		c.tell(codes.E0309, span, "", []string{"Give the value indices as well, as in `" + syntax.ExprString(s.Value) + "[" + strings.Join(names, ", ") + "]`."},
			"the left side repeats index `%s`, so the value has to say which of its elements it means", c.repeated())
		return
	}
	var notes []string
	if n.Rank() > len(s.Indices) {
		notes = []string{"To sum over the axes that the left side lacks, give the value indices, as in `v[i] = A[i, j]`."}
	}
	c.tell(codes.E0309, span, "", notes, "the left side of `%s` has %s, but the value is %s", s.Name.Name, pluralIndex(len(s.Indices)), shapeOf(n))
}

// repeated is the first index that stands twice on the left side.
func (c *checker) repeated() string {
	var seen uint64
	for _, id := range c.eq.lhs {
		if seen>>id&1 != 0 {
			return c.eq.idx[id].name
		}
		seen |= 1 << id
	}
	return ""
}

// combineShapes reports a value that += or the like cannot combine with the earlier one.
func (c *checker) combineShapes(s *syntax.Assign, old *symbol, n *ir.Node) val {
	var notes []string
	if value := syntax.ExprString(s.Value); n.Rank() == 0 && len(value) <= 40 {
		with := map[syntax.AssignOp]string{syntax.SetAdd: "%[1]s + %[2]s", syntax.SetMax: "max(%[1]s, %[2]s)", syntax.SetMin: "min(%[1]s, %[2]s)"}[s.Op]
		notes = []string{fmt.Sprintf("For the same number everywhere write `%[1]s = "+with+"`.", s.Name.Name, value)}
	}
	return c.report(diag.New(codes.E0322, s.Span, "`%s` combines with the earlier `%s`, which is %s; this value is %s", s.Op, s.Name.Name, shapeOf(old.node), shapeOf(n)).
		Noted(notes...).Beside(old.span, "the earlier value"))
}

// shapes reports two operands that do not fit. What to write instead depends on what their ranks
// let one guess: a vector along an axis, or a product of matrices.
func (c *checker) shapes(x, l, r syntax.Expr, a, b *ir.Node) val {
	notes := []string{"Only single numbers stretch; tensors that are combined element by element need the same shape."}
	binary, ok := x.(*syntax.Binary)
	if a.Rank()+b.Rank() == 3 && (!ok || binary.Op != syntax.Mul) {
		along := "A[i,j] + v[j]"
		if ok && binary.Op == syntax.Div && a.Rank() == 2 { // by the sums of the rows
			along = "A[i,j] / v[i]"
		}
		notes = append(notes, "Indices say along which axis a vector is taken: `C[i,j] = "+along+"`.")
	} else if a.Rank() == 2 && b.Rank() == 2 || a.Rank() == 2 && b.Rank() == 1 {
		notes = append(notes, "A matrix product is written with indices: `C[i,k] = A[i,j] B[j,k]`.")
	}
	return c.tell(codes.E0305, x.Pos(), "", notes, "the shapes do not fit: %s is %s and %s is %s", text(l), shapeOf(a), text(r), shapeOf(b))
}

// withIndices is an expression with an index for each axis, as an example.
func withIndices(x syntax.Expr, n *ir.Node) string {
	return "`" + syntax.ExprString(x) + "[" + strings.Join([]string{"i", "j", "k", "l", "m", "n", "o", "p"}[:n.Rank()], ", ") + "]`"
}

// bareProduct reports tensors without indices side by side, where a matrix product may be meant.
func (c *checker) bareProduct(x *syntax.Product, l, r syntax.Expr, a, b *ir.Node) val {
	d := diag.New(codes.E0306, l.Pos().Join(r.Pos()), "two tensors side by side need indices: %s is %s and %s is %s", text(l), shapeOf(a), text(r), shapeOf(b))
	if a.Rank() != b.Rank() { // no elements to pair
		if a.Rank() == 2 && b.Rank() == 1 {
			d = d.Noted("A matrix times a vector is `y[i] = " + syntax.ExprString(l) + "[i,j] " + syntax.ExprString(r) + "[j]`.")
		} else {
			d = d.Noted("A contraction is written with indices, as in `y[j] = v[i] A[i,j]`.")
		}
		return c.report(d)
	}
	d = d.Noted("Write `" + syntax.ExprString(l) + " * " + syntax.ExprString(r) + "` to multiply element by element, or give indices for a contraction, as in `C[i,k] = A[i,j] B[j,k]`.")
	var edits []diag.Edit
	for i, f := range x.Factors[1:] {
		edits = append(edits, diag.Edit{Span: source.Span{Start: x.Factors[i].Pos().End, End: f.Pos().Start}, NewText: " * "})
	}
	d.Fixes = []diag.Fix{{Title: "multiply element by element", Edits: edits, Guess: true}}
	return c.report(d)
}

// indexedArgument reports an argument with indices of a function that takes whole tensors.
func (c *checker) indexedArgument(x *syntax.Call, arg syntax.Expr) val {
	if c.full() {
		return val{}
	}
	d := diag.New(codes.E0307, arg.Pos(), "`%s` takes a whole tensor, found %s", x.Fun.Name, text(arg)).Labelled("indexed")
	if ix, ok := arg.(*syntax.Index); ok {
		bare := syntax.ExprString(ix.X)
		call := &syntax.Call{Fun: x.Fun}
		for _, a := range x.Args {
			if a.Value == arg {
				a.Value = ix.X
			}
			call.Args = append(call.Args, a)
		}
		whole := syntax.ExprString(call)
		d.Notes = []string{"Write `" + whole + "`; the result can be indexed, as in `" + whole + "[...]`."}
		d.Fixes = fix("pass `"+bare+"` whole", arg.Pos(), bare)
	} else {
		d.Notes = []string{"Give the indexed expression a name in a statement of its own and pass that."}
	}
	return c.report(d)
}

// indexRank reports brackets with more or fewer indices than the tensor has axes. behind, if not
// nil, has the others, in a second pair.
func (c *checker) indexRank(x *syntax.Index, n *ir.Node, behind *syntax.Index) val {
	d := diag.New(codes.E0302, x.Span, "%s is %s and takes %s, found %d", text(x.X), shapeOf(n), pluralIndex(n.Rank()), len(x.Indices)).
		Labelled(fmt.Sprintf("%d in brackets", len(x.Indices)))
	var place bool
	switch x.Indices[0].(type) {
	case *syntax.Number, *syntax.String:
		place = true
	}
	if at := syntax.ExprString(x.Indices[0]); behind != nil {
		d.Notes = []string{"All indices stand in one pair of brackets."}
		d.Fixes = fix("write one pair", source.Span{Start: x.Indices[len(x.Indices)-1].Pos().End, End: behind.Indices[0].Pos().Start}, ",")
	} else if of := syntax.ExprString(x.X); place && len(x.Indices) == 1 && n.Rank() == 2 {
		d.Notes = []string{fmt.Sprintf("A row is `Row[j] = %s[%s,j]`, a column `Column[i] = %s[i,%s]`.", of, at, of, at)}
	} else if b, ok := x.Indices[0].(*syntax.Binary); ok && len(x.Indices) == 1 && b.Op.Compares() {
		d.Notes = []string{noMask(x, b)}
	} else if len(x.Indices) == 1 && n.Rank() > 1 {
		d.Notes = []string{"All indices stand in one pair of brackets, as in `A[i,j]`."}
	}
	return c.report(d)
}

// pluralIndex is a number of indices, in words.
func pluralIndex(n int) string {
	switch n {
	case 0:
		return "no index"
	case 1:
		return "1 index"
	}
	return fmt.Sprintf("%d indices", n)
}

// indexExpr reports an entry of the brackets of whole that is no position.
func (c *checker) indexExpr(x syntax.Expr, whole *syntax.Index) {
	d := diag.New(codes.E0316, x.Pos(), "brackets must hold an index, a whole number or a label, found %s", text(x))
	v, negative := number(x)
	switch x.(type) {
	case *syntax.Number:
	case *syntax.Unary, *syntax.Paren, *syntax.Binary, *syntax.Product, *syntax.Call, *syntax.Index:
		if negative && v < 0 {
			d.Notes = []string{"Positions count from 0 at the start; there are no negative ones."}
			break
		}
		if b, ok := x.(*syntax.Binary); ok && b.Op.Compares() {
			d.Notes = []string{noMask(whole, x)}
			break
		}
		call := &syntax.Call{Fun: syntax.Ident{Name: "select"}, Args: []syntax.Arg{{Value: whole.X}}}
		for _, e := range whole.Indices {
			if name, ok := e.(*syntax.Name); ok {
				if _, left := c.leftID(name.Name); !left && !c.scope.lookup(name.Name).place() {
					d.Notes = []string{"A computed position is written `select(T, ...)`."}
				}
			} else if c.movesAlong(e) {
				d.Notes = []string{"A position cannot change along an index. " + computedPositions}
			}
			call.Args = append(call.Args, syntax.Arg{Value: e})
		}
		if d.Notes == nil {
			s := syntax.ExprString(call)
			d.Fixes = fix("write `"+s+"`", whole.Span, s)
		}
	}
	c.report(d)
}

// noMask says what there is instead of brackets that hold a condition.
func noMask(x *syntax.Index, condition syntax.Expr) string {
	where := &syntax.Call{Fun: syntax.Ident{Name: "where"}, Args: []syntax.Arg{{Value: condition}, {Value: x.X}, {Value: &syntax.Number{Text: "0"}}}}
	return "There are no masks: " + text(where) + " has 0 in the other places."
}

// movesAlong reports whether an index of the left side occurs in e.
func (c *checker) movesAlong(e syntax.Expr) (moves bool) {
	syntax.Walk(e, func(n syntax.Node) bool {
		if name, ok := n.(*syntax.Name); ok {
			_, left := c.leftID(name.Name)
			moves = moves || left
		}
		return true
	})
	return moves
}

// indexRange reports a constant position that an axis does not have.
func (c *checker) indexRange(x, owner syntax.Expr, n *ir.Node, axis int) {
	size := n.Type.Shape.Dim(axis)
	hint := fmt.Sprintf("Positions on that axis are 0 to %d.", size-1)
	switch size {
	case 0:
		hint = "That axis has no positions."
	case 1:
		hint = "The only position on that axis is 0."
	}
	c.tell(codes.E0312, x.Pos(), "", []string{hint}, "%s is %s: axis %d has no position %s", text(owner), shapeOf(n), axis, syntax.ExprString(x))
}

func (c *checker) reducesNothing(x *syntax.Call) {
	arg := x.Args[0].Value
	notes := []string{"A reduction of an indexed expression runs over the indices that the left side lacks, and here it lacks none."}
	if ix, ok := arg.(*syntax.Index); ok {
		notes = append(notes, "For the whole tensor write `"+x.Fun.Name+"("+syntax.ExprString(ix.X)+")`.")
	}
	c.tell(codes.W0326, x.Span, "", notes, "`%s` has no index to reduce and changes nothing", x.Fun.Name)
}

// comparesSum warns of a comparison with an element whose indices are all summed before it: most
// likely each element was meant to be compared.
func (c *checker) comparesSum(x *syntax.Binary, side syntax.Expr, v, other val) {
	var n [maxIndices]int
	if _, ok := side.(*syntax.Index); !ok || v.n == nil || len(v.idx) > 0 || len(other.idx) == 0 {
		return
	}
	c.uses(side, &n)
	if maskOf(&n) == 0 {
		return
	}
	c.tell(codes.W0328, side.Pos(), "summed first", []string{"To count the elements for which it is true, write `sum(" + syntax.ExprString(x) + ")`."},
		"%s is added up before it is compared", text(side))
}

// comparesFar warns of a comparison with 0 in a matrix where 0 is a weight and absent edges are
// infinite.
func (c *checker) comparesFar(x *syntax.Binary, side syntax.Expr, v, other val) {
	if x.Op != syntax.Eq && x.Op != syntax.Ne || v.n == nil || !v.n.Type.Far {
		return
	}
	if o := other.n; o == nil || o.Op != ir.Const || o.Rank() != 0 || o.Value.At() != 0 {
		return
	}
	note := "An edge is where it is finite: `" + syntax.ExprString(side) + " < 1e300`."
	if c.prelude {
		note = "With the edges of both directions, `min(W, transpose(W))` is the undirected graph of `W`, and `W < 1e300` is 1 for edges and 0 elsewhere."
	}
	// The functions of the prelude raise this, too: whoever calls one knows of no comparison.
	c.report(diag.New(codes.W0330, x.Span, "%s is infinite where there is no edge, not 0", text(side)).Labelled("here 0 is a weight").Noted(note))
}

// comparesTruth warns of 0 < x < 9, which in other languages is two comparisons.
func (c *checker) comparesTruth(x *syntax.Binary) {
	compares := func(e syntax.Expr) (*syntax.Binary, bool) {
		b, ok := e.(*syntax.Binary)
		return b, ok && b.Op.Compares()
	}
	l, ok := compares(x.L)
	if !ok {
		return
	}
	word := func(s string) bool { return stdlib.InBody[s].Note != "" }                                             // a == 3 and b > 2
	if _, longer := compares(l.L); !longer && !slices.ContainsFunc(strings.Fields(syntax.ExprString(l.R)), word) { // else it was told
		note := fmt.Sprintf("Both hold where `(%s) * (%s %s %s)` is 1; if it is meant, put `%s` in parentheses.",
			syntax.ExprString(l), syntax.ExprString(l.R), x.Op, syntax.ExprString(x.R), syntax.ExprString(l))
		c.tell(codes.W0332, x.Span, "", []string{note}, "%s is 0 or 1 before it is compared", text(l))
	}
}

// problem reports what the lowering of a builtin found, at the argument that it names. Warnings are about
// the prelude, too: whoever calls it does not see what it does.
func (c *checker) problem(x *syntax.Call, p stdlib.Problem) {
	d := diag.New(p.Code, x.Span, "%s", p.Message)
	if p.Hint != "" {
		d.Noted(strings.ToUpper(p.Hint[:1]) + p.Hint[1:] + ".")
	}
	if p.Arg >= 0 && p.Arg < len(x.Args) {
		d.Span = x.Args[p.Arg].Value.Pos()
		if n, ok := x.Args[p.Arg].Value.(*syntax.Number); ok && p.Code == codes.E0312 {
			if at, ok := c.node(tensor.Number(n.Value)); ok && float64(at) != n.Value {
				d.Fixes = inQuotes(n.Value, d.Span)
			}
		}
	}
	c.report(d)
}

// numberAndLabel warns of a number that counts nodes, and is the label of another one.
func (c *checker) numberAndLabel(n *syntax.Number) {
	at, ok := c.node(tensor.Number(n.Value))
	if !ok || float64(at) == n.Value || n.Value >= float64(len(c.labels)) {
		return
	}
	c.report(diag.New(codes.W0331, n.Span, "this is node %s, counted from 0, whose label is %q; another node has the label %[1]s", tensor.Number(n.Value), c.labels[int(n.Value)]).
		Offered(c.guessLabel("the label ", n.Span, tensor.Number(n.Value))...))
}

func (c *checker) wantList(x *syntax.Call) {
	note := map[string]string{
		"edges": "Write the pairs in the call, as in `edges([[0, 1], [1, 2]], 3)`; a square matrix of 0 and 1 is a graph already.",
		"adj":   "Write the rows in the call, as in `adj([[0, 1], [0, 0]])`; a square matrix of 0 and 1 is a graph already.",
		"vec":   "Write the numbers in the call, as in `vec([1, 0, 1])`; a tensor needs no `vec`.",
	}[x.Fun.Name]
	c.tell(codes.E0404, x.Args[0].Value.Pos(), "", []string{note}, "`%s` needs a list written out in the program, found %s", x.Fun.Name, text(x.Args[0].Value))
}

const bothForms = "`edges` takes a list of [source, target] pairs, or a square matrix of 3 or more rows."

func (c *checker) edgeRow(x *syntax.List) val {
	notes := []string{bothForms}
	if x.Len() == 3 && c.cfg.Profile != Core {
		notes = append(notes, "Edges with weights are facts, and their matrix a rule: `Road(a, b, 7). W[x, y] += w <- Road(x, y, w).`")
	}
	return c.tell(codes.E0407, x.Pos(), fmt.Sprintf("%d entries", x.Len()), notes, "the rows are neither all pairs nor a square matrix")
}

// edgeID reports an end of an edge that is no node. If it is a name, the fix quotes all names in
// the list.
func (c *checker) edgeID(x syntax.Expr, list *syntax.List) val {
	d := diag.New(codes.E0408, x.Pos(), "%s is not a node", text(x)).Noted("Nodes are whole numbers from 0, or labels in quotes.")
	switch x := x.(type) {
	case *syntax.Number:
		if x.Value >= stdlib.MaxSize {
			d.Notes = []string{fmt.Sprintf("Nodes are whole numbers from 0 to %d.", stdlib.MaxSize-1)}
		}
	case *syntax.Name:
		if edits := c.quoteNames(list); c.cfg.Profile != Core && len(edits) > 0 {
			d.Fixes = []diag.Fix{{Title: "write the labels in quotes", Edits: edits}}
		}
	}
	return c.report(d)
}

// quoteNames puts the names in a list of pairs in quotes, if they can all be
// meant as labels.
func (c *checker) quoteNames(list *syntax.List) (edits []diag.Edit) {
	for _, row := range list.Elems {
		for _, e := range elements(row.(*syntax.List)) {
			switch e := e.(type) {
			case *syntax.Name:
				if c.scope.lookup(e.Name) != nil {
					return nil
				}
				edits = append(edits, diag.Edit{Span: e.Span, NewText: `"` + e.Name + `"`})
			case *syntax.String:
			default:
				return nil
			}
		}
	}
	return edits
}

func (c *checker) edgeRange(s source.Span, id, n int) val {
	notes := []string{fmt.Sprintf("With n = %d the nodes are 0 to %d.", n, n-1)}
	if n <= 1 {
		notes = nil
	}
	return c.tell(codes.E0409, s, "", notes, "node %d does not exist in a graph of %s", id, words.Plural(n, "node"))
}

// mixedEdges points at the first end that differs in kind from most others.
func (c *checker) mixedEdges(list *syntax.List, numbers bool) {
	for _, row := range list.Elems {
		for _, e := range elements(row.(*syntax.List)) {
			if _, isLabel := e.(*syntax.String); isLabel == numbers {
				most := "labels"
				if numbers {
					most = "numbers"
				}
				c.tell(codes.E0410, e.Pos(), "the others are "+most, nil, "the nodes of a graph must be all numbers or all labels, found both")
				return
			}
		}
	}
}

func (c *checker) inferredSize(x *syntax.Call, n int) {
	if c.cfg.ErrorsOnly {
		return // most programs of models
	}
	c.tell(codes.N0416, x.Span, "", []string{fmt.Sprintf("Nodes without edges above %d would be lost; give n to keep them.", n-1)}, "the graph has %s, from the largest one in an edge", words.Plural(n, "node"))
}

// ambiguousEdges warns of two pairs of 0 and 1, which could also be a matrix of two rows.
func (c *checker) ambiguousEdges(x *syntax.Call, list *syntax.List) {
	edits := []diag.Edit{{Span: x.Fun.Span, NewText: "adj"}}
	if len(x.Args) == 2 {
		edits = append(edits, diag.Edit{Span: source.Span{Start: list.End, End: x.Args[1].Value.Pos().End}})
	}
	c.report(diag.New(codes.W0418, list.Span, "this literal of two pairs would be another graph as a 2x2 matrix").Labelled("read as two edges").
		Noted("For the matrix write `adj(...)`.").Offered(diag.Fix{Title: "read it as a matrix", Edits: edits, Guess: true}))
}
