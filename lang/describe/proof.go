package describe

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm"
	"ein/vm/rel"
	"ein/vm/rel/engine"
	"ein/vm/tensor"
)

// Proof says why a row is there: the steps to it, each derived from those before, the last of which
// is the row. Or it says why the row is not there: how far each rule of the relation gets, and
// which rows come close.
type Proof struct {
	Atom  string      `json:"atom"`
	Holds bool        `json:"holds"`
	Steps []ProofStep `json:"steps"`
	Tries []ProofTry  `json:"tries,omitempty"`
	Near  []string    `json:"near,omitempty"`
	near  int         // of how many
}

// ProofStep is a row and its source: a line of the text, with a fact or with a rule that derives
// the row from the steps Of, counted from 0, as there is no row Absent; or an input, with the line of
// its file. A row of an aggregate comes from Count bindings, each with the rows of its body; Parts has
// the first of them, and Places the sources of those rows, if they are given ones.
type ProofStep struct {
	Atom string `json:"atom"`
	ProofPlace
	Input  string         `json:"input,omitempty"`
	Rule   string         `json:"rule,omitempty"`
	Of     []int          `json:"of,omitempty"`
	Absent []string       `json:"absent,omitempty"`
	Parts  [][]string     `json:"parts,omitempty"`
	Places [][]ProofPlace `json:"places,omitempty"`
	Count  int            `json:"count,omitzero"`

	folds, tensor bool
}

// ProofPlace is a line of a file of data, the number of a row of an input that is no file or, without a
// File, a line of the text. It is 0 if it is not known.
type ProofPlace struct {
	Line int    `json:"line,omitzero"`
	File string `json:"file,omitempty"`

	text string // the place in words
}

// ProofTry says how far a rule gets towards a row. In Count ways some literals hold and one fails;
// Ways has the first of them. Near has rows close to the first that fails. If Ways is empty, the
// head of the rule has other constants; if no way has Fails, the rule makes other rows.
type ProofTry struct {
	Line  int        `json:"line"`
	Rule  string     `json:"rule"`
	Ways  []ProofWay `json:"ways"`
	Count int        `json:"count"`
	Near  []string   `json:"near,omitempty"`
	near  int
	place string
}

// ProofWay is the literals of a rule with values: those that hold, and the first that fails.
type ProofWay struct {
	Holds []string `json:"holds"`
	Fails string   `json:"fails,omitempty"`
}

// Proofs puts the evidence for rows of a query into words, and returns about how many bytes these are.
// If that is more than room, they are the proofs before the one that was too many. stmts are the
// statements of the text.
func Proofs(text *source.File, stmts []syntax.Stmt, e *vm.Evidence, room uint64) ([]*Proof, uint64) {
	d := &prover{text: text, p: e.Program, facts: factLines(stmts), rules: map[*rel.Rule]string{}}
	for i := range e.Program.Rules {
		if r := &e.Program.Rules[i]; r.Rel == e.Query && len(r.Body) == 1 {
			d.asked = r.Body[0].Terms
		}
	}
	list, size := make([]*Proof, len(e.Answers)), uint64(0)
	for i := range list {
		list[i] = d.proof(e.Goals[i], &e.Answers[i])
		if size += list[i].size(); size > room {
			return list[:i], size
		}
	}
	dataLines(list, e)
	return list, size
}

// size is about the memory of a proof in bytes, with its JSON and what finds the lines of its data.
func (p *Proof) size() uint64 {
	const step, word = 400, 24
	n := step + len(p.Atom)
	texts := func(list []string) {
		for _, s := range list {
			n += word + 2*len(s)
		}
	}
	texts(p.Near)
	for i := range p.Steps {
		s := &p.Steps[i]
		n += step + 2*len(s.Atom) + len(s.Rule) + word*len(s.Of)
		texts(s.Absent)
		for _, part := range s.Parts {
			texts(part)
		}
	}
	for i := range p.Tries {
		t := &p.Tries[i]
		n += step + len(t.Rule)
		texts(t.Near)
		for _, w := range t.Ways {
			texts(w.Holds)
			n += 3*word + 2*len(w.Fails)
		}
	}
	return uint64(n)
}

// prover turns the answers of the engine into text with the lines of the source.
type prover struct {
	text  *source.File
	p     *rel.Program
	facts map[string]source.Span
	asked []rel.Term // of the atom that goals are rows of
	rules map[*rel.Rule]string
}

// place is a line of the text, and how it is named: a session has several files.
func (d *prover) place(offset int) ProofPlace {
	at := d.text.Position(offset)
	if at.File != d.text.Name {
		return ProofPlace{Line: at.Line, text: fmt.Sprintf("%s:%d", at.File, at.Line)}
	}
	return ProofPlace{Line: at.Line, text: fmt.Sprintf("line %d", at.Line)}
}

