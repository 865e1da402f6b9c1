package check

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ein/internal/codes"
	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// The messages about relations. They name what the user wrote, and never a variable
// that has no name.

var (
	realInInt      = message{codes.E0803, "column %d of `%s` holds whole numbers, but the rule gives it other numbers", "", "`floor(x)` and `round(x)` give whole numbers."}
	headOnly       = message{codes.E0804, "`%s` is in the head of %s but in no atom of the body", "nothing gives it a value", "Every row needs a value for it: add an atom that has it, or write a quoted constant."}
	variableInFact = message{codes.E0804, "`%s` has no value here", "nothing gives it a value", "A fact holds constants; a rule has a body: `Head(x) <- Body(x).`."}
	constantKey    = message{codes.E0804, "`%s` is a constant here and a variable in the value", "", "A value for every key needs a body: `T[x] min= S[x] <- S[x] = _.`. A constant is quoted."}
	anyInExpr      = message{codes.E0804, "`_` stands for anything, but a value is needed here", "", "Name it, and add an atom that gives it a value."}
	ownNegation    = message{codes.E0807, "%s depends on its own negation: %s", "", "A relation must be complete before it is negated: what is negated must not depend on this relation."}
	ownAggregate   = message{codes.E0808, "%s depends on its own aggregate: %s", "", "Sums and counts need complete relations. A least or greatest value may be defined by itself: `D[y] min= D[x] + w <- Road(x, y, w).`."}
	manyColumns    = message{codes.E0815, "`%s` has %d columns; a relation has at most %d", "", "Split it into relations that share a key."}
	otherAxes      = message{codes.E0802, "the tensor `%[1]s` has %[2]s, %[3]d here", "%[3]d here", ""}
	otherNodes     = message{codes.E0803, "axis %d of `%s` has %s, and there are %s", "", "Rules read tensors over the nodes of the program."}
	otherValue     = message{codes.E0813, "`%s` depends on the tensor `%s`, which gets another value in line %d", "", "Rules and queries read the last value of a tensor. Move this below it, or give the values names of their own."}
	reserved       = message{codes.E0818, "%s is reserved for a later version", "", ""}
	deepExpr       = message{codes.E0818, "this expression is more than %d operations deep", "", "Name a part of it in the body first, as in `v = e`."}
	aggregateKey   = message{codes.E0818, "an aggregate cannot be the key of a tensor", "", "The operator says how several values combine: `T[x] += a <- ...` is their sum."}
	queryConstant  = message{codes.N0828, "`%s` is the constant here, since a fact or a graph has it", "", "A variable needs another name."}
	numberedNodes  = message{codes.N0834, "the numbers in `%s` are nodes here: there are %s, counted from 0", "", ""}
	notFinal       = message{codes.E0817, "%s", "", "The value may still improve: a recursion of `min=` or `max=` may only add to it, multiply it by what is not negative, and put it into `min` and `max`."}
	manyAnswers    = message{codes.E0815, "the query has %d variables; an answer has at most %d columns", "", "Write `_` for what is not asked for."}
	neverFires     = message{codes.W0822, "this can never be true: %s", "never true", ""}
	// Of max(a) <- Pay(_, a), which says of each a that it is in the relation max.
	aggregateName = message{codes.W0212, "the relation `%[1]s` has the name of an aggregate", "a relation", "An aggregate is a column of the head, as in `Total(%[1]s(a)) <- Pay(x, a).`."}
	realJoin      = message{codes.W0823, "`%s` joins columns of real numbers, which have to be exactly equal", "", "Numbers computed in different ways are rarely equal to the last digit."}
)

// shown is a relation with its columns, as messages show it.
func (c *checker) shown(r *relation) string {
	cols := make([]string, len(r.cols))
	for i, k := range r.cols {
		if cols[i] = k.name; k.name == "" {
			cols[i] = string(rune('a' + (i+23)%26)) // x, y, z, a, ...
		}
	}
	if !r.valued() {
		return r.name + "(" + strings.Join(cols, ", ") + ")"
	}
	return r.name + "[" + strings.Join(cols[:len(cols)-1], ", ") + "]"
}

const negates = "`not` negates one atom. To negate more, define a relation for it; a comparison is turned round."

// relationList is how many relations a message lists.
const relationList = 12

