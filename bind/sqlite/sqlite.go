// Package sqlite reads the result of a query on a SQLite database, and writes nothing.
//
// A query may come with the data, from a stranger. So a database is opened read-only,
// whatever the query says. The query must be a single statement that begins like a reading
// one, which rules out ATTACH, PRAGMA and VACUUM INTO; nothing can be attached. A lock of another
// program, which is brief, is waited for. SQLite loads extensions only when a program asks
// it to, and this one never does.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"ein/bind"
	"ein/vm/graphio"
	"ein/vm/tensor"
)

// maxText is the longest value, as of a line of text.
const maxText = 1 << 20

// table reads the result of a query row by row.
type table struct {
	db    *sql.DB
	conn  *sql.Conn
	rows  *sql.Rows
	names []string
	cells []any
	to    []any // pointers to cells
	out   []graphio.Value
	text  []byte // of numbers
}

// Open returns the reader of the format SQLite.
func Open(ctx context.Context, f *bind.File, opt graphio.Options) (_ graphio.Table, err error) {
	if f.Path == "" {
		return nil, errors.New("a database is opened by its path, and this has none")
	}
	path, err := filepath.Abs(f.Path)
	if err != nil {
		return nil, err
	}
	at := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: "mode=ro&_pragma=busy_timeout(1000)&_pragma=query_only(1)&_pragma=trusted_schema(0)"}
	t := &table{}
	if t.db, err = sql.Open("sqlite", at.String()); err != nil {
		return nil, told(err)
	}
	defer func() {
		if err != nil {
			_ = t.Close()
		}
	}()
	if t.conn, err = t.db.Conn(ctx); err != nil {
		return nil, told(err)
	}
	conn := t.conn
	for id, most := range map[int]int{lib.SQLITE_LIMIT_ATTACHED: 0, lib.SQLITE_LIMIT_LENGTH: maxText} {
		if _, err := driver.Limit(conn, id, most); err != nil {
			return nil, told(err)
		}
	}
	query, given := opt.Query, opt.Query+f.Query != ""
	if !given {
		if query, err = onlyTable(ctx, conn); err != nil {
			return nil, err
		}
	}
	wrong := func(err error) error {
		e := told(err)
		if given {
			e.File, e.Msg = f.Query, "the query: "+e.Msg
		}
		return e
	}
	if query, err = single(query); err != nil {
		return nil, wrong(err)
	}
	if t.names, err = columns(ctx, conn, query); err != nil {
		return nil, wrong(err)
	}
	// The driver makes times of texts in columns that are declared as dates; a column
	// with a sign is declared as nothing.
	var b strings.Builder
	for i := range t.names {
		fmt.Fprintf(&b, ", +c%d", i)
	}
	plus := strings.TrimPrefix(b.String(), ", ")
	query = "WITH \"ein rows\"(" + strings.ReplaceAll(plus, "+", "") + ") AS (" + query + "\n) SELECT " + plus + " FROM \"ein rows\""
	if t.rows, err = conn.QueryContext(ctx, query); err != nil {
		return nil, wrong(err)
	}
	t.cells, t.to, t.out = make([]any, len(t.names)), make([]any, len(t.names)), make([]graphio.Value, len(t.names))
	for i := range t.cells {
		t.to[i] = &t.cells[i]
	}
	return t, nil
}

// columns returns the names of the columns of a query, without running it.
func columns(ctx context.Context, conn *sql.Conn, query string) ([]string, error) {
	rows, err := conn.QueryContext(ctx, "SELECT * FROM ("+query+"\n) LIMIT 0")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	return rows.Columns()
}

// onlyTable returns a query for the table of a database that has one.
func onlyTable(ctx context.Context, conn *sql.Conn) (string, error) {
	rows, err := conn.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`)
	if err != nil {
		return "", told(err)
	}
	defer func() { _ = rows.Close() }()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", told(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		return "", told(err)
	}
	const hint = "query=@FILE names the file of a SELECT, as query=@top.sql"
	switch {
	case len(names) == 0:
		return "", &graphio.Error{Msg: "the database has no table"}
	case len(names) > 1:
		const most = 10
		shown := strings.Join(names[:min(len(names), most)], ", ")
		if len(names) > most {
			shown += ", ..."
		}
		return "", &graphio.Error{Msg: fmt.Sprintf("the database has %d tables: %s", len(names), shown), Hint: hint}
	}
	return `SELECT * FROM "` + strings.ReplaceAll(names[0], `"`, `""`) + `"`, nil
}

