package repl

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ein/internal/corpus"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/tensor"
)

// folder is a file system in memory.
type folder map[string]string

func (f folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	text, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

func (f folder) Write(name string, data []byte) error {
	f[name] = string(data)
	return nil
}

func (f folder) Same(a, b string) bool {
	_, ok := f[a]
	return ok && a == b
}

func (f folder) Complete(prefix string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if strings.HasPrefix(name, prefix) {
			out = append(out, name)
		}
	}
	return out
}

// render is a reply as a terminal shows it.
func render(t testing.TB, r Reply) string {
	t.Helper()
	var b bytes.Buffer
	l := Loop{Out: to(&b), Err: &b, Interactive: true}
	if err := l.show(context.Background(), &r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// runProgram is what ein run prints of a program.
func runProgram(t testing.TB, s *Session, text string) (string, error) {
	t.Helper()
	m, p, err := lang.Load("saved.ein", text, lang.Options{Inputs: s.inputs, Labels: s.labels})
	if err != nil {
		return "", fmt.Errorf("%w: %v", err, p.Diags)
	}
	machine, err := vm.New(m, cost.Limits{})
	if err != nil {
		return "", err
	}
	var inputs []tensor.Value
	for _, in := range p.Inputs {
		inputs = append(inputs, *s.inputs[in.Name])
	}
	if err := machine.Bind(context.Background(), inputs); err != nil {
		return "", err
	}
	result, err := machine.Run(context.Background())
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i := range result.Outputs {
		opt := show.Options{Nodes: len(p.Labels) > 0, Labels: p.Labels}
		if err := show.Text(context.Background(), &b, &result.Outputs[i], opt); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// statement is a random statement, most often a right one.
func statement(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	m, m2, v := pick("A", "B", "C"), pick("A", "B", "C"), pick("v", "w")
	f := pick("f", "g")
	return pick(
		m+fmt.Sprintf(" = edges([[%d, %d], [%d, %d]], 4)", r.IntN(4), r.IntN(4), r.IntN(4), r.IntN(4)),
		m+"[i, k] = "+m+"[i, j] "+m2+"[j, k]",
		m+" += "+m2, m+"[i, j] max= "+m2+"[j, i]", m+"[i, k] min= "+m+"[i, j] + "+m2+"[j, k]",
		m+" = "+m2, m+" = tc("+m2+")", m+" = "+m2+" - 1", "_", "sum(_)", m, "tc("+m+")", "scc("+m+")[0, 1]",
		"desc("+m+", 0)", "path("+m+", 0, 2)", "argmax("+v+")", v+"[i] = "+m+"[i, j]", v+" = desc("+m+", n)",
		"n = 3", "n = n - 1", "ones(n)", "x = sum("+m+")", "x = x / 0", "x", ":print "+m+", x, _", ":print "+v,
		"def "+f+"(x) = tc(x)", "def "+f+"(x) = x + x", "def g(x) = f(x) + 1", "def "+f+"(x) = {\n  y = x + 1\n  y * y\n}",
		f+"("+m+")", m+" = "+f+"("+m2+")", "T[i, j, k] = "+m+"[i, j] "+m2+"[j, k]", "sum(T)", "where("+v+" > 0, "+v+", 0)",
		m+"[i, j] "+v+"[j]", m+"[0, 1]; x = 2; x", "# nothing", "transpose("+m+") // turned", "(1 +\n 2)", "s = size("+m+", 0)", "zeros(s)",
		"out_degree("+m+")", "tc(", m+"[i] = "+v+"[j]", "unknown", "def tc(x) = x", m+" = "+m+"[i, j] 1", "[[1, 2], [3, 4]]", ":type "+m, ":explain "+m, ":cost sum("+m+")",
	)
}

// TestSave holds a session against its program: what it printed on the way is what
// ein run prints, and each name has the value that it has there.
func TestSave(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := New(Config{})
		var out strings.Builder
		var log []string
		for range 3 + r.IntN(25) {
			text := statement(r)
			reply := s.Eval(context.Background(), text)
			if reply.Bug != "" {
				t.Fatalf("seed %d: %s\n%s", seed, text, reply.Bug)
			}
			log = append(log, text)
			if !isCommand(text) {
				out.WriteString(printed(reply))
			}
		}
		compareSaved(t, s, out.String(), fmt.Sprintf("seed %d: %s", seed, strings.Join(log, "\n")))
	}
}

// compareSaved runs a session's program and compares it with what was printed and
// what is kept.
func compareSaved(t testing.TB, s *Session, printed, name string) {
	t.Helper()
	text := s.Program("saved.ein")
	if printed != "" {
		got, err := runProgram(t, s, text)
		if err != nil {
			t.Fatalf("%s\nthe program\n%s\n%v", name, text, err)
		}
		// Reals may be added in another order when statements are compiled together.
		if err := corpus.Match(printed, got); err != nil {
			t.Fatalf("%s\n%v\nthe session printed\n%s\nits program\n%s\n%s", name, err, printed, got, text)
		}
	}
	for n, v := range s.kept {
		finite := true
		for _, x := range v.ToDense() {
			finite = finite && x-x == 0
		}
		if !finite {
			continue // it cannot be printed
		}
		var want strings.Builder
		o := vm.Output{Name: n, Form: s.definition(n).Form, Value: v}
		opt := show.Options{Nodes: len(s.program.Labels) > 0, Labels: s.program.Labels}
		if err := show.Text(context.Background(), &want, &o, opt); err != nil {
			t.Fatal(err)
		}
		got, err := runProgram(t, s, text+"\n:print "+n+"\n")
		lines := strings.SplitAfter(got, "\n")
		tail := strings.Join(lines[max(0, len(lines)-1-strings.Count(want.String(), "\n")):], "")
		if err != nil || corpus.Match(want.String(), tail) != nil {
			t.Fatalf("%s\n%s is\n%s\nin the program\n%s\n%v\n%s", name, n, want.String(), got, err, text)
		}
	}
}

// TestRedefinition checks that what used a function, input or tensor keeps the old one.
func TestRedefinition(t *testing.T) {
	files := folder{"a.csv": "source,target\nann,bob\n", "b.csv": "source,target\nbob,cy\n"}
	s := New(Config{Files: files})
	var out strings.Builder
	for _, e := range []string{
		"def f(x) = x + 1", "def g(x) = f(x) * 10", "y = f(1)", "def f(x) = x + 2", "y", "g(1)", "f(1)", "def f(x) = g(x)", "f(1)",
	} {
		r := s.Eval(context.Background(), e)
		if r.Failed {
			t.Fatalf("%s: %s", e, render(t, r))
		}
		out.WriteString(printed(r))
	}
	if want := "_ = 2\n_ = 20\n_ = 3\n_ = 20\n"; out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
	compareSaved(t, s, out.String(), "functions")

	s = New(Config{Files: files})
	out.Reset()
	for _, e := range []string{":input A a.csv", "B = tc(A)", ":input A b.csv", ":print A, B"} {
		r := s.Eval(context.Background(), e)
		if r.Failed {
			t.Fatalf("%s: %s", e, render(t, r))
		}
		out.WriteString(printed(r))
	}
	want := "A =\n       ann  bob  cy\n  ann    0    0   0\n  bob    0    0   1\n  cy     0    0   0\n" +
		"B =\n       ann  bob  cy\n  ann    0    1   0\n  bob    0    0   0\n  cy     0    0   0\n"
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
	compareSaved(t, s, out.String(), "inputs")
}

// TestNameOfLanguage checks that a function keeps calling what it called, if that is of
// the language.
func TestNameOfLanguage(t *testing.T) {
	s := New(Config{})
	var out strings.Builder
	for _, entry := range []string{
		"A = edges([[0, 1], [1, 2]], 3)",
		"def size_of(x) = sum(x)",
		"def tc(x) = x",
		"def f(x) = sum(tc(x))",
		"def tc(x) = x + x",
		"f(A); sum(tc(A))",
		"def sum(x) = 1",
		"size_of(A); sum(A)",
		"def g(x) = reach(x, 0)\ndef reach(x, i) = sum(x)", // as in a file
		"def reach(x, i) = 2",
		"g(A); reach(A, 0)",
	} {
		r := s.Eval(context.Background(), entry)
		if r.Failed {
			t.Errorf("%s: %s", entry, render(t, r))
		}
		out.WriteString(printed(r))
	}
	if want := "_ = 2\n_ = 4\n_ = 2\n_ = 1\n_ = 1\n_ = 2\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	compareSaved(t, s, out.String(), "names of the language")
}

// TestSaveUnfinished says what a saved program still lacks.
func TestSaveUnfinished(t *testing.T) {
	files := folder{}
	s := New(Config{Files: files})
	for _, e := range []string{"Q(x) <- Owns(x, _), Sold(x).", "Owns(ann, bob)."} {
		if r := s.Eval(context.Background(), e); r.Failed {
			t.Fatal(render(t, r))
		}
	}
	const note, warning = "2 statements written to q.ein\n", "warning[E0801]: the program does not run yet: there is no relation `Sold`\n --> q.ein:3\n"
	if r := s.Eval(context.Background(), ":save q.ein"); r.Failed || r.Note != note || !strings.Contains(render(t, r), warning) || !strings.Contains(files["q.ein"], "Owns(ann, bob).") {
		t.Errorf("%s\n%s", render(t, r), files["q.ein"])
	}
	s.Eval(context.Background(), "Sold(ann).\nQ(x)?")
	if r := s.Eval(context.Background(), ":save p.ein"); r.Note != "4 statements written to p.ein\n" {
		t.Errorf("%s", render(t, r))
	}
	again, saved := New(Config{Files: files}), files["p.ein"]
	again.Eval(context.Background(), ":load p.ein")
	if got := again.Program("p.ein"); got != saved {
		t.Errorf("saved again:\n%s\nwant\n%s", got, saved)
	}
}

// TestLoadTwice loads a program whose names the session has.
func TestLoadTwice(t *testing.T) {
	files := folder{"a.csv": "0,1\n", "b.csv": "0,1\n1,2\n", "p.ein": "input A: graph\nT = tc(A)\nsum(T)\n"}
	s := New(Config{Files: files})
	files["p.ein"] = "input A: graph // it\nT = sum(tc(A))\n:print T\n"
	var out strings.Builder
	for _, e := range []string{":load p.ein A=a.csv", "B = A", ":load p.ein A=b.csv", ":print sum(B), sum(A)"} {
		r := s.Eval(context.Background(), e)
		if r.Failed {
			t.Fatalf("%s: %s", e, render(t, r))
		}
		out.WriteString(printed(r))
	}
	if want := "T = 1\nT = 3\nsum(B) = 1\nsum(A) = 2\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	compareSaved(t, s, out.String(), "loaded twice")
	if r := s.Eval(context.Background(), ":load p.ein"); !r.Failed || !strings.Contains(render(t, r), "the input `A` has no value\n --> p.ein:1:1\n  |\n1 | input A: graph // it\n") {
		t.Errorf("without data: %s", render(t, r))
	}
}

// TestReload changes a file of facts and rules and loads it again: answers are those of a session that
// knows only what the file says now.
func TestReload(t *testing.T) {
	lines := []string{"E(a, b).", "E(b, c).", "E(c, a).", "E(c, d).", "E(zed, a).", "F(x, y) <- E(x, y).", "F(x, z) <- F(x, y), E(y, z).",
		"S[x] += 1 <- E(x, _).", "N(x, count()) <- F(x, _).", "Mine(e) <- E(e, _)."}
	queries := []string{"E(x, y)?", "F(x, y)?", "S[x]?", "N(x, n)?", "Mine(x)?"}
	r, files := rand.New(rand.NewPCG(1, 2)), folder{}
	ask := func(s *Session, entry string) string { return printed(s.Eval(context.Background(), entry)) }
	s := New(Config{Files: files})
	ask(s, "Mine(x) <- F(x, y), S[y] > 0.\nE(d, e).")
	for range 40 {
		text := ""
		for _, line := range lines {
			if r.IntN(3) > 0 {
				text += line + "\n"
			}
		}
		files["p.ein"] = text
		ask(s, ":load p.ein")
		only := New(Config{Files: files})
		ask(only, "Mine(x) <- F(x, y), S[y] > 0.\nE(d, e).\n")
		ask(only, ":load p.ein")
		for _, q := range queries {
			if got, want := ask(s, q), ask(only, q); got != want {
				t.Fatalf("%s of\n%s is\n%s, want\n%s", q, text, got, want)
			}
		}
		ask(s, "T = [1, 2]; C[x] = sum(S) * S[x]; D = tc(E)")
	}
}

// TestCommandPlaces checks that what is wrong with the argument of a command is shown
// as it was entered.
func TestCommandPlaces(t *testing.T) {
	s := New(Config{})
	for _, command := range []string{"plot", "full", "type", "cost", "explain", "dis", "time", "why"} {
		argument := "Q"
		if command == "why" {
			argument = "desc(Q, 0)"
		}
		text := render(t, s.Eval(context.Background(), ":"+command+" "+argument))
		if !strings.Contains(text, "| "+argument+"\n") || strings.Contains(text, "print") {
			t.Errorf(":%s shows\n%s", command, text)
		}
	}
	for _, entry := range []string{":plot 1; 2", ":plot x = [1, 2]", ":plot [1], [2]", ":plot [[1, 2]]; :print 3"} {
		if r := s.Eval(context.Background(), entry); !r.Failed || s.value("x") != nil {
			t.Errorf("%s: %s", entry, render(t, r))
		}
	}
	// New nodes: what is kept is computed again, and is not what is drawn.
	s.Eval(context.Background(), `A = edges([["a", "b"]])`)
	if r := s.Eval(context.Background(), `:plot out_degree(edges([["c", "d"]]))`); !strings.Contains(printed(r), "  c  1") {
		t.Errorf("%s", render(t, r))
	}
}

// TestNewNodes checks that a new label makes every graph larger, as it does in a
// program.
func TestNewNodes(t *testing.T) {
	s := New(Config{})
	for _, e := range []string{`A = edges([["a", "b"]])`, "T = tc(A)", `B = edges([["b", "c"]])`} {
		if r := s.Eval(context.Background(), e); r.Failed {
			t.Fatal(render(t, r))
		}
	}
	if got := s.kept["T"].Shape; got != tensor.ShapeOf(3, 3) {
		t.Errorf("T is %v", got)
	}
	compareSaved(t, s, "", "labels")
}

// TestNewFacts checks that a tensor of a relation and a query after it, both computed for a fact of new nodes,
// each read the rows that the relation has there, of facts and of a tensor with two values.
func TestNewFacts(t *testing.T) {
	s := New(Config{})
	for _, c := range [][2]string{
		{`E("a", "b").`, ""},
		{"G = sum(E)", "G: scalar integer\n"},
		{`E("c", "d"). E(x, "d")?`, "E(x, \"d\") = {c}\n"},
		{`E(x, y), x != "z"?`, "E(x, y), x != \"z\"? 2 rows\n  x  y\n  a  b\n  c  d\n"},
		{"G", "_ = 1\n"},
		{`A = edges([["a", "b"]])`, "A: 4x4 0/1, 1 edge\n"},
		{"F(x, y) <- A(x, y).", ""},
		{"n = sum(F)", "n: scalar integer\n"},
		{`A = edges([["a", "b"], ["b", "c"]])`, "A: 4x4 0/1, 2 edges\n"},
		{"m = sum(F)", "m: scalar integer\n"},
		{`E("e", "f").`, ""},
		{"n + 10 * m", "_ = 21\n"},
	} {
		r := s.Eval(context.Background(), c[0])
		if got := printed(r); got != c[1] && r.Note != c[1] {
			t.Errorf("%s\n got %q\nwant %q", c[0], got, c[1])
		}
	}
}

// TestManyFacts enters facts that each bring a new node, with rules and queries between
// them. A check of all entries one by one for every new node took hours for thousands.
func TestManyFacts(t *testing.T) {
	s := New(Config{})
	eval := func(entry, want string) {
		t.Helper()
		if got := printed(s.Eval(context.Background(), entry)); got != want {
			t.Errorf("%s\n got %q\nwant %q", entry, got, want)
		}
	}
	n := 600
	if testing.Short() {
		n = 200
	}
	for i := range n {
		eval(fmt.Sprintf("Next(\"n%d\", \"n%d\").", i, i+1), "")
		eval("Next(\"n0\", x)", "Next(\"n0\", x) = {n1}\n")
		if i == n/2 {
			s.Eval(context.Background(), "Far(x, y) <- Next(x, y). Far(x, z) <- Far(x, y), Next(y, z).")
			eval("G = sum(Far)", "")
		}
	}
	eval("G", fmt.Sprintf("_ = %d\n", (n/2+1)*(n/2+2)/2))
	eval("sum(Far)", fmt.Sprintf("_ = %d\n", n*(n+1)/2))
	eval(fmt.Sprintf("Far(\"n%d\", \"n0\")?", n), fmt.Sprintf("Far(\"n%d\", \"n0\")? no\n", n))
}

// TestGrownSession enters random facts, rules and queries beside data, and requires the replies of a
// session in which a statement behind each entry has everything checked again.
func TestGrownSession(t *testing.T) {
	files := folder{"p.csv": "s,t,n,w\nann,bob,1,red\nbob,cy,2,\ncy,dan,3,Ann\n"}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		pick := func(list ...string) string { return list[r.IntN(len(list))] }
		v := func() string { return pick("x", "x", "y", "z", "_", `"ann"`, `"new"`) }
		c := func() string { return pick("ann", "bob", "dan", `"new"`, "other", "red") }
		got, want := New(Config{Files: files}), New(Config{Files: files})
		start := pick(":input P(s: node, t: node, n: int, w: text) p.csv", "", "E(ann, bob).", "v = ones(2)")
		for k := range 40 {
			body := pick("P("+v()+", "+v()+", i, _)", "E("+v()+", "+v()+")", "R("+v()+")", "E(x, y), not R(x)", "P(x, y, _, w)", "S(x, i)", "E(x, y), x < "+c())
			entry := pick("E("+c()+", "+c()+").", "E("+c()+", "+c()+").", "S("+c()+", "+pick("1", "2", "2.5")+").", "R("+c()+").", "R("+v()+") <- "+body+".",
				"S(x, count()) <- "+body+".", "S(x, i) <- "+body+".", "E("+v()+", "+v()+") <- "+body+".", body+"?", "T(w, "+c()+") <- "+body+".", "T("+c()+", "+c()+").", "T(x, y)?", "R(x)?")
			if k == 0 {
				entry = start
			}
			a := got.Eval(context.Background(), entry)
			if !strings.HasPrefix(entry, ":") {
				entry += "; zz = 0"
			}
			b := want.Eval(context.Background(), entry)
			text := func(r Reply) string {
				list := []string{fmt.Sprint(r.Failed, r.Bug), printed(r)}
				for _, d := range r.Diags {
					list = append(list, string(d.Code)+d.Message)
				}
				return strings.Join(list, "\n")
			}
			if text(a) != text(b) {
				t.Fatalf("seed %d: after\n%s%s\n%s\nchecked again:\n%s", seed, got.file.Text, entry, text(a), text(b))
			}
		}
	}
}

// TestManyNodes enters hundreds of statements beside data of many nodes, which no
// statement may go through.
func TestManyNodes(t *testing.T) {
	const n = 200_000
	data := []byte("s,t\n")
	for i := range n {
		data = fmt.Appendf(data, "n%d,n%d\n", i, i+1)
	}
	s := New(Config{Files: folder{"p.csv": string(data)}})
	for _, entry := range []string{":input P(s: node, t: node) p.csv", "F(x) <- P(x, \"n1\")."} {
		if r := s.Eval(context.Background(), entry); r.Failed {
			t.Fatal(entry, r.Diags)
		}
	}
	for i := range 400 {
		if got, want := printed(s.Eval(context.Background(), fmt.Sprintf("%d + 1", i))), fmt.Sprintf("_ = %d\n", i+1); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	if got := printed(s.Eval(context.Background(), "F(x)?")); got != "F(x) = {n0}\n" {
		t.Error(got)
	}
}

// TestRuleFirst enters rules before what they name, as a file may have them.
func TestRuleFirst(t *testing.T) {
	s := New(Config{})
	for _, c := range []struct{ entry, want string }{
		{`Edge(a, b). Edge(b, c).`, ""},
		{`Odd(x) <- Even(y), Edge(y, x).`, "nothing defines `Even` yet"},
		{`Odd(x)?`, "`Odd(x)?` needs `Even`, which nothing defines yet"},
		{`n = sum(Odd)`, "`Odd` needs `Even`, which nothing defines yet"},
		{`Eden(c).`, ""}, // what comes later makes no slip of it
		{`Even(x) <- Odd(y), Edge(y, x).`, ""},
		{`Even(a).`, ""},
		{`Odd(x)?`, "Odd(x) = {b}\n"},
		{`Even(x)?`, "Even(x) = {a, c}\n"},
		{`High(x) <- Edge(x, _), Weight[x] > 1.`, "nothing defines `Weight` yet"},
		{`Weight = [1, 2, 3]`, ""},
		{`High(x)?`, "High(x) = {b}\n"},
		{`Near(x) <- Edgy(x, _).`, "there is no relation `Edgy`"}, // it would stay
		{`Near(x) <- abs(x), Edge(x, _).`, "there is no relation `abs`"},
		{`Near(x)?`, "there is no relation `Near`"},
	} {
		r := s.Eval(context.Background(), c.entry)
		got := printed(r)
		if len(r.Diags) > 0 {
			got = r.Diags[0].Message
		}
		if got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.entry, got, c.want)
		}
	}
}

// TestConformance enters the programs of the corpus statement by statement.
func TestConformance(t *testing.T) {
	for _, c := range corpus.Cases() {
		if len(c.Inputs) > 0 || c.Error != "" || strings.Contains(c.Want, "...") {
			continue
		}
		s := New(Config{})
		var out strings.Builder
		failed := false
		opt := lang.Options{Labels: c.Labels}
		if len(c.Labels) > 0 {
			continue // they come from the host
		}
		f := lang.Parse("", c.Source, opt)
		p := lang.Check(f, opt)
		if slices.ContainsFunc(p.Diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }) {
			t.Fatalf("%s does not check", c.Name)
		}
		labels := check.ProgramLabels(f)
		if len(labels) > 0 {
			// All nodes have to be there from the start.
			var b strings.Builder
			for i, l := range labels {
				if i > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(&b, "[%q, %q]", l, l)
			}
			s.Eval(context.Background(), "all_nodes = edges(["+b.String()+"])")
		}
		for _, st := range f.Stmts {
			r := s.Eval(context.Background(), c.Source[st.Pos().Start:st.Pos().End])
			if r.Bug != "" {
				t.Fatalf("%s: %s", c.Name, r.Bug)
			}
			if r.Failed {
				t.Errorf("%s: %s", c.Name, render(t, r))
				failed = true
				break
			}
			out.WriteString(printed(r))
		}
		if !failed {
			compareSaved(t, s, out.String(), c.Name)
		}
	}
}

