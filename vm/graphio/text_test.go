package graphio

import (
	"errors"
	"strings"
	"testing"
)

func TestTextGraphs(t *testing.T) {
	runCases(t, []loadCase{
		{name: "numbers", spec: "g.csv", text: "0,1\n1,2\n", want: "bool 3x3: 0>1 1>2"},
		{name: "no last newline, CRLF", spec: "g.csv", text: "0,1\r\n1,2", want: "bool 3x3: 0>1 1>2"},
		{name: "byte order mark", spec: "g.csv", text: "\xef\xbb\xbf0,1\n", want: "bool 2x2: 0>1"},
		{name: "UTF-16", spec: "g.tsv?header=no", text: "\xff\xfe\xe9\x00\t\x003\xd8\x08\xdf\n\x00", want: `bool 2x2: 0>1 ["é" "𜼈"]`},
		{name: "UTF-16, big-endian", spec: "g.csv", text: "\xfe\xff\x000\x00,\x001", want: "bool 2x2: 0>1"},
		{name: "trailing blank lines", spec: "g.csv", text: "0,1\n\n \n", want: "bool 2x2: 0>1"},
		{name: "known header", spec: "g.csv", text: "source,target\nacme,shell\nshell,zenith\n", want: `bool 3x3: 0>1 1>2 ["acme" "shell" "zenith"]`},
		{name: "known header, other order", spec: "g.csv", text: "amount,To_ID,From_ID\n5,b,a\n6,a,a\n", want: `bool 2x2: 0>0 0>1 ["a" "b"]`},
		{name: "labels without header", spec: "g.csv", text: "a,b\nb,c\n", want: `bool 3x3: 0>1 1>2 ["a" "b" "c"]`},
		{name: "header=yes", spec: "g.csv?header=yes", text: "customer,supplier\na,b\n", want: `bool 2x2: 0>1 ["a" "b"]`},
		{name: "header=no", spec: "g.csv?header=no", text: "source,target\na,b\n", want: `bool 4x4: 0>1 2>3 ["source" "target" "a" "b"]`},
		{name: "columns by name", spec: "g.csv?source=payer&target=payee", text: "date,payee,payer\n1,b,a\n", want: `bool 2x2: 0>1 ["a" "b"]`},
		{name: "columns by position", spec: "g.csv?source=3&target=1", text: "b,4,a\nc,5,b\n", want: `bool 3x3: 0>1 1>2 ["a" "b" "c"]`},
		{name: "quotes", spec: "g.csv", text: "\"Acme, Inc\",\"say \"\"hi\"\"\"\n\"Acme, Inc\",plain\n", want: `bool 3x3: 0>1 0>2 ["Acme, Inc" "say \"hi\"" "plain"]`},
		{name: "quoted lines in another column", spec: "g.csv", text: "source,memo,target\na,\"x\ny \"\"z\"\"\",b\nb,,\"c\"\n", want: "bool 3x3: 0>1 1>2 [\"a\" \"b\" \"c\"]\nunused: g.csv:1: columns not used (2 rows): \"memo\""},
		{name: "blanks around fields", spec: "g.csv", text: "a , b\n b,c\n", want: `bool 3x3: 0>1 1>2 ["a" "b" "c"]`},
		{name: "quoted blanks", spec: "g.csv", text: "\" a\",b\nb,a\n", want: `bool 3x3: 0>1 1>2 [" a" "b" "a"]`},
		{name: "TSV with comments", spec: "g.tsv", text: "# SNAP\n# FromNodeId\tToNodeId\n0\t1\n1\t0\n", want: "bool 2x2: 0>1 1>0"},
		{name: "comment after the first row", spec: "g.tsv", text: "a\tb\n#tag\tb\nb\tc\n",
			want: "bool 3x3: 0>1 1>2 [\"a\" \"b\" \"c\"]\ncomments: g.tsv:2: 1 line after the first row read as comments because they begin with \"#\""},
		{name: "comments of two marks", spec: "g.edges", text: "0 1\n%b c\n", want: "bool 2x2: 0>1\ncomments: g.edges:2: 1 line after the first row read as comments because they begin with \"#\" or \"%\""},
		{name: "quoted hash", spec: "g.tsv", text: "a\tb\n\"#tag\"\tb\n", want: `bool 3x3: 0>1 2>1 ["a" "b" "#tag"]`},
		{name: "empty TSV fields", spec: "g.tsv", text: "a\tb\n\t\n", want: "error: g.tsv:2:1: the node is empty"},
		{name: "hash in CSV is data", spec: "g.csv", text: "#a,b\nb,#a\n", want: `bool 2x2: 0>1 1>0 ["#a" "b"]`},
		{name: "blank separated", spec: "g.edges", text: "% konect\n0  1\n\n 1\t2 \n", want: "bool 3x3: 0>1 1>2"},
		{name: "edges by blanks", spec: "g.txt", text: "# x\n0  1\n 1 2 \n", want: "bool 3x3: 0>1 1>2"},
		{name: "edges by blanks, quoted", spec: "-", text: "\"a b\" c\nc  \"d\"  \n", want: `bool 3x3: 0>1 1>2 ["a b" "c" "d"]`},
		{name: "edges by commas", spec: "-", text: "0,1\n", want: "bool 2x2: 0>1"},
		{name: "edges by tabs", spec: "-", text: "a b\tc\nc\td\n", want: `bool 3x3: 0>1 1>2 ["a b" "c" "d"]`},
		{name: "nodes", spec: "g.csv?nodes=4", text: "0,1\n", want: "bool 4x4: 0>1"},
		{name: "no edges", spec: "g.csv?nodes=2", text: "source,target\n", want: "bool 2x2:"},
		{name: "only comments", spec: "g.tsv?nodes=2", text: "# nothing\n", want: "bool 2x2:"},
		{name: "numbers as labels", spec: "g.csv?ids=label", text: "10045837,7\n007,7\n", want: `bool 3x3: 0>1 2>1 ["10045837" "7" "007"]`},
		{name: "far numbers", spec: "g.csv?ids=number", text: "0,1500\n", want: "bool 1501x1501: 0>1500"},
		{name: "weights of a graph", spec: "g.csv", text: "source,target,weight\n0,1,2.5\n1,2,0\n2,0,-1\n",
			want: "bool 3x3: 0>1 2>0\nzero-weight: g.csv:3: 1 row of weight 0 left out: a graph has no edges of weight 0"},
		{name: "weight=none", spec: "g.csv?weight=none", text: "source,target,weight\n0,1,x\n", want: "bool 2x2: 0>1\nunused: g.csv:1: columns not used (1 row): \"weight\""},
		{name: "weights after a gap", spec: "g.csv", text: "from,to,amount\na,b,\nb,c,0\n",
			want: "bool 3x3: 0>1 1>2 [\"a\" \"b\" \"c\"]\nunused: g.csv:1: columns not used (2 rows): \"amount\"\n" +
				"weights: g.csv:1: the third column has a number in 1 of 2 rows, but not in the first, so it is not read as weights; weight=3 reads it, weight=none leaves it out"},
		{name: "duplicates", spec: "g.csv", text: "0,1\n1,2\n0,1\n1,2\n0,1\n",
			want: "bool 3x3: 0>1 1>2\nduplicates: g.csv:3: 3 repeated edges merged: 0 -> 1 is on line 1 and again on line 3"},
		{name: "gzip", spec: "g.csv.gz", text: gz("0,1\n"), want: "bool 2x2: 0>1"},
		{name: "gzip of several members", spec: "g.csv.gz", text: gz("0,1\n1,") + gz("") + gz("2\n"), want: "bool 3x3: 0>1 1>2"},
		{name: "gzip by content", spec: "-", text: gz("a b\nb a\n"), want: `bool 2x2: 0>1 1>0 ["a" "b"]`},
		{name: "self-loop", spec: "g.csv", text: "0,0\n", want: "bool 1x1: 0>0"},
		{name: "a matrix", spec: "g.csv?header=no", text: "0,1,1,0\n1,0,1,1\n1,1,0,0\n0,1,0,0\n",
			want: "bool 2x2: 0>1 1>0 1>1\nunused: g.csv:1: columns not used (4 rows): 3, 4\n" +
				"square: g.csv:1: 4 rows of 4 numbers are read as edges of the nodes 0 and 1; a matrix is read from JSON, NPY or Matrix Market\n" +
				"duplicates: g.csv:4: 1 repeated edge merged: 0 -> 1 is on line 1 and again on line 4"},
		{name: "a matrix with labels", spec: "g.csv", text: ",a,b\na,0,1\nb,1,0\n",
			want: "bool 2x2: 0>1 1>0\nheader: g.csv:1: the first row is read as a header: \"\", \"a\", \"b\"; header=no reads it as data\nunused: g.csv:1: columns not used (2 rows): 1; edges lead from \"a\" to \"b\": from= and to= name other columns\n" +
				"square: g.csv:1: 2 rows of 2 numbers are read as edges of the nodes 0 and 1; a matrix is read from JSON, NPY or Matrix Market"},
		{name: "rows with numbers", spec: "g.csv?header=yes", text: ",x,y\n0,a,b\n1,b,c\n2,c,a\n",
			want: "bool 3x3: 0>1 1>2 2>0 [\"a\" \"b\" \"c\"]\nunused: g.csv:1: columns not used (3 rows): 1; edges lead from \"x\" to \"y\": from= and to= name other columns"},
		{name: "a matrix of three columns", kind: Matrix, spec: "w.csv", text: "0,1,0\n0,0,1\n1,0,0\n",
			want: "bool 2x2: 0>0\nsquare: w.csv:1: 3 rows of 3 numbers are read as edges of the nodes 0 and 1; a matrix is read from JSON, NPY or Matrix Market\n" +
				"zero-weight: w.csv: 2 edges of weight 0 left out: in a matrix, 0 means no edge; default=inf keeps weight 0 and makes a missing edge infinite"},
		{name: "a matrix of decimals", spec: "w.txt", text: "0.0e+00 1.0e+00\n1.0e+00 0.0e+00\n",
			want: "bool 2x2: 0>1 1>0 [\"0.0e+00\" \"1.0e+00\"]\nsquare: w.txt:1: the nodes are numbers such as \"0.0e+00\", read as labels because a node number has digits only; a matrix is read from JSON, NPY or Matrix Market"},
		{name: "decimals as labels", spec: "g.csv?ids=label", text: "0.5,1.5\n", want: `bool 2x2: 0>1 ["0.5" "1.5"]`},
		{name: "a decimal among labels", spec: "g.csv", text: "0.5,a\na,1.5\n", want: `bool 3x3: 0>1 1>2 ["0.5" "a" "1.5"]`},
		{name: "neighbours", spec: "g.txt", text: "0 1 2\n1 2 0\n2 1 0\n",
			want: "bool 3x3: 0>1\nweights: g.txt:1: the third column is read as weights, and could be nodes; an adjacency list is not read, only one edge in each row\n" +
				"zero-weight: g.txt:2: 2 rows of weight 0 left out: a graph has no edges of weight 0"},
		{name: "no neighbours", kind: Matrix, spec: "g.txt", text: "0 1 1\n1 2 3\n2 3 1\n3 0 2\n", want: "int 4x4: 0>1=1 1>2=3 2>3=1 3>0=2"},
		{name: "weights that no node has", kind: Matrix, spec: "g.txt", text: "0 1 7\n1 2 8\n2 0 9\n", want: "int 3x3: 0>1=7 1>2=8 2>0=9"},
		{name: "no matrix", spec: "g.csv", text: "0,1,1\n1,0,1\n1,2,1\n", want: "bool 3x3: 0>1 1>0 1>2"},
	})
}

