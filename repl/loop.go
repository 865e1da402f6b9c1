package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"ein/internal/codes"
	"ein/lang/describe"
	"ein/lang/diag"
)

// ErrInterrupt is what a LineReader returns when the user gives up the line.
var ErrInterrupt = errors.New("interrupted")

// ErrLeave is what a LineReader returns when the user asks to leave.
var ErrLeave = fmt.Errorf("leave: %w", io.EOF)

// LineReader reads lines without their ends. At the end of the input it returns io.EOF, alone or with
// the last line. A terminal shows the prompt and keeps a history; other inputs do neither.
type LineReader interface {
	ReadLine(prompt string) (string, error)
	Remember(entry string)
}

// lookAlways is the length of an entry up to which each new line is followed by a check whether the
// entry can still become right. Beyond, the check comes only when the length has doubled.
const lookAlways = 1 << 11

// The prompts.
const (
	prompt       = "ein> "
	continuation = "...> "
)

// Loop runs a session on lines until they end or :quit.
type Loop struct {
	Session *Session
	Lines   LineReader
	Out     func(context.Context) io.Writer // results; a write may end with the context
	Err     io.Writer                       // diagnostics
	Text    diag.Text                       // how diagnostics are shown
	// Interactive says that a person is typing: notes are shown, and a failed entry does not
	// make the session fail.
	Interactive bool
	// Page shows a text that is wider than the terminal; nil if there is no terminal.
	Page func(text []byte) error
	// Context gives each entry its context, which ends when the user stops the entry or its
	// time is over, while it runs or while its results are written.
	Context func() (context.Context, func())

	partial string // the lines so far of an entry that goes on
}

// The errors of Run.
var (
	ErrFailed = errors.New("an entry failed")
	ErrLimit  = errors.New("an entry was refused or stopped by a limit")
	ErrBug    = errors.New("a bug in the session")
)

// Run returns the worst of ErrLimit, ErrFailed and ErrBug that happened to an entry, or the error of
// reading or writing. In an interactive session only a bug counts.
func (l *Loop) Run() error {
	var outcome error
	for {
		entry, err := l.entry()
		if errors.Is(err, ErrInterrupt) {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		ended := err != nil
		work := []func(context.Context) Reply{}
		if entry != "" {
			work = append(work, func(ctx context.Context) Reply { return l.Session.Eval(ctx, entry) })
		}
		if ended && !l.Interactive {
			work = append(work, l.Session.last)
		}
		for _, w := range work {
			r, err := l.eval(w)
			if err == nil && len(r.wide) > 0 {
				if failed := l.Page(r.wide); failed != nil {
					_ = l.Text.Render(l.Err, failure("%v", failed).Diags, nil)
				}
			}
			if err == nil && l.Interactive && r.ask != "" {
				var answer string
				answer, err = l.Lines.ReadLine(r.ask)
				if answer = strings.ToLower(strings.TrimSpace(answer)); answer == "y" || answer == "yes" {
					r, err = l.eval(r.then)
				} else if errors.Is(err, ErrInterrupt) || errors.Is(err, ErrLeave) {
					err = nil
				}
			}
			if err != nil {
				return err
			}
			switch {
			case r.Bug != "":
				outcome = ErrBug
			case l.Interactive || !r.Failed || errors.Is(outcome, ErrBug):
			case !r.Limit:
				outcome = ErrFailed
			case outcome == nil:
				outcome = ErrLimit
			}
			if r.Quit {
				return outcome
			}
		}
		if ended {
			return outcome
		}
	}
}

// eval runs an entry in a context of its own, and shows the result.
func (l *Loop) eval(work func(context.Context) Reply) (Reply, error) {
	ctx, stop := l.Context()
	defer stop()
	r := work(ctx)
	if l.Interactive && r.ask != "" {
		return r, nil
	}
	if l.Page != nil {
		r.wide = r.paged(ctx, l.Session.width())
	}
	before := l.newline(ctx)
	err := l.show(ctx, &r)
	if !l.Interactive && errors.Is(context.Cause(ctx), context.Canceled) {
		_, _ = io.WriteString(l.Err, "interrupted: the entries after this one were not read\n")
		r.Failed, r.Quit = true, true
	}
	if err == nil || ctx.Err() == nil {
		return r, err
	}
	if !before {
		l.newline(ctx)
	}
	late := refusal(codes.E0533, "", describe.Reason(context.Cause(ctx))+", while the results were being shown: they are incomplete", "")
	_ = l.Text.Render(l.Err, late.Diags, nil)
	r.Failed, r.Limit = true, !errors.Is(context.Cause(ctx), context.Canceled)
	return r, nil
}

// newline ends the line after a ^C.
func (l *Loop) newline(ctx context.Context) bool {
	if !l.Interactive || !errors.Is(context.Cause(ctx), context.Canceled) {
		return false
	}
	_, _ = io.WriteString(l.Err, "\n")
	return true
}

// entry reads lines until they make a complete entry.
func (l *Loop) entry() (string, error) {
	var b strings.Builder
	var open openings
	due := 0 // the length at which to check again whether the entry can become right
	shown := prompt
	defer func() { l.partial = "" }()
	for {
		l.partial = b.String()
		line, err := l.Lines.ReadLine(shown)
		if errors.Is(err, ErrInterrupt) {
			return "", err
		}
		if errors.Is(err, ErrLeave) && b.Len() > 0 {
			l.Lines.Remember(b.String())
			_, _ = io.WriteString(l.Err, "the entry was not whole: it is in the history, and Up brings it back\n")
			return "", ErrInterrupt
		}
		if err != nil && (!errors.Is(err, io.EOF) || line == "") {
			if l.Interactive && b.Len() > 0 {
				return "", err // the terminal has gone
			}
			return b.String(), err
		}
		b.WriteString(line + "\n")
		open.add(line + "\n")
		more := err == nil && open.goesOn()
		if more && b.Len() >= due {
			more = l.Session.Incomplete(b.String())
			if b.Len() > lookAlways {
				due = 2 * b.Len()
			}
		}
		if more {
			shown = continuation
			continue
		}
		l.Lines.Remember(b.String())
		return b.String(), err
	}
}

// show writes a reply: diagnostics first, as they may say how to read the result.
func (l *Loop) show(ctx context.Context, r *Reply) error {
	_ = l.Text.Render(l.Err, r.Diags, r.File)
	if r.Bug != "" {
		_, _ = fmt.Fprintf(l.Err, "ein: this is a bug in ein, not in what you entered: %s\nThe session is as it was before. Please report it with the entry, the output of `ein version`, and the above.\n", r.Bug)
	}
	out := l.Out(ctx)
	if err := r.Print(ctx, out); err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	if !l.Interactive || r.Note == "" {
		return nil
	}
	note := r.Note
	if l.Text.Color {
		note = "\x1b[2m" + strings.TrimSuffix(note, "\n") + "\x1b[0m\n"
	}
	_, err := io.WriteString(out, note)
	return err
}

// Complete returns what can stand at pos in the line being read: texts to replace line[start:pos].
func (l *Loop) Complete(line string, pos int) (start int, words []string) {
	start, words = l.Session.Complete(l.partial+line, len(l.partial)+pos)
	if start -= len(l.partial); start < 0 {
		return pos, nil
	}
	return start, words
}
