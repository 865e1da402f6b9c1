// Package codes is the registry of what can be wrong: the code of every
// diagnostic, its class and its title. It stands below all phases, so that each
// names its codes here. A code, once given, keeps its meaning: a new one takes the
// number that TestNext says.
package codes

// Code names a kind of diagnostic for ever: E for errors, W for warnings, N for
// notes, then four digits. The first two digits are its group.
type Code string

// Class is the kind of thing that is wrong. It decides the outcome of a program and
// the exit code of the command.
type Class uint8

// The classes. What has no code is about what a command was given.
const (
	Input  Class = iota // the data, or what a command was given
	Syntax              // the text
	Type                // names, shapes and types
	Limit               // it may be right, but needs more than it may use
	Run                 // what only a run can find
	Bug                 // of ours; no code is one
)

// String is the name in JSON, which does not tell syntax from types.
func (c Class) String() string {
	return [...]string{"input", "check", "check", "limit", "runtime", "internal"}[c]
}

// Class is that of the code.
func (c Code) Class() Class { return registered[c].Class }

// Title is a few words on the code, "" when there is no such code.
func (c Code) Title() string { return registered[c].Title }

var registered = func() map[Code]Entry {
	m := make(map[Code]Entry, len(Table))
	for _, e := range Table {
		m[e.Code] = e
	}
	return m
}()

