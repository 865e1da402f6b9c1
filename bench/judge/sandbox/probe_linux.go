//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// probe is an attack. Its program prints "stopped" if it did not get through, which counts only
// together with the outcome and what is seen from outside.
type probe struct {
	name    string
	program string
	outcome Outcome
	stdout  string       // all of it
	outside func() error // what the attack would have left
}

// probeLimits make the attacks on the limits short. They are enforced in the same
// way as those of the policy.
var probeLimits = Policy{Wall: 20 * time.Second, CPU: time.Second, Memory: 256 << 20, Output: 64 << 10}

// attack makes the attacks, two at a time, and records the versions that they ran on.
func attack(ctx context.Context, b backend, on *Versions) ([]Check, error) {
	dir, err := os.MkdirTemp("", "sandbox-probe-")
	if err != nil {
		return nil, failed(ctx, b.name(), "preparing the probes", err, "")
	}
	defer func() { _ = os.RemoveAll(dir) }()
	secret := rand.Text()
	// Open to all, so that only the sandbox can be what stops the attacks.
	if err := errors.Join(os.Chmod(dir, 0o777), os.WriteFile(filepath.Join(dir, "secret"), []byte(secret), 0o644)); err != nil {
		return nil, failed(ctx, b.name(), "preparing the probes", err, "")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, failed(ctx, b.name(), "preparing the probe of the network", err, "")
	}
	defer func() { _ = l.Close() }()
	var visits atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			visits.Add(1)
			_ = c.Close()
		}
	}()

	// The simplest program goes first and alone: when not even that works, its
	// failure says more than ten others.
	all := probes(dir, secret, l.Addr().(*net.TCPAddr).Port, b.apart(), &visits)
	checks := make([]Check, len(all))
	checks[0] = Check{all[0].name, try(ctx, b, all[0], on)}
	if err := verdict(ctx, b, checks[:1]); err != nil {
		return checks, err
	}
	var work sync.WaitGroup
	turn := make(chan struct{}, 2)
	for i, p := range all[1:] {
		work.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			checks[i+1] = Check{p.name, try(ctx, b, p, nil)}
		})
	}
	work.Wait()
	return checks, verdict(ctx, b, checks)
}

// verdict returns the first failure.
func verdict(ctx context.Context, b backend, checks []Check) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, c := range checks {
		if _, ok := errors.AsType[*Unavailable](c.Err); ok {
			return c.Err
		}
		if c.Err != nil {
			return &Unavailable{Backend: b.name(), Step: "probe: " + c.Name, Err: c.Err, Remedy: "Nothing is run in a sandbox that does not hold."}
		}
	}
	return nil
}

// try makes one attack and records the versions that it ran on.
func try(ctx context.Context, b backend, p probe, on *Versions) error {
	g, err := b.start(ctx, probeLimits)
	if err != nil {
		return err
	}
	r, err := g.run(ctx, p.program, probeLimits)
	if err != nil {
		return err
	}
	if on != nil {
		on.Python, on.NetworkX = g.python, g.networkx
	}
	if r.Outcome != p.outcome || p.stdout != r.Stdout && p.outcome != OutputLimit {
		last := strings.TrimSpace(r.Stderr)
		last = last[strings.LastIndexByte(last, '\n')+1:]
		return fmt.Errorf("it printed %.200q and ended with %s %.200q, not with %s", r.Stdout, r.Outcome, last, p.outcome)
	}
	if p.outside != nil {
		return p.outside()
	}
	return nil
}

// The attacks harm nothing where they succeed: a probe may well find that there is
// no sandbox around it. They leave no file, send no signal and name no object that
// exists.

// attempts returns a Python program that tries several things that must all fail with an OSError.
func attempts(tries string) string {
	return `
import os, socket, ctypes, sys
through = []
def attempt(name, f):
    try:
        f()
    except OSError:
        return
    except RuntimeError as e:
        if "thread" in str(e):
            return
        raise
    through.append(name)
` + tries + `
print("stopped" if not through else "got through: %s" % through)
`
}

