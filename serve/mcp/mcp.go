// Package mcp gives agents the language over the Model Context Protocol: tools that check, run and
// explain programs, and resources to read. Every tool calls a route of package serve, whose limits
// hold. An agent reaches no file and no network through it.
//
// [New] makes the server, of the SDK for the protocol. [Stdio] and [Handler] serve it, over two
// streams or over HTTP; [Connect] gives its tools to a model that this process asks itself.
//
// What is wrong with a call is told in words that a model can act on. So arguments are looked at
// before the SDK, which would speak of JSON Schema (wrongArguments), and lines before it too, which
// it would end the conversation for (lines.go). A mistake in a program is a result that says so,
// not an error of the protocol.
package mcp

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ein"
	"ein/bench/ask/model"
	"ein/bench/question/prompt"
	"ein/bind"
	"ein/internal/version"
	"ein/internal/words"
	"ein/lang/diag"
	"ein/serve"
	"ein/stdlib"
)

// Cost is what a call took.
type Cost struct {
	Ops    uint64 `json:"ops" jsonschema:"operations that the program ran"`
	Most   uint64 `json:"most_ops" jsonschema:"upper bound of these, proved before it ran"`
	Bytes  uint64 `json:"peak_bytes" jsonschema:"memory that the program took"`
	Millis int64  `json:"wall_ms" jsonschema:"time of the call"`
}

// costBegin is between what a tool says and its cost.
const costBegin = "\n\ncost: "

// String says the cost in words, as the last line of what a tool says.
func (c Cost) String() string {
	return fmt.Sprintf("%s run of at most %s, %s, %d ms", words.Plural(int(min(c.Ops, 1<<62)), "operation"), words.Count(c.Most), words.Bytes(c.Bytes), c.Millis)
}

// Result is what a tool says.
type Result struct {
	Text string `json:"text"`
	Cost Cost   `json:"cost"`
}

// Source is a program and its data.
type Source struct {
	Program string         `json:"program" jsonschema:"the text of an Ein program"`
	Inputs  map[string]any `json:"inputs,omitzero" jsonschema:"data by the names of the program's inputs: a list of edges or of rows, an object from node to number, or {\"text\": CSV}; what the host has bound may be left out"`
}

// Expression is a program, and what is asked of it.
type Expression struct {
	Source
	Expression string `json:"expression" jsonschema:"what to explain: has_path(A, 0, 3), tc(A)[0,3], wdist(W, 0)[2], an element X[1,2], a row of a relation R(1, 2), or a name"`
}

// Name is what there is a page about.
type Name struct {
	Name string `json:"name,omitzero" jsonschema:"a function, the code of a diagnostic, a topic, or the address of a resource; left out: all functions, topics: all topics"`
}

// language is the beginning of the page on the language: what the prompt of the benchmark
// says there is for those who answer its questions.
//
//go:embed language.md
var language string

const instructions = `Ein is a small language of tensor equations for questions about graphs, relations and matrices. Programs are short, always end, and
their cost is bounded before they run. Read the resource ein://language first, which the tool doc shows as well, write a
program, check it, and run it. Every result says what it cost.`