func TestTextErrors(t *testing.T) {
	runCases(t, []loadCase{
		{name: "empty", spec: "g.csv", want: "error: g.csv: the file is empty"},
		{name: "blank", spec: "g.csv", text: "\n\n", want: "error: g.csv: the file has no rows"},
		{name: "no nodes", spec: "g.csv", text: "source,target\n", want: "error: g.csv: the program's inputs have no nodes (nodes=N makes a graph of N nodes without edges)"},
		{name: "half a UTF-16 character", spec: "g.csv", text: "\xff\xfea\x00,\x003\xd8\n\x00", want: `error: g.csv:1:3: the label "\xff" is not valid UTF-8 (iconv, or saving it again as UTF-8, converts it)`},
		{name: "UTF-16 that ends early", spec: "g.csv", text: "\xff\xfea\x00,\x003\xd8\x08", want: `error: g.csv:1:3: the label "\xff\xff" is not valid UTF-8 (iconv, or saving it again as UTF-8, converts it)`},
		{name: "UTF-16 without a mark", spec: "g.csv", text: "a\x00,\x00b\x00\n\x00", want: "error: g.csv: the file is UTF-16 without a byte order mark, which is not read (iconv, or saving it again as UTF-8, converts it)"},
		{name: "UTF-16 without a mark, big-endian", spec: "g.json", text: "\x00[\x00]", want: "error: g.json: the file is UTF-16 without a byte order mark, which is not read (iconv, or saving it again as UTF-8, converts it)"},
		{name: "UTF-32", spec: "g.csv", text: "\xff\xfe\x00\x000\x00\x00\x00", want: "error: g.csv: the file is UTF-32, which is not read (iconv, or saving it again as UTF-8, converts it)"},
		{name: "UTF-32, big-endian", spec: "g.csv", text: "\x00\x00\xfe\xff\x00\x00\x000", want: "error: g.csv: the file is UTF-32, which is not read (iconv, or saving it again as UTF-8, converts it)"},
		{name: "UTF-32 without a mark", spec: "g.csv", text: "0\x00\x00\x00,\x00\x00\x00", want: "error: g.csv: the file is UTF-32, which is not read (iconv, or saving it again as UTF-8, converts it)"},
		{name: "numbers as bytes", spec: "g.bin", text: strings.Repeat("\x00\x00\x00\x00\x00\x00\xf0\x3f", 4), want: "error: g.bin: the file is binary data of unknown format, which is not read (save a table as CSV or Parquet, an array as .npy)"},
		{name: "Avro", spec: "g.avro", text: "Obj\x01\x02", want: "error: g.avro: the file is Arrow, HDF5, ORC or Avro, which is not read (save the table as CSV or Parquet)"},
		{name: "HTML", spec: "g.html", text: "<table border=\"1\">\n", want: "error: g.html: the file is XML or HTML, which is not read (save the edges as CSV, or as the JSON of node_link_data in NetworkX)"},
		{name: "names in angle brackets", spec: "g.txt", text: "<http://a> <http://b>\n<http://b> <http://c>\n", want: `bool 3x3: 0>1 1>2 ["<http://a>" "<http://b>" "<http://c>"]`},
		{name: "DOT after comments", spec: "g.dot", text: "/* by\n hand */\n# x\nstrict digraph \"a b\"\n{\n", want: "error: g.dot: the file is DOT, which is not read (save the edges as CSV, or as the JSON of node_link_data in NetworkX)"},
		{name: "DOT without blanks", spec: "g.dot", text: "digraph{a->b;b->c}", want: "error: g.dot: the file is DOT, which is not read (save the edges as CSV, or as the JSON of node_link_data in NetworkX)"},
		{name: "GML of a program", spec: "g.gml", text: "Creator \"igraph, today\"\nVersion 1\ngraph\n[\n", want: "error: g.gml: the file is GML, which is not read (save the edges as CSV, or as the JSON of node_link_data in NetworkX)"},
		{name: "DIMACS", spec: "g.gr", text: "c roads\nc\np sp 3 2\na 1 2 5\n", want: "error: g.gr: the file is DIMACS, which is not read (save the edges as CSV, or as the JSON of node_link_data in NetworkX)"},
		{name: "graph6", spec: "g.g6", text: ">>graph6<<CU\n", want: "error: g.g6: the file is graph6 or sparse6, which is not read (save the edges as CSV, or as the JSON of node_link_data in NetworkX)"},
		{name: "XML", spec: "g.graphml", text: "<?xml version=\"1.0\"?>\n<graphml/>\n", want: "error: g.graphml: the file is XML or HTML, which is not read (save the edges as CSV, or as the JSON of node_link_data in NetworkX)"},
		{name: "DOT", spec: "g.dot", text: "digraph G {\n  a -> b\n}\n", want: "error: g.dot: the file is DOT, which is not read (save the edges as CSV, or as the JSON of node_link_data in NetworkX)"},
		{name: "DOT in one line", spec: "g.gv", text: "graph { a -- b }\n", want: "error: g.gv: the file is DOT, which is not read (save the edges as CSV, or as the JSON of node_link_data in NetworkX)"},
		{name: "GML", spec: "g.gml", text: "graph [\n  node [ id 1 ]\n]\n", want: "error: g.gml: the file is GML, which is not read (save the edges as CSV, or as the JSON of node_link_data in NetworkX)"},
		{name: "Pajek", spec: "g.net", text: "*Vertices 3\n1 \"a\"\n", want: "error: g.net: the file is Pajek, which is not read (save the edges as CSV, or as the JSON of node_link_data in NetworkX)"},
		{name: "labels like words of DOT", spec: "g.edges", text: "graph digraph\ndigraph strict\n", want: `bool 3x3: 0>1 1>2 ["graph" "digraph" "strict"]`},
		{name: "arrows", spec: "g.txt", text: "a -> b\nb -> c\n", want: `error: g.txt:1: the second column is an arrow, "->", not a node (from=1&to=3&weight=none reads the nodes around it)`},
		{name: "attributes of NetworkX", spec: "g.edgelist", text: "a b {}\nb c {}\n", want: `error: g.edgelist:1:5: expected a number, found "{}" (weight=none ignores the weights; header=yes reads the first row as names)`},
		{name: "several attributes of NetworkX", spec: "g.edgelist", text: "0 1 {'w': 2.5, 'c': 'red'}\n1 2 {'w': 3, 'c': 'red'}\n", want: "bool 3x3: 0>1 1>2\nunused: g.edgelist:1: columns not used (2 rows): 3, 4, 5, 6"},
		{name: "attributes as weights", kind: Matrix, spec: "g.edgelist", text: "0 1 {'w': 2.5, 'c': 'red'}\n", want: "error: g.edgelist:1: which of the 6 columns holds the weights? (write_weighted_edgelist of NetworkX writes them as numbers; weight=none makes every row weigh 1)"},
		{name: "DOT with a name of other letters", spec: "g.dot", text: "digraph \"\\\"é\" {", want: "error: g.dot: the file is DOT, which is not read (save the edges as CSV, or as the JSON of node_link_data in NetworkX)"},
		{name: "DOT with a short name of other letters", spec: "g.dot", text: "digraph é {", want: "error: g.dot: the file is DOT, which is not read (save the edges as CSV, or as the JSON of node_link_data in NetworkX)"},
		{name: "nodes around arrows", spec: "g.txt?from=1&to=3&weight=none", text: "a -> b\nb -> c\n", want: "bool 3x3: 0>1 1>2 [\"a\" \"b\" \"c\"]"},
		{name: "zip", spec: "g.xlsx", text: "PK\x03\x04\x14\x00", want: "error: g.xlsx: the file is a zip archive, such as .xlsx or .npz, which is not read (save a table as CSV, an array as .npy, a sparse one as .mtx, by scipy.io.mmwrite)"},
		{name: "zstd", spec: "g.csv.zst", text: "\x28\xb5\x2f\xfd\x24", want: "error: g.csv.zst: the file is compressed with bzip2, xz or zstd, which is not read (decompress it first)"},
		{name: "bzip2", spec: "g.csv.bz2", text: "BZh91AY&SY", want: "error: g.csv.bz2: the file is compressed with bzip2, xz or zstd, which is not read (decompress it first)"},
		{name: "NPY in CSV", spec: "g.csv", text: "\x93NUMPY\x01\x00v\x00{", want: "error: g.csv: the file contains npy data (format=npy reads it)"},
		{name: "Matrix Market in an edge list", spec: "g.edges", text: "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n", want: "error: g.edges: the file contains mtx data (format=mtx reads it)"},
		{name: "Parquet in CSV", spec: "g.csv?format=csv", text: "PAR1\x15", want: "error: g.csv: the file contains parquet data (format=parquet reads it from a file)"},
		{name: "SQLite", spec: "-", text: "SQLite format 3\x00", want: "error: -: the file contains sqlite data (format=sqlite reads it from a file)"},
		{name: "pickle", spec: "g.pkl", text: "\x80\x04\x95\x00", want: "error: g.pkl: the file is a pickle of Python, which is not read (save a table as CSV, an array as .npy)"},
		{name: "missing weight", kind: Matrix, spec: "g.csv", text: "from,to,weight\na,b,NA\nb,c,2\n", want: "error: g.csv:2:5: expected a number, found \"NA\" (where=weight!=NA leaves out such rows)"},
		{name: "semicolons", spec: "g.csv?header=no", text: "\ufeff\n\"a;\";b\nb;c,d\n", want: `bool 3x3: 0>1 1>2 ["a;" "b" "c,d"]`},
		{name: "separators in quotes", spec: "g.csv?header=no", text: "\"a,b\";c\n", want: `bool 2x2: 0>1 ["a,b" "c"]`},
		{name: "separators in quotes of edges", spec: "g.edges?header=no", text: "\"a,b\" \"c d\"\n", want: "bool 2x2: 0>1 [\"a,b\" \"c d\"]"},
		{name: "semicolons and a comma", spec: "g.csv?header=no", text: "a;b,c\n", want: `bool 2x2: 0>1 ["a;b" "c"]`},
		{name: "semicolons in TSV", spec: "g.tsv", text: "a;b\n", want: "error: g.tsv:1: expected at least 2 columns, found 1 (fields are separated by tabs here; format=csv reads semicolons)"},
		{name: "tabs in CSV", spec: "g.csv", text: "a\tb\n", want: "error: g.csv:1: expected at least 2 columns, found 1 (fields are separated by commas here; format=tsv reads tabs)"},
		{name: "bars in CSV", spec: "g.csv", text: "a|b\n", want: "error: g.csv:1: expected at least 2 columns, found 1 (fields are separated by commas here; sep=| as the first line makes it bars)"},
		{name: "separator of text of unknown name", spec: "-?header=no", text: "sep=,\na b,c\n", want: "bool 2x2: 0>1 [\"a b\" \"c\"]"},
		{name: "nothing below a separator", spec: "g.csv", text: "sep=;\n", want: "error: g.csv: the file has no rows"},
		{name: "comments in CSV", spec: "g.csv", text: "# x\na,b\n", want: "error: g.csv:1: expected at least 2 columns, found 1 (CSV has no comments; format=edges skips lines that begin with #)"},
		{name: "comments below in CSV", spec: "g.csv", text: "a,b\nb,a\n# x\n", want: "error: g.csv:3:4: expected 2 fields as in the first row, found 1 (CSV has no comments; format=edges skips lines that begin with #)"},
		{name: "blanks in CSV", spec: "g.csv", text: "a b\n", want: "error: g.csv:1: expected at least 2 columns, found 1 (fields are separated by commas here; format=edges reads blanks)"},
		{name: "one column", spec: "g.csv", text: "a\n", want: "error: g.csv:1: expected at least 2 columns, found 1 (fields are separated by commas here)"},
		{name: "lines end in CR", spec: "g.csv", text: "a,b\rc,d\r", want: "error: g.csv:1: lines end in CR (convert them to LF)"},
		{name: "one line ends in CR", spec: "g.csv", text: "0,1\r", want: "bool 2x2: 0>1"},
		{name: "one column TSV", spec: "g.tsv", text: "a,b\n", want: "error: g.tsv:1: expected at least 2 columns, found 1 (fields are separated by tabs here; format=csv reads commas)"},
		{name: "one column edges", spec: "g.edges", text: "a;b\n", want: "error: g.edges:1: expected at least 2 columns, found 1 (fields are separated by blanks here; format=csv reads semicolons)"},
		{name: "too few fields", spec: "g.csv", text: "0,1\n2\n", want: "error: g.csv:2:2: expected 2 fields as in the first row, found 1"},
		{name: "an adjacency list", spec: "g.txt", text: "0 1 2\n1 2\n", want: "error: g.txt:2:4: expected 3 fields as in the first row, found 2 (an adjacency list is not read, only one edge in each row)"},
		{name: "too many fields", spec: "g.csv", text: "0,1\n0,1,2\n", want: "error: g.csv:2:5: expected 2 fields as in the first row, found 3"},
		{name: "label among numbers", spec: "g.csv", text: "0,1\n1,1O\n-1,2\n",
			want: "error: g.csv:2:3: expected a node number, found \"1O\" (ids must be all numbers or all labels; ids=label reads every id as a label)\n" +
				"g.csv:3:1: expected a node number, found \"-1\" (ids must be all numbers or all labels; ids=label reads every id as a label)"},
		{name: "number among labels", spec: "g.csv", text: "é,b\né,7\n",
			want: "error: g.csv:2:3: expected a label like those before it, found the number \"7\" (ids must be all numbers or all labels; ids=label reads every id as a label)"},
		{name: "ids=number", spec: "g.csv?ids=number", text: "0,01\n", want: "error: g.csv:1:3: expected a node number, found \"01\" (a node number has digits only and no leading zero)"},
		{name: "far numbers", spec: "g.csv", text: "0,1\n5,999999\n", want: "error: g.csv:2: node numbers go up to 999999 in a file of 2 rows: are they node numbers or labels? (give ids=number or ids=label)"},
		{name: "node limit", spec: "g.csv", text: "0,99999999999\n0,99999999\n",
			want: "error: g.csv:1:3: node 99999999999 exceeds the limit of 67108864 nodes (ids=label reads every id as a label)\n" +
				"g.csv:2:3: node 99999999 exceeds the limit of 67108864 nodes (ids=label reads every id as a label)"},
		{name: "past nodes=", spec: "g.csv?nodes=2", text: "0,2\n", want: "error: g.csv:1:3: node 2 is out of range: the 2 nodes are 0 to 1"},
		{name: "nodes= with labels", spec: "g.csv?nodes=2", text: "a,b\nb,a\n", want: "error: g.csv: the option nodes is for numbered nodes, but these have labels"},
		{name: "nodes= past the limit", spec: "g.csv?nodes=100000000", text: "a,b\n", want: "error: g.csv: nodes=100000000 exceeds the limit of 67108864 nodes"},
		{name: "nodes= as it was read", spec: "g.csv?nodes=99999999999", text: "a,b\n", want: "error: g.csv: nodes=99999999999 exceeds the limit of 67108864 nodes"},
		{name: "empty node of a column", spec: "g.csv?from=boss&to=id", text: "id,boss\nann,\nbob,ann\n", want: "error: g.csv:2:5: the node is empty (where=boss!= leaves out such rows)"},
		{name: "empty node", spec: "g.csv", text: "a,b\n,b\n", want: "error: g.csv:2:1: the node is empty"},
		{name: "empty node number", spec: "g.csv", text: "0,1\n1,\n", want: "error: g.csv:2:3: the node is empty"},
		{name: "invalid UTF-8", spec: "g.csv", text: "a,b\na,\xff\n", want: `error: g.csv:2:3: the label "\xff" is not valid UTF-8 (iconv, or saving it again as UTF-8, converts it)`},
		{name: "bad second row", kind: Matrix, spec: "g.csv", text: "1,2,3\n\"a\"b,c,d\n4,5,6\n", want: `error: g.csv:2:4: expected a separator after the closing quote, found "b" (a quote inside a quoted field is written twice)`},
		{name: "NUL", spec: "g.edges", text: "a b\n\x00 b\na\x00b c\n", want: `error: g.edges:2:1: the label "\x00" contains a control character` + "\n" + `g.edges:3:1: the label "a\x00b" contains a control character`},
		{name: "quotes among blanks", spec: "g.edges", text: "  \"a b\"   c \nc d\n\"x\\ty\"\tc\n", want: `error: g.edges:3:7: expected a separator after the closing quote, found "\t" (a quote inside a quoted field is written twice)`},
		{name: "control character", spec: "g.csv", text: "a,b\rc,d\n", want: `error: g.csv:1:3: the label "b\rc" contains a control character`},
		{name: "bare quote", spec: "g.csv", text: "a,b\nx\"y,b\nc,d\n", want: "error: g.csv:2:2: a quote inside a field that does not begin with one (put the whole field in quotes and double the quote inside it)"},
		{name: "text after quote", spec: "g.csv", text: "a,b\n\"a\"x,b\n", want: "error: g.csv:2:4: expected a separator after the closing quote, found \"x\" (a quote inside a quoted field is written twice)"},
		{name: "open quote", spec: "g.csv", text: "a,b\nc,\"d\ne,f\n", want: "error: g.csv:2:3: the quote that opens here is not closed"},
		{name: "open quote in first row", spec: "g.csv", text: "c,\"d\n", want: "error: g.csv:1:3: the quote that opens here is not closed"},
		{name: "open quote, second line", spec: "g.csv", text: "\"a\nb\",\"c\n", want: "error: g.csv:2:4: the quote that opens here is not closed"},
		{name: "weight", spec: "g.csv", text: "source,target,w\n0,1,3 kg\n", want: `error: g.csv:2:5: expected a number, found "3 kg"`},
		{name: "no such column", spec: "g.csv?source=payer", text: "from,to\n0,1\n", want: `error: g.csv:1: source=payer: no such column (the columns are "from", "to")`},
		{name: "no such column, by from", spec: "g.csv?from=payer", text: "from,to\n0,1\n", want: `error: g.csv:1: from=payer: no such column (the columns are "from", "to")`},
		{name: "no such position", spec: "g.csv?target=3", text: "0,1\n", want: "error: g.csv:1: target=3: expected a column from 1 to 2 (fields are separated by commas here)"},
		{name: "position zero", spec: "g.csv?source=0", text: "0,1\n", want: "error: g.csv:1: source=0: expected a column from 1 to 2 (fields are separated by commas here)"},
		{name: "same column", spec: "g.csv?source=2", text: "0,1\n", want: "error: g.csv:1: from and to are both column 2 (give from= and to=; a shell ends a command at an & outside quotes)"},
		{name: "two columns of a name", spec: "g.csv?source=a&target=b", text: "a,a,b\n0,1,2\n", want: "error: g.csv:1: source=a: two columns have this name (give the position)"},
		{name: "names without header", spec: "g.csv?header=no&source=a", text: "0,1\n", want: "error: g.csv: columns are given by name, but header=no says that they have no names (give positions, counted from 1)"},
		{name: "many columns", spec: "g.csv?source=zz", text: "a,b,c,d,e,f,g,h,i,j,k,l\n", want: `error: g.csv:1: source=zz: no such column (the columns are "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", and 2 more)`},
		{name: "truncated gzip", spec: "g.csv", text: gz(strings.Repeat("0,1\n", 1000))[:30], want: "error: g.csv: the gzip data ends early: the file is truncated"},
		{name: "damaged gzip", spec: "g.csv", text: gz("0,1\n")[:12] + "\xff\xff\xff\xff" + gz("0,1\n")[16:], want: "error: g.csv: the gzip data is damaged"},
		{name: "gzip checksum", spec: "g.csv", text: gz("0,1\n")[:len(gz("0,1\n"))-8] + "abcdefgh", want: "error: g.csv: the gzip data is damaged: the checksum does not match"},
		{name: "after gzip", spec: "g.csv", text: gz("0,1\n") + gz("1,2\n") + "not gzip, x\n", want: "error: g.csv: the gzip data is followed by 12 bytes that are not gzip"},
		{name: "zeros after gzip", spec: "g.csv", text: gz("0,1\n") + "\x00", want: "error: g.csv: the gzip data is followed by 1 byte that is not gzip"},
		{name: "much after gzip", spec: "g.csv", text: gz(strings.Repeat("0,1\n", 100000)) + strings.Repeat("\x1f", 2*maxNotGzip), want: "error: g.csv: the gzip data is followed by at least 1048576 bytes that are not gzip"},
		{name: "gzip header", spec: "g.csv", text: "\x1f\x8b\x00abcdefghijk", want: "error: g.csv: the gzip data is damaged"},
		{name: "dup for a graph", spec: "g.csv?dup=sum", text: "0,1\n", want: "error: g.csv: the option dup does not apply to a graph read from csv (dup is for matrices given as edges)"},
		{name: "header for JSON", spec: "g.json?header=no", text: "[[0,1]]", want: "error: g.json: the option header does not apply to a graph read from json (header is for CSV, TSV and edge lists)"},
		{name: "scalar", kind: Scalar, spec: "x.csv", text: "1\n", want: "bool scalar: 1"},
		{name: "scalar with a header", kind: Scalar, spec: "x.csv", text: "value\n-2.5\n", want: "real scalar: -2.5"},
		{name: "scalar of a table", kind: Scalar, spec: "x.csv?weight=credit&where=name==bolt", text: "name,credit\nacme,1\nbolt,7\n", want: "int scalar: 7\nwhere: x.csv: where= leaves out 1 of 2 rows"},
		{name: "many scalars", kind: Scalar, spec: "x.csv?weight=credit", text: "name,credit\nacme,1\nbolt,7\n", want: "error: x.csv: expected one number, found 2 (where= selects rows)"},
		{name: "scalar of two columns", kind: Scalar, spec: "x.csv", text: "name,credit\nacme,1\n", want: "error: x.csv:1: which of the 2 columns holds the values? (give weight=)"},
		{name: "no scalar", kind: Scalar, spec: "x.csv", text: "value\n", want: "error: x.csv: the file has no values"},
	})
}

