package graphio

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ein/vm/cost"
	"ein/vm/tensor"
)

// TestLabelTable compares the table with a map, on labels around the length
// that fits a slot.
func TestLabelTable(t *testing.T) {
	rng := newRand()
	mem := &memory{}
	table := newLabelTable(mem)
	index := map[string]int32{}
	var want []string
	for range 50_000 {
		b := []byte(strings.Repeat("x", rng.IntN(16)))
		for i := range b {
			b[i] = "abcdefgh"[rng.IntN(8)]
		}
		if rng.IntN(4) == 0 {
			b = append(b, 0) // never a label, but looked up before that is known
		}
		id, ok := table.find(b)
		wantID, wantOK := index[string(b)]
		if ok != wantOK || id != wantID {
			t.Fatalf("%q: found %d %v, want %d %v", b, id, ok, wantID, wantOK)
		}
		if !ok && badLabel(b) == "" {
			index[string(b)] = table.add(b)
			want = append(want, string(b))
		}
	}
	if held := len(table.slots)*sizeOf[slot]() + table.labels.held() + table.texts; held != int(mem.held) {
		t.Errorf("the table holds %d bytes and counts %d", held, mem.held)
	}
	if got := table.labels.flat(); !slices.Equal(got, want) {
		t.Error("the labels come out in another order")
	}
}

// TestLater numbers labels that wait by the order of their first appearance, whatever they are:
// short, long, empty, ending in zeros, new twice among those that wait.
func TestLater(t *testing.T) {
	rng := newRand()
	table := newLabelTable(&memory{})
	index := map[string]float64{}
	var got []*float64
	var want []float64
	for k := range 20_000 {
		b := []byte(strings.Repeat("x", rng.IntN(16)))
		for i := range b {
			b[i] = "abcd\x00"[rng.IntN(5)]
		}
		if rng.IntN(50) == 0 {
			b = bytes.Repeat(b, 20)
		}
		if _, ok := index[string(b)]; !ok {
			index[string(b)] = float64(len(index))
		}
		want, got = append(want, index[string(b)]), append(got, new(float64))
		if !table.waits(b) {
			table.flush()
		}
		table.later(b, k, got[k])
		clear(b) // the caller's, and used again
	}
	table.flush()
	for k := range got {
		if *got[k] != want[k] {
			t.Fatalf("label %d has the number %v, want %v", k, *got[k], want[k])
		}
	}
	if len(index) != table.len() {
		t.Errorf("%d labels of %d", table.len(), len(index))
	}
}

// TestZeros has labels that differ in the zeros at their end alone, as cells of a relation may.
func TestZeros(t *testing.T) {
	table := newLabelTable(&memory{})
	for want, label := range []string{"a\x00", "a", "a\x00\x00", "", "\x00", "12345678\x01"} {
		for range 2 {
			var got float64
			table.later([]byte(label), 1, &got)
			table.flush()
			if int(got) != want {
				t.Errorf("%q is number %v, expected %d", label, got, want)
			}
		}
	}
}

// TestLineOfMemory: where there is no memory for a label, the error names the line of the label, though it
// was looked up later. Only each fiftieth row has a new one; the others take memory where a list of cells
// grows, in rows that are powers of two.
func TestLineOfMemory(t *testing.T) {
	text := "a\n"
	for i := range 5000 {
		text += fmt.Sprintf("label %d\n", i/50)
	}
	labels := 0
	for limit := uint64(66 << 10); ; limit += 200 {
		_, err := Read(strings.NewReader(text), "f", Options{Kind: Relation, Header: HeaderYes, Ledger: &cost.Ledger{Max: limit},
			Columns: []tensor.Column{{Name: "a", Kind: tensor.NodeColumn, Domain: &tensor.Domain{Name: "node"}}}})
		if err == nil {
			break
		}
		e, ok := errors.AsType[*Error](err)
		if !ok {
			t.Fatal(err)
		}
		switch row := e.Line - 2; {
		case row > 0 && row&(row-1) == 0:
		case row > 0 && row%50 == 0:
			labels++
		default:
			t.Errorf("limit %d: line %d", limit, e.Line)
		}
	}
	if labels == 0 {
		t.Error("none had no memory for a label")
	}
}
