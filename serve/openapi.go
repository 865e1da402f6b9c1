package serve

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"ein"
	"ein/internal/version"
)

// anything describes what may be any value: an empty schema would be written true, which generators
// of clients do not read.
const anything = "any JSON value"

// schemas are the schemas of types that marshal themselves.
var schemas = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[jsontext.Value](): {Description: anything},
	reflect.TypeFor[any]():            {Description: anything},
	reflect.TypeFor[Part]():           {Types: []string{"integer", "string"}, Description: "the number of a frame, or bytes in base64"},
	reflect.TypeFor[Completion]():     {Types: []string{"array", "string"}, Items: &jsonschema.Schema{Type: "object"}, Description: "the text of a model, or messages, the last of which from the model counts"},
}

// Schema returns the JSON schema of a type of a route.
func Schema(of any) (*jsonschema.Schema, error) {
	return jsonschema.ForType(reflect.TypeOf(of), &jsonschema.ForOptions{TypeSchemas: schemas})
}

// loosen allows what decode does: that another member takes the place of a required one and, if it
// is lenient, members that nobody asked for.
func loosen(t reflect.Type, s *jsonschema.Schema, lenient bool) {
	if s == nil || t.Kind() != reflect.Struct {
		return
	}
	if t.Implements(reflect.TypeFor[sparing]()) {
		s.Required = nil
	}
	if lenient {
		s.AdditionalProperties = nil
	}
	for _, m := range membersOf(t) {
		loosen(t.FieldByIndex(m.index).Type, s.Properties[m.name], lenient)
	}
}

// openAPI returns the table of routes in the form of OpenAPI 3.1.
func openAPI(_ context.Context, s *Server, _ *Call, _ *nothing) (any, error) {
	type object = map[string]any
	content := func(of any, lenient bool) (object, error) {
		switch of.(type) {
		case Lines:
			return object{"application/x-ndjson": object{}}, nil
		case Plain:
			return object{"text/plain": object{}}, nil
		case nil:
			return object{"application/json": object{}}, nil
		}
		schema, err := Schema(of)
		loosen(reflect.TypeOf(of), schema, lenient)
		return object{"application/json": object{"schema": schema}}, err
	}
	paths := map[string]object{}
	for i := range s.routes {
		r := &s.routes[i]
		ok, err := content(r.Response, false)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
		}
		op := object{"summary": r.Doc, "responses": object{
			strconv.Itoa(http.StatusOK): object{"description": "the answer", "content": ok},
			"default":                   object{"description": "what went wrong", "content": object{"application/json": object{"schema": object{"$ref": "#/components/schemas/Error"}}}},
		}}
		if _, none := r.Request.(nothing); !none {
			body, err := content(r.Request, r.lenient)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
			}
			op["requestBody"] = object{"required": true, "content": body}
		}
		var parameters []object
		if strings.Contains(r.Path, "{id}") {
			parameters = append(parameters, object{"name": "id", "in": "path", "required": true, "schema": object{"type": "string"}})
		}
		for _, name := range r.query {
			parameters = append(parameters, object{"name": name, "in": "query", "schema": object{"type": "string"}})
		}
		if parameters != nil {
			op["parameters"] = parameters
		}
		if paths[r.Path] == nil {
			paths[r.Path] = object{}
		}
		paths[r.Path][strings.ToLower(r.Method)] = op
	}
	failure, err := Schema(ein.JSONError{})
	if err != nil {
		return nil, err
	}
	return object{"openapi": "3.1.0", "info": object{"title": "Ein", "version": version.Number()}, "paths": paths,
		"components": object{"schemas": object{"Error": failure}}}, nil
}
