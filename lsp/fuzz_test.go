package lsp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ein/lang/ide"
	"ein/lang/source"
)

func newTestFile(text string) *file {
	return (&file{uri: testURI, text: text, encoding: utf16Units}).finish()
}

func wholeText(text string) source.Span { return source.Span{End: len(text)} }

// slowEdit applies a change from the definition: in the units of UTF-16, line by
// line.
func slowEdit(text string, r protocol.Range, insert string) string {
	index := func(p protocol.Position) int {
		u := utf16.Encode([]rune(text))
		line := 0
		i := 0
		for line < int(p.Line) && i < len(u) {
			if u[i] == '\n' || u[i] == '\r' && (i+1 == len(u) || u[i+1] != '\n') {
				line++
			}
			i++
		}
		if line < int(p.Line) {
			return len(u)
		}
		for n := p.Character; n > 0 && i < len(u) && u[i] != '\n' && u[i] != '\r'; n-- {
			i++
		}
		if i > 0 && i < len(u) && utf16.IsSurrogate(rune(u[i])) && u[i] >= 0xdc00 {
			i-- // within a pair is before it
		}
		return i
	}
	start, end := index(r.Start), index(r.End)
	u := utf16.Encode([]rune(text))
	return string(utf16.Decode(u[:start])) + insert + string(utf16.Decode(u[end:]))
}

var snippets = []string{
	"", "\n", "\r\n", "A", "B = A + 1\n", "[", "]", "(", ")", "i,j", "# 𝔸 é\n", "tc(A)", ":print A\n", "\"𝔸\"", "= ",
	"edges([[0,1]], 3)", "def f(X) = tc(X)\n", "{", "}", "\r", " ", "0", "input G: graph\n",
}

// FuzzIncremental makes random edits and wants the text and the diagnostics to be
// those of a file that was opened with the last text.
func FuzzIncremental(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(small, seed)
	}
	f.Add("A = edges([[\"𝔸\",\"é\"]])\r\n# 中文\rB[i] = A[i,j]\n", uint64(9))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if len(text) > 2000 || strings.ToValidUTF8(text, "") != text {
			return
		}
		rng := rand.New(rand.NewPCG(seed, 0))
		now := newTestFile(text)
		want := text
		for version := int32(2); version < 12; version++ {
			if rng.IntN(2) == 0 {
				now.document() // else the next version is made without it
			}
			before, edits := now, 1+rng.IntN(3)
			m := now.mapper()
			next := now.text
			var changes []string
			for range edits {
				place := func() protocol.Position {
					p := m.position(rng.IntN(len(m.text) + 1))
					if rng.IntN(8) == 0 {
						p.Character += uint32(rng.IntN(4))
					}
					if rng.IntN(20) == 0 {
						p.Line += uint32(rng.IntN(3))
					}
					return p
				}
				a, b := place(), place()
				if b.Line < a.Line || b.Line == a.Line && b.Character < a.Character {
					a, b = b, a
				}
				insert := snippets[rng.IntN(len(snippets))]
				change := change{&protocol.Range{Start: a, End: b}, &insert}
				e, _, err := contentChange(m, change)
				if err != nil {
					t.Fatal(err)
				}
				want = slowEdit(next, *change.Range, insert)
				next = next[:e.Span.Start] + e.NewText + next[e.Span.End:]
				if next != want {
					t.Fatalf("%v in %q: got %q, want %q", *change.Range, m.text, next, want)
				}
				changes = append(changes, fmt.Sprint(*change.Range, " ", insert))
				m = newMapper(next, utf16Units)
			}
			now = now.edited(version, uint64(version), next)
			fresh := newTestFile(want)
			if got, want := summary(now.document()), summary(fresh.document()); got != want {
				t.Fatalf("%q after %q: diagnostics\n%s\nwant\n%s", before.text, changes, got, want)
			}
			if !slices.Equal(tokenData(now, wholeText(now.text)), tokenData(fresh, wholeText(want))) {
				t.Fatalf("%q after %q: other tokens", before.text, changes)
			}
		}
	})
}

func summary(d *ide.Document) string {
	return fmt.Sprintf("%q %+v", d.File().Source.Text, d.Diagnostics())
}

