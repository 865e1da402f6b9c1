package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"syscall"

	"ein/bench/ask/eval"
	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/bench/question/instance"
	"ein/lang/diag"
)

// readRun reads the folder of a run, and says what of it does not count.
func (a *app) readRun(dir string) (*run.Run, error) {
	return a.readWith(dir, run.Read)
}

func (a *app) readWith(dir string, read func(string) (*run.Run, error)) (*run.Run, error) {
	r, err := read(dir)
	if err != nil {
		return nil, a.cannotRun(err)
	}
	if r.Torn > 0 {
		a.printf("ein: note: %s: the last %s of the replies are no complete line and do not count\n", dir, plural(int(r.Torn), "byte"))
	}
	return r, nil
}

// cannotRun tells why a run cannot be opened.
func (a *app) cannotRun(err error) error {
	var other *eval.ConfigError
	var corrupt *run.CorruptError
	var locked *run.LockedError
	var format *run.FormatError
	var refused *model.Error // a parameter that the model does not take
	switch {
	case errors.As(err, &other):
		f := newFinding("", diag.Error, other.Dir, 0, 0, "the folder has the run of another configuration", "")
		what := "Give the settings of the run, or another --out."
		if other.Empty {
			what = "It has no replies yet: delete it to begin anew, or give another --out."
		}
		f.Notes = append(append(f.Notes, other.Differences...), what)
		return inputProblem(f)
	case errors.As(err, &refused):
		a.printf("ein: %s\n%s\n", shown(refused.Message), shown(refused.Hint))
		return status(exitUsage)
	case errors.Is(err, syscall.ENOSPC):
		a.printf("ein: %v\nMake room, then give the same command.\n", err)
		return status(exitOutside)
	case errors.As(err, &corrupt):
		hint := "Nothing was changed. `ein bench repair --dry-run DIR` says what can be saved."
		if filepath.Base(corrupt.File) == run.ScoresFile {
			hint = "`ein bench score DIR` writes the scores anew."
		}
		return inputProblem(newFinding("", diag.Error, corrupt.File, corrupt.Line, 0, fmt.Sprintf("the line at byte %d is damaged: %v", corrupt.Offset, corrupt.Err), hint))
	case errors.As(err, &format):
		return inputProblem(newFinding("E0701", diag.Error, format.File, 0, 0, fmt.Sprintf("the run has format %d, and this program reads and writes format %d", format.Found, run.Format),
			"Use the version of ein that wrote it."))
	case errors.Is(err, run.ErrNoRun), errors.Is(err, fs.ErrNotExist):
		return inputProblem(newFinding("E0702", diag.Error, "", 0, 0, err.Error(), "The folder has to be one that `ein bench eval` has written."))
	case errors.As(err, &locked):
		a.printf("ein: %v\n", err)
		return status(exitOutside)
	}
	return err
}

// instances gives the instances of a file to read, and the bytes of it to another. An
// error of read is one of the file.
func (a *app) instances(ctx context.Context, name string, also io.Writer, read func(iter.Seq2[*instance.Instance, error]) error) error {
	in, err := a.open(ctx, name)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	p := a.progress("reading "+in.name, in.size)
	err = read(instance.Read(io.TeeReader(p.reader(in), also)))
	p.done()
	switch {
	case ctx.Err() != nil:
		return stopped(ctx)
	case err != nil:
		return badLines(in.name, err)
	}
	return nil
}

// instanceList reads all instances of a file, and writes the bytes of it to another.
func (a *app) instanceList(ctx context.Context, name string, also io.Writer) ([]*instance.Instance, error) {
	var list []*instance.Instance
	err := a.instances(ctx, name, also, func(all iter.Seq2[*instance.Instance, error]) error {
		for in, err := range all {
			if err != nil {
				return err
			}
			list = append(list, in)
		}
		if len(list) == 0 {
			return errNoInstances
		}
		return nil
	})
	return list, err
}
