package serve

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// spec is /openapi.json.
func spec(t *testing.T) *openapi3.T {
	t.Helper()
	v, err := openAPI(context.Background(), New(Options{}), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(encode(v))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestOpenAPI: the description is valid, and has every route.
func TestOpenAPI(t *testing.T) {
	doc := spec(t)
	if err := doc.Validate(context.Background()); err != nil {
		t.Error(err)
	}
	for _, r := range Routes() {
		if p := doc.Paths.Find(r.Path); p == nil || p.GetOperation(r.Method) == nil {
			t.Errorf("there is no %s %s", r.Method, r.Path)
		}
	}
}

// TestSchemas: generators of clients read no schema that is true, and no list without items.
func TestSchemas(t *testing.T) {
	v, err := openAPI(context.Background(), New(Options{}), nil, nil)
	text := strings.ReplaceAll(string(encode(v)), `"required":true`, "")
	if err != nil || strings.Contains(text, ":true") {
		t.Errorf("%v\n%s", err, text)
	}
	for _, schema := range regexp.MustCompile(`"array"[],][^{}]*`).FindAllString(text, -1) {
		if !strings.Contains(schema, `"items"`) {
			t.Errorf("a list of what? %s", schema)
		}
	}
}

// described holds a request that was answered, and its answer, against the description.
func described(t *testing.T, doc *openapi3.T, call string, status int, request, body string) {
	t.Helper()
	method, path, _ := strings.Cut(call, " ")
	p := doc.Paths.Value(path)
	if p == nil || p.GetOperation(method) == nil || status == 202 { // none, or with a name in its path; an answer without a body
		return
	}
	op := p.GetOperation(method)
	want := op.Responses.Default()
	if status == 200 {
		want = op.Responses.Status(status)
		if op.RequestBody != nil && request != "" {
			holds(t, call, op.RequestBody.Value.Content, request)
		}
	}
	holds(t, call, want.Value.Content, body)
}

// holds holds a body against what is described.
func holds(t *testing.T, call string, content openapi3.Content, body string) {
	t.Helper()
	media := content["application/json"]
	if media == nil || media.Schema == nil {
		return
	}
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Errorf("%s: %v", call, err)
		return
	}
	if err := media.Schema.Value.VisitJSON(v, openapi3.EnableJSONSchema2020()); err != nil {
		t.Errorf("%s is not what is described: %v", call, err)
	}
}
