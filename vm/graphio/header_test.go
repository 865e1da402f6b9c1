package graphio

import (
	"fmt"
	"strings"
	"testing"
)

// TestHeader decides on first rows by the rows below. A note is short for the one
// that names the header, asks for the error that names both options.
func TestHeader(t *testing.T) {
	const chain = "a,b\nb,c\n"
	const abc = `bool 3x3: 0>1 1>2 ["a" "b" "c"]`
	weights := "a,b,2\nb,c,3\n"
	spread := func(rows, alone int) string { // a chain, and rows that share nothing
		var b strings.Builder
		for i := range rows - alone {
			fmt.Fprintf(&b, "n%d,n%d\n", i, i+1)
		}
		for i := range alone {
			fmt.Fprintf(&b, "p%d,q%d\n", i, i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name string
		kind Kind
		opt  string
		text string
		want string // "note" behind a value, "asks", or how it begins
	}{
		{"shared nodes below", Graph, "", "parent,child\n" + chain, abc + " note"},
		{"payer", Graph, "", "payer,payee\n" + chain, abc + " note"},
		{"caller", Graph, "", "caller,callee\n" + chain, abc + " note"},
		{"member", Graph, "", "member,group\nann,staff\nbob,staff\n", `bool 3x3: 0>1 2>1 ["ann" "staff" "bob"] note`},
		{"repeated rows are other rows", Graph, "", "member,group\nann,staff\nann,staff\n", `bool 2x2: 0>1 ["ann" "staff"] note`},
		{"one name", Graph, "", "node,node\n" + chain, abc + " note"},
		{"blanks", Graph, "format=edges", "caller callee\na b\nb c\n", abc + " note"},
		{"numbers below", Graph, "", "payer,payee\n0,1\n", "bool 2x2: 0>1 note"},
		{"numbers below, as labels", Graph, "ids=label", "payer,payee\n7,8\n9,10\n", `bool 4x4: 0>1 2>3 ["7" "8" "9" "10"] note`},
		{"amounts below", Graph, "", "payer,payee,amount\na,b,10\nc,d,2.5\n", `bool 4x4: 0>1 2>3 ["a" "b" "c" "d"] note`},
		{"amounts of a matrix", Matrix, "", "payer,payee,amount\na,b,10\nc,d,2.5\n", `real 4x4: 0>1=10 2>3=2.5 ["a" "b" "c" "d"] note`},
		{"weight among four", Matrix, "", "payer,payee,day,weight\na,b,mon,10\nc,d,tue,3\n", `int 4x4: 0>1=10 2>3=3 ["a" "b" "c" "d"] note`},
		{"a third column of words", Graph, "", "boss,worker,since\na,b,may\nb,c,june\n", abc + " note"},
		{"usual names", Graph, "", "source,target\na,b\n", `bool 2x2: 0>1 ["a" "b"]`},
		{"usual names that are nodes", Graph, "", "from,to\nfrom,b\n", `bool 2x2: 0>1 ["from" "b"]`},
		{"header=yes", Graph, "header=yes", "customer,supplier\ncustomer,b\n", `bool 2x2: 0>1 ["customer" "b"]`},
		{"header=no", Graph, "header=no", "parent,child\n" + chain, `bool 5x5: 0>1 2>3 3>4 ["parent" "child" "a" "b" "c"]`},
		{"by name", Graph, "source=customer&target=supplier", "customer,supplier\na,b\n", `bool 2x2: 0>1 ["a" "b"]`},
		{"98 in 100", Graph, "", "parent,child\n" + spread(100, 2), "bool 103x103"},

		{"an edge", Graph, "", chain, abc},
		{"an edge, its target below", Graph, "", "x,hub\na,b\nc,hub\n", `bool 5x5: 0>1 2>3 4>1 ["x" "hub" "a" "b" "c"]`},
		{"an edge above shared nodes", Graph, "", "c,b\nb,x\ny,c\n", `bool 4x4: 0>1 1>2 3>0 ["c" "b" "x" "y"]`},
		{"weights in the first row", Matrix, "", weights, `int 3x3: 0>1=2 1>2=3 ["a" "b" "c"]`},
		{"weight 0 in the first row", Graph, "", "a,b,0\nb,c,1\n", `bool 3x3: 1>2 ["a" "b" "c"]`},
		{"the order of weights", Matrix, "dup=first", "a,b,2\nb,a,1\na,b,3\n", `int 2x2: 0>1=2 1>0=1 ["a" "b"]`},
		{"an amount that is missing", Matrix, "", "a,b,NA\nb,c,1\n", `error: t.csv:1:5: expected a number, found "NA"`},
		{"a third column of words in data", Graph, "", "a,b,owns\nb,c,runs\n", `error: t.csv:1:5: expected a number, found "owns"`},
		{"a cell that is no node", Graph, "weight=none", "a,b,c\nc,d,x\n", `bool 4x4: 0>1 2>3 ["a" "b" "c" "d"]`},
		{"numbers", Graph, "", "0,1\n2,3\n", "bool 4x4: 0>1 2>3"},
		{"numbers as labels", Graph, "ids=label", "07,1\n2,3\n", `bool 4x4: 0>1 2>3 ["07" "1" "2" "3"]`},

		{"nothing in common", Graph, "", "customer,supplier\na,b\n", "asks"},
		{"one row", Graph, "", "a,b\n", "asks"},
		{"edges apart", Graph, "", "a,b\nc,d\ne,f\n", "asks"},
		{"a row apart below", Graph, "", "parent,child\n" + chain + "x,y\n", "asks"},
		{"an edge apart with a weight", Graph, "", "x,y,1\n" + weights, "asks"},
		{"a year as a name", Matrix, "", "land,partner,2019\nde,fr,10\nfr,de,3\n", "asks"},
		{"a word that comes again", Graph, "weight=none", "x,y,owns\na,b,owns\nb,c,runs\n", "asks"},
		{"97 in 100", Graph, "", "parent,child\n" + spread(100, 3), "asks"},
		{"48 in 49", Graph, "", "parent,child\n" + spread(49, 1), "asks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := outcome(t, c.kind, strings.TrimSuffix("t.csv?"+c.opt, "?"), c.text)
			first, _, _ := strings.Cut(c.text, "\n")
			if value, noted := strings.CutSuffix(c.want, " note"); noted {
				note := "\nheader: t.csv:1: the first row is read as a header: "
				if !strings.HasPrefix(got, value+note) && (!strings.HasPrefix(got, value+"\n") || !strings.Contains(got, note)) {
					t.Errorf("%q:\n got %s\nwant %s with a note", first, got, value)
				}
				return
			}
			if c.want == "asks" {
				c.want = "error: t.csv:1: is the first row a header or data? None of its cells is a node below: "
				if !strings.HasSuffix(got, "(header=yes if it names the columns, header=no if it is data)") {
					t.Errorf("%q names no options: %s", first, got)
				}
			}
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("%q:\n got %s\nwant %s", first, got, c.want)
			}
			if c.want[:5] != "error" && strings.Contains(got, "header:") != strings.HasPrefix(c.want, "bool 103") {
				t.Errorf("%q: a note too much or too few: %s", first, got)
			}
		})
	}
}

