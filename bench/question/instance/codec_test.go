package instance

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"ein/bench/question/category"
)

// lines returns the first instance of each category.
func lines(t testing.TB) ([]*Instance, string) {
	var list []*Instance
	var b bytes.Buffer
	for i := range category.Table {
		in, _, err := Generate(NewID("test", category.Table[i].Name, 0, 1))
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(&b, in); err != nil {
			t.Fatal(err)
		}
		list = append(list, in)
	}
	return list, b.String()
}

func TestReadWrite(t *testing.T) {
	list, text := lines(t)
	// Windows line ends, a byte order mark, spaces, and no newline at the end do no harm.
	for _, text := range []string{text, strings.TrimSuffix(text, "\n"), strings.ReplaceAll(text, "\n", "\r\n"), strings.ReplaceAll(text, `,"split"`, ` , "split"`), "\ufeff" + text} {
		for _, read := range []func(io.Reader) iter.Seq2[*Instance, error]{Read, Pass} {
			i := 0
			for in, err := range read(strings.NewReader(text)) {
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(in, list[i]) {
					t.Fatalf("%+v\nwant\n%+v", in, list[i])
				}
				i++
			}
			if i != len(list) {
				t.Fatalf("%d of %d instances", i, len(list))
			}
		}
	}
}

// TestKeys holds lines to the documented order of the keys, and the digest to
// what it is documented to be.
func TestKeys(t *testing.T) {
	documented := strings.Fields("id version split category level result_type n density depth directed structural_seed surface_seed " +
		"nodes edges edges2 query domain style labels question answer ein_program python_program digest")
	_, text := lines(t)
	for line := range strings.Lines(text) {
		d := json.NewDecoder(strings.NewReader(line))
		if _, err := d.Token(); err != nil {
			t.Fatal(err)
		}
		next := 0
		for d.More() {
			key, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			for next < len(documented) && documented[next] != key {
				if documented[next] != "edges2" {
					t.Fatalf("%v instead of %s in %s", key, documented[next], line)
				}
				next++
			}
			next++
			var skip json.RawMessage
			if err := d.Decode(&skip); err != nil {
				t.Fatal(err)
			}
		}
		body, digest, _ := strings.Cut(line, `,"digest":"`)
		sum := sha256.Sum256([]byte(body + "}"))
		if want := hex.EncodeToString(sum[:]) + "\"}\n"; digest != want {
			t.Fatalf("digest %s, want %s", digest, want)
		}
		if strings.Contains(line, `\u003`) {
			t.Fatalf("escaped < or > in %s", line)
		}
	}
}

func TestReadErrors(t *testing.T) {
	_, text := lines(t)
	first, _, _ := strings.Cut(text, "\n")
	edit := func(old, new string) string {
		s := strings.Replace(first, old, new, 1)
		if s == first {
			t.Fatalf("no %s in %s", old, first)
		}
		return s
	}
	for name, test := range map[string]struct{ line, want string }{
		"empty":         {"", "it is empty"},
		"UTF-16":        {"\xff\xfe{\x00", "the text is UTF-16, expected UTF-8"},
		"not JSON":      {"hello", "not an instance"},
		"cut":           {first[:len(first)/2], "cut off"},
		"more":          {first + first, "more after the object"},
		"array":         {"[]", "JSON array"},
		"unknown field": {edit(`"version"`, `"extra":1,"version"`), `unknown field "extra"`},
		"wrong type":    {edit(`"n":`, `"n":"x","depth":`), `the field "n" is a JSON string`},
		"wrong text":    {edit(`"id":"`, `"id":"x`), "digest"},
		"wrong digest":  {edit(`"digest":"`, `"digest":"0`), "digest"},
		"no answer":     {`{"id":"x"}`, "digest"},
		"bad answer":    {edit(`"answer":`, `"answer":}`), "not an instance"},
	} {
		n := 0
		for in, err := range Read(strings.NewReader(text + test.line + "\n" + text)) {
			n++
			if err == nil {
				continue
			}
			want := "line " + itoa(len(category.Table)+1) + ": "
			if !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), test.want) || in != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n != len(category.Table)+1 {
			t.Errorf("%s: %d lines", name, n)
		}
	}
	broken := errors.New("broken")
	for _, err := range Read(io.MultiReader(strings.NewReader(first+"\n"), iotest.ErrReader(broken))) {
		if err != nil && (!errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "line 2: ")) {
			t.Error(err)
		}
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

