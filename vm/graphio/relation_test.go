package graphio

import (
	"fmt"
	"strings"
	"testing"

	"ein/vm/cost"
	"ein/vm/tensor"
)

// TestReal: a whole number that no float64 holds is an error in a column of reals too, as in a weight.
func TestReal(t *testing.T) {
	for text, want := range map[string]string{
		"9007199254740993":  "expected a whole number below 2^53 in the column `x`, found \"9007199254740993\" (numbers that name things, such as account numbers, have type node)",
		"-9007199254740993": "expected a whole number below 2^53 in the column `x`, found \"-9007199254740993\"",
		"0x10":              "expected a number in the column `x`, found \"0x10\"",
		"inf":               "expected a number in the column `x`, found \"inf\"",
		"9007199254740991":  "", "9.1e15": "", " -0 ": "",
	} {
		_, err := Read(strings.NewReader("x\n"+text+"\n"), "f", Options{Kind: Relation, Format: CSV, Columns: []tensor.Column{{Name: "x", Kind: tensor.RealColumn}}})
		if got := strings.TrimPrefix(fmt.Sprint(err), "f:2:1: "); got != want && (err != nil || want != "") {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestOneColumn: the lines of a list of names are these, with the blanks in them, if nothing says how fields are separated.
func TestOneColumn(t *testing.T) {
	for text, want := range map[string]string{"who\nann\nann lee\n": "ann;ann lee;", "who\n# lee\nann lee\n": "ann lee;", "who n\nann 1\n": "ann;", "who,n\nann lee,1\n": "ann lee;"} {
		raw, err := Read(strings.NewReader(text), "", Options{Kind: Relation, Columns: []tensor.Column{{Name: "who", Kind: tensor.NodeColumn, Domain: new(tensor.Domain{Name: "node"})}}})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got, labels := "", map[string][]string{}
		tables, _ := Tables([]*Raw{raw}, labels)
		for row := range tables[0].All() {
			got += labels["node"][int(row[0])] + ";"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestRelation: rows of a relation are those of the file, or what is wrong with it is said.
func TestRelation(t *testing.T) {
	for _, c := range []struct {
		format     Format
		text, want string
	}{
		{CSV, "a,n,t\nx,1,\"u, v\"\n", "x 1 u, v;"},
		{CSV, "t,N,a,more\nu,1,x,2\n", "x 1 u;"},
		{CSV, "x,1,u\ny,2,v\n", "x 1 u;y 2 v; columns are taken by position as a, n, t: the first row has no a, n, t"},
		{CSV, "x,1,u,3,4\ny,2,v,3,4\n", "x 1 u;y 2 v; columns are taken by position as a, n, t: the first row has no a, n, t; 2 columns not used"},
		{CSV, "a,n,t\n\" x\", 1 , u \n", " x 1 u;"}, // the blanks of a label are those in quotes, as in a graph
		{JSON, `[[" x",1,"u "]]`, " x 1 u ;"},
		{CSV, "t,n,b\nu,1,v\n", "u 1 v; warning: columns are taken by position as a, n, t: the first row has no a, but t in another place the first row is read as a header: \"t\", \"n\", \"b\"; header=no reads it as data"},
		{CSV, "a,a,t\nx,1,u\n", "x 1 u; warning: columns are taken by position as a, n, t: the first row has no n the first row is read as a header: \"a\", \"a\", \"t\"; header=no reads it as data"},

		{CSV, "a,n,t\nx,1,Smith, John\ny,2\n", "error: f:2:12: expected 3 fields as in the first row, found 4\nf:3:4: expected 3 fields as in the first row, found 2"},
		{CSV, "id,a,n\nx,u,1\ny,v,2\n", "error: f:2:3: expected a whole number below 2^53 in the column `n`, found \"u\" (columns are taken by position as a, n, t: the first row has no t, but a, n in another place; the first row is \"id\", \"a\", \"n\")\n" +
			"f:3:3: expected a whole number below 2^53 in the column `n`, found \"v\""},
		{CSV, "a,n,t,A\nx,1,u,y\n", "error: f:1: a: two columns have this name (rename one)"},
		{CSV, "a,n,t\n,1,u\nx,,u\n", "error: f:2:1: expected a node in the column `a`, found nothing (fill in the cell or remove the row; only a column of type text may have empty cells; where=a!= leaves out such rows)\n" +
			"f:3:3: expected a whole number below 2^53 in the column `n`, found nothing (fill in the cell or remove the row; only a column of type text may have empty cells; where=n!= leaves out such rows)"},
		{CSV, "a,n,t\nx,\"1,234\",u\n", "error: f:2:3: expected a whole number below 2^53 in the column `n`, found \"1,234\" (a number is written as 1234.5, without commas)"},
		{CSV, "a,n,t\nx,NA,u\n", "error: f:2:3: expected a whole number below 2^53 in the column `n`, found \"NA\" (where=n!=NA leaves out such rows)"},
		{CSV, "n,name,t\n1,x,u\n", "error: f:2:3: expected a whole number below 2^53 in the column `n`, found \"x\" (columns are taken by position as a, n, t: the first row has no a, but n in another place; the first row is \"n\", \"name\", \"t\")"},
		{CSV, "name,value,text\nx,1,u\n", "x 1 u; columns are taken by position as a, n, t: the first row has no a, n, t the first row is read as a header: \"name\", \"value\", \"text\"; header=no reads it as data"},
		{CSV, "a,n,t\nx,True,u\n", "error: f:2:3: expected a whole number below 2^53 in the column `n`, found \"True\" (write 1 for true and 0 for false)"},
		{CSV, "a;n;t\r\nx;1;\"u;v\"\r\n", "x 1 u;v;"},
		{CSV, "a,n,t\r\nx,1,\"u\r\nv\nw\r\r\n\"\r\ny,2,\"\r\n\"\"\r\n\"\r\n", "x 1 u\r\nv\nw\r\r\n;y 2 \r\n\"\r\n;"}, // line ends in quotes are as they are
		{CSV, "\ufeffsep=;\r\nn;a;t\r\n1;x;u,v\r\n2;y\r\n", "error: f:4:4: expected 3 fields as in the first row, found 2"},
		{CSV, "Sep=|\nn|a|t\n1|x|\"u|v\"\n", "x 1 u|v;"},
		{CSV, "\"sep=\t\"\nn\ta\tt\n1\tx\tu v\n", "x 1 u v;"},
		{CSV, "a,n,t\nx\xff,1,u\ny,2,v\xe9\n", "error: f:2:1: expected UTF-8 in the column `a`, found \"x\\xff\" (iconv, or saving it again as UTF-8, converts it)\n" +
			"f:3:5: expected UTF-8 in the column `t`, found \"v\\xe9\" (iconv, or saving it again as UTF-8, converts it)"},
		{CSV, "a,n,t\nx,1_000,u\ny,0x1p4,u\n", "error: f:2:3: expected a whole number below 2^53 in the column `n`, found \"1_000\"\nf:3:3: expected a whole number below 2^53 in the column `n`, found \"0x1p4\""},

		{JSON, `[[" ",1," "]]`, "  1  ;"},
		{CSV, "a,n,t\n\" \",1,\" \"\n", "  1  ;"},
		{JSON, `[["x",1,"u"],{"n":2,"a":"y","t":"v","more":0}]`, "x 1 u;y 2 v;"},
		{JSONLines, "[\"x\",1,\"u\"]\r\n\n  {\"n\":2,\"a\":\"y\",\"t\":\"v\"}", "x 1 u;y 2 v;"},
		{JSON, `[["x",true,"u"],["y",false,null]]`, "x 1 u;y 0 ;"},
		{JSON, `[["x",null,"u"],[true,1,"u"],["y",1,true]]`, "error: f:1:7: expected a whole number below 2^53 in the column `n`, found null (fill in the cell or remove the row; only a column of type text may have empty cells)\n" +
			"f:1:18: expected a string or a number in the column `a`, found true (a column of type int takes true for 1 and false for 0)\n" +
			"f:1:37: expected a string or a number in the column `t`, found true (a column of type int takes true for 1 and false for 0)"},
		{JSON, "{\"a\":\"x\",\"n\":1,\"t\":\"u\"}\n", "error: f:1:1: expected an array of rows, found an object (format=jsonl reads a row in each line; pandas writes an array of rows with orient=\"records\")"},
		{JSON, `[{"a":"x","A":"y","n":1,"t":"u"},{"a":"x","n":1,"T":"u","s":2},{"a":"x","t":1}]`, "error: f:1:2: a: two fields have this name (rename one)\n" +
			"f:1:64: the row has no \"n\" (it has \"a\", \"t\")"},
		{JSONLines, "", ""},
		{JSON, "", "error: f: the file is empty"},
		{CSV, "", "error: f: the file is empty"},
		{JSONLines, "\n[\"x\",1,\"u\"]\n [\"y\",1]\n", "error: f:3:2: expected 3 fields, found 2"},
		{JSONLines, "[\"x\",1,\n\"u\"]\n", "error: f:2:1: invalid character ',' at start of value (in JSON Lines, each line is a complete value)"},
		{JSONLines, "[\"x\",1,\"u\"] [\"y\",2,\"v\"]\n", "error: f:1:13: invalid character '[' after array element (expecting ',' or ']') (in JSON Lines, each line is a complete value)"},
		{JSONLines, "[\"x\",1,\"u\"],\n[\"y\",2,\"v\"]\n", "error: f:2:1: invalid character ',' at start of value (in JSON Lines, each line is a complete value)"},
		{JSON, `[["x",1,"u",2],["x",1]]`, "error: f:1:13: expected 3 fields, found 4\nf:1:16: expected 3 fields, found 2"},
	} {
		raw, err := Read(strings.NewReader(c.text), "f", Options{Kind: Relation, Format: c.format, MaxBytes: 1 << 16, MaxEdges: 1 << 10, Ledger: &cost.Ledger{},
			Columns: []tensor.Column{{Name: "a", Kind: tensor.NodeColumn, Domain: new(tensor.Domain{Name: "node"})}, {Name: "n", Kind: tensor.IntColumn}, {Name: "t", Kind: tensor.TextColumn, Domain: new(tensor.Domain{Name: "text"})}}})
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			labels := map[string][]string{}
			tables, _ := Tables([]*Raw{raw}, labels)
			for row := range tables[0].All() {
				got += fmt.Sprintf("%s %v %s;", labels["node"][int(row[0])], row[1], labels["text"][int(row[2])])
			}
			for _, w := range raw.Warnings {
				if got += " "; !w.Note {
					got += "warning: "
				}
				got += w.Msg
			}
		}
		if got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}
