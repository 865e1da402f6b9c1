//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// reportSize is far more than the driver reports.
const reportSize = 4 << 10

// guest is one interpreter, good for one program.
type guest struct {
	backend           string
	cmd               *exec.Cmd
	first             *os.Process // process 1 of the sandbox, where that is another one
	in                *os.File
	out, errs, report *stream
	warm              time.Duration // of processor time, before the program
	python, networkx  string        // versions

	mu     sync.Mutex
	killed bool
	why    Outcome // of killed
}

// spawner starts processes from one thread that lives as long as they do: a process that asks to be
// killed with its parent is killed when the thread that started it ends.
type spawner struct {
	starts chan func()
	once   *sync.Once
}

// newSpawner starts the thread, which ends with close.
func newSpawner() spawner {
	s := spawner{make(chan func()), new(sync.Once)}
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for start := range s.starts {
			start()
		}
	}()
	return s
}

func (s spawner) close() { s.once.Do(func() { close(s.starts) }) }

// spawn starts a command on the thread of the spawner.
func (s spawner) spawn(cmd *exec.Cmd) error {
	done := make(chan error)
	s.starts <- func() { done <- cmd.Start() }
	return <-done
}

// launch starts an interpreter and waits until it is ready. The command gets preset on descriptor 3
// and writes its report to 4. If the interpreter is a separate process in its own namespaces, the
// command writes to 5 which one, as bubblewrap does.
func (s spawner) launch(ctx context.Context, backend string, cmd *exec.Cmd, apart bool, preset []byte, limits Policy) (*guest, error) {
	var pipes files
	defer pipes.close()
	in, out, errs, set, report, info := pipes.pipe(), pipes.pipe(), pipes.pipe(), pipes.pipe(), pipes.pipe(), pipes.pipe()
	if pipes.err != nil {
		return nil, failed(ctx, backend, "making pipes", pipes.err, "")
	}
	// It fits into the pipe, so this does not wait for a reader.
	if _, err := set.w.Write(preset); err != nil {
		return nil, failed(ctx, backend, "passing the system call filter", err, "")
	}
	g := &guest{cmd: cmd, backend: backend}
	g.cmd.Dir = "/"
	g.cmd.Stdin, g.cmd.Stdout, g.cmd.Stderr = in.r, out.w, errs.w
	g.cmd.ExtraFiles = []*os.File{set.r, report.w} // 3 and 4
	if apart {
		g.cmd.ExtraFiles = append(g.cmd.ExtraFiles, info.w) // 5
	}
	if err := s.spawn(g.cmd); err != nil {
		return nil, failed(ctx, backend, "starting "+filepath.Base(cmd.Path), err, "")
	}
	g.in = pipes.keep(in.w)
	over := func() { g.kill(OutputLimit) }
	g.out = collect(pipes.keep(out.r), limits.Output, over)
	g.errs = collect(pipes.keep(errs.r), limits.Output, over)
	reported := bufio.NewReaderSize(pipes.keep(report.r), reportSize)
	told := pipes.keep(info.r)
	defer func() { _ = told.Close() }()
	pipes.close() // the ends that are the child's, so that ours see its end

	// Nothing is killed before process 1 is known: a bubblewrap that dies early
	// leaves it behind, waiting for ever.
	var child struct {
		PID int `json:"child-pid"`
	}
	var early error
	if apart {
		early = json.NewDecoder(told).Decode(&child)
		if early == nil {
			g.mu.Lock()
			g.first, early = os.FindProcess(child.PID)
			g.mu.Unlock()
		}
	}
	timer := time.AfterFunc(startLimit, func() { g.kill(Timeout) })
	cancelled := context.AfterFunc(ctx, func() { g.kill(Crashed) })
	// The first line is written before any program is there.
	line, err := reported.ReadBytes('\n')
	going, intime := cancelled(), timer.Stop()
	g.report = collectFrom(report.r, reported, reportSize, over)
	var hello struct {
		Python, NetworkX string
		CPU              float64
	}
	if err == nil {
		err = json.Unmarshal(line, &hello)
	}
	err = cmp.Or(err, early)
	if err != nil || !going || !intime {
		if errors.Is(err, io.EOF) {
			err = errors.New("no interpreter came up")
		}
		if !intime {
			err = fmt.Errorf("it took longer than %v", startLimit)
		}
		g.kill(Crashed)
		g.wait()
		err = cmp.Or(err, errors.New("it was interrupted"))
		return nil, failed(ctx, backend, "starting an interpreter that gives up its rights", err, string(g.errs.b))
	}
	g.python, g.networkx = hello.Python, hello.NetworkX
	g.warm = time.Duration(hello.CPU * float64(time.Second))
	return g, nil
}

