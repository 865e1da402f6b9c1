package lists

import (
	"slices"
	"strconv"
	"testing"
)

func TestMap(t *testing.T) {
	if got := Map([]int{1, 2}, strconv.Itoa); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("%v", got)
	}
}

func TestSet(t *testing.T) {
	if got := Set([]string{"a", "b", "a"}); len(got) != 2 || !got["a"] || !got["b"] || got["c"] {
		t.Errorf("%v", got)
	}
}

func TestPut(t *testing.T) {
	var m map[string]int
	Put(&m, "a", 1)
	Put(&m, "b", 2)
	Put(&m, "a", 3)
	if len(m) != 2 || m["a"] != 3 || m["b"] != 2 {
		t.Errorf("%v", m)
	}
}
