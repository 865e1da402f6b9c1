package benchmark

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ein/bench/judge/verdict"
	"ein/bind"
	"ein/internal/codes"
	"ein/internal/job"
	"ein/internal/lists"
	"ein/internal/version"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

// sharding says which part of its work a verb does: all of it, one shard, or, within ein bench
// merge, what remains once all shards are there.
type sharding struct {
	cmd   *cobra.Command
	text  string // of --shard
	began time.Time
	job.Shard
	merged *merged
}

// merged holds the shards that ein bench merge joins, in order.
type merged struct {
	dirs  []string
	plan  *job.Plan
	files []string
	done  []*job.Done
}

const shardHelp = `With --shard I/N, the command does one of N parts and writes its lines, with a record of
them, to the folder of -o; ein bench merge joins all parts into the result of one command.
A finished part is not repeated, and an interrupted one resumes.`

// flag declares --shard.
func (s *sharding) flag(cmd *cobra.Command) {
	s.cmd = cmd
	cmd.Flags().StringVar(&s.text, "shard", "", "do only part `I/N`, in a folder; auto takes it from a Slurm array or a Kubernetes job")
}

// on reports whether --shard was given.
func (s *sharding) on() bool { return s.text != "" }

// stopped turns an interrupt of a shard or a merge into the status for reasons outside the program:
// the same command resumes it.
func (s *sharding) stopped(ctx context.Context, a *cli.App, err error) error {
	if s.on() || s.merged != nil {
		return interrupted(ctx, a, err)
	}
	return err
}

// elsewhere lists the flags that do not change what is made, but only where it goes and how.
var elsewhere = []string{"shard", "output", "out", "resume", "restart", "json"}

// command returns a command line of the verb without those flags, in a normal form: flags by name.
// Shards belong together if it is the same.
func (s *sharding) command(args []string) ([]string, error) {
	type given struct{ name, text string }
	var list []given
	local := s.cmd.LocalFlags()
	err := s.cmd.Flags().ParseAll(args, func(f *pflag.Flag, value string) error {
		if local.Lookup(f.Name) != nil && !slices.Contains(elsewhere, f.Name) {
			list = append(list, given{f.Name, "--" + f.Name + "=" + value})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].name < list[j].name })
	line := append([]string{s.cmd.Name()}, lists.Map(list, func(g given) string { return g.text })...)
	words := strings.Fields(s.cmd.CommandPath())[1:] // without ein
	return append(line, s.cmd.Flags().Args()[len(words):]...), nil
}

// begin checks the work against the plan in a folder, and writes the plan if there is none: shards
// of another command, version or input are refused. total is the length of the work, in the unit
// that the verb divides.
func (s *sharding) begin(a *cli.App, dir string, total int64, from []job.Field) error {
	p := &job.Plan{Total: total, From: append([]job.Field{{Name: "ein", Value: version.String()}}, from...)}
	var other *job.Other
	if m := s.merged; m != nil {
		p.Command, p.Shards = m.plan.Command, m.plan.Shards
		err := m.plan.Same(m.dirs[0], p)
		if errors.As(err, &other) {
			return begunOtherwise(a, other, "with the version of ein that the shards were made with")
		}
		return err
	}
	s.began = time.Now()
	if dir == "-" || dir == "" {
		return a.Usage("--shard needs a folder for the parts: add -o DIR")
	}
	planned := 0
	there, err := job.ReadPlan(dir)
	if err == nil {
		planned = there.Shards
	}
	if s.Shard, err = job.ParseShard(s.text, a.Env, planned); err != nil {
		return a.Usage("--shard: %v", err)
	}
	p.Shards = s.N
	if p.Command, err = s.command(a.Args); err != nil {
		return err
	}
	if err = p.Begin(dir); errors.As(err, &other) {
		return begunOtherwise(a, other, "or another folder")
	}
	return err
}

// plan begins work that is made from some files, if it is divided.
func (s *sharding) plan(ctx context.Context, a *cli.App, dir string, total int, files []string) error {
	if !s.on() && s.merged == nil {
		return nil
	}
	var from []job.Field
	for _, name := range files {
		hash, err := hashFile(ctx, a, name)
		if err != nil {
			return err
		}
		from = append(from, job.Field{Name: name, Value: hash})
	}
	return s.begin(a, dir, int64(total), from)
}

// finished reports whether the shard is complete in a file.
func (s *sharding) finished(a *cli.App, dir, file string) bool {
	_, err := job.Finished(dir, s.I, file)
	if err == nil {
		a.Printf("ein: shard %s is in %s already\n", s.Shard, file)
	} else if !errors.Is(err, fs.ErrNotExist) {
		a.Printf("ein: %v\nShard %s is made again.\n", err, s.Shard)
	}
	return err == nil
}

// finish records that the shard is complete.
func (s *sharding) finish(a *cli.App, dir, file string, d *job.Done) error {
	d.Seconds = time.Since(s.began).Round(time.Millisecond).Seconds()
	if err := job.Finish(dir, s.I, file, *d); err != nil {
		return cli.Unwritten(file, err)
	}
	a.Printf("ein: shard %s: %s in %s\n", s.Shard, words.Plural(d.Items, "record"), file)
	return nil
}

