package job

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
)

// TempPrefix begins the names of files that are not complete yet. A process that is
// killed may leave one.
const TempPrefix = ".ein-"

// Replace writes a file so that after a crash there is the old one or the new one,
// complete: a temporary file in the same folder, synced, renamed, and the folder
// synced. An error of write is given back as it is, and the old file stays.
func Replace(name string, write func(io.Writer) error) (err error) {
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
	b := bufio.NewWriterSize(f, 1<<16)
	err = write(b)
	if err == nil {
		err = b.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	return SyncDir(dir)
}

// ReplaceBytes is Replace with the content of the file.
func ReplaceBytes(name string, content []byte) error {
	return Replace(name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
