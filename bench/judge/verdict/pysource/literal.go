package pysource

import (
	"strconv"
	"strings"
)

// Literal is a value that is written in a program. It is a number, a string, or,
// with Open, a composite of the elements in Items; those of a dictionary are its
// keys, and Values are what they have.
type Literal struct {
	Start, End int // in the text
	Number     bool
	Int        int    // of a number
	String     string // of a string
	Open       byte   // '[', '(' or '{'; 0 of a number or a string
	Items      []Literal
	Values     []Literal // of a dictionary only, as many as Items
	Dict       bool
}

// Names is what is known of the names in a program: literals that they stand for.
type Names map[string]Literal

// maxDepth bounds the nesting of literals: a dictionary of lists has two levels, a
// list of pairs with attributes three.
const maxDepth = 8

// Read reads the literal that begins at token i, and gives the token behind it. It
// is false where the value there is none: a call, a comprehension, an operator, a
// name that is not in names, a literal nested more deeply than 8 levels.
func Read(tokens []Token, i int, names Names) (Literal, int, bool) {
	l, next, ok := read(tokens, i, names, 0)
	if !ok || !ends(tokens, next) {
		return Literal{}, i, false
	}
	return l, next, true
}

// ends reports whether an expression can end before a token.
func ends(tokens []Token, i int) bool {
	if i >= len(tokens) || tokens[i].Kind == Newline {
		return true
	}
	if tokens[i].Kind != Op {
		return false
	}
	switch tokens[i].Text {
	case ",", ")", "]", "}", ":", "=":
		return true
	case ".": // {...}.items() has what the dictionary has
		return i+1 < len(tokens) && tokens[i-1].Text == "}" && tokens[i+1].Text == "items"
	}
	return false
}

func read(tokens []Token, i int, names Names, depth int) (Literal, int, bool) {
	if i >= len(tokens) || depth > maxDepth {
		return Literal{}, i, false
	}
	t := &tokens[i]
	l := Literal{Start: t.Start, End: t.End}
	switch {
	case t.Kind == String:
		l.String = t.Value
		return l, i + 1, true
	case t.Kind == Number:
		n, ok := integer(t.Text)
		l.Number, l.Int = true, n
		return l, i + 1, ok
	case t.Kind == Name:
		if t.Text == "True" || t.Text == "False" {
			l.Number = true
			if t.Text == "True" {
				l.Int = 1
			}
			return l, i + 1, true
		}
		if t.Text == "set" && i+2 < len(tokens) && tokens[i+1].Text == "(" && tokens[i+2].Text == ")" {
			return Literal{Start: t.Start, End: tokens[i+2].End, Open: '{'}, i + 3, true // the only way to write it
		}
		known, ok := names[t.Text]
		known.Start, known.End = t.Start, t.End
		return known, i + 1, ok && known.Open == 0
	case t.Kind == Op && (t.Text == "[" || t.Text == "(" || t.Text == "{"):
		return composite(tokens, i, names, depth)
	}
	return l, i, false
}

func composite(tokens []Token, i int, names Names, depth int) (Literal, int, bool) {
	l := Literal{Start: tokens[i].Start, Open: tokens[i].Text[0]}
	end := map[byte]string{'[': "]", '(': ")", '{': "}"}[l.Open]
	l.Dict = l.Open == '{'
	comma := true
	for i++; i < len(tokens); {
		t := &tokens[i]
		if t.Kind == Op && t.Text == end {
			l.End = t.End
			if l.Open == '(' && len(l.Items) == 1 && !comma {
				return l.Items[0], i + 1, true // brackets around a value
			}
			return l, i + 1, true
		}
		if !comma {
			break
		}
		item, next, ok := read(tokens, i, names, depth+1)
		if !ok {
			break
		}
		i = next
		if l.Open == '{' {
			colon := i < len(tokens) && tokens[i].Kind == Op && tokens[i].Text == ":"
			if len(l.Items) > 0 && colon != l.Dict {
				break
			}
			if l.Dict = colon; colon {
				v, next, ok := read(tokens, i+1, names, depth+1)
				if !ok {
					break
				}
				i = next
				l.Values = append(l.Values, v)
			}
		}
		l.Items = append(l.Items, item)
		if comma = i < len(tokens) && tokens[i].Kind == Op && tokens[i].Text == ","; comma {
			i++
		}
	}
	return Literal{}, i, false
}

// integer is a number without a fraction, as in 3, 1_000 or 1.0.
func integer(s string) (int, bool) {
	if whole, zeros, ok := strings.Cut(s, "."); ok && whole != "" && strings.Trim(zeros, "0") == "" {
		s = whole
	}
	if len(s) > 1 && s[0] == '0' && strings.Trim(s, "0_") != "" {
		return 0, false // 0x1f, 0b1 and 017, which is none
	}
	n, err := strconv.Atoi(strings.ReplaceAll(s, "_", ""))
	return n, err == nil
}
