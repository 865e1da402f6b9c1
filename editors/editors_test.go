// Package editors holds what editors need of Ein beside the language server, and
// tests it: the grammar of the VS Code extension against the table of functions and
// the lexer, and the server in a real Neovim.
package editors

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ein/internal/golden"
	"ein/lang/check"
	"ein/lang/syntax"
	"ein/stdlib"
)

// generated compares a file with what it should hold.
func generated(t *testing.T, name string, value any) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil {
		t.Fatal(err)
	}
	golden.File(t, name, b.String())
}

// rule is a rule of a TextMate grammar. Names of scopes follow the conventions of
// that editor, which themes know.
type rule struct {
	Name          string          `json:"name,omitempty"`
	Match         string          `json:"match,omitempty"`
	Begin         string          `json:"begin,omitempty"`
	End           string          `json:"end,omitempty"`
	Captures      map[string]rule `json:"captures,omitempty"`
	BeginCaptures map[string]rule `json:"beginCaptures,omitempty"`
	EndCaptures   map[string]rule `json:"endCaptures,omitempty"`
	Patterns      []rule          `json:"patterns,omitempty"`
	Include       string          `json:"include,omitempty"`
}

func include(names ...string) []rule {
	var list []rule
	for _, n := range names {
		list = append(list, rule{Include: "#" + n})
	}
	return list
}

func oneOf(names []string) string { return "(?:" + strings.Join(names, "|") + ")" }

// TestGrammar generates the TextMate grammar from the table of functions, so that a
// function that is added has its colour.
func TestGrammar(t *testing.T) {
	builtins := stdlib.Names()
	slices.Sort(builtins)
	prelude := slices.Sorted(maps.Keys(check.PreludeDefs()))
	const word = `[A-Za-z_][A-Za-z0-9_]*`
	// A statement begins a line, or follows ; or {.
	const start = `(?:^|(?<=[;{]))[ \t]*`
	statements := []string{"comment", "directive", "def", "input", "repeat", "body", "base", "rule", "combine", "definition"}
	// In the body of a rule and in the value of a base case, the dot behind digits is the end.
	ended := rule{Name: "constant.numeric.ein", Match: `(?<![A-Za-z0-9_.])(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_])`}
	expression := include("comment", "string", "number", "call", "subscript", "group", "operator", "name")
	grammar := struct {
		Comment    string          `json:"comment"`
		Name       string          `json:"name"`
		ScopeName  string          `json:"scopeName"`
		FileTypes  []string        `json:"fileTypes"`
		Patterns   []rule          `json:"patterns"`
		Repository map[string]rule `json:"repository"`
	}{
		Comment: "Generated from the table of functions: go test ./editors -update", Name: "Ein",
		ScopeName: "source.ein", FileTypes: []string{"ein"},
		Patterns: append(include(statements...), expression...),
		Repository: map[string]rule{
			"comment": {Patterns: []rule{
				{Name: "comment.line.double-slash.ein", Match: `//.*$`},
				{Name: "comment.line.number-sign.ein", Match: `#.*$`},
			}},
			"directive": {Patterns: []rule{
				{Match: start + `(:print|:why)\b`, Captures: map[string]rule{"1": {Name: "keyword.control.directive.ein"}}},
				{Match: start + `(:` + word + `.*)$`, Captures: map[string]rule{"1": {Name: "invalid.illegal.directive.ein"}}},
			}},
			"def": {
				Match: start + `(def)[ \t]+(` + word + `)(?=[ \t]*\()`,
				Captures: map[string]rule{
					"1": {Name: "storage.type.function.ein"},
					"2": {Name: "entity.name.function.ein"},
				},
			},
			"input": {
				Match: start + `(input)[ \t]+(` + word + `)[ \t]*(?:(?=\()|(:)[ \t]*(?:(graph|matrix|vector|scalar)\b|(` + word + `)))`,
				Captures: map[string]rule{
					"1": {Name: "storage.modifier.input.ein"},
					"2": {Name: "variable.other.definition.ein"},
					"3": {Name: "punctuation.separator.ein"},
					"4": {Name: "storage.type.ein"},
					"5": {Name: "invalid.illegal.type.ein"},
				},
			},
			"repeat": {
				Match:    start + `(repeat)(?=[ \t]*(?:[({]|[ \t][^={]*\{))`,
				Captures: map[string]rule{"1": {Name: "keyword.control.repeat.ein"}},
			},
			"body": {
				Begin: `(?<=[)\]])[ \t]*(?:<-|:-)|(?<=[ \t])(?:<-|:-)(?=[ \t]|$)`, End: `\.(?![0-9A-Za-z_])|\?`,
				BeginCaptures: map[string]rule{"0": {Name: "keyword.operator.rule.ein"}},
				EndCaptures:   map[string]rule{"0": {Name: "punctuation.terminator.rule.ein"}},
				Patterns:      append(append([]rule{ended}, include(statements...)...), expression...),
			},
			"base": {
				Begin: `(?<="\])[ \t]*((?:max|min)=(?!=)|\+=)`, End: `(?=;)|(\.)(?![0-9A-Za-z_])|$`,
				BeginCaptures: map[string]rule{"1": {Name: "keyword.operator.assignment.combine.ein"}},
				EndCaptures:   map[string]rule{"1": {Name: "punctuation.terminator.rule.ein"}},
				Patterns:      append([]rule{ended}, expression...),
			},
			"rule": {Patterns: []rule{
				{Match: `(?<=[(,])[ \t]*(` + word + `)[ \t]*(:)[ \t]*(` + word + `)`,
					Captures: map[string]rule{"1": {Name: "variable.parameter.column.ein"}, "2": {Name: "punctuation.separator.ein"}, "3": {Name: "storage.type.ein"}}},
				{Name: "keyword.operator.rule.ein", Match: `(?<=[)\]])[ \t]*(?:<-|:-)|(?<=[ \t])(?:<-|:-)(?=[ \t]|$)|\?-`},
				{Match: `\b(not)(?=[ \t]+` + word + `[ \t]*[(\[])|([!~]|\\\+)(?=[ ]*[A-Za-z_])`,
					Captures: map[string]rule{"1": {Name: "keyword.operator.not.ein"}, "2": {Name: "keyword.operator.not.ein"}}},
				{Name: "punctuation.terminator.rule.ein", Match: `(?<=[)\]A-Za-z_0-9"])[ \t]*(?:\.(?![0-9A-Za-z_])|\?)|(?<=[)\]])\.`},
			}},
			"combine": {
				Match:    `(?<=[A-Za-z0-9_\]])[ \t]*\b((?:max|min)=)(?!=)|(\+=)`,
				Captures: map[string]rule{"1": {Name: "keyword.operator.assignment.combine.ein"}, "2": {Name: "keyword.operator.assignment.combine.ein"}},
			},
			"definition": {
				Match:    start + `(` + word + `)(?=[ \t]*(?:\[[^\]]*\])?[ \t]*(?:(?:max|min|\+)?=(?!=)))`,
				Captures: map[string]rule{"1": {Name: "variable.other.definition.ein"}},
			},
			"string": {
				Name: "string.quoted.double.ein", Begin: `"`, End: `"|$`,
				Patterns: []rule{
					{Name: "constant.character.escape.ein", Match: `\\["\\nt]`},
					{Name: "invalid.illegal.escape.ein", Match: `\\.`},
				},
			},
			"number": {Patterns: []rule{
				{Name: "constant.numeric.ein", Match: `(?<![A-Za-z0-9_.])(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_])`},
				{Name: "invalid.illegal.number.ein", Match: `(?<![A-Za-z0-9_.])(?:[0-9]+\.?[0-9]*|\.[0-9]+)[A-Za-z0-9_]+`},
			}},
			"call": {Patterns: []rule{
				{Name: "support.function.builtin.ein", Match: `\b` + oneOf(builtins) + `(?=[ \t]*\()`},
				{Name: "support.function.prelude.ein", Match: `\b` + oneOf(prelude) + `(?=[ \t]*\()`},
				{Name: "entity.name.function.call.ein", Match: `\b` + word + `(?=[ \t]*\()`},
			}},
			// What stands in the brackets of a name is indices; brackets alone are a list.
			"subscript": {
				Begin: `(?<=[A-Za-z0-9_)\]])\[`, End: `\]`,
				BeginCaptures: map[string]rule{"0": {Name: "punctuation.definition.subscript.begin.ein"}},
				EndCaptures:   map[string]rule{"0": {Name: "punctuation.definition.subscript.end.ein"}},
				Patterns: append(include("comment", "string", "number", "call", "subscript", "group", "operator"),
					rule{Name: "variable.parameter.index.ein", Match: `\b` + word + `\b`}),
			},
			"group": {Patterns: []rule{
				{Begin: `\[`, End: `\]`, Patterns: expression},
				{Begin: `\(`, End: `\)`, Patterns: append(include("rule"), expression...)},
			}},
			"operator": {Patterns: []rule{
				{Name: "keyword.operator.comparison.ein", Match: `==|!=|<=|>=|<|>`},
				{Name: "keyword.operator.assignment.ein", Match: `=`},
				{Name: "keyword.operator.arithmetic.ein", Match: `[-+*/]`},
				{Name: "punctuation.separator.ein", Match: `[,;:]`},
			}},
			"name": {Name: "variable.other.ein", Match: `\b` + word + `\b`},
		},
	}
	generated(t, filepath.Join("vscode", "syntaxes", "ein.tmLanguage.json"), grammar)
}

