package job

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock locks a file until it is closed. It is false when another has it. The system
// takes the lock back when the process ends, in whatever way. The byte that is
// locked is beyond the content, so that the file can be read.
func Lock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// SyncDir does nothing: the names in a folder are part of the journal of NTFS.
func SyncDir(string) error { return nil }
