//go:build unix

package serving

import (
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"time"
)

// eager is how long a read polls for input that has not arrived. A client that runs small programs
// one after another has sent the next by then, and waking up would take longer than the program.
const eager = 50 * time.Microsecond

// polled is standard input as the runtime polls it, where it is a pipe.
func polled(in io.Reader) io.Reader {
	f, ok := in.(*os.File)
	if !ok {
		return in
	}
	if info, err := f.Stat(); err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 || syscall.SetNonblock(int(f.Fd()), true) != nil {
		return in
	}
	f = os.NewFile(f.Fd(), f.Name())
	pipe, err := f.SyscallConn()
	if err != nil || runtime.NumCPU() == 1 { // whoever is to write needs the processor
		return f
	}
	return &eagerReader{f, pipe}
}

// eagerReader is a pipe that is polled for a while before it is waited for.
type eagerReader struct {
	f    *os.File
	pipe syscall.RawConn
}

// Read polls the pipe for as long as eager says before it parks the goroutine.
func (r *eagerReader) Read(p []byte) (n int, err error) {
	var start time.Time
	failed := r.pipe.Read(func(fd uintptr) (done bool) {
		for {
			n, err = syscall.Read(int(fd), p)
			switch {
			case err == syscall.EINTR:
			case err != syscall.EAGAIN:
				return true
			case start.IsZero():
				start = time.Now()
			case time.Since(start) > eager:
				return false
			}
		}
	})
	switch {
	case failed != nil:
		return 0, failed
	case err != nil:
		return 0, os.NewSyscallError("read", err)
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}
