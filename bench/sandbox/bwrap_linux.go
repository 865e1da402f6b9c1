//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"context"
	"debug/elf"
	_ "embed" // the Python half
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

//go:embed driver.py
var driver string

//go:embed find.py
var find string

const (
	backend = "bubblewrap"
	// scratch is the size of /tmp, which counts on top of a program's memory.
	scratch = 1 << 20
)

// bwrap starts interpreters in bubblewrap.
type bwrap struct {
	path     string
	args     []string // all but what differs from start to start
	filter   []byte
	versions Versions
	starts   chan func()
	once     sync.Once
}

func newBwrap(ctx context.Context, python string) (*bwrap, error) {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, &Unavailable{backend, "looking for the command bwrap", err,
			"Install it: apt-get install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora), apk add bubblewrap (Alpine)."}
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, &Unavailable{backend, "looking for the command bwrap", err, ""}
	}
	version, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return nil, failed(ctx, "asking bwrap for its version", err, "")
	}
	files, err := interpreter(ctx, python)
	if err != nil {
		return nil, err
	}
	b := &bwrap{path: path, filter: filter(), starts: make(chan func())}
	b.versions.Bubblewrap = strings.TrimSpace(strings.TrimPrefix(string(version), "bubblewrap"))
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		b.versions.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	b.args = []string{
		"--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup",
		"--uid", "65534", "--gid", "65534", "--hostname", "sandbox",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL",
		// Without this, bubblewrap puts a process 1 in between and ends before it,
		// and the processor time of the program is lost.
		"--as-pid-1",
		"--clearenv",
		"--setenv", "LANG", "C.UTF-8", "--setenv", "PYTHONHASHSEED", "0",
		// Libraries of linear algebra start threads, of which there are none.
		"--setenv", "OPENBLAS_NUM_THREADS", "1", "--setenv", "OMP_NUM_THREADS", "1", "--setenv", "MKL_NUM_THREADS", "1",
	}
	// Before the interpreter's files, which may be somewhere in the host's /tmp.
	b.args = append(b.args, "--size", strconv.Itoa(scratch), "--tmpfs", "/tmp", "--chdir", "/tmp")
	b.args = append(b.args, files.mounts...)
	b.args = append(b.args,
		// The root is a tmpfs of half the machine's memory, and writable.
		"--remount-ro", "/",
		"--seccomp", "3")
	// The environment is made here, so Python may listen to it; -I would not.
	b.args = append(b.args, "--", files.executable, "-s", "-B", "-X", "utf8", "-c", driver, "4")
	go b.serve()
	return b, nil
}

// serve starts processes from one thread that lives as long as they may: the
// kernel kills the sandboxes of a parent when the thread that started them ends.
func (b *bwrap) serve() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for start := range b.starts {
		start()
	}
}

func (b *bwrap) close() { b.once.Do(func() { close(b.starts) }) }

// command is bubblewrap around an interpreter that takes programs within limits.
func (b *bwrap) command(limits Policy) *exec.Cmd {
	args := append(slices.Clone(b.args),
		strconv.FormatFloat(limits.CPU.Seconds(), 'f', -1, 64), strconv.FormatInt(limits.Memory, 10), strconv.Itoa(scratch))
	cmd := exec.Command(b.path, append([]string{"--info-fd", "5"}, args...)...)
	cmd.Env = []string{} // not nil, which is all of ours
	cmd.Dir = "/"
	return cmd
}

// spawn runs cmd.Start in the thread for it.
func (b *bwrap) spawn(cmd *exec.Cmd) error {
	done := make(chan error)
	b.starts <- func() { done <- cmd.Start() }
	return <-done
}

// failed is a step that went wrong, with what the command said.
func failed(ctx context.Context, step string, err error, said string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var exit *exec.ExitError
	if said == "" && errors.As(err, &exit) {
		said = string(exit.Stderr)
	}
	if said = strings.TrimSpace(said); said != "" {
		lines := strings.Split(said, "\n")
		err = fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return &Unavailable{backend, step, err, remedy(said)}
}

// remedy knows the ways in which namespaces are forbidden.
func remedy(said string) string {
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(said, p) })
	}
	switch {
	case has("setting up uid map", "RTM_NEWADDR"):
		return "AppArmor keeps users from making namespaces (Ubuntu 24.04 does): install a profile that allows bwrap to,\n" +
			"or sysctl kernel.apparmor_restrict_unprivileged_userns=0."
	case has("new namespace", "unshare", "pivot_root", "mount"):
		return "Namespaces are forbidden here, as in a container with the usual profile:\n" +
			"run it outside, or with --security-opt seccomp=PROFILE that allows unshare, clone, mount and pivot_root;\n" +
			"on a host, see sysctl user.max_user_namespaces and kernel.unprivileged_userns_clone."
	case has("networkx"):
		return "Needed are Python 3 and its package networkx:\n" +
			"  Debian, Ubuntu   apt-get install python3 python3-networkx\n" +
			"  elsewhere        python3 -m venv venv && venv/bin/pip install networkx\n" +
			"Packages of \"pip install --user\" and those on PYTHONPATH do not count."
	}
	return ""
}

