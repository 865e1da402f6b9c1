// Package corpus holds the programs that every engine of Ein is tested with.
//
// A [Case] is a conformance program of the language: its source, the inputs and labels that
// its host gives, and either the outputs that it must have or the class and text of its
// error. [Cases] reads them from the txtar archives of the repository, where a case is a
// folder of files; an unknown file name or an incomplete case is a panic, so that no
// expectation goes unchecked. [Match] compares outputs as text: reals within a tolerance,
// whole numbers exactly, since engines may add reals in any order.
//
// An [AbuseCase] is a text meant to break an implementation, by size, depth, odd characters
// or values at the edge. It is made when it is needed, as it may have megabytes. What it
// asks first of an engine is an answer in bounded time and memory, and no panic; the class
// of that answer matters only where the case names one.
//
// The package runs nothing. Tests decide which engines they give the cases to, and pass
// over heavy ones where an engine takes the definition literally. Only tests import it.
package corpus

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Case is one conformance program. Either Want is set, or Error and Class are.
type Case struct {
	Name    string // archive/case
	Source  string
	Inputs  map[string]Input
	Labels  []string // of the nodes 0, 1, ..., given by the host
	Want    string   // the outputs in the text form of the command; see Match
	Error   string   // regexp, to be matched without regard to case
	Class   string   // syntax, static, limit or runtime; alternatives separated by |
	Warning string   // regexp that one of the warnings must match; often empty
}

// Input is a tensor that the host binds to an input statement.
type Input struct {
	Dims []int
	Data []float64
}

// HasClass reports whether an error of the given class is what the case wants.
func (c Case) HasClass(class string) bool {
	return slices.Contains(strings.Split(c.Class, "|"), class)
}

// Cases returns the conformance corpus in the order of the archives, for a test that
// runs in the folder of its package. It panics if there is no corpus or an
// archive is malformed, since that is a mistake in this repository.
func Cases() []Case {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	// A folder without the archives gives none, and the one above is tried.
	var archives []string
	for up := ""; len(archives) == 0 && up != dir; dir, up = filepath.Dir(dir), dir {
		archives, _ = filepath.Glob(filepath.Join(dir, "testdata", "conformance", "*.txtar"))
	}
	if len(archives) == 0 {
		panic("no testdata/conformance in the folders above the test")
	}
	var cases []Case
	for _, name := range archives {
		text, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		cs, err := parseArchive(strings.TrimSuffix(filepath.Base(name), ".txtar"), text)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", name, err))
		}
		cases = append(cases, cs...)
	}
	return cases
}

// parseArchive splits a txtar archive of case/file entries.
func parseArchive(archive string, text []byte) ([]Case, error) {
	var cases []Case
	for _, f := range txtar.Parse(text).Files {
		dir, file, ok := strings.Cut(f.Name, "/")
		if !ok {
			return nil, fmt.Errorf("%s has no case name", f.Name)
		}
		dir = archive + "/" + dir
		if len(cases) == 0 || cases[len(cases)-1].Name != dir {
			if slices.ContainsFunc(cases, func(c Case) bool { return c.Name == dir }) {
				return nil, fmt.Errorf("case %s is split or repeated", dir)
			}
			cases = append(cases, Case{Name: dir})
		}
		if err := cases[len(cases)-1].add(file, string(f.Data)); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	for _, c := range cases {
		if c.Source == "" || (c.Want == "") == (c.Error == "") || (c.Error == "") != (c.Class == "") {
			return nil, fmt.Errorf("case %s needs in.ein and either out, or error and class", c.Name)
		}
	}
	return cases, nil
}

// add takes a file of the archive into the case. A name that it does not know is an error, so
// that a misspelt file is not an expectation that nobody checks.
func (c *Case) add(file, body string) error {
	switch file {
	case "in.ein":
		c.Source = body
	case "out":
		c.Want = body
	case "error":
		c.Error = strings.TrimSpace(body)
	case "class":
		c.Class = strings.TrimSpace(body)
	case "warning":
		c.Warning = strings.TrimSpace(body)
	case "labels":
		c.Labels = strings.Fields(body)
	default:
		name, ok := strings.CutPrefix(file, "inputs/")
		if !ok {
			return fmt.Errorf("unknown file")
		}
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			return err
		}
		in, err := inputOf(v)
		if err != nil {
			return err
		}
		if c.Inputs == nil {
			c.Inputs = map[string]Input{}
		}
		c.Inputs[strings.TrimSuffix(name, path.Ext(name))] = in
	}
	return nil
}

// inputOf returns a number, or a list of lists of equal shape.
func inputOf(v any) (Input, error) {
	switch v := v.(type) {
	case float64:
		return Input{Data: []float64{v}}, nil
	case []any:
		in := Input{Dims: []int{len(v)}}
		for i, x := range v {
			row, err := inputOf(x)
			switch {
			case err != nil:
				return in, err
			case i == 0:
				in.Dims = append(in.Dims, row.Dims...)
			case !slices.Equal(in.Dims[1:], row.Dims):
				return in, fmt.Errorf("ragged input")
			}
			in.Data = append(in.Data, row.Data...)
		}
		return in, nil
	}
	return Input{}, fmt.Errorf("an input is a number or lists of numbers, not %T", v)
}

var token = regexp.MustCompile(`[-+]?[0-9.][-+.0-9eE]*|\S`)

// tolerance is how far apart two real results may be, relative to their size:
// engines may add in different orders.
const tolerance = 1e-9

// Match compares outputs in the text form of the command. Numbers agree if they
// are within a relative tolerance, integers only if they are equal; everything
// else agrees literally, without regard to spaces inside a line.
func Match(want, got string) error {
	w := strings.Split(strings.TrimRight(want, "\n"), "\n")
	g := strings.Split(strings.TrimRight(got, "\n"), "\n")
	for i := range max(len(w), len(g)) {
		switch {
		case i >= len(w):
			return fmt.Errorf("line %d: unexpected %q", i+1, g[i])
		case i >= len(g):
			return fmt.Errorf("line %d: missing %q", i+1, w[i])
		case !matchLine(w[i], g[i]):
			return fmt.Errorf("line %d: want %q, got %q", i+1, w[i], g[i])
		}
	}
	return nil
}

// matchLine compares token by token. Two whole numbers must be the same, others may differ by
// tolerance.
func matchLine(want, got string) bool {
	return slices.EqualFunc(token.FindAllString(want, -1), token.FindAllString(got, -1), func(w, g string) bool {
		if w == g {
			return true
		}
		x, err1 := strconv.ParseFloat(w, 64)
		y, err2 := strconv.ParseFloat(g, 64)
		if err1 != nil || err2 != nil || x == math.Trunc(x) && y == math.Trunc(y) {
			return false
		}
		return math.Abs(x-y) <= tolerance*max(1, math.Abs(x))
	})
}
