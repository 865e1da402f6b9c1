package syntax

// Walk calls visit for n and, where visit returns true, for everything below
// it, in source order. What is in a packed list, numbers only, is not visited.
func Walk(n Node, visit func(Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	exprs := func(xs []Expr) {
		for _, x := range xs {
			Walk(x, visit)
		}
	}
	literals := func(ls []Literal) {
		for _, l := range ls {
			Walk(l.X, visit)
			if l.Value != nil {
				Walk(l.Value, visit)
			}
		}
	}
	switch n := n.(type) {
	case *Assign:
		exprs(n.Indices)
		Walk(n.Value, visit)
	case *Print:
		exprs(n.Values)
	case *Def:
		if n.Value != nil {
			Walk(n.Value, visit)
		}
		for _, s := range n.Body {
			Walk(s, visit)
		}
	case *Repeat:
		Walk(n.Times, visit)
		for _, s := range n.Body {
			Walk(s, visit)
		}
	case *Rule:
		Walk(n.Head, visit)
		if n.Value != nil {
			Walk(n.Value, visit)
		}
		literals(n.Body)
	case *Query:
		literals(n.Body)
	case *ExprStmt:
		Walk(n.X, visit)
	case *List:
		exprs(n.Elems)
	case *Call:
		for _, a := range n.Args {
			Walk(a.Value, visit)
		}
	case *Index:
		Walk(n.X, visit)
		exprs(n.Indices)
	case *Product:
		exprs(n.Factors)
	case *Unary:
		Walk(n.X, visit)
	case *Binary:
		Walk(n.L, visit)
		Walk(n.R, visit)
	case *Paren:
		Walk(n.X, visit)
	}
}

// WalkAll is Walk that also visits what is in packed lists.
func WalkAll(n Node, visit func(Node) bool) {
	Walk(n, func(n Node) bool {
		if !visit(n) {
			return false
		}
		if l, ok := n.(*List); ok && l.Packed != nil {
			for _, e := range l.All() {
				WalkAll(e, visit)
			}
		}
		return true
	})
}

// RelationOf returns the name of the relation that a statement says something of.
func RelationOf(s Stmt) (name Ident, ok bool) {
	switch s := s.(type) {
	case *Input:
		return s.Name, len(s.Columns) > 0
	case *Rule:
		switch head := s.Head.(type) {
		case *Call:
			return head.Fun, true
		case *Index:
			if x, ok := head.X.(*Name); ok {
				return Ident{Name: x.Name, Span: x.Span}, true
			}
		}
	}
	return name, false
}
