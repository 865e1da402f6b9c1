package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ein/lang/check"
)

const versioned = `{"textDocument":{"publishDiagnostics":{"versionSupport":true,"relatedInformation":true,"tagSupport":{"valueSet":[1]}}}}`

func version(p *protocol.PublishDiagnosticsParams) int32 {
	v, _ := p.Version.Get()
	return v
}

// TestDebounce: diagnostics come after a pause, once, for the last version.
func TestDebounce(t *testing.T) {
	c := start(t, versioned, Options{})
	c.open(testURI, "A = B\n")
	c.replace(testURI, 2, "A = C\n")
	c.replace(testURI, 3, "A = D\n")
	c.pause()
	p := receive(t, c.published)
	if version(p) != 3 || len(p.Diagnostics) != 1 || !strings.Contains(string(p.Diagnostics[0].Message.(protocol.String)), "`D`") {
		t.Errorf("got %v", p)
	}
	c.replace(testURI, 4, "A = 1\n")
	if err := c.DidSave(c.ctx, &protocol.DidSaveTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: testURI}}); err != nil {
		t.Fatal(err)
	}
	if p := receive(t, c.published); version(p) != 4 || len(p.Diagnostics) != 0 { // without a pause
		t.Errorf("got %v", p)
	}
	if n := c.clock.elapse(); n != 0 {
		t.Errorf("%d pauses were left", n)
	}
	if len(c.published) != 0 {
		t.Errorf("and also %v", <-c.published)
	}
	c.leave()
}

func TestClose(t *testing.T) {
	c := start(t, versioned, Options{})
	c.open(testURI, "A = B\n")
	c.pause()
	if p := receive(t, c.published); len(p.Diagnostics) != 1 {
		t.Errorf("got %v", p)
	}
	c.replace(testURI, 2, "A = C\n")
	if err := c.DidClose(c.ctx, &protocol.DidCloseTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: testURI}}); err != nil {
		t.Fatal(err)
	}
	if p := receive(t, c.published); p.Diagnostics == nil || len(p.Diagnostics) != 0 {
		t.Errorf("got %v", p)
	}
	c.pause()
	if _, err := c.hover(testURI, 0, 0); err == nil {
		t.Error("the file is still open")
	}
	if len(c.published) != 0 {
		t.Errorf("after the end: %v", <-c.published)
	}
	c.leave()
}

// TestVersions: changes are taken as they come, whatever their version.
func TestVersions(t *testing.T) {
	c := start(t, versioned, Options{})
	c.open(testURI, "A = 1\n")
	c.replace(testURI, 7, "A = B\n")
	c.replace(testURI, 3, "A = C\n")
	c.pause()
	if p := receive(t, c.published); version(p) != 3 || !strings.Contains(string(p.Diagnostics[0].Message.(protocol.String)), "`C`") {
		t.Errorf("got %v", p)
	}
	// Of a change with a wrong part nothing is taken.
	wrong := protocol.Range{Start: protocol.Position{Character: 3}}
	c.change(testURI, 8, &protocol.TextDocumentContentChangeWholeDocument{Text: "A = D\n"},
		&protocol.TextDocumentContentChangePartial{Range: wrong, Text: "x"})
	if err := c.DidSave(c.ctx, &protocol.DidSaveTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: testURI}}); err != nil {
		t.Fatal(err)
	}
	if p := receive(t, c.published); version(p) != 3 || !strings.Contains(string(p.Diagnostics[0].Message.(protocol.String)), "`C`") {
		t.Errorf("got %v", p)
	}
	c.leave()
}

func TestUnnecessary(t *testing.T) {
	const text = "a = [1, 2]\n:print a\nb = sum(a)\n"
	for _, test := range []struct {
		capabilities string
		want         int
	}{{versioned, 1}, {"{}", 0}} {
		c := start(t, test.capabilities, Options{})
		c.open(testURI, text)
		c.pause()
		p := receive(t, c.published)
		if len(p.Diagnostics) != 1 || p.Diagnostics[0].Tags.Len() != test.want {
			t.Errorf("%s: got %v", test.capabilities, p.Diagnostics)
		}
		c.leave()
	}
}

