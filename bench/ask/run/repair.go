package run

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ein/internal/job"
)

// Repaired is what Repair found.
type Repaired struct {
	Good    int // replies that are kept as they are
	Missing int // replies that the run asks for and does not have, afterwards
	Bad     []BadLine
	Done    bool // the file was rewritten; false if nothing is wrong, or in a dry run
}

// BadLine is a damaged line of the replies.
type BadLine struct {
	Line   int
	Offset int64 // in bytes
	Length int   // without the newline
	Reason string
	Tail   bool // the last, which opening the run takes off by itself
	// Salvaged is a reply at the end of the line: a line that was cut off and then
	// continued with the next one.
	Salvaged *Key
}

// Repair says which replies of a run are damaged and, unless it is a dry run, moves the bad lines to
// replies.jsonl.bad and keeps the others byte for byte. Resuming the run asks for the lost replies
// again. The scores are removed and have to be made again.
//
// It repairs only replies: without run.json and instances.jsonl, nothing says what was asked.
func Repair(dir string, dryRun bool) (*Repaired, error) {
	if !dryRun {
		if _, err := readConfig(dir); err != nil {
			return nil, err
		}
		lock, err := acquire(dir)
		if err != nil {
			return nil, err
		}
		defer func() { _ = lock.Close() }()
	}
	r, err := readFrame(dir, true)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, RepliesFile)
	if !exists(name) {
		return nil, fmt.Errorf("%s: the file is missing; an empty one stands for a run without replies", name)
	}
	found, err := r.sift(name, io.Discard, io.Discard)
	if err != nil || dryRun || len(found.Bad) == 0 {
		return found, err
	}
	bad, err := os.OpenFile(filepath.Join(dir, badFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	side := bufio.NewWriter(bad)
	err = job.Replace(name, func(w io.Writer) error {
		if _, err := r.sift(name, w, side); err != nil {
			return err
		}
		// The bad lines are on disk before the file that has them is gone.
		if err := side.Flush(); err != nil {
			return err
		}
		if err := bad.Sync(); err != nil {
			return err
		}
		return dropScores(dir)
	})
	if err = errors.Join(err, bad.Close()); err != nil {
		return nil, err
	}
	found.Done = true
	return found, nil
}

// sift separates the good and the bad lines of the replies.
func (r *Run) sift(name string, good, bad io.Writer) (*Repaired, error) {
	out := &Repaired{}
	c := newCollector(r)
	last := 0 // line
	err := job.FileLines(name, func(l *job.Line) error {
		last = l.Number
		_, _, err := c.take(l)
		if err == nil {
			out.Good++
			return write(good, l.Text)
		}
		if _, ok := errors.AsType[*FileError](err); ok {
			return err // the lines are good: it is run.json that is not
		}
		b := BadLine{Line: l.Number, Offset: l.Offset, Length: len(l.Text), Reason: err.Error(), Tail: !errors.Is(err, errForeign)}
		rest := l.Text
		if at, key := c.salvage(l); at > 0 {
			b.Salvaged = key
			out.Good++
			if err := write(good, l.Text[at:]); err != nil {
				return err
			}
			rest = l.Text[:at]
		}
		out.Bad = append(out.Bad, b)
		return write(bad, rest)
	})
	if err != nil {
		return nil, err
	}
	out.Missing = len(r.Rows) - out.Good
	for i := range out.Bad {
		b := &out.Bad[i]
		b.Tail = b.Tail && b.Line == last && b.Salvaged == nil
	}
	return out, nil
}

func write(w io.Writer, line []byte) error {
	_, err := w.Write(append(bytes.Clone(line), '\n'))
	return err
}

// begin is the beginning of the line of a reply. It cannot occur within one, where quotes are
// escaped.
const begin = `{"id":`

// salvage finds a whole reply after a piece of another in one line.
func (c *collector) salvage(l *job.Line) (int, *Key) {
	if l.TooLong || !l.Terminated {
		return 0, nil
	}
	const tries = 16
	end := len(l.Text)
	for range tries {
		at := bytes.LastIndex(l.Text[:end], []byte(begin))
		if at <= 0 {
			return 0, nil
		}
		rest := *l
		rest.Text = l.Text[at:]
		if reply, _, err := c.take(&rest); err == nil {
			return at, &reply.Key
		}
		end = at
	}
	return 0, nil
}
