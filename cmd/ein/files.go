package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ein"
	"ein/lang/diag"
	"ein/vm/code"
)

// maxProgram bounds what is read of a program, source or bytecode; a longer
// text is then refused by the parser, whose limit is lower.
const maxProgram = code.DefaultBytes

// stdin is the program's or an input's name for standard input.
const stdinName = "<stdin>"

// file is an open file. Reading it ends when the command is stopped.
type file struct {
	io.Reader
	io.Closer
	name     string // as it is shown
	size     int64  // 0 when it is not known
	progress *progress
}

// Name is the file as it is shown.
func (f *file) Name() string { return f.name }

// Close closes the file and takes the line about it off the terminal.
func (f *file) Close() error {
	if f.progress != nil {
		f.progress.done()
	}
	return f.Closer.Close()
}

// open opens a file, or standard input for "-", which can be read only once.
func (a *app) open(ctx context.Context, name string) (*file, error) {
	if name == "-" {
		if a.stdinUsed {
			return nil, unreadable(stdinName, errors.New("it is asked for twice"))
		}
		a.stdinUsed = true
		return &file{Reader: interruptible(ctx, a.in), Closer: io.NopCloser(nil), name: stdinName}, nil
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
		return nil, stopped(ctx)
	case err != nil:
		return nil, unreadable(name, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = errors.New("it is a folder")
	case info.Mode().IsRegular():
		return &file{Reader: reader{f, ctx}, Closer: f, name: name, size: info.Size()}, nil
	default:
		return &file{Reader: interruptible(ctx, f), Closer: f, name: name}, nil
	}
	_ = f.Close()
	return nil, unreadable(name, err)
}

// reader stops reading when its context ends. A read of a regular file does not
// wait, so it is enough to look before each.
type reader struct {
	io.Reader
	ctx context.Context
}

func (r reader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}

// interruptible is a reader whose reads end with the context even while they
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

// cause takes the path and the operation off an error of package os: the
// message around it has them.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}

// read is the text of a program.
func (a *app) read(ctx context.Context, name string) (text, shown string, err error) {
	f, err := a.open(ctx, name)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = f.Close() }()
	var b strings.Builder // whose text is not copied
	b.Grow(int(min(f.size, maxProgram) + 1))
	_, err = io.Copy(&b, io.LimitReader(f, maxProgram+1))
	if ctx.Err() != nil {
		return "", "", stopped(ctx)
	}
	if err != nil {
		return "", "", unreadable(f.name, err)
	}
	return b.String(), f.name, nil
}

// source is the text of a program for the verbs that have no use for bytecode.
func (a *app) source(ctx context.Context, name string) (text, shown string, err error) {
	text, shown, err = a.read(ctx, name)
	if err == nil && ein.IsBytecode(text) {
		err = inputProblem(newFinding("E0704", diag.Error, shown, 0, 0, "the file is bytecode, expected the source of a program", ""))
	}
	return text, shown, err
}

// unreadable is a file that cannot be read at all.
func unreadable(name string, err error) *problem {
	p := inputProblem(newFinding("E0702", diag.Error, name, 0, 0, fmt.Sprintf("the file cannot be read: %v", cause(err)), ""))
	p.Err = err
	return p
}

// replaceFile writes a file through a temporary one beside it, so that a reader
// sees the old content or the new and never a part. A file that was there keeps
// its mode; a symbolic link stays one.
func replaceFile(name string, data []byte) (err error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return os.WriteFile(name, data, mode) // a device or a pipe is not replaced
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".ein-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
