package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ein/internal/golden"
	"ein/lang/source"
)

// capable is the capabilities of an editor that has everything, for the archives
// that have no file capabilities.json.
const capable = `{
"general": {"positionEncodings": ["utf-16"]},
"textDocument": {
  "publishDiagnostics": {"versionSupport": true, "relatedInformation": true, "tagSupport": {"valueSet": [1, 2]}},
  "hover": {"contentFormat": ["markdown", "plaintext"]},
  "completion": {"completionItem": {"snippetSupport": true, "labelDetailsSupport": true, "documentationFormat": ["markdown"]}, "completionItemKind": {"valueSet": [1]}},
  "signatureHelp": {"signatureInformation": {"documentationFormat": ["markdown"], "parameterInformation": {"labelOffsetSupport": true}}},
  "rename": {"prepareSupport": true},
  "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
  "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor", "source"]}}}},
"workspace": {"workspaceEdit": {"documentChanges": true}, "textDocumentContent": {}}}`

// marker is a request in a test program: a comment line below the line it is about.
//
//	B = tc(A)
//	#      ^ hover
//	#   ^^^^^ actions
//
// Columns are characters. Of several ^ the first and the last bound a range. #< is
// about the start of the line. Marker lines are not part of the program.
type marker struct {
	at        source.Span
	verb, arg string
	line      int // of the program, from 1
}

func readMarkers(text string) (program string, list []marker) {
	var out strings.Builder
	start, line, last := 0, 0, ""
	for l := range strings.Lines(text) {
		rest, isMarker := strings.CutPrefix(l, "#")
		rest = strings.TrimRight(rest, "\n")
		left := strings.TrimLeft(rest, " ")
		if !isMarker || left == "" || left[0] != '^' && rest[0] != '<' {
			start, last = out.Len(), l
			out.WriteString(l)
			line++
			continue
		}
		column, n, words := 0, 1, rest[1:]
		if rest[0] != '<' {
			column = 1 + len(rest) - len(left)
			n = len(left) - len(strings.TrimLeft(left, "^"))
			words = left[n:]
		}
		offset := func(column int) int {
			for i := range last {
				if column--; column < 0 {
					return start + i
				}
			}
			return start + len(last)
		}
		m := marker{line: line}
		m.verb, m.arg, _ = strings.Cut(strings.TrimSpace(words), " ")
		m.at = source.Span{Start: offset(column), End: offset(column)}
		if n > 1 {
			m.at.End = offset(column + n)
		}
		list = append(list, m)
	}
	return out.String(), list
}

// verbs are the requests by the words of markers. The parameters get the position
// or the range of the marker where they have room for it.
var verbs = map[string]struct {
	method string
	params func(m marker) map[string]any
}{
	"hover":       {protocol.MethodTextDocumentHover, nil},
	"complete":    {protocol.MethodTextDocumentCompletion, nil},
	"signature":   {protocol.MethodTextDocumentSignatureHelp, nil},
	"definition":  {protocol.MethodTextDocumentDefinition, nil},
	"highlights":  {protocol.MethodTextDocumentDocumentHighlight, nil},
	"prepare":     {protocol.MethodTextDocumentPrepareRename, nil},
	"symbols":     {protocol.MethodTextDocumentDocumentSymbol, nil},
	"tokens":      {protocol.MethodTextDocumentSemanticTokensFull, nil},
	"tokenrange":  {protocol.MethodTextDocumentSemanticTokensRange, nil},
	"hints":       {protocol.MethodTextDocumentInlayHint, nil},
	"format":      {protocol.MethodTextDocumentFormatting, formatting},
	"formatrange": {protocol.MethodTextDocumentRangeFormatting, formatting},
	"folds":       {protocol.MethodTextDocumentFoldingRange, nil},
	"lenses":      {protocol.MethodTextDocumentCodeLens, nil},
	"references": {protocol.MethodTextDocumentReferences, func(m marker) map[string]any {
		return map[string]any{"context": map[string]any{"includeDeclaration": m.arg != "uses"}}
	}},
	"rename":  {protocol.MethodTextDocumentRename, func(m marker) map[string]any { return map[string]any{"newName": m.arg} }},
	"content": {protocol.MethodWorkspaceTextDocumentContent, func(m marker) map[string]any { return map[string]any{"uri": m.arg} }},
	"find":    {protocol.MethodWorkspaceSymbol, func(m marker) map[string]any { return map[string]any{"query": m.arg} }},
	"type": {protocol.MethodTextDocumentOnTypeFormatting, func(m marker) map[string]any {
		return map[string]any{"ch": strings.ReplaceAll(m.arg, "newline", "\n"), "options": map[string]any{"tabSize": 2, "insertSpaces": true}}
	}},
	"actions": {protocol.MethodTextDocumentCodeAction, func(m marker) map[string]any {
		context := map[string]any{"diagnostics": []any{}}
		if m.arg != "" {
			context["only"] = strings.Fields(m.arg)
		}
		return map[string]any{"context": context}
	}},
}