// TestHugeFile: a text over the limit of the language is one diagnostic.
func TestHugeFile(t *testing.T) {
	c := start(t, versioned, Options{})
	c.open(testURI, strings.Repeat("# comment\n", 1_700_000))
	c.pause()
	if p := receive(t, c.published); len(p.Diagnostics) != 1 || !strings.HasPrefix(string(p.Diagnostics[0].Code.(protocol.String)), "E05") {
		t.Errorf("got %v", p.Diagnostics)
	}
	c.replace(testURI, 2, small)
	c.alive()
	c.leave()
}

const pulling = `{"textDocument":{"diagnostic":{}},"workspace":{"diagnostics":{"refreshSupport":true},"configuration":true}}`

func TestPull(t *testing.T) {
	c := connect(t, Options{})
	var params protocol.InitializeParams
	if err := protocol.Unmarshal([]byte(`{"processId":null,"rootUri":null,"capabilities":`+pulling+`}`), &params); err != nil {
		t.Fatal(err)
	}
	provider := c.initialize(&params).Capabilities.DiagnosticProvider
	if options, ok := provider.(*protocol.DiagnosticOptions); !ok || options.WorkspaceDiagnostics { // by which Visual Studio Code keeps those of closed files
		t.Errorf("got %v", provider)
	}
	c.open(testURI, "A = B\n")
	ask := func(previous *string) protocol.DocumentDiagnosticReport {
		t.Helper()
		report, err := c.Diagnostic(c.ctx, &protocol.DocumentDiagnosticParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: testURI}, PreviousResultID: previous,
		})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	first := ask(nil).(*protocol.RelatedFullDocumentDiagnosticReport)
	if len(first.Items) != 1 {
		t.Errorf("got %v", first)
	}
	if again, ok := ask(first.ResultID).(*protocol.RelatedUnchangedDocumentDiagnosticReport); !ok || again.ResultID != *first.ResultID {
		t.Errorf("got %v", again)
	}
	c.replace(testURI, 2, "A = 1\n")
	if next, ok := ask(first.ResultID).(*protocol.RelatedFullDocumentDiagnosticReport); !ok || len(next.Items) != 0 {
		t.Errorf("got %v", next)
	}
	c.pause()
	c.alive()
	if len(c.published) != 0 {
		t.Errorf("pushed too: %v", <-c.published)
	}
	c.leave()

	// Neovim asks, but cannot be told to ask again when data has been read.
	for of, want := range map[string]bool{
		`{"textDocument":{"diagnostic":{}}}`:                                                                              true,
		`{"textDocument":{"diagnostic":{},"publishDiagnostics":{}}}`:                                                      false,
		`{"textDocument":{"diagnostic":{},"publishDiagnostics":{}},"workspace":{"diagnostics":{"refreshSupport":true}}}`:  true,
		`{"textDocument":{"diagnostic":{},"publishDiagnostics":{}},"workspace":{"diagnostics":{"refreshSupport":false}}}`: false,
	} {
		var can capabilities
		if err := json.Unmarshal([]byte(of), &can); err != nil {
			t.Fatal(err)
		}
		if got := newClient(can).pull; got != want {
			t.Errorf("%s: %v", of, got)
		}
	}
}

