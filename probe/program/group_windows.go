package program

import (
	"os/exec"
	"strconv"
	"time"
)

// Group does nothing: Windows has no groups of processes.
func Group(*exec.Cmd) {}

// End ends a started cmd and what it has started, at once: Windows does not ask. What has
// outlived the program that started it is not found.
func End(cmd *exec.Cmd, _ time.Duration) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	_ = cmd.Process.Kill()
}
