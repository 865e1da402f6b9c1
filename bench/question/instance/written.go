package instance

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"unsafe"
)

// written reads a line that is, byte for byte, what Write makes of its instance, ten times as
// fast as encoding/json. Other lines, which may be valid too, are left to decodeAny. The instance
// is in the memory of the cursor, whose last one it replaces.
func (c *cursor) written(line []byte) (*Instance, bool) {
	if !plain(line) {
		return nil, false
	}
	in := &c.in
	*in = Instance{Nodes: in.Nodes[:0], Edges: in.Edges[:0]}
	c.line = append(c.line[:0], line...)
	c.text, c.at, c.other = unsafe.String(unsafe.SliceData(c.line), len(c.line)), 0, false
	c.expect("{")
	in.ID, in.Version, in.Split = c.string("id"), c.string("version"), c.string("split")
	in.Category, in.Level, in.ResultType = c.string("category"), c.string("level"), c.string("result_type")
	in.N = c.int("n")
	in.Density = json.Number(c.decimal("density"))
	in.Depth = c.int("depth")
	if c.member("operations") {
		in.Operations = c.some()
	}
	c.must("directed")
	if in.Directed = c.skip("true"); !in.Directed {
		c.expect("false")
	}
	in.StructuralSeed, in.SurfaceSeed = c.uint("structural_seed"), c.uint("surface_seed")
	c.must("nodes")
	in.Nodes = list(c, in.Nodes, `"]`, `",`, c.quoted)
	c.must("edges")
	in.Edges = list(c, in.Edges, "]]", "],", c.pair)
	if c.member("edges2") {
		in.Edges2 = list(c, nil, "]]", "],", c.pair)
	}
	c.must("query")
	c.query(&in.Query)
	in.Domain, in.Style, in.Labels, in.Question = c.string("domain"), c.string("style"), c.string("labels"), c.string("question")
	in.Answer = c.raw("answer", `,"ein_program":`)
	in.EinProgram, in.PythonProgram = c.string("ein_program"), c.string("python_program")
	end := c.at
	in.Digest = c.string("digest")
	if c.expect("}"); c.other || c.at < len(c.text) {
		return nil, false
	}
	h := sha256.New()
	h.Write(line[:end])
	h.Write([]byte{'}'})
	var sum [sha256.Size]byte
	var digest [2 * sha256.Size]byte
	return in, string(hex.AppendEncode(digest[:0], h.Sum(sum[:0]))) == in.Digest
}

// plain reports whether a line is ASCII without control characters.
func plain(line []byte) bool {
	const each = 0x0101010101010101
	other := uint64(0)
	for ; len(line) >= 8; line = line[8:] {
		x := binary.LittleEndian.Uint64(line)
		other |= x | (x - ' '*each)
	}
	for _, x := range line {
		other |= uint64(x | (x - ' '))
	}
	return other&(0x80*each) == 0
}

// cursor reads a text from left to right. If the text differs from what Write makes, other is
// set, and nothing read after that means anything.
type cursor struct {
	in    Instance // its strings are parts of line
	line  []byte
	text  string // of line
	at    int
	other bool

	compact bytes.Buffer // of raw
}

// skip steps over a text, if it comes next.
func (c *cursor) skip(s string) bool {
	ok := strings.HasPrefix(c.text[c.at:], s)
	if ok {
		c.at += len(s)
	}
	return ok
}

// expect is skip for what has to come. Where it does not, the line is written in another way
// (other), and is read by the general reader instead.
func (c *cursor) expect(s string) {
	if !c.skip(s) {
		c.other = true
	}
}

// member skips the name of a member, if it is the next one.
func (c *cursor) member(name string) bool {
	before := c.at
	first := strings.HasSuffix(c.text[:c.at], "{")
	if (first || c.skip(",")) && c.skip(`"`) && c.skip(name) && c.skip(`":`) {
		return true
	}
	c.at = before
	return false
}

func (c *cursor) must(name string) {
	if !c.member(name) {
		c.other = true
	}
}

// digits returns a number without a sign.
func (c *cursor) digits() string {
	from := c.at
	for c.at < len(c.text) && '0' <= c.text[c.at] && c.text[c.at] <= '9' {
		c.at++
	}
	s := c.text[from:c.at]
	if s == "" || s[0] == '0' && s != "0" {
		c.other = true
	}
	return s
}

