package graphio

import (
	"strings"
	"testing"
)

// TestAttributes: a table of nodes gives vectors and matrices by the values of its
// columns, and may have nodes that no graph has.
func TestAttributes(t *testing.T) {
	const graph = "graph a.csv?header=no\nann,bob\nbob,cid\n"
	const people = "name,role,age\nann,admin,40\nbob,user,\ncid,user,31\n"
	const more = people + "dan,guest,20\neve,admin,21\ndan,user,20\n"
	const extra = "extra=ignore skips the rows of such nodes; extra=add adds the nodes"
	for _, c := range []struct{ name, input, want string }{
		{"a vector by value", "vector p.csv?source=name&weight=role==user\n" + people, `bool 3: 0 1 1`},
		{"and by another", "vector p.csv?source=name&weight=role!=user\n" + people, `bool 3: 1 0 0`},
		{"by a number", "vector p.csv?source=name&weight=age>=40&where=age!=&default=0\n" + people,
			`bool 3: 1 0 0|B where: where= leaves out 1 of 3 rows`},
		{"by no number", "vector p.csv?source=name&weight=age>=40\n" + people,
			`error: p.csv:3:10: expected a number for weight=age>=40, found "" (where=age!= before it leaves out such rows)`},
		{"without a header", "vector p.csv?source=1&weight=2==x&header=no\nann,x\nbob,y\ncid,x\n", "bool 3: 1 0 1"},
		{"perhaps without", "vector p.csv?source=1&weight=2==x\nann,x\nbob,y\ncid,x\n",
			"error: p.csv:1: weight= gives its column by number, but no header was found (" + headerHint + ")"},
		{"a matrix by value", "matrix p.csv?source=name&onehot=role\n" + people,
			`bool 3x2: 0>0 1>1 2>1|B columns: the columns are the values of role: 0 is "admin", 1 is "user"`},
		{"the first column has the nodes", "matrix p.csv?onehot=role&where=role!=admin\nname,role\ncid,x\nann,w\nbob,admin\n",
			`bool 3x2: 0>0 2>1|B where: where= leaves out 1 of 3 rows|B columns: the columns are the values of role: 0 is "w", 1 is "x"|` +
				`B columns: no row for 1 node, so 0 in every column: "bob"`},
		{"a value twice", "matrix p.csv?onehot=role\nname,role\nann,x\nbob,y\nann,x\n",
			`error: p.csv:4: two weights for one edge: "ann" -> "x" is on line 2 and again on line 4 (dup=min, dup=max, dup=sum or dup=first combines them)`},
		{"counted", "matrix p.csv?onehot=role&dup=sum\nname,role\nann,x\nbob,y\nann,x\ncid,y\n",
			`int 3x2: 0>0=2 1>1=1 2>1=1|B columns: the columns are the values of role: 0 is "x", 1 is "y"`},
		{"no value", "matrix p.csv?onehot=role\nname,role\nann,x\nbob,\n", `error: p.csv:3:5: the value is empty (where=role!= leaves out such rows)`},
		{"no rows", "matrix p.csv?onehot=role\nname,role\n", "error: p.csv: the table has no rows, so the matrix has no columns"},
		{"the nodes themselves", "matrix p.csv?onehot=name\nname,role\nann,x\n", "error: p.csv:1: from and onehot are both column 1 (give from=, the column of the nodes)"},
		{"no matrix", "vector p.csv?onehot=role\nname,role\nann,x\n", "error: p.csv: the option onehot does not apply to a vector read from csv (onehot is for matrices from tables)"},

		{"the nodes are not named", "vector p.csv?weight=age\nname,age\ncid,3\nann,1\nbob,2\n",
			`int 3: 3 1 2|B rows: the values belong to the 3 nodes in the order of the rows, whatever other columns hold; from= names the column of the nodes`},
		{"more rows than nodes", "vector p.csv?weight=age\nname,age\ncid,3\nann,1\nbob,2\nbob,2\n", `int 4: 3 1 2 2`},
		{"no other column", "vector p.csv?weight=age\nage\n3\n1\n2\n",
			`int 3: 3 1 2|B rows: the file names no nodes; by their places the values belong to "ann", "bob", "cid"`},

		{"nodes of no graph", "vector p.csv?source=name&weight=age\n" + strings.ReplaceAll(more, "user,\n", "user,9\n"),
			`error: p.csv:5: "dan" is not a node of any graph in the program (` + extra + `)|p.csv:6: "eve" is not a node of any graph in the program (` + extra + ")"},
		{"ignored", "vector p.csv?source=name&weight=role==user&extra=ignore\n" + more,
			`bool 3: 0 1 1|B extra: extra=ignore skips 3 rows for 2 nodes not in any graph: "dan", "eve"`},
		{"ignored in a matrix", "matrix p.csv?source=name&onehot=role&extra=ignore\n" + more,
			`bool 3x3: 0>0 1>2 2>2|B extra: extra=ignore skips 3 rows for 2 nodes not in any graph: "dan", "eve"|` +
				`B columns: the columns are the values of role: 0 is "admin", 1 is "guest", 2 is "user"`},
		{"added", "vector p.csv?source=name&weight=role==admin&extra=add&where=role!=guest\n" + more,
			`bool 5: 1 0 0 1 0|["ann" "bob" "cid" "eve" "dan"]|B extra: extra=add adds 2 nodes not in any graph|B where: where= leaves out 1 of 6 rows`},
		{"added to nothing", "vector p.csv?source=name&weight=age&extra=add&where=age!=\n" + people,
			`int 2: 40 31|["ann" "cid"]|A where: where= leaves out 1 of 3 rows`},
	} {
		t.Run(c.name, func(t *testing.T) {
			inputs := []string{graph, c.input}
			if c.name == "added to nothing" {
				inputs = inputs[1:]
			}
			got := bindAll(t, nil, inputs...)
			for _, cut := range []string{"bool 3x3: 0>1 1>2\n", "bool 5x5: 0>1 1>2\n", "[\"ann\" \"bob\" \"cid\"]\n", "\n[\"ann\" \"bob\" \"cid\"]"} {
				got = strings.Replace(got, cut, "", 1)
			}
			if want := strings.ReplaceAll(c.want, "|", "\n"); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// TestExtraNumbers: the same for nodes that are numbers.
func TestExtraNumbers(t *testing.T) {
	for _, c := range []struct{ opt, want string }{
		{"", `error: v.csv:1: node 5 is not one of the program's 3 nodes (extra=ignore skips the rows of such nodes; extra=add adds the nodes)|` +
			`v.csv:3: node 4 is not one of the program's 3 nodes (extra=ignore skips the rows of such nodes; extra=add adds the nodes)`},
		{"&extra=ignore", "bool 3x3: 0>2|int 3: -1 7 -1|B extra: extra=ignore skips 2 rows for 2 nodes not in any graph: node 5, node 4"},
		{"&extra=add", "bool 6x6: 0>2|int 6: -1 7 -1 -1 8 9|B extra: extra=add adds 3 nodes not in any graph"},
	} {
		if got, want := bindAll(t, nil, "graph a.csv\n0,2\n", "vector v.csv?default=-1"+c.opt+"\n5,9\n1,7\n4,8\n"), strings.ReplaceAll(c.want, "|", "\n"); got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.opt, got, want)
		}
	}
}