// FuzzSession enters random lines: nothing panics, and what fails changes nothing.
func FuzzSession(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		var b strings.Builder
		for range 6 {
			b.WriteString(statement(r) + "\x00")
		}
		f.Add(b.String())
	}
	for _, c := range commands() {
		f.Add("A = [[0, 1], [1, 0]]\x00:" + c.name + " A\x00:" + c.name + "\x00:" + c.name + " a.csv b.svg")
	}
	f.Add(":input A a.csv\x00:why has_path(A, 0, 1)\x00:load p.ein A=a.csv")
	f.Add("\xff\x00\"\x00:\x00::\x00: print\x00:print\x00;\x00def\x00{\x00}")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		s := New(Config{
			Limits: cost.Limits{MaxOps: 1e6, MaxBytes: 1 << 22},
			Files:  folder{"a.csv": "0,1\n1,2\n", "p.ein": "input A: graph\ntc(A)\n"},
		})
		for entry := range strings.SplitSeq(text, "\x00") {
			before, names := s.file.Text, slices.Sorted(maps.Keys(s.kept))
			s.Incomplete(entry)
			s.Complete(entry, len(entry))
			Paint(entry)
			r := s.Eval(context.Background(), entry)
			if r.Bug != "" {
				t.Fatalf("%q: %s", entry, r.Bug)
			}
			if r.Failed && len(r.Diags) == 0 {
				t.Fatalf("%q failed without a reason", entry)
			}
			if r.Failed && (s.file.Text != before || !slices.Equal(names, slices.Sorted(maps.Keys(s.kept)))) {
				t.Fatalf("%q failed and changed the session", entry)
			}
			_ = render(t, r)
		}
		if lang.Parse("", s.Program("x.ein"), lang.Options{}).Diags.HasErrors() {
			t.Fatalf("the session is not a program: %s", s.Program("x.ein"))
		}
	})
}

