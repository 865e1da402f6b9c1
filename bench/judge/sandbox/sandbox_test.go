//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// proofs are made once for all tests.
var proofs = map[string]func() (*Sandbox, error){Bubblewrap: proof(Bubblewrap), Landlock: proof(Landlock)}

// proof opens a sandbox, which makes every attack, and closes it.
func proof(backend string) func() (*Sandbox, error) {
	return sync.OnceValues(func() (*Sandbox, error) {
		s, err := Open(context.Background(), Policy{Backend: backend, Pool: 1})
		if err == nil {
			err = s.Close()
		}
		return s, err
	})
}

// need ends a test where the sandbox cannot be had, and says why: on a machine
// without networkx, without bubblewrap or the right to use it, or with a kernel
// without Landlock. Where its parts are there, a sandbox that does not come up or
// does not hold is a failure.
func need(t testing.TB, backend string) *Sandbox {
	t.Helper()
	s, err := proofs[backend]()
	var u *Unavailable
	if errors.As(err, &u) {
		there := u.Step != "asking the kernel for Landlock"
		if backend == Bubblewrap {
			there = exec.Command("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true").Run() == nil
		}
		if !there || u.Backend == "" {
			t.Skip("NOT TESTED: ", err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// setup returns a sandbox of the kind that has been proven.
func setup(t testing.TB, p Policy) *Sandbox {
	t.Helper()
	need(t, p.Backend)
	p, err := p.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	s := newSandbox(p, open(t, p.Backend))
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// open returns a backend that nothing has been proven of.
func open(t testing.TB, name string) backend {
	t.Helper()
	files, err := interpreter(t.Context(), "python3")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(backends, func(way struct {
		name string
		open func(context.Context, *layout) (backend, error)
	}) bool {
		return way.name == name
	})
	b, err := backends[i].open(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// each runs a test with every backend.
func each(t *testing.T, test func(*testing.T, string)) {
	for _, way := range backends {
		t.Run(way.name, func(t *testing.T) { test(t, way.name) })
	}
}

// weak returns a sandbox that tests take layers away from.
func weak(t *testing.T) *bwrap {
	t.Helper()
	need(t, Bubblewrap)
	b := open(t, Bubblewrap).(*bwrap)
	t.Cleanup(b.close)
	return b
}

func (b *bwrap) without(args ...string) {
	for i := range b.args {
		if len(b.args)-i >= len(args) && slices.Equal(b.args[i:i+len(args)], args) {
			b.args = slices.Delete(slices.Clone(b.args), i, i+len(args))
			return
		}
	}
	panic("no such argument")
}

func (b *bwrap) with(args ...string) { b.args = append(slices.Clone(args), b.args...) }

// unfiltered allows every system call.
var unfiltered, _ = binary.Append(nil, binary.LittleEndian, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})

func (b *bwrap) unfiltered() { b.filter = unfiltered }

func TestProof(t *testing.T) {
	each(t, func(t *testing.T, backend string) {
		s := need(t, backend)
		if n := len(s.Checks()); n < 10 {
			t.Errorf("%d checks", n)
		}
		for _, c := range s.Checks() {
			t.Logf("%s: %v", c.Name, c.Err)
		}
		v := s.Versions()
		t.Logf("%+v", v)
		if v.Backend != backend || (v.Bubblewrap != "") != (backend == Bubblewrap) || (v.Landlock > 0) != (backend == Landlock) ||
			v.Kernel == "" || v.Python == "" || v.NetworkX == "" {
			t.Errorf("incomplete: %+v", v)
		}
	})
}

// TestOldLandlock confines with what older kernels offer: the filter makes up for
// what their Landlock lacks.
func TestOldLandlock(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many sandboxes")
	}
	need(t, Landlock)
	for abi := 1; abi < newestABI; abi++ {
		l := open(t, Landlock).(*landlock)
		l.abi = abi
		var on Versions
		if _, err := attack(t.Context(), l, &on); err != nil {
			t.Errorf("version %d: %v", abi, err)
		}
		l.close()
	}
}

// TestProbesSee takes away one layer after the other: a probe that passes then
// would prove nothing.
func TestProbesSee(t *testing.T) {
	need(t, Bubblewrap)
	first := once()
	for _, c := range []struct {
		probe, what string
		weaken      func(*bwrap)
	}{
		{"network", "the host's network", func(b *bwrap) { b.without("--unshare-net"); b.unfiltered() }},
		{"network", "sockets", func(b *bwrap) { b.unfiltered() }},
		{"writing a file", "a writable root", func(b *bwrap) { b.without("--remount-ro", "/"); b.unfiltered() }},
		{"writing a file", "/dev/shm", func(b *bwrap) { b.with("--dev", "/dev"); b.unfiltered() }},
		{"writing a file", "the host's /var/tmp", func(b *bwrap) { b.with("--bind", "/var/tmp", "/var/tmp"); b.unfiltered() }},
		{"reading what is outside", "/etc", func(b *bwrap) { b.with("--ro-bind", "/etc", "/etc") }},
		{"reading what is outside", "/proc", func(b *bwrap) { b.with("--proc", "/proc") }},
		{"reading what is outside", "the environment", func(b *bwrap) { b.args = insert(b.args, "--clearenv", "--setenv", "API_KEY", "secret") }},
		{"reading what is outside", "the host's name", func(b *bwrap) { b.without("--hostname", "sandbox"); b.without("--unshare-uts") }},
		{"starting processes and threads", "processes", func(b *bwrap) { b.unfiltered() }},
		{"reaching other processes and the kernel", "system calls", func(b *bwrap) { b.unfiltered() }},
	} {
		t.Run(c.what, func(t *testing.T) {
			if testing.Short() && !first(c.probe) {
				t.Skip("the probe is seen to see with another layer")
			}
			t.Parallel()
			if c.what == "processes" && os.Getuid() != 0 {
				t.Skip("NOT TESTED: the limit of processes holds as well, except for root")
			}
			b := weak(t)
			c.weaken(b)
			sees(t, b, c.probe)
		})
	}
}

// TestProbesSeeLandlock is the same for the other backend.
func TestProbesSeeLandlock(t *testing.T) {
	need(t, Landlock)
	first := once()
	for _, c := range []struct {
		probe, what string
		weaken      func(*landlock)
	}{
		{"network", "sockets", func(l *landlock) { l.filter = unfiltered }},
		{"reading what is outside", "/", func(l *landlock) { l.read = []string{"/"} }},
		{"reading what is outside", "/etc", func(l *landlock) { l.read = append(l.read, "/etc") }},
		{"starting processes and threads", "threads", func(l *landlock) { l.filter = unfiltered }},
		{"reaching other processes and the kernel", "system calls", func(l *landlock) { l.filter = unfiltered }},
		{"writing a file", "opening to write", func(l *landlock) { l.filter = unfiltered }},
		{"reading what is outside", "no Landlock", func(l *landlock) { l.weaken("RESTRICT_SELF, rules, 0)", "RESTRICT_SELF, rules, 0) if 0 else 0") }},
	} {
		t.Run(c.what, func(t *testing.T) {
			if testing.Short() && !first(c.probe) {
				t.Skip("the probe is seen to see with another layer")
			}
			t.Parallel()
			l := open(t, Landlock).(*landlock)
			t.Cleanup(l.close)
			c.weaken(l)
			sees(t, l, c.probe)
		})
	}
}

// once reports whether a name is there for the first time.
func once() func(string) bool {
	seen := map[string]bool{}
	return func(name string) bool {
		again := seen[name]
		seen[name] = true
		return !again
	}
}

// weaken changes the Python half.
func (l *landlock) weaken(from, to string) {
	for i, a := range l.args {
		l.args[i] = strings.ReplaceAll(a, from, to)
	}
}

// sees makes an attack that should get through, and wants that to be noticed.
func sees(t *testing.T, b backend, name string) {
	t.Helper()
	all := probes(t.TempDir(), "secret", 1, b.apart(), new(atomic.Int32))
	i := slices.IndexFunc(all, func(p probe) bool { return p.name == name })
	all[i].outside = nil
	err := try(t.Context(), b, all[i], nil)
	var u *Unavailable
	if err == nil || errors.As(err, &u) {
		t.Errorf("the probe does not see it: %v", err)
	} else if !strings.Contains(err.Error(), "got through") {
		t.Errorf("it sees something else: %v", err)
	}
}

func insert(args []string, after string, more ...string) []string {
	i := slices.Index(args, after)
	return slices.Insert(slices.Clone(args), i+1, more...)
}

// anotherOutput is what an interpreter prints that takes the place of the first. The
// filter of bubblewrap has to let it start; it has nothing that the first has not.
var anotherOutput = map[string]string{Bubblewrap: "1\n"}

func TestOutcomes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many sandboxes")
	}
	each(t, func(t *testing.T, backend string) {
		s := setup(t, Policy{Backend: backend, Wall: 5 * time.Second, CPU: time.Second, Memory: 256 << 20, Output: 5000})
		long := strings.Repeat("x", 5000)
		for _, c := range []struct {
			name, program string
			outcome       Outcome
			stdout        string
		}{
			{"print", "print(6 * 7)", OK, "42\n"},
			{"networkx", "import networkx as nx\nprint(nx.has_path(nx.path_graph(3), 0, 2))", OK, "True\n"},
			{"main", "if __name__ == '__main__':\n  print(1)", OK, "1\n"},
			{"a function that calls itself", "def f(n):\n  return n and n + f(n - 1)\nprint(f(10))", OK, "55\n"},
			{"nothing", "", OK, ""},
			{"bytes that are not text", "import sys\nsys.stdout.buffer.write(b'\\xff\\x00\\x1b[2J')", OK, "\xff\x00\x1b[2J"},
			{"as much as allowed", "import sys\nsys.stdout.write('x' * 5000)", OK, long},
			{"one more", "import sys\nsys.stdout.write('x' * 5001)", OutputLimit, long},
			{"on standard error", "import sys\nsys.stderr.write('x' * 6000)", OutputLimit, ""},
			{"on the report", "import os\nwhile True: os.write(4, b'x' * 5000)", OutputLimit, ""},
			{"exit", "import sys\nprint(1)\nsys.exit(0)", OK, "1\n"},
			{"exit 1", "import sys\nprint(1)\nsys.exit(1)", Crashed, "1\n"},
			{"exit with a text", "raise SystemExit('no')", Crashed, ""},
			{"early exit", "import os\nos.write(1, b'1')\nos._exit(0)", Crashed, "1"},
			{"another interpreter", "import os, sys\nos.execv(sys.executable, [sys.executable, '-c', 'print(1)'])", Crashed, anotherOutput[backend]},
			{"exit as if killed", "import os\nos._exit(137)", Crashed, ""},
			{"exception", "print(1)\n1 / 0", Crashed, "1\n"},
			{"syntax", "print(", Crashed, ""},
			{"zero byte", "print(1)\x00", Crashed, ""},
			{"not UTF-8", "print('\xff')", Crashed, ""},
			{"parentheses", strings.Repeat("(", 100_000), Crashed, ""},
			{"recursion", "def f(): f()\nf()", Crashed, ""},
			{"recursion in C", "import sys\nsys.setrecursionlimit(10**9)\nx, y = [], []\nfor _ in range(3 * 10**5): x, y = [x], [y]\nx == y", Crashed, ""},
			{"null pointer", "import ctypes\nctypes.string_at(0)", Crashed, ""},
			{"abort", "import os\nos.abort()", Crashed, ""},
			{"descriptors", "import os\nwhile True: os.dup(0)", Crashed, ""},
			{"closed output", "import os\nos.close(1)\nprint(1)", Crashed, ""},
			{"everything closed", "import os\nos.closerange(0, 64)", Crashed, ""},
			{"input", "print(repr(__import__('sys').stdin.read()))", OK, "''\n"},
			{"memory", "x = bytearray(1 << 30)", Memory, ""},
			{"memory, bit by bit", "x = []\nwhile True: x.append([0] * 1000)", Memory, ""},
			{"loop", "while True: pass", Timeout, ""},
			{"loop that catches all", "while True:\n  try:\n    while True: pass\n  except BaseException: pass", Timeout, ""},
			{"one long call", "10**(10**9)", Timeout, ""},
			{"expression", "import re\nre.match('(a+)+$', 'a' * 100 + 'b')", Timeout, ""},
			{"sleep", "import time\nprint(1, flush=True)\ntime.sleep(60)", Timeout, "1\n"},
			{"colliding keys", "d = {i * (2**61 - 1): 0 for i in range(10**6)}", Timeout, ""},
			{"patched modules", "import os, sys, builtins\nos.write = os._exit = None\nprint(1)\nsys.stderr = None\nbuiltins.print = None", OK, "1\n"},
			{"no output", "import sys\nprint(1)\nsys.stdout = None\nprint(2)", OK, "1\n"},
			{"output closed at the end", "import sys\nprint(1)\nsys.stdout.close()", OK, "1\n"},
			{"another output", "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.detach())\nprint(2)", OK, "2\n"},
			{"lying about memory", "raise MemoryError", Memory, ""},
			{"too long", strings.Repeat("#", MaxProgram+1), Crashed, ""},
			{"as long as allowed", strings.Repeat("#", MaxProgram-9) + "\nprint(1)", OK, "1\n"},
			{"same order", "print(list(set('abcdefgh')) == list(set('abcdefgh')), hash('a'))", OK, ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				r, err := s.Run(t.Context(), c.program)
				if err != nil {
					t.Fatal(err)
				}
				if r.Outcome != c.outcome || r.Stdout != c.stdout && c.name != "same order" {
					t.Errorf("%v, not %v: %.100q, %q", r.Outcome, c.outcome, r.Stdout, r.Stderr)
				}
			})
		}
	})
}

// TestExit: the status that a program chose is known.
func TestExit(t *testing.T) {
	each(t, func(t *testing.T, backend string) {
		s := setup(t, Policy{Backend: backend, Pool: 1})
		for program, want := range map[string]int{
			"": 0, "1 / 0": 1, "raise SystemExit('no')": 1, "import sys\nsys.exit(3)": 3, "import os\nos._exit(4)": 4, "import sys\nsys.exit(1 << 40)": 1, "raise MemoryError": 1,
		} {
			if r, err := s.Run(t.Context(), program); err != nil || r.Exit != want {
				t.Errorf("%s: %d, %v", program, r.Exit, err)
			}
		}
	})
}

// TestAlone shows that a program finds nothing of the one before, and that sets
// have the same order every time.
func TestAlone(t *testing.T) {
	each(t, func(t *testing.T, backend string) {
		s := setup(t, Policy{Backend: backend, Pool: 1})
		program := `
import networkx as nx
print(hasattr(nx, "mark"), list({"a", "b", "c", "d", "e"}))
nx.mark = 1
nx.has_path = None
`
		first, err := s.Run(t.Context(), program)
		if err != nil {
			t.Fatal(err)
		}
		second, err := s.Run(t.Context(), program)
		if err != nil {
			t.Fatal(err)
		}
		if first.Outcome != OK || first.Stdout != second.Stdout || !strings.HasPrefix(first.Stdout, "False") {
			t.Errorf("first %+v, then %+v", first, second)
		}
	})
}

// TestDaemons takes the filter away, so that processes can be started, and shows
// that they end with the program whatever session they are in.
func TestDaemons(t *testing.T) {
	b := weak(t)
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: the limit of processes holds, except for root")
	}
	b.unfiltered()
	for _, end := range []string{"", "while True: pass\n"} {
		marker := fmt.Sprintf("daemon-%d-%d", os.Getpid(), time.Now().UnixNano())
		g, err := b.start(t.Context(), probeLimits)
		if err != nil {
			t.Fatal(err)
		}
		r, err := g.run(t.Context(), `
import os, sys, time
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 64)
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", "`+marker+`"])
        os._exit(0)
time.sleep(0.5)
print("started")
sys.stdout.flush()
`+end, probeLimits)
		if err != nil || r.Stdout != "started\n" {
			t.Fatalf("%+v, %v", r, err)
		}
		for deadline := time.Now().Add(time.Minute); running(t, marker) > 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d processes outlived the program", running(t, marker))
			}
		}
	}
}