// unknownRelation reports an atom of a relation that nothing defines, with what the name is
// elsewhere.
func (c *checker) unknownRelation(name syntax.Ident, l *syntax.Literal) {
	if c.rel.unread[name.Name] {
		return
	}
	c.rel.lost = true
	d := diag.New(codes.E0801, name.Span, "there is no relation `%s`", name.Name).Labelled("nothing defines it")
	atom, _ := l.X.(*syntax.Call)
	near, ok := c.nearest(name.Name, math.MaxInt)
	_, scalar := scalars[name.Name]
	_, aggregate := aggregates[name.Name]
	switch call := c.function(name.Name); {
	case name.Name == "not":
		d.Notes = append(d.Notes, negates)
		if atom != nil && len(atom.Args) == 1 && isCall(atom.Args[0].Value) && !l.Not {
			d.Fixes = fix("write `not`", atom.Span, "not "+syntax.ExprString(atom.Args[0].Value))
		}
	case aggregate:
		d.Notes = append(d.Notes, "An aggregate belongs in the head of a rule: `Total(x, count(), sum(a)) <- Pay(x, a).`.")
	case scalar:
		d.Notes = append(d.Notes, fmt.Sprintf("`%s` is a function of numbers: compare what it gives, as in `%s > 0`.", name.Name, syntax.ExprString(l.X)))
	case call != "":
		d.Notes = append(d.Notes, fmt.Sprintf("`%s` is a function of tensors: give its result a name, as in `T = %s`, and read that.", name.Name, call))
	case !ok && atom != nil && stdlib.InBody[name.Name].Note == "" && len(atom.Args) <= tensor.MaxColumns:
		d.Notes = append(d.Notes, fmt.Sprintf("Data from outside are declared: `%s`.", declaration(atom)))
	}
	if w, ok := stdlib.InBody[name.Name]; ok {
		d.Notes = append(d.Notes, w.Note)
	}
	if ok {
		d.Fixes = guess("`"+c.shown(c.rel.byName[near])+"`", name.Span, near)
	}
	if ok && c.cfg.Profile == Repl {
		d.Notes = append(d.Notes, "If not, enter what defines it first, or in the same entry.")
	}
	d.Notes = append(d.Notes, c.relationsThere()...)
	c.report(d)
}

// declaration is the input that would give an atom its rows.
func declaration(atom *syntax.Call) string {
	used := map[string]bool{"_": true}
	cols := make([]string, len(atom.Args))
	for i, a := range atom.Args {
		name, kind := fmt.Sprintf("c%d", i+1), "node"
		switch x := a.Value.(type) {
		case *syntax.Number:
			kind = "int"
		case *syntax.Name:
			if !used[x.Name] && isVariable(x.Name) {
				name = x.Name
			}
			used[x.Name] = true
		}
		cols[i] = name + ": " + kind
	}
	return "input " + atom.Fun.Name + "(" + strings.Join(cols, ", ") + ")"
}

// nearest is the name of the relation that name may have meant, among those numbered above a place.
func (c *checker) nearest(name string, above int) (string, bool) {
	var all []string
	for _, r := range c.rel.list {
		if r.source == rel.NoSource && r.first.Start < above {
			all = append(all, r.name)
		}
	}
	return c.suggest(name, all)
}

// relationsThere is a note that lists the relations, if there are any.
func (c *checker) relationsThere() []string {
	n, shown := 0, []string(nil)
	for _, r := range c.rel.list {
		if r.source != rel.NoSource {
			continue
		}
		if n++; n <= relationList {
			shown = append(shown, c.shown(r))
		}
	}
	switch {
	case n == 0:
		return nil
	case n > relationList:
		return []string{fmt.Sprintf("The program has %s and %d more.", strings.Join(shown, ", "), n-relationList)}
	}
	return []string{"The program has " + strings.Join(shown, ", ") + "."}
}

// notYet reports that a rule of a session names something that is not defined yet.
func (c *checker) notYet(name syntax.Ident) {
	c.tell(codes.W0821, name.Span, "", append([]string{"Enter its facts or rules before anything reads this one."}, c.relationsThere()...), "nothing defines `%s` yet", name.Name)
}

// readsMissing reports an error, and returns true, if what, the relation at a place, needs one that
// is not defined yet.
func (c *checker) readsMissing(what string, place int, at source.Span) bool {
	missing := func(r *relation) bool { return r.missing }
	if !slices.ContainsFunc(c.rel.list, missing) {
		return false
	}
	needed := c.needs(place)
	for _, r := range c.rel.list {
		if r.missing && needed[r.place] {
			c.report(diag.New(codes.E0801, at, "`%s` needs `%s`, which nothing defines yet", what, r.name).
				Noted(fmt.Sprintf("Enter the facts or rules of `%s`; `:reset` forgets the rule that reads it, and all else.", r.name)).Beside(r.first, "read here"))
			return true
		}
	}
	return false
}

// wrongColumns reports an atom of another number of columns than the relation has, or of keys if
// it has a value.
func (c *checker) wrongColumns(r *relation, want, got int, at source.Span) {
	what := "columns"
	if r.valued() {
		what = "keys"
	}
	names := ""
	if r.input != nil {
		names = " (" + strings.TrimSuffix(strings.TrimPrefix(c.shown(r), r.name+"("), ")") + ")"
	}
	var notes []string
	if got < want && !r.valued() {
		notes = []string{"An atom has a place for each column; `_` stands for what is not asked for."}
	}
	c.report(diag.New(codes.E0802, at, "`%s` has %s%s, %d here", r.name, words.Plural(want, strings.TrimSuffix(what, "s")), names, got).Noted(notes...).
		Labelled(fmt.Sprintf("%d here", got)).Beside(r.first, "first here"))
}

// noun is what a slot holds, as messages call it.
func (s *slot) noun() string {
	switch s.class {
	case aLabel, aNode:
		return "a node"
	case numeral, aNumber:
		return "a number"
	case aText:
		return "a text"
	case ofDomain:
		if strings.ContainsRune("aeiou", rune(s.domain[0])) {
			return "an " + s.domain
		}
		return "a " + s.domain
	}
	return "anything"
}

