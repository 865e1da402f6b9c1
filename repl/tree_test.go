package repl

import (
	"reflect"
	"strings"
	"testing"

	"ein/internal/corpus"
	"ein/lang"
)

// TestShift holds a tree that was moved against one that was parsed at its place.
func TestShift(t *testing.T) {
	texts := []string{"sum(A, axis=1)[i]\n// more\ninput A: graph", "def f(x, y) = {\n  z = -x\n  (z) y\n}", "x = \"open\ny = 1 +* 2\n"}
	for _, c := range corpus.Cases() {
		texts = append(texts, c.Source)
	}
	const before = 37
	opt := session
	opt.Syntax.Pack = 2
	for _, text := range texts {
		got, want := lang.Parse("", text, opt), lang.Parse("", strings.Repeat(" ", before)+text, opt)
		shift(got, before)
		got.Source, got.Footprint = want.Source, want.Footprint
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q is moved to another tree", text)
		}
	}
}
