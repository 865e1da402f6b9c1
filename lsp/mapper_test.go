package lsp

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"ein/lang/source"
)

// slowPosition counts from the definition: lines end in \n, \r\n or \r, columns are
// units of the encoding.
func slowPosition(text string, offset int, enc encoding) protocol.Position {
	before := strings.ReplaceAll(text[:offset], "\r\n", " \n")
	if strings.HasSuffix(before, "\r") && strings.HasPrefix(text[offset:], "\n") {
		before = before[:len(before)-1] + " " // within a line end is before it
	}
	before = strings.ReplaceAll(before, "\r", "\n")
	line := strings.Count(before, "\n")
	start := strings.LastIndexByte(before, '\n') + 1
	column := text[start:offset]
	n := len(column)
	switch enc {
	case utf16Units:
		n = len(utf16.Encode([]rune(column)))
	case utf32Units:
		n = utf8.RuneCountInString(column)
	}
	return protocol.Position{Line: uint32(line), Character: uint32(n)}
}

func checkMapper(t *testing.T, text string) {
	t.Helper()
	for _, enc := range []encoding{utf8Units, utf16Units, utf32Units} {
		m := newMapper(text, enc)
		for offset := 0; offset <= len(text); offset++ {
			if offset < len(text) && !utf8.RuneStart(text[offset]) {
				continue
			}
			want := slowPosition(text, offset, enc)
			got := m.position(offset)
			if got != want {
				t.Fatalf("%q, offset %d, encoding %d: position %v, want %v", text, offset, enc, got, want)
			}
			// Between \r and \n is no place of the protocol.
			if offset > 0 && offset < len(text) && text[offset-1] == '\r' && text[offset] == '\n' {
				continue
			}
			if back, inside := m.offset(got); back != offset || !inside {
				t.Fatalf("%q, encoding %d: %v is offset %d (%v), want %d", text, enc, got, back, inside, offset)
			}
		}
		lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
		for line := range lines {
			end := m.position(m.end(line))
			past := protocol.Position{Line: uint32(line), Character: end.Character + 1}
			if offset, inside := m.offset(past); inside || offset != m.end(line) {
				t.Fatalf("%q, encoding %d: past the end of line %d is %d (%v), want %d", text, enc, line, offset, inside, m.end(line))
			}
		}
		if offset, inside := m.offset(protocol.Position{Line: uint32(len(lines))}); inside || offset != len(text) {
			t.Fatalf("%q: past the last line is %d (%v)", text, offset, inside)
		}
	}
}

func TestMapper(t *testing.T) {
	for _, text := range []string{
		"", "a", "\n", "\r\n", "\r", "a\nb", "a\r\nb\r\n", "a\rb", "\r\r\n\n", "é", "𝔸𝔹", "a𝔸b\n中文\r\nx𝔸",
		strings.Repeat("x𝔸é", 500), strings.Repeat("𝔸", 300) + "\n" + strings.Repeat("y", 600), "\ufeffA = 1",
	} {
		checkMapper(t, text)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "\n", "\r", "\r\n", "é", "中", "𝔸", strings.Repeat("z", 100)}
	for range 300 {
		var b strings.Builder
		for range rng.IntN(40) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		checkMapper(t, b.String())
	}
}

// TestMapperWithin: a place in the middle of a character is before it.
func TestMapperWithin(t *testing.T) {
	m := newMapper("a𝔸b", utf16Units)
	if offset, inside := m.offset(protocol.Position{Character: 2}); offset != 1 || !inside {
		t.Errorf("within a pair: %d, %v", offset, inside)
	}
	m = newMapper("aéb", utf8Units)
	if offset, inside := m.offset(protocol.Position{Character: 2}); offset != 1 || !inside {
		t.Errorf("within a character: %d, %v", offset, inside)
	}
	if p := m.position(2); p.Character != 1 {
		t.Errorf("position within a character: %v", p)
	}
}

func FuzzMapper(f *testing.F) {
	f.Add("a𝔸b\n中文\r\nx")
	f.Fuzz(func(t *testing.T, text string) {
		if utf8.ValidString(text) { // JSON holds nothing else
			checkMapper(t, text)
		}
	})
}

// TestWalk: positions in order are those that are asked for one by one.
func TestWalk(t *testing.T) {
	text := strings.Repeat("a\tbé😀\r\n\rx\n", 60) + "日本"
	for _, enc := range []encoding{utf8Units, utf16Units, utf32Units} {
		w := walk{mapper: newMapper(text, enc)}
		for offset := range text {
			line, column := w.to(offset)
			if want := w.position(offset); uint32(line) != want.Line || uint32(column) != want.Character {
				t.Fatalf("encoding %d, offset %d: %d:%d, want %v", enc, offset, line, column, want)
			}
		}
	}
}

// TestLongLine finds the places of 100,000 statements in one line, which takes hours where each is
// counted from the start of the line.
func TestLongLine(t *testing.T) {
	const statement = "é = 𝟙; "
	for _, enc := range []encoding{utf8Units, utf16Units, utf32Units} {
		m := newMapper(strings.Repeat(statement, 100_000), enc)
		w := walk{mapper: m}
		for at := 0; at < len(m.text); at += len(statement) {
			line, column := w.to(at)
			p := m.position(at)
			if back, inside := m.offset(p); int(p.Line) != line || int(p.Character) != column || back != at || !inside {
				t.Fatalf("encoding %d: %d is at %v and back at %d, a walk finds %d:%d", enc, at, p, back, line, column)
			}
		}
	}
}

// TestTokensAllocate: tokens are made from what is known of a text without something
// for each of them.
func TestTokensAllocate(t *testing.T) {
	f := (&file{text: longProgram(500), encoding: utf16Units}).finish()
	all := source.Span{End: len(f.text)}
	if n := testing.AllocsPerRun(10, func() { tokenData(f, all) }); n > 10 {
		t.Errorf("%v allocations for %d numbers", n, len(tokenData(f, all)))
	}
}
