// Package memorization measures how much of a model's accuracy is memorised, by what it
// loses on questions that it has not seen.
//
// A question consists of a structure (graph, anchors and thresholds) and a surface
// (labels, domain, style and order of the edges). Varying them gives four [Cells]:
//
//	seen       the questions that the model was trained on
//	structure  their structures with new surfaces
//	surface    their surfaces with new structures
//	fresh      new structures with new surfaces
//
// There is a fifth if the questions are of a training split of cb2:
//
//	apart      structures and labels of the other side, which no training split has
//
// A model that has memorised texts does well on seen alone; one that knows graphs, but
// not their names, does well on structure too; one that has learned to compute does as
// well on fresh as on seen.
//
// [Generate] makes the cells, [Membership] assigns the answers of a run to them, and
// [Analyse] gives the accuracies and the gaps between them ([Report]).
package memorization

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/random"

	"ein/internal/table"
	"ein/internal/words"
)

// Cell is one of the kinds of question.
type Cell string

// The cells.
const (
	Seen      Cell = "seen"
	Structure Cell = "structure"
	Surface   Cell = "surface"
	Fresh     Cell = "fresh"
	Apart     Cell = "apart"
)

// Cells lists the cells. There may be no Apart.
func Cells() []Cell { return []Cell{Seen, Structure, Surface, Fresh, Apart} }

// present returns the cells that some questions are in.
func present(cells map[Cell][]*instance.Instance) []Cell {
	all := Cells()
	if len(cells[Apart]) == 0 {
		all = all[:len(all)-1]
	}
	return all
}

// shares says what the questions of a cell share with those seen.
func (c Cell) shares() (structure, surface bool) {
	return c == Seen || c == Structure, c == Seen || c == Surface
}

// attempts is how many seeds are tried for a question that does not clash. Few nodes allow few
// structures, all of which may have been seen.
const attempts = 100

// Generated is the cells. Their questions with the same index belong together:
// they have the same category, number of nodes, phrasing and encoding.
type Generated struct {
	Instances map[Cell][]*instance.Instance
	Lines     map[Cell][]byte // of a file of instances
	Left      []Left          // questions that are in no cell
	Proof     Proof
}

// Left is a question that was left out of all cells.
type Left struct {
	ID   string `json:"id"`
	Cell Cell   `json:"cell"` // the one that has no question for it
}

// Generate makes the cells. What it makes depends on the questions and the seed
// alone. A question for which a cell has none that does not clash is left out of
// all of them. After each question it calls progress.
func Generate(ctx context.Context, seen []*instance.Instance, seed uint64, progress func(done, all int)) (*Generated, error) {
	b := &builder{seed: seed, structures: map[[32]byte]bool{}, surfaces: map[string]bool{}, questions: map[string]bool{}}
	ids := make([]instance.ID, len(seen))
	splits := map[string]bool{}
	for i, in := range seen {
		var err error
		if ids[i], err = original(in); err != nil {
			return nil, err
		}
		if b.questions[in.Question] {
			return nil, fmt.Errorf("%s: the question occurs twice", in.ID)
		}
		if err := b.keep(in); err != nil {
			return nil, err
		}
		splits[in.Split] = true
	}
	fresh := string(Fresh)
	if b.cells = present(nil); len(ids) > 0 && !slices.ContainsFunc(ids, func(id instance.ID) bool { return !id.Training() }) {
		b.cells, fresh = Cells(), "train_fresh"
	}
	b.split = fresh
	for i := 2; splits[b.split]; i++ {
		b.split = fresh + strconv.Itoa(i)
	}
	out := &Generated{Instances: map[Cell][]*instance.Instance{}, Lines: map[Cell][]byte{}, Left: []Left{}}
	for i, in := range seen {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		found, without, err := b.others(ctx, in, ids[i])
		switch {
		case err != nil:
			return nil, err
		case without != "":
			out.Left = append(out.Left, Left{in.ID, without})
		default:
			for c, in := range found {
				out.Instances[c] = append(out.Instances[c], in)
			}
		}
		progress(i+1, len(seen))
	}
	if n := len(out.Left); n > 0 && n == len(seen) {
		return nil, fmt.Errorf("no question could be placed in every cell: %s has none for the cell %s, and every other fails too; the space is too small: use questions with more nodes", out.Left[0].ID, out.Left[0].Cell)
	}
	for _, c := range present(out.Instances) {
		var lines bytes.Buffer
		for _, in := range out.Instances[c] {
			if err := instance.Write(&lines, in); err != nil {
				return nil, err
			}
		}
		out.Lines[c] = lines.Bytes()
	}
	var err error
	out.Proof, err = prove(out)
	return out, err
}

