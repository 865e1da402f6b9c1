// Package release builds a data set for publication: questions and training data as JSONL
// and Parquet, an audit, statistics, checksums, and a card.
//
// [Settings] say what is in it, and [Maker.Run] writes it to a folder. The same settings
// give the same bytes, and the card states them.
package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ein/bench/question/audit"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/summary"
	"ein/bench/question/surface"
	"ein/internal/compact"
	"ein/internal/lists"
)

// Settings are what a release depends on. Ein is the version of the tool.
type Settings struct {
	Preset      string
	Seed        uint64
	PerCategory int // of training, held-out and swept questions
	Further     int // training questions in all, beyond those
	Ein         string
}

// Defaults returns the settings of a release like that of the paper.
func Defaults() Settings {
	return Settings{Preset: "standard", Seed: 42, PerCategory: 50, Further: 2500}
}

// Command returns the command line that makes the release again.
func (s *Settings) Command() string {
	return fmt.Sprintf("ein bench release DIR --preset %s --seed %d --per-category %d --further %d", s.Preset, s.Seed, s.PerCategory, s.Further)
}

// The names of what a release has beside its data.
const (
	Card = "README.md"
	Sums = "SHA256SUMS"
)

// Question is a line of the questions. Every column has one type in every line: an
// answer is JSON in a text, whose type result_type says, as is the query; seeds, which a
// double does not hold, are texts; edges of both graphs are in one list.
type Question struct {
	ID             string   `json:"id" parquet:"id"`
	Version        string   `json:"version" parquet:"version"`
	Split          string   `json:"split" parquet:"split"`
	Category       string   `json:"category" parquet:"category"`
	Level          string   `json:"level" parquet:"level"`
	Question       string   `json:"question" parquet:"question"`
	Answer         string   `json:"answer" parquet:"answer"`
	ResultType     string   `json:"result_type" parquet:"result_type"`
	N              int64    `json:"n" parquet:"n"`
	Density        string   `json:"density" parquet:"density"`
	Depth          int64    `json:"depth" parquet:"depth"`
	Operations     int64    `json:"operations" parquet:"operations"`
	Directed       bool     `json:"directed" parquet:"directed"`
	StructuralSeed string   `json:"structural_seed" parquet:"structural_seed"`
	SurfaceSeed    string   `json:"surface_seed" parquet:"surface_seed"`
	Nodes          []string `json:"nodes" parquet:"nodes,list"`
	Edges          []Edge   `json:"edges" parquet:"edges,list"`
	Query          string   `json:"query" parquet:"query"`
	Domain         string   `json:"domain" parquet:"domain"`
	Style          string   `json:"style" parquet:"style"`
	Labels         string   `json:"labels" parquet:"labels"`
	EinProgram     string   `json:"ein_program" parquet:"ein_program"`
	PythonProgram  string   `json:"python_program" parquet:"python_program"`
	Digest         string   `json:"digest" parquet:"digest"`
	Canary         string   `json:"canary" parquet:"canary"`
}

// Edge is an edge of the first graph, or of the second.
type Edge struct {
	Graph int64 `json:"graph" parquet:"graph"`
	From  int64 `json:"from" parquet:"from"`
	To    int64 `json:"to" parquet:"to"`
}

// Lesson is a line of the training data. The canary is also at the end of the system message, which
// training shows to the model.
type Lesson struct {
	ID       string           `json:"id" parquet:"id"`
	Target   string           `json:"target" parquet:"target"`
	Messages []prompt.Message `json:"messages" parquet:"messages,list"`
	Canary   string           `json:"canary" parquet:"canary"`
}

// question returns an instance in the columns of a release. Its query is JSON as text, since each
// category has other members; its seeds are text, since 64 bits do not fit into numbers of JSON
// that are read as float64.
func question(in *instance.Instance) *Question {
	q := &Question{ID: in.ID, Version: in.Version, Split: in.Split, Category: in.Category, Level: in.Level, Question: in.Question,
		Answer: string(in.Answer), ResultType: in.ResultType, N: int64(in.N), Density: in.Density.String(), Depth: int64(in.Depth),
		Operations: int64(in.Operations), Directed: in.Directed, StructuralSeed: fmt.Sprint(in.StructuralSeed), SurfaceSeed: fmt.Sprint(in.SurfaceSeed),
		Nodes: in.Nodes, Edges: []Edge{}, Query: string(compact.Must(&in.Query)), Domain: in.Domain, Style: in.Style, Labels: in.Labels,
		EinProgram: in.EinProgram, PythonProgram: in.PythonProgram, Digest: in.Digest, Canary: prompt.Canary}
	for i, edges := range [][][2]int{in.Edges, in.Edges2} {
		for _, e := range edges {
			q.Edges = append(q.Edges, Edge{int64(i + 1), int64(e[0]), int64(e[1])})
		}
	}
	return q
}