// TestWatchedInput: sizes and labels follow the data on the disk.
func TestWatchedInput(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "graph.csv")
	save := func(text string, age time.Duration) {
		t.Helper()
		if err := os.WriteFile(data, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-age)
		if err := os.Chtimes(data, when, when); err != nil {
			t.Fatal(err)
		}
	}
	save("source,target\na,b\n", time.Hour)
	c := connect(t, Options{})
	c.settings = `{"inputs":{"A":"graph.csv"}}`
	var params protocol.InitializeParams
	err := protocol.Unmarshal([]byte(`{"processId":null,"rootUri":null,"workspaceFolders":[{"uri":"`+string(uri.File(dir))+`","name":"w"}],"capabilities":{
		"workspace":{"configuration":true,"inlayHint":{"refreshSupport":true},
		"didChangeConfiguration":{"dynamicRegistration":true},
		"didChangeWatchedFiles":{"dynamicRegistration":true,"relativePatternSupport":true}}}}`), &params)
	if err != nil {
		t.Fatal(err)
	}
	c.initialize(&params)
	if r := receive(t, c.registers); r.Method != protocol.MethodWorkspaceDidChangeConfiguration {
		t.Errorf("registered %v", r)
	}
	u := uri.File(filepath.Join(dir, "programs", "p.ein")) // relative to the folder, not to the program
	c.open(u, "input A: graph\n:print tc(A)\n")
	c.pause()
	watch := receive(t, c.registers)
	if watch.Method != protocol.MethodWorkspaceDidChangeWatchedFiles || !strings.Contains(string(watch.RegisterOptions), "graph.csv") {
		t.Errorf("registered %s", watch.RegisterOptions)
	}
	// The server may ask for more refreshes than there are changes, but for one after each.
	shape := func(want string) {
		t.Helper()
		for {
			if got := receive(t, c.refreshed); got != "hints" {
				t.Errorf("refreshed %s", got)
			}
			h, err := c.hover(u, 0, 6)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(h.Contents.(*protocol.MarkupContent).Value, want) {
				return
			}
		}
	}
	shape("Tensor[2,2]")
	save("source,target\na,b\nb,c\n", time.Minute)
	if err := c.DidChangeWatchedFiles(c.ctx, &protocol.DidChangeWatchedFilesParams{Changes: []protocol.FileEvent{{URI: uri.File(data), Type: protocol.FileChangeTypeChanged}}}); err != nil {
		t.Fatal(err)
	}
	c.pause()
	shape("Tensor[3,3]")
	// A label of the program is a node too.
	c.replace(u, 2, "input A: graph\n:print tc(A)\nB = edges([[\"a\",\"z\"]])\n:print B\n")
	c.pause()
	shape("Tensor[4,4]")
	// Other settings unbind it.
	c.settings = `{"inputs":{}}`
	if err := c.DidChangeConfiguration(c.ctx, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny("null")}); err != nil {
		t.Fatal(err)
	}
	shape("graph")
	// Settings that the user has removed no longer count.
	c.settings = `{"inputs":{"A":"graph.csv"}}`
	for _, shown := range []string{"Tensor[4,4]", "graph"} {
		if err := c.DidChangeConfiguration(c.ctx, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny("null")}); err != nil {
			t.Fatal(err)
		}
		shape(shown)
		c.settings = ""
	}
	if r := receive(t, c.dropped); r.ID != watch.ID {
		t.Errorf("unregistered %v, registered %v", r, watch)
	}
	c.leave()
}

// TestDataKey: data is read again when something that it depends on has changed, and only then.
func TestDataKey(t *testing.T) {
	dir := t.TempDir()
	save := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := newServer(t.Context(), Options{}.withDefaults(), nil)
	key := func(spec, text string) string {
		s.session.update(func(next *snapshot) { next.settings = settings{Inputs: map[string]string{"A": spec}} })
		f := (&file{uri: uri.File(filepath.Join(dir, "p.ein")), text: text, profile: check.Full}).finish()
		sources, problems := s.sources(f, f.document().Inputs())
		for _, path := range filesOf(sources) {
			if filepath.Dir(path) != dir || filepath.Clean(path) != path { // as clients name it that watch it
				t.Errorf("%s: reads %q", spec, path)
			}
		}
		return dataKey(f, sources, problems)
	}
	save("q.sql", "select a, b from t")
	const vector = "input A: vector\n"
	keys := map[string]string{}
	for _, test := range []struct{ spec, text string }{
		{"a.csv", vector},
		{"a.csv", "input A: matrix\n"},
		{"a.csv", vector + `B = edges([["a","b"]])`},
		{"a.csv?default=0", vector},
		{"a.csv?default=1", vector},
		{"a.csv?weight=role==user", vector},
		{"a.csv?weight=role==admin", vector},
		{"a.csv?where=role==user", vector},
		{"a.csv", "input A(x: node, y: int)\n"},
		{"a.csv", "input A(x: node, z: int)\n"},
		{"a.csv", "input A(x: node, y: real)\n"},
		{"a.csv", "input A(x: text, y: int)\n"},
		{"a.csv", "input A(x: town, y: int)\n"},
		{"a.csv", "input A(x: town, y: int)\nQ(y) <- A(\"Rome\", y).\nP(x) <- A(x, _).\nP(\"Oslo\").\n"},
		{filepath.Join(dir, "b.csv"), vector},
		{dir + "//sub/../c.csv", vector},
		{"d.db?query=@q.sql", vector},
	} {
		now := key(test.spec, test.text)
		if again := key(test.spec, test.text); again != now {
			t.Errorf("%v: nothing has changed, and the key %s is now %s", test, now, again)
		}
		if before, ok := keys[now]; ok {
			t.Errorf("%v has the key of %s", test, before)
		}
		keys[now] = fmt.Sprint(test)
	}
	save("q.sql", "select a from t")
	if now := key("d.db?query=@q.sql", vector); keys[now] != "" {
		t.Errorf("another query, and the key is still %s", now)
	}
}

