package graphio

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// rowsOf is rows of fields that are written as text and as JSON.
type rowsOf struct {
	header []string
	rows   [][]string
}

// as writes the rows in a format, the JSON ones of which are "arrays" and
// "objects"; ok is false where it cannot hold them.
func (d rowsOf) as(format string) (name, content string, ok bool) {
	var b strings.Builder
	join := func(sep string) string {
		all := d.rows
		if d.header != nil {
			all = append([][]string{d.header}, all...)
		}
		for _, r := range all {
			b.WriteString(strings.Join(r, sep) + "\n")
		}
		return b.String()
	}
	value := func(s string) string {
		if isQuantity([]byte(s)) {
			return s
		}
		return fmt.Sprintf("%q", s)
	}
	switch format {
	case "csv":
		return "d.csv", join(","), true
	case "tsv":
		return "d.tsv", join("\t"), true
	case "edges":
		return "d.edges", join(" "), true
	case "mtx":
		fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate real general\n3 3 %d\n", len(d.rows))
		for _, r := range d.rows {
			var i, j int
			_, _ = fmt.Sscan(r[0]+" "+r[1], &i, &j)
			fmt.Fprintf(&b, "%d %d %s\n", i+1, j+1, strings.Join(r[2:], " "))
		}
		return "d.mtx", b.String(), d.header == nil
	}
	if (format == "objects") != (d.header != nil) {
		return "", "", false
	}
	for i, r := range d.rows {
		b.WriteString([]string{"", ","}[min(i, 1)])
		var items []string
		for c, f := range r {
			if format == "objects" {
				items = append(items, fmt.Sprintf("%q:%s", d.header[c], value(f)))
			} else {
				items = append(items, value(f))
			}
		}
		if format == "objects" {
			fmt.Fprintf(&b, "{%s}", strings.Join(items, ","))
		} else {
			fmt.Fprintf(&b, "[%s]", strings.Join(items, ","))
		}
	}
	return "d.json", `{"edges":[` + b.String() + "]}", true
}

