// Package job writes files so that a long job can be stopped at any point, even by kill -9
// or a power failure, and resumed by the same command.
//
//	Replace  writes a file whole: readers see the old one or the new one
//	Lock     allows one writer at a time; the lock ends with the process
//	Lines    reads the lines of a file with their positions, and tells a truncated one
//	File     a file of lines that only grows: what was reported done is on disk
//	Part     a file of records that gets its name when it is complete
//	Shard    one of N parts of a job; Plan and Done record the parts and their checksums
//
// Three rules make this safe. Data is synced before anything refers to it: a file before its
// name, a name before the next step. What a crash can leave is recognised by its form, a
// last line without an end or a name with a suffix, and not by guessing. And a resumed job
// must be the same job: a part and a plan record what they are made from, and refuse another
// ([Other]).
//
// After a failed sync a file is not used again: the system may have dropped the data and
// report the next sync as a success.
package job

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// File is a file of lines that only grows. Append may be called by many goroutines.
type File struct {
	what string // in messages
	f    Appender

	mu   sync.Mutex // of next
	next *batch

	commit sync.Mutex // of what follows; held while a batch is written
	size   int64      // of what is on disk
	err    error      // the first failure; the file is not used after it
}

// Appender is what a File needs of an os.File that is at its end.
type Appender interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// batch is lines that reach the disk together.
type batch struct {
	data []byte
	done bool
	err  error
}

// NewFile returns a file that has size bytes. Messages call it what.
func NewFile(f Appender, what string, size int64) *File {
	return &File{what: what, f: f, next: &batch{}, size: size}
}

// Append adds lines. They are on disk when it returns without an error. Calls that
// wait for the disk at the same time share one sync.
//
// After a failure the File is of no use, and every call returns that failure: once a
// sync has failed, another on the same descriptor may succeed without the data being
// on disk.
func (f *File) Append(lines []byte) error {
	f.mu.Lock()
	b := f.next
	b.data = append(b.data, lines...)
	f.mu.Unlock()

	f.commit.Lock()
	defer f.commit.Unlock()
	if !b.done {
		f.mu.Lock()
		f.next = &batch{} // b is taken out: only the next to commit is ever added to
		f.mu.Unlock()
		b.err = f.write(b.data)
		b.done = true
	}
	return b.err
}

// write writes and syncs a batch. Only one call at a time may be under way.
func (f *File) write(data []byte) error {
	if f.err != nil {
		return f.err
	}
	n, err := f.f.Write(data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	if err != nil {
		// Whole lines of it are good, and who opens it takes off what is not.
		f.err = fmt.Errorf("cannot write %s: %w", f.what, err)
		return f.err
	}
	if err := f.f.Sync(); err != nil {
		// The system may take pages that it could not write for written. What is not
		// known to be on disk must not be found by who opens it.
		f.err = fmt.Errorf("cannot write %s to disk: %w", f.what, err)
		if err := f.f.Truncate(f.size); err != nil {
			f.err = fmt.Errorf("%w; the part that is not on disk could not be removed from the file: %w", f.err, err)
		}
		return f.err
	}
	f.size += int64(len(data))
	return nil
}

var errClosed = errors.New("the file is closed")

// Close closes the file; what Append has not returned from is not in it.
func (f *File) Close() error {
	f.commit.Lock()
	defer f.commit.Unlock()
	if f.err == nil {
		f.err = fmt.Errorf("cannot write %s: %w", f.what, errClosed)
	}
	return f.f.Close()
}