// TestProject: the data of ein.toml is read in a workspace that is trusted, and no other.
func TestProject(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"g.csv": "source,target\na,b\n", "p.ein": "", "q.ein": "",
		"ein.toml": "[programs.'p.ein'.inputs]\nA = 'g.csv'\n[programs.'q.ein']\nprofile = 'core'\ninputs.A = '../g.csv'\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ trusted, file, shape, problem string }{
		{"false", "p.ein", "graph", ""},
		{"true", "p.ein", "Tensor[2,2]", ""},
		{"true", "q.ein", "graph", "input"},
	} {
		client := connect(t, Options{})
		var params protocol.InitializeParams
		err := protocol.Unmarshal([]byte(`{"processId":null,"rootUri":null,"initializationOptions":{"trusted":`+c.trusted+`},"capabilities":{
			"workspace":{"inlayHint":{"refreshSupport":true}}}}`), &params)
		if err != nil {
			t.Fatal(err)
		}
		client.initialize(&params)
		u := uri.File(filepath.Join(dir, c.file))
		client.open(u, "input A: graph\n:print tc(A)\n")
		client.pause()
		if c.trusted == "true" {
			receive(t, client.refreshed)
		}
		h, err := client.hover(u, 0, 6)
		if err != nil || !strings.Contains(h.Contents.(*protocol.MarkupContent).Value, c.shape) {
			t.Errorf("%+v: %v, %v", c, h, err)
		}
		if c.shape == "Tensor[2,2]" {
			if _, err := client.Rename(client.ctx, &protocol.RenameParams{TextDocumentPositionParams: place(u, 1, 10), NewName: "B"}); err != nil {
				t.Error(err)
			}
			if m := receive(t, client.messages); m.Message != "ein: ein.toml binds data to the input `A`, which the program now calls `B`; rename it there as well" {
				t.Errorf("got %s", m.Message)
			}
		}
		client.leave()
	}
}

