//go:build unix

package main

import (
	"syscall"
	"time"
)

// processTime is the processor time of this process, user and system; 0 where
// it is not known.
func processTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
