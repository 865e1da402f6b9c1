package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ein/bind"
	"ein/bind/sqlite"
	"ein/vm/cost"
	"ein/vm/graphio"
)

var tables = bind.Tables{graphio.SQLite: sqlite.Open}

func open(_ context.Context, path string) (io.ReadCloser, error) { return os.Open(path) }

// database makes a file of statements.
func database(t testing.TB, name string, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	plain := filepath.Join(filepath.Dir(path), "plain.db") // what else a name holds, the driver takes for options
	db, err := sql.Open("sqlite", plain)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(db.Close(), os.Rename(plain, path)); err != nil {
		t.Fatal(err)
	}
	return path
}

var shop = []string{
	`CREATE TABLE paid (payer TEXT, payee TEXT, amount REAL, n INTEGER, day DATE, note BLOB)`,
	`INSERT INTO paid VALUES ('acme', 'shell', 3, 1, '2024-01-02', x'00ff'), ('shell', 'zenith', 4.5, 2, '2024-01-03', NULL), ('acme', 'zenith', NULL, 3, '2024-01-03', NULL)`,
}

// read is what the data of an input is, or what is wrong.
func read(t testing.TB, ctx context.Context, kind graphio.Kind, spec string, max uint64) string {
	t.Helper()
	in, err := bind.New("A", spec)
	if err != nil {
		t.Fatal(err)
	}
	r := bind.Reader{Open: open, Tables: tables, Ledger: &cost.Ledger{Max: max}}
	data, err := r.All(ctx, []bind.Declared{{Name: "A", Kind: kind}}, []bind.Input{in}, nil)
	if err != nil {
		return "error: " + strings.ReplaceAll(err.Error(), filepath.Dir(in.Path)+string(filepath.Separator), "")
	}
	v := data.Values["A"]
	out := fmt.Sprint(v.Shape, v.F, v.CSR.Ptr, v.CSR.Idx, v.CSR.Val, v.Bits.W, data.Labels)
	for _, w := range data.Warnings {
		out += "; " + w.Msg
	}
	return out
}