// Maker makes a release.
type Maker struct {
	Settings
	Write    func(name string, write func(io.Writer) error) error // writes a file of the release
	Progress func(table string) func(done, all int)               // may be nil

	sums  []string // lines of Sums
	parts []part
}

// part is a table of the release.
type part struct {
	name, about string
	rows        int
}

// Run makes all files. The card and the checksums come last: they say that the release is complete.
func (m *Maker) Run(ctx context.Context) error {
	if parquetMissing != nil {
		return parquetMissing
	}
	trained := instance.NewSeen(false)
	train, err := m.questions(ctx, "train", fmt.Sprintf("training questions, %d of each category", m.PerCategory), m.plan("train", m.PerCategory*len(category.Table)), trained)
	if err != nil {
		return err
	}
	further, err := m.questions(ctx, "further", "further training questions, for fine-tuning", m.plan("train_further", m.Further), trained)
	if err != nil {
		return err
	}
	train = append(train, further...)
	apart := instance.NewProof(trained)
	held, err := m.questions(ctx, "heldout", "questions for scoring only", m.plan("heldout", m.PerCategory*len(category.Table)), trained, apart.Add)
	if err != nil {
		return err
	}
	sweep, about, err := m.sweep(ctx)
	if err != nil {
		return err
	}
	if _, err := m.questions(ctx, "sweep", about, sweep, trained, apart.Add); err != nil {
		return err
	}
	for _, e := range surface.Encodings() {
		if e == surface.NL {
			continue
		}
		var plan instance.Cells
		for _, in := range held {
			id, err := instance.ParseID(in.ID)
			if err != nil {
				return err
			}
			id.Encoding = e
			plan = append(plan, instance.Cell{ID: id, Count: 1})
		}
		if _, err := m.questions(ctx, "heldout_"+string(e), "the heldout questions, with graphs as "+string(e), plan, nil); err != nil {
			return err
		}
	}
	if err := m.lessons(train); err != nil {
		return err
	}
	if err := apart.Finish(); err != nil {
		return err
	}
	return m.about(ctx, append(train, held...), apart)
}

// plan spreads so many questions of a split over the categories; the first ones get one more if
// that does not come out even.
func (m *Maker) plan(split string, total int) instance.Cells {
	var plan instance.Cells
	for i := range category.Table {
		n := total / len(category.Table)
		if i < total%len(category.Table) {
			n++
		}
		plan = append(plan, instance.Cell{ID: instance.PresetID(m.Preset, split, category.Table[i].Name, 0, m.Seed), Count: n})
	}
	return plan
}

// sweep returns the sizes of the preset in four steps, or fewer if it has fewer sizes. A category
// without a question of a size is left out there, and about says so.
func (m *Maker) sweep(ctx context.Context) (plan instance.Cells, about string, err error) {
	const steps = 4
	var sizes, none []string
	n := instance.PresetID(m.Preset, "sweep", category.Table[0].Name, 0, m.Seed).N
	for i, last := 0, 0; i <= steps; i++ {
		size := n.Min + i*(n.Max-n.Min)/steps
		if size == last {
			continue
		}
		last = size
		sizes = append(sizes, strconv.Itoa(size))
		for k := range category.Table {
			id := instance.PresetID(m.Preset, fmt.Sprintf("sweep%d", size), category.Table[k].Name, 0, m.Seed)
			id.N = instance.Range{Min: size, Max: size}
			if size < category.Table[k].Least {
				continue
			}
			switch _, _, err := instance.GenerateContext(ctx, id); {
			case errors.Is(err, category.ErrNone):
				none = append(none, fmt.Sprintf("`%s` of %d nodes", id.Category, size))
			case err != nil:
				return nil, "", err
			default:
				plan = append(plan, instance.Cell{ID: id, Count: max(1, m.PerCategory/(steps+1))})
			}
		}
	}
	about = "questions of " + strings.Join(sizes, ", ") + " nodes, for scoring only"
	if none != nil {
		about += "; without " + strings.Join(none, ", ")
	}
	return plan, about, nil
}

