//go:build !windows

package ui

import (
	"os"
	"syscall"
)

// wakeUp continues this process as a shell does. It does nothing to one that runs.
func wakeUp() { _ = syscall.Kill(os.Getpid(), syscall.SIGCONT) }
