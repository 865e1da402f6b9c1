// Package project reads ein.toml, the file that binds data to the inputs of the programs
// beside it and sets their limits:
//
//	profile = "full"
//
//	[limits]
//	max-memory = "64MiB"
//
//	[inputs]                           # of every program that has an input A
//	A = "owners.csv?from=parent&to=child"
//
//	[programs."flow.ein".inputs]       # of this program; takes precedence
//	A = { file = "transfers.csv", from = "payer", to = "payee", where = ["km<500"] }
//
// [Beside] reads the file of a folder, [Named] one that the user named, and [Parse] a text, with
// all its mistakes. [File.For] gives the [Settings] of one program; [Settings.Over] joins those of
// two files. [Settings.Inputs] are then inputs of package bind, and [Limit.Lower] applies a limit.
// [Add] writes a binding into a text and keeps the rest of it.
//
// Whoever runs a program may not be the author of this file. So it may bind only files of its own
// folder, also behind links, and may only lower limits, unless the user named it. No data is read
// here.
package project

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ein/bind"
	"ein/internal/codes"
	"ein/internal/words"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/source"
)

// Name is the name of the file beside the programs.
const Name = "ein.toml"

// maxBytes bounds what is read of a file.
const maxBytes = 1 << 20

// File is a file that was read.
type File struct {
	name   string
	named  bool // by hand: it may bind any file
	all    Settings
	single map[string]*Settings // by the base name of the program
}

// Settings is what files say about one program.
type Settings struct {
	Profile *check.Profile // nil where nothing is said
	Memory  Limit          // bytes
	Ops     Limit
	Output  Limit // elements
	Timeout Limit // a [time.Duration]
	inputs  []input
	files   []string // what was read
	at      source.Position
}

// Limit is a limit with its place; the value 0 is none.
type Limit struct {
	Value uint64
	at    source.Position
}

// input is the data of one input.
type input struct {
	bind.Input
	at   source.Position
	own  bool // it is said of this program, not of every one
	wild bool // the path may lead anywhere
}

