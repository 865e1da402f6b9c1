package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ein/internal/job"
)

// LockedError is the error of a run that another process is writing.
type LockedError struct {
	Dir    string
	Holder Holder
}

func (e *LockedError) Error() string {
	s := e.Dir + ": another process is writing the run"
	if h := e.Holder; h.PID != 0 {
		s += fmt.Sprintf(": process %d on %s, since %s", h.PID, h.Host, h.Since.Format(time.RFC3339))
	}
	return s
}

// Holder is the process that writes a run, or zero if unknown.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// acquire takes the lock of a run, which the end of the process releases in any case.
func acquire(dir string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	free, err := job.Lock(f)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("cannot lock %s: %w", f.Name(), err)
	}
	if !free {
		e := &LockedError{Dir: dir}
		b, err := io.ReadAll(io.LimitReader(f, 4096))
		if err != nil || json.Unmarshal(b, &e.Holder) != nil {
			e.Holder = Holder{} // it is only for the message
		}
		_ = f.Close()
		return nil, e
	}
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	b, err := json.Marshal(Holder{os.Getpid(), host, time.Now().UTC().Truncate(time.Second)})
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(append(b, '\n'), 0)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &held{f}, nil
}

// held is a lock that this process holds.
type held struct{ f *os.File }

// Close releases the lock and removes the name of its holder, as the run may be published.
func (h *held) Close() error { return errors.Join(h.f.Truncate(0), h.f.Close()) }