// kill ends the sandbox. The first reason counts.
func (g *guest) kill(why Outcome) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.killed {
		return
	}
	g.killed, g.why = true, why
	// All processes of namespaces die with its process 1, whatever session or
	// group they moved to, and bubblewrap then counts the time they used.
	if g.first == nil || g.first.Kill() != nil {
		_ = g.cmd.Process.Kill()
	}
}

// wait returns the processor time of everything that ran in the sandbox.
func (g *guest) wait() time.Duration {
	_ = g.in.Close()
	<-g.out.done
	<-g.errs.done
	<-g.report.done
	_ = g.cmd.Wait() // the exit status, the program's to choose, decides nothing
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.first != nil {
		_ = g.first.Release()
	}
	return g.cmd.ProcessState.UserTime() + g.cmd.ProcessState.SystemTime() - g.warm
}

// run sends a random key ahead of the program. The driver hides it and repeats it in its
// report, so a program cannot claim to have ended well.
func (g *guest) run(ctx context.Context, program string, limits Policy) (Result, error) {
	number := make([]byte, 16)
	_, _ = rand.Read(number) // never fails
	key := hex.EncodeToString(number)

	timer := time.AfterFunc(limits.Wall, func() { g.kill(Timeout) })
	var given atomic.Bool
	cancelled := context.AfterFunc(ctx, func() {
		given.Store(true)
		g.kill(Crashed)
	})
	_, err := io.WriteString(g.in, key+program)
	cpu := g.wait()
	timer.Stop()
	cancelled()
	if given.Load() {
		return Result{}, context.Cause(ctx)
	}

	r := Result{Stdout: string(g.out.b), Stderr: string(g.errs.b), Exit: g.cmd.ProcessState.ExitCode()}
	report, taken := bytes.CutPrefix(g.report.b, []byte("go\n"))
	if !taken {
		err = cmp.Or(err, errors.New("it ended before it took the program"))
		return Result{}, failed(ctx, g.backend, "handing over a program", err, r.Stderr)
	}
	// The clock may be striking right now.
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.killed:
		r.Outcome = g.why
	case string(report) == key+" ok\n":
		r.Outcome = OK
	case string(report) == key+" memory\n":
		r.Outcome = Memory
	case string(report) != key+" error\n" && cpu >= limits.CPU:
		r.Outcome = Timeout // the kernel's doing
	default:
		r.Outcome = Crashed
	}
	return r, nil
}

// stream keeps the beginning of what a pipe brings.
type stream struct {
	b    []byte // to be read when done
	done chan struct{}
}

func collect(r *os.File, most int64, over func()) *stream { return collectFrom(r, r, most, over) }

// collectFrom collects a file, including what r has already buffered of it. It calls over, once,
// when there is more than it keeps.
func collectFrom(file *os.File, r io.Reader, most int64, over func()) *stream {
	s := &stream{done: make(chan struct{})}
	go func() {
		defer close(s.done)
		defer func() { _ = file.Close() }()
		// The end of a pipe is the only way for it to end.
		s.b, _ = io.ReadAll(io.LimitReader(r, most))
		if n, _ := io.CopyN(io.Discard, r, 1); n > 0 {
			over()
			_, _ = io.Copy(io.Discard, r)
		}
	}()
	return s
}

// files is a set of open files to close together.
type files struct {
	open []*os.File
	err  error
}

// pipe is the two ends of a pipe.
type pipe struct{ r, w *os.File }

// pipe makes a pipe. The first error is kept, so that several can be made before it is looked at.
func (f *files) pipe() pipe {
	r, w, err := os.Pipe()
	if err != nil {
		f.err = err
		return pipe{}
	}
	f.open = append(f.open, r, w)
	return pipe{r, w}
}

// keep removes a file from the set.
func (f *files) keep(file *os.File) *os.File {
	f.open = slices.DeleteFunc(f.open, func(o *os.File) bool { return o == file })
	return file
}

// close closes all that is open, also after an error.
func (f *files) close() {
	for _, o := range f.open {
		_ = o.Close()
	}
	f.open = nil
}
