//go:build !windows

package ui

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// releaseWithin bounds how long the terminal may take to be restored before the
// stacks are printed: a program that hangs is the usual reason for SIGQUIT.
const releaseWithin = 2 * time.Second

// restoreOnQuit restores the terminal with release when SIGQUIT arrives, then
// lets Go print all stacks and end the program, as without it. The returned
// function ends the watch.
func restoreOnQuit(release func() error) (end func()) {
	quits, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(quits, syscall.SIGQUIT)
	go func() {
		select {
		case <-ended:
			return
		case <-quits:
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = release() // the stacks follow in any case
		}()
		select {
		case <-done:
		case <-time.After(releaseWithin):
		}
		signal.Reset(syscall.SIGQUIT)
		_ = syscall.Kill(os.Getpid(), syscall.SIGQUIT)
	}()
	return func() {
		signal.Stop(quits)
		close(ended)
	}
}

// wakeUp continues this process as a shell does. It has no effect on a
// running process.
func wakeUp() { _ = syscall.Kill(os.Getpid(), syscall.SIGCONT) }
