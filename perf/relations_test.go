package main

import "testing"

// TestRelations: the programs compile with the facts that are made for them, and
// the spellings of the closure have the same rows.
func TestRelations(t *testing.T) {
	e := &env{maker: maker{t.TempDir()}}
	want := 0.0
	for _, c := range logics {
		if c.long || testing.Short() && c.sql != closureSQL && !c.text {
			continue
		}
		r := c.row(e)
		take, err := r.contenders[0].start()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, err := take()
		if err != nil || got.Check == 0 {
			t.Errorf("%s: %v rows, %v", c.name, got.Check, err)
		}
		if c.n == 1000 && c.sql == closureSQL {
			if want == 0 {
				want = got.Check
			}
			if got.Check != want {
				t.Errorf("%s: %v rows, want %v", c.name, got.Check, want)
			}
		}
	}
}
