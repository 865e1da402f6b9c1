//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package run

import (
	"errors"
	"os"
)

func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }

func syncDir(string) error { return nil }
