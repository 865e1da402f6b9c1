//go:build linux && !race

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ein/internal/corpus"
)

// The most memory that a process may hold, by its certificate. Beside a collector with a processor of
// its own, the stacks and the garbage of what is being compiled pile up further.
func residentGoal(certified uint64) uint64 {
	if runtime.GOMAXPROCS(0) > 2 {
		return certified + certified*3/10 + 50<<20
	}
	return certified + certified*3/10 + 40<<20
}
func residentBound(certified uint64) uint64 { return certified + certified/2 + 60<<20 }

// measured is the program that TestMain becomes to run a command and to write its
// peak of resident memory to file 3. A process starts with the peak of the one that
// started it, so this has to be a small one: not that of the tests.
const measured = "EIN_MEASURED"

func measure() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Env = append(os.Environ(), measured+"=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	_, _ = fmt.Fprint(os.NewFile(3, "result"), usage.Maxrss<<10)
	os.Exit(cmd.ProcessState.ExitCode())
}

// TestResidentMemoryOfExamples holds what every program of the corpus takes against
// what its result says.
func TestResidentMemoryOfExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts hundreds of processes")
	}
	dir := t.TempDir()
	for _, c := range corpus.Cases() {
		if c.Error != "" || len(c.Inputs) > 0 || len(c.Labels) > 0 {
			continue
		}
		writeFile(t, filepath.Join(dir, "p.ein"), func(w *bufio.Writer) { _, _ = w.WriteString(c.Source) })
		bounded(t, c.Name, dir, "p.ein")
	}
	command := regexp.MustCompile(`(?m)^\$ ein run (.*)$`)
	ofTables := regexp.MustCompile(`--(labels|(top|precision|sort) \S+)`) // not of JSON
	pages, err := filepath.Glob("../../examples/*/README.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range command.FindAllStringSubmatch(string(text), -1) {
			bounded(t, m[0], filepath.Dir(page), strings.Fields(strings.ReplaceAll(ofTables.ReplaceAllString(m[1], ""), "'", ""))...)
		}
	}
}