func formatting(marker) map[string]any {
	return map[string]any{"options": map[string]any{"tabSize": 2, "insertSpaces": true}}
}

// ask sends the request of a marker and gives the answer as text.
func ask(t *testing.T, c *testClient, u uri.URI, m *mapper, mark marker) string {
	t.Helper()
	if mark.verb == "selection" {
		return answer(t, c, protocol.MethodTextDocumentSelectionRange, map[string]any{
			"textDocument": map[string]any{"uri": u}, "positions": []any{m.position(mark.at.Start)},
		})
	}
	if mark.verb == "value" {
		return answer(t, c, protocol.MethodWorkspaceExecuteCommand, map[string]any{"command": commandRunStatement, "arguments": []any{u, m.position(mark.at.Start)}})
	}
	if mark.verb == "run" || mark.verb == "cost" || mark.verb == "explain" || mark.verb == "explainCode" {
		arg := string(u)
		if mark.arg != "" {
			arg = mark.arg
		}
		return answer(t, c, protocol.MethodWorkspaceExecuteCommand, map[string]any{"command": "ein." + mark.verb, "arguments": []any{arg}})
	}
	verb, ok := verbs[mark.verb]
	if !ok {
		t.Fatalf("there is no marker %q", mark.verb)
	}
	span := m.rangeOf(mark.at)
	if mark.verb == "hints" {
		span = m.rangeOf(source.Span{End: len(m.text)})
	}
	params := map[string]any{"textDocument": map[string]any{"uri": u}, "position": span.Start, "range": span}
	if verb.params != nil {
		maps.Copy(params, verb.params(mark))
	}
	return answer(t, c, verb.method, params)
}

func answer(t *testing.T, c *testClient, method string, params any) string {
	t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	var result jsonrpc2.RawMessage
	if _, err := c.conn.Call(c.ctx, method, jsonrpc2.RawMessage(raw), &result); err != nil {
		return "error: " + err.Error() + "\n"
	}
	return readable(t, result)
}

// readable is JSON for the eye: ranges are line:column-line:column from 0, texts of
// several lines are shown below each other.
func readable(t *testing.T, raw []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	var b bytes.Buffer
	write(&b, v, "")
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func write(b *bytes.Buffer, v any, indent string) {
	position := func(v any) (string, bool) {
		m, _ := v.(map[string]any)
		if m["line"] == nil || len(m) != 2 {
			return "", false
		}
		return fmt.Sprintf("%v:%v", m["line"], m["character"]), true
	}
	switch v := v.(type) {
	case map[string]any:
		if p, ok := position(v); ok {
			fmt.Fprintf(b, "%s\n", p)
			return
		}
		from, okFrom := position(v["start"])
		to, okTo := position(v["end"])
		if okFrom && okTo {
			fmt.Fprintf(b, "%s-%s\n", from, to)
			return
		}
		if len(indent) > 0 {
			b.WriteByte('\n')
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			fmt.Fprintf(b, "%s%s: ", indent, key)
			write(b, v[key], indent+"  ")
		}
	case []any:
		if len(v) == 0 {
			b.WriteString("none\n")
			return
		}
		if _, numbers := v[0].(float64); numbers {
			for i, x := range v {
				if i%5 == 0 { // semantic tokens have five
					fmt.Fprintf(b, "\n%s", indent)
				}
				fmt.Fprintf(b, "%v ", x)
			}
			b.WriteByte('\n')
			return
		}
		b.WriteByte('\n')
		for _, x := range v {
			fmt.Fprintf(b, "%s- ", indent)
			write(b, x, indent+"  ")
		}
	case string:
		if strings.Contains(v, "\n") {
			for line := range strings.Lines(v) {
				fmt.Fprintf(b, "\n%s| %s", indent, strings.TrimRight(line, "\n"))
			}
			b.WriteByte('\n')
			return
		}
		fmt.Fprintf(b, "%s\n", v)
	default:
		fmt.Fprintf(b, "%v\n", v)
	}
}

// TestMarkers asks what the archives in testdata ask and compares with the answers
// in them. The files of an archive are open at once; its diagnostics come first.
func TestMarkers(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { runArchive(t, name) })
	}
}

