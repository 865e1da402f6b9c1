package repl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"ein/internal/corpus"
	"ein/lang"
	"ein/vm/cost"
)

func background() (context.Context, func()) { return context.WithCancel(context.Background()) }

func to(w io.Writer) func(context.Context) io.Writer {
	return func(context.Context) io.Writer { return w }
}

// printed is what an entry printed.
func printed(r Reply) string {
	var b strings.Builder
	_ = r.Print(context.Background(), &b) // to memory
	return b.String()
}

// TestLoop is a session without a terminal.
func TestLoop(t *testing.T) {
	for _, test := range []struct {
		in, out string
		err     error
	}{
		{"", "", nil},
		{"1 + 1", "_ = 2\n", nil},
		{"1 +\r\n1\r\n", "_ = 2\n", nil},
		{"x\n1\n", "_ = 1\n", ErrFailed},
		{"x = (1,\n", "", ErrFailed},
		{"2\n:quit\n3\n", "_ = 2\n", nil},
		{":nothing\n", "", ErrFailed},
		{"\n\n  # only this\n;\n", "", nil},
		{"sum(ones(99, 99))\n1\n", "_ = 1\n", ErrLimit},
		{"sum(ones(99, 99))\nx\n", "", ErrFailed},
		{"x\nsum(ones(99, 99))\n", "", ErrFailed},
		{"A = [[0, 1], [0, 0]]\n:type A\n", "A: 2x2 0/1\n", nil},
	} {
		var out, errs bytes.Buffer
		l := Loop{Session: New(Config{Limits: cost.Limits{MaxOps: 1000}}), Lines: NewPlain(strings.NewReader(test.in)), Out: to(&out), Err: &errs, Context: background}
		err := l.Run()
		if out.String() != test.out || !errors.Is(err, test.err) || (errs.Len() > 0) != (test.err != nil) {
			t.Errorf("%q: printed %q and %q, error %v", test.in, out.String(), errs.String(), err)
		}
	}
}

// TestLoopStops is a time limit that passes while a value is shown: the entry
// counts, and the next one has its own time.
func TestLoopStops(t *testing.T) {
	var out, errs bytes.Buffer
	l := Loop{Session: New(Config{Full: true}), Lines: NewPlain(strings.NewReader("ones(500, 500)\n_[0, 0] + 1\n")), Out: to(&out), Err: &errs}
	l.Context = func() (context.Context, func()) {
		ctx, stop := context.WithCancelCause(context.Background())
		l.Out = to(writes{&out, func() { stop(errors.New("the time is over")) }})
		return ctx, func() { stop(nil) }
	}
	if err := l.Run(); !errors.Is(err, ErrLimit) || out.Len() > 1<<14 || !strings.HasSuffix(out.String(), "_ = 2\n") {
		t.Errorf("%v after %d bytes", err, out.Len())
	}
	if !strings.Contains(errs.String(), "E0533") || !strings.Contains(errs.String(), "the time is over, while the results were being shown: they are incomplete") {
		t.Errorf("%s", errs.String())
	}
}

// TestLoopInterrupted ends a session that is not on a terminal at the entry that is interrupted.
func TestLoopInterrupted(t *testing.T) {
	var out, errs bytes.Buffer
	l := Loop{Session: New(Config{}), Lines: NewPlain(strings.NewReader("1\n2\n3\n")), Out: to(&out), Err: &errs}
	entries := 0
	l.Context = func() (context.Context, func()) {
		ctx, stop := context.WithCancel(context.Background())
		if entries++; entries == 2 {
			stop()
		}
		return ctx, stop
	}
	l.Out = func(ctx context.Context) io.Writer { return ended{&out, ctx} }
	if err := l.Run(); !errors.Is(err, ErrFailed) || entries != 2 || !strings.Contains(errs.String(), "not read") || strings.Contains(errs.String(), "being shown") {
		t.Errorf("%v after %d entries: %s%s", err, entries, out.String(), errs.String())
	}
}

// ended takes no write, not even an empty one, once its context has ended.
type ended struct {
	io.Writer
	ctx context.Context
}

func (r ended) Write(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, r.ctx.Err()
	}
	return r.Writer.Write(p)
}

// writes does something at each write.
type writes struct {
	io.Writer
	then func()
}

func (w writes) Write(p []byte) (int, error) {
	w.then()
	return w.Writer.Write(p)
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }
func (broken) Read([]byte) (int, error)  { return 0, errors.New("gone") }

func TestLoopStreams(t *testing.T) {
	l := Loop{Session: New(Config{}), Lines: NewPlain(strings.NewReader("1\n")), Out: to(broken{}), Err: io.Discard, Context: background}
	if err := l.Run(); err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("writing: %v", err)
	}
	l.Lines = NewPlain(broken{})
	if err := l.Run(); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("reading: %v", err)
	}
}

