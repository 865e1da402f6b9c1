package answer

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ein/bench/question/category"
	"ein/internal/compact"
	"ein/internal/lists"
)

// Visible returns a reply without the reasoning before it, of which there is an end and
// perhaps no beginning. A reply that never comes to an end of it is all reasoning.
func Visible(reply string) string {
	for _, tag := range []string{"think>", "thinking>"} {
		if strings.Contains(reply, "</"+tag) { // eight times as fast as from the end
			reply = reply[strings.LastIndex(reply, "</"+tag)+len("</"+tag):]
		} else if strings.HasPrefix(strings.TrimSpace(reply), "<"+tag) {
			return ""
		}
	}
	return reply
}

// marks matches what texts put in front of an answer: a box of LaTeX, a tag, a heading, or words.
var marks = pattern(`(?im)\\boxed\{|<(?:final_)?answer>|^[#>*_ \t]*(?:final[ \t]+)?answer[*_ \t\r]*$|(?:\b|_)answer(?:\b|_)[*_]*(?:\s+is\b\s*:?|\s*[:=])`)

func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// mostStated is how many bytes at the end of a text are searched for an answer.
const mostStated = 1 << 16

// ParseRelaxed finds the answer in a text whatever contains it: an object with a
// member "answer", as JSON or as Python writes it; or what the last mark of an answer marks, such as
// \boxed{...}, <answer>...</answer> or "answer is"; or else the whole text. Text repeated from the
// question does not count. Its errors are those of ParseReply.
func ParseRelaxed(reply string) (JSON, error) {
	reply = Visible(reply)
	v, err := ParseReply(reply)
	if !errors.Is(err, NoObject) && !errors.Is(err, NoField) {
		return v, err
	}
	reply = strings.ReplaceAll(reply, category.Otherwise, "")
	reply = reply[max(0, len(reply)-mostStated):]
	for at, tried := len(reply), 0; tried < maxDepth; tried++ {
		if at = strings.LastIndexByte(reply[:at], '{'); at < 0 {
			break
		}
		r := reader{s: reply, at: at}
		if object, err := r.relaxed(); err == nil {
			if a, ok := object.Member(answerKey); ok {
				return a, nil
			}
		}
	}
	all := marks().FindAllStringIndex(reply, -1)
	if len(all) == 0 {
		return relaxedText(reply), nil
	}
	m := all[len(all)-1]
	rest := reply[m[1]:]
	tagged, _, _ := strings.Cut(rest, "</")
	switch end := boxEnd(rest); {
	case reply[m[0]] == '<':
		return relaxedText(tagged), nil
	case reply[m[0]] != '\\':
		return relaxedText(behind(tagged)), nil
	case end >= 0:
		return relaxedText(rest[:end]), nil
	}
	return relaxedText(reply), nil // the box was cut off
}

// boxEnd returns where the brace is that closes a box, or -1.
func boxEnd(text string) int {
	depth := 0
	return strings.IndexFunc(text, func(c rune) bool {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
		return depth < 0
	})
}

// How far an answer extends: to the end of the line, of the list, or of the paragraph and its list.
var (
	firstLine = pattern(`^.*`)
	wholeList = pattern(`^.*(?:\s*\n[ \t]*` + listMark + `.*)*`)
	paragraph = pattern(`^.*(?:\n[ \t]*[^\s].*|\s*\n[ \t]*` + listMark + `.*)*`)
)

// listMark matches the mark of an item of a list.
const listMark = `(?:[-*+•]|\d+[.)])\s+`

// behind returns the text of an answer behind words that mark it: the rest of the line or, if that
// is empty, the next block or paragraph. A value in brackets may have several lines.
func behind(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	extent := firstLine
	if strings.Trim(line, " \t\r*_") == "" {
		extent = paragraph
	} else if item().MatchString(strings.TrimSpace(line)) {
		extent = wholeList
	}
	text = strings.TrimLeft(text, " \t\r\n*_")
	if inside, ok := strings.CutPrefix(text, "```"); ok {
		inside, _, _ = strings.Cut(inside, "```")
		return "```" + inside
	}
	r := reader{s: text}
	if strings.IndexByte("[({", r.peek()) < 0 {
		r.at = 0
	} else if _, err := r.relaxed(); err != nil {
		r.at = 0
	}
	return text[:r.at] + extent().FindString(text[r.at:])
}

