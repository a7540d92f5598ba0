//go:build !windows

package program

import (
	"os/exec"
	"syscall"
	"time"
)

// Group makes cmd a group of processes of its own, which is killed where the
// context of cmd ends.
func Group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// End asks the group of a started cmd to end, also what its first process has left behind,
// and kills what is there after so long. The caller waits for cmd meanwhile.
func End(cmd *exec.Cmd, within time.Duration) {
	group := -cmd.Process.Pid
	_ = syscall.Kill(group, syscall.SIGTERM)
	for late := time.Now().Add(within); time.Now().Before(late) && syscall.Kill(group, 0) == nil; {
		time.Sleep(lookEvery)
	}
	_ = syscall.Kill(group, syscall.SIGKILL)
}

// lookEvery is how often End looks whether a group has ended.
const lookEvery = 10 * time.Millisecond
