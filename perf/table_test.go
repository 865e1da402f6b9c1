package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFigures(t *testing.T) {
	for want, got := range map[string]string{
		"1.00 µs": duration(999.6e-9),
		"999 ns":  duration(999.4e-9),
		"12.3 ms": duration(0.01234),
		"2.50 s":  duration(2.5),
		"123 ms":  duration(0.1229),
		"0.04x":   ratio(0.04),
		"0.5x":    ratio(0.5),
		"10x":     ratio(9.96),
		"1234x":   ratio(1234.4),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestMeasure holds three sides together, one of which disagrees and one of which
// is not there.
func TestMeasure(t *testing.T) {
	side := func(seconds, check float64) contender {
		return contender{start: func() (sampler, error) {
			return func() (answer, error) { return answer{Wall: seconds, Check: check}, nil }, nil
		}}
	}
	r := row{name: "case", contenders: []contender{side(1e-3, 7), side(2e-3, 7), side(1, 8), {name: "d", why: "absent"}}}
	for i, name := range []string{"Ein", "b", "c"} {
		r.contenders[i].name = name
	}
	results, err := measure(r, settings{rounds: 3, budget: 1e9})
	if err == nil || !strings.Contains(err.Error(), "c finds 8 and not 7") {
		t.Errorf("the difference is reported as %v", err)
	}
	table := table{figure: duration, title: "T", text: "t", rows: []row{r}, results: [][]result{results}}
	var b bytes.Buffer
	table.print(&b)
	for _, want := range []string{
		"|  | Ein | b | c | d | best peer |",
		"| case | **1.00 ms** | 2.00 ms (2.0x) | - | - | 2.0x |",
		"| c: it finds 8 and not 7 | case |\n", "| d: absent | case |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

func TestOurs(t *testing.T) {
	calls := 0
	take, err := ours(func() error { calls++; return nil }, func() float64 { return 5 })
	if err != nil {
		t.Fatal(err)
	}
	a, err := take()
	if err != nil || a.Check != 5 || a.Wall <= 0 || a.Wall > 1e-3 || calls < 1000 {
		t.Errorf("%+v after %d calls, %v", a, calls, err)
	}
	if _, err := ours(func() error { return errors.New("no") }, nil); err == nil {
		t.Error("an error is not reported")
	}
}

func TestAround(t *testing.T) {
	path := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(path, []byte("a\n"+beginMark+"\nold\n"+endMark+"\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if head, tail, err := around(path); err != nil || head != "a\n"+beginMark || tail != endMark+"\nb\n" {
		t.Errorf("%q, %q, %v", head, tail, err)
	}
	if err := os.WriteFile(path, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Nothing is measured for a file that the tables have no place in.
	for _, path := range []string{path, path + ".none"} {
		if err := run([]string{"-python", "", "-quick", "-o", path}); err == nil {
			t.Errorf("%s is taken", path)
		}
	}
}
