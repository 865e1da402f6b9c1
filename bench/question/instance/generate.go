package instance

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/bench/question/random"
	"ein/bench/question/surface"
	"ein/lang"
	"ein/lang/check"
	"ein/vm/cost"
)

// How many graphs are drawn at one density, and how many in all, before a density or an id counts
// as having no good questions. Large dense graphs are all alike: every node reaches every other.
// For ids that allow no other density, a category accepts one of those in the end, after at most
// about 100,000 graphs of 10 nodes, or 30,000 of 20.
const (
	sameDensity = 256
	mostGraphs  = 1 << 20
)

// mostSides is how many questions are drawn before one side counts as empty. In a large space
// each side has half.
const mostSides = 200

// StructuralKey names the stream of the graph, the anchors and the thresholds:
// with them, of the answer up to the labels.
func (id ID) StructuralKey() [32]byte {
	parts := []string{id.Version, "structure", id.Split, strconv.FormatUint(id.Seed, 10), id.Category, strconv.Itoa(id.Index), id.N.String(), id.Density.String()}
	if id.Depth != (Range{}) {
		parts = append(parts, id.Depth.String())
	}
	return random.Key(parts...)
}

// SurfaceKey names the stream of the labels, the domain, the style and the order
// of the edges. It has nothing of the structure, so that another structure leaves
// them as they are, and nothing of the phrasing and encoding, so that these vary
// one text.
func (id ID) SurfaceKey() [32]byte {
	return random.Key(id.Version, "surface", id.Split, strconv.FormatUint(id.SurfaceSeed, 10), id.Category, strconv.Itoa(id.Index))
}

// Generate makes the instance of an id, and says how many cases were drawn before it that had no good
// question. An id that Check refuses is an error, and so is one whose category has no question of such
// a size.
func Generate(id ID) (in *Instance, redraws int, err error) {
	return GenerateContext(context.Background(), id)
}

// GenerateContext is Generate that stops when the context ends.
func GenerateContext(ctx context.Context, id ID) (in *Instance, redraws int, err error) {
	m, err := makeOne(ctx, id, nil)
	return m.Instance, m.Redraws, err
}

// makeOne makes an instance, or only its structure if that is to be skipped (in cb2). It asks pass
// right after the draw, so that a skipped structure costs neither a surface nor a run of its program.
func makeOne(ctx context.Context, id ID, pass func(structure [32]byte) bool) (_ Made, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", id, err)
		}
	}()
	if err := id.Check(); err != nil {
		return Made{}, err
	}
	cat, err := Category(id.Category)
	if err != nil {
		return Made{}, err
	}
	structure, surfaceKey := id.StructuralKey(), id.SurfaceKey()
	d, err := drawAny(ctx, id, cat, structure)
	if err != nil {
		return Made{}, err
	}
	if pass != nil && id.Version != Version && (id.Misworded(d.Case.Query.Aggregate) || pass(d.structure)) {
		return Made{structure: d.structure}, nil
	}
	c, n := &d.Case, d.Case.G.N
	in := &Instance{
		ID: id.String(), Version: id.Version, Split: id.Split,
		Category: cat.Name, Level: level(cat.Level), ResultType: string(cat.Result),
		N: n, Density: json.Number(density(d.permille)),
		Depth: d.Depth, Operations: d.Operations,
		Directed:       c.G.Directed,
		StructuralSeed: random.Seed(structure), SurfaceSeed: random.Seed(surfaceKey),
		Edges: fromGraph(&c.G), Query: fromQuery(&c.Query),
		EinProgram: cat.Ein(c), PythonProgram: cat.Python(c),
	}
	if cat.Family == category.TwoGraphs {
		in.Edges2 = fromGraph(&c.G2)
	}
	verbalise(in, id, cat, c, surfaceKey)
	value, err := RunWithin(ctx, limits, check.Core, in.EinProgram, cat.Result, in.Nodes)
	if err != nil {
		return Made{}, err
	}
	in.Answer = value.JSON(in.Nodes)
	line, err := in.seal()
	return Made{Instance: in, Line: line, Redraws: d.Redraws, structure: d.structure}, err
}

// drawn is a case, and the density its graph was drawn with.
type drawn struct {
	category.Drawn
	permille  int
	structure [32]byte // of cb2
}

// drawAny draws with the generator of the id.
func drawAny(ctx context.Context, id ID, cat *category.Category, key [32]byte) (drawn, error) {
	if id.Version == Version {
		return drawCase(ctx, id, cat, key)
	}
	s := random.New(key)
	w := worlds.Get().(*category.World)
	defer worlds.Put(w)
	n, permille, redraws := 0, 0, 0
	for try := range mostSides {
		// Of few nodes there may be no question on this side.
		if try%16 == 0 {
			n = s.Between(max(id.N.Min, cat.Least), id.N.Max)
			d := id.Density
			if d == sparse {
				d.Min, d.Max = cat.Sparse(n)
			}
			permille = s.Between(d.Min, d.Max)
		}
		c, err := cat.Choose(ctx, s, w, category.Shape{N: n, Density: permille, MinDepth: id.Depth.Min, MaxDepth: id.Depth.Max})
		if err != nil {
			return drawn{}, fmt.Errorf("%s of %d nodes and density %s: %w", cat.Name, n, Range{permille, permille}.permille(), err)
		}
		form := canonical(&c.Case)
		if redraws += c.Redraws; training(cat.Name, form) == id.training() {
			c.Redraws = redraws
			return drawn{c, permille, structure(id.Version, cat.Name, &c.Case.Query, form)}, nil
		}
		redraws++
	}
	return drawn{}, fmt.Errorf("%w on this side: %d questions of %s nodes that were drawn all belong to splits %s: give it more nodes",
		category.ErrNone, mostSides, id.N, map[bool]string{true: "whose names do not begin with train", false: "whose names begin with train"}[id.training()])
}

