package syntax

import (
	"strings"
	"unicode/utf8"

	"ein/internal/lists"
	"ein/lang/source"
)

// Width is the column that Format keeps literals within.
const Width = 100

// Format prints a program in its one canonical form and keeps its comments and its line ends, which
// are all those of the first line. It returns false, and the text as it was, if the program has errors: what did
// not parse cannot be printed without loss.
//
// A statement takes one line, except that a def block has one for each of its
// own, and that a list breaks when it is too long, or when it is a list of rows
// written one to a line. A statement with a comment inside it keeps its lines.
func Format(f *File) (string, bool) {
	if f.Diags.HasErrors() {
		return f.Source.Text, false
	}
	p := &printer{text: f.Source.Text, comments: f.Comments}
	p.block(f.Stmts, source.Span{Start: 0, End: len(p.text)})
	out := p.String()
	if out != "" {
		out += "\n"
	}
	return strings.ReplaceAll(out, "\n", f.Source.EOL()), true
}

// ExprString prints an expression on one line, with the parentheses its tree
// needs even if it was not made by the parser.
func ExprString(x Expr) string {
	var p printer
	p.flat = true
	p.expr(x, precAny)
	return p.String()
}

// QueryString prints a query on one line.
func QueryString(q *Query) string {
	p := printer{flat: true}
	p.stmt(q)
	return p.String()
}

// LiteralString prints a literal on one line.
func LiteralString(l *Literal) string {
	p := printer{flat: true}
	p.literals([]Literal{*l}, true)
	return p.String()
}

// printer prints a tree in the one form that programs have. Comments are not in the tree: they are
// printed when the statement that follows them comes, in their order, so none is lost or moves past
// another.
type printer struct {
	strings.Builder
	text     string // of the program; empty for a tree without one
	comments []Comment
	next     int // the first comment not yet printed
	indent   int
	column   int
	flat     bool // never break a list
	most     int  // if it is not 0, only measure, and leave out expressions beyond this column
}

// put prints text without a line end; column counts characters. What is only measured is not kept.
func (p *printer) put(s string) {
	if p.most == 0 {
		p.WriteString(s)
	}
	p.column += utf8.RuneCountInString(s)
}

// full reports whether nothing more is to be printed.
func (p *printer) full() bool { return p.most > 0 && p.column > p.most }

// newline begins a line at the current indentation.
func (p *printer) newline() {
	p.WriteByte('\n')
	p.column = 0
	p.put(strings.Repeat(" ", p.indent))
}

// block prints statements and the comments among them; within is the text that
// holds both.
func (p *printer) block(stmts []Stmt, within source.Span) {
	first, end := true, within.Start
	// start begins a line for something at offset, after a blank line if there
	// was one.
	start := func(offset int) {
		if !first {
			if strings.Count(p.text[end:offset], "\n") > 1 {
				p.WriteByte('\n')
			}
			p.newline()
		}
		first = false
	}
	for i := 0; ; i++ {
		limit := within.End
		if i < len(stmts) {
			limit = stmts[i].Pos().Start
		}
		for ; p.next < len(p.comments) && p.comments[p.next].Span.Start < limit; p.next++ {
			c := p.comments[p.next].Span
			if i > 0 && !strings.Contains(p.text[end:c.Start], "\n") {
				p.put(" ")
			} else {
				start(c.Start)
			}
			p.comment(c)
			end = c.End
		}
		if i == len(stmts) {
			return
		}
		s := stmts[i]
		start(s.Pos().Start)
		p.stmt(s)
		end = s.Pos().End
	}
}

func (p *printer) comment(span source.Span) {
	p.put(strings.TrimRight(p.text[span.Start:span.End], " \t"))
}

// inside reports whether an unprinted comment stands in span.
func (p *printer) inside(span source.Span) bool {
	return p.next < len(p.comments) && p.comments[p.next].Span.Start < span.End
}

