package check

import (
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
)

// frozen is stdlib/core.txt. Programs are stored and models are prompted in this
// vocabulary: docs/stability.md.
const frozen = "625a6b2ad4bf97313dc1df71f06dfe8fb901430fbafe02fb4293136d2107eb41"

func TestCoreFunctions(t *testing.T) {
	text, err := os.ReadFile("../../stdlib/core.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != frozen {
		t.Errorf("the functions of the core profile have changed (%s); new ones belong to the full profile", got)
	}
	signatures := map[string]string{}
	for i := range stdlib.Builtins {
		signatures[stdlib.Builtins[i].Name] = stdlib.Builtins[i].Signature()
	}
	for name, d := range prelude() {
		signatures[name] = defSignature(d)
	}
	for want := range strings.Lines(string(text)) {
		want = strings.TrimSpace(want)
		name, _, _ := strings.Cut(want, "(")
		if signatures[name] != want {
			t.Errorf("%q of the core profile is now %q", want, signatures[name])
		}
	}
	for name := range signatures {
		if got := !slices.Contains(codesIn(Core, ":print "+name+"()"), "E0211"); got != stdlib.Core(name) {
			t.Errorf("core has %s: %v", name, got)
		}
	}
}

// codesIn is the codes of the errors and warnings of a program.
func codesIn(p Profile, text string) []diag.Code {
	var codes []diag.Code
	for _, d := range Check(syntax.Parse(source.NewFile("in.ein", text), syntax.Options{}), Config{Profile: p}).Diags {
		codes = append(codes, d.Code)
	}
	return codes
}

// TestLaterFunction has a function of the language that is not in core.
func TestLaterFunction(t *testing.T) {
	before := prelude
	t.Cleanup(func() { prelude = before })
	defs := maps.Clone(before())
	f := syntax.Parse(source.NewFile("later.ein", "def later(x) = x + 1\ndef roots(P) = later(P)"), syntax.Options{})
	for _, s := range f.Stmts {
		defs[s.(*syntax.Def).Name.Name] = s.(*syntax.Def)
	}
	prelude = func() map[string]*syntax.Def { return defs }
	for _, c := range []struct {
		text       string
		full, core []diag.Code
	}{
		{":print later(2)", nil, []diag.Code{"E0211"}},
		{":print roots(2)", nil, nil}, // the prelude may use it
		{"later = 2", []diag.Code{"W0212"}, nil},
		{":print latter(2)", []diag.Code{"E0202"}, []diag.Code{"E0202"}},
	} {
		if got := codesIn(Full, c.text); !slices.Equal(got, c.full) {
			t.Errorf("full, %s: %s", c.text, got)
		}
		if got := codesIn(Core, c.text); !slices.Equal(got, c.core) {
			t.Errorf("core, %s: %s", c.text, got)
		}
	}
	d := Check(syntax.Parse(source.NewFile("in.ein", ":print latter(2)"), syntax.Options{}), Config{Profile: Core}).Diags[0]
	if text := fmt.Sprint(d); strings.Contains(text, "later") {
		t.Errorf("core suggests what it refuses: %s", text)
	}
}

// TestCoreForms: each kind of node and each operator of the tree, in a program that
// core takes, or in one that only the full profile takes. What is new is the
// latter: the checker reports it as outside of core.
func TestCoreForms(t *testing.T) {
	core := map[string]string{
		"Assign": "A = 1", "Set": "A = 1", "SetMax": "A = 1\nA max= 2", "SetMin": "A = 1\nA min= 2", "SetAdd": "A = 1\nA += 2",
		"Print": ":print 1", "Name": "A = 1\nB = A", "Number": "A = .5e-3", "List": "A = [1, 2]", "Call": "A = sum([[1]], axis=0)",
		"Index": "A = [1, 2]\nB[i] = A[i]", "Product": "A = 2\nB = A A", "Unary": "A = -1", "Paren": "A = (1)", "Binary": "A = 1 + 1",
		"Mul": "A = 2 * 3", "Div": "A = 2 / 3", "Add": "A = 2 + 3", "Sub": "A = 2 - 3",
		"Gt": "A = 2 > 3", "Ge": "A = 2 >= 3", "Lt": "A = 2 < 3", "Le": "A = 2 <= 3", "Eq": "A = 2 == 3", "Ne": "A = 2 != 3",
	}
	full := map[string]string{
		"Def": "def f(x) = x\n:print f(1)", "Input": "input A: graph\n:print A", "String": `A = edges([["a", "b"]])`,
		"Repeat": "A = 1\nrepeat 2 { A = 2 * A }", "Rule": "P(a).\n:print P", "Query": "P(a). P(a)?",
	}
	neither := []string{"ExprStmt", "Bad", "BadExpr"}
	forms := slices.Concat(slices.Collect(maps.Keys(core)), slices.Collect(maps.Keys(full)), neither)
	slices.Sort(forms)
	if got := formsOfTree(t); !slices.Equal(got, forms) {
		t.Errorf("the tree has\n%s\nthe test\n%s", got, forms)
	}
	for form, text := range core {
		if got := codesIn(Core, text); got != nil {
			t.Errorf("core, %s: %s", form, got)
		}
	}
	for form, text := range full {
		if full, core := codesIn(Full, text), codesIn(Core, text); slices.ContainsFunc(full, func(c diag.Code) bool { return c[0] == 'E' }) || !slices.Contains(core, "E0211") {
			t.Errorf("%s: %s in full, %s in core", form, full, core)
		}
	}
}

// formsOfTree is the nodes and the operators that lang/syntax/tree.go declares.
func formsOfTree(t *testing.T) []string {
	f, err := parser.ParseFile(token.NewFileSet(), "../syntax/tree.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var forms []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == "stmt" || d.Name.Name == "expr" {
				forms = append(forms, d.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok && d.Tok == token.CONST {
					forms = append(forms, v.Names[0].Name)
				}
			}
		}
	}
	slices.Sort(forms)
	return forms
}
