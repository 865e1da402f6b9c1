//go:build !unix

package main

import "time"

// processTime is the processor time of this process; 0 where it is not known.
func processTime() time.Duration { return 0 }
