package ide

import (
	"slices"
	"sort"
	"strings"

	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
)

// Actions returns the changes that can be chosen for span: fixes of what is wrong there,
// and rewrites that keep the meaning.
func (d *Document) Actions(span source.Span) []Action {
	span = d.clamp(span)
	var list []Action
	list = append(list, d.fixes(span)...)
	list = append(list, d.removals(span)...)
	list = append(list, d.extractions(span)...)
	list = append(list, d.inlinings(span)...)
	return append(list, d.comments(span)...)
}

func touches(a, b source.Span) bool { return a.Start <= b.End && b.Start <= a.End }

// fixes returns the fixes of the diagnostics that span touches.
func (d *Document) fixes(span source.Span) []Action {
	var list []Action
	diags := d.Diagnostics()
	for i := range diags {
		g := &diags[i]
		fixes := g.Fixes
		if !touches(g.Span, span) {
			fixes = nil
		}
		if len(g.Fixes) == 0 && g.Severity == diag.Error {
			fixes = d.closing(g, span)
		}
		for _, f := range fixes {
			edits := slices.Clone(f.Edits)
			sort.SliceStable(edits, func(i, j int) bool { return edits[i].Span.Start < edits[j].Span.Start })
			list = append(list, Action{Title: f.Title, Kind: "quickfix", Edits: edits, Fixes: g, Best: len(fixes) == 1})
		}
	}
	return list
}

// closing adds the brackets that a statement leaves open, if that makes it parse. It
// is for all of the statement: who looks for the end of it is not at its bracket.
func (d *Document) closing(g *diag.Diagnostic, span source.Span) []diag.Fix {
	i := d.statementAt(g.Span.Start)
	if i < 0 || g.Span.Len() != 1 || !strings.Contains("([{", d.text(g.Span)) {
		return nil
	}
	at := d.File().Stmts[i].Pos()
	if !touches(at, span) {
		return nil
	}
	var open []byte
	for _, t := range d.tokensIn(at) {
		first, n := d.src.Text[t.Span.Start], len(open)
		if i := strings.IndexByte("([{", first); i >= 0 {
			open = append(open, ")]}"[i])
		} else if n > 0 && open[n-1] == first {
			open = open[:n-1]
		}
	}
	slices.Reverse(open)
	missing := string(open)
	f := syntax.Parse(source.NewFile(d.src.Name, d.text(at)+missing), d.syntaxOptions())
	if missing == "" || f.Diags.HasErrors() {
		return nil
	}
	return []diag.Fix{{Title: "add the missing `" + missing + "`", Edits: []diag.Edit{{Span: source.Span{Start: at.End, End: at.End}, NewText: missing}}}}
}

// removals deletes statements whose value nothing uses.
func (d *Document) removals(span source.Span) []Action {
	var list []Action
	dead := d.unused()
	for _, o := range d.names().occurrences {
		if !dead[o] || !touches(d.statementOf(o).Pos(), span) {
			continue
		}
		edits := []diag.Edit{{Span: d.wholeLines(d.statementOf(o).Pos())}}
		if !d.sameLabels(d.statementOf(o), edits) {
			continue
		}
		// The data of an input may have any node, so without it a node can be unknown.
		if _, ok := d.statementOf(o).(*syntax.Input); ok && !d.Diagnostics().HasErrors() && d.withText(diag.Apply(d.src.Text, edits)).Diagnostics().HasErrors() {
			continue
		}
		list = append(list, Action{Title: "remove the unused `" + o.of.name + "`", Kind: "quickfix", Edits: edits})
	}
	return list
}

// sameLabels reports whether the program has the same nodes without s: the labels of
// one graph are nodes of the others too.
func (d *Document) sameLabels(s syntax.Stmt, edits []diag.Edit) bool {
	labelled := false
	syntax.Walk(s, func(n syntax.Node) bool {
		_, ok := n.(*syntax.String)
		labelled = labelled || ok
		return !labelled
	})
	return !labelled || slices.Equal(check.ProgramLabels(d.withText(diag.Apply(d.src.Text, edits)).File()), check.ProgramLabels(d.File()))
}

// statementOf is the statement that o is in, inside a block that of the block.
func (d *Document) statementOf(o *occurrence) syntax.Stmt {
	s := d.stmt(o)
	for {
		var body []syntax.Stmt
		switch s := s.(type) {
		case *syntax.Def:
			body = s.Body
		case *syntax.Repeat:
			body = s.Body
		}
		i := slices.IndexFunc(body, func(b syntax.Stmt) bool { return covers(b.Pos(), o.span) })
		if i < 0 {
			return s
		}
		s = body[i]
	}
}

// flat is a list of statements with those inside its repeats, in the order of the text.
func flat(list []syntax.Stmt) (out []syntax.Stmt) {
	for _, s := range list {
		out = append(out, s)
		if r, ok := s.(*syntax.Repeat); ok {
			out = append(out, flat(r.Body)...)
		}
	}
	return out
}

// wholeLines is a statement with its line ending and the comment behind it, if it
// has its lines for itself; otherwise with the ; after or before it.
func (d *Document) wholeLines(s source.Span) source.Span {
	text := d.src.Text
	first, last := d.src.LineAt(s.Start), d.src.LineAt(s.End)
	before := strings.TrimRight(text[first.Start:s.Start], " \t")
	behind := strings.TrimLeft(text[s.End:last.End], " \t")
	if before == "" && (behind == "" || behind[0] == '#' || strings.HasPrefix(behind, "//")) {
		rest := strings.TrimPrefix(strings.TrimPrefix(text[last.End:], "\r"), "\n")
		return source.Span{Start: first.Start, End: len(text) - len(rest)}
	}
	if rest, ok := strings.CutPrefix(behind, ";"); ok {
		return source.Span{Start: s.Start, End: last.End - len(strings.TrimLeft(rest, " "))}
	}
	if strings.HasSuffix(before, ";") {
		return source.Span{Start: first.Start + len(before) - 1, End: s.End}
	}
	return s
}

// comments writes the comments that span touches with the other mark.
func (d *Document) comments(span source.Span) []Action {
	var list []Action
	for _, mark := range [][2]string{{"//", "#"}, {"#", "//"}} {
		var edits []diag.Edit
		for _, c := range d.File().Comments {
			if touches(c.Span, span) && strings.HasPrefix(d.text(c.Span), mark[0]) {
				edits = append(edits, diag.Edit{Span: source.Span{Start: c.Span.Start, End: c.Span.Start + len(mark[0])}, NewText: mark[1]})
			}
		}
		if len(edits) > 0 {
			list = append(list, Action{Title: "write the comment with " + mark[1], Kind: "refactor.rewrite", Edits: edits})
		}
	}
	return list
}
