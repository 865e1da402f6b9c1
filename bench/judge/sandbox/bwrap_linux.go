//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// bwrap starts interpreters in bubblewrap.
type bwrap struct {
	path    string
	args    []string // all but what differs from start to start
	filter  []byte
	version string
	spawner
}

// newBwrap prepares the command line of bubblewrap. It only asks for its version: whether the
// sandbox holds is for the probes to say.
func newBwrap(ctx context.Context, files *layout) (*bwrap, error) {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, &Unavailable{Backend: Bubblewrap, Step: "looking for the command bwrap", Err: err, Remedy: "Install it: apt-get install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora), apk add bubblewrap (Alpine)."}
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, &Unavailable{Backend: Bubblewrap, Step: "looking for the command bwrap", Err: err}
	}
	version, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return nil, failed(ctx, Bubblewrap, "asking bwrap for its version", err, "")
	}
	b := &bwrap{path: path, spawner: newSpawner()}
	// bubblewrap loads the filter right before it starts the interpreter, and waits
	// for it under the same one.
	b.filter = filter(unix.SYS_EXECVE, unix.SYS_WAIT4)
	b.version = strings.TrimSpace(strings.TrimPrefix(string(version), "bubblewrap"))
	b.args = []string{
		"--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup",
		"--uid", "65534", "--gid", "65534", "--hostname", "sandbox",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL",
		// Without this, bubblewrap puts a process 1 in between and ends before it,
		// and the processor time of the program is lost.
		"--as-pid-1",
		"--clearenv",
	}
	for _, v := range environment {
		name, value, _ := strings.Cut(v, "=")
		b.args = append(b.args, "--setenv", name, value)
	}
	// Before the interpreter's files, which may be somewhere in the host's /tmp.
	b.args = append(b.args, "--dir", "/tmp", "--chdir", "/tmp")
	for _, p := range files.binds {
		b.args = append(b.args, "--ro-bind", p.from, p.to)
	}
	for _, p := range files.links {
		b.args = append(b.args, "--symlink", p.from, p.to)
	}
	b.args = append(b.args,
		// The root is a tmpfs of half the machine's memory, and writable.
		"--remount-ro", "/",
		"--seccomp", "3", "--")
	b.args = append(b.args, files.python(driver+"\nmain(*arguments)\n")...)
	return b, nil
}

func (b *bwrap) name() string { return Bubblewrap }

func (b *bwrap) versions(v *Versions) { v.Bubblewrap = b.version }

func (b *bwrap) apart() bool { return true }

func (b *bwrap) start(ctx context.Context, limits Policy) (*guest, error) {
	return b.launch(ctx, b.name(), b.command(limits), true, b.filter, limits)
}

// command returns the bubblewrap command around an interpreter with these limits.
func (b *bwrap) command(limits Policy) *exec.Cmd {
	args := append(slices.Clone(b.args), arguments(limits)...)
	cmd := exec.Command(b.path, append([]string{"--info-fd", "5"}, args...)...)
	cmd.Env = []string{} // not nil, which is all of ours
	return cmd
}