// TestTokens writes, for the programs of the examples and of the language's tests,
// what the lexer takes for comments, strings and numbers. The test of the grammar
// compares.
func TestTokens(t *testing.T) {
	type token struct {
		Kind  string `json:"kind"`
		Start int    `json:"start"` // in UTF-16 code units, as the grammar's engine counts
		End   int    `json:"end"`
	}
	type sample struct {
		Name   string  `json:"name"`
		Text   string  `json:"text"`
		Tokens []token `json:"tokens"`
	}
	names, err := filepath.Glob("../examples/*/*.ein")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("vscode/test/samples/*.ein")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[syntax.Kind]string{syntax.KindComment: "comment", syntax.KindString: "string", syntax.KindNumber: "number", syntax.KindBadNumber: "number"}
	list := []sample{}
	for _, name := range append(names, more...) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := sample{Name: filepath.ToSlash(strings.TrimPrefix(name, "../")), Text: string(b), Tokens: []token{}}
		units := func(offset int) int {
			n := 0
			for _, r := range s.Text[:offset] {
				n++
				if r > 0xFFFF {
					n++
				}
			}
			return n
		}
		for _, tok := range syntax.Tokens(s.Text) {
			if kind, ok := kinds[tok.Kind]; ok {
				s.Tokens = append(s.Tokens, token{kind, units(tok.Span.Start), units(tok.Span.End)})
			}
		}
		list = append(list, s)
	}
	if len(list) < 10 {
		t.Errorf("%d samples", len(list))
	}
	generated(t, filepath.Join("vscode", "test", "tokens.json"), list)
}