func runArchive(t *testing.T, name string) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	capabilities, settings := capable, "null"
	dir := t.TempDir()
	wanted := map[string]string{}
	var programs []txtar.File
	var kept []txtar.File
	for _, f := range archive.Files {
		switch {
		case strings.HasSuffix(f.Name, ".want"):
			wanted[f.Name] = string(f.Data)
			continue
		case f.Name == "capabilities.json":
			capabilities = string(f.Data)
		case f.Name == "settings.json":
			settings = string(f.Data)
		case strings.HasSuffix(f.Name, ".ein"):
			programs = append(programs, f)
		default: // data
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		kept = append(kept, f)
	}
	c := connect(t, Options{})
	var params protocol.InitializeParams
	if err := protocol.Unmarshal([]byte(`{"processId":null,"rootUri":null,"initializationOptions":`+settings+`,"capabilities":`+capabilities+`}`), &params); err != nil {
		t.Fatal(err)
	}
	result := c.initialize(&params)
	encoding := map[protocol.PositionEncodingKind]encoding{
		protocol.PositionEncodingKindUTF8: utf8Units, protocol.PositionEncodingKindUTF16: utf16Units, protocol.PositionEncodingKindUTF32: utf32Units,
	}[result.Capabilities.PositionEncoding]
	type opened struct {
		u       uri.URI
		m       *mapper
		markers []marker
	}
	var files []opened
	for _, f := range programs {
		text, markers := readMarkers(string(f.Data))
		o := opened{uri.File(filepath.Join(dir, f.Name)), newMapper(text, encoding), markers}
		c.open(o.u, text)
		files = append(files, o)
	}
	published := map[uri.URI]*protocol.PublishDiagnosticsParams{}
	pending := len(files)
	// Data is read after the first check, and its diagnostics come with another.
	bound := 0
	if settings != "null" {
		bound = len(files)
	}
	c.pause()
	for range pending + bound {
		p := receive(t, c.published)
		published[p.URI] = p
	}
	for i, f := range programs {
		o := files[i]
		var b strings.Builder
		raw, err := protocol.Marshal(published[o.u])
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("== diagnostics\n" + readable(t, raw))
		for _, mark := range o.markers {
			head := fmt.Sprintf("== line %d %q %s %s", mark.line, o.m.text[mark.at.Start:mark.at.End], mark.verb, mark.arg)
			b.WriteString(strings.TrimRight(head, " ") + "\n" + ask(t, c, o.u, o.m, mark))
		}
		got := b.String()
		got = strings.ReplaceAll(got, string(uri.File(dir)), "file:///DIR")
		got = strings.ReplaceAll(got, dir, "DIR")
		want := f.Name + ".want"
		if *golden.Update {
			kept = append(kept, txtar.File{Name: want, Data: []byte(got)})
		} else {
			golden.Same(t, f.Name, got, wanted[want])
		}
	}
	if *golden.Update && !t.Failed() {
		archive.Files = kept
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c.leave()
}