// drawCase draws graphs and queries until there is a good question. The number of nodes stays,
// and for a while the density, so that both are uniform wherever good questions exist.
func drawCase(ctx context.Context, id ID, cat *category.Category, key [32]byte) (drawn, error) {
	s := random.New(key)
	n := s.Between(max(id.N.Min, cat.Least), id.N.Max)
	permille := s.Between(id.Density.Min, id.Density.Max)
	for redraws := range mostGraphs {
		if redraws >= sameDensity {
			if ctx.Err() != nil {
				return drawn{}, context.Cause(ctx)
			}
			permille = s.Between(id.Density.Min, id.Density.Max)
		}
		c := drawGraph(s, cat.Family, n, permille)
		if cat.Draw(s, c) {
			// How many primitives are composed is what the levels are made of: one,
			// two, three. That a kinship chain has two or three steps is in its query.
			return drawn{Drawn: category.Drawn{Case: *c, Redraws: redraws, Depth: cat.Level}, permille: permille}, nil
		}
	}
	return drawn{}, fmt.Errorf("%s has %w in %d graphs of %d nodes and density %s: give it more nodes or another density",
		cat.Name, category.ErrNone, mostGraphs, n, id.Density.permille())
}

// limits of the programs of the benchmark. The largest, on 1,000 nodes, need 18
// million operations and 15 MiB.
var limits = cost.Limits{MaxOps: 1 << 30, MaxBytes: 64 << 20, MaxOutputElements: MaxNodes}

// Run runs an Ein program and reads its answer on a graph whose nodes have the labels.
// Programs of rules need the profile logic, all others core.
func Run(profile check.Profile, program string, result category.Result, labels []string) (answer.Value, error) {
	return RunWithin(context.Background(), limits, profile, program, result, labels)
}

// RunWithin is Run with limits of its own, which can be stopped. It runs in the memory of an earlier
// program, which one that fails keeps.
func RunWithin(ctx context.Context, limits cost.Limits, profile check.Profile, program string, result category.Result, labels []string) (answer.Value, error) {
	memory := memories.Get().(*lang.Memory) // that of an error is left to it
	opt := lang.Options{Profile: profile, Workers: 1, ErrorsOnly: true, Memory: memory}
	m, _, err := lang.Load("program", program, opt)
	if err != nil {
		return answer.Value{}, err
	}
	machine, err := lang.Machine(m, limits, opt)
	if err != nil {
		return answer.Value{}, err
	}
	r, err := machine.Run(ctx)
	if err != nil {
		return answer.Value{}, err
	}
	v, err := answer.FromOutputs(result, r.Outputs, labels)
	memories.Put(memory)
	return v, err
}

var (
	memories = sync.Pool{New: func() any { return new(lang.Memory) }}
	worlds   = sync.Pool{New: func() any { return new(category.World) }}
)

func level(n int) string { return "L" + strconv.Itoa(n) }

// fromQuery returns a query as instances show it: what is not asked for is left out.
func fromQuery(q *category.Query) Query {
	field := func(x int) *int {
		if x == category.None {
			return nil
		}
		return &x
	}
	return Query{Source: field(q.Source), Target: field(q.Target), Threshold: field(q.Threshold),
		MinInDegree: field(q.MinIn), MinOutDegree: field(q.MinOut), MaxOutDegree: q.MaxOut, Aggregate: q.Aggregate, Direction: q.Direction, Steps: q.Steps}
}

// drawGraph draws the graph of a family, or both graphs. The categories that count triangles
// plant them.
func drawGraph(s *random.Stream, f category.Family, n, permille int) *category.Case {
	c := &category.Case{Query: category.Query{Source: category.None, Target: category.None, Threshold: category.None,
		MinIn: category.None, MinOut: category.None}}
	if f == category.Kinship {
		c.G = graph.Kinship(s, n, permille)
		return c
	}
	c.G = graph.Bernoulli(s, n, f != category.Undirected, permille)
	if f == category.TwoGraphs {
		c.G2 = graph.Bernoulli(s, n, true, permille)
	}
	return c
}

// verbalise draws the surface and writes the question.
func verbalise(in *Instance, id ID, cat *category.Category, c *category.Case, key [32]byte) {
	look := surface.Draw(key, cat.Family, in.N, id.partition())
	if id.Version != Version {
		look.Domain = look.Domain.Later()
	}
	in.Nodes = look.Labels
	in.Domain, in.Style, in.Labels = look.Domain.Name, string(look.Style), look.Pool
	in.Question = look.Prompt(id.Encoding, c, wording(id, cat, c))
}

// Misworded reports whether the question in the words of the paper, which know averages alone, is
// not the one whose answer is given. What such an id gives stays, but no file is made of it.
func (id ID) Misworded(aggregate string) bool {
	return !id.Explicit && (aggregate == category.Maximum || aggregate == category.Sum)
}

// wording returns the question of a category in the words of the generator.
func wording(id ID, cat *category.Category, c *category.Case) string {
	if id.Version != Version && id.Explicit {
		return cat.Explicit(c)
	}
	return cat.Question(c, id.Explicit)
}
