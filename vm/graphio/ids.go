package graphio

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"ein/vm/tensor"
)

// ids turns the ids of a file into node numbers.
type ids struct {
	want   IDs // as asked for
	mode   IDs // as found; IDsAuto before the first id
	max    int // largest number, -1 before the first
	nodes  int // numbers must be below it; 0 when the file does not say
	limit  int
	labels *labelTable // nil before the first label
	mem    *memory
}

// node returns the number of an id, or a problem with it. Under IDsAuto the first id of a file
// decides, and every other must be of the same sort: to take "12x" among a million numbers for the
// first of a million labels would silently renumber the nodes.
func (t *ids) node(b []byte, as ValueKind) (id int32, problem *Error) {
	b = asName(b, as)
	mode := t.mode
	if mode == IDsAuto {
		if mode = t.want; mode == IDsAuto {
			mode = IDsLabel
			if as == Number || as == Plain && isNumber(b) {
				mode = IDsNumber
			}
		}
	}
	if mode == IDsNumber {
		if as == Text && t.want == IDsAuto {
			return 0, &Error{Msg: "expected a node number like those before it, found the label " + quote(b), Hint: mixedHint}
		}
		id, problem = t.number(b)
	} else {
		id, problem = t.label(b, as)
	}
	if problem == nil {
		t.mode = mode
	}
	return id, problem
}

// asName returns an id as the name that it is: 5.0 and 5 are one number in JSON.
func asName(b []byte, as ValueKind) []byte {
	if as == Number && bytes.ContainsAny(b, ".eE") {
		if x, err := strconv.ParseFloat(string(b), 64); err == nil {
			return tensor.AppendNumber(nil, x)
		}
	}
	return b
}

const (
	labelHint = "ids=label reads every id as a label"
	mixedHint = "ids must be all numbers or all labels; ids=label reads every id as a label"
)

// number returns a node that is given by its number, within the announced nodes or the limit.
func (t *ids) number(b []byte) (int32, *Error) {
	if len(b) == 0 {
		return 0, &Error{Msg: "the node is empty"}
	}
	if !isNumber(b) {
		problem := &Error{Msg: "expected a node number, found " + quote(b), Hint: "a node number has digits only and no leading zero"}
		if t.want == IDsAuto {
			problem.Hint = mixedHint
		}
		return 0, problem
	}
	v, _ := parseSize(b)
	if t.nodes > 0 && v >= t.nodes {
		return 0, &Error{Msg: fmt.Sprintf("node %s is out of range: the %s are 0 to %d", asWritten(b), plural(t.nodes, "node"), t.nodes-1)}
	}
	if v >= t.limit {
		return 0, &Error{Msg: fmt.Sprintf("node %s exceeds the limit of %s", asWritten(b), plural(t.limit, "node")), Hint: labelHint, Limit: true}
	}
	t.max = max(t.max, v)
	return int32(v), nil
}

// fits takes a number that is written as one, or reports that it is past the end.
func (t *ids) fits(v int) bool {
	if v >= t.limit || t.nodes > 0 && v >= t.nodes {
		return false
	}
	t.max = max(t.max, v)
	return true
}

// label returns the number of a label, which it adds if it is new. Among labels a number is an
// error, unless ids=label says that all are labels.
func (t *ids) label(b []byte, as ValueKind) (id int32, problem *Error) {
	if t.labels == nil {
		t.labels = newLabelTable(t.mem)
	}
	if id, ok := t.labels.find(b); ok {
		return id, nil
	}
	if t.want == IDsAuto && (as == Number || as == Plain && isNumber(b)) {
		return 0, &Error{Msg: "expected a label like those before it, found the number " + quote(b), Hint: mixedHint}
	}
	if problem := badLabel(b); problem != "" {
		return 0, &Error{Msg: problem, Hint: notUTF8(b)}
	}
	if t.labels.len() >= t.limit {
		return 0, &Error{Msg: fmt.Sprintf("more than the limit of %s", plural(t.limit, "node")), Limit: true}
	}
	return t.labels.add(b), nil
}

// labelled reports whether the ids are labels.
func (t *ids) labelled() bool { return t.mode == IDsLabel }

// notUTF8 is the hint for a text that is not UTF-8, else "".
func notUTF8(b []byte) string {
	if utf8.Valid(b) {
		return ""
	}
	return utf8Hint
}

// badLabel says why a text cannot be a label. Control characters are refused because labels are
// printed, and because a lone CR is the sign of a file with foreign line ends.
func badLabel(b []byte) string {
	if len(b) == 0 {
		return "the node is empty"
	}
	if !utf8.Valid(b) {
		return "the label " + quote(b) + " is not valid UTF-8"
	}
	for _, c := range b {
		if c < ' ' || c == 0x7f {
			return "the label " + quote(b) + " contains a control character"
		}
	}
	return ""
}

// isNumber reports whether b is a non-negative integer in decimal without a leading zero.
func isNumber(b []byte) bool {
	if len(b) == 0 || b[0] == '0' && len(b) > 1 {
		return false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// parseSize parses a non-negative integer. One too large for an int becomes the largest int.
func parseSize(b []byte) (v int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		if v > (math.MaxInt-9)/10 {
			v = math.MaxInt
		} else {
			v = v*10 + int(c-'0')
		}
	}
	return v, len(b) > 0
}

// parseValue reads a weight or an element.
func parseValue(b []byte) (x float64, problem string) {
	if len(b) == 0 {
		return 0, "expected a number, found nothing"
	}
	digits := 0
	for i, c := range b {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case (c == '-' || c == '+') && i == 0:
		case c == '.' || c == 'e' || c == 'E' || c == '-' || c == '+':
			digits = math.MinInt32 // not an integer as written
		default:
			if isNonFinite(b) {
				return 0, "expected a finite number, found " + quote(b)
			}
			return 0, "expected a number, found " + quote(b)
		}
	}
	if digits > 0 && digits <= 15 {
		return smallInt(b), ""
	}
	x, err := strconv.ParseFloat(string(b), 64)
	switch {
	case err != nil && math.IsInf(x, 0):
		return 0, "the number " + quote(b) + " is too large"
	case err != nil:
		return 0, "expected a number, found " + quote(b)
	case digits > 0 && math.Abs(x) >= tensor.MaxInt:
		return 0, "the integer " + asWritten(b) + " is at or past 2^53, where integers stop being exact"
	}
	return x, ""
}

// smallInt parses an integer of at most 15 digits, exact in a float64; b has been checked.
func smallInt(b []byte) float64 {
	neg := b[0] == '-'
	if neg || b[0] == '+' {
		b = b[1:]
	}
	v := 0
	for _, c := range b {
		v = v*10 + int(c-'0')
	}
	if neg {
		v = -v
	}
	return float64(v)
}

// isNonFinite recognises the spellings of infinity and not-a-number.
func isNonFinite(b []byte) bool {
	x, err := strconv.ParseFloat(string(b), 64)
	return err == nil && (math.IsInf(x, 0) || math.IsNaN(x))
}