// New returns a server for agents that asks s. data are the files that the host has bound to inputs, with their
// options, and read gives the beginning of one.
func New(s *serve.Server, data map[string]string, read func(ctx context.Context, name string) (io.ReadCloser, error)) *mcp.Server {
	a := &agent{s, map[string]page{languageURI: {"The language on one page", "", "text/markdown", func(context.Context) (string, error) {
		_, functions, _ := strings.Cut(prompt.DefaultPrompts()[prompt.Ein], "\n\n```ein\n")
		return strings.Replace(language, "{card}", strings.TrimSpace(stdlib.RulesCard), 1) + "```ein\n" + functions, nil
	}}}, data}
	for name := range data {
		a.pages[dataURI+name] = page{"The data of the input " + name,
			fmt.Sprintf("A program declares it as `input %[1]s: graph`, `vector`, or `matrix` to keep its weights, or as `input %[1]s(x: node, n: int)` with columns of its first row.%s", name, a.options(name)),
			"text/plain", func(ctx context.Context) (string, error) {
				f, err := read(ctx, name)
				if err != nil {
					return "", err
				}
				defer func() { _ = f.Close() }() // nothing was written
				return beginning(f, name)
			}}
	}
	out := mcp.NewServer(&mcp.Implementation{Name: "ein", Version: version.Number()}, &mcp.ServerOptions{Instructions: instructions + a.bound()})
	tool := func(name, title, description string) *mcp.Tool {
		return &mcp.Tool{Name: name, Title: title, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false)}}
	}
	for _, t := range []struct {
		name, description, empty string
		more                     object
	}{
		{"check", "Say what is wrong with an Ein program, with places and fixes, without running it.", "The program checks.", nil},
		{"run", "Run an Ein program and give the values that it prints, with nodes by name.", "The program prints nothing.", object{"form": []byte(`"text"`), "labels": []byte("true")}},
		{"explain", "Show how an Ein program is computed: under each statement its steps, their kernels and bounds of their cost.", "", nil},
	} {
		mcp.AddTool(out, tool(t.name, strings.ToUpper(t.name[:1])+t.name[1:]+" a program", t.description),
			func(ctx context.Context, call *mcp.CallToolRequest, q Source) (*mcp.CallToolResult, *Result, error) {
				return a.ask(ctx, "POST /v1/"+t.name, &q, call, t.more, t.empty)
			})
	}
	mcp.AddTool(out, tool("why", "Explain a value", "Say why an expression over the names of an Ein program has its value: the path that there is, or the terms of a sum."),
		func(ctx context.Context, call *mcp.CallToolRequest, q Expression) (*mcp.CallToolResult, *Result, error) {
			return a.ask(ctx, "POST /v1/why", &q.Source, call, nil, "")
		})
	mcp.AddTool(out, tool("doc", "Read a page", "Describe a function of Ein with an example, a diagnostic, or a topic of the language."),
		func(ctx context.Context, _ *mcp.CallToolRequest, q Name) (*mcp.CallToolResult, *Result, error) {
			if p, ok := a.pages[q.Name]; ok { // for agents that see no resources
				text, err := p.read(ctx)
				out := &Result{Text: text}
				return out.told(false), out, err
			}
			return a.ask(ctx, "GET /v1/doc/"+url.PathEscape(cmp.Or(q.Name, "all")), nil, nil, nil, "")
		})
	out.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, q mcp.Request) (mcp.Result, error) {
			if post, ok := ctx.Value(posted{}).(context.Context); ok { // whose client may go away
				var stop context.CancelFunc
				ctx, stop = context.WithCancel(ctx)
				defer stop()
				defer context.AfterFunc(post, stop)()
			}
			if call, ok := q.(*mcp.CallToolRequest); ok {
				call.Params.Arguments = withoutNulls(call.Params.Arguments)
				if wrong := wrongArguments(call.Params.Name, call.Params.Arguments); wrong != "" {
					out := &Result{Text: wrong + "\n"}
					told := out.told(true)
					told.StructuredContent = out
					return told, nil
				}
			}
			return next(ctx, method, q)
		}
	})
	for uri, p := range a.pages {
		name := uri[strings.LastIndexByte(uri, '/')+1:]
		out.AddResource(&mcp.Resource{URI: uri, Name: name, Title: p.title, Description: p.description, MIMEType: p.kind},
			func(ctx context.Context, q *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				text, err := p.read(ctx)
				if err != nil {
					return nil, err
				}
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: q.Params.URI, MIMEType: p.kind, Text: text}}}, nil
			})
	}
	return out
}

// withoutNulls leaves out arguments that are null, as models write what they leave out. The SDK
// would refuse them by the schema.
func withoutNulls(args []byte) []byte {
	var given object
	if json.Unmarshal(args, &given) != nil || given == nil {
		return args
	}
	maps.DeleteFunc(given, func(_ string, v jsontext.Value) bool { return v.Kind() == 'n' })
	out, err := json.Marshal(given)
	if err != nil {
		return args
	}
	return out
}

// takes are the arguments of each tool. All but inputs and name are needed.
var takes = map[string]string{"check": "inputs program", "run": "inputs program", "explain": "inputs program", "why": "expression inputs program", "doc": "name"}

