package instance

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"strconv"
	"strings"

	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/bench/question/random"
	"ein/internal/table"
)

// Seen is instances that others are to be kept apart from: no shared id, no
// isomorphic pair of graph and query in the same category, and, with Surface, no
// shared label or domain but that of kinship.
type Seen struct {
	Surface bool

	ids, structures map[hash128]struct{}
	labels, domains map[string]struct{}
	parts           map[[3]int]struct{} // and the side
	count           int
	sum             hash.Hash // of the structures, in order
}

// shared is the one domain that splits may share: questions about kinship need the words of kinship.
const shared = "kinship"

// hash128 is half a SHA-256: a set of it has room for millions.
type hash128 [16]byte

// NewSeen returns a Seen without instances.
func NewSeen(surface bool) *Seen {
	return &Seen{Surface: surface, ids: map[hash128]struct{}{}, structures: map[hash128]struct{}{},
		labels: map[string]struct{}{}, domains: map[string]struct{}{}, parts: map[[3]int]struct{}{}, sum: sha256.New()}
}

// idHash is half of a SHA-256: millions of ids are kept, and none of them collide by chance.
func idHash(id string) hash128 {
	h := sha256.Sum256([]byte(id))
	return hash128(h[:16])
}

// Add adds an instance.
func (s *Seen) Add(in *Instance) error {
	h, err := Structure(in)
	if err != nil {
		return err
	}
	s.count++
	s.ids[idHash(in.ID)] = struct{}{}
	s.structures[hash128(h[:16])] = struct{}{}
	s.sum.Write(h[:])
	for _, l := range in.Nodes {
		s.labels[token(l)] = struct{}{}
	}
	if in.Domain != shared {
		s.domains[token(in.Domain)] = struct{}{}
	}
	part := [3]int{}
	if id, err := ParseID(in.ID); err == nil {
		part = [3]int{id.Part, id.Parts, id.side()}
	}
	s.parts[part] = struct{}{}
	return nil
}

// token returns a label or domain in the form in which it is compared: without case.
func token(s string) string { return strings.ToLower(s) }

// FreePart returns a part of the labels and domains on the side of an id that none of the instances
// uses. There are as many parts as these instances were made with.
func (s *Seen) FreePart(id ID) (part, parts int, err error) {
	side, used := id.side(), map[int]bool{}
	for p := range s.parts {
		switch {
		case p[2] != side:
			continue
		case p[1] == 0:
			return 0, 0, fmt.Errorf("the instances to be kept apart from draw on all labels and domains, so none are left: generate those with --disjoint-surface too, or with a part such as --part 1.2")
		case parts != 0 && p[1] != parts:
			return 0, 0, fmt.Errorf("the instances to be kept apart from use parts of %d and parts of %d; only parts of the same number are apart", parts, p[1])
		}
		parts, used[p[0]] = p[1], true
	}
	if parts == 0 {
		return 1, 2, nil
	}
	for part = 1; part <= parts; part++ {
		if !used[part] {
			return part, parts, nil
		}
	}
	return 0, 0, fmt.Errorf("the instances to be kept apart from use all %d parts of the labels and domains: generate those with more parts, as in --part 1.%d", parts, min(parts+1, MaxParts))
}

// knows reports whether an instance has a structure; a nil Seen has none.
func (s *Seen) knows(structure [32]byte) bool {
	if s == nil {
		return false
	}
	_, ok := s.structures[hash128(structure[:16])]
	return ok
}

// Clash returns what an instance shares with those of s: "id", "structure", "label" or "domain", or ""
// for nothing.
func (s *Seen) Clash(in *Instance) string {
	if _, ok := s.ids[idHash(in.ID)]; ok {
		return "id"
	}
	h, err := Structure(in)
	if err != nil {
		return "structure" // it has no place beside others
	}
	if s.knows(h) {
		return "structure"
	}
	if !s.Surface {
		return ""
	}
	for _, l := range in.Nodes {
		if _, ok := s.labels[token(l)]; ok {
			return "label"
		}
	}
	if _, ok := s.domains[token(in.Domain)]; ok && in.Domain != shared {
		return "domain"
	}
	return ""
}

// Proof compares two sets of instances; the second was generated to be apart from the first.
type Proof struct{ seen, made *Seen }

// NewProof begins a proof that the instances passed to Add are apart from seen.
func NewProof(seen *Seen) *Proof { return &Proof{seen, NewSeen(seen.Surface)} }

