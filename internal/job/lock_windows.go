package job

import (
	"errors"
	"os"
	"time"

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

// Rename gives a file another name. Here that fails for a moment if someone reads the file of that name,
// be it a scanner for viruses, so it tries for two seconds.
func Rename(from, to string) error {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		err := os.Rename(from, to)
		if !errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_SHARING_VIOLATION) || time.Since(began) > 2*time.Second {
			return err
		}
	}
}

// SyncDir does nothing: the names in a folder are part of the journal of NTFS.
func SyncDir(string) error { return nil }

// Room returns how many bytes can be written in a folder, and whether that is known.
func Room(dir string) (int64, bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, false
	}
	return int64(free), true
}