// rule returns a rule as the user wrote it, on one line.
func (d *prover) rule(r *rel.Rule) string {
	if d.rules[r] == "" {
		d.rules[r] = words.Shorten(syntax.OneLine(d.text.Text[r.Pos.Start:r.Pos.End]), shownLine)
	}
	return d.rules[r]
}

// row shows a row of a relation; for a query it shows the literals with their values. What the
// checker made a variable of, such as Deg[x] in Deg[x] > 1, is shown as it was written.
func (d *prover) row(relation int, row []float64) string {
	i := slices.IndexFunc(d.p.Rules, func(r rel.Rule) bool { return r.Rel == relation })
	if i < 0 || !strings.HasSuffix(d.p.Relations[relation].Name, "?") {
		return d.p.Row(&d.p.Relations[relation], row)
	}
	named := d.p.Rules[i]
	named.Vars = slices.Clone(named.Vars)
	b := engine.Binding{Rule: &named, Vars: make([]float64, len(named.Vars))}
	for v := range b.Vars {
		b.Vars[v] = math.NaN()
	}
	shown := make([]bool, len(b.Vars)) // else the variable has no name in the text
	for c, x := range row {
		v := named.Head[c].Expr.Term.Var
		b.Vars[v], shown[v] = x, true
	}
	var ls []*rel.Literal
	for k := range named.Body {
		l := &named.Body[k]
		v := -1 // what the literal may give a value
		if n := len(l.Terms); l.Kind == rel.Atom && n > 0 && l.Terms[n-1].Kind == rel.Variable {
			v = l.Terms[n-1].Var
		} else if l.Kind == rel.Bind {
			v = l.Var
		}
		if v < 0 || shown[v] {
			ls = append(ls, l)
			continue
		}
		name := rel.Plain(named.Vars[v].Name)
		text := strings.TrimSuffix(d.p.Literal(&named, l, b.Vars), " = "+name)
		named.Vars[v].Name, shown[v] = strings.TrimPrefix(text, name+" = "), true
	}
	return strings.Join(d.body(ls, b), ", ")
}

// rows returns rows of a relation.
func (d *prover) rows(relation int, list [][]float64) []string {
	return lists.Map(list, func(row []float64) string { return d.row(relation, row) })
}

// body returns the literals of a rule with the values of a binding.
func (d *prover) body(ls []*rel.Literal, b engine.Binding) []string {
	list := make([]string, len(ls))
	for i, l := range ls {
		if g, ok := b.Rows[l]; ok {
			list[i] = d.row(g.Relation, g.Row)
		} else {
			list[i] = d.p.Literal(b.Rule, l, b.Vars)
		}
	}
	return list
}

// literals returns the literals of a rule of one kind.
func literals(r *rel.Rule, kind rel.LiteralKind) (list []*rel.Literal) {
	for i := range r.Body {
		if r.Body[i].Kind == kind {
			list = append(list, &r.Body[i])
		}
	}
	return list
}

// goal shows a row as it was asked for: some of its names may occur in no row.
func (d *prover) goal(g engine.Goal) string {
	if !slices.ContainsFunc(d.asked, func(t rel.Term) bool { return t.Name != "" }) {
		return d.row(g.Relation, g.Row)
	}
	return d.p.Literal(nil, &rel.Literal{Rel: g.Relation, Terms: d.asked}, nil)
}

// names renames the variables of a rule that stand for names of the goal that occur in no row, so
// that these names are shown, and those that the checker made of T[x] if that has no value.
func (d *prover) names(goal engine.Goal, b engine.Binding) engine.Binding {
	named := *b.Rule
	named.Vars, b.Vars = slices.Clone(named.Vars), slices.Clone(b.Vars)
	for v, x := range b.Vars {
		if k := engine.Lacking(x, named.Vars[v].Domain); k >= 0 {
			named.Vars[v].Name, b.Vars[v] = goal.Names[k], math.NaN()
		} else if x != x && strings.HasSuffix(named.Vars[v].Name, "]") {
			named.Vars[v].Name = "_"
		}
	}
	b.Rule = &named
	return b
}

