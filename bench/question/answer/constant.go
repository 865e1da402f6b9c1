package answer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"ein/bench/question/category"
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

// sameAnswer is the questions with one answer, up to their labels.
type sameAnswer struct {
	Reference
	count int
}

// NewConstants is those of no question yet.
func NewConstants(t category.Result, categoryName string) *Constants {
	return &Constants{t: t, category: categoryName, asked: map[string]*sameAnswer{}}
}

// Add counts a question.
func (c *Constants) Add(r *Reference) error {
	c.count++
	place := func(label string) string { return strconv.Itoa(slices.Index(r.asked.Labels, label)) }
	text := r.value
	switch c.t {
	case category.Set:
		var names []JSON
		for i := range text.more.values {
			names = append(names, JSON{kind: jsonString, text: place(text.more.values[i].text)})
		}
		text = list(names)
	case category.String:
		text.text = place(text.text)
	}
	asked := Asked{Source: place(r.asked.Source), Fixed: r.asked.Fixed}
	key := fmt.Sprint(string(text.Raw()), asked.Source, asked.Fixed, len(r.asked.Labels))
	if c.asked[key] == nil {
		for i := range r.asked.Labels {
			asked.Labels = append(asked.Labels, strconv.Itoa(i))
		}
		same, err := NewReference(text.Raw(), c.t, asked)
		if err != nil {
			return err
		}
		c.asked[key] = &sameAnswer{Reference: same}
	}
	c.asked[key].count++
	return nil
}

// Best is the answer that is right most often in a mode, and how often. Of several the
// first in the order of their texts is taken.
func (c *Constants) Best(m Mode) (string, int) {
	give := map[string]func(*Reference) JSON{}
	for _, q := range c.asked {
		v := q.value
		give[string(v.Raw())] = func(*Reference) JSON { return v }
		if c.t == category.Integer {
			for _, near := range []string{q.low.text(), q.high.text()} {
				give[near] = func(*Reference) JSON { return JSON{kind: jsonNumber, text: near} }
			}
		}
	}
	named := func(names ...string) JSON {
		var values []JSON
		for _, x := range names {
			values = append(values, JSON{kind: jsonString, text: x})
		}
		return list(values)
	}
	switch c.t {
	case category.Set:
		give["every label"] = func(r *Reference) JSON { return named(r.asked.Labels...) }
		give["the named node"] = func(r *Reference) JSON { return named(r.asked.Source) }
	case category.String:
		give["the named node"] = func(r *Reference) JSON { return JSON{kind: jsonString, text: r.asked.Source} }
	}
	best, most := "", -1
	for _, name := range slices.Sorted(maps.Keys(give)) {
		right := 0
		for _, q := range c.asked {
			v := give[name](&q.Reference)
			if MatchAnswer(&v, &q.Reference, c.t, c.category, m) == Correct {
				right += q.count
			}
		}
		if right > most {
			best, most = name, right
		}
	}
	return best, max(0, most)
}
