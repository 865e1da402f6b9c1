package repl

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"ein/internal/table"
	"ein/lang/show"
)

// maxPaged bounds the elements of a matrix that is shown in a pager.
const maxPaged = 1 << 18

// paged returns the matrices of a reply that are wider than the terminal, in full, and cuts them in
// the reply.
func (r *Reply) paged(ctx context.Context, columns int) []byte {
	var b bytes.Buffer
	for i := range r.values {
		s := r.values[i].Value.Shape
		if r.mode != show.Table || columns == 0 || s.Rank() < 2 || s.Elems() > maxPaged {
			continue
		}
		var one bytes.Buffer
		opt := r.showing
		opt.Full, opt.Columns = true, maxPaged
		if show.Text(ctx, &one, &r.values[i], opt) != nil {
			return nil // the context has ended
		}
		for line := range bytes.Lines(one.Bytes()) {
			if table.Width(string(line))-1 > columns {
				b.Write(one.Bytes())
				r.showing.Full = false
				break
			}
		}
	}
	return b.Bytes()
}

// Pager returns what shows a text in a pager, which is a command such as less; nil if there is no
// such command.
func Pager(command string, out io.Writer) func(text []byte) error {
	words := strings.Fields(command)
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil
	}
	return func(text []byte) error {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), out, os.Stderr
		if cmd.Env = os.Environ(); os.Getenv("LESS") == "" {
			cmd.Env = append(cmd.Env, "LESS=-RS")
		}
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("the pager %s: %w", command, err)
		}
		return nil
	}
}
