//go:build !windows

package cli

import (
	"os"

	"golang.org/x/term"
)

// IsTerminal is whether a file is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
