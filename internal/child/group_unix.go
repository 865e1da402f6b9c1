//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// apart gives a program a process group of its own: an interrupt at the terminal is not for it, as
// who asks it may wait for its answer.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill kills a program, and the children in its group: it may be a script around the one that hangs.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
