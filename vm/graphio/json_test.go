package graphio

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestJSON(t *testing.T) {
	runCases(t, []loadCase{
		{name: "no nodes", spec: "g.json", text: `{"nodes":[],"edges":[]}`, want: "bool 0x0:"},
		{name: "a number of no nodes", kind: Matrix, spec: "g.json", text: `{"n":0,"edges":[]}`, want: "bool 0x0:"},
		{name: "pairs", spec: "g.json", text: "[[0,1],\n [1,2]]\n", want: "bool 3x3: 0>1 1>2"},
		{name: "by content", spec: "-", text: "\xef\xbb\xbf  [[0,1]]", want: "bool 2x2: 0>1"},
		{name: "labels", spec: "g.json", text: `[["a","b"],["b","\u00e9\n\ud83d\ude00"]]`, want: `error: g.json:1:17: the label "é\n😀" contains a control character`},
		{name: "escapes", spec: "g.json", text: `[["a","b"],["b","\u00e9\\\/\"\ud83d\ude00"]]`, want: `bool 3x3: 0>1 1>2 ["a" "b" "é\\/\"😀"]`},
		{name: "triples of labels", kind: Matrix, spec: "g.json", text: `[["a","b",2],["b","a",3]]`, want: `int 2x2: 0>1=2 1>0=3 ["a" "b"]`},
		{name: "object", spec: "g.json", text: `{"n":5,"edges":[[0,1],[3,1]]}`, want: "bool 5x5: 0>1 3>1"},
		{name: "n last", spec: "g.json", text: `{"edges":[[0,1]],"n":3}`, want: "bool 3x3: 0>1"},
		{name: "nodes as number", spec: "g.json", text: `{"nodes":3,"edges":[]}`, want: "bool 3x3:"},
		{name: "nodes as numbers", spec: "g.json", text: `{"nodes":[2,0,1],"edges":[[0,1]]}`, want: "bool 3x3: 0>1"},
		{name: "nodes as labels, edges as labels", spec: "g.json", text: `{"nodes":["c","b","a"],"edges":[["a","b"]]}`, want: `bool 3x3: 2>1 ["c" "b" "a"]`},
		{name: "nodes after the edges", spec: "g.json", text: `{"edges":[["a","b"]],"nodes":["c","b","a"]}`, want: `bool 3x3: 2>1 ["c" "b" "a"]`},
		{name: "edges as positions", spec: "g.json", text: `{"nodes":["c","b","a"],"edges":[[2,1]]}`, want: `bool 3x3: 2>1 ["c" "b" "a"]`},
		{name: "node link", spec: "g.json", text: `{"directed":true,"multigraph":false,"graph":{"x":[1,{"y":null}]},"nodes":[{"id":"a","c":1},{"id":"b"}],"links":[{"source":"a","target":"b","key":"k"}]}`,
			want: "bool 2x2: 0>1 [\"a\" \"b\"]\nunused: g.json:1: fields of edges not used: \"key\" (1 time)\nunused: g.json:1: fields of nodes not used: \"c\" (1 time)\nunused: g.json:1: keys not used: \"graph\" (1 time)"},
		{name: "node link without more", spec: "g.json", text: `{"directed":true,"multigraph":false,"graph":{},"nodes":[{"id":0},{"id":1}],"links":[{"source":0,"target":1}]}`, want: `bool 2x2: 0>1`},
		{name: "keys of a multigraph", spec: "g.json", text: `{"multigraph":true,"edges":[{"source":0,"target":1,"key":0},{"source":0,"target":1,"key":1},{"source":1,"target":2,"key":0}]}`,
			want: "bool 3x3: 0>1 1>2\nunused: g.json:1: fields of edges not used: \"key\" (3 times)\nunused: g.json:1: keys not used: \"multigraph\" (1 time)\nduplicates: g.json:1: 1 repeated edge merged: 0 -> 1 is on line 1 twice"},
		{name: "keys of a multigraph are no weights", kind: Matrix, spec: "g.json", text: `{"multigraph":true,"edges":[{"source":0,"target":1,"key":5}]}`,
			want: "error: g.json:1:29: which of the 3 fields holds the weights? (give weight=, or weight=none to make every edge weigh 1)"},
		{name: "multigraph", spec: "g.json", text: "{\"graph\":null,\n\"multigraph\":true,\"edges\":[[0,1]]}",
			want: "bool 2x2: 0>1\nunused: g.json:1: keys not used: \"graph\" (1 time), \"multigraph\" (1 time)"},
		{name: "many fields", spec: "g.json", text: `[{"source":0,"target":1,"a":0,"b":1,"c":2,"d":3,"e":4,"f":5,"g":6,"h":7,"i":{},"j":[9],"k":null,"l":"x"},` + "\n" + `{"source":1,"target":1,"a":"b"}]`,
			want: "bool 2x2: 0>1 1>1\nunused: g.json:1: fields of edges not used: \"a\" (2 times), \"b\" (1 time), \"c\" (1 time), \"d\" (1 time), \"e\" (1 time), \"f\" (1 time), \"g\" (1 time), \"h\" (1 time), \"i\" (1 time), \"j\" (1 time), others (2 times)"},
		{name: "two pairs that could be a matrix", spec: "g.json", text: "[[0,1],[0,0]]", want: "bool 2x2: 0>0 0>1\n" +
			`two-by-two: g.json:1: two pairs are read as the edges 0 -> 1 and 0 -> 0, but as a 2x2 matrix they would be a different graph; write {"edges": [[0, 1], [0, 0]]} for the edges, {"n": 2, "edges": [[0, 1]]} for the matrix`},
		{name: "two pairs of two nodes", spec: "g.json?nodes=2", text: "\n[[0,0],[0,0]]", want: "bool 2x2: 0>0\n" +
			`two-by-two: g.json:2: two pairs are read as the edges 0 -> 0 and 0 -> 0, but as a 2x2 matrix they would be a different graph; write {"edges": [[0, 0], [0, 0]]} for the edges, {"n": 2, "edges": []} for the matrix` +
			"\nduplicates: g.json:2: 1 repeated edge merged: 0 -> 0 is on line 2 twice"},
		{name: "two pairs, the same as a matrix", spec: "g.json", text: "[[0,1],[1,0]]", want: "bool 2x2: 0>1 1>0"},
		{name: "two pairs, no 0/1 matrix", spec: "g.json", text: "[[0,2],[0,0]]", want: "bool 3x3: 0>0 0>2"},
		{name: "two pairs of three nodes", spec: "g.json?nodes=3", text: "[[0,1],[0,0]]", want: "bool 3x3: 0>0 0>1"},
		{name: "two pairs that are said to be edges", spec: "g.json", text: `{"edges":[[0,1],[0,0]]}`, want: "bool 2x2: 0>0 0>1"},
		{name: "three pairs", spec: "g.json", text: `[[0,1],[0,0],[1,1]]`, want: "bool 2x2: 0>0 0>1 1>1"},
		{name: "a pair and an object", spec: "g.json", text: `[[0,1],{"source":0,"target":0}]`, want: "bool 2x2: 0>0 0>1"},
		{name: "undirected", spec: "g.json", text: `{"directed":false,"n":3,"edges":[[0,1],[2,2],[1,0]]}`,
			want: "bool 3x3: 0>1 1>0 2>2\nduplicates: g.json:1: 1 repeated edge merged: 1 -> 0 is on line 1 twice"},
		{name: "edge objects", kind: Matrix, spec: "g.json?source=from&target=to&weight=kg", text: `[{"from":0,"to":1,"kg":2,"weight":9},{"to":0,"from":1,"kg":3}]`, want: "int 2x2: 0>1=2 1>0=3\nunused: g.json:1: fields of edges not used: \"weight\" (1 time)"},
		{name: "weight=none", kind: Matrix, spec: "g.json?weight=none", text: `{"edges":[[0,1,"x"],{"source":1,"target":0,"none":3,"weight":{}}]}`, want: "bool 2x2: 0>1 1>0\nunused: g.json:1: fields of edges not used: \"weight\" (2 times), \"none\" (1 time)"},
		{name: "zero weight in a graph", spec: "g.json", text: `{"edges":[[0,1,0],[1,0,2]]}`, want: "bool 2x2: 1>0\nzero-weight: g.json:1: 1 row of weight 0 left out: a graph has no edges of weight 0"},
		{name: "ids=label", spec: "g.json?ids=label", text: `[["b",7],[7,"b"]]`, want: `bool 2x2: 0>1 1>0 ["b" "7"]`},
		{name: "ids=number", spec: "g.json?ids=number", text: `[["0",1]]`, want: `bool 2x2: 0>1`},
		{name: "dense graph", spec: "g.json", text: `[[0,1,0],[0,0,1],[0,0,0]]`, want: "bool 3x3: 0>1 1>2"},
		{name: "dense matrix", kind: Matrix, spec: "g.json", text: `[[0,1],[1.5,2e0]]`, want: "real 2x2: 0 1 1.5 2"},
		{name: "wide matrix", kind: Matrix, spec: "g.json", text: `[[0,1,-0]]`, want: "bool 1x3: 0 1 0"},
		{name: "vector", kind: Vector, spec: "v.json", text: ` [1, 2.5 ,-3]`, want: "real 3: 1 2.5 -3"},
		{name: "vector by number", kind: Vector, spec: "v.json", text: `{"1":5,"0":4}`, want: "int 2: 4 5"},
		{name: "scalar", kind: Scalar, spec: "v.json", text: " 2.5\n", want: "real scalar: 2.5"},
		{name: "scalar on stdin", kind: Scalar, spec: "-", text: "7", want: "int scalar: 7"},
		{name: "no edges", spec: "v.json?nodes=2", text: "[]", want: "bool 2x2:"},
		{name: "long gap", spec: "g.json", text: "[[0,1]" + strings.Repeat(" ", 1<<17) + ",[1,0]]", want: "bool 2x2: 0>1 1>0"},
	})
}

