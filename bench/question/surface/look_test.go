package surface

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ein/bench/question/category"
	"ein/bench/question/random"
)

func TestDomains(t *testing.T) {
	if len(domains) != 16 || domains[0].Name != "kinship" {
		t.Fatalf("%d domains, the first is %s", len(domains), domains[0].Name)
	}
	owner := map[string]string{}
	for i := range domains {
		d := &domains[i]
		for _, w := range []string{d.Node, d.Nodes, d.Forward.One, d.Forward.Many, d.Reverse.One, d.Reverse.Many,
			d.Mutual.One, d.Mutual.Many, d.Path} {
			if w == "" || w != strings.TrimSpace(w) {
				t.Errorf("%s: empty or untrimmed %q", d.Name, w)
			}
		}
		if !strings.HasPrefix(d.Path, "a ") && !strings.HasPrefix(d.Path, "an ") {
			t.Errorf("%s: path %q has no article", d.Name, d.Path)
		}
		for _, w := range d.Words() {
			// Five letters are a crude stem: supply, supplier.
			stem := w[:min(5, len(w))]
			if other, ok := owner[stem]; ok && other != d.Name {
				t.Errorf("%q of %s is also a word of %s", w, d.Name, other)
			}
			owner[stem] = d.Name
		}
	}
}

// functionWords is what a label must not be, whatever its case.
var functionWords = strings.Fields(`a about above after again all also am among an and any are as at be because been
	before being below between both but by can could did do does down during each either else every few first for from
	had has have he her here him his how i if in into is it its itself just least less many may me more most much must
	my neither no node nor not now of off on once one only or other our out over own path per same second shall she
	should so some such than that the their them then there these they this those three through to too two under until
	up us was we were what when where which while who whom whose why will with would you your zero true false none
	network links edges nodes reach reached reaches count number return otherwise average mean set answer`)

func TestLabels(t *testing.T) {
	shape := map[string]*regexp.Regexp{
		"letters": regexp.MustCompile(`^[A-Z]([0-9][0-9])?$`),
		"names":   regexp.MustCompile(`^[A-Z][a-z]{2,}$`),
		"servers": regexp.MustCompile(`^srv-[a-z]?[0-9][0-9]$`),
		"animals": regexp.MustCompile(`^[a-z]{3,}$`),
	}
	taken := map[string]string{}
	for _, w := range functionWords {
		taken[w] = "a function word"
	}
	for i := range domains {
		for _, w := range append(domains[i].Words(), common...) {
			taken[w] = "a word of " + domains[i].Name
		}
	}
	var all []string
	for _, p := range poolNames() {
		labels := Partition{}.Labels(p)
		if len(labels) < 2000 {
			t.Errorf("only %d %s", len(labels), p)
		}
		if core := len(poolNamed(p).core); core < 24 || core > 30 {
			t.Errorf("a core of %d %s", core, p)
		}
		for _, x := range labels {
			if !shape[p].MatchString(x) {
				t.Errorf("%q among %s", x, p)
			}
			// No two differ only by case either.
			low := strings.ToLower(x)
			if other, ok := taken[low]; ok {
				t.Errorf("%q of %s is %s", x, p, other)
			}
			taken[low] = "a label of " + p
			if len(x) > 1 {
				all = append(all, low)
			}
		}
	}
	// Sorted, a label that begins others stands right before one of them.
	slices.Sort(all)
	for i, x := range all[1:] {
		if strings.HasPrefix(x, all[i]) {
			t.Errorf("%q begins %q", all[i], x)
		}
	}
	if most := (Partition{}).MaxNodes(); most < 1000 {
		t.Errorf("only %d nodes", most)
	}
	if most := (Partition{1, 2}).MaxNodes(); most < 1000 {
		t.Errorf("only %d nodes in a half", most)
	}
}

// TestLook: a look depends on the key and the partition; n only makes it
// longer, and the family only decides whether the domain is kinship.
func TestLook(t *testing.T) {
	for i := range 100 {
		key := random.Key("look", fmt.Sprint(i))
		p := []Partition{{}, {0, 2}, {1, 2}, {4, 7}, {14, 15}}[i%5]
		big := Draw(key, category.Directed, min(300, p.MaxNodes()), p)
		for n := 1; n <= len(big.Labels); n += 1 + i%50 {
			for _, f := range families {
				l := Draw(key, f, n, p)
				if l.Pool != big.Pool || l.Style != big.Style || l.Order != big.Order ||
					!slices.Equal(l.Labels, big.Labels[:n]) {
					t.Fatalf("key %d, n = %d: %s %s %q", i, n, l.Pool, l.Style, l.Labels)
				}
				if f == category.Kinship && l.Domain.Name != "kinship" || f != category.Kinship && l.Domain != big.Domain {
					t.Fatalf("key %d, n = %d: domain %s", i, n, l.Domain.Name)
				}
			}
		}
		if seen := slices.Sorted(slices.Values(big.Labels)); len(slices.Compact(seen)) != len(big.Labels) {
			t.Fatalf("key %d: a label twice", i)
		}
	}
}

