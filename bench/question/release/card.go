package release

import (
	_ "embed"
	"fmt"
	"strings"

	"ein/bench/question/audit"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/summary"
	"ein/internal/words"
)

//go:embed card.md
var cardText string

// card returns the card of the release, a datasheet, with the header by which the library datasets
// finds its tables.
func (m *Maker) card(found *audit.Report, stats *summary.Report, apart *instance.Proof) string {
	var files strings.Builder
	for _, p := range m.parts {
		fmt.Fprintf(&files, "| `%s.parquet`, `.jsonl` | %s | %s |\n", p.name, words.Count(p.rows), p.about)
	}
	majority, decoy := 0.0, 0.0
	for _, c := range found.Categories {
		majority += c.Majority.Value() / float64(len(found.Categories))
		decoy += c.Decoys[0].Value() / float64(len(found.Categories))
	}
	percent := func(x float64) string { return fmt.Sprintf("%.1f", 100*x) }
	fill := []string{"{files}", files.String(), "{generator}", instance.Default, "{preset}", m.Preset, "{command}", m.Command(), "{ein}", m.Ein,
		"{categories}", fmt.Sprint(len(category.Table)), "{apart}", apart.String(), "{canary}", prompt.Canary,
		"{majority}", percent(majority), "{decoy}", percent(decoy)}
	for i, g := range stats.Levels {
		fill = append(fill, fmt.Sprintf("{l%d}", i+1), percent(g.Sensitivity.Mean))
	}
	return strings.NewReplacer(fill...).Replace(cardText)
}