// TestTooManyStatements checks that a session never outgrows what a program may be.
func TestTooManyStatements(t *testing.T) {
	s := New(Config{})
	r := s.Eval(context.Background(), strings.Repeat("1\n", 5001))
	if !r.Failed || !r.Limit || len(r.Diags) != 1 || r.Diags[0].Code != "E0504" {
		t.Errorf("%s", render(t, r))
	}
	if r = s.Eval(context.Background(), "1"); printed(r) != "_ = 1\n" {
		t.Errorf("%s", render(t, r))
	}
}

// TestMemory checks that what is kept counts: a session cannot fill up the memory
// with values that are each small enough.
func TestMemory(t *testing.T) {
	s := New(Config{Limits: cost.Limits{MaxBytes: 1 << 20}})
	var r Reply
	for i := range 40 {
		if r = s.Eval(context.Background(), fmt.Sprintf("v%d = ones(100, 100) * 0.5", i)); r.Failed {
			break
		}
	}
	if text := render(t, r); !r.Failed || !strings.Contains(text, "E0530") || !strings.Contains(text, "Other values of the session take") {
		t.Errorf("%s", text)
	}
	if r = s.Eval(context.Background(), "sum(v0)"); r.Failed {
		t.Errorf("%s", render(t, r))
	}
}

