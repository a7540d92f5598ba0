//go:build !windows

package ui

import (
	"os"
	"syscall"
)

// goOn continues this process as a shell does. It does nothing to one that runs.
func goOn() { _ = syscall.Kill(os.Getpid(), syscall.SIGCONT) }
