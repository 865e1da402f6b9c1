package benchmark

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"ein"
	"ein/cmd/ein/internal/cli"
	"ein/lang/diag"
)

// TestInterrupted has one exit code for an interrupt, whatever was being done.
func TestInterrupted(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx       context.Context
		err, want error
		says      string
	}{
		{ended, cli.Stopped(ended), cli.Status(cli.ExitOutside), "ein: interrupted\n"},
		{ended, cli.Status(cli.ExitOutside), cli.Status(cli.ExitOutside), ""}, // told already
		{ended, nil, nil, ""},
		{t.Context(), io.ErrUnexpectedEOF, io.ErrUnexpectedEOF, ""},
	} {
		var told bytes.Buffer
		a := &cli.App{Err: &told}
		if got := interrupted(c.ctx, a, c.err); !errors.Is(got, c.want) || told.String() != c.says {
			t.Errorf("%v: %v, %q", c.err, got, told.String())
		}
	}
}

// TestInterruptedAudit: the learners take the most time.
func TestInterruptedAudit(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	python, err := os.Executable() // no Python, but nothing waits for it
	if err != nil {
		t.Fatal(err)
	}
	var e *ein.Error
	if _, err := (&auditFlags{python: python}).report(ended, &cli.App{Err: io.Discard}, nil, nil); !errors.As(err, &e) || e.Class() != diag.Limit {
		t.Errorf("%v", err)
	}
}
