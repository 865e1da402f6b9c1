//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package job

import "os"

// Lock does nothing: on these systems it is for the user to start one process.
func Lock(*os.File) (bool, error) { return true, nil }

// Rename gives a file another name.
func Rename(from, to string) error { return os.Rename(from, to) }

// SyncDir does nothing: these systems do not sync folders.
func SyncDir(string) error { return nil }