// single returns a query without what ends it, if it is one statement that reads. It knows no more
// of SQL than where quotes and comments end, which is what tells a semicolon that ends a statement
// from one in a text. A quote that is doubled within quotes reads as the end of one text and the
// start of another, which comes to the same.
func single(query string) (string, error) {
	var ends = map[string]string{"'": "'", `"`: `"`, "`": "`", "[": "]", "--": "\n", "/*": "*/"}
	word, end := "", -1
	for i := 0; i < len(query); {
		open := query[i:min(i+1, len(query))]
		if two := query[i:min(i+2, len(query))]; two == "--" || two == "/*" {
			open = two
		}
		comment := len(open) == 2
		if end >= 0 && !comment && !strings.Contains(" \t\r\n\f;", open) {
			return "", errors.New("expected one statement, found more after a semicolon")
		}
		if stop, quoted := ends[open]; quoted {
			if word == "" && !comment {
				word = open
			}
			n := strings.Index(query[i+len(open):], stop)
			if n < 0 {
				if open == "--" {
					break
				}
				return "", fmt.Errorf("%s is not closed", open)
			}
			i += len(open) + n + len(stop)
			continue
		}
		switch {
		case open == "\x00":
			return "", errors.New("it has a zero byte")
		case open == ";" && end < 0:
			end = i
		case word == "" && !strings.Contains(" \t\r\n\f", open):
			n := strings.IndexFunc(query[i:], func(c rune) bool { return c < 'A' || c > 'Z' && c < 'a' || c > 'z' })
			if n < 0 {
				n = len(query) - i
			}
			word = query[i : i+max(n, 1)]
			i += max(n, 1)
			continue
		}
		i++
	}
	if !slices.Contains([]string{"SELECT", "WITH", "VALUES"}, strings.ToUpper(word)) {
		return "", fmt.Errorf("expected SELECT, WITH or VALUES, found %.20q", word)
	}
	if end >= 0 {
		query = query[:end]
	}
	return query, nil
}

// told returns an error of SQLite without its number and its sort, and with what to do about it.
func told(err error) *graphio.Error {
	t := &graphio.Error{Msg: err.Error(), Err: err}
	e, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return t
	}
	t.Msg, _, _ = strings.Cut(e.Error(), fmt.Sprintf(" (%d)", e.Code()))
	t.Msg = strings.TrimPrefix(t.Msg, "SQL logic error: ")
	switch e.Code() {
	case lib.SQLITE_TOOBIG:
		t.Limit, t.Msg, t.Hint = true, fmt.Sprintf("a value is longer than %d bytes", maxText), "query= selects the columns and rows that are needed"
	case lib.SQLITE_BUSY:
		t.Hint = "another program is writing to it: try again when it is done"
	case lib.SQLITE_READONLY_ROLLBACK:
		t.Hint = "whoever wrote it last did not finish: open it once with sqlite3, which undoes that"
	case lib.SQLITE_READONLY_DIRECTORY, lib.SQLITE_READONLY_CANTINIT:
		t.Hint = "a database with a write-ahead log is read in a folder that can be written: copy it to one"
	}
	return t
}

func (t *table) Columns() []string { return t.names }

// Next implements graphio.Table. NULL is no value; a blob or the like is shown by its first
// bytes.
func (t *table) Next(want []bool) ([]graphio.Value, error) {
	if !t.rows.Next() {
		if err := t.rows.Err(); err != nil {
			return nil, told(err)
		}
		return nil, nil
	}
	if err := t.rows.Scan(t.to...); err != nil {
		return nil, told(err)
	}
	t.text = t.text[:0]
	for i, c := range t.cells {
		t.out[i] = graphio.Value{}
		if want != nil && !want[i] {
			continue
		}
		from := len(t.text)
		is := graphio.Number
		switch v := c.(type) {
		case nil:
			continue
		case int64:
			t.text = strconv.AppendInt(t.text, v, 10)
		case float64:
			t.text = tensor.AppendNumber(t.text, v)
		case string:
			t.text, is = append(t.text, v...), graphio.Text
		default:
			t.text, is = fmt.Appendf(t.text, "the bytes %.20x", v), graphio.Other
		}
		t.out[i] = graphio.Value{Text: t.text[from:len(t.text):len(t.text)], Is: is}
	}
	return t.out, nil
}

// Close ends the query, then closes the file, and returns all errors.
func (t *table) Close() error {
	var err error
	if t.rows != nil {
		err = t.rows.Close()
	}
	if t.conn != nil {
		err = errors.Join(err, t.conn.Close())
	}
	return errors.Join(err, t.db.Close())
}
