// Package verify checks instances against everything that can compute them: their id, and
// their programs in Ein, in rules and in Python.
//
// A [Job] reads a file and gives a [Record] for each instance, with a [Finding] for each
// disagreement; a [Summary] counts them. An [Interpreter] runs the Python programs of the
// file as they are, without a sandbox.
//
// Each check finds what the others cannot: making an instance again from its id finds edited
// files and generators that have changed; its Ein program and its rules, a language or a
// machine that has; its Python program, what the first two get wrong alike.
package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/internal/compact"
	"ein/internal/words"
	"ein/lang/check"
)

// Part says what about an instance is wrong.
type Part int

// The parts: the line is not an instance or is there twice; the digest is not that
// of its content; the id generates something else; a program gives something
// else than the stored answer.
const (
	Line Part = iota
	Digest
	Generated
	Ein
	Python
	Rules
	parts
)

func (p Part) String() string {
	return [...]string{"line", "digest", "generated", "Ein", "Python", "rules"}[p]
}

// Finding is a disagreement between a line, its id and its programs.
type Finding struct {
	Line    int    `json:"-"`
	ID      string `json:"-"` // "" when the line has none
	Part    Part   `json:"part"`
	Message string `json:"message"`
}

// Row counts the instances of a category and their disagreements, by part.
type Row struct {
	Category  string
	Instances int
	Wrong     [parts]int // instances by part; Line counts lines that are there twice
}

// Summary adds up the records of a file.
type Summary struct {
	Unreadable int // lines that are no instances
	PythonRuns int
	// NoPython is why Python programs were not run, or not all: an *Unavailable.
	NoPython error

	first map[[8]byte]int // the start of a hash of an id, and its line
	rows  map[string]*Row
}

// Total adds up the rows.
func (s *Summary) Total() Row {
	t := Row{Category: "total"}
	for _, row := range s.rows {
		t.Instances += row.Instances
		for p, n := range row.Wrong {
			t.Wrong[p] += n
		}
	}
	return t
}

// Agrees reports whether nothing is wrong. A file without instances does not agree.
func (s *Summary) Agrees() bool {
	t := s.Total()
	return t.Instances > 0 && s.Unreadable == 0 && t.Wrong == [parts]int{}
}

// Job verifies files.
type Job struct {
	Python *Interpreter // nil: Python programs are not run
}

// ahead is how many instances the Go half may be ahead of the Python half.
const ahead = 16

// Record is the result for one line.
type Record struct {
	Line     int       `json:"line"`
	ID       string    `json:"id,omitempty"` // "" when the line is not an instance
	Category string    `json:"category,omitempty"`
	Python   bool      `json:"python,omitempty"` // its Python program was run
	Findings []Finding `json:"findings,omitempty"`

	in     *instance.Instance // nil: the line is none
	stored answer.Value
	typed  bool  // stored can be compared with
	err    error // of the file
}

func (it *Record) find(p Part, format string, args ...any) {
	it.Findings = append(it.Findings, Finding{Part: p, Message: fmt.Sprintf(format, args...)})
}

// Each calls emit with the record of each line of r, in order. It does not look for repeated ids;
// Summary.Add does. noPython says why Python programs were not run, or not all: an *Unavailable.
// err comes from reading, from emit or from the context.
func (j *Job) Each(ctx context.Context, r io.Reader, emit func(*Record) error) (noPython, err error) {
	ctx, cancel := context.WithCancel(ctx)
	items := make(chan Record, ahead)
	defer func() {
		cancel()
		for range items { // until the Go half has ended
		}
	}()
	go func() {
		defer close(items)
		scan(ctx, r, items)
	}()
	for it := range items {
		if it.err != nil {
			return noPython, it.err
		}
		if noPython == nil {
			if noPython, err = j.python(ctx, &it); err != nil {
				return noPython, err
			}
		}
		if err := emit(&it); err != nil {
			return noPython, err
		}
	}
	if ctx.Err() != nil {
		return noPython, context.Cause(ctx)
	}
	return noPython, nil
}

// NewSummary returns the summary of a file without lines.
func NewSummary() *Summary { return &Summary{first: map[[8]byte]int{}, rows: map[string]*Row{}} }

// Add counts the record of the next line of a file and returns its findings, to which it adds a
// repeated id: a shard of a file does not know which ids came before.
func (s *Summary) Add(it *Record) []Finding {
	if it.ID != "" {
		hash := sha256.Sum256([]byte(it.ID))
		if first := s.first[[8]byte(hash[:])]; first > 0 {
			it.Findings = slices.Insert(it.Findings, 0, Finding{Part: Line, Message: fmt.Sprintf("line %d has the same id", first)})
		} else {
			s.first[[8]byte(hash[:])] = it.Line
		}
	}
	for i := range it.Findings {
		it.Findings[i].Line, it.Findings[i].ID = it.Line, clip(it.ID)
	}
	if it.Python {
		s.PythonRuns++
	}
	s.count(it)
	return it.Findings
}

// count counts a record in the row of its category. An instance counts once for each part in
// which it is wrong.
func (s *Summary) count(it *Record) {
	if it.Category == "" {
		s.Unreadable++
		return
	}
	row := s.rows[it.Category]
	if row == nil {
		row = &Row{Category: it.Category}
		s.rows[it.Category] = row
	}
	row.Instances++
	var wrong [parts]bool
	for _, f := range it.Findings {
		wrong[f.Part] = true
	}
	for p, w := range wrong {
		if w {
			row.Wrong[p]++
		}
	}
}