// bounded runs a program, whose exit code may be any, and holds it to the bound.
func bounded(t *testing.T, name, dir string, args ...string) {
	t.Helper()
	_, stdout, _, peak := resident(t, dir, append([]string{"run", "--json"}, args...)...)
	var result struct {
		Stats struct {
			Peak uint64 `json:"peak_bytes"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &result); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if peak > residentBound(result.Stats.Peak) {
		t.Errorf("%s: resident %d bytes, certified %d: more than 1.5 times and 60 MiB", name, peak, result.Stats.Peak)
	}
}

// resident runs ein and gives its exit code, what it wrote, and the most memory it
// held.
func resident(t *testing.T, dir string, args ...string) (code int, stdout, stderr string, peak uint64) {
	t.Helper()
	ein, err := exec.LookPath("ein")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(self, append([]string{ein}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), measured+"=1")
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = &out, &errs, []*os.File{w}
	err = cmd.Run()
	_ = w.Close()
	text, _ := io.ReadAll(r)
	_ = r.Close()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if peak, err = strconv.ParseUint(string(text), 10, 64); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String(), peak
}

// certified returns the peak that the certificate of a program states.
func certified(t *testing.T, dir string, args ...string) uint64 {
	t.Helper()
	cmd := exec.Command("ein", append([]string{"cost", "--json"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var c struct {
		Peak uint64 `json:"peak_bytes"`
	}
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatal(err)
	}
	return c.Peak
}

// writeFile makes a file of what write writes, without holding it.
func writeFile(t *testing.T, name string, write func(w *bufio.Writer)) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	var to io.Writer = f
	var z *gzip.Writer
	if strings.HasSuffix(name, ".gz") {
		z, _ = gzip.NewWriterLevel(f, gzip.BestSpeed)
		to = z
	}
	w := bufio.NewWriter(to)
	write(w)
	err = w.Flush()
	if z != nil && err == nil {
		err = z.Close()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		t.Fatal(err)
	}
}

// repeat writes n parts, each made of its number.
func repeat(head string, n int, sep, tail string, part func(i int) string) func(*bufio.Writer) {
	return func(w *bufio.Writer) {
		_, _ = w.WriteString(head)
		for i := range n {
			if i > 0 {
				_, _ = w.WriteString(sep)
			}
			_, _ = w.WriteString(part(i))
		}
		_, _ = w.WriteString(tail)
	}
}

func npy(descr, shape string, n int, put func(w *bufio.Writer, i int)) func(*bufio.Writer) {
	return func(w *bufio.Writer) {
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
		head += strings.Repeat(" ", 117-len(head)) + "\n"
		_, _ = w.WriteString("\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(head)))) + head)
		for i := range n {
			put(w, i)
		}
	}
}

// TestResidentMemory holds the memory of the process against the certificate, for
// programs and files whose reading, running or writing takes much of it.
func TestResidentMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes and reads a gigabyte")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	row := func(n int, x func(j int) string) string {
		var b strings.Builder
		b.WriteByte('[')
		for j := range n {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(x(j))
		}
		b.WriteByte(']')
		return b.String()
	}
	digit := func(int) string { return strconv.Itoa(rng.IntN(10)) }
	pair := func(n int) func(int) string {
		return func(int) string { return fmt.Sprintf("[%d,%d]", rng.IntN(n), rng.IntN(n)) }
	}
	for _, test := range []struct {
		name, program string
		text          func(*bufio.Writer) // of the program, when it is long
		file          string              // of the input A
		data          func(*bufio.Writer)
		args          []string
	}{
		{name: "nothing", program: "x = 1"},
		{name: "literal", text: repeat("A = [", 1000, ",", "]\n:print sum(A)", func(int) string { return row(3990, digit) })},
		{name: "fractions", text: repeat("A = [", 1000, ",\n", "]\n:print sum(A)", func(int) string { return row(1000, func(int) string { return fmt.Sprintf("%.4f", rng.Float64()) }) })},
		{name: "pairs", text: repeat("A = edges([", 1_300_000, ",", "], 20000)\n:print sum(A)", pair(20_000))},
		{name: "labels", text: repeat("A = edges([", 300_000, ",", "])\n:print sum(A)", func(int) string { return fmt.Sprintf(`["node%d","node%d"]`, rng.IntN(50_000), rng.IntN(50_000)) })},
		{name: "statements", text: repeat("x0 = 1\n", 9_000, "\n", "", func(i int) string { return fmt.Sprintf("x%d = x%d + %d", i+1, i, i%7) })},
		{name: "terms", text: repeat("v = [1,2,3]\nx = ", 9_000, " + ", "", func(i int) string { return fmt.Sprintf("v * %d", i%5) })},
		{name: "operations", program: "def a(x) = " + strings.Repeat("x * x + ", 20) + "x\ndef b(x) = " + strings.Repeat("a(x) + ", 20) + "x\ndef c(x) = " +
			strings.Repeat("b(x) + ", 20) + "x\nv = [1.5, 2]\ny = " + strings.Repeat("c(v) + ", 8) + "v"},
		{name: "rules", text: repeat("E(a, b).\n", 3_000, "\n", "\nP(x, y)?\n", func(int) string { return "P(x, y) <- " + strings.Repeat("E(x, z), E(z, y), ", 31) + "x != y." })},
		{name: "expressions of rules", text: repeat("N(1).\n", 5_000, "\n", "\nM(x)?\n", func(int) string { return "M(y) <- N(x), y = x" + strings.Repeat(" + x", 30) + "." })},
		{name: "recursive rules", text: repeat("P(a, b).\n", 45, "\n", "\nP(x, y)?\n", func(int) string { return "P(x, y) <- " + strings.Repeat("P(x, z), P(z, y), ", 31) + "P(x, y)." })},
		{name: "tall", program: "x = ones(5) * 0.5\nrepeat 30000 { x = x[0] * x }\n:print sum(x)"},
		{name: "npy", program: "input A: matrix\n:print sum(A)", file: "A.npy", data: npy("<f8", "2000, 4000", 8_000_000, func(w *bufio.Writer, i int) {
			_ = binary.Write(w, binary.LittleEndian, float64(i)/3)
		})},
		{name: "npy bytes", program: "input A: matrix\n:print sum(A)", file: "A.npy", data: npy("|u1", "4000, 4000", 16_000_000, func(w *bufio.Writer, i int) { _ = w.WriteByte(byte(i)) })},
		{name: "labelled csv", program: "input A: graph\n:print sum(A)", file: "A.csv", data: repeat("source,target\n", 1_000_000, "\n", "\n", func(int) string {
			return fmt.Sprintf("account-%d,account-%d", rng.IntN(200_000), rng.IntN(200_000))
		})},
		{name: "numbered csv", program: "input A: graph\n:print sum(A), sum(reach(A, 0))", file: "A.csv", data: repeat("", 3_000_000, "\n", "\n", func(int) string {
			return fmt.Sprintf("%d,%d", rng.IntN(300_000), rng.IntN(300_000))
		})},
		{name: "gzip", program: "input A: graph\n:print sum(A)", file: "A.edges.gz", data: repeat("", 3_000_000, "\n", "\n", func(i int) string { return fmt.Sprintf("%d %d", i%1000, i/1000) })},
		{name: "matrix market", program: "input A: matrix\n:print sum(A)", file: "A.mtx", data: repeat("%%MatrixMarket matrix coordinate real general\n100000 100000 1000000\n", 1_000_000, "\n", "\n", func(i int) string {
			return fmt.Sprintf("%d %d %.3f", i/10+1, i%10*10_000+1+i%997, rng.Float64()+0.1)
		})},
		{name: "json edges", program: "input A: graph\n:print sum(A)", file: "A.json", data: repeat("[", 700_000, ",", "]", pair(100_000))},
		{name: "json matrix", program: "input A: matrix\n:print sum(A)", file: "A.json", data: repeat("[", 1200, ",", "]", func(int) string { return row(1200, func(int) string { return fmt.Sprintf("%.5f", rng.Float64()) }) })},
		{name: "vector", program: "input A: vector\n:print sum(A)", file: "A.csv", data: repeat("", 1_500_000, "\n", "\n", func(i int) string { return strconv.Itoa(i % 1000) })},
		{name: "product", program: "A = ones(1500, 1500) * 1.5\nB[i,k] = A[i,j] A[j,k]\n:print sum(B)"},
		{name: "elementwise", program: "A = ones(3000, 3000) * 1.5\nB = exp(A) + A\n:print sum(B * A)"},
		{name: "closure", program: "input A: graph\n:print sum(tc(A))", file: "A.edges", data: repeat("", 40_000, "\n", "\n", func(int) string { return fmt.Sprintf("%d %d", rng.IntN(20_000), rng.IntN(20_000)) })},
		{name: "components", program: "input A: graph\n:print sum(scc(A), 1), triangles(A), dist(A, 0)", file: "A.edges", data: repeat("", 1_000_000, "\n", "\n", func(int) string { return fmt.Sprintf("%d %d", rng.IntN(300_000), rng.IntN(300_000)) })},
		{name: "output", program: "A = ones(3000, 3000) * 1.5", args: []string{"--full"}},
		{name: "output as JSON", program: "A = ones(3000, 3000) * 1.5", args: []string{"--json"}},
		{name: "long rows", program: "A = ones(2, 4000000) * 1.5", args: []string{"--json"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if test.text == nil {
				test.text = func(w *bufio.Writer) { _, _ = w.WriteString(test.program) }
			}
			writeFile(t, filepath.Join(dir, "p.ein"), test.text)
			args := []string{"p.ein"}
			if test.data != nil {
				writeFile(t, filepath.Join(dir, test.file), test.data)
				args = append(args, "--input", "A="+test.file)
			}
			bound := certified(t, dir, args...)
			var peak uint64
			for range 3 { // on a loaded machine the collector may fall behind once
				var code int
				var stderr string
				if code, _, stderr, peak = resident(t, dir, append(append([]string{"run"}, args...), test.args...)...); code != 0 {
					t.Fatalf("exit code %d: %s", code, stderr)
				}
				if peak <= residentGoal(bound) {
					break
				}
			}
			t.Logf("resident %.1f MB, certified %.1f MB", float64(peak)/1e6, float64(bound)/1e6)
			if peak > residentGoal(bound) {
				t.Errorf("resident %d bytes, certified %d: more than 1.3 times and 40 MiB, or 50 MiB on more than two processors", peak, bound)
			}
		})
	}
}

// TestResidentMemoryOfProofs holds a proof of many steps to the limit that stops it.
func TestResidentMemoryOfProofs(t *testing.T) {
	if testing.Short() {
		t.Skip("it proves a hundred thousand rows")
	}
	const steps, limit = 300_000, 220 << 20
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "p.ein"), func(w *bufio.Writer) {
		_, _ = w.WriteString("input E(a: node, b: node)\nH[\"n0\"] min= 0.\nH[y] min= H[x] + 1 <- E(x, y).\nQ(x, n) <- H[x] = n.\n")
	})
	writeFile(t, filepath.Join(dir, "E.csv"), repeat("a,b\n", steps, "\n", "\n", func(i int) string { return fmt.Sprintf("n%d,n%d", i, i+1) }))
	code, _, stderr, peak := resident(t, dir, "why", "--max-memory", strconv.Itoa(limit), "--input", "E=E.csv", "p.ein", fmt.Sprintf(`Q("n%d",%d)`, steps, steps))
	if code != 4 && code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if peak > residentGoal(limit) {
		t.Errorf("resident %d bytes under a limit of %d: more than 1.3 times and 40 MiB", peak, limit)
	}
}