// layout is what an interpreter needs of the file system.
type layout struct {
	executable string
	mounts     []string // arguments of bubblewrap
}

// interpreter asks a Python, outside the sandbox, where its files are, and
// mounts these and no others.
func interpreter(ctx context.Context, python string) (layout, error) {
	cmd := exec.CommandContext(ctx, python, "-I", "-B", "-c", find)
	out, err := cmd.Output()
	if err != nil {
		var u *Unavailable
		err = failed(ctx, "asking "+python+" where its files are", err, "")
		if errors.As(err, &u) {
			u.Backend = ""
			if u.Remedy == "" {
				u.Remedy = remedy("networkx")
			}
		}
		return layout{}, err
	}
	var found struct {
		Executable                string
		Prefixes, Path, Libraries []string
		NetworkX                  string
	}
	if err := json.Unmarshal(out, &found); err != nil || found.Executable == "" {
		return layout{}, &Unavailable{Step: "asking " + python + " where its files are",
			Err: fmt.Errorf("it is not a Python interpreter: it says %.60q", out)}
	}
	program, err := filepath.EvalSymlinks(found.Executable)
	if err != nil {
		return layout{}, &Unavailable{Step: "looking for the interpreter", Err: err}
	}
	// A path that a .pth file adds may be somebody's working directory, so what is
	// outside the installation is left out.
	dirs := []string{found.NetworkX}
	for _, p := range found.Path {
		for _, prefix := range found.Prefixes {
			if inside(p, prefix) {
				dirs = append(dirs, p)
			}
		}
	}
	for _, l := range found.Libraries {
		dirs = append(dirs, filepath.Dir(l))
	}
	slices.Sort(dirs)
	var l layout
	l.executable = found.Executable
	mounted := []string{}
	for _, d := range dirs {
		info, err := os.Stat(d)
		if err != nil || slices.ContainsFunc(mounted, func(m string) bool { return inside(d, m) }) {
			continue // a zip file that is not there is usual
		}
		if !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		if d == "/" || slices.Contains(found.Prefixes, d) && (d == "/usr" || d == "/usr/local") {
			return layout{}, &Unavailable{Step: "looking for the interpreter's files",
				Err: fmt.Errorf("%s would have to be visible as a whole", d)}
		}
		mounted = append(mounted, d)
		l.mounts = append(l.mounts, "--ro-bind", d, d)
	}
	single := func(from, to string) {
		if !slices.ContainsFunc(mounted, func(m string) bool { return inside(to, m) }) {
			l.mounts = append(l.mounts, "--ro-bind", from, to)
		}
	}
	single(program, found.Executable)
	// Where the home of a virtual environment and its base are read from.
	for _, prefix := range found.Prefixes {
		if file := filepath.Join(prefix, "pyvenv.cfg"); exists(file) {
			single(file, file)
		}
	}
	if loader := loader(program); loader != "" {
		to := loader
		if dir, err := filepath.EvalSymlinks(filepath.Dir(loader)); err == nil {
			to = filepath.Join(dir, filepath.Base(loader))
		}
		from, err := filepath.EvalSymlinks(loader)
		if err != nil {
			return layout{}, &Unavailable{Step: "looking for the dynamic loader", Err: err}
		}
		single(from, to)
	}
	for _, config := range []string{"/etc/ld.so.cache", "/etc/alternatives"} {
		if exists(config) {
			single(config, config)
		}
	}
	for _, top := range []string{"/bin", "/lib", "/lib32", "/lib64"} {
		if to, err := os.Readlink(top); err == nil {
			l.mounts = append(l.mounts, "--symlink", to, top)
		}
	}
	return l, nil
}

// loader is what the kernel starts a dynamic executable with.
func loader(program string) string {
	f, err := elf.Open(program)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			name := make([]byte, p.Filesz)
			if _, err := p.ReadAt(name, 0); err != nil {
				return ""
			}
			return string(bytes.TrimRight(name, "\x00"))
		}
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func inside(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