// unknown is the row of instances whose category does not exist.
const unknown = "(unknown)"

// Rows returns the counts of the categories that occur, in the order of the table.
func (s *Summary) Rows() (list []Row) {
	for i := range category.Table {
		if row := s.rows[category.Table[i].Name]; row != nil {
			list = append(list, *row)
		}
	}
	if row := s.rows[unknown]; row != nil {
		list = append(list, *row)
	}
	return list
}

// scan does the Go half of the work: everything that needs no Python.
func scan(ctx context.Context, r io.Reader, items chan<- Record) {
	n := 0
	for line, err := range instance.Lines(r) {
		it := Record{err: err}
		if n++; err == nil {
			it = inspect(n, line)
		}
		select {
		case items <- it:
		case <-ctx.Done():
			return
		}
		if _, other := compact.Text(line); n == 1 && other != nil {
			return // the other lines are no text either
		}
	}
}

// inspect checks a line.
func inspect(n int, line []byte) Record {
	it := Record{Line: n}
	in, err := instance.Decode(line)
	if in == nil {
		it.find(Line, "%v", err)
		return it
	}
	it.in, it.ID, it.Category = in, in.ID, unknown
	if err != nil {
		it.find(Digest, "the digest does not match the content: the line was changed")
	}
	line, _ = compact.Text(line) // which Decode has read
	if what := regenerate(in, line); what != "" {
		it.find(Generated, "%s", what)
	}
	c, err := instance.Category(in.Category)
	if err != nil {
		it.find(Generated, "%v", err)
		return it
	}
	it.Category = c.Name
	if len(in.Nodes) != in.N {
		it.find(Ein, "it has %d nodes but %d labels", in.N, len(in.Nodes))
		return it
	}
	it.stored, err = parse(c.Result, in.Answer, byLabel(in.Nodes))
	if err != nil {
		it.find(Ein, "the stored answer %s cannot be compared: %v", clip(in.Answer), err)
		return it
	}
	it.typed = true
	it.run(Ein, "Ein program", check.Core, in.EinProgram)
	if rules, err := in.Rules(); err != nil {
		it.find(Rules, "it has no rules program: %v", err)
	} else {
		it.run(Rules, "rules program", check.Logic, rules)
	}
	return it
}

// run compares the answer of a program with the stored one.
func (it *Record) run(p Part, what string, profile check.Profile, program string) {
	if got, err := instance.Run(profile, program, it.stored.Type, it.in.Nodes); err != nil {
		it.find(p, "the %s: %v", what, err)
	} else if !same(got, it.stored) {
		it.find(p, "the %s gives %s, but the stored answer is %s", what, clip(got.JSON(it.in.Nodes)), clip(it.in.Answer))
	}
}

// regenerate generates the line of the id and says how the given line differs.
func regenerate(in *instance.Instance, line []byte) string {
	if !slices.Contains(instance.Versions(), in.Version) {
		return fmt.Sprintf("it was made by generator %q, but this ein has only %s", clip(in.Version), strings.Join(instance.Versions(), " and "))
	}
	id, err := instance.ParseID(in.ID)
	if err != nil {
		return fmt.Sprintf("it cannot be regenerated: %v", err)
	}
	again, _, err := instance.Generate(id)
	if err != nil {
		return fmt.Sprintf("it cannot be regenerated: %v", err)
	}
	var b bytes.Buffer
	if err := instance.Write(&b, again); err != nil {
		return fmt.Sprintf("it cannot be regenerated: %v", err)
	}
	made := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if bytes.Equal(made, line) {
		return ""
	}
	return "regenerated from its id, it differs in " + differences(line, made)
}

// differences names the fields in which two lines differ, with their values where
// they are short.
func differences(line, made []byte) string {
	var a, b map[string]json.RawMessage
	_, _ = json.Unmarshal(line, &a), json.Unmarshal(made, &b) // both were read before
	var list []string
	for field := range reflect.TypeFor[instance.Instance]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch x, y := a[name], b[name]; {
		case bytes.Equal(x, y):
		case x == nil:
			list = append(list, name+" (missing)")
		case y == nil:
			list = append(list, name+" (not expected)")
		case len(x) <= shortValue && len(y) <= shortValue && name != "digest":
			list = append(list, fmt.Sprintf("%s (%s, not %s)", name, x, y))
		default:
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return "the form of the line: spaces or the order of fields"
	}
	return strings.Join(list, ", ")
}

const shortValue = 40

// python runs the Python program of an item. The first error is an *Unavailable, the other one
// comes from the context.
func (j *Job) python(ctx context.Context, it *Record) (noPython, err error) {
	if j.Python == nil || !it.typed {
		return nil, nil
	}
	in := it.in
	out, err := j.Python.Run(ctx, in.PythonProgram)
	var wrong *ProgramError
	var unavailable *Unavailable
	switch {
	case errors.As(err, &wrong):
		it.find(Python, "the Python program: %s", wrong.Reason)
	case errors.As(err, &unavailable):
		return err, nil
	case err != nil:
		return nil, err
	default:
		got, err := parse(it.stored.Type, []byte(out), byNumber(in.N))
		if err != nil {
			it.find(Python, "the Python program prints %q: %v", clip(out), err)
		} else if !same(got, it.stored) {
			it.find(Python, "the Python program gives %s, but the stored answer is %s", clip(got.JSON(in.Nodes)), clip(in.Answer))
		}
	}
	it.Python = true
	return nil, nil
}

func clip[T ~string | ~[]byte](s T) string { return words.Clip(s, 200) }
