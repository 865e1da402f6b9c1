package audit

import (
	"strings"

	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/bench/question/instance"
	"ein/internal/stats"
)

// The sets of features; each contains those before it.
const (
	Form   = "form"   // lengths, counts, mentions, positions: what can be counted in the text
	Local  = "local"  // degrees and direct edges of the nodes that the question names
	Decoys = "decoys" // what all decoys say
)

var featureSets = []string{Form, Local, Decoys}

// node holds the features of one node, for answers that are nodes.
type node struct {
	form, local, decoys []float64
	in                  bool // the answer has it
}

// describe computes the features of an instance.
func (x *row) describe(in *instance.Instance, cat *category.Category, w *category.World) {
	words := strings.FieldsFunc(in.Question, func(r rune) bool { return strings.ContainsRune(" .,:;?!\"()\n", r) })
	q := w.Query
	x.form = []float64{
		float64(in.N), float64(len(in.Question)), float64(len(words)), float64(strings.Count(in.Question, ". ")),
		float64(strings.Count(in.Question, ",")), float64(strings.Count(in.Question, " and ")),
		float64(q.Threshold), float64(q.MinIn), float64(q.MinOut), float64(q.MaxOut), float64(len(q.Steps)),
		stats.One(q.Direction == "in"), stats.One(q.Aggregate == category.Maximum), stats.One(q.Aggregate == category.Sum),
	}
	for _, style := range []string{"flat", "by_source", "by_target", "mixed"} {
		x.form = append(x.form, stats.One(in.Style == style))
	}
	for i := range 5 {
		step := 0.0
		if i < len(q.Steps) {
			step = 1 + float64(strings.Index("parent child sibling grandparent grandchild", q.Steps[i]))
		}
		x.form = append(x.form, step)
	}
	x.local = []float64{float64(len(in.Edges)), float64(len(in.Edges2))}
	named := []int{q.Source, q.Target}
	degrees := func(v int) []float64 {
		if v == category.None {
			return make([]float64, 4)
		}
		a, b := &w.A, &w.B
		return []float64{float64(a.Out[v].Len()), float64(a.In[v].Len()), float64(b.Out[v].Len()), float64(b.In[v].Len())}
	}
	// around is the degrees of the nodes that share an edge with a node.
	around := func(v int) []float64 {
		out := make([]float64, 8)
		if v == category.None {
			return out
		}
		for i, set := range []graph.Bits{w.A.Out[v], w.A.In[v]} {
			for ; set != (graph.Bits{}); set = set.Less(set.First()) {
				u := set.First()
				o, in := float64(w.A.Out[u].Len()), float64(w.A.In[u].Len())
				out[4*i] += o
				out[4*i+1] += in
				out[4*i+2] = max(out[4*i+2], o)
				out[4*i+3] += stats.One(w.A.Out[u].Has(v) && w.A.Out[v].Has(u))
			}
		}
		return out
	}
	for least := 1; least <= 3; least++ {
		out, in, both := 0, 0, 0
		for v := range w.A.N {
			o, i := w.A.Out[v].Len() >= least, w.A.In[v].Len() >= least
			out, in, both = out+int(stats.One(o)), in+int(stats.One(i)), both+int(stats.One(o && i))
		}
		x.local = append(x.local, float64(out), float64(in), float64(both))
	}
	direct := func(v, u int) []float64 {
		if v == category.None || u == category.None {
			return make([]float64, 4)
		}
		return []float64{stats.One(w.A.Out[v].Has(u)), stats.One(w.A.Out[u].Has(v)), stats.One(w.B.Out[v].Has(u)), stats.One(w.B.Out[u].Has(v))}
	}
	at := make([][]int, in.N)
	index := map[string]int{}
	for i, label := range in.Nodes {
		index[label] = i
	}
	for i, word := range words {
		if v, ok := index[word]; ok {
			at[v] = append(at[v], i)
		}
	}
	mentions := func(v int) []float64 {
		if v == category.None || len(at[v]) < 2 {
			return make([]float64, 5)
		}
		p := at[v]
		all := float64(len(words))
		return []float64{float64(len(p)), float64(p[0]) / all, float64(p[1]) / all, float64(p[len(p)-1]) / all, float64(p[max(0, len(p)-2)]) / all}
	}
	for _, v := range named {
		x.form = append(x.form, mentions(v)...)
		x.local = append(append(x.local, degrees(v)...), around(v)...)
	}
	x.local = append(x.local, direct(q.Source, q.Target)...)
	if cat.Result != category.Set && cat.Result != category.String {
		return
	}
	most := [2]int{}
	for v := range in.N {
		most[0], most[1] = max(most[0], w.A.Out[v].Len()), max(most[1], w.A.In[v].Len())
	}
	for v := range in.N {
		n := node{in: x.out.Set.Has(v) || cat.Result == category.String && x.out.Num == v}
		n.form = append([]float64{float64(v) / float64(in.N), stats.One(v == q.Source), stats.One(v == q.Target)}, mentions(v)...)
		n.local = append(append(degrees(v), direct(q.Source, v)...), direct(q.Target, v)...)
		n.local = append(append(n.local, around(v)...), float64(most[0]-w.A.Out[v].Len()), float64(most[1]-w.A.In[v].Len()))
		for _, g := range x.guesses {
			n.decoys = append(n.decoys, stats.One(g.Set.Has(v) || cat.Result == category.String && g.Num == v))
		}
		x.nodes = append(x.nodes, n)
	}
}

// matrix returns the rows of a set of features.
func (c *Category) matrix(set string) (j job) {
	j.Kind = "class"
	if c.byNode() {
		j.Kind = map[category.Result]string{category.Set: "set", category.String: "label"}[c.cat.Result]
	}
	classes := map[category.Out]int{}
	width := 0
	for _, x := range c.rows {
		width = max(width, len(x.guesses))
	}
	for i, x := range c.rows {
		base := x.form
		if set != Form {
			base = append(append([]float64{}, base...), x.local...)
		}
		if !c.byNode() {
			if _, ok := classes[x.out]; !ok {
				classes[x.out] = len(classes)
			}
			if set == Decoys {
				for k := range width {
					value := 0.0
					if k < len(x.guesses) {
						value = float64(x.guesses[k].Num)
					}
					base = append(base, value)
				}
			}
			j.add(base, classes[x.out], i, x.train)
			continue
		}
		for _, n := range x.nodes {
			row := append(append([]float64{}, base...), n.form...)
			if set != Form {
				row = append(row, n.local...)
			}
			if set == Decoys {
				row = append(row, n.decoys...)
			}
			j.add(row, int(stats.One(n.in)), i, x.train)
		}
	}
	return j
}

// job is the input of a learner.
type job struct {
	Kind  string      `json:"kind"`
	X     [][]float64 `json:"x"`
	Y     []int       `json:"y"`
	Group []int       `json:"group"`
	Train []bool      `json:"train"`
}

func (j *job) add(x []float64, y, group int, train bool) {
	j.X, j.Y, j.Group, j.Train = append(j.X, x), append(j.Y, y), append(j.Group, group), append(j.Train, train)
}