// wrongArguments says what is wrong with the arguments of a call. The SDK would say it in terms of Go and of
// JSON Schema.
func wrongArguments(tool string, args []byte) string {
	all := strings.Fields(takes[tool])
	given := object{}
	if len(args) > 0 && json.Unmarshal(args, &given) != nil {
		if args[0] == '{' {
			return "" // others say it
		}
		return fmt.Sprintf(`the arguments are %s, expected an object, such as {"program": ":print 1"}`, kind(args))
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		want := "text"
		if name == "inputs" {
			want = "an object"
		}
		switch found := kind(given[name]); {
		case len(all) == 0: // of a tool that does not exist
		case !slices.Contains(all, name):
			return fmt.Sprintf("there is no argument `%s`; %s takes %s", words.Shorten(name, 40), tool, words.Joined(all))
		case found != want:
			return fmt.Sprintf("the argument `%s` is %s, expected %s", name, found, want)
		}
	}
	for _, name := range all {
		if given[name] == nil && name != "inputs" && name != "name" {
			return fmt.Sprintf("the argument `%s` is missing; %s takes %s", name, tool, words.Joined(all))
		}
	}
	return ""
}

// kind is what a JSON value is, in words.
func kind(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return "text"
	case '0':
		return "a number"
	case '[':
		return "a list"
	case '{':
		return "an object"
	case 'n':
		return "null"
	}
	return "true or false"
}

// Stdio serves one agent over two streams until the first one ends, and no answer has come for a
// time that calls may take.
func Stdio(ctx context.Context, s *mcp.Server, in io.ReadCloser, out io.WriteCloser, patience time.Duration) error {
	to := &answers{WriteCloser: out, due: map[jsonrpc.ID]bool{}}
	return s.Run(ctx, &mcp.IOTransport{Reader: &lines{Closer: in, in: bufio.NewReader(in), out: to, patience: patience}, Writer: to})
}

// Tools are tools of a server for a model that is asked by this process: it sees of them what
// an agent does.
type Tools struct {
	session *mcp.ClientSession
	list    []model.Tool
}

// Connect gives those tools of a server that are named. Close ends them.
func Connect(ctx context.Context, s *mcp.Server, names ...string) (*Tools, error) {
	here, there := mcp.NewInMemoryTransports()
	if _, err := s.Connect(ctx, there, nil); err != nil {
		return nil, err
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "ein", Version: version.Number()}, nil).Connect(ctx, here, nil)
	if err != nil {
		return nil, err
	}
	all, err := session.ListTools(ctx, nil)
	if err != nil {
		return nil, errors.Join(err, session.Close())
	}
	t := &Tools{session: session}
	for _, tool := range all.Tools {
		if slices.Contains(names, tool.Name) {
			schema, err := json.Marshal(tool.InputSchema, json.Deterministic(true))
			if err != nil {
				return nil, errors.Join(err, session.Close())
			}
			t.list = append(t.list, model.Tool{Name: tool.Name, Description: tool.Description, Schema: schema})
		}
	}
	return t, nil
}

// Close ends the tools.
func (t *Tools) Close() error { return t.session.Close() }

// List returns the tools.
func (t *Tools) List() []model.Tool { return t.list }

// Call calls a tool. What it says has no cost, whose time is never the same. The error is that
// of the context.
func (t *Tools) Call(ctx context.Context, name, args string) (text string, failed bool, err error) {
	var given object
	if err := json.Unmarshal([]byte(cmp.Or(args, "{}")), &given); err != nil {
		why := ": " + strings.TrimPrefix(err.Error(), "jsontext: ")
		if _, other := errors.AsType[*json.SemanticError](err); other {
			why = `, such as {"program": ":print 1"}`
		}
		return "error: the arguments are no JSON object" + why, true, nil
	}
	if !slices.ContainsFunc(t.list, func(x model.Tool) bool { return x.Name == name }) {
		return fmt.Sprintf("error: there is no tool %q", name), true, nil
	}
	out, err := t.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: given})
	switch {
	case ctx.Err() != nil:
		return "", false, ctx.Err()
	case err != nil:
		return "error: " + err.Error(), true, nil
	}
	for _, c := range out.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			text += c.Text
		}
	}
	if at := strings.LastIndex(text, costBegin); at >= 0 {
		text = text[:at]
	}
	if out.IsError && !strings.HasPrefix(text, "error") {
		text = "error: " + text // of formats that do not say it beside the text
	}
	return text, out.IsError || name == "check" && strings.Contains(text, "error["), nil // as it says it
}

