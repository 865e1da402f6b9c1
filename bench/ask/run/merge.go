package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ein/internal/job"
)

// here returns how many instances a run asks: all, or those of its shard.
func (s *Source) here() (int, error) {
	if s.Shard == "" {
		return s.Count, nil
	}
	shard, err := job.ParseShard(s.Shard, nil, 0)
	if err != nil {
		return 0, fmt.Errorf("the shard: %w", err)
	}
	from, to := shard.Of(int64(s.Count))
	return int(to - from), nil
}

// Merge makes one run of the runs of all shards, in order. The folder may already have the same
// run, but no other. The configuration is written last, since what has one is a run.
func Merge(dir string, shards []string) error {
	var whole *Config
	for i, name := range shards {
		c, err := readConfig(name)
		if err != nil {
			return err
		}
		if want := (job.Shard{I: i + 1, N: len(shards)}).String(); c.Instances.Shard != want {
			return fmt.Errorf("%s: it has the shard %q, expected %s", name, c.Instances.Shard, want)
		}
		c.Instances.Shard = ""
		whole = cmp.Or(whole, c)
		if d := Diff(*whole, *c); len(d) > 0 {
			return fmt.Errorf("%s asks otherwise than %s: %s", name, shards[0], d[0])
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	lock, err := acquire(dir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	begun := filepath.Join(dir, job.TempPrefix+"merge")
	there, err := readConfig(dir)
	if errors.Is(err, ErrNoRun) {
		if err = vacant(dir); err == nil || exists(begun) {
			err = job.ReplaceBytes(begun, nil)
		}
	} else if err == nil && len(Diff(*there, *whole)) > 0 {
		err = fmt.Errorf("%s: %w", dir, ErrExists)
	}
	if err != nil {
		return err
	}
	for _, name := range []string{InstancesFile, RepliesFile, LogFile} {
		err := job.Replace(filepath.Join(dir, name), func(w io.Writer) error {
			for _, shard := range shards {
				if err := appendFile(w, filepath.Join(shard, name)); err != nil && (name != LogFile || !errors.Is(err, fs.ErrNotExist)) {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := dropScores(dir); err != nil {
		return err
	}
	return cmp.Or(writeConfig(dir, whole), job.Remove(begun))
}

// appendFile copies a file behind what was written.
func appendFile(w io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = io.Copy(w, f)
	return err
}
