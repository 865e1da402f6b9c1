package words

import "testing"

func TestWords(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1024: "1.0 KiB", 3 << 29: "1.5 GiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := Count(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if got := Shorten("äöüäöü", 5); got != "äö..." {
		t.Error(got)
	}
	if got := Plural(1, "entry", "entries") + ", " + Plural(1000, "entry", "entries") + ", " + Plural(0, "row"); got != "1 entry, 1,000 entries, 0 rows" {
		t.Error(got)
	}
}

func TestCut(t *testing.T) {
	for _, x := range []struct {
		text string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc..."}, {"aéb", 2, "a..."}, {"aéb", 3, "aé..."}, {"é", 1, "..."}} {
		if got := Clip(x.text, x.most); got != x.want {
			t.Errorf("%q of %d bytes: got %q, want %q", x.text, x.most, got, x.want)
		}
		if got := Clip([]byte(x.text), x.most); got != x.want {
			t.Errorf("%q of %d bytes: got %q, want %q", x.text, x.most, got, x.want)
		}
	}
}
