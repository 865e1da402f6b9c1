package instance

import (
	"context"
	"fmt"
	"iter"
	"math/bits"
	"runtime"
	"sync"

	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/bench/question/random"
	"ein/internal/job"
)

// Cell is Count instances that differ only in their index, which starts at that of ID. In cb2 no
// two have the same structure.
type Cell struct {
	ID    ID
	Count int
	Tries bool              // Count is of indices: those that are passed over are not made up for
	has   map[[32]byte]bool // structures
}

// Holds reports whether an id belongs to the cell, whatever its index.
func (c *Cell) Holds(id ID) bool {
	id.Index = c.ID.Index
	return id == c.ID
}

// Repeats reports whether the cell already has a structure, and adds it.
func (c *Cell) Repeats(structure [32]byte) bool {
	if c.ID.Version == Version {
		return false
	}
	if c.has == nil {
		c.has = map[[32]byte]bool{}
	}
	had := c.has[structure]
	c.has[structure] = true
	return had
}

// Cells is what to generate, in order.
type Cells []Cell

// Shard returns the part of the cells that a shard makes, and which instances these are, counted
// over all cells.
func (p Cells) Shard(s job.Shard) (part Cells, from, to int64) {
	from, to = s.Of(int64(p.Total()))
	at := int64(0)
	for _, c := range p {
		low, high := max(from-at, 0), min(to-at, int64(c.Count))
		at += int64(c.Count)
		if low < high {
			c.ID.Index, c.Count, c.Tries = c.ID.Index+int(low), int(high-low), true
			part = append(part, c)
		}
	}
	return part, from, to
}

// Total returns the number of instances of all cells.
func (p Cells) Total() int {
	n := 0
	for _, c := range p {
		n += c.Count
	}
	return n
}

// Made is an instance, its line, and how it came about.
type Made struct {
	*Instance
	Line    []byte // with its newline
	Redraws int    // cases drawn before it that had no good question
	Skipped int    // indices before it that were passed over

	structure [32]byte
}

// Generator makes the instances of some cells on several goroutines.
//
// Its result depends only on the cells, Avoid and Keep. An index is skipped if its instance
// clashes with one of Avoid, is not kept or, in cb2, has the structure of an earlier one. So an
// instance is always the one of its id, whatever was generated with it.
type Generator struct {
	Avoid    *Seen                         // may be nil; not to be changed while in use
	Keep     func(*Instance) (bool, error) // what is not kept is passed over too; may be nil
	Workers  int                           // 0 is one for each processor
	Progress func(done, all int)           // called after each instance; may be nil

	generate func(ctx context.Context, id ID, pass func(structure [32]byte) bool) (Made, error) // of the tests
}

// window is how many instances each worker makes ahead of the next one to be returned.
const window = 64

// mostPairs bounds the pairs of nodes of the graphs that scarce lists: 2^15 take a second.
const mostPairs = 15

// scarce returns an error if fewer structures are left than the cell asks for. It lists those of the
// two categories that otherwise draw for minutes, as each draw of a small graph fails thousands of
// times before any question is accepted; and then graph and nodes asked about can be any.
func (c *Cell) scarce(avoid *Seen) error {
	cat, err := Category(c.ID.Category)
	if err != nil || c.ID.Version == Version || c.Tries || cat.Name != "triangle_count" && cat.Name != "degree_count" {
		return nil
	}
	left := map[[32]byte]bool{}
	for n := max(c.ID.N.Min, cat.Least); n <= c.ID.N.Max; n++ {
		d := c.ID.Density
		if d == sparse {
			d.Min, d.Max = cat.Sparse(n)
		}
		all := drawGraph(random.New([32]byte{}), cat.Family, n, 1000)
		pairs := all.G.Edges
		if len(pairs) > mostPairs {
			return nil
		}
		queries := []category.Query{all.Query}
		if cat.Name == "degree_count" {
			queries = nil
			for x := range 2 * n {
				q := all.Query
				q.Source, q.Direction = x/2, []string{"in", "out"}[x%2]
				queries = append(queries, q)
			}
		}
		for set := range 1 << len(pairs) {
			if m := 1000 * bits.OnesCount(uint(set)); m <= len(pairs)*d.Min-1000 || m >= len(pairs)*d.Max+1000 {
				continue
			}
			g := graph.Graph{N: n, Directed: all.G.Directed}
			for i, e := range pairs {
				if set>>i&1 != 0 {
					g.Edges = append(g.Edges, e)
				}
			}
			for i := range queries {
				form := canonical(&category.Case{G: g, Query: queries[i]})
				key := structure(c.ID.Version, cat.Name, &queries[i], form)
				if training(cat.Name, form) == c.ID.training() && !c.has[key] && !avoid.knows(key) {
					left[key] = true
				}
			}
			if len(left) >= c.Count {
				return nil
			}
		}
	}
	return fmt.Errorf("%s: only %d of %d are possible; %s", cat.Name, len(left), c.Count, c.small())
}

// result of a worker. If the cell may not use the instance, clash says why.
type result struct {
	made  Made
	clash string
	err   error
}

// task is an instance to be made; done has room for its result.
type task struct {
	id   ID
	cell *pending
	done chan result
}

// pending is a cell being made.
type pending struct {
	Cell
	mu      sync.Mutex // of the structures
	next    int        // index
	jobs    []task
	given   int
	skipped int // since the last instance that was given
	clashes int
}

func (c *pending) repeats(structure [32]byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Repeats(structure)
}

