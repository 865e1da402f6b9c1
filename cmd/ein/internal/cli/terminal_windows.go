package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// IsTerminal is whether a file is a console. Its output then obeys escape sequences, which a console of
// Windows shows as they are until it is asked; input has no such mode, and is left alone.
func IsTerminal(f *os.File) bool {
	h, mode := windows.Handle(f.Fd()), uint32(0)
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(h, &info) == nil {
		_ = windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	}
	return true
}