// proof describes why a row holds or, by the rules that were tried and the rows near it, why it
// does not. A step without a rule is a fact, with its line, or comes from an input.
func (d *prover) proof(goal engine.Goal, a *engine.Answer) *Proof {
	out := &Proof{Atom: d.goal(goal), Holds: a.Holds, Steps: []ProofStep{}}
	for i := range a.Tries {
		out.Tries = append(out.Tries, d.try(goal, &a.Tries[i]))
	}
	out.Near, out.near = d.rows(goal.Relation, a.List), a.Rows
	if a.Proof == nil {
		return out
	}
	for _, s := range a.Proof.Steps {
		r := &d.p.Relations[s.Relation]
		step := ProofStep{Atom: d.row(s.Relation, s.Row), Of: s.Of, Count: s.Count, folds: s.Rule != nil && (s.Rule.Aggregates() || r.Fold == rel.Sum)}
		if s.Rule != nil {
			step.Rule = d.rule(s.Rule)
			step.ProofPlace = d.place(int(s.Rule.Pos.Start))
		} else if at, ok := d.facts[step.Atom]; ok {
			step.ProofPlace = d.place(at.Start)
		} else if r.Source != rel.NoSource {
			step.Input, step.tensor = r.Name, r.Source != rel.FromTable
		}
		if s.Vars != nil {
			for _, l := range literals(s.Rule, rel.Not) {
				step.Absent = append(step.Absent, strings.TrimPrefix(d.p.Literal(s.Rule, l, s.Vars), "not "))
			}
		}
		for _, b := range s.Parts {
			part := d.body(literals(b.Rule, rel.Atom), b)
			places := make([]ProofPlace, len(part))
			for i, atom := range part {
				if at, ok := d.facts[atom]; ok {
					places[i] = d.place(at.Start)
				}
			}
			step.Parts, step.Places = append(step.Parts, part), append(step.Places, places)
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

// try describes how a rule fails to derive the goal: what holds of its body, and the literal that
// does not.
func (d *prover) try(goal engine.Goal, t *engine.Try) ProofTry {
	out := ProofTry{Rule: d.rule(t.Rule), Ways: []ProofWay{}, Count: t.Count, near: t.Rows}
	at := d.place(int(t.Rule.Pos.Start))
	out.Line, out.place = at.Line, at.text
	holds := slices.DeleteFunc(slices.Clone(t.Holds), func(l *rel.Literal) bool { // 3 = 3
		return l.Kind == rel.Bind && len(l.Left.Args) == 0
	})
	for _, b := range t.Bindings {
		b = d.names(goal, b)
		way := ProofWay{Holds: d.body(holds, b)}
		if t.Fails != nil {
			way.Fails = d.p.Literal(b.Rule, t.Fails, b.Vars)
		}
		out.Ways = append(out.Ways, way)
	}
	if t.Fails != nil {
		out.Near = d.rows(t.Fails.Rel, t.List)
	}
	return out
}

// dataLines sets the places of rows that come from data, as far as their lines were kept. It goes
// through each table once.
func dataLines(list []*Proof, e *vm.Evidence) {
	type row struct {
		relation int
		cells    [tensor.MaxColumns]float64
	}
	rowOf := func(relation int, cells []float64) row {
		r := row{relation: relation}
		copy(r.cells[:], cells)
		return r
	}
	wanted, tables := map[row][]*ProofPlace{}, map[int]bool{}
	want := func(relation int, cells []float64, at *ProofPlace) {
		if t := e.Tables[relation]; at.Line == 0 && t != nil && t.Origin != nil {
			tables[relation] = true
			key := rowOf(relation, cells)
			wanted[key] = append(wanted[key], at)
		}
	}
	for i, p := range list {
		for k := range p.Steps {
			step, s := &p.Steps[k], e.Answers[i].Proof.Steps[k]
			if s.Rule == nil {
				want(s.Relation, s.Row, &step.ProofPlace)
			}
			for part, b := range s.Parts {
				for n, l := range literals(b.Rule, rel.Atom) {
					if g, ok := b.Rows[l]; ok {
						want(g.Relation, g.Row, &step.Places[part][n])
					}
				}
			}
		}
	}
	for relation := range tables {
		t, i := e.Tables[relation].Origin, 0
		for cells := range e.Tables[relation].All() {
			for _, at := range wanted[rowOf(relation, cells)] {
				*at = ProofPlace{t.Lines[i], t.File, t.Place(i)}
			}
			i++
		}
	}
	known := func(places []ProofPlace) bool {
		return slices.ContainsFunc(places, func(at ProofPlace) bool { return at.Line > 0 })
	}
	for _, p := range list {
		for k := range p.Steps {
			if s := &p.Steps[k]; !slices.ContainsFunc(s.Places, known) {
				s.Places = nil
			}
		}
	}
}

// factLines returns where the facts of a text are, by their atoms in the form of [rel.Program.Row].
func factLines(stmts []syntax.Stmt) map[string]source.Span {
	at := map[string]source.Span{}
	for _, s := range stmts {
		r, ok := s.(*syntax.Rule)
		if !ok || len(r.Body) > 0 {
			continue
		}
		var cells []string
		switch head := r.Head.(type) {
		case *syntax.Call:
			cells = lists.Map(head.Args, func(a syntax.Arg) string { return constant(a.Value) })
			at[head.Fun.Name+"("+strings.Join(cells, ", ")+")"] = r.Span
		case *syntax.Index:
			cells = lists.Map(head.Indices, constant)
			if name, ok := head.X.(*syntax.Name); ok && r.Value != nil {
				at[name.Name+"["+strings.Join(cells, ", ")+"] = "+constant(r.Value)] = r.Span
			} else if ok {
				at[name.Name+"("+strings.Join(cells, ", ")+")"] = r.Span
			}
		}
	}
	return at
}

// constant shows a cell of a fact in the form of [rel.Constant].
func constant(x syntax.Expr) string {
	switch x := x.(type) {
	case *syntax.Name:
		return strconv.Quote(x.Name)
	case *syntax.String:
		return strconv.Quote(x.Value)
	case *syntax.Number:
		return tensor.Number(x.Value)
	case *syntax.Unary:
		if n, ok := x.X.(*syntax.Number); ok {
			return tensor.Number(-n.Value)
		}
	}
	return syntax.ExprString(x)
}

// Text returns the proof for people.
func (p *Proof) Text() string {
	var b strings.Builder
	switch {
	case !p.Holds:
		p.lacks(&b)
		return b.String()
	case len(p.Steps) == 0:
		return "yes, but every derivation goes through a worse value, which is not a row\n"
	}
	fmt.Fprintf(&b, "yes, in %s\n", words.Plural(len(p.Steps), "step"))
	wide, number := 0, len(fmt.Sprint(len(p.Steps)))
	for i := range p.Steps {
		wide = max(wide, min(len(p.Steps[i].Atom), 60))
	}
	type rule struct{ place, text string }
	var rules []rule
	for i, s := range p.Steps {
		from := ""
		switch {
		case s.Rule != "":
			if r := (rule{s.text, s.Rule}); !slices.Contains(rules, r) {
				rules = append(rules, r)
			}
			from = "by " + s.text
			if s.folds {
				from += fmt.Sprintf(", of %s", words.Plural(s.Count, "binding"))
			}
			for k, of := range s.Of {
				from += []string{", ", " from "}[min(1, max(0, 1-k))] + fmt.Sprint(of+1)
			}
		case s.File != "":
			from = s.text
		case s.Line > 0:
			from = "fact, " + s.text
		case s.Input != "":
			from = "data of " + s.Input
			if s.tensor {
				from = "tensor " + s.Input
			}
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %*d  %-*s  %s", number, i+1, wide, s.Atom, from), " ") + "\n")
		for _, atom := range s.Absent {
			fmt.Fprintf(&b, "  %*s    no row %s\n", number, "", atom)
		}
		parts := lists.Map(s.Parts, func(part []string) string { return strings.Join(part, ", ") })
		wide := 0
		for _, part := range parts {
			wide = max(wide, min(utf8.RuneCountInString(part), 60))
		}
		for i, part := range parts {
			var at []string
			if s.Places != nil {
				for _, p := range s.Places[i] {
					if p.Line > 0 {
						at = append(at, p.text)
					}
				}
			}
			b.WriteString(strings.TrimRight(fmt.Sprintf("  %*s    %-*s  %s", number, "", wide, part, strings.Join(at, ", ")), " ") + "\n")
		}
		more(&b, number+6, s.Count-len(s.Parts))
	}
	for i, r := range rules {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "  %s: %s\n", r.place, r.text)
	}
	return b.String()
}

// more writes how many more there are than are shown.
func more(b *strings.Builder, indent, n int) {
	if n > 0 {
		fmt.Fprintf(b, "%*sand %s more\n", indent, "", words.Count(n))
	}
}

// lacks writes why a row is not there.
func (p *Proof) lacks(b *strings.Builder) {
	b.WriteString("no\n")
	nearest := func(indent int, list []string, n int) {
		if len(list) > 0 {
			fmt.Fprintf(b, "%*sthere is %s", indent, "", strings.Join(list, ", "))
			if n > len(list) {
				fmt.Fprintf(b, " and %s more", words.Count(n-len(list)))
			}
			b.WriteByte('\n')
		}
	}
	for _, t := range p.Tries {
		fmt.Fprintf(b, "  %s: %s\n", t.place, t.Rule)
		if len(t.Ways) == 0 {
			b.WriteString("    its head is of other rows\n")
		}
		for _, w := range t.Ways {
			b.WriteString("    ")
			if len(w.Holds) > 0 {
				verb := " hold, "
				if len(w.Holds) == 1 {
					verb = " holds, "
				}
				b.WriteString(strings.Join(w.Holds, ", ") + verb)
			}
			switch {
			case w.Fails == "":
				b.WriteString("which makes another row\n")
			case len(w.Holds) > 0:
				b.WriteString(w.Fails + " does not\n")
			default:
				b.WriteString(w.Fails + " does not hold\n")
			}
		}
		more(b, 4, t.Count-len(t.Ways))
		nearest(4, t.Near, t.near)
	}
	nearest(2, p.Near, p.near)
}
