package child

import (
	"os/exec"
	"syscall"
)

// apart keeps an interrupt at the terminal from a program, as who asks it may wait for its answer.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