// TestWeights reads the same rows in every format: what weighs, what is no edge
// and what is not used does not depend on it.
func TestWeights(t *testing.T) {
	var (
		numbers = [][]string{{"0", "1", "5"}, {"1", "0", "0"}, {"1", "2", "3"}}
		words   = [][]string{{"0", "1", "owns"}, {"1", "0", "0"}, {"1", "2", "3"}}
		late    = [][]string{{"0", "1", "5"}, {"1", "0", "owns"}}
		dated   = [][]string{{"0", "1", "5", "May"}, {"1", "0", "0", "June"}, {"1", "2", "3", ""}}
		two     = [][]string{{"0", "1", "5", "7"}, {"1", "0", "0", "7"}, {"1", "2", "3", "7"}}
		named   = func(more ...string) []string { return append([]string{"source", "target"}, more...) }
	)
	const zero = "1 edge of weight 0 left out: in a matrix, 0 means no edge; default=inf keeps weight 0 and makes a missing edge infinite"
	for _, c := range []struct {
		name string
		rowsOf
		opt           string
		graph, matrix string // as in plainOutcome
	}{
		{"three columns", rowsOf{nil, numbers}, "",
			"bool 3x3: 0>1 1>2; 1 row of weight 0 left out: a graph has no edges of weight 0", "int 3x3: 0>1=5 1>2=3; " + zero},
		{"weight", rowsOf{named("weight"), numbers}, "",
			"bool 3x3: 0>1 1>2; 1 row of weight 0 left out: a graph has no edges of weight 0", "int 3x3: 0>1=5 1>2=3; " + zero},
		{"W", rowsOf{named("w"), numbers}, "",
			"bool 3x3: 0>1 1>2; 1 row of weight 0 left out: a graph has no edges of weight 0", "int 3x3: 0>1=5 1>2=3; " + zero},
		{"amount", rowsOf{named("amount"), numbers}, "",
			"bool 3x3: 0>1 1>2; 1 row of weight 0 left out: a graph has no edges of weight 0", "int 3x3: 0>1=5 1>2=3; " + zero},
		{"weight=none", rowsOf{named("amount"), numbers}, "weight=none",
			`bool 3x3: 0>1 1>0 1>2; not used: "amount" x3`, `bool 3x3: 0>1 1>0 1>2; not used: "amount" x3`},
		{"weight=none without names", rowsOf{nil, numbers}, "weight=none",
			`bool 3x3: 0>1 1>0 1>2; not used: 3 x3`, `bool 3x3: 0>1 1>0 1>2; not used: 3 x3`},
		{"a column of another kind", rowsOf{named("relation"), words}, "",
			`bool 3x3: 0>1 1>0 1>2; not used: "relation" x3`, `error: expected a number, found "owns"`},
		{"words without a name", rowsOf{nil, words}, "", `error: expected a number, found "owns"`, `error: expected a number, found "owns"`},
		{"a word later on", rowsOf{named("amount"), late}, "", `error: expected a number, found "owns"`, `error: expected a number, found "owns"`},
		{"four columns", rowsOf{named("weight", "date"), dated}, "",
			`bool 3x3: 0>1 1>2; 1 row of weight 0 left out: a graph has no edges of weight 0; not used: "date" x3`, "int 3x3: 0>1=5 1>2=3; " + zero + `; not used: "date" x3`},
		{"four columns, none of them called weight", rowsOf{named("amount", "days"), two}, "",
			`bool 3x3: 0>1 1>0 1>2; not used: "amount" x3, "days" x3`, "error: which of the 4 columns holds the weights?"},
		{"weight=", rowsOf{named("amount", "days"), two}, "weight=amount",
			`bool 3x3: 0>1 1>2; 1 row of weight 0 left out: a graph has no edges of weight 0; not used: "days" x3`, "int 3x3: 0>1=5 1>2=3; " + zero + `; not used: "days" x3`},
	} {
		for _, format := range []string{"csv", "tsv", "edges", "mtx", "arrays", "objects"} {
			name, content, ok := c.as(format)
			for i := range c.rows {
				// By blanks, an empty field is none; the others have rules of their own.
				ok = ok && (format != "edges" || c.rows[i][len(c.rows[i])-1] != "")
			}
			if !ok || format == "mtx" && c.opt != "" {
				continue
			}
			for kind, want := range map[Kind]string{Graph: c.graph, Matrix: c.matrix} {
				t.Run(fmt.Sprintf("%s/%s/%s", c.name, format, kind), func(t *testing.T) {
					spec := name
					if c.opt != "" {
						spec += "?" + c.opt
					}
					if got := plainOutcome(t, kind, spec, content); got != want {
						t.Errorf("%s\n got %s\nwant %s", content, got, want)
					}
				})
			}
		}
	}
}

// plainOutcome is an outcome in words that are the same for all formats.
func plainOutcome(t *testing.T, kind Kind, spec, content string) string {
	v, _, warnings, err := load(t, kind, spec, content)
	if err != nil {
		return "error: " + plainError(err)
	}
	out := show(&v)
	for _, w := range warnings {
		if w.Code != "unused" && w.Code != "weights" {
			out += "; " + w.Msg
		}
	}
	for _, w := range warnings {
		if w.Code != "unused" {
			continue
		}
		rows, columns, _ := strings.Cut(strings.TrimPrefix(w.Msg, "columns not used ("), " rows): ")
		if columns != "" {
			columns = strings.ReplaceAll(columns, ", ", " x"+rows+", ") + " x" + rows
		} else {
			columns = strings.TrimPrefix(w.Msg, "fields of edges not used: ")
			columns = strings.NewReplacer(" times)", "", "(", "x", `"weight"`, "3").Replace(columns)
		}
		out += "; not used: " + columns
	}
	return out
}

func plainError(err error) string {
	var list *ErrorList
	var one *Error
	switch {
	case errors.As(err, &list):
		one = list.List[0]
	case !errors.As(err, &one):
		return err.Error()
	}
	return strings.NewReplacer("fields", "columns", "the string ", "").Replace(one.Msg)
}
