package editors

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestEmacs opens the program in an Emacs with the mode and eglot.
func TestEmacs(t *testing.T) {
	if out, err := exec.Command("emacs", "--batch", "-Q", "--eval",
		`(progn (dolist (d (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa-src/*")) (add-to-list 'load-path d)) (require 'eglot))`).CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: an Emacs with eglot: %v %s", err, out)
	}
	dir, file := workplace(t)
	cmd := exec.CommandContext(t.Context(), "emacs", "--batch", "-Q", "-l", "emacs/drive.el")
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "EIN_FILE="+file, "HOME="+dir)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, said.String())
	}
	for _, want := range []string{"3: ein [E0202]: there is no function `rech`", "ein-mode t font-lock-function-name-face",
		"input Pay(from: node) font-lock-keyword-face", "repeat 2 { font-lock-keyword-face"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s%s", want, out, said.String())
		}
	}
}