// stmt prints a statement. One with a comment inside keeps its layout, which puts the comment
// where it belongs.
func (p *printer) stmt(s Stmt) {
	var list []Stmt
	var header func()
	switch s := s.(type) {
	case *Def:
		list, header = s.Body, func() { p.header(s) }
	case *Repeat:
		list, header = s.Body, func() {
			p.put("repeat ")
			p.expr(s.Times, precAny)
		}
	}
	if _, repeats := s.(*Repeat); repeats || list != nil {
		body := p.bodySpan(s.Pos())
		if head := (source.Span{Start: s.Pos().Start, End: body.Start}); !p.inside(head) {
			header()
			p.put(" {")
			if len(list) == 0 && !p.inside(body) {
				p.put("}")
				return
			}
			p.indent += indentWidth
			p.newline()
			p.block(list, body)
			p.indent -= indentWidth
			p.newline()
			p.put("}")
			return
		}
	}
	if p.inside(s.Pos()) {
		p.layout(s.Pos())
		return
	}
	switch s := s.(type) {
	case *Assign:
		p.put(s.Name.Name)
		if s.Indexed {
			p.brackets(s.Indices)
		}
		p.put(" " + s.Op.String() + " ")
		p.expr(s.Value, precAny)
	case *Print:
		p.put(":print ")
		for i, x := range s.Values {
			if i > 0 {
				p.put(", ")
			}
			p.expr(x, precAny)
		}
	case *Def:
		p.header(s)
		p.put(" ")
		p.expr(s.Value, precAny)
	case *Input:
		p.put("input " + s.Name.Name)
		if len(s.Columns) == 0 {
			p.put(": " + s.Kind.Name)
			break
		}
		for i, c := range s.Columns {
			p.put([]string{"(", ", "}[min(i, 1)] + c.Name.Name + ": " + c.Type.Name)
		}
		p.put(")")
	case *Rule:
		p.literals([]Literal{{X: s.Head, Op: s.Op, Value: s.Value}}, true)
		if len(s.Body) > 0 {
			p.put(" <- ")
			p.literals(s.Body, true)
		}
		p.put(".")
	case *Query:
		if s.Why {
			p.put(":why ")
			p.literals(s.Body, true)
			break
		}
		_, atom := s.Body[0].X.(*Call)
		p.literals(s.Body, atom && !s.Body[0].Not && s.Body[0].Value == nil)
		p.put("?")
	case *ExprStmt:
		p.expr(s.X, precAny)
	}
}

// literals prints the literals of a body, of which one begins another line where
// this one is full. An equation does so only where it is read as one.
func (p *printer) literals(ls []Literal, equations bool) {
	for i, l := range ls {
		if i > 0 && !p.flat && (equations || l.Value == nil) && p.column+measure(l.X, Width) > Width {
			p.put(",")
			p.indent += indentWidth
			p.newline()
			p.indent -= indentWidth
		} else if i > 0 {
			p.put(", ")
		}
		if l.Not {
			p.put("not ")
		}
		p.expr(l.X, precAny)
		if l.Value != nil {
			p.put(" " + l.Op.String() + " ")
			p.expr(l.Value, precAny)
		}
	}
}

const indentWidth = 2

// header prints a def up to its equals sign.
func (p *printer) header(s *Def) {
	p.put("def " + s.Name.Name + "(" + strings.Join(lists.Map(s.Params, nameOf), ", ") + ") =")
}

func nameOf(i Ident) string { return i.Name }

// bodySpan is the text between the braces of a statement. The opening one is the
// first that no comment holds.
func (p *printer) bodySpan(s source.Span) source.Span {
	open := s.Start
	for sc := scannerAt(p.text, open); ; {
		t := sc.next()
		if t.kind == KindLBrace || t.kind == KindEOF {
			return source.Span{Start: int(t.end), End: s.End - 1}
		}
	}
}

// Levels of precedence, for the parentheses of trees that have none.
const (
	precAny = iota
	precCompare
	precAdd
	precMul
	precUnary
	precFactor
	precPrimary
)

// precOf is how tightly an expression binds.
func precOf(x Expr) int {
	switch x := x.(type) {
	case *Binary:
		switch {
		case x.Op.Compares():
			return precCompare
		case x.Op == Add || x.Op == Sub:
			return precAdd
		}
		return precMul
	case *Unary:
		return precUnary
	case *Product:
		return precUnary + 1
	}
	return precPrimary
}

// expr prints an expression, in parentheses if its precedence is below floor.
func (p *printer) expr(x Expr, floor int) {
	if p.full() {
		return
	}
	if precOf(x) < floor {
		p.put("(")
		defer p.put(")")
	}
	switch x := x.(type) {
	case *Name:
		p.put(x.Name)
	case *Number:
		p.put(x.Text)
	case *String:
		p.put(quote(x.Value))
	case *List:
		p.list(x)
	case *Call:
		p.put(x.Fun.Name + "(")
		for i, a := range x.Args {
			if i > 0 {
				p.put(", ")
			}
			if a.Name.Name != "" {
				p.put(a.Name.Name + "=")
			}
			p.expr(a.Value, precAny)
		}
		p.put(")")
	case *Index:
		p.expr(x.X, precPrimary)
		p.brackets(x.Indices)
	case *Product:
		p.product(x.Factors)
	case *Unary:
		p.put("-")
		if _, again := x.X.(*Unary); again {
			p.put(" ") // a line that starts with -- would be a comment gone wrong
		}
		p.expr(x.X, precUnary)
	case *Binary:
		p.binary(x)
	case *Paren:
		p.put("(")
		p.expr(x.X, precAny)
		p.put(")")
	case *BadExpr:
		p.put("?")
	}
}

