package repl

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ein/internal/golden"
	"ein/lang/diag"
)

// script is a terminal of which the keys are known.
type script struct {
	lines  []string
	record *bytes.Buffer
}

func (s *script) ReadLine(prompt string) (string, error) {
	if len(s.lines) == 0 {
		return "", io.EOF
	}
	line := s.lines[0]
	s.lines = s.lines[1:]
	s.record.WriteString(strings.TrimRight(prompt+line, " ") + "\n")
	return line, nil
}

func (s *script) Remember(string) {}

// replay enters the lines of a transcript, those that begin with a prompt, and
// gives the transcript of what came of it.
func replay(t *testing.T, s *Session, text string) string {
	var record bytes.Buffer
	keys := &script{record: &record}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		for _, p := range []string{prompt, continuation} {
			if line+" " == p {
				keys.lines = append(keys.lines, "")
			} else if rest, ok := strings.CutPrefix(line, p); ok {
				keys.lines = append(keys.lines, rest)
			}
		}
	}
	l := Loop{Session: s, Lines: keys, Out: to(&record), Err: &record, Text: diag.Text{}, Interactive: true,
		Context: func() (context.Context, func()) { return context.WithCancel(context.Background()) }}
	if err := l.Run(); err != nil {
		t.Error(err)
	}
	return record.String()
}

var (
	block      = regexp.MustCompile("(?ms)^(<!-- a new session -->\n)?```([a-z]+)([^\n]*)\n(.*?)^```\n")
	timing     = regexp.MustCompile(`(?m)^[0-9.]+(ns|µs|ms|s), `)
	transcript = regexp.MustCompile(`^ein> `)
)

// TestTranscripts enters what the transcripts show, and the page on sessions.
func TestTranscripts(t *testing.T) {
	pages, err := filepath.Glob("testdata/*.transcript")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../docs/repl.md", "../README.md") {
		t.Run(filepath.Base(page), func(t *testing.T) {
			b, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			text, files := string(b), folder{}
			s := New(Config{Files: files, Workers: 1})
			got := block.ReplaceAllStringFunc(text, func(all string) string {
				m := block.FindStringSubmatch(all)
				if m[1] != "" {
					s = New(Config{Files: files, Workers: 1})
				}
				if name, ok := strings.CutPrefix(strings.TrimSpace(m[3]), "name="); ok {
					files[name] = m[4]
				}
				if name, ok := strings.CutPrefix(strings.TrimSpace(m[3]), "saved="); ok {
					return m[1] + "```text" + m[3] + "\n" + files[name] + "```\n"
				}
				if m[2] != "text" || !transcript.MatchString(m[4]) {
					return all
				}
				shown := timing.ReplaceAllString(replay(t, s, m[4]), "1ms, ")
				return m[1] + "```text" + m[3] + "\n" + shown + "```\n"
			})
			golden.File(t, page, got)
		})
	}
}