// posted is the key of the context of a request over HTTP, from which the SDK detaches the work.
type posted struct{}

// Handler serves agents over HTTP, but no pages of other sites, as the protocol requires.
func Handler(s *mcp.Server) http.Handler {
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxLine})
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(&answer{ResponseWriter: w}, r.WithContext(context.WithValue(r.Context(), posted{}, r.Context())))
	}))
}

// answer gives what the SDK refuses in plain text as an error of JSON-RPC, whose code a client reads.
type answer struct {
	http.ResponseWriter
	plain bool
}

// Unwrap is for [http.ResponseController].
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	if a.plain = strings.HasPrefix(a.Header().Get("Content-Type"), "text/plain"); a.plain {
		a.Header().Set("Content-Type", "application/json")
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	if !a.plain {
		return a.ResponseWriter.Write(p)
	}
	wrong, code := strings.TrimSpace(string(p)), jsonrpc.CodeInvalidRequest
	switch {
	case strings.HasPrefix(wrong, "JSON RPC not handled"):
		code = jsonrpc.CodeMethodNotFound
	case strings.HasPrefix(wrong, "malformed payload: unmarshaling"):
		code = jsonrpc.CodeParseError
	}
	_, err := a.ResponseWriter.Write(refusal(nil, code, wrong))
	return len(p), err
}

// page is a resource with one text.
type page struct {
	title, description, kind string
	read                     func(ctx context.Context) (string, error)
}

const (
	languageURI = "ein://language"
	dataURI     = "ein://data/"
)

// bound says what the host has bound, "" for nothing.
func (a *agent) bound() string {
	if len(a.data) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Keys(a.data))
	text := fmt.Sprintf("\nThe host has bound data to the inputs %s. The resource %sNAME, which the tool doc shows as well, is the beginning of one.",
		strings.Join(names, ", "), dataURI)
	for _, name := range names {
		text += a.options(name)
	}
	return text
}

// options says how data of the host is read, "" if as any other.
func (a *agent) options(name string) string {
	in, err := bind.Parse(name + "=" + a.data[name])
	options := strings.TrimPrefix(in.Options.Spec(""), "?")
	if err != nil || options == "" {
		return ""
	}
	return fmt.Sprintf(" The host has %s read with `%s`, which no program changes.", name, options)
}

// mostShown bounds what is shown of a file, a proof or a plan, in bytes.
const mostShown = 32 << 10

// beginning returns the first lines of a file, or what is shown of one line, and whether there is more.
func beginning(f io.Reader, name string) (string, error) {
	in := bufio.NewReader(f)
	f = in
	if head, _ := in.Peek(2); string(head) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return "", err
		}
		f = z
	}
	b, err := io.ReadAll(io.LimitReader(f, mostShown+1))
	if err != nil {
		return "", err
	}
	text := string(b[:min(len(b), mostShown)])
	if len(b) > mostShown {
		if end := strings.LastIndexByte(text, '\n'); end >= 0 {
			text = text[:end]
		}
		text = strings.TrimRight(text, string(utf8.RuneError)) + "\n... and more\n" // a line may end within a character
	}
	if !utf8.ValidString(text) {
		text = fmt.Sprintf("(no text; `check` of `input %[1]s(x: node)` and `%[1]s(x)?` names the columns)\n", name)
	}
	return text, nil
}

// ends returns the first and the last lines of a text of which not all is shown.
func ends(text string) string {
	if len(text) <= mostShown {
		return text
	}
	first := text[:strings.LastIndexByte(text[:mostShown/2], '\n')+1]
	_, last, _ := strings.Cut(text[len(text)-mostShown/2:], "\n")
	left := strings.Count(text[len(first):len(text)-len(last)], "\n")
	return fmt.Sprintf("%s... %s more lines ...\n%s", first, words.Count(left), last)
}

// agent answers the calls of tools by the routes of a server.
type agent struct {
	s     *serve.Server
	pages map[string]page   // the resources by their address
	data  map[string]string // the files that the host has bound to inputs, with their options
}

// object is a JSON object whose values are as they were written.
type object map[string]jsontext.Value