// What LaTeX and Markdown put around a text, and a string of Python.
var (
	styled  = pattern(`\\(?:text|math)[a-z]*\{([^{}]*)\}`)
	frac    = pattern(`\\[dt]?frac\{(\d+)\}\{(\d+)\}`)
	block   = pattern("^\\s*```(?:\\w*\\s*\n|json|python)?")
	single  = pattern(`(?s)^'(?:[^'\\]|\\.)*'`)
	escaped = strings.NewReplacer(`\left`, "", `\right`, "", `\{\}`, "∅", `\{`, "{", `\}`, "}", "{,}", ",", "−", "-")
)

// relaxedText returns a value as JSON or Python writes it, or else a text.
func relaxedText(text string) JSON {
	text = block().ReplaceAllString(escaped.Replace(text), "")
	text = frac().ReplaceAllString(styled().ReplaceAllString(text, "$1"), "$1/$2")
	for was := ""; was != text; {
		was = text
		text = strings.TrimRight(strings.Trim(text, " \t\r\n*_`$"), ".")
		for _, pair := range []string{`\(\)`, `\[\]`} {
			text = strings.TrimSuffix(strings.TrimPrefix(text, pair[:2]), pair[2:])
		}
	}
	if n := strings.Count(text, "}") - strings.Count(text, "{"); n == 1 {
		text = strings.TrimSuffix(text, "}")
	}
	r := reader{s: text}
	v, err := r.relaxed()
	if r.space(); err != nil || r.at < len(text) || text == pythonNone {
		return JSON{kind: jsonString, text: strings.TrimSpace(text)}
	}
	if a, ok := v.Member(answerKey); ok {
		return a
	}
	return v
}

// pythonNone is null in a value, and the word in a text.
const pythonNone = "None"

// relaxed reads a value of JSON or Python: quotes of both sorts or none, brackets of
// all sorts, True and None.
func (r *reader) relaxed() (JSON, error) {
	r.loose = true
	r.space()
	c := r.peek()
	switch end := map[byte]byte{'{': '}', '[': ']', '(': ')'}[c]; {
	case end != 0:
		return r.relaxedList(c, end)
	case c == '"':
		s, err := r.string()
		return JSON{kind: jsonString, text: s}, err
	case c == '\'':
		s := single().FindString(r.s[r.at:])
		if s == "" {
			return JSON{}, r.expected("the end of a string")
		}
		r.at += len(s)
		return JSON{kind: jsonString, text: s[1 : len(s)-1]}, nil
	}
	word := r.s[r.at:]
	if i := strings.IndexAny(word, ",:]})([{\n"); i >= 0 {
		word = word[:i]
	}
	if r.at += len(word); word == "set" && strings.HasPrefix(r.s[r.at:], "()") {
		r.at += len("()")
		return list(nil), nil
	}
	switch word = strings.TrimSpace(strings.Trim(strings.TrimSpace(word), "*`")); word {
	case "":
		return JSON{}, r.expected("a value")
	case "True", "False", "true", "false":
		return JSON{kind: jsonBool, text: strings.ToLower(word)}, nil
	case pythonNone, "null":
		return JSON{kind: jsonNull, text: "null"}, nil
	}
	if v, err := Parse(word); err == nil && v.kind == jsonNumber {
		return v, nil
	}
	return JSON{kind: jsonString, text: word}, nil
}

// relaxedList returns a list, tuple, set or dictionary of Python. Braces are a dictionary if they
// are empty or have keys, else a set.
func (r *reader) relaxedList(open, end byte) (JSON, error) {
	if r.depth++; r.depth > maxDepth {
		return JSON{}, TooDeep
	}
	r.at++
	c := &composite{}
	for {
		if r.space(); r.next(end) {
			break
		}
		v, err := r.relaxed()
		if err != nil {
			return v, err
		}
		if r.space(); open == '{' && v.kind == jsonString && r.next(':') {
			c.keys = append(c.keys, v.text)
			if v, err = r.relaxed(); err != nil {
				return v, err
			}
		}
		c.values = append(c.values, v)
		if r.space(); !r.next(',') && r.peek() != end {
			return JSON{}, r.expected("a comma or " + string(rune(end)))
		}
	}
	r.depth--
	if open != '{' || len(c.keys) == 0 && len(c.values) > 0 {
		return list(c.values), nil
	}
	if len(c.keys) != len(c.values) || repeats(c.keys) {
		return JSON{}, DuplicateKey
	}
	return object(c), nil
}

// list and object are composites with their text.
func list(values []JSON) JSON {
	return JSON{jsonArray, "[" + strings.Join(lists.Map(values, func(x JSON) string { return string(x.Raw()) }), ",") + "]", &composite{values: values}}
}

func object(c *composite) JSON {
	var parts []string
	for i := range c.values {
		parts = append(parts, string(compact.Must(c.keys[i]))+":"+string(c.values[i].Raw()))
	}
	return JSON{jsonObject, "{" + strings.Join(parts, ",") + "}", c}
}