// The codes.
const (
	// Group 00: text.
	E0001 Code = "E0001"
	E0002 Code = "E0002"
	E0003 Code = "E0003"
	E0004 Code = "E0004"
	E0005 Code = "E0005"
	E0006 Code = "E0006"
	E0007 Code = "E0007"
	E0008 Code = "E0008"
	E0009 Code = "E0009"

	// Group 01: syntax.
	E0101 Code = "E0101"
	E0102 Code = "E0102"
	E0103 Code = "E0103"
	E0104 Code = "E0104"
	E0105 Code = "E0105"
	E0106 Code = "E0106"
	E0107 Code = "E0107"
	E0108 Code = "E0108"
	E0109 Code = "E0109"
	E0110 Code = "E0110"
	E0111 Code = "E0111"
	E0112 Code = "E0112"
	E0113 Code = "E0113"
	E0114 Code = "E0114"
	E0115 Code = "E0115"

	// Group 02: names.
	E0201 Code = "E0201"
	E0202 Code = "E0202"
	E0203 Code = "E0203"
	E0204 Code = "E0204"
	E0205 Code = "E0205"
	E0206 Code = "E0206"
	E0207 Code = "E0207"
	E0208 Code = "E0208"
	E0209 Code = "E0209"
	E0210 Code = "E0210"
	E0211 Code = "E0211"
	W0212 Code = "W0212"
	W0213 Code = "W0213"
	W0214 Code = "W0214"
	W0215 Code = "W0215"
	E0216 Code = "E0216"
	E0217 Code = "E0217"

	// Group 03: shapes and indices.
	E0301 Code = "E0301"
	E0302 Code = "E0302"
	E0303 Code = "E0303"
	E0304 Code = "E0304"
	E0305 Code = "E0305"
	W0305 Code = "W0305"
	E0306 Code = "E0306"
	E0307 Code = "E0307"
	E0308 Code = "E0308"
	E0309 Code = "E0309"
	E0310 Code = "E0310"
	E0311 Code = "E0311"
	E0312 Code = "E0312"
	E0313 Code = "E0313"
	E0314 Code = "E0314"
	E0315 Code = "E0315"
	E0316 Code = "E0316"
	E0317 Code = "E0317"
	E0318 Code = "E0318"
	E0319 Code = "E0319"
	E0320 Code = "E0320"
	E0321 Code = "E0321"
	E0322 Code = "E0322"
	E0323 Code = "E0323"
	N0324 Code = "N0324"
	E0325 Code = "E0325"
	W0326 Code = "W0326"
	E0327 Code = "E0327"
	W0328 Code = "W0328"
	E0329 Code = "E0329"

	// Group 04: literals and constructors.
	E0401 Code = "E0401"
	E0402 Code = "E0402"
	E0403 Code = "E0403"
	E0404 Code = "E0404"
	E0405 Code = "E0405"
	E0406 Code = "E0406"
	E0407 Code = "E0407"
	E0408 Code = "E0408"
	E0409 Code = "E0409"
	E0410 Code = "E0410"
	E0411 Code = "E0411"
	E0412 Code = "E0412"
	E0413 Code = "E0413"
	E0414 Code = "E0414"
	E0415 Code = "E0415"
	N0416 Code = "N0416"
	N0417 Code = "N0417"
	W0418 Code = "W0418"

	// Group 05: limits.
	E0501 Code = "E0501"
	E0502 Code = "E0502"
	E0503 Code = "E0503"
	E0504 Code = "E0504"
	E0505 Code = "E0505"
	N0506 Code = "N0506"
	E0507 Code = "E0507"
	E0508 Code = "E0508"
	E0510 Code = "E0510"
	E0511 Code = "E0511"
	E0512 Code = "E0512"
	E0520 Code = "E0520"
	E0521 Code = "E0521"
	E0530 Code = "E0530"
	E0531 Code = "E0531"
	E0532 Code = "E0532"
	E0533 Code = "E0533"
	E0534 Code = "E0534"

	// Group 06: run time.
	E0601 Code = "E0601"
	E0602 Code = "E0602"
	E0603 Code = "E0603"
	E0604 Code = "E0604"
	W0605 Code = "W0605"
	E0606 Code = "E0606"
	E0607 Code = "E0607"
	E0608 Code = "E0608"

	// Group 07: data files.
	E0701 Code = "E0701"
	E0702 Code = "E0702"
	E0703 Code = "E0703"
	E0704 Code = "E0704"
	E0705 Code = "E0705"
	W0706 Code = "W0706"
	E0707 Code = "E0707"
	E0708 Code = "E0708"
	N0709 Code = "N0709"
	E0710 Code = "E0710"
	E0711 Code = "E0711"

	// Group 08: relations.
	E0801 Code = "E0801"
	E0802 Code = "E0802"
	E0803 Code = "E0803"
	E0804 Code = "E0804"
	E0805 Code = "E0805"
	E0806 Code = "E0806"
	E0807 Code = "E0807"
	E0808 Code = "E0808"
	E0809 Code = "E0809"
	E0810 Code = "E0810"
	E0811 Code = "E0811"
	E0812 Code = "E0812"
	E0815 Code = "E0815"
	E0816 Code = "E0816"
	E0817 Code = "E0817"
	E0818 Code = "E0818"
	W0820 Code = "W0820"
	W0821 Code = "W0821"
	W0822 Code = "W0822"
	W0823 Code = "W0823"
	W0824 Code = "W0824"
	W0825 Code = "W0825"
	W0826 Code = "W0826"
	W0827 Code = "W0827"
	N0828 Code = "N0828"
	W0829 Code = "W0829"
)

// Entry is what is known of a code.
type Entry struct {
	Code  Code
	Class Class
	Title string // the first line of its page in lang/diag/explain
}

