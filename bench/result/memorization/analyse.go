package memorization

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"ein/bench/ask/run"
	"ein/bench/question/answer"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/internal/lists"
	"ein/internal/stats"
	"ein/internal/words"
)

// Options say how to analyse runs. The zero value stands for the defaults. Numbers are between 0
// and 1.
type Options struct {
	Alpha    float64          // intervals have confidence 1 - Alpha; default 0.05
	Lenient  bool             // gaps are of lenient accuracy
	Mode     prompt.Mode      // only answers in this mode; needed when there are several
	Encoding surface.Encoding // only answers to this encoding; needed when there are several
	Parts    Parts            // of questions whose texts were not read
}

// DefaultAlpha is the default of Options.
const DefaultAlpha = 0.05

// Epoch holds the answers of a model at one point of its training.
type Epoch struct {
	Name string
	Rows map[Cell][]*run.Row
}

// Membership assigns each question to its cell. Questions with the same number in four belong
// together, one in each cell.
type Membership struct {
	Cells []Cell
	cell  map[string]Cell // by id, without the encoding
	four  map[string]int
}

// NewMembership returns the membership of the cells that Generate made.
func NewMembership(cells map[Cell][]*instance.Instance) (*Membership, error) {
	m := &Membership{present(cells), map[string]Cell{}, map[string]int{}}
	for _, c := range present(cells) {
		if len(cells[c]) != len(cells[Seen]) {
			return nil, fmt.Errorf("the cell %s has %d questions, but the cell %s has %d: they were not generated together", c, len(cells[c]), Seen, len(cells[Seen]))
		}
		for i, in := range cells[c] {
			id := instance.Base(in.ID)
			if other, twice := m.cell[id]; twice {
				return nil, fmt.Errorf("%s is in two cells, %s and %s", in.ID, other, c)
			}
			m.cell[id], m.four[id] = c, i
		}
	}
	return m, nil
}

// Split sorts the rows of a run over the cells.
func (m *Membership) Split(r *run.Run) (map[Cell][]*run.Row, error) {
	out := map[Cell][]*run.Row{}
	for i := range r.Rows {
		row := &r.Rows[i]
		c, ok := m.cell[instance.Base(row.ID)]
		if !ok {
			return nil, fmt.Errorf("%s: %s is in no cell", r.Dir, row.ID)
		}
		out[c] = append(out[c], row)
	}
	return out, nil
}

// Report is the result of Analyse.
type Report struct {
	Version int           `json:"version"`
	Alpha   float64       `json:"alpha"`
	Power   float64       `json:"power"`
	Lenient bool          `json:"lenient"`
	Epochs  []EpochReport `json:"epochs"`
	// Changes is the gaps of the last epoch less those of the first; empty with one
	// epoch.
	Changes []Gap `json:"changes"`
}

// EpochReport is the accuracy of an epoch in each cell, and the gaps between cells.
type EpochReport struct {
	Name  string       `json:"name"`
	Cells []CellReport `json:"cells"` // those that have questions
	Gaps  []Gap        `json:"gaps"`
}

// Share returns the share of right answers in a cell; nil without answers.
func (e *EpochReport) Share(c Cell, lenient bool) *stats.Share {
	for i := range e.Cells {
		if e.Cells[i].Cell == c {
			return e.Cells[i].In(answer.Counted(lenient))
		}
	}
	return nil
}

// gap returns the gap with a name; nil without one.
func (e *EpochReport) gap(name string) *Gap {
	if i := slices.IndexFunc(e.Gaps, func(g Gap) bool { return g.Name == name }); i >= 0 {
		return &e.Gaps[i]
	}
	return nil
}

// CellReport counts the answers of a cell.
type CellReport struct {
	Cell                        Cell `json:"cell"`
	Asked                       int  `json:"asked"`
	Missing                     int  `json:"missing"` // without a reply
	Infra                       int  `json:"infra_errors"`
	Clashes                     int  `json:"clashes"` // left out: they share other parts with the questions seen than the cell says
	answer.ByMode[*stats.Share]      // null without answers
}

// Gap is a weighted sum of the accuracies of cells.
type Gap struct {
	Name     string         `json:"name"`
	Meaning  string         `json:"meaning"`
	Value    float64        `json:"value"`
	Interval stats.Interval `json:"interval"`
	SE       float64        `json:"se"`
	P        float64        `json:"p"`
	Holm     float64        `json:"p_holm"` // adjusted for the gaps of an epoch
	Method   string         `json:"method"` // of interval and p: one of Paired, Unpaired, Clustered
	// MinimumEffect is the smallest gap that the design finds with the power asked for; null when
	// there is none.
	MinimumEffect *float64 `json:"minimum_effect"`
}

