package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
)

// relationEntry is a random entry of a session about relations, most often a right one.
func relationEntry(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	columns := map[string]string{"A": "n", "B": "nn", "C": "ni", "R": "n", "S": "nn", "T": "ni", "U": "nni", "G": "nn"}
	constant := func(kind rune) string {
		if (kind == 'n') != (r.IntN(25) == 0) {
			return pick("ann", "bob", "\"cy\"", "x", "\"1\"", "X", "dan", "eve")
		}
		return pick("1", "2", "-1", "1", "2", "2.5")
	}
	term := func(kind rune) string {
		if (kind == 'n') != (r.IntN(25) == 0) {
			return pick("x", "x", "x", "y", "y", "z", "_", "ann", "\"bob\"", "\"new\"", "Dan")
		}
		return pick("i", "i", "i", "j", "_", "1")
	}
	name := func() string { return pick("A", "B", "C", "R", "S", "T", "U") }
	atom := func(n string, term func(rune) string) string {
		var list []string
		for _, kind := range columns[n] {
			if r.IntN(60) > 0 {
				list = append(list, term(kind))
			}
		}
		return n + "(" + strings.Join(list, ", ") + ")"
	}
	fact := func() string { return atom(pick("A", "A", "B", "C", "R", "U"), constant) + "." }
	body := func() string {
		list := []string{atom(name(), term)}
		for range r.IntN(3) {
			list = append(list, pick(atom(name(), term), atom(name(), term), "not "+atom(name(), term), "i > 1", "x != y", "y = x", "j = i + 1", "x = \"eve\"", "x < \"b\"", "D[x] = i", "G(x, y)", "V[x] > 0"))
		}
		return strings.Join(list, ", ")
	}
	rule := func() string {
		switch r.IntN(8) {
		case 0:
			return "D[x] " + pick("min", "min", "min", "max") + "= i <- " + body() + "."
		case 1:
			return pick("D[ann] min= 1.", "D[x] min= D[y] + 1 <- B(x, y).", "D[bob] max= 2.")
		case 2:
			return pick("S(x, count()) <- ", "T(x, sum(i)) <- ", "S(x, max(y)) <- ", "T(x, count()) <- ") + body() + "."
		}
		return atom(pick("R", "S", "T", "U"), term) + " <- " + body() + "."
	}
	switch r.IntN(12) {
	case 0:
		return body() + "?"
	case 1:
		return pick("n = 2", "G = edges([[\"ann\", \"bob\"]])", "V = [1, 2, 3]", "m = sum(B)", "G", "def f(x) = x", ":print R", "R(x, y)", fact()+" "+body()+"?", "x = R")
	case 2, 3:
		return fact() + " " + fact() + " " + rule()
	case 4, 5, 6:
		return fact()
	}
	return rule()
}

// TestGrow enters random facts and rules, each checked alone where Grow can, and requires what a
// check of everything finds: its diagnostics, relations, nodes, and the plan of each query.
func TestGrow(t *testing.T) {
	accepted, grew, rounds := 0, 0, 1200
	if testing.Short() {
		rounds = 150
	}
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 3))
		file := source.NewFile("in.ein", "")
		var stmts []syntax.Stmt
		var entries []*syntax.File
		values := false // of the size of the nodes
		after := func(before *Program, labels []string, f *syntax.File) *Program {
			return Check(f, Config{Profile: Repl, Labels: labels, After: before})
		}
		first := func(labels []string) *Program { return after(nil, labels, &syntax.File{Source: file}) }
		before, twin := first(nil), first(nil)
		for range 30 {
			text := relationEntry(r) + "\n"
			next := file.Append("in.ein", 1, text)
			f := syntax.Parse(next, syntax.Options{Repl: true, From: len(file.Text)})
			if f.Diags.HasErrors() {
				continue
			}
			all := &syntax.File{Source: next, Stmts: append(stmts[:len(stmts):len(stmts)], f.Stmts...)}
			labels := ProgramLabels(all)
			again := func(p *Program) *Program { // with the nodes that there are now
				if slices.Equal(p.Labels, labels) {
					return p
				}
				p = first(labels)
				for _, e := range entries {
					p = after(p, labels, e)
				}
				return p
			}
			want := after(again(twin), labels, f)
			lowered := rules(before)
			got, added := Grow(f, Config{Profile: Repl, Labels: before.Labels, After: before}, len(before.Labels))
			if now := rules(before); now != lowered {
				t.Fatalf("seed %d: %s changes the program before from\n%s\nto\n%s", seed, text, lowered, now)
			}
			alone := got != nil && (len(added) == 0 || !values)
			if !alone {
				got = after(again(before), labels, f)
			}
			if a, b := said(got, len(file.Text)), said(want, len(file.Text)); a != b {
				t.Fatalf("seed %d: after\n%s\nthe entry %s alone: %v\n%s\nin the whole:\n%s", seed, file.Text, text, alone, a, b)
			}
			if got.Diags.HasErrors() {
				continue
			}
			accepted++
			if alone {
				grew++
			}
			values = values || len(got.Statements) > 0
			file, before, twin, stmts, entries = next, got, want, all.Stmts, append(entries, f)
		}
	}
	if grew < 2*rounds {
		t.Errorf("%d of %d entries were checked alone", grew, accepted)
	}
}

// TestGrowKeeps: what follows a program leaves the rules that its values are computed by.
func TestGrowKeeps(t *testing.T) {
	text := "E(ann, bob). Age(ann, 3).\nOld(n) <- Age(_, n).\nFar(x, y) <- E(x, y).\nG = sum(Far)\n"
	file := source.NewFile("in.ein", text)
	for _, entry := range []string{"Far(x, z) <- Far(x, y), E(y, z).\n", "Far(bob, cy).\n"} {
		before := Check(syntax.Parse(file, syntax.Options{Repl: true}), Config{Profile: Repl})
		rule := before.Statements[0].Node.Args[0].Args[0].Rules
		if rule == nil || before.Diags.HasErrors() {
			t.Fatal(before.Diags, before.Statements[0].Node)
		}
		lowered := fmt.Sprintf("%+v", rule.Rules)
		f := syntax.Parse(file.Append("in.ein", 1, entry), syntax.Options{Repl: true, From: len(text)})
		if p, _ := Grow(f, Config{Profile: Repl, After: before}, len(before.Labels)); p == nil {
			t.Fatalf("%s is not checked alone", entry)
		}
		if now := fmt.Sprintf("%+v", rule.Rules); now != lowered {
			t.Errorf("%s changes\n%s\nto\n%s", entry, lowered, now)
		}
	}
}

// rules is the rules of a program in full.
func rules(p *Program) string {
	if p.Rules == nil {
		return ""
	}
	return fmt.Sprintf("%+v", p.Rules.Rules)
}

// said is what a check says of the text behind a place, and of all relations.
func said(p *Program, from int) string {
	var b strings.Builder
	for _, d := range p.Diags {
		if d.Severity == diag.Error || d.Span.Start >= from {
			fmt.Fprintf(&b, "%+v\n", d)
		}
	}
	if p.Diags.HasErrors() {
		return b.String()
	}
	fmt.Fprintln(&b, p.Labels)
	for _, r := range p.Relations {
		fmt.Fprintf(&b, "%+v\n", r)
	}
	for _, o := range p.Outputs {
		if o.Span.Start >= from {
			fmt.Fprintln(&b, o.Name, o.Span)
			if o.Node != nil && o.Node.Rules != nil {
				fmt.Fprintln(&b, o.Node.Rules.Program)
			}
		}
	}
	return b.String()
}