// Table has every code in the order of the numbers.
var Table = []Entry{
	{E0001, Syntax, "a character that is not part of the language"},
	{E0002, Syntax, "text that is not UTF-8"},
	{E0003, Syntax, "an invisible or control character"},
	{E0004, Syntax, "a character that only looks right"},
	{E0005, Syntax, "a string that is not closed"},
	{E0006, Syntax, "an unknown escape"},
	{E0007, Syntax, "a malformed number"},
	{E0008, Syntax, "a number that is too large"},
	{E0009, Syntax, "-- used as a comment"},
	{E0101, Syntax, "something else was expected"},
	{E0102, Syntax, "a bracket that is never closed"},
	{E0103, Syntax, "brackets that do not match"},
	{E0104, Syntax, "a bracket that closes nothing"},
	{E0105, Syntax, "a missing value"},
	{E0106, Syntax, "values side by side"},
	{E0107, Syntax, "an expression alone"},
	{E0108, Syntax, "a command in a program"},
	{E0109, Syntax, "relations (no longer reported)"},
	{E0110, Syntax, "a left side that cannot be assigned to"},
	{E0111, Syntax, "a malformed def"},
	{E0112, Syntax, "a malformed input"},
	{E0113, Syntax, "brackets without anything to index"},
	{E0114, Syntax, "a malformed repeat"},
	{E0115, Syntax, "a malformed fact, rule or query"},
	{E0201, Type, "a tensor that is not defined"},
	{E0202, Type, "a function that does not exist"},
	{E0203, Type, "an index where a value is needed"},
	{E0204, Type, "a tensor that is called"},
	{E0205, Type, "the wrong number of arguments"},
	{E0206, Type, "a function that calls itself"},
	{E0207, Type, "a named argument that does not fit"},
	{E0208, Type, "a label that no node has"},
	{E0209, Type, "an unknown kind of input"},
	{E0210, Type, "a name that is defined twice"},
	{E0211, Type, "a construct outside the profile"},
	{W0212, Type, "a tensor with the name of a function"},
	{W0213, Type, "a function that replaces one of the language"},
	{W0214, Type, "a value that nothing uses"},
	{W0215, Type, "an index with the name of a number"},
	{E0216, Type, "a program without an output"},
	{E0217, Type, "an input has no value"},
	{E0301, Type, "an index with two sizes"},
	{E0302, Type, "the wrong number of indices"},
	{E0303, Type, "an index that is only on the left"},
	{E0304, Type, "a tensor without indices in an equation"},
	{E0305, Type, "shapes that do not fit"},
	{W0305, Type, "a path from a node to itself"},
	{E0306, Type, "tensors side by side without indices"},
	{E0307, Type, "an indexed argument"},
	{E0308, Type, "an expression that is indexed twice"},
	{E0309, Type, "a value that does not fit the left side"},
	{E0310, Type, "an argument with the wrong number of axes"},
	{E0311, Type, "a matrix that is not square"},
	{E0312, Type, "a position that does not exist"},
	{E0313, Type, "an axis that does not exist"},
	{E0314, Type, "a number that has to be known before the program runs"},
	{E0315, Type, "the largest or the mean of nothing"},
	{E0316, Type, "something else in brackets"},
	{E0317, Type, "a left side that is not made of indices"},
	{E0318, Type, "a label used as a number"},
	{E0319, Type, "more than 8 axes"},
	{E0320, Type, "an index that is reduced and used outside"},
	{E0321, Type, "a position along something else than one index"},
	{E0322, Type, "an update of another shape"},
	{E0323, Type, "an axis for an indexed argument"},
	{N0324, Type, "two arguments compare element by element"},
	{E0325, Type, "two positions in a vector"},
	{W0326, Type, "a reduction that reduces nothing"},
	{E0327, Type, "a long product with too many open indices (no longer reported)"},
	{W0328, Type, "a sum that is compared"},
	{E0329, Type, "a shape that changes from round to round"},
	{E0401, Type, "a whole number that is too large"},
	{E0402, Type, "a ragged literal"},
	{E0403, Type, "an entry of a literal that is not a number"},
	{E0404, Type, "a list that is not written in the call"},
	{E0405, Type, "a vector of lists"},
	{E0406, Type, "a list of another length"},
	{E0407, Type, "neither pairs nor a matrix"},
	{E0408, Type, "an edge to something that is not a node"},
	{E0409, Type, "a node outside the graph"},
	{E0410, Type, "numbers and labels in one graph"},
	{E0411, Type, "fewer nodes than labels"},
	{E0412, Type, "a graph without edges and without a size"},
	{E0413, Type, "a matrix of another size"},
	{E0414, Type, "an adjacency matrix that is not square"},
	{E0415, Type, "an adjacency matrix of other numbers"},
	{N0416, Type, "a number of nodes that was inferred"},
	{N0417, Type, "an edge that is given twice"},
	{W0418, Type, "a 2 x 2 list that could be a matrix"},
	{E0501, Limit, "a program that is too long"},
	{E0502, Limit, "too many tokens"},
	{E0503, Limit, "nesting that is too deep"},
	{E0504, Limit, "too many statements"},
	{E0505, Limit, "an expression that is too long"},
	{N0506, Limit, "errors that are not shown"},
	{E0507, Limit, "the program takes too much memory"},
	{E0508, Limit, "too many parameters or arguments"},
	{E0510, Limit, "functions that call one another too deeply"},
	{E0511, Limit, "a program that expands to too many operations"},
	{E0512, Limit, "too many indices in a statement"},
	{E0520, Limit, "a size that is too large"},
	{E0521, Limit, "literals that are too large"},
	{E0530, Limit, "more memory than allowed"},
	{E0531, Limit, "more operations than allowed"},
	{E0532, Limit, "larger outputs than allowed"},
	{E0533, Limit, "a run that was stopped"},
	{E0534, Limit, "a run that reached its limit"},
	{E0601, Run, "an output that is not finite"},
	{E0602, Run, "a count that is no longer exact"},
	{E0603, Run, "a position that does not exist"},
	{E0604, Run, "data that a compiled program was not made for"},
	{W0605, Run, "triangles of a graph with one-way edges"},
	{E0606, Run, "a cycle that leaves no answer"},
	{E0607, Run, "a weight below 0"},
	{E0608, Run, "a weight of 0 in a result that has 0 for no edge"},
	{E0701, Input, "a data file that is not what it should be"},
	{E0702, Input, "a file that cannot be read"},
	{E0703, Input, "an input without data"},
	{E0704, Input, "bytecode that cannot be used"},
	{E0705, Input, "data for an input that does not exist"},
	{W0706, Input, "data that may not be what was meant"},
	{E0707, Type, "an input that is bound to something else"},
	{E0708, Limit, "data past a limit"},
	{N0709, Input, "how a data file was read"},
	{E0710, Input, "a first row that may be a header or data"},
	{E0711, Input, "a setting of ein.toml that is not what it should be"},
	{E0801, Type, "a relation that does not exist"},
	{E0802, Type, "the wrong number of columns"},
	{E0803, Type, "a variable of two types"},
	{E0804, Type, "a head variable without a value"},
	{E0805, Type, "a variable only under not"},
	{E0806, Type, "a variable that is only tested"},
	{E0807, Type, "a relation that depends on its own negation"},
	{E0808, Type, "a relation that depends on its own aggregate"},
	{E0809, Type, "new values in a recursion"},
	{E0810, Type, "a capital letter that is no constant"},
	{E0811, Syntax, "a fact, rule or query without its end"},
	{E0812, Type, "a name of two kinds"},
	{E0815, Type, "more than 8 columns"},
	{E0816, Type, "a relation that is no tensor"},
	{E0817, Type, "a value that is used before it is final"},
	{E0818, Type, "something that cannot stand in a rule"},
	{W0820, Type, "a variable that occurs once"},
	{W0821, Type, "a relation that nothing fills"},
	{W0822, Type, "a rule that never fires"},
	{W0823, Type, "a join of real numbers"},
	{W0824, Type, "atoms that share no variable"},
	{W0825, Type, "a rule or a fact that is repeated"},
	{W0826, Type, "a constant that occurs nowhere"},
	{W0827, Type, "a fact that looks like a rule"},
	{N0828, Type, "a name in a query that is a constant"},
	{W0829, Type, "a variable with the name of a constant"},
}
