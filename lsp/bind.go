package lsp

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ein/bind/project"
	"ein/internal/job"
	"ein/lang/source"
	"ein/vm/graphio"
)

// maxOffered is how many data files are offered for an input.
const maxOffered = 10

// bindings offers data for the inputs in a range that have none, if ein.toml is read there. Files
// whose names resemble the input's come first.
func (s *server) bindings(f *file, span source.Span) (list []protocol.CommandOrCodeAction) {
	snap := s.session.snapshot()
	if !snap.trusted || !f.uri.IsFile() {
		return nil
	}
	said, err := snap.said(f)
	if err != nil {
		return nil // a diagnostic says what is wrong with ein.toml
	}
	for _, in := range f.document().Inputs() {
		data, err := said.Inputs([]string{in.Name})
		if _, set := snap.settings.Inputs[in.Name]; set || err != nil || len(data) > 0 || span.Start > in.Span.End || span.End < in.Span.Start {
			continue
		}
		for _, name := range dataBeside(f.uri.FsPath(), in.Name) {
			title := fmt.Sprintf("bind `%s` to %s in %s", in.Name, name, project.Name)
			list = append(list, &protocol.CodeAction{Title: title, Command: protocol.Command{
				Title: title, Command: commandBind, Arguments: []protocol.LSPAny{encoded(f.sent), encoded(in.Name), encoded(name)},
			}})
		}
	}
	return list
}

// dataBeside returns the data files in the folder of a program and the folders in it, as relative paths.
// Those that are called like the input come first.
func dataBeside(program, input string) (names []string) {
	dir := filepath.Dir(program)
	here, _ := fs.Glob(os.DirFS(dir), "*")
	below, _ := fs.Glob(os.DirFS(dir), "*/*")
	for _, name := range append(here, below...) {
		path := filepath.Join(dir, name)
		if _, ok := graphio.FormatOf(path); !ok || strings.ContainsAny(name, "?") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "node_modules") {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			names = append(names, name)
		}
	}
	unlike := func(name string) int {
		stem, _, _ := strings.Cut(strings.ToLower(filepath.Base(name)), ".")
		switch input := strings.ToLower(input); {
		case stem == input:
			return 0
		case strings.Contains(stem, input) || strings.Contains(input, stem):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(unlike(a), unlike(b)) })
	return names[:min(len(names), maxOffered)]
}

// bindInput writes the data of an input into the ein.toml beside its program.
func (s *server) bindInput(ctx context.Context, args []protocol.LSPAny) (string, error) {
	var input, data string
	f, err := s.named(ctx, args, &input, &data)
	if err != nil {
		return "", err
	}
	if !s.session.snapshot().trusted || !f.uri.IsFile() {
		return "", jsonrpc2.Errorf(requestFailed, "%s is written beside a program on the disk, in a workspace that is trusted", project.Name)
	}
	program := f.uri.FsPath()
	name := filepath.Join(filepath.Dir(program), project.Name)
	before, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return "", jsonrpc2.Errorf(requestFailed, "%v", err)
	}
	after, err := project.Add(before, filepath.Base(program), input, data)
	if err == nil {
		err = job.ReplaceBytes(name, after)
	}
	if err != nil {
		return "", jsonrpc2.Errorf(requestFailed, "%v", err)
	}
	s.checkNow(f.uri)
	return fmt.Sprintf("%s binds `%s` to %s", project.Name, input, data), nil
}
