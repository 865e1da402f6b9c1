package serve

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ein/internal/words"
	"ein/lang/diag"
)

// nothing is the body of a request that has none.
type nothing struct{}

// decode reads a body. Members that nobody asked for are mistakes, unless it is lenient,
// and so are two of one name.
func decode(body []byte, to any, lenient bool) error {
	if _, none := to.(*nothing); none && len(body) == 0 {
		return nil
	}
	if d := depth(body); d > maxDepth {
		return bad("the body is nested %d deep, at most %d are read", d, maxDepth)
	}
	if err := json.Unmarshal(body, to, json.RejectUnknownMembers(!lenient)); err != nil {
		return bad("%s", malformed(err))
	}
	return nil
}

// maxDepth bounds how deep a body is nested.
const maxDepth = 64

// depth is how deep a JSON text is nested.
func depth(text []byte) int {
	now, most, inside := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '[' || c == '{':
			now++
			most = max(most, now)
		case c == ']' || c == '}':
			now--
		}
	}
	return most
}

// malformed says what is wrong with a body, in the words of those who wrote it.
func malformed(err error) string {
	var syntax *jsontext.SyntacticError
	var meaning *json.SemanticError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("the body is not JSON: %v at byte %d", syntax.Err, syntax.ByteOffset)
	case !errors.As(err, &meaning):
		return fmt.Sprintf("the body cannot be read: %v", err)
	case errors.Is(err, json.ErrUnknownName):
		return unknown(meaning)
	}
	where := cmp.Or(string(meaning.JSONPointer), "the body")
	if meaning.GoType == nil {
		return fmt.Sprintf("%s: %v", where, meaning.Err)
	}
	want := map[reflect.Kind]string{reflect.String: "text", reflect.Bool: "true or false", reflect.Slice: "an array", reflect.Struct: "an object", reflect.Map: "an object", reflect.Uint64: "a whole number from 0 on"}[meaning.GoType.Kind()]
	it := found[meaning.JSONKind]
	switch {
	case meaning.JSONKind == '0' && len(meaning.JSONValue) > 0:
		it = words.Clip(string(meaning.JSONValue), 30)
	case meaning.JSONKind == '"' && want == "an array" && meaning.GoType.Elem().Kind() == reflect.Uint8:
		want, it = "bytes in base64", "another text"
	}
	return fmt.Sprintf("%s: expected %s, found %s", where, cmp.Or(want, "a whole number"), it)
}

// unknown says which members there are in place of one that there is not.
func unknown(err *json.SemanticError) string {
	at := string(err.JSONPointer)
	message := "there is no member " + at
	t := err.GoType
	if t == nil || t.Kind() != reflect.Struct {
		return message
	}
	known := members(t)
	if near, ok := diag.Suggest(at[strings.LastIndexByte(at, '/')+1:], known); ok {
		return fmt.Sprintf("%s; did you mean %s?", message, near)
	}
	return fmt.Sprintf("%s; there are %s", message, strings.Join(known, ", "))
}

// members are the names of the members of an object. [reflect.VisibleFields] would leave
// out a field with the name of the type that is embedded.
func members(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			names = append(names, members(f.Type)...)
		} else if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// found are the kinds of JSON in words.
var found = map[jsontext.Kind]string{'"': "text", '0': "a number", 't': "true", 'f': "false", 'n': "null", '[': "an array", '{': "an object", 0: "something else"}
