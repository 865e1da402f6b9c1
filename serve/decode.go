package serve

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ein/internal/compact"
	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/diag"
)

// nothing is the body of a request without one.
type nothing struct{}

// decode reads a body of a route. Members that nobody asked for are mistakes, unless it is
// lenient, and so are two of one name.
func decode(body []byte, to any, r *Route) error {
	if _, none := to.(*nothing); none && len(body) == 0 {
		return nil
	}
	if r.lenient && len(body) == 0 { // as from a client of OpenEnv that has nothing to say
		body = []byte("{}")
	}
	if d := compact.Depth(body); d > maxDepth {
		return bad("the body is nested %d deep, at most %d are read", d, maxDepth)
	}
	err := json.Unmarshal(body, to, json.RejectUnknownMembers(!r.lenient))
	// One reply that is cut within a character must not cost all others their scores.
	if err != nil && r.said && !jsontext.Value(body).IsValid() {
		text := jsontext.Value(slices.Clone(body))
		if text.Format(jsontext.AllowInvalidUTF8(true)) == nil {
			reflect.ValueOf(to).Elem().SetZero()
			body, err = text, json.Unmarshal(text, to, json.RejectUnknownMembers(!r.lenient))
		}
	}
	if err != nil {
		return bad("%s", malformed(err))
	}
	if v := reflect.ValueOf(to).Elem(); gaps(v) {
		var it any
		if err := json.Unmarshal(body, &it); err != nil {
			return bad("%s", malformed(err))
		}
		return lacks(v, it, "")
	}
	return nil
}

// gaps reports whether a required member is empty, and so may be missing. Few are, so a body is
// seldom read twice.
func gaps(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Struct:
		for _, m := range membersOf(v.Type()) {
			if !m.required && !m.holds {
				continue
			}
			if x := v.FieldByIndex(m.index); m.required && x.IsZero() || m.holds && gaps(x) {
				return true
			}
		}
	case reflect.Slice:
		for i := 0; v.Type().Elem().Kind() == reflect.Struct && i < v.Len(); i++ {
			if gaps(v.Index(i)) {
				return true
			}
		}
	}
	return false
}

// sparing is a body where another member may take the place of a required one.
type sparing interface{ spares(name string) bool }

// lacks returns an error if the body in, which was read into v, lacks a required member. A member
// that was forgotten must not count as an empty one: an empty reply, say, is worth 0.
func lacks(v reflect.Value, in any, at string) error {
	where := cmp.Or(at, "the body")
	switch v.Kind() {
	case reflect.Struct:
		object, ok := in.(map[string]any)
		if !ok {
			return bad("%s: expected an object, found null", where)
		}
		other, _ := v.Interface().(sparing)
		for _, m := range membersOf(v.Type()) {
			in, there := object[m.name]
			switch {
			case in == nil && there: // it was left empty on purpose, as by a model that said nothing
			case in != nil:
				if err := lacks(v.FieldByIndex(m.index), in, at+"/"+m.name); err != nil {
					return err
				}
			case !m.required || other != nil && other.spares(m.name):
			default:
				return bad("%s has no member `%s`, which is required", where, m.name)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Struct {
			for i, in := range in.([]any) {
				if err := lacks(v.Index(i), in, fmt.Sprintf("%s/%d", at, i)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// maxDepth bounds the nesting of a body.
const maxDepth = 64

// malformed says what is wrong with a body, in terms of JSON rather than of Go.
func malformed(err error) string {
	var syntax *jsontext.SyntacticError
	var meaning *json.SemanticError
	switch {
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Sprintf("the member %s is there twice", syntax.JSONPointer)
	case syntax != nil:
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
	if own, ok := errors.AsType[*requestError](meaning.Err); ok {
		return where + ": " + own.message
	}
	want := map[reflect.Kind]string{reflect.String: "text", reflect.Bool: "true or false", reflect.Slice: "an array", reflect.Struct: "an object", reflect.Map: "an object", reflect.Uint64: "a whole number from 0 on", reflect.Float64: "a number"}[meaning.GoType.Kind()]
	it := found[meaning.JSONKind]
	if meaning.JSONKind == '0' && len(meaning.JSONValue) > 0 {
		it = words.Clip(string(meaning.JSONValue), 30)
	} else if meaning.JSONKind == '"' && want == "an array" && meaning.GoType.Elem().Kind() == reflect.Uint8 {
		want, it = "bytes in base64", "another text"
	}
	return fmt.Sprintf("%s: expected %s, found %s", where, cmp.Or(want, "a whole number"), it)
}

// unknown names the members that exist in place of an unknown one.
func unknown(err *json.SemanticError) string {
	at := string(err.JSONPointer)
	message := "there is no member " + at
	t := err.GoType
	if t == nil || t.Kind() != reflect.Struct {
		return message
	}
	known := lists.Map(membersOf(t), func(m member) string { return m.name })
	if len(known) == 0 {
		return message + "; the call takes no body"
	}
	if near, ok := diag.Suggest(at[strings.LastIndexByte(at, '/')+1:], known); ok {
		return fmt.Sprintf("%s; did you mean %s?", message, near)
	}
	return fmt.Sprintf("%s; there are %s", message, strings.Join(known, ", "))
}

// member is a member of an object.
type member struct {
	name     string
	index    []int // of its field
	required bool  // a body must have it; the schema says the same
	holds    bool  // objects
}

// types are the members of the types that were asked for: to read tags takes as long as to run a
// small program.
var types sync.Map

// membersOf returns the members of an object, and those of the structs that it embeds.
func membersOf(t reflect.Type) []member {
	if list, ok := types.Load(t); ok {
		return list.([]member)
	}
	var list []member
	for _, f := range reflect.VisibleFields(t) {
		of := f.Type
		if of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if name, options, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			list = append(list, member{name, f.Index, !strings.Contains(options, "omit"), of.Kind() == reflect.Struct})
		}
	}
	types.Store(t, list)
	return list
}

// found names the kinds of JSON values.
var found = map[jsontext.Kind]string{'"': "text", '0': "a number", 't': "true", 'f': "false", 'n': "null", '[': "an array", '{': "an object", 0: "something else"}
