package graphio

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"ein/internal/lists"
)

// Error is one thing wrong with a file. Line and Column count from 1, columns
// in characters; 0 is unknown or without meaning (a binary file).
type Error struct {
	File         string
	Line, Column int
	Msg          string
	Hint         string
	Limit        bool  // a limit of this package or on memory was reached
	Header       bool  // the first row may be a header as well as data
	Err          error // the cause, when it came from elsewhere
}

// Error formats the error as "transfers.csv:12:3: what is wrong (what to do)".
func (e *Error) Error() string {
	s := e.File
	for _, n := range []int{e.Line, e.Column} {
		if n > 0 {
			s += ":" + strconv.Itoa(n)
		}
	}
	if s != "" {
		s += ": "
	}
	s += e.Msg
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// limit makes the error one of a limit that was reached.
func (e *Error) limit() *Error {
	e.Limit = true
	return e
}

// maxListed is how many bad rows are listed; the others are counted.
const maxListed = 20

// ErrorList is several bad rows: the first ones, and how many More there are.
type ErrorList struct {
	List []*Error
	More int
}

// Error formats the errors, one on each line.
func (e *ErrorList) Error() string {
	s := strings.Join(lists.Map(e.List, (*Error).Error), "\n")
	if e.More > 0 {
		s += fmt.Sprintf("\n%s: and %s", e.List[0].File, plural(e.More, "more error"))
	}
	return s
}

// Unwrap lets errors.As find the single errors.
func (e *ErrorList) Unwrap() []error {
	return lists.Map(e.List, func(x *Error) error { return x })
}

// report collects errors.
type report struct {
	file string
	list []*Error
	more int
}

// full reports whether further errors are only counted, so that a caller need not format one.
func (r *report) full() bool { return len(r.list) >= maxListed }

// counted is full for a caller who has one more, which it counts then.
//
//go:noinline
func (r *report) counted() bool {
	if r.full() {
		r.more++
	}
	return r.full()
}

func (r *report) add(e *Error) {
	if r.counted() {
		return
	}
	e.File = cmp.Or(e.File, r.file)
	r.list = append(r.list, e)
}

// err returns the errors collected so far as one, or nil.
func (r *report) err() error {
	switch {
	case len(r.list) == 0:
		return nil
	case len(r.list) == 1 && r.more == 0:
		return r.list[0]
	}
	return &ErrorList{r.list, r.more}
}

// end panics with the errors collected so far, if there are any; see caught.
func (r *report) end() {
	if err := r.err(); err != nil {
		panic(err)
	}
}

// Warning is something in the inputs that was read as documented but that may
// not be what was meant.
type Warning struct {
	Input string // the input's name in the program; "" for the program itself
	File  string
	Line  int    // 0 when there is no single one
	Note  bool   // it only says how a file was read
	Code  string // "duplicates", "zero-weight", "weights", "where", "unused", "header", "columns", "extra", "comments", "two-by-two", "square", "label", "alike", "rows"
	Msg   string
}

// String formats the warning as "transfers.csv:3: message".
func (w Warning) String() string {
	if w.File == "" {
		return w.Msg
	}
	return (&Error{File: w.File, Line: w.Line, Msg: w.Msg}).Error()
}

// plural formats a count with its noun. more is the plural if that is not formed by an s.
func plural(n int, one string, more ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case more != nil:
		return strconv.Itoa(n) + " " + more[0]
	}
	return strconv.Itoa(n) + " " + one + "s"
}

// maxQuoted is how many bytes of a file a message shows.
const maxQuoted = 40

// quote shows bytes of a file in a message.
func quote(b []byte) string {
	if len(b) <= maxQuoted {
		return strconv.Quote(string(b))
	}
	cut := maxQuoted
	for cut > maxQuoted-utf8.UTFMax && !utf8.RuneStart(b[cut]) {
		cut--
	}
	return strconv.Quote(string(b[:cut])) + "..."
}

// asWritten shows a number of a file in a message, as it is written there.
func asWritten(b []byte) string {
	if len(b) <= maxQuoted {
		return string(b)
	}
	return string(b[:maxQuoted]) + "..."
}
