package gen

import (
	"math/rand/v2"
	"strings"
	"testing"

	"ein/internal/naive"
	"ein/lang/source"
	"ein/lang/syntax"
)

// TestProgramsRun is the contract of the generator: what it makes is right.
func TestProgramsRun(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 300
	}
	seen := map[string]int{}
	for seed := range n {
		text := Program(rand.New(rand.NewPCG(uint64(seed), 1)))
		f := syntax.Parse(source.NewFile("p", text), syntax.Options{})
		if _, err := naive.Run(f, naive.Options{}); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for _, w := range features {
			seen[w] += min(1, strings.Count(text, w))
		}
	}
	for _, w := range features {
		if seen[w] < n/200 {
			t.Errorf("only %d of %d programs have %q", seen[w], n, w)
		}
	}
}

// features is text that a fair share of the programs has to have.
var features = []string{
	"max=", "min=", "+=", "select(", "tc(", "scc(", "desc(", "reach(", "anc(", "dist(", "path(", "has_path(",
	"argmax(", "count(", "mean(", "where(", "clamp(", "relu(", "sigmoid(", "floor(", "def ", "axis=", "transpose(",
	"diag(", "triangles(", "eye(", "edges(", "adj(", " / ", " > ", " == ", ":print", "(1 - ", "//", ";",
}

func TestProgramIsAFunctionOfItsSource(t *testing.T) {
	a := Program(rand.New(rand.NewPCG(7, 1)))
	if b := Program(rand.New(rand.NewPCG(7, 1))); a != b {
		t.Errorf("two programs from one seed:\n%s\n%s", a, b)
	}
}
