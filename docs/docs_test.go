// Package docs holds what is written about Ein, and a test that runs it: every
// sample in the Markdown files of the repository does what the page says.
//
// The info string of a fenced block says what it is:
//
//	```ein            a program: it runs, and prints the output block after it
//	```ein warning    a program that runs with warnings; the output block shows
//	                  its diagnostics, then what it prints
//	```ein error      a program that is refused; the output block shows why
//	```ein input      a program that checks; its inputs are not bound
//	```ein labels     a program whose output block has the names of nodes
//	```ein fragment   statements that parse
//	```output         what the program before it prints
//	```console        commands after "$ " with what they print
//	```file name=F    a file for the console blocks below it
//	```python run     a program in Python: it runs after those above it, with their
//	                  names, and prints the output block after it, if there is one
//	```json, ```go    has to be well formed
//	```sh, ```text... is only looked at
//
// An ein block can have name=F too, and is then a file as well. Console blocks
// of one page share a folder, which begins as a copy of the page's own folder
// under examples, or with examples in it for other pages. In what a command or
// program prints, … stands for anything on a line, and alone on a line for any
// lines. A picture (.svg) of a page is one that its commands draw.
//
// go test ./docs -update writes what is printed into the pages, pictures, and the parts
// between <!-- generated: NAME --> and <!-- end -->, which come from the code.
package docs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/surface"
	"ein/internal/golden"
	"ein/lang"
	"ein/lang/diag"
	"ein/lang/plan"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/code"
	"ein/vm/graphio"
)

const root = ".."

