//go:build linux && (amd64 || arm64)

package sandbox

import (
	"runtime"
	"strings"
	"testing"
)

// hostile are attacks beyond those of the start-up proof: each line must fail with
// an OSError. call makes a system call by its number on amd64, where only EPERM
// means that the filter stopped it.
var hostile = []struct{ name, tries string }{
	{"processes of others", `
attempt("environ", lambda: open("/proc/%d/environ" % os.getppid()))
attempt("memory", lambda: open("/proc/self/mem", "r+b"))
attempt("descriptors", lambda: os.listdir("/proc/self/fd"))
attempt("where another one is", lambda: os.readlink("/proc/%d/cwd" % os.getppid()))
attempt("signal 0 to a group", lambda: os.killpg(0, 0))
attempt("stop", lambda: os.kill(os.getpid(), 19))
attempt("thread kill", lambda: call(234, os.getpid(), os.getpid(), 0))
attempt("queue", lambda: call(129, os.getpid(), 0, 0))
attempt("pidfd", lambda: call(434, os.getpid(), 0))
attempt("read memory", lambda: call(310, os.getppid(), 0, 0, 0, 0, 0))
attempt("compare", lambda: call(312, 1, 1, 0, 0, 0))
`},
	{"signals by the owner of a descriptor", `
import fcntl
attempt("owner", lambda: fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid() or 1))
attempt("signal", lambda: fcntl.fcntl(0, 10, 9))
attempt("lease", lambda: fcntl.fcntl(os.open(os.__file__, os.O_RDONLY), 1024, 0))
attempt("notify", lambda: fcntl.fcntl(os.open(os.path.dirname(os.__file__), os.O_RDONLY), 1026, 1))
attempt("pipe size", lambda: fcntl.fcntl(os.pipe()[1], 1031, 1 << 20))
`},
	{"sockets of all families", `
for family in range(46):
    for kind in (1, 2, 3, 5):
        attempt("socket %d %d" % (family, kind), lambda: socket.socket(family, kind))
attempt("pair", lambda: socket.socketpair())
`},
	{"descriptors that are memory or watch", `
for name, number in (("memfd", 319), ("memfd_secret", 447), ("eventfd", 290), ("timerfd", 283), ("signalfd", 289), ("epoll", 291),
        ("inotify", 294), ("fanotify", 300), ("userfaultfd", 323), ("io_uring", 425), ("bpf", 321), ("perf", 298), ("mq", 240)):
    attempt(name, lambda: call(number, 0, 0, 0, 0, 0))
for name, number in (("shmget", 29), ("shmat", 30), ("semget", 64), ("msgget", 68), ("keyctl", 250), ("add_key", 248)):
    attempt(name, lambda: call(number, 0, 0, 0, 0, 0))
`},
	{"other ways to open files", `
for name, number in (("openat2", 437), ("handle", 303), ("open by handle", 304), ("creat", 85), ("open_tree", 428), ("fsopen", 430),
        ("chroot", 161), ("pivot_root", 155), ("fchdir", 81), ("mount", 165), ("umount", 166), ("swapon", 167), ("acct", 163), ("mknodat", 259)):
    attempt(name, lambda: call(number, 0, 0, 0, 0, 0))
`},
	{"files that are changed", `
for name, number in (("link", 86), ("linkat", 265), ("symlink", 88), ("symlinkat", 266), ("rename", 82), ("renameat2", 316), ("truncate", 76),
        ("chmod", 90), ("fchmod", 91), ("fchmodat", 268), ("chown", 92), ("utimensat", 280), ("setxattr", 188), ("fallocate", 285),
        ("unlink", 87), ("unlinkat", 263), ("mkdir", 83), ("mkdirat", 258), ("rmdir", 84), ("ftruncate", 77), ("copy_file_range", 326),
        ("splice", 275), ("tee", 276), ("sendfile", 40), ("sync", 162), ("syncfs", 306)):
    attempt(name, lambda: call(number, -1, 0, 0, 0, 0))
`},
	{"programs and processes", `
for name, number in (("execveat", 322), ("fork", 57), ("vfork", 58), ("clone", 56), ("clone3", 435), ("setsid", 112), ("setpgid", 109),
        ("ptrace", 101), ("unshare", 272), ("setns", 308), ("wait4", 61), ("waitid", 247)):
    if name != "wait4":
        attempt(name, lambda: call(number, 0, 0, 0, 0, 0))
attempt("shell", lambda: os.execv("/bin/sh", ["sh", "-c", "echo through"]) )
`},
	{"rights", `
for name, number in (("prctl", 157), ("personality", 135), ("setuid", 105), ("setgid", 106), ("setgroups", 116), ("setresuid", 117), ("capset", 126),
        ("seccomp", 317), ("landlock", 444), ("nice", 141), ("sched_setscheduler", 144), ("sched_setaffinity", 203), ("ioprio", 251),
        ("setrlimit", 160), ("mlock", 149), ("mlockall", 151), ("iopl", 172), ("modify_ldt", 154), ("reboot", 169), ("sethostname", 170),
        ("settimeofday", 164), ("clock_settime", 227), ("syslog", 103), ("init_module", 175), ("kexec", 246), ("quotactl", 179)):
    attempt(name, lambda: call(number, 0, 0, 0, 0, 0))
`},
	{"terminals", `
import fcntl, array
for request in (0x5412, 0x540E, 0x5413, 0x5452, 0x8901, 0x894C, 0x5421, 0x40049409, 0xC0045878):
    attempt("ioctl %x" % request, lambda: fcntl.ioctl(0, request, b"xxxxxxxx"))
`},
	{"files of the machine", `
for p in ("/etc/passwd", "/etc/hosts", "/etc/resolv.conf", "/root/.ssh", "/home", "/var/log", "/sys/kernel", "/dev/null", "/dev/shm", "/dev/tty",
        "/proc", "/proc/self/status", "/proc/self/environ", "/proc/cpuinfo", "/proc/sys/kernel/hostname", "/run", "/boot", "/"):
    if p != "/" or os.path.exists("/etc/passwd"):
        attempt("open " + p, lambda: os.open(p, os.O_RDONLY))
root = os.open("/", os.O_PATH)
attempt("from a path descriptor", lambda: os.open("etc/passwd", os.O_RDONLY, dir_fd=root))
attempt("read a path descriptor", lambda: os.read(root, 1))
attempt("list a path descriptor", lambda: os.listdir(root))
os.chdir(os.path.dirname(os.__file__))
attempt("up", lambda: os.open("../../../../../../etc/passwd", os.O_RDONLY))
`},
	{"files that are written", `
for d in ("/tmp", "/var/tmp", "/dev/shm", "/", "."):
    attempt("make " + d, lambda: os.open(d + "/x", os.O_CREAT | os.O_RDONLY))
    attempt("unnamed " + d, lambda: os.open(d, 0o20200000 | os.O_RDWR))
    attempt("folder " + d, lambda: os.mkdir(d + "/x"))
for flags in (os.O_WRONLY, os.O_RDWR, os.O_APPEND | os.O_WRONLY):
    attempt("code %d" % flags, lambda: os.open(os.__file__, flags))
`},
}

func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many sandboxes")
	}
	each(t, func(t *testing.T, backend string) {
		s := setup(t, Policy{Backend: backend, Pool: 2})
		for _, c := range hostile {
			if strings.Contains(c.tries, "call(") && runtime.GOARCH != "amd64" {
				continue // the numbers are those of amd64
			}
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				r, err := s.Run(t.Context(), attempts(`
libc = ctypes.CDLL(None, use_errno=True)
def call(*args):
    if libc.syscall(*args) == -1 and ctypes.get_errno() == 1:
        raise OSError
`+c.tries))
				if err != nil || r.Stdout != "stopped\n" {
					t.Errorf("%s %s %s %v", r.Outcome, r.Stdout, r.Stderr, err)
				}
			})
		}
	})
}
