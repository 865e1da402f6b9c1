package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	x32       = 0 // there is no such thing
)

var allowedHere = [...]uint32{unix.SYS_FSTATAT}

// opening are the calls that open files, and which argument has the flags.
var opening = [...]struct{ call, flags uint32 }{{unix.SYS_OPENAT, 2}}