// pages are the Markdown files that readers are shown, relative to the root.
func pages(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*.md", "examples/*/*.md", "editors/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			rel, err := filepath.Rel(root, f)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, filepath.ToSlash(rel))
		}
	}
	if len(list) < 4 {
		t.Fatalf("found only %v", list)
	}
	return list
}

// page is a Markdown file as lines, which -update changes.
type page struct {
	name    string
	lines   []string
	changed bool
}

func readPage(t *testing.T, name string) *page {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return &page{name: name, lines: strings.Split(string(text), "\n")}
}

func (p *page) save(t *testing.T) {
	t.Helper()
	if !p.changed {
		return
	}
	if err := os.WriteFile(filepath.Join(root, p.name), []byte(strings.Join(p.lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// replace puts text in place of the lines from..to (to excluded).
func (p *page) replace(from, to int, text string) {
	var lines []string
	if text = strings.TrimRight(text, "\n"); text != "" {
		lines = strings.Split(text, "\n")
	}
	p.lines = slices.Replace(p.lines, from, to, lines...)
	p.changed = true
}

// block is a fenced block; its text is the lines from..to (to excluded).
type block struct {
	info     string
	kind     string // first word of the info string
	words    []string
	name     string
	from, to int
	text     string
}

func (b *block) has(word string) bool { return slices.Contains(b.words, word) }

// blocks finds the fenced blocks of a page.
func (p *page) blocks(t *testing.T) []block {
	t.Helper()
	var list []block
	for i := 0; i < len(p.lines); i++ {
		line := strings.TrimLeft(p.lines[i], " ")
		fence := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		if len(fence) < 3 || strings.Contains(line[len(fence):], "`") {
			continue
		}
		b := block{info: strings.TrimSpace(line[len(fence):]), from: i + 1}
		for i++; i < len(p.lines) && strings.TrimSpace(p.lines[i]) != fence; i++ {
		}
		if i == len(p.lines) {
			t.Fatalf("%s:%d: the block is not closed", p.name, b.from)
		}
		b.to = i
		b.text = strings.Join(p.lines[b.from:b.to], "\n")
		if b.text != "" {
			b.text += "\n"
		}
		if words := strings.Fields(b.info); len(words) > 0 {
			b.kind, b.words = words[0], words[1:]
		}
		for _, w := range b.words {
			if name, ok := strings.CutPrefix(w, "name="); ok {
				b.name = name
			}
		}
		list = append(list, b)
	}
	return list
}

// ein is the command, built once for all pages, with the folder it is in.
func ein(t *testing.T) (bin, dir string) {
	t.Helper()
	dir = t.TempDir()
	bin = filepath.Join(dir, "ein")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	build := exec.Command("go", "build", "-o", bin, "./cmd/ein")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin, dir
}

// runner runs the blocks of one page.
type runner struct {
	t        *testing.T
	p        *page
	bin, dir string
	env      []string
	python   []string // what the next programs in Python print
}

func (r *runner) command(name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	r.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	return cmd
}

// run is the standard output and standard error of ein.
func (r *runner) run(stdin string, args ...string) (stdout, stderr string, ok bool) {
	var out, errs bytes.Buffer
	cmd := r.command(r.bin, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	return out.String(), errs.String(), err == nil
}

func TestSamples(t *testing.T) {
	bin, binDir := ein(t)
	for _, name := range pages(t) {
		t.Run(name, func(t *testing.T) {
			p := readPage(t, name)
			r := &runner{t: t, p: p, bin: bin, dir: workFolder(t, name)}
			r.env = []string{"PATH=" + binDir + string(filepath.ListSeparator) + os.Getenv("PATH"), "HOME=" + r.dir, "NO_COLOR=1"}
			list := p.blocks(t)
			// Blocks run from the first on, as console blocks depend on files above
			// them, and are compared from the last on, so that -update does not move
			// what is still to come.
			results := make([]string, len(list))
			for i := range list {
				results[i] = r.result(&list[i])
			}
			for i := len(list) - 1; i >= 0; i-- {
				r.compare(list, i, results[i])
			}
			r.pictures()
			p.save(t)
		})
	}
}

var picture = regexp.MustCompile(`!\[[^\]]*\]\(([^)]+\.svg)\)`)

// pictures compares the pictures that a page shows with those that its commands drew.
func (r *runner) pictures() {
	for _, m := range picture.FindAllStringSubmatch(strings.Join(r.p.lines, "\n"), -1) {
		drawn, err := os.ReadFile(filepath.Join(r.dir, m[1]))
		if err != nil {
			r.t.Fatal(err)
		}
		shown := filepath.Join(root, filepath.Dir(r.p.name), m[1])
		if *golden.Update {
			if err := os.WriteFile(shown, drawn, 0o644); err != nil {
				r.t.Fatal(err)
			}
		} else if old, err := os.ReadFile(shown); err != nil || !bytes.Equal(old, drawn) {
			r.t.Errorf("%s is not what %s draws: %v", shown, r.p.name, err)
		}
	}
}

// workFolder is where the console blocks of a page run.
func workFolder(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	from, to := filepath.Join(root, "examples"), filepath.Join(dir, "examples")
	if strings.HasPrefix(name, "examples/") {
		from, to = filepath.Join(root, filepath.Dir(name)), dir
	}
	if info, err := os.Stat(from); err != nil || !info.IsDir() {
		return dir
	}
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// looked are the kinds of blocks that are only looked at.
var looked = []string{"output", "sh", "text", "toml", "ebnf", "csv", "make", "asm", "bibtex", "python", "sql"}

func (r *runner) fail(b *block, format string, args ...any) {
	r.t.Helper()
	r.t.Errorf("%s:%d: %s", r.p.name, b.from, fmt.Sprintf(format, args...))
}

// result runs a block and returns what it prints.
func (r *runner) result(b *block) string {
	if b.name != "" {
		if err := os.WriteFile(filepath.Join(r.dir, filepath.FromSlash(b.name)), []byte(b.text), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	switch {
	case b.kind == "ein":
		return r.program(b)
	case b.kind == "console":
		return r.console(b)
	case b.kind == "python" && b.has("run"):
		return r.runPython(b)
	case b.kind == "file" && b.name == "":
		r.fail(b, "a file block needs name=")
	case b.kind == "file", slices.Contains(looked, b.kind):
	case b.kind == "json":
		if !json.Valid([]byte(b.text)) {
			r.fail(b, "this is not JSON")
		}
	case b.kind == "go":
		if _, err := format.Source([]byte(b.text)); err != nil {
			r.fail(b, "%v", err)
		}
	default:
		r.fail(b, "no rule for a block marked %q", b.info)
	}
	return ""
}

// file is the name that a program of a page has in diagnostics.
const file = "program.ein"

func (r *runner) program(b *block) string {
	if err := os.WriteFile(filepath.Join(r.dir, file), []byte(b.text), 0o644); err != nil {
		r.t.Fatal(err)
	}
	found, _, checks := r.run("", "check", "--format", "compact", file)
	switch {
	case b.has("fragment"):
		if f := lang.Parse(file, b.text, lang.Options{}); f.Diags.HasErrors() {
			r.fail(b, "the fragment does not parse: %s", f.Diags[0].Message)
		}
		return ""
	case b.has("input"):
		if !checks {
			r.fail(b, "the program does not check:\n%s", found)
		}
		return ""
	case b.has("error"):
		if !checks {
			return found
		}
		_, stderr, ok := r.run("", "run", file)
		if ok {
			r.fail(b, "the program is to be refused, but runs")
		}
		return compact(stderr)
	}
	args := []string{"run", file}
	if b.has("labels") {
		args = append(args, "--labels")
	}
	stdout, stderr, ok := r.run("", args...)
	if !ok {
		r.fail(b, "the program does not run:\n%s%s", stdout, stderr)
	}
	if b.has("warning") {
		if stderr == "" && found == "" {
			r.fail(b, "the program gives no warning")
		}
		if found == "" {
			found = compact(stderr) // what only a run notices
		}
		return found + stdout
	}
	return stdout
}

var firstLines = regexp.MustCompile(`(?m)^(\w+\[[A-Z]\d+\]: .*)\n +--> (.*)$`)

// inTurn runs programs, and marks where the output of each ends.
const inTurn = `import sys
import networkx, numpy, pandas, scipy
for text in sys.argv[1:]:
    exec(text)
    print("\0", end="")`

// runPython is what a program prints. All of a page run in one process, with the package
// of the tree.
func (r *runner) runPython(b *block) string {
	if r.python == nil {
		if out, err := r.command("python3", "-c", "import networkx, numpy, pandas, scipy").CombinedOutput(); err != nil {
			r.t.Skipf("needs python3 with networkx, numpy, pandas and scipy: %v %s", err, out)
		}
		source, err := filepath.Abs(filepath.Join(root, "python", "src"))
		if err != nil {
			r.t.Fatal(err)
		}
		args := []string{"-c", inTurn}
		for _, b := range r.p.blocks(r.t) {
			if b.kind == "python" && b.has("run") {
				args = append(args, b.text)
			}
		}
		var out, errs bytes.Buffer
		cmd := r.command("python3", args...)
		cmd.Env = append(slices.Clone(r.env), "PYTHONPATH="+source, "PYTHONDONTWRITEBYTECODE=1", "EIN_BINARY="+r.bin)
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			r.fail(b, "%v\n%s", err, errs.String())
		}
		r.python = append(strings.SplitAfter(out.String(), "\x00"), make([]string, len(args))...)
	}
	printed := r.python[0]
	r.python = r.python[1:]
	return strings.TrimSuffix(printed, "\x00")
}

// compact is the diagnostics in text, one line each: a run has no other format.
func compact(text string) string {
	var b strings.Builder
	for _, m := range firstLines.FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&b, "%s: %s\n", m[2], m[1])
	}
	return b.String()
}

// console runs the commands of a block and returns the block as it is to be.
func (r *runner) console(b *block) string {
	shell, err := exec.LookPath("sh")
	if err != nil {
		r.t.Skip("there is no shell")
	}
	var out strings.Builder
	lines := strings.SplitAfter(b.text, "\n")
	for i := 0; i < len(lines); i++ {
		line, isCommand := strings.CutPrefix(lines[i], "$ ")
		if !isCommand {
			continue
		}
		out.WriteString("$ " + line)
		for strings.HasSuffix(strings.TrimSuffix(line, "\n"), "\\") && i+1 < len(lines) {
			i++
			line += lines[i]
			out.WriteString(lines[i])
		}
		cmd := r.command(shell, "-c", line)
		got, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			r.t.Fatal(err)
		}
		out.Write(got)
		if n := len(got); n > 0 && got[n-1] != '\n' {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// compare holds what block i prints against what the page says.
func (r *runner) compare(list []block, i int, got string) {
	b := &list[i]
	want := b
	switch b.kind {
	case "console":
	case "ein":
		if b.has("fragment") || b.has("input") || i+1 == len(list) || list[i+1].kind != "output" {
			return
		}
		want = &list[i+1]
	case "python":
		if !b.has("run") || i+1 == len(list) || list[i+1].kind != "output" {
			return
		}
		want = &list[i+1]
	default:
		if b.kind == "output" && (i == 0 || list[i-1].kind != "ein" && list[i-1].kind != "python") {
			r.fail(b, "an output block without a program before it")
		}
		return
	}
	if matches(want.text, got) {
		return
	}
	if *golden.Update {
		r.p.replace(want.from, want.to, got)
		return
	}
	r.fail(want, "the page says\n%s\nand the program\n%s\n(go test ./docs -update writes what the programs say)", want.text, got)
}

// matches compares output with what a page says, in which … stands for anything.
func matches(want, got string) bool {
	want, got = strings.TrimRight(want, "\n"), strings.TrimRight(got, "\n")
	if !strings.Contains(want, "…") {
		return want == got
	}
	var re strings.Builder
	re.WriteString("^")
	for i, line := range strings.Split(want, "\n") {
		switch {
		case strings.TrimSpace(line) == "…":
			re.WriteString(`(\n.*)*?`)
			continue
		case i > 0:
			re.WriteString(`\n`)
		}
		re.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*"))
	}
	re.WriteString("$")
	return regexp.MustCompile(re.String()).MatchString(got)
}

// generators make the parts of the pages that come from the code.
var generators = map[string]func(t *testing.T) string{
	"functions":  functionReference,
	"rewrites":   rewriteTable,
	"operations": operationList,
	"limits":     limitTable,
	"fuzz":       fuzzList,
	"grammar":    grammar,
	"categories": categoryTable,
	"wordings":   wordingTable,
	"decoys":     decoyTable,
}

const endMark = "<!-- end -->"

var generatedMark = regexp.MustCompile(`^<!-- generated: ([a-z]+) -->$`)

// TestGenerated holds the generated parts of the pages against the code.
func TestGenerated(t *testing.T) {
	used := map[string]bool{}
	for _, name := range pages(t) {
		p := readPage(t, name)
		for i := len(p.lines) - 1; i >= 0; i-- {
			m := generatedMark.FindStringSubmatch(p.lines[i])
			if m == nil {
				continue
			}
			end := i + 1
			for end < len(p.lines) && p.lines[end] != endMark {
				end++
			}
			if end == len(p.lines) || generators[m[1]] == nil {
				t.Fatalf("%s:%d: no %s, or no generator %s", name, i+1, endMark, m[1])
			}
			used[m[1]] = true
			want := strings.TrimRight(generators[m[1]](t), "\n")
			if strings.Join(p.lines[i+1:end], "\n") == want {
				continue
			}
			if *golden.Update {
				p.replace(i+1, end, want)
				continue
			}
			t.Errorf("%s:%d: the part %s differs from the code; go test ./docs -update writes it", name, i+1, m[1])
		}
		p.save(t)
	}
	for name := range generators {
		if !used[name] {
			t.Errorf("no page has the part %s", name)
		}
	}
}

// functionReference is the section of the functions, one level down from the
// headings of ein doc and with its outputs marked as such.
func functionReference(t *testing.T) string {
	bin, _ := ein(t)
	out, err := exec.Command(bin, "doc", "--markdown").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var b strings.Builder
	fence, program := "", ""
	for i, line := range strings.Split(strings.TrimRight(string(out), "\n"), "\n") {
		switch {
		case i == 0 && strings.HasPrefix(line, "# "):
			continue
		case fence == "output" && line == "```":
			// What the example prints now, not what the table says it does.
			if err := os.WriteFile(filepath.Join(dir, file), []byte(program), 0o644); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(bin, "run", filepath.Join(dir, file)).Output()
			if err != nil {
				t.Errorf("the example\n%sdoes not run: %v", program, err)
			}
			b.Write(out)
			fence = ""
		case fence == "output":
			continue
		case fence == "ein" && line == "```":
			kind := "```ein"
			if strings.HasPrefix(program, "def ") {
				kind += " fragment"
			}
			b.WriteString(kind + "\n" + program)
			fence = ""
		case fence == "ein":
			program += line + "\n"
			continue
		case line == "```", line == "```output":
			fence, line = "output", "```output"
		case line == "```ein":
			fence, program = "ein", ""
			continue
		case strings.HasPrefix(line, "#"):
			line = "#" + line
		}
		b.WriteString(line + "\n")
	}
	return strings.Trim(b.String(), "\n")
}

// TestFormatsAreDocumented: the reference has the formats of data.
func TestFormatsAreDocumented(t *testing.T) {
	want := "`format=" + strings.Join(graphio.Formats(), `\|`) + "`"
	if !strings.Contains(strings.Join(readPage(t, "docs/language.md").lines, "\n"), want) {
		t.Errorf("docs/language.md does not have %s", want)
	}
}

// TestFunctionsAreDocumented compares the headings of the reference with the
// table of builtins and the prelude, whatever wrote the reference.
func TestFunctionsAreDocumented(t *testing.T) {
	text := strings.Join(readPage(t, "docs/language.md").lines, "\n")
	var want []string
	for i := range stdlib.Builtins {
		want = append(want, stdlib.Builtins[i].Signature())
	}
	for _, s := range lang.Parse("prelude.ein", stdlib.Prelude, lang.Options{}).Stmts {
		if d, ok := s.(*syntax.Def); ok {
			names := make([]string, len(d.Params))
			for i, p := range d.Params {
				names[i] = p.Name
			}
			want = append(want, d.Name.Name+"("+strings.Join(names, ", ")+")")
		}
	}
	for _, s := range want {
		if !strings.Contains(text, "#### `"+s+"`\n") {
			t.Errorf("docs/language.md does not describe %s", s)
		}
	}
	if n := strings.Count(text, "\n#### `"); n != len(want) {
		t.Errorf("docs/language.md describes %d functions, there are %d", n, len(want))
	}
}

func rewriteTable(*testing.T) string {
	var b strings.Builder
	b.WriteString("| rewrite | what it does |\n|---|---|\n")
	for _, r := range plan.Rewrites {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.Name, r.Doc)
	}
	return b.String()
}

// operationList is the operations of the machine with their pictures.
func operationList(*testing.T) string {
	var b strings.Builder
	b.WriteString("```text\n")
	for op := range code.MaxOp {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-15s %s", op, op.Picture()), " ") + "\n")
	}
	b.WriteString("```\n")
	return b.String()
}

func limitTable(*testing.T) string {
	rows := []struct {
		what  string
		limit string
		code  diag.Code
	}{
		{"bytes of source text", fmt.Sprintf("%d MiB", syntax.DefaultSourceBytes>>20), "E0501"},
		{"tokens", fmt.Sprint(syntax.DefaultTokens), "E0502"},
		{"open brackets and unary minus signs around one place", fmt.Sprint(syntax.DefaultDepth), "E0503"},
		{"height of an expression tree (operators in a row)", fmt.Sprint(syntax.DefaultHeight), "E0505"},
		{"parameters of a function, arguments of a call", fmt.Sprint(syntax.DefaultArguments), "E0508"},
		{"statements", fmt.Sprint(syntax.DefaultStatements), "E0504"},
		{"diagnostics shown; the others are counted", fmt.Sprint(syntax.DefaultDiagnostics), "N0506"},
		{"functions calling one another, deep", "100", "E0510"},
		{"operations after functions are expanded", "200000", "E0511"},
		{"different indices in one statement", "64", "E0512"},
		{"axes of a tensor", "8", "E0319"},
		{"size of an axis", fmt.Sprint(stdlib.MaxSize), "E0520"},
		{"words of memory in all literals together", fmt.Sprint(1 << 26), "E0521"},
	}
	var b strings.Builder
	b.WriteString("| what | limit | code |\n|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.what, r.limit, r.code)
	}
	return b.String()
}

// TestLimits holds the numbers of the table that are not exported against the
// checker; those of operations and literals would take too long to reach.
func TestLimits(t *testing.T) {
	many := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	calls := func(n int) string {
		return "def f0(x) = x\n" + many(n, func(i int) string { return fmt.Sprintf("def f%d(x) = f%d(x)\n", i+1, i) }) + fmt.Sprintf("y = f%d(1)\n", n)
	}
	indices := func(n int) string {
		return "v = [1, 1]\ns = " + strings.TrimSuffix(many(n, func(i int) string { return fmt.Sprintf("v[i%d] * ", i) }), " * ") + "\n"
	}
	for _, test := range []struct {
		text string
		code diag.Code
	}{
		{calls(99), ""},
		{calls(100), "E0510"},
		{indices(64), ""},
		{indices(65), "E0512"},
		{"x = ones(1)\nT[a,b,c,d,e,f,g,h] = x[a] x[b] x[c] x[d] x[e] x[f] x[g] x[h]\n", ""},
		{"x = ones(1)\nT[a,b,c,d,e,f,g,h,i] = x[a] x[b] x[c] x[d] x[e] x[f] x[g] x[h] x[i]\n", "E0319"},
		{fmt.Sprintf("x = ones(%d)\n", stdlib.MaxSize+1), "E0520"},
	} {
		p := lang.Check(lang.Parse(file, test.text, lang.Options{}), lang.Options{})
		var got diag.Code
		for _, d := range p.Diags {
			if d.Severity == diag.Error {
				got = d.Code
				break
			}
		}
		if got != test.code {
			t.Errorf("%.60q...: %q, want %q", test.text, got, test.code)
		}
	}
}

// fuzzList is the fuzz targets by package.
func fuzzList(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| package | targets |\n|---|---|\n")
	target := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	byPackage := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, m := range target.FindAllSubmatch(text, -1) {
			byPackage[filepath.ToSlash(rel)] = append(byPackage[filepath.ToSlash(rel)], "`"+string(m[1])+"`")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var packages []string
	for p := range byPackage {
		packages = append(packages, p)
	}
	slices.Sort(packages)
	for _, p := range packages {
		fmt.Fprintf(&b, "| `%s` | %s |\n", p, strings.Join(byPackage[p], ", "))
	}
	return b.String()
}

// categoryTable is the categories of the benchmark with their definitions.
func categoryTable(*testing.T) string {
	family := map[category.Family]string{category.Directed: "directed", category.Undirected: "undirected",
		category.Kinship: "kinship", category.TwoGraphs: "two graphs"}
	var b strings.Builder
	b.WriteString("| level | category | graph | result type | fewest nodes | definition |\n|---|---|---|---|---|---|\n")
	for i := range category.Table {
		c := &category.Table[i]
		fmt.Fprintf(&b, "| L%d | `%s` | %s | %s | %d | %s |\n", c.Level, c.Name, family[c.Family], c.Result, c.Least, c.Doc)
	}
	return b.String()
}

// decoyTable is the decoys of each category but those that all have.
func decoyTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| category | decoys |\n|---|---|\n")
	for i := range category.Table {
		cat := &category.Table[i]
		id, err := instance.Standard(instance.Default, "demo", cat.Name, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		in, _, err := instance.Generate(id)
		if err != nil {
			t.Fatal(err)
		}
		c, err := in.Case()
		if err != nil {
			t.Fatal(err)
		}
		var w category.World
		w.Load(&c)
		var names []string
		for _, g := range cat.Guesses(&w) {
			if !strings.Contains(g.Decoy, " of X") && !strings.Contains(g.Decoy, "Y") && g.Decoy != "edges" && g.Decoy != "nodes" {
				names = append(names, g.Decoy)
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", cat.Name, grouped(names))
	}
	return b.String()
}

// grouped joins decoys of the same operation, "reach, reversed" and "reach, left out", and
// then operations of the same name with the same decoys.
func grouped(names []string) string {
	type group struct {
		name      string
		low, high string
		changes   []string
	}
	var list []group
	for _, s := range names {
		op, change, _ := strings.Cut(s, ", ")
		name, number, _ := strings.Cut(op, " ")
		if change == "" {
			name, number = op, ""
		}
		if n := len(list); change == "" || n == 0 || list[n-1].name != name || list[n-1].high != number {
			list = append(list, group{name: name, low: number, high: number})
		}
		last := &list[len(list)-1]
		last.changes = append(last.changes, change)
	}
	var b strings.Builder
	for i, g := range list {
		if i+1 < len(list) && list[i+1].name == g.name && slices.Equal(list[i+1].changes, g.changes) {
			list[i+1].low = g.low
			continue
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(g.name)
		if g.low != "" {
			b.WriteString(" " + g.low)
		}
		if g.low != g.high {
			b.WriteString(".." + g.high)
		}
		if g.changes[0] != "" {
			b.WriteString(": " + strings.Join(g.changes, ", "))
		}
	}
	return b.String()
}

// wordingTable is a question of each category, with what the explicit phrasing
// adds to it in italics.
func wordingTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| category | question | of cb2, explicit |\n|---|---|---|\n")
	reaching := regexp.MustCompile(`^One .* leads from the first to the second\. `)
	for i := range category.Table {
		name := category.Table[i].Name
		question := func(id instance.ID, explicit bool) string {
			// In this encoding the question is a line of its own.
			id.Encoding, id.Explicit = surface.JSON, explicit
			in, _, err := instance.Generate(id)
			if err != nil {
				t.Fatal(err)
			}
			return in.Question[strings.LastIndex(in.Question, "\n")+1:]
		}
		id := instance.NewID("demo", name, 0, 1)
		later := question(instance.PresetID("standard", "demo", name, 0, 1), true)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, inserted(question(id, false), question(id, true)), reaching.ReplaceAllString(later, ""))
	}
	return b.String()
}

// inserted is long, with what it has and short has not in italics.
func inserted(short, long string) string {
	head, tail := 0, 0
	for head < len(short) && short[head] == long[head] {
		head++
	}
	for tail < len(short)-head && short[len(short)-1-tail] == long[len(long)-1-tail] {
		tail++
	}
	more := long[head : len(long)-tail]
	text := strings.Trim(more, ", ")
	before, after, _ := strings.Cut(more, text)
	return long[:head] + before + "*" + text + "*" + after + long[len(long)-tail:]
}

// grammar is the grammar as the parser has it.
func grammar(*testing.T) string { return "```ebnf\n" + syntax.Grammar() + "\n```\n" }

// TestDependencies: the rationale says why the module has each of its direct dependencies.
func TestDependencies(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	rationale := strings.Join(readPage(t, "docs/rationale.md").lines, "\n")
	n := 0
	for _, m := range required.FindAllStringSubmatch(string(text), -1) {
		if n++; !strings.Contains(rationale, "`"+m[1]+"`") {
			t.Errorf("docs/rationale.md does not say why the module depends on %s", m[1])
		}
	}
	if n < 10 {
		t.Errorf("found only %d dependencies", n)
	}
}

// required is a direct dependency in go.mod.
var required = regexp.MustCompile(`(?m)^(?:require )?\t?(\S+) v\S+$`)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`^#{1,6} (.*)$`)
)

// anchors are the places of a page that a link can name.
func anchors(p *page) map[string]bool {
	m := map[string]bool{}
	fenced := false
	for _, line := range p.lines {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "```") {
			fenced = !fenced
		}
		h := heading.FindStringSubmatch(line)
		if fenced || h == nil {
			continue
		}
		var b strings.Builder
		for _, r := range strings.ToLower(h[1]) {
			switch {
			case r == ' ':
				b.WriteByte('-')
			case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
				b.WriteRune(r)
			}
		}
		m[b.String()] = true
	}
	return m
}

// named is a link to something in a file of Go.
var named = regexp.MustCompile("\\[`([A-Za-z.]+)`\\]\\(([^)#]+\\.go)\\)")

// TestNames holds what the pages call something in a file of Go to that file: a function, a
// method with its type, a type or a variable, after its package or without it.
func TestNames(t *testing.T) {
	for _, name := range pages(t) {
		for _, m := range named.FindAllStringSubmatch(strings.Join(readPage(t, name).lines, "\n"), -1) {
			if file := filepath.Base(m[2]); m[1] == file {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, filepath.Dir(name), m[2]), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if known := declared(f); !slices.Contains(known, strings.TrimPrefix(m[1], f.Name.Name+".")) {
				t.Errorf("%s: %s declares no %s", name, m[2], m[1])
			}
		}
	}
}

// declared is the names of a file; methods stand behind their type.
func declared(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				of := d.Recv.List[0].Type
				if pointer, ok := of.(*ast.StarExpr); ok {
					of = pointer.X
				}
				name = fmt.Sprint(of) + "." + name
			}
			names = append(names, name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						names = append(names, id.Name)
					}
				}
			}
		}
	}
	return names
}

// TestLinks follows the links between files of the repository.
func TestLinks(t *testing.T) {
	for _, name := range pages(t) {
		p := readPage(t, name)
		fenced := false
		for i, line := range p.lines {
			if strings.HasPrefix(strings.TrimLeft(line, " "), "```") {
				fenced = !fenced
			}
			if fenced {
				continue
			}
			if strings.HasPrefix(line, "|") && p.lines[i-1] == "" && !strings.HasPrefix(strings.ReplaceAll(p.lines[i+1], " ", ""), "|-") {
				t.Errorf("%s:%d: a row without the head of its table", name, i+1)
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
					continue
				}
				to, anchor, _ := strings.Cut(m[1], "#")
				target := name
				if to != "" {
					target = filepath.ToSlash(filepath.Join(filepath.Dir(name), to))
				}
				if _, err := os.Stat(filepath.Join(root, target)); err != nil {
					t.Errorf("%s:%d: there is no %s", name, i+1, target)
					continue
				}
				if anchor != "" && strings.HasSuffix(target, ".md") && !anchors(readPage(t, target))[anchor] {
					t.Errorf("%s:%d: %s has no heading #%s", name, i+1, target, anchor)
				}
			}
		}
	}
}

// givenUp is words that others replaced, in code, messages and pages: one word for one thing.
var givenUp = regexp.MustCompile(`^<<<<<<< |\b([Cc]ensus|durable|[Cc]ures?|curable|for want of|lives of registers|package sft)\b`)

// sayInstead is what replaced them.
var sayInstead = map[string]string{"census": "stats", "durable": "job", "cure": "fix", "cures": "fixes", "curable": "that has a fix",
	"for want of": "without, or because there is no", "lives of registers": "when registers are alive", "package sft": "package prompt", "<<<<<<< ": "what the merge should have"}

// TestGivenUp: words that were given up do not come back. The changelog has what was.
func TestGivenUp(t *testing.T) {
	list, err := exec.Command("git", "-C", root, "ls-files", "*.go", "*.md", "*.py", "*.txtar", "Makefile").Output()
	if err != nil {
		t.Skip("no git")
	}
	for file := range strings.Lines(string(list)) {
		if file = strings.TrimSpace(file); file == "CHANGELOG.md" || file == "docs/docs_test.go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			continue // deleted, and not committed yet
		}
		for i, line := range strings.Split(string(text), "\n") {
			if word := givenUp.FindString(line); word != "" {
				t.Errorf("%s:%d: %q was given up: say %q", file, i+1, word, sayInstead[strings.ToLower(word)])
			}
		}
	}
}
