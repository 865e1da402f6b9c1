//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package part

import (
	"errors"
	"os"
)

// tryLock is for systems where two processes are kept apart by other means, or not
// at all.
func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }

// syncDir is for systems that have no need of it.
func syncDir(string) error { return nil }
