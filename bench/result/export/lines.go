package export

import (
	"encoding/json"
	"io"

	"ein/bench/ask/run"
	"ein/bench/question/surface"
	"ein/internal/compact"
)

// line holds everything about a row.
type line struct {
	run.Key
	Encoding  surface.Encoding `json:"encoding"`
	Model     string           `json:"model"`
	Category  string           `json:"category"`
	Level     string           `json:"level"`
	N         int              `json:"n"`
	Density   json.Number      `json:"density"`
	System    string           `json:"system"`
	Question  string           `json:"question"`
	Reference json.RawMessage  `json:"reference"`
	Reply     *run.Reply       `json:"reply"` // null: there is none
	Score     *run.Score       `json:"score"` // null: not scored
}

// WriteLines writes a run as JSONL, a line for each row, with all that is known about
// it. A row without a reply is there as well.
func WriteLines(w io.Writer, r *run.Run) error {
	return r.Each(func(*run.Row) bool { return true }, func(_, row *run.Row) error {
		in := row.Instance
		return compact.Write(w, &line{Key: row.Key, Encoding: row.Encoding, Model: r.Config.Model, Category: in.Category, Level: in.Level, N: in.N,
			Density: in.Density, System: r.Config.Prompts[row.Mode], Question: in.Question, Reference: in.Answer, Reply: row.Reply, Score: row.Score})
	})
}
