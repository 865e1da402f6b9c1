package run

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ein/bench/question/instance"
	"ein/internal/compact"
	"ein/internal/job"
	"ein/internal/lists"
)

// Writer appends to a run. Many goroutines may call its methods.
type Writer struct {
	run     *Run
	digest  string // of the configuration
	torn    string // what Open repaired, "" for nothing
	lock    io.Closer
	replies *job.File

	log struct {
		sync.Mutex
		f   *os.File
		err error
	}
}

// ErrExists is the error of a folder that already has a run.
var ErrExists = errors.New("there is a run in it already")

// Create begins a run in a folder that does not exist or is empty. run.json is
// written last: without it there is no run, and Create may begin again. The
// configuration holds the instances in number: those of its Source in all of its
// encodings.
func Create(dir string, c Config, instances []*instance.Instance) (_ *Writer, err error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	list := lists.Map(instances, func(in *instance.Instance) asked { return asked{instance: in, id: in.ID} })
	r, err := newRun(dir, &c, list)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = lock.Close()
		}
	}()
	if err := vacant(dir); err != nil {
		return nil, err
	}
	err = job.Replace(filepath.Join(dir, InstancesFile), func(w io.Writer) error {
		for _, in := range instances {
			if err := instance.Write(w, in); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := job.ReplaceBytes(filepath.Join(dir, RepliesFile), nil); err != nil {
		return nil, err
	}
	if err := writeConfig(dir, &c); err != nil {
		return nil, err
	}
	return newWriter(r, 0, "", lock)
}

func writeConfig(dir string, c *Config) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return job.ReplaceBytes(filepath.Join(dir, ConfigFile), append(b, '\n'))
}

// Accept continues under the version of a configuration, and keeps the earlier versions.
func (w *Writer) Accept(c Config) error {
	n := w.run.Config
	n.Format = Format
	n.Accepted = append(slices.Clip(n.Accepted), Version{c.Ein, c.Prompts, c.Sent, c.Scoring})
	if err := writeConfig(w.run.Dir, &n); err != nil {
		return err
	}
	w.run.Config, w.digest = n, n.Current().digest()
	return nil
}

// vacant refuses a folder with files that would be overwritten or taken for part of the run.
func vacant(dir string) error {
	if exists(filepath.Join(dir, ConfigFile)) {
		return fmt.Errorf("%s: %w", dir, ErrExists)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case name == lockFile, name == InstancesFile, strings.HasPrefix(name, job.TempPrefix):
		case name == RepliesFile:
			if info, err := e.Info(); err != nil || info.Size() > 0 {
				return fmt.Errorf("%s: there are replies in it, and no %s that says to what", dir, ConfigFile)
			}
		default:
			return fmt.Errorf("%s: it has %s in it and no run; a run needs a folder of its own", dir, name)
		}
	}
	return nil
}

// Open opens a run for appending. A torn line at the end of the replies is moved to
// replies.jsonl.torn; Torn reports it. If another process writes the run, the error is a
// *LockedError.
func Open(dir string) (_ *Writer, err error) {
	if _, err := readConfig(dir); err != nil {
		return nil, err // so that no lock is made where there is no run
	}
	lock, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = lock.Close()
		}
	}()
	if err := sweep(dir); err != nil {
		return nil, err
	}
	r, end, err := read(dir, false)
	if err != nil {
		return nil, err
	}
	torn := ""
	if r.Torn > 0 {
		if err := takeOff(dir, end); err != nil {
			return nil, err
		}
		torn = fmt.Sprintf("%s: the last %d bytes, from byte %d on, were no complete reply: moved to %s", filepath.Join(dir, RepliesFile), r.Torn, end, tornFile)
		r.Torn = 0
	}
	return newWriter(r, end, torn, lock)
}

