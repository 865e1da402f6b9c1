package audit

import (
	"iter"
	"os/exec"
	"testing"

	"ein/bench/question/instance"
)

// generated is instances of cb1, which is known to be passed without a search.
func generated(t *testing.T, per int, categories ...string) iter.Seq2[*instance.Instance, error] {
	return func(yield func(*instance.Instance, error) bool) {
		for _, name := range categories {
			for k := range per {
				in, _, err := instance.Generate(instance.NewID("audit", name, k, 3))
				if err != nil {
					t.Fatal(err)
				}
				if !yield(in, nil) {
					return
				}
			}
		}
	}
}

// TestDecoys finds what is known of cb1: a search that is cut at two hops answers
// nearly all of reachability, and half of its answers are yes.
func TestDecoys(t *testing.T) {
	r, err := Collect(t.Context(), nil, generated(t, 400, "reachability", "sibling"))
	if err != nil || len(r.Categories) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	c := r.Categories[0]
	if v := c.Majority.Value(); c.Instances != 400 || v < 0.5 || v > 0.6 {
		t.Errorf("%d instances, majority %g", c.Instances, v)
	}
	if d := c.Decoys[0]; d.Of != 400 || d.Value() < 0.88 {
		t.Errorf("the best decoy is %+v", d)
	}
	for _, c := range r.Categories {
		for _, d := range c.Decoys {
			if low, high := d.Interval(); low < 0 || high > 1 || low > d.Value() || high < d.Value() {
				t.Errorf("%s, %s: %g in %g..%g", c.Name, d.Name, d.Value(), low, high)
			}
		}
	}
	if err := r.Learn(t.Context(), "no-such-python", nil); err != nil || r.Missing == "" {
		t.Errorf("%v, %q", err, r.Missing)
	}
}

// TestLearned has learners find in degrees and direct edges what they do not find in
// the form of a text.
func TestLearned(t *testing.T) {
	if err := exec.Command("python3", "-c", "import sklearn").Run(); err != nil {
		t.Skip("needs a python3 with scikit-learn: ", err)
	}
	r, err := Collect(t.Context(), nil, generated(t, 400, "reachability"))
	if err == nil {
		err = r.Learn(t.Context(), "python3", nil)
	}
	if err != nil || r.Missing != "" || len(r.Categories[0].Learned) != len(featureSets) {
		t.Fatalf("%+v, %v", r, err)
	}
	form, local := r.Categories[0].Learned[0], r.Categories[0].Learned[1]
	if form.Of != 120 || local.Value() < 0.8 || local.Value() <= form.Value() {
		t.Errorf("form %+v, local %+v", form, local)
	}
}
