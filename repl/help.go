package repl

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ein/docs"
	"ein/internal/lists"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/stdlib"
)

// keywords are the topics of the words and signs of the language.
var keywords = map[string]string{
	"def": "functions of a program", "input": "inputs and data files", "repeat": "repeating statements", ":print": "statements", "=": "statements",
	"max=": "combining", "min=": "combining", "+=": "combining", "[]": "inside brackets", "[": "inside brackets",
}

var codePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[EWNewn][0-9]{4}$`) })

// Pages are the names that Page knows, but for diagnostics.
func Pages() []string {
	functions := lists.Map(describe.Functions(), func(f describe.Function) string { return f.Name })
	return slices.Concat(functions, slices.Collect(maps.Keys(keywords)), lists.Map(docs.Topics(), strings.ToLower), []string{"rules"})
}

// Page returns the page about a name: a function, the code of a diagnostic, a word of the language
// or a topic, of which "rules" is a summary for models too; "topics" lists the others. The error
// says what is similar.
func Page(name string) (string, error) {
	function, _, _ := strings.Cut(name, "(")
	for _, f := range describe.Functions() {
		if f.Name == function {
			return f.Text(), nil
		}
	}
	if codePattern().MatchString(name) {
		if page, ok := diag.Explain(diag.Code(name)); ok {
			return page, nil
		}
		return "", fmt.Errorf("there is no diagnostic %s", name)
	}
	switch name {
	case "rules":
		return stdlib.RulesCard, nil
	case "topics":
		return "  " + strings.Join(docs.Topics(), "\n  ") + "\n", nil
	}
	topic := name
	if t, ok := keywords[name]; ok {
		topic = t
	}
	page, several := docs.Topic(topic)
	if page != "" {
		return page, nil
	}
	hint := "the name `topics` lists the topics"
	near, ok := diag.Suggest(name, Pages())
	switch ours := stdlib.Synonyms[function]; {
	case stdlib.Without[function] != "":
		hint = stdlib.Without[function]
	case ours != "":
		hint = "here that is `" + ours + "`"
	case len(several) > 0:
		hint = "there are the topics " + strings.Join(several, "; ")
	case ok:
		hint = "did you mean `" + near + "`?"
	}
	return "", fmt.Errorf("there is no function, diagnostic or topic `%s`; %s", name, hint)
}
