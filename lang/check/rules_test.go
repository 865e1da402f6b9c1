package check

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/ir"
)

// randomRules is a program of facts, rules and queries that mostly fit.
func randomRules(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	odd := func(usual, other string) string { // of another type, now and then
		if r.IntN(40) == 0 {
			return other
		}
		return usual
	}
	number := func() string { return pick("0", "1", "2.5", "-3", "7") }
	node := func() string { return odd(pick("x", "y", "z", "x", "y", "_", `"a"`, `"b"`), pick("n", "3", "X")) }
	value := func() string { return odd(pick("n", "m", "n", number(), "_"), pick("x", "B")) }
	expr := func() string {
		n := pick("n", "m", number())
		return pick(n, n, n+" + "+number(), "floor("+n+")", "T["+pick("x", "y")+"]", "min("+n+", m)", n+" * "+n)
	}
	atom := func() string {
		return pick("E("+node()+", "+node()+")", "N("+value()+")", "P("+node()+", "+value()+")", "Q("+node()+")", "A("+node()+", "+value()+", "+node()+")",
			"T["+node()+"] = "+value(), "I("+node()+", "+value()+")")
	}
	literal := func() string {
		return pick(atom(), atom(), atom(), "not "+atom(), expr()+pick(" < ", " >= ", " == ", " != ")+expr(), pick("n", "m", "x")+" = "+expr())
	}
	body := func() string {
		list := make([]string, 1+r.IntN(3))
		for i := range list {
			list[i] = literal()
		}
		return strings.Join(list, ", ")
	}
	var b strings.Builder
	if r.IntN(3) == 0 {
		b.WriteString("input I(of: node, n: " + pick("int", "real") + ")\n")
	} else {
		b.WriteString("I(a, 2).\n")
	}
	fold := pick("min=", "max=", "+=")
	b.WriteString("E(a, b). E(b, c). N(" + pick("3", "2.5") + "). P(a, 1). Q(b). A(a, 1, c).\nT[" + `"a"` + "] " + fold + " " + number() + ".\n")
	for range 1 + r.IntN(3) {
		head := pick("P("+node()+", "+expr()+")", "Q("+node()+")", "A("+node()+", "+pick("count()", "sum("+expr()+")", "min("+expr()+")", "count("+node()+")", "mean("+expr()+")")+", "+node()+")",
			"T["+node()+"] "+fold+" "+expr())
		fmt.Fprintf(&b, "%s <- E(x, y), P(z, n), I(_, m), %s.\n", head, body())
	}
	for range r.IntN(3) {
		b.WriteString(body() + "?\n")
	}
	b.WriteString(":print " + pick("E", "P", "Q", "A", "T") + "\n")
	return b.String()
}

// TestRandomRules: what the checker lets pass the verifier of vm/rel does, which the
// checker itself asks; and the order of literals does not matter.
func TestRandomRules(t *testing.T) {
	good := 0
	n := uint64(20_000)
	if testing.Short() {
		n = 4000
	}
	for seed := range n {
		text := randomRules(rand.New(rand.NewPCG(seed, 3)))
		p := checkText(text, Config{})
		if p.Rules != nil {
			good++
		}
		for _, d := range p.Diags {
			if strings.Contains(d.Message, "cannot be run") {
				t.Fatalf("%s\n%s", d.Message, text)
			}
		}
	}
	if good < 20 {
		t.Errorf("only %d of %d programs check", good, n)
	}
	t.Logf("%d of %d programs check", good, n)
}

// TestAlternation: of rules and equations that alternate, each stage has the relations that it needs, so
// that a program of many takes time in proportion. The last one has all, for tools.
func TestAlternation(t *testing.T) {
	const n = 300
	var b strings.Builder
	b.WriteString("A0 = edges([[0, 1], [1, 2]], 3)\n")
	for i := range n {
		fmt.Fprintf(&b, "R%d(x, y) <- A%d(x, y).\nA%d[x, y] = R%d[y, x]\n", i, i, i+1, i)
	}
	fmt.Fprintf(&b, ":print A%d, R0\n", n)
	p := Check(syntax.Parse(source.NewFile("in.ein", b.String()), syntax.Options{}), Config{})
	if p.Diags.HasErrors() {
		t.Fatal(p.Diags)
	}
	relations, stages := 0, map[*ir.Rules]bool{}
	var see func(n *ir.Node)
	see = func(n *ir.Node) {
		if n.Rules != nil && !stages[n.Rules] {
			stages[n.Rules] = true
			relations += len(n.Rules.Relations)
		}
		for _, a := range n.Args {
			see(a)
		}
	}
	see(p.Outputs[0].Node)
	if len(stages) != n || relations > 4*n {
		t.Errorf("%d stages with %d relations", len(stages), relations)
	}
	if len(p.Rules.Relations) != 2*n {
		t.Errorf("%d relations in all", len(p.Rules.Relations))
	}
}
