package source

import (
	"strings"
	"testing"
	"unicode/utf8"
)

const text = "ab\r\né𝄞x\n\nlast"

func TestPosition(t *testing.T) {
	f := NewFile("a", text)
	tests := []struct{ offset, line, column int }{
		{-1, 1, 1}, {0, 1, 1}, {2, 1, 3}, {4, 2, 1}, {6, 2, 2}, {10, 2, 3}, {11, 2, 4}, {12, 3, 1}, {13, 4, 1}, {17, 4, 5}, {99, 4, 5},
	}
	for _, test := range tests {
		if p := f.Position(test.offset); p.Line != test.line || p.Column != test.column {
			t.Errorf("%d is at %+v, want %d:%d", test.offset, p, test.line, test.column)
		}
	}
}

func TestLineAt(t *testing.T) {
	f := NewFile("a", text)
	for offset, want := range map[int]string{-1: "ab", 0: "ab", 3: "ab", 4: "é𝄞x", 10: "é𝄞x", 12: "", 13: "last", 99: "last"} {
		if s := f.LineAt(offset); f.Text[s.Start:s.End] != want {
			t.Errorf("the line at %d is %q, want %q", offset, f.Text[s.Start:s.End], want)
		}
	}
}

func TestSpan(t *testing.T) {
	s := Span{2, 4}
	if s.Len() != 2 || s.Join(Span{1, 3}) != (Span{1, 4}) || !s.Contains(4) || s.Contains(5) || s.Contains(1) {
		t.Error("span arithmetic")
	}
}

// TestLongLines holds positions in long lines against counting.
func TestLongLines(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("é", 5000), strings.Repeat("x", 3*stride) + "\n" + strings.Repeat("日\xff", 2*stride) + "\n\n" + strings.Repeat("😀\x80", stride),
	} {
		f := NewFile("a", text)
		for i := 0; i <= len(text); i += 37 {
			line := strings.LastIndexByte(text[:i], '\n') + 1
			want := Position{"a", 1 + strings.Count(text[:i], "\n"), 1 + utf8.RuneCountInString(text[line:i]), i}
			if got := f.Position(i); got != want {
				t.Fatalf("offset %d is at %v, want %v", i, got, want)
			}
		}
	}
}

// TestParts holds places in a file that is made of others against those there.
func TestParts(t *testing.T) {
	f := NewFile("whole", "")
	for _, p := range []Position{{"a", 3, 0, 0}, {"b", 1, 0, 9}, {"a", 7, 0, 14}} {
		f = f.Append(p.File, p.Line, [...]string{"x\r\né = 1\n", "", "y\n\nzz"}[len(f.parts)])
	}
	for _, c := range []struct {
		offset int
		want   string
		line   Span
	}{{0, "a:3:1", Span{0, 1}}, {5, "a:4:2", Span{3, 9}}, {10, "a:7:1", Span{10, 11}}, {13, "a:9:1", Span{13, 15}}, {99, "a:9:3", Span{13, 15}}} {
		if at, line := f.Position(c.offset).String(), f.LineAt(c.offset); at != c.want || line != c.line {
			t.Errorf("offset %d is at %s in %v, want %s in %v", c.offset, at, line, c.want, c.line)
		}
	}
}