// TestQueries: the rules of tables hold for a query.
func TestQueries(t *testing.T) {
	path := database(t, "a ?shop%23.db", shop...)
	file := filepath.Join(filepath.Dir(path), "top.sql")
	empty := filepath.Join(filepath.Dir(path), "empty.sql")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("\ufeff-- the large ones\nSELECT payer, payee, n AS weight\nFROM paid WHERE n > 1;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind      graphio.Kind
		opt, want string
	}{
		{graphio.Matrix, "query=@" + file, `3x3 [] [0 1 1 2] [1 1] [2 3] [] [shell zenith acme]`},
		{graphio.Matrix, "query=@" + empty, `error: empty.sql: the query: expected SELECT, WITH or VALUES, found ""`},
		{graphio.Graph, "from=payer&to=payee", `3x3 [] [] [] [] [6 4 0] [acme shell zenith]`},
		{graphio.Graph, "from=payer&to=payee&where=day==2024-01-03&where=n<3&weight=none", `2x2 [] [] [] [] [2 0] [shell zenith]; where= leaves out 2 of 3 rows`},
		{graphio.Vector, "query=SELECT amount FROM paid WHERE amount>1 ORDER BY amount DESC", `2 [4.5 3] [] [] [] [] []`},
		{graphio.Vector, "query=SELECT n-1, n*1.5 x FROM paid", `3 [1.5 3 4.5] [] [] [] [] []`},
		{graphio.Graph, "ids=label&query=SELECT n*1234567.0 a, n*1500000.5 b FROM paid WHERE n=1", "2x2 [] [] [] [] [2 0] [1234567 1500000.5]"},
		{graphio.Vector, "query=VALUES (0, 1e300), (1, 2)", "2 [1e+300 2] [] [] [] [] []"},
		{graphio.Matrix, "query=WITH p(a, b, w) AS (SELECT payer, payee, n FROM paid) SELECT * FROM p /* ; */;  -- the end", `3x3 [] [0 2 3 3] [1 2 2] [1 3 2] [] [acme shell zenith]`},

		{graphio.Matrix, "from=payer&to=payee&weight=amount", "error: a ?shop%23.db:3:3: expected a number, found nothing (where=amount!= leaves out such rows)"},
		{graphio.Matrix, "from=payer&to=payee&weight=amount&where=amount!=", "3x3 [] [0 1 2 2] [1 2] [3 4.5] [] [acme shell zenith]; where= leaves out 1 of 3 rows"},
		{graphio.Matrix, "from=payer&to=payee&weight=day", "error: a ?shop%23.db:1:5: expected a number, found the string \"2024-01-02\"\na ?shop%23.db:2:5: expected a number, found the string \"2024-01-03\"\na ?shop%23.db:3:5: expected a number, found the string \"2024-01-03\""},
		{graphio.Graph, "from=note&to=payee", `error: a ?shop%23.db:1:6: expected a node as a number or a string, found the bytes 00ff` + "\na ?shop%23.db:2:6: the node is empty (where=note!= leaves out such rows)\na ?shop%23.db:3:6: the node is empty (where=note!= leaves out such rows)"},
		{graphio.Matrix, "from=payer&to=payee&weight=amuont", `error: a ?shop%23.db: weight=amuont: no such column (the columns are "payer", "payee", "amount", "n", "day", "note")`},
		{graphio.Graph, "query=SELECT payre FROM paid", "error: a ?shop%23.db: the query: no such column: payre"},
		{graphio.Graph, "query=SELEC 1", `error: a ?shop%23.db: the query: expected SELECT, WITH or VALUES, found "SELEC"`},
		{graphio.Graph, "header=no", "error: a ?shop%23.db: the option header does not apply to a graph read from sqlite (header is for CSV, TSV and edge lists)"},
	} {
		spec := graphio.Options{}
		for part := range strings.SplitSeq(c.opt, "&") {
			k, v, _ := strings.Cut(part, "=")
			if err := spec.Set(k, v); err != nil {
				t.Fatal(err)
			}
		}
		if got := read(t, t.Context(), c.kind, spec.Spec(path), 0); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.opt, got, c.want)
		}
	}
}