// mixedTypes reports what is of two types: x and y have them, with the places that say so.
func (c *checker) mixedTypes(what string, at source.Span, x, y slot) {
	in := func(s slot) string {
		if s.where != "" {
			return " in " + s.where
		}
		return ""
	}
	d := diag.New(codes.E0803, at, "%s is %s%s and %s%s", what, x.noun(), in(x), y.noun(), in(y))
	if own, col := y, x; (own.where == "") != (col.where == "") {
		if own.where != "" {
			own, col = x, y
		}
		d.Message = fmt.Sprintf("%s is %s in %s, but %s here", what, col.noun(), col.where, own.noun())
		if slices.ContainsFunc(c.rel.consts, func(k constant) bool { return k.span == at }) {
			d.Message = fmt.Sprintf("%s is %s, where %s has %s", what, own.noun(), col.where, col.noun())
		}
	}
	for _, s := range []slot{x, y} {
		if s.at != at && s.at.End > 0 {
			d.Related = append(d.Related, diag.Related{Span: s.at, Message: s.noun() + " here"})
		}
	}
	for i := range c.rel.consts {
		if k := &c.rel.consts[i]; k.isNum && k.span == at && x.class == aNumber && y.class != aText {
			d.Fixes = inQuotes(k.num, at)
		} else if k.text != "" && isInteger(k.text) && k.span == at && max(x.class, y.class) <= aNumber {
			d.Fixes = fix("write the number without quotes", at, k.text)
		}
	}
	if (x.class == ofDomain || y.class == ofDomain) && d.Fixes == nil {
		d.Notes = []string{"Each named domain is a set of nodes of its own; no two share a node."}
	}
	c.report(d)
}

// foreignType reports a column whose domain has the name of another language's type, for which
// there is one here. Where that is a number it is an error, as comparisons would take 10 before 9.
func (c *checker) foreignType(col syntax.Column, right string) {
	d := diag.New(codes.E0835, col.Type.Span, "`%s` is not a type: numbers are `int` or `real`", col.Type.Name)
	maybe := right == "text" || right == "node" // it may be the name of a domain
	if maybe {
		d = diag.New(codes.W0833, col.Type.Span, "`%s` is a set of nodes of its own, which joins with no other; the type is `%s`", col.Type.Name, right)
	}
	d = d.Fixed("write `"+right+"`", col.Type.Span, right)
	d.Fixes[0].Guess = maybe
	if strings.HasPrefix(strings.ToLower(col.Type.Name), "bool") {
		d.Notes = []string{"True and false are 1 and 0, of type `int`, in JSON, Parquet and SQLite, and texts in other files."}
	}
	c.report(d)
}

// date warns of a date without quotes.
func (c *checker) date(x *syntax.Binary) {
	if x.End-x.Start != len(time.DateOnly) {
		return
	}
	day := c.file.Source.Text[x.Start:x.End]
	if _, err := time.Parse(time.DateOnly, day); err == nil {
		c.tell(codes.W0832, x.Span, "", []string{"All dates are written in quotes, as in `\"" + day + "\"`."}, "`%s` is a difference of numbers", day)
	}
}

// namesInOrder warns of a number that names come before or behind, as text.
func (c *checker) namesInOrder(cl *clause, l *rel.Literal, at source.Span) {
	if l.Kind != rel.Compare || l.Fn == op.FnEq || l.Fn == op.FnNe {
		return
	}
	for i, e := range [...]*rel.Expr{&l.Left, &l.Right} {
		other := [...]*rel.Expr{&l.Right, &l.Left}[i]
		k := c.rel.constantIn(e)
		if k == nil || !k.isNum || !isVar(other) {
			continue
		}
		s := c.rel.slots[c.rel.find(k.slot)]
		of := c.rel.byName[s.where]
		if s.class == ofDomain || s.class == aNode && (c.labels != nil || of != nil && of.input != nil) {
			c.tell(codes.W0831, at, "", []string{"Numbers that are compared are columns of type `int` or `real`."}, "`%s` is %s in %s, and names compare as text: 10 comes before 9", cl.vars[other.Term.Var].name, s.noun(), s.where)
		}
	}
}

// onlyNegated reports a variable without values: a negated atom gives none, as all but its rows
// would match.
func (c *checker) onlyNegated(x *variable, at source.Span, inHead bool) {
	if inHead {
		c.tell(codes.E0805, at, "", []string{fmt.Sprintf("Add an atom that gives %s its values.", x.name)}, "`%s` occurs only under `not`, and in the head", x.name)
		return
	}
	d := diag.New(codes.E0805, at, "`%s` occurs only under `not`", x.name)
	if x.count == 1 {
		d.Fixes = guess("`_`", at, "_")
		d.Notes = []string{fmt.Sprintf("To say that there is no %s at all, write `_`; to say that some %s is not related, add an atom that gives it values.", x.name, x.name)}
	} else {
		d.Notes = []string{fmt.Sprintf("To say that there is no %s at all, negate a relation that has a rule with this atom; to say that some %s is not related, add an atom that gives it values.", x.name, x.name)}
	}
	c.report(d)
}

