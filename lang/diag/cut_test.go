package diag

import "testing"

func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		s    string
		most int
		want string
	}{
		{"", 5, ""},
		{"abcde", 5, "abcde"},
		{"abcdef", 5, "a...f"},
		{"abcdefgh", 6, "ab...h"},
		{"äöüßéèê", 7, "äöüßéèê"},
		{"äöüßéèêë", 7, "äö...êë"},
	} {
		if got := Middle(c.s, c.most); got != c.want {
			t.Errorf("Middle(%q, %d) is %q, want %q", c.s, c.most, got, c.want)
		}
	}
}
