package surface

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A reader reads texts back. It knows the words of a domain and the sentences
// people make of them, and nothing of how the generator goes about it.
type reader struct {
	d        *Domain
	directed bool
	forms    []form
}

// A form is one kind of sentence. In its pattern, L is a label, LL a list of at
// least two, and LS any list.
type form struct {
	pattern *regexp.Regexp
	back    bool // the first group is the targets
	varied  bool
	count   bool // the second group is how many targets there are
}

const (
	label = `[A-Za-z0-9-]+`
	both  = label + ` and ` + label
	three = label + `(?:, ` + label + `)+, and ` + label
)

func newReader(d *Domain, directed bool) *reader {
	r := &reader{d: d, directed: directed}
	add := func(pattern string, back, varied, count bool) {
		p := strings.NewReplacer(
			"<L>", "("+label+")", "<LL>", "("+both+"|"+three+")", "<LS>", "("+label+"|"+both+"|"+three+")",
			"<2>", "("+both+")", "<3>", "("+three+")").Replace(pattern)
		r.forms = append(r.forms, form{regexp.MustCompile("^" + p + "$"), back, varied, count})
	}
	verb := func(v Verb, back bool) {
		add("<L> "+v.One+" <LS>", back, false, false)
		add("<LL> "+v.Many+" <L>", back, false, false)
		add("<L> "+v.One+" both <2>", back, true, false)
		add("<L> "+v.One+" each of <3>", back, true, false)
		add("[Bb]oth <2> "+v.Many+" <L>", back, true, false)
		add("[Ee]ach of <3> "+v.One+" <L>", back, true, false)
	}
	if !directed {
		verb(d.Mutual, false)
		add("<L> and <L> "+d.Mutual.Many+" each other", false, true, false)
		return r
	}
	verb(d.Forward, false)
	verb(d.Reverse, true)
	add("<L> "+d.Forward.One+" ([0-9]+) "+d.Nodes+": <LL>", false, true, true)
	if d.Name == "kinship" {
		add("[Tt]he only child of <L> is <L>", false, true, false)
		add("[Tt]he children of <L> are <LL>", false, true, false)
	} else {
		add("[Tt]he only "+d.Node+" that <L> "+d.Forward.One+" is <L>", false, true, false)
		add("[Tt]he "+d.Nodes+" that <L> "+d.Forward.One+" are <LL>", false, true, false)
	}
	return r
}

// A sentence is what one sentence says.
type sentence struct {
	back, varied     bool
	sources, targets []string
}

// A reading is what a text says; two networks have the numbers 0 and 1.
type reading struct {
	nodes     []string
	sentences [2][]sentence
	edges     [2][][2]string
}

// opening is how a sentence begins that does not begin with a label.
var opening = regexp.MustCompile(`^([Tt]he|[Bb]oth|[Ee]ach) `)

// text reads a text without its question.
func (r *reader) text(s string, two bool) (*reading, error) {
	body, ok := strings.CutSuffix(s, ".")
	if !ok {
		return nil, fmt.Errorf("no period at the end")
	}
	parts := strings.Split(body, ". ")
	var out reading
	var err error
	if out.nodes, err = r.declared(parts[0]); err != nil {
		return nil, err
	}
	network, seen := 0, [2]bool{!two, false}
	for _, p := range parts[1:] {
		first := ""
		for i, name := range []string{"first", "second"} {
			rest, leads := strings.CutPrefix(p, "In the "+name+" network, ")
			none := p == "The "+name+" network has no links"
			if !leads && !none {
				continue
			}
			if !two || seen[i] || i == 1 && !seen[0] {
				return nil, fmt.Errorf("%q is out of place", p)
			}
			network, seen[i], first, p = i, true, name, rest
			if none {
				p = ""
			}
		}
		if p == "No "+r.d.Node+" "+r.one()+" another" && !two && len(parts) == 2 || p == "" {
			continue
		}
		if !seen[network] {
			return nil, fmt.Errorf("%q is in no network", p)
		}
		// A word begins with a capital exactly where it begins a sentence.
		if m := opening.FindString(p); m != "" && (m == strings.ToLower(m)) != (first != "") {
			return nil, fmt.Errorf("%q: wrong capital", p)
		}
		say, err := r.sentence(p)
		if err != nil {
			return nil, err
		}
		out.sentences[network] = append(out.sentences[network], say)
		for _, a := range say.sources {
			for _, b := range say.targets {
				out.edges[network] = append(out.edges[network], [2]string{a, b})
			}
		}
	}
	if len(parts) == 1 || two && seen != [2]bool{true, true} {
		return nil, fmt.Errorf("a network is missing")
	}
	return &out, out.check(r.directed)
}

func (r *reader) one() string {
	if r.directed {
		return r.d.Forward.One
	}
	return r.d.Mutual.One
}

func (r *reader) declared(s string) ([]string, error) {
	head, list, ok := strings.Cut(s, ": ")
	nodes := strings.Split(list, ", ")
	want := fmt.Sprintf("There are %d %s", len(nodes), r.d.Nodes)
	if len(nodes) == 1 {
		want = "There is 1 " + r.d.Node
	}
	if !ok || head != want {
		return nil, fmt.Errorf("%q, not %q", head, want)
	}
	return nodes, nil
}

var commas = strings.NewReplacer(", and ", ",", " and ", ",", ", ", ",")

func split(list string) []string { return strings.Split(commas.Replace(list), ",") }

