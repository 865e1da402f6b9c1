//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"slices"

	"golang.org/x/sys/unix"
)

// allowed lists the system calls that a computing Python needs, on both architectures. All others
// fail with EPERM. Threads are not among them: with one thread, nothing can outlive the program.
var allowed = [...]uint32{
	// Files. What they can reach is for the mounts, or for Landlock, to say.
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_PWRITE64,
	unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE, unix.SYS_LSEEK, unix.SYS_DUP, unix.SYS_DUP3,
	unix.SYS_FSTAT, unix.SYS_STATX, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_READLINKAT,
	unix.SYS_GETDENTS64, unix.SYS_GETCWD, unix.SYS_CHDIR,
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

// Offsets in the kernel's struct seccomp_data.
const (
	dataCall = 0
	dataArch = 4
	dataArgs = 16
)

// some lists calls that are allowed for some values of one argument.
var some = [...]struct {
	call, argument uint32
	values         []uint32
}{
	// The own limits, which only go down.
	{unix.SYS_PRLIMIT64, 0, []uint32{0}},
	// Is it a terminal, and close it on exec.
	{unix.SYS_IOCTL, 1, []uint32{0x5401, 0x5451}},
	// Others send signals to any process of the user, by way of a descriptor's
	// owner, watch files, or make pipes larger.
	{unix.SYS_FCNTL, 1, []uint32{unix.F_DUPFD, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL, unix.F_DUPFD_CLOEXEC}},
}

// changing are the flags of a file that is not only read. Before its third version, Landlock lets a
// program truncate files that it may read.
const changing = unix.O_ACCMODE | unix.O_CREAT | unix.O_TRUNC

// filter returns the program that the kernel runs for each system call. more are calls that loading
// the filter needs.
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
	// The kernel takes these arguments, little-endian on both architectures, from
	// the lower half.
	for _, c := range some {
		n := uint8(len(c.values))
		equal(c.call, 0, n+3)
		load(dataArgs + 8*c.argument)
		for i, v := range c.values {
			equal(v, n-uint8(i), 0)
		}
		end(deny)
		end(unix.SECCOMP_RET_ALLOW)
	}
	for _, c := range opening {
		equal(c.call, 0, 4)
		load(dataArgs + 8*c.flags)
		add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, changing, 1, 0)
		end(unix.SECCOMP_RET_ALLOW)
		end(deny)
	}
	end(deny)

	b, _ := binary.Append(nil, binary.LittleEndian, p) // it takes numbers
	return b
}
