package answer

import (
	"errors"
	"regexp"
	"slices"
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

// stated matches the ways in which texts mark an answer, to the end of the line.
var stated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\banswer\b[*_]*(?:\s+is\b\s*:?|\s*[:=])[ \t*_]*\n?[ \t]*([^\n]*)`)
})

// mostStated is how many bytes at the end of a text are searched for an answer.
const mostStated = 1 << 16

// ParseRelaxed finds the answer in a text whatever contains it: an object with a
// member "answer", as JSON or as Python writes it, \boxed{...}, or what follows "answer:" or
// "answer is", the last one if there are several; or else the whole text. Text repeated from the
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
	last, text := -1, strings.TrimSpace(reply)
	const box = `\boxed{`
	if at := strings.LastIndex(reply, box); at >= 0 {
		inside := reply[at+len(box):]
		depth := 0
		for i, c := range []byte(inside) {
			if c == '{' {
				depth++
			}
			if c == '}' {
				if depth--; depth < 0 {
					last, text = at, inside[:i]
					break
				}
			}
		}
	}
	if all := stated().FindAllStringSubmatchIndex(reply, -1); all != nil {
		if m := all[len(all)-1]; m[0] > last && !strings.Contains(reply[m[2]:m[3]], box) {
			text = reply[m[2]:m[3]]
		}
	}
	return relaxedText(text), nil
}

// relaxedText returns a value as JSON or Python writes it, or else a text.
func relaxedText(text string) JSON {
	for _, wrapped := range []string{`\text{`, `\mathrm{`, "$", "```json", "```python", "```", "`", "**"} {
		text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), wrapped))
	}
	text = strings.TrimRight(text, " \t\r\n.*`$")
	if n := strings.Count(text, "}") - strings.Count(text, "{"); n == 1 {
		text = strings.TrimSuffix(text, "}")
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\{`, "{"), `\}`, "}")
	r := reader{s: text}
	v, err := r.relaxed()
	if r.space(); err != nil || r.at < len(text) {
		return JSON{kind: jsonString, text: strings.TrimSpace(text)}
	}
	if a, ok := v.Member(answerKey); ok {
		return a
	}
	return v
}

// relaxed reads a value of JSON or Python: quotes of both sorts or none, brackets of
// all sorts, True and None.
func (r *reader) relaxed() (JSON, error) {
	r.space()
	c := r.peek()
	switch end := map[byte]byte{'{': '}', '[': ']', '(': ')'}[c]; {
	case end != 0:
		return r.relaxedList(c, end)
	case c == '"':
		s, err := r.string()
		return JSON{kind: jsonString, text: s}, err
	case c == '\'':
		s, _, ok := strings.Cut(r.s[r.at+1:], "'")
		if !ok {
			return JSON{}, r.expected("the end of a string")
		}
		r.at += len(s) + len("''")
		return JSON{kind: jsonString, text: s}, nil
	}
	word := r.s[r.at:]
	if i := strings.IndexAny(word, ",:]})([{\n"); i >= 0 {
		word = word[:i]
	}
	if r.at += len(word); word == "set" && strings.HasPrefix(r.s[r.at:], "()") {
		r.at += len("()")
		return list(nil), nil
	}
	switch word = strings.TrimSpace(word); word {
	case "":
		return JSON{}, r.expected("a value")
	case "True", "False", "true", "false":
		return JSON{kind: jsonBool, text: strings.ToLower(word)}, nil
	case "None", "null":
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
		x, err := Parse(word)
		return x, err == nil && conforms(&x, t)
	case t == category.Compound && v.kind == jsonArray && len(v.more.values) == 2:
		v = &JSON{kind: jsonObject, more: &composite{[]string{"reachable", "degree"}, v.more.values}}
		fallthrough
	case t == category.Compound && v.kind == jsonObject:
		if !conforms(v, t) {
			return *v, false
		}
		reach, degree := either(v, "reachable", "reach"), either(v, "degree", "deg")
		reach, ok := reach.coerce(category.Boolean, labels)
		degree, too := degree.coerce(category.Integer, labels)
		return object(&composite{[]string{"reachable", "degree"}, []JSON{reach, degree}}), ok && too
	}
	return *v, conforms(v, t)
}

// between matches what separates the labels of a set in a text.
var between = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*(?:,\s*and\s|,|\n|\sand\s)\s*`) })

// set returns the labels that a text names, with commas, "and" or lines between them; it is
// false where it names anything else.
func set(text string, labels []string) (JSON, bool) {
	names := []string{text}
	switch {
	case strings.EqualFold(text, "none"):
		names = nil
	case !slices.Contains(labels, text):
		names = between().Split(text, -1)
	}
	values := make([]JSON, len(names))
	for i, x := range names {
		x = strings.Trim(strings.TrimSpace(x), `"'`)
		if !slices.Contains(labels, x) {
			return JSON{}, false
		}
		values[i] = JSON{kind: jsonString, text: x}
	}
	return list(values), true
}
