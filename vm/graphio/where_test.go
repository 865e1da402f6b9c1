package graphio

import (
	"strings"
	"testing"
)

func TestWhere(t *testing.T) {
	const air = "from,to,by,km\na,b,LH,300\nb,c,AF,450\nc,a,LH,\n"
	for _, c := range []struct{ opt, text, want string }{
		{"where=by==LH", air, `bool 3x3: 0>1 2>0 ["a" "b" "c"]|unused: t.csv:1: columns not used (3 rows): "km"|where: t.csv: where= leaves out 1 of 3 rows`},
		{"where=by!=LH", air, `bool 2x2: 0>1 ["b" "c"]|unused: t.csv:1: columns not used (3 rows): "km"|where: t.csv: where= leaves out 2 of 3 rows`},
		{"where=km!=&where=km>=3e2&where=km<450", air, `bool 2x2: 0>1 ["a" "b"]|unused: t.csv:1: columns not used (3 rows): "by"|where: t.csv: where= leaves out 2 of 3 rows`},
		{"where=by==lh", air, `error: t.csv: the program's inputs have no nodes, since where= leaves out 3 of 3 rows (a value is compared as it is written, capitals and quotes too)`},
		{"where=km==300.0", air, `bool 2x2: 0>1 ["a" "b"]|unused: t.csv:1: columns not used (3 rows): "by"|where: t.csv: where= leaves out 2 of 3 rows`},
		{"where=km<9", "from,to,km\na,b,NA\n", `error: t.csv:2:5: expected a number for where=km<9, found "NA" (where=km!=NA before it leaves out such rows)`},
		{"where=km<9", "from,to,km\na,b,2024-01-02\n", `error: t.csv:2:5: expected a number for where=km<9, found "2024-01-02" (texts compare with == and != only)`},
		{"where=km<9", air, `error: t.csv:4:8: expected a number for where=km<9, found "" (where=km!= before it leaves out such rows)`},
		{"where=miles<9", air, `error: t.csv:1: where=miles: no such column (the columns are "from", "to", "by", "km")`},
		{"where=3==x&header=no&weight=none", "a,b,x\nb,c,y\n", `bool 2x2: 0>1 ["a" "b"]|where: t.csv: where= leaves out 1 of 2 rows`},
		{"where=1>0&header=no", "0,1\n1,2\n", `bool 3x3: 1>2|where: t.csv: where= leaves out 1 of 2 rows`},
		{"where=1==a", "a,b\nb,c\n", `error: t.csv:1: where= gives its column by number, but no header was found (` + headerHint + ")"},
	} {
		if got := outcome(t, Graph, "t.csv?"+c.opt, c.text); got != strings.ReplaceAll(c.want, "|", "\n") {
			t.Errorf("%s:\n got %s\nwant %s", c.opt, got, strings.ReplaceAll(c.want, "|", "\n"))
		}
	}
}
