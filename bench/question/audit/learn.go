package audit

import (
	"context"
	_ "embed" // the learners
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"slices"

	"ein/internal/child"
)

//go:embed learn.py
var driver string

// Learn trains the learners in a Python with scikit-learn. If there is none, Missing says so, which
// is not an error. done, which may be nil, is called after each category.
func (r *Report) Learn(ctx context.Context, python string, done func(i int)) error {
	p, err := child.Start(exec.Command(python, "-I", "-W", "ignore", "-c", driver), nil, 1<<20)
	if err != nil {
		r.Missing = fmt.Sprintf("%s cannot be started; name another interpreter with --python", python)
		return nil
	}
	defer p.Kill()
	read := func(v any, line []byte, err error) error {
		if err == nil {
			err = json.Unmarshal(line, v)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	var hello struct{ Python, Sklearn, Missing string }
	line, err := p.Line(ctx)
	if err := read(&hello, line, err); err != nil {
		return fmt.Errorf("%s: %w", python, err)
	}
	if hello.Missing != "" {
		r.Missing = fmt.Sprintf("%s (Python %s) has no scikit-learn: %s; name another interpreter with --python", python, hello.Python, hello.Missing)
		return nil
	}
	r.Learner = fmt.Sprintf("scikit-learn %s of Python %s", hello.Sklearn, hello.Python)
	for i, c := range r.Categories {
		for _, set := range featureSets {
			line, err := json.Marshal(c.matrix(set))
			if err == nil {
				line, err = p.Ask(ctx, line)
			}
			right := map[string]int{}
			if err := read(&right, line, err); err != nil {
				return fmt.Errorf("%s, %s: %w", c.Name, set, err)
			}
			c.Learned = append(c.Learned, best(set, right, c.tests()))
		}
		if done != nil {
			done(i + 1)
		}
	}
	return nil
}

// tests returns the number of instances that are not trained on.
func (c *Category) tests() int {
	n := 0
	for _, x := range c.rows {
		if !x.train {
			n++
		}
	}
	return n
}

// best returns the learner that is right most often on of instances; of equals, the first by
// name.
func best(set string, right map[string]int, of int) Learned {
	l := Learned{Features: set, All: map[string]Share{}, Share: Share{-1, of}}
	for _, name := range slices.Sorted(maps.Keys(right)) {
		l.All[name] = Share{right[name], of}
		if right[name] > l.Right {
			l.Learner, l.Share = name, Share{right[name], of}
		}
	}
	return l
}
