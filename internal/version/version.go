// Package version identifies the build of ein, so that a record says exactly what made
// it: the version, which stands only in the file VERSION; the revision of the source, if
// Go stamped one; and a digest of the executable, the beginning of what
// `head -c 32768 FILE | sha256sum` prints.
package version

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

//go:embed VERSION
var file string

// digits is how many of a revision or a digest are shown.
const digits = 12

// String returns the version as records have it: a semantic version with the revision
// and the digest as its metadata, as in 0.1.0+204c113aa301.9f86d081884c.
func String() string {
	rev, _ := revision()
	return Number() + "+" + strings.TrimPrefix(rev+"."+Digest(), ".")
}

// Line returns the version for people, with the time of the source, the version of the
// language and the platform.
func Line(language string) string {
	from := "build " + Digest()
	if rev, at := revision(); rev != "" {
		from = rev + " of " + at + ", " + from
	}
	return fmt.Sprintf("ein %s (%s) language %s %s %s/%s", Number(), from, language, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Number returns the version alone.
func Number() string { return strings.TrimSpace(file) }

// revision returns the revision of the source and its time; "" for a build outside a repository
// and for tests.
func revision() (rev, at string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", ""
	}
	modified := ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			rev = s.Value[:min(len(s.Value), digits)]
		case "vcs.time":
			at = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				modified = "-modified"
			}
		}
	}
	if rev == "" {
		return "", ""
	}
	return rev + modified, at
}

// start is how many bytes of an executable are read: its header, where Go's linker writes a digest
// of everything else. Reading the whole file takes ten times as long as everything else that a
// short command does.
const start = 32 << 10

// Digest is of the file that runs; "unknown" where that cannot be read.
var Digest = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	f, err := os.Open(name)
	if err != nil {
		return "unknown"
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, start)); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:digits]
})
