//go:build !windows

package cli

import (
	"os/exec"
	"syscall"
)

// endWithChildren makes cmd a group of processes of its own, which is killed where the
// context of cmd ends.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
