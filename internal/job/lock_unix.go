//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package job

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Lock locks a file until it is closed. It is false when another has it. The system
// takes the lock back when the process ends, in whatever way.
func Lock(f *os.File) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, err
		}
	}
}

// Rename gives a file another name.
func Rename(from, to string) error { return os.Rename(from, to) }

// SyncDir brings the names in a folder to disk.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
