// Package compare compares runs: how often each is right on the same questions, whether the
// difference is significant, and what the answers cost.
//
// [Compare] pairs the answers of two runs and gives a [Report]; [NewBoard] ranks several. Answers
// are paired by question, mode and sample. Runs in different modes or encodings are paired by the
// rest. Pairs that share a structure (its surfaces, encodings, modes and samples) form a cluster,
// whose effective size the statistics use. Infrastructure errors are not answers; they are left out
// and counted.
//
// A [Group] is the pairs of one level, of one category, or all (group.go). Its test is McNemar's
// where each structure has one pair, and else flips the signs of whole structures; its interval of
// the difference is Tango's for as many pairs as the design effect leaves. The levels are one
// family of tests, the categories another, and p values are adjusted within each. [Flatness] asks
// the opposite, whether levels are alike, by tests of equivalence (flat.go). The formulas and their
// sources are in package stats; this package decides what is a pair, a cluster and a family.
package compare

import (
	"cmp"

	"ein/bench/ask/run"
	"ein/bench/question/answer"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/internal/stats"
)

// Side selects answers of a run. An empty field selects all.
type Side struct {
	Mode     prompt.Mode
	Encoding surface.Encoding
}

// Options say how to compare runs. The zero value stands for the defaults. Numbers are between 0
// and 1.
type Options struct {
	A, B   Side
	Alpha  float64 // level of tests; intervals have confidence 1 - Alpha; default 0.05
	Margin float64 // within which accuracies count as equal; default 0.05
}

// The defaults of Options.
const (
	DefaultAlpha  = 0.05
	DefaultMargin = 0.05
)

// complete puts the defaults in place of what is 0.
func (o *Options) complete() {
	o.Alpha, o.Margin = cmp.Or(o.Alpha, DefaultAlpha), cmp.Or(o.Margin, DefaultMargin)
}

// Report is the comparison of two runs.
type Report struct {
	Version int     `json:"version"`
	Alpha   float64 `json:"alpha"`
	Margin  float64 `json:"margin"`
	Power   float64 `json:"power"`

	A       Summary `json:"a"`
	B       Summary `json:"b"`
	Pairing Pairing `json:"pairing"`
	answer.ByMode[Scoring]
	// Worst is between what the strict difference would be if the answers that are not there
	// spoke against A, and if they spoke for it; null when none is missing.
	Worst *stats.Interval `json:"worst_case,omitempty"`
	// Variance is what that of a strict difference is made of: structures, wordings of a
	// structure, samples of a wording; null where there is one of each.
	Variance *stats.Components `json:"variance,omitempty"`
	Tokens   Spent             `json:"tokens"`         // of output, reasoning included
	Cost     *Spent            `json:"cost,omitempty"` // dollars; when both runs have prices
}

// Summary describes one of the two runs by itself.
type Summary struct {
	Dir                         string             `json:"dir"`
	Model                       string             `json:"model"`
	Modes                       []prompt.Mode      `json:"modes"`     // of the answers chosen
	Encodings                   []surface.Encoding `json:"encodings"` // of the answers chosen
	Asked                       int                `json:"asked"`
	Missing                     int                `json:"missing"` // without a reply
	Infra                       int                `json:"infra_errors"`
	answer.ByMode[*stats.Share]                    // of the others; null when there are none
	// StratifiedSE is the error of Strict when the number of questions of each
	// category is fixed by the design.
	StratifiedSE *float64  `json:"stratified_se"`
	Flatness     *Flatness `json:"flatness"` // of Strict; null with fewer than two levels
}

// Scoring is the comparison under one way of scoring.
type Scoring struct {
	All        *Group   `json:"all"`
	Levels     []*Group `json:"levels"`
	Categories []*Group `json:"categories"`
}