// TestRunData: a run that begins before the data is read says itself what is wrong with it.
func TestRunData(t *testing.T) {
	c := connect(t, Options{})
	var params protocol.InitializeParams
	if err := protocol.Unmarshal([]byte(`{"processId":null,"rootUri":null,"initializationOptions":{"inputs":{"A":"none.csv","C":"?"}},"capabilities":{}}`), &params); err != nil {
		t.Fatal(err)
	}
	c.initialize(&params)
	u := uri.File(filepath.Join(t.TempDir(), "p.ein"))
	for text, want := range map[string]string{
		"input A: graph\n:print A\n":                 "none.csv: error[E0702]: the file cannot be read",
		"input A: graph\ninput B: graph\n:print A\n": "the input `B` has no data",
		"input C: graph\n:print C\n":                 "the setting ein.inputs.C: ?: the file name is missing",
	} {
		c.open(u, text)
		_, err := c.ExecuteCommand(c.ctx, &protocol.ExecuteCommandParams{Command: commandRun, Arguments: []protocol.LSPAny{encoded(u)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		if err := c.DidClose(c.ctx, &protocol.DidCloseTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}}); err != nil {
			t.Fatal(err)
		}
	}
	c.leave()
}

// TestMaxText: what is too much is not looked at, and that is said; the rest is.
func TestMaxText(t *testing.T) {
	c := start(t, "", Options{MaxText: 100})
	c.open(testURI, "A = [1, 2]\n")
	other := uri.URI("file:///project/other.ein")
	c.open(other, "# "+strings.Repeat("x", 100)+"\n")
	if m := receive(t, c.messages); !strings.Contains(m.Message, "other.ein is not looked at") || !strings.Contains(m.Message, "the limit is 100") {
		t.Errorf("got %q", m.Message)
	}
	if _, err := c.hover(other, 0, 0); err == nil {
		t.Error("a hover in a file that was not taken")
	}
	c.replace(testURI, 2, strings.Repeat("A", 101))
	if h, err := c.hover(testURI, 0, 0); err != nil || !strings.Contains(h.Contents.(*protocol.MarkupContent).Value, "Tensor[2]") {
		t.Errorf("got %v, %v", h, err)
	}
	c.leave()
}

func TestSettings(t *testing.T) {
	for _, test := range []struct{ raw, inputs, wrong string }{
		{`null`, "", ""},
		{``, "", ""},
		{`{}`, "", ""},
		{`{"inputs":{"A":"x.csv"}}`, "x.csv", ""},
		{`{"ein":{"inputs":{"A":"x.csv"}}}`, "x.csv", ""},
		{`{"inputs":{"A":"x.csv"},"input":1}`, "x.csv", "there is no setting ein.input;"},
		{`{"inputs":{"A":5}}`, "", "the settings are wrong: found a number in ein.inputs, expected"},
		{`{"inputs":[]}`, "", "the settings are wrong: found an array in ein.inputs, expected"},
		{`{"profile":1}`, "", "the settings are wrong: found a number in ein.profile, expected"},
		{`{"path":"ein","inputs":{"A":"x.csv"},"profile":"full","trace":{"server":"off"}}`, "x.csv", ""}, // of the extension
		{`[1]`, "", "the settings are not an object: found an array, expected"},
		{`{"profile":"tiny"}`, "", "expected \"full\", \"core\" or \"logic\""},
	} {
		got, err := parseSettings([]byte(test.raw))
		if got.Inputs["A"] != test.inputs || (err == nil) != (test.wrong == "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("%s: %v, %v", test.raw, got, err)
		}
	}
	c := start(t, "", Options{})
	c.open(testURI, "def f(A) = A\n:print f([1])\n")
	c.pause()
	if p := receive(t, c.published); len(p.Diagnostics) != 0 {
		t.Errorf("full: %v", p.Diagnostics)
	}
	if err := c.DidChangeConfiguration(c.ctx, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny(`{"ein":{"profile":"core"}}`)}); err != nil {
		t.Fatal(err)
	}
	// Once as it was, once as it is.
	p := receive(t, c.published)
	for len(p.Diagnostics) == 0 {
		p = receive(t, c.published)
	}
	if err := c.DidChangeConfiguration(c.ctx, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny(`{"ein":{"colour":"red"}}`)}); err != nil {
		t.Fatal(err)
	}
	if m := receive(t, c.messages); !strings.Contains(m.Message, "ein.colour") {
		t.Errorf("got %v", m)
	}
	if got := (settings{Profile: "core"}).profile(); got != check.Core {
		t.Errorf("got %v", got)
	}
	c.leave()
}

const showing = `{"workspace":{"textDocumentContent":{}},"window":{"workDoneProgress":true,"showDocument":{"support":true}}}`

// TestCommandShown: what a command prints comes as its result, and is shown as a
// document to those who can, as a message to others.
func TestCommandShown(t *testing.T) {
	for _, capabilities := range []string{showing, "{}"} {
		c := start(t, capabilities, Options{})
		c.open(testURI, small)
		result, err := c.ExecuteCommand(c.ctx, &protocol.ExecuteCommandParams{Command: commandRun, Arguments: []protocol.LSPAny{encoded(testURI)}})
		if err != nil {
			t.Fatal(err)
		}
		var text string
		if err := json.Unmarshal(result, &text); err != nil || !strings.Contains(text, "[1, 0]") {
			t.Errorf("%s, %v", result, err)
		}
		if capabilities == "{}" {
			if m := receive(t, c.messages); m.Message != strings.TrimSpace(text) {
				t.Errorf("got %v", m)
			}
		} else {
			doc := receive(t, c.documents)
			content, err := c.TextDocumentContent(c.ctx, &protocol.TextDocumentContentParams{URI: doc.URI})
			if err != nil || content.Text != text {
				t.Errorf("%v: %v, %v", doc.URI, content, err)
			}
			if begin, end := receive(t, c.progress), receive(t, c.progress); !strings.Contains(string(begin.Value), `"begin"`) || !strings.Contains(string(end.Value), `"end"`) {
				t.Errorf("got %s, %s", begin.Value, end.Value)
			}
		}
		c.leave()
	}
}