// questions makes a table of questions that are apart from those seen. With take each
// is also taken in by those; without, by those seen.
func (m *Maker) questions(ctx context.Context, name, about string, plan instance.Cells, seen *instance.Seen, take ...func(*instance.Instance) error) ([]*instance.Instance, error) {
	var made []*instance.Instance
	g := instance.Generator{Avoid: seen}
	if m.Progress != nil {
		g.Progress = m.Progress(name)
	}
	for x, err := range g.Run(ctx, plan) {
		if err != nil {
			return nil, fmt.Errorf("questions/%s of preset %s: %w (with --per-category, --further or another --preset)", name, m.Preset, err)
		}
		for _, f := range take {
			if err := f(x.Instance); err != nil {
				return nil, err
			}
		}
		made = append(made, x.Instance)
	}
	if seen != nil && take == nil {
		for _, in := range made {
			if err := seen.Add(in); err != nil {
				return nil, err
			}
		}
	}
	return made, write(m, "questions/"+name, about, len(made), func(yield func(*Question) error) error {
		for _, in := range made {
			if err := yield(question(in)); err != nil {
				return err
			}
		}
		return nil
	})
}

// lessons writes the training questions as chats, one for each target.
func (m *Maker) lessons(train []*instance.Instance) error {
	prompts := prompt.DefaultPrompts()
	for mode := range prompts {
		prompts[mode] += "\n\n" + prompt.Canary
	}
	return write(m, "sft/train", "the training questions as chats, one per target: "+targets(), len(train)*len(prompt.Targets()), func(yield func(*Lesson) error) error {
		for _, in := range train {
			for _, target := range prompt.Targets() {
				chat, err := prompt.Chat(in, target, prompts)
				if err == nil {
					err = yield(&Lesson{in.ID, string(target), chat, prompt.Canary})
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func targets() string {
	return strings.Join(lists.Map(prompt.Targets(), func(t prompt.Target) string { return "`" + string(t) + "`" }), ", ")
}

// file writes a file and its line in the checksums.
func (m *Maker) file(name string, content func(io.Writer) error) error {
	sum := sha256.New()
	if err := m.Write(name, func(w io.Writer) error {
		sum.Reset()
		return content(io.MultiWriter(w, sum))
	}); err != nil {
		return err
	}
	m.sums = append(m.sums, hex.EncodeToString(sum.Sum(nil))+"  "+name+"\n")
	return nil
}

// write writes a table as JSONL and as Parquet.
func write[T any](m *Maker, name, about string, rows int, each func(yield func(*T) error) error) error {
	m.parts = append(m.parts, part{name, about, rows})
	if err := m.file(name+".jsonl", func(w io.Writer) error {
		return each(func(row *T) error { return compact.Write(w, row) })
	}); err != nil {
		return err
	}
	return m.file(name+".parquet", func(w io.Writer) error { return writeParquet(w, each) })
}

// about writes what is known about the questions, the card and the checksums.
func (m *Maker) about(ctx context.Context, all []*instance.Instance, apart *instance.Proof) error {
	sequence := func(yield func(*instance.Instance, error) bool) {
		for _, in := range all {
			if !yield(in, nil) {
				return
			}
		}
	}
	found, err := audit.Collect(ctx, nil, sequence)
	if err != nil {
		return err
	}
	found.Missing = "with scikit-learn, `ein bench audit` learns from what `ein bench show --json` makes of the ids"
	stats, err := summary.Collect(sequence)
	if err != nil {
		return err
	}
	for _, f := range []struct{ name, text string }{{"audit.txt", found.Text()}, {"stats.txt", stats.Text()}, {Card, m.card(found, stats, apart)}} {
		if err := m.file(f.name, func(w io.Writer) error { _, err := io.WriteString(w, f.text); return err }); err != nil {
			return err
		}
	}
	slices.SortFunc(m.sums, func(a, b string) int { return strings.Compare(a[2*sha256.Size:], b[2*sha256.Size:]) })
	return m.Write(Sums, func(w io.Writer) error { _, err := io.WriteString(w, strings.Join(m.sums, "")); return err })
}
