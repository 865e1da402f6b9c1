package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"ein"
	"ein/bind"
	"ein/internal/codes"
	"ein/internal/job"
)

// stdinName is how messages name standard input.
const stdinName = "<stdin>"

// Streams are standard input and output as one connection.
type Streams struct {
	io.Reader
	io.Writer
}

// Close leaves the streams open: they are those of the process, and a read that
// waits on a terminal or pipe would not end for it.
func (Streams) Close() error { return nil }

// File is an open file. Reading it fails when the command is stopped.
type File struct {
	io.Reader
	io.Closer
	Size     int64 // 0 when it is not known
	Progress *Progress
	name     string
}

// Name returns the name of the file in messages.
func (f *File) Name() string { return f.name }

// Regular returns the file as one that can be read at any place, with its size; nil if it cannot.
func (f *File) Regular() (io.ReaderAt, int64) {
	if file, ok := f.Closer.(*os.File); ok && f.Size > 0 {
		return file, f.Size
	}
	return nil, 0
}

// Close closes the file and removes its progress from the terminal.
func (f *File) Close() error {
	f.Progress.Done()
	return f.Closer.Close()
}

// Open opens a file, or standard input for "-", which can only be read once. A terminal shows how
// far reading has come, and what it is for.
func (a *App) Open(ctx context.Context, doing, name string) (*File, error) {
	f, err := a.open(ctx, name)
	if err == nil {
		f.Progress = a.Progress(doing + " " + f.name)
		f.Reader = f.Progress.Reader(f.Reader, f.Size)
	}
	return f, err
}

// open opens a file for reading; "-" is standard input, which can be read once. Pipes and
// terminals are read so that the end of the context interrupts them; only a regular file has a
// size.
func (a *App) open(ctx context.Context, name string) (*File, error) {
	if name == "-" {
		if a.stdinUsed {
			const twice = "standard input can be read only once, and is asked for twice"
			e := Input(codes.E0702, stdinName, 0, twice, "Give one of the two as a file.")
			e.Err = errors.New(twice)
			return nil, e
		}
		a.stdinUsed = true
		return &File{Reader: interruptible(ctx, a.In), Closer: io.NopCloser(nil), name: stdinName}, nil
	}
	// Opening a named pipe waits for its writer.
	f, err := await(ctx, func() (*os.File, error) {
		f, err := os.Open(name)
		if err == nil && ctx.Err() != nil {
			_ = f.Close()
			return nil, context.Cause(ctx)
		}
		return f, err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, Stopped(ctx)
	case err != nil:
		return nil, Unreadable(name, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = errors.New("it is a folder")
	case info.Mode().IsRegular():
		// Reads of a regular file do not wait, so it is enough to look at the context before each.
		return &File{Reader: bind.Stopping{Reader: f, Context: ctx}, Closer: f, name: name, Size: info.Size()}, nil
	default:
		return &File{Reader: interruptible(ctx, f), Closer: f, name: name}, nil
	}
	_ = f.Close()
	return nil, Unreadable(name, err)
}

// Through opens a file, and has it read.
func (a *App) Through(ctx context.Context, doing, name string, read func(*File) error) error {
	f, err := a.Open(ctx, doing, name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // nothing was written
	err = read(f)
	f.Progress.Done()
	var told Status
	if err != nil && ctx.Err() != nil && !errors.As(err, &told) {
		return Stopped(ctx)
	}
	return err
}

// interruptible returns a reader whose reads end with the context even while they
// wait, as those of a terminal or a pipe do.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	if ctx.Done() == nil {
		return r
	}
	pr, pw := io.Pipe()
	go func() {
		_, err := io.Copy(pw, r)
		pw.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { pr.CloseWithError(context.Cause(ctx)) })
	return pr
}

// Unreadable returns the error of a file that cannot be read at all.
func Unreadable(name string, err error) *ein.Error {
	hint := ""
	if _, missing := os.Stat(name + ".ein"); missing == nil && errors.Is(err, fs.ErrNotExist) {
		hint = fmt.Sprintf("Did you mean `%s.ein`?", name)
	}
	e := Input(codes.E0702, name, 0, fmt.Sprintf("the file cannot be read: %v", bind.Cause(err)), hint)
	e.Err = err
	return e
}

// Write writes a file so that readers see the old content or the new one, and never a part; "-" is
// standard output. An error of write that is not about writing is returned unchanged.
func (a *App) Write(name string, write func(io.Writer) error) error {
	var inside error
	to := func(w io.Writer) error { inside = write(sink{w, name}); return inside }
	var err error
	if name == "-" {
		b := bufio.NewWriterSize(a.Out, 1<<16)
		if err = to(b); err == nil {
			err = b.Flush()
		}
	} else {
		err = job.Replace(name, to)
	}
	if inside != nil {
		return inside
	}
	return Unwritten(name, err)
}

// WriteFile is Write for content that is in memory.
func (a *App) WriteFile(name string, data []byte) error {
	return a.Write(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// sink is a writer whose errors say what could not be written.
type sink struct {
	io.Writer
	name string
}

func (s sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	return n, Unwritten(s.name, err)
}

// Room says how to make room for what could not be written; "" if that is not what an error is about.
func Room(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "Free some space"
	case errors.Is(err, syscall.EFBIG):
		return "Allow larger files (ulimit -f)"
	}
	return ""
}

// Unwritten returns the error of writing a file, nil for none.
func Unwritten(name string, err error) error {
	if err == nil {
		return nil
	}
	if name == "-" {
		name = "the output"
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok { // of the renaming that ends it
		err = l.Err
	}
	return fmt.Errorf("cannot write %s: %w", name, bind.Cause(err))
}

// Folder makes a folder, unless it exists.
func Folder(name string) error {
	if err := os.MkdirAll(name, fs.ModePerm); err != nil {
		return fmt.Errorf("cannot make the folder %s: %w", name, bind.Cause(err))
	}
	return nil
}

// SameFile reports whether two names are names of one file.
func SameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
