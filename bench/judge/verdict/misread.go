package verdict

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/internal/lists"
	"ein/lang/check"
	"ein/lang/syntax"
	"ein/vm/cost"
)

// Error is a sort of misreading.
type Error string

// The errors.
const (
	Direction    Error = "direction_confusion"
	Truncation   Error = "depth_truncation"
	Accumulation Error = "accumulation_drift"
	Source       Error = "source_inclusion"
	SingleEdge   Error = "single_edge_misread"
)

// Errors lists the errors.
func Errors() []Error { return []Error{Direction, Truncation, Accumulation, Source, SingleEdge} }

// Match is a misreading that gives the answer of a model.
type Match struct {
	Error      Error  `json:"error"`
	Misreading string `json:"misreading"`
	// Variants is how many ways there are of misreading a question so, and Matches
	// how many of them give the answer: one of a hundred is chance rather than
	// cause.
	Variants int   `json:"variants"`
	Matches  int   `json:"matches"`
	Edge     *Edge `json:"edge,omitempty"` // of the first that does
}

// Finding is the misreadings that explain a wrong answer, the most specific first: those with few
// variants before those with many.
type Finding struct {
	Matches []Match `json:"matches"`
	Tried   int     `json:"tried"`   // misreadings in all
	Answers int     `json:"answers"` // different wrong answers that they give
}

// mostEdges bounds the misreadings of single edges. From about 60 nodes on, one of them gives
// nearly every answer, so they explain nothing.
const mostEdges = 4096

// mistake is one way to misread a question, as a variant of its program.
type mistake struct {
	err     Error
	name    string
	edge    *Edge
	program string
}

// misreadings finds the misreadings of a question that give the model's answer, by running
// variants of its program. It fails if the context ends or a program does not run.
func misreadings(ctx context.Context, q *Question, reply *answer.JSON) (Finding, error) {
	right, err := own(ctx, q, q.Program)
	if err != nil {
		return Finding{}, fmt.Errorf("%s: its own program: %w", q.ID, err)
	}
	f := Finding{Matches: []Match{}}
	answers := map[string]bool{}
	for _, m := range mistakes(q) {
		f.Tried++
		at := slices.IndexFunc(f.Matches, func(x Match) bool { return x.Misreading == m.name })
		if at < 0 {
			at = len(f.Matches)
			f.Matches = append(f.Matches, Match{Error: m.err, Misreading: m.name})
		}
		match := &f.Matches[at]
		match.Variants++
		got, err := own(ctx, q, m.program)
		switch {
		case ctx.Err() != nil:
			return Finding{}, context.Cause(ctx)
		case err != nil || bytes.Equal(got, right):
			continue // misread so, the question has no answer, or the right one
		}
		answers[string(got)] = true
		reference, err := answer.NewReference(got, q.Type, answer.Asked{})
		if err == nil && answer.MatchAnswer(reply, &reference, q.Type, q.Category, answer.Strict) == answer.Correct {
			if match.Matches++; match.Matches == 1 {
				match.Edge = m.edge
			}
		}
	}
	f.Answers = len(answers)
	f.Matches = slices.DeleteFunc(f.Matches, func(m Match) bool { return m.Matches == 0 })
	sort.SliceStable(f.Matches, func(i, j int) bool { return f.Matches[i].Variants < f.Matches[j].Variants })
	return f, nil
}

// own returns the answer of one of our own programs, which may use def.
func own(ctx context.Context, q *Question, program string) (json.RawMessage, error) {
	v, err := instance.RunWithin(ctx, cost.Limits{MaxOps: 1 << 34, MaxBytes: 1 << 30}, check.Full, program, q.Type, q.Labels)
	if err != nil {
		return nil, err
	}
	return v.JSON(q.Labels), nil
}

// rewriter makes the variants of one program.
type rewriter struct {
	program string
	file    *syntax.File
	graphs  []literal
	n       int
	list    []mistake
}

// mistakes lists every misreading to try, each as an edit of the instance's own program: that way
// a misreading means the same in every category.
func mistakes(q *Question) []mistake {
	c := &q.Case
	w := &rewriter{program: q.Program, file: parse(q.Program), n: c.G.N}
	w.graphs = literals(w.file, w.n)
	if c.G.Directed {
		w.wholeGraph("all edges reversed", arcs.reversed)
		w.wholeGraph("edges taken as undirected", func(a arcs) arcs {
			return arcsOf(append(a.reversed(), a...))
		})
		w.degrees()
	}
	for hops := 1; hops <= 3; hops++ {
		w.calls(Truncation, fmt.Sprintf("paths of at most %s", [...]string{"one edge", "two edges", "three edges"}[hops-1]), cut(hops), false)
	}
	w.calls(Source, "source counted the other way", sources, true)
	if q.Type == category.Float {
		w.mean()
	}
	w.edges(c.G.Directed)
	return w.list
}

func (w *rewriter) add(err Error, name string, edge *Edge, edits []edit, prefix string) {
	w.list = append(w.list, mistake{err, name, edge, prefix + rewrite(w.program, edits)})
}

