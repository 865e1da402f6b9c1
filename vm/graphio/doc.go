// Package graphio reads graphs, matrices, vectors and numbers from files and
// binds them to the inputs of a program over one set of nodes.
//
// [ParseSpec] takes a command-line argument apart, [Read] reads one file from
// an [io.Reader], and [Bind] makes the values once every file is read. The
// package opens no files. Nothing is dropped, clamped or guessed: what cannot be
// read for sure is an error with file, line and column, or a documented reading
// with a [Warning], and what is not used is named with its count. Up to 20 bad
// rows of a file are listed; the others are counted.
//
// # Formats
//
// The name tells the format (by the endings in options.go, each also with .gz); for
// other names and for standard input the first bytes do. Gzip is recognised by its first two bytes in any of them; it may
// have several members, and nothing else after them. Text is UTF-8, with or
// without byte order mark, or UTF-16 with one, lines ending in LF or CRLF.
//
//   - CSV: RFC 4180, commas, or semicolons if the first line has some and no comma, or what
//     a first line sep=; (or , | tab) says; quotes, quoted line ends, as encoding/csv reads them without lazy quotes: a
//     quote in a field that does not begin with one, and anything but a separator
//     after a closing one, are errors. No comments. Blanks around an unquoted field do
//     not belong to it. Blank lines are no rows, but are an error between the values of
//     a vector of one column. Every row has as many fields as the first.
//   - TSV: the same with tabs. Lines that begin with # are comments; after the
//     first row a warning counts them. A label that begins with # is quoted.
//   - Edge list (edges): separated by tab if the first row has one, else by
//     comma if it has one, else by blanks, which in a row with quotes are spaces.
//     Comments begin with # or %. This is also how text of unknown name is read.
//   - Matrix Market: coordinate and array; real, integer,
//     unsigned-integer, pattern; general, symmetric, skew-symmetric. Node i of the file is node i-1. A symmetric
//     file holds its lower triangle only. A graph must be square. Lines that
//     begin with % are comments; after the sizes a warning counts them.
//   - JSON lines (jsonl): the items of a JSON array, each on a line of its own.
//   - JSON: as RFC 7493 has it, so a key given twice and invalid UTF-8 are errors.
//     For a graph, rows of two ([[0,1],["a","b"]]) are edges and a square
//     array of any other size is the 0/1 matrix itself; two pairs that would be
//     another graph as a matrix give a warning. For a matrix an array of
//     arrays is dense unless it begins with a label. Both can be an object
//     {"n": 5, "edges": [...]} or {"nodes": [...], "edges": [...]}, each edge
//     [source, target], [source, target, weight] or
//     {"source": s, "target": t, "weight": w}, either all of them with a weight
//     or none; from=, to= and weight= give these fields other names. "nodes"
//     is a number, labels, the numbers 0 to n-1, or objects with an "id"; where nodes are labels, the ends of edges are labels or positions
//     in the list. "links" is read as "edges"; "directed": false gives every edge
//     both directions. "graph", "multigraph" and other fields of nodes and edges
//     are not used, which a warning says unless "graph" is {} or "multigraph" is
//     false. Any other key is an error. A vector is an
//     array of numbers or an object from node to number, a scalar is a number.
//   - NPY: versions 1 to 3, f2 f4 f8 i1-i8 u1-u8 b1, both byte orders, C and
//     Fortran order. The rank is 2 for a graph or matrix, 1 for a vector, 0 for
//     a scalar. Pickled objects, structured arrays and other types are refused.
//
// Tables that come as values ([ReadTable]), those of Parquet files and of queries, are
// read by the rules for rows of text, under the names they have. A text is no number,
// whatever it looks like.
//
// # Columns and header
//
// Columns are given by name or by position from 1; digits alone are always a
// position. source= and target= are other names of from= and to=. Without options, source and target are the columns so named
// (source/target, source/destination, src/dst, src/dest, src/tgt, from/to,
// fromnode/tonode, with or without "id" at the end, in any case), else the first
// two.
//
// The first row is a header if header=yes, if a column is given by name, or if it
// holds such a pair of names, and data if header=no or if one of its nodes is a
// number. Otherwise the rows below decide. It is data when one of its cells is a
// node there. It is a header, which a note names, when it has words, and no
// number, where all cells below are numbers; or when nothing of it occurs below,
// no number stands above numbers, and all other rows (98 % of them from 50 rows
// on) have a node that occurs in another row. Anything else is an error that asks
// for header=yes or header=no. A vector has a header when the first value is a
// word.
//
// where= keeps the rows whose cell in a column compares with a value: == and != as
// numbers where both are, else byte by byte; < <= > >= ask for numbers. A number
// for its column needs a header that is known or an option that says so. A note
// counts the rows left out.
//
// weight= may be such a comparison: the weight is then 1 where it holds and 0 elsewhere.
// onehot= makes a matrix with a row a node and a column for each value of a column, in
// their order as bytes; a note says which is which, and counts the nodes without a row.
//
// # Weights
//
// One rule holds for graphs and matrices in every format. The weight of an edge
// is in the column or field that weight= names, else in one called weight or w,
// else in the third of three, if that is not the index of pandas; weight=none reads none. In a graph, a third one of
// another name that does not begin with a number is no weight; without any every
// edge weighs 1, but a matrix of more than two columns asks. An edge of weight 0
// is none, and a graph counts those in a warning. So it does with numbers further
// down in a third column of text that does not begin with one. A note says if third numbers read
// as weights could be nodes, as in an adjacency list of a node and two neighbours in each row.
//
// What else there is in a row is not used: one warning a file names the columns
// with the number of rows, or the fields with the number of times.
//
// A vector has its node in from= and its value in weight=: by default one
// column is the values, and two are the nodes and the values. With weight=none, and where a
// single column is called node or is from=, the nodes are those of a set: 1 there, and 0 at
// all others. A scalar is the one row of a column.
//
// # Nodes
//
// The nodes of a file are numbers if its first id is one (digits, no leading
// zero; in JSON a number, however it is spelled), else labels. A file that has both is an error, since
// reading either for the other would renumber the nodes: ids=label reads
// numbers as labels, ids=number insists on numbers. All graphs of a program and
// all matrices given as edges (not as an array or Matrix Market file, which
// have axes of their own) share one set of nodes; numbers in one and labels in
// another is an error.
//
// Numbered nodes are 0 to n-1, where n is what a file (n, nodes, Matrix Market,
// a dense array) or nodes= says; these must agree, and no id may be past them.
// Otherwise n is one more than the largest id in any graph; if that is more than
// 10 times the rows of its file plus 1000, Bind asks for ids=number or
// ids=label. A note says if no row has node 0. Labelled nodes come in the order of first appearance: the labels
// of the program, then those of the inputs in the order of their declaration,
// in each row the source before the target. A label of the program that no
// input has gives a warning. A program without any node is an error.
//
// A vector by node, and a matrix of onehot=, names nodes that graphs have. All rows for
// others are errors; extra=ignore leaves them out and counts them in a note, extra=add
// makes nodes of them, after those of all graphs, which a note counts too.
//
// Labels are compared byte by byte. Empty ones, invalid UTF-8 and control
// characters are errors.
//
// # Values
//
// A graph becomes a 0/1 square matrix, sparse unless it came as an array that is
// smaller as bits. Equal edges are merged with a warning that counts them. A
// dense array must hold 0 and 1 only.
//
// A matrix of edges becomes sparse, one of an array dense. Its kind is the
// narrowest that holds its values. Two weights for one pair of nodes are an
// error naming both lines, unless dup= is min, max, sum or first.
//
// A vector by node must give every node of the program one value; default= is
// that of nodes it does not list.
//
// Numbers are finite, and integers (written without point or exponent) below
// 2^53 in magnitude.
//
// # Limits
//
// 4 GiB of decompressed data, 2^26 nodes, 2^28 edges (mirrored ones counted),
// 2^27 elements of a dense array, 1 MiB for a line, a quoted record, a JSON
// string, number or run of white space, or an item of a JSON array that is an edge
// or a node, 64 KiB for the header of an .npy file, 64 levels of skipped JSON. The
// first four are options.
// What passes one is an error with Limit set.
//
// # Memory
//
// Whatever is allocated in proportion to the data is first taken from
// Options.Ledger, which may refuse it: that is an error with the line reached,
// and a limit too. Besides that a file needs a quarter of a megabyte for buffers.
// Memory grows with the data that has arrived, never with what a header
// announces, except for 4 bytes a node.
//
// While it is read an edge takes 8 bytes, 8 more for its weight, and its label
// or line where they follow no rule; a matrix of n nodes and m edges is made of
// them in 4n + 4m bytes, or 4n + 12m with weights, and 16 or 24 for each edge of
// the fullest 1/256 of its rows. A label takes its text, 16
// bytes, and 24 to 48 more while the file is read. An array of announced length
// takes an eighth more than itself, others twice as much as themselves.
//
// # The code
//
// Read goes through an input, which unpacks, bounds and counts (input.go), and ends
// with a [Raw], what one file says before it is known which nodes the others have.
// Every format of rows is a source (rows.go) of cells with their places, and one
// table (text.go) takes them all: it finds the columns, filters, and adds edges, values
// or tuples. A first row that may be a header (header.go) waits as the first edge until
// the rows below decide. Arrays of all formats fill one dense (raw.go). Bind then
// numbers the nodes of all files and builds each value (bind.go, csr.go).
//
// Libraries do the syntax of CSV, JSON and the rest, except for rows without quotes,
// which rows.go splits several times as fast. Bad rows are collected in a report; what
// ends the reading at once is a panic with an error, which Read and Bind return (caught).
package graphio