func TestTextMatrices(t *testing.T) {
	runCases(t, []loadCase{
		{name: "three columns", kind: Matrix, spec: "w.csv", text: "0,1,2\n1,0,3\n", want: "int 2x2: 0>1=2 1>0=3"},
		{name: "two columns", kind: Matrix, spec: "w.csv", text: "0,1\n1,0\n", want: "bool 2x2: 0>1 1>0"},
		{name: "all one", kind: Matrix, spec: "w.csv", text: "0,1,1\n1,0,0\n", want: "bool 2x2: 0>1\nzero-weight: w.csv: 1 edge of weight 0 left out: in a matrix, 0 means no edge; default=inf keeps weight 0 and makes a missing edge infinite"},
		{name: "header, third column", kind: Matrix, spec: "w.csv", text: "from,to,amount\na,b,2.5\n", want: `real 2x2: 0>1=2.5 ["a" "b"]`},
		{name: "named weight", kind: Matrix, spec: "w.csv", text: "from,to,date,Weight\na,b,1,-2e1\n", want: "int 2x2: 0>1=-20 [\"a\" \"b\"]\nunused: w.csv:1: columns not used (1 row): \"date\""},
		{name: "weight=", kind: Matrix, spec: "w.csv?weight=4", text: "0,1,9,5\n", want: "int 2x2: 0>1=5\nunused: w.csv:1: columns not used (1 row): 3"},
		{name: "which column", kind: Matrix, spec: "w.csv", text: "0,1,9,5\n", want: "error: w.csv:1: which of the 4 columns holds the weights? (give weight=, or weight=none to make every row weigh 1)"},
		{name: "weight=none", kind: Matrix, spec: "w.csv?weight=none", text: "0,1,9,5\n", want: "bool 2x2: 0>1\nunused: w.csv:1: columns not used (1 row): 3, 4"},
		{name: "duplicates", kind: Matrix, spec: "w.csv", text: "0,1,2\n1,0,3\n0,1,5\n",
			want: "error: w.csv:3: two weights for one edge: 0 -> 1 is on line 1 and again on line 3 (dup=min, dup=max, dup=sum or dup=first combines them)"},
		{name: "many duplicates", kind: Matrix, spec: "w.csv", text: "a,b,2\na,b,3\na,b,5\n",
			want: "error: w.csv:2: two weights for one edge: \"a\" -> \"b\" is on line 1 and again on line 2 (dup=min, dup=max, dup=sum or dup=first combines them)\nw.csv: and 1 more error"},
		{name: "dup=min", kind: Matrix, spec: "w.csv?dup=min", text: "0,1,2\n1,0,3\n0,1,-5\n", want: "int 2x2: 0>1=-5 1>0=3"},
		{name: "dup=error", kind: Matrix, spec: "w.csv?dup=error", text: "0,1,2\n0,1,2\n",
			want: "error: w.csv:2: two weights for one edge: 0 -> 1 is on line 1 and again on line 2 (dup=min, dup=max, dup=sum or dup=first combines them)"},
		{name: "dup=sum", kind: Matrix, spec: "w.csv?dup=sum", text: "0,1,2\n1,0,3\n0,1,5\n", want: "int 2x2: 0>1=7 1>0=3"},
		{name: "dup=sum to zero", kind: Matrix, spec: "w.csv?dup=sum", text: "0,1,2\n1,0,1\n0,1,-2\n", want: "bool 2x2: 1>0\nzero-weight: w.csv: 1 edge of weight 0 left out: in a matrix, 0 means no edge; default=inf keeps weight 0 and makes a missing edge infinite"},
		{name: "dup=sum of ones", kind: Matrix, spec: "w.csv?dup=sum", text: "0,1\n1,0\n0,1\n", want: "int 2x2: 0>1=2 1>0=1"},
		{name: "dup=max", kind: Matrix, spec: "w.csv?dup=max", text: "0,1,2\n1,0,3\n0,1,5\n", want: "int 2x2: 0>1=5 1>0=3"},
		{name: "dup=first", kind: Matrix, spec: "w.csv?dup=first", text: "0,1,2\n1,0,3\n0,1,5\n", want: "int 2x2: 0>1=2 1>0=3"},
		{name: "default=inf", kind: Matrix, spec: "w.csv?default=inf", text: "0,1,0\n1,0,2\n", want: "far real 2x2: 0>1=0 1>0=2"},
		{name: "default=inf, dup=sum", kind: Matrix, spec: "w.csv?default=inf&dup=sum", text: "0,1,2\n1,0,1\n0,1,-2\n", want: "far real 2x2: 0>1=0 1>0=1"},
		{name: "default=inf without weights", kind: Matrix, spec: "w.csv?default=inf", text: "0,1\n1,0\n", want: "far real 2x2: 0>1=1 1>0=1"},
		{name: "default=inf without rows", kind: Matrix, spec: "w.csv?default=inf&nodes=2", text: "source,target,weight\n", want: "far real 2x2:"},
		{name: "default=0 of a matrix", kind: Matrix, spec: "w.csv?default=0", text: "0,1,0\n", want: "error: w.csv: the option default does not apply to a matrix read from csv (default is for vectors with one row per node; default=inf is for matrices)"},
		{name: "default=inf of a graph", spec: "w.csv?default=inf", text: "0,1\n", want: "error: w.csv: the option default=inf does not apply to a graph read from csv (default=inf is for matrices given as edges)"},
		{name: "default=inf of a vector", kind: Vector, spec: "w.csv?default=inf", text: "0,1\n", want: "error: w.csv: the option default=inf does not apply to a vector read from csv (default=inf is for matrices given as edges)"},
		{name: "two signs", kind: Matrix, spec: "w.csv", text: "a,b,1\nb,a,--1\n", want: "error: w.csv:2:5: expected a number, found \"--1\" (weight=none ignores the weights)"},
		{name: "sum past 2^53", kind: Matrix, spec: "w.csv?dup=sum", text: "0,1,9007199254740991\n0,1,1\n", want: "error: w.csv: the sum of the weights of one edge is at or past 2^53, where integers stop being exact"},
		{name: "sum to infinity", kind: Matrix, spec: "w.csv?dup=sum", text: "0,1,1.5e308\n0,1,1.5e308\n", want: "error: w.csv: the sum of the weights of one edge is too large"},
		{name: "2^53", kind: Matrix, spec: "w.csv", text: "0,1,9007199254740992\n", want: "error: w.csv:1:5: the integer 9007199254740992 is at or past 2^53, where integers stop being exact (as a real number, 9007199254740992.0, it is rounded)"},
		{name: "largest integer", kind: Matrix, spec: "w.csv", text: "0,1,-9007199254740991\n", want: "int 2x2: 0>1=-9.007199254740991e+15"},
		{name: "NaN and the like", kind: Matrix, spec: "w.csv", text: "0,1,NaN\n0,2,-Inf\n0,3,1e999\n0,4,\n0,5,1-\n0,6,0x10\n0,7,1_0\n", want: "error: w.csv:1:5: expected a finite number, found \"NaN\"\n" +
			"w.csv:2:5: expected a finite number, found \"-Inf\"\nw.csv:3:5: the number \"1e999\" is too large (weight=none ignores the weights)\nw.csv:4:5: expected a number, found nothing (weight=none ignores the weights)\n" +
			"w.csv:5:5: expected a number, found \"1-\" (weight=none ignores the weights)\nw.csv:6:5: expected a number, found \"0x10\" (weight=none ignores the weights)\nw.csv:7:5: expected a number, found \"1_0\""},
	})
}

