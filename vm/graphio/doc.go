// Package graphio reads graphs, matrices, vectors and numbers from files and binds them to the
// inputs of a program over one set of nodes.
//
// [ParseSpec] splits an argument of the command line into a file and its [Options]; [Read] turns
// one file, an [io.Reader], into a [Raw]: its rows, before the nodes of other files are known;
// [Bind] makes the values of all declared inputs ([Decl]) once every file is read. A [Decl] of
// kind [Relation] has columns; a [Table] is a source of values rather than
// text, such as Parquet ([ReadTable]). The package opens no files; package bind does.
//
// Nothing is dropped, clamped or guessed. Doubtful data is an error with file, line and column
// ([ErrorList]), or has a documented reading with a [Warning]; unused data is named and counted.
// An error lists up to 20 bad rows of a file and counts the others.
//
// # Formats
//
// The name's ending decides the format (options.go; each also with .gz); for other names and
// standard input, the first bytes do. Gzip is recognised by its first two bytes; it may have
// several members, with nothing after them. Text is UTF-8, with or without byte order mark, or
// UTF-16 with one, in lines that end in LF or CRLF.
//
//   - CSV: RFC 4180, with commas, or semicolons if the first line has some and no comma, or the
//     separator of a first line sep=; (or , | tab). Quotes are strict, as in encoding/csv: a
//     quote inside an unquoted field, and anything but a separator after a closing quote, are
//     errors. There are no comments. Blanks around an unquoted field do not belong to it. Blank
//     lines are skipped, but an error between the values of a vector of one column. Every row has
//     as many fields as the first.
//   - TSV: the same with tabs. Lines that begin with # are comments; after the first row a
//     warning counts them. A label that begins with # is quoted.
//   - Edge list (edges): separated by tab if the first row has one, else by comma if it has one,
//     else by blanks, which in a row with quotes are spaces. Comments begin with # or %. This is
//     also how text of unknown name is read.
//   - Matrix Market: coordinate and array; real, integer, unsigned-integer, pattern; general,
//     symmetric, skew-symmetric. Node i of the file is node i-1. A symmetric file holds its lower
//     triangle only. A graph must be square. Lines that begin with % are comments; after the
//     sizes a warning counts them.
//   - JSON lines (jsonl): the items of a JSON array, each on a line of its own.
//   - JSON: by RFC 7493, in which duplicate keys and invalid UTF-8 are errors. For a graph, rows
//     of two ([[0,1],["a","b"]]) are edges and a square array of any other size is the 0/1 matrix
//     itself; two pairs that would be another graph as a matrix give a warning. For a matrix an
//     array of arrays is dense unless it begins with a label. Both can be an object {"n": 5,
//     "edges": [...]} or {"nodes": [...], "edges": [...]}, each edge [source, target], [source,
//     target, weight] or {"source": s, "target": t, "weight": w}, either all of them with a
//     weight or none; from=, to= and weight= give these fields other names. "nodes" is a number,
//     labels, the numbers 0 to n-1, or objects with an "id"; where nodes are labels, the ends of
//     edges are labels or positions in the list. "links" is read as "edges"; "directed": false
//     gives every edge both directions. "graph", "multigraph" and other fields of nodes and edges
//     are not used, which a warning says unless "graph" is {} or "multigraph" is false. Any other
//     key is an error. A vector is an array of numbers or an object from node to number, a scalar
//     is a number.
//   - NPY: versions 1 to 3, f2 f4 f8 i1-i8 u1-u8 b1, both byte orders, C and Fortran order. The
//     rank is 2 for a graph or matrix, 1 for a vector, 0 for a scalar. Pickled objects,
//     structured arrays and other types are refused.
//
// Tables of values ([ReadTable]), from Parquet files and queries, follow the rules for rows of
// text, with their own column names. A text is never a number, whatever it looks like.
//
// # Columns and header
//
// Columns are given by name or by position from 1; digits alone are always a position. source=
// and target= are synonyms of from= and to=. Without options, source and target are the columns
// so named (source/target, source/destination, src/dst, src/dest, src/tgt, from/to,
// fromnode/tonode, with or without "id" at the end, in any case), else the first two.
//
// The first row is a header if header=yes, if a column is given by name, or if it holds such a
// pair of names, and data if header=no or if one of its nodes is a number. Otherwise the rows
// below decide. The first row is data if one of its cells is a node there. It is a header, with a
// note, if it has words, and no number, above columns of numbers; or if none of its cells occurs
// below, no number stands above numbers, and all other rows (98 % of them from 50 rows on) have a
// node that occurs in another row. Anything else is an error that asks for header=yes or
// header=no. A vector has a header if its first value is a word.
//
// where= keeps the rows whose cell in a column compares with a value: == and != as numbers where
// both are, else byte by byte; < <= > >= ask for numbers. A number for its column needs a header
// that is known or an option that says so. A note counts the rows left out.
//
// weight= may be such a comparison: the weight is then 1 where it holds and 0 elsewhere. onehot=
// makes a matrix with a row for each node and a column for each value of a column, ordered by
// bytes; a note lists these values, and counts the nodes without a row.
//
// # Weights
//
// One rule holds for graphs and matrices in every format. The weight of an edge is in the column
// or field that weight= names, else in one called weight or w, else in the third of three, unless
// that is the index of pandas; weight=none reads none. Without weights every edge weighs 1, but a
// matrix of more than two columns must say which. In a graph a third column that has another name
// and does not begin with a number is no weight; a warning counts the numbers further down in it.
// An edge of weight 0 is none, and a graph counts those in a warning. A note says if the weights
// could be nodes, as in an adjacency list of a node and two neighbours in each row.
//
// Everything else in a row is unused: one warning for each file names the columns with the number
// of rows, or the fields with their number.
//
// A vector has its nodes in from= and its values in weight=. By default one column is the values,
// and two are nodes and values. With weight=none, or a single column that is called node or is
// from=, the file is a set: 1 at its nodes, 0 at all others. A scalar is a column of one row.
//
// # Nodes
//
// The nodes of a file are numbers if its first id is one (digits, no leading zero; in JSON a
// number, however it is spelled), else labels. A mixture is an error, since reading either as the
// other would renumber the nodes: ids=label reads numbers as labels, ids=number insists on
// numbers. All graphs of a program and all matrices given as edges (not as an array or Matrix
// Market file, which have axes of their own) share one set of nodes; numbers in one and labels in
// another are an error.
//
// Numbered nodes are 0 to n-1, where n comes from a file (n, nodes, Matrix Market, a dense array)
// or nodes=; these must agree, and no id may exceed them. Otherwise n is one more than the
// largest id in any graph; if that is more than 10 times the rows of its file plus 1000, Bind
// asks for ids=number or ids=label. A note says if no row has node 0. Labelled nodes come in the
// order of first appearance: the labels of the program, then those of the inputs in the order of
// their declaration, in each row the source before the target. A label of the program that no
// input has gives a warning. A program without any node is an error.
//
// A vector by node, and a matrix of onehot=, name nodes of the graphs. Rows for others are
// errors; extra=ignore skips them, extra=add makes nodes of them, after those of all graphs, and
// a note counts them.
//
// Labels are compared byte by byte. Empty ones, invalid UTF-8 and control characters are errors.
//
// # Values
//
// A graph becomes a 0/1 square matrix, sparse unless it came as an array that is smaller as bits.
// Equal edges are merged with a warning that counts them. A dense array must hold 0 and 1 only.
//
// A matrix of edges becomes sparse, one of an array dense. Its kind is the narrowest that holds
// its values. Two weights for one pair of nodes are an error naming both lines, unless dup= is
// min, max, sum or first.
//
// A vector by node must give every node of the program one value; default= is the value of nodes
// that it does not list.
//
// Numbers are finite, and integers (written without point or exponent) below 2^53 in magnitude.
//
// # Limits
//
// 4 GiB of decompressed data, 2^26 nodes, 2^28 edges (mirrored ones counted), 2^27 elements of a
// dense array, 1 MiB for a line, a quoted record, a JSON string, number or run of white space, or
// an item of a JSON array that is an edge or a node, 64 KiB for the header of an .npy file, 64
// levels of skipped JSON. The first four are options. To exceed one is an error with Limit set.
//
// # Memory
//
// Memory in proportion to the data is first taken from Options.Ledger, which may refuse it: an
// error with the line reached, and Limit set. Buffers take a quarter of a megabyte more. Memory
// grows with the data that has arrived, never with what a header announces, except for 4 bytes a
// node.
//
// While a file is read an edge takes 8 bytes, 8 more for its weight, and its label or line where
// these follow no rule. A matrix of n nodes and m edges takes 4n + 4m bytes, or 4n + 12m with
// weights, and while it is made 16 or 24 for each edge of the fullest 1/256 of its rows. A label
// takes its text, 16 bytes, and 24 to 48 more while the file is read. An array of announced
// length takes an eighth more than itself, others twice as much as themselves.
//
// # The code
//
// Read goes through an input, which unpacks, bounds and counts (input.go), and ends with a [Raw],
// what one file says before it is known which nodes the others have. Every format of rows is a
// source (rows.go) of cells with their places, and one table (text.go) takes them all: it finds
// the columns, filters, and adds edges, values or tuples. A first row that may be a header
// (header.go) waits as the first edge until the rows below decide. Arrays of all formats fill one
// dense (raw.go). Bind then numbers the nodes of all files and builds each value (bind.go,
// csr.go).
//
// Libraries parse CSV, JSON and the rest, except for rows without quotes, which rows.go splits
// several times as fast. Bad rows are collected in a report; an error that ends the reading at
// once is a panic, which Read and Bind return (caught).
package graphio
