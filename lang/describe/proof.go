package describe

import (
	"fmt"
	"slices"
	"strings"

	"ein/internal/words"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/rel"
	"ein/vm/rel/engine"
)

// Proof is why the atom of a query holds: steps, each from those before, the last of which
// is the atom. Without steps it does not hold.
type Proof struct {
	Steps []ProofStep `json:"steps"`
	// Rules are those of the relation that has no such row.
	Rules []string `json:"rules,omitempty"`
}

// ProofStep is a row and where it comes from: a line of the text, with a rule that derives
// it from steps, counted from 0; or a line with the fact; or an input.
type ProofStep struct {
	Atom  string `json:"atom"`
	Line  int    `json:"line,omitempty"`
	Input string `json:"input,omitempty"`
	Rule  string `json:"rule,omitempty"`
	Of    []int  `json:"of,omitempty"`

	aggregate bool
}

// Prove puts the proof of a query without variables, a relation of the program, into words.
// The statements are those of the text.
func Prove(text *source.File, stmts []syntax.Stmt, p *rel.Program, query int, proof *engine.Proof) *Proof {
	out := &Proof{Steps: []ProofStep{}}
	line := func(pos int32) int { return text.Position(int(pos)).Line }
	// A rule stands as the user wrote it, on one line.
	rule := func(r *rel.Rule) string {
		return words.Shorten(strings.Join(strings.Fields(text.Text[r.Pos.Start:r.Pos.End]), " "), shownLine)
	}
	if proof == nil {
		for i := range p.Rules {
			if r := &p.Rules[i]; r.Rel == query {
				for k := range p.Rules {
					if of := &p.Rules[k]; of.Rel == r.Body[0].Rel {
						out.Rules = append(out.Rules, fmt.Sprintf("line %d: %s", line(of.Pos.Start), rule(of)))
					}
				}
			}
		}
		return out
	}
	facts := factLines(stmts)
	for _, s := range proof.Steps[:len(proof.Steps)-1] { // the last is the query
		r := &p.Relations[s.Relation]
		step := ProofStep{Atom: p.Row(r, s.Row), Of: s.Of}
		given := func() {
			if at, ok := facts[step.Atom]; ok {
				step.Line = text.Position(at.Start).Line
			} else if r.Source != rel.NoSource {
				step.Input = r.Name
			}
		}
		switch {
		case s.Rule != nil:
			step.Rule, step.Line = rule(s.Rule), line(s.Rule.Pos.Start)
		default:
			given()
			i := slices.IndexFunc(p.Rules, func(x rel.Rule) bool { return x.Rel == s.Relation })
			if i >= 0 && step.Line == 0 && step.Input == "" {
				step.Rule, step.Line, step.aggregate = rule(&p.Rules[i]), line(p.Rules[i].Pos.Start), true
			}
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

// factLines is where the facts of a text are, by the atoms as [rel.Program.Row] writes them.
func factLines(stmts []syntax.Stmt) map[string]source.Span {
	at := map[string]source.Span{}
	for _, s := range stmts {
		r, ok := s.(*syntax.Rule)
		if !ok || len(r.Body) > 0 {
			continue
		}
		var cells []string
		cell := func(x syntax.Expr) {
			switch x := x.(type) {
			case *syntax.Name:
				cells = append(cells, fmt.Sprintf("%q", x.Name))
			default:
				cells = append(cells, syntax.ExprString(x))
			}
		}
		switch head := r.Head.(type) {
		case *syntax.Call:
			for _, a := range head.Args {
				cell(a.Value)
			}
			at[head.Fun.Name+"("+strings.Join(cells, ", ")+")"] = r.Span
		case *syntax.Index:
			for _, x := range head.Indices {
				cell(x)
			}
			if name, ok := head.X.(*syntax.Name); ok && r.Value != nil {
				at[name.Name+"["+strings.Join(cells, ", ")+"] = "+syntax.ExprString(r.Value)] = r.Span
			} else if ok {
				at[name.Name+"("+strings.Join(cells, ", ")+")"] = r.Span
			}
		}
	}
	return at
}

// Atom reports whether a query is one atom, which may be proved.
func Atom(q *syntax.Query) bool {
	if len(q.Body) != 1 || q.Body[0].Not {
		return false
	}
	switch q.Body[0].X.(type) {
	case *syntax.Call, *syntax.Index:
		return true
	}
	return false
}

// Text is the proof for people.
func (p *Proof) Text() string {
	var b strings.Builder
	if len(p.Steps) == 0 {
		b.WriteString("no\n")
		for _, r := range p.Rules {
			fmt.Fprintf(&b, "  nothing fits %s\n", r)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "yes, in %s\n", words.Plural(len(p.Steps), "step"))
	wide, number := 0, len(fmt.Sprint(len(p.Steps)))
	for i := range p.Steps {
		wide = max(wide, min(len(p.Steps[i].Atom), 60))
	}
	type rule struct {
		line int
		text string
	}
	var rules []rule
	for i, s := range p.Steps {
		from := ""
		switch {
		case s.Rule != "":
			if r := (rule{s.Line, s.Rule}); !slices.Contains(rules, r) {
				rules = append(rules, r)
			}
			from = fmt.Sprintf("by line %d", s.Line)
			if s.aggregate {
				from += ", over all that matches"
			}
			for k, of := range s.Of {
				from += []string{", ", " from "}[min(1, max(0, 1-k))] + fmt.Sprint(of+1)
			}
		case s.Line > 0:
			from = fmt.Sprintf("fact, line %d", s.Line)
		case s.Input != "":
			from = "data of " + s.Input
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %*d  %-*s  %s", number, i+1, wide, s.Atom, from), " ") + "\n")
	}
	for i, r := range rules {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "  line %d: %s\n", r.line, r.text)
	}
	return b.String()
}
