//go:build unix

package serving

import (
	"io"
	"io/fs"
	"os"
	"syscall"
)

// polled is standard input as the runtime polls it, where it is a pipe. The thread that
// reads then runs the request as well: behind a read that blocks, another thread has to
// be woken for it, which takes longer than a small program.
func polled(in io.Reader) io.Reader {
	f, ok := in.(*os.File)
	if !ok {
		return in
	}
	if info, err := f.Stat(); err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 || syscall.SetNonblock(int(f.Fd()), true) != nil {
		return in
	}
	return os.NewFile(f.Fd(), f.Name())
}