// original returns the id of a question. It is an error if the id does not generate the question,
// since the other cells are made from the id.
func original(in *instance.Instance) (instance.ID, error) {
	id, err := instance.ParseID(in.ID)
	if err != nil {
		return id, err
	}
	made, _, err := instance.Generate(id)
	if err != nil {
		return id, err
	}
	if made.Digest != in.Digest {
		return id, fmt.Errorf("%s: the question differs from the one its id generates, so its parts cannot be used for others", in.ID)
	}
	return id, nil
}

// builder keeps what exists already, so that new questions can avoid it.
type builder struct {
	seed       uint64
	cells      []Cell
	split      string // of fresh questions
	structures map[[32]byte]bool
	surfaces   map[string]bool
	questions  map[string]bool
}

// keep notes the structure, the surface and the text of an instance, which no later one may repeat.
func (b *builder) keep(in *instance.Instance) error {
	form, err := instance.Structure(in)
	if err != nil {
		return fmt.Errorf("%s: %w", in.ID, err)
	}
	b.structures[form], b.surfaces[surfaceOf(in)], b.questions[in.Question] = true, true, true
	return nil
}

// surfaceOf returns all of a question but its structure: the domain, the style and the labels in
// order.
func surfaceOf(in *instance.Instance) string {
	return strings.Join(append([]string{in.Domain, in.Style}, in.Nodes...), "\x00")
}

// others makes the partners of a question that was seen. If there is none for a cell, it returns
// that cell.
func (b *builder) others(ctx context.Context, in *instance.Instance, id instance.ID) (map[Cell]*instance.Instance, Cell, error) {
	all := map[Cell]*instance.Instance{Seen: in}
	for _, c := range b.cells[1:] {
		found, err := b.search(ctx, c, in, id)
		if found == nil {
			return nil, c, err
		}
		all[c] = found
		if err := b.keep(found); err != nil {
			return nil, "", err
		}
	}
	return all, "", nil
}

// search tries seeds until a question shares with what exists only what its cell says. It returns
// nil if none does.
func (b *builder) search(ctx context.Context, c Cell, in *instance.Instance, id instance.ID) (*instance.Instance, error) {
	sameStructure, sameSurface := c.shares()
	for try := range attempts {
		seed := b.seed
		if try > 0 { // not the next seed: that would be the first of others
			seed = random.Seed(random.Key("memorization", strconv.FormatUint(b.seed, 10), string(c), in.ID, strconv.Itoa(try)))
		}
		next := id
		if !sameStructure {
			next.Seed, next.N = seed, instance.Range{Min: in.N, Max: in.N}
		}
		if !sameSurface {
			next.SurfaceSeed = seed
		}
		switch c {
		case Fresh:
			next.Split = b.split
		case Apart:
			next.Split = string(Apart)
		}
		made, _, err := instance.GenerateContext(ctx, next)
		switch {
		case errors.Is(err, category.ErrNone): // and other seeds would take as long to find as little
			return nil, nil
		case err != nil:
			return nil, err
		}
		form, err := instance.Structure(made)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", made.ID, err)
		}
		if (sameStructure || !b.structures[form]) && (sameSurface || !b.surfaces[surfaceOf(made)]) && !b.questions[made.Question] &&
			!next.Misworded(made.Query.Aggregate) {
			return made, nil
		}
	}
	return nil, nil
}

