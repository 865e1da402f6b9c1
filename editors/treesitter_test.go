package editors

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ein/internal/codes"
	"ein/internal/corpus"
	"ein/internal/golden"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
)

// TestTreeSitterQueries generates the queries of the grammar for tree-sitter from the
// table of functions, with names of captures that Neovim and Helix both have.
func TestTreeSitterQueries(t *testing.T) {
	quoted := func(names []string) string { return `"` + strings.Join(names, `" "`) + `"` }
	builtins := slices.Sorted(slices.Values(stdlib.Names()))
	prelude := slices.Sorted(maps.Keys(check.PreludeDefs()))
	const name = "tree-sitter-ein/queries/highlights.scm"
	text := `; Generated from the table of functions: go test ./editors -update
; Where two patterns take a word, the later counts in Neovim and the earlier in Helix,
; so each excludes the others.

(comment) @comment
(string) @string
(number) @number

(print ":print" @keyword.directive)
(why ":why" @keyword.directive)
(definition "def" @keyword.function)
(input "input" @keyword)
(repetition "repeat" @keyword)

(definition name: (identifier) @function)
(parameters (identifier) @variable.parameter)
(input name: (identifier) @variable)
(input kind: (identifier) @type)
(column name: (identifier) @variable.parameter)
(column type: (identifier) @type)
(equation name: (identifier) @variable)
(equation left: (identifier) @variable)
(equation right: (identifier) @variable)
(equation value: (identifier) @variable)
(negation (not) @keyword.operator)
(negation value: (identifier) @variable)
(assignment name: (identifier) @variable)
(argument name: (identifier) @variable.parameter)
((call function: (identifier) @function.builtin)
 (#any-of? @function.builtin ` + quoted(append(builtins, prelude...)) + `))
((call function: (identifier) @function.call)
 (#not-any-of? @function.call ` + quoted(append(builtins, prelude...)) + `))
(indices (identifier) @variable.parameter)
(product (identifier) @variable)
(binary (identifier) @variable)
(unary (identifier) @variable)
(index of: (identifier) @variable)
(assignment value: (identifier) @variable)
(argument value: (identifier) @variable)
(definition body: (identifier) @variable)
(repetition times: (identifier) @variable)
(expression_statement (identifier) @variable)
(parenthesized (identifier) @variable)
(arguments (identifier) @variable)
(list (identifier) @variable)
(print (identifier) @variable)

["=" "+=" "max=" "min=" "<" "<=" ">" ">=" "==" "!=" "+" "-" "*" "/" "?-" (arrow)] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":" (end) (question)] @punctuation.delimiter
[(invalid_number) (invalid_operator) (invalid_directive)] @error
`
	golden.File(t, name, text)
}

// TestTreeSitterGenerated: the parser is that of the grammar. The program that makes it
// takes minutes to build, so a sum in place of it says so.
func TestTreeSitterGenerated(t *testing.T) {
	grammar, err := os.ReadFile("tree-sitter-ein/grammar.js")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("tree-sitter-ein/src/grammar.js.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(grammar)); !strings.HasPrefix(string(sum), got) {
		t.Errorf("tree-sitter-ein/grammar.js has changed since src/parser.c was made: make grammar")
	}
}

