package stdlib_test

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ein/lang"
	"ein/lang/show"
	"ein/stdlib"
	"ein/vm"
	"ein/vm/cost"
)

// output runs a program one way and gives what it prints.
func output(t *testing.T, text string, noOpt bool) string {
	t.Helper()
	mod, p, err := lang.Load("t.ein", text, lang.Options{NoOpt: noOpt, Workers: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	m, err := vm.New(mod, cost.Limits{MaxBytes: 1 << 24})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(context.Background())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var b bytes.Buffer
	for i := range r.Outputs {
		if err := show.Text(context.Background(), &b, &r.Outputs[i], show.Options{Labels: p.Labels}); err != nil {
			t.Fatal(err)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// TestExamples: the example of every function prints what the table says.
func TestExamples(t *testing.T) {
	for i := range stdlib.Builtins {
		b := &stdlib.Builtins[i]
		t.Run(b.Name, func(t *testing.T) {
			if b.Doc == "" || b.Group == "" || b.Cost == "" || b.Result == "" || b.Example == "" {
				t.Errorf("%+v has no words", b)
			}
			if !strings.Contains(b.Example, b.Name) {
				t.Errorf("the example does not call it: %s", b.Example)
			}
			for _, noOpt := range []bool{false, true} {
				if got := output(t, b.Example, noOpt); got != b.Output {
					t.Errorf("%s\nprints\n%s\nthe table says\n%s", b.Example, got, b.Output)
				}
			}
			if stdlib.Lookup(b.Name) != b {
				t.Error("not found by its name")
			}
		})
	}
	names := stdlib.Names()
	if !slices.IsSorted(names) || len(names) != len(stdlib.Builtins) || len(slices.Compact(names)) != len(stdlib.Builtins) {
		t.Errorf("names %v", names)
	}
	if stdlib.Lookup("nothing") != nil {
		t.Error("found what is not there")
	}
}

// TestArity: a call with fewer or more arguments than the table says is an
// error, never a panic.
func TestArity(t *testing.T) {
	for i := range stdlib.Builtins {
		b := &stdlib.Builtins[i]
		least, most := b.Arity()
		if sig := b.Signature(); !strings.HasPrefix(sig, b.Name+"(") || strings.Count(sig, "[") != strings.Count(sig, "]") {
			t.Errorf("signature %s", sig)
		}
		for _, n := range []int{least - 1, most + 1} {
			if n < 0 {
				continue
			}
			text := "x = " + b.Name + "(" + strings.TrimSuffix(strings.Repeat("1, ", n), ", ") + ")"
			if _, _, err := lang.Load("t.ein", text, lang.Options{}); err == nil {
				t.Errorf("%s is no error", text)
			}
		}
	}
}

// TestMisuse calls every function with arguments of every shape: each call is
// a program or an error.
func TestMisuse(t *testing.T) {
	args := []string{"1", "-1", "0.5", "1e300", "0/0", "[1,2,3]", "[[1,2],[3,4]]", "[[1,2,3],[4,5,6]]", "ones(0)", "sum([1,2])", `"a"`, "T", "zeros(0, 0)"}
	ran := 0
	for i := range stdlib.Builtins {
		b := &stdlib.Builtins[i]
		least, most := b.Arity()
		for n := least; n <= min(most, 3); n++ {
			total := 1
			for range n {
				total *= len(args)
			}
			step := max(1, total/400)
			for k := 0; k < total; k += step {
				list := make([]string, n)
				for at, rest := 0, k; at < n; at, rest = at+1, rest/len(args) {
					list[at] = args[rest%len(args)]
				}
				text := "v = [1,0]\nT[i,j,k] = v[i] v[j] v[k]\nx = " + b.Name + "(" + strings.Join(list, ", ") + ")"
				mod, _, err := lang.Load("t.ein", text, lang.Options{Workers: 1})
				if err != nil {
					continue
				}
				m, err := vm.New(mod, cost.Limits{MaxBytes: 1 << 24, MaxOps: 1e6})
				if err != nil {
					continue
				}
				if _, err := m.Run(context.Background()); err == nil {
					ran++
				}
			}
		}
	}
	t.Logf("%d calls ran", ran)
}

// TestSynonyms: a synonym is no function, and leads to one or to an expression that
// parses.
func TestSynonyms(t *testing.T) {
	for name, ours := range stdlib.Synonyms {
		text := ours
		if !strings.Contains(ours, " = ") {
			text = ":print " + ours
		}
		f := lang.Parse("t.ein", text+"\n", lang.Options{})
		switch {
		case stdlib.Lookup(name) != nil:
			t.Errorf("%s is a function", name)
		case f.Diags.HasErrors():
			t.Errorf("%s: %v", name, f.Diags)
		case !strings.ContainsAny(ours, "([") && stdlib.Lookup(ours) == nil && !strings.Contains(stdlib.Prelude, "def "+ours+"("):
			t.Errorf("%s leads to %s, which is not a function", name, ours)
		}
	}
}

// TestWithout: what there is not is neither a function nor a synonym, and the functions
// that are named instead are there.
func TestWithout(t *testing.T) {
	for name, why := range stdlib.Without {
		if stdlib.Lookup(name) != nil || stdlib.Synonyms[name] != "" {
			t.Errorf("there is %s", name)
		}
		for _, m := range regexp.MustCompile("`([a-z]+)[(`]").FindAllStringSubmatch(why, -1) {
			if stdlib.Lookup(m[1]) == nil && !strings.Contains(stdlib.Prelude, "def "+m[1]+"(") && m[1] != "input" && m[1] != "repeat" {
				t.Errorf("%s: %s is not a function", name, m[1])
			}
		}
	}
}

// TestPrelude: every function of the prelude is documented, and works.
func TestPrelude(t *testing.T) {
	const graph = "P = edges([[0,1],[0,2],[1,3],[1,4],[2,5]], 6)\n"
	want := map[string][2]string{
		"out_degree": {"out_degree(P)", "[2, 2, 1, 0, 0, 0]"},
		"in_degree":  {"in_degree(P)", "[0, 1, 1, 1, 1, 1]"},
		"sym":        {"sum(sym(P), 1)", "[2, 3, 2, 1, 1, 1]"},
		"complement": {"complement([1,0,1])", "[0, 1, 0]"},
		"both":       {"both([1,1,0], [1,0,0])", "[1, 0, 0]"},
		"only":       {"only([1,1,0], [1,0,0])", "[0, 1, 0]"},
		"either":     {"either([1,1,0], [1,0,0])", "[1, 1, 0]"},
		"parents":    {"parents(P, 3)", "[0, 1, 0, 0, 0, 0]"},
		"children":   {"children(P, 0)", "[0, 1, 1, 0, 0, 0]"},
		"siblings":   {"siblings(P, 3)", "[0, 0, 0, 0, 1, 0]"},
		"cousins":    {"cousins(P, 3)", "[0, 0, 0, 0, 0, 1]"},
		"roots":      {"roots(P)", "[1, 0, 0, 0, 0, 0]"},
		"leaves":     {"leaves(P)", "[0, 0, 0, 1, 1, 1]"},
		"topk":       {"topk([3,1,2,3], 2)", "[1, 0, 0, 1]"},
		"quantile":   {"quantile([3,1,2,4], 0.5)", "2.5"},
		"histogram":  {"histogram([0,1,2,4,9], 0, 4, 2)", "[2, 2]"},
		"mean_over":  {"mean_over([1,2,6], [1,0,1])", "3.5"},
	}
	for _, def := range regexp.MustCompile(`(?m)^// (\w+)\(.*\): .+\ndef (\w+)\(`).FindAllStringSubmatch(stdlib.Prelude, -1) {
		name := def[2]
		c, ok := want[name]
		if !ok || def[1] != name {
			t.Errorf("no case for %v", def[1:])
			continue
		}
		delete(want, name)
		for _, noOpt := range []bool{false, true} {
			if got := output(t, graph+"x = "+c[0]+"\n:print x", noOpt); got != "x = "+c[1] {
				t.Errorf("%s: %s, want %s", name, got, c[1])
			}
		}
	}
	for name := range want {
		t.Errorf("no documented function %s in the prelude", name)
	}
}

// TestRulesCard: the card is twelve lines, and a program that runs.
func TestRulesCard(t *testing.T) {
	if n := strings.Count(stdlib.RulesCard, "\n"); n != 12 {
		t.Errorf("%d lines", n)
	}
	const more = "Lone(v)?\nDegree(v, k)?\nHops[v] = k?\n"
	got := strings.Join(strings.Fields(output(t, stdlib.RulesCard+more, false)), " ")
	const want = `Far("ann", v) = {bob, cy} Lone(v) = {dan} Degree(v, k)? 2 rows v k ann 1 bob 1 Hops[v] = k? 3 rows v k ann 0 bob 1 cy 2`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
