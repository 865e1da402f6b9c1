package main

import (
	"database/sql"
	"errors"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"

	_ "modernc.org/sqlite" // makes the database
)

// tables writes one table as shop.db and as paid.parquet.
func tables(ts *testscript.TestScript, _ bool, _ []string) {
	type paid struct {
		Payer  string  `parquet:"payer,dict"`
		Payee  string  `parquet:"payee,dict"`
		Amount float64 `parquet:"amount,plain"`
	}
	rows := []paid{{"acme", "shell", 3}, {"shell", "zenith", 4.5}, {"acme", "zenith", 1}}
	db, err := sql.Open("sqlite", ts.MkAbs("shop.db"))
	ts.Check(err)
	_, err = db.Exec("CREATE TABLE paid (payer TEXT, payee TEXT, amount REAL); CREATE TABLE other (x)")
	for _, r := range rows {
		_, more := db.Exec("INSERT INTO paid VALUES (?, ?, ?)", r.Payer, r.Payee, r.Amount)
		err = errors.Join(err, more)
	}
	ts.Check(errors.Join(err, db.Close()))
	f, err := os.Create(ts.MkAbs("paid.parquet"))
	ts.Check(err)
	ts.Check(errors.Join(parquet.Write(f, rows), f.Close()))
}
