// Package codes lists everything that can go wrong: the code of every diagnostic, its
// class and its title. It stands below all phases, so that each can name its codes here.
// A code never changes its meaning; TestNext says which number a new one gets.
package codes

import "sync"

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

// String returns the name in JSON, which does not tell syntax from types.
func (c Class) String() string {
	return [...]string{"input", "check", "check", "limit", "runtime", "internal"}[c]
}

// Class returns the class of the code, which alone decides the exit code.
func (c Code) Class() Class { return registered()[c].Class }

// Title returns a few words on the code, "" when there is no such code.
func (c Code) Title() string { return registered()[c].Title }

// Entry is what is known of a code.
type Entry struct {
	Code  Code
	Class Class
	Title string // the first line of its page in lang/diag/explain
}

// Table has every code in the order of the numbers. It is filled as the codes are declared.
var Table = make([]Entry, 0, 256)

// Two hundred copies of it would be 50 KB that every start of the command reads.
//
//go:noinline
func add(c Code, class Class, title string) Code {
	Table = append(Table, Entry{c, class, title})
	return c
}

var registered = sync.OnceValue(func() map[Code]Entry {
	m := make(map[Code]Entry, len(Table))
	for _, e := range Table {
		m[e.Code] = e
	}
	return m
})

// The codes, in the order of the numbers.
var (
	// Group 00: text.
	E0001 = add("E0001", Syntax, "a character that is not part of the language")
	E0002 = add("E0002", Syntax, "text that is not UTF-8")
	E0003 = add("E0003", Syntax, "an invisible or control character")
	E0004 = add("E0004", Syntax, "a character that only looks right")
	E0005 = add("E0005", Syntax, "a string that is not closed")
	E0006 = add("E0006", Syntax, "an unknown escape")
	E0007 = add("E0007", Syntax, "a malformed number")
	E0008 = add("E0008", Syntax, "a number that is too large")
	E0009 = add("E0009", Syntax, "-- used as a comment")

	// Group 01: syntax.
	E0101 = add("E0101", Syntax, "something else was expected")
	E0102 = add("E0102", Syntax, "a bracket that is never closed")
	E0103 = add("E0103", Syntax, "brackets that do not match")
	E0104 = add("E0104", Syntax, "an unmatched closing bracket")
	E0105 = add("E0105", Syntax, "a missing value")
	E0106 = add("E0106", Syntax, "values side by side")
	E0107 = add("E0107", Syntax, "an expression alone")
	E0108 = add("E0108", Syntax, "a command in a program")
	E0109 = add("E0109", Syntax, "relations (no longer reported)")
	E0110 = add("E0110", Syntax, "a left side that cannot be assigned to")
	E0111 = add("E0111", Syntax, "a malformed def")
	E0112 = add("E0112", Syntax, "a malformed input")
	E0113 = add("E0113", Syntax, "brackets without anything to index")
	E0114 = add("E0114", Syntax, "a malformed repeat")
	E0115 = add("E0115", Syntax, "a malformed fact, rule or query")
	N0116 = add("N0116", Type, "a mistake that was fixed")

	// Group 02: names.
	E0201 = add("E0201", Type, "a tensor that is not defined")
	E0202 = add("E0202", Type, "a function that does not exist")
	E0203 = add("E0203", Type, "an index where a value is needed")
	E0204 = add("E0204", Type, "a tensor that is called")
	E0205 = add("E0205", Type, "the wrong number of arguments")
	E0206 = add("E0206", Type, "a function that calls itself")
	E0207 = add("E0207", Type, "a named argument that does not fit")
	E0208 = add("E0208", Type, "a label that no node has")
	E0209 = add("E0209", Type, "an unknown kind of input")
	E0210 = add("E0210", Type, "a name that is defined twice")
	E0211 = add("E0211", Type, "a construct outside the profile")
	W0212 = add("W0212", Type, "a tensor or relation with the name of a function")
	W0213 = add("W0213", Type, "a function that replaces one of the language")
	W0214 = add("W0214", Type, "a value that nothing uses")
	W0215 = add("W0215", Type, "an index with the name of a tensor")
	E0216 = add("E0216", Type, "a program without an output")
	E0217 = add("E0217", Type, "an input has no value")
	W0218 = add("W0218", Type, "a comment that looks like a division")
	W0219 = add("W0219", Type, "an element that is a difference")
	W0220 = add("W0220", Type, "a number with a comma between its digits")
	W0221 = add("W0221", Type, "an operator without an earlier value")

	// Group 03: shapes and indices.
	E0301 = add("E0301", Type, "an index with two sizes")
	E0302 = add("E0302", Type, "the wrong number of indices")
	E0303 = add("E0303", Type, "an index that is only on the left")
	E0304 = add("E0304", Type, "a tensor without indices in an equation")
	E0305 = add("E0305", Type, "shapes that do not fit")
	W0305 = add("W0305", Type, "a path from a node to itself")
	E0306 = add("E0306", Type, "tensors side by side without indices")
	E0307 = add("E0307", Type, "an indexed argument")
	E0308 = add("E0308", Type, "an expression that is indexed twice")
	E0309 = add("E0309", Type, "a value that does not fit the left side")
	E0310 = add("E0310", Type, "an argument with the wrong number of axes")
	E0311 = add("E0311", Type, "a matrix that is not square")
	E0312 = add("E0312", Type, "a position that does not exist")
	E0313 = add("E0313", Type, "an axis that does not exist")
	E0314 = add("E0314", Type, "a number that must be known before the program runs")
	E0315 = add("E0315", Type, "the largest or the mean of nothing")
	E0316 = add("E0316", Type, "something else in brackets")
	E0317 = add("E0317", Type, "a left side that is not made of indices")
	E0318 = add("E0318", Type, "a label used as a number")
	E0319 = add("E0319", Type, "more than 8 axes")
	E0320 = add("E0320", Type, "an index that is reduced and used outside")
	E0321 = add("E0321", Type, "a position along something other than one index")
	E0322 = add("E0322", Type, "an update of another shape")
	E0323 = add("E0323", Type, "an axis for an indexed argument")
	N0324 = add("N0324", Type, "two arguments compare element by element")
	E0325 = add("E0325", Type, "two positions in a vector")
	W0326 = add("W0326", Type, "a reduction that reduces nothing")
	E0327 = add("E0327", Type, "a long product with too many open indices (no longer reported)")
	W0328 = add("W0328", Type, "a sum that is compared")
	E0329 = add("E0329", Type, "a shape that changes from round to round")
	W0330 = add("W0330", Type, "a matrix of distances compared with 0")
	W0331 = add("W0331", Type, "a number that is a node, and the label of another one")
	W0332 = add("W0332", Type, "a comparison that is compared")

	// Group 04: literals and constructors.
	E0401 = add("E0401", Type, "a whole number that is too large")
	E0402 = add("E0402", Type, "a ragged literal")
	E0403 = add("E0403", Type, "an entry of a literal that is not a number")
	E0404 = add("E0404", Type, "a list that is not written in the call")
	E0405 = add("E0405", Type, "a vector of lists")
	E0406 = add("E0406", Type, "a list of another length")
	E0407 = add("E0407", Type, "neither pairs nor a matrix")
	E0408 = add("E0408", Type, "an edge to something that is not a node")
	E0409 = add("E0409", Type, "a node outside the graph")
	E0410 = add("E0410", Type, "numbers and labels in one graph")
	E0411 = add("E0411", Type, "fewer nodes than labels")
	E0412 = add("E0412", Type, "a graph without edges and without a size")
	E0413 = add("E0413", Type, "a matrix of another size")
	E0414 = add("E0414", Type, "an adjacency matrix that is not square")
	E0415 = add("E0415", Type, "an adjacency matrix of other numbers")
	N0416 = add("N0416", Type, "a number of nodes that was inferred")
	N0417 = add("N0417", Type, "an edge that is given twice")
	W0418 = add("W0418", Type, "a 2 x 2 list that could be a matrix")

	// Group 05: limits.
	E0501 = add("E0501", Limit, "a program that is too long")
	E0502 = add("E0502", Limit, "too many tokens")
	E0503 = add("E0503", Limit, "nesting that is too deep")
	E0504 = add("E0504", Limit, "too many statements")
	E0505 = add("E0505", Limit, "an expression that is too long")
	N0506 = add("N0506", Limit, "errors that are not shown")
	E0507 = add("E0507", Limit, "the program takes too much memory")
	E0508 = add("E0508", Limit, "too many parameters or arguments")
	E0510 = add("E0510", Limit, "functions that call one another too deeply")
	E0511 = add("E0511", Limit, "a program that expands to too many operations")
	E0512 = add("E0512", Limit, "too many indices in a statement")
	E0520 = add("E0520", Limit, "a size that is too large")
	E0521 = add("E0521", Limit, "literals that are too large")
	E0530 = add("E0530", Limit, "more memory than allowed")
	E0531 = add("E0531", Limit, "more operations than allowed")
	E0532 = add("E0532", Limit, "larger outputs than allowed")
	E0533 = add("E0533", Limit, "a run that was stopped")
	E0534 = add("E0534", Limit, "a run that reached its limit")

	// Group 06: run time.
	E0601 = add("E0601", Run, "an output that is not finite")
	E0602 = add("E0602", Run, "a count that is no longer exact")
	E0603 = add("E0603", Run, "a position that does not exist")
	E0604 = add("E0604", Run, "data that a compiled program was not made for")
	W0605 = add("W0605", Run, "triangles of a graph with one-way edges")
	E0606 = add("E0606", Run, "a cycle that leaves no answer")
	E0607 = add("E0607", Run, "a weight below 0")
	E0608 = add("E0608", Run, "a weight of 0 in a result that has 0 for no edge")
	E0632 = add("E0632", Run, "a value of rules that keeps improving")
	E0633 = add("E0633", Run, "a factor that makes a value of rules worse")

	// Group 07: data files.
	E0701 = add("E0701", Input, "a data file that is not what it should be")
	E0702 = add("E0702", Input, "a file that cannot be read")
	E0703 = add("E0703", Input, "an input without data")
	E0704 = add("E0704", Input, "bytecode that cannot be used")
	E0705 = add("E0705", Input, "data for an input that does not exist")
	W0706 = add("W0706", Input, "data that may not be what was meant")
	E0707 = add("E0707", Type, "an input that is bound to something else")
	E0708 = add("E0708", Limit, "data past a limit")
	N0709 = add("N0709", Input, "how a data file was read")
	E0710 = add("E0710", Input, "a first row that may be a header or data")
	E0711 = add("E0711", Input, "a setting of ein.toml that is not what it should be")

	// Group 08: relations.
	E0801 = add("E0801", Type, "a relation that does not exist")
	E0802 = add("E0802", Type, "the wrong number of columns")
	E0803 = add("E0803", Type, "a variable of two types")
	E0804 = add("E0804", Type, "a head variable without a value")
	E0805 = add("E0805", Type, "a variable only under not")
	E0806 = add("E0806", Type, "a variable that is only tested")
	E0807 = add("E0807", Type, "a relation that depends on its own negation")
	E0808 = add("E0808", Type, "a relation that depends on its own aggregate")
	E0809 = add("E0809", Type, "new values in a recursion")
	E0810 = add("E0810", Type, "a capitalised name that no fact has")
	E0811 = add("E0811", Syntax, "a fact, rule or query without its end")
	E0812 = add("E0812", Type, "a name of two kinds")
	E0813 = add("E0813", Type, "a relation that is read too early")
	E0814 = add("E0814", Type, "recursion through an equation")
	E0815 = add("E0815", Type, "more than 8 columns")
	E0816 = add("E0816", Type, "a relation that is no tensor")
	E0817 = add("E0817", Type, "a value that is used before it is final")
	E0818 = add("E0818", Type, "something that is not allowed in a rule")
	W0820 = add("W0820", Type, "a variable that occurs once")
	W0821 = add("W0821", Type, "a relation that nothing fills")
	W0822 = add("W0822", Type, "a rule that never fires")
	W0823 = add("W0823", Type, "a join of real numbers")
	W0824 = add("W0824", Type, "atoms that share no variable")
	W0825 = add("W0825", Type, "a rule or a fact that is repeated")
	W0826 = add("W0826", Type, "a constant that occurs nowhere")
	W0827 = add("W0827", Type, "a fact that looks like a rule")
	N0828 = add("N0828", Type, "a name in a query that is a constant")
	W0829 = add("W0829", Type, "a variable with the name of a constant")
	E0830 = add("E0830", Type, "`:why` of an atom with variables")
	W0831 = add("W0831", Type, "numbers that are read as names")
	W0832 = add("W0832", Type, "a date that is a difference")
	W0833 = add("W0833", Type, "a column type of another language")
	N0834 = add("N0834", Type, "numbers that are nodes")
	E0835 = add("E0835", Type, "a type of numbers of another language")
)
