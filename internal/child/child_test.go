package child

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// TestKillChildren: what a script started ends with it. A pipe is at its end when no process has it.
func TestKillChildren(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it needs a shell")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "(echo started; sleep 60; echo alive >&3); true")
	cmd.ExtraFiles = []*os.File{w}
	p, err := Start(cmd, nil, 1000)
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	if line, err := p.Line(context.Background()); err != nil || !bytes.Equal(line, []byte("started")) {
		t.Fatalf("%q, %v", line, err)
	}
	p.Kill()
	if said, err := io.ReadAll(r); err != nil || len(said) > 0 {
		t.Errorf("a child went on: %q, %v", said, err)
	}
}
