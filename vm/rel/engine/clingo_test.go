package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"ein/internal/naive/rules"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/rel/engine"
	"ein/vm/tensor"
)

const askClingo = `
import json, sys
import clingo
for text, results in json.load(sys.stdin):
    c = clingo.Control(["--warn=none"])
    c.add("base", [], text)
    c.ground([("base", [])])
    with c.solve(yield_=True) as models:
        atoms = next(iter(models)).symbols(atoms=True)
    print(json.dumps([sorted([x.number for x in a.arguments] for a in atoms if a.name == r) for r in results]))
`

// asp is a program for clingo, not ok if it has what clingo lacks or means otherwise: real numbers,
// values, aggregates, an order of names.
func asp(p *rel.Program) (text string, ok bool) {
	var b strings.Builder
	for i := range p.Relations {
		r := &p.Relations[i]
		if r.Valued() || slices.ContainsFunc(r.Columns, func(c tensor.Column) bool { return c.Kind == tensor.RealColumn }) {
			return "", false
		}
		fmt.Fprintf(&b, "r%d(%s) :- #false.\n", i, strings.TrimSuffix(strings.Repeat("0,", len(r.Columns)), ","))
		if r.Facts == nil {
			continue
		}
		for row := range r.Facts.All() {
			cells := make([]string, len(row))
			for c, x := range row {
				cells[c] = fmt.Sprint(x)
			}
			fmt.Fprintf(&b, "r%d(%s).\n", i, strings.Join(cells, ","))
		}
	}
	term := func(t rel.Term) string {
		switch t.Kind {
		case rel.Variable:
			return fmt.Sprintf("V%d", t.Var)
		case rel.Any:
			return "_"
		}
		if t.Value != float64(int(t.Value)) {
			ok = false
		}
		return fmt.Sprint(t.Value)
	}
	var expr func(e *rel.Expr) string
	expr = func(e *rel.Expr) string {
		if len(e.Args) == 0 {
			return term(e.Term)
		}
		sign := map[op.Fn]string{op.FnAdd: "+", op.FnSub: "-", op.FnMul: "*"}[e.Fn]
		if sign == "" {
			ok = false
			return ""
		}
		return "(" + expr(&e.Args[0]) + sign + expr(&e.Args[1]) + ")"
	}
	ok = true
	for i := range p.Rules {
		r := &p.Rules[i]
		var head, body []string
		for k := range r.Head {
			if ok = ok && r.Head[k].Agg == rel.NoAgg; ok {
				head = append(head, expr(&r.Head[k].Expr))
			}
		}
		for k := range r.Body {
			switch l := &r.Body[k]; l.Kind {
			case rel.Bind:
				body = append(body, fmt.Sprintf("V%d = %s", l.Var, expr(&l.Left)))
			case rel.Compare:
				sign := map[op.Fn]string{op.FnEq: "=", op.FnNe: "!=", op.FnLt: "<", op.FnLe: "<=", op.FnGt: ">", op.FnGe: ">="}[l.Fn]
				named := false
				l.Left.Vars(func(v int) { named = named || r.Vars[v].Domain != nil })
				ok = ok && (!named || l.Fn == op.FnEq || l.Fn == op.FnNe)
				body = append(body, expr(&l.Left)+sign+expr(&l.Right))
			default:
				terms := make([]string, len(l.Terms))
				for c, t := range l.Terms {
					terms[c] = term(t)
				}
				atom := fmt.Sprintf("r%d(%s)", l.Rel, strings.Join(terms, ","))
				if l.Kind == rel.Not {
					atom = "not " + atom
				}
				body = append(body, atom)
			}
		}
		fmt.Fprintf(&b, "r%d(%s) :- %s.\n", r.Rel, strings.Join(head, ","), strings.Join(body, ", "))
	}
	return b.String(), ok
}

// TestClingo asks clingo for the rows of random programs.
func TestClingo(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err == nil {
		err = exec.Command(python, "-c", "import clingo").Run()
	}
	if err != nil {
		t.Skipf("needs python3 with clingo: %v", err)
	}
	type question struct {
		p    *rel.Program
		text string
		rows []string
	}
	var asked []question
	var questions [][2]any
	for seed := uint64(0); len(asked) < 200; seed++ {
		r := rand.New(rand.NewPCG(seed, 3))
		p := rules.Random(r)
		if seed%4 == 0 {
			p = rules.Closure(r)
		}
		text, ok := asp(p)
		if !ok {
			continue
		}
		tables, err := engine.New(p, nil).Run(&kernel.Ctl{}, nil, &engine.Budget{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		q := question{p: p, text: text}
		var names []string
		for i, table := range tables {
			names = append(names, fmt.Sprintf("r%d", p.Results[i]))
			rows := [][]float64{}
			for row := range table.All() {
				rows = append(rows, slices.Clone(row))
			}
			slices.SortFunc(rows, slices.Compare)
			q.rows = append(q.rows, fmt.Sprint(rows))
		}
		asked = append(asked, q)
		questions = append(questions, [2]any{text, names})
	}
	in, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", askClingo)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	d := json.NewDecoder(&out)
	for _, q := range asked {
		var want [][][]float64
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if text := fmt.Sprint(want[i]); text != q.rows[i] {
				t.Fatalf("result %d: %s, clingo says %s\n%v\n%s", i, q.rows[i], text, q.p, q.text)
			}
		}
	}
}
