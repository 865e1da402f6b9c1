package verdict

import (
	"iter"
	"slices"
	"strings"

	"ein/bench/question/answer"
	"ein/bench/question/prompt"
	"ein/lang"
	"ein/lang/syntax"
)

// languages are the modes whose replies are programs, with the words behind a fence
// that name the language.
var languages = map[prompt.Mode][]string{prompt.Ein: {"ein"}, prompt.Python: {"python", "python3", "py"}, prompt.Rules: {"ein", "rules", "datalog", "prolog"}}

// Extract finds the program in a reply, or returns false.
//
// It is the last complete fenced block that is marked with the language; else the last complete
// block without a mark; else the last complete block. The mark counts more than the order because
// models like to show, after a program, what they expect it to print. A block that is never
// closed counts only if none is complete: some providers cut off the closing fence.
//
// In a reply in Ein or rules without fences, the program extends from the first line that looks
// like a statement to the end of the last one, without the prose around it. Lines of Python
// cannot be told from prose, so there the program is the whole text.
//
// The time is linear in the reply.
func Extract(reply string, l prompt.Mode) (string, bool) {
	const open, other, unmarked, marked = 0, 1, 2, 3
	program, best := "", -1
	for b := range blocks(reply) {
		rank := other
		switch {
		case !b.closed:
			rank = open
		case slices.Contains(languages[l], b.tag):
			rank = marked
		case b.tag == "":
			rank = unmarked
		}
		if rank >= best {
			program, best = b.text, rank
		}
	}
	switch {
	case best >= 0:
	case l == prompt.Ein:
		program = bare(reply, statement)
	case l == prompt.Rules:
		program = bare(reply, func(line string) bool { return clause(line) || statement(line) })
	default:
		program = reply
	}
	return program, strings.TrimSpace(program) != ""
}

// Detect returns the language of the program in a reply, or false if nothing can be told from
// prose. The last complete block that is marked with a language decides. Without a mark, a program
// with imports is Python, and one in the form of Ein is Ein. Otherwise the contents of a block are
// Python, and anything else is Ein with an error in it.
func Detect(reply string) (prompt.Mode, bool) {
	if len(reply) > answer.MaxReply {
		return "", false
	}
	reply = answer.Visible(reply)
	var marked prompt.Mode
	fenced, complete := false, false
	tag := ""
	for b := range blocks(reply) {
		if complete && !b.closed {
			break
		}
		fenced, complete, tag = true, b.closed, b.tag
		if l := b.mode(); l != "" {
			marked = l
		}
	}
	if marked == prompt.Ein {
		program, _ := Extract(reply, prompt.Ein)
		return dialect(program), true
	}
	if marked != "" {
		return marked, true
	}
	text := reply
	if fenced {
		text, _ = Extract(reply, prompt.Python)
	}
	if imports(text) {
		return prompt.Python, true
	}
	if program, ok := Extract(reply, prompt.Rules); ok && dialect(program) == prompt.Rules {
		return prompt.Rules, true
	}
	program, ok := Extract(reply, prompt.Ein)
	switch {
	case !ok:
		return "", false
	case fenced && tag == "" && lang.Parse("reply", program, detecting).Diags.HasErrors():
		return prompt.Python, true
	}
	return prompt.Ein, true
}

// dialect returns Rules for a program that has readable facts, rules or queries.
func dialect(program string) prompt.Mode {
	for _, s := range lang.Parse("reply", program, detecting).Stmts {
		switch s.(type) {
		case *syntax.Rule, *syntax.Query:
			return prompt.Rules
		}
	}
	return prompt.Ein
}

// detecting holds the options for parsing a text that may not be Ein at all.
var detecting = lang.Options{Workers: 1, Syntax: syntax.Limits{SourceBytes: DefaultSource, Tokens: DefaultSource, Statements: maxStatements, Height: maxHeight, Diagnostics: 1}}

// imports reports whether a line is an import statement of Python.
func imports(text string) bool {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) > 1 && (words[0] == "import" || words[0] == "from" && slices.Contains(words, "import")) {
			return true
		}
	}
	return false
}

// block is a fenced block of a reply.
type block struct {
	tag, text string
	closed    bool // false: the reply ends before the fence does
}

// mode returns the language that a block is marked with, or "". A block marked as Ein may be rules.
func (b *block) mode() prompt.Mode {
	for _, l := range []prompt.Mode{prompt.Ein, prompt.Python, prompt.Rules} {
		if slices.Contains(languages[l], b.tag) {
			return l
		}
	}
	return ""
}

// blocks returns the fenced blocks of a reply, in order. A block of Markdown stands for those that it
// contains: models put a whole answer into one, and often end it with the fence of the first inside.
func blocks(reply string) iter.Seq[block] {
	return func(yield func(block) bool) {
		for b := range fences(reply) {
			whole := true
			if b.tag == "markdown" || b.tag == "md" {
				for inner := range fences(b.text) {
					whole, inner.closed = false, b.closed
					if !yield(inner) {
						return
					}
				}
			}
			if whole && !yield(b) {
				return
			}
		}
	}
}