// sweep removes half-written files of killed processes. Scoring writes without the lock, so recent
// files stay.
func sweep(dir string) error {
	const late = time.Hour
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), job.TempPrefix) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > late {
			if err := job.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeOff moves the unfinished end of the replies to the file of tails. The copy is on disk before
// the original is removed.
func takeOff(dir string, end int64) error {
	f, err := os.OpenFile(filepath.Join(dir, RepliesFile), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Seek(end, io.SeekStart); err != nil {
		return err
	}
	tail, err := os.OpenFile(filepath.Join(dir, tornFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(tail, f)
	if err == nil {
		_, err = io.WriteString(tail, "\n")
	}
	if err == nil {
		err = tail.Sync()
	}
	if err = errors.Join(err, tail.Close()); err != nil {
		return err
	}
	if err := dropScores(dir); err != nil {
		return err
	}
	if err := f.Truncate(end); err != nil {
		return err
	}
	return f.Sync()
}

// dropScores removes the scores before replies that have scores are removed, since the replies that
// replace them may differ.
func dropScores(dir string) error {
	return cmp.Or(job.Remove(filepath.Join(dir, ScoresFile)), job.SyncDir(dir))
}

// newWriter opens the replies, of size bytes, to append to them; lock is released with the
// Writer.
func newWriter(r *Run, size int64, torn string, lock io.Closer) (*Writer, error) {
	f, err := os.OpenFile(filepath.Join(r.Dir, RepliesFile), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	// A writer that was killed between a write and its sync leaves lines that are
	// complete but may not be on disk.
	if err := f.Sync(); err != nil {
		_ = f.Close()
		return nil, err
	}
	w := &Writer{run: r, digest: r.Config.Current().digest(), torn: torn, lock: lock, replies: job.NewFile(f, "the replies", size)}
	if err := w.openLog(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return w, nil
}

// Run returns the run as it was when the Writer was opened; Append does not change it.
func (w *Writer) Run() *Run { return w.run }

// Torn says what was repaired, "" for nothing.
func (w *Writer) Torn() string { return w.torn }

// Append adds replies, as job.File does: they are on disk when it returns without an
// error, and after a failure the Writer is of no use.
func (w *Writer) Append(replies ...Reply) error {
	var data []byte
	for i := range replies {
		replies[i].Run = w.digest
		line, err := seal(&replies[i].Key, &replies[i])
		if err != nil {
			return err
		}
		data = append(data, line...)
	}
	return w.replies.Append(data)
}

// Event is a line of log.jsonl.
type Event struct {
	Time    time.Time `json:"time"`
	Event   string    `json:"event"` // begin, reply, turn, retry, rejected, gave_up, stopped, end
	Key     *Key      `json:"key,omitempty"`
	Attempt int       `json:"attempt,omitempty"` // from 1
	Class   string    `json:"class,omitempty"`   // of the failure, as in package model
	Status  int       `json:"status,omitempty"`
	Code    string    `json:"code,omitempty"`
	Message string    `json:"message,omitempty"`
	// WaitMS and TookMS are the wait before the next attempt and the time of this
	// one, in milliseconds.
	WaitMS int64  `json:"wait_ms,omitempty"`
	TookMS int64  `json:"took_ms,omitempty"`
	ID     string `json:"request_id,omitempty"` // of the provider
	// Limit is the most requests at a time from here on, when it has changed.
	Limit int `json:"limit,omitempty"`
}

func (w *Writer) openLog() error {
	f, err := os.OpenFile(filepath.Join(w.run.Dir, LogFile), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	w.log.f = f
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil {
		return err
	}
	if last[0] != '\n' { // a writer was killed in the middle of an event
		_, err = f.Write([]byte("\n"))
	}
	return err
}

// Log adds an event to the log. No result depends on it, so that it is not synced;
// Close returns the first error.
func (w *Writer) Log(e Event) {
	w.log.Lock()
	defer w.log.Unlock()
	if err := compact.Write(w.log.f, &e); w.log.err == nil && err != nil {
		w.log.err = fmt.Errorf("cannot write the log: %w", err)
	}
}

// Close lets other writers in.
func (w *Writer) Close() error {
	w.log.Lock()
	defer w.log.Unlock()
	return errors.Join(w.log.err, w.log.f.Close(), w.replies.Close(), w.lock.Close())
}

// exists reports whether there is a file.
func exists(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}