// Add takes an instance of the new set in.
func (p *Proof) Add(in *Instance) error { return p.made.Add(in) }

// shared counts what both sets have. Structures are counted up to isomorphism, labels and domains up
// to case.
func (p *Proof) shared() (ids, structures, labels, domains int) {
	return common(p.seen.ids, p.made.ids), common(p.seen.structures, p.made.structures), common(p.seen.labels, p.made.labels), common(p.seen.domains, p.made.domains)
}

// Finish compares the sets. The error says what they share.
func (p *Proof) Finish() error {
	ids, structures, labels, domains := p.shared()
	if ids+structures > 0 || p.seen.Surface && labels+domains > 0 {
		return fmt.Errorf("the two sets share %d ids, %d structures, %d labels and %d domains", ids, structures, labels, domains)
	}
	return nil
}

func common[K comparable](a, b map[K]struct{}) int {
	n := 0
	for k := range b {
		if _, ok := a[k]; ok {
			n++
		}
	}
	return n
}

// String returns the proof for people.
func (p *Proof) String() string {
	var rows [][]string
	row := func(name string, old, made, shared any) {
		rows = append(rows, []string{name, fmt.Sprint(old), fmt.Sprint(made), fmt.Sprint(shared)})
	}
	ids, structures, labels, domains := p.shared()
	row("disjoint", "existing", "new", "shared")
	row("instances", p.seen.count, p.made.count, "")
	row("ids", len(p.seen.ids), len(p.made.ids), ids)
	row("structures", len(p.seen.structures), len(p.made.structures), structures)
	if p.seen.Surface {
		row("labels", len(p.seen.labels), len(p.made.labels), labels)
		row("domains", len(p.seen.domains), len(p.made.domains), domains)
	}
	return table.Of(rows).Text() + fmt.Sprintf("Structures are graph, anchors and category up to isomorphism. SHA-256 of the\ncanonical forms in order: existing %x,\nnew %x.\n", p.seen.sum.Sum(nil), p.made.sum.Sum(nil))
}

// trainingSplits is the prefix of the names of splits on the training side.
const trainingSplits = "train"

// HeldOut reports whether a split of a generator is reserved for scoring.
func HeldOut(version, split string) bool {
	if version == Version {
		return split == "heldout" || strings.HasPrefix(split, "fresh") || strings.HasPrefix(split, "test")
	}
	return !strings.HasPrefix(split, trainingSplits)
}

// side returns which labels and domains an id may use: all of them, those of the
// training side, or those of the other.
func (id ID) side() int {
	switch {
	case id.Version == Version:
		return 0
	case id.training():
		return 1
	}
	return 2
}

// canonical returns the form of the graphs and the nodes asked about: equal for
// isomorphic ones.
func canonical(c *category.Case) [32]byte {
	q := &c.Query
	colors := make([]int, c.G.N)
	if q.Source != category.None {
		colors[q.Source] |= 1
	}
	if q.Target != category.None {
		colors[q.Target] |= 2
	}
	var g2 *graph.Graph
	if c.G2.N > 0 {
		g2 = &c.G2
	}
	return graph.Canonical(&c.G, g2, colors)
}

// training reports whether a question of cb2 is on the training side, which its category, graphs
// and anchors decide for ever: the SHA-256 of the name of the generator, "side", the category and
// the canonical form, each preceded by its length, ends in an even byte. See graph.Canonical.
func training(name string, form [32]byte) bool {
	key := random.Key(Default, "side", name, string(form[:]))
	return key[len(key)-1]&1 == 0
}

// Structure returns the canonical form of everything that decides the answer of an instance: it is
// equal for two of one category with isomorphic graphs and anchors and the same thresholds.
func Structure(in *Instance) ([32]byte, error) {
	c, err := in.Case()
	if err != nil {
		return [32]byte{}, err
	}
	return structure(in.Version, in.Category, &c.Query, canonical(&c)), nil
}

// structure is the key of a question up to the names of its nodes: form is that of its graph with
// the anchors, in canonical form. cb1 has fewer parameters, and its keys must not change.
func structure(version, name string, q *category.Query, form [32]byte) [32]byte {
	parts := []string{name, string(form[:]), q.Direction, strconv.Itoa(q.Threshold), strconv.Itoa(q.MinIn), strconv.Itoa(q.MinOut)}
	if version != Version {
		parts = append(parts, strconv.Itoa(q.MaxOut), q.Aggregate)
	}
	return random.Key(append(parts, q.Steps...)...)
}