func (c *cursor) uint(name string) uint64 {
	c.must(name)
	x, err := strconv.ParseUint(c.digits(), 10, 64)
	c.other = c.other || err != nil
	return x
}

func (c *cursor) number() int {
	x, err := strconv.Atoi(c.digits())
	c.other = c.other || err != nil
	return x
}

func (c *cursor) int(name string) int {
	c.must(name)
	return c.number()
}

// some returns a number that would be left out if it was 0.
func (c *cursor) some() int {
	x := c.number()
	c.other = c.other || x == 0
	return x
}

// decimal returns a number as it is written, with a fraction or without.
func (c *cursor) decimal(name string) string {
	c.must(name)
	from := c.at
	c.digits()
	if c.skip(".") {
		for c.at < len(c.text) && '0' <= c.text[c.at] && c.text[c.at] <= '9' {
			c.at++
		}
		c.other = c.other || c.text[c.at-1] == '.'
	}
	return c.text[from:c.at]
}

func (c *cursor) string(name string) string {
	c.must(name)
	return c.quoted()
}

// quoted returns a string in which quotes, backslashes and newlines are escaped, and nothing else.
// What had escapes replaces them in the line.
func (c *cursor) quoted() string {
	c.expect(`"`)
	from, to := c.at, c.at
	for end := c.quote(); end >= 0; {
		n := strings.IndexByte(c.text[c.at:end], '\\')
		if n < 0 {
			n = end - c.at
		}
		if to < c.at {
			copy(c.line[to:], c.line[c.at:c.at+n])
		}
		to += n
		if c.at += n; c.at == end {
			c.at++
			return c.text[from:to]
		}
		switch x := c.line[c.at+1]; x {
		case 'n':
			c.line[to] = '\n'
		case '"', '\\':
			c.line[to] = x
		default:
			c.other = true
		}
		to++
		if c.at += 2; c.at > end {
			end = c.quote()
		}
	}
	c.other = true
	return ""
}

// quote returns where the next quote is, or -1.
func (c *cursor) quote() int {
	i := strings.IndexByte(c.text[c.at:], '"')
	if i < 0 {
		return i
	}
	return c.at + i
}

// list reads elements up to the closing bracket into an empty list. It ends at the first thing that
// is written otherwise, so that no damaged line is read for ever. Without a list, the room for them is
// that for as many as there seem to be, up to a limit: one more than what is between two is found
// before the end.
func list[T any](c *cursor, all []T, end, between string, element func() T) []T {
	c.expect("[")
	if all == nil {
		text, _, _ := strings.Cut(c.text[c.at:], end)
		all = make([]T, 0, 1+min(strings.Count(text, between), 1<<12))
	}
	for !c.skip("]") && !c.other {
		if len(all) > 0 {
			c.expect(",")
		}
		all = append(all, element())
	}
	return all
}

func (c *cursor) pair() (e [2]int) {
	c.expect("[")
	e[0] = c.number()
	c.expect(",")
	e[1] = c.number()
	c.expect("]")
	return e
}

// query reads the members of a query in the order in which they are written; those that are empty
// are not written.
func (c *cursor) query(q *Query) {
	c.expect("{")
	for _, f := range []struct {
		name string
		to   **int
	}{{"source", &q.Source}, {"target", &q.Target}, {"threshold", &q.Threshold}, {"min_in_degree", &q.MinInDegree}, {"min_out_degree", &q.MinOutDegree}} {
		if c.member(f.name) {
			x := c.number()
			*f.to = &x
		}
	}
	if c.member("max_out_degree") {
		q.MaxOutDegree = c.some()
	}
	if c.member("aggregate") {
		q.Aggregate = c.quoted()
		c.other = c.other || q.Aggregate == ""
	}
	if c.member("direction") {
		q.Direction = c.quoted()
		c.other = c.other || q.Direction == ""
	}
	if c.member("steps") {
		q.Steps = list(c, nil, `"]`, `",`, c.quoted)
		c.other = c.other || len(q.Steps) == 0
	}
	c.expect("}")
}

// raw returns a value without spaces, up to what follows it.
func (c *cursor) raw(name, next string) json.RawMessage {
	c.must(name)
	from := c.at
	text, _, _ := strings.Cut(c.text[from:], next)
	c.at += len(text)
	c.compact.Reset()
	err := json.Compact(&c.compact, c.line[from:c.at])
	c.other = c.other || err != nil || c.compact.Len() < len(text) || text == "null"
	return c.line[from:c.at:c.at]
}
