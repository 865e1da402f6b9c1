package project

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ein/bind"
)

// TestWrong: what is wrong with a file has its place, and what was meant.
func TestWrong(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"inptus = 1", "1:1: there is no setting `inptus`; Did you mean `inputs`?"},
		{"é = 1", "1:1: invalid character at start of key: U+00C3 'Ã'"},
		{"\ufeffprofile = 'all'\r\n", "1:11: there is no profile \"all\"; There are full, core and logic."},
		{"a = [1", "1:6: array is incomplete"},
		{"\n[limits]\nmax-memroy = 1", "3:1: there is no limit `max-memroy`; Did you mean `max-memory`?"},
		{"[limits]\nmax-memory = '64MB'", "2:14: max-memory cannot be \"64MB\": expected a number of bytes, or one with KiB, MiB or GiB"},
		{"[limits]\nmax-ops = 1.5", "2:11: max-ops cannot be \"1.5\": expected a whole number from 1 to 2^60, such as 1000 or 1e9"},
		{"[limits]\ntimeout = 2", "2:11: timeout cannot be \"2\": expected a duration such as 2s, 500ms or 1m30s"},
		{"limits = 3", "1:1: `limits` has a value, expected a table"},
		{"limits.max-ops.x = 3", "1:8: `max-ops` is a table, expected a value"},
		{"profile = 'all'", "1:11: there is no profile \"all\"; There are full, core and logic."},
		{"profile = ['full']", "1:1: `profile` is a list, expected one value"},
		{"profile = 'f\xfcll'", "1:13: invalid UTF-8 character in literal string; Save the file as UTF-8."},
		{"\xff\xfe[\x00", "1:1: invalid character at start of key: U+00FF 'ÿ'; Save the file as UTF-8."},
		{"limits.max-ops = [1]", "1:8: `max-ops` is a list, expected one value"},
		{"inputs.A = { file = 3 }", "1:21: expected a file in quotes"},
		{"inputs.A = [1]", "1:8: expected a file in quotes, or a table"},
		{"[inputs]\nA = 3", "2:5: expected a file in quotes, or a table"},
		{"[inputs]\nA = 'g.csv?weigth=x'", "2:5: g.csv?weigth=x: unknown option \"weigth\" (the options are default, dup, extra, format, from, header, ids, nodes, onehot, query, source, target, to, weight, where)"},
		{"[inputs]\nA = { file = 'é.csv', formt = 'csv' }", "2:23: there is no option `formt`; Did you mean `format`?"},
		{"[inputs]\nA = f.csv", "2:5: expected keyword \"false\"; A text is in quotes, as in A = \"graph.csv\"."},
		{"[inputs]\nA = graph.csv", "2:5: unexpected character U+0067 'g' at start of value; A text is in quotes, as in A = \"graph.csv\"."},
		{"[inputs]\nA = 'g.csv'\nprofile = 'core'", "3:1: `profile` is no input; It stands before the first table, in brackets."},
		{"[inputs]\nA = 'g.csv'\nmax-ops = '1e9'", "3:1: `max-ops` is no input; Limits stand in the table [limits]."},
		{"[inputs]\nA = 'g.csv'\ntimeout = '2s'", "3:1: `timeout` is no input; Limits stand in the table [limits]."},
		{"[inputs]\ntimeout = 'timeouts.csv'\nprofile = 'p.csv'", ""},
		{"[inputs.A]\nfile = 'g.csv'\ndup = 'mean'", "3:7: the option dup cannot be \"mean\"; expected min, max, sum, first, error"},
		{"[inputs.A]\nfile = 'g.csv'\nfrom = 'a'\nsource = 'b'", "4:10: the options from and source are the same; give one of them"},
		{"[inputs.A]\nfrom = 'a'", "1:9: `A` has no file"},
		{"[inputs]\nA = '-'", "2:1: `A` cannot be standard input; `--input A=-` binds it."},
		{"[inputs]\nA = 'a.csv'\nA = 'b.csv'", "3:1: `A` is given twice"},
		{"[inputs]\nA = 'a.csv'\n[inputs]\nB = 'b.csv'", "3:2: `inputs` is given twice"},
		{"[inputs]\nA = 'a.csv'\n[inputs.A]\nfrom = 'b'", "3:9: `A` is given twice"},
		{"[inputs.A]\nfile = 'a.csv'\nwhere = [1]", "3:1: `where` has an item that is not a quoted string"},
		{"[[inputs]]\nA = 'a.csv'", "1:3: a list of tables, expected one; Write the name of a table in single brackets."},
		{"[programs.flow.ein.inputs]\nA = 'a.csv'", "1:16: the name of a program is not in quotes; Write programs.\"flow.ein\"."},
		{"[programs.'../p.ein']", "1:11: \"../p.ein\" is not a program name; Programs are named without their folder."},
		{"[programs.'p.ein']\nprograms = 1", "2:1: there is no setting `programs`; There are inputs, limits, profile."},
	} {
		_, list := Parse("ein.toml", []byte(c.text))
		var got []string
		for _, d := range list {
			got = append(got, strings.Join(append([]string{strings.TrimPrefix(d.At.String(), "ein.toml:") + ": " + d.Message}, d.Notes...), "; "))
		}
		if s := strings.Join(got, "\n"); s != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, s, c.want)
		}
	}
}

