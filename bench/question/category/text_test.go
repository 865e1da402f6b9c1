package category

import "testing"

// TestPrograms: each category has a program in each language.
func TestPrograms(t *testing.T) {
	for _, cat := range Table {
		if cat.ein == nil || cat.python == nil || cat.rules == nil {
			t.Errorf("%s is not complete", cat.Name)
		}
	}
}
