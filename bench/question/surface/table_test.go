package surface

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ein/bench/question/category"
	"ein/bench/question/random"
)

// TestTable reads back prompts of all categories in both phrasings, with the
// graphs and anchors that the categories draw themselves.
func TestTable(t *testing.T) {
	rounds := 120
	if testing.Short() {
		rounds = 10
	}
	placeholder := regexp.MustCompile(`\{[^}]*\}`)
	word := regexp.MustCompile(`[A-Za-z0-9'-]+`)
	labels := map[string]bool{}
	for _, p := range poolNames() {
		for _, x := range (Partition{}).Labels(p) {
			labels[strings.ToLower(x)] = true
		}
	}
	for i := range category.Table {
		cat := &category.Table[i]
		t.Run(cat.Name, func(t *testing.T) {
			t.Parallel()
			for i := range rounds {
				key := random.Key("table", cat.Name, fmt.Sprint(i))
				s := random.New(key)
				n := max(cat.Least, s.Between(4, 12))
				c := randomCase(s, cat.Family, n)
				for !cat.Draw(s, c) {
					c = randomCase(s, cat.Family, n)
				}
				l := Draw(key, cat.Family, n, Partition{})
				r := newReader(l.Domain, cat.Family != category.Undirected)
				for k, template := range []string{cat.Question(c, false), cat.Question(c, true), cat.Explicit(c)} {
					if k == 2 {
						l.Domain = l.Domain.Later()
						r = newReader(l.Domain, cat.Family != category.Undirected)
					}
					for _, w := range word.FindAllString(placeholder.ReplaceAllString(template, ""), -1) {
						if labels[strings.ToLower(w)] {
							t.Fatalf("%q of %q is a label", w, template)
						}
					}
					if err := readBack(r, &l, c, template, cat.Family == category.TwoGraphs); err != nil {
						t.Fatalf("%v\n%s", err, l.Prompt(NL, c, template))
					}
				}
			}
		})
	}
}
