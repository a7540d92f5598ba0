//go:build !windows

package program

import (
	"os/exec"
	"syscall"
)

// Group makes cmd a group of processes of its own, which is killed where the
// context of cmd ends.
func Group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
