// Package surface turns a graph and a question into English: a [category.Case] and the template of
// a question go in, the text that a model is asked comes out.
//
// [Draw] makes a [Look] from a key: a [Domain], which gives nodes and edges their words, labels, a
// [Style] of sentences, and the order of the edges. [Look.Prompt] writes a graph by it in an
// [Encoding], and below it the question, whose placeholders [Look.Question] fills. A [Partition]
// is the part of the labels and domains that a draw may use, so that training and test data share
// none.
//
// Three things hold. A Look never depends on the graph, nor a graph on the Look, so the two can be
// varied one at a time. From every text the graph can be read back: a domain has one verb for each
// direction, and a reader in the tests reads all. And what a key gives is published, so words and
// sentences change only with the version of the generator.
//
// Package category words the templates and knows the answers; this one does not.
package surface

import (
	"fmt"

	"ein/bench/question/category"
	"ein/bench/question/random"
	"ein/internal/lists"
)

// Verb is a relation between two nodes as a sentence says it: for one subject
// ("ships to"), for several ("ship to"). The plural is also the base form after
// "does" and "do", except in the kinship domain ("are parents of").
type Verb struct{ One, Many string }

// Domain is the frame of a text. A domain has one verb for each direction and no
// synonyms: with two, a reader could not know whether a question that uses one
// of them asks about the other as well.
type Domain struct {
	Name    string
	Node    string // one node, "supplier"
	Nodes   string // "suppliers"
	Forward Verb   // From Forward To: "ships to"
	Reverse Verb   // To Reverse From: "receives components from"
	Mutual  Verb   // symmetric, for undirected graphs: "trades with"
	Path    string // with its article: "a supply path"
	Heirs   Verb   // the targets of a node as a noun ("child of"); empty: "supplier that X ships to"
}

// Style is how the edges are put into sentences. Only the sentences of the text
// have a style; the other encodings have none.
type Style string

// The styles.
const (
	Flat     Style = "flat"      // one sentence per edge
	BySource Style = "by_source" // one sentence per source, or for sources of the same single target
	ByTarget Style = "by_target" // the same from the targets, with the reverse verbs
	Mixed    Style = "mixed"     // single edges and groups of either kind, in either direction
	Varied   Style = "varied"    // one sentence per source, each phrased in its own way
)

// Styles returns all styles, in the order they are drawn from.
func Styles() []Style { return []Style{Flat, BySource, ByTarget, Mixed, Varied} }

// MaxParts is the largest Of: every part has at least one domain besides kinship.
const MaxParts = len(domains) - 1

// Partition restricts what a split may use; the zero value is everything. Two
// partitions with the same Of and different Part have no label in common, and
// no domain but kinship, whose questions need the same words in every split.
//
// Domains and labels are dealt out like cards: part p has each domain and each
// label of each pool whose position is p modulo Of. So every part has all four
// pools in equal shares, and a difference between two splits is not one between
// their pools.
type Partition struct{ Part, Of int }

// norm returns the partition with Of at least 1.
func (p Partition) norm() Partition {
	if p == (Partition{}) {
		return Partition{0, 1}
	}
	if p.Of < 1 || p.Of > MaxParts || p.Part < 0 || p.Part >= p.Of {
		panic(fmt.Sprintf("BUG: surface: part %d of %d", p.Part, p.Of))
	}
	return p
}

// of returns how many of n items go to the part, dealt like cards.
func (p Partition) of(n int) int { return (n - p.Part + p.Of - 1) / p.Of }

// at returns the position of the i-th item of the part.
func (p Partition) at(i int) int { return i*p.Of + p.Part }

// MaxNodes returns how many nodes every pool has labels for.
func (p Partition) MaxNodes() int {
	p = p.norm()
	most := pools[0].size(p)
	for i := range pools {
		most = min(most, pools[i].size(p))
	}
	return most
}

// Domains returns the domains that a part may use for a family.
func (p Partition) Domains(f category.Family) []*Domain {
	if f == category.Kinship {
		return []*Domain{&domains[0]}
	}
	p = p.norm()
	return lists.Map(lists.Upto(p.of(len(domains)-1)), func(i int) *Domain { return &domains[1+p.at(i)] })
}

// Labels returns all labels of a pool that a part may use, in the order of the pool.
func (p Partition) Labels(name string) []string {
	p = p.norm()
	l := poolNamed(name)
	var out []string
	for i := range p.of(len(l.core)) {
		out = append(out, l.core[p.at(i)])
	}
	for i := range p.of(l.extra) {
		out = append(out, l.more(p.at(i)))
	}
	return out
}

// Look is everything about a text but the graph and the question.
type Look struct {
	Domain *Domain
	Pool   string
	Style  Style
	Labels []string // by node
	Order  [32]byte // the key of the order of the edges and of the choices of phrasing
}

// Draw returns the look of a surface key for a graph of n nodes. Pool, style and the
// label of a node depend only on the key and the partition, whatever the family
// and n; the domain also on whether the family is kinship.
//
// It panics when n exceeds MaxNodes of the partition.
func Draw(key [32]byte, f category.Family, n int, p Partition) Look {
	if most := p.MaxNodes(); n > most {
		panic(fmt.Sprintf("BUG: surface: %d nodes, labels for %d", n, most))
	}
	sub := func(part string) [32]byte { return random.Key("surface", string(key[:]), part) }
	one := func(part string, n int) int { return random.New(sub(part)).IntN(n) }
	ds, styles := p.Domains(f), Styles()
	l := &pools[one("pool", len(pools))]
	return Look{
		Domain: ds[one("domain", len(ds))],
		Pool:   l.name,
		Style:  styles[one("style", len(styles))],
		Labels: l.draw(random.New(sub("labels")), n, p.norm()),
		Order:  sub("order"),
	}
}
