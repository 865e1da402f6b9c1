package repl

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

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
			if utf8.RuneCount(line)-1 > columns {
				b.Write(one.Bytes())
				r.showing.Full = false
				break
			}
		}
	}
	return b.Bytes()
}

// Page shows a text that is wider than the terminal, in the pager of the user or else
// in a small one.
func (t *Terminal) Page(text []byte) error {
	if words := strings.Fields(t.pager); len(words) > 0 {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), t.out, os.Stderr
		if cmd.Env = os.Environ(); os.Getenv("LESS") == "" {
			cmd.Env = append(cmd.Env, "LESS=-RS")
		}
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("the pager %s: %w", t.pager, err)
		}
		return nil
	}
	state, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return err
	}
	v := view{lines: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")}
	_, err = fmt.Fprint(t.out, "\x1b[?1049h") // the other screen
	var keyboard keys
	read := make([]byte, 64)
	for err == nil && !v.ended {
		if _, err = fmt.Fprint(t.out, v.draw(t.edit.size())); err != nil {
			break
		}
		var n int
		n, err = t.in.Read(read)
		for _, key := range keyboard.each(string(read[:n])) {
			v.press(key)
		}
	}
	_, _ = fmt.Fprint(t.out, "\x1b[?1049l")
	if restored := term.Restore(int(t.in.Fd()), state); err == nil {
		err = restored
	}
	return err
}

// each returns the keys in what was read.
func (k *keys) each(read string) (list []string) {
	for i := range len(read) {
		if k.decode(read[i : i+1]); k.ready != "" {
			list, k.ready = append(list, k.ready), ""
		}
	}
	return list
}

// view is a part of a text on a screen.
type view struct {
	lines         []string
	top, left     int
	columns, rows int // of the text, as it was drawn
	ended         bool
}

// side is how many columns an arrow key moves.
const side = 8

func (v *view) press(key string) {
	switch key {
	case "q", "Q", closeMenu + "\x03", "\x04":
		v.ended = true
	case "\x1b[A", "\x1bOA", "k":
		v.top--
	case "\x1b[B", "\x1bOB", "j", "\r":
		v.top++
	case "\x1b[D", "\x1bOD", "h":
		v.left -= side
	case "\x1b[C", "\x1bOC", "l":
		v.left += side
	case wordLeft:
		v.left -= v.columns
	case wordRight:
		v.left += v.columns
	case "\x1b[5~", "b":
		v.top -= v.rows
	case "\x1b[6~", " ":
		v.top += v.rows
	case "\x1b[H", "\x1bOH", "\x01", "g":
		v.top, v.left = 0, 0
	case "\x1b[F", "\x1bOF", "\x05", "G":
		v.top = len(v.lines)
	}
}

// draw is the screen of the text.
func (v *view) draw(columns, rows int) string {
	v.columns, v.rows = columns, max(1, rows-1)
	width := 0
	for _, line := range v.lines {
		width = max(width, utf8.RuneCountInString(line))
	}
	v.top = max(0, min(v.top, len(v.lines)-v.rows))
	v.left = max(0, min(v.left, width-columns))
	var b strings.Builder
	b.WriteString("\x1b[H")
	for i := range v.rows {
		if v.top+i < len(v.lines) {
			line := []rune(v.lines[v.top+i])
			b.WriteString(string(line[min(v.left, len(line)):min(v.left+columns, len(line))]))
		}
		b.WriteString("\x1b[K\r\n")
	}
	status := fmt.Sprintf("lines %d-%d of %d, columns %d-%d of %d; the arrows scroll, q leaves",
		v.top+1, min(v.top+v.rows, len(v.lines)), len(v.lines), v.left+1, min(v.left+columns, width), width)
	b.WriteString("\x1b[7m" + status[:min(len(status), columns-1)] + "\x1b[0m\x1b[K")
	return b.String()
}