// TestWithoutQuery: a database of one table needs none.
func TestWithoutQuery(t *testing.T) {
	for want, statements := range map[string][]string{
		"error: x.db: the database has no table": {"PRAGMA user_version = 1"},
		"error: x.db: the database has 2 tables: a, b (query=@FILE names the file of a SELECT, as query=@top.sql)": {"CREATE TABLE b (x)", "CREATE TABLE a (x)"},
		"1 [7] [] [] [] [] []": {`CREATE TABLE "a""b" (x)`, `INSERT INTO "a""b" VALUES (7)`},
		"1 [8] [] [] [] [] []": {`CREATE TABLE t (x)`, `INSERT INTO t VALUES (8)`},
	} {
		if got := read(t, t.Context(), graphio.Vector, database(t, "x.db", statements...), 0); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	bad := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(bad, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read(t, t.Context(), graphio.Vector, bad, 0); got != "error: x.db: file is not a database" {
		t.Error(got)
	}
}

// TestRefused: what SQLite refuses says what to do.
func TestRefused(t *testing.T) {
	long := database(t, "x.db", "CREATE TABLE t (a, b, c)", "INSERT INTO t VALUES ('a', 'b', zeroblob(3000000))")
	locked, torn := database(t, "x.db", shop...), filepath.Join(t.TempDir(), "x.db")
	db, err := sql.Open("sqlite", locked)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	for _, s := range []string{"PRAGMA cache_size = 1", "BEGIN EXCLUSIVE", "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n LIMIT 200) INSERT INTO paid (note) SELECT zeroblob(1000) FROM n"} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	for _, end := range []string{"", "-journal"} {
		b, err := os.ReadFile(locked + end)
		if err = errors.Join(err, os.WriteFile(torn+end, b, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for spec, want := range map[string]string{
		long + "?from=a&to=b":                   "error: x.db: a value is longer than 1048576 bytes (query= selects the columns and rows that are needed)",
		long + "?query=SELECT hex(c), a FROM t": "error: x.db: the query: a value is longer than 1048576 bytes (query= selects the columns and rows that are needed)",
		locked:                                  "error: x.db: database is locked (another program is writing to it: try again when it is done)",
		torn:                                    "error: x.db: attempt to write a readonly database (whoever wrote it last did not finish: open it once with sqlite3, which undoes that)",
	} {
		if got := read(t, t.Context(), graphio.Graph, spec, 0); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// TestReadsOnly: no query changes anything, on this database or elsewhere.
func TestReadsOnly(t *testing.T) {
	path := database(t, "x.db", append(shop, "CREATE VIEW v AS SELECT load_extension('x')")...)
	dir := filepath.Dir(path)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.db")
	for _, query := range []string{
		"INSERT INTO paid (n) VALUES (1)", "DELETE FROM paid", "DROP TABLE paid", "CREATE TABLE t (x)", "CREATE TEMP TABLE t (x)",
		"WITH x AS (SELECT 1) INSERT INTO paid (n) SELECT * FROM x", "WITH x AS (SELECT 1) DELETE FROM paid",
		"ATTACH '" + other + "' AS o", "VACUUM", "VACUUM INTO '" + other + "'", "PRAGMA query_only = 0", "PRAGMA journal_mode = WAL", "BEGIN", "REINDEX", "ANALYZE",
		"SELECT 1; DELETE FROM paid", "SELECT 1; -- x\nSELECT 2", "SELECT ';' ; SELECT 2", "/* ; */ ATTACH 'x' AS y",
		"SELECT 1) LIMIT 0; ATTACH '" + other + "' AS o; SELECT * FROM (SELECT 1",
		"SELECT load_extension('" + other + "')", "SELECT * FROM v", "SELECT writefile('" + other + "', 'x')", "SELECT readfile('" + path + "')",
		"SELECT * FROM paid\x00 ; DELETE FROM paid", "SELECT 'a", "SELECT /* a", "EXPLAIN DELETE FROM paid", ") SELECT 1", "", ";", "'SELECT' 1",
		"SELECT zeroblob(1e9)", "SELECT hex(zeroblob(1000000))", "SELECT printf('%.*c', 100000000, 'x')",
	} {
		in := bind.Input{Name: "A", Path: path, Options: graphio.Options{Query: " " + query}}
		r := bind.Reader{Open: open, Tables: tables, Ledger: &cost.Ledger{}}
		_, err := r.Read(t.Context(), in, bind.Declared{Kind: graphio.Vector})
		var known *graphio.Error
		if !errors.As(err, &known) {
			t.Errorf("%q: %v", query, err)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("the database has changed: %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}

// TestStops: a query that never ends does, and one of many rows meets the limits.
func TestStops(t *testing.T) {
	path := database(t, "x.db", shop...)
	const endless = "query=WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT "
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if got := read(t, ctx, graphio.Vector, path+"?"+endless+"sum(x) FROM n", 0); got != "error: context deadline exceeded" {
		t.Error(got)
	}
	if got := read(t, t.Context(), graphio.Graph, path+"?"+endless+"x, x+1 FROM n", 1<<20); !strings.HasPrefix(got, "error: x.db:") || !strings.Contains(got, "--max-memory") {
		t.Error(got)
	}
}

// TestOpen: the file that is read is the one that the host opened, not another of the same path.
func TestOpen(t *testing.T) {
	path := database(t, "x.db", shop...)
	t.Chdir(filepath.Dir(database(t, "x.db", "CREATE TABLE t (a, b)", "INSERT INTO t VALUES ('wrong', 'file')")))
	for _, c := range []struct {
		open func() (io.ReadCloser, error)
		want string
	}{
		{func() (io.ReadCloser, error) { return os.Open(path) }, "<nil>"},
		{func() (io.ReadCloser, error) {
			f, err := os.Open(path)
			return struct {
				fs.File
				io.ReaderAt
			}{f, f}, err
		}, "a database is opened by its path, and this has none"},
	} {
		r := bind.Reader{Tables: tables, Open: func(context.Context, string) (io.ReadCloser, error) { return c.open() }}
		in := bind.Input{Name: "A", Path: "x.db"}
		if err := in.Options.Set("weight", "none"); err != nil {
			t.Fatal(err)
		}
		data, err := r.All(t.Context(), []bind.Declared{{Name: "A", Kind: graphio.Graph}}, []bind.Input{in}, nil)
		if got := fmt.Sprint(err); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s, want %s", got, c.want)
		} else if err == nil && fmt.Sprint(data.Labels) != "[acme shell zenith]" {
			t.Error(data.Labels)
		}
	}
}

// TestNoFile: what has no path is not opened by the name that it happens to have.
func TestNoFile(t *testing.T) {
	path := database(t, "x.db", shop...)
	in := bind.Input{Name: path, Data: strings.NewReader("SQLite format 3\x00")}
	r := bind.Reader{Open: open, Tables: tables}
	if _, err := r.Read(t.Context(), in, bind.Declared{Kind: graphio.Graph}); err == nil || !strings.Contains(err.Error(), "a database is opened by its path, and this has none") {
		t.Error(err)
	}
}

// FuzzQuery: whatever a query is, nothing is written, and no second statement is run.
func FuzzQuery(f *testing.F) {
	path := database(f, "x.db", shop...)
	before, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"SELECT * FROM paid", "WITH x AS (SELECT 1) SELECT * FROM x;", "VALUES (1);--", "SELECT 1) ; ATTACH 'f.db' AS x; SELECT (1", "SELECT \"a\"\"b;\" [;] `;` /*;*/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		in := bind.Input{Name: "A", Path: path, Options: graphio.Options{Query: " " + query, MaxElems: 1000}}
		r := bind.Reader{Open: open, Tables: tables, Ledger: &cost.Ledger{}}
		_, _ = r.Read(ctx, in, bind.Declared{Kind: graphio.Vector})
		after, err := os.ReadFile(path)
		if err != nil || string(after) != string(before) {
			t.Fatalf("%q has changed the database: %v", query, err)
		}
		if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
			t.Fatalf("%q has written %v, %v", query, files, err)
		}
	})
}

// FuzzDatabase reads files that are damaged: it is an error, or rows.
func FuzzDatabase(f *testing.F) {
	whole, err := os.ReadFile(database(f, "x.db", shop...))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(0, []byte{}) // what stands from where
	f.Add(16, []byte{2, 0, 9, 9})
	f.Add(100, []byte{13, 0, 0, 0, 9})
	f.Add(len(whole)-20, []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
	path := filepath.Join(f.TempDir(), "y.db")
	f.Fuzz(func(t *testing.T, at int, piece []byte) {
		if at < 0 || at > len(whole) {
			return
		}
		data := slices.Concat(whole[:at], piece, whole[min(len(whole), at+len(piece)):])
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		ledger := &cost.Ledger{}
		in := bind.Input{Name: "A", Path: path, Options: graphio.Options{Query: "SELECT payer, payee, amount FROM paid ORDER BY note", MaxElems: 1000}}
		r := bind.Reader{Open: open, Tables: tables, Ledger: ledger}
		if raw, err := r.Read(ctx, in, bind.Declared{Kind: graphio.Matrix}); (raw == nil) == (err == nil) {
			t.Errorf("%v, %v", raw, err)
		}
	})
}
