package examples

import (
	"encoding/json"
	"math"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// answers reads what a run prints in version 2 of JSON the way a check.py says it:
// sets and paths as lists of names, vectors and matrices over the nodes as objects.
func answers(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var document struct {
		Labels  []string
		Outputs []struct {
			Name        string
			Shape       []int
			Value       any
			Entries     [][3]float64
			Nodes, Path []int
			Node        *int
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	labels := func(nodes []int) []any {
		list := []any{}
		for _, n := range nodes {
			list = append(list, document.Labels[n])
		}
		return list
	}
	edge := func(i, j int) string { return document.Labels[i] + " -> " + document.Labels[j] }
	all := map[string]any{}
	for _, o := range document.Outputs {
		overNodes := len(o.Shape) > 0
		for _, size := range o.Shape {
			overNodes = overNodes && size == len(document.Labels)
		}
		named := map[string]any{}
		switch rows, _ := o.Value.([]any); {
		case o.Nodes != nil:
			list := labels(o.Nodes)
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
			all[o.Name] = list
		case o.Path != nil:
			all[o.Name] = labels(o.Path)
		case o.Node != nil:
			all[o.Name] = document.Labels[*o.Node]
		case o.Entries != nil:
			for _, e := range o.Entries {
				named[edge(int(e[0]), int(e[1]))] = e[2]
			}
			all[o.Name] = named
		case overNodes && len(o.Shape) == 1:
			for i, x := range rows {
				named[document.Labels[i]] = x
			}
			all[o.Name] = named
		case overNodes:
			for i, row := range rows {
				for j, x := range row.([]any) {
					if x != 0.0 {
						named[edge(i, j)] = x
					}
				}
			}
			all[o.Name] = named
		default:
			all[o.Name] = o.Value
		}
	}
	return all
}

// same compares with room for the rounding of sums.
func same(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1e-6*max(1, math.Abs(a))
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, x := range a {
			if y, ok := b[k]; !ok || !same(x, y) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

// TestPython compares the answers of an example with those of its check.py.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err == nil {
		err = exec.Command(python, "-c", "import networkx, pandas").Run()
	}
	if err != nil {
		t.Skipf("needs python3 with networkx and pandas: %v", err)
	}
	checks, err := filepath.Glob("*/check.py")
	if err != nil || len(checks) == 0 {
		t.Fatal(checks, err)
	}
	ein := build(t, "../cmd/ein")
	for _, check := range checks {
		folder := filepath.Dir(check)
		t.Run(folder, func(t *testing.T) {
			in := func(name string, args ...string) map[string]any {
				cmd := exec.Command(name, args...)
				cmd.Dir = folder
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v: %v\n%s", cmd, err, out)
				}
				if name == ein {
					return answers(t, out)
				}
				var all map[string]any
				if err := json.Unmarshal(out, &all); err != nil {
					t.Fatal(err)
				}
				return all
			}
			got := in(ein, "run", "--json=2", "--labels", folder+".ein")
			want := in(python, "-c", `import json, runpy
print(json.dumps(runpy.run_path("check.py")["answers"], default=lambda x: sorted(x) if isinstance(x, set) else x.item()))`)
			for name, x := range want {
				if !same(got[name], x) {
					t.Errorf("%s: %v, Python says %v", name, got[name], x)
				}
			}
		})
	}
}
