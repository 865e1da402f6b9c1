package job

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
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

// Other is a file that was begun from something else.
type Other struct {
	File string
	Diff []string // name: then, not now
}

func (e *Other) Error() string {
	return fmt.Sprintf("%s was started with other settings: %s", e.File, strings.Join(e.Diff, "; "))
}

// ErrInUse says that another process is writing the part.
var ErrInUse = errors.New("another process is writing it")

// ErrNoHeader says that the header of a part is missing, so its source is unknown.
var ErrNoHeader = errors.New("found a " + suffix + " without its " + header)

// A batch is written and synced when it has this many bytes, or is this old when a record is
// added, so records that take a second each are synced one by one.
const (
	batchBytes = 1 << 20
	batchAge   = time.Second
)

// Part is a file of records, one a line, that is not complete: while FILE is written it
// is FILE.part, and FILE.part.json says what it is made from. FILE appears only when it
// is complete. A Part is for one goroutine.
type Part struct {
	name   string // FILE, links followed
	f      *os.File
	grown  *File // of f, once something is written
	done   int64 // bytes of complete lines that were there
	lines  int
	there  *bufio.Reader // of these
	given  int
	batch  []byte
	synced time.Time
}

// Open begins a file, or goes on with it when there is a part made from the same. A
// torn last line of it is dropped. With restart, a part starts over. Without from
// nothing is known of a part but its lines: it is the caller's to look at them, and
// until something is written the part stays as it is. The error may be an *Other,
// ErrNoHeader or ErrInUse.
func Open(name string, from []Field, restart bool) (_ *Part, err error) {
	name = followed(name)
	f, err := locked(name + suffix)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	p := &Part{name: name, f: f, synced: time.Now()}
	if !restart {
		if err := p.resume(from); err != nil {
			return nil, err
		}
	}
	if from == nil {
		return p, nil
	}
	if err := p.begin(); err != nil || p.done > 0 {
		return p, err
	}
	// The part is empty on disk before it is said to be of this.
	if err := f.Sync(); err != nil {
		return nil, err
	}
	return p, ReplaceJSON(name+header, from)
}

// locked opens a file and locks it. What another process has renamed in between is not
// it any more.
func locked(name string) (*os.File, error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		free, err := Lock(f)
		if err == nil && !free {
			err = ErrInUse
		}
		var ours, there os.FileInfo
		if err == nil {
			ours, err = f.Stat()
		}
		if err == nil {
			if there, err = os.Stat(name); err == nil && os.SameFile(ours, there) {
				return f, nil
			}
		}
		_ = f.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cannot lock %s: %w", name, err)
		}
	}
}

// resume checks that the part was begun from these fields, and finds its whole lines: those that
// end in a newline. With nil fields it takes any part.
func (p *Part) resume(from []Field) error {
	info, err := p.f.Stat()
	if err != nil {
		return err
	}
	if from != nil && info.Size() > 0 { // else nothing was done with whatever it was
		b, err := os.ReadFile(p.name + header)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", p.name, ErrNoHeader)
		}
		if err != nil {
			return err
		}
		var before []Field
		if err := json.Unmarshal(b, &before); err != nil {
			return fmt.Errorf("%s%s: %w", p.name, header, err)
		}
		if d := diff(before, from); len(d) > 0 {
			return &Other{p.name + suffix, d}
		}
	}
	return Lines(p.f, func(l *Line) error {
		if l.Terminated {
			p.lines, p.done = l.Number, l.Offset+l.Length
		}
		return nil
	})
}

// begin takes off what is torn.
func (p *Part) begin() error {
	if p.grown != nil {
		return nil
	}
	if err := p.f.Truncate(p.done); err != nil {
		return err
	}
	if _, err := p.f.Seek(p.done, io.SeekStart); err != nil {
		return err
	}
	p.grown = NewFile(p.f, p.name+suffix, p.done)
	return nil
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

// Done returns how many lines there were when the part was opened.
func (p *Part) Done() int { return p.lines }

// There returns the lines that the part had when it was opened.
func (p *Part) There() io.Reader { return io.NewSectionReader(p.f, 0, p.done) }

// Again returns the next of the lines that there were, without its end; it is false after
// the last. The line is only good until the next.
func (p *Part) Again() ([]byte, bool, error) {
	if p.given == p.lines {
		return nil, false, nil
	}
	if p.there == nil {
		p.there = bufio.NewReader(p.There())
	}
	b, err := p.there.ReadBytes('\n')
	if err != nil {
		return nil, false, err
	}
	p.given++
	return b[:len(b)-1], true, nil
}

// Write adds to the lines. What is written is on disk after the batch that it is in.
func (p *Part) Write(b []byte) (int, error) {
	p.batch = append(p.batch, b...)
	if len(p.batch) >= batchBytes || time.Since(p.synced) >= batchAge {
		if err := p.flush(); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// flush puts the batch on disk.
func (p *Part) flush() error {
	if len(p.batch) == 0 {
		return nil
	}
	if err := p.begin(); err != nil {
		return err
	}
	if err := p.grown.Append(p.batch); err != nil {
		return err
	}
	p.batch, p.synced = p.batch[:0], time.Now()
	return nil
}

// Close writes what there is and leaves the part to be continued.
func (p *Part) Close() error {
	if p.f == nil {
		return nil
	}
	err := cmp.Or(p.flush(), p.f.Close())
	p.f = nil
	return err
}

// Discard takes the part away.
func (p *Part) Discard() error {
	if p.f == nil {
		return nil
	}
	err := p.f.Close()
	p.f = nil
	for _, name := range []string{p.name + suffix, p.name + header} {
		err = cmp.Or(err, Remove(name))
	}
	return err
}

// Commit makes the part the file. A file that was there keeps its mode.
func (p *Part) Commit() error {
	if p.f == nil {
		return errClosed
	}
	err := p.flush()
	if err == nil {
		err = p.begin()
	}
	if err != nil {
		return err
	}
	if info, err := os.Stat(p.name); err == nil {
		if err := p.f.Chmod(info.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := p.f.Sync(); err != nil {
		return err
	}
	// Who waits for the lock has to find the name gone; Windows renames no file that is
	// open.
	if runtime.GOOS == "windows" {
		if err := p.Close(); err != nil {
			return err
		}
	}
	err = Rename(p.name+suffix, p.name)
	if err == nil {
		err = Remove(p.name + header)
	}
	if err = errors.Join(err, p.Close()); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(p.name))
}
