package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ein/bind"
	"ein/bind/project"
	"ein/internal/codes"
	"ein/internal/lists"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/ide"
	"ein/vm/cost"
	"ein/vm/graphio"
	"ein/vm/tensor"
)

// binding is the data of a program's inputs, and where it came from. It belongs to a version of the
// file, and is replaced when its key changes.
type binding struct {
	key      string
	values   map[string]*tensor.Value // nil when the data is wrong
	labels   []string
	problems map[string]diag.List // by input; the spans are those of its declaration
}

// dataSource is a file that the settings bind to an input.
type dataSource struct {
	bind.Input
	declared bind.Declared
}

// filesOf is the files that the data is in.
func filesOf(sources []dataSource) (list []string) {
	for _, src := range sources {
		list = append(list, src.Files()...)
	}
	return list
}

// said is what ein.toml says about a program, if the user trusts the workspace.
func (s *snapshot) said(f *file) (project.Settings, error) {
	if !s.trusted || !f.uri.IsFile() {
		return project.Settings{}, nil
	}
	beside, err := project.Beside(f.uri.FsPath())
	return beside.For(f.uri.FsPath()), err
}

// sources is the data that the settings, or else ein.toml, give a program. If one input has none, all
// stay unbound, since the nodes are those of all inputs together.
func (s *server) sources(f *file, inputs []ide.Input) (list []dataSource, problems map[string]diag.List) {
	snap := s.session.snapshot()
	names := lists.Map(inputs, func(in ide.Input) string { return in.Name })
	said, err := snap.said(f)
	var beside []bind.Input
	if err == nil {
		beside, err = said.Inputs(names)
	}
	if err != nil {
		b := &binding{problems: map[string]diag.List{}}
		b.problem(names[0], err)
		return nil, b.problems
	}
	for _, in := range inputs {
		var data bind.Input
		if spec, ok := snap.settings.Inputs[in.Name]; ok {
			if data, err = bind.New(in.Name, spec); err != nil {
				problems = map[string]diag.List{in.Name: {{Code: codes.E0701, Message: fmt.Sprintf("the setting ein.inputs.%v", err)}}}
				return nil, problems
			}
			data.Resolve(func(path string) string { return snap.resolve(f, path) })
		} else if at := slices.IndexFunc(beside, func(x bind.Input) bool { return x.Name == in.Name }); at >= 0 {
			data = beside[at]
		} else {
			return nil, nil
		}
		data.Options.MaxBytes = s.opt.MaxData
		list = append(list, dataSource{data, bind.Declared{Name: in.Name, Kind: graphio.Kind(in.Kind), Columns: in.Columns}})
	}
	return list, nil
}

// resolve makes a path of the settings absolute: it is relative to the workspace
// folder of the program, or else to the program's own.
func (s *snapshot) resolve(f *file, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	own := ""
	if f.uri.IsFile() {
		own = filepath.Dir(f.uri.FsPath())
	}
	base := ""
	for _, dir := range s.folders {
		rel, err := filepath.Rel(dir, own)
		inside := err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
		if inside && len(dir) > len(base) {
			base = dir
		}
	}
	switch {
	case base != "":
	case own != "":
		base = own
	case len(s.folders) > 0: // a program that is not saved yet
		base = s.folders[0]
	}
	return filepath.Join(base, path)
}

