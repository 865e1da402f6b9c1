//go:build !(darwin || dragonfly || freebsd || linux || windows)

package job

// Room returns how many bytes can be written in a folder, and whether that is known: these
// systems are not asked.
func Room(string) (int64, bool) { return 0, false }