// programs is every program in the repository, those that are wrong too.
func programs(t *testing.T) []string {
	list := []string{stdlib.Prelude}
	for _, c := range corpus.Cases() {
		list = append(list, c.Source)
	}
	block := regexp.MustCompile("(?ms)^```ein[^\n]*\n(.*?)^```")
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || len(d.Name()) > 2 && d.Name()[0] == '.') {
			return filepath.SkipDir
		}
		end := filepath.Ext(path)
		if end != ".ein" && end != ".md" && end != ".txtar" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch end {
		case ".ein":
			list = append(list, string(text))
		case ".md":
			for _, m := range block.FindAllSubmatch(text, -1) {
				list = append(list, string(m[1]))
			}
		case ".txtar":
			for _, f := range txtar.Parse(text).Files {
				if strings.HasSuffix(f.Name, ".ein") || strings.HasPrefix(filepath.ToSlash(path), "../lang/syntax/") {
					list = append(list, string(f.Data))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// mutants is n of each program, with a token lost, doubled, or put in the place of
// another. They follow from the text alone, so that a change elsewhere brings no new ones.
func mutants(list []string, n int) []string {
	var out []string
	for _, text := range list {
		toks := syntax.Tokens(text)
		if len(toks) == 0 || len(text) > 2000 {
			continue
		}
		sum := sha256.Sum256([]byte(text))
		r := rand.New(rand.NewChaCha8(sum))
		for range n {
			from, to := toks[r.IntN(len(toks))].Span, toks[r.IntN(len(toks))].Span
			put := text[from.Start:from.End]
			switch r.IntN(4) {
			case 0:
				put = ""
			case 1:
				put = " " + put + " "
			case 2:
				put = "\n"
			}
			out = append(out, text[:to.Start]+put+text[to.End:])
		}
	}
	return out
}

// goesOn is a line that begins with the head of a rule, where the line before does not end a
// statement.
var goesOn = regexp.MustCompile(`(?m)[-+*/<>=,]\s*\n\s*[A-Za-z_]\w*[(\[].*(<-|:-)`)

// arrow is an equation with "<-" in it, which lacks the dot that would make it a rule.
var arrow = regexp.MustCompile(`(?m)=.*<-.*[^.\s]\s*$`)

// named is a named argument that is called like a word that begins a statement.
var named = regexp.MustCompile(`[(,]\s*(def|input|repeat)\s*=([^=]|$)`)

// given is a line of a body that ends with the = of a value.
var given = regexp.MustCompile(`(?m),\s*\w+\s*=[ \t]*(//.*|#.*)?\r?$`)

// tree is what the language's own parser makes of a program, in the words of
// test/dump.py; ok is false for a program that does not parse, and sure for one with a
// number or a size past a limit, of which the grammar for tree-sitter knows nothing, or
// with a difference that it names.
func tree(text string) (statements []string, ok, sure bool) {
	if goesOn.MatchString(text) || given.MatchString(text) || arrow.MatchString(text) || named.MatchString(text) {
		return nil, false, false
	}
	f := syntax.Parse(source.NewFile("in.ein", text), syntax.Options{})
	for _, d := range f.Diags {
		if d.Severity == diag.Error && (d.Code.Class() == diag.Limit || d.Code == codes.E0008) {
			return nil, false, false
		}
	}
	if f.Diags.HasErrors() {
		return nil, false, true
	}
	for _, s := range f.Stmts {
		syntax.WalkAll(s, func(n syntax.Node) bool {
			if x, ok := n.(*syntax.String); ok {
				x.Value = fmt.Sprintf("%d:%d", x.Start, x.End)
			}
			return true
		})
		dump := strings.TrimSpace(syntax.Dump(&syntax.File{Stmts: []syntax.Stmt{s}}))
		statements = append(statements, fmt.Sprintf("%d-%d %s", s.Pos().Start, s.Pos().End, dump))
	}
	return statements, true, true
}

// parser is the compiled parser.
func parser(t *testing.T) string {
	t.Helper()
	library := filepath.Join(t.TempDir(), "ein.so")
	build := exec.CommandContext(t.Context(), "cc", "-shared", "-fPIC", "-O1", "-Itree-sitter-ein/src", "-o", library, "tree-sitter-ein/src/parser.c", "tree-sitter-ein/src/scanner.c")
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: a C compiler: %v %s", err, out)
	}
	return library
}

// TestTreeSitterNeovim: Neovim takes the parser and the queries.
func TestTreeSitterNeovim(t *testing.T) {
	if _, err := exec.LookPath("nvim"); err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	file := filepath.Join(t.TempDir(), "p.ein")
	if err := os.WriteFile(file, []byte("input G: graph\nD[i] max= 2 near(G, x) + reach(G, \"a\")[i] # end\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "nvim", "--headless", "-i", "NONE", "-n", "-u", "NONE", "-c", "luafile tree-sitter-ein/test/neovim.lua")
	cmd.Env = append(os.Environ(), "EIN_LIBRARY="+parser(t), "EIN_QUERIES=tree-sitter-ein/queries/highlights.scm", "EIN_PROGRAM="+file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"type graph", "variable D", "variable.parameter i", "operator max=", "function.call near", "function.builtin reach", `string "a"`, "comment # end"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestTreeSitter: the grammar for tree-sitter takes the programs that the language
// takes, and makes the same trees of them.
func TestTreeSitter(t *testing.T) {
	python := exec.Command("python3", "-c", "import tree_sitter")
	if out, err := python.CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: a Python with tree_sitter: %v %s", err, out)
	}
	library := parser(t)
	list := programs(t)
	list = append(list, mutants(list, 9)...)
	input, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "python3", "tree-sitter-ein/test/dump.py", library, "tree-sitter-ein/queries/highlights.scm")
	cmd.Stdin = bytes.NewReader(input)
	var said strings.Builder
	cmd.Stderr = &said
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	var got []*struct {
		Statements []string
		Captures   map[string][]string
	}
	if err := json.Unmarshal(output, &got); err != nil {
		t.Fatal(err)
	}
	parsed := 0
	captured := map[string]bool{}
	for i, text := range list {
		want, ok, sure := tree(text)
		switch {
		case !sure:
		case ok != (got[i] != nil):
			t.Errorf("%q: parses is %v, with tree-sitter %v", text, ok, got[i] != nil)
		case ok && !slices.Equal(got[i].Statements, want):
			t.Errorf("%q:\n%s\nwith tree-sitter\n%s", text, strings.Join(want, "\n"), strings.Join(got[i].Statements, "\n"))
		case ok:
			parsed++
			for kind, words := range got[i].Captures {
				for _, w := range words {
					captured[kind+" "+w] = true
				}
			}
		}
	}
	if parsed < 1000 {
		t.Errorf("%d of %d programs parse", parsed, len(list))
	}
	t.Logf("%d of %d programs parse", parsed, len(list))
	for _, want := range []string{"function.builtin reach", "function.builtin siblings", "keyword.directive :print", "keyword.directive :why", "operator max=", "type graph", "variable.parameter axis", "type node", "operator <-", "keyword.operator not", "punctuation.delimiter ?"} {
		if !captured[want] {
			t.Errorf("no highlight %q", want)
		}
	}
}
