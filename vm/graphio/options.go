package graphio

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ein/internal/lists"
	"ein/vm/cost"
	"ein/vm/tensor"
)

// Kind is the kind of an input, as the program declares it.
type Kind string

// The kinds of input.
const (
	Graph  Kind = "graph"  // 0/1 and square
	Matrix Kind = "matrix" // keeps weights
	Vector Kind = "vector"
	Scalar Kind = "scalar"
)

// Format is how a file is written. Auto looks at the name, then at the content.
type Format string

// The formats.
const (
	Auto         Format = ""
	CSV          Format = "csv"   // comma, no comments
	TSV          Format = "tsv"   // tab, # comments
	Edges        Format = "edges" // tab, comma or blanks, # and % comments
	MatrixMarket Format = "mtx"
	JSON         Format = "json"
	JSONLines    Format = "jsonl" // the items of an array, each on a line of its own
	NPY          Format = "npy"
	Parquet      Format = "parquet" // see ReadTable
	SQLite       Format = "sqlite"  // see ReadTable
)

// Header says whether the first row of a text file names the columns.
type Header string

// The header settings.
const (
	HeaderAuto Header = ""
	HeaderYes  Header = "yes"
	HeaderNo   Header = "no"
)

// IDs says what the node ids of a file are.
type IDs string

// The id settings. With IDsAuto a file has either numbers only or no number at
// all; anything else is an error that asks.
const (
	IDsAuto   IDs = ""
	IDsNumber IDs = "number"
	IDsLabel  IDs = "label"
)

// Dup says what a matrix does with two weights for one pair of nodes.
type Dup string

// The ways to treat duplicates.
const (
	DupAuto  Dup = "" // as DupError
	DupError Dup = "error"
	DupMin   Dup = "min"
	DupSum   Dup = "sum"
	DupMax   Dup = "max"
	DupFirst Dup = "first"
)

// Extra says what happens to nodes of a table that no graph of the program has.
type Extra string

// The settings for such nodes.
const (
	ExtraError  Extra = ""
	ExtraIgnore Extra = "ignore" // their rows are left out
	ExtraAdd    Extra = "add"    // they become nodes, after the others
)

// NoWeight as Options.Weight makes every row weigh 1 whatever the columns are.
const NoWeight = "none"

// The limits that hold where Options leaves a limit 0.
const (
	DefaultMaxBytes = 4 << 30 // of the file, after decompression
	DefaultMaxNodes = 1 << 26
	DefaultMaxEdges = 1 << 28
	DefaultMaxElems = 1 << 27 // of a dense array: 1 GiB of float64
)

// Options says how to read a file. The zero value reads a graph and finds out
// the rest.
type Options struct {
	Kind    Kind            // default Graph
	Columns []tensor.Column // of a Relation; of their domains only the names count
	Lines   bool            // keep the line of each of its rows
	Value   bool            // not of a file: its lines are its rows, from 1
	Format  Format
	Header  Header

	// Source, Target and Weight are column names, or positions from 1. In
	// JSON they name the fields of edges that are objects. A vector has its
	// nodes in Source and its values in Weight.
	Source, Target, Weight string

	// Test makes 0/1 weights: 1 where it holds for the cell in the column Weight.
	Test *Filter
	// OneHot is a column whose values become the columns of a 0/1 matrix, sorted; the
	// rows are the nodes in Source.
	OneHot string

	Where []Filter // rows that are read; tables only
	Query string   // of a database, or @ and the file that it stands in

	IDs     IDs
	Nodes   int      // number of nodes when ids are numbers; 0 is 1 + the largest id
	Dup     Dup      // matrix only
	Default *float64 // of nodes that a vector does not list, or +Inf of the edges that a matrix does not
	Extra   Extra    // vector by node, and OneHot, only

	given [][2]string // names and values, as Set got them

	// Ledger, when not nil, counts the memory of reading and binding. It is one
	// for all files of a program. After Bind and [Raw.Free] what remains taken of
	// a file is its labels: their texts, and 16 bytes for each that Bind returned.
	// The values that Bind returned are not: a certificate counts those.
	Ledger *cost.Ledger

	MaxBytes int64
	MaxNodes int
	MaxEdges int
	MaxElems int
}

// withDefaults fills in the limits. No limit can pass what an int32 index holds.
func (o Options) withDefaults() Options {
	o.Kind = cmp.Or(o.Kind, Graph)
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	limit := func(p *int, def int) {
		if *p <= 0 {
			*p = def
		}
		*p = min(*p, 1<<31-2)
	}
	limit(&o.MaxNodes, DefaultMaxNodes)
	limit(&o.MaxEdges, DefaultMaxEdges)
	limit(&o.MaxElems, DefaultMaxElems)
	return o
}

