//go:build !windows

package tap

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// passed are the signals that a child gets of this program.
var passed = []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP,
	syscall.SIGUSR1, syscall.SIGUSR2}

// ofTerminal reports whether a terminal sends that signal, by a key or at its end. It does so
// to the whole group in front.
func ofTerminal(s os.Signal) bool {
	return s == syscall.SIGINT || s == syscall.SIGQUIT || s == syscall.SIGHUP
}

// inFront reports whether the group of this program is the one that the terminal listens to.
func inFront() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer func() { _ = tty.Close() }()
	front, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && front == unix.Getpgrp()
}