func TestOrder(t *testing.T) {
	parse := func(name, text string) *File {
		f, list := Parse(name, []byte(text))
		if list != nil {
			t.Fatal(list)
		}
		return f
	}
	beside := parse("dir/ein.toml", `
profile = "core"
limits = { max-memory = "1MiB", max-ops = 1_000 }
inputs.A = "a.csv"
inputs.B = "b.csv?weight=km"
[programs."p.ein"]
profile = "full"
inputs.A = { file = "p.csv", from = "x", where = ["km<500", "km>3"], nodes = 1_0 }
`)
	named := parse("other/x.toml", "limits.max-memory = '2MiB'\ninputs.C = '/tmp/c.csv'\ninputs.B = 'b2.csv'")
	named.named = true
	for _, c := range []struct{ program, want string }{
		{"dir/p.ein", "full 2097152 1000 C=/tmp/c.csv B=other/b2.csv A=dir/p.csv?from=x&where=km<500&where=km>3&nodes=10"},
		{"dir/q.ein", "core 2097152 1000 C=/tmp/c.csv B=other/b2.csv A=dir/a.csv"},
	} {
		s := named.For(c.program).Over(beside.For(c.program))
		list, err := s.Inputs([]string{"A", "B", "C"})
		if err != nil {
			t.Error(err)
		}
		got := s.Profile.String() + " " + showCount(s.Memory.Value) + " " + showCount(s.Ops.Value)
		for _, in := range list {
			got += " " + in.Name + "=" + in.Options.Spec(in.Path)
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.program, got, c.want)
		}
	}
	own := beside.For("dir/p.ein")
	if _, err := own.Inputs([]string{"B"}); err == nil || err.Error() != "dir/ein.toml:8:8: the program has no input `A`" {
		t.Error(err)
	}
}

