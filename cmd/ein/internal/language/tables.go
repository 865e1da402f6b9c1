//go:build !lean

package language

import (
	"ein/bind"
	"ein/bind/parquet"
	"ein/bind/sqlite"
	"ein/vm/graphio"
)

// tables are the readers of formats that are not streams. A build with the tag lean has none: they
// are a third of the command.
var tables = bind.Tables{graphio.Parquet: parquet.Open, graphio.SQLite: sqlite.Open}
