package syntax

// Walk calls visit for n and, where visit returns true, for everything below
// it, in source order. What is in a packed list, numbers only, is not visited.
func Walk(n Node, visit func(Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	switch n := n.(type) {
	case *Assign:
		walkEach(n.Indices, visit)
		Walk(n.Value, visit)
	case *Print:
		walkEach(n.Values, visit)
	case *Def:
		Walk(n.Value, visit)
		walkEach(n.Body, visit)
	case *Repeat:
		Walk(n.Times, visit)
		walkEach(n.Body, visit)
	case *Rule:
		Walk(n.Head, visit)
		Walk(n.Value, visit)
		walkLiterals(n.Body, visit)
	case *Query:
		walkLiterals(n.Body, visit)
	case *ExprStmt:
		Walk(n.X, visit)
	case *List:
		walkEach(n.Elems, visit)
	case *Call:
		for _, a := range n.Args {
			Walk(a.Value, visit)
		}
	case *Index:
		Walk(n.X, visit)
		walkEach(n.Indices, visit)
	case *Product:
		walkEach(n.Factors, visit)
	case *Unary:
		Walk(n.X, visit)
	case *Binary:
		Walk(n.L, visit)
		Walk(n.R, visit)
	case *Paren:
		Walk(n.X, visit)
	}
}

func walkEach[N Node](list []N, visit func(Node) bool) {
	for _, n := range list {
		Walk(n, visit)
	}
}

func walkLiterals(list []Literal, visit func(Node) bool) {
	for _, l := range list {
		Walk(l.X, visit)
		Walk(l.Value, visit)
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
