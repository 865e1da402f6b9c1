package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"iter"
	"os"

	"ein/bench/exec/part"
	"ein/internal/version"
)

// records is where the records of a verb go: to a part that a killed command can go
// on with, to a file that appears when all of it is there, or nowhere.
type records struct {
	io.Writer
	part  *part.Writer // nil: begun anew each time
	next  func() ([]byte, error, bool)
	close func()
}

// writeRecords calls write with the place for the records of a file that is made
// from the two input files and the fields. Only when these can be read a second
// time, as standard input cannot, is there something to go on with.
func (a *app) writeRecords(ctx context.Context, out string, inputs [2]string, restart bool, from []part.Field, write func(*records) error) error {
	if out == "" {
		return write(&records{Writer: io.Discard})
	}
	if !regular(inputs[0]) || !regular(inputs[1]) || exists(out) && !regular(out) {
		return a.writeOnce(out, write)
	}
	all := []part.Field{{Name: "ein", Value: version.String()}}
	for i, what := range [2]string{"instances", "replies"} {
		sum, err := hashFile(ctx, inputs[i])
		if err != nil {
			return err
		}
		all = append(all, part.Field{Name: what, Value: sum})
	}
	p, err := part.Open(out, append(all, from...), restart)
	if err != nil {
		return a.notContinued(out, err)
	}
	if p.Done() > 0 {
		a.printf("ein: going on after %s in %s.part\n", plural(p.Done(), "record"), out)
	}
	r := &records{Writer: p, part: p}
	r.next, r.close = r.lines()
	defer r.close()
	err = write(r)
	if err == nil {
		switch _, more, readErr := r.again(); {
		case readErr != nil:
			err = readErr
		case more:
			err = a.notOurs(out, "nothing")
		}
	}
	var input *problem
	switch {
	case err == nil:
		return p.Commit()
	case ctx.Err() != nil:
		message, _ := stopMessage(ctx)
		if err := p.Close(); err != nil {
			return err
		}
		a.printf("ein: %s: what was done is in %s.part: the same command line goes on from there\n", message, out)
		return status(exitOutside)
	case errors.As(err, &input):
		// The input has to be mended, and what was made from it is of no use then.
		return errors.Join(err, p.Discard())
	}
	return errors.Join(err, p.Close())
}

// writeOnce calls write with the place for the records of a file that is begun anew
// each time.
func (a *app) writeOnce(out string, write func(*records) error) error {
	return replaceWith(out, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<16)
		if err := write(&records{Writer: b}); err != nil {
			return err
		}
		return b.Flush()
	})
}

// interrupted makes the end of a context a reason outside, wherever it was noticed:
// the same command line begins again, or goes on.
func (a *app) interrupted(ctx context.Context, err error) error {
	var told status
	if err == nil || ctx.Err() == nil || errors.As(err, &told) {
		return err
	}
	message, _ := stopMessage(ctx)
	a.printf("ein: %s\n", message)
	return status(exitOutside)
}

// done is how many records there were when the file was opened.
func (r *records) done() int {
	if r.part == nil {
		return 0
	}
	return r.part.Done()
}

// again is the next record that was there when the file was opened; it is false
// where there is none.
func (r *records) again() ([]byte, bool, error) {
	if r.part == nil {
		return nil, false, nil
	}
	line, err, ok := r.next()
	return line, ok, err
}

// lines reads the records that are there, one at a time.
func (r *records) lines() (func() ([]byte, error, bool), func()) {
	enough := errors.New("enough")
	return iter.Pull2(func(yield func([]byte, error) bool) {
		err := r.part.Read(func(line []byte) error {
			if !yield(line, nil) {
				return enough
			}
			return nil
		})
		if err != nil && !errors.Is(err, enough) {
			yield(nil, err)
		}
	})
}

// notContinued is a part that cannot be gone on with.
func (a *app) notContinued(out string, err error) error {
	var other *part.Other
	switch {
	case errors.As(err, &other):
		for _, d := range other.Diff {
			a.printf("ein: %s\n", d)
		}
		return a.usage("%s.part was begun with something else: give what it was begun with, or --restart to begin anew", out)
	case errors.Is(err, part.ErrNoHeader):
		return a.usage("%s.part is there, and not what it was made from: give --restart to begin anew", out)
	}
	return err
}

// notOurs is a record that is not what it should be.
func (a *app) notOurs(out, id string) error {
	return a.usage("%s.part has something else in the place of %s: give --restart to begin anew", out, id)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func regular(name string) bool {
	info, err := os.Stat(name)
	return name != "-" && err == nil && info.Mode().IsRegular()
}

func hashFile(ctx context.Context, name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", unreadable(name, err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, reader{f, ctx}); err != nil {
		if ctx.Err() != nil {
			return "", stopped(ctx)
		}
		return "", unreadable(name, err)
	}
	return "sha256 " + hex.EncodeToString(h.Sum(nil)), nil
}

// restartHelp is what the verbs say about files that were begun.
const restartHelp = `While FILE is written it is FILE.part, with what it is made from in FILE.part.json.
A command that was killed or interrupted goes on from there when it is given again;
with other instances, replies or limits it is refused, and --restart begins anew.
FILE appears only when it is complete.`
