package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	x32       = 0x40000000
)

// allowedHere are the older forms of calls that exist on this architecture only.
var allowedHere = [...]uint32{
	unix.SYS_ARCH_PRCTL, unix.SYS_ACCESS, unix.SYS_READLINK, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_NEWFSTATAT,
	unix.SYS_DUP2, unix.SYS_PIPE, unix.SYS_POLL, unix.SYS_SELECT, unix.SYS_TIME,
}

// opening are the calls that open files, and which argument has the flags.
var opening = [...]struct{ call, flags uint32 }{{unix.SYS_OPEN, 1}, {unix.SYS_OPENAT, 2}}