// bindData makes the data of a program follow the settings and the disk. A goroutine reads it and
// then makes a new version of the file; reading reports that one will come. Data is read again only
// if its key changes: with the settings, with what the program declares, and with the size or time
// of a file.
func (s *server) bindData(f *file) (reading bool) {
	inputs := f.document().Inputs()
	var sources []dataSource
	var problems map[string]diag.List
	if len(inputs) > 0 {
		sources, problems = s.sources(f, inputs)
	}
	key := ""
	if sources != nil || problems != nil {
		key = dataKey(f, sources, problems)
	}
	snap := s.session.snapshot()
	profile := snap.settings.profile()
	if said, err := snap.said(f); err == nil && said.Profile != nil && *said.Profile != check.Full {
		profile = *said.Profile
	}
	if f.boundKey() == key && f.profile == profile {
		s.data.stop(f.uri)
		return false
	}
	watched := filesOf(sources)
	if snap.trusted && f.uri.IsFile() {
		watched = append(watched, filepath.Join(filepath.Dir(f.uri.FsPath()), project.Name))
	}
	s.watch(f.uri, watched)
	if sources == nil {
		s.data.stop(f.uri)
		b := &binding{key: key, problems: problems}
		if key == "" {
			b = nil
		}
		s.rebind(f.uri, profile, b)
		return true
	}
	known, domains := check.ProgramLabels(f.document().File()), check.ProgramDomains(f.document().File())
	s.data.start(f.uri, key, func(done func()) func() {
		ctx, cancel := context.WithCancel(s.ctx)
		go func() {
			defer done()
			defer cancel()
			b := s.bindAll(ctx, sources, known, domains)
			if ctx.Err() == nil {
				b.key = key
				s.rebind(f.uri, profile, b)
			}
		}()
		return cancel
	})
	return true
}

// boundKey is the key of the data that a version has, "" without any.
func (f *file) boundKey() string {
	if f.bound == nil {
		return ""
	}
	return f.bound.key
}

// dataKey changes with everything that the values of the inputs depend on. A file counts by its
// size and time, so nothing is read to find that nothing has changed.
func dataKey(f *file, sources []dataSource, problems map[string]diag.List) string {
	var b strings.Builder
	for _, src := range sources {
		fmt.Fprintf(&b, "%s %q\n", encoded(src.declared), src.Options.Spec(src.Path))
	}
	for _, path := range filesOf(sources) {
		state := "missing"
		if info, err := os.Stat(path); err == nil {
			state = fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
		}
		fmt.Fprintf(&b, "%q %s\n", path, state)
	}
	text := f.document().File()
	fmt.Fprintf(&b, "%v %q %q", problems, check.ProgramLabels(text), check.ProgramDomains(text))
	return b.String()
}

// rebind makes the version of a file with the data that was read, if the file is still open, and tells
// the client to ask again.
func (s *server) rebind(u uri.URI, profile check.Profile, b *binding) {
	var now *file
	s.session.update(func(next *snapshot) {
		if f := next.files[u]; f != nil {
			now = f.rebound(s.session.revs.Add(1), profile, b)
			next.files[u] = now
		}
	})
	if now != nil {
		s.checkNow(u)
		s.refreshClient()
	}
}

// refreshClient asks the client to pull everything again that depends on more than the text. The
// answers are empty, so nothing waits for them.
func (s *server) refreshClient() {
	for _, ask := range s.client.refreshes {
		go func() {
			if err := ask(s.peer, s.ctx); err != nil && s.ctx.Err() == nil {
				s.log.Debug("the client did not refresh", "error", err)
			}
		}()
	}
}

// bindAll reads the data and gives the inputs their values. Every file is read, so that all that
// are wrong are reported; if one is, no input gets a value.
func (s *server) bindAll(ctx context.Context, sources []dataSource, known []string, domains map[string][]string) *binding {
	b := &binding{problems: map[string]diag.List{}}
	read := bind.Reader{Open: openRegular, Tables: s.opt.Tables, Ledger: &cost.Ledger{Max: s.opt.MaxMemory}}
	var decls []graphio.Decl
	for _, src := range sources {
		raw, err := read.Read(ctx, src.Input, src.declared)
		if err != nil {
			b.problem(src.Name, err)
			continue
		}
		decls = append(decls, graphio.Decl{Name: src.Name, Raw: raw})
	}
	if len(decls) < len(sources) {
		return b
	}
	data, err := bind.Bind(decls, known, domains)
	if err != nil {
		b.problem(sources[0].Name, err)
		return b
	}
	b.values, b.labels = data.Values, data.Labels
	for _, w := range data.Warnings {
		name := cmp.Or(w.Input, sources[0].Name)
		d := bind.Warnings([]graphio.Warning{w})[0]
		d.Message, d.At = w.String(), nil
		b.problems[name] = append(b.problems[name], d)
	}
	return b
}

