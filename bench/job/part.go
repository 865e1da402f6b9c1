// Package job writes files of records, one a line, that a killed process can go on
// with: while FILE is written it is FILE.part, and FILE.part.json says what it is
// made from. FILE appears only when it is complete.
package job

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ein/bench/durable"
)

// Field is a name and a value of what a file is made from.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// The names behind that of the file.
const (
	suffix = ".part"
	header = ".part.json"
)

// Other is a part that was made from something else.
type Other struct {
	File string
	Diff []string // name: then, not now
}

func (e *Other) Error() string {
	return fmt.Sprintf("%s%s was begun with something else: %s", e.File, suffix, strings.Join(e.Diff, "; "))
}

// ErrInUse is a part that another process writes.
var ErrInUse = errors.New("another process writes it")

// ErrNoHeader is a part of which it is not known what it is made from.
var ErrNoHeader = errors.New("there is a " + suffix + " without a " + header)

// A batch is written and synced when it has this many bytes, or is this old when a
// record is added: records of which each takes a second are synced one by one.
const (
	batchBytes = 64 << 10
	batchAge   = time.Second
)

// Writer writes a file. It is for one goroutine.
type Writer struct {
	name   string // FILE, links followed
	f      *os.File
	done   int64 // bytes of complete lines that were there
	lines  int
	there  *bufio.Reader // of these
	given  int
	batch  bytes.Buffer
	synced time.Time
	err    error // after a failed write or sync nothing more is written
}

// Open begins a file, or goes on with it when there is a part made from the same. A
// torn last line of it is dropped. With restart, a part is begun anew. The error
// may be an *Other, ErrNoHeader or ErrInUse.
func Open(name string, from []Field, restart bool) (_ *Writer, err error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	f, err := os.OpenFile(name+suffix, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	switch free, err := durable.Lock(f); {
	case err != nil:
		return nil, fmt.Errorf("cannot lock %s%s: %w", name, suffix, err)
	case !free:
		return nil, fmt.Errorf("%s%s: %w", name, suffix, ErrInUse)
	}
	w := &Writer{name: name, f: f, synced: time.Now()}
	if !restart {
		if err := w.resume(from); err != nil {
			return nil, err
		}
	}
	if err := f.Truncate(w.done); err != nil {
		return nil, err
	}
	if _, err := f.Seek(w.done, io.SeekStart); err != nil {
		return nil, err
	}
	if w.done == 0 {
		// The part is empty on disk before it is said to be of this.
		if err := f.Sync(); err != nil {
			return nil, err
		}
		if err := writeHeader(name, from); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *Writer) resume(from []Field) error {
	info, err := w.f.Stat()
	if err != nil {
		return err
	}
	b, err := os.ReadFile(w.name + header)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if info.Size() > 0 {
			return fmt.Errorf("%s: %w", w.name, ErrNoHeader)
		}
		return nil
	case err != nil:
		return err
	case info.Size() == 0:
		return nil // nothing was done with whatever it was
	}
	var before []Field
	if err := json.Unmarshal(b, &before); err != nil {
		return fmt.Errorf("%s%s: %w", w.name, header, err)
	}
	if d := diff(before, from); len(d) > 0 {
		return &Other{w.name, d}
	}
	return w.lengths()
}

// lengths counts the complete lines and their bytes.
func (w *Writer) lengths() error {
	r := bufio.NewReaderSize(w.f, 1<<16)
	at := int64(0)
	for {
		chunk, err := r.ReadSlice('\n')
		at += int64(len(chunk))
		switch {
		case err == nil:
			w.done = at
			w.lines++
		case errors.Is(err, bufio.ErrBufferFull): // a long line, not yet at its end
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}

// diff lists the fields that differ.
func diff(before, now []Field) []string {
	value := func(list []Field, name string) string {
		for _, f := range list {
			if f.Name == name {
				return f.Value
			}
		}
		return "none"
	}
	var list []string
	for _, f := range before {
		if v := value(now, f.Name); v != f.Value {
			list = append(list, fmt.Sprintf("%s: %s, now %s", f.Name, f.Value, v))
		}
	}
	for _, f := range now {
		if v := value(before, f.Name); v == "none" && f.Value != "none" {
			list = append(list, fmt.Sprintf("%s: none, now %s", f.Name, f.Value))
		}
	}
	return list
}

func writeHeader(name string, from []Field) error {
	b, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return durable.ReplaceBytes(name+header, append(b, '\n'))
}

// Done is how many lines there were when the part was opened.
func (w *Writer) Done() int { return w.lines }

// Again is the next of the lines that there were, without its end; it is false after
// the last. The line is only good until the next.
func (w *Writer) Again() ([]byte, bool, error) {
	if w.given == w.lines {
		return nil, false, nil
	}
	if w.there == nil {
		w.there = bufio.NewReader(io.NewSectionReader(w.f, 0, w.done))
	}
	b, err := w.there.ReadBytes('\n')
	if err != nil {
		return nil, false, err
	}
	w.given++
	return b[:len(b)-1], true, nil
}

// Write adds lines: p has to end with a line feed. They are on disk after the batch
// that they are in.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	_, _ = w.batch.Write(p)
	if w.batch.Len() >= batchBytes || time.Since(w.synced) >= batchAge {
		w.err = w.flush()
	}
	return len(p), w.err
}

func (w *Writer) flush() error {
	if w.batch.Len() == 0 {
		return nil
	}
	if _, err := w.f.Write(w.batch.Bytes()); err != nil {
		return err
	}
	w.batch.Reset()
	w.synced = time.Now()
	return w.f.Sync()
}

// Close writes what there is and leaves the part to be gone on with.
func (w *Writer) Close() error {
	if w.f == nil {
		return nil
	}
	if w.err == nil {
		w.err = w.flush()
	}
	err := w.err
	if closeErr := w.f.Close(); err == nil {
		err = closeErr
	}
	w.f = nil
	return err
}

// Discard takes the part away.
func (w *Writer) Discard() error {
	if w.f == nil {
		return nil
	}
	w.err = errors.New("the part was discarded")
	err := w.f.Close()
	w.f = nil
	for _, name := range []string{w.name + suffix, w.name + header} {
		if removeErr := os.Remove(name); err == nil && !errors.Is(removeErr, fs.ErrNotExist) {
			err = removeErr
		}
	}
	return err
}

// Commit makes the part the file. A file that was there keeps its mode.
func (w *Writer) Commit() error {
	if w.err == nil {
		w.err = w.flush()
	}
	if w.err != nil {
		return w.err
	}
	if info, err := os.Stat(w.name); err == nil {
		if err := w.f.Chmod(info.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := w.f.Sync(); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := os.Rename(w.name+suffix, w.name); err != nil {
		return err
	}
	if err := os.Remove(w.name + header); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.SyncDir(filepath.Dir(w.name))
}