// The methods of a gap.
const (
	Paired    = "paired"    // Tango, McNemar's mid-p: each question has one partner
	Unpaired  = "unpaired"  // Newcombe, z: no question has a partner
	Clustered = "clustered" // cluster-robust, t
)

// gaps are the differences that are reported, where their cells exist.
var gaps = []struct {
	meaning string
	of      []term
	plotted bool
}{
	{"memorised in all", []term{{Seen, 1}, {Fresh, -1}}, true},
	{"lost with the surface", []term{{Seen, 1}, {Structure, -1}}, true},
	{"lost with the structure", []term{{Seen, 1}, {Surface, -1}}, true},
	{"lost on the other side", []term{{Seen, 1}, {Apart, -1}}, true},
	{"memory of structures", []term{{Structure, 1}, {Fresh, -1}}, false},
	{"memory of surfaces", []term{{Surface, 1}, {Fresh, -1}}, false},
	{"memory of texts alone", []term{{Seen, 1}, {Structure, -1}, {Surface, -1}, {Fresh, 1}}, true},
}

// term is a cell in a gap, a sum of the accuracies of cells with these weights.
type term struct {
	cell   Cell
	weight float64
}

// nameOf shows a gap as a sum of cells.
func nameOf(terms []term) string {
	s := ""
	for i, t := range terms {
		if t.weight < 0 {
			s += " - "
		} else if i > 0 {
			s += " + "
		}
		s += string(t.cell)
	}
	return s
}

// Analyse reports the epochs, in order. member may be nil; then only questions that
// share a structure or a surface belong together.
func Analyse(epochs []Epoch, member *Membership, opt Options) (*Report, error) {
	opt.Alpha = cmp.Or(opt.Alpha, DefaultAlpha)
	r := &Report{Version: 1, Alpha: opt.Alpha, Power: stats.Power, Lenient: opt.Lenient, Changes: []Gap{}}
	groups := &groups{named: map[any]int{}}
	if opt.Parts == nil {
		opt.Parts = Parts{}
	}
	all := make([]*sample, len(epochs))
	for i, e := range epochs {
		var err error
		if all[i], err = collect(e, member, groups, &opt); err != nil {
			return nil, err
		}
	}
	for i, s := range all { // now that all groups are known, a cluster is what represents all joined with it
		for _, a := range s.cells {
			for i := range a.cluster {
				a.cluster[i] = groups.find(a.cluster[i])
			}
		}
		out := EpochReport{Name: epochs[i].Name, Cells: s.report(&opt), Gaps: []Gap{}}
		for _, g := range gaps {
			if s.has(g.of) {
				out.Gaps = append(out.Gaps, s.gap(g.meaning, g.of, &opt))
			}
		}
		holm(out.Gaps)
		r.Epochs = append(r.Epochs, out)
	}
	if len(all) > 1 {
		first, last := all[0], all[len(all)-1]
		for _, g := range gaps {
			if first.has(g.of) && last.has(g.of) {
				var c contrast // the answers to a question at both are in one cluster
				c.add(last, g.of, 1, &opt)
				c.add(first, g.of, -1, &opt)
				r.Changes = append(r.Changes, c.estimate(g.meaning, g.of, &opt))
			}
		}
		holm(r.Changes)
	}
	return r, nil
}

// holm adjusts the p values of the gaps of one report, which are tested together.
func holm(list []Gap) {
	p := lists.Map(list, func(x Gap) float64 { return x.P })
	for i, x := range stats.Holm(p) {
		list[i].Holm = x
	}
}

// sample holds the answers of an epoch that count.
type sample struct {
	cells   map[Cell]*answers // those with answers that count
	reports []CellReport
}

// answers are those of one cell that count, with the cluster of each.
type answers struct {
	right   map[answer.Mode][]float64
	cluster []int
}

func (s *sample) has(terms []term) bool {
	return !slices.ContainsFunc(terms, func(t term) bool { return s.cells[t.cell] == nil })
}