// openRegular opens a regular file only: opening a pipe would block.
func openRegular(_ context.Context, path string) (io.ReadCloser, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	return os.Open(path)
}

// problem is the mistakes in the data of an input, one diagnostic for each place in the file.
func (b *binding) problem(input string, err error) {
	for _, d := range bind.Findings(err) {
		if at := d.At.String(); at != "" {
			d.Message = at + ": " + d.Message
		}
		d.At = nil // it is shown where the input is declared
		if d.Code == codes.E0702 {
			d.Notes = append(d.Notes, fmt.Sprintf("The setting ein.inputs.%s, or %s, names it for `%s`.", input, project.Name, input))
		}
		b.problems[input] = append(b.problems[input], d)
	}
}

// watch asks the client to report changes of a program's data files, in place of those that it was
// asked for before. If the client cannot, the next edit finds the changes.
func (s *server) watch(u uri.URI, paths []string) {
	if !s.client.can("workspace.didChangeWatchedFiles.dynamicRegistration") {
		return
	}
	s.watched.change(u, func(old watchedFiles) watchedFiles {
		if slices.Equal(old.paths, paths) {
			return old
		}
		now := watchedFiles{paths: paths}
		if len(paths) > 0 {
			now.id = fmt.Sprintf("ein.data.%d", s.session.revs.Add(1))
		}
		s.asks.put(func() { s.rewatch(old, now) })
		return now
	})
}

// rewatch asks for one registration in place of another.
func (s *server) rewatch(old, now watchedFiles) {
	var err error
	if now.id != "" {
		err = s.peer.RegisterCapability(s.ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: now.id, Method: protocol.MethodWorkspaceDidChangeWatchedFiles,
			RegisterOptions: encoded(&protocol.DidChangeWatchedFilesRegistrationOptions{Watchers: lists.Map(now.paths, s.watcher)}),
		}}})
	}
	if old.id != "" {
		err = errors.Join(err, s.peer.UnregisterCapability(s.ctx, &protocol.UnregistrationParams{Unregisterations: []protocol.Unregistration{
			{ID: old.id, Method: protocol.MethodWorkspaceDidChangeWatchedFiles}}}))
	}
	s.warn("the client does not watch the data", err)
}

// watcher is a pattern for one file.
func (s *server) watcher(path string) protocol.FileSystemWatcher {
	escaped := func(s string) string {
		return strings.NewReplacer("*", "[*]", "?", "[?]", "{", "[{]", "[", "[[]").Replace(filepath.ToSlash(s))
	}
	if s.client.can("workspace.didChangeWatchedFiles.relativePatternSupport") {
		return protocol.FileSystemWatcher{GlobPattern: &protocol.RelativePattern{
			BaseURI: protocol.URI(uri.File(filepath.Dir(path))), Pattern: protocol.Pattern(escaped(filepath.Base(path))),
		}}
	}
	return protocol.FileSystemWatcher{GlobPattern: protocol.Pattern(escaped(path))}
}

// watchedFiles is the data files of one program, and the registration by which the client watches
// them.
type watchedFiles struct {
	id    string // of the registration
	paths []string
}

// DidChangeWatchedFiles checks the programs whose data has changed.
func (s *server) DidChangeWatchedFiles(_ context.Context, params *protocol.DidChangeWatchedFilesParams) error {
	for u, w := range s.watched.all() {
		if slices.ContainsFunc(params.Changes, func(c protocol.FileEvent) bool { return slices.Contains(w.paths, c.URI.FsPath()) }) {
			s.checkSoon(u)
		}
	}
	return nil
}

// encoded is a value of the protocol in its untyped form.
func encoded(v any) protocol.LSPAny {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("BUG: lsp: " + err.Error())
	}
	return raw
}
