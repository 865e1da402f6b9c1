package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ein/bench/question/category"
	"ein/internal/golden"
	"ein/vm/code"
)

func TestMain(m *testing.M) {
	if os.Getenv(measured) == "1" {
		measure()
	}
	testscript.Main(m, map[string]func(){"ein": main})
}

// lean is whether this is the build without the readers of Parquet and SQLite.
var lean bool

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		RequireExplicitExec: true,
		UpdateScripts:       *golden.Update,
		Setup:               setup,
		Condition: func(name string) (bool, error) {
			switch name {
			case "networkx":
				return networkx() != "", nil
			case "lean":
				return lean, nil
			}
			return false, fmt.Errorf("there is no condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"tables": tables,
			"untimed": func(ts *testscript.TestScript, _ bool, _ []string) {
				out := regexp.MustCompile(`"wall_ns":\d+`).ReplaceAllString(ts.ReadFile("stdout"), `"wall_ns":0`)
				ts.Check(os.WriteFile(ts.MkAbs("untimed"), []byte(out), 0o644))
			},
		},
	})
}

// networkx is the Python interpreter that has networkx, or "".
var networkx = sync.OnceValue(func() string {
	out, err := exec.Command("python3", "-c", "import networkx, sys; print(sys.executable)").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

// exits runs a command and wants the exit code given first.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// setup clears what would change the output, and writes the data files that are
// not text.
func setup(env *testscript.Env) error {
	for _, name := range []string{"NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR"} {
		env.Setenv(name, "")
	}
	env.Setenv("GORACE", os.Getenv("GORACE"))
	// For scripts that take the other commands away.
	bin, _, _ := strings.Cut(env.Getenv("PATH"), string(os.PathListSeparator))
	env.Setenv("BIN", bin)
	env.Setenv("PYTHON", networkx())
	env.Setenv("BYTECODE", fmt.Sprint(code.Version))
	// So many instances there are with --per-category 1, 2, 4, 5 and 8, and outside of
	// the second level.
	for _, n := range []int{1, 2, 4, 5, 8} {
		env.Setenv(fmt.Sprint("OF", n), fmt.Sprint(n*len(category.Table)))
	}
	outside := slices.DeleteFunc(slices.Clone(category.Table), func(c category.Category) bool { return c.Level == 2 })
	env.Setenv("OUTSIDE", fmt.Sprint(len(outside)))
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := w.Write([]byte("source,target\nacme,shell\nshell,zenith\n"))
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	head := "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }"
	head = fmt.Sprintf("%-117s\n", head)
	npy := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), 0)
	npy = append(npy, head...)
	for _, x := range []float64{1, 2.5, 0, 4} {
		npy = binary.LittleEndian.AppendUint64(npy, math.Float64bits(x))
	}
	return errors.Join(
		os.WriteFile(filepath.Join(env.WorkDir, "zipped.csv.gz"), zipped.Bytes(), 0o644),
		os.WriteFile(filepath.Join(env.WorkDir, "matrix.npy"), npy, 0o644),
		os.WriteFile(filepath.Join(env.WorkDir, "damaged.einc"), fmt.Appendf(nil, "%s%c and then something else", code.Magic, code.Version), 0o644),
		os.WriteFile(filepath.Join(env.WorkDir, "newer.einc"), []byte(code.Magic+"\x7f and then something else"), 0o644),
	)
}