// onlyTested reports a variable that a comparison reads and nothing gives a value. l is the
// comparison.
func (c *checker) onlyTested(x *variable, at source.Span, l *syntax.Literal) {
	note := fmt.Sprintf("Add an atom with `%s`, or give it a value by `%s = ...`.", x.name, x.name)
	if c.isTensor(x.name) {
		note = fmt.Sprintf("`%s` is a variable here: a rule reads only elements of tensors, as in `v[x]`. Write the number, or `%s = ...` in the body.", x.name, x.name)
	} else if w, ok := stdlib.InBody[x.name]; ok {
		note = w.Note
	}
	c.tell(codes.E0806, at, "", []string{note},
		"nothing gives `%s` a value: `%s` only uses it", x.name, syntax.LiteralString(l))
}

// invents reports a rule that computes a value in a recursion, which may go on for ever. picture
// is the cycle of relations.
func (c *checker) invents(cl *clause, picture string) {
	what := ""
	for i := range cl.Head {
		if call, ok := cl.head.(*syntax.Call); ok && len(cl.Head[i].Expr.Args) > 0 {
			what = text(call.Args[i].Value)
		}
	}
	if what == "" {
		for i, l := range cl.Body {
			if l.Kind == rel.Bind && len(l.Left.Args) > 0 {
				what = "`" + syntax.LiteralString(&cl.src[i]) + "`"
			}
		}
	}
	c.tell(codes.E0809, cl.head.Pos(), "", []string{"The program might not end. For a least or greatest value write `T[x] min= e <- ...` or `max=`.", "The cycle is " + picture + "."},
		"%s creates new values of %s, which is recursive", what, cl.of.name)
}

// capital reports a constant without quotes that no fact has: most likely a variable, as other
// languages write it. Inputs without data may still have it, so it is then a warning.
func (c *checker) capital(cl *clause, x *syntax.Name) {
	if c.rel.vague {
		lists.Put(&c.rel.doubted, x.Name, true)
		c.report(diag.New(codes.W0826, x.Span, "`%s` is a constant, since it begins with a capital, and no fact has it", x.Name).
			Noted("An input without data may still have it. Variables begin with a lower-case letter."))
		return
	}
	cl.bad = true
	if cl.caps || c.rel.unread[x.Name] {
		return
	}
	cl.caps = true
	d := diag.New(codes.E0810, x.Span, "`%s` is a constant, since it begins with a capital, and no fact has it", x.Name).Labelled("a constant").
		Noted("Variables begin with a lower-case letter; a constant of another spelling is quoted.")
	if value := stdlib.Constants[strings.ToLower(x.Name)]; value != "" { // True
		d.Notes = []string{fmt.Sprintf("As a number, `%s` is written `%s`; as a text, `%q`.", x.Name, value, x.Name)}
	} else if near, ok := c.nearConstant(x.Name); ok && len(x.Name) > 2 {
		d.Fixes = c.guessLabel("", x.Span, near)
	} else if !c.rel.lowered {
		c.rel.lowered = true
		if fix := c.capitals(); len(fix.Edits) > 0 { // of facts alone there are none
			d.Fixes = []diag.Fix{fix}
			if fix.Guess {
				d.Fixes = append(d.Fixes, c.guessLabel("", x.Span, x.Name)...)
			}
		}
	}
	c.report(d)
}

// whyVariable reports variables in a :why. The fix, quotes, is offered only if each of them may be
// meant as a constant: it is one elsewhere, or its name is too long for a variable of habit.
func (c *checker) whyVariable(cl *clause) {
	first := cl.vars[cl.Head[0].Expr.Term.Var].first
	cl.bad = true
	d := diag.New(codes.E0830, first, "`:why` explains an atom without variables").Labelled("a variable").
		Noted("It explains one row: write a constant, or `_` for any. `ein run --why N` explains the first rows of each query.")
	quoted := diag.Fix{Title: "write constants in quotes", Guess: true}
	for _, cell := range cl.Head {
		x := &cl.vars[cell.Expr.Term.Var]
		if _, known := c.known(x.name); (known || len(x.name) > 1) && x.count == 1 {
			quoted.Edits = append(quoted.Edits, diag.Edit{Span: x.first, NewText: strconv.Quote(x.name)})
		}
	}
	if len(quoted.Edits) == len(cl.Head) {
		d.Fixes = []diag.Fix{quoted}
	}
	c.report(d)
}

// readEarly reports an equation that reads a relation before a tensor that the relation needs.
func (c *checker) readEarly(relation string, needs *relation, at source.Span) {
	name := "an expression"
	for _, s := range c.file.Stmts {
		a, ok := s.(*syntax.Assign)
		if !ok || a.Start > at.Start || at.End > a.End {
			continue
		}
		name = "`" + a.Name.Name + "`"
		if way := c.madeOf(needs.name, a.Name.Name, map[string]bool{}); way != "" {
			c.tell(codes.E0814, at, "", []string{"Rules may be recursive, equations may not: write it as rules, or use `tc`."},
				"%s depends on itself: %s -> %s -> %s", name, a.Name.Name, relation, way)
			return
		}
	}
	c.tell(codes.E0813, at, "", []string{fmt.Sprintf("Move it below `%s`.", needs.name)}, "%s reads `%s`, whose rules read `%s`, which is defined below", name, relation, needs.name)
}

