package answer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ein/bench/question/category"
)

// vector is a line of testdata/scoring, which other implementations run as well.
type vector struct {
	Case      string          `json:"case"`
	Category  string          `json:"category"`
	Type      category.Result `json:"type"`
	Version   string          `json:"version"`
	Phrasing  string          `json:"phrasing"`
	Labels    []string        `json:"labels"`
	Source    string          `json:"source"`
	Reference json.RawMessage `json:"reference"`
	Reply     string          `json:"reply"`
	Strict    string          `json:"strict"`
	Relaxed   string          `json:"relaxed"`
	Lenient   string          `json:"lenient"`
	Outcome   Outcome         `json:"outcome"`
}

func vectors(t testing.TB) (all []vector) {
	t.Helper()
	names, err := filepath.Glob("../../../testdata/scoring/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(bufio.NewReader(f))
		d.DisallowUnknownFields()
		for {
			var v vector
			err := d.Decode(&v)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			v.Case = strings.TrimSuffix(filepath.Base(name), ".jsonl") + ": " + v.Case
			all = append(all, v)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// asked returns what a vector says of its question.
func (v *vector) asked() Asked {
	return Asked{Source: v.Source, Labels: v.Labels, Fixed: v.Version != "cb1" && v.Phrasing == "explicit"}
}

// byMode returns the verdict on a reply in one mode.
func byMode(reply string, ref *Reference, v *vector, m Mode) string {
	reply = Visible(reply)
	p, err := ParseReply(reply)
	if m == Relaxed {
		p, err = ParseRelaxed(reply)
	}
	switch {
	case errors.Is(err, NoReply):
		return string(NoAnswer)
	case err != nil:
		return string(FormatError)
	}
	return string(MatchAnswer(&p, ref, v.Type, v.Category, m))
}

func TestVectors(t *testing.T) {
	all := vectors(t)
	covered, types := map[string]bool{}, map[string]bool{}
	for i := range all {
		v := &all[i]
		covered[v.Version+v.Category], types[v.Version+string(v.Type)] = true, true
		if c, ok := category.Lookup(v.Category); !ok || c.Result != v.Type {
			t.Errorf("%s: the category %s is not of type %s", v.Case, v.Category, v.Type)
		}
		ref, err := NewReference(v.Reference, v.Type, v.asked())
		if err != nil {
			t.Errorf("%s: %v", v.Case, err)
			continue
		}
		got := Score(v.Reply, &ref, v.Type, v.Category)
		found := [...]string{byMode(v.Reply, &ref, v, Strict), byMode(v.Reply, &ref, v, Relaxed), byMode(v.Reply, &ref, v, Lenient)}
		if want := [...]string{v.Strict, v.Relaxed, v.Lenient}; got.Outcome != v.Outcome || found != want {
			t.Errorf("%s, %s, %.60q for %s: %s %s %s, want %s %s", v.Case, v.Category, v.Reply, v.Reference, got.Outcome, found, got.Reason, v.Outcome, want)
		}
		if (got.Reason != "") != (got.Outcome == FormatError || got.Outcome == NoAnswer) {
			t.Errorf("%s: %s with the reason %q", v.Case, got.Outcome, got.Reason)
		}
		if got.Answer != nil && !json.Valid(got.Answer) {
			t.Errorf("%s: the answer %s is not JSON", v.Case, got.Answer)
		}
	}
	for _, c := range category.Table {
		for _, version := range []string{"cb1", "cb2"} {
			// What its rule leaves open is the category's own; the rest is its type's.
			if own := CountAmbiguous(c.Name) || setAmbiguous(c.Name); !types[version+string(c.Result)] || own && !covered[version+c.Name] {
				t.Errorf("no vector for %s of %s", c.Name, version)
			}
		}
	}
	if len(all) < 3000 {
		t.Errorf("%d vectors", len(all))
	}
}

// TestReferences is references against themselves, and some that are none.
func TestReferences(t *testing.T) {
	for i := range category.Table {
		c := &category.Table[i]
		v := Value{Type: c.Result, Bool: true, Int: -1, Float: 7. / 3, Nodes: []int{0, 1}, Node: 1, Reachable: true, Degree: 2}
		text := v.JSON([]string{`a"}`, "é"})
		ref, err := NewReference(text, c.Result, Asked{})
		if err != nil {
			t.Fatal(err)
		}
		if got := MatchAnswer(nil, &ref, c.Result, c.Name, Lenient); got != Malformed {
			t.Errorf("%s: no answer is %s", c.Name, got)
		}
		if got := Score(fmt.Sprintf(`{"answer": %s}`, text), &ref, c.Result, c.Name); got.Outcome != StrictlyRight || !bytes.Equal(got.Answer, text) {
			t.Errorf("%s: %s, %s %s", c.Name, text, got.Outcome, got.Answer)
		}
	}
	for _, test := range []struct {
		t    category.Result
		text string
	}{
		{category.Boolean, "1"}, {category.Integer, "1.5"}, {category.Integer, "1e500"}, {category.Float, "1e500"},
		{category.Float, "1e-500"}, {category.Set, "[1]"}, {category.String, "null"}, {category.Compound, "{}"},
		{category.Compound, `{"reachable":true,"degree":1.5}`}, {category.Compound, `{"reach":true,"deg":1}`},
		{"tuple", "1"}, {category.Integer, ""}, {category.Integer, "1 2"}, {category.Set, `["\ud800"]`},
		{category.Compound, `{"reachable":true,"reachable":true,"degree":1}`},
	} {
		if _, err := NewReference(json.RawMessage(test.text), test.t, Asked{}); err == nil {
			t.Errorf("%s is a reference of type %s", test.text, test.t)
		}
	}
}

func TestReasons(t *testing.T) {
	ref, err := NewReference(json.RawMessage("7"), category.Integer, Asked{})
	if err != nil {
		t.Fatal(err)
	}
	for reply, want := range map[string]Reason{
		"":                                    NoReply,
		"3":                                   NoObject,
		`{"x": 3}`:                            NoField,
		`{"\u0061nswer": 3}`:                  NoField,
		`{"answer": 3, "answer": 3}`:          DuplicateKey,
		"{\"answer\": 3, \"x\": \"\xff\"}":    BadText,
		`{"answer": 3, "x": "\udc00\ud800"}`:  BadText,
		strings.Repeat(`{"answer":`, 33):      TooDeep,
		`{"answer": "3"}`:                     WrongType,
		strings.Repeat(" ", MaxReply) + "{}":  TooLong,
		`{"answer": 3}` + "\xff \xed\xa0\x80": "",
	} {
		got := Score(reply, &ref, category.Integer, "triangle_count")
		if got.Reason != want || want != "" && want.Error() == "" {
			t.Errorf("%.40q: %q, want %q", reply, got.Reason, want)
		}
	}
}

// naive is ParseReply by package encoding/json, in quadratic time. It knows
// nothing of flaws.
func naive(reply string) (answer json.RawMessage, found bool) {
	for at := 0; at < len(reply); at++ {
		if reply[at] != '{' {
			continue
		}
		d := json.NewDecoder(strings.NewReader(reply[at:]))
		var object map[string]json.RawMessage
		if d.Decode(&object) != nil {
			continue
		}
		at += int(d.InputOffset()) - 1
		if a, ok := object[answerKey]; ok {
			answer, found = a, true
		}
	}
	return answer, found
}

func FuzzParseReply(f *testing.F) {
	for i, v := range vectors(f) {
		if v.Category == "reach_then_count" || i%16 == 0 {
			f.Add(v.Reply)
		}
	}
	f.Add("{\"answer\": \"\xff\"}")
	f.Fuzz(func(t *testing.T, reply string) {
		if len(reply) > 10_000 {
			return
		}
		got, err := ParseReply(reply)
		want, ok := naive(reply)
		var reason Reason
		switch {
		case err == nil:
			if !ok || !sameJSON(got.Raw(), want) {
				t.Fatalf("%q: %s, want %s", reply, got.Raw(), want)
			}
			if !strings.Contains(reply, answerKey) {
				t.Fatalf("%q has an answer", reply)
			}
		case !errors.As(err, &reason):
			t.Fatalf("%q: %v is no Reason", reply, err)
		case ok && (reason == NoReply || reason == NoObject || reason == NoField && strings.Contains(reply, answerKey)):
			t.Fatalf("%q: %s, but there is %s", reply, reason, want)
		}
	})
}

// sameJSON compares values by their shortest form.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	for text, v := range map[*json.RawMessage]*any{&a: &x, &b: &y} {
		d := json.NewDecoder(bytes.NewReader(*text))
		d.UseNumber()
		if d.Decode(v) != nil {
			return false
		}
	}
	return fmt.Sprintf("%#v", x) == fmt.Sprintf("%#v", y)
}

// FuzzScore holds what is right to what the other rules say.
func FuzzScore(f *testing.F) {
	for i, v := range vectors(f) {
		if i%16 == 0 {
			f.Add(v.Reply, string(v.Reference), string(v.Type), v.Category, v.Source)
		}
	}
	f.Fuzz(func(t *testing.T, reply, reference, kind, name, source string) {
		if len(reply)+len(reference) > 10_000 {
			return
		}
		ref, err := NewReference(json.RawMessage(reference), category.Result(kind), Asked{Source: source})
		if err != nil {
			return
		}
		got := Score(reply, &ref, category.Result(kind), name)
		if got.Lenient && !strings.Contains(reply, answerKey) {
			t.Fatalf("%q scores for %s", reply, reference)
		}
		if got.Strict && (!got.Lenient || !got.Relaxed) {
			t.Fatal("right in strict mode alone")
		}
		right := Score(`{"answer": `+reference+`}`, &ref, category.Result(kind), name)
		if right.Outcome != StrictlyRight && right.Reason != TooDeep {
			t.Fatalf("%s is not right for itself: %+v", reference, right)
		}
		if got.Answer != nil && !json.Valid(got.Answer) {
			t.Fatalf("%q: %s", reply, got.Answer)
		}
	})
}

// FuzzParse compares the reader with package encoding/json, which takes more.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", " [1, -0.5e+3, \"a\\n\\u00e9\", null, true]\n", `{"a":{"b":[]},"a":1}`, `"\ud83d\ude00"`, `"\ud83d\u0041"`, "01", "1.", "-", "1e", "\"\x01\"", "\"\xff\"", `"\`, `"\u12`, "[1,]", "[", "{\"a\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse(text)
		valid := json.Valid([]byte(text))
		var reason Reason
		switch {
		case err == nil && (!valid || !sameJSON(v.Raw(), json.RawMessage(text))):
			t.Fatalf("%q is read as %s", text, v.Raw())
		case err != nil && !errors.As(err, &reason) && valid:
			t.Fatalf("%q: %v", text, err)
		}
		if _, lax := ParseLine(text); err == nil && lax != nil {
			t.Fatalf("%q: %v", text, lax)
		}
	})
}

