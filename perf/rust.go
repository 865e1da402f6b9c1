package main

import (
	"embed"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
)

// rustSource is the program of the engines of Datalog in Rust.
//
//go:embed rust/Cargo.toml rust/Cargo.lock rust/src/main.rs
var rustSource embed.FS

// buildRust returns the command of that program, which cargo builds once: in seconds, and
// in the user's cache.
var buildRust = sync.OnceValues(func() (program string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "ein-perf")
	if err := os.RemoveAll(filepath.Join(dir, "rust")); err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, rustSource); err != nil {
		return "", err
	}
	target := filepath.Join(dir, "target")
	cmd := exec.Command("cargo", "build", "--release", "--locked", "--quiet", "--target-dir", target)
	cmd.Dir, cmd.Stderr = filepath.Join(dir, "rust"), os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("cargo: %w", err)
	}
	return filepath.Join(target, "release", "peers"), nil
})

// frog is what datafrog took for the closure of 2,000 edges, in seconds of processor time,
// where the constants were measured. What it takes here says how fast this machine is.
const frog = 0.148

// rust is an engine in Rust on a case; each sample is a process, of which the loading
// does not count.
func (e *env) rust(engine, what string, files map[string]string) contender {
	c := contender{name: engine}
	if _, err := exec.LookPath("cargo"); err != nil {
		c.why = "no cargo"
	}
	c.start = func() (sampler, error) {
		program, err := buildRust()
		if err != nil {
			return nil, err
		}
		args := []string{engine, what}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			args = append(args, name+"="+files[name])
		}
		return func() (a answer, err error) {
			cmd := exec.Command(program, args...)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				return a, err
			}
			_, err = fmt.Sscan(string(out), &a.Wall, &a.CPU, &a.Check, &a.peak)
			if engine == "datafrog" && what == "left" && e.scale == 0 {
				e.scale = a.CPU / frog
			}
			return a, err
		}, nil
	}
	return c
}
