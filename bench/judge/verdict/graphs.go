package verdict

import (
	"context"
	_ "embed" // the Python half
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"ein/bench/question/category"
	"ein/bench/question/prompt"
	"ein/internal/lists"
	"ein/lang/source"
	"ein/lang/syntax"
)

// wrote holds the graphs that a program writes, with a way to replace them.
type wrote struct {
	graphs   []literal
	with     func([]arcs) string
	constant bool // the output is the same with every graph
	// asking is the program with the nodes that a question asks about; nil in Python.
	asking func(*category.Query) iter.Seq[string]
}

// einGraphs finds the graphs that are written in an Ein program.
func einGraphs(f *syntax.File, n int) wrote {
	program := f.Source.Text
	found := literals(f, n)
	for i := range found {
		found[i].line = 1 + strings.Count(program[:found[i].span.Start], "\n")
	}
	ask := func(query *category.Query) iter.Seq[string] {
		places := lists.Map(prompt.Anchors(parse(program)), func(x *syntax.Number) anchor { return anchor{int(x.Value), []source.Span{x.Span}} })
		return asking(program, places, strconv.Itoa, query)
	}
	return wrote{graphs: found, asking: ask, with: func(graphs []arcs) string {
		edits := make([]edit, len(found))
		for k := range found {
			edits[k] = edit{found[k].span, graphs[k].text(n)}
		}
		return rewrite(program, edits)
	}}
}

// watcher is a Python program that runs another one and observes its graphs.
//
//go:embed graphs.py
var watcher string

// watched is the input of the watcher.
type watched struct {
	Program string   `json:"program"`
	Labels  []string `json:"labels"`
	Truths  [][]Edge `json:"truths"`
	Put     []put    `json:"put,omitempty"`
}

// spot is where in a program a graph was found, and in which form.
type spot struct {
	Place int    `json:"place"`
	Path  string `json:"path"`
	Form  string `json:"form"`
	Turn  bool   `json:"turn"` // its edges are turned around, unlike those of others
	Old   []Edge `json:"old"`
}

// put replaces the edges of a graph that was found.
type put struct {
	spot
	New []Edge `json:"new"`
}

// text returns the watcher with its input as one Python program.
func (w *watched) text() string {
	b, err := json.Marshal(w)
	if err == nil {
		b, err = json.Marshal(string(b)) // a string of JSON is one of Python
	}
	if err != nil {
		panic(err) // strings and numbers always have a JSON form
	}
	return watcher + "\nstart(json.loads(" + string(b) + "))\n"
}

// pythonGraphs finds the graphs that a Python program computes with, by running it under
// observation. A program can forge this report, so it only explains wrong answers and never makes
// one right. A program that behaves differently from when it was scored, or that cannot be
// observed within the limits of the sandbox, has no graphs.
func pythonGraphs(ctx context.Context, sandbox Runner, program, printed string, q *Question) (wrote, error) {
	w := watched{Program: program, Labels: q.Labels}
	for _, t := range truths(&q.Case) {
		w.Truths = append(w.Truths, t)
	}
	out, err := sandbox.Run(ctx, w.text())
	if err != nil {
		if errors.As(err, new(*ProgramError)) {
			err = nil
		}
		return wrote{}, err
	}
	var report struct {
		Out    *string
		Graphs []struct {
			spot
			Edges []Edge
			Nodes *int
			Line  int
		}
		Constant bool
	}
	// The limit of the sandbox on output bounds the report.
	if err := json.Unmarshal([]byte(out), &report); err != nil || report.Out == nil || *report.Out != printed {
		return wrote{}, nil
	}
	found := wrote{constant: report.Constant}
	for _, g := range report.Graphs {
		l := literal{name: g.Path, nodes: computed, edges: arcsOf(g.Edges), line: g.Line}
		if g.Nodes != nil {
			l.nodes = *g.Nodes
		}
		found.graphs = append(found.graphs, l)
	}
	found.with = func(graphs []arcs) string {
		w.Put = nil
		for i, g := range graphs {
			w.Put = append(w.Put, put{report.Graphs[i].spot, g})
		}
		return w.text()
	}
	return found, nil
}

// Reading is how much of the graph a program read correctly, whatever its answer.
type Reading struct {
	Edges int `json:"edges"` // of the true graph
	Right int `json:"right"` // of them, in the program
	Added int `json:"added"` // edges of the program that are none, nor reversed ones
}

// read compares the graphs of a program with the true ones, in the convention that fits best; nil
// if it has none.
func read(c *category.Case, found []literal) *Reading {
	if len(found) == 0 {
		return nil
	}
	if n := len(c.G.Edges); len(found) == 1 && c.G2.N == 0 && found[0].edges.are(&c.G) { // most are
		return &Reading{Edges: n, Right: n}
	}
	list := readings(c, found)
	best := &list[0]
	for i := range list {
		if list[i].size() < best.size() {
			best = &list[i]
		}
	}
	r := &Reading{}
	for i := range best.graphs {
		d := &best.diffs[i]
		edges := len(best.graphs[i])
		if !c.G.Directed && best.convention != Once {
			edges /= 2 // there both ways
		}
		r.Edges += edges
		r.Right += edges - len(d.Dropped) - len(d.Reversed)
		r.Added += len(d.Added)
	}
	return r
}

// graphs returns the graphs of a program that gave an answer.
func (j *Judge) graphs(ctx context.Context, q *Question, mode prompt.Mode, v *Verdict) (wrote, error) {
	switch mode {
	case prompt.Ein:
		return einGraphs(j.ein.parsed(v.Program), q.Case.G.N), nil
	case prompt.Rules:
		return rulesGraphs(v.Program, q), nil
	}
	w, err := pythonGraphs(ctx, j.opt.Python, v.Program, v.printed, q)
	if err != nil {
		err = fmt.Errorf("%s: under observation: %w", q.ID, err)
	}
	return w, err
}