// TestBug is what a panic does to a session: it loses the entry.
func TestBug(t *testing.T) {
	s := New(Config{Files: panics{}})
	var out, errs bytes.Buffer
	l := Loop{Session: s, Lines: NewPlain(strings.NewReader("x = 7\n:load it\nx\n")), Out: to(&out), Err: &errs, Context: background}
	if err := l.Run(); !errors.Is(err, ErrBug) {
		t.Errorf("error %v", err)
	}
	if out.String() != "_ = 7\n" || !strings.Contains(errs.String(), "a bug in ein") || !strings.Contains(errs.String(), "panics.Open") {
		t.Errorf("printed %q and %q", out.String(), errs.String())
	}
}

type panics struct{ folder }

func (panics) Open(context.Context, string) (io.ReadCloser, error) { panic("BUG: test") }

// lines enters a text line by line and gives the entries.
func lines(t testing.TB, text string) []string {
	l := Loop{Session: New(Config{}), Lines: NewPlain(strings.NewReader(text))}
	var out []string
	for {
		entry, err := l.entry()
		if entry != "" {
			out = append(out, entry)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			return out
		}
	}
}

// checkLines holds a right program, entered line by line, to be cut where its
// statements end: no entry is refused too early or asked to go on too long.
func checkLines(t testing.TB, text string) {
	f := lang.Parse("", text, lang.Options{})
	if f.Diags.HasErrors() || strings.Contains(text, "\r") {
		return
	}
	n := 0
	for _, e := range lines(t, text) {
		p := lang.Parse("", e, lang.Options{})
		if p.Diags.HasErrors() {
			t.Fatalf("%q has the entry %q, with %v", text, e, p.Diags)
		}
		n += len(p.Stmts)
	}
	if n != len(f.Stmts) {
		t.Fatalf("%q has %d statements, its entries have %d", text, len(f.Stmts), n)
	}
}

// TestIncomplete is when an entry goes on in the next line.
func TestIncomplete(t *testing.T) {
	for _, c := range corpus.Cases() {
		checkLines(t, c.Source)
	}
	s := New(Config{})
	for entry, want := range map[string]bool{
		"A = [1,\n": true, "def f(x) = {\n": true, "def f(x) = {\n  y = x\n": true, "x +\n": true, "f(a,\n\n": true,
		"x = 1 + // more\n": true, ":print x,\n": true,
		"x =\n": false, "x\n": false, "x)\n": false, "[1 2\n": false, "A = [1,\n:print A\n": false, "\"open\n": false,
		":load (\n": false, "1 + 1 )\n": false, "def f(\n": true, "input\n": false, "$ [\n": false,
		":why tc(A)[\n": true, ":type A +\n": true, ":plot tc(\n": true, ":plot A out/\n": false, ":why tc(A)\n": false, ":help max(\n": false, ":nope (\n": false,
	} {
		if got := s.Incomplete(entry); got != want {
			t.Errorf("%q: %v", entry, got)
		}
	}
}

// TestLongEntry enters a literal of many lines, and one that is hopeless from the
// start of its second half.
func TestLongEntry(t *testing.T) {
	row := "  [" + strings.Repeat("1, ", 99) + "1],\n"
	long := "A = [\n" + strings.Repeat(row, 400) + "]\n"
	if got := lines(t, long+"x = 1\n"); len(got) != 2 || got[0] != long {
		t.Errorf("%d entries", len(got))
	}
	wrong := "A = [\n" + strings.Repeat(row, 200) + "$\n" + strings.Repeat(row, 1000)
	if got := lines(t, wrong); len(got) < 2 {
		t.Error("a hopeless entry was read to the end of the input")
	}
	// Eight times as many lines take about eight times as much work, not 64 times.
	work := func(n int) float64 {
		text := "A = edges([\n" + strings.Repeat("[1, 2],\n", n) + "])\n"
		return testing.AllocsPerRun(1, func() { lines(t, text) })
	}
	if few, many := work(100), work(800); many > 24*few {
		t.Errorf("%g allocations for 100 lines, %g for 800", few, many)
	}
}