// TestHeaderLines reads a file whose first row is taken out again once the rows
// below are known, over more than one chunk: places, weights and labels are those
// of a file that says so from the start.
func TestHeaderLines(t *testing.T) {
	for _, n := range []int{2, firstChunk - 1, firstChunk, firstChunk + 1, fullChunk, fullChunk + 1} {
		var b strings.Builder
		b.WriteString("boss,worker,rank\n")
		for i := range n {
			fmt.Fprintf(&b, "n%d,n%d,%d\n", i, i+1, i+2)
			if i == n/2 {
				b.WriteString("\n")
			}
		}
		fmt.Fprintf(&b, "n%d,n%d,7\n", n-1, n)
		want := outcome(t, Matrix, "t.csv?header=yes&dup=first", b.String())
		got := outcome(t, Matrix, "t.csv?dup=first", b.String())
		if got, _, _ = strings.Cut(got, "\nheader: "); got != want {
			t.Errorf("%d rows: %.300s\nwant %.300s", n, got, want)
		}
		want = outcome(t, Matrix, "t.csv?header=yes", b.String())
		if got := outcome(t, Matrix, "t.csv", b.String()); got != want {
			t.Errorf("%d rows: %s\nwant %s", n, got, want)
		}
	}
}

// TestIndex has tables with an index, whose column has no name: it is neither nodes
// nor weights.
func TestIndex(t *testing.T) {
	for _, text := range []string{
		",source,target\n0,a,b\n1,b,c\n",
		",parent,child\n0,a,b\n1,b,c\n",
		"\"\",parent,child\n0,a,b\n1,b,c\n",
		",from,to,weight\n0,a,b,2\n1,b,c,3\n",
		"source,target,\na,b,0\nb,c,1\n",
		",parent,child,weight\n0,a,b,2\n1,b,c,3\n",
	} {
		if got := outcome(t, Graph, "g.csv", text); !strings.HasPrefix(got, `bool 3x3: 0>1 1>2 ["a" "b" "c"]`) {
			t.Errorf("%q: %s", text, got)
		}
	}
	if got, want := outcome(t, Matrix, "g.csv", ",source,target\n0,a,b\n"), "which of the 3 columns holds the weights?"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}