// wholeGraph is the misreading that changes all graphs of a program in one way, as reversing all
// edges does.
func (w *rewriter) wholeGraph(name string, f func(arcs) arcs) {
	edits := lists.Map(w.graphs, func(x literal) edit { return edit{x.span, f(x.edges).text(w.n)} })
	w.add(Direction, name, nil, edits, "")
}

// variants adds the misreading with all edits and, if there are several, those with a single one.
func (w *rewriter) variants(err Error, name string, edits []edit, each bool, prefix string) {
	if len(edits) == 0 {
		return
	}
	w.add(err, name, nil, edits, prefix)
	if each && len(edits) > 1 {
		for _, e := range edits {
			w.add(err, name, nil, []edit{e}, prefix)
		}
	}
}

func (w *rewriter) walk(visit func(*syntax.Call)) {
	for _, s := range w.file.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.Call); ok {
				visit(c)
			}
			return true
		})
	}
}

// degrees swaps in-degrees and out-degrees: sums of a graph over the other axis.
func (w *rewriter) degrees() {
	var edits []edit
	w.walk(func(c *syntax.Call) {
		if c.Fun.Name != "sum" || len(c.Args) != 2 {
			return
		}
		name, ok := c.Args[0].Value.(*syntax.Name)
		if !ok || !slices.ContainsFunc(w.graphs, func(l literal) bool { return l.name == name.Name }) {
			return
		}
		if axis, ok := c.Args[1].Value.(*syntax.Number); ok {
			edits = append(edits, edit{axis.Span, fmt.Sprint(1 - int(axis.Value))})
		}
	})
	w.variants(Direction, "in-degree for out-degree", edits, true, "")
}

// calls replaces calls of the functions that the prefix text defines by calls of those.
func (w *rewriter) calls(err Error, name, functions string, each bool) {
	var edits []edit
	w.walk(func(c *syntax.Call) {
		if strings.Contains(functions, "def my_"+c.Fun.Name+"(") {
			edits = append(edits, edit{c.Fun.Span, "my_" + c.Fun.Name})
		}
	})
	w.variants(err, name, edits, each, functions)
}

// cut defines the functions of paths for paths of a few edges only.
func cut(hops int) string {
	closure := [...]string{
		"def my_tc(A) = A\n",
		"def my_tc(A) = {\n  B[i,k] = A[i,j] A[j,k]\n  (A + B) > 0\n}\n",
		"def my_tc(A) = {\n  B[i,k] = A[i,j] A[j,k]\n  C[i,k] = B[i,j] A[j,k]\n  (A + B + C) > 0\n}\n",
	}[hops-1]
	return closure + `def my_desc(A, x) = {
  T = my_tc(A)
  R[j] = select(T, x, j)
  only(R, node(A, x))
}
def my_anc(A, x) = {
  T = my_tc(A)
  R[i] = select(T, i, x)
  only(R, node(A, x))
}
def my_reach(A, x) = either(my_desc(A, x), node(A, x))
def my_has_path(A, x, y) = select(my_tc(A), x, y)
def my_scc(A) = {
  T = my_tc(A)
  ((T * transpose(T)) + eye(size(A, 0))) > 0
}
`
}

// sources defines the functions that leave the source out so that they include it, and the reverse.
const sources = `def my_desc(A, x) = reach(A, x)
def my_reach(A, x) = desc(A, x)
def my_anc(A, x) = either(anc(A, x), node(A, x))
def my_siblings(A, x) = either(siblings(A, x), node(A, x))
def my_cousins(A, x) = either(cousins(A, x), node(A, x))
def my_scc(A) = scc(A) - eye(size(A, 0))
`

// mean changes a sum or a count by one, in the quotient that is the answer.
func (w *rewriter) mean() {
	for _, s := range w.file.Stmts {
		a, ok := s.(*syntax.Assign)
		if !ok {
			continue
		}
		b, ok := a.Value.(*syntax.Binary)
		if !ok || b.Op != syntax.Div {
			continue
		}
		for _, x := range []syntax.Expr{b.L, b.R} {
			for _, sign := range []string{"+", "-"} {
				text := w.program[x.Pos().Start:x.Pos().End]
				w.add(Accumulation, "one term of a mean off by one", nil, []edit{{x.Pos(), "(" + text + " " + sign + " 1)"}}, "")
			}
		}
	}
}

// edges misreads one edge.
func (w *rewriter) edges(directed bool) {
	if pairs := w.n * (w.n - 1); pairs*len(w.graphs) > mostEdges {
		return
	}
	for _, name := range []string{"one edge dropped", "one edge reversed", "one edge added"} {
		for i := range w.graphs {
			l := &w.graphs[i]
			for x := range w.n {
				for y := range w.n {
					e, r := Edge{x, y}, Edge{y, x}
					if x == y || !directed && x > y || l.edges.has(e) == (name == "one edge added") || name == "one edge reversed" && (!directed || l.edges.has(r)) {
						continue
					}
					changed := l.edges.with(e, name == "one edge added")
					if name == "one edge reversed" {
						changed = changed.with(r, true)
					} else if !directed {
						changed = changed.with(r, name == "one edge added")
					}
					w.add(SingleEdge, name, &e, []edit{{l.span, changed.text(w.n)}}, "")
				}
			}
		}
	}
}
