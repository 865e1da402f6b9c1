package graphio

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Filter keeps the rows of a table whose cell in a column satisfies a comparison.
type Filter struct {
	Column string // a name, or a position from 1
	Op     string // one of == != <= >= < >
	Value  string

	at      int     // the column, once it is found
	number  float64 // the value, where it is one
	numeric bool
}

// comparisons lists the longer operators first, so that <= is not read as <.
var comparisons = []string{"==", "!=", "<=", ">=", "<", ">"}

// parseFilter reads what follows where=.
func parseFilter(s string) (f Filter, want string) {
	at := strings.IndexAny(s, "=!<>")
	for _, op := range comparisons {
		if at <= 0 || !strings.HasPrefix(s[at:], op) {
			continue
		}
		f = Filter{Column: s[:at], Op: op, Value: s[at+len(op):]}
		if op != "==" && op != "!=" && (!isQuantity([]byte(f.Value)) || isNonFinite([]byte(f.Value))) {
			return f, "a number after " + op
		}
		return f, ""
	}
	return f, "a comparison such as carrier==LH or km<500, with one of " + strings.Join(comparisons, " ")
}

// keeps reports whether a row passes all filters. They are applied in order, so that km!= can keep
// empty cells from km<500.
func (t *table) keeps(w *row) bool {
	for _, f := range t.opt.Where {
		pass, ok := t.holds(w, &f, "where")
		if ok && !pass {
			t.left++
		}
		if !pass {
			return false
		}
	}
	return true
}

// holds reports whether the cell of a row passes a filter. ok is false if the cell cannot be
// compared.
func (t *table) holds(w *row, f *Filter, key string) (pass, ok bool) {
	cell := w.cells[f.at].val
	x, err := 0.0, error(nil)
	if f.numeric {
		x, err = strconv.ParseFloat(string(cell), 64)
	}
	y, numbers := f.number, f.numeric && err == nil
	if f.Op == "==" || f.Op == "!=" {
		same := numbers && x == y || string(cell) == f.Value
		return same == (f.Op == "=="), true
	}
	if !numbers {
		e := &Error{Msg: fmt.Sprintf("expected a number for %s=%s%s%s, found %s", key, f.Column, f.Op, f.Value, quote(cell)), Hint: "texts compare with == and != only"}
		if missing(cell) {
			e.Hint = fmt.Sprintf("where=%s!=%s before it leaves out such rows", f.Column, cell)
		}
		t.badCell(w, f.at, e)
		return false, false
	}
	return f.Op[0] == '<' && x < y || f.Op[0] == '>' && x > y || f.Op[1:] == "=" && x == y, true
}

// read determines whether the value is a number.
func (f *Filter) read() {
	var err error
	f.number, err = strconv.ParseFloat(f.Value, 64)
	f.numeric = err == nil
}

// findFilters finds the columns of the filters.
func (t *table) findFilters(first *row, header bool) {
	key := ""
	switch {
	case len(t.opt.Where) > 0:
		key = "where"
	case t.opt.Test != nil:
		key = "weight"
	case t.opt.OneHot != "":
		key = "onehot"
	}
	if key != "" && !header && t.opt.Header == HeaderAuto {
		panic(t.fatal(first.line, 0, key+"= gives its column by number, but no header was found", headerHint))
	}
	if t.opt.Test != nil {
		test := *t.opt.Test // which the caller may use again
		test.at = t.cols.weight
		test.read()
		t.opt.Test = &test
	}
	t.opt.Where = slices.Clone(t.opt.Where) // which the caller may use again
	for i := range t.opt.Where {
		f := &t.opt.Where[i]
		f.at = t.pick(first, header, f.Column, "where", -1)
		f.read()
	}
}
