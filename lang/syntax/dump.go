package syntax

import (
	"reflect"
	"strconv"
	"strings"
)

// Dump is the tree as S-expressions, one statement a line, without places.
func Dump(f *File) string {
	var b strings.Builder
	for _, s := range f.Stmts {
		b.WriteString(dump(reflect.ValueOf(s)) + "\n")
	}
	return b.String()
}

// Equal reports whether two programs have the same tree, wherever their parts
// stand.
func Equal(a, b *File) bool { return Dump(a) == Dump(b) }

// dump is a part of a tree: the name of its type, and its fields but those that are
// empty. A list is its elements, packed or not.
func dump(v reflect.Value) string {
	var parts []string
	add := func(part string) {
		if part != "" {
			parts = append(parts, part)
		}
	}
	switch x := v.Interface().(type) {
	case *Number:
		return x.Text
	case *List:
		for _, e := range x.All() {
			add(dump(reflect.ValueOf(e)))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case *Name:
		return x.Name
	case Ident:
		return x.Name
	case AssignOp:
		return x.String()
	case BinaryOp:
		return x.String()
	}
	switch {
	case v.Kind() == reflect.Struct:
		add(strings.ToLower(v.Type().Name()))
		for i := range v.NumField() {
			if v.Type().Field(i).Type.Name() != "Span" {
				add(dump(v.Field(i)))
			}
		}
		return "(" + strings.Join(parts, " ") + ")"
	case v.IsZero():
	case v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer:
		return dump(v.Elem())
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			add(dump(v.Index(i)))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case v.Kind() == reflect.String:
		return strconv.Quote(v.String())
	case v.Kind() == reflect.Bool:
		return "true"
	}
	return ""
}
