package category

import (
	"fmt"
	"testing"
)

func TestEvenly(t *testing.T) {
	var names []string
	var of [3]int // categories of each level
	for i := range Table {
		names = append(names, Table[i].Name)
		of[Table[i].Level-1]++
	}
	for _, test := range []struct {
		names   []string
		have, n int
		want    string // of the levels
	}{
		{names, 50, 200, "[67 67 66]"},
		{names, 50, 2, "[1 1 0]"},
		{names, 1, 0, fmt.Sprint(of)},
		{names, 1, 1000, fmt.Sprint(of)},
		{names, 2, 2*len(names) - 4, fmt.Sprint([3]int{2*of[0] - 4, 2 * of[1], 2 * of[2]})}, // the others have no more
		{[]string{"sibling"}, 50, 10, "[10 0 0]"},
	} {
		var levels [3]int
		least, most := map[int]int{}, map[int]int{}
		for name, n := range Evenly(test.names, func(string) int { return test.have }, test.n) {
			for i := range Table {
				if c := &Table[i]; c.Name == name {
					levels[c.Level-1] += n
					if _, ok := least[c.Level]; !ok || n < least[c.Level] {
						least[c.Level] = n
					}
					most[c.Level] = max(most[c.Level], n)
				}
			}
		}
		if got := fmt.Sprint(levels); got != test.want {
			t.Errorf("%d of %d each: %s, want %s", test.n, test.have, got, test.want)
		}
		if len(test.names) == len(names) && test.n >= len(names) {
			for level := range least {
				if most[level]-least[level] > 1 {
					t.Errorf("%d of %d each: level %d has %d to %d of a category", test.n, test.have, level, least[level], most[level])
				}
			}
		}
	}
}