// collect takes the answers of an epoch, without those to questions that do not fit their cell.
func collect(e Epoch, member *Membership, groups *groups, opt *Options) (*sample, error) {
	rows, err := chosen(&e, opt)
	if err != nil {
		return nil, err
	}
	if len(rows[Seen]) == 0 {
		return nil, fmt.Errorf("%s: no answers to seen questions", e.Name)
	}
	known, err := newKnown(rows[Seen], opt.Parts)
	if err != nil {
		return nil, err
	}
	s := &sample{cells: map[Cell]*answers{}}
	for _, c := range Cells() {
		if len(rows[c]) == 0 {
			continue
		}
		x, a := CellReport{Cell: c, Asked: len(rows[c])}, &answers{right: map[answer.Mode][]float64{}}
		for _, row := range rows[c] {
			clash, err := known.clash(c, row)
			switch {
			case err != nil:
				return nil, err
			case clash:
				x.Clashes++
			case row.Reply == nil:
				x.Missing++
			case row.Score == nil:
				return nil, fmt.Errorf("%s: the reply to %s has no score; score the run with `ein bench score`", e.Name, row.ID)
			case row.Score.Outcome == answer.InfraError:
				x.Infra++
			default:
				for _, m := range answer.Modes() {
					a.right[m] = append(a.right[m], stats.One(row.Score.In(m)))
				}
				a.cluster = append(a.cluster, groups.of(row, member))
			}
		}
		if len(a.cluster) > 0 {
			s.cells[c] = a
		}
		s.reports = append(s.reports, x)
	}
	return s, nil
}

func (s *sample) report(opt *Options) []CellReport {
	for i := range s.reports {
		if a := s.cells[s.reports[i].Cell]; a != nil {
			s.reports[i].ByMode = answer.InEach(func(m answer.Mode) *stats.Share { return stats.ShareOf(a.right[m], a.cluster, 1-opt.Alpha) })
		}
	}
	return s.reports
}

// chosen returns the rows in the mode and the encoding asked for. It is an error if these are more
// than one.
func chosen(e *Epoch, opt *Options) (map[Cell][]*run.Row, error) {
	var modes []prompt.Mode
	var encodings []surface.Encoding
	out := map[Cell][]*run.Row{}
	for _, c := range Cells() {
		for _, row := range e.Rows[c] {
			if opt.Mode != "" && row.Mode != opt.Mode || opt.Encoding != "" && row.Encoding != opt.Encoding {
				continue
			}
			out[c] = append(out[c], row)
			modes = lists.Add(modes, row.Mode)
			encodings = lists.Add(encodings, row.Encoding)
		}
		if len(e.Rows[c]) > 0 && len(out[c]) == 0 {
			return nil, fmt.Errorf("%s: the cell %s has no answers in the chosen mode and encoding", e.Name, c)
		}
	}
	switch {
	case len(modes) > 1:
		return nil, fmt.Errorf("%s: the answers are in several modes, %s: choose one with --mode", e.Name, words.Joined(modes))
	case len(encodings) > 1:
		return nil, fmt.Errorf("%s: the answers are to several encodings, %s: choose one with --encoding", e.Name, words.Joined(encodings))
	}
	return out, nil
}

// Parts caches the structures and surfaces of questions by id: every epoch asks the same ones.
type Parts map[string]part

// part identifies the structure and the surface of a question, by their hashes.
type part struct{ structure, surface [32]byte }

// Add adds the questions of a run, whose rows may be without texts.
func (p Parts) Add(r *run.Run) error {
	return r.Instances(func(in *instance.Instance) error { _, err := p.of(in.ID, in); return err })
}

// of is what an instance shares with others, found once for each id: a canonical form takes a
// while.
func (p Parts) of(id string, in *instance.Instance) (part, error) {
	if known, ok := p[id]; ok {
		return known, nil
	}
	form, err := instance.Structure(in)
	if err != nil {
		return part{}, fmt.Errorf("%s: %w", id, err)
	}
	p[id] = part{form, sha256.Sum256([]byte(surfaceOf(in)))}
	return p[id], nil
}

// known is the set of structures and surfaces of the questions seen.
type known struct {
	structures, surfaces map[[32]byte]bool
	parts                Parts
}

// newKnown collects what the questions of some rows have, answered or not.
func newKnown(rows []*run.Row, parts Parts) (*known, error) {
	k := &known{map[[32]byte]bool{}, map[[32]byte]bool{}, parts}
	for _, row := range rows {
		p, err := parts.of(row.ID, row.Instance)
		if err != nil {
			return nil, err
		}
		k.structures[p.structure], k.surfaces[p.surface] = true, true
	}
	return k, nil
}

// clash reports whether a question shares anything else with those seen than its cell says.
func (k *known) clash(c Cell, row *run.Row) (bool, error) {
	p, err := k.parts.of(row.ID, row.Instance)
	structure, surface := c.shares()
	return k.structures[p.structure] != structure || k.surfaces[p.surface] != surface, err
}

// groups forms the clusters by union-find: answers that share a structure, a surface, or their
// place in the cells, directly or through others, are in one.
type groups struct {
	parent []int
	named  map[any]int
}