// make makes the shard after begin: write writes its lines to a part. A finished shard is left
// alone.
func (s *sharding) make(ctx context.Context, a *cli.App, dir string, write func(*job.Part) (*job.Done, error)) error {
	file := job.ShardFile(dir, s.I) + job.ShardLines
	if s.finished(a, dir, file) {
		return nil
	}
	var d *job.Done
	// The plan says what the part is of.
	err := withPart(ctx, a, file, []job.Field{{Name: "shard", Value: s.String()}}, false, func(p *job.Part) (err error) {
		d, err = write(p)
		return err
	})
	if err != nil {
		return err
	}
	return s.finish(a, dir, file, d)
}

// ofLines divides a verb that goes through the lines of a file: it calls write with the lines of
// the shard, and write returns the number of its records and notes for them. In a merge it only
// checks that the file is still the one that the shards were made from.
func (s *sharding) ofLines(ctx context.Context, a *cli.App, dir string, in *cli.File, from []job.Field,
	write func(lines io.Reader, start int64, p *job.Part) (int, []job.Field, error)) error {
	r, size := in.Regular()
	if r == nil && s.merged == nil {
		return a.Usage("--shard needs a file that is not empty and can be read at any place; %s cannot", in.Name())
	}
	if err := s.begin(a, dir, size, from); err != nil {
		return err
	}
	if s.merged != nil {
		return s.merged.check(in.Name(), r)
	}
	return s.make(ctx, a, dir, func(p *job.Part) (*job.Done, error) {
		d := &job.Done{}
		d.From, d.To = s.Of(size)
		lines, start, end, err := job.Slice(r, size, d.From, d.To)
		if err != nil {
			return nil, cli.Unreadable(in.Name(), err)
		}
		d.From, d.To = start, end
		if _, d.Input, err = job.Sum(lines); err == nil {
			_, err = lines.Seek(0, io.SeekStart)
		}
		if err != nil {
			return nil, cli.Unreadable(in.Name(), err)
		}
		d.Items, d.Notes, err = write(in.Progress.Reader(bind.Stopping{Reader: lines, Context: ctx}, end-start), start, p)
		return d, err
	})
}

// check compares the bytes of the input that each shard was made from with the hash in its record.
func (m *merged) check(name string, r io.ReaderAt) error {
	for i, d := range m.done {
		_, sum, err := job.Sum(io.NewSectionReader(r, d.From, d.To-d.From))
		switch {
		case err != nil:
			return cli.Unreadable(name, err)
		case sum != d.Input:
			return cli.Input(codes.E0701, name, 0, fmt.Sprintf("shard %d was made from other lines than are in bytes %d to %d", i+1, d.From, d.To),
				"Put back the file that was there, or make the shards anew in another folder.")
		}
	}
	return nil
}

// notes returns what the shards have noted under a name, without repetitions.
func (m *merged) notes(name string) (list []string) {
	for _, d := range m.done {
		for _, f := range d.Notes {
			if f.Name == name {
				list = lists.Add(list, f.Value)
			}
		}
	}
	return list
}

// of returns the shard that has a line of all.
func (m *merged) of(line int) string {
	i := 0
	for ; i < len(m.done)-1 && line > m.done[i].Items; i++ {
		line -= m.done[i].Items
	}
	return m.files[i]
}

// open returns the lines of all shards.
func (m *merged) open(ctx context.Context) *bufio.Reader {
	all := io.MultiReader(lists.Map(m.files, func(name string) io.Reader { return &file{name: name} })...)
	return bufio.NewReaderSize(bind.Stopping{Reader: all, Context: ctx}, 1<<16)
}

// file is a file that is open from its first read to its end.
type file struct {
	name string
	f    *os.File
}

// Read implements io.Reader.
func (r *file) Read(p []byte) (n int, err error) {
	if r.f == nil {
		if r.f, err = os.Open(r.name); err != nil {
			return 0, cli.Unreadable(r.name, err)
		}
	}
	if n, err = r.f.Read(p); errors.Is(err, io.EOF) {
		_ = r.f.Close()
	}
	return n, err
}

// gathered copies the records of shards to the output as they are read, so that the verb can count
// them. A shard does not know the replies of the others: a second reply to a question is passed
// over here.
type gathered struct {
	io.Writer
	lines *bufio.Reader
}

func (g gathered) Has(it *verdict.Item) bool { return it.Number > 0 }

// Again copies the record of the item to the output and returns it. Records come in the order of
// the replies, so those that it passes over are of second replies.
func (g gathered) Again(it *verdict.Item) ([]byte, bool, error) {
	for g.Has(it) {
		line, err := g.lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("the shards have no record of %s, line %d of the replies", it.Question.ID, it.Number)
		}
		if err != nil {
			return nil, false, err
		}
		var r struct{ ID string }
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, false, fmt.Errorf("a record of a shard cannot be read: %w", err)
		}
		if r.ID == it.Question.ID {
			_, err := g.Write(line)
			return bytes.TrimSuffix(line, []byte("\n")), true, err
		}
	}
	return nil, false, nil
}