// coerce returns a value in the container of a type; it is false where it has none that
// could be meant.
func (v *JSON) coerce(t category.Result, labels []string) (JSON, bool) {
	if v.kind == jsonString && t != category.String {
		if x := relaxedText(v.text); x.kind != jsonString {
			return x.coerce(t, labels)
		}
	}
	word := strings.ToLower(strings.TrimSpace(v.text))
	switch {
	case t == category.Set && v.kind == jsonString:
		return set(strings.TrimSpace(v.text), labels)
	case t == category.Set && v.kind == jsonArray:
		var names []JSON
		for i := range v.more.values {
			if v.more.values[i].kind != jsonString {
				return *v, false
			}
			names = append(names, v.more.values[i])
		}
		return list(names), true
	case v.kind == jsonArray && len(v.more.values) == 1:
		return v.more.values[0].coerce(t, labels)
	case t == category.Boolean && v.kind == jsonString && (word == "yes" || word == "true"):
		return JSON{kind: jsonBool, text: "true"}, true
	case t == category.Boolean && v.kind == jsonString && (word == "no" || word == "false"):
		return JSON{kind: jsonBool, text: "false"}, true
	case (t == category.Integer || t == category.Float) && v.kind == jsonString:
		return number(word, t)
	case t == category.Compound && v.kind == jsonString:
		if x := pair(v.text); x.kind == jsonArray || x.kind == jsonObject {
			return x.coerce(t, labels)
		}
	case t == category.Compound && v.kind == jsonArray && len(v.more.values) == 2:
		v = &JSON{kind: jsonObject, more: &composite{[]string{"reachable", "degree"}, v.more.values}}
		fallthrough
	case t == category.Compound && v.kind == jsonObject:
		v = &JSON{kind: jsonObject, more: &composite{lists.Map(v.more.keys, strings.ToLower), v.more.values}}
		if repeats(v.more.keys) || !conforms(v, t) {
			return *v, false
		}
		reach, degree := either(v, "reachable", "reach"), either(v, "degree", "deg")
		reach, ok := reach.coerce(category.Boolean, labels)
		degree, too := degree.coerce(category.Integer, labels)
		return object(&composite{[]string{"reachable", "degree"}, []JSON{reach, degree}}), ok && too
	}
	return *v, conforms(v, t)
}

// number returns the number that a text is: with commas between thousands or, if it may have a
// fraction, a whole number over another.
func number(text string, t category.Result) (JSON, bool) {
	if thousands().MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}
	if over, under, ok := strings.Cut(text, "/"); ok && t == category.Float {
		p, none := strconv.Atoi(strings.TrimSpace(over))
		q, either := strconv.Atoi(strings.TrimSpace(under))
		if cmp.Or(none, either) == nil {
			text = strconv.FormatFloat(float64(p)/float64(q), 'f', -1, 64)
		}
	}
	x, err := Parse(text)
	return x, err == nil && conforms(&x, t)
}

var thousands = pattern(`^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$`)

// items returns the parts of a text with commas, "and" or lines between them, without the marks of
// a list.
func items(text string) []string {
	return lists.Map(between().Split(text, -1), func(x string) string {
		return strings.Trim(item().ReplaceAllString(strings.TrimSpace(x), ""), " *`")
	})
}

var (
	between = pattern(`\s*(?:,\s*and\s|,|\n|\sand\s)\s*`)
	item    = pattern(`^(?:\*\*)?\s*` + listMark)
)

// pair returns the object or array whose two elements stand in a text without brackets.
func pair(text string) JSON {
	parts := items(text)
	if len(parts) != 2 {
		return JSON{kind: jsonString, text: text}
	}
	brackets := "[]"
	if strings.Contains(text, ":") {
		brackets = "{}"
	}
	return relaxedText(brackets[:1] + strings.Join(parts, ",") + brackets[1:])
}

// set returns the labels that a text names as items, or none; it is false where it names anything
// else.
func set(text string, labels []string) (JSON, bool) {
	names := []string{text}
	switch {
	case slices.Contains([]string{"none", "∅", `\emptyset`, `\varnothing`, "empty set", "the empty set"}, strings.ToLower(text)):
		names = nil
	case !slices.Contains(labels, text):
		names = items(text)
	}
	values := make([]JSON, len(names))
	for i, x := range names {
		x = strings.Trim(x, `"'`)
		if !slices.Contains(labels, x) {
			return JSON{}, false
		}
		values[i] = JSON{kind: jsonString, text: x}
	}
	return list(values), true
}