// madeOf is how a tensor is made of another by equations alone, "" if it is not.
func (c *checker) madeOf(from, to string, seen map[string]bool) (way string) {
	if from == to {
		return to
	}
	seen[from] = true
	for _, s := range c.file.Stmts {
		if a, ok := s.(*syntax.Assign); ok && a.Name.Name == from {
			syntax.Walk(a.Value, func(n syntax.Node) bool {
				if x, ok := n.(*syntax.Name); ok && way == "" && !seen[x.Name] {
					if way = c.madeOf(x.Name, to, seen); way != "" {
						way = from + " -> " + way
					}
				}
				return way == ""
			})
		}
	}
	return way
}

// tensorAndRelation is reported at the later of the two: a session has run the other.
func (c *checker) tensorAndRelation(name string, tensor, relation source.Span) {
	at, first, what := tensor, relation, "the relation"
	if tensor.Start < relation.Start {
		at, first, what = relation, tensor, "the tensor"
	}
	c.report(diag.New(codes.E0812, at, "`%s` is a relation and a tensor", name).
		Noted("Round brackets hold what is true, square brackets numbers: give one of them another name.").Beside(first, what))
}

func (c *checker) otherHead(r *relation, s *syntax.Rule, name syntax.Ident) {
	kinds := map[rel.Agg]string{rel.NoAgg: "a relation", rel.Min: "a tensor of least values (min=)", rel.Max: "a tensor of greatest values (max=)", rel.Sum: "a tensor of sums (+=)"}
	c.report(diag.New(codes.E0812, name.Span, "`%s` is %s and %s", r.name, kinds[r.fold], kinds[folds[s.Op]]).Noted("All facts and rules of a name are of one kind.").
		Beside(r.first, "first here"))
}

func (c *checker) otherBrackets(r *relation, l *syntax.Literal) {
	note := fmt.Sprintf("`%s` is true or false; it has no value: write `%s`.", r.name, c.shown(r))
	d := diag.New(codes.E0818, l.X.Pos(), "round brackets hold what is true, square brackets what has a value")
	if r.valued() {
		note = fmt.Sprintf("`%s` has a value: `%s = v`, or in an expression, `%s > 3`.", r.name, c.shown(r), c.shown(r))
		if call, ok := l.X.(*syntax.Call); ok && len(call.Args) == len(r.cols) { // the value in the last place
			keys := lists.Map(values(call.Args), syntax.ExprString)
			atom := r.name + "[" + strings.Join(keys[:len(keys)-1], ", ") + "] = " + keys[len(keys)-1]
			d.Fixes = fix("write `"+atom+"`", call.Span, atom)
		}
	}
	d.Notes = []string{note}
	c.report(d)
}

// noValueAlone reports a literal with brackets that is not compared with anything.
func (c *checker) noValueAlone(l *syntax.Literal, r *relation, name *syntax.Name) {
	switch {
	case r == nil:
		c.unknownRelation(syntax.Ident{Name: name.Name, Span: name.Span}, l)
	case r.source != rel.NoSource:
		c.tell(codes.E0818, l.Span, "", []string{fmt.Sprintf("Compare it, as in `%s > 0`; `%s(x, y)` is where it is not 0.", syntax.LiteralString(l), r.name)},
			"`%s` is a number, neither true nor false", syntax.LiteralString(l))
	default:
		c.otherBrackets(r, l)
	}
}

// notLiteral is a literal that is none.
func (c *checker) notLiteral(l *syntax.Literal) {
	d := diag.New(codes.E0818, l.Span, "`%s` is neither true nor false", syntax.LiteralString(l)).Noted("A body has atoms, `not` atoms, comparisons and `v = e`.")
	if minus, ok := l.X.(*syntax.Unary); ok && isCall(minus.X) {
		at := source.Span{Start: minus.Start, End: minus.Start + 1}
		if d.Notes = []string{"`not` negates an atom."}; strings.HasSuffix(c.file.Source.Text[:at.Start], "<-") {
			d.Notes, d.Fixes = []string{"A rule is `Head(x) <- Body(x).`"}, fix("delete `-`", at, "")
		}
	}
	if n, ok := l.X.(*syntax.Number); ok {
		if before, after := strings.CutSuffix(c.file.Source.Text[:n.Start], ","); after && before[len(before)-1]-'0' <= 9 {
			d.Notes, d.Fixes = []string{"Digits are not grouped."}, fix("delete the comma", source.Span{Start: len(before), End: n.Start}, "")
		}
	}
	if name, ok := l.X.(*syntax.Name); ok && c.rel.byName[name.Name] != nil {
		r := c.rel.byName[name.Name]
		d.Notes = []string{"`:print " + name.Name + "` prints its rows; an atom has a variable for each column, as in `" + c.shown(r) + "`."}
		if r.valued() {
			d.Notes = []string{"`:print " + name.Name + "` prints its values, as does the query `" + c.shown(r) + "?`."}
		} else if len(r.cols) == 0 {
			d.Notes, d.Fixes = nil, fix("write `"+c.shown(r)+"`", name.Span, c.shown(r))
		}
	}
	c.foreign(d, l.X)
	c.report(d)
}