// TestForged is lines with the right digest that are still no instances.
func TestForged(t *testing.T) {
	for name, change := range map[string]func(*Instance){
		"node":      func(in *Instance) { in.Edges[0][1] = in.N },
		"negative":  func(in *Instance) { in.Edges[0][0] = -1 },
		"loop":      func(in *Instance) { in.Edges[0][1] = in.Edges[0][0] },
		"twice":     func(in *Instance) { in.Edges = append(in.Edges[:1:1], in.Edges...) },
		"order":     func(in *Instance) { in.Edges[0], in.Edges[1] = in.Edges[1], in.Edges[0] },
		"labels":    func(in *Instance) { in.Nodes = in.Nodes[1:] },
		"source":    func(in *Instance) { x := in.N; in.Query.Source = &x },
		"nodes":     func(in *Instance) { in.N = -1 },
		"too large": func(in *Instance) { in.N = 1 << 30 },
	} {
		in, _, err := Generate(NewID("test", "reachability", 3, 1))
		if err != nil {
			t.Fatal(err)
		}
		change(in)
		line, err := in.seal()
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range Read(bytes.NewReader(line)) {
			if err == nil {
				t.Errorf("%s is read", name)
			}
		}
		in.Digest = ""
		if Write(io.Discard, in) == nil {
			t.Errorf("%s: an instance without its digest is written", name)
		}
	}
}

func FuzzRead(f *testing.F) {
	_, text := lines(f)
	for line := range strings.Lines(text) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for line := range strings.Lines(s) {
			compareWritten(t, resealed(line))
		}
		for in, err := range Read(strings.NewReader(s)) {
			if err != nil {
				return
			}
			if _, err := Structure(in); err != nil {
				t.Fatal(err)
			}
			if err := Write(io.Discard, in); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// resealed returns a line with the digest of its bytes, be it the line of an instance or not.
func resealed(line string) []byte {
	body, _, _ := strings.Cut(line, `,"digest":"`)
	return fmt.Appendf(nil, `%s,"digest":"%x"}`, body, sha256.Sum256([]byte(body+"}")))
}

// compareWritten holds the fast reader to encoding/json.
func compareWritten(t *testing.T, line []byte) bool {
	t.Helper()
	got, ok := new(cursor).written(line)
	if !ok {
		return false
	}
	if want, err := decodeAny(line); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s\nis read as %+v, want %+v, %v", line, got, want, err)
	}
	return true
}

// TestWritten: the fast reader takes all that Write writes, and nothing else, with the
// digest of what is there.
func TestWritten(t *testing.T) {
	_, text := lines(t)
	r := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !compareWritten(t, []byte(line)) {
			t.Errorf("not taken: %s", line)
		}
		for _, other := range []string{
			strings.Replace(line, `"n":`, `"n":0`, 1), strings.Replace(line, `"n":`, `"n": `, 1), strings.Replace(line, `"N":`, `"n":`, 1),
			strings.Replace(line, `"depth":`, `"depth":-`, 1), strings.Replace(line, `"query":{`, `"query":{"max_out_degree":0,`, 1),
			strings.Replace(line, `"density":0.`, `"density":00.`, 1), strings.Replace(line, `"density":0.`, `"density":0.,`, 1),
			strings.Replace(line, `,"directed"`, `,"operations":0,"directed"`, 1), strings.Replace(line, `"answer":`, `"answer": `, 1),
			strings.Replace(line, "networkx", "network\\u0078", 1), strings.Replace(line, `"split"`, `"split":"a","split"`, 1),
		} {
			if other != line && compareWritten(t, resealed(other)) {
				t.Errorf("taken: %s", other)
			}
		}
		for range 500 {
			b := []byte(line)
			for range 1 + r.IntN(2) {
				switch at := r.IntN(len(b)); r.IntN(4) {
				case 0:
					b = slices.Delete(b, at, min(at+1+r.IntN(8), len(b)))
				case 1:
					b = slices.Insert(b, at, []byte(`0.[]{},:\"-1 `)[r.IntN(13)])
				case 2:
					from := r.IntN(len(b))
					b = slices.Insert(b, at, slices.Clone(b[from:min(from+r.IntN(12), len(b))])...)
				default:
					b[at] = byte(r.IntN(256))
				}
			}
			if compareWritten(t, resealed(string(b))) {
				taken++
			}
		}
	}
	if taken == 0 {
		t.Error("no changed line is one")
	}
}
