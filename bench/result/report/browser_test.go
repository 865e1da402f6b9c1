package report

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ein/bench/ask/run"
)

// TestSaid: a reply is shown with the turns before it, programs in lines.
func TestSaid(t *testing.T) {
	got := said([]run.Turn{{Reasoning: "Hm.", Text: "Try.", Calls: []run.ToolCall{{Tool: "run", Args: `{"program":"a\nb"}`, Result: "no"}, {Tool: "check", Args: "{"}}}})
	if want := "Hm.\nTry.\n[turn 1: run]\na\nb\n[answer]\nno\n\n[turn 1: check]\n{\n[answer]\n\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestBrowser uses the page in a real browser.
func TestBrowser(t *testing.T) {
	world := os.Getenv("EIN_VSCODE")
	if world == "" {
		t.Skip("NOT TESTED: EIN_VSCODE does not say where playwright-core is; make check-world installs it")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	page := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(page, []byte(htmlOf(t, makeReport(t, Options{}, madeRuns(t, 2)...))), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "node", "testdata/page.mjs", world, browser, page).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
