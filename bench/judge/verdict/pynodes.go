package verdict

import (
	"slices"
	"strconv"
	"strings"

	"ein/bench/judge/verdict/pysource"
)

// label is the node of a label, or -1.
func (p *pyProgram) label(s string) int {
	s = strings.TrimSpace(s)
	if at := slices.Index(p.labels, s); at >= 0 {
		return at
	}
	return slices.IndexFunc(p.labels, func(l string) bool { return strings.EqualFold(l, s) })
}

// numbering finds out what the nodes are called: labels, numbers from 0, or, when
// the last node is used and the first is not, numbers from 1.
func (p *pyProgram) numbering() {
	least, most, from0, any := p.n, -1, false, false
	for _, g := range p.graphs {
		for _, x := range g.pieces {
			from0 = from0 || x.ranged || x.form == zeroOne || x.form == rowList
			for _, e := range x.edges {
				for k := range e.Items {
					l := &e.Items[k]
					v := l.Int
					if !l.Number {
						n, err := strconv.Atoi(strings.TrimSpace(l.String))
						if p.label(l.String) >= 0 || err != nil {
							p.byLabel = true
							continue
						}
						v, p.quoted = n, true
					}
					least, most, any = min(least, v), max(most, v), true
				}
			}
		}
	}
	if any && !from0 && least == 1 && most == p.n {
		p.base = 1
	}
}

// node is the number of a node. What is no node of the question has a number
// behind them.
func (p *pyProgram) node(l *pysource.Literal) int {
	at := l.Int - p.base
	if !l.Number {
		at = p.label(l.String)
		if n, err := strconv.Atoi(strings.TrimSpace(l.String)); at < 0 && err == nil && p.quoted {
			at = n - p.base
		}
	}
	if at < 0 {
		name := p.text[l.Start:l.End]
		known, ok := p.strange[name]
		if !ok {
			known = len(p.strange)
			p.strange[name] = known
		}
		at = known
		at += p.n
	}
	if _, ok := p.spelled[at]; !ok && l.End > 0 {
		p.spelled[at] = p.text[l.Start:l.End]
	}
	return at
}

// literal is a graph as the Ein programs have theirs. The number of its nodes is
// known when they are added in one place, or are the rows of a matrix.
func (p *pyProgram) literal(g *pyGraph) literal {
	l := literal{name: g.name, nodes: computed, edges: arcs{}, span: g.pieces[0].span}
	nodes, added := map[int]bool{}, 0
	for _, x := range g.pieces {
		for _, e := range x.edges {
			for k := range e.Items {
				nodes[p.node(&e.Items[k])] = true
			}
			if len(e.Items) == 2 {
				l.edges[Edge{p.node(&e.Items[0]), p.node(&e.Items[1])}] = true
			}
		}
		switch x.form {
		case zeroOne:
			l.nodes = x.stated
		case nodeList:
			added++
			for v := range x.stated {
				if x.ranged && v <= maxStated {
					nodes[v] = true
				}
			}
		}
	}
	if added == 1 && !slices.ContainsFunc(p.tokens, func(t pysource.Token) bool { return t.Kind == pysource.Name && t.Text == "add_node" }) {
		l.nodes = len(nodes)
	}
	return l
}

// maxStated bounds the nodes of a range that are counted.
const maxStated = 100_000
