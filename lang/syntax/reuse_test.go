package syntax

import (
	"reflect"
	"strings"
	"testing"

	"ein/internal/corpus"
	"ein/lang/source"
)

// sameParse parses text with what an earlier version gives and without, and requires
// the same tree with the same places, and the same diagnostics.
func sameParse(t *testing.T, old *File, text string, opt Options) *File {
	t.Helper()
	src := source.NewFile("in.ein", text)
	want := Parse(src, opt)
	opt.Reuse = old
	got := Parse(src, opt)
	got.Footprint = want.Footprint // does not count what is taken over
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q becomes\n%s%v\nafter %q, and by itself\n%s%v", text, Dump(got), got.Diags, old.Source.Text, Dump(want), want.Diags)
	}
	return got
}

func TestReuse(t *testing.T) {
	for _, c := range corpus.Cases() {
		opt := Options{Limits: Limits{Pack: 1}}
		f := Parse(source.NewFile("in.ein", c.Source), opt)
		lines := strings.SplitAfter(c.Source, "\n")
		for i := range lines {
			before, after := strings.Join(lines[:i], ""), strings.Join(lines[i+1:], "")
			for _, text := range []string{
				before + after, before + "x = (\n" + lines[i] + after, before + ")" + lines[i] + after,
				before + lines[i] + lines[i] + after, before + "max= 3\n" + lines[i] + after, c.Source,
			} {
				f = sameParse(t, f, text, opt)
			}
		}
	}
}

func TestReuseTakesOver(t *testing.T) {
	const text = "A = 1\nB = A + 1\ndef f(x) = {\n  y = x\n  y\n}\n:print B\n"
	old := Parse(source.NewFile("in.ein", text), Options{})
	for _, c := range []struct {
		later string
		want  int
	}{
		{strings.Replace(text, "B = A + 1", "B = A + 22", 1), 3},
		{"A = 22\nB = A + 1\ndef f(x) = {\n  y = x\n  y\n}\n:print A, B\n", 2}, // two changes
		{"B = A + 1\nA = 1\n", 2},
	} {
		p := newParser(source.NewFile("in.ein", c.later), Options{Reuse: old})
		p.lex()
		taken := 0
		for i := 0; i < len(p.toks)-1; {
			seg := p.cut(i, len(p.toks)-1)
			if p.reused(seg) != nil {
				taken++
			}
			i = seg.hi
		}
		p.release()
		if taken != c.want {
			t.Errorf("%q: %d statements were taken over, wanted %d", c.later, taken, c.want)
		}
	}
}

// FuzzReuse replaces a piece of a program.
func FuzzReuse(f *testing.F) {
	for i, c := range corpus.Cases() {
		f.Add(c.Source, uint(7*i), uint(3*i%11), []string{"(", "]", "\n", "max= 3\n", "#", "\"", "x = 1;", "{"}[i%8])
	}
	f.Add("x = f(\n3)\nmax= 3\ny = 2\n", uint(0), uint(0), "A = (\n")
	f.Fuzz(func(t *testing.T, text string, at, n uint, with string) {
		if len(text)+len(with) > 2000 {
			return
		}
		opt := Options{Repl: at%2 == 0, Limits: Limits{Tokens: 1000, Depth: 10, Height: 60, Statements: 30, Diagnostics: 10, Pack: 1 + int(n%2)*100}}
		start := int(at % uint(len(text)+1))
		end := min(len(text), start+int(n%64))
		old := Parse(source.NewFile("in.ein", text), opt)
		changed := sameParse(t, old, text[:start]+with+text[end:], opt)
		sameParse(t, changed, text, opt)
		sameParse(t, changed, with+text[:start]+text[end:]+with, opt)
	})
}