// TestShares: domains, pools, styles and labels come about equally often.
func TestShares(t *testing.T) {
	count := map[string]int{}
	const draws = 12000
	for i := range draws {
		l := Draw(random.Key("share", fmt.Sprint(i)), category.Directed, 4, Partition{})
		for _, s := range append(l.Labels, l.Domain.Name, l.Pool, string(l.Style)) {
			count[s]++
		}
	}
	check := func(name string, share float64) {
		if got := float64(count[name]); got < 0.8*share*draws || got > 1.2*share*draws {
			t.Errorf("%s: %v times, expected %v", name, got, share*draws)
		}
	}
	for _, d := range (Partition{}).Domains(category.Directed) {
		check(d.Name, 1./15)
	}
	for _, s := range Styles() {
		check(string(s), 1./5)
	}
	for _, name := range poolNames() {
		check(name, 1./4)
		for _, x := range poolNamed(name).core {
			check(x, 1./float64(len(poolNamed(name).core)))
		}
	}
}

func TestPartition(t *testing.T) {
	for of := 2; of <= MaxParts; of++ {
		labels, words, n := map[string]int{}, map[string]int{}, 0
		for part := range of {
			p := Partition{part, of}
			for _, pool := range poolNames() {
				own := p.Labels(pool)
				if len(own) < p.MaxNodes() {
					t.Errorf("%v: %d %s, but %d nodes", p, len(own), pool, p.MaxNodes())
				}
				n += len(own)
				for _, x := range own {
					if _, ok := labels[x]; ok {
						t.Errorf("%d parts share %s", of, x)
					}
					labels[x] = part
				}
			}
			for _, d := range p.Domains(category.Directed) {
				for _, w := range d.Words() {
					if other, ok := words[w]; ok && other != part {
						t.Errorf("%d parts share %s", of, w)
					}
					words[w] = part
				}
			}
			for i := range 100 {
				l := Draw(random.Key(fmt.Sprint(i)), category.TwoGraphs, min(20+i, p.MaxNodes()), p)
				if !slices.Contains(p.Domains(category.TwoGraphs), l.Domain) {
					t.Errorf("%v has drawn %s", p, l.Domain.Name)
				}
				for _, x := range l.Labels {
					if at, ok := labels[x]; !ok || at != part {
						t.Errorf("%v has drawn %s", p, x)
					}
				}
			}
		}
		total := 0
		for _, pool := range poolNames() {
			total += len(Partition{}.Labels(pool))
		}
		if n != total {
			t.Errorf("%d parts have %d labels together, not %d", of, n, total)
		}
	}
}

// TestSameSurface: another graph under the same key keeps every name, and
// another style or encoding keeps the order of the edges.
func TestSameSurface(t *testing.T) {
	for i := range 200 {
		key := random.Key("same", fmt.Sprint(i))
		s := random.New(key)
		c := randomCase(s, category.Directed, 9)
		l := Draw(key, category.Directed, 9, Partition{})
		again := Draw(key, category.Directed, 9, Partition{})
		first, second := l.Text(c), l.Text(c)
		if first != second || first != again.Text(c) {
			t.Fatal("a text is not the same the second time")
		}
		l.Style = Flat
		r := newReader(l.Domain, true)
		flat, err := r.text(l.Text(c), false)
		if err != nil {
			t.Fatal(err)
		}
		object, err := r.json(l.JSON(c), false)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(flat.edges[0], object.edges[0]) {
			t.Fatal("JSON has another order of edges")
		}
	}
}

// poolNames returns the names of the label pools.
func poolNames() (names []string) {
	for i := range pools {
		names = append(names, pools[i].name)
	}
	return names
}

// common is the words that are nobody's own: texts of every domain have them.
var common = strings.Fields("a an the is are has have in up to from of for with path")

// Words is the words of a domain's vocabulary that are its own, sorted: the
// tokens that texts of other domains do not take from theirs.
func (d *Domain) Words() []string {
	var out []string
	for _, s := range []string{d.Node, d.Nodes, d.Forward.One, d.Forward.Many, d.Reverse.One, d.Reverse.Many,
		d.Mutual.One, d.Mutual.Many, d.Path, d.Heirs.One, d.Heirs.Many} {
		for _, w := range strings.Fields(s) {
			if !slices.Contains(common, w) {
				out = append(out, w)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