func TestShorten(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"ab\n", "ab"},
		{"0123456789", "0123456789"},
		{"01234\n56789", "01234\n... and 6 bytes more, which the command gives as its result"},
		{"0123456789é", "0123456789\n... and 2 bytes more, which the command gives as its result"},
	} {
		if got := shorten(test.text, 10); got != test.want {
			t.Errorf("%q: got %q", test.text, got)
		}
	}
}

// long is a program whose run takes far longer than any test.
const long = "A = ones(3000, 3000) + 0.5\nB[i,l] = A[i,j] A[j,k] A[k,l]\nC[i,l] = B[i,j] B[j,k] A[k,l]\n:print sum(C)\n"

// TestStopRun: a run ends when its progress or its request is cancelled, at its
// time limit, and is refused over the other limits.
func TestStopRun(t *testing.T) {
	run := func(c *testClient) error {
		_, err := c.ExecuteCommand(c.ctx, &protocol.ExecuteCommandParams{Command: commandRun, Arguments: []protocol.LSPAny{encoded(testURI)}})
		return err
	}
	c := start(t, showing, Options{Timeout: time.Hour, MaxOps: 1 << 50})
	c.open(testURI, long)
	stopped := make(chan error, 1)
	go func() { stopped <- run(c) }()
	begin := receive(t, c.progress)
	if err := c.WorkDoneProgressCancel(c.ctx, &protocol.WorkDoneProgressCancelParams{Token: begin.Token}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, receive(t, stopped), protocol.CodeRequestCancelled)
	// Shutdown stops it too, and it is answered all the same.
	go func() { stopped <- run(c) }()
	receive(t, c.progress) // the end of the first
	receive(t, c.progress)
	c.leave()
	wantCode(t, receive(t, stopped), protocol.CodeRequestCancelled)

	c = start(t, "", Options{Timeout: time.Millisecond, MaxOps: 1 << 50})
	c.open(testURI, long)
	if err := run(c); err == nil || !strings.Contains(err.Error(), "the time limit of 1ms is over") {
		t.Errorf("got %v", err)
	}
	c.leave()

	c = start(t, "", Options{MaxOps: 1000})
	c.open(testURI, long)
	if err := run(c); err == nil || !strings.Contains(err.Error(), "the limit is 1,000 operations") {
		t.Errorf("got %v", err)
	}
	c.leave()
}

// TestLibraryText: the place that a definition leads to is that of the name in the text
// that the server gives.
func TestLibraryText(t *testing.T) {
	c := start(t, showing, Options{})
	c.open(testURI, "A = edges([[0, 1]], 2)\nB = siblings(A, 0)\n")
	for line, name := range []string{"edges", "siblings"} {
		found, err := c.Definition(c.ctx, &protocol.DefinitionParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: testURI}, Position: protocol.Position{Line: uint32(line), Character: 5},
		}})
		if err != nil {
			t.Fatal(err)
		}
		at, ok := found.(protocol.LocationSlice)
		if !ok || len(at) != 1 {
			t.Fatalf("%s: %v", name, found)
		}
		content, err := c.TextDocumentContent(c.ctx, &protocol.TextDocumentContentParams{URI: at[0].URI})
		if err != nil {
			t.Fatal(err)
		}
		if span := newMapper(content.Text, utf16Units).span(at[0].Range); content.Text[span.Start:span.End] != name {
			t.Errorf("%s: %v leads to %q", name, at[0], content.Text[span.Start:span.End])
		}
	}
	c.leave()
}