func isCall(x syntax.Expr) bool {
	_, is := x.(*syntax.Call)
	return is
}

// foreign says what stands for the last word of another language in an expression.
func (c *checker) foreign(d *diag.Diagnostic, x syntax.Expr) {
	var not source.Span
	syntax.Walk(x, func(y syntax.Node) bool {
		var n syntax.Ident
		switch y := y.(type) {
		case *syntax.Name:
			n = syntax.Ident{Name: y.Name, Span: y.Span}
		case *syntax.Call:
			n = y.Fun
		}
		word := strings.ToLower(n.Name)
		w, ok := stdlib.InBody[word]
		if call, isCall := y.(*syntax.Call); isCall && len(call.Args) > 1 && (word == "if" || word == "where") { // if(p, a, b)
			w.Note, w.Fix, ok = "Each case is a rule of its own, with its comparison in the body.", "", true
		}
		if word == "not" {
			if w.Note, ok, not = negates, true, n.Span; n.Name != word { // in capitals
				w.Fix = word
			}
		}
		if word == "exists" && not.End > 0 {
			w.Note, w.Fix, n.Span.Start = "`not P(_)` is true if there is no row.", "not", not.Start
		}
		if !ok {
			return true
		}
		d.Notes, d.Fixes = []string{w.Note}, nil
		at := n.Span
		if w.Fix == "," {
			at.Start = len(strings.TrimRight(c.file.Source.Text[:at.Start], " "))
		}
		if w.Fix != "" {
			d.Fixes = fix("write `"+w.Fix+"`", at, w.Fix)
		}
		return true
	})
}

// noRuleExpr reports an expression that a rule cannot have.
func (c *checker) noRuleExpr(cl *clause, x syntax.Expr) {
	note := "An expression of a rule has variables, numbers, + - * / and functions of numbers such as floor(x); the aggregates of a head are count, sum, min, max and mean."
	if call, ok := x.(*syntax.Call); ok {
		if agg, ok := aggregates[call.Fun.Name]; ok && agg == rel.Count && len(call.Args) > 1 {
			note = "`count()` counts the bindings of the body, `count(x)` the different values of x."
		} else if _, valued := cl.head.(*syntax.Index); ok && valued && len(cl.src) > 0 && call.Start < cl.src[0].Span.Start { // the value
			note = aggregateKey.note
		} else if ok {
			note = "An aggregate must be alone in its column of the head: `Total(x, count(), sum(a)) <- Pay(x, a).`. What is computed with it or compared is in the body of another rule."
		} else if c.rel.byName[call.Fun.Name] != nil {
			note = fmt.Sprintf("`%s` is true or false; it has no value: write it as an atom of its own.", c.shown(c.rel.byName[call.Fun.Name]))
		} else if call.Fun.Name == "argmax" || call.Fun.Name == "argmin" {
			note = fmt.Sprintf("What has the value is found by it: `Best(%[1]s(v)) <- Of(_, v).`, then `Winner(x) <- Of(x, v), Best(v).`", call.Fun.Name[3:])
		}
	}
	if i, ok := x.(*syntax.Index); ok {
		if _, ok := i.X.(*syntax.Call); ok {
			note = fmt.Sprintf("Name the tensor in an equation, as in `T = %s`, and read that here, as in `T[x]`.", syntax.ExprString(i.X))
		}
	}
	if b, ok := x.(*syntax.Binary); ok && b.Op.Compares() {
		note = "A literal has one comparison, `0 < x, x < 9`, and is no value: each case is a rule of its own, with its comparison in the body."
	}
	d := diag.New(codes.E0818, x.Pos(), "%s is not allowed in a rule", text(x)).Noted(note)
	if call, ok := x.(*syntax.Call); ok {
		lower := strings.ToLower(call.Fun.Name)
		if _, agg := aggregates[stdlib.Synonyms[lower]]; agg {
			d.Notes, d.Fixes = nil, fix("write `"+stdlib.Synonyms[lower]+"`", call.Fun.Span, stdlib.Synonyms[lower])
		} else if _, agg := aggregates[lower]; agg && lower != call.Fun.Name && c.rel.byName[call.Fun.Name] == nil {
			d.Notes, d.Fixes = nil, guess("`"+lower+"`", call.Fun.Span, lower)
		}
	}
	if b, ok := x.(*syntax.Binary); ok && b.Op.Compares() {
		at := source.Span{Start: x.Pos().End, End: x.Pos().End}
		if rest := strings.TrimLeft(c.file.Source.Text[at.End:], " "); rest != "" && strings.IndexByte("<>=!", rest[0]) >= 0 {
			d.Fixes = fix("write two comparisons", at, ", "+syntax.ExprString(b.R))
		}
	}
	c.foreign(d, x)
	c.report(d)
}