// Beside reads the file in the folder of a program; it is nil if there is none.
func Beside(program string) (*File, error) {
	dir := filepath.Dir(program)
	f, err := read(filepath.Join(dir, Name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if list := f.missing(dir, filepath.Base(program)); list != nil {
		return nil, &bind.ListError{List: list}
	}
	return f, nil
}

// missing reports the programs of a file that are not in its folder. The one that is
// asked about may not have been saved yet.
func (f *File) missing(dir, asked string) (list diag.List) {
	for _, name := range slices.Sorted(maps.Keys(f.single)) {
		if _, err := os.Stat(filepath.Join(dir, name)); name == asked || !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		programs, _ := fs.Glob(os.DirFS(dir), "*.ein")
		hint := "The name of a program is that of its file beside " + Name + "."
		if near, ok := diag.Suggest(name, programs); ok {
			hint = fmt.Sprintf("Did you mean %q?", near)
		}
		list = append(list, wrong(f.single[name].at, fmt.Sprintf("there is no program %q here", name), hint))
	}
	return list
}

// Named reads a file that the user named.
func Named(name string) (*File, error) {
	f, err := read(name)
	if err == nil {
		f.named = true
	}
	return f, err
}

func wrong(at source.Position, message, hint string) diag.Diagnostic {
	return diag.Finding(codes.E0711, diag.Error, at.File, at.Line, at.Column, message, hint)
}

// read reads and parses a file of settings.
func read(name string) (*File, error) {
	text, err := content(name)
	if err != nil {
		return nil, &bind.FileError{Name: name, Err: err}
	}
	file, list := Parse(name, text)
	if list != nil {
		return nil, &bind.ListError{List: list}
	}
	return file, nil
}

// content reads a regular file of at most maxBytes.
func content(name string) ([]byte, error) {
	info, err := os.Stat(name) // opening a pipe would wait
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && len(text) > maxBytes {
		err = fmt.Errorf("it is larger than %s", words.Bytes(maxBytes))
	}
	return text, err
}

// For returns what a file says of a program; the zero value if there is no file.
func (f *File) For(program string) Settings {
	if f == nil {
		return Settings{}
	}
	s := Settings{files: []string{f.name}}
	if own := f.single[filepath.Base(program)]; own != nil {
		s = own.Over(s)
	}
	s = s.Over(f.all)
	for i := range s.inputs {
		in := &s.inputs[i]
		in.wild = f.named
		in.Resolve(f.here)
	}
	return s
}

// here returns a path in the file, which is relative to its folder.
func (f *File) here(path string) string {
	if filepath.IsAbs(path) || strings.Contains(path, "://") { // which is told as it was written
		return path
	}
	return filepath.Join(filepath.Dir(f.name), path)
}

// Over returns these settings, completed by others.
func (s Settings) Over(other Settings) Settings {
	s.Profile = cmp.Or(s.Profile, other.Profile)
	s.Memory, s.Ops = cmp.Or(s.Memory, other.Memory), cmp.Or(s.Ops, other.Ops)
	s.Output, s.Timeout = cmp.Or(s.Output, other.Output), cmp.Or(s.Timeout, other.Timeout)
	s.inputs = slices.Clone(s.inputs)
	for _, in := range other.inputs {
		if !slices.ContainsFunc(s.inputs, func(x input) bool { return x.Name == in.Name }) {
			s.inputs = append(s.inputs, in)
		}
	}
	s.files = slices.Concat(s.files, other.files)
	return s
}

// Files are the files that the settings come from, and those they name.
func (s *Settings) Files() []string {
	files := slices.Clone(s.files)
	for i := range s.inputs {
		files = append(files, s.inputs[i].Files()...)
	}
	return files
}

// Idle says where inputs are bound that are not among names.
func (s *Settings) Idle(names []string) (list []string) {
	for _, in := range s.inputs {
		if !slices.Contains(names, in.Name) {
			list = append(list, fmt.Sprintf("%v binds `%s`, which the program does not have.", in.at, in.Name))
		}
	}
	return list
}

// Where returns the place that names a file of data, "" for none.
func (s *Settings) Where(file string) string {
	for i := range s.inputs {
		if in := &s.inputs[i]; slices.Contains(in.Files(), file) {
			return in.at.String()
		}
	}
	return ""
}

// Inputs returns the data of the inputs among names. It is an error if the files bind an input for
// this program that it does not have, or if a path leads out of the folder of a file that the user
// did not name.
func (s *Settings) Inputs(names []string) (list []bind.Input, err error) {
	var wrongs diag.List
	for _, in := range s.inputs {
		if !slices.Contains(names, in.Name) {
			if in.own {
				wrongs = append(wrongs, wrong(in.at, fmt.Sprintf("the program has no input `%s`", in.Name), bind.Meant(in.Name, names)))
			}
			continue
		}
		if folder := filepath.Dir(in.at.File); !in.wild && slices.ContainsFunc(in.Files(), func(path string) bool { return leaves(folder, path) }) {
			wrongs = append(wrongs, wrong(in.at, fmt.Sprintf("the data of `%s` lies outside the folder of %s", in.Name, Name),
				"An `ein.toml` that is found beside a program binds only files of its own folder. `--input` and `--bind` can bind any."))
			continue
		}
		list = append(list, in.Input)
	}
	if wrongs != nil {
		return nil, &bind.ListError{List: wrongs}
	}
	return list, nil
}

// leaves reports whether a path leads out of a folder, by itself or through a link. A change
// between this check and the opening is not seen: whoever can put a link there then can read the
// file anyway.
func leaves(folder, path string) bool {
	outside := func(folder, path string) bool {
		folder, err := filepath.Abs(folder)
		path, err2 := filepath.Abs(path)
		rel, err3 := filepath.Rel(folder, path)
		return errors.Join(err, err2, err3) != nil || !filepath.IsLocal(rel)
	}
	if outside(folder, path) {
		return true
	}
	home, err := filepath.EvalSymlinks(folder)
	real, err2 := filepath.EvalSymlinks(path)
	return err == nil && err2 == nil && outside(home, real) // what does not exist cannot be read
}

// Lower sets a limit to that of the settings, if it is lower. A higher one is an error: only the
// user may let a program use more.
func (l Limit) Lower(to *uint64, show func(uint64) string) error {
	if l.Value == 0 {
		return nil
	}
	if *to != 0 && l.Value > *to {
		return &bind.ListError{List: diag.List{wrong(l.at, fmt.Sprintf("the limit of %s is higher than the %s that holds without it", show(l.Value), show(*to)),
			"A file lowers limits; the options of the command line set them.")}}
	}
	*to = l.Value
	return nil
}

// Least returns the limit or another one, whichever is lower; 0 is none.
func (l Limit) Least(other uint64) uint64 {
	return cmp.Or(min(l.Value, other), max(l.Value, other))
}
