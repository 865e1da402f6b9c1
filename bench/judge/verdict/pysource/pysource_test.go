package pysource

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

var kinds = map[Kind]string{Name: "n", Number: "#", String: "s", Op: "o", Newline: ";", Opaque: "?"}

func TestScan(t *testing.T) {
	for src, want := range map[string]string{
		"a = 1":                       "na o= #1",
		"x1 _y é":                     "nx1 n_y né",
		"1.5 0x1f 1e-5 1_0 .5":        "#1.5 #0x1f #1e-5 #1_0 #.5",
		"1-2 a.b 1..real":             "#1 o- #2 na o. nb #1..real",
		"a # [1]\nb":                  "na ;\n nb",
		"(a\n, # c\n b)":              "o( na o, nb o)",
		"a \\\n b; c":                 "na nb ;; nc",
		`'a' "b\"c" 'd\'e'`:           `sa sb"c sd'e`,
		"'''a\n'b' # c'''":            "sa\n'b' # c",
		`r'\n' '\n\x41\u00e9\\'`:      "s\\n s\nAé\\",
		`f'{a}' b'a' '\N{DASH}'`:      `?f'{a}' ?b'a' ?'\N{DASH}'`,
		"'a\nb":                       "?'a ;\n nb",
		"'''a\nb":                     "?'''a\nb",
		"x ** y // z != w := v":       "nx o** ny o// nz o!= nw o:= nv",
		"$ ` \x00 \xff €":             "?$ ?` ?\x00 ?\xff ?€",
		"'":                           "?'",
		`'\`:                          `?'\`,
		`'\x4' '\ud800' '\U00110000'`: `?'\x4' ?'\ud800' ?'\U00110000'`,
	} {
		var got []string
		for _, k := range Scan(src) {
			text := k.Text
			if k.Kind == String {
				text = k.Value
			}
			got = append(got, kinds[k.Kind]+text)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %q, want %q", src, s, want)
		}
	}
}

// text is a literal in one form for each value.
func text(l *Literal) string {
	switch {
	case l.Open == 0 && l.Number:
		return fmt.Sprint(l.Int)
	case l.Open == 0:
		return fmt.Sprintf("%q", l.String)
	}
	var items []string
	for i := range l.Items {
		s := text(&l.Items[i])
		if l.Dict {
			s += ":" + text(&l.Values[i])
		}
		items = append(items, s)
	}
	return string(l.Open) + strings.Join(items, " ") + map[byte]string{'[': "]", '(': ")", '{': "}"}[l.Open]
}

func TestRead(t *testing.T) {
	names := Names{"x": {Number: true, Int: 7}, "s": {String: "cat"}, "l": {Open: '['}}
	for src, want := range map[string]string{
		"3": "3", "1_000": "1000", "2.0": "2", "True": "1", "False": "0", "x": "7", "'a'": `"a"`, "(3)": "3", "((('a')))": `"a"`,
		"[1, 2,]": "[1 2]", "(1,)": "(1)", "()": "()", "{}": "{}", "{1, 'a'}": `{1 "a"}`, "{1: [2], 'a': ()}": `{1:[2] "a":()}`,
		"[(x, s)]\n": `[(7 "cat")]`, "[1] # c": "[1]", "{1: 2}.items()": "{1:2}", "[1], 2": "[1]",
		"[l]": "", "[-1]": "", "[1 2]": "", "[,]": "", "[1,,]": "", "(1": "", "[1)": "", "[1] + y": "", "[f(1)]": "", "y": "", "None": "",
		"1.5": "", "0x1": "", "017": "", "00": "0", "1e3": "", "99999999999999999999": "", "{1: 2, 3}": "", "{1, 2: 3}": "", "'a' 'b'": "",
		"[1 for i in z]": "", "{1}.items()": "{1}", "[set(), 1]": "[{} 1]", "set(x)": "", "[1].copy()": "", "*[1]": "", strings.Repeat("[", 1000) + strings.Repeat("]", 1000): "", "": "",
	} {
		l, _, ok := Read(Scan(src), 0, names)
		got := ""
		if ok {
			got = text(&l)
		}
		if got != want {
			t.Errorf("%.50q: %s, want %s", src, got, want)
		}
	}
}

// FuzzScan covers a text with tokens, in order and without overlap, and reads no
// literal beyond its own text.
func FuzzScan(f *testing.F) {
	for _, s := range []string{"a = [1, (2, 'x')]\n", "'''", `"\`, "f'{x!r}'", "{1: {2: {}}}", "0_0e-", "\\\r\n#", "é€\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		tokens := Scan(src)
		end := 0
		for i, k := range tokens {
			if k.Start < end || k.End <= k.Start || k.End > len(src) || src[k.Start:k.End] != k.Text {
				t.Fatalf("token %d of %q: %+v", i, src, k)
			}
			end = k.End
			l, next, ok := Read(tokens, i, nil)
			if !ok {
				continue
			}
			if l.Start < k.Start || l.End > tokens[next-1].End || next <= i {
				t.Fatalf("%q: %+v", src, l)
			}
			again, _, ok := Read(Scan(src[l.Start:l.End]), 0, nil)
			if !ok || text(&again) != text(&l) {
				t.Fatalf("%q is %s, then %s", src[l.Start:l.End], text(&l), text(&again))
			}
		}
		if !slices.IsSortedFunc(tokens, func(a, b Token) int { return a.Start - b.Start }) {
			t.Fatal(tokens)
		}
	})
}
