package editors

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestVSCode installs the packaged extension in a real Visual Studio Code and uses it
// in a browser.
func TestVSCode(t *testing.T) {
	world := os.Getenv("EIN_VSCODE")
	if world == "" {
		t.Skip("NOT TESTED: EIN_VSCODE does not say where code-server and playwright-core are; make check-world installs them")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	dir, _ := workplace(t)
	pack := exec.CommandContext(t.Context(), "npm", "run", "package")
	pack.Dir = "vscode"
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), "node", "vscode/test/world.mjs", world, browser, filepath.Join(dir, "ein"), filepath.Join(dir, "vscode")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
