//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"context"
	"debug/elf"
	_ "embed" // the Python half
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed driver.py
var driver string

//go:embed find.py
var find string

// environment is the whole environment of an interpreter.
var environment = []string{
	"LANG=C.UTF-8", "PYTHONHASHSEED=0",
	// Libraries of linear algebra start threads, which are not allowed.
	"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1",
}

// arguments returns the arguments of the driver that differ from start to start.
func arguments(limits Policy) []string {
	return []string{strconv.FormatFloat(limits.CPU.Seconds(), 'f', -1, 64), strconv.FormatInt(limits.Memory, 10)}
}

// python returns the command line of an interpreter with a driver, whose first argument is the
// descriptor of the report. The environment is set here, so Python may read it; -I would ignore it.
func (l *layout) python(driver string) []string {
	return []string{l.executable, "-s", "-B", "-X", "utf8", "-c", driver, "4"}
}

// remedy says what to do about the ways in which systems forbid namespaces.
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

// layout is the part of the file system that an interpreter needs.
type layout struct {
	executable string
	binds      []pair // files and folders: where they are, and where they are looked for
	links      []pair // symbolic links: what they say, and where they are
}

// pair is a path and where, or under what, it appears; see layout.
type pair struct{ from, to string }

// interpreter asks a Python, outside the sandbox, where its files are. A program sees only these.
func interpreter(ctx context.Context, python string) (*layout, error) {
	cmd := exec.CommandContext(ctx, python, "-I", "-B", "-c", find)
	// Without LD_PRELOAD and the like, only the interpreter's own files are loaded and listed.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "LD_") })
	out, err := cmd.Output()
	if err != nil {
		err = failed(ctx, "", "asking "+python+" where its files are", err, "")
		if u, ok := errors.AsType[*Unavailable](err); ok && u.Remedy == "" {
			u.Remedy = remedy("networkx")
		}
		return nil, err
	}
	var found struct {
		Executable                string
		Prefixes, Path, Libraries []string
		NetworkX                  string
	}
	if err := json.Unmarshal(out, &found); err != nil || found.Executable == "" {
		return nil, &Unavailable{Step: "asking " + python + " where its files are",
			Err: fmt.Errorf("it is not a Python interpreter: it printed %.60q", out)}
	}
	program, err := filepath.EvalSymlinks(found.Executable)
	if err != nil {
		return nil, &Unavailable{Step: "looking for the interpreter", Err: err}
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
	l := &layout{}
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
			return nil, &Unavailable{Step: "looking for the interpreter's files",
				Err: fmt.Errorf("%s would have to be visible as a whole", d)}
		}
		mounted = append(mounted, d)
		l.binds = append(l.binds, pair{d, d})
	}
	single := func(from, to string) {
		if !slices.ContainsFunc(mounted, func(m string) bool { return inside(to, m) }) {
			l.binds = append(l.binds, pair{from, to})
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
			return nil, &Unavailable{Step: "looking for the dynamic loader", Err: err}
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
			l.links = append(l.links, pair{to, top})
		}
	}
	return l, nil
}

// loader returns the loader of a dynamic executable of this machine's word size. It uses only the
// types of debug/elf, whose reader would bring decompression and DWARF into the binary.
func loader(program string) string {
	f, err := os.Open(program)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	var head elf.Header64
	if binary.Read(f, binary.NativeEndian, &head) != nil || string(head.Ident[:len(elf.ELFMAG)]) != elf.ELFMAG ||
		elf.Class(head.Ident[elf.EI_CLASS]) != elf.ELFCLASS64 {
		return ""
	}
	for i := range int64(head.Phnum) {
		var p elf.Prog64
		at := io.NewSectionReader(f, int64(head.Phoff)+i*int64(head.Phentsize), int64(head.Phentsize))
		if binary.Read(at, binary.NativeEndian, &p) != nil {
			return ""
		}
		if elf.ProgType(p.Type) == elf.PT_INTERP {
			name := make([]byte, min(p.Filesz, 4096))
			if _, err := f.ReadAt(name, int64(p.Off)); err != nil {
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