// FuzzFrames sends anything and wants nothing but messages that the library can
// read, whole and within the limit, and the good message at the end among them.
func FuzzFrames(f *testing.F) {
	const good = `{"jsonrpc":"2.0","id":1,"method":"last"}`
	last := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(good), good)
	for _, s := range []string{"", "x", "\r\n", "Content-Length: 5\r\n\r\n{", "Content-Length: 99999999999\r\n\r\n", "\xfb\xfbContent-Length: 5\r\n\r\n{", last, last + last, "Content-Length: 1\r\nContent-Length: 40\r\n\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 200
		wire := newFrames(struct {
			io.Reader
			io.Writer
			io.Closer
		}{io.MultiReader(bytes.NewReader(data), strings.NewReader("\r\n\r\n"+last)), io.Discard, io.NopCloser(nil)}, limit, slog.New(slog.DiscardHandler))
		stream := jsonrpc2.NewHeaderStream(wire)
		var last jsonrpc2.Message
		for {
			m, n, err := stream.Read(t.Context())
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("%q: %v", data, err)
				}
				break
			}
			if n > limit+64 {
				t.Fatalf("%q: a message of %d bytes", data, n)
			}
			last = m
		}
		// A length that is believed takes that much of what follows.
		if call, ok := last.(*jsonrpc2.Call); !bytes.Contains(bytes.ToLower(data), []byte("content-length")) && (!ok || call.Method() != "last") {
			t.Fatalf("%q: the last message is lost, got %v", data, last)
		}
	})
}

// FuzzMessages sends anything as one message and wants the server to answer a hover
// after it.
func FuzzMessages(f *testing.F) {
	for _, m := range served {
		f.Add(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"textDocument":{"uri":"file:///project/program.ein"},"position":{"line":0,"character":0},"range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}}}}`, m.method))
	}
	f.Add(`{"jsonrpc":"2.0","id":null,"method":"textDocument/hover"}`)
	f.Add(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1.5}}`)
	f.Add(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///project/program.ein","version":2},"contentChanges":[{"text":"A = 1"},{}]}}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, word := range []string{"shutdown", "exit", "didClose", `\`} { // the last could spell the others
			if strings.Contains(body, word) {
				return
			}
		}
		c := startRaw(t, Options{Log: slog.New(slog.DiscardHandler), Timeout: time.Millisecond})
		c.initialize()
		c.send(body)
		c.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///project/program.ein","languageId":"ein","version":1,"text":"A = 1"}}}`)
		c.alive(123456)
	})
}

// longProgram has a definition, a product or a comment on each line.
func longProgram(lines int) string {
	var b strings.Builder
	b.WriteString("A = edges([[0, 1], [1, 2], [2, 3]], 8)\nX1 = A\n")
	for i := 2; i < lines-1; i++ {
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, "X%d[i,k] = X%d[i,j] A[j,k] > 0\n", i, i-1)
		case 1:
			fmt.Fprintf(&b, "X%d = min(tc(X%d), 1)\n", i, i-1)
		case 2:
			fmt.Fprintf(&b, "X%d = transpose(X%d) # of line %d\n", i, i-1, i-1)
		default:
			fmt.Fprintf(&b, "X%d = X%d * A\n", i, i-1)
		}
	}
	fmt.Fprintf(&b, ":print X%d\n", lines-2)
	return b.String()
}

// BenchmarkEdit types a character into 2,000 lines and asks for completion, a hover, or
// all semantic tokens, over a pipe. It reports the median and the 99th percentile of the time from
// the change to the answer, in milliseconds.
func BenchmarkEdit(b *testing.B) {
	const lines = 2000
	defer debug.SetGCPercent(debug.SetGCPercent(GCPercent)) // as ein lsp does
	ask := map[string]func(*testClient, uint32) error{
		"completion": func(c *testClient, line uint32) error {
			_, err := c.Completion(c.ctx, &protocol.CompletionParams{TextDocumentPositionParams: place(testURI, line, 1)})
			return err
		},
		"hover": func(c *testClient, line uint32) error {
			_, err := c.hover(testURI, line, 0)
			return err
		},
		"tokens": func(c *testClient, _ uint32) error { // the client's own work does not count
			params := &protocol.SemanticTokensParams{TextDocument: protocol.TextDocumentIdentifier{URI: testURI}}
			_, err := c.conn.Call(c.ctx, protocol.MethodTextDocumentSemanticTokensFull, params, new(jsonrpc2.RawMessage))
			return err
		},
	}
	for _, name := range []string{"completion", "hover", "tokens"} {
		b.Run(name, func(b *testing.B) {
			c := start(b, "", Options{})
			c.open(testURI, longProgram(lines))
			rng := rand.New(rand.NewPCG(1, 1))
			var took []time.Duration
			version := int32(1)
			for b.Loop() {
				line := uint32(4 * (1 + rng.IntN(lines/4-2)))
				at := protocol.Position{Line: line, Character: 0}
				begin := time.Now()
				version++
				c.edit(testURI, version, protocol.Range{Start: at, End: at}, "Y")
				if err := ask[name](c, line); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begin))
				version++
				c.edit(testURI, version, protocol.Range{Start: at, End: protocol.Position{Line: line, Character: 1}}, "")
			}
			slices.Sort(took)
			ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
			b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
			b.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
			c.leave()
		})
	}
}