// TestSymbolsOnDisk: definitions in files that are not open are found, as they are on
// the disk at the time; of an open one, the text of the editor counts.
func TestSymbolsOnDisk(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("sub/far.ein", "Far_one = 1\ninput Far_two: graph\nFar_bad = = 3\n")
	write("open.ein", "Far_old = 1\n")
	write(".git/no.ein", "Far_hidden = 1\n")
	write("node_modules/no.ein", "Far_package = 1\n")
	write("far.txt", "Far_text = 1\n")
	c := connect(t, Options{})
	params := &protocol.InitializeParams{}
	params.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{{URI: uri.File(dir), Name: "w"}})
	c.initialize(params)
	c.open(uri.File(filepath.Join(dir, "open.ein")), "Far_new = 1\n")
	find := func(want ...string) {
		t.Helper()
		result, err := c.Symbols(c.ctx, &protocol.WorkspaceSymbolParams{Query: "far_"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, sym := range result.(protocol.SymbolInformationSlice) {
			got = append(got, sym.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	find("Far_new", "Far_one", "Far_two")
	write("sub/far.ein", "Far_three = 1\n")
	find("Far_new", "Far_three")
	if err := os.Remove(filepath.Join(dir, "sub/far.ein")); err != nil {
		t.Fatal(err)
	}
	find("Far_new")
	write(".tools/own.ein", "Far_own = 1\n")
	write("sub/far.ein", "Far_four = 1\n")
	folder := func(u uri.URI) protocol.WorkspaceFolder { return protocol.WorkspaceFolder{URI: u, Name: "w"} }
	moved := &protocol.DidChangeWorkspaceFoldersParams{}
	moved.Event.Added = []protocol.WorkspaceFolder{
		folder(uri.File(filepath.Join(dir, "none"))), folder(uri.File(filepath.Join(dir, "sub"))), folder(uri.File(filepath.Join(dir, ".tools"))),
	}
	if err := c.DidChangeWorkspaceFolders(c.ctx, moved); err != nil {
		t.Fatal(err)
	}
	find("Far_new", "Far_four", "Far_own")
	moved.Event.Removed = append(moved.Event.Added, folder(uri.File(dir)))
	moved.Event.Added = []protocol.WorkspaceFolder{folder(uri.URI("vscode-vfs://github" + filepath.ToSlash(dir)))} // not of this machine
	if err := c.DidChangeWorkspaceFolders(c.ctx, moved); err != nil {
		t.Fatal(err)
	}
	find("Far_new")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "sub"), link); err == nil { // on Windows it takes rights
		moved.Event.Added = []protocol.WorkspaceFolder{folder(uri.File(link))}
		if err := c.DidChangeWorkspaceFolders(c.ctx, moved); err != nil {
			t.Fatal(err)
		}
		find("Far_new", "Far_four")
	}
	c.leave()

	c = connect(t, Options{MaxText: 20})
	c.initialize(params)
	write("a.ein", "Far_a = 1\n")
	find("Far_a")
	if m := receive(t, c.messages); !strings.Contains(m.Message, "open.ein is the first that is left out") {
		t.Errorf("got %v", m)
	}
	c.leave()
}

// TestValuesStay: a value stands behind its statement until something that it depends
// on is another, wherever the statement is then.
func TestValuesStay(t *testing.T) {
	for _, of := range []struct {
		text    string
		changes []struct{ text, want string }
	}{
		{"A = 1\nB = A + 1\nC = 5\n", []struct{ text, want string }{
			{"A = 1\nB = A + 1\nC = 5\n", "= 2"},
			{"A = 1\nD = = 3\n\nB = A + 1\nC = A\n", "= 2"},
			{"A = 1\nB = A + 1 \n", "= 2"},
			{"A = 3\nB = A + 1\n", ""},
			{"A = 1\nB = A + 2\n", ""},
			{"def f(x) = x\nA = 1\nB = A + 1\n", ""}, // it may be called in B
			{"A = 1\nB = A + 1\n", "= 2"},
		}},
		{"P(a, b).\nB = sum(Q)\nQ(x) <- P(x, _).\nQ(y) <- P(_, y).\n", []struct{ text, want string }{
			{"P(a, b). R(a).\nB = sum(Q)\nQ(x) <- P(x, _).\nQ(y) <- P(_, y).\n", "= 2"},
			{"P(a, b).\nB = sum(Q)\nQ(x) <- P(x, _).\nQ(y) <- P(y, _).\n", ""},
			{"P(a, b). P(b, a).\nB = sum(Q)\nQ(x) <- P(x, _).\nQ(y) <- P(_, y).\n", ""},
		}},
	} {
		c := start(t, "", Options{})
		c.open(testURI, of.text)
		if _, err := c.ExecuteCommand(c.ctx, &protocol.ExecuteCommandParams{
			Command: commandRunStatement, Arguments: []protocol.LSPAny{encoded(testURI), protocol.LSPAny(`{"line":1,"character":2}`)},
		}); err != nil {
			t.Fatal(err)
		}
		for i, test := range of.changes {
			c.replace(testURI, int32(i+2), test.text)
			hints, err := c.InlayHint(c.ctx, &protocol.InlayHintParams{
				TextDocument: protocol.TextDocumentIdentifier{URI: testURI}, Range: protocol.Range{End: protocol.Position{Line: 10}},
			})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, h := range hints {
				if label, ok := h.Label.(protocol.String); ok && strings.HasPrefix(string(label), "=") {
					got += string(label)
				}
			}
			if got != test.want {
				t.Errorf("%q: got %q, want %q", test.text, got, test.want)
			}
		}
		c.leave()
	}
}

func TestInOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"A = 3\n": "= 3", "A =\n  a  b\n  0  1\n": "= a b; 0 1", "A = 3\nB = {a, b}\n": "A = 3; B = {a, b}",
		"A = " + strings.Repeat("é", 100) + "\n": "= " + strings.Repeat("é", 78) + "…",
	} {
		if got := inOneLine(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestBind: an input that has no data is offered the files beside its program, and
// ein.toml then binds it; in a workspace that is trusted, and no other.
func TestBind(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[id]") // no pattern
	for name, text := range map[string]string{"a.csv": "x,y\ny,z\n", "data/owners.csv": "a,b\nb,c\n", "p.txt": "", ".hidden/owners.csv": ""} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	u := uri.File(filepath.Join(dir, "p.ein"))
	const capabilities = `"capabilities":{"textDocument":{"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["quickfix"]}}}}}`
	for _, trusted := range []string{"false", "true"} {
		c := connect(t, Options{})
		var params protocol.InitializeParams
		if err := protocol.Unmarshal([]byte(`{"processId":null,"rootUri":null,"initializationOptions":{"trusted":`+trusted+`},`+capabilities+`}`), &params); err != nil {
			t.Fatal(err)
		}
		c.initialize(&params)
		c.open(u, "input Owners: graph\nN = sum(Owners)\n:print N\n")
		offered := func() (list []*protocol.CodeAction) {
			t.Helper()
			actions, err := c.CodeAction(c.ctx, &protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}, Range: protocol.Range{
				Start: protocol.Position{Character: 7}, End: protocol.Position{Character: 7},
			}})
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range actions {
				if a, ok := a.(*protocol.CodeAction); ok && strings.HasPrefix(a.Title, "bind") {
					list = append(list, a)
				}
			}
			return list
		}
		list := offered()
		if trusted == "false" {
			if len(list) > 0 {
				t.Errorf("offered %v", list[0])
			}
			c.leave()
			continue
		}
		if len(list) != 2 || list[0].Title != "bind `Owners` to data/owners.csv in ein.toml" || list[1].Title != "bind `Owners` to a.csv in ein.toml" {
			t.Fatalf("offered %v", list)
		}
		if _, err := c.ExecuteCommand(c.ctx, &protocol.ExecuteCommandParams{Command: list[0].Command.Command, Arguments: list[0].Command.Arguments}); err != nil {
			t.Fatal(err)
		}
		if list := offered(); len(list) > 0 {
			t.Errorf("bound, and offered %v", list[0])
		}
		result, err := c.ExecuteCommand(c.ctx, &protocol.ExecuteCommandParams{Command: commandRun, Arguments: []protocol.LSPAny{encoded(u)}})
		if err != nil || !strings.Contains(string(result), "N = 2") {
			t.Errorf("%s, %v", result, err)
		}
		c.leave()
	}
}
