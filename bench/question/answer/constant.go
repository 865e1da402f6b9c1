package answer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"ein/bench/question/category"
	"ein/internal/lists"
)

// Constants finds the best answer for somebody who gives the same one to every question
// of a category: a value, with nodes by their places, or every label, or the node that
// the question names.
type Constants struct {
	t        category.Result
	category string
	asked    map[string]*sameAnswer
	count    int
}

// sameAnswer holds the questions with one answer, up to their labels.
type sameAnswer struct {
	Reference
	count int
}

// NewConstants starts without a question.
func NewConstants(t category.Result, categoryName string) *Constants {
	return &Constants{t: t, category: categoryName, asked: map[string]*sameAnswer{}}
}

// Add counts a question.
func (c *Constants) Add(r *Reference) error {
	c.count++
	place := func(label string) string { return strconv.Itoa(slices.Index(r.asked.Labels, label)) }
	text := r.value
	asked := Asked{Fixed: r.asked.Fixed}
	switch c.t {
	case category.Set:
		places := lists.Map(text.more.values, func(x JSON) int { return slices.Index(r.asked.Labels, x.text) })
		slices.Sort(places)
		text = placeSet(lists.Map(places, strconv.Itoa))
	case category.String:
		text.text = place(text.text)
	}
	if c.t == category.Set || c.t == category.String { // of the others an answer names no node
		asked.Labels = places(len(r.asked.Labels))
		if r.asked.Source != "" {
			asked.Source = place(r.asked.Source)
		}
	}
	key := fmt.Sprint(string(text.Raw()), asked.Source, asked.Fixed, len(asked.Labels))
	if c.asked[key] == nil {
		same, err := NewReference(text.Raw(), c.t, asked)
		if err != nil {
			return err
		}
		c.asked[key] = &sameAnswer{Reference: same}
	}
	c.asked[key].count++
	return nil
}

// Constant is the best answer that is the same for every question, and how often it
// is right.
type Constant struct {
	Answer string  `json:"answer"`
	Right  int     `json:"right"`
	Share  float64 `json:"share"`
}

// Best returns the answer that is right most often in a mode. Of several the first in the
// order of their texts is taken.
func (c *Constants) Best(m Mode) Constant {
	right := map[string]int{}
	try := func(name string, v JSON, q *sameAnswer) {
		n := 0
		if MatchAnswer(&v, &q.Reference, c.t, c.category, m) == Correct {
			n = q.count
		}
		right[name] += n
	}
	all := map[string]JSON{} // of floats, of which any may be near any other
	for _, q := range c.asked {
		all[string(q.value.Raw())] = q.value
	}
	for _, q := range c.asked {
		near := map[string]JSON{string(q.value.Raw()): q.value}
		switch c.t {
		case category.Float:
			near = all
		case category.Integer:
			for _, text := range []string{q.number.plus(-one).text(), q.number.plus(one).text()} {
				near[text] = JSON{kind: jsonNumber, text: text}
			}
		case category.Set:
			v := q.toggled()
			near[string(v.Raw())] = v
			try("every label", placeSet(q.asked.Labels), q)
			try("the named node", placeSet([]string{q.asked.Source}), q)
		case category.String:
			try("the named node", JSON{kind: jsonString, text: q.asked.Source}, q)
		}
		for name, v := range near {
			try(name, v, q)
		}
	}
	best := Constant{Right: -1}
	for _, name := range slices.Sorted(maps.Keys(right)) {
		if right[name] > best.Right {
			best.Answer, best.Right = name, right[name]
		}
	}
	best.Right = max(0, best.Right)
	best.Share = float64(best.Right) / float64(max(1, c.count))
	return best
}

// toggled returns the set of a question with its source put in, or left out.
func (q *sameAnswer) toggled() JSON {
	in := stringSet(&q.value)
	in[q.asked.Source] = !in[q.asked.Source]
	return placeSet(slices.DeleteFunc(slices.Clone(q.asked.Labels), func(place string) bool { return !in[place] }))
}

// places returns as many labels, which are numbers.
func places(n int) []string { return lists.Map(lists.Upto(n), strconv.Itoa) }

// placeSet returns a set of nodes by their places.
func placeSet(places []string) JSON {
	return list(lists.Map(places, func(p string) JSON { return JSON{kind: jsonString, text: p} }))
}
