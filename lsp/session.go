package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/uri"

	"ein/internal/lists"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/ide"
)

// session is the open files and the settings. What there is now is one snapshot;
// its holder may use it as long as it likes.
type session struct {
	mu   sync.Mutex // of those who make the next snapshot
	now  atomic.Pointer[snapshot]
	revs atomic.Uint64
}

// snapshot is the state of a session at one time. It never changes.
type snapshot struct {
	files    map[uri.URI]*file
	settings settings
	folders  []string // of the workspace, as paths
	trusted  bool     // so that its own files may say which data is read
	encoding encoding
}

// newSession is a session without a file; positions count in UTF-16 unless the client offers
// others.
func newSession() *session {
	s := &session{}
	s.now.Store(&snapshot{encoding: utf16Units, files: map[uri.URI]*file{}})
	return s
}

func (s *session) snapshot() *snapshot { return s.now.Load() }

// update makes the next snapshot from a copy of the present one.
func (s *session) update(change func(*snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := *s.now.Load()
	next.files = maps.Clone(next.files)
	change(&next)
	s.now.Store(&next)
}

// sorted returns the open files by name.
func (s *snapshot) sorted() []*file {
	return slices.SortedFunc(maps.Values(s.files), func(a, b *file) int { return cmp.Compare(a.uri, b.uri) })
}

// snapshotKey is the key of the snapshot in the context of a request.
type snapshotKey struct{}

// snapshotOf is the snapshot of when a request came.
func snapshotOf(ctx context.Context) *snapshot { return ctx.Value(snapshotKey{}).(*snapshot) }

// file is the file that a request speaks of, as it was when the request came.
func (s *server) file(ctx context.Context, u uri.URI) (*file, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if f := snapshotOf(ctx).files[u]; f != nil {
		return f, nil
	}
	if u == "" {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "expected the URI of an open file in textDocument.uri, found none")
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s is not open", u)
}

// file is one version of an open file. It never changes; what is known of the text
// is worked out when it is first asked for.
type file struct {
	uri      uri.URI // in the one form that every spelling of it has
	sent     uri.URI // as the client wrote it, which may know it by no other
	version  int32
	rev      uint64 // counts every change of any file: of the text, the data, the settings
	text     string
	profile  check.Profile
	bound    *binding // nil when no data is bound
	encoding encoding

	mapper   func() *mapper
	document func() *ide.Document
}

// finish sets up what is worked out later.
func (f *file) finish() *file {
	f.mapper = sync.OnceValue(func() *mapper { return newMapper(f.text, f.encoding) })
	f.document = sync.OnceValue(func() *ide.Document { return ide.New(f.name(), f.text, f.options()) })
	return f
}

// name is the file's name in messages.
func (f *file) name() string {
	if f.uri.IsFile() {
		return f.uri.FsPath()
	}
	return f.uri.String()
}

// options is how the program of a version is compiled: by the profile and the data of that version.
func (f *file) options() lang.Options {
	opt := lang.Options{Profile: f.profile}
	if f.bound != nil {
		opt.Inputs, opt.Labels = f.bound.values, f.bound.labels
	}
	return opt
}

// resultID names the state of a file in the protocol's pulled results.
func (f *file) resultID() string { return strconv.FormatUint(f.rev, 10) }

// edited is the next version of a file.
func (f *file) edited(version int32, rev uint64, text string) *file {
	next := *f
	next.version, next.rev, next.text = version, rev, text
	return next.finish()
}

// rebound is the same text with other data or settings.
func (f *file) rebound(rev uint64, profile check.Profile, b *binding) *file {
	next := *f
	next.rev, next.profile, next.bound = rev, profile, b
	return next.finish()
}

// settings is what the user configures in the section "ein".
type settings struct {
	Inputs  map[string]string `json:"inputs"`  // data of inputs: NAME to FILE, as in ein run --input NAME=FILE
	Profile string            `json:"profile"` // full or core
}

// parseSettings reads a section, which may be wrapped in its name. What it does not
// know is in the error, beside the settings that it does know.
func parseSettings(raw []byte) (settings, error) {
	var s settings
	if len(raw) == 0 || string(raw) == "null" {
		return s, nil
	}
	var wrapped map[string]json.RawMessage
	if err := json.Unmarshal(raw, &wrapped); err != nil {
		return s, fmt.Errorf("the settings are not an object: %s", wrongSetting(err))
	}
	if inner, ok := wrapped["ein"]; ok {
		return parseSettings(inner)
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return settings{}, fmt.Errorf("the settings are wrong: %s", wrongSetting(err))
	}
	for _, key := range slices.Sorted(maps.Keys(wrapped)) {
		switch key {
		case "inputs", "profile":
		case "path", "trace", "trusted": // of the client itself
		default:
			return s, fmt.Errorf("there is no setting ein.%s; there are ein.inputs and ein.profile", key)
		}
	}
	if profile := s.Profile; profile != "" && s.profile().String() != profile {
		s.Profile = ""
		return s, fmt.Errorf("ein.profile is %.40q, expected %q, %q or %q", profile, check.Full, check.Core, check.Logic)
	}
	return s, nil
}

// wrongSetting says what is wrong in terms of the settings rather than of Go.
func wrongSetting(err error) string {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err.Error()
	}
	found := "a " + wrong.Value
	if strings.HasPrefix(wrong.Value, "a") || strings.HasPrefix(wrong.Value, "o") {
		found = "an " + wrong.Value
	}
	if wrong.Field != "" {
		found += " in ein." + wrong.Field
	}
	return "found " + found + `, expected the form {"inputs": {"A": "a.csv"}, "profile": "full"}`
}

// profile is the one that is set; full where none is.
func (s settings) profile() check.Profile {
	at := slices.IndexFunc(check.Profiles, func(p check.Profile) bool { return s.Profile == p.String() })
	return check.Profiles[max(at, 0)]
}

// kept is what is kept beside the snapshots: for files, for requests.
type kept[K comparable, T any] struct {
	mu sync.Mutex
	of map[K]T
}

// get returns what is kept for a key.
func (k *kept[K, T]) get(key K) (T, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now, ok := k.of[key]
	return now, ok
}

// all returns all that is kept now.
func (k *kept[K, T]) all() map[K]T {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.of)
}

// change replaces what is kept for a key, and gives what was there.
func (k *kept[K, T]) change(key K, next func(before T) T) (before T, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before, ok = k.of[key]
	lists.Put(&k.of, key, next(before))
	return before, ok
}

// drop forgets a key.
func (k *kept[K, T]) drop(key K) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.of, key)
}
