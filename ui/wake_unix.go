//go:build !windows

package ui

import (
	"os"
	"syscall"
)

// wakeUp continues this process as a shell does. It has no effect on a
// running process.
func wakeUp() { _ = syscall.Kill(os.Getpid(), syscall.SIGCONT) }