func FuzzLines(f *testing.F) {
	for _, c := range corpus.Cases() {
		f.Add(c.Source)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 5000 {
			checkLines(t, text)
		}
	})
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestPaint(t *testing.T) {
	for line, want := range map[string]string{
		"":                         "",
		"x = tc(A) # why":          "x = \x1b[36mtc\x1b[0m(A) \x1b[90m# why\x1b[0m",
		`desc(A, "ann") + 2`:       "\x1b[36mdesc\x1b[0m(A, \x1b[32m\"ann\"\x1b[0m) + \x1b[33m2\x1b[0m",
		":type 1":                  "\x1b[35m:type\x1b[0m \x1b[33m1\x1b[0m",
		":load 1.ein":              "\x1b[35m:load\x1b[0m 1.ein",
		":print x":                 "\x1b[35m:print\x1b[0m x",
		"def f(x) = siblings(x,1)": "\x1b[35mdef\x1b[0m f(x) = \x1b[36msiblings\x1b[0m(x,\x1b[33m1\x1b[0m)",
		"repeat 2 { x = 1 }":       "\x1b[35mrepeat\x1b[0m \x1b[33m2\x1b[0m { x = \x1b[33m1\x1b[0m }",
		"repeat = 1":               "repeat = \x1b[33m1\x1b[0m",
		"$ x":                      "\x1b[31m$\x1b[0m x",
	} {
		if got := Paint(line); got != want {
			t.Errorf("%q is painted %q, want %q", line, got, want)
		}
	}
}

func FuzzPaint(f *testing.F) {
	for _, c := range corpus.Cases() {
		f.Add(c.Source)
	}
	f.Add("  :plot A x.svg")
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "\x1b") {
			return
		}
		if got := escapes.ReplaceAllString(Paint(line), ""); got != line {
			t.Fatalf("%q became %q", line, got)
		}
	})
}

// BenchmarkSession enters so many statements: what one takes should hardly depend on
// how many there are.
func BenchmarkSession(b *testing.B) {
	for _, n := range []int{100, 1000, 9000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				s := New(Config{Workers: 1})
				s.Eval(context.Background(), "A = edges([[0, 1], [1, 2]], 3)")
				for i := range n {
					if r := s.Eval(context.Background(), fmt.Sprintf("x%d = sum(tc(A)) + %d", i, i)); r.Failed {
						b.Fatal(r.Diags)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/statement")
		})
	}
}

// BenchmarkRelations enters so many facts, of nodes that are there or new, and rules: what one
// takes should hardly depend on how many there are.
func BenchmarkRelations(b *testing.B) {
	for what, entry := range map[string]string{"facts": `Age("n%[1]d", %[1]d).`, "numbers": "Next(%[1]d, %[1]d).", "rules": "R%[1]d(x) <- Age(x, n), n > %[1]d."} {
		for _, n := range []int{100, 1000, 5000} {
			b.Run(fmt.Sprint(what, "/", n), func(b *testing.B) {
				for b.Loop() {
					s := New(Config{Workers: 1})
					s.Eval(context.Background(), "Age(\"n0\", 5). Next(0, 1).")
					for i := range n {
						if r := s.Eval(context.Background(), fmt.Sprintf(entry, i)); r.Failed {
							b.Fatal(r.Diags)
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/entry")
			})
		}
	}
}

// TestOverwrite is a file that is there already: a person is asked, a script is told.
func TestOverwrite(t *testing.T) {
	for _, test := range []struct {
		answer      string
		interactive bool
		want        string
	}{
		{"n", true, "old"}, {"", true, "old"}, {"Y", true, "new"}, {"yes", true, "new"}, {"y", false, "old"},
	} {
		files := folder{"/home/me/p.ein": "old", "d.csv": "0,1\n"}
		var record bytes.Buffer
		keys := &script{lines: []string{":input A ~/../me/d.csv", ":input A d.csv", ":save d.csv", ":output A d.csv", ":save ~/p.ein", test.answer}, record: &record}
		l := Loop{Session: New(Config{Files: files, Home: "/home/me"}), Lines: keys, Out: to(&record), Err: &record, Context: background, Interactive: test.interactive}
		err := l.Run()
		if now := files["/home/me/p.ein"]; (now == "old") != (test.want == "old") || files["d.csv"] != "0,1\n" || test.interactive != (err == nil) {
			t.Errorf("%+v: the file is %q, error %v\n%s", test, now, err, record.String())
		}
		want := []string{"/home/me/../me/d.csv", "d.csv has the data of the input `A`, and would be overwritten"}
		if test.interactive {
			want = append(want, "/home/me/p.ein already exists. Overwrite it? [y/N] "+test.answer)
		} else {
			want = append(want, "error: /home/me/p.ein already exists\n  = help: Remove it first")
		}
		for _, w := range want {
			if !strings.Contains(record.String(), strings.TrimSpace(w)) {
				t.Errorf("%+v: not said: %s\n%s", test, w, record.String())
			}
		}
	}
	s := New(Config{Files: folder{"/home/me/p.ein": "", "~x": ""}, Home: "/home/me"})
	if at, list := s.Complete(":load ~/p", 9); at != 6 || len(list) != 1 || list[0] != "~/p.ein" {
		t.Errorf("%d, %q", at, list)
	}
}