// sentence fails unless exactly one reading of s exists.
func (r *reader) sentence(s string) (sentence, error) {
	var found []sentence
	for _, f := range r.forms {
		m := f.pattern.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		a, b := split(m[1]), split(m[len(m)-1])
		if f.count && m[2] != strconv.Itoa(len(b)) {
			return sentence{}, fmt.Errorf("%q: %d counted", s, len(b))
		}
		if f.back {
			a, b = b, a
		}
		found = append(found, sentence{f.back, f.varied, a, b})
	}
	if len(found) != 1 {
		return sentence{}, fmt.Errorf("%q has %d readings", s, len(found))
	}
	return found[0], nil
}

// check finds names that are not declared, and edges that are told twice.
func (o *reading) check(directed bool) error {
	known := map[string]bool{}
	for _, x := range o.nodes {
		if known[x] {
			return fmt.Errorf("%s is declared twice", x)
		}
		known[x] = true
	}
	for i := range o.edges {
		seen := map[[2]string]bool{}
		for _, e := range o.edges[i] {
			if !known[e[0]] || !known[e[1]] {
				return fmt.Errorf("%v is not declared", e)
			}
			if seen[e] || !directed && seen[[2]string{e[1], e[0]}] {
				return fmt.Errorf("%v is told twice", e)
			}
			seen[e] = true
		}
	}
	return nil
}

// style checks what a style promises.
func (o *reading) style(s Style, directed bool) error {
	for _, sentences := range o.sentences {
		var sources, targets []string
		for _, t := range sentences {
			sources, targets = append(sources, t.sources...), append(targets, t.targets...)
			if t.varied && s != Varied {
				return fmt.Errorf("a varied sentence in %s", s)
			}
			if (s == Flat || s == BySource) && t.back || s == ByTarget && directed && !t.back {
				return fmt.Errorf("wrong direction of the verb in %s", s)
			}
			if s == Flat && len(t.sources)*len(t.targets) != 1 || s == Varied && directed && len(t.sources) != 1 {
				return fmt.Errorf("a sentence of %d x %d in %s", len(t.sources), len(t.targets), s)
			}
		}
		slices.Sort(sources)
		slices.Sort(targets)
		if directed && (s == BySource || s == Varied) && len(slices.Compact(sources)) != len(sources) ||
			directed && s == ByTarget && len(slices.Compact(targets)) != len(targets) {
			return fmt.Errorf("a node has two sentences in %s", s)
		}
	}
	return nil
}

// json reads the JSON encoding.
func (r *reader) json(s string, two bool) (*reading, error) {
	intro, object, _ := strings.Cut(s, "\n")
	want := "In each edge, the first " + r.d.Node + " " + r.d.Forward.One + " the second."
	if !r.directed {
		want = "The two " + r.d.Nodes + " of each edge " + r.d.Mutual.Many + " each other."
	}
	if !strings.HasSuffix(intro, want) || strings.Contains(intro, "edges2") != two {
		return nil, fmt.Errorf("%q", intro)
	}
	var v struct {
		Nodes  []string     `json:"nodes"`
		Edges  *[][2]string `json:"edges"`
		Edges2 *[][2]string `json:"edges2"`
	}
	dec := json.NewDecoder(strings.NewReader(object))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if v.Edges == nil || (v.Edges2 != nil) != two || dec.More() {
		return nil, fmt.Errorf("members of %s", object)
	}
	out := &reading{nodes: v.Nodes}
	out.edges[0] = *v.Edges
	if two {
		out.edges[1] = *v.Edges2
	}
	return out, out.check(r.directed)
}

// matrix reads the matrix encoding.
func (r *reader) matrix(s string, two bool) (*reading, error) {
	lines := strings.Split(s, "\n")
	verb := r.d.Mutual.One
	if r.directed {
		verb = r.d.Forward.One
	}
	if !strings.Contains(lines[0], "the "+r.d.Node+" of the row "+verb+" the "+r.d.Node+" of the column") {
		return nil, fmt.Errorf("%q", lines[0])
	}
	out := &reading{}
	lines = lines[1:]
	for i := range 2 {
		if i == 1 && !two {
			break
		}
		if two {
			if lines[0] != []string{"First network:", "Second network:"}[i] {
				return nil, fmt.Errorf("%q", lines[0])
			}
			lines = lines[1:]
		}
		nodes := strings.Fields(lines[0])
		if out.nodes != nil && !slices.Equal(nodes, out.nodes) {
			return nil, fmt.Errorf("other columns: %q", lines[0])
		}
		out.nodes = nodes
		rows := make([][]string, len(nodes))
		for a, line := range lines[1 : 1+len(nodes)] {
			rows[a] = strings.Fields(line)
			if len(line) != len(lines[0]) || len(rows[a]) != 1+len(nodes) || rows[a][0] != nodes[a] {
				return nil, fmt.Errorf("row %q", line)
			}
			for b, cell := range rows[a][1:] {
				switch {
				case cell != "0" && cell != "1":
					return nil, fmt.Errorf("%s under %s in %q", cell, nodes[b], line)
				case !r.directed && b < a: // below the diagonal, the matrix repeats itself
					if rows[b][1+a] != cell {
						return nil, fmt.Errorf("%s and %s are not symmetric", nodes[a], nodes[b])
					}
				case cell == "1":
					out.edges[i] = append(out.edges[i], [2]string{nodes[a], nodes[b]})
				}
			}
		}
		lines = lines[1+len(nodes):]
	}
	if len(lines) > 0 {
		return nil, fmt.Errorf("%d lines left", len(lines))
	}
	return out, out.check(r.directed)
}
