package tap

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"
)

// Run starts a program that owns the terminal of this one, and returns its exit code once it
// has ended: 128 and the signal's number where one ended it. Signals that reach this program
// alone are passed on; those of the terminal reach the child as well, so that they are not.
// If this program is killed the child goes on without it.
func Run(words, env []string) (code int, err error) {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 16)
	for _, s := range passed { // from now on none of them ends this program
		if !signal.Ignored(s) { // as under nohup: so it stays for the child
			signal.Notify(signals, s)
		}
	}
	modes, _ := term.GetState(os.Stdin.Fd()) // nil: no terminal
	if err := cmd.Start(); err != nil {
		signal.Stop(signals)
		return 0, fmt.Errorf("start %s: %w", words[0], errors.Unwrap(err))
	}
	passes := make(chan struct{})
	go func() {
		defer close(passes)
		for s := range signals {
			if !(ofTerminal(s) && inFront()) {
				_ = cmd.Process.Signal(s)
			}
		}
	}()
	err = cmd.Wait()
	signal.Stop(signals) // none comes from now on
	close(signals)
	<-passes
	if modes != nil && inFront() { // a child that was killed leaves the terminal as it was
		_ = term.Restore(os.Stdin.Fd(), modes)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return 128 + int(status.Signal()), nil
		}
		return exit.ExitCode(), nil
	}
	return 0, err
}