func TestJSONErrors(t *testing.T) {
	runCases(t, []loadCase{
		{name: "blank", spec: "g.json", text: " \n ", want: "error: g.json:2:2: expected an array or an object, found the end of the file"},
		{name: "cut off", spec: "g.json", text: "[[0,1],\n[1", want: `error: g.json:2:3: the file ends inside a value`},
		{name: "cut off after comma", spec: "g.json", text: "[[0,1],", want: "error: g.json:1:8: the file ends inside a value"},
		{name: "trailing comma", spec: "g.json", text: "[[0,1],]", want: `error: g.json:1:7: invalid character ',' at start of value`},
		{name: "missing comma", spec: "g.json", text: "[[0 1]]", want: `error: g.json:1:5: invalid character '1' after array element (expecting ',' or ']')`},
		{name: "trailing data", spec: "g.json", text: "[[0,1]]\n[", want: `error: g.json:2:1: expected the end of the file, found an array (format=jsonl reads a row in each line)`},
		{name: "not JSON", spec: "g.json", text: "a,b\n", want: `error: g.json:1:1: expected an array or an object, found 'a'`},
		{name: "NUL", spec: "g.json", text: "\x00", want: `error: g.json:1:1: expected an array or an object, found '\x00'`},
		{name: "empty", spec: "g.json", text: "[]", want: `error: g.json:1:2: an empty array does not say how many nodes there are (write {"n": 5, "edges": []}, or add nodes=5)`},
		{name: "lines", spec: "g.json", text: "[\"a\",\"b\"]\n[\"b\",\"c\"]\n", want: `error: g.json:1:2: expected a row, found the string "a" (format=jsonl reads a row in each line)`},
		{name: "no lines", spec: "g.jsonl", text: "[[\"a\",\"b\"],\n[\"b\",\"c\"]]\n", want: `error: g.jsonl:1:2: expected a number, found an array (format=json reads an array of rows)`},
		{name: "row of words", spec: "g.json", text: "[null]", want: `error: g.json:1:2: expected a row, found null`},
		{name: "empty row", spec: "g.json", text: "[[]]", want: "error: g.json:1:3: the row is empty"},
		{name: "column in characters", spec: "g.json", text: `[["é","ü"],["é",x]]`, want: `error: g.json:1:17: invalid character 'x' at start of value`},
		{name: "fraction", spec: "g.json", text: "[[0,1],[1.5,2],[-1,0],[1,2.5]]", want: "error: g.json:1:9: expected a node number, found \"1.5\" (ids must be all numbers or all labels; ids=label reads every id as a label)\n" +
			"g.json:1:17: expected a node number, found \"-1\" (ids must be all numbers or all labels; ids=label reads every id as a label)\n" +
			"g.json:1:26: expected a node number, found \"2.5\" (ids must be all numbers or all labels; ids=label reads every id as a label)"},
		{name: "triples of a graph", spec: "g.json", text: "[[0,1,2.5],[1,2,1]]", want: `error: g.json:1:2: expected 0 or 1 in a graph, found 2.5 at row 0, column 2 (bind it to an input of kind matrix to keep weights; write weighted edges as {"edges": [[0, 1, 2.5]]})` +
			"\n" + `g.json:1:15: expected 0 or 1 in a graph, found 2 at row 1, column 1 (bind it to an input of kind matrix to keep weights; write weighted edges as {"edges": [[0, 1, 2.5]]})`},
		{name: "triples of a matrix", kind: Matrix, spec: "g.json", text: "[[0,1,2.5],[1,2,1]]", want: `real 2x3: 0 1 2.5 1 2 1` + "\n" +
			`weights: g.json: rows of three numbers are read as a 2x3 matrix; write weighted edges as {"edges": [[0, 1, 2.5]]}`},
		{name: "no triples", kind: Matrix, spec: "g.json", text: "[[0,1,5],[1,0,7]]", want: `int 2x3: 0 1 5 1 0 7`},
		{name: "triples as edges", kind: Matrix, spec: "g.json", text: `{"edges": [[0,1,2.5],[1,2,1]]}`, want: `real 3x3: 0>1=2.5 1>2=1`},
		{name: "spellings of a number", spec: "g.json", text: "[[0,1.0],[1e0,2.0]]", want: "bool 3x3: 0>1 1>2"},
		{name: "spellings of a label", spec: "g.json?ids=label", text: `{"nodes":[{"id":1},{"id":2.50},{"id":"1.0"}],"edges":[[1.0,2.5],["1.0",1]]}`, want: `bool 3x3: 0>1 2>0 ["1" "2.5" "1.0"]`},
		{name: "fraction first", spec: "g.json", text: "[[0,1.5]]", want: "error: g.json:1:5: expected a node number, found \"1.5\" (ids must be all numbers or all labels; ids=label reads every id as a label)"},
		{name: "label among numbers", spec: "g.json", text: `[[0,1],["2",1]]`, want: `error: g.json:1:9: expected a node number like those before it, found the label "2" (ids must be all numbers or all labels; ids=label reads every id as a label)`},
		{name: "number among labels", spec: "g.json", text: `[["a","b"],[2,"b"]]`, want: `error: g.json:1:13: expected a label like those before it, found the number "2" (ids must be all numbers or all labels; ids=label reads every id as a label)`},
		{name: "long edges", spec: "g.json", text: `[["a","b"],["a","b",1,{}],["a"],[]]`, want: "error: g.json:1:12: expected an edge of 2 or 3 items, found 4 items\ng.json:1:27: expected an edge of 2 or 3 items, found 1 item\ng.json:1:33: expected an edge of 2 or 3 items, found none"},
		{name: "edge of another type", spec: "g.json", text: `[[0,1],7]`, want: `error: g.json:1:8: expected an edge, found "7"`},
		{name: "mixed weights", kind: Matrix, spec: "g.json", text: `{"edges":[[0,1],[1,0,5]]}`, want: "error: g.json:1:17: the edge has a weight, but those before it have no weight (weight=none ignores the weights)"},
		{name: "bad weight", kind: Matrix, spec: "g.json", text: `{"edges":[[0,1,"5"]]}`, want: `error: g.json:1:16: expected a number, found the string "5" (weight=none ignores the weights)`},
		{name: "2^53", kind: Matrix, spec: "g.json", text: `{"edges":[[0,1,9007199254740993]]}`, want: "error: g.json:1:16: the integer 9007199254740993 is at or past 2^53, where integers stop being exact (as a real number, 9007199254740993.0, it is rounded)"},
		{name: "options of objects", kind: Matrix, spec: "g.json?weight=kg", text: `{"edges":[[0,1,5]]}`, want: "error: g.json:1:11: the options from, to and weight name fields, but this edge is an array"},
		{name: "options of objects, pairs", spec: "g.json?source=a", text: `[[0,1]]`, want: "error: g.json:1:2: the options from, to and weight name fields, but this edge is an array"},
		{name: "vector by node with columns", kind: Vector, spec: "v.json?weight=x", text: `{"0":1}`, want: "error: v.json:1:1: an object that maps nodes to values has no columns (from and weight are for tables)"},
		{name: "edge objects that are not", spec: "g.json", text: `[{"source":null,"target":[]},{"source":0,"target":1.5},{"source":0,"target":1,"weight":"5"}]`,
			want: "error: g.json:1:12: expected a node as a number or a string, found null\n" +
				"g.json:1:51: expected a node number, found \"1.5\" (" + mixedHint + ")\ng.json:1:88: expected a number, found the string \"5\" (weight=none ignores the weights)"},
		{name: "which field", kind: Matrix, spec: "g.json", text: `[{"source":0,"target":1,"kg":5,"date":3}]`, want: "error: g.json:1:2: which of the 4 fields holds the weights? (give weight=, or weight=none to make every edge weigh 1)"},
		{name: "many keys, one twice", spec: "g.json", text: `[{` + manyKeys(100) + `"k7":1}]`, want: `error: g.json:1:883: the key "k7" is given twice`},
		{name: "large object", spec: "g.json", text: `[{"source":1,"x":[` + strings.Repeat("1,", maxItem) + `1]}]`, want: `error: g.json:1:2: the item is longer than 1048576 bytes`},
		{name: "edge object", spec: "g.json", text: `[{"source":1}]`, want: `error: g.json:1:2: the edge has no "target" (from= and to= name the fields of an edge; this one has "source")`},
		{name: "edge object with other fields", spec: "g.json", text: `[{"from":1,"to":2}]`, want: `error: g.json:1:2: the edge has no "source" (from= and to= name the fields of an edge; this one has "from", "to")`},
		{name: "edge object without weight", kind: Matrix, spec: "g.json?weight=kg", text: `[{"source":1,"target":0}]`, want: `error: g.json:1:2: the edge has no "kg" (weight= names a field of an edge; this one has "source", "target")`},
		{name: "key twice", spec: "g.json", text: `[{"source":1,"source":0}]`, want: `error: g.json:1:14: the key "source" is given twice`},
		{name: "unknown key", spec: "g.json", text: `{"edge":[]}`, want: `error: g.json:1:2: unknown key "edge" (the keys are n, nodes, edges, links, directed, multigraph, graph, as node_link_data of NetworkX writes them; format=jsonl reads a row in each line, and jq makes rows of nested objects)`},
		{name: "no edges", spec: "g.json", text: `{"n":3}`, want: `error: g.json:1:7: the object has no "edges" ("edges" or "links" is a list of edges)`},
		{name: "edges and links", spec: "g.json", text: `{"edges":[],"links":[]}`, want: `error: g.json:1:13: the object has both "edges" and "links" (give one of them)`},
		{name: "edges not an array", spec: "g.json", text: `{"edges":{}}`, want: `error: g.json:1:10: expected an array of edges, found an object`},
		{name: "directed", spec: "g.json", text: `{"directed":null,"edges":[]}`, want: `error: g.json:1:13: expected true or false, found null`},
		{name: "directed number", spec: "g.json", text: `{"directed":1,"edges":[]}`, want: `error: g.json:1:13: expected true or false, found "1"`},
		{name: "bad word", spec: "g.json", text: `{"directed":tru,"edges":[]}`, want: `error: g.json:1:16: invalid character ',' in literal true (expecting 'e')`},
		{name: "n", spec: "g.json", text: `{"n":-1,"edges":[]}`, want: `error: g.json:1:6: expected a number of nodes, found "-1"`},
		{name: "large n", spec: "g.json", text: `{"n":1e3}`, want: `error: g.json:1:6: expected a number of nodes, found "1e3"`},
		{name: "n past the limit", spec: "g.json", text: `{"n":100000000,"edges":[]}`, want: `error: g.json:1:6: 100000000 nodes exceed the limit of 67108864`},
		{name: "n as it was read", spec: "g.json", text: `{"n":99999999999999999999,"edges":[]}`, want: `error: g.json:1:6: 99999999999999999999 nodes exceed the limit of 67108864`},
		{name: "nodes as it was read", spec: "g.json", text: `{"nodes":99999999999,"edges":[]}`, want: `error: g.json:1:10: 99999999999 nodes exceed the limit of 67108864`},
		{name: "n against nodes", spec: "g.json?nodes=4", text: `{"n":3,"edges":[]}`, want: `error: g.json:1:6: 3 nodes here, but a different number is given elsewhere`},
		{name: "n against list", spec: "g.json", text: `{"n":3,"nodes":[0,1],"edges":[]}`, want: `error: g.json:1:20: 2 nodes here, but a different number is given elsewhere`},
		{name: "n against labels", spec: "g.json", text: `{"n":3,"nodes":["a"],"edges":[]}`, want: `error: g.json: the list has 1 node, but 3 are announced`},
		{name: "n with labels", spec: "g.json", text: `{"n":3,"edges":[["a","b"]]}`, want: `error: g.json: a number of nodes is given, but the edges have labels (list the labels under "nodes")`},
		{name: "outside n", spec: "g.json", text: "{\"edges\":[[0,1],\n[3,0]],\"n\":3}", want: `error: g.json:2: edge 2 of the list: node 3 is out of range: the 3 nodes are 0 to 2`},
		{name: "gap in nodes", spec: "g.json", text: `{"nodes":[0,5],"edges":[]}`, want: "error: g.json:1:14: the list has 2 nodes, but their numbers go up to 5 (ids=label reads every id as a label)"},
		{name: "node twice", spec: "g.json", text: `{"nodes":["a","a"],"edges":[]}`, want: `error: g.json:1:15: the node "a" is listed twice`},
		{name: "node without id", spec: "g.json", text: `{"nodes":[{"name":"a"}],"edges":[]}`, want: `error: g.json:1:11: the node has no "id"`},
		{name: "not in the list", spec: "g.json", text: `{"nodes":["a"],"edges":[["a","b"]]}`, want: `error: g.json:1: edge 1 of the list: node "b" is not in the list of nodes`},
		{name: "zero weight not in the list", spec: "g.json", text: `{"nodes":["a"],"edges":[["a","b",0]]}`, want: `error: g.json: node "b" is not in the list of nodes`},
		{name: "position not in the list", spec: "g.json", text: `{"nodes":["a"],"edges":[[0,1]]}`, want: `error: g.json:1: edge 1 of the list: node 1 is not in the list: its 1 node are 0 to 0`},
		{name: "zero weight position", spec: "g.json", text: `{"nodes":["a"],"edges":[[0,1,0]]}`, want: `error: g.json: node 1 is not in the list of 1 node`},
		{name: "dense with 2", spec: "g.json", text: "[[0,1,0],\n[0,2,1],[0,0,0]]", want: `error: g.json:2:4: expected 0 or 1 in a graph, found 2 at row 1, column 1 (bind it to an input of kind matrix to keep weights; write weighted edges as {"edges": [[0, 1, 2.5]]})`},
		{name: "not square", spec: "g.json", text: "[[0,1,1],[0,1,1]]", want: `error: g.json:1:2: expected a graph as pairs or as a square array, found 2 rows of 3 (write weighted edges as {"edges": [[0, 1, 2.5]]})`},
		{name: "too high", spec: "g.json", text: "[[0],[1],[1]]", want: `error: g.json:1:2: expected a graph as pairs or as a square array, found 3 rows of 1 (write weighted edges as {"edges": [[0, 1, 2.5]]})`},
		{name: "ragged", kind: Matrix, spec: "g.json", text: "[[0,1,1],[0,1],[1,1,1,1]]", want: "error: g.json:1:10: row 1 has 2 elements, but the first has 3\ng.json:1:16: row 2 has 4 elements, but the first has 3"},
		{name: "nested too deep", kind: Matrix, spec: "g.json", text: "[[[0]]]", want: `error: g.json:1:3: expected a number, found an array`},
		{name: "dense with options", kind: Matrix, spec: "g.json?dup=sum", text: "[[0]]", want: "error: g.json:1:4: a dense array takes no options (source, target, weight, ids, nodes, dup and default are for lists of edges or nodes)"},
		{name: "vector with options", kind: Vector, spec: "g.json?default=1", text: "[0]", want: "error: g.json:1:1: an array of values takes no options (source, target, weight, ids, nodes, dup and default are for lists of edges or nodes)"},
		{name: "empty vector", kind: Vector, spec: "v.json", text: "[]", want: "error: v.json:1:2: the vector has no values"},
		{name: "vector of words", kind: Vector, spec: "v.json", text: "[NaN]", want: `error: v.json:1:2: expected a number, found 'N' (JSON has no NaN; leave out what has no value)`},
		{name: "a list of Python", spec: "g.json", text: "[['a', 'b']]", want: `error: g.json:1:3: expected a number, found '\'' (JSON has double quotes, as json.dump of Python writes them)`},
		{name: "a comment", spec: "g.json", text: "[[0, 1], // x\n[1, 2]]", want: `error: g.json:1:10: invalid character '/' at start of value (JSON has no comments)`},
		{name: "a number like UTF-8", spec: "g.json", text: "[[\"é\", \"b\",]]", want: `error: g.json:1:11: invalid character ',' at start of value`},
		{name: "vector by node, mixed", kind: Vector, spec: "v.json", text: `{"0":1,"b":2}`, want: `error: v.json:1:8: expected a node number, found "b" (ids must be all numbers or all labels; ids=label reads every id as a label)`},
		{name: "vector by node, twice", kind: Vector, spec: "v.json", text: "{\"0\":1,\n\"0\":2}", want: `error: v.json:2: a second value for 0: it is on line 1 and again on line 2`},
		{name: "vector by node, no colon", kind: Vector, spec: "v.json", text: `{"0" 1}`, want: `error: v.json:1:6: invalid character '1' after object name (expecting ':')`},
		{name: "scalar array", kind: Scalar, spec: "v.json", text: "[1]", want: `error: v.json:1:1: expected a number, found an array`},
		{name: "bad numbers", kind: Scalar, spec: "v.json", text: "01", want: `error: v.json:1:2: expected the end of the file, found "1"`},
		{name: "plus", kind: Scalar, spec: "v.json", text: "+1", want: `error: v.json:1:1: expected a number, found '+'`},
		{name: "dot", kind: Scalar, spec: "v.json", text: "1.", want: `error: v.json:1:1: the file ends inside a value`},
		{name: "exponent", kind: Scalar, spec: "v.json", text: "1e", want: `error: v.json:1:1: the file ends inside a value`},
		{name: "number and letters", kind: Scalar, spec: "v.json", text: "1x", want: `error: v.json:1:2: invalid character 'x' at start of value`},
		{name: "too large", kind: Scalar, spec: "v.json", text: "1e999", want: `error: v.json:1:1: the number "1e999" is too large`},
		{name: "open string", spec: "g.json", text: `[["a`, want: `error: g.json:1:5: the file ends inside a value`},
		{name: "control in string", spec: "g.json", text: "[[\"a\tb\",\"c\"]]", want: `error: g.json:1:5: invalid character '\t' in string (expecting non-control character)`},
		{name: "bad escape", spec: "g.json", text: `[["\x","c"]]`, want: "error: g.json:1:4: invalid escape sequence `\\x` in string"},
		{name: "bad hex", spec: "g.json", text: `[["\u12g4","c"]]`, want: "error: g.json:1:4: invalid escape sequence `\\u12g4` in string"},
		{name: "lone surrogate", spec: "g.json", text: `[["\ud800","c"]]`, want: "error: g.json:1:4: invalid surrogate pair `\\ud800\",\"c\"]` in string"},
		{name: "wrong surrogate", spec: "g.json", text: `[["\ud800\u0041","c"]]`, want: "error: g.json:1:4: invalid surrogate pair `\\ud800\\u0041` in string"},
		{name: "invalid UTF-8", spec: "g.json", text: "[[\"\xff\",\"c\"]]", want: `error: g.json:1:4: invalid UTF-8 (iconv, or saving it again as UTF-8, converts it)`},
		{name: "empty label", spec: "g.json", text: `[["","c"]]`, want: `error: g.json:1:3: the node is empty`},
		{name: "deep", spec: "g.json", text: `{"graph":` + strings.Repeat("[", 100), want: "error: g.json:1:75: nested more than 64 levels deep"},
		{name: "long string", spec: "g.json", text: `{"` + strings.Repeat("x", 3*maxToken) + "\":1}", want: "error: g.json:1:2: the string is longer than 1048576 bytes"},
		{name: "long number", kind: Scalar, spec: "g.json", text: strings.Repeat("1", 2*maxToken), want: "error: g.json:1:1: the number is longer than 1048576 bytes"},
		{name: "key not a string", spec: "g.json", text: `{n:1}`, want: `error: g.json:1:3: invalid character ':' in literal null (expecting 'u')`},
	})
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	return b.String()
}

