package exec

import (
	"slices"
	"strings"
)

// Language is what a program is written in.
type Language string

// The languages.
const (
	Ein    Language = "ein"
	Python Language = "python"
)

// tags are the words behind a fence that name the language.
func (l Language) tags() []string {
	if l == Python {
		return []string{"python", "python3", "py"}
	}
	return []string{string(l)}
}

// Extract finds the program in a reply; it is false where there is none.
//
// Of fenced blocks it is the last complete one that is marked with the language;
// where none is, the last complete one without a mark; where there is none
// either, the last complete one. A mark counts for more than the place, because
// after a program models like to show what they think it prints. A block that is
// never closed counts only when there is no complete one: some providers cut the
// closing fence off.
//
// In an Ein reply without fences the program is from the first line that looks
// like a statement to the end of the last one, so that prose before and after it
// is left out. In Python no line can be told from prose: the program is the whole
// text.
//
// The time is linear in the reply.
func Extract(reply string, l Language) (string, bool) {
	tags := l.tags()
	const unmarked, marked = 1, 2
	program, rank, fenced := "", -1, false
	open := ""
	var fence block
	for at := 0; at < len(reply); {
		end := len(reply)
		if i := strings.IndexByte(reply[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := reply[at:end]
		switch {
		case fence.size == 0:
			if fence = opening(line); fence.size > 0 {
				fenced, open = true, reply[end:]
				fence.start = end
			}
		case fence.closes(line):
			r := 0
			switch {
			case slices.Contains(tags, fence.tag):
				r = marked
			case fence.tag == "":
				r = unmarked
			}
			if r >= rank {
				program, rank = reply[fence.start:at], r
			}
			fence = block{}
		}
		at = end
	}
	switch {
	case rank >= 0:
	case fenced:
		program = open
	case l == Ein:
		program = bare(reply)
	default:
		program = reply
	}
	return program, strings.TrimSpace(program) != ""
}

// block is an open fence.
type block struct {
	char  byte
	size  int // 0: there is none
	tag   string
	start int
}

func opening(line string) block {
	s := strings.TrimSpace(line)
	for _, c := range []byte("`~") {
		rest := strings.TrimLeft(s, string(c))
		n := len(s) - len(rest)
		if n < 3 || strings.IndexByte(rest, '`') >= 0 {
			continue
		}
		tag, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		return block{char: c, size: n, tag: strings.ToLower(strings.Trim(tag, "{.}"))}
	}
	return block{}
}

func (b block) closes(line string) bool {
	s := strings.TrimSpace(line)
	return len(s) >= b.size && strings.Trim(s, string(b.char)) == ""
}

// bare is the statements of a text that is not all program.
func bare(text string) string {
	start, end := -1, 0
	depth := 0
	for at := 0; at < len(text); {
		next := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		line := text[at:next]
		if depth > 0 || statement(line) {
			if start < 0 {
				start = at
			}
			end = next
			depth = max(0, depth+opened(line))
		}
		at = next
	}
	if start < 0 {
		return ""
	}
	return text[start:end]
}

// opened is how many more brackets a line opens than it closes, comments aside.
func opened(line string) int {
	if i := strings.Index(line, "//"); i >= 0 {
		line = line[:i]
	}
	n := 0
	for _, c := range []byte(line) {
		switch c {
		case '(', '[', '{':
			n++
		case ')', ']', '}':
			n--
		}
	}
	return n
}

// statement reports whether a line begins as a statement does: a command, or a
// name and an equals sign with at most an index list between them.
func statement(line string) bool {
	s := strings.TrimSpace(line)
	if strings.HasPrefix(s, ":print") {
		return true
	}
	i := 0
	for i < len(s) && (s[i] == '_' || 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z' || i > 0 && '0' <= s[i] && s[i] <= '9') {
		i++
	}
	if i == 0 {
		return false
	}
	s = strings.TrimSpace(s[i:])
	if strings.HasPrefix(s, "[") {
		j := strings.IndexByte(s, ']')
		if j < 0 {
			return false
		}
		s = strings.TrimSpace(s[j+1:])
	}
	for _, op := range []string{"max", "min", "+"} {
		s = strings.TrimPrefix(s, op)
	}
	return strings.HasPrefix(s, "=") && !strings.HasPrefix(s, "==")
}