// Group compares the pairs of one level, of one category, or all.
type Group struct {
	Name  string       `json:"name"`
	Level string       `json:"level,omitempty"`
	Pairs stats.Paired `json:"pairs"`
	// Clusters is how many structures the pairs are of. DesignEffect is how many
	// pairs are worth one on its own.
	Clusters     int          `json:"clusters"`
	DesignEffect float64      `json:"design_effect"`
	A            *stats.Share `json:"a"`
	B            *stats.Share `json:"b"`

	Difference float64        `json:"difference"` // A less B
	Interval   stats.Interval `json:"interval"`   // by Tango, for as many pairs as they are worth
	// The cluster-robust standard error and the interval of Student's t.
	ClusterSE       *float64       `json:"cluster_se"`
	ClusterInterval stats.Interval `json:"cluster_interval"`

	// P is the mid-p value of the sign-flip test of clusters. When all pairs are on
	// their own that is McNemar's.
	P            float64 `json:"p"`
	McNemarMidP  float64 `json:"mcnemar_mid_p"`
	McNemarExact float64 `json:"mcnemar_exact"`
	// Adjusted for the tests of all levels, or of all categories.
	Holm              float64 `json:"p_holm"`
	BenjaminiHochberg float64 `json:"p_benjamini_hochberg"`

	// What treating the two as samples of different questions would say.
	UnpairedZ        float64        `json:"unpaired_z"`
	UnpairedP        float64        `json:"unpaired_p"`
	UnpairedInterval stats.Interval `json:"unpaired_interval"`

	// MinimumEffect is the smallest difference that as many such pairs find with the
	// power asked for; null when there is none.
	MinimumEffect *float64 `json:"minimum_effect"`
	// How many such pairs are needed to find the observed difference, or one of the
	// margin; null when there is nothing to find.
	NeededObserved *float64 `json:"needed_observed"`
	NeededMargin   *float64 `json:"needed_margin"`
	// NeededUnpaired is how many such answers each of two runs on different questions would
	// need for the observed difference.
	NeededUnpaired *float64 `json:"needed_unpaired"`

	differences []float64
	a, b        []float64
	cluster     []structure
}

// Spent is what the answers have taken, of the pairs where the providers of both said so.
type Spent struct {
	Pairs         int     `json:"pairs"`
	A             float64 `json:"a"` // sums
	B             float64 `json:"b"`
	Ratio         Ratio   `json:"ratio"`         // of A to B
	PerRightA     Ratio   `json:"per_correct_a"` // for each strictly right answer
	PerRightB     Ratio   `json:"per_correct_b"`
	PerRightRatio Ratio   `json:"per_correct_ratio"`
}

// Ratio has the interval of a jackknife over clusters. It is null when nothing is
// below the line.
type Ratio struct {
	Value    *float64       `json:"value"`
	Interval stats.Interval `json:"interval"`
}

// Compare compares b with a: differences are those of a less b.
func Compare(a, b *run.Run, opt Options) (*Report, error) {
	opt.complete()
	x, err := choose(a, opt.A)
	if err != nil {
		return nil, err
	}
	y, err := choose(b, opt.B)
	if err != nil {
		return nil, err
	}
	pairs, pairing, err := pair(x, y)
	if err != nil {
		return nil, err
	}
	sensitivity, err := sensitivities(a, b)
	if err != nil {
		return nil, err
	}
	r := &Report{Version: 2, Alpha: opt.Alpha, Margin: opt.Margin, Power: stats.Power,
		A: x.summary(sensitivity, &opt), B: y.summary(sensitivity, &opt), Pairing: *pairing,
		ByMode: answer.InEach(func(m answer.Mode) Scoring { return scoring(pairs, m, &opt) })}
	r.Worst = r.Pairing.worst(r.Strict.All)
	r.Variance = variance(pairs)
	r.Tokens = *spent(pairs, func(s run.Spent) float64 { return float64(s.Output) }, &opt)
	if a.Config.Price != nil && b.Config.Price != nil {
		r.Cost = spent(pairs, func(s run.Spent) float64 { return s.Cost }, &opt)
	}
	return r, nil
}