// TestMemoryCount counts what is kept beside an entry: all but what the entry reads.
func TestMemoryCount(t *testing.T) {
	s := New(Config{Files: folder{"a.csv": "0,1\n1,2\n"}})
	for _, e := range []string{":input A a.csv", "B = A", "A = ones(100, 100) * 0.5", "x = 1", "x = 2"} {
		if r := s.Eval(context.Background(), e); r.Failed {
			t.Fatal(render(t, r))
		}
	}
	var all uint64
	for _, v := range s.kept {
		all += size(v)
	}
	if s.bytes != all {
		t.Errorf("%d bytes are kept, counted %d", all, s.bytes)
	}
	all += size(s.inputs["A"])
	for entry, read := range map[string]uint64{
		"1": 0, "sum(A)": size(s.kept["A"]), "sum(B)": size(s.inputs["A"]), "sum(A) + sum(B)": size(s.kept["A"]) + size(s.inputs["A"]),
	} {
		next := s.state
		e := s.extend(&next, entry, "", 1)
		c, err := s.compile(&next, e)
		if err != nil {
			t.Fatal(err)
		}
		if got := next.others(c); got != all-read {
			t.Errorf("beside %s are %d bytes, want %d", entry, got, all-read)
		}
	}
}

// TestNameOfDomain: a name that was a node before a later rule gave its column another domain is none.
func TestNameOfDomain(t *testing.T) {
	files := folder{"a.csv": "of,word\nann,Red\nann,Red\n", "b.csv": "of\nbob\n"}
	s := New(Config{Files: files})
	var last Reply
	for _, e := range []string{
		":input Says(of: node, word: text) a.csv", ":input Also(of: node) b.csv", `Kind("Blue") <- Later(_).`, "Kind(w) <- Says(_, w).", "Later(ann).", "Kind(w)?", "v[x] = 2 - Also[x]", "v[x] = n?",
	} {
		if last = s.Eval(context.Background(), e); last.Failed {
			t.Fatalf("%s: %s", e, render(t, last))
		}
		if strings.HasPrefix(e, ":input") && strings.Count(render(t, last), "repeated") != map[bool]int{true: 2}[strings.Contains(e, "Says")] {
			t.Errorf("%s: %s", e, render(t, last))
		}
	}
	if r := s.Eval(context.Background(), ":tensors"); strings.Contains(r.Out, "Says") {
		t.Errorf("the tensors are %s", r.Out)
	}
	if r := s.Eval(context.Background(), ":input More(of: node) b.csv"); !strings.HasPrefix(r.Note, "More: relation of 1 column, 1 row\n") {
		t.Errorf("%s", render(t, r))
	}
	if got, want := printed(last), "v[x] = n? 2 rows\n  x    n\n  ann  2\n  bob  1\n"; got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

// TestLaterRelation: what a rule names before it is there may have any number of columns.
func TestLaterRelation(t *testing.T) {
	s := New(Config{})
	var last Reply
	for _, e := range []string{"Q(x) <- Yes(), Wide(x, _, _, _, _, _, _, _).", "Z(a).", "Z(x)?", "Yes().", "Wide(1, 2, 3, 4, 5, 6, 7, 8).", "Q(x)?"} {
		if last = s.Eval(context.Background(), e); last.Failed {
			t.Fatalf("%s: %s", e, render(t, last))
		}
	}
	if got := printed(last); got != "Q(x) = {1}\n" {
		t.Errorf("printed %q", got)
	}
}

// TestQueryJoins: a query that joins a column of names with one of texts does so for itself.
func TestQueryJoins(t *testing.T) {
	s := New(Config{Files: folder{"a.csv": "of,word\nann,Red\n"}})
	var out strings.Builder
	for _, e := range []string{
		":input Says(of: node, word: text) a.csv", `Kind("Blue") <- Says(_, _).`, "Kind(x), Says(_, y), x > y?", "Kind(x)?", `Kind("Green").`, "Kind(x)?", "v[x] = 2 - Kind[x]", "v[x] = n?",
	} {
		r := s.Eval(context.Background(), e)
		if r.Failed {
			t.Fatalf("%s: %s", e, render(t, r))
		}
		out.WriteString(printed(r))
	}
	if got, want := out.String(), "Kind(x), Says(_, y), x > y? 0 rows\nKind(x) = {Blue}\nKind(x) = {Blue, Green}\nv[x] = n? 3 rows\n  x      n\n  Blue   1\n  Green  1\n  ann    2\n"; got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

// TestGraphConstant: a node of a graph is a constant in a query, as in a file.
func TestGraphConstant(t *testing.T) {
	for _, entries := range [][]string{
		{"E(dan, bob).", `A = edges([["y", "gus"], ["gus", "dan"]])`, "E(x, y)?", "A(y, z)?"},
		{"E(dan, bob).", "A = edges([[\"y\", \"gus\"]])\nE(x, y)?", "sum(A)", "E(x, y), not A(_, y)?"},
		{`A = edges([["y", "gus"]])`, "E(dan, bob).", "E(bob, dan).", "E(x, y)?", "E(x, z)?"},
	} {
		s := New(Config{})
		var out strings.Builder
		for _, e := range entries {
			out.WriteString(printed(s.Eval(context.Background(), e)))
		}
		compareSaved(t, s, out.String(), "constants of graphs")
	}
}

// TestWhyOfRelations: what is no row is told what it is, or what it lacks.
func TestWhyOfRelations(t *testing.T) {
	s := New(Config{Files: folder{"a.csv": "of,word\nann,Red\n", "b.csv": "from,to\nann,bob\n"}})
	for _, c := range [][2]string{
		{":input Says(of: node, word: text) a.csv", "Says: relation of 2 columns, 1 row"},
		{":input Pays(from: node, to: node) b.csv", "Pays: relation of 2 columns, 1 row"},
		{"Owns(ann, bob).\nHas(x, y) <- Owns(x, y).\nn = count(Pays)", ""},
		{":why Says", "Says: relation of 2 columns, 1 row, from a.csv"},
		{":why Pays(\"ann\", \"bob\")", "1  Pays(\"ann\", \"bob\")  b.csv:2"},
		{":why n", "Pays: relation of 2 columns, 1 row, from b.csv"},
		{":why Has", "`Has` is a relation, and `:why` explains one row"},
		{":why Hsa(\"ann\", \"bob\")", "there is no relation `Hsa`"},
		{":why f(1)", "there is no relation `f`"},
		{"Owns(ann, bob)?\n:why Owns(ann, bob)\nHas(ann, x)?", "Owns(ann, bob)? yes\n:why Owns(ann, bob): yes, in 1 step\n  1  Owns(\"ann\", \"bob\")  fact, line 3\nHas(ann, x) = {bob}\n"},
	} {
		if r := s.Eval(context.Background(), c[0]); r.Bug != "" || !strings.Contains(render(t, r), c[1]) {
			t.Errorf("%s: %s%s", c[0], render(t, r), r.Bug)
		}
	}
}

// TestMixedEntry: a number beside labels is a node, in an entry of more than rules too, and a rule in the words
// of another language is refused.
func TestMixedEntry(t *testing.T) {
	s := New(Config{})
	for _, c := range [][2]string{
		{"D[\"a\"] min= 0.", ""},
		{"E(0, 1). E(1, 2).\nT = tc(E)\nQ(x, y) <- T(x, y), not E(x, y).\nQ(x, y)?", "0  2"},
		{"Age(ann, 41).\nB(x) <- Age(x, a) AND a > 18.\nB(x)?", "`Age(x, a) AND a` is not allowed in a rule"},
	} {
		if r := s.Eval(t.Context(), c[0]); r.Bug != "" || !strings.Contains(render(t, r), c[1]) {
			t.Errorf("%s: %s%s", c[0], render(t, r), r.Bug)
		}
	}
}

// TestSearchCounts: what :why looks at itself is among the operations of a session, and within its limit.
func TestSearchCounts(t *testing.T) {
	for _, graph := range []string{"A = edges([[0, 1], [1, 2]], 50)", "A = edges([[0, 1], [1, 2]], 1000000)"} {
		for _, ask := range []string{":why has_path(A, 0, 2)", ":why anc(A, 2)", ":why bridges(A)[0, 1]"} {
			s := New(Config{})
			s.Eval(t.Context(), graph)
			before := s.Spent()
			if r := s.Eval(t.Context(), ask); r.Failed {
				t.Fatalf("%s: %s", ask, render(t, r))
			}
			after := s.Spent()
			if after.Ops-before.Ops < 50 || after.Ops > after.Bound {
				t.Errorf("%s: %s: %d operations of at most %d", graph, ask, after.Ops-before.Ops, after.Bound)
			}
			s = New(Config{Limits: cost.Limits{MaxOps: before.Bound + 40}})
			s.Eval(t.Context(), graph)
			if r := s.Eval(t.Context(), ask); !r.Failed || !r.Limit || len(r.Diags) != 1 || r.Diags[0].Code != "E0531" {
				t.Errorf("%s: %s within a limit: %s", graph, ask, render(t, r))
			}
		}
	}
}