// TestFolder: a file that nobody named binds data of its folder, whatever links there are.
func TestFolder(t *testing.T) {
	base := t.TempDir()
	home := filepath.Join(base, "home")
	if err := errors.Join(
		os.MkdirAll(filepath.Join(home, "sub"), 0o700),
		os.WriteFile(filepath.Join(base, "secret.csv"), nil, 0o600),
		os.WriteFile(filepath.Join(home, "sub", "a.csv"), nil, 0o600),
		os.Symlink(filepath.Join(base, "secret.csv"), filepath.Join(home, "link.csv")),
		os.Symlink(base, filepath.Join(home, "up")),
		os.Symlink(filepath.Join(home, "sub"), filepath.Join(home, "within")),
	); err != nil {
		t.Fatal(err)
	}
	for path, inside := range map[string]bool{
		"sub/a.csv": true, "within/a.csv": true, "./sub/../sub/a.csv": true, "nowhere.csv": true, filepath.Join(home, "sub", "a.csv"): true,
		"../secret.csv": false, "link.csv": false, "up/secret.csv": false, "sub/../../secret.csv": false, filepath.Join(base, "secret.csv"): false,
	} {
		for _, text := range []string{"inputs.A.file = '" + path + "'", "inputs.A = { file = 'a.csv', query = '@" + path + "' }"} {
			if err := os.WriteFile(filepath.Join(home, Name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := Beside(filepath.Join(home, "p.ein"))
			if err != nil {
				t.Fatal(err)
			}
			s := f.For("p.ein")
			if _, err := s.Inputs([]string{"A"}); (err == nil) != inside {
				t.Errorf("%s: %v", text, err)
			}
			if f, err = Named(filepath.Join(home, Name)); err != nil {
				t.Fatal(err)
			}
			s = f.For("p.ein")
			if _, err := s.Inputs([]string{"A"}); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

func TestLower(t *testing.T) {
	for _, c := range []struct {
		said, now, want uint64
		ok              bool
	}{{0, 5, 5, true}, {3, 5, 3, true}, {5, 5, 5, true}, {6, 5, 5, false}, {6, 0, 6, true}} {
		to := c.now
		err := Limit{Value: c.said}.Lower(&to, showCount)
		var list *bind.ListError
		if to != c.want || (err == nil) != c.ok || err != nil && !errors.As(err, &list) {
			t.Errorf("%+v: %d, %v", c, to, err)
		}
		if got := (Limit{Value: c.said}).Least(c.now); got != c.want && c.ok {
			t.Errorf("%+v: least %d", c, got)
		}
	}
}

// FuzzParse: a file is read or refused with a place in it.
func FuzzParse(f *testing.F) {
	f.Add([]byte("profile = 'core'\n[limits]\nmax-ops = 1e9\n[programs.\"p.ein\".inputs]\nA = { file = 'a.csv', where = ['x<3'] }\n"))
	f.Add([]byte("[[a]]\nb.'c d' = [1, {x = 2}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, list := Parse("f", text)
		if (file == nil) == (list == nil) {
			t.Fatal("neither a file nor an error")
		}
		for _, d := range list {
			if d.At.Line < 1 || d.At.Column < 1 {
				t.Errorf("%v: %s", d.At, d.Message)
			}
		}
	})
}

func showCount(n uint64) string { return strconv.FormatUint(n, 10) }

func TestAdd(t *testing.T) {
	for _, c := range []struct{ before, after, err string }{
		{"", "[programs.\"p.ein\".inputs]\nA = \"d/a b.csv\"\n", ""},
		{"profile = 'full'", "profile = 'full'\n\n[programs.\"p.ein\".inputs]\nA = \"d/a b.csv\"\n", ""},
		{
			"[programs.'p.ein'.inputs] # here\nB = 'b.csv'\n\n[limits]\n",
			"[programs.'p.ein'.inputs] # here\nA = \"d/a b.csv\"\nB = 'b.csv'\n\n[limits]\n", "",
		},
		{"[programs.\"p.ein\".inputs]", "[programs.\"p.ein\".inputs]\nA = \"d/a b.csv\"\n", ""},
		{"[programs.'p.ein'.inputs]\nA = 'a.csv'\n", "", "by hand"},
		{"[programs]\n'p.ein' = { inputs = { B = 'a.csv' } }\n", "", "by hand"},
		{"[programs\n", "", "has an error"},
	} {
		got, err := Add([]byte(c.before), "p.ein", "A", "d/a b.csv")
		if string(got) != c.after || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: got %q, %v", c.before, got, err)
		}
	}
}
