package graphio

import (
	"fmt"
	"slices"
	"strings"
)

// maxObject is the most bytes of a JSON object that is a node or an edge, as of
// a line of text.
const maxObject = maxLine

// member is a field of a JSON object. Of a value that is neither a number nor a
// string, val is the first byte.
type member struct {
	key, val  []byte
	as        written // plain for other values
	line, col int     // of the value
}

// jsonObject is a JSON object that is read as a whole, because its fields come in
// any order.
type jsonObject struct {
	list []member
	mem  *memory
	text []byte
	seen map[string]bool // the keys, once there are many
}

// read reads an object. What it holds is valid until the next call.
func (o *jsonObject) read(x *lexer) error {
	o.list, o.text, o.seen, o.mem = o.list[:0], o.text[:0], nil, x.in.mem
	if _, err := x.peek(); err != nil {
		return err
	}
	start, line, col := x.base+x.pos, x.tokLine, x.tokCol
	return x.members(o.add, func() error {
		c, err := x.peek()
		if err != nil {
			return err
		}
		m := &o.list[len(o.list)-1]
		m.line, m.col = x.tokLine, x.tokCol
		m.as = plain
		var val []byte
		switch {
		case c == '"':
			m.as = text
			val, err = x.string()
		case c == '-' || '0' <= c && c <= '9':
			m.as = number
			val, err = x.number()
		default:
			val = []byte{c}
			err = x.skip(0)
		}
		if err == nil && x.base+x.pos-start > maxObject {
			x.tokLine, x.tokCol = line, col
			err = x.limit(fmt.Sprintf("the object that is an edge or a node has more than %d bytes", maxObject))
		}
		m.val = o.keep(val)
		return err
	})
}

// add takes a key; false when it was there before.
func (o *jsonObject) add(key []byte) (fresh bool, err error) {
	const many = 32
	if len(o.list) < many && o.find(string(key)) != nil || o.seen[string(key)] {
		return false, nil
	}
	if n := cap(o.list); len(o.list) == n {
		n = max(n, 8)
		if err := o.mem.take(n * (sizeOf[member]() + entry)); err != nil {
			return false, err
		}
		o.list = slices.Grow(o.list, n)
	}
	if o.list = append(o.list, member{key: o.keep(key)}); len(o.list) == many {
		o.seen = map[string]bool{}
		for i := range o.list {
			o.seen[string(o.list[i].key)] = true
		}
	} else if o.seen != nil {
		o.seen[string(key)] = true
	}
	return true, nil
}

func (o *jsonObject) keep(b []byte) []byte {
	from := len(o.text)
	o.text = append(o.text, b...)
	return o.text[from:len(o.text):len(o.text)]
}

// find is the field of a name, nil when there is none.
func (o *jsonObject) find(key string) *member {
	i := slices.IndexFunc(o.list, func(m member) bool { return string(m.key) == key })
	if i < 0 {
		return nil
	}
	return &o.list[i]
}

// tally counts by name what is read past.
type tally struct {
	names []string
	count []int
	line  int // of the first
	rest  int // names past maxTally
}

// maxTally is how many names a tally keeps apart.
const maxTally = 10

func (t *tally) add(name []byte, line int) {
	if t.line == 0 {
		t.line = line
	}
	i := slices.IndexFunc(t.names, func(n string) bool { return n == string(name) })
	if i < 0 && len(t.names) == maxTally {
		t.rest++
		return
	}
	if i < 0 {
		i = len(t.names)
		t.names, t.count = append(t.names, string(name)), append(t.count, 0)
	}
	t.count[i]++
}

// others adds the fields of an object but those that are used.
func (t *tally) others(o *jsonObject, used ...*member) {
	for i := range o.list {
		if m := &o.list[i]; !slices.Contains(used, m) {
			t.add(m.key, m.line)
		}
	}
}

// warn reports what was counted.
func (t *tally) warn(r *reader, what string) {
	if t.names == nil {
		return
	}
	var list []string
	for i, n := range t.names {
		list = append(list, fmt.Sprintf("%s (%s)", quote([]byte(n)), plural(t.count[i], "time")))
	}
	if t.rest > 0 {
		list = append(list, fmt.Sprintf("others (%s)", plural(t.rest, "time")))
	}
	r.warn("unused", t.line, what+" not used: "+strings.Join(list, ", "))
}
