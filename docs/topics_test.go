package docs

import (
	"slices"
	"strings"
	"testing"
)

// TestTopics finds sections, each with its end.
func TestTopics(t *testing.T) {
	for _, test := range []struct{ name, first, has, not string }{
		{"Combining", "### Combining", "`max=` and `min=`", "## Outputs"},
		{"bytecode", "## Bytecode", "`ein build`", "## Canonical"},
		{"limits", "## Cost and limits", "certificate", "## Bytecode"},
		{"session", "# The interactive session", "## Without a terminal", "<!--"},
		{"graphs", "### Graphs", "#### `tc(A)`", "### Reductions"},
		{"aggregates", "## Aggregates", "`count()` counts", "## Tensors defined by rules"},
		{"facts", "# Facts, rules and queries", "## Why", "<!--"},
	} {
		text, _ := Topic(test.name)
		if !strings.HasPrefix(text, test.first+"\n") || !strings.Contains(text, test.has) || strings.Contains(text, "\n"+test.not) {
			t.Errorf("%s is\n%s", test.name, text)
		}
	}
	if text, list := Topic("a"); text != "" || !slices.Contains(list, "Functions of a program") {
		t.Errorf("%q, %q", text, list)
	}
	for i, name := range Topics() {
		if strings.HasPrefix(name, "#") || slices.Contains(Topics()[:i], name) {
			t.Errorf("the topic %q", name)
		}
	}
}