// relationAsTerm reports the name of a relation where a value belongs, and shows the atom that
// would give it.
func (c *checker) relationAsTerm(x *syntax.Name) {
	r := c.rel.byName[x.Name]
	cells := slices.Repeat([]string{"_"}, max(len(r.cols)-1, 0))
	atom := r.name + "(" + strings.Join(append(cells, "v"), ", ") + ")"
	if r.valued() {
		atom = r.name + "[" + strings.Join(cells, ", ") + "] = v"
	}
	c.tell(codes.E0818, x.Span, "", []string{fmt.Sprintf("An atom gives a variable the value: `%s`. Variables begin with a lower-case letter.", atom)}, "`%s` is a relation, not a value", x.Name)
}

// nearConstant is the constant that an unknown one may have meant.
func (c *checker) nearConstant(name string) (string, bool) {
	n := len(c.rel.known) + c.rel.labels
	for _, d := range c.rel.given {
		n += len(d.Labels)
	}
	if !c.maySuggest(name, n) {
		return "", false
	}
	all := append(slices.Collect(maps.Keys(c.rel.known)), c.labels[:c.rel.labels]...)
	for _, d := range c.rel.given {
		all = append(all, d.Labels...)
	}
	slices.Sort(all)
	return c.suggest(name, slices.Compact(all))
}

func (c *checker) unknownConstant(x *syntax.String) {
	if c.rel.lost {
		return
	}
	d := diag.New(codes.W0826, x.Span, "no fact has %q, so nothing matches it", x.Value)
	if near, ok := c.nearConstant(x.Value); ok {
		d.Fixes = c.guessLabel("", x.Span, near)
	}
	c.report(d)
}

func (c *checker) noPlace(k *constant, n int) {
	note := fmt.Sprintf("The tensors that the rules read have %s, counted from 0.", words.Plural(n, "node"))
	if n == rel.MaxSize {
		note = fmt.Sprintf("Numbers that are nodes are below %d; in quotes any number is the label of one.", n)
	}
	c.tell(codes.E0409, k.span, "", []string{note}, "there is no node %s", tensor.Number(k.num))
}

func (c *checker) variableConstant(x *syntax.Name) {
	c.report(diag.New(codes.W0829, x.Span, "`%s` is a variable here, and a constant of a fact has that name", x.Name).
		Offered(c.guessLabel("the constant ", x.Span, x.Name)...))
}

// noAxis reports a column that is no axis. Numbers in the last one may be the values of the tensor,
// and others may be the names of nodes.
func (c *checker) noAxis(r *relation, col int, at source.Span) {
	computed := func(k column) bool { return c.rel.class(k.slot) == aNumber }
	if k := slices.IndexFunc(r.cols, computed); k >= 0 && c.rel.class(r.cols[col].slot) == numeral {
		col = k // the others would be nodes
	}
	d := diag.New(codes.E0816, at, "column %d of `%s` holds no nodes, so it is not a tensor", col+1, r.name).
		Noted("The axes of a tensor are nodes.", fmt.Sprintf("`:print %s` prints the rows.", r.name))
	if !r.keyed() {
		d.Notes[1] = fmt.Sprintf("`:print %[1]s` prints the rows, as does the query `%[2]s?`; `N(count()) <- %[1]s(%[3]s).` counts them.", r.name, c.shown(r), strings.Join(slices.Repeat([]string{"_"}, len(r.cols)), ", "))
	}
	vars := strings.Split("x,y,z,u,v,w,s,t", ",")[:len(r.cols)]
	slot := c.rel.slots[c.rel.find(r.cols[col].slot)]
	switch class := slot.class; {
	case class == aText || r.keyed():
	case col > 0 && col == len(r.cols)-1:
		last := vars[col]
		d.Notes[0] += fmt.Sprintf(" With %s as its value: `T[%s] += %s <- %s(%s).`", last, strings.Join(vars[:col], ", "), last, r.name, strings.Join(vars, ", "))
	case r.input == nil && class == aNumber:
		d.Notes[0] += " Numbers are nodes only if they are whole and at least 0, and if no rule computes with them."
		if slot.at.End > 0 {
			d.Related = []diag.Related{{Span: slot.at, Message: "a number here"}}
		}
	case r.input != nil:
		d.Notes[0] += " Numbers that name nodes have the type `node`."
		d.Fixes = []diag.Fix{{Title: "give the columns the type `node`", Guess: true}}
		for _, k := range r.input.Columns {
			if k.Type.Name == "int" {
				d.Fixes[0].Edits = append(d.Fixes[0].Edits, diag.Edit{Span: k.Type.Span, NewText: "node"})
			}
		}
	default:
		d.Notes[0] += fmt.Sprintf(" Numbers are nodes only in a program without labels and inputs. Here they are quoted in facts, as in `%s(%s)`, and have the type `node` in an input.", r.name, strings.Join(slices.Repeat([]string{`"1"`}, len(r.cols)), ", "))
	}
	c.report(d)
}

// unquoted reports an expression with names in a fact: of them it might be one, without its quotes.
func (c *checker) unquoted(x syntax.Expr) bool {
	named := false
	syntax.Walk(x, func(n syntax.Node) bool {
		_, is := n.(*syntax.Name)
		named = named || is
		return !named
	})
	if !named {
		return false
	}
	d := diag.New(codes.E0804, x.Pos(), "%s is not a constant", text(x)).
		Noted("A name of several words or with signs in it is quoted. A computed value needs a body: `Head(x + 1) <- Body(x).`.")
	label := strconv.Quote(c.file.Source.Text[x.Pos().Start:x.Pos().End])
	d.Fixes = guess(label, x.Pos(), label)
	c.report(d)
	return true
}

