package eval

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/surface"
	"ein/internal/lists"
)

// Select takes the instances of some categories, of all when there are none; and of
// these at most limit, 0 being all. They are taken evenly from the levels, and from the
// categories of each, so that few instances are a little of everything, and keep their
// order.
func Select(all []*instance.Instance, categories []string, limit int) ([]*instance.Instance, error) {
	there := map[string][]int{} // by category, the places
	var order []string
	for i, in := range all {
		if len(categories) > 0 && !slices.Contains(categories, in.Category) {
			continue
		}
		if there[in.Category] == nil {
			order = append(order, in.Category)
		}
		there[in.Category] = append(there[in.Category], i)
	}
	for _, name := range categories {
		if _, err := instance.Category(name); err != nil {
			return nil, err
		}
		if there[name] == nil {
			return nil, fmt.Errorf("there is no instance of the category %s", name)
		}
	}
	var take []int
	for name, n := range category.Evenly(order, func(name string) int { return len(there[name]) }, limit) {
		take = append(take, there[name][:n]...)
	}
	slices.Sort(take)
	return lists.Map(take, func(at int) *instance.Instance { return all[at] }), nil
}

// Surfaces adds to every instance n-1 others of its structure, with other labels, domains, styles
// and orders of edges, by the surface seeds that follow.
func Surfaces(all []*instance.Instance, n int) ([]*instance.Instance, error) {
	if n <= 1 {
		return all, nil
	}
	out := make([]*instance.Instance, 0, n*len(all))
	for _, in := range all {
		out = append(out, in)
		id, err := instance.ParseID(in.ID)
		if err != nil {
			return nil, err
		}
		for range n - 1 {
			id.SurfaceSeed++
			made, _, err := instance.Generate(id)
			if err != nil {
				return nil, err
			}
			if made.EinProgram != in.EinProgram {
				return nil, notMade(in)
			}
			out = append(out, made)
		}
	}
	return out, nil
}

func notMade(in *instance.Instance) error {
	return fmt.Errorf("the instance %s is not what its id makes; `ein bench verify` says more", in.ID)
}

// Encode returns every instance in every encoding; without encodings, in the one that all instances
// have. An instance in another encoding is made again from its id, with the same answer and program.
func Encode(all []*instance.Instance, encodings []surface.Encoding) ([]*instance.Instance, []surface.Encoding, error) {
	ids := make([]instance.ID, len(all))
	for i, in := range all {
		var err error
		if ids[i], err = instance.ParseID(in.ID); err != nil {
			return nil, nil, err
		}
		if i > 0 && len(encodings) == 0 && ids[i].Encoding != ids[0].Encoding {
			return nil, nil, fmt.Errorf("there are instances in %s and in %s; say which encodings to ask in", ids[0].Encoding, ids[i].Encoding)
		}
	}
	if len(all) == 0 {
		return nil, nil, errors.New("there are no instances")
	}
	if len(encodings) == 0 {
		encodings = []surface.Encoding{ids[0].Encoding}
	}
	seen := map[string]string{}
	var out []*instance.Instance
	for i, in := range all {
		for _, e := range encodings {
			made := in
			if id := ids[i]; id.Encoding != e {
				id.Encoding = e
				var err error
				if made, _, err = instance.Generate(id); err != nil {
					return nil, nil, err
				}
				if !bytes.Equal(made.Answer, in.Answer) || made.EinProgram != in.EinProgram {
					return nil, nil, notMade(in)
				}
			}
			first, twice := seen[made.ID]
			switch {
			case twice && first == in.ID:
				return nil, nil, fmt.Errorf("the instance %s is there twice", first)
			case twice:
				return nil, nil, fmt.Errorf("the instances %s and %s are the same in %s", first, in.ID, e)
			}
			seen[made.ID] = in.ID
			out = append(out, made)
		}
	}
	return out, encodings, nil
}
