package surface

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"ein/bench/question/category"
	"ein/bench/question/random"
	"ein/internal/golden"
)

// sampleQuestions uses every word of a domain that a wording can use.
var sampleQuestions = map[string]string{
	"directed": "Is there {path} from {X} to {Y}? How many {nodes} does {X} {forward}? How many {nodes} does {X} {reverse}? " +
		"Which {node} {forward one} the most {nodes}? Which {node} {reverse one} the most {nodes}?",
	"undirected": "How many {nodes} does {X} {mutual}? How many groups of three {nodes} {mutual} each other? Which {node} {mutual one} {Y}?",
	"kinship":    "Which {nodes} {reverse} {X}? Who {forward one} {X}, and is there {path} from {X} to {Y}?",
	"two graphs": "How many {nodes} can {X} reach in exactly one of the two networks?",
}

// TestSamples keeps texts for people to read: one for each domain and style,
// and some of the other families and encodings.
func TestSamples(t *testing.T) {
	var b strings.Builder
	show := func(name string, d *Domain, style Style, e Encoding, n, p int) {
		f := families[name]
		key := random.Key("sample", name, d.Name, string(style), string(e))
		s := random.New(key)
		c := &category.Case{G: randomGraph(s, f, n, p), Query: category.Query{Source: 0, Target: 1}}
		if f == category.TwoGraphs {
			c.G2 = randomGraph(s, f, n, p)
		}
		l := Draw(key, f, n, Partition{})
		l.Domain, l.Style = d, style
		fmt.Fprintf(&b, "== %s, %s, %s, %s\n%s\n\n", d.Name, style, name, e, l.Prompt(e, c, sampleQuestions[name]))
	}
	all := (Partition{}).Domains(category.Directed)
	for i, d := range all {
		for j, style := range Styles() {
			show("directed", d, style, NL, 4+(i+j)%4, 30)
		}
		show("undirected", d, Styles()[i%5], NL, 6, 40)
		show("two graphs", d, Styles()[(i+2)%5], NL, 4, 30)
	}
	for _, style := range Styles() {
		show("kinship", &domains[0], style, NL, 7, 50)
		show("kinship", &domains[0], style, NL, 3, 60)
	}
	show("undirected", all[2], Varied, NL, 8, 30)
	show("undirected", all[4], Varied, NL, 8, 50)
	show("directed", all[4], Mixed, NL, 10, 50)
	show("directed", all[6], BySource, NL, 3, 0)
	show("undirected", all[7], BySource, NL, 3, 0)
	show("two graphs", all[8], BySource, NL, 3, 0)
	show("directed", all[9], Flat, NL, 40, 2)
	for i, name := range []string{"directed", "undirected", "two graphs"} {
		show(name, all[i], Flat, JSON, 5, 30)
		show(name, all[i], Flat, Matrix, 5, 30)
	}
	show("kinship", &domains[0], Flat, JSON, 6, 50)
	show("kinship", &domains[0], Flat, Matrix, 6, 50)
	golden.File(t, "testdata/samples.txt", b.String())
}

// TestDigests pins a thousand prompts, all drawn as instances are. A change of
// a digest is a new version of the generator.
func TestDigests(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		key := random.Key("digest", fmt.Sprint(i))
		s := random.New(key)
		name := []string{"directed", "undirected", "kinship", "two graphs"}[i%4]
		n := s.Between(1, 12)
		if i%50 == 0 {
			n = 60
		}
		c := randomCase(s, families[name], n)
		p := []Partition{{}, {}, {0, 2}, {1, 3}}[s.IntN(4)]
		l := Draw(key, families[name], n, p)
		h := sha256.New()
		for _, e := range Encodings() {
			h.Write([]byte(l.Prompt(e, c, everything) + "\n"))
		}
		fmt.Fprintf(&b, "%d %s %x\n", i, strings.ReplaceAll(name, " ", "_"), h.Sum(nil))
	}
	golden.File(t, "testdata/digests.txt", b.String())
}

func BenchmarkText(b *testing.B) {
	for _, style := range Styles() {
		for _, n := range []int{10, 100} {
			b.Run(fmt.Sprintf("%s/n=%d", style, n), func(b *testing.B) {
				key := random.Key("bench")
				c := &category.Case{G: randomGraph(random.New(key), category.Directed, n, 30), Query: category.Query{Source: 0, Target: 1}}
				b.ReportAllocs()
				for b.Loop() {
					l := Draw(key, category.Directed, n, Partition{})
					l.Style = style
					l.Prompt(NL, c, "Is there {path} from {X} to {Y}?")
				}
			})
		}
	}
}