// TestJSONLines: lines are read as the array that has them as its items, in pieces of any size.
func TestJSONLines(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		var lines, array strings.Builder
		array.WriteString("[")
		for k := range 1 + r.IntN(5) {
			item := fmt.Sprintf(`["%c",%s"\u00e9 %d"]`, 'a'+rune(r.IntN(4)), strings.Repeat(" ", r.IntN(20)), r.IntN(3))
			lines.WriteString(strings.Repeat([]string{"\n", "\r\n", " \n"}[r.IntN(3)], r.IntN(3)) + item + "\n")
			if k > 0 {
				array.WriteString(",")
			}
			array.WriteString(item)
		}
		array.WriteString("]")
		want, labels, _, err := load(t, Graph, "f?format=json", array.String())
		if err != nil {
			t.Fatal(err)
		}
		got, names, _, err := load(t, Graph, "f.jsonl", lines.String())
		if err != nil || show(&got) != show(&want) || !slices.Equal(names, labels) {
			t.Fatalf("%q: %v, %v, want %v", lines.String(), show(&got), err, show(&want))
		}
		one, err := io.ReadAll(&jsonLines{in: iotest.OneByteReader(strings.NewReader(lines.String())), before: '['})
		all, err2 := io.ReadAll(iotest.OneByteReader(&jsonLines{in: strings.NewReader(lines.String()), before: '['}))
		if err != nil || err2 != nil || !bytes.Equal(one, all) {
			t.Fatalf("%q, %v and %q, %v", one, err, all, err2)
		}
	}
}