// namedColumn reports an argument by name. If all are, and are the columns of an input, they can be
// put in their places.
func (c *checker) namedColumn(x *syntax.Call) {
	i := slices.IndexFunc(x.Args, func(a syntax.Arg) bool { return a.Name.Name != "" })
	d := diag.New(codes.E0207, x.Args[i].Name.Span, "`%s` takes its arguments by position, not by name", x.Fun.Name)
	if call, ok := x.Args[i].Value.(*syntax.Call); ok {
		if _, aggregate := aggregates[call.Fun.Name]; aggregate {
			d.Fixes = fix("delete the name", source.Span{Start: d.Span.Start, End: call.Start}, "")
		}
	}
	if x.Fun.Name == "not" {
		d.Message, d.Notes = "`not` has an atom behind it, not a comparison", []string{negates}
	}
	if r := c.rel.byName[x.Fun.Name]; r != nil && r.input != nil {
		places := slices.Repeat([]string{"_"}, len(r.cols))
		for _, a := range x.Args {
			if i := slices.IndexFunc(r.cols, func(k column) bool { return k.name == a.Name.Name }); i >= 0 && places[i] == "_" {
				places[i] = syntax.ExprString(a.Value)
			} else {
				places = nil
				break
			}
		}
		d.Notes = []string{"Its columns are " + strings.Join(lists.Map(r.cols, func(k column) string { return k.name }), ", ") + "."}
		if places != nil {
			d.Fixes = fix("put them in their places", x.Span, x.Fun.Name+"("+strings.Join(places, ", ")+")")
		}
	}
	c.report(d)
}

// onlyOnce warns of a variable that occurs once, which is often misspelt.
func (c *checker) onlyOnce(cl *clause, x *variable) {
	d := diag.New(codes.W0820, x.first, "`%s` occurs once in the rule", x.name).Labelled("only here").Fixed("write `_`", x.first, "_")
	var others []string
	for _, o := range cl.vars {
		if _, ok := join(c.rel.slots[c.rel.find(o.slot)], c.rel.slots[c.rel.find(x.slot)]); ok && !o.hidden && len(o.name) > 2 {
			others = append(others, o.name)
		}
	}
	if near, ok := c.suggest(x.name, others); ok && len(x.name) > 2 {
		d.Fixes = append(guess("`"+near+"`", x.first, near), d.Fixes...)
	}
	for i := range cl.src {
		if v := cl.src[i].Value; v != nil && (cl.src[i].X.Pos() == x.first || cl.Body[i].Kind == rel.Bind && v.Pos() == x.first) { // `_` has no value to be given
			d.Notes, d.Fixes = []string{"Leave out `" + syntax.LiteralString(&cl.src[i]) + "`: nothing uses the value."}, d.Fixes[:len(d.Fixes)-1]
			break
		}
	}
	c.report(d)
}

func (c *checker) nothingFills(r *relation, at source.Span) {
	c.report(diag.New(codes.W0821, at, "nothing fills `%s`: it has no facts, and each of its rules needs an empty relation", r.name).Beside(r.first, "defined here"))
}

// notInColumn warns of a constant that the facts of a relation have not in that column.
func (c *checker) notInColumn(r *relation, col int, k *constant) {
	what := fmt.Sprintf("%q", k.text)
	if k.isNum {
		what = tensor.Number(k.num)
	}
	var notes []string
	if !k.isNum && k.span.Len() == len(k.text) && isVariable(k.text) { // run shows no N0828
		notes = []string{fmt.Sprintf(queryConstant.text+". "+queryConstant.note, k.text)}
	}
	c.tell(codes.W0822, k.span, "never true", notes, "this can never be true: no fact of `%s` has %s in column %d", r.name, what, col+1)
}

// shareNothing warns of two atoms of a body that join by no variable, whose rows multiply.
func (c *checker) shareNothing(cl *clause, i, j int) {
	a, b := cl.uses[i], cl.uses[j]
	notes := []string{"Each row of one is put together with each row of the other."}
	if a.input == nil && b.input == nil && len(a.rules)+len(b.rules) == 0 {
		notes = []string{fmt.Sprintf("That is up to %d x %d rows.", len(a.facts), len(b.facts))}
	}
	c.report(diag.New(codes.W0824, cl.src[j].Span, "%s and %s share no variable", text(cl.src[i].X), text(cl.src[j].X)).Noted(notes...).
		Beside(cl.src[i].Span, "the other one"))
}

func (c *checker) doubled(what string, at, first source.Span, label string) {
	c.report(diag.New(codes.W0825, at, "this %s repeats another one", what).Beside(first, label))
}

func (c *checker) lettersAreConstants(at source.Span, letters []string) {
	verb := "are constants"
	if len(letters) == 1 {
		verb = "is a constant"
	}
	c.tell(codes.W0827, at, "a fact", []string{"A rule needs `<-` and a body."}, "%s %s here", strings.Join(letters, " and "), verb)
}
