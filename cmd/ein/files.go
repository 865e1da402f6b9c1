package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ein/lang/diag"
	"ein/vm/code"
)

// maxProgram bounds what is read of a program, source or bytecode; a longer
// text is then refused by the parser, whose limit is lower.
const maxProgram = code.DefaultBytes

// stdin is the program's or an input's name for standard input.
const stdinName = "<stdin>"

// open opens a file, or standard input for "-", which can be read only once.
func (a *app) open(name string) (io.ReadCloser, string, error) {
	if name == "-" {
		if a.stdinUsed {
			return nil, "", unreadable(stdinName, errors.New("it is asked for twice"))
		}
		a.stdinUsed = true
		return io.NopCloser(a.in), stdinName, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, "", unreadable(name, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		_ = f.Close()
		return nil, "", unreadable(name, errors.New("it is a folder"))
	}
	return f, name, nil
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
func (a *app) read(name string) (text, shown string, err error) {
	f, shown, err := a.open(name)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxProgram+1))
	if err != nil {
		return "", "", unreadable(shown, err)
	}
	return string(b), shown, nil
}

// unreadable is a file that cannot be read at all.
func unreadable(name string, err error) *problem {
	return inputProblem(newFinding("E0702", diag.Error, name, 0, 0, fmt.Sprintf("the file cannot be read: %v", cause(err)), ""))
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

// reader stops reading when the command is stopped.
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