// TestLinear is texts in which many objects begin. A search that took them one
// by one would need hours; the bound is for slow machines.
func TestLinear(t *testing.T) {
	for _, piece := range []string{"{", `{"`, `{"a":`, `{"a":[`, `{"a":"`, `{"a{`, `{"{":"`, `{"answer":`, `{"a":1,`, `{"a":[{},`, "[", `","`, `{"\`, `{"\u`, "{ ", `{"":"{\"`, "1,", "\\"} {
		for _, head := range []string{"", `{"answer": [`, strings.Repeat(`{"a":[`, 16), strings.Repeat(`[`, 31), `{"x": "`, strings.Repeat(`{"a":`, 31) + `"`} {
			text := head + strings.Repeat(piece, (1<<17)/len(piece))
			start := time.Now()
			_, _ = ParseReply(text)
			t.Logf("in %v", time.Since(start))
		}
	}
	var b strings.Builder
	b.WriteString(`{"answer": 1`)
	for i := range 100_000 {
		fmt.Fprintf(&b, `,"k%d":1`, i)
	}
	if _, err := ParseReply(b.String() + "}"); err != nil {
		t.Error(err)
	}
	items := strings.Repeat(`"a",`, 1_000_000)
	ref, err := NewReference(json.RawMessage(`["a"]`), category.Set, Asked{})
	if err != nil {
		t.Fatal(err)
	}
	if got := Score(`{"answer":[`+items[:3*MaxReply/4]+`"a"]}`, &ref, category.Set, "cousin"); got.Outcome != StrictlyRight {
		t.Error(got.Outcome, got.Reason)
	}
	for _, x := range []string{strings.Repeat("9", MaxReply-100), "0." + strings.Repeat("0", MaxReply-100) + "1", "1e" + strings.Repeat("9", MaxReply-100)} {
		for _, kind := range []category.Result{category.Integer, category.Float} {
			ref, err := NewReference(json.RawMessage("3"), kind, Asked{})
			if err != nil {
				t.Fatal(err)
			}
			if got := Score(`{"answer":`+x+`}`, &ref, kind, ""); got.Lenient {
				t.Errorf("%.20s: %s", x, got.Outcome)
			}
		}
	}
}

func TestDecimal(t *testing.T) {
	// In order; those of a line are equal.
	order := [][]string{
		{"-1e400"}, {"-10", "-1e1"}, {"-9.9"}, {"-0.01"}, {"-1e-999"}, {"0", "-0", "0e9", "-0.00", "0e-9"}, {"1e-999999999999999999"}, {"1e-999"}, {"0.0099"}, {"0.01", "1e-2"},
		{"0.1"}, {"1", "1.0", "10e-1", "0.01e+2"}, {"1.00000000000000000001"}, {"5"}, {"51e0"}, {"510"}, {"1e400"}, {"1e999999999999999999"},
	}
	for i, row := range order {
		for j, column := range order {
			for _, x := range row {
				for _, y := range column {
					want := 0
					switch {
					case i < j:
						want = -1
					case i > j:
						want = 1
					}
					if got := parseDecimal(x).compare(parseDecimal(y)); got != want {
						t.Errorf("%s and %s: %d", x, y, got)
					}
				}
			}
		}
	}
	for x, want := range map[string]string{"0": "0.01", "-0.01": "0", "-0.005": "0.005", "2.3333": "2.3433", "99.99": "100", "1e3": "1000.01", "-1e-5": "0.00999"} {
		if got := parseDecimal(x).plus(1); got != parseDecimal(want) {
			t.Errorf("%s + 0.01: %+v, want %s", x, got, want)
		}
	}
}

// TestPlus compares sums with fractions of any size.
func TestPlus(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	fraction := func(d decimal) *big.Rat {
		x, ok := new(big.Rat).SetString("0." + d.digits + "0e" + fmt.Sprint(d.point))
		if !ok {
			t.Fatalf("%+v", d)
		}
		if d.negative {
			x.Neg(x)
		}
		return x
	}
	for range 10_000 {
		text := fmt.Sprintf("%d.%de%d", r.Int64()>>r.IntN(63), r.Uint64()>>r.IntN(64), r.IntN(40)-20)
		for _, hundredths := range []int64{1, -1, 100, -100} {
			d := parseDecimal(text)
			got := d.plus(hundredths)
			if want := new(big.Rat).Add(fraction(d), big.NewRat(hundredths, 100)); fraction(got).Cmp(want) != 0 || got != d.minus().plus(-hundredths).minus() {
				t.Fatalf("%s + %d/100: %+v, want %s", text, hundredths, got, want)
			}
		}
	}
}

func (d decimal) minus() decimal {
	d.negative = d.digits != "" && !d.negative
	return d
}

func BenchmarkScore(b *testing.B) {
	ref, err := NewReference(json.RawMessage(`["bear","kiwi"]`), category.Set, Asked{Source: "lynx"})
	if err != nil {
		b.Fatal(err)
	}
	reply := "Let me see: lynx links to bear, and bear to kiwi. So the answer is\n```json\n{\"answer\": [\"kiwi\", \"bear\"]}\n```\n"
	b.SetBytes(int64(len(reply)))
	b.ReportAllocs()
	for b.Loop() {
		Score(reply, &ref, category.Set, "cousin")
	}
}