// Proof says what the cells share with the questions seen, counted from the
// questions themselves.
type Proof struct {
	Cells []CellProof `json:"cells"`
	Left  int         `json:"left_out"`
}

// CellProof is one cell. Partner is the seen question of the same index.
type CellProof struct {
	Cell       Cell `json:"cell"`
	Instances  int  `json:"instances"`
	Structures int  `json:"structures"` // different ones, up to isomorphism
	// How many questions have the structure, the surface, the text of any seen.
	SharedStructures int `json:"shared_structures"`
	SharedSurfaces   int `json:"shared_surfaces"`
	SharedQuestions  int `json:"shared_questions"`
	// How many have those of their partner.
	PartnerStructures int `json:"partner_structures"`
	PartnerSurfaces   int `json:"partner_surfaces"`
	// How many have the category and the number of nodes of their partner.
	Matched int    `json:"matched"`
	SHA256  string `json:"sha256"` // of the file
}

// prove counts what the cells share, and returns an error if that is not what they should share.
func prove(g *Generated) (Proof, error) {
	p := Proof{Left: len(g.Left)}
	structures, surfaces, questions := map[[32]byte]bool{}, map[string]bool{}, map[string]bool{}
	var partners [][32]byte
	for _, c := range present(g.Instances) {
		x := CellProof{Cell: c, Instances: len(g.Instances[c]), SHA256: fmt.Sprintf("%x", sha256.Sum256(g.Lines[c]))}
		own := map[[32]byte]bool{}
		for i, in := range g.Instances[c] {
			form, err := instance.Structure(in)
			if err != nil {
				return p, err
			}
			own[form] = true
			if c == Seen {
				structures[form], surfaces[surfaceOf(in)], questions[in.Question] = true, true, true
				partners = append(partners, form)
			}
			partner := g.Instances[Seen][i]
			count(&x.SharedStructures, structures[form])
			count(&x.SharedSurfaces, surfaces[surfaceOf(in)])
			count(&x.SharedQuestions, questions[in.Question])
			count(&x.PartnerStructures, form == partners[i])
			count(&x.PartnerSurfaces, surfaceOf(in) == surfaceOf(partner))
			count(&x.Matched, in.Category == partner.Category && in.N == partner.N)
		}
		x.Structures = len(own)
		p.Cells = append(p.Cells, x)
		if err := x.check(); err != nil {
			return p, err
		}
	}
	return p, nil
}

func count(n *int, holds bool) {
	if holds {
		*n++
	}
}

// check requires that all questions share a part or none does: a cell in which some do would blur
// the gaps.
func (x *CellProof) check() error {
	structure, surface := x.Cell.shares()
	all := func(holds bool) int {
		if holds {
			return x.Instances
		}
		return 0
	}
	got := []int{x.SharedStructures, x.PartnerStructures, x.SharedSurfaces, x.PartnerSurfaces, x.SharedQuestions, x.Matched}
	want := []int{all(structure), all(structure), all(surface), all(surface), all(x.Cell == Seen), x.Instances}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the cell %s shares the wrong parts with the seen questions: %v, expected %v", x.Cell, got, want)
	}
	return nil
}

// Text returns the proof for people.
func (p *Proof) Text() string {
	rows := [][]string{{"cell", "questions", "structures", "structure seen", "surface seen", "text seen"}}
	for i := range p.Cells {
		x := &p.Cells[i]
		rows = append(rows, []string{string(x.Cell), words.Count(x.Instances), words.Count(x.Structures), words.Count(x.SharedStructures),
			words.Count(x.SharedSurfaces), words.Count(x.SharedQuestions)})
	}
	var b strings.Builder
	b.WriteString(table.Of(rows).Text())
	if p.Left > 0 {
		fmt.Fprintf(&b, "%d left out of all cells: every structure drawn for one of them had been seen, or none could be drawn.\n", p.Left)
	}
	return b.String()
}
