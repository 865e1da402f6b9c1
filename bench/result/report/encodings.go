package report

import (
	"fmt"
	"slices"

	"ein/bench/ask/run"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/internal/chart"
	"ein/internal/lists"
	"ein/internal/stats"
)

// asked identifies a question apart from its encoding.
type asked struct {
	base   string
	sample int
}

// buildEncodings compares encodings where a report has several. A line is a run in one mode, so
// that only the encoding differs within it.
func buildEncodings(r *Report, s *Section) error {
	type key struct {
		run  *run.Run
		mode prompt.Mode
	}
	var keys []key
	byKey := map[key]map[surface.Encoding]*Arm{}
	var present []surface.Encoding
	for _, a := range r.Arms {
		k := key{a.Run, a.Mode}
		if byKey[k] == nil {
			byKey[k] = map[surface.Encoding]*Arm{}
			keys = append(keys, k)
		}
		byKey[k][a.Encoding] = a
		present = lists.Add(present, a.Encoding)
	}
	if len(present) < 2 {
		return nil
	}
	encodings := slices.DeleteFunc(surface.Encodings(), func(e surface.Encoding) bool { return !slices.Contains(present, e) })
	first := encodings[0]
	t := &Table{
		ID: "encodings", Title: "Accuracy by encoding of the graph", Keys: []string{"model, mode"}, Paper: "encoding",
		Caption: fmt.Sprintf("Accuracy (%s) by encoding, and its difference from %s over the questions asked in both: paired, with intervals by Tango at the effective number of pairs.", r.Options.Scoring(), first),
	}
	t.Columns = lists.Map(encodings, func(e surface.Encoding) Column { return Column{string(e), string(e), Percent} })
	for _, e := range encodings[1:] {
		t.Columns = append(t.Columns, Column{fmt.Sprintf("%s_%s", e, first), fmt.Sprintf("%s minus %s", e, first), Points})
	}
	names := lists.Map(keys, func(k key) string { return fmt.Sprintf("%s, %s", brief(k.run.Config.Model), k.mode) })
	unique(names, func(i int) string { return keys[i].run.Dir })
	for i, k := range keys {
		row := Row{Keys: []string{names[i]}}
		for _, e := range encodings {
			v := chart.Missing()
			if a := byKey[k][e]; a != nil {
				v = share(a.scored, r.right)
			}
			row.Cells = append(row.Cells, v)
		}
		for _, e := range encodings[1:] {
			row.Cells = append(row.Cells, r.paired(byKey[k][e], byKey[k][first]))
		}
		t.Rows = append(t.Rows, row)
	}
	s.Tables = append(s.Tables, t)
	s.Figures = append(s.Figures, t.figure(chart.Dots, len(encodings), "accuracy (%)",
		"Accuracy ("+r.Options.Scoring()+") of each model and mode by encoding of the graph, with 95 % intervals."))
	return nil
}

// paired returns the accuracy of a less that of b over what both were asked, in points.
func (r *Report) paired(a, b *Arm) chart.Value {
	if a == nil || b == nil {
		return chart.Missing()
	}
	other := map[asked]*run.Row{}
	for _, it := range b.scored {
		other[asked{baseOf(it), it.Sample}] = it
	}
	var t stats.Paired
	var differences []float64
	var clusters []uint64
	for _, it := range a.scored {
		if o := other[asked{baseOf(it), it.Sample}]; o != nil {
			t.Add(r.right(it), r.right(o))
			differences, clusters = append(differences, r.correct(it)-r.correct(o)), append(clusters, it.Structure())
		}
	}
	return points(t.Difference(), t.ClusteredTango(stats.Confidence, stats.DesignEffect(differences, clusters)), t.N())
}