// running counts the processes of the host with a word in their command line.
func running(t *testing.T, word string) int {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, l := range lines {
		if b, err := os.ReadFile(l); err == nil && strings.Contains(string(b), word+"\x00") {
			n++
		}
	}
	return n
}

// TestDescriptors opens a file that every child inherits.
func TestDescriptors(t *testing.T) {
	each(t, func(t *testing.T, backend string) {
		s := setup(t, Policy{Backend: backend, Pool: 1})
		secret := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		fd, err := unix.Open(secret, unix.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Close(fd) }()
		if err := unix.Dup3(fd, 200, 0); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Close(200) }()
		for range 2 { // the first interpreter may have been started before
			r, err := s.Run(t.Context(), `
import os
for d in range(3, 1024):
    try:
        os.fstat(d)
        print(d)
    except OSError:
        pass
`)
			if err != nil || r.Stdout != "4\n" {
				t.Errorf("%+v, %v", r, err)
			}
		}
	})
}

func TestContextAndClose(t *testing.T) {
	each(t, func(t *testing.T, backend string) {
		s := setup(t, Policy{Backend: backend, Pool: 2})
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		began := time.Now()
		if r, err := s.Run(ctx, "while True: pass"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%+v, %v", r, err)
		}
		t.Logf("stopped after %v", time.Since(began))
		running := make(chan error)
		w := <-s.ready // as Run does
		if w.err != nil {
			t.Fatal(w.err)
		}
		go func() {
			r, err := w.guest.run(context.Background(), "import time\ntime.sleep(1)\nprint(1)", s.policy)
			if err == nil && r.Stdout != "1\n" {
				err = fmt.Errorf("%+v", r)
			}
			running <- err
		}()
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Error(err)
		}
		if err := <-running; err != nil {
			t.Error("closing ended a program: ", err)
		}
		if _, err := s.Run(t.Context(), ""); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
}

// TestManyAtOnce holds answers and programs together, and leaves nothing open.
func TestManyAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many sandboxes")
	}
	each(t, func(t *testing.T, backend string) {
		s := setup(t, Policy{Backend: backend, Pool: 2})
		files := func() int {
			d, err := os.ReadDir("/proc/self/fd")
			if err != nil {
				t.Fatal(err)
			}
			return len(d)
		}
		before := files()
		var work sync.WaitGroup
		for i := range 24 {
			work.Go(func() {
				r, err := s.Run(t.Context(), fmt.Sprintf("print(%d)", i))
				if err != nil || r.Outcome != OK || r.Stdout != fmt.Sprintln(i) {
					t.Errorf("%d: %+v, %v", i, r, err)
				}
			})
		}
		work.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if after := files(); after > before {
			t.Errorf("%d files open before, %d after", before, after)
		}
	})
}

