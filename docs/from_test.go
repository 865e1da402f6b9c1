package docs

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// askPython compares the left column of a page with what Ein printed for the right
// one. It runs on the Python block of the page, or on its CSV files as tables of SQLite.
const askPython = `
import csv, glob, json, math, sqlite3, sys
setup, cells, ours, document = json.load(sys.stdin)
scope = {}
if setup:
    exec(setup, scope)
else:
    db = sqlite3.connect(":memory:")
    for f in glob.glob("*.csv"):
        rows = list(csv.reader(open(f)))
        db.execute(f"create table {f[:-4]} ({', '.join(c + ' numeric' for c in rows[0])})")
        db.executemany(f"insert into {f[:-4]} values ({', '.join('?' * len(rows[0]))})", rows[1:])

def plain(x):
    "what Ein shows: sets sorted, a dict as its values, a graph as its matrix"
    if hasattr(x, "adj"):
        return [[x[i][j].get("weight", 1) if x.has_edge(i, j) else 0 for j in range(len(x))] for i in range(len(x))]
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, set):
        return sorted(x)
    if isinstance(x, dict):
        return [x.get(i, -1) for i in range(6)]
    if isinstance(x, list):
        return [plain(y) for y in x]
    return int(x) if isinstance(x, bool) else x

def same(x, y):
    if isinstance(x, list):
        return isinstance(y, list) and len(x) == len(y) and all(map(same, x, y))
    return x == y if isinstance(x, str) else math.isclose(x, y, abs_tol=1e-6)

labels = document.get("labels", range(100))
for c, e, o in zip(cells, ours, document["outputs"], strict=True):
    if setup:
        want = plain(eval(c, scope))
    else:
        want = [r[0] for r in db.execute(c)]
        want = sorted(want) if isinstance(want[0], str) else want[0]
    if "nodes" in o:
        got = sorted(labels[i] for i in o["nodes"])
    elif "path" in o:
        got = [labels[i] for i in o["path"]]
    else:
        got = o.get("value", o.get("node"))
    if not same(got, want):
        print(f"{e} is {got}, but {c} is {want}")
`

// row is a row of a table with code in its first two cells, and assigned a
// statement of Ein with the name it defines.
var (
	row      = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\|$")
	assigned = regexp.MustCompile(`^(\w+)\[[^\]]*\] (?:min|max)?= `)
)

// TestFrom holds the columns of "Coming from ..." against each other. Ein's is
// run everywhere, the other where Python has what it needs.
func TestFrom(t *testing.T) {
	bin, _ := ein(t)
	for _, test := range []struct{ page, needs string }{
		{"docs/from-networkx.md", "networkx, numpy, scipy"},
		{"docs/from-numpy.md", "numpy"},
		{"docs/from-sql.md", "sqlite3"},
	} {
		t.Run(test.page, func(t *testing.T) {
			p := readPage(t, test.page)
			dir := t.TempDir()
			var program, setup string
			for _, b := range p.blocks(t) {
				switch {
				case b.name == "setup.ein":
					program = b.text
				case b.kind == "python":
					setup = b.text
				case b.kind == "file":
					if err := os.WriteFile(filepath.Join(dir, b.name), []byte(b.text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			var cells, ours []string
			for _, m := range row.FindAllStringSubmatch(strings.Join(p.lines, "\n"), -1) {
				cells, ours = append(cells, m[1]), append(ours, m[2])
			}
			// Tables about files and commands come later, and are no pairs.
			if k := strings.Index(strings.Join(p.lines, "\n"), "## Where the columns go"); k >= 0 {
				n := len(row.FindAllString(strings.Join(p.lines, "\n")[:k], -1))
				cells, ours = cells[:n], ours[:n]
			}
			var text strings.Builder
			text.WriteString(program)
			for _, s := range ours {
				if m := assigned.FindStringSubmatch(s); m != nil {
					text.WriteString(s + "\n")
					s = m[1]
				}
				text.WriteString(":print " + s + "\n")
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			args := []string{"run", "--json=2", file}
			if test.needs != "numpy" { // which knows positions only
				args = append(args, "--labels")
			}
			run := exec.Command(bin, args...)
			run.Dir = dir
			out, err := run.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			python, err := exec.LookPath("python3")
			if err == nil {
				err = exec.Command(python, "-c", "import "+test.needs).Run()
			}
			if err != nil {
				t.Skipf("needs python3 with %s: %v", test.needs, err)
			}
			input, err := json.Marshal([]any{setup, cells, ours, json.RawMessage(out)})
			if err != nil {
				t.Fatal(err)
			}
			ask := exec.Command(python, "-c", askPython)
			ask.Dir, ask.Stdin = dir, bytes.NewReader(input)
			if out, err := ask.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
