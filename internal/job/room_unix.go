//go:build darwin || dragonfly || freebsd || linux

package job

import "golang.org/x/sys/unix"

// Room returns how many bytes can be written in a folder, and whether that is known.
func Room(dir string) (int64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true //nolint:unconvert // the types differ between systems
}