// usable returns an error if the options cannot be used.
func (o Options) usable(name string, f Format) error {
	switch o.Kind {
	case Graph, Matrix, Vector, Scalar:
	case Relation:
		if f == MatrixMarket || f == NPY {
			return &Error{File: name, Msg: fmt.Sprintf("a relation cannot be read from %s", f), Hint: "CSV, JSON, Parquet and SQLite have rows"}
		}
	default:
		return &Error{File: name, Msg: fmt.Sprintf("unknown kind %q", o.Kind), Hint: "expected graph, matrix, vector or scalar"}
	}
	if o.Nodes > o.MaxNodes {
		return &Error{File: name, Limit: true, Msg: fmt.Sprintf("nodes=%d exceeds the limit of %s", o.Nodes, plural(o.MaxNodes, "node"))}
	}
	if msg, hint := o.check(f); msg != "" {
		return &Error{File: name, Msg: msg, Hint: hint}
	}
	return nil
}

// check refuses options that would have no effect on this kind and format: a
// setting that does nothing is a mistake nobody would notice.
func (o Options) check(f Format) (msg, hint string) {
	text := f == CSV || f == TSV || f == Edges
	rows := text || f.IsTable()
	listed := rows || f == JSON || f == JSONLines
	far := o.Default != nil && math.IsInf(*o.Default, 1)
	for _, c := range []struct {
		set  bool
		key  string
		ok   bool
		only string
	}{
		{o.Header != "", "header", text, "CSV, TSV and edge lists"},
		{o.OneHot != "", "onehot", rows && o.Kind == Matrix, "matrices from tables"},
		{len(o.Where) > 0, "where", rows, "tables"},
		{o.Source != "", o.called("from", "source"), listed && o.Kind != Scalar && o.Kind != Relation, "tables and JSON edges"},
		{o.Target != "", o.called("to", "target"), listed && (o.Kind == Graph || o.Kind == Matrix) && o.OneHot == "", "lists of edges"},
		{o.Weight != "", "weight", (rows || listed && o.Kind != Scalar) && o.Kind != Relation && o.OneHot == "", "tables and JSON edges"},
		{o.Test != nil, "weight=" + o.Weight, rows, "tables, because it is a comparison"},
		{o.Query != "", "query", f == SQLite, "SQLite"},
		{o.IDs != "", "ids", listed && o.Kind != Scalar && o.Kind != Relation, "tables and JSON"},
		{o.Nodes != 0, "nodes", listed && o.Kind != Scalar && o.Kind != Relation, "lists of numbered nodes"},
		{o.Dup != "", "dup", o.Kind == Matrix && f != NPY, "matrices given as edges"},
		{o.Default != nil && !far, "default", listed && o.Kind == Vector, "vectors with one row per node; default=inf is for matrices"},
		{far, "default=inf", o.Kind == Matrix && f != NPY && o.OneHot == "", "matrices given as edges"},
		{o.Extra != "", "extra", listed && (o.Kind == Vector || o.OneHot != ""), "tables with one row per node"},
	} {
		if c.set && !c.ok {
			hint = c.key + " is for " + c.only
			if o.Kind == Relation && listed {
				hint += "; a relation finds its columns by the names in the first row, or by position"
			}
			return fmt.Sprintf("the option %s does not apply to a %s read from %s", c.key, o.Kind, f), hint
		}
	}
	return "", ""
}

// formats are the names of the formats, and the endings of their files.
var formats = []struct {
	name    Format
	endings string
}{
	{CSV, ".csv"}, {TSV, ".tsv .tab"}, {Edges, ".edges .edgelist .el"}, {MatrixMarket, ".mtx .mm"}, {JSON, ".json"},
	{JSONLines, ".jsonl .ndjson"}, {NPY, ".npy"}, {Parquet, ".parquet .pq"}, {SQLite, ".sqlite .sqlite3 .db"},
}

// Formats returns the names of the formats.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, string(f.name))
	}
	return names
}

var specKeys = []string{"default", "dup", "extra", "format", "from", "header", "ids", "nodes", "onehot", "query", "source", "target", "to", "weight", "where"}

// OptionNames returns the options that Set knows.
func OptionNames() []string { return slices.Clone(specKeys) }