// ask asks a route, and says what came of it and what it cost. The body is the arguments of the
// call and more, not what the SDK read of them: that rounds whole numbers past 2^53. What is wrong
// with a program is a result, for the agent to mend.
func (a *agent) ask(ctx context.Context, route string, src *Source, call *mcp.CallToolRequest, more object, empty string) (*mcp.CallToolResult, *Result, error) {
	start := time.Now()
	var text []byte
	if call != nil {
		body := object{}
		if text = call.Params.Arguments; json.Unmarshal(text, &body) == nil { // the route says what is wrong
			maps.Copy(body, more)
			var err error
			if text, err = json.Marshal(body); err != nil {
				return nil, nil, err
			}
		}
	}
	answer := a.s.Ask(ctx, route, text)
	var got struct {
		Text     string                `json:"text"`
		Stats    ein.JSONStats         `json:"stats"`
		Bound    serve.Bound           `json:"bound"`
		Warnings []diag.JSONDiagnostic `json:"warnings"`
		ein.JSONError
	}
	if err := json.Unmarshal(answer.Body, &got, json.RejectUnknownMembers(false)); err != nil {
		return nil, nil, err
	}
	out := &Result{Text: got.Text, Cost: Cost{Ops: got.Stats.Ops, Most: got.Bound.Ops, Bytes: got.Stats.Bytes}}
	failed := answer.Status != http.StatusOK
	if failed {
		out.Text = wrong(src, got.Error.Diagnostics)
	} else if out.Text = cmp.Or(out.Text, empty); len(got.Warnings) > 0 {
		out.Text = strings.TrimRight(out.Text, "\n") + "\n\n" + wrong(src, got.Warnings)
	}
	if strings.Contains(out.Text, "error[E0701]") || strings.Contains(out.Text, "error[E0703]") || strings.Contains(out.Text, "error[E0801]") { // an input that is read otherwise, of another name, or undeclared
		out.Text = strings.TrimRight(out.Text, "\n") + a.bound() + "\n"
	}
	if route == "POST /v1/why" || route == "POST /v1/explain" { // a run has a limit of its output
		out.Text = ends(out.Text)
	}
	out.Cost.Millis = time.Since(start).Milliseconds()
	return out.told(failed), out, nil
}

// told is a result as an agent gets it.
func (r *Result) told(failed bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: failed, Content: []mcp.Content{&mcp.TextContent{Text: strings.TrimRight(r.Text, "\n") + costBegin + r.Cost.String()}}}
}

// wrong returns diagnostics as text for people, with the line of the program if they have a place in it.
func wrong(src *Source, found []diag.JSONDiagnostic) string {
	var b strings.Builder
	for _, d := range found {
		if d.Code != "" {
			fmt.Fprintf(&b, "%s[%s]: ", d.Severity, d.Code)
		}
		at := ""
		if d.Start.Line > 0 && src != nil {
			at = fmt.Sprintf("line %d", d.Start.Line)
			if d.Start.Column > 0 { // data may have none
				at += fmt.Sprintf(", column %d", d.Start.Column)
			}
		}
		file, own := d.File, d.File == "program"
		if file == "expression" {
			file = "the expression"
		}
		if !own && file != "" { // or an input, or a file of the host
			at = strings.TrimPrefix(at+" of "+file, " of ")
		}
		if b.WriteString(d.Message); at != "" {
			fmt.Fprintf(&b, " (%s)", at)
		}
		if own && at != "" {
			if lines := strings.Split(src.Program, "\n"); d.Start.Line <= len(lines) {
				b.WriteString("\n  " + excerpt(lines[d.Start.Line-1], d.Start.Column))
			}
		}
		b.WriteString("\n")
		for _, note := range d.Notes {
			fmt.Fprintf(&b, "  %s\n", note)
		}
		for i := range d.Fixes {
			fmt.Fprintf(&b, "  fix: %s\n", d.Fixes[i].Title)
		}
	}
	return b.String()
}

// excerpt is a line, of a long one what is around a column.
func excerpt(line string, column int) string {
	const before, most = 60, 160
	r, mark := []rune(line), ""
	if len(r) > most && column > before {
		r, mark = r[min(column-1-before, len(r)):], "..."
	}
	return mark + words.Shorten(string(r), most)
}
