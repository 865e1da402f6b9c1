package verdict

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// spell is a node as the program has it.
func (p *pyProgram) spell(x int) string {
	if s, ok := p.spelled[x]; ok {
		return s
	}
	switch {
	case p.byLabel && x < len(p.labels):
		b, err := json.Marshal(p.labels[x])
		if err == nil {
			return string(b)
		}
	case p.quoted:
		return strconv.Quote(strconv.Itoa(x + p.base))
	}
	return strconv.Itoa(x + p.base)
}

// plain is a node as it is in a text.
func (p *pyProgram) plain(x int) string {
	if p.byLabel && x < len(p.labels) {
		return p.labels[x]
	}
	return strconv.Itoa(x + p.base)
}

// substitute is the program with other edges in its graphs. The first piece of a
// graph gets all of them.
func (p *pyProgram) substitute(graphs []arcs) string {
	var edits []edit
	for k, g := range p.graphs {
		edges := graphs[k]
		for _, x := range g.pieces {
			text := ""
			if x.form == nodeList {
				text = p.nodeText(&x)
			} else {
				text = p.edgeText(&x, edges)
				edges = arcs{}
			}
			edits = append(edits, edit{x.span, text})
		}
	}
	return rewrite(p.text, edits)
}

func (p *pyProgram) nodeText(x *piece) string {
	if x.ranged {
		return fmt.Sprintf("range(%d)", p.n)
	}
	var list []string
	for v := range p.n {
		list = append(list, p.spell(v))
	}
	return bracketed(x.open, list)
}

// bracketed is a list, a tuple or a set.
func bracketed(open byte, items []string) string {
	text := strings.Join(items, ", ")
	switch open {
	case '(':
		if len(items) == 1 {
			text += ","
		}
		return "(" + text + ")"
	case '{':
		if len(items) == 0 {
			return "set()"
		}
		return "{" + text + "}"
	}
	return "[" + text + "]"
}

func (p *pyProgram) edgeText(x *piece, edges arcs) string {
	var items []string
	switch x.form {
	case pairList:
		for _, e := range edges.sorted() {
			pair := p.spell(e[0]) + ", " + p.spell(e[1]) + x.rest
			if x.inner == '[' {
				items = append(items, "["+pair+"]")
			} else {
				items = append(items, "("+pair+")")
			}
		}
		return bracketed(x.open, items)
	case adjacency, rowList:
		for v := range p.n {
			var to []string
			for w := range p.n {
				switch {
				case !edges[Edge{v, w}]:
				case x.nested != "":
					to = append(to, p.spell(w)+": "+x.nested)
				default:
					to = append(to, p.spell(w))
				}
			}
			row := bracketed(x.inner, to)
			if x.nested != "" {
				row = "{" + strings.Join(to, ", ") + "}"
			}
			if x.form == adjacency {
				row = p.spell(v) + ": " + row
			}
			items = append(items, row)
		}
		if x.form == rowList {
			return bracketed(x.open, items)
		}
		return "{" + strings.Join(items, ", ") + "}"
	case textList:
		for _, e := range edges.sorted() {
			items = append(items, p.plain(e[0])+x.arrow+p.plain(e[1]))
		}
		return strconv.Quote(strings.Join(items, x.between))
	case zeroOne:
		digit := [2]string{"0", "1"}
		if x.boolean {
			digit = [2]string{"False", "True"}
		}
		for v := range p.n {
			var row []string
			for w := range p.n {
				d := 0
				if edges[Edge{v, w}] {
					d = 1
				}
				row = append(row, digit[d])
			}
			items = append(items, bracketed(x.inner, row))
		}
		return bracketed(x.open, items)
	}
	if len(edges) == 0 {
		return "None"
	}
	all := piece{form: pairList, open: '[', inner: '('}
	return "[" + x.call + " for u, v in " + p.edgeText(&all, edges) + "]"
}