// fences returns the outermost fenced blocks of a text.
func fences(reply string) iter.Seq[block] {
	return func(yield func(block) bool) {
		var f fence
		start, end := 0, 0
		for line := range strings.Lines(reply) {
			at := end
			end += len(line)
			if f.size == 0 {
				f = opening(line)
				start = end
			} else if f.closes(line) {
				if !yield(block{f.tag, f.content(reply[start:at]), true}) {
					return
				}
				f = fence{}
			}
		}
		if f.size > 0 {
			yield(block{f.tag, f.content(reply[start:]), false})
		}
	}
}

// closed reports whether a reply has a complete fenced block.
func closed(reply string) bool {
	for b := range blocks(reply) {
		if b.closed {
			return true
		}
	}
	return false
}

// fence is a line that opens a block.
type fence struct {
	char   byte
	size   int // 0: there is none
	tag    string
	indent int
}

// opening reads the first line of a fenced block as CommonMark does, and also in other places
// where models put fences: after the mark of a list item, or after words.
func opening(line string) fence {
	indent, s := len(line)-len(strings.TrimLeft(line, " \t")), strings.TrimSpace(line)
	before := ""
	// Behind a mark of a list, or behind words, only what names a language is a fence.
	if i := strings.Index(s, "```"); i > 0 && (&block{tag: mark(s[i+3:])}).mode() != "" {
		before, s = s[:i], s[i:]
	}
	if before != "" && len(strings.Fields(before)) == 1 && strings.Trim(before, "0123456789.)-*+ ") == "" {
		indent += len(before)
	}
	for _, c := range []byte("`~") {
		rest := strings.TrimLeft(s, string(c))
		n := len(s) - len(rest)
		if n < 3 || strings.IndexByte(rest, '`') >= 0 {
			continue
		}
		return fence{char: c, size: n, tag: mark(rest), indent: indent}
	}
	return fence{}
}

// mark returns the language that the text behind a fence names: its first word, without what
// Markdown, HTML and editors put around it, as in {.ein}, language-ein and ein:solve.ein.
func mark(text string) string {
	word := strings.TrimLeft(strings.ToLower(strings.TrimSpace(text)), "{.")
	word = strings.TrimPrefix(word, "language-")
	if i := strings.IndexAny(word, " \t:,;{}"); i >= 0 {
		word = word[:i]
	}
	return word
}

// content returns the lines of a block without the indentation of its fence, as in Markdown: in a list
// the whole block is indented, which Python would refuse.
func (f fence) content(text string) string {
	if f.indent == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		i := 0
		for i < min(f.indent, len(line)) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		b.WriteString(line[i:])
	}
	return b.String()
}

// closes reports whether a line ends a block of code: by CommonMark, the same characters, at least
// as many as opened it, and nothing else.
func (f fence) closes(line string) bool {
	s := strings.TrimSpace(line)
	return len(s) >= f.size && s[0] == f.char && strings.Trim(s, string(f.char)) == ""
}

// bare returns the statements in a text that also has prose.
func bare(text string, statement func(line string) bool) string {
	start, end, at, depth := -1, 0, 0, 0
	for line := range strings.Lines(text) {
		from := at
		at += len(line)
		if depth > 0 || statement(line) {
			if start < 0 {
				start = from
			}
			end = at
			depth = max(0, depth+opened(line))
		}
	}
	if start < 0 {
		return ""
	}
	return text[start:end]
}

// opened returns how many more brackets a line opens than it closes, comments aside.
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

// clause reports whether a line begins or continues a fact, a rule or a query: an atom in
// brackets and, after it, the end, a comma, an arrow, another atom or a comparison.
func clause(line string) bool {
	s := strings.TrimSpace(line)
	for _, not := range []string{"?-", "not ", "!", "~", "\\+"} {
		s = strings.TrimSpace(strings.TrimPrefix(s, not))
	}
	name, rest, ok := strings.Cut(s, "(")
	if i := strings.IndexByte(s, '['); i >= 0 && (!ok || i < len(name)) {
		name, rest, ok = s[:i], s[i+1:], true
	}
	if !ok || name == "" || strings.Trim(name, letters) != "" {
		return false
	}
	for depth := 1; depth > 0; {
		i := strings.IndexAny(rest, "()[]")
		if i < 0 {
			return false
		}
		if depth--; rest[i] == '(' || rest[i] == '[' {
			depth += 2
		}
		rest = rest[i+1:]
	}
	rest = strings.TrimSpace(rest)
	return rest != "" && (strings.IndexByte(".?,<:=!>", rest[0]) >= 0 || strings.Contains(rest, "= "))
}

const letters = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// statement reports whether a line begins a statement: with a directive, or with a name and an
// equals sign with at most an index list between them.
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