// binary prints the left spine of a chain in a loop: 1+1+1+... is as deep as it is long. Operators
// group to the left, so a right operand of the same precedence needs parentheses.
func (p *printer) binary(x *Binary) {
	spine := []*Binary{x}
	for {
		left, ok := spine[len(spine)-1].L.(*Binary)
		if !ok || precOf(left) < precOf(spine[len(spine)-1]) {
			break
		}
		spine = append(spine, left)
	}
	last := spine[len(spine)-1]
	p.expr(last.L, precOf(last))
	for i := len(spine) - 1; i >= 0; i-- {
		p.put(" " + spine[i].Op.String() + " ")
		p.expr(spine[i].R, precOf(spine[i])+1)
	}
}

// product prints factors side by side, in parentheses where they would be read otherwise.
func (p *printer) product(factors []Expr) {
	for i, x := range factors {
		if i > 0 {
			p.put(" ")
		}
		wrap := false
		switch x := x.(type) {
		case *Number:
			wrap = i > 0
		case *String, *List:
			wrap = true
		case *Name: // a name before a parenthesis would be a call
			if i+1 < len(factors) {
				_, wrap = factors[i+1].(*Paren)
				wrap = wrap || precOf(factors[i+1]) < precPrimary
			}
		default:
			wrap = precOf(x) < precPrimary
		}
		if wrap {
			p.put("(")
			p.expr(x, precAny)
			p.put(")")
		} else {
			p.expr(x, precAny)
		}
	}
}

// brackets prints an index list.
func (p *printer) brackets(xs []Expr) {
	flat := p.flat
	p.flat = true
	p.put("[")
	p.elements(xs)
	p.put("]")
	p.flat = flat
}

// elements prints expressions with commas between them.
func (p *printer) elements(xs []Expr) {
	comma := separator(xs)
	for i, x := range xs {
		if i > 0 {
			p.put(comma)
		}
		if p.expr(x, precAny); p.full() {
			break
		}
	}
}

// separator is a comma, and a blank where something longer than an atom stands
// between commas.
func separator(xs []Expr) string {
	for _, x := range xs {
		if u, ok := x.(*Unary); ok {
			x = u.X
		}
		switch x.(type) {
		case *Name, *Number, *String, *List:
		default:
			return ", "
		}
	}
	return ","
}

// list prints a list on one line if it fits and was not written in rows; else in rows, or filled
// up to the width.
func (p *printer) list(x *List) {
	rows := p.rows(x)
	if p.flat || x.Len() == 0 || !rows && p.fits(x) {
		if x.Packed != nil {
			for s := range x.Packed.flat {
				if p.put(s); p.full() {
					break
				}
			}
			return
		}
		p.put("[")
		p.elements(x.Elems)
		p.put("]")
		return
	}
	p.put("[")
	p.indent += indentWidth
	comma := separator(x.Elems)
	blank := comma[len(","):]
	p.newline()
	for i, e := range x.All() {
		if i > 0 {
			p.put(",")
			if rows || p.column+len(blank)+measure(e, Width)+1 > Width {
				p.newline()
			} else {
				p.put(blank)
			}
		}
		p.expr(e, precAny)
	}
	p.indent -= indentWidth
	p.newline()
	p.put("]")
}

// rows reports whether a list of lists was written one row to a line.
func (p *printer) rows(x *List) bool {
	if p.text == "" || x.Len() < 2 || x.Packed != nil && len(x.Packed.Dims) == 1 {
		return false
	}
	end := -1 // of the row before
	for _, e := range x.All() {
		if _, ok := e.(*List); !ok || end >= 0 && !strings.Contains(p.text[end:e.Pos().Start], "\n") {
			return false
		}
		end = e.Pos().End
	}
	return true
}

// fits reports whether a list can stand on the line without a break inside.
func (p *printer) fits(x *List) bool {
	room := Width - p.column
	return measure(x, room) <= room && !p.rowsInside(x)
}

// rowsInside reports whether a list within this one was written in rows.
func (p *printer) rowsInside(x *List) bool {
	if p.text == "" || !strings.Contains(p.text[x.Start:x.End], "\n") {
		return false
	}
	for _, e := range x.All() {
		if l, ok := e.(*List); ok && (p.rows(l) || p.rowsInside(l)) {
			return true
		}
	}
	return false
}

// measure is the width of an expression on one line, or a little more than most
// if it is wider than that.
func measure(x Expr, most int) int {
	switch x := x.(type) {
	case *Number:
		return len(x.Text)
	case *Name:
		return len(x.Name)
	}
	m := printer{flat: true, most: max(most, 1)}
	m.expr(x, precAny)
	return m.column
}

// quote writes a string as the lexer reads it.
//
//go:noinline
func quote(s string) string { return `"` + escapes.Replace(s) + `"` }

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)
