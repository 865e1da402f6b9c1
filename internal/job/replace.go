package job

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ein/internal/compact"
)

// TempPrefix begins the names of files that are not complete yet. A process that is
// killed may leave one.
const TempPrefix = ".ein-"

// Replace writes a file so that after a crash there is the old one or the new one,
// complete: a temporary file in the same folder, synced, renamed, and the folder
// synced. An error of write is given back as it is, and the old file stays. A file that
// was there keeps its mode, a symbolic link stays one, and a device or a pipe is
// written to.
func Replace(name string, write func(io.Writer) error) (err error) {
	name = followed(name)
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			return cmp.Or(buffered(f, write), f.Close())
		}
		mode = info.Mode().Perm()
	}
	defer func() {
		if at, ok := errors.AsType[*fs.PathError](err); ok && strings.HasPrefix(filepath.Base(at.Path), TempPrefix) {
			at.Path = name // which the caller knows
		}
	}()
	dir := filepath.Dir(name)
	f, err := os.CreateTemp(dir, TempPrefix+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	err = buffered(f, write)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		return err
	}
	if err := Rename(f.Name(), name); err != nil {
		return err
	}
	return SyncDir(dir)
}

// followed returns what a symbolic link leads to, which need not exist yet. A link that leads
// nowhere is returned as it is.
func followed(name string) string {
	target, err := filepath.EvalSymlinks(name)
	if err == nil {
		return target
	}
	to, linkErr := os.Readlink(name)
	if linkErr != nil || !errors.Is(err, fs.ErrNotExist) {
		return name
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(followed(filepath.Dir(name)), to)
	}
	return followed(to)
}

// ReplaceBytes is Replace with the content of the file.
func ReplaceBytes(name string, content []byte) error {
	return Replace(name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// ReplaceJSON is Replace with a line of JSON.
func ReplaceJSON(name string, v any) error {
	return Replace(name, func(w io.Writer) error { return compact.Write(w, v) })
}

// Remove removes a file, which may be gone already.
func Remove(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}