func TestTextVectors(t *testing.T) {
	runCases(t, []loadCase{
		{name: "one column", kind: Vector, spec: "v.csv", text: "1\n-2\n+3\n", want: "int 3: 1 -2 3"},
		{name: "header", kind: Vector, spec: "v.csv", text: "value\n1\n0\n", want: "bool 2: 1 0"},
		{name: "negative zero", kind: Vector, spec: "v.csv", text: "-0\n-0.0\n2\n", want: "int 3: 0 0 2"},
		{name: "real", kind: Vector, spec: "v.csv", text: "1e300\n.5\n", want: "real 2: 1e+300 0.5"},
		{name: "nodes and values", kind: Vector, spec: "v.csv", text: "1,5\n0,4\n", want: "int 2: 4 5"},
		{name: "nodes=", kind: Vector, spec: "v.csv?nodes=3&default=-1", text: "node,x\n1,5\n0,4\n", want: "int 3: 4 5 -1"},
		{name: "missing", kind: Vector, spec: "v.csv", text: "7,5\n0,4\n", want: "error: v.csv: no value for 1, 2, 3, 4, 5 and 1 more (default=0 sets the missing values to 0)"},
		{name: "columns by name", kind: Vector, spec: "v.csv?source=id&weight=x", text: "x,y,id\n5,,0\n", want: "int 1: 5"},
		{name: "source only", kind: Vector, spec: "v.csv?source=2", text: "5,0\n6,1\n", want: "int 2: 5 6"},
		{name: "weight only", kind: Vector, spec: "v.csv?weight=y", text: "x,y,id\n5,6,0\n", want: "int 1: 6"},
		{name: "which column", kind: Vector, spec: "v.csv", text: "1,2,3\n", want: "error: v.csv:1: which of the 3 columns holds the values? (give weight=, and from= for the column of the nodes)"},
		{name: "same column", kind: Vector, spec: "v.csv?source=1&weight=1", text: "1,2\n", want: "error: v.csv:1: from and weight are both column 1"},
		{name: "set", kind: Vector, spec: "v.csv?extra=add", text: "node\n2\n0\n", want: "bool 3: 1 0 1"},
		{name: "set that is not told", kind: Vector, spec: "v.csv", text: "a\nb\n", want: "error: v.csv:2:1: expected a number, found \"b\" (from=1 reads the nodes of a set, and header=yes their name above)"},
		{name: "set of labels", kind: Vector, spec: "v.tsv?from=who&extra=add", text: "who\na\nb\n", want: "bool 2: 1 1 [\"a\" \"b\"]"},
		{name: "set without header", kind: Vector, spec: "v.csv?weight=none&nodes=4&default=-1", text: "1\n", want: "int 4: -1 1 -1 -1"},
		{name: "set of some rows", kind: Vector, spec: "v.csv?from=id&weight=none&where=x>5&nodes=3", text: "x,id\n7,1\n2,0\n", want: "bool 3: 0 1 0\nwhere: v.csv: where= leaves out 1 of 2 rows"},
		{name: "bad source", kind: Vector, spec: "v.csv?source=9", text: "1,2\n", want: "error: v.csv:1: source=9: expected a column from 1 to 2 (fields are separated by commas here)"},
		{name: "bad weight", kind: Vector, spec: "v.csv?weight=9", text: "1,2\n", want: "error: v.csv:1: weight=9: expected a column from 1 to 2 (fields are separated by commas here)"},
		{name: "default without nodes", kind: Vector, spec: "v.csv?default=1", text: "1\n", want: "error: v.csv: the options default, extra, ids and nodes are for a vector with a column of nodes (this one has values only; from= names that column)"},
		{name: "no values", kind: Vector, spec: "v.csv", text: "value\n", want: "error: v.csv: the file has no values"},
		{name: "blank line", kind: Vector, spec: "v.csv", text: "1\n\n2\n\n", want: "error: v.csv:2:1: a blank line among the values"},
		{name: "semicolons", kind: Vector, spec: "v.csv", text: "node;x\n0;5\n1;2,5\n", want: "error: v.csv:3:3: expected a number, found \"2,5\" (a number is written as 1234.5, without commas)"},
		{name: "semicolons below", kind: Vector, spec: "v.csv", text: "x\n0;5\n", want: "error: v.csv:2:1: expected a number, found \"0;5\" (fields are separated by commas here, by semicolons only if the first row has no comma)"},
		{name: "semicolons without a header", kind: Vector, spec: "v.edges", text: "0;5\n", want: "error: v.edges:1:1: expected a number, found \"0;5\" (fields are separated by blanks here; format=csv reads semicolons)"},
		{name: "tabs in CSV", kind: Vector, spec: "v.csv", text: "0\t5\n", want: "error: v.csv:1:1: expected a number, found \"0\\t5\" (fields are separated by commas here; format=tsv reads tabs)"},
		{name: "blanks in CSV", kind: Vector, spec: "v.csv", text: "0 5\n", want: "error: v.csv:1:1: expected a number, found \"0 5\" (fields are separated by commas here; format=edges reads blanks)"},
		{name: "a comma that is none", kind: Vector, spec: "v.csv", text: "1\n\"0,5\"\n", want: "error: v.csv:2:1: expected a number, found \"0,5\" (a number is written as 1234.5, without commas)"},
		{name: "second value", kind: Vector, spec: "v.csv", text: "0,1\n1,2\n0,3\n", want: "error: v.csv:3: a second value for 0: it is on line 1 and again on line 3"},
		{name: "labels without graph", kind: Vector, spec: "v.csv", text: "a,1\nb,2\n", want: `error: v.csv:1: "a" is not a node of any graph in the program (extra=ignore skips the rows of such nodes; extra=add adds the nodes)
v.csv:2: "b" is not a node of any graph in the program (extra=ignore skips the rows of such nodes; extra=add adds the nodes)`},
		{name: "bad header", kind: Vector, spec: "v.csv", text: "nan\n1\n", want: `error: v.csv:1:1: expected a finite number, found "nan"`},
	})
}

func TestManyBadRows(t *testing.T) {
	text := "0,1\n" + strings.Repeat("0\n", 10) + strings.Repeat("0,x\n", 15)
	_, _, _, err := load(t, Graph, "g.csv", text)
	var list *ErrorList
	if !errors.As(err, &list) || len(list.List) != 20 || list.More != 5 {
		t.Fatalf("got %v", err)
	}
	if !strings.HasSuffix(err.Error(), "\ng.csv: and 5 more errors") {
		t.Errorf("got %v", err)
	}
	var one *Error
	if !errors.As(err, &one) || one.Line != 2 {
		t.Errorf("first error is %v", one)
	}
	// An error that ends the reading is not the one left out.
	text += "\"" + strings.Repeat("x", 10)
	full := gz(text + strings.Repeat("0,1\n", 100000))
	_, _, _, err = load(t, Graph, "g.csv", full[:len(full)-9])
	if err == nil || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("got %v", err)
	}
}