// knows reports, while an instance is made ahead, whether one already returned has its structure.
func (c *pending) knows(structure [32]byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.has[structure]
}

// Run generates the instances of some cells in their order. It ends with the first
// error, which is that of the context when it was cancelled.
func (g *Generator) Run(ctx context.Context, cells Cells) iter.Seq2[Made, error] {
	return func(yield func(Made, error) bool) {
		for i := range cells {
			if err := cells[i].scarce(g.Avoid); err != nil {
				yield(Made{}, err)
				return
			}
		}
		// Those made ahead are not waited for when nobody wants them any more.
		working, cancel := context.WithCancel(ctx)
		r := g.start(working)
		defer r.wait.Wait()
		defer cancel()
		all, done := cells.Total(), 0
		for {
			r.fill(&cells)
			made, err := r.next(ctx)
			if err != nil {
				yield(Made{}, err)
				return
			}
			if made.Instance == nil {
				return
			}
			done++
			if g.Progress != nil {
				g.Progress(done, all)
			}
			if !yield(made, nil) {
				return
			}
		}
	}
}

// run is the state of one Run.
type run struct {
	work   chan task
	wait   sync.WaitGroup
	cells  []*pending
	flying int // jobs not yet read
	most   int
}

// start starts the workers of a run. Each makes the instance of a task and decides whether its
// cell may use it; another goroutine puts them in order.
func (g *Generator) start(ctx context.Context) *run {
	workers := g.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	generate := g.generate
	if generate == nil {
		generate = makeOne
	}
	r := &run{most: workers * window}
	// All that flies fits, so that giving out work never waits. Cells that have
	// to try again may exceed the window by one each time one is read.
	r.work = make(chan task, r.most+1)
	for range workers {
		r.wait.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case j := <-r.work:
					made, err := generate(ctx, j.id, func(structure [32]byte) bool { return j.cell.knows(structure) || g.Avoid.knows(structure) })
					clash := ""
					switch {
					case err != nil:
					case made.Instance == nil:
						clash = "structure"
					case g.Avoid != nil:
						clash = g.Avoid.Clash(made.Instance)
					}
					if err == nil && clash == "" && g.Keep != nil {
						var keep bool
						if keep, err = g.Keep(made.Instance); !keep {
							clash = "not kept"
						}
					}
					j.done <- result{made, clash, err}
				}
			}
		})
	}
	return r
}

// fill hands out work up to the window.
func (r *run) fill(cells *Cells) {
	for r.flying < r.most {
		if len(r.cells) > 0 {
			if c := r.cells[len(r.cells)-1]; c.given+len(c.jobs) < c.Count {
				r.give(c)
				continue
			}
		}
		if len(*cells) == 0 {
			return
		}
		cell := (*cells)[0]
		*cells = (*cells)[1:]
		r.cells = append(r.cells, &pending{Cell: cell, next: cell.ID.Index})
	}
}

// give hands the next index of a cell to a worker. Its result has a place in the order of the cell
// at once.
func (r *run) give(c *pending) {
	id := c.ID
	id.Index = c.next
	c.next++
	j := task{id, c, make(chan result, 1)}
	c.jobs = append(c.jobs, j)
	r.flying++
	r.work <- j
}

// next returns the next instance to return, or none at the end. Workers finish in any order; the
// first job of the first cell is waited for, so the order is that of one worker. An index that
// clashes with an instance from before is passed over, and another given in its place unless the
// cell counts tries.
func (r *run) next(ctx context.Context) (Made, error) {
	for len(r.cells) > 0 {
		c := r.cells[0]
		if c.given == c.Count {
			r.cells = r.cells[1:]
			continue
		}
		if len(c.jobs) == 0 {
			r.give(c)
		}
		if ctx.Err() != nil {
			return Made{}, context.Cause(ctx)
		}
		var got result
		select {
		case <-ctx.Done():
			return Made{}, context.Cause(ctx)
		case got = <-c.jobs[0].done:
		}
		c.jobs = c.jobs[1:]
		r.flying--
		switch {
		case got.err != nil:
			return Made{}, got.err
		case got.clash != "" || c.repeats(got.made.structure):
			c.skipped++
			c.clashes++
			if c.Tries {
				c.Count--
				continue
			}
			if c.skipped > mostSkipped {
				return Made{}, c.crowded(got.clash)
			}
			r.give(c)
			continue
		}
		c.given++
		got.made.Skipped = c.skipped
		c.skipped = 0
		return got.made, nil
	}
	return Made{}, nil
}

// mostSkipped is how many indices in a row may clash before the space counts as
// used up: of a space with one case in a hundred left, one run in 10^17 ends by
// mistake.
const mostSkipped = 4000

func (c *Cell) small() string {
	return fmt.Sprintf("the space of %s nodes, density %s, is too small: ask for fewer, for more nodes or for another density", c.ID.N, c.ID.Density.permille())
}

// crowded says that the space is used up, or, by the last clash, that the surface is.
func (c *pending) crowded(clash string) error {
	id := c.ID
	why := c.small()
	if clash == "label" || clash == "domain" {
		why = fmt.Sprintf("the last has a %s of the instances to be kept apart from: choose a part of the labels and domains that these do not use, as with --part 2.2", clash)
	}
	return fmt.Errorf("%s: only %d of %d found: the last %d that were drawn all had to be passed over (%d in all); %s",
		id.Category, c.given, c.Count, c.skipped, c.clashes, why)
}
