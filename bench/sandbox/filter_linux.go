//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"encoding/binary"
	"slices"

	"golang.org/x/sys/unix"
)

// allowed are the system calls of a Python that computes, on both architectures.
// All others fail with EPERM. Threads are not there either: with one thread there
// is nothing to outlive the program.
var allowed = [...]uint32{
	// Files. What they can reach is for the mounts, or for Landlock, to say.
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_PWRITE64,
	unix.SYS_OPENAT, unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE, unix.SYS_LSEEK, unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_FCNTL,
	unix.SYS_FSTAT, unix.SYS_STATX, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_READLINKAT,
	unix.SYS_GETDENTS64, unix.SYS_GETCWD, unix.SYS_CHDIR, unix.SYS_FTRUNCATE, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT,
	unix.SYS_PIPE2, unix.SYS_PPOLL, unix.SYS_PSELECT6,
	// Memory.
	unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_BRK,
	// The process itself, and no other.
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
	unix.SYS_FUTEX, unix.SYS_SET_TID_ADDRESS, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_RESTART_SYSCALL,
	unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETTID, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID,
	unix.SYS_GETEGID, unix.SYS_GETRUSAGE, unix.SYS_TIMES, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_YIELD,
	// The clock, randomness and the machine's description.
	unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_NANOSLEEP,
	unix.SYS_GETTIMEOFDAY, unix.SYS_GETRANDOM, unix.SYS_UNAME, unix.SYS_SYSINFO,
}

// Offsets in the kernel's struct seccomp_data, and the two requests that Python
// makes of descriptors: is it a terminal, and close it on exec.
const (
	dataCall = 0
	dataArch = 4
	dataArgs = 16

	isTerminal  = 0x5401
	closeOnExec = 0x5451
)

// filter is the program that the kernel asks about each system call. The more calls
// are those that the way to load it needs.
func filter(more ...uint32) []byte {
	var p []unix.SockFilter
	add := func(code uint16, k uint32, yes, no uint8) {
		p = append(p, unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k})
	}
	load := func(offset uint32) { add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset, 0, 0) }
	equal := func(k uint32, yes, no uint8) { add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, yes, no) }
	end := func(k uint32) { add(unix.BPF_RET|unix.BPF_K, k, 0, 0) }
	const deny = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)

	// The numbers mean other calls in a program of another architecture, the
	// 32-bit ones of the same processor included.
	load(dataArch)
	equal(auditArch, 1, 0)
	end(unix.SECCOMP_RET_KILL_PROCESS)
	load(dataCall)
	if x32 != 0 {
		add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, x32, 0, 1)
		end(unix.SECCOMP_RET_KILL_PROCESS)
	}
	for _, call := range slices.Concat(allowed[:], allowedHere[:], more) {
		equal(call, 0, 1)
		end(unix.SECCOMP_RET_ALLOW)
	}
	// Limits: the own ones, which only go down. Arguments are little-endian on both
	// architectures; the kernel takes a process id from the lower half.
	equal(unix.SYS_PRLIMIT64, 0, 4)
	load(dataArgs)
	equal(0, 0, 1)
	end(unix.SECCOMP_RET_ALLOW)
	end(deny)
	equal(unix.SYS_IOCTL, 0, 4)
	load(dataArgs + 8)
	equal(isTerminal, 1, 0)
	equal(closeOnExec, 0, 1)
	end(unix.SECCOMP_RET_ALLOW)
	end(deny)

	var b bytes.Buffer
	for _, in := range p {
		// A Buffer takes everything.
		_ = binary.Write(&b, binary.LittleEndian, in)
	}
	return b.Bytes()
}