// ParseSpec splits what follows NAME= in --input NAME=SPEC into a path and the
// options after its last question mark:
//
//	transfers.csv
//	transfers.csv?from=payer&to=payee&weight=amount
//	-?format=tsv&header=no
//
// Values may hold %XX escapes. What follows the last ? belongs to the file name
// when it has no = in it, and an empty list of options ends a name that holds
// one: "what?a=b.csv?" is the file "what?a=b.csv".
func ParseSpec(s string) (path string, opt Options, err error) {
	path = s
	var parts []string
	if at := strings.LastIndexByte(s, '?'); at >= 0 && at == len(s)-1 {
		path = s[:at]
	} else if at >= 0 && strings.Contains(s[at:], "=") {
		path, parts = s[:at], strings.Split(s[at+1:], "&")
	}
	for _, part := range parts {
		key, val, ok := strings.Cut(part, "=")
		if !ok {
			return "", opt, specError(s, fmt.Sprintf("expected option=value after ?, found %q", part), keysHint())
		}
		val, err := url.PathUnescape(val) // which leaves a plus sign, common in names, alone
		if err != nil {
			return "", opt, specError(s, fmt.Sprintf("invalid %% escape in the option %s", key), "write a literal % as %25")
		}
		if err := opt.Set(key, val); err != nil {
			err.File = s
			return "", opt, err
		}
	}
	if path == "" {
		return "", opt, specError(s, "the file name is missing", "- reads standard input")
	}
	return path, opt, nil
}

func specError(spec, msg, hint string) error { return &Error{File: spec, Msg: msg, Hint: hint} }

func keysHint() string { return "the options are " + strings.Join(specKeys, ", ") }

// Set sets the option with a name, as ParseSpec does. Its error names no file.
func (o *Options) Set(key, val string) *Error {
	if !slices.Contains(specKeys, key) {
		return &Error{Msg: fmt.Sprintf("unknown option %q", key), Hint: keysHint()}
	}
	if o.has(key) && key != "where" {
		return &Error{Msg: fmt.Sprintf("the option %s is given twice", key)}
	}
	for _, same := range [][2]string{{"from", "source"}, {"to", "target"}} {
		if key == same[0] && o.has(same[1]) || key == same[1] && o.has(same[0]) {
			return &Error{Msg: fmt.Sprintf("the options %s and %s are the same", same[0], same[1]), Hint: "give one of them"}
		}
	}
	if val == "" {
		return &Error{Msg: fmt.Sprintf("the option %s has no value", key)}
	}
	if want := o.set(key, val); want != "" {
		return &Error{Msg: fmt.Sprintf("the option %s cannot be %q", key, val), Hint: "expected " + want}
	}
	o.given = append(slices.Clip(o.given), [2]string{key, val})
	return nil
}

func (o *Options) has(key string) bool {
	return slices.ContainsFunc(o.given, func(g [2]string) bool { return g[0] == key })
}

// escapes writes a value of an option.
var escapes = strings.NewReplacer("%", "%25", "&", "%26", "?", "%3F")

// Spec is the inverse of ParseSpec: it returns a path with the options that are set.
func (o *Options) Spec(path string) string {
	parts := lists.Map(o.given, func(g [2]string) string {
		return g[0] + "=" + escapes.Replace(g[1])
	})
	if len(parts) > 0 || strings.Contains(path, "?") {
		path += "?" + strings.Join(parts, "&")
	}
	return path
}

// called returns the name by which an option was given, of the two that it has.
func (o *Options) called(name, other string) string {
	if o.has(other) {
		return other
	}
	return name
}

// set sets one option. If the value is not valid, it returns what was expected.
func (o *Options) set(key, val string) (want string) {
	oneOf := func(names ...string) string {
		if slices.Contains(names, val) {
			return ""
		}
		return strings.Join(names, ", ")
	}
	switch key {
	case "format":
		o.Format, want = Format(val), oneOf(Formats()...)
	case "header":
		o.Header, want = Header(val), oneOf("yes", "no")
	case "ids":
		o.IDs, want = IDs(val), oneOf("number", "label")
	case "dup":
		o.Dup, want = Dup(val), oneOf("min", "max", "sum", "first", "error")
	case "source", "from":
		o.Source = val
	case "target", "to":
		o.Target = val
	case "where":
		var f Filter
		f, want = parseFilter(val)
		o.Where = append(o.Where, f)
	case "extra":
		o.Extra, want = Extra(val), oneOf("ignore", "add")
	case "onehot":
		o.OneHot = val
	case "weight":
		o.Weight = val
		if f, wrong := parseFilter(val); f.Op != "" {
			o.Weight, o.Test, want = f.Column, &f, wrong
		}
	case "query":
		o.Query = val
	case "nodes":
		n, err := strconv.ParseInt(val, 10, strconv.IntSize)
		if err != nil || n <= 0 {
			return fmt.Sprintf("a positive integer, at most %d", DefaultMaxNodes)
		}
		o.Nodes = int(n)
	case "default":
		x, problem := parseValue([]byte(val))
		if val == "inf" {
			x, problem = math.Inf(1), ""
		}
		if problem != "" {
			return "a finite number, or inf"
		}
		o.Default = &x
	}
	return want
}