// TestIdleDeath is the end of a waiting interpreter, which is nobody's program's
// fault.
func TestIdleDeath(t *testing.T) {
	b := weak(t)
	g, err := b.start(t.Context(), probeLimits)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.first.Kill(); err != nil {
		t.Fatal(err)
	}
	var u *Unavailable
	if r, err := g.run(t.Context(), "print(1)", probeLimits); !errors.As(err, &u) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRefusal shows what is said where there is no sandbox. The last bwrap is one
// that isolates nothing.
func TestRefusal(t *testing.T) {
	script := func(t *testing.T, name, text string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	files, err := interpreter(t.Context(), "python3")
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	python := files.executable
	version := `[ "$1" = --version ] && { echo bubblewrap 0; exit; }
`
	for _, c := range []struct {
		name, bwrap string
		policy      Policy
		step, says  string
	}{
		{"no bwrap", "", Policy{Backend: Bubblewrap, Python: python}, "looking for the command bwrap", "apt-get install bubblewrap"},
		{"no namespaces", version + "echo 'bwrap: No permissions to create new namespace, ...' >&2; exit 1", Policy{Backend: Bubblewrap},
			"starting an interpreter that gives up its rights", "user.max_user_namespaces"},
		{"AppArmor", version + "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1", Policy{Backend: Bubblewrap},
			"starting an interpreter that gives up its rights", "AppArmor"},
		{"no Python", version, Policy{Python: "/no/such/python"}, "asking /no/such/python where its files are", "networkx"},
		{"not a Python", version, Policy{Python: "echo"}, "asking echo where its files are", "not a Python"},
		{"no isolation", version + `echo "{\"child-pid\": $$}" >&5
while [ "$1" != -- ]; do shift; done
shift
exec "$@"`, Policy{Backend: Bubblewrap}, "probe: ", "got through"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Dir(script(t, "other", ""))
			if c.bwrap != "" {
				path = filepath.Dir(script(t, "bwrap", c.bwrap)) + ":" + os.Getenv("PATH")
			}
			t.Setenv("PATH", path)
			s, err := Open(t.Context(), c.policy)
			var u *Unavailable
			if s != nil || !errors.As(err, &u) {
				t.Fatalf("%v, %v", s, err)
			}
			if !strings.HasPrefix(u.Step, c.step) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("step %q: %v", u.Step, err)
			}
			t.Log(err)
		})
	}
	for _, p := range []Policy{{CPU: -1}, {Backend: "none"}} {
		if _, err := Open(t.Context(), p); err == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
	// What each backend lacks is said, in their order.
	both := &Unavailable{Backend: Bubblewrap, Step: "one", Err: errors.New("missing"), Remedy: "Install it.",
		Next: &Unavailable{Backend: Landlock, Step: "two", Err: unix.ENOSYS}}
	if got, want := both.Error(), "Python programs cannot be run safely here: bubblewrap: one: missing\nInstall it.\nlandlock: two: function not implemented"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if !errors.Is(both, unix.ENOSYS) {
		t.Error("the second cause is lost")
	}
}

// TestFallback is a machine without bubblewrap.
func TestFallback(t *testing.T) {
	if testing.Short() {
		t.Skip("makes every attack again")
	}
	need(t, Landlock)
	files, err := interpreter(t.Context(), "python3")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	s, err := Open(t.Context(), Policy{Python: files.executable, Pool: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if v := s.Versions(); v.Backend != Landlock {
		t.Errorf("%+v", v)
	}
	if r, err := s.Run(t.Context(), "print(1)"); err != nil || r.Outcome != OK || r.Stdout != "1\n" {
		t.Errorf("%+v, %v", r, err)
	}
}

// BenchmarkRun has one caller for each processor; the interpreters that wait are
// as many.
func BenchmarkRun(b *testing.B) {
	s := setup(b, Policy{Backend: Bubblewrap})
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r, err := s.Run(b.Context(), "import networkx as nx\nprint(len(nx.descendants(nx.gnp_random_graph(10, 0.3, 1), 0)))")
			if err != nil || r.Outcome != OK {
				b.Fatalf("%+v, %v", r, err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "programs/s")
}

// BenchmarkLatency is a program that finds an interpreter waiting. To be run with
// -benchtime 20x, since the waiting is not counted.
func BenchmarkLatency(b *testing.B) {
	s := setup(b, Policy{Backend: Bubblewrap, Pool: 1})
	for b.Loop() {
		b.StopTimer()
		time.Sleep(time.Second)
		b.StartTimer()
		if r, err := s.Run(b.Context(), "print(1)"); err != nil || r.Outcome != OK {
			b.Fatalf("%+v, %v", r, err)
		}
	}
}