// probes returns an honest program and one for each way out. Where an escape shows from here,
// outside looks for it as well: an escaped program could print anything.
func probes(dir, secret string, port int, apart bool, visits *atomic.Int32) []probe {
	host := `
if socket.gethostname() != "sandbox":
    through.append("host name")
`
	if !apart {
		host = ""
	}
	quoted := strconv.Quote(dir)
	hold := "stopped\n"
	return []probe{
		{name: "an honest program", program: `
import networkx as nx
print(sorted(nx.descendants(nx.DiGraph([(0, 1), (1, 2), (3, 0)]), 0)))
`, stdout: "[1, 2]\n"},
		{name: "network", program: attempts(`
port = ` + strconv.Itoa(port) + `
attempt("tcp", lambda: socket.create_connection(("127.0.0.1", port), 2))
attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
attempt("unix", lambda: socket.socket(socket.AF_UNIX))
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
attempt("name", lambda: socket.getaddrinfo("example.com", 80))
`), stdout: hold, outside: func() error {
			if n := visits.Load(); n > 0 {
				return fmt.Errorf("a listener outside had %d visits", n)
			}
			return nil
		}},
		{name: "writing a file", program: attempts(`
for d in (` + quoted + `, "/", "/dev", "/dev/shm", "/run", "/var/tmp", "/etc", "/home", "/root", "/tmp", os.path.dirname(sys.modules["networkx"].__file__), os.path.dirname(os.__file__), "/proc/1/cwd"):
    attempt("make " + d, lambda: (os.mkdir(d + "/escaped"), os.rmdir(d + "/escaped")))
    attempt("write " + d, lambda: (os.close(os.open(d + "/escaped", os.O_CREAT | os.O_WRONLY)), os.unlink(d + "/escaped")))
attempt("secret", lambda: open(` + quoted + ` + "/secret", "r+"))
attempt("own code", lambda: open(os.__file__, "r+"))
def cut():
    try:
        os.open(os.path.dirname(os.__file__) + "/escaped", os.O_RDONLY | os.O_TRUNC)
    except FileNotFoundError: # it was looked for
        pass
attempt("cut off", cut)
`), stdout: hold, outside: func() error {
			left, err := os.ReadDir(dir)
			if err == nil && len(left) != 1 {
				err = fmt.Errorf("%s was left behind", left)
			}
			return err
		}},
		{name: "reading what is outside", program: attempts(`
d = ` + quoted + `
for p in (d, "/proc/self/root" + d, "/proc/1/root" + d, "/tmp/.." + d):
    attempt("read " + p, lambda: print(open(p + "/secret").read()))
for p in ("/etc/passwd", "/etc/shadow", "/etc/hostname", "/proc", "/proc/1/environ", "/proc/self/mem", "/sys", "/dev", "/var", "/run"):
    attempt("open " + p, lambda: os.open(p, os.O_RDONLY))
through += set(os.environ) - {"LANG", "PYTHONHASHSEED", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "PWD"}
# 4 is the pipe of the report.
for d in set(range(3, 1024)) - {4}:
    attempt("inherited descriptor %d" % d, lambda: os.fstat(d))
` + host), stdout: hold, outside: func() error {
			kept, err := os.ReadFile(filepath.Join(dir, "secret"))
			if err == nil && string(kept) != secret {
				err = errors.New("the secret was changed")
			}
			return err
		}},
		{name: "starting processes and threads", program: attempts(`
import subprocess, threading
for _ in range(20):
    attempt("fork", lambda: os.fork() or os._exit(0))
    attempt("posix_spawn", lambda: os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}))
    attempt("vfork", lambda: subprocess.run([sys.executable, "-c", ""]))
    attempt("thread", threading.Thread(target=print).start)
`), stdout: hold},
		{name: "reaching other processes and the kernel", program: attempts(`
import resource, fcntl
for pid in (1, -1, os.getppid()):
    attempt("kill %d" % pid, lambda: os.kill(pid, 0))
attempt("signals of a descriptor", lambda: fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid()))
attempt("memfd", lambda: os.memfd_create("x"))
def raised(kind):
    try:
        resource.setrlimit(kind, (1 << 40, 1 << 40))
    except ValueError:
        raise OSError
attempt("more memory", lambda: raised(resource.RLIMIT_AS))
attempt("more time", lambda: raised(resource.RLIMIT_CPU))
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    # Another error than EPERM means that the kernel looked at the arguments.
    if getattr(libc, name)(*args) == -1 and ctypes.get_errno() == 1:
        raise OSError(name)
attempt("ptrace", lambda: call("ptrace", 1, 1, 0, 0))
attempt("mount", lambda: call("mount", None, None, None, 0, None))
attempt("unshare", lambda: call("unshare", 0x10000000))
attempt("setns", lambda: call("setns", 0, 0))
attempt("prctl", lambda: call("prctl", 38, 1, 0, 0, 0))
attempt("shm", lambda: call("shmget", 1, 0, 0))
attempt("terminal", lambda: fcntl.ioctl(0, 0x5412, b"x"))
for number in (425, 321, 250, 323, 298, 434, 435):  # of amd64: io_uring bpf keyctl userfaultfd perf pidfd clone3
    attempt("call %d" % number, lambda: call("syscall", number, 0, 0, 0, 0, 0))
`), stdout: hold},
		{name: "memory", program: `
x = []
while True:
    x.append(bytearray(1 << 20))
`, outcome: Memory},
		{name: "an endless loop that ignores signals", program: `
import signal
for s in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(s, signal.SIG_IGN)
while True:
    pass
`, outcome: Timeout},
		{name: "too much output", program: `
while True:
    print("x" * 1000)
`, outcome: OutputLimit},
		// A program that knew the number of the run could report success itself; this one looks for
		// it in all that Python holds.
		{name: "a forged report", program: `
import gc, os, sys
found, frame = [], sys._getframe().f_back
while frame:
    found += [*frame.f_locals.values(), *frame.f_globals.values()]
    frame = frame.f_back
for x in gc.get_objects():
    found += gc.get_referents(x)
numbers = [x[:32] for x in found if type(x) is bytes and len(x) in range(32, 44) and not x[:32].translate(None, b"0123456789abcdef")]
for d in range(3, 64):
    try:
        os.write(d, (numbers or [b"0" * 32])[0] + b" ok\n")
    except OSError:
        pass
os._exit(0)
`, outcome: Crashed},
	}
}
