package stdlib

import "strings"

// Synonyms are the names that people bring from NetworkX, NumPy, SQL and Python,
// and how the same is written here: the name of a function, or an expression.
var Synonyms = map[string]string{
	"shortest_path": "path", "shortest_path_length": "dist", "bfs": "dist", "distance": "dist",
	"dijkstra": "wdist", "dijkstra_path": "wpath", "dijkstra_path_length": "wdist", "bellman_ford": "wdist",
	"descendants": "desc", "ancestors": "anc", "reachable": "reach", "transitive_closure": "tc", "closure": "tc",
	"neighbors": "children(A, i)", "successors": "children", "predecessors": "parents", "adjacency": "edges", "graph": "edges",
	"degree": "out_degree(A) + in_degree(A)", "degrees": "out_degree(A) + in_degree(A)",
	"connected_components": "components", "weakly_connected_components": "components", "strongly_connected_components": "scc",
	"topological_sort": "topo_order", "toposort": "topo_order", "topo": "topo_order", "articulation_points": "cut_nodes", "k_core": "core_number(A) >= k",
	"is_dag": "trace(tc(A)) == 0", "has_cycle": "trace(tc(A)) > 0", "is_connected": "max(components(A)) == 0", "eccentricity": "max(dist(A, i))", "subgraph": "S[i,j] = A[i,j] u[i] u[j]",
	"has_edge": "A[i,j]", "nodes": "size(A, 0)", "number_of_nodes": "size(A, 0)", "number_of_edges": "count(A)",
	"minimum_spanning_tree": "mst", "betweenness_centrality": "betweenness", "page_rank": "pagerank",
	"maximum_flow": "maxflow", "maximum_flow_value": "maxflow", "max_flow": "maxflow", "minimum_cut": "mincut", "minimum_cut_value": "maxflow", "min_cut": "mincut", "minimum_edge_cut": "mincut",
	"simple_cycles": "scc", "to_undirected": "sym", "reverse": "transpose", "reversed": "transpose", "density": "sum(A) / (n * (n - 1))",
	"len": "size(T, 0)", "shape": "size(T, 0)", "length": "size(T, 0)", "arange": "range", "identity": "eye",
	"matmul": "C[i,k] = A[i,j] B[j,k]", "dot": "s = u[i] v[i]", "einsum": "C[i,k] = A[i,j] B[j,k]",
	"cumsum": "C[i] = (range(n)[j] <= range(n)[i]) v[j]", "argsort": "rank", "sorted": "sort", "order_by": "sort", "top": "topk", "nlargest": "topk", "limit": "topk",
	"maximum": "max", "minimum": "min", "average": "mean", "avg": "mean", "median": "quantile(v, 0.5)", "percentile": "quantile",
	"norm": "sqrt(sum(v * v))", "var": "mean(v * v) - mean(v) * mean(v)", "std": "sqrt(mean(v * v) - mean(v) * mean(v))",
	"mod": "a - b * floor(a / b)", "int": "floor", "T": "transpose", "Graph": "edges", "DiGraph": "edges",
	"array": "[1, 2, 3]", "asarray": "[1, 2, 3]", "list": "[1, 2, 3]", "vector": "[1, 2, 3]", "matrix": "[[1, 2], [3, 4]]", "zeros_like": "zeros(size(A, 0), size(A, 1))", "ones_like": "ones(size(A, 0), size(A, 1))", "linspace": "a + (b - a) * range(n) / (n - 1)",
	"log10": "log(x) / log(10)", "log2": "log(x) / log(2)", "ln": "log", "clip": "clamp", "ceil": "-floor(-x)", "pow": "exp(y * log(x))", "power": "exp(y * log(x))", "hist": "histogram",
	"count_nonzero": "count", "nonzero": "count", "any": "max(v != 0)", "all": "min(v != 0)",
	"if": "where(p, a, b)", "else": "where(p, a, b)", "iif": "where(p, a, b)", "ifelse": "where(p, a, b)",
	"and": "both(u, v)", "or": "either(u, v)", "not": "complement(v)",
	"logical_and": "both", "logical_or": "either", "logical_not": "complement", "union": "either", "intersection": "both", "intersect": "both", "difference": "only",
}

// Without says why names that people look for have no counterpart here.
var Without = map[string]string{
	"unique": values, "distinct": values, "drop_duplicates": values,
	"inv": systems, "pinv": systems, "solve": systems, "lstsq": systems, "det": systems, "eig": systems, "eigvals": systems, "eigenvalues": systems, "eigenvectors": systems, "eigh": systems, "svd": systems,
	"sin": angles, "cos": angles, "tan": angles, "arcsin": angles, "arccos": angles, "arctan": angles, "atan2": angles,
	"reshape": shapes, "flatten": shapes, "ravel": shapes, "concatenate": shapes, "concat": shapes, "stack": shapes, "hstack": shapes, "vstack": shapes, "append": shapes, "zip": shapes,
	"load": files, "read": files, "open": files, "read_csv": files, "read_table": files, "read_json": files, "read_parquet": files, "read_sql": files, "loadtxt": files, "genfromtxt": files,
	"random": chance, "rand": chance, "randn": chance, "randint": chance, "shuffle": chance,
}

const (
	files   = "a program opens no file; data is bound to an `input`, as with `ein run --input A=FILE`"
	values  = "sizes are known before a program runs, and the number of different values is not; `histogram(v, lo, hi, n)` counts them in n bins, `rank(v)` orders them"
	systems = "there is no solver; a `repeat` can approach a fixed point step by step"
	angles  = "there are no functions of angles"
	shapes  = "tensors are not joined or reshaped; an equation such as `M[i,j] = u[i] v[j]` makes one with more axes"
	chance  = "the same program on the same data always gives the same; data is bound to an `input`"
)