// of returns the cluster of an answer. It gives each kind of number a type of its own, so that
// equal numbers of different kinds do not join.
func (g *groups) of(row *run.Row, member *Membership) int {
	type structural uint64
	type superficial uint64
	type four int
	at := g.name(structural(row.Structure()))
	g.join(at, g.name(superficial(row.Surface())))
	if member != nil {
		if i, ok := member.four[instance.Base(row.ID)]; ok {
			g.join(at, g.name(four(i)))
		}
	}
	return at
}

func (g *groups) name(k any) int {
	i, ok := g.named[k]
	if !ok {
		i = len(g.parent)
		g.named[k] = i
		g.parent = append(g.parent, i)
	}
	return i
}

// find is the root of the set of i; it halves the path on its way (union-find).
func (g *groups) find(i int) int {
	for g.parent[i] != i {
		g.parent[i] = g.parent[g.parent[i]]
		i = g.parent[i]
	}
	return i
}

func (g *groups) join(i, j int) { g.parent[g.find(i)] = g.find(j) }

// contrast collects the cells of a weighted sum of accuracies.
type contrast struct {
	cells  []stats.Cell[int]
	shares []stats.Proportion
}

// add adds terms, with their weights times a factor.
func (c *contrast) add(s *sample, terms []term, factor float64, opt *Options) {
	for _, t := range terms {
		a := s.cells[t.cell]
		values := a.right[answer.Counted(opt.Lenient)]
		c.cells = append(c.cells, stats.Cell[int]{Weight: factor * t.weight, Values: values, Cluster: a.cluster})
		c.shares = append(c.shares, stats.ShareOf(values, a.cluster, 1-opt.Alpha).Effective())
	}
}

// estimate makes the cluster-robust estimate. If all clusters are alike, as when a model is always
// right on one cell and never on another, that has no error; the error then comes from added
// answers (Price and Bonett).
func (c *contrast) estimate(meaning string, terms []term, opt *Options) Gap {
	e := stats.Contrast(c.cells...).Known()
	weights := lists.Map(c.cells, func(x stats.Cell[int]) float64 { return x.Weight })
	if math.IsNaN(e.SE) {
		e.SE, e.DF = stats.PriceBonett(weights, c.shares).SE, 0
	}
	most := 0.0 // what the accuracies allow
	for _, w := range weights {
		most += max(0, w)
	}
	return Gap{Name: nameOf(terms), Meaning: meaning, Value: e.Value, SE: e.SE, Interval: e.Interval(1 - opt.Alpha).Within(most), P: e.P(),
		Method: Clustered, MinimumEffect: stats.Number(stats.MinimumEffect(e.SE, opt.Alpha, stats.Power))}
}

// gap estimates a weighted sum of accuracies.
func (s *sample) gap(meaning string, terms []term, opt *Options) Gap {
	var c contrast
	c.add(s, terms, 1, opt)
	g := c.estimate(meaning, terms, opt)
	if len(terms) > 2 {
		return g
	}
	if pairs, ok := pairs(c.cells[0], c.cells[1]); ok {
		g.Interval, g.P, g.Method = pairs.Tango(1-opt.Alpha), pairs.McNemarMidP(), Paired
		n := float64(pairs.N()) // and the share discordant as package compare has it
		g.MinimumEffect = stats.Number(stats.PairedMinimumEffect(n, (float64(pairs.Discordant())+2)/(n+2), opt.Alpha, stats.Power))
	} else if apart(c.cells[0], c.cells[1]) {
		g.Interval, g.Method = stats.Newcombe(c.shares[0], c.shares[1], 1-opt.Alpha), Unpaired
		_, g.P = stats.ZTest(c.shares[0], c.shares[1])
	}
	return g
}

// pairs cross-tabulates two cells. ok is false unless every cluster has exactly one answer in each.
func pairs(a, b stats.Cell[int]) (stats.Paired, bool) {
	var t stats.Paired
	partner := make(map[int]float64, len(a.Values))
	for i, x := range a.Values {
		if _, twice := partner[a.Cluster[i]]; twice {
			return t, false
		}
		partner[a.Cluster[i]] = x
	}
	for i, y := range b.Values {
		x, ok := partner[b.Cluster[i]]
		if !ok {
			return t, false
		}
		delete(partner, b.Cluster[i])
		t.Add(x == 1, y == 1)
	}
	return t, len(partner) == 0
}

// apart reports whether two cells have no cluster in common.
func apart(a, b stats.Cell[int]) bool {
	in := lists.Set(a.Cluster)
	return !slices.ContainsFunc(b.Cluster, func(k int) bool { return in[k] })
}
