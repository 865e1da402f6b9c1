package benchmark

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"runtime/debug"
	"strings"

	"ein"
	"ein/bench/ask/eval"
	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/bench/question/instance"
	"ein/internal/codes"
	"ein/internal/lists"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

// readRun reads the folder of a run by one of the functions of package run, and prints its notes.
func readRun(a *cli.App, dir string, read func(string) (*run.Run, error)) (*run.Run, error) {
	// Rows stay until the end: more frequent collections cost little, and a million of them
	// takes half the memory. Near the limit, which bounds nothing, they are more frequent still.
	const percent, limit = 25, 440 << 20
	debug.SetGCPercent(percent)
	debug.SetMemoryLimit(limit)
	r, err := read(dir)
	if err != nil {
		return nil, cannotRun(a, err)
	}
	notes(a, r)
	return r, nil
}

// notes prints which replies of a run do not count, or not like the others.
func notes(a *cli.App, r *run.Run) {
	if r.Others > 0 {
		a.Note("%s: %s made under other scoring rules; `ein bench score %s` scores them again", r.Dir, words.Plural(r.Others, "score was", "scores were"), r.Dir)
	}
	if n := len(r.Config.Accepted); n > 0 {
		a.Note("%s: the replies come from several versions of ein; \"accepted\" in %s has %s", r.Dir, run.ConfigFile, words.Plural(n, "other"))
	}
	if r.Torn > 0 {
		a.Note("%s: the last %s of the replies are an incomplete line and do not count", r.Dir, words.Plural(int(r.Torn), "byte"))
	}
}

// cannotRun turns an error of package run into a message.
func cannotRun(a *cli.App, err error) error {
	var other *eval.ConfigError
	var corrupt *run.CorruptError
	var locked *run.LockedError
	var file *run.FileError
	var refused *model.Error // a parameter that the model does not take
	switch {
	case errors.As(err, &other):
		e := cli.Input("", other.Dir, 0, "the folder holds a run with other settings", "")
		what := "Give the settings of the run, or another --out."
		switch {
		case other.Version:
			what = "This version of ein asks or scores otherwise. --accept-version goes on and records both; another --out begins anew."
		case other.Empty:
			what = "It has no replies yet: delete it to start again, or choose another --out."
		case len(other.Differences) == 1 && strings.HasPrefix(other.Differences[0], "base_url: "):
			what = "Another server may have another model. If it has the same one, change base_url in run.json, on which no reply depends."
		}
		e.Note("", append(other.Differences, what)...)
		return e
	case errors.As(err, &refused):
		return a.Usage("%s\n%s", shown(refused.Message), shown(refused.Hint))
	case errors.As(err, &corrupt):
		hint := "Nothing was changed. `ein bench repair --dry-run DIR` says what can be saved."
		if filepath.Base(corrupt.File) == run.ScoresFile {
			hint = "`ein bench score DIR` writes the scores again."
		}
		return cli.Input("", corrupt.File, corrupt.Line, fmt.Sprintf("the line at byte %d is damaged: %v", corrupt.Offset, corrupt.Err), hint)
	case errors.As(err, &file):
		return cli.Input(file.Code, file.File, 0, file.What, file.Hint)
	case errors.Is(err, run.ErrNoRun), errors.Is(err, fs.ErrNotExist):
		return cli.Input(codes.E0702, "", 0, err.Error(), "Give a folder that `ein bench eval` wrote; `ein bench merge` makes one of shards. score and diagnose also take other files, with --instances and --replies.")
	case errors.As(err, &locked):
		return a.Outside("%v", err)
	}
	return err
}

// instances iterates over the instances of a file, in order.
type instances = iter.Seq2[*instance.Instance, error]

var errNoInstances = errors.New("there are no instances in the file")

// readInstances calls read with the instances of a file, of which there must be at least one, as
// instance.Read or instance.Pass gives them. An error that read returns is reported as one of the
// file, unless it already has a place. The bytes of the file also go to the writers.
func readInstances(ctx context.Context, a *cli.App, name string, lines func(io.Reader) instances, read func(instances) error, also ...io.Writer) error {
	return a.Through(ctx, "reading", name, func(f *cli.File) error {
		err := read(func(yield func(*instance.Instance, error) bool) {
			some := false
			for in, err := range lines(io.TeeReader(f, io.MultiWriter(also...))) {
				some = true
				if err != nil {
					err = badLines(f.Name(), err)
				}
				if !yield(in, err) {
					return
				}
			}
			if !some {
				yield(nil, badLines(f.Name(), errNoInstances))
			}
		})
		if _, told := errors.AsType[*ein.Error](err); err == nil || told {
			return err
		}
		return badLines(f.Name(), err)
	})
}

// duplicates counts the instances that were read before, for verbs that take them all the same.
type duplicates struct {
	seen  map[string]bool
	count int
}

// in gives all instances on.
func (d *duplicates) in(all instances) instances {
	return func(yield func(*instance.Instance, error) bool) {
		for in, err := range all {
			if err == nil && d.seen[in.ID] {
				d.count++
			} else if err == nil {
				lists.Put(&d.seen, in.ID, true)
			}
			if !yield(in, err) {
				return
			}
		}
	}
}

// tell says how many there were.
func (d *duplicates) tell(a *cli.App) {
	if d.count > 0 {
		a.Printf("ein: %s counted again\n", words.Plural(d.count, "instance repeats an earlier one and is", "instances repeat earlier ones and are"))
	}
}

// badLines reports a file that is not one of instances. err names the line.
func badLines(name string, err error) error {
	e := cli.Input(codes.E0701, name, 0, err.Error(), "Give a file that `ein bench generate` wrote.")
	e.Err = err
	return e
}

// eachInstance is readInstances with a function that is called for each instance.
func eachInstance(ctx context.Context, a *cli.App, name string, yield func(*instance.Instance) error, also ...io.Writer) error {
	return readInstances(ctx, a, name, instance.Read, func(all instances) error {
		for in, err := range all {
			if err == nil {
				err = yield(in)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}, also...)
}

// instanceList reads all instances of a file.
func instanceList(ctx context.Context, a *cli.App, name string, also ...io.Writer) (list []*instance.Instance, err error) {
	err = eachInstance(ctx, a, name, func(in *instance.Instance) error { list = append(list, in); return nil }, also...)
	return list, err
}