// Constants are the values that other languages have names for, and how they are written here.
var Constants = map[string]string{
	"true": "1", "false": "0", "pi": "3.141592653589793", "inf": "(1 / 0)", "infinity": "(1 / 0)",
}

// keywords are the keywords of other languages that begin a statement (true) or stand between values
// (false), and what there is instead. Synonyms has others.
var keywords = map[string]struct {
	first bool
	note  string
}{
	"for": {note: loops}, "foreach": {note: loops}, "while": {note: forever},
	"lambda": {note: functions}, "function": {true, functions}, "fn": {true, functions}, "func": {true, functions},
	"print": {true, outputs}, "println": {true, outputs}, "echo": {true, outputs}, "show": {true, outputs}, "display": {true, outputs},
	"let": {true, assigns}, "var": {true, assigns}, "const": {true, assigns}, "local": {true, assigns},
	"return": {true, "A block has the value of its last statement, without a keyword."},
	"import": {true, modules}, "from": {true, modules}, "using": {true, modules}, "include": {true, modules},
	"why":  {true, "A row is explained by `:why Path(\"a\", \"b\")`."},
	"none": {note: missing}, "null": {note: missing}, "nil": {note: missing},
	"is":     {note: "To assign, write `=`; to compare, write `==`."},
	"order":  {note: "`sort(v)` orders the elements of a vector, and `ein run --sort` what is shown."},
	"group":  {note: "To group, compare with the group numbers: `Total[k] = sum(where(Shop[i] == K[k], Sales[i], 0))`."},
	"select": {true, tables}, "with": {true, tables}, "create": {true, tables}, "insert": {true, tables}, "match": {true, tables},
}

const (
	loops     = "There are no loops over elements: an equation such as `B[i] = 2 A[i]` is about all of them. `repeat 10 { ... }` repeats statements."
	forever   = "There is no `while`, since every program ends: `repeat 10 { ... }` repeats statements, `tc`, `dist` and recursive rules go on until nothing changes."
	functions = "A function is written `def name(p, q) = value`."
	outputs   = "Outputs are printed with `:print x, y`."
	missing   = "There is no null: what is missing is 0, or a row that is not there."
	assigns   = "An assignment has no keyword: `x = 3`."
	tables    = "There are no SQL queries: a table is declared, as in `input Pay(from: node, to: node, amount: int)`, and asked, as in `Pay(x, _, a), a > 10?`."
	modules   = "There are no modules: all functions are there at once, and data is bound to an `input`."
)

// InBody are words of other languages that are no names in the body of a rule: what to write
// instead, and what to write in their place if that is enough.
var InBody = map[string]struct{ Note, Fix string }{
	"is":            {"`v = e` gives v a value.", "="},
	"and":           {literals, ","},
	"let":           {"`v = e` gives v a value.", ""},
	"where":         {literals, ","},
	"if":            {literals, ","},
	"when":          {literals, ","},
	"or":            {"For another way to the same rows, write a second rule with the same head.", ""},
	"in":            {"For one of several values, write a rule for each, or a relation that lists them.", ""},
	"between":       {"A literal has one comparison: `1 <= x, x <= 9`.", ""},
	"like":          {whole, ""},
	"match":         {whole, ""},
	"contains":      {whole, ""},
	"findall":       {aggregate, ""},
	"setof":         {aggregate, ""},
	"bagof":         {aggregate, ""},
	"length":        {aggregate, ""},
	"write":         {rows, ""},
	"writeln":       {rows, ""},
	"mod":           {"The rest of a division is `a - b * floor(a / b)`.", ""},
	"distinct":      {"The rows of a relation are distinct, and `count(x)` counts the different values of x.", ""},
	"group":         {"The columns of the head without an aggregate are the groups: `Total(x, sum(a)) <- Pay(x, a).`.", ""},
	"order":         {"Rows are sorted by their first column, then by the next; a rule puts others first: `Sorted(y, x) <- P(x, y).`", ""},
	"limit":         {"`ein run --top 10` shows the first rows.", ""},
	"null":          {"There is no null: a row that lacks a value is left out.", ""},
	"as":            {"A column has no name: what reads a relation gives its columns variables, in their order.", ""},
	"print":         {rows, ""},
	"show":          {rows, ""},
	"output":        {rows, ""},
	"return":        {rows, ""},
	"aggregate_all": {aggregate, ""},
	"exists":        {"A variable of the body alone stands for some value, as `_` does.", ""},
	"forall":        {"What holds for all has no exception: give the exceptions a relation, and negate it.", ""},
}

// Summed is how sums with a sign are written here.
const Summed = "An index that the left side lacks is summed: `C[i,k] = A[i,j] B[j,k]`."

const (
	whole     = "A text is only compared as a whole."
	aggregate = "An aggregate belongs in the head of a rule: `Total(x, count(), sum(a)) <- Pay(x, a).`"
	rows      = "A query such as `Path(x, y)?` prints rows."
	literals  = "The literals of a body are separated by commas."
)

// Keyword says what there is instead of a keyword of another language, "" if a word is none. first
// says that the word begins its statement.
func Keyword(word string, first bool) string {
	word = strings.ToLower(word)
	if k, ok := keywords[word]; ok && (first || !k.first) {
		return k.note
	}
	switch word {
	case "if", "else", "and", "or", "not":
		return "In Ein, write `" + Synonyms[word] + "`."
	}
	return ""
}
